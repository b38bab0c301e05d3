/* SPDX-License-Identifier: MIT */
/* Folds of windows along several axes, one axis after the other; see window_folds.h.
 *
 * A window of a by b elements that slides along two dimensions is folded along its last axis first, at each place at
 * which some window has a line; then along the other, of which a window has a lines: a + b elements for each result in
 * place of a * b, and the results of lines are an array that is one element longer for each line more. What is folded
 * may be any map of elements of windows that slide alike, with values that are the same at every place; a weight of the
 * window's own, or what differs from window to window, belongs to one window alone.
 *
 * A sum so has other parentheses: it is a sum of sums of lines. Nothing else than the program and its sizes decides.
 * Means of 9 by 9 elements of a picture of 1000 by 1200 f32, as a guided filter takes six of, took 81 loads of each
 * element and 112 us of instructions of an H200. Counter-example to any windows: of 3 by 3, or on a GPU 5 by 5,
 * neighbours share loads in one kernel, and the lines' array costs more than what is spared; so it does of a small
 * picture, of which a GPU has done all loads before another kernel begins. On a CPU sums of 5 by 5 of 3000 by 4000 f32
 * and of their squares took 25 ms, and take 13, of 3 by 3 11 both ways. */
#include "fusion/price.h"
#include "fusion/rewrites.h"
#include "fusion/window_folds.h"
#include <stdlib.h>
#include <string.h>

enum { LEAST_PLACES = 36, LEAST_ON_CPU = 9, MOST_DEPTH = 6, EACH = 3, ONE_KERNEL = 64 };

typedef struct splitter {
    const fsr_flow *from;
    fsr_flow made;
    fsr_link *at;
    const int *readers;
    const fsr_target *target;
    bool failed;
} splitter;

/* A fold that is divided: its axis, and the dimension along which windows slide, of each axis that is left. */
typedef struct split {
    unsigned axes;
    int last; /* the axis that goes first */
    int8_t slides[FSR_MAX_DIMS];
} split;

/* ---- what may be divided ------------------------------------------------------------------------------------- */

static bool is_count(const fsr_flow_node *n) {
    return fsr_has(n->kind, FSR_FIELD_axis) && n->nargs == 0;
}

/* Dimension j of a window's array follows a dimension by steps of one, and nothing else does; axis a counts along
 * it. */
static bool slides(const fsr_flow_node *n, int ndim, int j, int a, split *s) {
    const int d = n->view.from[j];
    bool alone = d >= 0 && !(s->axes >> d & 1) && n->view.step[j] == 1 && (s->slides[a] < 0 || s->slides[a] == d);
    for (int i = 0; i < ndim && alone; ++i)
        alone = i == j || n->view.from[i] != d;
    s->slides[a] = (int8_t)d;
    return alone;
}

/* A gather at what the axes count, all of it inside, that slides along a dimension for each. */
static bool is_sliding(const fsr_flow *flow, const fsr_flow_node *n, split *s) {
    if (!fsr_is(n->kind, FSR_TAKES) || !fsr_has(n->kind, FSR_FIELD_view) || n->view.kind != FSR_VIEW_AFFINE ||
        n->hint == FSR_HINT_MATERIALIZE)
        return false;
    const fsr_shape *source = &flow->node[n->arg[0].id].shape;
    unsigned counted = 0;
    for (int j = 0, next = 1; j < source->ndim; ++j) {
        const int from = n->view.from[j];
        int64_t last = n->view.start[j] + (from < 0 ? 0 : n->view.step[j] * (n->shape.dim[from] - 1));
        if (from >= 0 && (s->axes >> from & 1))
            return false;
        if (n->axes >> j & 1) {
            const fsr_flow_node *index = &flow->node[n->arg[next++].id];
            const int a = is_count(index) ? index->axis : -1;
            if (a < 0 || !(s->axes >> a & 1) || counted >> a & 1 || !slides(n, source->ndim, j, a, s))
                return false;
            counted |= 1u << a;
            last += n->shape.dim[a] - 1;
        }
        if (n->view.step[j] < 0 || n->view.start[j] < 0 || last >= source->dim[j])
            return false;
    }
    return counted == s->axes;
}

static bool is_step(const splitter *p, fsr_link link, int depth) {
    const fsr_flow_node *n = &p->from->node[link.id];
    return fsr_is(n->kind, FSR_IS_EACH) && fsr_has(n->kind, FSR_FIELD_op) && n->nout == 1 &&
           n->hint != FSR_HINT_MATERIALIZE && p->readers[link.id] == 1 && depth < MOST_DEPTH;
}

/* The same at every place. */
static bool is_still(const splitter *p, fsr_link link) {
    const fsr_flow_node *n = &p->from->node[link.id];
    bool still = fsr_is(n->kind, FSR_IS_VIEW) && n->view.kind == FSR_VIEW_AFFINE;
    for (int j = 0; still && j < p->from->node[n->arg[0].id].shape.ndim; ++j)
        still = n->view.from[j] < 0;
    return still;
}

