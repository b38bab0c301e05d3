/* SPDX-License-Identifier: MIT */
/* Loops for each element in ball arithmetic. */
#ifndef FUSOR_BACKEND_CPU_REFERENCE_ITERATE_H
#define FUSOR_BACKEND_CPU_REFERENCE_ITERATE_H

#include "backend_cpu/reference/array.h"

/* rec is an ITERATE, in[] its arguments, tables[] the shapes of those that its body takes elements of. data[0..nout)
 * receives new arrays in C order, some of them NULL where it returns false: out of memory. */
bool fsr_ref_iterate(const fsr_rec *rec, const fsr_ref_view *in, const fsr_shape *tables, fsr_ball_mode mode,
                     fsr_ref_data **data);

#endif
