/* SPDX-License-Identifier: MIT */
/* Compacted stores in generated C: filters.
 *
 * A filtered array grows from both ends: selected elements up from its front, the others down from its back. Each end
 * has a small array in which a strip's elements are put next to each other without a branch: every element is written
 * where the next one belongs, and only then does the place move on, or not. AVX-512 has an instruction that does so
 * for a vector; it is used where the compiler has it, on registers only: its form that stores takes a hundred cycles
 * on some processors. AVX2 moves lanes to places that a table has for each mask of eight. (Counter-example to making
 * places by PEXT: on some processors that takes hundreds of cycles, too.)
 *
 * From there whole lines of memory go to the array, past the caches where results are larger than they; what is left
 * of a line stays until the next strip. Only a part's first and last line of each end, which it may share with
 * its neighbours, are written by bytes.
 * What is not selected may be nobody's (`front`): then there is one end.
 * Counter-example to writing what a strip has: strips begin anywhere, and a line that is written by halves past a cache
 * that holds it is read back. Measured, 2^24 f32, one thread: places 21.9 ms, halves of lines 10.1, whole lines
 * 5.4. Lines are copied by vectors, in the order in which the end grows: the C library's copy, upwards at both ends,
 * took twice as long for the whole filter where the result went through the caches. */
#include "backend_cpu/emit/emit_c.h"
#include "backend_cpu/emit/parts.h"
#include "fusion/filter.h"
#include <stdio.h>

/* `to` is a multiple of a line. Of what is held there `skip` bytes are somebody else's. What is held stands at `from`,
 * the small array's beginning, or behind its end; of a part that is packed apart all of it, at its place in `to`. */
static const char ends_text[] =
    "typedef struct { char *to, *from; i64 held, skip; } fsr_pack_side;\n"
    "#if defined __AVX512F__\n"
    "#define FSR_PACK_PIECE 64\n"
    "#elif defined __AVX__\n"
    "#define FSR_PACK_PIECE 32\n"
    "#else\n"
    "#define FSR_PACK_PIECE 16\n"
    "#endif\n"
    "typedef i32 fsr_pack_piece __attribute__((vector_size(FSR_PACK_PIECE), may_alias, aligned(1)));\n"
    "static inline void fsr_pack_up(fsr_pack_side *e, char *to, char *from) {\n"
    "    e->skip = e->held = (i64)to & 63;\n"
    "    e->to = to - e->skip;\n"
    "    e->from = from;\n"
    "}\n"
    "static inline void fsr_pack_down(fsr_pack_side *e, char *to, char *from) {\n"
    "    e->skip = e->held = -(i64)to & 63;\n"
    "    e->to = to + e->skip;\n"
    "    e->from = from;\n"
    "}\n"
    "static void fsr_pack_flush_up(fsr_pack_side *e, i64 stream) {\n"
    "    const i64 lines = e->held & ~(i64)63, i = e->skip ? 64 : 0;\n"
    "    char *const from = e->from;\n"
    "    if (!lines || from == e->to) return;\n"
    "    if (e->skip) __builtin_memcpy(e->to + e->skip, from + e->skip, 64 - e->skip);\n"
    "    if (stream) { fsr_stream(e->to + i, from + i, lines - i); }\n"
    "    else\n"
    "        for (i64 k = i; k < lines; k += FSR_PACK_PIECE)\n"
    "            *(fsr_pack_piece *)(e->to + k) = *(const fsr_pack_piece *)(from + k);\n"
    "    __builtin_memcpy(from, from + lines, 64);\n"
    "    e->to += lines;\n"
    "    e->held -= lines;\n"
    "    e->skip = 0;\n"
    "}\n"
    "static void fsr_pack_flush_down(fsr_pack_side *e, i64 stream) {\n"
    "    const i64 lines = e->held & ~(i64)63, i = e->skip ? 64 : 0;\n"
    "    char *const from = e->from;\n"
    "    if (!lines || from == e->to) return;\n"
    "    if (e->skip) __builtin_memcpy(e->to - 64, from - 64, 64 - e->skip);\n"
    "    if (stream) { fsr_stream(e->to - lines, from - lines, lines - i); }\n"
    "    else\n"
    "        for (i64 k = i + FSR_PACK_PIECE; k <= lines; k += FSR_PACK_PIECE)\n"
    "            *(fsr_pack_piece *)(e->to - k) = *(const fsr_pack_piece *)(from - k);\n"
    "    __builtin_memcpy(from - 64, from - lines - 64, 64);\n"
    "    e->to -= lines;\n"
    "    e->held -= lines;\n"
    "    e->skip = 0;\n"
    "}\n"
    "#if defined __AVX512F__ && defined __has_builtin\n"
    "#if __has_builtin(__builtin_shufflevector) && __has_builtin(__builtin_ia32_compresssi512_mask) && \\\n"
    "    __has_builtin(__builtin_ia32_compressdi512_mask) && __has_builtin(__builtin_ia32_pmovmskb256)\n"
    "#define FSR_PACK_VECTORS 1\n"
    "#endif\n"
    "#endif\n"
    "#if !defined FSR_PACK_VECTORS && defined __AVX2__ && defined __has_builtin\n"
    "#if __has_builtin(__builtin_ia32_permvarsi256) && __has_builtin(__builtin_ia32_pmovmskb256)\n"
    "#define FSR_PACK_PLACES 1\n"
    "#endif\n"
    "#endif\n"
    "#if defined FSR_PACK_VECTORS || defined FSR_PACK_PLACES\n"
    "static inline u32 fsr_pack_bits8(const u8 *mask) {\n"
    "    u64 x;\n"
    "    __builtin_memcpy(&x, mask, 8);\n"
    "    return (u32)(x * 0x0102040810204080u >> 56);\n"
    "}\n"
    "static inline u32 fsr_pack_bits32(const u8 *mask) {\n"
    "    typedef char bytes __attribute__((vector_size(32), may_alias, aligned(1)));\n"
    "    return (u32)__builtin_ia32_pmovmskb256(-*(const bytes *)mask);\n"
    "}\n"
    "#endif\n"
    "#ifdef FSR_PACK_VECTORS\n"
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
    "#endif\n";

