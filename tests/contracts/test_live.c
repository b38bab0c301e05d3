/* SPDX-License-Identifier: MIT */
/* Values with a length that only the device knows: against plain loops at sizes about a tile, of masks that select all,
 * none and some; what meets and what does not; scopes; what is told when it is known. */
#include "graph/graph.h"
#include "runtime/context.h"
#include "tests/support/subject.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define G subject_g

static const int64_t sizes[] = {0, 1, 2, 33, 1000, 4097, 70000};

/* Of the fast tier is one size. */
static subject_tier tier_of(int64_t n) {
    return n == 1000 ? SUBJECT_FAST : SUBJECT_LONG;
}

/* Which elements a mask selects: all, none, every third, about half, the first one, the last one. */
enum { MASKS = 6 };
static bool selects(int mask, int64_t i, int64_t n) {
    const bool some[MASKS] = {true, false, i % 3 == 0, (i * 2654435761u >> 7 & 1) != 0, i == 0, i == n - 1};
    return some[mask];
}

typedef struct data {
    int64_t n, count;
    float *x, *kept; /* kept: what is selected */
    uint8_t *mask;
    fsr_node node, bools, live;
} data;

static data make(int64_t n, int mask) {
    data d = {.n = n};
    d.x = malloc((size_t)(n + 1) * sizeof *d.x);
    d.kept = malloc((size_t)(n + 1) * sizeof *d.kept);
    d.mask = malloc((size_t)n + 1);
    for (int64_t i = 0; i < n; i++) {
        d.x[i] = (float)((i * 7 + 3) % 64) / 4 - 5;
        d.mask[i] = selects(mask, i, n);
        if (d.mask[i])
            d.kept[d.count++] = d.x[i];
    }
    d.node = fsr_from_host(G, FSR_F32, 1, &n, d.x);
    d.bools = fsr_from_host(G, FSR_BOOL, 1, &n, d.mask);
    d.live = fsr_compress(d.bools, d.node);
    return d;
}

static void clear(data *d) {
    free(d->x);
    free(d->kept);
    free(d->mask);
}

/* x has these elements, bit by bit, and verifies. */
static void same(fsr_node x, const void *want, int64_t count, const char *what) {
    int64_t there = -1;
    if (fsr_node_status(x))
        fail_msg("%s: %s", what, fsr_node_error(x));
    const size_t size = fsr_dtype_size(fsr_node_dtype(x)), bytes = (size_t)fsr_node_bytes(x);
    char *got = malloc(bytes + 1);
    OK(fsr_read_live(x, got, bytes, &there));
    if (there != count)
        fail_msg("%s: %lld elements, not %lld", what, (long long)there, (long long)count);
    if (memcmp(got, want, (size_t)count * size))
        fail_msg("%s: other values (%lld there)", what, (long long)count);
    free(got);
    if (fsr_verify(&x, 1, NULL))
        fail_msg("%s: %s", what, fsr_error(subject_ctx));
}

static void each(void (*check)(data *d)) {
    for (int s = 0; s < COUNT_OF(sizes); s++)
        for (int mask = 0; mask < (sizes[s] < 4000 ? MASKS : 4) && subject_case(s, tier_of(sizes[s]));
             mask += 1 + (sizes[s] == 33)) {
            data d = make(sizes[s], mask);
            check(&d);
            clear(&d);
        }
}

static void check_elements(data *d) {
    float *want = malloc((size_t)(d->n + 1) * sizeof *want);
    same(d->live, d->kept, d->count, "compress");
    int64_t count = -1;
    OK(fsr_node_count(d->live, &count));
    assert_int_equal(count, d->count);
    for (int64_t i = 0; i < d->count; i++)
        want[i] = d->kept[i] * d->kept[i] + 2 * d->kept[i];
    fsr_node again = fsr_compress(d->bools, fsr_mul(d->node, fsr_float(G, 2)));
    same(fsr_add(fsr_mul(d->live, d->live), again), want, d->count, "maps");
    for (int64_t i = 0; i < d->n; i++)
        want[i] = i < d->count ? d->kept[i] : -7;
    same(fsr_filled(d->live, fsr_float(G, -7)), want, d->n, "filled");
    same(fsr_filled(fsr_compress(d->bools, d->node), fsr_float(G, -7)), want, d->n, "filled in one kernel");
    float *whole = malloc((size_t)(d->n + 1) * sizeof *whole);
    for (int64_t i = 0; i < d->n; i++)
        whole[i] = want[i] = 99;
    memcpy(want, d->kept, (size_t)d->count * sizeof *want);
    OK(fsr_read(d->live, whole, (size_t)d->n * sizeof *whole));
    assert_memory_equal(whole, want, (size_t)d->n * sizeof *whole);
    free(whole);
    free(want);
}

