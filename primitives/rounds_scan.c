/* SPDX-License-Identifier: MIT */
/* A loop over slices whose turn is elementwise, as a scan: one kernel, in which each thread goes along with the carries
 * of its own element in registers, instead of a kernel a turn.
 *
 * Turn t makes of the state and of slices, all of one shape, the next state and slices of that shape, element by
 * element (rounds_each.h). That is a running fold along the axis of the slices by an operator of several components,
 * which need not be associative: its left state is always what came before, its right one an element (fsr_combine,
 * `sequential`). Parameters are what an operator takes besides.
 * Components are, in this order, the state; what is stacked and no state; their right sides the slices, then arrays of
 * their shape that are the same in every turn, and the number of the turn: broadcast along the axis. What the state
 * is at first is the operator's identity where it is one literal for all elements; else it is such an array, which turn
 * 0 takes in place of the left side. Each state has to be stacked as
 * well: the last one is the last slice of that. Bits are those of the turns: nothing is associated otherwise, and no
 * operation is contracted. Counter-example to states that are not stacked: a scan would write all of them for the
 * sake of the last one. */
#include "primitives/rounds_each.h"
#include <string.h>

typedef struct scan {
    fsr_each each;
    const fsr_node *operand;
    int axis, arity, at_component[FSR_MAX_OUTPUTS]; /* which component result i of the body is */
    fsr_ref result[FSR_MAX_TUPLE];                  /* of the body, for each component */
    fsr_dtype dtype[FSR_MAX_TUPLE];
    fsr_value identity[FSR_MAX_TUPLE];
    uint32_t beside[FSR_MAX_TUPLE]; /* the body's node that is its right side and no slice; 0: none */
    bool computed[FSR_MAX_TUPLE];   /* of a state: its first value is no literal; its node is beside another one */
} scan;

/* ---- what it takes ---------------------------------------------------------------------------------------------- */

/* The literal that a node has at each element. */
static bool literal_of(fsr_node x, fsr_value *value) {
    const fsr_rec *rec = fsr_node_rec(x);
    while (fsr_is(rec->kind, FSR_IS_VIEW))
        rec = fsr_graph_rec(x.graph, rec->arg[0].id);
    *value = rec->value;
    return fsr_is(rec->kind, FSR_IS_LITERAL);
}

/* The component of result i, which may be one that is there. False: there are too many. */
static bool component_take(scan *s, int i) {
    const fsr_rounds *t = s->each.t;
    int c = i < t->form.nstate ? s->arity : 0;
    while (c < s->arity && (s->result[c].id != t->result[i].id || s->result[c].output != t->result[i].output))
        c++;
    if (c == FSR_MAX_TUPLE)
        return false;
    if (c == s->arity) {
        s->result[c] = t->result[i];
        s->dtype[c] = fsr_rounds_result(t, i).dtype[0];
        s->arity++;
    }
    s->at_component[i] = c;
    return true;
}

/* A component for each state and for what is stacked besides. */
static bool components_take(scan *s) {
    const fsr_rounds *t = s->each.t;
    const int nout = t->form.nstate + t->form.nstacked;
    for (int i = 0; i < nout; i++)
        if (!component_take(s, i))
            return false;
    for (int i = 0; i < t->form.nstate; i++) {
        bool stacked = false;
        for (int j = t->form.nstate; j < nout; j++)
            stacked = stacked || s->at_component[j] == i;
        s->computed[i] = !literal_of(s->operand[i], &s->identity[i]);
        if (s->computed[i])
            s->identity[i].bits = 0;
        if (!stacked ||
            (s->computed[i] && (!fsr_each_meet(&s->each, t->node[i]) || !fsr_each_meet(&s->each, t->number))))
            return false;
    }
    return true;
}

