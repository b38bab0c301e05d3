/* SPDX-License-Identifier: MIT */
/* Compacted stores in generated C: filters.
 *
 * A filtered array grows from both ends: selected elements up from its front, the others down from its back. Each end
 * has a small array in which a strip's elements are put next to each other without a branch: every element is written
 * where the next one belongs, and only then does the place move on, or not. AVX-512 has an instruction that does so
 * for a vector; it is used where the compiler has it, on registers only: its form that stores takes a hundred cycles
 * on some processors.
 *
 * From there whole lines of memory go to the array, past the caches where results are larger than they; what is left
 * of a line stays until the next strip. Only a part's first and last line of each end, which it may share with
 * its neighbours, are written by bytes.
 * What is not selected may be nobody's (`front`): then there is one end.
 * Counter-example to writing what a strip has: strips begin anywhere, and a line that is written by halves past a cache
 * that holds it is read back. Measured, 2^24 f32, one thread: places 21.9 ms, halves of lines 10.1, whole lines
 * 5.4. */
#include "backend_cpu/emit/parts.h"
#include <stdio.h>

/* `to` is a multiple of a line. Of what is held there `skip` bytes are somebody else's. */
static const char ends_text[] =
    "typedef struct { char *to; i64 held, skip; } fsr_pack_side;\n"
    "static inline void fsr_pack_up(fsr_pack_side *e, char *to) {\n"
    "    e->skip = e->held = (i64)to & 63;\n"
    "    e->to = to - e->skip;\n"
    "}\n"
    "static inline void fsr_pack_down(fsr_pack_side *e, char *to) {\n"
    "    e->skip = e->held = -(i64)to & 63;\n"
    "    e->to = to + e->skip;\n"
    "}\n"
    "static void fsr_pack_flush_up(fsr_pack_side *e, char *from, i64 stream) {\n"
    "    const i64 lines = e->held & ~(i64)63, i = e->skip ? 64 : 0;\n"
    "    if (!lines) return;\n"
    "    if (e->skip) __builtin_memcpy(e->to + e->skip, from + e->skip, 64 - e->skip);\n"
    "    if (stream) { fsr_stream(e->to + i, from + i, lines - i); }\n"
    "    else __builtin_memcpy(e->to + i, from + i, lines - i);\n"
    "    __builtin_memcpy(from, from + lines, 64);\n"
    "    e->to += lines;\n"
    "    e->held -= lines;\n"
    "    e->skip = 0;\n"
    "}\n"
    "static void fsr_pack_flush_down(fsr_pack_side *e, char *from, i64 stream) {\n"
    "    const i64 lines = e->held & ~(i64)63, i = e->skip ? 64 : 0;\n"
    "    if (!lines) return;\n"
    "    if (e->skip) __builtin_memcpy(e->to - 64, from - 64, 64 - e->skip);\n"
    "    if (stream) { fsr_stream(e->to - lines, from - lines, lines - i); }\n"
    "    else __builtin_memcpy(e->to - lines, from - lines, lines - i);\n"
    "    __builtin_memcpy(from - 64, from - lines - 64, 64);\n"
    "    e->to -= lines;\n"
    "    e->held -= lines;\n"
    "    e->skip = 0;\n"
    "}\n"
    "#if defined __AVX512F__ && defined __has_builtin\n"
    "#if __has_builtin(__builtin_shufflevector) && __has_builtin(__builtin_ia32_compresssi512_mask) && \\\n"
    "    __has_builtin(__builtin_ia32_compressdi512_mask)\n"
    "#define FSR_PACK_VECTORS 1\n"
    "static inline u32 fsr_pack_bits8(const u8 *mask) {\n"
    "    u64 x;\n"
    "    __builtin_memcpy(&x, mask, 8);\n"
    "    return (u32)(x * 0x0102040810204080u >> 56);\n"
    "}\n"
    "#if defined __AVX512BW__ && defined __AVX512VL__ && __has_builtin(__builtin_ia32_cvtb2mask128)\n"
    "static inline u32 fsr_pack_bits16(const u8 *mask) {\n"
    "    typedef char bytes __attribute__((vector_size(16)));\n"
    "    bytes x;\n"
    "    __builtin_memcpy(&x, mask, 16);\n"
    "    return (u16)__builtin_ia32_cvtb2mask128(-x);\n"
    "}\n"
    "#else\n"
    "static inline u32 fsr_pack_bits16(const u8 *mask) {\n"
    "    return fsr_pack_bits8(mask) | fsr_pack_bits8(mask + 8) << 8;\n"
    "}\n"
    "#endif\n"
    "#endif\n"
    "#endif\n";

