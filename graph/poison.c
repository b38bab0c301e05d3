/* SPDX-License-Identifier: MIT */
/* Poisoned nodes, and what a caller may ask any node.
 *
 * What uses a poisoned node is that same node again: a chain of a million operations on a mistake records one
 * node and shows the first mistake, not the last. */
#include "graph/message.h"
#include "graph/shape.h"
#include "graph/store.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* "op: message (file:line)", malloc'ed; at NULL: without the place. */
static char *compose(const fsr_site *at, const char *op, const char *format, va_list args) {
    const char *file = at && at->file ? at->file : "?";
    va_list again;
    va_copy(again, args);
    int body = vsnprintf(NULL, 0, format, args);
    int head = snprintf(NULL, 0, "%s: ", op);
    int tail = at ? snprintf(NULL, 0, " (%s:%d)", file, at->line) : 0;
    char *text = body < 0 || head < 0 || tail < 0 ? NULL : malloc((size_t)head + (size_t)body + (size_t)tail + 1);
    if (text) {
        snprintf(text, (size_t)head + 1, "%s: ", op);
        vsnprintf(text + head, (size_t)body + 1, format, again);
        if (at)
            snprintf(text + head + body, (size_t)tail + 1, " (%s:%d)", file, at->line);
    }
    va_end(again);
    return text;
}

fsr_node fsr_poison(fsr_graph *g, fsr_site at, fsr_status status, const char *op, const char *format, ...) {
    if (!g)
        return (fsr_node){0};
    va_list args;
    va_start(args, format);
    char *message = compose(&at, op, format, args);
    va_end(args);
    if (fsr_graph_alive(g))
        return fsr_poison_own(g, at, status, message);
    fsr_graph_tell(g, status, message ? message : fsr_status_sentence(status));
    free(message);
    return (fsr_node){0};
}

fsr_status fsr_graph_fail(const fsr_graph *g, fsr_status status, const char *op, const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *message = compose(NULL, op, format, args);
    va_end(args);
    fsr_graph_tell(g, status, message ? message : fsr_status_sentence(status));
    free(message);
    return status;
}

fsr_node fsr_poison_own(fsr_graph *g, fsr_site at, fsr_status status, char *message) {
    fsr_node handle;
    message = fsr_message_clean(message);
    fsr_rec *rec = message ? fsr_slot_add(g, at, FSR_NODE_POISON, &handle) : NULL;
    if (!rec) {
        free(message);
        return fsr_graph_no_memory(g);
    }
    rec->status = status;
    rec->message = message;
    return handle;
}

/* The graph to record a poison in: that of the first valid node, else of the first whose graph is alive; else a freed
 * one, whose context is told. */
static fsr_graph *home_of(const fsr_node *x, int n) {
    for (int i = 0; i < n; i++)
        if (fsr_node_rec(x[i]))
            return x[i].graph;
    fsr_graph *freed = NULL;
    for (int i = 0; i < n; i++) {
        if (fsr_graph_alive(x[i].graph))
            return x[i].graph;
        freed = freed ? freed : x[i].graph;
    }
    return freed;
}

bool fsr_poison_of(fsr_site at, const char *op, const fsr_node *x, int n, fsr_graph **g, fsr_node *poison) {
    if (fsr_poison_of_any(at, op, x, n, g, poison))
        return true;
    for (int i = 0; i < n; i++) {
        const fsr_length *length = fsr_node_length(x[i]);
        if (!length)
            continue;
        *poison = fsr_poison(*g, at, FSR_ERR_UNSUPPORTED, op,
                             "operand %d, %s, has a length that only the device knows (%s:%d); fsr_filled gives it its "
                             "capacity",
                             i + 1, fsr_say(x[i]).text, length->site.file ? length->site.file : "?", length->site.line);
        return true;
    }
    return false;
}

