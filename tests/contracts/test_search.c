/* SPDX-License-Identifier: MIT */
/* Searches in sorted arrays: sizes, views, what is computed, rows, one kernel; interpolation against a plain loop.
 * NumPy's answers are in tests/diff/test_numpy_search.c. */
#include "tests/support/subject.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define G subject_g

static const fsr_node none;

static float key_of(int64_t i) {
    return (float)(i / 2) * 0.5f - 100;
}
static float needle_of(int64_t i) {
    return (float)(i * 7919 % 100003) * 0.01f - 110;
}

static fsr_node floats(int64_t n, float (*of)(int64_t)) {
    float *x = malloc((size_t)(n ? n : 1) * sizeof *x);
    for (int64_t i = 0; i < n; i++)
        x[i] = of(i);
    fsr_node out = fsr_from_host(G, FSR_F32, 1, &n, x);
    free(x);
    return out;
}

static int64_t place(float x, int64_t n, bool right) {
    int64_t low = 0, high = n;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (right ? key_of(middle) <= x : key_of(middle) < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Needles of every number of lanes, strips and tiles, and one more or less; keys of every number of turns. */
static void sizes(void **state) {
    (void)state;
    static const int64_t size[][2] = {{0, 5},     {1, 1},      {5, 0},      {31, 1023},    {32, 1024},
                                      {33, 1025}, {511, 2047}, {513, 2049}, {4097, 70000}, {(1 << 20) + 7, 1 << 10}};
    for (int s = 0; s < COUNT_OF(size); s++) {
        const int64_t n = size[s][0], m = size[s][1];
        fsr_node keys = floats(m, key_of), x = floats(n, needle_of);
        fsr_node out[] = {fsr_searchsorted(keys, x, FSR_LEFT), fsr_searchsorted(keys, x, FSR_RIGHT)};
        OK(fsr_compute(out, 2));
        for (int right = 0; right < 2; right++) {
            int64_t *got = subject_read(out[right]);
            for (int64_t i = 0; i < n; i++)
                if (got[i] != place(needle_of(i), m, right))
                    fail_msg("%lld keys: needle %lld at %lld, not %lld", (long long)m, (long long)i, (long long)got[i],
                             (long long)place(needle_of(i), m, right));
            free(got);
        }
    }
}

/* Keys through views, and computed; needles computed; what follows: all against the reference. */
static void around(void **state) {
    (void)state;
    fsr_node wide = floats(400, key_of), x = fsr_reshape(floats(600, needle_of), 2, SHAPE(20, 30));
    fsr_node keys[] = {fsr_slice(wide, 0, 1, 399, 3), fsr_flip(fsr_neg(wide), 0),
                       fsr_sqrt(fsr_add(wide, fsr_float(G, 100)))};
    for (int i = 0; i < COUNT_OF(keys); i++) {
        fsr_node at = fsr_searchsorted(keys[i], fsr_exp(fsr_mul(x, fsr_float(G, 0.01))), FSR_RIGHT);
        fsr_node out[] = {at, fsr_sum(at, AXES(1), 1, 0), fsr_take(keys[i], at, 0, FSR_INDEX_CLIP),
                          fsr_cumsum(fsr_transpose(at, NULL), AXES(0), 1, 0)};
        subject_verify(out, COUNT_OF(out), NULL, "keys %d", i);
    }
    fsr_node bins = fsr_flip(fsr_slice(wide, 0, 0, FSR_SLICE_END, 9), 0);
    subject_verify((fsr_node[]){fsr_digitize(x, bins, true)}, 1, NULL, "bins that descend");
}

static void row(fsr_node *out, const fsr_node *in, void *user) {
    out[0] = fsr_sum(fsr_searchsorted(*(fsr_node *)user, in[0], FSR_LEFT), NULL, 0, 0);
}

static void rows(void **state) {
    (void)state;
    fsr_node keys = floats(100, key_of), x = fsr_reshape(floats(60, needle_of), 2, SHAPE(6, 10)), out;
    fsr_vectorize(&out, 1, &x, 1, "(n)->()", row, &keys);
    int64_t *got = subject_read(out), *want = subject_read(fsr_sum(fsr_searchsorted(keys, x, FSR_LEFT), AXES(1), 1, 0));
    assert_memory_equal(got, want, 6 * sizeof *got);
    free(got);
    free(want);
}

/* What computes the needles, the search, and what is done at the place is one kernel. */
static void fused(void **state) {
    (void)state;
    fsr_node xp = floats(1000, key_of), x = floats(5000, needle_of);
    const int64_t before = subject_stats().launches;
    free(subject_read(fsr_sum(fsr_square(fsr_interp(fsr_exp(x), xp, xp, none, none)), NULL, 0, 0)));
    assert_int_equal(subject_stats().launches - before, 1);
}

/* A line through points that are apart, with jumps. */
static void interpolated(void **state) {
    (void)state;
    enum { POINTS = 37, N = 3000 };
    double xp[POINTS], fp[POINTS], x[N];
    for (int i = 0; i < POINTS; i++) {
        xp[i] = i * 1.25 + (i % 3) * 0.5;
        fp[i] = sin(i) * 10;
    }
    for (int i = 0; i < N; i++)
        x[i] = i * 0.02 - 5;
    fsr_node at = fsr_from_host(G, FSR_F64, 1, SHAPE(N), x), points = fsr_from_host(G, FSR_F64, 1, SHAPE(POINTS), xp);
    fsr_node y = fsr_from_host(G, FSR_F64, 1, SHAPE(POINTS), fp);
    double *got = subject_read(fsr_interp(at, points, y, none, fsr_float(G, -1)));
    for (int i = 0, j = 0; i < N; i++) {
        while (j < POINTS - 2 && xp[j + 1] <= x[i])
            j++;
        const double want = x[i] < xp[0]            ? fp[0]
                            : x[i] > xp[POINTS - 1] ? -1
                            : x[i] == xp[POINTS - 1]
                                ? fp[POINTS - 1]
                                : (fp[j + 1] - fp[j]) / (xp[j + 1] - xp[j]) * (x[i] - xp[j]) + fp[j];
        assert_true(got[i] == want);
    }
    free(got);
    fsr_node z = fsr_interp(at, points, fsr_complex_of(y, fsr_neg(y)), none, none);
    assert_int_equal(fsr_node_dtype(z), FSR_C128);
    subject_verify((fsr_node[]){z, fsr_interp_period(at, points, y, 7.5)}, 2, NULL, "complex; a period");
}

static void mistakes(void **state) {
    (void)state;
    fsr_node x = floats(6, key_of), two = fsr_reshape(x, 2, SHAPE(2, 3)), empty = floats(0, key_of);
    const struct {
        fsr_node node;
        fsr_status status;
    } all[] = {{fsr_searchsorted(two, x, FSR_LEFT), FSR_ERR_SHAPE},
               {fsr_searchsorted(x, x, (fsr_side)2), FSR_ERR_VALUE},
               {fsr_searchsorted(x, fsr_cast(x, FSR_C64), FSR_LEFT), FSR_ERR_DTYPE},
               {fsr_digitize(fsr_cast(x, FSR_C64), x, false), FSR_ERR_DTYPE},
               {fsr_interp(x, empty, empty, none, none), FSR_ERR_EMPTY},
               {fsr_interp(x, x, fsr_slice(x, 0, 0, 3, 1), none, none), FSR_ERR_SHAPE},
               {fsr_interp(x, x, x, x, none), FSR_ERR_SHAPE},
               {fsr_interp(x, x, x, none, fsr_complex(G, 0, 1)), FSR_ERR_DTYPE},
               {fsr_interp_period(x, x, x, 0), FSR_ERR_VALUE},
               {fsr_interp_period(x, x, x, NAN), FSR_ERR_VALUE}};
    for (int i = 0; i < COUNT_OF(all); i++)
        if (fsr_node_status(all[i].node) != all[i].status)
            fail_msg("mistake %d: %s", i, fsr_node_error(all[i].node));
}

static void in_expressions(void **state) {
    (void)state;
    fsr_node x = floats(300, needle_of), k = floats(40, key_of);
    static const char *const text[] = {
        "searchsorted(k, x)",         "searchsorted(k, x, side=right)",    "digitize(x, k)",
        "digitize(x, k, right=True)", "interp(x, k, k, left=-3, right=4)", "interp(x, k, k, period=2.5)"};
    const fsr_node want[] = {fsr_searchsorted(k, x, FSR_LEFT),
                             fsr_searchsorted(k, x, FSR_RIGHT),
                             fsr_digitize(x, k, false),
                             fsr_digitize(x, k, true),
                             fsr_interp(x, k, k, fsr_float(G, -3), fsr_float(G, 4)),
                             fsr_interp_period(x, k, k, 2.5)};
    for (int i = 0; i < COUNT_OF(text); i++) {
        fsr_node got = fsr_expr(G, text[i], ((fsr_name[]){{"x", x}, {"k", k}}), 2);
        OK(fsr_node_status(got));
        void *a = subject_read(got), *b = subject_read(want[i]);
        assert_memory_equal(a, b, 300 * 8);
        free(a);
        free(b);
    }
    assert_int_equal(fsr_node_status(fsr_expr(G, "searchsorted(k, k, side=middle)", &(fsr_name){"k", k}, 1)),
                     FSR_ERR_VALUE);
}

static const struct CMUnitTest tests[] = {
    SUBJECT_TEST(sizes),        SUBJECT_TEST(around),   SUBJECT_TEST(rows),          SUBJECT_TEST(fused),
    SUBJECT_TEST(interpolated), SUBJECT_TEST(mistakes), SUBJECT_TEST(in_expressions)};
SUBJECT_MAIN(tests)
