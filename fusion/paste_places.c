/* SPDX-License-Identifier: MIT */
/* Pastes that are choices of places rather than of values; see paste_places.h.
 *
 * A GPU's thread computes every alternative of a choice, or its loads ask guards. Of an edge that is repeated, and of
 * two neighbours that are stacked, the alternatives differ in where they look alone: one load at a computed place is
 * left. So operations go behind the paste first: stack(f(a), f(b)) is f(stack(a, b)), bit for bit. On a CPU loops have
 * versions for such choices, and a load at a computed place is no vector code: there pastes stay.
 *
 * Counter-example to moving any operation: one whose result is read elsewhere as well would be computed again. New
 * nodes come before their users, so the nodes are copied in order into a list of their own. */
#include "fusion/paste_places.h"
#include "fusion/paste_parts.h"
#include "fusion/rewrites.h"
#include <stdlib.h>

enum { DEEP = 8 };

/* from[i]: 1 + the node of the old flow that node i is a copy of; 0, or beyond the end: it was made here, for one
 * reader. */
typedef struct maker {
    fsr_flow flow;
    const int *reads; /* of each node of the old flow, how many nodes and outputs take it */
    int *from;
    int nfrom, capacity;
    int changed;
} maker;

static int read_by(const maker *m, int id) {
    return id < m->nfrom && m->from[id] ? m->reads[m->from[id] - 1] : 1;
}

/* Node `id` is a copy of node i. False: out of memory. */
static bool note(maker *m, int id, int i) {
    if (id >= m->capacity) {
        const int capacity = 2 * id + 16;
        int *grown = realloc(m->from, sizeof *grown * (size_t)capacity);
        if (!grown)
            return false;
        m->from = grown;
        m->capacity = capacity;
    }
    while (m->nfrom <= id)
        m->from[m->nfrom++] = 0;
    m->from[id] = i + 1;
    return true;
}

/* The pieces are results of one operation that nobody else takes, all through the same view: that of the first. */
static bool are_one_operation(const maker *m, const fsr_pieces *p) {
    const fsr_flow_node *first = &m->flow.node[p->piece[0].source.id];
    bool one = fsr_has(first->kind, FSR_FIELD_op) && fsr_is(first->kind, FSR_IS_EACH);
    for (int i = 0; i < p->n && one; ++i) {
        const fsr_piece *at = &p->piece[i];
        const fsr_flow_node *n = &m->flow.node[at->source.id];
        one = n->kind == first->kind && n->op == first->op && n->nargs == first->nargs && n->hint == FSR_HINT_NONE &&
              n->dtype[0] == first->dtype[0] && fsr_shape_equal(&n->shape, &first->shape) && !n->asked &&
              read_by(m, at->value.id) == 1 && (at->source.id == at->value.id || read_by(m, at->source.id) == 1);
        for (int d = 0; d < n->shape.ndim && one; ++d)
            one = at->view.from[d] != p->axis && at->view.from[d] == p->piece[0].view.from[d] &&
                  at->view.start[d] == p->piece[0].view.start[d] && at->view.step[d] == p->piece[0].view.step[d];
        for (int k = 0; k < n->nargs && one; ++k) {
            const fsr_link a = n->arg[k], b = first->arg[k];
            one = m->flow.node[a.id].dtype[a.output] == m->flow.node[b.id].dtype[b.output];
        }
    }
    return one;
}

/* A view of a link through `view`; of a view it is one view. -1: out of memory. */
static int add_view(maker *m, fsr_link link, const fsr_view *view, const fsr_shape *shape) {
    const fsr_flow_node *n = &m->flow.node[link.id];
    fsr_flow_node made = {.kind = FSR_NODE_VIEW, .nout = 1, .shape = *shape, .nargs = 1, .view = *view};
    made.dtype[0] = n->dtype[link.output];
    made.arg[0] = link;
    if (fsr_is(n->kind, FSR_IS_VIEW) && n->hint == FSR_HINT_NONE)
        fsr_flow_compose(&made, n, &m->flow.node[n->arg[0].id].shape);
    return fsr_flow_add(&m->flow, &made);
}

static int rewrite(maker *m, int id, int depth);

