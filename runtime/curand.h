/* SPDX-License-Identifier: MIT */
/* cuRAND by its host interface, loaded when a thunk first wants it. The library has each generator twice, for a GPU and
 * for the host, and needs no GPU for the latter; both give the same sequences. Whoever has loaded it keeps the
 * pointers. */
#ifndef FUSOR_RUNTIME_CURAND_H
#define FUSOR_RUNTIME_CURAND_H

#include "graph/sequence.h"
#include "runtime/fault.h"

/* FSR_CURAND_LIST(X): name without "curand", parameters. */
#define FSR_CURAND_LIST(X)                                                                  \
    X(CreateGenerator, (void **generator, int type))                                        \
    X(CreateGeneratorHost, (void **generator, int type))                                    \
    X(DestroyGenerator, (void *generator))                                                  \
    X(SetStream, (void *generator, void *stream))                                           \
    X(SetGeneratorOrdering, (void *generator, int ordering))                                \
    X(SetPseudoRandomGeneratorSeed, (void *generator, unsigned long long seed))             \
    X(SetQuasiRandomGeneratorDimensions, (void *generator, unsigned dimensions))            \
    X(SetGeneratorOffset, (void *generator, unsigned long long offset))                     \
    X(Generate, (void *generator, unsigned *out, size_t n))                                 \
    X(GenerateLongLong, (void *generator, unsigned long long *out, size_t n))               \
    X(GenerateUniform, (void *generator, float *out, size_t n))                             \
    X(GenerateUniformDouble, (void *generator, double *out, size_t n))                      \
    X(GenerateNormal, (void *generator, float *out, size_t n, float mean, float deviation)) \
    X(GenerateNormalDouble, (void *generator, double *out, size_t n, double mean, double deviation))

typedef struct fsr_curand {
    void *library; /* NULL: not loaded */
    bool host;     /* its generators are the host's */
#define FSR_CURAND_FIELD(name, parameters) int(*name) parameters;
    FSR_CURAND_LIST(FSR_CURAND_FIELD)
#undef FSR_CURAND_FIELD
} fsr_curand;

/* Loads it unless it is. FSR_ERR_UNSUPPORTED: it is not there. */
fsr_status fsr_curand_load(fsr_curand *c, fsr_fault *fault);
/* A generator of that kind, on the device that is current. */
fsr_status fsr_curand_create(const fsr_curand *c, fsr_generator kind, void **generator, fsr_fault *fault);
/* n elements of dtype, as the words of a call say, by a generator of its kind; on a device behind its stream. */
fsr_status fsr_curand_fill(const fsr_curand *c, void *generator, const fsr_called *called, fsr_dtype dtype, int64_t n,
                           void *out, fsr_fault *fault);
/* The same on the host, by the calling thread. */
fsr_status fsr_curand_on_host(const fsr_called *called, fsr_dtype dtype, int64_t n, void *out, fsr_fault *fault);
/* What a function gave: FSR_OK, or its status and words. */
fsr_status fsr_curand_told(const fsr_curand *c, int status, const char *what, fsr_fault *fault);

#endif
