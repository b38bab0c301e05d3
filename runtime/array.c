/* SPDX-License-Identifier: MIT */
/* Arrays: buffers, host data in, forcing. */
#include "runtime/array.h"
#include "graph/floats.h"
#include "primitives/primitives.h"
#include "runtime/profile.h"
#include "runtime/reference.h"
#include "runtime/reports.h"
#include <stdlib.h>
#include <string.h>

static void release(fsr_buffer *buffer) {
    fsr_context *ctx = buffer->owner;
    if (fsr_context_here(ctx))
        ctx->backend->ops->free(ctx->backend, buffer->data, buffer->bytes);
    free(buffer);
}

fsr_status fsr_array_new(fsr_context *ctx, int64_t bytes, fsr_buffer **out, fsr_fault *fault) {
    if (fsr_context_forked(ctx, fault))
        return FSR_ERR_FORKED;
    fsr_buffer *buffer = malloc(sizeof *buffer);
    if (!buffer)
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "out of memory for an array");
    *buffer = (fsr_buffer){.refs = 1, .bytes = bytes, .owner = ctx, .release = release};
    fsr_status status = ctx->backend->ops->alloc(ctx->backend, bytes, &buffer->data, fault);
    if (status)
        free(buffer);
    else
        *out = buffer;
    return status;
}

int64_t fsr_rec_bytes(const fsr_rec *rec, int output) {
    return fsr_shape_bytes(&rec->shape, rec->dtype[output]);
}

fsr_context *fsr_context_of(const fsr_node *nodes, int n) {
    fsr_context *freed = NULL;
    for (int i = 0; nodes && i < n; ++i) {
        if (fsr_graph_alive(nodes[i].graph))
            return fsr_graph_context(nodes[i].graph);
        if (!freed && nodes[i].graph)
            freed = fsr_graph_context(nodes[i].graph);
    }
    return freed;
}

fsr_status fsr_take_nodes(const char *op, const fsr_node *nodes, int n, fsr_ref *refs, fsr_graph **g,
                          fsr_context **ctx) {
    *g = NULL;
    *ctx = fsr_context_of(nodes, n);
    for (int i = 0; i < n && !*g; ++i)
        if (fsr_graph_alive(nodes[i].graph))
            *g = nodes[i].graph;
    if (*ctx && fsr_context_check(*ctx))
        return FSR_ERR_FORKED;
    if (!refs)
        return fsr_context_fail(*ctx, FSR_ERR_MEMORY, "%s: out of memory", op);
    for (int i = 0; i < n; ++i) {
        fsr_status status = fsr_node_check(nodes[i]);
        if (status)
            return fsr_context_fail(*ctx, status, "%s: node %d: %s", op, i, fsr_status_sentence(status));
        if (nodes[i].graph != *g)
            return fsr_context_fail(*ctx, FSR_ERR_GRAPH, "%s: node %d belongs to another graph than node 0", op, i);
        const fsr_rec *rec = fsr_node_rec(nodes[i]);
        if (fsr_is(rec->kind, FSR_IS_POISON))
            return fsr_context_fail(*ctx, rec->status, "%s",
                                    rec->message ? rec->message : fsr_status_sentence(rec->status));
        refs[i] = (fsr_ref){nodes[i].id, nodes[i].output};
    }
    return FSR_OK;
}

static fsr_status unbound(const fsr_rec *rec, const char *op, fsr_fault *fault) {
    return fsr_fault_set(fault, FSR_ERR_UNBOUND,
                         "%s: input \"%s\" (%s:%d) has no data; fsr_compile and fsr_plan_run take it as an argument",
                         op, rec->name ? rec->name : "", rec->site.file, rec->site.line);
}

