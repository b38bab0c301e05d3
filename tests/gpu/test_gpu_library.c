/* SPDX-License-Identifier: MIT */
/* Calls of a program's own on a GPU: on the plan's stream, between fused kernels; what they return, and what they
 * leave as CUDA's last error, is the computation's; a stream that is being captured takes those that say they may
 * be. */
#define SUBJECT_BACKEND FSR_BACKEND_CUDA
#include "tests/support/subject.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef FUSOR_HAVE_CUDA
#include <cuda_runtime_api.h>

#define G subject_g
enum { N = 1000003 };

/* By way of the workspace. */
static fsr_status copy(const fsr_call_frame *s) {
    const size_t bytes = sizeof(float) * (size_t)s->input[0].shape[0];
    const cudaStream_t stream = s->stream;
    assert_true(s->cuda && s->work_bytes == (int64_t)bytes);
    if (cudaMemcpyAsync(s->work, s->input[0].data, bytes, cudaMemcpyDeviceToDevice, stream) != cudaSuccess ||
        cudaMemcpyAsync(s->output[0].data, s->work, bytes, cudaMemcpyDeviceToDevice, stream) != cudaSuccess)
        return FSR_ERR_DEVICE;
    if (s->user)
        cudaMemcpyAsync(s->output[0].data, s->work, 1, (enum cudaMemcpyKind)99, stream); /* left as the last error */
    return FSR_OK;
}

static fsr_status copy_on_host(const fsr_call_frame *s) {
    memcpy(s->output[0].data, s->input[0].data, sizeof(float) * (size_t)s->input[0].shape[0]);
    return FSR_OK;
}

static fsr_status refuse(const fsr_call_frame *s) {
    snprintf(s->why, s->why_bytes, "not today");
    return FSR_ERR_UNSUPPORTED;
}

static int64_t bytes_of(const fsr_call_frame *s) {
    return (int64_t)sizeof(float) * s->input[0].shape[0];
}

static fsr_node called(fsr_node x, fsr_call_fn cuda, void *user, bool capturable) {
    const fsr_callee callee = {.name = "copy",
                               .user = user,
                               .inputs = 1,
                               .outputs = 1,
                               .work = bytes_of,
                               .cpu = copy_on_host,
                               .cuda = cuda,
                               .capturable = capturable,
                               .ulp = 1};
    fsr_node out;
    fsr_call_library(G, &out, &callee, &x, 1);
    return out;
}

static void on_the_stream(void **state) {
    (void)state;
    fsr_node x = fsr_arange(G, FSR_F32, N), y = fsr_sub(called(fsr_add(x, fsr_int(G, 1)), copy, NULL, true), x);
    float *out = subject_read(y);
    for (int i = 0; i < N; i++)
        if (out[i] != 1)
            fail_msg("element %d is %g", i, (double)out[i]);
    free(out);
    fsr_node again = fsr_neg(called(x, copy, NULL, true));
    assert_int_equal(subject_verify(&again, 1, NULL, "a copy"), 0);
}

static void failures(void **state) {
    (void)state;
    int flag = 0;
    fsr_node x = fsr_arange(G, FSR_F32, 100), bad = called(x, refuse, NULL, true), left = called(x, copy, &flag, true);
    fsr_node none = called(x, NULL, NULL, false);
    subject_error(subject_ctx, fsr_force(bad), FSR_ERR_UNSUPPORTED, "library call copy: not today");
    subject_error(subject_ctx, fsr_force(left), FSR_ERR_DEVICE, "library call copy");
    subject_error(subject_ctx, fsr_force(none), FSR_ERR_UNSUPPORTED, "library call copy has no function for a GPU");
    assert_true(subject_value(called(x, copy, NULL, false), 99) == 99);
}

/* A stream that is being captured: a call that may not be is refused, and the capture goes on; one that may be is in
 * the graph, with the kernels around it and memory of the plan's, and is computed at each launch. */
