/* SPDX-License-Identifier: MIT */
/* tests/error/test_run_errors.c on the GPU. */
#define SUBJECT_BACKEND FSR_BACKEND_CUDA
#include "tests/error/test_run_errors.c"