/* Argument k of the pieces' operation, pasted together and rewritten. -1: it stays a paste, -2: out of memory. */
static int paste_arguments(maker *m, const fsr_flow_node *paste, const fsr_pieces *p, int k, int depth) {
    const fsr_link first = m->flow.node[p->piece[0].source.id].arg[k];
    bool same = true;
    for (int i = 1; i < p->n; ++i)
        same = same && fsr_link_equal(m->flow.node[p->piece[i].source.id].arg[k], first);
    if (same) {
        const int view = add_view(m, first, &p->piece[0].view, &paste->shape);
        return view < 0 ? -2 : view;
    }
    fsr_flow_node zero = {.kind = FSR_NODE_CONST, .nout = 1};
    zero.dtype[0] = m->flow.node[first.id].dtype[first.output];
    zero.value = fsr_value_from_int(zero.dtype[0], 0);
    const int none = fsr_flow_add(&m->flow, &zero);
    const fsr_view uniform = {.kind = FSR_VIEW_AFFINE};
    int id = none < 0 ? -1 : add_view(m, (fsr_link){none, 0}, &uniform, &paste->shape);
    for (int i = 0; i < p->n && id >= 0; ++i) {
        const fsr_piece *at = &p->piece[i];
        fsr_flow_node part = {.kind = FSR_NODE_PASTE, .nout = 1, .shape = paste->shape, .nargs = 2};
        fsr_shape shape = paste->shape;
        shape.dim[p->axis] = at->count;
        part.dtype[0] = zero.dtype[0];
        part.view = paste->view;
        for (int d = 0; d < shape.ndim; ++d) {
            part.view.from[d] = (int8_t)d;
            part.view.step[d] = 1;
        }
        part.view.start[p->axis] = at->start;
        part.site = paste->site;
        part.arg[0] = (fsr_link){id, 0};
        part.arg[1] = (fsr_link){add_view(m, m->flow.node[at->source.id].arg[k], &at->view, &shape), 0};
        id = part.arg[1].id < 0 ? -1 : fsr_flow_add(&m->flow, &part);
    }
    return id < 0 ? -2 : rewrite(m, id, depth + 1);
}

/* The operation of what is pasted together. -1: something would stay a paste, so that nothing is gained; -2: out of
 * memory. What was made before that is known is dropped. */
static int behind(maker *m, const fsr_flow_node *paste, const fsr_pieces *p, int depth) {
    fsr_flow_node made = m->flow.node[p->piece[0].source.id];
    made.shape = paste->shape;
    made.origin = 0;
    for (int k = 0; k < made.nargs; ++k) {
        made.arg[k] = (fsr_link){paste_arguments(m, paste, p, k, depth), 0};
        if (made.arg[k].id < 0)
            return made.arg[k].id;
    }
    const int id = fsr_flow_add(&m->flow, &made);
    return id < 0 ? -2 : id;
}

/* What stands for a paste; -1: itself, -2: out of memory. */
static int rewrite(maker *m, int id, int depth) {
    fsr_pieces pieces;
    if (depth == DEEP || !fsr_pieces_of(&m->flow, id, &pieces))
        return -1;
    const fsr_flow_node paste = m->flow.node[id];
    const int gather = fsr_pieces_gathered(&m->flow, &paste, &pieces);
    if (gather != -1)
        return gather;
    return are_one_operation(m, &pieces) ? behind(m, &paste, &pieces, depth) : -1;
}

/* Copies every node, what stands for a paste behind it. False: out of memory. */
static bool copy(const fsr_flow *from, maker *m, fsr_link *at) {
    for (int i = 0; i < from->n; ++i) {
        fsr_flow_node n = from->node[i];
        for (int k = 0; k < n.nargs; ++k)
            n.arg[k] = at[n.arg[k].id * FSR_MAX_OUTPUTS + n.arg[k].output];
        const int id = fsr_flow_add(&m->flow, &n);
        const int other = id < 0 || !note(m, id, i) ? -2 : rewrite(m, id, 0);
        if (other == -2)
            return false;
        m->changed += other >= 0;
        fsr_flow_replace(at, i, (fsr_link){other >= 0 ? other : id, 0});
    }
    return true;
}

static bool any_pastes(const fsr_flow *flow) {
    bool any = false;
    for (int i = 0; i < flow->n && !any; ++i)
        any = fsr_is(flow->node[i].kind, FSR_OVERWRITES) && fsr_has(flow->node[i].kind, FSR_FIELD_view);
    return any;
}

fsr_status fsr_flow_paste_places(fsr_flow *flow, const fsr_target *target) {
    fsr_status status = FSR_OK;
    if (!target->gpu || !any_pastes(flow))
        return FSR_OK;
    maker m = {0};
    int *reads = fsr_flow_readers(flow, &status);
    fsr_link *to = reads ? fsr_flow_redirects(flow, &status) : NULL;
    m.reads = reads;
    const bool room = to && copy(flow, &m, to);
    if (room && m.changed) {
        free(flow->node);
        flow->node = m.flow.node;
        flow->n = m.flow.n;
        flow->capacity = m.flow.capacity;
        fsr_flow_redirect_outs(flow, to);
        fsr_flow_bare_outs(flow);
        status = fsr_rewrites_tidy(flow);
    } else {
        free(m.flow.node);
    }
    free(m.from);
    free(reads);
    free(to);
    return room ? status : FSR_ERR_MEMORY;
}