/* Eight words of 32 bits in the order of four bits of `places` each, which `shift` brings down. */
static const char places_text[] =
    "static inline fsr_pack_words fsr_pack_moved(const fsr_pack_words x, const u32 places, const fsr_pack_shift shift) "
    "{\n"
    "    const fsr_pack_shift all = {places, places, places, places, places, places, places, places};\n"
    "    return __builtin_ia32_permvarsi256(x, (fsr_pack_words)(all >> shift));\n"
    "}\n";
static const char words_text[] = "#ifdef FSR_PACK_PLACES\n"
                                 "typedef i32 fsr_pack_words __attribute__((vector_size(32), may_alias));\n"
                                 "typedef u32 fsr_pack_shift __attribute__((vector_size(32), may_alias));\n"
                                 "typedef i32 fsr_pack_part __attribute__((vector_size(32), may_alias, aligned(1)));\n";

/* For each mask of eight the places of what it selects, from the lowest four bits up. */
static void put_places(fsr_text *to) {
    fsr_text_add(to, "static const u32 fsr_pack_places[256] = {");
    for (unsigned mask = 0; mask < 256; mask++) {
        unsigned places = 0;
        for (unsigned lane = 0, held = 0; lane < 8; lane++)
            if (mask >> lane & 1)
                places |= lane << 4 * held++;
        fsr_text_add(to, "%s0x%x,", mask % 8 ? " " : "\n    ", places);
    }
    fsr_text_add(to, "\n};\n");
    fsr_text_raw(to, places_text, sizeof places_text - 1);
}

/* For each mask of four pairs of words the order of the words that brings what it selects to the front; and behind
 * these that which brings what it does not select to the back, the first of it last. */
static void put_pairs(fsr_text *to) {
    fsr_text_add(to, "static const fsr_pack_words fsr_pack_pairs[32] = {");
    for (int mask = 0; mask < 32; mask++) {
        int word[8] = {0};
        for (int lane = 0, held = 0; lane < 4; lane++) {
            if (mask < 16 ? !(mask >> lane & 1) : mask >> lane & 1)
                continue;
            const int to_pair = mask < 16 ? held++ : 3 - held++;
            word[2 * to_pair] = 2 * lane;
            word[2 * to_pair + 1] = 2 * lane + 1;
        }
        fsr_text_add(to, "%s{%d, %d, %d, %d, %d, %d, %d, %d},", mask % 4 ? " " : "\n    ", word[0], word[1], word[2],
                     word[3], word[4], word[5], word[6], word[7]);
    }
    fsr_text_add(to, "\n};\n");
}

/* Vectors of one size: how many lanes, their type, the instruction's name, the mask's bits, the lanes in reverse. */
typedef struct vector_text {
    int size, lanes;
    const char *type, *name, *bits, *reverse;
} vector_text;

static const vector_text vectors[] = {
    {4, 16, "i32", "si", "fsr_pack_bits16(mask + l)", "15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0"},
    {8, 8, "long long", "di", "fsr_pack_bits8(mask + l)", "7, 6, 5, 4, 3, 2, 1, 0"},
};

