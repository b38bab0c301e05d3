/* SPDX-License-Identifier: MIT */
/* Philox4x32-10 for tests, after its authors' words: a round multiplies two words of the counter and mixes the others
 * into the upper halves. The product is made of halves of 16 bits: nothing is as in the sources that it is compared
 * with. */
#ifndef FUSOR_TESTS_SUPPORT_PHILOX_H
#define FUSOR_TESTS_SUPPORT_PHILOX_H

#include <stdint.h>

static inline uint32_t philox_upper(uint32_t a, uint32_t b) {
    const uint32_t al = a & 0xffff, ah = a >> 16, bl = b & 0xffff, bh = b >> 16;
    const uint32_t middle = ah * bl + (al * bl >> 16), other = al * bh + (middle & 0xffff);
    return ah * bh + (middle >> 16) + (other >> 16);
}

static inline void philox_block(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]) {
    uint32_t c[4] = {counter[0], counter[1], counter[2], counter[3]};
    for (uint32_t round = 0; round < 10; round++) {
        const uint32_t left = philox_upper(0xcd9e8d57u, c[2]) ^ c[1] ^ (key[0] + round * 0x9e3779b9u);
        const uint32_t right = philox_upper(0xd2511f53u, c[0]) ^ c[3] ^ (key[1] + round * 0xbb67ae85u);
        c[1] = 0xcd9e8d57u * c[2];
        c[3] = 0xd2511f53u * c[0];
        c[0] = left;
        c[2] = right;
    }
    for (int i = 0; i < 4; i++)
        out[i] = c[i];
}

/* Word i of stream `stream` under the seed. */
static inline uint32_t philox_word(uint64_t seed, uint64_t stream, uint64_t i) {
    const uint64_t block = i / 4;
    const uint32_t counter[4] = {(uint32_t)block, (uint32_t)(block >> 32), (uint32_t)stream, (uint32_t)(stream >> 32)};
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t word[4];
    philox_block(counter, key, word);
    return word[i % 4];
}

/* Words 2i and 2i + 1, also where 2i has more than 64 bits. */
static inline uint64_t philox_pair(uint64_t seed, uint64_t stream, uint64_t i) {
    const uint32_t counter[4] = {(uint32_t)(i >> 1), (uint32_t)(i >> 33), (uint32_t)stream, (uint32_t)(stream >> 32)};
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t word[4];
    philox_block(counter, key, word);
    return word[i % 2 * 2] | (uint64_t)word[i % 2 * 2 + 1] << 32;
}

#endif
