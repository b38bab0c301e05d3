/* SPDX-License-Identifier: MIT */
/* Loops over arrays as a GPU runs them, by a driver that is none (fake_cuda.h): what a turn launches and copies, and
 * that slices which lie at odd addresses, and states that lie in what is stacked, give what plain loops do. */
#include "tests/support/subject.h"
#include <stdio.h>

#ifndef FUSOR_HAVE_CUDA
int main(void) {
    printf("skipped: built without a CUDA toolkit's header\n");
    return 77;
}
#else
#include "tests/host_cuda/host_cuda.h"
#include "tests/trust/fake_cuda.h"
#include "tests/trust/faults.h"
#include "tests/trust/scenarios.h"
#include <stdlib.h>
#include <string.h>

enum { TURNS = 23, MOST = 80 };

static fsr_context *ctx;
static fsr_graph *g;

static int setup(void **state) {
    (void)state;
    const fsr_config config = scenario_config(FSR_BACKEND_CUDA);
    fake_cuda_reset();
    ctx = scenario_open(&config);
    g = fsr_graph_new(ctx);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    fsr_close(ctx);
    return 0;
}

static int copied;

static void count_copy(void) {
    ++copied;
}

/* Computes; how many kernels it launches, and `copied`. */
static int64_t launches(fsr_node *out, int n) {
    const int64_t before = fake.launches;
    copied = 0;
    fake.at_copy = count_copy;
    if (fsr_compute(out, n))
        fail_msg("%s", fsr_error(ctx));
    fake.at_copy = NULL;
    return fake.launches - before;
}

/* ---- states that are all kept ------------------------------------------------------------------------------------ */

/* The running maximum of what the state's left neighbour and a number of the turn make. */
static void chained(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    (void)user;
    fsr_node left = fsr_roll(state[0], SHAPE(1), (int[]){0}, 1);
    out[0] = out[1] = fsr_cummax(fsr_sub(left, fsr_cast(in[0], FSR_I32)), (int[]){0}, 1, 0);
}

static void chained_by_hand(int32_t *rows, const int32_t *first, const uint8_t *x, int64_t n, bool back) {
    int32_t y[MOST], next[MOST];
    memcpy(y, first, (size_t)n * sizeof *y);
    for (int t = 0; t < TURNS; t++) {
        const int at = back ? TURNS - 1 - t : t;
        for (int64_t j = 0; j < n; j++) {
            next[j] = y[(j + n - 1) % n] - x[at];
            next[j] = j && next[j - 1] > next[j] ? next[j - 1] : next[j];
        }
        memcpy(y, next, sizeof y);
        memcpy(rows + at * n, y, (size_t)n * sizeof *y);
    }
}

/* Of n numbers a state: all turns are one kernel, and the last state is copied where it is asked for beside all. */
static void check_chained(int64_t n, bool back) {
    int32_t first[MOST], want[TURNS * MOST], got[TURNS * MOST];
    uint8_t x[TURNS];
    for (int i = 0; i < n; i++)
        first[i] = i * 7919 % 101;
    for (int i = 0; i < TURNS; i++)
        x[i] = (uint8_t)(i * 31 % 17);
    chained_by_hand(want, first, x, n, back);
    for (int wanted = 0; wanted < 3; wanted++) { /* the last state, all states, both */
        fsr_node state = fsr_from_host(g, FSR_I32, 1, &n, first), in = fsr_from_host(g, FSR_U8, 1, SHAPE(TURNS), x),
                 out[2];
        fsr_scan_loop(out, &state, 1, &in, 1, 1, 0, back ? FSR_REVERSE : 0, chained, NULL);
        assert_int_equal(launches(out + (wanted == 1), wanted == 2 ? 2 : 1), 1);
        assert_int_equal(copied, wanted == 2);
        if (wanted != 1) {
            OK(fsr_read(out[0], got, (size_t)n * sizeof *got));
            assert_memory_equal(got, want + (back ? 0 : TURNS - 1) * n, (size_t)n * sizeof *got);
        }
        if (wanted) {
            OK(fsr_read(out[1], got, (size_t)(TURNS * n) * sizeof *got));
            assert_memory_equal(got, want, (size_t)(TURNS * n) * sizeof *got);
        }
    }
}

