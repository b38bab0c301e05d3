/* SPDX-License-Identifier: MIT */
/* Singular values and eigenvalues, by rotations in long double.
 *
 * Bounds. A backward stable algorithm gives those of a matrix that is no farther than `error` away in norm: no value is
 * farther either (Weyl). A vector turns by that over the distance to the next value, and has whatever sign or phase;
 * where values are nearly equal only its length is known. */
#include "backend_cpu/reference/linalg.h"
#include <stdlib.h>

enum { TURNS = 100 };

static fsr_ref_number product(const fsr_ref_number *x, const fsr_ref_number *y, int64_t n, int64_t step) {
    fsr_ref_number sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += conjl(x[i * step]) * y[i * step];
    return sum;
}

/* Columns p and q of x, n rows of `cols`, times the unitary [[c, s], [-s e', c e']]. */
static void turn(fsr_ref_number *x, int64_t n, int64_t cols, int64_t p, int64_t q, long double c, long double s,
                 fsr_ref_number e) {
    for (int64_t i = 0; i < n; i++) {
        const fsr_ref_number a = x[i * cols + p], b = conjl(e) * x[i * cols + q];
        x[i * cols + p] = c * a - s * b;
        x[i * cols + q] = s * a + c * b;
    }
}

/* Of the Hermitian [[a, off], [off', b]]. */
static void angle(long double a, long double b, long double off, long double *c, long double *s) {
    const long double half = atan2l(2 * off, b - a) / 2;
    *c = cosl(half);
    *s = sinl(half);
}

typedef struct entry {
    long double value;
    int64_t place;
} entry;

static int rising(const void *a, const void *b) {
    const entry *x = a, *y = b;
    return x->value != y->value ? (x->value > y->value) - (x->value < y->value)
                                : (x->place > y->place) - (x->place < y->place);
}

static int falling(const void *a, const void *b) {
    return rising(b, a);
}

/* The radius of a vector that belongs to values[i] of k. alone: values beside them are 0, of the vectors that are
 * not there. */
static double turned_by(const fsr_ref_problem *x, const entry *values, int64_t k, int64_t i, bool alone) {
    long double gap = alone ? fabsl(values[i].value) : INFINITY;
    for (int64_t j = 0; j < k; j++)
        if (j != i && fabsl(values[j].value - values[i].value) < gap)
            gap = fabsl(values[j].value - values[i].value);
    const long double by = gap > 0 ? 4 * x->error / gap : INFINITY;
    return by < 1 ? (double)by + fsr_ref_backward(x->dtype, x->l.rows, x->l.cols, 1) : 2;
}

static void put(const fsr_ref_problem *x, int result, int64_t at, fsr_ref_number value, double radius, bool either) {
    x->out[result][at] = value;
    x->radius[result][at] = radius;
    x->either[result][at] = either;
}

/* w's columns orthogonal, v' w' stays. */
static void hestenes(fsr_ref_number *w, fsr_ref_number *v, int64_t rows, int64_t cols) {
    bool moved = true;
    for (int pass = 0; pass < TURNS && moved; pass++) {
        moved = false;
        for (int64_t q = 1; q < cols; q++)
            for (int64_t p = 0; p < q; p++) {
                const long double a = creall(product(w + p, w + p, rows, cols)),
                                  b = creall(product(w + q, w + q, rows, cols));
                const fsr_ref_number off = product(w + p, w + q, rows, cols);
                long double c, s;
                if (cabsl(off) <= 1e-18L * sqrtl(a) * sqrtl(b))
                    continue;
                angle(a, b, cabsl(off), &c, &s);
                turn(w, rows, cols, p, q, c, s, off / cabsl(off));
                turn(v, cols, cols, p, q, c, s, off / cabsl(off));
                moved = true;
            }
    }
}

