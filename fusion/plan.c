/* SPDX-License-Identifier: MIT */
/* From a flow to a program: rewrites, partition, order of the groups, schedules, names, memory. What takes more memory
 * than it may is cut, and planned again. */
#define _GNU_SOURCE 1
#include "fusion/plan.h"
#include "fusion/apart.h"
#include "fusion/bands.h"
#include "fusion/clips.h"
#include "fusion/contract.h"
#include "fusion/epilogue.h"
#include "fusion/fold_across.h"
#include "fusion/loop_plan.h"
#include "fusion/nest.h"
#include "fusion/order_rows.h"
#include "fusion/paste_places.h"
#include "fusion/peak.h"
#include "fusion/plan_parts.h"
#include "fusion/price.h"
#include "fusion/resolve.h"
#include "fusion/schedule.h"
#include "fusion/window_folds.h"
#include "graph/message.h"
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { MAX_ROUNDS = 12 };   /* of cutting a plan that takes too much memory */
enum { MAX_PRICED = 2048 }; /* nodes of a flow that is planned unfused as well, where that may be cheaper */
enum { MAX_APART = 6 };     /* of taking kernels apart: as many ways as apart.c has */

static ssize_t digest(void *state, const char *bytes, size_t size) {
    return XXH3_64bits_update(state, bytes, size) == XXH_OK ? (ssize_t)size : 0;
}

/* Adds the kernel's text to what is digested. The text itself is kept nowhere. */
static bool digest_kernel(XXH3_state_t *state, const fsr_kernel *k) {
    char room[2048];
    FILE *to = fopencookie(state, "w", (cookie_io_functions_t){.write = digest});
    if (!to)
        return false;
    __fsetlocking(to, FSETLOCKING_BYCALLER); /* nobody else has it */
    const bool buffered = setvbuf(to, room, _IOFBF, sizeof room) == 0;
    fsr_kernel_print(k, to);
    return fclose(to) == 0 && buffered;
}

/* k_max_sub_exp_0123abcd: the first words of its comment, and the digest. */
static void put_name(fsr_kernel *k, uint32_t digest) {
    enum { WORDS = 30, DIGITS = 8 };
    char *to = k->name;
    *to++ = 'k';
    *to++ = '_';
    for (const char *at = k->comment; *at && to - k->name < 2 + WORDS; ++at)
        if (*at != ' ')
            *to++ = *at == ',' ? '_' : *at;
    *to++ = '_';
    for (int i = DIGITS - 1; i >= 0; --i)
        *to++ = "0123456789abcdef"[digest >> 4 * i & 15];
    *to = 0;
}

fsr_status fsr_kernel_rename(fsr_kernel *k) {
    XXH3_state_t *state = XXH3_createState();
    memcpy(k->name, "k", 2);
    const bool good = state && XXH3_64bits_reset(state) == XXH_OK && digest_kernel(state, k);
    if (good)
        put_name(k, (uint32_t)XXH3_64bits_digest(state));
    XXH3_freeState(state);
    return good ? FSR_OK : FSR_ERR_MEMORY;
}

/* Completes the kernel's schedule: its arrays and flags are settled now. */
static fsr_status finish_thunk(fsr_kernel *k, char *why, size_t size) {
    char violation[200];
    for (int i = 0; k->nests && i < k->nests->n; ++i)
        fsr_schedule_finish(k->nests->nest[i].kernel);
    fsr_schedule_finish(k);
    if (fsr_kernel_rename(k))
        return FSR_ERR_MEMORY;
    if (fsr_kernel_verify(k, violation, sizeof violation) == FSR_OK)
        return FSR_OK;
    fsr_message_put(why, size, "%s (kernel %s)", violation, k->comment);
    return FSR_ERR_INTERNAL;
}

/* Of a finished kernel, which is its group's for as long. */
static void price_thunk(const fsr_partition *p, fsr_program *out, fsr_thunk *thunk) {
    fsr_group *group = &p->group[thunk->group];
    double issue;
    if (thunk->nothing)
        return;
    group->kernel = thunk->kernel;
    thunk->price = fsr_price_scheduled(fsr_prices_of(p->target->gpu), p, group, &issue);
    group->kernel = NULL;
    out->price += thunk->price;
}

/* Outputs, equal ones once. */
static int64_t output_bytes(const fsr_program *program, const fsr_flow *flow) {
    int64_t bytes = 0;
    for (int i = 0; i < flow->nout; ++i)
        bytes = fsr_size_add(bytes, program->same_out[i] < 0 ? fsr_plan_result_bytes(flow, flow->out[i]) : 0);
    return bytes;
}

