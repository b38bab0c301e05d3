/* SPDX-License-Identifier: MIT */
/* The reference backend computes every program, also where it knows no bound of what it computes: its values are those
 * of the CPU backend wherever no rounding lies between them. Each test makes operands that the reference cannot know to
 * the last bit (results of elementary functions) and that yet have only one value, and goes on from there. */
#include "graph/ops.h"
#include "primitives/primitives.h"
#include "tests/support/recurrence.h"
#include "tests/support/subject.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What both backends make of one program. */
typedef struct both {
    fsr_context *ctx[2];
    fsr_graph *g[2];
} both;

static int open_both(void **state) {
    both *b = calloc(1, sizeof *b);
    fsr_config config = subject_config();
    b->ctx[0] = subject_ctx;
    config.backend = FSR_BACKEND_REFERENCE;
    b->ctx[1] = subject_open(&config);
    for (int i = 0; i < 2; ++i)
        b->g[i] = fsr_graph_new(b->ctx[i]);
    *state = b;
    return 0;
}

static int close_both(void **state) {
    both *b = *state;
    for (int i = 0; i < 2; ++i)
        fsr_graph_free(b->g[i]);
    fsr_close(b->ctx[1]);
    free(b);
    return 0;
}
#define BOTH_TEST(function) cmocka_unit_test_setup_teardown(function, open_both, close_both)

static void read_node(fsr_context *ctx, fsr_node x, void *to, const char *what) {
    fsr_status status = fsr_read(x, to, (size_t)fsr_node_bytes(x));
    if (status)
        fail_msg("%s: %s: %s", what, fsr_status_name(status), fsr_error(ctx));
}

/* A node of either graph has the same values, NaN for NaN; what rounds may differ by `ulps` units in the last place. */
static void compare(both *b, const fsr_node *x, double ulps, const char *what) {
    const fsr_dtype dtype = fsr_node_dtype(x[0]);
    const int64_t n = fsr_node_size(x[0]);
    void *data[2];
    for (int i = 0; i < 2; ++i) {
        data[i] = malloc((size_t)fsr_node_bytes(x[i]) + 1);
        read_node(b->ctx[i], x[i], data[i], what);
    }
    for (int64_t i = 0; i < n; ++i) {
        fsr_c128 cpu = fsr_value_to_complex(dtype, fsr_value_load(dtype, data[0], i));
        fsr_c128 ref = fsr_value_to_complex(dtype, fsr_value_load(dtype, data[1], i));
        double unit = ulps * ldexp(fmax(fabs(cpu.re), fabs(cpu.im)), 1 - fsr_dtype_digits(dtype));
        bool re = cpu.re == ref.re || (isnan(cpu.re) && isnan(ref.re)) || fabs(cpu.re - ref.re) <= unit;
        bool im = cpu.im == ref.im || (isnan(cpu.im) && isnan(ref.im)) || fabs(cpu.im - ref.im) <= unit;
        if (!re || !im)
            fail_msg("%s of %s, element %lld: the reference has %.17g%+.17gj, the CPU %.17g%+.17gj", what,
                     fsr_dtype_name(dtype), (long long)i, ref.re, ref.im, cpu.re, cpu.im);
    }
    subject_count("values compared", n);
    free(data[0]), free(data[1]);
}

/* ---- the calls that gave 0 --------------------------------------------------------------------------------- */

static void expect(both *b, fsr_node x, const char *what, double re, double im) {
    fsr_value value = {.bits = 0};
    read_node(b->ctx[1], x, &value, what);
    fsr_c128 got = fsr_value_to_complex(fsr_node_dtype(x), value);
    if (!(got.re == re || (isnan(re) && isnan(got.re))) || got.im != im)
        fail_msg("%s: %.17g%+.17gj, not %.17g%+.17gj", what, got.re, got.im, re, im);
}

