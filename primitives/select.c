/* SPDX-License-Identifier: MIT */
/* Elements by rank: the k-th, the median.
 *
 * One library call picks them (graph/libraries.def, "ranked"): along the last dimension, at ranks that are an array,
 * computed by whatever kernel: so a rank may depend on how many elements are no NaN. Axes that are folded are brought
 * to the end and made one. Of many ranks of one row all are sorted.
 * A NaN is last, so the last rank tells whether there is one. Counter-example to a reduction that asks: it reads
 * everything again. */
#include "primitives/select.h"
#include "graph/floats.h"

enum { MOST_RANKS = 8 }; /* that are picked one by one */

bool fsr_select_take(fsr_site at, const char *what, fsr_node x, const int *axes, int naxes, int flags, fsr_selection *s,
                     fsr_node *poison) {
    fsr_graph *g;
    if (fsr_poison_of_any(at, what, &x, 1, &g, poison) || !fsr_order_take(x, at, what, poison) ||
        !fsr_flags_take(x, at, what, flags, FSR_KEEPDIMS, poison) ||
        !fsr_axes_take(x, at, what, axes, naxes, &s->mask, poison) || !fsr_element_take(x, at, what, s->mask, poison) ||
        (!s->mask && fsr_poison_of(at, what, &x, 1, &g, poison)))
        return false;
    s->of = x;
    s->length = fsr_node_is_live(x) ? *fsr_node_length(x) : (fsr_length){.origin = 0};
    x = fsr_order_filled(at, fsr_strong(at, x), false);
    *poison = x;
    if (!fsr_node_sound(x))
        return false;
    const fsr_shape *shape = &fsr_node_rec(x)->shape;
    int perm[FSR_MAX_DIMS], n = 0;
    s->whole = *shape;
    s->kept = (fsr_shape){0};
    s->flags = flags;
    for (int j = 0; j < shape->ndim; j++)
        if (!(s->mask >> j & 1)) {
            s->kept.dim[s->kept.ndim++] = shape->dim[j];
            perm[n++] = j;
        }
    for (int j = 0; j < shape->ndim; j++)
        if (s->mask >> j & 1)
            perm[n++] = j;
    if (!s->mask)
        s->kept =
            (fsr_shape){1, {fsr_shape_size(shape)}}; /* rows of one element: of FSR_MAX_DIMS there would be one more */
    s->n = fsr_folded(shape, s->mask);
    fsr_shape rows = s->kept;
    rows.dim[rows.ndim++] = s->n;
    s->rows = fsr_reshape_at(at, fsr_transpose_at(at, x, perm), rows.ndim, rows.dim);
    *poison = s->rows;
    return fsr_node_sound(s->rows) != NULL;
}

fsr_node fsr_select_ranks(fsr_site at, const char *what, const fsr_selection *s, fsr_node ranks) {
    fsr_shape shape = s->kept;
    fsr_node handle;
    if (!fsr_node_sound(ranks))
        return ranks;
    shape.dim[shape.ndim] = fsr_node_dim(ranks, -1);
    const int64_t count = shape.dim[shape.ndim++];
    ranks = fsr_stretch(at, ranks, &shape);
    if (!fsr_node_sound(ranks))
        return ranks;
    if (count > MOST_RANKS || fsr_shape_size(&shape) == 0)
        return fsr_take_along_axis_at(at, fsr_sort_at(at, s->rows, (int[]){s->kept.ndim}, 1, 0), ranks, -1,
                                      FSR_INDEX_CLIP);
    const fsr_type type = {shape, 1, {fsr_node_dtype(s->rows)}};
    fsr_rec *rec = fsr_graph_add(s->rows.graph, at, what, FSR_NODE_LIBRARY, &type, &handle);
    if (!rec)
        return handle;
    rec->library = FSR_LIBRARY_RANKED;
    rec->nargs = 2;
    rec->arg[0] = (fsr_ref){s->rows.id, s->rows.output};
    rec->arg[1] = (fsr_ref){ranks.id, ranks.output};
    return handle;
}

