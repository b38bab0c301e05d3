/* SPDX-License-Identifier: MIT */
/* On a GPU sums over all pairs of points are one kernel that looks at a pair once: the squared distance, a sum of two
 * to four squares, is a map, and one thread sums all coordinates. A CPU has other kernels. */
#include "tests/structure/plans.h"
#include "tests/support/one_graph.h"

enum { POINTS = 2000 };

/* The coordinates of b less those of a for all pairs: [points, points, size], or [size, points, points]. */
static fsr_node differences(fsr_node a, fsr_node b, bool first) {
    return first ? fsr_sub(fsr_expand(b, 1), fsr_expand(a, 2)) : fsr_sub(fsr_expand(b, 0), fsr_expand(a, 1));
}

static fsr_node points(int64_t size, bool first) {
    return first ? plan_matrix(g, size, POINTS) : plan_matrix(g, POINTS, size);
}

/* One kernel with so many folds of POINTS rows, and POINTS columns. */
static void check(const char *name, fsr_node out, int folds) {
    fsr_program p = plan_of(&target_gpu, &out, 1);
    const fsr_kernel *k = p.info.kernels == 1 ? fsr_program_kernel(&p, 0)->kernel : NULL;
    if (!k || k->nfolds != folds || k->integer[FSR_INT_ROWS] != POINTS || k->integer[FSR_INT_COLS] != POINTS)
        fail_msg("%s: %d kernels, %d folds\n%s", name, p.info.kernels, k ? k->nfolds : 0, p.explanation);
    fsr_program_clear(&p);
}

/* Of each point the sum over all of weight(squared distance) times the difference. */
static fsr_node forces(int64_t size, bool first) {
    const fsr_node x = points(size, first), d = differences(x, x, first);
    const fsr_node far = fsr_add(fsr_sum(fsr_mul(d, d), AXES(first ? 0 : 2), 1, 0), fsr_float(g, 0.01));
    const fsr_node weight = fsr_div(plan_vector(g, POINTS), fsr_mul(far, fsr_sqrt(far)));
    return fsr_sum(fsr_mul(d, fsr_expand(weight, first ? 0 : 2)), AXES(first ? 2 : 1), 1, 0);
}

static void gravity(void **state) {
    (void)state;
    check("two coordinates", forces(2, false), 2);
    check("three", forces(3, false), 3);
    check("four", forces(4, false), 4);
    check("planes of them", forces(3, true), 3);
}

/* Nothing has coordinates behind the distance; distances to other points, and the nearest of these. */
static void distances(void **state) {
    (void)state;
    const fsr_node x = points(3, false), y = points(3, false), d = differences(x, y, false);
    const fsr_node far = fsr_sqrt(fsr_sum(fsr_mul(d, d), AXES(2), 1, 0));
    check("near ones", fsr_sum(fsr_less(far, fsr_float(g, 0.1)), AXES(1), 1, 0), 1);
    check("the least", fsr_min(far, AXES(1), 1, 0), 1);
    check("the nearest", fsr_argmin(far, AXES(1), 1, 0), 1);
}

/* A value of the pair that three sums take is computed once, however cheap it is to store; a sum of pictures' colours,
 * which shares nothing, keeps its rows. */
static void shared(void **state) {
    (void)state;
    const fsr_node pair =
        fsr_tanh(fsr_mul(fsr_expand(plan_vector(g, POINTS), 0), fsr_expand(plan_vector(g, POINTS), 1)));
    const fsr_node all = fsr_mul(fsr_exp(fsr_sin(pair)), fsr_cos(pair));
    check("three sums", fsr_sum(fsr_mul(fsr_expand(all, 2), fsr_expand(points(3, false), 0)), AXES(1), 1, 0), 3);
    const fsr_node colours = fsr_input(g, "c", FSR_F32, 3, SHAPE(480, 640, 3)),
                   mean = fsr_mean(colours, AXES(0, 1), 2, 0);
    fsr_program p = plan_of(&target_gpu, &mean, 1);
    assert_int_equal(p.info.kernels, 1);
    assert_int_equal(fsr_program_kernel(&p, 0)->kernel->nfolds, 1);
    fsr_program_clear(&p);
}

/* Counter-examples: of a softmax over three each element would compute all three exponentials; what is stored is folded
 * as it was; and so are channels of a convolution, which are many sums in one. */
static void folds(void **state) {
    (void)state;
    const fsr_node x = plan_matrix(g, 20000, 3), e = fsr_exp(fsr_sub(x, fsr_max(x, AXES(1), 1, FSR_KEEPDIMS)));
    const fsr_node out[] = {fsr_div(e, fsr_sum(e, AXES(1), 1, FSR_KEEPDIMS)), fsr_sum(x, AXES(1), 1, 0)};
    for (int i = 0; i < 2; i++) {
        fsr_program p = plan_of(&target_gpu, &out[i], 1);
        assert_int_equal(p.info.kernels, 1);
        assert_int_equal(fsr_program_kernel(&p, 0)->kernel->integer[FSR_INT_COLS], 3);
        fsr_program_clear(&p);
    }
}

int main(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {T(gravity), T(distances), T(shared), T(folds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
