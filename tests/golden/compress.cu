// greater, cast, cumsum, neg, compact
// 0 parallel dimensions, 1 folded, 1 passes
// lookback: 256 threads, abreast 1, vector 4, items 28
#pragma nv_diag_suppress 177, 186, 550
typedef unsigned char b8, u8;
typedef signed char i8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned u32;
typedef long long i64;
typedef unsigned long long u64;
typedef u16 f16, bf16;
typedef float f32;
typedef double f64;
struct alignas(8) c64 { f32 re, im; };
struct alignas(16) c128 { f64 re, im; };
typedef u32 idx;

/* What moves at once: up to 16 bytes. */
template <class T, int V> struct fsr_piece {
    static constexpr int bytes = V * sizeof(T) < 16 ? V * sizeof(T) : 16;
    static constexpr int each = bytes / sizeof(T);
    struct alignas(bytes) word { T e[each]; };
};
/* V adjacent elements into x[at ...]. */
template <int V, class T, int N>
__forceinline__ static void fsr_load(T (&x)[N], int at, const T *p)
{
    typedef fsr_piece<T, V> piece;
#pragma unroll
    for (int q = 0; q < V / piece::each; q++) {
        const typename piece::word w = ((const typename piece::word *)p)[q];
#pragma unroll
        for (int i = 0; i < piece::each; i++) x[at + q * piece::each + i] = w.e[i];
    }
}
static inline void fsr_barrier() { __syncthreads(); }
/* Words from another lane; every lane of the warp takes part. */
static inline u32 fsr_shuffle_word(u32 w, u32 lane) { return __shfl_sync(0xffffffffu, w, lane); }
static inline u32 fsr_add_ticket(u32 *p) { return atomicAdd(p, 1u); }
static inline void fsr_pause() { __nanosleep(20); }
/* Words that blocks leave for each other: a value and its flag in one access, or a flag that follows a value. */
static inline void fsr_post_word(u64 *p, u64 w) { asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(w) : "memory"); }
static inline u64 fsr_peek_word(const u64 *p)
{
    u64 w;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(w) : "l"(p) : "memory");
    return w;
}
static inline void fsr_post_pair(u64 *p, u64 a, u64 b)
{
    asm volatile("{ .reg .b128 q; mov.b128 q, {%1, %2}; st.relaxed.gpu.global.b128 [%0], q; }" ::"l"(p), "l"(a), "l"(b) : "memory");
}
static inline void fsr_peek_pair(const u64 *p, u64 &a, u64 &b)
{
    asm volatile("{ .reg .b128 q; ld.relaxed.gpu.global.b128 q, [%2]; mov.b128 {%0, %1}, q; }" : "=l"(a), "=l"(b) : "l"(p) : "memory");
}
static inline void fsr_post_flag(u32 *p) { asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(1u) : "memory"); }
static inline u32 fsr_peek_flag(const u32 *p)
{
    u32 w;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(w) : "l"(p) : "memory");
    return w;
}
/* A state as words. */
template <class S, class W> union fsr_words {
    S state;
    W word[(sizeof(S) + sizeof(W) - 1) / sizeof(W)];
    fsr_words() : word{} {}
    fsr_words(const S &s) : word{} { state = s; }
};
template <class S> __forceinline__ static S fsr_shuffle(const S &s, u32 lane)
{
    fsr_words<S, u32> w(s);
#pragma unroll
    for (int i = 0; i < (int)(sizeof(S) + 3) / 4; i++) w.word[i] = fsr_shuffle_word(w.word[i], lane);
    return w.state;
}
/* Inclusive scans of N independent states over LANES lanes, as many side by side as eight registers hold. */
template <class F, int LANES, class S, int N> __forceinline__ static void fsr_warp_scan(S (&x)[N])
{
    constexpr int M = sizeof(S) < 32 ? 32 / (int)sizeof(S) : 1;
    const u32 lane = threadIdx.x % 32;
#pragma unroll
    for (int first = 0; first < N; first += M) {
#pragma unroll
        for (u32 d = 1; d < LANES; d *= 2) {
            S y[M];
#pragma unroll
            for (int i = 0; i < M && first + i < N; i++) y[i] = fsr_shuffle(x[first + i], lane - d);
#pragma unroll
            for (int i = 0; i < M && first + i < N; i++)
                if (lane % LANES >= d) x[first + i] = F::combine(y[i], x[first + i]);
        }
    }
}
static inline u32 fsr_take_ticket(u32 *ticket, u32 &shared)
{
    if (threadIdx.x == 0) shared = fsr_add_ticket(ticket);
    fsr_barrier();
    return shared;
}
static inline u64 fsr_aligned(u64 bytes) { return (bytes + 63) / 64 * 64; }
static inline u32 fsr_board_entries(u32 tiles) { return tiles + (tiles >> 5) + (tiles >> 10) + (tiles >> 15); }
/* Where the tiles of a row leave their folds: entry (0, i) of tile i, entry (l, i) of 32 complete entries of level l - 1. */
template <class F> struct fsr_board {
    typedef typename F::state S;
    static constexpr u64 flag = sizeof(S) <= 4 ? 8 : sizeof(S) <= 12 ? 16 : 4;
    static constexpr u64 value = sizeof(S) <= 12 ? 0 : sizeof(S);
    char *flags, *values;
    u32 tiles;
    u32 entry(int level, u32 i) const
    {
        return i + (level > 0 ? tiles : 0) + (level > 1 ? tiles >> 5 : 0) + (level > 2 ? tiles >> 10 : 0);
    }
    fsr_board row(u64 r) const
    {
        const u64 at = r * fsr_board_entries(tiles);
        return {flags + at * flag, values + at * value, tiles};
    }
    void post(int level, u32 i, const S &s) const
    {
        const u32 at = entry(level, i);
        if constexpr (sizeof(S) <= 4) {
            fsr_post_word((u64 *)flags + at, fsr_words<S, u32>(s).word[0] | (u64)1 << 32);
        } else if constexpr (sizeof(S) <= 12) {
            const fsr_words<S, u64> w(s);
            const u64 high = sizeof(S) > 8 ? w.word[(sizeof(S) - 1) / 8] & 0xffffffffu : 0;
            fsr_post_pair((u64 *)flags + 2 * (u64)at, w.word[0], high | (u64)1 << 32);
        } else {
            ((S *)values)[at] = s;
            fsr_post_flag((u32 *)flags + at);
        }
    }
    S wait(int level, u32 i) const
    {
        const u32 at = entry(level, i);
        if constexpr (sizeof(S) <= 4) {
            u64 w = fsr_peek_word((const u64 *)flags + at);
            for (; !(w >> 32); w = fsr_peek_word((const u64 *)flags + at)) fsr_pause();
            fsr_words<S, u32> s;
            s.word[0] = (u32)w;
            return s.state;
        } else if constexpr (sizeof(S) <= 12) {
            u64 low, high;
            fsr_peek_pair((const u64 *)flags + 2 * (u64)at, low, high);
            for (; !(high >> 32); fsr_peek_pair((const u64 *)flags + 2 * (u64)at, low, high)) fsr_pause();
            fsr_words<S, u64> s;
            s.word[0] = low;
            if constexpr (sizeof(S) > 8) s.word[1] = high & 0xffffffffu;
            return s.state;
        } else {
            while (!fsr_peek_flag((const u32 *)flags + at)) fsr_pause();
            return ((const S *)values)[at];
        }
    }
};
/* A warp folds the entries of a level to the left of tile t within its set of 32, and posts the fold of a set that t completes
   one level up. The top level has no sets. */
