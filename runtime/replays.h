/* SPDX-License-Identifier: MIT */
/* Runs of a program that come again on the same addresses, as one launch each. */
#ifndef FUSOR_RUNTIME_REPLAYS_H
#define FUSOR_RUNTIME_REPLAYS_H

#include "runtime/execution.h"

typedef struct fsr_replays fsr_replays;

/* Puts the whole program on the stream, as fsr_execution_thunks, or as a replay of such a run. Under the context's
 * launch lock. */
fsr_status fsr_replays_run(const fsr_execution *x, fsr_replays **all, fsr_fault *fault);
/* Why the thunks of a program cannot be recorded from a stream, in words, with the name of a call or ""; NULL: they
 * can. kept: what a thunk launches stays loaded, whatever becomes of the program. */
const char *fsr_replays_refusal(const fsr_context *ctx, const fsr_program *program, bool kept, const char **call);
/* A line for explain: whether runs that come again are one launch, and else why not. "" where each is one launch
 * anyway. */
void fsr_replays_say(const fsr_context *ctx, const fsr_program *program, char *out, size_t size);
/* NULL is allowed. */
void fsr_replays_free(fsr_backend *backend, fsr_replays *all);

#endif
