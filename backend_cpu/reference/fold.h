/* SPDX-License-Identifier: MIT */
/* Reductions and scans of arrays of elements. */
#ifndef FUSOR_BACKEND_CPU_REFERENCE_FOLD_H
#define FUSOR_BACKEND_CPU_REFERENCE_FOLD_H

#include "backend_cpu/reference/array.h"

/* Roundings that an element may pass through on a backend. A reduction of n: min(n - 1, serial + log2 n + n / 2^20),
 * that is, accumulators that fold `serial` elements one after the other (for huge n at least 2^20 accumulators), then a
 * tree. serial is 512 if the operator commutes, else 4096 (adjacent elements cannot be spread over lanes). A scan at
 * its n-th element: n - 1, since a GPU walks down a column with one thread; everywhere else it is less
 * (docs/semantics.md). */
double fsr_ref_depth(int64_t n, bool commutative);
double fsr_ref_scan_depth(int64_t n);
/* How often an element may be part of the right operand of an operator that does not commute, in reductions and scans:
 * chains go from left to right, min(n - 1, 32 + 2 log2 n). The depths above say how often it may be part of either. */
double fsr_ref_right_depth(int64_t n);

/* No step of the operator rounds: integers, min, max, comparisons, choices. */
bool fsr_ref_selects(const fsr_combine *c);
/* Some step of the operator takes or gives complex numbers. */
bool fsr_ref_has_complex(const fsr_combine *c);
/* One step of an operator: out = left (+) right; out may be left or right. selects: what fsr_ref_selects said. */
void fsr_ref_combine(const fsr_combine *c, bool selects, fsr_ball *out, const fsr_ball *left, const fsr_ball *right);
/* The operator on wide numbers without radii: out[0..arity) from arg[0..2*arity), left then right. */
void fsr_ref_combine_centers(const fsr_combine *c, const long double *arg, long double *out);

/* Folds in[0..arity) of shape `from` over node->axes, or along node->axis, with the node's operator, of which
 * everything but the states is bound. out[0..arity) receives new arrays of
 * node->shape. FSR_ERR_MEMORY: out of memory, nothing is made. */
fsr_status fsr_ref_reduce(const fsr_rec *node, const fsr_combine *combine, const fsr_ref_view *in,
                          const fsr_shape *from, fsr_ref_data **out);
fsr_status fsr_ref_scan(const fsr_rec *node, const fsr_combine *combine, const fsr_ref_view *in, const fsr_shape *from,
                        fsr_ref_data **out);
typedef fsr_status (*fsr_ref_fold)(const fsr_rec *node, const fsr_combine *combine, const fsr_ref_view *in,
                                   const fsr_shape *from, fsr_ref_data **out);

#endif
