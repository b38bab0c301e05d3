/* SPDX-License-Identifier: MIT */
/* tests/contracts/test_contexts.c on the GPU, and on two where there are two. */
#define SUBJECT_BACKEND FSR_BACKEND_CUDA
#include "tests/contracts/test_contexts.c"
