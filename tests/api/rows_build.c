/* SPDX-License-Identifier: MIT */
/* Rows: leaves, views, joining. */
#include "graph/graph.h"
#include "tests/api/build.h"

BUILD(float, GRAPH; NUMBER(v), g, v)
BUILD(int, GRAPH; BOUND(v), g, v)
BUILD(bool, GRAPH; bool v = api_bool(r), g, v)
BUILD(complex, GRAPH; NUMBER(re); NUMBER(im), g, re, im)
BUILD(full, GRAPH; DTYPE; SHAPE; NUMBER(v), g, dtype, ndim, shape, v)
BUILD(zeros, GRAPH; DTYPE; SHAPE, g, dtype, ndim, shape)
BUILD(ones, GRAPH; DTYPE; SHAPE, g, dtype, ndim, shape)
BUILD(full_like, NODE(x); NUMBER(v), x, v)
BUILD(eye, GRAPH; DTYPE; EXTENT(rows); EXTENT(cols); BOUND(k), g, dtype, rows, cols, k)
BUILD(linspace, GRAPH; DTYPE; NUMBER(a); NUMBER(b); EXTENT(n); bool end = api_bool(r), g, dtype, a, b, n, end)
BUILD(logspace, GRAPH; DTYPE; NUMBER(a); NUMBER(b); EXTENT(n); bool end = api_bool(r);
      NUMBER(base), g, dtype, a, b, n, end, base)
BUILD(geomspace, GRAPH; DTYPE; NUMBER(a); NUMBER(b); EXTENT(n); bool end = api_bool(r), g, dtype, a, b, n, end)
BUILD(arange_step, GRAPH; DTYPE; NUMBER(a); NUMBER(b); NUMBER(step), g, dtype, a, b, step)
BUILD(tri, GRAPH; DTYPE; EXTENT(rows); EXTENT(cols); BOUND(k), g, dtype, rows, cols, k)
BUILD(arange, GRAPH; DTYPE; EXTENT(n), g, dtype, n)
BUILD(counter, GRAPH; SHAPE, g, ndim, shape)
#define DRAW      \
    NODE(seed);   \
    NODE(stream); \
    NODE(i)
BUILD(random_bits, DRAW; DTYPE, seed, stream, i, dtype)
BUILD(random_uniform, DRAW; DTYPE, seed, stream, i, dtype)
BUILD(random_positive, DRAW; DTYPE, seed, stream, i, dtype)
BUILD(random_normal, DRAW; DTYPE, seed, stream, i, dtype)
BUILD(random_exponential, DRAW; DTYPE, seed, stream, i, dtype)
BUILD(random_bernoulli, DRAW; NODE(p), seed, stream, i, p)
BUILD(random_integers, DRAW; DTYPE; BOUND(low); BOUND(high), seed, stream, i, dtype, low, high)
BUILD(random_choice, DRAW; NODE(x), seed, stream, i, x)
BUILD(random_permutation, NODE(seed); NODE(stream); EXTENT(n), seed, stream, n)
BUILD(random_shuffle, NODE(seed); NODE(stream); NODE(x); AXIS(axis), seed, stream, x, axis)
BUILD(random_gamma, DRAW; NODE(shape), seed, stream, i, shape)
BUILD(random_poisson, DRAW; NODE(mean), seed, stream, i, mean)
#define SEQUENCE                                                 \
    GRAPH;                                                       \
    const fsr_generator generator = (fsr_generator)api_small(r); \
    const uint64_t seed = (uint64_t)api_small(r), offset = (uint64_t)api_small(r)
