/* SPDX-License-Identifier: MIT */
/* Reductions with a built-in operator: sum, prod, min, max, any, all, and count_nonzero and ptp made of them.
 *
 * One path: convert to the result's dtype, fold (the axes stay with extent 1), drop the axes by a view unless they are
 * to be kept. Converting first is what makes the sum of u8 exact; folding first would wrap at 256.
 * f16 and bf16 add up in f32, rounded at the end.
 * Nothing to fold (an empty axis list, or 0-d) gives the converted operand, no node. */
#include "primitives/live.h"
#include <string.h>

fsr_dtype fsr_sum_dtype(fsr_dtype dtype) {
    if (fsr_dtype_is_inexact(dtype))
        return dtype;
    return fsr_dtype_is_unsigned(dtype) ? FSR_U64 : FSR_I64;
}

int64_t fsr_folded(const fsr_shape *shape, uint32_t mask) {
    fsr_shape folded = {0};
    for (int i = 0; i < shape->ndim; i++)
        if (mask >> i & 1)
            folded.dim[folded.ndim++] = shape->dim[i];
    return fsr_shape_size(&folded);
}

/* The record of an operator's results. */
static fsr_rec *results(fsr_site at, fsr_kind kind, fsr_node x, fsr_combine *combine, uint32_t mask, fsr_node *wrong) {
    fsr_type type = {fsr_node_rec(x)->shape, combine->arity, {0}};
    for (int i = 0; i < type.shape.ndim; i++)
        if (mask >> i & 1)
            type.shape.dim[i] = 1;
    memcpy(type.dtype, combine->body.arg, sizeof type.dtype[0] * (size_t)combine->arity);
    fsr_rec *rec = fsr_graph_add(x.graph, at, fsr_kinds[kind].word, kind, &type, wrong);
    if (rec)
        rec->combine = combine;
    return rec;
}

fsr_rec *fsr_fold_begin(fsr_site at, fsr_kind kind, fsr_node *out, const fsr_node *in, fsr_combine *combine,
                        uint32_t mask) {
    fsr_rec *rec = NULL;
    int unsound = 0, arity = combine ? combine->arity : 1, n = combine ? arity + fsr_combine_same(combine) : 1;
    while (unsound < n && fsr_node_sound(in[unsound]))
        unsound++;
    fsr_node wrong = unsound < n ? in[unsound] : (fsr_node){0};
    if (unsound == n && !combine)
        wrong = fsr_graph_no_memory(in[0].graph);
    else if (unsound == n)
        rec = results(at, kind, in[0], combine, mask, &wrong);
    for (int i = 0; i < arity; i++)
        out[i] = wrong;
    if (!rec)
        fsr_combine_free(combine);
    for (int i = 0; rec && i < n; i++)
        rec->arg[rec->nargs++] = (fsr_ref){in[i].id, in[i].output};
    for (int i = 0; rec && i < arity; i++)
        out[i].output = (uint32_t)i;
    return rec;
}

void fsr_fold_nodes(fsr_site at, fsr_node *out, const fsr_node *in, fsr_combine *combine, uint32_t mask) {
    fsr_node there[FSR_MAX_ARGS];
    fsr_live_fold_operands(at, there, in, combine);
    fsr_rec *rec = fsr_fold_begin(at, FSR_NODE_REDUCE, out, there, combine, mask);
    if (rec)
        rec->axes = mask;
}

fsr_dtype fsr_state_dtype(fsr_dtype dtype) {
    return fsr_dtype_is_half(dtype) ? FSR_F32 : dtype;
}

/* True if the operator rounds: a minimum needs no state wider than its operands. */
static bool rounds(fsr_op op) {
    fsr_identity identity = fsr_op_get(op)->identity;
    return identity == FSR_IDENTITY_ZERO || identity == FSR_IDENTITY_ONE;
}

fsr_node fsr_fold_op(fsr_site at, fsr_op op, fsr_node x, uint32_t mask) {
    fsr_node out = {0};
    if (!mask || !fsr_node_sound(x))
        return x;
    fsr_dtype dtype = fsr_node_dtype(x), state = rounds(op) ? fsr_state_dtype(dtype) : dtype;
    x = fsr_convert(at, x, state, false);
    fsr_fold_nodes(at, &out, &x, fsr_combine_builtin(op, state), mask);
    return fsr_convert(at, out, dtype, false);
}

typedef struct reduction {
    const char *name;
    fsr_op op;
    bool needs_element;
} reduction;

