/* SPDX-License-Identifier: MIT */
/* Which of the ranks that a call is given are literals: what lies below views, pastes and exact operations. */
#include "fusion/order_parts.h"

enum { DEEP = 12 };

/* Where along each dimension; -1: anywhere. */
typedef struct place {
    int64_t at[FSR_MAX_DIMS];
} place;

static bool through_view(const fsr_flow_node *n, int ndim, place *p) {
    place inner;
    if (n->view.kind != FSR_VIEW_AFFINE)
        return false;
    for (int j = 0; j < ndim; ++j) {
        const int from = n->view.from[j];
        const int64_t i = from < 0 ? 0 : p->at[from];
        inner.at[j] = i < 0 ? -1 : n->view.start[j] + n->view.step[j] * i;
    }
    *p = inner;
    return true;
}

/* Whether the place is in the section, and then where there; -1: it may be. */
static int into_section(const fsr_flow_node *n, const fsr_shape *part, place *p) {
    place inner = {{0}};
    for (int j = 0; j < n->shape.ndim; ++j) {
        const int from = n->view.from[j];
        const int64_t extent = from < 0 ? 1 : part->dim[from], step = extent > 1 ? n->view.step[j] : 1;
        const int64_t i = p->at[j] - n->view.start[j];
        const bool all = extent == n->shape.dim[j] && step == 1;
        if (p->at[j] < 0 && !all)
            return -1;
        if (p->at[j] >= 0 && (i % step != 0 || i / step < 0 || i / step >= extent))
            return 0;
        if (from >= 0)
            inner.at[from] = p->at[j] < 0 ? -1 : i / step;
    }
    *p = inner;
    return 1;
}

static bool literal_at(const fsr_flow *flow, fsr_link link, const place *asked, int depth, fsr_value *value);

/* What an exact operation gives of literals. */
static bool literal_result(const fsr_flow *flow, const fsr_flow_node *n, const place *p, int depth, fsr_value *value) {
    fsr_value arg[3];
    if (!fsr_has(n->kind, FSR_FIELD_op) || n->nargs < 1 || n->nargs > 3)
        return false;
    const fsr_link last = n->arg[n->nargs - 1];
    const fsr_dtype compute = flow->node[last.id].dtype[last.output];
    if (n->op != FSR_OP_CAST && !fsr_op_exact(n->op, compute))
        return false;
    for (int k = 0; k < n->nargs; ++k)
        if (!literal_at(flow, n->arg[k], p, depth + 1, &arg[k]))
            return false;
    *value = n->op == FSR_OP_CAST ? fsr_value_cast(n->dtype[0], compute, arg[0])
                                  : fsr_op_eval(n->op, compute, n->dtype[0], arg);
    return true;
}

/* The literal that an array has wherever the place says. */
static bool literal_at(const fsr_flow *flow, fsr_link link, const place *asked, int depth, fsr_value *value) {
    const fsr_flow_node *n = &flow->node[link.id];
    place p = *asked;
    for (; !fsr_is(n->kind, FSR_IS_LITERAL); n = &flow->node[link.id]) {
        const bool pastes = fsr_is(n->kind, FSR_OVERWRITES) && fsr_has(n->kind, FSR_FIELD_view) && n->nargs == 2 &&
                            !fsr_is(n->kind, FSR_SCATTERS);
        int side = 0;
        if (fsr_is(n->kind, FSR_IS_EACH))
            return depth < DEEP && literal_result(flow, n, &p, depth, value);
        if (fsr_is(n->kind, FSR_IS_VIEW) ? !through_view(n, flow->node[n->arg[0].id].shape.ndim, &p)
                                         : !pastes || (side = into_section(n, &flow->node[n->arg[1].id].shape, &p)) < 0)
            return false;
        link = n->arg[side];
    }
    *value = n->value;
    return true;
}

bool fsr_literal_rank(const fsr_flow *flow, fsr_link link, int64_t i, int64_t *rank) {
    const fsr_shape *shape = &flow->node[link.id].shape;
    fsr_value value;
    place p;
    for (int j = 0; j < shape->ndim; ++j)
        p.at[j] = j + 1 < shape->ndim ? -1 : i;
    if (!literal_at(flow, link, &p, 0, &value))
        return false;
    *rank = value.i64;
    return true;
}
