/* SPDX-License-Identifier: MIT */
/* A caller's function of whole arrays. */
#ifndef FUSOR_BACKEND_CPU_REFERENCE_CALL_RAW_H
#define FUSOR_BACKEND_CPU_REFERENCE_CALL_RAW_H

#include "backend_cpu/reference/array.h"

/* rec is a call of a compiled routine, in[] and shape[] are its arguments. NULL: out of memory. */
fsr_ref_data *fsr_ref_call_raw(const fsr_rec *rec, const fsr_ref_view *in, const fsr_shape *shape);

#endif
