/* SPDX-License-Identifier: MIT */
/* The CUDA backend's calls of cuSOLVER over a driver that is none (fake_cuda.h) and a library that is none either
 * (tests/fakes, found by LD_LIBRARY_PATH): what is handed over, every call of it failing, and no library at all. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "tests/support/subject.h"
#include <stdio.h>

#ifndef FUSOR_HAVE_CUDA
int main(void) {
    printf("skipped: built without a CUDA toolkit's header\n");
    return 77;
}
#else
#include "backend_cuda/cusolver.h"
#include "tests/host_cuda/host_cuda.h"
#include "tests/trust/entries.h"
#include "tests/trust/fake_cuda.h"
#include "tests/trust/faults.h"
#include "tests/trust/scenarios.h"
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static fsr_context *ctx;
static fsr_graph *g;

static int setup(void **state) {
    (void)state;
    fsr_config config = scenario_config(FSR_BACKEND_CUDA);
    unsetenv("FAKE_CUSOLVER_FAIL");
    unsetenv("FAKE_CUSOLVER_HANDLES");
    unsetenv("FAKE_CUBLAS_FAIL");
    fake_cuda_reset();
    ctx = scenario_open(&config);
    g = fsr_graph_new(ctx);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    fsr_close(ctx);
    const char *handles = getenv("FAKE_CUSOLVER_HANDLES");
    assert_true(!handles || !atoi(handles));
    return 0;
}

/* `count` matrices of m by n, of which none is singular. */
static fsr_node matrices(int64_t count, int64_t m, int64_t n, int stream) {
    double x[1024];
    for (int64_t i = 0; i < count * m * n; i++)
        x[i] = (double)((i * 7 + stream + i / (m * n)) % 11) - 5 + 9.5 * (i / n % m == i % n);
    fsr_node out = fsr_from_host(g, FSR_F64, count > 1 ? 3 : 2, (const int64_t[]){count, m, n} + (count == 1), x);
    assert_int_equal(fsr_force(out), FSR_OK);
    return out;
}

static void verified(fsr_node x, const char *what) {
    fsr_verify_report report;
    if (fsr_verify(&x, 1, &report))
        fail_msg("%s: %s", what, fsr_error(ctx));
    assert_int_equal(report.unknown, 0);
}

/* x, which is computed, is y. */
static void near(fsr_node x, fsr_node y, const char *what) {
    fsr_node most = fsr_max(fsr_abs(fsr_sub(x, y)), NULL, 0, 0);
    double difference = 1;
    if (fsr_read(most, &difference, sizeof difference))
        fail_msg("%s: %s", what, fsr_error(ctx));
    if (!(difference < 1e-10))
        fail_msg("%s: off by %g", what, difference);
}

static void positive(fsr_node a, fsr_node *out) {
    *out = fsr_add(fsr_matmul(a, fsr_swapaxes(a, -1, -2)),
                   fsr_eye(g, FSR_F64, fsr_node_dim(a, -1), fsr_node_dim(a, -1), 0));
    assert_int_equal(fsr_force(*out), FSR_OK);
}

