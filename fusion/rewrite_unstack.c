/* SPDX-License-Identifier: MIT */
/* A built-in reduction of what is stacked, along the dimension along which it is, is an operation between the pieces:
 * max(stack(a, b, c), 0) is maximum(maximum(a, b), c). So sums over channels and the greatest of shifted windows are
 * maps, which join what they are made of and what is made of them.
 *
 * Pieces are pastes of extent 1 along that dimension, whole in the others, one for each place; nobody else reads the
 * stack but reductions of this kind, and views of one place, which show the piece. Floats are added from the first
 * piece to the last, which is how one thread folds few elements; sums of halves, which are made in f32, stay folds. No
 * other bit changes.
 * Counter-example to a fold: its kernel has a column for each piece and evaluates at each column what all pieces are
 * made of, under guards of which one holds; a program of three pieces of a stencil took 0.33 ms of an H200, unfused
 * 0.25.
 * Counter-example to taking every reader's share: the greatest of a stack that a softmax subtracts from it is read
 * column by column again, by the same kernel. */
#include "fusion/rewrites.h"
#include <stdlib.h>

enum { MOST_PIECES = 32 };

typedef struct unstacker {
    const fsr_flow *from;
    fsr_flow made;
    fsr_link *at;
    const int *readers;
    int *mine; /* of a node: readers that are reductions of what it stacks, or show one piece */
    int *axis; /* of a node: 1 + the dimension that such a reduction reduces, 0: there is none */
    bool failed;
} unstacker;

/* The pieces along a dimension. */
typedef struct pieces {
    int n;
    fsr_link of[MOST_PIECES];
} pieces;

/* The paste writes one place along `axis`, and all of the others; -1: it does something else. */
static int64_t place_of(const fsr_flow_node *paste, const fsr_shape *piece, int axis) {
    bool whole = piece->ndim == paste->shape.ndim;
    for (int j = 0; whole && j < paste->shape.ndim; ++j) {
        const bool along = j == axis;
        whole = paste->view.from[j] == j && piece->dim[j] == (along ? 1 : paste->shape.dim[j]) &&
                (along || (paste->view.start[j] == 0 && (paste->view.step[j] == 1 || piece->dim[j] == 1)));
    }
    return whole ? paste->view.start[axis] : -1;
}

static bool is_paste(const fsr_flow_node *n) {
    return fsr_is(n->kind, FSR_OVERWRITES) && fsr_has(n->kind, FSR_FIELD_view) && n->nargs == 2 &&
           !fsr_is(n->kind, FSR_SCATTERS) && n->hint != FSR_HINT_MATERIALIZE;
}

/* What is stacked along `axis` and shown by the link: each place once. */
static bool find_pieces(const unstacker *u, fsr_link link, int axis, pieces *out) {
    const fsr_flow_node *n = &u->from->node[link.id];
    const int64_t extent = n->shape.dim[axis];
    unsigned seen = 0;
    if (extent < 2 || extent > MOST_PIECES)
        return false;
    out->n = (int)extent;
    for (int left = out->n; left > 0; --left, n = &u->from->node[link.id]) {
        if (!is_paste(n) || (left < out->n && u->readers[link.id] != 1))
            return false;
        const int64_t at = place_of(n, &u->from->node[n->arg[1].id].shape, axis);
        if (at < 0 || (seen >> at & 1))
            return false;
        seen |= 1U << at;
        out->of[at] = n->arg[1];
        link = n->arg[0];
    }
    return true;
}

static int only_axis(unsigned axes) {
    int axis = 0;
    if (!axes || (axes & (axes - 1)))
        return -1;
    for (; !(axes >> axis & 1); ++axis)
        ;
    return axis;
}

/* A reduction by one operation along a dimension along which pieces are stacked. */
static bool reduces_pieces(const unstacker *u, const fsr_flow_node *n, pieces *out) {
    if (!fsr_is(n->kind, FSR_IS_FOLD) || fsr_is(n->kind, FSR_IS_RUNNING) || !n->combine || !n->combine->builtin ||
        n->hint == FSR_HINT_MATERIALIZE || n->asked || n->nargs != 1 || n->nout != 1)
        return false;
    const int axis = only_axis(n->axes);
    const fsr_flow_node *of = &u->from->node[n->arg[0].id];
    const fsr_dtype dtype = of->dtype[n->arg[0].output];
    return axis >= 0 && n->dtype[0] == dtype && !fsr_dtype_is_half(dtype) &&
           fsr_combine_dtype(n->combine, 0) == dtype && find_pieces(u, n->arg[0], axis, out);
}

