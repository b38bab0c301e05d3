/* SPDX-License-Identifier: MIT */
/* Loads whose guards are the same for the whole innermost loop.
 *
 * A load of neighbours under a guard becomes a load under a vector's mask. One with a stride, or of one element, keeps
 * a compiler from making vector code of its loop at all; so it reads by a pointer and a stride of its own, which show a
 * zero where the guard does not hold. One element is read without a stride, in front of the loop where it is a row's
 * (map.c). Counter-example to reading the element in any case: it may lie outside of its array.
 *
 * Under a vector's mask that is empty a load of neighbours from a page that is not there is nothing to a program, and
 * 200 ns to some processors: an edge row above a picture took 24 ns an element where others took 0.1. So where a guard
 * does not hold for the whole loop its load goes from the array's beginning, under the same mask (fsr_c_stay). */
#include "backend_cpu/emit/parts.h"
#include <stdio.h>
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
    const fsr_stand *stand = &e->k->stand[inst - e->k->inst];
    return same && !stand->twinned && !stand->staged && form->stride[e->loop_dim] != FSR_STRIDE_ONE;
}

/* Bits of the guard's conditions that are decided outside of the loop. */
static uint64_t decided_outside(const fsr_c_emit *e, const fsr_inst *inst) {
    uint64_t bits = 0;
    for (int i = 0; inst->guard && i < e->k->guard[inst->guard - 1].n; i++)
        bits |= UINT64_C(1) << e->k->guard[inst->guard - 1].condition[i];
    return bits & e->outer;
}

/* Conditions without which no load of the loop by this access takes place. */
static uint64_t needed_outside(const fsr_c_emit *e, const fsr_body *loop, int access) {
    uint64_t bits = UINT64_MAX;
    bool any = false;
    for (int i = 0; i < loop->n; i++) {
        const fsr_inst *inst = &e->k->inst[loop->inst[i]];
        if (inst->kind == FSR_INST_STORE && inst->index == access)
            return 0;
        if (inst->kind != FSR_INST_LOAD || inst->index != access)
            continue;
        any = true;
        bits &= fsr_c_is_moored(e, inst) ? 0 : decided_outside(e, inst);
    }
    return any ? bits : 0;
}

void fsr_c_stay(fsr_c_emit *e, const fsr_body *loop) {
    const int d = fsr_kernel_inner(e->k);
    for (int a = 0; a < e->k->naccesses && d >= 0; a++) {
        const fsr_access *access = &e->k->access[a];
        const fsr_index_form *form = fsr_access_form(e->k, a);
        if (access->linear || access->row_linear || form->nterms || form->divisor || !*e->base[a] ||
            form->stride[d] != FSR_STRIDE_ONE)
            continue;
        const unsigned long long bits = needed_outside(e, loop, a);
        if (!bits)
            continue;
        fsr_c_line(e, "const i64 p%d_on = (outer & 0x%llx) == 0x%llx ? %s : 0;", a, bits, bits, e->base[a]);
        snprintf(e->base[a], FSR_EMIT_NAME, "p%d_on", a);
    }
}

/* What a guard asks of row j of a block, and nothing of its columns. False: nothing. */
static bool put_of_row(fsr_c_emit *e, fsr_text *to, int guard) {
    const fsr_guard *g = &e->k->guard[guard];
    for (int i = 0; i < g->n; i++) {
        const fsr_index_form *form = &e->k->form[e->k->condition[g->condition[i]].form];
        if (form->stride[e->k->ndim - 1] != FSR_STRIDE_ZERO || form->nterms)
            continue;
        fsr_text_add(to, "%s", to->size ? " & " : "");
        fsr_c_condition(e, to, g->condition[i]);
    }
    return to->size > 0;
}

static int loads_by(const fsr_c_emit *e, const fsr_body *part, int access) {
    int n = 0;
    for (int i = 0; i < part->n; i++)
        n += e->k->inst[part->inst[i]].kind == FSR_INST_LOAD && e->k->inst[part->inst[i]].index == access;
    return n;
}

/* Where row j is not there, what the address adds for it is taken off: the load goes from the array's beginning. */
void fsr_c_stay_by_row(fsr_c_emit *e, const fsr_body *part) {
    const int row = e->k->nparallel - 1;
    for (int i = 0; i < part->n; i++) {
        const fsr_inst *inst = &e->k->inst[part->inst[i]];
        const int a = inst->index;
        char stride[FSR_EMIT_NAME] = "";
        fsr_text asked = {0};
        if (inst->kind != FSR_INST_LOAD || !inst->guard || e->k->access[a].linear || loads_by(e, part, a) != 1 ||
            !put_of_row(e, &asked, inst->guard - 1)) {
            fsr_text_free(&asked);
            continue;
        }
        const fsr_index_form *form = fsr_access_form(e->k, a);
        if (form->stride[row] == FSR_STRIDE_VAR)
            fsr_c_integer(e, form->slot[row], stride);
        if (form->stride[row] == FSR_STRIDE_KNOWN)
            snprintf(stride, sizeof stride, "%d", form->slot[row]);
        fsr_text line = {0};
        fsr_text_add(&line, "const i64 p%d_on = %s ? %s : ", a, asked.data ? asked.data : "",
                     *e->base[a] ? e->base[a] : "0");
        if (form->stride[row] == FSR_STRIDE_ZERO)
            fsr_text_add(&line, "0;");
        else
            fsr_text_add(&line, "-j%s%s;", *stride ? " * " : "", stride);
        fsr_c_text(e, line.data ? line.data : "", "", "");
        snprintf(e->base[a], FSR_EMIT_NAME, "p%d_on", a);
        e->body.failed |= asked.failed || line.failed;
        fsr_text_free(&asked);
        fsr_text_free(&line);
    }
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
