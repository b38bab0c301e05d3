/* SPDX-License-Identifier: MIT */
/* From a flow to an executable: looked up, or planned and compiled.
 *
 * A flow whose very signature is known goes straight to its executable. Else its rewrites run, and its literals are
 * compared with those of plans that are otherwise the same (specialize.h): a plan that takes as arguments what differs
 * may be there. A new plan is kept under both keys, so that equal literals are found without any pass. */
#include "runtime/plan_cache.h"
#include "runtime/replays.h"
#include "runtime/specialize.h"
#include "runtime/write_file.h"
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* Plans of one program that differ in literals alone, before somebody is told. */
enum { MANY_PLANS = 16 };

/* ---- references ------------------------------------------------------------------------------------------- */

static void executable_unref(fsr_executable *e) {
    if (!e || --e->refs > 0)
        return;
    fsr_replays_free(e->backend, e->replays);
    for (int i = 0; e->module && i < e->program.nthunks; ++i)
        if (e->module[i])
            e->backend->ops->release(e->backend, e->module[i]);
    fsr_program_clear(&e->program);
    free(e->module);
    free(e->ms);
    free(e);
}

void fsr_prepared_unref(fsr_prepared *p) {
    if (!p || --p->refs > 0)
        return;
    executable_unref(p->executable);
    free(p->origin);
    free(p);
}

/* With a new reference to e. NULL: out of memory. */
static fsr_prepared *prepared_new(fsr_executable *e, const fsr_literal *literal, int n) {
    fsr_prepared *p = malloc(sizeof *p + sizeof *p->literal * (size_t)n);
    if (!p)
        return NULL;
    p->refs = 1;
    p->norigins = 0;
    p->origin = NULL;
    p->executable = e;
    ++e->refs;
    for (int i = 0; i < n; ++i)
        p->literal[i] = literal[i].value;
    return p;
}

/* Notes where the nodes of a flow whose rewrites are done stood in the flow as it was built. p may be NULL, and is then
 * the answer, as where memory is out. */
static fsr_prepared *with_origins(fsr_prepared *p, const fsr_flow *flow) {
    if (!p)
        return NULL;
    p->origin = malloc(sizeof *p->origin * (size_t)(flow->n + 1));
    if (!p->origin) {
        fsr_prepared_unref(p);
        return NULL;
    }
    p->norigins = flow->n;
    for (int i = 0; i < flow->n; ++i)
        p->origin[i] = flow->node[i].origin;
    return p;
}

/* ---- planning --------------------------------------------------------------------------------------------- */

/* dump_dir/plan_<digest>.txt; a directory that cannot be written is a warning. */
static void dump_plan(const fsr_context *ctx, const fsr_program *program) {
    char name[32];
    const size_t size = strlen(program->explanation);
    snprintf(name, sizeof name, "plan_%08x.txt", (unsigned)XXH3_64bits(program->explanation, size));
    const int error = fsr_write_file_in(ctx->config.dump_dir, name, program->explanation, size);
    if (error)
        fsr_context_log(ctx, FSR_LOG_WARNING, "cannot write %s/%s: %s", ctx->config.dump_dir, name, strerror(error));
}

static fsr_program_options options_of(const fsr_context *ctx) {
    return (fsr_program_options){.target = ctx->target,
                                 .fusion = ctx->config.fusion,
                                 .fuel = ctx->config.fuel,
                                 .contraction = ctx->config.contraction,
                                 .rewrites = {ctx->config.skip_rewrites, ctx->config.print_after, stderr}};
}

static fsr_status plan_fault(fsr_fault *fault, fsr_status status, const char *why) {
    return fsr_fault_set(fault, status, "planning: %s", why[0] ? why : fsr_status_sentence(status));
}

/* Runs the passes and chooses the literals that are arguments. */
static fsr_status choose(fsr_context *ctx, fsr_flow *flow, bool remember, fsr_choice *choice, fsr_fault *fault) {
    char why[512] = "";
    fsr_program_options options = options_of(ctx);
    *choice = (fsr_choice){0};
    fsr_status status = fsr_flow_ready(flow, &options, why, sizeof why);
    if (!status)
        status = fsr_choose_literals(ctx->families, flow, remember, choice);
    return status ? plan_fault(fault, status, why) : FSR_OK;
}

/* Plans a flow whose rewrites are done. What is logged or dumped is explained too. */
static fsr_status plan(fsr_context *ctx, const fsr_flow *flow, bool explain, fsr_program *program, fsr_fault *fault) {
    char why[512] = "";
    const bool logs = ctx->config.log_level >= FSR_LOG_DEBUG, dumps = ctx->config.dump_dir && ctx->config.dump_dir[0];
    fsr_program_options options = options_of(ctx);
    options.explain = explain || logs || dumps;
    fsr_status status = fsr_program_plan(program, flow, &options, why, sizeof why);
    if (status)
        return plan_fault(fault, status, why);
    ++ctx->plans_built;
    if (logs)
        fsr_context_log(ctx, FSR_LOG_DEBUG, "%s", program->explanation);
    if (dumps)
        dump_plan(ctx, program);
    return FSR_OK;
}

