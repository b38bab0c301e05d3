/* SPDX-License-Identifier: MIT */
/* A user's operator: recording its body as a region, and reductions and scans with it.
 *
 * The body is ordinary builder calls on 0-d ARG nodes, in a scope of its own; what it leaves in out[] is checked
 * (body.c) and becomes instructions (capture.c). Then the operands are looked at again: the caller's code may have
 * dropped them. Counter-example to calling the body back for each element: nothing would be known of it when kernels
 * are made. */
#include "graph/floats.h"
#include "graph/scope.h"
#include "graph/sized.h"
#include "primitives/body.h"
#include "primitives/capture.h"
#include "primitives/live.h"
#include <stdlib.h>
#include <string.h>

static const char body_name[] = "operator's body";

/* A body that is one built-in op with that op's identity is the built-in operator. */
static fsr_combine *recognize(fsr_combine *c) {
    const fsr_inst *last = &c->body.inst[c->body.result[0]];
    const fsr_dtype dtype = fsr_combine_dtype(c, 0);
    if (c->arity != 1 || last->kind != FSR_INST_OP || last->dtype != dtype || last->compute != dtype)
        return c;
    const fsr_op_info *info = fsr_op_get(last->op);
    if (info->arity != 2 || !(info->flags & FSR_OP_ASSOCIATIVE) || info->identity == FSR_IDENTITY_NONE)
        return c;
    const fsr_inst *a = &c->body.inst[last->arg[0]], *b = &c->body.inst[last->arg[1]];
    if (a->kind != FSR_INST_PARAM || b->kind != FSR_INST_PARAM || a->index != 0 || b->index != 1)
        return c;
    fsr_combine *builtin = fsr_combine_builtin(last->op, dtype);
    const bool same =
        builtin && fsr_value_equal(builtin->identity[0], c->identity[0]) && builtin->commutative == c->commutative;
    fsr_combine_free(same ? c : builtin);
    return same ? builtin : c;
}

/* ---- identities ------------------------------------------------------------------------------------------------- */

/* Component i of the result is one associative operation of those of both states, with that operation's identity. */
static bool is_own_operation(const fsr_combine *c, int i) {
    const fsr_inst *last = &c->body.inst[c->body.result[i]];
    const fsr_dtype dtype = fsr_combine_dtype(c, i);
    if (last->kind != FSR_INST_OP || last->dtype != dtype || last->compute != dtype)
        return false;
    const fsr_op_info *info = fsr_op_get(last->op);
    if (info->arity != 2 || !(info->flags & FSR_OP_ASSOCIATIVE) || info->identity == FSR_IDENTITY_NONE)
        return false;
    const fsr_inst *a = &c->body.inst[last->arg[0]], *b = &c->body.inst[last->arg[1]];
    const bool swapped = a->index != i && (info->flags & FSR_OP_COMMUTATIVE);
    return a->kind == FSR_INST_PARAM && b->kind == FSR_INST_PARAM && a->index == (swapped ? c->arity + i : i) &&
           b->index == (swapped ? i : c->arity + i) &&
           fsr_value_equal(fsr_op_identity(last->op, dtype), c->identity[i]);
}

/* Of integers, whose arithmetic is exact, the identity is what the caller says, unless it changes one of these. */
static bool keeps_integers(const fsr_combine *c) {
    static const int64_t some[] = {0,    1,         -1,        2,         3,         100,
                                   -100, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, 0x0123456789abcdef};
    bool keeps = c->body.nargs == 2 * c->arity;
    for (int i = 0; i < c->arity; i++)
        keeps = keeps && !fsr_dtype_is_inexact(fsr_combine_dtype(c, i));
    for (int t = 0; keeps && t < (int)(sizeof some / sizeof *some); t++) {
        fsr_value x[FSR_MAX_TUPLE], left[FSR_MAX_TUPLE], right[FSR_MAX_TUPLE];
        for (int i = 0; i < c->arity; i++)
            x[i] = fsr_value_from_int(fsr_combine_dtype(c, i), some[(t + 5 * i) % (int)(sizeof some / sizeof *some)]);
        fsr_combine_eval(c, left, c->identity, x);
        fsr_combine_eval(c, right, x, c->identity);
        for (int i = 0; i < c->arity; i++)
            keeps = keeps && fsr_value_equal(left[i], x[i]) && fsr_value_equal(right[i], x[i]);
    }
    return keeps;
}

/* The identity changes no bit of a state, for all that can be known of a body. */
static bool is_neutral(const fsr_combine *c) {
    int own = 0;
    while (own < c->arity && is_own_operation(c, own))
        own++;
    return own == c->arity || keeps_integers(c);
}

