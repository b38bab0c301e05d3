/* SPDX-License-Identifier: MIT */
/* tests/contracts/test_fitting.c on the GPU. */
#define SUBJECT_BACKEND FSR_BACKEND_CUDA
#include "tests/contracts/test_fitting.c"
