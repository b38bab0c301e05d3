/* SPDX-License-Identifier: MIT */
/* The context: one backend, its plans, its errors.
 *
 * Locks, always taken in this order: `launch` (one program is launched at a time, so that the zeroed tickets have one
 * user and the memory of a run is ordered on the stream), `lock` (plans of the caller, error slots), those of the plan
 * cache and of the families. Errors are kept for each thread. */
#ifndef FUSOR_RUNTIME_CONTEXT_H
#define FUSOR_RUNTIME_CONTEXT_H

#include "fusion/plan.h"
#include "fusor/run.h"
#include "runtime/backend.h"
#include <pthread.h>
#include <stdatomic.h>

typedef struct fsr_plan_cache fsr_plan_cache;
typedef struct fsr_families fsr_families;
typedef struct fsr_error_slot fsr_error_slot;
typedef struct fsr_routines fsr_routines;

struct fsr_context {
    fsr_backend *backend;
    bool reference;    /* computed node by node by the reference; the CPU backend then only gives memory */
    fsr_config config; /* strings owned */
    fsr_target target;
    fsr_graph_owner *graphs;
    fsr_plan_cache *plans;
    fsr_families *families;      /* of plans that differ in literals alone */
    struct fsr_plan *first_plan; /* compiled plans not yet freed */
    pthread_mutex_t launch, lock;
    pthread_key_t error;
    fsr_error_slot *errors;
    fsr_routines *routines; /* NULL: none was asked for yet */
    void *zero;             /* tickets that kernels leave zero */
    int64_t zero_bytes;
    struct fsr_report_batch *first_report; /* of runs that may have reported, the oldest first; guarded by `lock` */
    int nreports;                          /* of them with words that nobody has looked at */
    pthread_cond_t looked_at;              /* somebody has */
    struct fsr_memory_block *first_block;  /* of fsr_alloc; guarded by `lock` */
    int64_t last_copy[FSR_LANES];          /* tickets; guarded by `lock` */
    atomic_llong plans_built, plan_hits;
    atomic_llong computations; /* of nodes, begun */
    char device_name[256];     /* filled when first asked for */
};

/* The backend of a context. */
fsr_backend *fsr_context_backend(fsr_context *ctx);
/* False in a child of the process that opened ctx: there no lock of the context may be taken, and the backend not be
 * called. */
bool fsr_context_here(const fsr_context *ctx);
/* FSR_OK, or FSR_ERR_FORKED in a child; then it is the thread's error, or in the fault. */
fsr_status fsr_context_check(fsr_context *ctx);
fsr_status fsr_context_forked(const fsr_context *ctx, fsr_fault *fault);
/* Records the calling thread's error; returns status. ctx NULL is allowed. In a child the error is FSR_ERR_FORKED. */
fsr_status fsr_context_fail(fsr_context *ctx, fsr_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Takes over a fault's message as the thread's error; clears the fault; returns its status. */
fsr_status fsr_context_take(fsr_context *ctx, fsr_fault *fault);
/* Writes a line to stderr if the log level is at least `level`. */
void fsr_context_log(const fsr_context *ctx, fsr_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* transfer.c: gives back what fsr_alloc gave. */
void fsr_memory_close(fsr_context *ctx);
/* transfer.c: waits for every copy that fsr_upload and fsr_download have put on their streams. */
fsr_status fsr_copies_settle(fsr_context *ctx, fsr_fault *fault);

/* errors.c */
fsr_status fsr_errors_open(fsr_context *ctx);
void fsr_errors_close(fsr_context *ctx);

#endif
