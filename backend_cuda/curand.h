/* SPDX-License-Identifier: MIT */
/* cuRAND's generators of a device, one of each kind, made when it first draws. */
#ifndef FUSOR_BACKEND_CUDA_CURAND_H
#define FUSOR_BACKEND_CUDA_CURAND_H

#include "runtime/curand.h"

typedef struct fsr_curand_kept {
    fsr_curand library;
    void *generator[FSR_GENERATORS]; /* NULL: not made */
} fsr_curand_kept;

/* Destroys every generator, with the device current. */
void fsr_curand_close(fsr_curand_kept *k);

#endif
