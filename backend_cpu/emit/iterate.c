/* SPDX-License-Identifier: MIT */
/* Loops for each element in generated C.
 *
 * Lanes. Elements go in batches of lanes, so that the compiler makes vectors of them: every turn evaluates condition
 * and body for all lanes of a batch, and a lane that has ended keeps its state. The batch ends when no lane goes on.
 * What tells lanes that go on is as wide as what they compute; an index of 32 bits is taken at as one.
 * Counter-example to one element after the other: a loop whose count depends on the element is no vector code, and
 * waits in each turn for the one before; the lanes of a batch do not wait for each other.
 * Where a kernel has one element, it goes alone. Functions that are vector code up to a limit alone (math.h) are asked
 * for first, and a turn in which a lane was beyond one is evaluated again; counter-example to one function good for
 * all: sin, cos and exp of a turn took 10 ns an element, and 2.7 as kernels.
 * An element's bits do not depend on its neighbours, for what an ended lane would become is never looked at.
 *
 * Strips. The batches' values lie in arrays: the columns (the rows of a map) run in strips (scan.c), and what a
 * loop begins with is put into arrays over the strip, except what is the same for all of it; its function replaces
 * them by the results, where they lie, and the number of turns is there if somebody asks for it. What is evaluated once
 * a row calls the loop for one element. */
#include "backend_cpu/emit/parts.h"
#include <stdio.h>
#include <string.h>

static const fsr_iteration *program_of(const fsr_c_emit *e, int number) {
    return e->k->loop[e->k->inst[number].index].program;
}

/* Input i of ITERATE `number` is an array over the strip: the state always, the others where they differ. */
static bool is_array(const fsr_c_emit *e, int number, int i) {
    int input = e->k->loop[e->k->inst[number].index].input[i];
    if (!fsr_inst_is_element(e->k, number))
        return false;
    return i < program_of(e, number)->nstate || (fsr_inst_is_element(e->k, input) && !fsr_c_invariant(e->k, input));
}

/* Somebody asks how often the state of ITERATE `number` was replaced. */
static bool counts(const fsr_c_emit *e, int number) {
    for (int i = number + 1; i < e->k->ninsts; i++)
        if (fsr_picks_loop(e->k, &e->k->inst[i]) && e->k->inst[i].arg[0] == number &&
            e->k->inst[i].component == program_of(e, number)->nstate)
            return true;
    return false;
}

/* ---- the loop's function ----------------------------------------------------------------------------- */

/* What instruction `number` of a loop is called. */
static const char *operand_name(const void *of, int number, char *out) {
    const fsr_iteration *l = of;
    const fsr_inst *inst = &l->body.inst[number];
    if (inst->kind != FSR_INST_PARAM)
        snprintf(out, FSR_EMIT_NAME, "t%d", number);
    else if (inst->index < l->nstate)
        snprintf(out, FSR_EMIT_NAME, "s%d", inst->index);
    else if (inst->index < l->nstate + l->narg)
        snprintf(out, FSR_EMIT_NAME, "a%d", inst->index - l->nstate);
    else
        snprintf(out, FSR_EMIT_NAME, "k%d", inst->index - l->nstate - l->narg);
    return out;
}

static void put_insts(fsr_c_emit *e, const fsr_iteration *l, int from, int to, const char *margin) {
    fsr_c_region(e, &l->body, from, to, margin, operand_name, l);
}

/* Pointers to the state and the count, then the arguments. In a map of elements they are arrays. */
static void put_head(fsr_c_emit *e, int number) {
    const fsr_iteration *l = program_of(e, number);
    bool lanes = fsr_inst_is_element(e->k, number);
    fsr_text *t = &e->folds;
    fsr_text_add(t, "static void loop%d(%s", number, lanes ? "const i64 m, " : "");
    for (int i = 0; i < l->nstate; i++)
        fsr_text_add(t, "%s%s *restrict p%d", i ? ", " : "", fsr_c_type(l->body.arg[i]), i);
    if (counts(e, number))
        fsr_text_add(t, ", i32 *restrict count");
    for (int i = 0; i < l->narg; i++) {
        bool array = is_array(e, number, l->nstate + i);
        fsr_text_add(t, ", %s%s %s%d", array ? "" : "const ", fsr_c_type(l->body.arg[l->nstate + i]),
                     array ? "*restrict q" : "a", i);
    }
    for (int i = 0; i < fsr_iteration_same(l); i++)
        fsr_text_add(t, ", const %s k%d", fsr_c_type(l->body.arg[l->nstate + l->narg + i]), i);
    for (int i = 0; i < l->body.ntables; i++) {
        fsr_text_add(t, ", const %s *restrict h%d", fsr_c_storage(l->body.table[i].dtype), i);
        for (int j = 0; j < l->body.table[i].ndim; j++)
            fsr_text_add(t, ", const i64 m%d_%d, const i64 w%d_%d", i, j, i, j);
    }
    fsr_text_add(t, ") {\n");
}

