/* SPDX-License-Identifier: MIT */
/* Plans of the public API: an executable with named arguments.
 *
 * A run finds each argument by name, checks its size, and hands addresses to the executable. On a GPU host memory goes
 * through a device array of the run; so does device memory that is not 16-byte aligned, since kernels load whole
 * vectors. */
#include "graph/floats.h"
#include "graph/shape.h"
#include "graph/sized.h"
#include "runtime/array.h"
#include "runtime/capture.h"
#include "runtime/plan_parts.h"
#include "runtime/replays.h"
#include "runtime/reports.h"
#include "runtime/tuned.h"
#include <stdlib.h>
#include <string.h>

enum { VECTOR_BYTES = 16 };

void fsr_plan_free(fsr_plan *plan) {
    if (!plan || !fsr_context_here(plan->ctx))
        return;
    fsr_context *ctx = plan->ctx;
    fsr_reports_disown(ctx, plan);
    pthread_mutex_lock(&ctx->lock);
    if (plan->previous)
        plan->previous->next = plan->next;
    else if (ctx->first_plan == plan)
        ctx->first_plan = plan->next;
    if (plan->next)
        plan->next->previous = plan->previous;
    pthread_mutex_unlock(&ctx->lock);
    for (int i = 0; plan->leaf && i < plan->nleaves; ++i) {
        free(plan->leaf[i].name);
        fsr_buffer_unref(plan->leaf[i].buffer);
    }
    for (int i = 0; plan->scalar && i < plan->nscalars; ++i)
        free(plan->scalar[i].name);
    fsr_replays_free(ctx->backend, plan->replays);
    if (plan->tuned)
        fsr_tuned_free(plan->prepared->executable, plan->tuned);
    fsr_prepared_unref(plan->prepared);
    fsr_capture_let_go(ctx, plan->held);
    pthread_mutex_destroy(&plan->lock);
    free(plan->leaf);
    free(plan->scalar);
    free(plan->out);
    free(plan->gift);
    free(plan->report);
    fsr_profile_clear(&plan->profile);
    free(plan->address);
    free(plan->borrowed);
    free(plan->value);
    free(plan->bound);
    free(plan);
}

static fsr_status take_leaf(plan_leaf *to, const fsr_rec *rec, int output, fsr_fault *fault) {
    to->dtype = rec->dtype[output];
    to->shape = rec->shape;
    to->bytes = fsr_rec_bytes(rec, output);
    if (rec->buffer[output])
        to->buffer = fsr_buffer_ref(rec->buffer[output]);
    else if (!(to->name = strdup(rec->name ? rec->name : "")))
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "out of memory for a plan");
    return FSR_OK;
}

static fsr_status take_scalar(plan_scalar *to, const fsr_rec *rec, fsr_fault *fault) {
    to->dtype = rec->dtype[0];
    to->value = rec->value;
    if (rec->name && !(to->name = strdup(rec->name)))
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "out of memory for a plan");
    return FSR_OK;
}

/* One name means one argument: a clash of two inputs, or of an input with a parameter, must agree in size and dtype. */
static fsr_status check_names(const fsr_plan *plan, fsr_fault *fault) {
    for (int i = 0; i < plan->nleaves; ++i)
        for (int j = 0; j < i && plan->leaf[i].name; ++j)
            if (plan->leaf[j].name && strcmp(plan->leaf[i].name, plan->leaf[j].name) == 0 &&
                (plan->leaf[i].bytes != plan->leaf[j].bytes || plan->leaf[i].dtype != plan->leaf[j].dtype))
                return fsr_fault_set(fault, FSR_ERR_VALUE,
                                     "compile: two inputs are named \"%s\" and differ in dtype or size",
                                     plan->leaf[i].name);
    for (int i = 0; i < plan->nscalars; ++i)
        for (int j = 0; j < i && plan->scalar[i].name; ++j)
            if (plan->scalar[j].name && strcmp(plan->scalar[i].name, plan->scalar[j].name) == 0 &&
                plan->scalar[i].dtype != plan->scalar[j].dtype)
                return fsr_fault_set(fault, FSR_ERR_VALUE,
                                     "compile: two parameters are named \"%s\" and differ in dtype",
                                     plan->scalar[i].name);
    for (int i = 0; i < plan->nscalars; ++i)
        for (int j = 0; j < plan->nleaves && plan->scalar[i].name; ++j)
            if (plan->leaf[j].name && strcmp(plan->scalar[i].name, plan->leaf[j].name) == 0)
                return fsr_fault_set(fault, FSR_ERR_VALUE, "compile: an input and a parameter are both named \"%s\"",
                                     plan->scalar[i].name);
    return FSR_OK;
}

