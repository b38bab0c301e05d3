/* SPDX-License-Identifier: MIT */
/* Operations with a shorter text for what is known of an operand, in generated C; the same bits.
 *
 * A conversion to an integer of what fits (fusion/interval.h), of a clipped share or grey value, asks for NaN alone:
 * three instructions in place of ten. Counter-example to leaving that out: what is no number fits in no dtype, and x86
 * makes the least integer of it.
 * A minimum or maximum with a literal has it in front: the other operand is the one that may be NaN, and the value
 * then, so that one instruction is all. Not of zeros, of which the one behind counts where both are equal. */
#include "backend_cpu/emit/parts.h"
#include "fusion/interval.h"

bool fsr_c_put_fitting(fsr_c_emit *e, fsr_text *to, int number) {
    const fsr_inst *inst = &e->k->inst[number];
    char name[FSR_EMIT_NAME];
    if (!fsr_value_fits(e->k, number))
        return false;
    e->fitting[inst->compute == FSR_F64][inst->dtype] = true;
    fsr_text_add(to, "fsr_fitting_%s_to_%s(%s)", fsr_dtype_name(inst->compute), fsr_dtype_name(inst->dtype),
                 fsr_c_value_name(e, inst->arg[0], name));
    return true;
}

fsr_inst fsr_c_literal_first(const fsr_kernel *k, const fsr_inst *inst) {
    fsr_inst out = *inst;
    if (fsr_value_is_limited(k, (int)(inst - k->inst))) {
        out.arg[0] = inst->arg[1];
        out.arg[1] = inst->arg[0];
    }
    return out;
}

void fsr_c_fitting_put(const fsr_c_emit *e, fsr_text *to) {
    for (int wide = 0; wide < 2; wide++)
        for (int d = 0; d < FSR_DTYPE_COUNT; d++)
            if (e->fitting[wide][d]) {
                const char *from = wide ? "f64" : "f32", *type = fsr_c_type((fsr_dtype)d);
                fsr_text_add(to, "static inline %s fsr_fitting_%s_to_%s(const %s a) {\n", type, from,
                             fsr_dtype_name((fsr_dtype)d), from);
                fsr_text_add(to, "    return a == a ? (%s)(i32)a : 0;\n}\n\n", type);
            }
}
