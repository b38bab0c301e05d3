/* SPDX-License-Identifier: MIT */
/* Facts of addresses; see address.h.
 *
 * Two accesses are apart if their ranges do not meet, or if their offsets differ by what no sum of strides makes: with
 * every stride of both a multiple of g, addresses keep their remainder by g. Counter-example to ranges alone: the even
 * and the odd elements of one array, whose ranges overlap and which share nothing.
 *
 * A dimension of one index moves nothing, whatever its stride; so strides are taken as 0 there. Of a divided sum only its
 * range and its count are known: it is neither adjacent nor the same as another. */
#include "fusion/address.h"
#include "fusion/affine.h"

fsr_form fsr_form_of(const fsr_kernel *k, const int64_t *integer, const fsr_access *a) {
    fsr_form f = {.ndim = k->ndim, .divisor = a->over ? integer[a->over] : 1};
    f.offset = a->offset >= 0 ? integer[a->offset] : 0;
    for (int d = 0; d < k->ndim; ++d) {
        f.extent[d] = integer[FSR_INT_EXTENT + d];
        f.stride[d] = a->stride[d] == FSR_STRIDE_VAR ? integer[a->slot[d]] : a->stride[d] == FSR_STRIDE_ONE;
    }
    return f;
}

static int64_t step(const fsr_form *f, int d) {
    return f->extent[d] > 1 ? f->stride[d] : 0;
}

bool fsr_form_is_adjacent(const fsr_form *f, int d) {
    return f->stride[d] == 1 && f->divisor == 1;
}

bool fsr_form_is_beside(const fsr_form *f, int d) {
    return (f->stride[d] == 1 || f->stride[d] == -1) && f->divisor == 1;
}

bool fsr_form_varies(const fsr_form *f, int first, int last) {
    for (int d = first; d < last; ++d)
        if (f->stride[d] != 0)
            return true;
    return false;
}

bool fsr_form_is_aligned(const fsr_form *f, int d, int v) {
    for (int j = 0; j < f->ndim; ++j)
        if (j != d && f->stride[j] % v != 0)
            return false;
    return f->offset % v == 0;
}

int64_t fsr_form_count(const fsr_form *f) {
    int64_t n = 1;
    for (int d = 0; d < f->ndim; ++d)
        n = fsr_size_mul(n, f->stride[d] != 0 ? f->extent[d] : 1);
    return n;
}

void fsr_form_range(const fsr_form *f, int64_t *low, int64_t *high) {
    int64_t down = 0, up = 0;
    for (int d = 0; d < f->ndim; ++d) {
        int64_t by = step(f, d), *way = by < 0 ? &down : &up;
        *way = by == 0 ? *way : fsr_size_add(*way, fsr_size_mul(by < 0 ? -by : by, f->extent[d] - 1));
    }
    *high = fsr_size_add(f->offset, up);
    *low = f->offset < 0 ? -fsr_size_add(-f->offset, down) : f->offset - down;
}

bool fsr_form_same(const fsr_form *a, const fsr_form *b) {
    bool same = a->offset == b->offset && a->divisor == 1 && b->divisor == 1;
    for (int d = 0; d < a->ndim; ++d)
        same = same && step(a, d) == step(b, d);
    return same;
}

bool fsr_form_apart(const fsr_form *a, const fsr_form *b) {
    int64_t low[2], high[2], divisor = 0;
    if (a->divisor != 1 || b->divisor != 1)
        return false;
    fsr_form_range(a, &low[0], &high[0]);
    fsr_form_range(b, &low[1], &high[1]);
    if (high[0] < low[1] || high[1] < low[0])
        return true;
    for (int d = 0; d < a->ndim; ++d)
        divisor = fsr_common_divisor(fsr_common_divisor(divisor, step(a, d)), step(b, d));
    return divisor && (a->offset - b->offset) % divisor != 0;
}