template <class F> __forceinline__ static typename F::state fsr_climb(int level, u32 t, const fsr_board<F> &board)
{
    typedef typename F::state S;
    const u32 lane = threadIdx.x % 32, own = t >> 5 * level, first = level < 3 ? own & ~31u : 0;
    const bool closes = level < 3 && ((t + 1) & ((32u << 5 * level) - 1)) == 0;
    const u32 stop = own + closes;
    S sum = F::identity();
    for (u32 q = first; q < stop; q += 32) {
        S x[1] = {F::identity()};
        if (q + lane < stop) x[0] = board.wait(level, q + lane);
        fsr_warp_scan<F, 32>(x);
        if (closes && lane == 31) board.post(level + 1, own >> 5, x[0]);
        if (q < own) {
            const u32 last = own - q < 32 ? own - q - 1 : 31;
            sum = F::combine(sum, fsr_shuffle(x[0], last));
        }
    }
    return sum;
}
/* The fold of all tiles to the left of tile t, by a tree of radix 32 whose shape depends on t alone: one warp a level waits for the
   entries to its left within the set of 32; who completes a set publishes its fold one level up. The tile's own fold was
   published before. scratch: four states. */
template <class F, int WARPS, class S> __forceinline__ static S fsr_before_tile(u32 t, const fsr_board<F> &board, S *scratch)
{
    for (int level = threadIdx.x / 32; level < 4; level += WARPS) {
        const S sum = fsr_climb<F>(level, t, board);
        if (threadIdx.x % 32 == 0) scratch[level] = sum;
    }
    fsr_barrier();
    return F::combine(F::combine(F::combine(scratch[3], scratch[2]), scratch[1]), scratch[0]);
}
/* The same, and the tile's own fold is published before. */
template <class F, int WARPS, class S>
__forceinline__ static S fsr_lookback(const S &total, u32 t, const fsr_board<F> &board, S *scratch)
{
    if (threadIdx.x == 0) board.post(0, t, total);
    return fsr_before_tile<F, WARPS>(t, board, scratch);
}
/* Elements of the tile that begins at column `first`. */
static inline u32 fsr_among(idx end, idx first, u32 tile) { return end - first < tile ? (u32)(end - first) : tile; }
/* A word of which a compiler knows no more. */
static inline void fsr_opaque(u32 &w) { asm volatile("" : "+r"(w)); }
/* The bits of w, STEPS of V neighbours: before[j] becomes how many of the tile stand before the thread's step j; returns how many the
   tile has. What a warp's step has is a part of a word, of which a shuffle moves as many as there is room for. scratch: a word a warp. */
