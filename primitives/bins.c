/* SPDX-License-Identifier: MIT */
/* Elements counted by bins: bincount, histogram with even bins or with edges, in one and two dimensions; and put, which
 * numbers elements flat.
 *
 * A count is a scatter that adds ones, of 32 bits where they cannot overflow; weights are added in their place. What
 * computes the elements, and the bin of each, is in the scatter's kernel.
 *
 * Which of even bins an element is in follows from a quotient that may round to either side of an edge; so it is
 * compared with the edges on both sides, as NumPy does, and these are computed rather than loaded. Counter-example to
 * the quotient alone: of 0.1, 0.2, 0.3 in ten bins of [0, 1] one falls short. Where rounding moves the quotient by less
 * than an eighth of a bin, a quarter more than it names the bin or the next one, and one edge tells; where bins are a
 * power of two wide and begin at a multiple of that, nothing rounds and no edge is asked. f32 have their quotient in
 * f32 there. Counter-example to two edges in f64 for all: on an H200 2^27 f32 in 256 bins took three times as long as
 * memory does, at six conversions from or to 64 bits an element. Among given edges it is searched for (search.c). */
#include "graph/floats.h"
#include "graph/number.h"
#include "primitives/scatter.h"
#include "primitives/search.h"
#include <math.h>

static fsr_node real(fsr_site at, fsr_node like, double value) {
    return fsr_literal(like.graph, at, FSR_F64, fsr_value_from_double(FSR_F64, value), false);
}

/* ---- counts ------------------------------------------------------------------------------------------------- */

/* Ones, or the weights, added to zeros of this shape at n arrays of indices. */
static fsr_node counted(fsr_site at, const char *what, int ndim, const int64_t *shape, const fsr_node *index,
                        const fsr_node *weights, fsr_index_mode mode) {
    fsr_graph *graph = index[0].graph;
    for (int i = 0; i < ndim; i++)
        if (!fsr_node_sound(index[i]))
            return index[i];
    const bool narrow = fsr_node_size(index[0]) <= INT32_MAX;
    const fsr_dtype dtype = weights ? fsr_node_dtype(*weights) : narrow ? FSR_I32 : FSR_I64;
    fsr_node zeros = fsr_full_at(at, graph, dtype, ndim, shape, 0), ones = fsr_int_at(at, graph, 1);
    fsr_node out = fsr_scatter_add_of(at, what, zeros, index, ndim, weights ? *weights : ones, mode);
    return weights || !fsr_node_sound(out) ? out : fsr_convert(at, out, FSR_I64, false);
}

/* Weights, if there are any, have the elements' shape, and their length. */
static bool weights_take(fsr_site at, const char *what, fsr_node x, fsr_node *weights, const fsr_node **out,
                         fsr_node *poison) {
    fsr_node all[] = {x, *weights};
    fsr_length length;
    fsr_graph *graph;
    *out = weights->graph ? weights : NULL;
    if (fsr_poison_of_any(at, what, all, *out ? 2 : 1, &graph, poison) ||
        !fsr_lengths_meet(at, what, all, *out ? 2 : 1, &length, poison))
        return false;
    if (!*out)
        return true;
    *weights = fsr_strong(at, *weights);
    *poison = *weights;
    if (!fsr_node_sound(*weights))
        return false;
    if (fsr_shape_equal(&fsr_node_rec(x)->shape, &fsr_node_rec(*weights)->shape))
        return true;
    *poison = fsr_poison(x.graph, at, FSR_ERR_SHAPE, what, "the weights %s do not have the shape of %s",
                         fsr_say(*weights).text, fsr_say(x).text);
    return false;
}

static bool bins_take(fsr_site at, const char *what, fsr_node x, int64_t bins, fsr_node *poison) {
    if (bins >= 1)
        return true;
    *poison = fsr_poison(x.graph, at, FSR_ERR_VALUE, what, "%lld bins", (long long)bins);
    return false;
}

