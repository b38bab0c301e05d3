/* SPDX-License-Identifier: MIT */
/* Running a loop over arrays: its turns one after the other on the stream, without waiting between them.
 *
 * A turn reads the state in one buffer and writes the next one into the other; the first reads the operands, and where
 * the number of turns is known they alternate such that the last one writes the results. Slices are addresses within
 * their arrays, and so are states that are stacked as they are (fusion/loop_slices.c); a state that is changed in place
 * stays in its result (fusion/loop_states.c). A condition is read where the
 * turns of a batch are started; what was started after it had become false has copied the state (fusion/loop_plan.h).
 * Counter-example to reading it after every turn on a GPU: the device would stand still while the host waits and starts
 * the next one. */
#include "runtime/execution.h"
#include <stdlib.h>
#include <string.h>

typedef struct loop {
    const fsr_execution *outer;
    const fsr_thunk *thunk;
    const fsr_loop_plan *plan;
    int at; /* the thunk's number */
    fsr_loop_layout layout;
    char *operand[FSR_MAX_ARGS];   /* NULL: a scalar */
    char *result[FSR_MAX_OUTPUTS]; /* a state's buffer, or where slices are stacked, or one is left */
    char *state[FSR_MAX_OUTPUTS];  /* where the state is now */
    int home[FSR_MAX_OUTPUTS];     /* of a state: what is stacked in whose slices it lies, -1: none */
    char *work;
    void *leaf[FSR_MAX_ARGS + 1], *out[FSR_MAX_OUTPUTS + 1];
    fsr_value *scalar;
    fsr_execution inner;
} loop;

/* ---- what a turn sees ------------------------------------------------------------------------------------------- */

static void find_arrays(loop *l) {
    const fsr_loop_plan *p = l->plan;
    int next = 0;
    for (int k = 0; k < p->noperands; ++k)
        l->operand[k] = p->scalar[k] ? NULL : fsr_execution_address(l->outer, &l->thunk->use[next++]);
    char *result[FSR_MAX_OUTPUTS] = {NULL};
    for (int i = 0; i < p->form.nstate + p->form.nstacked; ++i)
        if (l->thunk->present >> i & 1)
            result[i] = fsr_execution_address(l->outer, &l->thunk->use[next++]);
    l->work = next < l->thunk->nuses ? fsr_execution_address(l->outer, &l->thunk->use[next]) : NULL;
    for (int i = 0; i < p->form.nstate + p->form.nstacked; ++i)
        l->result[i] = result[i] || !l->work ? result[i] : l->work + l->layout.absent[i];
    memcpy(l->state, l->operand, sizeof l->state[0] * (size_t)p->form.nstate);
    for (int i = 0; i < p->form.nstate; ++i)
        l->home[i] = fsr_loop_home(p, l->thunk->present, i);
}

static char *slice_of(char *array, int64_t at, int64_t bytes) {
    return array ? array + at * bytes : NULL;
}

static char *operand_now(const loop *l, int k, int64_t at) {
    const fsr_loop_plan *p = l->plan;
    if (k < p->form.nstate)
        return l->state[k];
    if (k >= p->form.nstate + p->form.nsliced)
        return l->operand[k];
    return p->staged[k] ? l->work + l->layout.staged[k] : slice_of(l->operand[k], at, p->bytes[k]);
}

static fsr_value scalar_now(const loop *l, const fsr_loop_scalar *s, int64_t turn) {
    if (s->operand == FSR_LOOP_NUMBER)
        return fsr_value_from_int(FSR_I64, turn);
    return s->operand == FSR_LOOP_FIXED ? s->value : l->outer->scalar[l->thunk->scalar[s->operand]];
}

/* The leaves and scalars of a part of the body in turn `turn`, on slice `at`. */
static void give(loop *l, const fsr_loop_part *part, int64_t turn, int64_t at) {
    for (int i = 0; i < part->program.nleaves; ++i)
        l->leaf[i] =
            part->leaf[i] == FSR_LOOP_GO ? l->work + l->layout.go[turn % 2] : operand_now(l, part->leaf[i], at);
    for (int i = 0; i < part->program.nscalars; ++i)
        l->scalar[i] = scalar_now(l, &part->scalar[i], turn);
    l->inner.program = &part->program;
}

