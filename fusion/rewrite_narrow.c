/* SPDX-License-Identifier: MIT */
/* Comparisons of 64-bit integers that lie within 32 bits, as indices do, are made of 32-bit ones, and so are the
 * indices of gathers that clip: the same answers. A number of which nothing is known, but of which there is one, as the
 * turn of a loop, is first brought between the ends of 32 bits: where the other side is inside of these, no comparison
 * changes.
 * Counter-example to leaving them wide: `i > k ? a - c * r / p : a` is f32 arithmetic beside comparisons with half as
 * many lanes; a turn of Cholesky's factorization of 500 columns took 101 us, and 56 with indices of 32 bits. Quotients,
 * products and arrays stay what they are, and whatever is stored: a copy of the computation is made, from indices
 * on. */
#include "fusion/ranges.h"
#include "fusion/rewrites.h"
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 16 }; /* of a computation that is copied */

typedef struct narrow {
    const fsr_flow *from;
    fsr_flow *to;
    const fsr_range *range;
    fsr_link *at;    /* what stands for a node in `to` */
    fsr_link *small; /* of 32 bits; id -1: there is none yet */
    bool failed;
} narrow;

static fsr_dtype dtype_of(const narrow *p, fsr_link link) {
    return p->from->node[link.id].dtype[link.output];
}

/* It lies within 32 bits, less than `spare` from the ends. */
static bool fits(const narrow *p, fsr_link link, int spare) {
    const fsr_range r = fsr_link_range(p->from, p->range, link);
    return fsr_range_known(r) && r.low >= (double)INT32_MIN + spare && r.high <= (double)INT32_MAX - spare;
}

static bool is_copied(fsr_op op) {
    return op == FSR_OP_ADD || op == FSR_OP_SUB || op == FSR_OP_MINIMUM || op == FSR_OP_MAXIMUM || op == FSR_OP_CLAMP;
}

/* An i64 that can be computed as an i32: of indices, literals, shorter integers and single numbers. */
static bool may(const narrow *p, fsr_link link, int depth) {
    const fsr_flow_node *n = &p->from->node[link.id];
    if (dtype_of(p, link) != FSR_I64 || n->nout != 1 || n->hint == FSR_HINT_MATERIALIZE || !fits(p, link, 0) || !depth)
        return false;
    if (fsr_is(n->kind, FSR_IS_LITERAL) || (fsr_has(n->kind, FSR_FIELD_axis) && n->nargs == 0) ||
        fsr_shape_size(&n->shape) == 1)
        return true;
    if (fsr_is(n->kind, FSR_IS_VIEW))
        return may(p, n->arg[0], depth - 1);
    if (!fsr_has(n->kind, FSR_FIELD_op))
        return false;
    const fsr_dtype source = dtype_of(p, n->arg[0]);
    if (n->op == FSR_OP_CAST && source != FSR_I64)
        return !fsr_dtype_is_inexact(source) && fsr_dtype_size(source) <= 4;
    for (int k = 0; k < n->nargs && is_copied(n->op); ++k)
        if (!may(p, n->arg[k], depth - 1))
            return false;
    return is_copied(n->op);
}

static fsr_link add(narrow *p, const fsr_flow_node *n) {
    const fsr_link link = {fsr_flow_add(p->to, n), 0};
    p->failed = p->failed || link.id < 0;
    return link;
}

static fsr_link add_literal(narrow *p, fsr_dtype dtype, int64_t value, const fsr_flow_node *like) {
    fsr_flow_node n = {.kind = FSR_NODE_CONST, .nout = 1};
    n.dtype[0] = dtype;
    n.site = like->site;
    n.value = fsr_value_from_int(dtype, value);
    return add(p, &n);
}

/* An operation in the shape and of the place of `like`. */
static fsr_link add_op(narrow *p, fsr_op op, fsr_dtype dtype, const fsr_flow_node *like, const fsr_link *arg, int n) {
    fsr_flow_node map = {.kind = FSR_NODE_MAP, .nout = 1, .op = op, .shape = like->shape, .nargs = n};
    map.dtype[0] = dtype;
    map.site = like->site;
    memcpy(map.arg, arg, sizeof *arg * (size_t)n);
    return add(p, &map);
}

