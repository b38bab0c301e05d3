/* SPDX-License-Identifier: MIT */
/* Loads whose guards are the same for the whole innermost loop.
 *
 * A load of neighbours under a guard becomes a load under a vector's mask. One with a stride, or of one element, keeps
 * a compiler from making vector code of its loop at all; so it reads by a pointer and a stride of its own, which show a
 * zero where the guard does not hold. One element is read without a stride, in front of the loop where it is a row's
 * (rows.c). Counter-example to reading the element in any case: it may lie outside of its array. */
#include "backend_cpu/emit/parts.h"
#include <string.h>

/* The guard holds for the whole loop or not at all. */
bool fsr_c_is_moored(const fsr_c_emit *e, const fsr_inst *inst) {
    if (inst->kind != FSR_INST_LOAD || !inst->guard || e->abreast || e->spread || e->loop_dim < 0)
        return false;
    const fsr_access *access = &e->k->access[inst->index];
    const fsr_index_form *form = fsr_access_form(e->k, inst->index);
    bool same = !access->linear && !access->row_linear && !form->nterms && !form->divisor;
    for (int i = 0; i < e->k->guard[inst->guard - 1].n; i++)
        same = same && e->outer >> e->k->guard[inst->guard - 1].condition[i] & 1;
    return same && !e->k->stand[inst - e->k->inst].twinned && form->stride[e->loop_dim] != FSR_STRIDE_ONE;
}

static bool moves(const fsr_c_emit *e, const fsr_inst *inst) {
    return fsr_access_form(e->k, inst->index)->stride[e->loop_dim] != FSR_STRIDE_ZERO;
}

static void put_mooring(fsr_c_emit *e, int number) {
    const fsr_inst *inst = &e->k->inst[number];
    const fsr_guard *g = &e->k->guard[inst->guard - 1];
    const fsr_index_form *form = fsr_access_form(e->k, inst->index);
    const char *base = e->base[inst->index], *type = fsr_c_storage(inst->dtype);
    char stride[FSR_EMIT_NAME] = "0", behind[FSR_EMIT_NAME] = "";
    unsigned long long bits = 0;
    for (int i = 0; i < g->n; i++)
        bits |= 1ull << g->condition[i];
    if (form->stride[e->loop_dim] == FSR_STRIDE_VAR)
        fsr_c_integer(e, form->slot[e->loop_dim], stride);
    if (form->stride[e->loop_dim] == FSR_STRIDE_KNOWN)
        snprintf(stride, sizeof stride, "%d", form->slot[e->loop_dim]);
    if (form->behind)
        snprintf(behind, sizeof behind, " + %d", form->behind);
    if (moves(e, inst))
        fsr_c_line(e, "const i64 s%d_on = (outer & 0x%llx) == 0x%llx ? %s : 0;", number, bits, bits, stride);
    fsr_c_line(e, "const %s *const q%d = (outer & 0x%llx) == 0x%llx ? x%d + (%s%s) : (const %s *)nothing;", type,
               number, bits, bits, e->k->access[inst->index].buffer, *base ? base : "0", behind, type);
}

void fsr_c_moor(fsr_c_emit *e, const fsr_body *loop) {
    bool any = false;
    for (int i = 0; i < loop->n; i++) {
        if (!fsr_c_is_moored(e, &e->k->inst[loop->inst[i]]))
            continue;
        if (!any)
            fsr_c_line(e, "static const u64 nothing[2];");
        any = true;
        put_mooring(e, loop->inst[i]);
    }
}

void fsr_c_put_moored(fsr_c_emit *e, fsr_text *to, const fsr_inst *inst) {
    const int number = (int)(inst - e->k->inst);
    if (moves(e, inst))
        fsr_text_add(to, "%sq%d[%s * s%d_on]%s", fsr_c_load(e, inst->dtype), number, e->loop_var, number,
                     fsr_c_close(inst->dtype));
    else
        fsr_text_add(to, "%sq%d[0]%s", fsr_c_load(e, inst->dtype), number, fsr_c_close(inst->dtype));
}
