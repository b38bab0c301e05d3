// SPDX-License-Identifier: MIT
// The first k of a row that a block has for itself, and its elements by their ranks; the words of top_block.cuh.
//
// Each thread takes the least of its elements: the k-th of some of these is at least the k-th of all, so it is a
// threshold that need not be checked, and few elements pass it. Where more pass than there is room for, what is below
// it is listed, and of those equal to it the first by place, until there are k: a row of one value ends with its
// first elements. Where there is no room for what is below either, or k is not small, a search by digits over the row
// settles it, whatever the elements are. Floats of 32 and 64 bits are compared as what they are, which is one
// instruction; what passes gets a key. A NaN passes nothing; where less than k numbers are, the first NaN are added
// in the same way.
#ifndef FUSOR_BACKEND_CUDA_TOP_ROW_CUH
#define FUSOR_BACKEND_CUDA_TOP_ROW_CUH

#include "backend_cuda/top_block.cuh"

// ---- results ---------------------------------------------------------------------------------------------------

struct fsr_top_out {
    void *values; // NULL: not asked for
    void *places; // the same
    int wide;     // places are i64, else u32
};

// The bits that a key stands for, where zeros have two.
template <class T> __device__ __forceinline__ T fsr_top_bits(const fsr_order_form &f, T key) {
    if (f.nan && key == (T)f.all)
        return (T)f.nan;
    const T own = (T)(key ^ (T)f.turn), positive = (T)(own >> (8 * sizeof(T) - 1));
    return (T)(own ^ (T)((positive ? 0 : f.flip) | f.base));
}

// An element is not read again, but a zero, whose sign its key does not have.
template <class T>
__device__ __forceinline__ void fsr_top_emit(const fsr_order_form &f, const fsr_top_out &out, const T *row, fsr_top_word at,
                                             fsr_top_word key, unsigned place) {
    if (out.values)
        ((T *)out.values)[at] =
            f.zeros && (T)(key ^ f.turn) == (T)(f.zero + 1) ? row[place] : fsr_top_bits(f, (T)key);
    if (out.places && out.wide)
        ((long long *)out.places)[at] = place;
    else if (out.places)
        ((unsigned *)out.places)[at] = place;
}

// Floats that are compared as what they are, with the sign turned for the greatest first.
template <int BYTES> struct fsr_top_float {
    typedef float type;
};
template <> struct fsr_top_float<8> {
    typedef double type;
};
template <class T> __device__ __forceinline__ typename fsr_top_float<sizeof(T)>::type fsr_top_real(T u, T sign) {
    typedef typename fsr_top_float<sizeof(T)>::type real;
    const T turned = (T)(u ^ sign);
    real x;
    __builtin_memcpy(&x, &turned, sizeof x);
    return x;
}
template <class T> __device__ __forceinline__ T fsr_top_sign(const fsr_order_form &f) {
    return (T)(f.turn & ((fsr_top_word)1 << (8 * sizeof(T) - 1)));
}

// ---- a row in a block ------------------------------------------------------------------------------------------

