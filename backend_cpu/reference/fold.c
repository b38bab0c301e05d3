/* SPDX-License-Identifier: MIT */
/* Reductions and scans: plain values (plain.c), and balls.
 *
 * Six ways to bound a row's fold:
 *   float sum, float product   formulas for any order (sum.c);
 *   selecting operators        no step rounds (integers, min, max, and, or, argmax): any order gives the same;
 *   sums of products           a bound for any tree (form.c, majorant.c): linear recurrences, products of matrices;
 *   other operators            along one tree of our own, with a margin for others (estimate.c);
 *   sequential operators       one after the other, as every backend does.
 * A component that is nothing but the sum of its two arguments (the count of a mean, a sum beside a maximum) has that
 * formula also inside a larger operator.
 * The sign of a zero is unknown, for min and max only where zeros of both signs are folded: a backend may start from
 * the identity, and of two zeros either is the larger. */
#include "backend_cpu/reference/fold.h"
#include "backend_cpu/reference/estimate.h"
#include "backend_cpu/reference/majorant.h"
#include "backend_cpu/reference/plain.h"
#include "backend_cpu/reference/sum.h"
#include <math.h>
#include <string.h>

typedef enum way { WAY_SUM, WAY_PRODUCT, WAY_SELECT, WAY_MAJORANT, WAY_ESTIMATE, WAY_SEQUENCE } way;

/* What all rows of a node have in common. */
typedef struct plan {
    const fsr_combine *combine;
    bool scan;
    way way;
    fsr_ref_form form;
    bool adds[FSR_MAX_TUPLE];
} plan;

typedef struct fold {
    const plan *plan;
    int64_t n;
    fsr_ref_plain plain;
    fsr_ref_sum sum[FSR_MAX_TUPLE];  /* of the components that are plain sums */
    fsr_ref_sum imag[FSR_MAX_TUPLE]; /* of the imaginary parts of such components */
    fsr_ref_product product;
    fsr_ball state[FSR_MAX_TUPLE]; /* SELECT, SEQUENCE */
    bool plus, minus;              /* SELECT: a zero of that sign, or unknown sign, was folded */
    fsr_ref_majorant majorant;
    fsr_ref_estimate estimate;
} fold;

static double log2_ceil(int64_t n) {
    int bits = 0;
    while (bits < 62 && (INT64_C(1) << bits) < n)
        bits++;
    return bits;
}

double fsr_ref_depth(int64_t n, bool commutative) {
    return fmin((double)(n - 1), (commutative ? 512 : 4096) + log2_ceil(n) + (double)(n >> 20));
}

double fsr_ref_scan_depth(int64_t n) {
    return (double)(n - 1);
}

double fsr_ref_right_depth(int64_t n) {
    return fmin((double)(n - 1), 32 + 2 * log2_ceil(n));
}

/* ---- one row --------------------------------------------------------------------------------- */

/* Component i of the result is the float sum of components i of the arguments. */
static bool adds(const fsr_combine *c, int i) {
    const fsr_inst *s = &c->body.inst[c->body.result[i]];
    if (s->kind != FSR_INST_OP || s->op != FSR_OP_ADD || !fsr_dtype_is_inexact(s->dtype))
        return false;
    const fsr_inst *a = &c->body.inst[s->arg[0]], *b = &c->body.inst[s->arg[1]];
    return a->kind == FSR_INST_PARAM && b->kind == FSR_INST_PARAM && a->index + b->index == 2 * i + c->arity &&
           (a->index == i || b->index == i);
}

static way way_of(const plan *p) {
    const fsr_combine *c = p->combine;
    if (c->sequential)
        return WAY_SEQUENCE;
    if (fsr_ref_selects(c))
        return WAY_SELECT;
    if (c->builtin && c->op == FSR_OP_ADD)
        return WAY_SUM;
    if (c->builtin && c->op == FSR_OP_MUL && !fsr_dtype_is_complex(fsr_combine_dtype(c, 0)))
        return WAY_PRODUCT;
    return p->form.fits ? WAY_MAJORANT : WAY_ESTIMATE;
}

static void plan_make(plan *p, const fsr_combine *combine, bool scan) {
    p->combine = combine;
    p->scan = scan;
    fsr_ref_form_make(&p->form, combine);
    p->way = way_of(p);
    for (int i = 0; i < combine->arity; i++)
        p->adds[i] = p->way != WAY_SEQUENCE && adds(combine, i);
}

static void fold_start(fold *f, const plan *p) {
    f->plan = p;
    f->n = 0;
    fsr_ref_plain_start(&f->plain, p->combine, p->scan);
    for (int i = 0; i < p->combine->arity; i++)
        f->sum[i] = f->imag[i] = (fsr_ref_sum){.n = 0};
    f->product = (fsr_ref_product){.n = 0};
    f->plus = f->minus = false;
    if (p->way == WAY_MAJORANT)
        fsr_ref_majorant_start(&f->majorant, &p->form);
    if (p->way == WAY_ESTIMATE)
        fsr_ref_estimate_start(&f->estimate, p->combine, p->scan);
}

