/* SPDX-License-Identifier: MIT */
/* What segments are made of: offsets, brought inside of the axis and in order, and arrays beside one another.
 *
 * Either may have a length that only the device knows. No segment passes that of the arrays. Of offsets with one there
 * is one segment less than of these; behind it all offsets are the last one, so that what is computed there is of empty
 * segments. Counter-example to the end of the axis there: a sort would move what no segment has, and a fold read it. */
#include "primitives/segment.h"
#include <string.h>

/* Of a capacity of 0, as what an empty mask selects, there are no segments, and none is a mistake. */
static bool offsets_take(fsr_site at, const char *what, fsr_node *offsets, fsr_node *poison) {
    const fsr_dtype dtype = fsr_node_dtype(*offsets);
    if (fsr_node_is_live(*offsets) && fsr_node_size(*offsets) == 0 && !fsr_dtype_is_inexact(dtype))
        *offsets = fsr_live_at(at, fsr_full_at(at, offsets->graph, FSR_I64, 1, (int64_t[]){1}, 0),
                               fsr_int_at(at, offsets->graph, 0));
    if (dtype == FSR_BOOL || fsr_dtype_is_inexact(dtype))
        *poison = fsr_poison(offsets->graph, at, FSR_ERR_DTYPE, what, "%s are no offsets", fsr_say(*offsets).text);
    else if (fsr_node_ndim(*offsets) != 1 || fsr_node_size(*offsets) < 1)
        *poison = fsr_poison(offsets->graph, at, FSR_ERR_SHAPE, what,
                             "%s are no offsets of segments, one more than these", fsr_say(*offsets).text);
    else
        *poison = *offsets;
    return fsr_node_sound(*poison) != NULL;
}

/* Offsets without a length, those behind it the last of what is there, so that segments there are empty; *results: the
 * length of what there is of each segment, one less, or of origin 0. */
static fsr_node plain_offsets(fsr_site at, const char *what, fsr_node offsets, fsr_length *results) {
    *results = (fsr_length){.origin = 0};
    if (!fsr_node_is_live(offsets))
        return fsr_integers(at, offsets);
    const fsr_length length = *fsr_node_length(offsets);
    const fsr_node behind = fsr_live_slice(at, offsets, 1, FSR_SLICE_END, 1), end = fsr_i64(at, offsets, length.most);
    const fsr_node last = fsr_live_take(at, what, offsets, end, 0, FSR_INDEX_CLIP);
    if (!fsr_node_sound(behind))
        return behind;
    *results = *fsr_node_length(behind);
    offsets = fsr_prefix(at, offsets, last, &length);
    return fsr_node_sound(offsets) ? fsr_integers(at, offsets) : offsets;
}

bool fsr_segments_take(fsr_site at, const char *what, fsr_node *x, int nx, fsr_node offsets, fsr_segments *out,
                       fsr_node *poison) {
    fsr_node all[FSR_MAX_TUPLE + 1];
    fsr_graph *graph;
    fsr_length length;
    memcpy(all, x, sizeof *x * (size_t)nx);
    all[nx] = offsets;
    if (fsr_poison_of_any(at, what, all, nx + 1, &graph, poison) || !offsets_take(at, what, &offsets, poison) ||
        !fsr_lengths_meet(at, what, x, nx, &length, poison))
        return false;
    for (int i = 0; i < nx; i++) {
        *poison = x[i] = fsr_without_length(at, fsr_strong(at, x[i]));
        if (!fsr_node_sound(x[i]))
            return false;
        if (fsr_node_ndim(x[i]) == 0 || !fsr_shape_equal(&fsr_node_rec(x[0])->shape, &fsr_node_rec(x[i])->shape)) {
            *poison = fsr_poison(graph, at, FSR_ERR_SHAPE, what, "%s has %s", fsr_say(x[i]).text,
                                 i ? "not the shape of the others" : "no axis with segments");
            return false;
        }
    }
    *out = (fsr_segments){at, what, fsr_node_dim(x[0], 0), fsr_node_size(offsets) - 1, {0}, {0}, {0}, length, {0}};
    offsets = plain_offsets(at, what, offsets, &out->results);
    const fsr_node inside = length.origin ? fsr_minimum_at(at, fsr_maximum_at(at, offsets, fsr_whole(at, offsets, 0)),
                                                           fsr_length_count(graph, &length))
                                          : fsr_within(at, offsets, out->n);
    out->offsets = *poison = fsr_convert(at, inside, out->n <= INT32_MAX ? FSR_I32 : FSR_I64, false);
    if (!fsr_node_sound(inside))
        return false;
    out->low = fsr_slice_at(at, out->offsets, 0, 0, out->count, 1);
    out->high = fsr_maximum_at(at, out->low, fsr_slice_at(at, out->offsets, 0, 1, out->count + 1, 1));
    *poison = out->high;
    return fsr_node_sound(out->high) != NULL;
}

fsr_node fsr_segments_length(const fsr_segments *s, fsr_node x) {
    return s->length.origin ? fsr_with_length(fsr_alias(s->at, x), &s->length) : x;
}

fsr_node fsr_segments_result(const fsr_segments *s, fsr_node x) {
    if (!s->results.origin || !fsr_node_sound(x))
        return x;
    if (fsr_node_ndim(x) != 1)
        return fsr_poison(x.graph, s->at, FSR_ERR_UNSUPPORTED, s->what,
                          "%s for segments whose number only the device knows: a length is one of one dimension",
                          fsr_say(x).text);
    return fsr_with_length(fsr_alias(s->at, x), &s->results);
}
