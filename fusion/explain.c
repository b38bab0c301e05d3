/* SPDX-License-Identifier: MIT */
/* The plan in words: kernels with the lines that recorded them, their domain, schedule and arrays, then every edge that
 * was not fused, with the reason. */
#include "fusion/explain.h"
#include "fusion/filter.h"
#include "fusion/literals.h"
#include "fusion/loop_plan.h"
#include "fusion/nest.h"
#include "fusion/pairs.h"
#include "graph/print.h"
#include <stdlib.h>
#include <string.h>

/* A schedule on a GPU, what `group` counts there, and the same schedule on a CPU, which has three. */
static const struct {
    const char *gpu, *group, *cpu;
} schedule_words[] = {[FSR_SCHEDULE_MAP] = {"elementwise", "of them a row", "elementwise"},
                      [FSR_SCHEDULE_ROW] = {"several threads a row", "of them a row", "row by row"},
                      [FSR_SCHEDULE_SPLIT] = {"several blocks a row, the last one finishes", "of them a row", NULL},
                      [FSR_SCHEDULE_COL] = {"adjacent threads on adjacent columns", "of them along the rows",
                                            "adjacent rows in the inner loop"},
                      [FSR_SCHEDULE_LOOKBACK] = {"tiles with look-back", "rows a block", NULL},
                      [FSR_SCHEDULE_TEAM] = {"teams of resident blocks that meet after each pass", "teams", NULL}};

static void explain_schedule(const fsr_thunk *thunk, FILE *to) {
    const fsr_schedule *s = &thunk->kernel->schedule;
    if (s->target == FSR_TARGET_CPU)
        fsr_fput(to, "    schedule: %s; %d lanes, chunks of %d\n", schedule_words[s->kind].cpu, s->lanes, s->chunk);
    else
        fsr_fput(
            to,
            "    schedule: %s; %s index; %lld blocks of %d threads, %d %s, %d elements a thread in vectors of %d%s%s\n",
            schedule_words[s->kind].gpu, s->wide ? "64-bit" : "32-bit", (long long)thunk->blocks, s->threads,
            s->abreast, schedule_words[s->kind].group, s->items, s->vector,
            s->persistent ? ", the row held in registers" : "", s->dealt ? ", columns in turn" : "");
    fputs("    as text: ", to);
    fsr_schedule_print(thunk->kernel, to);
    fputc('\n', to);
    fsr_walks_print(thunk->kernel, "             ", to);
}

static void write_slot(fsr_slot slot, FILE *to) {
    static const char *const word[] = {"leaf", "output", "temporary", "report", "band"};
    fsr_fput(to, "%s%d", word[slot.kind], slot.ordinal);
}

static void explain_copy(const fsr_thunk *thunk, FILE *to) {
    fputs("copy: ", to);
    write_slot(thunk->use[0].slot, to);
    fputs(" is also ", to);
    write_slot(thunk->use[1].slot, to);
    fsr_fput(to, ", %lld bytes\n", (long long)thunk->use[1].bytes);
}

static void explain_arrays(const fsr_thunk *thunk, int n, FILE *to) {
    fputs("    arrays:", to);
    for (int a = 0; a < n; ++a) {
        fsr_fput(to, "%s %s ", a ? "," : "", thunk->use[a].written ? "writes" : "reads");
        write_slot(thunk->use[a].slot, to);
    }
}

static void explain_call(const fsr_thunk *thunk, const fsr_flow *flow, FILE *to) {
    const bool works = thunk->call->work_bytes > 0;
    fsr_fput(to, "library call: %s\n", fsr_library_call_name(thunk->call));
    fsr_explain_lines(flow, &thunk->call->node, 1, to);
    explain_arrays(thunk, thunk->nuses - works, to);
    fsr_fput(to, "\n    workspace: %lld bytes\n    bytes moved: at least %lld\n", (long long)thunk->call->work_bytes,
             (long long)thunk->bytes_moved);
}

