/* SPDX-License-Identifier: MIT */
/* Scopes: what a long lazy program may forget.
 *
 * fsr_scope_end marks what the kept nodes need, going backwards from them (a stack linked through the slots: no
 * recursion, no allocation), stops at results that are already computed, drops the rest and moves what is left to the
 * enclosing scope.
 * A kept node all of whose asked results are computed becomes DATA: it lets go of its arguments.
 * fsr_scope_keep does the same and leaves the scope open: what is kept stays in it, so that a loop that carries an
 * array from step to step holds one at a time. Counter-example to closing and opening instead: every kept array would
 * move to the enclosing scope, and a million steps would hold a million arrays. */
#include "graph/scope.h"
#include "graph/store.h"
#include <stdlib.h>

void fsr_scope_link(fsr_graph_body *body, int depth, uint32_t id) {
    fsr_scope *scope = &body->scope[depth];
    fsr_slot *slot = fsr_slot_of(body, id);
    slot->rec.scope = depth;
    slot->next = FSR_NO_ID;
    slot->prev = scope->tail;
    if (scope->tail != FSR_NO_ID)
        fsr_slot_of(body, scope->tail)->next = id;
    else
        scope->head = id;
    scope->tail = id;
}

void fsr_scope_unlink(fsr_graph_body *body, uint32_t id) {
    fsr_slot *slot = fsr_slot_of(body, id);
    fsr_scope *scope = &body->scope[slot->rec.scope];
    if (slot->prev != FSR_NO_ID)
        fsr_slot_of(body, slot->prev)->next = slot->next;
    else
        scope->head = slot->next;
    if (slot->next != FSR_NO_ID)
        fsr_slot_of(body, slot->next)->prev = slot->prev;
    else
        scope->tail = slot->prev;
}

int fsr_scope_depth(const fsr_graph *g) {
    return g->body->depth;
}

fsr_status fsr_scope_begin(fsr_graph *graph) {
    if (!graph)
        return FSR_ERR_NULL;
    if (!fsr_graph_alive(graph))
        return fsr_graph_fail(graph, FSR_ERR_STALE, "scope_begin", "the graph was freed");
    fsr_graph_body *body = graph->body;
    if (body->depth + 1 == body->scope_capacity) {
        bool room = body->scope_capacity <= INT32_MAX / 2;
        fsr_scope *grown = room ? realloc(body->scope, 2 * (size_t)body->scope_capacity * sizeof *grown) : NULL;
        if (!grown)
            return fsr_graph_fail(graph, FSR_ERR_MEMORY, "scope_begin", "out of memory");
        body->scope = grown;
        body->scope_capacity *= 2;
    }
    body->scope[++body->depth] = (fsr_scope){FSR_NO_ID, FSR_NO_ID};
    return FSR_OK;
}

/* Asks for result `output` of a node of the innermost scope, and for the count of its length, which has none of its
 * own; stack: nodes whose arguments are to be asked for. */
static void ask(fsr_graph_body *body, fsr_ref ref, uint32_t *stack) {
    fsr_slot *slot = fsr_slot_of(body, ref.id);
    const fsr_length *length = &slot->rec.length;
    slot->asked |= (uint8_t)(1u << ref.output);
    if (length->origin && fsr_slot_of(body, length->count.id)->rec.scope == body->depth)
        ask(body, length->count, stack);
    if (slot->expanded || slot->rec.buffer[ref.output])
        return;
    slot->expanded = true;
    slot->work = *stack;
    *stack = ref.id;
}

static void mark(fsr_graph_body *body, const fsr_node *keep, int n) {
    uint32_t stack = FSR_NO_ID;
    for (int i = 0; i < n; i++)
        if (fsr_slot_of(body, keep[i].id)->rec.scope == body->depth)
            ask(body, (fsr_ref){keep[i].id, keep[i].output}, &stack);
    while (stack != FSR_NO_ID) {
        const fsr_slot *slot = fsr_slot_of(body, stack);
        stack = slot->work;
        for (int i = 0; i < slot->rec.nargs; i++) {
            if (fsr_slot_of(body, slot->rec.arg[i].id)->rec.scope != body->depth)
                continue;
            ask(body, slot->rec.arg[i], &stack);
        }
    }
}

