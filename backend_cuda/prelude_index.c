/* SPDX-License-Identifier: MIT */
/* What an index that may lie outside is brought to: the modes are fsr_index_mode. */
#include "backend_cuda/prelude.h"

/* clang-format off */
const fsr_prelude_piece fsr_prelude_index[] = {
    {"fsr_raise", false,
     "/* Indices brought into [0, n), those of 32 bits where n has 31; what lies outside is kept in *worst, if it is to be. */\n"
     "static inline i64 fsr_raise(i64 i, i64 n, u64 *worst)\n"
     "{\n"
     "    const i64 at = i < 0 ? i + n : i;\n"
     "    if ((u64)at < (u64)n) return at;\n"
     "    if (worst) fsr_keep_greatest(worst, (u64)i);\n"
     "    return at < 0 ? 0 : n - 1;\n"
     "}\n"
     "static inline i32 fsr_raise(i32 i, u32 n, u64 *worst)\n"
     "{\n"
     "    const i32 at = i < 0 ? i + (i32)n : i;\n"
     "    if ((u32)at < n) return at;\n"
     "    if (worst) fsr_keep_greatest(worst, (u64)(i64)i);\n"
     "    return at < 0 ? 0 : (i32)n - 1;\n"
     "}\n"},
    {"fsr_clip", false,
     "static inline i64 fsr_clip(i64 i, i64 n) { return i < 0 ? 0 : i < n ? i : n - 1; }\n"
     "static inline i32 fsr_clip(i32 i, u32 n)\n"
     "{\n"
     "    const i32 last = (i32)n - 1, low = i < last ? i : last;\n"
     "    return low > 0 ? low : 0;\n"
     "}\n"},
    {"fsr_wrap", false,
     "static inline i64 fsr_wrap(i64 i, i64 n)\n"
     "{\n"
     "    const i64 rest = (u64)i < (u64)n ? i : i % n;\n"
     "    return rest < 0 ? rest + n : rest;\n"
     "}\n"
     "static inline i32 fsr_wrap(i32 i, u32 n)\n"
     "{\n"
     "    const i32 rest = (u32)i < n ? i : i % (i32)n;\n"
     "    return rest < 0 ? rest + (i32)n : rest;\n"
     "}\n"},
    {"fsr_reflect", false,
     "/* Once; what is further away stays outside. */\n"
     "static inline i64 fsr_reflect(i64 i, i64 n) { return i < 0 ? -i : i < n ? i : 2 * (n - 1) - i; }\n"
     "static inline i32 fsr_reflect(i32 i, u32 n)\n"
     "{\n"
     "    return i < 0 ? -i : i < (i32)n ? i : 2 * ((i32)n - 1) - i;\n"
     "}\n"},
    {"fsr_drop", false,
     "/* -1: outside. */\n"
     "static inline i64 fsr_drop(i64 i, i64 n)\n"
     "{\n"
     "    const i64 at = i < 0 ? i + n : i;\n"
     "    return (u64)at < (u64)n ? at : -1;\n"
     "}\n"
     "static inline i32 fsr_drop(i32 i, u32 n)\n"
     "{\n"
     "    const u32 at = (u32)i + (i < 0 ? n : 0);\n"
     "    return at < n ? (i32)at : -1;\n"
     "}\n"},
    {0}};
/* clang-format on */