BUILD(curand_bits, SEQUENCE; SHAPE, g, generator, seed, offset, ndim, shape)
BUILD(curand_uniform, SEQUENCE; DTYPE; SHAPE, g, generator, seed, offset, dtype, ndim, shape)
BUILD(curand_normal, SEQUENCE; DTYPE; SHAPE, g, generator, seed, offset, dtype, ndim, shape)
BUILD(random_fold_in, DRAW, seed, stream, i)
BUILD(random_split, NODE(seed); NODE(stream); EXTENT(n), seed, stream, n)
BUILD(param, GRAPH; const char *name = api_name(r); DTYPE; NUMBER(v), g, name, dtype, v)
BUILD(cast, NODE(x); DTYPE, x, dtype)
BUILD(reshape, NODE(x); SHAPE, x, ndim, shape)
BUILD(broadcast_to, NODE(x); SHAPE, x, ndim, shape)
BUILD(transpose, NODE(x); const int *perm = api_ints(r, 8), x, perm)
BUILD(expand, NODE(x); AXIS(axis), x, axis)
BUILD(squeeze, NODE(x); AXIS(axis), x, axis)
BUILD(flip, NODE(x); AXIS(axis), x, axis)
BUILD(ravel, NODE(x), x)
BUILD(swapaxes, NODE(x); AXIS(a); AXIS(b), x, a, b)
BUILD(slice, NODE(x); AXIS(axis); BOUND(a); BOUND(b); BOUND(step), x, axis, a, b, step)
BUILD(update, NODE(x); NODE(view); NODE(y), x, view, y)
BUILD(filter, NODE(x); NODE(mask); NODE(fill), x, mask, fill)
BUILD(compress, NODE(mask); NODE(x), mask, x)
BUILD(flatnonzero, NODE(x), x)
BUILD(isin, NODE(x); NODE(others), x, others)
BUILD(repeat_counts, NODE(x); NODE(counts); EXTENT(n), x, counts, n)
BUILD(update_mask, NODE(x); NODE(mask); NODE(y), x, mask, y)
BUILD(live, NODE(x); NODE(of), x, of)
BUILD(filled, NODE(x); NODE(fill), x, fill)
BUILD(live_count, NODE(x), x)
BUILD(lexsort, NODES; int m; const int *axes = api_axes(r, &m), x, n, axes, m)
BUILD(concat, NODES; AXIS(axis), x, n, axis)
BUILD(stack, NODES; AXIS(axis), x, n, axis)
BUILD(diff, NODE(x); SMALL(n); AXIS(axis), x, n, axis)
BUILD(triu, NODE(x); BOUND(k), x, k)
BUILD(tril, NODE(x); BOUND(k), x, k)
BUILD(repeat, NODE(x); EXTENT(count); const int *axis = api_optional_axis(r), x, count, axis)

BUILD(around, NODE(x); SMALL(decimals), x, decimals)
BUILD(isclose, NODE(a); NODE(b); NUMBER(rtol); NUMBER(atol); bool nan = api_bool(r), a, b, rtol, atol, nan)
BUILD(allclose, NODE(a); NODE(b); NUMBER(rtol); NUMBER(atol); bool nan = api_bool(r), a, b, rtol, atol, nan)
BUILD(sinc, NODE(x), x)
BUILD(diagonal, NODE(x); BOUND(k); AXIS(a); AXIS(b), x, k, a, b)
BUILD(trace, NODE(x); BOUND(k); AXIS(a); AXIS(b), x, k, a, b)
BUILD(diag, NODE(x); BOUND(k), x, k)
BUILD(gradient, NODE(x); NUMBER(h); AXIS(axis); SMALL(order), x, h, axis, order)
BUILD(ediff1d, NODE(x); NODE(begin); NODE(end), x, begin, end)
BUILD(outer, NODE(a); NODE(b), a, b)
BUILD(kron, NODE(a); NODE(b), a, b)
BUILD(cross, NODE(a); NODE(b); AXIS(axis), a, b, axis)
BUILD(vecdot, NODE(a); NODE(b); AXIS(axis), a, b, axis)
BUILD(matmul, NODE(a); NODE(b), a, b)
BUILD(tensordot, NODE(a); NODE(b); int n = api_below(r, 5) - 1; const int *of_a = api_ints(r, n < 0 ? 0 : n);
      const int *of_b = api_ints(r, n < 0 ? 0 : n); api_add(r, ", %d", n), a, b, of_a, of_b, n)

static void call_einsum(api_run *r) {
    static const char *const text[] = {"ij,jk->ik", "ij,jk",     "ii",         "i,i->",       "...ij,...jk->...ik",
                                       "ij->ji",    "ijk,k->ij", "a,b,c->cab", "ij,",         "ij->k",
                                       "i1",        "......",    NULL,         "ij,jk,kl->il"};
    const char *subscripts = api_one_of(r, text, API_COUNT(text));
    int n;
    const fsr_node *x = api_nodes(r, &n);
    api_say(r, "fsr_einsum_at", 0, true);
    api_take(r, fsr_einsum_at(API_SITE(r), subscripts, x, n), 0, false);
}

