/* SPDX-License-Identifier: MIT */
/* x[...]: slices, whole numbers and newaxis, one axis after the other. Each is a view. */
#include "primitives/expr.h"

/* A bound of a slice, omitted before : , ] . The least integer means "omitted" to the builder; the one after it clips
 * alike. */
static int64_t bound(fsr_reading *r) {
    int64_t value = FSR_SLICE_END;
    if (fsr_token_is(r, ":") || fsr_token_is(r, ",") || fsr_token_is(r, "]"))
        return value;
    if (fsr_read_whole(r, &value) && value == FSR_SLICE_END)
        value++;
    return value;
}

/* The rest of a slice, the next token being its first colon. */
static fsr_node slice(fsr_reading *r, const char *where, fsr_node x, int axis, int64_t start) {
    int64_t stop, step = 1;
    fsr_token_expect(r, ":");
    stop = bound(r);
    if (fsr_token_take(r, ":"))
        step = bound(r);
    if (step == FSR_SLICE_END)
        step = 1;
    return r->status ? (fsr_node){0} : fsr_reading_built(r, where, fsr_slice_at(r->at, x, axis, start, stop, step));
}

/* The element i along an axis, which goes. */
FSR_APART static fsr_node element(fsr_reading *r, const char *where, fsr_node x, int axis, int64_t i) {
    int64_t extent = fsr_node_dim(x, axis);
    if (r->status)
        return (fsr_node){0};
    if (extent >= 0 && (i < -extent || i >= extent))
        return fsr_reading_fail(r, where, FSR_ERR_VALUE, "axis %d of %s has no element %lld", axis, fsr_say(x).text,
                                (long long)i);
    i += i < 0 && extent >= 0 ? extent : 0;
    x = fsr_reading_built(r, where, fsr_slice_at(r->at, x, axis, i, extent < 0 ? i : i + 1, 1));
    return r->status ? (fsr_node){0} : fsr_reading_built(r, where, fsr_squeeze_at(r->at, x, axis));
}

FSR_APART static bool takes_newaxis(fsr_reading *r) {
    if (r->token.kind != FSR_TOKEN_WORD || !fsr_token_says(&r->token, "newaxis"))
        return false;
    fsr_token_next(r);
    return true;
}

/* One entry; axis: the next one of x, counted on. */
static fsr_node entry(fsr_reading *r, fsr_node x, int *axis) {
    const char *where = r->token.at;
    if (takes_newaxis(r))
        return fsr_reading_built(r, where, fsr_expand_at(r->at, x, (*axis)++));
    int64_t start = bound(r);
    if (fsr_token_is(r, ":"))
        return slice(r, where, x, (*axis)++, start);
    if (r->token.at == where)
        return fsr_reading_unexpected(r);
    return element(r, where, x, *axis, start);
}

fsr_node fsr_read_index(fsr_reading *r, fsr_node x) {
    int axis = 0;
    fsr_token_expect(r, "[");
    do
        x = entry(r, x, &axis);
    while (fsr_token_take(r, ","));
    fsr_token_expect(r, "]");
    return x;
}
