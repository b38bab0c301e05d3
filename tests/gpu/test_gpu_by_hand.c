/* SPDX-License-Identifier: MIT */
/* A plan's library calls take as long as the library called by hand: products of matrices of cuBLAS, transforms of
 * cuFFT, on the same memory and stream, turn by turn. The median of the turns' ratios counts; printed is what it is. */
#define SUBJECT_BACKEND FSR_BACKEND_CUDA
#include "tests/support/subject.h"
#include <stdio.h>
#include <stdlib.h>

#ifdef FUSOR_HAVE_CUDA
#include "tests/gpu/turns.h"
#include <dlfcn.h>

#define G subject_g
enum { TURNS = 15, RUNS = 20, R_32F = 0, COMPUTE_32F = 68, C2C = 0x29 };
static const double most = 1.03;

/* What is timed: the plan, or the library. */
typedef struct job {
    fsr_plan *plan;
    fsr_arg in[2], out;
    int nin;
    cudaStream_t stream;
    void (*by_hand)(struct job *j);
    void *handle, *function;
    int fft;
    int64_t n;
} job;

static void *library(const char *const *names) {
    for (int i = 0; names[i]; i++) {
        void *found = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (found)
            return found;
    }
    return NULL;
}

static void *device(int64_t bytes) {
    void *data = NULL;
    assert_int_equal(cudaMalloc(&data, (size_t)bytes), cudaSuccess);
    assert_int_equal(cudaMemset(data, 0, (size_t)bytes), cudaSuccess);
    return data;
}

static void run_by_hand(void *arg) {
    job *j = arg;
    j->by_hand(j);
}

static void run_plan(void *arg) {
    job *j = arg;
    if (fsr_plan_run(j->plan, j->in, j->nin, &j->out, 1, j->stream))
        fail_msg("%s", fsr_error(subject_ctx));
}

static double once(job *j, bool hand) {
    return turns_time(j->stream, RUNS, hand ? run_by_hand : run_plan, j);
}

/* Ratios of turns that stand side by side. */
static void compare(job *j, const char *what) {
    double ratio[TURNS], hand = 0;
    once(j, true);
    once(j, false);
    for (int i = 0; i < TURNS; i++) {
        const bool first = i % 2;
        const double x = once(j, first), y = once(j, !first);
        ratio[i] = first ? y / x : x / y;
        hand = first ? x : y;
    }
    turns_sort(ratio, TURNS);
    printf("%s: %.4f ms by hand, ratio %.3f (%.3f to %.3f)\n", what, hand, ratio[TURNS / 2], ratio[0],
           ratio[TURNS - 1]);
    if (!subject_sanitized())
        assert_true(ratio[TURNS / 2] <= most);
    fsr_plan_free(j->plan);
    for (int i = 0; i < j->nin; i++)
        cudaFree(j->in[i].data);
    cudaFree(j->out.data);
    cudaStreamDestroy(j->stream);
}

/* A plan between buffers of its own. */
static job prepare(fsr_node out, int nin, fsr_dtype dtype, int64_t n) {
    static const char *const name[] = {"a", "b"};
    const size_t bytes = (size_t)(n * n) * fsr_dtype_size(dtype);
    job j = {.nin = nin, .n = n, .out = {NULL, device((int64_t)bytes), bytes, FSR_DEVICE}};
    if (fsr_compile(&out, 1, &j.plan))
        fail_msg("%s", fsr_error(subject_ctx));
    for (int i = 0; i < nin; i++)
        j.in[i] = (fsr_arg){name[i], device((int64_t)bytes), bytes, FSR_DEVICE};
    assert_int_equal(cudaStreamCreateWithFlags(&j.stream, cudaStreamNonBlocking), cudaSuccess);
    return j;
}

typedef int gemm_fn(void *handle, int ta, int tb, int64_t m, int64_t n, int64_t k, const void *alpha, const void *a,
                    int a_type, int64_t lda, long long a_step, const void *b, int b_type, int64_t ldb, long long b_step,
                    const void *beta, void *c, int c_type, int64_t ldc, long long c_step, int64_t batches, int compute,
                    int algorithm);

