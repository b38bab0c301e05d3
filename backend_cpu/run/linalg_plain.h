/* SPDX-License-Identifier: MIT */
/* Linear algebra by plain loops, for a dtype: T its elements, R their real parts and PLANES how many they have, EPS
 * their unit, and NAME, REAL, CONJ, ABS, SQRT. Row-major throughout.
 *
 * Equations by elimination with row pivots (equations_of.h), Cholesky's factor row by row, Householder's reflections
 * with LAPACK's signs; singular values and eigenvalues by rotations (linalg_rotations.h). */
#include "backend_cpu/run/linalg.h"
#include "graph/size.h"
#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { SUMS = 8 };

static T NAME(dot)(const T *x, const T *y, int64_t n) {
    T sum[SUMS] = {0}, all = 0;
    int64_t i = 0;
    for (; i + SUMS <= n; i += SUMS)
        for (int k = 0; k < SUMS; k++)
            sum[k] += x[i + k] * y[i + k];
    for (; i < n; i++)
        all += x[i] * y[i];
    for (int k = 0; k < SUMS; k++)
        all += sum[k];
    return all;
}

/* The sum of the conjugates of x times y. */
static T NAME(inner)(const T *x, const T *y, int64_t n) {
    T sum[SUMS] = {0}, all = 0;
    int64_t i = 0;
    for (; i + SUMS <= n; i += SUMS)
        for (int k = 0; k < SUMS; k++)
            sum[k] += CONJ(x[i + k]) * y[i + k];
    for (; i < n; i++)
        all += CONJ(x[i]) * y[i];
    for (int k = 0; k < SUMS; k++)
        all += sum[k];
    return all;
}

static void NAME(add)(T *x, T factor, const T *y, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        x[i] += factor * y[i];
}

static void NAME(swap)(T *x, T *y, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        const T t = x[i];
        x[i] = y[i];
        y[i] = t;
    }
}

/* The largest magnitude; not finite if one is not. */
static R NAME(largest)(const T *x, int64_t n) {
    R most = 0;
    for (int64_t i = 0; i < n; i++) {
        const R size = ABS(x[i]);
        if (!(size <= most))
            most = size;
        if (!isfinite(most))
            break;
    }
    return most;
}

/* The root of the sum of squares, none of which overflows. */
static R NAME(length)(const T *x, int64_t n) {
    const R most = NAME(largest)(x, n);
    R sum = 0;
    if (!(most > 0) || !isfinite(most))
        return most;
    for (int64_t i = 0; i < n; i++) {
        const R part = ABS(x[i]) / most;
        sum += part * part;
    }
    return most * SQRT(sum);
}

/* ---- equations ------------------------------------------------------------------------------------------------- */

/* Integers behind so many elements and real parts of the room. */
static int64_t *NAME(behind)(const fsr_linalg_one *o, int64_t elements, int64_t reals) {
    const int64_t bytes = elements * (int64_t)sizeof(T) + reals * (int64_t)sizeof(R);
    return (int64_t *)(void *)((char *)o->room + fsr_round_up(bytes, 16));
}

/* The same by vectors of 16 bytes, which every machine has, and of 32. */
#define BYTES 16
#define TARGET
#define OF(name) NAME(name##_16)
#include "backend_cpu/run/equations_of.h"
#if defined __x86_64__
#define BYTES 32
#define TARGET __attribute__((target("avx2")))
#define OF(name) NAME(name##_32)
#include "backend_cpu/run/equations_of.h"
#endif

static bool NAME(solve)(const fsr_linalg_one *o) {
#if defined __x86_64__
    if (o->simd != FSR_SIMD_NONE)
        return NAME(solve_32)(o);
#endif
    return NAME(solve_16)(o);
}

static bool NAME(lu)(const fsr_linalg_one *o) {
#if defined __x86_64__
    if (o->simd != FSR_SIMD_NONE)
        return NAME(lu_32)(o);
#endif
    return NAME(lu_16)(o);
}

