/* SPDX-License-Identifier: MIT */
/* The library call "sparse" on a GPU: cuSPARSE's equations, of which it first looks which rows wait for which. Products
 * are kernels (primitives/segment_lanes.c), in which what computes columns and values fuses.
 *
 * The looking is part of every call: nobody knows that a matrix on the device is the one of the last run. What it says
 * of itself, descriptions of arrays, is on the host and goes when the work is on its stream. */
#ifdef FUSOR_HAVE_CUDA
#include "graph/sparse.h"
#include "backend_cuda/library.h"
#include "backend_cuda/rooms.h"
#include <library_types.h>

typedef struct job {
    fsr_rooms r;
    fsr_cusparse *s;
    int type;
    int64_t n, sides;
    const void *one;            /* as the type has it */
    void *a, *from, *to, *what; /* descriptions: the matrix, right sides, results, the solving */
} job;

static void told(job *j, int status, const char *what) {
    if (status && !j->r.status)
        j->r.status = fsr_cusparse_fail(status, what, j->r.fault);
}

static void describe_matrix(job *j, const fsr_library_call *call, void *offsets, void *const *array) {
    const int index = call->array[0].dtype == FSR_I64 ? FSR_CUSPARSE_I64 : FSR_CUSPARSE_I32;
    if (j->r.status)
        return;
    int value[FSR_SPARSE_WORDS];
    for (int i = 0; i < FSR_SPARSE_WORDS; i++)
        value[i] = (int)fsr_called_word(call->called, i);
    told(j,
         j->s->CreateCsr(&j->a, j->n, j->n, call->array[1].shape.dim[0], offsets, array[1], array[2], index, index, 0,
                         j->type),
         "cusparseCreateCsr");
    if (!j->r.status)
        told(j, j->s->SpMatSetAttribute(j->a, FSR_CUSPARSE_TRIANGLE, &value[FSR_SPARSE_UPPER], sizeof(int)),
             "cusparseSpMatSetAttribute");
    if (!j->r.status)
        told(j, j->s->SpMatSetAttribute(j->a, FSR_CUSPARSE_DIAGONAL, &value[FSR_SPARSE_UNIT], sizeof(int)),
             "cusparseSpMatSetAttribute");
}

/* Right sides and results: a vector each, or matrices with a column in each row. */
static void describe(job *j, void **out, void *values) {
    if (j->r.status)
        return;
    if (j->sides == 1)
        told(j, j->s->CreateDnVec(out, j->n, values, j->type), "cusparseCreateDnVec");
    else
        told(j, j->s->CreateDnMat(out, j->n, j->sides, j->n, values, j->type, FSR_CUSPARSE_BY_COLUMNS),
             "cusparseCreateDnMat");
}

static void solve_one(job *j) {
    fsr_cusparse *s = j->s;
    size_t bytes = 0;
    told(j, s->SpSV_createDescr(&j->what), "cusparseSpSV_createDescr");
    if (!j->r.status)
        told(j,
             s->SpSV_bufferSize(s->handle, FSR_CUSPARSE_PLAIN, j->one, j->a, j->from, j->to, j->type,
                                FSR_CUSPARSE_DEFAULT, j->what, &bytes),
             "cusparseSpSV_bufferSize");
    void *room = fsr_rooms_take(&j->r, (int64_t)bytes);
    if (!j->r.status)
        told(j,
             s->SpSV_analysis(s->handle, FSR_CUSPARSE_PLAIN, j->one, j->a, j->from, j->to, j->type,
                              FSR_CUSPARSE_DEFAULT, j->what, room),
             "cusparseSpSV_analysis");
    if (!j->r.status)
        told(j,
             s->SpSV_solve(s->handle, FSR_CUSPARSE_PLAIN, j->one, j->a, j->from, j->to, j->type, FSR_CUSPARSE_DEFAULT,
                           j->what),
             "cusparseSpSV_solve");
    if (j->what)
        s->SpSV_destroyDescr(j->what);
}

static void solve_many(job *j) {
    fsr_cusparse *s = j->s;
    size_t bytes = 0;
    told(j, s->SpSM_createDescr(&j->what), "cusparseSpSM_createDescr");
    if (!j->r.status)
        told(j,
             s->SpSM_bufferSize(s->handle, FSR_CUSPARSE_PLAIN, FSR_CUSPARSE_PLAIN, j->one, j->a, j->from, j->to,
                                j->type, FSR_CUSPARSE_DEFAULT, j->what, &bytes),
             "cusparseSpSM_bufferSize");
    void *room = fsr_rooms_take(&j->r, (int64_t)bytes);
    if (!j->r.status)
        told(j,
             s->SpSM_analysis(s->handle, FSR_CUSPARSE_PLAIN, FSR_CUSPARSE_PLAIN, j->one, j->a, j->from, j->to, j->type,
                              FSR_CUSPARSE_DEFAULT, j->what, room),
             "cusparseSpSM_analysis");
    if (!j->r.status)
        told(j,
             s->SpSM_solve(s->handle, FSR_CUSPARSE_PLAIN, FSR_CUSPARSE_PLAIN, j->one, j->a, j->from, j->to, j->type,
                           FSR_CUSPARSE_DEFAULT, j->what),
             "cusparseSpSM_solve");
    if (j->what)
        s->SpSM_destroyDescr(j->what);
}

static void forget(job *j) {
    void *const both[] = {j->from, j->to};
    for (int i = 0; i < 2; i++)
        if (both[i])
            (j->sides == 1 ? j->s->DestroyDnVec : j->s->DestroyDnMat)(both[i]);
    if (j->a)
        j->s->DestroySpMat(j->a);
}

fsr_status fsr_cuda_sparse(fsr_cuda *c, const fsr_library_call *call, void *const *array, void *work,
                           cudaStream_t stream, fsr_fault *fault) {
    static const int types[FSR_DTYPE_COUNT] = {
        [FSR_F32] = CUDA_R_32F, [FSR_F64] = CUDA_R_64F, [FSR_C64] = CUDA_C_32F, [FSR_C128] = CUDA_C_64F};
    const float one32[2] = {1, 0};
    const double one64[2] = {1, 0};
    const fsr_library_array *x = &call->array[FSR_SPARSE_X], *out = &call->array[call->nin];
    const bool wide = x->dtype == FSR_F64 || x->dtype == FSR_C128;
    job j = {.r = {.c = c, .stream = stream, .call = "sparse", .fault = fault},
             .s = &c->cusparse,
             .type = types[x->dtype],
             .n = out->shape.dim[1],
             .sides = out->shape.dim[0],
             .one = wide ? (const void *)one64 : (const void *)one32};
    (void)work;
    if (fsr_called_word(call->called, FSR_SPARSE_PRODUCT))
        return fsr_fault_set(fault, FSR_ERR_UNSUPPORTED, "library call sparse has no products on a GPU");
    j.r.status = fsr_cusparse_use(j.s, stream, fault);
    if (fsr_rooms_trim(c, j.r.status, fault))
        j.r.status = fsr_cusparse_use(j.s, stream, fault);
    describe_matrix(&j, call, array[FSR_SPARSE_OFFSETS], array);
    describe(&j, &j.from, array[FSR_SPARSE_X]);
    describe(&j, &j.to, array[call->nin]);
    if (!j.r.status)
        (j.sides == 1 ? solve_one : solve_many)(&j);
    forget(&j);
    fsr_rooms_leave(&j.r);
    return j.r.status;
}
#endif
