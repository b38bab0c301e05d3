/* SPDX-License-Identifier: MIT */
/* From a flow to a program: passes, partition, order of the groups, schedules, names, memory. */
#include "fusion/plan.h"
#include "fusion/contract.h"
#include "fusion/literals.h"
#include "fusion/loop_plan.h"
#include "fusion/peak.h"
#include "fusion/schedule.h"
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { MAX_ROUNDS = 12 }; /* of cutting a plan that takes too much memory */

void fsr_program_clear(fsr_program *program) {
    for (int i = 0; i < program->nsteps; ++i) {
        fsr_kernel_free(program->step[i].kernel);
        if (program->step[i].call)
            fsr_called_unref(program->step[i].call->called);
        free(program->step[i].call);
        fsr_loop_plan_unref(program->step[i].loop);
    }
    free(program->step);
    free(program->temporary);
    free(program->same_out);
    free(program->gift);
    free(program->text);
    free(program->explanation);
    memset(program, 0, sizeof *program);
}

static const fsr_program_step *step_of(const fsr_program *program, fsr_task task, int i) {
    for (int s = 0; s < program->nsteps; ++s)
        if (program->step[s].task == task && i-- == 0)
            return &program->step[s];
    return NULL;
}

const fsr_program_step *fsr_program_kernel(const fsr_program *program, int i) {
    return step_of(program, FSR_TASK_KERNEL, i);
}

const fsr_program_step *fsr_program_call(const fsr_program *program, int i) {
    return step_of(program, FSR_TASK_LIBRARY, i);
}

/* Not one that went into another. */
static bool runs(const fsr_group *group) {
    return group->kernel || group->library;
}

/* Kahn's order over the groups' dependencies; ties by number. */
static fsr_status order_groups(const fsr_partition *p, int *order, int *count) {
    bool *done = calloc((size_t)p->ngroups + 1, sizeof *done);
    if (!done)
        return FSR_ERR_MEMORY;
    int n = 0, empty = 0;
    for (int g = 0; g < p->ngroups; ++g)
        empty += !runs(&p->group[g]);
    for (bool progress = true; progress;) {
        progress = false;
        for (int g = 0; g < p->ngroups; ++g) {
            bool ready = !done[g] && runs(&p->group[g]);
            for (int i = 0; ready && i < p->group[g].ndeps; ++i)
                ready = done[p->group[g].deps[i]];
            if (ready) {
                done[g] = progress = true;
                order[n++] = g;
            }
        }
    }
    free(done);
    *count = n;
    return n + empty == p->ngroups ? FSR_OK : FSR_ERR_INTERNAL;
}

/* k_<first named ops>_<digest of the printed kernel>: equal kernels have equal names in every process. */
static fsr_status name_kernel(fsr_kernel *k) {
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return FSR_ERR_MEMORY;
    snprintf(k->name, sizeof k->name, "k");
    fsr_kernel_print(k, to);
    if (fclose(to) != 0) {
        free(text);
        return FSR_ERR_MEMORY;
    }
    char words[32] = "";
    size_t used = 0;
    for (const char *at = k->comment; *at && used + 1 < sizeof words - 1; ++at)
        if (*at != ' ')
            words[used++] = *at == ',' ? '_' : *at;
    snprintf(k->name, sizeof k->name, "k_%s_%08x", words, (unsigned)XXH3_64bits(text, size));
    free(text);
    return FSR_OK;
}

static int64_t result_bytes(const fsr_flow *flow, fsr_link link) {
    const fsr_flow_node *n = &flow->node[link.id];
    return fsr_shape_bytes(&n->shape, n->dtype[link.output]);
}

/* Words of reports count for nothing: a kernel that writes them alone has nothing to do. */
static int64_t array_bytes(const fsr_flow *flow, const fsr_operand *o, const int *leaf_node) {
    if (o->report)
        return 0;
    return result_bytes(flow, o->leaf ? (fsr_link){leaf_node[o->ordinal], 0} : o->link);
}

typedef struct builder {
    fsr_program *out;
    const fsr_flow *flow;
    const fsr_partition *p;
    int *leaf_node; /* flow node of each leaf */
    int *home_slot; /* per node * FSR_MAX_OUTPUTS: output ordinal, or -2 - temporary, -1 none */
    const fsr_loop_plans *loops;
} builder;

