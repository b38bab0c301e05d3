/* SPDX-License-Identifier: MIT */
/* Balls: formats of the dtypes, how balls are made and rounded, and what an op gives of known operands. Ops on balls
 * are ball_op.c's. */
#include "backend_cpu/reference/ball.h"
#include "backend_cpu/reference/rules.h"
#include <float.h>
#include <math.h>

/* What the float dtypes are: digits of the significand, the exponent (frexp's) of the least normal number, and what
 * rounds to infinity. */
typedef struct format {
    int digits, lowest;
    long double limit;
} format;

static format format_of(fsr_dtype dtype) {
    switch (dtype) {
    case FSR_F16: return (format){11, -13, 65520};
    case FSR_BF16: return (format){8, FLT_MIN_EXP, 0x1.ffp127L};
    case FSR_F32: return (format){FLT_MANT_DIG, FLT_MIN_EXP, 0x1.ffffffp127L};
    default: return (format){DBL_MANT_DIG, DBL_MIN_EXP, 0x1.fffffffffffff8p1023L};
    }
}

static bool is_narrow(fsr_dtype dtype) {
    return dtype == FSR_F32 || fsr_dtype_is_half(dtype);
}

double fsr_ball_unit(fsr_dtype dtype) {
    const fsr_value v = {.bits = (uint64_t)(1023 - format_of(fsr_dtype_real(dtype)).digits) << 52};
    return v.f64;
}

long double fsr_ball_limit(fsr_dtype dtype) {
    return format_of(fsr_dtype_real(dtype)).limit;
}

long double fsr_ball_integers(fsr_dtype dtype) {
    return (long double)(INT64_C(1) << format_of(fsr_dtype_real(dtype)).digits);
}

/* From the exponent's bits: this runs for every op on every element. */
double fsr_ball_ulp(fsr_dtype dtype, long double x) {
    const format f = format_of(fsr_dtype_real(dtype));
    const int digits = f.digits, lowest = f.lowest;
    fsr_value v = {.f64 = (double)x};
    int exponent = (int)(v.bits >> 52 & 2047) - 1022;
    int power = (exponent > lowest ? exponent : lowest) - digits;
    if (power < DBL_MIN_EXP)
        return ldexp(1.0, power);
    v.bits = (uint64_t)(power + 1023) << 52;
    return v.f64;
}

bool fsr_ball_holds(fsr_dtype to, fsr_dtype from) {
    const format f = format_of(from), t = format_of(to);
    return t.digits >= f.digits && t.lowest <= f.lowest;
}

/* ---- making and rounding --------------------------------------------------------------------- */

fsr_ball fsr_ball_from_value(fsr_dtype dtype, fsr_value value) {
    if (fsr_dtype_is_complex(dtype)) {
        fsr_c128 z = fsr_value_to_complex(dtype, value);
        return (fsr_ball){z.re, 0, z.im};
    }
    if (dtype == FSR_I64)
        return fsr_ball_real((long double)value.i64, 0);
    if (dtype == FSR_U64)
        return fsr_ball_real((long double)value.u64, 0);
    return fsr_ball_real(fsr_value_to_double(dtype, value), 0);
}

fsr_ball fsr_ball_unknown(fsr_dtype dtype) {
    return fsr_ball_real(0, dtype == FSR_BOOL ? 1 : INFINITY);
}

fsr_value fsr_ball_value(fsr_dtype dtype, long double x) {
    if (dtype == FSR_F32)
        return fsr_value_from_float((float)x);
    if (dtype == FSR_U64)
        return fsr_value_from_unsigned(dtype, (uint64_t)x);
    return fsr_dtype_is_float(dtype) ? fsr_value_from_double(dtype, (double)x) : fsr_value_from_int(dtype, (int64_t)x);
}