static fsr_status describe_arguments(fsr_plan *plan, const fsr_graph *g, const fsr_flow *flow,
                                     const fsr_binding *binding, fsr_fault *fault) {
    plan->nleaves = flow->nleaves;
    plan->nscalars = flow->nscalars;
    plan->nouts = flow->nout;
    size_t arrays = (size_t)(plan->nleaves + plan->nouts) + 1;
    plan->leaf = calloc((size_t)plan->nleaves + 1, sizeof *plan->leaf);
    plan->scalar = calloc((size_t)plan->nscalars + 1, sizeof *plan->scalar);
    plan->out = calloc((size_t)plan->nouts + 1, sizeof *plan->out);
    plan->address = calloc(arrays, sizeof *plan->address);
    plan->borrowed = calloc(arrays, sizeof *plan->borrowed);
    plan->value = calloc((size_t)plan->nscalars + 1, sizeof *plan->value);
    plan->bound = calloc((size_t)plan->nleaves + 1, sizeof *plan->bound);
    if (!plan->leaf || !plan->scalar || !plan->out || !plan->address || !plan->borrowed || !plan->value || !plan->bound)
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "out of memory for a plan");
    fsr_status status = FSR_OK;
    for (int i = 0; i < plan->nleaves && !status; ++i)
        status = take_leaf(&plan->leaf[i], fsr_graph_rec(g, binding->leaf[i].id), (int)binding->leaf[i].output, fault);
    for (int i = 0; i < plan->nscalars && !status; ++i)
        status = take_scalar(&plan->scalar[i], fsr_graph_rec(g, binding->scalar[i].id), fault);
    for (int i = 0; i < plan->nouts; ++i) {
        const fsr_flow_node *n = &flow->node[flow->out[i].id];
        plan->out[i] = (plan_out){n->dtype[flow->out[i].output], n->shape,
                                  fsr_shape_bytes(&n->shape, n->dtype[flow->out[i].output])};
    }
    return status ? status : check_names(plan, fault);
}

static void enlist(fsr_context *ctx, fsr_plan *plan) {
    pthread_mutex_lock(&ctx->lock);
    plan->next = ctx->first_plan;
    if (plan->next)
        plan->next->previous = plan;
    ctx->first_plan = plan;
    pthread_mutex_unlock(&ctx->lock);
}

/* The input that output i takes the memory of. */
static fsr_status find_gift(const fsr_plan *plan, int i, const char *name, fsr_fault *fault) {
    plan->gift[i] = -1;
    for (int k = 0; name && k < plan->nleaves; ++k)
        if (plan->leaf[k].name && !strcmp(plan->leaf[k].name, name))
            plan->gift[i] = k;
    if (!name)
        return FSR_OK;
    if (plan->gift[i] < 0)
        return fsr_fault_set(fault, FSR_ERR_VALUE,
                             "compile_donating: output %d is to take the memory of \"%.80s\", but there "
                             "is no such input",
                             i, name);
    if (plan->leaf[plan->gift[i]].bytes != plan->out[i].bytes)
        return fsr_fault_set(fault, FSR_ERR_VALUE, "compile_donating: output %d has %lld bytes, \"%.80s\" %lld", i,
                             (long long)plan->out[i].bytes, name, (long long)plan->leaf[plan->gift[i]].bytes);
    for (int k = 0; k < i; ++k)
        if (plan->gift[k] == plan->gift[i])
            return fsr_fault_set(fault, FSR_ERR_VALUE,
                                 "compile_donating: outputs %d and %d are to take the memory of "
                                 "\"%.80s\"",
                                 k, i, name);
    return FSR_OK;
}