/* Vectors of one size: how many lanes, their type, the instruction's name, the mask's bits, the lanes in reverse. */
typedef struct vector_text {
    int size, lanes;
    const char *type, *name, *bits, *reverse;
} vector_text;

static const vector_text vectors[] = {
    {4, 16, "i32", "si", "fsr_pack_bits16(mask + l)", "15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0"},
    {8, 8, "long long", "di", "fsr_pack_bits8(mask + l)", "7, 6, 5, 4, 3, 2, 1, 0"},
};

static void put_vectors(fsr_text *to, const vector_text *v, bool front) {
    fsr_text_add(to,
                 "#ifdef FSR_PACK_VECTORS\n"
                 "    typedef %s vec __attribute__((vector_size(64), may_alias));\n"
                 "    typedef %s part __attribute__((vector_size(64), may_alias, aligned(1)));\n"
                 "    for (; l + %d <= m; l += %d) {\n"
                 "        const vec x = *(const part *)(v + l), none = {0};\n"
                 "        const u32 bits = %s;\n"
                 "        const i64 held = __builtin_popcount(bits);\n"
                 "        *(part *)p = __builtin_ia32_compress%s512_mask(x, none, bits);\n"
                 "        p += held;\n",
                 v->type, v->type, v->lanes, v->lanes, v->bits, v->name);
    if (!front)
        fsr_text_add(to,
                     "        const vec b = __builtin_ia32_compress%s512_mask(x, none, bits ^ %uu);\n"
                     "        *(part *)(q - %d) = __builtin_shufflevector(b, b, %s);\n"
                     "        q -= %d - held;\n",
                     v->name, (1u << v->lanes) - 1, v->lanes, v->reverse, v->lanes);
    fsr_text_add(to, "    }\n"
                     "#endif\n");
}

/* What the names of functions for one end end in. */
static const char *suffix(bool front) {
    return front ? "f" : "";
}

/* The ends of an array of elements of `size` bytes. */
static void put_ends(fsr_text *to, int size, int bytes, bool front) {
    char down[FSR_EMIT_NAME];
    snprintf(down, sizeof down, ", down[%d]", bytes);
    fsr_text_add(to,
                 "typedef struct { char up[%d]%s; fsr_pack_side front%s; } __attribute__((aligned(64))) "
                 "fsr_pack_ends%d%s;\n",
                 bytes, front ? "" : down, front ? "" : ", back", size, suffix(front));
}

/* The function that a strip of so many elements calls. */
static void put_strip(fsr_text *to, int size, int bytes, bool front) {
    char type[FSR_EMIT_NAME], q[2 * FSR_EMIT_NAME];
    snprintf(type, sizeof type, size <= 8 ? "u%d" : "c128", 8 * size);
    snprintf(q, sizeof q, ", *q = (%s *)(e->down + %d - e->back.held)", type, bytes);
    fsr_text_add(to,
                 "static __attribute__((noinline)) void fsr_pack%d%s(fsr_pack_ends%d%s *e, const %s *restrict v, const "
                 "u8 *restrict mask, i64 m, i64 stream) {\n"
                 "    %s *p = (%s *)(e->up + e->front.held)%s;\n"
                 "    i64 l = 0;\n",
                 size, suffix(front), size, suffix(front), type, type, type, front ? "" : q);
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        if (vectors[i].size == size)
            put_vectors(to, &vectors[i], front);
    fsr_text_add(to,
                 "    for (; l < m; ++l) {\n"
                 "        const %s x = v[l];\n"
                 "        const i64 one = mask[l];\n"
                 "        *p = x;\n"
                 "        p += one;\n"
                 "%s"
                 "    }\n"
                 "    e->front.held = (char *)p - e->up;\n"
                 "    fsr_pack_flush_up(&e->front, e->up, stream);\n",
                 type, front ? "" : "        q[-1] = x;\n        q -= 1 - one;\n");
    if (!front)
        fsr_text_add(to,
                     "    e->back.held = e->down + %d - (char *)q;\n"
                     "    fsr_pack_flush_down(&e->back, e->down + %d, stream);\n",
                     bytes, bytes);
    fsr_text_add(to, "}\n");
}

