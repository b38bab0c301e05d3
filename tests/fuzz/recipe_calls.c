/* SPDX-License-Identifier: MIT */
/* Calls of libraries by the builders that record them in forms of their own: einsum, tensordot, batches of products and
 * of linear algebra, convolutions, Fourier transforms, sums and orders of segments, cuRAND's sequences. Each is there
 * with elements, and with an extent of 0. */
#include "runtime/curand.h"
#include "tests/fuzz/recipe.h"

enum { KINDS = FUZZ_CALLS / 2, M = 18, N = 20, K = 24 };

/* Products large enough for a library; there are so many batches, or nothing to be summed. */
static fsr_node of_products(fsr_node x, fsr_node y, int form, bool none) {
    const int64_t b = none ? 0 : 2, k = none ? 0 : K;
    fsr_node in[2];
    switch (form) {
    case 0:
        in[0] = fuzz_filled(x, 3, (int64_t[]){b, M, K});
        in[1] = fuzz_filled(y, 3, (int64_t[]){b, K, N});
        return fsr_einsum("bij,bjk->bik", in, 2);
    case 1:
        in[0] = fuzz_filled(x, 2, (int64_t[]){M, k});
        in[1] = fuzz_filled(y, 2, (int64_t[]){N, k});
        return fsr_einsum("ij,kj->ki", in, 2);
    case 2: in[0] = fuzz_filled(x, 3, (int64_t[]){b, 3, 3}); return fsr_einsum("bii->bi", in, 1);
    case 3:
        return fsr_tensordot(fuzz_filled(x, 3, (int64_t[]){4, M, k / 4}), fuzz_filled(y, 3, (int64_t[]){k / 4, N, 4}),
                             (int[]){0, 2}, (int[]){2, 0}, 2);
    case 4: return fsr_matmul(fuzz_filled(x, 4, (int64_t[]){b, 1, M, K}), fuzz_filled(y, 3, (int64_t[]){3, K, N}));
    default:
        return fsr_convolve(fuzz_filled(x, 1, (int64_t[]){none ? 1 : 9}), fuzz_filled(y, 1, (int64_t[]){5}),
                            none ? FSR_SAME : FSR_FULL);
    }
}

static fsr_node of_transforms(fsr_node x, int form, bool none) {
    enum { ROW = 15 };
    fsr_node rows = fuzz_filled(x, 3, (int64_t[]){none ? 0 : 2, 6, ROW});
    switch (form) {
    case 6: return fsr_fft(rows, 2);
    case 7: return fsr_ifft(rows, 1);
    case 8: return fsr_rfft(rows, 2);
    case 9: return fsr_irfft(rows, 2 * ROW - 1, 2);
    case 10: return fsr_fftn(rows, (int[]){1, 2}, 2);
    default: return fsr_ifftn(rows, (int[]){2, 1}, 2);
    }
}

/* Segments of three elements behind one that has none. */
static fsr_node of_segments(fsr_node x, int form, bool none) {
    fsr_graph *g = x.graph;
    const int64_t n = none ? 0 : 30;
    fsr_node values = fuzz_filled(x, 1, &n);
    fsr_node ends = fsr_mul(fsr_int(g, 3), fsr_arange(g, FSR_I64, none ? 1 : 11));
    fsr_node offsets = fsr_concat(((fsr_node[]){fsr_zeros(g, FSR_I64, 1, (int64_t[]){1}), ends}), 2, 0);
    switch (form) {
    case 12: return fsr_segment_sum(values, offsets);
    case 13: return fsr_segment_prod(values, offsets);
    case 14: return fsr_segment_min(values, offsets);
    case 15: return fsr_segment_argmax(values, offsets);
    case 16: return fsr_segment_last(values, offsets);
    default: return fsr_segment_sort(values, offsets, n ? FSR_DESCENDING : 0);
    }
}

/* Of small matrices whose diagonal is large, or of none. */
static fsr_node of_matrices(fsr_node x, fsr_node y, int form, bool none) {
    enum { SIDE = 3 };
    const int64_t b = none ? 0 : 2;
    fsr_node a = fsr_add(fsr_sin(fuzz_filled(x, 3, (int64_t[]){b, SIDE, SIDE})),
                         fsr_mul(fsr_eye(x.graph, FSR_F32, SIDE, SIDE, 0), fsr_int(x.graph, 6)));
    fsr_node u, s;
    switch (form) {
    case 18: return fsr_solve(a, fuzz_filled(y, 3, (int64_t[]){b, SIDE, 2}));
    case 19: return fsr_inv(a);
    case 20: fsr_slogdet(a, &s, &u); return fsr_mul(s, u);
    case 21: return fsr_cholesky(fsr_matmul(a, fsr_swapaxes(a, 1, 2)));
    case 22: fsr_qr(a, none, &u, &s); return fsr_matmul(u, s);
    case 23: return fsr_svdvals(a);
    default: return fsr_eigvalsh(a);
    }
}

/* Numbers of four of cuRAND's generators; where it is missing zeros stand for them, so that a seed's graph has the same
 * steps on every machine. */
static fsr_node of_sequences(fsr_node x, int form, bool none) {
    fsr_curand c = {.host = true};
    fsr_fault fault = {0};
    const int64_t shape[] = {2, none ? 0 : 6};
    const fsr_dtype dtype[] = {FSR_U32, FSR_F64, FSR_F32, FSR_U64};
    if (fsr_curand_load(&c, &fault)) {
        fsr_fault_clear(&fault);
        return fsr_zeros(x.graph, dtype[form - 25], 2, shape);
    }
    switch (form) {
    case 25: return fsr_curand_bits(x.graph, FSR_XORWOW, 7, 3, 2, shape);
    case 26: return fsr_curand_uniform(x.graph, FSR_MRG32K3A, 7, 0, FSR_F64, 2, shape);
    case 27: return fsr_curand_normal(x.graph, FSR_SCRAMBLED_SOBOL32, 0, 1, FSR_F32, 2, shape);
    default: return fsr_curand_bits(x.graph, FSR_SOBOL64, 0, 2, 2, shape);
    }
}

/* Sums of segments, or of a sparse matrix' rows, long enough for a call; the last one has no elements. */
static fsr_node of_many(fsr_node x, fsr_node y, bool sparse) {
    enum { MANY = 1 << 18, PARTS = 4 };
    fsr_graph *g = x.graph;
    fsr_node offsets = fsr_minimum(fsr_mul(fsr_arange(g, FSR_I64, PARTS + 1), fsr_int(g, 100000)), fsr_int(g, MANY));
    fsr_node values = fuzz_filled(x, 1, (int64_t[]){MANY});
    if (!sparse)
        return fsr_segment_sum(values, offsets);
    const fsr_csr a = {.offsets = offsets,
                       .columns = fsr_mod(fsr_arange(g, FSR_I64, MANY), fsr_int(g, N)),
                       .values = values,
                       .rows = PARTS,
                       .cols = N};
    return fsr_csr_dot(&a, fuzz_filled(y, 1, (int64_t[]){N}));
}

fsr_node fuzz_calls(fsr_node x, fsr_node y, int form) {
    const bool none = form >= KINDS;
    const int kind = form % KINDS;
    if (fsr_node_size(x) < 1 || fsr_node_size(y) < 1)
        return (fsr_node){0};
    return kind < 6    ? of_products(x, y, kind, none)
           : kind < 12 ? of_transforms(x, kind, none)
           : kind < 18 ? of_segments(x, kind, none)
           : kind < 25 ? of_matrices(x, y, kind, none)
           : kind < 29 ? of_sequences(x, kind, none)
                       : of_many(x, y, none);
}
