/* SPDX-License-Identifier: MIT */
/* Lowering of stores: what the group leaves in memory.
 *
 * A value is stored at its own elements, in C order: once a row where its shape is that of the rows, else at each
 * element. A filter's store says its mask and count where it can, and else where they lead each element; a paste that
 * is done in place stores its section alone.
 *
 * Counter-example to taking the level from the value: sum(x, 1) * 2 is a value of the row, stored in a kernel whose
 * domain has columns; stored at each of them it would be written as often. */
#include "fusion/filter.h"
#include "fusion/lower.h"

/* The last dimension of what goes to computed addresses in it, -1: nothing does. One element stays where it is. */
static int moved_dimension(const fsr_flow_node *n) {
    int last = n->shape.ndim - 1;
    return fsr_is(n->kind, FSR_IS_MOVED) && n->shape.dim[last] > 1 ? last : -1;
}

/* Where in the domain the i-th stored value is computed, and whether once a row. What is folded may have one element,
 * so that a value is of the row and of its element: beside a scan, of which it may be made, it is the element's. */
static bool store_index(fsr_lowering *l, int i, fsr_index *index) {
    fsr_link link = l->group->store[i];
    const fsr_flow_node *n = &l->flow->node[link.id];
    const fsr_domain *d = &l->group->domain;
    fsr_index input;
    if (fsr_lower_fold_slot(l->group, link.id) >= 0) {
        l->group->row[i] = !fsr_is(n->kind, FSR_IS_RUNNING);
        return fsr_lower_fold_index(l, link.id, NULL, index) ||
               (fsr_lower_refuse(l, "the folds have different domains"), false);
    }
    l->group->row[i] = fsr_index_row(index, &n->shape, d);
    bool folded = d->ndim > d->nparallel;
    if (moved_dimension(n) >= 0)
        l->group->row[i] = l->group->row[i] && !folded;
    if (l->group->row[i] && folded && fsr_lower_scans(l) && fsr_index_elem(&input, &n->shape, d)) {
        l->group->row[i] = false;
        *index = input;
    }
    return l->group->row[i] || (folded && fsr_index_elem(index, &n->shape, d)) ||
           (fsr_lower_refuse(l, "the stored value's shape is not the kernel's"), false);
}

/* What is scattered goes to computed indices. An index outside is reported, if it is to be, and in any case no place:
 * what would be clipped could meet another element there. */
static bool scattered_place(fsr_lowering *l, fsr_link link, const fsr_index *index, fsr_index *place) {
    const fsr_flow_node *n = &l->flow->node[link.id];
    const fsr_shape *part = &l->flow->node[n->arg[1].id].shape;
    int value[FSR_MAX_DIMS];
    fsr_index told;
    bool raises = n->mode == FSR_INDEX_RAISE;
    return fsr_lower_indices(l, link, 2, index, value) &&
           (!raises || fsr_lower_whole_index(l, link, part, &n->shape, FSR_INDEX_RAISE, index, value, &told)) &&
           fsr_lower_whole_index(l, link, part, &n->shape, raises ? FSR_INDEX_DROP : n->mode, index, value, place);
}

/* Where a section's element lies in the whole array: behind the corner, where that is computed. */
static bool section_place(fsr_lowering *l, fsr_link link, const fsr_index *index, fsr_index *place) {
    const fsr_flow_node *n = &l->flow->node[link.id];
    const fsr_shape *part = &l->flow->node[n->arg[1].id].shape;
    int next = 0, corner[FSR_MAX_DIMS];
    if (fsr_is(n->kind, FSR_SCATTERS))
        return scattered_place(l, link, index, place);
    if (fsr_has(n->kind, FSR_FIELD_view))
        return fsr_index_view(place, index, &n->view, part, &n->shape, &l->group->domain);
    if (!fsr_lower_indices(l, link, 2, index, corner))
        return false;
    *place = *index;
    for (int j = 0; j < n->shape.ndim; ++j) {
        if (!(n->axes >> j & 1))
            continue;
        int mode = fsr_lower_inside(l, link, next, corner[next], n->shape.dim[j] - part->dim[j] + 1, n->mode);
        ++next;
        if (mode < 0)
            return false;
        fsr_affine_add_symbol(&place->row[j], mode, 1);
    }
    return true;
}

/* A symbol along a dimension of one element moves no address, but says whether there is a store. */
static void keep_drops(const fsr_shape *shape, const fsr_index *place, fsr_affine *address) {
    for (int j = 0; j < shape->ndim; ++j)
        for (int t = 0; shape->dim[j] == 1 && t < place->row[j].nterms; ++t)
            fsr_affine_add_symbol(address, place->row[j].value[t], 1);
}

