/* SPDX-License-Identifier: MIT */
/* Steps of order that are made of sorts and selections: several keys, values carried along, ranks, modes and quantiles.
 * Every element is one of an operand or made of two of them without a fold: no result is rounded by an order of
 * sums. */
#include "tests/fuzz/recipe.h"

/* y in x's shape. */
static fsr_node alike(fsr_node x, fsr_node y) {
    const fsr_rec *rec = fsr_node_rec(x);
    return fsr_node_size(y) ? fuzz_filled(y, rec->shape.ndim, rec->shape.dim) : x;
}

/* y's first element, or its first three, as quantiles from 0 to `most`; what is no number or beside these comes
 * inside. */
static fsr_node shares(fsr_node y, bool several, double most) {
    fsr_graph *g = y.graph;
    const int64_t n = fsr_node_size(y);
    if (n == 0)
        return fsr_float(g, most / 4);
    const fsr_node flat = fsr_cast(fsr_real(fsr_reshape(y, 1, &n)), FSR_F32);
    const fsr_node share = fsr_mul(fsr_abs(flat), fsr_float(g, most / 8));
    return several ? fsr_slice(share, 0, 0, 3, 1) : fsr_squeeze(fsr_slice(share, 0, 0, 1, 1), 0);
}

fsr_node fuzz_order(fsr_node x, fsr_node y, int form, int axis, int flags) {
    const int *axes = axis == RECIPE_FLAT ? NULL : &axis;
    const int down = flags & FSR_DESCENDING, kept = flags & FSR_KEEPDIMS;
    const fsr_quantile_method method = (fsr_quantile_method)(form % (FSR_QUANTILE_NORMAL_UNBIASED + 1));
    const bool several = (form & 1) != 0;
    fsr_node mode[2];
    switch (form % FUZZ_ORDERS) {
    case 0: return fsr_lexsort(((fsr_node[]){y, alike(y, x)}), 2, axes, 1);
    case 1: return fsr_lexsort(((fsr_node[]){x, alike(x, y), fsr_signbit(fsr_real(x))}), 3, axes, 1);
    case 2: return fsr_rank(x, axes, 1, down);
    case 3: return fsr_sort_by_key(x, alike(x, y), axes, 1, down);
    case 4: return fsr_sort_by_key(alike(x, y), x, axes, 1, down);
    case 5: fsr_mode(mode, x, axes, 1, kept); return mode[0];
    case 6: fsr_mode(mode, x, axes, 1, kept); return mode[1];
    case 7: return fsr_nanmedian(x, axes, 1, kept);
    case 8: return fsr_nanquantile(x, shares(y, several, 1), method, axes, 1, kept);
    case 9: return fsr_nanpercentile(x, shares(y, several, 100), method, axes, 1, kept);
    case 10: return fsr_quantile(x, shares(y, several, 1), method, axes, 1, kept);
    default: return fsr_percentile(x, shares(y, several, 100), method, axes, 1, kept);
    }
}
