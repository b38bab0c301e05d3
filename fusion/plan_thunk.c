/* SPDX-License-Identifier: MIT */
/* The thunks of a program, one for each group of the partition, with what each uses: arrays of the caller, outputs,
 * temporaries.
 *
 * A value has one home, the first output that it is, or a temporary made by the thunk that writes it. What is written
 * into an array that stays as it is elsewhere has that array's home, known before any thunk: its readers may come
 * first. */
#include "fusion/literals.h"
#include "fusion/partition_parts.h"
#include "fusion/plan_parts.h"
#include "fusion/schedule.h"
#include <stdlib.h>
#include <string.h>

int64_t fsr_plan_result_bytes(const fsr_flow *flow, fsr_link link) {
    const fsr_flow_node *n = &flow->node[link.id];
    return fsr_shape_bytes(&n->shape, n->dtype[link.output]);
}

/* Words of reports count for nothing: a kernel that writes them alone has nothing to do. */
static int64_t array_bytes(const fsr_flow *flow, const fsr_operand *o, const int *leaf_node) {
    if (o->report)
        return 0;
    return fsr_plan_result_bytes(flow, o->leaf ? (fsr_link){leaf_node[o->ordinal], 0} : o->link);
}

static fsr_slot temporary_of(fsr_plan_builder *b, int64_t bytes, fsr_link link) {
    b->out->temporary[b->out->ntemporaries] =
        (fsr_temporary){.bytes = bytes, .in_place_of = -1, .link = link, .saving = fsr_partition_saving(b->p, link.id)};
    return (fsr_slot){FSR_SLOT_TEMPORARY, b->out->ntemporaries++};
}

