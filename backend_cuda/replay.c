/* SPDX-License-Identifier: MIT */
/* Replays: launches recorded from a stream that is being captured, as a CUDA graph that one call puts on a stream.
 *
 * What is recorded goes on a stream of its own: capturing the own one would take in what other threads put there
 * meanwhile. The mode is thread-local, so other threads may allocate and wait. The runtime records one run at a time
 * (its launch lock).
 *
 * An instantiated graph that is destroyed while it runs is freed by the driver when it is done. */
#ifdef FUSOR_HAVE_CUDA
#include "backend_cuda/library.h"
#include <stdlib.h>

struct fsr_replay {
    cudaGraphExec_t exec;
    int64_t kernels;
    fsr_cufft_recorded plans; /* whose transforms are part of it */
};

fsr_status fsr_cuda_captured(fsr_backend *b, fsr_stream stream, bool *out, fsr_fault *fault) {
    fsr_cuda *c = fsr_cuda_of(b);
    const cudaError_t error = fsr_stream_captured((cudaStream_t)stream, out);
    return error == cudaSuccess ? FSR_OK : fsr_cuda_fail(c, error, fault, "asking whether a stream is being captured");
}

fsr_status fsr_cuda_replay_begin(fsr_backend *b, fsr_stream *stream, fsr_fault *fault) {
    fsr_cuda *c = fsr_cuda_of(b);
    const fsr_status status = fsr_cuda_use(c, fault);
    if (status != FSR_OK)
        return status;
    if (fsr_cuda_matmul_room(c, fault))
        fsr_fault_clear(fault); /* a product says so when it is recorded, other calls need none */
    cudaError_t error = c->recorder ? cudaSuccess : cudaStreamCreateWithFlags(&c->recorder, cudaStreamNonBlocking);
    if (error == cudaSuccess)
        error = cudaStreamBeginCapture(c->recorder, cudaStreamCaptureModeThreadLocal);
    if (error != cudaSuccess)
        return fsr_cuda_fail(c, error, fault, "beginning to record a run");
    c->recorded = 0;
    c->recorded_plans.n = 0;
    *stream = c->recorder;
    return FSR_OK;
}

fsr_status fsr_cuda_replay_end(fsr_backend *b, fsr_replay **out, fsr_fault *fault) {
    fsr_cuda *c = fsr_cuda_of(b);
    cudaGraph_t graph = NULL;
    fsr_replay *replay = calloc(1, sizeof *replay);
    cudaError_t error = cudaStreamEndCapture(c->recorder, &graph);
    if (error == cudaSuccess && replay)
        error = cudaGraphInstantiate(&replay->exec, graph, 0);
    if (graph)
        cudaGraphDestroy(graph);
    if (error == cudaSuccess && replay) {
        replay->kernels = c->recorded;
        replay->plans = c->recorded_plans;
        atomic_fetch_add_explicit(&c->graphs_made, 1, memory_order_relaxed);
        *out = replay;
        return FSR_OK;
    }
    free(replay);
    if (error == cudaSuccess)
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "out of memory for a CUDA graph");
    return fsr_cuda_fail(c, error, fault, "making a CUDA graph of a run");
}

fsr_status fsr_cuda_replay(fsr_backend *b, fsr_replay *replay, fsr_stream stream, fsr_fault *fault) {
    fsr_cuda *c = fsr_cuda_of(b);
    cudaStream_t use;
    const fsr_status status = fsr_cuda_use(c, fault);
    if (status != FSR_OK)
        return status;
    cudaError_t error = fsr_stream_begin(c, stream, &use);
    fsr_cufft_touch(&c->cufft, &replay->plans);
    if (error == cudaSuccess)
        error = cudaGraphLaunch(replay->exec, use);
    if (error == cudaSuccess)
        error = fsr_stream_end(c, use);
    if (error != cudaSuccess)
        return fsr_cuda_fail(c, error, fault, "launching a CUDA graph of %lld kernels", (long long)replay->kernels);
    atomic_fetch_add_explicit(&c->launches, replay->kernels, memory_order_relaxed);
    atomic_fetch_add_explicit(&c->graph_launches, 1, memory_order_relaxed);
    return FSR_OK;
}

bool fsr_cuda_replay_stands(fsr_backend *b, const fsr_replay *replay) {
    return fsr_cufft_stands(&fsr_cuda_of(b)->cufft, &replay->plans);
}

void fsr_cuda_replay_drop(fsr_backend *b, fsr_replay *replay) {
    fsr_fault ignored = {FSR_OK, NULL};
    if (!replay)
        return;
    fsr_cuda_use(fsr_cuda_of(b), &ignored);
    fsr_fault_clear(&ignored);
    cudaGraphExecDestroy(replay->exec);
    free(replay);
}
#endif
