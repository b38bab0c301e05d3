/* SPDX-License-Identifier: MIT */
/* What lanes hand over to one another when a filter is stored; see emit_compact.c. */
#include "backend_cuda/prelude.h"

/* clang-format off */
const fsr_prelude_piece fsr_prelude_filter[] = {
    {"fsr_compact", false,
     "/* A step's elements x, of column c and those behind it, of LANES lanes: the selected ones go to their counts in the row, the others\n"
     "   behind them from its end, or, FRONT, nowhere. All lanes take part. room has BYTES for an element, those of the kernel's widest one: warps are not at\n"
     "   the same store, and what one of them hands over may not lie where another one's does. */\n"
     "template <int LANES, int BYTES, bool FRONT, class T, class X, class I, int V>\n"
     "__forceinline__ static void fsr_compact(T *row, c128 *room, const X (&x)[V], const b8 (&mask)[V], const I (&before)[V],\n"
     "                                        idx c, idx end, idx cols)\n"
     "{\n"
     "    const u32 lane = threadIdx.x % LANES, base = threadIdx.x % 32 - lane, all = LANES * V;\n"
     "    const idx first = c - lane * V;\n"
     "    const u32 n = first >= end ? 0 : end - first < all ? (u32)(end - first) : all;\n"
     "    T *const step = (T *)((u8 *)room + (threadIdx.x - lane) * V * BYTES);\n"
     "    const I ends = before[V - 1] + (lane * V + V - 1 < n && mask[V - 1]);\n"
     "    const I begin = fsr_shuffle(before[0], base);\n"
     "    const u32 selected = (u32)(fsr_shuffle(ends, base + LANES - 1) - begin);\n"
     "#pragma unroll\n"
     "    for (int v = 0; v < V; v++) {\n"
     "        const u32 i = lane * V + v, rank = (u32)(before[v] - begin);\n"
     "        if (i < n && (!FRONT || mask[v])) step[mask[v] ? rank : n - 1 - (i - rank)] = x[v];\n"
     "    }\n"
     "    fsr_warp_barrier();\n"
     "    T *const front = row + (idx)begin, *const back = row + (idx)(cols - (first - (idx)begin) - n);\n"
     "#pragma unroll\n"
     "    for (int v = 0; v < V; v++) {\n"
     "        const u32 i = lane + v * LANES;\n"
     "        if (i < (FRONT ? selected : n)) (i < selected ? front : back)[i] = step[i];\n"
     "    }\n"
     "    fsr_warp_barrier();\n"
     "}\n"},
    {"fsr_among", false,
     "/* Elements of the tile that begins at column `first`. */\n"
     "static inline u32 fsr_among(idx end, idx first, u32 tile) { return end - first < tile ? (u32)(end - first) : tile; }\n"},
    {"fsr_opaque", true,
     "/* A word of which a compiler knows no more. */\n"
     "static inline void fsr_opaque(u32 &w) { asm volatile(\"\" : \"+r\"(w)); }\n"},
    {"fsr_pool", false,
     "/* An element of a tile, if it is selected, to where the next one is to go. */\n"
     "template <class T, class X> __forceinline__ static void fsr_pool(T *&to, const X &x, bool selected)\n"
     "{\n"
     "    if (selected) *to++ = x;\n"
     "}\n"},
    {"fsr_pool_all", false,
     "/* Element i of a tile of n: to its rank among the selected ones, or, if it is none, counted from the end. rank: of this element before,\n"
     "   of the next one after. */\n"
     "template <class T, class X>\n"
     "__forceinline__ static void fsr_pool_all(T *pool, const X &x, b8 mask, idx i, u32 n, u32 &rank)\n"
     "{\n"
     "    if (i < n) pool[mask ? rank : n - 1 - ((u32)i - rank)] = x;\n"
     "    rank += mask ? 1 : 0;\n"
     "}\n"},
    {"fsr_pool_out", false,
     "/* A tile's pool, of the n columns from `first` on: its selected elements to place `begin` of the row and behind it, the others to\n"
     "   where as many as stand before are free at its end. Threads begin at lines of memory. */\n"
     "template <int THREADS, bool FRONT, class T, class I>\n"
     "__forceinline__ static void fsr_pool_out(T *row, const T *pool, I begin, u32 selected, idx first, u32 n, idx cols)\n"
     "{\n"
     "    T *const front = row + (idx)begin;\n"
     "    const u32 off = (u32)((u64)front / sizeof(T)) % 32;\n"
     "#pragma unroll 4\n"
     "    for (u32 i = threadIdx.x; i < selected + off; i += THREADS)\n"
     "        if (i >= off) front[i - off] = pool[i - off];\n"
     "    if (FRONT) return;\n"
     "    T *const back = row + (idx)(cols - (first - (idx)begin) - n);\n"
     "#pragma unroll 4\n"
     "    for (u32 i = selected + threadIdx.x; i < n; i += THREADS) back[i] = pool[i];\n"
     "}\n"},
    {0}};
/* clang-format on */
