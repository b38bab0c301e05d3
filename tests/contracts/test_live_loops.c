/* SPDX-License-Identifier: MIT */
/* Loops for each element, searches and draws of values with a length that only the device knows: the same as of the
 * whole arrays, of which then is selected; keys, and points of a curve, that have one. */
#include "tests/support/subject.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define G subject_g

static const int64_t sizes[] = {0, 1, 33, 4097};
enum { MASKS = 4 };
static const fsr_node none;

typedef struct data {
    int64_t n, count;
    fsr_node x, mask; /* x: f64, 0.25 to 16, in no order */
    double *kept;     /* what is selected, in ascending order */
} data;

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static data make(int64_t n, int mask) {
    data d = {.n = n};
    double *x = malloc((size_t)(n + 1) * sizeof *x);
    uint8_t *m = malloc((size_t)n + 1);
    d.kept = malloc((size_t)(n + 1) * sizeof *d.kept);
    for (int64_t i = 0; i < n; i++) {
        x[i] = (double)((i * 7919 + 11) % 4111 % 64 + 1) / 4;
        const bool some[MASKS] = {true, false, i % 3 == 1, i == n - 1};
        m[i] = some[mask];
        if (m[i])
            d.kept[d.count++] = x[i];
    }
    qsort(d.kept, (size_t)d.count, sizeof *d.kept, ascending);
    d.x = fsr_from_host(G, FSR_F64, 1, &n, x);
    d.mask = fsr_from_host(G, FSR_BOOL, 1, &n, m);
    free(x);
    free(m);
    return d;
}

/* What is computed of the selected elements is what is selected of what is computed of all. */
static void same(fsr_node live, const data *d, fsr_node whole, const char *what) {
    if (fsr_node_status(live))
        fail_msg("%s: %s", what, fsr_node_error(live));
    assert_true(fsr_node_is_live(live));
    const size_t size = fsr_dtype_size(fsr_node_dtype(whole)), bytes = (size_t)(d->n + 1) * size;
    char *got = malloc(bytes), *want = malloc(bytes);
    int64_t count = -1, wanted = -1;
    OK(fsr_read_live(live, got, (size_t)d->n * size, &count));
    OK(fsr_read_live(fsr_compress(d->mask, whole), want, (size_t)d->n * size, &wanted));
    if (count != wanted || memcmp(got, want, (size_t)count * size))
        fail_msg("%s of %lld of %lld", what, (long long)d->count, (long long)d->n);
    free(got);
    free(want);
}

static void closer(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    (void)user;
    out[0] = fsr_mul(fsr_add(state[0], fsr_div(arg[0], state[0])), fsr_float(arg[0].graph, 0.5));
}
static void is_far(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    (void)user;
    fsr_node off = fsr_abs(fsr_sub(fsr_mul(state[0], state[0]), arg[0]));
    out[0] = fsr_not_equal(fsr_less(off, fsr_float(arg[0].graph, 1e-9)), fsr_bool(arg[0].graph, true));
}

/* Roots of what is positive; of what the mask leaves out, and of anything behind the length, the iteration never
 * ends. */
static void loops(void **state) {
    (void)state;
    for (int s = 0; s < COUNT_OF(sizes); s++)
        for (int mask = 0; mask < MASKS; mask++) {
            data d = make(sizes[s], mask);
            const fsr_loop newton = {closer, is_far, NULL, 1, 1}, turns = {closer, NULL, NULL, 1, 1};
            fsr_node x = fsr_compress(d.mask, fsr_where(d.mask, d.x, fsr_float(G, -1))), out[2], whole[2];
            fsr_iterate(out, &newton, &x, &x, INT32_MAX);
            fsr_iterate(whole, &newton, &d.x, &d.x, 100);
            same(out[0], &d, whole[0], "a root");
            same(out[1], &d, whole[1], "its turns");
            fsr_iterate(out, &turns, (fsr_node[]){fsr_float(G, 1.5)}, &x, 3);
            fsr_iterate(whole, &turns, (fsr_node[]){fsr_float(G, 1.5)}, &d.x, 3);
            same(out[0], &d, whole[0], "three turns");
            same(out[1], &d, whole[1], "their number");
            free(d.kept);
        }
}

