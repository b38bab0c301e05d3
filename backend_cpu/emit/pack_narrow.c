/* SPDX-License-Identifier: MIT */
/* Compacted stores of elements of one and two bytes, in generated C: 32 at a time, whose masks are made bits together,
 * in parts of eight, whose bytes a table of 256 masks brings to their places; where the processor has it (AVX-512
 * VBMI2), and what is not selected is nobody's, a whole vector.
 *
 * Counter-example to one element after the other, as long as it has no branch: each waits for the place of the one
 * before it. Measured, half of 2^24 selected, one thread, milliseconds of processor time: two bytes 11.5, one byte 6.2;
 * by eight 3.8 and 2.4, by whole vectors 2.9 and 1.35; a copy of as many bytes 2.95 and 1.3. Of each eight the mask
 * made bits by itself takes 13 instructions, of 32 together 9.
 */
#include "backend_cpu/emit/emit_c.h"
#include "backend_cpu/emit/parts.h"

static const char narrow_text[] =
    "#if (defined FSR_PACK_VECTORS || defined FSR_PACK_PLACES) && defined __has_builtin\n"
    "#if __has_builtin(__builtin_ia32_pshufb128)\n"
    "#define FSR_PACK_NARROW 1\n"
    "typedef char fsr_pack_bytes __attribute__((vector_size(16), may_alias));\n"
    "typedef char fsr_pack_some __attribute__((vector_size(16), may_alias, aligned(1)));\n"
    "typedef u64 fsr_pack_halves __attribute__((vector_size(16), may_alias));\n"
    "#endif\n"
    "#if defined __AVX512VBMI2__ && defined __AVX512BW__ && defined __AVX512VL__ && \\\n"
    "    __has_builtin(__builtin_ia32_cvtb2mask256) && __has_builtin(__builtin_ia32_compressqi512_mask) && \\\n"
    "    __has_builtin(__builtin_ia32_compresshi512_mask) && __has_builtin(__builtin_ia32_cvtb2mask512)\n"
    "#define FSR_PACK_WIDE 1\n"
    "typedef char fsr_pack_wide1 __attribute__((vector_size(64), may_alias));\n"
    "typedef short fsr_pack_wide2 __attribute__((vector_size(64), may_alias));\n"
    "typedef char fsr_pack_many __attribute__((vector_size(64), may_alias, aligned(1)));\n"
    "static inline u64 fsr_pack_bits64(const u8 *mask) {\n"
    "    return (u64)__builtin_ia32_cvtb2mask512(-*(const fsr_pack_many *)mask);\n"
    "}\n"
    "#endif\n"
    "#endif\n";

/* For each mask of eight the bytes of what it selects, in two words of eight bytes; of elements of one byte the second
 * is not used. */
static void put_places(fsr_text *to, int size) {
    fsr_text_add(to, "#ifdef FSR_PACK_NARROW\nstatic const fsr_pack_halves fsr_pack_order%d[256] = {", size);
    for (unsigned mask = 0; mask < 256; mask++) {
        unsigned char order[16] = {0};
        unsigned long long word[2] = {0, 0};
        for (int lane = 0, held = 0; lane < 8; lane++)
            for (int byte = 0; mask >> lane & 1 && byte < size; byte++)
                order[held++] = (unsigned char)(lane * size + byte);
        for (int i = 0; i < 16; i++)
            word[i / 8] |= (unsigned long long)order[i] << 8 * (i % 8);
        fsr_text_add(to, "%s{0x%llx, 0x%llx},", mask % 4 ? " " : "\n    ", word[0], word[1]);
    }
    fsr_text_add(to, "\n};\n#endif\n");
}

void fsr_c_pack_narrow_prelude(fsr_text *to, const bool *sizes) {
    if (sizes[1] || sizes[2])
        fsr_text_raw(to, narrow_text, sizeof narrow_text - 1);
    for (int size = 1; size <= 2; size++)
        if (sizes[size])
            put_places(to, size);
}