/* Counts windows below a fold; -1: something else is there. */
static int count(const splitter *p, fsr_link link, int depth, split *s) {
    if (is_sliding(p->from, &p->from->node[link.id], s))
        return 1;
    if (!is_step(p, link, depth))
        return is_still(p, link) ? 0 : -1;
    const fsr_flow_node *n = &p->from->node[link.id];
    int all = 0;
    for (int k = 0; k < n->nargs && all >= 0; ++k) {
        const int more = count(p, n->arg[k], depth + 1, s);
        all = more < 0 ? -1 : all + more;
    }
    return all;
}

/* Results enough along each dimension that lines are longer by; and what is spared, some instructions for each place,
 * is more than a launch, or a map of all places would be more than one kernel. */
static bool pays(const splitter *p, const fsr_shape *shape, const split *s) {
    const fsr_prices *prices = fsr_prices_of(p->target->gpu);
    double places = 1, sides = 0, results = 1;
    bool good = true;
    for (int a = 0; a < shape->ndim; ++a) {
        const double extent = (double)shape->dim[a];
        results *= s->axes >> a & 1 ? 1 : extent;
        if (!(s->axes >> a & 1))
            continue;
        places *= extent;
        sides += extent;
        good = good && (a == s->last || shape->dim[s->slides[a]] >= 2 * shape->dim[a]);
    }
    const bool large = places > ONE_KERNEL || !p->target->gpu;
    return good && places > (p->target->gpu ? LEAST_PLACES : LEAST_ON_CPU) &&
           (large || results * (places - sides) * EACH > prices->launch * prices->issue);
}

static bool is_divided(const splitter *p, const fsr_flow_node *n, split *s) {
    if (!fsr_is(n->kind, FSR_IS_FOLD) || fsr_is(n->kind, FSR_IS_RUNNING) || !n->combine || !n->combine->builtin ||
        n->hint == FSR_HINT_MATERIALIZE || n->asked || n->nargs != 1 || n->nout != 1)
        return false;
    const fsr_flow_node *of = &p->from->node[n->arg[0].id];
    const fsr_dtype dtype = of->dtype[n->arg[0].output];
    *s = (split){.last = -1};
    memset(s->slides, -1, sizeof s->slides);
    for (int a = 0; a < of->shape.ndim; ++a)
        if ((n->axes >> a & 1) && of->shape.dim[a] > 1) {
            s->axes |= 1u << a;
            s->last = a;
        }
    return s->axes & (s->axes - 1) && n->dtype[0] == dtype && fsr_combine_dtype(n->combine, 0) == dtype &&
           (!fsr_dtype_is_half(dtype) || fsr_op_exact(n->combine->op, dtype)) && count(p, n->arg[0], 0, s) > 0 &&
           pays(p, &of->shape, s);
}

/* ---- lines, and windows of lines ------------------------------------------------------------------------------ */

static fsr_link stands(const splitter *p, fsr_link link) {
    return p->at[link.id * FSR_MAX_OUTPUTS + link.output];
}

static fsr_link add(splitter *p, const fsr_flow_node *n) {
    const int id = p->failed ? -1 : fsr_flow_add(&p->made, n);
    p->failed = id < 0;
    return (fsr_link){p->failed ? 0 : id, 0};
}

/* What counts along an axis, over another shape. */
static fsr_link add_count(splitter *p, const fsr_flow_node *like, const fsr_shape *shape) {
    fsr_flow_node n = *like;
    n.shape = *shape;
    return add(p, &n);
}

/* The window as the axes in `axes` count alone. */
static fsr_link window(splitter *p, const fsr_flow_node *n, unsigned axes, const fsr_shape *shape) {
    fsr_flow_node out = *n;
    out.shape = *shape;
    out.arg[0] = stands(p, n->arg[0]);
    out.axes = 0;
    out.nargs = 1;
    out.mode = FSR_INDEX_CLIP;
    out.report = 0;
    for (int j = 0, next = 1; j < p->from->node[n->arg[0].id].shape.ndim; ++j) {
        if (!(n->axes >> j & 1))
            continue;
        const fsr_flow_node *index = &p->from->node[n->arg[next++].id];
        if (!(axes >> index->axis & 1))
            continue;
        out.axes |= 1u << j;
        out.arg[out.nargs++] = add_count(p, index, shape);
    }
    return add(p, &out);
}

