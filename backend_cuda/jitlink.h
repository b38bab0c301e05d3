/* SPDX-License-Identifier: MIT */
/* nvJitLink, NVIDIA's linker of device code, loaded when a kernel is first linked: with what callers' functions
 * (fusor/native.h) bring as PTX, as relocatable objects or as LTO-IR. No CUDA header is needed, nor a device.
 *
 * Threads: any; a link has a handle of its own. */
#ifndef FUSOR_BACKEND_CUDA_JITLINK_H
#define FUSOR_BACKEND_CUDA_JITLINK_H

#include "fusion/loop_ir.h"
#include "runtime/fault.h"
#include <stddef.h>
#include <stdint.h>

/* Name behind "nvJitLink", parameters. */
#define FSR_JITLINK_LIST(X)                                                             \
    X(Version, (unsigned *major, unsigned *minor))                                      \
    X(Create, (void **link, uint32_t noptions, const char **option))                    \
    X(AddData, (void *link, int form, const void *data, size_t size, const char *name)) \
    X(Complete, (void *link))                                                           \
    X(GetLinkedCubinSize, (void *link, size_t *size))                                   \
    X(GetLinkedCubin, (void *link, void *cubin))                                        \
    X(GetErrorLogSize, (void *link, size_t *size))                                      \
    X(GetErrorLog, (void *link, char *log))                                             \
    X(Destroy, (void **link))

typedef struct fsr_jitlink {
#define FSR_JITLINK_FIELD(name, parameters) int(*name) parameters;
    FSR_JITLINK_LIST(FSR_JITLINK_FIELD)
#undef FSR_JITLINK_FIELD
    char identity[160]; /* version and build, as a part of cache keys */
} fsr_jitlink;

/* A compiled kernel that is not linked yet. */
typedef struct fsr_jitlink_job {
    const fsr_kernel *k; /* with its routines, whose code is linked with it */
    int arch;
    const void *object; /* relocatable, or LTO-IR */
    size_t size;
} fsr_jitlink_job;

/* Whether a kernel has to be linked, and whether it is to be compiled to LTO-IR for that. */
bool fsr_kernel_is_linked(const fsr_kernel *k);
bool fsr_kernel_links_lto(const fsr_kernel *k);

/* Finds the library of the major version of NVRTC, `version` 13000 for 13.0: it reads what that compiler writes.
 * FSR_ERR_UNSUPPORTED: it is not there; the fault names k's function and every name that was tried. */
fsr_status fsr_jitlink_load(fsr_jitlink *j, const fsr_kernel *k, int version, fsr_fault *fault);
/* *cubin, malloc'ed, of *size bytes. FSR_ERR_COMPILE: rejected, with the linker's whole log; FSR_ERR_MEMORY. */
fsr_status fsr_jitlink_run(const fsr_jitlink *j, const fsr_jitlink_job *job, void **cubin, size_t *size,
                           fsr_fault *fault);

#endif