template <int V, int WARPS, int STEPS> __forceinline__ static u32 fsr_pool_counts(u32 w, u32 (&before)[STEPS], u32 *scratch)
{
    constexpr int bits = 32 * V < 256 ? 8 : 16, each = 32 / bits, words = (STEPS + each - 1) / each;
    constexpr u32 part = (1u << bits) - 1, step = (1u << V) - 1;
    const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    u32 own[words] = {}, sum[words], run = 0;
#pragma unroll
    for (int j = 0; j < STEPS; j++) own[j / each] |= (u32)__popc(w >> j * V & step) << j % each * bits;
#pragma unroll
    for (int q = 0; q < words; q++) sum[q] = own[q];
#pragma unroll
    for (u32 d = 1; d < 32; d *= 2) {
#pragma unroll
        for (int q = 0; q < words; q++) {
            const u32 left = fsr_shuffle_word(sum[q], lane - d);
            sum[q] += lane >= d ? left : 0;
        }
    }
#pragma unroll
    for (int q = 0; q < words; q++) {
        const u32 all = fsr_shuffle_word(sum[q], 31), left = sum[q] - own[q];
#pragma unroll
        for (int i = 0; i < each && q * each + i < STEPS; i++) {
            before[q * each + i] = run + (left >> i * bits & part);
            run += all >> i * bits & part;
        }
    }
    if constexpr (WARPS > 1) {
        if (lane == 0) scratch[warp] = run;
        fsr_barrier();
        u32 sums = scratch[lane % WARPS];
#pragma unroll
        for (u32 d = 1; d < WARPS; d *= 2) {
            const u32 left = fsr_shuffle_word(sums, lane - d);
            sums += lane >= d ? left : 0;
        }
        run = fsr_shuffle_word(sums, WARPS - 1);
        const u32 left = fsr_shuffle_word(sums, (warp - 1) % 32);
#pragma unroll
        for (int j = 0; j < STEPS; j++) before[j] += warp ? left : 0;
    }
    return run;
}
/* An element of a tile, if it is selected, to where the next one is to go. */
template <class T, class X> __forceinline__ static void fsr_pool(T *&to, const X &x, bool selected)
{
    if (selected) *to++ = x;
}
/* A tile's pool, of the n columns from `first` on: its selected elements to place `begin` of the row and behind it, the others to
   where as many as stand before are free at its end. Threads begin at lines of memory. */