BUILD(solve, NODE(a); NODE(b), a, b)
BUILD(inv, NODE(a), a)
BUILD(det, NODE(a), a)
BUILD(cholesky, NODE(a), a)
BUILD(svdvals, NODE(a), a)
BUILD(eigvalsh, NODE(a), a)
BUILD(fftn, NODE(x); int n; const int *axes = api_axes(r, &n), x, axes, n)
BUILD(ifftn, NODE(x); int n; const int *axes = api_axes(r, &n), x, axes, n)
BUILD(fft, NODE(x); AXIS(axis), x, axis)
BUILD(ifft, NODE(x); AXIS(axis), x, axis)
BUILD(rfft, NODE(x); AXIS(axis), x, axis)
BUILD(irfft, NODE(x); EXTENT(n); AXIS(axis), x, n, axis)
BUILD(vander, NODE(x); EXTENT(n); bool increasing = api_bool(r), x, n, increasing)

static fsr_overlap overlap_of(api_run *r) {
    const int kind = api_below(r, 32), overlap = kind < 30 ? kind % 3 : kind == 30 ? 3 : -1;
    api_add(r, ", (fsr_overlap)%d", overlap);
    return (fsr_overlap)overlap;
}

BUILD(convolve, NODE(a); NODE(v); fsr_overlap overlap = overlap_of(r), a, v, overlap)
BUILD(fftconvolve, NODE(a); NODE(v); fsr_overlap overlap = overlap_of(r), a, v, overlap)
BUILD(correlate, NODE(a); NODE(v); fsr_overlap overlap = overlap_of(r), a, v, overlap)

/* The address of a number, or none. */
static const double *limit_of(api_run *r) {
    static const double limits[] = {0, -1, 1e9, 1e308, 3.5};
    const double *limit = &limits[api_below(r, API_COUNT(limits))];
    const bool none = api_below(r, 4) == 3;
    if (none)
        api_add(r, ", NULL");
    else
        api_add(r, ", (double[]){%.17g}", *limit);
    return none ? NULL : limit;
}

BUILD(nan_to_num, NODE(x); NUMBER(nan); const double *posinf = limit_of(r);
      const double *neginf = limit_of(r), x, nan, posinf, neginf)

/* A count that the arrays have: 0 to 3, or, with no array, anything. */
static int count_of(api_run *r) {
    const int n = api_below(r, 16) < 15 ? api_below(r, 4) : -1;
    api_add(r, ", %d", n);
    return n;
}

static size_t at_least(int n) {
    return n > 0 ? (size_t)n : 0;
}

static void call_sliding_window(api_run *r) {
    int n;
    api_add(r, ", ");
    const fsr_node x = api_pick(r);
    int64_t *window = api_memory(r, FSR_MAX_DIMS * sizeof *window);
    for (int i = 0; i < FSR_MAX_DIMS; i++)
        window[i] = api_below(r, 8) < 7 ? 1 + api_below(r, 3) : api_below(r, 40) - 20;
    api_add(r, ", (int64_t[]){%d, %d, ...}", (int)window[0], (int)window[1]);
    const int *axes = api_axes(r, &n);
    api_say(r, "fsr_sliding_window_at", 0, true);
    api_take(r, fsr_sliding_window_at(API_SITE(r), x, window, axes, n), 0, false);
}

static void call_tile(api_run *r) {
    NODE(x);
    const int n = count_of(r);
    const int64_t *reps = api_wides(r, (int)at_least(n));
    api_say(r, "fsr_tile_at", 0, true);
    api_take(r, fsr_tile_at(API_SITE(r), x, n, reps), 0, false);
}

static void call_moveaxis(api_run *r) {
    NODE(x);
    const int n = api_below(r, 4);
    const int *from = api_ints(r, n), *to = api_ints(r, n);
    api_add(r, ", %d", n);
    api_say(r, "fsr_moveaxis_at", 0, true);
    api_take(r, fsr_moveaxis_at(API_SITE(r), x, from, to, n), 0, false);
}

