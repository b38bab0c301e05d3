/* SPDX-License-Identifier: MIT */
/* Short rows in order without a call; see order_rows.h.
 *
 * A call that selects elements of rows is made for long ones: a row is a block's, and the argument has to lie in memory. A row
 * of few elements is as many values of one thread, which a network of exchanges (order_network.c) puts in order: the
 * elements become keys, integers that are in order as they are, exchanges are minimum and maximum, and what is asked
 * for becomes an element again. All of that are maps over the rows, so a window's median is part of the kernel that
 * loads the window and goes on with the median.
 *
 * A rank that is a literal is one wire of the network, and what no rank wants is not computed; a computed one chooses
 * between all wires. A CPU has a call that sorts rows side by side in vectors: there, three quantiles of nine elements,
 * computed ranks between seven choices, took 1.2 times as long as that, and literal ones a fifth. What would get too long a program, with the networks that its argument is made of, stays a call.
 * Counter-example to counting how many elements are less than each: of nine elements that is 72 comparisons, and 36
 * operations of a network are a median.
 *
 * New nodes come before their users, so the nodes are copied in order into a list of their own. */
#include "fusion/order_rows.h"
#include "fusion/order_parts.h"
#include "fusion/rewrites.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_OPS = 330, MOST_RANKS = 8, DEEP = 12 };

/* What stands for a call: its elements along the last dimension. */
typedef struct pieces {
    int n; /* 0: the call is there */
    fsr_link of[MOST_RANKS];
} pieces;

typedef struct maker {
    const fsr_flow *from;
    fsr_flow to;
    bool gpu;
    fsr_link *at;   /* what stands for each node of `from` */
    int *below;     /* of each: operations of networks that its evaluation takes, along the longest way */
    pieces *pieces; /* of each */
    bool failed;
    int made;
} maker;

/* ---- literal ranks -------------------------------------------------------------------------------------------------- */

/* Where along each dimension; -1: anywhere. */
typedef struct place {
    int64_t at[FSR_MAX_DIMS];
} place;

static bool through_view(const fsr_flow_node *n, int ndim, place *p) {
    place inner;
    if (n->view.kind != FSR_VIEW_AFFINE)
        return false;
    for (int j = 0; j < ndim; ++j) {
        const int from = n->view.from[j];
        const int64_t i = from < 0 ? 0 : p->at[from];
        inner.at[j] = i < 0 ? -1 : n->view.start[j] + n->view.step[j] * i;
    }
    *p = inner;
    return true;
}

/* Whether the place is in the section, and then where there; -1: it may be. */
static int into_section(const fsr_flow_node *n, const fsr_shape *part, place *p) {
    place inner = {{0}};
    for (int j = 0; j < n->shape.ndim; ++j) {
        const int from = n->view.from[j];
        const int64_t extent = from < 0 ? 1 : part->dim[from], step = extent > 1 ? n->view.step[j] : 1;
        const int64_t i = p->at[j] - n->view.start[j];
        const bool all = extent == n->shape.dim[j] && step == 1;
        if (p->at[j] < 0 && !all)
            return -1;
        if (p->at[j] >= 0 && (i % step != 0 || i / step < 0 || i / step >= extent))
            return 0;
        if (from >= 0)
            inner.at[from] = p->at[j] < 0 ? -1 : i / step;
    }
    *p = inner;
    return 1;
}

static bool literal_at(const fsr_flow *flow, fsr_link link, const place *asked, int depth, fsr_value *value);

/* What an exact operation gives of literals. */
static bool literal_result(const fsr_flow *flow, const fsr_flow_node *n, const place *p, int depth, fsr_value *value) {
    fsr_value arg[3];
    if (!fsr_has(n->kind, FSR_FIELD_op) || n->nargs < 1 || n->nargs > 3)
        return false;
    const fsr_link last = n->arg[n->nargs - 1];
    const fsr_dtype compute = flow->node[last.id].dtype[last.output];
    if (n->op != FSR_OP_CAST && !fsr_op_exact(n->op, compute))
        return false;
    for (int k = 0; k < n->nargs; ++k)
        if (!literal_at(flow, n->arg[k], p, depth + 1, &arg[k]))
            return false;
    *value = n->op == FSR_OP_CAST ? fsr_value_cast(n->dtype[0], compute, arg[0])
                                  : fsr_op_eval(n->op, compute, n->dtype[0], arg);
    return true;
}