/* ---- factors --------------------------------------------------------------------------------------------------- */

static bool NAME(cholesky)(const fsr_linalg_one *o) {
    const int64_t n = o->l->cols;
    const T *a = o->a;
    T *l = o->out[0];
    for (int64_t j = 0; l && j < n; j++) {
        T *row = l + j * n;
        for (int64_t i = 0; i < j; i++)
            row[i] = (a[j * n + i] - NAME(inner)(l + i * n, row, i)) / REAL(l[i * n + i]);
        const R left = REAL(a[j * n + j]) - REAL(NAME(inner)(row, row, j));
        if (!(left > 0) || !isfinite(left))
            return false;
        row[j] = SQRT(left);
        memset(row + j + 1, 0, sizeof *row * (size_t)(n - 1 - j));
    }
    return true;
}

/* A reflection that leaves of x[0, n) its first element, which becomes real; behind it the reflection's vector, its
 * factor *tau. */
static void NAME(reflect)(T *x, int64_t n, T *tau) {
    const R rest = NAME(length)(x + 1, n - 1), first = ABS(x[0]);
    *tau = 0;
    if (rest == 0 && x[0] == (T)REAL(x[0]))
        return;
    const R most = rest > first ? rest : first, a = first / most, b = rest / most;
    const R size = most * SQRT(a * a + b * b), beta = REAL(x[0]) > 0 || !signbit(REAL(x[0])) ? -size : size;
    const T scale = x[0] - beta;
    *tau = (beta - x[0]) / beta;
    for (int64_t i = 1; i < n; i++)
        x[i] /= scale;
    x[0] = beta;
}

/* y - factor (v' y) v, v[0] being 1. */
static void NAME(apply)(T *y, const T *v, T factor, int64_t n) {
    const T times = factor * (y[0] + NAME(inner)(v + 1, y + 1, n - 1));
    y[0] -= times;
    NAME(add)(y + 1, -times, v + 1, n - 1);
}

/* Columns of the matrix are rows of a. */
static bool NAME(qr)(const fsr_linalg_one *o) {
    const int64_t n = o->l->rows, m = o->l->cols, k = m < n ? m : n;
    T *a = o->room, *tau = a + m * n, *q = o->out[0];
    memcpy(a, o->a, sizeof *a * (size_t)(m * n));
    for (int64_t j = 0; j < k; j++) {
        NAME(reflect)(a + j * m + j, m - j, &tau[j]);
        for (int64_t c = j + 1; c < n; c++)
            NAME(apply)(a + c * m + j, a + j * m + j, CONJ(tau[j]), m - j);
    }
    if (o->out[1])
        memcpy(o->out[1], a, sizeof *a * (size_t)(m * n));
    for (int64_t c = 0; q && c < o->l->more; c++) {
        T *column = q + c * m;
        memset(column, 0, sizeof *q * (size_t)m);
        column[c] = 1;
        for (int64_t j = c < k ? c : k - 1; j >= 0; j--)
            NAME(apply)(column + j, a + j * m + j, tau[j], m - j);
    }
    return true;
}

/* ---- rotations ------------------------------------------------------------------------------------------------- */

#include "backend_cpu/run/linalg_rotations.h"

bool NAME(fsr_linalg_plain)(const fsr_linalg_one *one) {
    static fsr_linalg_fn *const run[FSR_LINALG_KINDS] = {
        [FSR_LINALG_SOLVE] = NAME(solve), [FSR_LINALG_LU] = NAME(lu),        [FSR_LINALG_CHOLESKY] = NAME(cholesky),
        [FSR_LINALG_QR] = NAME(qr),       [FSR_LINALG_SVD] = NAME(svd),      [FSR_LINALG_SVDVALS] = NAME(svd),
        [FSR_LINALG_EIGH] = NAME(eigh),   [FSR_LINALG_EIGVALSH] = NAME(eigh)};
    return run[one->l->kind](one);
}
