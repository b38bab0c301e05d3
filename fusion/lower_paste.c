/* SPDX-License-Identifier: MIT */
/* Lowering of pastes, and the guards they make.
 *
 * A paste is a choice: its section's value is evaluated under a guard, the section's box in the domain, in the
 * section's own coordinates, so maps, views and leaves below it fuse as elsewhere; loads there take place inside the
 * box only. A paste below a paste adds its conditions to those under which its own loads take place. Where the box is
 * the whole domain or nothing of it, there is no choice. An inset is a paste whose place is computed: the box moves,
 * its conditions have values, and whether they hold is asked at each point. A prefix is a choice whose box has a
 * computed end.
 *
 * Counter-example to a choice of two loads without a guard: concat(x, y) at a point of y has no element of x to
 * load. */
#include "fusion/lower.h"
#include <string.h>

/* Values that the conditions of a guard have. */
static int terms_of(const fsr_lowering *l, const fsr_guard *guard) {
    int n = 0;
    for (int j = 0; j < guard->n; ++j)
        n += l->box[guard->condition[j]].at.nterms;
    return n;
}

bool fsr_lower_condition(fsr_lowering *l, fsr_guard *guard, const fsr_box *box) {
    int i = 0;
    if (terms_of(l, guard) + box->at.nterms > FSR_MAX_TERMS)
        return fsr_lower_refuse(l, "the kernel would have too many computed indices"), false;
    while (i < l->k->nconditions && !fsr_box_equal(&l->box[i], box))
        ++i;
    for (int j = 0; j < guard->n; ++j)
        if (guard->condition[j] == i)
            return true;
    if (guard->n == FSR_MAX_GUARD || i == FSR_MAX_CONDITIONS)
        return fsr_lower_refuse(l, "the kernel would have too many guards"), false;
    if (i == l->k->nconditions) {
        l->k->condition[i] = (fsr_condition){.form = fsr_lower_terms(l, FSR_MAX_ACCESSES + i, &box->at)};
        l->box[l->k->nconditions++] = *box;
    }
    guard->condition[guard->n++] = i;
    return true;
}

int fsr_lower_guard(fsr_lowering *l, const fsr_guard *guard) {
    fsr_kernel *k = l->k;
    for (int i = 0; i < k->nguards; ++i)
        if (k->guard[i].n == guard->n &&
            !memcmp(k->guard[i].condition, guard->condition, sizeof guard->condition[0] * (size_t)guard->n))
            return i + 1;
    if (k->nguards == FSR_MAX_GUARDS)
        return fsr_lower_refuse(l, "the kernel would have too many guards"), 0;
    k->guard[k->nguards] = *guard;
    return ++k->nguards;
}

/* The section's own index, and the conditions of the points inside it. */
static bool section(fsr_lowering *l, const fsr_flow_node *n, const fsr_index *index, fsr_index *inner, fsr_guard *guard,
                    fsr_truth *truth) {
    const fsr_shape *part = &l->flow->node[n->arg[1].id].shape;
    *inner = (fsr_index){.n = part->ndim};
    *truth = fsr_shape_size(part) ? FSR_ALWAYS : FSR_NEVER;
    for (int j = 0; j < n->shape.ndim && *truth != FSR_NEVER; ++j) {
        int from = n->view.from[j];
        int64_t extent = from < 0 ? 1 : part->dim[from];
        fsr_affine into;
        fsr_box box;
        fsr_affine_into(&into, &index->row[j], n->view.start[j], extent > 1 ? n->view.step[j] : 1);
        fsr_truth one = fsr_box_make(&box, &into, extent, &l->group->domain);
        if (one != FSR_ALWAYS)
            *truth = one;
        if (one == FSR_SOMETIMES && !fsr_lower_condition(l, guard, &box))
            return false;
        if (extent > 1)
            inner->row[from] = into;
    }
    return true;
}

fsr_level fsr_lower_guard_level(const fsr_lowering *l, int guard) {
    for (int i = 0; i < l->k->guard[guard].n; ++i)
        if (fsr_lower_level(l, &l->box[l->k->guard[guard].condition[i]].at) == FSR_ELEM)
            return FSR_ELEM;
    return FSR_ROW;
}

