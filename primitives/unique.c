/* SPDX-License-Identifier: MIT */
/* Sets of elements: the different ones of an array, which elements another array has, the most frequent one.
 *
 * In order, equal elements are neighbours; the first of each kind begins a run (runs.c). The different elements are
 * what these beginnings select of the sorted ones, where each was first what they select of the sort's places (it is
 * stable), and how many there are the distances between beginnings. The inverse is the number of beginnings up to an
 * element, put back where the element was. What of it nobody asks for is not computed: values alone sort no places.
 * The most frequent element of a row is where the length of a run so far is greatest, at first: that is the end of the
 * first longest run, whose element is the least of those.
 * Counter-example to NaN compared as numbers are: a million of them are a million kinds. */
#include "primitives/live.h"
#include "primitives/search.h"
#include "primitives/select.h"

/* Where an element of ordered rows, along the last dimension, is the first of its kind. */
static fsr_node beginnings(fsr_site at, fsr_node sorted, bool equal_nan) {
    const fsr_shape *shape = &fsr_node_rec(sorted)->shape;
    const int last = shape->ndim - 1;
    const fsr_node first = fsr_full_at(at, sorted.graph, FSR_BOOL, shape->ndim, shape->dim, 1);
    if (fsr_shape_size(shape) == 0 || shape->dim[last] < 2)
        return first;
    const fsr_node before = fsr_slice_at(at, sorted, last, 0, -1, 1);
    fsr_node differs = fsr_not_equal_at(at, fsr_slice_at(at, sorted, last, 1, FSR_SLICE_END, 1), before);
    if (equal_nan && fsr_dtype_has_nan(fsr_node_dtype(sorted)))
        differs = fsr_logical_and_at(at, differs, fsr_logical_not_at(at, fsr_isnan_at(at, before)));
    return fsr_update_at(at, first, fsr_slice_at(at, first, last, 1, FSR_SLICE_END, 1), differs);
}

/* ---- the different ones ------------------------------------------------------------------------------------------ */

typedef struct kinds {
    fsr_site at;
    const char *what;
    fsr_node x;                            /* as it was given: whose kinds are counted */
    fsr_length length;                     /* x's, or of origin 0 */
    fsr_node flat, sorted, places, begins; /* of one dimension; the last three are as long as x */
    fsr_counted how;
} kinds;

/* x, of one dimension, as long as the operand. */
static fsr_node as_long(const kinds *k, fsr_node x) {
    return k->length.origin ? fsr_with_length(fsr_alias(k->at, x), &k->length) : x;
}

static fsr_node selected(const kinds *k, fsr_node x) {
    return fsr_node_sound(x) ? fsr_compressed(k->at, k->what, k->begins, x, k->x, k->how) : x;
}

/* For each element, where it stood, the number of its kind, in x's shape. */
static fsr_node inverse(const kinds *k) {
    const fsr_site at = k->at;
    const int first = 0;
    const fsr_shape *shape = &fsr_node_rec(k->x)->shape;
    const fsr_dtype dtype = fsr_node_size(k->flat) <= INT32_MAX ? FSR_I32 : FSR_I64;
    const fsr_node begins = fsr_without_length(at, k->begins), places = fsr_without_length(at, k->places);
    if (!fsr_node_sound(begins) || !fsr_node_sound(places))
        return fsr_node_sound(begins) ? places : begins;
    if (fsr_node_size(places) == 0)
        return fsr_full_at(at, places.graph, FSR_I64, shape->ndim, shape->dim, 0);
    const fsr_node upto = fsr_cumsum_as_at(at, fsr_convert(at, begins, dtype, false), dtype, &first, 1, 0);
    const fsr_node number = fsr_sub_at(at, upto, fsr_whole(at, places, 1));
    const fsr_node none = fsr_full_at(at, places.graph, FSR_I64, 1, (int64_t[]){fsr_node_size(places)}, 0);
    const fsr_node back = fsr_scatter_at(at, none, &places, 1, number, FSR_INDEX_CLIP, FSR_UNIQUE);
    return k->length.origin ? as_long(k, back) : fsr_reshape_at(at, back, shape->ndim, shape->dim);
}

void fsr_unique_at(fsr_site at, fsr_node *out, fsr_node x, bool equal_nan) {
    static const char what[] = "unique";
    kinds k = {.at = at, .what = what, .x = x, .how = equal_nan ? FSR_COUNTS_KINDS : FSR_COUNTS_EACH};
    const int first = 0;
    fsr_node poison;
    fsr_graph *g;
    if (!out)
        return;
    if (fsr_poison_of_any(at, what, &x, 1, &g, &poison) || !fsr_order_take(x, at, what, &poison)) {
        out[0] = out[1] = out[2] = out[3] = poison;
        return;
    }
    if (fsr_node_is_live(x))
        k.length = *fsr_node_length(x);
    k.flat = fsr_strong(at, x);
    k.flat = k.length.origin || !fsr_node_sound(k.flat) ? k.flat : fsr_flatten(at, k.flat);
    k.sorted = fsr_sort_at(at, k.flat, &first, 1, 0);
    k.places = fsr_argsort_at(at, k.flat, &first, 1, 0);
    fsr_node own = fsr_node_sound(k.sorted) ? fsr_without_length(at, k.sorted) : k.sorted;
    k.begins = fsr_node_sound(own) ? beginnings(at, own, equal_nan) : own;
    if (!fsr_node_sound(k.begins) || !fsr_node_sound(k.places)) {
        out[0] = out[1] = out[2] = out[3] = fsr_node_sound(k.begins) ? k.places : k.begins;
        return;
    }
    k.begins = as_long(&k, k.begins);
    const fsr_node i = as_long(&k, fsr_arange_at(at, g, FSR_I64, fsr_node_dim(own, 0))), begun = selected(&k, i);
    out[0] = selected(&k, k.sorted);
    out[1] = selected(&k, k.places);
    out[2] = inverse(&k);
    out[3] = fsr_node_sound(begun) && fsr_node_dim(begun, 0) > 0
                 ? fsr_distances(at, begun, fsr_there(at, k.flat, &k.length))
                 : begun;
}

