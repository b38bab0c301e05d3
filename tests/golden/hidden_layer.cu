// div, mul, exp, neg, exp, sub, add, div
// 1 parallel dimensions, 0 folded, 0 passes
// map: 256 threads, abreast 1, vector 4, items 4
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

/* A zero goes the way of subnormal numbers, a call for all of its warp: 2^-23 goes in its place, of which no quotient
   by a number but 0 is infinite, so that the zero's product with it is what its quotient is. */
static __forceinline__ f32 fsr_overf(f32 a, f32 b)
{
    const bool zero = a == 0.0f;
    const f32 q = (zero ? 0x1p-23f : a) / b;
    return zero ? a * q : q;
}
/* By an odd whole number, below 2^22: no subnormal quotient lies in the middle of two, so what the first one leaves, which is
   exact, rounds it right there too. Of an infinity it leaves no number, and the second quotient is the first one. */
static __forceinline__ f32 fsr_overf_odd(f32 a, f32 b)
{
    const f32 c = fabsf(b), x = b < 0 ? -a : a, r = 1.0f / c, q = x * r;
    return fmaf(fminf(fmaf(q, c, -x), 0x1.fffffep+127f), -r, q);
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


extern "C" __global__ void __launch_bounds__(256)
k_div_mul_exp_neg_exp_sub_add_di_869fcdc8(const f32 *__restrict__ x0, const f32 *__restrict__ x1, f32 *__restrict__ x2, const idx rows)
{
    const idx r0 = (idx)blockIdx.x * 1024 + threadIdx.x * 4;
    const bool whole = r0 + 4 <= rows;
    f32 v0[4] = {};
    f32 v3[4] = {};
    if (whole) {
#pragma unroll
        for (int j = 0; j < 1; j++) {
            const idx r = r0 + j * 1024;
            fsr_load<4>(v0, j * 4, x0 + (r));
            fsr_load<4>(v3, j * 4, x1 + (r));
        }
    } else {
#pragma unroll
        for (int j = 0; j < 1; j++) {
            const idx r = r0 + j * 1024;
            if (r < rows) {
                fsr_load_part<4>(v0, j * 4, x0 + r, rows - r);
                fsr_load_part<4>(v3, j * 4, x1 + r, rows - r);
            }
        }
    }
#pragma unroll
    for (int j = 0; j < 1; j++) {
        const idx r = r0 + j * 1024;
        f32 o11[4];
#pragma unroll
        for (int v = 0; v < 4; v++) {
            const int i = j * 4 + v;
            const f32 v1 = 0x1.fep+7f;
            const f32 v2 = fsr_overf_odd(v0[i], v1);
            const f32 v4 = v2 * v3[i];
            const f32 v5 = expf(v4);
            const f32 v6 = -v4;
            const f32 v7 = expf(v6);
            const f32 v8 = v5 - v7;
            const f32 v9 = v5 + v7;
            const f32 v10 = fsr_overf(v8, v9);
            o11[v] = v10;
        }
        if (whole) {
            fsr_store<4>(o11, 0, x2 + (r));
        } else if (r < rows) {
            fsr_store_part<4>(o11, x2 + r, rows - r);
        }
    }
}
