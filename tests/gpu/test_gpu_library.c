/* SPDX-License-Identifier: MIT */
/* Calls of a program's own on a GPU: on the plan's stream, between fused kernels; what they return, and what they leave as CUDA's
 * last error, is the computation's; a stream that is being captured takes those that say they may be. */
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
static fsr_status copy(const fsr_step *s) {
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

static fsr_status copy_on_host(const fsr_step *s) {
    memcpy(s->output[0].data, s->input[0].data, sizeof(float) * (size_t)s->input[0].shape[0]);
    return FSR_OK;
}

static fsr_status refuse(const fsr_step *s) {
    snprintf(s->why, s->why_bytes, "not today");
    return FSR_ERR_UNSUPPORTED;
}

static int64_t bytes_of(const fsr_step *s) {
    return (int64_t)sizeof(float) * s->input[0].shape[0];
}

static fsr_node called(fsr_node x, fsr_step_fn cuda, void *user, bool capturable) {
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

static void captured(void **state) {
    (void)state;
    float *in, *out, result[64];
    cudaStream_t stream;
    cudaGraph_t graph = NULL;
    assert_int_equal(cudaStreamCreate(&stream), cudaSuccess);
    assert_int_equal(cudaMalloc((void **)&in, sizeof result), cudaSuccess);
    assert_int_equal(cudaMalloc((void **)&out, sizeof result), cudaSuccess);
    for (int i = 0; i < 64; i++)
        result[i] = (float)i;
    assert_int_equal(cudaMemcpy(in, result, sizeof result, cudaMemcpyHostToDevice), cudaSuccess);
    fsr_plan *plan;
    fsr_node y = called(fsr_input(G, "x", FSR_F32, 1, SHAPE(64)), copy, NULL, false);
    const fsr_arg from = {"x", in, sizeof result, FSR_DEVICE}, to = {NULL, out, sizeof result, FSR_DEVICE};
    OK(fsr_compile(&y, 1, &plan));
    OK(fsr_plan_run(plan, &from, 1, &to, 1, stream));
    assert_int_equal(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    const fsr_status status = fsr_plan_run(plan, &from, 1, &to, 1, stream);
    cudaStreamEndCapture(stream, &graph);
    cudaGetLastError();
    assert_int_not_equal(status, FSR_OK);
    OK(fsr_plan_run(plan, &from, 1, &to, 1, stream));
    OK(fsr_sync(subject_ctx));
    assert_int_equal(cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost), cudaSuccess);
    assert_true(result[63] == 63);
    if (graph)
        cudaGraphDestroy(graph);
    fsr_plan_free(plan);
    cudaFree(in);
    cudaFree(out);
    cudaStreamDestroy(stream);
}

int main(void) {
    const struct CMUnitTest tests[] = {SUBJECT_TEST(on_the_stream), SUBJECT_TEST(failures), SUBJECT_TEST(captured)};
    return subject_main(SUBJECT_BACKEND, tests, COUNT_OF(tests));
}
#else
int main(void) {
    puts("skipped: built without a CUDA toolkit");
    return 77;
}
#endif
