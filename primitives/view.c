/* SPDX-License-Identifier: MIT */
/* Views: index maps that copy nothing.
 *
 * Everything but a true reshape is AFFINE (see fsr_view): broadcast, transpose, flip, slice, inserted and dropped
 * axes. A reshape that only inserts or drops axes of extent 1 is AFFINE too, so that x[:, None] never hides a strided
 * access behind a flat index. Views are not merged here: fusion does that. */
#include "primitives/live.h"

static fsr_node view_node(fsr_site at, fsr_node x, const fsr_shape *shape, const fsr_view *view) {
    fsr_node handle;
    const fsr_type type = {*shape, 1, {fsr_node_dtype(x)}};
    fsr_rec *rec = fsr_graph_add(x.graph, at, "view", FSR_NODE_VIEW, &type, &handle);
    if (!rec)
        return handle;
    rec->view = *view;
    rec->nargs = 1;
    rec->arg[0] = (fsr_ref){x.id, x.output};
    return handle;
}

/* The map that reads dimension j of a source from dimension j + shift of the result. */
static fsr_view shifted(int ndim, int shift) {
    fsr_view view = {.kind = FSR_VIEW_AFFINE};
    for (int j = 0; j < ndim; j++) {
        view.from[j] = (int8_t)(j + shift);
        view.step[j] = 1;
    }
    return view;
}

fsr_node fsr_alias(fsr_site at, fsr_node x) {
    const fsr_rec *rec = fsr_node_sound(x);
    const fsr_view view = shifted(rec ? rec->shape.ndim : 0, 0);
    return rec ? view_node(at, x, &rec->shape, &view) : x;
}

fsr_node fsr_stretch(fsr_site at, fsr_node x, const fsr_shape *shape) {
    const fsr_rec *rec = fsr_node_sound(x);
    if (!rec || fsr_shape_equal(&rec->shape, shape))
        return x;
    int shift = shape->ndim - rec->shape.ndim;
    fsr_view view = shifted(rec->shape.ndim, shift);
    for (int j = 0; j < rec->shape.ndim; j++)
        if (rec->shape.dim[j] == 1 && shape->dim[j + shift] != 1) {
            view.from[j] = -1;
            view.step[j] = 0;
        }
    return view_node(at, x, shape, &view);
}

/* Matches the axes of extent other than 1 in order; the shapes differ only in ones. */
static fsr_node regroup(fsr_site at, fsr_node x, const fsr_shape *shape) {
    const fsr_shape *from = &fsr_node_rec(x)->shape;
    fsr_view view = {.kind = FSR_VIEW_AFFINE};
    for (int j = 0, i = 0; j < from->ndim; j++) {
        view.from[j] = -1;
        if (from->dim[j] == 1)
            continue;
        while (shape->dim[i] == 1)
            i++;
        view.from[j] = (int8_t)i++;
        view.step[j] = 1;
    }
    return view_node(at, x, shape, &view);
}

static fsr_node reshape_to(fsr_site at, fsr_node x, const fsr_shape *shape) {
    const fsr_rec *rec = fsr_node_rec(x);
    if (fsr_shape_equal(&rec->shape, shape))
        return x;
    if (fsr_shape_same_but_ones(&rec->shape, shape))
        return regroup(at, x, shape);
    return view_node(at, x, shape, &(fsr_view){.kind = FSR_VIEW_RESHAPE});
}

fsr_node fsr_flatten(fsr_site at, fsr_node x) {
    const fsr_rec *rec = fsr_node_sound(x);
    return rec ? reshape_to(at, x, &(fsr_shape){1, {fsr_shape_size(&rec->shape)}}) : x;
}

fsr_node fsr_drop_axes(fsr_site at, fsr_node x, uint32_t mask) {
    const fsr_rec *rec = fsr_node_sound(x);
    if (!rec || !mask)
        return x;
    fsr_shape shape = {0};
    fsr_view view = {.kind = FSR_VIEW_AFFINE};
    for (int j = 0; j < rec->shape.ndim; j++) {
        view.from[j] = -1;
        if (mask >> j & 1)
            continue;
        view.from[j] = (int8_t)shape.ndim;
        view.step[j] = 1;
        shape.dim[shape.ndim++] = rec->shape.dim[j];
    }
    return view_node(at, x, &shape, &view);
}

/* Operand of a view: checked, and not weak. */
static bool view_take(fsr_site at, const char *what, fsr_node *x, fsr_node *poison) {
    fsr_graph *g;
    if (fsr_poison_of(at, what, x, 1, &g, poison))
        return false;
    *x = fsr_strong(at, *x);
    *poison = *x;
    return fsr_node_sound(*x) != NULL;
}

