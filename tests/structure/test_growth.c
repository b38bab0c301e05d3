/* SPDX-License-Identifier: MIT */
/* Programs that grow: the time to plan a node does not, nor do the bytes that it moves, nor does memory pass the
 * unfused program's. scripts/growth prints the whole table. */
#include "tests/structure/plans.h"
#include "tests/support/growing.h"
#include "tests/support/one_graph.h"
#include <malloc.h>
#include <stdlib.h>

enum { ELEMENTS = 4000000 };

static fsr_program plan_growing(const char *name, int n, plan_knobs knobs) {
    int nouts;
    fsr_node *out = growing_find(name)->record(g, n, ELEMENTS, &nouts);
    fsr_program p = plan_make(&target_gpu, out, nouts, knobs);
    free(out);
    return p;
}

static fsr_plan_info info_of(const char *name, int n) {
    fsr_program p = plan_growing(name, n, (plan_knobs){0});
    fsr_plan_info info = p.info;
    fsr_program_clear(&p);
    return info;
}

static double seconds_of(const char *name, int n) {
    int nouts;
    fsr_node *out = growing_find(name)->record(g, n, ELEMENTS, &nouts);
    double start = plan_seconds();
    fsr_program p = plan_of(&target_gpu, out, nouts);
    double seconds = plan_seconds() - start;
    fsr_program_clear(&p);
    free(out);
    return seconds;
}

/* Twenty times the nodes may take sixty times as long, for the noise of busy machines: the square would be four
 * hundred. */
static void time_is_linear(void **state) {
    (void)state;
    for (int i = 0; growing_at(i); i++) {
        const char *name = growing_at(i)->name;
        double small = seconds_of(name, 500), large = seconds_of(name, 10000);
        if (large > 60 * small + 0.2 * SLOWER)
            fail_msg("%s: 500 took %.3f s, 10000 %.3f s", name, small, large);
    }
}

/* A sum of 3,200 products was one array over the memory of the unfused program, and became 4,379 kernels; of values
 * that are used twice each became a kernel. */
static void no_cliff_in_kernels(void **state) {
    (void)state;
    assert_in_range(info_of("scaled", 2800).kernels, 1, 25);
    assert_in_range(info_of("scaled", 3200).kernels, 1, 28);
    assert_in_range(info_of("scaled", 20000).kernels, 1, 170);
    assert_in_range(info_of("shared", 1000).kernels, 1, 4);
    assert_in_range(info_of("shared", 20000).kernels, 1, 60);
    assert_in_range(info_of("chain", 334).kernels, 1, 1);
    assert_in_range(info_of("chain", 20000).kernels, 1, 52);
}

static void sums_of_products(void **state) {
    (void)state;
    static const int sizes[] = {10, 100, 1000, 3200, 50000};
    for (int i = 0; i < 5; i++) {
        fsr_plan_info info = info_of("products", sizes[i]);
        if ((double)info.bytes_moved > 1.1 * (double)info.bytes_min)
            fail_msg("%d products: %.3f of the least bytes", sizes[i],
                     (double)info.bytes_moved / (double)info.bytes_min);
    }
}

/* One after the other. */
static fsr_node sum_of(int n) {
    fsr_node sum = plan_vector(g, ELEMENTS);
    for (int i = 1; i < n; i++)
        sum = fsr_add(sum, plan_vector(g, ELEMENTS));
    return sum;
}

/* n sums of neighbours among n + 1 arrays: an array that two kernels read is read twice. */
static void neighbours_of(int n, fsr_node *out) {
    fsr_node last = plan_vector(g, ELEMENTS);
    for (int i = 0; i < n; i++) {
        const fsr_node next = plan_vector(g, ELEMENTS);
        out[i] = fsr_add(last, next);
        last = next;
    }
}

static void check_least(const fsr_target *target, const fsr_node *out, int n, bool one) {
    fsr_program p = plan_of(target, out, n);
    const fsr_plan_info info = p.info;
    int most = 0;
    for (int i = 0; i < plan_nests(&p); i++)
        most = plan_nest(&p, i)->narrays > most ? plan_nest(&p, i)->narrays : most;
    fsr_program_clear(&p);
    assert_in_range(most, 1, FSR_MAX_BUFFERS);
    if (one)
        assert_int_equal(info.kernels, 1);
    if ((double)info.bytes_moved > 1.1 * (double)info.bytes_min)
        fail_msg("%d kernels, %.3f of the least bytes", info.kernels,
                 (double)info.bytes_moved / (double)info.bytes_min);
}

