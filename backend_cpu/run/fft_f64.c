/* SPDX-License-Identifier: MIT */
/* Fourier transforms in f64. */
#define REAL double
#define NAME(x) x##_f64
#include "backend_cpu/run/fft_real.h"