/* One matrix, and several. */
static void problems(void **state) {
    (void)state;
    for (int64_t count = 1; count <= 3; count += 2) {
        fsr_node a = matrices(count, 5, 5, 1), b = matrices(count, 5, 2, 2), p, u, s, vt, q, r, w, v;
        positive(a, &p);
        verified(fsr_solve(a, b), "solve");
        near(fsr_matmul(fsr_inv(a), a), fsr_eye(g, FSR_F64, 5, 5, 0), "inv");
        near(fsr_div(fsr_det(p), fsr_det(p)), fsr_float(g, 1), "det");
        fsr_node doubled = fsr_mul(a, fsr_int(g, 2));
        near(fsr_div(fsr_det(doubled), fsr_det(a)), fsr_float(g, 32), "det of the double");
        verified(fsr_cholesky(p), "cholesky");
        for (int tall = 0; tall < 2; tall++) {
            fsr_node x = tall ? matrices(count, 6, 4, 3) : matrices(count, 4, 6, 3);
            fsr_svd(x, &u, &s, &vt);
            near(fsr_matmul(fsr_mul(u, fsr_expand(s, -2)), vt), x, "svd");
            near(fsr_svdvals(x), s, "svdvals");
            for (int complete = 0; complete < 2; complete++) {
                fsr_qr(x, complete, &q, &r);
                near(fsr_matmul(q, r), x, "qr");
            }
        }
        fsr_eigh(p, &w, &v);
        near(fsr_matmul(p, v), fsr_mul(v, fsr_expand(w, -2)), "eigh");
        near(fsr_eigvalsh(p), w, "eigvalsh");
    }
}

/* NaN without a word: the statuses are the device's. */
static void no_solution(void **state) {
    (void)state;
    static const double x[] = {1, 2, 2, 4, 2, 1, 1, 2}, b[] = {1, 1};
    double solution[4], factor[8];
    fsr_node a = fsr_from_host(g, FSR_F64, 3, SHAPE(2, 2, 2), x), v = fsr_from_host(g, FSR_F64, 1, SHAPE(2), b);
    assert_int_equal(fsr_read(fsr_solve(a, v), solution, sizeof solution), FSR_OK);
    assert_int_equal(fsr_read(fsr_cholesky(fsr_sub(a, fsr_float(g, 0.5))), factor, sizeof factor), FSR_OK);
    assert_true(solution[0] != solution[0] && solution[1] != solution[1] && solution[2] == solution[2]);
    assert_true(factor[0] != factor[0] && factor[3] != factor[3] && factor[4] == factor[4]);
}

/* A result that the function of this name is called for. */
static fsr_node asking(const char *name, fsr_node a, fsr_node many) {
    fsr_node out, other;
    if (strstr(name, "potrfBatched"))
        return fsr_cholesky(many);
    if (strstr(name, "potrf"))
        return fsr_cholesky(a);
    if (strstr(name, "geqrf") || strstr(name, "orgqr"))
        fsr_qr(a, false, &out, NULL);
    else if (strstr(name, "gesvd") || strstr(name, "Gesvdj") || strstr(name, "Gemm"))
        fsr_svd(strstr(name, "Xgesvd") ? a : many, &out, NULL, NULL);
    else if (strstr(name, "syev"))
        fsr_eigh(strstr(name, "Batched") ? many : a, &other, &out);
    else
        out = fsr_solve(strstr(name, "Batched") ? many : a, fsr_slice(a, 1, 0, 2, 1));
    return out;
}

