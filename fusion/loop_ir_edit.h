/* SPDX-License-Identifier: MIT */
/* What changes a kernel's list of instructions: by lowering, and where a schedule makes places of filters. */
#ifndef FUSOR_FUSION_LOOP_IR_EDIT_H
#define FUSOR_FUSION_LOOP_IR_EDIT_H

#include "fusion/loop_ir.h"

/* loop_ir_add.c */
/* A new instruction without arguments. */
fsr_inst fsr_inst_blank(fsr_inst_kind kind, fsr_dtype dtype, int node);
/* Appends it, in the level and pass of its arguments at least; of those that are made once, one like it that is there
 * is it. Its number; -1: there is no room. */
int fsr_kernel_add(fsr_kernel *k, const fsr_inst *inst, fsr_stand least);
int fsr_kernel_add_once(fsr_kernel *k, const fsr_inst *inst, fsr_level least);
/* The same of a number, node: the literal that it is, -1: none; of an operation of the last one's dtype, c is -1 if it
 * has two; of a conversion. */
int fsr_kernel_constant(fsr_kernel *k, fsr_dtype dtype, fsr_value value, int node);
int fsr_kernel_op(fsr_kernel *k, fsr_op op, int a, int b, int c);
int fsr_kernel_cast(fsr_kernel *k, int value, fsr_dtype to);

/* unused.c */
/* Removes the instructions whose values nobody reads. at: FSR_MAX_INSTS numbers, those that the instructions have from
 * now on, -1 for what is gone; the symbols of forms are the caller's to renumber. */
void fsr_kernel_drop_unused(fsr_kernel *k, int *at);
/* Instructions from `first` on, folds, loops and the count that ends a map name at[number] where they named a
 * number. */
void fsr_kernel_renumber(fsr_kernel *k, int first, const int *at);

/* loop_passes.c */
/* ELEM values, and operations of rows, move to the first pass that reads them: a load that only pass 2 needs is not
 * done in pass 0, and what is computed of a row's load does not wait for it before the loop of elements. */
void fsr_kernel_sink(fsr_kernel *k);

#endif
