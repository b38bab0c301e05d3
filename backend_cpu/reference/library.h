/* SPDX-License-Identifier: MIT */
/* Library calls (graph/libraries.def), each by a plain algorithm of its own. */
#ifndef FUSOR_BACKEND_CPU_REFERENCE_LIBRARY_H
#define FUSOR_BACKEND_CPU_REFERENCE_LIBRARY_H

#include "backend_cpu/reference/array.h"
#include "runtime/fault.h"

/* Results of a node's shape from the views of its arguments; shape: of each argument. out[i] is new, in C order, for
 * each result; what is left NULL, or partly filled, says that it went wrong: false, and memory was out unless *fault
 * says what. */
#define FSR_LIBRARY(name, word, function)                                                                           \
    bool fsr_ref_##function(const fsr_rec *rec, const fsr_shape *shape, const fsr_ref_view *in, fsr_ref_data **out, \
                            fsr_fault *fault);
#include "graph/libraries.def"

#endif
