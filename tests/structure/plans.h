/* SPDX-License-Identifier: MIT */
/* Planning without compiling: recorded nodes to a program for a machine described by hand. Arrays are inputs
 * without data, so a plan for 2^30 elements costs nothing. */
#ifndef FUSOR_TESTS_STRUCTURE_PLANS_H
#define FUSOR_TESTS_STRUCTURE_PLANS_H

#include "fusion/plan.h"
#include "tests/support/nodes.h"
#include "tests/support/targets.h"

/* What a test changes; {0} of the rest: fusion on, no limit, no rewrite skipped. */
typedef struct plan_knobs {
    bool unfused;
    bool fueled; /* fuel is meant */
    int fuel;
    const char *skip;
    bool contraction;
} plan_knobs;

/* Fails the running test with the planner's words on an error. The caller clears the program. */
fsr_program plan_make(const fsr_target *target, const fsr_node *outs, int n, plan_knobs knobs);
/* The plan with every knob at its default. */
fsr_program plan_of(const fsr_target *target, const fsr_node *outs, int n);
/* Nests of all kernels: a kernel of one nest counts for one. */
int plan_nests(const fsr_program *p);
/* The i-th of them, those before the last one of a kernel first. */
const fsr_kernel *plan_nest(const fsr_program *p, int i);
/* How many times slower planning may be: a build for coverage is not optimized. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
enum { SLOWER = 20 };
#else
enum { SLOWER = 1 };
#endif
/* Seconds that the processor spent in this process. */
double plan_seconds(void);

/* Distinct f32 inputs: each call is one more array. */
fsr_node plan_vector(fsr_graph *g, int64_t n);
fsr_node plan_matrix(fsr_graph *g, int64_t rows, int64_t cols);

#endif
