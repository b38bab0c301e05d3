/* SPDX-License-Identifier: MIT */
/* Neighbours weighted and summed: convolve, correlate, gradient, ediff1d.
 *
 * A convolution with a short kernel is a sum of shifted products, one a tap. Each is padded after it is multiplied: in
 * a kernel its elements are evaluated under the guard of their own range, so the whole is one pass over the longer
 * array. Counter-example to padding the array first: an infinite tap times the zeros around it would be NaN at the
 * ends. */
#include "graph/floats.h"
#include "primitives/primitives.h"

enum { MOST_TAPS = 64 };

/* One dimension, not weak, with an element. */
static bool sequence_take(fsr_site at, const char *what, fsr_node *x, fsr_node *poison) {
    *poison = *x = fsr_strong(at, *x);
    if (!fsr_node_sound(*x))
        return false;
    if (fsr_node_ndim(*x) == 0)
        *x = fsr_flatten(at, *x);
    if (fsr_node_ndim(*x) != 1)
        *poison = fsr_poison(x->graph, at, FSR_ERR_SHAPE, what, "%s is not of one dimension", fsr_say(*x).text);
    else if (fsr_node_size(*x) == 0)
        *poison = fsr_poison(x->graph, at, FSR_ERR_EMPTY, what, "%s has no element", fsr_say(*x).text);
    else
        return fsr_node_sound(*x) != NULL;
    return false;
}

/* What one tap, the kernel's element k, adds: the array shifted so that element j of the result sees j - lead + k. */
static fsr_node tap(fsr_site at, fsr_node array, fsr_node kernel, int64_t k, int64_t lead, int64_t length) {
    const int64_t n = fsr_node_size(array), shift = k - lead;
    const int64_t from = shift < 0 ? -shift : 0, to = n - shift < length ? n - shift : length;
    fsr_node seen = fsr_slice_at(at, array, 0, from + shift, to + shift, 1);
    fsr_node term = fsr_mul_at(at, seen, fsr_slice_at(at, kernel, 0, k, k + 1, 1));
    if (from == 0 && to == length)
        return term;
    return fsr_pad_at(at, term, (const int64_t[][2]){{from, length - to}}, FSR_PAD_CONSTANT, 0);
}

/* The kernel slides along the array, which is no shorter. */
static fsr_node slide(fsr_site at, const char *what, fsr_node array, fsr_node kernel, fsr_overlap overlap) {
    const int64_t n = fsr_node_size(array), m = fsr_node_size(kernel);
    const int64_t before = overlap == FSR_FULL ? 0 : overlap == FSR_SAME ? (m - 1) / 2 : m - 1;
    const int64_t length = overlap == FSR_FULL ? n + m - 1 : overlap == FSR_SAME ? n : n - m + 1;
    fsr_node sum = {0};
    if (m > MOST_TAPS)
        return fsr_poison(array.graph, at, FSR_ERR_UNSUPPORTED, what,
                          "%s and %s: the shorter has more than %d elements; by a Fourier transform more are possible",
                          fsr_say(array).text, fsr_say(kernel).text, MOST_TAPS);
    for (int64_t k = 0; k < m; k++) {
        fsr_node term = tap(at, array, kernel, k, m - 1 - before, length);
        sum = k ? fsr_add_at(at, sum, term) : term;
    }
    return sum;
}

/* Both sequences, and the overlap. */
static bool pair_take(fsr_site at, const char *what, fsr_node *x, fsr_overlap overlap, fsr_node *poison) {
    fsr_graph *g;
    if (fsr_poison_of(at, what, x, 2, &g, poison))
        return false;
    if ((unsigned)overlap > FSR_VALID) {
        *poison = fsr_poison(g, at, FSR_ERR_VALUE, what, "%d is no overlap (for %s)", (int)overlap, fsr_say(x[0]).text);
        return false;
    }
    return sequence_take(at, what, &x[0], poison) && sequence_take(at, what, &x[1], poison);
}

fsr_node fsr_convolve_at(fsr_site at, fsr_node a, fsr_node v, fsr_overlap overlap) {
    FSR_DEFAULT_FLOATS;
    fsr_node poison, x[] = {a, v};
    if (!pair_take(at, "convolve", x, overlap, &poison))
        return poison;
    const int kernel = fsr_node_size(x[1]) <= fsr_node_size(x[0]);
    return slide(at, "convolve", x[!kernel], fsr_flip_at(at, x[kernel], 0), overlap);
}

/* With the longer one second, the result is that of the two exchanged in reverse order. */
fsr_node fsr_correlate_at(fsr_site at, fsr_node a, fsr_node v, fsr_overlap overlap) {
    FSR_DEFAULT_FLOATS;
    fsr_node poison, x[] = {a, v};
    if (!pair_take(at, "correlate", x, overlap, &poison))
        return poison;
    if (fsr_dtype_is_complex(fsr_node_dtype(x[1])))
        x[1] = fsr_conj_at(at, x[1]);
    if (!fsr_node_sound(x[1]))
        return x[1];
    if (fsr_node_size(x[1]) <= fsr_node_size(x[0]))
        return slide(at, "correlate", x[0], x[1], overlap);
    return fsr_flip_at(at, slide(at, "correlate", x[1], x[0], overlap), 0);
}

/* ---- gradient ------------------------------------------------------------------------------------------------- */

/* Element i of the axis, which stays with extent 1. */
static fsr_node element(fsr_site at, fsr_node x, int axis, int64_t i) {
    return fsr_slice_at(at, x, axis, i, i + 1, 1);
}

