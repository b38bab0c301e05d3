/* SPDX-License-Identifier: MIT */
/* Counts and extremes in more places than a block's shared memory has room for, of so many elements that blocks have
 * ranges of the places. Element i goes to (i * 7919) % places, so that every answer is known without a second
 * program. */
#ifndef SUBJECT_BACKEND
#define SUBJECT_BACKEND FSR_BACKEND_CUDA
#endif
#include "tests/support/subject.h"
#include <stdlib.h>

#define G subject_g
enum { N = 1 << 26, STEP = 7919 };

/* The indices are in memory, or computed where they are scattered. */
static fsr_node indices(int64_t places, bool stored) {
    fsr_node i = fsr_mod(fsr_mul(fsr_arange(G, FSR_I64, N), fsr_int(G, STEP)), fsr_int(G, places));
    i = fsr_cast(i, FSR_I32);
    if (stored && fsr_force(i))
        fail_msg("%s", fsr_error(subject_ctx));
    return i;
}

static void check(fsr_node got, const int32_t *want, int64_t places, const char *what) {
    int32_t *values = malloc((size_t)places * sizeof *values);
    if (fsr_read(fsr_cast(got, FSR_I32), values, (size_t)places * sizeof *values))
        fail_msg("%s", fsr_error(subject_ctx));
    for (int64_t p = 0; p < places; p++)
        if (values[p] != want[p])
            fail_msg("%s of %lld: place %lld has %d, not %d", what, (long long)places, (long long)p, values[p],
                     want[p]);
    free(values);
}

static void ranges(void **state) {
    static const int64_t sizes[] = {12289, 16384, 16385, 65536, 100003, 131072};
    (void)state;
    for (int s = 0; s < COUNT_OF(sizes); s++) {
        const int64_t places = sizes[s];
        int32_t *counts = calloc((size_t)places, sizeof *counts), *last = calloc((size_t)places, sizeof *last);
        for (int64_t i = 0; i < N; i++) {
            counts[i * STEP % places]++;
            last[i * STEP % places] = (int32_t)i;
        }
        for (int stored = 0; stored < 2; stored++) {
            fsr_node at = indices(places, stored), zeros = fsr_zeros(G, FSR_I32, 1, SHAPE(places)), none = {0};
            check(fsr_bincount(at, none, places, FSR_INDEX_DROP), counts, places, "counts");
            check(fsr_scatter_max(zeros, &at, 1, fsr_arange(G, FSR_I32, N), FSR_INDEX_DROP, 0), last, places, "last");
        }
        free(counts);
        free(last);
    }
}

/* All in one place, those outside nowhere. */
static void at_one_place(void **state) {
    (void)state;
    enum { PLACES = 65536 };
    static int32_t want[PLACES];
    fsr_node i = fsr_arange(G, FSR_I32, N), none = {0};
    fsr_node at = fsr_where(fsr_less(i, fsr_int(G, N - 5)), fsr_int(G, 40000), fsr_int(G, PLACES));
    want[40000] = N - 5;
    check(fsr_bincount(fsr_cast(at, FSR_I32), none, PLACES, FSR_INDEX_DROP), want, PLACES, "counts");
}

int main(void) {
    const struct CMUnitTest tests[] = {SUBJECT_TEST(ranges), SUBJECT_TEST(at_one_place)};
    return subject_main(SUBJECT_BACKEND, tests, COUNT_OF(tests));
}
