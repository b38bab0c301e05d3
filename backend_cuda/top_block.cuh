// SPDX-License-Identifier: MIT
// The first k of rows on a GPU: what threads do. Words of CUDA without any header, so that the host's machine of tests/host_cuda
// runs the same text; backend_cuda/top.cu launches it. top_row.cuh has the rows of one block, top_long.cuh those that several blocks
// share.
//
// A key is an unsigned word; the first k are those with the least keys, of equal ones those with the least places. So they are
// settled by two searches for a k-th word, among keys and among the places of keys equal to the last, and nothing depends on the
// order in which threads come.
//
// Rows have less than 2^32 elements.
#ifndef FUSOR_BACKEND_CUDA_TOP_BLOCK_CUH
#define FUSOR_BACKEND_CUDA_TOP_BLOCK_CUH

#include "backend_cuda/order_key.cuh"

typedef fsr_order_word fsr_top_word;

enum {
    FSR_TOP_BITS = 11,
    FSR_TOP_VALUES = 1 << FSR_TOP_BITS, // of a digit
    FSR_TOP_MOST = 2048,                // k
    FSR_TOP_PAIRS = 256,                // records that are ranked by comparing each with all
};

// ---- a block together ----------------------------------------------------------------------------------------

// What a block shares; room: of the records.
template <int ROOM> struct fsr_top_shared {
    unsigned count[FSR_TOP_VALUES], sum[ROOM < 1024 ? ROOM : 1024];
    fsr_top_word key[ROOM];
    unsigned place[ROOM];
    fsr_top_word some, all, value, less;
    unsigned own, n;
};

// The sums of what the threads before have, in order; *total: of all. Threads are a power of two.
template <int ROOM>
__device__ unsigned fsr_top_before(fsr_top_shared<ROOM> &s, unsigned own, unsigned threads, unsigned *total) {
    const unsigned t = threadIdx.x;
    unsigned sum = own;
    __syncthreads();
    s.sum[t] = own;
    for (unsigned d = 1; d < threads; d *= 2) {
        __syncthreads();
        const unsigned left = t >= d ? s.sum[t - d] : 0;
        __syncthreads();
        sum += left;
        s.sum[t] = sum;
    }
    __syncthreads();
    *total = s.sum[threads - 1];
    return sum - own;
}

// Which value of the digit the k-th word has; s.value, s.less (how many words have a smaller one), s.own.
template <int ROOM> __device__ void fsr_top_choose(fsr_top_shared<ROOM> &s, fsr_top_word k, unsigned threads) {
    const unsigned t = threadIdx.x, each = FSR_TOP_VALUES / threads;
    unsigned own = 0, total;
    for (unsigned i = 0; i < each; i++)
        own += s.count[t * each + i];
    unsigned before = fsr_top_before(s, own, threads, &total);
    for (unsigned i = 0; i < each; i++) {
        const unsigned here = s.count[t * each + i];
        if (before <= k && k < before + here) {
            s.value = t * each + i;
            s.less = before;
            s.own = here;
        }
        before += here;
    }
    __syncthreads();
}

template <int ROOM> __device__ void fsr_top_clear(fsr_top_shared<ROOM> &s, unsigned threads) {
    for (unsigned v = threadIdx.x; v < FSR_TOP_VALUES; v += threads)
        s.count[v] = 0;
    __syncthreads();
}

// Bits that some word of the block has, and that all have.
__device__ __forceinline__ void fsr_top_join(fsr_top_word *any, fsr_top_word *every, fsr_top_word some, fsr_top_word all) {
#ifdef __CUDA_ARCH__
    for (int d = 16; d > 0; d /= 2) {
        some |= __shfl_xor_sync(~0u, some, d);
        all &= __shfl_xor_sync(~0u, all, d);
    }
    if (threadIdx.x % 32)
        return;
#endif
    atomicOr(any, some);
    atomicAnd(every, all);
}

// Counts one digit; words that follow one another and have the same are counted together.
struct fsr_top_run {
    unsigned value, n;
};
__device__ __forceinline__ void fsr_top_count(unsigned *count, fsr_top_run &run, unsigned value) {
    if (run.n && run.value != value) {
        atomicAdd(&count[run.value], run.n);
        run.n = 0;
    }
    run.value = value;
    run.n++;
}

// The k-th least, from 0, of the words that a source has: source.each(f) calls f(word) for the calling thread's. Bits in which none
// differ are passed over.
struct fsr_top_rank {
    fsr_top_word word; // from bit `shift` up
    fsr_top_word less; // words that are less there
    unsigned equal;    // and equal
    int shift;         // 0, but where so many, or fewer, words are not greater as were said to be enough
};

