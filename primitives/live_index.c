/* SPDX-License-Identifier: MIT */
/* Elements at computed indices where lengths come in that only the device knows.
 *
 * Indices with a length are 0 behind it, which every axis has; so nothing is reported there, and the result has that
 * length. Of what is taken from the length bounds the indices: one beyond it is moved beyond the capacity as well, so
 * that what reports indices finds it, and the words take the capacity off again. What is scattered goes nowhere behind
 * a length: its first index lies outside there, and what lies outside is dropped; an index that is to be reported is
 * taken once, from an array that is false everywhere.
 * Counter-example to scattering to index 0 there: the last one of equal indices wins. */
#include "primitives/indices.h"
#include "primitives/live.h"

/* An index brought to the n elements of so many that are there; where none is, 0. */
static fsr_node brought_inside(fsr_site at, fsr_node i, fsr_node n, int64_t capacity, fsr_index_mode mode) {
    fsr_node zero = fsr_whole(at, i, 0), room = fsr_whole(at, i, capacity);
    fsr_node last = fsr_maximum_at(at, fsr_sub_at(at, n, fsr_whole(at, i, 1)), zero);
    if (mode == FSR_INDEX_CLIP)
        return fsr_minimum_at(at, fsr_maximum_at(at, i, zero), last);
    if (mode == FSR_INDEX_WRAP)
        return fsr_mod_at(at, i, fsr_add_at(at, last, fsr_whole(at, i, 1)));
    fsr_node negative = fsr_less_at(at, i, zero), from_end = fsr_where_at(at, negative, fsr_add_at(at, i, n), i);
    fsr_node outside = fsr_logical_or_at(at, fsr_less_at(at, from_end, zero), fsr_greater_equal_at(at, from_end, n));
    fsr_node beyond = fsr_where_at(at, negative, fsr_sub_at(at, i, room), fsr_add_at(at, i, room));
    return fsr_where_at(at, outside, beyond, from_end);
}

/* Indices without a length: 0 behind that, which every capacity has. */
static fsr_node without(fsr_site at, fsr_node i, const fsr_length *length) {
    return length->origin ? fsr_prefix(at, i, fsr_i64(at, i, 0), length) : i;
}

/* The elements of x, which has a length, at the indices, which may have one. */
static fsr_node taken(fsr_site at, fsr_node x, fsr_node i, const fsr_length *own, fsr_index_mode mode) {
    const fsr_length length = *fsr_node_length(x);
    const int64_t capacity = fsr_node_dim(x, 0);
    fsr_node n = fsr_length_count(x.graph, &length),
             inside = without(at, brought_inside(at, i, n, capacity, mode), own);
    fsr_node out = fsr_node_sound(inside) ? fsr_take_at(at, fsr_without_length(at, x), inside, 0, mode) : inside;
    if (!fsr_node_sound(out))
        return out;
    if (mode == FSR_INDEX_RAISE) {
        fsr_node_rec(out)->says = FSR_SAYS_LIVE;
        return out;
    }
    fsr_node none = fsr_literal(x.graph, at, fsr_node_dtype(x), (fsr_value){.bits = 0}, false);
    return fsr_where_at(at, fsr_greater_at(at, n, fsr_whole(at, x, 0)), out, none);
}

fsr_node fsr_live_take(fsr_site at, const char *what, fsr_node x, fsr_node i, int axis, fsr_index_mode mode) {
    fsr_node poison, both[] = {x, i};
    fsr_graph *g;
    if (fsr_poison_of_any(at, what, both, 2, &g, &poison) ||
        !fsr_axis_take(x, at, what, fsr_node_ndim(x), &axis, &poison) || !fsr_index_take(at, what, &i, &poison))
        return poison;
    if ((unsigned)mode > FSR_INDEX_WRAP)
        return fsr_poison(g, at, FSR_ERR_VALUE, what, "there is no mode %d", (int)mode);
    if (fsr_node_is_live(i) && fsr_node_ndim(x) != 1)
        return fsr_poison(g, at, FSR_ERR_UNSUPPORTED, what, "rows of %s at %s: a length is one of one dimension",
                          fsr_say(x).text, fsr_say(i).text);
    const fsr_length *own = fsr_node_length(i);
    const fsr_length length = own ? *own : (fsr_length){.origin = 0};
    fsr_node out;
    if (fsr_node_is_live(x))
        out = taken(at, x, i, &length, mode);
    else
        out = fsr_take_at(at, x, without(at, i, &length), 0, mode);
    return length.origin ? fsr_with_length(fsr_alias(at, out), &length) : out;
}

