/* SPDX-License-Identifier: MIT */
/* Checks the normal form (graph/graph.h) of every live node: the builders and the rewrites must keep
 * it.
 *
 * What holds of every node, and what the tables say of its kind, is checked here; graph/verify_kinds.c has the rest.
 * Each check returns NULL or what is wrong, in words; the caller adds which node. */
#include "graph/verify.h"
#include "graph/message.h"
#include "graph/shape.h"
#include <stdio.h>

/* Weak: 0-d, of the dtypes of fsr_int, fsr_float and fsr_complex, made of weak nodes only. */
static const char *check_weak(const fsr_applied *a) {
    fsr_dtype of = a->n->dtype[0];
    bool dtype = of == FSR_I64 || of == FSR_F64 || of == FSR_C128;
    if (!fsr_is(a->n->kind, FSR_MAY_BE_WEAK) || !dtype || a->n->shape.ndim)
        return "a weak node of this kind";
    for (int i = 0; i < a->n->nargs; i++)
        if (!a->arg[i]->weak)
            return "a weak node with an argument that is not";
    return NULL;
}

/* Results, dimensions, dtypes and bytes. */
static const char *check_type(const fsr_content *n) {
    if (n->nout < 1 || n->nout > FSR_MAX_OUTPUTS)
        return "number of results";
    if (n->shape.ndim < 0 || n->shape.ndim > FSR_MAX_DIMS)
        return "number of dimensions";
    for (int i = 0; i < n->nout; i++) {
        if ((unsigned)n->dtype[i] >= FSR_DTYPE_COUNT)
            return "dtype";
        if (fsr_shape_bytes(&n->shape, n->dtype[i]) < 0)
            return "size";
    }
    return NULL;
}

/* How many arguments and results the kind has, and their shapes. */
static const char *check_arity(const fsr_applied *a) {
    const int nargs = fsr_kinds[a->n->kind].nargs;
    const bool several = fsr_has(a->n->kind, FSR_FIELD_combine) || fsr_has(a->n->kind, FSR_FIELD_loop) ||
                         fsr_has(a->n->kind, FSR_FIELD_library) || fsr_has(a->n->kind, FSR_FIELD_rounds) ||
                         (fsr_is(a->n->kind, FSR_IS_ARRAY) && !a->n->name);
    if (nargs >= 0 && a->n->nargs != nargs)
        return nargs ? "arity" : "a leaf with arguments";
    if (!several && a->n->nout != 1)
        return nargs ? "arity" : "a leaf with several results";
    for (int i = 0; i < a->n->nargs; i++) {
        if (a->output[i] < 0 || a->output[i] >= a->arg[i]->nout)
            return "a result that the argument does not have";
        if (fsr_is(a->n->kind, FSR_IS_EACH) && i < fsr_own_arguments(a->n) &&
            !fsr_shape_equal(&a->arg[i]->shape, &a->n->shape))
            return "an operand of another shape";
    }
    return NULL;
}

const char *fsr_applied_check(const fsr_applied *a) {
    const char *wrong = check_type(a->n);
    if (!wrong && a->n->weak)
        wrong = check_weak(a);
    if (!wrong)
        wrong = check_arity(a);
    return wrong ? wrong : fsr_kind_check(a);
}

/* What a graph asks of its records: arguments that are there, recorded before. */
static const char *check_args(const fsr_graph *g, const fsr_rec *rec, fsr_applied *a) {
    if (rec->nargs < 0 || rec->nargs > FSR_MAX_ARGS)
        return "number of arguments";
    for (int i = 0; i < rec->nargs; i++) {
        const fsr_rec *from = rec->arg[i].id < fsr_graph_slots(g) ? fsr_graph_rec(g, rec->arg[i].id) : NULL;
        if (!from || from->kind == FSR_NODE_FREE)
            return "an argument that was dropped";
        if (from->stamp >= rec->stamp)
            return "an argument recorded later";
        if (fsr_is(from->kind, FSR_IS_POISON))
            return "a poisoned argument";
        a->arg[i] = &from->content;
        a->output[i] = (int)rec->arg[i].output;
    }
    return rec->mark ? "a mark was left" : NULL;
}

const char *fsr_rec_check(const fsr_graph *g, const fsr_rec *rec) {
    fsr_applied a = {.n = &rec->content};
    const char *wrong = check_args(g, rec, &a);
    return wrong ? wrong : fsr_applied_check(&a);
}

fsr_status fsr_graph_verify(const fsr_graph *g, char *why, size_t size) {
    for (uint32_t id = 0; id < fsr_graph_slots(g); id++) {
        const fsr_rec *rec = fsr_graph_rec(g, id);
        const char *wrong = rec->kind == FSR_NODE_FREE ? NULL : fsr_rec_check(g, rec);
        if (!wrong)
            continue;
        if (why && size)
            fsr_message_put(why, size, "node %u (%s:%d): %s", id, rec->site.file ? rec->site.file : "?", rec->site.line,
                            wrong);
        return FSR_ERR_INTERNAL;
    }
    if (why && size)
        why[0] = 0;
    return FSR_OK;
}
