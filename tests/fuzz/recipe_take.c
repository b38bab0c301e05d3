/* SPDX-License-Identifier: MIT */
/* Elements at computed indices, of any two arrays. */
#include "tests/fuzz/recipe.h"

fsr_node fuzz_indices(fsr_node y, fsr_index_mode mode, int64_t n) {
    fsr_node i = fsr_cast(fsr_node_dtype(y) >= FSR_C64 ? fsr_real(y) : y, FSR_I32);
    if (mode != FSR_INDEX_RAISE || n < 1)
        return i;
    fsr_node inside = fsr_mod(i, fsr_int(y.graph, n));
    return fsr_where(fsr_less(i, fsr_int(y.graph, 0)), fsr_sub(inside, fsr_int(y.graph, n)), inside);
}

/* 3: a slice; 4: what is in the slice, doubled, at the place of another one. */
static fsr_node slice(fsr_node x, fsr_node y, int form) {
    fsr_node start[FSR_MAX_DIMS], i = fuzz_indices(fsr_reshape(y, 1, (int64_t[]){fsr_node_size(y)}), FSR_INDEX_CLIP, 0);
    int64_t size[FSR_MAX_DIMS];
    for (int d = 0; d < fsr_node_ndim(x); d++) {
        start[d] = fsr_reshape(fsr_slice(i, 0, d % 2, d % 2 + 1, 1), 0, NULL);
        size[d] = (fsr_node_dim(x, d) + 1) / (1 + d % 2);
        size[d] = size[d] > fsr_node_dim(x, d) ? fsr_node_dim(x, d) : size[d];
    }
    fsr_node part = fsr_dynamic_slice(x, start, size);
    return form == 3 ? part : fsr_dynamic_update(x, fsr_maximum(part, part), start);
}

/* 5: some elements of x, from its end, put where neighbours are that begin at y's first element; no two at one place,
 * some, if it is dropped, at none. */
static fsr_node put(fsr_node x, fsr_node y, fsr_index_mode mode) {
    const int64_t n = fsr_node_size(x), m = n - n / 3;
    fsr_node flat = fsr_reshape(x, 1, &n), first = fsr_reshape(y, 1, (int64_t[]){fsr_node_size(y)});
    if (m == 0 || fsr_node_size(y) == 0)
        return fsr_scatter(flat, ((fsr_node[]){fsr_arange(x.graph, FSR_I64, n)}), 1, flat, FSR_INDEX_CLIP, FSR_UNIQUE);
    fsr_node start = fuzz_indices(fsr_slice(first, 0, 0, 1, 1), FSR_INDEX_RAISE, n);
    fsr_node i = fsr_add(fsr_cast(start, FSR_I64), fsr_arange(x.graph, FSR_I64, m));
    if (mode == FSR_INDEX_RAISE || mode == FSR_INDEX_CLIP)
        i = fsr_mod(i, fsr_int(x.graph, n));
    return fsr_scatter(flat, &i, 1, fsr_slice(fsr_flip(flat, 0), 0, 0, m, 1), mode, FSR_UNIQUE);
}

/* 6: y's elements combined into x by one of the operators that its dtype has, or put there, at indices of which several
 * are equal. */
static fsr_node combine(fsr_node x, fsr_node y, fsr_index_mode mode, int which) {
    typedef fsr_node (*scatter_fn)(fsr_site at, fsr_node x, const fsr_node *arrays, int n, fsr_node values,
                                   fsr_index_mode mode, int flags);
    static const scatter_fn all[] = {fsr_scatter_at,     fsr_scatter_add_at, fsr_scatter_max_at, fsr_scatter_min_at,
                                     fsr_scatter_mul_at, fsr_scatter_and_at, fsr_scatter_or_at,  fsr_scatter_xor_at};
    const fsr_dtype dtype = fsr_node_dtype(x);
    const int known = dtype >= FSR_C64 ? 2 : dtype >= FSR_F16 ? 4 : 8;
    const int64_t n = fsr_node_size(x), m = fsr_node_size(y);
    fsr_node flat = fsr_reshape(x, 1, &n), from = fsr_reshape(y, 1, &m);
    if (n == 0 || m == 0)
        return flat;
    fsr_node i = fuzz_indices(from, mode, n),
             values = fsr_node_dtype(y) >= FSR_C64 && dtype < FSR_C64 ? fsr_imag(from) : from;
    return all[(unsigned)which % (unsigned)known](FSR_HERE, flat, &i, 1, fsr_cast(fsr_flip(values, 0), dtype), mode, 0);
}

/* 7: where y's elements are among x's, in whatever order these are: each search goes its way. */
static fsr_node search(fsr_node x, fsr_node y, int axis) {
    const int64_t n = fsr_node_size(x);
    fsr_node keys = fsr_reshape(fsr_node_dtype(x) >= FSR_C64 ? fsr_real(x) : x, 1, &n);
    fsr_node needle = fsr_node_dtype(y) >= FSR_C64 ? fsr_imag(y) : y;
    return axis % 3 == 2 ? fsr_digitize(needle, keys, false)
                         : fsr_searchsorted(keys, needle, axis % 3 ? FSR_RIGHT : FSR_LEFT);
}

/* 8: x's first axis folded between y's elements, in whatever order these are. */
static fsr_node fold_segments(fsr_node x, fsr_node y, int axis) {
    typedef fsr_node (*segment_fn)(fsr_site at, fsr_node x, fsr_node offsets);
    static const segment_fn all[] = {fsr_segment_sum_at, fsr_segment_last_at,  fsr_segment_prod_at,
                                     fsr_segment_min_at, fsr_segment_first_at, fsr_segment_argmax_at,
                                     fsr_segment_max_at};
    const int64_t n = fsr_node_size(y);
    const int known = fsr_node_dtype(x) >= FSR_C64 ? 3 : 7;
    fsr_node offsets = fsr_sort(fuzz_indices(fsr_reshape(y, 1, &n), FSR_INDEX_CLIP, 0), (const int[]){0}, 1, 0);
    if (n == 0 || fsr_node_ndim(x) == 0)
        return x;
    return all[(unsigned)(axis + (int)(n % 8)) % (unsigned)known](FSR_HERE, x, offsets);
}

fsr_node fuzz_take(fsr_node x, fsr_node y, int form, fsr_index_mode mode, int axis) {
    if (form == 8)
        return fold_segments(x, y, axis);
    if (form == 7)
        return search(x, y, axis);
    if (form == 1)
        return fsr_take_along_axis(x, fuzz_indices(y, mode, fsr_node_dim(x, axis)), axis, mode);
    if (form == 2)
        return fsr_index(x,
                         ((fsr_node[]){fuzz_indices(y, mode, fsr_node_dim(x, 0)),
                                       fsr_flip(fuzz_indices(y, mode, fsr_node_dim(x, 1)), 0)}),
                         2, mode);
    if (form == 6)
        return fsr_reshape(combine(x, y, mode, axis * 3 + (int)(fsr_node_size(y) % 8)), fsr_node_ndim(x),
                           fsr_node_rec(x)->shape.dim);
    if (form == 5)
        return fsr_reshape(put(x, y, mode), fsr_node_ndim(x), fsr_node_rec(x)->shape.dim);
    if (form >= 3)
        return slice(x, y, form);
    return fsr_take(x, fuzz_indices(y, mode, fsr_node_dim(x, axis)), axis, mode);
}
