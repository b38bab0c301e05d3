/* SPDX-License-Identifier: MIT */
/* Short rows in order without a call; see order_rows.h.
 *
 * A call that selects elements of rows is made for long ones: a row is a block's, and the argument has to lie in
 * memory. A row of few elements is as many values of one thread, which a network of exchanges (order_network.c) puts
 * in order: the elements become keys, integers that are in order as they are, exchanges are minimum and maximum, and
 * what is asked for becomes an element again. All of that are maps over the rows, so a window's median is part of the
 * kernel that loads the window and goes on with the median.
 *
 * A rank that is a literal is one wire of the network, and what no rank wants is not computed; a computed one chooses
 * between all wires. A CPU has a call that sorts rows side by side in vectors: there, three quantiles of nine elements,
 * computed ranks between seven choices, took 1.2 times as long as that, and literal ones a fifth. What would get too
 * long a program, with the networks that its argument is made of, stays a call. Counter-example to counting how many
 * elements are less than each: of nine elements that is 72 comparisons, and 36 operations of a network are a median.
 *
 * New nodes come before their users, so the nodes are copied in order into a list of their own. */
#include "fusion/order_rows.h"
#include "fusion/order_parts.h"
#include "fusion/rewrites.h"
#include <stdlib.h>

enum { MOST_OPS = 330, MOST_RANKS = 8, MOST_PLACES = 16 };

/* What stands for a call: of each of its results the elements along the last dimension. */
typedef struct pieces {
    int n;
    fsr_link of[2][MOST_PLACES];
} pieces;

typedef struct maker {
    const fsr_flow *from;
    fsr_flow to;
    bool gpu;
    fsr_link *at; /* what stands for each node of `from` */
    int *below;   /* of each: operations of networks that its evaluation takes, along the longest way */
    int *made_of; /* of each: 1 + its pieces' number, 0: it is copied */
    bool *used;   /* of each result */
    pieces *pieces;
    bool failed;
    int made, capacity;
} maker;

/* ---- calls --------------------------------------------------------------------------------------------------- */

static fsr_link stands(const maker *m, fsr_link link) {
    return m->at[link.id * FSR_MAX_OUTPUTS + link.output];
}

