/* SPDX-License-Identifier: MIT */
/* Padding: a constant is a section of a constant array; the other modes are the array beside slices of itself.
 *
 * Along an axis of n elements, position i of the result shows element f(i - before), f having a period: n (wrap), 2n
 * (symmetric) or 2n - 2 (reflect), and each period at most two runs, one forwards and one backwards. So the result is a
 * concatenation of slices, one for each run that it touches. Axes follow one another, as in NumPy: the corners are what
 * the later axis makes of what the earlier one made. */
#include "graph/floats.h"
#include "primitives/primitives.h"

enum { MOST_PIECES = 64 };

static fsr_node constant(fsr_site at, fsr_node x, const int64_t (*width)[2], const fsr_shape *whole, double value) {
    const fsr_shape *shape = &fsr_node_rec(x)->shape;
    fsr_view view = {.kind = FSR_VIEW_AFFINE};
    fsr_node base = fsr_full_at(at, x.graph, fsr_node_dtype(x), whole->ndim, whole->dim, value);
    for (int j = 0; j < shape->ndim; j++) {
        view.from[j] = (int8_t)j;
        view.start[j] = width[j][0];
        view.step[j] = 1;
    }
    if (!fsr_node_sound(base) || fsr_shape_size(shape) == 0)
        return base;
    return fsr_paste(at, base, &view, x);
}

/* The first or last slice along axis, n times. */
static fsr_node edge(fsr_site at, fsr_node x, int axis, bool last, int64_t n) {
    fsr_shape shape = fsr_node_rec(x)->shape;
    int64_t start = last ? shape.dim[axis] - 1 : 0;
    fsr_node slice = fsr_slice_at(at, x, axis, start, start + 1, 1);
    shape.dim[axis] = n;
    return fsr_node_sound(slice) ? fsr_stretch(at, slice, &shape) : slice;
}

static fsr_node pad_edge(fsr_site at, fsr_node x, int axis, const int64_t *width) {
    fsr_node piece[3] = {edge(at, x, axis, false, width[0]), x, edge(at, x, axis, true, width[1])};
    for (int i = 0; i < 3; i++)
        if (!fsr_node_sound(piece[i]))
            return piece[i];
    return fsr_join(at, piece, 3, axis);
}

/* The run of elements that begins at position `at`, counted from the array's first one: its first element, its
 * direction, and how many elements it has. Half a period goes forwards, with reflect to the last element but one, and
 * half backwards; a period itself may be more than 64 bits hold. */
static int64_t run_at(fsr_pad mode, int64_t n, int64_t at, int64_t *first, int64_t *step) {
    int64_t half = mode == FSR_PAD_REFLECT ? n - 1 : n, place = at % half;
    int64_t halves = at / half - (place < 0);
    place += place < 0 ? half : 0;
    bool back = mode != FSR_PAD_WRAP && (halves & 1);
    bool peak = back && mode == FSR_PAD_REFLECT && place == 0;
    *step = back && !peak ? -1 : 1;
    *first = back ? n - 1 - place : place;
    return peak ? 1 : back ? half - place : n - place;
}

static fsr_node pad_runs(fsr_site at, fsr_node x, int axis, const int64_t *width, fsr_pad mode) {
    fsr_node piece[MOST_PIECES];
    int64_t n = fsr_node_dim(x, axis), end = n + width[1], first, step;
    int pieces = 0;
    for (int64_t i = -width[0]; i < end;) {
        int64_t count = run_at(mode, n, i, &first, &step);
        count = count < end - i ? count : end - i;
        if (pieces == MOST_PIECES)
            return fsr_poison(x.graph, at, FSR_ERR_UNSUPPORTED, "pad",
                              "axis %d of %s would be repeated more than %d times", axis, fsr_say(x).text, MOST_PIECES);
        int64_t stop = first + step * count;
        piece[pieces] = fsr_slice_at(at, x, axis, first, stop < 0 ? FSR_SLICE_END : stop, step);
        if (!fsr_node_sound(piece[pieces]))
            return piece[pieces];
        pieces++;
        i += count;
    }
    return fsr_join(at, piece, pieces, axis);
}

static fsr_node pad_axis(fsr_site at, fsr_node x, int axis, const int64_t *width, fsr_pad mode) {
    if (width[0] == 0 && width[1] == 0)
        return x;
    if (fsr_node_dim(x, axis) == 0)
        return fsr_poison(x.graph, at, FSR_ERR_VALUE, "pad", "axis %d of %s has nothing to extend it with", axis,
                          fsr_say(x).text);
    bool one = mode == FSR_PAD_REFLECT && fsr_node_dim(x, axis) == 1;
    return mode == FSR_PAD_EDGE || one ? pad_edge(at, x, axis, width) : pad_runs(at, x, axis, width, mode);
}

static bool widths_take(fsr_site at, fsr_node x, const int64_t (*width)[2], fsr_shape *whole, fsr_node *poison) {
    *whole = fsr_node_rec(x)->shape;
    if (!width && whole->ndim > 0) {
        *poison = fsr_poison(x.graph, at, FSR_ERR_NULL, "pad", "the widths of %s are null", fsr_say(x).text);
        return false;
    }
    for (int j = 0; j < whole->ndim; j++) {
        if (width[j][0] < 0 || width[j][1] < 0) {
            *poison = fsr_poison(x.graph, at, FSR_ERR_VALUE, "pad", "a negative width along axis %d of %s", j,
                                 fsr_say(x).text);
            return false;
        }
        whole->dim[j] = fsr_size_add(fsr_size_add(whole->dim[j], width[j][0]), width[j][1]);
    }
    fsr_shape out;
    return fsr_shape_take(x.graph, at, "pad", fsr_node_dtype(x), whole->ndim, whole->dim, &out, poison);
}

fsr_node fsr_pad_at(fsr_site at, fsr_node x, const int64_t (*width)[2], fsr_pad mode, double value) {
    FSR_DEFAULT_FLOATS;
    fsr_node poison;
    fsr_graph *g;
    fsr_shape whole;
    if (fsr_poison_of(at, "pad", &x, 1, &g, &poison))
        return poison;
    x = fsr_strong(at, x);
    if (!fsr_node_sound(x))
        return x;
    if ((unsigned)mode > FSR_PAD_WRAP)
        return fsr_poison(g, at, FSR_ERR_VALUE, "pad", "%d is no mode", (int)mode);
    if (!widths_take(at, x, width, &whole, &poison))
        return poison;
    if (fsr_shape_equal(&whole, &fsr_node_rec(x)->shape))
        return x;
    if (mode == FSR_PAD_CONSTANT)
        return constant(at, x, width, &whole, value);
    for (int axis = 0; axis < whole.ndim && fsr_node_sound(x); axis++)
        x = pad_axis(at, x, axis, width[axis], mode);
    return x;
}
