/* SPDX-License-Identifier: MIT */
/* Equations and factors of matrices in long double: elimination with the whole inverse, Cholesky's factor, reflections.
 *
 * Bounds. What a backward stable algorithm computes is exact for a matrix that is `error` away in norm: a multiple of
 * the unit and of the sizes, and what is not known of the arguments. A solution moves by the inverse's row times that,
 * factors by it times the norm of the inverse; where that is not small, or a sign hangs on it, nobody knows. Nor where
 * the squares of the elements overflow: some algorithms add them; nor where right sides times what elimination makes of
 * the matrix may, whatever the solution is. What is multiplied to a determinant depends on the
 * order of the rows, which is nobody's to know; and so does the sign of a zero. */
#include "backend_cpu/reference/linalg.h"
#include "graph/shape.h"
#include <stdlib.h>
#include <string.h>

double fsr_ref_norm(const fsr_ref_number *x, int64_t n) {
    long double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += creall(x[i] * conjl(x[i]));
    return (double)sqrtl(sum);
}

double fsr_ref_backward(fsr_dtype dtype, int64_t m, int64_t n, double norm) {
    return 8 * (double)(m + n + 4) * fsr_ball_unit(dtype) * norm;
}

/* ---- equations ------------------------------------------------------------------------------------------------ */

/* The inverse of a, n by n, into inverse, by Gauss and Jordan. False: a column has no pivot. a is overwritten. */
static bool invert(fsr_ref_number *a, fsr_ref_number *inverse, int64_t n) {
    memset(inverse, 0, sizeof *inverse * (size_t)(n * n));
    for (int64_t i = 0; i < n; i++)
        inverse[i * n + i] = 1;
    for (int64_t c = 0; c < n; c++) {
        int64_t best = c;
        for (int64_t i = c; i < n; i++)
            if (cabsl(a[i * n + c]) > cabsl(a[best * n + c]))
                best = i;
        const fsr_ref_number pivot = a[best * n + c];
        if (pivot == 0)
            return false;
        for (int64_t j = 0; j < n; j++) {
            const fsr_ref_number x = a[best * n + j] / pivot, y = inverse[best * n + j] / pivot;
            a[best * n + j] = a[c * n + j];
            inverse[best * n + j] = inverse[c * n + j];
            a[c * n + j] = x;
            inverse[c * n + j] = y;
        }
        for (int64_t i = 0; i < n; i++) {
            const fsr_ref_number times = a[i * n + c];
            for (int64_t j = 0; i != c && times != 0 && j < n; j++) {
                a[i * n + j] -= times * a[c * n + j];
                inverse[i * n + j] -= times * inverse[c * n + j];
            }
        }
    }
    return true;
}

/* Of n by n numbers. NULL: out of memory. */
static fsr_ref_number *square(int64_t n) {
    return calloc((size_t)(n * n), sizeof(fsr_ref_number));
}

/* What stands between a right side and its solution are numbers for certain: n products of a factor of the matrix,
 * which partial pivots keep below n times its norm and 1, and of what is there. */
static bool stays_finite(const fsr_ref_problem *x, double norm) {
    const int64_t n = x->l.cols;
    const double sides = fsr_ref_norm(x->b, n * x->l.more) + fsr_ref_norm(x->out[0], n * x->l.more);
    return (1 + norm) * (double)(n * n) * sides < (double)fsr_ball_limit(x->dtype);
}

static bool solve(fsr_ref_problem *x) {
    const int64_t n = x->l.cols;
    fsr_ref_number *copy = square(n), *inverse = square(n);
    const bool good = copy && inverse;
    if (good) {
        memcpy(copy, x->a, sizeof *copy * (size_t)(n * n));
        x->solved = invert(copy, inverse, n);
        const double norm = fsr_ref_norm(x->a, n * n), size = x->solved ? fsr_ref_norm(inverse, n * n) : INFINITY;
        x->known = x->known && size * x->error < 0.25;
        for (int64_t e = 0; x->solved && e < n * x->l.more; e++) {
            const fsr_ref_number *row = inverse + e % n * n, *b = x->b + e / n * n;
            for (int64_t j = 0; j < n; j++)
                x->out[0][e] += row[j] * b[j];
        }
        x->known = x->known && (!x->solved || stays_finite(x, norm));
        for (int64_t e = 0; x->solved && e < n * x->l.more; e++) {
            const fsr_ref_number *sought = x->out[0] + e / n * n, *b = x->b + e / n * n;
            const double from =
                x->error * fsr_ref_norm(sought, n) + x->b_error + fsr_ref_backward(x->dtype, n, n, fsr_ref_norm(b, n));
            x->radius[0][e] = 2 * fsr_ref_norm(inverse + e % n * n, n) * from;
        }
    }
    free(copy);
    free(inverse);
    return good;
}

