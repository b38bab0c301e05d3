/* SPDX-License-Identifier: MIT */
/* fsr_compile and fsr_plan_run: arguments by name, the caller's buffers, what is refused. */
#include "runtime/plan_parts.h"
#include "tests/support/subject.h"
#include <stdlib.h>
#include <string.h>

enum { N = 1025 };
static double a[N], b[N], out[N], other[N];

static int setup(void **state) {
    for (int i = 0; i < N; ++i) {
        a[i] = i;
        b[i] = 2 * i;
        out[i] = other[i] = -1;
    }
    return subject_setup(state);
}

static fsr_node input(const char *name) {
    return fsr_input(subject_g, name, FSR_F64, 1, SHAPE(N));
}

static fsr_arg arg(const char *name, void *data) {
    return (fsr_arg){name, data, sizeof a, FSR_HOST};
}

static fsr_plan *compiled(fsr_node x) {
    fsr_plan *plan = NULL;
    OK(fsr_compile(&x, 1, &plan));
    return plan;
}

/* a * scale + b */
static fsr_plan *usual(void) {
    fsr_node scale = fsr_param(subject_g, "scale", FSR_F64, 3);
    return compiled(fsr_add(fsr_mul(input("a"), scale), input("b")));
}

static fsr_status run(fsr_plan *plan, int n, fsr_arg x, fsr_arg y, fsr_arg z, fsr_arg result) {
    return fsr_plan_run(plan, (fsr_arg[]){x, y, z}, n, &result, 1, NULL);
}

static void expect(const double *data, double of_a, double of_b) {
    for (int i = 0; i < N; ++i)
        if (data[i] != of_a * a[i] + of_b * b[i])
            fail_msg("element %d is %g", i, data[i]);
}

static void names_not_positions(void **state) {
    (void)state;
    fsr_plan *plan = usual();
    fsr_arg none = {0};
    OK(run(plan, 2, arg("a", a), arg("b", b), none, arg(NULL, out)));
    expect(out, 3, 1);
    OK(run(plan, 2, arg("b", a), arg("a", b), none, arg(NULL, out)));
    expect(out, 1, 3);
    OK(run(plan, 2, arg("b", a), arg("a", a), none, arg(NULL, out)));
    expect(out, 4, 0);
    fsr_plan_free(plan);
}

/* A run with the arguments of the last one does not look at them again, but for what may have changed under them. Host
 * memory is known where it is used where it lies: a GPU copies it each time. */
static void the_same_again(void **state) {
    (void)state;
    char name[2] = "a";
    fsr_plan *plan = usual();
    const fsr_arg in[2] = {arg(name, a), arg("b", b)}, result = arg(NULL, out);
    assert_false(fsr_plan_again(plan, in, 2, &result));
    for (int i = 0; i < 3; i++) {
        a[7] += i;
        OK(fsr_plan_run(plan, in, 2, &result, 1, NULL));
        assert_int_equal(fsr_plan_again(plan, in, 2, &result), SUBJECT_BACKEND == FSR_BACKEND_CPU);
        expect(out, 3, 1);
    }
    name[0] = 'c';
    subject_error(subject_ctx, fsr_plan_run(plan, in, 2, &result, 1, NULL), FSR_ERR_VALUE,
                  "no input or parameter \"c\"");
    assert_false(fsr_plan_again(plan, in, 2, &result));
    name[0] = 'a';
    OK(fsr_plan_run(plan, in, 2, &result, 1, NULL));
    subject_error(subject_ctx, fsr_plan_run(plan, in, 1, &result, 1, NULL), FSR_ERR_UNBOUND, "\"b\" is missing");
    OK(fsr_plan_run(plan, in, 2, &result, 1, NULL));
    const fsr_arg onto = arg(NULL, b);
    subject_error(subject_ctx, fsr_plan_run(plan, in, 2, &onto, 1, NULL), FSR_ERR_VALUE, "overlaps input \"b\"");
    OK(fsr_plan_run(plan, in, 2, &(fsr_arg){NULL, other, sizeof a, FSR_HOST}, 1, NULL));
    expect(other, 3, 1);
    fsr_plan_free(plan);
}