/* A node whose asked results are all computed becomes data; its other results are gone unless computed. */
static void become_data(fsr_slot *slot) {
    fsr_rec *rec = &slot->rec;
    rec->kind = FSR_NODE_DATA;
    rec->nargs = 0;
    fsr_content_clear(&rec->content);
    for (int i = 0; i < rec->nout; i++)
        if (!rec->buffer[i])
            slot->gone |= (uint8_t)(1u << i);
}

/* Moves a marked node to the end of scope `depth`. */
static void survive(fsr_graph_body *body, uint32_t id, int depth) {
    fsr_slot *slot = fsr_slot_of(body, id);
    if (slot->rec.nargs > 0 && !slot->expanded)
        become_data(slot);
    slot->asked = 0;
    slot->expanded = false;
    if (slot->rec.scope != depth) {
        fsr_scope_unlink(body, id);
        fsr_scope_link(body, depth, id);
    }
}

static fsr_status check_keep(const fsr_graph *g, const char *what, const fsr_node *keep, int n) {
    if (n < 0)
        return fsr_graph_fail(g, FSR_ERR_VALUE, what, "%d nodes to keep", n);
    if (n > 0 && !keep)
        return fsr_graph_fail(g, FSR_ERR_NULL, what, "the nodes to keep are null");
    for (int i = 0; i < n; i++) {
        fsr_status status = fsr_node_check(keep[i]);
        if (!status && keep[i].graph != g)
            status = FSR_ERR_GRAPH;
        if (status)
            return fsr_graph_fail(g, status, what, "node %d to keep: %s", i, fsr_status_sentence(status));
    }
    return FSR_OK;
}

/* Drops what the innermost scope holds but keep and its needs, which go to scope depth - up. */
static fsr_status sweep(fsr_graph *graph, const char *what, const fsr_node *keep, int n, int up) {
    if (!graph)
        return FSR_ERR_NULL;
    if (!fsr_graph_alive(graph))
        return fsr_graph_fail(graph, FSR_ERR_STALE, what, "the graph was freed");
    fsr_graph_body *body = graph->body;
    if (body->depth == 0)
        return fsr_graph_fail(graph, FSR_ERR_SCOPE, what, "%s", fsr_status_sentence(FSR_ERR_SCOPE));
    fsr_status status = check_keep(graph, what, keep, n);
    if (status)
        return status;
    mark(body, keep, n);
    for (uint32_t id = body->scope[body->depth].head, next; id != FSR_NO_ID; id = next) {
        next = fsr_slot_of(body, id)->next;
        if (fsr_slot_of(body, id)->asked)
            survive(body, id, body->depth - up);
        else
            fsr_slot_drop(body, id);
    }
    body->depth -= up;
    return FSR_OK;
}

fsr_status fsr_scope_end(fsr_graph *graph, const fsr_node *keep, int n) {
    return sweep(graph, "scope_end", keep, n, 1);
}

fsr_status fsr_scope_keep(fsr_graph *graph, const fsr_node *keep, int n) {
    return sweep(graph, "scope_keep", keep, n, 0);
}

uint32_t fsr_scope_oldest(const fsr_graph *g, int depth) {
    return g->body->scope[depth].head;
}

uint32_t fsr_scope_after(const fsr_graph *g, uint32_t id) {
    return fsr_slot_of(g->body, id)->next;
}

void fsr_scope_discard(fsr_graph *g, int depth) {
    fsr_graph_body *body = g->body;
    for (; body->depth > depth; body->depth--)
        while (body->scope[body->depth].head != FSR_NO_ID)
            fsr_slot_drop(body, body->scope[body->depth].head);
}
