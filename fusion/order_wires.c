/* SPDX-License-Identifier: MIT */
/* The maps that networks over short rows are made of; see order_parts.h. */
#include "fusion/order_parts.h"

fsr_link fsr_wires_add(fsr_wires *o, const fsr_flow_node *n) {
    const int id = o->failed ? -1 : fsr_flow_add(o->to, n);
    o->failed = id < 0;
    return (fsr_link){o->failed ? 0 : id, 0};
}

/* A node of the site of that in whose place it is. */
static fsr_flow_node blank(const fsr_wires *o, int kind, fsr_dtype dtype) {
    fsr_flow_node n = {.nout = 1};
    n.kind = kind;
    n.shape = o->shape;
    n.dtype[0] = dtype;
    n.site = o->of.site;
    return n;
}

fsr_link fsr_wires_map(fsr_wires *o, fsr_op op, fsr_dtype result, fsr_link a, fsr_link b, fsr_link c) {
    fsr_flow_node n = blank(o, FSR_NODE_MAP, result);
    n.op = op;
    n.nargs = op == FSR_OP_CAST ? 1 : fsr_op_get(op)->arity;
    n.arg[0] = a;
    n.arg[1] = n.nargs > 1 ? b : n.arg[1];
    n.arg[2] = n.nargs > 2 ? c : n.arg[2];
    return fsr_wires_add(o, &n);
}

fsr_link fsr_wires_cast(fsr_wires *o, fsr_link a, fsr_dtype to) {
    return fsr_wires_dtype(o, a) == to ? a : fsr_wires_map(o, FSR_OP_CAST, to, a, a, a);
}

fsr_link fsr_wires_number(fsr_wires *o, fsr_dtype dtype, fsr_value value) {
    fsr_flow_node n = blank(o, FSR_NODE_CONST, dtype), view = blank(o, FSR_NODE_VIEW, dtype);
    n.shape = (fsr_shape){0};
    n.value = value;
    view.nargs = 1;
    view.arg[0] = fsr_wires_add(o, &n);
    return fsr_wires_add(o, &view);
}

fsr_link fsr_wires_element(fsr_wires *o, fsr_link of, int64_t i) {
    fsr_flow_node n = blank(o, FSR_NODE_VIEW, fsr_wires_dtype(o, of));
    const int last = o->shape.ndim - 1;
    n.nargs = 1;
    n.arg[0] = of;
    for (int j = 0; j < last; ++j) {
        n.view.from[j] = (int8_t)j;
        n.view.step[j] = 1;
    }
    n.view.from[last] = -1;
    n.view.start[last] = i;
    return fsr_wires_add(o, &n);
}

fsr_link fsr_wires_stack(fsr_wires *o, const fsr_link *piece, int n) {
    const fsr_dtype dtype = fsr_wires_dtype(o, piece[0]);
    const int last = o->shape.ndim - 1;
    fsr_shape shape = o->shape;
    fsr_link out = fsr_wires_number(o, dtype, (fsr_value){.bits = 0});
    shape.dim[last] = n;
    o->to->node[out.id].shape = o->failed ? o->to->node[out.id].shape : shape;
    for (int i = 0; i < n; ++i) {
        fsr_flow_node paste = blank(o, FSR_NODE_PASTE, dtype);
        paste.shape = shape;
        paste.nargs = 2;
        paste.arg[0] = out;
        paste.arg[1] = piece[i];
        for (int j = 0; j <= last; ++j) {
            paste.view.from[j] = (int8_t)j;
            paste.view.step[j] = 1;
        }
        paste.view.start[last] = i;
        out = fsr_wires_add(o, &paste);
    }
    return out;
}

void fsr_wires_run(fsr_wires *o, const fsr_network *net, fsr_op lesser, fsr_op greater) {
    const fsr_dtype dtype = fsr_wires_dtype(o, o->wire[0]);
    for (int i = 0; i < net->n && !o->failed; ++i) {
        const fsr_exchange *e = &net->exchange[i];
        const fsr_link a = o->wire[e->first], b = o->wire[e->second];
        if (e->gives_first)
            o->wire[e->first] = fsr_wires_map(o, lesser, dtype, a, b, b);
        if (e->gives_second)
            o->wire[e->second] = fsr_wires_map(o, greater, dtype, a, b, b);
    }
}

void fsr_wires_keys(fsr_wires *o) {
    const fsr_dtype dtype = fsr_wires_dtype(o, o->x), real = fsr_dtype_is_half(dtype) ? FSR_F32 : dtype;
    for (int i = 0; i < o->n && !o->failed; ++i) {
        o->wire[i] = fsr_wires_element(o, o->x, i);
        if (fsr_dtype_is_float(dtype))
            o->wire[i] = fsr_wires_map(o, FSR_OP_ORDER_KEY, fsr_op_result(FSR_OP_ORDER_KEY, real),
                                       fsr_wires_cast(o, o->wire[i], real), o->wire[i], o->wire[i]);
    }
}

fsr_link fsr_wires_value(fsr_wires *o, fsr_link key) {
    const fsr_dtype dtype = fsr_wires_dtype(o, o->x), real = fsr_dtype_is_half(dtype) ? FSR_F32 : dtype;
    if (!fsr_dtype_is_float(dtype))
        return key;
    return fsr_wires_cast(o, fsr_wires_map(o, FSR_OP_ORDER_VALUE, real, key, key, key), dtype);
}

fsr_link fsr_wires_choose(fsr_wires *o, fsr_link rank) {
    const fsr_dtype dtype = fsr_wires_dtype(o, o->wire[0]);
    fsr_link out = o->wire[o->n - 1];
    for (int i = o->n - 2; i >= 0 && !o->failed; --i) {
        const fsr_link at = fsr_wires_number(o, FSR_I64, fsr_value_from_int(FSR_I64, i));
        const fsr_link here = fsr_wires_map(o, FSR_OP_LESS_EQUAL, FSR_BOOL, rank, at, at);
        out = fsr_wires_map(o, FSR_OP_WHERE, dtype, here, o->wire[i], out);
    }
    return out;
}