/* In place of its first argument a paste stores its section only: the domain is the section's. */
static bool store_section(fsr_lowering *l, int i, fsr_inst *inst, fsr_affine *address) {
    const fsr_link link = l->group->store[i];
    const fsr_flow_node *n = &l->flow->node[link.id];
    const fsr_shape *part = &l->flow->node[n->arg[1].id].shape;
    const fsr_domain *d = &l->group->domain;
    fsr_index index, place;
    l->group->row[i] = d->ndim == d->nparallel;
    const bool there = l->group->row[i] ? fsr_index_row(&index, part, d) : fsr_index_elem(&index, part, d);
    if (!there || !section_place(l, link, &index, &place))
        return fsr_lower_refuse(l, "the stored value's shape is not the kernel's"), false;
    fsr_index_address(address, &place, &n->shape);
    keep_drops(&n->shape, &place, address);
    inst->arg[0] = fsr_lower_eval(l, n->arg[1], &index);
    if (fsr_has(n->kind, FSR_FIELD_combine)) {
        inst->combines = true;
        inst->op = n->combine->op;
        inst->extent = fsr_lower_extent(l, fsr_shape_size(&n->shape));
    }
    return inst->arg[0] >= 0 && inst->extent >= 0;
}

/* Along the last dimension element i is column i of the domain, and all of them. */
static bool is_column(const fsr_domain *d, const fsr_affine *row, int64_t extent) {
    bool same = d->ndim > d->nparallel && fsr_domain_cols(d) == extent && !row->offset && !row->over && !row->nterms;
    int64_t stride = 1;
    for (int j = d->ndim - 1; j >= 0; --j) {
        const int64_t wanted = j < d->nparallel ? 0 : stride;
        same = same && (d->extent[j] == 1 || row->coef[j] == wanted);
        stride *= d->extent[j];
    }
    return same;
}

/* The place of a filter's element `row` along the last dimension, whose count another kernel may have stored. */
static int place_of(fsr_lowering *l, fsr_link link, const fsr_affine *row, int mask, int before) {
    const fsr_flow_node *n = &l->flow->node[link.id];
    const int number = n->front ? -1 : fsr_lower_number(l, link.id, row, l->k->inst[before].dtype);
    const int place =
        number < 0 && !n->front ? -1 : fsr_lower_made(l, fsr_kernel_place(l->k, mask, before, number, n->front));
    return place < 0 ? -1 : fsr_lower_inside(l, link, 0, place, n->shape.dim[n->shape.ndim - 1], FSR_INDEX_DROP);
}

/* Behind its count the mask holds nowhere. */
static bool ends_at_count(const fsr_flow *flow, const fsr_flow_node *mask) {
    const fsr_flow_node *fill = &flow->node[mask->nargs ? mask->arg[0].id : 0];
    while (fsr_is(fill->kind, FSR_IS_VIEW))
        fill = &flow->node[fill->arg[0].id];
    return fsr_is(mask->kind, FSR_IS_PREFIX) && !mask->front && fsr_is(fill->kind, FSR_IS_LITERAL) &&
           fill->value.bits == 0;
}

/* The element of a filter, which is stored where the mask holds alone: nothing is loaded for it behind a count where
 * the mask ends, if loops ask guards in any case. Counter-example to always: x[x > 0] of a length that is given loads
 * vectors. */
static int filtered_value(fsr_lowering *l, const fsr_flow_node *n, const fsr_index *index) {
    const fsr_flow_node *mask = &l->flow->node[n->arg[1].id];
    if (!n->front || index->flat || !ends_at_count(l->flow, mask))
        return fsr_lower_eval(l, n->arg[0], index);
    if (fsr_lower_eval(l, n->arg[1], index) < 0)
        return -1;
    const int guard = l->k->nconditions > 1 ? fsr_lower_prefix_guard(l, n->arg[1], index) : 0;
    return guard < 0 ? -1
           : guard   ? fsr_lower_eval_under(l, n->arg[0], index, guard)
                     : fsr_lower_eval(l, n->arg[0], index);
}

/* The filter's own element. Where the count is the kernel's own, along its columns, the store says mask and count, and
 * has the address of the row; else it goes to a computed place. */
static bool store_filtered(fsr_lowering *l, fsr_link link, const fsr_index *index, fsr_inst *inst,
                           fsr_affine *address) {
    const fsr_flow_node *n = &l->flow->node[link.id];
    const int last = moved_dimension(n);
    fsr_index moved = *index;
    inst->arg[0] = filtered_value(l, n, index);
    if (last < 0 || inst->arg[0] < 0) {
        fsr_index_address(address, index, &n->shape);
        return inst->arg[0] >= 0;
    }
    const int mask = fsr_lower_eval(l, n->arg[1], index), before = mask < 0 ? -1 : fsr_lower_eval(l, n->arg[2], index);
    if (before < 0)
        return false;
    inst->filter =
        fsr_counts_mask(l->k, before, mask) && is_column(&l->group->domain, &index->row[last], n->shape.dim[last]);
    const int place = inst->filter ? -1 : place_of(l, link, &index->row[last], mask, before);
    moved.row[last] = (fsr_affine){0};
    if (place >= 0)
        fsr_affine_add_symbol(&moved.row[last], place, 1);
    fsr_index_address(address, &moved, &n->shape);
    inst->front = inst->filter && n->front;
    inst->arg[1] = inst->filter ? mask : -1;
    inst->arg[2] = inst->filter ? before : -1;
    return inst->filter || place >= 0;
}

