/* SPDX-License-Identifier: MIT */
/* Copies, clears, waiting and marks.
 *
 * Host to device. CUDA's asynchronous copy reads pageable memory before it returns, but pinned memory (which the
 * caller may well hand over) only later. So a large copy waits for the stream: at that size the wait costs little
 * beside the copy. A small one goes through a slot of a pinned ring and does not wait; before a slot is used again
 * its last copy must be done.
 *
 * Foreign streams. The pool hands freed blocks out at once, which is right only if all work lies in one order. Work
 * on a caller's stream is therefore put between two events: it waits for what the own stream has, and the own stream
 * waits for it. A stream that is being captured has no such order: its memory is not the pool's (runtime/capture.c). */
#ifdef FUSOR_HAVE_CUDA
#include "backend_cuda/device.h"
#include <string.h>

/* ---- streams --------------------------------------------------------------------------------------- */

cudaError_t fsr_stream_captured(cudaStream_t stream, bool *out) {
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    const cudaError_t error = cudaStreamIsCapturing(stream, &status);
    *out = status != cudaStreamCaptureStatusNone;
    return error;
}

/* True if a stream is to be put in order with the own one. */
static bool is_foreign(const fsr_cuda *c, cudaStream_t stream, cudaError_t *error) {
    bool captured = false;
    *error = cudaSuccess;
    if (stream == c->stream)
        return false;
    *error = fsr_stream_captured(stream, &captured);
    return *error == cudaSuccess && !captured;
}

cudaError_t fsr_stream_begin(fsr_cuda *c, fsr_stream stream, cudaStream_t *use) {
    cudaError_t error;
    *use = stream ? (cudaStream_t)stream : c->stream;
    if (!is_foreign(c, *use, &error))
        return error;
    pthread_mutex_lock(&c->order.lock);
    error = cudaEventRecord(c->order.before, c->stream);
    if (error == cudaSuccess)
        error = cudaStreamWaitEvent(*use, c->order.before, 0);
    pthread_mutex_unlock(&c->order.lock);
    return error;
}

cudaError_t fsr_stream_end(fsr_cuda *c, cudaStream_t used) {
    cudaError_t error;
    if (!is_foreign(c, used, &error))
        return error;
    pthread_mutex_lock(&c->order.lock);
    error = cudaEventRecord(c->order.after, used);
    if (error == cudaSuccess)
        error = cudaStreamWaitEvent(c->stream, c->order.after, 0);
    pthread_mutex_unlock(&c->order.lock);
    return error;
}

/* ---- open and close -------------------------------------------------------------------------------- */

static cudaError_t make_events(fsr_cuda *c) {
    cudaError_t error = cudaEventCreateWithFlags(&c->order.before, cudaEventDisableTiming);
    if (error == cudaSuccess)
        error = cudaEventCreateWithFlags(&c->order.after, cudaEventDisableTiming);
    for (int i = 0; i < FSR_MARKS && error == cudaSuccess; i++)
        error = cudaEventCreateWithFlags(&c->mark[i], cudaEventDefault);
    for (int i = 0; i < FSR_RING_SLOTS && error == cudaSuccess; i++)
        error = cudaEventCreateWithFlags(&c->ring.sent[i], cudaEventDisableTiming);
    return error;
}

fsr_status fsr_transfer_open(fsr_cuda *c, fsr_fault *fault) {
    cudaError_t error = cudaStreamCreateWithFlags(&c->stream, cudaStreamNonBlocking);
    if (error == cudaSuccess)
        error = make_events(c);
    if (error == cudaSuccess)
        error = cudaHostAlloc((void **)&c->ring.memory, (size_t)FSR_RING_SLOTS * FSR_RING_BYTES, cudaHostAllocDefault);
    return error == cudaSuccess ? FSR_OK : fsr_cuda_fail(c, error, fault, "making the stream and its events");
}

void fsr_cuda_drop_event(cudaEvent_t *event) {
    if (*event)
        cudaEventDestroy(*event);
    *event = NULL;
}

