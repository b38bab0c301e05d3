/* SPDX-License-Identifier: MIT */
/* Plain values of folds.
 *
 * A float sum is added up in long double with compensation (Neumaier), parts of complex numbers apart, a float product
 * in long double; either is rounded once, when it is asked for. Every other operator is evaluated in the dtypes of its
 * state, rounded at every step, as its meaning is (docs/semantics.md), in an order that a backend could have:
 * reductions by a tree of neighbours, scans in strips of 512, each from its own first element, and what lies before the
 * strip is its left operand; a sequential operator is evaluated from the identity on, element by element.
 * Counter-example to one serial chain: 2^24 ones, added one by one in f32, stay 16777216, and a running Welford mean of
 * 10^6 numbers is further from the truth than any backend may be. */
#include "backend_cpu/reference/plain.h"
#include "backend_cpu/reference/ball.h"
#include <math.h>
#include <string.h>

enum { STRIP = 512 };

static bool adds_up(const fsr_combine *c) {
    return c->builtin && c->op == FSR_OP_ADD && fsr_dtype_is_inexact(fsr_combine_dtype(c, 0));
}

static bool multiplies(const fsr_combine *c) {
    return c->builtin && c->op == FSR_OP_MUL && fsr_dtype_is_float(fsr_combine_dtype(c, 0));
}

void fsr_ref_plain_start(fsr_ref_plain *p, const fsr_combine *combine, bool scan) {
    p->combine = combine;
    p->scan = scan;
    p->n = 0;
    memset(p->part, 0, sizeof p->part);
}

/* The first number starts the sum, so that nothing but -0 is -0. */
static void add_part(fsr_ref_plain_sum *s, long double x, bool first) {
    if (first)
        *s = (fsr_ref_plain_sum){.sum = isfinite(x) ? x : 0, .odd = isfinite(x) ? 0 : x};
    if (first || !isfinite(x)) {
        s->odd += first ? 0 : x;
        return;
    }
    long double sum = s->sum + x;
    s->lost += fabsl(s->sum) >= fabsl(x) ? (s->sum - sum) + x : (x - sum) + s->sum;
    s->sum = sum;
}

static long double part_of(const fsr_ref_plain_sum *s) {
    long double sum = s->lost != 0 ? s->sum + s->lost : s->sum;
    return s->odd != 0 ? s->odd : sum;
}

static void push_tree(fsr_ref_plain *p, const fsr_value *x) {
    const int n = p->combine->arity;
    fsr_value carry[FSR_MAX_TUPLE];
    int level = 0;
    fsr_values_copy(carry, x, n);
    for (; p->n >> level & 1; level++)
        fsr_combine_eval(p->combine, carry, p->stack[level], carry);
    fsr_values_copy(p->stack[level], carry, n);
}

static void push_strip(fsr_ref_plain *p, const fsr_value *x) {
    const int n = p->combine->arity;
    if (p->combine->sequential) {
        if (p->n == 0)
            fsr_values_copy(p->strip, p->combine->identity, n);
        fsr_combine_eval(p->combine, p->strip, p->strip, x);
        return;
    }
    if (p->n % STRIP != 0) {
        fsr_combine_eval(p->combine, p->strip, p->strip, x);
        return;
    }
    if (p->n == STRIP)
        fsr_values_copy(p->carry, p->strip, n);
    else if (p->n > 0)
        fsr_combine_eval(p->combine, p->carry, p->carry, p->strip);
    fsr_values_copy(p->strip, x, n);
}

void fsr_ref_plain_push(fsr_ref_plain *p, const fsr_value *x) {
    const fsr_dtype dtype = fsr_combine_dtype(p->combine, 0);
    if (adds_up(p->combine)) {
        fsr_ball number = fsr_ball_from_value(dtype, x[0]);
        add_part(&p->part[0], number.center, p->n == 0);
        add_part(&p->part[1], number.imag, p->n == 0);
    } else if (multiplies(p->combine)) {
        long double factor = fsr_ball_from_value(dtype, x[0]).center;
        p->product = p->n == 0 ? factor : p->product * factor;
    } else if (p->scan) {
        push_strip(p, x);
    } else {
        push_tree(p, x);
    }
    p->n++;
}

static void tree_of(const fsr_ref_plain *p, fsr_value *out) {
    bool first = true;
    for (int level = 0; level < FSR_REF_PLAIN_LEVELS - 1; level++) {
        if (!(p->n >> level & 1))
            continue;
        if (first)
            fsr_values_copy(out, p->stack[level], p->combine->arity);
        else
            fsr_combine_eval(p->combine, out, p->stack[level], out);
        first = false;
    }
}

void fsr_ref_plain_get(const fsr_ref_plain *p, fsr_value *out) {
    const fsr_combine *c = p->combine;
    if (p->n == 0)
        fsr_values_copy(out, c->identity, c->arity);
    else if (adds_up(c))
        out[0] = fsr_ball_center_value(fsr_combine_dtype(c, 0),
                                       &(fsr_ball){.center = part_of(&p->part[0]), .imag = part_of(&p->part[1])});
    else if (multiplies(c))
        out[0] = fsr_ball_value(fsr_combine_dtype(c, 0), p->product);
    else if (!p->scan)
        tree_of(p, out);
    else if (p->n > STRIP && !c->sequential)
        fsr_combine_eval(c, out, p->carry, p->strip);
    else
        fsr_values_copy(out, p->strip, c->arity);
}
