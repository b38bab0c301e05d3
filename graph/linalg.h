/* SPDX-License-Identifier: MIT */
/* What the library call "linalg" is told: which problem of linear algebra its matrices, the last two dimensions of its
 * arguments, are. Each result is a row of the node's last dimension for each matrix, a slot: its elements stand at the
 * slot's beginning, what is behind them belongs to nobody. The last result is i32: element 0 of a slot is 0 where the
 * problem was solved.
 *
 * Arrays are as LAPACK's functions, which go by columns, take and leave them: no backend transposes. */
#ifndef FUSOR_GRAPH_LINALG_H
#define FUSOR_GRAPH_LINALG_H

#include "graph/called.h"
#include "graph/shape.h"

/* Its words. */
typedef enum fsr_linalg_word { FSR_LINALG_KIND, FSR_LINALG_COLUMNS, FSR_LINALG_WORDS } fsr_linalg_word;
typedef enum fsr_linalg_kind {
    /* a[n, n], b[k, n], a right side in each row: x[k, n], a x[i] = b[i]. Fails: a is singular. */
    FSR_LINALG_SOLVE,
    /* a[n, n]: the factors of its transpose, a column in each row, lu'[n, n], and p[n]: row i was exchanged with row
     * p[i], from 1. Does not fail. */
    FSR_LINALG_LU,
    /* a[n, n], of which the lower triangle is read: l[n, n], above whose diagonal anything may stand. Fails: a is not
     * positive definite. */
    FSR_LINALG_CHOLESKY,
    /* a'[n, m]: q'[c, m] with the word COLUMNS c, min(m, n) or m; r'[n, m], row j the j-th column of r, below whose
     * diagonal anything may stand. Does not fail. */
    FSR_LINALG_QR,
    /* a[m, n], m <= n: u[m, m], s[m] descending, v'[m, n]. Fails: no convergence. SVDVALS: s alone. */
    FSR_LINALG_SVD,
    FSR_LINALG_SVDVALS,
    /* a[n, n], of which the lower triangle is read: w[n] ascending, v[n, n] with conjugate vectors as rows. Fails: no
     * convergence. EIGVALSH: w alone. */
    FSR_LINALG_EIGH,
    FSR_LINALG_EIGVALSH,
    FSR_LINALG_KINDS
} fsr_linalg_kind;

enum { FSR_LINALG_RESULTS = 3 };
/* What a result's elements are: the matrices' dtype, that of its parts, places, i32. */
typedef enum fsr_linalg_element { FSR_LINALG_OF_MATRIX, FSR_LINALG_OF_PARTS, FSR_LINALG_PLACES } fsr_linalg_element;

/* A call's sizes. */
typedef struct fsr_linalg {
    fsr_linalg_kind kind;
    int64_t count;      /* matrices */
    int64_t rows, cols; /* of argument 0's */
    int64_t more;       /* SOLVE: right sides; QR: columns of q */
    int nresults;       /* before the status */
    int64_t size[FSR_LINALG_RESULTS];
    fsr_linalg_element of[FSR_LINALG_RESULTS];
    int64_t slot; /* the node's last extent */
} fsr_linalg;

/* Of arguments of this shape, of two dimensions or more; more: for SOLVE and QR. */
void fsr_linalg_make(fsr_linalg *out, fsr_linalg_kind kind, const fsr_shape *a, int64_t more);
/* The dtype of result i of matrices of a dtype. */
static inline fsr_dtype fsr_linalg_dtype(const fsr_linalg *l, int i, fsr_dtype dtype) {
    return l->of[i] == FSR_LINALG_PLACES ? FSR_I32 : l->of[i] == FSR_LINALG_OF_PARTS ? fsr_dtype_real(dtype) : dtype;
}
/* What it asks of its matrices' sizes. */
bool fsr_linalg_fits(const fsr_linalg *l);
static inline fsr_linalg_kind fsr_linalg_kind_of(const fsr_called *c) {
    return (fsr_linalg_kind)fsr_called_word(c, FSR_LINALG_KIND);
}
/* b: the second argument's shape, of SOLVE alone. */
static inline void fsr_linalg_of(fsr_linalg *out, const fsr_called *c, const fsr_shape *a, const fsr_shape *b) {
    const fsr_linalg_kind kind = fsr_linalg_kind_of(c);
    fsr_linalg_make(out, kind, a,
                    kind == FSR_LINALG_SOLVE ? b->dim[b->ndim - 2] : fsr_called_word(c, FSR_LINALG_COLUMNS));
}

#endif
