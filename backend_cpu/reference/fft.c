/* SPDX-License-Identifier: MIT */
/* Fourier transforms by their definition, divided at the least prime of the length, in long double.
 *
 * Bound. Each element of the result passes through as many roundings as the length has factors, each of a term no
 * greater than the sum of all magnitudes: (4 log2 n + 8) units of that sum. Where a prime is large transforms go by
 * convolutions of other lengths, whose terms may be as large as the square root of the length times the norm. What
 * is not exact before reaches every element in full. Subnormal products round to a smallest number each, however small
 * they are.
 *
 * Overflow. Where twice the sum of all magnitudes, or what those convolutions make of it, is no number of the dtype,
 * some term on the way may be none either, and infinities of both signs are NaN: of [1e308, 1e308] even the second
 * element, 0. */
#include "backend_cpu/reference/library.h"
#include "graph/fourier.h"
#include "graph/shape.h"
#include <stdlib.h>

enum { LARGE_PRIME = 31 };

typedef struct point {
    long double re, im;
} point;

static int64_t least_prime(int64_t n) {
    for (int64_t p = 2; p * p <= n; p++)
        if (n % p == 0)
            return p;
    return n;
}

static bool has_large_prime(int64_t n) {
    while (n > 1) {
        const int64_t p = least_prime(n);
        if (p > LARGE_PRIME)
            return true;
        n /= p;
    }
    return false;
}

/* x[0], x[step] ... into y[0, n); root[k] = exp(-2 pi i k / total). */
static void transform(const point *x, point *y, point *room, int64_t n, int64_t step, const point *root,
                      int64_t total) {
    const int64_t p = least_prime(n), m = n / p;
    if (n == 1) {
        y[0] = x[0];
        return;
    }
    for (int64_t k = 0; k < p; k++)
        transform(x + k * step, room + k * m, y + k * m, m, step * p, root, total);
    for (int64_t j = 0; j < n; j++) {
        y[j] = (point){0, 0};
        for (int64_t k = 0; k < p; k++) {
            const point w = root[(int64_t)((__int128)j * k % n * (total / n))], a = room[k * m + j % m];
            y[j].re += a.re * w.re - a.im * w.im;
            y[j].im += a.re * w.im + a.im * w.re;
        }
    }
}

typedef struct row {
    int64_t n;
    fsr_fourier_kind kind;
    point *x, *y, *room, *root;
    long double size, radius; /* sums of the row's */
} row;

/* An inverse transform is that of the conjugates, conjugated. */
static void put(row *r, int64_t at, const fsr_ref_element *e, bool conjugate) {
    r->x[at] = (point){e->ball.center, conjugate ? -e->ball.imag : e->ball.imag};
    r->size += hypotl(e->ball.center, e->ball.imag);
    r->radius += fabsl((long double)e->ball.radius);
}

static void load(row *r, int64_t i, fsr_ref_element e) {
    const bool real = r->kind == FSR_FOURIER_TO_REAL;
    if (real && (i == 0 || 2 * i == r->n))
        e.ball.imag = 0;
    put(r, i, &e, r->kind == FSR_FOURIER_INVERSE || real);
    if (real && i > 0 && 2 * i != r->n)
        put(r, r->n - i, &e, false);
}

static bool store(const row *r, fsr_dtype dtype, int64_t at, int64_t cols, fsr_ref_data *out) {
    const long double wider = has_large_prime(r->n) ? 4 * sqrtl(2 * (long double)r->n) : 1;
    const long double terms = (4 * log2l((long double)r->n) + 8) * wider;
    const long double tiny = (long double)r->n * (long double)fsr_ball_ulp(dtype, 0);
    const long double radius = r->radius + terms * ((long double)fsr_ball_unit(dtype) * r->size + tiny);
    const bool known = isfinite(radius) && 2 * wider * (r->size + radius) < (long double)fsr_ball_limit(dtype);
    const bool back = r->kind == FSR_FOURIER_INVERSE, complex = fsr_dtype_is_complex(dtype);
    for (int64_t i = 0; i < cols; i++) {
        const fsr_ball plain = {.center = r->y[i].re, .imag = !complex ? 0 : back ? -r->y[i].im : r->y[i].im};
        fsr_ref_element e = {.value = fsr_ball_center_value(dtype, &plain)};
        if (!known)
            e.ball = fsr_ball_unknown(dtype);
        else
            e.ball = complex ? fsr_ball_settle_complex(dtype, plain.center, plain.imag, (double)radius)
                             : fsr_ball_settle(dtype, plain.center, (double)radius);
        if (!fsr_ref_data_set(out, at + i, &e))
            return false;
    }
    return true;
}

static bool rows(row *r, const fsr_rec *rec, const fsr_shape *shape, const fsr_ref_view *in, fsr_ref_data *out) {
    const int64_t cols = shape->dim[shape->ndim - 1], made = rec->shape.dim[rec->shape.ndim - 1];
    fsr_ref_walk walk;
    bool good = true;
    for (int64_t k = 0; k < r->n; k++) {
        const long double angle = 6.283185307179586476925286766559005768L * (long double)k / (long double)r->n;
        r->root[k] = (point){cosl(angle), -sinl(angle)};
    }
    fsr_ref_walk_start(&walk, shape, 0, in, 1);
    for (int64_t at = 0; good && walk.left > 0; at += made) {
        r->size = r->radius = 0;
        for (int64_t i = 0; i < cols; i++, fsr_ref_walk_next(&walk))
            load(r, i, fsr_ref_data_get(in->data, walk.at[0]));
        transform(r->x, r->y, r->room, r->n, 1, r->root, r->n);
        good = store(r, rec->dtype[0], at, made, out);
    }
    return good;
}

bool fsr_ref_fft(const fsr_rec *rec, const fsr_shape *shape, const fsr_ref_view *in, fsr_ref_data **out,
                 fsr_fault *fault) {
    const int64_t n = fsr_fourier_length(rec->called);
    point *memory = malloc(4 * (size_t)n * sizeof *memory);
    row r = {.n = n,
             .kind = fsr_fourier_kind_of(rec->called),
             .x = memory,
             .y = memory + n,
             .room = memory + 2 * n,
             .root = memory + 3 * n};
    (void)fault;
    out[0] = fsr_ref_data_new(rec->dtype[0], fsr_shape_size(&rec->shape), true);
    const bool good = memory && out[0] && rows(&r, rec, shape, in, out[0]);
    free(memory);
    return good;
}