static void single_calls(void **state) {
    both *b = *state;
    fsr_graph *g = b->g[1];
    fsr_node zero = fsr_sin(fsr_full(g, FSR_F64, 0, NULL, 0)), one = fsr_exp(zero);
    fsr_node inf = fsr_full(g, FSR_F32, 0, NULL, HUGE_VAL), large = fsr_exp(fsr_full(g, FSR_F32, 0, NULL, 88.72284));
    expect(b, fsr_log(fsr_cast(inf, FSR_C64)), "log(inf+0j)", HUGE_VAL, 0);
    expect(b, fsr_exp(fsr_cast(fsr_neg(inf), FSR_C64)), "exp(-inf+0j)", 0, 0);
    expect(b, fsr_reciprocal(zero), "reciprocal(sin 0)", HUGE_VAL, 0);
    expect(b, fsr_div(one, zero), "1 / sin 0", HUGE_VAL, 0);
    expect(b, fsr_div(zero, zero), "sin 0 / sin 0", NAN, 0);
    expect(b, fsr_log(fsr_neg(zero)), "log(-sin 0)", -HUGE_VAL, 0);
    expect(b, fsr_pow(fsr_neg(one), fsr_full(g, FSR_F64, 0, NULL, 0.5)), "pow(-exp 0, 0.5)", NAN, 0);
    expect(b, fsr_frexp_mantissa(one), "frexp(exp 0)", 0.5, 0);
    expect(b, fsr_frexp_exponent(one), "frexp(exp 0)", 1, 0);
    expect(b, fsr_mod(fsr_mul(one, fsr_float(g, 6)), fsr_full(g, FSR_F64, 0, NULL, 3)), "6 exp 0 mod 3", 0, 0);
    expect(b, fsr_mul(large, fsr_float(g, 2)), "2 exp 88.7", HUGE_VAL, 0);
    expect(b, fsr_greater_equal(zero, fsr_float(g, 0)), "sin 0 >= 0", 1, 0);
    expect(b, fsr_equal(one, fsr_float(g, 1)), "exp 0 == 1", 1, 0);
    expect(b, fsr_isnan(fsr_div(zero, zero)), "isnan(sin 0 / sin 0)", 1, 0);
    expect(b, fsr_bitwise_and(fsr_cast(fsr_mul(one, fsr_float(g, 7)), FSR_I32), fsr_int(g, 5)), "7 exp 0 & 5", 5, 0);
    expect(b, fsr_where(fsr_equal(one, fsr_float(g, 1)), fsr_float(g, 3), fsr_float(g, 4)), "where", 3, 0);
}

/* ---- every operation on computed zeros, ones, infinities and NaN ---------------------------------------------- */

static const double specials[] = {0.0, -0.0, HUGE_VAL, -HUGE_VAL, NAN};
enum { SPECIALS = sizeof specials / sizeof *specials, PAIRS = SPECIALS * SPECIALS };

/* sinh of zeros, infinities and NaN is each itself; of whole and half numbers a sum of exp(0) is. */
static fsr_node computed(fsr_graph *g, fsr_dtype dtype, int operand) {
    double x[PAIRS + 4] = {0};
    const double near[] = {1, -1, 2.5, -3}, far[] = {3, 2, -0.5, 1};
    for (int i = 0; i < PAIRS; ++i)
        x[i] = specials[operand == 0 ? i % SPECIALS : operand == 1 ? i / SPECIALS : (i + 1) % SPECIALS];
    fsr_node zero = fsr_sinh(fsr_cast(fsr_from_host(g, FSR_F64, 1, SHAPE(PAIRS + 4), x), dtype));
    double add[PAIRS + 4];
    for (int i = 0; i < PAIRS; ++i)
        add[i] = -0.0;
    memcpy(add + PAIRS, operand == 1 ? far : near, sizeof near);
    return fsr_add(zero, fsr_cast(fsr_from_host(g, FSR_F64, 1, SHAPE(PAIRS + 4), add), dtype));
}

