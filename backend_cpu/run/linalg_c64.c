/* SPDX-License-Identifier: MIT */
/* Linear algebra in c64. */
#define T float complex
#define R float
#define PLANES 2
#define NAME(name) name##_c64
#define REAL(x) crealf(x)
#define CONJ(x) conjf(x)
#define ABS(x) cabsf(x)
#define SQRT(x) sqrtf(x)
#define EPS FLT_EPSILON
#include "backend_cpu/run/linalg_plain.h"