static void gemm(job *j) {
    const float one = 1, zero = 0;
    const int64_t n = j->n;
    gemm_fn *f = NULL;
    *(void **)&f = j->function;
    assert_int_equal(f(j->handle, 0, 0, n, n, n, &one, j->in[1].data, R_32F, n, 0, j->in[0].data, R_32F, n, 0, &zero,
                       j->out.data, R_32F, n, 0, 1, COMPUTE_32F, -1),
                     0);
}

static void products(void **state) {
    (void)state;
    static const char *const names[] = {"libcublas.so.13", "/usr/local/cuda/lib64/libcublas.so.13", "libcublas.so.12",
                                        "/usr/local/cuda/lib64/libcublas.so.12", NULL};
    static const int64_t sizes[] = {1024, 4096};
    void *blas = library(names), *handle = NULL;
    int (*create)(void **) = NULL, (*destroy)(void *) = NULL, (*put)(void *, cudaStream_t) = NULL;
    if (!blas)
        skip();
    *(void **)&create = dlsym(blas, "cublasCreate_v2");
    *(void **)&destroy = dlsym(blas, "cublasDestroy_v2");
    *(void **)&put = dlsym(blas, "cublasSetStream_v2");
    assert_int_equal(create(&handle), 0);
    for (int i = 0; i < COUNT_OF(sizes); i++) {
        const int64_t n = sizes[i];
        fsr_node a = fsr_input(G, "a", FSR_F32, 2, SHAPE(n, n)), b = fsr_input(G, "b", FSR_F32, 2, SHAPE(n, n));
        job j = prepare(fsr_matmul(a, b), 2, FSR_F32, n);
        char what[64];
        j.handle = handle;
        j.function = dlsym(blas, "cublasGemmStridedBatchedEx_64");
        j.by_hand = gemm;
        assert_int_equal(put(handle, j.stream), 0);
        snprintf(what, sizeof what, "matmul of %lld", (long long)n);
        compare(&j, what);
    }
    destroy(handle);
}

static void transform(job *j) {
    int (*f)(int, void *, void *, int) = NULL;
    *(void **)&f = j->function;
    assert_int_equal(f(j->fft, j->in[0].data, j->out.data, -1), 0);
}

static void transforms(void **state) {
    (void)state;
    static const char *const names[] = {"libcufft.so.12", "/usr/local/cuda/lib64/libcufft.so.12", "libcufft.so.11",
                                        "/usr/local/cuda/lib64/libcufft.so.11", NULL};
    void *fft = library(names);
    if (!fft)
        skip();
    int (*many)(int *, int, int *, int *, int, int, int *, int, int, int, int) = NULL, (*destroy)(int) = NULL;
    int (*put)(int, cudaStream_t) = NULL;
    *(void **)&many = dlsym(fft, "cufftPlanMany");
    *(void **)&destroy = dlsym(fft, "cufftDestroy");
    *(void **)&put = dlsym(fft, "cufftSetStream");
    int n = 4096;
    fsr_node a = fsr_input(G, "a", FSR_C64, 2, SHAPE(n, n));
    job j = prepare(fsr_fft(a, 1), 1, FSR_C64, n);
    assert_int_equal(many(&j.fft, 1, &n, NULL, 1, 0, NULL, 1, 0, C2C, n), 0);
    assert_int_equal(put(j.fft, j.stream), 0);
    j.function = dlsym(fft, "cufftExecC2C");
    j.by_hand = transform;
    compare(&j, "fft of 4096 rows of 4096");
    destroy(j.fft);
}

int main(void) {
    const struct CMUnitTest tests[] = {SUBJECT_TEST(products), SUBJECT_TEST(transforms)};
    return subject_main(SUBJECT_BACKEND, tests, COUNT_OF(tests));
}
#else
int main(void) {
    printf("skipped: built without a CUDA toolkit's header\n");
    return 77;
}
#endif
