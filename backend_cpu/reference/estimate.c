/* SPDX-License-Identifier: MIT */
/* Folds in ball arithmetic along one tree or two, for operators that nothing better is known of (majorant.c has the
 * others): divisions, exponentials, choices among numbers that round, complex numbers.
 *
 * Reductions go by a pairwise tree, on a stack of log n states: radii grow by log n steps, not n. Scans go left to
 * right, whose radii are those of the deepest order there is.
 * Beside the tree, reductions of real numbers go from left to right in blocks, as backends do down columns, and the
 * larger radius stands. Counter-example to the tree alone: the M2 of 254, 255, 254, 255, of whose pairs both means are
 * 254.5, so that the mean's rounding moves nothing there; from left to right it moves M2 by 2e-14.
 * A backend's tree is not ours. A pairwise radius is multiplied by 1 + depth(n) / log2 n, a scan's by 4; and added is
 * depth(n) (for a scan 16) units of the largest magnitude that the component had on the way, for partial results that
 * cancel here and not there. These two are estimates, not proofs. An infinity or NaN that such an operator makes from
 * finite numbers is unknown, as it may depend on the order. So is the sign of a zero. And so is everything if a
 * component, followed from left to right, grows by more than its dtype's largest number: a partial result may then
 * overflow in one order and not in another. */
#include "backend_cpu/reference/estimate.h"
#include "backend_cpu/reference/fold.h"
#include "backend_cpu/reference/rules.h"
#include <float.h>
#include <math.h>
#include <string.h>

#define SCAN_SCALE 4
#define SCAN_UNITS 16
#define BLOCK 512

void fsr_ref_estimate_start(fsr_ref_estimate *e, const fsr_combine *combine, bool scan) {
    e->combine = combine;
    e->scan = scan;
    e->n = 0;
    memset(e->largest, 0, sizeof e->largest);
    for (int i = 0; i < FSR_MAX_TUPLE; i++)
        e->least[i] = 1;
    e->spread = 0;
    memset(e->odd, 0, sizeof e->odd);
    memset(e->first_odd, 0, sizeof e->first_odd);
    e->nan = e->beyond = false;
}

static bool alike_part(long double a, long double b) {
    return a == b || (isnan(a) && isnan(b)) || (isfinite(a) && isfinite(b));
}

static bool alike(fsr_ball a, fsr_ball b) {
    return alike_part(a.center, b.center) && alike_part(a.imag, b.imag);
}

/* Backends fold the identity in as often as they like. For what is not finite it may not be neutral: 0 * inf. An
 * operator that skips NaN is no such case: its identity changes a NaN, but so does any other element. */
static void note_odd(fsr_ref_estimate *e, const fsr_ball *state) {
    const fsr_combine *c = e->combine;
    fsr_ball identity[FSR_MAX_TUPLE], left[FSR_MAX_TUPLE], right[FSR_MAX_TUPLE];
    for (int i = 0; i < c->arity; i++)
        identity[i] = fsr_ball_from_value(fsr_combine_dtype(c, i), c->identity[i]);
    fsr_ref_combine(c, false, left, identity, state);
    fsr_ref_combine(c, false, right, state, identity);
    for (int i = 0; i < c->arity; i++) {
        bool left_odd = !alike(left[i], state[i]), right_odd = !alike(right[i], state[i]);
        e->odd[i] = e->odd[i] || (left_odd && !fsr_ball_finite(left[i])) || (right_odd && !fsr_ball_finite(right[i]));
        e->first_odd[i] = e->first_odd[i] || (e->n == 0 && (left_odd || right_odd));
    }
}

static void note(fsr_ref_estimate *e, const fsr_ball *state) {
    bool finite = true;
    for (int i = 0; i < e->combine->arity; i++) {
        finite = finite && fsr_ball_finite(state[i]);
        if (fsr_ball_finite(state[i]))
            e->largest[i] = fmaxl(e->largest[i], hypotl(state[i].center, state[i].imag));
    }
    if (!finite)
        note_odd(e, state);
}

static void note_leaf(fsr_ref_estimate *e, const fsr_ball *x) {
    for (int i = 0; i < e->combine->arity; i++)
        e->nan = e->nan || isnan(x[i].center);
    note(e, x);
}

static void push_tree(fsr_ref_estimate *e, const fsr_ball *x) {
    const int n = e->combine->arity;
    fsr_ball carry[FSR_MAX_TUPLE];
    fsr_balls_copy(carry, x, n);
    int level = 0;
    for (; e->n >> level & 1; level++) {
        fsr_ref_combine(e->combine, false, carry, e->stack[level], carry);
        note(e, carry);
    }
    fsr_balls_copy(e->stack[level], carry, n);
}

static void push_scan(fsr_ref_estimate *e, const fsr_ball *x) {
    if (e->n == 0)
        fsr_balls_copy(e->state, x, e->combine->arity);
    else
        fsr_ref_combine(e->combine, false, e->state, e->state, x);
    note(e, e->state);
}

static bool has_blocks(const fsr_ref_estimate *e) {
    return !e->scan && !fsr_ref_has_complex(e->combine);
}

/* Blocks that have ended, and the one that has not, which is not empty. */
static void blocks_result(const fsr_ref_estimate *e, fsr_ball *out) {
    if (e->n <= BLOCK)
        fsr_balls_copy(out, e->state, e->combine->arity);
    else
        fsr_ref_combine(e->combine, false, out, e->blocks, e->state);
}

static void push_blocks(fsr_ref_estimate *e, const fsr_ball *x) {
    if (e->n % BLOCK) {
        fsr_ref_combine(e->combine, false, e->state, e->state, x);
        return;
    }
    if (e->n)
        blocks_result(e, e->blocks);
    fsr_balls_copy(e->state, x, e->combine->arity);
}

