/* SPDX-License-Identifier: MIT */
/* Which literals are a kernel's text and which its arguments.
 *
 * A literal in the text lets a compiler use its value; one that changes from call to call would compile a kernel each
 * time. So a program's first literals are text, and one that differs in a later plan that is otherwise the same becomes
 * an argument. What decides is the flow after its rewrites: where a literal's value mattered to a rewrite (x * 1, a
 * where on true, two literals that are equal, exact operations that were folded) the flows are not the same, and each
 * keeps its own text. Nothing behind the rewrites looks at the value of one that is an argument: a plan with arguments
 * has the groups, schedules and associations that it has without, and gives the same bits; a gather at a literal's
 * place is an array's view without, which moves the same elements.
 *
 * Counter-example to leaving every first literal in the text: a compiler evaluates exp(0.7) itself, with its own last
 * bit. Where literals alone reach an operation that may round they are arguments from the start. So are those that
 * meet an operation of complex numbers that may round, a caller's function, or a loop or operator with such a step:
 * each is made of functions of single operands. Which NaN comes out of two is the compiler's choice, so a NaN is
 * text.
 *
 * Literals inside of operators' and loops' bodies are literals as others are: as arguments they are the last ones of
 * their region, bound to scalars of the kernel. A state may begin as the identity, which is text, so that an operation
 * that may round counts as made of literals alone also where one of the two states is known. An identity, and a loop's
 * most turns, are text. */
#ifndef FUSOR_FUSION_LITERALS_H
#define FUSOR_FUSION_LITERALS_H

#include "fusion/partition.h"

/* Numbers the literals of a flow whose rewrites are done, from 0, in the order of nodes and of their bodies, and finds
 * those that must be arguments (flow->use). Their values and dtypes are malloc'ed, *n of them. FSR_ERR_MEMORY. */
typedef struct fsr_literal {
    fsr_value value;
    fsr_dtype dtype;
} fsr_literal;
fsr_status fsr_literals_number(fsr_flow *flow, fsr_literal **literal, int *n);
int fsr_literals_count(const fsr_flow *flow);
bool fsr_literal_is_nan(const fsr_literal *literal);
/* A literal's value may be looked at behind the rewrites: it is in its kernel's text. */
bool fsr_literal_is_text(const fsr_flow *flow, const fsr_flow_node *literal);
/* A group's kernel takes its literals that are arguments as scalar arguments. Where it can take no more they stay in
 * the text: text[their number] becomes true. */
void fsr_literals_bind(fsr_group *group, const fsr_partition *p, bool *text);
/* Which literals are arguments, and why, in words; nothing if none is. text as fsr_literals_bind left it. */
void fsr_literals_explain(const fsr_flow *flow, const bool *text, FILE *to);

#endif
