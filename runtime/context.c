/* SPDX-License-Identifier: MIT */
/* Opening and closing contexts, statistics, synchronization. */
#define _GNU_SOURCE 1
#include "runtime/context.h"
#include "graph/floats.h"
#include "graph/message.h"
#include "graph/nearest.h"
#include "graph/sized.h"
#include "runtime/config.h"
#include "runtime/plan_cache.h"
#include "runtime/reports.h"
#include "runtime/routines.h"
#include "runtime/specialize.h"
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void free_strings(fsr_config *config) {
#define OWNED_int(field)
#define OWNED_str(field) free((char *)config->field);
#define OWNED(kind, field, env, def, doc) OWNED_##kind(field)
    FSR_KNOB_LIST(OWNED)
#undef OWNED
}

static bool copy_strings(fsr_config *to, const fsr_config *from) {
    bool ok = true;
    *to = *from;
#define COPY_int(field)
#define COPY_str(field)                                   \
    to->field = from->field ? strdup(from->field) : NULL; \
    ok = ok && (to->field || !from->field);
#define COPY(kind, field, env, def, doc) COPY_##kind(field)
    FSR_KNOB_LIST(COPY)
#undef COPY
    return ok;
}

void fsr_context_log(const fsr_context *ctx, fsr_log_level level, const char *format, ...) {
    if (ctx->config.log_level < (int)level)
        return;
    char *text = NULL;
    va_list args;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        text = NULL;
    va_end(args);
    text = fsr_message_clean(text);
    fprintf(stderr, "fusor: %s\n", text ? text : "out of memory for a message");
    free(text);
}

/* The backend asked for; AUTO tries the GPU, then the CPU, and says in the log why there is no GPU. */
static fsr_status open_backend(fsr_context *ctx, fsr_fault *fault) {
    int kind = ctx->config.backend;
    if (kind == FSR_BACKEND_CUDA)
        return fsr_backend_cuda_open(&ctx->config, &ctx->backend, fault);
    if (kind == FSR_BACKEND_AUTO) {
        if (fsr_backend_cuda_open(&ctx->config, &ctx->backend, fault) == FSR_OK)
            return FSR_OK;
        fsr_context_log(ctx, FSR_LOG_INFO, "no GPU: %s", fault->message ? fault->message : "");
        fsr_fault_clear(fault);
    }
    ctx->reference = kind == FSR_BACKEND_REFERENCE;
    return fsr_backend_cpu_open(&ctx->config, &ctx->backend, fault);
}

static void choose_cache(fsr_context *ctx) {
    char why[512];
    if (ctx->config.cache_dir)
        return;
    ctx->config.cache_dir = fsr_config_default_cache_dir(why, sizeof why);
    if (why[0])
        fsr_context_log(ctx, FSR_LOG_WARNING, "%s", why);
}

/* A directory that cannot be made or written, or is somebody else's, is no reason to fail: nothing is dumped then, and
 * a warning says so. Counter-example to any that can be written: as root, whoever owns it could put another file in the
 * place of each. */
static void prepare_dump(fsr_context *ctx) {
    const char *dir = ctx->config.dump_dir;
    struct stat info;
    if (!dir || !dir[0])
        return;
    if ((mkdir(dir, 0777) != 0 && errno != EEXIST) || access(dir, W_OK | X_OK) != 0 || stat(dir, &info) != 0)
        fsr_context_log(ctx, FSR_LOG_WARNING, "nothing is dumped: %s: %s", dir, strerror(errno));
    else if (info.st_uid != geteuid())
        fsr_context_log(ctx, FSR_LOG_WARNING, "nothing is dumped: %s belongs to user %ld, not to %ld", dir,
                        (long)info.st_uid, (long)geteuid());
    else
        return;
    free((char *)ctx->config.dump_dir);
    ctx->config.dump_dir = NULL;
}

/* A name that is no rewrite: the one that may be meant, or else all of them. */
static fsr_status no_rewrite(const char *name, const char *knob, fsr_fault *fault) {
    char all[200] = "";
    fsr_nearest near = fsr_nearest_to(name);
    for (int i = 0; fsr_rewrite_name(i); i++) {
        const size_t used = strlen(all);
        fsr_nearest_offer(&near, fsr_rewrite_name(i));
        snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", fsr_rewrite_name(i));
    }
    if (near.name)
        return fsr_fault_set(fault, FSR_ERR_VALUE, "fsr_open: %s names \"%s\", which is no rewrite; is %s meant?", knob,
                             name, near.name);
    return fsr_fault_set(fault, FSR_ERR_VALUE, "fsr_open: %s names \"%s\"; the rewrites are %s", knob, name, all);
}

/* Names of rewrites in a knob, checked: a misspelled one would mislead whoever skips a rewrite to find a wrong
 * answer. */
static fsr_status check_rewrites(const char *list, const char *knob, bool all, fsr_fault *fault) {
    for (const char *at = list; at && *at;) {
        char name[64];
        size_t length = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        if (!fsr_rewrite_find(name) && !(all && strcmp(name, "all") == 0))
            return no_rewrite(name, knob, fault);
        at += length + (at[length] == ',');
    }
    return FSR_OK;
}

