/* SPDX-License-Identifier: MIT */
/* Reports of kernels; see reports.h.
 *
 * Each run has words of its own, cleared before it on the device and looked at when somebody waits for results anyway,
 * so launches stay asynchronous. Counter-example to one word for a plan, kept with it: a plan may be forgotten, and the
 * same plan run for another recording, before anybody has read. A program that never reads has at most MOST batches
 * waiting: then the oldest are looked at, and what they say is kept for the next check. */
#include "runtime/reports.h"
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

struct fsr_report_batch {
    fsr_report_batch *next;
    void *words;
    int n;
    fsr_report report[];
};

static int64_t bytes_of(int n) {
    return fsr_size_mul(n, (int64_t)sizeof(uint64_t));
}

static void drop(fsr_context *ctx, fsr_report_batch *batch) {
    if (batch->words)
        ctx->backend->ops->free(ctx->backend, batch->words, bytes_of(batch->n));
    free(batch);
}

fsr_status fsr_reports_begin(fsr_context *ctx, const fsr_report *report, int n, fsr_report_batch **batch, void **words,
                             fsr_fault *fault) {
    const fsr_backend_ops *ops = ctx->backend->ops;
    *batch = NULL;
    *words = NULL;
    if (n == 0)
        return FSR_OK;
    fsr_report_batch *made = malloc(sizeof *made + sizeof made->report[0] * (size_t)n);
    if (!made)
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "out of memory for reports");
    made->next = NULL;
    made->words = NULL;
    made->n = n;
    memcpy(made->report, report, sizeof made->report[0] * (size_t)n);
    fsr_status status = ops->alloc(ctx->backend, bytes_of(n), &made->words, fault);
    if (!status)
        status = ops->clear(ctx->backend, made->words, bytes_of(n), NULL, fault);
    if (status) {
        drop(ctx, made);
        return status;
    }
    *batch = made;
    *words = made->words;
    return FSR_OK;
}

/* What the first word that is not 0 says. */
static fsr_status tell(const fsr_report_batch *batch, const uint64_t *word, fsr_fault *fault) {
    for (int i = 0; i < batch->n; ++i) {
        const fsr_report *r = &batch->report[i];
        if (word[i])
            return fsr_fault_set(fault, FSR_ERR_INDEX, "index %lld is out of bounds for axis %d with size %lld (%s:%d)",
                                 (long long)(int64_t)word[i], r->axis, (long long)r->extent,
                                 r->site.file ? r->site.file : "?", r->site.line);
    }
    return FSR_OK;
}

/* Looks at a batch that belongs to nobody else, and frees it. */
static fsr_status look(fsr_context *ctx, fsr_report_batch *batch, fsr_fault *fault) {
    uint64_t *word = malloc((size_t)bytes_of(batch->n));
    fsr_status status = word ? FSR_OK : fsr_fault_set(fault, FSR_ERR_MEMORY, "out of memory for reports");
    if (!status)
        status = ctx->backend->ops->copy_out(ctx->backend, word, batch->words, bytes_of(batch->n), NULL, fault);
    if (!status)
        status = tell(batch, word, fault);
    free(word);
    drop(ctx, batch);
    return status;
}

/* The oldest batch, taken out; NULL: there are at most `leave`. */
static fsr_report_batch *take(fsr_context *ctx, int leave) {
    pthread_mutex_lock(&ctx->lock);
    fsr_report_batch *batch = ctx->nreports > leave ? ctx->first_report : NULL;
    if (batch) {
        ctx->first_report = batch->next;
        if (!ctx->first_report)
            ctx->last_report = NULL;
        ctx->nreports--;
    }
    pthread_mutex_unlock(&ctx->lock);
    return batch;
}

static void put(fsr_context *ctx, fsr_report_batch *batch) {
    pthread_mutex_lock(&ctx->lock);
    if (ctx->last_report)
        ctx->last_report->next = batch;
    else
        ctx->first_report = batch;
    ctx->last_report = batch;
    ctx->nreports++;
    pthread_mutex_unlock(&ctx->lock);
}

/* The first fault stays; a later one is forgotten. */
static void keep_first(fsr_context *ctx, fsr_fault *fault) {
    pthread_mutex_lock(&ctx->lock);
    if (!ctx->reported.status) {
        ctx->reported = *fault;
        *fault = (fsr_fault){FSR_OK, NULL};
    }
    pthread_mutex_unlock(&ctx->lock);
    fsr_fault_clear(fault);
}

void fsr_reports_end(fsr_context *ctx, fsr_report_batch *batch) {
    if (!batch)
        return;
    put(ctx, batch);
    while ((batch = take(ctx, MOST)) != NULL) {
        fsr_fault own = {FSR_OK, NULL};
        if (look(ctx, batch, &own))
            keep_first(ctx, &own);
    }
}

fsr_status fsr_reports_check(fsr_context *ctx, fsr_fault *fault) {
    fsr_report_batch *batch;
    while ((batch = take(ctx, 0)) != NULL) {
        fsr_fault own = {FSR_OK, NULL};
        if (look(ctx, batch, &own))
            keep_first(ctx, &own);
    }
    pthread_mutex_lock(&ctx->lock);
    fsr_fault first = ctx->reported;
    ctx->reported = (fsr_fault){FSR_OK, NULL};
    pthread_mutex_unlock(&ctx->lock);
    if (first.status)
        *fault = first;
    return first.status;
}

void fsr_reports_close(fsr_context *ctx) {
    fsr_report_batch *batch;
    while ((batch = take(ctx, 0)) != NULL)
        drop(ctx, batch);
    fsr_fault_clear(&ctx->reported);
}