/* Of the transpose, row i of which is column i, with the pivot that is largest. */
static bool lu(fsr_ref_problem *x) {
    const int64_t n = x->l.cols;
    fsr_ref_number *a = x->a;
    for (int64_t c = 0; c < n; c++) {
        int64_t best = c;
        for (int64_t i = c; i < n; i++)
            if (cabsl(a[c * n + i]) > cabsl(a[c * n + best]))
                best = i;
        for (int64_t j = 0; best != c && j < n; j++) {
            const fsr_ref_number t = a[j * n + best];
            a[j * n + best] = a[j * n + c];
            a[j * n + c] = t;
        }
        for (int64_t i = c + 1; a[c * n + c] != 0 && i < n; i++) {
            a[c * n + i] /= a[c * n + c];
            for (int64_t j = c + 1; j < n; j++)
                a[j * n + i] -= a[c * n + i] * a[j * n + c];
        }
        x->out[1][c] = best + 1;
        x->radius[1][c] = INFINITY;
    }
    for (int64_t e = 0; e < n * n; e++) {
        x->out[0][e] = a[e];
        x->radius[0][e] = INFINITY;
    }
    return true;
}

/* ---- factors -------------------------------------------------------------------------------------------------- */

static bool cholesky(fsr_ref_problem *x) {
    const int64_t n = x->l.cols;
    fsr_ref_number *l = x->out[0], *copy = square(n), *inverse = square(n);
    const bool good = copy && inverse;
    for (int64_t c = 0; c < n && x->solved && good; c++) {
        for (int64_t i = c; i < n; i++) {
            fsr_ref_number rest = i == c ? (fsr_ref_number)creall(x->a[i * n + c]) : x->a[i * n + c];
            for (int64_t j = 0; j < c; j++)
                rest -= l[i * n + j] * conjl(l[c * n + j]);
            if (i == c && !(creall(rest) > 0))
                x->solved = false;
            l[i * n + c] = i == c ? (fsr_ref_number)sqrtl(fabsl(creall(rest))) : rest / l[c * n + c];
        }
    }
    for (int64_t i = 0; i < n && good; i++)
        for (int64_t j = 0; j < n; j++)
            copy[i * n + j] = j < i    ? x->a[i * n + j]
                              : j == i ? (fsr_ref_number)creall(x->a[i * n + i])
                                       : conjl(x->a[j * n + i]);
    const double size = good && x->solved && invert(copy, inverse, n) ? fsr_ref_norm(inverse, n * n) : INFINITY;
    x->known = x->known && size * 2 * x->error < 0.25;
    const double norm = fsr_ref_norm(l, n * n);
    for (int64_t e = 0; e < n * n; e++)
        x->radius[0][e] = e % n > e / n ? INFINITY : 4 * norm * size * x->error;
    free(copy);
    free(inverse);
    return good;
}

/* y - times (v' y) v. */
static void mirror(fsr_ref_number *y, const fsr_ref_number *v, fsr_ref_number times, int64_t n) {
    fsr_ref_number sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += conjl(v[i]) * y[i];
    for (int64_t i = 0; i < n; i++)
        y[i] -= times * sum * v[i];
}

/* Reflections of the columns, which are a's rows of m; v and times: of each. *least: how near to 0 a real part came
 * that a sign was chosen by. */
