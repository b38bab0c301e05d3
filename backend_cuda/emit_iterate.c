/* SPDX-License-Identifier: MIT */
/* Loops for each element as C++ structs: loop<i>::run takes the first values and the arguments and returns the state
 * at the end and the count of turns. State and arguments are variables of the function, so that they live in
 * registers; a thread whose element has ended waits for its warp.
 *
 * Threads beyond the last element compute on whatever is in their registers, but no loop: most, the largest number of
 * turns, is 0 for them. Counter-example to letting them run: from 0 Collatz's loop never comes to 1.
 *
 * Where the schedule says `outlined` it is a function that is called. */
#include "backend_cuda/emit.h"
#include <stdio.h>

/* What instruction `number` of a loop is called. */
static const char *operand_name(const void *of, char buf[FSR_REF], int number) {
    const fsr_iteration *l = of;
    const fsr_inst *inst = &l->body.inst[number];
    if (inst->kind != FSR_INST_PARAM)
        snprintf(buf, FSR_REF, "t%d", number);
    else if (inst->index < l->nstate)
        snprintf(buf, FSR_REF, "s%d", inst->index);
    else if (inst->index < l->nstate + l->narg)
        snprintf(buf, FSR_REF, "a%d", inst->index - l->nstate);
    else
        snprintf(buf, FSR_REF, "k%d", inst->index - l->nstate - l->narg);
    return buf;
}

static void state_struct(fsr_emit *e, const fsr_iteration *l) {
    fsr_emit_open(e, "struct state {");
    for (int i = 0; i < l->nstate; i++)
        fsr_emit_line(e, "%s c%d;", fsr_emit_type(l->body.arg[i]), i);
    fsr_emit_line(e, "i32 c%d;", l->nstate);
    fsr_emit_leave(e);
    fsr_emit_line(e, "};");
}

static void head(fsr_emit *e, const fsr_iteration *l) {
    char text[FSR_EXPR];
    size_t n = 0;
    for (int i = 0; i < l->nstate; i++)
        n = fsr_emit_add(e, text, n, "%s%s s%d", i ? ", " : "", fsr_emit_type(l->body.arg[i]), i);
    for (int i = 0; i < l->narg; i++)
        n = fsr_emit_add(e, text, n, ", const %s a%d", fsr_emit_type(l->body.arg[l->nstate + i]), i);
    for (int i = 0; i < fsr_iteration_same(l); i++)
        n = fsr_emit_add(e, text, n, ", const %s k%d", fsr_emit_type(l->body.arg[l->nstate + l->narg + i]), i);
    for (int i = 0; i < l->body.ntables; i++) {
        n = fsr_emit_add(e, text, n, ", const %s *const __restrict__ h%d", fsr_emit_type(l->body.table[i].dtype), i);
        for (int j = 0; j < l->body.table[i].ndim; j++)
            n = fsr_emit_add(e, text, n, ", const i64 m%d_%d, const i64 w%d_%d", i, j, i, j);
    }
    fsr_emit_open(e, "static %sstate run(const i32 most, %s) {", e->s.outlined ? "__noinline__ " : "", text);
}

/* The next state is complete before the present one goes: a result may be another component of it. */
static void next_state(fsr_emit *e, const fsr_iteration *l) {
    char ref[FSR_REF];
    for (int i = 0; i < l->nstate; i++)
        fsr_emit_line(e, "const %s x%d = %s;", fsr_emit_type(l->body.arg[i]), i,
                      operand_name(l, ref, l->body.result[i]));
    for (int i = 0; i < l->nstate; i++)
        fsr_emit_line(e, "s%d = x%d;", i, i);
}

