/* SPDX-License-Identifier: MIT */
/* Singular values and eigenvalues by plain loops, for a dtype: a part of linalg_plain.h, whose words these are.
 *
 * Singular values by rotating pairs of columns until all are orthogonal (Hestenes), eigenvalues by rotating pairs of
 * rows and columns until nothing is beside the diagonal (Jacobi): both accurate to the unit, and one form for real and
 * complex matrices. Counter-example to singular values as roots of the eigenvalues of a'a: those below the root of the
 * unit are lost. */

enum { SWEEPS = 60 /* quadratic convergence takes less than ten */ };

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