/* Eight words of the 32 elements that `bits` select, from element `first` on. */
static void put_words(fsr_text *to, int first, bool front) {
    fsr_text_add(to,
                 "            const u32 some = bits >> %d & 255;\n"
                 "            const i64 held = __builtin_popcount(some);\n"
                 "            *(fsr_pack_part *)p = fsr_pack_moved(x, fsr_pack_places[some], up);\n"
                 "            p += held;\n",
                 first);
    if (!front)
        fsr_text_add(to,
                     "            *(fsr_pack_part *)(q - 8) = fsr_pack_moved(x, fsr_pack_places[255 - some], down);\n"
                     "            q -= 8 - held;\n");
}

/* Four pairs; the bits come to where the table's place is, in bytes. */
static void put_four(fsr_text *to, int first, bool front) {
    fsr_text_add(to,
                 "            const u64 place = (u64)bits %s %d & 0x1e0;\n"
                 "            const i64 held = __builtin_popcount((u32)place);\n"
                 "            const char *const order = (const char *)fsr_pack_pairs + place;\n"
                 "            *(fsr_pack_part *)p = __builtin_ia32_permvarsi256(x, *(const fsr_pack_words *)order);\n"
                 "            p += held;\n",
                 first < 5 ? "<<" : ">>", first < 5 ? 5 - first : first - 5);
    if (!front)
        fsr_text_add(to, "            *(fsr_pack_part *)(q - 4) = __builtin_ia32_permvarsi256(x, ((const "
                         "fsr_pack_words *)order)[16]);\n"
                         "            q -= 4 - held;\n");
}

/* By places out of a table, 32 elements a turn; p and q count elements, of which a vector has 32 / size. */
static void put_moved(fsr_text *to, const vector_text *v, bool front) {
    const int lanes = 32 / v->size;
    fsr_text_add(to, "#elif defined FSR_PACK_PLACES\n");
    if (v->size == 4)
        fsr_text_add(to, "    const fsr_pack_shift up = {0, 4, 8, 12, 16, 20, 24, 28};\n%s",
                     front ? "" : "    const fsr_pack_shift down = {28, 24, 20, 16, 12, 8, 4, 0};\n");
    fsr_text_add(to, "    for (; l + 32 <= m; l += 32) {\n"
                     "        const u32 bits = fsr_pack_bits32(mask + l);\n");
    for (int first = 0; first < 32; first += lanes) {
        fsr_text_add(to,
                     "        {\n"
                     "            const fsr_pack_words x = *(const fsr_pack_part *)(v + l + %d);\n",
                     first);
        (v->size == 4 ? put_words : put_four)(to, first, front);
        fsr_text_add(to, "        }\n");
    }
    fsr_text_add(to, "    }\n");
}

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
    fsr_text_add(to, "    }\n");
    put_moved(to, v, front);
    fsr_text_add(to, "#endif\n");
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
static void put_strip(fsr_text *to, int size, bool front) {
    char type[FSR_EMIT_NAME], q[2 * FSR_EMIT_NAME];
    snprintf(type, sizeof type, size <= 8 ? "u%d" : "c128", 8 * size);
    snprintf(q, sizeof q, ", *q = (%s *)(e->back.from - e->back.held)", type);
    fsr_text_add(to,
                 "static __attribute__((noinline)) void fsr_pack%d%s(fsr_pack_ends%d%s *e, const %s *restrict v, const "
                 "u8 *restrict mask, i64 m, i64 stream) {\n"
                 "    %s *p = (%s *)(e->front.from + e->front.held)%s;\n"
                 "    i64 l = 0;\n",
                 size, suffix(front), size, suffix(front), type, type, type, front ? "" : q);
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        if (vectors[i].size == size)
            put_vectors(to, &vectors[i], front);
    if (size <= 2)
        fsr_c_pack_narrow(to, size, front);
    fsr_text_add(to,
                 "    for (; l < m; ++l) {\n"
                 "        const %s x = v[l];\n"
                 "        const i64 one = mask[l];\n"
                 "        *p = x;\n"
                 "        p += one;\n"
                 "%s"
                 "    }\n"
                 "    e->front.held = (char *)p - e->front.from;\n"
                 "    fsr_pack_flush_up(&e->front, stream);\n",
                 type, front ? "" : "        q[-1] = x;\n        q -= 1 - one;\n");
    if (!front)
        fsr_text_add(to, "    e->back.held = e->back.from - (char *)q;\n"
                         "    fsr_pack_flush_down(&e->back, stream);\n");
    fsr_text_add(to, "}\n");
}

