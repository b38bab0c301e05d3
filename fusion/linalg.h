/* SPDX-License-Identifier: MIT */
/* What a CPU needs besides the arrays of a problem of linear algebra. */
#ifndef FUSOR_FUSION_LINALG_H
#define FUSOR_FUSION_LINALG_H

#include "graph/linalg.h"

enum {
    FSR_LINALG_PARTS = 16,
    FSR_LINALG_LARGE = 512 * 512 /* elements from which matrices are computed one after the other */
};

/* Threads that have matrices of their own at a time. */
static inline int64_t fsr_linalg_parts(const fsr_linalg *l) {
    if (l->rows >= FSR_LINALG_LARGE / l->cols)
        return 1;
    return l->count < FSR_LINALG_PARTS ? l->count : FSR_LINALG_PARTS;
}
/* Elements that one matrix' problem needs, by plain loops or by LAPACK. */
int64_t fsr_linalg_room(const fsr_linalg *l);

#endif