static int64_t leaf_bytes(const fsr_flow *flow) {
    int64_t bytes = 0;
    for (int i = 0; i < flow->n; ++i)
        bytes = fsr_size_add(
            bytes, fsr_is(flow->node[i].kind, FSR_IS_ARRAY) ? fsr_plan_result_bytes(flow, (fsr_link){i, 0}) : 0);
    return bytes;
}

static char *explanation(const fsr_program *program, const fsr_partition *p) {
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return NULL;
    const bool told = fsr_explain_program(program, p, to);
    if (fclose(to) != 0 || !told) {
        free(text);
        return NULL;
    }
    return text;
}

/* Of the block that holds temporaries and workspace. */
static int64_t block_bytes(const fsr_program *program) {
    return fsr_size_add(program->arena_bytes, program->work_bytes);
}

/* A thunk for each group of the order that is no nest of another one's kernel. */
static fsr_status add_thunks(fsr_plan_builder *b, fsr_partition *p, const int *order, int count,
                             const fsr_program_options *options) {
    fsr_bands bands = {0};
    fsr_status status = fsr_bands_choose(&bands, p, order, count) ? FSR_OK : FSR_ERR_MEMORY;
    for (int i = 0; i < count && !status; ++i) {
        if (bands.into[order[i]] >= 0)
            continue;
        if (bands.first[order[i]] < 0 && !fsr_partition_take_neighbours(p, order[i]))
            status = FSR_ERR_MEMORY;
        if (!status)
            status = fsr_bands_attach(&bands, p, order[i], options, b->out->text);
        if (!status)
            status = fsr_plan_add(b, &p->group[order[i]], options);
    }
    fsr_bands_clear(&bands);
    return status;
}

static fsr_status assemble(fsr_plan_builder *b, fsr_partition *p, const fsr_program_options *options, char *why,
                           size_t size) {
    fsr_program *out = b->out;
    int *order = malloc(sizeof *order * (size_t)(p->ngroups + 1));
    fsr_status status = order && fsr_plan_begin(b) ? FSR_OK : FSR_ERR_MEMORY;
    int count = 0;
    if (!status)
        status = fsr_partition_sequence(p, order, &count);
    if (status == FSR_ERR_INTERNAL)
        fsr_message_put(why, size, "the kernels depend on each other in a circle");
    if (!status)
        fsr_plan_settle_bases(b, order, count);
    if (!status)
        status = add_thunks(b, p, order, count, options);
    if (!status && !fsr_plan_copies(b, options))
        status = FSR_ERR_MEMORY;
    free(order);
    if (!status) {
        fsr_plan_trim(b);
        fsr_memory_lifetimes(out);
        fsr_memory_in_place(out);
    }
    if (!status && b->flow->gift && !fsr_memory_gifts(out, b->flow->gift))
        status = FSR_ERR_MEMORY;
    for (int i = 0; i < out->nthunks && !status; ++i)
        if (out->thunk[i].kind == FSR_THUNK_KERNEL) {
            status = finish_thunk(out->thunk[i].kernel, why, size);
            if (!status)
                price_thunk(p, out, &out->thunk[i]);
        }
    if (status)
        return status;
    if (!fsr_memory_pack(out->temporary, out->ntemporaries, &out->arena_bytes))
        return FSR_ERR_MEMORY;
    out->info.fusions = p->fusions;
    out->info.bytes_min = fsr_size_add(leaf_bytes(b->flow), output_bytes(out, b->flow));
    out->info.peak_bytes = fsr_size_add(block_bytes(out), output_bytes(out, b->flow));
    if (!fsr_size_fits(block_bytes(out)) || !fsr_size_fits(out->zero_bytes)) {
        fsr_message_put(why, size, "the temporaries and workspace together overflow");
        return FSR_ERR_SIZE;
    }
    out->explanation = options->explain ? explanation(out, p) : NULL;
    return out->explanation || !options->explain ? FSR_OK : FSR_ERR_MEMORY;
}