/* Puts the extent for -1 into dims; false if there is none or more than one. */
static bool infer(fsr_site at, fsr_node x, int ndim, int64_t *dims, fsr_node *poison) {
    int hole = -1;
    fsr_shape rest = {.ndim = ndim};
    for (int i = 0; i < ndim; i++) {
        rest.dim[i] = dims[i] == -1 ? 1 : dims[i];
        if (dims[i] != -1)
            continue;
        if (hole >= 0) {
            *poison = fsr_poison(x.graph, at, FSR_ERR_SHAPE, "reshape", "more than one new extent of %s is -1",
                                 fsr_say(x).text);
            return false;
        }
        hole = i;
    }
    if (hole < 0)
        return true;
    int64_t known = fsr_shape_size(&rest), size = fsr_node_size(x);
    if (known < 0)
        return true;
    if (known == 0 || size % known != 0) {
        *poison =
            fsr_poison(x.graph, at, FSR_ERR_SHAPE, "reshape", "%s has no extent that fits the -1", fsr_say(x).text);
        return false;
    }
    dims[hole] = size / known;
    return true;
}

fsr_node fsr_reshape_at(fsr_site at, fsr_node x, int ndim, const int64_t *shape) {
    fsr_node poison;
    fsr_shape to;
    int64_t dims[FSR_MAX_DIMS] = {0};
    if (!view_take(at, "reshape", &x, &poison))
        return poison;
    bool usable = ndim > 0 && ndim <= FSR_MAX_DIMS && shape;
    for (int i = 0; usable && i < ndim; i++)
        dims[i] = shape[i];
    if (usable && !infer(at, x, ndim, dims, &poison))
        return poison;
    if (!fsr_shape_take(x.graph, at, "reshape", fsr_node_dtype(x), ndim, shape ? dims : NULL, &to, &poison))
        return poison;
    if (fsr_shape_size(&to) != fsr_node_size(x))
        return fsr_poison(x.graph, at, FSR_ERR_SHAPE, "reshape", "%s does not have the elements of %s", fsr_say(x).text,
                          fsr_say_shape(&to).text);
    return reshape_to(at, x, &to);
}

fsr_node fsr_transpose_at(fsr_site at, fsr_node x, const int *perm) {
    fsr_node poison;
    if (!view_take(at, "transpose", &x, &poison))
        return poison;
    const fsr_rec *rec = fsr_node_rec(x);
    fsr_shape shape = {.ndim = rec->shape.ndim};
    fsr_view view = {.kind = FSR_VIEW_AFFINE};
    uint32_t seen = 0;
    bool same = true;
    for (int i = 0; i < shape.ndim; i++) {
        int j = perm ? perm[i] : shape.ndim - 1 - i;
        if (!fsr_axis_take(x, at, "transpose", shape.ndim, &j, &poison))
            return poison;
        if (seen >> j & 1)
            return fsr_poison(x.graph, at, FSR_ERR_AXIS, "transpose", "axis %d of %s is named twice", j,
                              fsr_say(x).text);
        seen |= 1u << j;
        shape.dim[i] = rec->shape.dim[j];
        view.from[j] = (int8_t)i;
        view.step[j] = 1;
        same = same && i == j;
    }
    return same ? x : view_node(at, x, &shape, &view);
}

fsr_node fsr_broadcast_to_at(fsr_site at, fsr_node x, int ndim, const int64_t *shape) {
    fsr_node poison;
    fsr_shape to, both;
    if (!view_take(at, "broadcast_to", &x, &poison))
        return poison;
    if (!fsr_shape_take(x.graph, at, "broadcast_to", fsr_node_dtype(x), ndim, shape, &to, &poison))
        return poison;
    if (!fsr_shape_broadcast(&fsr_node_rec(x)->shape, &to, &both) || !fsr_shape_equal(&both, &to))
        return fsr_poison(x.graph, at, FSR_ERR_SHAPE, "broadcast_to", "%s does not broadcast to %s", fsr_say(x).text,
                          fsr_say_shape(&to).text);
    return fsr_stretch(at, x, &to);
}

fsr_node fsr_expand_at(fsr_site at, fsr_node x, int axis) {
    fsr_node poison;
    if (!view_take(at, "expand", &x, &poison))
        return poison;
    fsr_shape shape = fsr_node_rec(x)->shape;
    if (shape.ndim == FSR_MAX_DIMS)
        return fsr_poison(x.graph, at, FSR_ERR_SHAPE, "expand", "%s already has %d dimensions", fsr_say(x).text,
                          FSR_MAX_DIMS);
    if (!fsr_axis_take(x, at, "expand", shape.ndim + 1, &axis, &poison))
        return poison;
    fsr_view view = shifted(shape.ndim, 0);
    for (int j = shape.ndim - 1; j >= axis; j--) {
        view.from[j]++;
        shape.dim[j + 1] = shape.dim[j];
    }
    shape.dim[axis] = 1;
    shape.ndim++;
    return view_node(at, x, &shape, &view);
}

