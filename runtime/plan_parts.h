/* SPDX-License-Identifier: MIT */
/* A plan of the public API, for the files that define its functions. */
#ifndef FUSOR_RUNTIME_PLAN_PARTS_H
#define FUSOR_RUNTIME_PLAN_PARTS_H

#include "graph/shape.h"
#include "runtime/profile.h"

typedef struct plan_leaf {
    char *name;         /* input, else NULL */
    fsr_buffer *buffer; /* kept data of a leaf that is no input */
    fsr_dtype dtype;
    fsr_shape shape;
    int64_t bytes;
} plan_leaf;

typedef struct plan_scalar {
    char *name; /* NULL: a size */
    fsr_dtype dtype;
    fsr_value value;
} plan_scalar;

typedef struct plan_out {
    fsr_dtype dtype;
    fsr_shape shape;
    int64_t bytes;
} plan_out;

struct fsr_plan {
    fsr_context *ctx;
    fsr_plan *next, *previous;
    fsr_prepared *prepared;
    plan_leaf *leaf;
    plan_scalar *scalar;
    plan_out *out;
    fsr_report *report;          /* what its runs may report */
    int *gift;                   /* per output: an input whose memory it may be given, or -1; NULL: none */
    struct fsr_run_memory *held; /* memory of its runs that were captured; guarded by lock */
    const fsr_graph *origin;     /* the graph whose arrays it keeps, freed or not; NULL: it keeps none */
    int nleaves, nscalars, nouts;
    /* scratch of one run, and what the last ones took, guarded by lock */
    fsr_profile profile;
    struct fsr_tuned *tuned;     /* schedules of its own, one a thunk (runtime/tuned.h); NULL: none */
    struct fsr_replays *replays; /* of runs with these */
    double *measured;            /* receives what each thunk of a run takes; NULL: nobody measures */
    pthread_mutex_t lock;
    void **address;  /* leaves, then outputs */
    fsr_seen *seen;  /* what the last run found of each, in the same order */
    void **borrowed; /* the run's own device arrays, in the same order; NULL: none */
    fsr_value *value;
    bool *given; /* leaves */
};

/* Gives a thunk the rules' schedule with these fields changed, or with "" itself. On an error it keeps what it has. */
fsr_status fsr_plan_tune(fsr_plan *plan, int thunk, const char *fields, fsr_fault *fault);

#endif
