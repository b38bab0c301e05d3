/* SPDX-License-Identifier: MIT */
/* Lowering of what a kernel reads: arrays, addresses in them, and loads, each of them once.
 *
 * An array is a leaf or what another group stores; the kernel then depends on that group, and may not if that group
 * needs this one. A fold or loop of another group that nobody has stored yet is noted in the group's needs.
 *
 * A load under a guard is served by the same load without one, but not the other way round. Counter-example: in
 * update(x, view, x[view] * 2) the section could do with x loaded inside it only, and the choice could not. An element
 * that is there and is the same everywhere, the start of a slice, needs no guard. Nor does, on a CPU, one that is
 * there and moves along no dimension that the guard asks, if that asks each element: a row that is assigned, behind a
 * gather, or the edge that a pad repeats. Counter-example to asking: a compiler loads one element behind a question
 * that differs for each by branches alone, and rows of 24 with their edges repeated took three times as long. */
#include "fusion/lower.h"

fsr_level fsr_lower_level(const fsr_lowering *l, const fsr_affine *at) {
    const fsr_domain *d = &l->group->domain;
    for (int i = d->nparallel; i < d->ndim; ++i)
        if (at->coef[i] != 0 && d->extent[i] != 1)
            return FSR_ELEM;
    for (int i = 0; i < at->nterms; ++i)
        if (l->k->stand[at->value[i]].level == FSR_ELEM)
            return FSR_ELEM;
    return FSR_ROW;
}

int fsr_lower_terms(fsr_lowering *l, int number, const fsr_affine *at) {
    fsr_index_form *form = &l->k->form[number];
    *form = (fsr_index_form){.nterms = at->nterms};
    for (int i = 0; i < at->nterms; ++i)
        form->term[i].value = at->value[i];
    return number;
}

int fsr_lower_array(fsr_lowering *l, const fsr_operand *operand, fsr_dtype dtype, bool written) {
    fsr_kernel *k = l->k;
    for (int i = 0; i < k->narrays; ++i)
        if (fsr_operand_equal(&l->group->operand[i], operand))
            return i;
    if (k->narrays == FSR_MAX_BUFFERS)
        return fsr_lower_refuse(l, "the kernel would have too many arrays");
    l->group->operand[k->narrays] = *operand;
    k->array[k->narrays] = (fsr_array){.dtype = dtype, .written = written};
    return k->narrays++;
}

int fsr_lower_access(fsr_lowering *l, int array, const fsr_affine *address) {
    fsr_kernel *k = l->k;
    for (int i = 0; i < k->naccesses; ++i)
        if (k->access[i].buffer == array && !k->access[i].whole && fsr_affine_equal(&l->address[i], address))
            return i;
    if (k->naccesses == FSR_MAX_ACCESSES)
        return fsr_lower_refuse(l, "the kernel would have too many accesses");
    l->address[k->naccesses] = *address;
    k->access[k->naccesses] = (fsr_access){.buffer = array, .form = fsr_lower_terms(l, k->naccesses, address)};
    return k->naccesses++;
}

/* The address is one number. */
static bool is_still(const fsr_lowering *l, const fsr_affine *address) {
    bool moves = address->nterms > 0 || address->over;
    for (int i = 0; i < l->group->domain.ndim; ++i)
        moves = moves || address->coef[i] != 0;
    return !moves;
}

/* A row without elements still runs what it does once, and must not load from an array that has none either; nor must
 * what is the same everywhere. */
static bool row_of_nothing(const fsr_lowering *l, const fsr_shape *shape, const fsr_affine *address) {
    const fsr_domain *d = &l->group->domain;
    return fsr_shape_size(shape) == 0 &&
           (is_still(l, address) || (d->nparallel < d->ndim && fsr_lower_level(l, address) == FSR_ROW));
}

/* The address is one number for all that a condition asks, and of the array wherever the domain is. */
static bool is_there(const fsr_lowering *l, const fsr_affine *address, int64_t elements) {
    const fsr_domain *d = &l->group->domain;
    int64_t low = address->offset, high = address->offset;
    bool there = address->nterms == 0 && !address->over;
    for (int i = 0; i < d->ndim && there; ++i) {
        const int64_t far = fsr_size_mul(address->coef[i] < 0 ? -address->coef[i] : address->coef[i], d->extent[i] - 1);
        there = d->extent[i] > 0 && far < elements;
        low -= there && address->coef[i] < 0 ? far : 0;
        high += there && address->coef[i] > 0 ? far : 0;
    }
    return there && low >= 0 && high < elements;
}

