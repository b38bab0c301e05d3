/* SPDX-License-Identifier: MIT */
/* Lowering of the group's folds: reductions and scans over the kernel's domain.
 *
 * A fold takes its input at every point of the domain, and has its results where the domain says: a reduction's once a
 * row, one pass later; a scan's at each element, in the same pass. Asked for anywhere else it is refused.
 *
 * Counter-example to evaluating a fold's result at any index: s = cumsum(x), s + s[::-1] needs the last sum beside the
 * first element, before it is known. */
#include "fusion/lower.h"

int fsr_lower_fold_slot(const fsr_group *group, int node) {
    for (int i = 0; i < group->nfolds; ++i)
        if (group->fold[i] == node)
            return i;
    return -1;
}

bool fsr_lower_scans(const fsr_lowering *l) {
    for (int i = 0; i < l->group->nfolds; ++i)
        if (fsr_is(l->flow->node[l->group->fold[i]].kind, FSR_IS_RUNNING))
            return true;
    return false;
}

void fsr_fold_domain(const fsr_flow *flow, int node, const fsr_domain *like, fsr_domain *out) {
    const fsr_flow_node *n = &flow->node[node];
    bool scan = fsr_is(n->kind, FSR_IS_RUNNING);
    fsr_domain_make(out, &flow->node[n->arg[0].id].shape, scan ? 1u << n->axis : n->axes);
    if (n->combine->sequential && out->nparallel == 0)
        fsr_domain_stand(out);
    out->mirrored = scan ? n->reverse : n->combine->commutative && like && like->mirrored;
}

bool fsr_lower_fold_index(const fsr_lowering *l, int node, fsr_index *input, fsr_index *result) {
    const fsr_flow_node *n = &l->flow->node[node];
    const fsr_shape *shape = &l->flow->node[n->arg[0].id].shape;
    fsr_domain own;
    fsr_fold_domain(l->flow, node, &l->group->domain, &own);
    int folded = own.ndim - own.nparallel;
    if (own.mirrored != l->group->domain.mirrored || !fsr_domain_divide_like(&own, &l->group->domain) ||
        (fsr_is(n->kind, FSR_IS_RUNNING) && own.ndim - own.nparallel != folded))
        return false;
    if (input && !fsr_index_elem(input, shape, &own))
        return false;
    if (result && fsr_is(n->kind, FSR_IS_RUNNING))
        return fsr_index_elem(result, shape, &own);
    return !result || fsr_index_row(result, &n->shape, &own);
}

/* On a GPU a running sum of f32 has an f64 for its state: neighbours of two lanes, warps or tiles come out of different
 * trees, which in f32 round differently. A CPU's emitter carries an f64 from block to block. */
static bool narrow(const fsr_lowering *l, const fsr_flow_node *n) {
    const fsr_combine *c = n->combine;
    return l->p->target->gpu && fsr_is(n->kind, FSR_IS_RUNNING) && c->builtin && c->op == FSR_OP_ADD &&
           fsr_combine_dtype(c, 0) == FSR_F32;
}

/* The kernel's number of the group's fold, at the place that a point is at. */
static int number_of(const fsr_group *group, int slot) {
    int place = 0;
    for (int d = 0; d < group->domain.ndim; ++d)
        if (group->coarse[d] > 1)
            place = place * group->coarse[d] + (int)group->domain.start[d];
    return place * group->nfolds + slot;
}

bool fsr_lower_combine(fsr_lowering *l, int slot) {
    fsr_kernel *k = l->k;
    const int node = l->group->fold[slot], number = number_of(l->group, slot);
    fsr_fold *fold = &k->fold[number];
    if (fold->combine)
        return true;
    const fsr_flow_node *n = &l->flow->node[node];
    fsr_index input, result;
    if (!fsr_lower_fold_index(l, node, &input, &result))
        return fsr_lower_refuse(l, "the folds have different domains"), false;
    *fold = (fsr_fold){0};
    fsr_inst inst = fsr_inst_blank(FSR_INST_COMBINE, n->dtype[0], node);
    inst.index = number;
    for (int i = 0; i < n->nout; ++i) {
        fold->input[i] = fsr_lower_eval_under(l, n->arg[i], &input, 0);
        if (fold->input[i] < 0)
            return false;
    }
    for (int i = n->nout; i < n->nargs; ++i) {
        fold->same[i - n->nout] = fsr_lower_scalar(l, n->arg[i].id);
        if (fold->same[i - n->nout] < 0)
            return false;
    }
    fold->narrow = narrow(l, n);
    fold->combine = fold->narrow ? fsr_combine_builtin(FSR_OP_ADD, FSR_F64) : fsr_combine_copy(n->combine);
    if (!fold->combine)
        return fsr_lower_refuse(l, fsr_reason_memory), false;
    fold->kind = fsr_is(n->kind, FSR_IS_RUNNING) ? FSR_FOLD_SCAN : FSR_FOLD_REDUCE;
    fold->exclusive = n->exclusive;
    l->combine[number] = fsr_lower_add_at(l, &inst, (fsr_stand){.level = FSR_ELEM});
    if (l->combine[number] < 0)
        return false;
    fold->pass = k->stand[l->combine[number]].pass;
    return true;
}

/* A result of the group's own fold. */
static int own_result(fsr_lowering *l, fsr_link link, const fsr_index *index, int slot) {
    fsr_index result;
    if (!fsr_lower_fold_index(l, link.id, NULL, &result))
        return fsr_lower_refuse(l, "the folds have different domains");
    if (index->flat || !fsr_index_equal(&result, index))
        return fsr_lower_refuse(l,
                                "the fold's result is needed in another order or at other places than it is produced");
    if (!fsr_lower_combine(l, slot))
        return -1;
    const int number = number_of(l->group, slot);
    const bool scan = l->k->fold[number].kind == FSR_FOLD_SCAN;
    const int8_t pass = (int8_t)l->k->fold[number].pass;
    fsr_inst inst = fsr_inst_blank(FSR_INST_PICK, l->flow->node[link.id].dtype[link.output], link.id);
    inst.index = number;
    inst.component = link.output;
    inst.arg[0] = l->combine[number];
    return fsr_lower_add_at(l, &inst,
                            scan ? (fsr_stand){.level = FSR_ELEM, .pass = pass}
                                 : (fsr_stand){.level = FSR_ROW, .pass = (int8_t)(pass + 1)});
}

int fsr_lower_fold(fsr_lowering *l, fsr_link link, const fsr_index *index) {
    const int slot = fsr_lower_fold_slot(l->group, link.id);
    return slot >= 0 ? own_result(l, link, index, slot) : fsr_lower_foreign(l, link, index);
}