/* The function that a part calls at its end. */
static void put_end(fsr_text *to, int size, bool front) {
    fsr_text_add(to,
                 "static void fsr_pack_end%d%s(fsr_pack_ends%d%s *e) {\n"
                 "    fsr_pack_side *a = &e->front%s;\n"
                 "    if (a->from != a->to) __builtin_memcpy(a->to + a->skip, a->from + a->skip, a->held - a->skip);\n",
                 size, suffix(front), size, suffix(front), front ? "" : ", *b = &e->back");
    if (!front)
        fsr_text_add(to, "    if (b->from != b->to) __builtin_memcpy(b->to - b->held, b->from - b->held, b->held - "
                         "b->skip);\n");
    fsr_text_add(to, "}\n\n");
}

static int size_of(const fsr_c_emit *e, const fsr_inst *store) {
    return (int)fsr_dtype_size(e->k->array[e->k->access[store->index].buffer].dtype);
}

/* A strip's, and what is left of a line, with room for a vector that is stored behind it. */
int fsr_c_pack_room(const fsr_c_emit *e, const fsr_inst *store) {
    return e->s->strip * size_of(e, store) + 2 * FSR_EMIT_LINE;
}

void fsr_c_pack_prelude(const fsr_c_emit *e, fsr_text *to) {
    bool put[2][sizeof(fsr_c128) + 1] = {{false}}, sizes[sizeof(fsr_c128) + 1] = {false};
    if (!fsr_kernel_filters(e->k))
        return;
    fsr_text_raw(to, ends_text, sizeof ends_text - 1);
    if (e->packs)
        fsr_c_apart_prelude(to);
    for (int i = 0; i < e->k->ninsts; i++)
        if (e->k->inst[i].filter)
            sizes[size_of(e, &e->k->inst[i])] = true;
    fsr_text_raw(to, words_text, sizeof words_text - 1);
    if (sizes[4])
        put_places(to);
    if (sizes[8])
        put_pairs(to);
    fsr_text_add(to, "#endif\n");
    fsr_c_pack_narrow_prelude(to, sizes);
    for (int i = 0; i < e->k->ninsts; i++) {
        const fsr_inst *store = &e->k->inst[i];
        if (!store->filter || put[store->front][size_of(e, store)])
            continue;
        const int size = size_of(e, store), bytes = fsr_c_pack_room(e, store);
        put[store->front][size] = true;
        put_ends(to, size, bytes, store->front);
        put_strip(to, size, store->front);
        put_end(to, size, store->front);
    }
}

/* What is stored is elements that the loop loads, side by side as they are: they are packed from where they lie. */
static bool is_loaded(const fsr_c_emit *e, const fsr_inst *store) {
    const fsr_inst *value = &e->k->inst[store->arg[0]];
    return value->kind == FSR_INST_LOAD && value->dtype == store->dtype && e->k->access[value->index].linear &&
           fsr_inst_guard(value) < 0 && !e->k->array[e->k->access[value->index].buffer].written;
}

void fsr_c_pack_arrays(fsr_c_emit *e, int number) {
    const fsr_inst *store = &e->k->inst[number];
    const int size = size_of(e, store);
    if (!is_loaded(e, store))
        fsr_c_line(e, "%s c%d_[%d];", fsr_c_storage(store->dtype), number, e->s->strip);
    fsr_c_line(e, "u8 m%d_[%d];", number, e->s->strip);
    fsr_c_line(e, "fsr_pack_ends%d%s ends%d;", size, suffix(store->front), number);
    fsr_c_apart_ends(e, number);
}

void fsr_c_pack_store(fsr_c_emit *e, int number) {
    const fsr_inst *store = &e->k->inst[number];
    char name[FSR_EMIT_NAME];
    if (!is_loaded(e, store))
        fsr_c_line(e, "c%d_[l] = %s%s%s;", number, fsr_c_store(e, store->dtype),
                   fsr_c_value_name(e, store->arg[0], name), fsr_c_close(store->dtype));
    fsr_c_line(e, "m%d_[l] = %s;", number, fsr_c_value_name(e, store->arg[1], name));
}

void fsr_c_pack_strip(fsr_c_emit *e, int number) {
    const fsr_inst *store = &e->k->inst[number];
    char from[2 * FSR_EMIT_NAME], stream[FSR_EMIT_NAME] = "0";
    if (is_loaded(e, store))
        snprintf(from, sizeof from, "(x%d + %s)", e->k->access[e->k->inst[store->arg[0]].index].buffer, e->start);
    else
        snprintf(from, sizeof from, "c%d_", number);
    if (e->s->streams)
        snprintf(stream, sizeof stream, "stream");
    fsr_c_line(e, "fsr_pack%d%s(&ends%d, (const void *)%s, m%d_, m, %s);", size_of(e, store), suffix(store->front),
               number, from, number, stream);
}

void fsr_c_pack_end(fsr_c_emit *e, int number) {
    const fsr_inst *store = &e->k->inst[number];
    fsr_c_line(e, "fsr_pack_end%d%s(&ends%d);", size_of(e, store), suffix(store->front), number);
}
