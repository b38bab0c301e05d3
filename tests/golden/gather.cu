// neg, cast, gather, mul, sqrt
// 1 parallel dimensions, 0 folded, 0 passes
// map: 256 threads, abreast 1, vector 2, items 2
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

/* As of a quotient, a zero takes no call. */
static __forceinline__ f32 fsr_sqrtf(f32 a)
{
    const bool zero = a == 0.0f;
    const f32 y = sqrtf(zero ? 1.0f : a);
    return zero ? a : y;
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
/* The first `left` of V elements. */
template <int V, class T, int N>
__forceinline__ static void fsr_load_part(T (&x)[N], int at, const T *p, idx left)
{
#pragma unroll
    for (int i = 0; i < V; i++)
        if (i < left) x[at + i] = p[i];
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
template <int V, class T, int N>
__forceinline__ static void fsr_store_part(const T (&x)[N], T *p, idx left)
{
#pragma unroll
    for (int i = 0; i < V; i++)
        if (i < left) p[i] = x[i];
}
static inline void fsr_keep_greatest(u64 *p, u64 w) { atomicMax(p, w); }
/* Indices brought into [0, n), those of 32 bits where n has 31; what lies outside is kept in *worst, if it is to be. */
static inline i64 fsr_raise(i64 i, i64 n, u64 *worst)
{
    const i64 at = i < 0 ? i + n : i;
    if ((u64)at < (u64)n) return at;
    if (worst) fsr_keep_greatest(worst, (u64)i);
    return at < 0 ? 0 : n - 1;
}
static inline i32 fsr_raise(i32 i, u32 n, u64 *worst)
{
    const i32 at = i < 0 ? i + (i32)n : i;
    if ((u32)at < n) return at;
    if (worst) fsr_keep_greatest(worst, (u64)(i64)i);
    return at < 0 ? 0 : (i32)n - 1;
}
static inline i64 fsr_i32_to_i64(i32 x) { return (i64)x; }


extern "C" __global__ void __launch_bounds__(256)
k_neg_cast_gather_mul_sqrt_9b8b915b(const i32 *__restrict__ x0, u64 *__restrict__ x1, const f32 *__restrict__ x2, f32 *__restrict__ x3, const idx rows, const idx n5)
{
    const idx r0 = (idx)blockIdx.x * 512 + threadIdx.x * 2;
    const bool whole = r0 + 2 <= rows;
    i32 v0[2] = {};
    if (whole) {
#pragma unroll
        for (int j = 0; j < 1; j++) {
            const idx r = r0 + j * 512;
            fsr_load<2>(v0, j * 2, x0 + (r));
        }
    } else {
#pragma unroll
        for (int j = 0; j < 1; j++) {
            const idx r = r0 + j * 512;
            if (r < rows) {
                fsr_load_part<2>(v0, j * 2, x0 + r, rows - r);
            }
        }
    }
#pragma unroll
    for (int j = 0; j < 1; j++) {
        const idx r = r0 + j * 512;
        const idx a1 = 0;
        if (whole) {
            f32 o7[2];
#pragma unroll
            for (int v = 0; v < 2; v++) {
                const int i = j * 2 + v;
                const i32 v1 = (i32)(0u - (u32)v0[i]);
                const i64 v2 = fsr_i32_to_i64(v1);
                const i64 v3 = fsr_raise((i32)v2, n5, x1);
                const f32 v4 = x2[a1 + (idx)v3];
                const f32 v5 = v4 * v4;
                const f32 v6 = fsr_sqrtf(v5);
                o7[v] = v6;
            }
            fsr_store<2>(o7, 0, x3 + (r));
        } else if (r < rows) {
            f32 o7[2];
#pragma unroll
            for (int v = 0; v < 2; v++) {
                const int i = j * 2 + v;
                const i32 v1 = (i32)(0u - (u32)v0[i]);
                const i64 v2 = fsr_i32_to_i64(v1);
                const i64 v3 = fsr_raise((i32)v2, n5, r + v < rows ? x1 : nullptr);
                const f32 v4 = (r + v < rows ? x2[a1 + (idx)v3] : f32{});
                const f32 v5 = v4 * v4;
                const f32 v6 = fsr_sqrtf(v5);
                o7[v] = v6;
            }
            fsr_store_part<2>(o7, x3 + r, rows - r);
        }
    }
}