/* The same of memory on the device, which both backends use where it lies: its contents may change, and a run with
 * another address is not the same. A GPU's addresses have been looked up twice before they are known (address.c). */
static void the_same_memory_again(void **state) {
    (void)state;
    void *x[2], *y;
    fsr_plan *plan = usual();
    for (int i = 0; i < 2; i++)
        OK(fsr_alloc(subject_ctx, FSR_DEVICE, sizeof a, &x[i]));
    OK(fsr_alloc(subject_ctx, FSR_DEVICE, sizeof a, &y));
    fsr_arg in[2] = {{"a", x[0], sizeof a, FSR_DEVICE}, {"b", x[1], sizeof a, FSR_DEVICE}};
    const fsr_arg result = {NULL, y, sizeof a, FSR_DEVICE};
    const int looked = SUBJECT_BACKEND == FSR_BACKEND_CPU ? 1 : 2;
    for (int i = 0; i < 5; i++) {
        a[7] += i;
        OK(fsr_upload(subject_ctx, x[0], a, sizeof a, NULL));
        OK(fsr_upload(subject_ctx, x[1], b, sizeof b, NULL));
        OK(fsr_sync(subject_ctx));
        assert_int_equal(fsr_plan_again(plan, in, 2, &result), i >= looked);
        OK(fsr_plan_run(plan, in, 2, &result, 1, NULL));
        OK(fsr_download(subject_ctx, out, y, sizeof out, NULL));
        OK(fsr_sync(subject_ctx));
        expect(out, 3, 1);
    }
    in[1].data = x[0];
    assert_false(fsr_plan_again(plan, in, 2, &result));
    fsr_plan_free(plan);
    for (int i = 0; i < 2; i++)
        OK(fsr_free(subject_ctx, FSR_DEVICE, x[i]));
    OK(fsr_free(subject_ctx, FSR_DEVICE, y));
}

/* Values of parameters and bytes of bools are looked at each time. */
static void values_again(void **state) {
    (void)state;
    double scale = 2;
    uint8_t flag[N] = {1};
    fsr_plan *plan = usual();
    const fsr_arg in[3] = {arg("a", a), arg("b", b), {"scale", &scale, sizeof scale, FSR_HOST}};
    const fsr_arg result = arg(NULL, out);
    for (; scale < 5; scale++) {
        OK(fsr_plan_run(plan, in, 3, &result, 1, NULL));
        assert_false(fsr_plan_again(plan, in, 3, &result));
        expect(out, scale, 1);
    }
    OK(fsr_plan_run(plan, in, 2, &result, 1, NULL));
    expect(out, 3, 1);
    fsr_plan_free(plan);
    plan = compiled(fsr_cast(fsr_input(subject_g, "flag", FSR_BOOL, 1, SHAPE(N)), FSR_F64));
    for (int i = 0; i < 3; i++, flag[0]++) {
        OK(fsr_plan_run(plan, &(fsr_arg){"flag", flag, sizeof flag, FSR_HOST}, 1, &result, 1, NULL));
        assert_true(out[0] == 1 && out[1] == 0);
    }
    fsr_plan_free(plan);
}

/* A parameter not given has its value at fsr_compile, also after another run gave one. */
static void parameters(void **state) {
    (void)state;
    double five = 5;
    fsr_node scale = fsr_param(subject_g, "scale", FSR_F64, 3);
    fsr_plan *plan = compiled(fsr_add(fsr_mul(input("a"), scale), input("b")));
    OK(fsr_param_set(scale, 100));
    OK(run(plan, 3, arg("a", a), arg("b", b), (fsr_arg){"scale", &five, 8, FSR_HOST}, arg(NULL, out)));
    expect(out, 5, 1);
    OK(run(plan, 2, arg("a", a), arg("b", b), (fsr_arg){0}, arg(NULL, out)));
    expect(out, 3, 1);
    fsr_plan_free(plan);
}

