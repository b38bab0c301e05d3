/* SPDX-License-Identifier: MIT */
/* Folds of short windows that slide, and on a GPU of a few columns, as maps; see window_folds.h.
 *
 * A window is a gather at what its own dimensions count: element i of window d is element d + i of an array. A fold of
 * it, or of maps of it, as a weighted sum is, becomes an operation between places: each place is a view of the array,
 * and what else the maps read is shown there. Floats are added from the first place to the last, which is how one
 * thread folds few elements. No other bit changes.
 *
 * Only where nobody else reads the windows: counter-example, a softmax of windows, whose kernel has their elements, and
 * subtracts the greatest from each. A CPU has loops that fold windows side by side, with states in memory, so that
 * places are few there: of 3 by 3 f32 they took 1.01 ms of 2^20, and take 0.33, of 5 by 5 u8 1.13 and 0.29, of 25 in a
 * row 2.1 and 1.5 ns.
 * Counter-example to the fold that is there: its threads share the columns of a row, as if rows lay behind one another
 * in memory. Of windows of 3 by 3 that is 16 threads, of which nine have an element each, which meet by shuffles: 70
 * instructions for each of them, where a map takes a few for each place.
 *
 * So are folds of up to four elements on a GPU, whatever they fold, if maps of them go into folds or scatters alone:
 * the squared distance of two points, which a sum over all of them takes, is then computed where it is needed.
 * Counter-example to any: of a softmax over three each element would compute all three exponentials. What loops for
 * each element give is stored by their kernel, so that four of it are folded there: as maps of four parts of each block
 * of a segment's sum they were four times the bytes. */
#include "fusion/window_folds.h"
#include "fusion/rewrites.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_PLACES = 128, MOST_ON_CPU = 25, MOST_BRIEF = 4, MOST_TOGETHER = 4, MOST_OPS = 400, MOST_DEPTH = 6 };

typedef struct folder {
    const fsr_flow *from;
    fsr_flow made;
    fsr_link *at;
    const int *readers;
    bool *shown; /* of a node: something else than folds takes it, or maps of it; NULL: no fold is brief */
    int most;    /* places of a window */
    int *mine;   /* of a window: reads by what such folds fold */
    bool *folds; /* of a reduction: it becomes maps */
    bool failed;
} folder;

/* Where along each folded dimension. */
typedef struct place {
    unsigned axes;
    int64_t at[FSR_MAX_DIMS];
} place;

/* ---- what may be maps ---------------------------------------------------------------------------------------- */

/* A gather as it is seen: its dimension d is dimension dim[d] there. */
typedef struct window {
    const fsr_flow_node *of;
    int view; /* the node that shows it otherwise; -1: it is seen as it is */
    int8_t dim[FSR_MAX_DIMS];
} window;

/* The node, or what it shows of another one: all of it, in other dimensions, or again along some. */
static bool seen(const fsr_flow *flow, fsr_link link, window *out) {
    const fsr_flow_node *n = &flow->node[link.id];
    const bool shown = fsr_is(n->kind, FSR_IS_VIEW) && n->view.kind == FSR_VIEW_AFFINE;
    *out = (window){.of = shown ? &flow->node[n->arg[0].id] : n, .view = shown ? link.id : -1};
    bool whole = true;
    for (int d = 0; d < out->of->shape.ndim && whole; ++d) {
        out->dim[d] = shown ? n->view.from[d] : (int8_t)d;
        whole = !shown || (n->view.from[d] >= 0 && n->view.step[d] == 1 && n->view.start[d] == 0 &&
                           n->shape.dim[n->view.from[d]] == out->of->shape.dim[d]);
    }
    return whole;
}

/* A gather of an array at what folded dimensions count, all of it inside. On a CPU as it is: for 8 filters of 16 taps
 * the places of one, each an array shown again for each filter, were 31 kernels. */
