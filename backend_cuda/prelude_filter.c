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
    {0}};
/* clang-format on */
