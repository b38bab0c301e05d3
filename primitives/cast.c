/* SPDX-License-Identifier: MIT */
/* Conversions: the caller's casts, and those that promotion inserts.
 *
 * A literal is converted now; fsr_float(2) with an f32 array is an f32 literal, not a cast of an f64. Everything else
 * gets a MAP CAST node, which no pass may elide. */
#include "graph/floats.h"
#include "primitives/primitives.h"

static fsr_value converted(fsr_dtype to, fsr_dtype from, fsr_value value) {
    FSR_DEFAULT_FLOATS;
    return fsr_value_cast(to, from, value);
}

static fsr_node cast_node(fsr_site at, fsr_node x, fsr_dtype dtype, bool weak) {
    fsr_node handle;
    const fsr_type type = {fsr_node_rec(x)->shape, 1, {dtype}};
    fsr_rec *rec = fsr_graph_add(x.graph, at, "cast", FSR_NODE_MAP, &type, &handle);
    if (!rec)
        return handle;
    const fsr_rec *from = fsr_node_rec(x);
    rec->op = FSR_OP_CAST;
    rec->length = from->length;
    rec->nargs = 1;
    rec->arg[0] = (fsr_ref){x.id, x.output};
    rec->weak = weak;
    if (weak)
        rec->value = converted(dtype, from->dtype[x.output], from->value);
    return handle;
}

fsr_node fsr_convert(fsr_site at, fsr_node x, fsr_dtype dtype, bool weak) {
    const fsr_rec *rec = fsr_node_sound(x);
    if (!rec)
        return x;
    fsr_dtype from = rec->dtype[x.output];
    if (from == dtype && rec->weak == weak)
        return x;
    if (fsr_is(rec->kind, FSR_IS_LITERAL) && rec->weak)
        return fsr_literal(x.graph, at, dtype, converted(dtype, from, rec->value), weak);
    return cast_node(at, x, dtype, weak);
}

fsr_node fsr_strong(fsr_site at, fsr_node x) {
    const fsr_rec *rec = fsr_node_sound(x);
    return rec && rec->weak ? fsr_convert(at, x, rec->dtype[x.output], false) : x;
}

fsr_node fsr_integers(fsr_site at, fsr_node x) {
    if (fsr_node_dtype(x) == FSR_U64)
        x = fsr_minimum_at(at, fsr_strong(at, x),
                           fsr_literal(x.graph, at, FSR_U64, (fsr_value){.u64 = INT64_MAX}, false));
    return fsr_convert(at, x, FSR_I64, false);
}

/* Whole numbers that a float was made, as of 32 bits: what is beyond them is beyond them as of 64. Else x. */
static fsr_node short_whole(fsr_site at, fsr_node x) {
    const fsr_rec *rec = fsr_node_sound(x);
    if (!rec || !fsr_has(rec->kind, FSR_FIELD_op) || rec->op != FSR_OP_CAST || rec->dtype[0] != FSR_I64 ||
        rec->hint == FSR_HINT_MATERIALIZE || rec->buffer[0])
        return x;
    const fsr_node from = fsr_graph_handle(x.graph, rec->arg[0].id, rec->arg[0].output);
    const fsr_dtype dtype = fsr_node_dtype(from);
    return fsr_dtype_is_inexact(dtype) && !fsr_dtype_is_complex(dtype) ? fsr_convert(at, from, FSR_I32, false) : x;
}

fsr_node fsr_within(fsr_site at, fsr_node x, int64_t most) {
    if (most <= INT32_MAX)
        x = short_whole(at, x);
    const fsr_dtype dtype = fsr_node_dtype(x) == FSR_I32 && most <= INT32_MAX ? FSR_I32 : FSR_I64;
    const fsr_node whole = dtype == FSR_I32 ? fsr_strong(at, x) : fsr_integers(at, x);
    const fsr_node end = fsr_convert(at, fsr_count_i64(x.graph, at, most), dtype, false);
    return fsr_minimum_at(at, fsr_maximum_at(at, whole, fsr_int_at(at, x.graph, 0)), end);
}

fsr_node fsr_whole(fsr_site at, fsr_node like, int64_t value) {
    return fsr_int_at(at, like.graph, value);
}

fsr_node fsr_i64(fsr_site at, fsr_node like, int64_t value) {
    return fsr_literal(like.graph, at, FSR_I64, fsr_value_from_int(FSR_I64, value), false);
}

/* Each dtype once is as many as there can be, however many nodes there are. */
fsr_dtype fsr_common_dtype(const fsr_node *x, int n) {
    fsr_dtype dtype[FSR_DTYPE_COUNT];
    bool there[FSR_DTYPE_COUNT] = {false};
    int count = 0;
    for (int i = 0; i < n; i++)
        if (!fsr_node_rec(x[i])->weak)
            there[fsr_node_dtype(x[i])] = true;
    for (int d = 0; d < FSR_DTYPE_COUNT; d++)
        if (there[d])
            dtype[count++] = (fsr_dtype)d;
    return fsr_dtype_promote_all(dtype, count);
}

fsr_node fsr_cast_at(fsr_site at, fsr_node x, fsr_dtype dtype) {
    fsr_graph *g;
    fsr_node poison;
    fsr_shape shape;
    if (fsr_poison_of_any(at, "cast", &x, 1, &g, &poison))
        return poison;
    const fsr_rec *rec = fsr_node_rec(x);
    if (!fsr_shape_take(g, at, "cast", dtype, rec->shape.ndim, rec->shape.dim, &shape, &poison))
        return poison;
    return fsr_convert(at, x, dtype, false);
}
