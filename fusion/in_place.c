/* SPDX-License-Identifier: MIT */
/* Pastes in place: where the array that a paste replaces a section of is in memory and nobody needs it afterwards, the
 * kernel writes the section only, into that memory. Its domain is the section's, its bytes are the section's. So does
 * an inset, whose section begins at a corner that the kernel computes.
 *
 * Done to groups that are placed. A group that stores nothing but a paste, or a chain of pastes one upon the other,
 * over a value that another group stores, becomes a kernel for each paste. That is right if
 *   - the value is no output, and every other kernel that reads it can come first: they become dependencies;
 *   - what a section is assigned reads the value at the very elements it is assigned to, or at others than the
 *     section's,
 *     which must be provable from the addresses: ranges apart, or other rests modulo a common divisor of the strides.
 *     Counter-example: x[1:] = x[:-1], where element 2 would be read when it is element 1 already. There the values
 *     that are assigned are stored by themselves first, if that costs less than the pass over all;
 *   - of a chain, nothing but the last one's own base is read: what was there before is overwritten.
 * Else the group stays as it is: one pass over the whole array. So it does where launches would cost more than the pass
 * (a chain of many small pastes onto a small array). */
#include "fusion/address.h"
#include "fusion/partition_parts.h"
#include <stdlib.h>

enum { MAX_CHAIN = 64 };

/* What a launch costs, as bytes moved meanwhile. */
enum { GPU_LAUNCH = 8 << 20, CPU_LAUNCH = 16 << 10 };

typedef struct chain {
    int g; /* the group that stores the last paste */
    int n;
    int paste[MAX_CHAIN]; /* nodes, the first one applied first */
    fsr_operand base;
    int first_new; /* groups from here on were made for it */
} chain;

static const fsr_shape *section_shape(const fsr_flow *flow, int paste) {
    return &flow->node[flow->node[paste].arg[1].id].shape;
}

/* A part of the array, that is: nothing is there to keep of one that is replaced whole, and its kernel needs no
 * base. */
static bool replaces_part(const fsr_flow *flow, int paste) {
    return fsr_shape_size(section_shape(flow, paste)) < fsr_shape_size(&flow->node[paste].shape);
}

/* The corner of a section is one for all of its elements: it varies along no dimension in which the section is smaller.
 * Counter-example: corners of rows, one each, which a row function gives, are such along the rows. */
static bool has_one_corner(const fsr_flow *flow, int paste) {
    const fsr_flow_node *n = &flow->node[paste];
    bool one = true;
    for (int i = 2; i < n->nargs; ++i) {
        const fsr_flow_node *corner = &flow->node[n->arg[i].id];
        one = one && fsr_is(corner->kind, FSR_IS_VIEW) && corner->view.kind == FSR_VIEW_AFFINE;
        for (int j = 0; one && j < flow->node[corner->arg[0].id].shape.ndim; ++j)
            one = corner->view.from[j] < 0 || !(n->axes >> corner->view.from[j] & 1);
    }
    return one;
}

/* The pastes that a group stores as one, and what they are pasted on. */
static bool list_chain(const fsr_partition *p, const fsr_group *group, chain *c) {
    const fsr_flow *flow = p->flow;
    int list[MAX_CHAIN];
    c->n = 0;
    if (!group->kernel || group->nfolds || group->nstores != 1 || group->in_place)
        return false;
    fsr_link at = group->store[0];
    while (fsr_is(flow->node[at.id].kind, FSR_OVERWRITES) && (c->n == 0 || *fsr_partition_stored(p, at) < 0)) {
        if (c->n == MAX_CHAIN || !replaces_part(flow, at.id) || !has_one_corner(flow, at.id))
            return false;
        list[c->n++] = at.id;
        at = flow->node[at.id].arg[0];
    }
    for (int i = 0; i < c->n; ++i)
        c->paste[i] = list[c->n - 1 - i];
    c->base.link = at;
    return c->n > 0;
}

