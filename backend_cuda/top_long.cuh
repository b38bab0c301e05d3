// SPDX-License-Identifier: MIT
// The first k of a row that several blocks share; the words of top_block.cuh and top_row.cuh.
//
// Elements at places that a hash gives (top_sample.h) make least keys of groups, one of which is the threshold: the k-th least, which
// is at least the k-th key of all, or a lesser one that so many keys should pass by the share of the row that is looked at. One pass
// lists what is below it, and counts what is equal to it, in each chunk too. Where less than k are below and with the equal ones no
// less, the threshold is the k-th key itself, and of the equal ones the first are taken, chunk by chunk, in order. Counter-example to
// listing equal ones: a row of one value. Where too few pass, the pass is made again with a threshold that they pass however they
// lie. A row that was made of the hash may let too few through that too, or more than the list holds: then digits are searched for
// by all blocks, and the pass is made with the k-th key as the threshold. What is seldom needed is done by the kernel that ends the
// row, whose blocks wait for one another; but for the first one they leave at once where nothing of it is.
#ifndef FUSOR_BACKEND_CUDA_TOP_LONG_CUH
#define FUSOR_BACKEND_CUDA_TOP_LONG_CUH

#include "backend_cuda/top_row.cuh"
#include "backend_cuda/top_sample.h"

// Blocks that sample, a power of two, and records below the threshold that are kept; the host's machine has less.
#ifndef FSR_TOP_SAMPLERS
#define FSR_TOP_SAMPLERS 512
#define FSR_TOP_LIST (1u << 17)
#endif

enum {
    FSR_TOP_GROUPS = FSR_TOP_SAMPLERS * 32,
    FSR_TOP_CHUNKS = 1 << 12, // of a row, at most
    FSR_TOP_THREADS = 256,    // of blocks along it
    FSR_TOP_FINISH = 1024     // of those that end it
};

// A word that other blocks write.
__device__ __forceinline__ unsigned fsr_top_peek(const unsigned *at) {
    return *(const volatile unsigned *)at;
}

// What the kernels of a row tell one another.
struct fsr_top_state {
    fsr_top_word limit;             // keys below it are listed
    fsr_top_word prefix;            // of the search by digits: the k-th key from bit `known` up
    unsigned below;                 // how many there are; more than FSR_TOP_LIST: it is not known
    unsigned rank;                  // of the k-th among those that have the prefix
    unsigned ties;                  // keys equal to the limit
    unsigned known, tickets, met;   // met: blocks that came where they wait for one another
    unsigned count[FSR_TOP_VALUES];
};

// Its memory. Records below the threshold in any order, the places of the first of those equal to it.
struct fsr_top_work {
    fsr_top_state state;
    fsr_top_word group[FSR_TOP_GROUPS], key[FSR_TOP_LIST];
    unsigned place[FSR_TOP_LIST], tie[FSR_TOP_MOST], chunk_ties[FSR_TOP_CHUNKS];
};

// Elements that are loaded at once.
template <class T> struct alignas(16) fsr_top_vector {
    T x[16 / sizeof(T)];
};

// f(element, place) for the calling thread's elements in [low, high), of blocks of so many; none of them waits.
template <int THREADS, class T, class F>
__device__ __forceinline__ void fsr_top_scan(const T *row, fsr_top_word low, fsr_top_word high, F f) {
    typedef fsr_top_vector<T> vector;
    enum { ELEMENTS = 16 / sizeof(T), AHEAD = 4 };
    const unsigned threads = THREADS;
    fsr_top_word i = low;
    if ((unsigned long)(row + low) % 16 == 0) {
        const fsr_top_word step = (fsr_top_word)threads * ELEMENTS;
        for (; i + AHEAD * step <= high; i += AHEAD * step) {
            vector v[AHEAD];
#pragma unroll
            for (int a = 0; a < AHEAD; a++)
                v[a] = *(const vector *)(row + i + a * step + threadIdx.x * ELEMENTS);
#pragma unroll
            for (int a = 0; a < AHEAD; a++)
#pragma unroll
                for (int e = 0; e < ELEMENTS; e++)
                    f(v[a].x[e], i + a * step + threadIdx.x * ELEMENTS + e);
        }
    }
    for (i += threadIdx.x; i < high; i += threads)
        f(row[i], i);
}

