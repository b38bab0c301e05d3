/* SPDX-License-Identifier: MIT */
/* Literals that change: the first are a kernel's text, then arguments. Compilations are counted, and bits compared with
 * those of contexts that have seen one value only. */
#include "tests/support/subject.h"
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define G subject_g

/* A context of each test's own: counters begin at zero; no disk cache, so that every new source is a compilation. */
static fsr_context *ctx;

static fsr_context *fresh(void) {
    fsr_config config = subject_config();
    config.cache_dir = "";
    return subject_open(&config);
}

static int setup(void **state) {
    (void)state;
    ctx = fresh();
    G = fsr_graph_new(ctx);
    return G == NULL;
}

static int teardown(void **state) {
    (void)state;
    fsr_close(ctx);
    G = NULL;
    return 0;
}

static fsr_stats stats(void) {
    fsr_stats s;
    assert_int_equal(fsr_context_stats(ctx, &s), FSR_OK);
    return s;
}

static void ok(fsr_status status) {
    if (status)
        fail_msg("%s: %s", fsr_status_name(status), fsr_error(ctx));
}

static char *explained(fsr_node x) {
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    assert_non_null(to);
    ok(fsr_explain(&x, 1, to));
    assert_int_equal(fclose(to), 0);
    return text;
}

static void expect_words(fsr_node x, const char *words, bool there) {
    char *text = explained(x);
    if ((strstr(text, words) != NULL) != there)
        fail_msg("\"%s\" %s in:\n%s", words, there ? "is not" : "is", text);
    free(text);
}

/* ---- how often something is compiled ----------------------------------------------------------------------- */

enum { TURNS = 1000, N = 8 };

static const float ramp[N] = {1, 2, 3, 4, 5, 6, 7, 8};

typedef fsr_node (*program)(fsr_node x, int turn);

static fsr_node added(fsr_node x, int turn) {
    return fsr_add(x, fsr_float(G, turn));
}
static fsr_node multiplied(fsr_node x, int turn) {
    return fsr_mul(x, fsr_float(G, turn));
}
static fsr_node subtracted(fsr_node x, int turn) {
    return fsr_sub(fsr_float(G, turn), x);
}
static fsr_node divided(fsr_node x, int turn) {
    return fsr_div(x, fsr_float(G, turn + 1));
}
static fsr_node one_of_three(fsr_node x, int turn) {
    fsr_node y = fsr_add(fsr_mul(x, fsr_float(G, 0.25)), fsr_float(G, turn + 0.5));
    return fsr_maximum(y, fsr_float(G, -3));
}
static fsr_node folded(fsr_node x, int turn) {
    return fsr_add(x, fsr_mul(fsr_float(G, turn), fsr_float(G, 0.5)));
}
static fsr_node of_inexact(fsr_node x, int turn) {
    return fsr_mul(x, fsr_exp(fsr_float(G, turn * -0.01)));
}
static fsr_node expression(fsr_node x, int turn) {
    char text[80];
    snprintf(text, sizeof text, "x * %d.5 + sqrt(x)", turn);
    return fsr_expr(G, text, (fsr_name[]){{"x", x}}, 1);
}
static fsr_node filled(fsr_node x, int turn) {
    return fsr_add(x, fsr_full(G, FSR_F32, 1, SHAPE(N), turn));
}
static fsr_node summed(fsr_node x, int turn) {
    return fsr_sum(fsr_where(fsr_less(x, fsr_float(G, turn % 10 - 20)), x, fsr_float(G, turn)), NULL, 0, 0);
}

