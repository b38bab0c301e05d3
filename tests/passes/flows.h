/* SPDX-License-Identifier: MIT */
/* Flows for tests of single passes: recorded with the public builder, run through one pass, compared as text or by
 * value. */
#ifndef FUSOR_TESTS_PASSES_FLOWS_H
#define FUSOR_TESTS_PASSES_FLOWS_H

#include "fusion/passes.h"
#include "tests/support/nodes.h"

/* The flow of these nodes; the caller clears it. */
fsr_flow flow_of(const fsr_node *outs, int n);
/* Runs the pass of that name and verifies what it leaves: true if it changed the flow; then it must have said so. */
bool flow_pass(fsr_flow *flow, const char *name);
/* The operator of fsr_argmax over f32, in the text of a flow. */
#define ARGMAX_F32                                                                                         \
    "{commutative identity=-inf,9223372036854775807; s0=arg 0 f32; s1=arg 2 f32; s2=greater f32>bool "     \
    "s1,s0; s3=isnan f32>bool s1; s4=isnan f32>bool s0; s5=logical_not bool s4; s6=logical_and bool "      \
    "s3,s5; s7=logical_or bool s2,s6; s8=equal f32>bool s1,s0; s9=logical_and bool s3,s4; s10=logical_or " \
    "bool s8,s9; s11=arg 1 i64; s12=arg 3 i64; s13=less i64>bool s12,s11; s14=logical_and bool s10,s13; "  \
    "s15=logical_or bool s7,s14; s16=where f32 s15,s1,s0; s17=where i64 s15,s12,s11; result=s16,s17}"

/* Compares fsr_flow_print's text, and reads it back. */
void flow_expect(const fsr_flow *flow, const char *text);
/* flow_of, flow_pass, flow_expect and clear; a second run of the pass must change nothing more. */
void flow_check(const fsr_node *outs, int n, const char *pass, bool changed, const char *after);

/* The value of a 0-d or elementwise flow's result where every leaf's element is leaf[ordinal]: maps by fsr_op_eval. */
fsr_value flow_value(const fsr_flow *flow, fsr_link link, const fsr_value *leaf);
/* The leaf's flat index that element `flat` of link reads through views; *leaf is the node below. */
int64_t flow_leaf_index(const fsr_flow *flow, fsr_link link, int64_t flat, int *leaf);

/* Numbers at which rewrites go wrong, as values of a dtype. */
enum { FLOW_EDGES = 16 };
int flow_edges(fsr_dtype dtype, fsr_value *out);

/* Pseudo-random numbers below `below`. */
uint32_t flow_random(uint64_t *seed, uint32_t below);
/* A pseudo-random view of x: slice, flip, transpose, reshape, broadcast, expand or squeeze. */
fsr_node flow_random_view(uint64_t *seed, fsr_node x);

#endif
