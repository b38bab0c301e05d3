/* SPDX-License-Identifier: MIT */
/* Fourier transforms of rows: the passes in either precision. Shared by the fft*.c files. */
#ifndef FUSOR_BACKEND_CPU_FFT_H
#define FUSOR_BACKEND_CPU_FFT_H

#include "fusion/fourier.h"

/* Fills the tables; once, before rows. */
void fsr_fft_prepare_f32(const fsr_fft *f, void *tables, void *buffer);
void fsr_fft_prepare_f64(const fsr_fft *f, void *tables, void *buffer);
/* One row. */
void fsr_fft_row_f32(const fsr_fft *f, const void *tables, void *buffer, const void *in, void *out);
void fsr_fft_row_f64(const fsr_fft *f, const void *tables, void *buffer, const void *in, void *out);

#endif
