/* SPDX-License-Identifier: MIT */
/* A loop for each element: its condition and body recorded as one region.
 *
 * Both are ordinary builder calls on 0-d ARG nodes, in a scope of their own, and become instructions as an operator's
 * body does (capture.c): the condition's first, so that those up to it are what has to run before it is known whether
 * the body does. A parameter, or another value of one point from outside, is an argument without being named as one; so
 * is an array that they take elements of. What
 * the two have in common (the squares of a Mandelbrot iteration) is one
 * instruction. The callbacks are
 * the caller's code: what they leave is checked as an operator's body is (body.c). Counter-example to unrolling the
 * loop into nodes: a thousand turns would be a thousand times the program, and an element that ends early would pay
 * for all of them. */
#include "graph/scope.h"
#include "graph/sized.h"
#include "primitives/body.h"
#include "primitives/capture.h"
#include "primitives/live.h"
#include <stdlib.h>
#include <string.h>

_Static_assert(FSR_MAX_STATE + 1 == FSR_MAX_OUTPUTS && FSR_MAX_LOOP_OPERANDS == FSR_MAX_ARGS, "a node's limits");

static const char what[] = "iterate", body_name[] = "loop's body", condition_name[] = "loop's condition";

typedef struct recording {
    fsr_graph *g;
    fsr_site at;
    const fsr_loop *said;
    fsr_iteration *loop;
    fsr_capture capture;
    fsr_node operand[FSR_MAX_ARGS]; /* of one shape */
    fsr_node arg[FSR_MAX_ARGS];     /* of the body */
    fsr_node poison;
} recording;

static int operands(const fsr_loop *said) {
    return said->nstate + said->narg;
}

/* ---- operands -------------------------------------------------------------------------------------------- */

static bool limits_take(recording *r, int64_t max_n) {
    const fsr_loop *said = r->said;
    if (!said->body)
        r->poison = fsr_poison(r->g, r->at, FSR_ERR_NULL, what, "the %s is null", body_name);
    else if (max_n < 0 || max_n > INT32_MAX)
        r->poison = fsr_poison(r->g, r->at, FSR_ERR_VALUE, what, "max_n %lld is not 0 to 2147483647", (long long)max_n);
    else
        return true;
    return false;
}

/* The operands, not weak, broadcast against each other. */
static bool operands_take(recording *r) {
    fsr_shape shape = {0}, whole;
    int n = operands(r->said);
    for (int i = 0; i < n; i++) {
        r->operand[i] = fsr_strong(r->at, r->operand[i]);
        r->poison = r->operand[i];
        const fsr_rec *rec = fsr_node_sound(r->operand[i]);
        if (!rec)
            return false;
        if (!fsr_shape_broadcast(&shape, &rec->shape, &shape)) {
            r->poison =
                fsr_poison(r->g, r->at, FSR_ERR_SHAPE, what, "%s %d, %s, does not broadcast with %s before it",
                           i < r->said->nstate ? "state" : "argument", i < r->said->nstate ? i : i - r->said->nstate,
                           fsr_say(r->operand[i]).text, fsr_say_shape(&shape).text);
            return false;
        }
    }
    for (int i = 0; i < n; i++) {
        fsr_dtype dtype = fsr_node_dtype(r->operand[i]);
        if (!fsr_shape_take(r->g, r->at, what, dtype, shape.ndim, shape.dim, &whole, &r->poison))
            return false;
        r->loop->body.arg[i] = dtype;
        r->operand[i] = fsr_stretch(r->at, r->operand[i], &whole);
        r->poison = r->operand[i];
        if (!fsr_node_sound(r->operand[i]))
            return false;
    }
    return true;
}

/* ---- the program ------------------------------------------------------------------------------------------ */

/* A result of the callbacks as a node of dtype `want`; false: the poison is set. */
static bool result_take(recording *r, const char *whose, int i, fsr_node *result, fsr_dtype want) {
    *result = r->poison = fsr_body_value(r->g, r->at, what, whose, i, *result, want);
    return fsr_node_status(*result) == FSR_OK;
}

/* The instruction of a checked result; -1: the poison is set. */
static int inst_of(recording *r, const char *whose, fsr_node result) {
    int inst = fsr_capture_node(&r->capture, (fsr_ref){result.id, result.output});
    if (inst < 0)
        r->poison = fsr_poison(r->g, r->at, r->capture.status, what, "the %s %s", whose, r->capture.problem);
    return inst;
}

/* Calls back, the condition first; false: the poison is set. */
static bool run_condition(recording *r, fsr_node *condition, int depth) {
    const fsr_loop *said = r->said;
    if (said->condition)
        said->condition(condition, r->arg, r->arg + said->nstate, said->user);
    else
        *condition = fsr_literal(r->g, r->at, FSR_BOOL, fsr_value_from_int(FSR_BOOL, 1), false);
    return fsr_body_took(r->g, r->at, what, condition_name, depth, r->arg[0], &r->poison) &&
           result_take(r, condition_name, 0, condition, FSR_BOOL);
}

