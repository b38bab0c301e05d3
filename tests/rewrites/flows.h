/* SPDX-License-Identifier: MIT */
/* Flows for tests of single rewrites: recorded with the public builder, run through one rewrite, compared as text or by
 * value. */
#ifndef FUSOR_TESTS_PASSES_FLOWS_H
#define FUSOR_TESTS_PASSES_FLOWS_H

#include "fusion/rewrites.h"
#include "tests/support/nodes.h"

/* The flow of these nodes; the caller clears it. */
fsr_flow flow_of(const fsr_node *outs, int n);
/* Runs the rewrite of that name and verifies what it leaves: true if it changed the flow; then it must have said so. */
bool flow_rewrite(fsr_flow *flow, const char *name);
/* The operator of fsr_argmax over f32, in the text of a flow. */
#define ARGMAX_F32                                                                                       \
    "{commutative identity=-inf,9223372036854775807; t0 = f32 left0; t1 = f32 right0; t2 = bool "        \
    "greater.f32(t1, t0); t3 = bool isnan.f32(t1); t4 = bool isnan.f32(t0); t5 = bool "                  \
    "logical_not.bool(t4); t6 = bool logical_and.bool(t3, t5); t7 = bool logical_or.bool(t2, t6); t8 = " \
    "bool equal.f32(t1, t0); t9 = bool logical_and.bool(t3, t4); t10 = bool logical_or.bool(t8, t9); "   \
    "t11 = i64 left1; t12 = i64 right1; t13 = bool less.i64(t12, t11); t14 = bool "                      \
    "logical_and.bool(t10, t13); t15 = bool logical_or.bool(t7, t14); t16 = f32 where(t15, t1, t0); "    \
    "t17 = i64 where(t15, t12, t11); gives t16, t17}"

/* Compares fsr_flow_print's text, and reads it back. */
void flow_expect(const fsr_flow *flow, const char *text);
/* flow_of, flow_rewrite, flow_expect and clear; a second run of the rewrite must change nothing more. */
void flow_check(const fsr_node *outs, int n, const char *rewrite, bool changed, const char *after);

/* Nodes of a kind, and of an operation if it is a map, that the rewrite leaves; it must then change nothing more. */
int flow_left(fsr_node out, const char *rewrite, fsr_kind kind, fsr_op op);

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
