/* SPDX-License-Identifier: MIT */
/* Replays of runs.
 *
 * What a run puts on the stream follows from its program and a key: every address that a thunk may be given
 * (arguments, results, the arena, tickets, words of reports) and every value. A key that comes a second time is
 * recorded, and from then on one launch. A few keys are kept for each program, the least recently used goes: two
 * buffers that are exchanged are two keys. A key that never comes again costs a comparison. Counter-example to
 * recording at the first run: a parameter that changes at each turn would have a graph made for every turn.
 *
 * Nothing is held for it: the arena is the run's own each time, and comes again because the pool gives the block
 * that fits best. Where it does not, the key differs, and the run goes one by one.
 *
 * Recorded are kernels, copies, clears, loops over arrays of a number of turns that the plan has, calls that say they
 * may be, and those of libraries whose memory stays where it is (the backend says which). Not a loop whose host side
 * reads what the device computed, nor libraries that allocate or wait. What a library gave up since goes with the
 * replay. Where recording fails, or what was recorded goes after a few launches, the next is recorded after a pause,
 * which doubles: recording costs as much as tens of launches. Counter-example: values that change at every second
 * run. */
#include "runtime/replays.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 4, MOST = 4096, PAUSE = 16, WORTH = 32 };

typedef struct known {
    unsigned char *key;
    fsr_replay *replay; /* NULL: came once */
    int64_t used;       /* when, last */
    int64_t launches;   /* of the replay */
} known;

struct fsr_replays {
    size_t size;        /* of each key, and of `key` */
    int64_t runs, next; /* how many; from which on recording may be tried again */
    int failures;       /* of recording, and what was not worth it; at most 20 are counted */
    bool never;         /* each run goes one by one */
    known of[KEYS];
    unsigned char *key; /* of the run at hand */
};

/* A kernel of the program's own stays loaded once a capture has it: a caller's graph is worth that, a replay is not. */
static bool is_recordable(const fsr_backend_ops *ops, const fsr_library_call *call, bool kept) {
    const fsr_callee *callee = call->library == FSR_LIBRARY_CALLER ? &call->called->what : NULL;
    if (callee)
        return callee->kernel.code ? kept : callee->capturable;
    const fsr_recordable may = ops->recordable ? ops->recordable(call->library) : FSR_NOT_RECORDED;
    return kept ? may == FSR_RECORDED_ANYWHERE : may != FSR_NOT_RECORDED;
}

/* What thunks [first, first + n) launch, a loop's as often as it turns; at most MOST + 1. */
static int64_t count_launches(const fsr_program *program, int first, int n) {
    int64_t sum = 0;
    for (int i = first; i < first + n && sum <= MOST; ++i) {
        const fsr_thunk *thunk = &program->thunk[i];
        const fsr_loop_plan *loop = thunk->loop;
        const int64_t turns = loop ? fsr_loop_turns(loop) : 1;
        int64_t each = !thunk->nothing;
        if (loop)
            each = count_launches(program, i + 1 + loop->first.nthunks, loop->turn.nthunks) +
                   fsr_loop_copies(loop, thunk->present);
        sum = each && turns > MOST ? MOST + 1 : sum + each * turns;
        i += fsr_loop_thunks(thunk);
    }
    return sum <= MOST ? sum : MOST + 1;
}

const char *fsr_replays_refusal(const fsr_context *ctx, const fsr_program *program, bool kept, const char **call) {
    *call = "";
    for (int i = 0; i < program->nthunks; ++i) {
        const fsr_thunk *thunk = &program->thunk[i];
        if (thunk->loop && (thunk->loop->form.conditional || thunk->loop->form.count < 0))
            return "a loop whose turns the run decides";
        if (!thunk->call || thunk->nothing)
            continue;
        *call = fsr_library_call_name(thunk->call);
        if (!is_recordable(ctx->backend->ops, thunk->call, kept))
            return "library call";
        *call = "";
    }
    return count_launches(program, 0, program->nthunks) > MOST ? "what launches more than 4096 times" : NULL;
}

void fsr_replays_free(fsr_backend *backend, fsr_replays *all) {
    for (int i = 0; all && i < KEYS; ++i) {
        free(all->of[i].key);
        if (all->of[i].replay)
            backend->ops->replay_drop(backend, all->of[i].replay);
    }
    if (all)
        free(all->key);
    free(all);
}

/* Why each run goes one by one, or NULL. */
static const char *find_refusal(const fsr_context *ctx, const fsr_program *program, const char **call) {
    *call = "";
    if (count_launches(program, 0, program->nthunks) < 2)
        return "one launch";
    return fsr_replays_refusal(ctx, program, false, call);
}

void fsr_replays_say(const fsr_context *ctx, const fsr_program *program, char *out, size_t size) {
    const char *call, *refusal = fsr_replays_refusal(ctx, program, false, &call);
    out[0] = 0;
    if (!ctx->backend->ops->replay || count_launches(program, 0, program->nthunks) < 2)
        return;
    if (!ctx->config.graphs || ctx->config.profile)
        snprintf(out, size, "launched one by one: the knob %s is %d\n", ctx->config.graphs ? "profile" : "graphs",
                 ctx->config.graphs ? ctx->config.profile : 0);
    else if (refusal)
        snprintf(out, size, "launched one by one: %s%s%s may not be recorded\n", refusal, *call ? " " : "", call);
    else
        snprintf(out, size, "launched as one CUDA graph when it runs again on the same addresses and values\n");
}

