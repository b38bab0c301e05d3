/* SPDX-License-Identifier: MIT */
/* Elements combined into arrays at computed indices by a caller's operator, over tuples, which need not commute.
 *
 * An operator that is one operation which gives the same in any order, of integers, is what a store combines by
 * (scatter_with.c). By another no store does: threads that come in any order would give another result. So values that
 * go to one element are brought together, in their order: each value has a number, its element's, and a stable sort of
 * these makes what goes to one element a segment (segment.c); x's own element is folded in front of it. What goes
 * nowhere is numbered behind the last element. Counter-example to a turn for each value of one element, in one pass
 * over all: as many passes as the most frequent index has values. */
#include "graph/sized.h"
#include "primitives/scatter.h"
#include <string.h>

typedef struct scattering {
    fsr_site at;
    fsr_operator op;
    fsr_indices g;
    fsr_shape shape; /* of x */
    fsr_node x[FSR_MAX_TUPLE], value[FSR_MAX_TUPLE];
} scattering;

static const char what[] = "scatter_with";

static void fill(fsr_node *out, int n, fsr_node poison) {
    for (int i = 0; i < n; i++)
        out[i] = poison;
}

/* Whether each index, counted from the end or not, is one of its axis. */
static fsr_node inside(const scattering *s) {
    const fsr_site at = s->at;
    fsr_node all = {0};
    for (int j = 0, next = 0; j < s->shape.ndim; j++) {
        if (!(s->g.axes >> j & 1))
            continue;
        const fsr_node i = s->g.index[next++], n = fsr_whole(at, i, s->shape.dim[j]);
        fsr_node one = fsr_logical_and_at(at, fsr_greater_equal_at(at, i, fsr_whole(at, i, -s->shape.dim[j])),
                                          fsr_less_at(at, i, n));
        all = next > 1 ? fsr_logical_and_at(at, all, one) : one;
    }
    return all;
}

/* Of each value the number of its element, in C order; that of none is the number of elements. One dimension. */
static fsr_node places(const scattering *s, const fsr_node *arrays, int n) {
    const fsr_site at = s->at;
    const int64_t size = fsr_shape_size(&s->shape);
    const fsr_dtype dtype = size < INT32_MAX ? FSR_I32 : FSR_I64;
    const fsr_index_mode mode = s->g.mode;
    fsr_node all = fsr_arange_at(at, s->x[0].graph, dtype, size);
    if (fsr_node_sound(all))
        all = fsr_reshape_at(at, all, s->shape.ndim, s->shape.dim);
    if (!fsr_node_sound(all))
        return all;
    fsr_node place = mode == FSR_INDEX_RAISE ? fsr_index_at(at, all, arrays, n, mode) : fsr_indexed(at, all, &s->g);
    if (mode == FSR_INDEX_RAISE || mode == FSR_INDEX_DROP)
        place = fsr_where_at(at, inside(s), place, fsr_whole(at, all, size));
    return fsr_node_sound(place) ? fsr_flatten(at, place) : place;
}

/* Of each element what goes there, folded in its order, one dimension; the identity where nothing does. */
static void gathered(const scattering *s, fsr_node place, fsr_node *out) {
    const fsr_site at = s->at;
    const int64_t size = fsr_shape_size(&s->shape);
    const fsr_node order = fsr_argsort_at(at, place, (int[]){0}, 1, 0);
    const fsr_node sorted = fsr_take_at(at, place, order, 0, FSR_INDEX_CLIP);
    const fsr_node each = fsr_arange_at(at, place.graph, fsr_node_dtype(place), size + 1);
    const fsr_node offsets = fsr_searchsorted_at(at, sorted, each, FSR_LEFT);
    for (int i = 0; i < s->op.arity; i++) {
        const fsr_node flat = fsr_flatten(at, fsr_stretch(at, s->value[i], &s->g.shape));
        out[i] = fsr_take_at(at, flat, order, 0, FSR_INDEX_CLIP);
    }
    fsr_segment_reduce_with_at(at, sizeof s->op, out, out, &s->op, offsets);
}

/* out[i]: x's elements, each folded with what goes there. A caller's operator may have dropped either. */
static void joined(const scattering *s, fsr_node *out) {
    const fsr_site at = s->at;
    const int arity = s->op.arity;
    fsr_node all[2 * FSR_MAX_TUPLE], poison;
    fsr_graph *graph;
    memcpy(all, s->x, sizeof *all * (size_t)arity);
    memcpy(all + arity, out, sizeof *all * (size_t)arity);
    if (fsr_poison_of(at, what, all, 2 * arity, &graph, &poison)) {
        fill(out, arity, poison);
        return;
    }
    for (int i = 0; i < arity; i++) {
        const fsr_node made = fsr_reshape_at(at, out[i], s->shape.ndim, s->shape.dim);
        out[i] = fsr_stack_at(at, (fsr_node[]){s->x[i], made}, 2, 0);
    }
    fsr_reduce_with_at(at, sizeof s->op, out, out, &s->op, (int[]){0}, 1, 0);
}

