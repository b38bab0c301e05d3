/* SPDX-License-Identifier: MIT */
/* x[...]: slices, whole numbers, newaxis and "...", one axis after the other, each a view; and arrays of indices.
 *
 * Arrays are taken when all entries are read. Where their axes go is NumPy's rule: beside an array a whole number
 * counts as an array of no dimensions, and what all of these broadcast to stands where the first of them stood, if they
 * are neighbours; else in front of the other axes. A number is a view nevertheless, and only its place is remembered.
 * So one gather does it, of x with the arrays' axes in front, and its result's axes are moved: views, which cost
 * nothing. Counter-example to reading neighbours off the axes that are left: in x[i, 0, :, j] the number's is gone, and
 * in x[i, ..., j] of a matrix there is none between, but both are apart. */
#include "primitives/expr.h"
#include <stdlib.h>

/* How arrays and numbers lie among the entries. */
typedef enum neighbours {
    NONE,
    TOGETHER, /* and the last entry is one of them */
    ENDED,    /* something else followed */
    APART
} neighbours;

/* What an index has of arrays, and where. */
typedef struct picks {
    fsr_node array[FSR_MAX_DIMS];
    int axis[FSR_MAX_DIMS]; /* of x, that each runs along; they grow */
    int n;
    neighbours how;
    int place;         /* axes before the first array or number */
    const char *where; /* the first array */
    bool skipped;      /* "..." was there */
} picks;

/* An array or a number along the next axis. */
static void meets(picks *p, int axis) {
    if (p->how == NONE)
        p->place = axis;
    p->how = p->how == NONE || p->how == TOGETHER ? TOGETHER : APART;
}

/* A slice, newaxis or "...". */
static void passes(picks *p) {
    if (p->how == TOGETHER)
        p->how = ENDED;
}

/* A limit of a slice, omitted before : , ] . The least integer means "omitted" to the builder; the one after it clips
 * alike. */
static int64_t limit(fsr_reading *r) {
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
    stop = limit(r);
    if (fsr_token_take(r, ":"))
        step = limit(r);
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

static bool is_newaxis(const fsr_token *t) {
    return t->kind == FSR_TOKEN_WORD && (fsr_token_says(t, "newaxis") || fsr_token_says(t, "None"));
}

/* The entries up to the end of the index, each of which has an axis of x: all but newaxis. The next token is what
 * follows an entry. */
static int axes_ahead(const fsr_reading *r) {
    int n = 0, depth = 0;
    bool begins = false;
    for (fsr_token t = r->token; t.kind != FSR_TOKEN_END && depth >= 0; t = fsr_token_after(t)) {
        n += begins && !is_newaxis(&t);
        begins = depth == 0 && fsr_token_says(&t, ",");
        depth += fsr_token_turns(&t);
    }
    return n;
}

/* "..." stands for as many axes as the other entries leave. */
FSR_APART static void skip(fsr_reading *r, fsr_node x, int *axis, picks *p) {
    const char *where = r->token.at;
    fsr_token_next(r);
    if (p->skipped)
        fsr_reading_fail(r, where, FSR_ERR_VALUE, "an index has one \"...\" at most");
    const int left = fsr_node_ndim(x) - *axis - axes_ahead(r);
    *axis += left > 0 ? left : 0;
    p->skipped = true;
    passes(p);
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
    if (!p->n)
        p->where = where;
    p->axis[p->n] = axis;
    p->array[p->n++] = array;
    meets(p, axis);
}

/* One entry; axis: the next one of x, counted on. */
static fsr_node entry(fsr_reading *r, fsr_node x, int *axis, picks *p) {
    const char *where = r->token.at;
    int64_t start = FSR_SLICE_END;
    fsr_node array;
    if (is_newaxis(&r->token)) {
        fsr_token_next(r);
        passes(p);
        return fsr_reading_built(r, where, fsr_expand_at(r->at, x, (*axis)++));
    }
    if (fsr_token_is(r, "...")) {
        skip(r, x, axis, p);
        return x;
    }
    if (!fsr_token_is(r, ":") && !fsr_token_is(r, ",") && !fsr_token_is(r, "]") &&
        !read_number(r, where, &array, &start)) {
        pick(r, p, where, array, (*axis)++);
        return x;
    }
    if (fsr_token_is(r, ":")) {
        passes(p);
        return slice(r, where, x, (*axis)++, start);
    }
    if (r->token.at == where)
        return fsr_reading_unexpected(r);
    meets(p, *axis);
    return element(r, where, x, *axis, start);
}

/* x with the arrays' axes in front, in their order. */
static fsr_node arrays_first(fsr_site at, fsr_node x, const picks *p) {
    int to[FSR_MAX_DIMS];
    for (int i = 0; i < p->n; i++)
        to[i] = i;
    return fsr_moveaxis_at(at, x, p->axis, to, p->n);
}

/* x, whose first n axes are the gather's, with these behind `place` others. */
static fsr_node placed(fsr_site at, fsr_node x, int n, int place) {
    int from[FSR_MAX_DIMS], to[FSR_MAX_DIMS];
    for (int i = 0; i < n; i++) {
        from[i] = i;
        to[i] = place + i;
    }
    return fsr_moveaxis_at(at, x, from, to, n);
}

FSR_APART static fsr_node picked(fsr_reading *r, fsr_node x, const picks *p) {
    const int place = p->how == APART ? 0 : p->place;
    if (r->status || !p->n)
        return x;
    if (p->n == 1 && place == p->axis[0])
        return fsr_reading_built(r, p->where, fsr_take_at(r->at, x, p->array[0], place, FSR_INDEX_RAISE));
    const int rest = fsr_node_ndim(x) - p->n;
    x = fsr_reading_built(r, p->where, p->axis[p->n - 1] == p->n - 1 ? x : arrays_first(r->at, x, p));
    if (!r->status)
        x = fsr_reading_built(r, p->where, fsr_index_at(r->at, x, p->array, p->n, FSR_INDEX_RAISE));
    const int own = r->status ? 0 : fsr_node_ndim(x) - rest;
    return place && own ? fsr_reading_built(r, p->where, placed(r->at, x, own, place)) : x;
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