fsr_node fsr_bincount_at(fsr_site at, fsr_node x, fsr_node weights, int64_t length, fsr_index_mode mode) {
    static const char what[] = "bincount";
    fsr_node poison;
    const fsr_node *given;
    if (!weights_take(at, what, x, &weights, &given, &poison) || !bins_take(at, what, x, length, &poison))
        return poison;
    if (fsr_dtype_is_inexact(fsr_node_dtype(x)) || fsr_node_dtype(x) == FSR_BOOL)
        return fsr_poison(x.graph, at, FSR_ERR_DTYPE, what, "%s are no numbers of bins", fsr_say(x).text);
    if (fsr_node_ndim(x) != 1)
        return fsr_poison(x.graph, at, FSR_ERR_SHAPE, what, "%s is not one-dimensional", fsr_say(x).text);
    if (given && fsr_dtype_is_complex(fsr_node_dtype(weights)))
        return fsr_poison(x.graph, at, FSR_ERR_DTYPE, what, "weights %s", fsr_say(weights).text);
    x = fsr_strong(at, x);
    if (fsr_node_dtype(x) != FSR_U64 && (mode == FSR_INDEX_RAISE || mode == FSR_INDEX_DROP)) {
        fsr_node i = fsr_convert(at, x, FSR_I64, false); /* negative ones do not count from the end */
        x = fsr_where_at(at, fsr_less_at(at, i, fsr_i64(at, i, 0)), fsr_sub_at(at, i, fsr_i64(at, i, length)), i);
    }
    if (given)
        weights = fsr_convert(at, weights, FSR_F64, false);
    return counted(at, what, 1, &length, &x, given, mode);
}

/* ---- even bins ------------------------------------------------------------------------------------------------ */

typedef struct even {
    int64_t bins;
    double low, high, step;
    fsr_dtype dtype; /* of the edges */
    enum { ANY, NEAR, EXACT } kind;
    fsr_dtype guess; /* where it is not any: of the quotient */
} even;

/* What the quotient and the edges are off by at most, in bins, where quotients have this dtype. */
static double error_of(const even *e, fsr_dtype guess) {
    const double own = e->dtype == FSR_F32 ? 0x1p-24 : 0x1p-53, u = guess == FSR_F32 ? 0x1p-24 : 0x1p-53;
    const double most = fmax(fabs(e->low), fabs(e->high)) / e->step, bins = (double)e->bins;
    return u * (most + 8 * bins) + own * most + 0x1p-50 * (most + bins);
}

/* All edges have their numbers in this dtype and in an i32, and so do elements by the width of a bin: that is a power
 * of two, of which the first edge is a multiple. What is below zero and by far smaller than a bin must not become
 * zero. */
static bool is_exact(const even *e) {
    int exponent;
    const double first = e->low / e->step, most = e->dtype == FSR_F32 ? 0x1p22 : 0x1p30;
    return frexp(e->step, &exponent) == 0.5 && first == floor(first) && fabs(first) + (double)e->bins <= most &&
           (e->low >= 0 || e->step <= 1);
}

static void choose_kind(even *e) {
    const double most = e->dtype == FSR_F32 ? 0x1p100 : 0x1p1000;
    const bool usual = (e->dtype == FSR_F32 || e->dtype == FSR_F64) && e->step >= 1 / most &&
                       fmax(fabs(e->low), fabs(e->high)) <= most && e->bins <= INT32_MAX / 2;
    e->guess = e->dtype == FSR_F32 && error_of(e, FSR_F32) <= 0.125 ? FSR_F32 : FSR_F64;
    e->kind = usual && is_exact(e) ? EXACT : usual && error_of(e, e->guess) <= 0.125 ? NEAR : ANY;
    if (e->kind == EXACT)
        e->guess = e->dtype;
}

