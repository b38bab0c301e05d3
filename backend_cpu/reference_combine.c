/* One step of a fold's operator on states with error radii.
 *
 * The operator's body is evaluated in ball arithmetic. That alone explodes: the mean of two halves, a + (b - a) / 2, gets the
 * radius 2r from two radii r, since the two a are taken for independent; 17 levels of a tree make 10^5 r of it. So the radii
 * of the two states are carried through the body as a whole: each component is moved by its radius, the others held, and the
 * changes of the results are added up (first order; here r/2 + r/2); the body's own roundings are added from a ball evaluation
 * on states that are taken as known. Where a comparison inside is unknown (two values of an argmax tie within their radii) the body
 * is not smooth and the plain ball evaluation stands, which covers both branches. */
#include "backend_cpu/reference_fold.h"
#include <math.h>
#include <string.h>

bool fsr_ref_selects(const fsr_combine *c) {
    for (int i = 0; i < c->nsteps; i++) {
        const fsr_step *s = &c->step[i];
        bool floating = fsr_dtype_is_float(s->compute) || fsr_dtype_is_float(s->dtype);
        if (s->kind == FSR_STEP_OP && floating && !fsr_ball_selects(s->op))
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

static bool jump(const fsr_step *s, fsr_ball x) {
    if (x.radius == 0)
        return false;
    return !fsr_dtype_is_float(s->dtype) || s->op == FSR_OP_FLOOR || s->op == FSR_OP_CEIL;
}

static void evaluate(body *b) {
    const fsr_combine *c = b->combine;
    fsr_ball value[FSR_MAX_STEPS];
    for (int i = 0; i < c->nsteps; i++) {
        const fsr_step *s = &c->step[i];
        if (s->kind == FSR_STEP_ARG) {
            value[i] = b->arg[s->index];
        } else if (s->kind == FSR_STEP_CONST) {
            value[i] = fsr_ball_from_value(s->dtype, s->value);
        } else {
            fsr_ball x[3] = {{0, 0}, {0, 0}, {0, 0}};
            for (int k = 0; k < fsr_op_get(s->op)->arity; k++)
                x[k] = value[s->arg[k]];
            value[i] = fsr_ball_op(s->op, s->compute, s->dtype, x, FSR_BALL_FOLD);
            b->jumps = b->jumps || jump(s, value[i]);
        }
    }
    for (int i = 0; i < c->arity; i++)
        b->out[i] = value[c->result[i]];
}

/* Adds to radius what moving argument k both ways changes. */
static void move(const body *known, int k, double by, double *radius) {
    body up = *known, down = *known;
    up.arg[k].center += by;
    down.arg[k].center -= by;
    evaluate(&up);
    evaluate(&down);
    for (int i = 0; i < known->combine->arity; i++) {
        long double center = known->out[i].center;
        long double change = fmaxl(fabsl(up.out[i].center - center), fabsl(down.out[i].center - center));
        bool lost = isinf(up.out[i].radius) || isinf(down.out[i].radius) || !isfinite(change);
        radius[i] += lost ? INFINITY : (double)change;
    }
}

/* The radii by first order; `whole` is the plain evaluation, which stands where it is better. */
static void refine(const body *whole, fsr_ball *out) {
    const int n = whole->combine->arity;
    double radius[FSR_MAX_TUPLE];
    body known = *whole;
    for (int k = 0; k < 2 * n; k++)
        known.arg[k].radius = 0;
    evaluate(&known);
    for (int i = 0; i < n; i++)
        radius[i] = known.out[i].radius;
    for (int k = 0; k < 2 * n; k++)
        if (whole->arg[k].radius != 0)
            move(&known, k, whole->arg[k].radius, radius);
    for (int i = 0; i < n; i++)
        if (radius[i] < whole->out[i].radius && isfinite(known.out[i].center))
            out[i] = (fsr_ball){known.out[i].center, radius[i]};
}

void fsr_ref_combine(const fsr_combine *c, fsr_ball *out, const fsr_ball *left, const fsr_ball *right) {
    body whole = {.combine = c};
    bool known = true, possible = true;
    for (int i = 0; i < c->arity; i++) {
        whole.arg[i] = left[i];
        whole.arg[c->arity + i] = right[i];
    }
    for (int k = 0; k < 2 * c->arity; k++) {
        known = known && whole.arg[k].radius == 0;
        possible = possible && !isinf(whole.arg[k].radius);
    }
    evaluate(&whole);
    memcpy(out, whole.out, (size_t)c->arity * sizeof *out);
    if (!known && possible && !whole.jumps && !fsr_ref_selects(c))
        refine(&whole, out);
}