/* Ranks that are literals, brought inside, and a bit for each of them that is a wire; the others, -1, want all. */
static unsigned wanted_ranks(const maker *m, const fsr_flow_node *n, int64_t length, int64_t *rank) {
    const int count = (int)n->shape.dim[n->shape.ndim - 1];
    unsigned wanted = 0;
    for (int i = 0; i < count; ++i) {
        if (!fsr_literal_rank(m->from, n->arg[1], i, &rank[i])) {
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

/* A call that may be a network; sorts have places (graph/library.h). */
static bool is_short(const fsr_flow *flow, const fsr_flow_node *n) {
    if (!fsr_is(n->kind, FSR_IS_LIBRARY) || !fsr_has(n->kind, FSR_FIELD_library) || n->hint == FSR_HINT_MATERIALIZE)
        return false;
    const bool sorts = fsr_library_has_places(n->library);
    if (!sorts && n->library != FSR_LIBRARY_RANKED)
        return false;
    const fsr_shape *rows = &flow->node[n->arg[0].id].shape;
    const int64_t count = n->shape.dim[n->shape.ndim - 1], length = rows->dim[rows->ndim - 1];
    return count >= 1 && count <= (sorts ? MOST_PLACES : MOST_RANKS) && length >= 2 &&
           length <= (sorts ? MOST_PLACES : FSR_MOST_WIRES) && fsr_shape_size(rows) > 0;
}

/* Operations of all; of a computed rank a comparison and a choice a wire. */
static int ops_of(const fsr_network *net, fsr_dtype dtype, int64_t length, const int64_t *rank, int64_t count) {
    int ops = net->ops + (fsr_dtype_is_float(dtype) ? (int)(length + count) : 0);
    for (int64_t i = 0; i < count; ++i)
        ops += rank[i] < 0 ? 2 * (int)length : 0;
    return ops;
}

/* Room for what stands for call i; NULL: memory is out. */
static pieces *make_pieces(maker *m, int i) {
    if (m->made == m->capacity) {
        const int capacity = 2 * m->capacity + 8;
        pieces *grown = realloc(m->pieces, sizeof *grown * (size_t)capacity);
        if (!grown) {
            m->failed = true;
            return NULL;
        }
        m->pieces = grown;
        m->capacity = capacity;
    }
    m->made_of[i] = ++m->made;
    return &m->pieces[m->made - 1];
}

static fsr_wires wires_of(maker *m, const fsr_flow_node *n, const fsr_flow_node *copy) {
    fsr_wires o = {.to = &m->to, .of = *n, .x = copy->arg[0], .shape = m->from->node[n->arg[0].id].shape};
    const int last = o.shape.ndim - 1;
    o.n = (int)o.shape.dim[last];
    o.shape.dim[last] = 1;
    return o;
}

/* Result k of call i is these side by side. */
static void stack(maker *m, fsr_wires *o, int i, int k, const pieces *p) {
    m->at[i * FSR_MAX_OUTPUTS + k] = fsr_wires_stack(o, p->of[k], p->n);
    m->failed = m->failed || o->failed;
}

/* Call i of `from`, whose copy is not added yet: true if its elements are there. */
static bool select_rows(maker *m, int i, const fsr_flow_node *copy) {
    const fsr_flow_node *n = &m->from->node[i];
    fsr_wires o = wires_of(m, n, copy);
    fsr_network net;
    int64_t rank[MOST_RANKS];
    const int count = (int)n->shape.dim[n->shape.ndim - 1];
    fsr_network_make(&net, o.n, false, wanted_ranks(m, n, o.n, rank));
    const int ops = ops_of(&net, n->dtype[0], o.n, rank, count);
    if (m->below[i] + ops > MOST_OPS || (!m->gpu && any_computed(rank, count)))
        return false;
    pieces *p = make_pieces(m, i);
    if (!p)
        return false;
    fsr_wires_keys(&o);
    fsr_wires_run(&o, &net, FSR_OP_MINIMUM, FSR_OP_MAXIMUM);
    p->n = count;
    for (int k = 0; k < count && !o.failed; ++k)
        p->of[0][k] = fsr_wires_value(&o, rank[k] >= 0 ? o.wire[rank[k]]
                                                       : fsr_wires_choose(&o, fsr_wires_element(&o, copy->arg[1], k)));
    m->below[i] += ops;
    stack(m, &o, i, 0, p);
    return true;
}

/* The same of a call that sorts, or takes the first. All of a row are stored by one thread of a GPU; a CPU has a call
 * for that. */
static bool sort_rows(maker *m, int i, const fsr_flow_node *copy) {
    const fsr_flow_node *n = &m->from->node[i];
    const bool descending = n->library == FSR_LIBRARY_GREATEST, *used = &m->used[i * FSR_MAX_OUTPUTS];
    const int k = (int)n->shape.dim[n->shape.ndim - 1];
    fsr_wires o = wires_of(m, n, copy);
    int ops = used[0] ? fsr_wires_sorted_ops(n->dtype[0], o.n, k, descending) : 0;
    ops += used[1] ? fsr_wires_places_ops(o.n, k) : 0;
    if (!m->gpu || m->below[i] + ops > MOST_OPS || (used[1] && !fsr_wires_has_places(n->dtype[0])))
        return false;
    pieces *p = make_pieces(m, i);
    if (!p)
        return false;
    p->n = k;
    m->below[i] += ops;
    if (used[0]) {
        fsr_wires_sorted(&o, k, descending, p->of[0]);
        stack(m, &o, i, 0, p);
    }
    if (used[1]) {
        fsr_wires_places(&o, k, descending, n->dtype[1], p->of[1]);
        stack(m, &o, i, 1, p);
    }
    return true;
}

/* ---- copies -------------------------------------------------------------------------------------------------- */

/* A view of one element of each row of what was replaced shows that one. */
static void show_piece(const maker *m, const fsr_flow_node *n, fsr_flow_node *copy) {
    const int made = fsr_is(n->kind, FSR_IS_VIEW) ? m->made_of[n->arg[0].id] : 0;
    if (!made || n->view.kind != FSR_VIEW_AFFINE)
        return;
    const int last = m->from->node[n->arg[0].id].shape.ndim - 1, from = n->view.from[last];
    if (from >= 0 && n->shape.dim[from] > 1)
        return;
    copy->arg[0] = m->pieces[made - 1].of[n->arg[0].output][n->view.start[last]];
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
        const bool is_call = is_short(m->from, n);
        fsr_flow_node copy = *n;
        for (int k = 0; k < n->nargs; ++k)
            copy.arg[k] = stands(m, n->arg[k]);
        m->below[i] = below_of(m, n);
        if (is_call && (n->library == FSR_LIBRARY_RANKED ? select_rows : sort_rows)(m, i, &copy))
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
    bool any = false;
    for (int i = 0; i < flow->n && !any; ++i)
        any = is_short(flow, &flow->node[i]);
    return any;
}

/* Marks the results that some node or output reads. */
static void mark_used(const fsr_flow *flow, bool *used) {
    for (int i = 0; i < flow->n; ++i)
        for (int k = 0; k < flow->node[i].nargs; ++k)
            used[flow->node[i].arg[k].id * FSR_MAX_OUTPUTS + flow->node[i].arg[k].output] = true;
    for (int k = 0; k < flow->nout; ++k)
        used[flow->out[k].id * FSR_MAX_OUTPUTS + flow->out[k].output] = true;
}

fsr_status fsr_flow_order_rows(fsr_flow *flow, const fsr_program_options *options) {
    fsr_status status = FSR_OK;
    if (!options->fusion || options->fuel >= 0 || !any_calls(flow))
        return FSR_OK;
    const size_t room = (size_t)flow->n + 1;
    maker m = {.from = flow, .gpu = options->target.gpu, .at = fsr_flow_redirects(flow, &status)};
    m.below = malloc(sizeof *m.below * room);
    m.made_of = calloc(room, sizeof *m.made_of);
    m.used = calloc(room * FSR_MAX_OUTPUTS, sizeof *m.used);
    m.failed = !m.at || !m.below || !m.made_of || !m.used;
    if (!m.failed) {
        mark_used(flow, m.used);
        copy_all(&m);
    }
    if (!m.failed && m.made) {
        fsr_flow_become(flow, &m.to, m.at);
        status = fsr_rewrites_tidy(flow);
    } else {
        free(m.to.node);
        status = m.failed ? FSR_ERR_MEMORY : FSR_OK;
    }
    free(m.at);
    free(m.below);
    free(m.made_of);
    free(m.used);
    free(m.pieces);
    return status;
}
