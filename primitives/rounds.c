/* SPDX-License-Identifier: MIT */
/* Loops over arrays: the body recorded once, as a row function's is, and copied into a graph of its own
 * (rounds_body.c).
 *
 * The callbacks are ordinary builder calls on ARG nodes with the arrays' shapes, in a scope of their own; what they
 * leave is checked as an operator's body is (body.c). One node is the loop, and each of its results is a node of its
 * own shape. Counter-example to unrolling the loop into nodes: a thousand turns would be a thousand times the program,
 * and a condition that is computed could not end it. */
#include "graph/scope.h"
#include "primitives/body.h"
#include "primitives/rounds_record.h"

static const char body_name[] = "loop's body", condition_name[] = "loop's condition";

static bool fail(fsr_rounds_recording *r, fsr_node poison) {
    r->poison = poison;
    return false;
}

static bool no_memory(fsr_rounds_recording *r) {
    return fail(r, fsr_graph_no_memory(r->g));
}

/* ---- operands ------------------------------------------------------------------------------------------------- */

static int given(const fsr_rounds *t) {
    return t->form.nstate + t->form.nsliced;
}

/* Operand k with the axis that is gone along first; the number of slices becomes the count of turns. */
static bool slices_take(fsr_rounds_recording *r, int k) {
    fsr_rounds *t = r->source.rounds;
    const int first = 0;
    int axis = r->axis;
    fsr_node *x = &r->operand[k];
    if (!fsr_axis_take(*x, r->at, r->what, fsr_node_ndim(*x), &axis, &r->poison))
        return false;
    const int64_t extent = fsr_node_dim(*x, axis);
    if (k > t->form.nstate && extent != t->form.count)
        return fail(r, fsr_poison(r->g, r->at, FSR_ERR_SHAPE, r->what,
                                  "array %d, %s, has %lld slices along axis %d, not %lld as those before",
                                  k - t->form.nstate, fsr_say(*x).text, (long long)extent, r->axis,
                                  (long long)t->form.count));
    t->form.count = extent;
    if (axis != 0)
        *x = fsr_moveaxis_at(r->at, *x, &axis, &first, 1);
    return fsr_node_sound(*x) ? true : fail(r, *x);
}

static bool operands_take(fsr_rounds_recording *r) {
    fsr_rounds *t = r->source.rounds;
    for (int k = 0; k < given(t); k++) {
        r->operand[k] = fsr_strong(r->at, r->operand[k]);
        if (!fsr_node_sound(r->operand[k]))
            return fail(r, r->operand[k]);
        if (k >= t->form.nstate && !slices_take(r, k))
            return false;
    }
    return true;
}

/* A literal is a part of the plan, what is computed or a parameter an argument of the loop. */
bool fsr_rounds_record_count(fsr_rounds_recording *r, fsr_node turns) {
    fsr_rounds *t = r->source.rounds;
    const fsr_rec *rec = fsr_node_rec(turns);
    const fsr_dtype dtype = rec->dtype[turns.output];
    if (rec->shape.ndim || dtype == FSR_BOOL || fsr_dtype_is_inexact(dtype))
        return fail(r, fsr_poison(r->g, r->at, rec->shape.ndim ? FSR_ERR_SHAPE : FSR_ERR_DTYPE, r->what,
                                  "the number of turns is %s, not a 0-d integer", fsr_say(turns).text));
    if (fsr_is(rec->kind, FSR_IS_LITERAL)) {
        t->form.count = fsr_rounds_counted(dtype, rec->value);
        return true;
    }
    t->form.count = -1;
    r->operand[given(t)] = fsr_strong(r->at, turns);
    return true;
}

/* ---- the body ---------------------------------------------------------------------------------------------------- */

