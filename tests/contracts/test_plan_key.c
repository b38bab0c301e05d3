/* SPDX-License-Identifier: MIT */
/* What makes another plan, and what another kernel: literals do; parameters, values of inputs and shapes do not. */
#include "tests/support/subject.h"
#include <stdlib.h>
#include <string.h>

/* A context of each test's own: counters begin at zero; no disk cache, so that every new source is a compilation. */
static fsr_context *ctx;

static int setup(void **state) {
    (void)state;
    fsr_config config = subject_config();
    config.cache_dir = "";
    ctx = subject_open(&config);
    subject_g = fsr_graph_new(ctx);
    return subject_g == NULL;
}

static int teardown(void **state) {
    (void)state;
    fsr_close(ctx);
    subject_g = NULL;
    return 0;
}

static fsr_stats stats(void) {
    fsr_stats s;
    assert_int_equal(fsr_context_stats(ctx, &s), FSR_OK);
    return s;
}

static double scalar(fsr_node x) {
    double value;
    if (fsr_read(fsr_cast(x, FSR_F64), &value, sizeof value))
        fail_msg("%s", fsr_error(ctx));
    return value;
}

static fsr_node ramp(int64_t n, double step) {
    double *data = malloc(sizeof *data * (size_t)n + 1);
    for (int64_t i = 0; i < n; ++i)
        data[i] = (double)i * step;
    fsr_node x = fsr_from_host(subject_g, FSR_F64, 1, &n, data);
    free(data);
    return x;
}

static double literal_program(double literal) {
    fsr_node x = ramp(100, 1), y = fsr_sum(fsr_mul(x, fsr_add(x, fsr_float(subject_g, literal))), NULL, 0, 0);
    return scalar(y);
}

static void a_literal_is_part_of_the_plan(void **state) {
    (void)state;
    assert_true(literal_program(2) == 328350 + 2 * 4950);
    fsr_stats one = stats();
    assert_int_equal(one.plan_hits, 0);
    assert_true(literal_program(2) == 328350 + 2 * 4950);
    fsr_stats two = stats();
    assert_int_equal(two.plan_hits, 1);
    assert_int_equal(two.plans_built, one.plans_built);
    assert_true(literal_program(3) == 328350 + 3 * 4950);
    fsr_stats three = stats();
    assert_int_equal(three.plan_hits, 1);
    assert_int_equal(three.plans_built, two.plans_built + 1);
}

/* -0 and 0, and NaNs of two payloads, are other literals: a comparison by value would mix them up. */
static void literals_differ_in_bits(void **state) {
    (void)state;
    fsr_node one = fsr_full(subject_g, FSR_F64, 1, SHAPE(4), 1);
    double zero[4], minus[4];
    fsr_node x = fsr_from_host(subject_g, FSR_F64, 1, SHAPE(4), ((double[]){1, 2, 3, 4}));
    (void)one;
    assert_int_equal(fsr_read(fsr_div(x, fsr_float(subject_g, 0.0)), zero, sizeof zero), FSR_OK);
    assert_int_equal(fsr_read(fsr_div(x, fsr_float(subject_g, -0.0)), minus, sizeof minus), FSR_OK);
    assert_true(zero[1] > 0 && minus[1] < 0);
    assert_int_equal(stats().plan_hits, 0);
}

static void a_parameter_never_recompiles(void **state) {
    (void)state;
    fsr_node p = fsr_param(subject_g, "step", FSR_F64, 0);
    int64_t compiled = 0;
    for (int i = 0; i < 20; ++i) {
        assert_int_equal(fsr_param_set(p, i), FSR_OK);
        fsr_node x = ramp(100, 1), y = fsr_sum(fsr_mul(x, fsr_add(x, p)), NULL, 0, 0);
        assert_true(scalar(y) == 328350 + 4950 * i);
        if (i == 0)
            compiled = stats().compilations;
        assert_true(compiled > 0);
        assert_int_equal(stats().compilations, compiled);
        assert_int_equal(stats().plan_hits, i);
    }
}

static void other_values_never_recompile(void **state) {
    (void)state;
    int64_t compiled = 0;
    for (int i = 0; i < 20; ++i) {
        fsr_node y = fsr_sum(fsr_mul(ramp(100, i), fsr_float(subject_g, 0.5)), NULL, 0, 0);
        assert_true(scalar(y) == 4950 * i * 0.5);
        if (i == 0)
            compiled = stats().compilations;
        assert_int_equal(stats().compilations, compiled);
        assert_int_equal(stats().plan_hits, i);
    }
}

/* Kernels that one program may have over all its sizes: one on the CPU; on a GPU one for each width of vectors and
 * size class of rows. */
static int64_t variants(int64_t on_gpu) {
    return strcmp(fsr_backend_name(ctx), "cuda") == 0 ? on_gpu : 1;
}

/* Sizes are arguments of a kernel. The schedule may change its kind with the size (short rows, long rows), each
 * compiled once: so new sizes of every kind that was seen compile nothing. */
