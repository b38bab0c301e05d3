/* SPDX-License-Identifier: MIT */
/* What emit_outputs.c asks of emit_outputs_staged.c. */
#ifndef FUSOR_BACKEND_CUDA_EMIT_OUTPUTS_H
#define FUSOR_BACKEND_CUDA_EMIT_OUTPUTS_H

#include "backend_cuda/emit.h"

/* A tile's lanes lie along it. */
static inline int fsr_emit_last_dimension(const fsr_emit *e) {
    return e->k->nparallel - 1;
}

/* Rows, or lanes, of a block's tile. */
int fsr_emit_tile_extent(const fsr_emit *e, bool lanes);
/* The address of an access where the indices along all dimensions are named. */
void fsr_emit_tile_address(fsr_emit *e, char at[FSR_EXPR], int access);
/* s<i> and g<i>; g<i> = the elements of the columns from `from` on; s<i> = g<i>. */
void fsr_emit_staged_declare(fsr_emit *e);
void fsr_emit_staged_bring(fsr_emit *e);
void fsr_emit_staged_put(fsr_emit *e);

#endif
