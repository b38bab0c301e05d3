/* SPDX-License-Identifier: MIT */
/* Lattices, whose planes are relaxed together and rolled each its own way, and borders of borders, on a GPU: what all
 * planes need is computed once, and of alternatives an element computes its own. */
#include "tests/structure/plans.h"
#include "tests/support/one_graph.h"
#include <stdlib.h>

enum { MOST_PLANES = 27 };

/* One of the arrays that f is a stack of. */
static fsr_node plane_of(fsr_node f, int k) {
    return fsr_squeeze(fsr_slice(f, 0, k, k + 1, 1), 0);
}

static fsr_node times(fsr_node x, double by) {
    return fsr_mul(x, fsr_float(g, by));
}

/* How plane k goes along dimension d: -1, 0 or 1; the first `planes` of all 3^dims ways that are at most two steps. */
static int ways(int dims, int most, int way[MOST_PLANES][3]) {
    int n = 0;
    for (int i = 0; i < (dims == 2 ? 9 : 27); i++) {
        const int by[] = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
        const int steps = abs(by[0]) + abs(by[1]) + (dims == 3 ? abs(by[2]) : 0);
        for (int d = 0; d < dims && steps <= most; d++)
            way[n][d] = by[d];
        n += steps <= most;
    }
    return n;
}

/* Collision and streaming of one turn. */
static fsr_node lattice(int dims, const int64_t *extent, int most) {
    int way[MOST_PLANES][3] = {{0}}, axes[] = {0, 1, 2};
    int64_t shape[4] = {ways(dims, most, way)};
    for (int d = 0; d < dims; d++)
        shape[1 + d] = extent[d];
    const int n = (int)shape[0];
    fsr_node f = fsr_input(g, "f", FSR_F32, dims + 1, shape), rho = fsr_sum(f, axes, 1, 0), u[3], square = {0};
    for (int d = 0; d < dims; d++) {
        fsr_node sum = times(rho, 0);
        for (int k = 0; k < n; k++)
            sum = way[k][d] ? fsr_add(sum, times(plane_of(f, k), way[k][d])) : sum;
        u[d] = fsr_div(sum, rho);
        square = d ? fsr_add(square, fsr_mul(u[d], u[d])) : fsr_mul(u[d], u[d]);
    }
    fsr_node plane[MOST_PLANES], rest = fsr_sub(fsr_float(g, 1), times(square, 1.5));
    for (int k = 0; k < n; k++) {
        fsr_node along = times(rho, 0);
        for (int d = 0; d < dims; d++)
            along = fsr_add(along, times(u[d], way[k][d]));
        fsr_node wanted = fsr_add(fsr_add(rest, times(along, 3)), times(fsr_mul(along, along), 4.5));
        plane[k] = fsr_sub(plane_of(f, k), times(fsr_sub(plane_of(f, k), times(fsr_mul(rho, wanted), 1.0 / n)), 0.6));
        for (int d = 0; d < dims; d++)
            plane[k] = way[k][d] ? fsr_roll(plane[k], (const int64_t[]){way[k][d]}, axes + d, 1) : plane[k];
    }
    return fsr_stack(plane, n, 0);
}

/* So many kernels, and bytes for each of the least, at most. */
static void check(fsr_node x, int kernels, double bytes) {
    fsr_program p = plan_of(&target_gpu, &x, 1);
    const bool good = p.info.kernels <= kernels && (double)p.info.bytes_moved <= bytes * (double)p.info.bytes_min;
    if (!good)
        print_error("%s", p.explanation);
    fsr_program_clear(&p);
    assert_true(good);
}

static void lattices(void **state) {
    (void)state;
    check(lattice(2, (const int64_t[]){512, 512}, 2), 3, 3.1);
    check(lattice(2, (const int64_t[]){700, 900}, 1), 2, 1.8);
    check(lattice(3, (const int64_t[]){64, 64, 64}, 1), 2, 2);
    check(lattice(3, (const int64_t[]){48, 96, 80}, 2), 40, 13); /* the peak of memory cuts it */
}

/* The lattice of 19 velocities as a program would write it. On a CPU a kernel that was lowered again without a store
 * that nobody read came to load another such one, and waited for a kernel that was gone. */
