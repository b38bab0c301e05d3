/* SPDX-License-Identifier: MIT */
/* The flow's signature, print and verify: those of its nodes' contents, with ordinals in place of handles. */
#include "fusion/flow.h"
#include "graph/message.h"
#include "graph/print.h"
#include "graph/verify.h"
#include <stdlib.h>

static void put_node(fsr_bytes *b, const fsr_flow *flow, const fsr_flow_node *n) {
    const int ordinal = fsr_is(n->kind, FSR_IS_ARRAY | FSR_IS_ARGUMENT) ? n->ordinal : 0;
    fsr_content_put(b, &n->content, fsr_flow_rank(flow, n));
    fsr_bytes_put(b, &ordinal, sizeof ordinal);
    fsr_bytes_put(b, n->arg, sizeof n->arg[0] * (size_t)n->nargs);
}

static void *put_flow(fsr_bytes *b, const fsr_flow *flow, size_t *size) {
    for (int i = 0; i < flow->n; ++i)
        put_node(b, flow, &flow->node[i]);
    fsr_bytes_put(b, flow->out, sizeof *flow->out * (size_t)flow->nout);
    if (flow->gift)
        fsr_bytes_put(b, flow->gift, sizeof *flow->gift * (size_t)flow->nout);
    int pairs = 0;
    for (; pairs < flow->npairs && flow->pair[pairs].node[0] >= 0; ++pairs)
        fsr_bytes_put(b, &flow->pair[pairs], sizeof flow->pair[pairs]);
    fsr_bytes_put(b, &pairs, sizeof pairs);
    fsr_bytes_put(b, &flow->nout, sizeof flow->nout);
    if (b->failed) {
        free(b->data);
        return NULL;
    }
    *size = b->size;
    return b->data;
}

void *fsr_flow_signature(const fsr_flow *flow, size_t *size) {
    return put_flow(&(fsr_bytes){0}, flow, size);
}

void *fsr_flow_structure(const fsr_flow *flow, bool counts, size_t *size) {
    return put_flow(&(fsr_bytes){.no_literals = true, .no_counts = !counts}, flow, size);
}

const char *fsr_flow_name(const fsr_flow *flow, int id) {
    const fsr_flow_node *n = &flow->node[id];
    static const char *const folds[][FSR_OP_COUNT] = {{[FSR_OP_ADD] = "sum",
                                                       [FSR_OP_MUL] = "prod",
                                                       [FSR_OP_MAXIMUM] = "max",
                                                       [FSR_OP_MINIMUM] = "min",
                                                       [FSR_OP_LOGICAL_OR] = "any",
                                                       [FSR_OP_LOGICAL_AND] = "all"},
                                                      {[FSR_OP_ADD] = "cumsum", [FSR_OP_MAXIMUM] = "cummax"}};
    if (fsr_has(n->kind, FSR_FIELD_op))
        return fsr_op_get(n->op)->name;
    if (fsr_has(n->kind, FSR_FIELD_routine))
        return n->routine->name;
    if (fsr_has(n->kind, FSR_FIELD_library))
        return fsr_library_name(n->library, n->called);
    const char *fold = fsr_is(n->kind, FSR_IS_FOLD) && n->combine->builtin
                           ? folds[fsr_is(n->kind, FSR_IS_RUNNING)][n->combine->op]
                           : NULL;
    return fold ? fold : fsr_kinds[n->kind].word;
}

/* A leaf or an argument has its number's name. */
static void print_node(const fsr_flow *flow, int i, fsr_writer *w) {
    const fsr_flow_node *n = &flow->node[i];
    fsr_content named = n->content;
    char name[32];
    fsr_ref arg[FSR_MAX_ARGS];
    const bool array = fsr_is(n->kind, FSR_IS_ARRAY);
    if (array || fsr_is(n->kind, FSR_IS_ARGUMENT)) {
        snprintf(name, sizeof name, array ? FSR_LEAF_NAME "%d" : FSR_SCALAR_NAME "%d", n->ordinal);
        named.name = name;
        named.kind = array ? FSR_NODE_INPUT : n->kind;
    }
    for (int k = 0; k < n->nargs; ++k)
        arg[k] = (fsr_ref){(uint32_t)n->arg[k].id, (uint32_t)n->arg[k].output};
    fsr_write_ref(w, (fsr_ref){(uint32_t)i, 0});
    fsr_write(w, " = ");
    fsr_write_content(w, &named, arg, fsr_flow_rank(flow, n));
    for (int k = 0; k < flow->npairs; ++k)
        if (flow->pair[k].node[1] == i && flow->pair[k].node[0] >= 0)
            fsr_write_pair(w, flow->pair[k].hint, (uint32_t)flow->pair[k].node[0]);
    fsr_write(w, "\n");
}

void fsr_flow_print(const fsr_flow *flow, FILE *to) {
    fsr_writer w = {to, false, false};
    for (int i = 0; i < flow->n; ++i)
        print_node(flow, i, &w);
    fsr_write(&w, "return");
    for (int i = 0; i < flow->nout; ++i) {
        fsr_write(&w, i ? ", " : " ");
        fsr_write_ref(&w, (fsr_ref){(uint32_t)flow->out[i].id, (uint32_t)flow->out[i].output});
    }
    fsr_write(&w, "\n");
}

static bool link_ok(const fsr_flow *flow, fsr_link link, int before) {
    return link.id >= 0 && link.id < before && link.output >= 0 && link.output < flow->node[link.id].nout;
}

/* What is wrong with node i; NULL: nothing. */
static const char *node_fault(const fsr_flow *flow, int i) {
    const fsr_flow_node *n = &flow->node[i];
    fsr_applied a = {.n = &n->content};
    if (n->nargs < 0 || n->nargs > FSR_MAX_ARGS)
        return "number of arguments";
    for (int k = 0; k < n->nargs; ++k) {
        if (!link_ok(flow, n->arg[k], i))
            return "an argument that is not an earlier node's result";
        a.arg[k] = &flow->node[n->arg[k].id].content;
        a.output[k] = n->arg[k].output;
    }
    return fsr_applied_check(&a);
}

fsr_status fsr_flow_verify(const fsr_flow *flow, char *why, size_t size) {
    for (int i = 0; i < flow->n; ++i) {
        const char *fault = node_fault(flow, i);
        if (!fault)
            continue;
        fsr_message_put(why, size, "%%%d: %s", i, fault);
        return FSR_ERR_INTERNAL;
    }
    for (int i = 0; i < flow->nout; ++i)
        if (!link_ok(flow, flow->out[i], flow->n)) {
            fsr_message_put(why, size, "out %d is no node's result", i);
            return FSR_ERR_INTERNAL;
        }
    return FSR_OK;
}
