/* SPDX-License-Identifier: MIT */
/* What fsr_cuda_build is, for the files that build: fused kernels (build.c), callers' own (build_code.c). */
#ifndef FUSOR_BACKEND_CUDA_BUILD_STATE_H
#define FUSOR_BACKEND_CUDA_BUILD_STATE_H

#include "backend_cuda/build.h"
#include "runtime/disk_cache.h"
#include "runtime/text.h"

struct fsr_cuda_build {
    fsr_nvrtc *nvrtc;
    fsr_disk_cache *disk; /* NULL: none */
    char *dump_dir;       /* NULL: none */
    char *load_dir;
    int arch;
    int log_level;
    bool optimize;
};

/* Puts what was built on disk under a key; key->data NULL: not. */
void fsr_cuda_build_store(const fsr_cuda_build *b, const fsr_text *key, const void *data, size_t size);

#endif