static fsr_slot temporary_of(builder *b, int64_t bytes, fsr_link link) {
    b->out->temporary[b->out->ntemporaries] =
        (fsr_temporary){.bytes = bytes, .in_place_of = -1, .link = link, .saving = fsr_partition_saving(b->p, link.id)};
    return (fsr_slot){FSR_SLOT_TEMPORARY, b->out->ntemporaries++};
}

static fsr_slot slot_of(builder *b, const fsr_operand *o) {
    if (o->report)
        return (fsr_slot){FSR_SLOT_REPORT, o->report - 1};
    if (o->leaf)
        return (fsr_slot){FSR_SLOT_LEAF, o->ordinal};
    int *slot = &b->home_slot[o->link.id * FSR_MAX_OUTPUTS + o->link.output];
    if (*slot >= 0)
        return (fsr_slot){FSR_SLOT_OUTPUT, *slot};
    if (*slot == -1) {
        *slot = -2 - temporary_of(b, array_bytes(b->flow, o, b->leaf_node), o->link).ordinal;
        ++b->out->info.temporaries;
    }
    return (fsr_slot){FSR_SLOT_TEMPORARY, -2 - *slot};
}

/* The slot of what an in-place group overwrites, -1 for a leaf. */
static int *base_slot(const builder *b, const fsr_group *group) {
    return &b->home_slot[group->base.link.id * FSR_MAX_OUTPUTS + group->base.link.output];
}

/* What is overwritten by an output lies in that output from the start. Groups in order, from the last back. */
static void settle_bases(builder *b, const int *order, int n) {
    for (int i = n - 1; i >= 0; --i) {
        const fsr_group *group = &b->p->group[order[i]];
        fsr_link out = group->store[0];
        int slot = group->in_place ? b->home_slot[out.id * FSR_MAX_OUTPUTS + out.output] : -1;
        if (slot >= 0)
            *base_slot(b, group) = slot;
    }
}

/* A temporary written in place of another one is the same memory. */
static void take_over(builder *b, const fsr_group *group) {
    fsr_link out = group->store[0];
    int slot = group->in_place ? b->home_slot[out.id * FSR_MAX_OUTPUTS + out.output] : 0;
    if (slot <= -2)
        b->out->temporary[-2 - slot].in_place_of = -2 - *base_slot(b, group);
}

static bool writes_nothing(const builder *b, const fsr_kernel *k, const fsr_group *group) {
    for (int i = 0; i < k->narrays; ++i)
        if (k->array[i].written && array_bytes(b->flow, &group->operand[i], b->leaf_node) > 0)
            return false;
    return true;
}

static fsr_program_step *add_step(fsr_program *out, fsr_task task) {
    fsr_program_step *step = &out->step[out->nsteps++];
    step->task = task;
    return step;
}

static void add_use(fsr_program_step *step, fsr_slot slot, bool written, int64_t bytes) {
    step->use[step->nuses++] = (fsr_use){slot, written, bytes};
}

/* Flags that a kernel does not leave zero are its own, cleared before it. */
static void add_flags(builder *b, fsr_program_step *step) {
    const fsr_slot flags = temporary_of(b, step->zero_bytes, (fsr_link){-1, 0});
    add_use(step, flags, true, step->zero_bytes);
    const fsr_program_step kernel = *step;
    *step = (fsr_program_step){.task = FSR_TASK_CLEAR};
    add_use(step, flags, true, kernel.zero_bytes);
    *add_step(b->out, FSR_TASK_KERNEL) = kernel;
}

/* Between the arrays that the group says. */
static fsr_status make_call(builder *b, const fsr_group *group, const fsr_program_options *options) {
    fsr_program_step *step = add_step(b->out, FSR_TASK_LIBRARY);
    fsr_library_call *call = step->call = malloc(sizeof *call);
    if (!call)
        return FSR_ERR_MEMORY;
    fsr_library_of(call, b->flow, group->call, &b->p->used[group->call * FSR_MAX_OUTPUTS], options->target.gpu);
    fsr_called_ref(call->called);
    step->nothing = true;
    for (int i = 0; i < call->nin + group->nstores; ++i) {
        const bool written = i >= call->nin;
        const fsr_operand result = {.link = written ? group->store[i - call->nin] : (fsr_link){-1, 0}};
        const fsr_operand *operand = written ? &result : &group->operand[i];
        const int64_t bytes = array_bytes(b->flow, operand, b->leaf_node);
        add_use(step, slot_of(b, operand), written, bytes);
        step->bytes_moved = fsr_size_add(step->bytes_moved, bytes);
        step->nothing = step->nothing && (!written || bytes == 0);
    }
    b->out->info.calls++;
    if (call->work_bytes)
        add_use(step, temporary_of(b, call->work_bytes, (fsr_link){-1, 0}), true, call->work_bytes);
    b->out->info.bytes_moved = fsr_size_add(b->out->info.bytes_moved, step->bytes_moved);
    return FSR_OK;
}

