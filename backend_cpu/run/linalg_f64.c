/* SPDX-License-Identifier: MIT */
/* Linear algebra in f64. */
#define T double
#define R double
#define PLANES 1
#define NAME(name) name##_f64
#define REAL(x) (x)
#define CONJ(x) (x)
#define ABS(x) fabs(x)
#define SQRT(x) sqrt(x)
#define EPS DBL_EPSILON
#include "backend_cpu/run/linalg_plain.h"
