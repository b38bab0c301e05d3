// SPDX-License-Identifier: MIT
// Launches of top_row.cuh and top_long.cuh, compiled ahead by nvcc: which kernel for which rows.
//
// Rows that a block can hold, or of which there are many, are a block each; long ones are taken one after the other by all blocks.
// What the host cannot know is asked by the kernel that ends a long row.
#include "backend_cuda/order_form.h"
#include "backend_cuda/top.h"
#include "backend_cuda/top_long.cuh"

namespace {

enum {
    SMALL_K = 64,         // k up to which least keys of threads are a threshold for a row
    SMALL_ROOM = 256,     // records of such a block
    LONG_ROW = 1 << 14,   // elements that are worth several blocks, in few rows
    FEW_ROWS = 16,
    VERY_LONG = 1 << 17,  // and in not so few
    SOME_ROWS = 128,
    DIGIT_BLOCKS = 1024
};

// ---- rows ----------------------------------------------------------------------------------------------------

template <class T, int ITEMS, int ROOM, int THREADS, bool REAL>
__global__ void __launch_bounds__(THREADS, 1024 / THREADS)
    row_kernel(fsr_order_form f, const T *in, uint64_t rows, unsigned n, unsigned k, unsigned groups, fsr_top_out out) {
    __shared__ fsr_top_shared<ROOM> s;
    for (uint64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        fsr_top_row<T, ITEMS, ROOM, REAL>(s, f, in + row * n, n, k, THREADS, groups, out, row * k);
        __syncthreads();
    }
}

template <class T, int ITEMS, int ROOM, int THREADS, bool REAL>
void rows_of(const fsr_cuda_top_search *s, const fsr_order_form &f, unsigned groups) {
    const unsigned blocks = s->rows < 1u << 30 ? (unsigned)s->rows : 1u << 30;
    row_kernel<T, ITEMS, ROOM, THREADS, REAL><<<blocks, THREADS, 0, s->stream>>>(
        f, (const T *)s->in, s->rows, (unsigned)s->n, s->k, groups, fsr_top_out{s->values, s->places, s->wide});
}

// Least keys of so many groups of threads; of twice k most of the first k are in different ones.
unsigned groups_of(unsigned k, unsigned threads) {
    unsigned groups = threads;
    while (groups / 2 >= 2 * k)
        groups /= 2;
    return groups;
}

// Threads hold what 32 words hold. Rows of short elements, which are sooner read again than unpacked, have one kernel less each.
template <class T, bool REAL> void rows(const fsr_cuda_top_search *s, const fsr_order_form &f) {
    constexpr int items = sizeof(T) == 8 ? 16 : sizeof(T) == 4 ? 32 : 0, threads = items == 32 ? 128 : 256;
    if (s->k > SMALL_K)
        rows_of<T, 0, FSR_TOP_MOST, 256, false>(s, f, 0);
    else if (s->n <= 4096)
        rows_of<T, items, SMALL_ROOM, threads, REAL>(s, f, groups_of(s->k, threads));
    else
        rows_of<T, 0, SMALL_ROOM, 256, REAL>(s, f, groups_of(s->k, 256));
}

// ---- long rows -----------------------------------------------------------------------------------------------

template <class T>
__global__ void __launch_bounds__(FSR_TOP_THREADS)
    sample_kernel(fsr_order_form f, const T *row, uint64_t n, unsigned apart, fsr_top_work *w) {
    __shared__ fsr_top_word least[FSR_TOP_THREADS];
    fsr_top_sample(least, f, row, n, apart, w);
}

__global__ void __launch_bounds__(FSR_TOP_FINISH)
    begin_kernel(unsigned k, fsr_top_word all, unsigned rank, fsr_top_work *w) {
    __shared__ fsr_top_shared<FSR_TOP_FINISH> s;
    fsr_top_begin(s, w, k, all, rank, FSR_TOP_FINISH);
}

template <bool REAL, class T>
__global__ void __launch_bounds__(FSR_TOP_THREADS)
    collect_kernel(fsr_order_form f, const T *row, uint64_t n, uint64_t chunk, fsr_top_work *w) {
    __shared__ unsigned ties;
    fsr_top_collect<REAL, FSR_TOP_THREADS>(&ties, f, row, n, chunk, blockIdx.x, w);
}

template <class T>
__global__ void __launch_bounds__(FSR_TOP_THREADS)
    digit_kernel(fsr_order_form f, const T *row, uint64_t n, fsr_top_work *w) {
    __shared__ fsr_top_shared<FSR_TOP_THREADS> s;
    fsr_top_digit<FSR_TOP_THREADS>(s, f, row, n, gridDim.x, 0, w);
}

template <class T>
__global__ void __launch_bounds__(FSR_TOP_FINISH)
    finish_kernel(fsr_order_form f, const T *row, uint64_t n, uint64_t chunk, unsigned chunks, unsigned k, unsigned safe,
                  fsr_top_work *w, fsr_top_out out, uint64_t at) {
    __shared__ fsr_top_shared<FSR_TOP_MOST> s;
    fsr_top_finish<FSR_TOP_FINISH>(s, f, row, n, chunk, chunks, k, safe, gridDim.x, w, out, at);
}

// Its arguments.
template <class T> struct finishing {
    fsr_order_form f;
    const T *row;
    uint64_t n, chunk;
    unsigned chunks, k, safe;
    fsr_top_work *w;
    fsr_top_out out;
    uint64_t at;
};

template <class T, bool REAL> cudaError_t long_row(const fsr_cuda_top_search *s, const fsr_order_form &f, uint64_t at) {
    const T *row = (const T *)s->in + at * s->n;
    const uint64_t n = s->n, part = (n + FSR_TOP_CHUNKS - 1) / FSR_TOP_CHUNKS;
    const uint64_t chunk = part < 8192 ? 8192 : (part + 4095) / 4096 * 4096;
    const unsigned chunks = (unsigned)((n + chunk - 1) / chunk);
    const fsr_top_sample_form of = fsr_top_sample_form_of(n, s->k);
    const bool sampled = n > FSR_TOP_LIST;
    fsr_top_work *const w = (fsr_top_work *)s->work;
    int device = 0, processors = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    if (error != cudaSuccess)
        return error;
    if (sampled)
        sample_kernel<<<FSR_TOP_SAMPLERS, FSR_TOP_THREADS, 0, s->stream>>>(f, row, n, of.apart, w);
    begin_kernel<<<1, FSR_TOP_FINISH, 0, s->stream>>>(s->k, f.all, sampled ? of.rank : 0, w);
    collect_kernel<REAL><<<chunks, FSR_TOP_THREADS, 0, s->stream>>>(f, row, n, chunk, w);
    finishing<T> a = {f, row, n, chunk, chunks, s->k, of.safe, w, {s->values, s->places, s->wide}, at * s->k};
    void *args[] = {&a.f, &a.row, &a.n, &a.chunk, &a.chunks, &a.k, &a.safe, &a.w, &a.out, &a.at};
    const unsigned blocks = chunks < (unsigned)processors ? chunks : (unsigned)processors;
    return cudaLaunchCooperativeKernel((const void *)finish_kernel<T>, blocks, FSR_TOP_FINISH, args, 0, s->stream);
}

// ---- ranks -----------------------------------------------------------------------------------------------------

template <class T>
__global__ void __launch_bounds__(FSR_TOP_THREADS) ranks_kernel(fsr_order_form f, const T *in, uint64_t rows, unsigned n,
                                                        const long long *rank, unsigned m, T *out) {
    __shared__ fsr_top_shared<SMALL_ROOM> s;
    for (uint64_t row = blockIdx.x; row < rows; row += gridDim.x)
        fsr_top_ranks<T, SMALL_ROOM>(s, f, in + row * n, n, rank + row * m, m, FSR_TOP_THREADS, out + row * m);
}

template <class T> __global__ void seek_kernel(const long long *rank, uint64_t n, fsr_top_work *w) {
    fsr_top_seek<T>(rank, n, w);
}
template <class T> __global__ void found_kernel(fsr_order_form f, const fsr_top_work *w, T *out) {
    fsr_top_found_it(f, w, out);
}

template <class T> void long_ranks(const fsr_cuda_ranks *s, const fsr_order_form &f) {
    const unsigned digits = s->n / 16384 < DIGIT_BLOCKS ? (unsigned)(s->n / 16384) + 1 : DIGIT_BLOCKS;
    fsr_top_work *const w = (fsr_top_work *)s->work;
    for (uint64_t i = 0; i < s->rows * s->m; i++) {
        const T *row = (const T *)s->in + i / s->m * s->n;
        seek_kernel<T><<<1, FSR_TOP_THREADS, 0, s->stream>>>((const long long *)s->rank + i, s->n, w);
        for (int bits = 8 * (int)sizeof(T); bits > 0; bits -= FSR_TOP_BITS)
            digit_kernel<<<digits, FSR_TOP_THREADS, 0, s->stream>>>(f, row, s->n, w);
        found_kernel<<<1, 32, 0, s->stream>>>(f, w, (T *)s->out + i);
    }
}

bool is_long(uint64_t rows, uint64_t n) {
    return (n >= LONG_ROW && rows <= FEW_ROWS) || (n >= VERY_LONG && rows <= SOME_ROWS);
}

template <class T> cudaError_t ranks(const fsr_cuda_ranks *s) {
    fsr_order_form f = fsr_order_form_of(s->key, 8 * (int)sizeof(T), false);
    const unsigned blocks = s->rows < 1u << 30 ? (unsigned)s->rows : 1u << 30;
    const long long *rank = (const long long *)s->rank;
    f.zeros = 0;
    if (is_long(s->rows, s->n))
        long_ranks<T>(s, f);
    else
        ranks_kernel<T><<<blocks, FSR_TOP_THREADS, 0, s->stream>>>(f, (const T *)s->in, s->rows, (unsigned)s->n, rank,
                                                                   s->m, (T *)s->out);
    return cudaGetLastError();
}

template <class T, bool REAL> cudaError_t run(const fsr_cuda_top_search *s) {
    const fsr_order_form f = fsr_order_form_of(s->key, 8 * (int)sizeof(T), s->greatest);
    const bool shared = is_long(s->rows, s->n);
    if (!shared)
        rows<T, REAL>(s, f);
    cudaError_t error = cudaSuccess;
    for (uint64_t row = 0; shared && error == cudaSuccess && row < s->rows; row++)
        error = long_row<T, REAL>(s, f, row);
    return error == cudaSuccess ? cudaGetLastError() : error;
}

} // namespace

