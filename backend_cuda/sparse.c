/* SPDX-License-Identifier: MIT */
/* The library call "sparse" on a GPU: cuSPARSE's products, by the algorithm that gives the same bits in every run, and
 * its equations, of which it first looks which rows wait for which. Offsets of a product need not begin at 0 and end at
 * the number of values, as the library wants them: elements in front of the first row and behind the last one are rows
 * more, whose sums nobody reads. Counter-example to zeros in their place: such a zero times an infinity of the vector.
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
    int64_t n, cols, sides;
    bool product;
    const void *one, *zero;     /* as the type has them */
    void *a, *from, *to, *what; /* descriptions: the matrix, right sides, results, the solving */
} job;

static void told(job *j, int status, const char *what) {
    if (status && !j->r.status)
        j->r.status = fsr_cusparse_fail(status, what, j->r.fault);
}

static void copy(job *j, void *to, const void *from, int64_t bytes, enum cudaMemcpyKind kind) {
    if (!j->r.status)
        fsr_rooms_cuda(&j->r, cudaMemcpyAsync(to, from, (size_t)bytes, kind, j->r.stream), "a copy");
}

/* The offsets between 0 and the number of values, so that a row comes before the first and one behind the last. */
static void *surrounded(job *j, const fsr_library_call *call, void *offsets) {
    const fsr_library_array *from = &call->array[FSR_SPARSE_OFFSETS];
    const int64_t each = (int64_t)fsr_dtype_size(from->dtype), bytes = from->shape.dim[0] * each;
    const int64_t count = call->array[FSR_SPARSE_COLUMNS].shape.dim[0];
    const int32_t short_count = (int32_t)count;
    char *made = fsr_rooms_take(&j->r, bytes + 2 * each);
    if (!j->r.status)
        fsr_rooms_cuda(&j->r, cudaMemsetAsync(made, 0, (size_t)each, j->r.stream), "a zero");
    if (!j->r.status) {
        copy(j, made + each, offsets, bytes, cudaMemcpyDeviceToDevice);
        copy(j, made + each + bytes, each == 8 ? (const void *)&count : (const void *)&short_count, each,
             cudaMemcpyHostToDevice);
    }
    return made;
}

static void describe_matrix(job *j, const fsr_library_call *call, void *offsets, void *const *array) {
    const int index = call->array[0].dtype == FSR_I64 ? FSR_CUSPARSE_I64 : FSR_CUSPARSE_I32;
    if (j->r.status)
        return;
    int value[FSR_SPARSE_WORDS];
    for (int i = 0; i < FSR_SPARSE_WORDS; i++)
        value[i] = (int)fsr_called_word(call->called, i);
    told(j,
         j->s->CreateCsr(&j->a, j->n, j->cols, call->array[1].shape.dim[0], offsets, array[1], array[2], index, index,
                         0, j->type),
         "cusparseCreateCsr");
    if (!j->r.status && !j->product)
        told(j, j->s->SpMatSetAttribute(j->a, FSR_CUSPARSE_TRIANGLE, &value[FSR_SPARSE_UPPER], sizeof(int)),
             "cusparseSpMatSetAttribute");
    if (!j->r.status && !j->product)
        told(j, j->s->SpMatSetAttribute(j->a, FSR_CUSPARSE_DIAGONAL, &value[FSR_SPARSE_UNIT], sizeof(int)),
             "cusparseSpMatSetAttribute");
}

/* Right sides and results: a vector each, or matrices with a column in each row. */
static void describe(job *j, void **out, int64_t n, void *values) {
    if (j->r.status)
        return;
    if (j->sides == 1)
        told(j, j->s->CreateDnVec(out, n, values, j->type), "cusparseCreateDnVec");
    else
        told(j, j->s->CreateDnMat(out, n, j->sides, n, values, j->type, FSR_CUSPARSE_BY_COLUMNS),
             "cusparseCreateDnMat");
}

static void multiply(job *j) {
    fsr_cusparse *s = j->s;
    size_t bytes = 0;
    told(j,
         s->SpMV_bufferSize(s->handle, FSR_CUSPARSE_PLAIN, j->one, j->a, j->from, j->zero, j->to, j->type,
                            FSR_CUSPARSE_REPRODUCIBLE, &bytes),
         "cusparseSpMV_bufferSize");
    void *room = fsr_rooms_take(&j->r, (int64_t)bytes);
    if (!j->r.status)
        told(j,
             s->SpMV(s->handle, FSR_CUSPARSE_PLAIN, j->one, j->a, j->from, j->zero, j->to, j->type,
                     FSR_CUSPARSE_REPRODUCIBLE, room),
             "cusparseSpMV");
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
    const float numbers32[2][2] = {{1, 0}, {0, 0}};
    const double numbers64[2][2] = {{1, 0}, {0, 0}};
    const bool product = fsr_called_word(call->called, FSR_SPARSE_PRODUCT);
    const fsr_library_array *x = &call->array[FSR_SPARSE_X], *out = &call->array[call->nin];
    const bool wide = x->dtype == FSR_F64 || x->dtype == FSR_C128;
    job j = {.r = {.c = c, .stream = stream, .call = "sparse", .fault = fault},
             .s = &c->cusparse,
             .type = types[x->dtype],
             .n = out->shape.dim[1 - product],
             .cols = x->shape.dim[1 - product],
             .sides = product ? 1 : out->shape.dim[0],
             .product = product,
             .one = wide ? (const void *)numbers64[0] : (const void *)numbers32[0],
             .zero = wide ? (const void *)numbers64[1] : (const void *)numbers32[1]};
    (void)work;
    j.r.status = fsr_cusparse_use(j.s, stream, fault);
    if (fsr_rooms_trim(c, j.r.status, fault))
        j.r.status = fsr_cusparse_use(j.s, stream, fault);
    const int64_t each = (int64_t)fsr_dtype_size(x->dtype), rows = j.n;
    char *to = array[call->nin];
    void *offsets = array[FSR_SPARSE_OFFSETS];
    if (product) {
        j.n += 2;
        offsets = surrounded(&j, call, offsets);
        to = fsr_rooms_take(&j.r, j.n * each);
    }
    describe_matrix(&j, call, offsets, array);
    describe(&j, &j.from, j.cols, array[FSR_SPARSE_X]);
    describe(&j, &j.to, j.n, to);
    if (!j.r.status)
        (product ? multiply : j.sides == 1 ? solve_one : solve_many)(&j);
    if (product && !j.r.status)
        copy(&j, array[call->nin], to + each, rows * each, cudaMemcpyDeviceToDevice);
    forget(&j);
    fsr_rooms_leave(&j.r);
    return j.r.status;
}
#endif
