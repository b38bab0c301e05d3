// mul, sum
// 0 parallel dimensions, 1 folded, 1 passes
// split: 512 threads, abreast 512, vector 4, items 16
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
k_mul_sum_e97d16d6(const f32 *__restrict__ x0, const f32 *__restrict__ x1, f32 *__restrict__ x2, const idx cols, const idx splits, const idx stretch, void *work, void *zero)
{
    const idx r = fsr_div((idx)blockIdx.x, splits);
    const idx s = blockIdx.x - r * splits;
    const idx begin = s * stretch;
    const idx end = begin + stretch < cols ? begin + stretch : cols;
    const idx a0 = r * cols;
    const idx a1 = r * cols;
    __shared__ pass0::state s0[16];
    pass0::state acc0[4];
    fsr_identities<pass0>(acc0);
#pragma unroll 1
    for (idx first = begin, flip = 0; first < end; first += 8192, flip ^= 1) {
        const idx c0 = first + (threadIdx.x / 32 * 128 + threadIdx.x % 32) * 4;
        f32 v0[16] = {};
        f32 v1[16] = {};
#pragma unroll
        for (int j = 0; j < 4; j++) {
            const idx cj = c0 + j * 128;
            if (cj < end) {
                fsr_load<4>(v0, j * 4, x0 + (a0 + cj));
                fsr_load<4>(v1, j * 4, x1 + (a1 + cj));
            }
        }
#pragma unroll
        for (int j = 0; j < 4; j++) {
            const idx cj = c0 + j * 128;
#pragma unroll
            for (int v = 0; v < 4; v++) {
                const int i = j * 4 + v;
                const f32 v2 = v0[i] * v1[i];
                if (cj < end) acc0[i % 4].f0 = op0::combine(acc0[i % 4].f0, op0::state{v2});
            }
        }
    }
    const pass0::state part = fsr_threads_fold<pass0, 32, 16>(fsr_serial_fold<pass0>(acc0), s0);
    pass0::state *const parts = (pass0::state *)work + (u64)r * splits;
    __shared__ u32 turn;
    if (!fsr_is_last(parts + s, part, (u32 *)zero + r, splits, turn)) return;
    __shared__ pass0::state last[16];
    const pass0::state all0 = fsr_parts_fold<pass0, 16>(parts, splits, last);
    const f32 v4 = all0.f0.c0;
    if (threadIdx.x == 0) x2[r] = v4;
}