/* Whole vectors. */
static void put_wide(fsr_text *to, int size) {
    const int lanes = 64 / size;
    fsr_text_add(to,
                 "#ifdef FSR_PACK_WIDE\n"
                 "    for (; l + %d <= m; l += %d) {\n"
                 "        const fsr_pack_wide%d x = (fsr_pack_wide%d)*(const fsr_pack_many *)(v + l), none = {0};\n"
                 "        const u64 bits = fsr_pack_bits%d(mask + l);\n"
                 "        *(fsr_pack_many *)p = (fsr_pack_many)__builtin_ia32_compress%si512_mask(x, none, bits);\n"
                 "        p += __builtin_popcountll(bits);\n"
                 "    }\n"
                 "#endif\n",
                 lanes, lanes, size, size, lanes, size == 1 ? "q" : "h");
}

/* Eight elements `from` to the address `at`. */
static void put_eight(fsr_text *to, int size, const char *at, const char *from) {
    if (size == 1)
        fsr_text_add(
            to, "            const u64 %s8 = ((fsr_pack_halves)%s)[0];\n            __builtin_memcpy(%s, &%s8, 8);\n",
            from, from, at, from);
    else
        fsr_text_add(to, "            *(fsr_pack_some *)(%s) = %s;\n", at, from);
}

/* Elements [8 part, 8 part + 8) of the 32 that `bits` select. The bits come to where the table's place is, in bytes. */
static void put_part(fsr_text *to, int size, int part, bool front) {
    fsr_text_add(to, "        {\n");
    if (size == 1)
        fsr_text_add(to,
                     "            u64 eight;\n"
                     "            __builtin_memcpy(&eight, v + l + %d, 8);\n"
                     "            const fsr_pack_bytes x = (fsr_pack_bytes)(fsr_pack_halves){eight, 0};\n",
                     8 * part);
    else
        fsr_text_add(to, "            const fsr_pack_bytes x = (fsr_pack_bytes)*(const fsr_pack_some *)(v + l + %d);\n",
                     8 * part);
    fsr_text_add(to,
                 "            const u64 place = (u64)bits %s %d & 0xff0;\n"
                 "            const i64 held = __builtin_popcount((u32)place);\n"
                 "            const fsr_pack_bytes a = __builtin_ia32_pshufb128(x, *(const fsr_pack_bytes *)((const "
                 "char *)fsr_pack_order%d + place));\n",
                 part ? ">>" : "<<", part ? 8 * part - 4 : 4, size);
    put_eight(to, size, "p", "a");
    fsr_text_add(to, "            p += held;\n");
    if (!front) {
        fsr_text_add(to,
                     "            const fsr_pack_bytes b = __builtin_ia32_pshufb128(__builtin_ia32_pshufb128(x, "
                     "*(const fsr_pack_bytes *)((const char *)fsr_pack_order%d + (0xff0 - place))), back);\n",
                     size);
        put_eight(to, size, "q - 8", "b");
        fsr_text_add(to, "            q -= 8 - held;\n");
    }
    fsr_text_add(to, "        }\n");
}

void fsr_c_pack_narrow(fsr_text *to, int size, bool front) {
    if (front)
        put_wide(to, size);
    fsr_text_add(to, "#ifdef FSR_PACK_NARROW\n");
    if (!front)
        fsr_text_add(to, "    const fsr_pack_bytes back = {%s};\n",
                     size == 1 ? "7, 6, 5, 4, 3, 2, 1, 0" : "14, 15, 12, 13, 10, 11, 8, 9, 6, 7, 4, 5, 2, 3, 0, 1");
    fsr_text_add(to, "    for (; l + 32 <= m; l += 32) {\n        const u32 bits = fsr_pack_bits32(mask + l);\n");
    for (int part = 0; part < 4; part++)
        put_part(to, size, part, front);
    fsr_text_add(to, "    }\n#endif\n");
}
