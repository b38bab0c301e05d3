/* SPDX-License-Identifier: MIT */
/* Sorting, row by row: a merge of halves by the plain values, which keeps the order of equal ones. The first elements
 * in order, the least or the greatest, are those that sorting puts first; in descending order the negative values are
 * sorted.
 *
 * Bounds. Of numbers that may each be anywhere in an interval the i-th smallest is at least the i-th smallest of the
 * lower ends and at most the i-th smallest of the upper ends. Where it was is known if no other interval meets its own;
 * ends of exact ones may touch, as their order is that of their places. Counter-example to each element's own interval:
 * of 1 +- 1 and 1.5 +- 0 the smaller is 1 +- 1 by its plain value, and may be 1.5. */
#include "backend_cpu/reference/library.h"
#include "graph/shape.h"
#include <stdlib.h>

typedef struct item {
    long double plain, low, high;
    int64_t place;
    bool exact;
} item;

typedef struct row {
    int64_t n, first; /* so many ranks are results */
    bool descending;  /* items hold the negative values */
    item *item, *other;
    fsr_ref_element *element; /* of each place */
    long double *end;         /* 2 n */
    bool known, bounded;      /* every element is exact; every element has a bound */
} row;

/* NaN is last and equal to itself, whatever its sign. */
static bool before(long double a, long double b) {
    return isnan(b) ? !isnan(a) : a < b;
}

static void merge_sort(item *x, item *to, int64_t n) {
    if (n < 2)
        return;
    const int64_t half = n / 2;
    merge_sort(x, to, half);
    merge_sort(x + half, to, n - half);
    for (int64_t a = 0, b = half, i = 0; i < n; i++)
        to[i] = b == n || (a < half && !before(x[b].plain, x[a].plain)) ? x[a++] : x[b++];
    for (int64_t i = 0; i < n; i++)
        x[i] = to[i];
}

static int by_value(const void *x, const void *y) {
    const long double a = *(const long double *)x, b = *(const long double *)y;
    return before(b, a) - before(a, b);
}

static void load(row *r, fsr_dtype dtype) {
    const int sign = r->descending ? -1 : 1;
    r->known = r->bounded = true;
    for (int64_t i = 0; i < r->n; i++) {
        const fsr_ref_element *x = &r->element[i];
        const long double plain = sign * fsr_ball_from_value(dtype, x->value).center, center = sign * x->ball.center;
        const bool exact = x->ball.radius == 0;
        long double low = center, high = center;
        if (!exact) {
            fsr_ball_ends(dtype, x->ball, &low, &high);
            const long double other = -low;
            low = r->descending ? -high : low;
            high = r->descending ? other : high;
        }
        r->item[i] = (item){.plain = plain, .low = low, .high = high, .place = i, .exact = exact};
        r->known = r->known && fsr_ref_is_known(&x->ball);
        r->bounded = r->bounded && !isinf(x->ball.radius);
    }
}

/* The ends of what each rank may hold. */
static void sort_ends(row *r) {
    for (int64_t i = 0; i < r->n; i++) {
        r->end[i] = r->item[i].low;
        r->end[r->n + i] = r->item[i].high;
    }
    qsort(r->end, (size_t)r->n, sizeof *r->end, by_value);
    qsort(r->end + r->n, (size_t)r->n, sizeof *r->end, by_value);
}

/* A zero of the row, whichever it is: of a sign that is known if all that may be one have that. Integers have one
 * zero. */
static fsr_ball zero_of(const row *r, fsr_dtype dtype) {
    bool positive = false, negative = false;
    for (int64_t i = 0; i < r->n && fsr_dtype_is_inexact(dtype); i++) {
        const item *x = &r->item[i];
        const fsr_ball own = r->element[x->place].ball;
        const bool either = !x->exact || fsr_ball_unsigned(own), may = x->low <= 0 && x->high >= 0;
        positive = positive || (may && (either || !signbit(own.center)));
        negative = negative || (may && (either || signbit(own.center)));
    }
    return fsr_ball_real(negative && !positive ? -0.0L : 0, negative && positive ? -0.0 : 0);
}

