/* SPDX-License-Identifier: MIT */
/* Mean, variance, standard deviation, and their twins that skip NaN; the weighted average.
 *
 * Up to SHORT elements, the last axis among them, the variance is two passes, as NumPy does it: the mean, then the
 * mean of squared deviations. Such a row stays in registers or cache between them, so memory is read once all the same,
 * and an element costs three operations. Longer rows, and columns, take one pass: states (count, mean, M2) combine by
 * the pairwise update of Chan, Golub and LeVeque (1979).
 * Counter-example to sum(x*x) - sum(x)^2/n: around 1e4 with f32 all digits of a variance of 1 cancel.
 * (0, 0, 0) is neutral: the divisor is at least 1 (no 0/0), and delta is multiplied by the weights before it is
 * squared, so that a large mean against an empty state gives 0, not inf * 0.
 * An element's M2 is x - x: 0, but NaN for what is not finite, as NumPy has it. With a literal 0 one infinity would
 * give an infinite variance, and alone 0.
 *
 * Skipping NaN: such an element is 0 with weight 0, and the count is a sum of weights, a sibling of the sum.
 * Counts known beforehand enter as parameters, not literals: a new shape does not make a new plan. */
#include "graph/floats.h"
#include "primitives/live.h"
#include <math.h>

enum { SHORT = 8192 };

/* left, right, out: count, mean, M2. */
static void chan(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    fsr_site at = *(const fsr_site *)user;
    fsr_node count = fsr_add_at(at, left[0], right[0]);
    fsr_node divisor = fsr_maximum_at(at, count, fsr_float_at(at, left[0].graph, 1));
    fsr_node delta = fsr_sub_at(at, right[1], left[1]);
    fsr_node share = fsr_div_at(at, right[0], divisor);
    fsr_node weighted = fsr_mul_at(at, delta, fsr_mul_at(at, left[0], share));
    out[0] = count;
    out[1] = fsr_add_at(at, left[1], fsr_mul_at(at, delta, share));
    out[2] = fsr_add_at(at, fsr_add_at(at, left[2], right[2]), fsr_mul_at(at, delta, weighted));
}

fsr_dtype fsr_mean_dtype(fsr_dtype dtype) {
    return fsr_dtype_is_inexact(dtype) ? dtype : FSR_F64;
}

bool fsr_dtype_has_nan(fsr_dtype dtype) {
    fsr_class class = fsr_dtype_class(dtype);
    return class != FSR_CLASS_INT && class != FSR_CLASS_BOOL;
}

/* The elements that take part. */
typedef struct sample {
    fsr_node x;     /* of the result's dtype, f32 for f16 and bf16; 0 where it does not take part */
    fsr_node valid; /* bool of x's shape; the null node: everywhere */
    uint32_t mask;
} sample;

/* Checks the operand and makes the sample. */
static bool sample_take(fsr_site at, const char *what, sample *s, fsr_node x, const int *axes, int naxes, int flags,
                        bool skips_nan, fsr_node *poison) {
    if (!fsr_reduction_take(x, at, what, axes, naxes, flags, &s->mask, poison))
        return false;
    fsr_dtype dtype = fsr_node_dtype(x);
    s->valid = (fsr_node){0};
    s->x = fsr_convert(at, x, fsr_state_dtype(fsr_mean_dtype(dtype)), false);
    if (skips_nan && fsr_dtype_has_nan(dtype)) {
        s->valid = fsr_logical_not_at(at, fsr_isnan_at(at, s->x));
        s->x = fsr_where_at(at, s->valid, s->x, fsr_float_at(at, x.graph, 0));
    }
    *poison = s->x;
    return fsr_node_sound(s->x) != NULL;
}

static bool is_whole(const sample *s) {
    return !s->valid.graph;
}

/* How many elements take part, less `less`, in x's dtype; at least 0 where that is known. */
static fsr_node freedom(fsr_site at, const sample *s, double less) {
    const fsr_rec *rec = fsr_node_rec(s->x);
    fsr_dtype dtype = rec->dtype[s->x.output];
    if (is_whole(s))
        return fsr_folded_count(at, s->x, s->mask, dtype, less);
    fsr_node counted = fsr_fold_op(at, FSR_OP_ADD, fsr_convert(at, s->valid, FSR_I64, false), s->mask);
    counted = fsr_convert(at, counted, dtype, false);
    return less == 0 ? counted : fsr_sub_at(at, counted, fsr_float_at(at, s->x.graph, less));
}

/* x without the folded axes unless they are kept; a count that is known beforehand has none. */
static fsr_node kept(fsr_site at, fsr_node x, uint32_t mask, int flags) {
    return flags & FSR_KEEPDIMS || fsr_node_ndim(x) == 0 ? x : fsr_drop_axes(at, x, mask);
}

