/* SPDX-License-Identifier: MIT */
/* Sums of sums: a convolution as the taps of its filter, each a sum over channels. The sums of all taps are one kernel,
 * or as many as have room for them, and what is stored is their sum alone, also where another kernel reads it. */
#include "tests/structure/plans.h"
#include "tests/support/one_graph.h"

enum { IMAGES = 4, SIDE = 40, CHANNELS = 3, MADE = 16 };
#define COUNT(list) (int)(sizeof(list) / sizeof *(list))

/* The first `taps` of a filter of size by size, without a border. */
static fsr_node convolved(int64_t size, int taps) {
    const int64_t side = SIDE - size + 1;
    const int channels = 3;
    fsr_node x = fsr_input(g, "x", FSR_F32, 4, (int64_t[]){IMAGES, SIDE, SIDE, CHANNELS}), sum = {0};
    fsr_node w = fsr_input(g, "w", FSR_F32, 4, (int64_t[]){size, size, CHANNELS, MADE});
    for (int k = 0; k < taps; k++) {
        const int64_t r = k / size, c = k % size;
        fsr_node at = fsr_slice(fsr_slice(x, 1, r, r + side, 1), 2, c, c + side, 1);
        fsr_node tap =
            fsr_reshape(fsr_slice(fsr_slice(w, 0, r, r + 1, 1), 1, c, c + 1, 1), 2, ((int64_t[]){CHANNELS, MADE}));
        fsr_node term = fsr_sum(fsr_mul(fsr_expand(at, 4), tap), &channels, 1, 0);
        sum = k ? fsr_add(sum, term) : term;
    }
    return sum;
}

static int64_t bytes_of(fsr_node x) {
    int64_t n = 4;
    for (int d = 0; d < fsr_node_ndim(x); d++)
        n *= fsr_node_dim(x, d);
    return n;
}

/* Of the images and the filter, which each kernel reads. */
static int64_t bytes_of_leaves(void) {
    return 4 * (IMAGES * SIDE * SIDE * CHANNELS + 7 * 7 * CHANNELS * MADE);
}

/* So many kernels and temporaries, and no byte beside those of what they read and store. */
static void check(const char *name, const fsr_node *out, int n, int kernels, int64_t between) {
    static const fsr_target *const target[] = {&target_gpu, &target_cpu};
    int wrong = 0;
    for (int t = 0; t < COUNT(target); t++) {
        fsr_program p = plan_of(target[t], out, n);
        const bool good = p.info.kernels == kernels && p.info.temporaries == kernels - 1 &&
                          p.info.bytes_moved <= p.info.bytes_min + 2 * between + (kernels - 1) * bytes_of_leaves();
        if (!good)
            print_error("%s: %d kernels, %d temporaries, %lld bytes\n%s\n", name, p.info.kernels, p.info.temporaries,
                        (long long)p.info.bytes_moved, p.explanation);
        wrong += !good;
        fsr_program_clear(&p);
    }
    assert_int_equal(wrong, 0);
}

/* As many folds as a kernel has; what is more goes on with the sum so far. */
static void taps(void **state) {
    (void)state;
    static const struct {
        int size, taps, kernels;
    } cases[] = {{2, 2, 1}, {3, 9, 1}, {4, 16, 1}, {5, 17, 2}, {5, 25, 2}, {7, 49, 4}};
    for (int i = 0; i < COUNT(cases); i++) {
        const fsr_node sum = convolved(cases[i].size, cases[i].taps);
        check("taps", &sum, 1, cases[i].kernels, (cases[i].kernels - 1) * bytes_of(sum));
    }
}

/* Folded again, at its own places or in squares of 2 by 2, or read by its neighbours: the sum is stored once. */
static void read_elsewhere(void **state) {
    (void)state;
    const fsr_node sum = fsr_maximum(convolved(3, 9), fsr_float(g, 0));
    const int64_t side = SIDE - 2;
    const fsr_node blocks = fsr_reshape(sum, 6, ((int64_t[]){IMAGES, side / 2, 2, side / 2, 2, MADE}));
    const fsr_node beside = fsr_add(fsr_slice(sum, 1, 1, side, 1), fsr_slice(sum, 1, 0, side - 1, 1));
    const fsr_node out[] = {fsr_max(blocks, ((int[]){2, 4}), 2, 0), fsr_sum(sum, ((int[]){0}), 1, 0), beside};
    static const char *const name[] = {"greatest of squares", "sums over images", "neighbours"};
    for (int i = 0; i < COUNT(out); i++)
        check(name[i], &out[i], 1, 2, bytes_of(sum));
}

/* Where the folds' own kernel goes on in its next pass nothing is stored. */
static void next_pass(void **state) {
    (void)state;
    const fsr_node x = plan_matrix(g, 20000, 200);
    const int axis = 1;
    const fsr_node both = fsr_add(fsr_max(x, &axis, 1, FSR_KEEPDIMS), fsr_sum(x, &axis, 1, FSR_KEEPDIMS));
    const fsr_node out = fsr_sub(x, both);
    check("maximum and sum", &out, 1, 1, 0);
}

int main(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {T(taps), T(read_elsewhere), T(next_pass)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
