/* SPDX-License-Identifier: MIT */
/* Arguments before users, without recursion: a chain of a million nodes must not need a million stack frames.
 *
 * The stack is a path of nodes with the next argument to look at; its height never passes the number of nodes. */
#include "graph/print.h"
#include <stdlib.h>

#define PENDING (UINT32_MAX - 1)

typedef struct frame {
    uint32_t id;
    int next;
} frame;

bool fsr_rec_computed(const fsr_rec *rec) {
    for (int i = 0; i < rec->nout; i++)
        if (!rec->buffer[i])
            return fsr_is(rec->kind, FSR_IS_ARRAY);
    return true;
}

static int arguments(const fsr_rec *rec) {
    return fsr_rec_computed(rec) ? 0 : rec->nargs;
}

static void visit(const fsr_graph *g, uint32_t root, fsr_order *order, frame *stack) {
    if (order->number[root] != UINT32_MAX)
        return;
    int64_t height = 0;
    stack[height++] = (frame){root, 0};
    order->number[root] = PENDING;
    while (height > 0) {
        frame *top = &stack[height - 1];
        const fsr_rec *rec = fsr_graph_rec(g, top->id);
        if (top->next < arguments(rec)) {
            uint32_t id = rec->arg[top->next++].id;
            if (order->number[id] != UINT32_MAX)
                continue;
            order->number[id] = PENDING;
            stack[height++] = (frame){id, 0};
        } else {
            order->number[top->id] = order->count;
            order->id[order->count++] = top->id;
            height--;
        }
    }
}

fsr_status fsr_order_make(const fsr_graph *g, const fsr_ref *outs, int n, fsr_order *order) {
    size_t slots = fsr_graph_slots(g), live = (size_t)fsr_graph_live(g);
    *order = (fsr_order){0, malloc((live + 1) * sizeof(uint32_t)), malloc((slots + 1) * sizeof(uint32_t))};
    frame *stack = malloc((live + 1) * sizeof *stack);
    if (!order->id || !order->number || !stack) {
        free(stack);
        fsr_order_free(order);
        return FSR_ERR_MEMORY;
    }
    for (size_t i = 0; i < slots; i++)
        order->number[i] = UINT32_MAX;
    for (int i = 0; i < n; i++)
        visit(g, outs[i].id, order, stack);
    free(stack);
    return FSR_OK;
}

void fsr_order_free(fsr_order *order) {
    free(order->id);
    free(order->number);
    *order = (fsr_order){0};
}
