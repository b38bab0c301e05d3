/* SPDX-License-Identifier: MIT */
/* Arrays side by side: concat, stack, split, roll.
 *
 * A concatenation is a chain of pastes onto a constant: in a kernel each piece is a load under the guard of its own
 * box, so every input is read once and every element written once, and what makes a piece fuses into it.
 * Where one has a length that only the device knows, each is written behind those before it, over what of these lies
 * behind their lengths.
 * roll is the concatenation of an array's two halves the other way round. */
#include "primitives/live.h"
#include <stdlib.h>

enum { WIDE = 32 }; /* arrays of a chain of pastes */

static fsr_view block(int ndim, int axis, int64_t start) {
    fsr_view view = {.kind = FSR_VIEW_AFFINE};
    for (int j = 0; j < ndim; j++) {
        view.from[j] = (int8_t)j;
        view.step[j] = 1;
    }
    view.start[axis] = start;
    return view;
}

/* A constant of zeros, of any shape. */
static fsr_node blank(fsr_graph *g, fsr_site at, fsr_dtype dtype, const fsr_shape *shape) {
    return fsr_stretch(at, fsr_literal(g, at, dtype, fsr_value_from_int(dtype, 0), false), shape);
}

/* A chain of pastes, one for each array. */
static fsr_node join_few(fsr_site at, const fsr_node *x, int n, int axis, fsr_dtype dtype) {
    fsr_shape shape = fsr_node_rec(x[0])->shape;
    int64_t start = 0;
    shape.dim[axis] = 0;
    for (int i = 0; i < n; i++)
        shape.dim[axis] += fsr_node_dim(x[i], axis);
    fsr_node whole = blank(x[0].graph, at, dtype, &shape);
    for (int i = 0; i < n && fsr_node_sound(whole); i++) {
        fsr_node part = fsr_convert(at, x[i], dtype, false);
        int64_t extent = fsr_node_dim(part, axis);
        if (!fsr_node_sound(part))
            return part;
        fsr_view view = block(shape.ndim, axis, start);
        if (extent == shape.dim[axis])
            return part;
        if (extent > 0 && fsr_shape_size(&shape) > 0)
            whole = fsr_paste(at, whole, &view, part);
        start += extent;
    }
    return whole;
}

/* Arrays that one kernel may read are joined first, and then what that gives. */
fsr_node fsr_join(fsr_site at, const fsr_node *x, int n, int axis) {
    const fsr_dtype dtype = fsr_common_dtype(x, n);
    if (n <= WIDE)
        return join_few(at, x, n, axis, dtype);
    const int few = (n + WIDE - 1) / WIDE;
    fsr_node *part = malloc((size_t)few * sizeof *part);
    if (!part)
        return fsr_graph_no_memory(x[0].graph);
    int good = 0;
    for (; good < few; good++) {
        const int first = good * WIDE, count = n - first < WIDE ? n - first : WIDE;
        part[good] = join_few(at, x + first, count, axis, dtype);
        if (!fsr_node_sound(part[good]))
            break;
    }
    fsr_node out = good < few ? part[good] : join_few(at, part, few, axis, dtype);
    free(part);
    return out;
}

/* At least one array, all of them sound. None at all: there is no graph to say it in. */
static bool list_take(fsr_site at, const char *what, const fsr_node *x, int n, fsr_node *poison) {
    fsr_graph *g;
    *poison = (fsr_node){0};
    return n >= 1 && x && !fsr_poison_of_any(at, what, x, n, &g, poison);
}

/* None of them has a length that only the device knows. */
static bool plain_take(fsr_site at, const char *what, const fsr_node *x, int n, fsr_node *poison) {
    fsr_graph *g;
    return list_take(at, what, x, n, poison) && !fsr_poison_of(at, what, x, n, &g, poison);
}

