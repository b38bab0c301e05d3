/* SPDX-License-Identifier: MIT */
/* Bodies recorded as scalar programs: from a result back to the arguments and literals (a stack: no recursion) into SSA
 * steps; equal steps become one. */
#include "primitives/capture.h"
#include <string.h>

static bool capture_fail(fsr_capture *t, fsr_status status, const char *problem) {
    t->status = status;
    t->problem = problem;
    return false;
}

static int find(const fsr_capture *t, uint32_t id) {
    for (int i = 0; i < t->count; i++)
        if (t->id[i] == id)
            return i;
    return -1;
}

static bool is_allowed(const fsr_capture *t, const fsr_rec *rec) {
    if (rec->shape.ndim)
        return false;
    if (fsr_is(rec->kind, FSR_IS_UNBOUND))
        return rec->stamp >= t->first;
    return fsr_is(rec->kind, FSR_IS_STEP);
}

/* Notes a node to be made into a step. */
static bool enter(fsr_capture *t, uint32_t id) {
    if (fsr_has(fsr_graph_rec(t->g, id)->kind, FSR_FIELD_routine))
        return capture_fail(t, FSR_ERR_UNSUPPORTED, "calls a native function");
    if (!is_allowed(t, fsr_graph_rec(t->g, id)))
        return capture_fail(t, FSR_ERR_VALUE, "uses something else than its arguments and literals");
    if (t->count == FSR_MAX_BODY)
        return capture_fail(t, FSR_ERR_UNSUPPORTED, "is too long");
    t->id[t->count] = id;
    t->step_of[t->count++] = -1;
    return true;
}

/* The step of a node whose arguments have theirs. */
static fsr_step step_of(const fsr_capture *t, const fsr_rec *rec) {
    fsr_step step;
    memset(&step, 0, sizeof step);
    step.dtype = step.compute = rec->dtype[0];
    if (fsr_is(rec->kind, FSR_IS_UNBOUND)) {
        step.kind = FSR_STEP_ARG;
        step.index = rec->index;
    } else if (fsr_is(rec->kind, FSR_IS_LITERAL)) {
        step.kind = FSR_STEP_CONST;
        step.value = rec->value;
    } else {
        step.kind = FSR_STEP_OP;
        step.op = rec->op;
        for (int i = 0; i < rec->nargs; i++)
            step.arg[i] = t->step_of[find(t, rec->arg[i].id)];
        step.compute = t->step[step.arg[rec->nargs == 3 && fsr_op_get(rec->op)->rule == FSR_RULE_SELECT]].dtype;
    }
    return step;
}

/* The number of an equal step, added if there is none; -1: too many. */
static int add_step(fsr_capture *t, const fsr_step *step) {
    for (int i = 0; i < t->nsteps; i++)
        if (fsr_steps_equal(&t->step[i], step, 1))
            return i;
    if (t->nsteps == t->capacity)
        return -1;
    t->step[t->nsteps] = *step;
    return t->nsteps++;
}

/* Enters an argument that has no step yet; *ready tells that there was none. */
static bool enter_args(fsr_capture *t, const fsr_rec *rec, bool *ready) {
    *ready = true;
    for (int i = 0; i < rec->nargs; i++) {
        int at = find(t, rec->arg[i].id);
        if (at >= 0 && t->step_of[at] >= 0)
            continue;
        *ready = false;
        if (at < 0 && !enter(t, rec->arg[i].id))
            return false;
    }
    return true;
}

/* The step of node `id` and of all it needs. Arguments are recorded before what uses them, so the pending node with the
 * smallest stamp never waits for another one. */
static bool make_steps(fsr_capture *t, uint32_t id) {
    while (t->step_of[find(t, id)] < 0) {
        int next = -1;
        for (int i = 0; i < t->count; i++)
            if (t->step_of[i] < 0 &&
                (next < 0 || fsr_graph_rec(t->g, t->id[i])->stamp < fsr_graph_rec(t->g, t->id[next])->stamp))
                next = i;
        const fsr_rec *rec = fsr_graph_rec(t->g, t->id[next]);
        bool ready;
        if (!enter_args(t, rec, &ready))
            return false;
        if (!ready)
            continue;
        fsr_step step = step_of(t, rec);
        t->step_of[next] = add_step(t, &step);
        if (t->step_of[next] < 0)
            return capture_fail(t, FSR_ERR_UNSUPPORTED, "is too long");
    }
    return true;
}

int fsr_capture_node(fsr_capture *t, uint32_t id) {
    if ((find(t, id) < 0 && !enter(t, id)) || !make_steps(t, id))
        return -1;
    return t->step_of[find(t, id)];
}
