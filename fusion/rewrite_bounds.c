/* SPDX-License-Identifier: MIT */
/* Gathers whose indices are between bounds that lie in the array, as those of clip(i, 0, n - 1), have nothing to report and
 * count none from the end: they clip, which changes no index. Counter-example to leaving them as they are: a kernel
 * has so many arrays, each report is one, and fluxes through four faces of a mesh were seven kernels.
 *
 * Ranges follow from literals, dtypes, clamps, minima, maxima, casts, sums, differences, quotients and remainders by literals, and views
 * and choices of these; of a float a range says what it is if it is no NaN, which becomes the integer 0. */
#include "fusion/rewrites.h"
#include <math.h>
#include <stdlib.h>

/* low > high: nothing is known. All integers in them are exact. */
typedef struct range {
    double low, high;
} range;

static const range unknown = {1, 0};
static const double exact = 0x1p53 - 1; /* up to here each integer is a double, and no other becomes that */

static range at_most(double bits, bool is_signed) {
    return is_signed ? (range){-ldexp(1, (int)bits - 1), ldexp(1, (int)bits - 1) - 1}
                     : (range){0, ldexp(1, (int)bits) - 1};
}

static bool is_integer(fsr_dtype dtype) {
    return dtype != FSR_BOOL && !fsr_dtype_is_inexact(dtype);
}

/* What a dtype holds; of 64 bits the ends are no doubles. */
static range of_dtype(fsr_dtype dtype) {
    const int bits = 8 * (int)fsr_dtype_size(dtype);
    const bool has_sign = !fsr_dtype_is_unsigned(dtype);
    if (!is_integer(dtype))
        return unknown;
    return bits <= 32 ? at_most(bits, has_sign) : (range){has_sign ? -INFINITY : 0, INFINITY};
}

static bool known(range r) {
    return r.low <= r.high;
}

static range both(range a, range b) {
    return known(a) && known(b) ? (range){fmin(a.low, b.low), fmax(a.high, b.high)} : unknown;
}

static range of_literal(const fsr_flow_node *n) {
    const double value = fsr_dtype_is_complex(n->dtype[0]) ? NAN : fsr_value_to_double(n->dtype[0], n->value);
    return fabs(value) <= exact ? (range){value, value} : of_dtype(n->dtype[0]);
}

/* The least of two, of which one may be anything. */
static range least(range a, range b, range of) {
    const double high = known(a) && known(b) ? fmin(a.high, b.high) : known(a) ? a.high : b.high;
    const double low = known(a) && known(b) ? fmin(a.low, b.low) : known(of) ? of.low : -INFINITY;
    return known(a) || known(b) ? (range){low, high} : unknown;
}

static range greatest(range a, range b, range of) {
    const range turned = least((range){-a.high, -a.low}, (range){-b.high, -b.low}, (range){-of.high, -of.low});
    return known(turned) ? (range){-turned.high, -turned.low} : unknown;
}

/* A float becomes the integer towards zero, or the nearest there is; an integer wraps where it does not fit, a u64 as an i64
 * too, and a float is rounded, by which order stays but not each number. */
static range cast(range from, fsr_dtype source, fsr_dtype to) {
    const range fits = of_dtype(to);
    const bool narrow = is_integer(to) && fsr_dtype_size(to) < 8;
    if (!known(from) || !is_integer(to))
        return is_integer(source) && fsr_dtype_is_float(to) && !fsr_dtype_is_half(to) && known(from) &&
                       fmax(fabs(from.low), fabs(from.high)) <= 0x1p24
                   ? from
                   : unknown;
    if (!is_integer(source))
        from = (range){fmin(trunc(from.low), 0), fmax(trunc(from.high), 0)};
    if (fsr_dtype_is_unsigned(to) && from.low < 0)
        return fits;
    if (to == FSR_I64 && is_integer(source) && from.high > exact)
        return fits;
    return narrow && (from.low < fits.low || from.high > fits.high) ? fits : from;
}

static range of_link(const fsr_flow *flow, const range *node, fsr_link link) {
    const fsr_flow_node *n = &flow->node[link.id];
    return n->nout == 1 ? node[link.id] : of_dtype(n->dtype[link.output]);
}