static void draws(void **state) {
    (void)state;
    for (int s = 0; s < COUNT_OF(sizes); s++)
        for (int mask = 0; mask < MASKS; mask++) {
            data d = make(sizes[s], mask);
            const fsr_node seed = fsr_int(G, 3), stream = fsr_int(G, 4), all = fsr_arange(G, FSR_I64, d.n);
            const fsr_node i = fsr_flatnonzero(d.mask), x = fsr_compress(d.mask, d.x);
            same(fsr_random_normal(seed, stream, i, FSR_F32), &d, fsr_random_normal(seed, stream, all, FSR_F32),
                 "normal");
            same(fsr_random_integers(seed, stream, i, FSR_I32, -7, 1000), &d,
                 fsr_random_integers(seed, stream, all, FSR_I32, -7, 1000), "integers");
            same(fsr_random_choice(seed, stream, fsr_live(all, i), fsr_arange(G, FSR_I32, 5)),
                 &(data){.n = d.n, .mask = fsr_less(all, fsr_live_count(i))},
                 fsr_random_choice(seed, stream, all, fsr_arange(G, FSR_I32, 5)), "choice");
            same(fsr_random_poisson(seed, stream, fsr_live(all, x), x),
                 &(data){.n = d.n, .mask = fsr_less(all, fsr_live_count(i))},
                 fsr_random_poisson(seed, stream, all, fsr_filled(x, fsr_float(G, 0))), "Poisson");
            same(fsr_random_gamma(seed, stream, fsr_live(all, x), x),
                 &(data){.n = d.n, .mask = fsr_less(all, fsr_live_count(i))},
                 fsr_random_gamma(seed, stream, all, fsr_filled(x, fsr_float(G, 1))), "gamma");
            free(d.kept);
        }
}

static void searches(void **state) {
    (void)state;
    for (int s = 0; s < COUNT_OF(sizes); s++)
        for (int mask = 0; mask < MASKS; mask++) {
            data d = make(sizes[s], mask);
            fsr_node keys = fsr_arange_step(G, FSR_F64, 0, 16, 0.5), x = fsr_compress(d.mask, d.x);
            fsr_node heights = fsr_sin(keys), zero = fsr_float(G, 0);
            same(fsr_searchsorted(keys, x, FSR_LEFT), &d, fsr_searchsorted(keys, d.x, FSR_LEFT), "searchsorted");
            same(fsr_searchsorted(fsr_slice(keys, 0, 0, 0, 1), x, FSR_LEFT), &d, fsr_cast(fsr_mul(d.x, zero), FSR_I64),
                 "no keys");
            same(fsr_digitize(x, fsr_flip(keys, 0), true), &d, fsr_digitize(d.x, fsr_flip(keys, 0), true), "digitize");
            same(fsr_interp(x, keys, heights, none, none), &d, fsr_interp(d.x, keys, heights, none, none), "interp");
            free(d.kept);
        }
}

/* Places among keys of which there are as many as a mask selects; the greatest numbers, and NaN, among the needles. */
static void live_keys(void **state) {
    (void)state;
    for (int s = 0; s < COUNT_OF(sizes); s++)
        for (int mask = 0; mask < MASKS; mask++) {
            data d = make(sizes[s], mask);
            const double needle[] = {-1, 0.25, 3, 3.1, 16, 17, INFINITY, NAN};
            enum { NEEDLES = COUNT_OF(needle) };
            fsr_node keys = fsr_sort(fsr_compress(d.mask, d.x), AXES(0), 1, 0),
                     x = fsr_from_host(G, FSR_F64, 1, SHAPE(NEEDLES), needle);
            fsr_node bytes = fsr_cast(keys, FSR_U8), byte = fsr_full(G, FSR_U8, 1, SHAPE(1), 255);
            for (int right = 0; right < 2; right++) {
                int64_t got[NEEDLES], most, j;
                OK(fsr_read(fsr_searchsorted(keys, x, right ? FSR_RIGHT : FSR_LEFT), got, sizeof got));
                for (int i = 0; i < NEEDLES; i++) {
                    for (j = 0;
                         j < d.count && (isnan(needle[i]) || (right ? d.kept[j] <= needle[i] : d.kept[j] < needle[i]));)
                        j++;
                    if (got[i] != j)
                        fail_msg("%g among %lld of %lld: %lld, not %lld", needle[i], (long long)d.count, (long long)d.n,
                                 (long long)got[i], (long long)j);
                }
                OK(fsr_read(fsr_searchsorted(bytes, byte, right ? FSR_RIGHT : FSR_LEFT), &most, sizeof most));
                assert_int_equal(most, d.count);
            }
            free(d.kept);
        }
}

/* Bins of which there are as many as a mask selects, in either order: what digitize gives of these alone; none gives
 * 0. */