__device__ __forceinline__ unsigned fsr_top_hash(unsigned x) {
    x = (x ^ x >> 16) * 0x9e3779b1u;
    x = (x ^ x >> 15) * 0x85ebca77u;
    return x ^ x >> 16;
}

// Where the calling lane's element of a line is. Neighbours in a cluster are in lanes that change from line to line, so that no
// column of a matrix is all in one group.
__device__ __forceinline__ fsr_top_word fsr_top_spot(fsr_top_word line, unsigned lane, unsigned apart) {
    const unsigned own = lane ^ (fsr_top_hash(~(unsigned)line) & 31);
    const unsigned part = (unsigned)line * (32 / FSR_TOP_CLUSTER) + own / FSR_TOP_CLUSTER, share = apart / 32;
    const unsigned cluster = (unsigned)((fsr_top_word)fsr_top_hash(part) * share >> 32);
    return ((fsr_top_word)part * share + cluster) * FSR_TOP_CLUSTER + own % FSR_TOP_CLUSTER;
}

// Least keys of groups: a lane of every line that a block samples, one of each SAMPLERS, which its neighbours have the others of:
// which one changes too, so that no run of the row is all in a few groups.
template <class T>
__device__ void fsr_top_sample(fsr_top_word *shared, const fsr_order_form &f, const T *row, fsr_top_word n,
                               unsigned apart, fsr_top_work *w) {
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = FSR_TOP_THREADS / 32;
    const fsr_top_word lines = n / apart;
    fsr_top_word least = ~0ull;
#pragma unroll 8
    for (unsigned some = warp; (fsr_top_word)some * FSR_TOP_SAMPLERS < lines; some += warps) {
        const unsigned own = (blockIdx.x ^ blockIdx.x >> 4 ^ fsr_top_hash(~some)) % FSR_TOP_SAMPLERS;
        const fsr_top_word line = (fsr_top_word)some * FSR_TOP_SAMPLERS + own;
        const fsr_top_word key = line < lines ? (fsr_top_word)fsr_order_key(f, row[fsr_top_spot(line, lane, apart)]) : ~0ull;
        least = key < least ? key : least;
    }
    shared[threadIdx.x] = least;
    __syncthreads();
    if (warp == 0) {
        for (unsigned i = lane + 32; i < warps * 32; i += 32)
            least = shared[i] < least ? shared[i] : least;
        w->group[blockIdx.x * 32 + lane] = least;
    }
}

struct fsr_top_words {
    const fsr_top_word *word;
    unsigned n, threads;
    template <class F> __device__ void each(F f) const {
        for (unsigned i = threadIdx.x; i < n; i += threads)
            f(word[i]);
    }
};

// Groups of which the least of some rank is not much more than it is of all; more than a block has threads: all of them.
__device__ __forceinline__ unsigned fsr_top_groups(unsigned rank) {
    unsigned groups = 32;
    while (groups < 4 * rank)
        groups *= 2;
    return groups;
}

// By one block: the key of so great a rank among those of groups; rank 0: everything is listed.
template <int ROOM>
__device__ fsr_top_word fsr_top_limit(fsr_top_shared<ROOM> &s, const fsr_top_work *w, fsr_top_word all, unsigned rank,
                                      unsigned threads) {
    fsr_top_word limit = all;
    const unsigned groups = fsr_top_groups(rank);
    if (rank && groups <= threads) {
        limit = ~0ull;
#pragma unroll 8
        for (unsigned i = threadIdx.x; i < FSR_TOP_GROUPS; i += threads)
            limit = w->group[i] < limit ? w->group[i] : limit;
        limit = fsr_top_least(s.key, &s.value, limit, rank, threads, groups);
    } else if (rank) {
        const fsr_top_rank last = fsr_top_kth(fsr_top_words{w->group, FSR_TOP_GROUPS, threads}, s, rank - 1, threads, ~0u);
        limit = ((last.word + 1) << last.shift) - 1;
    }
    return limit < all ? limit : all;
}

// By one block: the threshold, and a state in which nothing was counted.
template <int ROOM>
__device__ void fsr_top_begin(fsr_top_shared<ROOM> &s, fsr_top_work *w, unsigned k, fsr_top_word all, unsigned rank,
                              unsigned threads) {
    fsr_top_state *const state = &w->state;
    const fsr_top_word limit = fsr_top_limit(s, w, all, rank, threads);
    for (unsigned v = threadIdx.x; v < FSR_TOP_VALUES; v += threads)
        state->count[v] = 0;
    if (threadIdx.x == 0) {
        state->limit = limit;
        state->prefix = 0;
        state->below = state->ties = state->tickets = state->met = 0;
        state->known = 0;
        state->rank = k - 1;
    }
}

