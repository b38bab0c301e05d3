/* SPDX-License-Identifier: MIT */
/* Maps, and plain arrays, of which nothing is uncertain. */
#ifndef FUSOR_BACKEND_CPU_REFERENCE_MAP_H
#define FUSOR_BACKEND_CPU_REFERENCE_MAP_H

#include "backend_cpu/reference/array.h"

/* The array is one of its dtype's values, each of them known. */
static inline bool fsr_ref_data_is_plain(const fsr_ref_data *d) {
    return !d->radius && !d->wide;
}
/* Element `at` of a plain array. A caller's bool is any byte. */
static inline fsr_value fsr_ref_data_plain(const fsr_ref_data *d, int64_t at) {
    if (d->dtype == FSR_BOOL)
        return (fsr_value){.bits = ((const uint8_t *)d->center)[at] != 0};
    return fsr_value_load(d->dtype, d->center, at);
}

/* A MAP or CALL in C order, of operands of dtype `compute`. NULL: out of memory. */
fsr_ref_data *fsr_ref_map(const fsr_rec *rec, fsr_dtype compute, const fsr_ref_view *in, fsr_ball_mode mode);

#endif
