/* SPDX-License-Identifier: MIT */
/* Computed places that follow the index they are computed of: min(max(i - 1, 0), n - 1). Elements beside each
 * other are then taken from places beside each other, or the same, and on a GPU such a gather costs what a load does.
 *
 * Counter-example to one price for all gathers: the edge of a picture that is repeated, as one load at a clipped
 * place, was 260 operations an element, so that it was stored by a kernel of its own rather than read in place.
 * Counter-example to following every operation: i * 7919 % n of neighbours are places far apart. */
#include "fusion/literals.h"
#include "fusion/price.h"
#include <math.h>

enum { DEEP = 16 };

/* What the operation does to a place along a run of its index. */
typedef enum kind { SUMS, STAYS, TIMES, SCATTERS } kind;

static kind kind_of(fsr_op op, fsr_dtype dtype) {
    if (dtype != FSR_I32 && dtype != FSR_I64)
        return SCATTERS;
    switch (op) {
    case FSR_OP_ADD:
    case FSR_OP_SUB: return SUMS;
    case FSR_OP_MINIMUM:
    case FSR_OP_MAXIMUM:
    case FSR_OP_CLAMP:
    case FSR_OP_CAST: return STAYS;
    case FSR_OP_MUL: return TIMES;
    default: return SCATTERS;
    }
}

/* ---- nodes ---------------------------------------------------------------------------------------------------- */

static void add(fsr_affine *to, const fsr_affine *from, int sign) {
    to->offset += sign * from->offset;
    for (int d = 0; d < FSR_MAX_DIMS; ++d)
        to->coef[d] += sign * from->coef[d];
}

static bool is_still(const fsr_affine *at) {
    bool still = true;
    for (int d = 0; d < FSR_MAX_DIMS; ++d)
        still = still && at->coef[d] == 0;
    return still;
}

/* bent: not everywhere, as bounds may hold it back or an index is computed. varies: a literal is among it that is an
 * argument, whose value is another one in the next run. Counter-example to its value of the first run: of an array's
 * rows, taken one in each run, all but the first were the second. */
typedef struct walk {
    const fsr_flow *flow;
    const fsr_domain *domain;
    bool *bent, *varies;
} walk;

static bool follow(const walk *w, fsr_link link, const fsr_index *index, int depth, fsr_affine *out);

/* The form stays in [0, extent) over the domain. */
static bool is_within(const fsr_affine *at, const fsr_domain *domain, int64_t extent) {
    int64_t low, high;
    fsr_affine_ends(at, domain, &low, &high);
    return low >= 0 && high < extent && !at->over;
}

/* The form is what numbers of the dtype hold. Counter-example: an index as an i32 plus 2^31 - 1 is negative. */
static bool holds(const walk *w, fsr_dtype dtype, const fsr_affine *at) {
    int64_t low, high;
    fsr_affine_ends(at, w->domain, &low, &high);
    return dtype == FSR_I64 || (low >= INT32_MIN && high <= INT32_MAX);
}

/* A place times what is the same everywhere. */
static bool times(const fsr_affine *a, const fsr_affine *b, fsr_affine *out) {
    const bool turned = is_still(a);
    const int64_t by = turned ? a->offset : b->offset;
    *out = turned ? *b : *a;
    out->offset *= by;
    for (int d = 0; d < FSR_MAX_DIMS; ++d)
        out->coef[d] *= by;
    return turned || is_still(b);
}

/* Of bounds what is bounded. */
static bool bounded(const walk *w, const fsr_affine *arg, int n, fsr_affine *out) {
    int moving = 0;
    *w->bent = *w->bent || n > 1;
    *out = arg[0];
    for (int k = 0; k < n; ++k) {
        const bool moves = !is_still(&arg[k]);
        *out = moves ? arg[k] : *out;
        moving += moves;
    }
    return moving <= 1;
}

static bool follow_op(const walk *w, const fsr_flow_node *n, const fsr_index *index, int depth, fsr_affine *out) {
    const kind what = kind_of(n->op, n->dtype[0]);
    fsr_affine arg[3] = {0};
    for (int k = 0; k < n->nargs; ++k)
        if (what == SCATTERS || !follow(w, n->arg[k], index, depth + 1, &arg[k]))
            return false;
    if (what == TIMES && *w->varies)
        return false;
    bool known = true;
    *out = arg[0];
    if (what == SUMS)
        add(out, &arg[1], n->op == FSR_OP_SUB ? -1 : 1);
    else
        known = what == TIMES ? times(&arg[0], &arg[1], out) : bounded(w, arg, n->nargs, out);
    return known && holds(w, n->dtype[0], out);
}