/* NumPy's range: of one number it is one wide. */
static bool even_take(fsr_site at, const char *what, fsr_node x, int64_t bins, double low, double high, even *out,
                      fsr_node *poison) {
    if (!bins_take(at, what, x, bins, poison) || !fsr_order_take(x, at, what, poison))
        return false;
    if (!isfinite(low) || !isfinite(high) || low > high || !isfinite(high - low)) {
        *poison = fsr_poison(x.graph, at, FSR_ERR_VALUE, what, "a range from %s to %s", fsr_number_of('g', 6, low).text,
                             fsr_number_of('g', 6, high).text);
        return false;
    }
    *out =
        (even){bins, low, high, 0, fsr_dtype_is_float(fsr_node_dtype(x)) ? fsr_node_dtype(x) : FSR_F64, ANY, FSR_F64};
    if (low == high)
        out->low -= 0.5, out->high += 0.5;
    out->step = (out->high - out->low) / (double)bins;
    choose_kind(out);
    return true;
}

/* Edge i, as linspace has it. */
static fsr_node edge(fsr_site at, const even *e, fsr_node i) {
    fsr_node from =
        fsr_add_at(at, fsr_mul_at(at, fsr_convert(at, i, FSR_F64, false), real(at, i, e->step)), real(at, i, e->low));
    fsr_node any = fsr_where_at(at, fsr_equal_at(at, i, fsr_i64(at, i, e->bins)), real(at, i, e->high), from);
    return fsr_node_sound(any) ? fsr_convert(at, any, e->dtype, false) : any;
}

/* A number as a literal of the quotient's dtype; rounded down or up where it is none: elements compare with it as with
 * the number. */
static fsr_node guess_of(fsr_site at, const even *e, fsr_node x, double value, int side) {
    float f = (float)value;
    if (e->guess == FSR_F32 && side && (side > 0 ? f < value : f > value))
        f = nextafterf(f, side > 0 ? INFINITY : -INFINITY);
    return fsr_literal(x.graph, at, e->guess, fsr_value_from_double(e->guess, e->guess == FSR_F32 ? (double)f : value),
                       false);
}

/* A share as an i32; brought near the bins from `first` on first, so that backends see that it fits: beyond them
 * nothing is counted. */
static fsr_node number_of(fsr_site at, const even *e, fsr_node share, double first) {
    const double below = first == 1 ? -1 : first - 1, bins = (double)e->bins, beyond = first + bins ? first + bins : 1;
    share = fsr_maximum_at(at, share, guess_of(at, e, share, below, 0));
    return fsr_convert(at, fsr_minimum_at(at, share, guess_of(at, e, share, beyond, 1)), FSR_I32, false);
}

/* The bin of elements inside of the range where nothing rounds. */
static fsr_node exact_bin(fsr_site at, const even *e, fsr_node own) {
    const double first = e->low / e->step;
    fsr_node share = fsr_mul_at(at, own, guess_of(at, e, own, 1 / e->step, 0));
    if (first < 0)
        share = fsr_floor_at(at, share);
    fsr_node i = number_of(at, e, share, first);
    return first != 0 && fsr_node_sound(i) ? fsr_sub_at(at, i, fsr_whole(at, i, (int64_t)first)) : i;
}

/* The same where it rounds by less than an eighth of a bin: the one guessed or the one before, the last one's end
 * apart. `own` has the edges' dtype, `v` the quotient's. */
static fsr_node near_bin(fsr_site at, const even *e, fsr_node own, fsr_node v) {
    const double scale = (double)e->bins / (e->high - e->low);
    fsr_node share = fsr_mul_at(at, fsr_sub_at(at, v, guess_of(at, e, v, e->low, 0)), guess_of(at, e, v, scale, 0));
    fsr_node i = number_of(at, e, fsr_add_at(at, share, guess_of(at, e, v, 0.25, 0)), 0);
    fsr_node from =
        fsr_add_at(at, fsr_mul_at(at, fsr_convert(at, i, FSR_F64, false), real(at, i, e->step)), real(at, i, e->low));
    if (!fsr_node_sound(from))
        return from;
    fsr_node less = fsr_less_at(at, own, fsr_convert(at, from, e->dtype, false));
    return fsr_where_at(at, less, fsr_sub_at(at, i, fsr_whole(at, i, 1)), i);
}

