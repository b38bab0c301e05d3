/* SPDX-License-Identifier: MIT */
/* A library call as a step of a program: which, between which arrays, and the memory that it needs meanwhile. Arrays are
 * whole and in C order. Backends compute it: a table of functions each, by graph/libraries.def. */
#ifndef FUSOR_FUSION_LIBRARY_H
#define FUSOR_FUSION_LIBRARY_H

#include "graph/kind.h"

enum { FSR_LIBRARY_ARRAYS = FSR_MAX_ARGS + FSR_MAX_OUTPUTS };

typedef struct fsr_library_array {
    fsr_dtype dtype;
    bool used; /* of a result: somebody reads it; else it has no memory */
    fsr_shape shape;
} fsr_library_array;

typedef struct fsr_library_call {
    fsr_library library;
    int nin, nout;
    fsr_library_array array[FSR_LIBRARY_ARRAYS]; /* arguments, then results */
    int64_t work_bytes;
} fsr_library_call;

/* Bytes of workspace that a call needs on a machine; FSR_SIZE_OVER where they overflow. */
int64_t fsr_library_work(const fsr_library_call *call, bool gpu);

#endif
