/* SPDX-License-Identifier: MIT */
/* Values with a length that only the device knows, and places: taken from, taken at, scattered to; the two sides of a
 * mask, runs, repeats and x[mask] = y. Each against a plain loop. */
#include "tests/support/subject.h"
#include <stdlib.h>
#include <string.h>

#define G subject_g

enum { MASKS = 4 };

/* All, none, every third, about half. */
static bool selects(int mask, int64_t i) {
    const bool some[MASKS] = {true, false, i % 3 == 0, (i * 2654435761u >> 7 & 1) != 0};
    return some[mask];
}

static const int64_t sizes[] = {1, 2, 33, 1000, 5000};

typedef struct data {
    int64_t n, count;
    int32_t *x, *kept; /* kept: what is selected */
    uint8_t *mask;
    fsr_node node, bools, live;
} data;

static data make(int64_t n, int mask) {
    data d = {.n = n};
    d.x = malloc((size_t)(n + 1) * sizeof *d.x);
    d.kept = malloc((size_t)(n + 1) * sizeof *d.kept);
    d.mask = malloc((size_t)n + 1);
    for (int64_t i = 0; i < n; i++) {
        d.x[i] = (int32_t)(i * i % 97 / 20);
        d.mask[i] = selects(mask, i);
        if (d.mask[i])
            d.kept[d.count++] = d.x[i];
    }
    d.node = fsr_from_host(G, FSR_I32, 1, &n, d.x);
    d.bools = fsr_from_host(G, FSR_BOOL, 1, &n, d.mask);
    d.live = fsr_compress(d.bools, d.node);
    return d;
}

static void clear(data *d) {
    free(d->x);
    free(d->kept);
    free(d->mask);
}

/* Of the fast tier is one size. */
static void each(void (*check)(data *d)) {
    for (int s = 0; s < COUNT_OF(sizes); s++)
        for (int mask = sizes[s] == 5000 ? MASKS - 1 : 0;
             mask < MASKS && subject_case(s, sizes[s] == 1000 ? SUBJECT_FAST : SUBJECT_LONG); mask++) {
            data d = make(sizes[s], mask);
            check(&d);
            clear(&d);
        }
}

static void same(fsr_node x, const void *want, int64_t count, const char *what) {
    int64_t there = -1;
    if (fsr_node_status(x))
        fail_msg("%s: %s", what, fsr_node_error(x));
    const int64_t rows = fsr_node_dim(x, 0);
    const size_t size = rows ? (size_t)(fsr_node_bytes(x) / rows) : 0;
    char *got = malloc((size_t)fsr_node_bytes(x) + 1);
    OK(fsr_read_live(x, got, (size_t)fsr_node_bytes(x), &there));
    if (there != count)
        fail_msg("%s: %lld elements, not %lld", what, (long long)there, (long long)count);
    if (memcmp(got, want, (size_t)count * size))
        fail_msg("%s: other values (%lld there)", what, (long long)count);
    free(got);
    if (fsr_verify(&x, 1, NULL))
        fail_msg("%s: %s", what, fsr_error(subject_ctx));
}

/* A table at indices of a length, and what has a length at indices. */
static void check_takes(data *d) {
    int32_t table[7] = {5, 3, 8, 1, 9, 2, 6}, *want = malloc((size_t)(d->n + 1) * sizeof *want);
    fsr_node t = fsr_from_host(G, FSR_I32, 1, SHAPE(7), table);
    for (int64_t i = 0; i < d->count; i++)
        want[i] = table[d->kept[i]];
    same(fsr_take(t, d->live, 0, FSR_INDEX_RAISE), want, d->count, "at indices with a length");
    if (d->count) {
        const int64_t places[] = {0, -1, d->count - 1, -d->count};
        for (int i = 0; i < 4; i++)
            want[i] = d->kept[(places[i] + d->count) % d->count];
        fsr_node at = fsr_from_host(G, FSR_I64, 1, SHAPE(4), places);
        same(fsr_take(d->live, at, 0, FSR_INDEX_RAISE), want, 4, "from what has a length");
        const int64_t wild[] = {-100000, 100000, d->count, -d->count - 1};
        at = fsr_from_host(G, FSR_I64, 1, SHAPE(4), wild);
        for (int i = 0; i < 4; i++)
            want[i] = d->kept[wild[i] < 0 ? 0 : d->count - 1];
        same(fsr_take(d->live, at, 0, FSR_INDEX_CLIP), want, 4, "clipped to a length");
        for (int i = 0; i < 4; i++)
            want[i] = d->kept[((wild[i] % d->count) + d->count) % d->count];
        same(fsr_take(d->live, at, 0, FSR_INDEX_WRAP), want, 4, "wrapped to a length");
    }
    /* each element's own, from the end */
    for (int64_t i = 0; i < d->count; i++)
        want[i] = d->kept[d->count - 1 - i];
    fsr_node ones = fsr_cast(fsr_greater_equal(d->live, fsr_int(G, 0)), FSR_I64);
    fsr_node back = fsr_neg(fsr_cumsum(ones, AXES(0), 1, 0));
    same(fsr_index(d->live, &back, 1, FSR_INDEX_RAISE), want, d->count, "from a length at one");
    free(want);
}