/* The bin of each element where its quotient tells it or the next one; outside of the range one that there is not. */
static fsr_node sure_bin(fsr_site at, const even *e, fsr_node x) {
    fsr_node own = fsr_convert(at, x, e->dtype, false), v = fsr_convert(at, own, e->guess, false);
    if (!fsr_node_sound(v))
        return v;
    fsr_node i = e->kind == EXACT ? exact_bin(at, e, v) : near_bin(at, e, own, v);
    if (!fsr_node_sound(i))
        return i;
    fsr_node inside = fsr_logical_and_at(at, fsr_greater_equal_at(at, v, guess_of(at, e, v, e->low, 1)),
                                         fsr_less_equal_at(at, v, guess_of(at, e, v, e->high, -1)));
    return fsr_where_at(at, inside, fsr_minimum_at(at, i, fsr_whole(at, i, e->bins - 1)), fsr_whole(at, i, INT32_MAX));
}

/* The bin of each element by the edges on both sides, as NumPy has it also where bins are narrower than elements are
 * apart. */
static fsr_node even_bin(fsr_site at, const even *e, fsr_node x) {
    if (e->kind != ANY)
        return sure_bin(at, e, x);
    fsr_node own = fsr_convert(at, x, e->dtype, false), one = fsr_i64(at, x, 1), last = fsr_i64(at, x, e->bins - 1);
    fsr_node v = fsr_convert(at, own, FSR_F64, false);
    fsr_node share = fsr_div_at(at, fsr_sub_at(at, v, real(at, x, e->low)), real(at, x, e->high - e->low));
    fsr_node guess = fsr_convert(at, fsr_mul_at(at, share, real(at, x, (double)e->bins)), FSR_I64, false);
    fsr_node i = fsr_minimum_at(at, guess, last);
    i = fsr_where_at(at, fsr_less_at(at, own, edge(at, e, i)), fsr_sub_at(at, i, one), i);
    fsr_node next = fsr_add_at(at, i, one);
    fsr_node beyond =
        fsr_logical_and_at(at, fsr_greater_equal_at(at, own, edge(at, e, next)), fsr_less_at(at, i, last));
    i = fsr_where_at(at, beyond, next, i);
    fsr_node inside = fsr_logical_and_at(at, fsr_greater_equal_at(at, v, real(at, x, e->low)),
                                         fsr_less_equal_at(at, v, real(at, x, e->high)));
    return fsr_where_at(at, inside, i, fsr_i64(at, x, INT64_MAX));
}

fsr_node fsr_histogram_at(fsr_site at, fsr_node x, fsr_node weights, int64_t bins, double low, double high) {
    FSR_DEFAULT_FLOATS;
    static const char what[] = "histogram";
    fsr_node poison;
    const fsr_node *given;
    even e;
    if (!weights_take(at, what, x, &weights, &given, &poison) || !even_take(at, what, x, bins, low, high, &e, &poison))
        return poison;
    fsr_node index = even_bin(at, &e, fsr_strong(at, x));
    return counted(at, what, 1, &bins, &index, given, FSR_INDEX_DROP);
}

fsr_node fsr_histogram2d_at(fsr_site at, fsr_node x, fsr_node y, fsr_node weights, const int64_t *bins,
                            const double *range) {
    FSR_DEFAULT_FLOATS;
    static const char what[] = "histogram2d";
    fsr_node poison, all[] = {x, y, weights};
    fsr_graph *graph;
    const fsr_node *given;
    even e[2];
    if (fsr_poison_of(at, what, all, weights.graph ? 3 : 2, &graph, &poison))
        return poison;
    if (!bins || !range)
        return fsr_poison(graph, at, FSR_ERR_NULL, what, bins ? "no range" : "no numbers of bins");
    if (!fsr_shape_equal(&fsr_node_rec(x)->shape, &fsr_node_rec(y)->shape))
        return fsr_poison(graph, at, FSR_ERR_SHAPE, what, "%s does not have the shape of %s", fsr_say(y).text,
                          fsr_say(x).text);
    if (!weights_take(at, what, x, &weights, &given, &poison) ||
        !even_take(at, what, x, bins[0], range[0], range[1], &e[0], &poison) ||
        !even_take(at, what, y, bins[1], range[2], range[3], &e[1], &poison))
        return poison;
    fsr_node index[] = {even_bin(at, &e[0], fsr_strong(at, x)), even_bin(at, &e[1], fsr_strong(at, y))};
    return counted(at, what, 2, bins, index, given, FSR_INDEX_DROP);
}

