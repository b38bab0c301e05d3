/* SPDX-License-Identifier: MIT */
/* Linear algebra by plain loops, for a dtype: T its elements, R their real parts, EPS their unit, and NAME, REAL, CONJ,
 * ABS, SQRT. Row-major throughout.
 *
 * Equations by elimination with row pivots, Cholesky's factor row by row, Householder's reflections with LAPACK's
 * signs. Singular values by rotating pairs of columns until all are orthogonal (Hestenes), eigenvalues by rotating
 * pairs of rows and columns until nothing is beside the diagonal (Jacobi): both accurate to the unit, and one form for
 * real and complex matrices. Counter-example to singular values as roots of the eigenvalues of a'a: those below the
 * root of the unit are lost. */
#include "backend_cpu/run/linalg.h"
#include "graph/size.h"
#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { SWEEPS = 60 /* quadratic convergence takes less than ten */, SUMS = 8 };

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

/* a becomes its factors, row k having been exchanged with pivot[k]. True: it is singular. */
static bool NAME(eliminate)(T *a, int64_t n, int64_t *pivot) {
    bool singular = false;
    for (int64_t k = 0; k < n; k++) {
        pivot[k] = k;
        for (int64_t i = k + 1; i < n; i++)
            if (ABS(a[i * n + k]) > ABS(a[pivot[k] * n + k]))
                pivot[k] = i;
        if (pivot[k] != k)
            NAME(swap)(a + k * n, a + pivot[k] * n, n);
        if (a[k * n + k] == 0) {
            singular = true;
            continue;
        }
        for (int64_t i = k + 1; i < n; i++) {
            const T factor = a[i * n + k] /= a[k * n + k];
            if (factor != 0)
                NAME(add)(a + i * n + k + 1, -factor, a + k * n + k + 1, n - k - 1);
        }
    }
    return singular;
}

/* Integers behind so many elements and real parts of the room. */
static int64_t *NAME(behind)(const fsr_linalg_one *o, int64_t elements, int64_t reals) {
    const int64_t bytes = elements * (int64_t)sizeof(T) + reals * (int64_t)sizeof(R);
    return (int64_t *)(void *)((char *)o->room + fsr_round_up(bytes, 16));
}

static bool NAME(solve)(const fsr_linalg_one *o) {
    const int64_t n = o->l->cols;
    int64_t *pivot = NAME(behind)(o, n * n, 0);
    T *a = o->room, *x = o->out[0];
    memcpy(a, o->a, sizeof *a * (size_t)(n * n));
    const bool singular = NAME(eliminate)(a, n, pivot);
    if (singular || !x)
        return !singular;
    memcpy(x, o->b, sizeof *x * (size_t)(n * o->l->more));
    for (int64_t side = 0; side < o->l->more; side++, x += n) {
        for (int64_t k = 0; k < n; k++)
            NAME(swap)(&x[k], &x[pivot[k]], pivot[k] != k);
        for (int64_t i = 1; i < n; i++)
            x[i] -= NAME(dot)(a + i * n, x, i);
        for (int64_t i = n - 1; i >= 0; i--)
            x[i] = (x[i] - NAME(dot)(a + i * n + i + 1, x + i + 1, n - 1 - i)) / a[i * n + i];
    }
    return true;
}

/* Of the transpose, whose columns are the matrix' rows. */
static bool NAME(lu)(const fsr_linalg_one *o) {
    const int64_t n = o->l->cols;
    int64_t *pivot = NAME(behind)(o, n * n, 0);
    const T *in = o->a;
    T *a = o->room, *out = o->out[0];
    int32_t *place = o->out[1];
    for (int64_t i = 0; i < n * n; i++)
        a[i] = in[i % n * n + i / n];
    NAME(eliminate)(a, n, pivot);
    for (int64_t i = 0; out && i < n * n; i++)
        out[i] = a[i % n * n + i / n];
    for (int64_t i = 0; place && i < n; i++)
        place[i] = (int32_t)pivot[i] + 1;
    return true;
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

/* What makes the off-diagonal `off` of [[a, off], [off', b]] zero: cosine, sine and the phase of off. */
static void NAME(rotation)(R a, R b, T off, R *c, R *s, T *phase, R *tangent) {
    const R size = ABS(off), zeta = (b - a) / (2 * size);
    const R t = fabs((double)zeta) > 1 / (double)EPS
                    ? (R)0.5 / zeta
                    : (zeta >= 0 ? 1 : -1) / ((zeta >= 0 ? zeta : -zeta) + SQRT(1 + zeta * zeta));
    *c = 1 / SQRT(1 + t * t);
    *s = *c * t;
    *phase = off / size;
    *tangent = t;
}

/* x and the phase times y, rotated. */
static void NAME(rotate)(T *x, T *y, R c, R s, T phase, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        const T p = x[i], q = phase * y[i];
        x[i] = c * p - s * q;
        y[i] = s * p + c * q;
    }
}