/* One element after the other, its state in registers. */
static void put_one(fsr_c_emit *e, int number) {
    const fsr_iteration *l = program_of(e, number);
    fsr_text *t = &e->folds;
    const bool element = fsr_inst_is_element(e->k, number);
    char name[FSR_EMIT_NAME];
    put_head(e, number);
    fsr_text_add(t, "    for (i64 at = 0; at < %s; ++at) {\n", element ? "m" : "1");
    for (int i = 0; i < l->narg; i++)
        if (is_array(e, number, l->nstate + i))
            fsr_text_add(t, "        const %s a%d = q%d[at];\n", fsr_c_type(l->body.arg[l->nstate + i]), i, i);
    for (int i = 0; i < l->nstate; i++)
        fsr_text_add(t, "        %s x%d = p%d[at];\n", fsr_c_type(l->body.arg[i]), i, i);
    fsr_text_add(t, "        i32 n = 0;\n        for (; n < %lld; ++n) {\n", (long long)l->max_n);
    for (int i = 0; i < l->nstate; i++)
        fsr_text_add(t, "            const %s s%d = x%d;\n", fsr_c_type(l->body.arg[i]), i, i);
    put_insts(e, l, 0, fsr_iteration_condition(l) + 1, "            ");
    fsr_text_add(t, "            if (!%s) break;\n", operand_name(l, fsr_iteration_condition(l), name));
    put_insts(e, l, fsr_iteration_condition(l) + 1, l->body.ninsts, "            ");
    for (int i = 0; i < l->nstate; i++)
        fsr_text_add(t, "            x%d = %s;\n", i, operand_name(l, l->body.result[i], name));
    fsr_text_add(t, "        }\n");
    for (int i = 0; i < l->nstate; i++)
        fsr_text_add(t, "        p%d[at] = x%d;\n", i, i);
    fsr_text_add(t, "%s    }\n}\n\n", counts(e, number) ? "        count[at] = n;\n" : "");
}

/* Lanes of the last batch beyond the strip's end have its last element, and never run. */
static void put_padding(fsr_c_emit *e, int number, int lanes) {
    const fsr_iteration *l = program_of(e, number);
    fsr_text *t = &e->folds;
    fsr_text_add(t, "    for (i64 c = m; c %% %d; ++c) {\n", lanes);
    for (int i = 0; i < l->nstate; i++)
        fsr_text_add(t, "        p%d[c] = p%d[m - 1];\n", i, i);
    for (int i = 0; i < l->narg; i++)
        if (is_array(e, number, l->nstate + i))
            fsr_text_add(t, "        q%d[c] = q%d[m - 1];\n", i, i);
    fsr_text_add(t, "    }\n");
}

static void put_batch_begin(fsr_c_emit *e, int number, int lanes, const char *mask) {
    fsr_text *t = &e->folds;
    fsr_text_add(t, "    for (i64 at = 0; at < m; at += %d) {\n", lanes);
    fsr_text_add(t, "        const %s left = m - at < %d ? (%s)(m - at) : %d;\n", mask, lanes, mask, lanes);
    fsr_text_add(t, "        %s go[%d], any = 0;\n", mask, lanes);
    fsr_text_add(t, "        for (%s l = 0; l < %d; ++l) {\n            go[l] = l < left ? -1 : 0;\n", mask, lanes);
    if (counts(e, number))
        fsr_text_add(t, "            count[at + l] = 0;\n");
    fsr_text_add(t, "        }\n");
}

/* Opens a loop over lanes: what they read, and instructions below `to`. state: how element l of state i is called, but
 * for i. */