template <int THREADS, bool FRONT, class T, class I>
__forceinline__ static void fsr_pool_out(T *row, const T *pool, I begin, u32 selected, idx first, u32 n, idx cols)
{
    T *const front = row + (idx)begin;
    const u32 off = (u32)((u64)front / sizeof(T)) % 32;
    if (threadIdx.x >= off && threadIdx.x - off < selected) front[threadIdx.x - off] = pool[threadIdx.x - off];
    u32 at = threadIdx.x + THREADS - off;
    for (; at + 3 * THREADS < selected; at += 4 * THREADS) {
        T x[4];
#pragma unroll
        for (int i = 0; i < 4; i++) x[i] = pool[at + i * THREADS];
#pragma unroll
        for (int i = 0; i < 4; i++) front[at + i * THREADS] = x[i];
    }
    for (; at < selected; at += THREADS) front[at] = pool[at];
    if (FRONT) return;
    T *const back = row + (idx)(cols - (first - (idx)begin) - n);
#pragma unroll 4
    for (u32 i = selected + threadIdx.x; i < n; i += THREADS) back[i] = pool[i];
}
static inline i32 fsr_bool_to_i32(b8 x) { return (i32)x; }

struct op0 {
    struct state {
        i32 c0;
    };
    static state identity() { return {0}; }
    static state combine(const state &a, const state &b) {
        const i32 t2 = (i32)((u32)a.c0 + (u32)b.c0);
        return {t2};
    }
};
struct chain0_0 {
    struct state {
        op0::state f0;
    };
    static state identity() { return {op0::identity()}; }
    static state combine(const state &a, const state &b) { return {op0::combine(a.f0, b.f0)}; }
    static state pick(const state &before, const state &after) { return {before.f0}; }
};

extern "C" __global__ void __launch_bounds__(256, 6)
k_greater_cast_cumsum_neg_compac_fdf0baa2(const f32 *__restrict__ x0, f32 *__restrict__ x1, const idx rows, const idx cols, const idx splits, void *work, void *zero)
{
    __shared__ u32 ticket;
    const idx tile = fsr_take_ticket((u32 *)zero, ticket);
    const idx r = 0;
    const idx t = tile;
    const idx end = cols;
    const idx c0 = t * 7168 + (threadIdx.x / 32 * 224 + threadIdx.x % 32) * 4;
    const idx a0 = r * cols;
    const idx a1 = 0;
    __shared__ f32 pool7[7168];
    const u32 among = fsr_among(end, t * 7168, 7168);
    const f32 v1 = 0x1p-1f;
    const u64 entries = fsr_board_entries((u32)splits);
    char *flags = (char *)zero + fsr_aligned(4);
    char *values = (char *)work;
    const fsr_board<chain0_0> board0 = {flags + r * entries * fsr_board<chain0_0>::flag,
        values + r * entries * fsr_board<chain0_0>::value, (u32)splits};
    flags += fsr_aligned(rows * entries * fsr_board<chain0_0>::flag);
    values += fsr_aligned(rows * entries * fsr_board<chain0_0>::value);
    __shared__ u32 s0_0[8];
    f32 v0[28] = {};
    b8 v2[28] = {};
    f32 v5[28] = {};
    u32 q0[7];
#pragma unroll
    for (int j = 0; j < 7; j++) {
        const idx cj = c0 + j * 128;
        if (cj < end) {
            fsr_load<4>(v0, j * 4, x0 + (a0 + cj));
        }
    }
    u32 w2 = 0;
#pragma unroll
    for (int j = 0; j < 7; j++) {
        const idx cj = c0 + j * 128;
#pragma unroll
        for (int v = 0; v < 4; v++) {
            const int i = j * 4 + v;
            v2[i] = v0[i] > v1;
            const i32 v3 = fsr_bool_to_i32(v2[i]);
            v5[i] = -v0[i];
            if (cj < end && v2[i]) w2 |= 1u << i;
            fsr_opaque(w2);
        }
    }
    const chain0_0::state total0 = {op0::state{(i32)fsr_pool_counts<4, 8>(w2, q0, s0_0)}};
#pragma unroll
    for (int j = 0; j < 7; j++) {
        const idx cj = c0 + j * 128;
        f32 *to7 = pool7 + q0[j];
#pragma unroll
        for (int v = 0; v < 4; v++) {
            const int i = j * 4 + v;
            fsr_pool(to7, v5[i], w2 >> i & 1);
        }
    }
    __shared__ chain0_0::state k0[4];
    const chain0_0::state prefix0 = fsr_lookback<chain0_0, 8>(total0, t, board0, k0);
    fsr_pool_out<256, true>(&x1[a1], pool7, prefix0.f0.c0, (u32)total0.f0.c0, t * 7168, among, cols);
}
