/* SPDX-License-Identifier: MIT */
/* Failures of calls of the program's own, in words. */
#include "runtime/library.h"

fsr_status fsr_library_told(fsr_frame_room *room, const fsr_library_call *call, fsr_status status, fsr_fault *fault) {
    const char *name = fsr_library_call_name(call);
    room->why[sizeof room->why - 1] = 0;
    if (!status)
        return FSR_OK;
    if ((unsigned)status >= FSR_STATUS_COUNT)
        return fsr_fault_set(fault, FSR_ERR_VALUE, "library call %s returned %d, which is no status", name,
                             (int)status);
    return fsr_fault_set(fault, status, "library call %s: %s", name,
                         room->why[0] ? room->why : fsr_status_sentence(status));
}
