/* SPDX-License-Identifier: MIT */
/* Choices in generated C that a compiler would make branches of.
 *
 * With AVX-512 a comparison gives a mask, a bit for each element, and gcc 12 makes no mask of four elements of one of
 * more: a choice of 8 bytes by a comparison of one or two, or by a bool from memory, is a branch for each element.
 * Where the condition is made a number of 8 bytes first, which is then compared, the comparison has as many elements as
 * the choice. gcc would undo that of `(i64)m != 0`. Measured, 200,000 choices of two f64 by a comparison of u8, at
 * random: 0.50 ms, so 0.08; without AVX-512 the condition stands as it is.
 *
 * Loops over two or three rows are no vector code, and of their choices gcc makes branches, which guess wrongly every
 * other time where the condition is at random: there the bits of both are chosen by a mask. Measured, running sums and
 * means of choices down 43,567 rows of 3: 0.64 ms, so 0.27.
 *
 * Values of a block of rows, and what stages leave for later ones, that are true or false stand as i32 where whatever
 * else there is has four bytes or more: a vector of bytes has so many elements that loops over 16 rows, or lanes, would
 * do all of them one by one, or by vectors of 16 bytes. */
#include "backend_cpu/emit/parts.h"
#include <string.h>

/* Bytes of the narrowest numbers that each value of the kernel which is true or false was made of; of others
 * nothing. */
static void mask_bytes(const fsr_kernel *k, int last, unsigned char *bytes) {
    for (int i = 0; i <= last; i++) {
        const fsr_inst *inst = &k->inst[i];
        bytes[i] = inst->kind == FSR_INST_OP      ? (unsigned char)fsr_dtype_size(inst->compute)
                   : inst->kind == FSR_INST_GUARD ? (unsigned char)sizeof(int64_t)
                                                  : 1;
        if (inst->kind != FSR_INST_OP || inst->compute != FSR_BOOL)
            continue;
        bytes[i] = sizeof(int64_t);
        for (int a = 0; a < fsr_op_get(inst->op)->arity; a++)
            if (inst->arg[a] < i && k->inst[inst->arg[a]].kind != FSR_INST_CONST && bytes[inst->arg[a]] < bytes[i])
                bytes[i] = bytes[inst->arg[a]];
    }
}

bool fsr_c_is_widened_choice(const fsr_kernel *k, const fsr_inst *inst) {
    unsigned char bytes[FSR_MAX_INSTS];
    if (inst->kind != FSR_INST_OP || fsr_op_get(inst->op)->rule != FSR_RULE_SELECT ||
        fsr_dtype_is_complex(inst->dtype) || fsr_dtype_size(inst->dtype) != sizeof(double))
        return false;
    mask_bytes(k, inst->arg[0], bytes);
    return bytes[inst->arg[0]] <= sizeof(short);
}

bool fsr_c_put_choice(fsr_c_emit *e, fsr_text *to, const fsr_inst *inst) {
    char name[3][FSR_EMIT_NAME];
    if (!fsr_columns_are_scalar(e->k) || e->walk->form == FSR_WALK_ROWS || inst->kind != FSR_INST_OP ||
        fsr_op_get(inst->op)->rule != FSR_RULE_SELECT || fsr_dtype_is_complex(inst->dtype))
        return false;
    for (int a = 0; a < 3; a++)
        fsr_c_value_name(e, inst->arg[a], name[a]);
    e->chooses[inst->dtype] = true;
    fsr_text_add(to, "fsr_choose_%s(%s != 0, %s, %s)", fsr_dtype_name(inst->dtype), name[0], name[1], name[2]);
    return true;
}

/* The bits of a where the condition is not 0, else those of b. */
static void put_choosing(fsr_text *to, fsr_dtype dtype) {
    const char *type = fsr_c_type(dtype), *bits = strcmp(type, "f32") == 0   ? "u32"
                                                  : strcmp(type, "f64") == 0 ? "u64"
                                                                             : type;
    fsr_text_add(to,
                 "static inline %s fsr_choose_%s(u8 condition, %s a, %s b) {\n"
                 "    const %s mask = (%s)-(%s)condition;\n"
                 "    %s x, y;\n"
                 "    __builtin_memcpy(&x, &a, sizeof x);\n"
                 "    __builtin_memcpy(&y, &b, sizeof y);\n"
                 "    x = (%s)((x & mask) | (y & ~mask));\n"
                 "    __builtin_memcpy(&a, &x, sizeof a);\n"
                 "    return a;\n"
                 "}\n\n",
                 type, fsr_dtype_name(dtype), type, type, bits, bits, bits, bits, bits);
}

void fsr_c_choice_put(const fsr_c_emit *e, fsr_text *to) {
    for (int d = 0; d < FSR_DTYPE_COUNT; d++)
        if (e->chooses[d])
            put_choosing(to, (fsr_dtype)d);
    if (e->widens_choices)
        fsr_text_add(to, "#if defined __AVX512VL__ && !defined __clang__\n"
                         "#define FSR_WIDE(m) (((i64)(m) << 1) > 1)\n"
                         "#else\n"
                         "#define FSR_WIDE(m) (m)\n"
                         "#endif\n\n");
}

const char *fsr_c_row_type(const fsr_c_emit *e, int number) {
    bool narrow = false;
    for (int i = 0; i < e->k->ninsts; i++)
        narrow =
            narrow || (e->k->inst[i].dtype != FSR_BOOL && e->k->inst[i].kind != FSR_INST_STORE &&
                       e->k->inst[i].kind != FSR_INST_COMBINE && fsr_dtype_size(e->k->inst[i].dtype) < sizeof(float));
    return fsr_c_type(e->k->inst[number].dtype == FSR_BOOL && !narrow ? FSR_I32 : e->k->inst[number].dtype);
}
