/* SPDX-License-Identifier: MIT */
/* Linear algebra in f32. */
#define T float
#define R float
#define PLANES 1
#define NAME(name) name##_f32
#define REAL(x) (x)
#define CONJ(x) (x)
#define ABS(x) fabsf(x)
#define SQRT(x) sqrtf(x)
#define EPS FLT_EPSILON
#include "backend_cpu/run/linalg_plain.h"
