/* SPDX-License-Identifier: MIT */
/* Where in a kernel's domain a section's dimension is: the conditions of guards, in normal form.
 *
 * A condition holds where 0 <= at < extent and at is a multiple of step, at an affine form without division. One that
 * depends on a single dimension i, and on no computed value, is brought to i - low: a box, whatever coefficient it had.
 * Counter-example to leaving it as it comes: 0 <= 6 - 2 * i < 5 is 1 <= i < 4, which a loop can be cut at and a
 * vector can be aligned with. */
#ifndef FUSOR_FUSION_BOX_H
#define FUSOR_FUSION_BOX_H

#include "fusion/affine.h"

typedef struct fsr_box {
    fsr_affine at;
    int64_t extent;
    int64_t step; /* at least 1 */
} fsr_box;

typedef enum fsr_truth { FSR_SOMETIMES, FSR_ALWAYS, FSR_NEVER } fsr_truth;

/* The condition that `in`, whose division must come out even, lies in [0, n), in normal form. */
fsr_truth fsr_box_make(fsr_box *out, const fsr_affine *in, int64_t n, const fsr_domain *d);
bool fsr_box_equal(const fsr_box *a, const fsr_box *b);
/* Whether dimensions at and at + 1 may become one as far as this condition goes; and the condition once they have
 * (inner: the extent of at + 1), with the coefficient of at + 1 still in its place. */
bool fsr_box_mergeable(const fsr_box *box, int at, int64_t inner);
void fsr_box_merge(fsr_box *box, int at, int64_t inner);

#endif
