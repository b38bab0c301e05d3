/* SPDX-License-Identifier: MIT */
/* Lowering of values with a length that was counted before: where a kernel may end.
 *
 * A map of one dimension whose results all are prefixes of one count ends there. So may the passes of a kernel of one
 * folded dimension: its reductions see prefixes whose fill changes no bit of theirs, its scans go forward, and what it
 * stores of each element is asked for before the count alone (fusion/asked.c). A scatter ends where its first indices
 * do, which lead nowhere behind. Counter-example to every operator of a caller's: what it calls its identity may change
 * a bit, a zero's sign say, and then a kernel that something else keeps at the capacity would give another result. */
#include "fusion/lower.h"

/* The common count becomes that of a prefix; false: it is none of the kind that is asked for, or has another one. */
static bool counted(const fsr_lowering *l, int id, bool neutral, fsr_link *count) {
    const fsr_flow_node *n = &l->flow->node[id];
    if (!fsr_is(n->kind, FSR_IS_PREFIX) || n->shape.ndim != 1 || !(neutral ? n->neutral : n->front) ||
        (count->id >= 0 && !fsr_link_equal(*count, n->arg[2])))
        return false;
    *count = n->arg[2];
    return true;
}

/* Nobody asks for the elements of a stored value behind the count, and each is computed at its own place. */
static bool asked_before(const fsr_lowering *l, int id, fsr_link *count) {
    const fsr_flow_node *n = &l->flow->node[id];
    const fsr_link asked = l->p->asked ? l->p->asked[id] : (fsr_link){-1, 0};
    if (asked.id < 0 || n->shape.ndim != 1 || n->nout != 1 || !fsr_is(n->kind, FSR_IS_EACH | FSR_IS_RUNNING) ||
        (count->id >= 0 && !fsr_link_equal(*count, asked)))
        return false;
    *count = asked;
    return true;
}

/* What the i-th store needs of each element ends at a count: what is asked for, or where a scatter puts it. */
static bool store_counted(const fsr_lowering *l, int i, fsr_link *count) {
    const int id = l->group->store[i].id;
    const fsr_flow_node *n = &l->flow->node[id];
    if (fsr_is(n->kind, FSR_SCATTERS))
        return n->nargs > 2 && counted(l, n->arg[2].id, true, count);
    return counted(l, id, false, count) || asked_before(l, id, count);
}

/* The count behind which no reduction of the group has anything to see, and no stored element is asked for; its id -1:
 * there is none. What a scan gives before it, it gives whatever stands behind. */
static fsr_link common_count(const fsr_lowering *l) {
    const fsr_group *group = l->group;
    fsr_link count = {-1, 0};
    bool all = true;
    for (int i = 0; i < group->nfolds; ++i) {
        const fsr_flow_node *fold = &l->flow->node[group->fold[i]];
        const bool forward = fsr_is(fold->kind, FSR_IS_RUNNING) && !fold->reverse;
        for (int k = 0; k < fold->combine->arity && !forward; ++k)
            all = all && counted(l, fold->arg[k].id, true, &count);
    }
    for (int i = 0; i < group->nstores; ++i)
        if (!group->nfolds || !group->row[i])
            all = all && store_counted(l, i, &count);
    return all ? count : (fsr_link){-1, 0};
}

/* The guard, 1 + its number, has the condition that the index lies before value `end`. */
static bool is_before(const fsr_lowering *l, int guard, int end) {
    for (int i = 0; guard && i < l->k->guard[guard - 1].n; ++i) {
        const fsr_box *box = &l->box[l->k->guard[guard - 1].condition[i]];
        const fsr_affine *at = &box->at;
        if (at->nterms == 1 && at->value[0] == end && at->factor[0] == -1 && at->coef[0] == 1 && !at->over &&
            box->step == 1 && at->offset >= box->extent)
            return true;
    }
    return false;
}

/* Behind value `end` the index is 0: the choice of a prefix, whose guard is asked before the end alone. */
static bool is_first_behind(const fsr_lowering *l, int index, int end) {
    const fsr_inst *choice = &l->k->inst[index];
    if (choice->kind != FSR_INST_OP || choice->op != FSR_OP_WHERE)
        return false;
    const fsr_inst *guard = &l->k->inst[choice->arg[0]], *other = &l->k->inst[choice->arg[2]];
    return guard->kind == FSR_INST_GUARD && is_before(l, 1 + guard->index, end) && other->kind == FSR_INST_CONST &&
           other->value.bits == 0;
}

/* No element behind value `end` is told to be outside. */
static bool reports_end(const fsr_lowering *l, int end) {
    for (int i = 0; i < l->k->ninsts; ++i) {
        const fsr_inst *inst = &l->k->inst[i];
        if (l->k->stand[i].level == FSR_ELEM && inst->report && !is_before(l, inst->guard, end) &&
            !is_first_behind(l, inst->arg[0], end))
            return false;
    }
    return true;
}

/* What is computed along one dimension ends where all that is asked of it does. */
bool fsr_lower_end(fsr_lowering *l) {
    const fsr_group *group = l->group;
    const fsr_link count = common_count(l);
    fsr_index index;
    l->k->live = 0;
    const bool scatters = group->nstores && fsr_is(l->flow->node[group->store[0].id].kind, FSR_SCATTERS);
    if (count.id < 0 || ((group->part || group->in_place) && !scatters) || group->domain.ndim != 1)
        return true;
    if (!(group->nfolds ? fsr_index_elem : fsr_index_row)(&index, &l->flow->node[count.id].shape, &group->domain))
        return true;
    const int64_t extent = group->domain.extent[0];
    const fsr_link whose = group->nstores ? group->store[0] : (fsr_link){group->fold[0], 0};
    const int value = fsr_lower_eval(l, count, &index);
    const int end = value < 0 ? -1 : fsr_lower_inside(l, whose, 0, value, extent + 1, FSR_INDEX_CLIP);
    l->k->live = group->nfolds && end >= 0 && !reports_end(l, end) ? 0 : end + 1;
    l->k->backward = l->k->live && group->domain.mirrored;
    return end >= 0;
}