static fsr_node reduce(fsr_site at, const reduction *r, fsr_node x, fsr_dtype dtype, const int *axes, int naxes,
                       int flags) {
    fsr_node poison;
    uint32_t mask;
    if (!fsr_reduction_take(x, at, r->name, axes, naxes, flags, &mask, &poison))
        return poison;
    if (r->needs_element && !fsr_element_take(x, at, r->name, mask, &poison))
        return poison;
    fsr_node out = fsr_fold_op(at, r->op, fsr_convert(at, x, dtype, false), mask);
    if (r->needs_element)
        out = fsr_told_empty(at, out, x);
    return flags & FSR_KEEPDIMS ? out : fsr_drop_axes(at, out, mask);
}

typedef enum result_rule { RESULT_SUM, RESULT_SAME, RESULT_BOOL } result_rule;

/* In a dtype that the caller names. */
static fsr_node checked_as(fsr_site at, const reduction *r, fsr_node x, fsr_dtype dtype, const int *axes, int naxes,
                           int flags) {
    fsr_graph *g;
    fsr_node poison;
    if (fsr_poison_of_any(at, r->name, &x, 1, &g, &poison) || !fsr_dtype_take(x, at, r->name, dtype, &poison))
        return poison;
    if (!fsr_op_defined(r->op, dtype))
        return fsr_poison(g, at, FSR_ERR_DTYPE, r->name, "not defined for %s", fsr_say(x).text);
    return reduce(at, r, x, dtype, axes, naxes, flags);
}

static fsr_node checked(fsr_site at, const reduction *r, result_rule rule, fsr_node x, const int *axes, int naxes,
                        int flags) {
    fsr_dtype dtype = fsr_node_dtype(x);
    if (rule == RESULT_SUM && dtype != FSR_DTYPE_COUNT)
        dtype = fsr_sum_dtype(dtype);
    if (rule == RESULT_BOOL)
        dtype = FSR_BOOL;
    return checked_as(at, r, x, dtype, axes, naxes, flags);
}

fsr_node fsr_sum_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags) {
    return checked(at, &(reduction){"sum", FSR_OP_ADD, false}, RESULT_SUM, x, axes, naxes, flags);
}

fsr_node fsr_prod_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags) {
    return checked(at, &(reduction){"prod", FSR_OP_MUL, false}, RESULT_SUM, x, axes, naxes, flags);
}

fsr_node fsr_sum_as_at(fsr_site at, fsr_node x, fsr_dtype dtype, const int *axes, int naxes, int flags) {
    return checked_as(at, &(reduction){"sum_as", FSR_OP_ADD, false}, x, dtype, axes, naxes, flags);
}

fsr_node fsr_prod_as_at(fsr_site at, fsr_node x, fsr_dtype dtype, const int *axes, int naxes, int flags) {
    return checked_as(at, &(reduction){"prod_as", FSR_OP_MUL, false}, x, dtype, axes, naxes, flags);
}

fsr_node fsr_min_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags) {
    return checked(at, &(reduction){"min", FSR_OP_MINIMUM, true}, RESULT_SAME, x, axes, naxes, flags);
}

fsr_node fsr_max_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags) {
    return checked(at, &(reduction){"max", FSR_OP_MAXIMUM, true}, RESULT_SAME, x, axes, naxes, flags);
}

fsr_node fsr_any_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags) {
    return checked(at, &(reduction){"any", FSR_OP_LOGICAL_OR, false}, RESULT_BOOL, x, axes, naxes, flags);
}

fsr_node fsr_all_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags) {
    return checked(at, &(reduction){"all", FSR_OP_LOGICAL_AND, false}, RESULT_BOOL, x, axes, naxes, flags);
}

fsr_node fsr_count_nonzero_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags) {
    static const reduction r = {"count_nonzero", FSR_OP_ADD, false};
    fsr_node poison;
    uint32_t mask;
    if (!fsr_reduction_take(x, at, r.name, axes, naxes, flags, &mask, &poison))
        return poison;
    return reduce(at, &r, fsr_convert(at, x, FSR_BOOL, false), FSR_I64, axes, naxes, flags);
}

fsr_node fsr_ptp_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags) {
    fsr_node high = checked(at, &(reduction){"ptp", FSR_OP_MAXIMUM, true}, RESULT_SAME, x, axes, naxes, flags);
    fsr_node low = checked(at, &(reduction){"ptp", FSR_OP_MINIMUM, true}, RESULT_SAME, x, axes, naxes, flags);
    return fsr_sub_at(at, high, low);
}
