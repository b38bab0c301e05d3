/* SPDX-License-Identifier: MIT */
/* What else has a length that only the device knows: the others of a mask, runs of equal elements, elements repeated by
 * counts; and x[mask] = y.
 *
 * A run begins where an element differs from the one before it: the beginnings are a mask, and what it selects of the
 * elements and of their indices are values and places; a run is as long as it is to the next place, the last one to the
 * end. Repeating is the way back: each element puts a mark where it ends, and how many marks are at or before an index
 * is the element's number there. Elements repeated no times put theirs at one place, so marks are added.
 * Counter-example to a search in the running sum of counts for each index: 20 dependent loads an element. */
#include "primitives/live.h"

/* x of one dimension, or its length's; false: *poison. */
static bool vector_take(fsr_site at, const char *what, fsr_node *x, fsr_length *length, fsr_node *poison) {
    fsr_graph *g;
    if (fsr_poison_of_any(at, what, x, 1, &g, poison))
        return false;
    if (fsr_node_ndim(*x) != 1) {
        *poison = fsr_poison(g, at, FSR_ERR_SHAPE, what, "%s is not of one dimension", fsr_say(*x).text);
        return false;
    }
    const fsr_length *own = fsr_node_length(*x);
    *length = own ? *own : (fsr_length){.origin = 0};
    *x = fsr_strong(at, *x);
    *poison = *x;
    return fsr_node_sound(*x) != NULL;
}

fsr_node fsr_there(fsr_site at, fsr_node x, const fsr_length *length) {
    if (length->origin)
        return fsr_length_count(x.graph, length);
    return fsr_i64(at, x, fsr_node_dim(x, 0));
}

void fsr_partition_by_at(fsr_site at, fsr_node *out, fsr_node mask, fsr_node x) {
    static const char what[] = "partition_by";
    fsr_node poison, all[] = {mask, x};
    fsr_graph *g;
    if (!out)
        return;
    out[0] = out[1] = poison = (fsr_node){0};
    if (fsr_poison_of_any(at, what, all, 2, &g, &poison)) {
        out[0] = out[1] = poison;
        return;
    }
    fsr_node others = fsr_logical_not_at(at, mask);
    out[0] = fsr_compressed(at, what, mask, x, mask, FSR_COUNTS_TRUE);
    out[1] = fsr_node_sound(others) ? fsr_compressed(at, what, others, x, mask, FSR_COUNTS_FALSE) : others;
}

/* ---- runs ------------------------------------------------------------------------------------------------------ */

/* Where an element is the first one, or differs from the one before it. */
static fsr_node beginnings(fsr_site at, fsr_node x) {
    const int64_t n = fsr_node_dim(x, 0);
    fsr_node first = fsr_full_at(at, x.graph, FSR_BOOL, 1, &n, 1);
    fsr_node differs =
        fsr_not_equal_at(at, fsr_slice_at(at, x, 0, 1, FSR_SLICE_END, 1), fsr_slice_at(at, x, 0, 0, -1, 1));
    return n < 2 ? first : fsr_update_at(at, first, fsr_slice_at(at, first, 0, 1, FSR_SLICE_END, 1), differs);
}

/* x's next element, or, behind it, 0. Of two elements it is one for both, which would be loaded whatever lies there: it
 * is taken at a place where something is. */
static fsr_node next_one(fsr_site at, fsr_node x, fsr_node last) {
    const int64_t one = 1;
    if (fsr_node_dim(x, 0) == 2)
        return fsr_take_at(at, x, fsr_stretch(at, last, &fsr_node_rec(x)->shape), 0, FSR_INDEX_CLIP);
    fsr_node ends[] = {fsr_slice_at(at, x, 0, 1, FSR_SLICE_END, 1), fsr_full_at(at, x.graph, FSR_I64, 1, &one, 0)};
    return fsr_concat_at(at, ends, 2, 0);
}

/* From each place to the next one, from the last one to `end`: what lies behind the last one is not looked at. */
fsr_node fsr_distances(fsr_site at, fsr_node places, fsr_node end) {
    const fsr_length length = *fsr_node_length(places);
    fsr_node x = fsr_without_length(at, places), count = fsr_length_count(x.graph, &length);
    fsr_node last = fsr_sub_at(at, fsr_maximum_at(at, count, fsr_whole(at, x, 1)), fsr_whole(at, x, 1));
    const fsr_length before = {length.origin, 1, length.most, {last.id, last.output}, at};
    if (!fsr_node_sound(last) || !fsr_node_sound(x))
        return fsr_node_sound(last) ? x : last;
    fsr_node next = fsr_prefix(at, next_one(at, x, last), end, &before);
    return fsr_with_length(fsr_alias(at, fsr_sub_at(at, next, x)), &length);
}

