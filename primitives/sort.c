/* SPDX-License-Identifier: MIT */
/* Sorting along an axis: the elements, or where each of them was.
 *
 * One library call does both (graph/libraries.def): rows along the last dimension in ascending order. What it does not
 * know is composed around it, and fuses with what is computed before and after: other axes are views; descending order
 * is that of the elements negated, or with all bits turned, and back.
 * Of a value with a length all of the capacity is sorted: behind the length stands what is last in the order, and of
 * what is equal to it the elements that are there are in front, as the sort is stable.
 * Counter-example to turning the result of an ascending sort around: equal elements, and NaN, would be turned around,
 * too. Negating integers: the least one is its own negative. */
#include "primitives/live.h"
#include <math.h>

static fsr_node turned(fsr_site at, fsr_node x) {
    const fsr_dtype dtype = fsr_node_dtype(x);
    if (dtype == FSR_BOOL)
        return fsr_logical_not_at(at, x);
    return fsr_dtype_is_inexact(dtype) ? fsr_neg_at(at, x) : fsr_bitwise_invert_at(at, x);
}

/* What the call sorts. */
static fsr_node keys_of(fsr_site at, fsr_node x, bool descending) {
    return descending ? turned(at, x) : x;
}

/* Result 0 or 1 of the call, of so many ranks. */
static fsr_node call(fsr_site at, const char *what, fsr_library library, fsr_node keys, int64_t ranks,
                     uint32_t result) {
    const fsr_rec *of = fsr_node_sound(keys);
    fsr_node handle;
    if (!of)
        return keys;
    const int last = of->shape.ndim - 1;
    fsr_type type = {of->shape, 2, {fsr_node_dtype(keys), fsr_place_dtype(of->shape.dim[last])}};
    type.shape.dim[last] = ranks;
    fsr_rec *rec = fsr_graph_add(keys.graph, at, what, FSR_NODE_LIBRARY, &type, &handle);
    if (!rec)
        return handle;
    rec->library = library;
    rec->nargs = 1;
    rec->arg[0] = (fsr_ref){keys.id, keys.output};
    handle.output = result;
    return handle;
}

/* What no element comes after. */
static fsr_value last_key(fsr_dtype dtype, bool descending) {
    if (fsr_dtype_has_nan(dtype))
        return fsr_value_from_double(dtype, (double)NAN);
    return fsr_op_identity(descending ? FSR_OP_MAXIMUM : FSR_OP_MINIMUM, dtype);
}

fsr_node fsr_order_filled(fsr_site at, fsr_node x, bool descending) {
    const fsr_length *length = fsr_node_length(x);
    if (!length)
        return x;
    const fsr_length own = *length;
    const fsr_dtype dtype = fsr_node_dtype(x);
    return fsr_prefix(at, x, fsr_literal(x.graph, at, dtype, last_key(dtype, descending), false), &own);
}

typedef struct order {
    fsr_node x;
    fsr_length length; /* of origin 0, or the operand's; x has none */
    int axis, last;
    bool descending;
} order;

/* Checks. False: *poison. */
static bool order_take(fsr_site at, const char *what, fsr_node x, const int *axes, int naxes, int flags, order *out,
                       fsr_node *poison) {
    fsr_graph *g;
    if (fsr_poison_of_any(at, what, &x, 1, &g, poison) || !fsr_order_take(x, at, what, poison) ||
        !fsr_flags_take(x, at, what, flags, FSR_DESCENDING, poison))
        return false;
    *out = (order){.descending = flags & FSR_DESCENDING};
    if (fsr_node_is_live(x))
        out->length = *fsr_node_length(x);
    *poison = x = fsr_order_filled(at, fsr_strong(at, x), out->descending);
    if (!fsr_node_sound(x))
        return false;
    if (!fsr_scan_axes_take(at, what, &x, 1, axes, naxes, &out->axis, poison))
        return false;
    out->x = x;
    out->last = fsr_node_ndim(x) - 1;
    return true;
}

/* What is as long as the operand. */
static fsr_node as_long(fsr_site at, const order *o, fsr_node x) {
    return o->length.origin ? fsr_with_length(fsr_alias(at, x), &o->length) : x;
}

