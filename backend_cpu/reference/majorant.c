/* SPDX-License-Identifier: MIT */
/* The error of a fold whose operator is a sum of products, over any tree.
 *
 * The result is a sum of products of elements, the same ones for every tree (form.c). A backend that folds by a tree
 * has each product times some roundings 1 + delta, |delta| <= u, and elements that may be off by their radii. So its
 * error is at most the fold without signs of elements |x| + r, times (1 + u) to the number of roundings, less the fold
 * without signs of |x|:
 *   M = fold of |x|,   M + D = fold of (|x| + r) (1 + u)^roundings,
 *   error <= D + ((1 + u)^(left[p] L + right[p] R) - 1) (M + D),
 * where the second factor is what passes an element on, L times at most as a left operand, R times as a right one. M
 * and D are sums of numbers of one sign, so they are folded in any order, here from left to right, without
 * cancellation. A recurrence that forgets (coefficients below 1) has a small D and a small M, however long it is; one
 * whose order may not be changed has right[a] = left[a] = left[b] = 0, right[b] = 1.
 *
 * Nothing may overflow on the way, in any tree: the largest fold without signs of any part of the row ends at some
 * element, and is the larger of that element alone and the largest part that ends before it, continued (`run`). Where
 * it may leave the dtype, the result is unknown; so is what an infinity reaches. Counter-example to trusting the finite
 * result: a linear recurrence of coefficients 1e-300, 1e200, 1e200 is finite from left to right, but a tree multiplies
 * the last two first.
 *
 * Products that underflow: each of the n - 1 nodes may be off by a few of the smallest subnormals besides. Seen from
 * the result a node is (left (+) node) (+) right, where left and right are parts of the row: the error grows at most by
 * what the largest parts make of it. Twice that covers that these are inexact themselves.
 *
 * Where all elements are known integers, and no part of the row may leave those that the dtype holds, nothing is
 * rounded in any order, and the result is known. */
#include "backend_cpu/reference/majorant.h"
#include "backend_cpu/reference/fold.h"
#include <float.h>
#include <math.h>
#include <string.h>

#define SLACK 1.01

void fsr_ref_majorant_start(fsr_ref_majorant *m, const fsr_ref_form *form) {
    memset(m, 0, sizeof *m);
    m->form = form;
}

/* As fmaxl, but NaN stays. */
static long double larger(long double a, long double b) {
    return isnan(a) || a > b ? a : b;
}

/* Of an element that is not finite: which components have no bound, here or where the identity is folded in (0 *
 * inf). */
static void note_infinite(fsr_ref_majorant *m, const fsr_ball *x, fsr_ref_major *leaf) {
    const fsr_combine *c = m->form->combine;
    long double both[3][FSR_MAX_TUPLE], arg[2 * FSR_MAX_TUPLE];
    for (int side = 0; side < 3; side++) {
        for (int p = 0; p < c->arity; p++) {
            const long double one = fsr_ball_from_value(fsr_combine_dtype(c, p), c->identity[p]).center;
            arg[p] = side == 0 ? one : x[p].center;
            arg[c->arity + p] = side == 1 ? one : x[p].center;
        }
        if (side < 2)
            fsr_ref_combine_centers(c, arg, both[side]);
    }
    for (int p = 0; p < c->arity; p++) {
        const bool odd = isfinite(x[p].center) && !(isfinite(both[0][p]) && isfinite(both[1][p]));
        if (odd || !isfinite(x[p].center))
            leaf->most[p] = leaf->more[p] = NAN;
        m->nan = m->nan || isnan(x[p].center);
        m->murky = m->murky || odd || isinf(x[p].center) || isnan(both[0][p]) != isnan(x[p].center) ||
                   isnan(both[1][p]) != isnan(x[p].center);
    }
}

/* What nothing is known of may be NaN: where the identity is folded in, other components then are, too. */
static void note_unknown(fsr_ref_majorant *m, const fsr_ball *x, fsr_ref_major *leaf) {
    const fsr_combine *c = m->form->combine;
    fsr_ball any[FSR_MAX_TUPLE];
    bool unknown = false;
    for (int p = 0; p < c->arity; p++) {
        any[p] = x[p];
        if (isinf(x[p].radius))
            any[p].center = NAN;
        unknown = unknown || isinf(x[p].radius);
    }
    note_infinite(m, any, leaf);
    m->murky = m->murky || unknown;
}

static void leaf_of(fsr_ref_majorant *m, const fsr_ball *x, fsr_ref_major *leaf) {
    const fsr_combine *c = m->form->combine;
    bool finite = true;
    for (int p = 0; p < c->arity; p++) {
        const double joins = expm1(m->form->roundings * fsr_ball_unit(fsr_combine_dtype(c, p)));
        const long double size = fabsl(x[p].center), most = size + x[p].radius;
        finite = finite && isfinite(x[p].center) && isfinite(x[p].radius);
        leaf->most[p] = size;
        leaf->more[p] = x[p].radius + most * joins;
        m->fraction = m->fraction || x[p].radius != 0 || truncl(x[p].center) != x[p].center;
    }
    if (!finite)
        note_unknown(m, x, leaf);
}

