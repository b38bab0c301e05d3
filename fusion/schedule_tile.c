/* SPDX-License-Identifier: MIT */
/* The last part of a GPU's schedule: what its kernel's registers allow.
 *
 * Accumulators: a thread folds its elements into several states in turn, so that no combine waits for the one before;
 * four hide its latency. Loops for each element are functions where a thread has several elements: unrolled into each
 * of them, the program would be as many times as long.
 *
 * Residents: blocks that a multiprocessor shall hold at once, which bounds a thread's registers. Teams wait for each
 * other, so that two a multiprocessor is what all their launches count on (schedule_gpu.c). Blocks of a look-back that
 * wait must leave room for blocks that load: 1024 threads at 64 registers, unless those do not suffice. Left to itself,
 * ptxas takes 72 registers for a running sum of 32 elements a thread: one block of 512. Loads of several arrays are
 * combined as they arrive: measured, the sum of a product with 64 words of loads is faster at two blocks too (0.464
 * against 0.597 ms). A narrow sum of 32 elements holds 48 words and spills 11 of them while it looks back. A pooled
 * filter's threads hold nothing while they wait; half of 2^27 f32 with one block of 512 a multiprocessor (111
 * registers, not pooled) 0.468 ms, with two 0.373, with three 0.321.
 *
 * Rows that are scanned by narrow folds: left to itself, ptxas gives a thread of 16 elements 48 registers and puts its
 * last loads behind the first shuffles. Measured on one H200, running sums of 4096 rows of 4096: 0.0412 ms, with four
 * blocks of 256, 58 registers and all loads first 0.0391; of 16384 rows 0.1376, 0.1346.
 *
 * Counts: a variance takes (1, x, 0) of each element, and divides by how many it has; of a thread all of whose columns
 * are there that is 1, 2, 3 .., each of which NVRTC knows. As it was, each element's own branch about the row's end
 * stood between: an element of a long row took 33 instructions, and takes 13.
 *
 * Parked: with 28 elements of each thread in shared memory three blocks of 512 threads have room. Measured on one H200,
 * texts by hand of cumsum and map_scan_map of 2^27: 0.317, 0.432 ms; with 20 of 28 there 0.348, 0.460; with none, two
 * blocks, 0.393, 0.538. All or none, so. */
#include "fusion/filter.h"
#include "fusion/interval.h"
#include "fusion/ring.h"
#include "fusion/schedule_parts.h"
#include "fusion/target.h"
#include "fusion/tile.h"

enum {
    ACCUMULATORS = 4,
    RESIDENT_THREADS = 1024,
    POOLED_THREADS = 1536,
    STREAM_THREADS = 1536, /* of loops that gather: 40 registers, for all loads of a turn at once */
    WORDS_POOLED = 28,     /* of a thread whose tile is pooled, loads with them: so many of it have 42 registers */
    WORDS_FRONT = 36,      /* the same of blocks of 256 threads, which have room for 28 elements each */
    WORK_POOLED = 16,      /* of an element, roughly */
    WORK_COUNTS = 64,      /* the same of one whose folds stand twice */
    WORDS_WAITING = 44,    /* of a thread that waits for its neighbours */
    WORDS_NARROW = 48,     /* the same where a fold is narrow */
    WORDS_BESIDE = 16,     /* less, of rows side by side: where each has its board */
    WORDS_LARGE = 72,      /* of a thread of which there are half as many */
    WORDS_PARKED = 24,     /* the same of one whose elements wait in shared memory: 40 registers */
    WORDS_PARKED_LOADS = 56,
    WORDS_LOADING = 72, /* while loads arrive */
    WORDS_ROW = 34,     /* of a thread of a row's narrow scan, */
    ITEMS_ROW = 16      /* which has so many elements */
};

void fsr_tile_pass_make(const fsr_kernel *k, int pass, fsr_tile_pass *out) {
    out->n = fsr_kernel_pass_body(k, pass, out->loop);
    out->nstages = fsr_kernel_stages(k, pass, out->stage);
}

int fsr_tile_fold_stage(const fsr_kernel *k, const fsr_tile_pass *pass, int f) {
    int at = 0;
    while (at < pass->n - 1 &&
           !(k->inst[pass->loop[at]].kind == FSR_INST_COMBINE && k->inst[pass->loop[at]].index == f))
        at++;
    return pass->stage[pass->loop[at]];
}

bool fsr_tile_writes_again(const fsr_kernel *k, int v) {
    const fsr_inst *inst = &k->inst[v];
    int symbol[FSR_MAX_ARGUMENTS];
    bool cheap = inst->kind == FSR_INST_CONST || inst->kind == FSR_INST_PARAM || inst->kind == FSR_INST_INDEX ||
                 (inst->kind == FSR_INST_GUARD && fsr_inst_arguments(k, v, symbol) == 0);
    return cheap && !k->stand[v].keep;
}

