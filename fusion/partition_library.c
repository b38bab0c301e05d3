/* SPDX-License-Identifier: MIT */
/* Library calls in the partition: each is a group without a kernel, between arrays that other groups store.
 *
 * What a call takes and that no array holds is marked first, so that it is priced and assigned as a stored value: the
 * kernel that computes it may go on with it where it is, and others load it. Counter-example to storing it when the
 * call is assigned: kernels before it would have evaluated it each for itself.
 * A leaf is taken as it lies, and so is any array of which a view changes the shape alone. Other views are copied:
 * calls take arrays in C order. */
#include "fusion/partition_parts.h"
#include "fusion/rewrites.h"
#include "graph/message.h"
#include "graph/rounds.h"

const char fsr_reason_library[] = "a library call is a thunk of its own";

int fsr_group_arrays(const fsr_group *group) {
    if (group->library)
        return group->noperands;
    return group->kernel ? group->kernel->narrays : 0;
}

bool fsr_group_reads(const fsr_group *group, int i) {
    return group->library || (!group->kernel->array[i].written && !group->operand[i].report);
}

void fsr_partition_take(fsr_partition *p) {
    const fsr_flow *flow = p->flow;
    for (int i = 0; i < flow->n; ++i)
        for (int k = 0; fsr_is(flow->node[i].kind, FSR_IS_LIBRARY) && k < flow->node[i].nargs; ++k) {
            const int id = fsr_library_source(flow, &flow->node[i], k).id;
            if (fsr_library_takes(flow, &flow->node[i], k) && fsr_library_copies(&flow->node[id]) &&
                p->held[id] < FSR_HELD_TAKEN)
                p->held[id] = FSR_HELD_TAKEN;
        }
}

bool fsr_library_copies(const fsr_flow_node *n) {
    return !fsr_is(n->kind, FSR_IS_ARRAY | FSR_IS_FOLD | FSR_IS_STORED | FSR_RUNS_ONCE);
}

fsr_link fsr_library_source(const fsr_flow *flow, const fsr_flow_node *n, int k) {
    fsr_link link = n->arg[k];
    while (!n->rounds && fsr_flow_in_order(flow, &flow->node[link.id]))
        link = flow->node[link.id].arg[0];
    return fsr_library_copies(&flow->node[link.id]) ? n->arg[k] : link;
}

bool fsr_library_takes(const fsr_flow *flow, const fsr_flow_node *n, int k) {
    if (!n->rounds)
        return true;
    if (k < fsr_rounds_operands(n->rounds))
        return !fsr_rounds_scalar(n->rounds, k);
    return !fsr_is(flow->node[n->arg[k].id].kind, FSR_IS_ARGUMENT);
}

void fsr_library_of(fsr_library_call *out, const fsr_flow *flow, int node, const bool *used, bool gpu) {
    const fsr_flow_node *n = &flow->node[node];
    *out =
        (fsr_library_call){.library = n->library, .called = n->called, .node = node, .nin = n->nargs, .nout = n->nout};
    for (int i = 0; i < n->nargs; ++i) {
        const fsr_flow_node *from = &flow->node[n->arg[i].id];
        out->array[i] = (fsr_library_array){from->dtype[n->arg[i].output], true, from->shape};
    }
    for (int i = 0; i < n->nout; ++i)
        out->array[n->nargs + i] =
            (fsr_library_array){n->dtype[i], used[i] || (n->called && n->called->code), n->shape};
    out->work_bytes = fsr_library_work(out, gpu);
    out->spoils = fsr_library_spoils(out, gpu);
}

/* Memory holds the value from here on. */
static fsr_status store(fsr_partition *p, fsr_link link, char *why, size_t size) {
    if (fsr_is(p->flow->node[link.id].kind, FSR_IS_ARRAY) || *fsr_partition_stored(p, link) >= 0)
        return FSR_OK;
    const int g = p->group_of[link.id];
    if (g < 0)
        return fsr_partition_assign(p, (fsr_root){.link = link}, why, size);
    const char *reason = fsr_group_add_store(p, g, link);
    if (reason)
        fsr_message_put(why, size, "%s: %s", fsr_flow_name(p->flow, link.id), reason);
    return !reason ? FSR_OK : *p->no_memory ? FSR_ERR_MEMORY : FSR_ERR_INTERNAL;
}

/* The group's i-th argument. */
static void take(fsr_partition *p, fsr_group *group, fsr_link link) {
    const fsr_flow_node *n = &p->flow->node[link.id];
    fsr_operand *operand = &group->operand[group->noperands++];
    *operand = (fsr_operand){.link = link};
    if (fsr_is(n->kind, FSR_IS_ARRAY)) {
        *operand = (fsr_operand){.leaf = true, .ordinal = n->ordinal};
        return;
    }
    fsr_group_depend(group, *fsr_partition_stored(p, link));
    fsr_partition_note(p, (fsr_note){link.id, group->call, fsr_reason_library, 0, 0});
}

static void leave(fsr_partition *p, fsr_group *group, fsr_link link) {
    group->store[group->nstores++] = link;
    *fsr_partition_stored(p, link) = p->ngroups;
}

/* The nodes that are result k of the group's loop: one, but where hints differ. */
static void leave_results(fsr_partition *p, fsr_group *group, int k) {
    for (int i = group->call + 1; i < p->flow->n && group->nstores < FSR_MAX_STORES; ++i) {
        const fsr_flow_node *n = &p->flow->node[i];
        if (fsr_is(n->kind, FSR_IS_RESULT) && n->arg[0].id == group->call && n->arg[0].output == k)
            leave(p, group, (fsr_link){i, 0});
    }
}

fsr_status fsr_partition_call(fsr_partition *p, int node, char *why, size_t size) {
    const fsr_flow_node *n = &p->flow->node[node];
    fsr_status status = FSR_OK;
    for (int k = 0; k < n->nargs && !status; ++k)
        if (fsr_library_takes(p->flow, n, k))
            status = store(p, fsr_library_source(p->flow, n, k), why, size);
    if (status)
        return status;
    if (!fsr_partition_room(p))
        return FSR_ERR_MEMORY;
    fsr_group_room room;
    fsr_group group;
    fsr_group_begin(&group, &room);
    group.library = true;
    group.call = node;
    for (int k = 0; k < n->nargs; ++k)
        if (fsr_library_takes(p->flow, n, k))
            take(p, &group, fsr_library_source(p->flow, n, k));
    for (int k = 0; k < n->nout; ++k) {
        if (n->rounds)
            leave_results(p, &group, k);
        else if (p->used[node * FSR_MAX_OUTPUTS + k] || (n->called && n->called->code))
            leave(p, &group, (fsr_link){node, k});
    }
    if (!fsr_group_put(p, p->ngroups, &group))
        return FSR_ERR_MEMORY;
    fsr_partition_settle(p, p->ngroups++);
    return FSR_OK;
}