extern "C" size_t fsr_cuda_top_work(void) {
    return sizeof(fsr_top_work);
}

extern "C" cudaError_t fsr_cuda_top_run(const fsr_cuda_top_search *s) {
    switch (s->key) {
    case FSR_CUB_U8:
    case FSR_CUB_I8: return run<uint8_t, false>(s);
    case FSR_CUB_U16:
    case FSR_CUB_I16:
    case FSR_CUB_F16:
    case FSR_CUB_BF16: return run<uint16_t, false>(s);
    case FSR_CUB_U64:
    case FSR_CUB_I64: return run<uint64_t, false>(s);
    case FSR_CUB_F64: return run<uint64_t, true>(s);
    case FSR_CUB_F32: return run<uint32_t, true>(s);
    default: return run<uint32_t, false>(s);
    }
}

extern "C" cudaError_t fsr_cuda_ranks_run(const fsr_cuda_ranks *s) {
    switch (s->key) {
    case FSR_CUB_U8:
    case FSR_CUB_I8: return ranks<uint8_t>(s);
    case FSR_CUB_U16:
    case FSR_CUB_I16:
    case FSR_CUB_F16:
    case FSR_CUB_BF16: return ranks<uint16_t>(s);
    case FSR_CUB_U64:
    case FSR_CUB_I64:
    case FSR_CUB_F64: return ranks<uint64_t>(s);
    default: return ranks<uint32_t>(s);
    }
}
