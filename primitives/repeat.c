/* SPDX-License-Identifier: MIT */
/* Copies beside copies, and axes moved: tile, repeat, swapaxes, moveaxis, ravel, meshgrid.
 *
 * A repeated axis of n elements is a new axis of extent 1, broadcast, and joined to its neighbour by a reshape: before
 * the axis the copies lie one after the other (tile), behind it beside each other (repeat). An output is written as the
 * broadcast is walked, so it is one kernel. An array has at most FSR_MAX_DIMS axes, so axes are repeated in as many
 * rounds as it takes. */
#include "primitives/primitives.h"

/* Repeats the axes of x, count[j] times axis j, all of them in one round: x has room for as many new axes. */
static fsr_node round_of(fsr_site at, fsr_node x, const int64_t *count, bool behind) {
    fsr_shape from = fsr_node_rec(x)->shape, split = {0}, wide = {0}, to = from;
    for (int j = 0; j < from.ndim; j++) {
        for (int part = 0; part < 2; part++) {
            bool own = part == (behind ? 0 : 1);
            if (!own && count[j] == 1)
                continue;
            split.dim[split.ndim++] = own ? from.dim[j] : 1;
            wide.dim[wide.ndim++] = own ? from.dim[j] : count[j];
        }
        to.dim[j] *= count[j];
    }
    x = fsr_reshape_at(at, x, split.ndim, split.dim);
    x = fsr_broadcast_to_at(at, x, wide.ndim, wide.dim);
    return fsr_reshape_at(at, x, to.ndim, to.dim);
}

/* The result's shape must exist, although no array of it does yet. */
static bool size_take(fsr_site at, const char *what, fsr_node x, const int64_t *count, fsr_node *poison) {
    fsr_shape to = fsr_node_rec(x)->shape, out;
    for (int j = 0; j < to.ndim; j++)
        to.dim[j] = fsr_size_mul(to.dim[j], count[j]);
    return fsr_shape_take(x.graph, at, what, fsr_node_dtype(x), to.ndim, to.dim, &out, poison);
}

/* An axis without elements is as long however often it is repeated; its copies would have an axis of their own, whose
 * length an array of no elements need not have room for. count is changed. */
static fsr_node repeated(fsr_site at, const char *what, fsr_node x, int64_t *count, bool behind) {
    fsr_node poison;
    int ndim = fsr_node_ndim(x), j = 0;
    if (!size_take(at, what, x, count, &poison))
        return poison;
    for (int i = 0; i < ndim; i++)
        count[i] = fsr_node_rec(x)->shape.dim[i] == 0 ? 1 : count[i];
    while (j < ndim && fsr_node_sound(x)) {
        int64_t now[FSR_MAX_DIMS];
        int room = FSR_MAX_DIMS - ndim, used = 0;
        for (int i = 0; i < ndim; i++)
            now[i] = 1;
        for (; j < ndim && (count[j] == 1 || used < room); j++) {
            now[j] = count[j];
            used += count[j] != 1;
        }
        if (used)
            x = round_of(at, x, now, behind);
        if (room == 0 && j < ndim)
            return fsr_poison(x.graph, at, FSR_ERR_SHAPE, what, "%s has no room for another axis", fsr_say(x).text);
    }
    return x;
}

fsr_node fsr_tile_at(fsr_site at, fsr_node x, int n, const int64_t *reps) {
    fsr_node poison;
    fsr_graph *g;
    int64_t count[FSR_MAX_DIMS];
    if (fsr_poison_of(at, "tile", &x, 1, &g, &poison))
        return poison;
    x = fsr_strong(at, x);
    if (!fsr_node_sound(x))
        return x;
    if (n < 0 || n > FSR_MAX_DIMS || (n > 0 && !reps))
        return fsr_poison(g, at, n > 0 && !reps ? FSR_ERR_NULL : FSR_ERR_SHAPE, "tile",
                          "%d repetitions; 0 to %d are possible", n, FSR_MAX_DIMS);
    while (fsr_node_sound(x) && fsr_node_ndim(x) < n)
        x = fsr_expand_at(at, x, 0);
    int ndim = fsr_node_ndim(x);
    for (int j = 0; j < ndim; j++) {
        count[j] = j < ndim - n ? 1 : reps[j - (ndim - n)];
        if (count[j] < 0)
            return fsr_poison(g, at, FSR_ERR_VALUE, "tile", "a negative number of repetitions of %s", fsr_say(x).text);
    }
    return fsr_node_sound(x) ? repeated(at, "tile", x, count, false) : x;
}