/* The fast tier has the narrow and the wide arithmetic once each. */
static void every_operation(void **state) {
    both *b = *state;
    static const fsr_dtype dtypes[] = {FSR_F16, FSR_BF16, FSR_F32, FSR_F64};
    for (int d = 0; d < COUNT_OF(dtypes); ++d) {
        if (!subject_case(0, dtypes[d] == FSR_F16 || dtypes[d] == FSR_F64 ? SUBJECT_FAST : SUBJECT_LONG))
            continue;
        fsr_node out[2][FSR_OP_COUNT];
        fsr_op op[FSR_OP_COUNT];
        int n = 0;
        for (int i = 0; i < 2; ++i) {
            fsr_node arg[3];
            for (int k = 0; k < 3; ++k)
                arg[k] = computed(b->g[i], dtypes[d], k);
            n = 0;
            for (int o = 0; o < FSR_OP_COUNT; ++o) {
                const fsr_op_info *info = fsr_op_get((fsr_op)o);
                if (info->rule == FSR_RULE_CAST || info->rule == FSR_RULE_COMPLEX || o == FSR_OP_SIGNBIT)
                    continue; /* the sign of a NaN is anyone's */
                fsr_node given[3] = {arg[0], arg[1], arg[2]};
                if (info->rule == FSR_RULE_SCALE)
                    given[1] = fsr_cast(arg[1], FSR_I32);
                fsr_node x = fsr_map(FSR_HERE, (fsr_op)o, given, info->arity);
                if (fsr_node_status(x) == FSR_ERR_DTYPE)
                    continue;
                op[n] = (fsr_op)o;
                out[i][n++] = x;
            }
            assert_int_equal(fsr_compute(out[i], n), FSR_OK);
        }
        assert_true(n > 60);
        for (int k = 0; k < n; ++k)
            compare(b, (fsr_node[]){out[0][k], out[1][k]}, fsr_op_get(op[k])->ulp + 1, fsr_op_get(op[k])->name);
    }
}

/* ---- what is made of them --------------------------------------------------------------------------------------- */

static void to_zero(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    (void)user, (void)arg;
    out[0] = fsr_sub(state[0], fsr_exp(fsr_mul(state[0], fsr_float(state[0].graph, 0))));
}

static void is_positive(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    (void)user, (void)arg;
    out[0] = fsr_greater(state[0], fsr_float(state[0].graph, 0));
}

/* Programs of a computed array of whole numbers and of others; out[] receives at most 16 results. */
static int programs(fsr_graph *g, fsr_node *out) {
    enum { N = 1000 };
    double x[N];
    for (int i = 0; i < N; ++i)
        x[i] = (i * 7 + i / 11) % 13 - 6;
    fsr_node one = fsr_exp(fsr_mul(fsr_from_host(g, FSR_F64, 1, SHAPE(N), x), fsr_float(g, 0)));
    fsr_node y = fsr_mul(fsr_from_host(g, FSR_F64, 1, SHAPE(N), x), one), pair[2], loop_out[2];
    fsr_node sign = fsr_sub(fsr_mod(y, fsr_float(g, 3)), one);
    int n = 0;
    fsr_scan_with(pair, (fsr_node[]){sign, y}, &linear_recurrence, AXES(0), 1, 0);
    out[n++] = pair[0];
    out[n++] = pair[1];
    fsr_reduce_with(pair, (fsr_node[]){sign, y}, &linear_recurrence, NULL, 0, 0);
    out[n++] = pair[1];
    out[n++] = fsr_sum(y, NULL, 0, 0);
    out[n++] = fsr_prod(fsr_maximum(sign, fsr_float(g, -1)), NULL, 0, 0);
    out[n++] = fsr_cumsum(y, AXES(0), 1, FSR_REVERSE | FSR_EXCLUSIVE);
    out[n++] = fsr_cummax(y, AXES(0), 1, 0);
    out[n++] = fsr_argmax(y, NULL, 0, 0);
    out[n++] = fsr_count_nonzero(y, NULL, 0, 0);
    out[n++] = fsr_filter(y, fsr_greater(sign, fsr_float(g, 0)), fsr_float(g, -1));
    out[n++] = fsr_concat((fsr_node[]){y, fsr_floor(fsr_div(y, fsr_float(g, 3)))}, 2, 0);
    fsr_loop loop = {.body = to_zero, .condition = is_positive, .nstate = 1};
    fsr_iterate(loop_out, &loop, &y, NULL, 10);
    out[n++] = loop_out[0];
    out[n++] = loop_out[1];
    return n;
}

