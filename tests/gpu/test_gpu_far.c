/* SPDX-License-Identifier: MIT */
/* More than 2^31 elements on a GPU: what is selected, taken, assigned, counted, sorted and summed by segments beyond
 * that place. Element i is i % 128, so that every answer is known without a second program. */
#ifndef SUBJECT_BACKEND
#define SUBJECT_BACKEND FSR_BACKEND_CUDA
#endif
#include "tests/support/subject.h"

#define G subject_g
enum { PERIOD = 128, PROBES = 1000, STRIDE = 7, LEFT_OUT = 1000003 };
static const int64_t far = (int64_t)1 << 31, n = ((int64_t)1 << 31) + (1 << 20) + 5;

/* Of the first `end` elements. */
static int64_t sum_to(int64_t end) {
    const int64_t rest = end % PERIOD;
    return end / PERIOD * (PERIOD * (PERIOD - 1) / 2) + rest * (rest - 1) / 2;
}

static fsr_node places(void) {
    return fsr_arange(G, FSR_I64, n);
}

static fsr_node bytes(void) {
    return fsr_cast(fsr_bitwise_and(places(), fsr_int(G, PERIOD - 1)), FSR_U8);
}

/* From the last element on downwards. */
static fsr_node probes(void) {
    return fsr_sub(fsr_int(G, n - 1), fsr_mul(fsr_arange(G, FSR_I64, PROBES), fsr_int(G, STRIDE)));
}

static int64_t whole(fsr_node x) {
    int64_t got = -1;
    if (fsr_read(fsr_cast(x, FSR_I64), &got, sizeof got))
        fail_msg("%s", fsr_error(subject_ctx));
    return got;
}

static void computed(fsr_node x) {
    if (fsr_compute(&x, 1))
        fail_msg("%s", fsr_error(subject_ctx));
}

/* All but every 1,000,003rd: still more than 2^31. */
static void selected(void **state) {
    (void)state;
    fsr_node x = bytes(), left = fsr_mod(places(), fsr_int(G, LEFT_OUT));
    computed(x);
    fsr_node kept = fsr_compress(fsr_not_equal(left, fsr_int(G, 0)), x);
    int64_t want = sum_to(n), count = 0;
    for (int64_t i = 0; i < n; i += LEFT_OUT)
        want -= i % PERIOD;
    computed(kept);
    assert_int_equal(fsr_node_count(kept, &count), FSR_OK);
    assert_int_equal(count, n - (n + LEFT_OUT - 1) / LEFT_OUT);
    assert_true(count > far);
    assert_int_equal(whole(fsr_sum(kept, NULL, 0, 0)), want);
    uint8_t last = 0;
    fsr_node end = fsr_take(kept, fsr_int(G, count - 1), 0, FSR_INDEX_CLIP);
    assert_int_equal(fsr_read(end, &last, 1), FSR_OK);
    assert_true((n - 1) % LEFT_OUT != 0);
    assert_int_equal(last, (n - 1) % PERIOD);
}

static void taken(void **state) {
    (void)state;
    uint8_t got[PROBES];
    fsr_node x = bytes();
    computed(x);
    assert_int_equal(fsr_read(fsr_take(x, probes(), 0, FSR_INDEX_RAISE), got, sizeof got), FSR_OK);
    for (int k = 0; k < PROBES; k++)
        assert_int_equal(got[k], (n - 1 - (int64_t)k * STRIDE) % PERIOD);
}

/* Values from 1 to 100 into zeros: as many, there, and nothing else anywhere. */
static void assigned(void **state) {
    (void)state;
    uint8_t got[PROBES];
    int64_t want = 0;
    fsr_node at = probes(), k = fsr_arange(G, FSR_I64, PROBES);
    fsr_node value = fsr_cast(fsr_add(fsr_mod(k, fsr_int(G, 100)), fsr_int(G, 1)), FSR_U8);
    fsr_node y = fsr_scatter(fsr_full(G, FSR_U8, 1, &n, 0), &at, 1, value, FSR_INDEX_RAISE, 0);
    computed(y);
    assert_int_equal(fsr_read(fsr_take(y, at, 0, FSR_INDEX_RAISE), got, sizeof got), FSR_OK);
    for (int i = 0; i < PROBES; i++) {
        assert_int_equal(got[i], i % 100 + 1);
        want += i % 100 + 1;
    }
    assert_int_equal(whole(fsr_sum(y, NULL, 0, 0)), want);
}

