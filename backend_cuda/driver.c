/* SPDX-License-Identifier: MIT */
/* What is asked of the driver itself, where the runtime takes longer or has no such call: on an H200 a launch takes
 * 2.86 us for 2.95, and whose turn a thread's context is 10 ns for 37. Errors have the runtime's numbers. */
#ifdef FUSOR_HAVE_CUDA
#include "backend_cuda/device.h"

static fsr_status find(fsr_cuda *c, const char *name, unsigned version, void **out, fsr_fault *fault) {
    enum cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
    const cudaError_t error = cudaGetDriverEntryPointByVersion(name, out, version, cudaEnableDefault, &found);
    if (error != cudaSuccess)
        return fsr_cuda_fail(c, error, fault, "looking for the driver's %s", name);
    if (found != cudaDriverEntryPointSuccess || !*out)
        return fsr_fault_set(fault, FSR_ERR_NO_BACKEND, "the CUDA driver has no %s", name);
    return FSR_OK;
}

fsr_status fsr_driver_open(fsr_cuda *c, fsr_fault *fault) {
    void *pointer = NULL, *context = NULL, *launch = NULL;
    fsr_status status = find(c, "cuPointerGetAttributes", 7000, &pointer, fault);
    if (status == FSR_OK)
        status = find(c, "cuCtxGetCurrent", 4000, &context, fault);
    if (status == FSR_OK)
        status = find(c, "cuLaunchKernelEx", 11060, &launch, fault);
    if (status != FSR_OK)
        return status;
    c->driver.pointer = (fsr_ask_pointer *)pointer;
    c->driver.current = (fsr_ask_context *)context;
    c->driver.launch = (fsr_put_kernel *)launch;
    if (c->driver.current(&c->context) != CUDA_SUCCESS)
        c->context = NULL;
    return FSR_OK;
}
#endif
