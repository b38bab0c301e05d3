/* SPDX-License-Identifier: MIT */
/* The instruction: one type for two containers.
 *
 * A region (graph/region.h) is isolated: the body of an operator or of a loop. A nest, the kernel of fusion/loop_ir.h,
 * is a region over a domain: how each instruction stands in its loops is a list beside the instructions. In both,
 * instructions are SSA: an instruction's number is its value, and what it reads are smaller numbers. Which kind may
 * stand where is a table, graph/inst_kinds.def. Counter-example to a type for each container: whoever prints, reads,
 * compares, checks or evaluates an addition does it twice, and a kind that both need is added twice. */
#ifndef FUSOR_GRAPH_INST_H
#define FUSOR_GRAPH_INST_H

#include "graph/ops.h"
#include "graph/routine.h"

#define FSR_MAX_OPERANDS FSR_MAX_NATIVE /* values that are named in an instruction itself */

typedef enum fsr_inst_kind {
#define FSR_INST(name, containers, flags) FSR_INST_##name,
#include "graph/inst_kinds.def"
} fsr_inst_kind;
enum {
    FSR_INST_KINDS = 0
#define FSR_INST(name, containers, flags) +1
#include "graph/inst_kinds.def"
};

typedef struct fsr_inst {
    fsr_inst_kind kind;
    fsr_dtype dtype;   /* of the value; of the array for STORE */
    fsr_dtype compute; /* OP: the operands' dtype (b's and c's for WHERE, the source's for CAST) */
    fsr_op op;
    int arg[FSR_MAX_OPERANDS]; /* values, but for accesses of whole arrays, behind those of a CALL */
    int index;
    int component;
    fsr_value value;
    /* of some kinds */
    bool tame;           /* OP on a GPU: the operand is known to be one that a shorter function takes (interval.h) */
    bool odd;            /* likewise a quotient of anything by a literal that is an odd whole number */
    int guard;           /* LOAD, INSIDE: 1 + its guard; 0: it always takes place. Outside nothing is reported */
    fsr_index_mode mode; /* INSIDE */
    int report;          /* INSIDE that raises: 1 + an array of one u64; 0: others */
    bool filter;   /* STORE: of the row, to where mask arg[1] and count arg[2] lead; see Filters in fusion/loop_ir.h */
    bool front;    /* a filter's STORE: of what the mask selects alone */
    bool combines; /* STORE: `op` of what is there and arg[0] */
    int extent;    /* STORE that combines: integer argument with the elements of its array */
    int node;      /* number of the plan's node that it comes from, for comments; -1: none */
} fsr_inst;

/* Containers, a bit each. */
typedef enum fsr_container { FSR_IN_OPERATOR = 1, FSR_IN_BODY = 2, FSR_IN_NEST = 4 } fsr_container;

/* The container may hold the kind; no kind at all may stand anywhere. */
bool fsr_inst_may_stand(fsr_inst_kind kind, fsr_container where);
bool fsr_inst_has_value(fsr_inst_kind kind);

#endif