fsr_node fsr_squeeze_at(fsr_site at, fsr_node x, int axis) {
    fsr_node poison;
    if (!view_take(at, "squeeze", &x, &poison))
        return poison;
    const fsr_shape *shape = &fsr_node_rec(x)->shape;
    if (!fsr_axis_take(x, at, "squeeze", shape->ndim, &axis, &poison))
        return poison;
    if (shape->dim[axis] != 1)
        return fsr_poison(x.graph, at, FSR_ERR_SHAPE, "squeeze", "axis %d of %s does not have extent 1", axis,
                          fsr_say(x).text);
    return fsr_drop_axes(at, x, 1u << axis);
}

/* Two axes of the source move along one of the result, its last. */
fsr_node fsr_diagonal_at(fsr_site at, fsr_node x, int64_t k, int axis1, int axis2) {
    fsr_node poison;
    if (!view_take(at, "diagonal", &x, &poison))
        return poison;
    const fsr_shape from = fsr_node_rec(x)->shape;
    if (from.ndim < 2)
        return fsr_poison(x.graph, at, FSR_ERR_SHAPE, "diagonal", "%s has less than two dimensions", fsr_say(x).text);
    if (!fsr_axis_take(x, at, "diagonal", from.ndim, &axis1, &poison) ||
        !fsr_axis_take(x, at, "diagonal", from.ndim, &axis2, &poison))
        return poison;
    if (axis1 == axis2)
        return fsr_poison(x.graph, at, FSR_ERR_AXIS, "diagonal", "axis %d of %s is named twice", axis1,
                          fsr_say(x).text);
    const int64_t rows = from.dim[axis1], cols = from.dim[axis2];
    const int64_t down = k >= 0 ? 0 : k < -rows ? rows : -k, right = k <= 0 ? 0 : k > cols ? cols : k;
    const int64_t n = rows - down < cols - right ? rows - down : cols - right;
    fsr_shape shape = {.ndim = from.ndim - 1};
    fsr_view view = shifted(from.ndim, 0);
    for (int j = 0, i = 0; j < from.ndim; j++) {
        const bool moves = j == axis1 || j == axis2;
        view.from[j] = (int8_t)(moves ? shape.ndim - 1 : i);
        if (!moves)
            shape.dim[i++] = from.dim[j];
    }
    shape.dim[shape.ndim - 1] = n;
    view.start[axis1] = n > 0 ? down : 0;
    view.start[axis2] = n > 0 ? right : 0;
    return view_node(at, x, &shape, &view);
}

fsr_node fsr_trace_at(fsr_site at, fsr_node x, int64_t k, int axis1, int axis2) {
    const int last = -1;
    return fsr_sum_at(at, fsr_diagonal_at(at, x, k, axis1, axis2), &last, 1, 0);
}

/* A limit as Python's slice.indices has it: negative ones count from the end, then clipped to [low, high]. */
static int64_t limit(int64_t value, int64_t omitted, int64_t extent, int64_t low, int64_t high) {
    if (value == FSR_SLICE_END)
        return omitted;
    if (value < 0)
        value += extent;
    return value < low ? low : value > high ? high : value;
}

/* Number of elements of start, start + step, ... before stop. Unsigned: step may be the least integer. */
static int64_t slice_count(int64_t start, int64_t stop, int64_t step) {
    if (step > 0)
        return start < stop ? (stop - start - 1) / step + 1 : 0;
    return stop < start ? (int64_t)((uint64_t)(start - stop - 1) / (0 - (uint64_t)step)) + 1 : 0;
}

static fsr_node slice(fsr_site at, const char *what, fsr_node x, int axis, int64_t start, int64_t stop, int64_t step) {
    fsr_node poison;
    const bool live = fsr_node_is_live(x);
    if (!live && !view_take(at, what, &x, &poison))
        return poison;
    fsr_shape shape = fsr_node_rec(x)->shape;
    if (!fsr_axis_take(x, at, what, shape.ndim, &axis, &poison))
        return poison;
    if (step == 0)
        return fsr_poison(x.graph, at, FSR_ERR_VALUE, what, "the step is 0 (of %s)", fsr_say(x).text);
    if (live)
        return fsr_live_slice(at, x, start, stop, step);
    int64_t extent = shape.dim[axis];
    int64_t low = step > 0 ? 0 : -1, high = step > 0 ? extent : extent - 1;
    start = limit(start, step > 0 ? low : high, extent, low, high);
    stop = limit(stop, step > 0 ? high : low, extent, low, high);
    int64_t count = slice_count(start, stop, step);
    if (count == extent && step == 1)
        return x;
    fsr_view view = shifted(shape.ndim, 0);
    view.start[axis] = count > 0 ? start : 0;
    view.step[axis] = count > 1 ? step : 1;
    shape.dim[axis] = count;
    return view_node(at, x, &shape, &view);
}

fsr_node fsr_slice_at(fsr_site at, fsr_node x, int axis, int64_t start, int64_t stop, int64_t step) {
    return slice(at, "slice", x, axis, start, stop, step);
}

fsr_node fsr_flip_at(fsr_site at, fsr_node x, int axis) {
    return slice(at, "flip", x, axis, FSR_SLICE_END, FSR_SLICE_END, -1);
}
