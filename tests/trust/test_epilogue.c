/* SPDX-License-Identifier: MIT */
/* The CUDA backend's products with a scale and a bias over a driver that is none (fake_cuda.h) and libraries that are
 * none either (tests/fakes, found by LD_LIBRARY_PATH): what is handed to cuBLASLt, and every call of it failing. */
#include "tests/support/subject.h"
#include <stdio.h>

#ifndef FUSOR_HAVE_CUDA
int main(void) {
    printf("skipped: built without a CUDA toolkit's header\n");
    return 77;
}
#else
#include "backend_cuda/cublaslt.h"
#include "tests/host_cuda/host_cuda.h"
#include "tests/support/joined.h"
#include "tests/trust/entries.h"
#include "tests/trust/fake_cuda.h"
#include "tests/trust/faults.h"
#include "tests/trust/scenarios.h"
#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

enum { M = 36, K = 24, N = 44 };

static fsr_context *ctx;
static fsr_graph *g;

static int open_context(int contraction) {
    fsr_config config = scenario_config(FSR_BACKEND_CUDA);
    config.contraction = contraction;
    unsetenv("FAKE_CUBLASLT_FAIL");
    unsetenv("FAKE_CUBLASLT_OBJECTS");
    unsetenv("FAKE_CUBLASLT_BIASES");
    unsetenv("FAKE_CUBLASLT_ASKED");
    fake_cuda_reset();
    ctx = scenario_open(&config);
    g = fsr_graph_new(ctx);
    return 0;
}

static int setup(void **state) {
    (void)state;
    return open_context(0);
}

static int setup_contracting(void **state) {
    (void)state;
    return open_context(1);
}

static int number(const char *name) {
    const char *value = getenv(name);
    return value ? atoi(value) : 0;
}

/* Nothing of the library's is left. */
static int teardown(void **state) {
    (void)state;
    fsr_close(ctx);
    assert_int_equal(number("FAKE_CUBLASLT_OBJECTS"), 0);
    return 0;
}

/* Whole numbers, computed: every order of additions gives the same. */
static fsr_node numbers(fsr_dtype dtype, int ndim, const int64_t *shape, int stream) {
    fsr_node i = fsr_arange(g, FSR_I64, shape[0] * (ndim > 1 ? shape[1] : 1));
    fsr_node x =
        fsr_sub(fsr_mod(fsr_add(fsr_mul(i, fsr_int(g, 7)), fsr_int(g, stream)), fsr_int(g, 11)), fsr_int(g, 5));
    fsr_node out = fsr_reshape(fsr_cast(x, dtype), ndim, shape);
    subject_ok(fsr_force(out), "numbers");
    return out;
}

/* x is one call, to which a bias is handed or none, and right. */
static void expect(fsr_node x, bool biased) {
    fsr_plan_info info;
    fsr_verify_report report;
    const int before = number("FAKE_CUBLASLT_BIASES");
    assert_int_equal(fsr_query(&x, 1, &info), FSR_OK);
    assert_int_equal(info.calls, 1);
    assert_int_equal(info.kernels, 0);
    subject_ok(fsr_verify(&x, 1, &report), "verifying");
    assert_int_equal(report.unknown, 0);
    assert_int_equal(number("FAKE_CUBLASLT_BIASES") > before, biased);
}

static void biases(void **state) {
    (void)state;
    fsr_node a = numbers(FSR_F32, 2, SHAPE(M, K), 1), b = numbers(FSR_F32, 2, SHAPE(K, N), 2),
             w = numbers(FSR_F32, 2, SHAPE(N, K), 3), v = numbers(FSR_F32, 1, SHAPE(N + 9), 4),
             h = numbers(FSR_F16, 2, SHAPE(M, K), 5), q = numbers(FSR_F16, 2, SHAPE(K, N), 6),
             t = numbers(FSR_F32, 2, SHAPE(K + 1, M + 3), 7);
    fsr_node bias = fsr_slice(v, 0, 0, N, 1), part = fsr_slice(fsr_slice(t, 0, 1, K + 1, 1), 1, 3, M + 3, 1);
    expect(joined(fsr_matmul(a, b), bias), true);
    expect(joined(fsr_matmul(a, fsr_transpose(w, NULL)), bias), true);
    expect(joined(fsr_matmul(fsr_transpose(part, NULL), b), bias), true);
    for (int from = 1; from < 9; from += 3)
        expect(joined(fsr_matmul(a, b), fsr_slice(v, 0, from, from + N, 1)), true);
    expect(joined(fsr_matmul(fsr_cast(h, FSR_F32), fsr_cast(q, FSR_F32)), bias), true);
}

/* With contraction alone. */
static void scales(void **state) {
    (void)state;
    fsr_node a = numbers(FSR_F32, 2, SHAPE(M, K), 1), b = numbers(FSR_F32, 2, SHAPE(K, N), 2),
             bias = numbers(FSR_F32, 1, SHAPE(N), 4);
    for (int i = 0; i < 3; i++) { /* each value has a plan, and its own result */
        fsr_node p = fsr_matmul(a, b);
        expect(joined_with(p, fsr_add(fsr_mul(p, fsr_float(g, 0.25 * (i + 1))), bias)), true);
    }
    fsr_node p = fsr_matmul(a, b);
    expect(joined_with(p, fsr_mul(p, fsr_float(g, 0.3))), false);
}

