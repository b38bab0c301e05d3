/* SPDX-License-Identifier: MIT */
/* tests/trust/test_addresses.c on the GPU, and what it costs. */
#define SUBJECT_BACKEND FSR_BACKEND_CUDA
#define SUBJECT_REAL_GPU
#include "tests/trust/test_addresses.c"