/* The literal that an array has wherever the place says. */
static bool literal_at(const fsr_flow *flow, fsr_link link, const place *asked, int depth, fsr_value *value) {
    const fsr_flow_node *n = &flow->node[link.id];
    place p = *asked;
    for (; !fsr_is(n->kind, FSR_IS_LITERAL); n = &flow->node[link.id]) {
        const bool pastes = fsr_is(n->kind, FSR_OVERWRITES) && fsr_has(n->kind, FSR_FIELD_view) && n->nargs == 2 &&
                            !fsr_is(n->kind, FSR_SCATTERS);
        int side = 0;
        if (fsr_is(n->kind, FSR_IS_EACH))
            return depth < DEEP && literal_result(flow, n, &p, depth, value);
        if (fsr_is(n->kind, FSR_IS_VIEW) ? !through_view(n, flow->node[n->arg[0].id].shape.ndim, &p)
                                         : !pastes || (side = into_section(n, &flow->node[n->arg[1].id].shape, &p)) < 0)
            return false;
        link = n->arg[side];
    }
    *value = n->value;
    return true;
}

/* The literal that an array of ranks has in column i of every row. */
static bool literal_rank(const fsr_flow *flow, fsr_link link, int64_t i, int64_t *rank) {
    const fsr_shape *shape = &flow->node[link.id].shape;
    fsr_value value;
    place p;
    for (int j = 0; j < shape->ndim; ++j)
        p.at[j] = j + 1 < shape->ndim ? -1 : i;
    if (!literal_at(flow, link, &p, 0, &value))
        return false;
    *rank = value.i64;
    return true;
}

/* ---- calls ---------------------------------------------------------------------------------------------------------- */

static fsr_link stands(const maker *m, fsr_link link) {
    return m->at[link.id * FSR_MAX_OUTPUTS + link.output];
}

/* Ranks that are literals, brought inside, and a bit for each of them that is a wire; the others are -1, and want all. */
static unsigned wanted_ranks(const maker *m, const fsr_flow_node *n, int64_t length, int64_t *rank) {
    const int count = (int)n->shape.dim[n->shape.ndim - 1];
    unsigned wanted = 0;
    for (int i = 0; i < count; ++i) {
        if (!literal_rank(m->from, n->arg[1], i, &rank[i])) {
            rank[i] = -1;
            wanted |= (unsigned)((UINT64_C(1) << length) - 1);
            continue;
        }
        rank[i] = rank[i] < 0 ? 0 : rank[i] < length ? rank[i] : length - 1;
        wanted |= 1U << rank[i];
    }
    return wanted;
}

static bool any_computed(const int64_t *rank, int count) {
    bool any = false;
    for (int i = 0; i < count; ++i)
        any = any || rank[i] < 0;
    return any;
}

static bool is_short(const fsr_flow_node *n, const fsr_shape *rows) {
    const int64_t count = n->shape.dim[n->shape.ndim - 1], length = rows->dim[rows->ndim - 1];
    return n->library == FSR_LIBRARY_RANKED && n->hint != FSR_HINT_MATERIALIZE && count >= 1 && count <= MOST_RANKS &&
           length >= 2 && length <= FSR_MOST_WIRES && fsr_shape_size(rows) > 0;
}

/* Operations of all; of a computed rank a comparison and a choice a wire. */
static int ops_of(const fsr_network *net, fsr_dtype dtype, int64_t length, const int64_t *rank, int64_t count) {
    int ops = net->ops + (fsr_dtype_is_float(dtype) ? (int)(length + count) : 0);
    for (int64_t i = 0; i < count; ++i)
        ops += rank[i] < 0 ? 2 * (int)length : 0;
    return ops;
}

