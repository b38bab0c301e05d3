/* SPDX-License-Identifier: MIT */
/* A fold down the columns of a matrix beside one along its rows; see fold_across.h.
 *
 * One kernel folds along rows or down columns. Of a matrix of which both are asked, A x and A^T y say, two kernels read
 * all of it, and what no near cache holds comes from memory twice. A kernel that goes along rows has each row at hand:
 * it may add the row, or a map of it, to one row of results, as a store does that combines. So the fold down columns
 * becomes such a store (scatter_with, without computed indices), over the operator's identity, and the partition has it
 * join the fold along the rows, be it made of that one's result, as A^T (A x) is.
 *
 * A fold along the rows of a transposed matrix of two dimensions is one down the columns of that: what it folds is
 * written for the matrix as it lies.
 *
 * How it associates follows from sizes: rows are added one after the other in pieces of at most so many (run/tasks.c),
 * pieces as neighbours, and pairs of these.
 *
 * Counter-example to several such folds of one matrix, as mean and variance down columns: one kernel does them already,
 * and a store combines alone. To one of which a map of the whole matrix is made, as x / sum(x, 0): its kernel goes down
 * a block of columns twice, the second time near by. To short matrices: a near cache holds them. To long rows of what
 * the last cache holds: a row and the results leave the first one, 0.118 ms of 100 by 12000 and 0.137. To A^T (A x) of
 * that size, whose rows are gone over twice, one after the other: of 1900 by 2100 two kernels took 0.54 ms and one
 * 0.66, but of 10000 by 12500 78 and 55 (one thread of a Zen 4, AVX2). */
#include "fusion/fold_across.h"
#include "fusion/rewrites.h"
#include <stdlib.h>

enum {
    LEAST_ROWS = 64,
    LEAST_COLS = 256,
    NEAR_COLS = 1 << 12,
    MOST_COLS = 1 << 14,
    LEAST_BYTES = 1 << 20,
    FAR_BYTES = 1 << 25,
    MOST_LEAVES = 8,
    MOST_MAPS = 16,
    MOST_NODES = 2048
};

/* What a fold's argument reads at each of its own elements; turned: each of them transposed. */
typedef struct matrices {
    int leaf[MOST_LEAVES], n, maps;
    bool turned;
} matrices;

/* A fold down the columns of what lies in memory as `shape`. */
typedef struct down {
    fsr_shape shape;
    unsigned axes;
    matrices of;
} down;

/* ---- the two folds -------------------------------------------------------------------------------------------- */

static const fsr_shape *folded_shape(const fsr_flow *flow, const fsr_flow_node *n) {
    return &flow->node[n->arg[0].id].shape;
}

/* By one operation, and nobody has said with what it shall be one kernel. */
static bool is_plain_fold(const fsr_flow *flow, const fsr_flow_node *n) {
    return fsr_is(n->kind, FSR_IS_FOLD) && !fsr_is(n->kind, FSR_IS_RUNNING) && n->combine && n->combine->builtin &&
           n->combine->commutative && !n->asked && n->nargs == 1 && n->nout == 1 &&
           n->dtype[0] == fsr_combine_dtype(n->combine, 0) &&
           flow->node[n->arg[0].id].dtype[n->arg[0].output] == n->dtype[0];
}

/* Its axes of more than one element. */
static unsigned axes_of(const fsr_shape *shape, unsigned axes) {
    unsigned out = 0;
    for (int d = 0; d < shape->ndim; ++d)
        out |= (axes >> d & 1) && shape->dim[d] > 1 ? 1u << d : 0;
    return out;
}

static bool is_map(const fsr_flow_node *n) {
    return fsr_is(n->kind, FSR_IS_EACH) && fsr_has(n->kind, FSR_FIELD_op) && n->nout == 1 &&
           n->hint != FSR_HINT_MATERIALIZE;
}

static bool is_transposed(const fsr_flow *flow, const fsr_flow_node *n) {
    const fsr_view *v = &n->view;
    return fsr_is(n->kind, FSR_IS_VIEW) && v->kind == FSR_VIEW_AFFINE && n->shape.ndim == 2 &&
           flow->node[n->arg[0].id].shape.ndim == 2 && v->from[0] == 1 && v->from[1] == 0 && v->step[0] == 1 &&
           v->step[1] == 1 && fsr_shape_size(&flow->node[n->arg[0].id].shape) == fsr_shape_size(&n->shape);
}

/* It is shown again for each row or column. */
static bool is_repeated(const fsr_flow *flow, const fsr_flow_node *n) {
    return fsr_is(n->kind, FSR_IS_VIEW) && n->view.kind == FSR_VIEW_AFFINE &&
           fsr_shape_size(&flow->node[n->arg[0].id].shape) < fsr_shape_size(&n->shape);
}

