/* SPDX-License-Identifier: MIT */
/* Operators of folds as C++ structs, and products of them.
 *
 * op<f> is the operator of fold f: a state, its identity and combine(left, right). Folds with equal operators share
 * one. A product puts the states of several folds side by side, so that they travel together: one shuffle sequence,
 * one exchange through shared memory, one look-back. A tile holds an item for each column: the state, or of narrow
 * folds what they take and give. */
#include "backend_cuda/emit.h"
#include <stdio.h>
#include <string.h>

/* Braces are printed with the declarations: { identity, identity }. */
static void identity_text(fsr_emit *e, const fsr_combine *c, char buf[FSR_EXPR]) {
    size_t n = 0;
    char literal[FSR_REF];
    for (int i = 0; i < c->arity; i++)
        n = fsr_emit_add(e, buf, n, "%s%s", i ? ", " : "",
                         fsr_emit_literal(literal, fsr_combine_dtype(c, i), c->identity[i]));
}

/* What instruction `number` of a fold's operator is called. */
static const char *operand_name(const void *of, char buf[FSR_REF], int number) {
    const fsr_fold *f = of;
    const fsr_combine *c = f->combine;
    const fsr_inst *inst = &c->body.inst[number];
    if (inst->kind != FSR_INST_PARAM)
        snprintf(buf, FSR_REF, "t%d", number);
    else if (inst->index < 2 * c->arity)
        snprintf(buf, FSR_REF, "%c.c%d", inst->index < c->arity ? 'a' : 'b', inst->index % c->arity);
    else
        snprintf(buf, FSR_REF, "k%d", f->same[inst->index - 2 * c->arity]);
    return buf;
}

static void operator_struct(fsr_emit *e, int fold) {
    const fsr_combine *c = e->k->fold[fold].combine;
    char text[FSR_EXPR], ref[FSR_REF];
    size_t n = 0;
    fsr_emit_line(e, "struct op%d {", fold);
    e->depth++;
    fsr_emit_open(e, "struct state {");
    for (int i = 0; i < c->arity; i++)
        fsr_emit_line(e, "%s c%d;", fsr_emit_type(fsr_combine_dtype(c, i)), i);
    fsr_emit_leave(e);
    fsr_emit_line(e, "};");
    identity_text(e, c, text);
    fsr_emit_line(e, "static state identity() { return {%s}; }", text);
    fsr_emit_open(e, "static state combine(const state &a, const state &b) {");
    fsr_emit_region(e, &c->body, 0, c->body.ninsts, operand_name, &e->k->fold[fold]);
    for (int i = 0; i < c->arity; i++)
        n = fsr_emit_add(e, text, n, "%s%s", i ? ", " : "", operand_name(&e->k->fold[fold], ref, c->body.result[i]));
    fsr_emit_line(e, "return {%s};", text);
    fsr_emit_close(e);
    fsr_emit_leave(e);
    fsr_emit_line(e, "};");
}

/* Whether operators take scalar argument `slot`. */
static bool is_shared(const fsr_kernel *k, int slot) {
    for (int f = 0; f < k->nfolds; f++)
        for (int i = 0; i < fsr_combine_same(k->fold[f].combine); i++)
            if (k->fold[f].same[i] == slot)
                return true;
    return false;
}

/* A combine that is called from the prelude has no arguments but states, so that what it takes besides lies in shared
 * memory, k<slot>. */
static void shared_scalars(fsr_emit *e) {
    for (int s = 0; s < e->k->nscalars; s++)
        if (is_shared(e->k, s))
            fsr_emit_line(e, "__shared__ %s k%d;", fsr_emit_type(e->k->scalar[s]), s);
}

void fsr_emit_share_scalars(fsr_emit *e) {
    bool any = false;
    for (int s = 0; s < e->k->nscalars; s++) {
        if (!is_shared(e->k, s))
            continue;
        fsr_emit_line(e, "if (threadIdx.x == 0) k%d = p%d;", s, s);
        any = true;
    }
    if (any)
        fsr_emit_line(e, "fsr_barrier();");
}

