/* SPDX-License-Identifier: MIT */
/* The CUDA backend's state, seen by this room's files that talk to the device. Needs the CUDA headers. */
#ifndef FUSOR_BACKEND_CUDA_DEVICE_H
#define FUSOR_BACKEND_CUDA_DEVICE_H

#include "backend_cuda/build.h"
#include "backend_cuda/cublas.h"
#include "backend_cuda/cublaslt.h"
#include "backend_cuda/cufft.h"
#include "backend_cuda/curand.h"
#include "backend_cuda/cusolver.h"
#include "backend_cuda/cusparse.h"
#include "backend_cuda/memory.h"
#include "runtime/backend.h"
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdatomic.h>

enum { FSR_RING_SLOTS = 16, FSR_RING_BYTES = 64 << 10, FSR_CUDA_ALIGNMENT = 256 };

/* Pinned memory through which small arrays go to the device, so that the caller's memory is free at once. */
typedef struct fsr_ring {
    pthread_mutex_t lock;
    char *memory;                     /* FSR_RING_SLOTS slots of FSR_RING_BYTES */
    cudaEvent_t sent[FSR_RING_SLOTS]; /* the slot's last copy */
    unsigned next;
} fsr_ring;

/* Orders foreign streams against the backend's own. An event is recorded and waited for under the lock: another
 * thread's recording in between would let the wait miss this thread's work. */
typedef struct fsr_order {
    pthread_mutex_t lock;
    cudaEvent_t before, after;
} fsr_order;

/* Streams of copies, and the events of tickets (lanes.c). */
typedef struct fsr_lanes {
    pthread_mutex_t order[FSR_LANES]; /* of copies of one lane; taken before `lock`, and held while memory is copied */
    pthread_mutex_t lock;             /* of what follows */
    bool made;
    cudaStream_t stream[FSR_LANES]; /* of FSR_LANE_WORK none: it is the own one */
    cudaEvent_t begin[FSR_LANES][FSR_LANE_PLACES], end[FSR_LANES][FSR_LANE_PLACES];
    cudaEvent_t origin, behind;
    int64_t given[FSR_LANES];   /* tickets */
    int64_t started[FSR_LANES]; /* those and one that is being put on its stream */
} fsr_lanes;

typedef struct fsr_cuda_modules fsr_cuda_modules;

typedef CUresult fsr_ask_context(CUcontext *out);
typedef CUresult fsr_put_kernel(const CUlaunchConfig *config, CUfunction kernel, void **argument, void **extra);
typedef CUresult fsr_ask_pointer(unsigned n, CUpointer_attribute *which, void **out, CUdeviceptr address);

/* Functions of the driver's: cuCtxGetCurrent, cuLaunchKernelEx, cuPointerGetAttributes. */
typedef struct fsr_driver {
    fsr_ask_context *current;
    fsr_put_kernel *launch;
    fsr_ask_pointer *pointer;
} fsr_driver;

typedef struct fsr_cuda {
    fsr_backend base; /* first: an fsr_backend * is an fsr_cuda * */
    int device;
    int arch; /* 90: sm_90 */
    int log_level;
    fsr_target target;
    cudaStream_t stream;
    cudaEvent_t mark[FSR_MARKS];
    fsr_order order;
    fsr_ring ring;
    fsr_device_pool *pool;
    fsr_nvrtc *nvrtc;
    fsr_cuda_build *build;
    fsr_cuda_modules *modules;
    struct fsr_cuda_codes *codes; /* code.h */
    fsr_cublas cublas;
    fsr_cublaslt cublaslt;
    fsr_cufft cufft;
    fsr_cusolver cusolver;
    fsr_curand_kept curand;
    fsr_cusparse cusparse;
    fsr_driver driver;
    CUcontext context; /* the device's own one, which the runtime makes current */
    atomic_int_fast64_t launches, graphs_made, graph_launches;
    fsr_lanes lanes;
    cudaStream_t recorder;                    /* of replays; NULL: none was made yet */
    int64_t recorded;                         /* kernels since the recording began */
    fsr_cufft_recorded recorded_plans;        /* cuFFT's, of these */
    atomic_uint_fast64_t reached;             /* bit d: device d's memory was asked for */
    fsr_allocator host_memory, device_memory; /* the caller's; take NULL: CUDA's */
    pthread_mutex_t host_lock;                /* of host_memory; the pool's is the other one's */
} fsr_cuda;

static inline fsr_cuda *fsr_cuda_of(fsr_backend *b) {
    return (fsr_cuda *)b;
}

/* Makes the backend's device the calling thread's current one. */
fsr_status fsr_cuda_use(fsr_cuda *c, fsr_fault *fault);
/* Fills the fault from a failed CUDA call: what was done (printf-like), CUDA's name and sentence for the error, and
 * whether the device's context is lost. Clears CUDA's last error. */
