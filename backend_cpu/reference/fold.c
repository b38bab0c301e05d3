/* Reductions and scans in ball arithmetic.
 *
 * Four ways to fold a row:
 *   float sum, float product   formulas for any order (sum.c);
 *   selecting operators        no step rounds (integers, min, max, and, or, argmax): any order gives the same;
 *   other operators, reduced   by a pairwise tree, on a stack of log n states: radii grow by log n steps, not n;
 *   other operators, scanned   left to right, whose radii are those of the deepest order there is.
 * A component that is nothing but the sum of its two arguments (the count of a mean, a sum beside a maximum) has that
 * formula also inside a larger operator.
 * A backend's tree is not ours. A pairwise radius is multiplied by 1 + depth(n) / log2 n, a scan's by 4; and added is
 * depth(n) (for a scan 16) units of the largest magnitude that the component had on the way, for partial results that
 * cancel here and not there. These two are estimates, not proofs. An infinity or NaN that such an operator makes from
 * finite numbers is unknown, as it may depend on the order. So is the sign of a zero, for min and max only where zeros
 * of both signs are folded. And so is everything if a component, followed from left to right, grows by more than its
 * dtype's largest number: a partial result may then overflow in one order and not in another. Counter-example to
 * trusting the finite result: a linear recurrence of coefficients 1e-300, 1e200, 1e200 is finite from left to right,
 * but a tree multiplies the last two first. */
#include "backend_cpu/reference/fold.h"
#include "backend_cpu/reference/sum.h"
#include <float.h>
#include <math.h>
#include <string.h>

#define SCAN_SCALE 4
#define SCAN_UNITS 16
#define MAX_LEVELS 64

typedef enum way { WAY_SUM, WAY_PRODUCT, WAY_SELECT, WAY_TREE, WAY_RUN } way;

