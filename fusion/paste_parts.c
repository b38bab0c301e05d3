/* SPDX-License-Identifier: MIT */
/* Pieces of a paste, and the gather that takes them from one array; see paste_parts.h.
 *
 * Two kinds of pieces are one gather: an array between its own edges, repeated, is that array at a clipped place; and
 * what is stacked of one array, each a step further, is that array at the sum of two indices.
 * Counter-example to any pieces of one array: of two halves in the other order the place is a choice, as the paste
 * is. */
#include "fusion/paste_parts.h"
#include <string.h>

/* ---- pieces ----------------------------------------------------------------------------------------------------- */

/* The only dimension along which the section is not all of the paste, its number; -1: there are several, or it lies
 * otherwise. */
static int axis_of(const fsr_flow_node *n, const fsr_shape *part) {
    int axis = -1;
    bool plain = part->ndim == n->shape.ndim;
    for (int j = 0; j < n->shape.ndim && plain; ++j) {
        plain = part->dim[j] == 1 || (n->view.from[j] == j && n->view.step[j] == 1);
        if (part->dim[j] == n->shape.dim[j])
            continue;
        plain = plain && axis < 0;
        axis = j;
    }
    return plain ? axis : -1;
}

static void look(const fsr_flow *flow, fsr_piece *piece) {
    const fsr_flow_node *n = &flow->node[piece->value.id];
    const bool shows = fsr_is(n->kind, FSR_IS_VIEW) && n->view.kind == FSR_VIEW_AFFINE && n->hint == FSR_HINT_NONE;
    piece->source = shows ? n->arg[0] : piece->value;
    piece->view = (fsr_view){.kind = FSR_VIEW_AFFINE};
    for (int j = 0; j < FSR_MAX_DIMS; ++j) {
        piece->view.from[j] = (int8_t)(j < n->shape.ndim ? j : -1);
        piece->view.step[j] = j < n->shape.ndim;
    }
    piece->view = shows ? n->view : piece->view;
}

/* Puts a piece at its place in order. False: it overlaps another one, or there are too many. */
static bool put(fsr_pieces *to, const fsr_piece *piece) {
    int at = to->n;
    bool apart = to->n < FSR_MOST_PIECES;
    for (int i = 0; i < to->n && apart; ++i)
        apart = piece->start + piece->count <= to->piece[i].start ||
                to->piece[i].start + to->piece[i].count <= piece->start;
    for (; apart && at > 0 && to->piece[at - 1].start > piece->start; --at)
        to->piece[at] = to->piece[at - 1];
    if (apart)
        to->piece[at] = *piece;
    to->n += apart;
    return apart;
}

static bool pastes(const fsr_flow_node *n) {
    return fsr_is(n->kind, FSR_OVERWRITES) && fsr_has(n->kind, FSR_FIELD_view) && !fsr_is(n->kind, FSR_SCATTERS) &&
           n->hint == FSR_HINT_NONE && n->nargs == 2;
}

bool fsr_pieces_of(const fsr_flow *flow, int id, fsr_pieces *out) {
    const fsr_flow_node *n = &flow->node[id];
    int64_t covered = 0;
    *out = (fsr_pieces){.axis = -1};
    while (pastes(n)) {
        const fsr_shape *part = &flow->node[n->arg[1].id].shape;
        const int axis = axis_of(n, part);
        if (axis < 0 || (out->axis >= 0 && axis != out->axis) || fsr_shape_size(part) == 0)
            return false;
        out->axis = axis;
        fsr_piece piece = {.start = n->view.start[axis], .count = part->dim[axis], .value = n->arg[1]};
        look(flow, &piece);
        if (!put(out, &piece))
            return false;
        covered += piece.count;
        if (covered == n->shape.dim[axis])
            return true;
        n = &flow->node[n->arg[0].id];
    }
    return false;
}

/* ---- nodes that are appended ------------------------------------------------------------------------------------ */

static int add(fsr_flow *flow, fsr_flow_node *node, fsr_dtype dtype) {
    node->nout = 1;
    node->dtype[0] = dtype;
    return fsr_flow_add(flow, node);
}

/* The index along one dimension of a shape, everywhere in it. */
static int add_index(fsr_flow *flow, const fsr_shape *shape, int axis) {
    fsr_flow_node index = {.kind = FSR_NODE_IOTA, .shape = *shape, .axis = axis};
    return add(flow, &index, FSR_I64);
}

static int add_number(fsr_flow *flow, const fsr_shape *shape, int64_t number) {
    fsr_flow_node literal = {.kind = FSR_NODE_CONST, .value = fsr_value_from_int(FSR_I64, number)};
    const int id = add(flow, &literal, FSR_I64);
    fsr_flow_node view = {.kind = FSR_NODE_VIEW, .shape = *shape, .nargs = 1, .arg = {{id, 0}}};
    return id < 0 ? -1 : add(flow, &view, FSR_I64);
}

static int add_op(fsr_flow *flow, fsr_op op, int a, int b) {
    if (a < 0 || b < 0)
        return -1;
    fsr_flow_node map = {.kind = FSR_NODE_MAP, .op = op, .nargs = 2, .arg = {{a, 0}, {b, 0}}};
    map.shape = flow->node[a].shape;
    map.hint = FSR_HINT_INLINE; /* also where everything else is stored */
    return add(flow, &map, FSR_I64);
}