static void live_bins(void **state) {
    (void)state;
    const double value[] = {-1, 0.25, 3, 3.1, 16, 17, INFINITY, NAN};
    enum { VALUES = COUNT_OF(value) };
    for (int s = 0; s < COUNT_OF(sizes); s++)
        for (int mask = 0; mask < MASKS; mask++)
            for (int k = 0; k < 4; k++) {
                data d = make(sizes[s], mask);
                const bool right = k & 1;
                const fsr_node x = fsr_from_host(G, FSR_F64, 1, SHAPE(VALUES), value);
                fsr_node bins = fsr_sort(fsr_compress(d.mask, d.x), AXES(0), 1, k & 2 ? FSR_DESCENDING : 0);
                fsr_node alone = fsr_from_host(G, FSR_F64, 1, &d.count, d.kept);
                int64_t got[VALUES], want[VALUES];
                OK(fsr_read(fsr_digitize(x, bins, right), got, sizeof got));
                OK(fsr_read(fsr_digitize(x, k & 2 ? fsr_flip(alone, 0) : alone, right), want, sizeof want));
                if (memcmp(got, want, sizeof got))
                    fail_msg("bins %d: %lld of %lld", k, (long long)d.count, (long long)d.n);
                free(d.kept);
            }
}

/* A curve through points of which there are as many as a mask selects is that through these alone. */
static void live_points(void **state) {
    (void)state;
    for (int s = 1; s < COUNT_OF(sizes); s++)
        for (int mask = 0; mask < MASKS; mask++) {
            data d = make(sizes[s], mask);
            fsr_node x = fsr_linspace(G, FSR_F64, -1, 18, 77, true),
                     all = fsr_from_host(G, FSR_F64, 1, &d.count, d.kept);
            fsr_node xp = fsr_sort(fsr_compress(d.mask, d.x), AXES(0), 1, 0), got[3], want[3];
            x = fsr_concat((fsr_node[]){x, fsr_full(G, FSR_F64, 1, SHAPE(1), NAN)}, 2, 0);
            got[0] = fsr_interp(x, xp, fsr_sin(xp), none, none);
            if (d.count == 0) {
                double back[78];
                subject_error(subject_ctx, fsr_read(got[0], back, sizeof back), FSR_ERR_EMPTY, "no element is there");
                free(d.kept);
                continue;
            }
            want[0] = fsr_interp(x, all, fsr_sin(all), none, none);
            got[1] = fsr_interp(x, xp, fsr_complex_of(xp, fsr_sin(xp)), fsr_float(G, 7), none);
            want[1] = fsr_interp(x, all, fsr_complex_of(all, fsr_sin(all)), fsr_float(G, 7), none);
            got[2] = fsr_interp_period(x, xp, fsr_sin(xp), 16.5);
            want[2] = fsr_interp_period(x, all, fsr_sin(all), 16.5);
            for (int k = 0; k < 3; k++) {
                void *a = subject_read(got[k]), *b = subject_read(want[k]);
                if (memcmp(a, b, (size_t)fsr_node_bytes(want[k])))
                    fail_msg("curve %d through %lld of %lld", k, (long long)d.count, (long long)d.n);
                free(a);
                free(b);
            }
            free(d.kept);
        }
}

/* Offsets of a capacity of 0; what still is refused says so. */
static void ends(void **state) {
    (void)state;
    fsr_node nothing = fsr_flatnonzero(fsr_zeros(G, FSR_BOOL, 1, SHAPE(0))), x = fsr_arange(G, FSR_F64, 9);
    int64_t count = -1;
    double back[9];
    OK(fsr_read_live(fsr_segment_sum(x, nothing), back, 0, &count));
    assert_int_equal(count, 0);
    fsr_node some = fsr_compress(fsr_greater(x, fsr_float(G, 3)), x);
    fsr_node others = fsr_compress(fsr_greater(x, fsr_float(G, 5)), x);
    assert_int_equal(fsr_node_status(fsr_interp(x, some, others, none, none)), FSR_ERR_SHAPE);
    assert_int_equal(fsr_node_status(fsr_interp(x, some, x, none, none)), FSR_ERR_SHAPE);
    const fsr_loop loop = {closer, is_far, NULL, 1, 1};
    fsr_node out[2];
    fsr_iterate(out, &loop, &some, &others, 3);
    assert_int_equal(fsr_node_status(out[0]), FSR_ERR_SHAPE);
}

static const struct CMUnitTest tests[] = {SUBJECT_TEST(loops),     SUBJECT_TEST(draws),       SUBJECT_TEST(searches),
                                          SUBJECT_TEST(live_keys), SUBJECT_TEST(live_points), SUBJECT_TEST(live_bins),
                                          SUBJECT_TEST(ends)};
SUBJECT_MAIN(tests)
