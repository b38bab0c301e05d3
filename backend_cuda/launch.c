/* SPDX-License-Identifier: MIT */
/* Launches of kernels.
 *
 * Launching is the hot path: the places of the arguments inside an fsr_launch are computed once (module.c), a launch
 * takes no lock, allocates nothing and converts nothing (a 4-byte integer is the low half of the launch's 8-byte one,
 * which needs a little-endian host; every CUDA host is). */
#ifdef FUSOR_HAVE_CUDA
#include "backend_cuda/device.h"
#include "backend_cuda/module_loaded.h"

static fsr_status check_launch(const fsr_module *m, const fsr_launch *launch, fsr_fault *fault) {
    if (launch->blocks < 0 || launch->blocks > INT32_MAX)
        return fsr_fault_set(fault, FSR_ERR_SIZE, "kernel %s: %lld blocks; a launch has at most %d", m->name,
                             (long long)launch->blocks, INT32_MAX);
    for (int i = 0; i < m->nnarrow; i++) {
        const int64_t value = launch->integer[m->narrow[i]];
        if (value != (int32_t)value)
            return fsr_fault_set(fault, FSR_ERR_INTERNAL, "kernel %s: integer %d is %lld, its kernel takes 32 bits",
                                 m->name, m->narrow[i], (long long)value);
    }
    return FSR_OK;
}

static void fill_arguments(const fsr_module *m, const fsr_launch *launch, uint64_t reciprocal[FSR_MAX_DIMS],
                           void **argument) {
    int n = 0;
    for (int i = 0; i < m->nparams; i++) {
        argument[i] = (char *)launch + m->place[i];
        if (m->param[i].kind == FSR_CUDA_RECIPROCAL) {
            reciprocal[n] = fsr_cuda_reciprocal(launch->integer[m->param[i].index]);
            argument[i] = &reciprocal[n++];
        }
    }
}

fsr_status fsr_cuda_launch(fsr_backend *b, fsr_module *m, const fsr_launch *launch, fsr_stream stream,
                           fsr_fault *fault) {
    fsr_cuda *c = fsr_cuda_of(b);
    if (launch->blocks == 0)
        return FSR_OK;
    fsr_status status = check_launch(m, launch, fault);
    if (status == FSR_OK)
        status = fsr_cuda_use(c, fault);
    if (status != FSR_OK)
        return status;
    void *argument[FSR_CUDA_MAX_PARAMS];
    uint64_t reciprocal[FSR_MAX_DIMS];
    fill_arguments(m, launch, reciprocal, argument);
    cudaStream_t use;
    cudaError_t error = fsr_stream_begin(c, stream, &use);
    CUlaunchAttribute cooperative = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value = {.cooperative = 1}};
    const CUlaunchConfig config = {.gridDimX = (unsigned)launch->blocks,
                                   .gridDimY = 1,
                                   .gridDimZ = 1,
                                   .blockDimX = (unsigned)m->threads,
                                   .blockDimY = 1,
                                   .blockDimZ = 1,
                                   .sharedMemBytes = (unsigned)m->dynamic_bytes,
                                   .hStream = use,
                                   .attrs = &cooperative,
                                   .numAttrs = m->cooperative};
    if (error == cudaSuccess)
        error = (cudaError_t)c->driver.launch(&config, (CUfunction)m->kernel, argument, NULL);
    if (error == cudaSuccess)
        error = fsr_stream_end(c, use);
    if (error != cudaSuccess)
        return fsr_cuda_fail(c, error, fault, "launching kernel %s with %lld blocks of %d threads", m->name,
                             (long long)launch->blocks, m->threads);
    if (use == c->recorder)
        c->recorded++;
    else
        atomic_fetch_add_explicit(&c->launches, 1, memory_order_relaxed);
    return FSR_OK;
}
#endif
