/* SPDX-License-Identifier: MIT */
/* Turns of a loop over arrays that are elementwise.
 *
 * All nodes of the body, from its results to the loop's arguments, are functions of elements of the same place:
 * operations element by element, literals, broadcasts of numbers, views that move nothing. Then an element of a state
 * hangs on elements of that place alone, whatever the others do, and the turns of one element are a program of scalars.
 * A body with hints, which say what its kernels are, is none.
 * Each node counts once, however many results are made of it. Counter-example to counting ways to them: c / s and
 * (d - a * q) / s, stacked as well, were 48 nodes of 13. */
#include "primitives/rounds_each.h"
#include "graph/pairs.h"

/* Which argument of the loop a node of the body stands for; -1: none. */
static int argument_of(const fsr_rounds *t, uint32_t id) {
    for (int k = 0; k < fsr_rounds_operands(t); k++)
        if (t->node[k] == id)
            return k;
    return -1;
}

static bool is_own(const fsr_rounds *t, int k) {
    return k >= 0 && k < t->form.nstate + t->form.nsliced;
}

bool fsr_each_met(const fsr_each *e, uint32_t id) {
    for (int i = 0; i < e->nmet; i++)
        if (e->met[i] == id)
            return true;
    return false;
}

bool fsr_each_meet(fsr_each *e, uint32_t id) {
    if (fsr_each_met(e, id))
        return true;
    if (e->nmet == e->most_met)
        return false;
    e->met[e->nmet++] = id;
    return true;
}

/* A node that is its argument at each element: a broadcast of one, or a view that moves nothing. */
static bool is_plain_view(const fsr_graph *body, const fsr_rec *rec) {
    if (!fsr_is(rec->kind, FSR_IS_VIEW) || rec->view.kind != FSR_VIEW_AFFINE)
        return false;
    const fsr_rec *from = fsr_graph_rec(body, rec->arg[0].id);
    if (fsr_shape_size(&from->shape) == 1)
        return true;
    bool same = fsr_shape_equal(&from->shape, &rec->shape);
    for (int j = 0; same && j < rec->shape.ndim; j++)
        same = rec->view.from[j] == j && rec->view.start[j] == 0 && rec->view.step[j] == 1;
    return same;
}

/* An argument of the loop, or the number of the turn. */
static bool takes_argument(fsr_each *e, const fsr_rec *rec, uint32_t id, int k) {
    const bool shaped = fsr_shape_equal(&rec->shape, e->shape);
    if (is_own(e->t, k))
        return shaped;
    if (k >= 0 && fsr_rounds_scalar(e->t, k))
        return true;
    return (k < 0 || shaped || fsr_shape_size(&rec->shape) == 1) && fsr_each_meet(e, id);
}

bool fsr_each_takes(fsr_each *e, fsr_ref ref) {
    const fsr_rec *rec = fsr_graph_rec(e->t->body, ref.id);
    const int k = argument_of(e->t, ref.id);
    for (int i = 0; i < e->n; i++)
        if (e->node[i] == ref.id)
            return true;
    if (e->n == FSR_EACH_NODES || rec->nout != 1 || rec->hint == FSR_HINT_MATERIALIZE || fsr_pair_count(e->t->body))
        return false;
    e->node[e->n++] = ref.id;
    if (k >= 0 || ref.id == e->t->number)
        return takes_argument(e, rec, ref.id, k);
    if (fsr_is(rec->kind, FSR_IS_LITERAL))
        return true;
    if (!is_plain_view(e->t->body, rec) && !(fsr_is(rec->kind, FSR_IS_EACH) && fsr_is(rec->kind, FSR_IS_INSTRUCTION)))
        return false;
    for (int i = 0; i < rec->nargs; i++)
        if (!fsr_each_takes(e, rec->arg[i]))
            return false;
    return rec->nargs > 0;
}

fsr_node fsr_each_outside(const fsr_each *e, int k) {
    const fsr_node x = fsr_graph_handle(e->g, e->same[k].id, e->same[k].output);
    return fsr_shape_equal(&fsr_node_rec(x)->shape, e->shape) ? x : fsr_reshape_at(e->at, x, 0, NULL);
}

/* An operation of the body of elements. */
static fsr_node record_operation(fsr_each *e, const fsr_rec *rec) {
    fsr_node arg[FSR_MAX_ARGS], handle;
    for (int i = 0; i < rec->nargs; i++) {
        arg[i] = fsr_each_record(e, rec->arg[i]);
        if (!fsr_node_sound(arg[i]))
            return arg[i];
    }
    const fsr_type type = {{0}, 1, {rec->dtype[0]}};
    fsr_rec *made = fsr_graph_add(e->g, e->at, fsr_op_get(rec->op)->name, rec->kind, &type, &handle);
    if (!made)
        return handle;
    made->op = rec->op;
    for (int i = 0; i < rec->nargs; i++)
        made->arg[made->nargs++] = (fsr_ref){arg[i].id, arg[i].output};
    return handle;
}

fsr_node fsr_each_record(fsr_each *e, fsr_ref ref) {
    const fsr_rec *rec = fsr_graph_rec(e->t->body, ref.id);
    const int k = argument_of(e->t, ref.id);
    if (k >= 0 && (is_own(e->t, k) || fsr_each_met(e, ref.id)))
        return e->operand[k];
    if (k >= 0)
        return fsr_graph_handle(e->g, e->same[k].id, e->same[k].output);
    if (ref.id == e->t->number)
        return e->number;
    for (int i = 0; i < e->nmade; i++)
        if (e->id[i] == ref.id)
            return e->made[i];
    if (fsr_is(rec->kind, FSR_IS_VIEW))
        return fsr_each_record(e, rec->arg[0]);
    if (fsr_is(rec->kind, FSR_IS_LITERAL))
        return fsr_literal(e->g, e->at, rec->dtype[0], rec->value, false);
    const fsr_node made = record_operation(e, rec);
    if (!fsr_node_sound(made))
        return made;
    e->id[e->nmade] = ref.id;
    e->made[e->nmade++] = made;
    return made;
}
