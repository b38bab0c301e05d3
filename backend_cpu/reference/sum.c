/* SPDX-License-Identifier: MIT */
/* Sums and products.
 *
 * Sum of x_i by a tree of depth d: every rounding error is at most u times a partial sum, and each |x_i| is part of at
 * most d partial sums, so the error is at most d u sum |x_i|. The centre is summed in long double with compensation
 * (Neumaier). Known integers whose magnitudes add up to 2^24 (2^53) at most are added without any error, in any order.
 * Product: n - 1 roundings whatever the order, each relative to the whole: (1 + u)^(n-1) - 1.
 * Overflow depends on the order: MAX + MAX - MAX is inf or MAX. So where some subset's sum (product) may overflow, the
 * result is unknown, unless all elements pull the same way and the whole overflows for certain. An infinity among them
 * stays one where what pulls the other way is finite for certain. Likewise for underflow in products.
 * A sum of nothing but -0 is -0, or +0 where a backend starts from +0; any other exact sum that is 0 is +0. A product
 * has the sign of its factors, zeros too. */
#include "backend_cpu/reference/sum.h"
#include <math.h>

#define SLACK 1.01

/* A finite number is an integer: one that is too large for an int64_t has no fraction. */
static bool whole(long double x) {
    return fabsl(x) >= 0x1p63L || (long double)(int64_t)x == x;
}

void fsr_ref_sum_add(fsr_ref_sum *s, long double center, double radius) {
    s->n++;
    if (isinf(radius)) {
        s->unknown = true;
        return;
    }
    if (!isfinite(center)) {
        s->nan = s->nan || isnan(center);
        s->plus = s->plus || (isinf(center) && center > 0);
        s->minus = s->minus || (isinf(center) && center < 0);
        return;
    }
    long double sum = s->sum + center;
    s->lost += fabsl(s->sum) >= fabsl(center) ? (s->sum - sum) + center : (center - sum) + s->sum;
    s->sum = sum;
    s->magnitude += fabsl(center) + radius;
    s->radius += radius;
    s->above = s->above || center + radius > 0;
    s->below = s->below || center - radius < 0;
    s->positive = s->positive || center != 0 || !(signbit(center) || (radius == 0 && signbit(radius)));
    s->fraction = s->fraction || radius != 0 || !whole(center);
}

fsr_ball fsr_ref_sum_get(const fsr_ref_sum *s, fsr_dtype dtype, double depth) {
    if (s->nan || (s->plus && s->minus))
        return fsr_ball_real(NAN, 0);
    const double relative = SLACK * expm1(depth * fsr_ball_unit(dtype));
    const bool overflow = s->magnitude * (1 + relative) >= fsr_ball_limit(dtype);
    if (s->unknown || (overflow && ((s->plus && s->below) || (s->minus && s->above))))
        return fsr_ball_unknown(dtype);
    if (s->plus || s->minus)
        return fsr_ball_real(s->plus ? INFINITY : -INFINITY, 0);
    if (overflow && s->above && s->below)
        return fsr_ball_unknown(dtype);
    long double center = s->sum + s->lost;
    if (!s->fraction && s->magnitude <= fsr_ball_integers(dtype))
        return s->positive || s->n == 0 ? fsr_ball_real(center, 0) : fsr_ball_unsign(fsr_ball_real(center, 0));
    return fsr_ball_settle(dtype, center, (double)(s->radius + relative * s->magnitude));
}

fsr_ball fsr_ref_sum_complex(fsr_ball re, fsr_ball im) {
    const double radius = hypot(re.radius, im.radius);
    return (fsr_ball){re.center, radius == 0 && (signbit(re.radius) || signbit(im.radius)) ? -0.0 : radius, im.center};
}

void fsr_ref_product_add(fsr_ref_product *p, const fsr_ball *x) {
    if (p->n++ == 0)
        p->center = 1;
    if (isinf(x->radius) || isnan(x->center) || isinf(x->center)) {
        p->unknown = p->unknown || isinf(x->radius);
        p->nan = p->nan || isnan(x->center);
        p->infinite = p->infinite || isinf(x->center);
        p->negative ^= x->center < 0;
        return;
    }
    p->negative ^= signbit(x->center) != 0;
    p->unsign = p->unsign || fsr_ball_unsigned(*x);
    p->fraction = p->fraction || x->radius != 0 || !whole(x->center);
    if (x->center == 0 && x->radius == 0) {
        p->zero = true;
        return;
    }
    long double size = fabsl(x->center);
    p->radius = fabsl(p->center) * x->radius + size * p->radius + x->radius * p->radius;
    p->center *= x->center;
    p->up += fmax(0, log2((double)(size + x->radius)));
    p->straddle = p->straddle || size <= x->radius;
    if (size > x->radius) {
        p->down += fmin(0, log2((double)(size - x->radius)));
        p->log += log2((double)size);
    }
}

fsr_ball fsr_ref_product_get(const fsr_ref_product *p, fsr_dtype dtype) {
    int above;
    frexpl(fsr_ball_limit(dtype), &above);
    const double highest = above - 1, lowest = log2(fsr_ball_ulp(dtype, 0) / (2 * fsr_ball_unit(dtype)));
    const double rounding = SLACK * (double)(p->n - 1) * fsr_ball_unit(dtype);
    const double slop = 0.01 + 1.5 * rounding;
    const bool overflow = p->up + slop >= highest, underflow = p->straddle || p->down - slop <= lowest;
    const long double sign = p->negative ? -1 : 1;
    if (p->nan || (p->infinite && p->zero))
        return fsr_ball_real(NAN, 0);
    if (p->unknown || (p->infinite && underflow))
        return fsr_ball_unknown(dtype);
    if (p->infinite)
        return fsr_ball_real(sign * INFINITY, 0);
    if (overflow) {
        bool certain = !underflow && !p->zero && p->log - slop > highest + 1 && p->radius <= 0.5L * fabsl(p->center);
        return certain ? fsr_ball_real(sign * INFINITY, 0) : fsr_ball_unknown(dtype);
    }
    if (p->zero)
        return p->unsign || p->straddle ? fsr_ball_unsign(fsr_ball_real(0, 0)) : fsr_ball_real(sign * 0, 0);
    if (!p->fraction && p->up <= log2((double)fsr_ball_integers(dtype)))
        return fsr_ball_real(p->center, 0);
    long double radius = p->radius + (fabsl(p->center) + p->radius) * expm1(rounding);
    if (underflow)
        radius += (long double)p->n * fsr_ball_ulp(dtype, 0) * exp2l(p->up);
    return fsr_ball_settle(dtype, p->center, (double)radius);
}