/* What the rooms below have to tell, where no node can. */
static void report(void *context, fsr_status status, const char *message) {
    fsr_context_fail(context, status, "%s", message);
}

static bool is_whole(const fsr_allocator *a) {
    return !a || (a->take && a->give);
}

static fsr_status open_parts(fsr_context *ctx, const fsr_config *config, fsr_fault *fault) {
    if (!is_whole(config->host_memory) || !is_whole(config->device_memory))
        return fsr_fault_set(fault, FSR_ERR_NULL, "fsr_open: an allocator has no take or no give");
    if (!copy_strings(&ctx->config, config))
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "fsr_open: out of memory");
    choose_cache(ctx);
    prepare_dump(ctx);
    fsr_status status = check_rewrites(config->skip_rewrites, "skip_rewrites", false, fault);
    if (!status)
        status = check_rewrites(config->print_after, "print_after", true, fault);
    if (!status)
        status = open_backend(ctx, fault);
    if (status)
        return status;
    ctx->config.host_memory = ctx->config.device_memory = NULL; /* the backend has copies */
    ctx->backend->ops->target(ctx->backend, &ctx->target);
    if (!config->deterministic)
        fsr_context_log(ctx, FSR_LOG_INFO,
                        "deterministic = 0 changes nothing: FSR_UNORDERED alone is not deterministic");
    ctx->graphs = fsr_graph_owner_new(ctx, report);
    ctx->plans = fsr_plan_cache_open();
    ctx->families = fsr_families_open();
    if (!ctx->graphs || !ctx->plans || !ctx->families)
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "fsr_open: out of memory");
    return FSR_OK;
}

static void explain_failure(char *why, size_t size, const fsr_fault *fault) {
    if (why && size)
        fsr_message_copy(why, size, fault->message ? fault->message : fsr_status_sentence(fault->status));
}

static fsr_status open_config(const fsr_config *config, fsr_context **out, fsr_fault *fault) {
    char why[256] = "";
    fsr_status status = fsr_config_check(config, why, sizeof why);
    if (status)
        return fsr_fault_set(fault, status, "fsr_open: %s", why);
    fsr_context *ctx = calloc(1, sizeof *ctx);
    if (!ctx)
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "fsr_open: out of memory");
    pthread_mutex_init(&ctx->launch, NULL);
    pthread_mutex_init(&ctx->lock, NULL);
    if (fsr_reports_open(ctx)) {
        free(ctx);
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "fsr_open: out of memory");
    }
    if (fsr_errors_open(ctx)) {
        pthread_cond_destroy(&ctx->looked_at);
        free(ctx);
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "fsr_open: no thread key is left");
    }
    status = open_parts(ctx, config, fault);
    if (status) {
        fsr_close(ctx);
        return status;
    }
    *out = ctx;
    return FSR_OK;
}

/* Opens by the caller's config of given bytes; *own is what it comes to. */
static fsr_status open_own(size_t given, const fsr_config *config, fsr_config *own, fsr_context **out, char *why,
                           size_t size) {
    FSR_DEFAULT_FLOATS;
    if (why && size)
        why[0] = 0;
    own->log_level = FSR_LOG_WARNING;
    if (!out) {
        if (why && size)
            snprintf(why, size, "the address for the context is null");
        return FSR_ERR_NULL;
    }
    *out = NULL;
    fsr_status status = config ? fsr_config_take(own, config, given, why, size) : fsr_config_init(own, why, size);
    if (status)
        return status;
    fsr_fault fault = {FSR_OK, NULL};
    status = open_config(own, out, &fault);
    if (status)
        explain_failure(why, size, &fault);
    fsr_fault_clear(&fault);
    return status;
}

fsr_status fsr_open_why_sized(size_t config_size, const fsr_config *config, fsr_context **out, char *why, size_t size) {
    fsr_config own;
    return open_own(config_size, config, &own, out, why, size);
}

fsr_status fsr_open_sized(size_t config_size, const fsr_config *config, fsr_context **out) {
    char why[512] = "";
    fsr_config own;
    fsr_status status = open_own(config_size, config, &own, out, why, sizeof why);
    if (status && (!config || own.log_level >= FSR_LOG_WARNING))
        fprintf(stderr, "fusor: %s\n", why[0] ? why : fsr_status_sentence(status));
    else if (!status && why[0])
        fsr_context_log(*out, FSR_LOG_WARNING, "%s", why);
    return status;
}

/* In a child: what no thread of the parent changed after fsr_open. All else stays as it is, pages that the child
 * shares with the parent as long as neither writes to them. */
static void leave(fsr_context *ctx) {
    ctx->backend->ops->leave(ctx->backend);
    fsr_routines_leave(ctx->routines);
    pthread_key_delete(ctx->error);
    free_strings(&ctx->config);
    free(ctx);
}

