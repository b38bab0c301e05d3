/* SPDX-License-Identifier: MIT */
/* What is computed of values with a length that was counted before ends at the count, and has the bits of the walk to
 * the capacity. */
#include "tests/support/subject.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define G subject_g

/* A scan from the end begins at the count, with the bits of one over zeros behind it. */
static void scans_that_begin(void **state) {
    static const int64_t size[] = {500, 300000};
    static const int64_t counts[] = {0, 1, 31, 499, 500, 4095, 4096, 4097, 65537, 131073, 299999, 300000};
    (void)state;
    for (int s = 0; s < 2; s++) {
        fsr_node x = subject_data(FSR_F32, 1, &size[s], SUBJECT_SMALL, 1);
        float *got = malloc(sizeof *got * (size_t)size[s]), *want = malloc(sizeof *want * (size_t)size[s]);
        OK(fsr_force(x));
        for (int i = 0; i < 2 * COUNT_OF(counts) && counts[i / 2] <= size[s]; i++) {
            const int64_t count = counts[i / 2];
            const int flags = FSR_REVERSE | (i % 2 ? FSR_EXCLUSIVE : 0);
            fsr_node live = fsr_live(x, fsr_param(G, "n", FSR_I64, (double)count));
            int64_t n = -1;
            OK(fsr_read_live(fsr_cumsum(live, AXES(0), 1, flags), got, sizeof *got * (size_t)size[s], &n));
            OK(fsr_read(fsr_cumsum(fsr_filled(live, fsr_float(G, 0)), AXES(0), 1, flags), want,
                        sizeof *want * (size_t)size[s]));
            assert_int_equal(n, count);
            if (memcmp(got, want, sizeof *got * (size_t)count))
                fail_msg("%lld of %lld elements, flags %d", (long long)count, (long long)size[s], flags);
        }
        free(got);
        free(want);
    }
}

/* Folds that end at a count have the bits of those that go on to the capacity. */
static void folds_that_end(void **state) {
    static const int64_t n = 300000;
    static const int64_t counts[] = {0, 1, 31, 4095, 4096, 4097, 65535, 65536, 65537, 131073, 200001, 299999, 300000};
    (void)state;
    fsr_node x = subject_data(FSR_F32, 1, &n, SUBJECT_SMALL, 1);
    OK(fsr_force(x));
    for (int i = 0; i < COUNT_OF(counts); i++) {
        fsr_node live = fsr_live(x, fsr_param(G, "n", FSR_I64, (double)counts[i])), zero = fsr_float(G, 0),
                 low = fsr_float(G, -INFINITY);
        fsr_node filled = fsr_filled(live, zero), tenth = fsr_mul(live, fsr_float(G, 0.1));
        float got[3], want[3];
        int64_t bits, all;
        OK(fsr_read(fsr_sum(live, NULL, 0, 0), &got[0], sizeof got[0]));
        OK(fsr_read(fsr_sum(filled, NULL, 0, 0), &want[0], sizeof want[0]));
        OK(fsr_read(fsr_sum(tenth, NULL, 0, 0), &got[1], sizeof got[1]));
        OK(fsr_read(fsr_sum(fsr_filled(tenth, zero), NULL, 0, 0), &want[1], sizeof want[1]));
        OK(fsr_read(fsr_sum(fsr_cast(fsr_greater(live, zero), FSR_I64), NULL, 0, 0), &bits, sizeof bits));
        OK(fsr_read(fsr_sum(fsr_cast(fsr_greater(filled, zero), FSR_I64), NULL, 0, 0), &all, sizeof all));
        got[2] = want[2] = 0;
        if (counts[i]) {
            OK(fsr_read(fsr_max(live, NULL, 0, 0), &got[2], sizeof got[2]));
            OK(fsr_read(fsr_max(fsr_filled(live, low), NULL, 0, 0), &want[2], sizeof want[2]));
        }
        assert_int_equal(bits, all);
        assert_memory_equal(got, want, sizeof got);
    }
}

enum { ENDING = 15 };

