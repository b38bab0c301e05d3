/* SPDX-License-Identifier: MIT */
/* Copies beside work: a stream for each direction, and tickets.
 *
 * A copy begins behind an event of the own stream, so what has last used its memory there is done; the own stream
 * waits for a copy only where somebody asks. Each lane keeps two events a ticket for its last FSR_LANE_PLACES
 * tickets: a place is used again by a later ticket of the same lane, and waiting for that one is waiting for the
 * earlier one too. Counter-example to an event a ticket: somebody would have to free them.
 *
 * A copy of memory that is not pinned is done when the call that puts it on its stream returns: until then one that
 * follows in its direction waits, so that tickets are in order, and nobody else. Counter-example to one lock for all:
 * a download waits for the work before it, and a thread that asks for another ticket would wait with it.
 *
 * Streams and events are made with the first ticket: most contexts give none. */
#ifdef FUSOR_HAVE_CUDA
#include "backend_cuda/device.h"

static void drop(fsr_lanes *l) {
    for (int lane = 0; lane < FSR_LANES; lane++)
        for (int i = 0; i < FSR_LANE_PLACES; i++) {
            fsr_cuda_drop_event(&l->begin[lane][i]);
            fsr_cuda_drop_event(&l->end[lane][i]);
        }
    fsr_cuda_drop_event(&l->origin);
    fsr_cuda_drop_event(&l->behind);
    for (int lane = FSR_LANE_UP; lane < FSR_LANES; lane++) {
        if (l->stream[lane])
            cudaStreamDestroy(l->stream[lane]);
        l->stream[lane] = NULL;
    }
}

static cudaError_t make(fsr_lanes *l, cudaStream_t own) {
    cudaError_t error = cudaEventCreateWithFlags(&l->behind, cudaEventDisableTiming);
    for (int lane = FSR_LANE_UP; lane < FSR_LANES && error == cudaSuccess; lane++)
        error = cudaStreamCreateWithFlags(&l->stream[lane], cudaStreamNonBlocking);
    for (int lane = 0; lane < FSR_LANES; lane++)
        for (int i = 0; i < FSR_LANE_PLACES && error == cudaSuccess; i++) {
            error = cudaEventCreateWithFlags(&l->end[lane][i], cudaEventDefault);
            if (error == cudaSuccess && lane != FSR_LANE_WORK)
                error = cudaEventCreateWithFlags(&l->begin[lane][i], cudaEventDefault);
        }
    if (error == cudaSuccess)
        error = cudaEventCreateWithFlags(&l->origin, cudaEventDefault);
    return error == cudaSuccess ? cudaEventRecord(l->origin, own) : error;
}

/* Under the lock. */
static cudaError_t ready(fsr_cuda *c) {
    fsr_lanes *l = &c->lanes;
    if (l->made)
        return cudaSuccess;
    const cudaError_t error = make(l, c->stream);
    l->made = error == cudaSuccess;
    if (!l->made)
        drop(l);
    return error;
}

void fsr_lanes_close(fsr_cuda *c) {
    for (int lane = FSR_LANE_UP; lane < FSR_LANES && c->lanes.made; lane++)
        cudaStreamSynchronize(c->lanes.stream[lane]);
    drop(&c->lanes);
    pthread_mutex_destroy(&c->lanes.lock);
    for (int lane = 0; lane < FSR_LANES; lane++)
        pthread_mutex_destroy(&c->lanes.order[lane]);
}

void fsr_lanes_open(fsr_cuda *c) {
    pthread_mutex_init(&c->lanes.lock, NULL);
    for (int lane = 0; lane < FSR_LANES; lane++)
        pthread_mutex_init(&c->lanes.order[lane], NULL);
}

/* The lane's stream comes behind the own one. Under the lock. */
static cudaError_t begin_copy(fsr_cuda *c, fsr_lane lane, int place) {
    fsr_lanes *l = &c->lanes;
    cudaError_t error = cudaEventRecord(l->behind, c->stream);
    if (error == cudaSuccess)
        error = cudaStreamWaitEvent(l->stream[lane], l->behind, 0);
    return error == cudaSuccess ? cudaEventRecord(l->begin[lane][place], l->stream[lane]) : error;
}

/* The next ticket of a lane, whose order is held: begun, then copied without the lock, then given. */
static cudaError_t put_copy(fsr_cuda *c, fsr_lane lane, void *dst, const void *src, int64_t bytes, int64_t *ticket) {
    fsr_lanes *l = &c->lanes;
    const enum cudaMemcpyKind kind = lane == FSR_LANE_UP ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    pthread_mutex_lock(&l->lock);
    const int64_t next = fsr_ticket_make(lane, l->given[lane] + 1);
    const int place = fsr_ticket_place(next);
    cudaError_t error = ready(c);
    l->started[lane] = l->given[lane] + 1;
    if (error == cudaSuccess && lane != FSR_LANE_WORK)
        error = begin_copy(c, lane, place);
    pthread_mutex_unlock(&l->lock);
    if (error == cudaSuccess && bytes > 0 && lane != FSR_LANE_WORK)
        error = cudaMemcpyAsync(dst, src, (size_t)bytes, kind, l->stream[lane]);
    pthread_mutex_lock(&l->lock);
    if (error == cudaSuccess)
        error = cudaEventRecord(l->end[lane][place], lane == FSR_LANE_WORK ? c->stream : l->stream[lane]);
    if (error == cudaSuccess) {
        l->given[lane]++;
        *ticket = next;
    }
    pthread_mutex_unlock(&l->lock);
    return error;
}