/* The bool that says where a guard (1 + number) holds. */
static int guard_value(fsr_lowering *l, int guard, int node) {
    for (int i = 0; i < l->k->ninsts; ++i)
        if (l->k->inst[i].kind == FSR_INST_GUARD && l->k->inst[i].index == guard - 1)
            return i;
    fsr_inst inst = fsr_inst_blank(FSR_INST_GUARD, FSR_BOOL, node);
    inst.index = guard - 1;
    return fsr_lower_add_at(l, &inst, (fsr_stand){.level = fsr_lower_guard_level(l, guard - 1)});
}

static int part_under(fsr_lowering *l, const fsr_choice *choice, const fsr_index *index, int guard) {
    const int elective = l->elective;
    const uint32_t along = l->along;
    l->elective = choice->along ? guard : 0;
    l->along = choice->along;
    const int part = fsr_lower_eval_under(l, choice->part, index, guard);
    l->elective = elective;
    l->along = along;
    return part;
}

/* The choice between `base` at index and `part` at inner, which is evaluated where the section's conditions and
 * those hold under which the choice is wanted. The choice itself asks the section's alone: outside of the others its
 * value is any, and where it serves under others it is right. The base comes first: what it loads everywhere
 * serves the section as well. */
int fsr_lower_choose(fsr_lowering *l, fsr_link link, const fsr_choice *choice, const fsr_index *index,
                     const fsr_index *inner, const fsr_guard *conditions, fsr_truth truth) {
    const fsr_flow_node *n = &l->flow->node[link.id];
    if (truth == FSR_ALWAYS)
        return fsr_lower_eval(l, choice->part, inner);
    int base = fsr_lower_eval(l, choice->base, index);
    if (truth == FSR_NEVER || base < 0)
        return base;
    fsr_guard within = l->guard ? l->k->guard[l->guard - 1] : (fsr_guard){0};
    for (int j = 0; j < conditions->n; ++j)
        if (!fsr_lower_condition(l, &within, &l->box[conditions->condition[j]]))
            return -1;
    int own = fsr_lower_guard(l, conditions), guard = own ? fsr_lower_guard(l, &within) : 0;
    int part = guard ? part_under(l, choice, inner, guard) : -1;
    fsr_inst inst = fsr_inst_blank(FSR_INST_OP, n->dtype[0], link.id);
    inst.op = FSR_OP_WHERE;
    inst.compute = n->dtype[0];
    inst.arg[0] = part < 0 ? -1 : guard_value(l, own, link.id);
    inst.arg[1] = part;
    inst.arg[2] = base;
    return inst.arg[0] < 0 ? -1 : fsr_lower_add(l, &inst);
}

int fsr_lower_paste(fsr_lowering *l, fsr_link link, const fsr_index *asked) {
    const fsr_flow_node *n = &l->flow->node[link.id];
    fsr_index index = *asked, inner;
    fsr_guard conditions = {0};
    fsr_truth truth;
    if (asked->flat && !fsr_index_split(&index, asked, &n->shape, &l->group->domain))
        return fsr_lower_blame_flat(l, "a reshape of a paste has no affine index", link, asked);
    if (!section(l, n, &index, &inner, &conditions, &truth))
        return -1;
    return fsr_lower_choose(l, link, &(fsr_choice){n->arg[0], n->arg[1], 0}, &index, &inner, &conditions, truth);
}