fsr_node fsr_repeat_at(fsr_site at, fsr_node x, int64_t count, const int *axis) {
    fsr_node poison;
    fsr_graph *g;
    int64_t each[FSR_MAX_DIMS] = {1, 1, 1, 1, 1, 1, 1, 1};
    int along = axis ? *axis : 0;
    if (fsr_poison_of(at, "repeat", &x, 1, &g, &poison))
        return poison;
    x = fsr_strong(at, x);
    x = axis ? x : fsr_flatten(at, x);
    if (!fsr_node_sound(x))
        return x;
    if (!fsr_axis_take(x, at, "repeat", fsr_node_ndim(x), &along, &poison))
        return poison;
    if (count < 0)
        return fsr_poison(g, at, FSR_ERR_VALUE, "repeat", "%lld repetitions of %s", (long long)count, fsr_say(x).text);
    each[along] = count;
    return repeated(at, "repeat", x, each, true);
}

/* ---- axes ------------------------------------------------------------------------------------------ */

fsr_node fsr_ravel_at(fsr_site at, fsr_node x) {
    fsr_node poison;
    fsr_graph *g;
    if (fsr_poison_of(at, "ravel", &x, 1, &g, &poison))
        return poison;
    return fsr_flatten(at, fsr_strong(at, x));
}

fsr_node fsr_swapaxes_at(fsr_site at, fsr_node x, int a, int b) {
    fsr_node poison;
    fsr_graph *g;
    int perm[FSR_MAX_DIMS];
    if (fsr_poison_of(at, "swapaxes", &x, 1, &g, &poison))
        return poison;
    int ndim = fsr_node_ndim(x);
    if (!fsr_axis_take(x, at, "swapaxes", ndim, &a, &poison) || !fsr_axis_take(x, at, "swapaxes", ndim, &b, &poison))
        return poison;
    for (int i = 0; i < ndim; i++)
        perm[i] = i == a ? b : i == b ? a : i;
    return fsr_transpose_at(at, x, perm);
}

/* Each list names every axis once at most; the axes that are not named keep their order. */
fsr_node fsr_moveaxis_at(fsr_site at, fsr_node x, const int *source, const int *destination, int n) {
    fsr_node poison;
    fsr_graph *g;
    int perm[FSR_MAX_DIMS];
    uint32_t from = 0, to = 0;
    if (fsr_poison_of(at, "moveaxis", &x, 1, &g, &poison))
        return poison;
    int ndim = fsr_node_ndim(x);
    if (n < 0 || (n > 0 && (!source || !destination)))
        return fsr_poison(g, at, FSR_ERR_NULL, "moveaxis", "the axes of %s are null", fsr_say(x).text);
    if (n > 0 && (!fsr_axes_take(x, at, "moveaxis", source, n, &from, &poison) ||
                  !fsr_axes_take(x, at, "moveaxis", destination, n, &to, &poison)))
        return poison;
    for (int i = 0, rest = 0; i < ndim; i++) {
        if (to >> i & 1)
            continue;
        while (from >> rest & 1)
            rest++;
        perm[i] = rest++;
    }
    for (int i = 0; i < n; i++)
        perm[destination[i] < 0 ? destination[i] + ndim : destination[i]] =
            source[i] < 0 ? source[i] + ndim : source[i];
    return fsr_transpose_at(at, x, perm);
}

/* Array i varies along dimension i; with FSR_XY the first two dimensions change places. */
void fsr_meshgrid_at(fsr_site at, fsr_node *out, const fsr_node *x, int n, int flags) {
    fsr_node poison, flat[FSR_MAX_DIMS];
    fsr_graph *g;
    fsr_shape shape = {.ndim = n};
    bool good = n >= 1 && n <= FSR_MAX_DIMS && x && !fsr_poison_of(at, "meshgrid", x, n, &g, &poison);
    if (!good && (n < 1 || !x))
        return;
    if (!good && n > FSR_MAX_DIMS)
        poison = fsr_poison(x[0].graph, at, FSR_ERR_SHAPE, "meshgrid", "%d arrays; at most %d are possible", n,
                            FSR_MAX_DIMS);
    good = good && fsr_flags_take(x[0], at, "meshgrid", flags, FSR_XY, &poison);
    for (int i = 0; good && i < n; i++) {
        int place = (flags & FSR_XY) && i < 2 && n > 1 ? 1 - i : i;
        if (fsr_node_ndim(x[i]) > 1) {
            poison = fsr_poison(g, at, FSR_ERR_SHAPE, "meshgrid", "%s has more than one dimension", fsr_say(x[i]).text);
            good = false;
            break;
        }
        flat[i] = fsr_flatten(at, fsr_strong(at, x[i]));
        shape.dim[place] = fsr_node_size(flat[i]);
    }
    for (int i = 0; i < n; i++) {
        fsr_shape own = {.ndim = n, .dim = {1, 1, 1, 1, 1, 1, 1, 1}};
        int place = (flags & FSR_XY) && i < 2 && n > 1 ? 1 - i : i;
        out[i] = good ? flat[i] : poison;
        if (!good || !fsr_node_sound(flat[i]))
            continue;
        own.dim[place] = shape.dim[place];
        out[i] = fsr_reshape_at(at, flat[i], n, own.dim);
        out[i] = fsr_broadcast_to_at(at, out[i], n, shape.dim);
    }
}
