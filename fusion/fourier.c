/* SPDX-License-Identifier: MIT */
/* A length as passes. */
#include "fusion/fourier.h"
#include "graph/size.h"

/* The factors of n, large ones first, as passes with many rows side by side come last; false: a prime has no pass. */
static bool divide(fsr_fft_plan *plan, int64_t n) {
    *plan = (fsr_fft_plan){.n = n};
    for (int f = 4; n > 1 && f <= FSR_FFT_PRIME; f = f == 4 ? 2 : f == 2 ? 3 : f + 2)
        for (; n % f == 0; n /= f)
            plan->factor[plan->nfactors++] = f;
    return n == 1;
}

void fsr_fft_make(fsr_fft *f, fsr_fourier_kind kind, int64_t n) {
    *f = (fsr_fft){.kind = kind, .n = n};
    if (divide(&f->plan, n))
        return;
    for (f->padded = 1; f->padded / 2 < n;)
        f->padded *= 2;
    divide(&f->plan, f->padded);
}

int64_t fsr_fft_tables(const fsr_fft *f) {
    return fsr_size_add(f->plan.n, f->padded ? fsr_size_add(f->n, f->padded) : 0);
}

int64_t fsr_fft_abreast(const fsr_fft *f, bool wide, int64_t rows) {
    const int64_t lanes = FSR_FFT_ABREAST / (wide ? 8 : 4);
    return f->plan.n <= FSR_FFT_SHORT && rows >= lanes ? lanes : 1;
}

int64_t fsr_fft_buffers(const fsr_fft *f, bool wide, int64_t rows) {
    return fsr_size_mul(2 * fsr_fft_abreast(f, wide, rows), f->plan.n);
}
