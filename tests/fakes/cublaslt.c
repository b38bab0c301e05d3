/* SPDX-License-Identifier: MIT */
/* A libcublasLt.so.13 for tests over a driver that is none (tests/trust/fake_cuda.h): products by their definition on
 * the host's memory, column after column, with a scale and a bias. It refuses what the library refuses, a bias that is
 * not aligned, and an algorithm for matrices that are less aligned than was said. The environment's FAKE_CUBLASLT_FAIL
 * names a function that fails, FAKE_CUBLASLT_OBJECTS counts what was made and is not destroyed yet,
 * FAKE_CUBLASLT_BIASES the products with a bias, FAKE_CUBLASLT_ASKED choices of an algorithm. A product on a stream
 * that is captured is kept for its graph (FAKE_RECORD is the address of who keeps it). */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { R_32F = 0, R_16F = 2, INVALID = 7, UNSUPPORTED = 15, WITH_BIAS = 4, COMPUTE_32F = 68 };

typedef struct fake_product {
    int form[2];
    uint32_t epilogue;
    const float *bias;
} fake_product;

typedef struct fake_matrix {
    int type;
    uint64_t rows, cols;
    int64_t lead;
} fake_matrix;

typedef struct fake_preference {
    uint32_t schemes, aligned[4];
} fake_preference;

typedef struct fake_choice {
    uint64_t algorithm[8];
    size_t workspace;
    int status;
    float waves;
    int reserved[4];
} fake_choice;

typedef struct job {
    fake_product product;
    fake_matrix a_is, b_is, d_is;
    float alpha;
    const void *a, *b;
    float *d;
} job;

int cublasLtCreate(void **handle);
int cublasLtDestroy(void *handle);
int cublasLtMatmulDescCreate(void **product, int compute, int scale_type);
int cublasLtMatmulDescDestroy(void *product);
int cublasLtMatmulDescSetAttribute(void *product, int which, const void *value, size_t bytes);
int cublasLtMatrixLayoutCreate(void **matrix, int type, uint64_t rows, uint64_t cols, int64_t lead);
int cublasLtMatrixLayoutDestroy(void *matrix);
int cublasLtMatmulPreferenceCreate(void **preference);
int cublasLtMatmulPreferenceDestroy(void *preference);
int cublasLtMatmulPreferenceSetAttribute(void *preference, int which, const void *value, size_t bytes);
int cublasLtMatmulAlgoGetHeuristic(void *handle, void *product, void *a, void *b, void *c, void *d, void *preference,
                                   int wanted, fake_choice *choice, int *found);
int cublasLtMatmul(void *handle, void *product, const void *alpha, const void *a, void *a_is, const void *b, void *b_is,
                   const void *beta, const void *c, void *c_is, void *d, void *d_is, const uint64_t *algorithm,
                   void *workspace, size_t bytes, void *stream);

static bool fails(const char *name) {
    const char *which = getenv("FAKE_CUBLASLT_FAIL");
    return which && !strcmp(which, name);
}

static void count(const char *what, int by) {
    const char *now = getenv(what);
    char next[16];
    snprintf(next, sizeof next, "%d", (now ? atoi(now) : 0) + by);
    setenv(what, next, 1);
}

static int make(const char *name, void **out, const void *from, size_t bytes) {
    if (fails(name))
        return 3;
    *out = malloc(bytes);
    if (!*out)
        return 3;
    memcpy(*out, from, bytes);
    count("FAKE_CUBLASLT_OBJECTS", 1);
    return 0;
}

static int drop(void *object) {
    count("FAKE_CUBLASLT_OBJECTS", -1);
    free(object);
    return 0;
}

int cublasLtCreate(void **handle) {
    return make("Create", handle, "", 1);
}
int cublasLtDestroy(void *handle) {
    return drop(handle);
}

int cublasLtMatmulDescCreate(void **product, int compute, int scale_type) {
    const fake_product plain = {.epilogue = 1};
    return compute != COMPUTE_32F || scale_type != R_32F ? UNSUPPORTED
                                                         : make("MatmulDescCreate", product, &plain, sizeof plain);
}
int cublasLtMatmulDescDestroy(void *product) {
    return drop(product);
}

int cublasLtMatmulDescSetAttribute(void *product, int which, const void *value, size_t bytes) {
    fake_product *p = product;
    void *const to[] = {[3] = &p->form[0], [4] = &p->form[1], [7] = &p->epilogue, [8] = (void *)&p->bias};
    const size_t size[] = {[3] = 4, [4] = 4, [7] = 4, [8] = sizeof p->bias};
    if (fails("MatmulDescSetAttribute") || which < 3 || which > 8 || size[which] != bytes)
        return INVALID;
    memcpy(to[which], value, bytes);
    return 0;
}