/* Of a selecting operator; only that of min and max is asked for. */
static void note_zero(fold *f, const fsr_ball *x) {
    if (x->center != 0 || x->radius != 0)
        return;
    f->plus = f->plus || !signbit(x->center) || fsr_ball_unsigned(*x);
    f->minus = f->minus || signbit(x->center) || fsr_ball_unsigned(*x);
}

static void add_parts(fold *f, int i, const fsr_ball *x) {
    fsr_ref_sum_add(&f->sum[i], x->center, x->radius);
    if (fsr_dtype_is_complex(fsr_combine_dtype(f->plan->combine, i)))
        fsr_ref_sum_add(&f->imag[i], x->imag, x->radius);
}

/* The sum of component i, of its parts if it is complex. */
static fsr_ball sum_of(const fold *f, int i, double depth) {
    const fsr_dtype dtype = fsr_combine_dtype(f->plan->combine, i);
    fsr_ball re = fsr_ref_sum_get(&f->sum[i], fsr_dtype_real(dtype), depth);
    if (!fsr_dtype_is_complex(dtype))
        return re;
    return fsr_ref_sum_complex(re, fsr_ref_sum_get(&f->imag[i], fsr_dtype_real(dtype), depth));
}

static void push_select(fold *f, const fsr_ball *x) {
    note_zero(f, &x[0]);
    if (f->n == 0)
        fsr_balls_copy(f->state, x, f->plan->combine->arity);
    else
        fsr_ref_combine(f->plan->combine, true, f->state, f->state, x);
}

static void push_sequence(fold *f, const fsr_ball *x) {
    const fsr_combine *c = f->plan->combine;
    for (int i = 0; i < c->arity && f->n == 0; i++)
        f->state[i] = fsr_ball_from_value(fsr_combine_dtype(c, i), c->identity[i]);
    fsr_ref_combine(c, false, f->state, f->state, x);
}

static void fold_push(fold *f, const fsr_ball *ball, const fsr_value *value) {
    for (int i = 0; i < f->plan->combine->arity; i++)
        if (f->plan->adds[i])
            add_parts(f, i, &ball[i]);
    fsr_ref_plain_push(&f->plain, value);
    switch (f->plan->way) {
    case WAY_SUM: break;
    case WAY_PRODUCT: fsr_ref_product_add(&f->product, &ball[0]); break;
    case WAY_SELECT: push_select(f, ball); break;
    case WAY_MAJORANT: fsr_ref_majorant_push(&f->majorant, ball); break;
    case WAY_ESTIMATE: fsr_ref_estimate_push(&f->estimate, ball); break;
    case WAY_SEQUENCE: push_sequence(f, ball); break;
    }
    f->n++;
}

/* The result of a selecting operator. A zero has no sign where it has another one in another order, or where a backend
 * starts from the identity. */
static void select_get(const fold *f, fsr_ball *out) {
    const fsr_combine *c = f->plan->combine;
    const bool sign = c->builtin && !(f->plus && f->minus);
    for (int i = 0; i < c->arity; i++)
        out[i] = sign || !fsr_dtype_is_inexact(fsr_combine_dtype(c, i)) ? f->state[i] : fsr_ball_unsign(f->state[i]);
}

/* The ball of the fold of what was pushed, n > 0. */
static void ball_get(const fold *f, fsr_ball *out) {
    const fsr_combine *c = f->plan->combine;
    const double depth = f->plan->scan ? fsr_ref_scan_depth(f->n) : fsr_ref_depth(f->n, c->commutative);
    switch (f->plan->way) {
    case WAY_SUM: break;
    case WAY_PRODUCT: out[0] = fsr_ref_product_get(&f->product, fsr_combine_dtype(c, 0)); break;
    case WAY_SELECT: select_get(f, out); break;
    case WAY_MAJORANT:
        fsr_ref_majorant_get(&f->majorant, depth, c->commutative ? depth : fsr_ref_right_depth(f->n), out);
        break;
    case WAY_ESTIMATE: fsr_ref_estimate_get(&f->estimate, depth, out); break;
    case WAY_SEQUENCE: fsr_balls_copy(out, f->state, c->arity); break;
    }
    for (int i = 0; i < c->arity; i++)
        if (f->plan->adds[i])
            out[i] = sum_of(f, i, depth);
}

static void fold_get(const fold *f, fsr_ref_element *out) {
    const fsr_combine *c = f->plan->combine;
    fsr_ball ball[FSR_MAX_TUPLE];
    fsr_value value[FSR_MAX_TUPLE];
    fsr_ref_plain_get(&f->plain, value);
    if (f->n > 0)
        ball_get(f, ball);
    for (int i = 0; i < c->arity; i++) {
        out[i] = fsr_ref_known(fsr_combine_dtype(c, i), value[i]);
        if (f->n > 0)
            out[i].ball = ball[i];
    }
}