/* The ball of rank i, around a centre that can be kept (fsr_ref_data); zero: a zero of the row. */
static fsr_ball ball_of(const row *r, fsr_dtype dtype, int64_t i, fsr_ball zero) {
    const long double low = r->descending ? -r->end[r->n + i] : r->end[i];
    const long double high = r->descending ? -r->end[i] : r->end[r->n + i];
    if (low == 0 && high == 0)
        return zero;
    if (low == high || isnan(low) || isnan(high))
        return isnan(low) == isnan(high) ? fsr_ball_real(low, 0) : fsr_ball_unknown(dtype);
    if (isinf(low) || isinf(high) || dtype == FSR_BOOL)
        return fsr_ball_unknown(dtype);
    const bool whole = !fsr_dtype_is_inexact(dtype);
    const long double middle = whole ? floorl(low + (high - low) / 2) : low + (high - low) / 2;
    const long double rounded = whole ? 0 : fabsl(middle) * (dtype == FSR_F64 ? 0x1p-63L : 0x1p-52L);
    return fsr_ball_real(middle, (double)(high - middle + rounded) * (1 + 0x1p-50));
}

/* certain[i]: no element of another rank could stand at rank i. */
static void find_certain(const row *r, bool *certain) {
    long double all = -INFINITY, loose = -INFINITY;
    for (int64_t i = 0; i < r->n; i++) {
        const item *x = &r->item[i];
        certain[i] =
            isnan(x->plain) ||
            (x->exact ? !before(x->low, all) && (loose == -INFINITY || before(loose, x->low)) : before(all, x->low));
        all = before(all, x->high) ? x->high : all;
        loose = !x->exact && before(loose, x->high) ? x->high : loose;
    }
    all = loose = INFINITY;
    for (int64_t i = r->n - 1; i >= 0; i--) {
        const item *x = &r->item[i];
        if (isnan(x->plain))
            continue;
        certain[i] = certain[i] && (x->exact ? !before(all, x->high) && (loose == INFINITY || before(x->high, loose))
                                             : before(x->high, all));
        all = before(x->low, all) ? x->low : all;
        loose = !x->exact && before(x->low, loose) ? x->low : loose;
    }
}

/* The rank's element and its place. */
static bool store(const row *r, const fsr_rec *rec, int64_t i, fsr_ball zero, bool certain, int64_t at,
                  fsr_ref_data **out) {
    const item *x = &r->item[i];
    fsr_ref_element value = {.value = r->element[x->place].value};
    fsr_ref_element place = fsr_ref_known(rec->dtype[1], fsr_value_from_int(rec->dtype[1], x->place));
    value.ball = r->known     ? r->element[x->place].ball
                 : r->bounded ? ball_of(r, rec->dtype[0], i, zero)
                              : fsr_ball_unknown(rec->dtype[0]);
    if (!certain)
        place.ball = fsr_ball_unknown(rec->dtype[1]);
    return fsr_ref_data_set(out[0], at + i, &value) && fsr_ref_data_set(out[1], at + i, &place);
}

static bool sort_row(row *r, const fsr_rec *rec, bool *certain, int64_t at, fsr_ref_data **out) {
    bool good = true;
    load(r, rec->dtype[0]);
    merge_sort(r->item, r->other, r->n);
    if (!r->known && r->bounded) {
        sort_ends(r);
        find_certain(r, certain);
    }
    const fsr_ball zero = zero_of(r, rec->dtype[0]);
    for (int64_t i = 0; i < r->first && good; i++)
        good = store(r, rec, i, zero, r->known || (r->bounded && certain[i]), at, out);
    return good;
}

static bool sort_rows(row *r, const fsr_rec *rec, const fsr_shape *shape, const fsr_ref_view *in, bool *certain,
                      fsr_ref_data **out) {
    fsr_ref_walk walk;
    bool good = true;
    fsr_ref_walk_start(&walk, shape, 0, in, 1);
    for (int64_t at = 0; good && walk.left > 0; at += r->first) {
        for (int64_t i = 0; i < r->n; i++, fsr_ref_walk_next(&walk))
            r->element[i] = fsr_ref_data_get(in->data, walk.at[0]);
        good = sort_row(r, rec, certain, at, out);
    }
    return good;
}

/* Zeros of both signs stand side by side: the negative ones first. */
static void order_zeros(row *r) {
    int64_t low = 0, high, next;
    while (low < r->n && r->item[low].plain != 0)
        low++;
    for (high = low; high < r->n && r->item[high].plain == 0; high++)
        r->other[high] = r->item[high];
    next = low;
    for (int sign = 1; sign >= 0; sign--)
        for (int64_t i = low; i < high; i++)
            if (!signbit(r->other[i].plain) == !sign)
                r->item[next++] = r->other[i];
}

