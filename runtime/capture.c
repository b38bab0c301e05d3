/* SPDX-License-Identifier: MIT */
/* Captured runs: the caller's graph is launched later, as often as the caller wants, in no order with the context's
 * own stream.
 *
 * So a captured run may use no memory that the pool hands out again: its temporaries, and tickets of its own (the
 * context's are in use by other runs at the same time), stay with the plan. And it can be no more than launches:
 * what is copied from or to the host by way of the run's memory, what reports, what waits, is refused before
 * anything is put on the stream. Counter-example to refusing in the middle: a capture that fails is invalid as a
 * whole, with the caller's work before it. */
#include "runtime/capture.h"
#include "runtime/replays.h"
#include <stdlib.h>

/* Kernels load whole vectors. */
enum { VECTOR_BYTES = 16 };

static fsr_status check_place(const char *what, int number, const fsr_arg *arg, fsr_fault *fault) {
    if (arg->place != FSR_DEVICE || (uintptr_t)arg->data % VECTOR_BYTES)
        return fsr_fault_set(fault, FSR_ERR_UNSUPPORTED, "plan_run: the stream is being captured: %s %d is %s", what,
                             number, arg->place != FSR_DEVICE ? "no memory of the device" : "not 16-byte aligned");
    return FSR_OK;
}

static bool is_parameter(const fsr_plan *plan, const fsr_arg *arg) {
    for (int i = 0; i < plan->nscalars && arg->name; ++i)
        if (plan->scalar[i].name && strcmp(plan->scalar[i].name, arg->name) == 0)
            return true;
    return false;
}

static fsr_status check_program(const fsr_plan *plan, fsr_fault *fault) {
    const fsr_program *program = &plan->prepared->executable->program;
    const char *call, *refusal = fsr_replays_refusal(plan->ctx, program, true, &call);
    if (!refusal && program->nreports)
        refusal = "what reports an index";
    if (!refusal && plan->profile.ms)
        refusal = "the knob profile";
    if (!refusal)
        return FSR_OK;
    return fsr_fault_set(fault, FSR_ERR_UNSUPPORTED,
                         "plan_run: the stream is being captured: %s%s%s may not be captured", refusal,
                         *call ? " " : "", call);
}

fsr_status fsr_capture_check(const fsr_plan *plan, const fsr_arg *inputs, int ninputs, const fsr_arg *outputs,
                             fsr_stream stream, bool *captured, fsr_fault *fault) {
    const fsr_backend_ops *ops = plan->ctx->backend->ops;
    *captured = false;
    fsr_status status = stream && ops->captured ? ops->captured(plan->ctx->backend, stream, captured, fault) : FSR_OK;
    if (status || !*captured)
        return status;
    status = check_program(plan, fault);
    for (int i = 0; i < ninputs && !status; ++i)
        if (!is_parameter(plan, &inputs[i]))
            status = check_place("input", i, &inputs[i], fault);
    for (int i = 0; i < plan->nouts && !status; ++i)
        status = check_place("output", i, &outputs[i], fault);
    if (!status && plan->gift)
        status = fsr_fault_set(fault, FSR_ERR_UNSUPPORTED,
                               "plan_run: the stream is being captured: a plan of fsr_compile_donating may not be");
    return status;
}

fsr_status fsr_capture_hold(fsr_context *ctx, fsr_run_memory **held, int64_t bytes, bool zero, void **out,
                            fsr_fault *fault) {
    const fsr_backend_ops *ops = ctx->backend->ops;
    fsr_run_memory *h = malloc(sizeof *h);
    if (!h)
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "plan_run: out of memory");
    fsr_status status = ops->alloc(ctx->backend, bytes, out, fault);
    if (status) {
        free(h);
        return status;
    }
    *h = (fsr_run_memory){*held, *out, bytes};
    *held = h;
    if (zero)
        status = ops->clear(ctx->backend, *out, bytes, NULL, fault);
    /* what used the block before, and the clear, are on the own stream, which the caller's graph does not wait for */
    return status ? status : ops->wait(ctx->backend, NULL, fault);
}

void fsr_capture_let_go(fsr_context *ctx, fsr_run_memory *held) {
    while (held) {
        fsr_run_memory *next = held->next;
        ctx->backend->ops->free(ctx->backend, held->data, held->bytes);
        free(held);
        held = next;
    }
}