fsr_status fsr_executable_plan(fsr_context *ctx, fsr_program *program, fsr_flow *flow, bool explain, fsr_fault *fault) {
    fsr_choice choice;
    memset(program, 0, sizeof *program);
    fsr_status status = choose(ctx, flow, false, &choice, fault);
    if (!status)
        status = plan(ctx, flow, explain, program, fault);
    fsr_choice_clear(&choice);
    fsr_flow_clear(flow);
    return status;
}

static fsr_status build(fsr_context *ctx, const fsr_flow *flow, fsr_executable **out, fsr_fault *fault) {
    fsr_executable *e = calloc(1, sizeof *e);
    if (!e)
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "out of memory for a plan");
    e->refs = 1;
    e->backend = ctx->backend;
    fsr_status status = plan(ctx, flow, false, &e->program, fault);
    if (!status && !(e->module = calloc((size_t)e->program.nthunks + 1, sizeof *e->module)))
        status = fsr_fault_set(fault, FSR_ERR_MEMORY, "out of memory for a plan");
    if (!status && ctx->config.profile && !(e->ms = calloc((size_t)e->program.nthunks + 1, sizeof *e->ms)))
        status = fsr_fault_set(fault, FSR_ERR_MEMORY, "out of memory for a plan");
    for (int i = 0; !status && e->ms && i < e->program.nthunks; ++i)
        e->ms[i] = -1;
    if (!status)
        status = fsr_executable_compile(ctx, e, fault);
    if (status)
        executable_unref(e);
    else
        *out = e;
    return status;
}

/* ---- finding ---------------------------------------------------------------------------------------------- */

static fsr_status no_memory(fsr_fault *fault) {
    return fsr_fault_set(fault, FSR_ERR_MEMORY, "out of memory for a plan");
}

/* One warning for a program that is planned again and again although it differs in literals alone: they decide what is
 * computed, or how often. */
static void watch(fsr_context *ctx, uint64_t digest) {
    if (digest && fsr_families_count(ctx->families, digest) == MANY_PLANS)
        fsr_context_log(
            ctx, FSR_LOG_WARNING,
            "%d plans differ in literals alone, where they decide what is computed or in the most turns of a "
            "loop, and each may compile kernels: what changes is better a parameter, or an argument of the "
            "loop",
            MANY_PLANS);
}

/* Builds the flow's executable, and keeps it under its signature and, if it takes literals as arguments, under the
 * choice's key. */
static fsr_status build_both(fsr_context *ctx, fsr_flow *flow, const fsr_plan_claim *exact, fsr_choice *choice,
                             fsr_prepared **out, fsr_fault *fault) {
    fsr_executable *e = NULL;
    fsr_status status = build(ctx, flow, &e, fault);
    if (status)
        return status;
    fsr_prepared *own = prepared_new(e, choice->literal, choice->n), *shared = NULL;
    if (fsr_choice_settle(ctx->families, flow, e->program.text, choice) == FSR_OK && choice->key)
        shared = prepared_new(e, NULL, 0);
    executable_unref(e);
    if (ctx->config.profile)
        own = with_origins(own, flow);
    if (own)
        fsr_plan_cache_keep(ctx->plans, exact->key, exact->size, own);
    if (shared)
        fsr_plan_cache_keep(ctx->plans, choice->key, choice->key_size, shared);
    fsr_prepared_unref(shared);
    fsr_plan_cache_relieve(ctx->plans, ctx->backend);
    *out = own;
    return own ? FSR_OK : no_memory(fault);
}

/* An executable that takes the flow's literals as arguments, if there is one, else a new one. */
static fsr_status find_or_build(fsr_context *ctx, fsr_flow *flow, const fsr_plan_claim *exact, fsr_prepared **out,
                                fsr_fault *fault) {
    fsr_choice choice;
    uint64_t digest = fsr_families_digest(flow);
    fsr_status status = choose(ctx, flow, true, &choice, fault);
    void *key = choice.key; /* building may make another one */
    choice.key = NULL;
    fsr_plan_claim claim = {.key = key, .size = choice.key_size};
    fsr_prepared *shared = !status && key ? fsr_plan_cache_take(ctx->plans, &claim) : NULL;
    if (shared) {
        ++ctx->plan_hits;
        *out = prepared_new(shared->executable, choice.literal, choice.n);
        if (ctx->config.profile)
            *out = with_origins(*out, flow);
        status = *out ? FSR_OK : no_memory(fault);
        fsr_prepared_unref(shared);
    } else if (!status) {
        status = build_both(ctx, flow, exact, &choice, out, fault);
        if (key)
            fsr_plan_cache_give_back(ctx->plans, &claim);
        watch(ctx, digest);
    }
    free(key);
    fsr_choice_clear(&choice);
    return status;
}

fsr_status fsr_prepare(fsr_context *ctx, fsr_flow *flow, fsr_prepared **out, fsr_fault *fault) {
    fsr_plan_claim claim = {0};
    fsr_status status = FSR_OK;
    void *signature = fsr_flow_signature(flow, &claim.size);
    *out = NULL;
    claim.key = signature;
    if (!signature) {
        status = fsr_fault_set(fault, FSR_ERR_MEMORY, "out of memory for a plan's signature");
    } else if ((*out = fsr_plan_cache_take(ctx->plans, &claim)) != NULL) {
        ++ctx->plan_hits;
    } else {
        status = find_or_build(ctx, flow, &claim, out, fault);
        fsr_plan_cache_give_back(ctx->plans, &claim);
    }
    fsr_flow_clear(flow);
    free(signature);
    return status;
}