/* The largest part that ends with this element, and the largest of all. */
static void note_parts(fsr_ref_majorant *m, const fsr_ref_major *leaf) {
    const int n = m->form->combine->arity;
    fsr_ref_major run = {.more = {0}}, here = {.more = {0}};
    for (int p = 0; p < n; p++) {
        run.most[p] = m->run[p];
        here.most[p] = leaf->most[p] + leaf->more[p];
    }
    if (m->n > 0)
        fsr_ref_form_major(m->form, &run, &here, &run);
    for (int p = 0; p < n; p++) {
        m->run[p] = m->n > 0 ? larger(run.most[p], here.most[p]) : here.most[p];
        m->largest[p] = larger(m->largest[p], m->run[p]);
    }
}

void fsr_ref_majorant_push(fsr_ref_majorant *m, const fsr_ball *x) {
    const fsr_combine *c = m->form->combine;
    long double arg[2 * FSR_MAX_TUPLE];
    fsr_ref_major leaf;
    leaf_of(m, x, &leaf);
    note_parts(m, &leaf);
    if (m->n++ == 0) {
        m->sum = leaf;
        memcpy(m->first, x, (size_t)c->arity * sizeof *x);
        for (int p = 0; p < c->arity; p++)
            m->center[p] = x[p].center;
        return;
    }
    for (int p = 0; p < c->arity; p++) {
        arg[p] = m->center[p];
        arg[c->arity + p] = x[p].center;
    }
    fsr_ref_combine_centers(c, arg, m->center);
    fsr_ref_form_major(m->form, &m->sum, &leaf, &m->sum);
}

/* The largest parts, of the components that p depends on. */
static void parts_of(const fsr_ref_majorant *m, int p, long double scale, long double *most) {
    for (int q = 0; q < FSR_MAX_TUPLE; q++)
        most[q] = m->form->needs[p] >> q & 1 ? scale * m->largest[q] : 0;
}

/* Some part of the row that component p depends on may leave the dtype, or has no bound. */
static bool may_overflow(const fsr_ref_majorant *m, int p, long double limit) {
    long double most[FSR_MAX_TUPLE];
    parts_of(m, p, 2, most);
    for (int q = 0; q < FSR_MAX_TUPLE; q++)
        if (!(most[q] < limit))
            return true;
    return !(fsr_ref_form_largest(m->form, most) < limit);
}

/* What underflow may add to component p. */
static long double underflow(const fsr_ref_majorant *m, int p, fsr_dtype dtype) {
    fsr_ref_major part = {.more = {0}}, error = {.more = {0}}, after = {.more = {0}};
    parts_of(m, p, 1, part.most);
    memcpy(error.most, part.most, sizeof part.most);
    const long double inside = 1 + fsr_ref_form_largest(m->form, part.most);
    const long double node = m->form->products * fsr_ball_ulp(dtype, 0) * inside;
    for (int q = 0; q < FSR_MAX_TUPLE; q++)
        error.more[q] = node;
    fsr_ref_form_major(m->form, &part, &error, &after);
    for (int q = 0; q < FSR_MAX_TUPLE; q++)
        error.more[q] = larger(after.more[q], node);
    fsr_ref_form_major(m->form, &error, &part, &after);
    return 2 * (long double)m->n * larger(after.more[p], error.more[p]);
}

static bool is_whole(const fsr_ref_majorant *m, fsr_dtype dtype) {
    bool whole = !m->fraction && m->form->whole;
    for (int p = 0; p < m->form->combine->arity; p++)
        whole = whole && m->largest[p] <= fsr_ball_integers(dtype);
    return whole && fsr_ref_form_largest(m->form, m->largest) <= fsr_ball_integers(dtype);
}

static fsr_ball component(const fsr_ref_majorant *m, int p, double left, double right) {
    const fsr_ref_form *f = m->form;
    const fsr_dtype dtype = fsr_combine_dtype(f->combine, p);
    const long double most = m->sum.most[p], more = m->sum.more[p];
    if (isnan(m->center[p]) && m->nan && !m->murky)
        return fsr_ball_real(NAN, 0);
    if (!isfinite(m->center[p]) || !isfinite(most + more) || may_overflow(m, p, fsr_ball_limit(dtype)))
        return fsr_ball_unknown(dtype);
    const double passed = f->left[p] * left + f->right[p] * right;
    const long double own = 4 * (long double)m->n * (f->roundings + 1) * LDBL_EPSILON * most;
    const long double radius = SLACK * (more + expm1(passed * fsr_ball_unit(dtype)) * (most + more));
    return fsr_ball_settle(dtype, m->center[p], (double)(radius + own + underflow(m, p, dtype)));
}

void fsr_ref_majorant_get(const fsr_ref_majorant *m, double left, double right, fsr_ball *out) {
    const fsr_combine *c = m->form->combine;
    const bool whole = m->n > 1 && is_whole(m, fsr_combine_dtype(c, 0));
    for (int p = 0; p < c->arity; p++) {
        if (m->n == 1 && m->murky && !isfinite(m->sum.most[p]))
            out[p] = fsr_ball_unknown(fsr_combine_dtype(c, p));
        else if (m->n == 1)
            out[p] = m->first[p];
        else
            out[p] = whole ? fsr_ball_real(m->center[p], 0) : component(m, p, left, right);
        out[p] = fsr_ball_unsign(out[p]);
    }
}