/* Leaves that maps read element for element, beside what is repeated. False: something else is there. */
static bool reads(const fsr_flow *flow, fsr_link link, matrices *out) {
    const fsr_flow_node *n = &flow->node[link.id];
    if (is_repeated(flow, n))
        return true;
    const int leaf = !out->turned ? link.id : is_transposed(flow, n) ? n->arg[0].id : -1;
    if (leaf >= 0 && fsr_is(flow->node[leaf].kind, FSR_IS_ARRAY)) {
        if (out->n == MOST_LEAVES)
            return false;
        out->leaf[out->n++] = leaf;
        return true;
    }
    bool good = is_map(n) && ++out->maps <= MOST_MAPS;
    for (int k = 0; k < n->nargs && good; ++k)
        good = reads(flow, n->arg[k], out);
    return good;
}

/* All leading dimensions are folded and none behind them, and there is enough of the matrix. */
static bool goes_down(const down *d, fsr_dtype dtype) {
    int64_t rows = 1, cols = 1;
    bool leading = true;
    for (int i = 0; i < d->shape.ndim; ++i) {
        leading = leading && (!(d->axes >> i & 1) || cols == 1);
        *(d->axes >> i & 1 ? &rows : &cols) *= d->shape.dim[i];
    }
    const int64_t bytes = fsr_shape_bytes(&d->shape, dtype);
    return leading && rows >= LEAST_ROWS && cols >= LEAST_COLS && cols <= (bytes < FAR_BYTES ? NEAR_COLS : MOST_COLS) &&
           bytes >= LEAST_BYTES;
}

/* By an operator that stores combine by. */
static bool is_down(const fsr_flow *flow, const fsr_flow_node *n, down *out) {
    if (!is_plain_fold(flow, n) || !fsr_op_is_atomic(n->combine->op, n->dtype[0]))
        return false;
    const fsr_shape *of = folded_shape(flow, n);
    *out = (down){.shape = *of, .axes = axes_of(of, n->axes)};
    if (goes_down(out, n->dtype[0]))
        return reads(flow, n->arg[0], &out->of);
    *out = (down){.shape = *of, .of.turned = true};
    if (of->ndim != 2 || axes_of(of, n->axes) != 2)
        return false;
    out->shape.dim[0] = of->dim[1];
    out->shape.dim[1] = of->dim[0];
    out->axes = 1;
    return goes_down(out, n->dtype[0]) && reads(flow, n->arg[0], &out->of);
}

static bool share(const matrices *a, const matrices *b) {
    for (int i = 0; i < a->n; ++i)
        for (int k = 0; k < b->n; ++k)
            if (a->leaf[i] == b->leaf[k])
                return true;
    return false;
}

/* It folds all dimensions of the matrix that the other one does not, and both read one. */
static bool is_along(const fsr_flow *flow, const fsr_flow_node *n, const down *d) {
    matrices own = {.n = 0};
    if (!is_plain_fold(flow, n) || !fsr_shape_equal(folded_shape(flow, n), &d->shape))
        return false;
    return axes_of(&d->shape, n->axes) == (axes_of(&d->shape, ~0u) & ~d->axes) && reads(flow, n->arg[0], &own) &&
           share(&own, &d->of);
}

/* ---- who needs whom ------------------------------------------------------------------------------------------- */

/* Of each node behind `from` how it needs that one: not, by maps and views alone, or through something that is a kernel
 * of its own. */
enum { NEEDS_NOT, NEEDS_NEAR, NEEDS_FAR };

static void find_needs(const fsr_flow *flow, int from, unsigned char *needs) {
    for (int i = 0; i <= from; ++i)
        needs[i] = i == from ? NEEDS_NEAR : NEEDS_NOT;
    for (int i = from + 1; i < flow->n; ++i) {
        const fsr_flow_node *n = &flow->node[i];
        needs[i] = NEEDS_NOT;
        for (int k = 0; k < n->nargs; ++k) {
            const int of = n->arg[k].id;
            const bool ends = of != from && !is_map(&flow->node[of]) && !fsr_is(flow->node[of].kind, FSR_IS_VIEW);
            const unsigned char need = needs[of] && ends ? NEEDS_FAR : needs[of];
            needs[i] = need > needs[i] ? need : needs[i];
        }
    }
}

/* Nobody makes as much as the matrix of the fold's result. */
static bool stays_small(const fsr_flow *flow, int fold, const unsigned char *needs) {
    const int64_t all = fsr_shape_size(folded_shape(flow, &flow->node[fold]));
    for (int i = fold + 1; i < flow->n; ++i)
        if (needs[i] == NEEDS_NEAR && fsr_shape_size(&flow->node[i].shape) >= all)
            return false;
    return true;
}

/* The fold is the only one down the columns of what it reads, and some fold along the rows reads that, too, which does
 * not need it, and which it needs in one kernel if at all. */
static bool goes_along(const fsr_flow *flow, int fold, unsigned char *needs, down *d) {
    down other;
    bool found = false;
    if (!is_down(flow, &flow->node[fold], d))
        return false;
    find_needs(flow, fold, needs);
    if (!stays_small(flow, fold, needs))
        return false;
    for (int i = 0; i < flow->n; ++i) {
        if (i != fold && is_down(flow, &flow->node[i], &other) && share(&other.of, &d->of))
            return false;
        found = found || (is_along(flow, &flow->node[i], d) && !needs[i]);
    }
    for (int i = 0; i < fold && found; ++i)
        if (is_along(flow, &flow->node[i], d)) {
            const bool far = fsr_shape_bytes(&d->shape, flow->node[fold].dtype[0]) >= FAR_BYTES;
            find_needs(flow, i, needs);
            found = needs[fold] == NEEDS_NOT || (needs[fold] == NEEDS_NEAR && far);
        }
    return found;
}

