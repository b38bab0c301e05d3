/* SPDX-License-Identifier: MIT */
/* Runs of plans.
 *
 * A run finds each argument by name, checks its size, and hands addresses to the executable. On a GPU host memory goes
 * through a device array of the run; so does device memory that is not 16-byte aligned, since kernels load whole
 * vectors. */
#include "graph/floats.h"
#include "graph/shape.h"
#include "runtime/array.h"
#include "runtime/capture.h"
#include "runtime/plan_parts.h"
#include "runtime/replays.h"
#include "runtime/reports.h"
#include "runtime/tuned.h"
#include <stdlib.h>
#include <string.h>

enum { VECTOR_BYTES = 16 };

/* slot: where what is found of the address is kept for the next run, -1: it is not. */
static fsr_status check_owner(const fsr_plan *plan, const fsr_arg *arg, fsr_place place, int slot, const char *what,
                              int number, fsr_fault *fault) {
    fsr_fault why = {FSR_OK, NULL};
    const fsr_status status =
        fsr_check_place(plan->ctx, arg->data, (int64_t)arg->bytes, place, slot < 0 ? NULL : &plan->seen[slot], &why);
    if (status) {
        fsr_fault_set(fault, status, "plan_run: %s %d \"%s\": %s", what, number, arg->name ? arg->name : "",
                      why.message ? why.message : "");
        fsr_fault_clear(&why);
    }
    return status;
}

/* place: where the memory has to be; of a parameter on the host, whatever the argument says. */
static fsr_status check_arg(const fsr_plan *plan, const fsr_arg *arg, int64_t bytes, fsr_place place, int slot,
                            const char *what, int number, fsr_fault *fault) {
    const char *name = arg->name ? arg->name : "";
    if (arg->place != FSR_HOST && arg->place != FSR_DEVICE)
        return fsr_fault_set(fault, FSR_ERR_VALUE, "plan_run: %s %d \"%s\" has no place: %d", what, number, name,
                             (int)arg->place);
    if (arg->bytes != (uint64_t)bytes)
        return fsr_fault_set(fault, FSR_ERR_BYTES, "plan_run: %s %d \"%s\" has %zu bytes, the plan needs %lld", what,
                             number, name, arg->bytes, (long long)bytes);
    if (!arg->data && bytes)
        return fsr_fault_set(fault, FSR_ERR_NULL, "plan_run: %s %d \"%s\" is null", what, number, name);
    return plan->ctx->backend->ops->locate ? check_owner(plan, arg, place, slot, what, number, fault) : FSR_OK;
}

/* The output is given the memory of an input that is still read when it is written: it is copied there at the end. */
static bool is_kept_apart(const fsr_plan *plan, int output, const fsr_arg *arg) {
    const int leaf = plan->gift ? plan->gift[output] : -1;
    return leaf >= 0 && plan->address[leaf] == arg->data && plan->prepared->executable->program.gift[output] != leaf;
}

/* Makes plan->address[slot] a device address the kernels may use for arg. */
static fsr_status place(fsr_plan *plan, int slot, const fsr_arg *arg, bool input, void *stream, fsr_fault *fault) {
    fsr_context *ctx = plan->ctx;
    const fsr_backend_ops *ops = ctx->backend->ops;
    bool direct = !ctx->target.gpu || (arg->place == FSR_DEVICE && (uintptr_t)arg->data % VECTOR_BYTES == 0);
    direct = direct && (input || !is_kept_apart(plan, slot - plan->nleaves, arg));
    plan->address[slot] = arg->data;
    if (direct || arg->bytes == 0)
        return FSR_OK;
    fsr_status status = ops->alloc(ctx->backend, (int64_t)arg->bytes, &plan->borrowed[slot], fault);
    if (status)
        return status;
    plan->address[slot] = plan->borrowed[slot];
    if (!input)
        return FSR_OK;
    return (arg->place == FSR_HOST ? ops->copy_in : ops->copy)(ctx->backend, plan->borrowed[slot], arg->data,
                                                               (int64_t)arg->bytes, stream, fault);
}