/* A result that another one is as well: two nodes that differ in hints. */
static void copy_result(builder *b, fsr_link from, fsr_link to) {
    const fsr_operand operand[2] = {{.link = from}, {.link = to}};
    fsr_program_step *step = add_step(b->out, FSR_TASK_COPY);
    for (int i = 0; i < 2; ++i)
        add_use(step, slot_of(b, &operand[i]), i == 1, result_bytes(b->flow, to));
}

/* Its operands and results as uses. */
static fsr_status make_loop(builder *b, const fsr_group *group) {
    const fsr_flow_node *n = &b->flow->node[group->call];
    fsr_program_step *step = add_step(b->out, FSR_TASK_LOOP);
    fsr_loop_plan *loop = step->loop = fsr_loop_plan_ref(b->loops->of[group->call]);
    fsr_link result[FSR_MAX_OUTPUTS];
    fsr_loop_layout layout;
    int next = 0;
    step->report = n->report - 1;
    for (int k = 0; k < n->nargs; ++k) {
        if (loop->scalar[k])
            step->scalar[k] = b->flow->node[n->arg[k].id].ordinal;
        else
            add_use(step, slot_of(b, &group->operand[next]), false,
                    array_bytes(b->flow, &group->operand[next], b->leaf_node));
        next += !loop->scalar[k];
    }
    for (int i = 0; i < group->nstores; ++i) {
        const fsr_operand stored = {.link = group->store[i]};
        const int output = b->flow->node[stored.link.id].arg[0].output;
        if (step->present >> output & 1)
            continue;
        step->present |= 1u << output;
        result[output] = stored.link;
        add_use(step, slot_of(b, &stored), true, array_bytes(b->flow, &stored, b->leaf_node));
    }
    fsr_loop_lay_out(loop, step->present, &layout);
    if (layout.bytes)
        add_use(step, temporary_of(b, layout.bytes, (fsr_link){-1, 0}), true, layout.bytes);
    step->bytes_moved = fsr_size_mul(loop->turn.program.info.bytes_moved, fsr_loop_turns(loop));
    for (int i = 0; i < group->nstores; ++i) {
        const fsr_link link = group->store[i], first = result[b->flow->node[link.id].arg[0].output];
        if (!fsr_link_equal(first, link))
            copy_result(b, first, link);
    }
    const fsr_program *part[] = {&loop->first.program, &loop->turn.program};
    for (int i = 0; i < 2; ++i) {
        b->out->info.kernels += part[i]->info.kernels;
        b->out->info.calls += part[i]->info.calls;
        if (part[i]->zero_bytes > b->out->zero_bytes)
            b->out->zero_bytes = part[i]->zero_bytes;
    }
    b->out->info.bytes_moved = fsr_size_add(b->out->info.bytes_moved, step->bytes_moved);
    return FSR_OK;
}

static void make_step(builder *b, fsr_group *group, const fsr_program_options *options) {
    fsr_program_step *step = add_step(b->out, FSR_TASK_KERNEL);
    fsr_kernel *k = group->kernel;
    k->contraction = options->contraction;
    fsr_literals_bind(group, b->p, b->out->text);
    fsr_schedule_choose(group, &options->target);
    step->kernel = k;
    group->kernel = NULL;
    const bool cached = fsr_block_is_cached(k, group->integer);
    for (int i = 0; i < k->narrays; ++i) {
        int64_t bytes = array_bytes(b->flow, &group->operand[i], b->leaf_node);
        add_use(step, slot_of(b, &group->operand[i]), k->array[i].written, bytes);
        bool whole = !group->part && (group->operand[i].leaf || k->array[i].written);
        int64_t touched = whole ? bytes : fsr_touched_bytes(k, group->integer, i, bytes);
        step->bytes_moved = fsr_size_add(step->bytes_moved, fsr_size_mul(touched, cached ? 1 : fsr_array_passes(k, i)));
    }
    take_over(b, group);
    memcpy(step->scalar, group->scalar, sizeof step->scalar);
    memcpy(step->launch.integer, group->integer, sizeof step->launch.integer);
    step->launch.blocks = fsr_kernel_blocks(k, group->integer);
    step->nothing = writes_nothing(b, k, group);
    step->work_bytes = step->nothing ? 0 : fsr_kernel_work_bytes(k, group->integer);
    step->zero_bytes = step->nothing ? 0 : fsr_kernel_zero_bytes(k, group->integer);
    step->in_place = group->in_place;
    step->part = fsr_domain_is_part(&group->domain);
    if (step->work_bytes > b->out->work_bytes)
        b->out->work_bytes = step->work_bytes;
    b->out->info.bytes_moved = fsr_size_add(b->out->info.bytes_moved, step->bytes_moved);
    if (fsr_kernel_leaves_flags(k) && !step->nothing)
        add_flags(b, step);
    else if (step->zero_bytes > b->out->zero_bytes)
        b->out->zero_bytes = step->zero_bytes;
}