void fsr_run_lengths_at(fsr_site at, fsr_node *out, fsr_node x) {
    static const char what[] = "run_lengths";
    fsr_node poison;
    fsr_length length;
    if (!out)
        return;
    if (!vector_take(at, what, &x, &length, &poison)) {
        out[0] = out[1] = poison;
        return;
    }
    const int64_t n = fsr_node_dim(x, 0);
    fsr_node begins = beginnings(at, fsr_without_length(at, x)), i = fsr_arange_at(at, x.graph, FSR_I64, n);
    if (length.origin) {
        begins = fsr_with_length(fsr_alias(at, begins), &length);
        i = fsr_with_length(fsr_alias(at, i), &length);
    }
    out[0] = out[1] = fsr_node_sound(begins) ? i : begins;
    if (!fsr_node_sound(out[0]))
        return;
    out[0] = fsr_compressed(at, what, begins, x, x, FSR_COUNTS_RUNS);
    fsr_node places = fsr_compressed(at, what, begins, i, x, FSR_COUNTS_RUNS);
    out[1] = fsr_node_sound(places) && n > 0 ? fsr_distances(at, places, fsr_there(at, x, &length)) : places;
}

/* ---- repeated ---------------------------------------------------------------------------------------------------- */

/* Of each index below capacity how many elements end at or before it: the number of the one that is there. */
static fsr_node owners(fsr_site at, fsr_node ends, int64_t capacity) {
    const fsr_dtype dtype = fsr_node_dim(ends, 0) <= INT32_MAX ? FSR_I32 : FSR_I64;
    const int first = 0;
    fsr_node none = fsr_full_at(at, ends.graph, dtype, 1, &capacity, 0);
    fsr_node one = fsr_literal(ends.graph, at, dtype, fsr_value_from_int(dtype, 1), false);
    fsr_node marks = fsr_scatter_add_at(at, none, &ends, 1, one, FSR_INDEX_DROP, 0);
    return fsr_cumsum_as_at(at, marks, dtype, &first, 1, 0);
}

/* What repeat_counts asks of its operands; counts are i64, at least 0, and 0 behind a length. The capacity is an
 * argument of kernels, as extents are: another one compiles none. */
static bool repeat_take(fsr_site at, const char *what, fsr_node *x, fsr_node *counts, int64_t capacity,
                        fsr_node *poison) {
    fsr_node both[] = {*x, *counts};
    fsr_length length, own;
    fsr_graph *g;
    if (fsr_poison_of_any(at, what, both, 2, &g, poison) || !vector_take(at, what, x, &own, poison) ||
        !vector_take(at, what, counts, &own, poison))
        return false;
    const fsr_class class = fsr_dtype_class(fsr_node_dtype(*counts));
    if (class != FSR_CLASS_INT && class != FSR_CLASS_BOOL)
        *poison = fsr_poison(g, at, FSR_ERR_DTYPE, what, "%s are no counts", fsr_say(*counts).text);
    else if (fsr_node_dim(*x, 0) != fsr_node_dim(*counts, 0))
        *poison = fsr_poison(g, at, FSR_ERR_SHAPE, what, "%s has not a count for each of %s", fsr_say(*counts).text,
                             fsr_say(*x).text);
    else if (capacity < 0)
        *poison = fsr_poison(g, at, FSR_ERR_VALUE, what, "a capacity of %lld", (long long)capacity);
    if (!fsr_node_sound(*poison))
        return false;
    if ((fsr_node_is_live(*x) || fsr_node_is_live(*counts)) &&
        !fsr_lengths_meet(at, what, (fsr_node[]){*x, *counts}, 2, &length, poison))
        return false;
    fsr_node zero = fsr_i64(at, *counts, 0);
    const int64_t n = fsr_node_dim(*counts, 0), share = INT64_MAX / (n > 0 ? n : 1);
    const int64_t beyond = share > capacity ? share : capacity; /* n such counts do not wrap, and one is too many */
    *counts = fsr_minimum_at(at, fsr_integers(at, *counts), fsr_count_i64(g, at, beyond));
    *counts = fsr_maximum_at(at, *counts, zero);
    if (fsr_node_is_live(*counts))
        *counts = fsr_prefix(at, *counts, zero, &length);
    *x = fsr_without_length(at, *x);
    *poison = *counts;
    return fsr_node_sound(*counts) && fsr_node_sound(*x);
}