typedef struct fold {
    const fsr_combine *combine;
    way way;
    int64_t n;
    fsr_ref_sum sum[FSR_MAX_TUPLE];  /* of the components that are plain sums */
    fsr_ref_sum imag[FSR_MAX_TUPLE]; /* of the imaginary parts of such components */
    bool adds[FSR_MAX_TUPLE];
    fsr_ref_product product;
    fsr_ball state[FSR_MAX_TUPLE];             /* SELECT, RUN */
    fsr_ball stack[MAX_LEVELS][FSR_MAX_TUPLE]; /* TREE: level k holds 2^k elements if bit k of n is set */
    long double largest[FSR_MAX_TUPLE];        /* TREE, RUN */
    long double prefix[FSR_MAX_TUPLE];         /* TREE, RUN: the fold from left to right */
    long double least[FSR_MAX_TUPLE];          /* TREE, RUN: of its magnitudes that are not 0, and 1 */
    double spread;                             /* TREE, RUN: of complex elements, sum of |log2 |x|| */
    bool beyond;                               /* TREE, RUN: some order may leave a component's range */
    bool nan;                                  /* TREE, RUN: a NaN was folded */
    bool odd[FSR_MAX_TUPLE];                   /* TREE, RUN: the identity made some state infinite or NaN */
    bool first_odd[FSR_MAX_TUPLE];             /* TREE, RUN: it changed the first element */
    bool plus, minus;                          /* SELECT: a zero of that sign, or unknown sign, was folded */
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

double fsr_ref_scan_depth(int64_t n, int64_t row) {
    return fmin((double)(n - 1), 4096 + log2_ceil(row) + (double)(row >> 9));
}

/* ---- one row --------------------------------------------------------------------------------- */

/* Component i of the result is the float sum of components i of the arguments. */
static bool adds(const fsr_combine *c, int i) {
    const fsr_step *s = &c->step[c->result[i]];
    if (s->kind != FSR_STEP_OP || s->op != FSR_OP_ADD || !fsr_dtype_is_inexact(s->dtype))
        return false;
    const fsr_step *a = &c->step[s->arg[0]], *b = &c->step[s->arg[1]];
    return a->kind == FSR_STEP_ARG && b->kind == FSR_STEP_ARG && a->index + b->index == 2 * i + c->arity &&
           (a->index == i || b->index == i);
}

static way way_of(const fsr_combine *c, bool scan) {
    if (fsr_ref_selects(c))
        return WAY_SELECT;
    if (c->builtin && c->op == FSR_OP_ADD)
        return WAY_SUM;
    if (c->builtin && c->op == FSR_OP_MUL && !fsr_dtype_is_complex(c->dtype[0]))
        return WAY_PRODUCT;
    return scan ? WAY_RUN : WAY_TREE;
}

static void fold_start(fold *f, const fsr_combine *combine, bool scan) {
    f->combine = combine;
    f->way = way_of(combine, scan);
    f->n = 0;
    for (int i = 0; i < combine->arity; i++) {
        f->sum[i] = f->imag[i] = (fsr_ref_sum){.n = 0};
        f->adds[i] = adds(combine, i);
    }
    f->product = (fsr_ref_product){.n = 0};
    memset(f->largest, 0, sizeof f->largest);
    for (int i = 0; i < FSR_MAX_TUPLE; i++)
        f->least[i] = 1;
    f->spread = 0;
    memset(f->odd, 0, sizeof f->odd);
    memset(f->first_odd, 0, sizeof f->first_odd);
    f->nan = f->plus = f->minus = f->beyond = false;
}

static bool alike_part(long double a, long double b) {
    return a == b || (isnan(a) && isnan(b)) || (isfinite(a) && isfinite(b));
}

static bool alike(fsr_ball a, fsr_ball b) {
    return alike_part(a.center, b.center) && alike_part(a.imag, b.imag);
}

/* Backends fold the identity in as often as they like. For what is not finite it may not be neutral: 0 * inf. An
 * operator that skips NaN is no such case: its identity changes a NaN, but so does any other element. */
static void note_odd(fold *f, const fsr_ball *state) {
    const fsr_combine *c = f->combine;
    fsr_ball identity[FSR_MAX_TUPLE], left[FSR_MAX_TUPLE], right[FSR_MAX_TUPLE];
    for (int i = 0; i < c->arity; i++)
        identity[i] = fsr_ball_from_value(c->dtype[i], c->identity[i]);
    fsr_ref_combine(c, false, left, identity, state);
    fsr_ref_combine(c, false, right, state, identity);
    for (int i = 0; i < c->arity; i++) {
        bool left_odd = !alike(left[i], state[i]), right_odd = !alike(right[i], state[i]);
        f->odd[i] = f->odd[i] || (left_odd && !fsr_ball_finite(left[i])) || (right_odd && !fsr_ball_finite(right[i]));
        f->first_odd[i] = f->first_odd[i] || (f->n == 0 && (left_odd || right_odd));
    }
}

static void note(fold *f, const fsr_ball *state) {
    bool finite = true;
    for (int i = 0; i < f->combine->arity; i++) {
        finite = finite && fsr_ball_finite(state[i]);
        if (fsr_ball_finite(state[i]))
            f->largest[i] = fmaxl(f->largest[i], hypotl(state[i].center, state[i].imag));
    }
    if (!finite)
        note_odd(f, state);
}

static void note_leaf(fold *f, const fsr_ball *x) {
    for (int i = 0; i < f->combine->arity; i++)
        f->nan = f->nan || isnan(x[i].center);
    note(f, x);
}

/* Of a selecting operator; only that of min and max is asked for. */
static void note_zero(fold *f, fsr_ball x) {
    if (x.center != 0 || x.radius != 0)
        return;
    f->plus = f->plus || !signbit(x.center) || fsr_ball_unsigned(x);
    f->minus = f->minus || signbit(x.center) || fsr_ball_unsigned(x);
}

static void push_tree(fold *f, const fsr_ball *x) {
    const size_t bytes = (size_t)f->combine->arity * sizeof *x;
    fsr_ball carry[FSR_MAX_TUPLE];
    memcpy(carry, x, bytes);
    int level = 0;
    for (; f->n >> level & 1; level++) {
        fsr_ref_combine(f->combine, f->way == WAY_SELECT, carry, f->stack[level], carry);
        note(f, carry);
    }
    memcpy(f->stack[level], carry, bytes);
}

/* Of complex elements: the product of any of them is at most 2^spread, and at least 2^-spread. */
static void note_spread(fold *f, const fsr_ball *x) {
    for (int i = 0; i < f->combine->arity; i++) {
        double size = (double)hypotl(x[i].center, x[i].imag);
        if (size > 0 && isfinite(size))
            f->spread += fabs(log2(size));
        f->beyond = f->beyond || f->spread > (fsr_ball_unit(f->combine->dtype[i]) > 0x1p-30 ? 120 : 1000);
    }
}

/* Follows the fold from left to right without radii: what a partial result later in the row is, over one earlier in the
 * row, is about the partial result between them. What an element brings by itself, as the added term of a recurrence
 * does, is no growth: where that prevails, a component starts anew. */
static void note_growth(fold *f, const fsr_ball *x) {
    if (fsr_ref_has_complex(f->combine)) {
        note_spread(f, x);
        return;
    }
    const int n = f->combine->arity;
    long double arg[2 * FSR_MAX_TUPLE], next[FSR_MAX_TUPLE], alone[FSR_MAX_TUPLE] = {0};
    for (int i = 0; i < n; i++) {
        arg[i] = f->prefix[i];
        arg[n + i] = next[i] = x[i].center;
    }
    if (f->n > 0) {
        fsr_ref_combine_centers(f->combine, arg, next);
        memset(arg, 0, (size_t)n * sizeof *arg);
        fsr_ref_combine_centers(f->combine, arg, alone);
    }
    for (int i = 0; i < n; i++) {
        fsr_dtype dtype = f->combine->dtype[i];
        long double most = dtype == FSR_F64 ? DBL_MAX : FLT_MAX, grown = fabsl(next[i] - alone[i]);
        f->prefix[i] = next[i];
        if (!fsr_dtype_is_float(dtype) || grown == 0 || !isfinite(grown))
            continue;
        bool anew = fabsl(alone[i]) >= grown;
        f->beyond = f->beyond || (!anew && grown / f->least[i] > most);
        f->least[i] = anew ? fabsl(next[i]) : fminl(f->least[i], grown);
    }
}

static void add_parts(fold *f, int i, fsr_ball x) {
    fsr_ref_sum_add(&f->sum[i], fsr_ball_real(x.center, x.radius));
    if (fsr_dtype_is_complex(f->combine->dtype[i]))
        fsr_ref_sum_add(&f->imag[i], fsr_ball_real(x.imag, x.radius));
}

/* The sum of component i, of its parts if it is complex. */
static fsr_ball sum_of(const fold *f, int i, double depth) {
    const fsr_dtype dtype = f->combine->dtype[i];
    fsr_ball re = fsr_ref_sum_get(&f->sum[i], fsr_dtype_real(dtype), depth);
    if (!fsr_dtype_is_complex(dtype))
        return re;
    fsr_ball im = fsr_ref_sum_get(&f->imag[i], fsr_dtype_real(dtype), depth);
    double radius = hypot(re.radius, im.radius);
    return (fsr_ball){re.center, radius == 0 && (signbit(re.radius) || signbit(im.radius)) ? -0.0 : radius, im.center};
}

static void fold_push(fold *f, const fsr_ball *x) {
    if (f->way == WAY_TREE || f->way == WAY_RUN) {
        note_leaf(f, x);
        note_growth(f, x);
    }
    if (f->way == WAY_SELECT)
        note_zero(f, x[0]);
    for (int i = 0; i < f->combine->arity; i++)
        if (f->adds[i])
            add_parts(f, i, x[i]);
    if (f->way == WAY_PRODUCT)
        fsr_ref_product_add(&f->product, x[0]);
    else if (f->way == WAY_TREE)
        push_tree(f, x);
    else if (f->n == 0 || f->way == WAY_SUM)
        memcpy(f->state, x, (size_t)f->combine->arity * sizeof *x);
    else
        fsr_ref_combine(f->combine, f->way == WAY_SELECT, f->state, f->state, x);
    if (f->way == WAY_RUN)
        note(f, f->state);
    f->n++;
}

static void tree_result(const fold *f, fsr_ball *out) {
    bool first = true;
    for (int level = 0; level < MAX_LEVELS - 1; level++) {
        if (!(f->n >> level & 1))
            continue;
        if (first)
            memcpy(out, f->stack[level], (size_t)f->combine->arity * sizeof *out);
        else
            fsr_ref_combine(f->combine, f->way == WAY_SELECT, out, f->stack[level], out);
        first = false;
    }
}

/* Makes the radii of our order cover the backends' orders. */
static void widen(const fold *f, fsr_ball *out) {
    const double depth = fsr_ref_depth(f->n, f->combine->commutative);
    const double scale = f->way == WAY_RUN ? SCAN_SCALE : 1 + depth / fmax(1, log2_ceil(f->n));
    const double units = f->way == WAY_RUN ? SCAN_UNITS : depth;
    for (int i = 0; i < f->combine->arity; i++) {
        fsr_dtype dtype = f->combine->dtype[i];
        if (!fsr_dtype_is_inexact(dtype))
            continue;
        if (isnan(out[i].center) && f->nan && out[i].radius == 0 && !fsr_dtype_is_complex(dtype))
            continue;
        if (!fsr_ball_finite(out[i]) || f->beyond)
            out[i] = fsr_ball_unknown(dtype);
        if (out[i].radius == 0)
            continue;
        double radius = out[i].radius * scale + units * fsr_ball_unit(dtype) * (double)f->largest[i];
        out[i] = fsr_dtype_is_complex(dtype) ? fsr_ball_settle_complex(dtype, out[i].center, out[i].imag, radius)
                                             : fsr_ball_settle(dtype, out[i].center, radius);
    }
}

/* Takes the sign from zeros that have another one in another order, or where a backend starts from the identity. */
static void unsign(const fold *f, fsr_ball *out) {
    const fsr_combine *c = f->combine;
    if (f->way == WAY_SUM || f->way == WAY_PRODUCT || (f->way == WAY_SELECT && c->builtin && !(f->plus && f->minus)))
        return;
    for (int i = 0; i < c->arity; i++)
        if (fsr_dtype_is_inexact(c->dtype[i]))
            out[i] = fsr_ball_unsign(out[i]);
}

/* The fold of what was pushed; row: elements of the whole row (of a scan). */
static void fold_get(const fold *f, int64_t row, fsr_ball *out) {
    const fsr_combine *c = f->combine;
    if (f->n == 0) {
        for (int i = 0; i < c->arity; i++)
            out[i] = fsr_ball_from_value(c->dtype[i], c->identity[i]);
        return;
    }
    if (f->way == WAY_PRODUCT)
        out[0] = fsr_ref_product_get(&f->product, c->dtype[0]);
    else if (f->way == WAY_TREE)
        tree_result(f, out);
    else
        memcpy(out, f->state, (size_t)c->arity * sizeof *out);
    if ((f->way == WAY_TREE || f->way == WAY_RUN) && f->n > 1)
        widen(f, out);
    unsign(f, out);
    for (int i = 0; i < c->arity; i++)
        if (f->odd[i] || (f->n == 1 && f->first_odd[i]))
            out[i] = fsr_ball_unknown(c->dtype[i]);
    const double depth = row ? fsr_ref_scan_depth(f->n, row) : fsr_ref_depth(f->n, c->commutative);
    for (int i = 0; i < c->arity; i++)
        if (f->adds[i])
            out[i] = sum_of(f, i, depth);
}

/* ---- arrays ------------------------------------------------------------------------------------ */

static fsr_status make(const fsr_rec *node, fsr_ref_data **out) {
    const int n = node->combine->arity;
    for (int i = 0; i < n; i++)
        out[i] = fsr_ref_data_new(node->combine->dtype[i], fsr_shape_size(&node->shape), true);
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

static bool store(const fsr_rec *node, fsr_ref_data **out, int64_t at, const fsr_ball *x) {
    for (int i = 0; i < node->combine->arity; i++)
        if (!fsr_ref_data_set(out[i], at, x[i]))
            return false;
    return true;
}

static bool reduce_row(const fsr_rec *node, const fsr_ref_view *in, fsr_ref_walk *row, fsr_ref_data **out, int64_t at) {
    fold f;
    fsr_ball x[FSR_MAX_TUPLE];
    fold_start(&f, node->combine, false);
    for (; row->left > 0; fsr_ref_walk_next(row)) {
        for (int i = 0; i < node->combine->arity; i++)
            x[i] = fsr_ref_data_get(in[i].data, row->at[i]);
        fold_push(&f, x);
    }
    fold_get(&f, 0, x);
    return store(node, out, at, x);
}

fsr_status fsr_ref_reduce(const fsr_rec *node, const fsr_ref_view *in, const fsr_shape *from, fsr_ref_data **out) {
    const int n = node->combine->arity;
    fsr_ref_walk rows, row;
    fsr_status status = make(node, out);
    fsr_ref_walk_start(&rows, from, node->axes, in, n);
    fsr_ref_walk_start(&row, from, ~node->axes, in, n);
    for (int64_t at = 0; status == FSR_OK && rows.left > 0; fsr_ref_walk_next(&rows), at++) {
        fsr_ref_walk_restart(&row, rows.at);
        if (!reduce_row(node, in, &row, out, at))
            status = FSR_ERR_MEMORY;
    }
    if (status != FSR_OK)
        drop(node, out);
    return status;
}

static bool scan_row(const fsr_rec *node, const fsr_ref_view *view, const int64_t *start, fsr_ref_data **out) {
    const int n = node->combine->arity, axis = node->axis;
    const int64_t length = node->shape.dim[axis];
    fold f;
    fsr_ball x[FSR_MAX_TUPLE], result[FSR_MAX_TUPLE];
    fold_start(&f, node->combine, true);
    for (int64_t step = 0; step < length; step++) {
        int64_t i = node->reverse ? length - 1 - step : step;
        for (int k = 0; k < n; k++)
            x[k] = fsr_ref_data_get(view[k].data, start[k] + i * view[k].stride[axis]);
        if (node->exclusive)
            fold_get(&f, length, result);
        fold_push(&f, x);
        if (!node->exclusive)
            fold_get(&f, length, result);
        if (!store(node, out, start[n] + i * view[n].stride[axis], result))
            return false;
    }
    return true;
}

fsr_status fsr_ref_scan(const fsr_rec *node, const fsr_ref_view *in, const fsr_shape *from, fsr_ref_data **out) {
    const int n = node->combine->arity;
    fsr_ref_view view[FSR_REF_WALK_MAX];
    fsr_ref_walk rows;
    fsr_status status = make(node, out);
    memcpy(view, in, (size_t)n * sizeof *in);
    view[n] = fsr_ref_view_whole(NULL, from);
    fsr_ref_walk_start(&rows, from, 1u << node->axis, view, n + 1);
    for (; status == FSR_OK && rows.left > 0; fsr_ref_walk_next(&rows))
        if (!scan_row(node, view, rows.at, out))
            status = FSR_ERR_MEMORY;
    if (status != FSR_OK)
        drop(node, out);
    return status;
}