/* a + b + l a b */
static void bent(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    fsr_node l = fsr_float(left[0].graph, *(const double *)user);
    out[0] = fsr_add(fsr_add(left[0], right[0]), fsr_mul(l, fsr_mul(left[0], right[0])));
}
static fsr_node in_an_operator(fsr_node x, int turn) {
    double l = turn * 0.001;
    fsr_operator op = {.body = bent, .user = &l, .arity = 1, .commutative = true};
    fsr_node out;
    fsr_reduce_with(&out, &x, &op, NULL, 0, 0);
    return out;
}
static fsr_node in_an_ordered_scan(fsr_node x, int turn) {
    double l = turn * 0.001;
    fsr_operator op = {.body = bent, .user = &l, .arity = 1};
    fsr_node out;
    fsr_scan_with(&out, &x, &op, AXES(0), 1, 0);
    return out;
}
/* An exponential of a literal alone is an argument from the start. */
static void bent_by_exp(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    fsr_node l = fsr_exp(fsr_neg(fsr_float(left[0].graph, *(const double *)user)));
    out[0] = fsr_add(fsr_add(left[0], right[0]), fsr_mul(l, fsr_mul(left[0], right[0])));
}
static fsr_node in_an_exponential(fsr_node x, int turn) {
    double l = 4 + turn * 0.01;
    fsr_operator op = {.body = bent_by_exp, .user = &l, .arity = 1, .commutative = true};
    fsr_node out;
    fsr_reduce_with(&out, &x, &op, NULL, 0, 0);
    return out;
}
static void turned(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    (void)arg;
    out[0] =
        fsr_add(fsr_mul(state[0], fsr_float(state[0].graph, 0.5)), fsr_float(state[0].graph, *(const double *)user));
}
static void below(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    (void)arg;
    out[0] = fsr_less(state[0], fsr_float(state[0].graph, *(const double *)user));
}
static fsr_node in_a_loop(fsr_node x, int turn) {
    double l = turn + 2;
    fsr_node out[2];
    fsr_iterate(out, &(fsr_loop){turned, NULL, &l, 1, 0}, &x, NULL, 3);
    return out[0];
}
static fsr_node in_a_condition(fsr_node x, int turn) {
    double l = turn + 2;
    fsr_node out[2];
    fsr_iterate(out, &(fsr_loop){turned, below, &l, 1, 0}, &x, NULL, 30);
    return fsr_sum(fsr_add(out[0], out[1]), NULL, 0, 0);
}

static void turns(const char *what, program make) {
    int64_t before = stats().compilations;
    for (int i = 0; i < TURNS; ++i) {
        fsr_scope_begin(G);
        float out[N];
        fsr_node x = fsr_from_host(G, FSR_F32, 1, SHAPE(N), ramp), y = make(x, i);
        ok(fsr_read(y, out, (size_t)fsr_node_bytes(y)));
        ok(fsr_scope_end(G, NULL, 0));
    }
    int64_t compiled = stats().compilations - before;
    if (compiled > 3)
        fail_msg("%s: %lld compilations in %d turns", what, (long long)compiled, TURNS);
}

static void a_literal_that_changes_is_compiled_thrice_at_most(void **state) {
    (void)state;
#define TURN(make) turns(#make, make)
    TURN(added);
    TURN(multiplied);
    TURN(subtracted);
    TURN(divided);
    TURN(one_of_three);
    TURN(folded);
    TURN(of_inexact);
    TURN(expression);
    TURN(filled);
    TURN(summed);
    TURN(in_an_operator);
    TURN(in_an_ordered_scan);
    TURN(in_an_exponential);
    TURN(in_a_loop);
    TURN(in_a_condition);
#undef TURN
}

/* Programs that are the same after the rewrites, but read other numbers of arrays as they were recorded. */
static void families_of_other_leaves(void **state) {
    (void)state;
    for (int i = 0; i < 12; ++i) {
        float out[N];
        fsr_node x = fsr_from_host(G, FSR_F32, 1, SHAPE(N), ramp), y = fsr_from_host(G, FSR_F32, 1, SHAPE(N), ramp);
        fsr_node of = i % 4 < 2 ? fsr_where(fsr_bool(G, true), x, fsr_sqrt(y)) : x,
                 z = fsr_mul(of, fsr_float(G, i + 2));
        ok(fsr_read(z, out, sizeof out));
        assert_true(out[2] == ramp[2] * (float)(i + 2));
    }
}