static fsr_status plan_once(fsr_program *out, const fsr_flow *flow, const fsr_program_options *options,
                            const fsr_loop_plans *loops, const fsr_cuts *cuts, char *why, size_t size) {
    fsr_partition p = {0};
    memset(out, 0, sizeof *out);
    fsr_plan_builder b = {.out = out, .flow = flow, .p = &p, .loops = loops};
    fsr_status status = fsr_partition_make(&p, flow, &options->target, cuts, options->fusion, options->fuel, why, size);
    if (!status)
        status = assemble(&b, &p, options, why, size);
    fsr_plan_end(&b);
    fsr_partition_clear(&p);
    if (status)
        fsr_program_clear(out);
    return status;
}

typedef int mending(fsr_cuts *cuts, const fsr_program *program, const fsr_flow *flow, int64_t limit);

/* Mends a plan and makes it again, until its block is within the limit, or no mend is left: then it is cleared. */
static fsr_status plan_again(fsr_program *out, const fsr_flow *flow, const fsr_program_options *options,
                             const fsr_loop_plans *loops, fsr_cuts *cuts, mending *mend, int64_t limit, char *why,
                             size_t size) {
    fsr_status status = FSR_OK;
    for (int round = 0; !status && block_bytes(out) > limit; ++round) {
        const int added = round < MAX_ROUNDS ? mend(cuts, out, flow, limit - out->work_bytes) : 0;
        fsr_program_clear(out);
        if (added <= 0)
            return added < 0 ? FSR_ERR_MEMORY : FSR_OK;
        status = plan_once(out, flow, options, loops, cuts, why, size);
    }
    return status;
}

static bool is_made(const fsr_program *program) {
    return program->thunk != NULL;
}

/* A plan that takes more memory than the unfused program, by more than the state of tiles, is cut where it does and
 * made again; then without what it stores to spare time; the last resort is the unfused plan. */
static fsr_status plan_within_memory(fsr_program *out, const fsr_flow *flow, const fsr_program_options *options,
                                     const fsr_loop_plans *loops, fsr_cuts *cuts, char *why, size_t size) {
    fsr_program_options unfused = *options;
    fsr_status status = plan_once(out, flow, options, loops, cuts, why, size);
    int64_t slack = out->info.bytes_min / 64 + (4 << 20), limit;
    if (status || !options->fusion || block_bytes(out) <= slack)
        return status;
    unfused.fusion = false;
    if (!fsr_unfused_peak(flow, loops, options->target.gpu, &limit))
        status = FSR_ERR_MEMORY;
    limit = fsr_size_add(limit, slack);
    if (!status)
        status = plan_again(out, flow, options, loops, cuts, fsr_cuts_add, limit, why, size);
    if (!status && !is_made(out)) {
        fsr_cuts_clear(cuts);
        status = plan_once(out, flow, options, loops, cuts, why, size);
        if (!status)
            status = plan_again(out, flow, options, loops, cuts, fsr_cuts_unstore, limit, why, size);
    }
    if (!status && !is_made(out))
        status = plan_once(out, flow, &unfused, loops, cuts, why, size);
    if (status)
        fsr_program_clear(out);
    return status;
}

/* By more than prices are worth. */
static bool costs_more(const fsr_program *a, const fsr_program *b, const fsr_target *target) {
    return a->price * (1 - fsr_prices_of(target->gpu)->margin) > b->price;
}

/* How many times a kernel's price is compared with what its nodes cost by themselves. */
static double times_of(const fsr_program *out, const fsr_program *unfused, const fsr_target *target, bool doubted) {
    const fsr_prices *prices = fsr_prices_of(target->gpu);
    return doubted ? prices->doubt : costs_more(out, unfused, target) ? 1 : 1 - prices->gain;
}

/* Plans again without kernels so many times whose price is more than their nodes cost; the cheaper one stays. *again:
 * there may be more to take apart. */
static fsr_status take_apart(fsr_program *out, const fsr_program *unfused, const fsr_flow *flow,
                             const fsr_program_options *options, const fsr_loop_plans *loops, fsr_cuts *cuts,
                             double times, bool *again, char *why, size_t size) {
    fsr_program next;
    const int marked = fsr_apart_mark(cuts, out, unfused, flow, times);
    *again = false;
    if (marked <= 0)
        return marked < 0 ? FSR_ERR_MEMORY : FSR_OK;
    fsr_cuts_clear(cuts);
    const fsr_status status = plan_within_memory(&next, flow, options, loops, cuts, why, size);
    if (status)
        return status;
    *again = true;
    const bool cheaper = times > 1 ? costs_more(out, &next, &options->target) : next.price < out->price;
    fsr_program_clear(cheaper ? out : &next);
    if (cheaper)
        *out = next;
    return FSR_OK;
}