fsr_shape fsr_select_shape(const fsr_selection *s) {
    fsr_shape shape = s->kept;
    if (s->flags & FSR_KEEPDIMS || !s->mask) {
        shape = s->whole;
        for (int j = 0; j < shape.ndim; j++)
            shape.dim[j] = s->mask >> j & 1 ? 1 : shape.dim[j];
    }
    return shape;
}

fsr_node fsr_select_end(fsr_site at, const fsr_selection *s, fsr_node x) {
    const fsr_shape shape = fsr_select_shape(s);
    return fsr_node_sound(x) ? fsr_told_empty(at, fsr_reshape_at(at, x, shape.ndim, shape.dim), s->of) : x;
}

static fsr_node whole(fsr_site at, const fsr_selection *s, int64_t value) {
    return fsr_i64(at, s->rows, value);
}

fsr_node fsr_select_there(fsr_site at, const fsr_selection *s) {
    return s->length.origin ? fsr_length_count(s->rows.graph, &s->length) : whole(at, s, s->n);
}

fsr_node fsr_select_count(fsr_site at, const fsr_selection *s) {
    if (!fsr_dtype_has_nan(fsr_node_dtype(s->rows)))
        return fsr_select_there(at, s);
    const int last = s->kept.ndim;
    return fsr_count_nonzero_at(at, fsr_logical_not_at(at, fsr_isnan_at(at, s->rows)), &last, 1, FSR_KEEPDIMS);
}

/* Arrays of ranks, each with one along the last dimension or none, side by side. */
static fsr_node beside(fsr_site at, const fsr_node *rank, int n) {
    fsr_shape shape = {0};
    fsr_node part[3];
    for (int i = 0; i < n; i++) {
        if (!fsr_node_sound(rank[i]))
            return rank[i];
        const fsr_shape *own = &fsr_node_rec(rank[i])->shape;
        shape = own->ndim > shape.ndim ? *own : shape;
    }
    shape = shape.ndim ? shape : (fsr_shape){1, {1}};
    for (int i = 0; i < n; i++)
        part[i] = fsr_stretch(at, rank[i], &shape);
    return fsr_join(at, part, n, shape.ndim - 1);
}

/* Element i along the last dimension, which stays. */
static fsr_node element_at(fsr_site at, fsr_node x, int64_t i) {
    return fsr_node_sound(x) ? fsr_slice_at(at, x, fsr_node_ndim(x) - 1, i, i + 1, 1) : x;
}

/* out; of a length the rank is an index into what is there, and is told as one where it is outside. */
static fsr_node told_outside(fsr_site at, const char *what, const fsr_selection *s, fsr_node out, int64_t k) {
    const fsr_dtype dtype = fsr_node_sound(out) ? fsr_node_dtype(out) : FSR_BOOL;
    const fsr_node none = fsr_full_at(at, s->of.graph, FSR_BOOL, 1, &s->n, 0);
    const fsr_node like = fsr_node_sound(none) ? fsr_with_length(fsr_alias(at, none), &s->length) : none;
    const fsr_node told = fsr_live_take(at, what, like, whole(at, s, k), 0, FSR_INDEX_RAISE);
    return fsr_where_at(at, told, fsr_literal(s->of.graph, at, dtype, (fsr_value){.bits = 0}, false), out);
}

fsr_node fsr_kth_at(fsr_site at, fsr_node x, int64_t k, const int *axes, int naxes, int flags) {
    static const char what[] = "kth";
    fsr_selection s;
    fsr_node poison;
    if (!fsr_select_take(at, what, x, axes, naxes, flags, &s, &poison))
        return poison;
    const int64_t rank = k < 0 ? k + s.n : k;
    if (rank < 0 || rank >= s.n)
        return fsr_poison(x.graph, at, FSR_ERR_VALUE, what, "rank %lld of %lld elements", (long long)k, (long long)s.n);
    const bool counted = s.length.origin != 0;
    const fsr_node ranks =
        counted && k < 0 ? fsr_add_at(at, fsr_select_there(at, &s), whole(at, &s, k)) : whole(at, &s, rank);
    const fsr_node found = fsr_select_ranks(at, what, &s, beside(at, &ranks, 1));
    if (!counted || !fsr_node_sound(found))
        return fsr_select_end(at, &s, found);
    const fsr_shape shape = fsr_select_shape(&s);
    return told_outside(at, what, &s, fsr_reshape_at(at, found, shape.ndim, shape.dim), k);
}

