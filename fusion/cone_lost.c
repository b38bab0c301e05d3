/* SPDX-License-Identifier: MIT */
/* Where a kernel would lose more by evaluating a node than its operations cost: what a gather asks for, and loops in
 * which it leaves no vector code.
 *
 * Counter-example to counting operations: a gather in a sum over 24 columns, beside a logarithm that is then evaluated
 * for one element at a time. */
#include "fusion/address.h"
#include "fusion/cone.h"
#include "fusion/version_cells.h"
#include <math.h>
#include <stdlib.h>

/* Elements of a node that are neighbours in memory are neighbours along another dimension of the domain than the
 * innermost. */
bool fsr_cone_is_turned(const fsr_cone *c, int id, const fsr_index *index) {
    fsr_affine at;
    bool other = false;
    const int last = c->domain.ndim - 1;
    fsr_index_address(&at, index, &c->p->flow->node[id].shape);
    for (int d = 0; d < last; ++d)
        other = other || (at.coef[d] != 0 && llabs(at.coef[d]) < FSR_CLOSE);
    return other && llabs(at.coef[last]) >= FSR_CLOSE;
}

bool fsr_cone_crosses(const fsr_cone *c, const fsr_cone_node *at) {
    bool turned = false, straight = false;
    for (int i = at->asked; i >= 0; i = c->asked[i].next)
        *(fsr_cone_is_turned(c, at->id, &c->asked[i].index) ? &turned : &straight) = true;
    return turned && straight;
}

double fsr_cone_gap(const fsr_cone *c, int id, const fsr_index *index) {
    fsr_affine at;
    if (!c->prices->picks || !c->domain.ndim)
        return 0;
    fsr_index_address(&at, index, &c->p->flow->node[id].shape);
    const double stride = (double)llabs(at.coef[c->domain.ndim - 1]);
    return stride > 1 ? fmin(stride, c->prices->strided) - 1 : 0;
}

/* Counter-example to none: of a choice between three arrays and its transpose, added, each array was loaded across
 * memory in place of one that is stored (seed 985064, 0.67 of the unfused speed, 1.62 since). */
double fsr_cone_square(const fsr_cone *c, int id, const fsr_index *index) {
    const fsr_flow_node *n = &c->p->flow->node[id];
    const double bytes = (double)fsr_shape_bytes(&n->shape, n->dtype[0]);
    if (c->prices->squared <= 1 || !c->domain.ndim || !fsr_cone_is_turned(c, id, index))
        return 0;
    return bytes > c->prices->near ? c->prices->squared : fmin(c->prices->strided, c->prices->squared);
}

/* The node has an element for each point of the domain, and a near cache does not hold them. */
bool fsr_cone_is_whole(const fsr_cone *c, int id) {
    const fsr_flow_node *n = &c->p->flow->node[id];
    double points = 1;
    for (int d = 0; d < c->domain.ndim; ++d)
        points *= (double)c->domain.extent[d];
    return c->fold && c->domain.ndim > 1 && (double)fsr_shape_size(&n->shape) >= points &&
           (double)fsr_shape_bytes(&n->shape, n->dtype[0]) > c->prices->near;
}

/* Loads of the node are counted by their way through memory. Those of a map are on a GPU, where no loop goes the other
 * way round: more of them than squares hold take a line for each thread. Counter-example to folds alone: a stencil over
 * differences of a transpose's columns loaded 20 of them, 0.68 of the unfused speed on an H200, 1.58 since the
 * differences are stored. */
bool fsr_cone_counts_ways(const fsr_cone *c, int id) {
    const fsr_flow_node *n = &c->p->flow->node[id];
    return c->fold ? fsr_cone_is_whole(c, id)
                   : c->p->target->gpu && (double)fsr_shape_bytes(&n->shape, n->dtype[0]) > c->prices->near;
}

double fsr_cone_turned(const fsr_cone *c) {
    const double squares = c->prices->squares * (double)(fsr_domain_rows(&c->domain) * fsr_domain_cols(&c->domain));
    return c->fold ? fmin(c->turned, c->straight) : fmax(c->turned - squares, 0);
}

/* Where an argument looks, through views. False: nobody knows. */
static bool look(const fsr_cone *c, fsr_link *link, fsr_index *index) {
    const fsr_flow *flow = c->p->flow;
    while (fsr_is(flow->node[link->id].kind, FSR_IS_VIEW) && !c->p->held[link->id]) {
        const fsr_flow_node *n = &flow->node[link->id];
        fsr_index inner;
        if (!fsr_index_view(&inner, index, &n->view, &n->shape, &flow->node[n->arg[0].id].shape, &c->domain))
            return false;
        fsr_index_copy(index, &inner);
        *link = n->arg[0];
    }
    return true;
}

bool fsr_cone_turns(const fsr_cone *c, const fsr_cone_node *at) {
    const fsr_flow_node *n = &c->p->flow->node[at->id];
    bool turned = false, straight = false;
    for (int k = 0; k < n->nargs && fsr_has(n->kind, FSR_FIELD_op) && fsr_cone_is_whole(c, at->id); ++k) {
        fsr_link link = n->arg[k];
        fsr_index index;
        fsr_index_copy(&index, &c->asked[at->asked].index);
        if (!look(c, &link, &index) || !fsr_cone_is_whole(c, link.id))
            continue;
        *(fsr_cone_is_turned(c, link.id, &index) ? &turned : &straight) = true;
    }
    return turned && straight;
}