/* The elements of the ranks that a view has from `at` on. */
static bool pick_ranks(row *r, const fsr_rec *rec, fsr_ref_walk *ranks, const fsr_ref_data *data, int64_t at,
                       fsr_ref_data *out) {
    bool good = true;
    load(r, rec->dtype[0]);
    merge_sort(r->item, r->other, r->n);
    order_zeros(r);
    if (!r->known && r->bounded)
        sort_ends(r);
    const fsr_ball zero = zero_of(r, rec->dtype[0]);
    for (int64_t i = 0; i < r->first && good; i++, fsr_ref_walk_next(ranks)) {
        const fsr_ref_element asked = fsr_ref_data_get(data, ranks->at[0]);
        const int64_t rank = asked.value.i64 < 0 ? 0 : asked.value.i64 < r->n ? asked.value.i64 : r->n - 1;
        const fsr_ref_element *own = &r->element[r->item[rank].place];
        fsr_ref_element value = {.value = own->value, .ball = own->ball};
        if (!fsr_ref_is_known(&asked.ball) || !(r->known || r->bounded))
            value.ball = fsr_ball_unknown(rec->dtype[0]);
        else if (!r->known)
            value.ball = ball_of(r, rec->dtype[0], rank, zero);
        good = fsr_ref_data_set(out, at + i, &value);
    }
    return good;
}

static bool rank_rows(row *r, const fsr_rec *rec, const fsr_shape *shape, const fsr_ref_view *in, fsr_ref_data *out) {
    fsr_ref_walk walk, ranks;
    bool good = true;
    fsr_ref_walk_start(&walk, shape, 0, in, 1);
    fsr_ref_walk_start(&ranks, &rec->shape, 0, &in[1], 1);
    for (int64_t at = 0; good && walk.left > 0; at += r->first) {
        for (int64_t i = 0; i < r->n; i++, fsr_ref_walk_next(&walk))
            r->element[i] = fsr_ref_data_get(in->data, walk.at[0]);
        good = pick_ranks(r, rec, &ranks, in[1].data, at, out);
    }
    return good;
}

bool fsr_ref_ranked(const fsr_rec *rec, const fsr_shape *shape, const fsr_ref_view *in, fsr_ref_data **out,
                    fsr_fault *fault) {
    const size_t n = (size_t)shape->dim[shape->ndim - 1];
    row r = {.n = (int64_t)n,
             .first = rec->shape.dim[shape->ndim - 1],
             .item = malloc(n * sizeof *r.item),
             .other = malloc(n * sizeof *r.other),
             .element = malloc(n * sizeof *r.element),
             .end = malloc(2 * n * sizeof *r.end)};
    (void)fault;
    out[0] = fsr_ref_data_new(rec->dtype[0], fsr_shape_size(&rec->shape), true);
    const bool good = r.item && r.other && r.element && r.end && out[0] && rank_rows(&r, rec, shape, in, out[0]);
    free(r.item);
    free(r.other);
    free(r.element);
    free(r.end);
    return good;
}

bool fsr_ref_sort(const fsr_rec *rec, const fsr_shape *shape, const fsr_ref_view *in, fsr_ref_data **out,
                  fsr_fault *fault) {
    (void)fault;
    const size_t n = (size_t)shape->dim[shape->ndim - 1];
    row r = {.n = (int64_t)n,
             .first = rec->shape.dim[shape->ndim - 1],
             .descending = rec->library == FSR_LIBRARY_GREATEST,
             .item = malloc(n * sizeof *r.item),
             .other = malloc(n * sizeof *r.other),
             .element = malloc(n * sizeof *r.element),
             .end = malloc(2 * n * sizeof *r.end)};
    bool *certain = malloc(n * sizeof *certain);
    for (int i = 0; i < 2; i++)
        out[i] = fsr_ref_data_new(rec->dtype[i], fsr_shape_size(&rec->shape), true);
    const bool good = r.item && r.other && r.element && r.end && certain && out[0] && out[1] &&
                      sort_rows(&r, rec, shape, in, certain, out);
    free(r.item);
    free(r.other);
    free(r.element);
    free(r.end);
    free(certain);
    return good;
}

bool fsr_ref_top(const fsr_rec *rec, const fsr_shape *shape, const fsr_ref_view *in, fsr_ref_data **out,
                 fsr_fault *fault) {
    return fsr_ref_sort(rec, shape, in, out, fault);
}
