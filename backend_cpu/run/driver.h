/* SPDX-License-Identifier: MIT */
/* The C compilers that were found. */
#ifndef FUSOR_BACKEND_CPU_DRIVER_H
#define FUSOR_BACKEND_CPU_DRIVER_H

#include "runtime/disk_cache.h"
#include "runtime/fault.h"
#include <stdbool.h>

typedef struct fsr_c_driver {
    struct fsr_c_driver *next;
    char *program;
    char *version; /* what it says of itself */
} fsr_c_driver;

/* Zeroed: none was found yet. The caller locks. */
typedef struct fsr_c_drivers {
    char *asked;                 /* the only one that will do, owned; NULL: cc, gcc, clang */
    const fsr_c_driver *current; /* NULL: to be looked for */
    fsr_c_driver *all;           /* whatever was current once: jobs may still use it */
} fsr_c_drivers;

/* Looks for the current one where there is none: the first that says its version within `seconds` (0: any time). What
 * it said may be known from the cache (NULL: none). FSR_ERR_NO_COMPILER with what was tried, FSR_ERR_MEMORY. */
fsr_status fsr_c_drivers_search(fsr_c_drivers *drivers, fsr_disk_cache *cache, int seconds, fsr_fault *fault);
void fsr_c_drivers_clear(fsr_c_drivers *drivers);

bool fsr_c_driver_is_clang(const fsr_c_driver *driver);

#endif
