/* SPDX-License-Identifier: MIT */
/* A loop over slices whose turn is elementwise, as a scan: one kernel, in which each thread goes along with the carries
 * of its own element in registers, instead of a kernel a turn.
 *
 * Turn t makes of the state and of slices, all of one shape, the next state and slices of that shape, element by
 * element: so an element of a state depends on elements of the same place alone. That is a running fold along the axis
 * of the slices by an operator of several components, which need not be associative: its left state is always what came
 * before, its right one an element (fsr_combine, `sequential`). Parameters are what an operator takes besides.
 * Components are, in this order, the state; what is stacked and no state; their right sides the slices, then arrays of
 * their shape that are the same in every turn, and the number of the turn: broadcast along the axis. What the state
 * is at first is the operator's identity, so it has to be one literal for all elements. Each state has to be stacked as
 * well: the last one is the last slice of that. Bits are those of the turns: nothing is associated otherwise, and no
 * operation is contracted. Counter-example to states that are not stacked: a scan would write all of them for the
 * sake of the last one. */
#include "primitives/rounds.h"
#include <string.h>

enum { MOST_NODES = 128, LEAST_ELEMENTS = 2 };

typedef struct scan {
    fsr_site at;
    fsr_graph *g;
    const fsr_rounds *t;
    const fsr_node *operand;
    const fsr_ref *same; /* in g, what argument k of the loop is that is the same in every turn */
    fsr_shape slice;
    int arity, at_component[FSR_MAX_OUTPUTS]; /* which component result i of the body is */
    fsr_ref result[FSR_MAX_TUPLE];            /* of the body, for each component */
    fsr_dtype dtype[FSR_MAX_TUPLE];
    fsr_value identity[FSR_MAX_TUPLE];
    uint32_t beside[FSR_MAX_TUPLE]; /* the body's node that is its right side and no slice; 0: none */
    uint32_t met[FSR_MAX_TUPLE];    /* such nodes */
    int nmet;
    uint32_t each[MOST_NODES]; /* the body's nodes that are known to be elementwise */
    int neach;
    /* while the operator is recorded */
    const fsr_node *left, *right;
    fsr_node made[MOST_NODES];
    uint32_t id[MOST_NODES];
    int nmade;
} scan;

/* ---- what it takes ---------------------------------------------------------------------------------------------- */

/* Which argument of the loop a node of the body stands for; -1: none. */
static int argument_of(const fsr_rounds *t, uint32_t id) {
    for (int k = 0; k < t->form.nstate + t->form.nsliced; k++)
        if (t->node[k] == id)
            return k;
    return -1;
}

/* The parameter that a node of the body stands for, the number of an argument of the loop; -1: none. */
static int parameter_of(const fsr_rounds *t, uint32_t id) {
    for (int k = t->form.nstate + t->form.nsliced; k < fsr_rounds_operands(t); k++)
        if (t->node[k] == id && fsr_rounds_scalar(t, k))
            return k;
    return -1;
}

/* A node of the body is an array that is the same in every turn, or the number of the turn: it is listed. */
static bool is_beside(scan *s, uint32_t id) {
    const fsr_rounds *t = s->t;
    bool is = id == t->number;
    int at = 0;
    for (int k = t->form.nstate + t->form.nsliced; k < fsr_rounds_operands(t); k++)
        is = is || (t->node[k] == id && fsr_shape_equal(&fsr_graph_rec(t->body, id)->shape, &s->slice));
    while (is && at < s->nmet && s->met[at] != id)
        at++;
    if (!is || at == FSR_MAX_TUPLE)
        return false;
    s->met[at] = id;
    s->nmet = at < s->nmet ? s->nmet : at + 1;
    return true;
}

/* A node that is its argument at each element: a broadcast of a number, or a view that moves nothing. */
static bool is_plain_view(const fsr_graph *body, const fsr_rec *rec) {
    const fsr_rec *from = fsr_graph_rec(body, rec->arg[0].id);
    if (!fsr_is(rec->kind, FSR_IS_VIEW) || rec->view.kind != FSR_VIEW_AFFINE)
        return false;
    if (fsr_shape_size(&from->shape) == 1 && from->shape.ndim == 0)
        return true;
    bool same = fsr_shape_equal(&from->shape, &rec->shape);
    for (int j = 0; same && j < rec->shape.ndim; j++)
        same = rec->view.from[j] == j && rec->view.start[j] == 0 && rec->view.step[j] == 1;
    return same;
}

/* The body's nodes below this one are elementwise, and few. Each counts once, however many results are made of it:
 * counter-example to counting ways to them: c / s and (d - a * q) / s, stacked as well, were 48 nodes of 13. */