static void elements(void **state) {
    (void)state;
    each(check_elements);
}

/* Of values computed before, and of those in whose kernel the filter is. */
static void check_folds(data *d) {
    for (int forced = 0; forced < 2; forced++) {
        fsr_node live = forced ? d->live : fsr_compress(d->bools, d->node);
        if (forced)
            OK(fsr_force(live));
        double sum = 0, squares = 0;
        int64_t positive = 0, first = -1;
        float most = -INFINITY;
        for (int64_t i = 0; i < d->count; i++) {
            sum += d->kept[i];
            positive += d->kept[i] > 0;
            first = d->kept[i] > most ? i : first;
            most = d->kept[i] > most ? d->kept[i] : most;
        }
        const double mean = sum / (double)d->count;
        for (int64_t i = 0; i < d->count; i++)
            squares += (d->kept[i] - mean) * (d->kept[i] - mean);
        fsr_node zero = fsr_float(G, 0), wide = fsr_cast(live, FSR_F64);
        const float whole = (float)sum;
        same(fsr_sum(live, NULL, 0, 0), &whole, 1, "sum");
        same(fsr_count_nonzero(fsr_greater(live, zero), NULL, 0, 0), &positive, 1, "count_nonzero");
        if (!d->count)
            continue;
        double got[2];
        OK(fsr_read(fsr_mean(wide, NULL, 0, 0), &got[0], sizeof got[0]));
        OK(fsr_read(fsr_var(wide, NULL, 0, 0, 0), &got[1], sizeof got[1]));
        assert_true(fabs(got[0] - mean) < 1e-12 && fabs(got[1] - squares / (double)d->count) < 1e-9);
        same(fsr_max(live, NULL, 0, 0), &most, 1, "max");
        same(fsr_argmax(live, NULL, 0, 0), &first, 1, "argmax");
    }
}

static void folds(void **state) {
    (void)state;
    each(check_folds);
}

static void check_scans(data *d) {
    float *up = malloc((size_t)(d->n + 1) * sizeof *up), *down = malloc((size_t)(d->n + 1) * sizeof *down);
    for (int64_t i = 0; i < d->count; i++)
        up[i] = (i ? up[i - 1] : 0) + d->kept[i];
    for (int64_t i = d->count - 1; i >= 0; i--)
        down[i] = (i + 1 < d->count ? down[i + 1] : 0) + d->kept[i];
    same(fsr_cumsum(d->live, AXES(0), 1, 0), up, d->count, "cumsum");
    same(fsr_cumsum(d->live, AXES(-1), 1, FSR_REVERSE), down, d->count, "cumsum from the end");
    free(up);
    free(down);
}

static void scans(void **state) {
    (void)state;
    each(check_scans);
}

/* A bound as Python's slice.indices has it. */
static int64_t clipped(int64_t value, int64_t omitted, int64_t n, int64_t low, int64_t high) {
    if (value == FSR_SLICE_END)
        return omitted;
    value += value < 0 ? n : 0;
    return value < low ? low : value > high ? high : value;
}

static void check_slice(const data *d, int64_t start, int64_t stop, int64_t step) {
    const int64_t n = d->count, low = step > 0 ? 0 : -1, high = step > 0 ? n : n - 1;
    const int64_t a = clipped(start, step > 0 ? low : high, n, low, high),
                  b = clipped(stop, step > 0 ? high : low, n, low, high);
    float *want = malloc((size_t)(d->n + 1) * sizeof *want);
    int64_t count = 0;
    for (int64_t i = a; step > 0 ? i < b : i > b; i += step)
        want[count++] = d->kept[i];
    char what[96];
    snprintf(what, sizeof what, "[%lld:%lld:%lld] of %lld of %lld", (long long)start, (long long)stop, (long long)step,
             (long long)n, (long long)d->n);
    same(fsr_slice(d->live, 0, start, stop, step), want, count, what);
    free(want);
}

