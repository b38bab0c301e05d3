/* SPDX-License-Identifier: MIT */
/* What the kernels of a plan take, run by run, and where what they fuse was recorded (knob `profile`).
 *
 * An executable is shared by everybody who records the same program, on whatever lines; so lines are not its, but are
 * found anew for each recording: kernel -> nodes of the planned flow -> (fsr_prepared.origin) nodes of the flow as it
 * was built -> sites. Counter-example to sites in the executable: the second of two equal loops would be told to be the
 * first. */
#ifndef FUSOR_RUNTIME_PROFILE_H
#define FUSOR_RUNTIME_PROFILE_H

#include "runtime/executable.h"

typedef struct fsr_profile {
    int nthunks;
    char **lines; /* of each thunk: "a.c:12, a.c:15" */
    double *ms;   /* of each thunk, of the last run; negative: it was not launched */
    int64_t runs;
} fsr_profile;

/* Where the nodes of a flow that was just built were recorded, malloc'ed. NULL: out of memory. */
fsr_site *fsr_profile_sites(const fsr_flow *flow);
/* out: zeroed, for runs of p; site: of the flow that p was prepared for. FSR_ERR_MEMORY; then out is to be cleared,
 * too. */
fsr_status fsr_profile_make(fsr_profile *out, const fsr_prepared *p, const fsr_site *site, fsr_fault *fault);
void fsr_profile_clear(fsr_profile *profile);
/* Counts a run; the knob 1: writes what it took to stderr. */
void fsr_profile_ran(fsr_profile *profile, fsr_context *ctx, const fsr_prepared *p);
/* What the kernels of the executable took last, whoever ran it, as text to explain. False: writing failed. */
bool fsr_profile_explain(fsr_context *ctx, const fsr_executable *e, const char *const *lines, FILE *to);
/* Gigabytes a second; 0 where nothing was measured. */
double fsr_profile_rate(int64_t bytes, double ms);

#endif
