/* SPDX-License-Identifier: MIT */
/* Loops over arrays: the body recorded once, as a row function's is, and copied into a graph of its own
 * (rounds_body.c).
 *
 * The callbacks are ordinary builder calls on ARG nodes with the arrays' shapes, in a scope of their own; what they
 * leave is checked as an operator's body is (body.c). One node is the loop, and each of its results is a node of its
 * own shape. Counter-example to unrolling the loop into nodes: a thousand turns would be a thousand times the program,
 * and a condition that is computed could not end it. */
#include "primitives/rounds.h"
#include "graph/scope.h"
#include "primitives/body.h"
#include <stdlib.h>

static const char body_name[] = "loop's body", condition_name[] = "loop's condition";

typedef struct recording {
    const char *what; /* the builder's name */
    fsr_graph *g;
    fsr_site at;
    fsr_turn_fn body, condition;
    void *user;
    int axis;
    fsr_node operand[FSR_MAX_ARGS]; /* state, what is sliced, and, if turns->count is -1, the count */
    fsr_node arg[FSR_MAX_ARGS];     /* of the callbacks: state, slices, the number of the turn */
    fsr_rounds_source source;
    fsr_node poison;
} recording;

static bool fail(recording *r, fsr_node poison) {
    r->poison = poison;
    return false;
}

static bool no_memory(recording *r) {
    return fail(r, fsr_graph_no_memory(r->g));
}

/* ---- operands ------------------------------------------------------------------------------------------------- */

static int given(const fsr_rounds *t) {
    return t->nstate + t->nsliced;
}

/* Operand k with the axis that is gone along first; the number of slices becomes the count of turns. */
static bool slices_take(recording *r, int k) {
    fsr_rounds *t = r->source.rounds;
    const int first = 0;
    int axis = r->axis;
    fsr_node *x = &r->operand[k];
    if (!fsr_axis_take(*x, r->at, r->what, fsr_node_ndim(*x), &axis, &r->poison))
        return false;
    const int64_t extent = fsr_node_dim(*x, axis);
    if (k > t->nstate && extent != t->count)
        return fail(r, fsr_poison(r->g, r->at, FSR_ERR_SHAPE, r->what,
                                  "array %d, %s, has %lld slices along axis %d, not %lld as those before",
                                  k - t->nstate, fsr_say(*x).text, (long long)extent, r->axis, (long long)t->count));
    t->count = extent;
    if (axis != 0)
        *x = fsr_moveaxis_at(r->at, *x, &axis, &first, 1);
    return fsr_node_sound(*x) ? true : fail(r, *x);
}

static bool operands_take(recording *r) {
    fsr_rounds *t = r->source.rounds;
    for (int k = 0; k < given(t); k++) {
        r->operand[k] = fsr_strong(r->at, r->operand[k]);
        if (!fsr_node_sound(r->operand[k]))
            return fail(r, r->operand[k]);
        if (k >= t->nstate && !slices_take(r, k))
            return false;
    }
    return true;
}

/* A literal is a part of the plan, what is computed or a parameter an argument of the loop. */
static bool count_take(recording *r, fsr_node turns) {
    fsr_rounds *t = r->source.rounds;
    const fsr_rec *rec = fsr_node_rec(turns);
    const fsr_dtype dtype = rec->dtype[turns.output];
    if (rec->shape.ndim || dtype == FSR_BOOL || fsr_dtype_is_inexact(dtype))
        return fail(r, fsr_poison(r->g, r->at, rec->shape.ndim ? FSR_ERR_SHAPE : FSR_ERR_DTYPE, r->what,
                                  "the number of turns is %s, not a 0-d integer", fsr_say(turns).text));
    if (fsr_is(rec->kind, FSR_IS_LITERAL)) {
        t->count = fsr_rounds_counted(dtype, rec->value);
        return true;
    }
    t->count = -1;
    r->operand[given(t)] = fsr_strong(r->at, turns);
    return true;
}

/* ---- the body ---------------------------------------------------------------------------------------------------- */

/* An argument of the callbacks for each operand, and the number of the turn. */
static bool args_make(recording *r) {
    fsr_rounds *t = r->source.rounds;
    for (int k = 0; k < given(t); k++) {
        const fsr_rec *from = fsr_node_rec(r->operand[k]);
        const int drop = k >= t->nstate;
        fsr_type type = {from->shape, 1, {from->dtype[r->operand[k].output]}};
        type.shape.ndim -= drop;
        memcpy(type.shape.dim, from->shape.dim + drop, sizeof type.shape.dim[0] * (size_t)type.shape.ndim);
        fsr_rec *rec = fsr_graph_add(r->g, r->at, r->what, FSR_NODE_ARG, &type, &r->arg[k]);
        if (!rec)
            return fail(r, r->arg[k]);
        rec->index = k;
        r->source.stand[k] = r->arg[k].id;
    }
    r->arg[given(t)] = fsr_param_at(r->at, r->g, "turn", FSR_I64, 0);
    r->source.number = r->arg[given(t)].id;
    return fsr_node_sound(r->arg[given(t)]) ? true : fail(r, r->arg[given(t)]);
}

