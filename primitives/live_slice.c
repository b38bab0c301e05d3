/* SPDX-License-Identifier: MIT */
/* Slices of values whose length only the device knows: limits are clipped to the length, negative ones count from its
 * end.
 *
 * What begins at a number is a view; what begins at a distance from the end is a slice at a start that is computed;
 * what goes backwards takes each element. Where a length is only made shorter or cut, that is said of it (fsr_length),
 * so that x[1:] and x[:-1] meet: the idiom of differences. Counter-example to an origin for each slice: their counts
 * are two nodes. */
#include "primitives/live.h"

typedef struct slice {
    fsr_site at;
    fsr_graph *g;
    fsr_node x, n; /* all of its capacity, and its count */
    fsr_length length;
    int64_t capacity, start, stop, step;
} slice;

static fsr_node number(const slice *s, int64_t value) {
    return fsr_int_at(s->at, s->g, value);
}

static int64_t at_most(int64_t value, int64_t most) {
    return value < most ? value : most;
}

static int64_t at_least(int64_t value, int64_t least) {
    return value > least ? value : least;
}

/* A limit in [low, n + low], as Python's slice.indices has it. */
static fsr_node limit(const slice *s, int64_t value, int64_t low) {
    fsr_node low_node = number(s, low);
    if (value < 0) {
        fsr_node behind = number(s, at_least(value, -s->capacity - 1));
        return fsr_maximum_at(s->at, fsr_add_at(s->at, s->n, behind), low_node);
    }
    return fsr_minimum_at(s->at, fsr_add_at(s->at, s->n, low_node), number(s, at_most(value, s->capacity)));
}

/* x of another capacity with as many elements as lie from `first` before `last`, by steps. */
static fsr_node counted(const slice *s, fsr_node x, fsr_node first, fsr_node last, uint64_t step) {
    const int64_t by = step > (uint64_t)s->capacity ? s->capacity : (int64_t)step;
    fsr_node count = fsr_maximum_at(s->at, fsr_sub_at(s->at, last, first), number(s, 0));
    if (by > 1)
        count = fsr_floor_divide_at(s->at, fsr_add_at(s->at, count, number(s, by - 1)), number(s, by));
    count = fsr_strong(s->at, count);
    if (!fsr_node_sound(count) || !fsr_node_sound(x))
        return fsr_node_sound(x) ? count : x;
    fsr_length length = fsr_length_of(s->at, count, FSR_COUNTS_ITSELF, count, fsr_node_dim(x, 0));
    length.site = s->length.site;
    return fsr_with_length(fsr_alias(s->at, x), &length);
}

/* The same where the length is s's, less some and cut: what is counted is known to be the same elsewhere. */
static fsr_node shorter(const slice *s, fsr_node x, fsr_node first, fsr_node last, int64_t less, int64_t most) {
    fsr_node out = counted(s, x, first, last, 1);
    if (!fsr_node_sound(out))
        return out;
    fsr_length length = s->length;
    length.count = fsr_node_length(out)->count;
    length.less += less;
    length.most = at_least(most, 0);
    return fsr_with_length(out, &length);
}

/* From a number on: a view. */
static fsr_node from_front(const slice *s) {
    const bool open = s->stop == FSR_SLICE_END;
    const int64_t start = s->start == FSR_SLICE_END ? 0 : at_most(s->start, s->capacity), most = s->length.most;
    const int64_t behind = open || s->stop >= 0 ? 0 : at_most(-at_least(s->stop, -s->capacity), s->capacity);
    fsr_node x = fsr_slice_at(s->at, s->x, 0, start, s->stop, s->step);
    fsr_node first = limit(s, start, 0), last = open ? s->n : limit(s, s->stop, 0);
    if (s->step > 1)
        return counted(s, x, first, last, (uint64_t)s->step);
    const int64_t cut = s->stop >= 0 ? at_most(most, s->stop) : most;
    return shorter(s, x, first, last, start + behind, cut - start - behind);
}

/* From a distance before the end on: at most so many elements. */
static fsr_node from_end(const slice *s) {
    const bool open = s->stop == FSR_SLICE_END;
    const int64_t distance = -at_least(s->start, -s->capacity);
    int64_t size = distance;
    if (!open && s->stop < 0)
        size = distance + at_least(s->stop, -distance);
    else if (!open)
        size = at_most(distance, s->stop);
    fsr_node first = limit(s, s->start, 0), last = open ? s->n : limit(s, s->stop, 0);
    fsr_node x = fsr_dynamic_slice_at(s->at, s->x, &first, &size);
    if (open && s->step == 1)
        return shorter(s, x, first, last, 0, at_most(s->length.most, distance));
    x = fsr_slice_at(s->at, x, 0, FSR_SLICE_END, FSR_SLICE_END, s->step);
    return counted(s, x, first, last, (uint64_t)s->step);
}

/* Backwards: each element where it lies. */
static fsr_node backwards(const slice *s) {
    const uint64_t step = 0 - (uint64_t)s->step;
    const int64_t by = step > (uint64_t)s->capacity ? s->capacity : (int64_t)step;
    const bool all = s->start == FSR_SLICE_END && s->stop == FSR_SLICE_END && s->step == -1;
    fsr_node last = s->start == FSR_SLICE_END ? fsr_sub_at(s->at, s->n, number(s, 1)) : limit(s, s->start, -1);
    fsr_node before = s->stop == FSR_SLICE_END ? number(s, -1) : limit(s, s->stop, -1);
    fsr_node i = fsr_arange_at(s->at, s->g, FSR_I64, (s->capacity - 1) / by + 1);
    fsr_node from = fsr_sub_at(s->at, last, fsr_mul_at(s->at, i, number(s, by)));
    fsr_node x = fsr_take_at(s->at, s->x, from, 0, FSR_INDEX_CLIP);
    return all ? fsr_with_length(x, &s->length) : counted(s, x, before, last, step);
}

fsr_node fsr_live_slice(fsr_site at, fsr_node x, int64_t start, int64_t stop, int64_t step) {
    slice s = {.at = at, .g = x.graph, .length = *fsr_node_length(x), .start = start, .stop = stop, .step = step};
    s.capacity = fsr_node_dim(x, 0);
    s.n = fsr_length_count(x.graph, &s.length);
    s.x = fsr_without_length(at, x);
    if (!fsr_node_sound(s.x) || s.capacity == 0)
        return fsr_node_sound(s.x) ? x : s.x;
    if (step < 0)
        return backwards(&s);
    return start == FSR_SLICE_END || start >= 0 ? from_front(&s) : from_end(&s);
}
