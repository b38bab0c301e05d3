/* SPDX-License-Identifier: MIT */
/* What threads and blocks tell each other: shuffles, folds, scans, tickets, look-back.
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
     "            all[v] = scratch[threadIdx.x % X];\n"
     "            for (int y = 1; y < Y; y++) all[v] = F::combine(all[v], scratch[y * X + threadIdx.x % X]);\n"
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
    {"fsr_warp_scan", false,
     "/* Inclusive scans of N independent states over LANES lanes, as many side by side as eight registers hold. */\n"
     "template <class F, int LANES, class S, int N> __forceinline__ static void fsr_warp_scan(S (&x)[N])\n"
     "{\n"
     "    constexpr int M = sizeof(S) < 32 ? 32 / (int)sizeof(S) : 1;\n"
     "    const u32 lane = threadIdx.x % 32;\n"
     "#pragma unroll\n"
     "    for (int first = 0; first < N; first += M) {\n"
     "#pragma unroll\n"
     "        for (u32 d = 1; d < LANES; d *= 2) {\n"
     "            S y[M];\n"
     "#pragma unroll\n"
     "            for (int i = 0; i < M && first + i < N; i++) y[i] = fsr_shuffle(x[first + i], lane - d);\n"
     "#pragma unroll\n"
     "            for (int i = 0; i < M && first + i < N; i++)\n"
     "                if (lane % LANES >= d) x[first + i] = F::combine(y[i], x[first + i]);\n"
     "        }\n"
     "    }\n"
     "}\n"},
    {"fsr_settle", false,
     "/* base + x, of an infinite or too large base the base, for all x of a vector from one base rounded once. The larger x is, the\n"
     "   larger the sum. */\n"
     "static inline f32 fsr_settle(f64 base, f32 x)\n"
     "{\n"
     "    const f32 high = (f32)base, low = high - high == 0 ? (f32)(base - (f64)high) : 0;\n"
     "    return high + (low + x);\n"
     "}\n"},
    {"fsr_single", false,
     "struct fsr_single {\n"
     "    f32 c0;\n"
     "};\n"},
    {"fsr_widen", false,
     "/* A tile holds a state for each column, or an item that is less wide. */\n"
     "template <class F> __forceinline__ static typename F::state fsr_widen(const typename F::state &x) { return x; }\n"
     "template <class F> __forceinline__ static typename F::state fsr_widen(const typename F::item &x) { return F::widen(x); }\n"},
    {"fsr_join", false,
     "/* An item takes in what stands before it in its vector, in its own width; a state does not. */\n"
     "template <class F> __forceinline__ static void fsr_join(const typename F::state &, typename F::state &) {}\n"
     "template <class F> __forceinline__ static void fsr_join(const typename F::item &left, typename F::item &x) { F::join(left, x); }\n"},
    {"fsr_follow", false,
     "/* The fold of a vector's columns up to x, which was joined; run: up to the one before. */\n"
     "template <class F> __forceinline__ static typename F::state fsr_follow(const typename F::state &run, const typename F::state &x)\n"
     "{\n"
     "    return F::combine(run, x);\n"
     "}\n"
     "template <class F> __forceinline__ static typename F::state fsr_follow(const typename F::state &run, const typename F::item &x)\n"
     "{\n"
     "    return F::follow(run, x);\n"
     "}\n"},
    {"fsr_result", false,
     "/* A scan's results at x: base is the fold before the vector, left and before what lies before x, after what x ends. */\n"
     "template <class F, class S>\n"
     "__forceinline__ static S fsr_result(const S &, const S &before, const S &after, const typename F::state &, const typename F::state &)\n"
     "{\n"
     "    return F::pick(before, after);\n"
     "}\n"
     "template <class F, class S>\n"
     "__forceinline__ static typename F::item fsr_result(const S &base, const S &before, const S &after, const typename F::item &left,\n"
     "                                                   const typename F::item &x)\n"
     "{\n"
     "    return F::result(base, before, after, left, x);\n"
     "}\n"},
    {"fsr_step_sum", false,
     "/* The items of the thread's step j are joined; before[j] becomes their fold. */\n"
     "template <class F, int V, class T, class S, int N, int J> __forceinline__ static void fsr_step_sum(T (&x)[N], S (&before)[J], int j)\n"
     "{\n"
     "    before[j] = fsr_widen<F>(x[j * V]);\n"
     "#pragma unroll\n"
     "    for (int v = 1; v < V; v++) {\n"
     "        fsr_join<F>(x[j * V + v - 1], x[j * V + v]);\n"
     "        before[j] = fsr_follow<F>(before[j], x[j * V + v]);\n"
     "    }\n"
     "}\n"},
    {"fsr_tile_meet", false,
     "/* Of a step's fold before[j] becomes the fold of everything in the tile to the left of it; returns the fold of the whole tile. scratch: one\n"
     "   state a warp of the block. */\n"
     "template <class F, int LANES, int WARPS, class S, int J>\n"
     "__forceinline__ static S fsr_tile_meet(S (&before)[J], typename F::state *scratch)\n"
     "{\n"
     "    const u32 lane = threadIdx.x % 32, base = lane - lane % LANES;\n"
     "    S run = F::identity();\n"
     "    fsr_warp_scan<F, LANES>(before);\n"
     "#pragma unroll\n"
     "    for (int j = 0; j < J; j++) {\n"
     "        const S whole = fsr_shuffle(before[j], base + LANES - 1), left = fsr_shuffle(before[j], lane - 1);\n"
     "        before[j] = lane % LANES ? F::combine(run, left) : run;\n"
     "        run = F::combine(run, whole);\n"
     "    }\n"
     "    if constexpr (WARPS > 1) {\n"
     "        const u32 warp = threadIdx.x / 32;\n"
     "        if (lane == 0) scratch[warp] = run;\n"
     "        fsr_barrier();\n"
     "        S sums[1] = {scratch[warp / WARPS * WARPS + lane % WARPS]};\n"
     "        fsr_warp_scan<F, WARPS>(sums);\n"
     "        run = fsr_shuffle(sums[0], WARPS - 1);\n"
     "        const S left = fsr_shuffle(sums[0], (warp - 1) % WARPS);\n"
     "#pragma unroll\n"
     "        for (int j = 0; j < J; j++)\n"
     "            if (warp % WARPS) before[j] = F::combine(left, before[j]);\n"
     "    }\n"
     "    return run;\n"
     "}\n"},
    {"fsr_tile_sums", false,
     "/* First half of a tile's scan. */\n"
     "template <class F, int V, int LANES, int WARPS, class T, class S, int N, int J>\n"
     "__forceinline__ static S fsr_tile_sums(T (&x)[N], S (&before)[J], typename F::state *scratch)\n"
     "{\n"
     "#pragma unroll\n"
     "    for (int j = 0; j < J; j++) fsr_step_sum<F, V>(x, before, j);\n"
     "    return fsr_tile_meet<F, LANES, WARPS>(before, scratch);\n"
     "}\n"},
    {"fsr_dynamic", true,
     "/* Shared memory that the launch gives. */\n"
     "#define fsr_dynamic(T, name, n) extern __shared__ T name[]\n"},
    {"fsr_parked", false,
     "/* A vector that is not in registers for a while. */\n"
     "template <class T, int V> struct fsr_parked {\n"
     "    static constexpr int bytes = V * sizeof(T), line = bytes & -bytes;\n"
     "    alignas(line < 16 ? line : 16) T e[V];\n"
     "};\n"},
    {"fsr_park", false,
     "/* The thread's vector j, one of the first PARKED, leaves its registers for a place of its own, and comes back. */\n"
     "template <int PARKED, int THREADS, class T, int V, int N>\n"
     "__forceinline__ static void fsr_park(const T (&x)[N], fsr_parked<T, V> *places, int j)\n"
     "{\n"
     "    if (j >= PARKED) return;\n"
     "    fsr_parked<T, V> w;\n"
     "#pragma unroll\n"
     "    for (int v = 0; v < V; v++) w.e[v] = x[j * V + v];\n"
     "    places[j * THREADS + threadIdx.x] = w;\n"
     "}\n"
     "template <int PARKED, int THREADS, class T, int V, int N>\n"
     "__forceinline__ static void fsr_unpark(T (&x)[N], const fsr_parked<T, V> *places, int j)\n"
     "{\n"
     "    if (j >= PARKED) return;\n"
     "    const fsr_parked<T, V> w = places[j * THREADS + threadIdx.x];\n"
     "#pragma unroll\n"
     "    for (int v = 0; v < V; v++) x[j * V + v] = w.e[v];\n"
     "}\n"},
    {"fsr_rows_sums", false,
     "/* The same of a tile of X rows side by side: thread (x, y) has neighbouring columns of row x, and before[0] is what stands before\n"
     "   the first of them. Threads change places, so that those of a row are lanes next to one another. scratch: one state a thread. */\n"
     "template <class F, int X, int Y, class T, class S, int N>\n"
     "__forceinline__ static S fsr_rows_sums(const T (&x)[N], S (&before)[1], typename F::state *scratch)\n"
     "{\n"
     "    S run = F::identity();\n"
     "#pragma unroll\n"
     "    for (int i = 0; i < N; i++) run = F::combine(run, fsr_widen<F>(x[i]));\n"
     "    before[0] = F::identity();\n"
     "    if constexpr (Y > 1) {\n"
     "        const u32 row = threadIdx.x % X, y = threadIdx.x / X, place = threadIdx.x % Y * X + threadIdx.x / Y;\n"
     "        scratch[threadIdx.x] = run;\n"
     "        fsr_barrier();\n"
     "        S sums[1] = {scratch[place]};\n"
     "        fsr_warp_scan<F, Y>(sums);\n"
     "        scratch[place] = sums[0];\n"
     "        fsr_barrier();\n"
     "        run = scratch[(Y - 1) * X + row];\n"
     "        if (y) before[0] = scratch[threadIdx.x - X];\n"
     "    }\n"
     "    return run;\n"
     "}\n"},
    {"fsr_rows_apply", false,
     "/* Its second half: every column is a vector of its own. */\n"
     "template <class F, class T, class S, int N> __forceinline__ static void fsr_rows_apply(T (&x)[N], const S (&before)[1], const S &prefix)\n"
     "{\n"
     "    S run = F::combine(prefix, before[0]);\n"
     "#pragma unroll\n"
     "    for (int i = 0; i < N; i++) {\n"
     "        const S next = F::combine(run, fsr_widen<F>(x[i]));\n"
     "        x[i] = fsr_result<F>(run, run, next, T{}, x[i]);\n"
     "        run = next;\n"
     "    }\n"
     "}\n"},
    {"fsr_step_apply", false,
     "/* x of step j becomes the scan's results, given what is to the left of the tile. */\n"
     "template <class F, int V, class T, class S, int N, int J>\n"
     "__forceinline__ static void fsr_step_apply(T (&x)[N], const S (&before)[J], const S &prefix, int j)\n"
     "{\n"
     "    const S base = F::combine(prefix, before[j]);\n"
     "    S run = base;\n"
     "    T left = {};\n"
     "#pragma unroll\n"
     "    for (int v = 0; v < V; v++) {\n"
     "        const T here = x[j * V + v];\n"
     "        const S next = fsr_follow<F>(run, here);\n"
     "        x[j * V + v] = fsr_result<F>(base, run, next, left, here);\n"
     "        run = next;\n"
     "        left = here;\n"
     "    }\n"
     "}\n"},
    {"fsr_tile_apply", false,
     "/* Second half: x becomes the scan's results. */\n"
     "template <class F, int V, class T, class S, int N, int J>\n"
     "__forceinline__ static void fsr_tile_apply(T (&x)[N], const S (&before)[J], const S &prefix)\n"
     "{\n"
     "#pragma unroll\n"
     "    for (int j = 0; j < J; j++) fsr_step_apply<F, V>(x, before, prefix, j);\n"
     "}\n"},
    {"fsr_take_ticket", false,
     "static inline u32 fsr_take_ticket(u32 *ticket, u32 &shared)\n"
     "{\n"
     "    if (threadIdx.x == 0) shared = fsr_add_ticket(ticket);\n"
     "    fsr_barrier();\n"
     "    return shared;\n"
     "}\n"},
    {"fsr_aligned", false,
     "static inline u64 fsr_aligned(u64 bytes) { return (bytes + 63) / 64 * 64; }\n"},
    {"fsr_board_entries", false,
     "static inline u32 fsr_board_entries(u32 tiles) { return tiles + (tiles >> 5) + (tiles >> 10) + (tiles >> 15); }\n"},
    {"fsr_board", false,
     "/* Where the tiles of a row leave their folds: entry (0, i) of tile i, entry (l, i) of 32 complete entries of level l - 1. */\n"
     "template <class F> struct fsr_board {\n"
     "    typedef typename F::state S;\n"
     "    static constexpr u64 flag = sizeof(S) <= 4 ? 8 : sizeof(S) <= 12 ? 16 : 4;\n"
     "    static constexpr u64 value = sizeof(S) <= 12 ? 0 : sizeof(S);\n"
     "    char *flags, *values;\n"
     "    u32 tiles;\n"
     "    u32 entry(int level, u32 i) const\n"
     "    {\n"
     "        return i + (level > 0 ? tiles : 0) + (level > 1 ? tiles >> 5 : 0) + (level > 2 ? tiles >> 10 : 0);\n"
     "    }\n"
     "    fsr_board row(u64 r) const\n"
     "    {\n"
     "        const u64 at = r * fsr_board_entries(tiles);\n"
     "        return {flags + at * flag, values + at * value, tiles};\n"
     "    }\n"
     "    void post(int level, u32 i, const S &s) const\n"
     "    {\n"
     "        const u32 at = entry(level, i);\n"
     "        if constexpr (sizeof(S) <= 4) {\n"
     "            fsr_post_word((u64 *)flags + at, fsr_words<S, u32>(s).word[0] | (u64)1 << 32);\n"
     "        } else if constexpr (sizeof(S) <= 12) {\n"
     "            const fsr_words<S, u64> w(s);\n"
     "            const u64 high = sizeof(S) > 8 ? w.word[(sizeof(S) - 1) / 8] & 0xffffffffu : 0;\n"
     "            fsr_post_pair((u64 *)flags + 2 * (u64)at, w.word[0], high | (u64)1 << 32);\n"
     "        } else {\n"
     "            ((S *)values)[at] = s;\n"
     "            fsr_post_flag((u32 *)flags + at);\n"
     "        }\n"
     "    }\n"
     "    S wait(int level, u32 i) const\n"
     "    {\n"
     "        const u32 at = entry(level, i);\n"
     "        if constexpr (sizeof(S) <= 4) {\n"
     "            u64 w = fsr_peek_word((const u64 *)flags + at);\n"
     "            for (; !(w >> 32); w = fsr_peek_word((const u64 *)flags + at)) fsr_pause();\n"
     "            fsr_words<S, u32> s;\n"
     "            s.word[0] = (u32)w;\n"
     "            return s.state;\n"
     "        } else if constexpr (sizeof(S) <= 12) {\n"
     "            u64 low, high;\n"
     "            fsr_peek_pair((const u64 *)flags + 2 * (u64)at, low, high);\n"
     "            for (; !(high >> 32); fsr_peek_pair((const u64 *)flags + 2 * (u64)at, low, high)) fsr_pause();\n"
     "            fsr_words<S, u64> s;\n"
     "            s.word[0] = low;\n"
     "            if constexpr (sizeof(S) > 8) s.word[1] = high & 0xffffffffu;\n"
     "            return s.state;\n"
     "        } else {\n"
     "            while (!fsr_peek_flag((const u32 *)flags + at)) fsr_pause();\n"
     "            return ((const S *)values)[at];\n"
     "        }\n"
     "    }\n"
     "};\n"},
    {"fsr_climb", false,
     "/* A warp folds the entries of a level to the left of tile t within its set of 32, and posts the fold of a set that t completes\n"
     "   one level up. The top level has no sets. */\n"
     "template <class F> __forceinline__ static typename F::state fsr_climb(int level, u32 t, const fsr_board<F> &board)\n"
     "{\n"
     "    typedef typename F::state S;\n"
     "    const u32 lane = threadIdx.x % 32, own = t >> 5 * level, first = level < 3 ? own & ~31u : 0;\n"
     "    const bool closes = level < 3 && ((t + 1) & ((32u << 5 * level) - 1)) == 0;\n"
     "    const u32 stop = own + closes;\n"
     "    S sum = F::identity();\n"
     "    for (u32 q = first; q < stop; q += 32) {\n"
     "        S x[1] = {F::identity()};\n"
     "        if (q + lane < stop) x[0] = board.wait(level, q + lane);\n"
     "        fsr_warp_scan<F, 32>(x);\n"
     "        if (closes && lane == 31) board.post(level + 1, own >> 5, x[0]);\n"
     "        if (q < own) {\n"
     "            const u32 last = own - q < 32 ? own - q - 1 : 31;\n"
     "            sum = F::combine(sum, fsr_shuffle(x[0], last));\n"
     "        }\n"
     "    }\n"
     "    return sum;\n"
     "}\n"},
    {"fsr_before_tile", false,
     "/* The fold of all tiles to the left of tile t, by a tree of radix 32 whose shape depends on t alone: one warp a level waits for the\n"
     "   entries to its left within the set of 32; who completes a set publishes its fold one level up. The tile's own fold was\n"
     "   published before. scratch: four states. */\n"
     "template <class F, int WARPS, class S> __forceinline__ static S fsr_before_tile(u32 t, const fsr_board<F> &board, S *scratch)\n"
     "{\n"
     "    for (int level = threadIdx.x / 32; level < 4; level += WARPS) {\n"
     "        const S sum = fsr_climb<F>(level, t, board);\n"
     "        if (threadIdx.x % 32 == 0) scratch[level] = sum;\n"
     "    }\n"
     "    fsr_barrier();\n"
     "    return F::combine(F::combine(F::combine(scratch[3], scratch[2]), scratch[1]), scratch[0]);\n"
     "}\n"},
    {"fsr_lookback", false,
     "/* The same, and the tile's own fold is published before. */\n"
     "template <class F, int WARPS, class S>\n"
     "__forceinline__ static S fsr_lookback(const S &total, u32 t, const fsr_board<F> &board, S *scratch)\n"
     "{\n"
     "    if (threadIdx.x == 0) board.post(0, t, total);\n"
     "    return fsr_before_tile<F, WARPS>(t, board, scratch);\n"
     "}\n"},
    {"fsr_rows_lookback", false,
     "/* The same of `rows` rows side by side, at most X: thread x has row x % X. A warp goes through the levels from the lowest one up,\n"
     "   so that what it waits for is never behind it. board: the first row's; scratch: 4 X states. */\n"
     "template <class F, int X, int WARPS, class S>\n"
     "__forceinline__ static S fsr_rows_lookback(const S &total, u32 t, const fsr_board<F> &board, u32 rows, S *scratch)\n"
     "{\n"
     "    const u32 x = threadIdx.x % X;\n"
     "    if (threadIdx.x < rows) board.row(x).post(0, t, total);\n"
     "    for (u32 task = threadIdx.x / 32; task < 4 * rows; task += WARPS) {\n"
     "        const S sum = fsr_climb<F>(task / rows, t, board.row(task % rows));\n"
     "        if (threadIdx.x % 32 == 0) scratch[task / rows * X + task % rows] = sum;\n"
     "    }\n"
     "    fsr_barrier();\n"
     "    return F::combine(F::combine(F::combine(scratch[3 * X + x], scratch[2 * X + x]), scratch[X + x]), scratch[x]);\n"
     "}\n"},
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
