/* SPDX-License-Identifier: MIT */
/* The number of a library's threads, which is the process's. */
#ifndef FUSOR_TESTS_SUPPORT_LIBRARY_THREADS_H
#define FUSOR_TESTS_SUPPORT_LIBRARY_THREADS_H

#include "tests/support/subject.h"

/* OpenBLAS has as many threads behind the computation of work(x), x an f64 matrix of 32 rows and columns that is
 * regular, as before it, whatever their number was. Skips the running test where the machine has none. */
void library_threads_are_left(fsr_node (*work)(fsr_node x));

/* The machine has OpenBLAS, whose blocks decide on the last bits of what it computes. */
bool library_is_there(void);

#endif
