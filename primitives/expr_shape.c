/* SPDX-License-Identifier: MIT */
/* name(...): functions that make, join, repeat and assign to arrays.
 *
 * A table row says how many operands a function takes, how many of the last ones are whole numbers known now, and which
 * options; what it does is a function of the row. An operand that may be left out has a value for it. Counter-example
 * to whole numbers as options of their own: every function's would need a name and a place in the list of options. */
#include "primitives/expr_shape.h"
#include <string.h>

/* ---- arrays from numbers ------------------------------------------------------------------------------------ */

/* A literal as a double. */
bool fsr_shape_number(const fsr_shape_call *s, int i, double *value) {
    const fsr_rec *rec = fsr_node_rec(s->x[i]);
    if (rec && rec->weak && !fsr_dtype_is_complex(rec->dtype[0])) {
        *value = fsr_value_to_double(rec->dtype[0], rec->value);
        return true;
    }
    fsr_reading_fail(s->r, s->c->where[i], FSR_ERR_VALUE, "a number of literals is needed here");
    return false;
}

/* One of the numbers is no whole one. */
static bool is_broken(const fsr_shape_call *s) {
    for (int i = 0; i < s->n; i++) {
        const fsr_rec *rec = fsr_node_rec(s->x[i]);
        if (rec && rec->weak && rec->dtype[0] == FSR_F64)
            return true;
    }
    return false;
}

static fsr_node broken_arange(const fsr_shape_call *s) {
    double number[3] = {0, 0, 1};
    for (int i = 0; i < s->n; i++)
        if (!fsr_shape_number(s, i, &number[i + (s->n == 1)]))
            return (fsr_node){0};
    return fsr_arange_step_at(s->at, s->r->g, FSR_F64, number[0], number[1], number[2]);
}

static fsr_node arange(const fsr_shape_call *s) {
    int64_t whole[3] = {0, 0, 1};
    if (is_broken(s))
        return broken_arange(s);
    for (int i = 0; i < s->n; i++)
        if (!fsr_whole_take(s->r, s->c->where[i], s->x[i], &whole[i + (s->n == 1)]))
            return (fsr_node){0};
    const int64_t start = whole[0], stop = whole[1], step = whole[2];
    __int128 span = (__int128)stop - start;
    if (step == 0)
        return fsr_reading_fail(s->r, s->c->where[2], FSR_ERR_VALUE, "the step is 0");
    __int128 count = span == 0 || (span > 0) != (step > 0) ? 0 : (span + step - (step > 0 ? 1 : -1)) / step;
    if (count > INT64_MAX)
        return fsr_reading_fail(s->r, s->c->where[0], FSR_ERR_SIZE, "too many elements");
    fsr_node x = fsr_arange_at(s->at, s->r->g, FSR_I64, (int64_t)count);
    if (step != 1)
        x = fsr_mul_at(s->at, x, fsr_int_at(s->at, s->r->g, step));
    return start ? fsr_add_at(s->at, x, fsr_int_at(s->at, s->r->g, start)) : x;
}

static fsr_node linspace(const fsr_shape_call *s) {
    double start, stop;
    if (!fsr_shape_number(s, 0, &start) || !fsr_shape_number(s, 1, &stop))
        return (fsr_node){0};
    return fsr_linspace_at(s->at, s->r->g, FSR_F64, start, stop, s->whole[0], true);
}

static fsr_node eye(const fsr_shape_call *s) {
    int64_t cols = s->n > 1 ? s->whole[1] : s->whole[0];
    return fsr_eye_at(s->at, s->r->g, FSR_F64, s->whole[0], cols, s->n > 2 ? s->whole[2] : 0);
}

static fsr_node full(const fsr_shape_call *s) {
    return fsr_broadcast_to_at(s->at, s->x[0], s->nlist, s->list);
}
static fsr_node zeros(const fsr_shape_call *s) {
    return fsr_zeros_at(s->at, s->r->g, FSR_F64, s->nlist, s->list);
}
static fsr_node ones(const fsr_shape_call *s) {
    return fsr_ones_at(s->at, s->r->g, FSR_F64, s->nlist, s->list);
}
static fsr_node zeros_like(const fsr_shape_call *s) {
    return fsr_full_like_at(s->at, s->x[0], 0);
}
static fsr_node ones_like(const fsr_shape_call *s) {
    return fsr_full_like_at(s->at, s->x[0], 1);
}

/* ---- arrays from arrays --------------------------------------------------------------------------------------- */

static fsr_node ravel(const fsr_shape_call *s) {
    return fsr_ravel_at(s->at, s->x[0]);
}

int fsr_shape_axis(int64_t whole) {
    return whole < -FSR_MAX_DIMS ? -FSR_MAX_DIMS - 1 : whole > FSR_MAX_DIMS ? FSR_MAX_DIMS + 1 : (int)whole;
}