static void takes(void **state) {
    (void)state;
    each(check_takes);
}

static void told(void **state) {
    (void)state;
    data d = make(1000, 2);
    int32_t got[2];
    const int64_t places[] = {0, 334};
    fsr_node at = fsr_from_host(G, FSR_I64, 1, SHAPE(2), places);
    assert_int_equal(fsr_read(fsr_take(d.live, at, 0, FSR_INDEX_RAISE), got, sizeof got), FSR_ERR_INDEX);
    if (!strstr(fsr_error(subject_ctx),
                "index 334 is out of bounds for axis 0, of whose 1000 elements fewer are there"))
        fail_msg("%s", fsr_error(subject_ctx));
    at = fsr_neg(at);
    OK(fsr_read(fsr_take(d.live, at, 0, FSR_INDEX_RAISE), got, sizeof got));
    at = fsr_sub(at, fsr_int(G, 1));
    assert_int_equal(fsr_read(fsr_take(d.live, at, 0, FSR_INDEX_RAISE), got, sizeof got), FSR_ERR_INDEX);
    assert_non_null(strstr(fsr_error(subject_ctx), "index -335 "));
    clear(&d);
    d = make(1000, 1);
    OK(fsr_read(fsr_take(d.live, at, 0, FSR_INDEX_CLIP), got, sizeof got));
    assert_true(got[0] == 0 && got[1] == 0);
    clear(&d);
}

/* Where each value goes is what has the length, or the value, or both. */
static void check_scatters(data *d) {
    int32_t counts[5] = {0}, last[5] = {-1, -1, -1, -1, -1};
    for (int64_t i = 0; i < d->count; i++) {
        counts[d->kept[i]]++;
        last[d->kept[i]] = (int32_t)(i % 1000);
    }
    fsr_node zeros = fsr_zeros(G, FSR_I32, 1, SHAPE(5)), none = fsr_full(G, FSR_I32, 1, SHAPE(5), -1);
    fsr_node ones = fsr_cast(fsr_greater_equal(d->live, fsr_int(G, 0)), FSR_I32);
    fsr_node i = fsr_mod(fsr_sub(fsr_cumsum(ones, AXES(0), 1, 0), fsr_int(G, 1)), fsr_int(G, 1000));
    for (int mode = 0; mode <= FSR_INDEX_DROP; mode++) {
        same(fsr_scatter_add(zeros, &d->live, 1, fsr_int(G, 1), (fsr_index_mode)mode, 0), counts, 5, "counts");
        same(fsr_scatter(none, &d->live, 1, i, (fsr_index_mode)mode, 0), last, 5, "the last one");
    }
}