void fsr_emit_fold_types(fsr_emit *e) {
    shared_scalars(e);
    for (int f = 0; f < e->k->nfolds; f++) {
        e->op_of[f] = f;
        for (int other = 0; other < f && e->op_of[f] == f; other++)
            if (fsr_fold_same_operator(&e->k->fold[other], &e->k->fold[f]))
                e->op_of[f] = other;
        if (e->op_of[f] == f)
            operator_struct(e, f);
    }
}

/* "return {op0::combine(a.f0, b.f0), ...};" with the members' part given by a format of (op, fold, fold). */
static void member_line(fsr_emit *e, const fsr_fold_list *list, const char *head, const char *call) {
    char text[FSR_EXPR];
    size_t n = 0;
    for (int i = 0; i < list->n; i++) {
        int f = list->fold[i];
        n = fsr_emit_add(e, text, n, "%sop%d::%s", i ? ", " : "", e->op_of[f], call);
        if (call[0] == 'c')
            n = fsr_emit_add(e, text, n, "(a.f%d, b.f%d)", f, f);
    }
    fsr_emit_line(e, "static state %s { return {%s}; }", head, text);
}

static void pick_line(fsr_emit *e, const fsr_fold_list *list) {
    char text[FSR_EXPR];
    size_t n = 0;
    for (int i = 0; i < list->n; i++) {
        const fsr_fold *fold = &e->k->fold[list->fold[i]];
        n = fsr_emit_add(e, text, n, "%s%s.f%d", i ? ", " : "", fold->exclusive ? "before" : "after", list->fold[i]);
    }
    fsr_emit_line(e, "static state pick(const state &before, const state &after) { return {%s}; }", text);
}

bool fsr_emit_has_items(const fsr_emit *e, const fsr_fold_list *list) {
    for (int i = 0; i < list->n; i++)
        if (e->k->fold[list->fold[i]].narrow)
            return true;
    return false;
}

/* What a column holds where some of the folds are narrow. Those are added up in f32 within a vector, from its first
 * column, and in f64 from vector to vector: neighbours in a vector have one base, and a vector's last column has what
 * the next one's base has, so a sum of terms that are not negative steps back by two units at most. */
static void item_lines(fsr_emit *e, const fsr_fold_list *list) {
    char wide[FSR_EXPR] = "", join[FSR_EXPR] = "", follow[FSR_EXPR] = "", result[FSR_EXPR] = "";
    fsr_emit_open(e, "struct item {");
    for (int i = 0; i < list->n; i++) {
        const int f = list->fold[i], op = e->op_of[f];
        const bool exclusive = e->k->fold[f].exclusive;
        const char *comma = i ? ", " : "";
        if (e->k->fold[f].narrow) {
            fsr_emit_line(e, "fsr_single f%d;", f);
            fsr_emit_add(e, wide, strlen(wide), "%s{x.f%d.c0}", comma, f);
            fsr_emit_add(e, join, strlen(join), "x.f%d.c0 = left.f%d.c0 + x.f%d.c0; ", f, f, f);
            fsr_emit_add(e, follow, strlen(follow), "%s{x.f%d.c0}", comma, f);
            fsr_emit_add(e, result, strlen(result), "%s{fsr_settle(base.f%d.c0, %s.f%d.c0)}", comma, f,
                         exclusive ? "left" : "x", f);
        } else {
            fsr_emit_line(e, "op%d::state f%d;", op, f);
            fsr_emit_add(e, wide, strlen(wide), "%sx.f%d", comma, f);
            fsr_emit_add(e, follow, strlen(follow), "%sop%d::combine(run.f%d, x.f%d)", comma, op, f, f);
            fsr_emit_add(e, result, strlen(result), "%s%s.f%d", comma, exclusive ? "before" : "after", f);
        }
    }
    fsr_emit_leave(e);
    fsr_emit_line(e, "};");
    fsr_emit_line(e, "static state widen(const item &x) { return {%s}; }", wide);
    fsr_emit_line(e, "static void join(const item &left, item &x) { %s}", join);
    fsr_emit_line(e, "static state follow(const state &run, const item &x) { return {%s}; }", follow);
    fsr_emit_line(e,
                  "static item result(const state &base, const state &before, const state &after, const item &left, "
                  "const item &x) { return {%s}; }",
                  result);
}

