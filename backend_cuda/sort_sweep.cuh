// SPDX-License-Identifier: MIT
// A radix sort's passes over keys that carry their places along: what threads do. Words of CUDA without any header, so that the
// host's machine of tests/host_cuda runs the same text; backend_cuda/sort.cu launches it.
//
// Digits of 8 bits, the lowest first, one pass each (Adinets and Merrill 2022). One kernel counts all digits of all keys. In a pass
// a block takes a tile, by a ticket, so that those to its left are running or done; counts its digits, tells that count, ranks its
// elements, brings them in order in shared memory, looks back for what tiles to the left have of each digit, and writes.
//
// What a pass reads and writes is its own, a source and a sink: the first one reads elements, makes keys of them and counts places;
// the last one writes places alone, as whatever they are to be. So a sort of places reads no array 0, 1, 2 ... and writes no
// keys in order. Ranks in the tile are those in the order of its elements: the sort is stable. Behind the end stand keys of ones,
// which are the last of their digit and are not written.
#ifndef FUSOR_BACKEND_CUDA_SORT_SWEEP_CUH
#define FUSOR_BACKEND_CUDA_SORT_SWEEP_CUH

#include "backend_cuda/order_key.cuh"

enum {
    FSR_SWEEP_BITS = 8,
    FSR_SWEEP_DIGITS = 1 << FSR_SWEEP_BITS,
    FSR_SWEEP_COUNTED = 16 // keys that a thread counts at once
};

// What a tile tells of a digit: how many it has, or how many there are up to its end.
enum fsr_sweep_said : unsigned { FSR_SWEEP_OWN = 1u << 30, FSR_SWEEP_WHOLE = 1u << 31, FSR_SWEEP_VALUE = FSR_SWEEP_OWN - 1 };

// What threads tell one another; a test has its own.
#ifndef FSR_SWEEP_WORDS
__device__ __forceinline__ unsigned fsr_sweep_from(unsigned word, unsigned lane) {
    return __shfl_sync(~0u, word, (int)lane);
}
// The lanes with the same digit.
__device__ __forceinline__ unsigned fsr_sweep_same(unsigned digit) {
    unsigned same = ~0u;
#pragma unroll
    for (int b = 0; b < FSR_SWEEP_BITS; b++) {
        const int set = (int)(digit << (31 - b)) >> 31; // all ones, or none
        same &= ~(__ballot_sync(~0u, set) ^ (unsigned)set);
    }
    return same;
}
__device__ __forceinline__ void fsr_sweep_warp() {
    __syncwarp();
}
__device__ __forceinline__ void fsr_sweep_say(unsigned *at, unsigned word) {
    *(volatile unsigned *)at = word;
}
__device__ __forceinline__ unsigned fsr_sweep_hear(const unsigned *at) {
    return *(const volatile unsigned *)at;
}
#endif

// ---- sources and sinks -------------------------------------------------------------------------------------------

template <class T, class Word> struct fsr_sweep_elements {
    typedef Word word;
    const T *in;
    fsr_order_form f;
    __device__ __forceinline__ Word key(unsigned i) const {
        return (Word)fsr_order_key(f, in[i]);
    }
    __device__ __forceinline__ unsigned place(unsigned i) const {
        return i;
    }
};
template <class Word> struct fsr_sweep_pairs {
    typedef Word word;
    const Word *in;
    const unsigned *from;
    __device__ __forceinline__ Word key(unsigned i) const {
        return in[i];
    }
    __device__ __forceinline__ unsigned place(unsigned i) const {
        return from[i];
    }
};
// By the row of each place.
struct fsr_sweep_rows {
    typedef unsigned word;
    const unsigned *from;
    unsigned cols;
    __device__ __forceinline__ unsigned key(unsigned i) const {
        return from[i] / cols;
    }
    __device__ __forceinline__ unsigned place(unsigned i) const {
        return from[i];
    }
};

template <class Word> struct fsr_sweep_to_pairs {
    Word *out;
    unsigned *to;
    __device__ __forceinline__ void key(unsigned at, Word word) const {
        out[at] = word;
    }
    __device__ __forceinline__ void place(unsigned at, unsigned place) const {
        to[at] = place;
    }
};
template <class Place> struct fsr_sweep_to_places {
    Place *to;
    template <class Word> __device__ __forceinline__ void key(unsigned, Word) const {
    }
    __device__ __forceinline__ void place(unsigned at, unsigned place) const {
        to[at] = place;
    }
};