/* A stage after value v's own reads it. */
static bool reads_later(const fsr_kernel *k, const fsr_tile_pass *pass, int v) {
    for (int i = 0; i < pass->n; ++i)
        if (pass->stage[pass->loop[i]] > pass->stage[v] && fsr_inst_reads(k, pass->loop[i], v))
            return true;
    return false;
}

bool fsr_tile_pools_early(const fsr_kernel *k, const fsr_tile_pass *pass, int v) {
    const fsr_inst *store = &k->inst[v];
    return k->schedule.pooled && store->filter && pass->stage[store->arg[0]] < pass->stage[store->arg[2]] &&
           pass->stage[store->arg[1]] < pass->stage[store->arg[2]];
}

/* Store v goes to the pool early, to the places that fold f counts. */
static bool counted_by(const fsr_kernel *k, const fsr_tile_pass *pass, int v, int f) {
    return fsr_tile_pools_early(k, pass, v) && fsr_counting_fold(k, &k->inst[v]) == f;
}

int fsr_tile_counts(const fsr_kernel *k, const fsr_tile_pass *pass, int stage) {
    const fsr_fold_list chain = fsr_kernel_chain(k, 0, pass->stage, stage);
    int first = -1;
    if (chain.n != 1)
        return -1;
    for (int i = 0; i < k->ninsts; i++) {
        if (!fsr_picks_fold(k, &k->inst[i]) || k->inst[i].index != chain.fold[0])
            continue;
        for (int user = i + 1; user < k->ninsts; user++) {
            if (!fsr_inst_reads(k, user, i))
                continue;
            if (!counted_by(k, pass, user, chain.fold[0]))
                return -1;
            first = first < 0 ? user : first;
        }
    }
    return first;
}

bool fsr_tile_holds(const fsr_kernel *k, const fsr_tile_pass *pass, int v) {
    const fsr_inst *inst = &k->inst[v];
    return (inst->kind == FSR_INST_LOAD && !fsr_inst_is_late(k, v)) || k->stand[v].keep ||
           (!fsr_tile_writes_again(k, v) && reads_later(k, pass, v));
}

static int words(int64_t bytes) {
    return (int)((bytes + 3) / 4);
}

/* A stage after value v's own reads it behind the wait for other tiles. */
static bool outlasts(const fsr_kernel *k, const fsr_tile_pass *pass, int v) {
    for (int i = 0; i < pass->n; ++i)
        if (pass->stage[pass->loop[i]] > pass->stage[v] && fsr_inst_reads(k, pass->loop[i], v) &&
            !fsr_tile_pools_early(k, pass, pass->loop[i]))
            return true;
    return false;
}

/* Some element of a chain's scans is asked for: not only, by pooled stores, where a thread's elements begin. */
static bool gives_elements(const fsr_kernel *k, const fsr_fold_list *chain) {
    for (int i = 0; i < k->ninsts; ++i) {
        bool of_chain = false;
        for (int c = 0; c < chain->n; ++c)
            of_chain = of_chain || (fsr_picks_fold(k, &k->inst[i]) && k->inst[i].index == chain->fold[c]);
        for (int user = i + 1; of_chain && user < k->ninsts; ++user)
            if (fsr_inst_reads(k, user, i) && !(k->schedule.pooled && k->inst[user].filter))
                return true;
    }
    return false;
}

/* Registers that a thread of a look-back tile holds while loads arrive (*loads) and while it waits. */
static int held_words(const fsr_kernel *k, int *loads) {
    fsr_tile_pass pass;
    const int items = k->schedule.items, steps = k->schedule.abreast > 1 ? 1 : items / k->schedule.vector;
    int waiting = 0;
    fsr_tile_pass_make(k, 0, &pass);
    *loads = 0;
    for (int i = 0; i < pass.n; ++i) {
        const int v = pass.loop[i];
        const int own = items * words((int64_t)fsr_dtype_size(k->inst[v].dtype));
        const bool load = k->inst[v].kind == FSR_INST_LOAD && !fsr_inst_is_late(k, v);
        *loads += load ? own : 0;
        const bool held = load ? outlasts(k, &pass, v) : fsr_tile_holds(k, &pass, v) && outlasts(k, &pass, v);
        waiting += held ? own : 0;
    }
    for (int s = 0; s < pass.nstages; ++s) {
        fsr_fold_list chain = fsr_kernel_chain(k, 0, pass.stage, s);
        if (chain.n)
            waiting += (gives_elements(k, &chain) ? items * words(fsr_fold_list_element_bytes(k, &chain)) : 0) +
                       steps * words(fsr_fold_list_bytes(k, &chain));
    }
    return waiting;
}

static int element_work(const fsr_kernel *k) {
    int work = 0;
    for (int i = 0; i < k->ninsts; ++i)
        work += k->stand[i].level == FSR_ELEM ? fsr_inst_cost(k, i) : 0;
    return work;
}

