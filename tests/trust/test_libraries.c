/* SPDX-License-Identifier: MIT */
/* The CUDA backend's calls of cuBLAS and cuFFT over a driver that is none (fake_cuda.h) and libraries that are none
 * either (tests/fakes, found by LD_LIBRARY_PATH): what is handed over, and every call of it failing. */
#include "tests/support/subject.h"
#include <stdio.h>

#ifndef FUSOR_HAVE_CUDA
int main(void) {
    printf("skipped: built without a CUDA toolkit's header\n");
    return 77;
}
#else
#include "backend_cuda/cublas.h"
#include "backend_cuda/cufft.h"
#include "tests/host_cuda/host_cuda.h"
#include "tests/trust/entries.h"
#include "tests/trust/fake_cuda.h"
#include "tests/trust/faults.h"
#include "tests/trust/scenarios.h"
#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

static fsr_context *ctx;
static fsr_graph *g;

static int setup(void **state) {
    (void)state;
    fsr_config config = scenario_config(FSR_BACKEND_CUDA);
    unsetenv("FAKE_CUBLAS_FAIL");
    unsetenv("FAKE_CUBLAS_HANDLES");
    unsetenv("FAKE_CUFFT_FAIL");
    unsetenv("FAKE_CUFFT_PLANS");
    unsetenv("FAKE_CUFFT_BYTES");
    unsetenv("FAKE_NVJITLINK_FAIL");
    unsetenv("FAKE_NVJITLINK_LINKS");
    fake_cuda_reset();
    ctx = scenario_open(&config);
    g = fsr_graph_new(ctx);
    return 0;
}

/* Of callers' kernels, and of others, two stay that nobody holds. */
static int setup_few(void **state) {
    (void)state;
    fsr_config config = scenario_config(FSR_BACKEND_CUDA);
    config.modules = 2;
    fake_cuda_reset();
    ctx = scenario_open(&config);
    g = fsr_graph_new(ctx);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    fsr_close(ctx);
    const char *handles = getenv("FAKE_CUBLAS_HANDLES");
    assert_true(!handles || !atoi(handles));
    const char *plans = getenv("FAKE_CUFFT_PLANS");
    assert_true(!plans || !atoi(plans));
    const char *bytes = getenv("FAKE_CUFFT_BYTES");
    assert_true(!bytes || !atoll(bytes));
    const char *links = getenv("FAKE_NVJITLINK_LINKS");
    assert_true(!links || !atoi(links));
    return 0;
}

static fsr_node numbers(fsr_dtype dtype, int ndim, const int64_t *shape, int stream) {
    float x[4096];
    int64_t n = 1;
    for (int d = 0; d < ndim; d++)
        n *= shape[d];
    for (int64_t i = 0; i < n; i++)
        x[i] = (float)((i * 7 + stream) % 11) - 5;
    return fsr_cast(fsr_from_host(g, FSR_F32, ndim, shape, x), dtype);
}

/* Whole numbers: every order of additions gives the same. */
static void expect(fsr_node a, fsr_node b) {
    fsr_node c = fsr_matmul(a, b), out;
    fsr_plan_info info;
    fsr_verify_report report;
    assert_int_equal(fsr_query(&c, 1, &info), FSR_OK);
    assert_int_equal(info.calls, 1);
    out = fsr_neg(c);
    const fsr_status status = fsr_verify(&out, 1, &report);
    if (status)
        fail_msg("%s", fsr_error(ctx));
    assert_int_equal(report.unknown, 0);
}

static void products(void **state) {
    (void)state;
    fsr_node a = numbers(FSR_F32, 2, SHAPE(20, 30), 1), b = numbers(FSR_F32, 2, SHAPE(30, 24), 2);
    assert_int_equal(fsr_compute((fsr_node[]){a, b}, 2), FSR_OK);
    expect(a, b);
    expect(fsr_transpose(b, NULL), fsr_transpose(a, NULL));
    fsr_node h = numbers(FSR_F16, 2, SHAPE(20, 30), 1), z = numbers(FSR_C64, 2, SHAPE(20, 30), 1);
    expect(h, fsr_cast(b, FSR_F16));
    expect(z, fsr_add(fsr_cast(b, FSR_C64), fsr_complex(g, 0, 1)));
    fsr_node many = numbers(FSR_F64, 3, SHAPE(3, 20, 30), 4);
    expect(many, fsr_swapaxes(many, 1, 2));
}

/* The last one is a graph's, which then goes step by step: recording_calls_may_fail. */
static const struct failing_call {
    const char *name;
    fsr_status status;
    const char *words;
} products_failing[] = {
    {"Create_v2", FSR_ERR_DEVICE, "library call matmul: cublasCreate gave status 1, not initialized"},
    {"SetMathMode", FSR_ERR_DEVICE_MEMORY, "library call matmul: cublasSetMathMode gave status 3, out of memory"},
    {"SetStream_v2", FSR_ERR_DEVICE, "library call matmul: cublasSetStream gave status 7, invalid value"},
    {"GemmStridedBatchedEx_64", FSR_ERR_DEVICE,
     "library call matmul: cublasGemmStridedBatchedEx gave status 13, execution failed"},
    {"SetWorkspace_v2", FSR_OK, NULL}};