/* An output of a value that an earlier one has. */
static void add_copies(builder *b) {
    for (int i = 0; i < b->out->nouts; ++i) {
        if (b->out->same_out[i] < 0)
            continue;
        fsr_program_step *step = add_step(b->out, FSR_TASK_COPY);
        const int64_t bytes = result_bytes(b->flow, b->flow->out[i]);
        add_use(step, (fsr_slot){FSR_SLOT_OUTPUT, b->out->same_out[i]}, false, bytes);
        add_use(step, (fsr_slot){FSR_SLOT_OUTPUT, i}, true, bytes);
    }
}

/* Completes the kernel's schedule: its arrays and flags are settled now. */
static fsr_status finish_step(fsr_kernel *k, char *why, size_t size) {
    char violation[200];
    fsr_schedule_finish(k);
    if (name_kernel(k))
        return FSR_ERR_MEMORY;
    if (fsr_kernel_verify(k, violation, sizeof violation) == FSR_OK)
        return FSR_OK;
    snprintf(why, size, "kernel %s: %s", k->comment, violation);
    return FSR_ERR_INTERNAL;
}

/* Outputs, equal ones once. */
static int64_t output_bytes(const fsr_program *program, const fsr_flow *flow) {
    int64_t bytes = 0;
    for (int i = 0; i < flow->nout; ++i)
        bytes = fsr_size_add(bytes, program->same_out[i] < 0 ? result_bytes(flow, flow->out[i]) : 0);
    return bytes;
}

static int64_t leaf_bytes(const fsr_flow *flow) {
    int64_t bytes = 0;
    for (int i = 0; i < flow->n; ++i)
        bytes =
            fsr_size_add(bytes, fsr_is(flow->node[i].kind, FSR_IS_ARRAY) ? result_bytes(flow, (fsr_link){i, 0}) : 0);
    return bytes;
}

static size_t results_of(const fsr_flow *flow) {
    size_t n = 0;
    for (int i = 0; i < flow->n; ++i)
        n += fsr_is(flow->node[i].kind, FSR_IS_RESULT);
    return n;
}

static bool prepare(builder *b) {
    const fsr_flow *flow = b->flow;
    fsr_program *out = b->out;
    size_t n = (size_t)flow->n + 1;
    b->leaf_node = calloc((size_t)flow->nleaves + 1, sizeof *b->leaf_node);
    b->home_slot = malloc(sizeof *b->home_slot * n * FSR_MAX_OUTPUTS);
    out->step = calloc(2 * (size_t)b->p->ngroups + results_of(flow) + (size_t)flow->nout + 1, sizeof *out->step);
    out->temporary = calloc((size_t)b->p->ngroups * (FSR_MAX_STORES + 1) + 1, sizeof *out->temporary);
    out->text = calloc((size_t)fsr_literals_count(flow) + 1, sizeof *out->text);
    if (!b->leaf_node || !b->home_slot || !out->step || !out->temporary || !out->text)
        return false;
    memset(b->home_slot, 0xff, sizeof *b->home_slot * n * FSR_MAX_OUTPUTS);
    for (int i = 0; i < flow->n; ++i)
        if (fsr_is(flow->node[i].kind, FSR_IS_ARRAY))
            b->leaf_node[flow->node[i].ordinal] = i;
    for (int i = flow->nout - 1; i >= 0; --i)
        b->home_slot[flow->out[i].id * FSR_MAX_OUTPUTS + flow->out[i].output] = i;
    return true;
}

