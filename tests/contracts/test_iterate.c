/* SPDX-License-Identifier: MIT */
/* Loops for each element: NumPy's loops with masks, every dtype, every place of a plan, the same bits fused and
 * unfused. */
#include "tests/support/subject.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define F(x) fsr_float(state[0].graph, x)
#define I(x) fsr_int(state[0].graph, x)
#define UNUSED (void)arg, (void)user

/* ---- loops --------------------------------------------------------------------------------------------- */

static void inside(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    UNUSED;
    out[0] = fsr_less_equal(fsr_add(fsr_mul(state[0], state[0]), fsr_mul(state[1], state[1])), F(4));
}
static void square_and_add(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    (void)user;
    out[0] = fsr_add(fsr_sub(fsr_mul(state[0], state[0]), fsr_mul(state[1], state[1])), arg[0]);
    out[1] = fsr_add(fsr_mul(fsr_mul(state[0], state[1]), F(2)), arg[1]);
}
static const fsr_loop mandelbrot = {square_and_add, inside, NULL, 2, 2};

static void falls(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    UNUSED;
    out[0] = fsr_less(state[0], state[1]);
}
static void newton_step(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    (void)user;
    out[0] = fsr_mul(fsr_add(state[0], fsr_div(arg[0], state[0])), F(0.5));
    out[1] = state[0];
}
static const fsr_loop newton = {newton_step, falls, NULL, 2, 1};

static void not_one(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    UNUSED;
    out[0] = fsr_not_equal(state[0], I(1));
}
static void collatz_step(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    UNUSED;
    fsr_node even = fsr_equal(fsr_mod(state[0], I(2)), I(0));
    out[0] = fsr_where(even, fsr_floor_divide(state[0], I(2)), fsr_add(fsr_mul(state[0], I(3)), I(1)));
}
static const fsr_loop collatz = {collatz_step, not_one, NULL, 1, 0};

static void time_step(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    (void)user;
    out[0] = fsr_add(state[0], fsr_mul(state[1], arg[0]));
    out[1] = fsr_sub(state[1], fsr_mul(state[0], arg[0]));
}
static const fsr_loop pendulum = {time_step, NULL, NULL, 2, 1};

/* (a, b) -> (b, a): no component may be overwritten before the other has read it. */
static void swap(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    UNUSED;
    out[0] = state[1];
    out[1] = state[0];
}
static void differ(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    UNUSED;
    out[0] = fsr_not_equal(state[0], state[1]);
}
static const fsr_loop swapping = {swap, differ, NULL, 2, 0};

static void halve(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    UNUSED;
    out[0] = fsr_mul(state[0], F(0.5));
}
static void above(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    (void)user;
    out[0] = fsr_greater(state[0], arg[0]);
}
static const fsr_loop halving = {halve, above, NULL, 1, 1};

/* ---- helpers ------------------------------------------------------------------------------------------- */

static fsr_node axis_values(fsr_dtype dtype, int64_t n, double step, double first) {
    fsr_node i = fsr_arange(subject_g, dtype, n);
    return fsr_add(fsr_mul(i, fsr_float(subject_g, step)), fsr_float(subject_g, first));
}

static fsr_node zero(fsr_dtype dtype) {
    return fsr_full(subject_g, dtype, 0, NULL, 0);
}

/* A context whose plans fuse nothing, and what `build` gives there. */
static void same_unfused(void (*build)(fsr_graph *g, fsr_node *out), int nout) {
    fsr_config config = subject_config();
    config.fusion = 0;
    fsr_context *ctx = subject_open(&config);
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node fused[8], plain[8];
    build(subject_g, fused);
    build(g, plain);
    OK(fsr_compute(fused, nout));
    if (fsr_compute(plain, nout))
        fail_msg("unfused: %s", fsr_error(ctx));
    for (int i = 0; i < nout; i++) {
        size_t bytes = (size_t)fsr_node_bytes(fused[i]);
        char *a = malloc(bytes + 1), *b = malloc(bytes + 1);
        OK(fsr_read(fused[i], a, bytes));
        assert_int_equal(fsr_read(plain[i], b, bytes), FSR_OK);
        if (memcmp(a, b, bytes) != 0)
            fail_msg("result %d: other bits unfused", i);
        free(a);
        free(b);
    }
    subject_count("results fused as unfused", nout);
    fsr_close(ctx);
}