/* Call i of `from`, whose copy is not added yet: true if its elements are there. */
static bool select_rows(maker *m, int i, const fsr_flow_node *copy) {
    const fsr_flow_node *n = &m->from->node[i];
    const fsr_shape *rows = &m->from->node[n->arg[0].id].shape;
    const fsr_dtype dtype = n->dtype[0];
    fsr_network net;
    int64_t rank[MOST_RANKS];
    if (!is_short(n, rows))
        return false;
    const int last = rows->ndim - 1, count = (int)n->shape.dim[last];
    fsr_network_make(&net, (int)rows->dim[last], false, wanted_ranks(m, n, rows->dim[last], rank));
    const int ops = ops_of(&net, dtype, rows->dim[last], rank, count);
    if (m->below[i] + ops > MOST_OPS || (!m->gpu && any_computed(rank, count)))
        return false;
    fsr_wires o = {.to = &m->to, .of = *n, .x = copy->arg[0], .shape = *rows, .n = (int)rows->dim[last]};
    o.shape.dim[last] = 1;
    fsr_wires_keys(&o);
    fsr_wires_run(&o, &net, FSR_OP_MINIMUM, FSR_OP_MAXIMUM);
    for (int k = 0; k < count && !o.failed; ++k)
        m->pieces[i].of[k] = fsr_wires_value(
            &o, rank[k] >= 0 ? o.wire[rank[k]] : fsr_wires_choose(&o, fsr_wires_element(&o, copy->arg[1], k)));
    m->pieces[i].n = count;
    m->below[i] += ops;
    fsr_flow_replace(m->at, i, fsr_wires_stack(&o, m->pieces[i].of, count));
    m->failed = m->failed || o.failed;
    ++m->made;
    return true;
}

/* ---- copies --------------------------------------------------------------------------------------------------------- */

/* A view of one element of each row of what was replaced shows that one. */
static void show_piece(const maker *m, const fsr_flow_node *n, fsr_flow_node *copy) {
    const pieces *p = fsr_is(n->kind, FSR_IS_VIEW) ? &m->pieces[n->arg[0].id] : NULL;
    if (!p || !p->n || n->view.kind != FSR_VIEW_AFFINE)
        return;
    const int last = m->from->node[n->arg[0].id].shape.ndim - 1, from = n->view.from[last];
    if (from >= 0 && n->shape.dim[from] > 1)
        return;
    copy->arg[0] = p->of[n->view.start[last]];
    copy->view.from[last] = -1;
    copy->view.start[last] = copy->view.step[last] = 0;
}

/* What networks its arguments take; memory ends that. */
static int below_of(const maker *m, const fsr_flow_node *n) {
    int most = 0;
    for (int k = 0; k < n->nargs; ++k)
        most = m->below[n->arg[k].id] > most ? m->below[n->arg[k].id] : most;
    return most;
}

static void copy_all(maker *m) {
    for (int i = 0; i < m->from->n && !m->failed; ++i) {
        const fsr_flow_node *n = &m->from->node[i];
        const bool calls = fsr_is(n->kind, FSR_IS_LIBRARY) && fsr_has(n->kind, FSR_FIELD_library);
        fsr_flow_node copy = *n;
        for (int k = 0; k < n->nargs; ++k)
            copy.arg[k] = stands(m, n->arg[k]);
        m->below[i] = below_of(m, n);
        m->pieces[i].n = 0;
        if (calls && select_rows(m, i, &copy))
            continue;
        if (fsr_is(n->kind, FSR_IS_STORED | FSR_IS_FOLD | FSR_IS_LIBRARY) || n->hint == FSR_HINT_MATERIALIZE)
            m->below[i] = 0;
        show_piece(m, n, &copy);
        const int id = fsr_flow_add(&m->to, &copy);
        m->failed = id < 0;
        fsr_flow_replace(m->at, i, (fsr_link){id, 0});
    }
}

static bool any_calls(const fsr_flow *flow) {
    for (int i = 0; i < flow->n; ++i) {
        const fsr_flow_node *n = &flow->node[i];
        if (fsr_is(n->kind, FSR_IS_LIBRARY) && fsr_has(n->kind, FSR_FIELD_library) &&
            is_short(n, &flow->node[n->arg[0].id].shape))
            return true;
    }
    return false;
}

fsr_status fsr_flow_order_rows(fsr_flow *flow, const fsr_program_options *options) {
    fsr_status status = FSR_OK;
    if (!options->fusion || options->fuel >= 0 || !any_calls(flow))
        return FSR_OK;
    const size_t room = (size_t)flow->n + 1;
    maker m = {.from = flow, .gpu = options->target.gpu, .at = fsr_flow_redirects(flow, &status)};
    m.below = malloc(sizeof *m.below * room);
    m.pieces = malloc(sizeof *m.pieces * room);
    m.failed = !m.at || !m.below || !m.pieces;
    if (!m.failed)
        copy_all(&m);
    if (!m.failed && m.made) {
        fsr_flow_become(flow, &m.to, m.at);
        status = fsr_rewrites_tidy(flow);
    } else {
        free(m.to.node);
        status = m.failed ? FSR_ERR_MEMORY : FSR_OK;
    }
    free(m.at);
    free(m.below);
    free(m.pieces);
    return status;
}
