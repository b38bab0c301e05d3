/* SPDX-License-Identifier: MIT */
/* Planning loops over arrays; see loop_plan.h. */
#include "fusion/loop_plan.h"
#include "graph/shape.h"
#include <stdlib.h>
#include <string.h>

enum { ALIGN = 256 };

/* ---- references ------------------------------------------------------------------------------------------------ */

static void clear_part(fsr_loop_part *part) {
    fsr_program_clear(&part->program);
    free(part->leaf);
    free(part->scalar);
}

fsr_loop_plan *fsr_loop_plan_ref(fsr_loop_plan *loop) {
    ++loop->refs;
    return loop;
}

void fsr_loop_plan_unref(fsr_loop_plan *loop) {
    if (!loop || --loop->refs > 0)
        return;
    clear_part(&loop->first);
    clear_part(&loop->turn);
    free(loop);
}

/* ---- a body's programs ------------------------------------------------------------------------------------------- */

static int operand_of(const fsr_rounds *t, uint32_t id) {
    for (int k = 0; k < fsr_rounds_operands(t); ++k)
        if (t->node[k] == id)
            return k;
    return id == t->number ? FSR_LOOP_NUMBER : id == t->go ? FSR_LOOP_GO : FSR_LOOP_FIXED;
}

/* What the program's leaves and scalars are. */
static bool bind(fsr_loop_part *part, const fsr_rounds *t, const fsr_flow *flow, const fsr_binding *binding) {
    part->leaf = malloc(sizeof *part->leaf * ((size_t)flow->nleaves + 1));
    part->scalar = calloc((size_t)flow->nscalars + 1, sizeof *part->scalar);
    if (!part->leaf || !part->scalar)
        return false;
    for (int i = 0; i < flow->nleaves; ++i)
        part->leaf[i] = operand_of(t, binding->leaf[i].id);
    for (int i = 0; i < flow->nscalars; ++i)
        part->scalar[i] = (fsr_loop_scalar){operand_of(t, binding->scalar[i].id),
                                            fsr_graph_rec(t->body, binding->scalar[i].id)->value};
    return true;
}

/* The number of a turn is less than the count of turns, where that is known. */
static void bound_number(fsr_flow *flow, const fsr_binding *binding, const fsr_rounds *t) {
    for (int i = 0; i < flow->n; ++i)
        if (fsr_is(flow->node[i].kind, FSR_IS_ARGUMENT) && t->form.count > 0 && !t->form.conditional &&
            binding->scalar[flow->node[i].ordinal].id == t->number)
            flow->node[i].below = t->form.count;
}

/* *states: those that may be changed in place, and then those that the plan has been asked to (loop_states.c). */
static fsr_status make_part(fsr_loop_part *part, const fsr_rounds *t, const fsr_ref *outs, int n, uint32_t *states,
                            const fsr_program_options *options, char *why, size_t size) {
    fsr_flow flow;
    fsr_binding binding;
    fsr_status status = fsr_flow_build_all(&flow, &binding, t->body, outs, n);
    if (status)
        return status;
    if (!bind(part, t, &flow, &binding))
        status = FSR_ERR_MEMORY;
    bound_number(&flow, &binding, t);
    fsr_binding_clear(&binding);
    if (!status && *states && options->fusion)
        status = fsr_loop_set_sections(&flow, part->leaf, *states);
    if (!status && *states)
        status = fsr_loop_own_states(&flow, part->leaf, states);
    if (status)
        fsr_flow_clear(&flow);
    else
        status = fsr_program_make(&part->program, &flow, options, why, size);
    part->nthunks = part->program.nthunks;
    return status;
}

/* What a turn gives: the next state, what is stacked, and with a condition whether there is another one. */
static fsr_status make_turn(fsr_loop_plan *loop, const fsr_rounds *t, const fsr_program_options *options, char *why,
                            size_t size) {
    fsr_ref outs[FSR_MAX_OUTPUTS + 1];
    const int n = t->form.nstate + t->form.nstacked;
    const bool guarded = t->form.conditional && options->target.gpu;
    fsr_program_options own = *options;
    own.apart = t->form.conditional ? 0 : t->form.nstate;
    memcpy(outs, guarded ? t->guarded : t->result, sizeof *outs * (size_t)n);
    outs[n] = guarded ? t->still : t->again;
    uint32_t asked = guarded ? 0 : fsr_loop_may_update(t, loop->bytes, options->target.gpu);
    fsr_status status = make_part(&loop->turn, t, outs, n + t->form.conditional, &asked, &own, why, size);
    loop->updated = status ? 0 : fsr_loop_leave_copies(&loop->turn, asked);
    if (status || loop->updated == asked)
        return status;
    clear_part(&loop->turn);
    memset(&loop->turn, 0, sizeof loop->turn);
    loop->updated = asked = 0;
    return make_part(&loop->turn, t, outs, n + t->form.conditional, &asked, &own, why, size);
}

