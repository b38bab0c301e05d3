/* SPDX-License-Identifier: MIT */
/* The vtable between the runtime and a backend. A backend sees the loop IR and memory, never the graph.
 *
 * Errors: every call returns a status and, on failure, fills *fault (never NULL) with the whole message; the runtime
 * carries it to the caller. A failed call leaves the backend usable. Threads: calls may come from several
 * threads; a backend locks what it must. */
#ifndef FUSOR_RUNTIME_BACKEND_H
#define FUSOR_RUNTIME_BACKEND_H

#include "fusion/library.h"
#include "fusion/loop_ir.h"
#include "fusion/target.h"
#include "runtime/fault.h"
#include "runtime/ticket.h"

typedef struct fsr_backend fsr_backend;
typedef struct fsr_module fsr_module; /* one compiled kernel; each backend defines its own */
typedef void *fsr_stream;             /* NULL: the backend's own */

/* Counters that fsr_context_stats shows. */
typedef struct fsr_backend_stats {
    int64_t compilations, cache_hits_disk, cache_hits_memory, interpreted, modules, launches, launches_interpreted,
        used_bytes, pool_bytes, graphs_made, graph_launches;
} fsr_backend_stats;

/* A run of thunks that may be put on a stream again by one call. */
typedef struct fsr_replay fsr_replay;
/* A library's call: not at all; into a replay, as it uses memory of the backend's, in the order of its stream; wherever
 * a kernel may be, too. */
typedef enum fsr_recordable { FSR_NOT_RECORDED, FSR_RECORDED_HERE, FSR_RECORDED_ANYWHERE } fsr_recordable;

/* What is known of an address of the caller's. */
typedef struct fsr_address {
    bool host, device; /* who may read and write there: the host, this backend's device */
    int owner;         /* ordinal of the device whose memory it is; -1: the host's */
    int64_t room;      /* bytes from the address to the end of its allocation; INT64_MAX: not known */
} fsr_address;

/* What was found of an address the last time, of the allocation of that id; 0: it is not known. */
typedef struct fsr_seen {
    const void *data;
    uint64_t id;
    uint64_t given; /* the backend's own, of memory that it has handed out itself */
    fsr_address found;
} fsr_seen;

/* What a report says of a machine beside its name. A text that is not known is empty. */
typedef struct fsr_backend_facts {
    int threads;        /* of a CPU that work is divided among; 0: a GPU */
    char isa[32];       /* instructions that kernels may use: "avx512", "sm_90" */
    int vectors;        /* bytes of those that a CPU's library calls may use; 0: none */
    char compiler[160]; /* what it says of itself; on a CPU known once a kernel was compiled or loaded */
    char driver[64];    /* a GPU's */
} fsr_backend_facts;

typedef enum fsr_known { FSR_KNOWN_NOT, FSR_KNOWN_COMPILED, FSR_KNOWN_INTERPRETED } fsr_known;