static void slices(void **state) {
    static const int64_t bounds[] = {FSR_SLICE_END, 2, 9, -1, -3, INT64_MIN + 1, INT64_MAX};
    static const int64_t steps[] = {1, 2, -1, -3};
    (void)state;
    for (int mask = 0; mask < MASKS; mask += 3)
        for (int i = 0; i < COUNT_OF(bounds); i++)
            for (int j = 0; j < COUNT_OF(bounds); j++) {
                if (!subject_case(i, mask == 3 && (i + j) % 4 == 1 ? SUBJECT_FAST : SUBJECT_LONG))
                    continue;
                data d = make(24, mask);
                OK(fsr_force(d.live));
                check_slice(&d, bounds[i], bounds[j], steps[(i + j) % COUNT_OF(steps)]);
                clear(&d);
            }
}

/* Differences of neighbours: two slices of one length. */
static void differences(void **state) {
    (void)state;
    for (int mask = 0; mask < MASKS; mask++) {
        data d = make(1000, mask);
        float want[1000];
        for (int64_t i = 0; i + 1 < d.count; i++)
            want[i] = d.kept[i + 1] - d.kept[i];
        same(fsr_diff(d.live, 1, 0), want, d.count ? d.count - 1 : 0, "diff");
        fsr_node flipped = fsr_flip(fsr_flip(d.live, 0), 0);
        same(fsr_sub(flipped, d.live), memset(want, 0, sizeof want), d.count, "flipped twice");
        clear(&d);
    }
}

static void indices(void **state) {
    (void)state;
    for (int mask = 0; mask < MASKS; mask++) {
        data d = make(1000, mask);
        int64_t want[1000], count = 0;
        for (int64_t i = 0; i < d.n; i++)
            if (d.mask[i])
                want[count++] = i;
        same(fsr_flatnonzero(d.bools), want, count, "flatnonzero");
        fsr_node twice = fsr_compress(fsr_greater(d.live, fsr_float(G, 0)), d.live);
        float kept[1000];
        count = 0;
        for (int64_t i = 0; i < d.count; i++)
            if (d.kept[i] > 0)
                kept[count++] = d.kept[i];
        same(twice, kept, count, "a filter of what is filtered");
        count = 0;
        for (int64_t i = 0; i < d.count; i++)
            if (d.kept[i] > 0)
                want[count++] = i;
        same(fsr_flatnonzero(fsr_greater(d.live, fsr_float(G, 0))), want, count, "nonzero of what is filtered");
        clear(&d);
    }
}

/* A count that a run gives. */
static void given(void **state) {
    (void)state;
    float x[100];
    for (int i = 0; i < 100; i++)
        x[i] = (float)i;
    fsr_node n = fsr_param(G, "n", FSR_I32, 7), live = fsr_live(fsr_from_host(G, FSR_F32, 1, SHAPE(100), x), n);
    fsr_node sum = fsr_sum(live, NULL, 0, 0);
    fsr_plan *plan;
    OK(fsr_compile((fsr_node[]){sum, fsr_live_count(live)}, 2, &plan));
    static const int32_t counts[] = {-5, 0, 1, 64, 100, 1000};
    for (int i = 0; i < COUNT_OF(counts); i++) {
        const int32_t clip = counts[i] < 0 ? 0 : counts[i] > 100 ? 100 : counts[i];
        float got;
        int64_t count;
        const fsr_arg in = {"n", (void *)&counts[i], sizeof counts[i], FSR_HOST},
                      out[] = {{NULL, &got, sizeof got, FSR_HOST}, {NULL, &count, sizeof count, FSR_HOST}};
        OK(fsr_plan_run(plan, &in, 1, out, 2, NULL));
        assert_int_equal(count, clip);
        assert_true(got == (float)(clip * (clip - 1) / 2));
    }
    fsr_plan_free(plan);
    same(fsr_live(fsr_from_host(G, FSR_F32, 1, SHAPE(100), x), live), x, 7, "another's length");
}