/* The i32 of what `may`. */
static fsr_link small_of(narrow *p, fsr_link link) {
    const fsr_flow_node *n = &p->from->node[link.id];
    fsr_flow_node copy = *n;
    fsr_link arg[FSR_MAX_ARGS];
    if (p->small[link.id].id >= 0 || p->failed)
        return p->small[link.id];
    const bool operation = fsr_has(n->kind, FSR_FIELD_op) && is_copied(n->op) && fsr_shape_size(&n->shape) > 1;
    copy.dtype[0] = FSR_I32;
    copy.origin = 0;
    copy.asked = false;
    for (int k = 0; k < n->nargs && (operation || fsr_is(n->kind, FSR_IS_VIEW)); ++k)
        copy.arg[k] = arg[k] = small_of(p, n->arg[k]);
    if (fsr_is(n->kind, FSR_IS_LITERAL))
        p->small[link.id] = add_literal(p, FSR_I32, n->value.i64, n);
    else if (operation || fsr_is(n->kind, FSR_IS_VIEW) || fsr_has(n->kind, FSR_FIELD_axis))
        p->small[link.id] = add(p, &copy);
    else if (fsr_has(n->kind, FSR_FIELD_op) && n->op == FSR_OP_CAST && dtype_of(p, n->arg[0]) == FSR_I32)
        p->small[link.id] = p->at[n->arg[0].id * FSR_MAX_OUTPUTS + n->arg[0].output];
    else
        p->small[link.id] = add_op(p, FSR_OP_CAST, FSR_I32, n, &p->at[link.id * FSR_MAX_OUTPUTS + link.output], 1);
    return p->small[link.id];
}

/* The one number that a link shows everywhere; id -1: it shows several, or one that is no i64. */
static fsr_link single(const narrow *p, fsr_link link) {
    while (fsr_is(p->from->node[link.id].kind, FSR_IS_VIEW) && fsr_shape_size(&p->from->node[link.id].shape) != 1)
        link = p->from->node[link.id].arg[0];
    const bool one = fsr_shape_size(&p->from->node[link.id].shape) == 1 && dtype_of(p, link) == FSR_I64;
    return one ? link : (fsr_link){-1, 0};
}

/* The i32 between the ends of 32 bits that is next to a single number, as the link shows it. */
static fsr_link clamped(narrow *p, fsr_link link) {
    const fsr_flow_node *n = &p->from->node[link.id];
    if (p->small[link.id].id >= 0 || p->failed)
        return p->small[link.id];
    if (fsr_is(n->kind, FSR_IS_VIEW) && fsr_shape_size(&n->shape) != 1) {
        fsr_flow_node view = *n;
        view.dtype[0] = FSR_I32;
        view.origin = 0;
        view.asked = false;
        view.arg[0] = clamped(p, n->arg[0]);
        return p->small[link.id] = add(p, &view);
    }
    fsr_flow_node ends = {.kind = FSR_NODE_VIEW, .nout = 1, .shape = n->shape, .nargs = 1};
    fsr_link arg[3] = {p->at[link.id * FSR_MAX_OUTPUTS + link.output]};
    ends.dtype[0] = FSR_I64;
    ends.view.kind = FSR_VIEW_RESHAPE;
    for (int k = 0; k < 2; ++k) {
        ends.arg[0] = arg[1 + k] = add_literal(p, FSR_I64, k ? INT32_MAX : INT32_MIN, n);
        if (n->shape.ndim)
            arg[1 + k] = add(p, &ends);
    }
    const fsr_link within = add_op(p, FSR_OP_CLAMP, FSR_I64, n, arg, 3);
    return p->small[link.id] = add_op(p, FSR_OP_CAST, FSR_I32, n, &within, 1);
}

