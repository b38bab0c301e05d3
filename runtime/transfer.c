/* SPDX-License-Identifier: MIT */
/* Memory that callers ask for, and copies that are not waited for. What fsr_alloc gave is listed in the context: so
 * it is known how large it is, and fsr_close gives back what was forgotten.
 *
 * Giving back: the pool hands device memory out again for work on the own stream, so that stream first waits for the
 * last copy of each direction. Host memory goes to the system at once, so the host waits, for these and for what
 * runs. */
#include "fusor/transfer.h"
#include "graph/floats.h"
#include "graph/size.h"
#include "runtime/array.h"
#include <stdlib.h>

typedef struct fsr_memory_block {
    struct fsr_memory_block *next;
    void *data;
    int64_t bytes;
    fsr_place place;
} fsr_memory_block;

static fsr_status no_place(fsr_context *ctx, const char *op, fsr_place place) {
    return fsr_context_fail(ctx, FSR_ERR_VALUE, "%s: there is no place %d", op, (int)place);
}

static bool is_place(fsr_place place) {
    return place == FSR_HOST || place == FSR_DEVICE;
}

static fsr_status get_block(fsr_context *ctx, fsr_memory_block *block, fsr_fault *fault) {
    const fsr_backend_ops *ops = ctx->backend->ops;
    return (block->place == FSR_HOST ? ops->host_alloc : ops->alloc)(ctx->backend, block->bytes, &block->data, fault);
}

static void give_block(fsr_context *ctx, fsr_memory_block *block) {
    const fsr_backend_ops *ops = ctx->backend->ops;
    (block->place == FSR_HOST ? ops->host_free : ops->free)(ctx->backend, block->data, block->bytes);
    free(block);
}

fsr_status fsr_alloc(fsr_context *ctx, fsr_place place, size_t bytes, void **data) {
    fsr_fault fault = {FSR_OK, NULL};
    if (data)
        *data = NULL;
    if (!ctx || !data)
        return fsr_context_fail(ctx, FSR_ERR_NULL, "alloc: where the address goes is null");
    if (fsr_context_check(ctx))
        return FSR_ERR_FORKED;
    if (!is_place(place))
        return no_place(ctx, "alloc", place);
    if (bytes > INT64_MAX || !fsr_size_fits((int64_t)bytes))
        return fsr_context_fail(ctx, FSR_ERR_SIZE, "alloc: %zu bytes", bytes);
    fsr_memory_block *block = malloc(sizeof *block);
    if (!block)
        return fsr_context_fail(ctx, FSR_ERR_MEMORY, "alloc: out of memory");
    *block = (fsr_memory_block){.bytes = (int64_t)bytes, .place = place};
    if (get_block(ctx, block, &fault)) {
        free(block);
        return fsr_context_take(ctx, &fault);
    }
    *data = block->data;
    pthread_mutex_lock(&ctx->lock);
    block->next = ctx->first_block;
    ctx->first_block = block;
    pthread_mutex_unlock(&ctx->lock);
    return FSR_OK;
}

/* Takes a block off the list; NULL: there is no such one. */
static fsr_memory_block *unlist(fsr_context *ctx, const void *data, fsr_place place, int64_t *copies) {
    pthread_mutex_lock(&ctx->lock);
    fsr_memory_block **at = &ctx->first_block;
    while (*at && ((*at)->data != data || (*at)->place != place))
        at = &(*at)->next;
    fsr_memory_block *block = *at;
    if (block)
        *at = block->next;
    for (int lane = 0; lane < FSR_LANES; ++lane)
        copies[lane] = ctx->last_copy[lane];
    pthread_mutex_unlock(&ctx->lock);
    return block;
}

/* What may still use memory is waited for: by the own stream, of the host's memory by the host as well. What fails
 * here is the device's, and told by whoever waits next. */
static void wait_users(fsr_context *ctx, const int64_t *copies, bool host) {
    const fsr_backend_ops *ops = ctx->backend->ops;
    fsr_fault ignored = {FSR_OK, NULL};
    for (int lane = 0; lane < FSR_LANES; ++lane) {
        ops->after(ctx->backend, copies[lane], &ignored);
        fsr_fault_clear(&ignored);
    }
    if (host)
        ops->wait(ctx->backend, NULL, &ignored);
    fsr_fault_clear(&ignored);
}

fsr_status fsr_free(fsr_context *ctx, fsr_place place, void *data) {
    int64_t copies[FSR_LANES];
    if (!ctx)
        return FSR_ERR_NULL;
    if (fsr_context_check(ctx))
        return FSR_ERR_FORKED;
    if (!is_place(place))
        return no_place(ctx, "free", place);
    fsr_memory_block *block = data ? unlist(ctx, data, place, copies) : NULL;
    if (!block)
        return data
                   ? fsr_context_fail(ctx, FSR_ERR_VALUE, "free: the address is no memory of fsr_alloc with this place")
                   : FSR_OK;
    wait_users(ctx, copies, place == FSR_HOST);
    give_block(ctx, block);
    return FSR_OK;
}