/* A line of an explanation within another one. */
static void explain_inside(const char *head, const char *text, FILE *to) {
    fsr_fput(to, "    %s:\n", head);
    for (const char *end; *text; text = *end ? end + 1 : end) {
        end = strchr(text, '\n');
        end = end ? end : text + strlen(text);
        fsr_fput(to, "      %.*s\n", (int)(end - text), text);
    }
}

/* The kernels that its body has are numbered by themselves. */
static void explain_loop(const fsr_program *program, const fsr_thunk *thunk, FILE *to) {
    const fsr_loop_plan *loop = thunk->loop;
    fputs("loop: ", to);
    if (loop->form.count < 0)
        fputs("as many turns as the run says", to);
    else
        fsr_fput(to, "%s%lld turn%s", loop->form.conditional ? "at most " : "", (long long)loop->form.count,
                 loop->form.count == 1 ? "" : "s");
    if (loop->form.conditional && loop->batch > 1)
        fsr_fput(to, ", a condition looked at after every %d", loop->batch);
    else if (loop->form.conditional)
        fputs(", a condition looked at after each", to);
    fputc('\n', to);
    explain_arrays(thunk, thunk->nuses, to);
    fputc('\n', to);
    if (fsr_loop_is_kernel(program, thunk))
        fputs("    all turns are one launch of the turn's kernel, by one block that repeats it\n", to);
    if (fsr_loop_is_kernel(program, thunk) && fsr_loop_lasts(thunk))
        fsr_fput(to, "    last states copied behind it: %d\n", fsr_loop_lasts(thunk));
    for (int i = 0; i < loop->form.nstate; ++i)
        if (loop->updated >> i & 1)
            fsr_fput(to, "    state %d stays in place: its copy below is left out\n", i);
    if (fsr_loop_copies(loop, thunk->present))
        fsr_fput(to, "    slices copied in each turn, which reads or writes them at other addresses: %d\n",
                 fsr_loop_copies(loop, thunk->present));
    if (loop->form.conditional)
        explain_inside("before the first turn", loop->first.program.explanation, to);
    explain_inside("a turn", loop->turn.program.explanation, to);
}

/* The i-th kernel. */
static void explain_tiles(const fsr_kernel *k, FILE *to) {
    const fsr_schedule *s = &k->schedule;
    bool beyond = false;
    fsr_fput(to, "\n    tiles: %d nest%s, for ", k->nests->n, k->nests->n == 1 ? "" : "s");
    if (s->deep)
        fsr_fput(to, "%d planes of ", s->deep);
    fsr_fput(to, "%d lines of %d at a time, %lld bytes for each block", s->high, s->broad,
             (long long)fsr_tiles_bytes(k));
    for (int i = 0; i < k->nests->n; ++i)
        beyond = beyond || fsr_tile_goes_beyond(&k->nests->nest[i].kernel->schedule);
    if (beyond)
        fputs(", padded as they are read", to);
}

static void explain_kernel(const fsr_thunk *thunk, const fsr_flow *flow, int i, FILE *to) {
    const fsr_kernel *k = thunk->kernel;
    fsr_fput(to, "kernel %d: %s\n    fuses: %s\n", i, k->name, k->comment);
    fsr_explain_sites(flow, k, to);
    fsr_fput(to, "    domain: %lld rows x %lld columns, %d pass%s over the columns\n",
             (long long)thunk->kernel->integer[FSR_INT_ROWS], (long long)thunk->kernel->integer[FSR_INT_COLS],
             k->npasses, k->npasses == 1 ? "" : "es");
    explain_schedule(thunk, to);
    explain_arrays(thunk, k->narrays, to);
    if (fsr_kernel_filters(k))
        fsr_fput(to, "\n    filters: compacted %s",
                 k->schedule.target == FSR_TARGET_CPU ? "strip by strip, written in whole lines of memory"
                 : k->schedule.members
                     ? "by tiles that go through slots of shared memory, written in whole lines of memory"
                 : k->schedule.pooled ? "by tiles, written in whole lines of memory"
                                      : "by warps, written side by side");
    if (k->nests && k->schedule.high)
        explain_tiles(k, to);
    else if (k->nests)
        fsr_fput(to, "\n    bands: %d nest%s, for %lld of %lld at a time, %lld bytes for each thread", k->nests->n,
                 k->nests->n == 1 ? "" : "s", (long long)thunk->kernel->integer[k->nests->band],
                 (long long)thunk->kernel->integer[FSR_INT_EXTENT], (long long)thunk->kernel->integer[k->nests->bytes]);
    if (thunk->in_place)
        fputs("\n    in place: only the section that is assigned to is written", to);
    if (thunk->places > 1)
        fsr_fput(
            to, "\n    places: %d of short dimensions are a point of the domain, which shares what they have in common",
            thunk->places);
    if (thunk->part)
        fputs("\n    part: some of the elements; kernels with other alternatives of the same choices write the others",
              to);
    fsr_fput(to, "\n    bytes moved: %lld\n    price: %.0f ns\n", (long long)thunk->bytes_moved, thunk->price);
}

