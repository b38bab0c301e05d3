/* SPDX-License-Identifier: MIT */
/* The text form of a graph; its grammar is in graph/print.h.
 *
 * Everything goes through a writer that escapes when asked, so that DOT's labels are the same text; and a node's line
 * is written from its content, so that a plan's flow has the same text. */
#include "graph/print.h"
#include "graph/pairs.h"
#include <inttypes.h>

static void write_extents(fsr_writer *w, const fsr_shape *shape) {
    fsr_write(w, "[");
    for (int i = 0; i < shape->ndim; i++)
        fsr_write_piece(w, i ? ",%" PRId64 : "%" PRId64, shape->dim[i]);
    fsr_write(w, "]");
}

static void write_type(fsr_writer *w, const fsr_content *n) {
    fsr_write(w, n->nout > 1 ? " (" : " ");
    for (int i = 0; i < n->nout; i++)
        fsr_write_piece(w, i ? ",%s" : "%s", fsr_dtype_name(n->dtype[i]));
    if (n->nout > 1)
        fsr_write(w, ")");
    write_extents(w, &n->shape);
}

void fsr_write_ref(fsr_writer *w, fsr_ref ref) {
    fsr_write_piece(w, "%%%" PRIu32, ref.id);
    if (ref.output)
        fsr_write_piece(w, ".%" PRIu32, ref.output);
}

void fsr_write_content(fsr_writer *w, const fsr_content *n, const fsr_ref *arg, int rank) {
    const char *word = fsr_kinds[n->kind].word;
    fsr_write(w, word ? word : "");
    fsr_write_fields(w, n, rank, true);
    if (!fsr_is(n->kind, FSR_IS_POISON))
        write_type(w, n);
    for (int i = 0; i < n->nargs; i++) {
        fsr_write(w, i ? ", " : " ");
        fsr_write_ref(w, arg[i]);
    }
    fsr_write_fields(w, n, rank, false);
    if (n->hint != FSR_HINT_NONE)
        fsr_write(w, n->hint == FSR_HINT_INLINE ? " hint=inline" : " hint=materialize");
}

void fsr_write_pair(fsr_writer *w, fsr_pair_hint hint, uint32_t with) {
    fsr_write(w, hint == FSR_PAIR_FUSE ? " fuse=" : " apart=");
    fsr_write_ref(w, (fsr_ref){with, 0});
}

/* The pairs of a node with those before it. */
static void write_pairs(fsr_writer *w, const fsr_graph *g, const fsr_order *order, uint32_t id) {
    for (int i = 0; i < fsr_pair_count(g); i++) {
        const fsr_pair *pair = fsr_pair_at(g, i);
        const uint32_t with = pair ? pair->id[pair->id[0] == id] : 0;
        if (pair && (pair->id[0] == id || pair->id[1] == id) && order->number[with] < order->number[id])
            fsr_write_pair(w, pair->hint, order->number[with]);
    }
}

void fsr_write_node(fsr_writer *w, const fsr_graph *g, const fsr_order *order, uint32_t id) {
    const fsr_rec *rec = fsr_graph_rec(g, id);
    fsr_ref arg[FSR_MAX_ARGS];
    fsr_write_ref(w, (fsr_ref){order->number[id], 0});
    fsr_write(w, " = ");
    if (fsr_rec_computed(rec) && !fsr_is(rec->kind, FSR_IS_ARRAY | FSR_IS_ARGUMENT | FSR_IS_LITERAL)) {
        const fsr_content data = fsr_content_array(&rec->content);
        fsr_write_content(w, &data, NULL, 0);
        return;
    }
    for (int i = 0; i < rec->nargs; i++)
        arg[i] = (fsr_ref){order->number[rec->arg[i].id], rec->arg[i].output};
    fsr_write_content(w, &rec->content, arg, rec->nargs ? fsr_graph_rec(g, rec->arg[0].id)->shape.ndim : 0);
    write_pairs(w, g, order, id);
}

fsr_status fsr_graph_print(const fsr_graph *g, const fsr_ref *outs, int n, FILE *to) {
    fsr_order order;
    fsr_status status = fsr_order_make(g, outs, n, &order);
    if (status)
        return status;
    fsr_writer w = {to, false, false};
    for (uint32_t i = 0; i < order.count; i++) {
        fsr_write_node(&w, g, &order, order.id[i]);
        fsr_write(&w, "\n");
    }
    fsr_write(&w, "return");
    for (int i = 0; i < n; i++) {
        fsr_write(&w, i ? ", " : " ");
        fsr_write_ref(&w, (fsr_ref){order.number[outs[i].id], outs[i].output});
    }
    fsr_write(&w, "\n");
    fsr_order_free(&order);
    return ferror(to) ? FSR_ERR_FILE : FSR_OK;
}
