/* SPDX-License-Identifier: MIT */
/* The graph as Graphviz DOT: a box a node, labelled with its line of the text form, but for bodies: a picture whose
 * boxes hold programs of a hundred steps shows nothing. */
#include "graph/print.h"
#include <inttypes.h>

static void dot_node(const fsr_graph *g, const fsr_order *order, uint32_t number, FILE *to) {
    const fsr_rec *rec = fsr_graph_rec(g, order->id[number]);
    fsr_writer label = {to, true, true};
    fprintf(to, "  n%" PRIu32 " [shape=%s label=\"", number, fsr_kinds[rec->kind].shape);
    fsr_write_node(&label, g, order, order->id[number]);
    fputs("\"];\n", to);
    for (int i = 0; i < rec->nargs && !fsr_rec_computed(rec); i++)
        fprintf(to, "  n%" PRIu32 " -> n%" PRIu32 ";\n", order->number[rec->arg[i].id], number);
}

fsr_status fsr_graph_dot(const fsr_graph *g, const fsr_ref *outs, int n, FILE *to) {
    fsr_order order;
    fsr_status status = fsr_order_make(g, outs, n, &order);
    if (status)
        return status;
    fputs("digraph fusor {\n  node [fontname=monospace fontsize=10];\n", to);
    for (uint32_t i = 0; i < order.count; i++)
        dot_node(g, &order, i, to);
    for (int i = 0; i < n; i++)
        fprintf(to, "  out%d [shape=doublecircle label=\"%d\"];\n  n%" PRIu32 " -> out%d;\n", i, i,
                order.number[outs[i].id], i);
    fputs("}\n", to);
    fsr_order_free(&order);
    return ferror(to) ? FSR_ERR_FILE : FSR_OK;
}
