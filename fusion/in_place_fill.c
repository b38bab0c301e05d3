/* SPDX-License-Identifier: MIT */
/* Arrays that are filled piece by piece.
 *
 * What joins more arrays than a kernel may read is a chain of pastes on a constant, of which each kernel writes a
 * section over what the one before has left (fusion/in_place.c). The first of them would write the constant
 * everywhere else, for nobody: where the sections follow one another along one axis from its beginning to its end, and
 * nobody reads the array until the last one is there, the first kernel too writes its section alone.
 *
 * Counter-example to asking for the next section alone: of zeros with two rows assigned the other rows stay zeros. */
#include "fusion/partition_parts.h"
#include <stdlib.h>

typedef struct filling {
    fsr_partition *p;
    int *readers; /* of each result: groups that read it, and outputs */
    int *over;    /* per node: the group that overwrites a section of it, -1 */
} filling;

/* The paste's section is the whole array but for one axis, on which it begins at *at; then *at is its end. */
static bool follows(const fsr_flow *flow, const fsr_flow_node *n, int *axis, int64_t *at) {
    const fsr_shape *part = &flow->node[n->arg[1].id].shape;
    bool good = fsr_has(n->kind, FSR_FIELD_view) && n->view.kind == FSR_VIEW_AFFINE && part->ndim == n->shape.ndim;
    for (int j = 0; good && j < n->shape.ndim; ++j) {
        const bool whole = part->dim[j] == n->shape.dim[j];
        *axis = *axis < 0 && !whole ? j : *axis;
        good = n->view.from[j] == j && n->view.step[j] == 1 && (j == *axis || (whole && n->view.start[j] == 0));
    }
    good = good && *axis >= 0 && n->view.start[*axis] == *at;
    *at += good ? part->dim[*axis] : 0;
    return good;
}

static bool is_constant(const fsr_flow *flow, fsr_link link) {
    while (fsr_is(flow->node[link.id].kind, FSR_IS_VIEW))
        link = flow->node[link.id].arg[0];
    return fsr_is(flow->node[link.id].kind, FSR_IS_LITERAL);
}

/* The array whose first section the group stores is filled by groups that follow, and read by nobody before. */
static bool is_filled(const filling *f, const fsr_group *group) {
    const fsr_flow *flow = f->p->flow;
    fsr_link link = group->store[0];
    int64_t at = 0;
    int axis = -1;
    if (!fsr_is(flow->node[link.id].kind, FSR_OVERWRITES) || !is_constant(flow, flow->node[link.id].arg[0]))
        return false;
    while (follows(flow, &flow->node[link.id], &axis, &at)) {
        if (at == flow->node[link.id].shape.dim[axis])
            return true;
        if (f->readers[link.id * FSR_MAX_OUTPUTS + link.output] || f->over[link.id] < 0)
            return false;
        link = f->p->group[f->over[link.id]].store[0];
    }
    return false;
}

/* The group, whose store is the first section, over that section alone. */
static void fill(fsr_partition *p, int g, fsr_group *group) {
    const fsr_flow *flow = p->flow;
    const fsr_link store = p->group[g].store[0];
    fsr_link blame;
    fsr_group_blank(group);
    group->in_place = group->part = true;
    group->base.link.id = -1;
    group->nstores = 1;
    group->store[0] = store;
    fsr_domain_make(&group->domain, &flow->node[flow->node[store.id].arg[1].id].shape, 0);
    if (fsr_group_try(p, g, group, &blame))
        return;
    if (group->nneeds || group->nloops) {
        fsr_kernel_free(group->kernel);
        return;
    }
    if (fsr_group_put(p, g, group))
        fsr_partition_settle(p, g);
}

static bool may_fill(const fsr_group *group) {
    return group->kernel && !group->in_place && !group->nfolds && !group->nloops && group->nstores == 1;
}

void fsr_in_place_fill(fsr_partition *p) {
    filling f = {p, NULL, NULL};
    fsr_trial *trial = NULL;
    bool any = false;
    for (int g = 0; g < p->ngroups; ++g)
        any = any || p->group[g].in_place;
    if (!any)
        return;
    f.readers = fsr_partition_readers(p);
    f.over = malloc(((size_t)p->flow->n + 1) * sizeof *f.over);
    trial = malloc(sizeof *trial);
    *p->no_memory = *p->no_memory || !f.readers || !f.over || !trial;
    if (trial)
        fsr_group_begin(&trial->group, &trial->room);
    for (int i = 0; f.over && i < p->flow->n; ++i)
        f.over[i] = -1;
    for (int g = 0; f.over && g < p->ngroups; ++g)
        if (p->group[g].in_place)
            f.over[p->group[g].base.link.id] = g;
    for (int g = 0; g < p->ngroups && !*p->no_memory; ++g)
        if (may_fill(&p->group[g]) && is_filled(&f, &p->group[g]))
            fill(p, g, &trial->group);
    free(f.readers);
    free(f.over);
    free(trial);
}