static fsr_node swapaxes(const fsr_shape_call *s) {
    return fsr_swapaxes_at(s->at, s->x[0], fsr_shape_axis(s->whole[0]), fsr_shape_axis(s->whole[1]));
}
static fsr_node roll(const fsr_shape_call *s) {
    return fsr_roll_at(s->at, s->x[0], &s->whole[0], s->axes, 1);
}
static fsr_node repeat(const fsr_shape_call *s) {
    return fsr_repeat_at(s->at, s->x[0], s->whole[0], s->axes);
}
static fsr_node diff(const fsr_shape_call *s) {
    int64_t n = s->n > 1 ? s->whole[0] : 1;
    if (n > INT32_MAX || n < INT32_MIN)
        return fsr_reading_fail(s->r, s->c->where[1], FSR_ERR_VALUE, "no difference has the order %lld", (long long)n);
    return fsr_diff_at(s->at, s->x[0], (int)n, s->axes ? *s->axes : -1);
}
static fsr_node triu(const fsr_shape_call *s) {
    return fsr_triu_at(s->at, s->x[0], s->n > 1 ? s->whole[0] : 0);
}
static fsr_node tril(const fsr_shape_call *s) {
    return fsr_tril_at(s->at, s->x[0], s->n > 1 ? s->whole[0] : 0);
}
static fsr_node concat(const fsr_shape_call *s) {
    return fsr_concat_at(s->at, s->x, s->n, s->axes ? *s->axes : 0);
}
static fsr_node stack(const fsr_shape_call *s) {
    return fsr_stack_at(s->at, s->x, s->n, s->axes ? *s->axes : 0);
}
static fsr_node update(const fsr_shape_call *s) {
    return fsr_update_at(s->at, s->x[0], s->x[1], s->x[2]);
}

static fsr_node tile(const fsr_shape_call *s) {
    return fsr_tile_at(s->at, s->x[0], s->nlist, s->list);
}

/* [before, after] of every axis, or of each; one number: before and after every one. */
static fsr_node pad(const fsr_shape_call *s) {
    int64_t width[FSR_MAX_DIMS][2];
    int ndim = fsr_node_ndim(s->x[0]);
    if (s->nlist != 1 && s->nlist != 2 && s->nlist != 2 * ndim)
        return fsr_reading_fail(s->r, s->c->option_at[FSR_OPTION_AXES], FSR_ERR_VALUE,
                                "pad takes one or two numbers, or two for each axis of %s", fsr_say(s->x[0]).text);
    for (int i = 0; i < ndim; i++)
        for (int end = 0; end < 2; end++)
            width[i][end] = s->list[s->nlist == 1 ? 0 : s->nlist == 2 ? end : 2 * i + end];
    return fsr_pad_at(s->at, s->x[0], (const int64_t(*)[2])width, (fsr_pad)s->c->mode,
                      s->c->given & FSR_ARGS_VALUE ? s->c->number[FSR_OPTION_VALUE] : 0);
}

static fsr_node filter(const fsr_shape_call *s) {
    return fsr_filter_at(s->at, s->x[0], s->x[1], s->n > 2 ? s->x[2] : fsr_int_at(s->at, s->r->g, 0));
}

static fsr_node compress(const fsr_shape_call *s) {
    return fsr_compress_at(s->at, s->x[0], s->x[1]);
}

static fsr_node flatnonzero(const fsr_shape_call *s) {
    return fsr_flatnonzero_at(s->at, s->x[0]);
}

static fsr_node isin(const fsr_shape_call *s) {
    return fsr_isin_at(s->at, s->x[0], s->x[1]);
}

static fsr_node update_mask(const fsr_shape_call *s) {
    return fsr_update_mask_at(s->at, s->x[0], s->x[1], s->x[2]);
}

static fsr_node filled(const fsr_shape_call *s) {
    return fsr_filled_at(s->at, s->x[0], s->n > 1 ? s->x[1] : fsr_int_at(s->at, s->r->g, 0));
}

static fsr_node average(const fsr_shape_call *s) {
    return fsr_average_at(s->at, s->x[0], s->x[1], s->axes, s->nlist, fsr_args_keepdims(s->c));
}

