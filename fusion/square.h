/* SPDX-License-Identifier: MIT */
/* Squares of maps: transposed operands by way of a GPU's shared memory, or of a CPU's near cache. */
#ifndef FUSOR_FUSION_SQUARE_H
#define FUSOR_FUSION_SQUARE_H

#include "fusion/loop_ir.h"

/* The load's elements are neighbours along dimension d, and lie a stride apart along the last one. */
bool fsr_load_is_turned(const fsr_kernel *k, int number, int d);
/* On a CPU, of a map in squares: such a load's elements, those that its guard lets through, may be turned before a
 * square's rows are done. */
bool fsr_load_may_be_squared(const fsr_kernel *k, int number);
/* The dimension of a square, `tiled` or the last one, along a part of which the condition holds, whatever the place
 * along others; -1: it is no such condition. */
int fsr_square_bounded(const fsr_kernel *k, int condition);
/* On a CPU, of a map in squares: all that is loaded lies in the other order than what is stored, so that a square's
 * elements may be computed in the order of the loads, and each store turns them. */
bool fsr_kernel_may_turn_stores(const fsr_kernel *k);
/* The map may be done in squares of dimension d and the last one: each of its elements loads and stores at its own
 * place. */
bool fsr_kernel_may_square(const fsr_kernel *k, int d);
/* Of an element of the array of a LOAD or STORE. */
static inline size_t fsr_accessed_bytes(const fsr_kernel *k, const fsr_inst *inst) {
    return fsr_dtype_size(k->array[k->access[inst->index].buffer].dtype);
}
/* Elements of a square's rows along the last dimension. */
static inline int fsr_square_breadth(const fsr_schedule *s) {
    return s->breadth ? s->breadth : s->tile;
}
/* Bytes that the squares of all that is staged take. */
int64_t fsr_square_shared_bytes(const fsr_kernel *k);

#endif
