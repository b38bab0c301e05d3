/* SPDX-License-Identifier: MIT */
/* Between which numbers the values of a flow lie; see ranges.h.
 *
 * Ranges follow from literals, numbers of turns, dtypes, clamps, minima, maxima, casts, sums, differences, quotients
 * and remainders by literals, and views and choices of these; of a float a range says what it is if it is no NaN, which
 * becomes the integer 0. */
#include "fusion/ranges.h"
#include <math.h>
#include <stdlib.h>

static const fsr_range unknown = {1, 0};
static const double exact = 0x1p53 - 1; /* up to here each integer is a double, and no other becomes that */

static fsr_range at_most(double bits, bool is_signed) {
    return is_signed ? (fsr_range){-ldexp(1, (int)bits - 1), ldexp(1, (int)bits - 1) - 1}
                     : (fsr_range){0, ldexp(1, (int)bits) - 1};
}

static bool is_integer(fsr_dtype dtype) {
    return dtype != FSR_BOOL && !fsr_dtype_is_inexact(dtype);
}

/* What a dtype holds; of 64 bits the ends are no doubles. */
static fsr_range of_dtype(fsr_dtype dtype) {
    const int bits = 8 * (int)fsr_dtype_size(dtype);
    const bool has_sign = !fsr_dtype_is_unsigned(dtype);
    if (!is_integer(dtype))
        return unknown;
    return bits <= 32 ? at_most(bits, has_sign) : (fsr_range){has_sign ? -INFINITY : 0, INFINITY};
}

static fsr_range both(fsr_range a, fsr_range b) {
    return fsr_range_known(a) && fsr_range_known(b) ? (fsr_range){fmin(a.low, b.low), fmax(a.high, b.high)} : unknown;
}

static fsr_range of_literal(const fsr_flow_node *n) {
    const double value = fsr_dtype_is_complex(n->dtype[0]) ? NAN : fsr_value_to_double(n->dtype[0], n->value);
    return fabs(value) <= exact ? (fsr_range){value, value} : of_dtype(n->dtype[0]);
}

/* The least of two, of which one may be anything. */
static fsr_range least(fsr_range a, fsr_range b, fsr_range of) {
    const double high = fsr_range_known(a) && fsr_range_known(b) ? fmin(a.high, b.high)
                        : fsr_range_known(a)                     ? a.high
                                                                 : b.high;
    const double low = fsr_range_known(a) && fsr_range_known(b) ? fmin(a.low, b.low)
                       : fsr_range_known(of)                    ? of.low
                                                                : -INFINITY;
    return fsr_range_known(a) || fsr_range_known(b) ? (fsr_range){low, high} : unknown;
}

static fsr_range greatest(fsr_range a, fsr_range b, fsr_range of) {
    const fsr_range turned =
        least((fsr_range){-a.high, -a.low}, (fsr_range){-b.high, -b.low}, (fsr_range){-of.high, -of.low});
    return fsr_range_known(turned) ? (fsr_range){-turned.high, -turned.low} : unknown;
}

/* A float becomes the integer towards zero, or the nearest there is; an integer wraps where it does not fit, a u64 as
 * an i64 too, and a float is rounded, by which order stays but not each number. */
static fsr_range cast(fsr_range from, fsr_dtype source, fsr_dtype to) {
    const fsr_range fits = of_dtype(to);
    const bool narrow = is_integer(to) && fsr_dtype_size(to) < 8;
    if (!fsr_range_known(from) || !is_integer(to))
        return is_integer(source) && fsr_dtype_is_float(to) && !fsr_dtype_is_half(to) && fsr_range_known(from) &&
                       fmax(fabs(from.low), fabs(from.high)) <= 0x1p24
                   ? from
                   : unknown;
    if (!is_integer(source))
        from = (fsr_range){fmin(trunc(from.low), 0), fmax(trunc(from.high), 0)};
    if (fsr_dtype_is_unsigned(to) && from.low < 0)
        return fits;
    if (to == FSR_I64 && is_integer(source) && from.high > exact)
        return fits;
    return narrow && (from.low < fits.low || from.high > fits.high) ? fits : from;
}

static fsr_range of_link(const fsr_flow *flow, const fsr_range *node, fsr_link link) {
    const fsr_flow_node *n = &flow->node[link.id];
    return n->nout == 1 ? node[link.id] : of_dtype(n->dtype[link.output]);
}

