/* SPDX-License-Identifier: MIT */
/* x ** y.
 *
 * A whole literal exponent becomes multiplications: of any size for integers, which so stay integers and wrap as
 * NumPy's do, and up to 8 for floats: x**n by squaring is off by at most (n-1)/2 units in the last place, for 8 less
 * than what pow is allowed. Up to there no product on the way overflows or falls below the normal numbers unless the
 * result does. Counter-example to going on: x**64 would be off by 31.
 * Whole literals on both sides give a literal as in Python: 2**10 is 1024, and i32 * 2**10 stays i32; 2**-1 is 0.5. */
#include "primitives/expr.h"

enum { MAX_FLOAT_EXPONENT = 8 };

static fsr_node literal_power(fsr_reading *r, const char *where, int64_t base, int64_t exponent) {
    int64_t value = 1;
    bool over = false;
    for (; exponent > 0 && !over; exponent /= 2) {
        if (exponent % 2)
            over = __builtin_mul_overflow(value, base, &value);
        if (exponent > 1)
            over = __builtin_mul_overflow(base, base, &base) || over;
    }
    if (over)
        return fsr_reading_fail(r, where, FSR_ERR_VALUE, "the power does not fit i64");
    return fsr_int_at(r->at, r->g, value);
}

/* x to the 0: ones, also where x is NaN. */
static fsr_node ones(fsr_reading *r, fsr_node x) {
    const fsr_rec *rec = fsr_node_rec(x);
    if (rec->weak)
        return fsr_float_at(r->at, r->g, 1);
    return fsr_full_at(r->at, r->g, rec->dtype[x.output], rec->shape.ndim, rec->shape.dim, 1);
}

static fsr_node multiply(fsr_reading *r, fsr_node x, int64_t exponent) {
    fsr_node product = {0};
    if (exponent == 0)
        return ones(r, x);
    for (;;) {
        if (exponent % 2)
            product = product.graph ? fsr_mul_at(r->at, product, x) : x;
        exponent /= 2;
        if (!exponent)
            return product;
        x = fsr_mul_at(r->at, x, x);
    }
}

fsr_node fsr_power(fsr_reading *r, const char *where, fsr_node base, fsr_node exponent) {
    const fsr_rec *b = fsr_node_rec(base), *e = fsr_node_rec(exponent);
    fsr_class class = fsr_dtype_class(b->dtype[base.output]);
    bool whole = e->weak && e->dtype[exponent.output] == FSR_I64;
    int64_t n = whole ? e->value.i64 : 0;
    fsr_node x;
    if (whole && b->weak && class == FSR_CLASS_INT && n >= 0)
        x = literal_power(r, where, b->value.i64, n);
    else if (whole && b->weak && class == FSR_CLASS_INT)
        x = fsr_pow_at(r->at, fsr_float_at(r->at, r->g, (double)b->value.i64), exponent);
    else if (whole && !b->weak && class == FSR_CLASS_INT && n < 0)
        x = fsr_reading_fail(r, where, FSR_ERR_VALUE, "an integer array has no power %lld", (long long)n);
    else if (whole && n > 0 && n <= MAX_FLOAT_EXPONENT && class == FSR_CLASS_COMPLEX)
        x = multiply(r, base, n);
    else if (whole && n >= 0 && (class == FSR_CLASS_INT || (class == FSR_CLASS_FLOAT && n <= MAX_FLOAT_EXPONENT)))
        x = multiply(r, base, n);
    else
        x = fsr_pow_at(r->at, base, exponent);
    return fsr_reading_built(r, where, x);
}
