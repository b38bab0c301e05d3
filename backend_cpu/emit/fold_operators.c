/* SPDX-License-Identifier: MIT */
/* The operators of reductions and scans in generated C: a function for each that differs, its left state by address;
 * where whole chunks meet one that is not put in place; and the same in f64 for scans that carry a wider state. */
#include "backend_cpu/emit/parts.h"
#include <stdio.h>

/* The left state by address, the right one and what is the same everywhere by value. */
static void put_parameters(fsr_text *t, const fsr_combine *c) {
    for (int i = 0; i < c->arity; i++)
        fsr_text_add(t, "%s *p%d, ", fsr_c_type(fsr_combine_dtype(c, i)), i);
    for (int i = 0; i < c->arity; i++)
        fsr_text_add(t, "%sconst %s r%d", i ? ", " : "", fsr_c_type(fsr_combine_dtype(c, i)), i);
    for (int i = 0; i < fsr_combine_same(c); i++)
        fsr_text_add(t, ", const %s k%d", fsr_c_type(c->body.arg[2 * c->arity + i]), i);
}

static void put_operator_head(fsr_c_emit *e, const fsr_combine *c, const char *name, int fold) {
    fsr_text *t = &e->folds;
    fsr_text_add(t, "/* left = left (+) right */\nstatic inline void %s%d(", name, fold);
    put_parameters(t, c);
    fsr_text_add(t, ") {\n");
    for (int i = 0; i < c->arity; i++)
        fsr_text_add(t, "    const %s l%d = *p%d;\n", fsr_c_type(fsr_combine_dtype(c, i)), i, i);
}

/* What instruction `number` of an operator is called. */
static const char *operand_name(const void *of, int number, char *out) {
    const fsr_combine *c = of;
    const fsr_inst *inst = &c->body.inst[number];
    if (inst->kind != FSR_INST_PARAM)
        snprintf(out, FSR_EMIT_NAME, "t%d", number);
    else if (inst->index < 2 * c->arity)
        snprintf(out, FSR_EMIT_NAME, "%c%d", inst->index < c->arity ? 'l' : 'r', inst->index % c->arity);
    else
        snprintf(out, FSR_EMIT_NAME, "k%d", inst->index - 2 * c->arity);
    return out;
}

bool fsr_c_has_join(const fsr_c_emit *e, int fold) {
    return e->s->joined >> fold & 1;
}

static void put_join(fsr_c_emit *e, int fold) {
    const fsr_combine *c = e->k->fold[fold].combine;
    fsr_text *t = &e->folds;
    fsr_text_add(t, "static __attribute__((noinline)) void join%d(", fold);
    put_parameters(t, c);
    fsr_text_add(t, ") {\n    fold%d(", fold);
    for (int i = 0; i < c->arity; i++)
        fsr_text_add(t, "p%d, ", i);
    for (int i = 0; i < c->arity; i++)
        fsr_text_add(t, "%sr%d", i ? ", " : "", i);
    for (int i = 0; i < fsr_combine_same(c); i++)
        fsr_text_add(t, ", k%d", i);
    fsr_text_add(t, ");\n}\n\n");
}

static void put_operator(fsr_c_emit *e, const fsr_combine *c, const char *function, int fold) {
    char name[FSR_EMIT_NAME];
    put_operator_head(e, c, function, fold);
    fsr_c_region(e, &c->body, 0, c->body.ninsts, "    ", operand_name, c);
    for (int i = 0; i < c->arity; i++)
        fsr_text_add(&e->folds, "    *p%d = %s;\n", i, operand_name(c, c->body.result[i], name));
    fsr_text_add(&e->folds, "}\n\n");
}

/* The operator in f64, once for all folds that share it. */
static void put_wide_operators(fsr_c_emit *e) {
    for (int f = 0; f < e->k->nfolds; f++) {
        bool first = fsr_c_carries_wide(e, f);
        for (int g = 0; g < f; g++)
            first = first && !(fsr_c_carries_wide(e, g) && e->shared[g] == e->shared[f]);
        if (!first)
            continue;
        fsr_combine *wide = fsr_combine_builtin(e->k->fold[f].combine->op, FSR_F64);
        e->folds.failed |= !wide;
        if (wide)
            put_operator(e, wide, "wide", e->shared[f]);
        fsr_combine_free(wide);
    }
}

void fsr_c_operators(fsr_c_emit *e) {
    const fsr_kernel *k = e->k;
    for (int f = 0; f < k->nfolds; f++) {
        const fsr_combine *c = k->fold[f].combine;
        e->shared[f] = f;
        for (int g = f - 1; g >= 0; g--)
            if (fsr_fold_same_operator(&k->fold[f], &k->fold[g]))
                e->shared[f] = e->shared[g];
        if (e->shared[f] != f)
            continue;
        put_operator(e, c, "fold", f);
        if (fsr_c_has_join(e, f))
            put_join(e, f);
    }
    put_wide_operators(e);
}