/* Of memory of the host there may be nothing to keep, and a copy of it takes longer than to ask. */
static int kept_of(const fsr_arg *arg, int slot) {
    return arg->place == FSR_DEVICE ? slot : -1;
}

/* Bool input that holds other bytes than 0 and 1, and that the host can see: a copy of 0 and 1 takes its place. */
static fsr_status place_bools(fsr_plan *plan, int slot, const fsr_arg *arg, void *stream, fsr_fault *fault) {
    const uint8_t *data = arg->data;
    size_t good = 0;
    while (good < arg->bytes && data[good] <= 1)
        ++good;
    if (good == arg->bytes)
        return place(plan, slot, arg, true, stream, fault);
    const fsr_backend_ops *ops = plan->ctx->backend->ops;
    uint8_t *bools = fsr_normal_bools(data, (int64_t)arg->bytes);
    fsr_status status = bools ? FSR_OK : fsr_fault_set(fault, FSR_ERR_MEMORY, "plan_run: out of memory");
    if (!status)
        status = ops->alloc(plan->ctx->backend, (int64_t)arg->bytes, &plan->borrowed[slot], fault);
    plan->address[slot] = plan->borrowed[slot];
    if (!status)
        status = ops->copy_in(plan->ctx->backend, plan->borrowed[slot], bools, (int64_t)arg->bytes, stream, fault);
    free(bools);
    return status;
}

static fsr_status bind_scalar(fsr_plan *plan, const fsr_arg *arg, int number, bool *known, fsr_fault *fault) {
    for (int i = 0; i < plan->nscalars; ++i) {
        if (!plan->scalar[i].name || strcmp(plan->scalar[i].name, arg->name) != 0)
            continue;
        size_t size = fsr_dtype_size(plan->scalar[i].dtype);
        fsr_status status = check_arg(plan, arg, (int64_t)size, FSR_HOST, -1, "parameter", number, fault);
        if (status)
            return status;
        plan->value[i] = (fsr_value){.bits = 0};
        memcpy(&plan->value[i], arg->data, size);
        if (plan->scalar[i].dtype == FSR_BOOL)
            plan->value[i].b = plan->value[i].b != 0;
        *known = plan->valued = true;
    }
    return FSR_OK;
}

static fsr_status bind_input(fsr_plan *plan, const fsr_arg *arg, int number, void *stream, fsr_fault *fault) {
    if (!arg->name)
        return fsr_fault_set(fault, FSR_ERR_NULL, "plan_run: input %d has no name", number);
    bool known = false;
    for (int i = 0; i < plan->nleaves; ++i) {
        if (!plan->leaf[i].name || strcmp(plan->leaf[i].name, arg->name) != 0)
            continue;
        fsr_status status =
            check_arg(plan, arg, plan->leaf[i].bytes, arg->place, kept_of(arg, i), "input", number, fault);
        if (!status && plan->given[i])
            status = fsr_fault_set(fault, FSR_ERR_VALUE, "plan_run: input \"%s\" is given twice", arg->name);
        bool bools = plan->leaf[i].dtype == FSR_BOOL && (arg->place == FSR_HOST || !plan->ctx->target.gpu);
        if (!status)
            status = bools ? place_bools(plan, i, arg, stream, fault) : place(plan, i, arg, true, stream, fault);
        if (status)
            return status;
        plan->given[i] = known = true;
        fsr_plan_know(plan, arg, plan->leaf[i].name, number, i);
    }
    fsr_status status = bind_scalar(plan, arg, number, &known, fault);
    if (!status && !known)
        status = fsr_fault_set(fault, FSR_ERR_VALUE, "plan_run: the plan has no input or parameter \"%s\"", arg->name);
    return status;
}

/* Kept data, which may have moved since the last run. */
static void bind_buffers(fsr_plan *plan) {
    for (int i = 0; i < plan->nleaves; ++i)
        if (plan->leaf[i].buffer)
            plan->address[i] = plan->leaf[i].buffer->data;
}

