/* SPDX-License-Identifier: MIT */
/* What exact operations make of one bool and of literals has two values: it is a choice between two literals.
 * 1 - eye(n), of which NumPy makes an f64, and that as f32, is where(i == j, 0, 1) of f32.
 * Counter-example to leaving the operations: `a * f32(1 - eye(n))` took bytes to doubles, four abreast with AVX2, and
 * back to floats for every element; the choice is a mask. A cast alone stays, as it is one operation either way. So
 * does what has two masks (four values), what rounds, and what is to be stored. */
#include "fusion/rewrites.h"
#include <stdlib.h>
#include <string.h>

/* What a node shows where its mask is true, and where it is false. */
typedef struct choice {
    fsr_link mask; /* id -1: there is none */
    fsr_value when[2];
} choice;

typedef struct masks {
    const fsr_flow *from;
    fsr_flow *to;
    fsr_link *at; /* what stands for a node in `to` */
    choice *of;   /* of each node of `from` */
    bool failed;
} masks;

static fsr_dtype dtype_of(const masks *m, fsr_link link) {
    return m->from->node[link.id].dtype[link.output];
}

/* Operand k where the mask is true (side 0) or false; false: it has more values, or another mask. */
static bool operand(const masks *m, const fsr_flow_node *n, int k, int side, fsr_link *mask, fsr_value *value) {
    const fsr_flow_node *known = fsr_flow_literal(m->from, n->arg[k]);
    const choice *c = &m->of[n->arg[k].id];
    if (known)
        return *value = known->value, true;
    if (c->mask.id < 0 || (mask->id >= 0 && !fsr_link_equal(*mask, c->mask)))
        return false;
    *mask = c->mask;
    *value = c->when[side];
    return true;
}

static fsr_value evaluate(const fsr_flow_node *n, fsr_dtype compute, const fsr_value *value) {
    return n->op == FSR_OP_CAST ? fsr_value_cast(n->dtype[0], compute, value[0])
                                : fsr_op_eval(n->op, compute, n->dtype[0], value);
}

/* A bool made a number, or a choice of literals as it was recorded. */
static bool begins(const masks *m, const fsr_flow_node *n, choice *c) {
    const fsr_value truth[2] = {{.b = 1}, {.b = 0}};
    const bool casts =
        n->op == FSR_OP_CAST && dtype_of(m, n->arg[0]) == FSR_BOOL && !fsr_flow_literal(m->from, n->arg[0]);
    const bool chooses =
        n->op == FSR_OP_WHERE && fsr_flow_literal(m->from, n->arg[1]) && fsr_flow_literal(m->from, n->arg[2]);
    for (int side = 0; side < 2 && (casts || chooses); ++side)
        c->when[side] =
            casts ? evaluate(n, FSR_BOOL, &truth[side]) : fsr_flow_literal(m->from, n->arg[1 + side])->value;
    c->mask = casts || chooses ? n->arg[0] : (fsr_link){-1, 0};
    return casts || chooses;
}

/* Whether an exact operation's operands are literals and choices of one mask: then its result is c. */
static bool follows(const masks *m, const fsr_flow_node *n, choice *c) {
    const fsr_dtype compute = dtype_of(m, n->arg[n->nargs - 1]);
    bool two = n->op != FSR_OP_WHERE && n->nargs <= 3 && fsr_op_exact(n->op, compute);
    fsr_link mask = {-1, 0};
    for (int side = 0; side < 2 && two; ++side) {
        fsr_value value[3];
        for (int k = 0; k < n->nargs && two; ++k)
            two = operand(m, n, k, side, &mask, &value[k]);
        if (two)
            c->when[side] = evaluate(n, compute, value);
    }
    c->mask = two ? mask : (fsr_link){-1, 0};
    return c->mask.id >= 0;
}

static fsr_link add(masks *m, const fsr_flow_node *n) {
    const fsr_link link = {fsr_flow_add(m->to, n), 0};
    m->failed = m->failed || link.id < 0;
    return link;
}

/* Node n of `to` becomes the choice. */
static void choose(masks *m, fsr_flow_node *n, const choice *c) {
    fsr_link arg[3] = {m->at[c->mask.id * FSR_MAX_OUTPUTS + c->mask.output]};
    for (int side = 0; side < 2; ++side)
        arg[1 + side] = fsr_flow_add_literal(m->to, n, c->when[side]);
    m->failed = m->failed || arg[1].id < 0 || arg[2].id < 0;
    n->op = FSR_OP_WHERE;
    n->nargs = 3;
    memcpy(n->arg, arg, sizeof arg);
}

/* Copies every node into `to`; whether any became a choice. */
static bool copy(masks *m) {
    bool any = false;
    for (int i = 0; i < m->from->n && !m->failed; ++i) {
        fsr_flow_node n = m->from->node[i];
        choice *c = &m->of[i];
        c->mask = (fsr_link){-1, 0};
        for (int k = 0; k < n.nargs; ++k)
            n.arg[k] = m->at[n.arg[k].id * FSR_MAX_OUTPUTS + n.arg[k].output];
        const fsr_flow_node *was = &m->from->node[i];
        const bool number = fsr_has(n.kind, FSR_FIELD_op) && n.dtype[0] != FSR_BOOL && n.hint != FSR_HINT_MATERIALIZE;
        if (number && !begins(m, was, c) && follows(m, was, c)) {
            choose(m, &n, c);
            any = true;
        }
        fsr_flow_replace(m->at, i, add(m, &n));
    }
    return any;
}

/* A number is made of a bool somewhere, and something of that. */
static bool may(const fsr_flow *flow) {
    for (int i = 0; i < flow->n; ++i) {
        const fsr_flow_node *n = &flow->node[i];
        if (fsr_has(n->kind, FSR_FIELD_op) && (n->op == FSR_OP_CAST || n->op == FSR_OP_WHERE) &&
            flow->node[n->arg[0].id].dtype[n->arg[0].output] == FSR_BOOL)
            return true;
    }
    return false;
}

bool fsr_rewrite_masks(fsr_flow *flow, fsr_status *status) {
    fsr_flow made = {0};
    if (!may(flow))
        return false;
    fsr_link *at = fsr_flow_redirects(flow, status);
    masks m = {.from = flow, .to = &made, .at = at, .of = malloc(sizeof *m.of * ((size_t)flow->n + 1))};
    if (!m.of)
        *status = FSR_ERR_MEMORY;
    const bool any = at && m.of && copy(&m) && !m.failed;
    if (m.failed)
        *status = FSR_ERR_MEMORY;
    if (any)
        fsr_flow_become(flow, &made, at);
    else
        free(made.node);
    free(m.of);
    free(at);
    return any;
}
