/* SPDX-License-Identifier: MIT */
/* Shapes: sizes that cannot overflow unseen, strides, broadcasting, words.
 *
 * Extents of 0 are left out of the overflow check's product, as NumPy does, so that strides never overflow either:
 * (2^40, 2^40, 0) is refused although it holds nothing. */
#include "graph/shape.h"
#include <stdio.h>

/* The product of the extents, times unit; -1 if that of those that are not 0 does not fit or an extent is negative. */
static int64_t product(const fsr_shape *shape, int64_t unit) {
    int64_t size = unit;
    bool empty = false;
    for (int i = 0; i < shape->ndim; i++) {
        if (shape->dim[i] < 0)
            return -1;
        empty = empty || shape->dim[i] == 0;
        size = fsr_size_mul(size, shape->dim[i] == 0 ? 1 : shape->dim[i]);
    }
    return !fsr_size_fits(size) ? -1 : empty ? 0 : size;
}

int64_t fsr_shape_size(const fsr_shape *shape) {
    return product(shape, 1);
}

int64_t fsr_shape_bytes(const fsr_shape *shape, fsr_dtype dtype) {
    return product(shape, (int64_t)fsr_dtype_size(dtype));
}

bool fsr_shape_equal(const fsr_shape *a, const fsr_shape *b) {
    if (a->ndim != b->ndim)
        return false;
    for (int i = 0; i < a->ndim; i++)
        if (a->dim[i] != b->dim[i])
            return false;
    return true;
}

void fsr_shape_strides(const fsr_shape *shape, int64_t *strides) {
    int64_t stride = 1;
    for (int i = shape->ndim - 1; i >= 0; i--) {
        strides[i] = stride;
        if (shape->dim[i] > 1)
            stride *= shape->dim[i];
    }
}

bool fsr_shape_broadcast(const fsr_shape *a, const fsr_shape *b, fsr_shape *out) {
    fsr_shape r = {.ndim = a->ndim > b->ndim ? a->ndim : b->ndim};
    for (int i = 0; i < r.ndim; i++) {
        int ia = i - (r.ndim - a->ndim), ib = i - (r.ndim - b->ndim);
        int64_t da = ia < 0 ? 1 : a->dim[ia], db = ib < 0 ? 1 : b->dim[ib];
        if (da != db && da != 1 && db != 1)
            return false;
        r.dim[i] = da == 1 ? db : da;
    }
    *out = r;
    return true;
}

bool fsr_shape_same_but_ones(const fsr_shape *a, const fsr_shape *b) {
    int i = 0, j = 0;
    for (;;) {
        while (i < a->ndim && a->dim[i] == 1)
            i++;
        while (j < b->ndim && b->dim[j] == 1)
            j++;
        if (i == a->ndim || j == b->ndim)
            return i == a->ndim && j == b->ndim;
        if (a->dim[i++] != b->dim[j++])
            return false;
    }
}

char *fsr_describe(char *buf, size_t size, fsr_dtype dtype, const fsr_shape *shape) {
    if (size == 0)
        return buf;
    int used = snprintf(buf, size, "%s[", fsr_dtype_name(dtype));
    for (int i = 0; i < shape->ndim && used >= 0 && (size_t)used < size; i++)
        used += snprintf(buf + used, size - (size_t)used, i ? ",%lld" : "%lld", (long long)shape->dim[i]);
    if (used >= 0 && (size_t)used < size)
        snprintf(buf + used, size - (size_t)used, "]");
    return buf;
}

fsr_words fsr_say(fsr_node x) {
    fsr_words words = {"?"};
    const fsr_rec *rec = fsr_node_rec(x);
    if (rec && rec->length.origin)
        snprintf(words.text, sizeof words.text, "%s[<=%lld]", fsr_dtype_name(rec->dtype[x.output]),
                 (long long)rec->shape.dim[0]);
    else if (rec)
        fsr_describe(words.text, sizeof words.text, rec->dtype[x.output], &rec->shape);
    return words;
}

fsr_words fsr_say_shape(const fsr_shape *shape) {
    fsr_words words = {"["};
    size_t used = 1;
    for (int i = 0; i < shape->ndim; i++)
        used += (size_t)snprintf(words.text + used, sizeof words.text - used, i ? ",%lld" : "%lld",
                                 (long long)shape->dim[i]);
    snprintf(words.text + used, sizeof words.text - used, "]");
    return words;
}

int64_t fsr_added_extent(const fsr_shape *shape, const fsr_shape *source, const fsr_view *view, int j) {
    return source->dim[j] - (view->from[j] < 0 ? 0 : shape->dim[view->from[j]] - 1);
}

const char *fsr_index_mode_name(fsr_index_mode mode) {
    static const char *const name[] = {"raise", "clip", "wrap", "drop"};
    return (size_t)mode < sizeof name / sizeof *name ? name[mode] : NULL;
}
