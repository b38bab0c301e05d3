/* SPDX-License-Identifier: MIT */
/* A caller's function on numbers with error radii. */
#ifndef FUSOR_BACKEND_CPU_REFERENCE_CALL_H
#define FUSOR_BACKEND_CPU_REFERENCE_CALL_H

#include "backend_cpu/reference/ball.h"
#include "graph/routine.h"

/* f->host must not be NULL. x: of the parameters' dtypes. */
fsr_ball fsr_ball_call(const fsr_routine *f, const fsr_ball *x);
/* Of known values, and of whole arrays. */
fsr_ball fsr_ball_call_known(const fsr_routine *f, const fsr_value *x, const fsr_routine_array *arrays);

#endif
