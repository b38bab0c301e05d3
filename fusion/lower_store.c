/* SPDX-License-Identifier: MIT */
/* Lowering of stores: what the group leaves in memory.
 *
 * A value is stored at its own elements, in C order: once a row where its shape is that of the rows, else at each
 * element. A PLACE is stored where it computes, and a paste that is done in place stores its region alone.
 *
 * Counter-example to taking the level from the value: sum(x, 1) * 2 is a value of the row, stored in a kernel whose
 * domain has columns; stored at each of them it would be written as often. */
#include "fusion/lower.h"

/* Places count in an array as large as the domain: an element of it is stored at each of the domain's points, whatever
 * their order. Counter-example: one element fits a row of any domain, where -1 would be another place. */
static bool places_fit(const fsr_lowering *l, const fsr_flow_node *n, bool row) {
    const fsr_domain *d = &l->group->domain;
    if (!fsr_is(n->kind, FSR_IS_PLACED))
        return true;
    return row == (d->nparallel == d->ndim) && fsr_domain_rows(d) * fsr_domain_cols(d) == n->shape.dim[0];
}

/* Where in the domain the i-th stored value is computed, and whether once a row. */
static bool store_index(fsr_lowering *l, int i, fsr_index *index) {
    fsr_link link = l->group->store[i];
    const fsr_flow_node *n = &l->flow->node[link.id];
    const fsr_domain *d = &l->group->domain;
    fsr_index input;
    if (fsr_lower_fold_slot(l->group, link.id) >= 0) {
        l->group->row[i] = !fsr_is(n->kind, FSR_IS_RUNNING);
        return fsr_lower_fold_index(l, link.id, &input, index) ||
               (fsr_lower_refuse(l, "the folds have different domains"), false);
    }
    l->group->row[i] = fsr_index_row(index, &n->shape, d);
    bool folded = d->ndim > d->nparallel;
    if (!places_fit(l, n, l->group->row[i]))
        return fsr_lower_refuse(l, "the stored value's shape is not the kernel's"), false;
    return l->group->row[i] || (folded && fsr_index_elem(index, &n->shape, d)) ||
           (fsr_lower_refuse(l, "the stored value's shape is not the kernel's"), false);
}

/* In place of its first argument a paste stores its region only: the domain is the region's. */
static bool store_region(fsr_lowering *l, fsr_link link, fsr_inst *inst, fsr_affine *address) {
    const fsr_flow_node *n = &l->flow->node[link.id];
    const fsr_shape *part = &l->flow->node[n->arg[1].id].shape;
    fsr_index index, place;
    l->group->row[0] = true;
    if (!fsr_index_row(&index, part, &l->group->domain) ||
        !fsr_index_view(&place, &index, &n->view, part, &n->shape, &l->group->domain))
        return fsr_lower_refuse(l, "the stored value's shape is not the kernel's"), false;
    fsr_index_address(address, &place, &n->shape);
    inst->arg[0] = fsr_lower_eval(l, n->arg[1], &index);
    return inst->arg[0] >= 0;
}

/* The value to store, and for a PLACE, where: then the access's address is 0. */
static bool store_values(fsr_lowering *l, fsr_link link, const fsr_index *index, fsr_inst *inst, fsr_affine *address) {
    const fsr_flow_node *n = &l->flow->node[link.id];
    if (l->group->in_place)
        return store_region(l, link, inst, address);
    inst->placed = fsr_is(n->kind, FSR_IS_PLACED);
    inst->arg[0] = fsr_lower_eval(l, inst->placed ? n->arg[0] : link, index);
    if (inst->placed && inst->arg[0] >= 0)
        inst->arg[1] = fsr_lower_eval(l, n->arg[1], index);
    if (inst->placed)
        *address = (fsr_affine){0};
    else
        fsr_index_address(address, index, &n->shape);
    return inst->arg[0] >= 0 && (!inst->placed || inst->arg[1] >= 0);
}

bool fsr_lower_store(fsr_lowering *l, int i) {
    fsr_link link = l->group->store[i];
    const fsr_flow_node *n = &l->flow->node[link.id];
    fsr_inst inst = fsr_lower_blank(FSR_INST_STORE, n->dtype[link.output], link.id);
    fsr_operand operand = {.link = link};
    fsr_affine address;
    fsr_index index;
    if (!l->group->in_place && !store_index(l, i, &index))
        return false;
    l->storing = link;
    int array =
        store_values(l, link, &index, &inst, &address) ? fsr_lower_array(l, &operand, n->dtype[link.output], true) : -1;
    inst.index = array < 0 ? -1 : fsr_lower_access(l, array, &address);
    if (inst.index < 0)
        return false;
    inst.level = l->group->row[i] ? FSR_ROW : FSR_ELEM;
    for (int a = 0; a <= inst.placed; ++a)
        if (l->group->row[i] && l->k->inst[inst.arg[a]].level == FSR_ELEM)
            return fsr_lower_refuse(l, "a value of the row depends on the column"), false;
    return fsr_lower_add(l, &inst) >= 0;
}