// One pass over chunk c. REAL: elements are floats, and are compared as such.
template <bool REAL, int THREADS, class T>
__device__ void fsr_top_collect(unsigned *shared, const fsr_order_form &f, const T *row, fsr_top_word n, fsr_top_word chunk,
                                unsigned c, fsr_top_work *w) {
    typedef fsr_top_quick<T, REAL> quick;
    const T limit = (T)w->state.limit;
    const fsr_top_word low = c * chunk, high = low + chunk < n ? low + chunk : n;
    unsigned ties = 0;
    if (threadIdx.x == 0)
        *shared = 0;
    __syncthreads();
    const auto keep = [&](T u, fsr_top_word place) {
        const T key = fsr_order_key(f, u);
        ties += key == limit;
        if (key >= limit || fsr_top_peek(&w->state.below) > FSR_TOP_LIST)
            return;
        const unsigned at = atomicAdd(&w->state.below, 1);
        if (at < FSR_TOP_LIST) {
            w->key[at] = key;
            w->place[at] = (unsigned)place;
        }
    };
    const typename quick::type most = REAL ? quick::of(f, fsr_top_bits(f, limit)) : quick::last();
    if (REAL && most == most)
        fsr_top_scan<THREADS>(row, low, high, [&](T u, fsr_top_word place) {
            if (quick::of(f, u) <= most)
                keep(u, place);
        });
    else
        fsr_top_scan<THREADS>(row, low, high, keep);
    if (ties)
        atomicAdd(shared, ties);
    __syncthreads();
    if (threadIdx.x == 0) {
        w->chunk_ties[c] = *shared;
        if (*shared)
            atomicAdd(&w->state.ties, *shared);
    }
    __syncthreads();
}

// One digit of the search, by all blocks. The last block chooses the digit's value; with the last digit the k-th key is the
// threshold.
template <int THREADS, class T, int ROOM>
__device__ void fsr_top_digit(fsr_top_shared<ROOM> &s, const fsr_order_form &f, const T *row, fsr_top_word n,
                              unsigned blocks, int first, fsr_top_work *w) {
    fsr_top_state *const state = &w->state;
    const unsigned threads = THREADS, bits = 8 * sizeof(T);
    const unsigned known = first ? bits : state->known, shift = known < FSR_TOP_BITS ? 0 : known - FSR_TOP_BITS;
    const fsr_top_word prefix = state->prefix, each = (n / blocks / 64 + 1) * 64;
    const fsr_top_word low = blockIdx.x * each, high = low + each < n ? low + each : n;
    fsr_top_run run = {0, 0};
    fsr_top_clear(s, threads);
    fsr_top_scan<THREADS>(row, low, high, [&](T u, fsr_top_word) {
        const fsr_top_word key = (fsr_top_word)fsr_order_key(f, u);
        if ((known < 64 ? key >> known : 0) == prefix)
            fsr_top_count(s.count, run, (unsigned)(key >> shift) & (FSR_TOP_VALUES - 1));
    });
    if (run.n)
        atomicAdd(&s.count[run.value], run.n);
    __syncthreads();
    for (unsigned v = threadIdx.x; v < FSR_TOP_VALUES; v += threads)
        if (s.count[v])
            atomicAdd(&state->count[v], s.count[v]);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        s.n = atomicAdd(&state->tickets, 1);
    __syncthreads();
    if (s.n + 1 < blocks)
        return;
    __threadfence();
    for (unsigned v = threadIdx.x; v < FSR_TOP_VALUES; v += threads) {
        s.count[v] = fsr_top_peek(&state->count[v]);
        state->count[v] = 0;
    }
    __syncthreads();
    fsr_top_choose(s, state->rank, threads);
    __syncthreads();
    if (threadIdx.x == 0) {
        state->prefix = prefix << (known - shift) | (s.value & ((1ull << (known - shift)) - 1));
        state->rank -= (unsigned)s.less;
        state->known = shift;
        state->tickets = 0;
        if (shift == 0) {
            state->limit = state->prefix;
            state->below = state->ties = 0;
        }
    }
}