/* Takes argument 0 of a view at `place` along dimension j. */
static int add_gather(fsr_flow *flow, const fsr_flow_node *paste, const fsr_piece *at, int j, int place) {
    if (place < 0)
        return -2;
    fsr_flow_node gather = {.kind = FSR_NODE_GATHER, .shape = paste->shape, .nargs = 2, .view = at->view};
    gather.axes = UINT32_C(1) << j;
    gather.mode = FSR_INDEX_CLIP;
    gather.view.from[j] = -1;
    gather.view.start[j] = gather.view.step[j] = 0;
    gather.site = paste->site;
    gather.arg[0] = at->source;
    gather.arg[1] = (fsr_link){place, 0};
    const int id = add(flow, &gather, paste->dtype[0]);
    return id < 0 ? -2 : id;
}

/* ---- which gather ----------------------------------------------------------------------------------------------- */

/* The views show one array and are the same but along its dimension j, where nothing else of the other dimensions is
 * asked than the axis. */
static bool are_alike(const fsr_flow *flow, const fsr_pieces *p, int j) {
    const fsr_piece *first = &p->piece[0];
    const int ndim = flow->node[first->source.id].shape.ndim;
    bool alike = true;
    for (int i = 0; i < p->n && alike; ++i) {
        const fsr_piece *at = &p->piece[i];
        alike = fsr_link_equal(at->source, first->source);
        for (int d = 0; d < ndim && alike; ++d)
            alike = d == j || (at->view.from[d] != p->axis && at->view.from[d] == first->view.from[d] &&
                               at->view.start[d] == first->view.start[d] && at->view.step[d] == first->view.step[d]);
    }
    return alike;
}

static int64_t clip(int64_t x, int64_t low, int64_t high) {
    return x < low ? low : x > high ? high : x;
}

/* The piece goes on along dimension j with the axis. */
static bool goes_on(const fsr_pieces *p, const fsr_piece *at, int j) {
    return at->count > 1 && at->view.from[j] == p->axis && at->view.step[j] == 1;
}

/* Every piece is where index - *before, clipped to what piece `middle` shows, leads. */
static bool are_clipped(const fsr_pieces *p, const fsr_piece *middle, int j, int64_t *before) {
    const int64_t low = middle->view.start[j], high = low + middle->count - 1;
    bool all = true;
    *before = middle->start - low;
    for (int i = 0; i < p->n && all; ++i) {
        const fsr_piece *at = &p->piece[i];
        const int64_t first = at->view.start[j], last = first + (goes_on(p, at, j) ? at->count - 1 : 0);
        const bool still = at->count == 1 || at->view.from[j] < 0;
        all = (still || goes_on(p, at, j)) && clip(at->start - *before, low, high) == first &&
              clip(at->start + at->count - 1 - *before, low, high) == last;
    }
    return all;
}

/* An array between its edges. */
static int clipped(fsr_flow *flow, const fsr_flow_node *paste, const fsr_pieces *p, int j) {
    const fsr_piece *middle = &p->piece[0];
    for (int i = 1; i < p->n; ++i)
        middle = goes_on(p, &p->piece[i], j) ? &p->piece[i] : middle;
    int64_t before;
    if (!goes_on(p, middle, j) || !are_clipped(p, middle, j, &before))
        return -1;
    const int64_t low = middle->view.start[j], high = low + middle->count - 1;
    const fsr_shape *shape = &paste->shape;
    const int64_t last = shape->dim[p->axis] - 1 - before;
    int place = add_op(flow, FSR_OP_SUB, add_index(flow, shape, p->axis), add_number(flow, shape, before));
    if (low > 0 && low > -before)
        place = add_op(flow, FSR_OP_MAXIMUM, place, add_number(flow, shape, low));
    if (high < last && high + 1 < flow->node[middle->source.id].shape.dim[j])
        place = add_op(flow, FSR_OP_MINIMUM, place, add_number(flow, shape, high));
    return add_gather(flow, paste, middle, j, place);
}

/* Places of a stack, each a step further than the one before. */
static int stepped(fsr_flow *flow, const fsr_flow_node *paste, const fsr_pieces *p, int j) {
    const fsr_piece *first = &p->piece[0];
    const int64_t begin = first->view.start[j], step = p->piece[1].view.start[j] - begin;
    const fsr_shape *shape = &paste->shape;
    const int along = first->view.from[j];
    for (int i = 0; i < p->n && step; ++i) {
        const fsr_view *view = &p->piece[i].view;
        if (p->piece[i].count != 1 || view->from[j] == p->axis || view->from[j] != along ||
            view->step[j] != first->view.step[j] || view->start[j] != begin + i * step)
            return -1;
    }
    if (!step)
        return -1;
    int place = add_op(flow, FSR_OP_MUL, add_index(flow, shape, p->axis), add_number(flow, shape, step));
    if (along >= 0) {
        const int own =
            add_op(flow, FSR_OP_MUL, add_index(flow, shape, along), add_number(flow, shape, first->view.step[j]));
        place = add_op(flow, FSR_OP_ADD, place, own);
    }
    place = add_op(flow, FSR_OP_ADD, place, add_number(flow, shape, begin));
    return add_gather(flow, paste, first, j, place);
}

int fsr_pieces_gathered(fsr_flow *flow, const fsr_flow_node *paste, const fsr_pieces *pieces) {
    const int ndim = flow->node[pieces->piece[0].source.id].shape.ndim;
    int id = -1;
    for (int j = 0; j < ndim && id == -1 && pieces->n > 1; ++j) {
        if (!are_alike(flow, pieces, j))
            continue;
        id = clipped(flow, paste, pieces, j);
        id = id == -1 ? stepped(flow, paste, pieces, j) : id;
    }
    return id;
}