/* What was taken from outside becomes the body's last arguments, and outside[]. */
static void take_outside(const fsr_capture *t, fsr_combine *c, fsr_node *outside) {
    for (int i = 0; i < t->noutside; i++) {
        outside[i] = fsr_graph_handle(t->g, t->outside[i].id, t->outside[i].output);
        c->body.arg[c->body.nargs++] = fsr_node_dtype(outside[i]);
    }
}

/* Runs the body in the open scope and captures it; false: *poison is set (in that scope). */
static bool run_body(fsr_graph *g, fsr_site at, const char *what, const fsr_operator *op, fsr_combine *c,
                     fsr_capture *t, fsr_node *outside, fsr_node *poison) {
    fsr_node arg[2 * FSR_MAX_TUPLE], out[FSR_MAX_TUPLE] = {{0}};
    int depth = fsr_scope_depth(g);
    *poison = (fsr_node){0};
    if (!fsr_body_args(g, at, c->body.arg, 2 * c->arity, arg, poison))
        return false;
    *t = (fsr_capture){.g = g,
                       .first = arg[0].stamp,
                       .narguments = 2 * c->arity,
                       .most_outside = outside ? FSR_MAX_ARGS - c->arity : 0,
                       .region = &c->body,
                       .where = FSR_IN_OPERATOR};
    op->body(out, arg, arg + c->arity, op->user);
    if (!fsr_body_took(g, at, what, body_name, depth, arg[0], poison))
        return false;
    for (int i = 0; i < c->arity; i++) {
        fsr_node result = fsr_body_value(g, at, what, body_name, i, out[i], fsr_combine_dtype(c, i));
        *poison = result;
        if (fsr_node_status(result))
            return false;
        c->body.result[i] = fsr_capture_node(t, (fsr_ref){result.id, result.output});
        if (c->body.result[i] < 0) {
            *poison = fsr_poison(g, at, t->status, what, "the %s %s", body_name, t->problem);
            return false;
        }
    }
    take_outside(t, c, outside);
    return true;
}

fsr_combine *fsr_operator_record(fsr_graph *g, fsr_site at, const char *what, const fsr_operator *op,
                                 const fsr_dtype *dtype, fsr_node *outside, fsr_node *poison) {
    int depth = fsr_scope_depth(g);
    fsr_combine *c = calloc(1, sizeof *c);
    fsr_capture *t = calloc(1, sizeof *t);
    *poison = (fsr_node){0};
    bool ok = c && t && fsr_scope_begin(g) == FSR_OK;
    if (ok) {
        c->arity = op->arity;
        c->commutative = op->commutative;
        c->op = FSR_OP_COUNT;
        c->body.nargs = 2 * op->arity;
        c->body.nresults = op->arity;
        for (int i = 0; i < op->arity; i++) {
            FSR_DEFAULT_FLOATS;
            c->body.arg[i] = c->body.arg[op->arity + i] = dtype[i];
            c->identity[i] = op->exact[i] ? fsr_value_load(dtype[i], op->exact[i], 0)
                                          : fsr_value_from_double(dtype[i], op->identity[i]);
        }
        ok = run_body(g, at, what, op, c, t, outside, poison);
        if (fsr_graph_alive(g))
            *poison = fsr_body_leave(g, depth, ok ? (fsr_node){0} : *poison);
    } else {
        *poison = fsr_graph_no_memory(g);
    }
    free(t);
    if (ok)
        c->neutral = is_neutral(c);
    if (ok)
        return recognize(c);
    fsr_combine_free(c);
    return NULL;
}

/* Checks the operator and its operands, which become strong in `in`; false: *poison is set. */
static bool operator_take(fsr_site at, const char *what, const fsr_node *from, const fsr_operator *op, fsr_node *in,
                          fsr_node *poison) {
    fsr_graph *g;
    *poison = (fsr_node){0};
    if (!from)
        return false;
    fsr_length length;
    if (fsr_poison_of_any(at, what, from, op ? op->arity : 1, &g, poison) ||
        !fsr_lengths_meet(at, what, from, op ? op->arity : 1, &length, poison))
        return false;
    if (!op || !op->body) {
        *poison = fsr_poison(g, at, FSR_ERR_NULL, what, "the operator or its body is null");
        return false;
    }
    for (int i = 0; i < op->arity; i++) {
        in[i] = fsr_strong(at, from[i]);
        *poison = in[i];
        if (!fsr_node_sound(in[i]))
            return false;
        if (fsr_shape_equal(&fsr_node_rec(in[i])->shape, &fsr_node_rec(in[0])->shape))
            continue;
        *poison = fsr_poison(g, at, FSR_ERR_SHAPE, what, "the operands' shapes differ: %s and %s", fsr_say(in[0]).text,
                             fsr_say(in[i]).text);
        return false;
    }
    return true;
}