/* Sums, and the greatest: an operation a component. */
static void sums(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    (void)user;
    out[0] = fsr_add(left[0], right[0]);
    out[1] = fsr_maximum(left[1], right[1]);
}

/* The first of two that is not -1: of integers, and does not commute. */
static void first_other(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    (void)user;
    out[0] = fsr_where(fsr_equal(left[0], fsr_int(G, -1)), right[0], left[0]);
}

static void of_callers(fsr_node live, fsr_node *out) {
    const fsr_operator two = {sums, NULL, 2, {0, -INFINITY}, true, {NULL}},
                       first = {first_other, NULL, 1, {-1}, false, {NULL}};
    fsr_node in[] = {live, fsr_mul(live, fsr_float(G, -0.0f))},
             whole = fsr_cast(fsr_sub(fsr_abs(live), fsr_float(G, 3)), FSR_I32);
    fsr_reduce_with(out, in, &two, NULL, 0, 0);
    out[1] = fsr_add(out[1], fsr_float(G, 0.5f));
    fsr_reduce_with(&out[2], &whole, &first, NULL, 0, 0);
}

/* Scans, places, operators of several components, several passes: of each one result, whole or of one element. The
 * passes of the last are one kernel in either walk: of a row as long as the capacity a CPU would make several, which
 * fold in other orders. */
static void that_end(fsr_node live, fsr_node out[ENDING]) {
    const fsr_node most = fsr_max(live, NULL, 0, 0), e = fsr_exp(fsr_sub(live, most)), total = fsr_sum(e, NULL, 0, 0);
    out[0] = fsr_cumsum(live, AXES(0), 1, 0);
    out[1] = fsr_sqrt(fsr_cumsum(fsr_abs(live), AXES(0), 1, FSR_EXCLUSIVE));
    out[2] = fsr_cummax(live, AXES(0), 1, 0);
    out[3] = fsr_argmax(live, NULL, 0, 0);
    out[4] = fsr_argmin(fsr_neg(live), NULL, 0, 0);
    out[5] = fsr_std(live, NULL, 0, 0, 0);
    out[6] = fsr_logsumexp(live, NULL, 0, 0);
    out[7] = fsr_nanmax(live, NULL, 0, 0);
    out[8] = fsr_div(e, total);
    OK(fsr_hint_pair(most, total, FSR_PAIR_FUSE));
    OK(fsr_hint_pair(total, out[8], FSR_PAIR_FUSE));
    of_callers(live, &out[9]);
    out[12] = fsr_cumsum(live, AXES(0), 1, FSR_REVERSE);
    out[13] = fsr_sqrt(fsr_cumsum(fsr_abs(live), AXES(0), 1, FSR_EXCLUSIVE | FSR_REVERSE));
    out[14] = fsr_cummin(live, AXES(0), 1, FSR_REVERSE);
}

/* Each has the bits of the walk to the capacity, which it makes beside a sum of all elements. */
static void as_to_the_capacity(fsr_node x, int64_t count) {
    fsr_node got[ENDING], want[ENDING];
    that_end(fsr_live(x, fsr_param(G, "n", FSR_I64, (double)count)), got);
    that_end(fsr_live(x, fsr_param(G, "n", FSR_I64, (double)count)), want);
    for (int i = 0; i < ENDING; i++) {
        const fsr_node all[] = {want[i], fsr_sum(x, NULL, 0, 0)};
        const size_t bytes = (size_t)fsr_node_bytes(got[i]);
        char *a = calloc(1, bytes), *b = calloc(1, bytes);
        int64_t n;
        OK(fsr_compute(&got[i], 1));
        OK(fsr_compute(all, 2));
        OK(fsr_node_is_live(got[i]) ? fsr_read_live(got[i], a, bytes, &n) : fsr_read(got[i], a, bytes));
        OK(fsr_node_is_live(got[i]) ? fsr_read_live(want[i], b, bytes, &n) : fsr_read(want[i], b, bytes));
        if (memcmp(a, b, bytes))
            fail_msg("result %d of %lld elements", i, (long long)count);
        free(a);
        free(b);
    }
}

