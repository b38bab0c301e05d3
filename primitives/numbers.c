/* SPDX-License-Identifier: MIT */
/* Elementwise functions that are a few operations of the table: around, divmod, modf, nan_to_num, isclose, sinc.
 *
 * Each records ordinary nodes, so it fuses as they do. NumPy's own steps, in its order, so that the bits are its as
 * well; but sinc of 0 is 1 where NumPy divides by a small number instead, which f16 does not have.
 * Counter-example to around by one rounding of x * 10^d: of integers and negative d NumPy goes by f64 and lets the
 * result wrap, so 127 of i8 rounded to tens is -126. */
#include "graph/floats.h"
#include "primitives/primitives.h"
#include <float.h>
#include <math.h>

/* ---- around -------------------------------------------------------------------------------------------- */

/* 10^n; infinite beyond 308. */
static double power_of_ten(int64_t n) {
    double power = 1;
    for (int64_t i = 0; i < n && isfinite(power); i++)
        power *= 10;
    return power;
}

/* decimals is not 0, x no integer. */
static fsr_node scaled_round(fsr_site at, fsr_node x, int decimals) {
    fsr_node by = fsr_float_at(at, x.graph, power_of_ten(decimals < 0 ? -(int64_t)decimals : decimals));
    if (decimals > 0)
        return fsr_div_at(at, fsr_round_at(at, fsr_mul_at(at, x, by)), by);
    return fsr_mul_at(at, fsr_round_at(at, fsr_div_at(at, x, by)), by);
}

/* Back by way of i64, so that what does not fit wraps; a u64 may be larger than that. */
static fsr_node whole_round(fsr_site at, fsr_node x, int decimals) {
    const fsr_dtype dtype = fsr_node_dtype(x);
    x = scaled_round(at, fsr_convert(at, x, FSR_F64, false), decimals);
    if (dtype != FSR_U64)
        x = fsr_node_sound(x) ? fsr_convert(at, x, FSR_I64, false) : x;
    return fsr_node_sound(x) ? fsr_convert(at, x, dtype, false) : x;
}

fsr_node fsr_around_at(fsr_site at, fsr_node x, int decimals) {
    FSR_DEFAULT_FLOATS;
    fsr_node poison;
    fsr_graph *g;
    if (fsr_poison_of_any(at, "around", &x, 1, &g, &poison))
        return poison;
    if (decimals == 0)
        return fsr_round_at(at, x);
    switch (fsr_dtype_class(fsr_node_dtype(x))) {
    case FSR_CLASS_BOOL: return fsr_poison(g, at, FSR_ERR_DTYPE, "around", "%s has no decimals", fsr_say(x).text);
    case FSR_CLASS_INT: return decimals > 0 ? x : whole_round(at, x, decimals);
    case FSR_CLASS_COMPLEX:
        return fsr_complex_of_at(at, scaled_round(at, fsr_real_at(at, x), decimals),
                                 scaled_round(at, fsr_imag_at(at, x), decimals));
    default: return scaled_round(at, x, decimals);
    }
}

/* ---- two results ----------------------------------------------------------------------------------------- */

void fsr_divmod_at(fsr_site at, fsr_node a, fsr_node b, fsr_node *quotient, fsr_node *remainder) {
    if (quotient)
        *quotient = fsr_floor_divide_at(at, a, b);
    if (remainder)
        *remainder = fsr_mod_at(at, a, b);
}

/* The fraction has x's sign, also where it is 0. */
void fsr_modf_at(fsr_site at, fsr_node x, fsr_node *fraction, fsr_node *whole) {
    fsr_node all = x, part = x;
    fsr_graph *g;
    if (!fsr_poison_of_any(at, "modf", &x, 1, &g, &all)) {
        x = fsr_convert(at, x, fsr_float_dtype(fsr_node_dtype(x)), false);
        all = fsr_trunc_at(at, x);
        fsr_node rest = fsr_where_at(at, fsr_isinf_at(at, x), fsr_float_at(at, g, 0), fsr_sub_at(at, x, all));
        part = fsr_copysign_at(at, rest, x);
    }
    if (fraction)
        *fraction = fsr_node_sound(all) ? part : all;
    if (whole)
        *whole = all;
}

/* ---- infinities and NaN ---------------------------------------------------------------------------------- */