static void scatters(void **state) {
    (void)state;
    each(check_scatters);
    data d = make(1000, 2);
    fsr_node small = fsr_zeros(G, FSR_I32, 1, SHAPE(3)),
             sum = fsr_scatter_add(small, &d.live, 1, fsr_int(G, 1), FSR_INDEX_RAISE, 0);
    int32_t got[3], want[3] = {0};
    assert_int_equal(fsr_read(sum, got, sizeof got), FSR_ERR_INDEX);
    assert_non_null(strstr(fsr_error(subject_ctx), "index 4 is out of bounds for axis 0 with size 3"));
    for (int64_t k = 0; k < d.count; k++)
        if (d.kept[k] < 3)
            want[d.kept[k]]++;
    same(fsr_scatter_add(small, &d.live, 1, fsr_int(G, 1), FSR_INDEX_DROP, 0), want, 3, "dropped");
    int32_t square[25] = {0};
    for (int64_t k = 0; k < d.count; k++)
        square[d.kept[k] * 5 + d.kept[k]]++;
    fsr_node both[] = {d.live, d.live};
    same(fsr_scatter_add(fsr_zeros(G, FSR_I32, 2, SHAPE(5, 5)), both, 2, fsr_int(G, 1), FSR_INDEX_RAISE, 0), square, 5,
         "two arrays of indices");
    clear(&d);
}

static void check_sides(data *d) {
    int32_t *want = malloc((size_t)(d->n + 1) * sizeof *want);
    int64_t others = 0;
    fsr_node out[2];
    for (int64_t i = 0; i < d->n; i++)
        if (!d->mask[i])
            want[others++] = d->x[i];
    fsr_partition_by(out, d->bools, d->node);
    same(out[0], d->kept, d->count, "selected");
    same(out[1], want, others, "the others");
    same(fsr_sub(out[0], d->live), memset(want, 0, (size_t)d->n * sizeof *want), d->count, "one length");
    free(want);
}

static void sides(void **state) {
    (void)state;
    each(check_sides);
}

/* Runs of x, and of what is selected of it; repeated by their lengths they are what they were. */
static void check_runs(data *d) {
    for (int live = 0; live < 2; live++) {
        const int64_t n = live ? d->count : d->n;
        const int32_t *x = live ? d->kept : d->x;
        int32_t *values = malloc((size_t)(n + 1) * sizeof *values);
        int64_t *lengths = malloc((size_t)(n + 1) * sizeof *lengths), runs = 0;
        for (int64_t i = 0; i < n; i++) {
            if (!i || x[i] != x[i - 1]) {
                lengths[runs] = 0;
                values[runs++] = x[i];
            }
            lengths[runs - 1]++;
        }
        fsr_node out[2];
        fsr_run_lengths(out, live ? d->live : d->node);
        same(out[0], values, runs, "values of runs");
        same(out[1], lengths, runs, "lengths of runs");
        same(fsr_repeat_counts(out[0], out[1], d->n), x, n, "repeated");
        free(values);
        free(lengths);
    }
}

static void runs(void **state) {
    (void)state;
    each(check_runs);
}

static void check_repeats(data *d) {
    int32_t *want = malloc((size_t)(5 * d->n + 1) * sizeof *want);
    int64_t total = 0;
    for (int64_t i = 0; i < d->n; i++)
        for (int32_t k = 0; d->mask[i] && k < d->x[i]; k++)
            want[total++] = (int32_t)i;
    fsr_node counts = fsr_where(d->bools, d->node, fsr_int(G, -3)), i = fsr_arange(G, FSR_I32, d->n);
    same(fsr_repeat_counts(i, counts, 5 * d->n), want, total, "by counts");
    same(fsr_repeat_counts(i, counts, total), want, total, "with no room to spare");
    if (total) {
        fsr_node less = fsr_repeat_counts(i, counts, total - 1);
        void *got = malloc((size_t)fsr_node_bytes(less) + 1);
        assert_int_equal(fsr_read(less, got, (size_t)fsr_node_bytes(less)), total > 1 ? FSR_ERR_SIZE : FSR_OK);
        free(got);
    }
    free(want);
}

/* Another capacity that calls for the same schedules compiles nothing. */
static void capacities(void **state) {
    (void)state;
    int64_t compiled[3];
    fsr_stats stats;
    for (int i = 0; i < 3; i++) {
        fsr_node x = fsr_arange(G, FSR_I32, 600), counts = fsr_mod(x, fsr_int(G, 4));
        fsr_node out = fsr_repeat_counts(fsr_cast(x, FSR_F32), counts, 2064 + 512 * i);
        assert_int_equal(fsr_compute(&out, 1), FSR_OK);
        assert_int_equal(fsr_context_stats(subject_ctx, &stats), FSR_OK);
        compiled[i] = stats.compilations;
    }
    assert_int_equal(compiled[1], compiled[0]);
    assert_int_equal(compiled[2], compiled[0]);
}