/* donated: NULL, or a name or NULL for each output. */
static fsr_status find_gifts(fsr_plan *plan, fsr_flow *flow, const char *const *donated, fsr_fault *fault) {
    if (!donated)
        return FSR_OK;
    const size_t bytes = sizeof *plan->gift * (size_t)(plan->nouts + 1);
    plan->gift = malloc(bytes);
    flow->gift = malloc(bytes);
    if (!plan->gift || !flow->gift)
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "out of memory for a plan");
    fsr_status status = FSR_OK;
    for (int i = 0; i < plan->nouts && !status; ++i)
        status = find_gift(plan, i, donated[i], fault);
    if (!status)
        memcpy(flow->gift, plan->gift, bytes - sizeof *plan->gift);
    return status;
}

static fsr_status compile(fsr_context *ctx, const fsr_graph *g, const fsr_ref *refs, int n, const char *const *donated,
                          fsr_plan **out, fsr_fault *fault) {
    fsr_flow flow;
    fsr_binding binding;
    if (ctx->reference)
        return fsr_fault_set(fault, FSR_ERR_UNSUPPORTED, "compile: the reference backend runs graphs, not plans");
    fsr_status status = fsr_flow_build(&flow, &binding, g, refs, n);
    if (status)
        return fsr_fault_set(fault, status, "compile: %s", fsr_status_sentence(status));
    fsr_site *site = ctx->config.profile ? fsr_profile_sites(&flow) : NULL;
    fsr_plan *plan = calloc(1, sizeof *plan);
    if (!plan) {
        free(site);
        fsr_flow_clear(&flow);
        fsr_binding_clear(&binding);
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "out of memory for a plan");
    }
    plan->ctx = ctx;
    pthread_mutex_init(&plan->lock, NULL);
    enlist(ctx, plan);
    status = describe_arguments(plan, g, &flow, &binding, fault);
    if (!status)
        status = find_gifts(plan, &flow, donated, fault);
    for (int i = 0; i < plan->nleaves && !status; ++i)
        plan->origin = plan->leaf[i].buffer ? g : plan->origin;
    plan->report = binding.report;
    binding.report = NULL;
    if (status)
        fsr_flow_clear(&flow);
    else
        status = fsr_prepare(ctx, &flow, &plan->prepared, fault);
    if (!status && ctx->config.profile)
        status = fsr_profile_make(&plan->profile, plan->prepared, site, fault);
    free(site);
    fsr_binding_clear(&binding);
    if (status)
        fsr_plan_free(plan);
    else
        *out = plan;
    return status;
}

static fsr_status compile_nodes(const char *what, const fsr_node *outs, int n, const char *const *donated,
                                fsr_plan **plan) {
    if (plan)
        *plan = NULL;
    if (!plan || !outs || n <= 0)
        return fsr_context_fail(fsr_context_of(outs, n), FSR_ERR_NULL, "%s: %s", what,
                                plan ? "there are no nodes" : "where the plan goes is null");
    fsr_ref *refs = malloc(sizeof *refs * (size_t)n);
    fsr_graph *g = NULL;
    fsr_context *ctx = NULL;
    fsr_fault fault = {FSR_OK, NULL};
    fsr_status status = fsr_take_nodes(what, outs, n, refs, &g, &ctx);
    if (!status) {
        status = compile(ctx, g, refs, n, donated, plan, &fault);
        if (status)
            fsr_context_take(ctx, &fault);
    }
    free(refs);
    return status;
}

fsr_status fsr_compile(const fsr_node *outs, int n, fsr_plan **plan) {
    FSR_DEFAULT_FLOATS;
    return compile_nodes("compile", outs, n, NULL, plan);
}

fsr_status fsr_compile_donating(const fsr_node *outs, int n, const char *const *donated, fsr_plan **plan) {
    FSR_DEFAULT_FLOATS;
    if (plan)
        *plan = NULL;
    if (!donated)
        return fsr_context_fail(fsr_context_of(outs, n), FSR_ERR_NULL, "compile_donating: the names are null");
    return compile_nodes("compile_donating", outs, n, donated, plan);
}

/* ---- running -------------------------------------------------------------------------------------------- */