/* As numbers: addresses of different arrays, or none at all, are not for comparing. */
static bool overlap(const fsr_arg *a, const fsr_arg *b) {
    const uintptr_t x = (uintptr_t)a->data, y = (uintptr_t)b->data;
    return a->bytes && b->bytes && x < y + b->bytes && y < x + a->bytes;
}

/* The output is given the memory of the input that it may take. */
static bool is_given(const fsr_plan *plan, int output, const fsr_arg *out, const fsr_arg *in) {
    const int leaf = plan->gift ? plan->gift[output] : -1;
    return leaf >= 0 && in->name && !strcmp(in->name, plan->leaf[leaf].name) && in->data == out->data &&
           in->bytes == out->bytes && in->place == out->place;
}

static fsr_status check_overlap(const fsr_plan *plan, const fsr_arg *inputs, int ninputs, const fsr_arg *outputs,
                                int noutputs, fsr_fault *fault) {
    for (int i = 0; i < noutputs; ++i) {
        for (int j = 0; j < ninputs; ++j)
            if (overlap(&outputs[i], &inputs[j]) && !is_given(plan, i, &outputs[i], &inputs[j]))
                return fsr_fault_set(fault, FSR_ERR_VALUE, "plan_run: output %d overlaps input \"%s\"", i,
                                     inputs[j].name ? inputs[j].name : "");
        for (int j = 0; j < i; ++j)
            if (overlap(&outputs[i], &outputs[j]))
                return fsr_fault_set(fault, FSR_ERR_VALUE, "plan_run: output %d overlaps output %d", i, j);
    }
    return FSR_OK;
}

static fsr_status bind_all(fsr_plan *plan, const fsr_arg *inputs, int ninputs, const fsr_arg *outputs, void *stream,
                           fsr_fault *fault) {
    fsr_status status = FSR_OK;
    for (int i = 0; i < plan->nscalars; ++i)
        plan->value[i] = plan->scalar[i].value;
    for (int i = 0; i < plan->nleaves; ++i) {
        plan->given[i] = plan->leaf[i].buffer != NULL;
        plan->address[i] = NULL;
    }
    bind_buffers(plan);
    for (int i = 0; i < ninputs && !status; ++i)
        status = bind_input(plan, &inputs[i], i, stream, fault);
    for (int i = 0; i < plan->nleaves && !status; ++i)
        if (!plan->given[i])
            status = fsr_fault_set(fault, FSR_ERR_UNBOUND, "plan_run: input \"%s\" is missing", plan->leaf[i].name);
    for (int i = 0; i < plan->nouts && !status; ++i) {
        status = check_arg(plan, &outputs[i], plan->out[i].bytes, outputs[i].place,
                           kept_of(&outputs[i], plan->nleaves + i), "output", i, fault);
        if (!status)
            status = place(plan, plan->nleaves + i, &outputs[i], false, stream, fault);
        if (!status)
            fsr_plan_know(plan, &outputs[i], NULL, i, plan->nleaves + i);
    }
    return status;
}

/* The addresses of a run's arguments, into the plan's. */
static fsr_status bind(fsr_plan *plan, const fsr_arg *inputs, int ninputs, const fsr_arg *outputs, void *stream,
                       fsr_fault *fault) {
    fsr_plan_forget(plan);
    fsr_status status = check_overlap(plan, inputs, ninputs, outputs, plan->nouts, fault);
    if (!status)
        status = bind_all(plan, inputs, ninputs, outputs, stream, fault);
    if (!status)
        fsr_plan_keep(plan, ninputs);
    return status;
}