/* Functions made of elementwise ones, random numbers and functions of the program's own see what is there. */
static void composed(void **state) {
    static const fsr_native own = {
        .name = "half", .result = FSR_F32, .parameters = "f32 x", .c = "return x / 2;", .cuda = "return x / 2;"};
    (void)state;
    data d = make(1000, 3);
    float want[1000];
    bool near[1000];
    for (int64_t i = 0; i < d.count; i++) {
        want[i] = d.kept[i] / 2;
        near[i] = true;
    }
    fsr_node x = fsr_mul(d.live, fsr_full_like(d.live, 0.5));
    same(x, want, d.count, "full_like");
    same(fsr_isclose(x, fsr_nan_to_num(x, 0, NULL, NULL), 1e-5, 1e-8, false), near, d.count, "isclose");
    same(fsr_call_native(&own, &d.live, 1), want, d.count, "a function of the program's own");
    same(fsr_expr(G, "x / 2", (fsr_name[]){{"x", d.live}}, 1), want, d.count, "an expression");
    fsr_node i = fsr_flatnonzero(d.bools), seed = fsr_int(G, 1), zero = fsr_int(G, 0);
    fsr_node all = fsr_random_uniform(seed, zero, fsr_counter(G, 1, SHAPE(1000)), FSR_F32);
    fsr_node drawn = fsr_random_uniform(seed, zero, i, FSR_F32), sum[2];
    sum[0] = fsr_sum(fsr_cast(drawn, FSR_F64), NULL, 0, 0);
    sum[1] = fsr_sum(fsr_cast(fsr_compress(d.bools, all), FSR_F64), NULL, 0, 0);
    double got[2];
    OK(fsr_read(sum[0], &got[0], sizeof got[0]));
    OK(fsr_read(sum[1], &got[1], sizeof got[1]));
    assert_true(fabs(got[0] - got[1]) < 1e-9);
    clear(&d);
}

static void refused(fsr_node x, fsr_status status, const char *words) {
    assert_int_equal(fsr_node_status(x), status);
    if (!strstr(fsr_node_error(x), words))
        fail_msg("\"%s\" does not say \"%s\"", fsr_node_error(x), words);
}

static void what_does_not_meet(void **state) {
    (void)state;
    data a = make(100, 2), b = make(100, 3), c = make(1, 0);
    fsr_node one = fsr_from_host(G, FSR_F32, 1, SHAPE(5), a.x);
    refused(fsr_add(a.live, b.live), FSR_ERR_SHAPE, "two lengths that only the device knows");
    refused(fsr_add(a.live, a.node), FSR_ERR_SHAPE, "has not");
    refused(fsr_add(c.live, one), FSR_ERR_SHAPE, "has not");
    refused(fsr_add(c.live, a.live), FSR_ERR_SHAPE, "two lengths");
    refused(fsr_add(a.live, fsr_slice(a.live, 0, 1, FSR_SLICE_END, 1)), FSR_ERR_SHAPE, "two lengths");
    refused(fsr_stack((fsr_node[]){a.live, a.live}, 2, 0), FSR_ERR_UNSUPPORTED, "fsr_filled");
    refused(fsr_compress(a.bools, c.node), FSR_ERR_SHAPE, "mask");
    refused(fsr_live(a.node, fsr_float(G, 3)), FSR_ERR_DTYPE, "no count");
    refused(fsr_live(c.node, a.live), FSR_ERR_SHAPE, "capacity");
    OK(fsr_node_status(fsr_add(a.live, fsr_slice(a.node, 0, 0, 1, 1))));
    OK(fsr_node_status(fsr_add(fsr_slice(a.live, 0, 1, -2, 1), fsr_slice(a.live, 0, 2, -1, 1))));
    assert_true(fsr_node_is_live(a.live) && !fsr_node_is_live(a.node) && !fsr_node_is_live((fsr_node){0}));
    assert_int_equal(fsr_node_dim(a.live, 0), 100);
    clear(&a);
    clear(&b);
    clear(&c);
}

static void told(void **state) {
    (void)state;
    data d = make(100, 1);
    float got;
    int64_t position;
    static const char *const words = "no element is there";
    assert_int_equal(fsr_read(fsr_max(d.live, NULL, 0, 0), &got, sizeof got), FSR_ERR_EMPTY);
    assert_non_null(strstr(fsr_error(subject_ctx), words));
    assert_int_equal(fsr_read(fsr_argmin(d.live, NULL, 0, 0), &position, sizeof position), FSR_ERR_EMPTY);
    assert_int_equal(fsr_read(fsr_nanmin(d.live, NULL, 0, 0), &got, sizeof got), FSR_ERR_EMPTY);
    assert_int_equal(fsr_read(fsr_norm(d.live, NULL, 0, 0, INFINITY), &got, sizeof got), FSR_ERR_EMPTY);
    OK(fsr_read(fsr_logsumexp(d.live, NULL, 0, 0), &got, sizeof got));
    assert_true(got == -INFINITY);
    OK(fsr_read(fsr_mean(d.live, NULL, 0, 0), &got, sizeof got));
    assert_true(isnan(got));
    char small[4 * 3];
    data e = make(100, 2);
    int64_t count = 0;
    assert_int_equal(fsr_read_live(e.live, small, sizeof small, &count), FSR_ERR_BYTES);
    assert_int_equal(count, 34);
    assert_int_equal(fsr_read(e.live, small, sizeof small), FSR_ERR_BYTES);
    clear(&d);
    clear(&e);
}