/* A second literal that begins to change joins the first; the third stays. */
static void literals_join_one_by_one(void **state) {
    (void)state;
    for (int i = 0; i < 60; ++i) {
        float out[N], a = i < 20 ? 0.5f : (float)i, b = 0.25f + (float)i;
        fsr_node x = fsr_from_host(G, FSR_F32, 1, SHAPE(N), ramp);
        fsr_node y = fsr_minimum(fsr_add(fsr_mul(x, fsr_float(G, a)), fsr_float(G, b)), fsr_float(G, 1000));
        ok(fsr_read(y, out, sizeof out));
        assert_true(out[2] == 3 * a + b);
    }
    assert_int_equal(stats().compilations, 3);
    assert_int_equal(stats().plans_built, 3);
}

/* The first literals again: their own plan. */
static void the_first_values_keep_their_plan(void **state) {
    (void)state;
    float out[N];
    fsr_node x = fsr_from_host(G, FSR_F32, 1, SHAPE(N), ramp);
    for (int i = 0; i < 10; ++i) {
        ok(fsr_read(fsr_add(x, fsr_float(G, i % 2 ? 0.5 : 7)), out, sizeof out));
        assert_true(out[0] == (i % 2 ? 1.5f : 8));
    }
    assert_int_equal(stats().plans_built, 2);
    assert_int_equal(stats().plan_hits, 8);
}

/* ---- the same bits ------------------------------------------------------------------------------------------ */

enum { ELEMENTS = 5000, MOST = 24 };

/* A literal of exactly this dtype. */
static fsr_node literal(fsr_dtype dtype, double value) {
    return fsr_full(G, dtype, 0, NULL, value);
}

/* What bodies make of a literal of a dtype. */
typedef struct inside {
    fsr_dtype dtype;
    double value;
} inside;

static void bent_in(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    const inside *in = user;
    fsr_node l = literal(in->dtype, in->value);
    out[0] = fsr_add(fsr_add(left[0], right[0]), fsr_mul(l, fsr_mul(left[0], right[0])));
}
static void bent_by_exp_in(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    const inside *in = user;
    fsr_node l = fsr_exp(fsr_sub(literal(in->dtype, in->value), literal(in->dtype, 3)));
    out[0] = fsr_add(fsr_add(left[0], right[0]), fsr_mul(l, fsr_mul(left[0], right[0])));
}
static void turned_in(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    const inside *in = user;
    fsr_node l = literal(in->dtype, in->value);
    (void)arg;
    out[0] = fsr_add(fsr_mul(state[0], l), l);
    if (in->dtype >= FSR_F16)
        out[0] = fsr_sub(out[0], fsr_exp(fsr_mul(l, literal(in->dtype, 0.25))));
}

/* Reductions, a scan and a loop with a literal in their bodies. */
static int bodies_of(fsr_dtype dtype, double value, fsr_node *out) {
    inside in = {dtype, value};
    fsr_operator op = {.body = bent_in, .user = &in, .arity = 1, .commutative = true}, ordered = op, rounding = op;
    fsr_node turns[2];
    ordered.commutative = false;
    rounding.body = bent_by_exp_in;
    fsr_node x = subject_data(dtype, 2, SHAPE(10, ELEMENTS / 10), SUBJECT_SMALL, 1);
    fsr_reduce_with(&out[0], &x, &op, AXES(1), 1, 0);
    fsr_reduce_with(&out[1], &x, &ordered, AXES(0), 1, 0);
    fsr_scan_with(&out[2], &x, &op, AXES(1), 1, 0);
    fsr_iterate(turns, &(fsr_loop){turned_in, NULL, &in, 1, 0}, &x, NULL, 4);
    out[3] = turns[0];
    if (dtype < FSR_F16)
        return 4;
    fsr_reduce_with(&out[4], &x, &rounding, AXES(1), 1, 0);
    return 5;
}