/* Result i of the body as it has to be; a literal converts. */
static bool result_take(recording *r, int i, fsr_node *result) {
    fsr_rounds *t = r->source.rounds;
    *result = fsr_body_result(r->g, r->at, r->what, body_name, i, *result);
    if (fsr_node_status(*result))
        return fail(r, *result);
    if (fsr_node_length(*result))
        return fail(r,
                    fsr_poison(r->g, r->at, FSR_ERR_UNSUPPORTED, r->what,
                               "result %d of the %s, %s, has a length that only the device knows; fsr_filled gives it "
                               "its capacity",
                               i, body_name, fsr_say(*result).text));
    if (i >= t->nstate) {
        *result = fsr_strong(r->at, *result);
        return fsr_node_sound(*result) ? true : fail(r, *result);
    }
    const fsr_rec *state = fsr_node_rec(r->arg[i]);
    const fsr_site site = fsr_node_rec(*result)->site;
    *result = fsr_body_value(r->g, r->at, r->what, body_name, i, *result, state->dtype[0]);
    const fsr_rec *rec = fsr_node_sound(*result);
    if (!rec)
        return fail(r, *result);
    if (fsr_shape_equal(&rec->shape, &state->shape))
        return true;
    return fail(r, fsr_poison(r->g, r->at, FSR_ERR_SHAPE, r->what,
                              "result %d of the %s, recorded at %s:%d, is %s, not %s as the state", i, body_name,
                              site.file ? site.file : "?", site.line, fsr_say(*result).text, fsr_say(r->arg[i]).text));
}

static bool condition_take(recording *r, fsr_node *holds) {
    *holds = fsr_body_value(r->g, r->at, r->what, condition_name, 0, *holds, FSR_BOOL);
    const fsr_rec *rec = fsr_node_sound(*holds);
    if (!rec)
        return fail(r, *holds);
    if (rec->shape.ndim == 0)
        return true;
    return fail(r, fsr_poison(r->g, r->at, FSR_ERR_SHAPE, r->what, "the %s is %s, not 0-d", condition_name,
                              fsr_say(*holds).text));
}

/* After a callback every argument is still there. */
static bool took(recording *r, const char *whose, int depth) {
    bool good = true;
    for (int k = 0; k <= given(r->source.rounds) && good; k++)
        good = fsr_body_took(r->g, r->at, r->what, whose, depth, r->arg[k], &r->poison);
    return good;
}

/* Calls back in the open scope, and copies what it leaves. */
static bool run(recording *r, int depth) {
    fsr_rounds *t = r->source.rounds;
    fsr_node out[FSR_MAX_OUTPUTS] = {{0}}, holds = {0};
    if (!args_make(r))
        return false;
    if (t->conditional) {
        r->condition(&holds, r->arg, r->arg + t->nstate, r->user);
        if (!took(r, condition_name, depth) || !condition_take(r, &holds))
            return false;
        r->source.condition = (fsr_ref){holds.id, holds.output};
    }
    r->body(out, r->arg, r->arg + t->nstate, r->user);
    if (!took(r, body_name, depth))
        return false;
    for (int i = 0; i < t->nstate + t->nstacked; i++) {
        if (!result_take(r, i, &out[i]))
            return false;
        r->source.result[i] = (fsr_ref){out[i].id, out[i].output};
    }
    if (t->conditional && !fsr_node_sound(holds))
        return fail(r, fsr_poison(r->g, r->at, FSR_ERR_STALE, r->what, "the %s dropped its condition", body_name));
    if (fsr_rounds_copy(&r->source))
        return true;
    return r->source.problem ? fail(r, fsr_poison(r->g, r->at, FSR_ERR_UNSUPPORTED, r->what, "the %s %s", body_name,
                                                  r->source.problem))
                             : no_memory(r);
}

/* ---- the nodes --------------------------------------------------------------------------------------------- */

