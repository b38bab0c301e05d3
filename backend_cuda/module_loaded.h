/* SPDX-License-Identifier: MIT */
/* A kernel in memory, for who makes it (module.c) and who launches it (launch.c). */
#ifndef FUSOR_BACKEND_CUDA_MODULE_LOADED_H
#define FUSOR_BACKEND_CUDA_MODULE_LOADED_H

#include "backend_cuda/emit_cuda.h"
#include "runtime/modules.h"
#include <cuda_runtime_api.h>

struct fsr_module {
    fsr_loaded loaded; /* first: see runtime/modules.h */
    fsr_cuda_source source;
    bool contraction;
    int threads;
    int resident;      /* blocks that a multiprocessor shall hold at once; 0: as it comes */
    int dynamic_bytes; /* of shared memory that a launch gives each block */
    bool cooperative;  /* launched so that all its blocks run at once, or not at all */
    char name[64];
    int nparams;
    fsr_cuda_param param[FSR_CUDA_MAX_PARAMS];
    uint32_t place[FSR_CUDA_MAX_PARAMS]; /* of a parameter's value in an fsr_launch */
    int nnarrow;
    int narrow[FSR_MAX_INTS]; /* integer arguments passed in 4 bytes */
    cudaLibrary_t library;
    cudaKernel_t kernel;
    int registers, spill_bytes, max_threads;
};

#endif
