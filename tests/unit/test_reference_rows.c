/* SPDX-License-Identifier: MIT */
/* Sums of segments and products of sparse matrices that are library calls, in the reference: as exact as sums are that
 * are no calls; and zeros of sorted integers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/reference.h"

/* So many elements are a call. */
enum { MANY = (1 << 18) + 5, ROWS = 70 };

/* What the inputs "o" and "x" are. */
typedef struct inputs {
    const int64_t *o;
    const float *x;
} inputs;

static fsr_status fetch(void *user, const fsr_rec *leaf, int output, void *dst, int64_t bytes) {
    const inputs *in = user;
    (void)output;
    memcpy(dst, leaf->name[0] == 'o' ? (const void *)in->o : in->x, (size_t)bytes);
    return FSR_OK;
}

static fsr_ref_array run(fsr_graph *g, inputs in, fsr_node x) {
    fsr_ref_array out;
    fsr_fault fault = {FSR_OK, NULL};
    assert_string_equal(fsr_node_error(x), "");
    assert_int_equal(fsr_reference_run(g, &(fsr_ref){x.id, x.output}, 1, fetch, &in, &out, &fault), FSR_OK);
    return out;
}

/* What the first rows are of. */
enum { NOTHING, NEGATIVE_ZEROS, INFINITE, BOTH, NOT_A_NUMBER, LARGEST, FRACTIONS, TOO_LARGE, WHOLE };

static const struct {
    float at[3];
    double sum;
    enum { EXACT, BOUNDED, ANYTHING } known;
} special[] = {
    [NEGATIVE_ZEROS] = {{-0.0f, -0.0f, -0.0f}, 0, EXACT}, [INFINITE] = {{1, -INFINITY, 0.1f}, -INFINITY, EXACT},
    [BOTH] = {{INFINITY, 1, -INFINITY}, NAN, EXACT},      [NOT_A_NUMBER] = {{1, NAN, INFINITY}, NAN, EXACT},
    [LARGEST] = {{3e38f, 3e38f, -3e38f}, 0, ANYTHING},    [FRACTIONS] = {{0.1f, 0.2f, 0.3f}, 0.6, BOUNDED},
    [TOO_LARGE] = {{0x1p24f, 3, 4}, 0x1p24 + 7, BOUNDED},
};

static void fill(int64_t *offset, float *x, double *want) {
    for (int64_t s = 0; s <= ROWS; s++)
        offset[s] = s == ROWS ? MANY : s <= WHOLE ? s <= 1 ? 0 : 3 * (s - 1) : 3 * (WHOLE - 1) + (s - WHOLE) * 1000;
    for (int64_t i = 0; i < MANY; i++)
        x[i] = i < 3 * (WHOLE - 1) ? special[1 + i / 3].at[i % 3] : (float)(i * 7919 % 101 - 50);
    for (int64_t s = 0; s < ROWS; s++) {
        want[s] = s > NOTHING && s < WHOLE ? special[s].sum : 0;
        for (int64_t i = offset[s]; s >= WHOLE && i < offset[s + 1]; i++)
            want[s] += (double)x[i];
    }
}

/* Row s is what it should be, and known as well as it should be. */
static void check(const fsr_ref_array *got, int64_t s, double want, const char *what) {
    const int known = s == NOTHING || s >= WHOLE ? EXACT : (int)special[s].known;
    const double is = (double)got->value[s].f32, bound = got->bound[s];
    const bool same = is == want || (isnan(is) && isnan(want));
    const bool good = known == EXACT     ? same && bound == 0
                      : known == BOUNDED ? bound > 0 && bound < 1e-6 * (1 + fabs(want)) && fabs(is - want) <= bound
                                         : isinf(bound);
    if (!good)
        fail_msg("%s, row %lld: %.9g +- %g, not %.9g", what, (long long)s, is, bound, want);
}

static void sums_are_as_exact_as_others(void **state) {
    static int64_t offset[ROWS + 1];
    static double want[ROWS];
    float *x = malloc(MANY * sizeof *x);
    fsr_graph_owner *owner = fsr_graph_owner_new(NULL, NULL);
    fsr_graph *g = fsr_graph_create(owner);
    (void)state;
    fill(offset, x, want);
    const inputs in = {offset, x};
    const int64_t many = MANY, rows = ROWS + 1;
    const fsr_node offsets = fsr_input(g, "o", FSR_I64, 1, &rows), v = fsr_input(g, "x", FSR_F32, 1, &many);
    const fsr_csr a = {offsets, fsr_mod(fsr_arange(g, FSR_I64, MANY), fsr_int(g, 99)), v, ROWS, 99};
    const fsr_node ones = fsr_full(g, FSR_F32, 1, (int64_t[]){99}, 1);
    fsr_ref_array sums = run(g, in, fsr_segment_sum(v, offsets)), products = run(g, in, fsr_csr_dot(&a, ones));
    for (int64_t s = 0; s < ROWS; s++) {
        check(&sums, s, want[s], "segments");
        check(&products, s, want[s], "products");
    }
    assert_true(!signbit(sums.value[NOTHING].f32) && !signbit(products.value[NOTHING].f32));
    fsr_ref_array_free(&sums);
    fsr_ref_array_free(&products);
    fsr_graph_owner_free(owner);
    free(x);
}

/* exp of a little more than nothing is 1 in f32, or next to it, and becomes an integer that may be 0. Zeros of its row
 * are known all the same: a radius of -0 is that of a zero of either sign. */
static void integers_have_one_zero(void **state) {
    fsr_graph_owner *owner = fsr_graph_owner_new(NULL, NULL);
    fsr_graph *g = fsr_graph_create(owner);
    const int64_t one = 1, two = 2;
    const float tiny = 1e-8f;
    (void)state;
    const fsr_node loose = fsr_cast(fsr_exp(fsr_input(g, "x", FSR_F32, 1, &one)), FSR_I32);
    const fsr_node row = fsr_concat((fsr_node[]){loose, fsr_full(g, FSR_I32, 1, &two, 0)}, 2, 0);
    const fsr_node sorted = fsr_sort(row, (int[]){0}, 1, 0);
    fsr_ref_array got = run(g, (inputs){NULL, &tiny}, sorted);
    for (int i = 0; i < 2; i++)
        assert_true(got.bound[i] == 0 && !signbit(got.bound[i]) && got.value[i].i32 == 0);
    assert_true(got.bound[2] > 0);
    fsr_ref_array_free(&got);
    fsr_graph_owner_free(owner);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_as_exact_as_others),
        cmocka_unit_test(integers_have_one_zero),
    };
    return cmocka_run_group_tests_name("rows in the reference", tests, NULL, NULL);
}
