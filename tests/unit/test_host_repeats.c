/* SPDX-License-Identifier: MIT */
/* Loops over arrays whose turns one launch does: the generated CUDA, run on the host, gives what the interpreter does,
 * with states that lie in slices and that alternate between two buffers, slices from either end, and the number of the
 * turn. */
#include "tests/host_cuda/host_cuda.h"
#include "tests/support/host_plan.h"
#include "tests/support/one_graph.h"
#include <stdio.h>

#define AXES(...) ((const int[]){__VA_ARGS__})
#define SHAPE(...) ((const int64_t[]){__VA_ARGS__})

/* A running sum of the row and of what the state has become. */
static void summed(fsr_node *out, const fsr_node *s, const fsr_node *in, void *user) {
    (void)user;
    fsr_node x = fsr_add(fsr_mul(s[0], fsr_float(g, 0.25)), fsr_add(in[0], in[1]));
    out[0] = out[1] = fsr_cumsum(x, AXES(0), 1, 0);
}

/* Neighbours, and what the number of the turn says. */
static void spread(fsr_node *out, const fsr_node *s, const fsr_node *in, void *user) {
    (void)user;
    fsr_node x = s[0], far = fsr_add(fsr_roll(x, SHAPE(1), AXES(0), 1), fsr_roll(x, SHAPE(-1), AXES(0), 1));
    out[0] = fsr_add(fsr_mul(far, fsr_float(g, 0.5)), fsr_cast(in[0], FSR_F32));
}

/* Two states, each of which reads the other; the first is normalized by its sum. */
static void crossed(fsr_node *out, const fsr_node *s, const fsr_node *in, void *user) {
    (void)user;
    fsr_node sum = fsr_add(fsr_sum(s[0], AXES(0), 1, FSR_KEEPDIMS), fsr_float(g, 1));
    out[0] = fsr_add(fsr_div(s[1], sum), in[0]);
    out[1] = out[2] = fsr_add(fsr_mul(s[0], fsr_float(g, 0.5)), fsr_flip(s[1], 0));
}

static fsr_node summed_of(int64_t n, int64_t turns, int flags, int result) {
    fsr_node in[] = {INPUT(g, FSR_F32, turns, n), INPUT(g, FSR_F32, turns)}, first = INPUT(g, FSR_F32, n), out[2];
    fsr_scan_loop(out, &first, 1, in, 2, 1, 0, flags, summed, NULL);
    return out[result];
}

static fsr_node spread_of(int64_t n, int64_t turns) {
    fsr_node first = INPUT(g, FSR_F32, n), out;
    fsr_fori_loop(&out, &first, 1, fsr_int(g, turns), spread, NULL);
    return out;
}

static fsr_node crossed_of(int64_t n, int64_t turns, int result) {
    fsr_node in = INPUT(g, FSR_F32, turns, n), first[] = {INPUT(g, FSR_F32, n), INPUT(g, FSR_F32, n)}, out[3];
    fsr_scan_loop(out, first, 2, &in, 1, 1, 0, 0, crossed, NULL);
    return out[result];
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static void states_in_slices(void **state) {
    (void)state;
    static const int64_t lengths[] = {2, 3, 64, 300, 1030};
    for (int i = 0; i < 5; i++)
        for (int way = 0; way < 4; way++)
            host_plan_check(g, summed_of(lengths[i], 2 + way, way & 1 ? FSR_REVERSE : 0, way / 2), FSR_SCHEDULE_ROW, 0);
}

/* The last turn writes the result, whether turns are even or odd. */
static void states_in_turn(void **state) {
    (void)state;
    for (int64_t turns = 2; turns < 6; turns++) {
        host_plan_check(g, spread_of(50, turns), FSR_SCHEDULE_MAP, 0);
        host_plan_check(g, spread_of(512, turns), FSR_SCHEDULE_MAP, 0);
        for (int result = 0; result < 3; result++)
            host_plan_check(g, crossed_of(64, turns, result), FSR_SCHEDULE_ROW, 0);
    }
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {TEST(states_in_slices), TEST(states_in_turn)};
    if (!host_cuda_available()) {
        printf("skipped: no C++ compiler to run kernels on the host with\n");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