/* Maps, reductions and scans with a literal on either side. Returns how many. */
static int program_of(fsr_dtype dtype, double value, fsr_node *out) {
    fsr_node x = subject_data(dtype, 1, SHAPE(ELEMENTS), SUBJECT_SMALL, 1), l = literal(dtype, value);
    bool complex = dtype == FSR_C64 || dtype == FSR_C128, real = dtype >= FSR_F16 && !complex;
    int n = 0;
    out[n++] = fsr_add(x, l);
    out[n++] = fsr_mul(l, x);
    if (dtype == FSR_BOOL)
        return n;
    out[n++] = fsr_sub(l, x);
    out[n++] = fsr_sum(fsr_mul(x, l), NULL, 0, 0);
    out[n++] = fsr_cumsum(fsr_sub(x, l), AXES(0), 1, 0);
    if (complex || real) {
        out[n++] = fsr_div(x, l);
        out[n++] = fsr_pow(complex ? l : x, complex ? x : l);
        out[n++] = fsr_mul(x, fsr_exp(l));
    }
    if (real) {
        out[n++] = fsr_where(fsr_less(x, l), fsr_mul(x, x), l);
        out[n++] = fsr_copysign(x, l);
    }
    if (!complex && !real) {
        out[n++] = fsr_floor_divide(x, l);
        out[n++] = fsr_mod(x, l);
        out[n++] = fsr_left_shift(x, l);
    }
    return n;
}

typedef int (*many)(fsr_dtype dtype, double value, fsr_node *out);

static void *bits_of(fsr_context *of, many make, fsr_dtype dtype, double value, size_t *size) {
    fsr_node out[MOST];
    fsr_graph *before = G;
    G = fsr_graph_new(of);
    int n = make(dtype, value, out);
    if (fsr_compute(out, n))
        fail_msg("%d of %g: %s", (int)dtype, value, fsr_error(of));
    *size = 0;
    for (int i = 0; i < n; ++i)
        *size += (size_t)fsr_node_bytes(out[i]);
    char *bytes = malloc(*size), *at = bytes;
    assert_non_null(bytes);
    for (int i = 0; i < n; ++i) {
        assert_int_equal(fsr_read(out[i], at, (size_t)fsr_node_bytes(out[i])), FSR_OK);
        at += fsr_node_bytes(out[i]);
    }
    fsr_graph_free(G);
    G = before;
    return bytes;
}

static void check_bits(many make, fsr_dtype dtype, const double *value, int n) {
    fsr_stats before = stats();
    for (int i = 0; i < n; ++i) {
        size_t size, other;
        void *got = bits_of(ctx, make, dtype, value[i], &size);
        fsr_context *own = i ? fresh() : NULL; /* the first value is its own specialization */
        void *want = own ? bits_of(own, make, dtype, value[i], &other) : NULL;
        if (want && (size != other || memcmp(got, want, size) != 0))
            fail_msg("dtype %d: other bits with literal %g as an argument", (int)dtype, value[i]);
        fsr_close(own);
        free(got);
        free(want);
    }
    assert_true(stats().plans_built - before.plans_built < n);
}

/* Each value is a kernel or two of a context of its own: the fast tier has every value of f32, and the first of one
 * dtype of each other class, all of whose values are the long tier's. */
static void same_bits(many make, fsr_dtype dtype, const double *value, int n) {
    enum { FIRST = 3 };
    const bool usual = dtype == FSR_C64 || dtype == FSR_I64 || dtype == FSR_BOOL;
    void *none = NULL;
    if (!subject_case(0, dtype == FSR_F32 ? SUBJECT_FAST : SUBJECT_LONG)) {
        if (!usual || !subject_case(0, SUBJECT_FAST))
            return;
        n = n < FIRST ? n : FIRST;
    }
    assert_int_equal(setup(&none), 0);
    check_bits(make, dtype, value, n);
    assert_int_equal(teardown(&none), 0);
}