/* Whether there is a first turn. */
static fsr_status make_first(fsr_loop_plan *loop, const fsr_rounds *t, const fsr_program_options *options, char *why,
                             size_t size) {
    fsr_program_options own = *options;
    uint32_t none = 0;
    own.apart = 0;
    return make_part(&loop->first, t, &t->first, 1, &none, &own, why, size);
}

static void measure(fsr_loop_plan *loop, const fsr_rounds *t, const fsr_flow *flow, const fsr_flow_node *n) {
    for (int k = 0; k < fsr_rounds_operands(t); ++k) {
        const fsr_rec *rec = fsr_graph_rec(t->body, t->node[k]);
        loop->scalar[k] = fsr_rounds_scalar(t, k);
        loop->bytes[k] = fsr_shape_bytes(&rec->shape, rec->dtype[0]);
    }
    for (int i = 0; i < t->form.nstate + t->form.nstacked; ++i)
        loop->result_bytes[i] =
            fsr_shape_bytes(&fsr_graph_rec(t->body, t->result[i].id)->shape, fsr_rounds_result(t, i).dtype[0]);
    if (t->form.count >= 0)
        return;
    const fsr_link last = n->arg[n->nargs - 1];
    loop->count_dtype = flow->node[last.id].dtype[last.output];
    loop->scalar[n->nargs - 1] = fsr_is(flow->node[last.id].kind, FSR_IS_ARGUMENT);
    loop->bytes[n->nargs - 1] = (int64_t)fsr_dtype_size(loop->count_dtype);
}

fsr_status fsr_loop_plan_make(fsr_loop_plan **out, const fsr_flow *flow, int node, const fsr_program_options *options,
                              char *why, size_t size) {
    const fsr_flow_node *n = &flow->node[node];
    const fsr_rounds *t = n->rounds;
    fsr_loop_plan *loop = *out = calloc(1, sizeof *loop);
    if (!loop)
        return FSR_ERR_MEMORY;
    loop->refs = 1;
    loop->form = t->form;
    loop->noperands = n->nargs;
    measure(loop, t, flow, n);
    fsr_status status = make_turn(loop, t, options, why, size);
    if (!status && t->form.conditional)
        status = make_first(loop, t, options, why, size);
    if (!status)
        fsr_loop_place_slices(loop, options->target.gpu);
    loop->batch = options->target.gpu && loop->turn.program.nreports == 0 ? FSR_LOOP_BATCH : 1;
    return status;
}

fsr_status fsr_loop_plans_make(fsr_loop_plans *out, const fsr_flow *flow, const fsr_program_options *options, char *why,
                               size_t size) {
    fsr_status status = FSR_OK;
    *out = (fsr_loop_plans){.n = flow->n};
    for (int i = 0; i < flow->n && !status; ++i) {
        if (!flow->node[i].rounds)
            continue;
        if (!out->of && !(out->of = calloc((size_t)flow->n, sizeof *out->of)))
            return FSR_ERR_MEMORY;
        status = fsr_loop_plan_make(&out->of[i], flow, i, options, why, size);
    }
    return status;
}

void fsr_loop_plans_clear(fsr_loop_plans *loops) {
    for (int i = 0; loops->of && i < loops->n; ++i)
        fsr_loop_plan_unref(loops->of[i]);
    free(loops->of);
    loops->of = NULL;
}

/* ---- the workspace ----------------------------------------------------------------------------------------- */

/* Takes room for n bytes; where it begins. */
static int64_t take(fsr_loop_layout *l, int64_t n) {
    const int64_t at = l->bytes;
    l->bytes = fsr_size_add(at, fsr_round_up(n, ALIGN));
    return at;
}

static int64_t block_bytes(const fsr_program *p) {
    return fsr_size_add(p->arena_bytes, p->work_bytes);
}

