/* SPDX-License-Identifier: MIT */
/* A bias behind a product that shall be one call with it, however small both are. */
#ifndef FUSOR_TESTS_SUPPORT_JOINED_H
#define FUSOR_TESTS_SUPPORT_JOINED_H

#include "fusor/fusor.h"

/* sum, in which product is read once. */
static inline fsr_node joined_with(fsr_node product, fsr_node sum) {
    (void)fsr_hint_pair(product, sum, FSR_PAIR_FUSE);
    return sum;
}

static inline fsr_node joined(fsr_node product, fsr_node bias) {
    return joined_with(product, fsr_add(product, bias));
}

#endif