/* ---- which are among others -------------------------------------------------------------------------------- */

static bool is_integer(fsr_node x) {
    return fsr_dtype_class(fsr_node_dtype(x)) == FSR_CLASS_INT;
}

/* A search in the others, sorted: what is found there is equal, and stands before their end. Integers that promote to a
 * float are searched for in the others' dtype, and those that it does not have are not among them. */
fsr_node fsr_isin_at(fsr_site at, fsr_node x, fsr_node others) {
    static const char what[] = "isin";
    fsr_node poison, both[] = {x, others};
    fsr_length length = {.origin = 0};
    fsr_graph *g;
    if (fsr_poison_of_any(at, what, both, 2, &g, &poison) || !fsr_order_take(x, at, what, &poison) ||
        !fsr_order_take(others, at, what, &poison))
        return poison;
    both[0] = fsr_strong(at, x);
    both[1] = fsr_strong(at, others);
    if (!fsr_node_sound(both[0]) || !fsr_node_sound(both[1]))
        return fsr_node_sound(both[0]) ? both[1] : both[0];
    if (fsr_node_is_live(x))
        length = *fsr_node_length(x);
    const fsr_length *known = fsr_node_length(others);
    const fsr_length own = known ? *known : (fsr_length){.origin = 0};
    fsr_dtype dtype = fsr_common_dtype(both, 2);
    const bool mixed = dtype == FSR_F64 && is_integer(both[0]) && is_integer(both[1]);
    if (mixed)
        dtype = fsr_node_dtype(both[1]);
    const fsr_node needle = fsr_without_length(at, fsr_convert(at, both[0], dtype, false));
    fsr_node keys = fsr_convert(at, both[1], dtype, false);
    keys = own.origin || !fsr_node_sound(keys) ? keys : fsr_flatten(at, keys);
    keys = fsr_node_sound(keys) ? fsr_without_length(at, fsr_sort_at(at, keys, (int[]){0}, 1, 0)) : keys;
    if (!fsr_node_sound(keys) || !fsr_node_sound(needle))
        return fsr_node_sound(keys) ? needle : keys;
    fsr_node out;
    if (fsr_node_size(keys) == 0) {
        const fsr_shape *shape = &fsr_node_rec(needle)->shape;
        out = fsr_full_at(at, g, FSR_BOOL, shape->ndim, shape->dim, 0);
    } else {
        const fsr_node place = fsr_searched(at, keys, needle, &(fsr_search){dtype, false, {0}});
        out = fsr_equal_at(at, fsr_take_at(at, keys, place, 0, FSR_INDEX_CLIP), needle);
        if (own.origin)
            out = fsr_logical_and_at(at, out, fsr_less_at(at, place, fsr_length_count(g, &own)));
        if (mixed)
            out = fsr_logical_and_at(at, out, fsr_equal_at(at, needle, fsr_without_length(at, both[0])));
    }
    return length.origin ? fsr_with_length(fsr_alias(at, out), &length) : out;
}

/* ---- the most frequent one --------------------------------------------------------------------------------- */

void fsr_mode_at(fsr_site at, fsr_node *out, fsr_node x, const int *axes, int naxes, int flags) {
    static const char what[] = "mode";
    fsr_selection s;
    fsr_node poison, in[2], best[2];
    if (!out)
        return;
    if (!fsr_select_take(at, what, x, axes, naxes, flags, &s, &poison)) {
        out[0] = out[1] = poison;
        return;
    }
    const int last = s.kept.ndim;
    const fsr_node sorted = fsr_sort_at(at, s.rows, &last, 1, 0);
    const fsr_node begins = fsr_node_sound(sorted) ? beginnings(at, sorted, true) : sorted;
    if (!fsr_node_sound(begins)) {
        out[0] = out[1] = begins;
        return;
    }
    const fsr_shape *shape = &fsr_node_rec(sorted)->shape;
    const fsr_node i = fsr_iota(sorted.graph, at, FSR_I64, shape, last), zero = fsr_whole(at, sorted, 0);
    const fsr_node start = fsr_cummax_at(at, fsr_where_at(at, begins, i, zero), &last, 1, 0);
    fsr_best longest = {at, FSR_OP_MAXIMUM, false};
    const fsr_operator op = fsr_best_operator(&longest, FSR_I64);
    in[0] = fsr_add_at(at, fsr_sub_at(at, i, start), fsr_whole(at, sorted, 1));
    if (s.length.origin)
        in[0] = fsr_where_at(at, fsr_less_at(at, i, fsr_select_there(at, &s)), in[0], zero);
    in[1] = i;
    fsr_reduce_with_at(at, sizeof op, best, in, &op, &last, 1, FSR_KEEPDIMS);
    out[0] = fsr_select_end(at, &s, fsr_take_along_axis_at(at, sorted, best[1], last, FSR_INDEX_CLIP));
    out[1] = fsr_select_end(at, &s, best[0]);
}
