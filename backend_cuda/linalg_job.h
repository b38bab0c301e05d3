/* SPDX-License-Identifier: MIT */
/* A library call "linalg" on its way: its arrays and what it needs besides. */
#ifndef FUSOR_BACKEND_CUDA_LINALG_JOB_H
#define FUSOR_BACKEND_CUDA_LINALG_JOB_H

#include "backend_cuda/library.h"
#include "backend_cuda/rooms.h"
#include "graph/linalg.h"

typedef struct fsr_linalg_job {
    fsr_rooms r;
    fsr_cusolver *s;
    fsr_linalg l;
    int type, parts_type, letter; /* cudaDataType of elements and of their parts */
    int64_t element, part;
    const char *a, *b;
    char *out[FSR_LINALG_RESULTS]; /* NULL: nobody reads it */
    int *info;                     /* of each matrix */
    int *other;                    /* of calls that cannot fail */
    void *host;                    /* workspace of the host */
    size_t device_bytes, host_bytes;
    void *device;
} fsr_linalg_job;

/* ---- memory, copies and statuses, linalg_job.c: nothing is done once one has failed ---- */

void fsr_job_cuda(fsr_linalg_job *j, cudaError_t error, const char *what);
void *fsr_job_room(fsr_linalg_job *j, int64_t bytes);
void fsr_job_told(fsr_linalg_job *j, int status, const char *what);
void fsr_job_blas(fsr_linalg_job *j, int status, const char *what);
void fsr_job_copy(fsr_linalg_job *j, void *to, const void *from, int64_t bytes);
/* So many pieces, at steps of `to_step` and `from_step` bytes. */
void fsr_job_pieces(fsr_linalg_job *j, void *to, int64_t to_step, const void *from, int64_t from_step, int64_t bytes,
                    int64_t count);
/* What cuSOLVER asked for. Of the host it is needed until the stream is done. */
void fsr_job_workspace(fsr_linalg_job *j);
/* Device addresses of `count` matrices from `first` on. */
void *fsr_job_addresses(fsr_linalg_job *j, char *first, int64_t step);
/* All matrices, to be overwritten. */
char *fsr_job_copies(fsr_linalg_job *j);
/* Result i, or room in its place. */
char *fsr_job_result(fsr_linalg_job *j, int i, int64_t element);
bool fsr_job_many(const fsr_linalg_job *j);

/* ---- linalg_solve.c: solve, and lu ---- */
void fsr_linalg_eliminate(fsr_linalg_job *j);

#endif
