/* SPDX-License-Identifier: MIT */
/* Elements at computed indices, as their builders have them among themselves. */
#ifndef FUSOR_PRIMITIVES_SCATTER_H
#define FUSOR_PRIMITIVES_SCATTER_H

#include "primitives/indices.h"
#include "primitives/live.h"

/* What is asked first: every operand is looked at, so that the first one that has a graph gives it to the mistake;
 * flags has no bit outside allowed. False: *poison. */
bool fsr_scatter_take(fsr_site at, const char *what, fsr_node x, fsr_node values, const fsr_node *arrays, int n,
                      int flags, int allowed, fsr_node *poison);
/* Where an array of indices or the values have a length: these and the mode as if there were none; *arrays becomes
 * own, with room for n. False: *poison. */
bool fsr_scatter_lengths(fsr_site at, const char *what, fsr_node x, const fsr_node **arrays, fsr_node *own, int n,
                         fsr_node *values, fsr_index_mode *mode, fsr_node *poison);
/* *values as x's dtype, which broadcast to what the indices name. False: *out is the result, x where nothing goes
 * anywhere, else a mistake. */
bool fsr_scattered_take(fsr_site at, fsr_node x, fsr_node *values, const fsr_indices *g, fsr_node *out);

/* x with the values, of its dtype, combined into it by an op that is atomic for it, in any order. */
fsr_node fsr_scatter_combined(fsr_site at, fsr_op op, fsr_node x, fsr_node values, const fsr_indices *g);
/* The same of integers and bools with an op that gives the same in any order, whatever their width. False: the op, or
 * the dtype, is no such one. */
bool fsr_scatter_known(fsr_site at, fsr_op op, fsr_node x, fsr_node values, const fsr_indices *g, fsr_node *out);
/* fsr_scatter_add, as a part of `what`: indices are arrays of one shape. */
fsr_node fsr_scatter_add_of(fsr_site at, const char *what, fsr_node x, const fsr_node *arrays, int n, fsr_node values,
                            fsr_index_mode mode);
/* x, of f32 or f64, with the sum of the values that go there added at each index; the same bits in every run. */
fsr_node fsr_scatter_sum(fsr_site at, fsr_node x, fsr_node values, const fsr_indices *g);

#endif
