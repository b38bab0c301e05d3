/* SPDX-License-Identifier: MIT */
/* Values that are the same everywhere, which every thread evaluates; and values of ROW level, where a thread has one
 * row: the frames of ROW, SPLIT and LOOKBACK. Every thread of a row evaluates them; one stores. */
#include "backend_cuda/emit.h"
#include <stdio.h>

/* A reduction that was carried in a chain under ROW ends in its carry; all others in the fold of the pass. */
void fsr_emit_row_result(fsr_emit *e, char buf[FSR_REF], int v) {
    int f = e->k->inst[v].index;
    const fsr_fold *fold = &e->k->fold[f];
    int stage[FSR_MAX_INSTS];
    if (e->s.kind == FSR_SCHEDULE_COL && !e->s.tall)
        snprintf(buf, FSR_REF, "all%d[%s].f%d", fold->pass, e->s.vector > 1 ? "v" : "0", f);
    else
        snprintf(buf, FSR_REF, "all%d.f%d", fold->pass, f);
    if (e->s.kind != FSR_SCHEDULE_ROW || fold->combine->commutative)
        return;
    fsr_kernel_stages(e->k, fold->pass, stage);
    for (int i = 0; i < e->k->ninsts; i++)
        if (e->k->inst[i].kind == FSR_INST_COMBINE && e->k->inst[i].index == f)
            snprintf(buf, FSR_REF, "carry%d_%d.f%d", fold->pass, stage[i], f);
}

void fsr_emit_once(fsr_emit *e) {
    int order[FSR_MAX_INSTS], n = fsr_kernel_once(e->k, order);
    for (int i = 0; i < n; i++)
        fsr_emit_value(e, order[i], "");
}

static void row_load(fsr_emit *e, int v) {
    const fsr_inst *inst = &e->k->inst[v];
    char element[FSR_EXPR];
    if (e->k->stand[v].staged)
        fsr_emit_add(e, element, 0, "s%d[x][deep]", v);
    else
        fsr_emit_element(e, element, inst->index, NULL);
    if (inst->guard) {
        int opened = 0;
        fsr_emit_line(e, "%s v%d = {};", fsr_emit_type(inst->dtype), v);
        opened = fsr_emit_open_guard(e, v, NULL);
        fsr_emit_line(e, "v%d = %s%s;", v, element, inst->dtype == FSR_BOOL ? " != 0" : "");
        while (opened-- > 0)
            fsr_emit_close(e);
        return;
    }
    fsr_emit_line(e, "const %s v%d = %s%s;", fsr_emit_type(inst->dtype), v, element,
                  inst->dtype == FSR_BOOL ? " != 0" : "");
}

static void row_store(fsr_emit *e, int v, const char *guard) {
    char element[FSR_EXPR], ref[FSR_REF];
    fsr_emit_element(e, element, e->k->inst[v].index, NULL);
    fsr_emit_line(e, "if (%s) %s = %s;", guard, element, fsr_emit_ref(e, ref, e->k->inst[v].arg[0]));
}

void fsr_emit_row_list(fsr_emit *e, const int *rows, int n, const char *guard) {
    for (int i = 0; i < n; i++) {
        fsr_inst_kind kind = e->k->inst[rows[i]].kind;
        char state[FSR_REF] = "";
        e->naming[rows[i]] = FSR_NAME_PLAIN;
        if (fsr_picks_fold(e->k, &e->k->inst[rows[i]]))
            fsr_emit_row_result(e, state, rows[i]);
        if (kind == FSR_INST_LOAD && !fsr_inst_is_late(e->k, rows[i]))
            row_load(e, rows[i]);
        else if (kind == FSR_INST_STORE)
            row_store(e, rows[i], guard);
        else
            fsr_emit_value(e, rows[i], state);
    }
}

void fsr_emit_row_values(fsr_emit *e, int pass, const char *guard) {
    int rows[FSR_MAX_INSTS], n = fsr_kernel_rows(e->k, pass, rows);
    fsr_emit_row_list(e, rows, n, guard);
}
