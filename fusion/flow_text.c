/* SPDX-License-Identifier: MIT */
/* The flow's signature, print and verify.
 *
 * The signature has every field that a node of that kind uses and none that it does not. Counter-example to the bytes
 * of the structure: what is between its members, and what an earlier kind left in them, would tell equal programs
 * apart. */
#include "fusion/flow.h"
#include "graph/number.h"
#include <stdlib.h>
#include <string.h>

typedef struct bytes {
    unsigned char *data;
    size_t size, capacity;
    bool failed;
    bool no_literals, no_bodies; /* literals are left out: of nodes; of operators and loops */
} bytes;

static void put(bytes *b, const void *data, size_t size) {
    if (b->size + size > b->capacity) {
        size_t capacity = (b->size + size) * 2 + 256;
        unsigned char *grown = b->failed ? NULL : realloc(b->data, capacity);
        if (!grown) {
            b->failed = true;
            return;
        }
        b->data = grown;
        b->capacity = capacity;
    }
    if (size)
        memcpy(b->data + b->size, data, size);
    b->size += size;
}

static void put_int(bytes *b, int64_t value) {
    put(b, &value, sizeof value);
}

static void put_value(bytes *b, fsr_value value) {
    put(b, &value, sizeof value);
}

static void put_view(bytes *b, const fsr_view *view, int ndim) {
    put_int(b, view->kind);
    for (int i = 0; i < ndim && view->kind == FSR_VIEW_AFFINE; ++i) {
        put_int(b, view->from[i]);
        put_int(b, view->start[i]);
        put_int(b, view->step[i]);
    }
}

static void put_steps(bytes *b, const fsr_step *step, int n) {
    for (int i = 0; i < n; ++i) {
        const fsr_step *s = &step[i];
        int fields[] = {s->kind, s->dtype, s->compute, s->op, s->arg[0], s->arg[1], s->arg[2], s->index};
        put(b, fields, sizeof fields);
        if (!b->no_bodies)
            put_value(b, s->value);
    }
}

static void put_combine(bytes *b, const fsr_combine *c) {
    int head[] = {c->arity, c->commutative, c->nsteps};
    put(b, head, sizeof head);
    put(b, c->dtype, sizeof c->dtype[0] * (size_t)c->arity);
    put(b, c->result, sizeof c->result[0] * (size_t)c->arity);
    for (int i = 0; i < c->arity; ++i)
        put_value(b, c->identity[i]);
    put_steps(b, c->step, c->nsteps);
}

static void put_loop(bytes *b, const fsr_iteration *l) {
    int head[] = {l->nstate, l->narg, l->nsteps, l->condition};
    put(b, head, sizeof head);
    if (!b->no_bodies)
        put_int(b, l->max_n);
    put(b, l->dtype, sizeof l->dtype[0] * (size_t)(l->nstate + l->narg));
    put(b, l->result, sizeof l->result[0] * (size_t)l->nstate);
    put_steps(b, l->step, l->nsteps);
}

static void put_routine(bytes *b, const fsr_routine *f) {
    char list[FSR_ROUTINE_LIST];
    put(b, f->name, strlen(f->name) + 1);
    put_int(b, f->result);
    fsr_routine_list(f, list);
    put(b, list, strlen(list) + 1);
    for (int i = 0; i < FSR_ROUTINE_TEXTS; ++i)
        put(b, f->text[i], strlen(f->text[i]) + 1);
}

static void put_node(bytes *b, const fsr_flow *flow, const fsr_flow_node *n) {
    int ordinal = n->kind == FSR_NODE_CONST ? 0 : n->ordinal;
    int head[] = {n->kind, n->nout, n->nargs, (int)n->hint, ordinal, n->shape.ndim};
    put(b, head, sizeof head);
    put(b, n->dtype, sizeof n->dtype[0] * (size_t)n->nout);
    put(b, n->shape.dim, sizeof n->shape.dim[0] * (size_t)n->shape.ndim);
    put(b, n->arg, sizeof n->arg[0] * (size_t)n->nargs);
    if (n->kind == FSR_NODE_MAP)
        put_int(b, n->op);
    if (n->kind == FSR_NODE_CONST && !b->no_literals)
        put_value(b, n->value);
    if (n->kind == FSR_NODE_VIEW || n->kind == FSR_NODE_PASTE)
        put_view(b, &n->view, flow->node[n->arg[0].id].shape.ndim);
    if (n->kind == FSR_NODE_REDUCE || n->kind == FSR_NODE_SCAN || n->kind == FSR_NODE_IOTA) {
        int attr[] = {(int)n->axes, n->axis, n->exclusive, n->reverse};
        put(b, attr, sizeof attr);
    }
    if (n->combine)
        put_combine(b, n->combine);
    if (n->routine)
        put_routine(b, n->routine);
    if (n->loop)
        put_loop(b, n->loop);
}

