/* SPDX-License-Identifier: MIT */
/* Comparing a backend's array with the reference. Complex elements differ by the modulus of the difference; the report
 * shows the part that differs more.
 *
 * Bounds are doubles, and each of the thousands of steps that may be behind one rounds by up to 1 part in 2^53, down as
 * well as up. So an error may exceed its bound by 1 part in 2^40. Counter-example: the product of 27 counts of 0 to 5,
 * 0 +- 5^27, which has more digits than a double. */
#include "backend_cpu/reference/ball.h"
#include "runtime/reference.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double rounded_down = 0x1p-40;

/* INFINITY if exactly one is NaN, or they differ and one is infinite. */
static double distance(long double want, long double got) {
    if (want == got || (isnan(want) && isnan(got)))
        return 0;
    return isfinite(want) && isfinite(got) ? (double)fabsl(want - got) : INFINITY;
}

/* A bool is unknown by 1. */
static bool is_unknown(fsr_dtype dtype, double bound) {
    return isinf(bound) || (dtype == FSR_BOOL && bound >= 1);
}

/* x does not have half the digits of want. A complex number is compared as a whole. */
static bool is_apart(fsr_dtype dtype, fsr_ball want, fsr_ball x) {
    double error = hypot(distance(want.center, x.center), distance(want.imag, x.imag));
    if (error == 0 || !fsr_dtype_is_inexact(dtype))
        return error > 0;
    return isinf(error) || !(error <= ldexp((double)hypotl(want.center, want.imag), -fsr_dtype_digits(dtype) / 2));
}

static double ratio(double error, double bound) {
    if (error == 0 || isinf(bound))
        return 0;
    return bound == 0 ? INFINITY : error / bound;
}

bool fsr_ref_compare(const fsr_ref_array *want, const void *got, fsr_verify_report *report) {
    const int64_t n = fsr_shape_size(&want->shape);
    bool inside = true;
    for (int64_t i = 0; i < n; i++) {
        const fsr_value there = fsr_value_load(want->dtype, got, i);
        const bool unknown = is_unknown(want->dtype, want->bound[i]);
        if (!unknown && fsr_value_equal(there, want->center[i]))
            continue;
        fsr_ball expected = fsr_ball_from_value(want->dtype, want->center[i]);
        fsr_ball found = fsr_ball_from_value(want->dtype, there);
        double re = distance(expected.center, found.center), im = distance(expected.imag, found.imag);
        double error = im == 0 ? re : hypot(re, im), worse = ratio(error, want->bound[i]);
        inside = inside && worse <= 1 + rounded_down;
        if (unknown) {
            report->unknown++;
            report->apart += is_apart(want->dtype, fsr_ball_from_value(want->dtype, want->value[i]), found);
        }
        if (!(worse > report->worst))
            continue;
        report->worst = worse;
        report->worst_index = i;
        report->worst_error = error;
        report->worst_bound = want->bound[i];
        report->got = (double)(im > re ? found.imag : found.center);
        report->expected = (double)(im > re ? expected.imag : expected.center);
    }
    report->checked += n;
    return inside;
}

void fsr_ref_array_free(fsr_ref_array *a) {
    if (!a)
        return;
    free(a->value);
    free(a->center);
    free(a->bound);
    memset(a, 0, sizeof *a);
}