static const struct {
    const char *name, *words;
    fsr_status status;
} failing[] = {
    {"Create", "cusolverDnCreate gave status 1, not initialized", FSR_ERR_DEVICE},
    {"CreateParams", "cusolverDnCreateParams gave status 2, allocation failed", FSR_ERR_DEVICE_MEMORY},
    {"SetStream", "cusolverDnSetStream gave status 3, invalid value", FSR_ERR_DEVICE},
    {"cublasBatchedCreate", "cublasCreate gave status 1, not initialized", FSR_ERR_DEVICE},
    {"Xgetrf_bufferSize", "cusolverDnXgetrf_bufferSize gave status 7, internal error", FSR_ERR_DEVICE},
    {"Xgetrf", "cusolverDnXgetrf gave status 6, execution failed", FSR_ERR_DEVICE},
    {"Xgetrs", "cusolverDnXgetrs gave status 6, execution failed", FSR_ERR_DEVICE},
    {"Xpotrf_bufferSize", "cusolverDnXpotrf_bufferSize gave status 7, internal error", FSR_ERR_DEVICE},
    {"Xpotrf", "cusolverDnXpotrf gave status 6, execution failed", FSR_ERR_DEVICE},
    {"Xgeqrf_bufferSize", "cusolverDnXgeqrf_bufferSize gave status 7, internal error", FSR_ERR_DEVICE},
    {"Xgeqrf", "cusolverDnXgeqrf gave status 6, execution failed", FSR_ERR_DEVICE},
    {"Xgesvd_bufferSize", "cusolverDnXgesvd_bufferSize gave status 7, internal error", FSR_ERR_DEVICE},
    {"Xgesvd", "cusolverDnXgesvd gave status 6, execution failed", FSR_ERR_DEVICE},
    {"CreateGesvdjInfo", "cusolverDnCreateGesvdjInfo gave status 2, allocation failed", FSR_ERR_DEVICE_MEMORY},
    {"cublasGemmStridedBatchedEx_64", "cublasGemmStridedBatchedEx gave status 13, execution failed", FSR_ERR_DEVICE},
    {"Xsyevd_bufferSize", "cusolverDnXsyevd_bufferSize gave status 7, internal error", FSR_ERR_DEVICE},
    {"Xsyevd", "cusolverDnXsyevd gave status 6, execution failed", FSR_ERR_DEVICE},
    {"XsyevBatched_bufferSize", "cusolverDnXsyevBatched_bufferSize gave status 7, internal error", FSR_ERR_DEVICE},
    {"XsyevBatched", "cusolverDnXsyevBatched gave status 6, execution failed", FSR_ERR_DEVICE}};

static void every_entry_has_a_row(void **state) {
    (void)state;
    ENTRIES_HAVE_ROWS(FSR_CUSOLVER_LIST, failing);
    ENTRIES_HAVE_ROWS(FSR_CUSOLVER_NEW_LIST, failing);
}

/* Each function that fails says which, and that is all: the next computation works. */
static void calls_fail(void **state) {
    (void)state;
    fsr_node a, many;
    positive(matrices(1, 4, 4, 1), &a);
    positive(matrices(3, 4, 4, 1), &many);
    for (int i = 0; i < COUNT_OF(failing); i++) {
        const bool blas = strncmp(failing[i].name, "cublas", 6) == 0;
        const char *name =
            strcmp(failing[i].name, "cublasBatchedCreate") == 0 ? "Create_v2" : failing[i].name + (blas ? 6 : 0);
        char words[200];
        snprintf(words, sizeof words, "library call linalg: %s", failing[i].words);
        fsr_node x = asking(failing[i].name, a, many);
        setenv(blas ? "FAKE_CUBLAS_FAIL" : "FAKE_CUSOLVER_FAIL", name, 1);
        subject_error(ctx, fsr_force(x), failing[i].status, words);
        unsetenv("FAKE_CUBLAS_FAIL");
        unsetenv("FAKE_CUSOLVER_FAIL");
        if (i > 2) /* the handle is made but once */
            assert_int_equal(fsr_force(x), FSR_OK);
    }
}

/* So does each function that every letter has its own of: the table that loads them names them. */
static void calls_of_each_letter_fail(void **state) {
    (void)state;
    static const struct {
        const char *library, *name[2];
    } row[] = {
#define ROW(field, library, real, complex) {library, {real, complex}},
        FSR_CUSOLVER_LETTER_LIST(ROW) FSR_CUSOLVER_LETTER_NEW_LIST(ROW)
#undef ROW
    };
    static const fsr_dtype dtype[] = {FSR_F32, FSR_F64, FSR_C64, FSR_C128};
    fsr_node one, several;
    positive(matrices(1, 4, 4, 1), &one);
    positive(matrices(3, 4, 4, 1), &several);
    for (int l = 0; l < FSR_CUSOLVER_LETTERS; l++) {
        fsr_node a = fsr_cast(one, dtype[l]), many = fsr_cast(several, dtype[l]);
        OK(fsr_compute((fsr_node[]){a, many}, 2));
        assert_int_equal(fsr_cusolver_letter(dtype[l]), l);
        for (int i = 0; i < COUNT_OF(row); i++) {
            const bool blas = strcmp(row[i].library, "cublas") == 0;
            char name[48], words[120];
            snprintf(name, sizeof name, "%c%s", FSR_CUSOLVER_LETTERS_ARE[l], row[i].name[l / 2]);
            snprintf(words, sizeof words, "library call linalg: %s%s gave status", row[i].library, row[i].name[0]);
            fsr_node x = asking(row[i].name[0], a, many);
            setenv(blas ? "FAKE_CUBLAS_FAIL" : "FAKE_CUSOLVER_FAIL", name, 1);
            subject_error(ctx, fsr_force(x), FSR_ERR_DEVICE, words);
            unsetenv("FAKE_CUBLAS_FAIL");
            unsetenv("FAKE_CUSOLVER_FAIL");
            assert_int_equal(fsr_force(x), FSR_OK);
        }
    }
}