/* Each function that fails says which, and that is all: the next computation works. */
static void calls_fail(void **state) {
    (void)state;
    fsr_node a = numbers(FSR_F32, 2, SHAPE(20, 30), 1), b = numbers(FSR_F32, 2, SHAPE(30, 24), 2);
    assert_int_equal(fsr_compute((fsr_node[]){a, b}, 2), FSR_OK);
    for (int i = 0; products_failing[i].words; i++) {
        fsr_node c = fsr_matmul(a, b);
        setenv("FAKE_CUBLAS_FAIL", products_failing[i].name, 1);
        subject_error(ctx, fsr_force(c), products_failing[i].status, products_failing[i].words);
        unsetenv("FAKE_CUBLAS_FAIL");
        if (i > 1) /* the handle is made but once */
            assert_int_equal(fsr_verify(&c, 1, NULL), FSR_OK);
    }
}

static void transforms(void **state) {
    (void)state;
    fsr_node x = numbers(FSR_F64, 2, SHAPE(3, 20), 1), z = numbers(FSR_C64, 2, SHAPE(3, 21), 2);
    assert_int_equal(fsr_compute((fsr_node[]){x, z}, 2), FSR_OK);
    fsr_node out[] = {fsr_fft(x, 1),
                      fsr_ifft(z, 1),
                      fsr_fft(z, 0),
                      fsr_rfft(x, 1),
                      fsr_rfft(fsr_real(z), 1),
                      fsr_irfft(fsr_rfft(x, 1), 20, 1),
                      fsr_irfft(fsr_rfft(fsr_real(z), 1), 21, 1)};
    for (int i = 0; i < COUNT_OF(out); i++)
        if (fsr_verify(&out[i], 1, NULL))
            fail_msg("%d: %s", i, fsr_error(ctx));
}

/* The library overwrites a spectrum that it makes real numbers of. One that nobody reads afterwards is lent to it; of
 * any other, the caller's, one that is read again, a result, it has a copy. */
static void spectra_are_overwritten(void **state) {
    (void)state;
    enum { ROWS = 3, N = 20, BYTES = ROWS * (N / 2 + 1) * 16 };
    fsr_node x = numbers(FSR_F64, 2, SHAPE(ROWS, N), 1), own = fsr_rfft(x, 1);
    assert_int_equal(fsr_compute((fsr_node[]){x, own}, 2), FSR_OK);
    for (int form = 0; form < 4; form++) {
        fsr_node spectrum = form == 1 ? own : fsr_mul(fsr_rfft(x, 1), fsr_complex(g, 0.5, form)), out[2];
        int n = 1;
        out[0] = fsr_irfft(spectrum, N, 1);
        if (form == 2)
            out[n++] = fsr_fft(spectrum, 0);
        if (form == 3)
            out[n++] = spectrum;
        const int64_t before = fake.copies;
        if (fsr_verify(out, n, NULL))
            fail_msg("%d: %s", form, fsr_error(ctx));
        assert_int_equal(fake.copies - before, form != 0);
    }
    fsr_plan_info lent, copied;
    fsr_node lone = fsr_irfft(fsr_mul(own, fsr_complex(g, 0, 1)), N, 1), read = fsr_irfft(own, N, 1);
    assert_int_equal(fsr_query(&lone, 1, &lent), FSR_OK);
    assert_int_equal(fsr_query(&read, 1, &copied), FSR_OK);
    assert_true(lent.peak_bytes >= BYTES && lent.peak_bytes == copied.peak_bytes);
}

static long long counted(const char *name) {
    const char *now = getenv(name);
    return now ? atoll(now) : 0;
}

static void transform(fsr_node x, int64_t n) {
    fsr_node y = fsr_fft(fsr_slice(x, 0, 0, n, 1), 0);
    const fsr_status status = fsr_force(y);
    if (status)
        fail_msg("%s", fsr_error(ctx));
}

/* A row of n elements has a plan of n MiB; 256 MiB are kept, or one plan that needs more. */
static void memory_of_plans_is_bounded(void **state) {
    (void)state;
    fsr_node x = numbers(FSR_C64, 1, SHAPE(300), 1);
    assert_int_equal(fsr_force(x), FSR_OK);
    for (int64_t n = 40; n < 47; n++) {
        transform(x, n);
        assert_true(counted("FAKE_CUFFT_BYTES") <= 256 << 20);
    }
    assert_int_equal(counted("FAKE_CUFFT_PLANS"), 5);
    assert_int_equal(counted("FAKE_CUFFT_BYTES"), (42 + 43 + 44 + 45 + 46) << 20);
    transform(x, 300);
    assert_int_equal(counted("FAKE_CUFFT_PLANS"), 1);
    assert_int_equal(counted("FAKE_CUFFT_BYTES"), 300 << 20);
    transform(x, 50);
    assert_int_equal(counted("FAKE_CUFFT_BYTES"), 50 << 20);
}

/* A plan for which there is no memory is made behind the others' destruction. */
static void no_memory_for_a_plan(void **state) {
    (void)state;
    fsr_node x = numbers(FSR_C64, 1, SHAPE(40), 1);
    assert_int_equal(fsr_force(x), FSR_OK);
    transform(x, 8);
    transform(x, 9);
    setenv("FAKE_CUFFT_FAIL", "MakePlanMany64 once", 1);
    transform(x, 10);
    assert_int_equal(counted("FAKE_CUFFT_PLANS"), 1);
    setenv("FAKE_CUFFT_FAIL", "Create", 1);
    subject_error(ctx, fsr_force(fsr_fft(fsr_slice(x, 0, 0, 12, 1), 0)), FSR_ERR_DEVICE_MEMORY,
                  "library call fft: cufftCreate gave status 2, allocation failed");
}

