/* SPDX-License-Identifier: MIT */
/* Reports of kernels; see reports.h.
 *
 * Each run has words of its own, cleared before it on the device and looked at when somebody waits for results anyway,
 * so launches stay asynchronous. Counter-example to one word for a plan, kept with it: a plan may be forgotten, and the
 * same plan run for another recording, before anybody has read.
 *
 * The context has one list of batches, the oldest first. A batch stays in it while somebody looks at its words, without
 * the lock, and whoever wants to know what it says waits for that. Counter-example to taking it out of the list: a
 * second reader finds nothing, and is told that its own indices were fine. A batch that says nothing is freed; of those
 * of one owner the first that says something is kept, without its words, until somebody is told. A program that never
 * reads has at most MOST batches with words: then the oldest are looked at. */
#include "runtime/reports.h"
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

typedef enum state { WAITS, IS_LOOKED_AT, SAYS } state;

struct fsr_report_batch {
    fsr_report_batch *next;
    fsr_report_run run;
    pthread_t starter;
    state state;
    bool synced;     /* fsr_sync has told it; its reader has yet to be */
    fsr_fault fault; /* what it SAYS */
    void *words;     /* NULL: looked at */
    int n;
    fsr_report report[];
};

static int64_t bytes_of(int n) {
    return fsr_size_mul(n, (int64_t)sizeof(uint64_t));
}

static void drop(fsr_context *ctx, fsr_report_batch *batch) {
    if (batch->words)
        ctx->backend->ops->free(ctx->backend, batch->words, bytes_of(batch->n));
    fsr_fault_clear(&batch->fault);
    free(batch);
}

fsr_status fsr_reports_begin(fsr_context *ctx, fsr_report_run run, const fsr_report *report, int n,
                             fsr_report_batch **batch, void **words, fsr_fault *fault) {
    const fsr_backend_ops *ops = ctx->backend->ops;
    *batch = NULL;
    *words = NULL;
    if (n == 0)
        return FSR_OK;
    fsr_report_batch *made = malloc(sizeof *made + sizeof made->report[0] * (size_t)n);
    if (!made)
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "out of memory for reports");
    *made = (fsr_report_batch){.run = run, .starter = pthread_self(), .state = WAITS, .n = n};
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
        if (!word[i])
            continue;
        char text[1024];
        const fsr_status status =
            fsr_says_words(text, sizeof text, r->says, (int64_t)word[i], r->axis, r->extent, r->site);
        return fsr_fault_set(fault, status, "%s", text);
    }
    return FSR_OK;
}

/* What a batch's words say; they are freed. */
static fsr_status look(fsr_context *ctx, fsr_report_batch *batch, fsr_fault *fault) {
    uint64_t *word = malloc((size_t)bytes_of(batch->n));
    fsr_status status = word ? FSR_OK : fsr_fault_set(fault, FSR_ERR_MEMORY, "out of memory for reports");
    if (!status)
        status = ctx->backend->ops->copy_out(ctx->backend, word, batch->words, bytes_of(batch->n), NULL, fault);
    if (!status)
        status = tell(batch, word, fault);
    free(word);
    ctx->backend->ops->free(ctx->backend, batch->words, bytes_of(batch->n));
    batch->words = NULL;
    return status;
}

/* ---- the list: all of this under the context's lock -------------------------------------------------------- */

/* Whose batches somebody asks for. */
typedef struct wanted {
    const void *owner, *origin; /* NULL: none */
    bool own_device;            /* also of what runs that the calling thread started left on the device */
    bool all;
} wanted;

static bool is_own(const fsr_report_batch *batch) {
    return pthread_equal(batch->starter, pthread_self());
}

static bool is_wanted(const wanted *w, const fsr_report_batch *batch) {
    const void *owner = batch->run.owner;
    if (w->all || (owner && (owner == w->owner || owner == w->origin)))
        return true;
    return w->own_device && batch->run.on_device && is_own(batch);
}

/* Takes a batch out of the list. */
static void unlink_batch(fsr_context *ctx, const fsr_report_batch *batch) {
    fsr_report_batch **at = &ctx->first_report;
    while (*at != batch)
        at = &(*at)->next;
    *at = batch->next;
}

/* True if another batch of the same owner, that is in the same way yet to be told, stands before this one. */
static bool is_second(const fsr_context *ctx, const fsr_report_batch *batch) {
    for (const fsr_report_batch *b = ctx->first_report; b != batch; b = b->next)
        if (b->state == SAYS && b->run.owner == batch->run.owner && b->synced == batch->synced &&
            b->run.on_device == batch->run.on_device && pthread_equal(b->starter, batch->starter))
            return true;
    return false;
}

/* Drops what an earlier batch of the same owner says before. */
static void keep_first(fsr_context *ctx) {
    fsr_report_batch *next;
    for (fsr_report_batch *b = ctx->first_report; b; b = next) {
        next = b->next;
        if (b->state == SAYS && is_second(ctx, b)) {
            unlink_batch(ctx, b);
            drop(ctx, b);
        }
    }
}