static void call_roll(api_run *r) {
    NODE(x);
    const int n = api_below(r, 4);
    const int64_t *shift = api_wides(r, n);
    const int *axes = api_ints(r, n);
    api_add(r, ", %d", n);
    api_say(r, "fsr_roll_at", 0, true);
    api_take(r, fsr_roll_at(API_SITE(r), x, shift, axes, n), 0, false);
}

static void call_pad(api_run *r) {
    NODE(x);
    api_add(r, ", (void *)(int64_t[16]){");
    int64_t(*width)[2] = api_memory(r, sizeof *width * FSR_MAX_DIMS);
    const bool none = api_below(r, 32) == 31;
    for (int i = 0; i < 2 * FSR_MAX_DIMS; i++) {
        static const int64_t odd[] = {-1, INT64_MAX, (INT64_C(1) << 61) + 1, INT64_C(1) << 31};
        const int kind = api_byte(r);
        width[i / 2][i % 2] = kind < 248 ? kind % 3 : odd[kind % 4];
        api_add(r, "%s%lld", i ? ", " : "", (long long)width[i / 2][i % 2]);
    }
    api_add(r, none ? "} + NULL" : "}");
    const int kind = api_below(r, 32), mode = kind < 30 ? kind % 5 : kind == 30 ? 5 : -1;
    api_add(r, ", (fsr_pad)%d", mode);
    NUMBER(value);
    api_say(r, "fsr_pad_at", 0, true);
    api_take(r, fsr_pad_at(API_SITE(r), x, none ? NULL : (const int64_t(*)[2])width, (fsr_pad)mode, value), 0, false);
}

/* An element of dtype of any bits; 16 bytes where that is none. */
static const void *element_of(api_run *r, fsr_dtype dtype) {
    const size_t size = dtype >= 0 && dtype < FSR_DTYPE_COUNT ? fsr_dtype_size(dtype) : 16;
    unsigned char *value = api_memory(r, size);
    const int fill = api_byte(r);
    for (size_t i = 0; i < size; i++)
        value[i] = (unsigned char)(fill < 128 ? i == 0 ? fill : 0 : fill * (int)(i + 1));
    api_add(r, ", bytes(%zu, %d)", size, fill);
    return api_none(r) ? NULL : value;
}

static void call_full_of(api_run *r) {
    GRAPH;
    DTYPE;
    SHAPE;
    const void *value = element_of(r, dtype);
    api_say(r, "fsr_full_of_at", 0, true);
    api_take(r, fsr_full_of_at(API_SITE(r), g, dtype, ndim, shape, value), 0, false);
}

static void call_param_of(api_run *r) {
    GRAPH;
    const char *name = api_name(r);
    DTYPE;
    const void *value = element_of(r, dtype);
    api_say(r, "fsr_param_of_at", 0, true);
    api_take(r, fsr_param_of_at(API_SITE(r), g, name, dtype, value), 0, false);
}

/* ---- leaves with data -------------------------------------------------------------------------------------- */

/* Bytes of a shape; -1: it is none, or they overflow. */
static int64_t bytes_of(fsr_dtype dtype, int ndim, const int64_t *shape) {
    int64_t bytes = (int64_t)fsr_dtype_size(dtype);
    bool empty = false, over = false;
    if (ndim < 0 || ndim > FSR_MAX_DIMS || (ndim && !shape))
        return -1;
    for (int i = 0; i < ndim; i++) {
        if (shape[i] < 0)
            return -1;
        empty |= shape[i] == 0;
        over |= shape[i] && __builtin_mul_overflow(bytes, shape[i], &bytes);
    }
    return empty ? 0 : over ? -1 : bytes;
}

static void call_from_host(api_run *r) {
    GRAPH;
    DTYPE;
    SHAPE;
    const int64_t bytes = bytes_of(dtype, ndim, shape);
    const int fill = api_byte(r);
    unsigned char *data = NULL;
    if (bytes <= 1 << 16 && fill < 250) {
        data = api_memory(r, bytes > 0 ? (size_t)bytes : 64);
        for (int64_t i = 0; i < bytes; i++)
            data[i] = (unsigned char)(fill < 128 ? (i + fill) % 3 : fill * 2654435761u * (unsigned)(i + 1) >> 13);
    }
    api_add(r, data ? ", bytes(%lld, %d)" : ", NULL", (long long)bytes, fill);
    api_say(r, "fsr_from_host_at", 0, true);
    api_take(r, fsr_from_host_at(API_SITE(r), g, dtype, ndim, shape, data), 0, false);
}