/* The loop itself; what the callbacks took from outside is an argument. */
static fsr_rec *loop_record(recording *r, fsr_node *loop) {
    fsr_rounds *t = r->source.rounds;
    fsr_type type = {.nout = t->nstate + t->nstacked};
    for (int i = 0; i < type.nout; i++)
        type.dtype[i] = fsr_rounds_result(t, i).dtype[0];
    fsr_rec *rec = fsr_graph_add(r->g, r->at, r->what, FSR_NODE_LOOP, &type, loop);
    if (!rec)
        return NULL;
    for (int k = 0; k < fsr_rounds_operands(t); k++)
        rec->arg[rec->nargs++] =
            k < given(t) ? (fsr_ref){r->operand[k].id, r->operand[k].output} : r->source.operand[k];
    if (t->count < 0)
        rec->arg[rec->nargs++] = (fsr_ref){r->operand[given(t)].id, r->operand[given(t)].output};
    rec->rounds = fsr_rounds_ref(t);
    return rec;
}

/* Result i, its slices along the axis where they are wanted. */
static bool result_record(recording *r, fsr_node loop, int i, fsr_node *out) {
    fsr_rounds *t = r->source.rounds;
    const fsr_type type = fsr_rounds_result(t, i);
    const int first = 0;
    int axis = r->axis;
    if (type.shape.ndim > FSR_MAX_DIMS)
        return fail(r, fsr_poison(r->g, r->at, FSR_ERR_SHAPE, r->what,
                                  "slices of %d dimensions cannot be stacked: the most are %d", FSR_MAX_DIMS,
                                  FSR_MAX_DIMS - 1));
    fsr_rec *rec = fsr_graph_add(r->g, r->at, r->what, FSR_NODE_RESULT, &type, out);
    if (!rec)
        return fail(r, *out);
    rec->nargs = 1;
    rec->arg[0] = (fsr_ref){loop.id, (uint32_t)i};
    if (i < t->nstate || axis == 0)
        return true;
    if (!fsr_axis_take(*out, r->at, r->what, type.shape.ndim, &axis, &r->poison))
        return false;
    *out = fsr_moveaxis_at(r->at, *out, &first, &axis, 1);
    return fsr_node_sound(*out) ? true : fail(r, *out);
}

static bool nodes_record(recording *r, fsr_node *out) {
    fsr_rounds *t = r->source.rounds;
    fsr_node loop;
    if (fsr_rounds_scan(r->at, t, r->operand, r->source.operand, r->axis, out)) {
        for (int i = 0; i < t->nstate + t->nstacked; i++)
            if (!fsr_node_sound(out[i]))
                return fail(r, out[i]);
        return true;
    }
    if (!loop_record(r, &loop))
        return fail(r, loop);
    for (int i = 0; i < t->nstate + t->nstacked; i++)
        if (!result_record(r, loop, i, &out[i]))
            return false;
    return true;
}

/* Ends the scopes above depth; the results, or the poison, stay. */
static bool leave(recording *r, bool good, fsr_node *out, int nout, int depth) {
    while (good && fsr_scope_depth(r->g) > depth)
        good = fsr_scope_end(r->g, out, nout) == FSR_OK || no_memory(r);
    if (!good && fsr_graph_alive(r->g))
        r->poison = fsr_body_leave(r->g, depth, r->poison);
    return good;
}

/* The callbacks may have dropped the operands. */
static bool still_there(recording *r) {
    fsr_graph *g;
    const fsr_rounds *t = r->source.rounds;
    return !fsr_poison_of(r->at, r->what, r->operand, given(t) + (t->count < 0), &g, &r->poison);
}

static bool record(recording *r, fsr_node *out) {
    fsr_rounds *t = r->source.rounds;
    fsr_node result[FSR_MAX_OUTPUTS] = {{0}};
    const int nout = t->nstate + t->nstacked, depth = fsr_scope_depth(r->g);
    if (!operands_take(r))
        return false;
    if (fsr_scope_begin(r->g))
        return no_memory(r);
    r->source.from = r->g;
    r->source.at = r->at;
    r->source.depth = depth;
    const bool good = run(r, depth + 1) && still_there(r) && nodes_record(r, result);
    if (!leave(r, good, result, nout, depth))
        return false;
    memcpy(out, result, sizeof *out * (size_t)nout);
    return true;
}

/* ---- the builders ------------------------------------------------------------------------------------------------ */

/* What a builder was called with. */
typedef struct call {
    const char *what;
    fsr_site at;
    const fsr_node *state, *sliced;
    int nstate, nsliced, nstacked, unknown_flags;
    fsr_node *rounds; /* NULL: `most` */
    int64_t most;
    bool reverse;
    int axis;
    fsr_turn_fn body, condition;
    bool conditional, scans;
    void *user;
} call;

