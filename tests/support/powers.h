/* SPDX-License-Identifier: MIT */
/* Powers of f32 that are hard, and whether what a backend makes of them is right. */
#ifndef FUSOR_TESTS_SUPPORT_POWERS_H
#define FUSOR_TESTS_SUPPORT_POWERS_H

#include <stdint.h>

/* Numbers with a rule of their own: zeros, infinities, NaN, subnormals, those around which a float is whole, odd or
 * even. */
enum { POWERS_EXACT = 27 };
extern const float powers_exact[POWERS_EXACT];

float powers_of_bits(uint32_t bits);
/* What a unit in the last place of the f32 nearest to x is. */
double powers_unit(double x);
/* Bases and exponents: each pair of exact ones, then any bits, bases near 1 to large powers, bases next to 1, and any
 * bases to small powers. n: at least 4096. */
void powers_draw(float *a, float *b, int n);
/* Fails the running test where got[i] is more than 4 units in the last place off C's power of f64, or not the zero,
 * infinity or NaN that this is. */
void powers_check(const float *a, const float *b, const float *got, int n, const char *how);

#endif
