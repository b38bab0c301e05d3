// sum
// 1 parallel dimensions, 1 folded, 1 passes
// col: 256 threads, abreast 32, vector 4, items 4
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
template <int V, class T, int N>
__forceinline__ static void fsr_load_any(T (&x)[N], int at, const T *p)
{
    if ((u64)p % fsr_piece<T, V>::bytes == 0) {
        fsr_load<V>(x, at, p);
    } else {
#pragma unroll
        for (int i = 0; i < V; i++) x[at + i] = p[i];
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
static inline u32 fsr_add_ticket(u32 *p) { return atomicAdd(p, 1u); }
static inline void fsr_fence() { __threadfence(); }
template <class F, class S, int N> __forceinline__ static void fsr_identities(S (&x)[N])
{
#pragma unroll
    for (int i = 0; i < N; i++) x[i] = F::identity();
}
/* The same after every thread has left its own partial states. */
static inline bool fsr_are_last(u32 *ticket, idx blocks, u32 &turn)
{
    fsr_fence();
    fsr_barrier();
    if (threadIdx.x == 0) turn = fsr_add_ticket(ticket);
    fsr_barrier();
    if (turn + 1 != (u32)blocks) return false;
    fsr_fence();
    if (threadIdx.x == 0) *ticket = 0;
    return true;
}
/* COL: folds the Y threads of each row in order; all of them get the result. scratch: one state a thread. */
template <class F, int X, int Y, class S, int V>
__forceinline__ static void fsr_rows_fold(const S (&x)[V], S (&all)[V], typename F::state *scratch)
{
#pragma unroll
    for (int v = 0; v < V; v++) {
        all[v] = x[v];
        if constexpr (Y > 1) {
            if (v) fsr_barrier();
            scratch[threadIdx.x] = x[v];
            fsr_barrier();
            if constexpr (Y <= 8 || (Y & (Y - 1))) {
                all[v] = scratch[threadIdx.x % X];
                for (int y = 1; y < Y; y++) all[v] = F::combine(all[v], scratch[y * X + threadIdx.x % X]);
            } else {
                for (int half = 1; half < Y; half *= 2) {
                    if (threadIdx.x / X % (2 * half) == 0)
                        scratch[threadIdx.x] = F::combine(scratch[threadIdx.x], scratch[threadIdx.x + half * X]);
                    fsr_barrier();
                }
                all[v] = scratch[threadIdx.x % X];
            }
        }
    }
}
/* COL: thread row y folds its range of the partial states [split][row] of V rows. */
template <class F, int X, int Y, class S, int V>
__forceinline__ static void fsr_rows_parts(S (&x)[V], const S *parts, idx rows, idx splits)
{
    const idx each = (splits + Y - 1) / Y, first = threadIdx.x / X * each;
#pragma unroll
    for (int v = 0; v < V; v++) {
        x[v] = F::identity();
        for (idx s = first; s < first + each && s < splits; s++) x[v] = F::combine(x[v], parts[(u64)s * rows + v]);
    }
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

extern "C" __global__ void __launch_bounds__(256)
k_sum_ce4b08a9(const f32 *__restrict__ x0, f32 *__restrict__ x1, const idx rows, const idx cols, const idx splits, const idx stretch, const idx n6, void *work, void *zero)
{
    const idx tiles = (rows + 127) / 128;
    const idx s = fsr_div((idx)blockIdx.x, tiles);
    const idx tile = blockIdx.x - s * tiles;
    const idx row = tile * 128 + threadIdx.x % 32 * 4;
    const idx r = row < rows ? row : rows - 4;
    const idx begin = s * stretch;
    const idx stop = begin + stretch < cols ? begin + stretch : cols;
    const idx part = ((stop > begin ? stop - begin : 0) + 7) / 8;
    const idx from = begin + threadIdx.x / 32 * part;
    const idx end = row >= rows ? 0 : from + part < stop ? from + part : stop;
    const idx i0 = r;
    const idx a0 = i0;
#pragma unroll
    for (int v = 0; v < 4; v++) {
    }
    __shared__ pass0::state s0[256];
    pass0::state acc0[4], all0[4];
    fsr_identities<pass0>(acc0);
#pragma unroll 1
    for (idx first = from; first < end; first += 1) {
        f32 v0[4] = {};
#pragma unroll
        for (int j = 0; j < 1; j++) {
            const idx cj = first + j;
            if (cj < end) {
                fsr_load_any<4>(v0, j * 4, x0 + (a0 + cj * n6));
            }
        }
#pragma unroll
        for (int j = 0; j < 1; j++) {
            const idx cj = first + j;
#pragma unroll
            for (int v = 0; v < 4; v++) {
                const int i = j * 4 + v;
                if (cj < end) acc0[v].f0 = op0::combine(acc0[v].f0, op0::state{v0[i]});
            }
        }
    }
    fsr_rows_fold<pass0, 32, 8>(acc0, all0, s0);
    if (splits > 1) {
        pass0::state *const parts = (pass0::state *)work + r;
#pragma unroll
        for (int v = 0; v < 4; v++) {
            if (threadIdx.x < 32 && row < rows) parts[(u64)s * rows + v] = all0[v];
        }
        __shared__ u32 turn;
        if (!fsr_are_last((u32 *)zero + tile, splits, turn)) return;
        fsr_rows_parts<pass0, 32, 8>(acc0, parts, rows, splits);
        fsr_rows_fold<pass0, 32, 8>(acc0, all0, s0);
    }
    f32 v2[4];
#pragma unroll
    for (int v = 0; v < 4; v++) {
        v2[v] = all0[v].f0.c0;
    }
    if (threadIdx.x < 32 && row < rows) {
        f32 o3[4];
#pragma unroll
        for (int v = 0; v < 4; v++) {
            o3[v] = v2[v];
        }
        fsr_store<4>(o3, 0, x1 + (r));
    }
}