static void call_input(api_run *r) {
    GRAPH;
    const char *name = api_name(r);
    DTYPE;
    SHAPE;
    api_say(r, "fsr_input_at", 0, true);
    fsr_node x = fsr_input_at(API_SITE(r), g, name, dtype, ndim, shape);
    if (fsr_node_status(x) == FSR_OK && r->ninputs < API_INPUTS) {
        api_input *input = &r->input[r->ninputs++];
        snprintf(input->name, sizeof input->name, "%s", name);
        input->bytes = fsr_node_bytes(x);
    }
    api_take(r, x, 0, false);
}

/* ---- several nodes ----------------------------------------------------------------------------------------- */

static void pair(api_run *r, const char *name, void (*f)(fsr_site, fsr_node, fsr_node *, fsr_node *)) {
    NODE(x);
    const int which = api_below(r, 8);
    fsr_node *out = api_memory(r, 2 * sizeof *out);
    api_add(r, which == 7 ? ", NULL, NULL" : which == 6 ? ", &t%d[0], NULL" : ", &t%d[0], &t%d[1]", r->at, r->at);
    api_say(r, name, 2, true);
    f(API_SITE(r), x, which == 7 ? NULL : &out[0], which >= 6 ? NULL : &out[1]);
    api_take_all(r, out, which == 7 ? 0 : which == 6 ? 1 : 2);
}

static void call_sincos(api_run *r) {
    pair(r, "fsr_sincos_at", fsr_sincos_at);
}

static void call_frexp(api_run *r) {
    pair(r, "fsr_frexp_at", fsr_frexp_at);
}

static void call_slogdet(api_run *r) {
    pair(r, "fsr_slogdet_at", fsr_slogdet_at);
}

static void call_eigh(api_run *r) {
    pair(r, "fsr_eigh_at", fsr_eigh_at);
}

static void call_qr(api_run *r) {
    NODE(a);
    const bool complete = api_bool(r), both = api_below(r, 4) > 0;
    fsr_node *out = api_memory(r, 2 * sizeof *out);
    api_add(r, both ? ", &t%d[0], &t%d[1]" : ", &t%d[0], NULL", r->at, r->at);
    api_say(r, "fsr_qr_at", 2, true);
    fsr_qr_at(API_SITE(r), a, complete, &out[0], both ? &out[1] : NULL);
    api_take_all(r, out, both ? 2 : 1);
}

static void call_svd(api_run *r) {
    NODE(a);
    const int n = 1 + api_below(r, 3);
    fsr_node *out = api_memory(r, 3 * sizeof *out);
    api_add(r,
            n == 3   ? ", &t%d[0], &t%d[1], &t%d[2]"
            : n == 2 ? ", &t%d[0], &t%d[1], NULL"
                     : ", &t%d[0], NULL, NULL",
            r->at, r->at, r->at);
    api_say(r, "fsr_svd_at", 3, true);
    fsr_svd_at(API_SITE(r), a, &out[0], n > 1 ? &out[1] : NULL, n > 2 ? &out[2] : NULL);
    api_take_all(r, out, n);
}

static void call_modf(api_run *r) {
    pair(r, "fsr_modf_at", fsr_modf_at);
}

static void call_divmod(api_run *r) {
    NODE(a);
    NODE(b);
    fsr_node *out = api_memory(r, 2 * sizeof *out);
    api_add(r, ", &t%d[0], &t%d[1]", r->at, r->at);
    api_say(r, "fsr_divmod_at", 2, true);
    fsr_divmod_at(API_SITE(r), a, b, &out[0], &out[1]);
    api_take_all(r, out, 2);
}

static void call_meshgrid(api_run *r) {
    api_add(r, ", t%d", r->at);
    int n;
    const fsr_node *x = api_nodes(r, &n);
    fsr_node *out = api_memory(r, sizeof *out * at_least(n));
    const int flags = api_flags(r);
    api_say(r, "fsr_meshgrid_at", 16, true);
    fsr_meshgrid_at(API_SITE(r), out, x, n, flags);
    api_take_all(r, out, n);
}

