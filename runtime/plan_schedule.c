/* SPDX-License-Identifier: MIT */
/* Schedules of a plan's kernels as text, and by hand (fusor/tune.h). */
#include "fusor/tune.h"
#include "graph/floats.h"
#include "runtime/array.h"
#include "runtime/plan_parts.h"
#include "runtime/replays.h"
#include "runtime/tuned.h"
#include <stdlib.h>

/* The thunk of kernel i; -1 and the status in *status: there is none, or no plan. */
static int thunk_of(fsr_plan *plan, int i, const char *what, fsr_status *status) {
    if (!plan) {
        *status = fsr_context_fail(NULL, FSR_ERR_NULL, "%s: the plan is null", what);
        return -1;
    }
    if ((*status = fsr_context_check(plan->ctx)) != FSR_OK)
        return -1;
    const fsr_program *program = &plan->prepared->executable->program;
    const fsr_thunk *thunk = i >= 0 ? fsr_program_kernel(program, i) : NULL;
    if (!thunk)
        *status = fsr_context_fail(plan->ctx, FSR_ERR_VALUE, "%s: kernel %d of %d", what, i, program->info.kernels);
    return thunk ? (int)(thunk - program->thunk) : -1;
}

/* The plan's lock is held. */
static fsr_status write_schedule(const fsr_plan *plan, int thunk, char **text, size_t *size, fsr_fault *fault) {
    const fsr_kernel *k = plan->tuned && plan->tuned[thunk].kernel
                              ? plan->tuned[thunk].kernel
                              : plan->prepared->executable->program.thunk[thunk].kernel;
    FILE *to = open_memstream(text, size);
    if (to)
        fsr_schedule_print(k, to);
    return to && fclose(to) == 0 ? FSR_OK : fsr_fault_set(fault, FSR_ERR_MEMORY, "plan_schedule: out of memory");
}

fsr_status fsr_plan_schedule(fsr_plan *plan, int kernel, char *text, size_t size, size_t *length) {
    static const char what[] = "plan_schedule";
    fsr_status status;
    char *made = NULL;
    size_t whole = 0;
    fsr_fault fault = {FSR_OK, NULL};
    if (text && size)
        text[0] = 0;
    if (length)
        *length = 0;
    const int thunk = thunk_of(plan, kernel, what, &status);
    if (thunk < 0)
        return status;
    if (!text && !length)
        return fsr_context_fail(plan->ctx, FSR_ERR_NULL, "%s: where the answer goes is null", what);
    pthread_mutex_lock(&plan->lock);
    status = write_schedule(plan, thunk, &made, &whole, &fault);
    pthread_mutex_unlock(&plan->lock);
    if (status)
        fsr_context_take(plan->ctx, &fault);
    if (!status && length)
        *length = whole;
    if (!status)
        status = fsr_hand_over(plan->ctx, what, made, whole, text, size);
    free(made);
    return status;
}

fsr_status fsr_plan_tune(fsr_plan *plan, int thunk, const char *fields, fsr_fault *fault) {
    const fsr_executable *e = plan->prepared->executable;
    fsr_tuned made = {.kernel = NULL};
    fsr_status status = fields[0] ? fsr_tuned_make(e, thunk, fields, &made, fault) : FSR_OK;
    if (status)
        return status;
    pthread_mutex_lock(&plan->lock);
    if (!plan->tuned)
        plan->tuned = calloc((size_t)e->program.nthunks + 1, sizeof *plan->tuned);
    if (!plan->tuned) {
        pthread_mutex_unlock(&plan->lock);
        fsr_tuned_clear(e, &made);
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "out of memory for a schedule");
    }
    fsr_tuned was = plan->tuned[thunk];
    plan->tuned[thunk] = made;
    fsr_replays_free(plan->ctx->backend, plan->replays); /* they launch what was */
    plan->replays = NULL;
    pthread_mutex_unlock(&plan->lock);
    fsr_tuned_clear(e, &was);
    return FSR_OK;
}

fsr_status fsr_plan_set_schedule(fsr_plan *plan, int kernel, const char *fields) {
    FSR_DEFAULT_FLOATS;
    fsr_status status;
    fsr_fault fault = {FSR_OK, NULL};
    const int thunk = thunk_of(plan, kernel, "plan_set_schedule", &status);
    if (thunk < 0)
        return status;
    status = fsr_plan_tune(plan, thunk, fields ? fields : "", &fault);
    return status ? fsr_context_take(plan->ctx, &fault) : FSR_OK;
}
