// maximum, minimum, prefix, mul, prefix, sum
// 0 parallel dimensions, 1 folded, 1 passes
// split: 512 threads, abreast 512, vector 1, items 4
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

static inline u32 fsr_div(u32 a, u32 b) { return a / b; }
/* A 64-bit division costs several times a 32-bit one; most operands are small. */
static inline u64 fsr_div(u64 a, u64 b)
{
    return (a | b) >> 32 ? a / b : (u32)a / (u32)b;
}
static inline void fsr_barrier() { __syncthreads(); }
/* Words from another lane; every lane of the warp takes part. */
static inline u32 fsr_shuffle_word(u32 w, u32 lane) { return __shfl_sync(0xffffffffu, w, lane); }
static inline u32 fsr_add_ticket(u32 *p) { return atomicAdd(p, 1u); }
static inline void fsr_fence() { __threadfence(); }
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
template <class F, class S, int N> __forceinline__ static void fsr_identities(S (&x)[N])
{
#pragma unroll
    for (int i = 0; i < N; i++) x[i] = F::identity();
}
template <class F, class S, int N> __forceinline__ static S fsr_serial_fold(const S (&x)[N])
{
    S sum = x[0];
#pragma unroll
    for (int i = 1; i < N; i++) sum = F::combine(sum, x[i]);
    return sum;
}
/* Folds LANES neighbouring lanes in order. The first of them has the fold, and gives it to the others: folds of both sides would
   need as many selects as states have words, twice a step, for the order. */
template <class F, int LANES, class S> __forceinline__ static S fsr_warp_fold(S x)
{
    const u32 lane = threadIdx.x % 32;
#pragma unroll
    for (u32 d = 1; d < LANES; d *= 2) x = F::combine(x, fsr_shuffle(x, lane + d));
    return LANES > 1 ? fsr_shuffle(x, lane / LANES * LANES) : x;
}
/* Folds the threads of WARPS warps (or of LANES lanes) in order; all get the result. scratch: one state a warp of the
   block, not in use by anybody else until the next barrier but one. */
template <class F, int LANES, int WARPS, class S> __forceinline__ static S fsr_threads_fold(S x, typename F::state *scratch)
{
    x = fsr_warp_fold<F, LANES>(x);
    if constexpr (WARPS > 1) {
        const u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
        if (lane == 0) scratch[warp] = x;
        fsr_barrier();
        x = fsr_warp_fold<F, WARPS>(scratch[warp / WARPS * WARPS + lane % WARPS]);
    }
    return x;
}
/* Leaves the block's partial state and takes a ticket; true in the block that finishes last, which resets the ticket. */
template <class S> __forceinline__ static bool fsr_is_last(S *place, const S &part, u32 *ticket, idx blocks, u32 &turn)
{
    if (threadIdx.x == 0) {
        *place = part;
        fsr_fence();
        turn = fsr_add_ticket(ticket);
    }
    fsr_barrier();
    if (turn + 1 != (u32)blocks) return false;
    fsr_fence();
    if (threadIdx.x == 0) *ticket = 0;
    return true;
}
/* Folds n partial states in order: a contiguous range a thread, then the block. */
template <class F, int WARPS, class S> __forceinline__ static S fsr_parts_fold(const S *parts, idx n, typename F::state *scratch)
{
    const idx each = (n + WARPS * 32 - 1) / (WARPS * 32), first = threadIdx.x * each;
    S sum = F::identity();
    for (idx i = first; i < first + each && i < n; i++) sum = F::combine(sum, parts[i]);
    return fsr_threads_fold<F, 32, WARPS>(sum, scratch);
}
static inline i64 fsr_clip(i64 i, i64 n) { return i < 0 ? 0 : i < n ? i : n - 1; }
static inline i32 fsr_clip(i32 i, u32 n)
{
    const i32 last = (i32)n - 1, low = i < last ? i : last;
    return low > 0 ? low : 0;
}

struct op0 {
    struct state {
        f32 c0;
    };
    static state identity() { return {0x0p+0f}; }
    static state combine(const state &a, const state &b) {
        const f32 t2 = a.c0 + b.c0;
        return {t2};
    }
};
struct pass0 {
    struct state {
        op0::state f0;
    };
    static state identity() { return {op0::identity()}; }
    static state combine(const state &a, const state &b) { return {op0::combine(a.f0, b.f0)}; }
    static state pick(const state &before, const state &after) { return {after.f0}; }
};

extern "C" __global__ void __launch_bounds__(512)
k_maximum_minimum_prefix_mul_pre_db4bc1c9(const i64 *__restrict__ x0, const f32 *__restrict__ x1, f32 *__restrict__ x2, const idx cols, const idx splits, const idx stretch, const idx n5, const idx n6, const idx n7, const idx n8, void *work, void *zero)
{
    const i64 v0 = x0[0];
    const i64 v1 = 0ll;
    const i64 v2 = v0 > v1 ? v0 : v1;
    const i64 v3 = 16777216ll;
    const i64 v4 = v2 < v3 ? v2 : v3;
    const i64 v5 = fsr_clip(v4, (i64)n8);
    const idx r = fsr_div((idx)blockIdx.x, splits);
    const idx s = blockIdx.x - r * splits;
    const idx begin = s * stretch;
    const idx stop = (u64)v5 < cols ? (idx)v5 : cols;
    const idx end = begin + stretch < stop ? begin + stretch : stop;
    const idx a1 = r * cols;
    const f32 v6 = 0x0p+0f;
    __shared__ pass0::state s0[16];
    pass0::state acc0[4];
    fsr_identities<pass0>(acc0);
#pragma unroll 1
    for (idx first = begin, flip = 0; first < end; first += 2048, flip ^= 1) {
        const idx c0 = first + (threadIdx.x / 32 * 128 + threadIdx.x % 32);
        f32 v7[4] = {};
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const idx c = c0 + i * 32;
            if (c < end) {
                if ((idx)(n5 + c + (idx)v5 * n6) < n7) {
                    v7[i] = x1[a1 + c];
                }
            }
        }
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const idx c = c0 + i * 32;
            const idx i0 = c;
            const f32 v8 = v7[i] * v7[i];
            const b8 v9 = (idx)(n5 + i0 + (idx)v5 * n6) < n7;
            const f32 v10 = v9 ? v8 : v6;
            if (c < end) acc0[i % 4].f0 = op0::combine(acc0[i % 4].f0, op0::state{v10});
        }
    }
    const pass0::state part = fsr_threads_fold<pass0, 32, 16>(fsr_serial_fold<pass0>(acc0), s0);
    pass0::state *const parts = (pass0::state *)work + (u64)r * splits;
    __shared__ u32 turn;
    if (!fsr_is_last(parts + s, part, (u32 *)zero + r, splits, turn)) return;
    __shared__ pass0::state last[16];
    const pass0::state all0 = fsr_parts_fold<pass0, 16>(parts, splits, last);
    const f32 v12 = all0.f0.c0;
    if (threadIdx.x == 0) x2[r] = v12;
}
