/* SPDX-License-Identifier: MIT */
/* What generated C and generated CUDA write alike: the words of the op table's texts, and callers' functions. */
#ifndef FUSOR_RUNTIME_SOURCE_H
#define FUSOR_RUNTIME_SOURCE_H

#include "fusion/loop_ir.h"
#include "graph/routine.h"
#include "runtime/text.h"

/* What a placeholder $letter of an op's text (graph/scalar_ops.def) stands for, but for operands and types, which each
 * backend names itself: U the unsigned integer as wide as `compute`, W the same of 4 bytes at least, S the name of
 * `compute`, D that of `result`, N the digits of the significand of `compute`. NULL: another letter. */
const char *fsr_source_word(char letter, fsr_dtype compute, fsr_dtype result);

/* How a backend writes callers' functions: the type of a parameter, and which of their texts it takes. */
typedef struct fsr_source_dialect {
    const char *(*type)(fsr_dtype dtype);
    bool cuda;
} fsr_source_dialect;

/* The prototypes of n functions, for before the kernel, of CUDA with what they are linked with, so that the source
 * differs where that does; their preambles, equal ones once, and their definitions, for
 * behind it. A #line before each text makes the compiler count the caller's own lines, under the function's name. */
void fsr_source_declare(fsr_text *to, const fsr_source_dialect *dialect, const fsr_routine *const *f, int n);
void fsr_source_define(fsr_text *to, const fsr_source_dialect *dialect, const fsr_routine *const *f, int n);

/* Calls of functions of several results whose results, a variable each, stand in blocks of the text that are open: the
 * same function of the same values is not called again there. */
#define FSR_SOURCE_CALLS 16
typedef struct fsr_source_calls {
    int n;
    int inst[FSR_SOURCE_CALLS], depth[FSR_SOURCE_CALLS]; /* of the block that it stands in */
} fsr_source_calls;

/* Whether CALL `number` of k has been made: *first, then its own number, is the CALL whose variable has the results.
 * One that was not stands at this depth from now on. The same of the angle of an OP (FSR_OP_OF_ANGLE). */
bool fsr_source_call(fsr_source_calls *c, const fsr_kernel *k, int number, int depth, int *first);
/* Blocks deeper than this are closed. */
void fsr_source_leave(fsr_source_calls *c, int depth);

#endif