/* The same of group g, if the base is there to be written over. */
static bool find_chain(const fsr_partition *p, int g, chain *c) {
    *c = (chain){.g = g, .first_new = p->ngroups};
    if (!list_chain(p, &p->group[g], c))
        return false;
    const int from = *fsr_partition_stored(p, c->base.link);
    return from >= 0 && from != g && !fsr_partition_is_output(p, c->base.link);
}

/* Bytes of a paste, or of an array of its dtype and another shape. */
static int64_t node_bytes(const fsr_flow *flow, int paste, const fsr_shape *shape) {
    return fsr_shape_bytes(shape ? shape : &flow->node[paste].shape, flow->node[paste].dtype[0]);
}

static int64_t launch_bytes(const fsr_partition *p) {
    return p->target->gpu ? GPU_LAUNCH : CPU_LAUNCH;
}

/* The sections, written and perhaps read, against the whole array, read and written. */
static bool pays(const fsr_partition *p, const chain *c) {
    const fsr_flow *flow = p->flow;
    int64_t work = (c->n - 1) * launch_bytes(p), whole = node_bytes(flow, c->paste[0], NULL);
    for (int i = 0; i < c->n; ++i)
        work = fsr_size_add(work, node_bytes(flow, c->paste[i], section_shape(flow, c->paste[i])));
    return work < fsr_size_mul(2, whole);
}

bool fsr_in_place_alone(const fsr_partition *p, const fsr_group *group) {
    chain c = {0};
    return list_chain(p, group, &c) && fsr_is(p->flow->node[c.base.link.id].kind, FSR_IS_DISTINCT) && pays(p, &c);
}

/* ---- which elements a kernel reads and writes ---------------------------------------------------------- */

static int array_of(const fsr_group *group, const fsr_operand *operand) {
    for (int i = 0; i < fsr_group_arrays(group); ++i)
        if (fsr_operand_equal(&group->operand[i], operand))
            return i;
    return -1;
}

/* The kernel reads its base harmlessly if at all; then both arrays are marked as one memory. */
static bool reads_safely(fsr_group *group) {
    fsr_kernel *k = group->kernel;
    int from = array_of(group, &group->base), to = array_of(group, &(fsr_operand){.link = group->store[0]});
    fsr_form store = {0};
    for (int i = 0; i < k->naccesses; ++i)
        if (k->access[i].buffer == to)
            store = fsr_form_of_access(k, group->kernel->integer, i);
    for (int i = 0; i < k->naccesses; ++i) {
        if (from < 0 || k->access[i].buffer != from)
            continue;
        const fsr_form load = fsr_form_of_access(k, group->kernel->integer, i);
        if (!fsr_form_same(&load, &store) && !fsr_form_apart(&load, &store))
            return false;
    }
    if (from >= 0)
        k->array[from].aliased = k->array[to].aliased = true;
    return true;
}

/* ---- one paste ------------------------------------------------------------------------------------------- */

/* The group reads the array, or overwrites it: its elements outside of that section are then the result's. */
static bool uses(const fsr_group *group, const fsr_operand *operand) {
    return array_of(group, operand) >= 0 || (group->in_place && fsr_operand_equal(&group->base, operand));
}

/* Everyone else who reads the base, and so waits for the group that stores it, comes first. */
static bool comes_last(fsr_partition *p, const chain *c, fsr_group *group) {
    const int from = *fsr_partition_stored(p, group->base.link);
    int n, *waiter = fsr_partition_waiters(p, from, &n);
    bool last = waiter && fsr_group_depend(group, from);
    for (int i = 0; i < n && last; ++i)
        if (waiter[i] != c->g && uses(&p->group[waiter[i]], &group->base))
            last = !fsr_partition_reaches(p, waiter[i], c->g) && fsr_group_depend(group, waiter[i]);
    free(waiter);
    return last;
}

/* What earlier pastes of the chain have overwritten is not read. */
static bool reads_present(const chain *c, const fsr_group *group, int at) {
    for (int i = -1; i < at - 1; ++i) {
        fsr_operand old = i < 0 ? c->base : (fsr_operand){.link = {c->paste[i], 0}};
        if (array_of(group, &old) >= 0)
            return false;
    }
    return true;
}

