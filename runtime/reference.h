/* SPDX-License-Identifier: MIT */
/* The reference: the oracle that every backend is compared with.
 *
 * It executes a recorded graph (not the loop IR) node by node with plain loops, and shares no code with fusion or the
 * emitters. Every element has two things, and neither is made of the other:
 *
 * The plain value, which is what is read: what a backend has that rounds every operation correctly to its dtype, one
 * after the other. Sums and products (and running ones) are added up wide and rounded once; another operator is
 * evaluated in the dtypes of its state, reduced by a tree of neighbours, scanned in strips of 512. It is always there:
 * 1 / sin(0) is infinity, whatever is known of the error of sin.
 *
 * A pair (centre, radius), which is what is compared with: the centre is the result in wider arithmetic (double for
 * f32, long double for f64, exact integers), the radius bounds how far a correct backend's answer may lie from it. The
 * rules:
 *   - an exact op (see FSR_OP_EXACT) on operands that are known (radius 0) has one right answer: radius 0;
 *   - otherwise the operands' radii are carried through the op, and the op's own error is added: half a unit in the
 *     last place for exact ops, the table's `ulp` for the others (and four of the smallest subnormals);
 *   - a radius of infinity means that nothing can be said (x / y where y may be 0, log(x) where x may be negative, a
 *     value on the brink of overflow): every answer is accepted, counted, and looked at beside the plain value;
 *   - a comparison of operands whose intervals touch is unknown: 0 or 1. So is what follows from it;
 *   - a reduction of n elements may be folded by any tree of depth fsr_ref_depth(n) (backend_cpu/reference/fold.h).
 *     Float sums of known integers that stay below 2^24 (f32) are exact in any order: data for finding a dropped
 *     element.
 * The plain value is a correct backend's, so it lies within the radius of the centre: the tests ask that of every
 * graph. Counter-example to a plain relative tolerance: x - y of two computed, nearly equal numbers has no correct
 * digit left, and floor(x / y) may be off by one; while x - y of two inputs must be right to the last bit. */
#ifndef FUSOR_RUNTIME_REFERENCE_H
#define FUSOR_RUNTIME_REFERENCE_H

#include "fusor/run.h"
#include "graph/graph.h"
#include "runtime/fault.h"

/* A computed array in C order. */
typedef struct fsr_ref_array {
    fsr_dtype dtype;
    fsr_shape shape;
    fsr_value *value;  /* the plain value */
    fsr_value *center; /* the centre, rounded to dtype; says nothing where the bound is unknown */
    double *bound;     /* absolute error from the centre allowed to a backend's element; 0: must be equal, INFINITY: not
                          known, anything goes; 1 of a bool: the same */
} fsr_ref_array;

/* Copies the data of result `output` of a leaf (a node with a buffer, or an fsr_input by leaf->name) to host memory. */
typedef fsr_status (*fsr_ref_fetch)(void *user, const fsr_rec *leaf, int output, void *dst, int64_t bytes);

/* Computes outs[0..n). results[0..n) are the caller's to free with fsr_ref_array_free; all zero after an error.
 * A result that has a buffer is a leaf; nothing behind it is evaluated. FSR_ERR_MEMORY: out of memory. A poisoned
 * node's status: outs depend on it. What fetch returns is passed on (fetch itself fills the fault, if it wants to). */
fsr_status fsr_reference_run(const fsr_graph *g, const fsr_ref *outs, int n, fsr_ref_fetch fetch, void *user,
                             fsr_ref_array *results, fsr_fault *fault);
/* The same for a backend that may contract a*b + c into one fused multiply-add. */
fsr_status fsr_reference_run_contracted(const fsr_graph *g, const fsr_ref *outs, int n, fsr_ref_fetch fetch, void *user,
                                        fsr_ref_array *results, fsr_fault *fault);

void fsr_ref_array_free(fsr_ref_array *a);

/* Compares a backend's array (C order, want->dtype) with the reference; true if every element is within its bound. NaN
 * equals NaN, an infinity only itself, +0 equals -0. The report accumulates: zero it before the first array; `checked`
 * grows, the other fields change when a worse element than all before is found, but worst_out, which is the caller's.
 * worst is error / bound, INFINITY where the bound is 0 or one of the two is no finite number. An element without a
 * known bound is never outside; `apart` counts those that do not have half the digits of the plain value. */
bool fsr_ref_compare(const fsr_ref_array *want, const void *got, fsr_verify_report *report);

#endif