/* Results that the caller wants elsewhere than where the thunks have left them. */
static fsr_status deliver(fsr_plan *plan, const fsr_arg *outputs, void *stream, fsr_fault *fault) {
    const fsr_backend_ops *ops = plan->ctx->backend->ops;
    fsr_status status = FSR_OK;
    for (int i = 0; i < plan->nouts && !status; ++i) {
        const int slot = plan->nleaves + i;
        const void *from = plan->address[slot];
        if (plan->borrowed[slot] && outputs[i].place == FSR_HOST)
            status = ops->copy_out(plan->ctx->backend, outputs[i].data, from, plan->out[i].bytes, stream, fault);
        else if (plan->borrowed[slot])
            status = ops->copy(plan->ctx->backend, outputs[i].data, from, plan->out[i].bytes, stream, fault);
    }
    return status;
}

/* The run's own arrays go back. */
static void give_back(fsr_plan *plan) {
    const fsr_backend_ops *ops = plan->ctx->backend->ops;
    for (int i = 0; i < plan->nleaves + plan->nouts; ++i)
        if (plan->borrowed[i]) {
            int64_t bytes = i < plan->nleaves ? plan->leaf[i].bytes : plan->out[i - plan->nleaves].bytes;
            ops->free(plan->ctx->backend, plan->borrowed[i], bytes);
            plan->borrowed[i] = NULL;
        }
}

/* Results on the host are there when the run returns: it waits for them. */
static bool waits_for(const fsr_arg *outputs, int n) {
    for (int i = 0; i < n; ++i)
        if (outputs[i].place == FSR_HOST)
            return true;
    return false;
}

static fsr_status run_bound(fsr_plan *plan, bool waits, bool captured, void *stream, fsr_fault *fault) {
    const fsr_run run = {.leaf = plan->address,
                         .out = plan->address + plan->nleaves,
                         .scalar = plan->value,
                         .of = {.owner = plan, .on_device = !waits},
                         .report = plan->report,
                         .stream = stream,
                         .tuned = plan->tuned,
                         .replays = &plan->replays,
                         .ms = plan->measured ? plan->measured : plan->profile.ms,
                         .held = captured ? &plan->held : NULL};
    const fsr_status status = fsr_prepared_run(plan->ctx, plan->prepared, &run, fault);
    if (!status && run.ms && !plan->measured)
        fsr_profile_ran(&plan->profile, plan->ctx, plan->prepared);
    return status;
}

fsr_status fsr_plan_run(fsr_plan *plan, const fsr_arg *inputs, int ninputs, const fsr_arg *outputs, int noutputs,
                        void *stream) {
    FSR_DEFAULT_FLOATS;
    if (!plan || (ninputs && !inputs) || (noutputs && !outputs))
        return fsr_context_fail(plan ? plan->ctx : NULL, FSR_ERR_NULL, "plan_run: the inputs or outputs are null");
    if (fsr_context_check(plan->ctx))
        return FSR_ERR_FORKED;
    fsr_fault fault = {FSR_OK, NULL};
    if (noutputs != plan->nouts)
        return fsr_context_fail(plan->ctx, FSR_ERR_VALUE, "plan_run: %d outputs given, the plan has %d", noutputs,
                                plan->nouts);
    bool captured = false;
    fsr_status status = stream ? fsr_capture_check(plan, inputs, ninputs, outputs, stream, &captured, &fault) : FSR_OK;
    if (status)
        return fsr_context_take(plan->ctx, &fault);
    const bool waits = waits_for(outputs, noutputs);
    pthread_mutex_lock(&plan->lock);
    const bool again = fsr_plan_again(plan, inputs, ninputs, outputs);
    if (again)
        bind_buffers(plan);
    else
        status = bind(plan, inputs, ninputs, outputs, stream, &fault);
    if (!status)
        status = run_bound(plan, waits, captured, stream, &fault);
    if (!status && !again)
        status = deliver(plan, outputs, stream, &fault);
    if (!status && waits)
        status = fsr_reports_ran(plan->ctx, plan, plan->origin, &fault);
    if (!again)
        give_back(plan);
    pthread_mutex_unlock(&plan->lock);
    return status ? fsr_context_take(plan->ctx, &fault) : FSR_OK;
}
