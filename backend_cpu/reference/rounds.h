/* SPDX-License-Identifier: MIT */
/* Loops over arrays. */
#ifndef FUSOR_BACKEND_CPU_REFERENCE_ROUNDS_H
#define FUSOR_BACKEND_CPU_REFERENCE_ROUNDS_H

#include "backend_cpu/reference/array.h"
#include "graph/rounds.h"

/* Evaluates a graph whose inputs and parameters are given, by node; results[i], of outs[i], is the caller's to
 * unref. */
typedef fsr_status (*fsr_ref_evaluate)(void *user, const fsr_graph *g, const fsr_ref *outs, int n,
                                       const fsr_ref_view *given, fsr_ref_view *results);

/* The results of a node from the views of its arguments, turn by turn. FSR_ERR_MEMORY; what evaluating returns. */
fsr_status fsr_ref_rounds(const fsr_rec *rec, const fsr_ref_view *in, fsr_ref_evaluate evaluate, void *user,
                          fsr_ref_view *out);

#endif