/* Fails with FSR_ERR_UNBOUND if one of the flow's leaves is an input without data. */
static fsr_status check_bound(const fsr_graph *g, const fsr_flow *flow, const fsr_binding *binding, const char *op,
                              fsr_fault *fault) {
    for (int i = 0; i < flow->nleaves; ++i) {
        const fsr_rec *rec = fsr_graph_rec(g, binding->leaf[i].id);
        if (!rec->buffer[binding->leaf[i].output])
            return unbound(rec, op, fault);
    }
    return FSR_OK;
}

/* ---- leaves from the host --------------------------------------------------------------------------- */

uint8_t *fsr_normal_bools(const uint8_t *data, int64_t n) {
    uint8_t *copy = malloc((size_t)n + 1);
    for (int64_t i = 0; copy && i < n; ++i)
        copy[i] = data[i] != 0;
    return copy;
}

static fsr_status fill(fsr_context *ctx, fsr_buffer *buffer, fsr_dtype dtype, const void *data, fsr_fault *fault) {
    if (buffer->bytes == 0)
        return FSR_OK;
    uint8_t *bools = dtype == FSR_BOOL ? fsr_normal_bools(data, buffer->bytes) : NULL;
    if (dtype == FSR_BOOL && !bools)
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "out of memory for an array");
    fsr_status status =
        ctx->backend->ops->copy_in(ctx->backend, buffer->data, bools ? bools : data, buffer->bytes, NULL, fault);
    free(bools);
    return status;
}

static fsr_node poison_fault(fsr_graph *g, fsr_site at, const char *op, fsr_fault *fault) {
    fsr_node poison = fsr_poison(g, at, fault->status, op, "%s",
                                 fault->message ? fault->message : fsr_status_sentence(fault->status));
    fsr_fault_clear(fault);
    return poison;
}

fsr_node fsr_array_leaf(fsr_graph *g, fsr_site at, const char *op, const fsr_type *type, fsr_buffer *buffer,
                        fsr_fault *fault) {
    fsr_node x = {0};
    fsr_rec *rec = fault->status ? NULL : fsr_graph_add(g, at, op, FSR_NODE_DATA, type, &x);
    if (!fault->status && !rec)
        fsr_fault_set(fault, FSR_ERR_MEMORY, "out of memory");
    if (fault->status) {
        fsr_buffer_unref(buffer);
        return poison_fault(g, at, op, fault);
    }
    rec->buffer[0] = buffer;
    return x;
}

fsr_node fsr_from_host_at(fsr_site at, fsr_graph *g, fsr_dtype dtype, int ndim, const int64_t *shape,
                          const void *data) {
    fsr_node x = {0};
    fsr_shape to;
    if (!fsr_graph_alive(g))
        return fsr_poison(g, at, FSR_ERR_STALE, "from_host", "the graph was freed");
    if (!fsr_shape_take(g, at, "from_host", dtype, ndim, shape, &to, &x))
        return x;
    int64_t bytes = fsr_shape_bytes(&to, dtype);
    if (bytes > 0 && !data)
        return fsr_poison(g, at, FSR_ERR_NULL, "from_host", "data is null");
    fsr_context *ctx = fsr_graph_context(g);
    fsr_fault fault = {FSR_OK, NULL};
    fsr_buffer *buffer = NULL;
    fsr_status status = fsr_check_address(ctx, data, bytes, FSR_HOST, &fault);
    if (!status)
        status = fsr_array_new(ctx, bytes, &buffer, &fault);
    if (!status)
        fill(ctx, buffer, dtype, data, &fault);
    const fsr_type type = {to, 1, {dtype}};
    return fsr_array_leaf(g, at, "from_host", &type, buffer, &fault);
}

/* ---- forcing ------------------------------------------------------------------------------------------ */

typedef struct fetcher {
    fsr_context *ctx;
    fsr_fault *fault;
} fetcher;

