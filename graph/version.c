/* SPDX-License-Identifier: MIT */
/* The library's own version: what its headers said when it was compiled. */
#include "fusor/version.h"

const char *fsr_version(void) {
    return FSR_VERSION;
}

int fsr_version_number(void) {
    return FSR_VERSION_NUMBER;
}
