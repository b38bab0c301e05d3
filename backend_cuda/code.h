/* SPDX-License-Identifier: MIT */
/* Callers' kernels (fusor/library.h) on a device: loaded when first run, found by their code, launched. */
#ifndef FUSOR_BACKEND_CUDA_CODE_H
#define FUSOR_BACKEND_CUDA_CODE_H

#include "backend_cuda/device.h"

/* Puts what the kernel's parameters ask of outputs, and its launch, on frame->stream. The device is current. */
fsr_status fsr_cuda_code_run(fsr_cuda *c, const fsr_kernel_code *code, const fsr_call_frame *frame, fsr_fault *fault);

/* The table of those that are loaded; of those that nobody launches at the moment at most `limit` stay. */
fsr_status fsr_cuda_codes_open(fsr_cuda *c, int limit, fsr_fault *fault);
void fsr_cuda_codes_close(fsr_cuda *c);
/* Unloads what nobody launches at the moment. */
void fsr_cuda_codes_trim(fsr_cuda *c);

#endif
