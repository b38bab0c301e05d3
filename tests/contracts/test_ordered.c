/* SPDX-License-Identifier: MIT */
/* Folds that keep their order: a linear recurrence of wrapping integers, where every tree gives the same bits and every
 * other order others, against a plain loop. Around the sizes where strips, chunks and parts end, beside a sum, over one
 * axis and over two that are not adjacent. */
#include "tests/support/recurrence.h"
#include "tests/support/subject.h"
#include <stdlib.h>

typedef struct pair {
    int32_t scale, shift;
} pair;

static pair then(pair l, pair r) {
    return (pair){(int32_t)((uint32_t)l.scale * (uint32_t)r.scale),
                  (int32_t)((uint32_t)l.shift * (uint32_t)r.scale + (uint32_t)r.shift)};
}

static pair element(int64_t i) {
    return (pair){(int32_t)(2 * (i * 2654435761 % 1000003) + 1), (int32_t)(i * 40503 % 65537)};
}

static fsr_node leaf(int64_t n, bool shift) {
    int32_t *x = malloc((size_t)n * sizeof *x);
    for (int64_t i = 0; i < n; i++)
        x[i] = shift ? element(i).shift : element(i).scale;
    fsr_node node = fsr_from_host(subject_g, FSR_I32, 1, SHAPE(n), x);
    free(x);
    return node;
}

static void check(fsr_node out, pair want, const char *what, int64_t n) {
    int32_t *got = subject_read(out);
    if (*got != want.shift)
        fail_msg("%s of %lld: %d, not %d", what, (long long)n, *got, want.shift);
    free(got);
}

/* The linear recurrence with its first component led there and back through sixty reversible steps: 184
 * instructions. */
static void long_body(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    fsr_graph *g = left[0].graph;
    fsr_node x = left[0];
    (void)user;
    for (int i = 1; i <= 30; i++)
        x = fsr_bitwise_xor(fsr_add(x, fsr_int(g, i)), fsr_int(g, 100 * i));
    for (int i = 30; i >= 1; i--)
        x = fsr_sub(fsr_bitwise_xor(x, fsr_int(g, 100 * i)), fsr_int(g, i));
    out[0] = fsr_mul(x, right[0]);
    out[1] = fsr_add(fsr_mul(left[1], right[0]), right[1]);
}

static void long_operators(void **state) {
    (void)state;
    const fsr_operator op = {.body = long_body, .arity = 2, .identity = {1, 0}};
    const int64_t n = 5000;
    fsr_node in[] = {leaf(n, false), leaf(n, true)}, whole[2], running[2];
    fsr_reduce_with(whole, in, &op, NULL, 0, 0);
    fsr_scan_with(running, in, &op, AXES(0), 1, 0);
    pair want = {1, 0};
    for (int64_t i = 0; i < n; i++)
        want = then(want, element(i));
    check(whole[1], want, "a long reduction", n);
    check(fsr_slice(running[1], 0, n - 1, n, 1), want, "a long scan", n);
    fsr_node few[] = {fsr_slice(in[0], 0, 0, 300, 1), fsr_slice(in[1], 0, 0, 300, 1)};
    fsr_reduce_with(whole, few, &op, NULL, 0, 0);
    assert_int_equal(subject_verify(whole, 2, NULL, "a long operator"), 0);
}

static void one_axis(void **state) {
    static const int64_t sizes[] = {1, 2, 511, 512, 513, 1024, 1537, 4095, 4096, 4097, 65535, 65536, 65537, 200001};
    (void)state;
    for (int s = 0; s < COUNT_OF(sizes); s++) {
        const int64_t n = sizes[s];
        fsr_node in[] = {leaf(n, false), leaf(n, true)}, whole[2], running[2];
        fsr_reduce_with(whole, in, &linear_recurrence, NULL, 0, 0);
        fsr_scan_with(running, in, &linear_recurrence, AXES(0), 1, 0);
        fsr_node both[] = {whole[1], fsr_sum(in[1], NULL, 0, 0), fsr_slice(running[1], 0, n - 1, n, 1)};
        if (fsr_compute(both, 2) || fsr_compute(&both[2], 1))
            fail_msg("%s", fsr_error(subject_ctx));
        pair want = {1, 0};
        int64_t sum = 0;
        for (int64_t i = 0; i < n; i++) {
            want = then(want, element(i));
            sum += element(i).shift;
        }
        check(both[0], want, "reduction", n);
        check(both[2], want, "scan", n);
        int64_t *total = subject_read(both[1]);
        assert_true(*total == sum);
        free(total);
    }
}

/* [a, b, c] over axes 0 and 2, runs of c. */
static void two_axes(void **state) {
    static const int64_t inner[] = {3, 511, 512, 1300};
    const int axes[] = {0, 2};
    (void)state;
    for (int s = 0; s < COUNT_OF(inner); s++) {
        const int64_t a = 11, b = 3, c = inner[s], n = a * b * c;
        fsr_node in[2], out[2];
        for (int i = 0; i < 2; i++)
            in[i] = fsr_reshape(leaf(n, i), 3, SHAPE(a, b, c));
        fsr_reduce_with(out, in, &linear_recurrence, axes, 2, 0);
        int32_t *got = subject_read(out[1]);
        for (int64_t k = 0; k < b; k++) {
            pair want = {1, 0};
            for (int64_t i = 0; i < a; i++)
                for (int64_t j = 0; j < c; j++)
                    want = then(want, element((i * b + k) * c + j));
            assert_int_equal(got[k], want.shift);
        }
        free(got);
    }
}

static const struct CMUnitTest tests[] = {SUBJECT_TEST(long_operators), SUBJECT_TEST(one_axis), SUBJECT_TEST(two_axes)};
SUBJECT_MAIN(tests)
