/* SPDX-License-Identifier: MIT */
/* Ordering the nodes. Everything is iterative: a chain of a million nodes is a million entries of an array on the heap.
 *
 * Two walks: the first finds the results that are needed, not looking behind those with a buffer (of a tuple's two
 * results one may be computed already, the other not); the second puts the nodes in order. */
#include "backend_cpu/reference/walk.h"
#include <stdlib.h>

typedef struct refs {
    fsr_ref *at;
    size_t count, capacity;
} refs;

static bool push(refs *r, fsr_ref edge) {
    if (r->count == r->capacity) {
        size_t capacity = r->capacity ? 2 * r->capacity : 64;
        fsr_ref *at = realloc(r->at, capacity * sizeof *at);
        if (!at)
            return false;
        r->at = at;
        r->capacity = capacity;
    }
    r->at[r->count++] = edge;
    return true;
}

bool fsr_ref_is_leaf(const fsr_rec *rec, uint32_t output) {
    return rec->buffer[output] != NULL || fsr_is(rec->kind, FSR_IS_ARRAY);
}

/* Wants one result; its arguments are pushed the first time that the node must be evaluated. */
static bool want(fsr_ref_plan *p, refs *work, fsr_ref edge) {
    fsr_ref_slot *slot = &p->slot[edge.id];
    const fsr_rec *rec = fsr_graph_rec(p->graph, edge.id);
    slot->uses[edge.output]++;
    slot->wanted |= (uint8_t)(1u << edge.output);
    if (slot->expanded || fsr_ref_is_leaf(rec, edge.output))
        return true;
    slot->expanded = true;
    if (rec->product)
        p->slot[rec->arg[0].id].summed = true;
    for (int i = 0; i < rec->nargs; i++)
        if (!push(work, rec->arg[i]))
            return false;
    return true;
}

static bool find(fsr_ref_plan *p, refs *work, const fsr_ref *outs, int n) {
    for (int i = 0; i < n; i++)
        if (!push(work, outs[i]))
            return false;
    while (work->count > 0)
        if (!want(p, work, work->at[--work->count]))
            return false;
    return true;
}

/* Depth first; an entry's `output` is the next argument to look at. */
static bool order_from(fsr_ref_plan *p, refs *stack, uint32_t root) {
    if (p->slot[root].ordered)
        return true;
    if (!push(stack, (fsr_ref){root, 0}))
        return false;
    while (stack->count > 0) {
        fsr_ref *top = &stack->at[stack->count - 1];
        const fsr_rec *rec = fsr_graph_rec(p->graph, top->id);
        if (p->slot[top->id].ordered) {
            stack->count--;
        } else if (p->slot[top->id].expanded && top->output < (uint32_t)rec->nargs) {
            uint32_t next = rec->arg[top->output++].id;
            if (!p->slot[next].ordered && !push(stack, (fsr_ref){next, 0}))
                return false;
        } else {
            p->slot[top->id].ordered = true;
            p->order[p->count++] = top->id;
            stack->count--;
        }
    }
    return true;
}

fsr_status fsr_ref_plan_make(fsr_ref_plan *p, const fsr_graph *g, const fsr_ref *outs, int n) {
    refs work = {NULL, 0, 0};
    *p = (fsr_ref_plan){.graph = g, .slots = fsr_graph_slots(g)};
    p->slot = calloc((size_t)p->slots + 1, sizeof *p->slot);
    p->order = malloc(((size_t)p->slots + 1) * sizeof *p->order);
    bool ok = p->slot && p->order && find(p, &work, outs, n);
    for (int i = 0; ok && i < n; i++)
        ok = order_from(p, &work, outs[i].id);
    free(work.at);
    return ok ? FSR_OK : FSR_ERR_MEMORY;
}

static void drop(fsr_ref_slot *slot) {
    if (!slot->value)
        return;
    for (int i = 0; i < FSR_MAX_OUTPUTS; i++)
        fsr_ref_data_unref(slot->value[i].data);
    free(slot->value);
    slot->value = NULL;
}

void fsr_ref_plan_free(fsr_ref_plan *p) {
    for (uint32_t id = 0; p->slot && id < p->slots; id++)
        drop(&p->slot[id]);
    free(p->slot);
    free(p->order);
    *p = (fsr_ref_plan){.slots = 0};
}

void fsr_ref_plan_release(fsr_ref_plan *p, fsr_ref edge) {
    fsr_ref_slot *slot = &p->slot[edge.id];
    if (--slot->uses[edge.output] > 0 || !slot->value)
        return;
    fsr_ref_data_unref(slot->value[edge.output].data);
    slot->value[edge.output].data = NULL;
    for (int i = 0; i < FSR_MAX_OUTPUTS; i++)
        if (slot->uses[i] > 0)
            return;
    drop(slot);
}