/* ---- rows combined into one ----------------------------------------------------------------------------------- */

typedef struct writer {
    const fsr_flow *from;
    fsr_flow made;
    fsr_link *at;
} writer;

static fsr_link put(writer *w, const fsr_flow_node *n) {
    return (fsr_link){fsr_flow_add(&w->made, n), 0};
}

static fsr_link stands(const writer *w, fsr_link link) {
    return w->at[link.id * FSR_MAX_OUTPUTS + link.output];
}

/* What a turned fold takes, written for the matrix as it lies. Its id is -1: out of memory. */
static fsr_link turned(writer *w, fsr_link link, const fsr_shape *shape) {
    fsr_flow_node n = w->from->node[link.id];
    if (is_transposed(w->from, &n))
        return stands(w, n.arg[0]);
    const bool repeated = is_repeated(w->from, &n);
    for (int j = 0; repeated && j < w->from->node[n.arg[0].id].shape.ndim; ++j)
        n.view.from[j] = n.view.from[j] < 0 ? n.view.from[j] : (int8_t)(1 - n.view.from[j]);
    for (int k = 0; k < n.nargs; ++k) {
        n.arg[k] = repeated ? stands(w, n.arg[k]) : turned(w, n.arg[k], shape);
        if (n.arg[k].id < 0)
            return n.arg[k];
    }
    n.shape = *shape;
    return put(w, &n);
}

/* The fold as such rows, over the identity. Its id is -1: out of memory. */
static fsr_link combined(writer *w, const fsr_flow_node *n, const down *d) {
    fsr_flow_node own = {.kind = FSR_NODE_OWN, .nout = 1, .shape = n->shape, .nargs = 1, .site = n->site};
    fsr_flow_node rows = {.kind = FSR_NODE_SCATTER_WITH, .nout = 1, .shape = n->shape, .nargs = 2, .site = n->site};
    own.dtype[0] = rows.dtype[0] = n->dtype[0];
    own.arg[0] = fsr_flow_add_literal(&w->made, n, n->combine->identity[0]);
    rows.arg[0] = own.arg[0].id < 0 ? own.arg[0] : put(w, &own);
    rows.arg[1] = d->of.turned ? turned(w, n->arg[0], &d->shape) : stands(w, n->arg[0]);
    rows.mode = FSR_INDEX_CLIP;
    rows.combine = n->combine;
    rows.origin = n->origin;
    for (int j = 0; j < n->shape.ndim; ++j) {
        const bool folded = n->axes >> j & 1;
        rows.view.from[j] = (int8_t)(folded ? -1 : d->of.turned ? 1 - j : j);
        rows.view.step[j] = folded ? 0 : 1;
    }
    return rows.arg[0].id < 0 ? rows.arg[0] : rows.arg[1].id < 0 ? rows.arg[1] : put(w, &rows);
}

/* A copy of the flow in which such folds are combined rows. False: out of memory. */
static bool copy(writer *w, const bool *marked) {
    bool good = true;
    for (int i = 0; i < w->from->n && good; ++i) {
        fsr_flow_node n = w->from->node[i];
        down d;
        for (int k = 0; k < n.nargs; ++k)
            n.arg[k] = stands(w, n.arg[k]);
        const bool across = marked[i] && is_down(w->from, &w->from->node[i], &d);
        const fsr_link link = across ? combined(w, &w->from->node[i], &d) : put(w, &n);
        good = link.id >= 0;
        fsr_flow_replace(w->at, i, link);
    }
    return good;
}

static bool mark(const fsr_flow *flow, bool *marked, unsigned char *needs) {
    bool any = false;
    down d;
    for (int i = 0; i < flow->n; ++i)
        any = (marked[i] = goes_along(flow, i, needs, &d)) || any;
    return any;
}

static fsr_status rewrite(fsr_flow *flow, const bool *marked) {
    fsr_status status = FSR_OK;
    writer w = {.from = flow};
    w.at = fsr_flow_redirects(flow, &status);
    const bool good = w.at && copy(&w, marked);
    if (good)
        fsr_flow_become(flow, &w.made, w.at);
    else
        free(w.made.node);
    free(w.at);
    return good ? fsr_rewrites_tidy(flow) : FSR_ERR_MEMORY;
}

fsr_status fsr_flow_fold_across(fsr_flow *flow, const fsr_program_options *options) {
    if (options->target.gpu || !options->fusion || options->fuel >= 0 || flow->n > MOST_NODES)
        return FSR_OK;
    bool *marked = calloc((size_t)flow->n + 1, sizeof *marked);
    unsigned char *needs = malloc((size_t)flow->n + 1);
    fsr_status status = !marked || !needs ? FSR_ERR_MEMORY : mark(flow, marked, needs) ? rewrite(flow, marked) : FSR_OK;
    free(needs);
    free(marked);
    return status;
}
