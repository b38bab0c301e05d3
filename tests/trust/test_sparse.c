/* SPDX-License-Identifier: MIT */
/* The CUDA backend's calls of cuSPARSE over a driver that is none (fake_cuda.h) and a library that is none either
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
#include "backend_cuda/cusparse.h"
#include "tests/host_cuda/host_cuda.h"
#include "tests/trust/entries.h"
#include "tests/trust/fake_cuda.h"
#include "tests/trust/faults.h"
#include "tests/trust/scenarios.h"
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 5 };

static fsr_context *ctx;
static fsr_graph *g;

static int setup(void **state) {
    (void)state;
    fsr_config config = scenario_config(FSR_BACKEND_CUDA);
    unsetenv("FAKE_CUSPARSE_FAIL");
    unsetenv("FAKE_CUSPARSE_THINGS");
    unsetenv("FAKE_CUSPARSE_SOLVED");
    fake_cuda_reset();
    ctx = scenario_open(&config);
    g = fsr_graph_new(ctx);
    return 0;
}

/* Nothing of the library's is left. */
static int teardown(void **state) {
    (void)state;
    fsr_close(ctx);
    const char *things = getenv("FAKE_CUSPARSE_THINGS");
    assert_true(!things || !atoi(things));
    return 0;
}

static int number(const char *name) {
    const char *value = getenv(name);
    return value ? atoi(value) : 0;
}

/* A full matrix by rows, computed. */
static fsr_csr full(fsr_dtype dtype) {
    double value[N * N];
    int32_t column[N * N], offset[N + 1];
    for (int i = 0; i < N * N; i++) {
        column[i] = N - 1 - i % N;
        value[i] = column[i] == i / N ? 4 + i : i % 7 - 3;
    }
    for (int i = 0; i <= N; i++)
        offset[i] = i * N;
    fsr_node values = fsr_cast(fsr_from_host(g, FSR_F64, 1, SHAPE(N * N), value), dtype);
    assert_int_equal(fsr_force(values), FSR_OK);
    return (fsr_csr){fsr_from_host(g, FSR_I32, 1, SHAPE(N + 1), offset),
                     fsr_from_host(g, FSR_I32, 1, SHAPE(N * N), column), values, N, N};
}

static fsr_node sides(fsr_dtype dtype, int64_t k) {
    double x[N * 3];
    for (int i = 0; i < N * 3; i++)
        x[i] = i * 5 % 7 - 2;
    fsr_node b = fsr_cast(fsr_from_host(g, FSR_F64, k == 1 ? 1 : 2, SHAPE(N, k), x), dtype);
    assert_int_equal(fsr_force(b), FSR_OK);
    return b;
}

static void verified(fsr_node x, const char *what) {
    fsr_verify_report report;
    if (fsr_verify(&x, 1, &report))
        fail_msg("%s: %s", what, fsr_error(ctx));
    assert_int_equal(report.unknown, 0);
}

static void solves(void **state) {
    (void)state;
    static const int flags[] = {0, FSR_UPPER, FSR_UNIT_DIAGONAL, FSR_UPPER | FSR_UNIT_DIAGONAL};
    int solved = 0;
    for (int i = 0; i < 16; i++) {
        const fsr_dtype dtype = i & 4 ? FSR_C128 : FSR_F64;
        const fsr_csr a = full(dtype);
        verified(fsr_csr_solve_triangular(&a, sides(dtype, i & 8 ? 3 : 1), flags[i % 4]), "a triangle");
        assert_int_equal(number("FAKE_CUSPARSE_SOLVED"), ++solved);
        assert_int_equal(number("FAKE_CUSPARSE_THINGS"), 1); /* the handle */
    }
}