/* Where there is no plan to destroy it is made behind what the pool gives up. */
static void no_memory_for_the_first_plan(void **state) {
    (void)state;
    fsr_node x = numbers(FSR_C64, 1, SHAPE(40), 1);
    assert_int_equal(fsr_force(x), FSR_OK);
    setenv("FAKE_CUFFT_FAIL", "MakePlanMany64 once", 1);
    transform(x, 10);
    assert_int_equal(counted("FAKE_CUFFT_PLANS"), 1);
}

/* More lengths than plans are kept for. */
static void plans_are_replaced(void **state) {
    (void)state;
    fsr_node x = numbers(FSR_C64, 1, SHAPE(40), 1);
    assert_int_equal(fsr_force(x), FSR_OK);
    for (int turn = 0; turn < 2; turn++)
        for (int n = 2; n < 36; n++)
            transform(x, n);
    assert_int_equal(atoi(getenv("FAKE_CUFFT_PLANS")), 32);
}

static const struct failing_call transforms_failing[] = {
    {"Create", FSR_ERR_DEVICE_MEMORY, "library call fft: cufftCreate gave status 2, allocation failed"},
    {"MakePlanMany64", FSR_ERR_UNSUPPORTED, "library call fft: cufftMakePlanMany64 gave status 16"},
    {"SetStream", FSR_ERR_DEVICE, "library call fft: cufftSetStream gave status 5"},
    {"ExecC2C", FSR_ERR_DEVICE, "library call fft: cufftExecC2C gave status 6"},
    {"ExecZ2Z", FSR_ERR_DEVICE, "library call fft: cufftExecZ2Z gave status 6"},
    {"ExecR2C", FSR_ERR_DEVICE, "library call fft: cufftExecR2C gave status 6"},
    {"ExecD2Z", FSR_ERR_DEVICE, "library call fft: cufftExecD2Z gave status 6"},
    {"ExecC2R", FSR_ERR_DEVICE, "library call fft: cufftExecC2R gave status 6"},
    {"ExecZ2D", FSR_ERR_DEVICE, "library call fft: cufftExecZ2D gave status 6"}};

/* The transform that calls this function, of a length that has no plan yet. */
static fsr_node calling(const char *name, int64_t n) {
    const bool wide = strstr(name, "Z2") || strstr(name, "2Z");
    fsr_node z = numbers(wide ? FSR_C128 : FSR_C64, 1, &n, 1);
    return strstr(name, "ExecR2C") || strstr(name, "ExecD2Z")   ? fsr_rfft(fsr_real(z), 0)
           : strstr(name, "ExecC2R") || strstr(name, "ExecZ2D") ? fsr_irfft(z, 2 * n - 1, 0)
                                                                : fsr_fft(z, 0);
}

static void transforms_fail(void **state) {
    (void)state;
    for (int i = 0; i < COUNT_OF(transforms_failing); i++) {
        const struct failing_call *row = &transforms_failing[i];
        fsr_node y = calling(row->name, 16 + i);
        setenv("FAKE_CUFFT_FAIL", row->name, 1);
        subject_error(ctx, fsr_force(y), row->status, row->words);
        unsetenv("FAKE_CUFFT_FAIL");
        if (fsr_verify(&y, 1, NULL))
            fail_msg("after %s: %s", row->name, fsr_error(ctx));
    }
}

static void every_entry_has_a_row(void **state) {
    (void)state;
    ENTRIES_HAVE_ROWS(FSR_CUBLAS_LIST, products_failing);
    ENTRIES_HAVE_ROWS(FSR_CUFFT_LIST, transforms_failing);
}

/* Neither cuBLAS nor cuFFT: products are loops, and a transform says what there is not. */
static void no_libraries(void **state) {
    (void)state;
    fsr_node a = numbers(FSR_F32, 2, SHAPE(20, 30), 1), b = numbers(FSR_F32, 2, SHAPE(30, 24), 2), c = fsr_matmul(a, b);
    fsr_node z = numbers(FSR_C64, 1, SHAPE(40), 1), x = fsr_fft(z, 0);
    fsr_plan_info info;
    assert_int_equal(fsr_compute((fsr_node[]){a, b, z}, 3), FSR_OK);
    faults_arm(FAULT_FILE, FAULT_ERROR, 1, true, 0, "dlopen");
    const fsr_status planned = fsr_query(&c, 1, &info), transform_of = fsr_force(x);
    faults_disarm();
    assert_int_equal(planned, FSR_OK);
    assert_int_equal(info.calls, 0);
    subject_error(ctx, transform_of, FSR_ERR_UNSUPPORTED,
                  "library call fft: there is no libcufft.so.12 or .11 for a GPU; the CPU backend transforms");
    assert_int_equal(fsr_verify(&c, 1, NULL), FSR_OK);
}

/* ---- kernels of the program's own -------------------------------------------------------------------------- */

