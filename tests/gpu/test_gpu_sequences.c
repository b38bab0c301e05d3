/* SPDX-License-Identifier: MIT */
/* tests/contracts/test_curand.c on the GPU: cuRAND's generators for a device against those for the host. */
#define SUBJECT_BACKEND FSR_BACKEND_CUDA
#include "tests/contracts/test_curand.c"
