/* SPDX-License-Identifier: MIT */
/* Plans of the public API: an executable with named arguments, made, asked and freed; plan_run.c runs it. */
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
    free(plan->seen);
    free(plan->borrowed);
    free(plan->value);
    free(plan->given);
    free(plan->known);
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
    plan->seen = calloc(arrays, sizeof *plan->seen);
    plan->borrowed = calloc(arrays, sizeof *plan->borrowed);
    plan->value = calloc((size_t)plan->nscalars + 1, sizeof *plan->value);
    plan->given = calloc((size_t)plan->nleaves + 1, sizeof *plan->given);
    plan->known = calloc(arrays, sizeof *plan->known);
    fsr_plan_forget(plan);
    if (!plan->leaf || !plan->scalar || !plan->out || !plan->address || !plan->seen || !plan->borrowed ||
        !plan->value || !plan->given || !plan->known)
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
    for (int i = 0; i < e->program.nthunks; ++i)
        info.interpreted += e->module[i] && plan->ctx->backend->ops->interpreted(e->module[i]);
    fsr_status status = fsr_sized_out(out, size, &info, sizeof info);
    return status ? fsr_context_fail(plan->ctx, status, "plan_query: the answer %s", fsr_sized_words(status)) : FSR_OK;
}

/* What the plan knows of a kernel, or behind these of a library call. */
static void describe(const fsr_plan *plan, int kernel, fsr_kernel_profile *out) {
    const fsr_program *program = &plan->prepared->executable->program;
    const int kernels = program->info.kernels;
    const fsr_thunk *thunk =
        kernel < kernels ? fsr_program_kernel(program, kernel) : fsr_program_call(program, kernel - kernels);
    const double ms = plan->profile.ms[thunk - program->thunk];
    *out = (fsr_kernel_profile){.name = thunk->call ? fsr_library_call_name(thunk->call) : thunk->kernel->name,
                                .fuses = thunk->call ? "library call" : thunk->kernel->comment,
                                .lines = plan->profile.lines[thunk - program->thunk],
                                .runs = plan->profile.runs,
                                .bytes_moved = thunk->bytes_moved,
                                .ms = ms > 0 ? ms : 0,
                                .gb_per_s = fsr_profile_rate(thunk->bytes_moved, ms)};
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