/* One segment ends behind 2^31, and one lies there. */
static void segments(void **state) {
    (void)state;
    int64_t offset[] = {0, 5, far + 3, n}, four = 4;
    uint64_t got[3];
    fsr_node x = bytes(), sums;
    computed(x);
    sums = fsr_segment_sum(x, fsr_from_host(G, FSR_I64, 1, &four, offset));
    assert_int_equal(fsr_read(fsr_cast(sums, FSR_U64), got, sizeof got), FSR_OK);
    for (int s = 0; s < 3; s++)
        assert_int_equal(got[s], sum_to(offset[s + 1]) - sum_to(offset[s]));
}

static void counted(void **state) {
    (void)state;
    int64_t got[PERIOD];
    fsr_node x = bytes();
    computed(x);
    assert_int_equal(fsr_read(fsr_bincount(x, (fsr_node){0}, PERIOD, FSR_INDEX_RAISE), got, sizeof got), FSR_OK);
    for (int b = 0; b < PERIOD; b++)
        assert_int_equal(got[b], n / PERIOD + (b < n % PERIOD));
}

/* The value of rank r, and where its element was: those of one value are in order. */
static int64_t value_of(int64_t r, int64_t *place) {
    int64_t v = 0;
    for (int64_t here; r >= (here = n / PERIOD + (v < n % PERIOD)); v++)
        r -= here;
    *place = v + r * PERIOD;
    return v;
}

static void sorted(void **state) {
    (void)state;
    uint8_t got[PROBES], middle;
    int64_t at[PROBES], place;
    fsr_node x = bytes(), y = fsr_sort(x, (int[]){0}, 1, 0);
    computed(x);
    computed(y);
    assert_int_equal(whole(fsr_sum(y, NULL, 0, 0)), sum_to(n));
    assert_int_equal(fsr_read(fsr_take(y, probes(), 0, FSR_INDEX_RAISE), got, sizeof got), FSR_OK);
    fsr_node p = fsr_argsort(x, (int[]){0}, 1, 0);
    computed(p);
    assert_true(whole(fsr_sum(p, NULL, 0, 0)) == n / 2 * (n - 1) + n % 2 * (n / 2));
    assert_int_equal(fsr_read(fsr_take(p, probes(), 0, FSR_INDEX_RAISE), at, sizeof at), FSR_OK);
    for (int k = 0; k < PROBES; k++) {
        assert_int_equal(got[k], value_of(n - 1 - (int64_t)k * STRIDE, &place));
        assert_true(at[k] == place);
    }
    assert_int_equal(fsr_read(fsr_kth(x, far / 2, NULL, 0, 0), &middle, 1), FSR_OK);
    assert_int_equal(middle, value_of(far / 2, &place));
}

/* Of the greatest ones four are at the end, of those equal the first come first. */
static void first_ones(void **state) {
    (void)state;
    const int64_t want[] = {n - 4, n - 3, n - 2, n - 1, PERIOD - 1, 2 * PERIOD - 1};
    int64_t got[6];
    fsr_node x = fsr_where(fsr_less(places(), fsr_int(G, n - 4)), bytes(), fsr_cast(fsr_int(G, PERIOD), FSR_U8));
    computed(x);
    assert_int_equal(fsr_read(fsr_argtopk(x, 6, (int[]){0}, 1, FSR_DESCENDING), got, sizeof got), FSR_OK);
    for (int i = 0; i < 6; i++)
        assert_true(got[i] == want[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {SUBJECT_TEST(selected),  SUBJECT_TEST(taken),   SUBJECT_TEST(assigned),
                                       SUBJECT_TEST(segments),  SUBJECT_TEST(counted), SUBJECT_TEST(sorted),
                                       SUBJECT_TEST(first_ones)};
    return subject_main(SUBJECT_BACKEND, tests, COUNT_OF(tests));
}