/* The function that a part calls at its end. */
static void put_end(fsr_text *to, int size, int bytes, bool front) {
    fsr_text_add(to,
                 "static void fsr_pack_end%d%s(fsr_pack_ends%d%s *e) {\n"
                 "    fsr_pack_side *a = &e->front%s;\n"
                 "    __builtin_memcpy(a->to + a->skip, e->up + a->skip, a->held - a->skip);\n",
                 size, suffix(front), size, suffix(front), front ? "" : ", *b = &e->back");
    if (!front)
        fsr_text_add(to, "    __builtin_memcpy(b->to - b->held, e->down + %d - b->held, b->held - b->skip);\n", bytes);
    fsr_text_add(to, "}\n\n");
}

static int size_of(const fsr_c_emit *e, const fsr_inst *store) {
    return (int)fsr_dtype_size(e->k->array[e->k->access[store->index].buffer].dtype);
}

void fsr_c_pack_prelude(const fsr_c_emit *e, fsr_text *to) {
    bool put[2][sizeof(fsr_c128) + 1] = {{false}};
    if (!fsr_kernel_compacts(e->k))
        return;
    fsr_text_raw(to, ends_text, sizeof ends_text - 1);
    for (int i = 0; i < e->k->ninsts; i++) {
        const fsr_inst *store = &e->k->inst[i];
        if (store->filter != FSR_FILTER_COMPACTED || put[store->front][size_of(e, store)])
            continue;
        const int size = size_of(e, store), bytes = e->s->strip * size + 2 * FSR_EMIT_LINE;
        put[store->front][size] = true;
        put_ends(to, size, bytes, store->front);
        put_strip(to, size, bytes, store->front);
        put_end(to, size, bytes, store->front);
    }
}

void fsr_c_pack_arrays(fsr_c_emit *e, int number) {
    const fsr_inst *store = &e->k->inst[number];
    const int size = size_of(e, store), b = e->k->access[store->index].buffer, f = e->k->inst[store->arg[2]].index;
    char cols[FSR_EMIT_NAME];
    fsr_c_line(e, "%s c%d_[%d];", fsr_c_storage(store->dtype), number, e->s->strip);
    fsr_c_line(e, "u8 m%d_[%d];", number, e->s->strip);
    fsr_c_line(e, "fsr_pack_ends%d%s ends%d;", size, suffix(store->front), number);
    fsr_c_line(e, "fsr_pack_up(&ends%d.front, (char *)(x%d + g%d_0));", number, b, f);
    if (!store->front)
        fsr_c_line(e, "fsr_pack_down(&ends%d.back, (char *)(x%d + (%s - (%s - g%d_0))));", number, b,
                   fsr_c_integer(e, FSR_INT_COLS, cols), e->s->part ? "begin" : "0", f);
}

void fsr_c_pack_store(fsr_c_emit *e, int number) {
    const fsr_inst *store = &e->k->inst[number];
    char name[FSR_EMIT_NAME];
    fsr_c_line(e, "c%d_[l] = %s%s%s;", number, fsr_c_store(e, store->dtype), fsr_c_value_name(e, store->arg[0], name),
               fsr_c_close(store->dtype));
    fsr_c_line(e, "m%d_[l] = %s;", number, fsr_c_value_name(e, store->arg[1], name));
}

void fsr_c_pack_strip(fsr_c_emit *e, int number) {
    const fsr_inst *store = &e->k->inst[number];
    fsr_c_line(e, "fsr_pack%d%s(&ends%d, (const void *)c%d_, m%d_, m, %s);", size_of(e, store), suffix(store->front),
               number, number, number, e->s->streams ? "stream" : "0");
}

void fsr_c_pack_end(fsr_c_emit *e, int number) {
    const fsr_inst *store = &e->k->inst[number];
    fsr_c_line(e, "fsr_pack_end%d%s(&ends%d);", size_of(e, store), suffix(store->front), number);
}