static void arguments_give_the_same_bits(void **state) {
    (void)state;
    static const double reals[] = {0.7, -3.3, 0.1, -0.0, 1, INFINITY, 2}, ints[] = {3, 7, 5, 0, 1, 2},
                        bools[] = {0, 1, 0, 1};
    static const fsr_dtype real[] = {FSR_F16, FSR_BF16, FSR_F32, FSR_F64, FSR_C64},
                           integer[] = {FSR_I8, FSR_U32, FSR_I64};
    for (int i = 0; i < COUNT_OF(real); ++i)
        same_bits(program_of, real[i], reals, COUNT_OF(reals));
    for (int i = 0; i < COUNT_OF(integer); ++i)
        same_bits(program_of, integer[i], ints, COUNT_OF(ints));
    same_bits(program_of, FSR_BOOL, bools, COUNT_OF(bools));
}

static void arguments_of_bodies_give_the_same_bits(void **state) {
    (void)state;
    static const double reals[] = {0.7, -0.03, 0.1}, ints[] = {3, 7, 0};
    same_bits(bodies_of, FSR_F16, reals, COUNT_OF(reals));
    same_bits(bodies_of, FSR_F32, reals, COUNT_OF(reals));
    same_bits(bodies_of, FSR_C64, reals, COUNT_OF(reals));
    same_bits(bodies_of, FSR_I64, ints, COUNT_OF(ints));
}

static double scaled(double value) {
    double out;
    fsr_node x = fsr_from_host(G, FSR_F64, 1, SHAPE(1), &(double){-2});
    ok(fsr_read(fsr_div(x, fsr_float(G, value)), &out, sizeof out));
    return out;
}

/* Zeros keep their sign, and a NaN among numbers is one. */
static void special_values_as_arguments(void **state) {
    (void)state;
    assert_true(scaled(3) == -2.0 / 3 && scaled(4) == -0.5);
    assert_true(scaled(0.0) == -INFINITY && scaled(-0.0) == INFINITY);
    assert_true(isnan(scaled(NAN)));
    assert_true(scaled(5) == -0.4 && scaled(1) == -2 && scaled(INFINITY) == 0 && signbit(scaled(INFINITY)));
    assert_true(stats().plans_built <= 4); /* 3, an argument, NaN, 1 */
}

/* A weak literal, a literal of a dtype and an integer one are three programs. */
static void dtypes_are_no_values(void **state) {
    (void)state;
    float x = 3;
    for (int i = 0; i < 6; ++i) {
        fsr_node a = fsr_from_host(G, FSR_F32, 1, SHAPE(1), &x);
        fsr_node weak = fsr_add(a, fsr_float(G, 0.1 + i)), strong = fsr_add(a, literal(FSR_F64, 0.1 + i));
        float single;
        double twice;
        assert_true(fsr_node_dtype(weak) == FSR_F32 && fsr_node_dtype(strong) == FSR_F64);
        ok(fsr_read(weak, &single, sizeof single));
        ok(fsr_read(strong, &twice, sizeof twice));
        assert_true(single == 3 + (float)(0.1 + i) && twice == 3 + (0.1 + i));
    }
    assert_int_equal(stats().plans_built, 4);
}

/* ---- what is told ------------------------------------------------------------------------------------------- */

static void explain_names_the_arguments(void **state) {
    (void)state;
    float out[N];
    fsr_node x = fsr_from_host(G, FSR_F32, 1, SHAPE(N), ramp);
    fsr_node first = fsr_add(x, fsr_float(G, 7)), second = fsr_add(x, fsr_float(G, 9));
    expect_words(second, "an argument, not a literal", false);
    ok(fsr_read(first, out, sizeof out));
    expect_words(second, "an argument, not a literal: f32 (%1) in add (%3): it differs between plans", true);
    expect_words(second, "an argument, not a literal: f32 (%1) in add (%3): it differs between plans", true);
    expect_words(fsr_mul(x, fsr_exp(fsr_float(G, 7))), "in exp (%2): a compiler might round", true);
    ok(fsr_read(second, out, sizeof out));
    assert_true(out[0] == 10);
}