/* Up to the arrays that a kernel may have there is one kernel, and behind that as many as it takes, each of which
 * stores and loads one value more, or reads one array again. One result is computed from 36 arrays at most: the rest is
 * for more results. */
static void arrays_of_one_kernel(void **state) {
    (void)state;
    enum { READ = 36, MOST = 150 };
    static const fsr_target *const targets[] = {&target_gpu, &target_cpu};
    for (int t = 0; t < 2; t++)
        for (int n = 2; n <= MOST; n += n < 20 || n > 60 ? 7 : 1) {
            fsr_node sum = sum_of(n), out[MOST];
            check_least(targets[t], &sum, 1, n <= READ);
            neighbours_of(n, out);
            check_least(targets[t], out, n, 2 * n + 1 <= FSR_MAX_BUFFERS);
        }
}

/* Each of two hundred arrays was written by a kernel of its own, and half of the memory twice. */
static void joined_by_many(void **state) {
    (void)state;
    static const int sizes[][2] = {{24, 2}, {48, 3}, {200, 7}, {1000, 32}};
    for (int i = 0; i < 4; i++) {
        fsr_plan_info info = info_of("joined", sizes[i][0]);
        assert_in_range(info.kernels, 1, sizes[i][1]);
        assert_true(info.bytes_moved == info.bytes_min);
    }
}

/* However many arrays lie between a reduction and its siblings. */
static void siblings_from_afar(void **state) {
    (void)state;
    static const int sizes[] = {32, 33, 100, 500};
    for (int i = 0; i < 4; i++) {
        fsr_plan_info info = info_of("turns", sizes[i]);
        assert_int_equal(info.kernels, sizes[i]);
        assert_true(info.bytes_moved == info.bytes_min);
    }
}

/* Room for what no kernel here has, such as loops for each element, is not kept by each of them. Bytes are those that
 * the allocator says are in use: where it says nothing, as under a sanitizer, nothing is asked. */
static void kernels_are_small(void **state) {
    (void)state;
    enum { KERNELS = 500, MOST = 6000 };
    int nouts;
    fsr_node *out = growing_find("folds")->record(g, KERNELS, ELEMENTS, &nouts);
    const size_t before = mallinfo2().uordblks;
    fsr_program p = plan_of(&target_gpu, out, nouts);
    const size_t after = mallinfo2().uordblks;
    assert_int_equal(p.info.kernels, KERNELS);
    fsr_program_clear(&p);
    free(out);
    if (after > before + (size_t)KERNELS * MOST)
        fail_msg("%zu bytes a kernel", (after - before) / KERNELS);
}

static void memory_of_the_unfused(void **state) {
    (void)state;
    static const int sizes[] = {3, 30, 300, 1000};
    for (int i = 0; growing_at(i); i++)
        for (int s = 0; s < 4; s++) {
            fsr_program fused = plan_growing(growing_at(i)->name, sizes[s], (plan_knobs){0});
            fsr_program unfused = plan_growing(growing_at(i)->name, sizes[s], (plan_knobs){.unfused = true});
            int64_t tiles = fused.info.bytes_min / 64 + (4 << 20);
            bool good = fused.info.peak_bytes <= unfused.info.peak_bytes + tiles;
            if (!good)
                print_error("%s, %d: %lld bytes, unfused %lld\n", growing_at(i)->name, sizes[s],
                            (long long)fused.info.peak_bytes, (long long)unfused.info.peak_bytes);
            fsr_program_clear(&fused);
            fsr_program_clear(&unfused);
            assert_true(good);
        }
}

int main(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(time_is_linear), T(no_cliff_in_kernels), T(sums_of_products),      T(siblings_from_afar),
        T(joined_by_many), T(kernels_are_small),   T(memory_of_the_unfused), T(arrays_of_one_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