static void loop_struct(fsr_emit *e, int number) {
    const fsr_iteration *l = e->k->loop[number].program;
    const int condition = fsr_iteration_condition(l);
    char text[FSR_EXPR], ref[FSR_REF];
    size_t n = 0;
    fsr_emit_line(e, "struct loop%d {", number);
    e->depth++;
    e->turns = &e->k->loop[number];
    state_struct(e, l);
    head(e, l);
    fsr_emit_line(e, "i32 n = 0;");
    fsr_emit_line(e, "#pragma unroll 1");
    fsr_emit_open(e, "for (; n < most; n++) {");
    fsr_emit_region(e, &l->body, 0, condition + 1, operand_name, l);
    fsr_emit_line(e, "if (!%s) break;", operand_name(l, ref, condition));
    fsr_emit_region(e, &l->body, condition + 1, l->body.ninsts, operand_name, l);
    next_state(e, l);
    fsr_emit_close(e);
    for (int i = 0; i < l->nstate; i++)
        n = fsr_emit_add(e, text, n, "s%d, ", i);
    fsr_emit_line(e, "return {%sn};", text);
    e->turns = NULL;
    fsr_emit_close(e);
    fsr_emit_leave(e);
    fsr_emit_line(e, "};");
}

void fsr_emit_loop_types(fsr_emit *e) {
    for (int i = 0; i < e->k->nloops; i++)
        loop_struct(e, i);
}

/* Where there is an element, or a row, at all; NULL: everywhere. */
const char *fsr_emit_live(const fsr_emit *e, char buf[FSR_REF], int v) {
    if (e->k->stand[v].level == FSR_ONCE || e->all_there)
        return NULL;
    bool rows = e->s.kind == FSR_SCHEDULE_COL || fsr_emit_beside(e) > 1 ||
                (e->s.kind == FSR_SCHEDULE_ROW && e->s.abreast < e->s.threads);
    if (e->s.branched)
        return NULL;
    if (e->s.kind == FSR_SCHEDULE_MAP)
        return e->s.vector > 1 ? "r + v < rows" : "r < rows";
    if (e->k->stand[v].level == FSR_ROW)
        return rows ? "row < rows" : NULL;
    snprintf(buf, FSR_REF, "%s < end", fsr_emit_step_column(e));
    return buf;
}

/* ", x2 + (i64)(i32)n9, (i64)(i32)n5, 1": where a table begins, then the extent and stride of each index. Integer
 * arguments are unsigned: a stride may be negative. */
static size_t add_table(fsr_emit *e, char buf[FSR_EXPR], size_t n, const fsr_table_type *type, const fsr_taken *table) {
    const fsr_access *a = &e->k->access[table->access];
    const int offset = e->k->form[a->form].offset;
    const char *sign = e->s.wide ? "(i64)" : "(i64)(i32)";
    n = fsr_emit_add(e, buf, n, ", x%d", a->buffer);
    if (offset >= 0)
        n = fsr_emit_add(e, buf, n, " + %sn%d", sign, offset);
    for (int j = 0; j < type->ndim; j++) {
        n = fsr_emit_add(e, buf, n, ", %sn%d", sign, table->end[j]);
        if (table->stride[j])
            n = fsr_emit_add(e, buf, n, ", %sn%d", sign, table->stride[j]);
        else
            n = fsr_emit_add(e, buf, n, ", 1");
    }
    return n;
}

void fsr_emit_loop_text(fsr_emit *e, char buf[FSR_EXPR], int v) {
    int argument[FSR_MAX_ARGUMENTS], n = fsr_inst_arguments(e->k, v, argument);
    const fsr_turns *turns = &e->k->loop[e->k->inst[v].index];
    long long most = turns->program->max_n;
    char ref[FSR_REF];
    const char *live = fsr_emit_live(e, ref, v);
    size_t used = fsr_emit_add(e, buf, 0, live ? "loop%d::run(%s ? %lld : 0" : "loop%d::run(%s%lld",
                               e->k->inst[v].index, live ? live : "", most);
    for (int a = 0; a < n; a++)
        used = fsr_emit_add(e, buf, used, ", %s", fsr_emit_ref(e, ref, argument[a]));
    for (int i = 0; i < fsr_iteration_same(turns->program); i++)
        used = fsr_emit_add(e, buf, used, ", p%d", turns->same[i]);
    for (int i = 0; i < turns->program->body.ntables; i++)
        used = add_table(e, buf, used, &turns->program->body.table[i], &turns->table[i]);
    fsr_emit_add(e, buf, used, ")");
}