/* What is kept keeps its count, computed or not. */
static void scopes(void **state) {
    (void)state;
    for (int forced = 0; forced < 2; forced++) {
        data d;
        OK(fsr_scope_begin(G));
        d = make(1000, 3);
        fsr_node doubled = fsr_add(d.live, d.live);
        if (forced)
            OK(fsr_force(doubled));
        OK(fsr_scope_end(G, &doubled, 1));
        for (int64_t i = 0; i < d.count; i++)
            d.kept[i] *= 2;
        same(doubled, d.kept, d.count, "kept");
        fsr_node sum = fsr_sum(fsr_cast(doubled, FSR_F64), NULL, 0, 0);
        double want = 0, got;
        for (int64_t i = 0; i < d.count; i++)
            want += d.kept[i];
        OK(fsr_read(sum, &got, sizeof got));
        assert_true(got == want);
        clear(&d);
    }
}

/* fsr_verify tells a wrong length as that of its output. */
static void wrong_lengths(void **state) {
    (void)state;
    data d = make(1000, 2);
    fsr_node outs[] = {fsr_neg(d.node), fsr_neg(d.live)};
    fsr_verify_report report;
    OK(fsr_compute(outs, 2));
    const fsr_rec *rec = fsr_node_rec(outs[1]), *count = fsr_graph_rec(G, rec->length.count.id);
    fsr_backend *backend = subject_ctx->backend;
    fsr_fault fault = {FSR_OK, NULL};
    const int64_t fewer = d.count - 1;
    OK(backend->ops->copy_in(backend, count->buffer[0]->data, &fewer, sizeof fewer, NULL, &fault));
    subject_error(subject_ctx, fsr_verify(outs, 2, &report), FSR_ERR_MISMATCH,
                  "verify: output 1, its length: got 333, expected 334, error 1, bound 0");
    assert_int_equal(report.worst_out, 1);
    clear(&d);
}

static void of_row(fsr_node *out, const fsr_node *in, void *user) {
    fsr_node kept = fsr_compress(fsr_greater(in[0], fsr_float(G, 0)), in[0]);
    out[0] = *(bool *)user ? kept : fsr_sum(kept, NULL, 0, 0);
}

/* A row's own length serves inside of its function, and is refused outside. */
static void rows(void **state) {
    (void)state;
    fsr_node x = subject_data(FSR_F32, 2, SHAPE(30, 41), SUBJECT_SMALL, 1), out, zero = fsr_float(G, 0);
    bool whole = false;
    fsr_vectorize(&out, 1, &x, 1, "(n)->()", of_row, &whole);
    fsr_node want = fsr_sum(fsr_where(fsr_greater(x, zero), x, zero), AXES(1), 1, 0);
    float *a = subject_read(out), *b = subject_read(want);
    for (int i = 0; i < 30; i++)
        assert_true(fabsf(a[i] - b[i]) < 1e-4f);
    free(a);
    free(b);
    subject_verify(&out, 1, NULL, "rows");
    whole = true;
    fsr_vectorize(&out, 1, &x, 1, "(n)->(n)", of_row, &whole);
    refused(out, FSR_ERR_UNSUPPORTED, "in each row");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SUBJECT_CASES(elements), SUBJECT_CASES(folds),      SUBJECT_CASES(scans),
        SUBJECT_CASES(slices),   SUBJECT_TEST(differences), SUBJECT_TEST(indices),
        SUBJECT_TEST(given),     SUBJECT_TEST(composed),    SUBJECT_TEST(what_does_not_meet),
        SUBJECT_TEST(told),      SUBJECT_TEST(scopes),      SUBJECT_TEST(wrong_lengths),
        SUBJECT_TEST(rows)};
    return subject_main(SUBJECT_BACKEND, tests, COUNT_OF(tests));
}
