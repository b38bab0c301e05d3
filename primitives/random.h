/* SPDX-License-Identifier: MIT */
/* Random numbers among themselves: where a number's words come from. */
#ifndef FUSOR_PRIMITIVES_RANDOM_H
#define FUSOR_PRIMITIVES_RANDOM_H

#include "primitives/primitives.h"

/* Which number of which stream: integers, u64 of any shapes that broadcast. */
typedef struct fsr_draw {
    fsr_site at;
    fsr_graph *g;
    fsr_node seed, stream, i;
} fsr_draw;

/* The operands checked. dtype: the result's; FSR_BOOL: there is none to check. False: *poison is the result. */
bool fsr_draw_take(fsr_draw *d, fsr_site at, const char *what, fsr_node seed, fsr_node stream, fsr_node i,
                   fsr_dtype dtype, fsr_node *poison);
/* A 0-d u64. */
fsr_node fsr_draw_number(const fsr_draw *d, uint64_t value);
/* 64 bits: words 2 index and 2 index + 1 of the stream. */
fsr_node fsr_draw_pair(const fsr_draw *d, fsr_node index);
/* The word of 32 bits, as u32: the lower one of a pair, or the upper one. */
fsr_node fsr_draw_lower(const fsr_draw *d, fsr_node pair);
fsr_node fsr_draw_upper(const fsr_draw *d, fsr_node pair);
/* A float in (0, 1], of all bits of a word of 32 (f32 and less) or of the upper 53 of 64 (f64): what logarithms
 * take. */
fsr_node fsr_draw_positive(const fsr_draw *d, fsr_node word, fsr_dtype dtype);
/* A word of 32 bits as half turns in [-1, 1], of dtype f32 or f64. */
fsr_node fsr_draw_turn(const fsr_draw *d, fsr_node word, fsr_dtype dtype);

#endif