void fsr_close(fsr_context *ctx) {
    if (!ctx)
        return;
    if (!fsr_context_here(ctx)) {
        leave(ctx);
        return;
    }
    if (ctx->backend) {
        fsr_fault fault = {FSR_OK, NULL};
        ctx->backend->ops->wait(ctx->backend, NULL, &fault);
        fsr_fault_clear(&fault);
    }
    while (ctx->first_plan)
        fsr_plan_free(ctx->first_plan);
    if (ctx->backend)
        fsr_memory_close(ctx);
    if (ctx->graphs)
        fsr_graph_owner_free(ctx->graphs);
    fsr_plan_cache_close(ctx->plans);
    fsr_families_close(ctx->families);
    if (ctx->backend) {
        fsr_reports_close(ctx);
        if (ctx->zero)
            ctx->backend->ops->free(ctx->backend, ctx->zero, ctx->zero_bytes);
        ctx->backend->ops->close(ctx->backend);
    }
    fsr_routines_close(ctx->routines);
    fsr_errors_close(ctx);
    pthread_mutex_destroy(&ctx->launch);
    pthread_mutex_destroy(&ctx->lock);
    pthread_cond_destroy(&ctx->looked_at);
    free_strings(&ctx->config);
    free(ctx);
}

fsr_backend *fsr_context_backend(fsr_context *ctx) {
    return ctx->backend;
}

const char *fsr_backend_name(fsr_context *ctx) {
    if (!ctx)
        return "";
    return ctx->reference ? "reference" : ctx->backend->ops->name;
}

const char *fsr_device_name(fsr_context *ctx) {
    if (!ctx || !fsr_context_here(ctx))
        return "";
    pthread_mutex_lock(&ctx->lock);
    if (!ctx->device_name[0])
        ctx->backend->ops->device_name(ctx->backend, ctx->device_name, sizeof ctx->device_name);
    pthread_mutex_unlock(&ctx->lock);
    return ctx->device_name;
}

fsr_graph *fsr_graph_new(fsr_context *ctx) {
    if (!ctx || fsr_context_check(ctx))
        return NULL;
    fsr_graph *g = fsr_graph_create(ctx->graphs);
    if (!g)
        fsr_context_fail(ctx, FSR_ERR_MEMORY, "fsr_graph_new: out of memory");
    return g;
}

void fsr_graph_free(fsr_graph *graph) {
    fsr_context *ctx = fsr_graph_alive(graph) ? fsr_graph_context(graph) : NULL;
    if (ctx && fsr_context_here(ctx))
        fsr_reports_disown(ctx, graph);
    fsr_graph_destroy(graph);
}

fsr_status fsr_sync(fsr_context *ctx) {
    if (!ctx)
        return FSR_ERR_NULL;
    if (fsr_context_check(ctx))
        return FSR_ERR_FORKED;
    fsr_fault fault = {FSR_OK, NULL};
    fsr_status status = ctx->backend->ops->wait(ctx->backend, NULL, &fault);
    if (!status)
        status = fsr_copies_settle(ctx, &fault);
    if (!status)
        status = fsr_reports_sync(ctx, &fault);
    return status ? fsr_context_take(ctx, &fault) : FSR_OK;
}

fsr_status fsr_trim(fsr_context *ctx) {
    if (!ctx)
        return FSR_ERR_NULL;
    if (fsr_context_check(ctx))
        return FSR_ERR_FORKED;
    fsr_fault fault = {FSR_OK, NULL};
    fsr_status status = ctx->backend->ops->trim(ctx->backend, &fault);
    return status ? fsr_context_take(ctx, &fault) : FSR_OK;
}

fsr_status fsr_context_stats_sized(size_t size, fsr_context *ctx, fsr_stats *out) {
    if (!ctx || !out)
        return fsr_context_fail(ctx, FSR_ERR_NULL, "context_stats: where the answer goes is null");
    if (fsr_context_check(ctx))
        return FSR_ERR_FORKED;
    fsr_backend_stats b = {0};
    ctx->backend->ops->stats(ctx->backend, &b);
    fsr_stats stats = {.plans_built = ctx->plans_built,
                       .plan_hits = ctx->plan_hits,
                       .compilations = b.compilations,
                       .cache_hits_disk = b.cache_hits_disk,
                       .cache_hits_memory = b.cache_hits_memory,
                       .interpreted = b.interpreted,
                       .modules = b.modules,
                       .launches_interpreted = b.launches_interpreted,
                       .launches = b.launches,
                       .nodes = fsr_graph_owner_nodes(ctx->graphs),
                       .pool_bytes = b.pool_bytes,
                       .graphs_made = b.graphs_made,
                       .graph_launches = b.graph_launches};
    *(ctx->target.gpu ? &stats.device_bytes : &stats.host_bytes) = b.used_bytes;
    fsr_status status = fsr_sized_out(out, size, &stats, sizeof stats);
    return status ? fsr_context_fail(ctx, status, "context_stats: the answer %s", fsr_sized_words(status)) : FSR_OK;
}