static bool asks_to_fuse(const fsr_flow *flow) {
    bool asks = false;
    for (int i = 0; i < flow->npairs; ++i)
        asks = asks || flow->pair[i].hint == FSR_PAIR_FUSE;
    return asks;
}

/* A fused plan costs no more than the unfused one, by the same prices: kernels that do are taken apart. Prices that
 * differ by less than their margin are taken for equal; where little is spared in loops whose price is known least
 * the unfused plan is taken. What a hint asks to fuse may cost more. */
static fsr_status plan_by_price(fsr_program *out, const fsr_flow *flow, const fsr_program_options *options,
                                const fsr_loop_plans *loops, fsr_cuts *cuts, char *why, size_t size) {
    fsr_program unfused;
    fsr_program_options apart = *options;
    bool again = true;
    fsr_status status = plan_within_memory(out, flow, options, loops, cuts, why, size);
    if (status || !options->fusion || options->fuel >= 0 || !fsr_apart_may_pay(out, flow, &options->target) ||
        flow->n > MAX_PRICED)
        return status;
    apart.fusion = false;
    status = plan_once(&unfused, flow, &apart, loops, &(fsr_cuts){0}, why, size);
    for (int i = 0; i < MAX_APART && again && !status; ++i)
        status = take_apart(out, &unfused, flow, options, loops, cuts, times_of(out, &unfused, &options->target, false),
                            &again, why, size);
    again = fsr_prices_of(options->target.gpu)->doubt > 1;
    for (int i = 0; i < MAX_APART && again && !status; ++i)
        status = take_apart(out, &unfused, flow, options, loops, cuts, times_of(out, &unfused, &options->target, true),
                            &again, why, size);
    if (status) {
        fsr_program_clear(&unfused);
        fsr_program_clear(out);
        return status;
    }
    const double price = unfused.price;
    const bool little = fsr_apart_spares_little(out, &unfused, flow, &options->target);
    const bool cheaper = (costs_more(out, &unfused, &options->target) || little) && !asks_to_fuse(flow);
    fsr_program_clear(cheaper ? out : &unfused);
    if (cheaper)
        *out = unfused;
    out->apart_price = price;
    out->apart_least = false;
    return FSR_OK;
}

fsr_status fsr_program_plan(fsr_program *out, const fsr_flow *flow, const fsr_program_options *options, char *why,
                            size_t size) {
    fsr_cuts cuts = {0};
    fsr_loop_plans loops;
    memset(out, 0, sizeof *out);
    fsr_status status = fsr_loop_plans_make(&loops, flow, options, why, size);
    if (!status)
        status = plan_by_price(out, flow, options, &loops, &cuts, why, size);
    fsr_loop_plans_clear(&loops);
    fsr_cuts_clear(&cuts);
    free(cuts.apart);
    if (!status && options->explain && !fsr_explain_prices(out)) {
        fsr_program_clear(out);
        status = FSR_ERR_MEMORY;
    }
    if (!status && !fsr_loop_splice(out)) {
        fsr_program_clear(out);
        status = FSR_ERR_MEMORY;
    }
    return status;
}

fsr_status fsr_flow_ready(fsr_flow *flow, const fsr_program_options *options, char *why, size_t size) {
    fsr_status status = fsr_flow_resolve(flow, &options->target);
    if (!status)
        status = fsr_rewrites_run(flow, &options->rewrites, why, size);
    if (!status)
        status = fsr_flow_contract(flow, &options->target);
    if (!status)
        status = fsr_flow_clip_integers(flow, &options->target);
    if (!status)
        status = fsr_flow_paste_places(flow, &options->target);
    if (!status)
        status = fsr_flow_window_axes(flow, options);
    if (!status)
        status = fsr_flow_window_folds(flow, options);
    if (!status)
        status = fsr_flow_fold_across(flow, options);
    if (!status)
        status = fsr_flow_order_rows(flow, options);
    if (!status)
        status = fsr_flow_epilogues(flow, options);
    return status;
}

fsr_status fsr_program_make(fsr_program *out, fsr_flow *flow, const fsr_program_options *options, char *why,
                            size_t size) {
    memset(out, 0, sizeof *out);
    fsr_status status = fsr_flow_ready(flow, options, why, size);
    if (!status)
        status = fsr_program_plan(out, flow, options, why, size);
    fsr_flow_clear(flow);
    return status;
}