/* Of the conjugate transpose w, n by k: w v = u s is a = v s u'. */
bool fsr_ref_svd(fsr_ref_problem *x) {
    const int64_t k = x->l.rows, n = x->l.cols;
    const bool values_alone = x->l.kind == FSR_LINALG_SVDVALS;
    fsr_ref_number *w = calloc((size_t)(n * k + k * k), sizeof *w), *v = w + n * k;
    entry *value = malloc(sizeof *value * (size_t)k);
    if (!w || !value) {
        free(w);
        free(value);
        return false;
    }
    for (int64_t i = 0; i < k * n; i++)
        w[i % n * k + i / n] = conjl(x->a[i]);
    for (int64_t i = 0; i < k; i++)
        v[i * k + i] = 1;
    hestenes(w, v, n, k);
    for (int64_t i = 0; i < k; i++)
        value[i] = (entry){sqrtl(creall(product(w + i, w + i, n, k))), i};
    qsort(value, (size_t)k, sizeof *value, falling);
    for (int64_t i = 0; i < k; i++) {
        const long double size = value[i].value;
        const double by = values_alone ? 0 : turned_by(x, value, k, i, k != n);
        put(x, values_alone ? 0 : 1, i, size, x->error, false);
        for (int64_t r = 0; !values_alone && r < n; r++)
            put(x, 2, i * n + r, size > 0 ? conjl(w[r * k + value[i].place]) / size : 0, by, true);
        for (int64_t r = 0; !values_alone && r < k; r++)
            put(x, 0, r * k + i, v[r * k + value[i].place], by, true);
    }
    free(w);
    free(value);
    return true;
}

/* a becomes diagonal. */
static void jacobi(fsr_ref_number *a, fsr_ref_number *v, int64_t n, double norm) {
    bool moved = true;
    for (int pass = 0; pass < TURNS && moved; pass++) {
        moved = false;
        for (int64_t q = 1; q < n; q++)
            for (int64_t p = 0; p < q; p++) {
                const fsr_ref_number off = a[p * n + q];
                long double c, s;
                if (cabsl(off) <= 1e-20L * norm)
                    continue;
                const fsr_ref_number phase = off / cabsl(off);
                angle(creall(a[p * n + p]), creall(a[q * n + q]), cabsl(off), &c, &s);
                turn(a, n, n, p, q, c, s, phase);
                turn(v, n, n, p, q, c, s, phase);
                for (int64_t i = 0; i < n; i++) {
                    const fsr_ref_number x = a[p * n + i], y = phase * a[q * n + i];
                    a[p * n + i] = c * x - s * y;
                    a[q * n + i] = s * x + c * y;
                }
                a[p * n + q] = a[q * n + p] = 0;
                moved = true;
            }
    }
}

bool fsr_ref_eigh(fsr_ref_problem *x) {
    const int64_t n = x->l.cols;
    fsr_ref_number *a = calloc((size_t)(2 * n * n), sizeof *a), *v = a + n * n;
    entry *value = malloc(sizeof *value * (size_t)n);
    if (!a || !value) {
        free(a);
        free(value);
        return false;
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < i; j++) {
            a[i * n + j] = x->a[i * n + j];
            a[j * n + i] = conjl(x->a[i * n + j]);
        }
        a[i * n + i] = creall(x->a[i * n + i]);
        v[i * n + i] = 1;
    }
    jacobi(a, v, n, fsr_ref_norm(a, n * n));
    for (int64_t i = 0; i < n; i++)
        value[i] = (entry){creall(a[i * n + i]), i};
    qsort(value, (size_t)n, sizeof *value, rising);
    for (int64_t i = 0; i < n; i++) {
        put(x, 0, i, value[i].value, x->error, false);
        for (int64_t r = 0; x->l.kind == FSR_LINALG_EIGH && r < n; r++)
            put(x, 1, i * n + r, conjl(v[r * n + value[i].place]), turned_by(x, value, n, i, false), true);
    }
    free(a);
    free(value);
    return true;
}