/* All vectors of a thread's scanned elements, where that leaves it WORDS_PARKED words while it waits; 0: they stay. */
static int parked_vectors(const fsr_kernel *k) {
    int loads;
    const int waiting = held_words(k, &loads), all = k->schedule.items / k->schedule.vector;
    if (!fsr_kernel_may_park(k, all) || waiting <= WORDS_PARKED || k->nloops)
        return 0;
    return waiting - all * words(fsr_kernel_vector_bytes(k)) <= WORDS_PARKED && loads <= WORDS_PARKED_LOADS ? all : 0;
}

/* Where registers are not enough for all of them, small blocks of rows side by side are as many threads as a large one
 * is: which wait for their neighbours as long as large ones do, and had one block that took what registers it liked.
 * Counter-example to that: a running sum down three columns and what is made of it, 166 registers a thread and three
 * blocks of 128 on a multiprocessor, four of 126. */
static int beside_residents(const fsr_kernel *k, int waiting) {
    const int threads = k->schedule.threads, large = RESIDENT_THREADS / 2;
    return k->schedule.abreast > 1 && threads < large && waiting <= WORDS_LARGE ? large / threads : 1;
}

static int lookback_residents(const fsr_kernel *k) {
    int loads, waiting = held_words(k, &loads), threads = k->schedule.threads, most = WORDS_WAITING;
    if (k->schedule.slots)
        return 1;
    if (k->schedule.parked)
        return POOLED_THREADS / threads;
    for (int f = 0; f < k->nfolds; ++f)
        most = k->fold[f].narrow ? WORDS_NARROW : most;
    most -= k->schedule.abreast > 1 ? WORDS_BESIDE : 0;
    if (k->schedule.pooled && waiting + loads <= (threads < RESIDENT_THREADS / 2 ? WORDS_FRONT : WORDS_POOLED) &&
        element_work(k) <= WORK_POOLED && !k->nloops)
        return POOLED_THREADS / threads;
    const bool all = threads < RESIDENT_THREADS && waiting <= most && loads <= WORDS_LOADING;
    return all ? RESIDENT_THREADS / threads : beside_residents(k, waiting);
}

/* Literals, beside what is folded of the element. */
static bool takes_literals(const fsr_kernel *k, const fsr_fold *f) {
    bool any = false;
    for (int i = 0; i < f->combine->arity; ++i)
        any = any || k->inst[f->input[i]].kind == FSR_INST_CONST;
    return any && f->kind == FSR_FOLD_REDUCE && f->combine->commutative && f->combine->arity > 1;
}

bool fsr_kernel_may_count(const fsr_kernel *k) {
    const fsr_schedule_kind kind = k->schedule.kind;
    bool any = false;
    for (int f = 0; f < k->nfolds; ++f)
        any = any || takes_literals(k, &k->fold[f]);
    return any && k->nloops == 0 && element_work(k) <= WORK_COUNTS &&
           (kind == FSR_SCHEDULE_ROW || kind == FSR_SCHEDULE_SPLIT || kind == FSR_SCHEDULE_TEAM);
}

static bool has_narrow_scan(const fsr_kernel *k) {
    for (int f = 0; f < k->nfolds; ++f)
        if (k->fold[f].narrow)
            return true;
    return false;
}

static int row_residents(const fsr_kernel *k) {
    int loads;
    const fsr_schedule *s = &k->schedule;
    const bool held = s->persistent && k->npasses == 1 && s->items == ITEMS_ROW && s->threads < RESIDENT_THREADS;
    const bool fits = held && has_narrow_scan(k) && held_words(k, &loads) <= WORDS_ROW && loads <= ITEMS_ROW;
    if (s->streams && s->threads < RESIDENT_THREADS)
        return STREAM_THREADS / s->threads;
    return fits ? RESIDENT_THREADS / s->threads : 0;
}

void fsr_finish_gpu(fsr_kernel *k) {
    fsr_schedule *s = &k->schedule;
    for (int i = 0; i < k->ninsts; i++) {
        k->inst[i].tame = fsr_value_is_tame(k, i);
        k->inst[i].odd = !k->inst[i].tame && fsr_value_is_by_odd(k, i);
    }
    s->accumulators = k->nfolds == 0 ? 0 : s->tall ? 1 : s->items < ACCUMULATORS ? s->items : ACCUMULATORS;
    s->outlined = k->nloops > 0 && s->items > 1;
    fsr_finish_gpu_versions(k);
    s->pooled = fsr_kernel_may_pool(k);
    s->riding = fsr_reductions_ride(k);
    fsr_finish_ring(k);
    s->counts = fsr_kernel_may_count(k);
    s->parked = s->kind == FSR_SCHEDULE_LOOKBACK ? parked_vectors(k) : 0;
    s->resident = s->kind == FSR_SCHEDULE_TEAM       ? FSR_TEAM_RESIDENTS
                  : s->kind == FSR_SCHEDULE_LOOKBACK ? lookback_residents(k)
                  : s->ranges                        ? s->resident
                  : s->kind == FSR_SCHEDULE_ROW      ? row_residents(k)
                                                     : 0;
}
