/* SPDX-License-Identifier: MIT */
/* Parameters and values that are no doubles: every bit of an i64, a u64 and a complex number arrives, in arrays,
 * parameters and identities; parameters serve inside operators' and loops' bodies and row functions, and changing
 * them compiles nothing. */
#include "tests/support/subject.h"
#include <string.h>

#define G subject_g

static const int64_t odd = INT64_C(9007199254740993); /* 2^53 + 1 */
static const uint64_t wide = UINT64_C(0xfedcba9876543211);
static const fsr_c128 tilted = {0.5, -3};

/* ---- every bit ------------------------------------------------------------------------------------------- */

static void arrays_of_any_value(void **state) {
    (void)state;
    int64_t i[2];
    uint64_t u[3];
    fsr_c128 z[2];
    OK(fsr_read(fsr_full_of(G, FSR_I64, 1, SHAPE(2), &odd), i, sizeof i));
    assert_true(i[0] == odd && i[1] == odd);
    OK(fsr_read(fsr_full_of(G, FSR_U64, 1, SHAPE(3), &wide), u, sizeof u));
    assert_true(u[0] == wide && u[2] == wide);
    OK(fsr_read(fsr_add(fsr_full_of(G, FSR_C128, 1, SHAPE(2), &tilted), fsr_float(G, 1)), z, sizeof z));
    assert_true(z[1].re == 1.5 && z[1].im == -3);
    const uint8_t truth = 7;
    uint8_t one = 0;
    OK(fsr_read(fsr_full_of(G, FSR_BOOL, 0, NULL, &truth), &one, 1));
    assert_int_equal(one, 1);
}

static void parameters_of_any_value(void **state) {
    (void)state;
    int64_t i = 0;
    uint64_t u = 0;
    fsr_c128 z = {0, 0};
    fsr_node p = fsr_param_of(G, "i", FSR_I64, &odd), q = fsr_param_of(G, "u", FSR_U64, &wide);
    fsr_node r = fsr_param_of(G, "z", FSR_C128, &tilted);
    fsr_node next = fsr_add(p, fsr_int(G, 1)), mask = fsr_bitwise_and(q, fsr_int(G, 0xff)), turned = fsr_mul(r, r);
    OK(fsr_read(next, &i, sizeof i));
    OK(fsr_read(mask, &u, sizeof u));
    OK(fsr_read(turned, &z, sizeof z));
    assert_true(i == odd + 1 && u == (wide & 0xff) && z.re == 0.25 - 9 && z.im == -3);
    OK(fsr_param_get(p, &i, sizeof i));
    assert_true(i == odd);
    const int64_t less = -odd;
    OK(fsr_param_put(p, &less, sizeof less));
    OK(fsr_read(fsr_add(p, fsr_int(G, 1)), &i, sizeof i));
    assert_true(i == less + 1);
    OK(fsr_param_set(p, 2.9));
    OK(fsr_param_get(p, &i, sizeof i));
    assert_true(i == 2);
    OK(fsr_param_get(r, &z, sizeof z));
    assert_true(z.re == 0.5 && z.im == -3);
}

/* a * b modulo a prime near 2^61, as Montgomery's product would: here the neutral element is a number that no double
 * is. */
static void shifted_sum(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    out[0] = fsr_sub(fsr_add(left[0], right[0]), fsr_int(left[0].graph, *(const int64_t *)user));
}

static void turned_product(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    const fsr_c128 *unit = user;
    fsr_graph *g = left[0].graph;
    out[0] = fsr_div(fsr_mul(left[0], right[0]), fsr_complex(g, unit->re, unit->im));
}