/* A caller's operator may have dropped what it is applied to. */
static bool is_there(const scattering *s, fsr_node *poison) {
    fsr_node all[2 * FSR_MAX_TUPLE + FSR_MAX_DIMS];
    fsr_graph *graph;
    const int arity = s->op.arity;
    memcpy(all, s->x, sizeof *all * (size_t)arity);
    memcpy(all + arity, s->value, sizeof *all * (size_t)arity);
    memcpy(all + 2 * arity, s->g.index, sizeof *all * (size_t)s->g.n);
    return !fsr_poison_of(s->at, what, all, 2 * arity + s->g.n, &graph, poison);
}

/* A state of one component, by what a store combines by. False: it is something else, or nothing that can be recorded;
 * then who folds says why. */
static bool stored(const scattering *s, fsr_node *out) {
    fsr_node poison;
    const fsr_dtype dtype = fsr_node_dtype(s->x[0]);
    if (fsr_dtype_is_inexact(dtype))
        return false;
    fsr_combine *combine = fsr_operator_record(s->x[0].graph, s->at, what, &s->op, &dtype, NULL, &poison);
    const fsr_op op = combine ? combine->op : FSR_OP_COUNT;
    fsr_combine_free(combine);
    return op != FSR_OP_COUNT && is_there(s, &poison) && fsr_scatter_known(s->at, op, s->x[0], s->value[0], &s->g, out);
}

/* The operator, as ours; false: out[0] alone has the poison, for there is no telling how many results there are. */
static bool operator_take(fsr_site at, size_t size, fsr_node *out, const fsr_node *x, const fsr_operator *theirs,
                          const fsr_node *values, fsr_operator *own) {
    fsr_graph *graph = x ? x[0].graph : values ? values[0].graph : NULL;
    *own = (fsr_operator){.body = NULL};
    const fsr_status status = theirs ? fsr_sized_in(own, sizeof *own, theirs, size) : FSR_ERR_NULL;
    if (status || !x || !values || !own->body)
        out[0] = fsr_poison(graph, at, status ? status : FSR_ERR_NULL, what, "the operator %s",
                            status && theirs ? fsr_sized_words(status) : "or its operands are null");
    else if (own->arity < 1 || own->arity >= FSR_MAX_TUPLE)
        out[0] = fsr_poison(graph, at, FSR_ERR_UNSUPPORTED, what, "the operator's arity %d is not 1 to %d", own->arity,
                            FSR_MAX_TUPLE - 1);
    else
        return true;
    return false;
}

/* The arrays and the indices. False: *poison. */
static bool operands_take(scattering *s, const fsr_node *arrays, int n, fsr_node *poison) {
    fsr_node all[2 * FSR_MAX_TUPLE + FSR_MAX_DIMS];
    fsr_graph *graph;
    int count = 0;
    for (int i = 0; i < s->op.arity; i++) {
        all[count++] = s->x[i];
        all[count++] = s->value[i];
    }
    for (int i = 0; arrays && i < n && n <= FSR_MAX_DIMS; i++)
        all[count++] = arrays[i];
    if (fsr_poison_of(s->at, what, all, count, &graph, poison))
        return false;
    for (int i = 0; i < s->op.arity; i++) {
        s->g = (fsr_indices){.what = what, .mode = s->g.mode};
        if (!fsr_indices_first(s->at, &s->x[i], arrays, n, FSR_INDEX_DROP, &s->g, poison))
            return false;
        const fsr_shape *shape = &fsr_node_rec(s->x[i])->shape;
        if (i == 0)
            s->shape = *shape;
        if (fsr_shape_equal(shape, &s->shape))
            continue;
        *poison = fsr_poison(graph, s->at, FSR_ERR_SHAPE, what, "the operands' shapes differ: %s and %s",
                             fsr_say(s->x[0]).text, fsr_say(s->x[i]).text);
        return false;
    }
    return true;
}

void fsr_scatter_with_at(fsr_site at, size_t size, fsr_node *out, const fsr_node *x, const fsr_operator *theirs,
                         const fsr_node *arrays, int n, const fsr_node *values, fsr_index_mode mode) {
    scattering s = {.at = at, .g = {.mode = mode}};
    fsr_node poison = {0};
    if (!out || !operator_take(at, size, out, x, theirs, values, &s.op))
        return;
    const int arity = s.op.arity;
    memcpy(s.x, x, sizeof *x * (size_t)arity);
    memcpy(s.value, values, sizeof *values * (size_t)arity);
    bool goes = operands_take(&s, arrays, n, &poison);
    for (int i = 0; i < arity && goes; i++)
        if (!fsr_scattered_take(at, s.x[i], &s.value[i], &s.g, &poison)) {
            goes = false;
            if (fsr_node_sound(poison)) { /* nothing goes anywhere */
                memcpy(out, s.x, sizeof *out * (size_t)arity);
                return;
            }
        }
    if (goes && arity == 1 && stored(&s, out))
        return;
    goes = goes && is_there(&s, &poison);
    const fsr_node place = goes ? places(&s, arrays, n) : poison;
    if (!fsr_node_sound(place)) {
        fill(out, arity, place);
        return;
    }
    gathered(&s, place, out);
    joined(&s, out);
}