fsr_status fsr_cuda_fail(fsr_cuda *c, cudaError_t error, fsr_fault *fault, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* transfer.c: events, ring; copies and waiting. */
fsr_status fsr_transfer_open(fsr_cuda *c, fsr_fault *fault);
void fsr_transfer_close(fsr_cuda *c);
fsr_status fsr_cuda_copy_in(fsr_backend *b, void *dst, const void *src, int64_t bytes, fsr_stream stream,
                            fsr_fault *fault);
fsr_status fsr_cuda_copy_out(fsr_backend *b, void *dst, const void *src, int64_t bytes, fsr_stream stream,
                             fsr_fault *fault);
fsr_status fsr_cuda_copy(fsr_backend *b, void *dst, const void *src, int64_t bytes, fsr_stream stream,
                         fsr_fault *fault);
fsr_status fsr_cuda_clear(fsr_backend *b, void *dst, int64_t bytes, fsr_stream stream, fsr_fault *fault);
fsr_status fsr_cuda_wait(fsr_backend *b, fsr_stream stream, fsr_fault *fault);
fsr_status fsr_cuda_mark(fsr_backend *b, int which, fsr_stream stream, fsr_fault *fault);
fsr_status fsr_cuda_elapsed(fsr_backend *b, int first, double *ms, fsr_fault *fault);

/* driver.c, on the thread that has made the device's context. */
fsr_status fsr_driver_open(fsr_cuda *c, fsr_fault *fault);

/* locate.c: whose memory an address is. */
fsr_status fsr_cuda_locate(fsr_backend *b, const void *data, fsr_address *out, fsr_fault *fault);
uint64_t fsr_cuda_identify(fsr_backend *b, const void *data, fsr_seen *seen);

/* allocate.c: memory, see runtime/backend.h. */
fsr_status fsr_cuda_make_pool(fsr_cuda *c, fsr_fault *fault);
fsr_status fsr_cuda_alloc(fsr_backend *b, int64_t bytes, void **out, fsr_fault *fault);
void fsr_cuda_free(fsr_backend *b, void *data, int64_t bytes);
fsr_status fsr_cuda_trim(fsr_backend *b, fsr_fault *fault);
fsr_status fsr_cuda_host_alloc(fsr_backend *b, int64_t bytes, void **out, fsr_fault *fault);
void fsr_cuda_host_free(fsr_backend *b, void *data, int64_t bytes);

/* lanes.c: tickets, see runtime/backend.h. */
void fsr_lanes_open(fsr_cuda *c);
void fsr_lanes_close(fsr_cuda *c);
fsr_status fsr_cuda_transfer(fsr_backend *b, fsr_lane lane, void *dst, const void *src, int64_t bytes, int64_t *ticket,
                             fsr_fault *fault);
fsr_status fsr_cuda_after(fsr_backend *b, int64_t ticket, fsr_fault *fault);
fsr_status fsr_cuda_settle(fsr_backend *b, int64_t ticket, fsr_fault *fault);
fsr_status fsr_cuda_times(fsr_backend *b, int64_t ticket, double *begin, double *end, fsr_fault *fault);

/* peer.c, replay.c. */
fsr_status fsr_cuda_copy_peer(fsr_backend *b, void *dst, fsr_backend *from, const void *src, int64_t bytes,
                              fsr_fault *fault);
fsr_status fsr_cuda_captured(fsr_backend *b, fsr_stream stream, bool *out, fsr_fault *fault);
fsr_status fsr_cuda_replay_begin(fsr_backend *b, fsr_stream *stream, fsr_fault *fault);
fsr_status fsr_cuda_replay_end(fsr_backend *b, fsr_replay **out, fsr_fault *fault);
fsr_status fsr_cuda_replay(fsr_backend *b, fsr_replay *replay, fsr_stream stream, fsr_fault *fault);
void fsr_cuda_replay_drop(fsr_backend *b, fsr_replay *replay);
bool fsr_cuda_replay_stands(fsr_backend *b, const fsr_replay *replay);

/* Exchanges the thread's mode. What may get or free memory, or wait, is forbidden to a thread while a stream of its
 * own is being captured, unless the mode is relaxed: what is done so concerns no stream that is captured. */
void fsr_cuda_loosen(enum cudaStreamCaptureMode *mode);
/* Destroys *event unless it is NULL, and sets it NULL. */
void fsr_cuda_drop_event(cudaEvent_t *event);
/* Whether a stream is being captured, by its owner or for a replay. */
cudaError_t fsr_stream_captured(cudaStream_t stream, bool *out);
/* Work on a stream: begin gives the stream to use (the own one for NULL) and makes a foreign one wait for the own
 * one; end makes the own one wait for what was put on the foreign one since. A stream that is being captured is in
 * no order: nothing runs there, and a wait for another stream's work would be the capture's end. */
cudaError_t fsr_stream_begin(fsr_cuda *c, fsr_stream stream, cudaStream_t *use);
cudaError_t fsr_stream_end(fsr_cuda *c, cudaStream_t used);

/* module.c: kernels in memory. The number of compilations and hits go into *stats. */
fsr_status fsr_cuda_modules_open(fsr_cuda *c, int limit, fsr_fault *fault);
void fsr_cuda_modules_close(fsr_cuda *c);
void fsr_cuda_modules_stats(fsr_cuda *c, fsr_backend_stats *stats);
fsr_status fsr_cuda_compile(fsr_backend *b, const fsr_kernel *k, fsr_module **out, fsr_fault *fault);
void fsr_cuda_release(fsr_backend *b, fsr_module *m);
bool fsr_cuda_crowded(fsr_backend *b);
fsr_known fsr_cuda_known(fsr_backend *b, const fsr_kernel *k);
bool fsr_cuda_interpreted(const fsr_module *m); /* never */
fsr_status fsr_cuda_launch(fsr_backend *b, fsr_module *m, const fsr_launch *launch, fsr_stream stream,
                           fsr_fault *fault);

#endif