/* Literals that thunks take as arguments. Those of a loop's body are text. */
static int count_literals(const fsr_program *p) {
    int n = 0;
    for (int i = 0; i < p->nthunks; ++i)
        for (int s = 0; p->thunk[i].kernel && !p->thunk[i].inner && s < p->thunk[i].kernel->nscalars; ++s) {
            const int literal = p->thunk[i].scalar[s] - p->nscalars;
            n = literal >= n ? literal + 1 : n;
        }
    return n;
}

static fsr_replays *replays_new(const fsr_execution *x) {
    const fsr_program *p = x->program;
    const char *call;
    fsr_replays *all = calloc(1, sizeof *all);
    if (!all || (all->never = find_refusal(x->ctx, p, &call) != NULL))
        return all;
    all->size = sizeof(void *) * (size_t)(3 + p->nleaves + p->nouts) +
                sizeof(fsr_value) * (size_t)(p->nscalars + (x->literal ? count_literals(p) : 0));
    all->key = calloc(1, all->size + 1);
    if (all->key)
        return all;
    free(all);
    return NULL;
}

static unsigned char *put(unsigned char *at, const void *bytes, size_t n) {
    if (n)
        memcpy(at, bytes, n);
    return at + n;
}

static void write_key(const fsr_execution *x, fsr_replays *all) {
    const fsr_program *p = x->program;
    const void *const own[3] = {x->arena, x->words, x->zero};
    unsigned char *at = put(all->key, own, sizeof own);
    at = put(at, x->leaf, sizeof *x->leaf * (size_t)p->nleaves);
    at = put(at, x->out, sizeof *x->out * (size_t)p->nouts);
    at = put(at, x->scalar, sizeof *x->scalar * (size_t)p->nscalars);
    put(at, x->literal, all->size - (size_t)(at - all->key));
}

/* What hindered recording, or made it worth nothing, may pass: the next one comes after a pause that doubles. */
static void put_off(fsr_replays *r) {
    r->next = r->runs + ((int64_t)PAUSE << r->failures);
    r->failures += r->failures < 20;
}

/* Drops the replay of a key. */
static void forget(fsr_backend *backend, fsr_replays *all, known *k) {
    if (k->replay) {
        backend->ops->replay_drop(backend, k->replay);
        if (k->launches < WORTH)
            put_off(all);
    }
    k->replay = NULL;
    k->launches = 0;
}

/* The key's place; where it is none's, that of the one that was used longest ago, which goes. NULL: out of memory. */
static known *find(fsr_backend *backend, fsr_replays *all) {
    known *oldest = &all->of[0];
    for (int i = 0; i < KEYS; ++i) {
        known *k = &all->of[i];
        if (k->key && memcmp(k->key, all->key, all->size) == 0)
            return k;
        if (k->used < oldest->used)
            oldest = k;
    }
    forget(backend, all, oldest);
    oldest->used = 0;
    if (!oldest->key && !(oldest->key = malloc(all->size + 1)))
        return NULL;
    memcpy(oldest->key, all->key, all->size);
    return oldest;
}

/* NULL: it cannot be recorded. */
static fsr_replay *record(const fsr_execution *x) {
    const fsr_backend_ops *ops = x->ctx->backend->ops;
    fsr_fault fault = {FSR_OK, NULL}, ignored = {FSR_OK, NULL};
    fsr_execution recorded = *x;
    fsr_replay *replay = NULL;
    fsr_status status = ops->replay_begin(x->ctx->backend, &recorded.stream, &fault);
    if (!status) {
        status = fsr_execution_thunks(&recorded, 0, x->program->nthunks, &fault);
        const fsr_status ended = ops->replay_end(x->ctx->backend, &replay, status ? &ignored : &fault);
        if (status && !ended)
            ops->replay_drop(x->ctx->backend, replay);
        status = status ? status : ended;
    }
    if (status)
        fsr_context_log(x->ctx, FSR_LOG_INFO, "a plan stays apart: %s", fault.message ? fault.message : "");
    fsr_fault_clear(&fault);
    fsr_fault_clear(&ignored);
    return status ? NULL : replay;
}

fsr_status fsr_replays_run(const fsr_execution *x, fsr_replays **all, fsr_fault *fault) {
    const int n = x->program->nthunks;
    if (!x->ctx->backend->ops->replay || !x->ctx->config.graphs || x->ms)
        return fsr_execution_thunks(x, 0, n, fault);
    if ((!*all && !(*all = replays_new(x))) || (*all)->never)
        return fsr_execution_thunks(x, 0, n, fault);
    fsr_replays *r = *all;
    write_key(x, r);
    known *k = find(x->ctx->backend, r);
    ++r->runs;
    if (k && k->replay && !x->ctx->backend->ops->replay_stands(x->ctx->backend, k->replay))
        forget(x->ctx->backend, r, k);
    if (k && k->used && !k->replay && r->runs >= r->next && !(k->replay = record(x)))
        put_off(r);
    if (k)
        k->used = r->runs;
    if (!k || !k->replay)
        return fsr_execution_thunks(x, 0, n, fault);
    if (++k->launches == WORTH)
        r->failures = 0;
    return x->ctx->backend->ops->replay(x->ctx->backend, k->replay, x->stream, fault);
}