/* The places of values in descending order, or ascending: by insertion. */
static void NAME(order)(const R *value, int64_t n, bool down, int64_t *place) {
    for (int64_t i = 0; i < n; i++) {
        int64_t at = i;
        for (; at > 0 && (down ? value[i] > value[place[at - 1]] : value[i] < value[place[at - 1]]); at--)
            place[at] = place[at - 1];
        place[at] = i;
    }
}

/* Rows of w, k of length n, made orthogonal; v's rows, NULL if nobody asks for them, go with them. What is less than
 * `tiny` is nothing. */
static bool NAME(orthogonalize)(T *w, T *v, int64_t k, int64_t n, R tiny) {
    bool turned = true;
    for (int sweep = 0; sweep < SWEEPS && turned; sweep++) {
        turned = false;
        for (int64_t p = 0; p < k; p++)
            for (int64_t q = p + 1; q < k; q++) {
                T *x = w + p * n, *y = w + q * n, phase;
                const R a = REAL(NAME(inner)(x, x, n)), b = REAL(NAME(inner)(y, y, n));
                const T off = NAME(inner)(x, y, n);
                R c, s, t;
                if (a <= tiny * tiny || b <= tiny * tiny || ABS(off) <= 4 * EPS * SQRT((R)n) * SQRT(a) * SQRT(b))
                    continue;
                NAME(rotation)(a, b, off, &c, &s, &phase, &t);
                NAME(rotate)(x, y, c, s, CONJ(phase), n);
                if (v)
                    NAME(rotate)(v + p * k, v + q * k, c, s, CONJ(phase), k);
                turned = true;
            }
    }
    return !turned;
}

/* Row r of k unit rows of length n, orthogonal to those of lower places in `place`: a unit vector less its parts. */
static void NAME(complete)(T *w, int64_t n, const int64_t *place, int64_t r) {
    T *x = w + place[r] * n;
    for (int64_t axis = 0; axis < n; axis++) {
        memset(x, 0, sizeof *x * (size_t)n);
        x[axis] = 1;
        for (int again = 0; again < 2; again++)
            for (int64_t i = 0; i < r; i++)
                NAME(add)(x, -NAME(inner)(w + place[i] * n, x, n), w + place[i] * n, n);
        const R left = NAME(length)(x, n);
        if (left * left * (R)(4 * n) < 1) /* some axis has at least 1 / n left */
            continue;
        for (int64_t i = 0; i < n; i++)
            x[i] /= left;
        return;
    }
}

/* out's row i is x's row place[i]. */
static void NAME(emit)(T *out, const T *x, const int64_t *place, int64_t k, int64_t n, bool conjugate) {
    for (int64_t i = 0; out && i < k; i++)
        for (int64_t j = 0; j < n; j++)
            out[i * n + j] = conjugate ? CONJ(x[place[i] * n + j]) : x[place[i] * n + j];
}

/* The conjugate matrix' rows, k of length n, are made orthogonal: a' v = u s is a = v s u'. */
static bool NAME(svd)(const fsr_linalg_one *o) {
    const int64_t k = o->l->rows, n = o->l->cols;
    const bool values_alone = o->l->kind == FSR_LINALG_SVDVALS;
    const int64_t square = values_alone ? 0 : k * k; /* of v */
    T *w = o->room, *v = w + k * n, *left = o->out[0];
    R *size = (R *)(v + square), *s = o->out[values_alone ? 0 : 1];
    int64_t *place = NAME(behind)(o, k * n + square, k);
    const T *a = o->a;
    const R most = NAME(largest)(a, k * n);
    if (!isfinite(most))
        return false;
    for (int64_t i = 0; i < k * n; i++)
        w[i] = CONJ(a[i]) / (most > 0 ? most : 1);
    for (int64_t i = 0; i < square; i++)
        v[i] = i / k == i % k;
    if (!NAME(orthogonalize)(w, values_alone ? NULL : v, k, n, EPS * EPS))
        return false;
    for (int64_t i = 0; i < k; i++)
        size[i] = NAME(length)(w + i * n, n);
    NAME(order)(size, k, true, place);
    for (int64_t i = 0; s && i < k; i++)
        s[i] = size[place[i]] * most;
    if (values_alone)
        return true;
    for (int64_t i = 0; i < k; i++)
        if (size[place[i]] <= EPS * EPS)
            NAME(complete)(w, n, place, i);
        else
            for (int64_t j = 0; j < n; j++)
                w[place[i] * n + j] /= size[place[i]];
    NAME(emit)(o->out[2], w, place, k, n, true);
    for (int64_t i = 0; left && i < k * k; i++)
        left[i] = v[place[i % k] * k + i / k];
    return true;
}

