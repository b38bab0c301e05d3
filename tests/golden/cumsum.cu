// cumsum
// 0 parallel dimensions, 1 folded, 1 passes
// lookback: 512 threads, abreast 1, vector 4, items 28
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
template <int V, class T, int N>
__forceinline__ static void fsr_store(const T (&x)[N], int at, T *p)
{
    typedef fsr_piece<T, V> piece;
#pragma unroll
    for (int q = 0; q < V / piece::each; q++) {
        typename piece::word w;
#pragma unroll
        for (int i = 0; i < piece::each; i++) w.e[i] = x[at + q * piece::each + i];
        ((typename piece::word *)p)[q] = w;
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
/* base + x, of an infinite or too large base the base, for all x of a vector from one base rounded once. The larger x is, the
   larger the sum. */
static inline f32 fsr_settle(f64 base, f32 x)
{
    const f32 high = (f32)base, low = high - high == 0 ? (f32)(base - (f64)high) : 0;
    return high + (low + x);
}
struct fsr_single {
    f32 c0;
};
/* A tile holds a state for each column, or an item that is less wide. */
template <class F> __forceinline__ static typename F::state fsr_widen(const typename F::state &x) { return x; }
template <class F> __forceinline__ static typename F::state fsr_widen(const typename F::item &x) { return F::widen(x); }
/* An item takes in what stands before it in its vector, in its own width; a state does not. */
template <class F> __forceinline__ static void fsr_join(const typename F::state &, typename F::state &) {}
template <class F> __forceinline__ static void fsr_join(const typename F::item &left, typename F::item &x) { F::join(left, x); }
/* The fold of a vector's columns up to x, which was joined; run: up to the one before. */
template <class F> __forceinline__ static typename F::state fsr_follow(const typename F::state &run, const typename F::state &x)
{
    return F::combine(run, x);
}
template <class F> __forceinline__ static typename F::state fsr_follow(const typename F::state &run, const typename F::item &x)
{
    return F::follow(run, x);
}
/* A scan's results at x: base is the fold before the vector, left and before what lies before x, after what x ends. */
template <class F, class S>
__forceinline__ static S fsr_result(const S &, const S &before, const S &after, const typename F::state &, const typename F::state &)
{
    return F::pick(before, after);
}
template <class F, class S>
__forceinline__ static typename F::item fsr_result(const S &base, const S &before, const S &after, const typename F::item &left,
                                                   const typename F::item &x)
{
    return F::result(base, before, after, left, x);
}
/* The items of the thread's step j are joined; before[j] becomes their fold. */
template <class F, int V, class T, class S, int N, int J> __forceinline__ static void fsr_step_sum(T (&x)[N], S (&before)[J], int j)
{
    before[j] = fsr_widen<F>(x[j * V]);
#pragma unroll
    for (int v = 1; v < V; v++) {
        fsr_join<F>(x[j * V + v - 1], x[j * V + v]);
        before[j] = fsr_follow<F>(before[j], x[j * V + v]);
    }
}
/* Of a step's fold before[j] becomes the fold of everything in the tile to the left of it; returns the fold of the whole tile. scratch: one
   state a warp of the block. */
template <class F, int LANES, int WARPS, class S, int J>
__forceinline__ static S fsr_tile_meet(S (&before)[J], typename F::state *scratch)
{
    const u32 lane = threadIdx.x % 32, base = lane - lane % LANES;
    S run = F::identity();
    fsr_warp_scan<F, LANES>(before);
#pragma unroll
    for (int j = 0; j < J; j++) {
        const S whole = fsr_shuffle(before[j], base + LANES - 1), left = fsr_shuffle(before[j], lane - 1);
        before[j] = lane % LANES ? F::combine(run, left) : run;
        run = F::combine(run, whole);
    }
    if constexpr (WARPS > 1) {
        const u32 warp = threadIdx.x / 32;
        if (lane == 0) scratch[warp] = run;
        fsr_barrier();
        S sums[1] = {scratch[warp / WARPS * WARPS + lane % WARPS]};
        fsr_warp_scan<F, WARPS>(sums);
        run = fsr_shuffle(sums[0], WARPS - 1);
        const S left = fsr_shuffle(sums[0], (warp - 1) % WARPS);
#pragma unroll
        for (int j = 0; j < J; j++)
            if (warp % WARPS) before[j] = F::combine(left, before[j]);
    }
    return run;
}
/* Shared memory that the launch gives. */
#define fsr_dynamic(T, name, n) extern __shared__ T name[]
/* A vector that is not in registers for a while. */
template <class T, int V> struct fsr_parked {
    static constexpr int bytes = V * sizeof(T), line = bytes & -bytes;
    alignas(line < 16 ? line : 16) T e[V];
};
/* The thread's vector j, one of the first PARKED, leaves its registers for a place of its own, and comes back. */
template <int PARKED, int THREADS, class T, int V, int N>
__forceinline__ static void fsr_park(const T (&x)[N], fsr_parked<T, V> *places, int j)
{
    if (j >= PARKED) return;
    fsr_parked<T, V> w;
#pragma unroll
    for (int v = 0; v < V; v++) w.e[v] = x[j * V + v];
    places[j * THREADS + threadIdx.x] = w;
}
template <int PARKED, int THREADS, class T, int V, int N>
__forceinline__ static void fsr_unpark(T (&x)[N], const fsr_parked<T, V> *places, int j)
{
    if (j >= PARKED) return;
    const fsr_parked<T, V> w = places[j * THREADS + threadIdx.x];
#pragma unroll
    for (int v = 0; v < V; v++) x[j * V + v] = w.e[v];
}
/* x of step j becomes the scan's results, given what is to the left of the tile. */
template <class F, int V, class T, class S, int N, int J>
__forceinline__ static void fsr_step_apply(T (&x)[N], const S (&before)[J], const S &prefix, int j)
{
    const S base = F::combine(prefix, before[j]);
    S run = base;
    T left = {};
#pragma unroll
    for (int v = 0; v < V; v++) {
        const T here = x[j * V + v];
        const S next = fsr_follow<F>(run, here);
        x[j * V + v] = fsr_result<F>(base, run, next, left, here);
        run = next;
        left = here;
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

struct op0 {
    struct state {
        f64 c0;
    };
    static state identity() { return {0x0p+0}; }
    static state combine(const state &a, const state &b) {
        const f64 t2 = a.c0 + b.c0;
        return {t2};
    }
};
struct chain0_0 {
    struct state {
        op0::state f0;
    };
    static state identity() { return {op0::identity()}; }
    static state combine(const state &a, const state &b) { return {op0::combine(a.f0, b.f0)}; }
    static state pick(const state &before, const state &after) { return {after.f0}; }
    struct item {
        fsr_single f0;
    };
    static state widen(const item &x) { return {{x.f0.c0}}; }
    static void join(const item &left, item &x) { x.f0.c0 = left.f0.c0 + x.f0.c0; }
    static state follow(const state &run, const item &x) { return {{x.f0.c0}}; }
    static item result(const state &base, const state &before, const state &after, const item &left, const item &x) { return {{fsr_settle(base.f0.c0, x.f0.c0)}}; }
};

extern "C" __global__ void __launch_bounds__(512, 3)
k_cumsum_62ab7506(const f32 *__restrict__ x0, f32 *__restrict__ x1, const idx rows, const idx cols, const idx splits, void *work, void *zero)
{
    const idx column = (threadIdx.x / 32 * 224 + threadIdx.x % 32) * 4;
    __shared__ u32 ticket;
    const idx tile = fsr_take_ticket((u32 *)zero, ticket);
    const idx r = 0;
    const idx t = tile;
    const idx end = cols;
    const idx c0 = t * 14336 + column;
    const idx a0 = r * cols;
    const idx a1 = r * cols;
    const u64 entries = fsr_board_entries((u32)splits);
    char *flags = (char *)zero + fsr_aligned(4);
    char *values = (char *)work;
    const fsr_board<chain0_0> board0 = {flags + r * entries * fsr_board<chain0_0>::flag,
        values + r * entries * fsr_board<chain0_0>::value, (u32)splits};
    flags += fsr_aligned(rows * entries * fsr_board<chain0_0>::flag);
    values += fsr_aligned(rows * entries * fsr_board<chain0_0>::value);
    __shared__ chain0_0::state s0_0[2][16];
    f32 v0[28] = {};
    chain0_0::item t0[28];
    chain0_0::state b0[7];
    typedef fsr_parked<chain0_0::item, 4> parking;
    fsr_dynamic(parking, parked0, 3584);
#pragma unroll
    for (int j = 0; j < 7; j++) {
        const idx cj = c0 + j * 128;
        if (cj < end) {
            fsr_load<4>(v0, j * 4, x0 + (a0 + cj));
        }
#pragma unroll
        for (int v = 0; v < 4; v++) {
            const int i = j * 4 + v;
            t0[i].f0 = cj < end ? fsr_single{v0[i]} : fsr_single{(f32)op0::identity().c0};
        }
        fsr_step_sum<chain0_0, 4>(t0, b0, j);
        fsr_park<7, 512>(t0, parked0, j);
    }
    const chain0_0::state total0 = fsr_tile_meet<chain0_0, 32, 16>(b0, s0_0[0]);
    __shared__ chain0_0::state k0[4];
    const chain0_0::state prefix0 = fsr_lookback<chain0_0, 16>(total0, t, board0, k0);
#pragma unroll
    for (int j = 0; j < 7; j++) {
        const idx cj = c0 + j * 128;
        fsr_unpark<7, 512>(t0, parked0, j);
        fsr_step_apply<chain0_0, 4>(t0, b0, prefix0, j);
        f32 o3[4];
#pragma unroll
        for (int v = 0; v < 4; v++) {
            const int i = j * 4 + v;
            const f32 v2 = t0[i].f0.c0;
            o3[v] = v2;
        }
        if (cj < end) {
            fsr_store<4>(o3, 0, x1 + (a1 + cj));
        }
    }
}
