/* SPDX-License-Identifier: MIT */
/* A context's compiled routines. */
#include "runtime/routines.h"
#include "runtime/context.h"

fsr_status fsr_routine_ready(void *context, const fsr_routine *f, fsr_fault *fault) {
    fsr_context *ctx = context;
    if (atomic_load(&f->host))
        return FSR_OK;
    if (fsr_context_forked(ctx, fault))
        return FSR_ERR_FORKED;
    pthread_mutex_lock(&ctx->lock);
    fsr_status status = ctx->routines ? FSR_OK : fsr_routines_open(&ctx->config, &ctx->routines, fault);
    pthread_mutex_unlock(&ctx->lock);
    return status ? status : fsr_routines_add(ctx->routines, f, fault);
}