template <class Source, int ROOM>
__device__ fsr_top_rank fsr_top_kth(const Source &source, fsr_top_shared<ROOM> &s, fsr_top_word k, unsigned threads,
                                    unsigned enough) {
    fsr_top_word some = 0, all = ~0ull, below = 0;
    if (threadIdx.x == 0) {
        s.some = 0;
        s.all = ~0ull;
    }
    __syncthreads();
    source.each([&](fsr_top_word word) {
        some |= word;
        all &= word;
    });
    fsr_top_join(&s.some, &s.all, some, all);
    __syncthreads();
    const fsr_top_word differ = s.some ^ s.all;
    int known = 64;
    while (known > 0 && !(differ >> (known - 1) & 1))
        known--;
    fsr_top_word prefix = known < 64 ? s.all >> known : 0;
    unsigned left = 0;
    if (known == 0) {
        source.each([&](fsr_top_word) { left++; });
        unsigned total;
        fsr_top_before(s, left, threads, &total);
        return fsr_top_rank{prefix, 0, total, 0};
    }
    while (known > 0 && (!left || below + left > enough)) {
        const int shift = known < FSR_TOP_BITS ? 0 : known - FSR_TOP_BITS;
        fsr_top_clear(s, threads);
        fsr_top_run run = {0, 0};
        source.each([&](fsr_top_word word) {
            if ((known < 64 ? word >> known : 0) == prefix)
                fsr_top_count(s.count, run, (unsigned)(word >> shift) & (FSR_TOP_VALUES - 1));
        });
        if (run.n)
            atomicAdd(&s.count[run.value], run.n);
        __syncthreads();
        fsr_top_choose(s, k, threads);
        prefix = prefix << (known - shift) | (s.value & ((1ull << (known - shift)) - 1));
        k -= s.less;
        below += s.less;
        left = s.own;
        known = shift;
        __syncthreads();
    }
    return fsr_top_rank{prefix, below, left, known};
}

// ---- the records of a block ------------------------------------------------------------------------------------

// The first k of a source of keys with places go to s.key and s.place, in any order; s.n says how many.
// source.both(f) calls f(key, place) for the calling thread's.
template <class Source> struct fsr_top_keys {
    const Source &source;
    template <class F> __device__ void each(F f) const {
        source.both([&](fsr_top_word key, unsigned) { f(key); });
    }
};
template <class Source> struct fsr_top_ties {
    const Source &source;
    fsr_top_word last;
    template <class F> __device__ void each(F f) const {
        source.both([&](fsr_top_word key, unsigned place) {
            if (key == last)
                f((fsr_top_word)place);
        });
    }
};

// Or a few more, as many as there is room for.
template <class Source, int ROOM>
__device__ void fsr_top_take(const Source &source, fsr_top_shared<ROOM> &s, unsigned k, unsigned threads) {
    const fsr_top_rank last = fsr_top_kth(fsr_top_keys<Source>{source}, s, k - 1, threads, ROOM);
    fsr_top_word to = ~0ull;
    if (last.less + last.equal > ROOM)
        to = fsr_top_kth(fsr_top_ties<Source>{source, last.word}, s, k - last.less - 1, threads, 0).word;
    if (threadIdx.x == 0)
        s.n = 0;
    __syncthreads();
    source.both([&](fsr_top_word key, unsigned place) {
        const fsr_top_word high = key >> last.shift;
        if (high < last.word || (high == last.word && place <= to)) {
            const unsigned at = atomicAdd(&s.n, 1);
            s.key[at] = key;
            s.place[at] = place;
        }
    });
    __syncthreads();
}

__device__ __forceinline__ bool fsr_top_first(fsr_top_word key, unsigned place, fsr_top_word other, unsigned its) {
    return key < other || (key == other && place < its);
}

// The block's s.n records, at most FSR_TOP_PAIRS, or ROOM, a power of two: rank i of the first k goes to emit(i, key, place).
template <int ROOM, class Emit>
__device__ void fsr_top_order(fsr_top_shared<ROOM> &s, unsigned k, unsigned threads, Emit emit) {
    const unsigned n = s.n;
    if (n <= FSR_TOP_PAIRS) {
        for (unsigned i = threadIdx.x; i < n; i += threads) {
            const fsr_top_word key = s.key[i];
            const unsigned place = s.place[i];
            unsigned rank = 0;
            for (unsigned j = 0; j < n; j++)
                rank += fsr_top_first(s.key[j], s.place[j], key, place);
            if (rank < k)
                emit(rank, key, place);
        }
        return;
    }
    unsigned size = 1;
    while (size < n)
        size *= 2;
    for (unsigned i = n + threadIdx.x; i < size; i += threads) {
        s.key[i] = ~0ull;
        s.place[i] = ~0u;
    }
    for (unsigned run = 2; run <= size; run *= 2)
        for (unsigned d = run / 2; d > 0; d /= 2) {
            __syncthreads();
            for (unsigned i = threadIdx.x; i < size / 2; i += threads) {
                const unsigned a = 2 * i - (i & (d - 1)), b = a + d;
                const fsr_top_word key = s.key[a], other = s.key[b];
                const unsigned place = s.place[a], its = s.place[b];
                if (fsr_top_first(other, its, key, place) == ((a & run) == 0)) {
                    s.key[a] = other;
                    s.place[a] = its;
                    s.key[b] = key;
                    s.place[b] = place;
                }
            }
        }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < k; i += threads)
        emit(i, s.key[i], s.place[i]);
}

#endif
