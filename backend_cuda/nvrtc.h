/* SPDX-License-Identifier: MIT */
/* NVRTC, NVIDIA's run-time compiler, loaded with dlopen: a machine without it still starts the program.
 *
 * No CUDA header is needed: the functions used are declared by the loader table in nvrtc.c.
 * Threads: an fsr_nvrtc may be used by several threads at once. */
#ifndef FUSOR_BACKEND_CUDA_NVRTC_H
#define FUSOR_BACKEND_CUDA_NVRTC_H

#include "runtime/fault.h"
#include <stdbool.h>
#include <stddef.h>

typedef struct fsr_nvrtc fsr_nvrtc;

/* What a compilation gives. log is the compiler's whole log, malloc'ed, "" if it said nothing; also on an error.
 * cubin is malloc'ed, NULL on an error. The caller frees both. */
typedef struct fsr_nvrtc_result {
    void *cubin;
    size_t size;
    char *log;
    char *lowered; /* malloc'ed: the name that the cubin knows the named kernel by; NULL: none was named */
} fsr_nvrtc_result;

/* Finds and loads the library. FSR_ERR_NO_BACKEND: it is not there; the fault names every name that was tried. */
fsr_status fsr_nvrtc_open(fsr_nvrtc **out, fsr_fault *fault);
/* The library itself stays loaded until the process ends. NULL is allowed. */
void fsr_nvrtc_close(fsr_nvrtc *n);

/* 13000 for NVRTC 13.0. */
int fsr_nvrtc_version(const fsr_nvrtc *n);
/* Version and build, as a part of cache keys: "NVRTC 13.0, libnvrtc.so.13, ...". */
const char *fsr_nvrtc_identity(const fsr_nvrtc *n);
/* The architecture to compile for so that a device of compute capability `device` (90 for 9.0) can run it: the device's
 * own, or else the nearest older one of the same major number; 0 if this NVRTC knows none. */
int fsr_nvrtc_arch(const fsr_nvrtc *n, int device);

/* The first compilation of a process reads the compiler's tables: 5 ms, and up to 100 ms from a cold disk. This does
 * it with an empty source, unless the library was loaded before fsr_nvrtc_open. */
void fsr_nvrtc_warm(fsr_nvrtc *n, int arch);

/* Compiles. name is what the log calls the source. FSR_ERR_COMPILE: rejected; the fault has NVRTC's name for the error,
 * out->log the rest. FSR_ERR_MEMORY. */
fsr_status fsr_nvrtc_compile(fsr_nvrtc *n, const char *name, const char *source, const char *const *option,
                             int noptions, fsr_nvrtc_result *out, fsr_fault *fault);
/* The same with the option -dlto: out->cubin is LTO-IR, which nvJitLink makes a binary of (jitlink.h). */
fsr_status fsr_nvrtc_compile_lto(fsr_nvrtc *n, const char *name, const char *source, const char *const *option,
                                 int noptions, fsr_nvrtc_result *out, fsr_fault *fault);
/* The same of a source one of whose kernels is named by an expression of C++, a template's instance among them: it is
 * in the cubin, under out->lowered. */
fsr_status fsr_nvrtc_compile_named(fsr_nvrtc *n, const char *name, const char *source, const char *const *option,
                                   int noptions, const char *kernel, fsr_nvrtc_result *out, fsr_fault *fault);
void fsr_nvrtc_result_free(fsr_nvrtc_result *result);

#endif
