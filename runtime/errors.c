/* SPDX-License-Identifier: MIT */
/* The last error of each thread on a context: a slot behind a pthread key, made at a thread's first error, listed in
 * the context so that closing frees those of threads still alive. A thread that ends frees its own. A thread whose
 * slot cannot be allocated gets one of the shared ones, which have a status and no message: what went wrong is told
 * without any memory. */
#include "runtime/context.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct fsr_error_slot {
    fsr_context *ctx;
    fsr_error_slot *next;
    fsr_fault fault;
};

/* One for each status; never written, listed or freed. */
static const fsr_error_slot shared[FSR_STATUS_COUNT] = {
#define SHARED_SLOT(code, sentence) [code] = {.fault = {.status = code}},
    FSR_STATUS_LIST(SHARED_SLOT)
#undef SHARED_SLOT
};

static bool is_shared(const fsr_error_slot *slot) {
    return slot >= shared && slot < shared + FSR_STATUS_COUNT;
}

static void slot_end(void *data) {
    fsr_error_slot *slot = data;
    if (is_shared(slot) || !fsr_context_here(slot->ctx))
        return;
    pthread_mutex_lock(&slot->ctx->lock);
    fsr_error_slot **at = &slot->ctx->errors;
    while (*at && *at != slot)
        at = &(*at)->next;
    if (*at)
        *at = slot->next;
    pthread_mutex_unlock(&slot->ctx->lock);
    fsr_fault_clear(&slot->fault);
    free(slot);
}

fsr_status fsr_errors_open(fsr_context *ctx) {
    return pthread_key_create(&ctx->error, slot_end) == 0 ? FSR_OK : FSR_ERR_MEMORY;
}

void fsr_errors_close(fsr_context *ctx) {
    pthread_key_delete(ctx->error);
    while (ctx->errors) {
        fsr_error_slot *slot = ctx->errors;
        ctx->errors = slot->next;
        fsr_fault_clear(&slot->fault);
        free(slot);
    }
}

static fsr_fault *thread_fault(fsr_context *ctx) {
    fsr_error_slot *slot = pthread_getspecific(ctx->error);
    if (slot && !is_shared(slot))
        return &slot->fault;
    slot = calloc(1, sizeof *slot);
    if (!slot || pthread_setspecific(ctx->error, slot) != 0) {
        free(slot);
        return NULL;
    }
    slot->ctx = ctx;
    pthread_mutex_lock(&ctx->lock);
    slot->next = ctx->errors;
    ctx->errors = slot;
    pthread_mutex_unlock(&ctx->lock);
    return &slot->fault;
}

bool fsr_context_here(const fsr_context *ctx) {
    return !ctx->graphs || fsr_graph_owner_here(ctx->graphs);
}

fsr_status fsr_context_check(fsr_context *ctx) {
    if (fsr_context_here(ctx))
        return FSR_OK;
    pthread_setspecific(ctx->error, &shared[FSR_ERR_FORKED]);
    return FSR_ERR_FORKED;
}

fsr_status fsr_context_forked(const fsr_context *ctx, fsr_fault *fault) {
    if (fsr_context_here(ctx))
        return FSR_OK;
    return fsr_fault_set(fault, FSR_ERR_FORKED, "%s", fsr_status_sentence(FSR_ERR_FORKED));
}

fsr_status fsr_context_take(fsr_context *ctx, fsr_fault *fault) {
    if (ctx && fsr_context_check(ctx)) {
        fsr_fault_clear(fault);
        return FSR_ERR_FORKED;
    }
    fsr_status status = fault->status;
    fsr_fault *mine = ctx ? thread_fault(ctx) : NULL;
    if (!mine) {
        if (ctx)
            pthread_setspecific(ctx->error, &shared[status]);
        fsr_fault_clear(fault);
        return status;
    }
    fsr_fault_clear(mine);
    *mine = *fault;
    *fault = (fsr_fault){FSR_OK, NULL};
    return status;
}

fsr_status fsr_context_fail(fsr_context *ctx, fsr_status status, const char *format, ...) {
    fsr_fault fault = {FSR_OK, NULL};
    va_list args;
    va_start(args, format);
    fsr_fault_set_list(&fault, status, format, args);
    va_end(args);
    return fsr_context_take(ctx, &fault);
}

static const fsr_fault *peek(fsr_context *ctx) {
    const fsr_error_slot *slot = ctx ? pthread_getspecific(ctx->error) : NULL;
    return slot ? &slot->fault : NULL;
}

const char *fsr_error(fsr_context *ctx) {
    const fsr_fault *fault = peek(ctx);
    if (!fault || fault->status == FSR_OK)
        return "";
    return fault->message ? fault->message : fsr_status_sentence(fault->status);
}

fsr_status fsr_error_status(fsr_context *ctx) {
    const fsr_fault *fault = peek(ctx);
    return fault ? fault->status : FSR_OK;
}

void fsr_error_clear(fsr_context *ctx) {
    fsr_error_slot *slot = ctx ? pthread_getspecific(ctx->error) : NULL;
    if (slot && is_shared(slot))
        pthread_setspecific(ctx->error, NULL);
    else if (slot)
        fsr_fault_clear(&slot->fault);
}
