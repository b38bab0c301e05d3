/* SPDX-License-Identifier: MIT */
/* What a node computes, copied to the host.
 *
 * A read computes the node first, and then tells what a run has reported since the last one (reports.h). Of a live
 * value only what is there is copied: how much, the device says. Counter-example to copying the capacity: what lies
 * behind the last element has never been written. */
#include "runtime/array.h"
#include "runtime/reports.h"

/* How many elements of a computed node are there: all, or as many as its length says. Waits for that. */
fsr_status fsr_count_there(fsr_context *ctx, const fsr_graph *g, const fsr_rec *rec, int64_t *count, fsr_fault *fault) {
    *count = fsr_shape_size(&rec->shape);
    if (!rec->length.origin)
        return FSR_OK;
    const fsr_buffer *from = fsr_graph_rec(g, rec->length.count.id)->buffer[rec->length.count.output];
    return ctx->backend->ops->copy_out(ctx->backend, count, from->data, sizeof *count, NULL, fault);
}

static fsr_status wrong_bytes(fsr_node x, const char *what, int64_t need, size_t bytes, fsr_fault *fault) {
    return fsr_fault_set(fault, FSR_ERR_BYTES, "%s: %s needs %lld bytes, the buffer has %zu", what, fsr_say(x).text,
                         (long long)need, bytes);
}

/* Copies what is there of a computed node, `need` bytes, and then asks what was reported. */
static fsr_status copy_there(fsr_context *ctx, fsr_node x, const char *what, void *dst, int64_t need,
                             fsr_fault *fault) {
    const fsr_backend_ops *ops = ctx->backend->ops;
    fsr_fault why = {FSR_OK, NULL};
    if (!dst && need)
        return fsr_fault_set(fault, FSR_ERR_NULL, "%s: dst is null", what);
    fsr_status status = fsr_check_address(ctx, dst, need, FSR_HOST, &why);
    if (status)
        fsr_fault_set(fault, status, "%s: %s", what, why.message ? why.message : "");
    else
        status = ops->copy_out(ctx->backend, dst, fsr_node_rec(x)->buffer[x.output]->data, need, NULL, fault);
    fsr_fault_clear(&why);
    return status ? status : fsr_reports_read(ctx, x.graph, fault);
}

/* exact: `bytes` has to be the capacity's. */
static fsr_status read_there(fsr_node x, const char *what, void *dst, size_t bytes, bool exact, int64_t *count) {
    fsr_status status = fsr_compute(&x, 1);
    if (status)
        return status;
    const fsr_rec *rec = fsr_node_rec(x);
    fsr_context *ctx = fsr_graph_context(x.graph);
    fsr_fault fault = {FSR_OK, NULL};
    int64_t there = 0;
    const int64_t whole = fsr_rec_bytes(rec, (int)x.output), size = (int64_t)fsr_dtype_size(rec->dtype[x.output]);
    if (exact && (uint64_t)whole != bytes)
        status = wrong_bytes(x, what, whole, bytes, &fault);
    if (!status)
        status = fsr_count_there(ctx, x.graph, rec, &there, &fault);
    if (!status && count)
        *count = rec->length.origin || !rec->shape.ndim ? there : rec->shape.dim[0];
    if (!status && (uint64_t)(there * size) > bytes)
        status = wrong_bytes(x, what, there * size, bytes, &fault);
    if (!status)
        status = copy_there(ctx, x, what, dst, there * size, &fault);
    return status ? fsr_context_take(ctx, &fault) : FSR_OK;
}

fsr_status fsr_read(fsr_node x, void *dst, size_t bytes) {
    return read_there(x, "read", dst, bytes, true, NULL);
}

fsr_status fsr_read_live(fsr_node x, void *dst, size_t bytes, int64_t *count) {
    return read_there(x, "read_live", dst, bytes, false, count);
}

fsr_status fsr_node_count(fsr_node x, int64_t *count) {
    fsr_graph *g;
    fsr_ref ref;
    fsr_context *ctx;
    fsr_status status = fsr_take_nodes("node_count", &x, 1, &ref, &g, &ctx);
    if (status)
        return status;
    const fsr_rec *rec = fsr_node_rec(x);
    if (!count)
        return fsr_context_fail(ctx, FSR_ERR_NULL, "node_count: count is null");
    if (rec->shape.ndim == 0)
        return fsr_context_fail(ctx, FSR_ERR_SHAPE, "node_count: %s has no axis", fsr_say(x).text);
    if (!rec->length.origin) {
        *count = rec->shape.dim[0];
        return FSR_OK;
    }
    return fsr_read(fsr_graph_handle(g, rec->length.count.id, rec->length.count.output), count, sizeof *count);
}