static void made_of_computed_values(void **state) {
    both *b = *state;
    fsr_node out[2][16];
    int n = 0;
    for (int i = 0; i < 2; ++i) {
        n = programs(b->g[i], out[i]);
        assert_int_equal(fsr_compute(out[i], n), FSR_OK);
    }
    for (int k = 0; k < n; ++k) {
        char what[32];
        snprintf(what, sizeof what, "program %d", k);
        compare(b, (fsr_node[]){out[0][k], out[1][k]}, 0, what);
    }
}

/* ---- what verify says of them ------------------------------------------------------------------------------------ */

/* Elements without a bound are counted, and here the CPU has the reference's values. */
/* A sum that is computed after what was computed of it, by a kernel that adds in another order: the sum is not what the
 * other was made of, and each is right. */
static void computed_afterwards(void **state) {
    (void)state;
    int apart = 0;
    for (int64_t n = 600; n < 700; n += 10) {
        fsr_node x = subject_data(FSR_F32, 1, SHAPE(n), SUBJECT_SMALL, (int)n), sum = fsr_sum(x, NULL, 0, 0);
        fsr_node less = fsr_neg(sum), out[] = {sum, fsr_cumsum(x, AXES(0), 1, 0)};
        float a, b;
        OK(fsr_force(less));
        OK(fsr_compute(out, 2));
        OK(fsr_read(less, &a, sizeof a));
        OK(fsr_read(sum, &b, sizeof b));
        apart += a != -b;
        OK(fsr_verify(&less, 1, NULL));
        OK(fsr_verify(&sum, 1, NULL));
    }
    assert_true(apart > 0);
}

static void unknown_is_counted(void **state) {
    (void)state;
    fsr_node zero = fsr_sin(fsr_full(subject_g, FSR_F64, 1, SHAPE(10), 0)), y = fsr_reciprocal(zero);
    fsr_verify_report report;
    OK(fsr_verify(&y, 1, &report));
    assert_true(report.checked == 10 && report.unknown == 10 && report.apart == 0);
}

/* The guide's recurrence, and one over -1, 0 and 1: nothing is unknown. */
static void recurrences_are_known(void **state) {
    (void)state;
    enum { N = 100000 };
    fsr_node b = fsr_sin(fsr_arange(subject_g, FSR_F32, N)), whole[2], tail[2];
    fsr_node a = fsr_full(subject_g, FSR_F32, 1, SHAPE(N), 0.9);
    fsr_node sign =
        fsr_sub(fsr_mod(fsr_arange(subject_g, FSR_F32, N), fsr_float(subject_g, 3)), fsr_float(subject_g, 1));
    fsr_verify_report report;
    fsr_scan_with(whole, (fsr_node[]){a, b}, &linear_recurrence, AXES(0), 1, 0);
    OK(fsr_verify(whole, 2, &report));
    assert_true(report.checked == 2 * N && report.unknown == 0 && report.worst < 1);
    fsr_scan_with(whole, (fsr_node[]){sign, sign}, &linear_recurrence, AXES(0), 1, 0);
    fsr_reduce_with(tail, (fsr_node[]){sign, sign}, &linear_recurrence, NULL, 0, 0);
    OK(fsr_verify(whole, 2, &report));
    assert_true(report.unknown == 0 && report.worst == 0);
    OK(fsr_verify(tail, 2, &report));
    assert_true(report.unknown == 0 && report.worst == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        BOTH_TEST(single_calls),           BOTH_TEST(every_operation),       BOTH_TEST(made_of_computed_values),
        SUBJECT_TEST(computed_afterwards), SUBJECT_TEST(unknown_is_counted), SUBJECT_TEST(recurrences_are_known),
    };
    if (!subject_take_part())
        return 1;
    int status = subject_begin(SUBJECT_BACKEND, COUNT_OF(tests));
    if (status)
        return status;
    return subject_end(cmocka_run_group_tests(tests, NULL, NULL));
}
