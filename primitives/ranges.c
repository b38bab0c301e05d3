/* SPDX-License-Identifier: MIT */
/* Numbers in a row: arange with a step, linspace, logspace, geomspace. An index, scaled; where it starts and how far it
 * goes are arguments of the plan or literals, so another range is no other kernel. */
#include "graph/floats.h"
#include "graph/ops.h"
#include "primitives/primitives.h"
#include <math.h>

/* index * step + start in f64, as NumPy computes it: a step that rounds to 0 is applied as (index / parts) * (stop -
 * start), and with the end point the last element is `stop` itself. */
static fsr_node ramp(fsr_site at, fsr_graph *g, double start, double stop, int64_t num, bool endpoint) {
    fsr_shape shape = {1, {num}};
    double parts = (double)(endpoint ? num - 1 : num), step = (stop - start) / parts;
    fsr_node y = fsr_iota(g, at, FSR_F64, &shape, 0);
    if (parts > 0 && step != 0) {
        y = fsr_mul_at(at, y, fsr_count(g, at, FSR_F64, step));
    } else {
        if (parts > 0)
            y = fsr_div_at(at, y, fsr_count(g, at, FSR_F64, parts));
        y = fsr_mul_at(at, y, fsr_count(g, at, FSR_F64, stop - start));
    }
    y = fsr_add_at(at, y, fsr_count(g, at, FSR_F64, start));
    if (!endpoint || num < 2 || !fsr_node_sound(y))
        return y;
    return fsr_update_at(at, y, fsr_slice_at(at, y, 0, num - 1, num, 1), fsr_count(g, at, FSR_F64, stop));
}

fsr_node fsr_linspace_at(fsr_site at, fsr_graph *g, fsr_dtype dtype, double start, double stop, int64_t num,
                         bool endpoint) {
    FSR_DEFAULT_FLOATS;
    fsr_node poison;
    fsr_shape shape;
    if (!fsr_shape_take(g, at, "linspace", dtype, 1, &num, &shape, &poison))
        return poison;
    fsr_node y = ramp(at, g, start, stop, num, endpoint);
    if (fsr_dtype_class(dtype) == FSR_CLASS_INT)
        y = fsr_floor_at(at, y);
    return fsr_node_sound(y) ? fsr_convert(at, y, dtype, false) : y;
}

/* ---- powers ------------------------------------------------------------------------------------------------- */

static fsr_node powers(fsr_site at, fsr_graph *g, double start, double stop, int64_t num, bool endpoint, double base) {
    fsr_node exponent = ramp(at, g, start, stop, num, endpoint);
    return fsr_node_sound(exponent) ? fsr_pow_at(at, fsr_count(g, at, FSR_F64, base), exponent) : exponent;
}

fsr_node fsr_logspace_at(fsr_site at, fsr_graph *g, fsr_dtype dtype, double start, double stop, int64_t num,
                         bool endpoint, double base) {
    FSR_DEFAULT_FLOATS;
    fsr_node poison;
    fsr_shape shape;
    if (!fsr_shape_take(g, at, "logspace", dtype, 1, &num, &shape, &poison))
        return poison;
    fsr_node y = powers(at, g, start, stop, num, endpoint, base);
    return fsr_node_sound(y) ? fsr_convert(at, y, dtype, false) : y;
}

/* Powers of ten between the logarithms, and the ends themselves. */
fsr_node fsr_geomspace_at(fsr_site at, fsr_graph *g, fsr_dtype dtype, double start, double stop, int64_t num,
                          bool endpoint) {
    FSR_DEFAULT_FLOATS;
    fsr_node poison;
    fsr_shape shape;
    if (!fsr_shape_take(g, at, "geomspace", dtype, 1, &num, &shape, &poison))
        return poison;
    if (start == 0 || stop == 0)
        return fsr_poison(g, at, FSR_ERR_VALUE, "geomspace", "no power of ten is 0 (from %g to %g)", start, stop);
    const double sign = start < 0 ? -1 : 1;
    fsr_node y = powers(at, g, log10(start * sign), log10(stop * sign), num, endpoint, 10);
    const double end[] = {start * sign, stop * sign};
    for (int i = 0; i < (endpoint && num > 1 ? 2 : num > 0); i++) {
        const int64_t place = i ? num - 1 : 0;
        if (fsr_node_sound(y))
            y = fsr_update_at(at, y, fsr_slice_at(at, y, 0, place, place + 1, 1), fsr_count(g, at, FSR_F64, end[i]));
    }
    if (sign < 0)
        y = fsr_neg_at(at, y);
    return fsr_node_sound(y) ? fsr_convert(at, y, dtype, false) : y;
}

/* ---- arange with a step --------------------------------------------------------------------------------------- */

/* How many of start, start + step, ... come before stop; -1: nobody can count them. */
static int64_t steps(double start, double stop, double step) {
    const double count = ceil((stop - start) / step);
    return isnan(count) || count >= 0x1p+62 ? -1 : count <= 0 ? 0 : (int64_t)count;
}

/* NumPy's: the first two numbers are converted to the dtype, and the others follow at their distance there. Where the
 * rounded distance leads past the second one, that is put in its place. */
static fsr_node steps_of(fsr_site at, fsr_graph *g, fsr_dtype dtype, int64_t n, double start, double step) {
    const fsr_dtype state = fsr_state_dtype(dtype);
    const fsr_shape shape = {1, {n}};
    fsr_value first = fsr_value_cast(state, dtype, fsr_value_from_double(dtype, start));
    fsr_value second = fsr_value_cast(state, dtype, fsr_value_from_double(dtype, start + step));
    fsr_value apart = fsr_op_eval(FSR_OP_SUB, state, state, (fsr_value[]){second, first});
    fsr_value again = fsr_op_eval(FSR_OP_ADD, state, state, (fsr_value[]){first, apart});
    fsr_node index = fsr_iota(g, at, fsr_dtype_real(state), &shape, 0);
    fsr_node y = fsr_mul_at(at, index, fsr_literal(g, at, state, apart, false));
    y = fsr_add_at(at, y, fsr_literal(g, at, state, first, false));
    if (!fsr_value_equal(again, second)) {
        fsr_node is_second = fsr_equal_at(at, index, fsr_int_at(at, g, 1));
        y = fsr_where_at(at, is_second, fsr_literal(g, at, state, second, false), y);
    }
    return fsr_node_sound(y) ? fsr_convert(at, y, dtype, false) : y;
}

fsr_node fsr_arange_step_at(fsr_site at, fsr_graph *g, fsr_dtype dtype, double start, double stop, double step) {
    FSR_DEFAULT_FLOATS;
    static const char what[] = "arange_step";
    fsr_node poison;
    fsr_shape shape;
    const int64_t n = step == 0 ? 0 : steps(start, stop, step);
    if (!fsr_shape_take(g, at, what, dtype, 1, (int64_t[]){n < 0 ? 0 : n}, &shape, &poison))
        return poison;
    if (step == 0 || n < 0)
        return fsr_poison(g, at, step == 0 || isnan((stop - start) / step) ? FSR_ERR_VALUE : FSR_ERR_SIZE, what,
                          "from %g to %g in steps of %g", start, stop, step);
    if (dtype == FSR_BOOL)
        return fsr_poison(g, at, FSR_ERR_DTYPE, what, "bool does not count");
    return steps_of(at, g, dtype, n, start, step);
}
