/* SPDX-License-Identifier: MIT */
/* Vectors of adjacent elements between memory and registers. `x` is always an array indexed by constants once
 * unrolled, so that it lives in registers. */
#include "backend_cuda/prelude.h"

/* clang-format off */
const fsr_prelude_piece fsr_prelude_memory[] = {
    {"fsr_once", true,
     "/* An element that nobody reads again: its line leaves the second cache before others. */\n"
     "template <class T> __forceinline__ static T fsr_once(const T *p)\n"
     "{\n"
     "#if __CUDA_ARCH__ >= 800\n"
     "    u64 first;\n"
     "    asm(\"createpolicy.fractional.L2::evict_first.b64 %0, 1.0;\" : \"=l\"(first));\n"
     "    if (sizeof(T) == 4) {\n"
     "        u32 w;\n"
     "        asm(\"ld.global.nc.L2::cache_hint.b32 %0, [%1], %2;\" : \"=r\"(w) : \"l\"(p), \"l\"(first));\n"
     "        return *(const T *)&w;\n"
     "    }\n"
     "    if (sizeof(T) == 8) {\n"
     "        u64 w;\n"
     "        asm(\"ld.global.nc.L2::cache_hint.b64 %0, [%1], %2;\" : \"=l\"(w) : \"l\"(p), \"l\"(first));\n"
     "        return *(const T *)&w;\n"
     "    }\n"
     "#endif\n"
     "    return *p;\n"
     "}\n"},
    {"fsr_piece", false,
     "/* What moves at once: up to 16 bytes. */\n"
     "template <class T, int V> struct fsr_piece {\n"
     "    static constexpr int bytes = V * sizeof(T) < 16 ? V * sizeof(T) : 16;\n"
     "    static constexpr int each = bytes / sizeof(T);\n"
     "    struct alignas(bytes) word { T e[each]; };\n"
     "};\n"},
    {"fsr_load", false,
     "/* V adjacent elements into x[at ...]. */\n"
     "template <int V, class T, int N>\n"
     "__forceinline__ static void fsr_load(T (&x)[N], int at, const T *p)\n"
     "{\n"
     "    typedef fsr_piece<T, V> piece;\n"
     "#pragma unroll\n"
     "    for (int q = 0; q < V / piece::each; q++) {\n"
     "        const typename piece::word w = ((const typename piece::word *)p)[q];\n"
     "#pragma unroll\n"
     "        for (int i = 0; i < piece::each; i++) x[at + q * piece::each + i] = w.e[i];\n"
     "    }\n"
     "}\n"},
    {"fsr_load_any", false,
     "template <int V, class T, int N>\n"
     "__forceinline__ static void fsr_load_any(T (&x)[N], int at, const T *p)\n"
     "{\n"
     "    if ((u64)p % fsr_piece<T, V>::bytes == 0) {\n"
     "        fsr_load<V>(x, at, p);\n"
     "    } else {\n"
     "#pragma unroll\n"
     "        for (int i = 0; i < V; i++) x[at + i] = p[i];\n"
     "    }\n"
     "}\n"},
    {"fsr_load_same", false,
     "template <int V, class T, int N>\n"
     "__forceinline__ static void fsr_load_same(T (&x)[N], int at, const T *p)\n"
     "{\n"
     "    const T e = *p;\n"
     "#pragma unroll\n"
     "    for (int i = 0; i < V; i++) x[at + i] = e;\n"
     "}\n"},
    {"fsr_load_strided", false,
     "template <int V, class T, int N>\n"
     "__forceinline__ static void fsr_load_strided(T (&x)[N], int at, const T *p, idx first, idx stride)\n"
     "{\n"
     "#pragma unroll\n"
     "    for (int i = 0; i < V; i++) x[at + i] = p[(idx)(first + i * stride)];\n"
     "}\n"},
    {"fsr_load_part", false,
     "/* The first `left` of V elements. */\n"
     "template <int V, class T, int N>\n"
     "__forceinline__ static void fsr_load_part(T (&x)[N], int at, const T *p, idx left)\n"
     "{\n"
     "#pragma unroll\n"
     "    for (int i = 0; i < V; i++)\n"
     "        if (i < left) x[at + i] = p[i];\n"
     "}\n"},
    {"fsr_store", false,
     "template <int V, class T, int N>\n"
     "__forceinline__ static void fsr_store(const T (&x)[N], int at, T *p)\n"
     "{\n"
     "    typedef fsr_piece<T, V> piece;\n"
     "#pragma unroll\n"
     "    for (int q = 0; q < V / piece::each; q++) {\n"
     "        typename piece::word w;\n"
     "#pragma unroll\n"
     "        for (int i = 0; i < piece::each; i++) w.e[i] = x[at + q * piece::each + i];\n"
     "        ((typename piece::word *)p)[q] = w;\n"
     "    }\n"
     "}\n"},
    {"fsr_store_any", false,
     "template <int V, class T, int N>\n"
     "__forceinline__ static void fsr_store_any(const T (&x)[N], int at, T *p)\n"
     "{\n"
     "    if ((u64)p % fsr_piece<T, V>::bytes == 0) {\n"
     "        fsr_store<V>(x, at, p);\n"
     "    } else {\n"
     "#pragma unroll\n"
     "        for (int i = 0; i < V; i++) p[i] = x[at + i];\n"
     "    }\n"
     "}\n"},
    {"fsr_store_same", false,
     "template <int V, class T, int N>\n"
     "__forceinline__ static void fsr_store_same(const T (&x)[N], int at, T *p)\n"
     "{\n"
     "    *p = x[at + V - 1];\n"
     "}\n"},
    {"fsr_store_strided", false,
     "template <int V, class T, int N>\n"
     "__forceinline__ static void fsr_store_strided(const T (&x)[N], int at, T *p, idx first, idx stride)\n"
     "{\n"
     "#pragma unroll\n"
     "    for (int i = 0; i < V; i++) p[(idx)(first + i * stride)] = x[at + i];\n"
     "}\n"},
    {"fsr_store_part", false,
     "template <int V, class T, int N>\n"
     "__forceinline__ static void fsr_store_part(const T (&x)[N], T *p, idx left)\n"
     "{\n"
     "#pragma unroll\n"
     "    for (int i = 0; i < V; i++)\n"
     "        if (i < left) p[i] = x[i];\n"
     "}\n"},
    {0}};
/* clang-format on */
