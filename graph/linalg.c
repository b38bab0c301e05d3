/* SPDX-License-Identifier: MIT */
/* Sizes of problems of linear algebra. */
#include "graph/linalg.h"
#include "graph/size.h"

static void result(fsr_linalg *l, int64_t size, fsr_linalg_element of) {
    l->size[l->nresults] = size;
    l->of[l->nresults++] = of;
    l->slot = size > l->slot ? size : l->slot;
}

void fsr_linalg_make(fsr_linalg *out, fsr_linalg_kind kind, const fsr_shape *a, int64_t more) {
    const int64_t rows = a->dim[a->ndim - 2], cols = a->dim[a->ndim - 1], all = fsr_size_mul(rows, cols);
    const bool values = kind == FSR_LINALG_SVDVALS || kind == FSR_LINALG_EIGVALSH;
    *out = (fsr_linalg){.kind = kind, .count = 1, .rows = rows, .cols = cols, .more = more};
    for (int d = 0; d < a->ndim - 2; d++)
        out->count = fsr_size_mul(out->count, a->dim[d]);
    if (kind == FSR_LINALG_SOLVE || kind == FSR_LINALG_QR)
        result(out, fsr_size_mul(more, cols), FSR_LINALG_OF_MATRIX);
    if (kind == FSR_LINALG_LU || kind == FSR_LINALG_CHOLESKY || kind == FSR_LINALG_QR)
        result(out, all, FSR_LINALG_OF_MATRIX);
    if (kind == FSR_LINALG_LU)
        result(out, cols, FSR_LINALG_PLACES);
    if (kind == FSR_LINALG_SVD)
        result(out, fsr_size_mul(rows, rows), FSR_LINALG_OF_MATRIX);
    if (kind == FSR_LINALG_SVD || kind == FSR_LINALG_EIGH || values)
        result(out, rows, FSR_LINALG_OF_PARTS);
    if (kind == FSR_LINALG_SVD || kind == FSR_LINALG_EIGH)
        result(out, all, FSR_LINALG_OF_MATRIX);
}

bool fsr_linalg_fits(const fsr_linalg *l) {
    const int64_t least = l->rows < l->cols ? l->rows : l->cols;
    if (l->count < 1 || least < 1 || l->slot < 1)
        return false;
    if (l->kind == FSR_LINALG_QR)
        return l->more == least || l->more == l->cols;
    return l->kind == FSR_LINALG_SVD || l->kind == FSR_LINALG_SVDVALS ? l->rows <= l->cols : l->rows == l->cols;
}
