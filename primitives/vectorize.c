/* SPDX-License-Identifier: MIT */
/* A row function over arrays of higher rank: operands and results are checked against the signature, and the body is
 * recorded once on arguments of core rank, in a scope of its own. Then it is recorded again for all rows
 * (vectorize_rows.c), and the scope is ended with the results kept: the body's own nodes go.
 *
 * Counter-example to calling the body on the whole arrays: its axis 0 would be a leading dimension. The body is the
 * caller's code and may do anything; what it left is checked as an operator's (body.c). */
#include "primitives/vectorize.h"
#include "graph/scope.h"
#include "primitives/body.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char what[] = FSR_ROWS_WHAT, whose[] = FSR_ROWS_WHOSE;

static fsr_words name_of(const fsr_rows *r, int name) {
    fsr_words words;
    snprintf(words.text, sizeof words.text, "%.*s", r->s.name_size[name], r->s.name[name]);
    return words;
}

/* ---- operands ------------------------------------------------------------------------------------------ */

/* Binds or compares the core dimensions of x, its last ones. */
static bool core_take(fsr_rows *r, const fsr_core *core, const char *role, int number, fsr_node x) {
    const fsr_shape *shape = &fsr_node_rec(x)->shape;
    for (int i = 0; i < core->ndim; i++) {
        int64_t have = shape->dim[shape->ndim - core->ndim + i];
        int64_t *want = core->name[i] < 0 ? NULL : &r->extent[core->name[i]];
        if (want && *want < 0)
            *want = have;
        if (have == (want ? *want : core->extent[i]))
            continue;
        if (want)
            r->poison = fsr_poison(r->g, r->at, FSR_ERR_SHAPE, what, "%s is %lld elsewhere, but %lld in %s %d, %s",
                                   name_of(r, core->name[i]).text, (long long)*want, (long long)have, role, number,
                                   fsr_say(x).text);
        else
            r->poison = fsr_poison(r->g, r->at, FSR_ERR_SHAPE, what, "%s %d, %s, has %lld where the signature has %lld",
                                   role, number, fsr_say(x).text, (long long)have, (long long)core->extent[i]);
        return false;
    }
    return true;
}

/* Binds the names and finds the leading dimensions. */
static bool operands_take(fsr_rows *r, const fsr_node *in) {
    for (int i = 0; i < r->s.nin; i++) {
        r->in[i] = fsr_strong(r->at, in[i]);
        r->poison = r->in[i];
        if (!fsr_node_sound(r->in[i]))
            return false;
        fsr_shape lead = fsr_node_rec(r->in[i])->shape;
        if (lead.ndim < r->s.core[i].ndim) {
            r->poison = fsr_poison(r->g, r->at, FSR_ERR_SHAPE, what,
                                   "operand %d, %s, has not the %d core dimensions of the signature", i + 1,
                                   fsr_say(in[i]).text, r->s.core[i].ndim);
            return false;
        }
        if (!core_take(r, &r->s.core[i], "operand", i + 1, r->in[i]))
            return false;
        lead.ndim -= r->s.core[i].ndim;
        if (!fsr_shape_broadcast(&r->lead, &lead, &r->lead)) {
            r->poison = fsr_poison(r->g, r->at, FSR_ERR_SHAPE, what,
                                   "the leading dimensions %s of operand %d do not broadcast with %s before it",
                                   fsr_say_shape(&lead).text, i + 1, fsr_say_shape(&r->lead).text);
            return false;
        }
    }
    return true;
}

static bool signature_take(fsr_rows *r, const char *signature, int nin, int nout) {
    int column;
    const char *wrong = signature ? fsr_signature_read(&r->s, signature, &column) : NULL;
    if (!signature) {
        r->poison = fsr_poison(r->g, r->at, FSR_ERR_NULL, what, "the signature is null");
    } else if (wrong) {
        r->poison = fsr_poison(r->g, r->at, FSR_ERR_VALUE, what, "%s at column %d of the signature \"%.80s\"", wrong,
                               column, signature);
    } else if (r->s.nin != nin || r->s.nout != nout) {
        r->poison = fsr_poison(r->g, r->at, FSR_ERR_VALUE, what,
                               "the signature \"%.80s\" is of %d operands and %d results, the call of %d and %d",
                               signature, r->s.nin, r->s.nout, nin, nout);
        wrong = signature;
    }
    for (int i = 0; i < r->s.nnames; i++)
        r->extent[i] = -1;
    return signature && !wrong;
}

