/* SPDX-License-Identifier: MIT */
/* Linear algebra in c128. */
#define T double complex
#define R double
#define PLANES 2
#define NAME(name) name##_c128
#define REAL(x) creal(x)
#define CONJ(x) conj(x)
#define ABS(x) cabs(x)
#define SQRT(x) sqrt(x)
#define EPS DBL_EPSILON
#include "backend_cpu/run/linalg_plain.h"
