/* SPDX-License-Identifier: MIT */
/* The passes of a Fourier transform in one precision: included with REAL, the type of a part, and NAME(x), the name of
 * a function in it.
 *
 * Stockham's form: each pass reads one buffer and writes the other, in order, and no bits are turned around. With
 * length n = r m left and s rows done side by side, pass r makes of x[q + s (p + m k)] the sums over k with the r-th
 * roots, and turns them by the n-th root's power p j, at y[q + s (r p + j)]. One table of the N-th roots serves all of
 * them. A length with a large prime: exp(-2 pi i j k / n) = c[j] c[k] / c[j - k] with c[j] = exp(-pi i j j / n), which
 * is a convolution, of any greater length. */
#include "backend_cpu/run/fft.h"
#include <math.h>
#include <string.h>

typedef struct NAME(point) {
    REAL re, im;
} NAME(point);

static NAME(point) NAME(times)(NAME(point) a, NAME(point) b) {
    return (NAME(point)){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* exp(-2 pi i k / n), 0 <= k < n, from an angle in the first octant: no angle is greater than it can be told. */
static NAME(point) NAME(root)(int64_t k, int64_t n) {
    const double turn = 6.283185307179586476925286766559;
    const int64_t eighth = 8 * k / n;
    const int64_t rest = eighth % 2 ? (eighth + 1) * n - 8 * k : 8 * k - eighth * n;
    const double angle = turn * (double)rest / (8 * (double)n), c = cos(angle), s = sin(angle);
    const double re[] = {c, s, -s, -c, -c, -s, s, c}, im[] = {s, c, c, s, -s, -c, -c, -s};
    return (NAME(point)){(REAL)re[eighth], (REAL)-im[eighth]};
}

/* All n-th roots, from those of a coarse and of a fine grid. */
static void NAME(roots)(NAME(point) * w, int64_t n) {
    int64_t fine = 1;
    while (fine * fine < n)
        fine *= 2;
    for (int64_t k = 0; k < fine && k < n; k++)
        w[k] = NAME(root)(k, n);
    for (int64_t base = fine; base < n; base += fine) {
        const NAME(point) coarse = NAME(root)(base, n);
        for (int64_t k = 0; k < fine && base + k < n; k++)
            w[base + k] = NAME(times)(coarse, w[k]);
    }
}

static void NAME(pass2)(const NAME(point) * x, NAME(point) * y, int64_t m, int64_t s, const NAME(point) * w,
                        int64_t step) {
    for (int64_t p = 0; p < m; p++) {
        const NAME(point) w1 = w[p * step];
        for (int64_t q = 0; q < s; q++) {
            const NAME(point) a = x[q + s * p], b = x[q + s * (p + m)];
            y[q + s * 2 * p] = (NAME(point)){a.re + b.re, a.im + b.im};
            y[q + s * (2 * p + 1)] = NAME(times)((NAME(point)){a.re - b.re, a.im - b.im}, w1);
        }
    }
}

static void NAME(pass4)(const NAME(point) * x, NAME(point) * y, int64_t m, int64_t s, const NAME(point) * w,
                        int64_t step) {
    for (int64_t p = 0; p < m; p++) {
        const NAME(point) w1 = w[p * step], w2 = w[2 * p * step], w3 = w[3 * p * step];
        for (int64_t q = 0; q < s; q++) {
            const NAME(point) a = x[q + s * p], b = x[q + s * (p + m)], c = x[q + s * (p + 2 * m)],
                              d = x[q + s * (p + 3 * m)];
            const NAME(point) sum = {a.re + c.re, a.im + c.im}, gap = {a.re - c.re, a.im - c.im};
            const NAME(point) other = {b.re + d.re, b.im + d.im}, turned = {b.im - d.im, d.re - b.re};
            y[q + s * 4 * p] = (NAME(point)){sum.re + other.re, sum.im + other.im};
            y[q + s * (4 * p + 1)] = NAME(times)((NAME(point)){gap.re + turned.re, gap.im + turned.im}, w1);
            y[q + s * (4 * p + 2)] = NAME(times)((NAME(point)){sum.re - other.re, sum.im - other.im}, w2);
            y[q + s * (4 * p + 3)] = NAME(times)((NAME(point)){gap.re - turned.re, gap.im - turned.im}, w3);
        }
    }
}

/* Any factor, by its definition. total: elements of w. */
static void NAME(pass)(const NAME(point) * x, NAME(point) * y, int r, int64_t m, int64_t s, const NAME(point) * w,
                       int64_t step, int64_t total) {
    const int64_t apart = total / r;
    for (int64_t p = 0; p < m; p++)
        for (int j = 0; j < r; j++) {
            const NAME(point) turn = w[p * j % (m * r) * step];
            for (int64_t q = 0; q < s; q++) {
                NAME(point) sum = x[q + s * p];
                for (int k = 1; k < r; k++) {
                    const NAME(point) t = NAME(times)(x[q + s * (p + m * k)], w[(int64_t)j * k % r * apart]);
                    sum.re += t.re;
                    sum.im += t.im;
                }
                y[q + s * (r * p + j)] = NAME(times)(sum, turn);
            }
        }
}

/* Forward, of what lies in x; x and y change roles pass by pass. Returns where the result lies. */
static NAME(point) * NAME(passes)(const fsr_fft_plan *plan, const NAME(point) * w, NAME(point) * x, NAME(point) * y) {
    int64_t n = plan->n, s = 1;
    for (int i = 0; i < plan->nfactors; i++) {
        const int r = plan->factor[i];
        const int64_t m = n / r, step = plan->n / n;
        if (r == 4)
            NAME(pass4)(x, y, m, s, w, step);
        else if (r == 2)
            NAME(pass2)(x, y, m, s, w, step);
        else
            NAME(pass)(x, y, r, m, s, w, step, plan->n);
        NAME(point) *other = x;
        x = y;
        y = other;
        n = m;
        s *= r;
    }
    return x;
}

/* Tables: the roots of the passes; for a convolution also c[0, n) and the transform of 1 / c, with 1 / padded in it. */
void NAME(fsr_fft_prepare)(const fsr_fft *f, void *tables, void *buffer) {
    NAME(point) *w = tables, *chirp = w + f->plan.n, *kernel = chirp + f->n, *x = buffer;
    NAME(roots)(w, f->plan.n);
    if (!f->padded)
        return;
    memset(x, 0, sizeof *x * (size_t)f->padded);
    for (int64_t j = 0; j < f->n; j++) {
        const int64_t square = (int64_t)((unsigned __int128)j * (unsigned __int128)j % (unsigned __int128)(2 * f->n));
        chirp[j] = NAME(root)(square, 2 * f->n);
        const NAME(point) inverse = {chirp[j].re, -chirp[j].im};
        x[j] = inverse;
        x[j ? f->padded - j : 0] = inverse;
    }
    const NAME(point) *result = NAME(passes)(&f->plan, w, x, x + f->padded);
    const REAL scale = 1 / (REAL)f->padded;
    for (int64_t i = 0; i < f->padded; i++)
        kernel[i] = (NAME(point)){result[i].re * scale, result[i].im * scale};
}

/* By a convolution: the second transform is a forward one of conjugates. */
static NAME(point) * NAME(convolved)(const fsr_fft *f, const NAME(point) * w, NAME(point) * x) {
    const NAME(point) *chirp = w + f->plan.n, *kernel = chirp + f->n;
    for (int64_t j = 0; j < f->n; j++)
        x[j] = NAME(times)(x[j], chirp[j]);
    memset(x + f->n, 0, sizeof *x * (size_t)(f->padded - f->n));
    NAME(point) *y = NAME(passes)(&f->plan, w, x, x + f->padded);
    for (int64_t i = 0; i < f->padded; i++) {
        const NAME(point) t = NAME(times)(y[i], kernel[i]);
        y[i] = (NAME(point)){t.re, -t.im};
    }
    y = NAME(passes)(&f->plan, w, y, y == x ? x + f->padded : x);
    for (int64_t j = 0; j < f->n; j++)
        y[j] = NAME(times)((NAME(point)){y[j].re, -y[j].im}, chirp[j]);
    return y;
}

/* The row into x, as what a forward transform takes: an inverse one is the forward one of conjugates, conjugated. */
static void NAME(load)(const fsr_fft *f, NAME(point) * x, const void *in) {
    const NAME(point) *from = in;
    const int64_t n = f->n;
    if (f->kind == FSR_FOURIER_FORWARD) {
        memcpy(x, from, sizeof *x * (size_t)n);
    } else if (f->kind == FSR_FOURIER_OF_REAL) {
        for (int64_t i = 0; i < n; i++)
            x[i] = (NAME(point)){((const REAL *)in)[i], 0};
    } else if (f->kind == FSR_FOURIER_INVERSE) {
        for (int64_t i = 0; i < n; i++)
            x[i] = (NAME(point)){from[i].re, -from[i].im};
    } else {
        /* What a real row's transform has no imaginary part at is taken without one. */
        for (int64_t i = 0; i <= n / 2; i++) {
            x[i] = (NAME(point)){from[i].re, i == 0 || 2 * i == n ? 0 : -from[i].im};
            if (i)
                x[n - i] = (NAME(point)){from[i].re, i == 0 || 2 * i == n ? 0 : from[i].im};
        }
    }
}

void NAME(fsr_fft_row)(const fsr_fft *f, const void *tables, void *buffer, const void *in, void *out) {
    NAME(point) *x = buffer, *to = out;
    NAME(load)(f, x, in);
    const NAME(point) *y = f->padded ? NAME(convolved)(f, tables, x) : NAME(passes)(&f->plan, tables, x, x + f->n);
    if (f->kind == FSR_FOURIER_FORWARD || f->kind == FSR_FOURIER_OF_REAL)
        memcpy(to, y, sizeof *to * (size_t)(f->kind == FSR_FOURIER_FORWARD ? f->n : f->n / 2 + 1));
    else if (f->kind == FSR_FOURIER_INVERSE)
        for (int64_t i = 0; i < f->n; i++)
            to[i] = (NAME(point)){y[i].re, -y[i].im};
    else
        for (int64_t i = 0; i < f->n; i++)
            ((REAL *)out)[i] = y[i].re;
}