fsr_status fsr_cuda_transfer(fsr_backend *b, fsr_lane lane, void *dst, const void *src, int64_t bytes, int64_t *ticket,
                             fsr_fault *fault) {
    fsr_cuda *c = fsr_cuda_of(b);
    *ticket = 0;
    const fsr_status status = fsr_cuda_use(c, fault);
    if (status != FSR_OK)
        return status;
    pthread_mutex_lock(&c->lanes.order[lane]);
    const cudaError_t error = put_copy(c, lane, dst, src, bytes, ticket);
    pthread_mutex_unlock(&c->lanes.order[lane]);
    if (error != cudaSuccess)
        return fsr_cuda_fail(c, error, fault, "putting a %s on its stream",
                             lane == FSR_LANE_WORK ? "mark"
                             : lane == FSR_LANE_UP ? "copy to the device"
                                                   : "copy from the device");
    return FSR_OK;
}

/* The event that ends a ticket; NULL and a fault: there is no such ticket. Under the lock. */
static cudaEvent_t end_of(const fsr_cuda *c, int64_t ticket, fsr_fault *fault) {
    if (fsr_ticket_is(ticket, c->lanes.given))
        return c->lanes.end[fsr_ticket_lane(ticket)][fsr_ticket_place(ticket)];
    fsr_fault_set(fault, FSR_ERR_VALUE, "%lld is no ticket of this context", (long long)ticket);
    return NULL;
}

fsr_status fsr_cuda_after(fsr_backend *b, int64_t ticket, fsr_fault *fault) {
    fsr_cuda *c = fsr_cuda_of(b);
    const fsr_status status = ticket ? fsr_cuda_use(c, fault) : FSR_OK;
    if (!ticket || status)
        return status;
    pthread_mutex_lock(&c->lanes.lock);
    const cudaEvent_t end = end_of(c, ticket, fault);
    const cudaError_t error = end ? cudaStreamWaitEvent(c->stream, end, 0) : cudaSuccess;
    pthread_mutex_unlock(&c->lanes.lock);
    if (error != cudaSuccess)
        return fsr_cuda_fail(c, error, fault, "having the stream wait for a ticket");
    return end ? FSR_OK : FSR_ERR_VALUE;
}

fsr_status fsr_cuda_settle(fsr_backend *b, int64_t ticket, fsr_fault *fault) {
    fsr_cuda *c = fsr_cuda_of(b);
    const fsr_status status = ticket ? fsr_cuda_use(c, fault) : FSR_OK;
    if (!ticket || status)
        return status;
    pthread_mutex_lock(&c->lanes.lock);
    const cudaEvent_t end = end_of(c, ticket, fault);
    pthread_mutex_unlock(&c->lanes.lock);
    if (!end)
        return FSR_ERR_VALUE;
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    fsr_cuda_loosen(&mode);
    const cudaError_t error = cudaEventSynchronize(end);
    fsr_cuda_loosen(&mode);
    return error == cudaSuccess ? FSR_OK : fsr_cuda_fail(c, error, fault, "waiting for a ticket");
}

fsr_status fsr_cuda_times(fsr_backend *b, int64_t ticket, double *begin, double *end, fsr_fault *fault) {
    fsr_cuda *c = fsr_cuda_of(b);
    fsr_lanes *l = &c->lanes;
    float from = 0, to = 0;
    const fsr_status status = fsr_cuda_settle(b, ticket, fault);
    if (status)
        return status;
    pthread_mutex_lock(&l->lock);
    const fsr_lane lane = fsr_ticket_lane(ticket);
    const int place = fsr_ticket_place(ticket);
    const bool known =
        fsr_ticket_is(ticket, l->given) && fsr_ticket_number(ticket) > l->started[lane] - FSR_LANE_PLACES;
    cudaError_t error = known ? cudaEventElapsedTime(&to, l->origin, l->end[lane][place]) : cudaSuccess;
    if (known && error == cudaSuccess && lane != FSR_LANE_WORK)
        error = cudaEventElapsedTime(&from, l->origin, l->begin[lane][place]);
    pthread_mutex_unlock(&l->lock);
    if (!known)
        return fsr_fault_set(fault, FSR_ERR_VALUE, "the times of ticket %lld are not known", (long long)ticket);
    if (error != cudaSuccess)
        return fsr_cuda_fail(c, error, fault, "the times of a ticket");
    *end = to;
    *begin = lane == FSR_LANE_WORK ? to : from;
    return FSR_OK;
}
#endif