/* An empty fold is the identity, and an exclusive scan begins with it. */
static void identities_of_any_value(void **state) {
    (void)state;
    int64_t offset = odd, i[3];
    fsr_operator sum = {.body = shifted_sum, .user = &offset, .arity = 1, .commutative = true, .exact = {&offset}};
    fsr_node none = fsr_from_host(G, FSR_I64, 1, SHAPE(0), NULL), some, out;
    const int64_t data[3] = {5, odd, -7};
    fsr_reduce_with(&out, &none, &sum, NULL, 0, 0);
    OK(fsr_read(out, i, sizeof *i));
    assert_true(i[0] == odd);
    some = fsr_from_host(G, FSR_I64, 1, SHAPE(3), data);
    fsr_scan_with(&out, &some, &sum, AXES(0), 1, FSR_EXCLUSIVE);
    OK(fsr_read(out, i, sizeof i));
    assert_true(i[0] == odd && i[1] == 5 && i[2] == 5);
    fsr_c128 unit = {0, 1}, z;
    fsr_operator product = {.body = turned_product, .user = &unit, .arity = 1, .commutative = true, .exact = {&unit}};
    fsr_node empty = fsr_from_host(G, FSR_C128, 1, SHAPE(0), NULL);
    fsr_reduce_with(&out, &empty, &product, NULL, 0, 0);
    OK(fsr_read(out, &z, sizeof z));
    assert_true(z.re == 0 && z.im == 1);
}

/* Without axes a scan, or a search, runs over the flat array. */
static void scans_without_axes(void **state) {
    (void)state;
    const int32_t data[2][3] = {{3, 1, 2}, {5, 4, 6}};
    fsr_node x = fsr_from_host(G, FSR_I32, 2, SHAPE(2, 3), data), flat = fsr_ravel(x);
    int64_t sums[6], wanted[6];
    int32_t most[6];
    OK(fsr_read(fsr_cumsum(x, NULL, 0, FSR_REVERSE), sums, sizeof sums));
    OK(fsr_read(fsr_cumsum(flat, AXES(0), 1, FSR_REVERSE), wanted, sizeof wanted));
    assert_memory_equal(sums, wanted, sizeof sums);
    assert_true(sums[0] == 21 && sums[5] == 6);
    OK(fsr_read(fsr_cummax(x, NULL, 7, 0), most, sizeof most));
    assert_true(most[2] == 3 && most[3] == 5 && most[5] == 6);
    int64_t offset = 0;
    fsr_operator sum = {.body = shifted_sum, .user = &offset, .arity = 1, .commutative = true};
    fsr_node longer = fsr_cast(x, FSR_I64), out;
    fsr_scan_with(&out, &longer, &sum, NULL, 0, FSR_REVERSE);
    OK(fsr_read(out, wanted, sizeof wanted));
    assert_memory_equal(sums, wanted, sizeof sums);
    OK(fsr_read(fsr_cumsum(fsr_int(G, 5), NULL, 0, 0), sums, sizeof *sums));
    assert_true(sums[0] == 5);
}

/* ---- inside of bodies -------------------------------------------------------------------------------------- */

static int64_t compilations(void) {
    fsr_stats s;
    OK(fsr_context_stats(subject_ctx, &s));
    return s.compilations + s.plans_built + s.cache_hits_disk + s.cache_hits_memory;
}

typedef struct outer {
    fsr_node rate, limit;
} outer;

static void grow(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    const outer *o = user;
    (void)arg;
    out[0] = fsr_mul(state[0], fsr_add(o->rate, fsr_float(state[0].graph, 1)));
}
static void is_small(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    const outer *o = user;
    (void)arg;
    out[0] = fsr_less(state[0], o->limit);
}

static void loops_take_parameters(void **state) {
    (void)state;
    const double first[4] = {1, 2, 5, 200};
    outer o = {fsr_param(G, "rate", FSR_F64, 1), fsr_param(G, "limit", FSR_F64, 100)};
    const fsr_loop loop = {grow, is_small, &o, 1, 0};
    fsr_node x = fsr_from_host(G, FSR_F64, 1, SHAPE(4), first);
    int64_t before = 0;
    for (int turn = 0; turn < 4; turn++) {
        const double rate = 1 + turn, limit = 100 * (turn + 1);
        fsr_node out[2];
        OK(fsr_param_set(o.rate, rate));
        OK(fsr_param_set(o.limit, limit));
        fsr_iterate(out, &loop, &x, NULL, 1000);
        double got[4];
        OK(fsr_read(out[0], got, sizeof got));
        for (int i = 0; i < 4; i++) {
            double want = first[i];
            while (want < limit)
                want *= rate + 1;
            assert_true(got[i] == want);
        }
        if (turn == 0)
            before = compilations();
    }
    /* Each of the four runs finds the one plan. */
    assert_int_equal(compilations(), before);
}