/* The slices are the right sides of components, of which there may have to be more. */
static bool slices_take(scan *s) {
    const fsr_rounds *t = s->each.t;
    for (int k = 0; k < t->form.nsliced; k++) {
        const fsr_dtype dtype = fsr_node_dtype(s->operand[t->form.nstate + k]);
        if (k < s->arity && s->dtype[k] != dtype)
            return false;
        if (k < s->arity)
            continue;
        if (k == FSR_MAX_TUPLE)
            return false;
        s->dtype[k] = dtype;
        s->result[k] = (fsr_ref){t->node[t->form.nstate + k], 0};
        s->arity = k + 1;
    }
    return true;
}

/* What else a turn sees is the right side of components that no slice has, of its dtype. */
static bool besides_take(scan *s) {
    for (int i = 0; i < s->each.nmet; i++) {
        const fsr_dtype dtype = fsr_graph_rec(s->each.t->body, s->each.met[i])->dtype[0];
        int c = s->each.t->form.nsliced;
        while (c < s->arity && (s->beside[c] || s->dtype[c] != dtype))
            c++;
        if (c == FSR_MAX_TUPLE)
            return false;
        s->beside[c] = s->each.met[i];
        if (c < s->arity)
            continue;
        s->dtype[c] = dtype;
        s->result[c] = (fsr_ref){s->each.met[i], 0};
        s->arity = c + 1;
    }
    return true;
}

static bool fits(scan *s) {
    const fsr_rounds *t = s->each.t;
    if (t->form.nsliced < 1 || t->form.conditional || t->form.count < 1 || t->form.count > INT32_MAX / 2)
        return false;
    s->each.shape = &fsr_graph_rec(t->body, t->node[0])->shape;
    if (fsr_shape_size(s->each.shape) < 1 || s->each.shape->ndim == FSR_MAX_DIMS)
        return false;
    for (int i = 0; i < t->form.nstate + t->form.nstacked; i++)
        if (!fsr_shape_equal(&fsr_graph_rec(t->body, t->result[i].id)->shape, s->each.shape) ||
            !fsr_each_takes(&s->each, t->result[i]))
            return false;
    for (int k = 0; k < t->form.nsliced; k++)
        if (!fsr_shape_equal(&fsr_graph_rec(t->body, t->node[t->form.nstate + k])->shape, s->each.shape))
            return false;
    return components_take(s) && slices_take(s) && besides_take(s);
}

/* ---- the operator ------------------------------------------------------------------------------------------ */

/* The right side that the body's node is beside; it is. */
static fsr_node right_of(const scan *s, const fsr_node *right, uint32_t id) {
    int c = s->each.t->form.nsliced;
    while (s->beside[c] != id)
        c++;
    return right[c];
}

/* State i before the turn: at first what is beside. */
static fsr_node before(const scan *s, const fsr_node *left, const fsr_node *right, int i) {
    const fsr_rounds *t = s->each.t;
    if (!s->computed[i])
        return left[i];
    const fsr_node number = right_of(s, right, t->number);
    const fsr_node none = fsr_literal(s->each.g, s->each.at, FSR_I64, fsr_value_from_int(FSR_I64, 0), false);
    return fsr_where_at(s->each.at, fsr_equal_at(s->each.at, number, none), right_of(s, right, t->node[i]), left[i]);
}

static void turn(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    scan *s = user;
    fsr_each *e = &s->each;
    const fsr_rounds *t = e->t;
    for (int i = 0; i < t->form.nstate; i++)
        e->operand[i] = before(s, left, right, i);
    for (int k = 0; k < t->form.nsliced; k++)
        e->operand[t->form.nstate + k] = right[k];
    for (int k = t->form.nstate + t->form.nsliced; k < fsr_rounds_operands(t); k++)
        if (fsr_each_met(e, t->node[k]))
            e->operand[k] = right_of(s, right, t->node[k]);
    if (fsr_each_met(e, t->number))
        e->number = right_of(s, right, t->number);
    e->nmade = 0;
    for (int c = 0; c < s->arity; c++)
        out[c] = s->beside[c] && s->result[c].id == s->beside[c] ? right[c] : fsr_each_record(e, s->result[c]);
}

