/* SPDX-License-Identifier: MIT */
/* Arrays that a kernel's loops read at places which wait for no element, one after the other, beside others of which
 * they take elements anywhere, as a sparse product its values and columns beside the vector. On a GPU the lines of the
 * former leave the second cache first. Counter-example to leaving it to the cache: 2^27 values and columns pushed a
 * vector of 32 MB out of an H200's 50 MB, and the product took 1.26 ms for 1.13. */
#ifndef FUSOR_FUSION_ONCE_H
#define FUSOR_FUSION_ONCE_H

#include "fusion/loop_ir.h"

/* A bit for each such array; 0: there is none. */
uint64_t fsr_kernel_reads_once(const fsr_kernel *k);

#endif