static void call_gradients(api_run *r) {
    double spacing[16];
    api_add(r, ", t%d", r->at);
    NODE(x);
    for (int i = 0; i < 16; i++)
        spacing[i] = i + 0.5;
    const bool spaced = api_bool(r);
    int n;
    const int *axes = api_axes(r, &n);
    SMALL(order);
    fsr_node *out = api_memory(r, sizeof *out * at_least(n));
    api_say(r, "fsr_gradients_at", 16, true);
    fsr_gradients_at(API_SITE(r), out, x, spaced && n <= 16 ? spacing : NULL, axes, n, order);
    api_take_all(r, out, n);
}

static void call_partition_by(api_run *r) {
    fsr_node *out = api_memory(r, sizeof *out * 2);
    api_add(r, ", t%d", r->at);
    NODE(mask);
    NODE(x);
    api_say(r, "fsr_partition_by_at", 2, true);
    fsr_partition_by_at(API_SITE(r), out, mask, x);
    api_take_all(r, out, 2);
}

static void call_run_lengths(api_run *r) {
    fsr_node *out = api_memory(r, sizeof *out * 2);
    api_add(r, ", t%d", r->at);
    NODE(x);
    api_say(r, "fsr_run_lengths_at", 2, true);
    fsr_run_lengths_at(API_SITE(r), out, x);
    api_take_all(r, out, 2);
}

static void call_unique(api_run *r) {
    fsr_node *out = api_memory(r, sizeof *out * 4);
    api_add(r, ", t%d", r->at);
    NODE(x);
    const bool equal_nan = api_bool(r);
    api_say(r, "fsr_unique_at", 4, true);
    fsr_unique_at(API_SITE(r), out, x, equal_nan);
    api_take_all(r, out, 4);
}

static void call_mode(api_run *r) {
    fsr_node *out = api_memory(r, sizeof *out * 2);
    api_add(r, ", t%d", r->at);
    NODE(x);
    int n;
    const int *axes = api_axes(r, &n);
    const int flags = api_flags(r);
    api_say(r, "fsr_mode_at", 2, true);
    fsr_mode_at(API_SITE(r), out, x, axes, n, flags);
    api_take_all(r, out, 2);
}

static void call_split(api_run *r) {
    static const int counts[] = {1, 2, 3, 4, 5, 12, 0, -1, 16};
    const int parts = counts[api_below(r, API_COUNT(counts))];
    fsr_node *out = api_memory(r, sizeof *out * at_least(parts));
    api_add(r, ", t%d", r->at);
    NODE(x);
    api_add(r, ", %d", parts);
    AXIS(axis);
    api_say(r, "fsr_split_at", 16, true);
    fsr_split_at(API_SITE(r), out, x, parts, axis);
    api_take_all(r, out, parts);
}

static void call_split_indices(api_run *r) {
    api_add(r, ", t%d", r->at);
    NODE(x);
    const int n = api_below(r, 4);
    const int64_t *indices = api_wides(r, n);
    api_add(r, ", %d", n);
    AXIS(axis);
    fsr_node *out = api_memory(r, sizeof *out * (size_t)(n + 1));
    api_say(r, "fsr_split_indices_at", 8, true);
    fsr_split_indices_at(API_SITE(r), out, x, indices, n, axis);
    api_take_all(r, out, n + 1);
}

static void call_hint_set(api_run *r) {
    NODE(x);
    const int kind = api_below(r, 16), hint = kind < 14 ? kind % 3 : kind == 14 ? 3 : -1;
    api_add(r, ", (fsr_hint)%d", hint);
    api_say(r, "fsr_hint_set", 0, false);
    r->live &= fsr_node_status(x) != FSR_ERR_STALE; /* it is returned as it is */
    api_take(r, fsr_hint_set(x, (fsr_hint)hint), 0, false);
}

static void call_hint_pair(api_run *r) {
    NODE(x);
    NODE(y);
    const int kind = api_below(r, 16), hint = kind < 14 ? kind % 3 : kind == 14 ? 3 : -1;
    api_add(r, ", (fsr_pair_hint)%d", hint);
    api_say(r, "fsr_hint_pair", 0, false);
    api_status(r, fsr_hint_pair(x, y, (fsr_pair_hint)hint), true);
}

