/* SPDX-License-Identifier: MIT */
/* Measuring schedules of a plan's kernels (fusor/tune.h).
 *
 * Kernel after kernel; the others keep what they have. Each schedule is run with the program's own arguments, one run
 * to warm up and to compare the results' bytes, over outputs that are wrong everywhere: an element that the schedule
 * leaves unwritten would otherwise still be right, of the run before. Then some to time: the least time counts, as
 * what disturbs a run only makes it longer. What other fields add to the fastest is tried next, beside new times of it
 * and of the rules' schedule, until nothing is gained: blocks of more threads may pay only with fewer elements each.
 * The winner is then measured once more against the rules' schedule, turn by turn. Counter-example to taking the
 * winner of the first round: of two dozen equal schedules one is always the fastest by luck.
 *
 * What was found lies in the disk cache, under the device, its compiler, the kernel's text and its sizes: fields, or
 * nothing where the rules' schedule is the best. It is compared once when it is found there. Of a kernel that the
 * program's arguments do not run (a loop of no turn) nothing is found, nor kept. */
#include "fusion/schedule_edit.h"
#include "fusor/tune.h"
#include "graph/floats.h"
#include "graph/sized.h"
#include "runtime/array.h"
#include "runtime/disk_cache.h"
#include "runtime/plan_parts.h"
#include "runtime/text.h"
#include "runtime/tuned.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RUNS = 4, TURNS = 5, LONG_MS = 100, GENERATION = 2 };
static const double WORTH = 0.97;

typedef struct tuner {
    fsr_plan *plan;
    const fsr_arg *in, *out;
    int nin, nout;
    double *ms;              /* of each thunk, of the last run */
    unsigned char *expected; /* the outputs' bytes, one after the other */
    unsigned char *got;      /* room for one */
    fsr_disk_cache *disk;
    fsr_tune_report report;
    bool shows;
    int all; /* kernels */
} tuner;

static const fsr_program *program_of(const tuner *t) {
    return &t->plan->prepared->executable->program;
}

/* ---- runs ------------------------------------------------------------------------------------------------------ */

static fsr_status run(tuner *t) {
    t->plan->measured = t->ms;
    const fsr_status status = fsr_plan_run(t->plan, t->in, t->nin, t->out, t->nout, NULL);
    t->plan->measured = NULL;
    return status;
}

/* Output i's bytes, on the host. */
static const unsigned char *bytes_of(tuner *t, int i, fsr_fault *fault) {
    fsr_context *ctx = t->plan->ctx;
    if (!ctx->target.gpu || t->out[i].place == FSR_HOST)
        return t->out[i].data;
    return ctx->backend->ops->copy_out(ctx->backend, t->got, t->out[i].data, (int64_t)t->out[i].bytes, NULL, fault)
               ? NULL
               : t->got;
}

/* Keeps the results, or compares them with those that were kept. */
static fsr_status results(tuner *t, bool keep, bool *same, fsr_fault *fault) {
    unsigned char *at = t->expected;
    *same = true;
    for (int i = 0; i < t->nout; at += t->out[i++].bytes) {
        const unsigned char *bytes = t->out[i].bytes ? bytes_of(t, i, fault) : at;
        if (!bytes)
            return fault->status;
        if (keep && t->out[i].bytes)
            memcpy(at, bytes, t->out[i].bytes);
        *same = *same && (!t->out[i].bytes || memcmp(at, bytes, t->out[i].bytes) == 0);
    }
    return FSR_OK;
}

/* Makes every byte of the outputs another than the one expected. */
static fsr_status spoil(tuner *t, fsr_fault *fault) {
    fsr_context *ctx = t->plan->ctx;
    fsr_status status = FSR_OK;
    const unsigned char *at = t->expected;
    for (int i = 0; i < t->nout && !status; at += t->out[i++].bytes) {
        const bool here = !ctx->target.gpu || t->out[i].place == FSR_HOST;
        unsigned char *to = here ? t->out[i].data : t->got;
        for (size_t k = 0; k < t->out[i].bytes; k++)
            to[k] = (unsigned char)~at[k];
        if (!here && t->out[i].bytes)
            status =
                ctx->backend->ops->copy_in(ctx->backend, t->out[i].data, to, (int64_t)t->out[i].bytes, NULL, fault);
    }
    return status;
}

