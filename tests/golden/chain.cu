// exp, log1p
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
k_exp_log1p_2a10cb9e(const f32 *__restrict__ x0, f32 *__restrict__ x1, const idx rows)
{
    const idx r0 = (idx)blockIdx.x * 1024 + threadIdx.x * 4;
    const bool whole = r0 + 4 <= rows;
    f32 v0[4] = {};
    if (whole) {
#pragma unroll
        for (int j = 0; j < 1; j++) {
            const idx r = r0 + j * 1024;
            fsr_load<4>(v0, j * 4, x0 + (r));
        }
    } else {
#pragma unroll
        for (int j = 0; j < 1; j++) {
            const idx r = r0 + j * 1024;
            if (r < rows) {
                fsr_load_part<4>(v0, j * 4, x0 + r, rows - r);
            }
        }
    }
#pragma unroll
    for (int j = 0; j < 1; j++) {
        const idx r = r0 + j * 1024;
        f32 o3[4];
#pragma unroll
        for (int v = 0; v < 4; v++) {
            const int i = j * 4 + v;
            const f32 v1 = expf(v0[i]);
            const f32 v2 = log1pf(v1);
            o3[v] = v2;
        }
        if (whole) {
            fsr_store<4>(o3, 0, x1 + (r));
        } else if (r < rows) {
            fsr_store_part<4>(o3, x1 + r, rows - r);
        }
    }
}