int cublasLtMatrixLayoutCreate(void **matrix, int type, uint64_t rows, uint64_t cols, int64_t lead) {
    const fake_matrix m = {type, rows, cols, lead};
    return lead < (int64_t)rows ? INVALID : make("MatrixLayoutCreate", matrix, &m, sizeof m);
}
int cublasLtMatrixLayoutDestroy(void *matrix) {
    return drop(matrix);
}

int cublasLtMatmulPreferenceCreate(void **preference) {
    const fake_preference p = {UINT32_MAX, {256, 256, 256, 256}};
    return make("MatmulPreferenceCreate", preference, &p, sizeof p);
}
int cublasLtMatmulPreferenceDestroy(void *preference) {
    return drop(preference);
}

int cublasLtMatmulPreferenceSetAttribute(void *preference, int which, const void *value, size_t bytes) {
    fake_preference *p = preference;
    if (fails("MatmulPreferenceSetAttribute") || bytes != 4 || (which != 3 && (which < 5 || which > 8)))
        return INVALID;
    memcpy(which == 3 ? &p->schemes : &p->aligned[which - 5], value, bytes);
    return 0;
}

/* The algorithm is the alignment that it counts on; a reduction scheme might need a workspace. FAKE_CUBLASLT_FAIL=none:
 * there is none for this product. */
int cublasLtMatmulAlgoGetHeuristic(void *handle, void *product, void *a, void *b, void *c, void *d, void *preference,
                                   int wanted, fake_choice *choice, int *found) {
    const fake_preference *p = preference;
    (void)handle, (void)product, (void)a, (void)b, (void)c, (void)d;
    if (fails("MatmulAlgoGetHeuristic") || wanted < 1 || p->schemes != 0)
        return UNSUPPORTED;
    count("FAKE_CUBLASLT_ASKED", 1);
    memset(choice, 0, sizeof *choice);
    for (int i = 0; i < 4; i++)
        choice->algorithm[i] = p->aligned[i];
    *found = !fails("none");
    return 0;
}

static double get(const void *x, int type, int64_t i) {
    return type == R_16F ? (double)((const _Float16 *)x)[i] : (double)((const float *)x)[i];
}

static void multiply(const void *arguments) {
    const job *x = arguments;
    const int64_t rows = (int64_t)x->d_is.rows, cols = (int64_t)x->d_is.cols, lda = x->a_is.lead, ldb = x->b_is.lead;
    const int *form = x->product.form;
    const int64_t k = (int64_t)(form[0] ? x->a_is.rows : x->a_is.cols);
    for (int64_t j = 0; j < cols; j++)
        for (int64_t i = 0; i < rows; i++) {
            double sum = 0;
            for (int64_t p = 0; p < k; p++)
                sum += get(x->a, x->a_is.type, form[0] ? p + i * lda : i + p * lda) *
                       get(x->b, x->b_is.type, form[1] ? j + p * ldb : p + j * ldb);
            const float product = x->alpha * (float)sum;
            x->d[i + j * x->d_is.lead] = x->product.epilogue & WITH_BIAS ? product + x->product.bias[i] : product;
        }
}

typedef bool record_call(void *stream, void (*call)(const void *arguments), const void *arguments, size_t bytes);

int cublasLtMatmul(void *handle, void *product, const void *alpha, const void *a, void *a_is, const void *b, void *b_is,
                   const void *beta, const void *c, void *c_is, void *d, void *d_is, const uint64_t *algorithm,
                   void *workspace, size_t bytes, void *stream) {
    const job x = {*(fake_product *)product,
                   *(fake_matrix *)a_is,
                   *(fake_matrix *)b_is,
                   *(fake_matrix *)d_is,
                   *(const float *)alpha,
                   a,
                   b,
                   d};
    const void *const at[4] = {a, b, c, d};
    const char *keeper = getenv("FAKE_RECORD");
    (void)handle, (void)c_is, (void)workspace;
    for (int i = 0; i < 4; i++)
        if ((uintptr_t)at[i] % algorithm[i])
            return INVALID;
    if (fails("Matmul") || bytes || *(const float *)beta != 0)
        return 13;
    if ((x.product.epilogue & WITH_BIAS) && (uintptr_t)x.product.bias % 16)
        return INVALID;
    if (x.product.epilogue & WITH_BIAS)
        count("FAKE_CUBLASLT_BIASES", 1);
    if (!keeper || !((record_call *)strtoull(keeper, NULL, 0))(stream, multiply, &x, sizeof x))
        multiply(&x);
    return 0;
}
