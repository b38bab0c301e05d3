/* SPDX-License-Identifier: MIT */
/* What the files of the CUDA that is none share. */
#ifndef FUSOR_TESTS_TRUST_FAKE_PARTS_H
#define FUSOR_TESTS_TRUST_FAKE_PARTS_H

#include "tests/trust/fake_cuda.h"
#include <cuda_runtime_api.h>
#include <stddef.h>

enum { FAKE_PARAMETERS = 256 };

/* A step of a graph: a kernel, a library's call with its arguments as the parameters' bytes, a copy, or where all are
 * NULL a clear. */
typedef struct fake_node {
    void (*call)(const void *arguments);
    const void *kernel;
    int blocks, threads;
    unsigned char parameter[FAKE_PARAMETERS][16];
    void *dst;
    const void *src;
    int value;
    size_t bytes;
} fake_node;

/* Remembers an error for cudaGetLastError, and gives it. */
cudaError_t fake_tell(cudaError_t error);
/* The error that a call gives instead of being done; cudaSuccess: it goes on. */
cudaError_t fake_trouble(const char *name);
/* What destroys does its work and then tells of trouble. */
cudaError_t fake_ended(const char *name, void *object);
/* Zeroed, and counted. */
void *fake_object(size_t bytes);
/* Copies and clears, which written.h is told of. */
void fake_copy(void *dst, const void *src, size_t bytes);
void fake_fill(void *dst, int value, size_t bytes);
void fake_run(const void *kernel, int grid, int threads, void **args);

#define BEGIN                                                \
    do {                                                     \
        const cudaError_t trouble_ = fake_trouble(__func__); \
        if (trouble_ != cudaSuccess)                         \
            return trouble_;                                 \
    } while (0)

/* fake_streams.c: false: the stream is not captured, so the step is to be done. */
bool fake_is_captured(cudaStream_t stream);
bool fake_record(cudaStream_t stream, fake_node node);
/* The calling thread has begun a capture, and asks for what may not be asked for then: it is invalid now. */
bool fake_forbidden(void);

#endif