/* How many arrays, and whether they are there. False: *poison says what is wrong. */
static bool call_take(const call *c, fsr_graph *g, fsr_node *poison) {
    const int results = c->nstate + c->nstacked;
    if (!c->state || (c->nsliced && !c->sliced))
        *poison = fsr_poison(g, c->at, FSR_ERR_NULL, c->what, "the arrays are null");
    else if (!c->body || (c->conditional && !c->condition))
        *poison = fsr_poison(g, c->at, FSR_ERR_NULL, c->what, "the %s is null", c->body ? condition_name : body_name);
    else if (c->scans && c->nsliced < 1)
        *poison = fsr_poison(g, c->at, FSR_ERR_VALUE, c->what, "%d arrays with slices", c->nsliced);
    else if (c->unknown_flags)
        *poison = fsr_poison(g, c->at, FSR_ERR_VALUE, c->what, "unknown flags, %d", c->unknown_flags);
    else if (c->most < 0)
        *poison = fsr_poison(g, c->at, FSR_ERR_VALUE, c->what, "%lld turns at most", (long long)c->most);
    else if (results > FSR_MAX_OUTPUTS || c->nsliced > FSR_MAX_TURN_ARRAYS)
        *poison = fsr_poison(g, c->at, FSR_ERR_VALUE, c->what,
                             "%d results and %d arrays with slices: at most %d and %d are possible", results,
                             c->nsliced, FSR_MAX_OUTPUTS, FSR_MAX_TURN_ARRAYS);
    else
        return true;
    return false;
}

static bool loop(const call *c, recording *r, fsr_node *out) {
    fsr_node all[FSR_MAX_ARGS];
    int n = 0;
    for (int i = 0; i < c->nstate; i++)
        all[n++] = c->state[i];
    for (int i = 0; i < c->nsliced; i++)
        all[n++] = c->sliced[i];
    memcpy(r->operand, all, sizeof *all * (size_t)n);
    if (c->rounds)
        all[n++] = *c->rounds;
    if (fsr_poison_of(c->at, c->what, all, n, &r->g, &r->poison) || !call_take(c, r->g, &r->poison))
        return false;
    fsr_rounds *t = r->source.rounds = fsr_rounds_new(r->g);
    if (!t)
        return no_memory(r);
    t->nstate = c->nstate;
    t->nsliced = c->nsliced;
    t->nstacked = c->nstacked;
    t->reverse = c->reverse;
    t->conditional = c->conditional;
    t->count = c->most;
    if (c->rounds && !count_take(r, *c->rounds))
        return false;
    return record(r, out);
}

/* The graph of the first array that has one, which a mistake is recorded in. */
static fsr_graph *home_of(const call *c) {
    for (int i = 0; c->state && i < c->nstate; i++)
        if (fsr_graph_alive(c->state[i].graph))
            return c->state[i].graph;
    for (int i = 0; c->sliced && i < c->nsliced && i < FSR_MAX_TURN_ARRAYS; i++)
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
    if (c->nstate < 1 || c->nsliced < 0 || c->nstacked < 0 || c->nstate > FSR_MAX_OUTPUTS || c->nstacked > MOST_TOLD) {
        out[0] = fsr_poison(g, c->at, FSR_ERR_VALUE, c->what,
                            "a state of %d arrays, %d with slices and %d stacked: 1 to %d and at least 0 are possible",
                            c->nstate, c->nsliced, c->nstacked, FSR_MAX_OUTPUTS);
        return;
    }
    recording *r = calloc(1, sizeof *r);
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
    for (int i = 0; i < c->nstate + c->nstacked && !good; i++)
        out[i] = poison;
    free(r);
}

void fsr_fori_loop_at(fsr_site at, fsr_node *out, const fsr_node *state, int nstate, fsr_node turns, fsr_turn_fn body,
                      void *user) {
    build(&(call){.what = "fori_loop",
                  .at = at,
                  .state = state,
                  .nstate = nstate,
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
                  .nstate = nstate,
                  .most = most_turns,
                  .body = body,
                  .condition = condition,
                  .conditional = true,
                  .user = user},
          out);
}

void fsr_scan_loop_at(fsr_site at, fsr_node *out, const fsr_node *state, int nstate, const fsr_node *arrays,
                      int narrays, int nstacked, int axis, int flags, fsr_turn_fn body, void *user) {
    const call c = {.what = "scan_loop",
                    .at = at,
                    .state = state,
                    .sliced = arrays,
                    .nstate = nstate,
                    .nsliced = narrays,
                    .nstacked = nstacked,
                    .reverse = (flags & FSR_REVERSE) != 0,
                    .unknown_flags = flags & ~FSR_REVERSE,
                    .scans = true,
                    .axis = axis,
                    .body = body,
                    .user = user};
    build(&c, out);
}
