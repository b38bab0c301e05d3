// SPDX-License-Identifier: MIT
// Radix sorts behind a C function, compiled ahead by nvcc; backend_cuda/sort.h says what it does. CUB's headers take
// longer to compile than a program may wait for, so nothing of this is generated at run time.
//
// Elements alone of 32 and 64 bits are CUB's, sorted as what they are: it compares floats as -0 = 0 and keeps their bits. NaN with a
// sign comes out first; what was sorted is then moved over it, by one kernel that leaves at once where the first element is none and
// the last one is none. So nothing asks for NaN before. Counter-example to a pass that makes one NaN of all: a third pass over memory.
// Places go with words in the order of the elements, of 32 or 64 bits (sort_sweep.cuh); shorter elements, which have one or two
// digits, always go so. Elements are picked by their places afterwards.
// Rows of up to FSR_CUB_ROW elements are one kernel, whose blocks have one or several (sort_rows.cuh). Longer ones are all sorted
// together, and then by row, which keeps the order: two stable sorts whose time does not ask how long rows are.
#include "backend_cuda/order_form.h"
#include "backend_cuda/sort_rows.cuh"
#include "backend_cuda/sort_sweep.cuh"
#include <cooperative_groups.h>
#include <cub/device/device_radix_sort.cuh>