static void check_elements(const char *name, const char *dtype, int nout, fsr_node *out) {
    FILE *f = fopen("tests/numpy/iterate.txt", "r");
    char line[256], want[256];
    void *data[8];
    int64_t rows = 0;
    assert_non_null(f);
    for (int k = 0; k < nout; k++)
        data[k] = subject_read(out[k]);
    while (fgets(line, sizeof line, f)) {
        char head[64];
        int n = snprintf(head, sizeof head, "%s %s %" PRId64, name, dtype, rows);
        if (strncmp(line, head, (size_t)n) != 0 || line[n] != ' ')
            continue;
        for (int k = 0; k < nout; k++) {
            fsr_dtype of = fsr_node_dtype(out[k]);
            if (of == FSR_F32)
                n += snprintf(want + n, sizeof want - (size_t)n, " %" PRIx32, ((uint32_t *)data[k])[rows]);
            else if (of == FSR_F64)
                n += snprintf(want + n, sizeof want - (size_t)n, " %" PRIx64, ((uint64_t *)data[k])[rows]);
            else
                n += snprintf(want + n, sizeof want - (size_t)n, " %.0f", subject_value(out[k], rows));
        }
        memcpy(want, head, strlen(head));
        line[strcspn(line, "\n")] = 0;
        assert_string_equal(want, line);
        rows++;
    }
    assert_int_equal(rows, fsr_node_bytes(out[nout - 1]) / 4);
    subject_count("elements as NumPy's", rows);
    for (int k = 0; k < nout; k++)
        free(data[k]);
    fclose(f);
}

/* ---- tests --------------------------------------------------------------------------------------------- */

static void as_numpy(void **state) {
    (void)state;
    for (int wide = 0; wide < 2; wide++) {
        fsr_dtype t = wide ? FSR_F64 : FSR_F32;
        const char *name = wide ? "float64" : "float32";
        fsr_node out[9];
        fsr_node re = axis_values(t, 37, 0.0625, -1.75), im = fsr_expand(axis_values(t, 9, 0.125, -0.3), 1);
        fsr_node a = fsr_mul(fsr_add(fsr_arange(subject_g, t, 40), fsr_int(subject_g, 1)), fsr_float(subject_g, 0.37));
        fsr_node x = fsr_mul(fsr_arange(subject_g, t, 33), fsr_float(subject_g, 0.1));
        fsr_iterate(out, &mandelbrot, (fsr_node[]){zero(t), zero(t)}, (fsr_node[]){re, im}, 60);
        fsr_node one = fsr_int(subject_g, 1), two = fsr_int(subject_g, 2);
        fsr_iterate(out + 3, &newton, (fsr_node[]){fsr_add(a, one), fsr_add(a, two)}, &a, 50);
        fsr_node h = fsr_full(subject_g, t, 0, NULL, 0.01);
        fsr_iterate(out + 6, &pendulum, (fsr_node[]){x, zero(t)}, &h, 100);
        OK(fsr_compute(out, 9));
        check_elements("mandelbrot", name, 3, out);
        check_elements("newton", name, 3, out + 3);
        check_elements("pendulum", name, 3, out + 6);
    }
    fsr_node out[2], from = fsr_add(fsr_arange(subject_g, FSR_I64, 59), fsr_int(subject_g, 1));
    fsr_iterate(out, &collatz, &from, NULL, 200);
    OK(fsr_compute(out, 2));
    check_elements("collatz", "int64", 2, out);
}