static bool is_each(scan *s, fsr_ref ref) {
    const fsr_rec *rec = fsr_graph_rec(s->t->body, ref.id);
    for (int i = 0; i < s->neach; i++)
        if (s->each[i] == ref.id)
            return true;
    if (s->neach == MOST_NODES || rec->nout != 1)
        return false;
    s->each[s->neach++] = ref.id;
    if (argument_of(s->t, ref.id) >= 0)
        return fsr_shape_equal(&rec->shape, &s->slice);
    if (fsr_is(rec->kind, FSR_IS_LITERAL) || parameter_of(s->t, ref.id) >= 0 || is_beside(s, ref.id))
        return true;
    if (!is_plain_view(s->t->body, rec) && !(fsr_is(rec->kind, FSR_IS_EACH) && fsr_is(rec->kind, FSR_IS_INSTRUCTION)))
        return false;
    for (int i = 0; i < rec->nargs; i++)
        if (!is_each(s, rec->arg[i]))
            return false;
    return rec->nargs > 0;
}

/* The literal that a node has at each element. */
static bool literal_of(fsr_node x, fsr_value *value) {
    const fsr_rec *rec = fsr_node_rec(x);
    while (fsr_is(rec->kind, FSR_IS_VIEW))
        rec = fsr_graph_rec(x.graph, rec->arg[0].id);
    *value = rec->value;
    return fsr_is(rec->kind, FSR_IS_LITERAL);
}

/* A component for each state and for what is stacked besides. */
static bool components_take(scan *s) {
    const fsr_rounds *t = s->t;
    for (int i = 0; i < t->form.nstate + t->form.nstacked; i++) {
        int c = 0;
        while (i >= t->form.nstate && c < s->arity &&
               (s->result[c].id != t->result[i].id || s->result[c].output != t->result[i].output))
            c++;
        c = i < t->form.nstate ? s->arity : c;
        if (c == FSR_MAX_TUPLE)
            return false;
        if (c == s->arity) {
            s->result[c] = t->result[i];
            s->dtype[c] = fsr_rounds_result(t, i).dtype[0];
            s->arity++;
        }
        s->at_component[i] = c;
    }
    for (int i = 0; i < t->form.nstate; i++) {
        bool stacked = false;
        for (int j = t->form.nstate; j < t->form.nstate + t->form.nstacked; j++)
            stacked = stacked || s->at_component[j] == i;
        if (!stacked || !literal_of(s->operand[i], &s->identity[i]))
            return false;
    }
    return true;
}

/* The slices are the right sides of components, of which there may have to be more. */
static bool slices_take(scan *s) {
    const fsr_rounds *t = s->t;
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
    for (int i = 0; i < s->nmet; i++) {
        const fsr_dtype dtype = fsr_graph_rec(s->t->body, s->met[i])->dtype[0];
        int c = s->t->form.nsliced;
        while (c < s->arity && (s->beside[c] || s->dtype[c] != dtype))
            c++;
        if (c == FSR_MAX_TUPLE)
            return false;
        s->beside[c] = s->met[i];
        if (c < s->arity)
            continue;
        s->dtype[c] = dtype;
        s->result[c] = (fsr_ref){s->met[i], 0};
        s->arity = c + 1;
    }
    return true;
}

static bool fits(scan *s) {
    const fsr_rounds *t = s->t;
    if (t->form.nsliced < 1 || t->form.conditional || t->form.count < 1 || t->form.count > INT32_MAX / 2)
        return false;
    s->slice = fsr_graph_rec(t->body, t->node[0])->shape;
    if (fsr_shape_size(&s->slice) < LEAST_ELEMENTS || s->slice.ndim == FSR_MAX_DIMS)
        return false;
    for (int i = 0; i < t->form.nstate + t->form.nstacked; i++)
        if (!fsr_shape_equal(&fsr_graph_rec(t->body, t->result[i].id)->shape, &s->slice) || !is_each(s, t->result[i]))
            return false;
    for (int k = 0; k < t->form.nsliced; k++)
        if (!fsr_shape_equal(&fsr_graph_rec(t->body, t->node[t->form.nstate + k])->shape, &s->slice))
            return false;
    return components_take(s) && slices_take(s) && besides_take(s);
}

/* ---- the operator ------------------------------------------------------------------------------------------ */