/* With the parameters that it takes besides. NULL: *poison. */
static fsr_combine *operator_of(scan *s, fsr_node *outside, fsr_node *poison) {
    const fsr_operator op = {.body = turn, .user = s, .arity = s->arity};
    fsr_combine *c = fsr_operator_record(s->each.g, s->each.at, "scan_loop", &op, s->dtype, outside, poison);
    if (!c)
        return NULL;
    c->sequential = true;
    c->builtin = c->commutative = false;
    c->op = FSR_OP_COUNT;
    memcpy(c->identity, s->identity, sizeof c->identity);
    return c;
}

/* ---- the scan ---------------------------------------------------------------------------------------------- */

/* What is the same in every turn, a state's first value, or the turns' numbers in the order of the slices, as slices
 * along the axis. */
static fsr_node along(const scan *s, uint32_t id, const fsr_shape *shape) {
    const fsr_rounds *t = s->each.t;
    const fsr_site at = s->each.at;
    fsr_node x;
    if (id == t->number) {
        x = fsr_arange_at(at, s->each.g, FSR_I64, t->form.count);
        x = t->form.reverse ? fsr_flip_at(at, x, 0) : x;
        for (int j = s->axis + 1; j < shape->ndim && fsr_node_sound(x); j++)
            x = fsr_expand_at(at, x, fsr_node_ndim(x));
    } else {
        int k = 0;
        while (t->node[k] != id)
            k++;
        x = k < t->form.nstate ? s->operand[k] : fsr_each_outside(&s->each, k);
        x = fsr_node_sound(x) && fsr_node_ndim(x) ? fsr_expand_at(at, x, s->axis) : x;
    }
    return fsr_node_sound(x) ? fsr_stretch(at, x, shape) : x;
}

/* The right side of component c, with its slices along the axis: a slice of each turn, or nothing that is looked at. */
static fsr_node right_side(const scan *s, int c) {
    const int first = 0, nstate = s->each.t->form.nstate;
    const bool given = c < s->each.t->form.nsliced;
    const fsr_site at = s->each.at;
    fsr_node x = s->operand[nstate + (given ? c : 0)];
    x = s->axis ? fsr_moveaxis_at(at, x, &first, &s->axis, 1) : x;
    if (given || !fsr_node_sound(x))
        return x;
    if (s->beside[c])
        return along(s, s->beside[c], &fsr_node_rec(x)->shape);
    const fsr_node none = fsr_literal(s->each.g, at, s->dtype[c], (fsr_value){.bits = 0}, false);
    return fsr_stretch(at, none, &fsr_node_rec(x)->shape);
}

bool fsr_rounds_scan(fsr_site at, const fsr_rounds *t, const fsr_node *operand, const fsr_ref *same, int axis,
                     fsr_node *out) {
    scan s = {.each = {.t = t, .same = same, .most_met = FSR_MAX_TUPLE, .g = operand[0].graph, .at = at},
              .operand = operand};
    fsr_node in[FSR_MAX_TUPLE + FSR_MAX_ARGS], all[FSR_MAX_TUPLE], poison;
    if (!fits(&s))
        return false;
    s.axis = axis < 0 ? axis + s.each.shape->ndim + 1 : axis;
    fsr_combine *c = operator_of(&s, in + s.arity, &poison);
    for (int k = 0; k < s.arity; k++)
        in[k] = right_side(&s, k);
    if (c)
        fsr_running(at, all, in, c, s.axis, t->form.reverse ? FSR_REVERSE : 0);
    const int64_t last = t->form.reverse ? 0 : t->form.count - 1;
    for (int i = 0; i < t->form.nstate + t->form.nstacked; i++) {
        out[i] = c ? all[s.at_component[i]] : poison;
        if (i < t->form.nstate && fsr_node_sound(out[i]))
            out[i] = fsr_squeeze_at(at, fsr_slice_at(at, out[i], s.axis, last, last + 1, 1), s.axis);
    }
    return true;
}