/* ---- arrays ------------------------------------------------------------------------------------ */

static fsr_status make(const fsr_rec *node, fsr_ref_data **out) {
    const int n = node->combine->arity;
    for (int i = 0; i < n; i++)
        out[i] = fsr_ref_data_new(fsr_combine_dtype(node->combine, i), fsr_shape_size(&node->shape), true);
    for (int i = 0; i < n; i++)
        if (!out[i])
            return FSR_ERR_MEMORY;
    return FSR_OK;
}

static void drop(const fsr_rec *node, fsr_ref_data **out) {
    for (int i = 0; i < node->combine->arity; i++) {
        fsr_ref_data_unref(out[i]);
        out[i] = NULL;
    }
}

static bool store(const fsr_rec *node, fsr_ref_data **out, int64_t at, const fsr_ref_element *x) {
    for (int i = 0; i < node->combine->arity; i++)
        if (!fsr_ref_data_set(out[i], at, &x[i]))
            return false;
    return true;
}

static bool reduce_row(const fsr_rec *node, const plan *p, const fsr_ref_view *in, fsr_ref_walk *row,
                       fsr_ref_data **out, int64_t at) {
    fold f;
    fsr_ref_element x[FSR_MAX_TUPLE];
    fsr_ball ball[FSR_MAX_TUPLE];
    fsr_value value[FSR_MAX_TUPLE];
    fold_start(&f, p);
    for (; row->left > 0; fsr_ref_walk_next(row)) {
        for (int i = 0; i < node->combine->arity; i++)
            fsr_ref_data_read(in[i].data, row->at[i], &ball[i], &value[i]);
        fold_push(&f, ball, value);
    }
    fold_get(&f, x);
    return store(node, out, at, x);
}

fsr_status fsr_ref_reduce(const fsr_rec *node, const fsr_combine *combine, const fsr_ref_view *in,
                          const fsr_shape *from, fsr_ref_data **out) {
    const int n = node->combine->arity;
    fsr_ref_walk rows, row;
    plan p;
    fsr_status status = make(node, out);
    plan_make(&p, combine, false);
    fsr_ref_walk_start(&rows, from, node->axes, in, n);
    fsr_ref_walk_start(&row, from, ~node->axes, in, n);
    for (int64_t at = 0; status == FSR_OK && rows.left > 0; fsr_ref_walk_next(&rows), at++) {
        fsr_ref_walk_restart(&row, rows.at);
        if (!reduce_row(node, &p, in, &row, out, at))
            status = FSR_ERR_MEMORY;
    }
    if (status != FSR_OK)
        drop(node, out);
    return status;
}

static bool scan_row(const fsr_rec *node, const plan *p, const fsr_ref_view *view, const int64_t *start,
                     fsr_ref_data **out) {
    const int n = node->combine->arity, axis = node->axis;
    const int64_t length = node->shape.dim[axis];
    fold f;
    fsr_ref_element result[FSR_MAX_TUPLE];
    fsr_ball ball[FSR_MAX_TUPLE];
    fsr_value value[FSR_MAX_TUPLE];
    fold_start(&f, p);
    for (int64_t step = 0; step < length; step++) {
        int64_t i = node->reverse ? length - 1 - step : step;
        for (int k = 0; k < n; k++)
            fsr_ref_data_read(view[k].data, start[k] + i * view[k].stride[axis], &ball[k], &value[k]);
        if (node->exclusive)
            fold_get(&f, result);
        fold_push(&f, ball, value);
        if (!node->exclusive)
            fold_get(&f, result);
        if (!store(node, out, start[n] + i * view[n].stride[axis], result))
            return false;
    }
    return true;
}

fsr_status fsr_ref_scan(const fsr_rec *node, const fsr_combine *combine, const fsr_ref_view *in, const fsr_shape *from,
                        fsr_ref_data **out) {
    const int n = node->combine->arity;
    fsr_ref_view view[FSR_REF_WALK_MAX];
    fsr_ref_walk rows;
    plan p;
    fsr_status status = make(node, out);
    plan_make(&p, combine, true);
    memcpy(view, in, (size_t)n * sizeof *in);
    view[n] = fsr_ref_view_whole(NULL, from);
    fsr_ref_walk_start(&rows, from, 1u << node->axis, view, n + 1);
    if (fsr_shape_size(from) == 0) /* rows of nothing may be more than anyone can visit */
        rows.left = 0;
    for (; status == FSR_OK && rows.left > 0; fsr_ref_walk_next(&rows))
        if (!scan_row(node, &p, view, rows.at, out))
            status = FSR_ERR_MEMORY;
    if (status != FSR_OK)
        drop(node, out);
    return status;
}