static bool same_but(fsr_site at, const char *what, const fsr_node *x, int n, int axis, fsr_node *poison) {
    const fsr_shape *first = &fsr_node_rec(x[0])->shape;
    int64_t total = 0;
    for (int i = 0; i < n; i++) {
        const fsr_shape *shape = &fsr_node_rec(x[i])->shape;
        bool fits = shape->ndim == first->ndim;
        for (int d = 0; fits && d < shape->ndim; d++)
            fits = d == axis || shape->dim[d] == first->dim[d];
        if (!fits) {
            *poison =
                fsr_poison(x[0].graph, at, FSR_ERR_SHAPE, what,
                           axis < 0 ? "%s and %s have different shapes" : "%s and %s differ beside the axis joined",
                           fsr_say(x[0]).text, fsr_say(x[i]).text);
            return false;
        }
        total = axis < 0 ? 0 : fsr_size_add(total, shape->dim[axis]);
    }
    fsr_shape whole = *first, out;
    if (axis >= 0)
        whole.dim[axis] = total;
    return fsr_shape_take(x[0].graph, at, what, fsr_node_dtype(x[0]), whole.ndim, whole.dim, &out, poison);
}

/* Of one dimension, one of which has a length. */
static fsr_node live_join(fsr_site at, const fsr_node *x, int n) {
    fsr_shape shape = {1, {0}};
    const fsr_dtype dtype = fsr_common_dtype(x, n);
    fsr_node start = fsr_i64(at, x[0], 0);
    for (int i = 0; i < n; i++)
        shape.dim[0] += fsr_node_dim(x[i], 0);
    fsr_node whole = blank(x[0].graph, at, dtype, &shape);
    for (int i = 0; i < n && fsr_node_sound(whole) && fsr_node_sound(start); i++) {
        const fsr_length *own = fsr_node_length(x[i]);
        const fsr_length length = own ? *own : (fsr_length){.origin = 0};
        const fsr_node part = fsr_without_length(at, fsr_convert(at, x[i], dtype, false));
        if (fsr_node_dim(x[i], 0) > 0)
            whole = fsr_dynamic_update_at(at, whole, part, &start);
        start = fsr_add_at(at, start, fsr_there(at, x[i], &length));
    }
    if (!fsr_node_sound(whole) || !fsr_node_sound(start))
        return fsr_node_sound(whole) ? start : whole;
    const fsr_length length = fsr_length_of(at, start, FSR_COUNTS_ITSELF, start, shape.dim[0]);
    return fsr_with_length(fsr_alias(at, whole), &length);
}

fsr_node fsr_concat_at(fsr_site at, const fsr_node *x, int n, int axis) {
    fsr_node poison;
    if (!list_take(at, "concat", x, n, &poison))
        return poison;
    if (!fsr_axis_take(x[0], at, "concat", fsr_node_ndim(x[0]), &axis, &poison) ||
        !same_but(at, "concat", x, n, axis, &poison))
        return poison;
    return fsr_any_live(x, n) ? live_join(at, x, n) : fsr_join(at, x, n, axis);
}

fsr_node fsr_stack_at(fsr_site at, const fsr_node *x, int n, int axis) {
    fsr_node poison;
    if (!plain_take(at, "stack", x, n, &poison))
        return poison;
    if (!same_but(at, "stack", x, n, -1, &poison))
        return poison;
    if (!fsr_axis_take(x[0], at, "stack", fsr_node_ndim(x[0]) + 1, &axis, &poison))
        return poison;
    fsr_node *rows = malloc((size_t)n * sizeof *rows);
    if (!rows)
        return fsr_graph_no_memory(x[0].graph);
    int good = 0;
    for (; good < n; good++) {
        rows[good] = fsr_expand_at(at, x[good], axis);
        if (!fsr_node_sound(rows[good]))
            break;
    }
    fsr_node out = good < n ? rows[good] : fsr_join(at, rows, n, axis);
    free(rows);
    return out;
}

/* ---- split ---------------------------------------------------------------------------------------- */

static void all_are(fsr_node *out, int n, fsr_node x) {
    for (int i = 0; out && i < n; i++)
        out[i] = x;
}

