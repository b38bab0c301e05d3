/* SPDX-License-Identifier: MIT */
/* Loops over arrays; see rounds.h. */
#include "graph/rounds.h"
#include "graph/pairs.h"
#include "graph/print.h"
#include "graph/shape.h"
#include "graph/verify.h"
#include <stdlib.h>

fsr_rounds *fsr_rounds_new(const fsr_graph *of) {
    fsr_rounds *t = calloc(1, sizeof *t);
    fsr_graph *body = t ? fsr_graph_create_inner(of) : NULL;
    if (!body) {
        free(t);
        return NULL;
    }
    t->refs = 1;
    t->body = body;
    return t;
}

fsr_rounds *fsr_rounds_ref(fsr_rounds *t) {
    ++t->refs;
    return t;
}

void fsr_rounds_unref(fsr_rounds *t) {
    if (!t || --t->refs > 0)
        return;
    fsr_graph_destroy_inner(t->body);
    free(t->bytes);
    free(t);
}

/* A node of the body: what it holds, its arguments and, of a size, its value. */
static void put_node(fsr_bytes *b, const fsr_graph *g, const fsr_rec *rec) {
    fsr_content_put(b, &rec->content, rec->nargs ? fsr_graph_rec(g, rec->arg[0].id)->shape.ndim : 0);
    fsr_bytes_put(b, rec->arg, sizeof rec->arg[0] * (size_t)rec->nargs);
    if (fsr_is(rec->kind, FSR_IS_ARGUMENT))
        fsr_bytes_put(b, &rec->value, sizeof rec->value);
}

bool fsr_rounds_sign(fsr_rounds *t) {
    fsr_bytes b = {0};
    const int head[] = {t->form.nstate,   t->form.nsliced, t->nsame,
                        t->form.nstacked, t->form.reverse, t->form.conditional};
    fsr_bytes_put(&b, head, sizeof head);
    fsr_bytes_put(&b, &t->form.count, sizeof t->form.count);
    fsr_bytes_put(&b, t->node, sizeof t->node);
    fsr_bytes_put(&b, &t->number, sizeof t->number);
    fsr_bytes_put(&b, t->result, sizeof t->result);
    fsr_bytes_put(&b, &t->first, sizeof t->first);
    fsr_bytes_put(&b, &t->again, sizeof t->again);
    for (uint32_t id = 1; id < fsr_graph_slots(t->body); id++)
        put_node(&b, t->body, fsr_graph_rec(t->body, id));
    for (int i = 0; i < fsr_pair_count(t->body); i++) {
        const fsr_pair *pair = fsr_pair_at(t->body, i);
        if (pair)
            fsr_bytes_put(&b, pair->id, sizeof pair->id);
        if (pair)
            fsr_bytes_put(&b, &pair->hint, sizeof pair->hint);
    }
    if (b.failed) {
        free(b.data);
        return false;
    }
    t->bytes = b.data;
    t->size = b.size;
    return true;
}

bool fsr_rounds_equal(const fsr_rounds *a, const fsr_rounds *b) {
    return a == b || (a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0);
}

int64_t fsr_rounds_counted(fsr_dtype dtype, fsr_value value) {
    const int64_t n = fsr_value_cast(FSR_I64, dtype, value).i64;
    return n > 0 ? n : fsr_dtype_is_unsigned(dtype) && n < 0 ? INT64_MAX : 0;
}

bool fsr_rounds_scalar(const fsr_rounds *t, int k) {
    return k < fsr_rounds_operands(t) && fsr_is(fsr_graph_rec(t->body, t->node[k])->kind, FSR_IS_ARGUMENT);
}

fsr_type fsr_rounds_result(const fsr_rounds *t, int i) {
    const fsr_rec *rec = fsr_graph_rec(t->body, t->result[i].id);
    fsr_type type = {rec->shape, 1, {rec->dtype[t->result[i].output]}};
    if (i < t->form.nstate)
        return type;
    if (type.shape.ndim < FSR_MAX_DIMS) {
        memmove(type.shape.dim + 1, type.shape.dim, sizeof type.shape.dim[0] * (size_t)type.shape.ndim);
        type.shape.dim[0] = t->form.count;
    }
    ++type.shape.ndim; /* more than FSR_MAX_DIMS is refused by who asks */
    return type;
}

char *fsr_rounds_text(const fsr_rounds *t) {
    fsr_ref outs[FSR_MAX_OUTPUTS + 1];
    const int n = t->form.nstate + t->form.nstacked;
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    memcpy(outs, t->result, sizeof *outs * (size_t)n);
    outs[n] = t->first;
    fsr_status status = to ? fsr_graph_print(t->body, outs, n + t->form.conditional, to) : FSR_ERR_MEMORY;
    if (to && (fclose(to) != 0 || status)) {
        free(text);
        return NULL;
    }
    return text;
}

/* ---- the normal form ----------------------------------------------------------------------------------------- */

/* Argument k has the type that the body's node for it has; a sliced one besides has as many slices as there are
 * turns. */
static const char *check_operand(const fsr_applied *a, const fsr_rounds *t, int k) {
    const fsr_rec *rec = fsr_graph_rec(t->body, t->node[k]);
    fsr_shape shape = a->arg[k]->shape;
    const bool sliced = k >= t->form.nstate && k < t->form.nstate + t->form.nsliced;
    if (fsr_applied_dtype(a, k) != rec->dtype[0])
        return "an argument of another dtype";
    if (sliced && (shape.ndim == 0 || shape.dim[0] != t->form.count))
        return "an argument without a slice for each turn";
    if (sliced) {
        --shape.ndim;
        memmove(shape.dim, shape.dim + 1, sizeof shape.dim[0] * (size_t)shape.ndim);
    }
    if (fsr_rounds_scalar(t, k) && !fsr_is(a->arg[k]->kind, FSR_IS_ARGUMENT))
        return "an argument that is no parameter";
    return fsr_shape_equal(&shape, &rec->shape) ? NULL : "an argument of another shape";
}

static bool is_whole(fsr_dtype dtype) {
    return dtype != FSR_BOOL && !fsr_dtype_is_inexact(dtype);
}

const char *fsr_rounds_check(const fsr_applied *a) {
    const fsr_rounds *t = a->n->rounds;
    if (!t)
        return "a loop of nothing";
    const int n = fsr_rounds_operands(t);
    if (a->n->nargs != n + (t->form.count < 0) || a->n->nout != t->form.nstate + t->form.nstacked)
        return "arity";
    for (int k = 0; k < n; k++) {
        const char *wrong = check_operand(a, t, k);
        if (wrong)
            return wrong;
    }
    for (int i = 0; i < a->n->nout; i++)
        if (fsr_rounds_result(t, i).dtype[0] != a->n->dtype[i])
            return "a result of another dtype";
    if (a->n->shape.ndim)
        return "a loop with dimensions of its own";
    return t->form.count < 0 && (a->arg[n]->shape.ndim || !is_whole(fsr_applied_dtype(a, n)))
               ? "a count that is no integer"
               : NULL;
}

const char *fsr_result_check(const fsr_applied *a) {
    if (!a->arg[0]->rounds)
        return "a result of what is no loop";
    const fsr_type type = fsr_rounds_result(a->arg[0]->rounds, a->output[0]);
    if (type.dtype[0] != a->n->dtype[0])
        return "a result of another dtype";
    return fsr_shape_equal(&type.shape, &a->n->shape) ? NULL : "a result of another shape";
}