static void outlives_its_graph(void **state) {
    (void)state;
    fsr_node kept = fsr_from_host(subject_g, FSR_F64, 1, SHAPE(N), b);
    fsr_node computed = fsr_add(kept, kept);
    OK(fsr_force(computed));
    fsr_plan *plan = compiled(fsr_add(fsr_add(input("a"), kept), computed));
    fsr_graph_free(subject_g);
    subject_g = fsr_graph_new(subject_ctx);
    for (int i = 0; i < 3; ++i) {
        OK(fsr_plan_run(plan, &(fsr_arg){"a", a, sizeof a, FSR_HOST}, 1, &(fsr_arg){NULL, out, sizeof out, FSR_HOST}, 1,
                        NULL));
        expect(out, 1, 3);
    }
    fsr_plan_free(plan);
}

static void two_plans_interleaved(void **state) {
    (void)state;
    fsr_plan *one = compiled(fsr_add(fsr_cumsum(input("a"), AXES(0), 1, 0), input("b")));
    fsr_plan *two = compiled(fsr_sub(input("a"), input("b")));
    fsr_node whole = fsr_sum(fsr_mul(input("a"), input("a")), NULL, 0, 0);
    fsr_plan *three = compiled(whole);
    for (int round = 0; round < 10; ++round) {
        double total = 0, running = 0;
        OK(run(one, 2, arg("a", a), arg("b", b), (fsr_arg){0}, arg(NULL, out)));
        OK(run(two, 2, arg("a", b), arg("b", a), (fsr_arg){0}, arg(NULL, other)));
        OK(fsr_plan_run(three, &(fsr_arg){"a", a, sizeof a, FSR_HOST}, 1, &(fsr_arg){NULL, &total, 8, FSR_HOST}, 1,
                        NULL));
        expect(other, -1, 1);
        for (int i = 0; i < N; ++i)
            assert_true(out[i] == (running += a[i]) + b[i]);
        assert_true(total == (double)(N - 1) * N * (2 * N - 1) / 6);
        a[round] += 0;
    }
    fsr_plan_free(two);
    OK(run(one, 2, arg("a", a), arg("b", b), (fsr_arg){0}, arg(NULL, out)));
    fsr_plan_free(one);
    fsr_plan_free(three);
    fsr_plan_free(NULL);
}

static void several_outputs(void **state) {
    (void)state;
    fsr_node x = input("a"), y = fsr_add(x, x), total = fsr_sum(y, NULL, 0, 0);
    fsr_node outs[] = {y, total, y, x};
    fsr_plan *plan;
    OK(fsr_compile(outs, 4, &plan));
    double sum = 0, again[N], same[N];
    fsr_arg results[] = {arg(NULL, out), {NULL, &sum, 8, FSR_HOST}, arg(NULL, again), arg(NULL, same)};
    OK(fsr_plan_run(plan, &(fsr_arg){"a", a, sizeof a, FSR_HOST}, 1, results, 4, NULL));
    expect(out, 2, 0);
    expect(again, 2, 0);
    expect(same, 1, 0);
    assert_true(sum == (double)N * (N - 1));
    fsr_plan_free(plan);
}

static void a_plan_in_numbers(void **state) {
    (void)state;
    fsr_plan *plan = usual();
    fsr_plan_info info;
    OK(fsr_plan_query(plan, &info));
    assert_int_equal(info.kernels, 1);
    assert_int_equal(info.temporaries, 0);
    assert_int_equal(info.bytes_min, 3 * sizeof a);
    assert_int_equal(info.bytes_moved, info.bytes_min);
    assert_int_equal(fsr_plan_query(NULL, &info), FSR_ERR_NULL);
    assert_int_equal(fsr_plan_query(plan, NULL), FSR_ERR_NULL);
    fsr_plan_free(plan);
}

/* The same name twice in the graph is one argument, if dtype and size agree. */
static void one_name_one_argument(void **state) {
    (void)state;
    fsr_plan *plan = compiled(fsr_add(input("a"), fsr_mul(fsr_int(subject_g, 2), input("a"))));
    OK(fsr_plan_run(plan, &(fsr_arg){"a", a, sizeof a, FSR_HOST}, 1, &(fsr_arg){NULL, out, sizeof out, FSR_HOST}, 1,
                    NULL));
    expect(out, 3, 0);
    fsr_plan_free(plan);
    fsr_node wrong = fsr_add(input("a"), fsr_input(subject_g, "a", FSR_F64, 1, SHAPE(1)));
    subject_error(subject_ctx, fsr_compile(&wrong, 1, &plan), FSR_ERR_VALUE, "compile|two inputs|\"a\"");
    assert_null(plan);
    fsr_node clash = fsr_add(input("a"), fsr_param(subject_g, "a", FSR_F64, 1));
    subject_error(subject_ctx, fsr_compile(&clash, 1, &plan), FSR_ERR_VALUE, "compile|input and a parameter|\"a\"");
}

