/* SPDX-License-Identifier: MIT */
/* Windows, membership, interpolation, bins, puts, all results of unique, and random numbers, of any two arrays. Complex
 * operands come as their real parts where builders want real ones; what a builder refuses is no step. */
#include "tests/fuzz/recipe.h"

enum { BINS = 7, SEED = 7 };

/* All elements in one dimension; at least one. */
static fsr_node flat(fsr_node x) {
    const int64_t n = fsr_node_size(x);
    const fsr_node real = fsr_node_dtype(x) >= FSR_C64 ? fsr_real(x) : x;
    return fsr_reshape(real, 1, &n);
}

/* y's elements as numbers from 0 on, below m; n of them. */
static fsr_node numbers(fsr_node y, int64_t n, int64_t m) {
    return fsr_mod(fuzz_indices(fuzz_filled(y, 1, &n), FSR_INDEX_CLIP, 0), fsr_int(y.graph, m));
}

/* Windows along x's first axis, three wide, or along all, one or two wide. */
static fsr_node windows(fsr_node x, bool every) {
    int64_t width[FSR_MAX_DIMS];
    for (int d = 0; d < fsr_node_ndim(x); d++)
        width[d] = every ? 1 + (fsr_node_dim(x, d) > 1) : fsr_node_dim(x, d) < 3 ? 1 : 3;
    return fsr_sliding_window(x, width, every ? NULL : (int[]){0}, 1);
}

/* x's elements between points whose places are y's, in order. */
static fsr_node between(fsr_node x, fsr_node y, bool periodic) {
    const int64_t n = fsr_node_size(y);
    const fsr_node points = flat(y), none = {0};
    if (periodic)
        return fsr_interp_period(flat(x), points, fuzz_filled(x, 1, &n), 2.5);
    return fsr_interp(flat(x), fsr_sort(points, (int[]){0}, 1, 0), fuzz_filled(x, 1, &n), none, none);
}

static fsr_node counted(fsr_node x, fsr_node y, int form) {
    const int64_t n = fsr_node_size(x);
    const fsr_node none = {0}, one = flat(x), other = fuzz_filled(flat(y), 1, &n);
    switch (form) {
    case 1: return fsr_bincount(numbers(y, n, BINS), one, BINS, FSR_INDEX_DROP);
    case 2: return fsr_histogram(one, other, BINS, -2, 2.5);
    case 4: return fsr_bincount(numbers(y, n, 2 * BINS), none, BINS, FSR_INDEX_DROP);
    case 5: return fsr_histogram(one, none, BINS, -2, 2.5);
    case 6: return fsr_histogram_edges(one, none, fsr_sort(flat(y), (int[]){0}, 1, 0));
    default: return fsr_histogram2d(one, other, none, (int64_t[]){BINS, 3}, (double[]){-2, 2, 0, 4});
    }
}

/* Some of y's elements put where x has others. */
static fsr_node put(fsr_node x, fsr_node y, bool along) {
    const int64_t n = fsr_node_size(x);
    if (!along)
        return fsr_put(x, numbers(y, 1 + n / 2, n), fsr_cast(flat(y), fsr_node_dtype(x)), FSR_INDEX_RAISE, 0);
    const fsr_node last = fsr_flip(x, 0),
                   at = fsr_argsort(fsr_node_dtype(x) >= FSR_C64 ? fsr_real(x) : x, (int[]){0}, 1, 0);
    return fsr_put_along_axis(x, at, last, 0, FSR_INDEX_RAISE, 0);
}

/* Random numbers in the kernel that uses them: x's shape, streams made of y. */
static fsr_node drawn(fsr_node x, fsr_node y, int form) {
    fsr_graph *g = x.graph;
    const fsr_rec *rec = fsr_node_rec(x);
    const fsr_node i = fsr_counter(g, rec->shape.ndim, rec->shape.dim), seed = fsr_int(g, SEED);
    const fsr_node stream = fsr_reshape(numbers(y, 1, 100), 0, NULL), half = fsr_float(g, 0.5);
    const fsr_dtype dtype = fsr_node_size(y) % 2 ? FSR_F32 : FSR_F64;
    switch (form) {
    case 13: return fsr_random_bits(seed, stream, i, fsr_node_size(y) % 2 ? FSR_U32 : FSR_U64);
    case 14: return fsr_maximum(flat(x), flat(fsr_random_uniform(seed, stream, i, dtype)));
    case 15: return fsr_where(fsr_random_bernoulli(seed, stream, i, half), x, fsr_int(g, 1));
    case 16: return fsr_add(x, fsr_random_integers(seed, stream, i, FSR_I32, -3, 9));
    case 17: return fsr_random_choice(seed, stream, fsr_counter(g, 1, (int64_t[]){9}), x);
    case 18: return fsr_random_shuffle(seed, stream, x, 0);
    case 19: return fsr_add(x, fsr_random_normal(seed, stream, i, dtype));
    case 20: return fsr_random_exponential(seed, fsr_random_fold_in(seed, stream, fsr_int(g, 3)), i, dtype);
    case 21: return fsr_random_bits(seed, fsr_random_split(seed, stream, 5), fsr_int(g, 2), FSR_U32);
    case 22: return fsr_random_gamma(seed, stream, i, fsr_full(g, dtype, 0, NULL, 1.5));
    default: return fsr_random_poisson(seed, stream, i, fsr_float(g, 2.25));
    }
}

fsr_node fuzz_places(fsr_node x, fsr_node y, int form) {
    fsr_node unique[4];
    if (fsr_node_size(x) < 1 || fsr_node_size(y) < 1)
        return (fsr_node){0};
    switch (form) {
    case 0: return fsr_mean(windows(x, false), (int[]){-1}, 1, 0);
    case 3: return fsr_trace(fuzz_filled(x, 3, (int64_t[]){4, 3, 2}), 1, 0, 1);
    case 8: return windows(x, true);
    case 9: return fsr_max(windows(x, false), (int[]){-1}, 1, 0);
    case 10: return fsr_isin(x, y);
    case 11:
    case 12: return put(x, y, form == 12);
    case 24:
    case 25: return between(x, y, form == 25);
    case 26:
    case 27:
    case 28:
    case 29: fsr_unique(unique, x, fsr_node_size(y) % 2); return fsr_filled(unique[form - 26], fsr_int(x.graph, 2));
    case 30: return fsr_gradient(x, 0.5, 0, 1);
    case 31: return fsr_diagonal(fuzz_filled(x, 2, (int64_t[]){4, 5}), -1, 0, 1);
    default: return form < 8 ? counted(x, y, form) : drawn(x, y, form);
    }
}