/* ---- the body -------------------------------------------------------------------------------------------- */

static bool args_make(fsr_rows *r) {
    for (int i = 0; i < r->s.nin; i++) {
        const fsr_rec *from = fsr_node_rec(r->in[i]);
        int ndim = r->s.core[i].ndim;
        fsr_type type = {{.ndim = ndim}, 1, {from->dtype[r->in[i].output]}};
        memcpy(type.shape.dim, from->shape.dim + from->shape.ndim - ndim, sizeof type.shape.dim[0] * (size_t)ndim);
        fsr_rec *rec = fsr_graph_add(r->g, r->at, what, FSR_NODE_ARG, &type, &r->arg[i]);
        r->poison = r->arg[i];
        if (!rec)
            return false;
        rec->index = i;
        if (!fsr_rows_spread(r, &r->in[i], ndim))
            return false;
    }
    return true;
}

static bool result_take(fsr_rows *r, int i, fsr_node *result) {
    *result = fsr_strong(r->at, fsr_body_result(r->g, r->at, what, whose, i, *result));
    r->poison = *result;
    const fsr_rec *rec = fsr_node_sound(*result);
    if (!rec)
        return false;
    const fsr_core *core = &r->s.core[r->s.nin + i];
    if (fsr_node_length(*result)) {
        r->poison = fsr_poison(r->g, r->at, FSR_ERR_UNSUPPORTED, what,
                               "result %d of the %s, %s, has a length of its own in each row; fsr_filled gives it its "
                               "capacity",
                               i, whose, fsr_say(*result).text);
        return false;
    }
    if (rec->shape.ndim == core->ndim)
        return core_take(r, core, "result", i, *result);
    r->poison = fsr_poison(r->g, r->at, FSR_ERR_SHAPE, what, "result %d of the %s is %s, not of %d dimensions", i,
                           whose, fsr_say(*result).text, core->ndim);
    return false;
}

/* Runs the body in the open scope and maps it. */
static bool run(fsr_rows *r, fsr_node *out, fsr_row_fn body, void *user, int depth) {
    if (!args_make(r))
        return false;
    r->poison = (fsr_node){0};
    body(out, r->arg, user);
    if (!fsr_body_took(r->g, r->at, what, whose, depth + 1, r->arg[0], &r->poison))
        return false;
    for (int i = 0; i < r->s.nout; i++)
        if (!result_take(r, i, &out[i]))
            return false;
    return fsr_rows_map(r, out, depth);
}

/* Ends the scopes above depth; the results, or the poison, stay. */
static bool leave(fsr_rows *r, bool good, fsr_node *out, int depth) {
    while (good && fsr_scope_depth(r->g) > depth)
        good = fsr_scope_end(r->g, out, r->s.nout) == FSR_OK || fsr_rows_no_memory(r);
    if (!good && fsr_graph_alive(r->g))
        r->poison = fsr_body_leave(r->g, depth, r->poison);
    return good;
}

static bool vectorize(fsr_rows *r, fsr_node *out, int nout, const fsr_node *in, int nin, const char *signature,
                      fsr_row_fn body, void *user) {
    fsr_node result[FSR_MAX_CORE] = {{0}};
    if (fsr_poison_of(r->at, what, in, nin, &r->g, &r->poison) || !signature_take(r, signature, nin, nout) ||
        !operands_take(r, in))
        return false;
    if (!body) {
        r->poison = fsr_poison(r->g, r->at, FSR_ERR_NULL, what, "the %s is null", whose);
        return false;
    }
    int depth = fsr_scope_depth(r->g);
    if (fsr_scope_begin(r->g))
        return fsr_rows_no_memory(r);
    bool good = leave(r, run(r, result, body, user, depth), result, depth);
    memcpy(out, result, good ? sizeof *out * (size_t)nout : 0);
    return good;
}

void fsr_vectorize_at(fsr_site at, fsr_node *out, int nout, const fsr_node *in, int nin, const char *signature,
                      fsr_row_fn body, void *user) {
    if (!out || nout < 1)
        return;
    fsr_rows *r = calloc(1, sizeof *r);
    fsr_node poison = {0};
    if (r)
        r->at = at;
    else if (in && nin > 0)
        poison = fsr_graph_no_memory(in[0].graph);
    bool good = r && in && nin > 0 && vectorize(r, out, nout, in, nin, signature, body, user);
    for (int i = 0; i < nout && !good; i++)
        out[i] = r ? r->poison : poison;
    if (r)
        free(r->image);
    free(r);
}