void fsr_memory_close(fsr_context *ctx) {
    wait_users(ctx, ctx->last_copy, true);
    while (ctx->first_block) {
        fsr_memory_block *block = ctx->first_block;
        ctx->first_block = block->next;
        give_block(ctx, block);
    }
}

/* Copies lie on streams of their own: the context's own one is done before they are. */
fsr_status fsr_copies_settle(fsr_context *ctx, fsr_fault *fault) {
    pthread_mutex_lock(&ctx->lock);
    const int64_t up = ctx->last_copy[FSR_LANE_UP], down = ctx->last_copy[FSR_LANE_DOWN];
    pthread_mutex_unlock(&ctx->lock);
    const fsr_status status = ctx->backend->ops->settle(ctx->backend, up, fault);
    return status ? status : ctx->backend->ops->settle(ctx->backend, down, fault);
}

/* ---- copies --------------------------------------------------------------------------------------------------- */

/* What a call of a lane begins with: where its ticket goes is set 0. */
static fsr_status begin(fsr_context *ctx, int64_t **ticket, int64_t *own) {
    if (!*ticket)
        *ticket = own;
    **ticket = 0;
    if (!ctx)
        return FSR_ERR_NULL;
    return fsr_context_check(ctx);
}

static fsr_status put(fsr_context *ctx, const char *op, fsr_lane lane, void *dst, const void *src, size_t bytes,
                      int64_t *ticket) {
    fsr_fault fault = {FSR_OK, NULL}, why = {FSR_OK, NULL};
    int64_t own;
    fsr_status status = begin(ctx, &ticket, &own);
    if (status)
        return status;
    if (bytes && (!dst || !src))
        return fsr_context_fail(ctx, FSR_ERR_NULL, "%s: %s is null", op, dst ? "what is copied" : "where it goes");
    if (bytes > INT64_MAX)
        return fsr_context_fail(ctx, FSR_ERR_SIZE, "%s: %zu bytes", op, bytes);
    status = fsr_check_address(ctx, dst, (int64_t)bytes, lane == FSR_LANE_UP ? FSR_DEVICE : FSR_HOST, &why);
    if (!status)
        status = fsr_check_address(ctx, src, (int64_t)bytes, lane == FSR_LANE_UP ? FSR_HOST : FSR_DEVICE, &why);
    if (status)
        fsr_fault_set(&fault, status, "%s: %s", op, why.message ? why.message : "");
    fsr_fault_clear(&why);
    if (!status)
        status = ctx->backend->ops->transfer(ctx->backend, lane, dst, src, (int64_t)bytes, ticket, &fault);
    if (status)
        return fsr_context_take(ctx, &fault);
    pthread_mutex_lock(&ctx->lock);
    if (*ticket > ctx->last_copy[lane])
        ctx->last_copy[lane] = *ticket;
    pthread_mutex_unlock(&ctx->lock);
    return FSR_OK;
}

fsr_status fsr_upload(fsr_context *ctx, void *device, const void *host, size_t bytes, fsr_ticket *ticket) {
    return put(ctx, "upload", FSR_LANE_UP, device, host, bytes, ticket);
}

fsr_status fsr_download(fsr_context *ctx, void *host, const void *device, size_t bytes, fsr_ticket *ticket) {
    return put(ctx, "download", FSR_LANE_DOWN, host, device, bytes, ticket);
}

fsr_status fsr_mark(fsr_context *ctx, fsr_ticket *ticket) {
    if (!ticket)
        return fsr_context_fail(ctx, FSR_ERR_NULL, "mark: where the ticket goes is null");
    return put(ctx, "mark", FSR_LANE_WORK, NULL, NULL, 0, ticket);
}

fsr_status fsr_after(fsr_context *ctx, fsr_ticket ticket) {
    fsr_fault fault = {FSR_OK, NULL};
    if (!ctx)
        return FSR_ERR_NULL;
    if (fsr_context_check(ctx))
        return FSR_ERR_FORKED;
    return ctx->backend->ops->after(ctx->backend, ticket, &fault) ? fsr_context_take(ctx, &fault) : FSR_OK;
}

fsr_status fsr_wait(fsr_context *ctx, fsr_ticket ticket) {
    fsr_fault fault = {FSR_OK, NULL};
    if (!ctx)
        return FSR_ERR_NULL;
    if (fsr_context_check(ctx))
        return FSR_ERR_FORKED;
    return ctx->backend->ops->settle(ctx->backend, ticket, &fault) ? fsr_context_take(ctx, &fault) : FSR_OK;
}

fsr_status fsr_ticket_time(fsr_context *ctx, fsr_ticket ticket, double *begin, double *end) {
    fsr_fault fault = {FSR_OK, NULL};
    if (!ctx || !begin || !end)
        return fsr_context_fail(ctx, FSR_ERR_NULL, "ticket_time: where the times go is null");
    if (fsr_context_check(ctx))
        return FSR_ERR_FORKED;
    *begin = *end = 0;
    return ctx->backend->ops->times(ctx->backend, ticket, begin, end, &fault) ? fsr_context_take(ctx, &fault) : FSR_OK;
}
