/* SPDX-License-Identifier: MIT */
/* Random bits for tests, the same on every machine: Marsaglia's xorshift. The state must not be 0. */
#ifndef FUSOR_TESTS_SUPPORT_RANDOM_H
#define FUSOR_TESTS_SUPPORT_RANDOM_H

#include <stdint.h>

static inline uint64_t random_bits(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

#endif
