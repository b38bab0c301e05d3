/* SPDX-License-Identifier: MIT */
/* Products of vectors: outer, kron, cross, vecdot, vander. Broadcast views and ordinary products, so nothing larger
 * than the result is ever stored, and a sum of it fuses with it. */
#include "primitives/primitives.h"

fsr_node fsr_outer_at(fsr_site at, fsr_node a, fsr_node b) {
    fsr_node poison, x[] = {a, b};
    fsr_graph *g;
    if (fsr_poison_of(at, "outer", x, 2, &g, &poison))
        return poison;
    for (int i = 0; i < 2; i++) {
        x[i] = fsr_flatten(at, fsr_strong(at, x[i]));
        if (!fsr_node_sound(x[i]))
            return x[i];
    }
    return fsr_mul_at(at, fsr_expand_at(at, x[0], 1), x[1]);
}

/* x with `ndim` axes, each of which has one of extent 1 behind it (or before it). */
static fsr_node spread(fsr_site at, fsr_node x, int ndim, bool behind) {
    int64_t shape[FSR_MAX_DIMS];
    const int lead = ndim - fsr_node_ndim(x);
    for (int i = 0; i < ndim; i++) {
        shape[2 * i + behind] = 1;
        shape[2 * i + !behind] = i < lead ? 1 : fsr_node_dim(x, i - lead);
    }
    return fsr_reshape_at(at, x, 2 * ndim, shape);
}

fsr_node fsr_kron_at(fsr_site at, fsr_node a, fsr_node b) {
    fsr_node poison, x[] = {a, b};
    fsr_graph *g;
    if (fsr_poison_of(at, "kron", x, 2, &g, &poison))
        return poison;
    const int ndim = fsr_node_ndim(a) > fsr_node_ndim(b) ? fsr_node_ndim(a) : fsr_node_ndim(b);
    if (2 * ndim > FSR_MAX_DIMS)
        return fsr_poison(g, at, FSR_ERR_UNSUPPORTED, "kron", "%s and %s have more than %d dimensions", fsr_say(a).text,
                          fsr_say(b).text, FSR_MAX_DIMS / 2);
    fsr_node product = fsr_mul_at(at, spread(at, a, ndim, true), spread(at, b, ndim, false));
    const fsr_rec *rec = fsr_node_sound(product);
    int64_t shape[FSR_MAX_DIMS];
    for (int i = 0; rec && i < ndim; i++)
        shape[i] = rec->shape.dim[2 * i] * rec->shape.dim[2 * i + 1];
    return rec ? fsr_reshape_at(at, product, ndim, shape) : product;
}

/* Component i of vectors along the last axis, which stays. */
static fsr_node component(fsr_site at, fsr_node x, int i) {
    return fsr_slice_at(at, x, -1, i, i + 1, 1);
}

fsr_node fsr_cross_at(fsr_site at, fsr_node a, fsr_node b, int axis) {
    fsr_node poison, x[] = {a, b}, part[3];
    fsr_graph *g;
    const int last = -1;
    if (fsr_poison_of(at, "cross", x, 2, &g, &poison))
        return poison;
    for (int i = 0; i < 2; i++) {
        int own = axis;
        if (!fsr_axis_take(x[i], at, "cross", fsr_node_ndim(x[i]), &own, &poison))
            return poison;
        if (fsr_node_dim(x[i], own) != 3)
            return fsr_poison(g, at, FSR_ERR_SHAPE, "cross", "axis %d of %s has not 3 elements", own,
                              fsr_say(x[i]).text);
        x[i] = fsr_moveaxis_at(at, x[i], &own, &last, 1);
    }
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        part[i] = fsr_sub_at(at, fsr_mul_at(at, component(at, x[0], j), component(at, x[1], k)),
                             fsr_mul_at(at, component(at, x[0], k), component(at, x[1], j)));
    }
    return fsr_moveaxis_at(at, fsr_concat_at(at, part, 3, -1), &last, &axis, 1);
}

fsr_node fsr_vecdot_at(fsr_site at, fsr_node a, fsr_node b, int axis) {
    fsr_node poison, x[] = {a, b};
    fsr_graph *g;
    if (fsr_poison_of(at, "vecdot", x, 2, &g, &poison))
        return poison;
    for (int i = 0; i < 2; i++) {
        int own = axis;
        if (!fsr_axis_take(x[i], at, "vecdot", fsr_node_ndim(x[i]), &own, &poison))
            return poison;
    }
    int own[2] = {axis, axis};
    const int last = -1;
    for (int i = 0; i < 2; i++)
        x[i] = fsr_moveaxis_at(at, x[i], &own[i], &last, 1);
    if (fsr_node_dim(x[0], -1) != fsr_node_dim(x[1], -1))
        return fsr_poison(g, at, FSR_ERR_SHAPE, "vecdot", "axis %d of %s and of %s has not as many elements", axis,
                          fsr_say(a).text, fsr_say(b).text);
    if (fsr_dtype_is_complex(fsr_node_dtype(x[0])))
        x[0] = fsr_conj_at(at, x[0]);
    fsr_node product = fsr_mul_at(at, x[0], x[1]);
    return fsr_sum_as_at(at, product, fsr_node_dtype(product), &last, 1, 0);
}

/* Running products along rows of 1, x, x, ...: NumPy's way, the same roundings. */
fsr_node fsr_vander_at(fsr_site at, fsr_node x, int64_t n, bool increasing) {
    fsr_node poison;
    fsr_graph *g;
    if (fsr_poison_of(at, "vander", &x, 1, &g, &poison))
        return poison;
    if (fsr_node_ndim(x) != 1)
        return fsr_poison(g, at, FSR_ERR_SHAPE, "vander", "%s is not of one dimension", fsr_say(x).text);
    if (n < 0)
        return fsr_poison(g, at, FSR_ERR_VALUE, "vander", "%lld columns of %s", (long long)n, fsr_say(x).text);
    const fsr_dtype dtype = fsr_dtype_promote(fsr_node_dtype(x), FSR_I64);
    const int64_t rows = fsr_node_size(x);
    if (n < 2)
        return fsr_ones_at(at, g, dtype, 2, (int64_t[]){rows, n});
    x = fsr_expand_at(at, fsr_convert(at, x, dtype, false), 1);
    fsr_node part[] = {fsr_ones_at(at, g, dtype, 2, (int64_t[]){rows, 1}),
                       fsr_broadcast_to_at(at, x, 2, (int64_t[]){rows, n - 1})};
    fsr_node out = fsr_cumprod_as_at(at, fsr_concat_at(at, part, 2, 1), dtype, &(int){1}, 1, 0);
    return increasing ? out : fsr_flip_at(at, out, 1);
}