/* Of an integer that is left when another is divided by a literal above 0. */
static fsr_range rest(fsr_range by) {
    return fsr_range_known(by) && by.low == by.high && by.low > 0 ? (fsr_range){0, by.low - 1} : unknown;
}

/* What an integer is that lies there if it does not wrap. */
static fsr_range unwrapped(fsr_range r, fsr_dtype dtype) {
    const fsr_range all = of_dtype(dtype);
    const bool wide = fsr_dtype_size(dtype) == 8, has_sign = !fsr_dtype_is_unsigned(dtype);
    const bool fits = wide ? fabs(r.low) <= exact && fabs(r.high) <= exact && (has_sign || r.low >= 0)
                           : r.low >= all.low && r.high <= all.high;
    return is_integer(dtype) && fsr_range_known(r) && fits ? r : all;
}

static fsr_range added(fsr_range a, fsr_range b, double sign, fsr_dtype dtype) {
    const fsr_range turned = sign > 0 ? b : (fsr_range){-b.high, -b.low};
    return fsr_range_known(a) && fsr_range_known(b)
               ? unwrapped((fsr_range){a.low + turned.low, a.high + turned.high}, dtype)
               : of_dtype(dtype);
}

static fsr_range quotient(fsr_range a, fsr_range by, fsr_dtype dtype) {
    const bool good = fsr_range_known(a) && fsr_range_known(by) && by.low == by.high && by.low > 0;
    return good ? unwrapped((fsr_range){floor(a.low / by.low), floor(a.high / by.low)}, dtype) : of_dtype(dtype);
}

static fsr_range of_op(const fsr_flow *flow, const fsr_range *node, const fsr_flow_node *n) {
    const fsr_dtype own = n->dtype[0], source = flow->node[n->arg[0].id].dtype[n->arg[0].output];
    const fsr_range all = of_dtype(own);
    fsr_range arg[3] = {unknown, unknown, unknown};
    for (int k = 0; k < n->nargs && k < 3; ++k)
        arg[k] = of_link(flow, node, n->arg[k]);
    switch (n->op) {
    case FSR_OP_MINIMUM: return least(arg[0], arg[1], all);
    case FSR_OP_MAXIMUM: return greatest(arg[0], arg[1], all);
    case FSR_OP_CLAMP: return least(greatest(arg[0], arg[1], all), arg[2], all);
    case FSR_OP_WHERE: return both(arg[1], arg[2]);
    case FSR_OP_CAST: return cast(arg[0], source, own);
    case FSR_OP_MOD: return is_integer(own) ? rest(arg[1]) : unknown;
    case FSR_OP_FLOOR_DIVIDE: return quotient(arg[0], arg[1], own);
    case FSR_OP_ADD: return added(arg[0], arg[1], 1, own);
    case FSR_OP_SUB: return added(arg[0], arg[1], -1, own);
    default: return all;
    }
}

static fsr_range of_node(const fsr_flow *flow, const fsr_range *node, int id) {
    const fsr_flow_node *n = &flow->node[id];
    if (fsr_has(n->kind, FSR_FIELD_axis) && n->nargs == 0 && n->shape.dim[n->axis] > 0)
        return unwrapped((fsr_range){0, (double)(n->shape.dim[n->axis] - 1)}, n->dtype[0]);
    if (n->below > 0)
        return unwrapped((fsr_range){0, (double)(n->below - 1)}, n->dtype[0]);
    if (fsr_has(n->kind, FSR_FIELD_op))
        return of_op(flow, node, n);
    if (fsr_is(n->kind, FSR_IS_LITERAL))
        return of_literal(n);
    return fsr_is(n->kind, FSR_IS_VIEW) ? of_link(flow, node, n->arg[0]) : of_dtype(n->dtype[0]);
}

fsr_range *fsr_flow_ranges(const fsr_flow *flow, fsr_status *status) {
    fsr_range *node = malloc(((size_t)flow->n + 1) * sizeof *node);
    if (!node)
        *status = FSR_ERR_MEMORY;
    for (int i = 0; node && i < flow->n; ++i)
        node[i] = of_node(flow, node, i);
    return node;
}

fsr_range fsr_link_range(const fsr_flow *flow, const fsr_range *node, fsr_link link) {
    return of_link(flow, node, link);
}