static fsr_node mean(fsr_site at, const char *what, fsr_node x, const int *axes, int naxes, int flags, bool skips_nan) {
    FSR_DEFAULT_FLOATS;
    fsr_node poison;
    sample s;
    if (!sample_take(at, what, &s, x, axes, naxes, flags, skips_nan, &poison))
        return poison;
    fsr_dtype dtype = fsr_mean_dtype(fsr_node_dtype(x));
    if (!s.mask && is_whole(&s))
        return fsr_convert(at, s.x, dtype, false);
    fsr_node count = freedom(at, &s, 0), sum = fsr_fold_op(at, FSR_OP_ADD, s.x, s.mask);
    fsr_node out = fsr_div_at(at, kept(at, sum, s.mask, flags), kept(at, count, s.mask, flags));
    return fsr_convert(at, out, dtype, false);
}

fsr_node fsr_mean_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags) {
    return mean(at, "mean", x, axes, naxes, flags, false);
}

/* Of a dtype that is no float the quotient is computed in f64 and converted, as NumPy stores it: truncated. */
fsr_node fsr_mean_as_at(fsr_site at, fsr_node x, fsr_dtype dtype, const int *axes, int naxes, int flags) {
    FSR_DEFAULT_FLOATS;
    static const char what[] = "mean_as";
    fsr_node poison;
    uint32_t mask;
    if (!fsr_reduction_take(x, at, what, axes, naxes, flags, &mask, &poison) ||
        !fsr_dtype_take(x, at, what, dtype, &poison))
        return poison;
    if (fsr_dtype_is_inexact(dtype))
        return mean(at, what, fsr_convert(at, x, dtype, false), axes, naxes, flags, false);
    fsr_node count = fsr_folded_count(at, x, mask, FSR_F64, 0);
    fsr_node out = fsr_div_at(at, fsr_sum_as_at(at, x, dtype, axes, naxes, flags), count);
    return fsr_node_sound(out) ? fsr_convert(at, out, dtype, false) : out;
}

fsr_node fsr_nanmean_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags) {
    return mean(at, "nanmean", x, axes, naxes, flags, true);
}

/* The three components of every element's state. */
static void states(fsr_site at, const sample *s, fsr_node *in) {
    const fsr_rec *rec = fsr_node_rec(s->x);
    fsr_dtype dtype = rec->dtype[s->x.output];
    fsr_value one = fsr_value_from_int(dtype, 1);
    in[0] = is_whole(s) ? fsr_stretch(at, fsr_literal(s->x.graph, at, dtype, one, false), &rec->shape)
                        : fsr_convert(at, s->valid, dtype, false);
    in[1] = s->x;
    in[2] = fsr_sub_at(at, s->x, s->x);
}

/* x less its mean, which has the folded axes with extent 1, where it takes part. */
static fsr_node centered(fsr_site at, const sample *s, fsr_node mean) {
    fsr_node delta = fsr_sub_at(at, s->x, mean);
    return is_whole(s) ? delta : fsr_where_at(at, s->valid, delta, fsr_float_at(at, s->x.graph, 0));
}

/* Two passes over x; NaN where x is not finite follows by itself. Nothing folded: the mean is x. */
static fsr_node short_deviations(fsr_site at, const sample *s) {
    fsr_node count = freedom(at, s, 0), sum = fsr_fold_op(at, FSR_OP_ADD, s->x, s->mask);
    fsr_node delta = centered(at, s, s->mask ? fsr_div_at(at, sum, count) : s->x);
    return fsr_fold_op(at, FSR_OP_ADD, fsr_mul_at(at, delta, delta), s->mask);
}

/* The sum of squared deviations over the axes, which stay. */
static fsr_node deviations(fsr_site at, const char *what, const sample *s) {
    fsr_node in[3], out[FSR_MAX_TUPLE] = {{0}}, poison;
    const fsr_shape *shape = &fsr_node_rec(s->x)->shape;
    if (!s->mask || (fsr_folded(shape, s->mask) <= SHORT && s->mask >> (shape->ndim - 1) & 1))
        return short_deviations(at, s);
    states(at, s, in);
    fsr_dtype dtype = fsr_node_dtype(s->x), dtypes[3] = {dtype, dtype, dtype};
    fsr_operator op = {chan, &at, 3, {0, 0, 0}, true, {NULL}};
    fsr_combine *combine = fsr_operator_record(s->x.graph, at, what, &op, dtypes, NULL, &poison);
    if (!combine)
        return poison;
    combine->neutral = true;
    fsr_fold_nodes(at, out, in, combine, s->mask);
    return out[2];
}

