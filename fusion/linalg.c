/* SPDX-License-Identifier: MIT */
/* Room for one problem: a copy of the matrix, what LAPACK asks for at least, and for its blocks 64 elements of a row
 * or column. */
#include "fusion/linalg.h"
#include "graph/size.h"

int64_t fsr_linalg_room(const fsr_linalg *l) {
    const int64_t all = fsr_size_mul(l->rows, l->cols), sides = fsr_size_add(l->rows, l->cols);
    const int64_t blocks = fsr_size_add(fsr_size_mul(80, sides), 64), square = fsr_size_mul(l->rows, l->rows);
    switch (l->kind) {
    case FSR_LINALG_SOLVE:
    case FSR_LINALG_LU:
    case FSR_LINALG_QR: return fsr_size_add(all, blocks);
    case FSR_LINALG_CHOLESKY: return 0;
    case FSR_LINALG_SVDVALS: return fsr_size_add(all, blocks);
    case FSR_LINALG_SVD: return fsr_size_add(fsr_size_add(fsr_size_mul(3, all), fsr_size_mul(6, square)), blocks);
    default: return fsr_size_add(fsr_size_mul(4, all), blocks);
    }
}