/* Clearing is a part of the kernel whose flags it clears. */
static void explain_steps(const fsr_program *program, const fsr_flow *flow, FILE *to) {
    int kernels = 0;
    for (int i = 0; i < program->nthunks; ++i) {
        const fsr_thunk *thunk = &program->thunk[i];
        if (thunk->kind == FSR_THUNK_KERNEL)
            explain_kernel(thunk, flow, kernels++, to);
        else if (thunk->kind == FSR_THUNK_COPY)
            explain_copy(thunk, to);
        else if (thunk->kind == FSR_THUNK_LIBRARY)
            explain_call(thunk, flow, to);
        else if (thunk->kind == FSR_THUNK_LOOP) {
            explain_loop(program, thunk, to);
            kernels += thunk->loop->first.program.info.kernels + thunk->loop->turn.program.info.kernels;
        }
    }
}

static void explain_last(const fsr_partition *p, FILE *to) {
    const int *n = p->last.node;
    fsr_fput(to, "the fuel ended with fusion %d: ", p->fusions);
    fsr_fput(to, p->last.how, fsr_flow_name(p->flow, n[0]), n[0], fsr_flow_name(p->flow, n[1]), n[1]);
    fputc('\n', to);
}

bool fsr_explain_program(const fsr_program *program, const fsr_partition *p, FILE *to) {
    fsr_fput(to, "%d kernel%s, %d temporar%s, %d fusion%s; bytes moved %lld, least possible %lld\n",
             program->info.kernels, program->info.kernels == 1 ? "" : "s", program->info.temporaries,
             program->info.temporaries == 1 ? "y" : "ies", program->info.fusions, program->info.fusions == 1 ? "" : "s",
             (long long)program->info.bytes_moved, (long long)program->info.bytes_min);
    explain_steps(program, p->flow, to);
    for (int i = 0; program->gift && i < program->nouts; ++i)
        if (p->flow->gift[i] >= 0)
            fsr_fput(to,
                     program->gift[i] >= 0 ? "output%d may take the memory of leaf%d\n"
                                           : "output%d is copied where it takes the memory of leaf%d\n",
                     i, p->flow->gift[i]);
    fsr_literals_explain(p->flow, program->text, to);
    const bool told = fsr_explain_notes(p, to);
    fsr_explain_savings(p, to);
    fsr_explain_pairs(program, p, to);
    if (p->fuse && p->fuel == 0 && p->last.how)
        explain_last(p, to);
    return told;
}

bool fsr_explain_prices(fsr_program *program) {
    char line[160] = "";
    int used = snprintf(line, sizeof line, "price: %.0f ns", program->price);
    if (program->apart_price > 0)
        used += snprintf(line + used, sizeof line - (size_t)used, ", of each node by itself %s%.0f ns",
                         program->apart_least ? "at least " : "", program->apart_price);
    const size_t before = strlen(program->explanation);
    char *text = realloc(program->explanation, before + (size_t)used + 2);
    if (!text)
        return false;
    memcpy(text + before, line, (size_t)used);
    memcpy(text + before + used, "\n", 2);
    program->explanation = text;
    return true;
}
