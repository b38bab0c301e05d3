/* SPDX-License-Identifier: MIT */
/* Sorts and selections whose first launch in the process is in a caller's capture, in the strictest mode: their kernels
 * are loaded then, and asked for their attributes. Each form has kernels of its own; the graph then sorts twice. */
#define SUBJECT_BACKEND FSR_BACKEND_CUDA
#include "tests/support/subject.h"
#include <cuda_runtime_api.h>
#include <string.h>

enum { ROWS = 8, COLS = 5000, N = ROWS * COLS };

static float data[N];

static fsr_node sorted(fsr_node x) {
    return fsr_sort(fsr_reshape(x, 1, SHAPE(N)), NULL, 0, 0);
}

static fsr_node sorted_wide(fsr_node x) {
    return fsr_sort(fsr_cast(fsr_reshape(x, 1, SHAPE(N)), FSR_F64), NULL, 0, 0);
}

static fsr_node places(fsr_node x) {
    return fsr_argsort(fsr_reshape(x, 1, SHAPE(N)), NULL, 0, 0);
}

static fsr_node rows(fsr_node x) {
    return fsr_sort(x, (int[]){1}, 1, 0);
}

static fsr_node first(fsr_node x) {
    return fsr_topk(x, 10, (int[]){1}, 1, FSR_DESCENDING);
}

static fsr_node middle(fsr_node x) {
    return fsr_median(x, (int[]){1}, 1, 0);
}

/* Into memory of the device: by the graph twice, and on the context's own stream. */
static void captured(fsr_node (*make)(fsr_node)) {
    static char by_graph[2][N * 8], direct[N * 8];
    fsr_graph *g = subject_g;
    fsr_plan *plan;
    void *x, *y;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    fsr_node out = make(fsr_input(g, "x", FSR_F32, 2, SHAPE(ROWS, COLS)));
    const size_t bytes = (size_t)fsr_node_size(out) * fsr_dtype_size(fsr_node_dtype(out));
    OK(fsr_node_status(out));
    OK(fsr_compile(&out, 1, &plan));
    assert_int_equal(cudaMalloc(&x, sizeof data), cudaSuccess);
    assert_int_equal(cudaMalloc(&y, bytes), cudaSuccess);
    assert_int_equal(cudaMemcpy(x, data, sizeof data, cudaMemcpyHostToDevice), cudaSuccess);
    assert_int_equal(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    const fsr_arg from = {"x", x, sizeof data, FSR_DEVICE}, to = {NULL, y, bytes, FSR_DEVICE};
    assert_int_equal(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    const fsr_status status = fsr_plan_run(plan, &from, 1, &to, 1, stream);
    const cudaError_t ended = cudaStreamEndCapture(stream, &graph);
    if (status || ended != cudaSuccess)
        fail_msg("%s (%s), the capture: %s", fsr_status_name(status), fsr_error(subject_ctx), cudaGetErrorName(ended));
    assert_int_equal(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(cudaMemset(y, 0, bytes), cudaSuccess);
        assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
        assert_int_equal(cudaGraphLaunch(exec, stream), cudaSuccess);
        assert_int_equal(cudaStreamSynchronize(stream), cudaSuccess);
        assert_int_equal(cudaMemcpy(by_graph[i], y, bytes, cudaMemcpyDeviceToHost), cudaSuccess);
    }
    OK(fsr_plan_run(plan, &from, 1, &to, 1, NULL));
    OK(fsr_sync(subject_ctx));
    assert_int_equal(cudaMemcpy(direct, y, bytes, cudaMemcpyDeviceToHost), cudaSuccess);
    assert_memory_equal(by_graph[0], direct, bytes);
    assert_memory_equal(by_graph[1], direct, bytes);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    fsr_plan_free(plan);
    cudaFree(x);
    cudaFree(y);
    cudaStreamDestroy(stream);
}

#define CAPTURED(form)                          \
    static void form##_captured(void **state) { \
        (void)state;                            \
        captured(form);                         \
    }
CAPTURED(sorted)
CAPTURED(sorted_wide)
CAPTURED(places)
CAPTURED(rows)
CAPTURED(first)
CAPTURED(middle)

int main(void) {
    const struct CMUnitTest tests[] = {SUBJECT_TEST(sorted_captured), SUBJECT_TEST(sorted_wide_captured),
                                       SUBJECT_TEST(places_captured), SUBJECT_TEST(rows_captured),
                                       SUBJECT_TEST(first_captured),  SUBJECT_TEST(middle_captured)};
    for (int i = 0; i < N; i++)
        data[i] = (float)((i * 7919LL) % 40009) - 20000;
    return subject_main(SUBJECT_BACKEND, tests, COUNT_OF(tests));
}