static bool is_window(const folder *f, fsr_link link, unsigned axes, window *out) {
    const fsr_flow *flow = f->from;
    if (!seen(flow, link, out) || (out->view >= 0 && !f->shown))
        return false;
    const fsr_flow_node *n = out->of;
    if (!fsr_is(n->kind, FSR_TAKES) || !fsr_has(n->kind, FSR_FIELD_view) || n->view.kind != FSR_VIEW_AFFINE ||
        n->hint == FSR_HINT_MATERIALIZE)
        return false;
    const fsr_shape *source = &flow->node[n->arg[0].id].shape;
    bool is = n->nargs > 1;
    for (int j = 0, next = 1; is && j < source->ndim; ++j) {
        const int from = n->view.from[j];
        int64_t last = n->view.start[j] + (from < 0 ? 0 : n->view.step[j] * (n->shape.dim[from] - 1));
        is = from < 0 || (!(axes >> out->dim[from] & 1) && n->view.step[j] > 0);
        if (!is || !(n->axes >> j & 1))
            continue;
        const fsr_flow_node *index = &flow->node[n->arg[next++].id];
        is = fsr_has(index->kind, FSR_FIELD_axis) && index->nargs == 0 && (axes >> out->dim[index->axis] & 1);
        last += is ? n->shape.dim[index->axis] - 1 : 0;
        is = is && n->view.start[j] >= 0 && last < source->dim[j];
    }
    return is;
}

static bool is_step(const folder *f, fsr_link link, int depth) {
    const fsr_flow_node *n = &f->from->node[link.id];
    return fsr_is(n->kind, FSR_IS_EACH) && fsr_has(n->kind, FSR_FIELD_op) && n->nout == 1 &&
           n->hint != FSR_HINT_MATERIALIZE && f->readers[link.id] == 1 && depth < MOST_DEPTH;
}

/* What is below a reduction. */
typedef struct tally {
    int windows, ops;
    int *mine;   /* counted there, if not NULL */
    bool shared; /* else whether somebody else reads one of the windows */
} tally;

/* Through maps that nobody else reads. What no window is behind is shown as it is. */
static void walk(const folder *f, fsr_link link, unsigned axes, int depth, tally *t) {
    const fsr_flow_node *n = &f->from->node[link.id];
    window w;
    if (is_window(f, link, axes, &w)) {
        const int id = (int)(w.of - f->from->node);
        ++t->windows;
        if (t->mine)
            ++t->mine[id];
        else
            t->shared = t->shared || f->mine[id] != f->readers[id] || (w.view >= 0 && f->readers[w.view] != 1);
    } else if (is_step(f, link, depth)) {
        ++t->ops;
        for (int k = 0; k < n->nargs; ++k)
            walk(f, n->arg[k], axes, depth + 1, t);
    }
}

static int64_t places_of(const fsr_shape *shape, unsigned axes) {
    int64_t places = 1;
    for (int j = 0; j < shape->ndim; ++j)
        places = axes >> j & 1 ? fsr_size_mul(places, shape->dim[j]) : places;
    return places;
}

static bool passes(const fsr_flow_node *n) {
    return fsr_is(n->kind, FSR_IS_EACH) || fsr_is(n->kind, FSR_IS_VIEW);
}

static void find_shown(const fsr_flow *flow, bool *shown) {
    for (int i = 0; i < flow->nout; ++i)
        shown[flow->out[i].id] = true;
    for (int i = flow->n - 1; i >= 0; --i) {
        const fsr_flow_node *n = &flow->node[i];
        const bool ends = fsr_is(n->kind, FSR_IS_FOLD) || fsr_is(n->kind, FSR_SCATTERS);
        for (int k = 0; k < n->nargs && !ends; ++k)
            shown[n->arg[k].id] = shown[n->arg[k].id] || shown[i] || !passes(n);
    }
}

/* Behind maps and views, what one kernel computes once, and stores for every other one. */
static bool is_made_once(const folder *f, fsr_link link) {
    const fsr_flow_node *n = &f->from->node[link.id];
    while (n->nargs == 1 && passes(n) && !fsr_is(n->kind, FSR_RUNS_ONCE))
        n = &f->from->node[n->arg[0].id];
    return fsr_is(n->kind, FSR_RUNS_ONCE);
}

/* A reduction by one operation, of few elements, or of maps of windows that nobody else reads. */
static bool is_folded(const folder *f, int id, tally *t) {
    const fsr_flow_node *n = &f->from->node[id];
    if (!fsr_is(n->kind, FSR_IS_FOLD) || fsr_is(n->kind, FSR_IS_RUNNING) || !n->combine || !n->combine->builtin ||
        n->hint == FSR_HINT_MATERIALIZE || n->asked || n->nargs != 1 || n->nout != 1)
        return false;
    const fsr_flow_node *of = &f->from->node[n->arg[0].id];
    const fsr_dtype dtype = of->dtype[n->arg[0].output];
    const int64_t places = places_of(&of->shape, n->axes);
    if (n->dtype[0] != dtype || fsr_combine_dtype(n->combine, 0) != dtype || places < 2 || places > f->most ||
        (fsr_dtype_is_half(dtype) && !fsr_op_exact(n->combine->op, dtype)))
        return false;
    t->ops = 1;
    walk(f, n->arg[0], n->axes, 0, t);
    const bool brief = f->shown && !f->shown[id] && places <= MOST_BRIEF && !is_made_once(f, n->arg[0]);
    return (t->windows > 0 || brief) && places * t->ops <= MOST_OPS;
}