/* Nothing is written by a refused run. */
static void refused(fsr_plan *plan, const fsr_arg *in, int n, fsr_arg result, int nout, fsr_status want,
                    const char *words) {
    fsr_error_clear(subject_ctx);
    subject_error(subject_ctx, fsr_plan_run(plan, in, n, &result, nout, NULL), want, words);
    for (int i = 0; i < N; ++i)
        assert_true(out[i] == -1);
}

static void what_is_refused(void **state) {
    (void)state;
    fsr_plan *plan = usual();
    fsr_arg x = arg("a", a), y = arg("b", b), o = arg(NULL, out), bad;
    refused(plan, &x, 1, o, 1, FSR_ERR_UNBOUND, "plan_run|\"b\" is missing");
    refused(plan, (fsr_arg[]){x, y, arg("c", a)}, 3, o, 1, FSR_ERR_VALUE, "plan_run|\"c\"");
    refused(plan, (fsr_arg[]){x, y, arg(NULL, a)}, 3, o, 1, FSR_ERR_NULL, "plan_run|input 2 has no name");
    refused(plan, (fsr_arg[]){x, y, x}, 3, o, 1, FSR_ERR_VALUE, "plan_run|\"a\" is given twice");
    refused(plan, (fsr_arg[]){x, y}, 2, o, 0, FSR_ERR_VALUE, "plan_run|0 outputs given, the plan has 1");
    bad = y;
    bad.bytes -= 8;
    refused(plan, (fsr_arg[]){x, bad}, 2, o, 1, FSR_ERR_BYTES, "plan_run|\"b\" has 8192 bytes, the plan needs 8200");
    bad = y;
    bad.data = NULL;
    refused(plan, (fsr_arg[]){x, bad}, 2, o, 1, FSR_ERR_NULL, "plan_run|\"b\" is null");
    bad = o;
    bad.bytes += 1;
    refused(plan, (fsr_arg[]){x, y}, 2, bad, 1, FSR_ERR_BYTES, "plan_run|output 0|8201 bytes, the plan needs 8200");
    bad = o;
    bad.data = NULL;
    refused(plan, (fsr_arg[]){x, y}, 2, bad, 1, FSR_ERR_NULL, "plan_run|output 0");
    double five = 5;
    refused(plan, (fsr_arg[]){x, y, {"scale", &five, 4, FSR_HOST}}, 3, o, 1, FSR_ERR_BYTES,
            "plan_run|\"scale\" has 4 bytes, the plan needs 8");
    refused(plan, (fsr_arg[]){x, y, {"scale", NULL, 8, FSR_HOST}}, 3, o, 1, FSR_ERR_NULL, "plan_run|\"scale\" is null");
    OK(fsr_plan_run(plan, (fsr_arg[]){x, y}, 2, &o, 1, NULL));
    expect(out, 3, 1);
    fsr_plan_free(plan);
}

static void overlaps(void **state) {
    (void)state;
    fsr_plan *plan = usual();
    double memory[2 * N];
    for (int i = 0; i < 2 * N; ++i)
        memory[i] = i;
    fsr_arg x = arg("a", memory), y = arg("b", b);
    fsr_status status = fsr_plan_run(plan, (fsr_arg[]){x, y}, 2, &(fsr_arg){NULL, memory, sizeof a, FSR_HOST}, 1, NULL);
    subject_error(subject_ctx, status, FSR_ERR_VALUE, "plan_run|output 0 overlaps input \"a\"");
    status = fsr_plan_run(plan, (fsr_arg[]){x, y}, 2, &(fsr_arg){NULL, memory + N - 1, sizeof a, FSR_HOST}, 1, NULL);
    subject_error(subject_ctx, status, FSR_ERR_VALUE, "plan_run|output 0 overlaps input \"a\"");
    for (int i = 0; i < 2 * N; ++i)
        assert_true(memory[i] == i);
    OK(fsr_plan_run(plan, (fsr_arg[]){x, y}, 2, &(fsr_arg){NULL, memory + N, sizeof a, FSR_HOST}, 1, NULL));
    expect(memory + N, 3, 1);
    fsr_plan_free(plan);
    fsr_node in = input("a"), outs[] = {fsr_neg(in), fsr_abs(in)};
    OK(fsr_compile(outs, 2, &plan));
    fsr_arg results[] = {{NULL, memory + N, sizeof a, FSR_HOST}, {NULL, memory + N, sizeof a, FSR_HOST}};
    subject_error(subject_ctx, fsr_plan_run(plan, &x, 1, results, 2, NULL), FSR_ERR_VALUE,
                  "plan_run|output 1 overlaps output 0");
    fsr_plan_free(plan);
}