/* The device's memory may be too little for the workspace, and each call of CUDA's may fail; then the next one
 * works. */
static void memory_is_out(void **state) {
    (void)state;
    fsr_node a = matrices(3, 8, 8, 1), x = fsr_cholesky(fsr_matmul(a, fsr_swapaxes(a, -1, -2)));
    fake.capacity = fake.used + 64;
    assert_int_equal(fsr_trim(ctx), FSR_OK);
    const fsr_status status = fsr_force(x);
    assert_true(status == FSR_OK || status == FSR_ERR_DEVICE_MEMORY);
    fake.capacity = (int64_t)1 << 30;
    assert_int_equal(fsr_force(x), FSR_OK);
}

/* The pool's free blocks may be all the memory that a handle lacks: they go, and it is made. */
static void memory_for_a_handle(void **state) {
    (void)state;
    fsr_node a = matrices(1, 4, 4, 1), x = fsr_inv(a);
    void *block;
    subject_ok(fsr_alloc(ctx, FSR_DEVICE, 1 << 20, &block), "a block");
    subject_ok(fsr_free(ctx, FSR_DEVICE, block), "given back");
    const int64_t used = fake.used;
    setenv("FAKE_CUSOLVER_FAIL", "CreateParams once", 1);
    subject_ok(fsr_force(x), "with a handle");
    assert_true(fake.used <= used - (1 << 20) + (1 << 16));
    near(fsr_matmul(x, a), fsr_eye(g, FSR_F64, 4, 4, 0), "inv");
}

/* ---- a caller's stream ------------------------------------------------------------------------------------- */

/* What happens between the pool and streams, told by the calls themselves (the linker's --wrap). */
static struct {
    cudaStream_t foreign;
    int allocs, frees;
    bool last_is_own, fresh; /* of waits: the own stream's; of blocks: one that no foreign stream is in order with */
    bool early, unordered;
} order;

cudaError_t __real_cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
cudaError_t __wrap_cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
cudaError_t __wrap_cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    order.last_is_own = stream != order.foreign;
    order.unordered |= order.last_is_own && order.fresh;
    order.fresh = order.fresh && order.last_is_own;
    return __real_cudaStreamWaitEvent(stream, event, flags);
}

fsr_status __real_fsr_device_pool_alloc(void *pool, int64_t bytes, void **out, void *fault);
fsr_status __wrap_fsr_device_pool_alloc(void *pool, int64_t bytes, void **out, void *fault);
fsr_status __wrap_fsr_device_pool_alloc(void *pool, int64_t bytes, void **out, void *fault) {
    order.allocs++;
    order.fresh = true;
    return __real_fsr_device_pool_alloc(pool, bytes, out, fault);
}

fsr_status __real_fsr_device_pool_free(void *pool, void *data);
fsr_status __wrap_fsr_device_pool_free(void *pool, void *data);
fsr_status __wrap_fsr_device_pool_free(void *pool, void *data) {
    order.frees++;
    order.early |= !order.last_is_own;
    return __real_fsr_device_pool_free(pool, data);
}

