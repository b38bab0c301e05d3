/* SPDX-License-Identifier: MIT */
/* What the CUDA compiler made of a kernel; for explain, tests and decisions on spilling kernels. */
#ifndef FUSOR_BACKEND_CUDA_MODULE_H
#define FUSOR_BACKEND_CUDA_MODULE_H

#include "runtime/backend.h"

/* Registers and bytes of local memory (spills and indexed arrays) of one thread. FSR_ERR_NULL: m is NULL.
 * FSR_ERR_UNSUPPORTED: a build without a CUDA toolkit. */
fsr_status fsr_cuda_kernel_info(const fsr_module *m, int *registers, int *spill_bytes);

#endif
