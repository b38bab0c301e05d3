/* SPDX-License-Identifier: MIT */
/* Shared by the interpret*.c files. */
#ifndef FUSOR_FUSION_INTERPRET_H
#define FUSOR_FUSION_INTERPRET_H

#include "fusion/nest.h"

/* Of a nest that reads in tiles: the kernel, the nest (NULL: the last one), and the integers of the launch. */
typedef struct fsr_near_claim {
    const fsr_kernel *whole;
    const fsr_nest *nest;
    const int64_t *integer;
} fsr_near_claim;

/* One nest, over all of its domain; launch: its own. claim NULL: it reads in no tiles. */
fsr_status fsr_interpret_nest(const fsr_kernel *k, const fsr_launch *launch, const fsr_near_claim *claim);
/* What the access says of its place in a tile, in row `row` of its nest, is element `at` of the array, wherever a tile
 * begins. */
bool fsr_near_holds(const fsr_near_claim *claim, const fsr_access *a, int64_t row, int64_t at);

#endif
