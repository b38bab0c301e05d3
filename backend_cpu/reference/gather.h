/* SPDX-License-Identifier: MIT */
/* Elements at computed indices, in the reference. */
#ifndef FUSOR_BACKEND_CPU_REFERENCE_GATHER_H
#define FUSOR_BACKEND_CPU_REFERENCE_GATHER_H

#include "backend_cpu/reference/array.h"
#include "runtime/fault.h"

/* A GATHER's elements into out, in C order of its shape. in: its arguments; source: the first one's shape.
 * FSR_ERR_INDEX: an index that is to be reported. FSR_ERR_MEMORY. */
fsr_status fsr_ref_gather(const fsr_rec *rec, const fsr_shape *source, const fsr_ref_view *in, fsr_ref_data *out,
                          fsr_fault *fault);

/* An INSET's elements, in the same way. part: the second argument's shape. */
fsr_status fsr_ref_inset(const fsr_rec *rec, const fsr_shape *part, const fsr_ref_view *in, fsr_ref_data *out,
                         fsr_fault *fault);
/* A PREFIX's elements. shape: of all of its arguments. */
fsr_status fsr_ref_prefix(const fsr_rec *rec, const fsr_shape *shape, const fsr_ref_view *in, fsr_ref_data *out,
                          fsr_fault *fault);
/* What the record says of an index outside of an axis of so many elements. */
fsr_status fsr_ref_outside(const fsr_rec *rec, int64_t index, int axis, int64_t extent, fsr_fault *fault);

#endif
