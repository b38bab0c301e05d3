/* SPDX-License-Identifier: MIT */
/* Loops over arrays: the body's graph evaluated turn after turn, each on what the one before has left.
 *
 * The plain state ends where its own condition does. What is known beside it ends there too, if the condition is known
 * at every turn, and how many turns there are at most; else another number of turns is as right, and nothing is
 * known of the results. */
#include "backend_cpu/reference/rounds.h"
#include <stdlib.h>

typedef struct loop {
    const fsr_rounds *t;
    const fsr_ref_view *in;
    fsr_ref_view *given; /* by node of the body */
    fsr_ref_view state[FSR_MAX_OUTPUTS];
    fsr_ref_view *stacked; /* of the loop's results */
    fsr_ref_evaluate evaluate;
    void *user;
    bool lost; /* a condition, or the number of turns, was not known */
} loop;

static fsr_ref_view ref(fsr_ref_view v) {
    fsr_ref_data_ref(v.data);
    return v;
}

static int64_t count_of(loop *l) {
    const fsr_ref_view *last = &l->in[fsr_rounds_operands(l->t)];
    if (l->t->form.count >= 0)
        return l->t->form.count;
    const fsr_ref_element x = fsr_ref_data_get(last->data, last->offset);
    l->lost = l->lost || x.ball.radius != 0;
    return fsr_rounds_counted(last->data->dtype, x.value);
}

/* Slice `at` of an array. */
static fsr_ref_view slice(const fsr_ref_view *v, int64_t at) {
    fsr_ref_view out = {.data = v->data, .offset = v->offset + at * v->stride[0]};
    memcpy(out.stride, v->stride + 1, sizeof out.stride[0] * (FSR_MAX_DIMS - 1));
    return out;
}

/* The number of the turn becomes a view of one element. */
static bool give(loop *l, int64_t turn, int64_t at) {
    const fsr_rounds *t = l->t;
    fsr_ref_view *number = &l->given[t->number];
    for (int k = 0; k < fsr_rounds_operands(t); k++)
        l->given[t->node[k]] = k < t->form.nstate                     ? l->state[k]
                               : k < t->form.nstate + t->form.nsliced ? slice(&l->in[k], at)
                                                                      : l->in[k];
    *number = (fsr_ref_view){.data = fsr_ref_data_new(FSR_I64, 1, false)};
    const fsr_ref_element x = fsr_ref_known(FSR_I64, fsr_value_from_int(FSR_I64, turn));
    return number->data && fsr_ref_data_set(number->data, 0, &x);
}

/* Copies this turn's slices to their places. */
static bool stack(loop *l, const fsr_ref_view *result, int64_t at) {
    bool good = true;
    for (int i = 0; i < l->t->form.nstacked; i++) {
        const fsr_shape *shape = &fsr_graph_rec(l->t->body, l->t->result[l->t->form.nstate + i].id)->shape;
        fsr_ref_view both[2] = {slice(&l->stacked[i], at), result[i]};
        fsr_ref_walk walk;
        fsr_ref_walk_start(&walk, shape, 0, both, 2);
        for (; good && walk.left > 0; fsr_ref_walk_next(&walk))
            good = fsr_ref_data_copy(both[0].data, walk.at[0], both[1].data, walk.at[1]);
    }
    return good;
}

/* Whether the condition that a view shows holds. */
static bool holds(loop *l, const fsr_ref_view *v) {
    const fsr_ref_element x = fsr_ref_data_get(v->data, v->offset);
    l->lost = l->lost || x.ball.radius != 0;
    return x.value.b;
}

static fsr_status test_first(loop *l, bool *go) {
    fsr_ref_view result = {.data = NULL};
    *go = true;
    if (!l->t->form.conditional)
        return FSR_OK;
    fsr_status status = give(l, 0, 0) ? FSR_OK : FSR_ERR_MEMORY;
    if (!status)
        status = l->evaluate(l->user, l->t->body, &l->t->first, 1, l->given, &result);
    *go = !status && holds(l, &result);
    fsr_ref_data_unref(result.data);
    fsr_ref_data_unref(l->given[l->t->number].data);
    return status;
}

