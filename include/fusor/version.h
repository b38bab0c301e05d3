/* SPDX-License-Identifier: MIT */
/* The version. Its three numbers stand here alone: CMake reads them, and gives them to the shared library's file names,
 * to pkg-config and to find_package. */
#ifndef FUSOR_VERSION_H
#define FUSOR_VERSION_H

#include "fusor/api.h"

/* Of these headers. */
#define FSR_VERSION_MAJOR 0
#define FSR_VERSION_MINOR 1
#define FSR_VERSION_PATCH 0
/* "major.minor.patch". */
#define FSR_VERSION FSR_VERSION_TEXT(FSR_VERSION_MAJOR, FSR_VERSION_MINOR, FSR_VERSION_PATCH)
/* One number that later versions pass, for #if: major * 10000 + minor * 100 + patch. */
#define FSR_VERSION_NUMBER (FSR_VERSION_MAJOR * 10000 + FSR_VERSION_MINOR * 100 + FSR_VERSION_PATCH)

#define FSR_VERSION_TEXT(major, minor, patch) FSR_VERSION_PASTE(major, minor, patch)
#define FSR_VERSION_PASTE(major, minor, patch) #major "." #minor "." #patch

FSR_API_BEGIN

/* The same of the library that the program runs with: of a shared one not always that of the headers it was compiled
 * with. Of one minor version all patches have one ABI. Needs no context. */
const char *fsr_version(void);
int fsr_version_number(void);

FSR_API_END
#endif