static fsr_value round_complex(fsr_dtype dtype, const fsr_ball *x, double *bound) {
    fsr_value value = fsr_ball_center_value(dtype, x);
    fsr_ball rounded = fsr_ball_from_value(dtype, value);
    double moved = (double)hypotl(rounded.center - x->center, rounded.imag - x->imag);
    *bound = x->radius + (x->radius > 0 && isfinite(moved) ? moved : 0);
    return value;
}

fsr_value fsr_ball_round(fsr_dtype dtype, const fsr_ball *x, double *bound) {
    if (fsr_dtype_is_complex(dtype))
        return round_complex(dtype, x, bound);
    fsr_value value = fsr_ball_value(dtype, x->center);
    *bound = x->radius;
    if (x->radius > 0)
        *bound += (double)fabsl(fsr_ball_from_value(dtype, value).center - x->center);
    return value;
}

void fsr_ball_range(fsr_dtype dtype, long double *low, long double *high) {
    const int bits = dtype == FSR_BOOL ? 1 : 8 * (int)fsr_dtype_size(dtype);
    const bool sign = dtype != FSR_BOOL && !fsr_dtype_is_unsigned(dtype);
    const uint64_t most = UINT64_MAX >> (64 - bits + sign);
    *low = sign ? -(long double)most - 1 : 0;
    *high = (long double)most;
}

fsr_ball fsr_ball_settle(fsr_dtype dtype, long double center, double radius) {
    if (isnan(radius) || isinf(radius))
        return fsr_ball_unknown(dtype);
    if (!fsr_dtype_is_float(dtype)) {
        long double low, high;
        fsr_ball_range(dtype, &low, &high);
        if (dtype != FSR_BOOL && (center - radius < low || center + radius > high))
            return fsr_ball_unknown(dtype);
        return fsr_ball_real(center, radius);
    }
    if (isnan(center) || isinf(center))
        return fsr_ball_real(center, 0);
    long double limit = fsr_ball_limit(dtype);
    if (fabsl(center) - radius >= limit)
        return fsr_ball_real(copysignl(INFINITY, center), 0);
    if (fabsl(center) + radius >= limit)
        return fsr_ball_unknown(dtype);
    return fsr_ball_real(center, radius);
}

long double fsr_ball_wide(fsr_op op, fsr_dtype compute, const long double *x) {
    if (is_narrow(compute))
        return fsr_op_ref_double(op, (double)x[0], (double)x[1], (double)x[2]);
    return fsr_op_ref_wide(op, x[0], x[1], x[2]);
}

fsr_ball fsr_ball_known(fsr_op op, fsr_dtype compute, fsr_dtype result, const fsr_ball *x) {
    const fsr_op_info *info = fsr_op_get(op);
    fsr_value args[3] = {{.bits = 0}};
    for (int i = 0; i < info->arity; i++)
        args[i] = fsr_ball_value(info->rule == FSR_RULE_SELECT && i == 0 ? FSR_BOOL : compute, x[i].center);
    return fsr_ball_from_value(result, fsr_op_eval(op, compute, result, args));
}

bool fsr_ball_gives_value(fsr_op op, fsr_dtype compute, fsr_dtype result) {
    const fsr_op_info *info = fsr_op_get(op);
    return compute == result && (compute == FSR_F32 || compute == FSR_F64) && info->rule != FSR_RULE_CAST &&
           !(info->flags & FSR_OP_EXACT);
}

long double fsr_ball_center(fsr_op op, fsr_dtype compute, fsr_dtype result, const long double *x) {
    const fsr_rule rule = fsr_op_get(op)->rule;
    if (fsr_dtype_is_float(compute) && rule != FSR_RULE_CAST)
        return fsr_op_ref_wide(op, x[0], x[1], x[2]);
    if (rule == FSR_RULE_CAST && fsr_dtype_is_float(compute) && fsr_dtype_is_float(result))
        return x[0];
    return fsr_ball_known(op, compute, result,
                          (fsr_ball[3]){fsr_ball_real(x[0], 0), fsr_ball_real(x[1], 0), fsr_ball_real(x[2], 0)})
        .center;
}
