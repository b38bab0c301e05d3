/* SPDX-License-Identifier: MIT */
/* What a workload computes, whoever runs it: the graph as it was recorded, before any rewrite.
 *
 * Each elementwise operation counts one an element, an exp as much as an addition; each element that is folded counts
 * the operations of its operator. Conversions and views count nothing. So it is a scale to tell work that waits for
 * memory from work that computes, no prediction of a time. */
#include "bench/bench.h"
#include "graph/graph.h"
#include <math.h>
#include <stdlib.h>

bool *bench_reached(const fsr_node *out, int n) {
    const fsr_graph *g = out[0].graph;
    const size_t slots = fsr_graph_slots(g);
    bool *reached = calloc(slots, sizeof *reached);
    uint32_t *stack = calloc(slots, sizeof *stack), depth = 0;
    for (int i = 0; reached && stack && i < n; i++)
        if (!reached[out[i].id]) {
            reached[out[i].id] = true;
            stack[depth++] = out[i].id;
        }
    while (reached && stack && depth) {
        const fsr_rec *rec = fsr_graph_rec(g, stack[--depth]);
        for (int i = 0; i < rec->nargs; i++)
            if (!reached[rec->arg[i].id]) {
                reached[rec->arg[i].id] = true;
                stack[depth++] = rec->arg[i].id;
            }
    }
    if (!stack) {
        free(reached);
        reached = NULL;
    }
    free(stack);
    return reached;
}

static int steps_of(const fsr_combine *c) {
    const int n = fsr_region_ops(&c->body);
    return n > 0 ? n : 1;
}

static double operations_of(const fsr_graph *g, const fsr_rec *rec) {
    const double size = (double)fsr_shape_size(&rec->shape);
    if (fsr_is(rec->kind, FSR_RUNS_ONCE))
        return NAN; /* how many turns a loop takes is known when it ran */
    if (fsr_is(rec->kind, FSR_IS_FOLD))
        return steps_of(rec->combine) * (double)fsr_shape_size(&fsr_graph_rec(g, rec->arg[0].id)->shape);
    return fsr_is(rec->kind, FSR_IS_EACH) && !(fsr_has(rec->kind, FSR_FIELD_op) && rec->op == FSR_OP_CAST) ? size : 0;
}

double bench_operations(const fsr_node *out, int n) {
    bool *reached = bench_reached(out, n);
    double sum = reached ? 0 : NAN;
    const fsr_graph *g = out[0].graph;
    for (uint32_t id = 0; reached && id < fsr_graph_slots(g); id++)
        if (reached[id])
            sum += operations_of(g, fsr_graph_rec(g, id));
    free(reached);
    return sum;
}
