/* SPDX-License-Identifier: MIT */
/* tests/unit/test_expr.c on the GPU. */
#define SUBJECT_BACKEND FSR_BACKEND_CUDA
#include "tests/unit/test_expr.c"