/* ---- medians ------------------------------------------------------------------------------------------------- */

fsr_node fsr_select_middle(fsr_site at, fsr_node a, fsr_node b, fsr_node same) {
    if (!fsr_node_sound(a) || !fsr_node_sound(b))
        return fsr_node_sound(a) ? b : a;
    const fsr_dtype dtype = fsr_mean_dtype(fsr_node_dtype(a)), state = fsr_state_dtype(dtype);
    a = fsr_convert(at, a, state, false);
    b = fsr_convert(at, b, state, false);
    const fsr_node half = fsr_div_at(at, fsr_add_at(at, a, b), fsr_float_at(at, a.graph, 2));
    const fsr_node out = same.graph ? fsr_where_at(at, same, a, half) : half;
    return fsr_node_sound(out) ? fsr_convert(at, out, dtype, false) : out;
}

fsr_node fsr_select_nan(fsr_site at, fsr_node x, fsr_node last) {
    if (!fsr_node_sound(x) || !fsr_node_sound(last))
        return fsr_node_sound(x) ? last : x;
    return fsr_where_at(at, fsr_isnan_at(at, last), fsr_convert(at, last, fsr_node_dtype(x), false), x);
}

/* Of as many as a row has, or of those that are no NaN. */
static fsr_node counted_median(fsr_site at, const char *what, const fsr_selection *s, bool skips_nan) {
    const fsr_node count = skips_nan ? fsr_select_count(at, s) : fsr_select_there(at, s), zero = whole(at, s, 0);
    const fsr_node upper = fsr_floor_divide_at(at, count, whole(at, s, 2));
    const fsr_node last = fsr_maximum_at(at, fsr_sub_at(at, count, whole(at, s, 1)), zero);
    const fsr_node lower = fsr_floor_divide_at(at, last, whole(at, s, 2));
    const bool asks = !skips_nan && fsr_dtype_has_nan(fsr_node_dtype(s->rows));
    const fsr_node found = fsr_select_ranks(at, what, s, beside(at, (fsr_node[]){lower, upper, last}, 2 + asks));
    const fsr_node a = element_at(at, found, 0), b = element_at(at, found, 1);
    const fsr_node out = fsr_select_middle(at, a, b, fsr_equal_at(at, lower, upper));
    return fsr_select_end(at, s, asks ? fsr_select_nan(at, out, element_at(at, found, 2)) : out);
}

fsr_node fsr_median_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags) {
    static const char what[] = "median";
    fsr_selection s;
    fsr_node poison;
    if (!fsr_select_take(at, what, x, axes, naxes, flags, &s, &poison))
        return poison;
    if (s.length.origin)
        return counted_median(at, what, &s, false);
    const bool has_nan = fsr_dtype_has_nan(fsr_node_dtype(s.rows)), even = s.n % 2 == 0;
    const fsr_node ranks[] = {whole(at, &s, s.n / 2), whole(at, &s, even ? s.n / 2 - 1 : s.n - 1),
                              whole(at, &s, s.n - 1)};
    const fsr_node found = fsr_select_ranks(at, what, &s, beside(at, ranks, 1 + even + has_nan));
    const fsr_node upper = element_at(at, found, 0);
    if (!fsr_node_sound(upper))
        return upper;
    fsr_node out = even ? fsr_select_middle(at, element_at(at, found, 1), upper, (fsr_node){0})
                        : fsr_convert(at, upper, fsr_mean_dtype(fsr_node_dtype(upper)), false);
    if (has_nan)
        out = fsr_select_nan(at, out, element_at(at, found, 1 + even));
    return fsr_select_end(at, &s, out);
}

fsr_node fsr_nanmedian_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags) {
    static const char what[] = "nanmedian";
    fsr_selection s;
    fsr_node poison;
    if (!fsr_select_take(at, what, x, axes, naxes, flags, &s, &poison))
        return poison;
    return counted_median(at, what, &s, true);
}