/* The Hermitian a, whose elements beside the diagonal vanish; v's rows become its vectors. False: no convergence. */
static bool NAME(diagonalize)(T *a, T *v, int64_t n) {
    const R all = NAME(length)(a, n * n);
    bool turned = isfinite(all);
    for (int sweep = 0; sweep < SWEEPS && turned; sweep++) {
        turned = false;
        for (int64_t p = 0; p < n; p++)
            for (int64_t q = p + 1; q < n; q++) {
                const T off = a[p * n + q];
                const R x = REAL(a[p * n + p]), y = REAL(a[q * n + q]);
                R c, s, t;
                T phase;
                if (ABS(off) <= EPS * all / (R)(8 * n) || ABS(off) < (R)FLT_MIN * EPS)
                    continue;
                NAME(rotation)(x, y, off, &c, &s, &phase, &t);
                NAME(rotate)(a + p * n, a + q * n, c, s, phase, n);
                for (int64_t i = 0; i < n; i++) {
                    a[i * n + p] = CONJ(a[p * n + i]);
                    a[i * n + q] = CONJ(a[q * n + i]);
                }
                a[p * n + p] = x - t * ABS(off);
                a[q * n + q] = y + t * ABS(off);
                a[p * n + q] = a[q * n + p] = 0;
                if (v)
                    NAME(rotate)(v + p * n, v + q * n, c, s, CONJ(phase), n);
                turned = true;
            }
    }
    return isfinite(all) && !turned;
}

static bool NAME(eigh)(const fsr_linalg_one *o) {
    const int64_t n = o->l->cols;
    T *a = o->room, *v = o->l->kind == FSR_LINALG_EIGH ? a + n * n : NULL;
    R *w = o->out[0], *value = (R *)(a + 2 * n * n);
    int64_t *place = NAME(behind)(o, 2 * n * n, n);
    const T *in = o->a;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < i; j++) {
            a[i * n + j] = in[i * n + j];
            a[j * n + i] = CONJ(in[i * n + j]);
        }
        a[i * n + i] = REAL(in[i * n + i]);
    }
    for (int64_t i = 0; v && i < n * n; i++)
        v[i] = i / n == i % n;
    const R most = NAME(largest)(a, n * n);
    for (int64_t i = 0; i < n * n && most > 0 && isfinite(most); i++)
        a[i] /= most;
    if (!isfinite(most) || !NAME(diagonalize)(a, v, n))
        return false;
    for (int64_t i = 0; i < n; i++)
        value[i] = REAL(a[i * n + i]);
    NAME(order)(value, n, false, place);
    for (int64_t i = 0; w && i < n; i++)
        w[i] = value[place[i]] * (most > 0 ? most : 1);
    if (v)
        NAME(emit)(o->out[1], v, place, n, n, true);
    return true;
}

bool NAME(fsr_linalg_plain)(const fsr_linalg_one *one) {
    static fsr_linalg_fn *const run[FSR_LINALG_KINDS] = {
        [FSR_LINALG_SOLVE] = NAME(solve), [FSR_LINALG_LU] = NAME(lu),        [FSR_LINALG_CHOLESKY] = NAME(cholesky),
        [FSR_LINALG_QR] = NAME(qr),       [FSR_LINALG_SVD] = NAME(svd),      [FSR_LINALG_SVDVALS] = NAME(svd),
        [FSR_LINALG_EIGH] = NAME(eigh),   [FSR_LINALG_EIGVALSH] = NAME(eigh)};
    return run[one->l->kind](one);
}
