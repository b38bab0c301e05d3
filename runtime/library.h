/* SPDX-License-Identifier: MIT */
/* What both backends say of a call of the program's own that has returned. */
#ifndef FUSOR_RUNTIME_LIBRARY_H
#define FUSOR_RUNTIME_LIBRARY_H

#include "fusion/library.h"
#include "runtime/fault.h"

/* The status that a callee's function returned, with its sentence in *fault. What is no status is FSR_ERR_VALUE. */
fsr_status fsr_library_told(fsr_frame_room *room, const fsr_library_call *call, fsr_status status, fsr_fault *fault);

#endif