typedef struct fsr_backend_ops {
    const char *name;              /* "cpu", "cuda" */
    void (*close)(fsr_backend *b); /* waits, frees everything */
    /* Instead of close in a child of fork: closes descriptors. Takes no lock, calls no driver, frees nothing that a
     * thread of the parent might have been changing. No other function is called in a child. */
    void (*leave)(fsr_backend *b);
    void (*device_name)(fsr_backend *b, char *out, size_t size);
    void (*facts)(fsr_backend *b, fsr_backend_facts *out);
    void (*target)(fsr_backend *b, fsr_target *out);
    void (*stats)(fsr_backend *b, fsr_backend_stats *out);

    /* The kernel's source as this backend prints it, malloc'ed; for dumps, golden tests, tools. */
    fsr_status (*emit)(fsr_backend *b, const fsr_kernel *k, char **source, fsr_fault *fault);
    /* Compiles, or finds in memory or on disk. Modules are shared: the same source gives the same module, and a
     * reference each time. One without references stays until there are more modules than the knob allows; close frees
     * all. */
    fsr_status (*compile)(fsr_backend *b, const fsr_kernel *k, fsr_module **out, fsr_fault *fault);
    /* Gives a reference back. What was launched before goes on: a module is unloaded when the device is done with
     * it. */
    void (*release)(fsr_backend *b, fsr_module *m);
    /* True if there are more modules than the knob allows: all of them are referenced. */
    bool (*crowded)(fsr_backend *b);
    /* Whether compile would find the kernel in memory, and how it would run. FSR_KNOWN_NOT also where memory is out. */
    fsr_known (*known)(fsr_backend *b, const fsr_kernel *k);
    /* True while launches of the module are interpreted for want of a compiler. */
    bool (*interpreted)(const fsr_module *m);
    /* Launches; asynchronous. launch->blocks, work and zero as fsr_kernel_* say. */
    fsr_status (*launch)(fsr_backend *b, fsr_module *m, const fsr_launch *launch, fsr_stream stream, fsr_fault *fault);
    /* A library call; asynchronous. array: of each argument and result, NULL for a result that is not used; work: its
     * workspace. FSR_ERR_UNSUPPORTED: fault names what this build lacks for it. */
    fsr_status (*library)(fsr_backend *b, const fsr_library_call *call, void *const *array, void *work,
                          fsr_stream stream, fsr_fault *fault);

    /* Memory: 256-byte aligned; bytes 0 gives a non-null address. alloc and free are ordered on the backend's own
     * stream:
     * memory freed there may be handed out again at once for work on that stream. */
    fsr_status (*alloc)(fsr_backend *b, int64_t bytes, void **out, fsr_fault *fault);
    void (*free)(fsr_backend *b, void *data, int64_t bytes);
    fsr_status (*trim)(fsr_backend *b, fsr_fault *fault);
    /* Host to device: the source may be reused on return. Device to host: complete on return, earlier device-side
     * errors surface. Device to device and clear: asynchronous. */
    fsr_status (*copy_in)(fsr_backend *b, void *dst, const void *src, int64_t bytes, fsr_stream stream,
                          fsr_fault *fault);
    fsr_status (*copy_out)(fsr_backend *b, void *dst, const void *src, int64_t bytes, fsr_stream stream,
                           fsr_fault *fault);
    fsr_status (*copy)(fsr_backend *b, void *dst, const void *src, int64_t bytes, fsr_stream stream, fsr_fault *fault);
    fsr_status (*clear)(fsr_backend *b, void *dst, int64_t bytes, fsr_stream stream, fsr_fault *fault);
    fsr_status (*wait)(fsr_backend *b, fsr_stream stream, fsr_fault *fault);
    /* Looks up an address of the caller's that is not null. NULL: the device is the host, every address is both's. */
    fsr_status (*locate)(fsr_backend *b, const void *data, fsr_address *out, fsr_fault *fault);
    /* The id of its allocation, which no other one of the process ever has; 0: not known. Cheaper than to look it up.
     * seen: of the last time that it was asked about this address. */
    uint64_t (*identify)(fsr_backend *b, const void *data, fsr_seen *seen);
    /* Milliseconds of device time between two marks on a stream, `first` and the next: 0 and 1 are the bench's, 2 and 3
     * the profile's, whose setter holds the context's launch lock. elapsed waits for the second. */
    fsr_status (*mark)(fsr_backend *b, int which, fsr_stream stream, fsr_fault *fault);
    fsr_status (*elapsed)(fsr_backend *b, int first, double *ms, fsr_fault *fault);

    /* Memory of the host that a copy may run beside work from: pinned on a GPU. 256-byte aligned. */
    fsr_status (*host_alloc)(fsr_backend *b, int64_t bytes, void **out, fsr_fault *fault);
    void (*host_free)(fsr_backend *b, void *data, int64_t bytes);
    /* A copy on a lane (fusor/transfer.h), behind what is on the own stream now; FSR_LANE_WORK: a mark, nothing is
     * copied. On an error *ticket is 0. */
    fsr_status (*transfer)(fsr_backend *b, fsr_lane lane, void *dst, const void *src, int64_t bytes, int64_t *ticket,
                           fsr_fault *fault);
    /* The own stream waits for a ticket; the host waits; when it was, in ms since the first. FSR_ERR_VALUE: there is
     * no such ticket, or its times are known no more. Ticket 0 is done. */
    fsr_status (*after)(fsr_backend *b, int64_t ticket, fsr_fault *fault);
    fsr_status (*settle)(fsr_backend *b, int64_t ticket, fsr_fault *fault);
    fsr_status (*times)(fsr_backend *b, int64_t ticket, double *begin, double *end, fsr_fault *fault);
    /* Copies from another backend of this kind, each on its own stream in order, without waiting. NULL: its memory
     * is the host's. */
    fsr_status (*copy_peer)(fsr_backend *b, void *dst, fsr_backend *from, const void *src, int64_t bytes,
                            fsr_fault *fault);

    /* Replays; NULL: the backend has none. captured: whether a caller's stream is being captured. begin: what is put
     * on *stream from now on, by this thread, is not run but recorded; end: the recording is over, in any case.
     * Calls that wait, get memory, or use other streams may not come between. replay: puts it on a stream, ordered
     * as a launch is. drop: it may be running. */
    fsr_status (*captured)(fsr_backend *b, fsr_stream stream, bool *out, fsr_fault *fault);
    fsr_status (*replay_begin)(fsr_backend *b, fsr_stream *stream, fsr_fault *fault);
    fsr_status (*replay_end)(fsr_backend *b, fsr_replay **out, fsr_fault *fault);
    fsr_status (*replay)(fsr_backend *b, fsr_replay *replay, fsr_stream stream, fsr_fault *fault);
    void (*replay_drop)(fsr_backend *b, fsr_replay *replay);
    /* False: it may not be put on a stream any more, as what it uses is gone. */
    bool (*replay_stands)(fsr_backend *b, const fsr_replay *replay);
    /* What of a library's call may be recorded; a call of the program's own says it itself. */
    fsr_recordable (*recordable)(fsr_library library);
} fsr_backend_ops;

enum { FSR_MARKS = 4 };

struct fsr_backend {
    const fsr_backend_ops *ops;
};

/* Constructors. config is borrowed for the call. FSR_ERR_NO_BACKEND: not there, fault says why.
 * The CUDA one is in every build: without a CUDA toolkit at build time it says that. */
fsr_status fsr_backend_cpu_open(const fsr_config *config, fsr_backend **out, fsr_fault *fault);
fsr_status fsr_backend_cuda_open(const fsr_config *config, fsr_backend **out, fsr_fault *fault);

#endif
