/* SPDX-License-Identifier: MIT */
/* Transposed operands of a map in squares (schedule.tile, `staged` loads), in generated C.
 *
 * A square's elements of such a load are turned into an array before its rows are done, eight by eight (of eight bytes
 * four by four) in registers, and are read there in order: vector code. Counter-example to loading them where they
 * lie: a row of a square touches as many lines as it has elements, of two operands 512, which is all of a first cache,
 * and of rows whose pitch is a power of two a few sets of it: x + x.T of 1024 by 1024 f32 took 2.9 ns an element for
 * 0.4.
 *
 * Where all that is loaded lies in the other order (schedule.turned), a square's elements are computed in that order,
 * into an array for each store, which is turned into memory when the square is done: one turn a store, however
 * many operands there are. */
#include "backend_cpu/emit/parts.h"
#include "fusion/square.h"
#include <stdio.h>

/* to[c * pitch + r] = from[r * apart + c], by vectors where the target has any of 32 bytes. */
static const char mix_text[] = "#if defined __clang__\n"
                               "#define FSR_MIX(type, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)\n"
                               "#else\n"
                               "#define FSR_MIX(type, a, b, ...) __builtin_shuffle(a, b, (type){__VA_ARGS__})\n"
                               "#endif\n";
static const char turn4_text[] =
    "typedef u32 fsr_eight __attribute__((vector_size(32), aligned(4), may_alias));\n"
    "static inline void fsr_turn_eights(const u32 *from, i64 apart, u32 *to, i64 pitch) {\n"
    "    fsr_eight a[8], b[8];\n"
    "    for (i64 k = 0; k < 8; ++k)\n"
    "        a[k] = *(const fsr_eight *)(from + k * apart);\n"
    "    for (i64 k = 0; k < 8; k += 4)\n"
    "        for (i64 l = k; l < k + 2; ++l) {\n"
    "            b[2 * l - k] = FSR_MIX(fsr_eight, a[l], a[l + 2], 0, 8, 1, 9, 4, 12, 5, 13);\n"
    "            b[2 * l - k + 1] = FSR_MIX(fsr_eight, a[l], a[l + 2], 2, 10, 3, 11, 6, 14, 7, 15);\n"
    "        }\n"
    "    for (i64 k = 0; k < 8; k += 4)\n"
    "        for (i64 l = k; l < k + 2; ++l) {\n"
    "            a[2 * l - k] = FSR_MIX(fsr_eight, b[l], b[l + 2], 0, 8, 1, 9, 4, 12, 5, 13);\n"
    "            a[2 * l - k + 1] = FSR_MIX(fsr_eight, b[l], b[l + 2], 2, 10, 3, 11, 6, 14, 7, 15);\n"
    "        }\n"
    "    for (i64 k = 0; k < 4; ++k) {\n"
    "        *(fsr_eight *)(to + k * pitch) = FSR_MIX(fsr_eight, a[k], a[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);\n"
    "        *(fsr_eight *)(to + (k + 4) * pitch) = FSR_MIX(fsr_eight, a[k], a[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);\n"
    "    }\n"
    "}\n";
static const char turn8_text[] =
    "typedef u64 fsr_four __attribute__((vector_size(32), aligned(8), may_alias));\n"
    "static inline void fsr_turn_fours(const u64 *from, i64 apart, u64 *to, i64 pitch) {\n"
    "    fsr_four a[4], b[4];\n"
    "    for (i64 k = 0; k < 4; ++k)\n"
    "        a[k] = *(const fsr_four *)(from + k * apart);\n"
    "    for (i64 k = 0; k < 4; k += 2) {\n"
    "        b[k] = FSR_MIX(fsr_four, a[k], a[k + 1], 0, 4, 2, 6);\n"
    "        b[k + 1] = FSR_MIX(fsr_four, a[k], a[k + 1], 1, 5, 3, 7);\n"
    "    }\n"
    "    for (i64 k = 0; k < 2; ++k) {\n"
    "        *(fsr_four *)(to + k * pitch) = FSR_MIX(fsr_four, b[k], b[k + 2], 0, 1, 4, 5);\n"
    "        *(fsr_four *)(to + (k + 2) * pitch) = FSR_MIX(fsr_four, b[k], b[k + 2], 2, 3, 6, 7);\n"
    "    }\n"
    "}\n";