// ---- counts --------------------------------------------------------------------------------------------------

template <int PASSES, int THREADS, class Word>
__device__ __forceinline__ void fsr_sweep_add(unsigned (*shared)[FSR_SWEEP_DIGITS], const Word *key, unsigned passes,
                                              unsigned there) {
#pragma unroll
    for (unsigned p = 0; p < PASSES; p++)
        if (p < passes)
#pragma unroll
            for (int i = 0; i < FSR_SWEEP_COUNTED; i++)
                if (i * THREADS + threadIdx.x < there)
                    atomicAdd(&shared[p][(unsigned)(key[i] >> (p * FSR_SWEEP_BITS)) % FSR_SWEEP_DIGITS], 1u);
}

// Adds how many keys have each value of each of the first digits, so many of them, to count.
template <int PASSES, int THREADS, class Source>
__device__ void fsr_sweep_count(unsigned (*shared)[FSR_SWEEP_DIGITS], const Source &source, unsigned n, unsigned passes,
                                unsigned blocks, unsigned *count) {
    const unsigned t = threadIdx.x, tile = THREADS * FSR_SWEEP_COUNTED;
    for (unsigned i = t; i < PASSES * FSR_SWEEP_DIGITS; i += THREADS)
        shared[i / FSR_SWEEP_DIGITS][i % FSR_SWEEP_DIGITS] = 0;
    __syncthreads();
    for (fsr_order_word low = (fsr_order_word)blockIdx.x * tile; low < n; low += (fsr_order_word)blocks * tile) {
        typename Source::word key[FSR_SWEEP_COUNTED];
        if (n - low >= tile) {
#pragma unroll
            for (int i = 0; i < FSR_SWEEP_COUNTED; i++)
                key[i] = source.key((unsigned)low + i * THREADS + t);
            fsr_sweep_add<PASSES, THREADS>(shared, key, passes, tile);
        } else {
            const unsigned there = n - (unsigned)low;
#pragma unroll
            for (int i = 0; i < FSR_SWEEP_COUNTED; i++)
                key[i] = i * THREADS + t < there ? source.key((unsigned)low + i * THREADS + t) : 0;
            fsr_sweep_add<PASSES, THREADS>(shared, key, passes, there);
        }
    }
    __syncthreads();
    for (unsigned i = t; i < PASSES * FSR_SWEEP_DIGITS; i += THREADS)
        if (shared[i / FSR_SWEEP_DIGITS][i % FSR_SWEEP_DIGITS])
            atomicAdd(&count[i], shared[i / FSR_SWEEP_DIGITS][i % FSR_SWEEP_DIGITS]);
}

// ---- a pass ----------------------------------------------------------------------------------------------------

template <class Word, int THREADS, int ITEMS> struct fsr_sweep_shared {
    union {
        unsigned count[THREADS / 32][FSR_SWEEP_DIGITS]; // of each warp; then where its next element of a digit goes
        Word key[THREADS * ITEMS];
        unsigned place[THREADS * ITEMS];
    };
    unsigned start[FSR_SWEEP_DIGITS]; // where a digit's elements go, less where they are in the tile; wraps
    unsigned sum[FSR_SWEEP_DIGITS / 32];
    unsigned tile;
};

// The sums of what threads before have, of those below FSR_SWEEP_DIGITS.
__device__ __forceinline__ unsigned fsr_sweep_before(unsigned *sum, unsigned own) {
    const unsigned t = threadIdx.x, lane = t % 32, warp = t / 32, warps = FSR_SWEEP_DIGITS / 32;
    unsigned all = own;
#pragma unroll
    for (unsigned d = 1; d < 32; d *= 2) {
        const unsigned left = fsr_sweep_from(all, lane >= d ? lane - d : lane);
        all += lane >= d ? left : 0;
    }
    if (warp < warps && lane == 31)
        sum[warp] = all;
    __syncthreads();
    unsigned before = all - own;
#pragma unroll
    for (unsigned w = 0; w < warps; w++)
        before += w < warp ? sum[w] : 0;
    return before;
}