/* A matrix of 3 elements a row, as large as products are that a CPU's call has. */
static fsr_csr large(void) {
    enum { ROWS = 88001, EACH = 3 };
    fsr_node i = fsr_arange(g, FSR_I32, ROWS * EACH);
    fsr_csr a = {.offsets = fsr_mul(fsr_arange(g, FSR_I32, ROWS + 1), fsr_int(g, EACH)),
                 .columns = fsr_mod(fsr_mul(i, fsr_int(g, 7)), fsr_int(g, ROWS / 2)),
                 .values = fsr_cast(fsr_mod(i, fsr_int(g, 13)), FSR_F64),
                 .rows = ROWS,
                 .cols = ROWS / 2};
    assert_int_equal(fsr_compute((fsr_node[]){a.offsets, a.columns, a.values}, 3), FSR_OK);
    return a;
}

/* No call: what makes the vector and what goes on with the product fuse. */
static void multiplies(void **state) {
    (void)state;
    const fsr_csr a = large();
    fsr_plan_info info;
    fsr_node x = fsr_arange(g, FSR_F64, a.cols);
    fsr_node y = fsr_add(fsr_csr_dot(&a, fsr_mul(x, fsr_float(g, 0.5))), fsr_int(g, 1));
    assert_int_equal(fsr_query(&y, 1, &info), FSR_OK);
    assert_int_equal(info.calls, 0);
    assert_int_equal(info.kernels, 5);
    verified(y, "a product");
    assert_int_equal(number("FAKE_CUSPARSE_THINGS"), 0);
}

/* Rows that begin behind the first element and end before the last one, with NaN outside and an infinity in the vector:
 * the product is what it is without them. */
static void elements_outside(void **state) {
    (void)state;
    fsr_csr a = large();
    const int64_t n = fsr_node_size(a.columns);
    fsr_node i = fsr_arange(g, FSR_I64, n), low = fsr_int(g, 6), high = fsr_int(g, n - 90000);
    a.offsets = fsr_minimum(fsr_maximum(a.offsets, low), high);
    fsr_node inside = fsr_logical_and(fsr_greater_equal(i, low), fsr_less(i, high));
    fsr_csr nan = a;
    nan.values = fsr_where(inside, a.values, fsr_float(g, NAN));
    nan.columns = fsr_where(inside, a.columns, fsr_int(g, 1));
    fsr_node x = fsr_arange(g, FSR_F64, a.cols), y = fsr_csr_dot(&nan, x), sum = fsr_sum(fsr_isnan(y), NULL, 0, 0);
    int64_t bad = -1;
    assert_int_equal(fsr_read(sum, &bad, sizeof bad), FSR_OK);
    assert_int_equal(bad, 0);
    verified(y, "elements outside");
}

static const struct {
    const char *name, *words;
    fsr_status status;
} failing[] = {{"Create", "cusparseCreate gave status 3, invalid value", FSR_ERR_DEVICE},
               {"SetStream", "cusparseSetStream gave status 1, not initialized", FSR_ERR_DEVICE},
               {"CreateCsr", "cusparseCreateCsr gave status 3, invalid value", FSR_ERR_DEVICE},
               {"SpMatSetAttribute", "cusparseSpMatSetAttribute gave status 3, invalid value", FSR_ERR_DEVICE},
               {"SpMatSetAttribute diagonal", "cusparseSpMatSetAttribute gave status 3, invalid value", FSR_ERR_DEVICE},
               {"CreateDnVec", "cusparseCreateDnVec gave status 3, invalid value", FSR_ERR_DEVICE},
               {"CreateDnMat", "cusparseCreateDnMat gave status 3, invalid value", FSR_ERR_DEVICE},
               {"SpSV_createDescr", "cusparseSpSV_createDescr gave status 3, invalid value", FSR_ERR_DEVICE},
               {"SpSV_bufferSize", "cusparseSpSV_bufferSize gave status 7, internal error", FSR_ERR_DEVICE},
               {"SpSV_analysis", "cusparseSpSV_analysis gave status 11, insufficient resources", FSR_ERR_DEVICE_MEMORY},
               {"SpSV_solve", "cusparseSpSV_solve gave status 6, execution failed", FSR_ERR_DEVICE},
               {"SpSM_createDescr", "cusparseSpSM_createDescr gave status 3, invalid value", FSR_ERR_DEVICE},
               {"SpSM_bufferSize", "cusparseSpSM_bufferSize gave status 7, internal error", FSR_ERR_DEVICE},
               {"SpSM_analysis", "cusparseSpSM_analysis gave status 10, not supported", FSR_ERR_UNSUPPORTED},
               {"SpSM_solve", "cusparseSpSM_solve gave status 6, execution failed", FSR_ERR_DEVICE}};

