/* SPDX-License-Identifier: MIT */
/* Shared by the order_*.c files: maps over short rows that are made in place of a call. */
#ifndef FUSOR_FUSION_ORDER_PARTS_H
#define FUSOR_FUSION_ORDER_PARTS_H

#include "fusion/flow.h"
#include "fusion/order_network.h"

/* What is made, in place of which node. A wire has one element for each row: the argument's shape, 1 along its last
 * dimension. */
typedef struct fsr_wires {
    fsr_flow *to;
    fsr_flow_node of;
    fsr_link x; /* the argument, in `to` */
    fsr_shape shape;
    bool failed; /* out of memory */
    int n;
    fsr_link wire[FSR_MOST_WIRES];
} fsr_wires;

fsr_link fsr_wires_add(fsr_wires *o, const fsr_flow_node *n);
/* An operation over rows. */
fsr_link fsr_wires_map(fsr_wires *o, fsr_op op, fsr_dtype result, fsr_link a, fsr_link b, fsr_link c);
fsr_link fsr_wires_cast(fsr_wires *o, fsr_link a, fsr_dtype to);
/* The same number for each row. */
fsr_link fsr_wires_number(fsr_wires *o, fsr_dtype dtype, fsr_value value);
/* Element i of each row of an array. */
fsr_link fsr_wires_element(fsr_wires *o, fsr_link of, int64_t i);
/* Arrays of one element a row side by side. */
fsr_link fsr_wires_stack(fsr_wires *o, const fsr_link *piece, int n);
static inline fsr_dtype fsr_wires_dtype(const fsr_wires *o, fsr_link link) {
    return o->to->node[link.id].dtype[link.output];
}

/* Sends the wires through the network. */
void fsr_wires_run(fsr_wires *o, const fsr_network *net, fsr_op lesser, fsr_op greater);
/* The wires become the elements of x as keys: integers that are in order as the elements are, -0 before 0 and NaN
 * last; and a key an element again. */
void fsr_wires_keys(fsr_wires *o);
fsr_link fsr_wires_value(fsr_wires *o, fsr_link key);
/* The value on the wire that a computed rank, i64, says, brought inside. */
fsr_link fsr_wires_choose(fsr_wires *o, fsr_link rank);

/* The first k of each row in order, of descending ones the greatest; and where they were, of elements that have such
 * words. How many operations that takes. */
void fsr_wires_sorted(fsr_wires *o, int k, bool descending, fsr_link *out);
void fsr_wires_places(fsr_wires *o, int k, bool descending, fsr_dtype dtype, fsr_link *out);
bool fsr_wires_has_places(fsr_dtype dtype);
int fsr_wires_sorted_ops(fsr_dtype dtype, int n, int k, bool descending);
int fsr_wires_places_ops(int n, int k);

/* The literal that an array of ranks has in column i of every row. False: there is none. */
bool fsr_literal_rank(const fsr_flow *flow, fsr_link link, int64_t i, int64_t *rank);

#endif
