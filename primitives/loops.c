/* SPDX-License-Identifier: MIT */
/* The builders of loops over arrays: what they were called with is checked, and becomes one recording (rounds.c).
 *
 * The number of arrays is checked before any is looked at. Counter-example to taking the results' number as given: a
 * call with too many would write its poison behind the caller's array. */
#include "primitives/rounds_record.h"
#include <stdlib.h>
#include <string.h>

/* What a builder was called with. */
typedef struct call {
    const char *what;
    fsr_site at;
    const fsr_node *state, *sliced;
    fsr_rounds_form form; /* `rounds` in place of its count, if it is not NULL */
    fsr_node *rounds;
    int axis, unknown_flags;
    fsr_turn_fn body, condition;
    bool scans;
    void *user;
} call;

/* How many arrays, and whether they are there. False: *poison says what is wrong. */
static bool call_take(const call *c, fsr_graph *g, fsr_node *poison) {
    const int results = c->form.nstate + c->form.nstacked;
    if (!c->state || (c->form.nsliced && !c->sliced))
        *poison = fsr_poison(g, c->at, FSR_ERR_NULL, c->what, "the arrays are null");
    else if (!c->body || (c->form.conditional && !c->condition))
        *poison =
            fsr_poison(g, c->at, FSR_ERR_NULL, c->what, "the %s is null", c->body ? "loop's condition" : "loop's body");
    else if (c->scans && c->form.nsliced < 1)
        *poison = fsr_poison(g, c->at, FSR_ERR_VALUE, c->what, "%d arrays with slices", c->form.nsliced);
    else if (c->unknown_flags)
        *poison = fsr_poison(g, c->at, FSR_ERR_VALUE, c->what, "unknown flags, %d", c->unknown_flags);
    else if (c->form.count < 0)
        *poison = fsr_poison(g, c->at, FSR_ERR_VALUE, c->what, "%lld turns at most", (long long)c->form.count);
    else if (results > FSR_MAX_OUTPUTS || c->form.nsliced > FSR_MAX_TURN_ARRAYS)
        *poison = fsr_poison(g, c->at, FSR_ERR_VALUE, c->what,
                             "%d results and %d arrays with slices: at most %d and %d are possible", results,
                             c->form.nsliced, FSR_MAX_OUTPUTS, FSR_MAX_TURN_ARRAYS);
    else
        return true;
    return false;
}

static bool loop(const call *c, fsr_rounds_recording *r, fsr_node *out) {
    fsr_node all[FSR_MAX_ARGS];
    int n = 0;
    for (int i = 0; i < c->form.nstate; i++)
        all[n++] = c->state[i];
    for (int i = 0; i < c->form.nsliced; i++)
        all[n++] = c->sliced[i];
    memcpy(r->operand, all, sizeof *all * (size_t)n);
    if (c->rounds)
        all[n++] = *c->rounds;
    if (fsr_poison_of(c->at, c->what, all, n, &r->g, &r->poison) || !call_take(c, r->g, &r->poison))
        return false;
    fsr_rounds *t = r->source.rounds = fsr_rounds_new(r->g);
    if (!t) {
        r->poison = fsr_graph_no_memory(r->g);
        return false;
    }
    t->form = c->form;
    if (c->rounds && !fsr_rounds_record_count(r, *c->rounds))
        return false;
    return fsr_rounds_record(r, out);
}

/* The graph of the first array that has one, which a mistake is recorded in. */
static fsr_graph *home_of(const call *c) {
    for (int i = 0; c->state && i < c->form.nstate; i++)
        if (fsr_graph_alive(c->state[i].graph))
            return c->state[i].graph;
    for (int i = 0; c->sliced && i < c->form.nsliced && i < FSR_MAX_TURN_ARRAYS; i++)
        if (fsr_graph_alive(c->sliced[i].graph))
            return c->sliced[i].graph;
    return c->state ? c->state[0].graph : NULL;
}

enum { MOST_TOLD = 1000 }; /* results that a call with too many is believed to have room for */

/* The number of arrays is checked before any is looked at. */
static void build(const call *c, fsr_node *out) {
    fsr_graph *g = c->state ? c->state[0].graph : NULL;
    fsr_node poison = {0};
    if (!out)
        return;
    if (c->form.nstate < 1 || c->form.nsliced < 0 || c->form.nstacked < 0 || c->form.nstate > FSR_MAX_OUTPUTS ||
        c->form.nstacked > MOST_TOLD) {
        out[0] = fsr_poison(g, c->at, FSR_ERR_VALUE, c->what,
                            "a state of %d arrays, %d with slices and %d stacked: 1 to %d and at least 0 are possible",
                            c->form.nstate, c->form.nsliced, c->form.nstacked, FSR_MAX_OUTPUTS);
        return;
    }
    fsr_rounds_recording *r = calloc(1, sizeof *r);
    g = home_of(c);
    bool good = call_take(c, g, &poison) && r;
    if (good) {
        r->what = c->what;
        r->at = c->at;
        r->body = c->body;
        r->condition = c->condition;
        r->user = c->user;
        r->axis = c->axis;
        good = loop(c, r, out);
        poison = r->poison;
        fsr_rounds_unref(r->source.rounds);
    } else if (!r) {
        poison = fsr_graph_no_memory(g);
    }
    for (int i = 0; i < c->form.nstate + c->form.nstacked && !good; i++)
        out[i] = poison;
    free(r);
}

void fsr_fori_loop_at(fsr_site at, fsr_node *out, const fsr_node *state, int nstate, fsr_node turns, fsr_turn_fn body,
                      void *user) {
    build(&(call){.what = "fori_loop",
                  .at = at,
                  .state = state,
                  .form.nstate = nstate,
                  .rounds = &turns,
                  .body = body,
                  .user = user},
          out);
}

void fsr_while_loop_at(fsr_site at, fsr_node *out, const fsr_node *state, int nstate, int64_t most_turns,
                       fsr_turn_fn condition, fsr_turn_fn body, void *user) {
    build(&(call){.what = "while_loop",
                  .at = at,
                  .state = state,
                  .form.nstate = nstate,
                  .form.count = most_turns,
                  .body = body,
                  .condition = condition,
                  .form.conditional = true,
                  .user = user},
          out);
}

void fsr_scan_loop_at(fsr_site at, fsr_node *out, const fsr_node *state, int nstate, const fsr_node *arrays,
                      int narrays, int nstacked, int axis, int flags, fsr_turn_fn body, void *user) {
    const call c = {.what = "scan_loop",
                    .at = at,
                    .state = state,
                    .sliced = arrays,
                    .form.nstate = nstate,
                    .form.nsliced = narrays,
                    .form.nstacked = nstacked,
                    .form.reverse = (flags & FSR_REVERSE) != 0,
                    .unknown_flags = flags & ~FSR_REVERSE,
                    .scans = true,
                    .axis = axis,
                    .body = body,
                    .user = user};
    build(&c, out);
}
