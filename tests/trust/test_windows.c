/* SPDX-License-Identifier: MIT */
/* tests/contracts/test_windows.c as a GPU plans it (fake_subject.h): rewrites make other programs of windows there,
 * which texts of kernels and their interpreter do not see. */
#include "tests/trust/fake_subject.h"
#ifdef FUSOR_HAVE_CUDA
#include "tests/contracts/test_windows.c"
#endif