/* Looks at a batch that waits: without the lock meanwhile, so the list may be another one afterwards. */
static void settle(fsr_context *ctx, fsr_report_batch *batch) {
    fsr_fault fault = {FSR_OK, NULL};
    batch->state = IS_LOOKED_AT;
    ctx->nreports--;
    pthread_mutex_unlock(&ctx->lock);
    fsr_status status = look(ctx, batch, &fault);
    pthread_mutex_lock(&ctx->lock);
    batch->fault = fault;
    batch->state = SAYS;
    if (!status) {
        unlink_batch(ctx, batch);
        drop(ctx, batch);
    } else {
        keep_first(ctx);
    }
    pthread_cond_broadcast(&ctx->looked_at);
}

/* Looks at every wanted batch, and waits for those that others look at. */
static void settle_all(fsr_context *ctx, const wanted *w) {
    for (fsr_report_batch *b = ctx->first_report; b;) {
        if (b->state == SAYS || !is_wanted(w, b)) {
            b = b->next;
            continue;
        }
        if (b->state == WAITS)
            settle(ctx, b);
        else
            pthread_cond_wait(&ctx->looked_at, &ctx->lock);
        b = ctx->first_report;
    }
}

/* The first fault of the wanted batches, moved to *fault; they are dropped. */
static fsr_status take(fsr_context *ctx, const wanted *w, fsr_fault *fault) {
    fsr_report_batch **at = &ctx->first_report, *batch;
    fsr_status status = FSR_OK;
    while ((batch = *at) != NULL) {
        if (batch->state != SAYS || !is_wanted(w, batch)) {
            at = &batch->next;
            continue;
        }
        *at = batch->next;
        if (!status) {
            status = batch->fault.status;
            *fault = batch->fault;
            batch->fault = (fsr_fault){FSR_OK, NULL};
        }
        drop(ctx, batch);
    }
    return status;
}

/* ---- what others call ------------------------------------------------------------------------------------ */

void fsr_reports_end(fsr_context *ctx, fsr_report_batch *batch) {
    if (!batch)
        return;
    pthread_mutex_lock(&ctx->lock);
    fsr_report_batch **last = &ctx->first_report;
    while (*last)
        last = &(*last)->next;
    *last = batch;
    ctx->nreports++;
    while (ctx->nreports > MOST) {
        batch = ctx->first_report;
        while (batch->state != WAITS)
            batch = batch->next;
        settle(ctx, batch);
    }
    pthread_mutex_unlock(&ctx->lock);
}

static fsr_status read_of(fsr_context *ctx, const wanted *w, fsr_fault *fault) {
    pthread_mutex_lock(&ctx->lock);
    settle_all(ctx, w);
    const fsr_status status = take(ctx, w, fault);
    pthread_mutex_unlock(&ctx->lock);
    return status;
}

fsr_status fsr_reports_read(fsr_context *ctx, const fsr_graph *g, fsr_fault *fault) {
    return read_of(ctx, &(wanted){.owner = g}, fault);
}

fsr_status fsr_reports_ran(fsr_context *ctx, const fsr_plan *plan, const fsr_graph *origin, fsr_fault *fault) {
    return read_of(ctx, &(wanted){.owner = plan, .origin = origin, .own_device = true}, fault);
}

fsr_status fsr_reports_sync(fsr_context *ctx, fsr_fault *fault) {
    fsr_report_batch *next;
    fsr_status status = FSR_OK;
    pthread_mutex_lock(&ctx->lock);
    settle_all(ctx, &(wanted){.all = true});
    for (fsr_report_batch *b = ctx->first_report; b; b = next) {
        next = b->next;
        if (b->state != SAYS)
            continue;
        if (!status && !b->synced)
            status = fsr_fault_set(fault, b->fault.status, "%s",
                                   b->fault.message ? b->fault.message : fsr_status_sentence(b->fault.status));
        b->synced = true;
        if (is_own(b) || !b->run.owner) {
            unlink_batch(ctx, b);
            drop(ctx, b);
        }
    }
    keep_first(ctx);
    pthread_mutex_unlock(&ctx->lock);
    return status;
}

void fsr_reports_disown(fsr_context *ctx, const void *owner) {
    fsr_report_batch *next;
    pthread_mutex_lock(&ctx->lock);
    for (fsr_report_batch *b = ctx->first_report; b; b = next) {
        next = b->next;
        if (b->run.owner != owner)
            continue;
        b->run.owner = NULL;
        if (b->state == SAYS && b->synced) {
            unlink_batch(ctx, b);
            drop(ctx, b);
        }
    }
    keep_first(ctx);
    pthread_mutex_unlock(&ctx->lock);
}

fsr_status fsr_reports_open(fsr_context *ctx) {
    return pthread_cond_init(&ctx->looked_at, NULL) ? FSR_ERR_MEMORY : FSR_OK;
}

void fsr_reports_close(fsr_context *ctx) {
    fsr_report_batch *batch;
    while ((batch = ctx->first_report) != NULL) {
        unlink_batch(ctx, batch);
        drop(ctx, batch);
    }
}
