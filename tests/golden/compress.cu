// greater, cast, cumsum, neg, compact
// 0 parallel dimensions, 1 folded, 1 passes
// lookback: 512 threads, abreast 1, vector 4, items 12
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
static inline void fsr_warp_barrier() { __syncwarp(); }
/* Words that blocks leave for each other: a value and its flag in one access, or a flag that follows a value. */
static inline void fsr_post_word(u64 *p, u64 w) { asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(w) : "memory"); }
static inline u64 fsr_peek_word(const u64 *p)
{
    u64 w;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(w) : "l"(p) : "memory");
    return w;
}
/* Shared memory that the launch gives. */
#define fsr_dynamic(T, name, n) extern __shared__ T name[]
/* An address of shared memory as instructions for it take it. */
static inline u32 fsr_near(const void *p)
{
    u32 a;
    asm("{ .reg .u64 q; cvta.to.shared.u64 q, %1; cvt.u32.u64 %0, q; }" : "=r"(a) : "l"(p));
    return a;
}
/* Gates, barriers in shared memory: so many arrivals, and bytes that are expected, end a turn of one. Turns have the parities 0, 1, 0 ... */
static inline void fsr_gate_start(u64 *p, u32 n) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(fsr_near(p)), "r"(n) : "memory"); }
static inline void fsr_gates_started() { asm volatile("fence.mbarrier_init.release.cluster; fence.proxy.async;" ::: "memory"); }
static inline void fsr_gate_arrive(u64 *p) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(fsr_near(p)) : "memory"); }
/* Arrives, and expects bytes. */
static inline void fsr_gate_expect(u64 *p, u32 bytes) { asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(fsr_near(p)), "r"(bytes) : "memory"); }
/* Until a turn of this parity has ended. */
static inline void fsr_gate_await(u64 *p, u32 parity)
{
    const u32 a = fsr_near(p);
    u32 ended;
    do asm volatile("{ .reg .pred q; mbarrier.try_wait.parity.shared::cta.b64 q, [%1], %2; selp.u32 %0, 1, 0, q; }" : "=r"(ended) : "r"(a), "r"(parity) : "memory");
    while (!ended);
}
/* The GPU copies whole vectors of 16 bytes and tells the gate. */
static inline void fsr_bulk_copy(void *to, const void *from, u32 bytes, u64 *gate)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 ::"r"(fsr_near(to)), "l"(from), "r"(bytes), "r"(fsr_near(gate)) : "memory");
}
/* What a thread has read or written of shared memory comes before copies there that others ask for behind it. */
static inline void fsr_bulk_follows() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
/* A barrier of the block's first THREADS threads. */
template <int THREADS> static inline void fsr_first_meet() { asm volatile("bar.sync 1, %0;" ::"n"(THREADS) : "memory"); }
static inline u32 fsr_warp_add(u32 w) { return __reduce_add_sync(0xffffffffu, w); }
struct alignas(128) fsr_line { u8 e[128]; };
/* Of each slot: its tile is there, is pooled, its place is known, is written. Which place that is, and how many it selects. */
template <int SLOTS, int COUNTERS, int WRITERS, class I> struct fsr_ring {
    u64 full[SLOTS], pooled[SLOTS], placed[SLOTS], empty[SLOTS];
    I before[SLOTS];
    u32 selected[SLOTS];
    void start()
    {
        if (threadIdx.x == 0) {
            for (int s = 0; s < SLOTS; s++) {
                fsr_gate_start(&full[s], 1);
                fsr_gate_start(&pooled[s], COUNTERS / 32);
                fsr_gate_start(&placed[s], 1);
                fsr_gate_start(&empty[s], WRITERS / 32);
            }
            fsr_gates_started();
        }
        fsr_barrier();
    }
    /* A warp is done with a slot: lanes' work before the one's arrival. */
    static void leave(u64 *gate)
    {
        fsr_warp_barrier();
        if (threadIdx.x % 32 == 0) fsr_gate_arrive(gate);
    }
};
/* One warp: what stands before each of the block's tiles. words: of every tile how many it selects, and 1 << 32. MEMBERS: blocks at most. */
template <int MEMBERS, int SLOTS, int COUNTERS, int WRITERS, class I>
__forceinline__ static void fsr_ring_add_up(fsr_ring<SLOTS, COUNTERS, WRITERS, I> &ring, const u64 *words, idx blocks, idx tiles)
{
    constexpr int N = (MEMBERS + 31) / 32;
    const u32 lane = threadIdx.x % 32;
    I all = 0;
    u32 slot = 0;
    for (idx t = blockIdx.x; t < tiles; t += blocks) {
        u64 w[N];
        u32 sum = 0;
#pragma unroll
        for (int i = 0; i < N; i++) {
            const u32 q = lane + 32 * i;
            w[i] = (u64)1 << 32;
            if (q < blocks && q <= t) w[i] = fsr_peek_word(words + (t - q));
        }
#pragma unroll
        for (int i = 0; i < N; i++) {
            const u32 q = lane + 32 * i;
            while (!(w[i] >> 32)) w[i] = fsr_peek_word(words + (t - q));
            sum += (u32)w[i];
        }
        const u32 own = fsr_shuffle_word((u32)w[0], 0);
        sum = fsr_warp_add(sum);
        if (lane == 0) {
            ring.before[slot] = all + (I)(sum - own);
            ring.selected[slot] = own;
            fsr_gate_arrive(&ring.placed[slot]);
        }
        all += (I)sum;
        slot = slot + 1 < SLOTS ? slot + 1 : 0;
    }
}
/* Of n elements the bytes that the GPU copies; the others, of the last tile, the thread that asks for it does. */
template <class T> static inline u32 fsr_bulk_bytes(u32 n) { return n * (u32)sizeof(T) / 16 * 16; }
template <class T> static inline void fsr_bulk_rest(T *to, const T *from, u32 n)
{
    for (u32 i = fsr_bulk_bytes<T>(n) / (u32)sizeof(T); i < n; i++) to[i] = from[i];
}
template <class T> static inline void fsr_bulk_most(T *to, const T *from, u32 n, u64 *gate)
{
    if (fsr_bulk_bytes<T>(n)) fsr_bulk_copy(to, from, fsr_bulk_bytes<T>(n), gate);
}
/* Elements of the tile that begins at column `first`. */
static inline u32 fsr_among(idx end, idx first, u32 tile) { return end - first < tile ? (u32)(end - first) : tile; }
/* A word of which a compiler knows no more. */
static inline void fsr_opaque(u32 &w) { asm volatile("" : "+r"(w)); }
/* The bits of w, STEPS of V neighbours: before[j] becomes how many of the tile stand before the thread's step j; returns how many the
   tile has. What a warp's step has is a part of a word, of which a shuffle moves as many as there is room for. scratch: a word a warp.
   FIRST: the block has other warps behind these. */
