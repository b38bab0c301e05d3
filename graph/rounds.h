/* SPDX-License-Identifier: MIT */
/* A loop over arrays: what a node of the kind "loop" holds.
 *
 * Its body is a graph of its own, that nobody else has a handle to. Node node[k] of it stands for the loop's argument
 * k: the state's arrays first, then arrays of which a turn sees one slice along axis 0, then what is the same in every
 * turn: an array, or, where the body has a PARAM for it, a scalar that each run gives. `number` is the number of the
 * turn, a PARAM, and `go` whether the loop has not ended yet. All nodes are copied in the order in which the results
 * need them, so that equal bodies are equal bytes.
 * Results are the next state and, behind it, slices of what is stacked along a new axis 0. With a condition the body
 * has its value for the state (`first`) and for the next state (`again`), and, for a machine that does not look at it
 * after every turn, results that stay as they are once it was false (`guarded`, and `still`, the next `go`).
 * Counter-example to nodes of the enclosing graph with a mark: passes, the partition and every walk over a graph would
 * have to stop at the marks. */
#ifndef FUSOR_GRAPH_ROUNDS_H
#define FUSOR_GRAPH_ROUNDS_H

#include "graph/graph.h"

/* What a loop takes and gives, and how often. */
typedef struct fsr_rounds_form {
    int nstate, nsliced; /* its first arguments; the last one is the count of turns, if `count` is -1 */
    int nstacked;        /* results behind the state */
    bool reverse;        /* slices are taken and stacked from the last to the first */
    bool conditional;
    int64_t count; /* turns, with a condition the most; -1: the last argument says it */
} fsr_rounds_form;

struct fsr_rounds {
    int refs;
    fsr_rounds_form form;
    int nsame; /* arguments behind what is sliced */
    fsr_graph *body;
    uint32_t node[FSR_MAX_ARGS], number, go; /* go: with a condition, else 0 */
    fsr_ref result[FSR_MAX_OUTPUTS];
    fsr_ref first, again, still; /* with a condition */
    fsr_ref guarded[FSR_MAX_OUTPUTS];
    unsigned char *bytes; /* every byte that a plan depends on */
    size_t size;
};

/* NULL: out of memory. The body is empty. */
fsr_rounds *fsr_rounds_new(const fsr_graph *of);
fsr_rounds *fsr_rounds_ref(fsr_rounds *t);
void fsr_rounds_unref(fsr_rounds *t); /* NULL is allowed */
/* Makes `bytes` of a body that is complete. False: out of memory. */
bool fsr_rounds_sign(fsr_rounds *t);
bool fsr_rounds_equal(const fsr_rounds *a, const fsr_rounds *b);

/* Arguments that the body has a node for. */
static inline int fsr_rounds_operands(const fsr_rounds *t) {
    return t->form.nstate + t->form.nsliced + t->nsame;
}
/* The turns that a value of an integer dtype asks for. */
int64_t fsr_rounds_counted(fsr_dtype dtype, fsr_value value);
/* Argument k is a scalar that each run gives. */
bool fsr_rounds_scalar(const fsr_rounds *t, int k);
/* The body in the text form of graphs, malloc'ed: its results, then with a condition that of the state. NULL: out of
 * memory. */
char *fsr_rounds_text(const fsr_rounds *t);
/* Of result i. */
fsr_type fsr_rounds_result(const fsr_rounds *t, int i);

#endif
