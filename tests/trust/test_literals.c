/* SPDX-License-Identifier: MIT */
/* tests/contracts/test_literals.c as a GPU plans it (fake_subject.h). Counter-example to a GPU alone: of rows taken one
 * in each run all but the first were the second, in a plan that no CPU makes. */
#include "tests/trust/fake_subject.h"
#ifdef FUSOR_HAVE_CUDA
#include "tests/contracts/test_literals.c"
#endif
