/* SPDX-License-Identifier: MIT */
/* Builders that are compositions become one kernel that reads each input once and stores nothing in between, on both
 * targets: what they are made of fuses. */
#include "tests/structure/plans.h"
#include "tests/support/one_graph.h"

/* bytes 0: of a diagonal every row is counted, not looked at. */
static void check_on(const fsr_target *target, fsr_node x, int kernels, int64_t bytes) {
    fsr_program p = plan_of(target, &x, 1);
    bool good = p.info.kernels == kernels && p.info.temporaries == 0 && (!bytes || p.info.bytes_moved == bytes);
    if (!good)
        print_error("on the %s: %lld bytes wanted\n%s\n", target->gpu ? "GPU" : "CPU", (long long)bytes, p.explanation);
    fsr_program_clear(&p);
    assert_true(good);
}

static void check(fsr_node x, int64_t bytes) {
    check_on(&target_gpu, x, 1, bytes);
    check_on(&target_cpu, x, 1, bytes);
}

enum { N = 1 << 20, ROWS = 1000, COLS = 512 };

static void elementwise(void **state) {
    (void)state;
    fsr_node x = plan_vector(g, N), y = plan_vector(g, N);
    check(fsr_around(x, 2), 8 * N);
    check(fsr_nan_to_num(x, 0, NULL, NULL), 8 * N);
    check(fsr_isclose(x, y, 1e-5, 1e-8, true), 9 * N);
    check(fsr_allclose(x, y, 1e-5, 1e-8, false), 8 * N + 1);
    check(fsr_sinc(x), 8 * N);
    check(fsr_mean_as(x, FSR_F64, NULL, 0, 0), 4 * N + 8);
    check(fsr_cumsum_as(x, FSR_F64, NULL, 0, 0), 12 * N);
}

static void neighbours(void **state) {
    (void)state;
    fsr_node x = plan_vector(g, N), m = plan_matrix(g, ROWS, COLS);
    check(fsr_convolve(x, plan_vector(g, 5), FSR_SAME), 8 * N + 20);
    check(fsr_convolve(x, plan_vector(g, 5), FSR_FULL), 8 * N + 16 + 20);
    check(fsr_convolve(x, plan_vector(g, 17), FSR_SAME), 8 * N + 68);
    check(fsr_correlate(x, plan_vector(g, 9), FSR_VALID), 8 * N - 32 + 36);
    check(fsr_gradient(x, 0.5, 0, 1), 8 * N);
    check(fsr_gradient(m, 0.5, 1, 2), 8 * ROWS * COLS);
    check(fsr_ediff1d(x, (fsr_node){0}, (fsr_node){0}), 8 * N - 4);
    check(fsr_sum(fsr_square(fsr_gradient(x, 1, 0, 1)), NULL, 0, 0), 4 * N + 4);
}

static void matrices(void **state) {
    (void)state;
    fsr_node m = plan_matrix(g, ROWS, COLS), v = plan_vector(g, COLS), w = plan_vector(g, ROWS);
    check(fsr_diagonal(fsr_exp(m), 3, 0, 1), 0);
    check(fsr_trace(fsr_mul(m, m), 0, 0, 1), 0);
    check(fsr_diag(v, 1), 4 * COLS + 4 * (COLS + 1) * (COLS + 1));
    check(fsr_sum(fsr_outer(w, v), AXES(1), 1, 0), 4 * ROWS + 4 * COLS + 4 * ROWS);
    check(fsr_kron(plan_matrix(g, 30, 40), plan_matrix(g, 20, 10)), 4 * (1200 + 200 + 1200 * 200));
    fsr_node cross = fsr_cross(plan_matrix(g, N, 3), plan_matrix(g, N, 3), -1);
    check(cross, 36 * (int64_t)N); /* a point does three places: 2.5 ms of a CPU, and a kernel for each 6.8 */
    check(fsr_vecdot(m, v, -1), 4 * ROWS * COLS + 4 * COLS + 4 * ROWS);
    check(fsr_vander(v, 4, true), 4 * COLS + 8 * COLS * 4);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {TEST(elementwise), TEST(neighbours), TEST(matrices)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