/* More than a kernel has scalar arguments for: the rest stays text, and the values are right. */
static void more_literals_than_arguments(void **state) {
    (void)state;
    enum { TERMS = 50 };
    for (int turn = 0; turn < 4; ++turn) {
        float x = 2, out;
        double want = 0;
        fsr_node sum = fsr_from_host(G, FSR_F32, 1, SHAPE(1), &x), start = sum;
        for (int i = 0; i < TERMS; ++i)
            sum = fsr_add(sum, fsr_mul(start, fsr_float(G, turn * 100 + i + 5)));
        for (int i = 0; i < TERMS; ++i)
            want += 2 * (turn * 100 + i + 5);
        if (turn == 2)
            expect_words(sum, "a literal: f32", true);
        ok(fsr_read(sum, &out, sizeof out));
        assert_true(out == (float)(want + 2));
    }
}

/* The same in a body. */
enum { INSIDE = 50 };
static void with_many(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    (void)arg;
    out[0] = state[0];
    for (int i = 0; i < INSIDE; ++i)
        out[0] = fsr_add(out[0], fsr_float(state[0].graph, *(const int *)user * 100 + i + 5));
}

static void more_literals_in_a_body_than_arguments(void **state) {
    (void)state;
    for (int turn = 0; turn < 4; ++turn) {
        float x = 2, out;
        double want = 2;
        fsr_node from = fsr_from_host(G, FSR_F32, 1, SHAPE(1), &x), y[2];
        fsr_iterate(y, &(fsr_loop){with_many, NULL, &turn, 1, 0}, &from, NULL, 2);
        for (int i = 0; i < 2 * INSIDE; ++i)
            want += turn * 100 + i % INSIDE + 5;
        if (turn == 2)
            expect_words(y[0], "a literal: f32 in the body of iterate", true);
        ok(fsr_read(y[0], &out, sizeof out));
        assert_true(out == (float)want);
    }
}