static void put_lane(fsr_c_emit *e, int number, int lanes, int to, const char *margin, const char *const state[2]) {
    const fsr_iteration *l = program_of(e, number);
    fsr_text *t = &e->folds;
    char inner[FSR_EMIT_NAME];
    snprintf(inner, sizeof inner, "%s    ", margin);
    fsr_text_add(t, "#pragma GCC ivdep\n%sfor (i64 l = 0; l < %d; ++l) {\n", margin, lanes);
    for (int i = 0; i < l->nstate; i++)
        fsr_text_add(t, "%sconst %s s%d = %s%d%s;\n", inner, fsr_c_type(l->body.arg[i]), i, state[0], i, state[1]);
    for (int i = 0; i < l->narg; i++)
        if (is_array(e, number, l->nstate + i))
            fsr_text_add(t, "%sconst %s a%d = q%d[at + l];\n", inner, fsr_c_type(l->body.arg[l->nstate + i]), i, i);
    put_insts(e, l, 0, to, inner);
}

/* Whether any lane begins at all: what a turn loads for nobody may be most of the work, where most elements have no
 * turns. */
static void put_asked(fsr_c_emit *e, int number, int lanes) {
    const fsr_iteration *l = program_of(e, number);
    char name[FSR_EMIT_NAME];
    put_lane(e, number, lanes, fsr_iteration_condition(l) + 1, "        ", (const char *const[]){"p", "[at + l]"});
    fsr_text_add(&e->folds, "            any |= %s ? go[l] : 0;\n        }\n        if (!any) continue;\n",
                 operand_name(l, fsr_iteration_condition(l), name));
}

/* The batch's state and counts into arrays of its own, or, once it is done, back: what a compiler may keep in registers
 * for all turns. */
static void put_own(fsr_c_emit *e, int number, int lanes, bool back) {
    const fsr_iteration *l = program_of(e, number);
    fsr_text *t = &e->folds;
    for (int i = 0; i < l->nstate && !back; i++)
        fsr_text_add(t, "        %s x%d[%d];\n", fsr_c_type(l->body.arg[i]), i, lanes);
    if (counts(e, number) && !back)
        fsr_text_add(t, "        i32 n[%d];\n", lanes);
    fsr_text_add(t, "        for (i64 l = 0; l < %d; ++l) {\n", lanes);
    for (int i = 0; i < l->nstate; i++)
        fsr_text_add(t, back ? "            p%d[at + l] = x%d[l];\n" : "            x%d[l] = p%d[at + l];\n", i, i);
    if (counts(e, number))
        fsr_text_add(t, back ? "            count[at + l] = n[l];\n" : "            n[l] = 0;\n");
    fsr_text_add(t, "        }\n");
}

static bool is_limited(const fsr_iteration *l) {
    bool limited = false;
    for (int i = 0; i < l->body.ninsts; i++)
        limited = limited || fsr_inst_is_limited(&l->body.inst[i]);
    return limited;
}

/* far |= whether an argument of a lane that goes on is beyond its function's limit. */
static void put_far(fsr_c_emit *e, const fsr_iteration *l) {
    char name[2][FSR_EMIT_NAME];
    for (int i = 0; i < l->body.ninsts; i++) {
        const fsr_inst *inst = &l->body.inst[i];
        const char *limit = fsr_inst_is_limited(inst) ? fsr_c_op_limit(inst->op, inst->compute) : NULL;
        if (!limit)
            continue;
        fsr_text_add(&e->folds, "                far |= (i32)go[l] & (");
        fsr_c_put_far(&e->folds, inst, limit, operand_name(l, inst->arg[0], name[0]),
                      fsr_op_get(inst->op)->arity == 1 ? "" : operand_name(l, inst->arg[1], name[1]));
        fsr_text_add(&e->folds, ");\n");
    }
}

/* One evaluation of all lanes, into y; `go` of the next turn into z. */
static void put_ahead(fsr_c_emit *e, int number, int lanes, bool near) {
    const fsr_iteration *l = program_of(e, number);
    fsr_text *t = &e->folds;
    char name[FSR_EMIT_NAME];
    e->near = near;
    put_lane(e, number, lanes, l->body.ninsts, "            ", (const char *const[]){"x", "[l]"});
    e->near = false;
    if (near)
        put_far(e, l);
    fsr_text_add(t, "                z[l] = %s ? go[l] : 0;\n", operand_name(l, fsr_iteration_condition(l), name));
    for (int i = 0; i < l->nstate; i++)
        fsr_text_add(t, "                y%d[l] = z[l] ? %s : s%d;\n", i, operand_name(l, l->body.result[i], name), i);
    fsr_text_add(t, "            }\n");
}

