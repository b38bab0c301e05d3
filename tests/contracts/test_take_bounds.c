/* SPDX-License-Identifier: MIT */
/* Elements at indices that are limited first: those that may still be outside are told, also where a plan with other
 * limits is known, whose literals are arguments by then. */
#include "tests/support/subject.h"

#define G subject_g

enum { N = 100, PLACES = 4 };

static void limits(void **state) {
    (void)state;
    static const int64_t places[PLACES] = {-5, 3, 60, 500};
    static const int64_t limit[][2] = {{0, 99}, {0, 50}, {2, 98}, {0, 99}, {0, 1000}, {-1, 70}, {-300, 99}, {1, 40}};
    float data[N], got[PLACES];
    for (int i = 0; i < N; i++)
        data[i] = (float)(3 * i);
    for (size_t l = 0; l < COUNT_OF(limit); l++) {
        const int64_t low = limit[l][0], high = limit[l][1];
        fsr_node x = fsr_from_host(G, FSR_F32, 1, SHAPE(N), data),
                 i = fsr_from_host(G, FSR_I64, 1, SHAPE(PLACES), places);
        fsr_node at = fsr_clamp(i, fsr_int(G, low), fsr_int(G, high));
        fsr_node y = fsr_add(fsr_take_at(fsr_here("limits.c", 4), x, at, 0, FSR_INDEX_RAISE), fsr_float(G, 1));
        if (high >= N) {
            subject_error(subject_ctx, fsr_read(y, got, sizeof got), FSR_ERR_INDEX, "is out of bounds|limits.c:4");
            continue;
        }
        OK(fsr_read(y, got, sizeof got));
        for (int k = 0; k < PLACES; k++) {
            const int64_t in = places[k] < low ? low : places[k] > high ? high : places[k];
            assert_true(got[k] == data[in < 0 ? in + N : in] + 1);
        }
    }
}

/* A u64 beyond what an i64 holds is below 0 as one, however it was limited from above: it counts from the end. */
static void wide_places_wrap(void **state) {
    (void)state;
    static const uint64_t places[PLACES] = {UINT64_MAX, 3, UINT64_MAX - 9, 500};
    static const int want[PLACES] = {N - 1, 3, N - 10, 70};
    float data[N], got[PLACES];
    for (int i = 0; i < N; i++)
        data[i] = (float)(3 * i);
    fsr_node x = fsr_from_host(G, FSR_F32, 1, SHAPE(N), data), i = fsr_from_host(G, FSR_U64, 1, SHAPE(PLACES), places);
    fsr_node at = fsr_minimum(fsr_cast(i, FSR_I64), fsr_int(G, 70));
    OK(fsr_read(fsr_add(fsr_take(x, at, 0, FSR_INDEX_RAISE), fsr_float(G, 1)), got, sizeof got));
    for (int k = 0; k < PLACES; k++)
        assert_true(got[k] == data[want[k]] + 1);
}

/* 2^53 + 1 and 2^53 are one double, and two places. */
static void large_limits(void **state) {
    (void)state;
    const int64_t odd = ((int64_t)1 << 53) + 1, places[PLACES] = {0, odd - 1, odd, INT64_MAX};
    float data[N] = {1}, got[PLACES];
    fsr_node x = fsr_from_host(G, FSR_F32, 1, SHAPE(N), data), i = fsr_from_host(G, FSR_I64, 1, SHAPE(PLACES), places);
    fsr_node at = fsr_sub(fsr_clamp(i, fsr_int(G, odd - 1), fsr_int(G, odd)), fsr_int(G, odd - N));
    subject_error(subject_ctx, fsr_read(fsr_take(x, at, 0, FSR_INDEX_RAISE), got, sizeof got), FSR_ERR_INDEX,
                  "is out of bounds");
}

int main(void) {
    const struct CMUnitTest tests[] = {SUBJECT_TEST(limits), SUBJECT_TEST(wide_places_wrap),
                                       SUBJECT_TEST(large_limits)};
    return subject_main(SUBJECT_BACKEND, tests, COUNT_OF(tests));
}