static void of_no_turns(void **state) {
    (void)state;
    fsr_node x = subject_data(FSR_F32, 2, SHAPE(5, 7), SUBJECT_SMALL, 0), big = fsr_float(subject_g, 1e30), out[4];
    fsr_iterate(out, &halving, &x, &big, 10);
    fsr_iterate(out + 2, &halving, &x, (fsr_node[]){fsr_float(subject_g, -1)}, 0);
    void *want = subject_read(x), *never = subject_read(out[0]), *none = subject_read(out[2]);
    assert_memory_equal(want, never, 5 * 7 * 4);
    assert_memory_equal(want, none, 5 * 7 * 4);
    for (int i = 0; i < 35; i++)
        assert_true(subject_value(out[1], i) == 0 && subject_value(out[3], i) == 0);
    free(want);
    free(never);
    free(none);
}

static void of_no_elements(void **state) {
    (void)state;
    fsr_node x = subject_data(FSR_F32, 2, SHAPE(0, 7), SUBJECT_SMALL, 0), one = fsr_float(subject_g, 1), out[2];
    fsr_iterate(out, &halving, &x, &one, 10);
    assert_int_equal(fsr_node_bytes(out[1]), 0);
    OK(fsr_compute(out, 2));
    x = fsr_full(subject_g, FSR_F64, 0, NULL, 100);
    fsr_iterate(out, &halving, &x, &one, 100);
    assert_true(subject_value(out[0], 0) == 0.78125 && subject_value(out[1], 0) == 7);
}

static void swapped_states(void **state) {
    (void)state;
    fsr_node a = fsr_arange(subject_g, FSR_I32, 100), b = fsr_full(subject_g, FSR_I32, 0, NULL, 7), out[3];
    fsr_iterate(out, &swapping, (fsr_node[]){a, b}, NULL, 3);
    for (int i = 0; i < 100; i++) {
        assert_true(subject_value(out[0], i) == 7);
        assert_true(subject_value(out[1], i) == i);
        assert_true(subject_value(out[2], i) == (i == 7 ? 0 : 3));
    }
}

/* Sizes around lanes and strips, operands with strides, broadcast and mirrored. */
static void sizes_and_strides(void **state) {
    (void)state;
    static const int64_t sizes[] = {1, 15, 16, 17, 31, 33, 257, 511, 512, 513, 1100};
    for (int i = 0; i < COUNT_OF(sizes); i++) {
        int64_t n = sizes[i];
        fsr_node x = subject_data(FSR_F32, 2, SHAPE(3, n), SUBJECT_SMALL, 0), out[6];
        fsr_node t = fsr_transpose(subject_data(FSR_F32, 2, SHAPE(n, 3), SUBJECT_SMALL, 1), NULL);
        fsr_iterate(out, &mandelbrot, (fsr_node[]){zero(FSR_F32), t}, (fsr_node[]){x, fsr_flip(x, 1)}, 20);
        fsr_iterate(out + 3, &mandelbrot, (fsr_node[]){x, zero(FSR_F32)},
                    (fsr_node[]){fsr_full(subject_g, FSR_F32, 0, NULL, 0.25),
                                 subject_data(FSR_F32, 1, SHAPE(n), SUBJECT_SMALL, 2)},
                    20);
        for (int k = 3; k < 6; k++)
            out[k] = fsr_cast(out[k], FSR_F64);
        subject_verify(out, 6, NULL, "%lld columns", (long long)n);
    }
}

static void step_of_any(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    (void)user;
    out[0] = fsr_maximum(fsr_add(state[0], arg[0]), arg[1]);
}
static void step_of_complex(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    (void)user;
    out[0] = fsr_add(fsr_mul(state[0], arg[1]), arg[0]);
}
static void step_of_bool(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    (void)user;
    out[0] = fsr_logical_xor(fsr_logical_or(state[0], arg[0]), arg[1]);
}
static void other_than(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    (void)user;
    out[0] = fsr_not_equal(state[0], arg[1]);
}

