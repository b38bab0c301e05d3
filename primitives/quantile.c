/* SPDX-License-Identifier: MIT */
/* Quantiles and percentiles by NumPy's methods (Hyndman and Fan 1996).
 *
 * Where a quantile lies among n elements in order is a number, computed in the dtype of q as NumPy computes it; its
 * neighbours are two ranks, and what lies between them is interpolated from the nearer one. q is an array: another one
 * neither plans nor compiles anew. Skipping NaN, n is each row's own. */
#include "primitives/select.h"
#include <math.h>

typedef struct quantile {
    fsr_site at;
    const char *what;
    fsr_selection s;
    fsr_quantile_method method;
    fsr_node n; /* how many there are, in q's dtype */
    fsr_node q; /* [m], or [1] */
    int64_t m;
    bool skips_nan, one; /* one: q has no dimension */
} quantile;

static fsr_node num(const quantile *c, double value) {
    return fsr_literal(c->q.graph, c->at, fsr_node_dtype(c->q), fsr_value_from_double(fsr_node_dtype(c->q), value),
                       false);
}

/* Where the quantile lies if it interpolates, by alpha and beta. */
static fsr_node between(const quantile *c, double alpha, double beta) {
    fsr_site at = c->at;
    const fsr_node share = fsr_add_at(at, num(c, alpha), fsr_mul_at(at, c->q, num(c, 1 - alpha - beta)));
    return fsr_sub_at(at, fsr_add_at(at, fsr_mul_at(at, c->n, c->q), share), num(c, 1));
}

/* q n - 1, or less; and the rank above it but where it is one and, odd: an odd one. */
static fsr_node above(const quantile *c, double less, bool odd) {
    fsr_site at = c->at;
    const fsr_node index = fsr_sub_at(at, fsr_sub_at(at, fsr_mul_at(at, c->n, c->q), num(c, 1)), num(c, less));
    const fsr_node previous = fsr_floor_at(at, index);
    fsr_node stays = fsr_equal_at(at, fsr_sub_at(at, index, previous), num(c, 0));
    if (odd)
        stays = fsr_logical_and_at(at, stays, fsr_equal_at(at, fsr_mod_at(at, previous, num(c, 2)), num(c, 1)));
    return fsr_where_at(at, stays, previous, fsr_add_at(at, previous, num(c, 1)));
}

/* Where it lies. A method that does not interpolate gives whole numbers. */
static fsr_node place(const quantile *c) {
    fsr_site at = c->at;
    const fsr_node linear = fsr_mul_at(at, fsr_sub_at(at, c->n, num(c, 1)), c->q);
    switch (c->method) {
    case FSR_QUANTILE_LOWER: return fsr_floor_at(at, linear);
    case FSR_QUANTILE_HIGHER: return fsr_ceil_at(at, linear);
    case FSR_QUANTILE_NEAREST: return fsr_rint_at(at, linear);
    case FSR_QUANTILE_MIDPOINT:
        return fsr_mul_at(at, num(c, 0.5), fsr_add_at(at, fsr_floor_at(at, linear), fsr_ceil_at(at, linear)));
    case FSR_QUANTILE_INVERTED_CDF: return above(c, 0, false);
    case FSR_QUANTILE_CLOSEST_OBSERVATION: return above(c, 0.5, true);
    case FSR_QUANTILE_AVERAGED_INVERTED_CDF: return fsr_sub_at(at, fsr_mul_at(at, c->n, c->q), num(c, 1));
    case FSR_QUANTILE_INTERPOLATED_INVERTED_CDF: return between(c, 0, 1);
    case FSR_QUANTILE_HAZEN: return between(c, 0.5, 0.5);
    case FSR_QUANTILE_WEIBULL: return between(c, 0, 0);
    case FSR_QUANTILE_MEDIAN_UNBIASED: return between(c, 1 / 3.0, 1 / 3.0);
    case FSR_QUANTILE_NORMAL_UNBIASED: return between(c, 3 / 8.0, 3 / 8.0);
    default: return linear;
    }
}

static bool is_discrete(fsr_quantile_method method) {
    return method == FSR_QUANTILE_LOWER || method == FSR_QUANTILE_HIGHER || method == FSR_QUANTILE_NEAREST ||
           method == FSR_QUANTILE_INVERTED_CDF || method == FSR_QUANTILE_CLOSEST_OBSERVATION;
}

