/* SPDX-License-Identifier: MIT */
/* Runs of plans on a stream that the caller is capturing. */
#ifndef FUSOR_RUNTIME_CAPTURE_H
#define FUSOR_RUNTIME_CAPTURE_H

#include "runtime/plan_parts.h"

/* Memory of a captured run, which the caller's graph uses whenever it is launched: the plan's until it is freed. */
typedef struct fsr_run_memory {
    struct fsr_run_memory *next;
    void *data;
    int64_t bytes;
} fsr_run_memory;

/* Whether the stream is being captured. Then FSR_ERR_UNSUPPORTED with what hinders it: nothing was put on it yet, so
 * the capture goes on. */
fsr_status fsr_capture_check(const fsr_plan *plan, const fsr_arg *inputs, int ninputs, const fsr_arg *outputs,
                             fsr_stream stream, bool *captured, fsr_fault *fault);
/* Memory for as long as the plan. zero: cleared, before anything that is launched later. */
fsr_status fsr_capture_hold(fsr_context *ctx, fsr_run_memory **held, int64_t bytes, bool zero, void **out,
                            fsr_fault *fault);
/* Gives it back. */
void fsr_capture_let_go(fsr_context *ctx, fsr_run_memory *held);

#endif