/* The difference at an end; i the end, step 1 or -1 into the array. */
static fsr_node end_gradient(fsr_site at, fsr_node x, double spacing, int axis, int64_t i, int step, int order) {
    fsr_graph *g = x.graph;
    fsr_node first = element(at, x, axis, i), second = element(at, x, axis, i + step);
    if (order == 1)
        return fsr_div_at(at, step > 0 ? fsr_sub_at(at, second, first) : fsr_sub_at(at, first, second),
                          fsr_float_at(at, g, spacing));
    fsr_node a = fsr_mul_at(at, fsr_float_at(at, g, -1.5 * step / spacing), first);
    fsr_node b = fsr_mul_at(at, fsr_float_at(at, g, 2.0 * step / spacing), second);
    fsr_node c = fsr_mul_at(at, fsr_float_at(at, g, -0.5 * step / spacing), element(at, x, axis, i + 2 * step));
    return step > 0 ? fsr_add_at(at, fsr_add_at(at, a, b), c) : fsr_add_at(at, fsr_add_at(at, c, b), a);
}

fsr_node fsr_gradient_at(fsr_site at, fsr_node x, double spacing, int axis, int edge_order) {
    FSR_DEFAULT_FLOATS;
    static const char what[] = "gradient";
    fsr_node poison;
    fsr_graph *g;
    if (fsr_poison_of(at, what, &x, 1, &g, &poison) || !fsr_axis_take(x, at, what, fsr_node_ndim(x), &axis, &poison))
        return poison;
    if (fsr_node_dtype(x) == FSR_BOOL)
        return fsr_poison(g, at, FSR_ERR_DTYPE, what, "not defined for %s", fsr_say(x).text);
    if (edge_order != 1 && edge_order != 2)
        return fsr_poison(g, at, FSR_ERR_VALUE, what, "the order at the edges of %s is %d, not 1 or 2", fsr_say(x).text,
                          edge_order);
    const int64_t extent = fsr_node_dim(x, axis);
    if (extent < edge_order + 1)
        return fsr_poison(g, at, FSR_ERR_SHAPE, what, "axis %d of %s has less than %d elements", axis, fsr_say(x).text,
                          edge_order + 1);
    x = fsr_convert(at, x, fsr_mean_dtype(fsr_node_dtype(x)), false);
    fsr_node ahead = fsr_slice_at(at, x, axis, 2, FSR_SLICE_END, 1), behind = fsr_slice_at(at, x, axis, 0, -2, 1);
    fsr_node part[3] = {end_gradient(at, x, spacing, axis, 0, 1, edge_order),
                        fsr_div_at(at, fsr_sub_at(at, ahead, behind), fsr_float_at(at, g, 2 * spacing)),
                        end_gradient(at, x, spacing, axis, extent - 1, -1, edge_order)};
    return fsr_concat_at(at, part, 3, axis);
}

/* Each axis once. wanted: NULL, all of them. */
static bool gradient_axes(fsr_site at, fsr_node x, const int *wanted, int n, int *axis, fsr_node *poison) {
    static const char what[] = "gradients";
    const int ndim = fsr_node_ndim(x);
    uint32_t seen = 0;
    if (!wanted && n != ndim) {
        *poison = fsr_poison(x.graph, at, FSR_ERR_AXIS, what, "%s has %d axes, not %d", fsr_say(x).text, ndim, n);
        return false;
    }
    for (int i = 0; i < n; i++) {
        int a = wanted ? wanted[i] : i;
        if (!fsr_axis_take(x, at, what, ndim, &a, poison))
            return false;
        if (seen >> a & 1) {
            *poison = fsr_poison(x.graph, at, FSR_ERR_AXIS, what, "axis %d of %s is named twice", a, fsr_say(x).text);
            return false;
        }
        seen |= 1u << a;
        axis[i] = a; /* no more than FSR_MAX_DIMS of them are different */
    }
    return true;
}

void fsr_gradients_at(fsr_site at, fsr_node *out, fsr_node x, const double *spacing, const int *axes, int naxes,
                      int edge_order) {
    fsr_node poison;
    fsr_graph *g;
    int axis[FSR_MAX_DIMS];
    if (!out || naxes < 1)
        return;
    bool good = !fsr_poison_of(at, "gradients", &x, 1, &g, &poison) && gradient_axes(at, x, axes, naxes, axis, &poison);
    for (int i = 0; i < naxes && good; i++) {
        poison = out[i] = fsr_gradient_at(at, x, spacing ? spacing[i] : 1, axis[i], edge_order);
        good = fsr_node_sound(out[i]) != NULL;
    }
    for (int i = 0; i < naxes && !good; i++)
        out[i] = poison;
}

/* ---- ediff1d -------------------------------------------------------------------------------------------------- */

fsr_node fsr_ediff1d_at(fsr_site at, fsr_node x, fsr_node to_begin, fsr_node to_end) {
    fsr_node poison, in[] = {x, to_begin.graph ? to_begin : x, to_end.graph ? to_end : x}, part[3];
    fsr_graph *g;
    int n = 0;
    if (fsr_poison_of(at, "ediff1d", in, 3, &g, &poison))
        return poison;
    if (fsr_node_dtype(x) == FSR_BOOL)
        return fsr_poison(g, at, FSR_ERR_DTYPE, "ediff1d", "not defined for %s", fsr_say(x).text);
    const fsr_dtype dtype = fsr_node_dtype(x);
    if (to_begin.graph)
        part[n++] = fsr_flatten(at, fsr_convert(at, to_begin, dtype, false));
    part[n++] = fsr_diff_at(at, fsr_flatten(at, fsr_strong(at, x)), 1, 0);
    if (to_end.graph)
        part[n++] = fsr_flatten(at, fsr_convert(at, to_end, dtype, false));
    return fsr_concat_at(at, part, n, 0);
}
