/* SPDX-License-Identifier: MIT */
/* Ball arithmetic of a caller's function: its compiled C text at the centre and at the corners of the operands'
 * intervals.
 *
 * Known operands give one result, and the bound that the caller stated around it. Of others nothing but values is
 * known of the function, so the corners stand for the interval, as for ops that are monotone in each operand; the
 * intervals are a few units wide, and what bends inside them is told by the centre, which is a corner's neighbour. A
 * function that jumps up and down between neighbouring floats is beyond that: its corners differ, but what lies
 * between may differ more. NaN or an infinity at one corner and not at another: unknown. So is a complex operand that
 * is not known. */
#include "backend_cpu/reference/call.h"
#include <math.h>

/* What a backend may hold of operand x, corner 0 or 1. */
static fsr_value corner_of(fsr_dtype dtype, fsr_ball x, int corner) {
    if (fsr_dtype_is_complex(dtype))
        return fsr_value_from_complex(dtype, (fsr_c128){(double)x.center, (double)x.imag});
    if (fsr_ball_unsigned(x))
        return fsr_ball_value(dtype, corner ? -0.0L : 0.0L);
    if (dtype == FSR_BOOL)
        return fsr_ball_value(dtype, corner ? x.center == 0 : x.center);
    return fsr_ball_value(dtype, x.center + (corner ? 1 : -1) * (long double)x.radius);
}

static bool is_known(fsr_ball x) {
    return x.radius == 0 && !fsr_ball_unsigned(x);
}

static bool is_hopeless(const fsr_routine *f, const fsr_ball *x) {
    for (int i = 0; i < f->nparams; i++)
        if (isinf(x[i].radius) || (fsr_dtype_is_complex(f->dtype[i]) && !is_known(x[i])))
            return true;
    return false;
}

/* The distance of two results; INFINITY if only one of them is finite, or is NaN. */
static double between(fsr_ball a, fsr_ball b) {
    if (isnan(a.center) && isnan(b.center))
        return 0;
    if (a.center == b.center && a.imag == b.imag)
        return 0;
    long double d = hypotl(a.center - b.center, a.imag - b.imag);
    return isfinite(d) ? (double)d : INFINITY;
}

/* How far the result at any corner is from that at the centre. */
static double reach(const fsr_routine *f, const fsr_ball *x, fsr_ball center) {
    fsr_value in[FSR_MAX_NATIVE];
    double most = 0;
    for (unsigned corner = 0; corner < 1u << f->nparams; corner++) {
        bool new = true;
        for (int i = 0; i < f->nparams; i++) {
            in[i] = is_known(x[i]) ? corner_of(f->dtype[i], (fsr_ball){.center = x[i].center, .imag = x[i].imag}, 0)
                                   : corner_of(f->dtype[i], x[i], corner >> i & 1);
            new = new && !(is_known(x[i]) && (corner >> i & 1));
        }
        if (new)
            most = fmax(most, between(fsr_ball_from_value(f->result, fsr_routine_eval(f, in, NULL)), center));
    }
    return most;
}

/* The bound that the caller stated. */
static double own_error(const fsr_routine *f, fsr_ball value) {
    if (!fsr_dtype_is_inexact(f->result) || !isfinite(value.center) || !isfinite(value.imag))
        return 0;
    return f->ulp * fsr_ball_ulp(f->result, hypotl(value.center, value.imag));
}

/* A result, and what its operands and the caller's bound leave open around it. */
static fsr_ball around(const fsr_routine *f, fsr_ball out, double radius) {
    if (f->result == FSR_BOOL)
        return (fsr_ball){.center = out.center, .radius = radius ? 1 : 0};
    if (isinf(radius))
        return fsr_ball_unknown(f->result);
    radius += own_error(f, out);
    return fsr_dtype_is_complex(f->result) ? fsr_ball_settle_complex(f->result, out.center, out.imag, radius)
                                           : fsr_ball_settle(f->result, out.center, radius);
}

fsr_ball fsr_ball_call(const fsr_routine *f, const fsr_ball *x) {
    fsr_value in[FSR_MAX_NATIVE] = {{.bits = 0}};
    bool known = true;
    if (is_hopeless(f, x))
        return fsr_ball_unknown(f->result);
    for (int i = 0; i < f->nparams; i++) {
        in[i] = corner_of(f->dtype[i], (fsr_ball){.center = x[i].center, .imag = x[i].imag}, 0);
        known = known && is_known(x[i]);
    }
    fsr_ball out = fsr_ball_from_value(f->result, fsr_routine_eval(f, in, NULL));
    return around(f, out, known ? 0 : reach(f, x, out));
}

fsr_ball fsr_ball_call_known(const fsr_routine *f, const fsr_value *x, const fsr_routine_array *arrays) {
    return around(f, fsr_ball_from_value(f->result, fsr_routine_eval(f, x, arrays)), 0);
}