enum { BLOCK = 64 };
static const char add_text[] =
    "extern \"C\" __global__ void add_to(const float *x, float *y, float *sum, float a, int n) {\n"
    "    int i = blockIdx.x * 64 + threadIdx.x;\n"
    "    if (i < n) { y[i] += a * x[i]; sum[i] += x[i]; }\n"
    "}\n";

/* y + a * x, and x as what is added to zeros. */
static void add_to(fsr_node *out, const fsr_node *in, const char *text, float a, int64_t shared) {
    const int n = (int)fsr_node_size(in[0]);
    const fsr_kernel_param param[] = {FSR_IN(0),
                                      {.kind = FSR_PARAM_COPIED, .index = 0, .from = 1},
                                      {.kind = FSR_PARAM_ZEROED, .index = 1},
                                      FSR_VALUE_OF(a),
                                      FSR_VALUE_OF(n)};
    fsr_frame_array type = {.dtype = FSR_F32, .ndim = 1, .shape = {n}};
    const fsr_callee callee = {.name = "add_to",
                               .inputs = 2,
                               .outputs = 2,
                               .types = (fsr_frame_array[]){type, type},
                               .kernel = {.code = text,
                                          .name = "add_to",
                                          .grid = {(n + BLOCK - 1) / BLOCK},
                                          .block = {BLOCK},
                                          .shared_bytes = shared,
                                          .param = param,
                                          .params = COUNT_OF(param)}};
    fsr_call_library(g, out, &callee, in, 2);
}

static void kernel_takes(int floats) {
    memcpy(fake.param_bytes, (int[]){8, 8, 8, floats, 4, 0}, 6 * sizeof(int));
}

static fsr_status added(fsr_node *in, float a, int64_t shared) {
    float got[100];
    fsr_node out[2];
    add_to(out, in, add_text, a, shared);
    fsr_node both = fsr_add(out[0], out[1]);
    const fsr_status status = fsr_read(both, got, sizeof got);
    for (int i = 0; i < 100 && !status; i++)
        assert_true(got[i] == 2 * (float)i + (a + 1) * (float)i);
    return status;
}

/* Compiled once, launched as often as it is asked for, with what outputs shall begin with. */
static void kernels(void **state) {
    (void)state;
    fsr_node x = fsr_arange(g, FSR_F32, 100), in[] = {x, fsr_add(x, x)};
    kernel_takes(4);
    assert_int_equal(added(in, 3, 0), FSR_OK);
    const int64_t objects = fake.objects;
    assert_int_equal(added(in, 4, 0), FSR_OK);
    assert_int_equal(added(in, 5, 100 << 10), FSR_OK);
    assert_int_equal(fake.objects, objects);
}

/* Its own shared memory counts too: 32 KiB of it and 32 KiB that a launch asks for are more than is had unasked. */
static void shared_memory_of_both_kinds(void **state) {
    (void)state;
    fsr_node x = fsr_arange(g, FSR_F32, 100), in[] = {x, fsr_add(x, x)}, out[2];
    kernel_takes(4);
    fake.static_shared = 32 << 10;
    assert_int_equal(added(in, 3, 32 << 10), FSR_OK);
    assert_int_equal(added(in, 4, 195 << 10), FSR_OK);
    assert_int_equal(added(in, 5, 1 << 10), FSR_OK);
    assert_int_equal(added(in, 6, 32 << 10), FSR_OK);
    add_to(out, in, add_text, 1, 196 << 10);
    assert_int_equal(fsr_compute(out, 2), FSR_ERR_DEVICE);
    assert_non_null(strstr(fsr_error(ctx), "launching kernel add_to"));
}

/* Each call of the driver and of the compiler failing in turn, of a text that is loaded and of one that is not: nothing
 * is left of it, and the next computation works. */
static void kernels_fail(void **state) {
    (void)state;
    fsr_node x = fsr_arange(g, FSR_F32, 100), in[] = {x, fsr_add(x, x)}, out[2];
    int failed = 0;
    char text[40];
    bool hit = true;
    kernel_takes(4);
    fake.no_kernels = true;
    assert_int_equal(fsr_compute(in, 2), FSR_OK);
    for (int64_t k = 1; hit; k++) {
        snprintf(text, sizeof text, "/* text %lld */", (long long)k);
        hit = false;
        for (int turn = 0; turn < 2; turn++) {
            const int64_t objects = fake.objects;
            add_to(out, in, text, (float)k, 100 << 10);
            faults_arm(FAULT_CUDA, FAULT_ERROR, k, false, cudaErrorUnknown, NULL);
            const fsr_status status = fsr_compute(out, 2);
            hit = faults_disarm() || hit;
            failed += status != FSR_OK;
            if (status && status != FSR_ERR_DEVICE && status != FSR_ERR_COMPILE)
                fail_msg("fault %lld (%s): %s", (long long)k, faults_hit(), fsr_error(ctx));
            assert_true(fake.objects <= objects + 1);
            assert_int_equal(fsr_compute(out, 2), FSR_OK);
        }
    }
    assert_true(failed > 16);
}

static void kernels_of_other_parameters(void **state) {
    (void)state;
    fsr_node x = fsr_arange(g, FSR_F32, 100), in[] = {x, x}, out[2];
    kernel_takes(8);
    add_to(out, in, add_text, 1, 0);
    subject_error(ctx, fsr_compute(out, 2), FSR_ERR_VALUE,
                  "parameter 4 of kernel add_to has 8 bytes, the call gives 4");
    fake.param_bytes[4] = 0;
    add_to(out, in, "/* another */", 1, 0);
    subject_error(ctx, fsr_compute(out, 2), FSR_ERR_VALUE, "kernel add_to has 4 parameters, the call gives 5");
}