/* Other values of one point serve as well: a sum over an array, a component of a tuple, what was computed of a
 * parameter. */
static void step_towards(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    const fsr_node *outside = user;
    (void)arg;
    out[0] = fsr_sub(fsr_add(state[0], outside[0]), fsr_mul(outside[1], outside[2]));
}

static void loops_take_what_was_computed(void **state) {
    (void)state;
    fsr_node x = fsr_arange(G, FSR_F64, 6), mantissa, exponent, out[2];
    fsr_node p = fsr_param(G, "p", FSR_F64, 3);
    fsr_frexp(fsr_sum(x, NULL, 0, 0), &mantissa, &exponent);
    fsr_node outside[3] = {fsr_sum(x, NULL, 0, 0), fsr_cast(exponent, FSR_F64), fsr_mul(p, p)};
    const fsr_loop loop = {step_towards, NULL, outside, 1, 0};
    fsr_iterate(out, &loop, &x, NULL, 3);
    double got[6];
    OK(fsr_read(out[0], got, sizeof got));
    for (int i = 0; i < 6; i++)
        assert_true(got[i] == i + 3 * (15 - 4. * 9));
    subject_verify(out, 2, NULL, "a loop with values from outside");
}

/* a + b + p a b, in i64: associative and commutative in every bit, whatever p. */
static void bent(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    fsr_node p = fsr_cast(*(const fsr_node *)user, FSR_I64);
    out[0] = fsr_add(fsr_add(left[0], right[0]), fsr_mul(p, fsr_mul(left[0], right[0])));
}

static int64_t bend(int64_t p, int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a + (uint64_t)b + (uint64_t)p * ((uint64_t)a * (uint64_t)b));
}

enum { LINES = 7, LONG = 9001 };

/* The reductions and scans of LINES x LONG numbers, one kernel or several. */
static void bent_all(fsr_node x, fsr_operator *op, fsr_node *out) {
    fsr_reduce_with(&out[0], &x, op, AXES(1), 1, 0);
    fsr_reduce_with(&out[1], &x, op, AXES(0), 1, 0);
    fsr_scan_with(&out[2], &x, op, AXES(1), 1, 0);
    fsr_scan_with(&out[3], &x, op, AXES(0), 1, FSR_EXCLUSIVE);
    fsr_reduce_with(&out[4], &x, op, NULL, 0, 0);
}

static void expect_bent(int64_t p, const int64_t *x, const fsr_node *out) {
    static int64_t rows[LINES], columns[LONG], along[LINES * LONG], down[LINES * LONG];
    int64_t whole;
    OK(fsr_read(out[0], rows, sizeof rows));
    OK(fsr_read(out[1], columns, sizeof columns));
    OK(fsr_read(out[2], along, sizeof along));
    OK(fsr_read(out[3], down, sizeof down));
    OK(fsr_read(out[4], &whole, sizeof whole));
    int64_t all = 0;
    for (int r = 0; r < LINES; r++) {
        int64_t sum = 0;
        for (int c = 0; c < LONG; c++) {
            sum = bend(p, sum, x[r * LONG + c]);
            assert_true(along[r * LONG + c] == sum);
        }
        assert_true(rows[r] == sum);
        all = bend(p, all, sum);
    }
    assert_true(whole == all);
    for (int c = 0; c < LONG; c++) {
        int64_t sum = 0;
        for (int r = 0; r < LINES; r++) {
            assert_true(down[r * LONG + c] == sum);
            sum = bend(p, sum, x[r * LONG + c]);
        }
        assert_true(columns[c] == sum);
    }
}

