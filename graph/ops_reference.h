/* SPDX-License-Identifier: MIT */
/* Helpers of the REF column of the table of scalar operations, where an expression is too short for an op. Each float
 * one exists for float (f), double and long double (l), the suffixes of the C library. */
#ifndef FUSOR_GRAPH_OPS_REFERENCE_H
#define FUSOR_GRAPH_OPS_REFERENCE_H

#include <stdint.h>

#define FSR_REF_FLOATS(T, F)                    \
    T fsr_ref_floor_divide##F(T a, T b);        \
    T fsr_ref_mod##F(T a, T b);                 \
    T fsr_ref_round##F(T a); /* half to even */ \
    T fsr_ref_exponent##F(T a);                 \
    T fsr_ref_next##F(T a, T b, T digits);      \
    T fsr_ref_power##F(T a, T b);               \
    T fsr_ref_logaddexp##F(T a, T b);           \
    T fsr_ref_logaddexp2##F(T a, T b);          \
    T fsr_ref_lgamma##F(T a);                   \
    T fsr_ref_erfinv##F(T a);                   \
    T fsr_ref_sinpi##F(T a);                    \
    T fsr_ref_cospi##F(T a);
FSR_REF_FLOATS(float, f)
FSR_REF_FLOATS(double, )
FSR_REF_FLOATS(long double, l)
#undef FSR_REF_FLOATS

/* base to the power, modulo 2^64. */
uint64_t fsr_ref_ipow(uint64_t base, uint64_t exponent);
/* Greatest common divisor, of 0 and 0 0; least common multiple modulo 2^64, with a 0 0. */
uint64_t fsr_ref_gcd(uint64_t a, uint64_t b);
uint64_t fsr_ref_lcm(uint64_t a, uint64_t b);
int fsr_ref_popcount(uint64_t x);
/* The place of the float of these bits, so many, in the order of the floats of that width; and the bits of the float
 * at a place. */
int64_t fsr_ref_order_key(uint64_t bits, int width);
int64_t fsr_ref_order_value(int64_t key, int width);
/* Words 2i and 2i + 1 of the stream, by Philox4x32-10. */
uint64_t fsr_ref_philox(uint64_t seed, uint64_t stream, uint64_t i);
/* Zeros above the highest 1 of the low `width` bits. */
int fsr_ref_clz(uint64_t x, int width);

#endif