// Elements that threads hold; ITEMS 0: they are read again. Beyond the row are NaN.
template <class T, int ITEMS> struct fsr_top_held {
    typedef T word;
    const fsr_order_form &f;
    T u[ITEMS];
    unsigned n, threads;
    __device__ __forceinline__ fsr_top_held(const fsr_order_form &f, const T *row, unsigned n, unsigned threads)
        : f(f), n(n), threads(threads) {
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            u[i] = threadIdx.x + i * threads < n ? row[threadIdx.x + i * threads] : (T)f.nan;
    }
    template <class F> __device__ __forceinline__ void bits(F each) const {
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            each(u[i], threadIdx.x + i * threads);
    }
};
template <class T> struct fsr_top_held<T, 0> {
    typedef T word;
    const fsr_order_form &f;
    const T *row;
    unsigned n, threads;
    __device__ fsr_top_held(const fsr_order_form &f, const T *row, unsigned n, unsigned threads)
        : f(f), row(row), n(n), threads(threads) {
    }
    template <class F> __device__ void bits(F each) const {
#pragma unroll 4
        for (fsr_top_word i = threadIdx.x; i < n; i += threads)
            each(row[i], (unsigned)i);
    }
    template <class F> __device__ void both(F each) const {
        for (fsr_top_word i = threadIdx.x; i < n; i += threads)
            each(fsr_order_key(f, row[i]), (unsigned)i);
    }
    // By all threads together, in the order of places, while more(element, place, inside the row) says so.
    template <class F> __device__ void in_order(F more) const {
        enum { AHEAD = 4 };
        for (fsr_top_word from = 0; from < n; from += AHEAD * threads) {
            const fsr_top_word at = from + threadIdx.x;
            T u[AHEAD];
#pragma unroll
            for (int i = 0; i < AHEAD; i++)
                u[i] = at + i * threads < n ? row[at + i * threads] : (T)f.nan;
#pragma unroll
            for (int i = 0; i < AHEAD; i++)
                if (!more(u[i], (unsigned)(at + i * threads), at + i * threads < n))
                    return;
        }
    }
};

__device__ __forceinline__ unsigned fsr_top_inside(long long rank, unsigned n) {
    return rank < 0 ? 0 : rank < (long long)n ? (unsigned)rank : n - 1;
}

// Elements of a row at m ranks.
template <class T, int ROOM>
__device__ void fsr_top_ranks(fsr_top_shared<ROOM> &s, const fsr_order_form &f, const T *row, unsigned n,
                              const long long *rank, unsigned m, unsigned threads, T *out) {
    const fsr_top_held<T, 0> held(f, row, n, threads);
    for (unsigned i = 0; i < m; i++) {
        const fsr_top_word key =
            fsr_top_kth(fsr_top_keys<fsr_top_held<T, 0>>{held}, s, fsr_top_inside(rank[i], n), threads, 0).word;
        if (threadIdx.x == 0)
            out[i] = fsr_top_bits(f, (T)key);
        __syncthreads();
    }
}

// What is compared in place of keys: floats, or the keys themselves.
template <class T, bool REAL> struct fsr_top_quick {
    typedef typename fsr_top_float<sizeof(T)>::type type;
    static __device__ __forceinline__ type of(const fsr_order_form &f, T u) {
        return fsr_top_real(u, fsr_top_sign<T>(f));
    }
    static __device__ __forceinline__ type last() {
        return (type)__builtin_huge_val();
    }
};
template <class T> struct fsr_top_quick<T, false> {
    typedef T type;
    static __device__ __forceinline__ type of(const fsr_order_form &f, T u) {
        return fsr_order_key(f, u);
    }
    static __device__ __forceinline__ type last() {
        return (T)~0ull;
    }
};

// The k-th of the least ones of so many groups of threads, a power of two of at least k; `own` has room for one a thread.
template <class Q> __device__ Q fsr_top_least(Q *own, Q *found, Q least, unsigned k, unsigned threads, unsigned groups) {
    const unsigned t = threadIdx.x;
    own[t] = least;
    for (unsigned half = threads / 2; half >= groups; half /= 2) {
        __syncthreads();
        if (t < half) {
            const Q other = own[t + half];
            own[t] = least = other < least ? other : least;
        }
    }
    __syncthreads();
    if (t < groups) {
        unsigned rank = 0;
        for (unsigned j = 0; j < groups; j++) {
            const Q other = own[j];
            rank += (other < least) | ((other == least) & (j < t));
        }
        if (rank == k - 1)
            *found = least;
    }
    __syncthreads();
    return *found;
}