// The search by digits for a rank alone: its state before, and the element after.
template <class T> __device__ void fsr_top_seek(const long long *rank, fsr_top_word n, fsr_top_work *w) {
    fsr_top_state *const state = &w->state;
    for (unsigned v = threadIdx.x; v < FSR_TOP_VALUES; v += FSR_TOP_THREADS)
        state->count[v] = 0;
    if (threadIdx.x == 0) {
        state->prefix = 0;
        state->below = state->tickets = 0;
        state->known = 8 * sizeof(T);
        state->rank = fsr_top_inside(*rank, (unsigned)n);
    }
}
template <class T> __device__ void fsr_top_found_it(const fsr_order_form &f, const fsr_top_work *w, T *out) {
    if (threadIdx.x == 0)
        *out = fsr_top_bits(f, (T)w->state.prefix);
}

// Where less than k are below the threshold: of those equal to it the first, chunk by chunk, in order. A thread has a part of
// its chunk.
template <int THREADS, class T, int ROOM>
__device__ void fsr_top_find_ties(fsr_top_shared<ROOM> &s, const fsr_order_form &f, const T *row, fsr_top_word n,
                                  fsr_top_word chunk, unsigned c, unsigned k, fsr_top_work *w) {
    const unsigned threads = THREADS;
    if (!w->chunk_ties[c])
        return;
    const unsigned wanted = k - w->state.below;
    const T limit = (T)w->state.limit;
    unsigned part = 0, before, total;
    for (unsigned i = threadIdx.x; i < c; i += threads)
        part += w->chunk_ties[i] < wanted ? w->chunk_ties[i] : wanted;
    fsr_top_before(s, part, threads, &before);
    if (before >= wanted)
        return;
    const fsr_top_word each = (chunk + threads - 1) / threads, end = c * chunk + chunk;
    const fsr_top_word low = c * chunk + threadIdx.x * each, stop = end < n ? end : n;
    const fsr_top_word high = low + each < stop ? low + each : stop;
    unsigned ties = 0;
    for (fsr_top_word i = low; i < high; i++)
        ties += fsr_order_key(f, row[i]) == limit;
    unsigned at = before + fsr_top_before(s, ties, threads, &total);
    for (fsr_top_word i = low; ties && i < high && at < wanted; i++)
        if (fsr_order_key(f, row[i]) == limit)
            w->tie[at++] = (unsigned)i;
}

// Records below the threshold, and behind them those equal to it.
struct fsr_top_found {
    const fsr_top_work *w;
    fsr_top_word limit;
    unsigned below, n, threads;
    template <class F> __device__ void both(F f) const {
#pragma unroll 8
        for (unsigned i = threadIdx.x; i < below; i += threads)
            f(w->key[i], w->place[i]);
        for (unsigned i = threadIdx.x; i < n - below; i += threads)
            f(limit, w->tie[i]);
    }
    __device__ void all(fsr_top_word *to_key, unsigned *to_place) const {
        for (unsigned i = threadIdx.x; i < n; i += threads) {
            to_key[i] = i < below ? w->key[i] : limit;
            to_place[i] = i < below ? w->place[i] : w->tie[i - below];
        }
    }
};

// Of records below the threshold, no less than k, those that are at most the k-th of least keys of threads: few are, and are
// soon ordered. False: there are too many, or k is not small.
template <int ROOM>
__device__ bool fsr_top_fewer(fsr_top_shared<ROOM> &s, const fsr_top_work *w, unsigned below, unsigned k, unsigned threads) {
    enum { EACH = 4, GROUPS = 128 };
    fsr_top_word key[EACH], least = ~0ull;
    if (k > GROUPS / 2 || below < k || below > EACH * threads)
        return false;
    if (threadIdx.x == 0)
        s.n = 0;
#pragma unroll
    for (unsigned i = 0; i < EACH; i++) {
        const unsigned at = threadIdx.x + i * threads;
        key[i] = at < below ? w->key[at] : ~0ull;
        least = key[i] < least ? key[i] : least;
    }
    const fsr_top_word limit = fsr_top_least(s.key, &s.value, least, k, threads, GROUPS);
#pragma unroll
    for (unsigned i = 0; i < EACH; i++) {
        const unsigned from = threadIdx.x + i * threads;
        if (from >= below || key[i] > limit)
            continue;
        const unsigned at = atomicAdd(&s.n, 1);
        if (at < ROOM) {
            s.key[at] = key[i];
            s.place[at] = w->place[from];
        }
    }
    __syncthreads();
    return s.n <= ROOM;
}