void fsr_emit_product(fsr_emit *e, const char *name, const fsr_fold_list *list) {
    if (list->n == 0)
        return;
    fsr_emit_line(e, "struct %s {", name);
    e->depth++;
    fsr_emit_open(e, "struct state {");
    for (int i = 0; i < list->n; i++)
        fsr_emit_line(e, "op%d::state f%d;", e->op_of[list->fold[i]], list->fold[i]);
    fsr_emit_leave(e);
    fsr_emit_line(e, "};");
    member_line(e, list, "identity()", "identity()");
    member_line(e, list, "combine(const state &a, const state &b)", "combine");
    pick_line(e, list);
    if (fsr_emit_has_items(e, list))
        item_lines(e, list);
    fsr_emit_leave(e);
    fsr_emit_line(e, "};");
}

void fsr_emit_input(fsr_emit *e, char buf[FSR_EXPR], int fold) {
    const fsr_fold *f = &e->k->fold[fold];
    char ref[FSR_REF];
    size_t n = fsr_emit_add(e, buf, 0, "op%d::state{", e->op_of[fold]);
    for (int i = 0; i < f->combine->arity; i++)
        n = fsr_emit_add(e, buf, n, "%s%s", i ? ", " : "", fsr_emit_ref(e, ref, f->input[i]));
    fsr_emit_add(e, buf, n, "}");
}

void fsr_emit_item(fsr_emit *e, char buf[FSR_EXPR], char identity[FSR_EXPR], int fold) {
    char ref[FSR_REF];
    fsr_emit_add(e, identity, 0, "op%d::identity()", e->op_of[fold]);
    if (!e->k->fold[fold].narrow) {
        fsr_emit_input(e, buf, fold);
        return;
    }
    fsr_emit_add(e, buf, 0, "fsr_single{%s}", fsr_emit_ref(e, ref, e->k->fold[fold].input[0]));
    fsr_emit_add(e, identity, 0, "fsr_single{(f32)op%d::identity().c0}", e->op_of[fold]);
}

/* ---- of a tile ------------------------------------------------------------------------------- */

/* Of tiles that take turns each has accumulators of its own, which begin with nothing, so that what they count is
 * known: these meet, and join what came before. */
static const char *accumulators(const fsr_emit *e) {
    return e->s.counts && !e->s.persistent ? "here" : "acc";
}

static void fold_element(fsr_emit *e, int f, const char *input) {
    char there[FSR_EXPR] = "";
    if (!e->all_there)
        fsr_emit_add(e, there, 0, "if (%s < end) ", fsr_emit_step_column(e));
    fsr_emit_line(e, "%s%s%d[i %% %d].f%d = op%d::combine(%s%d[i %% %d].f%d, %s);", there, accumulators(e), e->pass,
                  e->s.accumulators, f, e->op_of[f], accumulators(e), e->pass, e->s.accumulators, f, input);
}

void fsr_emit_stage_folds(fsr_emit *e, int stage) {
    char input[FSR_EXPR], identity[FSR_EXPR];
    for (int i = 0; i < e->tile.n; i++) {
        const fsr_inst *inst = &e->k->inst[e->tile.loop[i]];
        if (inst->kind != FSR_INST_COMBINE || e->tile.stage[e->tile.loop[i]] != stage)
            continue;
        const int f = inst->index;
        const fsr_fold *fold = &e->k->fold[f];
        if ((e->s.riding && fold->kind == FSR_FOLD_REDUCE) ||
            (fsr_fold_is_ordered(fold) && fsr_emit_pool_counts(e, stage)))
            continue;
        fsr_emit_item(e, input, identity, f);
        if (fsr_emit_pool_count(e, input, f))
            fsr_emit_line(e, "t%d[i].f%d = %s;", stage, f, input);
        else if (fsr_fold_is_ordered(fold))
            fsr_emit_line(e, "t%d[i].f%d = %s < end ? %s : %s;", stage, f, fsr_emit_step_column(e), input, identity);
        else
            fold_element(e, f, input);
    }
}

bool fsr_emit_reduces(const fsr_emit *e, int stage) {
    bool any = false;
    for (int i = 0; i < e->tile.n; i++) {
        const fsr_inst *inst = &e->k->inst[e->tile.loop[i]];
        any = any || (inst->kind == FSR_INST_COMBINE && e->tile.stage[e->tile.loop[i]] == stage &&
                      !fsr_fold_is_ordered(&e->k->fold[inst->index]));
    }
    return any;
}