// Counts of warps become where their elements go in the tile; tells the tile's. Gives thread d how many there are of digit d, and
// *first, where they begin in the tile.
template <int THREADS, class Shared>
__device__ __forceinline__ unsigned fsr_sweep_divide(Shared &s, unsigned *said, unsigned *first) {
    const unsigned t = threadIdx.x;
    unsigned own = 0;
    if (t < FSR_SWEEP_DIGITS) {
#pragma unroll
        for (int w = 0; w < THREADS / 32; w++) {
            const unsigned here = s.count[w][t];
            s.count[w][t] = own;
            own += here;
        }
        fsr_sweep_say(&said[t], FSR_SWEEP_OWN | own);
    }
    *first = fsr_sweep_before(s.sum, own);
    if (t < FSR_SWEEP_DIGITS)
#pragma unroll
        for (int w = 0; w < THREADS / 32; w++)
            s.count[w][t] += *first;
    return own;
}

// How many of digit t the tiles to the left have; tells those to the right.
__device__ __forceinline__ unsigned fsr_sweep_look(unsigned *said, unsigned tile, unsigned own) {
    const unsigned t = threadIdx.x;
    unsigned before = 0;
    for (unsigned left = tile; left-- > 0;) {
        unsigned word;
        do
            word = fsr_sweep_hear(&said[left * FSR_SWEEP_DIGITS + t]);
        while (!word);
        before += word & FSR_SWEEP_VALUE;
        if (word & FSR_SWEEP_WHOLE)
            break;
    }
    fsr_sweep_say(&said[tile * FSR_SWEEP_DIGITS + t], FSR_SWEEP_WHOLE | (before + own));
    return before;
}

// Where the pass's tiles are: elements [low, low + n) of the source, of which there are below 2^30.
struct fsr_sweep_part {
    unsigned low, n, shift;
    const unsigned *start; // where each digit's elements go
    unsigned *next;        // the same for the part behind; NULL: there is none
    unsigned *said, *ticket;
};

template <int THREADS, int ITEMS, class Source, class Sink>
__device__ __forceinline__ void
fsr_sweep(fsr_sweep_shared<typename Source::word, THREADS, ITEMS> &s, const Source &source, const Sink &sink,
          const fsr_sweep_part &part) {
    typedef typename Source::word Word;
    enum { TILE = THREADS * ITEMS };
    const unsigned t = threadIdx.x, lane = t % 32, warp = t / 32;
    if (t == 0)
        s.tile = atomicAdd(part.ticket, 1u);
    for (unsigned d = lane; d < FSR_SWEEP_DIGITS; d += 32)
        s.count[warp][d] = 0;
    __syncthreads();
    const unsigned tile = s.tile, low = tile * TILE, there = part.n - low < TILE ? part.n - low : TILE;
    const unsigned at = warp * 32 * ITEMS + lane;
    Word key[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        key[i] = there == TILE || at + i * 32 < there ? source.key(part.low + low + at + i * 32) : (Word)~(Word)0;
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        atomicAdd(&s.count[warp][(unsigned)(key[i] >> part.shift) % FSR_SWEEP_DIGITS], 1u);
    __syncthreads();

    unsigned first;
    const unsigned own = fsr_sweep_divide<THREADS>(s, part.said + tile * FSR_SWEEP_DIGITS, &first);
    __syncthreads();
    unsigned rank[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const unsigned digit = (unsigned)(key[i] >> part.shift) % FSR_SWEEP_DIGITS, same = fsr_sweep_same(digit);
        const unsigned last = 31 - __clz((int)same), upto = __popc(same & (~0u >> (31 - lane)));
        unsigned from = 0;
        if (lane == last)
            from = atomicAdd(&s.count[warp][digit], upto);
        rank[i] = fsr_sweep_from(from, last) + upto - 1;
    }
    __syncthreads();

#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        s.key[rank[i]] = key[i];
    if (t < FSR_SWEEP_DIGITS) {
        const unsigned before = fsr_sweep_look(part.said, tile, own), start = part.start[t] + before;
        s.start[t] = start - first;
        if (part.next && low + there == part.n)
            part.next[t] = start + own;
    }
    __syncthreads();

    unsigned to[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const Word own_key = s.key[t + i * THREADS];
        to[i] = t + i * THREADS + s.start[(unsigned)(own_key >> part.shift) % FSR_SWEEP_DIGITS];
        if (there == TILE || t + i * THREADS < there)
            sink.key(to[i], own_key);
    }
    unsigned place[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        if (there == TILE || at + i * 32 < there)
            place[i] = source.place(part.low + low + at + i * 32);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        s.place[rank[i]] = place[i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        if (there == TILE || t + i * THREADS < there)
            sink.place(to[i], s.place[t + i * THREADS]);
}

#endif