static void reflections(fsr_ref_problem *x, fsr_ref_number *v, fsr_ref_number *times, long double *least) {
    const int64_t n = x->l.rows, m = x->l.cols, k = m < n ? m : n;
    for (int64_t j = 0; j < k; j++) {
        fsr_ref_number *column = x->a + j * m + j, *own = v + j * m + j;
        long double below = 0;
        for (int64_t i = 1; i < m - j; i++)
            below += creall(column[i] * conjl(column[i]));
        if (below == 0 && cimagl(column[0]) == 0)
            continue;
        const long double size = sqrtl(below + creall(column[0] * conjl(column[0])));
        const long double real = creall(column[0]), beta = signbit(real) ? size : -size;
        *least = fabsl(real) < *least ? fabsl(real) : *least;
        own[0] = 1;
        for (int64_t i = 1; i < m - j; i++)
            own[i] = column[i] / (column[0] - beta);
        times[j] = (beta - column[0]) / beta;
        for (int64_t c = j; c < n; c++)
            mirror(x->a + c * m + j, own, conjl(times[j]), m - j);
    }
}

static bool qr(fsr_ref_problem *x) {
    const int64_t n = x->l.rows, m = x->l.cols, k = m < n ? m : n, columns = x->l.more;
    fsr_ref_number *v = calloc((size_t)(k * m + k), sizeof *v), *head = square(k), *inverse = square(k);
    const double norm = fsr_ref_norm(x->a, m * n);
    long double least = INFINITY;
    const bool good = v && head && inverse;
    if (good) {
        fsr_ref_number *times = v + k * m;
        reflections(x, v, times, &least);
        for (int64_t e = 0; e < k * k; e++)
            head[e] = e / k <= e % k ? x->a[e % k * m + e / k] : 0;
        const double by = invert(head, inverse, k) ? 8 * fsr_ref_norm(inverse, k * k) * x->error : INFINITY;
        x->known = x->known && by < 0.5 && (double)least > 4 * by * norm;
        for (int64_t e = 0; e < columns * m; e++) {
            x->out[0][e] = e / m == e % m;
            x->radius[0][e] = e / m < k ? by : INFINITY;
        }
        for (int64_t c = 0; c < columns; c++)
            for (int64_t j = k - 1; j >= 0; j--)
                mirror(x->out[0] + c * m + j, v + j * m + j, times[j], m - j);
        for (int64_t e = 0; e < n * m; e++) {
            x->out[1][e] = x->a[e];
            x->radius[1][e] = e % m > e / m ? INFINITY : 2 * by * norm + 2 * x->error;
        }
    }
    free(v);
    free(head);
    free(inverse);
    return good;
}

/* ---- the call -------------------------------------------------------------------------------------------------- */

/* So many elements at the walk, into x; norms of what is not known join *error. */
static void load(fsr_ref_problem *x, fsr_ref_walk *walk, const fsr_ref_view *in, fsr_ref_number *to, int64_t n,
                 double *error) {
    double radius = 0;
    for (int64_t i = 0; i < n; i++, fsr_ref_walk_next(walk)) {
        const fsr_ref_element e = fsr_ref_data_get(in->data, walk->at[0]);
        to[i] = e.ball.center + (fsr_ref_number)I * e.ball.imag;
        if (!fsr_ball_finite(e.ball) || !isfinite(e.ball.radius)) {
            x->known = false;
            to[i] = 0;
        } else {
            radius = hypot(radius, e.ball.radius);
        }
    }
    *error = radius;
}

static fsr_ref_element element(const fsr_ref_problem *x, int result, int64_t i) {
    const fsr_dtype dtype = fsr_linalg_dtype(&x->l, result, x->dtype);
    const fsr_ref_number e = x->out[result][i];
    const bool is_complex = fsr_dtype_is_complex(dtype), either = x->either[result][i];
    const double radius = x->radius[result][i] + (either ? (double)cabsl(e) : 0);
    const fsr_ball plain = {.center = creall(e), .imag = is_complex ? cimagl(e) : 0};
    fsr_ref_element out = {.value = dtype == FSR_I32 ? fsr_value_from_int(dtype, (int64_t)creall(e))
                                                     : fsr_ball_center_value(dtype, &plain)};
    if (!x->known || !x->solved || !isfinite(radius) || !fsr_ball_finite(plain))
        out.ball = fsr_ball_unknown(dtype);
    else if (is_complex)
        out.ball = fsr_ball_settle_complex(dtype, either ? 0 : plain.center, either ? 0 : plain.imag, radius);
    else
        out.ball = fsr_ball_settle(dtype, either ? 0 : plain.center, radius);
    out.ball = fsr_ball_unsign(out.ball);
    return out;
}