static bool follow(const walk *w, fsr_link link, const fsr_index *asked, int depth, fsr_affine *out) {
    const fsr_flow_node *n = &w->flow->node[link.id];
    fsr_index index, inner;
    fsr_index_copy(&index, asked);
    while (fsr_is(n->kind, FSR_IS_VIEW)) {
        if (!fsr_index_view(&inner, &index, &n->view, &n->shape, &w->flow->node[n->arg[0].id].shape, w->domain))
            return false;
        fsr_index_copy(&index, &inner);
        n = &w->flow->node[n->arg[0].id];
    }
    *out = (fsr_affine){0};
    if (fsr_is(n->kind, FSR_IS_LITERAL)) {
        const bool text = fsr_literal_is_text(w->flow, n);
        const int64_t number = n->dtype[0] == FSR_I32 ? (int32_t)n->value.bits : (int64_t)n->value.bits;
        out->offset = text ? number : 0;
        *w->varies = *w->varies || !text;
        return n->dtype[0] == FSR_I32 || n->dtype[0] == FSR_I64;
    }
    if (fsr_has(n->kind, FSR_FIELD_axis) && n->nargs == 0 && !index.flat && !index.row[n->axis].over) {
        *out = index.row[n->axis];
        *w->bent = *w->bent || out->nterms;
        out->nterms = 0;
        return (n->dtype[0] == FSR_I32 || n->dtype[0] == FSR_I64) && holds(w, n->dtype[0], out);
    }
    return depth < DEEP && fsr_has(n->kind, FSR_FIELD_op) && follow_op(w, n, &index, depth, out);
}

bool fsr_price_gather_follows(const fsr_flow *flow, const fsr_domain *domain, const fsr_flow_node *n,
                              const fsr_index *index, fsr_index *inner, bool *exact) {
    bool bent = false, varies = false;
    const walk w = {flow, domain, &bent, &varies};
    const fsr_shape *source = &flow->node[n->arg[0].id].shape;
    fsr_affine place;
    if (index->flat || n->mode != FSR_INDEX_CLIP)
        return false;
    fsr_index_map(inner, index, &n->view, source);
    for (int j = 0, k = 1; j < source->ndim; ++j) {
        if (!(n->axes >> j & 1))
            continue;
        if (!follow(&w, n->arg[k++], index, 0, &place))
            return false;
        bent = bent || !is_within(&place, domain, fsr_added_extent(&n->shape, source, &n->view, j));
        add(&inner->row[j], &place, 1);
    }
    *exact = !bent && !varies;
    return true;
}

bool fsr_price_place_is(const fsr_flow *flow, const fsr_domain *domain, fsr_link place, const fsr_index *index,
                        fsr_affine *out) {
    bool bent = false, varies = false;
    const walk w = {flow, domain, &bent, &varies};
    return !index->flat && follow(&w, place, index, 0, out) && !bent && !varies && !out->over;
}

/* ---- instructions ---------------------------------------------------------------------------------------------- */

/* The number that a value is everywhere; 0 where it is none that the text has. */
static double constant_of(const fsr_kernel *k, int value) {
    const fsr_inst *inst = &k->inst[value];
    return inst->kind == FSR_INST_CONST ? (double)(int64_t)inst->value.bits : 0;
}

/* How many places a value goes on, along dimension d, from an element to the next. False: it follows no index. */
static bool slope_of(const fsr_kernel *k, int value, int d, int depth, double *slope) {
    const fsr_inst *inst = &k->inst[value];
    double arg[3] = {0, 0, 0};
    *slope = inst->kind == FSR_INST_INDEX && inst->index == d;
    if (inst->kind == FSR_INST_CONST || inst->kind == FSR_INST_INDEX)
        return true;
    if (inst->kind == FSR_INST_INSIDE)
        return inst->mode == FSR_INDEX_CLIP && depth < DEEP && slope_of(k, inst->arg[0], d, depth + 1, slope);
    const kind what = inst->kind == FSR_INST_OP ? kind_of(inst->op, inst->dtype) : SCATTERS;
    const int nargs = inst->kind == FSR_INST_OP ? fsr_op_get(inst->op)->arity : 0;
    for (int i = 0; i < nargs; ++i)
        if (what == SCATTERS || depth == DEEP || !slope_of(k, inst->arg[i], d, depth + 1, &arg[i]))
            return false;
    *slope = arg[0] + (inst->op == FSR_OP_SUB ? -arg[1] : arg[1]) + arg[2];
    if (what == TIMES)
        *slope = arg[0] * constant_of(k, inst->arg[1]) + arg[1] * constant_of(k, inst->arg[0]);
    return what != SCATTERS;
}

bool fsr_price_form_follows(const fsr_kernel *k, const fsr_form *f, int d, double *stride) {
    bool all = f->nterms > 0 && !f->whole;
    *stride = d >= 0 ? (double)f->stride[d] : 0;
    for (int t = 0; t < f->nterms && all; ++t) {
        double slope;
        all = slope_of(k, f->value[t], d, 0, &slope);
        *stride += all ? slope * (double)f->coefficient[t] : 0;
    }
    *stride = fabs(*stride) / (double)f->divisor;
    return all;
}

bool fsr_price_scatters_from(const fsr_prices *prices, const fsr_kernel *k, const fsr_form *f) {
    double stride;
    return fsr_price_is_gather(f) && !(prices->follow && fsr_price_form_follows(k, f, 0, &stride));
}