static void every_entry_has_a_row(void **state) {
    (void)state;
    ENTRIES_HAVE_ROWS(FSR_CUSPARSE_LIST, failing);
}

/* Each function that fails says which, leaves nothing behind, and the next computation works. */
static void calls_fail(void **state) {
    (void)state;
    const fsr_csr a = full(FSR_F64);
    const fsr_node one = sides(FSR_F64, 1), several = sides(FSR_F64, 3);
    for (int i = 0; i < COUNT_OF(failing); i++) {
        const bool many = strstr(failing[i].name, "SpSM") || strstr(failing[i].name, "DnMat");
        const fsr_node x = fsr_csr_solve_triangular(&a, many ? several : one, 0);
        char words[200];
        snprintf(words, sizeof words, "library call sparse: %s", failing[i].words);
        setenv("FAKE_CUSPARSE_FAIL", failing[i].name, 1);
        subject_error(ctx, fsr_force(x), failing[i].status, words);
        unsetenv("FAKE_CUSPARSE_FAIL");
        assert_int_equal(number("FAKE_CUSPARSE_THINGS"), i > 0);
        assert_int_equal(fsr_force(x), FSR_OK);
    }
}

/* The pool's free blocks may be all the memory that a handle lacks: they go, and it is made. */
static void memory_for_a_handle(void **state) {
    (void)state;
    const fsr_csr a = full(FSR_F64);
    const fsr_node x = fsr_csr_solve_triangular(&a, sides(FSR_F64, 1), 0);
    void *block;
    subject_ok(fsr_alloc(ctx, FSR_DEVICE, 1 << 20, &block), "a block");
    subject_ok(fsr_free(ctx, FSR_DEVICE, block), "given back");
    const int64_t used = fake.used;
    setenv("FAKE_CUSPARSE_FAIL", "Create once", 1);
    verified(x, "with a handle");
    assert_true(fake.used <= used - (1 << 20) + (1 << 16));
}

static bool hidden;

/* The library's dlopen: cuSPARSE may be hidden, wherever the machine has it. */
void *dlopen(const char *name, int flags) {
    void *(*next)(const char *, int) = NULL;
    *(void **)&next = dlsym(RTLD_NEXT, "dlopen");
    return hidden && name && strstr(name, "cusparse") ? NULL : next(name, flags);
}

static void no_library(void **state) {
    (void)state;
    const fsr_csr a = full(FSR_F64);
    const fsr_node b = sides(FSR_F64, 1);
    hidden = true;
    subject_error(ctx, fsr_force(fsr_csr_solve_triangular(&a, b, 0)), FSR_ERR_UNSUPPORTED,
                  "library call sparse: there is no libcusparse.so.12 for a GPU; the CPU backend solves triangles");
    hidden = false;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(solves, setup, teardown),
                                       cmocka_unit_test_setup_teardown(multiplies, setup, teardown),
                                       cmocka_unit_test_setup_teardown(elements_outside, setup, teardown),
                                       cmocka_unit_test_setup_teardown(calls_fail, setup, teardown),
                                       cmocka_unit_test(every_entry_has_a_row),
                                       cmocka_unit_test_setup_teardown(memory_for_a_handle, setup, teardown),
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
