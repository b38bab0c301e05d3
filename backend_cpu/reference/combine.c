/* SPDX-License-Identifier: MIT */
/* One application of a fold's operator on states with error radii.
 *
 * The operator's body is evaluated in ball arithmetic. That alone explodes: the mean of two halves, a + (b - a) / 2,
 * gets the radius 2r from two radii r, since the two a are taken for independent; 17 levels of a tree make 10^5 r of
 * it. So the radii of the two states are carried through the body as a whole: each component is moved by its radius,
 * the others held, and the changes of the results are added up (here r/2 + r/2), as is what moving two at once changes
 * more; three at once are not looked at. The body's own roundings are added from a ball evaluation on states that are
 * taken as known. Where a comparison inside is unknown (two values of an argmax tie within their radii) the body is
 * not smooth and the plain ball evaluation stands, which covers both branches. A zero of either sign is no number whose
 * value could be looked up, though its radius is 0: the ball evaluation takes both. */
#include "backend_cpu/reference/fold.h"
#include <math.h>

#define SMALL_MOVES (1 + 0x1p-8) /* for the pairs of small moves that are not tried */

bool fsr_ref_selects(const fsr_combine *c) {
    for (int i = 0; i < c->body.ninsts; i++) {
        const fsr_inst *s = &c->body.inst[i];
        bool floating = fsr_dtype_is_inexact(s->compute) || fsr_dtype_is_inexact(s->dtype);
        if (s->kind == FSR_INST_OP && floating && !fsr_ball_selects(s->op))
            return false;
    }
    return true;
}

typedef struct body {
    const fsr_combine *combine;
    fsr_ball arg[2 * FSR_MAX_TUPLE]; /* left, right */
    fsr_ball out[FSR_MAX_TUPLE];
    bool jumps; /* a result inside is unknown in a way that is no small change */
} body;

static bool jump(const fsr_inst *s, const fsr_ball *x) {
    if (s->kind != FSR_INST_OP || x->radius == 0)
        return false;
    return !fsr_dtype_is_inexact(s->dtype) || s->op == FSR_OP_FLOOR || s->op == FSR_OP_CEIL;
}

static void evaluate(body *b) {
    const fsr_region *r = &b->combine->body;
    fsr_ball value[FSR_MAX_BODY_INSTS];
    fsr_ball_region(r, 0, r->ninsts, b->arg, FSR_BALL_FOLD, NULL, value);
    for (int i = 0; i < r->ninsts; i++)
        b->jumps = b->jumps || jump(&r->inst[i], &value[i]);
    for (int i = 0; i < r->nresults; i++)
        fsr_balls_copy(&b->out[i], &value[r->result[i]], 1);
}

void fsr_ref_combine_centers(const fsr_combine *c, const long double *arg, long double *out) {
    const fsr_region *r = &c->body;
    long double value[FSR_MAX_BODY_INSTS];
    for (int i = 0; i < r->ninsts; i++) {
        const fsr_inst *s = &r->inst[i];
        if (s->kind == FSR_INST_PARAM) {
            value[i] = arg[s->index];
        } else if (s->kind == FSR_INST_CONST) {
            value[i] = fsr_ball_from_value(s->dtype, s->value).center;
        } else {
            long double x[3] = {0, 0, 0};
            for (int k = 0; k < fsr_op_get(s->op)->arity; k++)
                x[k] = value[s->arg[k]];
            value[i] = fsr_ball_center(s->op, s->compute, s->dtype, x);
        }
    }
    for (int i = 0; i < r->nresults; i++)
        out[i] = value[r->result[i]];
}

/* What the body makes of the centres with argument k moved by its radius (up: +, down: -), and l too unless l == k. */
static void moved(const body *known, const body *whole, int k, int l, bool down, long double *out) {
    const fsr_combine *c = known->combine;
    long double arg[2 * FSR_MAX_TUPLE];
    for (int i = 0; i < 2 * c->arity; i++)
        arg[i] = known->arg[i].center;
    arg[k] += whole->arg[k].radius;
    if (l != k || down)
        arg[l] += (down ? -1 : 1) * (l == k ? 2 : 1) * (long double)whole->arg[l].radius;
    fsr_ref_combine_centers(c, arg, out);
}

static double finite_or_inf(long double change) {
    return isfinite(change) ? (double)change : INFINITY;
}

