/* SPDX-License-Identifier: MIT */
/* Arrays of another context on a GPU. The copy is put on the receiver's stream, behind an event of the giver's, and
 * the giver's stream goes on behind an event of the receiver's: so the giver's pool may hand the memory out again as
 * soon as the host frees it. Each event is recorded and waited for under its own context's lock, and no two are held
 * at once.
 *
 * The devices may be one. Where they are two and reach each other's memory that is switched on once; else the driver
 * takes the way by the host. */
#ifdef FUSOR_HAVE_CUDA
#include "backend_cuda/device.h"

enum { KNOWN_PEERS = 64 };

/* Lets the current device, c's, reach that one's memory. What hinders it costs speed only. */
static void reach(fsr_cuda *c, int device) {
    int can = 0;
    if (device == c->device || device >= KNOWN_PEERS ||
        atomic_fetch_or(&c->reached, (uint_fast64_t)1 << device) >> device & 1)
        return;
    if (cudaDeviceCanAccessPeer(&can, c->device, device) != cudaSuccess ||
        (can && cudaDeviceEnablePeerAccess(device, 0) != cudaSuccess))
        cudaGetLastError();
}

/* What is put on `later`'s stream from now on waits for what is on `earlier`'s now. */
static cudaError_t put_behind(fsr_cuda *later, fsr_cuda *earlier, cudaEvent_t event) {
    pthread_mutex_lock(&earlier->order.lock);
    cudaError_t error = cudaSetDevice(earlier->device);
    if (error == cudaSuccess)
        error = cudaEventRecord(event, earlier->stream);
    if (error == cudaSuccess)
        error = cudaSetDevice(later->device);
    if (error == cudaSuccess)
        error = cudaStreamWaitEvent(later->stream, event, 0);
    pthread_mutex_unlock(&earlier->order.lock);
    return error;
}

fsr_status fsr_cuda_copy_peer(fsr_backend *b, void *dst, fsr_backend *from, const void *src, int64_t bytes,
                              fsr_fault *fault) {
    fsr_cuda *c = fsr_cuda_of(b), *giver = fsr_cuda_of(from);
    const fsr_status status = bytes > 0 ? fsr_cuda_use(c, fault) : FSR_OK;
    if (status || bytes <= 0)
        return status;
    reach(c, giver->device);
    cudaError_t error = put_behind(c, giver, giver->order.before);
    if (error == cudaSuccess)
        error = cudaMemcpyPeerAsync(dst, c->device, src, giver->device, (size_t)bytes, c->stream);
    if (error == cudaSuccess)
        error = put_behind(giver, c, c->order.after);
    const cudaError_t back = cudaSetDevice(c->device); /* the receiver's stays current, as in every call */
    error = error == cudaSuccess ? back : error;
    if (error != cudaSuccess)
        return fsr_cuda_fail(c, error, fault, "copying %lld bytes from device %d to device %d", (long long)bytes,
                             giver->device, c->device);
    return FSR_OK;
}
#endif
