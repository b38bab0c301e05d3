/* SPDX-License-Identifier: MIT */
/* The flow; see flow.h. */
#include "fusion/flow.h"
#include <stdlib.h>
#include <string.h>

bool fsr_link_equal(fsr_link a, fsr_link b) {
    return a.id == b.id && a.output == b.output;
}

bool fsr_flow_gives(const fsr_flow *flow, fsr_link link) {
    for (int i = 0; i < flow->nout; ++i)
        if (fsr_link_equal(flow->out[i], link))
            return true;
    return false;
}

int fsr_flow_add(fsr_flow *flow, const fsr_flow_node *node) {
    if (flow->n == flow->capacity) {
        int capacity = flow->capacity ? flow->capacity * 2 : 16;
        fsr_flow_node *grown = realloc(flow->node, sizeof *grown * (size_t)capacity);
        if (!grown)
            return -1;
        flow->node = grown;
        flow->capacity = capacity;
    }
    flow->node[flow->n] = *node;
    return flow->n++;
}

void fsr_flow_clear(fsr_flow *flow) {
    free(flow->node);
    free(flow->out);
    free(flow->gift);
    free(flow->use);
    for (int i = 0; i < flow->ncalled; ++i)
        fsr_called_unref(flow->called[i]);
    free(flow->called);
    free(flow->pair);
    memset(flow, 0, sizeof *flow);
}

bool fsr_flow_own(fsr_flow *flow, fsr_called *called) {
    fsr_called **grown = realloc(flow->called, sizeof *grown * (size_t)(flow->ncalled + 1));
    if (!grown) {
        fsr_called_unref(called);
        return false;
    }
    flow->called = grown;
    flow->called[flow->ncalled++] = called;
    return true;
}

void fsr_flow_adopt(fsr_flow *flow, fsr_flow *from) {
    flow->called = from->called;
    flow->ncalled = from->ncalled;
}

void fsr_binding_clear(fsr_binding *binding) {
    free(binding->leaf);
    free(binding->scalar);
    free(binding->report);
    memset(binding, 0, sizeof *binding);
}

fsr_status fsr_flow_copy(fsr_flow *to, const fsr_flow *from) {
    memset(to, 0, sizeof *to);
    to->out = malloc(sizeof *to->out * (size_t)(from->nout ? from->nout : 1));
    to->gift = from->gift ? malloc(sizeof *to->gift * (size_t)(from->nout + 1)) : NULL;
    to->pair = from->npairs ? malloc(sizeof *to->pair * (size_t)from->npairs) : NULL;
    bool ok = to->out && (to->gift || !from->gift) && (to->pair || !from->npairs);
    for (int i = 0; i < from->n && ok; ++i) {
        ok = fsr_flow_add(to, &from->node[i]) >= 0;
    }
    if (!ok) {
        fsr_flow_clear(to);
        return FSR_ERR_MEMORY;
    }
    memcpy(to->out, from->out, sizeof *to->out * (size_t)from->nout);
    if (from->gift)
        memcpy(to->gift, from->gift, sizeof *to->gift * (size_t)from->nout);
    if (from->npairs)
        memcpy(to->pair, from->pair, sizeof *to->pair * (size_t)from->npairs);
    to->npairs = from->npairs;
    to->nout = from->nout;
    to->nleaves = from->nleaves;
    to->nscalars = from->nscalars;
    to->nreports = from->nreports;
    return FSR_OK;
}

/* ---- pairs -------------------------------------------------------------------------------------------------- */

/* What a node shows, if that is computed. */
static int shown(const fsr_flow *flow, int node) {
    while (node >= 0 && fsr_is(flow->node[node].kind, FSR_IS_VIEW))
        node = flow->node[node].arg[0].id;
    return node >= 0 && flow->node[node].nargs ? node : -1;
}

/* Those that stand first. */
static int compare_pairs(const void *a, const void *b) {
    const fsr_flow_pair *x = a, *y = b;
    const int keys[][2] = {{x->node[0] < 0, y->node[0] < 0},
                           {x->node[1], y->node[1]},
                           {x->node[0], y->node[0]},
                           {(int)x->hint, (int)y->hint}};
    int order = 0;
    for (int k = 0; k < 4 && !order; ++k)
        order = (keys[k][0] > keys[k][1]) - (keys[k][0] < keys[k][1]);
    return order;
}

void fsr_flow_settle_pairs(fsr_flow *flow) {
    for (int i = 0; i < flow->npairs; ++i) {
        int *node = flow->pair[i].node;
        const int x = shown(flow, node[0]), y = shown(flow, node[1]);
        node[0] = x < y ? x : y;
        node[1] = x < y ? y : x;
    }
    for (int i = 0; flow->npairs && i < flow->n; ++i)
        flow->node[i].asked = false;
    for (int i = 0; i < flow->npairs; ++i)
        for (int k = 0; k < 2 && flow->pair[i].hint == FSR_PAIR_FUSE; ++k)
            if (flow->pair[i].node[k] >= 0)
                flow->node[flow->pair[i].node[k]].asked = true;
    if (flow->npairs)
        qsort(flow->pair, (size_t)flow->npairs, sizeof *flow->pair, compare_pairs);
}