void fsr_split_at(fsr_site at, fsr_node *out, fsr_node x, int parts, int axis) {
    fsr_node poison;
    fsr_graph *g;
    if (fsr_poison_of(at, "split", &x, 1, &g, &poison) ||
        !fsr_axis_take(x, at, "split", fsr_node_ndim(x), &axis, &poison)) {
        all_are(out, parts, poison);
        return;
    }
    int64_t extent = fsr_node_dim(x, axis);
    if (parts < 1 || extent % parts != 0) {
        all_are(out, parts,
                fsr_poison(g, at, FSR_ERR_VALUE, "split", "axis %d of %s does not divide into %d equal parts", axis,
                           fsr_say(x).text, parts));
        return;
    }
    int64_t each = extent / parts;
    for (int i = 0; out && i < parts; i++)
        out[i] = fsr_slice_at(at, x, axis, i * each, (i + 1) * each, 1);
}

void fsr_split_indices_at(fsr_site at, fsr_node *out, fsr_node x, const int64_t *indices, int n, int axis) {
    fsr_node poison;
    fsr_graph *g;
    if (fsr_poison_of(at, "split_indices", &x, 1, &g, &poison) ||
        !fsr_axis_take(x, at, "split_indices", fsr_node_ndim(x), &axis, &poison)) {
        all_are(out, n + 1, poison);
        return;
    }
    if (n < 0 || (n > 0 && !indices)) {
        all_are(out, n < 0 ? 0 : n + 1, fsr_poison(g, at, FSR_ERR_NULL, "split_indices", "the indices are null"));
        return;
    }
    for (int i = 0; out && i <= n; i++)
        out[i] = fsr_slice_at(at, x, axis, i == 0 ? 0 : indices[i - 1], i == n ? FSR_SLICE_END : indices[i], 1);
}

/* ---- roll ----------------------------------------------------------------------------------------- */

/* Elements move towards higher indices by shift, in [0, extent). */
static fsr_node roll_axis(fsr_site at, fsr_node x, int axis, int64_t shift) {
    int64_t extent = fsr_node_dim(x, axis);
    if (shift == 0 || !fsr_node_sound(x))
        return x;
    fsr_node halves[2] = {fsr_slice_at(at, x, axis, extent - shift, FSR_SLICE_END, 1),
                          fsr_slice_at(at, x, axis, 0, extent - shift, 1)};
    for (int i = 0; i < 2; i++)
        if (!fsr_node_sound(halves[i]))
            return halves[i];
    return fsr_join(at, halves, 2, axis);
}

/* (a + b) modulo n; shifts may be any integers. */
static int64_t add_modulo(int64_t a, int64_t b, int64_t n) {
    if (n <= 0)
        return 0;
    a %= n;
    b %= n;
    int64_t sum = (a < 0 ? a + n : a) - n + (b < 0 ? b + n : b);
    return sum < 0 ? sum + n : sum;
}

static fsr_node roll_flat(fsr_site at, fsr_node x, const int64_t *shift, int n) {
    fsr_shape shape = fsr_node_rec(x)->shape;
    int64_t sum = 0;
    for (int i = 0; i < n; i++)
        sum = add_modulo(sum, shift[i], fsr_shape_size(&shape));
    if (sum == 0)
        return x;
    fsr_node flat = roll_axis(at, fsr_flatten(at, x), 0, sum);
    return fsr_node_sound(flat) ? fsr_reshape_at(at, flat, shape.ndim, shape.dim) : flat;
}

fsr_node fsr_roll_at(fsr_site at, fsr_node x, const int64_t *shift, const int *axes, int n) {
    fsr_node poison;
    fsr_graph *g;
    int64_t sum[FSR_MAX_DIMS] = {0};
    if (fsr_poison_of(at, "roll", &x, 1, &g, &poison))
        return poison;
    x = fsr_strong(at, x);
    if (!fsr_node_sound(x))
        return x;
    if (n < 0 || (n > 0 && !shift))
        return fsr_poison(g, at, FSR_ERR_NULL, "roll", "the shifts of %s are null", fsr_say(x).text);
    if (!axes)
        return roll_flat(at, x, shift, n);
    for (int i = 0; i < n; i++) {
        int axis = axes[i];
        if (!fsr_axis_take(x, at, "roll", fsr_node_ndim(x), &axis, &poison))
            return poison;
        sum[axis] = add_modulo(sum[axis], shift[i], fsr_node_dim(x, axis));
    }
    for (int axis = 0; fsr_node_sound(x) && axis < fsr_node_ndim(x); axis++)
        x = roll_axis(at, x, axis, sum[axis]);
    return x;
}