/* A view of one piece of what is reduced: its place; -1: it is none. */
static int64_t shown_place(const unstacker *u, const fsr_flow_node *n) {
    const int axis = fsr_is(n->kind, FSR_IS_VIEW) && n->view.kind == FSR_VIEW_AFFINE ? u->axis[n->arg[0].id] - 1 : -1;
    const int from = axis < 0 ? -1 : n->view.from[axis];
    return axis < 0 || (from >= 0 && n->shape.dim[from] > 1) ? -1 : n->view.start[axis];
}

/* The view, of the piece alone. */
static void show_piece(const unstacker *u, const fsr_flow_node *from, int64_t place, fsr_flow_node *view) {
    const int axis = u->axis[from->arg[0].id] - 1;
    pieces p;
    if (!find_pieces(u, from->arg[0], axis, &p))
        return;
    view->arg[0] = u->at[p.of[place].id * FSR_MAX_OUTPUTS + p.of[place].output];
    view->view.from[axis] = -1;
    view->view.start[axis] = view->view.step[axis] = 0;
}

static fsr_link add(unstacker *u, const fsr_flow_node *n) {
    const int id = u->failed ? -1 : fsr_flow_add(&u->made, n);
    u->failed = id < 0;
    return (fsr_link){u->failed ? 0 : id, 0};
}

static fsr_link stands(const unstacker *u, fsr_link link) {
    return u->at[link.id * FSR_MAX_OUTPUTS + link.output];
}

/* What stands for the reduction. */
static fsr_link add_maps(unstacker *u, const fsr_flow_node *n, const pieces *p) {
    fsr_link out = stands(u, p->of[0]);
    for (int i = 1; i < p->n; ++i) {
        fsr_flow_node map = {.nout = 1};
        map.kind = FSR_NODE_MAP;
        map.shape = n->shape;
        map.dtype[0] = n->dtype[0];
        map.site = n->site;
        map.op = n->combine->op;
        map.nargs = 2;
        map.arg[0] = out;
        map.arg[1] = stands(u, p->of[i]);
        out = add(u, &map);
    }
    return out;
}

static void copy_all(unstacker *u) {
    for (int i = 0; i < u->from->n && !u->failed; ++i) {
        fsr_flow_node n = u->from->node[i];
        pieces p;
        for (int k = 0; k < n.nargs; ++k)
            n.arg[k] = stands(u, u->from->node[i].arg[k]);
        const int stack = u->from->node[i].nargs ? u->from->node[i].arg[0].id : 0;
        const bool all = u->mine[stack] && u->mine[stack] == u->readers[stack];
        const int64_t place = all ? shown_place(u, &u->from->node[i]) : -1;
        if (place >= 0)
            show_piece(u, &u->from->node[i], place, &n);
        fsr_flow_replace(u->at, i, all && reduces_pieces(u, &u->from->node[i], &p) ? add_maps(u, &n, &p) : add(u, &n));
    }
}

/* Whether a stack is read by such reductions alone. */
static bool count_readers(unstacker *u) {
    bool any = false;
    pieces p;
    for (int i = 0; i < u->from->n; ++i)
        if (reduces_pieces(u, &u->from->node[i], &p)) {
            ++u->mine[u->from->node[i].arg[0].id];
            u->axis[u->from->node[i].arg[0].id] = 1 + only_axis(u->from->node[i].axes);
        }
    for (int i = 0; i < u->from->n; ++i)
        u->mine[u->from->node[i].arg[0].id] += u->from->node[i].nargs > 0 && shown_place(u, &u->from->node[i]) >= 0;
    for (int i = 0; i < u->from->n; ++i)
        any = any || (u->mine[i] && u->mine[i] == u->readers[i]);
    return any;
}

bool fsr_rewrite_unstack(fsr_flow *flow, fsr_status *status) {
    int *readers = fsr_flow_readers(flow, status);
    const size_t room = (size_t)flow->n + 1;
    unstacker u = {.from = flow, .readers = readers, .mine = calloc(room, sizeof *u.mine)};
    u.axis = calloc(room, sizeof *u.axis);
    bool any = readers && u.mine && u.axis && count_readers(&u);
    if (any) {
        u.at = fsr_flow_redirects(flow, status);
        if (u.at)
            copy_all(&u);
        any = u.at && !u.failed;
    }
    if (any)
        fsr_flow_become(flow, &u.made, u.at);
    else
        free(u.made.node);
    if (u.failed || !u.mine || !u.axis)
        *status = FSR_ERR_MEMORY;
    free(u.at);
    free(u.mine);
    free(u.axis);
    free(readers);
    return any;
}