/* The section's own index, less what its corner is computed to be along the axes where it is smaller; and its guard. */
static bool moved_section(fsr_lowering *l, fsr_link link, const fsr_index *index, fsr_index *inner, fsr_guard *guard,
                          fsr_truth *truth) {
    const fsr_flow_node *n = &l->flow->node[link.id];
    const fsr_shape *part = &l->flow->node[n->arg[1].id].shape;
    int value[FSR_MAX_DIMS], next = 0;
    for (int i = 0; i + 2 < n->nargs; ++i)
        if ((value[i] = fsr_lower_eval(l, n->arg[2 + i], index)) < 0)
            return false;
    *inner = (fsr_index){.n = part->ndim};
    *truth = FSR_ALWAYS;
    for (int j = 0; j < n->shape.ndim; ++j) {
        fsr_affine into = index->row[j];
        fsr_box box;
        if (n->axes >> j & 1) {
            int corner = fsr_lower_inside(l, link, next, value[next], n->shape.dim[j] - part->dim[j] + 1, n->mode);
            if (corner < 0)
                return false;
            if (into.nterms == FSR_MAX_DIMS)
                return fsr_lower_refuse(l, "the address would have too many computed indices"), false;
            fsr_affine_add_symbol(&into, corner, -1);
            ++next;
            if (fsr_box_make(&box, &into, part->dim[j], &l->group->domain) == FSR_SOMETIMES) {
                *truth = FSR_SOMETIMES;
                if (!fsr_lower_condition(l, guard, &box))
                    return false;
            }
        }
        if (part->dim[j] > 1)
            inner->row[j] = into;
    }
    return true;
}

/* As a paste, at a place that is computed: the guard is a box that moves. */
int fsr_lower_inset(fsr_lowering *l, fsr_link link, const fsr_index *asked) {
    const fsr_flow_node *n = &l->flow->node[link.id];
    fsr_index index = *asked, inner;
    fsr_guard conditions = {0};
    fsr_truth truth;
    if (asked->flat && !fsr_index_split(&index, asked, &n->shape, &l->group->domain))
        return fsr_lower_blame_flat(l, "a reshape of a paste has no affine index", link, asked);
    if (!moved_section(l, link, &index, &inner, &conditions, &truth))
        return -1;
    if (fsr_index_terms(&inner) > FSR_MAX_DIMS)
        return fsr_lower_refuse(l, "the address would have too many computed indices");
    return fsr_lower_choose(l, link, &(fsr_choice){n->arg[0], n->arg[1], 0}, &index, &inner, &conditions, truth);
}

/* The box of a prefix at an index, split: it ends where the count says, which moves its other side too, to where no
 * element is: 0 <= i - count + extent < extent. */
static bool prefix_box(fsr_lowering *l, fsr_link link, const fsr_index *index, fsr_guard *conditions,
                       fsr_truth *truth) {
    const fsr_flow_node *n = &l->flow->node[link.id];
    const int last = n->shape.ndim - 1;
    const int64_t extent = n->shape.dim[last];
    const int value = fsr_lower_eval(l, n->arg[2], index);
    const int count = value < 0 ? -1 : fsr_lower_inside(l, link, 0, value, extent + 1, FSR_INDEX_CLIP);
    fsr_affine into;
    fsr_box box;
    if (count < 0)
        return false;
    if (index->row[last].nterms == FSR_MAX_DIMS)
        return fsr_lower_refuse(l, "the address would have too many computed indices"), false;
    fsr_affine_into(&into, &index->row[last], -extent, 1);
    fsr_affine_add_symbol(&into, count, -1);
    *truth = fsr_box_make(&box, &into, extent, &l->group->domain);
    return *truth != FSR_SOMETIMES || fsr_lower_condition(l, conditions, &box);
}

/* A choice between two values at one index. */
int fsr_lower_prefix(fsr_lowering *l, fsr_link link, const fsr_index *asked) {
    const fsr_flow_node *n = &l->flow->node[link.id];
    fsr_index index = *asked;
    fsr_guard conditions = {0};
    fsr_truth truth;
    if (n->front)
        return fsr_lower_eval(l, n->arg[1], asked);
    if (asked->flat && !fsr_index_split(&index, asked, &n->shape, &l->group->domain))
        return fsr_lower_blame_flat(l, "a reshape of a prefix has no affine index", link, asked);
    if (!prefix_box(l, link, &index, &conditions, &truth))
        return -1;
    return fsr_lower_choose(l, link, &(fsr_choice){n->arg[0], n->arg[1], 0}, &index, &index, &conditions, truth);
}

int fsr_lower_prefix_guard(fsr_lowering *l, fsr_link link, const fsr_index *index) {
    fsr_guard conditions = {0};
    fsr_truth truth;
    if (!prefix_box(l, link, index, &conditions, &truth))
        return -1;
    return truth == FSR_SOMETIMES ? fsr_lower_guard(l, &conditions) : 0;
}