bool fsr_cone_gathers(const fsr_cone *c, const fsr_cone_node *at) {
    bool computed = false;
    for (int i = at->asked; i >= 0; i = c->asked[i].next)
        computed = computed || c->asked[i].computed > 0;
    return computed && at->fanned;
}

/* A section of every n-th element along the innermost dimension, each with a value of its own. */
static bool alternates(const fsr_flow *flow, const fsr_flow_node *n) {
    const int last = n->shape.ndim - 1;
    int value = n->arg[1].id;
    while (fsr_is(flow->node[value].kind, FSR_IS_VIEW))
        value = flow->node[value].arg[0].id;
    return last >= 0 && fsr_has(n->kind, FSR_FIELD_view) && n->view.from[last] >= 0 && n->view.step[last] > 1 &&
           fsr_shape_size(&flow->node[value].shape) > 1;
}

/* A bound of the paste's section lies along dimension d of the domain. */
static bool is_cut_along(const fsr_cone *c, const fsr_cone_node *at, int d) {
    const fsr_flow_node *n = &c->p->flow->node[at->id];
    bool cut = !fsr_has(n->kind, FSR_FIELD_view);
    for (int i = at->asked; i >= 0 && !cut; i = c->asked[i].next)
        for (int j = 0; j < n->shape.ndim && !cut; ++j) {
            const int from = n->view.from[j];
            const int64_t of = from < 0 ? 1 : c->p->flow->node[n->arg[1].id].shape.dim[from];
            cut = of < n->shape.dim[j] && (c->asked[i].index.flat || c->asked[i].index.row[j].coef[d] != 0);
        }
    return cut;
}

bool fsr_cone_serial(const fsr_cone *c, const fsr_cone_node *at) {
    enum { SHORT = 16 };
    const fsr_flow_node *n = &c->p->flow->node[at->id];
    const fsr_domain *d = &c->domain;
    const bool paste = fsr_is(n->kind, FSR_OVERWRITES);
    const double few = c->prices->brief, cols = d->ndim ? (double)d->extent[d->ndim - 1] : 1;
    const double rows = d->nparallel ? (double)d->extent[d->nparallel - 1] : cols;
    if (few == 0 || !(paste || fsr_price_scatters(c->p->flow, n)))
        return false;
    if (!c->fold)
        return !paste && d->ndim > 1 && cols < few;
    if (paste && cols < few && d->nparallel && rows >= few && !is_cut_along(c, at, d->nparallel - 1))
        return false;
    if (paste)
        return !c->scan && (cols < few || alternates(c->p->flow, n));
    return d->ndim > d->nparallel && (cols < few ? cols > SHORT || rows < few : rows < few);
}

bool fsr_cone_follows(const fsr_cone *c, const fsr_flow_node *n, const fsr_index *index, fsr_index *inner,
                      bool *exact) {
    return fsr_price_gather_follows(c->p->flow, &c->domain, n, index, inner, exact) && (*exact || c->prices->follow);
}

void fsr_cone_go_by(fsr_asked *by, const fsr_index *moved) {
    if (!by->turned) {
        memset(by->last, 0, sizeof by->last);
        memset(by->path, 0, sizeof by->path);
    }
    for (int j = 0; j < moved->n && !moved->flat; ++j)
        if (moved->row[j].offset != by->last[j]) {
            by->turned = true;
            by->last[j] = moved->row[j].offset;
            by->path[j] = by->path[j] * 31 + (uint32_t)by->last[j];
        }
}

void fsr_cone_somewhere(fsr_index *index, int ndim, int asked) {
    fsr_affine any = {.offset = asked};
    for (int j = 0; j < index->n; ++j)
        for (int d = 0; d < FSR_MAX_DIMS; ++d)
            any.coef[d] = any.coef[d] || index->row[j].coef[d];
    *index = (fsr_index){.n = ndim};
    for (int j = 0; j < ndim; ++j)
        index->row[j] = any;
}

bool fsr_cone_is_view(const fsr_cone *c, const fsr_cone_node *at) {
    const fsr_flow_node *n = &c->p->flow->node[at->id];
    bool all = fsr_price_gathers(n);
    for (int i = at->asked; i >= 0 && all; i = c->asked[i].next) {
        fsr_index inner;
        bool exact = false;
        all = fsr_price_gather_follows(c->p->flow, &c->domain, n, &c->asked[i].index, &inner, &exact) && exact;
    }
    return all;
}

bool fsr_cone_scatters(const fsr_cone *c, const fsr_cone_node *at) {
    const fsr_flow_node *n = &c->p->flow->node[at->id];
    fsr_index inner;
    bool exact;
    return fsr_price_scatters(c->p->flow, n) && !fsr_cone_follows(c, n, &c->asked[at->asked].index, &inner, &exact);
}

bool fsr_cone_tears(const fsr_cone *c, const fsr_cone_node *at) {
    const double least = FSR_GPU_QUARTERS / 4.0;
    const fsr_flow_node *n = &c->p->flow->node[at->id];
    bool tears = false;
    for (int i = at->asked; i >= 0 && c->p->target->gpu && fsr_is(n->kind, FSR_OVERWRITES); i = c->asked[i].next) {
        const double part = c->asked[i].part, own = c->asked[i].whole * fsr_cone_section(c->p->flow, n);
        tears = tears || (part >= least && fmax(own, part - own) < least);
    }
    return tears;
}

double fsr_cone_asks(const fsr_cone *c) {
    enum { LONG_ROW = 1 << 14 };
    return c->prices->asks * (c->scan && fsr_domain_cols(&c->domain) > LONG_ROW ? c->prices->waits_on : 1);
}