static fsr_status fetch(void *user, const fsr_rec *leaf, int output, void *dst, int64_t bytes) {
    const fetcher *f = user;
    const fsr_backend_ops *ops = f->ctx->backend->ops;
    if (!leaf->buffer[output])
        return unbound(leaf, "compute", f->fault);
    return ops->copy_out(f->ctx->backend, dst, leaf->buffer[output]->data, bytes, NULL, f->fault);
}

static fsr_status store_reference(fsr_context *ctx, const fsr_ref_array *from, fsr_buffer *to, fsr_fault *fault) {
    size_t size = fsr_dtype_size(from->dtype);
    char *packed = malloc((size_t)to->bytes + 1);
    if (!packed)
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "out of memory for an array");
    int64_t n = fsr_shape_size(&from->shape);
    for (int64_t i = 0; i < n; ++i)
        memcpy(packed + (size_t)i * size, &from->value[i], size);
    fsr_status status = ctx->backend->ops->copy_in(ctx->backend, to->data, packed, to->bytes, NULL, fault);
    free(packed);
    return status;
}

static fsr_status run_reference(fsr_context *ctx, const fsr_graph *g, const fsr_ref *refs, int n, fsr_buffer **buffer,
                                fsr_fault *fault) {
    fsr_ref_array *result = calloc((size_t)n + 1, sizeof *result);
    if (!result)
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "out of memory");
    fsr_status status = fsr_reference_run(g, refs, n, fetch, &(fetcher){ctx, fault}, result, fault);
    for (int i = 0; i < n && !status; ++i)
        status = store_reference(ctx, &result[i], buffer[i], fault);
    for (int i = 0; i < n; ++i)
        fsr_ref_array_free(&result[i]);
    free(result);
    return status;
}

/* Outputs of a value that an earlier one has share that one's array: nothing is left of the thunk that copies them. */
static void share_equal(const fsr_program *program, fsr_buffer **buffer) {
    for (int i = 0; i < program->nouts; ++i)
        if (program->same_out[i] >= 0) {
            fsr_buffer_unref(buffer[i]);
            buffer[i] = fsr_buffer_ref(buffer[program->same_out[i]]);
        }
}

static fsr_status run_bound(fsr_context *ctx, const fsr_graph *g, const fsr_prepared *e, const fsr_binding *binding,
                            fsr_buffer **buffer, double *ms, fsr_fault *fault) {
    const fsr_program *p = &e->executable->program;
    void **leaf = malloc(sizeof *leaf * (size_t)(p->nleaves + p->nouts + 1));
    fsr_value *scalar = malloc(sizeof *scalar * (size_t)(p->nscalars + 1));
    share_equal(p, buffer);
    fsr_status status = leaf && scalar ? FSR_OK : fsr_fault_set(fault, FSR_ERR_MEMORY, "out of memory");
    for (int i = 0; i < p->nleaves && !status; ++i)
        leaf[i] = fsr_graph_rec(g, binding->leaf[i].id)->buffer[binding->leaf[i].output]->data;
    for (int i = 0; i < p->nscalars && !status; ++i)
        scalar[i] = fsr_graph_rec(g, binding->scalar[i].id)->value;
    for (int i = 0; i < p->nouts && !status; ++i)
        leaf[p->nleaves + i] = buffer[i]->data;
    if (!status) {
        fsr_run run = {.leaf = leaf,
                       .out = leaf + p->nleaves,
                       .scalar = scalar,
                       .of = {.owner = g},
                       .report = binding->report,
                       .ms = ms};
        status = fsr_prepared_run(ctx, e, &run, fault);
    }
    free(leaf);
    free(scalar);
    return status;
}