void fsr_loop_lay_out(const fsr_loop_plan *loop, uint32_t present, fsr_loop_layout *out) {
    memset(out, 0, sizeof *out);
    for (int i = 0; i < loop->form.nstate + loop->form.nstacked; ++i) {
        const int64_t bytes = loop->result_bytes[i];
        const bool lies = fsr_loop_home(loop, present, i) >= 0, stored = i < loop->form.nstate || loop->state_of[i] < 0;
        const bool updated = i < loop->form.nstate && loop->updated >> i & 1;
        out->spare[i] = i < loop->form.nstate && !lies && !updated ? take(out, bytes) : 0;
        out->absent[i] = present >> i & 1 || lies || !stored ? 0 : take(out, bytes);
        out->stacked[i] = loop->staged_out[i] ? take(out, bytes) : 0;
    }
    for (int k = loop->form.nstate; k < loop->form.nstate + loop->form.nsliced; ++k)
        out->staged[k] = loop->staged[k] ? take(out, loop->bytes[k]) : 0;
    for (int i = 0; i < 2 && loop->form.conditional; ++i)
        out->go[i] = take(out, 1);
    const int64_t first = block_bytes(&loop->first.program), turn = block_bytes(&loop->turn.program);
    out->arena = take(out, first > turn ? first : turn);
}

/* ---- one list of thunks ------------------------------------------------------------------------------------- */

/* Bytes count once for each of `times`. */
static void move_thunks(fsr_thunk *to, int *n, fsr_loop_part *part, int64_t times) {
    for (int i = 0; i < part->nthunks; ++i) {
        fsr_thunk *thunk = &to[(*n)++];
        *thunk = part->program.thunk[i];
        thunk->inner = true;
        thunk->bytes_moved = fsr_size_mul(thunk->bytes_moved, times);
    }
    free(part->program.thunk);
    part->program.thunk = NULL;
    part->program.nthunks = 0;
}

/* What is to come behind a program's thunks in one list. */
typedef struct behind {
    fsr_thunk *copy; /* of last states; their memory is the list's */
    int *copies;     /* of each thunk: how many */
    int n;           /* all thunks of the list */
    bool loops;
} behind;

/* Makes kernels of the loops that are some. False: out of memory, and no copy is there. */
static bool make_kernels(fsr_program *program, behind *b) {
    int copies = 0, states = 0;
    for (int i = 0; i < program->nthunks; ++i)
        states += program->thunk[i].loop ? program->thunk[i].loop->form.nstate : 0;
    b->copy = calloc((size_t)states + 1, sizeof *b->copy);
    b->copies = calloc((size_t)program->nthunks + 1, sizeof *b->copies);
    bool good = b->copy && b->copies;
    for (int i = 0; good && i < program->nthunks; ++i) {
        fsr_thunk *thunk = &program->thunk[i];
        if (fsr_loop_is_kernel(program, thunk)) {
            b->copies[i] = fsr_loop_lasts(thunk);
            b->loops = b->loops || b->copies[i];
            good = fsr_loop_make_kernel(thunk, b->copy + copies) == FSR_OK;
            copies += good ? b->copies[i] : 0;
        }
        b->loops = b->loops || thunk->loop;
        b->n += 1 + b->copies[i] + fsr_loop_thunks(thunk);
    }
    for (int i = 0; !good && i < copies; ++i)
        free(b->copy[i].use);
    return good;
}

static void drop_behind(behind *b) {
    free(b->copy);
    free(b->copies);
}

/* Puts them where they belong. False: out of memory, and no copy is there. */
static bool put_behind(fsr_program *program, behind *b) {
    fsr_thunk *thunk = malloc(sizeof *thunk * (size_t)(b->n + 1));
    int n = 0, copy = 0;
    for (int i = 0; thunk && i < program->nthunks; ++i) {
        fsr_loop_plan *loop = program->thunk[i].loop;
        thunk[n++] = program->thunk[i];
        for (int c = 0; c < b->copies[i]; ++c)
            thunk[n++] = b->copy[copy++];
        if (!loop)
            continue;
        move_thunks(thunk, &n, &loop->first, 1);
        move_thunks(thunk, &n, &loop->turn, fsr_loop_turns(loop));
    }
    for (int i = 0; !thunk && i < program->nthunks; ++i)
        for (int c = 0; c < b->copies[i]; ++c)
            free(b->copy[copy++].use);
    if (!thunk)
        return false;
    free(program->thunk);
    program->thunk = thunk;
    program->nthunks = n;
    return true;
}

bool fsr_loop_splice(fsr_program *program) {
    behind b = {0};
    bool any = false;
    for (int i = 0; i < program->nthunks; ++i)
        any = any || program->thunk[i].loop;
    bool good = !any || make_kernels(program, &b);
    if (good && b.loops)
        good = put_behind(program, &b);
    drop_behind(&b);
    return good;
}
