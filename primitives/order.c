/* SPDX-License-Identifier: MIT */
/* What follows from the places that a stable sort gives: values carried along, several keys, ranks, permutations. */
#include "primitives/live.h"

/* What is as long as the operands, whose length has no origin if they have none. */
static fsr_node as_long(fsr_site at, fsr_node x, const fsr_length *length) {
    return length->origin ? fsr_with_length(fsr_alias(at, x), length) : x;
}

/* Equal calls of a sort are one, so several values with the same keys sort once. */
fsr_node fsr_sort_by_key_at(fsr_site at, fsr_node values, fsr_node keys, const int *axes, int naxes, int flags) {
    static const char what[] = "sort_by_key";
    const fsr_node all[] = {values, keys};
    fsr_node poison;
    fsr_length length;
    fsr_graph *g;
    if (fsr_poison_of_any(at, what, all, 2, &g, &poison) || !fsr_lengths_meet(at, what, all, 2, &length, &poison))
        return poison;
    if (!fsr_shape_equal(&fsr_node_rec(values)->shape, &fsr_node_rec(keys)->shape))
        return fsr_poison(g, at, FSR_ERR_SHAPE, what, "%s does not have the shape of %s", fsr_say(values).text,
                          fsr_say(keys).text);
    fsr_node places = fsr_argsort_at(at, keys, axes, naxes, flags);
    if (!fsr_node_sound(places))
        return places;
    places = fsr_without_length(at, places);
    values = fsr_without_length(at, fsr_strong(at, values));
    values = axes ? values : fsr_flatten(at, values);
    if (fsr_node_size(places) > 0)
        values = fsr_take_along_axis_at(at, values, places, axes ? axes[0] : 0, FSR_INDEX_CLIP);
    return as_long(at, values, &length);
}

fsr_node fsr_lexsort_at(fsr_site at, const fsr_node *keys, int n, const int *axes, int naxes) {
    static const char what[] = "lexsort";
    fsr_node poison = {0};
    fsr_graph *g;
    fsr_length length;
    if (n < 1 || !keys || fsr_poison_of_any(at, what, keys, n, &g, &poison) ||
        !fsr_lengths_meet(at, what, keys, n, &length, &poison))
        return poison;
    fsr_node order = fsr_without_length(at, fsr_argsort_at(at, keys[0], axes, naxes, 0));
    for (int i = 1; i < n && fsr_node_sound(order); i++) {
        if (!fsr_shape_equal(&fsr_node_rec(keys[i])->shape, &fsr_node_rec(keys[0])->shape))
            return fsr_poison(g, at, FSR_ERR_SHAPE, what, "%s does not have the shape of %s", fsr_say(keys[i]).text,
                              fsr_say(keys[0]).text);
        const int axis = axes ? axes[0] : 0;
        if (!fsr_order_take(keys[i], at, what, &poison))
            return poison;
        const fsr_node own = fsr_order_filled(at, fsr_strong(at, keys[i]), false);
        const fsr_node key = axes ? own : fsr_flatten(at, own);
        const fsr_node moved = fsr_take_along_axis_at(at, key, order, axis, FSR_INDEX_CLIP);
        order = fsr_take_along_axis_at(at, order, fsr_argsort_at(at, moved, &axis, 1, 0), axis, FSR_INDEX_CLIP);
    }
    return as_long(at, order, &length);
}

/* The inverse of the places. */
fsr_node fsr_rank_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags) {
    fsr_node places = fsr_argsort_at(at, x, axes, naxes, flags);
    if (!fsr_node_sound(places) || fsr_node_size(places) == 0)
        return places;
    const fsr_length length = fsr_node_is_live(places) ? *fsr_node_length(places) : (fsr_length){.origin = 0};
    places = fsr_without_length(at, places);
    if (!fsr_node_sound(places))
        return places;
    const fsr_shape *shape = &fsr_node_rec(places)->shape;
    int axis = axes ? axes[0] : 0;
    axis += axis < 0 ? shape->ndim : 0;
    const fsr_node own = fsr_iota(places.graph, at, FSR_I64, shape, axis);
    const fsr_node none = fsr_full_at(at, places.graph, FSR_I64, shape->ndim, shape->dim, 0);
    return as_long(at, fsr_put_along_axis_at(at, none, places, own, axis, FSR_INDEX_CLIP, FSR_UNIQUE), &length);
}

fsr_node fsr_random_permutation_at(fsr_site at, fsr_node seed, fsr_node stream, int64_t n) {
    static const char what[] = "random_permutation";
    const fsr_node all[] = {seed, stream};
    fsr_node poison;
    fsr_graph *g;
    if (fsr_poison_of(at, what, all, 2, &g, &poison))
        return poison;
    if (fsr_node_ndim(seed) || fsr_node_ndim(stream))
        return fsr_poison(g, at, FSR_ERR_SHAPE, what, "%s is no seed or stream of one permutation",
                          fsr_say(fsr_node_ndim(seed) ? seed : stream).text);
    const fsr_node i = fsr_counter_at(at, g, 1, &n);
    const int axis = 0;
    return fsr_argsort_at(at, fsr_random_bits_at(at, seed, stream, i, FSR_U64), &axis, 1, 0);
}

fsr_node fsr_random_shuffle_at(fsr_site at, fsr_node seed, fsr_node stream, fsr_node x, int axis) {
    static const char what[] = "random_shuffle";
    const fsr_node all[] = {seed, stream, x};
    fsr_node poison;
    fsr_graph *g;
    if (fsr_poison_of(at, what, all, 3, &g, &poison) || !fsr_axis_take(x, at, what, fsr_node_ndim(x), &axis, &poison))
        return poison;
    const int64_t n = fsr_node_dim(x, axis);
    const fsr_node order = fsr_random_permutation_at(at, seed, stream, n);
    return n ? fsr_take_at(at, x, order, axis, FSR_INDEX_CLIP) : fsr_strong(at, x);
}
