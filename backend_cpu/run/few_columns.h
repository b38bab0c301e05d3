/* SPDX-License-Identifier: MIT */
/* Products of a matrix, whose rows are contiguous, with one of few columns. */
#ifndef FUSOR_BACKEND_CPU_FEW_COLUMNS_H
#define FUSOR_BACKEND_CPU_FEW_COLUMNS_H

#include "backend_cpu/run/library.h"
#include "graph/matmul.h"

/* c = a b of one product, all of dtype. */
typedef struct fsr_few_columns {
    const fsr_matmul *m;
    fsr_dtype dtype;
    const void *a, *b;
    void *c;
} fsr_few_columns;

/* This machine does products of these sizes so. */
bool fsr_few_columns_here(const fsr_crew *crew, const fsr_matmul *m, fsr_dtype dtype);
/* room: fsr_matmul_room's bytes. */
void fsr_few_columns_multiply(const fsr_crew *crew, const fsr_few_columns *x, void *room);

#endif
