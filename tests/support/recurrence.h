/* SPDX-License-Identifier: MIT */
/* The linear recurrence y[i] = a[i] * y[i-1] + b[i], as an operator over pairs: (a, b) * (c, d) = (a c, b c + d), with
 * identity (1, 0). It is associative and does not commute. */
#ifndef FUSOR_TESTS_SUPPORT_RECURRENCE_H
#define FUSOR_TESTS_SUPPORT_RECURRENCE_H

#include "fusor/fusor.h"

extern const fsr_operator linear_recurrence;

#endif