/* Both sides of a comparison of i64, at least one of them more than a number: the narrow sides, a bit each. */
static unsigned compare(narrow *p, const fsr_flow_node *n, fsr_link *made) {
    if (!fsr_has(n->kind, FSR_FIELD_op) || fsr_op_get(n->op)->rule != FSR_RULE_COMPARE || n->nargs != 2 ||
        fsr_shape_size(&n->shape) == 1)
        return 0;
    bool small[2], any = false;
    for (int k = 0; k < 2; ++k) {
        small[k] = may(p, n->arg[k], DEPTH);
        any = any || (small[k] && single(p, n->arg[k]).id < 0);
    }
    for (int k = 0; k < 2; ++k)
        any = any && (small[k] || (single(p, n->arg[k]).id >= 0 && fits(p, n->arg[!k], 1)));
    for (int k = 0; k < 2 && any; ++k)
        made[k] = small[k] ? small_of(p, n->arg[k]) : clamped(p, n->arg[k]);
    return any ? 3 : 0;
}

/* Something is done with what a link shows that is shorter for numbers of 32 bits. */
static bool is_computed(const narrow *p, fsr_link link) {
    while (fsr_is(p->from->node[link.id].kind, FSR_IS_VIEW))
        link = p->from->node[link.id].arg[0];
    return fsr_has(p->from->node[link.id].kind, FSR_FIELD_op) && is_copied(p->from->node[link.id].op);
}

/* The same of the indices of a gather that clips, which are i64 again. */
static unsigned take(narrow *p, const fsr_flow_node *n, fsr_link *made) {
    unsigned bits = 0;
    if (!fsr_has(n->kind, FSR_FIELD_mode) || n->mode != FSR_INDEX_CLIP || !fsr_is(n->kind, FSR_TAKES))
        return 0;
    for (int k = 1; k < n->nargs; ++k)
        if (is_computed(p, n->arg[k]) && single(p, n->arg[k]).id < 0 && may(p, n->arg[k], DEPTH)) {
            const fsr_link small = small_of(p, n->arg[k]);
            made[k] = add_op(p, FSR_OP_CAST, FSR_I64, &p->from->node[n->arg[k].id], &small, 1);
            bits |= 1u << k;
        }
    return bits;
}

/* Copies every node into `to`; whether any became narrow. */
static bool copy(narrow *p) {
    bool any = false;
    for (int i = 0; i < p->from->n && !p->failed; ++i) {
        fsr_flow_node n = p->from->node[i];
        fsr_link made[FSR_MAX_ARGS];
        const unsigned compared = compare(p, &n, made), bits = compared ? compared : take(p, &n, made);
        for (int k = 0; k < n.nargs; ++k)
            n.arg[k] = bits >> k & 1 ? made[k] : p->at[n.arg[k].id * FSR_MAX_OUTPUTS + n.arg[k].output];
        fsr_flow_replace(p->at, i, add(p, &n));
        any = any || bits;
    }
    return any;
}

/* Something compares i64, or takes elements at such indices. */
static bool has_wide(const fsr_flow *flow) {
    for (int i = 0; i < flow->n; ++i) {
        const fsr_flow_node *n = &flow->node[i];
        const bool compares = fsr_has(n->kind, FSR_FIELD_op) && fsr_op_get(n->op)->rule == FSR_RULE_COMPARE;
        for (int k = 0; k < n->nargs && (compares || fsr_is(n->kind, FSR_TAKES)); ++k)
            if (flow->node[n->arg[k].id].dtype[n->arg[k].output] == FSR_I64)
                return true;
    }
    return false;
}

bool fsr_rewrite_narrow(fsr_flow *flow, fsr_status *status) {
    fsr_flow made = {0};
    if (!has_wide(flow))
        return false;
    fsr_range *range = fsr_flow_ranges(flow, status);
    fsr_link *at = fsr_flow_redirects(flow, status), *small = malloc(sizeof *small * ((size_t)flow->n + 1));
    narrow p = {.from = flow, .to = &made, .range = range, .at = at, .small = small};
    if (!small)
        *status = FSR_ERR_MEMORY;
    for (int i = 0; small && i < flow->n; ++i)
        small[i] = (fsr_link){-1, 0};
    const bool any = range && at && small && copy(&p) && !p.failed;
    if (p.failed)
        *status = FSR_ERR_MEMORY;
    if (any)
        fsr_flow_become(flow, &made, at);
    else
        free(made.node);
    free(range);
    free(at);
    free(small);
    return any;
}
