/* SPDX-License-Identifier: MIT */
/* tests/diff/test_numpy_order.c on the GPU. */
#define SUBJECT_BACKEND FSR_BACKEND_CUDA
#include "tests/diff/test_numpy_order.c"
