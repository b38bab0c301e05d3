/* SPDX-License-Identifier: MIT */
/* Fourier transforms of rows in either precision. Shared by the fft*.c files. */
#ifndef FUSOR_BACKEND_CPU_FFT_H
#define FUSOR_BACKEND_CPU_FFT_H

#include "backend_cpu/run/vectors.h"
#include "fusion/fourier.h"

/* n rows, so many bytes apart; abreast: several at once, for which the buffer has room. What a row becomes is the
 * same. */
typedef struct fsr_fft_rows {
    const char *in;
    char *out;
    int64_t in_bytes, out_bytes, n;
    bool abreast;
} fsr_fft_rows;

/* Fills the tables; once, before rows. */
void fsr_fft_prepare_f32(const fsr_fft *f, void *tables, void *buffer);
void fsr_fft_prepare_f64(const fsr_fft *f, void *tables, void *buffer);
void fsr_fft_rows_f32(const fsr_fft *f, fsr_simd simd, const void *tables, void *buffer, const fsr_fft_rows *rows);
void fsr_fft_rows_f64(const fsr_fft *f, fsr_simd simd, const void *tables, void *buffer, const fsr_fft_rows *rows);

#endif
