/* SPDX-License-Identifier: MIT */
/* Sums of rows of neighbours, of any lengths. */
#ifndef FUSOR_BACKEND_CPU_ROW_SUMS_H
#define FUSOR_BACKEND_CPU_ROW_SUMS_H

#include "backend_cpu/run/thread_pool.h"
#include "runtime/library.h"

/* The calls "sparse", of a product, and "segments" (graph/sparse.h); threads may be NULL. */
void fsr_row_sums(fsr_thread_pool *threads, const fsr_library_call *call, void *const *array, bool product);

#endif
