/* SPDX-License-Identifier: MIT */
/* Steps through values with a length that only the device knows: from arrays to an array, so that the steps around them
 * need not know of any. What lies behind a length must not reach them. */
#include "tests/fuzz/recipe.h"

/* The mask's selection of x and the first elements of x, `least`: what has none has no median, nor a rank that is
 * outside. */
static fsr_node some(fsr_node mask, fsr_node x, int64_t least) {
    const fsr_shape *shape = &fsr_node_rec(mask)->shape;
    const fsr_node at = fsr_counter(x.graph, shape->ndim, shape->dim);
    return fsr_compress(fsr_logical_or(mask, fsr_less(at, fsr_int(x.graph, least))), x);
}

/* An element of what some() selects by its rank, from the least one or from the greatest. */
static fsr_node ranked(fsr_node mask, fsr_node x, int64_t n, bool from_end) {
    const int64_t least = n < 3 ? n : 3;
    return fsr_kth(some(mask, x, least), from_end ? -1 - n / 5 % least : n / 5 % least, NULL, 0, 0);
}

/* As many elements of x as the mask has, and one, which is counted before: what is computed of them may end there. */
static fsr_node given(fsr_node mask, fsr_node x, int form) {
    const int64_t n = fsr_node_size(x);
    fsr_node all = fsr_reshape(x, 1, &n), count = fsr_count_nonzero(mask, NULL, 0, 0);
    const fsr_node live = fsr_live(all, fsr_hint_set(fsr_add(count, fsr_int(x.graph, 1)), FSR_HINT_MATERIALIZE));
    switch (n ? form : 0) {
    case 1: return fsr_add(live, fsr_argmax(live, NULL, 0, 0));
    case 2: return fsr_add(live, fsr_std(fsr_cast(live, FSR_F32), NULL, 0, 0, 0));
    case 3: return fsr_add(fsr_cumsum(live, (int[]){0}, 1, FSR_EXCLUSIVE), fsr_max(live, NULL, 0, 0));
    default: return fsr_cumsum(live, (int[]){0}, 1, 0);
    }
}

/* The mask's selection of x, once more selected, slices of it, and what is done to these. */
static fsr_node through(fsr_node mask, fsr_node x, int form) {
    fsr_graph *g = x.graph;
    const fsr_node live = fsr_compress(mask, x);
    const int64_t n = fsr_node_dim(live, 0);
    const fsr_quantile_method method = (fsr_quantile_method)(n % (FSR_QUANTILE_NORMAL_UNBIASED + 1));
    fsr_node two[2], unique[4];
    form = n == 0 && (form == 15 || form == 16 || form == 18 || form == 19) ? 0 : form;
    switch (form < 11 || !fsr_dtype_is_complex(fsr_node_dtype(x)) ? form : form - 11) {
    case 0: return live;
    case 1: return fsr_cumsum(live, (int[]){0}, 1, 0);
    case 2: return fsr_cumsum(live, (int[]){0}, 1, FSR_REVERSE);
    case 3: return fsr_diff(live, 1, 0);
    case 4: return fsr_flip(fsr_where(fsr_isnan(live), fsr_int(g, 1), live), 0);
    case 5: return fsr_slice(live, 0, -5, FSR_SLICE_END, 1);
    case 6: return fsr_compress(fsr_compress(mask, fsr_cast(x, FSR_BOOL)), live);
    case 7: fsr_partition_by(two, mask, x); return two[1];
    case 8: fsr_run_lengths(two, live); return two[1];
    case 9: fsr_run_lengths(two, live); return fsr_repeat_counts(two[0], two[1], n);
    case 10: return fsr_take(live, fsr_flatnonzero(live), 0, FSR_INDEX_CLIP);
    case 11: return fsr_sort(live, (int[]){0}, 1, n % 2 ? FSR_DESCENDING : 0);
    case 12: fsr_unique(unique, live, n % 3 > 0); return unique[n & 3];
    case 13: return fsr_topk(live, n / 3, (int[]){0}, 1, FSR_DESCENDING);
    case 14: return fsr_segment_sort(live, fsr_mul(fsr_arange(g, FSR_I64, 5), fsr_int(g, n / 6)), 0);
    case 15: return fsr_add(live, fsr_median(fsr_cast(some(mask, x, 1), FSR_F32), NULL, 0, 0));
    case 16: return fsr_nanquantile(fsr_cast(some(mask, x, 1), FSR_F64), fsr_float(g, 0.3), method, NULL, 0, 0);
    case 17: return fsr_segment_sort(fsr_reshape(x, 1, (int64_t[]){fsr_node_size(x)}), fsr_flatnonzero(mask), 0);
    case 18:
    case 19: return fsr_maximum(live, ranked(mask, x, n, form == 19));
    case 20:
    case 21:
    case 22:
    case 23: return given(mask, x, form - 20);
    default: return fsr_add(live, fsr_sum(fsr_slice(live, 0, 0, -2, 1), NULL, 0, 0));
    }
}

fsr_node fuzz_lengths(fsr_node mask, fsr_node x, int form) {
    fsr_graph *g = x.graph;
    if (form == FUZZ_LENGTHS - 1)
        return fsr_update_mask(x, mask, fsr_compress(mask, fsr_logical_not(x)));
    if (form == FUZZ_LENGTHS - 2)
        return fsr_mean(fsr_cast(fsr_compress(mask, fsr_cast(x, FSR_BOOL)), FSR_F32), NULL, 0, 0);
    return fsr_filled(through(mask, x, form), fsr_int(g, 2));
}
