/* SPDX-License-Identifier: MIT */
/* Tiles that go through slots of shared memory (fusion/ring.h): barriers that lie there, copies that the GPU makes by
 * itself, and who waits for whom. See emit_ring.c. */
#include "backend_cuda/prelude.h"

/* clang-format off */
const fsr_prelude_piece fsr_prelude_ring[] = {
    {"fsr_near", true,
     "/* An address of shared memory as instructions for it take it. */\n"
     "static inline u32 fsr_near(const void *p)\n"
     "{\n"
     "    u32 a;\n"
     "    asm(\"{ .reg .u64 q; cvta.to.shared.u64 q, %1; cvt.u32.u64 %0, q; }\" : \"=r\"(a) : \"l\"(p));\n"
     "    return a;\n"
     "}\n"},
    {"fsr_gate_start", true,
     "/* Gates, barriers in shared memory: so many arrivals, and bytes that are expected, end a turn of one. Turns have the parities 0, 1, 0 ... */\n"
     "static inline void fsr_gate_start(u64 *p, u32 n) { asm volatile(\"mbarrier.init.shared::cta.b64 [%0], %1;\" ::\"r\"(fsr_near(p)), \"r\"(n) : \"memory\"); }\n"
     "static inline void fsr_gates_started() { asm volatile(\"fence.mbarrier_init.release.cluster; fence.proxy.async;\" ::: \"memory\"); }\n"},
    {"fsr_gate_arrive", true,
     "static inline void fsr_gate_arrive(u64 *p) { asm volatile(\"mbarrier.arrive.shared::cta.b64 _, [%0];\" ::\"r\"(fsr_near(p)) : \"memory\"); }\n"},
    {"fsr_gate_expect", true,
     "/* Arrives, and expects bytes. */\n"
     "static inline void fsr_gate_expect(u64 *p, u32 bytes) { asm volatile(\"mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\" ::\"r\"(fsr_near(p)), \"r\"(bytes) : \"memory\"); }\n"},
    {"fsr_gate_await", true,
     "/* Until a turn of this parity has ended. */\n"
     "static inline void fsr_gate_await(u64 *p, u32 parity)\n"
     "{\n"
     "    const u32 a = fsr_near(p);\n"
     "    u32 ended;\n"
     "    do asm volatile(\"{ .reg .pred q; mbarrier.try_wait.parity.shared::cta.b64 q, [%1], %2; selp.u32 %0, 1, 0, q; }\" : \"=r\"(ended) : \"r\"(a), \"r\"(parity) : \"memory\");\n"
     "    while (!ended);\n"
     "}\n"},
    {"fsr_bulk_copy", true,
     "/* The GPU copies whole vectors of 16 bytes and tells the gate. */\n"
     "static inline void fsr_bulk_copy(void *to, const void *from, u32 bytes, u64 *gate)\n"
     "{\n"
     "    asm volatile(\"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];\"\n"
     "                 ::\"r\"(fsr_near(to)), \"l\"(from), \"r\"(bytes), \"r\"(fsr_near(gate)) : \"memory\");\n"
     "}\n"},
    {"fsr_bulk_follows", true,
     "/* What a thread has read or written of shared memory comes before copies there that others ask for behind it. */\n"
     "static inline void fsr_bulk_follows() { asm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\"); }\n"},
    {"fsr_first_meet", true,
     "/* A barrier of the block's first THREADS threads. */\n"
     "template <int THREADS> static inline void fsr_first_meet() { asm volatile(\"bar.sync 1, %0;\" ::\"n\"(THREADS) : \"memory\"); }\n"},
    {"fsr_warp_add", true,
     "static inline u32 fsr_warp_add(u32 w) { return __reduce_add_sync(0xffffffffu, w); }\n"},
    {"fsr_line", false,
     "struct alignas(128) fsr_line { u8 e[128]; };\n"},
    {"fsr_ring", false,
     "/* Of each slot: its tile is there, is pooled, its place is known, is written. Which place that is, and how many it selects. */\n"
     "template <int SLOTS, int COUNTERS, int WRITERS, class I> struct fsr_ring {\n"
     "    u64 full[SLOTS], pooled[SLOTS], placed[SLOTS], empty[SLOTS];\n"
     "    I before[SLOTS];\n"
     "    u32 selected[SLOTS];\n"
     "    void start()\n"
     "    {\n"
     "        if (threadIdx.x == 0) {\n"
     "            for (int s = 0; s < SLOTS; s++) {\n"
     "                fsr_gate_start(&full[s], 1);\n"
     "                fsr_gate_start(&pooled[s], COUNTERS / 32);\n"
     "                fsr_gate_start(&placed[s], 1);\n"
     "                fsr_gate_start(&empty[s], WRITERS / 32);\n"
     "            }\n"
     "            fsr_gates_started();\n"
     "        }\n"
     "        fsr_barrier();\n"
     "    }\n"
     "    /* A warp is done with a slot: lanes' work before the one's arrival. */\n"
     "    static void leave(u64 *gate)\n"
     "    {\n"
     "        fsr_warp_barrier();\n"
     "        if (threadIdx.x % 32 == 0) fsr_gate_arrive(gate);\n"
     "    }\n"
     "};\n"},
    {"fsr_ring_add_up", false,
     "/* One warp: what stands before each of the block's tiles. words: of every tile how many it selects, and 1 << 32. MEMBERS: blocks at most. */\n"
     "template <int MEMBERS, int SLOTS, int COUNTERS, int WRITERS, class I>\n"
     "__forceinline__ static void fsr_ring_add_up(fsr_ring<SLOTS, COUNTERS, WRITERS, I> &ring, const u64 *words, idx blocks, idx tiles)\n"
     "{\n"
     "    constexpr int N = (MEMBERS + 31) / 32;\n"
     "    const u32 lane = threadIdx.x % 32;\n"
     "    I all = 0;\n"
     "    u32 slot = 0;\n"
     "    for (idx t = blockIdx.x; t < tiles; t += blocks) {\n"
     "        u64 w[N];\n"
     "        u32 sum = 0;\n"
     "#pragma unroll\n"
     "        for (int i = 0; i < N; i++) {\n"
     "            const u32 q = lane + 32 * i;\n"
     "            w[i] = (u64)1 << 32;\n"
     "            if (q < blocks && q <= t) w[i] = fsr_peek_word(words + (t - q));\n"
     "        }\n"
     "#pragma unroll\n"
     "        for (int i = 0; i < N; i++) {\n"
     "            const u32 q = lane + 32 * i;\n"
     "            while (!(w[i] >> 32)) w[i] = fsr_peek_word(words + (t - q));\n"
     "            sum += (u32)w[i];\n"
     "        }\n"
     "        const u32 own = fsr_shuffle_word((u32)w[0], 0);\n"
     "        sum = fsr_warp_add(sum);\n"
     "        if (lane == 0) {\n"
     "            ring.before[slot] = all + (I)(sum - own);\n"
     "            ring.selected[slot] = own;\n"
     "            fsr_gate_arrive(&ring.placed[slot]);\n"
     "        }\n"
     "        all += (I)sum;\n"
     "        slot = slot + 1 < SLOTS ? slot + 1 : 0;\n"
     "    }\n"
     "}\n"},
    {"fsr_bulk_bytes", false,
     "/* Of n elements the bytes that the GPU copies; the others, of the last tile, the thread that asks for it does. */\n"
     "template <class T> static inline u32 fsr_bulk_bytes(u32 n) { return n * (u32)sizeof(T) / 16 * 16; }\n"
     "template <class T> static inline void fsr_bulk_rest(T *to, const T *from, u32 n)\n"
     "{\n"
     "    for (u32 i = fsr_bulk_bytes<T>(n) / (u32)sizeof(T); i < n; i++) to[i] = from[i];\n"
     "}\n"
     "template <class T> static inline void fsr_bulk_most(T *to, const T *from, u32 n, u64 *gate)\n"
     "{\n"
     "    if (fsr_bulk_bytes<T>(n)) fsr_bulk_copy(to, from, fsr_bulk_bytes<T>(n), gate);\n"
     "}\n"},
    {0}};
/* clang-format on */