static const char *said_by(void (*body)(void)) {
    static char text[4096];
    FILE *file = tmpfile();
    fflush(stderr);
    int kept = dup(STDERR_FILENO);
    assert_true(file && kept >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
    body();
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return text;
}

static void add_one(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    (void)arg, (void)user;
    out[0] = fsr_add(state[0], fsr_float(state[0].graph, 1));
}

/* A loop's most turns are no argument, and one line says so. */
static void other_turns(void) {
    float out[N];
    fsr_node x = fsr_from_host(G, FSR_F32, 1, SHAPE(N), ramp), y[2];
    for (int i = 0; i < 20; ++i) {
        fsr_iterate(y, &(fsr_loop){add_one, NULL, NULL, 1, 0}, &x, NULL, i);
        ok(fsr_read(y[0], out, sizeof out));
        assert_true(out[1] == 2 + (float)i);
    }
}

static void changing_turns_are_told_once(void **state) {
    (void)state;
    const char *said = said_by(other_turns), *words = "16 plans differ in literals alone";
    const char *first = strstr(said, words);
    if (!first || strstr(first + 1, words))
        fail_msg("said: %s", said);
}

/* Two bodies, and a literal beside them, change one by one; each has its own argument. */
static void literals_of_two_bodies(void **state) {
    (void)state;
    for (int i = 0; i < 30; ++i) {
        double a = i < 10 ? 0.5 : i, b = i < 20 ? 0.25 : i + 0.5;
        float first, second, want[2] = {0, 0};
        fsr_node x = fsr_from_host(G, FSR_F32, 1, SHAPE(N), ramp), out[2];
        fsr_operator one = {.body = bent, .user = &a, .arity = 1, .commutative = true}, other = one;
        other.user = &b;
        fsr_reduce_with(&out[0], &x, &one, NULL, 0, 0);
        fsr_reduce_with(&out[1], &x, &other, NULL, 0, 0);
        ok(fsr_compute(out, 2));
        ok(fsr_read(out[0], &first, sizeof first));
        ok(fsr_read(out[1], &second, sizeof second));
        for (int k = 0; k < 2; ++k) {
            double sum = 0, l = k ? b : a;
            for (int c = 0; c < N; ++c)
                sum = sum + ramp[c] + l * sum * ramp[c];
            want[k] = (float)sum;
        }
        assert_true(fabsf(first - want[0]) <= 1e-5f * want[0] && fabsf(second - want[1]) <= 1e-5f * want[1]);
    }
    assert_int_equal(stats().compilations, 3);
    expect_words(in_an_operator(fsr_from_host(G, FSR_F32, 1, SHAPE(N), ramp), 7), "in the body of", false);
    float out;
    ok(fsr_read(in_an_operator(fsr_from_host(G, FSR_F32, 1, SHAPE(N), ramp), 7), &out, sizeof out));
    expect_words(in_an_operator(fsr_from_host(G, FSR_F32, 1, SHAPE(N), ramp), 8),
                 "an argument, not a literal: f32 in the body of", true);
}

/* ---- plans and threads -------------------------------------------------------------------------------------- */

/* A plan keeps the literals it was compiled with, whichever plan they are arguments of. */
static void plans_of_the_caller(void **state) {
    (void)state;
    enum { PLANS = 5 };
    fsr_plan *plan[PLANS];
    for (int i = 0; i < PLANS; ++i) {
        fsr_node x = fsr_input(G, "x", FSR_F32, 1, SHAPE(N)), y = fsr_mul(x, fsr_param(G, "p", FSR_F32, 2));
        y = fsr_add(y, fsr_float(G, 10 * i + 3));
        ok(fsr_compile(&y, 1, &plan[i]));
    }
    assert_int_equal(stats().compilations, 2);
    for (int round = 0; round < 2; ++round)
        for (int i = PLANS - 1; i >= 0; --i) {
            float x[N], out[N], p = (float)round;
            memcpy(x, ramp, sizeof x);
            fsr_arg in[] = {{.name = "x", .data = x, .bytes = sizeof x}, {.name = "p", .data = &p, .bytes = sizeof p}};
            fsr_arg to = {.data = out, .bytes = sizeof out};
            ok(fsr_plan_run(plan[i], in, 2, &to, 1, NULL));
            assert_true(out[4] == 5 * p + 10 * (float)i + 3);
        }
    for (int i = 0; i < PLANS; ++i)
        fsr_plan_free(plan[i]);
}

enum { THREADS = 6 };

typedef struct worker {
    pthread_t thread;
    pthread_barrier_t *start;
    int number;
    bool good;
} worker;

/* The same programs at once: first one literal for all, then each thread its own. */
static void *work(void *arg) {
    worker *w = arg;
    fsr_graph *g = fsr_graph_new(ctx);
    w->good = g != NULL;
    for (int i = 0; w->good && i < 2; ++i) {
        float out[N];
        double value = i ? 100 + w->number : 50;
        fsr_node x = fsr_from_host(g, FSR_F32, 1, SHAPE(N), ramp);
        fsr_node y = fsr_add(fsr_exp2(x), fsr_float(g, value));
        pthread_barrier_wait(w->start);
        w->good = fsr_read(y, out, sizeof out) == FSR_OK && out[0] == 2 + (float)value && out[2] == 8 + (float)value;
    }
    fsr_graph_free(g);
    return NULL;
}

static void threads_compile_a_plan_once(void **state) {
    (void)state;
    worker w[THREADS];
    pthread_barrier_t start;
    assert_int_equal(pthread_barrier_init(&start, NULL, THREADS), 0);
    for (int i = 0; i < THREADS; ++i) {
        w[i] = (worker){.start = &start, .number = i};
        assert_int_equal(pthread_create(&w[i].thread, NULL, work, &w[i]), 0);
    }
    for (int i = 0; i < THREADS; ++i)
        assert_int_equal(pthread_join(w[i].thread, NULL), 0);
    for (int i = 0; i < THREADS; ++i)
        assert_true(w[i].good);
    pthread_barrier_destroy(&start);
    assert_int_equal(stats().compilations, 2);
    assert_int_equal(stats().plans_built, 2);
    assert_int_equal(stats().plan_hits, 2 * THREADS - 2);
}

/* Rows and columns at a place that is a literal, and at places made of one: every run has its own, which no plan of
 * another's takes for its text. */
static void each_run_takes_at_its_place(void **state) {
    (void)state;
    enum { ROWS = 5, COLS = 4 };
    float x[ROWS * COLS];
    for (int k = 0; k < ROWS * COLS; k++)
        x[k] = (float)k;
    for (int way = 0; way < 4; way++)
        for (int i = 0; i < ROWS; i++) {
            fsr_node a = fsr_from_host(G, FSR_F32, 2, (int64_t[]){ROWS, COLS}, x), place = fsr_int(G, i);
            fsr_node at = way < 2    ? place
                          : way == 2 ? fsr_add(fsr_arange(G, FSR_I64, 3), place)
                                     : fsr_mul(fsr_arange(G, FSR_I64, 3), place);
            fsr_node y = fsr_take(way == 1 ? fsr_transpose(a, NULL) : a, at, way == 1,
                                  way < 2 ? FSR_INDEX_RAISE : FSR_INDEX_CLIP);
            y = fsr_add(y, fsr_float(G, 0.5));
            float *got = subject_read(y);
            for (int k = 0; k < (way < 2 ? COLS : 3 * COLS); k++) {
                const int row = way < 2 ? i : way == 2 ? k / COLS + i : k / COLS * i;
                assert_float_equal(got[k], x[(row < ROWS ? row : ROWS - 1) * COLS + k % COLS] + 0.5F, 0);
            }
            free(got);
        }
}

static fsr_node sums_over_pairs(fsr_node p, double exponent) {
    const fsr_name name[] = {{"p", p}, {"e", fsr_float(G, exponent)}};
    return fsr_expr(G,
                    "d = p[newaxis, :, :] - p[:, newaxis, :]; r = sum(d * d, 2) + 0.01; w = r**-e;"
                    "sum(d * w[:, :, newaxis], 1)",
                    name, 2);
}

/* A literal in sums of all places of a short dimension, of which a GPU's point does several: each has sums of its own.
 * Counter-example to the group's list of folds for the kernel's: of three places two were read behind its end. */
static void sums_of_places(void **state) {
    (void)state;
    const fsr_node p = subject_data(FSR_F32, 2, SHAPE(70, 3), SUBJECT_SMALL, 0);
    const fsr_node all = sums_over_pairs(fsr_input(G, "p", FSR_F32, 2, SHAPE(2048, 3)), 1.5);
    fsr_plan *plan;
    for (int i = 0; i < 3; i++) {
        const fsr_node y = sums_over_pairs(p, 0.25 + i);
        subject_verify(&y, 1, NULL, "literal %d", i);
    }
    subject_ok(fsr_compile(&all, 1, &plan), "many points");
    fsr_plan_free(plan);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
static const struct CMUnitTest tests[] = {
    TEST(a_literal_that_changes_is_compiled_thrice_at_most),
    TEST(literals_join_one_by_one),
    TEST(families_of_other_leaves),
    TEST(the_first_values_keep_their_plan),
    SUBJECT_OWN_CASES(arguments_give_the_same_bits),
    SUBJECT_OWN_CASES(arguments_of_bodies_give_the_same_bits),
    TEST(special_values_as_arguments),
    TEST(dtypes_are_no_values),
    TEST(explain_names_the_arguments),
    TEST(more_literals_than_arguments),
    TEST(more_literals_in_a_body_than_arguments),
    TEST(changing_turns_are_told_once),
    TEST(literals_of_two_bodies),
    TEST(plans_of_the_caller),
    TEST(each_run_takes_at_its_place),
    TEST(sums_of_places),
    TEST(threads_compile_a_plan_once),
};
SUBJECT_MAIN(tests)