/* Slices that are copied on their way into the workspace. */
static fsr_status copy_in(const loop *l, int64_t at, fsr_fault *fault) {
    const fsr_loop_plan *p = l->plan;
    fsr_status status = FSR_OK;
    for (int k = p->form.nstate; k < p->form.nstate + p->form.nsliced && !status; ++k)
        if (p->staged[k])
            status = fsr_execution_copy(l->outer, l->work + l->layout.staged[k],
                                        slice_of(l->operand[k], at, p->bytes[k]), p->bytes[k], fault);
    return status;
}

/* Where a turn leaves what it stacks. */
static char *stacked_now(const loop *l, int i, int64_t at) {
    const fsr_loop_plan *p = l->plan;
    if (!(l->thunk->present >> i & 1))
        return l->result[i];
    return p->staged_out[i] ? l->work + l->layout.stacked[i] : slice_of(l->result[i], at, p->result_bytes[i]);
}

/* Slices of what is stacked that are not where the turn has left them: those that the workspace has, and states that
 * lie elsewhere. */
static fsr_status copy_out(const loop *l, int64_t at, fsr_fault *fault) {
    const fsr_loop_plan *p = l->plan;
    fsr_status status = FSR_OK;
    for (int i = p->form.nstate; i < p->form.nstate + p->form.nstacked && !status; ++i) {
        const char *left = p->state_of[i] >= 0 ? l->state[p->state_of[i]] : stacked_now(l, i, at);
        if (l->thunk->present >> i & 1)
            status = fsr_execution_copy(l->outer, slice_of(l->result[i], at, p->result_bytes[i]), left,
                                        p->result_bytes[i], fault);
    }
    return status;
}

/* ---- turns ------------------------------------------------------------------------------------------------- */

/* Reads a condition; the host waits for it. */
static fsr_status read_go(const loop *l, int which, bool *go, fsr_fault *fault) {
    const fsr_execution *x = l->outer;
    uint8_t byte = 0;
    fsr_status status =
        x->ctx->backend->ops->copy_out(x->ctx->backend, &byte, l->work + l->layout.go[which], 1, x->stream, fault);
    *go = byte != 0;
    return status;
}

static fsr_status test_first(loop *l, bool *go, fsr_fault *fault) {
    *go = true;
    if (!l->plan->form.conditional)
        return FSR_OK;
    give(l, &l->plan->first, 0, 0);
    l->out[0] = l->work + l->layout.go[0];
    fsr_status status = fsr_execution_thunks(&l->inner, l->at + 1, l->plan->first.nthunks, fault);
    return status ? status : read_go(l, 0, go, fault);
}

/* Turn `turn`, whose next state goes to the results or to the other buffers. */
static fsr_status run_turn(loop *l, int64_t turn, int64_t at, bool to_result, fsr_fault *fault) {
    const fsr_loop_plan *p = l->plan;
    char *next[FSR_MAX_OUTPUTS];
    fsr_status status = copy_in(l, at, fault);
    if (status)
        return status;
    give(l, &p->turn, turn, at);
    for (int i = 0; i < p->form.nstate; ++i)
        l->out[i] = next[i] = l->home[i] >= 0                    ? stacked_now(l, l->home[i], at)
                              : to_result || p->updated >> i & 1 ? l->result[i]
                                                                 : l->work + l->layout.spare[i];
    for (int i = p->form.nstate; i < p->form.nstate + p->form.nstacked; ++i)
        l->out[i] = stacked_now(l, i, at);
    l->out[p->form.nstate + p->form.nstacked] = l->work + l->layout.go[(turn + 1) % 2];
    status = fsr_execution_thunks(&l->inner, l->at + 1 + p->first.nthunks, p->turn.nthunks, fault);
    memcpy(l->state, next, sizeof next[0] * (size_t)p->form.nstate);
    return status ? status : copy_out(l, at, fault);
}