static bool run(recording *r, int depth) {
    const fsr_loop *said = r->said;
    fsr_iteration *loop = r->loop;
    fsr_node condition = {0}, out[FSR_MAX_STATE] = {{0}};
    if (!fsr_body_args(r->g, r->at, loop->body.arg, operands(said), r->arg, &r->poison))
        return false;
    r->poison = (fsr_node){0};
    r->capture = (fsr_capture){.g = r->g,
                               .first = r->arg[0].stamp,
                               .narguments = operands(said),
                               .most_outside = FSR_MAX_LOOP_OPERANDS - operands(said),
                               .region = &loop->body,
                               .where = FSR_IN_BODY};
    if (!run_condition(r, &condition, depth))
        return false;
    loop->body.nresults = loop->nstate + 1;
    loop->body.result[loop->nstate] = inst_of(r, condition_name, condition);
    if (fsr_iteration_condition(loop) < 0)
        return false;
    r->poison = (fsr_node){0};
    said->body(out, r->arg, r->arg + said->nstate, said->user);
    if (!fsr_body_took(r->g, r->at, what, body_name, depth, r->arg[0], &r->poison))
        return false;
    for (int i = 0; i < said->nstate; i++) {
        if (!result_take(r, body_name, i, &out[i], loop->body.arg[i]))
            return false;
        loop->body.result[i] = inst_of(r, body_name, out[i]);
        if (loop->body.result[i] < 0)
            return false;
    }
    return true;
}

/* Runs the callbacks in a scope of their own. */
static bool program_record(recording *r) {
    int depth = fsr_scope_depth(r->g);
    if (fsr_scope_begin(r->g)) {
        r->poison = fsr_graph_no_memory(r->g);
        return false;
    }
    bool good = run(r, depth + 1);
    if (fsr_graph_alive(r->g))
        r->poison = fsr_body_leave(r->g, depth, good ? (fsr_node){0} : r->poison);
    return good;
}

/* What the callbacks took from outside becomes further arguments, of the operands' shape. */
static bool outside_take(recording *r) {
    fsr_iteration *loop = r->loop;
    for (int i = 0; i < r->capture.noutside; i++) {
        const fsr_ref from = r->capture.outside[i];
        const int n = loop->nstate + loop->narg;
        r->operand[n] =
            fsr_stretch(r->at, fsr_graph_handle(r->g, from.id, from.output), &fsr_node_rec(r->operand[0])->shape);
        r->poison = r->operand[n];
        if (!fsr_node_sound(r->operand[n]))
            return false;
        loop->body.arg[n] = fsr_node_dtype(r->operand[n]);
        loop->body.nargs++;
        loop->narg++;
    }
    return true;
}

/* The arrays that they took elements of are the last arguments. */
static bool tables_take(recording *r) {
    fsr_iteration *loop = r->loop;
    const int each = loop->nstate + loop->narg;
    if (each + loop->body.ntables > FSR_MAX_ARGS) {
        r->poison =
            fsr_poison(r->g, r->at, FSR_ERR_UNSUPPORTED, what, "the %s uses too many values from outside", body_name);
        return false;
    }
    for (int i = 0; i < loop->body.ntables; i++) {
        const fsr_ref from = r->capture.table[i];
        r->operand[each + i] = r->poison = fsr_graph_handle(r->g, from.id, from.output);
        if (!fsr_node_sound(r->poison))
            return false;
    }
    return true;
}

/* ---- the node ---------------------------------------------------------------------------------------------- */

/* The callbacks may have dropped the operands. */
static bool node_record(recording *r, fsr_node *out) {
    fsr_graph *g;
    fsr_iteration *loop = r->loop;
    if (fsr_poison_of(r->at, what, r->operand, operands(r->said), &g, &r->poison) || !outside_take(r) ||
        !tables_take(r))
        return false;
    const int n = loop->nstate + loop->narg + loop->body.ntables;
    fsr_type type = {fsr_node_rec(r->operand[0])->shape, loop->nstate + 1, {0}};
    memcpy(type.dtype, loop->body.arg, sizeof type.dtype[0] * (size_t)loop->nstate);
    type.dtype[loop->nstate] = FSR_I32;
    fsr_rec *rec = fsr_graph_add(r->g, r->at, what, FSR_NODE_ITERATE, &type, &r->poison);
    if (!rec)
        return false;
    rec->nargs = n;
    for (int i = 0; i < n; i++)
        rec->arg[i] = (fsr_ref){r->operand[i].id, r->operand[i].output};
    rec->loop = loop;
    r->loop = NULL;
    for (int i = 0; i < rec->nout; i++) {
        out[i] = r->poison;
        out[i].output = (uint32_t)i;
    }
    return true;
}

static bool iterate(recording *r, fsr_node *out, int64_t max_n) {
    if (!limits_take(r, max_n))
        return false;
    r->loop = calloc(1, sizeof *r->loop);
    if (!r->loop) {
        r->poison = fsr_graph_no_memory(r->g);
        return false;
    }
    r->loop->nstate = r->said->nstate;
    r->loop->narg = r->said->narg;
    r->loop->body.nargs = operands(r->said);
    r->loop->max_n = max_n;
    return operands_take(r) && program_record(r) && node_record(r, out);
}