/* The i-th stored value is a section of an array that is there: it alone, but for sums of rows beside folds. */
static bool is_section(const fsr_lowering *l, int i) {
    return l->group->in_place && (!l->group->nfolds || fsr_is(l->flow->node[l->group->store[i].id].kind, FSR_SCATTERS));
}

/* The value to store, and where. */
static bool store_values(fsr_lowering *l, int i, const fsr_index *index, fsr_inst *inst, fsr_affine *address) {
    const fsr_link link = l->group->store[i];
    const fsr_flow_node *n = &l->flow->node[link.id];
    if (is_section(l, i))
        return store_section(l, i, inst, address);
    if (fsr_is(n->kind, FSR_IS_MOVED))
        return store_filtered(l, link, index, inst, address);
    inst->arg[0] = fsr_lower_eval(l, link, index);
    fsr_index_address(address, index, &n->shape);
    return inst->arg[0] >= 0;
}

/* A value of the row is one for all of its columns, and so is where it goes. */
static bool row_is_one(fsr_lowering *l, const fsr_inst *inst, fsr_level level, const fsr_affine *address) {
    if (level == FSR_ELEM || (l->k->stand[inst->arg[0]].level == FSR_ROW && fsr_lower_level(l, address) == FSR_ROW))
        return true;
    return fsr_lower_refuse(l, "a value of the row depends on the column"), false;
}

/* Beside folds rows are combined where these go along them. Counter-example to any folds: the mean of each three rows,
 * beside the mean down the columns that fold_across.h makes such a store of, has neighbours in rows of its domain. */
static bool rows_lie_along(fsr_lowering *l, const fsr_inst *inst, fsr_level level, const fsr_affine *address) {
    const fsr_domain *d = &l->group->domain;
    if (!inst->combines || !l->group->nfolds)
        return true;
    if (level == FSR_ELEM && d->ndim > d->nparallel && address->coef[d->ndim - 1] == 1 && !address->nterms &&
        !address->over)
        return true;
    return fsr_lower_refuse(l, "rows that are combined do not lie along what is folded"), false;
}

/* Its argument's element: the array is its own because nobody else has it. */
int fsr_lower_own(fsr_lowering *l, fsr_link link, const fsr_index *index) {
    return fsr_lower_eval(l, l->flow->node[link.id].arg[0], index);
}

/* On a CPU, whose loops along rows add one to the other, rows that are combined into one go with folds of them. */
static bool joins_folds(const fsr_lowering *l, const fsr_flow_node *n) {
    bool one = !l->p->target->gpu && l->group->nfolds && fsr_has(n->kind, FSR_FIELD_combine) && !n->axes;
    for (int i = 0; i < l->group->nstores && one; ++i) {
        const fsr_flow_node *other = &l->flow->node[l->group->store[i].id];
        one = other == n || !fsr_is(other->kind, FSR_SCATTERS);
    }
    return one && !fsr_lower_scans(l);
}

/* A scatter is written over the array that it has for itself, by a kernel of its own: over what is scattered. */
static bool take_base(fsr_lowering *l, const fsr_flow_node *n) {
    fsr_group *group = l->group;
    int from = *fsr_partition_stored(l->p, n->arg[0]);
    if ((group->nstores > 1 || group->nfolds) && !joins_folds(l, n))
        return fsr_lower_refuse(l, "a scatter is a kernel of its own"), false;
    if (from < 0)
        return fsr_lower_blame(l, "what is scattered into comes first", n->arg[0]), false;
    group->in_place = group->part = true;
    group->base = (fsr_operand){.link = n->arg[0]};
    return fsr_group_depend(group, from) || (fsr_lower_refuse(l, "the kernel would depend on too many others"), false);
}

bool fsr_lower_store(fsr_lowering *l, int i) {
    fsr_link link = l->group->store[i];
    const fsr_flow_node *n = &l->flow->node[link.id];
    if (fsr_is(n->kind, FSR_SCATTERS) && !take_base(l, n))
        return false;
    fsr_inst inst = fsr_inst_blank(FSR_INST_STORE, n->dtype[link.output], link.id);
    fsr_operand operand = {.link = link};
    fsr_affine address;
    fsr_index index;
    if (!is_section(l, i) && !store_index(l, i, &index))
        return false;
    l->storing = link;
    int array =
        store_values(l, i, &index, &inst, &address) ? fsr_lower_array(l, &operand, n->dtype[link.output], true) : -1;
    inst.index = array < 0 ? -1 : fsr_lower_access(l, array, &address);
    if (inst.index < 0)
        return false;
    const fsr_level level = l->group->row[i] ? FSR_ROW : FSR_ELEM;
    return row_is_one(l, &inst, level, &address) && rows_lie_along(l, &inst, level, &address) &&
           fsr_lower_add_at(l, &inst, (fsr_stand){.level = level}) >= 0;
}