/* place: where the memory has to be; of a parameter on the host, whatever the argument says. */
static fsr_status check_arg(const fsr_plan *plan, const fsr_arg *arg, int64_t bytes, fsr_place place, const char *what,
                            int number, fsr_fault *fault) {
    const char *name = arg->name ? arg->name : "";
    if (arg->place != FSR_HOST && arg->place != FSR_DEVICE)
        return fsr_fault_set(fault, FSR_ERR_VALUE, "plan_run: %s %d \"%s\" has no place: %d", what, number, name,
                             (int)arg->place);
    if (arg->bytes != (uint64_t)bytes)
        return fsr_fault_set(fault, FSR_ERR_BYTES, "plan_run: %s %d \"%s\" has %zu bytes, the plan needs %lld", what,
                             number, name, arg->bytes, (long long)bytes);
    if (!arg->data && bytes)
        return fsr_fault_set(fault, FSR_ERR_NULL, "plan_run: %s %d \"%s\" is null", what, number, name);
    fsr_fault why = {FSR_OK, NULL};
    const fsr_status status = fsr_check_address(plan->ctx, arg->data, bytes, place, &why);
    if (status)
        fsr_fault_set(fault, status, "plan_run: %s %d \"%s\": %s", what, number, name, why.message ? why.message : "");
    fsr_fault_clear(&why);
    return status;
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
        fsr_status status = check_arg(plan, arg, (int64_t)size, FSR_HOST, "parameter", number, fault);
        if (status)
            return status;
        plan->value[i] = (fsr_value){.bits = 0};
        memcpy(&plan->value[i], arg->data, size);
        if (plan->scalar[i].dtype == FSR_BOOL)
            plan->value[i].b = plan->value[i].b != 0;
        *known = true;
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
        fsr_status status = check_arg(plan, arg, plan->leaf[i].bytes, arg->place, "input", number, fault);
        if (!status && plan->bound[i])
            status = fsr_fault_set(fault, FSR_ERR_VALUE, "plan_run: input \"%s\" is given twice", arg->name);
        bool bools = plan->leaf[i].dtype == FSR_BOOL && (arg->place == FSR_HOST || !plan->ctx->target.gpu);
        if (!status)
            status = bools ? place_bools(plan, i, arg, stream, fault) : place(plan, i, arg, true, stream, fault);
        if (status)
            return status;
        plan->bound[i] = known = true;
    }
    fsr_status status = bind_scalar(plan, arg, number, &known, fault);
    if (!status && !known)
        status = fsr_fault_set(fault, FSR_ERR_VALUE, "plan_run: the plan has no input or parameter \"%s\"", arg->name);
    return status;
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
        plan->bound[i] = plan->leaf[i].buffer != NULL;
        plan->address[i] = plan->leaf[i].buffer ? plan->leaf[i].buffer->data : NULL;
    }
    for (int i = 0; i < ninputs && !status; ++i)
        status = bind_input(plan, &inputs[i], i, stream, fault);
    for (int i = 0; i < plan->nleaves && !status; ++i)
        if (!plan->bound[i])
            status = fsr_fault_set(fault, FSR_ERR_UNBOUND, "plan_run: input \"%s\" is missing", plan->leaf[i].name);
    for (int i = 0; i < plan->nouts && !status; ++i) {
        status = check_arg(plan, &outputs[i], plan->out[i].bytes, outputs[i].place, "output", i, fault);
        if (!status)
            status = place(plan, plan->nleaves + i, &outputs[i], false, stream, fault);
    }
    return status;
}

/* Results that the caller wants elsewhere than where the steps have left them. */
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

/* Where results are on the host when the run returns, it has waited for them. */
static bool has_waited(const fsr_arg *outputs, int n) {
    for (int i = 0; i < n; ++i)
        if (outputs[i].place == FSR_HOST)
            return true;
    return false;
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
    fsr_status status = check_overlap(plan, inputs, ninputs, outputs, noutputs, &fault);
    if (status)
        return fsr_context_take(plan->ctx, &fault);
    bool captured;
    status = fsr_capture_check(plan, inputs, ninputs, outputs, stream, &captured, &fault);
    if (status)
        return fsr_context_take(plan->ctx, &fault);
    const fsr_backend_ops *ops = plan->ctx->backend->ops;
    pthread_mutex_lock(&plan->lock);
    status = bind_all(plan, inputs, ninputs, outputs, stream, &fault);
    if (!status) {
        fsr_run run = {.leaf = plan->address,
                       .out = plan->address + plan->nleaves,
                       .scalar = plan->value,
                       .of = {.owner = plan, .on_device = !has_waited(outputs, noutputs)},
                       .report = plan->report,
                       .stream = stream,
                       .tuned = plan->tuned,
                       .replays = &plan->replays,
                       .ms = plan->measured ? plan->measured : plan->profile.ms,
                       .held = captured ? &plan->held : NULL};
        status = fsr_prepared_run(plan->ctx, plan->prepared, &run, &fault);
        if (!status && run.ms && !plan->measured)
            fsr_profile_ran(&plan->profile, plan->ctx, plan->prepared);
    }
    if (!status)
        status = deliver(plan, outputs, stream, &fault);
    if (!status && has_waited(outputs, noutputs))
        status = fsr_reports_ran(plan->ctx, plan, plan->origin, &fault);
    for (int i = 0; i < plan->nleaves + plan->nouts; ++i)
        if (plan->borrowed[i]) {
            int64_t bytes = i < plan->nleaves ? plan->leaf[i].bytes : plan->out[i - plan->nleaves].bytes;
            ops->free(plan->ctx->backend, plan->borrowed[i], bytes);
            plan->borrowed[i] = NULL;
        }
    pthread_mutex_unlock(&plan->lock);
    return status ? fsr_context_take(plan->ctx, &fault) : FSR_OK;
}