/* The caller's operator, if there is one, of `size` bytes, as ours in *own. No size, or an arity outside
 * 1..FSR_MAX_TUPLE: a poison in out[0] alone, for there is no telling how many the caller has. */
static bool arity_take(fsr_site at, const char *what, fsr_node *out, const fsr_node *in, const fsr_operator *op,
                       size_t size, fsr_operator *own) {
    fsr_graph *g = in ? in[0].graph : NULL;
    *own = (fsr_operator){.body = NULL};
    fsr_status status = op ? fsr_sized_in(own, sizeof *own, op, size) : FSR_OK;
    if (status)
        out[0] = fsr_poison(g, at, status, what, "the operator %s", fsr_sized_words(status));
    else if (op && (own->arity < 1 || own->arity > FSR_MAX_TUPLE))
        out[0] =
            fsr_poison(g, at, FSR_ERR_VALUE, what, "the operator's arity %d is not 1 to %d", own->arity, FSR_MAX_TUPLE);
    else
        return true;
    return false;
}

static void fill(fsr_node *out, const fsr_operator *op, fsr_node poison) {
    for (int i = 0; i < (op ? op->arity : 1); i++)
        out[i] = poison;
}

/* Records the body for checked operands, behind which in[] receives what it took from outside; NULL: out is filled with
 * the poison. */
static fsr_combine *record(fsr_site at, const char *what, fsr_node *out, fsr_node *in, const fsr_operator *op) {
    fsr_node poison;
    fsr_dtype dtype[FSR_MAX_TUPLE];
    for (int i = 0; i < op->arity; i++)
        dtype[i] = fsr_node_dtype(in[i]);
    fsr_combine *combine = fsr_operator_record(in[0].graph, at, what, op, dtype, in + op->arity, &poison);
    fsr_graph *g;
    if (combine && !fsr_poison_of_any(at, what, in, op->arity, &g, &poison))
        return combine;
    fsr_combine_free(combine);
    fill(out, op, poison);
    return NULL;
}

void fsr_reduce_with_at(fsr_site at, size_t size, fsr_node *out, const fsr_node *from, const fsr_operator *theirs,
                        const int *axes, int naxes, int flags) {
    static const char what[] = "reduce_with";
    fsr_operator own, *op = theirs ? &own : NULL;
    fsr_node in[FSR_MAX_ARGS], poison;
    uint32_t mask;
    if (!out || !arity_take(at, what, out, from, theirs, size, &own))
        return;
    if (!operator_take(at, what, from, op, in, &poison) ||
        !fsr_flags_take(in[0], at, what, flags, FSR_KEEPDIMS, &poison) ||
        !fsr_axes_take(in[0], at, what, axes, naxes, &mask, &poison)) {
        fill(out, op, poison);
        return;
    }
    fsr_combine *combine = record(at, what, out, in, op);
    if (!combine)
        return;
    if (!mask) {
        fsr_combine_free(combine);
        memmove(out, in, (size_t)op->arity * sizeof *out);
        return;
    }
    fsr_fold_nodes(at, out, in, combine, mask);
    for (int i = 0; i < op->arity && !(flags & FSR_KEEPDIMS); i++)
        out[i] = fsr_drop_axes(at, out[i], mask);
}

void fsr_scan_with_at(fsr_site at, size_t size, fsr_node *out, const fsr_node *from, const fsr_operator *theirs,
                      const int *axes, int naxes, int flags) {
    static const char what[] = "scan_with";
    fsr_operator own, *op = theirs ? &own : NULL;
    fsr_node in[FSR_MAX_ARGS], poison;
    int axis;
    if (!out || !arity_take(at, what, out, from, theirs, size, &own))
        return;
    if (!operator_take(at, what, from, op, in, &poison) ||
        !fsr_flags_take(in[0], at, what, flags, FSR_EXCLUSIVE | FSR_REVERSE, &poison) ||
        !fsr_scan_axes_take(at, what, in, op->arity, axes, naxes, &axis, &poison)) {
        fill(out, op, poison);
        return;
    }
    fsr_combine *combine = record(at, what, out, in, op);
    if (combine)
        fsr_running(at, out, in, combine, axis, flags);
}