/* The function for elements of so many bytes, whose blocks have `side` rows and columns. */
static void put_turn(fsr_text *to, int bytes, int side, const char *block) {
    fsr_text_add(to,
                 "static __attribute__((noinline)) void fsr_turn%d(const u%d *from, i64 apart, i64 rows, i64 cols, "
                 "u%d *to, i64 pitch) {\n"
                 "    i64 r = 0;\n"
                 "#if defined __AVX__\n"
                 "    for (; r + %d <= rows; r += %d) {\n"
                 "        i64 c = 0;\n"
                 "        for (; c + %d <= cols; c += %d)\n"
                 "            %s(from + r * apart + c, apart, to + c * pitch + r, pitch);\n"
                 "        for (; c < cols; ++c)\n"
                 "            for (i64 k = r; k < r + %d; ++k)\n"
                 "                to[c * pitch + k] = from[k * apart + c];\n"
                 "    }\n"
                 "#endif\n"
                 "    for (; r < rows; ++r)\n"
                 "        for (i64 c = 0; c < cols; ++c)\n"
                 "            to[c * pitch + r] = from[r * apart + c];\n"
                 "}\n\n",
                 bytes, 8 * bytes, 8 * bytes, side, side, side, side, block, side);
}

static bool is_squared(const fsr_kernel *k, int number) {
    return k->schedule.kind == FSR_SCHEDULE_MAP && k->stand[number].staged;
}

void fsr_c_squares_prelude(const fsr_c_emit *e, fsr_text *to) {
    const bool four = e->turns[0], eight = e->turns[1];
    if (four || eight)
        fsr_text_add(to, "#if defined __AVX__\n%s%s%s#endif\n", mix_text, four ? turn4_text : "",
                     eight ? turn8_text : "");
    if (four)
        put_turn(to, 4, 8, "fsr_turn_eights");
    if (eight)
        put_turn(to, 8, 4, "fsr_turn_fours");
}

static int bytes_of(const fsr_c_emit *e, int number) {
    return (int)fsr_accessed_bytes(e->k, &e->k->inst[number]);
}

/* From a row of the array to the next: one line more than there are, as columns of a power of two share few sets. */
static int pitch_of(const fsr_c_emit *e, int number) {
    const bool store = e->k->inst[number].kind == FSR_INST_STORE;
    return (store ? e->s->tile : fsr_square_breadth(e->s)) + 64 / bytes_of(e, number);
}

/* What a condition of a load's guard leaves of its square. */
static void put_bound(fsr_c_emit *e, int number, int condition) {
    const fsr_condition *c = &e->k->condition[condition];
    const int d = fsr_square_bounded(e->k, condition);
    char extent[FSR_EMIT_NAME];
    fsr_text rest = {0};
    fsr_c_condition_sum(e, &rest, c, d);
    const char *low = rest.size ? rest.data : "0";
    fsr_c_integer(e, c->extent, extent);
    fsr_c_line(e, "f%d_%d = f%d_%d < -(%s) ? -(%s) : f%d_%d;", number, d, number, d, low, low, number, d);
    fsr_c_line(e, "g%d_%d = g%d_%d > %s - (%s) ? %s - (%s) : g%d_%d;", number, d, number, d, extent, low, extent, low,
               number, d);
    e->body.failed |= rest.failed;
    fsr_text_free(&rest);
}

static void put_bounds(fsr_c_emit *e, int number) {
    const fsr_guard *guard = &e->k->guard[e->k->inst[number].guard - 1];
    const int side[] = {e->s->tiled, e->k->ndim - 1};
    for (int i = 0; i < 2; i++)
        fsr_c_line(e, "i64 f%d_%d = b%d, g%d_%d = e%d;", number, side[i], side[i], number, side[i], side[i]);
    for (int i = 0; i < guard->n; i++)
        put_bound(e, number, guard->condition[i]);
}

/* The square from row f to row g, and from column f to column g of these. Counter-example to turning what lies where a
 * guard does not hold: it may be outside of the array. */