fsr_context *fsr_plan_context(const fsr_plan *plan) {
    return plan ? plan->ctx : NULL;
}

fsr_status fsr_plan_query_sized(size_t size, const fsr_plan *plan, fsr_plan_info *out) {
    if (!plan || !out)
        return fsr_context_fail(plan ? plan->ctx : NULL, FSR_ERR_NULL, "plan_query: where the answer goes is null");
    if (fsr_context_check(plan->ctx))
        return FSR_ERR_FORKED;
    const fsr_executable *e = plan->prepared->executable;
    fsr_plan_info info = e->program.info;
    for (int i = 0; i < e->program.nsteps; ++i)
        info.interpreted += e->module[i] && plan->ctx->backend->ops->interpreted(e->module[i]);
    fsr_status status = fsr_sized_out(out, size, &info, sizeof info);
    return status ? fsr_context_fail(plan->ctx, status, "plan_query: the answer %s", fsr_sized_words(status)) : FSR_OK;
}

/* What the plan knows of a kernel, or behind these of a library call. */
static void describe(const fsr_plan *plan, int kernel, fsr_kernel_profile *out) {
    const fsr_program *program = &plan->prepared->executable->program;
    const int kernels = program->info.kernels;
    const fsr_program_step *step =
        kernel < kernels ? fsr_program_kernel(program, kernel) : fsr_program_call(program, kernel - kernels);
    const double ms = plan->profile.ms[step - program->step];
    *out = (fsr_kernel_profile){.name = step->call ? fsr_library_call_name(step->call) : step->kernel->name,
                                .fuses = step->call ? "library call" : step->kernel->comment,
                                .lines = plan->profile.lines[step - program->step],
                                .runs = plan->profile.runs,
                                .bytes_moved = step->bytes_moved,
                                .ms = ms > 0 ? ms : 0,
                                .gb_per_s = fsr_profile_rate(step->bytes_moved, ms)};
}

fsr_status fsr_plan_profile_sized(size_t size, fsr_plan *plan, int kernel, fsr_kernel_profile *out) {
    static const char what[] = "plan_profile";
    if (!plan || !out)
        return fsr_context_fail(plan ? plan->ctx : NULL, FSR_ERR_NULL, "%s: where the answer goes is null", what);
    if (fsr_context_check(plan->ctx))
        return FSR_ERR_FORKED;
    if (!plan->profile.ms)
        return fsr_context_fail(plan->ctx, FSR_ERR_UNSUPPORTED, "%s: the context's knob profile is 0", what);
    const fsr_plan_info *info = &plan->prepared->executable->program.info;
    if (kernel < 0 || kernel >= info->kernels + info->calls)
        return fsr_context_fail(plan->ctx, FSR_ERR_VALUE, "%s: kernel %d of %d and %d library calls", what, kernel,
                                info->kernels, info->calls);
    fsr_kernel_profile own;
    pthread_mutex_lock(&plan->lock);
    describe(plan, kernel, &own);
    pthread_mutex_unlock(&plan->lock);
    fsr_status status = fsr_sized_out(out, size, &own, sizeof own);
    return status ? fsr_context_fail(plan->ctx, status, "%s: the answer %s", what, fsr_sized_words(status)) : FSR_OK;
}
