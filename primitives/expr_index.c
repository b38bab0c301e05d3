/* SPDX-License-Identifier: MIT */
/* x[...]: slices, whole numbers and newaxis, one axis after the other, each a view; and arrays of indices.
 *
 * Arrays are taken when all entries are read: one of them along its axis, several from the first axis on. NumPy moves
 * the axes of arrays that a slice stands between, or a slice between an array and a number, to the front; those are
 * refused. */
#include "primitives/expr.h"
#include <stdlib.h>

/* What an index has of arrays, and what beside them. */
typedef struct picks {
    fsr_node array[FSR_MAX_DIMS];
    int n, axis;       /* axis: of the first */
    const char *where; /* the first */
    bool numbers, slices, apart;
} picks;

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

/* A number, or an array of indices: then false. */
static bool read_number(fsr_reading *r, const char *where, fsr_node *x, int64_t *number) {
    if (!fsr_read_deeper(r))
        return true;
    *x = fsr_read_value(r);
    r->depth--;
    const fsr_rec *rec = r->status ? NULL : fsr_node_rec(*x);
    if (rec && (!rec->weak || rec->dtype[x->output] != FSR_I64) && !fsr_token_is(r, ":"))
        return false;
    if (!r->status && fsr_whole_take(r, where, *x, number) && *number == FSR_SLICE_END)
        ++*number;
    return true;
}

/* An array of indices along the next axis. */
FSR_APART static void pick(fsr_reading *r, picks *p, const char *where, fsr_node array, int axis) {
    if (p->n == FSR_MAX_DIMS) {
        fsr_reading_fail(r, where, FSR_ERR_SHAPE, "more than %d arrays of indices", FSR_MAX_DIMS);
        return;
    }
    p->apart = p->apart || (p->n && axis != p->axis + p->n);
    if (!p->n) {
        p->axis = axis;
        p->where = where;
    }
    p->array[p->n++] = array;
}

/* One entry; axis: the next one of x, counted on. */
static fsr_node entry(fsr_reading *r, fsr_node x, int *axis, picks *p) {
    const char *where = r->token.at;
    int64_t start = FSR_SLICE_END;
    fsr_node array;
    if (takes_newaxis(r)) {
        p->slices = true;
        return fsr_reading_built(r, where, fsr_expand_at(r->at, x, (*axis)++));
    }
    if (!fsr_token_is(r, ":") && !fsr_token_is(r, ",") && !fsr_token_is(r, "]") &&
        !read_number(r, where, &array, &start)) {
        pick(r, p, where, array, (*axis)++);
        return x;
    }
    if (fsr_token_is(r, ":")) {
        p->slices = true;
        return slice(r, where, x, (*axis)++, start);
    }
    if (r->token.at == where)
        return fsr_reading_unexpected(r);
    p->numbers = true;
    return element(r, where, x, *axis, start);
}

FSR_APART static fsr_node picked(fsr_reading *r, fsr_node x, const picks *p) {
    if (r->status || !p->n)
        return x;
    if (p->apart || (p->numbers && p->slices) || (p->n > 1 && p->axis > 0))
        return fsr_reading_fail(r, p->where, FSR_ERR_UNSUPPORTED,
                                "several arrays of indices, or one beside a number, only along the first axes");
    if (p->n == 1)
        return fsr_reading_built(r, p->where, fsr_take_at(r->at, x, p->array[0], p->axis, FSR_BOUND_RAISE));
    return fsr_reading_built(r, p->where, fsr_index_at(r->at, x, p->array, p->n, FSR_BOUND_RAISE));
}

/* What an index has is kept on the heap: indices within indices are read on the stack. */
fsr_node fsr_read_index(fsr_reading *r, fsr_node x) {
    picks *p = calloc(1, sizeof *p);
    int axis = 0;
    if (!p)
        return fsr_reading_fail(r, r->token.at, FSR_ERR_MEMORY, "out of memory");
    fsr_token_expect(r, "[");
    do
        x = entry(r, x, &axis, p);
    while (fsr_token_take(r, ","));
    fsr_token_expect(r, "]");
    x = picked(r, x, p);
    free(p);
    return x;
}
