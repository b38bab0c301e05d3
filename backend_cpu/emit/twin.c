/* SPDX-License-Identifier: MIT */
/* Elements that are loaded with the one beside them in memory, as one word of two.
 *
 * A loop over every other element is vector code of words then, of which each lane drops one half: as many loads and
 * permutations as a compiler makes of two vectors of elements, and none at the end that may lie outside of the array.
 *
 * Counter-example to saying that addresses are multiples of two elements, by which a compiler knows that the second one
 * is there, too: they are not where rows have an odd number of elements. */
#include "backend_cpu/emit/parts.h"
#include <stdio.h>

const char *fsr_c_twin(fsr_c_emit *e, int number, char *out) {
    const fsr_access *access = &e->k->access[e->k->inst[number].index];
    const fsr_dtype dtype = e->k->array[access->buffer].dtype;
    e->twin[dtype] = true;
    snprintf(out, FSR_EMIT_NAME, "fsr_%s_%s", e->k->stand[number].twinned == FSR_TWIN_BEHIND ? "first" : "second",
             fsr_dtype_name(dtype));
    return out;
}

static void put_functions(fsr_text *to, fsr_dtype dtype) {
    const char *name = fsr_dtype_name(dtype), *type = fsr_c_storage(dtype);
    const int size = (int)fsr_dtype_size(dtype);
    fsr_text_add(to, "typedef u%d fsr_two_%s __attribute__((aligned(%d)));\n", 16 * size, name, size);
    fsr_text_add(to,
                 "static inline %s fsr_%s_half(const u%d word) {\n"
                 "    union { u%d bits; %s x; } u = {(u%d)word};\n"
                 "    return u.x;\n"
                 "}\n",
                 type, name, 16 * size, 8 * size, type, 8 * size);
    fsr_text_add(to,
                 "static inline %s fsr_first_%s(const %s *p) {\n"
                 "    return fsr_%s_half(*(const fsr_two_%s *)p >> FSR_TWIN * %d);\n"
                 "}\n",
                 type, name, type, name, name, 8 * size);
    fsr_text_add(to,
                 "static inline %s fsr_second_%s(const %s *p) {\n"
                 "    return fsr_%s_half(*(const fsr_two_%s *)(p - 1) >> (1 - FSR_TWIN) * %d);\n"
                 "}\n\n",
                 type, name, type, name, name, 8 * size);
}

void fsr_c_twin_put(const fsr_c_emit *e, fsr_text *to) {
    bool any = false;
    for (int d = 0; d < FSR_DTYPE_COUNT; d++) {
        if (!e->twin[d])
            continue;
        if (!any)
            fsr_text_add(to, "#define FSR_TWIN (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)\n");
        any = true;
        put_functions(to, (fsr_dtype)d);
    }
}
