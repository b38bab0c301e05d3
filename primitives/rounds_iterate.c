/* SPDX-License-Identifier: MIT */
/* A loop over arrays whose turn is elementwise, as a loop for each element: one kernel, in which each thread has the
 * state of its own elements in registers, instead of a kernel a turn, and which what comes before and after may join.
 *
 * States are of one shape, nothing is stacked, and the turn is elementwise (rounds_each.h); a condition is one number,
 * so with one the states are, too. The number of the turn is a state more, of 32 bits, which
 * is lanes of as many. Slices are taken from where they lie, at the
 * turn's number; those of numbers alone: a loop's kernels go along slices of many elements as fast.
 * Bits are those of the turns, as no operation is contracted.
 * Counter-example to a kernel a turn: a check sum of 100,000 bytes was 100,000 calls of a kernel, 57 ns each, for a
 * turn of ten. */
#include "primitives/rounds_each.h"
#include <string.h>

typedef struct turns {
    fsr_each each;
    const fsr_node *operand;
    bool counts;          /* the number of the turn is a state, behind the others */
    int of[FSR_MAX_ARGS]; /* argument of the loop for each element: which of the loop over arrays it is */
    int narg;
} turns;

/* ---- what it takes ---------------------------------------------------------------------------------------------- */

static bool fits(turns *s) {
    fsr_each *e = &s->each;
    const fsr_rounds *t = e->t;
    if (t->form.nstacked || t->form.count < (t->form.nsliced > 0) || t->form.count > INT32_MAX)
        return false;
    e->shape = &fsr_graph_rec(t->body, t->node[0])->shape;
    if ((t->form.nsliced || t->form.conditional) && e->shape->ndim)
        return false;
    for (int i = 0; i < t->form.nstate; i++)
        if (!fsr_shape_equal(&fsr_graph_rec(t->body, t->node[i])->shape, e->shape) || !fsr_each_takes(e, t->result[i]))
            return false;
    if (t->form.conditional && !fsr_each_takes(e, t->first))
        return false;
    s->counts = t->form.nsliced > 0 || fsr_each_met(e, t->number);
    for (int k = t->form.nstate + t->form.nsliced; k < fsr_rounds_operands(t); k++)
        if (fsr_each_met(e, t->node[k]))
            s->of[s->narg++] = k;
    return t->form.nstate + s->counts <= FSR_MAX_STATE &&
           t->form.nstate + s->counts + s->narg + t->form.nsliced <= FSR_MAX_LOOP_OPERANDS;
}

/* ---- the callbacks --------------------------------------------------------------------------------------------- */

static fsr_node whole(const turns *s, fsr_dtype dtype, int64_t value) {
    return fsr_literal(s->each.g, s->each.at, dtype, fsr_value_from_int(dtype, value), false);
}

/* An element of each slice of the turn. */
static void take_slices(turns *s) {
    fsr_each *e = &s->each;
    const fsr_rounds *t = e->t;
    fsr_node at = e->number;
    if (t->form.nsliced && t->form.reverse)
        at = fsr_sub_at(e->at, whole(s, FSR_I64, t->form.count - 1), at);
    for (int k = t->form.nstate; k < t->form.nstate + t->form.nsliced; k++)
        e->operand[k] = fsr_take_at(e->at, s->operand[k], at, 0, FSR_INDEX_CLIP);
}

static void stand(turns *s, const fsr_node *state, const fsr_node *arg) {
    fsr_each *e = &s->each;
    memcpy(e->operand, state, sizeof *state * (size_t)e->t->form.nstate);
    if (s->counts)
        e->number = fsr_convert(e->at, state[e->t->form.nstate], FSR_I64, false);
    for (int i = 0; i < s->narg; i++)
        e->operand[s->of[i]] = arg[i];
    e->nmade = 0;
}

static void body(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    turns *s = user;
    fsr_each *e = &s->each;
    stand(s, state, arg);
    take_slices(s);
    for (int i = 0; i < e->t->form.nstate; i++)
        out[i] = fsr_each_record(e, e->t->result[i]);
    if (s->counts)
        out[e->t->form.nstate] = fsr_add_at(e->at, state[e->t->form.nstate], whole(s, FSR_I32, 1));
}

static void condition(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    turns *s = user;
    stand(s, state, arg);
    out[0] = fsr_each_record(&s->each, s->each.t->first);
}

bool fsr_rounds_iterate(fsr_site at, const fsr_rounds *t, const fsr_node *operand, const fsr_ref *same, fsr_node *out) {
    turns s = {.each = {.t = t, .same = same, .most_met = FSR_MAX_ARGS, .g = operand[0].graph, .at = at},
               .operand = operand};
    fsr_node state[FSR_MAX_STATE + 1], arg[FSR_MAX_ARGS], result[FSR_MAX_OUTPUTS];
    if (!fits(&s))
        return false;
    memcpy(state, operand, sizeof *state * (size_t)t->form.nstate);
    if (s.counts)
        state[t->form.nstate] = whole(&s, FSR_I32, 0);
    for (int i = 0; i < s.narg; i++)
        arg[i] = fsr_each_outside(&s.each, s.of[i]);
    const fsr_loop loop = {body, t->form.conditional ? condition : NULL, &s, t->form.nstate + s.counts, s.narg};
    fsr_iterate_at(at, sizeof loop, result, &loop, state, arg, t->form.count);
    memcpy(out, result, sizeof *out * (size_t)t->form.nstate);
    return true;
}