/* The share of the upper neighbour. */
static fsr_node share_of(const quantile *c, fsr_node place, fsr_node previous) {
    fsr_site at = c->at;
    const fsr_node gamma = fsr_sub_at(at, place, previous), none = fsr_equal_at(at, gamma, num(c, 0));
    if (c->method == FSR_QUANTILE_MIDPOINT)
        return fsr_where_at(at, fsr_equal_at(at, place, fsr_floor_at(at, place)), num(c, 0), num(c, 0.5));
    if (c->method == FSR_QUANTILE_AVERAGED_INVERTED_CDF)
        return fsr_where_at(at, none, num(c, 0.5), num(c, 1));
    return gamma;
}

static fsr_node mixed(fsr_site at, fsr_node a, fsr_node b, fsr_node t) {
    const fsr_node apart = fsr_sub_at(at, b, a), one = fsr_int_at(at, a.graph, 1);
    const fsr_node from_a = fsr_add_at(at, a, fsr_mul_at(at, apart, t));
    const fsr_node from_b = fsr_sub_at(at, b, fsr_mul_at(at, apart, fsr_sub_at(at, one, t)));
    return fsr_where_at(at, fsr_greater_equal_at(at, t, fsr_float_at(at, a.graph, 0.5)), from_b, from_a);
}

/* The last of what is there, where NaN would be. */
static fsr_node last_rank(const quantile *c) {
    if (!c->s.length.origin)
        return fsr_i64(c->at, c->q, c->s.n - 1);
    const fsr_node one = fsr_i64(c->at, c->q, 1), zero = fsr_i64(c->at, c->q, 0);
    return fsr_maximum_at(c->at, fsr_sub_at(c->at, fsr_select_there(c->at, &c->s), one), zero);
}

/* Elements at whole ranks; with the last one where NaN counts. */
static fsr_node picked(const quantile *c, const fsr_node *rank, int n) {
    fsr_site at = c->at;
    fsr_node part[3];
    fsr_shape shape = {1, {1}};
    for (int i = 0; i < n; i++) {
        part[i] = fsr_node_sound(rank[i]) ? fsr_convert(at, rank[i], FSR_I64, false) : rank[i];
        if (!fsr_node_sound(part[i]))
            return part[i];
        shape = fsr_node_rec(part[i])->shape;
    }
    if (!c->skips_nan && fsr_dtype_has_nan(fsr_node_dtype(c->s.rows))) {
        shape.dim[shape.ndim - 1] = 1;
        part[n++] = fsr_stretch(at, last_rank(c), &shape);
    }
    return fsr_select_ranks(at, c->what, &c->s, fsr_join(at, part, n, shape.ndim - 1));
}

static fsr_node some(const quantile *c, fsr_node found, int64_t from, int64_t count) {
    return fsr_node_sound(found) ? fsr_slice_at(c->at, found, c->s.kept.ndim, from, from + count, 1) : found;
}

/* [kept, m]. */
static fsr_node computed(const quantile *c) {
    fsr_site at = c->at;
    const fsr_node least = num(c, 0), most = fsr_maximum_at(at, fsr_sub_at(at, c->n, num(c, 1)), least);
    const fsr_node lies = place(c), low = fsr_floor_at(at, lies), high = fsr_add_at(at, low, num(c, 1));
    const bool discrete = is_discrete(c->method), nan = !c->skips_nan && fsr_dtype_has_nan(fsr_node_dtype(c->s.rows));
    const fsr_node rank[] = {fsr_minimum_at(at, fsr_maximum_at(at, low, least), most),
                             fsr_minimum_at(at, fsr_maximum_at(at, high, least), most)};
    const fsr_node found = picked(c, rank, discrete ? 1 : 2), first = some(c, found, 0, c->m);
    fsr_node out = first;
    if (!discrete) {
        const fsr_node outside =
            fsr_logical_or_at(at, fsr_less_at(at, lies, least), fsr_greater_equal_at(at, lies, most));
        const fsr_node upper = fsr_where_at(at, outside, first, some(c, found, c->m, c->m));
        out = mixed(at, first, upper, share_of(c, lies, low));
    }
    return nan ? fsr_select_nan(at, out, some(c, found, discrete ? c->m : 2 * c->m, 1)) : out;
}

/* q's dimension first, then the result's. */
static fsr_node laid_out(const quantile *c, fsr_node out) {
    const fsr_selection *s = &c->s;
    fsr_shape shape = {1, {c->m}};
    const fsr_shape own = fsr_select_shape(s);
    if (c->one || !fsr_node_sound(out))
        return fsr_select_end(c->at, s, out);
    for (int j = 0; j < own.ndim; j++)
        shape.dim[shape.ndim++] = own.dim[j];
    out = fsr_reshape_at(c->at, fsr_moveaxis_at(c->at, out, (int[]){-1}, (int[]){0}, 1), shape.ndim, shape.dim);
    return fsr_told_empty(c->at, out, s->of);
}

