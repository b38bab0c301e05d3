/* SPDX-License-Identifier: MIT */
/* cuFFT, loaded when a plan first transforms; plans of its own, by length and number of rows, kept while they are
 * few and small. */
#ifndef FUSOR_BACKEND_CUDA_CUFFT_H
#define FUSOR_BACKEND_CUDA_CUFFT_H

#include "runtime/fault.h"
#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers of cuFFT. */
enum {
    FSR_CUFFT_R2C = 0x2a,
    FSR_CUFFT_C2R = 0x2c,
    FSR_CUFFT_C2C = 0x29,
    FSR_CUFFT_D2Z = 0x6a,
    FSR_CUFFT_Z2D = 0x6c,
    FSR_CUFFT_Z2Z = 0x69,
    FSR_CUFFT_FORWARD = -1,
    FSR_CUFFT_INVERSE = 1,
    FSR_CUFFT_NO_MEMORY = 2,
    FSR_CUFFT_PLANS = 32
};

/* Bytes of memory that plans keep between transforms, all of them together; one that needs more is kept alone. */
#define FSR_CUFFT_BYTES ((size_t)256 << 20)

/* FSR_CUFFT_LIST(X): name without "cufft", parameters. */
#define FSR_CUFFT_LIST(X)                                                                                            \
    X(Create, (int *plan))                                                                                           \
    X(Destroy, (int plan))                                                                                           \
    X(MakePlanMany64,                                                                                                \
      (int plan, int rank, long long *n, long long *inembed, long long istride, long long idist, long long *onembed, \
       long long ostride, long long odist, int type, long long batch, size_t *work))                                 \
    X(SetStream, (int plan, cudaStream_t stream))                                                                    \
    X(ExecC2C, (int plan, void *in, void *out, int direction))                                                       \
    X(ExecZ2Z, (int plan, void *in, void *out, int direction))                                                       \
    X(ExecR2C, (int plan, void *in, void *out))                                                                      \
    X(ExecD2Z, (int plan, void *in, void *out))                                                                      \
    X(ExecC2R, (int plan, void *in, void *out))                                                                      \
    X(ExecZ2D, (int plan, void *in, void *out))

typedef struct fsr_cufft_plan {
    int64_t n, rows;
    int64_t number; /* no other plan of the process's life has it */
    int type, handle;
    size_t bytes; /* of its workspace on the device */
} fsr_cufft_plan;

typedef struct fsr_cufft {
    bool tried;
    void *library;
    int nplans;
    size_t bytes;                         /* of all plans */
    int64_t made;                         /* plans that ever were: the last one's number */
    fsr_cufft_plan plan[FSR_CUFFT_PLANS]; /* used last, last */
#define FSR_CUFFT_FIELD(name, parameters) int(*name) parameters;
    FSR_CUFFT_LIST(FSR_CUFFT_FIELD)
#undef FSR_CUFFT_FIELD
} fsr_cufft;

/* Plans that something was recorded of, by their numbers. */
typedef struct fsr_cufft_recorded {
    int n;
    int64_t number[FSR_CUFFT_PLANS];
} fsr_cufft_recorded;

/* Destroys every plan. */
void fsr_cufft_close(fsr_cufft *f);
/* Adds the plan that was used last, unless it is there. */
void fsr_cufft_note(const fsr_cufft *f, fsr_cufft_recorded *r);
/* All of them are there still. */
bool fsr_cufft_stands(const fsr_cufft *f, const fsr_cufft_recorded *r);
/* They were used now. */
void fsr_cufft_touch(fsr_cufft *f, const fsr_cufft_recorded *r);
/* The plan for rows of n, on the stream; recorded: one that is there, as a stream that is recorded can have no new one
 * made. The caller is alone. */
fsr_status fsr_cufft_use(fsr_cufft *f, int type, int64_t n, int64_t rows, cudaStream_t stream, bool recorded,
                         int *handle, fsr_fault *fault);
fsr_status fsr_cufft_fail(int status, const char *what, fsr_fault *fault);

#endif
