/* SPDX-License-Identifier: MIT */
/* Loops over arrays interpreted: each turn in new buffers between guards, so that a turn which writes what it reads, or
 * past it, is found; and, as on a GPU, turns of a batch after the condition has become false. */
#include "graph/shape.h"
#include "tests/fuzz/execution.h"
#include <stdlib.h>
#include <string.h>

typedef struct loop {
    execution *outer;
    const fsr_thunk *thunk;
    const fsr_loop_plan *plan;
    char *operand[FSR_MAX_ARGS], *result[FSR_MAX_OUTPUTS];
    char *state[FSR_MAX_OUTPUTS]; /* malloc'ed */
    char go;
} loop;

static int64_t count_of(const loop *l) {
    const int last = l->plan->noperands - 1;
    fsr_value value = {.bits = 0};
    if (l->plan->form.count >= 0)
        return l->plan->form.count;
    if (l->plan->scalar[last])
        value = l->outer->scalar[l->thunk->scalar[last]];
    else
        memcpy(&value, l->operand[last], (size_t)l->plan->bytes[last]);
    return fsr_rounds_counted(l->plan->count_dtype, value);
}

static void *leaf_of(loop *l, int k, int64_t at) {
    const fsr_loop_plan *p = l->plan;
    if (k == FSR_LOOP_GO)
        return &l->go;
    if (k < p->form.nstate)
        return l->state[k];
    return l->operand[k] + (k < p->form.nstate + p->form.nsliced ? at * p->bytes[k] : 0);
}

static fsr_value scalar_of(const loop *l, const fsr_loop_scalar *s, int64_t turn) {
    if (s->operand == FSR_LOOP_NUMBER)
        return fsr_value_from_int(FSR_I64, turn);
    return s->operand == FSR_LOOP_FIXED ? s->value : l->outer->scalar[l->thunk->scalar[s->operand]];
}

static bool whole(const unsigned char *block, int64_t bytes) {
    for (int64_t b = 0; b < GUARD; b++)
        if (block[b] != PATTERN || block[GUARD + bytes + b] != PATTERN)
            return false;
    return true;
}

/* Runs a part of the body; out[i], of bytes[i], is malloc'ed between guards. */
static fsr_status run_part(loop *l, const fsr_loop_part *part, const fsr_thunk *thunks, int64_t turn, int64_t at,
                           const int64_t *bytes, unsigned char **out) {
    const fsr_program *p = &part->program;
    execution e = *l->outer;
    fsr_status status = FSR_OK;
    e.program = *p;
    e.out = out;
    e.word = l->outer->word + (l->thunk->report > 0 ? l->thunk->report : 0);
    e.leaf = calloc((size_t)p->nleaves + 1, sizeof *e.leaf);
    e.scalar = calloc((size_t)p->nscalars + 1, sizeof *e.scalar);
    e.arena = fuzz_arena_new(p);
    memset(e.arena, PATTERN, (size_t)p->arena_bytes);
    for (int i = 0; i < p->nleaves; i++)
        e.leaf[i] = leaf_of(l, part->leaf[i], at);
    for (int i = 0; i < p->nscalars; i++)
        e.scalar[i] = scalar_of(l, &part->scalar[i], turn);
    for (int i = 0; i < p->nouts; i++) {
        out[i] = malloc((size_t)bytes[i] + 2 * GUARD);
        memset(out[i], PATTERN, (size_t)bytes[i] + 2 * GUARD);
    }
    status = fuzz_run_thunks(&e, thunks, part->nthunks);
    for (int i = 0; i < p->nouts && !status; i++)
        status = whole(out[i], bytes[i]) ? FSR_OK : FSR_ERR_INTERNAL;
    fuzz_arena_free(p, e.arena);
    free(e.leaf);
    free(e.scalar);
    return status;
}

static fsr_status run_turn(loop *l, int64_t turn, int64_t at) {
    const fsr_loop_plan *p = l->plan;
    const int n = p->form.nstate + p->form.nstacked;
    unsigned char *out[FSR_MAX_OUTPUTS + 1] = {NULL};
    int64_t bytes[FSR_MAX_OUTPUTS + 1];
    memcpy(bytes, p->result_bytes, sizeof p->result_bytes);
    bytes[n] = 1;
    fsr_status status = run_part(l, &p->turn, l->thunk + 1 + p->first.nthunks, turn, at, bytes, out);
    for (int i = 0; i < n && out[i]; i++) {
        if (i < p->form.nstate)
            memcpy(l->state[i], out[i] + GUARD, (size_t)bytes[i]);
        else if (l->result[i])
            memcpy(l->result[i] + at * bytes[i], out[i] + GUARD, (size_t)bytes[i]);
        free(out[i]);
    }
    if (p->form.conditional && out[n])
        l->go = (char)out[n][GUARD];
    if (p->form.conditional)
        free(out[n]);
    return status;
}

static fsr_status test_first(loop *l) {
    unsigned char *out[1] = {NULL};
    if (!l->plan->form.conditional)
        return FSR_OK;
    fsr_status status = run_part(l, &l->plan->first, l->thunk + 1, 0, 0, (const int64_t[]){1}, out);
    l->go = out[0] ? (char)out[0][GUARD] : 0;
    free(out[0]);
    return status;
}

fsr_status fuzz_run_loop(execution *e, const fsr_thunk *thunk) {
    loop l = {.outer = e, .thunk = thunk, .plan = thunk->loop, .go = 1};
    const fsr_loop_plan *p = thunk->loop;
    int next = 0;
    for (int k = 0; k < p->noperands; k++)
        l.operand[k] = p->scalar[k] ? NULL : fuzz_address(e, &thunk->use[next++]);
    for (int i = 0; i < p->form.nstate + p->form.nstacked; i++)
        l.result[i] = thunk->present >> i & 1 ? fuzz_address(e, &thunk->use[next++]) : NULL;
    for (int i = 0; i < p->form.nstate; i++) {
        l.state[i] = malloc((size_t)p->bytes[i] + 1);
        memcpy(l.state[i], l.operand[i], (size_t)p->bytes[i]);
    }
    const int64_t n = count_of(&l);
    fsr_status status = test_first(&l);
    bool more = l.go;
    for (int64_t turn = 0; turn < n && more && !status; turn++) {
        status = run_turn(&l, turn, p->form.reverse ? n - 1 - turn : turn);
        more = l.go || (turn + 1) % p->batch != 0;
    }
    for (int i = 0; i < p->form.nstate; i++) {
        if (l.result[i])
            memcpy(l.result[i], l.state[i], (size_t)p->bytes[i]);
        free(l.state[i]);
    }
    return status;
}
