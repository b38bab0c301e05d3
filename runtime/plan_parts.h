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

/* An argument of the last run, which used it where it lies. */
typedef struct plan_known {
    const char *name; /* the leaf's; NULL: an output */
    const void *data;
    size_t bytes;
    fsr_place place;
    fsr_seen *seen; /* what is kept of its memory; NULL: nothing was asked of it */
} plan_known;

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
    bool *given;       /* leaves */
    plan_known *known; /* inputs as they were given, then outputs */
    int nknown;        /* inputs there; negative: the next run looks at its arguments whatever they are */
    bool valued;       /* an input was a parameter's value */
};

/* plan_again.c: the arguments of the last run, so that one with the same need not look at them again. Forgets them;
 * takes argument `number`, a leaf's or, with name NULL, an output, which stands in `slot`; keeps all, of so many
 * inputs, unless one did not stay as it was given; whether these are the same. */
void fsr_plan_forget(fsr_plan *plan);
void fsr_plan_know(fsr_plan *plan, const fsr_arg *arg, const char *name, int number, int slot);
void fsr_plan_keep(fsr_plan *plan, int ninputs);
bool fsr_plan_again(const fsr_plan *plan, const fsr_arg *inputs, int ninputs, const fsr_arg *outputs);

/* Gives a thunk the rules' schedule with these fields changed, or with "" itself. On an error it keeps what it has. */
fsr_status fsr_plan_tune(fsr_plan *plan, int thunk, const char *fields, fsr_fault *fault);

#endif