/* ---- edges ------------------------------------------------------------------------------------------------------ */

fsr_node fsr_histogram_edges_at(fsr_site at, fsr_node x, fsr_node weights, fsr_node edges) {
    static const char what[] = "histogram_edges";
    fsr_node poison, all[] = {x, edges, weights};
    fsr_graph *graph;
    const fsr_node *given;
    if (fsr_poison_of(at, what, all, weights.graph ? 3 : 2, &graph, &poison) ||
        !weights_take(at, what, x, &weights, &given, &poison) || !fsr_order_take(x, at, what, &poison) ||
        !fsr_order_take(edges, at, what, &poison))
        return poison;
    if (fsr_node_ndim(edges) != 1 || fsr_node_dim(edges, 0) < 2)
        return fsr_poison(graph, at, FSR_ERR_SHAPE, what, "%s are no edges of bins", fsr_say(edges).text);
    const int64_t m = fsr_node_dim(edges, 0), bins = m - 1;
    x = fsr_strong(at, x);
    edges = fsr_strong(at, edges);
    if (!fsr_node_sound(x) || !fsr_node_sound(edges))
        return fsr_node_sound(x) ? edges : x;
    const fsr_search how = {fsr_common_dtype((fsr_node[]){edges, x}, 2), true, {0}};
    fsr_node n = fsr_searched(at, edges, x, &how), top = fsr_slice_at(at, edges, 0, bins, m, 1);
    fsr_node bin = fsr_where_at(at, fsr_equal_at(at, x, top), fsr_i64(at, x, bins), n);
    fsr_node index = fsr_where_at(at, fsr_greater_at(at, bin, fsr_i64(at, x, 0)),
                                  fsr_sub_at(at, bin, fsr_i64(at, x, 1)), fsr_i64(at, x, INT64_MAX));
    return counted(at, what, 1, &bins, &index, given, FSR_INDEX_DROP);
}

/* ---- put -------------------------------------------------------------------------------------------------------- */

fsr_node fsr_put_at(fsr_site at, fsr_node x, fsr_node indices, fsr_node values, fsr_index_mode mode, int flags) {
    static const char what[] = "put";
    fsr_node poison;
    if (!fsr_scatter_take(at, what, x, values, &indices, 1, flags, FSR_UNIQUE, &poison))
        return poison;
    const int64_t n = fsr_node_size(indices), m = fsr_node_size(values);
    const fsr_shape shape = fsr_node_rec(x)->shape;
    if (m == 0)
        return fsr_strong(at, x);
    fsr_node flat = fsr_flatten(at, fsr_strong(at, x)), index = fsr_flatten(at, fsr_strong(at, indices));
    fsr_node cycle = fsr_flatten(at, fsr_strong(at, values));
    if (!fsr_node_sound(flat) || !fsr_node_sound(index) || !fsr_node_sound(cycle))
        return !fsr_node_sound(flat) ? flat : !fsr_node_sound(index) ? index : cycle;
    if (m > n)
        cycle = fsr_slice_at(at, cycle, 0, 0, n, 1);
    else if (m > 1 && m < n)
        cycle = fsr_take_at(at, cycle, fsr_arange_at(at, x.graph, FSR_I64, n), 0, FSR_INDEX_WRAP);
    fsr_node out = fsr_scatter_at(at, flat, &index, 1, cycle, mode, flags);
    return fsr_node_sound(out) ? fsr_reshape_at(at, out, shape.ndim, shape.dim) : out;
}