/* Of each node, which folds of few elements maps make it of: a bit each. */
static void find_made(const folder *f, uint64_t *made) {
    int n = 0;
    for (int i = 0; i < f->from->n; ++i) {
        const fsr_flow_node *at = &f->from->node[i];
        made[i] = f->folds[i] ? UINT64_C(1) << n : 0;
        n += f->folds[i] && n < 63;
        for (int k = 0; k < at->nargs && passes(at); ++k)
            made[i] |= made[at->arg[k].id];
    }
}

/* Folds of few elements, of which many are one sum, stay. Counter-example to taking any: a convolution is a sum over
 * three channels for each of 25 taps, whose kernels fold them for two outputs at once; as maps they were two and a half
 * times the price. */
static bool leave_crowds(folder *f) {
    uint64_t *made = calloc((size_t)f->from->n + 1, sizeof *made);
    bool *crowded = calloc((size_t)f->from->n + 1, sizeof *crowded);
    const bool room = made && crowded;
    if (room)
        find_made(f, made);
    for (int i = f->from->n - 1; room && i >= 0; --i) {
        const fsr_flow_node *n = &f->from->node[i];
        crowded[i] = crowded[i] || __builtin_popcountll(made[i]) > MOST_TOGETHER;
        for (int k = 0; k < n->nargs && passes(n); ++k)
            crowded[n->arg[k].id] = crowded[n->arg[k].id] || crowded[i];
        tally t = {0};
        if (f->folds[i] && crowded[i] && is_folded(f, i, &t))
            f->folds[i] = t.windows > 0;
    }
    free(made);
    free(crowded);
    return room;
}

/* Finds them: those left when whoever shares a window with another reader has gone. */
static bool find(folder *f) {
    bool any = false, less = true;
    for (int i = 0; i < f->from->n; ++i)
        f->folds[i] = is_folded(f, i, &(tally){0});
    f->failed = f->shown && !leave_crowds(f);
    while (less && !f->failed) {
        any = less = false;
        memset(f->mine, 0, sizeof *f->mine * (size_t)f->from->n);
        for (int i = 0; i < f->from->n; ++i)
            if (f->folds[i])
                is_folded(f, i, &(tally){.mine = f->mine});
        for (int i = 0; i < f->from->n; ++i) {
            tally t = {0};
            if (f->folds[i] && is_folded(f, i, &t) && t.shared)
                less = !(f->folds[i] = false);
            any = any || f->folds[i];
        }
    }
    return any;
}

/* ---- maps ---------------------------------------------------------------------------------------------------- */

static fsr_link stands(const folder *f, fsr_link link) {
    return f->at[link.id * FSR_MAX_OUTPUTS + link.output];
}

static fsr_link add(folder *f, const fsr_flow_node *n) {
    const int id = f->failed ? -1 : fsr_flow_add(&f->made, n);
    f->failed = id < 0;
    return (fsr_link){f->failed ? 0 : id, 0};
}

static fsr_flow_node blank(const fsr_flow_node *of, fsr_kind kind, const fsr_shape *shape) {
    fsr_flow_node n = {.nout = 1};
    n.kind = kind;
    n.shape = *shape;
    n.dtype[0] = of->dtype[0];
    n.site = of->site;
    return n;
}

/* The array of a window, shown from the place on. */
static fsr_link show_window(folder *f, const window *w, const place *p, const fsr_shape *shape) {
    const fsr_flow_node *n = w->of;
    fsr_flow_node view = blank(n, FSR_NODE_VIEW, shape);
    const int ndim = f->from->node[n->arg[0].id].shape.ndim;
    view.nargs = 1;
    view.arg[0] = stands(f, n->arg[0]);
    for (int j = 0, next = 1; j < ndim; ++j) {
        view.view.from[j] = n->view.from[j] < 0 ? -1 : w->dim[n->view.from[j]];
        view.view.start[j] = n->view.start[j];
        view.view.step[j] = n->view.step[j];
        if (n->axes >> j & 1)
            view.view.start[j] += p->at[w->dim[f->from->node[n->arg[next++].id].axis]];
    }
    return add(f, &view);
}