namespace {

enum {
    THREADS = 256,
    ALIGN = 256,
    COUNT_THREADS = 128,
    COUNT_BLOCKS = 16, // of a multiprocessor
    SWEEP_THREADS = 384,
    SETTLE_THREADS = 1024,
    ROWS_THREADS = 256, // of a block that has short rows
    ROW_THREADS = FSR_CUB_ROW / FSR_ROWS_ITEMS,
    DIGITS = FSR_SWEEP_DIGITS
};

template <class Word> constexpr int sweep_items = sizeof(Word) == 8 ? 15 : 23;

// A workspace from which pieces are taken.
struct pieces {
    char *at;
    size_t left;
    void *take(size_t bytes) {
        const size_t whole = (bytes + ALIGN - 1) / ALIGN * ALIGN;
        if (whole > left)
            return nullptr;
        void *piece = at;
        at += whole;
        left -= whole;
        return piece;
    }
};

unsigned blocks_of(uint64_t n) {
    const uint64_t blocks = (n + THREADS - 1) / THREADS;
    return blocks < 1u << 20 ? (unsigned)blocks : 1u << 20;
}

cudaError_t processors_of(int *out) {
    int device = 0;
    const cudaError_t error = cudaGetDevice(&device);
    return error == cudaSuccess ? cudaDeviceGetAttribute(out, cudaDevAttrMultiProcessorCount, device) : error;
}

// ---- passes --------------------------------------------------------------------------------------------------

// What the passes of a sort share.
struct sweeps {
    cudaStream_t stream;
    unsigned n;
    unsigned *count; // of each digit; then where its elements go
    unsigned *next;  // the same for the parts of a pass, twice
    unsigned *said;  // a ticket, and behind it what tiles say
    size_t said_bytes;
};

template <int PASSES, class Source>
__global__ void __launch_bounds__(COUNT_THREADS) count_kernel(Source source, unsigned n, unsigned passes, unsigned *count) {
    __shared__ unsigned shared[PASSES][DIGITS];
    fsr_sweep_count<PASSES, COUNT_THREADS>(shared, source, n, passes, gridDim.x, count);
}

__global__ void __launch_bounds__(DIGITS) starts_kernel(unsigned *count) {
    __shared__ unsigned sum[DIGITS / 32];
    unsigned *own = count + blockIdx.x * DIGITS + threadIdx.x;
    *own = fsr_sweep_before(sum, *own);
}

template <int ITEMS, class Source, class Sink>
__global__ void __launch_bounds__(SWEEP_THREADS, 2) sweep_kernel(Source source, Sink sink, fsr_sweep_part part) {
    __shared__ fsr_sweep_shared<typename Source::word, SWEEP_THREADS, ITEMS> s;
    fsr_sweep<SWEEP_THREADS, ITEMS>(s, source, sink, part);
}

template <int PASSES, class Source> cudaError_t count_digits(const sweeps &j, const Source &source, unsigned passes) {
    int processors = 0;
    cudaError_t error = processors_of(&processors);
    if (error == cudaSuccess)
        error = cudaMemsetAsync(j.count, 0, PASSES * DIGITS * sizeof *j.count, j.stream);
    if (error != cudaSuccess)
        return error;
    const unsigned tiles = (j.n - 1) / (COUNT_THREADS * FSR_SWEEP_COUNTED) + 1, most = processors * COUNT_BLOCKS;
    count_kernel<PASSES><<<tiles < most ? tiles : most, COUNT_THREADS, 0, j.stream>>>(source, j.n, passes, j.count);
    starts_kernel<<<passes, DIGITS, 0, j.stream>>>(j.count);
    return cudaGetLastError();
}

// Pass p, in parts whose counts have room beside what tiles say.
template <class Source, class Sink>
cudaError_t sweep(const sweeps &j, const Source &source, const Sink &sink, unsigned p) {
    constexpr int items = sweep_items<typename Source::word>;
    constexpr unsigned tile = SWEEP_THREADS * items, most = (1u << 28) / tile * tile;
    const unsigned parts = (j.n - 1) / most + 1;
    for (unsigned i = 0; i < parts; i++) {
        const unsigned low = i * most, n = j.n - low < most ? j.n - low : most, tiles = (n - 1) / tile + 1;
        const size_t bytes = ALIGN + (size_t)tiles * DIGITS * sizeof *j.said;
        if (bytes > j.said_bytes)
            return cudaErrorMemoryAllocation;
        const cudaError_t error = cudaMemsetAsync(j.said, 0, bytes, j.stream);
        if (error != cudaSuccess)
            return error;
        const fsr_sweep_part part = {low,
                                     n,
                                     p * FSR_SWEEP_BITS,
                                     i ? j.next + i % 2 * DIGITS : j.count + p * DIGITS,
                                     i + 1 < parts ? j.next + (i + 1) % 2 * DIGITS : nullptr,
                                     j.said + ALIGN / sizeof *j.said,
                                     j.said};
        sweep_kernel<items><<<tiles, SWEEP_THREADS, 0, j.stream>>>(source, sink, part);
    }
    return cudaGetLastError();
}

// The last pass: places as u32, or as i64.
template <class Source> cudaError_t sweep_last(const sweeps &j, const Source &source, void *to, bool wide, unsigned p) {
    return wide ? sweep(j, source, fsr_sweep_to_places<long long>{(long long *)to}, p)
                : sweep(j, source, fsr_sweep_to_places<unsigned>{(unsigned *)to}, p);
}

// Buffers that a pass reads, and writes.
template <class Word> struct buffers {
    Word *word[2];
    unsigned *place[2];
    fsr_sweep_pairs<Word> from(unsigned i) const {
        return {word[i % 2], place[i % 2]};
    }
    fsr_sweep_to_pairs<Word> to(unsigned i) const {
        return {word[i % 2], place[i % 2]};
    }
};

template <class T, class Word>
cudaError_t by_element(const sweeps &j, const fsr_sweep_elements<T, Word> &from, const buffers<Word> &b, void *to,
                       bool wide) {
    constexpr unsigned passes = sizeof(T);
    cudaError_t error = count_digits<passes>(j, from, passes);
    if (error == cudaSuccess && passes > 1)
        error = sweep(j, from, b.to(0), 0);
    for (unsigned p = 1; error == cudaSuccess && p + 1 < passes; p++)
        error = sweep(j, b.from(p + 1), b.to(p), p);
    if (error != cudaSuccess)
        return error;
    if constexpr (passes == 1)
        return sweep_last(j, from, to, wide, 0);
    else
        return sweep_last(j, b.from(passes), to, wide, passes - 1);
}

// Places that are sorted by element, in place[1], become sorted by row and element. Gives where they are.
cudaError_t by_row(const sweeps &j, uint64_t cols, unsigned *const *place, unsigned **sorted) {
    const unsigned rows = (unsigned)(j.n / cols);
    unsigned passes = 1;
    while (passes < 4 && (rows - 1) >> (passes * FSR_SWEEP_BITS))
        passes++;
    cudaError_t error = count_digits<4>(j, fsr_sweep_rows{place[1], (unsigned)cols}, passes);
    for (unsigned p = 0; error == cudaSuccess && p < passes; p++)
        error = sweep(j, fsr_sweep_rows{place[(p + 1) % 2], (unsigned)cols}, fsr_sweep_to_places<unsigned>{place[p % 2]}, p);
    *sorted = place[(passes - 1) % 2];
    return error;
}

// ---- elements by their places ----------------------------------------------------------------------------------

// What is picked: the first of each row's cols, as many as `first`, n in all; places are those in their rows.
struct picked {
    const uint32_t *place;
    uint64_t n;
    uint32_t cols, first;
    void *in_row; // NULL: not asked for
    bool wide;
};

template <class T> __global__ void pick(const T *in, T *out, picked p, fsr_order_form f) {
    for (uint64_t i = blockIdx.x * (uint64_t)THREADS + threadIdx.x; i < p.n; i += gridDim.x * (uint64_t)THREADS) {
        const uint32_t from = p.place[p.first < p.cols ? i / p.first * p.cols + i % p.first : i];
        if (out) {
            const T u = in[from];
            out[i] = fsr_order_is_nan(f, u) ? (T)f.nan : u;
        }
        if (p.in_row && p.wide)
            ((int64_t *)p.in_row)[i] = from % p.cols;
        else if (p.in_row)
            ((uint32_t *)p.in_row)[i] = from % p.cols;
    }
}

template <class T> cudaError_t pick_all(const fsr_cub_sort *s, const fsr_order_form &f, const uint32_t *place, void *in_row) {
    const picked p = {place,  s->n / s->cols * s->first, (uint32_t)s->cols, (uint32_t)s->first,
                      in_row, s->wide != 0};
    pick<<<blocks_of(p.n), THREADS, 0, s->stream>>>((const T *)s->in, (T *)s->keys, p, f);
    return cudaGetLastError();
}

template <class T, class Word> cudaError_t with_places(const fsr_cub_sort *s) {
    pieces room = {static_cast<char *>(s->work), s->work_bytes};
    const bool whole = s->n == s->cols, direct = whole && s->first == s->cols && s->places && !s->keys;
    const fsr_order_form f = fsr_order_form_of(s->key, 8 * (int)sizeof(T), s->greatest);
    sweeps j = {s->stream, (unsigned)s->n};
    buffers<Word> b;
    for (int i = 0; i < 2; i++) {
        b.word[i] = (Word *)room.take(sizeof(Word) * s->n);
        b.place[i] = (unsigned *)room.take(4 * s->n);
    }
    j.count = (unsigned *)room.take(8 * DIGITS * sizeof *j.count);
    j.next = (unsigned *)room.take(2 * DIGITS * sizeof *j.next);
    j.said = (unsigned *)room.at;
    j.said_bytes = room.left;
    if (!b.word[0] || !b.word[1] || !b.place[0] || !b.place[1] || !j.count || !j.next)
        return cudaErrorMemoryAllocation;
    const fsr_sweep_elements<T, Word> from = {(const T *)s->in, f};
    unsigned *sorted = b.place[1];
    cudaError_t error = by_element(j, from, b, direct ? s->places : sorted, direct && s->wide);
    if (error == cudaSuccess && !whole)
        error = by_row(j, s->cols, b.place, &sorted);
    return error != cudaSuccess || direct ? error : pick_all<T>(s, f, sorted, s->places);
}

// ---- short rows ------------------------------------------------------------------------------------------------

template <int THREADS_, class Word, class T> __global__ void __launch_bounds__(THREADS_) rows_kernel(fsr_rows_job<T> job) {
    __shared__ fsr_rows_shared<Word, THREADS_> s;
    fsr_rows_sort<THREADS_, Word>(s, job);
}

template <class T, class Word> cudaError_t short_rows(const fsr_cub_sort *s) {
    fsr_rows_job<T> job = {(const T *)s->in, (T *)s->keys, s->places, s->n / s->cols, (unsigned)s->cols, (unsigned)s->first, 1, s->wide != 0,
                           fsr_order_form_of(s->key, 8 * (int)sizeof(T), s->greatest)};
    while (job.team * FSR_ROWS_ITEMS < job.cols)
        job.team *= 2;
    const bool large = job.team > ROWS_THREADS;
    const uint64_t blocks = large ? job.rows : (job.rows - 1) / (ROWS_THREADS / job.team) + 1;
    if (blocks > INT32_MAX)
        return cudaErrorInvalidValue;
    if (large)
        rows_kernel<ROW_THREADS, Word><<<(unsigned)blocks, ROW_THREADS, 0, s->stream>>>(job);
    else
        rows_kernel<ROWS_THREADS, Word><<<(unsigned)blocks, ROWS_THREADS, 0, s->stream>>>(job);
    return cudaGetLastError();
}

// ---- elements alone --------------------------------------------------------------------------------------------

// Of what is sorted: NaN with a sign, which are first, and where those without one begin.
struct ends {
    uint64_t before, after;
};

template <class T> __device__ bool is_first_nan(const fsr_order_form &f, T u) {
    return fsr_order_is_nan(f, u) && u >> (8 * sizeof(T) - 1);
}

template <class T> __device__ ends find_ends(const T *sorted, uint64_t n, const fsr_order_form &f) {
    ends e = {0, n};
    if (is_first_nan(f, sorted[0]))
        for (uint64_t low = 0, high = n; low < high;) { // the first that is none lies in [low, high]
            const uint64_t middle = low + (high - low) / 2;
            const bool nan = is_first_nan(f, sorted[middle]);
            (nan ? low : high) = middle + nan;
            e.before = low;
        }
    if (fsr_order_is_nan(f, sorted[n - 1]) && !is_first_nan(f, sorted[n - 1]))
        for (uint64_t low = e.before, high = n; low < high;) {
            const uint64_t middle = low + (high - low) / 2;
            const bool nan = fsr_order_is_nan(f, sorted[middle]);
            (nan ? high : low) = middle + !nan;
            e.after = low;
        }
    return e;
}

// All blocks run at once. Where there is no NaN, which the first and the last element tell, they leave. Else each finds the ends,
// before anybody writes; what lies between them is copied, if it has to move, and comes back where it belongs.
template <class T> __global__ void __launch_bounds__(SETTLE_THREADS) settle_kernel(T *sorted, T *other, uint64_t n, fsr_order_form f) {
    const uint64_t own = blockIdx.x * (uint64_t)SETTLE_THREADS + threadIdx.x, all = gridDim.x * (uint64_t)SETTLE_THREADS;
    if (!fsr_order_is_nan(f, sorted[0]) && !fsr_order_is_nan(f, sorted[n - 1]))
        return;
    const ends e = find_ends(sorted, n, f);
    const uint64_t some = e.after - e.before;
    for (uint64_t i = e.before + own; e.before && i < e.after; i += all)
        other[i] = sorted[i];
    cooperative_groups::this_grid().sync();
    for (uint64_t i = (e.before ? 0 : some) + own; i < n; i += all)
        sorted[i] = i < some ? other[i + e.before] : (T)f.nan;
}

// NaN comes last, and is the usual one. T: the bits.
template <class T> cudaError_t settle_nan(const fsr_cub_sort *s) {
    pieces room = {static_cast<char *>(s->work), s->work_bytes};
    fsr_order_form f = fsr_order_form_of(s->key, 8 * (int)sizeof(T), false);
    T *sorted = (T *)s->keys, *other = (T *)room.take(s->n * sizeof(T));
    uint64_t n = s->n;
    int processors = 0;
    const cudaError_t error = processors_of(&processors);
    if (error != cudaSuccess)
        return error;
    if (!other)
        return cudaErrorMemoryAllocation;
    const uint64_t wanted = (n - 1) / SETTLE_THREADS + 1;
    const unsigned blocks = wanted < (uint64_t)processors ? (unsigned)wanted : (unsigned)processors;
    void *args[] = {&sorted, &other, &n, &f};
    return cudaLaunchCooperativeKernel((const void *)settle_kernel<T>, blocks, SETTLE_THREADS, args, 0, s->stream);
}

// CUB is faster where offsets have 32 bits.
template <class Key, class Count> cudaError_t keys_alone(const fsr_cub_sort *s, Count n) {
    size_t bytes = 0;
    const Key *in = static_cast<const Key *>(s->in);
    Key *out = static_cast<Key *>(s->keys);
    const int bits = 8 * (int)sizeof(Key);
    const cudaError_t error = cub::DeviceRadixSort::SortKeys(nullptr, bytes, in, out, n, 0, bits, s->stream);
    if (error != cudaSuccess)
        return error;
    if (bytes > s->work_bytes)
        return cudaErrorMemoryAllocation;
    return cub::DeviceRadixSort::SortKeys(s->work, bytes, in, out, n, 0, bits, s->stream);
}

// Word: the bits of Key.
template <class Key, class Word> cudaError_t sort(const fsr_cub_sort *s) {
    if (s->cols <= FSR_CUB_ROW)
        return short_rows<Word, Word>(s);
    if (s->places || s->n != s->cols || s->first != s->cols || s->greatest)
        return with_places<Word, Word>(s);
    const cudaError_t error = s->n <= UINT32_MAX ? keys_alone<Key>(s, (uint32_t)s->n) : keys_alone<Key>(s, s->n);
    const bool real = s->key == FSR_CUB_F32 || s->key == FSR_CUB_F64;
    return error == cudaSuccess && real ? settle_nan<Word>(s) : error;
}

// T: of one or two bytes.
template <class T> cudaError_t sort_narrow(const fsr_cub_sort *s) {
    return s->cols <= FSR_CUB_ROW ? short_rows<T, uint32_t>(s) : with_places<T, uint32_t>(s);
}

cudaError_t sort_any(const fsr_cub_sort *s) {
    switch (s->key) {
    case FSR_CUB_U8:
    case FSR_CUB_I8: return sort_narrow<uint8_t>(s);
    case FSR_CUB_U16:
    case FSR_CUB_I16:
    case FSR_CUB_F16:
    case FSR_CUB_BF16: return sort_narrow<uint16_t>(s);
    case FSR_CUB_U32: return sort<uint32_t, uint32_t>(s);
    case FSR_CUB_I32: return sort<int32_t, uint32_t>(s);
    case FSR_CUB_U64: return sort<uint64_t, uint64_t>(s);
    case FSR_CUB_I64: return sort<int64_t, uint64_t>(s);
    case FSR_CUB_F32: return sort<float, uint32_t>(s);
    case FSR_CUB_F64: return sort<double, uint64_t>(s);
    default: return cudaErrorInvalidValue;
    }
}

} // namespace

// Nothing is thrown into C.
extern "C" cudaError_t fsr_cub_run(const fsr_cub_sort *s) {
    try {
        return sort_any(s);
    } catch (...) {
        return cudaErrorUnknown;
    }
}
