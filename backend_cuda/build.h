/* SPDX-License-Identifier: MIT */
/* From a kernel to a binary: source (emitted, or hand-edited), disk cache, NVRTC, dumps. Needs no device and no CUDA
 * header, so all of it is tested where there is no GPU.
 *
 * Threads: calls may run at once; nothing here is changed after open but counters. */
#ifndef FUSOR_BACKEND_CUDA_BUILD_H
#define FUSOR_BACKEND_CUDA_BUILD_H

#include "backend_cuda/nvrtc.h"
#include "fusion/loop_ir.h"
#include "fusor/context.h"
#include "fusor/library.h"

typedef struct fsr_cuda_build fsr_cuda_build;

/* A kernel's source. path: the hand-edited file that it was read from, NULL if it was emitted. */
typedef struct fsr_cuda_source {
    char *text;
    size_t size;
    char *path;
} fsr_cuda_source;

typedef struct fsr_cuda_binary {
    void *data; /* malloc'ed cubin */
    size_t size;
    bool from_disk;
    double ms; /* of the compiler; 0 from disk */
} fsr_cuda_binary;

/* config and its strings are copied; nvrtc is borrowed until close. arch: 90 for sm_90. A disk cache that cannot be
 * used is a warning on stderr (config->log_level), not an error. */
fsr_status fsr_cuda_build_open(const fsr_config *config, fsr_nvrtc *nvrtc, int arch, fsr_cuda_build **out,
                               fsr_fault *fault);
void fsr_cuda_build_close(fsr_cuda_build *b);
void fsr_cuda_build_leave(fsr_cuda_build *build); /* instead, in a child of fork */

/* The source as emitted, malloc'ed. */
fsr_status fsr_cuda_build_emit(const fsr_kernel *k, char **source, fsr_fault *fault);
/* The emitted source, or load_dir/<name>.cu if there is such a file. On an error nothing needs freeing. */
fsr_status fsr_cuda_build_source(const fsr_cuda_build *b, const fsr_kernel *k, fsr_cuda_source *out, fsr_fault *fault);
void fsr_cuda_source_free(fsr_cuda_source *source);

/* The binary: from disk unless `fresh`, else compiled and put on disk. dump_dir receives <name>.cu. FSR_ERR_COMPILE:
 * the fault has the path of the source and the compiler's whole log. */
fsr_status fsr_cuda_build_run(fsr_cuda_build *b, const fsr_kernel *k, const fsr_cuda_source *source, bool fresh,
                              fsr_cuda_binary *out, fsr_fault *fault);

/* A caller's kernel (fusor/library.h) as what a device loads: its binary or PTX, or what NVRTC makes of its text, from
 * disk if it is there and not `fresh`. *name, malloc'ed: the kernel's name in it. FSR_ERR_COMPILE: the fault has the
 * compiler's whole log. */
fsr_status fsr_cuda_build_code(fsr_cuda_build *b, const fsr_kernel_code *code, bool fresh, fsr_cuda_binary *out,
                               char **name, fsr_fault *fault);

#endif