/* Not a row has two elements. */
static bool is_trivial(const order *o) {
    const fsr_shape *shape = &fsr_node_rec(o->x)->shape;
    return shape->dim[o->axis] < 2 || fsr_shape_size(shape) == 0;
}

static int64_t length(const order *o) {
    return fsr_node_rec(o->x)->shape.dim[o->axis];
}

fsr_node fsr_sort_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags) {
    static const char what[] = "sort";
    fsr_node poison;
    order o;
    if (!order_take(at, what, x, axes, naxes, flags, &o, &poison))
        return poison;
    if (is_trivial(&o))
        return as_long(at, &o, o.x);
    const fsr_node rows = fsr_swapaxes_at(at, o.x, o.axis, o.last);
    fsr_node sorted = call(at, what, FSR_LIBRARY_SORT, keys_of(at, rows, o.descending), length(&o), 0);
    if (o.descending)
        sorted = turned(at, sorted);
    return as_long(at, &o, fsr_swapaxes_at(at, sorted, o.axis, o.last));
}

fsr_node fsr_argsort_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags) {
    static const char what[] = "argsort";
    fsr_node poison;
    order o;
    if (!order_take(at, what, x, axes, naxes, flags, &o, &poison))
        return poison;
    if (is_trivial(&o))
        return as_long(at, &o, fsr_iota(o.x.graph, at, FSR_I64, &fsr_node_rec(o.x)->shape, o.axis));
    const fsr_node rows = fsr_swapaxes_at(at, o.x, o.axis, o.last);
    const fsr_node keys = keys_of(at, rows, o.descending);
    const fsr_node places = fsr_convert(at, call(at, what, FSR_LIBRARY_SORT, keys, length(&o), 1), FSR_I64, false);
    return as_long(at, &o, fsr_swapaxes_at(at, places, o.axis, o.last));
}

/* ---- the first of them --------------------------------------------------------------------------------------- */

/* x's first k along the axis of o. */
static fsr_node first_of(fsr_site at, const order *o, fsr_node x, int64_t k) {
    return fsr_slice_at(at, x, o->axis, 0, k, 1);
}

/* What the call takes as it is: elements of any bits. All of them in order, and none of them, are no search. */
static fsr_node top(fsr_site at, const char *what, fsr_node x, int64_t k, const int *axes, int naxes, int flags,
                    bool places) {
    fsr_node poison;
    order o;
    if (!order_take(at, what, x, axes, naxes, flags, &o, &poison))
        return poison;
    if (k < 0 || k > length(&o))
        return fsr_poison(x.graph, at, FSR_ERR_VALUE, what, "the first %lld of %lld elements", (long long)k,
                          (long long)length(&o));
    if (k == 0 || k == length(&o) || is_trivial(&o))
        return first_of(at, &o, (places ? fsr_argsort_at : fsr_sort_at)(at, as_long(at, &o, o.x), &o.axis, 1, flags),
                        k);
    const fsr_node rows = fsr_swapaxes_at(at, o.x, o.axis, o.last);
    const fsr_library library = o.descending ? FSR_LIBRARY_GREATEST : FSR_LIBRARY_LEAST;
    fsr_node found = call(at, what, library, rows, k, places);
    found = fsr_swapaxes_at(at, places ? fsr_convert(at, found, FSR_I64, false) : found, o.axis, o.last);
    if (!o.length.origin || !fsr_node_sound(found))
        return found;
    const fsr_node part = first_of(at, &o, as_long(at, &o, o.x), k); /* as many as are there of k */
    if (!fsr_node_sound(part))
        return part;
    o.length = *fsr_node_length(part);
    return as_long(at, &o, found);
}

fsr_node fsr_topk_at(fsr_site at, fsr_node x, int64_t k, const int *axes, int naxes, int flags) {
    return top(at, "topk", x, k, axes, naxes, flags, false);
}

fsr_node fsr_argtopk_at(fsr_site at, fsr_node x, int64_t k, const int *axes, int naxes, int flags) {
    return top(at, "argtopk", x, k, axes, naxes, flags, true);
}
