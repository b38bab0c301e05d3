/* SPDX-License-Identifier: MIT */
/* The library call "matmul_epilogue" on a GPU: cuBLASLt's, whose matrices stand column after column, as cuBLAS' do: the
 * row-major c = a b is c' = b' a', of the same memory, and its bias one of the rows of c'.
 *
 * No algorithm may divide the folded dimension among blocks: there is no workspace, and no reduction scheme. So an
 * element is one sum in f32, times the scale, plus the bias. How the matrices are aligned is told: by itself the
 * library takes them to be at multiples of 256 bytes, which a part of a matrix is not. A bias that is not aligned is
 * copied. What describes a product is a few words each, and made for each call; which algorithm was chosen is kept. */
#ifdef FUSOR_HAVE_CUDA
#include "backend_cuda/library.h"
#include "graph/matmul.h"
#include <library_types.h>
#include <string.h>

typedef struct job {
    fsr_cublaslt *t;
    fsr_fault *fault;
    fsr_status status;                  /* the first that failed */
    void *product, *preference, *is[3]; /* the first matrix, the second, the result */
    const char *at[3];
} job;

/* True as long as all is well. */
static bool good(job *j, int gave, const char *what) {
    if (gave && !j->status)
        j->status = fsr_cublaslt_fail(gave, what, j->fault);
    return !gave && !j->status;
}

static bool attribute(job *j, int which, const void *value, size_t bytes) {
    return good(j, j->t->MatmulDescSetAttribute(j->product, which, value, bytes), "cublasLtMatmulDescSetAttribute");
}

static bool prefer(job *j, int which, uint32_t value) {
    return good(j, j->t->MatmulPreferenceSetAttribute(j->preference, which, &value, sizeof value),
                "cublasLtMatmulPreferenceSetAttribute");
}

static bool layout(job *j, int which, int type, int64_t rows, int64_t cols, int64_t lead) {
    return good(j, j->t->MatrixLayoutCreate(&j->is[which], type, (uint64_t)rows, (uint64_t)cols, lead),
                "cublasLtMatrixLayoutCreate");
}

static uint32_t alignment(const void *data) {
    uint32_t bytes = FSR_CUBLASLT_MOST_ALIGNED;
    while ((uintptr_t)data % bytes)
        bytes /= 2;
    return bytes;
}

/* What is to be computed of which matrices. */
static bool describe(job *j, const fsr_matmul *m, int type, const void *bias) {
    const int forms[2] = {m->b_flipped != 0, m->a_flipped != 0};
    const uint32_t epilogue = FSR_CUBLASLT_WITH_BIAS;
    return good(j, j->t->MatmulDescCreate(&j->product, FSR_CUBLAS_COMPUTE_32F, CUDA_R_32F),
                "cublasLtMatmulDescCreate") &&
           attribute(j, FSR_CUBLASLT_TRANSA, &forms[0], sizeof forms[0]) &&
           attribute(j, FSR_CUBLASLT_TRANSB, &forms[1], sizeof forms[1]) &&
           (!bias || (attribute(j, FSR_CUBLASLT_EPILOGUE, &epilogue, sizeof epilogue) &&
                      attribute(j, FSR_CUBLASLT_BIAS_POINTER, &bias, sizeof bias))) &&
           layout(j, 0, type, forms[0] ? m->k : m->n, forms[0] ? m->n : m->k, m->b_lead) &&
           layout(j, 1, type, forms[1] ? m->m : m->k, forms[1] ? m->k : m->m, m->a_lead) &&
           layout(j, 2, CUDA_R_32F, m->n, m->m, m->c_lead);
}

/* The library's choice for a product that is new. */
static bool ask(job *j, fsr_cublaslt_choice *choice) {
    int found = 0;
    bool well = good(j, j->t->MatmulPreferenceCreate(&j->preference), "cublasLtMatmulPreferenceCreate") &&
                prefer(j, FSR_CUBLASLT_REDUCTION_SCHEMES, 0);
    for (int i = 0; i < 4; i++)
        well = well && prefer(j, FSR_CUBLASLT_ALIGNMENT_A + i, alignment(j->at[i < 2 ? i : 2]));
    return well &&
           good(j,
                j->t->MatmulAlgoGetHeuristic(j->t->handle, j->product, j->is[0], j->is[1], j->is[2], j->is[2],
                                             j->preference, 1, choice, &found),
                "cublasLtMatmulAlgoGetHeuristic") &&
           good(j, found < 1 ? 15 : choice->status, "cublasLtMatmulAlgoGetHeuristic");
}

