/* SPDX-License-Identifier: MIT */
/* tests/contracts/test_updated_loops.c on the GPU. */
#define SUBJECT_BACKEND FSR_BACKEND_CUDA
#include "tests/contracts/test_updated_loops.c"
