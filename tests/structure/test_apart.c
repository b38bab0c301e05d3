/* SPDX-License-Identifier: MIT */
/* A fused plan never costs more than the unfused one, by the same table of prices and but for their margin: of programs
 * drawn at random, and of some whose kernels leave no vector code when they are all one. */
#include "bench/random.h"
#include "fusor/expr.h"
#include "tests/structure/plans.h"
#include "tests/support/one_graph.h"
#include <stdlib.h>

static const fsr_target *const targets[] = {&target_gpu, &target_cpu};

/* The outputs of a program of x and y. */
static void record(const char *text, const int64_t *extent, fsr_node out[2]) {
    const fsr_name names[] = {{"x", plan_matrix(g, extent[0], extent[1])}, {"y", plan_matrix(g, extent[0], extent[1])}};
    assert_int_equal(fsr_exprs(g, text, names, 2, out, 2), 2);
}

/* Prices of the two plans of a program; how many kernels there are fused. */
static int check(const char *text, const int64_t *extent, const fsr_target *target) {
    fsr_node out[2];
    record(text, extent, out);
    fsr_program fused = plan_of(target, out, 2), unfused = plan_make(target, out, 2, (plan_knobs){.unfused = true});
    const int kernels = fused.info.kernels;
    const double margin = 0.08; /* of price.def; folds of few elements, which are maps where there is fusion, differ */
    const bool known = fused.apart_price <= unfused.price * (1 + margin) &&
                       (fused.apart_least || fused.apart_price >= unfused.price * (1 - margin));
    if (fused.price * (1 - margin) > unfused.price || !known || !strstr(fused.explanation, "\nprice: "))
        fail_msg("%s\nunfused %.0f ns, told as %.0f\n%s", text, unfused.price, fused.apart_price, fused.explanation);
    fsr_program_clear(&fused);
    fsr_program_clear(&unfused);
    return kernels;
}

static void drawn_at_random(void **state) {
    (void)state;
    enum { PROGRAMS = 100 };
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        int64_t extent[2];
        char *text = bench_random_text(seed, extent);
        assert_non_null(text);
        for (int t = 0; t < 2; t++)
            check(text, extent, targets[t]);
        free(text);
    }
}

/* Plans without a kernel that is nearly as dear as its nodes: 0.253 ms by its price before it was looked for. And
 * behind what is shared, which is stored for no gain, without what folds take: 46 ms. */
static void doubted_kernels_are_looked_at(void **state) {
    (void)state;
    static const struct {
        uint64_t seed;
        double most; /* ns */
    } cases[] = {{840352, 0.2e6}, {1518707, 25e6}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t extent[2];
        char *text = bench_random_text(cases[i].seed, extent);
        fsr_node out[2];
        assert_non_null(text);
        record(text, extent, out);
        fsr_program p = plan_of(&target_cpu, out, 2);
        if (p.price > cases[i].most)
            fail_msg("%s\n%.0f ns\n%s", text, p.price, p.explanation);
        fsr_program_clear(&p);
        free(text);
    }
}

/* Programs drawn at random whose kernels took twice their price and longer than their nodes: functions that wait for
 * each other, of blocks of many rows and of eight, and gathers in one loop. */
static void dear_kernels_are_apart(void **state) {
    (void)state;
    const struct {
        uint64_t seed;
        int kernels; /* at least */
    } drawn[] = {{1280201, 3}, {1280219, 5}, {1280806, 6}};
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++) {
        int64_t extent[2];
        char *text = bench_random_text(drawn[i].seed, extent);
        assert_non_null(text);
        const int kernels = check(text, extent, &target_cpu);
        if (kernels < drawn[i].kernels)
            fail_msg("%s\n%d kernels", text, kernels);
        free(text);
    }
}

static bool evaluates(const fsr_kernel *k, fsr_op op) {
    for (int i = 0; i < k->ninsts; i++)
        if (k->inst[i].kind == FSR_INST_OP && k->inst[i].op == op)
            return true;
    return false;
}

static bool takes_bytes(const fsr_kernel *k) {
    for (int i = 0; i < k->narrays; i++)
        if (!k->array[i].written && fsr_dtype_size(k->array[i].dtype) == 1)
            return true;
    return false;
}

/* Rows of 24 of a stencil that choose by bytes would be no vector code: what chooses goes along all of them. */
static void bytes_go_along(void **state) {
    (void)state;
    int64_t extent[2];
    char *text = bench_random_text(1360094, extent);
    fsr_node out[2];
    int chosen = 0;
    assert_non_null(text);
    record(text, extent, out);
    fsr_program p = plan_of(&target_cpu, out, 2);
    for (int i = 0; i < p.info.kernels; i++) {
        const fsr_kernel *k = fsr_program_kernel(&p, i)->kernel;
        chosen += evaluates(k, FSR_OP_GREATER);
        if (takes_bytes(k))
            assert_true(k->schedule.kind != FSR_SCHEDULE_MAP || k->schedule.flat);
    }
    fsr_program_clear(&p);
    free(text);
    assert_true(chosen > 0);
}

/* The eight of sixteen columns that are assigned to would be computed one by one: no sine is. */
static void few_steps_are_stored(void **state) {
    (void)state;
    const int64_t extent[] = {300000, 16};
    fsr_node out[2];
    record("t = update(x, x[:, ::2], x[:, ::2] * 0.5); sin(t) * 2, x + y", extent, out);
    fsr_program p = plan_of(&target_cpu, out, 1);
    int sines = 0, cut = 0;
    for (int i = 0; i < p.info.kernels; i++) {
        const fsr_kernel *k = fsr_program_kernel(&p, i)->kernel;
        const bool sine = evaluates(k, FSR_OP_SIN);
        sines += sine;
        cut += sine && k->schedule.cut_steps;
    }
    fsr_program_clear(&p);
    assert_int_equal(sines, 1);
    assert_int_equal(cut, 0);
}

