/* SPDX-License-Identifier: MIT */
/* How a CPU transforms rows of a length, on which the workspace of the call depends. */
#ifndef FUSOR_FUSION_FOURIER_H
#define FUSOR_FUSION_FOURIER_H

#include "graph/fourier.h"
#include <stdbool.h>
#include <stdint.h>

enum {
    FSR_FFT_FACTORS = 64,
    FSR_FFT_PRIME = 31, /* the greatest prime that has a pass; a length with a greater one goes by a convolution */
    FSR_FFT_PARTS = 16, /* threads that have buffers */
    /* Rows of up to so many elements go side by side, each part of theirs in so many bytes. */
    FSR_FFT_ABREAST = 32,
    FSR_FFT_SHORT = 1 << 14
};

/* The passes of a length, each with its factor. */
typedef struct fsr_fft_plan {
    int64_t n;
    int nfactors, factor[FSR_FFT_FACTORS];
} fsr_fft_plan;

/* A transform of rows of n: by its passes, or (Bluestein) as a convolution of `padded` elements, a power of two. */
typedef struct fsr_fft {
    fsr_fourier_kind kind;
    int64_t n, padded; /* padded 0: by its passes */
    fsr_fft_plan plan; /* of n, or of padded */
} fsr_fft;

void fsr_fft_make(fsr_fft *f, fsr_fourier_kind kind, int64_t n);
/* What of the workspace each of so many rows' threads has a part of: at most FSR_FFT_PARTS. */
static inline int64_t fsr_fft_parts(int64_t rows) {
    return rows < FSR_FFT_PARTS ? rows : FSR_FFT_PARTS;
}
/* Rows that go through the passes at once, each in a lane of a vector, where there are as many: their buffers fit in a
 * near cache. wide: in f64. */
int64_t fsr_fft_abreast(const fsr_fft *f, bool wide, int64_t rows);
/* Complex elements of tables, and of buffers for each part. */
int64_t fsr_fft_tables(const fsr_fft *f);
int64_t fsr_fft_buffers(const fsr_fft *f, bool wide, int64_t rows);

#endif