/* Slots of one matrix. */
static bool store(const fsr_ref_problem *x, int64_t slot, fsr_ref_data **out) {
    fsr_ref_element status = fsr_ref_known(FSR_I32, fsr_value_from_int(FSR_I32, !x->solved));
    if (!x->known)
        status.ball = fsr_ball_unknown(FSR_I32);
    for (int k = 0; k < x->l.nresults; k++)
        for (int64_t i = 0; i < x->l.size[k]; i++) {
            const fsr_ref_element e = element(x, k, i);
            if (!fsr_ref_data_set(out[k], slot + i, &e))
                return false;
        }
    return fsr_ref_data_set(out[x->l.nresults], slot, &status);
}

static bool one(fsr_ref_problem *x) {
    static bool (*const run[FSR_LINALG_KINDS])(fsr_ref_problem *) = {
        [FSR_LINALG_SOLVE] = solve,       [FSR_LINALG_LU] = lu,
        [FSR_LINALG_CHOLESKY] = cholesky, [FSR_LINALG_QR] = qr,
        [FSR_LINALG_SVD] = fsr_ref_svd,   [FSR_LINALG_SVDVALS] = fsr_ref_svd,
        [FSR_LINALG_EIGH] = fsr_ref_eigh, [FSR_LINALG_EIGVALSH] = fsr_ref_eigh};
    x->solved = true;
    for (int k = 0; k < x->l.nresults; k++) {
        const size_t size = (size_t)x->l.size[k];
        memset(x->out[k], 0, sizeof *x->out[k] * size);
        memset(x->radius[k], 0, sizeof *x->radius[k] * size);
        memset(x->either[k], 0, sizeof *x->either[k] * size);
    }
    const double norm = fsr_ref_norm(x->a, x->l.rows * x->l.cols);
    x->known = x->known && norm * norm < (double)fsr_ball_limit(x->dtype);
    x->error += fsr_ref_backward(x->dtype, x->l.rows, x->l.cols, norm);
    return run[x->l.kind](x);
}

static bool all(fsr_ref_problem *x, const fsr_shape *shape, const fsr_ref_view *in, fsr_ref_data **out) {
    const int64_t size = x->l.rows * x->l.cols;
    fsr_ref_walk walk, sides;
    bool good = true;
    fsr_ref_walk_start(&walk, shape, 0, in, 1);
    if (x->b)
        fsr_ref_walk_start(&sides, shape + 1, 0, in + 1, 1);
    for (int64_t i = 0; i < x->l.count && good; i++) {
        x->known = true;
        load(x, &walk, in, x->a, size, &x->error);
        if (x->b)
            load(x, &sides, in + 1, x->b, x->l.more * x->l.cols, &x->b_error);
        good = one(x) && store(x, i * x->l.slot, out);
    }
    return good;
}

bool fsr_ref_linalg(const fsr_rec *rec, const fsr_shape *shape, const fsr_ref_view *in, fsr_ref_data **out,
                    fsr_fault *fault) {
    (void)fault;
    fsr_ref_problem x = {.dtype = in->data->dtype};
    bool good = true;
    fsr_linalg_of(&x.l, rec->called, shape, shape + 1);
    x.a = calloc((size_t)(x.l.rows * x.l.cols), sizeof *x.a);
    x.b = x.l.kind == FSR_LINALG_SOLVE ? calloc((size_t)(x.l.more * x.l.cols), sizeof *x.b) : NULL;
    for (int k = 0; k <= x.l.nresults; k++) {
        out[k] = fsr_ref_data_new(rec->dtype[k], fsr_shape_size(&rec->shape), true);
        good = good && out[k];
    }
    for (int k = 0; k < x.l.nresults; k++) {
        x.out[k] = malloc(sizeof *x.out[k] * (size_t)x.l.size[k]);
        x.radius[k] = malloc(sizeof *x.radius[k] * (size_t)x.l.size[k]);
        x.either[k] = malloc(sizeof *x.either[k] * (size_t)x.l.size[k]);
        good = good && x.out[k] && x.radius[k] && x.either[k];
    }
    good = good && x.a && (x.b || x.l.kind != FSR_LINALG_SOLVE) && all(&x, shape, in, out);
    for (int k = 0; k < FSR_LINALG_RESULTS; k++) {
        free(x.out[k]);
        free(x.radius[k]);
        free(x.either[k]);
    }
    free(x.a);
    free(x.b);
    return good;
}
