/* SPDX-License-Identifier: MIT */
/* Inputs that are given away: a plan's results in the memory of its inputs are what they are elsewhere, whatever the
 * plan does, and take no more memory where it is done element by element. */
#include "tests/support/subject.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1000 };

static void fill(float *data, int stream) {
    subject_fill(data, FSR_F32, N, SUBJECT_SMALL, stream);
}

static fsr_arg arg_of(const char *name, float *data) {
    return (fsr_arg){name, data, N * sizeof *data, FSR_HOST};
}

/* outs of inputs x and y; the i-th takes donated[i]. In turn with memory of their own, and with the inputs'. */
static void check(const fsr_node *outs, int n, const char *const *donated) {
    fsr_plan *plan, *plain;
    float x[N], y[N], want[2][N], got[2][N];
    fsr_arg to[2], in[2] = {arg_of("x", x), arg_of("y", y)};
    OK(fsr_compile(outs, n, &plain));
    OK(fsr_compile_donating(outs, n, donated, &plan));
    for (int given = 0; given < 2; given++) {
        fill(x, 0);
        fill(y, 1);
        for (int i = 0; i < n; i++)
            to[i] = arg_of(NULL, want[i]);
        OK(fsr_plan_run(plain, in, 2, to, n, NULL));
        for (int i = 0; i < n; i++)
            to[i] = arg_of(NULL, !given || !donated[i] ? got[i] : donated[i][0] == 'x' ? x : y);
        OK(fsr_plan_run(plan, in, 2, to, n, NULL));
        for (int i = 0; i < n; i++)
            assert_memory_equal(want[i], to[i].data, sizeof want[i]);
        subject_count("results in given memory", n);
    }
    fsr_plan_free(plain);
    fsr_plan_free(plan);
}

static void add_turn(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    (void)in;
    out[0] = fsr_add(fsr_flip(state[0], 0), *(fsr_node *)user);
}

static void results_in_inputs(void **state) {
    (void)state;
    fsr_node x = fsr_input(subject_g, "x", FSR_F32, 1, SHAPE(N)), y = fsr_input(subject_g, "y", FSR_F32, 1, SHAPE(N));
    fsr_node sum = fsr_add(x, fsr_mul(y, fsr_float(subject_g, 2))), turned = fsr_add(fsr_flip(x, 0), y);
    fsr_node both[] = {sum, fsr_sub(x, y)}, loop;
    check(&sum, 1, (const char *[]){"x"});
    check(&sum, 1, (const char *[]){"y"});
    check(&turned, 1, (const char *[]){"x"}); /* element i is read when another is written */
    check(&turned, 1, (const char *[]){"y"});
    check(both, 2, (const char *[]){"x", "y"});
    check(both, 2, (const char *[]){NULL, "x"});
    check((fsr_node[]){sum, turned}, 2, (const char *[]){"x", NULL});
    check((fsr_node[]){sum, fsr_sort(fsr_add(x, y), NULL, 0, 0)}, 2, (const char *[]){"y", "x"});
    check((fsr_node[]){fsr_add(x, y), fsr_add(x, y)}, 2, (const char *[]){"x", "y"});
    check((fsr_node[]){fsr_add(y, fsr_float(subject_g, 0)), x}, 2, (const char *[]){"y", "x"});
    for (int turns = 0; turns < 4; turns++) {
        fsr_fori_loop(&loop, &x, 1, fsr_int(subject_g, turns), add_turn, &y);
        check((fsr_node[]){loop, sum}, 2, (const char *[]){"x", NULL});
        fsr_node after = fsr_mul(y, y);
        check((fsr_node[]){loop, after}, 2, (const char *[]){"x", "y"});
    }
}

/* A kernel and a loop write over what they read; a flip does not. */
static void what_explain_says(void **state) {
    (void)state;
    fsr_node x = fsr_input(subject_g, "x", FSR_F32, 1, SHAPE(N)), two = fsr_add(x, x),
             back = fsr_add(fsr_flip(x, 0), x);
    fsr_plan *plan;
    fsr_plan_info info;
    float data[N], want[N];
    OK(fsr_compile_donating(&two, 1, (const char *[]){"x"}, &plan));
    OK(fsr_plan_query(plan, &info));
    assert_int_equal(info.kernels, 1);
    fsr_arg in = arg_of("x", data), out = arg_of(NULL, data);
    for (int k = 0; k < 3; k++) {
        fill(data, k);
        for (int i = 0; i < N; i++)
            want[i] = data[i] + data[i];
        OK(fsr_plan_run(plan, &in, 1, &out, 1, NULL));
        assert_memory_equal(data, want, sizeof data);
    }
    fsr_plan_free(plan);
    OK(fsr_compile(&back, 1, &plan));
    subject_error(subject_ctx, fsr_plan_run(plan, &in, 1, &out, 1, NULL), FSR_ERR_VALUE,
                  "output 0 overlaps input \"x\"");
    fsr_plan_free(plan);
    OK(fsr_compile_donating(&back, 1, (const char *[]){"x"}, &plan));
    out.data = data + 1;
    subject_error(subject_ctx, fsr_plan_run(plan, &in, 1, &out, 1, NULL), FSR_ERR_VALUE,
                  "output 0 overlaps input \"x\"");
    fsr_plan_free(plan);
}

static void mistakes(void **state) {
    (void)state;
    fsr_node x = fsr_input(subject_g, "x", FSR_F32, 1, SHAPE(N)), two = fsr_add(x, x), sum = fsr_sum(x, NULL, 0, 0);
    fsr_plan *plan = (fsr_plan *)&plan;
    subject_error(subject_ctx, fsr_compile_donating(&two, 1, NULL, &plan), FSR_ERR_NULL, "the names are null");
    assert_null(plan);
    subject_error(subject_ctx, fsr_compile_donating(&two, 1, (const char *[]){"z"}, &plan), FSR_ERR_VALUE,
                  "output 0|memory of \"z\"|no such input");
    subject_error(subject_ctx, fsr_compile_donating(&sum, 1, (const char *[]){"x"}, &plan), FSR_ERR_VALUE,
                  "output 0 has 4 bytes, \"x\" 4000");
    subject_error(subject_ctx, fsr_compile_donating((fsr_node[]){two, x}, 2, (const char *[]){"x", "x"}, &plan),
                  FSR_ERR_VALUE, "outputs 0 and 1 are to take the memory of \"x\"");
    assert_null(plan);
}

static const struct CMUnitTest tests[] = {
    SUBJECT_TEST(results_in_inputs),
    SUBJECT_TEST(what_explain_says),
    SUBJECT_TEST(mistakes),
};
SUBJECT_MAIN(tests)
