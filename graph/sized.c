/* SPDX-License-Identifier: MIT */
/* Structs of callers whose size is that of another version of the headers; sized.h has the rule. */
#include "graph/sized.h"
#include <string.h>

fsr_status fsr_sized_in(void *ours, size_t have, const void *theirs, size_t given) {
    const unsigned char *bytes = theirs;
    if (given == 0 || given > FSR_SIZED_MOST)
        return FSR_ERR_VALUE;
    for (size_t i = have; i < given; i++)
        if (bytes[i])
            return FSR_ERR_UNSUPPORTED;
    memcpy(ours, theirs, given < have ? given : have);
    return FSR_OK;
}

fsr_status fsr_sized_out(void *theirs, size_t given, const void *ours, size_t have) {
    if (given == 0 || given > FSR_SIZED_MOST)
        return FSR_ERR_VALUE;
    memset(theirs, 0, given);
    memcpy(theirs, ours, given < have ? given : have);
    return FSR_OK;
}

const char *fsr_sized_words(fsr_status status) {
    return status == FSR_ERR_UNSUPPORTED
               ? "is of a newer version of Fusor's headers, and asks for what this library does not know"
               : "has a size that is none";
}