/* A radius beside which the centre does not vanish: in a product, what another argument's move changes then covers what
 * both moves together change. */
static bool is_small(fsr_ball x) {
    return x.radius <= 0x1p-10 * (double)fabsl(x.center);
}

/* Adds to radius what moving argument k both ways changes, and what moving k together with each later argument changes
 * beyond the two moves alone (0 +- 1 times 0 +- 1: nothing alone, 1 together). */
static void move(const body *known, const body *whole, int k, double *radius) {
    const int n = known->combine->arity;
    long double up[FSR_MAX_TUPLE], down[FSR_MAX_TUPLE], other[FSR_MAX_TUPLE], both[FSR_MAX_TUPLE];
    moved(known, whole, k, k, false, up);
    moved(known, whole, k, k, true, down);
    for (int i = 0; i < n; i++) {
        long double center = known->out[i].center;
        radius[i] += finite_or_inf(fmaxl(fabsl(up[i] - center), fabsl(down[i] - center)));
    }
    for (int l = k + 1; l < 2 * n && !is_small(whole->arg[k]); l++) {
        if (is_small(whole->arg[l]))
            continue;
        moved(known, whole, l, l, false, other);
        moved(known, whole, k, l, false, both);
        for (int i = 0; i < n; i++)
            radius[i] += finite_or_inf(fabsl(both[i] - up[i] - other[i] + known->out[i].center));
    }
}

/* The radii by these moves; `whole` is the plain evaluation, which stands where it is better. */
static void refine(const body *whole, fsr_ball *out) {
    const int n = whole->combine->arity;
    double radius[FSR_MAX_TUPLE];
    body known = *whole;
    for (int k = 0; k < 2 * n; k++)
        known.arg[k].radius = fsr_ball_unsigned(whole->arg[k]) ? -0.0 : 0;
    evaluate(&known);
    for (int i = 0; i < n; i++)
        radius[i] = known.out[i].radius;
    for (int k = 0; k < 2 * n; k++)
        if (whole->arg[k].radius != 0)
            move(&known, whole, k, radius);
    for (int i = 0; i < n; i++)
        if (radius[i] * SMALL_MOVES < whole->out[i].radius && isfinite(known.out[i].center))
            out[i] = fsr_ball_real(known.out[i].center, radius[i] * SMALL_MOVES);
}

/* Disks are not moved: the plain evaluation stands. */
bool fsr_ref_has_complex(const fsr_combine *c) {
    for (int i = 0; i < c->body.ninsts; i++)
        if (fsr_dtype_is_complex(c->body.inst[i].dtype) || fsr_dtype_is_complex(c->body.inst[i].compute))
            return true;
    return false;
}

static void combine_values(const fsr_combine *c, fsr_ball *out, const fsr_ball *left, const fsr_ball *right) {
    fsr_value l[FSR_MAX_TUPLE], r[FSR_MAX_TUPLE];
    double none;
    for (int i = 0; i < c->arity; i++) {
        l[i] = fsr_ball_round(fsr_combine_dtype(c, i), &left[i], &none);
        r[i] = fsr_ball_round(fsr_combine_dtype(c, i), &right[i], &none);
    }
    fsr_combine_eval(c, l, l, r);
    for (int i = 0; i < c->arity; i++)
        out[i] = fsr_ball_from_value(fsr_combine_dtype(c, i), l[i]);
}

void fsr_ref_combine(const fsr_combine *c, bool selects, fsr_ball *out, const fsr_ball *left, const fsr_ball *right) {
    bool known = true, possible = true, sign = true;
    for (int i = 0; i < c->arity; i++) {
        known = known && left[i].radius == 0 && right[i].radius == 0;
        possible = possible && !isinf(left[i].radius) && !isinf(right[i].radius);
        sign = sign && !fsr_ball_unsigned(left[i]) && !fsr_ball_unsigned(right[i]);
    }
    if (known && sign && selects) {
        combine_values(c, out, left, right);
        return;
    }
    body whole;
    whole.combine = c;
    whole.jumps = false;
    fsr_balls_copy(whole.arg, left, c->arity);
    fsr_balls_copy(whole.arg + c->arity, right, c->arity);
    evaluate(&whole);
    fsr_balls_copy(out, whole.out, c->arity);
    if (!known && possible && !whole.jumps && !selects && !fsr_ref_has_complex(c))
        refine(&whole, out);
}