/* A turn with functions that have limits: by those that are good up to them, and again by the others if a lane was
 * beyond one. */
static void put_turn_twice(fsr_c_emit *e, int number, int lanes) {
    const fsr_iteration *l = program_of(e, number);
    fsr_text *t = &e->folds;
    fsr_text_add(t, "            i32 far = 0;\n");
    put_ahead(e, number, lanes, true);
    fsr_text_add(t, "            if (far) {\n");
    put_ahead(e, number, lanes, false);
    fsr_text_add(t, "            }\n            for (i64 l = 0; l < %d; ++l) {\n", lanes);
    for (int i = 0; i < l->nstate; i++)
        fsr_text_add(t, "                x%d[l] = y%d[l];\n", i, i);
    if (counts(e, number))
        fsr_text_add(t, "                n[l] -= (i32)z[l];\n");
    fsr_text_add(t, "                go[l] = z[l];\n                any |= z[l];\n            }\n");
}

static void put_turn_once(fsr_c_emit *e, int number, int lanes, const char *mask) {
    const fsr_iteration *l = program_of(e, number);
    fsr_text *t = &e->folds;
    char name[FSR_EMIT_NAME];
    put_lane(e, number, lanes, l->body.ninsts, "            ", (const char *const[]){"x", "[l]"});
    fsr_text_add(t, "                const %s g = %s ? go[l] : 0;\n", mask,
                 operand_name(l, fsr_iteration_condition(l), name));
    for (int i = 0; i < l->nstate; i++)
        fsr_text_add(t, "                x%d[l] = g ? %s : s%d;\n", i, operand_name(l, l->body.result[i], name), i);
    if (counts(e, number))
        fsr_text_add(t, "                n[l] -= (i32)g;\n");
    fsr_text_add(t, "                go[l] = g;\n                any |= g;\n            }\n");
}

/* `go` is all ones where a lane goes on. */
static void put_turns(fsr_c_emit *e, int number, int lanes, const char *mask) {
    const fsr_iteration *l = program_of(e, number);
    fsr_text *t = &e->folds;
    const bool twice = is_limited(l);
    for (int i = 0; i < l->nstate && twice; i++)
        fsr_text_add(t, "        %s y%d[%d];\n", fsr_c_type(l->body.arg[i]), i, lanes);
    if (twice)
        fsr_text_add(t, "        %s z[%d];\n", mask, lanes);
    fsr_text_add(t, "        for (i64 i = 0; any && i < %lld; ++i) {\n            any = 0;\n", (long long)l->max_n);
    if (twice)
        put_turn_twice(e, number, lanes);
    else
        put_turn_once(e, number, lanes, mask);
    fsr_text_add(t, "        }\n");
}

/* As wide as the widest number of the region, but for indices that are made wider to be taken at. */
static const char *lane_mask(const fsr_iteration *l) {
    for (int i = 0; i < l->body.ninsts; i++)
        if (fsr_dtype_size(fsr_dtype_real(l->body.inst[i].dtype)) > 4 && !fsr_inst_widens(&l->body.inst[i]))
            return "i64";
    return "i32";
}

static void put_lanes(fsr_c_emit *e, int number) {
    const int lanes = e->s->turns[e->k->inst[number].index];
    const char *mask = lane_mask(program_of(e, number));
    put_head(e, number);
    put_padding(e, number, lanes);
    put_batch_begin(e, number, lanes, mask);
    put_asked(e, number, lanes);
    put_own(e, number, lanes, false);
    put_turns(e, number, lanes, mask);
    put_own(e, number, lanes, true);
    fsr_text_add(&e->folds, "    }\n}\n\n");
}

void fsr_c_loops(fsr_c_emit *e) {
    for (int i = 0; i < e->k->ninsts; i++) {
        if (e->k->inst[i].kind != FSR_INST_ITERATE)
            continue;
        if (fsr_inst_is_element(e->k, i) && e->s->turns[e->k->inst[i].index] > 1)
            put_lanes(e, i);
        else
            put_one(e, i);
    }
}

