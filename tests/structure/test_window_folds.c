/* SPDX-License-Identifier: MIT */
/* A fold of short windows that slide is maps of the windows' places, up to 64 on a GPU and 25 on a CPU: one thread an
 * element, and the fold joins what is before and behind it. */
#include "tests/structure/plans.h"
#include "tests/support/one_graph.h"

#define COUNT(list) (int)(sizeof(list) / sizeof *(list))

/* Kernels of a plan, and whether none of them folds. */
static void check_on(const fsr_target *target, const char *name, const fsr_node *out, int n, int kernels, bool maps) {
    fsr_program p = plan_of(target, out, n);
    bool folds = false;
    for (int i = 0; i < plan_nests(&p); i++)
        folds = folds || plan_nest(&p, i)->npasses > 0;
    if (p.info.kernels != kernels || folds == maps)
        fail_msg("%s: %d kernels, %s\n%s", name, p.info.kernels, folds ? "folds" : "maps", p.explanation);
    fsr_program_clear(&p);
}

static void check(const char *name, const fsr_node *out, int n, int kernels, bool maps) {
    check_on(&target_gpu, name, out, n, kernels, maps);
}

static fsr_node windows(fsr_node x, int64_t size) {
    const int64_t side = size / 2;
    const fsr_node wide = fsr_pad(x, (int64_t[][2]){{side, side}, {side, side}}, FSR_PAD_EDGE, 0);
    return fsr_sliding_window(wide, (int64_t[]){size, size}, AXES(0, 1), 2);
}

static fsr_node greatest(fsr_node x) {
    return fsr_max(windows(x, 3), AXES(2, 3), 2, 0);
}

static fsr_node least(fsr_node x) {
    return fsr_min(windows(x, 3), AXES(2, 3), 2, 0);
}

static void morphology(void **state) {
    (void)state;
    const fsr_node x = fsr_input(g, "x", FSR_U8, 2, (int64_t[]){601, 803}), high = greatest(x), low = least(x);
    const fsr_node out[] = {greatest(low), least(high), fsr_sub(high, low), fsr_sub(x, greatest(low))};
    check("opened and closed", out, COUNT(out), 2, true);
    check_on(&target_cpu, "opened and closed on a CPU", out, COUNT(out), 2, true);
}

static void weights(void **state) {
    (void)state;
    const fsr_node x = fsr_exp(plan_matrix(g, 300, 500)), w = windows(plan_matrix(g, 700, 900), 5);
    const fsr_node sum = fsr_sum(fsr_mul(w, plan_matrix(g, 5, 5)), AXES(2, 3), 2, 0);
    const fsr_node mean = fsr_sqrt(fsr_mean(windows(x, 3), AXES(2, 3), 2, 0));
    check("weights", &sum, 1, 1, true);
    check("mean", &mean, 1, 1, true);
    check_on(&target_cpu, "weights on a CPU", &sum, 1, 1, true);
}

/* Windows that somebody else reads, and long ones; sums of halves are made in f32, and are maps. */
static void folds(void **state) {
    (void)state;
    const fsr_node w = fsr_sliding_window(plan_vector(g, 50000), (int64_t[]){9}, AXES(0), 1);
    const fsr_node power = fsr_exp(fsr_sub(w, fsr_max(w, AXES(1), 1, FSR_KEEPDIMS)));
    const fsr_node softmax = fsr_div(power, fsr_sum(power, AXES(1), 1, FSR_KEEPDIMS));
    const fsr_node wide = fsr_sliding_window(plan_vector(g, 50000), (int64_t[]){129}, AXES(0), 1);
    const fsr_node half =
        fsr_sliding_window(fsr_input(g, "h", FSR_F16, 1, (int64_t[]){5000}), (int64_t[]){9}, AXES(0), 1);
    const fsr_node longer = fsr_max(wide, AXES(1), 1, 0), halves = fsr_sum(half, AXES(1), 1, 0);
    check("softmax", &softmax, 1, 1, false);
    check("longer", &longer, 1, 1, false);
    check("halves", &halves, 1, 1, true);
    check_on(&target_cpu, "long on a CPU", &longer, 1, 1, false);
}

/* A plan that runs is made of the same flow as one that is only looked at: it had a list of its own of what is done to
 * a flow, in which these maps were not. */
static void plans_that_run(void **state) {
    (void)state;
    const int64_t shape[] = {60, 80};
    fsr_config config;
    fsr_context *ctx;
    fsr_plan *plan;
    fsr_plan_info info;
    char why[256];
    assert_int_equal(fsr_config_init(&config, why, sizeof why), FSR_OK);
    config.backend = FSR_BACKEND_CPU;
    assert_int_equal(fsr_open(&config, &ctx), FSR_OK);
    fsr_graph *own = fsr_graph_new(ctx);
    const fsr_node x = fsr_input(own, "x", FSR_U8, 2, shape), high = greatest(x), low = least(x);
    const fsr_node out[] = {greatest(low), least(high)};
    assert_int_equal(fsr_compile(out, COUNT(out), &plan), FSR_OK);
    fsr_plan_query(plan, &info);
    fsr_program p = plan_of(&target_cpu, out, COUNT(out));
    assert_int_equal(info.kernels, p.info.kernels);
    fsr_program_clear(&p);
    fsr_plan_free(plan);
    fsr_graph_free(own);
    fsr_close(ctx);
}

/* A window that is shown again for each filter of a bank: a map on a GPU, whose threads each have one filter's sum. */
static void banks(void **state) {
    (void)state;
    const fsr_node line = fsr_sliding_window(fsr_input(g, "x", FSR_F32, 1, SHAPE(131072)), SHAPE(16), AXES(0), 1);
    const fsr_node phases = fsr_sum(fsr_mul(fsr_expand(line, 1), plan_matrix(g, 8, 16)), AXES(2), 1, 0);
    check("phases of a filter", &phases, 1, 1, true);
    const fsr_node square = fsr_sliding_window(plan_matrix(g, 700, 900), SHAPE(3, 3), AXES(0, 1), 2);
    const fsr_node weights = fsr_input(g, "w", FSR_F32, 3, SHAPE(12, 3, 3));
    const fsr_node far = fsr_max(fsr_abs(fsr_sub(fsr_expand(square, 2), weights)), AXES(3, 4), 2, 0);
    check("distances from twelve pictures", &far, 1, 1, true);
}

int main(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {T(morphology), T(weights), T(banks), T(folds), T(plans_that_run)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