static void on_a_cpu(void **state) {
    (void)state;
    static const int way[19][3] = {{0, 0, 0},  {0, 0, 1},   {0, 0, -1},  {0, 1, 0},  {0, 1, 1},  {0, 1, -1}, {0, -1, 0},
                                   {0, -1, 1}, {0, -1, -1}, {1, 0, 0},   {1, 0, 1},  {1, 0, -1}, {1, 1, 0},  {1, -1, 0},
                                   {-1, 0, 0}, {-1, 0, 1},  {-1, 0, -1}, {-1, 1, 0}, {-1, -1, 0}};
    static const double weight[] = {1.0 / 3, 1.0 / 18, 1.0 / 36};
    static const int axes[] = {0, 1, 2};
    fsr_node f = fsr_add(fsr_input(g, "f", FSR_F32, 4, (const int64_t[]){19, 48, 96, 80}), fsr_float(g, 1));
    fsr_node rho = fsr_sum(f, axes, 1, 0), u[3], plane[19];
    for (int d = 0; d < 3; d++) {
        int n = 0;
        for (int k = 0; k < 19; k++)
            if (way[k][d])
                u[d] = n++ ? (way[k][d] > 0 ? fsr_add(u[d], plane_of(f, k)) : fsr_sub(u[d], plane_of(f, k)))
                           : plane_of(f, k);
        u[d] = fsr_div(u[d], rho);
    }
    fsr_node square = fsr_add(fsr_add(fsr_mul(u[0], u[0]), fsr_mul(u[1], u[1])), fsr_mul(u[2], u[2]));
    fsr_node rest = fsr_sub(fsr_float(g, 1), fsr_mul(fsr_float(g, 1.5), square));
    for (int k = 0; k < 19; k++) {
        fsr_node along = fsr_mul(fsr_float(g, 0), u[0]);
        int n = 0;
        for (int d = 0; d < 3; d++)
            if (way[k][d]) {
                fsr_node first = way[k][d] > 0 ? u[d] : fsr_neg(u[d]);
                along = n++ ? (way[k][d] > 0 ? fsr_add(along, u[d]) : fsr_sub(along, u[d])) : first;
            }
        fsr_node wanted =
            fsr_add(fsr_add(rest, fsr_mul(fsr_float(g, 3), along)), fsr_mul(fsr_mul(fsr_float(g, 4.5), along), along));
        wanted = fsr_mul(fsr_mul(fsr_float(g, weight[n]), rho), wanted);
        plane[k] = fsr_sub(plane_of(f, k), fsr_mul(fsr_float(g, 0.6), fsr_sub(plane_of(f, k), wanted)));
        for (int d = 0; d < 3; d++)
            plane[k] = way[k][d] ? fsr_roll(plane[k], (const int64_t[]){way[k][d]}, axes + d, 1) : plane[k];
    }
    fsr_node both[] = {fsr_stack(plane, 10, 0), fsr_stack(plane + 10, 9, 0)}, x = fsr_concat(both, 2, 0);
    fsr_program p = plan_of(&target_cpu, &x, 1);
    assert_in_range(p.info.kernels, 1, 60);
    fsr_program_clear(&p);
}

/* Of a border of a border a thread computes one side. */
static void borders_have_branches(void **state) {
    (void)state;
    const int64_t n = 501;
    fsr_node p = plan_matrix(g, n, n), b = plan_matrix(g, n - 2, n - 2);
    for (int sweep = 0; sweep < 2; sweep++) {
        fsr_node inner = fsr_slice(fsr_slice(p, 0, 1, n - 1, 1), 1, 1, n - 1, 1), much = inner;
        for (int i = 1; i < 10; i++)
            much = fsr_mul(fsr_div(much, fsr_add(inner, fsr_float(g, i))), b);
        p = fsr_update(p, inner, much);
        p = fsr_update(p, fsr_slice(p, 1, n - 1, n, 1), fsr_slice(p, 1, n - 2, n - 1, 1));
        p = fsr_update(p, fsr_slice(p, 0, 0, 1, 1), fsr_slice(p, 0, 1, 2, 1));
        p = fsr_update(p, fsr_slice(p, 1, 0, 1, 1), fsr_slice(p, 1, 1, 2, 1));
    }
    fsr_program program = plan_of(&target_gpu, &p, 1);
    assert_in_range(program.info.kernels, 1, 2);
    for (int i = 0; i < program.info.kernels; i++)
        assert_true(fsr_program_kernel(&program, i)->kernel->schedule.branched);
    fsr_program_clear(&program);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {TEST(lattices), TEST(on_a_cpu), TEST(borders_have_branches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