template <int V, int WARPS, bool FIRST, int STEPS> __forceinline__ static u32 fsr_pool_counts(u32 w, u32 (&before)[STEPS], u32 *scratch)
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
        if constexpr (FIRST) fsr_first_meet<WARPS * 32>();
        else fsr_barrier();
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
/* A run of n elements of a pool. Threads, of which this is number `own`, begin at lines of memory; they have so much on its way as there
   is room for, ALONE where they do nothing else. */
template <int THREADS, bool ALONE, class T>
__forceinline__ static void fsr_pool_run(T *to, const T *pool, u32 own, u32 n)
{
    constexpr int AHEAD = ALONE ? 8 : 4;
    const u32 off = (u32)((u64)to / sizeof(T)) % 32;
    if (own >= off && own - off < n) to[own - off] = pool[own - off];
    u32 at = own + THREADS - off;
    for (; at + (AHEAD - 1) * THREADS < n; at += AHEAD * THREADS) {
        T x[AHEAD];
#pragma unroll
        for (int i = 0; i < AHEAD; i++) x[i] = pool[at + i * THREADS];
#pragma unroll
        for (int i = 0; i < AHEAD; i++) to[at + i * THREADS] = x[i];
    }
    for (; at < n; at += THREADS) to[at] = pool[at];
}
/* A tile's pool, of the n columns from `first` on: its selected elements to place `begin` of the row and behind it, the others to
   where as many as stand before are free at its end. */