/* Of complex elements: the product of any of them is at most 2^spread, and at least 2^-spread. */
static void note_spread(fsr_ref_estimate *e, const fsr_ball *x) {
    for (int i = 0; i < e->combine->arity; i++) {
        double size = (double)hypotl(x[i].center, x[i].imag);
        if (size > 0 && isfinite(size))
            e->spread += fabs(log2(size));
        e->beyond = e->beyond || e->spread > (fsr_ball_unit(fsr_combine_dtype(e->combine, i)) > 0x1p-30 ? 120 : 1000);
    }
}

/* Follows the fold from left to right without radii: what a partial result later in the row is, over one earlier in the
 * row, is about the partial result between them. What an element brings by itself, as the added term of a recurrence
 * does, is no growth: where that prevails, a component starts anew. */
static void note_growth(fsr_ref_estimate *e, const fsr_ball *x) {
    if (fsr_ref_has_complex(e->combine)) {
        note_spread(e, x);
        return;
    }
    const int n = e->combine->arity;
    long double arg[2 * FSR_MAX_TUPLE], next[FSR_MAX_TUPLE], alone[FSR_MAX_TUPLE] = {0};
    for (int i = 0; i < n; i++) {
        arg[i] = e->prefix[i];
        arg[n + i] = next[i] = x[i].center;
    }
    if (e->n > 0) {
        fsr_ref_combine_centers(e->combine, arg, next);
        memset(arg, 0, (size_t)n * sizeof *arg);
        fsr_ref_combine_centers(e->combine, arg, alone);
    }
    for (int i = 0; i < n; i++) {
        fsr_dtype dtype = fsr_combine_dtype(e->combine, i);
        long double most = dtype == FSR_F64 ? DBL_MAX : FLT_MAX, grown = fabsl(next[i] - alone[i]);
        e->prefix[i] = next[i];
        if (!fsr_dtype_is_float(dtype) || grown == 0 || !isfinite(grown))
            continue;
        bool anew = fabsl(alone[i]) >= grown;
        e->beyond = e->beyond || (!anew && grown / e->least[i] > most);
        e->least[i] = anew ? fabsl(next[i]) : fminl(e->least[i], grown);
    }
}

static void tree_result(const fsr_ref_estimate *e, fsr_ball *out) {
    bool first = true;
    for (int level = 0; level < FSR_REF_ESTIMATE_LEVELS - 1; level++) {
        if (!(e->n >> level & 1))
            continue;
        if (first)
            fsr_balls_copy(out, e->stack[level], e->combine->arity);
        else
            fsr_ref_combine(e->combine, false, out, e->stack[level], out);
        first = false;
    }
}

/* Makes the radii of our order cover the backends' orders. */
static void widen(const fsr_ref_estimate *e, double depth, fsr_ball *out) {
    const double scale = e->scan ? SCAN_SCALE : 1 + depth / fmax(1, ceil(log2((double)e->n)));
    const double units = e->scan ? SCAN_UNITS : depth;
    for (int i = 0; i < e->combine->arity; i++) {
        fsr_dtype dtype = fsr_combine_dtype(e->combine, i);
        if (!fsr_dtype_is_inexact(dtype))
            continue;
        if (isnan(out[i].center) && e->nan && out[i].radius == 0 && !fsr_dtype_is_complex(dtype))
            continue;
        if (!fsr_ball_finite(out[i]) || e->beyond)
            out[i] = fsr_ball_unknown(dtype);
        if (out[i].radius == 0)
            continue;
        double radius = out[i].radius * scale + units * fsr_ball_unit(dtype) * (double)e->largest[i];
        out[i] = fsr_dtype_is_complex(dtype) ? fsr_ball_settle_complex(dtype, out[i].center, out[i].imag, radius)
                                             : fsr_ball_settle(dtype, out[i].center, radius);
    }
}

/* Covers what the fold from left to right gives, as far as that is known. */
static void cover_blocks(const fsr_ref_estimate *e, fsr_ball *out) {
    fsr_ball other[FSR_MAX_TUPLE];
    blocks_result(e, other);
    for (int i = 0; i < e->combine->arity; i++) {
        fsr_dtype dtype = fsr_combine_dtype(e->combine, i);
        const double radius = other[i].radius + fsr_ball_upwards(fabsl(other[i].center - out[i].center));
        if (fsr_dtype_is_inexact(dtype) && isfinite(radius) && radius > out[i].radius)
            out[i] = fsr_ball_settle(dtype, out[i].center, radius);
    }
}

void fsr_ref_estimate_push(fsr_ref_estimate *e, const fsr_ball *x) {
    note_leaf(e, x);
    note_growth(e, x);
    if (e->scan)
        push_scan(e, x);
    else
        push_tree(e, x);
    if (has_blocks(e))
        push_blocks(e, x);
    e->n++;
}

void fsr_ref_estimate_get(const fsr_ref_estimate *e, double depth, fsr_ball *out) {
    const fsr_combine *c = e->combine;
    if (e->scan)
        fsr_balls_copy(out, e->state, c->arity);
    else
        tree_result(e, out);
    if (e->n > 1)
        widen(e, depth, out);
    if (has_blocks(e))
        cover_blocks(e, out);
    for (int i = 0; i < c->arity; i++) {
        if (fsr_dtype_is_inexact(fsr_combine_dtype(c, i)))
            out[i] = fsr_ball_unsign(out[i]);
        if (e->odd[i] || (e->n == 1 && e->first_odd[i]))
            out[i] = fsr_ball_unknown(fsr_combine_dtype(c, i));
    }
}
