/* SPDX-License-Identifier: MIT */
/* Elements that are left at computed addresses, in the reference. */
#ifndef FUSOR_BACKEND_CPU_REFERENCE_SCATTER_H
#define FUSOR_BACKEND_CPU_REFERENCE_SCATTER_H

#include "backend_cpu/reference/array.h"
#include "runtime/fault.h"

/* A COMPACT's elements into out, in C order of its shape. in: its arguments; shape: of all of them. FSR_ERR_MEMORY. */
fsr_status fsr_ref_compact(const fsr_rec *rec, const fsr_shape *shape, const fsr_ref_view *in, fsr_ref_data *out,
                           fsr_fault *fault);

/* A SCATTER's elements into out, which has those of the first argument. part: the second one's shape. FSR_ERR_INDEX: an
 * index that is to be reported. FSR_ERR_MEMORY. */
fsr_status fsr_ref_scatter(const fsr_rec *rec, const fsr_shape *part, const fsr_ref_view *in, fsr_ref_data *out,
                           fsr_fault *fault);

#endif