bool fsr_poison_of_any(fsr_site at, const char *op, const fsr_node *x, int n, fsr_graph **g, fsr_node *poison) {
    fsr_graph *home = home_of(x, n);
    *g = home;
    for (int i = 0; i < n; i++) {
        fsr_status status = fsr_node_check(x[i]);
        if (status) {
            *poison = fsr_poison(home, at, status, op, "operand %d is a %s handle", i + 1,
                                 status == FSR_ERR_NULL ? "null" : "stale");
            return true;
        }
        if (x[i].graph != home) {
            *poison = fsr_poison(home, at, FSR_ERR_GRAPH, op, "operand %d, %s, belongs to another graph", i + 1,
                                 fsr_say(x[i]).text);
            return true;
        }
        if (fsr_is(fsr_node_rec(x[i])->kind, FSR_IS_POISON)) {
            *poison = x[i];
            return true;
        }
    }
    return false;
}

const fsr_rec *fsr_node_sound(fsr_node x) {
    const fsr_rec *rec = fsr_node_rec(x);
    return rec && !fsr_is(rec->kind, FSR_IS_POISON) ? rec : NULL;
}

fsr_status fsr_node_status(fsr_node x) {
    fsr_status status = fsr_node_check(x);
    return status ? status : fsr_node_rec(x)->status;
}

const char *fsr_node_error(fsr_node x) {
    const fsr_rec *rec = fsr_node_rec(x);
    return rec && rec->message ? rec->message : "";
}

fsr_dtype fsr_node_dtype(fsr_node x) {
    const fsr_rec *rec = fsr_node_sound(x);
    return rec ? rec->dtype[x.output] : FSR_DTYPE_COUNT;
}

int fsr_node_ndim(fsr_node x) {
    const fsr_rec *rec = fsr_node_sound(x);
    return rec ? rec->shape.ndim : -1;
}

int64_t fsr_node_dim(fsr_node x, int axis) {
    const fsr_rec *rec = fsr_node_sound(x);
    if (!rec || axis < -rec->shape.ndim || axis >= rec->shape.ndim)
        return -1;
    return rec->shape.dim[axis < 0 ? axis + rec->shape.ndim : axis];
}

int64_t fsr_node_size(fsr_node x) {
    const fsr_rec *rec = fsr_node_sound(x);
    return rec ? fsr_shape_size(&rec->shape) : -1;
}

int64_t fsr_node_bytes(fsr_node x) {
    const fsr_rec *rec = fsr_node_sound(x);
    return rec ? fsr_shape_bytes(&rec->shape, rec->dtype[x.output]) : -1;
}

fsr_node fsr_hint_set(fsr_node x, fsr_hint hint) {
    fsr_rec *rec = fsr_node_rec(x);
    if (rec)
        rec->hint = hint;
    return x;
}

/* Nothing of a plan computes it. */
static bool is_given(const fsr_rec *rec) {
    return fsr_is(rec->kind, FSR_IS_ARRAY | FSR_IS_ARGUMENT | FSR_IS_LITERAL | FSR_IS_UNBOUND) || rec->buffer[0];
}

fsr_status fsr_hint_pair(fsr_node x, fsr_node y, fsr_pair_hint hint) {
    static const char what[] = "hint_pair";
    const fsr_node pair[2] = {x, y};
    fsr_graph *g = x.graph ? x.graph : y.graph;
    for (int i = 0; i < 2; i++) {
        const fsr_status status = fsr_node_status(pair[i]);
        if (status)
            return fsr_graph_fail(g, status, what, "node %d: %s", i, fsr_status_sentence(status));
    }
    if (x.graph != y.graph)
        return fsr_graph_fail(g, FSR_ERR_GRAPH, what, "the nodes are of two graphs");
    if (x.id == y.id)
        return fsr_graph_fail(g, FSR_ERR_VALUE, what, "the two are one node");
    if (hint != FSR_PAIR_NONE && hint != FSR_PAIR_FUSE && hint != FSR_PAIR_APART)
        return fsr_graph_fail(g, FSR_ERR_VALUE, what, "%d is no hint of a pair", (int)hint);
    for (int i = 0; i < 2; i++)
        if (is_given(fsr_node_rec(pair[i])))
            return fsr_graph_fail(g, FSR_ERR_VALUE, what, "node %d is there: nothing computes it", i);
    if (!fsr_pair_set(g, x.id, y.id, hint))
        return fsr_graph_fail(g, FSR_ERR_MEMORY, what, "out of memory");
    return FSR_OK;
}