void fsr_transfer_close(fsr_cuda *c) {
    fsr_cuda_drop_event(&c->order.before);
    fsr_cuda_drop_event(&c->order.after);
    for (int i = 0; i < FSR_MARKS; i++)
        fsr_cuda_drop_event(&c->mark[i]);
    for (int i = 0; i < FSR_RING_SLOTS; i++)
        fsr_cuda_drop_event(&c->ring.sent[i]);
    if (c->ring.memory)
        cudaFreeHost(c->ring.memory);
    if (c->recorder)
        cudaStreamDestroy(c->recorder);
    if (c->stream)
        cudaStreamDestroy(c->stream);
}

/* ---- copies ---------------------------------------------------------------------------------------- */

/* One copy or, with from NULL, one clear, on the stream it belongs on. */
static cudaError_t put_transfer(fsr_cuda *c, void *dst, const void *src, int64_t bytes, enum cudaMemcpyKind kind,
                                fsr_stream stream, cudaStream_t *use) {
    cudaError_t error = fsr_stream_begin(c, stream, use);
    if (error == cudaSuccess)
        error =
            src ? cudaMemcpyAsync(dst, src, (size_t)bytes, kind, *use) : cudaMemsetAsync(dst, 0, (size_t)bytes, *use);
    if (error == cudaSuccess)
        error = fsr_stream_end(c, *use);
    return error;
}

/* True if there is something to do; else *status says whether that is an error. */
static bool worth(fsr_cuda *c, const void *dst, const void *src, int64_t bytes, fsr_status *status, fsr_fault *fault) {
    *status = FSR_OK;
    if (bytes == 0)
        return false;
    if (bytes < 0)
        *status = fsr_fault_set(fault, FSR_ERR_SIZE, "copy of %lld bytes", (long long)bytes);
    else if (!dst || !src)
        *status = fsr_fault_set(fault, FSR_ERR_NULL, "copy of %lld bytes: a null address", (long long)bytes);
    else
        *status = fsr_cuda_use(c, fault);
    return *status == FSR_OK;
}

static cudaError_t copy_in_small(fsr_cuda *c, void *dst, const void *src, int64_t bytes, fsr_stream stream) {
    cudaStream_t use;
    pthread_mutex_lock(&c->ring.lock);
    const unsigned slot = c->ring.next++ % FSR_RING_SLOTS;
    char *staged = c->ring.memory + (size_t)slot * FSR_RING_BYTES;
    cudaError_t error = cudaEventSynchronize(c->ring.sent[slot]);
    if (error == cudaSuccess) {
        memcpy(staged, src, (size_t)bytes);
        error = put_transfer(c, dst, staged, bytes, cudaMemcpyHostToDevice, stream, &use);
    }
    if (error == cudaSuccess)
        error = cudaEventRecord(c->ring.sent[slot], use);
    pthread_mutex_unlock(&c->ring.lock);
    return error;
}

fsr_status fsr_cuda_copy_in(fsr_backend *b, void *dst, const void *src, int64_t bytes, fsr_stream stream,
                            fsr_fault *fault) {
    fsr_cuda *c = fsr_cuda_of(b);
    fsr_status status;
    if (!worth(c, dst, src, bytes, &status, fault))
        return status;
    cudaError_t error;
    if (bytes <= FSR_RING_BYTES) {
        error = copy_in_small(c, dst, src, bytes, stream);
    } else {
        cudaStream_t use;
        error = put_transfer(c, dst, src, bytes, cudaMemcpyHostToDevice, stream, &use);
        if (error == cudaSuccess)
            error = cudaStreamSynchronize(use);
    }
    if (error != cudaSuccess)
        return fsr_cuda_fail(c, error, fault, "copying %lld bytes to the device", (long long)bytes);
    return FSR_OK;
}

fsr_status fsr_cuda_copy_out(fsr_backend *b, void *dst, const void *src, int64_t bytes, fsr_stream stream,
                             fsr_fault *fault) {
    fsr_cuda *c = fsr_cuda_of(b);
    fsr_status status;
    if (bytes == 0)
        return fsr_cuda_wait(b, stream, fault);
    if (!worth(c, dst, src, bytes, &status, fault))
        return status;
    cudaStream_t use;
    cudaError_t error = put_transfer(c, dst, src, bytes, cudaMemcpyDeviceToHost, stream, &use);
    if (error == cudaSuccess)
        error = cudaStreamSynchronize(use);
    if (error != cudaSuccess)
        return fsr_cuda_fail(c, error, fault, "copying %lld bytes from the device", (long long)bytes);
    return FSR_OK;
}