/* Every dtype as a state, beside one of another width. */
static void of_every_dtype(void **state) {
    (void)state;
    for (int d = 0; d < FSR_DTYPE_COUNT; d++) {
        fsr_dtype t = (fsr_dtype)d;
        bool complex = t == FSR_C64 || t == FSR_C128;
        fsr_loop loop = {t == FSR_BOOL ? step_of_bool
                         : complex     ? step_of_complex
                                       : step_of_any,
                         other_than, NULL, 1, 2};
        fsr_node x = subject_data(t, 1, SHAPE(300), SUBJECT_SMALL, 0), out[2];
        fsr_node arg[] = {subject_data(t, 1, SHAPE(300), SUBJECT_SMALL, 1),
                          subject_data(t, 1, SHAPE(300), SUBJECT_SMALL, 2)};
        fsr_iterate(out, &loop, &x, arg, 5);
        subject_verify(out, 2, NULL, "state of %s", fsr_dtype_name(t));
    }
}

static void many_step(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    int n = *(int *)user;
    for (int i = 0; i < n; i++)
        out[i] = fsr_add(fsr_mul(state[(i + 1) % n], arg[i]), arg[16 - n]);
}

/* As many states and arguments as there may be, of several dtypes. */
static void of_many_states(void **state) {
    (void)state;
    int n = FSR_MAX_STATE, narg = FSR_MAX_LOOP_OPERANDS - FSR_MAX_STATE;
    fsr_loop loop = {many_step, NULL, &n, n, narg};
    fsr_node x[FSR_MAX_STATE], arg[FSR_MAX_LOOP_OPERANDS], out[FSR_MAX_STATE + 1];
    for (int i = 0; i < n; i++)
        x[i] = subject_data(FSR_F64, 1, SHAPE(77), SUBJECT_SMALL, i);
    for (int i = 0; i < narg; i++)
        arg[i] = i % 2 ? fsr_full(subject_g, FSR_F64, 0, NULL, 0.25 * i)
                       : subject_data(FSR_F64, 1, SHAPE(77), SUBJECT_SMALL, 10 + i);
    fsr_iterate(out, &loop, x, arg, 6);
    subject_verify(out, n + 1, NULL, "seven states");
}

/* Before and after it, under reductions and scans, beside them, of its own results, transposed, of rows. */
static void everywhere(fsr_graph *g, fsr_node *out) {
    fsr_node x = fsr_mul(fsr_cast(fsr_reshape(fsr_arange(g, FSR_I32, 40 * 130), 2, SHAPE(40, 130)), FSR_F32),
                         fsr_float(g, 0x1p-12));
    fsr_node y = fsr_sub(fsr_expand(fsr_arange(g, FSR_F32, 40), 1), fsr_float(g, 20)), turn[3], again[3], row[2];
    fsr_node none = fsr_full(g, FSR_F32, 0, NULL, 0), t = fsr_float(g, 0.125);
    fsr_iterate(turn, &mandelbrot, (fsr_node[]){none, none}, (fsr_node[]){x, fsr_mul(y, t)}, 30);
    fsr_iterate(again, &mandelbrot, (fsr_node[]){turn[0], none}, (fsr_node[]){x, turn[1]}, 4);
    fsr_node rows = fsr_max(fsr_abs(y), AXES(1), 1, FSR_KEEPDIMS);
    fsr_iterate(row, &halving, &rows, &t, 100);
    out[0] = fsr_sum(turn[2], AXES(1), 1, 0);
    out[1] = fsr_max(again[2], AXES(0), 1, 0);
    out[2] = fsr_cumsum(turn[2], AXES(1), 1, 0);
    out[3] = fsr_add(turn[0], fsr_float(g, 1));
    out[4] = fsr_transpose(again[0], NULL);
    out[5] = fsr_mul(x, row[0]);
    out[6] = fsr_sub(turn[2], fsr_max(turn[2], AXES(1), 1, FSR_KEEPDIMS));
    out[7] = fsr_add(fsr_expand(fsr_slice(turn[2], 1, 0, 130, 2), 0), row[1]);
}

static void fused_as_unfused(void **state) {
    (void)state;
    fsr_node out[8];
    same_unfused(everywhere, 8);
    everywhere(subject_g, out);
    subject_verify(out, 8, NULL, "everywhere");
}

/* A condition that the reference cannot decide: where it cannot, it does not judge. */
static void exp_above(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    (void)user;
    out[0] = fsr_greater(fsr_exp(state[0]), arg[0]);
}
static void sine(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    UNUSED;
    out[0] = fsr_sub(fsr_sin(state[0]), F(0.25));
}

