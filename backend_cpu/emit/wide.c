/* SPDX-License-Identifier: MIT */
/* The folds of a scan's parts in f64, whose elements are f32, in generated C.
 *
 * A batch of lanes is put into an array first and widened from there, four elements at a time. Counter-example to
 * widening each element where it is computed: gcc 12 loads eight f32 and takes them apart by a shuffle each for the
 * first and the second four, for which processors have one port; a load of four that widens them needs none. The folds
 * of the parts of a running sum took 1.4 times as long with AVX-512, 1.2 times with AVX2. */
#include "backend_cpu/emit/parts.h"

bool fsr_c_carries_wide(const fsr_c_emit *e, int fold) {
    return e->s->widened >> fold & 1;
}

bool fsr_c_is_wide(const fsr_c_emit *e, int fold, char letter) {
    return fsr_c_carries_wide(e, fold) && (letter == 'g' || letter == 'n' || e->k->fold[fold].kind == FSR_FOLD_REDUCE);
}

fsr_dtype fsr_c_state_dtype(const fsr_c_emit *e, int fold, char letter, int component) {
    return fsr_c_is_wide(e, fold, letter) ? FSR_F64 : fsr_combine_dtype(e->k->fold[fold].combine, component);
}

static const char widen_text[] = "#if defined __AVX__ && !defined __clang__\n"
                                 "typedef f32 fsr_four __attribute__((vector_size(16), aligned(4), may_alias));\n"
                                 "typedef f64 fsr_four_wide __attribute__((vector_size(32), aligned(8), may_alias));\n"
                                 "static inline void fsr_widen(f64 *to, const f32 *from) {\n"
                                 "    *(fsr_four_wide *)to = __builtin_ia32_cvtps2pd256(*(const fsr_four *)from);\n"
                                 "}\n"
                                 "#else\n"
                                 "static inline void fsr_widen(f64 *to, const f32 *from) {\n"
                                 "    for (i64 i = 0; i < 4; ++i) to[i] = from[i];\n"
                                 "}\n"
                                 "#endif\n\n";

void fsr_c_widen_prelude(const fsr_c_emit *e, fsr_text *to) {
    if (e->widens_batches)
        fsr_text_raw(to, widen_text, sizeof widen_text - 1);
}

/* The fold of instruction `number`, if a batch of lanes is widened into it; -1. */
static int widened_fold(const fsr_c_emit *e, int number) {
    const fsr_inst *inst = &e->k->inst[number];
    const bool combines = inst->kind == FSR_INST_COMBINE && !e->checked && e->s->lanes % 4 == 0;
    return combines && fsr_c_is_wide(e, inst->index, 'q') ? inst->index : -1;
}

void fsr_c_widen_begin(fsr_c_emit *e, const fsr_body *loop) {
    for (int i = 0; i < loop->n; i++) {
        const int fold = widened_fold(e, loop->inst[i]);
        if (fold < 0)
            continue;
        fsr_c_line(e, "f32 y%d_0[%d];", fold, e->s->lanes);
        e->widening = e->widens_batches = true;
    }
}

bool fsr_c_widen_input(fsr_c_emit *e, int fold) {
    char name[FSR_EMIT_NAME];
    if (!e->widening || !fsr_c_is_wide(e, fold, 'q'))
        return false;
    fsr_c_line(e, "y%d_0[l] = %s;", fold, fsr_c_value_name(e, e->k->fold[fold].input[0], name));
    return true;
}

void fsr_c_widen_end(fsr_c_emit *e, const fsr_body *loop) {
    if (!e->widening)
        return;
    e->widening = false;
    for (int i = 0; i < loop->n; i++) {
        const int fold = widened_fold(e, loop->inst[i]);
        if (fold < 0)
            continue;
        fsr_c_begin(e, "for (i64 b = 0; b < %d; b += 4)", e->s->lanes);
        fsr_c_line(e, "f64 w%d_0[4];", fold);
        fsr_c_line(e, "fsr_widen(w%d_0, y%d_0 + b);", fold, fold);
        fsr_c_begin(e, "for (i64 l = 0; l < 4; ++l)");
        fsr_c_fold_pair(e, fold, 'q', "[b + l]", 'w', "[l]");
        fsr_c_end(e);
        fsr_c_end(e);
    }
}
