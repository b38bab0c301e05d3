/* SPDX-License-Identifier: MIT */
/* tests/contracts/test_live_places.c as kernels generated for a GPU, run on the host: none loads behind a
 * length. */
#define WRITTEN_OUTSIDE 1
#include "tests/trust/written_program.h"
#define SUBJECT_BACKEND FSR_BACKEND_CUDA
#define main subject_program
#include "tests/contracts/test_live_places.c"