/* The caller's loop, checked. False: out[0] alone has the poison, for there is no telling how many the caller has. */
static bool loop_take(fsr_site at, fsr_node *out, const fsr_loop *theirs, size_t size, const fsr_node *state,
                      fsr_loop *loop) {
    fsr_graph *g = state ? state[0].graph : NULL;
    fsr_status status = theirs ? fsr_sized_in(loop, sizeof *loop, theirs, size) : FSR_ERR_NULL;
    if (!theirs)
        out[0] = fsr_poison(g, at, status, what, "the loop is null");
    else if (status)
        out[0] = fsr_poison(g, at, status, what, "the loop %s", fsr_sized_words(status));
    else if (loop->nstate < 1 || loop->nstate > FSR_MAX_STATE || loop->narg < 0 ||
             operands(loop) > FSR_MAX_LOOP_OPERANDS)
        out[0] = fsr_poison(g, at, FSR_ERR_VALUE, what,
                            "a state of %d and %d arguments: 1 to %d and together at most %d are possible",
                            loop->nstate, loop->narg, FSR_MAX_STATE, FSR_MAX_LOOP_OPERANDS);
    else
        return true;
    return false;
}

/* ---- operands with a length that only the device knows ------------------------------------------------------- */

/* The caller's loop with an argument more, behind the caller's own, which says that an element is there. Behind a
 * length there is anything, for which a condition may hold for all max_n turns. */
typedef struct guarded {
    const fsr_loop *said;
} guarded;

static void guarded_body(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    const fsr_loop *said = ((const guarded *)user)->said;
    said->body(out, state, arg, said->user);
}

/* What is no condition is left as it is, and refused for what it is. */
static void guarded_condition(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    const fsr_loop *said = ((const guarded *)user)->said;
    said->condition(out, state, arg, said->user);
    if (fsr_node_sound(*out) && fsr_node_dtype(*out) == FSR_BOOL && fsr_node_ndim(*out) == 0)
        *out = fsr_logical_and_at(fsr_node_rec(*out)->site, *out, arg[said->narg]);
}

/* The operands without their common length. A loop with a condition becomes *guard's, with one argument more. */
static bool lengths_take(recording *r, fsr_length *length, guarded *guard, fsr_loop *own) {
    const int n = operands(r->said);
    if (!fsr_lengths_meet(r->at, what, r->operand, n, length, &r->poison))
        return false;
    if (!length->origin)
        return true;
    fsr_node like = r->operand[0];
    for (int i = 0; i < n; i++) {
        like = fsr_node_is_live(r->operand[i]) ? r->operand[i] : like;
        r->operand[i] = fsr_without_length(r->at, r->operand[i]);
    }
    if (!r->said->condition)
        return true;
    if (n == FSR_MAX_LOOP_OPERANDS) {
        r->poison = fsr_poison(r->g, r->at, FSR_ERR_UNSUPPORTED, what,
                               "%d operands, and one of them has a length that only the device knows", n);
        return false;
    }
    const fsr_node i = fsr_arange_at(r->at, r->g, FSR_I64, fsr_node_dim(like, 0));
    r->operand[n] = r->poison = fsr_less_at(r->at, i, fsr_length_count(r->g, length));
    *guard = (guarded){r->said};
    *own = (fsr_loop){guarded_body, guarded_condition, guard, r->said->nstate, r->said->narg + 1};
    r->said = own;
    return fsr_node_sound(r->poison) != NULL;
}

static bool lengths_give(recording *r, fsr_node *out, const fsr_length *length) {
    for (int i = 0; length->origin && i <= r->said->nstate; i++)
        out[i] = fsr_with_length(fsr_alias(r->at, out[i]), length);
    return true;
}

void fsr_iterate_at(fsr_site at, size_t size, fsr_node *out, const fsr_loop *loop, const fsr_node *state,
                    const fsr_node *arg, int64_t max_n) {
    fsr_loop own = {0}, guard_loop;
    fsr_length length = {.origin = 0};
    guarded guard;
    if (!out || !loop_take(at, out, loop, size, state, &own))
        return;
    loop = &own;
    recording *r = calloc(1, sizeof *r);
    fsr_node poison = {0};
    bool good = false;
    if (r && state && (arg || !loop->narg)) {
        r->at = at;
        r->said = loop;
        memcpy(r->operand, state, sizeof *state * (size_t)loop->nstate);
        if (loop->narg)
            memcpy(r->operand + loop->nstate, arg, sizeof *arg * (size_t)loop->narg);
        good = !fsr_poison_of_any(at, what, r->operand, operands(loop), &r->g, &r->poison) &&
               lengths_take(r, &length, &guard, &guard_loop) && iterate(r, out, max_n) && lengths_give(r, out, &length);
        poison = r->poison;
    } else if (state) {
        poison = r ? fsr_poison(state[0].graph, at, FSR_ERR_NULL, what, "the arguments are null")
                   : fsr_graph_no_memory(state[0].graph);
    }
    for (int i = 0; i <= loop->nstate && !good; i++)
        out[i] = poison;
    if (r)
        fsr_iteration_free(r->loop);
    free(r);
}