static void repeats(void **state) {
    (void)state;
    each(check_repeats);
}

static void check_updates(data *d) {
    int32_t *want = malloc((size_t)(d->n + 1) * sizeof *want), *y = malloc((size_t)(d->n + 1) * sizeof *y);
    for (int64_t i = 0, k = 0; i < d->n; i++)
        want[i] = d->mask[i] ? 100 * d->kept[k++] : d->x[i];
    same(fsr_update_mask(d->node, d->bools, fsr_mul(d->live, fsr_int(G, 100))), want, d->n, "of that length");
    for (int64_t k = 0; k < d->count; k++)
        y[k] = 100 * d->kept[k];
    if (d->count != 1)
        same(fsr_update_mask(d->node, d->bools, fsr_from_host(G, FSR_I32, 1, &d->count, y)), want, d->n, "of an array");
    for (int64_t i = 0; i < d->n; i++)
        want[i] = d->mask[i] ? -7 : d->x[i];
    same(fsr_update_mask(d->node, d->bools, fsr_int(G, -7)), want, d->n, "of a number");
    const int64_t more = d->count + 2;
    fsr_node wrong = fsr_update_mask(d->node, d->bools, fsr_zeros(G, FSR_I32, 1, &more));
    assert_int_equal(fsr_read(wrong, want, (size_t)d->n * sizeof *want), FSR_ERR_SHAPE);
    assert_non_null(strstr(fsr_error(subject_ctx), "the mask selects another number of elements"));
    fsr_node other = fsr_compress(fsr_greater(d->node, fsr_int(G, 1)), d->node);
    assert_int_equal(fsr_node_status(fsr_update_mask(d->node, d->bools, other)), FSR_ERR_SHAPE);
    free(want);
    free(y);
}

static void updates(void **state) {
    (void)state;
    each(check_updates);
}

static void nothing(void **state) {
    (void)state;
    const int64_t none = 0;
    fsr_node x = fsr_zeros(G, FSR_I32, 1, &none), mask = fsr_zeros(G, FSR_BOOL, 1, &none), out[2];
    fsr_run_lengths(out, x);
    same(out[0], "", 0, "runs of nothing");
    same(out[1], "", 0, "lengths of nothing");
    fsr_partition_by(out, mask, x);
    same(out[1], "", 0, "sides of nothing");
    same(fsr_repeat_counts(x, x, 5), "", 0, "repeats of nothing");
    const int64_t huge[] = {1, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
    static const int64_t some[][2] = {{0, 2}, {1, 2}, {1, 5}}; /* where counts begin, and how many there are */
    for (int i = 0; i < COUNT_OF(some); i++) {
        const int64_t n = some[i][1];
        fsr_node counts = fsr_from_host(G, FSR_I64, 1, &n, huge + some[i][0]);
        fsr_node wraps = fsr_repeat_counts(fsr_arange(G, FSR_F32, n), counts, 5);
        float five[5];
        assert_int_equal(fsr_read(wraps, five, sizeof five), FSR_ERR_SIZE);
    }
    int64_t there = 0;
    OK(fsr_node_count(fsr_live(fsr_arange(G, FSR_F32, 1000), fsr_param(G, "there", FSR_U8, 5)), &there));
    assert_int_equal(there, 5);
    same(fsr_update_mask(x, mask, x), "", 0, "nothing updated");
}

int main(void) {
    const struct CMUnitTest tests[] = {SUBJECT_CASES(takes),   SUBJECT_TEST(told),    SUBJECT_CASES(scatters),
                                       SUBJECT_CASES(sides),   SUBJECT_CASES(runs),   SUBJECT_CASES(repeats),
                                       SUBJECT_CASES(updates), SUBJECT_TEST(nothing), SUBJECT_TEST(capacities)};
    return subject_main(SUBJECT_BACKEND, tests, COUNT_OF(tests));
}