/* Host buffers of any alignment. */
static void misaligned_buffers(void **state) {
    (void)state;
    fsr_plan *plan = usual();
    for (size_t shift = 0; shift < 64; shift += 8) {
        subject_guard in = subject_guard_new(sizeof a, shift), result = subject_guard_new(sizeof a, 56 - shift);
        memcpy(in.data, a, sizeof a);
        OK(run(plan, 2, arg("a", in.data), arg("b", b), (fsr_arg){0}, arg(NULL, result.data)));
        memcpy(out, result.data, sizeof a);
        expect(out, 3, 1);
        subject_guard_check(&result, "output");
        assert_memory_equal(in.data, a, sizeof a);
        subject_guard_free(&in);
        subject_guard_free(&result);
    }
    fsr_plan_free(plan);
}

static void empty_arrays(void **state) {
    (void)state;
    fsr_node x = fsr_input(subject_g, "x", FSR_F32, 2, SHAPE(0, 7)), outs[] = {fsr_exp(x), fsr_sum(x, AXES(0), 1, 0)};
    fsr_plan *plan;
    OK(fsr_compile(outs, 2, &plan));
    float sum[7] = {1, 1, 1, 1, 1, 1, 1};
    fsr_arg results[] = {{NULL, NULL, 0, FSR_HOST}, {NULL, sum, sizeof sum, FSR_HOST}};
    OK(fsr_plan_run(plan, &(fsr_arg){"x", NULL, 0, FSR_HOST}, 1, results, 2, NULL));
    for (int i = 0; i < 7; ++i)
        assert_true(sum[i] == 0);
    fsr_plan_free(plan);
}

/* A plan without inputs; and runs of a plan leave no memory behind. */
static void runs_are_flat(void **state) {
    (void)state;
    fsr_node x = fsr_arange(subject_g, FSR_F64, N), y = fsr_sub(x, fsr_mean(x, NULL, 0, 0));
    fsr_plan *plan = compiled(fsr_mul(y, y));
    OK(fsr_plan_run(plan, NULL, 0, &(fsr_arg){NULL, out, sizeof out, FSR_HOST}, 1, NULL));
    fsr_stats before = subject_stats();
    for (int i = 0; i < 2000; ++i)
        OK(fsr_plan_run(plan, NULL, 0, &(fsr_arg){NULL, out, sizeof out, FSR_HOST}, 1, NULL));
    fsr_stats after = subject_stats();
    assert_true(out[0] == 512.0 * 512 && out[512] == 0);
    assert_int_equal(after.host_bytes, before.host_bytes);
    assert_int_equal(after.device_bytes, before.device_bytes);
    assert_int_equal(after.compilations, before.compilations);
    assert_int_equal(after.plans_built, before.plans_built);
    fsr_plan_free(plan);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, subject_teardown)
static const struct CMUnitTest tests[] = {
    TEST(the_same_again),     TEST(the_same_memory_again), TEST(values_again),          TEST(names_not_positions),
    TEST(parameters),         TEST(outlives_its_graph),    TEST(two_plans_interleaved), TEST(several_outputs),
    TEST(a_plan_in_numbers),  TEST(one_name_one_argument), TEST(what_is_refused),       TEST(overlaps),
    TEST(misaligned_buffers), TEST(empty_arrays),          TEST(runs_are_flat),
};
SUBJECT_MAIN(tests)
