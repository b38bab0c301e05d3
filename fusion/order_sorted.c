/* SPDX-License-Identifier: MIT */
/* The first of short rows in order, and where they were: what the calls "sort", "least" and "greatest" give.
 *
 * Of equal elements the earlier one is first, and -0 equals 0. Integers that are equal cannot be told apart, so any
 * network does. Floats are exchanged with their neighbours alone (fmin or fmax takes the first of two that are equal,
 * maximum or minimum the second, and NaN): counter-example to keys, as ranks have them: zeros of both signs would
 * change places. Places lie below their keys in one word, and no two words are equal; -0 + 0 has the key of 0. */
#include "fusion/order_parts.h"
#include <math.h>

static unsigned all_of(int n) {
    return (unsigned)((UINT64_C(1) << n) - 1);
}

/* The exchanges of which wires [0, k), or of descending integers [n - k, n), are the result. */
static void network(fsr_network *net, fsr_dtype dtype, int n, int k, bool descending) {
    const bool real = fsr_dtype_is_float(dtype);
    fsr_network_make(net, n, real, descending && !real ? all_of(n) & ~all_of(n - k) : all_of(k));
}

int fsr_wires_sorted_ops(fsr_dtype dtype, int n, int k, bool descending) {
    fsr_network net;
    network(&net, dtype, n, k, descending);
    return net.ops + (fsr_dtype_is_float(dtype) ? 2 * k : 0) + (fsr_dtype_is_half(dtype) ? n + k : 0);
}

/* NaN comes out as the usual one. */
static fsr_link usual(fsr_wires *o, fsr_link value) {
    const fsr_dtype dtype = fsr_wires_dtype(o, value);
    const fsr_link nan = fsr_wires_number(o, dtype, fsr_value_from_double(dtype, (double)NAN));
    const fsr_link is = fsr_wires_map(o, FSR_OP_ISNAN, FSR_BOOL, value, value, value);
    return fsr_wires_map(o, FSR_OP_WHERE, dtype, is, nan, value);
}

void fsr_wires_sorted(fsr_wires *o, int k, bool descending, fsr_link *out) {
    const fsr_dtype dtype = fsr_wires_dtype(o, o->x);
    const bool real = fsr_dtype_is_float(dtype);
    fsr_network net;
    network(&net, dtype, o->n, k, descending);
    for (int i = 0; i < o->n; ++i)
        o->wire[i] = fsr_wires_cast(o, fsr_wires_element(o, o->x, i), fsr_dtype_is_half(dtype) ? FSR_F32 : dtype);
    if (!real)
        fsr_wires_run(o, &net, FSR_OP_MINIMUM, FSR_OP_MAXIMUM);
    else if (descending)
        fsr_wires_run(o, &net, FSR_OP_FMAX, FSR_OP_MINIMUM);
    else
        fsr_wires_run(o, &net, FSR_OP_FMIN, FSR_OP_MAXIMUM);
    for (int i = 0; i < k; ++i)
        out[i] = real ? fsr_wires_cast(o, usual(o, o->wire[i]), dtype) : o->wire[descending ? o->n - 1 - i : i];
}

/* ---- places -------------------------------------------------------------------------------------------------- */

enum { PLACE_BITS = 32 };

bool fsr_wires_has_places(fsr_dtype dtype) {
    return fsr_dtype_size(dtype) <= 4;
}

int fsr_wires_places_ops(int n, int k) {
    fsr_network net;
    fsr_network_make(&net, n, false, all_of(k));
    return net.ops + 6 * n + 2 * k;
}

/* The key of an element of 32 bits at most, as an i64 in the range of an i32. */
static fsr_link wide_key(fsr_wires *o, fsr_link x, bool descending) {
    const fsr_dtype dtype = fsr_wires_dtype(o, x);
    if (!fsr_dtype_is_float(dtype)) {
        const fsr_link least = fsr_wires_number(o, FSR_I64, fsr_value_from_int(FSR_I64, INT32_MIN));
        x = fsr_wires_cast(o, x, FSR_I64);
        x = dtype == FSR_U32 ? fsr_wires_map(o, FSR_OP_ADD, FSR_I64, x, least, least) : x;
        return descending ? fsr_wires_map(o, FSR_OP_BITWISE_INVERT, FSR_I64, x, x, x) : x;
    }
    const fsr_link zero = fsr_wires_number(o, FSR_F32, fsr_value_from_double(FSR_F32, 0));
    x = fsr_wires_map(o, FSR_OP_ADD, FSR_F32, fsr_wires_cast(o, x, FSR_F32), zero, zero);
    if (descending)
        x = fsr_wires_map(o, FSR_OP_NEG, FSR_F32, x, x, x);
    return fsr_wires_cast(o, fsr_wires_map(o, FSR_OP_ORDER_KEY, FSR_I32, x, x, x), FSR_I64);
}

void fsr_wires_places(fsr_wires *o, int k, bool descending, fsr_dtype dtype, fsr_link *out) {
    const fsr_link shift = fsr_wires_number(o, FSR_I64, fsr_value_from_int(FSR_I64, PLACE_BITS));
    fsr_network net;
    fsr_network_make(&net, o->n, false, all_of(k));
    for (int i = 0; i < o->n; ++i) {
        const fsr_link key = wide_key(o, fsr_wires_element(o, o->x, i), descending);
        const fsr_link high = fsr_wires_map(o, FSR_OP_LEFT_SHIFT, FSR_I64, key, shift, shift);
        const fsr_link place = fsr_wires_number(o, FSR_I64, fsr_value_from_int(FSR_I64, i));
        o->wire[i] = fsr_wires_map(o, FSR_OP_BITWISE_OR, FSR_I64, high, place, place);
    }
    fsr_wires_run(o, &net, FSR_OP_MINIMUM, FSR_OP_MAXIMUM);
    for (int i = 0; i < k; ++i)
        out[i] = fsr_wires_cast(o, fsr_wires_cast(o, o->wire[i], FSR_U32), dtype);
}