/* Of an integer that is left when another is divided by a literal above 0. */
static range rest(range by) {
    return known(by) && by.low == by.high && by.low > 0 ? (range){0, by.low - 1} : unknown;
}

/* What an integer is that lies there if it does not wrap. */
static range unwrapped(range r, fsr_dtype dtype) {
    const range all = of_dtype(dtype);
    const bool wide = fsr_dtype_size(dtype) == 8, has_sign = !fsr_dtype_is_unsigned(dtype);
    const bool fits = wide ? fabs(r.low) <= exact && fabs(r.high) <= exact && (has_sign || r.low >= 0)
                           : r.low >= all.low && r.high <= all.high;
    return is_integer(dtype) && known(r) && fits ? r : all;
}

static range added(range a, range b, double sign, fsr_dtype dtype) {
    const range turned = sign > 0 ? b : (range){-b.high, -b.low};
    return known(a) && known(b) ? unwrapped((range){a.low + turned.low, a.high + turned.high}, dtype) : of_dtype(dtype);
}

static range quotient(range a, range by, fsr_dtype dtype) {
    const bool good = known(a) && known(by) && by.low == by.high && by.low > 0;
    return good ? unwrapped((range){floor(a.low / by.low), floor(a.high / by.low)}, dtype) : of_dtype(dtype);
}

static range of_op(const fsr_flow *flow, const range *node, const fsr_flow_node *n) {
    const fsr_dtype own = n->dtype[0], source = flow->node[n->arg[0].id].dtype[n->arg[0].output];
    const range all = of_dtype(own);
    range arg[3] = {unknown, unknown, unknown};
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

static range of_node(const fsr_flow *flow, const range *node, int id) {
    const fsr_flow_node *n = &flow->node[id];
    if (fsr_has(n->kind, FSR_FIELD_axis) && n->nargs == 0 && n->shape.dim[n->axis] > 0)
        return unwrapped((range){0, (double)(n->shape.dim[n->axis] - 1)}, n->dtype[0]);
    if (fsr_has(n->kind, FSR_FIELD_op))
        return of_op(flow, node, n);
    if (fsr_is(n->kind, FSR_IS_LITERAL))
        return of_literal(n);
    return fsr_is(n->kind, FSR_IS_VIEW) ? of_link(flow, node, n->arg[0]) : of_dtype(n->dtype[0]);
}

/* A gather that reports, and no index of which can be outside. */
static bool is_inside(const fsr_flow *flow, const range *node, const fsr_flow_node *n) {
    if (!fsr_has(n->kind, FSR_FIELD_mode) || n->mode != FSR_INDEX_RAISE || fsr_is(n->kind, FSR_OVERWRITES))
        return false;
    const fsr_shape *source = &flow->node[n->arg[0].id].shape;
    bool inside = true;
    for (int j = 0, k = 1; j < source->ndim && inside; ++j) {
        if (!(n->axes >> j & 1))
            continue;
        const range index = of_link(flow, node, n->arg[k++]);
        inside =
            known(index) && index.low >= 0 && index.high < (double)fsr_added_extent(&n->shape, source, &n->view, j);
    }
    return inside;
}

bool fsr_rewrite_bounds(fsr_flow *flow, fsr_status *status) {
    bool any = false, progress = false;
    for (int i = 0; i < flow->n; ++i)
        any = any || (fsr_has(flow->node[i].kind, FSR_FIELD_mode) && flow->node[i].mode == FSR_INDEX_RAISE);
    range *node = any ? malloc((size_t)flow->n * sizeof *node) : NULL;
    if (any && !node)
        *status = FSR_ERR_MEMORY;
    for (int i = 0; node && i < flow->n; ++i) {
        node[i] = of_node(flow, node, i);
        if (!is_inside(flow, node, &flow->node[i]))
            continue;
        flow->node[i].mode = FSR_INDEX_CLIP;
        flow->node[i].report = 0;
        progress = true;
    }
    free(node);
    return progress;
}
