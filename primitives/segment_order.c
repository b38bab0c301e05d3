/* SPDX-License-Identifier: MIT */
/* Segments in order: each sorted by itself, and medians of segments.
 *
 * Whatever the lengths, all segments are sorted at once: by the elements first, then, as a sort is stable, by the
 * number of the segment that an element lies in. What lies in no segment has one key, so it stays where it is. A median
 * is then one or two elements of the sorted ones, at places that follow from the offsets.
 * Counter-example to a sort for each segment: of a million segments, a million launches; to keys made of the number and
 * the element side by side: they are as many digits in one sort as both are in two, and elements of 64 bits have no
 * such key. */
#include "primitives/segment.h"
#include "primitives/select.h"
#include <math.h>

/* x of one dimension along the first axis of a shape. */
static fsr_node along_first(fsr_site at, fsr_node x, const fsr_shape *shape) {
    for (int j = 1; j < shape->ndim && fsr_node_sound(x); j++)
        x = fsr_expand_at(at, x, j);
    return fsr_node_sound(x) ? fsr_stretch(at, x, shape) : x;
}

/* How many offsets are at or before each element of the axis: 0 and count + 1 are no segments. */
static fsr_node numbers(const fsr_segments *s) {
    const fsr_site at = s->at;
    const fsr_dtype dtype = s->count < INT32_MAX ? FSR_I32 : FSR_I64;
    const int first = 0;
    const fsr_node none = fsr_full_at(at, s->offsets.graph, dtype, 1, &s->n, 0), one = fsr_whole(at, s->offsets, 1);
    const fsr_node marks = fsr_scatter_add_at(at, none, &s->offsets, 1, one, FSR_INDEX_DROP, 0);
    return fsr_cumsum_as_at(at, marks, dtype, &first, 1, 0);
}

/* Where the elements in order were, of x's shape; x is real, and has an element. */
static fsr_node places_of(const fsr_segments *s, fsr_node x, int flags) {
    const fsr_site at = s->at;
    const fsr_shape shape = fsr_node_rec(x)->shape;
    const int first = 0;
    const fsr_node number = along_first(at, numbers(s), &shape);
    if (!fsr_node_sound(number))
        return number;
    const fsr_node outside = fsr_logical_or_at(
        at, fsr_equal_at(at, number, fsr_whole(at, x, 0)),
        fsr_equal_at(at, number, fsr_count(x.graph, at, fsr_node_dtype(number), (double)s->count + 1)));
    const fsr_dtype dtype = fsr_node_dtype(x);
    const fsr_node same = fsr_literal(x.graph, at, dtype, (fsr_value){.bits = 0}, false);
    const fsr_node order = fsr_argsort_at(at, fsr_where_at(at, outside, same, x), &first, 1, flags);
    const fsr_node moved = fsr_take_along_axis_at(at, number, order, 0, FSR_INDEX_CLIP);
    return fsr_take_along_axis_at(at, order, fsr_argsort_at(at, moved, &first, 1, 0), 0, FSR_INDEX_CLIP);
}

static bool order_take(fsr_site at, const char *what, fsr_node *x, fsr_node offsets, int flags, fsr_segments *s,
                       fsr_node *poison) {
    return fsr_segments_take(at, what, x, 1, offsets, s, poison) && fsr_order_take(*x, at, what, poison) &&
           fsr_flags_take(*x, at, what, flags, FSR_DESCENDING, poison);
}

fsr_node fsr_segment_argsort_at(fsr_site at, fsr_node x, fsr_node offsets, int flags) {
    fsr_segments s;
    fsr_node poison;
    if (!order_take(at, "segment_argsort", &x, offsets, flags, &s, &poison))
        return poison;
    const fsr_node places =
        fsr_node_size(x) ? places_of(&s, x, flags) : fsr_iota(x.graph, at, FSR_I64, &fsr_node_rec(x)->shape, 0);
    return fsr_segments_length(&s, places);
}

fsr_node fsr_segment_sort_at(fsr_site at, fsr_node x, fsr_node offsets, int flags) {
    fsr_segments s;
    fsr_node poison;
    if (!order_take(at, "segment_sort", &x, offsets, flags, &s, &poison))
        return poison;
    if (fsr_node_size(x))
        x = fsr_take_along_axis_at(at, x, places_of(&s, x, flags), 0, FSR_INDEX_CLIP);
    return fsr_segments_length(&s, x);
}

/* Element `place` of each segment, in order; place is of one dimension. */
static fsr_node element(fsr_site at, fsr_node sorted, fsr_node place) {
    return fsr_node_sound(sorted) ? fsr_take_at(at, sorted, place, 0, FSR_INDEX_CLIP) : sorted;
}

fsr_node fsr_segment_median_at(fsr_site at, fsr_node x, fsr_node offsets) {
    fsr_segments s;
    fsr_node poison;
    if (!order_take(at, "segment_median", &x, offsets, 0, &s, &poison))
        return poison;
    fsr_shape shape = fsr_node_rec(x)->shape;
    const fsr_dtype dtype = fsr_mean_dtype(fsr_node_dtype(x));
    const fsr_node nan = fsr_literal(x.graph, at, dtype, fsr_value_from_double(dtype, (double)NAN), false);
    shape.dim[0] = s.count;
    if (fsr_node_size(x) == 0 || s.count == 0)
        return fsr_segments_result(&s, fsr_stretch(at, nan, &shape));
    const fsr_node sorted = fsr_take_along_axis_at(at, x, places_of(&s, x, 0), 0, FSR_INDEX_CLIP);
    const fsr_node n = fsr_sub_at(at, s.high, s.low), one = fsr_whole(at, x, 1), two = fsr_whole(at, x, 2);
    const fsr_node lower = fsr_add_at(at, s.low, fsr_floor_divide_at(at, fsr_sub_at(at, n, one), two));
    const fsr_node upper = fsr_add_at(at, s.low, fsr_floor_divide_at(at, n, two));
    const fsr_node odd = along_first(at, fsr_equal_at(at, lower, upper), &shape);
    fsr_node out = fsr_select_middle(at, element(at, sorted, lower), element(at, sorted, upper), odd);
    if (fsr_dtype_has_nan(fsr_node_dtype(x)))
        out = fsr_select_nan(at, out, element(at, sorted, fsr_sub_at(at, s.high, one)));
    return fsr_segments_result(&s, fsr_where_at(at, along_first(at, fsr_less_at(at, s.low, s.high), &shape), out, nan));
}