static void other_shapes_never_recompile(void **state) {
    (void)state;
    static const int64_t known[] = {2, 5, 20, 33, 100, 257, 600, 1025, 3000, 5000, 20000, 100000};
    static const int64_t fresh[] = {3, 4, 6, 21, 34, 35, 99, 101, 255, 599, 601, 1026, 3001, 4999, 20001, 90000};
    for (int k = 0; k < COUNT_OF(known); ++k) {
        int64_t n = known[k];
        assert_true(scalar(fsr_sum(fsr_add(ramp(n, 2), ramp(n, 1)), NULL, 0, 0)) == 1.5 * (double)n * (double)(n - 1));
    }
    int64_t compiled = stats().compilations;
    assert_true(compiled <= COUNT_OF(known));
    for (int k = 0; k < COUNT_OF(fresh); ++k) {
        int64_t n = fresh[k];
        assert_true(scalar(fsr_sum(fsr_add(ramp(n, 2), ramp(n, 1)), NULL, 0, 0)) == 1.5 * (double)n * (double)(n - 1));
    }
    assert_true(stats().compilations - compiled <= (variants(2) - 1) * COUNT_OF(known));
}

/* Of a transposed operand a CPU turns squares where there are some, and goes element by element where there are
 * none. */
static void elementwise_shapes_never_recompile(void **state) {
    (void)state;
    int64_t compiled = 0;
    for (int64_t rows = 2; rows < 40; rows += 3)
        for (int64_t columns = 2; columns < 3000; columns *= 3) {
            fsr_node x = fsr_full(subject_g, FSR_F32, 2, SHAPE(rows, columns), 1);
            float *data = malloc(sizeof(float) * (size_t)(rows * columns));
            for (int64_t i = 0; i < rows * columns; ++i)
                data[i] = (float)i;
            fsr_node y = fsr_from_host(subject_g, FSR_F32, 2, SHAPE(rows, columns), data);
            fsr_node z = fsr_add(fsr_transpose(fsr_mul(y, y), NULL), fsr_transpose(x, NULL));
            assert_true(fsr_force(z) == FSR_OK);
            free(data);
            compiled = stats().compilations;
        }
    assert_true(compiled > 0 && compiled <= 2 * variants(2));
}

/* Mean's count is no literal. */
static void mean_is_generic(void **state) {
    (void)state;
    for (int64_t n = 1000; n < 1010; ++n)
        assert_true(scalar(fsr_mean(ramp(n, 1), NULL, 0, 0)) == (double)(n - 1) / 2);
    assert_true(stats().compilations <= variants(3));
}

/* The program is the key, not the graph, the order of recording beside it, or the lines it stands on. */
static void another_graph_hits(void **state) {
    (void)state;
    literal_program(7);
    fsr_stats one = stats();
    fsr_graph *first = subject_g;
    subject_g = fsr_graph_new(ctx);
    fsr_node unrelated = ramp(10, 1);
    fsr_neg(unrelated);
    literal_program(7);
    assert_int_equal(stats().plans_built, one.plans_built);
    assert_int_equal(stats().plan_hits, one.plan_hits + 1);
    fsr_graph_free(subject_g);
    subject_g = first;
}

/* A new plan of equal kernels compiles nothing: kernels are found by their source. */
static void equal_kernels_are_one(void **state) {
    (void)state;
    fsr_node x = ramp(50, 1), y = ramp(50, 2);
    assert_true(scalar(fsr_sum(fsr_exp(fsr_mul(x, y)), NULL, 0, 0)) > 0);
    int64_t compiled = stats().compilations;
    fsr_node z = ramp(62, 3);
    assert_true(scalar(fsr_sum(fsr_exp(fsr_mul(z, ramp(62, 4))), NULL, 0, 0)) > 0);
    assert_int_equal(stats().compilations, compiled);
    assert_int_equal(stats().plans_built, 2);
}

/* One operand twice is another plan than two operands: aliasing is part of the structure. */
static void aliasing_is_part_of_the_plan(void **state) {
    (void)state;
    fsr_node x = ramp(50, 1), y = ramp(50, 2);
    assert_true(scalar(fsr_sum(fsr_mul(x, y), NULL, 0, 0)) == 2 * 40425);
    assert_true(scalar(fsr_sum(fsr_mul(x, x), NULL, 0, 0)) == 40425);
    assert_int_equal(stats().plan_hits, 0);
    assert_true(scalar(fsr_sum(fsr_mul(y, y), NULL, 0, 0)) == 4 * 40425);
    assert_int_equal(stats().plan_hits, 1);
}

/* More programs than the cache keeps: the oldest are planned again, and right. */
static void many_plans(void **state) {
    (void)state;
    fsr_node x = ramp(8, 1);
    for (int round = 0; round < 2; ++round)
        for (int64_t i = 1; i <= 700; ++i) {
            fsr_node y = fsr_slice(fsr_broadcast_to(fsr_expand(x, 0), 2, SHAPE(i + 1, 8)), 0, 0, i, 1);
            double first[8];
            fsr_node total = fsr_sum(y, AXES(0), 1, 0);
            assert_int_equal(fsr_read(total, first, sizeof first), FSR_OK);
            assert_true(first[7] == 7 * (double)i);
        }
    assert_true(stats().plans_built > 700);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
static const struct CMUnitTest tests[] = {
    TEST(a_literal_is_part_of_the_plan),
    TEST(literals_differ_in_bits),
    TEST(a_parameter_never_recompiles),
    TEST(other_values_never_recompile),
    TEST(other_shapes_never_recompile),
    TEST(elementwise_shapes_never_recompile),
    TEST(mean_is_generic),
    TEST(another_graph_hits),
    TEST(equal_kernels_are_one),
    TEST(aliasing_is_part_of_the_plan),
    TEST(many_plans),
};
SUBJECT_MAIN(tests)