/* The guard asks a computed place, the last dimension or the last one that is no fold's, as rows side by side go along
 * that, and none along which the address moves.
 * Counter-example to the last dimension alone: a compiler that may not read an element makes no vector code of the
 * loop. Rolled by one along rows of 16, a sum down the columns took 10.1 ms of 62,467 rows, which is 3.6 times the
 * kernels of its nodes, and 2.9 so. */
static bool asks_elsewhere(const fsr_lowering *l, const fsr_affine *address, const fsr_guard *guard) {
    const int ndim = l->group->domain.ndim, kept = l->group->domain.nparallel;
    bool along = false, each = false;
    for (int i = 0; i < guard->n; ++i) {
        const fsr_affine *at = &l->box[guard->condition[i]].at;
        each = each || at->nterms > 0 || (ndim && at->coef[ndim - 1] != 0) || (kept && at->coef[kept - 1] != 0);
        for (int d = 0; d < ndim; ++d)
            along = along || (address->coef[d] != 0 && at->coef[d] != 0);
    }
    return each && !along;
}

/* The guard of a load at present, 0: it needs none. */
static int guard_of(const fsr_lowering *l, const fsr_affine *address, int64_t elements) {
    if (is_still(l, address) && address->offset >= 0 && address->offset < elements)
        return 0;
    const bool free = l->guard && !l->p->target->gpu && asks_elsewhere(l, address, &l->k->guard[l->guard - 1]) &&
                      is_there(l, address, elements);
    return free ? 0 : l->guard;
}

/* A load that is there already serves again, if it takes place wherever this one would. */
static int load(fsr_lowering *l, const fsr_operand *operand, fsr_link link, const fsr_index *index) {
    const fsr_flow_node *n = &l->flow->node[link.id];
    fsr_affine address;
    fsr_index_address(&address, index, &n->shape);
    if (row_of_nothing(l, &n->shape, &address))
        return fsr_lower_constant(l, n->dtype[link.output], (fsr_value){.bits = 0}, -1);
    int array = fsr_lower_array(l, operand, n->dtype[link.output], false);
    int access = array < 0 ? -1 : fsr_lower_access(l, array, &address);
    if (access < 0)
        return -1;
    l->elements[array] = fsr_shape_size(&n->shape);
    fsr_inst inst = fsr_inst_blank(FSR_INST_LOAD, n->dtype[link.output], link.id);
    inst.index = access;
    inst.guard = guard_of(l, &address, fsr_shape_size(&n->shape));
    for (int i = 0; i < l->k->ninsts; ++i) {
        const fsr_inst *at = &l->k->inst[i];
        if (at->kind == FSR_INST_LOAD && at->index == access && fsr_lower_serves(l, at->guard))
            return i;
    }
    fsr_level level = fsr_lower_level(l, &address);
    if (inst.guard && fsr_lower_guard_level(l, inst.guard - 1) == FSR_ELEM)
        level = FSR_ELEM;
    return fsr_lower_add_at(l, &inst, (fsr_stand){.level = level});
}

int fsr_lower_leaf(fsr_lowering *l, fsr_link link, const fsr_index *index) {
    fsr_operand operand = {.leaf = true, .ordinal = l->flow->node[link.id].ordinal};
    return load(l, &operand, link, index);
}

int fsr_lower_stored(fsr_lowering *l, fsr_link link, const fsr_index *index, int from) {
    if (!fsr_group_depend(l->group, from))
        return fsr_lower_refuse(l, "the kernel would depend on too many others");
    fsr_operand operand = {.link = link};
    return load(l, &operand, link, index);
}

bool fsr_lower_depend(fsr_lowering *l, fsr_link link, int from) {
    if (from < 0 || fsr_partition_reaches(l->p, from, l->g))
        return fsr_lower_refuse(l, "the kernels would need each other's results"), false;
    if (*fsr_partition_stored(l->p, link) < 0) {
        int i = 0;
        while (i < l->group->nneeds && !fsr_link_equal(l->group->needs[i], link))
            ++i;
        if (i == FSR_MAX_BUFFERS)
            return fsr_lower_refuse(l, "the kernel would have too many arrays"), false;
        if (i == l->group->nneeds)
            l->group->needs[l->group->nneeds++] = link;
    }
    return fsr_group_depend(l->group, from) ||
           (fsr_lower_refuse(l, "the kernel would depend on too many others"), false);
}

int fsr_lower_foreign(fsr_lowering *l, fsr_link link, const fsr_index *index) {
    const int own = l->p->group_of[link.id];
    return fsr_lower_depend(l, link, own) ? fsr_lower_stored(l, link, index, own) : -1;
}