/* An argument of the callbacks for each operand, and the number of the turn. */
static bool args_make(fsr_rounds_recording *r) {
    fsr_rounds *t = r->source.rounds;
    for (int k = 0; k < given(t); k++) {
        const fsr_rec *from = fsr_node_rec(r->operand[k]);
        const int drop = k >= t->form.nstate;
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
static bool result_take(fsr_rounds_recording *r, int i, fsr_node *result) {
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
    if (i >= t->form.nstate) {
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

static bool condition_take(fsr_rounds_recording *r, fsr_node *holds) {
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
static bool took(fsr_rounds_recording *r, const char *whose, int depth) {
    bool good = true;
    for (int k = 0; k <= given(r->source.rounds) && good; k++)
        good = fsr_body_took(r->g, r->at, r->what, whose, depth, r->arg[k], &r->poison);
    return good;
}

/* Calls back in the open scope, and copies what it leaves. */
static bool run(fsr_rounds_recording *r, int depth) {
    fsr_rounds *t = r->source.rounds;
    fsr_node out[FSR_MAX_OUTPUTS] = {{0}}, holds = {0};
    if (!args_make(r))
        return false;
    if (t->form.conditional) {
        r->condition(&holds, r->arg, r->arg + t->form.nstate, r->user);
        if (!took(r, condition_name, depth) || !condition_take(r, &holds))
            return false;
        r->source.condition = (fsr_ref){holds.id, holds.output};
    }
    r->body(out, r->arg, r->arg + t->form.nstate, r->user);
    if (!took(r, body_name, depth))
        return false;
    for (int i = 0; i < t->form.nstate + t->form.nstacked; i++) {
        if (!result_take(r, i, &out[i]))
            return false;
        r->source.result[i] = (fsr_ref){out[i].id, out[i].output};
    }
    if (t->form.conditional && !fsr_node_sound(holds))
        return fail(r, fsr_poison(r->g, r->at, FSR_ERR_STALE, r->what, "the %s dropped its condition", body_name));
    if (fsr_rounds_copy(&r->source))
        return true;
    return r->source.problem ? fail(r, fsr_poison(r->g, r->at, FSR_ERR_UNSUPPORTED, r->what, "the %s %s", body_name,
                                                  r->source.problem))
                             : no_memory(r);
}

/* ---- the nodes --------------------------------------------------------------------------------------------- */

/* The loop itself; what the callbacks took from outside is an argument. */
static fsr_rec *loop_record(fsr_rounds_recording *r, fsr_node *loop) {
    fsr_rounds *t = r->source.rounds;
    fsr_type type = {.nout = t->form.nstate + t->form.nstacked};
    for (int i = 0; i < type.nout; i++)
        type.dtype[i] = fsr_rounds_result(t, i).dtype[0];
    fsr_rec *rec = fsr_graph_add(r->g, r->at, r->what, FSR_NODE_LOOP, &type, loop);
    if (!rec)
        return NULL;
    for (int k = 0; k < fsr_rounds_operands(t); k++)
        rec->arg[rec->nargs++] =
            k < given(t) ? (fsr_ref){r->operand[k].id, r->operand[k].output} : r->source.operand[k];
    if (t->form.count < 0)
        rec->arg[rec->nargs++] = (fsr_ref){r->operand[given(t)].id, r->operand[given(t)].output};
    rec->rounds = fsr_rounds_ref(t);
    return rec;
}

/* Result i, its slices along the axis where they are wanted. */
static bool result_record(fsr_rounds_recording *r, fsr_node loop, int i, fsr_node *out) {
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
    if (i < t->form.nstate || axis == 0)
        return true;
    if (!fsr_axis_take(*out, r->at, r->what, type.shape.ndim, &axis, &r->poison))
        return false;
    *out = fsr_moveaxis_at(r->at, *out, &first, &axis, 1);
    return fsr_node_sound(*out) ? true : fail(r, *out);
}

static bool nodes_record(fsr_rounds_recording *r, fsr_node *out) {
    fsr_rounds *t = r->source.rounds;
    fsr_node loop;
    if (fsr_rounds_scan(r->at, t, r->operand, r->source.operand, r->axis, out) ||
        fsr_rounds_iterate(r->at, t, r->operand, r->source.operand, out)) {
        for (int i = 0; i < t->form.nstate + t->form.nstacked; i++)
            if (!fsr_node_sound(out[i]))
                return fail(r, out[i]);
        return true;
    }
    if (!loop_record(r, &loop))
        return fail(r, loop);
    for (int i = 0; i < t->form.nstate + t->form.nstacked; i++)
        if (!result_record(r, loop, i, &out[i]))
            return false;
    return true;
}

/* Ends the scopes above depth; the results, or the poison, stay. */
static bool leave(fsr_rounds_recording *r, bool good, fsr_node *out, int nout, int depth) {
    while (good && fsr_scope_depth(r->g) > depth)
        good = fsr_scope_end(r->g, out, nout) == FSR_OK || no_memory(r);
    if (!good && fsr_graph_alive(r->g))
        r->poison = fsr_body_leave(r->g, depth, r->poison);
    return good;
}

/* The callbacks may have dropped the operands. */
static bool still_there(fsr_rounds_recording *r) {
    fsr_graph *g;
    const fsr_rounds *t = r->source.rounds;
    return !fsr_poison_of(r->at, r->what, r->operand, given(t) + (t->form.count < 0), &g, &r->poison);
}

bool fsr_rounds_record(fsr_rounds_recording *r, fsr_node *out) {
    fsr_rounds *t = r->source.rounds;
    fsr_node result[FSR_MAX_OUTPUTS] = {{0}};
    const int nout = t->form.nstate + t->form.nstacked, depth = fsr_scope_depth(r->g);
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