/* The least time of a thunk in some runs; negative: it did not run. */
static fsr_status measure(tuner *t, int thunk, int runs, double *least) {
    fsr_status status = FSR_OK;
    *least = -1;
    for (int i = 0; i < runs && !status; i++) {
        status = run(t);
        if (!status && (*least < 0 || t->ms[thunk] < *least))
            *least = t->ms[thunk];
    }
    return status;
}

/* ---- what is known ----------------------------------------------------------------------------------------------- */

/* data NULL: out of memory. */
static char *key_of(const tuner *t, int thunk, size_t *size) {
    const fsr_thunk *at = &program_of(t)->thunk[thunk];
    fsr_context *ctx = t->plan->ctx;
    fsr_backend_facts facts;
    char *text = NULL;
    FILE *to = open_memstream(&text, size);
    if (!to)
        return NULL;
    ctx->backend->ops->facts(ctx->backend, &facts);
    fprintf(to, "fusor schedule %d\n%s\n%s\n%s\n%d threads\noptimize %d\n", GENERATION, fsr_device_name(ctx), facts.isa,
            facts.compiler, facts.threads, ctx->config.optimize);
    for (int i = 0; i < at->kernel->nints; i++)
        fprintf(to, "%lld ", (long long)at->kernel->integer[i]);
    fputc('\n', to);
    fsr_kernel_print(at->kernel, to);
    if (fclose(to) == 0)
        return text;
    free(text);
    return NULL;
}

/* What another run has found for the thunk, malloc'ed; NULL: nothing. */
static char *recall(const tuner *t, const char *key, size_t size) {
    size_t n = 0;
    char *text = fsr_disk_cache_get(t->disk, key, size, &n);
    if (text && (n == 0 || n > FSR_TUNE_BYTES || text[n - 1] != 0)) {
        free(text);
        text = NULL;
    }
    return text;
}

static void remember(const tuner *t, const char *key, size_t size, const char *fields) {
    fsr_fault ignored = {FSR_OK, NULL};
    fsr_disk_cache_put(t->disk, key, size, fields, strlen(fields) + 1, &ignored);
    fsr_fault_clear(&ignored);
}

/* ---- one kernel -------------------------------------------------------------------------------------------------- */

static void show(const tuner *t, int tried) {
    if (!t->shows)
        return;
    fprintf(stderr, "\r\033[Kautotune: kernel %d of %d, schedule %d of %d at most", t->report.kernels, t->all,
            tried + 1, FSR_MOST_TUNES);
    fflush(stderr);
}

typedef enum outcome { REFUSED, DIFFERS, SAME } outcome;

/* Gives the thunk other fields, and runs it once: whether results have the same bits. */
static fsr_status prove(tuner *t, int thunk, const char *fields, outcome *out) {
    fsr_fault fault = {FSR_OK, NULL};
    bool same = false;
    *out = REFUSED;
    fsr_status status = fsr_plan_tune(t->plan, thunk, fields, &fault);
    if (!status) {
        status = spoil(t, &fault);
        if (status)
            return fsr_context_take(t->plan->ctx, &fault);
        status = run(t);
    }
    if (status) {
        fsr_fault_clear(&fault);
        t->report.refused++;
        return status == FSR_ERR_MEMORY ? fsr_context_fail(t->plan->ctx, status, "autotune: out of memory") : FSR_OK;
    }
    status = results(t, false, &same, &fault);
    if (status)
        return fsr_context_take(t->plan->ctx, &fault);
    t->report.differing += !same;
    *out = same ? SAME : DIFFERS;
    return FSR_OK;
}

/* The time with other fields; negative: that cannot be run, or gives other bits. */
static fsr_status try(tuner *t, int thunk, const char *fields, int runs, double *ms) {
    outcome out;
    *ms = -1;
    const fsr_status status = prove(t, thunk, fields, &out);
    t->report.schedules += out != REFUSED;
    return !status && out == SAME ? measure(t, thunk, runs, ms) : status;
}

/* The rules' schedule and another one, turn by turn. */
static fsr_status compare(tuner *t, int thunk, const char *fields, double *plain, double *other) {
    fsr_status status = FSR_OK;
    *plain = *other = -1;
    for (int turn = 0; turn < 2 * TURNS && !status; turn++) {
        fsr_fault fault = {FSR_OK, NULL};
        double *least = turn % 2 ? other : plain, ms = 0;
        status = fsr_plan_tune(t->plan, thunk, turn % 2 ? fields : "", &fault);
        if (status)
            return fsr_context_take(t->plan->ctx, &fault);
        status = run(t); /* what was in caches is there again */
        status = status ? status : measure(t, thunk, 1, &ms);
        *least = *least < 0 || ms < *least ? ms : *least;
    }
    return status;
}

