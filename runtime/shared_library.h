/* SPDX-License-Identifier: MIT */
/* Libraries of others that are loaded when they are first wanted: NVRTC, nvJitLink, cuBLAS, cuFFT, cuSOLVER, cuRAND,
 * cuSPARSE, OpenBLAS.
 * A program starts without any of them. Whoever wants one names its files in order of preference and the functions
 * that it calls; a table of these, written as an X-macro, makes the fields that hold them and the list, so no function
 * is declared and not loaded. */
#ifndef FUSOR_RUNTIME_SHARED_LIBRARY_H
#define FUSOR_RUNTIME_SHARED_LIBRARY_H

#include "runtime/text.h"
#include <stdbool.h>

/* A function of a library, and the pointer that it goes to. */
typedef struct fsr_shared_function {
    const char *name;
    void *to; /* the address of a pointer to a function */
} fsr_shared_function;

/* Opens the first of the files that is there and has every function, and fills the pointers; a NULL ends either list.
 * It stays until the process ends: its threads may be at work, and loading it again would cost its start again. NULL:
 * there is none, and the pointers hold nothing to rely on. *fresh, if asked for, says that nobody had loaded it before;
 * *tried, if asked for, receives each name with what was wrong with it. */
void *fsr_shared_library_load(const char *const *file, const fsr_shared_function *function, bool *fresh,
                              fsr_text *tried);

/* Somebody has loaded one of the files, whichever functions it has. */
bool fsr_shared_library_loaded(const char *const *file);

/* Adds ", name, N bytes of DATE" of the file that a loaded function is from, which tells builds of one version apart;
 * nothing where the file cannot be asked: still right for one machine. */
void fsr_shared_library_identify(const void *function, fsr_text *out);

#endif