static void *put_flow(bytes *b, const fsr_flow *flow, size_t *size) {
    for (int i = 0; i < flow->n; ++i)
        put_node(b, flow, &flow->node[i]);
    put(b, flow->out, sizeof *flow->out * (size_t)flow->nout);
    put_int(b, flow->nout);
    if (b->failed) {
        free(b->data);
        return NULL;
    }
    *size = b->size;
    return b->data;
}

void *fsr_flow_signature(const fsr_flow *flow, size_t *size) {
    return put_flow(&(bytes){0}, flow, size);
}

void *fsr_flow_structure(const fsr_flow *flow, bool bodies, size_t *size) {
    return put_flow(&(bytes){.no_literals = true, .no_bodies = bodies}, flow, size);
}

const char *fsr_flow_name(const fsr_flow *flow, int id) {
    const fsr_flow_node *n = &flow->node[id];
    static const char *const kind[] = {
        [FSR_NODE_FREE] = "free",   [FSR_NODE_POISON] = "poison", [FSR_NODE_DATA] = "leaf",
        [FSR_NODE_INPUT] = "input", [FSR_NODE_PARAM] = "param",   [FSR_NODE_CONST] = "const",
        [FSR_NODE_IOTA] = "iota",   [FSR_NODE_ARG] = "arg",       [FSR_NODE_VIEW] = "view",
        [FSR_NODE_PASTE] = "paste", [FSR_NODE_PLACE] = "place",   [FSR_NODE_ITERATE] = "iterate"};
    static const char *const reduce[FSR_OP_COUNT] = {
        [FSR_OP_ADD] = "sum",     [FSR_OP_MUL] = "prod",       [FSR_OP_MAXIMUM] = "max",
        [FSR_OP_MINIMUM] = "min", [FSR_OP_LOGICAL_OR] = "any", [FSR_OP_LOGICAL_AND] = "all"};
    static const char *const scan[FSR_OP_COUNT] = {[FSR_OP_ADD] = "cumsum", [FSR_OP_MAXIMUM] = "cummax"};
    if (n->kind == FSR_NODE_MAP)
        return fsr_op_get(n->op)->name;
    if (n->kind == FSR_NODE_CALL)
        return n->routine->name;
    if (n->kind == FSR_NODE_REDUCE)
        return n->combine->builtin && reduce[n->combine->op] ? reduce[n->combine->op] : "reduce";
    if (n->kind == FSR_NODE_SCAN)
        return n->combine->builtin && scan[n->combine->op] ? scan[n->combine->op] : "scan";
    return kind[n->kind];
}

static void print_view(const fsr_view *view, int ndim, FILE *to) {
    if (view->kind == FSR_VIEW_RESHAPE) {
        fputs(" reshape", to);
        return;
    }
    for (int i = 0; i < ndim; ++i) {
        if (view->from[i] < 0)
            fprintf(to, " %lld", (long long)view->start[i]);
        else
            fprintf(to, " %lld+%lld*d%d", (long long)view->start[i], (long long)view->step[i], view->from[i]);
    }
}