/* A call gives as many as it may, and the kernel has more. */
static void kernels_of_too_many_parameters(void **state) {
    (void)state;
    const float one = 1;
    fsr_kernel_param param[FSR_MAX_KERNEL_PARAMS];
    fsr_node x = fsr_arange(g, FSR_F32, 100), out;
    for (int i = 0; i < COUNT_OF(fake.param_bytes) - 1; i++)
        fake.param_bytes[i] = i ? 4 : 8;
    fake.no_kernels = true;
    param[0] = (fsr_kernel_param)FSR_OUT(0);
    for (int i = 1; i < FSR_MAX_KERNEL_PARAMS; i++)
        param[i] = (fsr_kernel_param)FSR_VALUE_OF(one);
    const fsr_callee callee = {.name = "many",
                               .inputs = 1,
                               .outputs = 1,
                               .types = &(fsr_frame_array){.dtype = FSR_F32, .ndim = 1, .shape = {100}},
                               .kernel = {.code = "/* many */",
                                          .name = "many",
                                          .grid = {1},
                                          .block = {BLOCK},
                                          .param = param,
                                          .params = COUNT_OF(param)}};
    assert_int_equal(fsr_compute(&x, 1), FSR_OK);
    fsr_call_library(g, &out, &callee, &x, 1);
    subject_error(ctx, fsr_compute(&out, 1), FSR_ERR_VALUE, "kernel many has 65 parameters or more, the call gives 64");
}

/* ---- calls in graphs --------------------------------------------------------------------------------------------- */

enum { SIDE = 24, CALL_BYTES = SIDE * SIDE * 16 };

/* From x to y in memory of the device; the plan's kernels on both sides of the call are the host's. */
static void run_call(fsr_plan *plan, void *x, void *y) {
    subject_ok(fsr_plan_run(plan, &(fsr_arg){"x", x, CALL_BYTES, FSR_DEVICE}, 1,
                            &(fsr_arg){NULL, y, CALL_BYTES, FSR_DEVICE}, 1, NULL),
               "running a call between kernels");
}

static void fill(double *x, int round) {
    for (int i = 0; i < SIDE * SIDE * 2; i++)
        x[i] = (i * 7 + round * 5) % 9 - 4;
}

/* A call between two kernels is part of the plan's graph: what it gives of other data in the same arrays is what the
 * same plan gives step by step. The libraries load kernels while they are recorded, as cuFFT and cuBLAS may. */
