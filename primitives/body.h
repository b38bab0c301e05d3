/* SPDX-License-Identifier: MIT */
/* A caller's body: an operator's, a loop's, a row function's. */
#ifndef FUSOR_PRIMITIVES_BODY_H
#define FUSOR_PRIMITIVES_BODY_H

#include "primitives/primitives.h"

/* n 0-d arguments. False: out of memory, *poison says so. */
bool fsr_body_args(fsr_graph *g, fsr_site at, const fsr_dtype *dtype, int n, fsr_node *arg, fsr_node *poison);
/* Result i of a body (whose: "operator's body") as it was left there: itself, or a poison if it is null, stale,
 * poisoned or another graph's. */
fsr_node fsr_body_result(fsr_graph *g, fsr_site at, const char *what, const char *whose, int i, fsr_node result);
/* The same as a node of dtype `want`: a literal converts where it would meet such an array. */
fsr_node fsr_body_value(fsr_graph *g, fsr_site at, const char *what, const char *whose, int i, fsr_node result,
                        fsr_dtype want);
/* False: the graph is gone (*poison is null), or the body has ended scopes: at most depth - 1 are open, or first, a
 * node recorded before it ran, is no more. */
bool fsr_body_took(fsr_graph *g, fsr_site at, const char *what, const char *whose, int depth, fsr_node first,
                   fsr_node *poison);
/* Ends the scopes above depth and drops what is in them; a poison recorded there is recorded again in the enclosing
 * one. */
fsr_node fsr_body_leave(fsr_graph *g, int depth, fsr_node poison);

#endif