static fsr_slot slot_of(fsr_plan_builder *b, const fsr_operand *o) {
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

/* What the group writes a section of is there before. */
static bool overwrites(const fsr_group *group) {
    return group->in_place && group->base.link.id >= 0;
}

/* Where a group's result over what it overwrites lies: its first one, or what is scattered. A group that only reports
 * what it finds has none. */
static int result_slot(const fsr_plan_builder *b, const fsr_group *group) {
    int over = 0;
    for (int i = 1; i < group->nstores; ++i)
        over = fsr_is(b->flow->node[group->store[i].id].kind, FSR_SCATTERS) ? i : over;
    return b->home_slot[group->store[over].id * FSR_MAX_OUTPUTS + group->store[over].output];
}

/* The slot of what an in-place group overwrites, -1 for a leaf. */
static int *base_slot(const fsr_plan_builder *b, const fsr_group *group) {
    return &b->home_slot[group->base.link.id * FSR_MAX_OUTPUTS + group->base.link.output];
}

/* What is overwritten by an output lies in that output from the start. Groups in order, from the last back. */
void fsr_plan_settle_bases(fsr_plan_builder *b, const int *order, int n) {
    for (int i = n - 1; i >= 0; --i) {
        const fsr_group *group = &b->p->group[order[i]];
        const int slot = overwrites(group) ? result_slot(b, group) : -1;
        if (slot >= 0)
            *base_slot(b, group) = slot;
    }
}

/* A temporary written in place of another one is the same memory. */
static void take_over(fsr_plan_builder *b, const fsr_group *group) {
    const int slot = overwrites(group) ? result_slot(b, group) : 0;
    if (slot <= -2)
        b->out->temporary[-2 - slot].in_place_of = -2 - *base_slot(b, group);
}

static bool writes_nothing(const fsr_plan_builder *b, const fsr_kernel *k, const fsr_group *group) {
    for (int i = 0; i < k->narrays; ++i)
        if (k->array[i].written && array_bytes(b->flow, &group->operand[i], b->leaf_node) > 0)
            return false;
    return true;
}

static fsr_thunk *add_thunk(fsr_program *out, fsr_thunk_kind kind) {
    fsr_thunk *thunk = &out->thunk[out->nthunks++];
    thunk->kind = kind;
    return thunk;
}

/* Room is made in powers of two. */
static void add_use(fsr_plan_builder *b, fsr_thunk *thunk, fsr_slot slot, bool written, int64_t bytes) {
    if ((thunk->nuses & (thunk->nuses - 1)) == 0) {
        fsr_use *grown = realloc(thunk->use, sizeof *grown * (size_t)(thunk->nuses ? 2 * thunk->nuses : 1));
        b->no_memory = b->no_memory || !grown;
        if (!grown)
            return;
        thunk->use = grown;
    }
    thunk->use[thunk->nuses++] = (fsr_use){slot, 0, written, bytes};
}

/* Flags that a kernel does not leave zero are its own, cleared before it. */
static void add_flags(fsr_plan_builder *b, fsr_thunk *thunk) {
    const fsr_slot flags = temporary_of(b, thunk->zero_bytes, (fsr_link){-1, 0});
    add_use(b, thunk, flags, true, thunk->zero_bytes);
    const fsr_thunk kernel = *thunk;
    *thunk = (fsr_thunk){.kind = FSR_THUNK_CLEAR};
    add_use(b, thunk, flags, true, kernel.zero_bytes);
    *add_thunk(b->out, FSR_THUNK_KERNEL) = kernel;
}

/* Between the arrays that the group says. */
static fsr_status make_call(fsr_plan_builder *b, const fsr_group *group, const fsr_program_options *options) {
    fsr_thunk *thunk = add_thunk(b->out, FSR_THUNK_LIBRARY);
    fsr_library_call *call = thunk->call = malloc(sizeof *call);
    if (!call)
        return FSR_ERR_MEMORY;
    fsr_library_of(call, b->flow, group->call, &b->p->used[group->call * FSR_MAX_OUTPUTS], options->target.gpu);
    fsr_called_ref(call->called);
    thunk->nothing = true;
    for (int i = 0; i < call->nin + group->nstores; ++i) {
        const bool written = i >= call->nin;
        const fsr_operand result = {.link = written ? group->store[i - call->nin] : (fsr_link){-1, 0}};
        const fsr_operand *operand = written ? &result : &group->operand[i];
        const int64_t bytes = array_bytes(b->flow, operand, b->leaf_node);
        add_use(b, thunk, slot_of(b, operand), written, bytes);
        thunk->bytes_moved = fsr_size_add(thunk->bytes_moved, bytes);
        thunk->nothing = thunk->nothing && (!written || bytes == 0);
    }
    b->out->info.calls++;
    if (call->work_bytes)
        add_use(b, thunk, temporary_of(b, call->work_bytes, (fsr_link){-1, 0}), true, call->work_bytes);
    b->out->info.bytes_moved = fsr_size_add(b->out->info.bytes_moved, thunk->bytes_moved);
    return FSR_OK;
}

/* A result that another one is as well: two nodes that differ in hints. */
static void copy_result(fsr_plan_builder *b, fsr_link from, fsr_link to) {
    const fsr_operand operand[2] = {{.link = from}, {.link = to}};
    fsr_thunk *thunk = add_thunk(b->out, FSR_THUNK_COPY);
    for (int i = 0; i < 2; ++i)
        add_use(b, thunk, slot_of(b, &operand[i]), i == 1, fsr_plan_result_bytes(b->flow, to));
}

/* Its operands and results as uses. */
static fsr_status make_loop(fsr_plan_builder *b, const fsr_group *group) {
    const fsr_flow_node *n = &b->flow->node[group->call];
    fsr_thunk *thunk = add_thunk(b->out, FSR_THUNK_LOOP);
    fsr_loop_plan *loop = thunk->loop = fsr_loop_plan_ref(b->loops->of[group->call]);
    fsr_link result[FSR_MAX_OUTPUTS];
    fsr_loop_layout layout;
    int next = 0;
    thunk->report = n->report - 1;
    for (int k = 0; k < n->nargs; ++k) {
        if (loop->scalar[k])
            thunk->scalar[k] = b->flow->node[n->arg[k].id].ordinal;
        else
            add_use(b, thunk, slot_of(b, &group->operand[next]), false,
                    array_bytes(b->flow, &group->operand[next], b->leaf_node));
        next += !loop->scalar[k];
    }
    for (int i = 0; i < group->nstores; ++i) {
        const fsr_operand stored = {.link = group->store[i]};
        const int output = b->flow->node[stored.link.id].arg[0].output;
        if (thunk->present >> output & 1)
            continue;
        thunk->present |= 1u << output;
        result[output] = stored.link;
        add_use(b, thunk, slot_of(b, &stored), true, array_bytes(b->flow, &stored, b->leaf_node));
    }
    fsr_loop_lay_out(loop, thunk->present, &layout);
    if (layout.bytes)
        add_use(b, thunk, temporary_of(b, layout.bytes, (fsr_link){-1, 0}), true, layout.bytes);
    thunk->bytes_moved = fsr_size_mul(loop->turn.program.info.bytes_moved, fsr_loop_turns(loop));
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
    b->out->info.bytes_moved = fsr_size_add(b->out->info.bytes_moved, thunk->bytes_moved);
    return FSR_OK;
}

/* They may become arguments, for which the group needs room meanwhile. */
static void bind_literals(fsr_plan_builder *b, fsr_group *group) {
    if (!b->flow->use)
        return;
    if (!fsr_group_grow(group)) {
        b->no_memory = true;
        return;
    }
    fsr_literals_bind(group, b->p, b->out->text);
    (void)fsr_group_keep(group); /* room that cannot be given back is kept */
}

static void make_step(fsr_plan_builder *b, fsr_group *group, const fsr_program_options *options) {
    fsr_thunk *thunk = add_thunk(b->out, FSR_THUNK_KERNEL);
    fsr_kernel *k = group->kernel;
    k->contraction = options->contraction;
    bind_literals(b, group);
    if (!fsr_schedule_choose(group, &options->target))
        b->no_memory = true;
    thunk->kernel = k;
    thunk->group = (int)(group - b->p->group);
    group->kernel = NULL;
    const bool cached = fsr_block_is_cached(k, k->integer);
    for (int i = 0; i < k->narrays; ++i) {
        if (k->array[i].banded) {
            add_use(b, thunk, (fsr_slot){FSR_SLOT_BAND, i}, false, 0);
            continue;
        }
        int64_t bytes = array_bytes(b->flow, &group->operand[i], b->leaf_node);
        add_use(b, thunk, slot_of(b, &group->operand[i]), k->array[i].written, bytes);
        bool whole = !group->part && (group->operand[i].leaf || k->array[i].written);
        int64_t touched = whole ? bytes : fsr_touched_bytes(k, k->integer, i, bytes);
        thunk->bytes_moved =
            fsr_size_add(thunk->bytes_moved, fsr_size_mul(touched, cached ? 1 : fsr_array_passes(k, i)));
    }
    take_over(b, group);
    if (k->nscalars)
        memcpy(thunk->scalar, group->scalar, sizeof thunk->scalar[0] * (size_t)k->nscalars);
    thunk->blocks = fsr_kernel_blocks(k, k->integer);
    thunk->nothing = writes_nothing(b, k, group);
    thunk->work_bytes = thunk->nothing ? 0 : fsr_kernel_work_bytes(k, k->integer);
    thunk->zero_bytes = thunk->nothing ? 0 : fsr_kernel_zero_bytes(k, k->integer);
    thunk->in_place = group->in_place;
    thunk->places = fsr_group_places(group);
    thunk->part = thunk->places == 1 && fsr_domain_is_part(&group->domain);
    if (thunk->work_bytes > b->out->work_bytes)
        b->out->work_bytes = thunk->work_bytes;
    b->out->info.bytes_moved = fsr_size_add(b->out->info.bytes_moved, thunk->bytes_moved);
    if (fsr_kernel_leaves_flags(k) && !thunk->nothing)
        add_flags(b, thunk);
    else if (thunk->zero_bytes > b->out->zero_bytes)
        b->out->zero_bytes = thunk->zero_bytes;
}

/* An output of a value that an earlier one has. */
bool fsr_plan_copies(fsr_plan_builder *b, const fsr_program_options *options) {
    for (int i = 0; i < b->out->nouts; ++i) {
        if (b->out->same_out[i] < 0 || (i >= options->apart && b->out->same_out[i] < options->apart))
            continue;
        fsr_thunk *thunk = add_thunk(b->out, FSR_THUNK_COPY);
        const int64_t bytes = fsr_plan_result_bytes(b->flow, b->flow->out[i]);
        add_use(b, thunk, (fsr_slot){FSR_SLOT_OUTPUT, b->out->same_out[i]}, false, bytes);
        add_use(b, thunk, (fsr_slot){FSR_SLOT_OUTPUT, i}, true, bytes);
    }
    return !b->no_memory;
}

static size_t results_of(const fsr_flow *flow) {
    size_t n = 0;
    for (int i = 0; i < flow->n; ++i)
        n += fsr_is(flow->node[i].kind, FSR_IS_RESULT);
    return n;
}

static bool prepare(fsr_plan_builder *b) {
    const fsr_flow *flow = b->flow;
    fsr_program *out = b->out;
    size_t n = (size_t)flow->n + 1;
    b->leaf_node = calloc((size_t)flow->nleaves + 1, sizeof *b->leaf_node);
    b->home_slot = malloc(sizeof *b->home_slot * n * FSR_MAX_OUTPUTS);
    out->thunk = calloc(2 * (size_t)b->p->ngroups + results_of(flow) + (size_t)flow->nout + 1, sizeof *out->thunk);
    out->temporary = calloc((size_t)b->p->ngroups * (FSR_MAX_STORES + 1) + 1, sizeof *out->temporary);
    out->text = calloc((size_t)fsr_literals_count(flow) + 1, sizeof *out->text);
    if (!b->leaf_node || !b->home_slot || !out->thunk || !out->temporary || !out->text)
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
static bool outputs(fsr_plan_builder *b) {
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

bool fsr_plan_begin(fsr_plan_builder *b) {
    return prepare(b) && outputs(b);
}

void fsr_plan_trim(fsr_plan_builder *b) {
    fsr_program *out = b->out;
    fsr_thunk *thunk = realloc(out->thunk, ((size_t)out->nthunks + 1) * sizeof *thunk);
    fsr_temporary *temporary = realloc(out->temporary, ((size_t)out->ntemporaries + 1) * sizeof *temporary);
    out->thunk = thunk ? thunk : out->thunk;
    out->temporary = temporary ? temporary : out->temporary;
}

void fsr_plan_end(fsr_plan_builder *b) {
    free(b->leaf_node);
    free(b->home_slot);
}

fsr_status fsr_plan_add(fsr_plan_builder *b, fsr_group *group, const fsr_program_options *options) {
    b->out->info.kernels += group->kernel != NULL;
    fsr_status status = FSR_OK;
    if (!group->library)
        make_step(b, group, options);
    else
        status = b->flow->node[group->call].rounds ? make_loop(b, group) : make_call(b, group, options);
    return !status && b->no_memory ? FSR_ERR_MEMORY : status;
}