fsr_node fsr_live_index(fsr_site at, fsr_node x, const fsr_node *arrays, int n, fsr_index_mode mode) {
    static const char what[] = "index";
    fsr_node poison, all[1 + FSR_MAX_DIMS];
    fsr_length length;
    fsr_graph *g;
    if (n == 1)
        return fsr_live_take(at, what, x, arrays[0], 0, mode);
    all[0] = x;
    for (int i = 0; i < n; i++)
        all[1 + i] = arrays[i];
    if (fsr_poison_of_any(at, what, all, 1 + n, &g, &poison) || fsr_poison_of(at, what, &x, 1, &g, &poison) ||
        !fsr_lengths_meet(at, what, arrays, n, &length, &poison))
        return poison;
    if (fsr_node_ndim(x) != n)
        return fsr_poison(g, at, FSR_ERR_UNSUPPORTED, what, "%d arrays into %s: a length is one of one dimension", n,
                          fsr_say(x).text);
    for (int i = 0; i < n; i++) {
        all[i] = arrays[i];
        if (!fsr_index_take(at, what, &all[i], &poison))
            return poison;
        if (fsr_node_is_live(all[i]))
            all[i] = without(at, all[i], &length);
    }
    return fsr_with_length(fsr_alias(at, fsr_index_at(at, x, all, n, mode)), &length);
}

/* ---- scatters ------------------------------------------------------------------------------------------------- */

/* False, and reported where one of the arrays leads outside of x. */
static fsr_node reported(fsr_site at, fsr_node x, const fsr_node *arrays, int n) {
    const fsr_shape *shape = &fsr_node_rec(x)->shape;
    fsr_node none = fsr_stretch(at, fsr_strong(at, fsr_bool_at(at, x.graph, false)), shape);
    for (int j = n; j < shape->ndim; j++)
        none = fsr_slice_at(at, none, j, 0, 1, 1);
    fsr_node out = fsr_index_at(at, none, arrays, n, FSR_INDEX_RAISE);
    for (int j = n; j < shape->ndim && fsr_node_sound(out); j++)
        out = fsr_squeeze_at(at, out, -1);
    return out;
}

/* How many elements of the first one with a length there is room for. */
static int64_t capacity_of(const fsr_node *x, int n) {
    int i = 0;
    while (i + 1 < n && !fsr_node_is_live(x[i]))
        i++;
    return fsr_node_dim(x[i], 0);
}

bool fsr_live_scatter(fsr_site at, const char *what, fsr_node x, fsr_node *arrays, int n, fsr_node *values,
                      fsr_index_mode *mode, fsr_node *poison) {
    fsr_node all[2 + FSR_MAX_DIMS] = {*values}, plain[FSR_MAX_DIMS];
    fsr_length length;
    fsr_graph *g;
    for (int i = 0; i < n; i++)
        all[1 + i] = arrays[i];
    all[1 + n] = x;
    if (fsr_poison_of_any(at, what, all, 2 + n, &g, poison) || fsr_poison_of(at, what, &x, 1, &g, poison) ||
        !fsr_lengths_meet(at, what, all, 1 + n, &length, poison))
        return false;
    if (n > fsr_node_ndim(x)) {
        *poison = fsr_poison(g, at, FSR_ERR_SHAPE, what, "%d arrays of indices into %s", n, fsr_say(x).text);
        return false;
    }
    const fsr_shape shape = {1, {capacity_of(all, 1 + n)}};
    for (int i = 0; i < n; i++) {
        if (!fsr_index_take(at, what, &arrays[i], poison))
            return false;
        plain[i] = fsr_node_is_live(arrays[i]) ? without(at, arrays[i], &length) : arrays[i];
        arrays[i] = plain[i];
        if (*mode == FSR_INDEX_CLIP || *mode == FSR_INDEX_WRAP)
            arrays[i] = brought_inside(at, plain[i], fsr_whole(at, x, fsr_node_dim(x, i)), fsr_node_dim(x, i), *mode);
    }
    if (*mode == FSR_INDEX_RAISE && fsr_node_size(x) > 0)
        arrays[0] = fsr_where_at(at, reported(at, x, plain, n), fsr_whole(at, x, 0), arrays[0]);
    *mode = FSR_INDEX_DROP;
    arrays[0] = fsr_prefix_nowhere(at, fsr_stretch(at, arrays[0], &shape), fsr_i64(at, x, fsr_node_dim(x, 0)), &length);
    *values = fsr_without_length(at, *values);
    *poison = arrays[0];
    return fsr_node_sound(arrays[0]) != NULL;
}