/* home_slot names the first output of each value. */
static bool outputs(builder *b) {
    fsr_program *out = b->out;
    const fsr_flow *flow = b->flow;
    out->nouts = flow->nout;
    out->nleaves = flow->nleaves;
    out->nscalars = flow->nscalars;
    out->nreports = flow->nreports;
    out->same_out = malloc(sizeof *out->same_out * (size_t)(flow->nout + 1));
    for (int i = 0; out->same_out && i < flow->nout; ++i) {
        int first = b->home_slot[flow->out[i].id * FSR_MAX_OUTPUTS + flow->out[i].output];
        out->same_out[i] = first < i ? first : -1;
    }
    return out->same_out != NULL;
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

static fsr_status assemble(builder *b, fsr_partition *p, const fsr_program_options *options, char *why, size_t size) {
    fsr_program *out = b->out;
    int *order = malloc(sizeof *order * (size_t)(p->ngroups + 1));
    fsr_status status = order && prepare(b) && outputs(b) ? FSR_OK : FSR_ERR_MEMORY;
    int count = 0;
    if (!status)
        status = order_groups(p, order, &count);
    if (status == FSR_ERR_INTERNAL)
        snprintf(why, size, "the kernels depend on each other in a circle");
    if (!status)
        settle_bases(b, order, count);
    for (int i = 0; i < count && !status; ++i) {
        fsr_group *group = &p->group[order[i]];
        out->info.kernels += group->kernel != NULL;
        if (group->library)
            status = b->flow->node[group->call].rounds ? make_loop(b, group) : make_call(b, group, options);
        else
            make_step(b, group, options);
    }
    if (!status)
        add_copies(b);
    free(order);
    fsr_memory_lifetimes(out);
    fsr_memory_in_place(out);
    if (!status && b->flow->gift && !fsr_memory_gifts(out, b->flow->gift))
        status = FSR_ERR_MEMORY;
    for (int i = 0; i < out->nsteps && !status; ++i)
        if (out->step[i].task == FSR_TASK_KERNEL)
            status = finish_step(out->step[i].kernel, why, size);
    if (status)
        return status;
    if (!fsr_memory_pack(out->temporary, out->ntemporaries, &out->arena_bytes))
        return FSR_ERR_MEMORY;
    out->info.fusions = p->fusions;
    out->info.bytes_min = fsr_size_add(leaf_bytes(b->flow), output_bytes(out, b->flow));
    out->info.peak_bytes = fsr_size_add(block_bytes(out), output_bytes(out, b->flow));
    if (!fsr_size_fits(block_bytes(out)) || !fsr_size_fits(out->zero_bytes)) {
        snprintf(why, size, "the temporaries and workspace together overflow");
        return FSR_ERR_SIZE;
    }
    out->explanation = explanation(out, p);
    return out->explanation ? FSR_OK : FSR_ERR_MEMORY;
}

static fsr_status plan_once(fsr_program *out, const fsr_flow *flow, const fsr_program_options *options,
                            const fsr_loop_plans *loops, const fsr_cuts *cuts, char *why, size_t size) {
    fsr_partition p = {0};
    memset(out, 0, sizeof *out);
    builder b = {.out = out, .flow = flow, .p = &p, .loops = loops};
    fsr_status status = fsr_partition_make(&p, flow, &options->target, cuts, options->fusion, options->fuel, why, size);
    if (!status)
        status = assemble(&b, &p, options, why, size);
    free(b.leaf_node);
    free(b.home_slot);
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
    return program->step != NULL;
}

/* A plan that takes more memory than the unfused program, by more than the state of tiles, is cut where it does and made
 * again; then without what it stores to spare time; the last resort is the unfused plan. */
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

fsr_status fsr_program_plan(fsr_program *out, const fsr_flow *flow, const fsr_program_options *options, char *why,
                            size_t size) {
    fsr_cuts cuts = {0};
    fsr_loop_plans loops;
    memset(out, 0, sizeof *out);
    fsr_status status = fsr_loop_plans_make(&loops, flow, options, why, size);
    if (!status)
        status = plan_within_memory(out, flow, options, &loops, &cuts, why, size);
    fsr_loop_plans_clear(&loops);
    fsr_cuts_clear(&cuts);
    if (!status && !fsr_loop_splice(out)) {
        fsr_program_clear(out);
        status = FSR_ERR_MEMORY;
    }
    return status;
}

fsr_status fsr_program_make(fsr_program *out, fsr_flow *flow, const fsr_program_options *options, char *why,
                            size_t size) {
    memset(out, 0, sizeof *out);
    fsr_status status = fsr_passes_run(flow, &options->passes, why, size);
    if (!status)
        status = fsr_flow_contract(flow, &options->target);
    if (!status)
        status = fsr_program_plan(out, flow, options, why, size);
    fsr_flow_clear(flow);
    return status;
}
