/* SPDX-License-Identifier: MIT */
/* Loop IR -> CUDA C++ text. The emitter decides nothing: what is evaluated where comes from fsr_kernel_rows and
 * fsr_kernel_pass_body, how it is laid on the machine from the schedule.
 *
 * The text includes nothing and speaks a small vocabulary (prelude.h) besides threadIdx and blockIdx. It must be
 * compiled with
 * -std=c++17 -default-device --fmad=false (true if the kernel allows contraction).
 *
 * What a schedule must hold for the text to be right (fusion/schedule_gpu.c):
 *   all       threads a power of two >= 32; items a multiple of vector; if not wide, rows, columns, every address and
 *             rows * columns are < 2^31 (indices are unsigned inside: a tile beyond the end does not wrap).
 *   vector>1  every pointer is 16-byte aligned. MAP, COL: the innermost parallel extent is a multiple of vector unless
 * all accesses
 *             are linear, row_linear or constant and no INDEX of two or more dimensions is taken (then any number of
 * rows).
 *             ROW, SPLIT, LOOKBACK: cols is a multiple of vector.
 *   ROW       abreast a power of two <= threads; kept values only if persistent.
 *   SPLIT     stretch a multiple of vector; splits * stretch >= cols, splits >= 1; one pass, no scan, nothing kept.
 *   COL       the same with splits > 1; several passes or scans only if splits = 1; scans only if abreast = threads;
 *             dealt: abreast divides threads, which are a multiple of 32, and all folds are reductions that commute.
 *   LOOKBACK  stretch = threads * items, splits = ceil(cols / stretch); one pass, nothing kept.
 * A violation that the kernel alone shows is FSR_ERR_INTERNAL. */
#ifndef FUSOR_BACKEND_CUDA_EMIT_CUDA_H
#define FUSOR_BACKEND_CUDA_EMIT_CUDA_H

#include "fusion/loop_ir.h"
#include "runtime/text.h"

/* Changes whenever the text for an unchanged kernel changes: part of a cache's key. */
#define FSR_CUDA_GENERATOR 1

/* Appends the whole source of one kernel, its __global__ function being k->name. FSR_ERR_MEMORY, FSR_ERR_INTERNAL;
 * FSR_ERR_UNSUPPORTED: fsr_emit_cuda_lacks. */
fsr_status fsr_emit_cuda(const fsr_kernel *k, fsr_text *out);
/* The same text less the pieces of the prelude that speak to the device (barriers, shuffles, atomics): to be compiled
 * as C++ beside a host's own version of them. */
fsr_status fsr_emit_cuda_for_host(const fsr_kernel *k, fsr_text *out);

/* The first routine that has no CUDA text; NULL: none. */
const fsr_routine *fsr_emit_cuda_lacks(const fsr_kernel *k);

typedef enum fsr_cuda_param_kind {
    FSR_CUDA_ARRAY,      /* pointer launch->array[index] */
    FSR_CUDA_INT,        /* launch->integer[index] as an integer of `bytes` */
    FSR_CUDA_RECIPROCAL, /* fsr_cuda_reciprocal of launch->integer[index] */
    FSR_CUDA_SCALAR,     /* launch->scalar[index], `bytes` of it */
    FSR_CUDA_WORK,       /* pointer launch->work */
    FSR_CUDA_ZERO        /* pointer launch->zero */
} fsr_cuda_param_kind;

typedef struct fsr_cuda_param {
    fsr_cuda_param_kind kind;
    int index;
    int bytes;
} fsr_cuda_param;

enum { FSR_CUDA_NO_MEMORY = -2 };
#define FSR_CUDA_MAX_PARAMS (FSR_MAX_BUFFERS + FSR_MAX_INTS + FSR_MAX_DIMS + FSR_MAX_SCALARS + 2)

/* The parameters of the emitted function, in order; out must hold FSR_CUDA_MAX_PARAMS. Their number, or -1 if the
 * kernel cannot be emitted, or FSR_CUDA_NO_MEMORY. All arrays are there but those that stand between nests;
 * integers and scalars only if the text uses them. */
int fsr_cuda_params(const fsr_kernel *k, fsr_cuda_param *out);

/* What a kernel multiplies an index below 2^31 with, and then shifts it right by, to divide it by an extent: the factor
 * in the lower half, the shift in the upper one. Exact: the factor is 2^shift / extent rounded up, too large by less
 * than 2^-31 of itself, so that a quotient is too large by less than 1 / extent. */
uint64_t fsr_cuda_reciprocal(int64_t extent);

#endif
