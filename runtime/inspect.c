/* SPDX-License-Identifier: MIT */
/* Looking inside: whose a node is, explain, print, dot, query. */
#include "graph/floats.h"
#include "graph/print.h"
#include "graph/sized.h"
#include "runtime/array.h"
#include "runtime/plan_cache.h"
#include "runtime/profile.h"
#include "runtime/replays.h"
#include <stdlib.h>

typedef struct nodes {
    fsr_ref *refs;
    fsr_graph *g;
    fsr_context *ctx;
} nodes;

static fsr_status take(nodes *out, const char *op, const fsr_node *outs, int n, const void *to) {
    *out = (nodes){0};
    if (!outs || n <= 0 || !to)
        return fsr_context_fail(fsr_context_of(outs, n), FSR_ERR_NULL, "%s: %s", op,
                                to ? "there are no nodes" : "where the answer goes is null");
    out->refs = malloc(sizeof *out->refs * (size_t)n);
    fsr_status status = fsr_take_nodes(op, outs, n, out->refs, &out->g, &out->ctx);
    if (status)
        free(out->refs);
    return status;
}

/* What is known of the last run of the flow's plan; text is NULL where it is not asked for, or nothing is known. */
static fsr_status last_run(fsr_context *ctx, const fsr_flow *flow, char **text, fsr_fault *fault) {
    size_t size = 0, room = 0;
    if (!text || !ctx->config.profile)
        return FSR_OK;
    void *key = fsr_flow_signature(flow, &size);
    fsr_site *site = fsr_profile_sites(flow);
    fsr_prepared *p = key ? fsr_plan_cache_peek(ctx->plans, key, size) : NULL;
    fsr_profile profile = {.runs = 0};
    fsr_status status = key && site ? FSR_OK : fsr_fault_set(fault, FSR_ERR_MEMORY, "out of memory");
    if (p && !status)
        status = fsr_profile_make(&profile, p, site, fault);
    FILE *to = p && !status ? open_memstream(text, &room) : NULL;
    bool good = to && fsr_profile_explain(ctx, p->executable, (const char *const *)profile.lines, to);
    good = (!to || fclose(to) == 0) && good;
    if (p && !status && !good)
        status = fsr_fault_set(fault, FSR_ERR_MEMORY, "out of memory");
    fsr_profile_clear(&profile);
    fsr_prepared_unref(p);
    free(site);
    free(key);
    return status;
}

/* timed: receives, malloc'ed, what the plan's last run took; NULL: nor is the plan explained. */
static fsr_status plan(const nodes *in, int n, fsr_program *program, char **timed) {
    fsr_flow flow;
    fsr_binding binding;
    fsr_fault fault = {FSR_OK, NULL};
    n = fsr_uncomputed(in->g, in->refs, n);
    fsr_status status = fsr_flow_build(&flow, &binding, in->g, in->refs, n);
    if (status)
        return fsr_context_fail(in->ctx, status, "planning: %s", fsr_status_sentence(status));
    fsr_binding_clear(&binding);
    status = last_run(in->ctx, &flow, timed, &fault);
    if (status)
        fsr_flow_clear(&flow);
    else
        status = fsr_executable_plan(in->ctx, program, &flow, timed != NULL, &fault);
    return status ? fsr_context_take(in->ctx, &fault) : FSR_OK;
}

/* Kernels of a plan that would be interpreted now, named in `to` (may be NULL). *n: how many. False: writing failed. */
static bool list_interpreted(const fsr_context *ctx, const fsr_program *program, FILE *to, int *n) {
    fsr_backend *b = ctx->backend;
    fsr_backend_stats stats = {0};
    bool ok = true;
    *n = 0;
    b->ops->stats(b, &stats);
    for (int i = 0; i < program->nthunks && stats.interpreted > 0; ++i) {
        const fsr_kernel *k = program->thunk[i].kernel;
        if (!k || b->ops->known(b, k) != FSR_KNOWN_INTERPRETED)
            continue;
        ++*n;
        ok = ok && (!to || fprintf(to, "interpreted: kernel %s, until a C compiler works\n", k->name) >= 0);
    }
    return ok;
}

fsr_context *fsr_node_context(fsr_node x) {
    return fsr_graph_alive(x.graph) ? fsr_graph_context(x.graph) : NULL;
}

fsr_status fsr_explain(const fsr_node *outs, int n, FILE *to) {
    FSR_DEFAULT_FLOATS;
    nodes in;
    fsr_program program;
    fsr_status status = take(&in, "explain", outs, n, to);
    if (status)
        return status;
    char *timed = NULL;
    status = plan(&in, n, &program, &timed);
    if (!status) {
        int interpreted;
        char launched[300];
        fsr_replays_say(in.ctx, &program, launched, sizeof launched);
        bool ok = fputs(program.explanation, to) >= 0 && fputs(launched, to) >= 0;
        ok = ok && list_interpreted(in.ctx, &program, to, &interpreted) && (!timed || fputs(timed, to) >= 0);
        fsr_program_clear(&program);
        status = ok ? FSR_OK : fsr_context_fail(in.ctx, FSR_ERR_FILE, "explain: writing failed");
    }
    free(timed);
    free(in.refs);
    return status;
}

fsr_status fsr_query_sized(size_t size, const fsr_node *outs, int n, fsr_plan_info *out) {
    FSR_DEFAULT_FLOATS;
    nodes in;
    fsr_program program;
    fsr_status status = take(&in, "query", outs, n, out);
    if (status)
        return status;
    status = plan(&in, n, &program, NULL);
    if (!status) {
        list_interpreted(in.ctx, &program, NULL, &program.info.interpreted);
        status = fsr_sized_out(out, size, &program.info, sizeof program.info);
        if (status)
            fsr_context_fail(in.ctx, status, "query: the answer %s", fsr_sized_words(status));
        fsr_program_clear(&program);
    }
    free(in.refs);
    return status;
}

static fsr_status print_with(fsr_status (*print)(const fsr_graph *, const fsr_ref *, int, FILE *), const char *op,
                             const fsr_node *outs, int n, FILE *to) {
    nodes in;
    fsr_status status = take(&in, op, outs, n, to);
    if (status)
        return status;
    status = print(in.g, in.refs, n, to);
    free(in.refs);
    return status ? fsr_context_fail(in.ctx, status, "%s: %s", op, fsr_status_sentence(status)) : FSR_OK;
}

fsr_status fsr_print(const fsr_node *outs, int n, FILE *to) {
    FSR_DEFAULT_FLOATS;
    return print_with(fsr_graph_print, "print", outs, n, to);
}

fsr_status fsr_dot(const fsr_node *outs, int n, FILE *to) {
    FSR_DEFAULT_FLOATS;
    return print_with(fsr_graph_dot, "dot", outs, n, to);
}
