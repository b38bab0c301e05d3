/* SPDX-License-Identifier: MIT */
/* What threads and blocks tell each other: shuffles, atomics, folds, tickets. Scans are in prelude_scan.c.
 *
 * F is an operator or a product of operators: F::state, F::identity(), F::combine(left, right), and for scans
 * F::pick(before, after), which takes the exclusive or the inclusive result. Order is kept everywhere: left is always
 * the lower column. How states are associated depends on indices alone, never on timing. */
#include "backend_cuda/prelude.h"

/* clang-format off */
const fsr_prelude_piece fsr_prelude_exchange[] = {
    {"fsr_barrier", true,
     "static inline void fsr_barrier() { __syncthreads(); }\n"},
    {"fsr_shuffle_word", true,
     "/* Words from another lane; every lane of the warp takes part. */\n"
     "static inline u32 fsr_shuffle_word(u32 w, u32 lane) { return __shfl_sync(0xffffffffu, w, lane); }\n"},
    {"fsr_warp_barrier", true,
     "static inline void fsr_warp_barrier() { __syncwarp(); }\n"},
    {"fsr_add_ticket", true,
     "static inline u32 fsr_add_ticket(u32 *p) { return atomicAdd(p, 1u); }\n"},
    {"fsr_keep_greatest", true,
     "static inline void fsr_keep_greatest(u64 *p, u64 w) { atomicMax(p, w); }\n"},
    {"fsr_swap_word", true,
     "static inline u32 fsr_swap_word(u32 *p, u32 was, u32 is) { return atomicCAS(p, was, is); }\n"
     "static inline u64 fsr_swap_word(u64 *p, u64 was, u64 is) { return atomicCAS(p, was, is); }\n"},
    {"fsr_into", false,
     "/* *p = f(*p, x), all at once: if somebody else changed the word meanwhile, once more. */\n"
     "template <class T, int BYTES> struct fsr_word_of { typedef u32 type; };\n"
     "template <class T> struct fsr_word_of<T, 8> { typedef u64 type; };\n"
     "template <class T, class F> static inline void fsr_into(T *p, T x, F f)\n"
     "{\n"
     "    typedef typename fsr_word_of<T, sizeof(T)>::type word;\n"
     "    union both { word w; T t; } was, is;\n"
     "    word seen = *(volatile word *)p;\n"
     "    do {\n"
     "        was.w = seen;\n"
     "        is.t = f(was.t, x);\n"
     "        seen = is.w == was.w ? was.w : fsr_swap_word((word *)p, was.w, is.w);\n"
     "    } while (seen != was.w);\n"
     "}\n"},
    {"fsr_into_mul", false,
     "template <class T> static inline void fsr_into_mul(T *p, T x) { fsr_into(p, x, [](T a, T b) { return a * b; }); }\n"
     "static inline void fsr_into_mul(i32 *p, i32 x) { fsr_into_mul((u32 *)p, (u32)x); }\n"
     "static inline void fsr_into_mul(i64 *p, i64 x) { fsr_into_mul((u64 *)p, (u64)x); }\n"},
    {"fsr_into_add", true,
     "static inline void fsr_into_add(i32 *p, i32 x) { atomicAdd(p, x); }\n"
     "static inline void fsr_into_add(u32 *p, u32 x) { atomicAdd(p, x); }\n"
     "static inline void fsr_into_add(i64 *p, i64 x) { atomicAdd((u64 *)p, (u64)x); }\n"
     "static inline void fsr_into_add(u64 *p, u64 x) { atomicAdd(p, x); }\n"
     "static inline void fsr_into_add(f32 *p, f32 x) { atomicAdd(p, x); }\n"
     "static inline void fsr_into_add(f64 *p, f64 x) { atomicAdd(p, x); }\n"},
    {"fsr_into_maximum", true,
     "template <class T> static inline void fsr_into_maximum(T *p, T x) { fsr_into(p, x, [](T a, T b) { return a > b || a != a ? a : b; }); }\n"
     "static inline void fsr_into_maximum(i32 *p, i32 x) { atomicMax(p, x); }\n"
     "static inline void fsr_into_maximum(u32 *p, u32 x) { atomicMax(p, x); }\n"
     "static inline void fsr_into_maximum(i64 *p, i64 x) { atomicMax(p, x); }\n"
     "static inline void fsr_into_maximum(u64 *p, u64 x) { atomicMax(p, x); }\n"},
    {"fsr_into_minimum", true,
     "template <class T> static inline void fsr_into_minimum(T *p, T x) { fsr_into(p, x, [](T a, T b) { return a < b || a != a ? a : b; }); }\n"
     "static inline void fsr_into_minimum(i32 *p, i32 x) { atomicMin(p, x); }\n"
     "static inline void fsr_into_minimum(u32 *p, u32 x) { atomicMin(p, x); }\n"
     "static inline void fsr_into_minimum(i64 *p, i64 x) { atomicMin(p, x); }\n"
     "static inline void fsr_into_minimum(u64 *p, u64 x) { atomicMin(p, x); }\n"},
    {"fsr_into_bitwise_and", true,
     "static inline void fsr_into_bitwise_and(i32 *p, i32 x) { atomicAnd(p, x); }\n"
     "static inline void fsr_into_bitwise_and(u32 *p, u32 x) { atomicAnd(p, x); }\n"
     "static inline void fsr_into_bitwise_and(i64 *p, i64 x) { atomicAnd((u64 *)p, (u64)x); }\n"
     "static inline void fsr_into_bitwise_and(u64 *p, u64 x) { atomicAnd(p, x); }\n"},
    {"fsr_into_bitwise_or", true,
     "static inline void fsr_into_bitwise_or(i32 *p, i32 x) { atomicOr(p, x); }\n"
     "static inline void fsr_into_bitwise_or(u32 *p, u32 x) { atomicOr(p, x); }\n"
     "static inline void fsr_into_bitwise_or(i64 *p, i64 x) { atomicOr((u64 *)p, (u64)x); }\n"
     "static inline void fsr_into_bitwise_or(u64 *p, u64 x) { atomicOr(p, x); }\n"},
    {"fsr_into_bitwise_xor", true,
     "static inline void fsr_into_bitwise_xor(i32 *p, i32 x) { atomicXor(p, x); }\n"
     "static inline void fsr_into_bitwise_xor(u32 *p, u32 x) { atomicXor(p, x); }\n"
     "static inline void fsr_into_bitwise_xor(i64 *p, i64 x) { atomicXor((u64 *)p, (u64)x); }\n"
     "static inline void fsr_into_bitwise_xor(u64 *p, u64 x) { atomicXor(p, x); }\n"},
    {"fsr_fence", true,
     "static inline void fsr_fence() { __threadfence(); }\n"},
    {"fsr_pause", true,
     "static inline void fsr_pause() { __nanosleep(20); }\n"},
    {"fsr_post_word", true,
     "/* Words that blocks leave for each other: a value and its flag in one access, or a flag that follows a value. */\n"
     "static inline void fsr_post_word(u64 *p, u64 w) { asm volatile(\"st.relaxed.gpu.global.u64 [%0], %1;\" ::\"l\"(p), \"l\"(w) : \"memory\"); }\n"
     "static inline u64 fsr_peek_word(const u64 *p)\n"
     "{\n"
     "    u64 w;\n"
     "    asm volatile(\"ld.relaxed.gpu.global.u64 %0, [%1];\" : \"=l\"(w) : \"l\"(p) : \"memory\");\n"
     "    return w;\n"
     "}\n"},
    {"fsr_post_pair", true,
     "static inline void fsr_post_pair(u64 *p, u64 a, u64 b)\n"
     "{\n"
     "    asm volatile(\"{ .reg .b128 q; mov.b128 q, {%1, %2}; st.relaxed.gpu.global.b128 [%0], q; }\" ::\"l\"(p), \"l\"(a), \"l\"(b) : \"memory\");\n"
     "}\n"
     "static inline void fsr_peek_pair(const u64 *p, u64 &a, u64 &b)\n"
     "{\n"
     "    asm volatile(\"{ .reg .b128 q; ld.relaxed.gpu.global.b128 q, [%2]; mov.b128 {%0, %1}, q; }\" : \"=l\"(a), \"=l\"(b) : \"l\"(p) : \"memory\");\n"
     "}\n"},
    {"fsr_post_flag", true,
     "static inline void fsr_post_flag(u32 *p) { asm volatile(\"st.release.gpu.global.u32 [%0], %1;\" ::\"l\"(p), \"r\"(1u) : \"memory\"); }\n"},
    {"fsr_peek_flag", true,
     "static inline u32 fsr_peek_flag(const u32 *p)\n"
     "{\n"
     "    u32 w;\n"
     "    asm volatile(\"ld.acquire.gpu.global.u32 %0, [%1];\" : \"=r\"(w) : \"l\"(p) : \"memory\");\n"
     "    return w;\n"
     "}\n"},
    {"fsr_words", false,
     "/* A state as words. */\n"
     "template <class S, class W> union fsr_words {\n"
     "    S state;\n"
     "    W word[(sizeof(S) + sizeof(W) - 1) / sizeof(W)];\n"
     "    fsr_words() : word{} {}\n"
     "    fsr_words(const S &s) : word{} { state = s; }\n"
     "};\n"},
    {"fsr_shuffle", false,
     "template <class S> __forceinline__ static S fsr_shuffle(const S &s, u32 lane)\n"
     "{\n"
     "    fsr_words<S, u32> w(s);\n"
     "#pragma unroll\n"
     "    for (int i = 0; i < (int)(sizeof(S) + 3) / 4; i++) w.word[i] = fsr_shuffle_word(w.word[i], lane);\n"
     "    return w.state;\n"
     "}\n"},
    {"fsr_identities", false,
     "template <class F, class S, int N> __forceinline__ static void fsr_identities(S (&x)[N])\n"
     "{\n"
     "#pragma unroll\n"
     "    for (int i = 0; i < N; i++) x[i] = F::identity();\n"
     "}\n"},
    {"fsr_serial_fold", false,
     "template <class F, class S, int N> __forceinline__ static S fsr_serial_fold(const S (&x)[N])\n"
     "{\n"
     "    S sum = x[0];\n"
     "#pragma unroll\n"
     "    for (int i = 1; i < N; i++) sum = F::combine(sum, x[i]);\n"
     "    return sum;\n"
     "}\n"},
    {"fsr_warp_fold", false,
     "/* Folds LANES neighbouring lanes in order. The first of them has the fold, and gives it to the others: folds of both sides would\n"
     "   need as many selects as states have words, twice a step, for the order. */\n"
     "template <class F, int LANES, class S> __forceinline__ static S fsr_warp_fold(S x)\n"
     "{\n"
     "    const u32 lane = threadIdx.x % 32;\n"
     "#pragma unroll\n"
     "    for (u32 d = 1; d < LANES; d *= 2) x = F::combine(x, fsr_shuffle(x, lane + d));\n"
     "    return LANES > 1 ? fsr_shuffle(x, lane / LANES * LANES) : x;\n"
     "}\n"},
    {"fsr_threads_fold", false,
     "/* Folds the threads of WARPS warps (or of LANES lanes) in order; all get the result. scratch: one state a warp of the\n"
     "   block, not in use by anybody else until the next barrier but one. */\n"
     "template <class F, int LANES, int WARPS, class S> __forceinline__ static S fsr_threads_fold(S x, typename F::state *scratch)\n"
     "{\n"
     "    x = fsr_warp_fold<F, LANES>(x);\n"
     "    if constexpr (WARPS > 1) {\n"
     "        const u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;\n"
     "        if (lane == 0) scratch[warp] = x;\n"
     "        fsr_barrier();\n"
     "        x = fsr_warp_fold<F, WARPS>(scratch[warp / WARPS * WARPS + lane % WARPS]);\n"
     "    }\n"
     "    return x;\n"
     "}\n"},
    {"fsr_is_last", false,
     "/* Leaves the block's partial state and takes a ticket; true in the block that finishes last, which resets the ticket. */\n"
     "template <class S> __forceinline__ static bool fsr_is_last(S *place, const S &part, u32 *ticket, idx blocks, u32 &turn)\n"
     "{\n"
     "    if (threadIdx.x == 0) {\n"
     "        *place = part;\n"
     "        fsr_fence();\n"
     "        turn = fsr_add_ticket(ticket);\n"
     "    }\n"
     "    fsr_barrier();\n"
     "    if (turn + 1 != (u32)blocks) return false;\n"
     "    fsr_fence();\n"
     "    if (threadIdx.x == 0) *ticket = 0;\n"
     "    return true;\n"
     "}\n"},
    {"fsr_are_last", false,
     "/* The same after every thread has left its own partial states. */\n"
     "static inline bool fsr_are_last(u32 *ticket, idx blocks, u32 &turn)\n"
     "{\n"
     "    fsr_fence();\n"
     "    fsr_barrier();\n"
     "    if (threadIdx.x == 0) turn = fsr_add_ticket(ticket);\n"
     "    fsr_barrier();\n"
     "    if (turn + 1 != (u32)blocks) return false;\n"
     "    fsr_fence();\n"
     "    if (threadIdx.x == 0) *ticket = 0;\n"
     "    return true;\n"
     "}\n"},
    {"fsr_meet", false,
     "/* A block leaves its partial state and waits until all blocks of its team have done so: `gate` counts arrivals. */\n"
     "template <class S> __forceinline__ static void fsr_meet(S *place, const S &part, u32 *gate, u32 arrivals)\n"
     "{\n"
     "    if (threadIdx.x == 0) {\n"
     "        *place = part;\n"
     "        fsr_fence();\n"
     "        fsr_add_ticket(gate);\n"
     "        while ((i32)(fsr_peek_flag(gate) - arrivals) < 0) fsr_pause();\n"
     "    }\n"
     "    fsr_barrier();\n"
     "    fsr_fence();\n"
     "}\n"},
    {"fsr_all_meet", false,
     "/* The same where the block's first thread has left several states before. */\n"
     "static inline void fsr_all_meet(u32 *gate, u32 arrivals)\n"
     "{\n"
     "    if (threadIdx.x == 0) {\n"
     "        fsr_fence();\n"
     "        fsr_add_ticket(gate);\n"
     "        while ((i32)(fsr_peek_flag(gate) - arrivals) < 0) fsr_pause();\n"
     "    }\n"
     "    fsr_barrier();\n"
     "    fsr_fence();\n"
     "}\n"},
    {"fsr_parts_fold", false,
     "/* Folds n partial states in order: a contiguous range a thread, then the block. */\n"
     "template <class F, int WARPS, class S> __forceinline__ static S fsr_parts_fold(const S *parts, idx n, typename F::state *scratch)\n"
     "{\n"
     "    const idx each = (n + WARPS * 32 - 1) / (WARPS * 32), first = threadIdx.x * each;\n"
     "    S sum = F::identity();\n"
     "    for (idx i = first; i < first + each && i < n; i++) sum = F::combine(sum, parts[i]);\n"
     "    return fsr_threads_fold<F, 32, WARPS>(sum, scratch);\n"
     "}\n"},
    {"fsr_rows_fold", false,
     "/* COL: folds the Y threads of each row in order; all of them get the result. scratch: one state a thread. */\n"
     "template <class F, int X, int Y, class S, int V>\n"
     "__forceinline__ static void fsr_rows_fold(const S (&x)[V], S (&all)[V], typename F::state *scratch)\n"
     "{\n"
     "#pragma unroll\n"
     "    for (int v = 0; v < V; v++) {\n"
     "        all[v] = x[v];\n"
     "        if constexpr (Y > 1) {\n"
     "            if (v) fsr_barrier();\n"
     "            scratch[threadIdx.x] = x[v];\n"
     "            fsr_barrier();\n"
     "            if constexpr (Y <= 8 || (Y & (Y - 1))) {\n"
     "                all[v] = scratch[threadIdx.x % X];\n"
     "                for (int y = 1; y < Y; y++) all[v] = F::combine(all[v], scratch[y * X + threadIdx.x % X]);\n"
     "            } else {\n"
     "                for (int half = 1; half < Y; half *= 2) {\n"
     "                    if (threadIdx.x / X % (2 * half) == 0)\n"
     "                        scratch[threadIdx.x] = F::combine(scratch[threadIdx.x], scratch[threadIdx.x + half * X]);\n"
     "                    fsr_barrier();\n"
     "                }\n"
     "                all[v] = scratch[threadIdx.x % X];\n"
     "            }\n"
     "        }\n"
     "    }\n"
     "}\n"},
    {"fsr_rows_parts", false,
     "/* COL: thread row y folds its range of the partial states [split][row] of V rows. */\n"
     "template <class F, int X, int Y, class S, int V>\n"
     "__forceinline__ static void fsr_rows_parts(S (&x)[V], const S *parts, idx rows, idx splits)\n"
     "{\n"
     "    const idx each = (splits + Y - 1) / Y, first = threadIdx.x / X * each;\n"
     "#pragma unroll\n"
     "    for (int v = 0; v < V; v++) {\n"
     "        x[v] = F::identity();\n"
     "        for (idx s = first; s < first + each && s < splits; s++) x[v] = F::combine(x[v], parts[(u64)s * rows + v]);\n"
     "    }\n"
     "}\n"},
    {0}};
/* clang-format on */