/* ---- where it runs ------------------------------------------------------------------------------------ */

/* "b7_0": result 0 of ITERATE 7, before it runs its first value; the count is the last. */
static const char *place_name(int number, int i, char *out) {
    snprintf(out, FSR_EMIT_NAME, "b%d_%d", number, i);
    return out;
}

void fsr_c_loop_arrays(fsr_c_emit *e, int number) {
    const fsr_iteration *l = program_of(e, number);
    const int lanes = e->s->turns[e->k->inst[number].index], room = (e->s->strip + lanes - 1) / lanes * lanes;
    for (int i = 0; i < l->nstate + counts(e, number); i++)
        fsr_c_line(e, "%s b%d_%d[%d];", fsr_c_type(fsr_iteration_dtype(l, i)), number, i, room);
    for (int i = 0; i < l->narg; i++)
        if (is_array(e, number, l->nstate + i))
            fsr_c_line(e, "%s e%d_%d[%d];", fsr_c_type(l->body.arg[l->nstate + i]), number, i, room);
}

/* ", x2 + n9, n5, n6, n7, 1": where a table begins, then the extent and stride of each index. */
static void put_table(fsr_c_emit *e, fsr_text *to, const fsr_table_type *type, const fsr_taken *table) {
    const fsr_access *a = &e->k->access[table->access];
    const int offset = e->k->form[a->form].offset;
    char name[FSR_EMIT_NAME];
    fsr_text_add(to, ", x%d", a->buffer);
    if (offset >= 0)
        fsr_text_add(to, " + %s", fsr_c_integer(e, offset, name));
    for (int j = 0; j < type->ndim; j++) {
        fsr_text_add(to, ", %s", fsr_c_integer(e, table->end[j], name));
        fsr_text_add(to, ", %s", table->stride[j] ? fsr_c_integer(e, table->stride[j], name) : "1");
    }
}

static void put_call(fsr_c_emit *e, int number, const char *mark) {
    const fsr_iteration *l = program_of(e, number);
    const int *input = e->k->loop[e->k->inst[number].index].input;
    char name[FSR_EMIT_NAME];
    fsr_text t = {0};
    for (int i = 0; i < l->nstate + counts(e, number); i++)
        fsr_text_add(&t, "%s%s%s", i ? ", " : "", mark, place_name(number, i, name));
    for (int i = 0; i < l->narg; i++) {
        if (is_array(e, number, l->nstate + i))
            fsr_text_add(&t, ", e%d_%d", number, i);
        else
            fsr_text_add(&t, ", %s", fsr_c_value_name(e, input[l->nstate + i], name));
    }
    for (int i = 0; i < fsr_iteration_same(l); i++)
        fsr_text_add(&t, ", p%d", e->k->loop[e->k->inst[number].index].same[i]);
    for (int i = 0; i < l->body.ntables; i++)
        put_table(e, &t, &l->body.table[i], &e->k->loop[e->k->inst[number].index].table[i]);
    fsr_c_line(e, "loop%d(%s%s);", number, fsr_inst_is_element(e->k, number) ? "m, " : "", t.data ? t.data : "");
    e->body.failed |= t.failed;
    fsr_text_free(&t);
}

void fsr_c_loop_call(fsr_c_emit *e, int number) {
    put_call(e, number, "");
}

void fsr_c_loop_begin(fsr_c_emit *e, int number) {
    const fsr_iteration *l = program_of(e, number);
    const int *input = e->k->loop[e->k->inst[number].index].input;
    bool element = fsr_inst_is_element(e->k, number);
    char name[FSR_EMIT_NAME];
    for (int i = 0; i < l->nstate; i++)
        fsr_c_line(e, "%s%sb%d_%d%s = %s;", element ? "" : fsr_c_type(l->body.arg[i]), element ? "" : " ", number, i,
                   element ? "[l]" : "", fsr_c_value_name(e, input[i], name));
    for (int i = 0; i < l->narg; i++)
        if (is_array(e, number, l->nstate + i))
            fsr_c_line(e, "e%d_%d[l] = %s;", number, i, fsr_c_value_name(e, input[l->nstate + i], name));
    if (element)
        return;
    if (counts(e, number))
        fsr_c_line(e, "i32 b%d_%d;", number, l->nstate);
    put_call(e, number, "&");
}