/* Sums of eight neighbours of a stencil: each of its loads would have a stride. */
static void strided_stencils_are_stored(void **state) {
    (void)state;
    const int64_t extent[] = {2000, 2000};
    assert_int_equal(check("p = pad(y, 1); t = 0.2 * (p[1:-1, 1:-1] + p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + "
                           "p[1:-1, 2:]); mean(reshape(t, [2000, 250, 8]), 2), x + 1",
                           extent, &target_cpu),
                     3);
}

/* Where fused kernels spare less than prices are worth, in loops of few turns with sections put over others, the
 * unfused plan is taken; chains in such loops stay fused. */
static void little_is_no_gain(void **state) {
    (void)state;
    int64_t extent[2];
    char *text = bench_random_text(1513542, extent);
    fsr_node out[2];
    assert_non_null(text);
    record(text, extent, out);
    fsr_program unfused = plan_make(&target_cpu, out, 2, (plan_knobs){.unfused = true});
    const int kernels = unfused.info.kernels;
    fsr_program_clear(&unfused);
    assert_int_equal(check(text, extent, &target_cpu), kernels);
    free(text);
    assert_int_equal(check("exp(tanh(x[:, ::2] - y[0, :8])), y + 1", (int64_t[]){5000, 16}, &target_cpu), 2);
}

/* On a GPU a scan of a transposed matrix, stored as it is recorded, writes parts of lines all over memory; and one down
 * columns has a thread for each of them, which alone evaluates what it takes. */
static void scans_of_much_are_apart(void **state) {
    (void)state;
    const int64_t wide[] = {64, 40000}, flat[] = {64, 5082};
    const char *across = "t = max(x.T, 0.5); cumsum(t * 0.5, 0), y + 1",
               *down = "t = max(update(y, y[1:-1, 1:-1], y[1:-1, 1:-1] * 0.5), x); t = t / (abs(t) + 1); "
                       "h = t[:, ::2] - t[:, 1::2]; q = 0.06 * (h[:-2] + 2 * h[1:-1] + h[2:]); "
                       "q = q[:, :-2] + 2 * q[:, 1:-1] + q[:, 2:]; cumsum(log(abs(q) + 1), 0), x + 1";
    assert_true(check(across, wide, &target_gpu) > 2);
    assert_true(check(down, flat, &target_gpu) > 2);
}

/* On a GPU a loop of much text has no version: nine neighbours of a quotient with repeated edges would be 49 divisions
 * for each element of the sum. */
static void alternatives_without_a_version_are_stored(void **state) {
    (void)state;
    const int64_t extent[] = {20000, 30};
    const char *text = "t = x / sqrt(abs(y) + 1); p = pad(t, 1, mode=edge); q = p[:-2] + 2 * p[1:-1] + p[2:]; "
                       "q = q[:, :-2] + 2 * q[:, 1:-1] + q[:, 2:]; sum(q * y, 1), x + 1";
    assert_in_range(check(text, extent, &target_gpu), 3, 4);
}

/* A team's threads hold 32 elements of a picture in 64 registers, and cannot hold beside them what a stencil with edges
 * loads behind the picture's deviation. */
static void teams_spill_no_stencils(void **state) {
    (void)state;
    static const char *const text[] = {"p = pad(x, 1, mode=edge); q = p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + "
                                       "p[1:-1, 2:]; q - x / std(x), y + 1",
                                       "(x - mean(x)) / std(x), y + 1"};
    const int64_t extent[] = {2048, 1536};
    for (int t = 0; t < 2; t++) {
        fsr_node out[2];
        int teams = 0;
        record(text[t], extent, out);
        fsr_program p = plan_of(&target_gpu, out, 2);
        for (int i = 0; i < p.info.kernels; i++) {
            const fsr_kernel *k = fsr_program_kernel(&p, i)->kernel;
            teams += k->schedule.kind == FSR_SCHEDULE_TEAM;
        }
        if (teams != t)
            fail_msg("%d teams\n%s", teams, p.explanation);
        fsr_program_clear(&p);
    }
}

/* Functions of a value in memory, which a sum would evaluate again. */
static void one_evaluation_is_enough(void **state) {
    (void)state;
    const int64_t n = 1 << 20, offsets = 1 << 16;
    fsr_node y = fsr_segment_sum(fsr_exp(fsr_sin(fsr_exp(plan_vector(g, n)))), fsr_input(g, "o", FSR_I64, 1, &offsets));
    fsr_program p = plan_of(&target_cpu, &y, 1);
    int functions = 0;
    for (int i = 0; i < p.info.kernels; i++) {
        const fsr_kernel *k = fsr_program_kernel(&p, i)->kernel;
        for (int v = 0; v < k->ninsts; v++)
            functions += k->inst[v].kind == FSR_INST_OP && k->inst[v].op == FSR_OP_SIN;
    }
    fsr_program_clear(&p);
    assert_int_equal(functions, 1);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {TEST(drawn_at_random),
                                       TEST(doubted_kernels_are_looked_at),
                                       TEST(dear_kernels_are_apart),
                                       TEST(few_steps_are_stored),
                                       TEST(little_is_no_gain),
                                       TEST(bytes_go_along),
                                       TEST(strided_stencils_are_stored),
                                       TEST(scans_of_much_are_apart),
                                       TEST(alternatives_without_a_version_are_stored),
                                       TEST(teams_spill_no_stencils),
                                       TEST(one_evaluation_is_enough)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