static void of_inexact_functions(void **state) {
    (void)state;
    fsr_loop loop = {sine, exp_above, NULL, 1, 1};
    fsr_node x = subject_data(FSR_F32, 1, SHAPE(1000), SUBJECT_SPECIAL, 0), out[2];
    fsr_iterate(out, &loop, &x, (fsr_node[]){fsr_float(subject_g, 0.7)}, 40);
    out[0] = fsr_cos(fsr_mul(out[0], fsr_float(subject_g, 1000)));
    subject_verify(out, 2, NULL, "sin and exp");
}

static void row_of_loops(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    fsr_node t = fsr_float(in[0].graph, 0.5), turn[2];
    fsr_iterate(turn, &halving, in, &t, 10);
    out[0] = fsr_sum(turn[1], NULL, 0, 0);
}

/* More loops than one kernel runs: one upon the other, and side by side. */
static void of_any_number(void **state) {
    (void)state;
    fsr_node x = subject_data(FSR_F32, 1, SHAPE(1000), SUBJECT_SMALL, 0), t = fsr_float(subject_g, 0.125), out[3];
    for (int n = 9; n <= 20; n += 11) {
        fsr_node chain = x, sum = x;
        for (int i = 0; i < n; i++) {
            fsr_iterate(out, &halving, &chain, &t, 3);
            chain = fsr_add(out[0], fsr_float(subject_g, i));
            fsr_iterate(out, &halving, (fsr_node[]){fsr_mul(x, fsr_float(subject_g, i + 1))}, &t, 4 + i);
            sum = fsr_add(sum, fsr_add(out[0], out[1]));
        }
        subject_verify((fsr_node[]){chain, sum}, 2, NULL, "%d loops", n);
    }
}

static void in_a_row_function(void **state) {
    (void)state;
    fsr_node x = subject_data(FSR_F32, 2, SHAPE(6, 50), SUBJECT_SMALL, 0), out, t = fsr_float(subject_g, 0.5), turn[2];
    fsr_vectorize(&out, 1, &x, 1, "(n)->()", row_of_loops, NULL);
    fsr_iterate(turn, &halving, &x, &t, 10);
    fsr_node want = fsr_sum(turn[1], AXES(1), 1, 0);
    for (int i = 0; i < 6; i++)
        assert_true(subject_value(out, i) == subject_value(want, i));
}

/* A parameter is an argument: another value is no other plan. */
static void of_parameters(void **state) {
    (void)state;
    fsr_node x = subject_data(FSR_F32, 1, SHAPE(100), SUBJECT_SMALL, 0), first[2], second[2];
    fsr_node t = fsr_param(subject_g, "t", FSR_F32, 0.5);
    fsr_iterate(first, &halving, &x, &t, 10);
    OK(fsr_compute(first, 2));
    int64_t compiled = subject_stats().compilations;
    t = fsr_param(subject_g, "t", FSR_F32, 0.125);
    fsr_iterate(second, &halving, &x, &t, 10);
    OK(fsr_compute(second, 2));
    assert_int_equal(subject_stats().compilations, compiled);
    double more = 0;
    for (int i = 0; i < 100; i++)
        more += subject_value(second[1], i) - subject_value(first[1], i);
    assert_true(more > 0);
}

static const struct CMUnitTest tests[] = {
    SUBJECT_TEST(as_numpy),          SUBJECT_TEST(of_no_turns),       SUBJECT_TEST(of_no_elements),
    SUBJECT_TEST(swapped_states),    SUBJECT_TEST(sizes_and_strides), SUBJECT_TEST(of_every_dtype),
    SUBJECT_TEST(of_many_states),    SUBJECT_TEST(fused_as_unfused),  SUBJECT_TEST(of_inexact_functions),
    SUBJECT_TEST(in_a_row_function), SUBJECT_TEST(of_parameters),     SUBJECT_TEST(of_any_number),
};
SUBJECT_MAIN(tests)
