/* SPDX-License-Identifier: MIT */
/* Rewrites that keep every bit of every result, also of NaN, infinities and signed zeros:
 *   x * 1 -> x, x / 1 -> x, x - 0 -> x (any x: -0 - 0 is -0), cast to x's own dtype -> x, where(literal, a, b) -> a or
 * b;
 *   a reduction or inclusive scan over axes of extent 1 -> its input (the identity is neutral);
 *   an array of one's own, of what a scatter left and nobody else reads -> that.
 * x * 1 and x / 1 not of complex x: inf + 0j becomes inf + nan j.
 * Counter-examples that are therefore no rules: x + 0 -> x (-0 + 0 is +0), x * 0 -> 0 (NaN, inf), x / x -> 1, 0 - x ->
 * -x. */
#include "fusion/rewrites.h"
#include <stdlib.h>
#include <string.h>

static bool is_value(const fsr_flow *flow, fsr_link link, double value) {
    const fsr_flow_node *n = fsr_flow_literal(flow, link);
    return n && fsr_value_equal(n->value, fsr_value_from_double(n->dtype[0], value));
}

static bool rewrite(const fsr_flow *flow, const fsr_flow_node *n, fsr_link *to) {
    const fsr_flow_node *condition;
    bool plain = n->dtype[0] != FSR_BOOL && !fsr_dtype_is_complex(n->dtype[0]);
    switch (n->op) {
    case FSR_OP_MUL:
        if (plain && is_value(flow, n->arg[1], 1))
            return *to = n->arg[0], true;
        if (plain && is_value(flow, n->arg[0], 1))
            return *to = n->arg[1], true;
        return false;
    case FSR_OP_DIV: return plain && is_value(flow, n->arg[1], 1) ? (*to = n->arg[0], true) : false;
    case FSR_OP_SUB: return is_value(flow, n->arg[1], 0) ? (*to = n->arg[0], true) : false;
    case FSR_OP_CAST:
        return flow->node[n->arg[0].id].dtype[n->arg[0].output] == n->dtype[0] ? (*to = n->arg[0], true) : false;
    case FSR_OP_WHERE:
        condition = fsr_flow_literal(flow, n->arg[0]);
        return condition ? (*to = n->arg[condition->value.b ? 1 : 2], true) : false;
    default: return false;
    }
}

/* A fold whose folded axes all have extent 1 and that gives its inputs. */
static bool trivial_fold(const fsr_flow *flow, const fsr_flow_node *n) {
    const fsr_shape *shape = n->nargs ? &flow->node[n->arg[0].id].shape : &n->shape;
    if (fsr_is(n->kind, FSR_IS_RUNNING))
        return !n->exclusive && !n->combine->sequential && shape->dim[n->axis] == 1;
    if (!fsr_is(n->kind, FSR_IS_FOLD))
        return false;
    for (int i = 0; i < shape->ndim; ++i)
        if ((n->axes >> i & 1) && shape->dim[i] != 1)
            return false;
    return true;
}

/* How many read each node's results; NULL: there is nothing to own, or no memory. */
static int *readers(const fsr_flow *flow, fsr_status *status) {
    bool any = false;
    for (int i = 0; i < flow->n; ++i)
        any = any || fsr_is(flow->node[i].kind, FSR_SCATTERS);
    return any ? fsr_flow_readers(flow, status) : NULL;
}

/* What a scatter left, and only this node reads: it is its own already. */
static bool owned(const fsr_flow *flow, const fsr_flow_node *n, const int *readers_of) {
    return readers_of && fsr_is(n->kind, FSR_IS_DISTINCT) && !fsr_is(n->kind, FSR_SCATTERS) &&
           fsr_is(flow->node[n->arg[0].id].kind, FSR_SCATTERS) && readers_of[n->arg[0].id] == 1;
}

bool fsr_rewrite_simplify(fsr_flow *flow, fsr_status *status) {
    bool progress = false;
    int *readers_of = readers(flow, status);
    fsr_link *to = fsr_flow_redirects(flow, status);
    for (int i = 0; to && i < flow->n; ++i) {
        fsr_flow_redirect(flow, i, to);
        const fsr_flow_node *n = &flow->node[i];
        if (n->hint == FSR_HINT_MATERIALIZE)
            continue;
        if (fsr_has(n->kind, FSR_FIELD_op) && rewrite(flow, n, &to[i * FSR_MAX_OUTPUTS]))
            progress = true;
        if (trivial_fold(flow, n) || owned(flow, n, readers_of)) {
            memcpy(&to[i * FSR_MAX_OUTPUTS], n->arg, sizeof *to * (size_t)n->nout);
            progress = true;
        }
    }
    if (to)
        fsr_flow_redirect_outs(flow, to);
    free(readers_of);
    free(to);
    return progress;
}