enum { ALL = FSR_ARGS_MAX };
static const fsr_shape_row rows[] = {
    {.name = "arange", arange, 1, 3, 3},
    {.name = "linspace", linspace, 3, 3, 2},
    {.name = "eye", eye, 1, 3, 0},
    {.name = "full", full, 1, 1, 1, .list = 2, .leads = true},
    {.name = "zeros", zeros, 0, 0, 0, .list = 2},
    {.name = "ones", ones, 0, 0, 0, .list = 2},
    {.name = "zeros_like", zeros_like, 1, 1, 1},
    {.name = "ones_like", ones_like, 1, 1, 1},
    {.name = "ravel", ravel, 1, 1, 1},
    {.name = "swapaxes", swapaxes, 3, 3, 1},
    {.name = "roll", roll, 2, 2, 1, .axis = true},
    {.name = "repeat", repeat, 2, 2, 1, .axis = true},
    {.name = "diff", diff, 1, 2, 1, .axis = true},
    {.name = "triu", triu, 1, 2, 1},
    {.name = "tril", tril, 1, 2, 1},
    {.name = "concat", concat, 1, ALL, ALL, .axis = true, .joins = true},
    {.name = "stack", stack, 1, ALL, ALL, .axis = true, .joins = true},
    {.name = "update", update, 3, 3, 3},
    {.name = "tile", tile, 1, 1, 1, .list = 2},
    {.name = "pad", pad, 1, 1, 1, .list = 2, .options = FSR_ARGS_VALUE | FSR_ARGS_MODE},
    {.name = "filter", filter, 2, 3, 3},
    {.name = "compress", compress, 2, 2, 2},
    {.name = "flatnonzero", flatnonzero, 1, 1, 1},
    {.name = "isin", isin, 2, 2, 2},
    {.name = "update_mask", update_mask, 3, 3, 3},
    {.name = "filled", filled, 1, 2, 2},
    {.name = "average", average, 2, 2, 2, .list = 1, .axis = true, .options = FSR_ARGS_KEEPDIMS},
};

/* ---- the call --------------------------------------------------------------------------------------------------- */

static bool count_fits(fsr_reading *r, const fsr_shape_row *row, const fsr_args *c) {
    if (c->n >= row->least && c->n <= row->most)
        return true;
    if (row->least == row->most)
        return fsr_args_are(r, c, row->least);
    fsr_reading_fail(r, c->name.at, FSR_ERR_VALUE, "%s takes %d to %d operands, not %d", row->name, row->least,
                     row->most, c->n);
    return false;
}

static bool list_fits(fsr_reading *r, const fsr_shape_row *row, const fsr_args *c) {
    if (row->list < 2 || (fsr_args_axes_of(c) && !c->named))
        return true;
    fsr_reading_fail(r, c->name.at, FSR_ERR_VALUE, "%s takes a list of numbers", row->name);
    return false;
}

static bool arguments_fit(fsr_reading *r, const fsr_shape_row *row, fsr_args *c) {
    unsigned allowed = row->options | (row->axis || row->list ? FSR_ARGS_AXES : 0);
    int n = c->listed ? c->listed : row->axis && c->n > row->most ? row->most : -2;
    if (!r->status && row->list == 2 && c->n == row->most + 1 && !(c->given & FSR_ARGS_AXES))
        fsr_args_list(r, c, row->leads ? 0 : row->most);
    bool axes = row->axis ? fsr_args_axes(r, c, n) && (row->list || fsr_args_one_axis(r, c, false)) : !r->status;
    return axes && count_fits(r, row, c) && list_fits(r, row, c) && fsr_args_options(r, c, allowed);
}

static fsr_node build(fsr_reading *r, const fsr_shape_row *row, const fsr_args *c) {
    fsr_shape_call s = {
        .r = r, .c = c, .at = r->at, .x = c->x, .n = c->n, .nlist = c->nlist, .axes = fsr_args_axes_of(c)};
    memcpy(s.list, c->list, sizeof s.list);
    for (int i = row->wholes; i < c->n; i++)
        if (!fsr_whole_take(r, c->where[i], c->x[i], &s.whole[i - row->wholes]))
            return (fsr_node){0};
    return row->build(&s);
}

static const fsr_shape_row *const more[] = {fsr_shape_reach, fsr_shape_segments};

static const fsr_shape_row *row_of(const fsr_args *c) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (fsr_args_name(c, rows[i].name))
            return &rows[i];
    for (size_t t = 0; t < sizeof more / sizeof *more; t++)
        for (const fsr_shape_row *row = more[t]; row->name; row++)
            if (fsr_args_name(c, row->name))
                return row;
    return NULL;
}

bool fsr_args_shape(fsr_reading *r, fsr_args *c, fsr_node *out) {
    const fsr_shape_row *row = row_of(c);
    if (row && arguments_fit(r, row, c))
        *out = build(r, row, c);
    return row != NULL;
}

bool fsr_args_joins(const fsr_args *c) {
    const fsr_shape_row *row = row_of(c);
    return row && row->joins;
}

void fsr_args_shape_offer(fsr_nearest *near) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        fsr_nearest_offer(near, rows[i].name);
    for (size_t t = 0; t < sizeof more / sizeof *more; t++)
        for (const fsr_shape_row *row = more[t]; row->name; row++)
            fsr_nearest_offer(near, row->name);
}