/* Computes refs (all uncomputed and distinct) into buffer[]. */
static fsr_status run_compiled(fsr_context *ctx, const fsr_graph *g, const fsr_ref *refs, int n, fsr_buffer **buffer,
                               fsr_fault *fault) {
    fsr_flow flow;
    fsr_binding binding;
    fsr_profile profile = {.runs = 0};
    fsr_prepared *e = NULL;
    fsr_status status = fsr_flow_build(&flow, &binding, g, refs, n);
    if (status)
        return fsr_fault_set(fault, status, "compute: %s", fsr_status_sentence(status));
    fsr_site *site = ctx->config.profile ? fsr_profile_sites(&flow) : NULL;
    status = check_bound(g, &flow, &binding, "compute", fault);
    if (status)
        fsr_flow_clear(&flow);
    else
        status = fsr_prepare(ctx, &flow, &e, fault);
    if (!status && ctx->config.profile)
        status = fsr_profile_make(&profile, e, site, fault);
    if (!status)
        status = run_bound(ctx, g, e, &binding, buffer, profile.ms, fault);
    if (!status && profile.ms)
        fsr_profile_ran(&profile, ctx, e);
    fsr_profile_clear(&profile);
    free(site);
    fsr_prepared_unref(e);
    fsr_binding_clear(&binding);
    return status;
}

/* The refs that have no array yet, each once. */
int fsr_uncomputed(const fsr_graph *g, fsr_ref *refs, int n) {
    int kept = 0;
    for (int i = 0; i < n; ++i) {
        bool skip = fsr_graph_rec(g, refs[i].id)->buffer[refs[i].output] != NULL;
        for (int j = 0; j < kept && !skip; ++j)
            skip = refs[j].id == refs[i].id && refs[j].output == refs[i].output;
        if (!skip)
            refs[kept++] = refs[i];
    }
    return kept;
}

static fsr_status compute_refs(fsr_context *ctx, fsr_graph *g, fsr_ref *refs, int n, fsr_buffer **buffer,
                               fsr_fault *fault) {
    const int64_t number = ++ctx->computations;
    fsr_status status = FSR_OK;
    for (int i = 0; i < n && !status; ++i) {
        status =
            fsr_array_new(ctx, fsr_rec_bytes(fsr_graph_rec(g, refs[i].id), (int)refs[i].output), &buffer[i], fault);
        if (!status)
            buffer[i]->computed = number;
    }
    if (!status)
        status = (ctx->reference ? run_reference : run_compiled)(ctx, g, refs, n, buffer, fault);
    for (int i = 0; i < n; ++i) {
        if (status)
            fsr_buffer_unref(buffer[i]);
        else
            fsr_graph_rec(g, refs[i].id)->buffer[refs[i].output] = buffer[i];
    }
    return status;
}

/* The counts of lengths behind the n nodes that have them: room for 2 n. Returns how many there are then. */
int fsr_add_counts(const fsr_graph *g, fsr_ref *refs, int n) {
    int all = n;
    for (int i = 0; i < n; ++i) {
        const fsr_rec *rec = fsr_graph_rec(g, refs[i].id);
        if (rec->length.origin)
            refs[all++] = rec->length.count;
    }
    return all;
}

fsr_status fsr_compute(const fsr_node *outs, int n) {
    FSR_DEFAULT_FLOATS;
    if (!outs || n <= 0)
        return n == 0 ? FSR_OK : FSR_ERR_NULL;
    fsr_ref *refs = malloc(sizeof *refs * 2 * (size_t)n);
    fsr_buffer **buffer = calloc(2 * (size_t)n, sizeof *buffer);
    fsr_graph *g = NULL;
    fsr_context *ctx = NULL;
    fsr_status status = fsr_take_nodes("compute", outs, n, buffer ? refs : NULL, &g, &ctx);
    if (!status) {
        fsr_fault fault = {FSR_OK, NULL};
        int todo = fsr_uncomputed(g, refs, fsr_add_counts(g, refs, n));
        status = todo ? compute_refs(ctx, g, refs, todo, buffer, &fault) : FSR_OK;
        if (status)
            fsr_context_take(ctx, &fault);
    }
    free(refs);
    free(buffer);
    return status;
}

fsr_status fsr_force(fsr_node x) {
    return fsr_compute(&x, 1);
}
