/* SPDX-License-Identifier: MIT */
/* Fourier transforms in one precision: included with REAL, the type of a part, and NAME(x), the name of a function in
 * it. Rows are transformed one by one, or, where so many fit in a near cache, in the lanes of vectors, of 16 bytes on
 * any machine and of 32 with AVX2. */
#include "backend_cpu/run/fft.h"
#include "backend_cpu/run/fft_roots.h"
#include <string.h>

#define ITEM REAL
#define FORM(x) NAME(x##_1)
#define TARGET
#include "backend_cpu/run/fft_passes.h"

/* Vectors of rows: their buffers are aligned as their elements are. */
typedef REAL NAME(vector_16) __attribute__((vector_size(16), aligned(sizeof(REAL)), may_alias));
#define ITEM NAME(vector_16)
#define FORM(x) NAME(x##_16)
#define TARGET
#include "backend_cpu/run/fft_passes.h"

#if defined __x86_64__
typedef REAL NAME(vector_32) __attribute__((vector_size(32), aligned(sizeof(REAL)), may_alias));
#define ITEM NAME(vector_32)
#define FORM(x) NAME(x##_32)
#define TARGET __attribute__((target("avx2")))
#include "backend_cpu/run/fft_passes.h"
#endif

/* Tables: the roots of the passes; for a convolution also c[0, n) and the transform of 1 / c, with 1 / padded in it. */
void NAME(fsr_fft_prepare)(const fsr_fft *f, void *tables, void *buffer) {
    NAME(point) *w = tables, *chirp = w + f->plan.n, *kernel = chirp + f->n;
    NAME(item_1) *x = buffer;
    NAME(roots)(w, f->plan.n);
    if (!f->padded)
        return;
    memset(x, 0, sizeof *x * (size_t)f->padded);
    for (int64_t j = 0; j < f->n; j++) {
        const int64_t square = (int64_t)((unsigned __int128)j * (unsigned __int128)j % (unsigned __int128)(2 * f->n));
        chirp[j] = NAME(root)(square, 2 * f->n);
        const NAME(item_1) inverse = {chirp[j].re, -chirp[j].im};
        x[j] = inverse;
        x[j ? f->padded - j : 0] = inverse;
    }
    const NAME(item_1) *result = NAME(passes_1)(&f->plan, w, x, x + f->padded);
    const REAL scale = 1 / (REAL)f->padded;
    for (int64_t i = 0; i < f->padded; i++)
        kernel[i] = (NAME(point)){result[i].re * scale, result[i].im * scale};
}

void NAME(fsr_fft_rows)(const fsr_fft *f, fsr_simd simd, const void *tables, void *buffer, const fsr_fft_rows *rows) {
    const int64_t in_bytes = rows->in_bytes, out_bytes = rows->out_bytes, n = rows->n;
    int64_t row = 0;
    (void)simd;
#if defined __x86_64__
    for (const int64_t lanes = 32 / sizeof(REAL); rows->abreast && simd != FSR_SIMD_NONE && n - row >= lanes;
         row += lanes)
        NAME(transform_32)
    (f, tables, buffer, rows->in + row * in_bytes, in_bytes, rows->out + row * out_bytes, out_bytes);
#endif
    for (const int64_t lanes = 16 / sizeof(REAL); rows->abreast && n - row >= lanes; row += lanes)
        NAME(transform_16)
    (f, tables, buffer, rows->in + row * in_bytes, in_bytes, rows->out + row * out_bytes, out_bytes);
    for (; row < n; row++)
        NAME(transform_1)
    (f, tables, buffer, rows->in + row * in_bytes, in_bytes, rows->out + row * out_bytes, out_bytes);
}
