/* SPDX-License-Identifier: MIT */
/* Memory that a library call needs besides its arrays, of sizes that the library tells when it is asked: taken from the
 * pool while the call is put on a stream, and given back behind it. */
#ifndef FUSOR_BACKEND_CUDA_ROOMS_H
#define FUSOR_BACKEND_CUDA_ROOMS_H

#include "backend_cuda/device.h"

enum { FSR_ROOMS = 12 };

typedef struct fsr_rooms {
    fsr_cuda *c;
    cudaStream_t stream;
    const char *call; /* the library call's name */
    fsr_fault *fault;
    fsr_status status; /* the first that failed; nothing is done afterwards */
    void *block[FSR_ROOMS];
    int n;
} fsr_rooms;

/* A call of CUDA's: what failed becomes the status. */
void fsr_rooms_cuda(fsr_rooms *r, cudaError_t error, const char *what);
/* A block; NULL: it is out, or something failed before. The pool's blocks are in order with the own stream alone, and
 * another thread may just have given this one back: a foreign stream waits for what uses it still. */
void *fsr_rooms_take(fsr_rooms *r, int64_t bytes);
/* The blocks are the pool's again, behind the work that uses them: the own stream, in whose order the pool's next owner
 * is, waits for a foreign one before any is given back. */
void fsr_rooms_leave(fsr_rooms *r);
/* A library whose handle found no memory: the pool gives up what nobody uses. True: it is worth another try, and the
 * fault is clear. */
bool fsr_rooms_trim(fsr_cuda *c, fsr_status status, fsr_fault *fault);

#endif
