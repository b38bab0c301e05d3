/* Mean and variance.
 *
 * Up to SHORT elements, the last axis among them, the variance is two passes, as NumPy does it: the mean, then the
 * mean of squared
 * deviations. Such a row stays in registers or cache between them, so memory is read once all the same, and an element
 * costs three
 * operations. Longer rows, and columns, take one pass: states (count, mean, M2) combine by the pairwise update of
 * Chan, Golub and LeVeque (1979).
 * Counter-example to sum(x*x) - sum(x)^2/n: around 1e4 with f32 all digits of a variance of 1 cancel.
 * (0, 0, 0) is neutral: the divisor is at least 1 (no 0/0), and delta is multiplied by the weights before it is
 * squared, so that a large mean against an empty state gives 0, not inf * 0.
 * An element's M2 is x - x: 0, but NaN for what is not finite, as NumPy has it. With a literal 0 one infinity would
 * give an infinite variance, and alone 0.
 *
 * Counts enter as parameters, not literals: a new shape does not make a new plan. */
#include "primitives/primitives.h"

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

static fsr_dtype mean_dtype(fsr_dtype dtype) {
    return fsr_dtype_is_float(dtype) ? dtype : FSR_F64;
}

/* What mean and var share: x converted to the result's dtype, and the axes. */
static bool moment_take(fsr_site at, const char *what, fsr_node *x, const int *axes, int naxes, int flags,
                        uint32_t *mask, fsr_node *poison) {
    fsr_graph *g;
    if (fsr_poison_of(at, what, x, 1, &g, poison))
        return false;
    if (!fsr_flags_take(*x, at, what, flags, FSR_KEEPDIMS, poison))
        return false;
    if (!fsr_axes_take(*x, at, what, axes, naxes, mask, poison))
        return false;
    *x = fsr_convert(at, *x, mean_dtype(fsr_node_dtype(*x)), false);
    *poison = *x;
    return fsr_node_sound(*x) != NULL;
}

fsr_node fsr_mean_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags) {
    fsr_node poison, sum = {0};
    uint32_t mask;
    if (!moment_take(at, "mean", &x, axes, naxes, flags, &mask, &poison))
        return poison;
    if (!mask)
        return x;
    const fsr_rec *rec = fsr_node_rec(x);
    fsr_dtype dtype = rec->dtype[x.output];
    fsr_node count = fsr_count(x.graph, at, dtype, (double)fsr_folded(&rec->shape, mask));
    fsr_fold_nodes(at, &sum, &x, fsr_combine_of(FSR_OP_ADD, dtype), mask);
    if (!(flags & FSR_KEEPDIMS))
        sum = fsr_drop_axes(at, sum, mask);
    return fsr_div_at(at, sum, count);
}

/* The three components of every element's state. */
static void states(fsr_site at, fsr_node x, fsr_node *in) {
    const fsr_rec *rec = fsr_node_rec(x);
    fsr_dtype dtype = rec->dtype[x.output];
    in[0] = fsr_stretch(at, fsr_literal(x.graph, at, dtype, fsr_value_from_int(dtype, 1), false), &rec->shape);
    in[1] = x;
    in[2] = fsr_sub_at(at, x, x);
}

/* Two passes over x; NaN where x is not finite follows by itself. */
static fsr_node short_deviations(fsr_site at, fsr_node x, uint32_t mask) {
    const fsr_shape shape = fsr_node_rec(x)->shape;
    fsr_dtype dtype = fsr_node_dtype(x);
    fsr_node sum = {0}, squares = {0};
    fsr_fold_nodes(at, &sum, &x, fsr_combine_of(FSR_OP_ADD, dtype), mask);
    fsr_node mean = fsr_div_at(at, sum, fsr_count(x.graph, at, dtype, (double)fsr_folded(&shape, mask)));
    if (fsr_node_status(mean))
        return mean;
    fsr_node delta = fsr_sub_at(at, x, fsr_stretch(at, mean, &shape));
    fsr_node square = fsr_mul_at(at, delta, delta);
    if (fsr_node_status(square))
        return square;
    fsr_fold_nodes(at, &squares, &square, fsr_combine_of(FSR_OP_ADD, dtype), mask);
    return squares;
}

/* The sum of squared deviations over the axes; nothing folded: 0, or NaN where x is not finite. */
static fsr_node deviations(fsr_site at, fsr_node x, uint32_t mask, bool keep) {
    fsr_node in[3], out[FSR_MAX_TUPLE] = {{0}}, poison, delta;
    if (!mask) {
        delta = fsr_sub_at(at, x, x);
        return fsr_mul_at(at, delta, delta);
    }
    const fsr_shape *shape = &fsr_node_rec(x)->shape;
    if (fsr_folded(shape, mask) <= SHORT && (mask >> (shape->ndim - 1) & 1)) {
        delta = short_deviations(at, x, mask);
        return keep || fsr_node_status(delta) ? delta : fsr_drop_axes(at, delta, mask);
    }
    states(at, x, in);
    fsr_dtype dtype = fsr_node_dtype(x), dtypes[3] = {dtype, dtype, dtype};
    fsr_operator op = {chan, &at, 3, {0, 0, 0}, true};
    fsr_combine *combine = fsr_operator_record(x.graph, at, "var", &op, dtypes, &poison);
    if (!combine)
        return poison;
    fsr_fold_nodes(at, out, in, combine, mask);
    return keep ? out[2] : fsr_drop_axes(at, out[2], mask);
}

fsr_node fsr_var_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags, double ddof) {
    fsr_node poison;
    uint32_t mask;
    if (!moment_take(at, "var", &x, axes, naxes, flags, &mask, &poison))
        return poison;
    const fsr_rec *rec = fsr_node_rec(x);
    double freedom = (double)fsr_folded(&rec->shape, mask) - ddof;
    fsr_node divisor = fsr_count(x.graph, at, rec->dtype[x.output], freedom > 0 ? freedom : 0);
    return fsr_div_at(at, deviations(at, x, mask, flags & FSR_KEEPDIMS), divisor);
}