/* A node of the body again, of elements. */
static fsr_node again(scan *s, fsr_ref ref) {
    const fsr_rec *rec = fsr_graph_rec(s->t->body, ref.id);
    const int k = argument_of(s->t, ref.id), parameter = parameter_of(s->t, ref.id);
    fsr_node arg[FSR_MAX_ARGS], handle;
    if (k >= 0)
        return k < s->t->form.nstate ? s->left[k] : s->right[k - s->t->form.nstate];
    if (parameter >= 0)
        return fsr_graph_handle(s->g, s->same[parameter].id, s->same[parameter].output);
    for (int c = s->t->form.nsliced; c < s->arity; c++)
        if (s->beside[c] == ref.id)
            return s->right[c];
    for (int i = 0; i < s->nmade; i++)
        if (s->id[i] == ref.id)
            return s->made[i];
    if (fsr_is(rec->kind, FSR_IS_VIEW))
        return again(s, rec->arg[0]);
    if (fsr_is(rec->kind, FSR_IS_LITERAL))
        return fsr_literal(s->g, s->at, rec->dtype[0], rec->value, false);
    for (int i = 0; i < rec->nargs; i++) {
        arg[i] = again(s, rec->arg[i]);
        if (!fsr_node_sound(arg[i]))
            return arg[i];
    }
    const fsr_type type = {{0}, 1, {rec->dtype[0]}};
    fsr_rec *made = fsr_graph_add(s->g, s->at, fsr_op_get(rec->op)->name, rec->kind, &type, &handle);
    if (!made)
        return handle;
    made->op = rec->op;
    for (int i = 0; i < rec->nargs; i++)
        made->arg[made->nargs++] = (fsr_ref){arg[i].id, arg[i].output};
    s->id[s->nmade] = ref.id;
    s->made[s->nmade++] = handle;
    return handle;
}

static void turn(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    scan *s = user;
    s->left = left;
    s->right = right;
    s->nmade = 0;
    for (int c = 0; c < s->arity; c++)
        out[c] = again(s, s->result[c]);
}

/* With the parameters that it takes besides. NULL: *poison. */
static fsr_combine *operator_of(scan *s, fsr_node *outside, fsr_node *poison) {
    const fsr_operator op = {.body = turn, .user = s, .arity = s->arity};
    fsr_combine *c = fsr_operator_record(s->g, s->at, "scan_loop", &op, s->dtype, outside, poison);
    if (!c)
        return NULL;
    c->sequential = true;
    c->builtin = c->commutative = false;
    c->op = FSR_OP_COUNT;
    memcpy(c->identity, s->identity, sizeof c->identity);
    return c;
}

/* ---- the scan ---------------------------------------------------------------------------------------------- */

/* What is the same in every turn, or the turns' numbers in the order of the slices, as slices along the axis. */
static fsr_node along(const scan *s, uint32_t id, const fsr_shape *shape, int axis) {
    const fsr_rounds *t = s->t;
    fsr_node x;
    if (id == t->number) {
        x = fsr_arange_at(s->at, s->g, FSR_I64, t->form.count);
        x = t->form.reverse ? fsr_flip_at(s->at, x, 0) : x;
        for (int j = axis + 1; j < shape->ndim && fsr_node_sound(x); j++)
            x = fsr_expand_at(s->at, x, fsr_node_ndim(x));
    } else {
        int k = t->form.nstate + t->form.nsliced;
        while (t->node[k] != id)
            k++;
        x = fsr_expand_at(s->at, fsr_graph_handle(s->g, s->same[k].id, s->same[k].output), axis);
    }
    return fsr_node_sound(x) ? fsr_stretch(s->at, x, shape) : x;
}

/* The right side of component c, with its slices along the axis: a slice of each turn, or nothing that is looked at. */
static fsr_node right_side(const scan *s, int c, int axis) {
    const int first = 0;
    const bool given = c < s->t->form.nsliced;
    fsr_node x = s->operand[s->t->form.nstate + (given ? c : 0)];
    x = axis ? fsr_moveaxis_at(s->at, x, &first, &axis, 1) : x;
    if (given || !fsr_node_sound(x))
        return x;
    if (s->beside[c])
        return along(s, s->beside[c], &fsr_node_rec(x)->shape, axis);
    const fsr_node none = fsr_literal(s->g, s->at, s->dtype[c], (fsr_value){.bits = 0}, false);
    return fsr_stretch(s->at, none, &fsr_node_rec(x)->shape);
}

bool fsr_rounds_scan(fsr_site at, const fsr_rounds *t, const fsr_node *operand, const fsr_ref *same, int axis,
                     fsr_node *out) {
    scan s = {.at = at, .g = operand[0].graph, .t = t, .operand = operand, .same = same};
    fsr_node in[FSR_MAX_TUPLE + FSR_MAX_ARGS], all[FSR_MAX_TUPLE], poison;
    if (!fits(&s))
        return false;
    axis += axis < 0 ? s.slice.ndim + 1 : 0;
    fsr_combine *c = operator_of(&s, in + s.arity, &poison);
    for (int k = 0; k < s.arity; k++)
        in[k] = right_side(&s, k, axis);
    if (c)
        fsr_running(at, all, in, c, axis, t->form.reverse ? FSR_REVERSE : 0);
    const int64_t last = t->form.reverse ? 0 : t->form.count - 1;
    for (int i = 0; i < t->form.nstate + t->form.nstacked; i++) {
        out[i] = c ? all[s.at_component[i]] : poison;
        if (i < t->form.nstate && fsr_node_sound(out[i]))
            out[i] = fsr_squeeze_at(at, fsr_slice_at(at, out[i], axis, last, last + 1, 1), axis);
    }
    return true;
}