/* A variance or standard deviation. */
typedef struct spread {
    const char *name;
    bool skips_nan, root;
} spread;

static fsr_node variance(fsr_site at, const spread *s, fsr_node x, const int *axes, int naxes, int flags, double ddof);

/* The mean of |x - mean|^2 is the sum of the parts' variances. Where a part is NaN the other one is skipped as well. */
static fsr_node complex_variance(fsr_site at, const spread *s, fsr_node x, const int *axes, int naxes, int flags,
                                 double ddof) {
    const spread part = {s->name, s->skips_nan, false};
    if (s->skips_nan)
        x = fsr_where_at(at, fsr_isnan_at(at, x), fsr_complex_at(at, x.graph, NAN, NAN), x);
    fsr_node re = variance(at, &part, fsr_real_at(at, x), axes, naxes, flags, ddof);
    fsr_node sum = fsr_add_at(at, re, variance(at, &part, fsr_imag_at(at, x), axes, naxes, flags, ddof));
    return s->root ? fsr_sqrt_at(at, sum) : sum;
}

/* Rounded once, at the end: the root of a variance that f16 cannot hold may be an f16. */
static fsr_node variance(fsr_site at, const spread *how, fsr_node x, const int *axes, int naxes, int flags,
                         double ddof) {
    FSR_DEFAULT_FLOATS;
    fsr_node poison;
    sample s;
    if (fsr_node_sound(x) && fsr_dtype_is_complex(fsr_node_dtype(x)))
        return complex_variance(at, how, x, axes, naxes, flags, ddof);
    if (!sample_take(at, how->name, &s, x, axes, naxes, flags, how->skips_nan, &poison))
        return poison;
    fsr_node divisor = kept(at, freedom(at, &s, ddof), s.mask, flags);
    fsr_node out = fsr_div_at(at, kept(at, deviations(at, how->name, &s), s.mask, flags), divisor);
    if (!is_whole(&s)) {
        fsr_node enough = fsr_greater_at(at, divisor, fsr_float_at(at, s.x.graph, 0));
        out = fsr_where_at(at, enough, out, fsr_float_at(at, s.x.graph, NAN));
    }
    if (how->root)
        out = fsr_sqrt_at(at, out);
    return fsr_convert(at, out, fsr_mean_dtype(fsr_node_dtype(x)), false);
}

fsr_node fsr_var_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags, double ddof) {
    return variance(at, &(spread){"var", false, false}, x, axes, naxes, flags, ddof);
}

fsr_node fsr_std_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags, double ddof) {
    return variance(at, &(spread){"std", false, true}, x, axes, naxes, flags, ddof);
}

fsr_node fsr_nanvar_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags, double ddof) {
    return variance(at, &(spread){"nanvar", true, false}, x, axes, naxes, flags, ddof);
}

fsr_node fsr_nanstd_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags, double ddof) {
    return variance(at, &(spread){"nanstd", true, true}, x, axes, naxes, flags, ddof);
}

fsr_node fsr_average_at(fsr_site at, fsr_node x, fsr_node weights, const int *axes, int naxes, int flags) {
    FSR_DEFAULT_FLOATS;
    fsr_node poison, in[] = {x, weights};
    fsr_graph *g;
    uint32_t mask;
    if (fsr_poison_of(at, "average", in, 2, &g, &poison) ||
        !fsr_reduction_take(x, at, "average", axes, naxes, flags, &mask, &poison))
        return poison;
    const fsr_shape shape = fsr_node_rec(x)->shape;
    fsr_shape both;
    if (!fsr_shape_broadcast(&shape, &fsr_node_rec(weights)->shape, &both) || !fsr_shape_equal(&shape, &both))
        return fsr_poison(g, at, FSR_ERR_SHAPE, "average", "the weights %s do not broadcast to %s",
                          fsr_say(weights).text, fsr_say(x).text);
    fsr_dtype dtype = fsr_dtype_promote(fsr_mean_dtype(fsr_node_dtype(x)), fsr_node_dtype(weights));
    for (int i = 0; i < 2; i++)
        in[i] = fsr_convert(at, in[i], fsr_state_dtype(dtype), false);
    in[1] = fsr_stretch(at, in[1], &shape);
    fsr_node sum = fsr_fold_op(at, FSR_OP_ADD, fsr_mul_at(at, in[0], in[1]), mask);
    fsr_node out = fsr_div_at(at, sum, fsr_fold_op(at, FSR_OP_ADD, in[1], mask));
    return kept(at, fsr_convert(at, out, dtype, false), mask, flags);
}