// Those that pass(element) holds for, in any order; how many there are, of which as many are kept as there is room for.
template <bool REAL, class Source, int ROOM, class Pass>
__device__ __forceinline__ unsigned fsr_top_list(const Source &source, fsr_top_shared<ROOM> &s, Pass pass) {
    if (threadIdx.x == 0)
        s.n = 0;
    __syncthreads();
    source.bits([&](typename Source::word u, unsigned place) {
        if ((!REAL && place >= source.n) || !pass(u))
            return;
        const unsigned at = atomicAdd(&s.n, 1);
        if (at < ROOM) {
            s.key[at] = fsr_order_key(source.f, u);
            s.place[at] = place;
        }
    });
    __syncthreads();
    return s.n;
}

// Adds the first by place of those that pass to what is listed, `have`, until there are k, or a few more that come
// with the last one. The row is read again: there are no registers to hold it until here.
template <class T, int ROOM, class Pass>
__device__ void fsr_top_fill(const fsr_top_held<T, 0> &source, fsr_top_shared<ROOM> &s, unsigned have, unsigned k,
                             unsigned threads, Pass pass) {
    enum { TOGETHER = ROOM / 2 };
    source.in_order([&](T u, unsigned place, bool inside) {
        const bool own = inside && pass(u);
        for (unsigned from = 0; from < threads && have < k; from += TOGETHER) {
            if (own && threadIdx.x - from < TOGETHER) {
                const unsigned at = atomicAdd(&s.n, 1);
                s.key[at] = fsr_order_key(source.f, u);
                s.place[at] = place;
            }
            __syncthreads();
            have = s.n;
            __syncthreads();
        }
        return have < k;
    });
}

// What passes the threshold, s.n of them; false: there is no room. k is at most half of it.
template <bool REAL, class Source, int ROOM>
__device__ bool fsr_top_sift(const Source &source, const fsr_top_held<typename Source::word, 0> &again,
                             fsr_top_shared<ROOM> &s, unsigned k, unsigned threads, unsigned groups) {
    typedef typename Source::word T;
    typedef fsr_top_quick<T, REAL> quick;
    typedef typename quick::type Q;
    const fsr_order_form &f = source.f;
    Q least = quick::last();
    source.bits([&](T u, unsigned place) {
        if (!REAL && place >= source.n)
            return;
        const Q own = quick::of(f, u);
        least = own < least ? own : least;
    });
    const Q limit = fsr_top_least((Q *)s.key, (Q *)&s.value, least, k, threads, groups);
    unsigned n = fsr_top_list<REAL>(source, s, [&](T u) { return quick::of(f, u) <= limit; });
    if (n < k || n > ROOM)
        __syncthreads();
    if (n > ROOM) {
        n = fsr_top_list<false>(again, s, [&](T u) { return quick::of(f, u) < limit; });
        __syncthreads();
        if (n < k)
            fsr_top_fill(again, s, n, k, threads, [&](T u) { return quick::of(f, u) == limit; });
    } else if (n < k) {
        fsr_top_fill(again, s, n, k, threads, [&](T u) { return fsr_order_is_nan(f, u); });
    }
    return n <= ROOM;
}

// One row. groups 0: k is too large for least keys of threads.
template <class T, int ITEMS, int ROOM, bool REAL>
__device__ void fsr_top_row(fsr_top_shared<ROOM> &s, const fsr_order_form &f, const T *row, unsigned n, unsigned k,
                            unsigned threads, unsigned groups, const fsr_top_out &out, fsr_top_word at) {
    const fsr_top_held<T, ITEMS> held(f, row, n, threads);
    const fsr_top_held<T, 0> again(f, row, n, threads);
    if (!groups || !fsr_top_sift<REAL>(held, again, s, k, threads, groups))
        fsr_top_take(again, s, k, threads);
    fsr_top_order(s, k, threads,
                  [&](unsigned rank, fsr_top_word key, unsigned place) {
                      fsr_top_emit(f, out, row, at + rank, key, place);
                  });
}

#endif