static void captured(void **state) {
    (void)state;
    float *in, *out, result[64];
    cudaStream_t stream;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t exec = NULL;
    assert_int_equal(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    OK(fsr_alloc(subject_ctx, FSR_DEVICE, sizeof result, (void **)&in));
    OK(fsr_alloc(subject_ctx, FSR_DEVICE, sizeof result, (void **)&out));
    fsr_node x = fsr_add(fsr_input(G, "x", FSR_F32, 1, SHAPE(64)), fsr_float(G, 1));
    fsr_node no = called(x, copy, NULL, false), yes = fsr_neg(called(fsr_mul(x, x), copy, NULL, true));
    fsr_plan *refused, *plan;
    OK(fsr_compile(&no, 1, &refused));
    OK(fsr_compile(&yes, 1, &plan));
    const fsr_arg from = {"x", in, sizeof result, FSR_DEVICE}, to = {NULL, out, sizeof result, FSR_DEVICE};
    assert_int_equal(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    subject_error(subject_ctx, fsr_plan_run(refused, &from, 1, &to, 1, stream), FSR_ERR_UNSUPPORTED,
                  "library call copy may not be captured");
    OK(fsr_plan_run(plan, &from, 1, &to, 1, stream));
    assert_int_equal(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    assert_int_equal(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 64; i++)
            result[i] = (float)(i + round);
        assert_int_equal(cudaMemcpyAsync(in, result, sizeof result, cudaMemcpyHostToDevice, stream), cudaSuccess);
        OK(fsr_force(fsr_sort(fsr_neg(fsr_arange(G, FSR_F32, 4096)), NULL, 0, 0))); /* takes what memory is free */
        assert_int_equal(cudaGraphLaunch(exec, stream), cudaSuccess);
        assert_int_equal(cudaStreamSynchronize(stream), cudaSuccess);
        assert_int_equal(cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost), cudaSuccess);
        for (int i = 0; i < 64; i++)
            assert_true(result[i] == -(float)((i + round + 1) * (i + round + 1)));
    }
    OK(fsr_plan_run(refused, &from, 1, &to, 1, stream));
    OK(fsr_sync(subject_ctx));
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    fsr_plan_free(refused);
    fsr_plan_free(plan);
    OK(fsr_free(subject_ctx, FSR_DEVICE, in));
    OK(fsr_free(subject_ctx, FSR_DEVICE, out));
    cudaStreamDestroy(stream);
}

/* ---- kernels ------------------------------------------------------------------------------------------------ */

static const char texts[] =
    "template <int TIMES> __global__ void scale(const float *x, float *y, float *sum, float b, int n) {\n"
    "    extern __shared__ float part[];\n"
    "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    part[threadIdx.x] = i < n ? x[i] : 0;\n"
    "    __syncthreads();\n"
    "    if (i < n) y[i] += TIMES * x[i] + b;\n"
    "    if (threadIdx.x == 0) {\n"
    "        float s = 0;\n"
    "        for (int k = 0; k < blockDim.x; k++) s += part[k];\n"
    "        atomicAdd(sum, s);\n"
    "    }\n"
    "}\n";

static fsr_status scale_on_host(const fsr_call_frame *s) {
    const float *x = s->input[0].data;
    float *y = s->output[0].data, *sum = s->output[1].data;
    for (int64_t i = 0; i < s->input[0].shape[0]; i++) {
        y[i] += 3 * x[i] + 2;
        *sum += x[i];
    }
    return FSR_OK;
}

static void scaled(fsr_node *out, fsr_node x, const fsr_kernel_code *code) {
    const int n = (int)fsr_node_size(x);
    const float b = 2;
    const fsr_kernel_param param[] = {FSR_IN(0),
                                      {.kind = FSR_PARAM_COPIED, .index = 0, .from = 0},
                                      {.kind = FSR_PARAM_ZEROED, .index = 1},
                                      FSR_VALUE_OF(b),
                                      FSR_VALUE_OF(n)};
    const fsr_frame_array types[] = {{.dtype = FSR_F32, .ndim = 1, .shape = {n}}, {.dtype = FSR_F32}};
    fsr_callee callee = {.name = "scaled", .inputs = 1, .outputs = 2, .types = types, .cpu = scale_on_host, .ulp = 1};
    callee.kernel = *code;
    if (!code->param) {
        callee.kernel.param = param;
        callee.kernel.params = COUNT_OF(param);
    }
    callee.kernel.grid[0] = (n + 255) / 256;
    fsr_call_library(G, out, &callee, &x, 1);
}

/* Small whole numbers: sums are exact in any order. */
static void kernel_of_text(void **state) {
    (void)state;
    const fsr_kernel_code code = {.code = texts, .name = "scale<3>", .block = {256}, .shared_bytes = 1024},
                          wide = {.code = texts, .name = "scale<3>", .block = {256}, .shared_bytes = 200 << 10};
    fsr_node x = fsr_mod(fsr_arange(G, FSR_F32, 10007), fsr_int(G, 7)), out[2], again[2];
    scaled(out, fsr_add(x, fsr_int(G, 1)), &code);
    assert_int_equal(subject_verify(out, 2, NULL, "a kernel"), 0);
    assert_true(subject_value(out[0], 6) == 30);
    scaled(again, x, &wide);
    assert_true(subject_value(again[0], 6) == 26);
}

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry fill(.param .u64 out, .param .u32 value)\n{\n"
                          "    .reg .b32 %r<3>;\n    .reg .b64 %d<4>;\n"
                          "    ld.param.u64 %d1, [out];\n    cvta.to.global.u64 %d1, %d1;\n"
                          "    ld.param.u32 %r1, [value];\n    mov.u32 %r2, %tid.x;\n"
                          "    mul.wide.u32 %d2, %r2, 4;\n    add.s64 %d3, %d1, %d2;\n"
                          "    st.global.u32 [%d3], %r1;\n    ret;\n}\n";

static fsr_node filled(const fsr_kernel_code *code, bool short_value) {
    const uint64_t value = 77;
    const fsr_kernel_param param[] = {FSR_OUT(0),
                                      {.kind = FSR_PARAM_VALUE, .value = &value, .bytes = short_value ? 4 : 8}};
    const fsr_frame_array type = {.dtype = FSR_I32, .ndim = 1, .shape = {32}};
    fsr_callee callee = {.name = "fill", .outputs = 1, .types = &type, .kernel = *code};
    fsr_node out;
    callee.kernel.block[0] = 32;
    callee.kernel.param = param;
    callee.kernel.params = 2;
    fsr_call_library(G, &out, &callee, NULL, 0);
    return out;
}

static void kernel_of_ptx(void **state) {
    (void)state;
    const fsr_kernel_code code = {.form = FSR_CODE_PTX, .code = ptx, .name = "fill"};
    assert_true(subject_value(fsr_neg(filled(&code, true)), 31) == -77);
}

/* Each is told, and the context goes on. */
static void kernels_that_are_wrong(void **state) {
    (void)state;
    char later[sizeof ptx + 8], broken[sizeof ptx];
    snprintf(later, sizeof later, ".version 7.0\n.target sm_999\n%s", strstr(ptx, ".address_size"));
    snprintf(broken, sizeof broken, "%s", ptx);
    memcpy(strstr(broken, "mul.wide"), "mul.nope", 8);
    const struct {
        fsr_kernel_code code;
        bool short_value;
        fsr_status status;
        const char *words;
    } row[] = {
        {{.code = "__global__ void fill(int *x, int v) { *x = nothing; }", .name = "fill"},
         true,
         FSR_ERR_COMPILE,
         "nothing"},
        {{.code = "__global__ void fill(int *x, int v) { *x = v; }", .name = "fell"}, true, FSR_ERR_COMPILE, "fell"},
        {{.form = FSR_CODE_PTX, .code = ptx, .name = "fell"}, true, FSR_ERR_DEVICE, "PTX of kernel fell"},
        {{.form = FSR_CODE_PTX, .code = later, .name = "fill"}, true, FSR_ERR_COMPILE, "sm_999"},
        {{.form = FSR_CODE_PTX, .code = broken, .name = "fill"}, true, FSR_ERR_COMPILE, "mul"},
        {{.form = FSR_CODE_BINARY, .code = "no cubin at all", .code_bytes = 16, .name = "fill"},
         true,
         FSR_ERR_DEVICE,
         "binary of kernel fill"},
        {{.form = FSR_CODE_PTX, .code = ptx, .name = "fill"},
         false,
         FSR_ERR_VALUE,
         "parameter 2 of kernel fill has 4 bytes, the call gives 8"},
        {{.code = "__global__ void fill(int *x) { *x = 1; }", .name = "fill"},
         true,
         FSR_ERR_VALUE,
         "kernel fill has 1 parameters, the call gives 2"},
        {{.form = FSR_CODE_PTX, .code = ptx, .name = "fill", .shared_bytes = 1 << 20},
         true,
         FSR_ERR_DEVICE,
         "launching kernel fill"}};
    for (int i = 0; i < COUNT_OF(row); i++) {
        fsr_node bad = filled(&row[i].code, row[i].short_value);
        subject_error(subject_ctx, fsr_force(bad), row[i].status, row[i].words);
        assert_true(subject_value(fsr_neg(fsr_arange(G, FSR_F32, 10)), 9) == -9);
    }
}

/* A kernel that the context has not run before is loaded while its stream is captured; the graph is launched twice. */
static void captured_kernel(void **state) {
    (void)state;
    float *out, result[40];
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t run;
    fsr_plan *plan;
    const fsr_kernel_code code = {.code = texts, .name = "scale<5>", .block = {256}, .shared_bytes = 1024};
    fsr_node both[2], x = fsr_arange(G, FSR_F32, 40);
    OK(fsr_force(x));
    scaled(both, x, &code);
    OK(fsr_compile(both, 1, &plan));
    assert_int_equal(cudaStreamCreate(&stream), cudaSuccess);
    assert_int_equal(cudaMalloc((void **)&out, sizeof result), cudaSuccess);
    const fsr_arg to = {NULL, out, sizeof result, FSR_DEVICE};
    OK(fsr_plan_run(plan, NULL, 0, &to, 1, stream));
    OK(fsr_sync(subject_ctx));
    assert_int_equal(cudaMemset(out, 0, sizeof result), cudaSuccess);
    assert_int_equal(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    const fsr_status status = fsr_plan_run(plan, NULL, 0, &to, 1, stream);
    const cudaError_t ended = cudaStreamEndCapture(stream, &graph);
    cudaGetLastError();
    print_message("a captured run: %s, %s\n", fsr_status_name(status), cudaGetErrorName(ended));
    if (!status && ended == cudaSuccess && cudaGraphInstantiate(&run, graph, 0) == cudaSuccess) {
        assert_int_equal(cudaGraphLaunch(run, stream), cudaSuccess);
        assert_int_equal(cudaStreamSynchronize(stream), cudaSuccess);
        assert_int_equal(cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost), cudaSuccess);
        assert_true(result[6] == 6 + 30 + 2);
        cudaGraphExecDestroy(run);
        cudaGraphDestroy(graph);
    }
    fsr_plan_free(plan);
    cudaFree(out);
    cudaStreamDestroy(stream);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SUBJECT_TEST(kernel_of_text),  SUBJECT_TEST(kernel_of_ptx), SUBJECT_TEST(kernels_that_are_wrong),
        SUBJECT_TEST(captured_kernel), SUBJECT_TEST(on_the_stream), SUBJECT_TEST(failures),
        SUBJECT_TEST(captured)};
    return subject_main(SUBJECT_BACKEND, tests, COUNT_OF(tests));
}
#else
int main(void) {
    puts("skipped: built without a CUDA toolkit");
    return 77;
}
#endif