/* What a round's schedules are compared with, measured when it begins: the rules' schedule, and the best so far.
 * Counter-example to times of the round before: a device's clock has moved, and all that is tried seems faster. */
static fsr_status measure_base(tuner *t, int thunk, const char *best, double *plain, double *least) {
    const int runs = *plain > LONG_MS ? 1 : RUNS;
    fsr_status status = FSR_OK;
    for (int k = 0; k < (best[0] ? 2 : 1) && !status; k++) {
        fsr_fault fault = {FSR_OK, NULL};
        if (fsr_plan_tune(t->plan, thunk, k ? best : "", &fault))
            return fsr_context_take(t->plan->ctx, &fault);
        status = run(t); /* as each that is tried runs once before */
        status = status ? status : measure(t, thunk, runs, k ? least : plain);
    }
    *least = best[0] ? *least : *plain;
    return status;
}

/* Tries what may be faster than `best` and has its fields, a round, which leaves a third of the tries that there are to
 * later ones; *best and *least are the fastest then. */
static fsr_status improve(tuner *t, int thunk, int *tried, double plain, double *least, char best[FSR_TUNE_BYTES]) {
    char tunes[FSR_MOST_TUNES][FSR_TUNE_BYTES];
    const int n = fsr_schedule_tunes(program_of(t)->thunk[thunk].kernel, best, tunes);
    fsr_status status = FSR_OK;
    double ms;
    const int left = FSR_MOST_TUNES - *tried, most = left - left / 3;
    for (int i = 0; i < n && i < most && !status; i++, (*tried)++) {
        show(t, *tried);
        status = try(t, thunk, tunes[i], plain > LONG_MS ? 1 : RUNS, &ms);
        if (!status && ms >= 0 && ms < WORTH * plain && ms < *least) {
            *least = ms;
            memcpy(best, tunes[i], sizeof tunes[i]);
        }
    }
    return status;
}

/* Finds the best fields, "" where the rules' are; *ran: false of a kernel that the arguments do not run. */
static fsr_status choose(tuner *t, int thunk, char best[FSR_TUNE_BYTES], bool *ran) {
    double plain, least = 0, before, other;
    int tried = 0;
    best[0] = 0;
    fsr_status status = measure(t, thunk, 1, &plain);
    *ran = plain >= 0;
    if (!*ran)
        return status;
    do {
        status = status ? status : measure_base(t, thunk, best, &plain, &least);
        before = least;
        status = status ? status : improve(t, thunk, &tried, plain, &least, best);
    } while (!status && least < before && tried < FSR_MOST_TUNES);
    other = plain;
    if (!status && best[0]) {
        status = compare(t, thunk, best, &plain, &other);
        if (!(other < WORTH * plain)) {
            best[0] = 0;
            other = plain;
        }
    }
    t->report.ms_before += plain;
    t->report.ms_after += other;
    return status;
}

static fsr_status settle(tuner *t, int thunk, const char *fields) {
    fsr_fault fault = {FSR_OK, NULL};
    const fsr_status status = fsr_plan_tune(t->plan, thunk, fields, &fault);
    t->report.changed += !status && fields[0];
    return status ? fsr_context_take(t->plan->ctx, &fault) : FSR_OK;
}

/* *good: the thunk has the fields, found on disk, and gives the same bits. */
static fsr_status take_known(tuner *t, int thunk, const char *fields, bool *good) {
    outcome out = SAME; /* the rules' */
    const fsr_status status = fields[0] ? prove(t, thunk, fields, &out) : FSR_OK;
    *good = !status && out == SAME;
    t->report.known += *good;
    t->report.changed += *good && fields[0];
    return status;
}

static fsr_status tune(tuner *t, int thunk) {
    char best[FSR_TUNE_BYTES];
    size_t size;
    bool good = false, ran = false;
    t->report.kernels++;
    char *key = key_of(t, thunk, &size);
    if (!key)
        return fsr_context_fail(t->plan->ctx, FSR_ERR_MEMORY, "autotune: out of memory");
    char *known = recall(t, key, size);
    fsr_status status = known ? take_known(t, thunk, known, &good) : FSR_OK;
    if (!good) {
        fsr_status settled = settle(t, thunk, ""); /* what is known may be refused, or differ */
        status = status ? status : settled;
        status = status ? status : choose(t, thunk, best, &ran);
        settled = settle(t, thunk, status ? "" : best);
        status = status ? status : settled;
        if (!status && ran)
            remember(t, key, size, best);
    }
    free(known);
    free(key);
    return status;
}