void fsr_flow_print(const fsr_flow *flow, FILE *to) {
    for (int i = 0; i < flow->n; ++i) {
        const fsr_flow_node *n = &flow->node[i];
        char shape[160];
        fprintf(to, "%%%d = %s %s", i, fsr_flow_name(flow, i),
                fsr_describe(shape, sizeof shape, n->dtype[0], &n->shape));
        for (int k = 0; k < n->nargs; ++k)
            fprintf(to, n->arg[k].output ? " %%%d.%d" : " %%%d", n->arg[k].id, n->arg[k].output);
        if (n->kind == FSR_NODE_DATA || n->kind == FSR_NODE_PARAM)
            fprintf(to, " #%d", n->ordinal);
        if (n->kind == FSR_NODE_CONST)
            fprintf(to, " %s", fsr_number_of('g', 17, fsr_value_to_double(n->dtype[0], n->value)).text);
        if (n->kind == FSR_NODE_REDUCE)
            fprintf(to, " axes 0x%x", n->axes);
        if (n->kind == FSR_NODE_SCAN || n->kind == FSR_NODE_IOTA)
            fprintf(to, " axis %d%s%s", n->axis, n->exclusive ? " exclusive" : "", n->reverse ? " reverse" : "");
        if (n->kind == FSR_NODE_ITERATE)
            fprintf(to, " max %lld steps %d", (long long)n->loop->max_n, n->loop->nsteps);
        if (n->kind == FSR_NODE_VIEW || n->kind == FSR_NODE_PASTE)
            print_view(&n->view, flow->node[n->arg[0].id].shape.ndim, to);
        fputc('\n', to);
    }
    fputs("out", to);
    for (int i = 0; i < flow->nout; ++i)
        fprintf(to, flow->out[i].output ? " %%%d.%d" : " %%%d", flow->out[i].id, flow->out[i].output);
    fputc('\n', to);
}

static bool link_ok(const fsr_flow *flow, fsr_link link, int before) {
    return link.id >= 0 && link.id < before && link.output >= 0 && link.output < flow->node[link.id].nout;
}

static bool same_extents(const fsr_flow *flow, const fsr_flow_node *n) {
    for (int k = 0; k < n->nargs; ++k)
        if (!fsr_shape_equal(&n->shape, &flow->node[n->arg[k].id].shape))
            return false;
    return true;
}

/* What is wrong with argument k of node i; NULL: nothing. */
static const char *argument_fault(const fsr_flow *flow, int i, int k) {
    const fsr_flow_node *n = &flow->node[i];
    if (!link_ok(flow, n->arg[k], i))
        return "is not an earlier node's result";
    bool each = n->kind == FSR_NODE_MAP || n->kind == FSR_NODE_CALL || n->kind == FSR_NODE_ITERATE;
    return each && !fsr_shape_equal(&n->shape, &flow->node[n->arg[k].id].shape) ? "has another shape" : NULL;
}

/* What is wrong with a node whose arguments are right. */
static const char *node_fault(const fsr_flow *flow, const fsr_flow_node *n) {
    if (n->kind == FSR_NODE_PLACE && (n->nargs != 2 || n->shape.ndim != 1 || !same_extents(flow, n)))
        return "a place that is not 1-d, or whose arguments have another shape";
    if (n->kind == FSR_NODE_CALL && (!n->routine || n->nargs != n->routine->nparams))
        return "a call of nothing, or with too few arguments";
    if ((n->kind == FSR_NODE_REDUCE || n->kind == FSR_NODE_SCAN) && !n->combine)
        return "a fold without operator";
    if (n->kind == FSR_NODE_ITERATE && (!n->loop || n->nout != n->loop->nstate + 1))
        return "an iterate without its loop";
    return NULL;
}

fsr_status fsr_flow_verify(const fsr_flow *flow, char *why, size_t size) {
    for (int i = 0; i < flow->n; ++i) {
        const char *fault = NULL;
        for (int k = 0; k < flow->node[i].nargs && !fault; ++k)
            if ((fault = argument_fault(flow, i, k)) != NULL)
                snprintf(why, size, "%%%d: argument %d %s", i, k, fault);
        if (!fault && (fault = node_fault(flow, &flow->node[i])) != NULL)
            snprintf(why, size, "%%%d: %s", i, fault);
        if (fault)
            return FSR_ERR_INTERNAL;
    }
    for (int i = 0; i < flow->nout; ++i)
        if (!link_ok(flow, flow->out[i], flow->n)) {
            snprintf(why, size, "out %d is no node's result", i);
            return FSR_ERR_INTERNAL;
        }
    return FSR_OK;
}
