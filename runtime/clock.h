/* SPDX-License-Identifier: MIT */
/* Milliseconds of a clock that only goes forward: with fractions, for what is measured, and whole ones, for
 * deadlines. */
#ifndef FUSOR_RUNTIME_CLOCK_H
#define FUSOR_RUNTIME_CLOCK_H

#include <stdint.h>

double fsr_clock_ms(void);
int64_t fsr_now_ms(void);

#endif