static void calls_are_replayed(void **state) {
    (void)state;
    char keeper[32];
    double *x, *y, *expected = calloc(1, CALL_BYTES);
    enum cudaStreamCaptureMode mode =
        cudaStreamCaptureModeGlobal; /* one that failed in an earlier test may have stayed */
    assert_int_equal(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
    snprintf(keeper, sizeof keeper, "%p", (void *)(uintptr_t)fake_record_call);
    setenv("FAKE_RECORD", keeper, 1);
    fsr_node in = fsr_input(g, "x", FSR_C128, 2, SHAPE(SIDE, SIDE)), before = fsr_add(in, fsr_int(g, 1));
    fsr_node calls[] = {fsr_neg(fsr_fft(before, 1)), fsr_neg(fsr_matmul(before, before)),
                        fsr_fft(fsr_matmul(before, before), 0)};
    subject_ok(fsr_alloc(ctx, FSR_DEVICE, CALL_BYTES, (void **)&x), "x");
    subject_ok(fsr_alloc(ctx, FSR_DEVICE, CALL_BYTES, (void **)&y), "y");
    for (int c = 0; c < COUNT_OF(calls); c++) {
        fsr_plan *plan, *single;
        fsr_stats before_runs, after_runs;
        subject_ok(fsr_compile(&calls[c], 1, &plan), "compiling");
        subject_ok(fsr_compile(&calls[c], 1, &single), "compiling once more");
        subject_ok(fsr_context_stats(ctx, &before_runs), "stats");
        for (int round = 0; round < 6; round++) {
            fill(x, round);
            run_call(plan, x, y);
            memcpy(expected, y, CALL_BYTES);
            double *other; /* an address that may be new: step by step, or a graph of its own */
            subject_ok(fsr_alloc(ctx, FSR_DEVICE, CALL_BYTES, (void **)&other), "another array");
            run_call(single, x, other);
            assert_memory_equal(other, expected, CALL_BYTES);
            fsr_free(ctx, FSR_DEVICE, other);
        }
        subject_ok(fsr_context_stats(ctx, &after_runs), "stats");
        assert_true(after_runs.graphs_made > before_runs.graphs_made);
        assert_true(after_runs.graph_launches >= before_runs.graph_launches + 4);
        fsr_plan_free(plan);
        fsr_plan_free(single);
    }
    free(expected);
    fsr_free(ctx, FSR_DEVICE, x);
    fsr_free(ctx, FSR_DEVICE, y);
    unsetenv("FAKE_RECORD");
}

/* A plan of cuFFT's that others have pushed out takes what was recorded of it along: it is recorded anew. */
static void a_plan_that_is_gone_is_not_replayed(void **state) {
    (void)state;
    char keeper[32];
    double *x, *y;
    fsr_plan *plan;
    fsr_stats first, last;
    snprintf(keeper, sizeof keeper, "%p", (void *)(uintptr_t)fake_record_call);
    setenv("FAKE_RECORD", keeper, 1);
    fsr_node in = fsr_input(g, "x", FSR_C128, 2, SHAPE(SIDE, SIDE)),
             out = fsr_neg(fsr_fft(fsr_add(in, fsr_int(g, 1)), 1));
    subject_ok(fsr_alloc(ctx, FSR_DEVICE, CALL_BYTES, (void **)&x), "x");
    subject_ok(fsr_alloc(ctx, FSR_DEVICE, CALL_BYTES, (void **)&y), "y");
    subject_ok(fsr_compile(&out, 1, &plan), "compiling");
    fill(x, 0);
    for (int i = 0; i < 4; i++)
        run_call(plan, x, y);
    subject_ok(fsr_context_stats(ctx, &first), "stats");
    assert_int_equal(first.graphs_made, 1);
    for (int n = 0; n < 40; n++) {
        fsr_node other = fsr_fft(fsr_ones(g, FSR_C64, 1, SHAPE(2 + n)), 0);
        subject_ok(fsr_force(other), "another length");
    }
    const double expected = y[0];
    for (int i = 0; i < 60; i++) {
        memset(y, 0, CALL_BYTES);
        run_call(plan, x, y);
        assert_true(y[0] == expected);
    }
    subject_ok(fsr_context_stats(ctx, &last), "stats");
    assert_int_equal(last.graphs_made, 2);
    fsr_plan_free(plan);
    fsr_free(ctx, FSR_DEVICE, x);
    fsr_free(ctx, FSR_DEVICE, y);
    unsetenv("FAKE_RECORD");
}

/* A plan of cuFFT's that is replayed is in use: others push out those that are not, and what was recorded of it
 * stays. */
static void a_plan_that_is_replayed_stays(void **state) {
    (void)state;
    char keeper[32];
    double *x, *y;
    fsr_plan *plan;
    fsr_stats stats;
    snprintf(keeper, sizeof keeper, "%p", (void *)(uintptr_t)fake_record_call);
    setenv("FAKE_RECORD", keeper, 1);
    fsr_node in = fsr_input(g, "x", FSR_C128, 2, SHAPE(SIDE, SIDE)), out = fsr_neg(fsr_fft(fsr_neg(in), 1));
    subject_ok(fsr_alloc(ctx, FSR_DEVICE, CALL_BYTES, (void **)&x), "x");
    subject_ok(fsr_alloc(ctx, FSR_DEVICE, CALL_BYTES, (void **)&y), "y");
    subject_ok(fsr_compile(&out, 1, &plan), "compiling");
    fill(x, 0);
    run_call(plan, x, y);
    const double expected = y[0];
    for (int n = 0; n < 80; n++) {
        fsr_node other = fsr_fft(fsr_ones(g, FSR_C64, 1, SHAPE(2 + n)), 0);
        subject_ok(fsr_force(other), "another length");
        memset(y, 0, CALL_BYTES);
        run_call(plan, x, y);
        assert_true(y[0] == expected);
    }
    subject_ok(fsr_context_stats(ctx, &stats), "stats");
    assert_int_equal(stats.graphs_made, 1);
    assert_true(atoi(getenv("FAKE_CUFFT_PLANS")) <= 32);
    fsr_plan_free(plan);
    fsr_free(ctx, FSR_DEVICE, x);
    fsr_free(ctx, FSR_DEVICE, y);
    unsetenv("FAKE_RECORD");
}

/* No workspace, or a function that fails while a run is recorded: it goes step by step. */
static void recording_calls_may_fail(void **state) {
    (void)state;
    char keeper[32];
    double *x, *y;
    fsr_plan *plan;
    fsr_stats stats;
    snprintf(keeper, sizeof keeper, "%p", (void *)(uintptr_t)fake_record_call);
    setenv("FAKE_RECORD", keeper, 1);
    fsr_node in = fsr_input(g, "x", FSR_C128, 2, SHAPE(SIDE, SIDE)), out = fsr_neg(fsr_matmul(in, in));
    subject_ok(fsr_alloc(ctx, FSR_DEVICE, CALL_BYTES, (void **)&x), "x");
    subject_ok(fsr_alloc(ctx, FSR_DEVICE, CALL_BYTES, (void **)&y), "y");
    subject_ok(fsr_compile(&out, 1, &plan), "compiling");
    fill(x, 0);
    setenv("FAKE_CUBLAS_FAIL", "SetWorkspace_v2", 1);
    for (int i = 0; i < 4; i++)
        run_call(plan, x, y);
    const double expected = y[0];
    subject_ok(fsr_context_stats(ctx, &stats), "stats");
    assert_int_equal(stats.graph_launches, 0);
    unsetenv("FAKE_CUBLAS_FAIL");
    for (int i = 0; i < 40; i++) {
        memset(y, 0, CALL_BYTES);
        run_call(plan, x, y);
        assert_true(y[0] == expected);
    }
    subject_ok(fsr_context_stats(ctx, &stats), "stats");
    assert_true(stats.graph_launches > 10);
    fsr_plan_free(plan);
    fsr_free(ctx, FSR_DEVICE, x);
    fsr_free(ctx, FSR_DEVICE, y);
    unsetenv("FAKE_RECORD");
}

/* cuFFT's plans go when others come, and the workspace of handles is one: a capture, which may be launched at any time,
 * gets no call of libraries, and says so before anything is on the stream. */
static void calls_of_libraries_are_not_captured(void **state) {
    (void)state;
    enum { N = 24, BYTES = N * N * 16 };
    fsr_node x = fsr_input(g, "x", FSR_C128, 2, SHAPE(N, N));
    const struct {
        fsr_node out;
        const char *name;
    } row[] = {{fsr_fft(x, 1), "fft"}, {fsr_matmul(x, x), "matmul"}, {fsr_inv(x), "linalg"}};
    void *data[2];
    for (int i = 0; i < 2; i++)
        subject_ok(fsr_alloc(ctx, FSR_DEVICE, BYTES, &data[i]), "memory");
    memset(data[0], 0, BYTES);
    for (int i = 0; i < COUNT_OF(row); i++) {
        char words[100];
        fsr_plan *plan;
        cudaStream_t stream;
        subject_ok(fsr_compile(&row[i].out, 1, &plan), "compiling");
        assert_int_equal(cudaStreamCreateWithFlags(&stream, 0), cudaSuccess);
        snprintf(words, sizeof words, "the stream is being captured|library call %s may not be captured", row[i].name);
        fake.capturing = true;
        subject_error(ctx,
                      fsr_plan_run(plan, &(fsr_arg){"x", data[0], BYTES, FSR_DEVICE}, 1,
                                   &(fsr_arg){NULL, data[1], BYTES, FSR_DEVICE}, 1, stream),
                      FSR_ERR_UNSUPPORTED, words);
        fake.capturing = false;
        cudaStreamDestroy(stream);
        fsr_plan_free(plan);
    }
    for (int i = 0; i < 2; i++)
        fsr_free(ctx, FSR_DEVICE, data[i]);
}

/* What a capture has may be launched as long as the context is open: it is not pushed out by others. */
static void captured_kernels_stay(void **state) {
    (void)state;
    fsr_node x = fsr_arange(g, FSR_F32, 100), in[] = {x, x}, out[2];
    kernel_takes(4);
    fake.no_kernels = true;
    assert_int_equal(fsr_compute(in, 1), FSR_OK);
    for (int captured = 0; captured < 2; captured++) {
        char text[40];
        const int64_t unloaded = fake.unloaded;
        snprintf(text, sizeof text, "/* the first %d */", captured);
        for (int i = 0; i < 8; i++) {
            fake.capturing = captured && i == 0;
            add_to(out, in, text, 1, 0);
            assert_int_equal(fsr_compute(out, 2), FSR_OK);
            snprintf(text, sizeof text, "/* another %d of %d */", i, captured);
        }
        assert_true(fake.unloaded > unloaded);
    }
    fake.capturing = false;
    const int64_t objects = fake.objects;
    add_to(out, in, "/* the first 1 */", 2, 0);
    assert_int_equal(fsr_compute(out, 2), FSR_OK);
    assert_int_equal(fake.objects, objects);
    fake.no_kernels = false;
}

/* A capture has nothing of a launch that failed, so nothing is held: others push it out, and it is loaded anew. Once
 * one has succeeded it stays. */
static void kernels_that_no_capture_has_go(void **state) {
    (void)state;
    fsr_node x = fsr_arange(g, FSR_F32, 100), in[] = {x, x}, out[2];
    kernel_takes(4);
    fake.no_kernels = true;
    assert_int_equal(fsr_compute(in, 1), FSR_OK);
    for (int fails = 1; fails >= 0; fails--) {
        for (int i = 0; i < 8; i++) {
            char text[40];
            snprintf(text, sizeof text, i ? "/* another %d of %d */" : "/* the first */", i, fails);
            fake.capturing = i == 0;
            add_to(out, in, text, 1, fails && i == 0 ? 1 << 20 : 0);
            assert_int_equal(fsr_compute(out, 2), fails && i == 0 ? FSR_ERR_DEVICE : FSR_OK);
        }
        const int64_t unloaded = fake.unloaded;
        add_to(out, in, "/* the first */", 2, 0);
        assert_int_equal(fsr_compute(out, 2), FSR_OK);
        assert_int_equal(fake.unloaded, unloaded + fails);
    }
    fake.capturing = false;
}

/* ---- native functions with compiled code ------------------------------------------------------------------------- */

/* x + number, by a text that does not call what it is linked with: the host has no such functions. */
static fsr_node add_number(fsr_node x, int number, fsr_linked_form form, const char *code) {
    char text[40];
    snprintf(text, sizeof text, "return x + %d;", number);
    const fsr_native f = {.name = "add_number",
                          .result = FSR_F32,
                          .parameters = "f32 x",
                          .c = text,
                          .cuda = text,
                          .linked_form = form,
                          .linked = code,
                          .linked_bytes = strlen(code)};
    return fsr_call_native(&f, &x, 1);
}

static void expect_linked(fsr_node y, float want, const char *added) {
    float got;
    assert_int_equal(fsr_force(y), FSR_OK);
    assert_int_equal(fsr_read(fsr_slice(y, 0, 0, 1, 1), &got, sizeof got), FSR_OK);
    assert_true(got == want);
    assert_string_equal(getenv("FAKE_NVJITLINK_ADDED"), added);
}

/* Code that two functions have is linked once, and a kernel has one code; LTO-IR and PTX make a kernel LTO-IR. */
static void linked_kernels(void **state) {
    (void)state;
    fsr_node x = fsr_arange(g, FSR_F32, 100);
    expect_linked(add_number(add_number(x, 1, FSR_LINKED_LTOIR, "same"), 2, FSR_LINKED_LTOIR, "same"), 3,
                  "2 -arch=sm_90 -fma=0 -lto");
    expect_linked(add_number(add_number(x, 1, FSR_LINKED_LTOIR, "one"), 4, FSR_LINKED_PTX, "other"), 5,
                  "2 -arch=sm_90 -fma=0 -lto");
}

/* Each call failing, and no library: an error of that computation, and nothing is left of it. */
static void links_fail(void **state) {
    (void)state;
    static const char *const calls[] = {"Create",         "AddData", "Complete", "GetLinkedCubinSize",
                                        "GetLinkedCubin", "empty",   NULL};
    fsr_node x = fsr_arange(g, FSR_F32, 100);
    for (int i = 0; calls[i]; i++) {
        char code[20];
        snprintf(code, sizeof code, "code %d", i);
        fsr_node y = add_number(x, 7, FSR_LINKED_PTX, code);
        setenv("FAKE_NVJITLINK_FAIL", calls[i], 1);
        subject_error(ctx, fsr_force(y), FSR_ERR_COMPILE,
                      "with the code of the native functions add_number (nvJitLink");
        assert_true(!i || strstr(fsr_error(ctx), "fake: nothing fits"));
        unsetenv("FAKE_NVJITLINK_FAIL");
        assert_int_equal(atoi(getenv("FAKE_NVJITLINK_LINKS") ? getenv("FAKE_NVJITLINK_LINKS") : "0"), 0);
        assert_int_equal(fsr_force(y), FSR_OK);
    }
    fsr_node y = add_number(x, 8, FSR_LINKED_PTX, "more");
    setenv("FAKE_NVJITLINK_FAIL", "Version", 1);
    subject_error(ctx, fsr_force(y), FSR_ERR_UNSUPPORTED, "nvJitLink does not answer: status 6");
    unsetenv("FAKE_NVJITLINK_FAIL");
    faults_arm(FAULT_FILE, FAULT_ERROR, 1, true, 0, "dlopen");
    const fsr_status status = fsr_force(y);
    faults_disarm();
    subject_error(ctx, status, FSR_ERR_UNSUPPORTED,
                  "the native function add_number is linked with compiled code, which "
                  "needs nvJitLink; tried libnvJitLink.so.13");
    assert_int_equal(fsr_force(y), FSR_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(products, setup, teardown),
        cmocka_unit_test_setup_teardown(calls_fail, setup, teardown),
        cmocka_unit_test_setup_teardown(transforms, setup, teardown),
        cmocka_unit_test_setup_teardown(spectra_are_overwritten, setup, teardown),
        cmocka_unit_test_setup_teardown(plans_are_replaced, setup, teardown),
        cmocka_unit_test_setup_teardown(memory_of_plans_is_bounded, setup, teardown),
        cmocka_unit_test_setup_teardown(no_memory_for_a_plan, setup, teardown),
        cmocka_unit_test_setup_teardown(transforms_fail, setup, teardown),
        cmocka_unit_test(every_entry_has_a_row),
        cmocka_unit_test_setup_teardown(kernels, setup, teardown),
        cmocka_unit_test_setup_teardown(kernels_fail, setup, teardown),
        cmocka_unit_test_setup_teardown(linked_kernels, setup, teardown),
        cmocka_unit_test_setup_teardown(links_fail, setup, teardown),
        cmocka_unit_test_setup_teardown(shared_memory_of_both_kinds, setup, teardown),
        cmocka_unit_test_setup_teardown(kernels_of_too_many_parameters, setup, teardown),
        cmocka_unit_test_setup_teardown(kernels_that_no_capture_has_go, setup_few, teardown),
        cmocka_unit_test_setup_teardown(kernels_of_other_parameters, setup, teardown),
        cmocka_unit_test_setup_teardown(captured_kernels_stay, setup_few, teardown),
        cmocka_unit_test_setup_teardown(no_libraries, setup, teardown),
        cmocka_unit_test_setup_teardown(no_memory_for_the_first_plan, setup, teardown),
        cmocka_unit_test_setup_teardown(calls_are_replayed, setup, teardown),
        cmocka_unit_test_setup_teardown(a_plan_that_is_gone_is_not_replayed, setup, teardown),
        cmocka_unit_test_setup_teardown(a_plan_that_is_replayed_stays, setup, teardown),
        cmocka_unit_test_setup_teardown(recording_calls_may_fail, setup, teardown),
        cmocka_unit_test_setup_teardown(calls_of_libraries_are_not_captured, setup, teardown)};
    if (!host_cuda_available()) {
        printf("skipped: no C++ compiler to run kernels on the host with\n");
        return 77;
    }
    fake_cuda_reset();
    fault_fake_nvrtc(true);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