static void more_that_end(void **state) {
    static const int64_t size[] = {500, 300000};
    static const int64_t counts[] = {1, 31, 129, 499, 4095, 4097, 32768, 65537, 131073, 299999, 300000};
    (void)state;
    for (int s = 0; s < 2; s++)
        for (int special = 0; special < 3; special++) {
            float *values = malloc(sizeof *values * (size_t)size[s]);
            for (int64_t i = 0; i < size[s]; i++)
                values[i] = (float)((i * 7919) % 10007) / 1000 - 5;
            if (special)
                values[17] = special == 1 ? NAN : INFINITY;
            fsr_node x = fsr_from_host(G, FSR_F32, 1, &size[s], values);
            OK(fsr_force(x));
            for (int i = 0; i < COUNT_OF(counts); i++)
                if (counts[i] <= size[s] && (!special || counts[i] % 2))
                    as_to_the_capacity(x, counts[i]);
            free(values);
        }
}

enum { PLACES = 1000, WAYS = 6 };

/* The indices are a map's of live ones, or of an array that is filled behind the count with what leads nowhere. */
static void scattered(fsr_node at, fsr_node values, fsr_node out[WAYS]) {
    fsr_node base = fsr_full(G, FSR_F32, 1, SHAPE(PLACES), 2), zeros = fsr_zeros(G, FSR_I64, 1, SHAPE(PLACES)),
             none = {0};
    out[0] = fsr_scatter(base, &at, 1, values, FSR_INDEX_DROP, 0);
    out[1] = fsr_scatter_add(base, &at, 1, values, FSR_INDEX_DROP, 0);
    out[2] = fsr_scatter_max(base, &at, 1, fsr_abs(values), FSR_INDEX_DROP, 0);
    out[3] = fsr_scatter_add(zeros, &at, 1, fsr_int(G, 1), FSR_INDEX_DROP, 0);
    out[4] = fsr_scatter(base, &at, 1, fsr_float(G, 7), FSR_INDEX_DROP, FSR_UNIQUE);
    out[5] = fsr_bincount(at, none, PLACES, FSR_INDEX_DROP);
}

/* A scatter that ends has the bits of one over all indices, of which those behind the count lead nowhere. */
static void scatters_that_end(void **state) {
    static const int64_t size[] = {500, 300000};
    static const int64_t counts[] = {0, 1, 31, 129, 499, 500, 4095, 65537, 131073, 299999, 300000};
    (void)state;
    for (int s = 0; s < 2; s++) {
        fsr_node x = subject_data(FSR_F32, 1, &size[s], SUBJECT_SMALL, 1);
        fsr_node place = fsr_cast(fsr_mul(fsr_abs(x), fsr_float(G, 97)), FSR_I32);
        OK(fsr_compute((fsr_node[]){x, place}, 2));
        for (int i = 0; i < COUNT_OF(counts) && counts[i] <= size[s]; i++) {
            fsr_node n = fsr_param(G, "n", FSR_I64, (double)counts[i]), got[WAYS], want[WAYS];
            fsr_node at = fsr_live(place, n), values = fsr_live(x, at);
            scattered(fsr_mod(at, fsr_int(G, PLACES)), values, got);
            scattered(fsr_filled(fsr_mod(at, fsr_int(G, PLACES)), fsr_int(G, PLACES)), x, want);
            for (int w = 0; w < WAYS; w++) {
                const size_t bytes = (size_t)fsr_node_bytes(got[w]);
                char a[8 * PLACES], b[8 * PLACES];
                OK(fsr_read(got[w], a, bytes));
                OK(fsr_read(want[w], b, bytes));
                if (memcmp(a, b, bytes))
                    fail_msg("scatter %d of %lld elements", w, (long long)counts[i]);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {SUBJECT_TEST(folds_that_end), SUBJECT_TEST(scans_that_begin),
                                       SUBJECT_TEST(more_that_end), SUBJECT_TEST(scatters_that_end)};
    return subject_main(SUBJECT_BACKEND, tests, COUNT_OF(tests));
}