fsr_status fsr_cuda_copy(fsr_backend *b, void *dst, const void *src, int64_t bytes, fsr_stream stream,
                         fsr_fault *fault) {
    fsr_cuda *c = fsr_cuda_of(b);
    fsr_status status;
    if (!worth(c, dst, src, bytes, &status, fault))
        return status;
    cudaStream_t use;
    /* either may be memory of the host that the device reaches: pinned or managed */
    const cudaError_t error = put_transfer(c, dst, src, bytes, cudaMemcpyDefault, stream, &use);
    if (error != cudaSuccess)
        return fsr_cuda_fail(c, error, fault, "copying %lld bytes on the device", (long long)bytes);
    return FSR_OK;
}

fsr_status fsr_cuda_clear(fsr_backend *b, void *dst, int64_t bytes, fsr_stream stream, fsr_fault *fault) {
    fsr_cuda *c = fsr_cuda_of(b);
    fsr_status status;
    if (!worth(c, dst, dst, bytes, &status, fault))
        return status;
    cudaStream_t use;
    const cudaError_t error = put_transfer(c, dst, NULL, bytes, cudaMemcpyDefault, stream, &use);
    if (error != cudaSuccess)
        return fsr_cuda_fail(c, error, fault, "clearing %lld bytes on the device", (long long)bytes);
    return FSR_OK;
}

/* ---- waiting, time --------------------------------------------------------------------------------- */

/* What was not loosened need not be tightened: the mode would stay loose. */
void fsr_cuda_loosen(enum cudaStreamCaptureMode *mode) {
    static const enum cudaStreamCaptureMode none = (enum cudaStreamCaptureMode)(-1);
    if (*mode == none || cudaThreadExchangeStreamCaptureMode(mode) == cudaSuccess)
        return;
    cudaGetLastError();
    *mode = none;
}

fsr_status fsr_cuda_wait(fsr_backend *b, fsr_stream stream, fsr_fault *fault) {
    fsr_cuda *c = fsr_cuda_of(b);
    const fsr_status status = fsr_cuda_use(c, fault);
    if (status != FSR_OK)
        return status;
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    fsr_cuda_loosen(&mode);
    const cudaError_t error = cudaStreamSynchronize(stream ? (cudaStream_t)stream : c->stream);
    fsr_cuda_loosen(&mode);
    return error == cudaSuccess ? FSR_OK : fsr_cuda_fail(c, error, fault, "waiting for the device");
}

fsr_status fsr_cuda_mark(fsr_backend *b, int which, fsr_stream stream, fsr_fault *fault) {
    fsr_cuda *c = fsr_cuda_of(b);
    if (which < 0 || which >= FSR_MARKS)
        return fsr_fault_set(fault, FSR_ERR_VALUE, "mark %d: there are marks 0 to %d", which, FSR_MARKS - 1);
    const fsr_status status = fsr_cuda_use(c, fault);
    if (status != FSR_OK)
        return status;
    const cudaError_t error = cudaEventRecord(c->mark[which], stream ? (cudaStream_t)stream : c->stream);
    return error == cudaSuccess ? FSR_OK : fsr_cuda_fail(c, error, fault, "setting mark %d", which);
}

fsr_status fsr_cuda_elapsed(fsr_backend *b, int first, double *ms, fsr_fault *fault) {
    fsr_cuda *c = fsr_cuda_of(b);
    *ms = 0;
    const fsr_status status = fsr_cuda_use(c, fault);
    if (status != FSR_OK)
        return status;
    float passed = 0;
    cudaError_t error = cudaEventSynchronize(c->mark[first + 1]);
    if (error == cudaSuccess)
        error = cudaEventElapsedTime(&passed, c->mark[first], c->mark[first + 1]);
    if (error != cudaSuccess)
        return fsr_cuda_fail(c, error, fault, "time between marks %d and %d", first, first + 1);
    *ms = passed;
    return FSR_OK;
}
#endif
