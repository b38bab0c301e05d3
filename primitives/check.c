/* SPDX-License-Identifier: MIT */
/* Checks that several builders share. Each leaves the poison that the builder returns. */
#include "primitives/primitives.h"

bool fsr_shape_take(fsr_graph *g, fsr_site at, const char *what, fsr_dtype dtype, int ndim, const int64_t *dims,
                    fsr_shape *out, fsr_node *poison) {
    *out = (fsr_shape){0};
    if ((unsigned)dtype >= FSR_DTYPE_COUNT) {
        *poison = fsr_poison(g, at, FSR_ERR_DTYPE, what, "%d is no dtype", (int)dtype);
        return false;
    }
    if (ndim < 0 || ndim > FSR_MAX_DIMS) {
        *poison = fsr_poison(g, at, FSR_ERR_SHAPE, what, "%d dimensions; at most %d are possible", ndim, FSR_MAX_DIMS);
        return false;
    }
    if (ndim > 0 && !dims) {
        *poison = fsr_poison(g, at, FSR_ERR_NULL, what, "the shape is null");
        return false;
    }
    out->ndim = ndim;
    for (int i = 0; i < ndim; i++)
        out->dim[i] = dims[i];
    for (int i = 0; i < ndim; i++) {
        if (dims[i] >= 0)
            continue;
        *poison = fsr_poison(g, at, FSR_ERR_SIZE, what, "the shape %s has a negative extent", fsr_say_shape(out).text);
        return false;
    }
    if (fsr_shape_bytes(out, dtype) < 0) {
        *poison = fsr_poison(g, at, FSR_ERR_SIZE, what, "the size of %s%s overflows", fsr_dtype_name(dtype),
                             fsr_say_shape(out).text);
        return false;
    }
    return true;
}

bool fsr_dtype_take(fsr_node x, fsr_site at, const char *what, fsr_dtype dtype, fsr_node *poison) {
    if ((unsigned)dtype < FSR_DTYPE_COUNT)
        return true;
    *poison = fsr_poison(x.graph, at, FSR_ERR_DTYPE, what, "%d is no dtype (for %s)", (int)dtype, fsr_say(x).text);
    return false;
}

bool fsr_axis_take(fsr_node x, fsr_site at, const char *what, int extent, int *axis, fsr_node *poison) {
    if (*axis >= -extent && *axis < extent) {
        if (*axis < 0)
            *axis += extent;
        return true;
    }
    *poison = fsr_poison(x.graph, at, FSR_ERR_AXIS, what, "%s has no axis %d", fsr_say(x).text, *axis);
    return false;
}

bool fsr_axes_take(fsr_node x, fsr_site at, const char *what, const int *axes, int naxes, uint32_t *mask,
                   fsr_node *poison) {
    int ndim = fsr_node_rec(x)->shape.ndim;
    *mask = axes ? 0 : (1u << ndim) - 1;
    if (!axes)
        return true;
    if (naxes < 0) {
        *poison = fsr_poison(x.graph, at, FSR_ERR_VALUE, what, "%d axes", naxes);
        return false;
    }
    for (int i = 0; i < naxes; i++) {
        int axis = axes[i];
        if (!fsr_axis_take(x, at, what, ndim, &axis, poison))
            return false;
        if (*mask >> axis & 1) {
            *poison =
                fsr_poison(x.graph, at, FSR_ERR_AXIS, what, "axis %d of %s is named twice", axes[i], fsr_say(x).text);
            return false;
        }
        *mask |= 1u << axis;
    }
    return true;
}

bool fsr_flags_take(fsr_node x, fsr_site at, const char *what, int flags, int allowed, fsr_node *poison) {
    if ((flags & ~allowed) == 0)
        return true;
    *poison = fsr_poison(x.graph, at, FSR_ERR_VALUE, what, "unknown flags %d for %s", flags, fsr_say(x).text);
    return false;
}

bool fsr_reduction_take(fsr_node x, fsr_site at, const char *what, const int *axes, int naxes, int flags,
                        uint32_t *mask, fsr_node *poison) {
    fsr_graph *g;
    if (fsr_poison_of_any(at, what, &x, 1, &g, poison))
        return false;
    return fsr_flags_take(x, at, what, flags, FSR_KEEPDIMS, poison) &&
           fsr_axes_take(x, at, what, axes, naxes, mask, poison);
}

bool fsr_order_take(fsr_node x, fsr_site at, const char *what, fsr_node *poison) {
    if (!fsr_dtype_is_complex(fsr_node_dtype(x)))
        return true;
    *poison = fsr_poison(x.graph, at, FSR_ERR_DTYPE, what, "not defined for %s", fsr_say(x).text);
    return false;
}

bool fsr_element_take(fsr_node x, fsr_site at, const char *what, uint32_t mask, fsr_node *poison) {
    const fsr_shape *shape = &fsr_node_rec(x)->shape;
    fsr_shape result = *shape;
    for (int i = 0; i < shape->ndim; i++)
        if (mask >> i & 1)
            result.dim[i] = 1;
    if (fsr_folded(shape, mask) != 0 || fsr_shape_size(&result) == 0)
        return true;
    *poison = fsr_poison(x.graph, at, FSR_ERR_EMPTY, what, "%s has no element along the reduced axes", fsr_say(x).text);
    return false;
}