/* A parameter in an operator's body is the same for every element; its changes compile nothing. The fast tier has each
 * dtype with an operator that commutes or with one that does not. */
static void operators_take_parameters(void **state) {
    (void)state;
    static int64_t data[LINES * LONG];
    for (int i = 0; i < LINES * LONG; i++)
        data[i] = (i * 7919) % 23 - 11;
    const fsr_dtype dtype[] = {FSR_BOOL, FSR_I8, FSR_U16, FSR_F16, FSR_BF16, FSR_F32, FSR_F64, FSR_I64};
    fsr_node x = fsr_from_host(G, FSR_I64, 2, SHAPE(LINES, LONG), data);
    for (int d = 0; d < COUNT_OF(dtype); d++)
        for (int commutative = 0; commutative < 2; commutative++) {
            if (!subject_case(0, (d + commutative) % 2 ? SUBJECT_LONG : SUBJECT_FAST))
                continue;
            fsr_node p = fsr_param(G, "p", dtype[d], 0), out[5];
            fsr_operator op = {.body = bent, .user = &p, .arity = 1, .commutative = commutative};
            int64_t before = 0;
            for (int value = 0; value < (d ? 3 : 2); value++) {
                OK(fsr_param_set(p, value));
                bent_all(x, &op, out);
                OK(fsr_compute(out, 5));
                expect_bent(value, data, out);
                before = value ? before : compilations();
            }
            assert_int_equal(compilations(), before);
        }
}

/* Tuples, several parameters, two operators that differ in a parameter alone, and the reference. */
static void decayed(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    const fsr_node *p = user;
    out[0] = fsr_add(fsr_add(left[0], right[0]), fsr_mul(p[0], fsr_mul(left[0], right[0])));
    fsr_node twice = fsr_mul(p[1], fsr_float(left[0].graph, 2)), one = fsr_sub(fsr_sub(twice, p[1]), p[1]);
    out[1] = fsr_maximum(left[1], fsr_add(right[1], fsr_mul(one, p[2])));
}

static void operators_of_several_parameters(void **state) {
    (void)state;
    fsr_node p[3] = {fsr_param(G, "p", FSR_F32, 0.001), fsr_param(G, "q", FSR_F32, 0.002)}, q[3] = {p[1], p[0]};
    p[2] = q[2] = fsr_mul(p[0], p[1]); /* computed of parameters */
    fsr_node x = subject_data(FSR_F32, 2, SHAPE(33, 500), SUBJECT_SMALL, 1), in[2] = {x, fsr_neg(x)}, out[6];
    fsr_operator op = {.body = decayed, .user = p, .arity = 2, .identity = {0, -1e30}}, other = op;
    other.user = q;
    fsr_reduce_with(out, in, &op, AXES(1), 1, 0);
    fsr_reduce_with(out + 2, in, &other, AXES(1), 1, 0);
    fsr_scan_with(out + 4, in, &op, AXES(1), 1, 0);
    subject_verify(out, 6, NULL, "operators of several parameters");
}

/* A plan runs with other values of the parameter. */
static void plans_of_operators_with_parameters(void **state) {
    (void)state;
    const int64_t data[5] = {1, 2, 3, 4, 5};
    fsr_node x = fsr_input(G, "x", FSR_I64, 1, SHAPE(5)), p = fsr_param(G, "p", FSR_I64, 0), out;
    fsr_operator op = {.body = bent, .user = &p, .arity = 1, .commutative = true};
    fsr_plan *plan;
    fsr_reduce_with(&out, &x, &op, NULL, 0, 0);
    OK(fsr_compile(&out, 1, &plan));
    for (int64_t value = 0; value < 3; value++) {
        int64_t got, want = 0;
        fsr_arg in[] = {{.name = "x", .data = (void *)data, .bytes = sizeof data},
                        {.name = "p", .data = &value, .bytes = sizeof value}};
        fsr_arg to = {.data = &got, .bytes = sizeof got};
        OK(fsr_plan_run(plan, in, 2, &to, 1, NULL));
        for (int i = 0; i < 5; i++)
            want = bend(value, want, data[i]);
        assert_true(got == want);
    }
    fsr_plan_free(plan);
}

