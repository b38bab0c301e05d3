/* SPDX-License-Identifier: MIT */
/* The passes of a Fourier transform: included with fft_roots.h's REAL and NAME(x), and with ITEM, which is REAL or a
 * vector of it, FORM(x), the name of a function on these, and TARGET, an attribute of functions.
 *
 * Stockham's form: each pass reads one buffer and writes the other, in order, and no bits are turned around. With
 * length n = r m left and s rows done side by side, pass r makes of x[q + s (p + m k)] the sums over k with the r-th
 * roots, and turns them by the n-th root's power p j, at y[q + s (r p + j)]. One table of the N-th roots serves all of
 * them. A length with a large prime: exp(-2 pi i j k / n) = c[j] c[k] / c[j - k] with c[j] = exp(-pi i j j / n), which
 * is a convolution, of any greater length.
 *
 * Of vectors each lane is a row of its own: it goes through the same operations as alone, and has the same bits. */
typedef struct FORM(item) {
    ITEM re, im;
} FORM(item);

static inline TARGET FORM(item) FORM(turned)(FORM(item) a, NAME(point) b) {
    return (FORM(item)){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static TARGET void FORM(pass2)(const FORM(item) * x, FORM(item) * y, int64_t m, int64_t s, const NAME(point) * w,
                               int64_t step) {
    for (int64_t p = 0; p < m; p++) {
        const NAME(point) w1 = w[p * step];
        for (int64_t q = 0; q < s; q++) {
            const FORM(item) a = x[q + s * p], b = x[q + s * (p + m)];
            y[q + s * 2 * p] = (FORM(item)){a.re + b.re, a.im + b.im};
            y[q + s * (2 * p + 1)] = FORM(turned)((FORM(item)){a.re - b.re, a.im - b.im}, w1);
        }
    }
}

static TARGET void FORM(pass4)(const FORM(item) * x, FORM(item) * y, int64_t m, int64_t s, const NAME(point) * w,
                               int64_t step) {
    for (int64_t p = 0; p < m; p++) {
        const NAME(point) w1 = w[p * step], w2 = w[2 * p * step], w3 = w[3 * p * step];
        for (int64_t q = 0; q < s; q++) {
            const FORM(item) a = x[q + s * p], b = x[q + s * (p + m)], c = x[q + s * (p + 2 * m)],
                             d = x[q + s * (p + 3 * m)];
            const FORM(item) sum = {a.re + c.re, a.im + c.im}, gap = {a.re - c.re, a.im - c.im};
            const FORM(item) other = {b.re + d.re, b.im + d.im}, turned = {b.im - d.im, d.re - b.re};
            y[q + s * 4 * p] = (FORM(item)){sum.re + other.re, sum.im + other.im};
            y[q + s * (4 * p + 1)] = FORM(turned)((FORM(item)){gap.re + turned.re, gap.im + turned.im}, w1);
            y[q + s * (4 * p + 2)] = FORM(turned)((FORM(item)){sum.re - other.re, sum.im - other.im}, w2);
            y[q + s * (4 * p + 3)] = FORM(turned)((FORM(item)){gap.re - turned.re, gap.im - turned.im}, w3);
        }
    }
}

/* Any factor, by its definition. total: elements of w. */
static TARGET void FORM(pass)(const FORM(item) * x, FORM(item) * y, int r, int64_t m, int64_t s, const NAME(point) * w,
                              int64_t step, int64_t total) {
    const int64_t apart = total / r;
    for (int64_t p = 0; p < m; p++)
        for (int j = 0; j < r; j++) {
            const NAME(point) turn = w[p * j % (m * r) * step];
            for (int64_t q = 0; q < s; q++) {
                FORM(item) sum = x[q + s * p];
                for (int k = 1; k < r; k++) {
                    const FORM(item) t = FORM(turned)(x[q + s * (p + m * k)], w[(int64_t)j * k % r * apart]);
                    sum.re += t.re;
                    sum.im += t.im;
                }
                y[q + s * (r * p + j)] = FORM(turned)(sum, turn);
            }
        }
}

/* Forward, of what lies in x; x and y change roles pass by pass. Returns where the result lies. */
static TARGET FORM(item) *
    FORM(passes)(const fsr_fft_plan *plan, const NAME(point) * w, FORM(item) * x, FORM(item) * y) {
    int64_t n = plan->n, s = 1;
    for (int i = 0; i < plan->nfactors; i++) {
        const int r = plan->factor[i];
        const int64_t m = n / r, step = plan->n / n;
        if (r == 4)
            FORM(pass4)(x, y, m, s, w, step);
        else if (r == 2)
            FORM(pass2)(x, y, m, s, w, step);
        else
            FORM(pass)(x, y, r, m, s, w, step, plan->n);
        FORM(item) *other = x;
        x = y;
        y = other;
        n = m;
        s *= r;
    }
    return x;
}

/* By a convolution: the second transform is a forward one of conjugates. */
static TARGET FORM(item) * FORM(convolved)(const fsr_fft *f, const NAME(point) * w, FORM(item) * x) {
    const NAME(point) *chirp = w + f->plan.n, *kernel = chirp + f->n;
    for (int64_t j = 0; j < f->n; j++)
        x[j] = FORM(turned)(x[j], chirp[j]);
    memset(x + f->n, 0, sizeof *x * (size_t)(f->padded - f->n));
    FORM(item) *y = FORM(passes)(&f->plan, w, x, x + f->padded);
    for (int64_t i = 0; i < f->padded; i++) {
        const FORM(item) t = FORM(turned)(y[i], kernel[i]);
        y[i] = (FORM(item)){t.re, -t.im};
    }
    y = FORM(passes)(&f->plan, w, y, y == x ? x + f->padded : x);
    for (int64_t j = 0; j < f->n; j++)
        y[j] = FORM(turned)((FORM(item)){y[j].re, -y[j].im}, chirp[j]);
    return y;
}

/* Rows into x, one in each lane, as what a forward transform takes: an inverse one is the forward one of conjugates,
 * conjugated. */
static TARGET void FORM(load)(const fsr_fft *f, FORM(item) * x, const char *in, int64_t bytes) {
    const int64_t n = f->n;
    for (int64_t i = 0; f->kind == FSR_FOURIER_OF_REAL && i < n; i++) {
        x[i] = (FORM(item)){0};
#pragma GCC unroll 8
        for (size_t lane = 0; lane < sizeof(ITEM) / sizeof(REAL); lane++)
            ((REAL *)&x[i].re)[lane] = ((const REAL *)(in + (int64_t)lane * bytes))[i];
    }
    if (f->kind == FSR_FOURIER_OF_REAL)
        return;
    for (int64_t i = 0; i < (f->kind == FSR_FOURIER_TO_REAL ? n / 2 + 1 : n); i++) {
#pragma GCC unroll 8
        for (size_t lane = 0; lane < sizeof(ITEM) / sizeof(REAL); lane++) {
            const NAME(point) *from = (const NAME(point) *)(in + (int64_t)lane * bytes) + i;
            ((REAL *)&x[i].re)[lane] = from->re;
            ((REAL *)&x[i].im)[lane] = from->im;
        }
        if (f->kind != FSR_FOURIER_FORWARD)
            x[i].im = -x[i].im;
        /* What a real row's transform has no imaginary part at is taken without one. */
        if (f->kind == FSR_FOURIER_TO_REAL && (i == 0 || 2 * i == n))
            x[i] = (FORM(item)){.re = x[i].re};
    }
    for (int64_t i = 1; f->kind == FSR_FOURIER_TO_REAL && 2 * i < n; i++)
        x[n - i] = (FORM(item)){x[i].re, -x[i].im};
}

static TARGET void FORM(unload)(const fsr_fft *f, const FORM(item) * y, char *out, int64_t bytes) {
    const int64_t n = f->n;
    for (int64_t i = 0; i < (f->kind == FSR_FOURIER_OF_REAL ? n / 2 + 1 : n); i++)
#pragma GCC unroll 8
        for (size_t lane = 0; lane < sizeof(ITEM) / sizeof(REAL); lane++) {
            void *row = out + (int64_t)lane * bytes;
            const REAL re = ((const REAL *)&y[i].re)[lane], im = ((const REAL *)&y[i].im)[lane];
            if (f->kind == FSR_FOURIER_TO_REAL)
                ((REAL *)row)[i] = re;
            else
                ((NAME(point) *)row)[i] = (NAME(point)){re, f->kind == FSR_FOURIER_INVERSE ? -im : im};
        }
}

/* As many rows as an ITEM has lanes, `in_bytes` and `out_bytes` apart. */
static TARGET void FORM(transform)(const fsr_fft *f, const NAME(point) * w, void *buffer, const char *in,
                                   int64_t in_bytes, char *out, int64_t out_bytes) {
    FORM(item) *x = buffer;
    FORM(load)(f, x, in, in_bytes);
    FORM(unload)(f, f->padded ? FORM(convolved)(f, w, x) : FORM(passes)(&f->plan, w, x, x + f->n), out, out_bytes);
}
#undef ITEM
#undef FORM
#undef TARGET