// By one block: the first k of what was found.
template <class T, int ROOM>
__device__ void fsr_top_end(fsr_top_shared<ROOM> &s, const fsr_order_form &f, const T *row, unsigned k, unsigned threads,
                            const fsr_top_work *w, const fsr_top_out &out, fsr_top_word at) {
    const unsigned below = w->state.below;
    const fsr_top_found found = {w, w->state.limit, below, below < k ? k : below, threads};
    const bool fewer = fsr_top_fewer(s, w, below, k, threads);
    __syncthreads();
    if (!fewer && found.n > ROOM) {
        fsr_top_take(found, s, k, threads);
    } else if (!fewer) {
        found.all(s.key, s.place);
        if (threadIdx.x == 0)
            s.n = found.n;
        __syncthreads();
    }
    fsr_top_order(s, k, threads,
                  [&](unsigned rank, fsr_top_word key, unsigned place) {
                      fsr_top_emit(f, out, row, at + rank, key, place);
                  });
}

// Blocks of a launch that run together wait until all of them came here; `times` they did, with this one.
__device__ __forceinline__ void fsr_top_meet(fsr_top_state *state, unsigned blocks, unsigned times) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(&state->met, 1u);
        while (atomicAdd(&state->met, 0u) < blocks * times) {
        }
        __threadfence();
    }
    __syncthreads();
}

// Less than k passed the threshold.
__device__ __forceinline__ bool fsr_top_few(const fsr_top_state *state, unsigned k) {
    const unsigned below = fsr_top_peek(&state->below);
    return below < k && fsr_top_peek(&state->ties) < k - below;
}

// The blocks of the kernel that ends a row.
struct fsr_top_team {
    unsigned blocks, times; // times: that they met
    __device__ void meet(fsr_top_state *state) {
        fsr_top_meet(state, blocks, ++times);
    }
};

// The pass by blocks that run together.
template <int THREADS, class T, int ROOM>
__device__ void fsr_top_again(fsr_top_shared<ROOM> &s, const fsr_order_form &f, const T *row, fsr_top_word n,
                              fsr_top_word chunk, unsigned chunks, fsr_top_team &team, fsr_top_work *w) {
    for (unsigned c = blockIdx.x; c < chunks; c += team.blocks)
        fsr_top_collect<false, THREADS>(&s.n, f, row, n, chunk, c, w);
    team.meet(&w->state);
}

// What is left of the row behind the pass, by blocks that run together. safe: the second threshold's rank.
template <int THREADS, class T, int ROOM>
__device__ void fsr_top_finish(fsr_top_shared<ROOM> &s, const fsr_order_form &f, const T *row, fsr_top_word n,
                               fsr_top_word chunk, unsigned chunks, unsigned k, unsigned safe, unsigned blocks,
                               fsr_top_work *w, const fsr_top_out &out, fsr_top_word at) {
    fsr_top_state *const state = &w->state;
    fsr_top_team team = {blocks, 0};
    if (state->below >= k && state->below <= FSR_TOP_LIST && blockIdx.x)
        return;
    if (fsr_top_few(state, k)) {
        team.meet(state);
        if (blockIdx.x == 0) {
            const fsr_top_word limit = fsr_top_limit(s, w, f.all, safe, THREADS);
            if (threadIdx.x == 0) {
                state->limit = limit;
                state->below = state->ties = 0;
            }
        }
        team.meet(state);
        fsr_top_again<THREADS>(s, f, row, n, chunk, chunks, team, w);
    }
    if (fsr_top_peek(&state->below) > FSR_TOP_LIST || fsr_top_few(state, k)) {
        for (int bits = 8 * (int)sizeof(T), first = 1; bits > 0; bits -= FSR_TOP_BITS, first = 0) {
            fsr_top_digit<THREADS>(s, f, row, n, blocks, first, w);
            team.meet(state);
        }
        fsr_top_again<THREADS>(s, f, row, n, chunk, chunks, team, w);
    }
    if (fsr_top_peek(&state->below) < k) {
        for (unsigned c = blockIdx.x; c < chunks; c += blocks) {
            fsr_top_find_ties<THREADS>(s, f, row, n, chunk, c, k, w);
            __syncthreads();
        }
        team.meet(state);
    }
    if (blockIdx.x == 0)
        fsr_top_end(s, f, row, k, THREADS, w, out, at);
}

#endif