static void put_part(fsr_c_emit *e, int number, const char *apart) {
    const fsr_inst *inst = &e->k->inst[number];
    const int last = e->k->ndim - 1, tiled = e->s->tiled, bytes = bytes_of(e, number), n = number;
    const char *base = e->base[inst->index];
    put_bounds(e, number);
    fsr_c_begin(e, "if (f%d_%d < g%d_%d && f%d_%d < g%d_%d)", n, tiled, n, tiled, n, last, n, last);
    fsr_c_line(e, "fsr_turn%d((const u%d *)(x%d + (%s%sf%d_%d + f%d_%d * %s)), %s, g%d_%d - f%d_%d, g%d_%d - f%d_%d,",
               bytes, 8 * bytes, e->k->access[inst->index].buffer, base, *base ? " + " : "", n, tiled, n, last, apart,
               apart, n, last, n, last, n, tiled, n, tiled);
    fsr_c_line(e, "          (u%d *)turned%d + (f%d_%d - b%d) * %d + (f%d_%d - b%d), %d);", 8 * bytes, n, n, tiled,
               tiled, pitch_of(e, n), n, last, last, pitch_of(e, n));
    fsr_c_end(e);
}

static void put_square(fsr_c_emit *e, int number) {
    const fsr_inst *inst = &e->k->inst[number];
    const int last = e->k->ndim - 1, tiled = e->s->tiled, bytes = bytes_of(e, number);
    const char *base = e->base[inst->index];
    char apart[FSR_EMIT_NAME];
    e->turns[bytes == 8] = true;
    fsr_c_integer(e, fsr_access_form(e->k, inst->index)->slot[last], apart);
    fsr_c_line(e, "%s turned%d[%d] __attribute__((aligned(64)));", fsr_c_storage(inst->dtype), number,
               e->s->tile * pitch_of(e, number));
    if (inst->guard)
        put_part(e, number, apart);
    else
        fsr_c_line(
            e, "fsr_turn%d((const u%d *)(x%d + (%s%sb%d + b%d * %s)), %s, e%d - b%d, e%d - b%d, (u%d *)turned%d, %d);",
            bytes, 8 * bytes, e->k->access[inst->index].buffer, base, *base ? " + " : "", tiled, last, apart, apart,
            last, last, tiled, tiled, 8 * bytes, number, pitch_of(e, number));
}

/* Where a square's elements of a store are until they are turned. */
static void put_waiting(fsr_c_emit *e, int number) {
    e->turns[bytes_of(e, number) == 8] = true;
    fsr_c_line(e, "%s turned%d[%d] __attribute__((aligned(64)));",
               fsr_c_storage(e->k->array[e->k->access[e->k->inst[number].index].buffer].dtype), number,
               fsr_square_breadth(e->s) * pitch_of(e, number));
}

void fsr_c_squares(fsr_c_emit *e) {
    for (int i = 0; i < e->k->ninsts; i++)
        if (e->s->turned && e->k->inst[i].kind == FSR_INST_STORE)
            put_waiting(e, i);
        else if (is_squared(e->k, i))
            put_square(e, i);
}

void fsr_c_squares_end(fsr_c_emit *e) {
    const int last = e->k->ndim - 1, tiled = e->s->tiled;
    fsr_c_line(e, "const i64 i%d = b%d;", tiled, tiled);
    fsr_c_row_number(e, last + 1, "0");
    fsr_c_product(e, "apart", tiled + 1, e->k->ndim);
    for (int i = 0; i < e->k->ninsts; i++) {
        const int bytes = e->k->inst[i].kind == FSR_INST_STORE ? bytes_of(e, i) : 0;
        if (bytes)
            fsr_c_line(e, "fsr_turn%d((const u%d *)turned%d, %d, e%d - b%d, e%d - b%d, (u%d *)(x%d + r + b%d), apart);",
                       bytes, 8 * bytes, i, pitch_of(e, i), last, last, tiled, tiled, 8 * bytes,
                       e->k->access[e->k->inst[i].index].buffer, last);
    }
}

void fsr_c_put_waiting(const fsr_c_emit *e, fsr_text *to, int number) {
    const int last = e->k->ndim - 1;
    fsr_text_add(to, "turned%d[(i%d - b%d) * %d + (%s - b%d)]", number, last, last, pitch_of(e, number), e->loop_var,
                 e->s->tiled);
}

void fsr_c_put_squared(fsr_c_emit *e, fsr_text *to, int number) {
    fsr_text_add(to, "%sturned%d[(i%d - b%d) * %d + (%s - b%d)]%s", fsr_c_load(e, e->k->inst[number].dtype), number,
                 e->s->tiled, e->s->tiled, pitch_of(e, number), e->loop_var, e->k->ndim - 1,
                 fsr_c_close(e->k->inst[number].dtype));
}