static fsr_link element(splitter *p, fsr_link link, int depth, split *s, const fsr_shape *shape) {
    const fsr_flow_node *n = &p->from->node[link.id];
    if (is_sliding(p->from, n, s))
        return window(p, n, 1u << s->last, shape);
    fsr_flow_node out = *n;
    out.shape = *shape;
    if (!is_step(p, link, depth)) {
        out.arg[0] = stands(p, n->arg[0]);
        return add(p, &out);
    }
    for (int k = 0; k < n->nargs; ++k)
        out.arg[k] = element(p, n->arg[k], depth + 1, s, shape);
    return add(p, &out);
}

static fsr_link fold(splitter *p, const fsr_flow_node *n, fsr_link of, unsigned axes, fsr_shape shape) {
    fsr_flow_node out = *n;
    for (int a = 0; a < shape.ndim; ++a)
        shape.dim[a] = axes >> a & 1 ? 1 : shape.dim[a];
    out.shape = shape;
    out.axes = axes;
    out.arg[0] = of;
    return add(p, &out);
}

/* Some count of the fold's windows, along any axis. */
static const fsr_flow_node *a_count(const splitter *p, fsr_link link) {
    const fsr_flow_node *n = &p->from->node[link.id];
    while (!fsr_is(n->kind, FSR_TAKES)) {
        int k = 0;
        while (is_still(p, n->arg[k]))
            ++k;
        n = &p->from->node[n->arg[k].id];
    }
    return &p->from->node[n->arg[1].id];
}

/* The fold along its last axis, at each place where a line begins, and that of the lines. */
static fsr_link divide(splitter *p, const fsr_flow_node *n, split *s) {
    const fsr_shape *whole = &p->from->node[n->arg[0].id].shape;
    const unsigned left = s->axes & ~(1u << s->last);
    fsr_shape lines = *whole, windows = *whole;
    fsr_flow_node take = {.nout = 1};
    take.kind = FSR_NODE_GATHER;
    take.mode = FSR_INDEX_CLIP;
    take.dtype[0] = n->dtype[0];
    take.site = n->site;
    take.nargs = 1;
    windows.dim[s->last] = 1;
    for (int j = 0; j < whole->ndim; ++j) {
        take.view.from[j] = s->axes >> j & 1 ? -1 : (int8_t)j;
        take.view.step[j] = s->axes >> j & 1 ? 0 : 1;
        if (left >> j & 1) {
            lines.dim[s->slides[j]] += whole->dim[j] - 1;
            lines.dim[j] = 1;
        }
    }
    take.shape = windows;
    take.arg[0] = fold(p, n, element(p, n->arg[0], 0, s, &lines), 1u << s->last, lines);
    for (int j = 0; j < whole->ndim; ++j)
        for (int a = 0; a < whole->ndim; ++a)
            if ((left >> a & 1) && s->slides[a] == j) {
                fsr_flow_node index = *a_count(p, n->arg[0]);
                index.axis = (int8_t)a;
                take.axes |= 1u << j;
                take.arg[take.nargs++] = add_count(p, &index, &windows);
            }
    return fold(p, n, add(p, &take), n->axes, windows);
}

static bool copy_all(splitter *p) {
    bool any = false;
    for (int i = 0; i < p->from->n && !p->failed; ++i) {
        fsr_flow_node n = p->from->node[i];
        split s;
        const bool divided = is_divided(p, &p->from->node[i], &s);
        any = any || divided;
        for (int k = 0; k < n.nargs; ++k)
            n.arg[k] = stands(p, n.arg[k]);
        fsr_flow_replace(p->at, i, divided ? divide(p, &p->from->node[i], &s) : add(p, &n));
    }
    return any && !p->failed;
}

/* Divides each such fold once. *any: there was one. */
static fsr_status divide_once(fsr_flow *flow, const fsr_target *target, bool *any) {
    fsr_status status = FSR_OK;
    int *readers = fsr_flow_readers(flow, &status);
    splitter p = {.from = flow, .readers = readers, .target = target};
    p.at = readers ? fsr_flow_redirects(flow, &status) : NULL;
    *any = p.at && copy_all(&p);
    if (*any)
        fsr_flow_become(flow, &p.made, p.at);
    else
        free(p.made.node);
    free(p.at);
    free(readers);
    return status ? status : p.failed ? FSR_ERR_MEMORY : *any ? fsr_rewrites_tidy(flow) : FSR_OK;
}

/* Some fold may be divided, as few flows have. */
static bool may_divide(const fsr_flow *flow) {
    bool may = false;
    for (int i = 0; i < flow->n && !may; ++i)
        may = fsr_is(flow->node[i].kind, FSR_TAKES) && flow->node[i].nargs > 2;
    return may;
}

fsr_status fsr_flow_window_axes(fsr_flow *flow, const fsr_program_options *options) {
    fsr_status status = FSR_OK;
    bool any = options->fusion && options->fuel < 0 && may_divide(flow);
    for (int turn = 0; any && !status && turn < FSR_MAX_DIMS; ++turn)
        status = divide_once(flow, &options->target, &any);
    return status;
}