/* One turn on slice `at`; *go: whether there may be another. */
static fsr_status turn(loop *l, int64_t number, int64_t at, bool *go) {
    const fsr_rounds *t = l->t;
    const int n = t->form.nstate + t->form.nstacked;
    fsr_ref outs[FSR_MAX_OUTPUTS + 1];
    fsr_ref_view result[FSR_MAX_OUTPUTS + 1] = {{.data = NULL}};
    memcpy(outs, t->result, sizeof *outs * (size_t)n);
    outs[n] = t->again;
    fsr_status status = give(l, number, at) ? FSR_OK : FSR_ERR_MEMORY;
    if (!status)
        status = l->evaluate(l->user, t->body, outs, n + t->form.conditional, l->given, result);
    if (!status && !stack(l, result + t->form.nstate, at))
        status = FSR_ERR_MEMORY;
    *go = !status && (!t->form.conditional || holds(l, &result[n]));
    for (int i = 0; i < t->form.nstate && !status; i++) {
        fsr_ref_data_unref(l->state[i].data);
        l->state[i] = ref(result[i]);
    }
    for (int i = 0; i <= n; i++)
        fsr_ref_data_unref(result[i].data);
    fsr_ref_data_unref(l->given[t->number].data);
    return status;
}

/* What nothing is known of but the plain values. */
static bool forget(fsr_ref_view *v, const fsr_shape *shape) {
    fsr_ref_data *data = fsr_ref_data_new(v->data->dtype, fsr_shape_size(shape), true);
    if (!data)
        return false;
    fsr_ref_view whole = fsr_ref_view_whole(data, shape), both[2] = {whole, *v};
    fsr_ref_walk walk;
    bool good = true;
    fsr_ref_walk_start(&walk, shape, 0, both, 2);
    for (; good && walk.left > 0; fsr_ref_walk_next(&walk)) {
        fsr_ref_element x = fsr_ref_data_get(v->data, walk.at[1]);
        x.ball = fsr_ball_unknown(v->data->dtype);
        good = fsr_ref_data_set(data, walk.at[0], &x);
    }
    fsr_ref_data_unref(v->data);
    *v = whole;
    return good;
}

static fsr_status run(loop *l) {
    const fsr_rounds *t = l->t;
    const int64_t n = count_of(l);
    bool go = true;
    fsr_status status = test_first(l, &go);
    for (int64_t i = 0; i < n && go && !status; i++)
        status = turn(l, i, t->form.reverse ? n - 1 - i : i, &go);
    for (int i = 0; i < t->form.nstate && l->lost && !status; i++)
        if (!forget(&l->state[i], &fsr_graph_rec(t->body, t->result[i].id)->shape))
            status = FSR_ERR_MEMORY;
    return status;
}

fsr_status fsr_ref_rounds(const fsr_rec *rec, const fsr_ref_view *in, fsr_ref_evaluate evaluate, void *user,
                          fsr_ref_view *out) {
    const fsr_rounds *t = rec->rounds;
    loop l = {.t = t, .in = in, .evaluate = evaluate, .user = user, .stacked = out + t->form.nstate};
    l.given = calloc(fsr_graph_slots(t->body), sizeof *l.given);
    fsr_status status = l.given ? FSR_OK : FSR_ERR_MEMORY;
    for (int i = 0; i < t->form.nstate; i++)
        l.state[i] = ref(in[i]);
    for (int i = 0; i < t->form.nstacked && !status; i++) {
        const fsr_type type = fsr_rounds_result(t, t->form.nstate + i);
        fsr_ref_data *data = fsr_ref_data_new(type.dtype[0], fsr_shape_size(&type.shape), true);
        if (data)
            out[t->form.nstate + i] = fsr_ref_view_whole(data, &type.shape);
        else
            status = FSR_ERR_MEMORY;
    }
    if (!status)
        status = run(&l);
    for (int i = 0; i < t->form.nstate; i++)
        out[i] = l.state[i];
    free(l.given);
    return status;
}
