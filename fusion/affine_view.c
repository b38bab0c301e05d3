/* SPDX-License-Identifier: MIT */
/* What views and reshapes do to an index; see affine.h. */
#include "fusion/affine.h"
#include <string.h>

/* Each term coef * index(d) of the flat index must fall into one dimension (coef a multiple of that dimension's
 * stride, and the sum of what falls there stay below its extent), so that no carry passes between dimensions. The
 * offset is split by division. Terms are tried from the largest stride down. */
bool fsr_index_split(fsr_index *out, const fsr_index *in, const fsr_shape *shape, const fsr_domain *d) {
    int64_t stride[FSR_MAX_DIMS], reach[FSR_MAX_DIMS] = {0};
    fsr_shape_strides(shape, stride);
    memset(out, 0, sizeof *out);
    out->n = shape->ndim;
    int64_t offset = in->row[0].offset;
    if (offset < 0 || in->row[0].over || in->row[0].nterms)
        return false;
    for (int i = 0; i < shape->ndim; ++i) {
        if (shape->dim[i] == 1)
            continue;
        int64_t q = stride[i] > 0 ? offset / stride[i] : 0;
        out->row[i].offset = reach[i] = q;
        offset -= q * stride[i];
    }
    for (int k = 0; k < d->ndim; ++k) {
        int64_t coef = in->row[0].coef[k];
        if (coef == 0)
            continue;
        if (coef < 0)
            return false;
        int i = 0;
        while (i < shape->ndim && (shape->dim[i] == 1 || stride[i] == 0 || coef % stride[i] != 0))
            ++i;
        if (i == shape->ndim)
            return false;
        out->row[i].coef[k] = coef / stride[i];
        reach[i] += coef / stride[i] * (d->extent[k] - 1);
    }
    for (int i = 0; i < shape->ndim; ++i)
        if (shape->dim[i] != 1 && reach[i] >= shape->dim[i] && shape->dim[i] > 0)
            return false;
    return true;
}

bool fsr_index_division(const fsr_index *in, const fsr_shape *shape, const fsr_domain *d, int *dim, int64_t *inner) {
    int64_t stride[FSR_MAX_DIMS];
    fsr_shape_strides(shape, stride);
    for (int k = 0; k < d->ndim && !in->row[0].over; ++k)
        for (int i = 0; i < shape->ndim && in->row[0].coef[k] > 0; ++i) {
            *dim = k;
            *inner = stride[i] / in->row[0].coef[k];
            if (shape->dim[i] > 1 && stride[i] % in->row[0].coef[k] == 0 && *inner > 1 && *inner < d->extent[k] &&
                d->extent[k] % *inner == 0)
                return true;
        }
    return false;
}

/* The view shows one element everywhere: whatever its own index is. */
static bool is_uniform(const fsr_view *view, const fsr_shape *source) {
    for (int j = 0; j < source->ndim; ++j)
        if (view->from[j] >= 0)
            return false;
    return true;
}

/* The dimensions [from, to) of a shape, as a shape; extents of 1 after them go with them. */
static fsr_shape part_of(const fsr_shape *shape, int from, int to) {
    fsr_shape part = {.ndim = to - from};
    memcpy(part.dim, shape->dim + from, sizeof part.dim[0] * (size_t)part.ndim);
    return part;
}

/* The index of what dimensions [from, to) of a shape are reshaped to: the same one where one dimension stays as it
 * is, however far its index goes, else the flat one among them, split. */
static bool reshaped_part(fsr_index *out, const fsr_index *in, const fsr_shape *part, const fsr_shape *source,
                          const fsr_domain *d) {
    fsr_index flat = {.flat = true, .n = 1};
    if (fsr_shape_equal(part, source)) {
        fsr_index_copy(out, in);
        return true;
    }
    fsr_index_address(&flat.row[0], in, part);
    return fsr_index_split(out, &flat, source, d);
}

/* A reshape by runs of dimensions of as many elements. Counter-example to the flat index of all: a column beside the
 * edge, which is -1 there, is a carry into the row before. False: some run's index does not split. */
static bool reshaped(fsr_index *out, const fsr_index *in, const fsr_shape *shape, const fsr_shape *source,
                     const fsr_domain *d) {
    int i = 0, j = 0;
    *out = (fsr_index){.n = source->ndim};
    if (fsr_shape_size(shape) == 0)
        return false;
    while (i < shape->ndim || j < source->ndim) {
        const int from = i, first = j;
        int64_t own = 1, other = 1;
        do {
            if (j == source->ndim || (own < other && i < shape->ndim))
                own *= shape->dim[i++];
            else
                other *= source->dim[j++];
        } while (own != other);
        const fsr_shape part = part_of(shape, from, i), of = part_of(source, first, j);
        fsr_index inner = {.n = i - from}, made;
        memcpy(inner.row, in->row + from, sizeof inner.row[0] * (size_t)inner.n);
        if (!reshaped_part(&made, &inner, &part, &of, d))
            return false;
        memcpy(out->row + first, made.row, sizeof made.row[0] * (size_t)of.ndim);
    }
    return true;
}

bool fsr_index_view(fsr_index *out, const fsr_index *in, const fsr_view *view, const fsr_shape *shape,
                    const fsr_shape *source, const fsr_domain *d) {
    fsr_index rows;
    if (view->kind == FSR_VIEW_AFFINE) {
        if (!in->flat || is_uniform(view, source)) {
            fsr_index_map(out, in, view, source);
            return true;
        }
        if (!fsr_index_split(&rows, in, shape, d))
            return false;
        fsr_index_map(out, &rows, view, source);
        return true;
    }
    fsr_index flat = {.flat = true, .n = 1};
    if (!in->flat && reshaped(out, in, shape, source, d))
        return true;
    fsr_index_address(&flat.row[0], in, shape);
    if (!fsr_index_split(out, &flat, source, d))
        *out = flat;
    return true;
}
