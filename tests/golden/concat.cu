// mul, paste
// 2 parallel dimensions, 0 folded, 0 passes
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

struct fsr_reciprocal { u32 factor, shift; };
static inline u32 fsr_quotient(u32 a, fsr_reciprocal d) { return (u32)((u64)a * d.factor >> d.shift); }
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
template <int V, class T, int N>
__forceinline__ static void fsr_store_part(const T (&x)[N], T *p, idx left)
{
#pragma unroll
    for (int i = 0; i < V; i++)
        if (i < left) p[i] = x[i];
}


extern "C" __global__ void __launch_bounds__(256)
k_mul_paste_39da7231(const f32 *__restrict__ x0, const f32 *__restrict__ x1, f32 *__restrict__ x2, const idx rows, const idx n5, const idx n6, const idx n7, const idx n8, const idx n10, const idx n11, const idx n12, const fsr_reciprocal m5)
{
    const idx r0 = (idx)blockIdx.x * 1024 + threadIdx.x * 4;
    const bool whole = r0 + 4 <= rows;
    bool fits0 = whole;
#pragma unroll
    for (int j = 0; j < 1; j++) {
        const idx r = r0 + j * 1024;
        const idx q1 = fsr_quotient(r, m5);
        const idx i1 = r - q1 * n5;
        const idx i0 = q1;
        fits0 = fits0 && (idx)(n10 + i1) < n11 && !((idx)(i1) < n12);
    }
    if (fits0) {
        f32 v5[4] = {};
#pragma unroll
        for (int j = 0; j < 1; j++) {
            const idx r = r0 + j * 1024;
            const idx q1 = fsr_quotient(r, m5);
            const idx i1 = r - q1 * n5;
            const idx i0 = q1;
            const idx a0 = i0 * n6 + i1;
            const idx a1 = i0 * n8 + i1 + n7;
            fsr_load_any<4>(v5, j * 4, x1 + (a1));
        }
#pragma unroll
        for (int j = 0; j < 1; j++) {
            const idx r = r0 + j * 1024;
            const idx q1 = fsr_quotient(r, m5);
            const idx i1 = r - q1 * n5;
            const idx i0 = q1;
            f32 o8[4];
#pragma unroll
            for (int v = 0; v < 4; v++) {
                const int i = j * 4 + v;
                const f32 v7 = v5[i];
                o8[v] = v7;
            }
            fsr_store<4>(o8, 0, x2 + (r));
        }
        return;
    }
    f32 v1[4] = {};
    f32 v5[4] = {};
    if (whole) {
#pragma unroll
        for (int j = 0; j < 1; j++) {
            const idx r = r0 + j * 1024;
            const idx q1 = fsr_quotient(r, m5);
            const idx i1 = r - q1 * n5;
            const idx i0 = q1;
            const idx a0 = i0 * n6 + i1;
            const idx a1 = i0 * n8 + i1 + n7;
            if ((idx)(i1) < n12) {
                fsr_load_any<4>(v1, j * 4, x0 + (a0));
            }
            if ((idx)(n10 + i1) < n11) {
                fsr_load_any<4>(v5, j * 4, x1 + (a1));
            }
        }
    } else {
#pragma unroll
        for (int j = 0; j < 1; j++) {
            const idx r = r0 + j * 1024;
            const idx q1 = fsr_quotient(r, m5);
            const idx i1 = r - q1 * n5;
            const idx i0 = q1;
            const idx a0 = i0 * n6 + i1;
            const idx a1 = i0 * n8 + i1 + n7;
            if (r < rows) {
                if ((idx)(i1) < n12) {
                    fsr_load_any<4>(v1, j * 4, x0 + (a0));
                }
                if ((idx)(n10 + i1) < n11) {
                    fsr_load_any<4>(v5, j * 4, x1 + (a1));
                }
            }
        }
    }
#pragma unroll
    for (int j = 0; j < 1; j++) {
        const idx r = r0 + j * 1024;
        const idx q1 = fsr_quotient(r, m5);
        const idx i1 = r - q1 * n5;
        const idx i0 = q1;
        f32 o8[4];
#pragma unroll
        for (int v = 0; v < 4; v++) {
            const int i = j * 4 + v;
            const f32 v0 = 0x0p+0f;
            const f32 v2 = v1[i] * v1[i];
            const b8 v3 = (idx)((i1 + v)) < n12;
            const f32 v4 = v3 ? v2 : v0;
            const b8 v6 = (idx)(n10 + (i1 + v)) < n11;
            const f32 v7 = v6 ? v5[i] : v4;
            o8[v] = v7;
        }
        if (whole) {
            fsr_store<4>(o8, 0, x2 + (r));
        } else if (r < rows) {
            fsr_store_part<4>(o8, x2 + r, rows - r);
        }
    }
}
