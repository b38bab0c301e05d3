/* SPDX-License-Identifier: MIT */
/* Runs a generated CUDA kernel on the host: compiled as C++ behind host_prelude.hpp, threads as fibers (machine.h). */
#ifndef FUSOR_TESTS_HOST_CUDA_HOST_CUDA_H
#define FUSOR_TESTS_HOST_CUDA_HOST_CUDA_H

#include "fusion/loop_ir.h"
#include "runtime/fault.h"

/* source is fsr_emit_cuda_for_host's text for k. Arrays, work and zero are host memory; launch->blocks and the rest as
 * for a device. Compiled once a source in this process; needs g++ (or $CXX) and the source root as working directory.
 * Not for several threads. FSR_ERR_COMPILE: the fault has the compiler's log. FSR_ERR_MISMATCH: the kernel broke a
 * rule of the machine. */
fsr_status host_cuda_run(const fsr_kernel *k, const char *source, const fsr_launch *launch, uint64_t seed,
                         fsr_fault *fault);

/* The same for any CUDA text: `name` is its kernel, args the places of its arguments. */
fsr_status host_cuda_run_text(const char *name, const char *source, void **args, int blocks, int threads, uint64_t seed,
                              fsr_fault *fault);
/* With all blocks resident at once, as a cooperative launch has them. */
fsr_status host_cuda_run_together(const char *name, const char *source, void **args, int blocks, int threads,
                                  uint64_t seed, fsr_fault *fault);

/* Sources compiled and launches made so far. */
void host_cuda_counts(int *sources, int64_t *launches);

/* True if there is a compiler. */
bool host_cuda_available(void);

#endif
