/* SPDX-License-Identifier: MIT */
/* Facts of addresses against every point of small domains: what is claimed must hold, and what is plain must be
 * claimed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fusion/address.h"
#include "tests/support/random.h"

enum { POINTS = 64 };

static int64_t value_at(const fsr_form *f, int64_t point) {
    int64_t sum = f->offset;
    for (int d = f->ndim - 1; d >= 0; d--) {
        sum += f->stride[d] * (point % f->extent[d]);
        point /= f->extent[d];
    }
    return sum;
}

static int64_t points(const fsr_form *f) {
    int64_t n = 1;
    for (int d = 0; d < f->ndim; d++)
        n *= f->extent[d];
    return n;
}

/* Over the domain of `like`, or one of its own. */
static fsr_form draw(uint64_t *state, const fsr_form *like) {
    fsr_form f = {.ndim = like ? like->ndim : 1 + (int)(random_bits(state) % 3), .divisor = 1};
    f.offset = (int64_t)(random_bits(state) % 9) - 4;
    for (int d = 0; d < f.ndim; d++) {
        f.extent[d] = like ? like->extent[d] : 1 + (int64_t)(random_bits(state) % 4);
        f.stride[d] = (int64_t)(random_bits(state) % 9) - 4;
    }
    return f;
}

static void holds_everywhere(void **state) {
    (void)state;
    uint64_t random = 20250101;
    int same = 0, apart = 0;
    for (int i = 0; i < 20000; i++) {
        const fsr_form a = draw(&random, NULL), b = draw(&random, &a);
        int64_t low, high, least = INT64_MAX, most = INT64_MIN, n = points(&a), distinct = 0;
        bool equal = true, meet = false, seen[2 * POINTS] = {false};
        fsr_form_range(&a, &low, &high);
        for (int64_t p = 0; p < n; p++) {
            int64_t at = value_at(&a, p);
            least = at < least ? at : least;
            most = at > most ? at : most;
            distinct += !seen[at + POINTS];
            seen[at + POINTS] = true;
            equal = equal && at == value_at(&b, p);
            for (int64_t q = 0; q < n; q++)
                meet = meet || at == value_at(&b, q);
        }
        assert_int_equal(low, least);
        assert_int_equal(high, most);
        assert_true(fsr_form_count(&a) >= distinct);
        assert_int_equal(fsr_form_same(&a, &b), equal);
        assert_false(fsr_form_apart(&a, &b) && meet);
        same += equal;
        apart += fsr_form_apart(&a, &b);
    }
    assert_true(same > 20 && apart > 1000);
}

/* Vectors along d of an adjacent form begin at multiples of v. */
static void aligned_runs(void **state) {
    (void)state;
    uint64_t random = 20250102;
    int found = 0;
    for (int i = 0; i < 20000; i++) {
        fsr_form a = draw(&random, NULL);
        const int d = a.ndim - 1, v = 2;
        a.stride[d] = 1;
        a.extent[d] *= v;
        assert_true(fsr_form_is_adjacent(&a, d) && fsr_form_is_beside(&a, d));
        if (!fsr_form_is_aligned(&a, d, v))
            continue;
        found++;
        for (int64_t p = 0; p < points(&a); p += v)
            assert_int_equal(value_at(&a, p) % v, 0);
    }
    assert_true(found > 100);
}

static void examples(void **state) {
    (void)state;
    const fsr_form even = {.ndim = 1, .stride = {2}, .extent = {8}, .divisor = 1};
    fsr_form odd = even, far = even, halves = even;
    odd.offset = 1;
    far.offset = 16;
    halves.divisor = 2;
    assert_true(fsr_form_apart(&even, &odd));
    assert_true(fsr_form_apart(&even, &far));
    assert_false(fsr_form_apart(&even, &even));
    assert_false(fsr_form_same(&halves, &halves));
    assert_false(fsr_form_apart(&halves, &far));
    halves.stride[0] = 1;
    assert_false(fsr_form_is_adjacent(&halves, 0));
    assert_true(fsr_form_varies(&even, 0, 1));
    assert_false(fsr_form_varies(&even, 1, 1));
    halves.stride[0] = -1, halves.divisor = 1;
    assert_true(fsr_form_is_beside(&halves, 0));
    assert_false(fsr_form_is_adjacent(&halves, 0));
}

/* The form of an access: arguments in place, a stride of one, an offset that is none. */
static void of_an_access(void **state) {
    (void)state;
    fsr_kernel *k = fsr_kernel_new();
    assert_non_null(k);
    k->ndim = k->nparallel = 3;
    const int64_t integer[] = {6, 4, 1, 4, 2, 3, 4, 5, -7, 3};
    fsr_index_form plain = {.stride = {FSR_STRIDE_VAR, FSR_STRIDE_ZERO, FSR_STRIDE_ONE}, .slot = {8}, .offset = -1};
    const int number = fsr_kernel_form(k, &plain);
    assert_int_equal(fsr_kernel_form(k, &plain), number);
    fsr_form f = fsr_form_of(k, integer, number);
    assert_int_equal(f.offset, 0);
    assert_int_equal(f.divisor, 1);
    assert_memory_equal(f.stride, ((const int64_t[]){-7, 0, 1}), 3 * sizeof(int64_t));
    assert_memory_equal(f.extent, ((const int64_t[]){2, 3, 4}), 3 * sizeof(int64_t));
    assert_int_equal(fsr_form_dimensions(k, number), 5);
    plain.offset = 7;
    plain.divisor = 9;
    assert_int_not_equal(fsr_kernel_form(k, &plain), number);
    f = fsr_form_of(k, integer, fsr_kernel_form(k, &plain));
    assert_int_equal(f.offset, 5);
    assert_int_equal(f.divisor, 3);
    fsr_kernel_free(k);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(holds_everywhere), cmocka_unit_test(aligned_runs),
                                       cmocka_unit_test(examples), cmocka_unit_test(of_an_access)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
