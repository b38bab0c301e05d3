/* SPDX-License-Identifier: MIT */
/* Running folds: cumsum, cumprod, cummax, cummin, cumany, cumall. Without axes they run over the flat array. As
 * reductions, the operand is converted to the result's dtype first, f16 and bf16 are summed in f32. What lies behind
 * a length changes nothing before it, but from the end. */
#include "primitives/live.h"

void fsr_running(fsr_site at, fsr_node *out, const fsr_node *in, fsr_combine *combine, int axis, int flags) {
    fsr_node there[FSR_MAX_ARGS];
    fsr_length length = {.origin = 0};
    for (int i = 0; combine && i < combine->arity; i++)
        if (fsr_node_length(in[i]))
            length = *fsr_node_length(in[i]);
    if (flags & FSR_REVERSE)
        fsr_live_fold_operands(at, there, in, combine);
    fsr_rec *rec = fsr_fold_begin(at, FSR_NODE_SCAN, out, flags & FSR_REVERSE ? there : in, combine, 0);
    if (!rec)
        return;
    rec->length = length;
    rec->axis = axis;
    rec->exclusive = flags & FSR_EXCLUSIVE;
    rec->reverse = flags & FSR_REVERSE;
}

typedef enum result_rule { RESULT_SUM, RESULT_SAME, RESULT_BOOL } result_rule;

bool fsr_scan_axes_take(fsr_site at, const char *what, fsr_node *x, int n, const int *axes, int naxes, int *axis,
                        fsr_node *poison) {
    *axis = axes && naxes == 1 ? *axes : 0;
    if (axes && naxes == 1)
        return fsr_axis_take(x[0], at, what, fsr_node_ndim(x[0]), axis, poison);
    if (axes) {
        *poison = fsr_poison(x[0].graph, at, FSR_ERR_AXIS, what, "along one axis, not %d", naxes);
        return false;
    }
    for (int i = 0; i < n; i++) {
        x[i] = fsr_flatten(at, fsr_strong(at, x[i]));
        *poison = x[i];
        if (!fsr_node_sound(x[i]))
            return false;
    }
    return true;
}

typedef struct scan {
    const char *name;
    fsr_op op;
    result_rule rule;
} scan;

/* In a dtype that the caller names; where the result is not that of the elements, it rounds as a sum of it does. */
static fsr_node running_as(fsr_site at, const scan *s, fsr_node x, fsr_dtype dtype, const int *axes, int naxes,
                           int flags) {
    const char *what = s->name;
    const fsr_op op = s->op;
    fsr_graph *g;
    fsr_node poison, out = {0};
    int axis;
    if (fsr_poison_of_any(at, what, &x, 1, &g, &poison) || !fsr_dtype_take(x, at, what, dtype, &poison))
        return poison;
    if (!fsr_flags_take(x, at, what, flags, FSR_EXCLUSIVE | FSR_REVERSE, &poison))
        return poison;
    if (!fsr_scan_axes_take(at, what, &x, 1, axes, naxes, &axis, &poison))
        return poison;
    if (!fsr_op_defined(op, dtype))
        return fsr_poison(g, at, FSR_ERR_DTYPE, what, "not defined for %s", fsr_say(x).text);
    fsr_dtype state = s->rule == RESULT_SUM ? fsr_state_dtype(dtype) : dtype;
    x = fsr_convert(at, x, state, false);
    if (!fsr_node_sound(x))
        return x;
    fsr_running(at, &out, &x, fsr_combine_builtin(op, state), axis, flags);
    return fsr_convert(at, out, dtype, false);
}

static fsr_node running(fsr_site at, const scan *s, fsr_node x, const int *axes, int naxes, int flags) {
    fsr_dtype dtype = fsr_node_dtype(x);
    if (s->rule == RESULT_SUM && dtype != FSR_DTYPE_COUNT)
        dtype = fsr_sum_dtype(dtype);
    return running_as(at, s, x, s->rule == RESULT_BOOL ? FSR_BOOL : dtype, axes, naxes, flags);
}

fsr_node fsr_cumsum_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags) {
    return running(at, &(scan){"cumsum", FSR_OP_ADD, RESULT_SUM}, x, axes, naxes, flags);
}

fsr_node fsr_cumprod_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags) {
    return running(at, &(scan){"cumprod", FSR_OP_MUL, RESULT_SUM}, x, axes, naxes, flags);
}

fsr_node fsr_cumsum_as_at(fsr_site at, fsr_node x, fsr_dtype dtype, const int *axes, int naxes, int flags) {
    return running_as(at, &(scan){"cumsum_as", FSR_OP_ADD, RESULT_SUM}, x, dtype, axes, naxes, flags);
}

fsr_node fsr_cumprod_as_at(fsr_site at, fsr_node x, fsr_dtype dtype, const int *axes, int naxes, int flags) {
    return running_as(at, &(scan){"cumprod_as", FSR_OP_MUL, RESULT_SUM}, x, dtype, axes, naxes, flags);
}

fsr_node fsr_cummax_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags) {
    return running(at, &(scan){"cummax", FSR_OP_MAXIMUM, RESULT_SAME}, x, axes, naxes, flags);
}

fsr_node fsr_cummin_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags) {
    return running(at, &(scan){"cummin", FSR_OP_MINIMUM, RESULT_SAME}, x, axes, naxes, flags);
}

fsr_node fsr_cumany_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags) {
    return running(at, &(scan){"cumany", FSR_OP_LOGICAL_OR, RESULT_BOOL}, x, axes, naxes, flags);
}

fsr_node fsr_cumall_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags) {
    return running(at, &(scan){"cumall", FSR_OP_LOGICAL_AND, RESULT_BOOL}, x, axes, naxes, flags);
}