/* NULL: something failed. */
static const uint64_t *algorithm(job *j, const fsr_matmul *m, int type, bool biased) {
    fsr_cublaslt *t = j->t;
    const int64_t key[FSR_CUBLASLT_KEY] = {
        m->k,
        m->m,
        m->n,
        m->a_lead,
        m->b_lead,
        type << 3 | biased << 2 | (m->a_flipped != 0) << 1 | (m->b_flipped != 0),
        (int64_t)(alignment(j->at[0]) << 20 | alignment(j->at[1]) << 10 | alignment(j->at[2]))};
    for (int i = 0; i < FSR_CUBLASLT_KEPT; i++)
        if (memcmp(t->known[i].key, key, sizeof key) == 0)
            return t->known[i].algorithm;
    fsr_cublaslt_choice choice = {.status = 0};
    if (!ask(j, &choice))
        return NULL;
    fsr_cublaslt_known *to = &t->known[t->next++ % FSR_CUBLASLT_KEPT];
    memcpy(to->key, key, sizeof key);
    memcpy(to->algorithm, choice.algorithm, sizeof to->algorithm);
    return to->algorithm;
}

static void forget(job *j) {
    for (int i = 0; i < 3; i++)
        if (j->is[i])
            j->t->MatrixLayoutDestroy(j->is[i]);
    if (j->preference)
        j->t->MatmulPreferenceDestroy(j->preference);
    if (j->product)
        j->t->MatmulDescDestroy(j->product);
}

/* Where the bias stands, aligned. */
static fsr_status align(fsr_cuda *c, const char **bias, int64_t n, void *work, cudaStream_t stream, fsr_fault *fault) {
    if ((uintptr_t)*bias % FSR_CUBLASLT_BIAS_ALIGNED == 0)
        return FSR_OK;
    const cudaError_t error = cudaMemcpyAsync(work, *bias, (size_t)n * sizeof(float), cudaMemcpyDeviceToDevice, stream);
    *bias = work;
    return error == cudaSuccess ? FSR_OK : fsr_cuda_fail(c, error, fault, "library call matmul_epilogue: its bias");
}

fsr_status fsr_cuda_matmul_epilogue(fsr_cuda *c, const fsr_library_call *call, void *const *array, void *work,
                                    cudaStream_t stream, fsr_fault *fault) {
    static const int type_of[FSR_DTYPE_COUNT] = {
        [FSR_F16] = CUDA_R_16F, [FSR_BF16] = CUDA_R_16BF, [FSR_F32] = CUDA_R_32F};
    const fsr_epilogue *e = fsr_epilogue_of(call->called);
    const fsr_matmul *m = &e->product;
    const int64_t size = (int64_t)fsr_dtype_size(call->array[0].dtype);
    const float scale = fsr_epilogue_scale(e), zero = 0;
    const char *bias = call->nin > 2 ? (const char *)array[2] + e->bias_offset * (int64_t)sizeof(float) : NULL;
    char *out = array[call->nin];
    const uint64_t *chosen = NULL;
    job j = {.t = &c->cublaslt,
             .fault = fault,
             .at = {(const char *)array[1] + m->b_offset * size, (const char *)array[0] + m->a_offset * size, out}};
    j.status = fsr_cublaslt_use(j.t, fault);
    if (!j.status && bias)
        j.status = align(c, &bias, m->n, work, stream, fault);
    const int type = type_of[call->array[0].dtype];
    if (!j.status && describe(&j, m, type, bias))
        chosen = algorithm(&j, m, type, bias != NULL);
    if (chosen)
        good(&j,
             j.t->Matmul(j.t->handle, j.product, &scale, j.at[0], j.is[0], j.at[1], j.is[1], &zero, out, j.is[2], out,
                         j.is[2], chosen, NULL, 0, stream),
             "cublasLtMatmul");
    forget(&j);
    return j.status;
}
#endif