/* ---- a plan ------------------------------------------------------------------------------------------------------ */

static bool is_tuned(const fsr_thunk *thunk) {
    return thunk->kernel && !thunk->nothing;
}

/* For the outputs' bytes, whose numbers a run has looked at. */
static fsr_status make_room(tuner *t) {
    size_t all = 1, most = 1;
    for (int i = 0; i < t->nout; i++) {
        if (t->out[i].bytes > SIZE_MAX / 2 - all)
            return fsr_context_fail(t->plan->ctx, FSR_ERR_MEMORY, "autotune: out of memory");
        all += t->out[i].bytes;
        most = t->out[i].bytes > most ? t->out[i].bytes : most;
    }
    t->expected = malloc(all);
    t->got = malloc(most);
    return t->expected && t->got ? FSR_OK : fsr_context_fail(t->plan->ctx, FSR_ERR_MEMORY, "autotune: out of memory");
}

/* The first run looks at the arguments: what is wrong with them leaves the plan the schedules it has. */
static fsr_status tune_all(tuner *t) {
    const fsr_program *program = program_of(t);
    fsr_fault fault = {FSR_OK, NULL};
    bool same;
    fsr_status status = run(t);
    status = status ? status : make_room(t);
    for (int i = 0; i < program->nthunks && !status; i++) {
        t->all += is_tuned(&program->thunk[i]);
        if (t->plan->tuned && fsr_plan_tune(t->plan, i, "", &fault))
            status = fsr_context_take(t->plan->ctx, &fault);
    }
    status = status ? status : run(t);
    if (!status && results(t, true, &same, &fault))
        status = fsr_context_take(t->plan->ctx, &fault);
    for (int i = 0; i < program->nthunks && !status; i++)
        if (is_tuned(&program->thunk[i]))
            status = tune(t, i);
    return status ? status : run(t);
}

static fsr_status check(const fsr_plan *plan, const fsr_arg *outputs, int noutputs, size_t size) {
    static const char what[] = "autotune";
    if (noutputs != plan->nouts || (noutputs && !outputs))
        return fsr_context_fail(plan->ctx, outputs || !noutputs ? FSR_ERR_VALUE : FSR_ERR_NULL,
                                "%s: %d outputs given, the plan has %d", what, noutputs, plan->nouts);
    if (plan->gift)
        return fsr_context_fail(plan->ctx, FSR_ERR_UNSUPPORTED, "%s: runs of this plan may overwrite their inputs",
                                what);
    if (size < sizeof(int) || size > FSR_SIZED_MOST)
        return fsr_context_fail(plan->ctx, FSR_ERR_VALUE, "%s: the report %s", what, fsr_sized_words(FSR_ERR_VALUE));
    return FSR_OK;
}

fsr_status fsr_autotune_sized(size_t size, fsr_plan *plan, const fsr_arg *inputs, int ninputs, const fsr_arg *outputs,
                              int noutputs, fsr_tune_report *report) {
    FSR_DEFAULT_FLOATS;
    if (!plan)
        return fsr_context_fail(NULL, FSR_ERR_NULL, "autotune: the plan is null");
    fsr_status status = fsr_context_check(plan->ctx);
    if (!status)
        status = check(plan, outputs, noutputs, size);
    if (status)
        return status;
    fsr_context *ctx = plan->ctx;
    fsr_fault fault = {FSR_OK, NULL};
    tuner t = {.plan = plan, .in = inputs, .nin = ninputs, .out = outputs, .nout = noutputs};
    t.shows = ctx->config.log_level > 0 && isatty(STDERR_FILENO);
    fsr_disk_cache_open(ctx->config.cache_dir, (int64_t)ctx->config.cache_mb << 20, &t.disk, &fault);
    fsr_fault_clear(&fault);
    t.ms = calloc((size_t)program_of(&t)->nthunks + 1, sizeof *t.ms);
    status = t.ms ? tune_all(&t) : fsr_context_fail(ctx, FSR_ERR_MEMORY, "autotune: out of memory");
    if (t.shows)
        fputs("\r\033[K", stderr);
    fsr_disk_cache_close(t.disk);
    free(t.ms);
    free(t.expected);
    free(t.got);
    if (!status && report)
        status = fsr_sized_out(report, size, &t.report, sizeof t.report);
    return status;
}