fsr_node fsr_repeat_counts_at(fsr_site at, fsr_node x, fsr_node counts, int64_t capacity) {
    static const char what[] = "repeat_counts";
    const int first = 0;
    fsr_node poison, origin = counts;
    if (!repeat_take(at, what, &x, &counts, capacity, &poison))
        return poison;
    fsr_node total = fsr_sum_at(at, counts, NULL, 0, 0), room = fsr_count_i64(x.graph, at, capacity),
             zero = fsr_whole(at, x, 0);
    fsr_node ends = fsr_cumsum_at(at, counts, &first, 1, 0), out;
    if (fsr_node_dim(x, 0) == 0 || capacity == 0)
        out = fsr_full_at(at, x.graph, fsr_node_dtype(x), 1, &capacity, 0);
    else
        out = fsr_take_at(at, x, owners(at, ends, capacity), 0, FSR_INDEX_CLIP);
    fsr_node over = fsr_where_at(at, fsr_greater_at(at, total, room), total, zero);
    fsr_node count = fsr_strong(at, fsr_minimum_at(at, total, room));
    if (!fsr_node_sound(count))
        return count;
    const fsr_length length = fsr_length_of(at, origin, FSR_COUNTS_SUM, count, capacity);
    out = fsr_told(at, out, over, FSR_SAYS_TOO_LONG);
    return fsr_with_length(fsr_alias(at, out), &length);
}

/* ---- x[mask] = y ------------------------------------------------------------------------------------------- */

/* y's elements in order where the mask holds; how many there are has to be how many it holds for. */
static fsr_node in_order(fsr_site at, fsr_node mask, fsr_node y) {
    fsr_node before = fsr_convert(at, fsr_count_before(at, mask), FSR_I64, false);
    fsr_node taken = fsr_take_at(at, y, before, 0, FSR_INDEX_CLIP), zero = fsr_whole(at, mask, 0),
             one = fsr_whole(at, mask, 1);
    fsr_node same = fsr_equal_at(at, fsr_count_true(at, mask), fsr_whole(at, mask, fsr_node_dim(y, 0)));
    return fsr_told(at, taken, fsr_where_at(at, same, zero, one), FSR_SAYS_DIFFERENT);
}

/* The values for each element of the flattened x. */
static fsr_node values_for(fsr_site at, const char *what, fsr_node given, fsr_node mask, fsr_node y) {
    const fsr_length *own = fsr_node_length(y);
    if (own) {
        const fsr_length count = fsr_length_of(at, given, FSR_COUNTS_TRUE, y, fsr_node_dim(mask, 0));
        if (!fsr_length_equal(own, &count))
            return fsr_poison(
                y.graph, at, FSR_ERR_SHAPE, what,
                "%s has another length than the mask, counted at %s:%d: fsr_compress of that mask gives it",
                fsr_say(y).text, own->site.file ? own->site.file : "?", own->site.line);
        fsr_node before = fsr_convert(at, fsr_count_before(at, mask), FSR_I64, false);
        return fsr_take_at(at, fsr_without_length(at, y), before, 0, FSR_INDEX_CLIP);
    }
    if (fsr_node_size(y) == 1)
        return fsr_reshape_at(at, y, 0, NULL);
    if (fsr_node_ndim(y) != 1)
        return fsr_poison(y.graph, at, FSR_ERR_SHAPE, what, "%s is not of one dimension", fsr_say(y).text);
    return in_order(at, mask, y);
}

fsr_node fsr_update_mask_at(fsr_site at, fsr_node x, fsr_node mask, fsr_node y) {
    static const char what[] = "update_mask";
    fsr_node poison, all[] = {x, mask, y}, given = mask;
    fsr_graph *g;
    if (fsr_poison_of_any(at, what, all, 3, &g, &poison) || fsr_poison_of(at, what, all, 2, &g, &poison))
        return poison;
    const fsr_shape shape = fsr_node_rec(x)->shape;
    if (!fsr_shape_equal(&shape, &fsr_node_rec(mask)->shape))
        return fsr_poison(g, at, FSR_ERR_SHAPE, what, "the mask %s does not have the shape of %s", fsr_say(mask).text,
                          fsr_say(x).text);
    x = fsr_flatten(at, fsr_strong(at, x));
    mask = fsr_flatten(at, fsr_convert(at, fsr_strong(at, mask), FSR_BOOL, false));
    y = fsr_node_sound(x) ? fsr_strong(at, fsr_convert(at, y, fsr_node_dtype(x), false)) : x;
    if (!fsr_node_sound(mask) || !fsr_node_sound(y))
        return fsr_node_sound(y) ? mask : y;
    if (fsr_node_size(x) == 0)
        return fsr_reshape_at(at, x, shape.ndim, shape.dim);
    fsr_node values = fsr_node_size(y) == 0 ? fsr_told(at, x, fsr_count_true(at, mask), FSR_SAYS_DIFFERENT)
                                            : values_for(at, what, given, mask, y);
    return fsr_reshape_at(at, fsr_where_at(at, mask, values, x), shape.ndim, shape.dim);
}