static double greatest(fsr_dtype dtype) {
    switch (dtype) {
    case FSR_F16: return 65504;
    case FSR_BF16: return 0x1.fep+127;
    case FSR_F32: return (double)FLT_MAX;
    default: return DBL_MAX;
    }
}

static fsr_node replaced(fsr_site at, fsr_node x, double nan, const double *posinf, const double *neginf) {
    const double most = greatest(fsr_node_dtype(x));
    fsr_graph *g = x.graph;
    fsr_node high = fsr_float_at(at, g, posinf ? *posinf : most), low = fsr_float_at(at, g, neginf ? *neginf : -most);
    fsr_node y = fsr_where_at(at, fsr_isnan_at(at, x), fsr_float_at(at, g, nan), x);
    y = fsr_where_at(at, fsr_equal_at(at, x, fsr_float_at(at, g, INFINITY)), high, y);
    return fsr_where_at(at, fsr_equal_at(at, x, fsr_float_at(at, g, -INFINITY)), low, y);
}

fsr_node fsr_nan_to_num_at(fsr_site at, fsr_node x, double nan, const double *posinf, const double *neginf) {
    fsr_node poison;
    fsr_graph *g;
    if (fsr_poison_of_any(at, "nan_to_num", &x, 1, &g, &poison))
        return poison;
    x = fsr_strong(at, x);
    if (!fsr_node_sound(x) || !fsr_dtype_has_nan(fsr_node_dtype(x)))
        return x;
    if (!fsr_dtype_is_complex(fsr_node_dtype(x)))
        return replaced(at, x, nan, posinf, neginf);
    fsr_node re = fsr_real_at(at, x), im = fsr_imag_at(at, x);
    if (!fsr_node_sound(re) || !fsr_node_sound(im))
        return fsr_node_sound(re) ? im : re;
    return fsr_complex_of_at(at, replaced(at, re, nan, posinf, neginf), replaced(at, im, nan, posinf, neginf));
}

/* b as a float, so that the distance is none that wraps; a literal stays one. */
static fsr_node inexact(fsr_site at, fsr_node b) {
    return fsr_convert(at, b, fsr_mean_dtype(fsr_node_dtype(b)), fsr_node_rec(b)->weak);
}

fsr_node fsr_isclose_at(fsr_site at, fsr_node a, fsr_node b, double rtol, double atol, bool equal_nan) {
    fsr_node poison, in[] = {a, b};
    fsr_graph *g;
    if (fsr_poison_of_any(at, "isclose", in, 2, &g, &poison))
        return poison;
    b = inexact(at, b);
    fsr_node slack = fsr_mul_at(at, fsr_float_at(at, g, rtol), fsr_abs_at(at, b));
    slack = fsr_add_at(at, fsr_float_at(at, g, atol), slack);
    fsr_node near = fsr_less_equal_at(at, fsr_abs_at(at, fsr_sub_at(at, a, b)), slack);
    near = fsr_logical_and_at(at, near, fsr_isfinite_at(at, b));
    near = fsr_logical_or_at(at, near, fsr_equal_at(at, a, b));
    if (!equal_nan)
        return near;
    return fsr_logical_or_at(at, near, fsr_logical_and_at(at, fsr_isnan_at(at, a), fsr_isnan_at(at, b)));
}

fsr_node fsr_allclose_at(fsr_site at, fsr_node a, fsr_node b, double rtol, double atol, bool equal_nan) {
    return fsr_all_at(at, fsr_isclose_at(at, a, b, rtol, atol, equal_nan), NULL, 0, 0);
}

/* ---- sinc ------------------------------------------------------------------------------------------------- */

fsr_node fsr_sinc_at(fsr_site at, fsr_node x) {
    fsr_node poison;
    fsr_graph *g;
    if (fsr_poison_of_any(at, "sinc", &x, 1, &g, &poison))
        return poison;
    fsr_node angle = fsr_mul_at(at, x, fsr_float_at(at, g, 3.14159265358979323846));
    fsr_node wave = fsr_div_at(at, fsr_sin_at(at, angle), angle);
    return fsr_where_at(at, fsr_equal_at(at, x, fsr_int_at(at, g, 0)), fsr_float_at(at, g, 1), wave);
}
