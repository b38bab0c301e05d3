/* The plan cache: executables by the flow's signature. The signature holds structure and extents; what is generic in
 * the extents is shared one level down, where equal kernel sources are one compiled module. So a new shape of a known
 * program costs planning, not compiling. A hit compares the whole signature, not only its hash. The least recently
 * used entry goes when there are more than LIMIT. */
#include "runtime/executable.h"
#include "runtime/write_file.h"
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { LIMIT = 512, BUCKETS = 1024 };

typedef struct entry {
    struct entry *next;
    uint64_t hash, used;
    void *signature;
    size_t size;
    fsr_executable *executable;
} entry;

struct fsr_plan_cache {
    entry *bucket[BUCKETS];
    int n;
    uint64_t clock;
};

fsr_status fsr_plan_cache_open(fsr_plan_cache **out) {
    *out = calloc(1, sizeof **out);
    return *out ? FSR_OK : FSR_ERR_MEMORY;
}

static void entry_free(entry *e) {
    fsr_executable_unref(e->executable);
    free(e->signature);
    free(e);
}

void fsr_plan_cache_close(fsr_plan_cache *cache) {
    for (int i = 0; cache && i < BUCKETS; ++i)
        while (cache->bucket[i]) {
            entry *e = cache->bucket[i];
            cache->bucket[i] = e->next;
            entry_free(e);
        }
    free(cache);
}

static fsr_executable *find(fsr_plan_cache *cache, const void *signature, size_t size, uint64_t hash) {
    for (entry *e = cache->bucket[hash % BUCKETS]; e; e = e->next)
        if (e->hash == hash && e->size == size && memcmp(e->signature, signature, size) == 0) {
            e->used = ++cache->clock;
            ++e->executable->refs;
            return e->executable;
        }
    return NULL;
}

static void evict(fsr_plan_cache *cache) {
    entry **oldest = NULL;
    for (int i = 0; i < BUCKETS; ++i)
        for (entry **at = &cache->bucket[i]; *at; at = &(*at)->next)
            if (!oldest || (*at)->used < (*oldest)->used)
                oldest = at;
    entry *e = *oldest;
    *oldest = e->next;
    --cache->n;
    entry_free(e);
}

/* Takes over signature. A full memory is no error: the plan is then not cached. */
static void insert(fsr_plan_cache *cache, void *signature, size_t size, uint64_t hash, fsr_executable *executable) {
    entry *e = malloc(sizeof *e);
    if (!e) {
        free(signature);
        return;
    }
    if (cache->n == LIMIT)
        evict(cache);
    ++executable->refs;
    *e = (entry){cache->bucket[hash % BUCKETS], hash, ++cache->clock, signature, size, executable};
    cache->bucket[hash % BUCKETS] = e;
    ++cache->n;
}

void fsr_executable_unref(fsr_executable *executable) {
    if (!executable || --executable->refs > 0)
        return;
    fsr_program_clear(&executable->program);
    free(executable->module);
    free(executable);
}

/* dump_dir/plan_<digest>.txt; a directory that cannot be written is a warning. */
static void dump_plan(const fsr_context *ctx, const fsr_program *program) {
    char name[32];
    const size_t size = strlen(program->explanation);
    snprintf(name, sizeof name, "plan_%08x.txt", (unsigned)XXH3_64bits(program->explanation, size));
    const int error = fsr_write_file_in(ctx->config.dump_dir, name, program->explanation, size);
    if (error)
        fsr_context_log(ctx, FSR_LOG_WARNING, "cannot write %s/%s: %s", ctx->config.dump_dir, name, strerror(error));
}

fsr_status fsr_executable_plan(fsr_context *ctx, fsr_program *program, fsr_flow *flow, fsr_fault *fault) {
    char why[512] = "";
    fsr_program_options options = {.target = ctx->target,
                                   .fusion = ctx->config.fusion,
                                   .fuel = ctx->config.fuel,
                                   .contraction = ctx->config.contraction,
                                   .passes = {ctx->config.skip_passes, ctx->config.print_after, stderr}};
    fsr_status status = fsr_program_make(program, flow, &options, why, sizeof why);
    if (status)
        return fsr_fault_set(fault, status, "planning: %s", why[0] ? why : fsr_status_sentence(status));
    ++ctx->plans_built;
    if (ctx->config.log_level >= FSR_LOG_DEBUG)
        fsr_context_log(ctx, FSR_LOG_DEBUG, "%s", program->explanation);
    if (ctx->config.dump_dir && ctx->config.dump_dir[0])
        dump_plan(ctx, program);
    return FSR_OK;
}

static fsr_status build(fsr_context *ctx, fsr_flow *flow, fsr_executable **out, fsr_fault *fault) {
    fsr_executable *e = calloc(1, sizeof *e);
    if (!e) {
        fsr_flow_clear(flow);
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "out of memory for a plan");
    }
    e->refs = 1;
    fsr_status status = fsr_executable_plan(ctx, &e->program, flow, fault);
    if (!status && !(e->module = calloc((size_t)e->program.nsteps + 1, sizeof *e->module)))
        status = fsr_fault_set(fault, FSR_ERR_MEMORY, "out of memory for a plan");
    if (!status)
        status = fsr_executable_compile(ctx, e, fault);
    if (status) {
        fsr_executable_unref(e);
        return status;
    }
    *out = e;
    return FSR_OK;
}

fsr_status fsr_executable_get(fsr_context *ctx, fsr_flow *flow, fsr_executable **out, fsr_fault *fault) {
    size_t size = 0;
    void *signature = fsr_flow_signature(flow, &size);
    if (!signature) {
        fsr_flow_clear(flow);
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "out of memory for a plan's signature");
    }
    uint64_t hash = XXH3_64bits(signature, size);
    pthread_mutex_lock(&ctx->lock);
    *out = find(ctx->plans, signature, size, hash);
    pthread_mutex_unlock(&ctx->lock);
    if (*out) {
        ++ctx->plan_hits;
        fsr_flow_clear(flow);
        free(signature);
        return FSR_OK;
    }
    fsr_status status = build(ctx, flow, out, fault);
    if (status) {
        free(signature);
        return status;
    }
    pthread_mutex_lock(&ctx->lock);
    insert(ctx->plans, signature, size, hash, *out);
    pthread_mutex_unlock(&ctx->lock);
    return FSR_OK;
}