static void bent_row(fsr_node *out, const fsr_node *in, void *user) {
    fsr_operator op = {.body = bent, .user = user, .arity = 1, .commutative = true};
    fsr_reduce_with(out, in, &op, NULL, 0, 0);
}

static void rows_of_operators_with_parameters(void **state) {
    (void)state;
    const int64_t data[2][3] = {{1, 2, 3}, {4, 5, 6}};
    fsr_node p = fsr_param(G, "p", FSR_I64, 2), x = fsr_from_host(G, FSR_I64, 2, SHAPE(2, 3), data), out;
    int64_t got[2];
    fsr_vectorize(&out, 1, &x, 1, "(n)->()", bent_row, &p);
    OK(fsr_read(out, got, sizeof got));
    for (int r = 0; r < 2; r++)
        assert_true(got[r] == bend(2, bend(2, data[r][0], data[r][1]), data[r][2]));
}

/* What a filter has put in its place is reduced before, with a parameter too. */
static void filters_before_operators_with_parameters(void **state) {
    (void)state;
    int64_t data[1000], want = 0, got;
    for (int i = 0; i < 1000; i++) {
        data[i] = i % 17 - 8;
        want = data[i] > 0 ? bend(3, want, data[i]) : want;
    }
    fsr_node p = fsr_param(G, "p", FSR_I64, 3), x = fsr_from_host(G, FSR_I64, 1, SHAPE(1000), data), out;
    fsr_node kept = fsr_filter(x, fsr_greater(x, fsr_int(G, 0)), fsr_int(G, 0));
    fsr_operator op = {.body = bent, .user = &p, .arity = 1, .commutative = true};
    fsr_reduce_with(&out, &kept, &op, NULL, 0, 0);
    OK(fsr_read(out, &got, sizeof got));
    assert_true(got == want);
}

static void scaled(fsr_node *out, const fsr_node *in, void *user) {
    out[0] = fsr_div(in[0], fsr_add(fsr_sum(in[0], NULL, 0, 0), *(const fsr_node *)user));
}

static void row_functions_take_parameters(void **state) {
    (void)state;
    const double data[2][3] = {{1, 2, 3}, {4, 5, 6}};
    fsr_node p = fsr_param(G, "p", FSR_F64, 0), x = fsr_from_host(G, FSR_F64, 2, SHAPE(2, 3), data), out;
    int64_t before = 0;
    for (int turn = 0; turn < 3; turn++) {
        OK(fsr_param_set(p, turn));
        fsr_vectorize(&out, 1, &x, 1, "(n)->(n)", scaled, &p);
        double got[2][3];
        OK(fsr_read(out, got, sizeof got));
        for (int i = 0; i < 6; i++)
            assert_true(got[i / 3][i % 3] == data[i / 3][i % 3] / ((i < 3 ? 6 : 15) + turn));
        if (turn == 0)
            before = compilations();
    }
    assert_int_equal(compilations(), before);
}

static const struct CMUnitTest tests[] = {
    SUBJECT_TEST(arrays_of_any_value),
    SUBJECT_TEST(parameters_of_any_value),
    SUBJECT_TEST(identities_of_any_value),
    SUBJECT_TEST(scans_without_axes),
    SUBJECT_TEST(loops_take_parameters),
    SUBJECT_TEST(loops_take_what_was_computed),
    SUBJECT_TEST(row_functions_take_parameters),
    SUBJECT_CASES(operators_take_parameters),
    SUBJECT_TEST(operators_of_several_parameters),
    SUBJECT_TEST(plans_of_operators_with_parameters),
    SUBJECT_TEST(rows_of_operators_with_parameters),
    SUBJECT_TEST(filters_before_operators_with_parameters),
};

SUBJECT_MAIN(tests)