/* Whatever the length of the state; the slice of one byte lies where it is. */
static void states_lie_in_what_is_stacked(void **state) {
    (void)state;
    for (int back = 0; back < 2; back++) {
        check_chained(5, back);
        check_chained(53, back);
        check_chained(64, back);
    }
}

/* ---- slices ------------------------------------------------------------------------------------------------------ */

/* A row that is elementwise of the state and of slices, of any length; the slices change from turn to turn. */
static void mixed(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    (void)user;
    fsr_node sum = fsr_sum(in[0], NULL, 0, 0);
    out[0] = fsr_add(fsr_mul(state[0], in[1]), fsr_add(in[0], fsr_roll(state[0], SHAPE(1), (int[]){0}, 1)));
    out[1] = fsr_sub(out[0], sum);
}

/* Whole numbers, so that sums are exact in any order. */
static void check_slices(int64_t n) {
    float x[TURNS * MOST], y[MOST] = {0}, next[MOST], want[TURNS * MOST], got[TURNS * MOST], factor[TURNS];
    for (int i = 0; i < TURNS * n; i++)
        x[i] = (float)(i * 31 % 9 - 4);
    for (int t = 0; t < TURNS; t++) {
        float sum = 0;
        factor[t] = t % 5 == 0 ? 1 : t % 5 == 1 ? -1 : 0;
        for (int64_t j = 0; j < n; j++)
            sum += x[t * n + j];
        for (int64_t j = 0; j < n; j++) {
            next[j] = y[j] * factor[t] + (x[t * n + j] + y[(j + n - 1) % n]);
            want[t * n + j] = next[j] - sum;
        }
        memcpy(y, next, sizeof y);
    }
    const int64_t shape[] = {TURNS, n};
    fsr_node in[] = {fsr_from_host(g, FSR_F32, 2, shape, x), fsr_from_host(g, FSR_F32, 1, shape, factor)},
             zero = fsr_from_host(g, FSR_F32, 1, &n, (float[MOST]){0}), out[2];
    fsr_scan_loop(out, &zero, 1, in, 2, 1, 0, 0, mixed, NULL);
    if (fsr_compute(out, 2))
        fail_msg("%s", fsr_error(ctx));
    OK(fsr_read(out[0], got, (size_t)n * sizeof *got));
    assert_memory_equal(got, y, (size_t)n * sizeof *got);
    OK(fsr_read(out[1], got, (size_t)(TURNS * n) * sizeof *got));
    assert_memory_equal(got, want, (size_t)(TURNS * n) * sizeof *got);
}

static void slices_of_any_length(void **state) {
    (void)state;
    static const int64_t lengths[] = {1, 2, 3, 4, 5, 7, 16, 33, 50, 64, 79};
    for (int i = 0; i < COUNT_OF(lengths); i++)
        check_slices(lengths[i]);
}

/* ---- reports ----------------------------------------------------------------------------------------------------- */

static void looked_up(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    (void)user;
    fsr_node index = fsr_add(fsr_arange(g, FSR_I32, fsr_node_dim(state[0], 0)), in[0]);
    out[0] = out[1] = fsr_add(fsr_take(state[0], fsr_mod(index, fsr_int(g, 9)), 0, FSR_INDEX_RAISE), fsr_float(g, 1));
}

/* An index outside is told of whichever turn finds it. */
static void indices_outside(void **state) {
    (void)state;
    for (int good = 0; good < 2; good++) {
        const int64_t n = 8;
        int32_t step[TURNS] = {0};
        step[TURNS - 5] = !good; /* 8 is outside of 8 */
        fsr_node first = fsr_from_host(g, FSR_F32, 1, &n, (float[MOST]){0}),
                 in = fsr_from_host(g, FSR_I32, 1, SHAPE(TURNS), step), out[2];
        float got[TURNS * MOST];
        fsr_scan_loop(out, &first, 1, &in, 1, 1, 0, 0, looked_up, NULL);
        assert_int_equal(launches(out + 1, 1), 1);
        assert_int_equal(fsr_read(out[1], got, (size_t)(TURNS * n) * sizeof *got), good ? FSR_OK : FSR_ERR_INDEX);
    }
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {TEST(states_lie_in_what_is_stacked), TEST(slices_of_any_length),
                                       TEST(indices_outside)};
    if (!host_cuda_available()) {
        printf("skipped: no C++ compiler to run kernels on the host with\n");
        return 77;
    }
    fault_fake_nvrtc(true);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
