/* SPDX-License-Identifier: MIT */
/* Library calls in random graphs: products of matrices, and a call of a program's own: the elements backwards, with a
 * result beside them that has another shape and is never read. */
#include "tests/fuzz/recipe.h"
#include "tests/support/joined.h"
#include <string.h>
#if FUSOR_HAVE_CUDA
#include <cuda_runtime_api.h>
#endif

static fsr_status types(const fsr_call_frame *s) {
    s->output[0] = s->input[0];
    s->output[1] = (fsr_frame_array){.dtype = FSR_I64, .ndim = 1, .shape = {3}};
    return FSR_OK;
}

static int64_t work(const fsr_call_frame *s) {
    (void)s;
    return 16;
}

static int64_t elements(const fsr_frame_array *in) {
    int64_t n = 1;
    for (int i = 0; i < in->ndim; i++)
        n *= in->shape[i];
    return n;
}

static fsr_status backwards(const fsr_call_frame *s) {
    const fsr_frame_array *in = &s->input[0];
    const size_t size = fsr_dtype_size(in->dtype);
    const int64_t n = elements(in);
    for (int64_t i = 0; i < n && s->output[0].data; i++) {
        memcpy(s->work, (const char *)in->data + (size_t)(n - 1 - i) * size, size);
        memcpy((char *)s->output[0].data + (size_t)i * size, s->work, size);
    }
    if (s->output[1].data)
        memset(s->output[1].data, 0, 3 * sizeof(int64_t));
    return FSR_OK;
}

#if FUSOR_HAVE_CUDA
static fsr_status backwards_cuda(const fsr_call_frame *s) {
    const fsr_frame_array *in = &s->input[0];
    const size_t size = fsr_dtype_size(in->dtype);
    const int64_t n = elements(in);
    cudaError_t e = cudaSuccess;
    for (int64_t i = 0; i < n && s->output[0].data && !e; i++)
        e = cudaMemcpyAsync((char *)s->output[0].data + (size_t)i * size,
                            (const char *)in->data + (size_t)(n - 1 - i) * size, size, cudaMemcpyDeviceToDevice,
                            s->stream);
    if (s->output[1].data && !e)
        e = cudaMemsetAsync(s->output[1].data, 0, 3 * sizeof(int64_t), s->stream);
    return e ? FSR_ERR_DEVICE : FSR_OK;
}
#endif

fsr_node fuzz_backwards(fsr_node x) {
    static const fsr_callee callee = {
        .name = "backwards",
        .inputs = 1,
        .outputs = 2,
        .infer = types,
        .work = work,
        .cpu = backwards,
#if FUSOR_HAVE_CUDA
        .cuda = backwards_cuda
#endif
    };
    fsr_node out[2];
    fsr_call_library(x.graph, out, &callee, &x, 1);
    return out[0];
}

fsr_node fuzz_filled(fsr_node x, int ndim, const int64_t *shape) {
    int64_t n = 1;
    for (int i = 0; i < ndim; i++)
        n *= shape[i];
    const int64_t have = fsr_node_size(x), times = (n + have - 1) / have;
    return fsr_reshape(fsr_slice(fsr_tile(fsr_reshape(x, 1, &have), 1, &times), 0, 0, n, 1), ndim, shape);
}

/* Of small matrices whose diagonal is large, so that most have a solution: real ones, or complex ones where x is. */
static fsr_node of_matrices(fsr_node x, fsr_node y, int form) {
    enum { N = 4, B = 3 };
    const bool is_complex = fsr_node_dtype(x) >= FSR_C64 && fsr_node_dtype(x) != FSR_DTYPE_COUNT;
    fsr_node off = fuzz_filled(is_complex ? fsr_real(x) : x, 3, (int64_t[]){B, N, N});
    fsr_node a = fsr_add(fsr_cos(off), fsr_mul(fsr_eye(x.graph, FSR_F32, N, N, 0), fsr_int(x.graph, 6)));
    fsr_node u, s, vt;
    if (is_complex)
        a = fsr_add(a, fsr_mul(fsr_sin(off), fsr_complex(x.graph, 0, 0.5)));
    switch (form) {
    case 6: return fsr_solve(a, fuzz_filled(y, 2, (int64_t[]){N, 2}));
    case 7: return fsr_cholesky(a);
    case 8: fsr_qr(fsr_slice(a, 2, 0, N - 1, 1), false, &u, &vt); return fsr_add(u, fsr_slice(vt, 1, 0, 1, 1));
    case 9: fsr_svd(fsr_slice(a, 1, 0, N - 1, 1), &u, &s, &vt); return fsr_mul(fsr_expand(s, 1), u);
    case 10: return fsr_inv(a);
    case 11: return fsr_det(a);
    case 12: fsr_slogdet(a, &u, &s); return fsr_add(u, s);
    case 13: return fsr_svdvals(fsr_slice(a, 2, 0, N - 1, 1));
    case 14: fsr_eigh(a, &s, &u); return fsr_add(s, fsr_sum(fsr_abs(u), (int[]){-2}, 1, 0));
    default: fsr_qr(fsr_slice(a, 2, 0, N - 1, 1), true, &u, NULL); return fsr_add(u, fsr_expand(fsr_eigvalsh(a), -1));
    }
}

fsr_node fuzz_matmul(fsr_node x, fsr_node y, int form) {
    enum { M = 18, N = 20, K = 24, B = 2 };
    if (fsr_node_size(x) == 0 || fsr_node_size(y) == 0)
        return fsr_matmul(fsr_reshape(x, 1, (int64_t[]){fsr_node_size(x)}),
                          fsr_zeros(x.graph, fsr_node_dtype(x), 2, (int64_t[]){fsr_node_size(x), 3}));
    if (form > 5)
        return of_matrices(x, y, form);
    switch (form) {
    case 5: {
        const int64_t n[] = {fsr_node_size(x), fsr_node_size(y)};
        return fsr_fftconvolve(fsr_reshape(x, 1, &n[0]), fsr_reshape(y, 1, &n[1]), FSR_FULL);
    }
    case 1: {
        fsr_node b = fuzz_filled(y, 2, (int64_t[]){K, N});
        return joined(fsr_matmul(fsr_transpose(fuzz_filled(x, 2, (int64_t[]){K, M}), NULL), b),
                      fsr_sum(b, (int[]){0}, 1, 0));
    }
    case 2:
        return fsr_matmul(fuzz_filled(x, 2, (int64_t[]){M, K}),
                          fsr_transpose(fuzz_filled(y, 2, (int64_t[]){N, K}), NULL));
    case 3: return fsr_matmul(fuzz_filled(x, 3, (int64_t[]){B, M, K}), fuzz_filled(y, 2, (int64_t[]){K, N}));
    case 4:
        return fsr_matmul(fsr_slice(fuzz_filled(x, 2, (int64_t[]){M, K + 3}), 1, 3, K + 3, 1),
                          fsr_flip(fuzz_filled(y, 2, (int64_t[]){K, N}), 1));
    default: return fsr_matmul(fuzz_filled(x, 2, (int64_t[]){M, K}), fuzz_filled(y, 2, (int64_t[]){K, N}));
    }
}