static const struct failing_call {
    const char *name;
    fsr_status status;
    const char *words;
} failing[] = {
    {"Create", FSR_ERR_DEVICE_MEMORY, "cublasLtCreate gave status 3, out of memory"},
    {"MatmulDescCreate", FSR_ERR_DEVICE_MEMORY, "cublasLtMatmulDescCreate gave status 3, out of memory"},
    {"MatmulDescSetAttribute", FSR_ERR_DEVICE, "cublasLtMatmulDescSetAttribute gave status 7, invalid value"},
    {"MatrixLayoutCreate", FSR_ERR_DEVICE_MEMORY, "cublasLtMatrixLayoutCreate gave status 3, out of memory"},
    {"MatmulPreferenceCreate", FSR_ERR_DEVICE_MEMORY, "cublasLtMatmulPreferenceCreate gave status 3, out of memory"},
    {"MatmulPreferenceSetAttribute", FSR_ERR_DEVICE,
     "cublasLtMatmulPreferenceSetAttribute gave status 7, invalid value"},
    {"MatmulAlgoGetHeuristic", FSR_ERR_UNSUPPORTED, "cublasLtMatmulAlgoGetHeuristic gave status 15, not supported"},
    {"none", FSR_ERR_UNSUPPORTED, "cublasLtMatmulAlgoGetHeuristic gave status 15, not supported"},
    {"Matmul", FSR_ERR_DEVICE, "cublasLtMatmul gave status 13, execution failed"}};

/* Each function that fails says which, and that is all: the next computation works, and nothing is left of this one. */
static void calls_fail(void **state) {
    (void)state;
    fsr_node a = numbers(FSR_F32, 2, SHAPE(M + 16, K), 1), b = numbers(FSR_F32, 2, SHAPE(K, N), 2),
             bias = numbers(FSR_F32, 1, SHAPE(N), 4);
    for (int i = 0; i < COUNT_OF(failing); i++) {
        /* of sizes that are new, as a choice that was made is kept */
        fsr_node x = joined(fsr_matmul(fsr_slice(a, 0, 0, M + i, 1), b), bias);
        char words[160];
        snprintf(words, sizeof words, "library call matmul_epilogue: %s", failing[i].words);
        setenv("FAKE_CUBLASLT_FAIL", failing[i].name, 1);
        subject_error(ctx, fsr_force(x), failing[i].status, words);
        unsetenv("FAKE_CUBLASLT_FAIL");
        assert_int_equal(number("FAKE_CUBLASLT_OBJECTS"), i > 0); /* the handle */
        assert_int_equal(fsr_force(x), FSR_OK);
    }
    ENTRIES_HAVE_ROWS(FSR_CUBLASLT_LIST, failing);
}

/* The choice of a product is asked for once; those of more products than are kept again. */
static void choices_are_kept(void **state) {
    (void)state;
    fsr_node a = numbers(FSR_F32, 2, SHAPE(M + 2 * FSR_CUBLASLT_KEPT, K), 1), b = numbers(FSR_F32, 2, SHAPE(K, N), 2),
             bias = numbers(FSR_F32, 1, SHAPE(N), 4);
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < (round ? 2 * FSR_CUBLASLT_KEPT : 3); i++) {
            fsr_node x = joined(fsr_matmul(fsr_slice(a, 0, 0, M + i, 1), b), bias);
            const int before = number("FAKE_CUBLASLT_ASKED");
            subject_ok(fsr_force(x), "a product");
            assert_int_equal(number("FAKE_CUBLASLT_ASKED") - before,
                             round == 0 || (round == 1 && i >= 3) || round == 2);
        }
    fsr_node x = joined(fsr_matmul(fsr_slice(a, 0, 0, M, 1), b), bias);
    subject_ok(fsr_verify(&x, 1, NULL), "verifying");
}

/* The copy of a bias that is not aligned fails. */
static void a_copy_fails(void **state) {
    (void)state;
    fsr_node a = numbers(FSR_F32, 2, SHAPE(M, K), 1), b = numbers(FSR_F32, 2, SHAPE(K, N), 2),
             v = numbers(FSR_F32, 1, SHAPE(N + 9), 4);
    fsr_node x = joined(fsr_matmul(a, b), fsr_slice(v, 0, 1, N + 1, 1));
    faults_arm(FAULT_CUDA, FAULT_ERROR, 1, false, cudaErrorInvalidValue, "cudaMemcpyAsync");
    const fsr_status status = fsr_force(x);
    faults_disarm();
    subject_error(ctx, status, FSR_ERR_DEVICE, "library call matmul_epilogue: its bias");
    assert_int_equal(fsr_verify(&x, 1, NULL), FSR_OK);
}

/* cuBLAS without cuBLASLt: the product is a call, and a kernel follows. */
static void no_library(void **state) {
    (void)state;
    fsr_node a = numbers(FSR_F32, 2, SHAPE(M, K), 1), b = numbers(FSR_F32, 2, SHAPE(K, N), 2),
             bias = numbers(FSR_F32, 1, SHAPE(N), 4), product = fsr_matmul(a, b), x = joined(fsr_matmul(a, b), bias);
    fsr_plan_info info;
    assert_int_equal(fsr_query(&product, 1, &info), FSR_OK);
    faults_arm(FAULT_FILE, FAULT_ERROR, 1, true, 0, "dlopen");
    const fsr_status planned = fsr_query(&x, 1, &info);
    faults_disarm();
    assert_int_equal(planned, FSR_OK);
    assert_int_equal(info.calls, 1);
    assert_int_equal(info.kernels, 1);
    assert_int_equal(fsr_verify(&x, 1, NULL), FSR_OK);
    assert_int_equal(number("FAKE_CUBLASLT_BIASES"), 0);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(biases),       cmocka_unit_test_setup_teardown(scales, setup_contracting, teardown),
        TEST(calls_fail),   TEST(choices_are_kept),
        TEST(a_copy_fails), TEST(no_library)};
    if (!host_cuda_available()) {
        printf("skipped: no C++ compiler to run kernels on the host with\n");
        return 77;
    }
    fake_cuda_reset();
    fault_fake_nvrtc(true);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
