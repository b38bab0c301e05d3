/* SPDX-License-Identifier: MIT */
/* What programs of several files share: matrices with strong diagonals, and their factors. */
#ifndef FUSOR_BENCH_PROGRAMS_LOOPS_H
#define FUSOR_BENCH_PROGRAMS_LOOPS_H

#include "bench/bench.h"

/* A with so much on its diagonal that no pivot is small. */
fsr_node bench_dominant(fsr_graph *g, fsr_node a);
/* The factors of in[0], made so, in one matrix: the unit lower one below the diagonal. */
void bench_lu(fsr_graph *g, const fsr_node *in, fsr_node *out);

#endif
