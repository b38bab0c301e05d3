/* SPDX-License-Identifier: MIT */
/* cuSPARSE, loaded when a plan first has a sparse matrix. Its functions are declared here, as cuBLAS' are. */
#ifndef FUSOR_BACKEND_CUDA_CUSPARSE_H
#define FUSOR_BACKEND_CUDA_CUSPARSE_H

#include "runtime/fault.h"
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers of cuSPARSE. */
enum {
    FSR_CUSPARSE_PLAIN = 0,
    FSR_CUSPARSE_I32 = 2,
    FSR_CUSPARSE_I64 = 3,
    FSR_CUSPARSE_BY_COLUMNS = 1,
    FSR_CUSPARSE_TRIANGLE = 0, /* attributes of a matrix, each 0 or 1: the upper one */
    FSR_CUSPARSE_DIAGONAL = 1, /* it is 1 */
    FSR_CUSPARSE_DEFAULT = 0
};

/* FSR_CUSPARSE_LIST(X): name without "cusparse", parameters. All return a status. SpSV is of one right side, SpSM of
 * several; in a solve the buffer is the one that the analysis was given. */
#define FSR_CUSPARSE_LIST(X)                                                                                           \
    X(Create, (void **handle))                                                                                         \
    X(Destroy, (void *handle))                                                                                         \
    X(SetStream, (void *handle, cudaStream_t stream))                                                                  \
    X(CreateCsr, (void **matrix, int64_t rows, int64_t cols, int64_t count, void *offsets, void *columns,              \
                  void *values, int offset_type, int column_type, int base, int type))                                 \
    X(DestroySpMat, (void *matrix))                                                                                    \
    X(SpMatSetAttribute, (void *matrix, int which, void *value, size_t bytes))                                         \
    X(CreateDnVec, (void **vector, int64_t n, void *values, int type))                                                 \
    X(DestroyDnVec, (void *vector))                                                                                    \
    X(CreateDnMat, (void **matrix, int64_t rows, int64_t cols, int64_t lead, void *values, int type, int order))       \
    X(DestroyDnMat, (void *matrix))                                                                                    \
    X(SpSV_createDescr, (void **descr))                                                                                \
    X(SpSV_destroyDescr, (void *descr))                                                                                \
    X(SpSV_bufferSize, (void *handle, int form, const void *alpha, void *a, void *x, void *y, int type, int algorithm, \
                        void *descr, size_t *bytes))                                                                   \
    X(SpSV_analysis, (void *handle, int form, const void *alpha, void *a, void *x, void *y, int type, int algorithm,   \
                      void *descr, void *buffer))                                                                      \
    X(SpSV_solve,                                                                                                      \
      (void *handle, int form, const void *alpha, void *a, void *x, void *y, int type, int algorithm, void *descr))    \
    X(SpSM_createDescr, (void **descr))                                                                                \
    X(SpSM_destroyDescr, (void *descr))                                                                                \
    X(SpSM_bufferSize, (void *handle, int form, int side_form, const void *alpha, void *a, void *b, void *c, int type, \
                        int algorithm, void *descr, size_t *bytes))                                                    \
    X(SpSM_analysis, (void *handle, int form, int side_form, const void *alpha, void *a, void *b, void *c, int type,   \
                      int algorithm, void *descr, void *buffer))                                                       \
    X(SpSM_solve, (void *handle, int form, int side_form, const void *alpha, void *a, void *b, void *c, int type,      \
                   int algorithm, void *descr))

typedef struct fsr_cusparse {
    pthread_mutex_t lock; /* of looking for it */
    bool tried;
    void *library; /* NULL: there is none */
    void *handle;
#define FSR_CUSPARSE_FIELD(name, parameters) int(*name) parameters;
    FSR_CUSPARSE_LIST(FSR_CUSPARSE_FIELD)
#undef FSR_CUSPARSE_FIELD
} fsr_cusparse;

void fsr_cusparse_open(fsr_cusparse *s);
/* Gives the handle back. The device is current. */
void fsr_cusparse_close(fsr_cusparse *s);
/* Loads it, makes the handle, once it works, and puts it on the stream. The caller is alone. */
fsr_status fsr_cusparse_use(fsr_cusparse *s, cudaStream_t stream, fsr_fault *fault);
/* What a status says. */
fsr_status fsr_cusparse_fail(int status, const char *what, fsr_fault *fault);

#endif