/* By which a percentage is divided: of x's dtype if that is a float, so that a narrower q becomes as wide. */
static fsr_node hundred(const quantile *c, fsr_dtype dtype) {
    if (!fsr_dtype_is_float(dtype))
        return num(c, 100);
    return fsr_literal(c->q.graph, c->at, dtype, fsr_value_from_double(dtype, 100), false);
}

/* percent: q is divided by 100 first. */
static fsr_node build(quantile *c, fsr_node x, fsr_node q, const int *axes, int naxes, int flags, bool percent) {
    fsr_node poison, all[] = {x, q};
    fsr_graph *g;
    fsr_site at = c->at;
    if (fsr_poison_of_any(at, c->what, all, 2, &g, &poison) || fsr_poison_of(at, c->what, &q, 1, &g, &poison) ||
        !fsr_order_take(q, at, c->what, &poison) ||
        !fsr_select_take(at, c->what, x, axes, naxes, flags, &c->s, &poison))
        return poison;
    if ((unsigned)c->method > FSR_QUANTILE_NORMAL_UNBIASED)
        return fsr_poison(g, at, FSR_ERR_VALUE, c->what, "there is no method %d", (int)c->method);
    const bool several = fsr_node_ndim(q) == 1;
    if (fsr_node_ndim(q) > 1 || (several && fsr_select_shape(&c->s).ndim + 1 > FSR_MAX_DIMS))
        return fsr_poison(g, at, FSR_ERR_SHAPE, c->what, "%s are no quantiles of %s", fsr_say(q).text, fsr_say(x).text);
    if (fsr_node_dtype(x) == FSR_BOOL && !is_discrete(c->method))
        return fsr_poison(g, at, FSR_ERR_DTYPE, c->what, "%s cannot be interpolated", fsr_say(x).text);
    const bool follows = fsr_node_rec(q)->weak && fsr_dtype_is_float(fsr_node_dtype(x));
    const fsr_dtype own = fsr_node_dtype(q);
    c->q = fsr_convert(at, q,
                       follows                                             ? fsr_node_dtype(x)
                       : fsr_dtype_is_float(own) && !fsr_node_rec(q)->weak ? own
                                                                           : FSR_F64,
                       false);
    c->one = fsr_node_ndim(q) == 0;
    c->m = c->one ? 1 : fsr_node_dim(q, 0);
    c->q = c->one ? fsr_stretch(at, c->q, &(fsr_shape){1, {1}}) : c->q;
    if (percent && fsr_node_sound(c->q))
        c->q = fsr_div_at(at, c->q, hundred(c, fsr_node_dtype(x)));
    if (!fsr_node_sound(c->q))
        return c->q;
    const fsr_node count = c->skips_nan ? fsr_select_count(at, &c->s) : fsr_select_there(at, &c->s);
    c->n = fsr_node_sound(count) ? fsr_convert(at, count, fsr_node_dtype(c->q), false) : count;
    return laid_out(c, computed(c));
}

fsr_node fsr_quantile_at(fsr_site at, fsr_node x, fsr_node q, fsr_quantile_method method, const int *axes, int naxes,
                         int flags) {
    return build(&(quantile){.at = at, .what = "quantile", .method = method}, x, q, axes, naxes, flags, false);
}

fsr_node fsr_percentile_at(fsr_site at, fsr_node x, fsr_node q, fsr_quantile_method method, const int *axes, int naxes,
                           int flags) {
    return build(&(quantile){.at = at, .what = "percentile", .method = method}, x, q, axes, naxes, flags, true);
}

fsr_node fsr_nanquantile_at(fsr_site at, fsr_node x, fsr_node q, fsr_quantile_method method, const int *axes, int naxes,
                            int flags) {
    return build(&(quantile){.at = at, .what = "nanquantile", .method = method, .skips_nan = true}, x, q, axes, naxes,
                 flags, false);
}

fsr_node fsr_nanpercentile_at(fsr_site at, fsr_node x, fsr_node q, fsr_quantile_method method, const int *axes,
                              int naxes, int flags) {
    return build(&(quantile){.at = at, .what = "nanpercentile", .method = method, .skips_nan = true}, x, q, axes, naxes,
                 flags, true);
}