template <int THREADS, bool FRONT, bool ALONE, class T, class I>
__forceinline__ static void fsr_pool_out(T *row, const T *pool, u32 own, I begin, u32 selected, idx first, u32 n, idx cols)
{
    fsr_pool_run<THREADS, ALONE>(row + (idx)begin, pool, own, selected);
    if (FRONT) return;
    fsr_pool_run<THREADS, ALONE>(row + (idx)(cols - (first - (idx)begin) - n) + selected, pool + selected, own, n - selected);
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

extern "C" __global__ void __launch_bounds__(832, 1)
k_greater_cast_cumsum_neg_compac_5ab72779(const f32 *__restrict__ x0, f32 *__restrict__ x1, const idx cols, const idx splits, void *zero)
{
    const idx r = 0;
    const idx end = cols;
    const idx tiles = splits;
    const idx blocks = splits < 132 ? splits : 132;
    const idx a0 = r * cols;
    const idx a1 = 0;
    const f32 v1 = 0x1p-1f;
    __shared__ u32 s0_0[2][16];
    fsr_dynamic(fsr_line, slots, 1536);
    __shared__ fsr_ring<8, 512, 256, i32> ring;
    u64 *const words = (u64 *)zero;
    ring.start();
    if (threadIdx.x < 512) {
        const idx column = (threadIdx.x / 32 * 96 + threadIdx.x % 32) * 4;
        u32 flip = 0;
        u32 slot = 0, turn = 0;
#pragma unroll 1
        for (idx t = blockIdx.x; t < tiles; t += blocks) {
            const u32 among = fsr_among(end, t * 6144, 6144);
            fsr_line *const at = slots + slot * 192;
            const f32 *const x0 = (f32 *)(at + 0);
            const idx a0 = 0 - t * 6144;
            const idx c0 = t * 6144 + column;
            f32 *const pool7 = (f32 *)(at + 0);
            f32 v0[12] = {};
            b8 v2[12] = {};
            f32 v5[12] = {};
            u32 q0[3];
            fsr_gate_await(&ring.full[slot], turn & 1);
#pragma unroll
            for (int j = 0; j < 3; j++) {
                const idx cj = c0 + j * 128;
                if (cj < end) {
                    fsr_load<4>(v0, j * 4, x0 + (a0 + cj));
                }
            }
            u32 w2 = 0;
#pragma unroll
            for (int j = 0; j < 3; j++) {
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
            const chain0_0::state total0 = {op0::state{(i32)fsr_pool_counts<4, 16, true>(w2, q0, s0_0[flip ^= 1])}};
            if (threadIdx.x == 0) fsr_post_word(words + t, (u32)total0.f0.c0 | (u64)1 << 32);
#pragma unroll
            for (int j = 0; j < 3; j++) {
                const idx cj = c0 + j * 128;
                f32 *to7 = pool7 + q0[j];
#pragma unroll
                for (int v = 0; v < 4; v++) {
                    const int i = j * 4 + v;
                    fsr_pool(to7, v5[i], w2 >> i & 1);
                }
            }
            ring.leave(&ring.pooled[slot]);
            slot = slot + 1 < 8 ? slot + 1 : 0;
            turn += slot == 0;
        }
    } else if (threadIdx.x < 768) {
        const u32 own = threadIdx.x - 512;
        u32 slot = 0, turn = 0;
#pragma unroll 1
        for (idx t = blockIdx.x; t < tiles; t += blocks) {
            const u32 among = fsr_among(end, t * 6144, 6144);
            fsr_line *const at = slots + slot * 192;
            f32 *const pool7 = (f32 *)(at + 0);
            fsr_gate_await(&ring.pooled[slot], turn & 1);
            fsr_gate_await(&ring.placed[slot], turn & 1);
            const chain0_0::state prefix0 = {op0::state{ring.before[slot]}};
            const chain0_0::state total0 = {op0::state{(i32)ring.selected[slot]}};
            fsr_pool_out<256, true, true>(&x1[a1], pool7, own, prefix0.f0.c0, (u32)total0.f0.c0, t * 6144, among, cols);
            fsr_bulk_follows();
            ring.leave(&ring.empty[slot]);
            if (t + 1 == tiles) {
            }
            slot = slot + 1 < 8 ? slot + 1 : 0;
            turn += slot == 0;
        }
    } else if (threadIdx.x < 800) {
        fsr_ring_add_up<132>(ring, words, blocks, tiles);
    } else if (threadIdx.x == 800) {
        u32 slot = 0, turn = 0;
#pragma unroll 1
        for (idx t = blockIdx.x; t < tiles; t += blocks) {
            const u32 among = fsr_among(end, t * 6144, 6144);
            fsr_line *const at = slots + slot * 192;
            if (turn) fsr_gate_await(&ring.empty[slot], (turn - 1) & 1);
            fsr_bulk_rest((f32 *)(at + 0), x0 + t * 6144, among);
            fsr_gate_expect(&ring.full[slot], fsr_bulk_bytes<f32>(among));
            fsr_bulk_most((f32 *)(at + 0), x0 + t * 6144, among, &ring.full[slot]);
            slot = slot + 1 < 8 ? slot + 1 : 0;
            turn += slot == 0;
        }
    }
}
