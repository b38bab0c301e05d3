/* SPDX-License-Identifier: MIT */
/* Fourier transforms in f32. */
#define REAL float
#define NAME(x) x##_f32
#include "backend_cpu/run/fft_real.h"