/* Any array at the place. */
static fsr_link show(folder *f, fsr_link link, const place *p, const fsr_shape *shape) {
    fsr_flow_node view = blank(&f->from->node[link.id], FSR_NODE_VIEW, shape);
    view.dtype[0] = f->from->node[link.id].dtype[link.output];
    view.nargs = 1;
    view.arg[0] = stands(f, link);
    for (int j = 0; j < shape->ndim; ++j) {
        const bool folded = p->axes >> j & 1;
        view.view.from[j] = folded ? -1 : (int8_t)j;
        view.view.step[j] = folded ? 0 : 1;
        view.view.start[j] = folded ? p->at[j] : 0;
    }
    return add(f, &view);
}

/* What is folded, at one place. */
static fsr_link element(folder *f, fsr_link link, int depth, const place *p, const fsr_shape *shape) {
    const fsr_flow_node *n = &f->from->node[link.id];
    window w;
    if (is_window(f, link, p->axes, &w))
        return show_window(f, &w, p, shape);
    if (!is_step(f, link, depth))
        return show(f, link, p, shape);
    fsr_flow_node map = *n;
    map.shape = *shape;
    for (int k = 0; k < n->nargs; ++k)
        map.arg[k] = element(f, n->arg[k], depth + 1, p, shape);
    return add(f, &map);
}

/* The next place, the last dimension first; false: there is none. */
static bool next_place(place *p, const fsr_shape *of) {
    for (int j = of->ndim - 1; j >= 0; --j) {
        if (!(p->axes >> j & 1))
            continue;
        if (++p->at[j] < of->dim[j])
            return true;
        p->at[j] = 0;
    }
    return false;
}

static fsr_link add_maps(folder *f, const fsr_flow_node *n) {
    place p = {.axes = n->axes};
    fsr_link out = element(f, n->arg[0], 0, &p, &n->shape);
    while (!f->failed && next_place(&p, &f->from->node[n->arg[0].id].shape)) {
        fsr_flow_node map = blank(n, FSR_NODE_MAP, &n->shape);
        map.op = n->combine->op;
        map.nargs = 2;
        map.arg[0] = out;
        map.arg[1] = element(f, n->arg[0], 0, &p, &n->shape);
        out = add(f, &map);
    }
    return out;
}

static void copy_all(folder *f) {
    for (int i = 0; i < f->from->n && !f->failed; ++i) {
        fsr_flow_node n = f->from->node[i];
        for (int k = 0; k < n.nargs; ++k)
            n.arg[k] = stands(f, n.arg[k]);
        fsr_flow_replace(f->at, i, f->folds[i] ? add_maps(f, &f->from->node[i]) : add(f, &n));
    }
}

fsr_status fsr_flow_window_folds(fsr_flow *flow, const fsr_program_options *options) {
    if (!options->fusion || options->fuel >= 0)
        return FSR_OK;
    fsr_status status = FSR_OK;
    int *readers = fsr_flow_readers(flow, &status);
    const size_t room = (size_t)flow->n + 1;
    folder f = {.from = flow, .readers = readers, .mine = calloc(room, sizeof *f.mine), .folds = calloc(room, 1)};
    f.most = options->target.gpu ? MOST_PLACES : MOST_ON_CPU;
    f.shown = options->target.gpu ? calloc(room, 1) : NULL;
    f.failed = !readers || !f.mine || !f.folds || (options->target.gpu && !f.shown);
    if (f.shown)
        find_shown(flow, f.shown);
    bool any = !f.failed && find(&f);
    if (any) {
        f.at = fsr_flow_redirects(flow, &status);
        f.failed = !f.at;
        if (f.at)
            copy_all(&f);
        any = !f.failed;
    }
    if (any)
        fsr_flow_become(flow, &f.made, f.at);
    else
        free(f.made.node);
    status = f.failed ? FSR_ERR_MEMORY : any ? fsr_rewrites_tidy(flow) : status;
    free(f.at);
    free(f.mine);
    free(f.folds);
    free(f.shown);
    free(readers);
    return status;
}
