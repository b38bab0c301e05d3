// SPDX-License-Identifier: MIT
// A sort of many rows of up to a few thousand elements, each by some threads of a block: what threads do. Words of CUDA without any
// header, so that the host's machine of tests/host_cuda runs the same text; backend_cuda/sort.cu launches it.
//
// A thread has neighbouring elements of a row, as keys with the places that they come from, and puts them in order by exchanges of
// neighbours. Then runs that lie beside each other in shared memory become one, until a row is one run: each thread makes its own part
// of what comes out, and finds by a search what of both runs lies before it (Green, McColl and Bader 2012). Of equal keys those of
// the left run come first, and neighbours are only exchanged where they differ: the sort is stable. Behind a row's end stand keys of
// ones, whose places are behind all others. An odd number of elements a thread keeps its neighbours' writes in other banks.
//
// Counter-example to sorting all rows together by digits, and then by row: 503 rows of 503 f64 and their places are eleven passes
// over memory, and each some microseconds of launches.
#ifndef FUSOR_BACKEND_CUDA_SORT_ROWS_CUH
#define FUSOR_BACKEND_CUDA_SORT_ROWS_CUH

#include "backend_cuda/order_key.cuh"

enum { FSR_ROWS_ITEMS = 9 }; // of a thread

template <class Word, int THREADS> struct fsr_rows_shared {
    Word key[THREADS * FSR_ROWS_ITEMS];
    unsigned short place[THREADS * FSR_ROWS_ITEMS];
};

// Rows of `cols` elements, of which the first of each are results; so many threads, a power of two, have a row.
template <class T> struct fsr_rows_job {
    const T *in;
    T *keys;     // NULL: not asked for
    void *place; // i64 if wide, else u32; NULL: not asked for
    fsr_order_word rows;
    unsigned cols, first, team;
    bool wide;
    fsr_order_form f;
};

// What a thread has.
template <class Word> struct fsr_rows_own {
    Word key[FSR_ROWS_ITEMS];
    unsigned short place[FSR_ROWS_ITEMS];
};

template <class Word> __device__ __forceinline__ void fsr_rows_exchange(fsr_rows_own<Word> &own) {
#pragma unroll
    for (int round = 0; round < FSR_ROWS_ITEMS; round++)
#pragma unroll
        for (int i = round % 2; i + 1 < FSR_ROWS_ITEMS; i += 2) {
            const bool swap = own.key[i] > own.key[i + 1];
            const Word key = own.key[i];
            const unsigned short place = own.place[i];
            own.key[i] = swap ? own.key[i + 1] : key;
            own.key[i + 1] = swap ? key : own.key[i + 1];
            own.place[i] = swap ? own.place[i + 1] : place;
            own.place[i + 1] = swap ? place : own.place[i + 1];
        }
}

// Of two runs of `half` keys each, how many of the first one are among the least `upto`.
template <class Word>
__device__ __forceinline__ unsigned fsr_rows_split(const Word *left, const Word *right, unsigned half, unsigned upto) {
    unsigned low = upto > half ? upto - half : 0, high = upto < half ? upto : half;
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        const bool before = left[middle] <= right[upto - 1 - middle];
        (before ? low : high) = middle + before;
    }
    return low;
}

// Of two runs that begin at `at` the elements from number `upto` on.
template <class Word, class Shared>
__device__ __forceinline__ void fsr_rows_merge(fsr_rows_own<Word> &own, const Shared &s, unsigned at, unsigned half, unsigned upto) {
    const unsigned end = at + half, stop = end + half;
    unsigned a = at + fsr_rows_split(s.key + at, s.key + end, half, upto), b = end + upto - (a - at);
    Word left = a < end ? s.key[a] : 0, right = b < stop ? s.key[b] : 0;
#pragma unroll
    for (int i = 0; i < FSR_ROWS_ITEMS; i++) {
        const bool first = b >= stop || (a < end && left <= right);
        const unsigned from = first ? a : b, next = from + 1;
        own.key[i] = first ? left : right;
        own.place[i] = s.place[from];
        const Word more = next < (first ? end : stop) ? s.key[next] : 0;
        left = first ? more : left;
        right = first ? right : more;
        (first ? a : b) = next;
    }
}

template <int THREADS, class Word, class T>
__device__ __forceinline__ void fsr_rows_sort(fsr_rows_shared<Word, THREADS> &s, const fsr_rows_job<T> &job) {
    const unsigned t = threadIdx.x % job.team, begin = threadIdx.x / job.team * job.team * FSR_ROWS_ITEMS, mine = begin + t * FSR_ROWS_ITEMS;
    const fsr_order_word row = blockIdx.x * (fsr_order_word)(THREADS / job.team) + threadIdx.x / job.team;
    const bool there = row < job.rows;
    const T *in = job.in + (there ? row * job.cols : 0);
#pragma unroll
    for (int i = 0; i < FSR_ROWS_ITEMS; i++) {
        const unsigned at = i * job.team + t;
        s.key[begin + at] = there && at < job.cols ? (Word)fsr_order_key(job.f, in[at]) : (Word)~(Word)0;
    }
    __syncthreads();
    fsr_rows_own<Word> own;
#pragma unroll
    for (int i = 0; i < FSR_ROWS_ITEMS; i++) {
        own.key[i] = s.key[mine + i];
        own.place[i] = (unsigned short)(t * FSR_ROWS_ITEMS + i);
    }
    fsr_rows_exchange(own);
    for (unsigned lanes = 1;; lanes *= 2) {
        __syncthreads();
#pragma unroll
        for (int i = 0; i < FSR_ROWS_ITEMS; i++) {
            s.key[mine + i] = own.key[i];
            s.place[mine + i] = own.place[i];
        }
        __syncthreads();
        if (lanes == job.team)
            break;
        const unsigned low = t & ~(2 * lanes - 1);
        fsr_rows_merge(own, s, begin + low * FSR_ROWS_ITEMS, lanes * FSR_ROWS_ITEMS, (t - low) * FSR_ROWS_ITEMS);
    }
#pragma unroll
    for (int i = 0; i < FSR_ROWS_ITEMS; i++) {
        const unsigned at = i * job.team + t;
        if (!there || at >= job.first)
            continue;
        const unsigned place = s.place[begin + at];
        const fsr_order_word to = row * job.first + at;
        if (job.keys) {
            const T u = in[place];
            job.keys[to] = fsr_order_is_nan(job.f, u) ? (T)job.f.nan : u;
        }
        if (job.place && job.wide)
            ((long long *)job.place)[to] = place;
        else if (job.place)
            ((unsigned *)job.place)[to] = place;
    }
}

#endif