/* Blocks are the pool's in the order of the own stream: the caller's waits for it behind each that is taken, and it
 * for the caller's before one is given back. */
static void on_a_callers_stream(void **state) {
    (void)state;
    enum { N = 4, BYTES = N * N * 8 };
    fsr_node a = fsr_input(g, "a", FSR_F64, 2, SHAPE(N, N)), x = fsr_inv(a);
    fsr_plan *plan;
    cudaStream_t stream;
    void *in, *out;
    subject_ok(fsr_compile(&x, 1, &plan), "compiling");
    subject_ok(fsr_alloc(ctx, FSR_DEVICE, BYTES, &in), "in");
    subject_ok(fsr_alloc(ctx, FSR_DEVICE, BYTES, &out), "out");
    for (int i = 0; i < N * N; i++)
        ((double *)in)[i] = i % (N + 1) == 0 ? 2 : 0;
    assert_int_equal(cudaStreamCreateWithFlags(&stream, 0), cudaSuccess);
    for (int turn = 0; turn < 2; turn++) {
        memset(&order, 0, sizeof order);
        order.foreign = stream;
        subject_ok(fsr_plan_run(plan, &(fsr_arg){"a", in, BYTES, FSR_DEVICE}, 1,
                                &(fsr_arg){NULL, out, BYTES, FSR_DEVICE}, 1, stream),
                   "run");
        assert_true(order.allocs > 2 && order.frees > 2);
        assert_false(order.early);
        assert_false(order.unordered);
    }
    assert_true(((double *)out)[0] == 0.5 && ((double *)out)[1] == 0);
    fsr_plan_free(plan);
    cudaStreamDestroy(stream);
    fsr_free(ctx, FSR_DEVICE, in);
    fsr_free(ctx, FSR_DEVICE, out);
}

static bool hidden;

/* The library's dlopen: cuSOLVER may be hidden, wherever the machine has it. */
void *dlopen(const char *name, int flags) {
    void *(*next)(const char *, int) = NULL;
    *(void **)&next = dlsym(RTLD_NEXT, "dlopen");
    return hidden && name && strstr(name, "cusolver") ? NULL : next(name, flags);
}

static void no_library(void **state) {
    (void)state;
    fsr_node a = matrices(1, 4, 4, 1), x = fsr_det(a);
    hidden = true;
    subject_error(ctx, fsr_force(x), FSR_ERR_UNSUPPORTED,
                  "library call linalg: there is no libcusolver.so.12 or .11 for a GPU; the CPU backend solves it");
    hidden = false;
    assert_int_equal(fsr_force(fsr_add(a, a)), FSR_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(problems, setup, teardown),
                                       cmocka_unit_test_setup_teardown(no_solution, setup, teardown),
                                       cmocka_unit_test_setup_teardown(calls_fail, setup, teardown),
                                       cmocka_unit_test_setup_teardown(calls_of_each_letter_fail, setup, teardown),
                                       cmocka_unit_test(every_entry_has_a_row),
                                       cmocka_unit_test_setup_teardown(memory_is_out, setup, teardown),
                                       cmocka_unit_test_setup_teardown(memory_for_a_handle, setup, teardown),
                                       cmocka_unit_test_setup_teardown(on_a_callers_stream, setup, teardown),
                                       cmocka_unit_test_setup_teardown(no_library, setup, teardown)};
    const char *places = getenv("LD_LIBRARY_PATH");
    if (!places || !strstr(places, "fakes")) {
        printf("skipped: LD_LIBRARY_PATH does not name the libraries that are none (ctest sets it)\n");
        return 77;
    }
    if (!host_cuda_available()) {
        printf("skipped: no C++ compiler to run kernels on the host with\n");
        return 77;
    }
    fake_cuda_reset();
    fault_fake_nvrtc(true);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