const api_row api_build_rows[] = {
    ROW(float, 2),
    ROW(int, 3),
    ROW(bool, 1),
    ROW(complex, 1),
    ROW(full, 3),
    ROW(zeros, 2),
    ROW(ones, 1),
    ROW(full_like, 1),
    ROW(eye, 1),
    ROW(linspace, 2),
    ROW(arange, 4),
    ROW(counter, 2),
    ROW(random_bits, 2),
    ROW(random_uniform, 2),
    ROW(random_positive, 1),
    ROW(random_normal, 2),
    ROW(random_exponential, 1),
    ROW(random_bernoulli, 1),
    ROW(random_integers, 1),
    ROW(random_choice, 1),
    ROW(random_permutation, 1),
    ROW(random_shuffle, 1),
    ROW(random_gamma, 1),
    ROW(random_poisson, 1),
    ROW(random_fold_in, 1),
    ROW(curand_bits, 1),
    ROW(curand_uniform, 1),
    ROW(curand_normal, 1),
    ROW(random_split, 1),
    ROW(param, 2),
    ROW(cast, 4),
    ROW(reshape, 4),
    ROW(broadcast_to, 4),
    ROW(transpose, 3),
    ROW(expand, 3),
    ROW(squeeze, 2),
    ROW(flip, 3),
    ROW(ravel, 2),
    ROW(swapaxes, 2),
    ROW(slice, 6),
    ROW(update, 5),
    ROW(filter, 3),
    ROW(compress, 4),
    ROW(flatnonzero, 2),
    ROW(repeat_counts, 2),
    ROW(update_mask, 3),
    ROW(partition_by, 2),
    ROW(run_lengths, 2),
    ROW(unique, 2),
    ROW(isin, 2),
    ROW(mode, 1),
    ROW(live, 2),
    ROW(filled, 3),
    ROW(live_count, 2),
    ROW(lexsort, 1),
    ROW(concat, 4),
    ROW(stack, 3),
    ROW(diff, 3),
    ROW(triu, 2),
    ROW(tril, 2),
    ROW(repeat, 2),
    ROW(tile, 3),
    ROW(sliding_window, 3),
    ROW(moveaxis, 2),
    ROW(roll, 3),
    ROW(pad, 5),
    ROW(from_host, 6),
    ROW(input, 3),
    ROW(sincos, 1),
    ROW(frexp, 1),
    ROW(meshgrid, 2),
    ROW(logspace, 1),
    ROW(geomspace, 1),
    ROW(arange_step, 2),
    ROW(tri, 1),
    ROW(around, 2),
    ROW(isclose, 1),
    ROW(allclose, 1),
    ROW(sinc, 1),
    ROW(diagonal, 3),
    ROW(trace, 1),
    ROW(diag, 2),
    ROW(gradient, 2),
    ROW(gradients, 2),
    ROW(ediff1d, 1),
    ROW(outer, 1),
    ROW(kron, 2),
    ROW(cross, 1),
    ROW(vecdot, 1),
    ROW(matmul, 3),
    ROW(tensordot, 2),
    ROW(einsum, 2),
    ROW(solve, 2),
    ROW(inv, 1),
    ROW(det, 1),
    ROW(slogdet, 1),
    ROW(cholesky, 1),
    ROW(qr, 1),
    ROW(svd, 1),
    ROW(svdvals, 1),
    ROW(eigh, 1),
    ROW(eigvalsh, 1),
    ROW(fft, 1),
    ROW(ifft, 1),
    ROW(rfft, 1),
    ROW(irfft, 2),
    ROW(fftn, 1),
    ROW(ifftn, 1),
    ROW(fftconvolve, 1),
    ROW(vander, 1),
    ROW(convolve, 2),
    ROW(correlate, 1),
    ROW(nan_to_num, 1),
    ROW(modf, 1),
    ROW(divmod, 1),
    ROW(split, 2),
    ROW(split_indices, 2),
    ROW(full_of, 1),
    ROW(param_of, 1),
    {"fsr_hint_set", call_hint_set, 2},
    {"fsr_hint_pair", call_hint_pair, 3},
};
const int api_build_count = API_COUNT(api_build_rows);