/* Lowers a new group; false: it may not be one. */
static bool lower(fsr_partition *p, const chain *c, int at, int g, fsr_group *group) {
    fsr_link blame;
    fsr_domain_make(&group->domain, section_shape(p->flow, c->paste[at]), 0);
    if (fsr_group_try(p, g, group, &blame))
        return false;
    if (fsr_group_has_needs(p, group) && reads_present(c, group, at))
        return true;
    fsr_kernel_free(group->kernel);
    return false;
}

static bool add(fsr_partition *p, const fsr_group *group) {
    bool room = fsr_partition_room(p);
    *p->no_memory = *p->no_memory || !room;
    if (!room) {
        fsr_kernel_free(group->kernel);
        return false;
    }
    if (!fsr_group_put(p, p->ngroups, group))
        return false;
    *fsr_partition_stored(p, group->store[0]) = p->ngroups++;
    fsr_partition_settle(p, p->ngroups - 1);
    return true;
}

/* What paste number `at` assigns becomes an array of its own, complete before the section is written. */
static bool stage(fsr_partition *p, const chain *c, int at, fsr_group *group) {
    const fsr_flow *flow = p->flow;
    int64_t section = node_bytes(flow, c->paste[at], section_shape(flow, c->paste[at]));
    int64_t whole = node_bytes(flow, c->paste[at], NULL);
    fsr_link part = flow->node[c->paste[at]].arg[1];
    fsr_group_blank(group);
    group->part = true;
    group->nstores = 1;
    group->store[0] = part;
    bool pays = fsr_size_add(fsr_size_mul(3, section), launch_bytes(p)) < fsr_size_mul(2, whole);
    return *fsr_partition_stored(p, part) < 0 && pays && lower(p, c, at, p->ngroups, group) && add(p, group);
}

/* Lowers paste number `at` to a kernel over its section, of group g; -1: the new one. */
static bool lower_section(fsr_partition *p, const chain *c, int at, int g, fsr_group *group) {
    for (int staged = 0; staged < 2; ++staged) {
        fsr_group_blank(group);
        group->in_place = group->part = true;
        group->base = c->base;
        group->nstores = 1;
        group->store[0] = (fsr_link){c->paste[at], 0};
        if (at > 0)
            group->base = (fsr_operand){.link = {c->paste[at - 1], 0}};
        if (!lower(p, c, at, g < 0 ? p->ngroups : g, group))
            return false;
        bool safe = reads_safely(group);
        if (safe && comes_last(p, c, group))
            return true;
        fsr_kernel_free(group->kernel);
        if (safe || staged || !stage(p, c, at, group))
            return false;
    }
    return false;
}

static void undo(fsr_partition *p, const chain *c) {
    while (p->ngroups > c->first_new) {
        fsr_group *group = &p->group[--p->ngroups];
        *fsr_partition_stored(p, group->store[0]) = -1;
        fsr_group_clear(group);
    }
}

/* The last paste keeps the group's number, so that who depends on it need not know. */
static void convert(fsr_partition *p, const chain *c, fsr_group *group) {
    for (int i = 0; i < c->n; ++i) {
        bool last = i == c->n - 1;
        if (!lower_section(p, c, i, last ? c->g : -1, group) || (!last && !add(p, group))) {
            undo(p, c);
            return;
        }
    }
    if (fsr_group_put(p, c->g, group))
        fsr_partition_settle(p, c->g);
}

void fsr_in_place(fsr_partition *p) {
    fsr_trial *trial = NULL;
    chain c;
    int n = p->ngroups;
    for (int g = 0; g < n; ++g) {
        if (!find_chain(p, g, &c) || !pays(p, &c))
            continue;
        if (!trial && !(trial = malloc(sizeof *trial))) {
            *p->no_memory = true;
            return;
        }
        fsr_group_begin(&trial->group, &trial->room);
        convert(p, &c, &trial->group);
    }
    free(trial);
}