/* The turns that there are to be; of a number that the device has, the host waits for it. */
static fsr_status count_turns(const loop *l, int64_t *n, fsr_fault *fault) {
    const fsr_execution *x = l->outer;
    const int last = l->plan->noperands - 1;
    fsr_value value = {.bits = 0};
    *n = l->plan->form.count;
    if (*n >= 0)
        return FSR_OK;
    fsr_status status = FSR_OK;
    if (l->plan->scalar[last])
        value = x->scalar[l->thunk->scalar[last]];
    else
        status = x->ctx->backend->ops->copy_out(x->ctx->backend, &value, l->operand[last], l->plan->bytes[last],
                                                x->stream, fault);
    *n = status ? 0 : fsr_rounds_counted(l->plan->count_dtype, value);
    return status;
}

/* Where the last turn has not written the results. */
static fsr_status settle(const loop *l, fsr_fault *fault) {
    fsr_status status = FSR_OK;
    for (int i = 0; i < l->plan->form.nstate && !status; ++i)
        if (l->thunk->present >> i & 1)
            status = fsr_execution_copy(l->outer, l->result[i], l->state[i], l->plan->result_bytes[i], fault);
    return status;
}

/* States that are changed in place are brought there. */
static fsr_status bring(loop *l, fsr_fault *fault) {
    fsr_status status = FSR_OK;
    for (int i = 0; i < l->plan->form.nstate && !status; ++i)
        if (l->plan->updated >> i & 1) {
            status = fsr_execution_copy(l->outer, l->result[i], l->state[i], l->plan->result_bytes[i], fault);
            l->state[i] = l->result[i];
        }
    return status;
}

static fsr_status run_turns(loop *l, fsr_fault *fault) {
    const fsr_loop_plan *p = l->plan;
    int64_t n = 0;
    bool go = true, over = false; /* a result lies where the first turn reads */
    for (int i = 0; i < p->form.nstate; ++i)
        over = over || (l->state[i] == l->result[i] && !(p->updated >> i & 1));
    fsr_status status = count_turns(l, &n, fault);
    if (!status && n > 0)
        status = test_first(l, &go, fault);
    if (!status && n > 0 && go)
        status = bring(l, fault);
    for (int64_t turn = 0; turn < n && go && !status; ++turn) {
        const bool to_result = over ? turn % 2 == 1 : p->form.conditional ? turn % 2 == 0 : (n - turn) % 2 == 1;
        status = run_turn(l, turn, p->form.reverse ? n - 1 - turn : turn, to_result, fault);
        if (!status && p->form.conditional && (turn + 1) % p->batch == 0)
            status = read_go(l, (int)((turn + 1) % 2), &go, fault);
    }
    return status ? status : settle(l, fault);
}

fsr_status fsr_loop_run(const fsr_execution *x, int i, fsr_fault *fault) {
    const fsr_thunk *thunk = &x->all->program.thunk[i];
    const fsr_loop_plan *p = thunk->loop;
    const int first = p->first.program.nscalars, turn = p->turn.program.nscalars;
    loop *l = calloc(1, sizeof *l);
    if (l)
        l->scalar = calloc((size_t)(first > turn ? first : turn) + 1, sizeof *l->scalar);
    if (!l || !l->scalar) {
        free(l);
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "out of memory for a loop");
    }
    l->outer = x;
    l->thunk = thunk;
    l->plan = p;
    l->at = i;
    fsr_loop_lay_out(p, thunk->present, &l->layout);
    find_arrays(l);
    l->inner = *x;
    l->inner.leaf = l->leaf;
    l->inner.out = l->out;
    l->inner.scalar = l->scalar;
    l->inner.literal = NULL;
    l->inner.arena = l->work ? l->work + l->layout.arena : NULL;
    l->inner.words = x->words ? x->words + (thunk->report > 0 ? thunk->report : 0) : NULL;
    const fsr_status status = run_turns(l, fault);
    free(l->scalar);
    free(l);
    return status;
}
