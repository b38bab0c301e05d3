/* SPDX-License-Identifier: MIT */
/* name(...): reductions, scans, views, casts by the dtype's name, and every row of the table of scalar ops; what makes,
 * joins and repeats arrays is in expr_shape.c.
 *
 * An unnamed number after the operand of a reduction, scan or view is its axis. max and min: several operands are the
 * elementwise maximum and minimum, so an unnamed number is an operand there, and their axes are written axis=0 or
 * [0]. */
#include "primitives/expr_call.h"
#include <stdlib.h>
#include <string.h>

/* ---- functions; each returns false if the name is not one of its own ---------------------------------------- */

typedef fsr_node reduction_fn(fsr_site at, fsr_node x, const int *axes, int naxes, int flags);
typedef fsr_node numbered_fn(fsr_site at, fsr_node x, const int *axes, int naxes, int flags, double number);
typedef fsr_node typed_fn(fsr_site at, fsr_node x, fsr_dtype dtype, const int *axes, int naxes, int flags);

/* A reduction: one of the two signatures. option: what the number is. */
typedef struct reduction {
    const char *name;
    reduction_fn *build;
    numbered_fn *numbered;
    typed_fn *typed; /* with dtype=; NULL: takes none */
    bool one;        /* takes one axis, or none */
    int option;
    double otherwise; /* the number that is not given */
} reduction;

static const reduction reductions[] = {
    {.name = "sum", .build = fsr_sum_at, .typed = fsr_sum_as_at},
    {.name = "prod", .build = fsr_prod_at, .typed = fsr_prod_as_at},
    {.name = "min", .build = fsr_min_at},
    {.name = "max", .build = fsr_max_at},
    {.name = "mean", .build = fsr_mean_at, .typed = fsr_mean_as_at},
    {.name = "any", .build = fsr_any_at},
    {.name = "all", .build = fsr_all_at},
    {.name = "ptp", .build = fsr_ptp_at},
    {.name = "count_nonzero", .build = fsr_count_nonzero_at},
    {.name = "logsumexp", .build = fsr_logsumexp_at},
    {.name = "nansum", .build = fsr_nansum_at},
    {.name = "nanprod", .build = fsr_nanprod_at},
    {.name = "nanmin", .build = fsr_nanmin_at},
    {.name = "nanmax", .build = fsr_nanmax_at},
    {.name = "nanmean", .build = fsr_nanmean_at},
    {.name = "median", .build = fsr_median_at},
    {.name = "nanmedian", .build = fsr_nanmedian_at},
    {.name = "var", .numbered = fsr_var_at, .option = FSR_OPTION_DDOF},
    {.name = "std", .numbered = fsr_std_at, .option = FSR_OPTION_DDOF},
    {.name = "nanvar", .numbered = fsr_nanvar_at, .option = FSR_OPTION_DDOF},
    {.name = "nanstd", .numbered = fsr_nanstd_at, .option = FSR_OPTION_DDOF},
    {.name = "norm", .numbered = fsr_norm_at, .option = FSR_OPTION_ORD, .otherwise = 2},
    {.name = "argmax", .build = fsr_argmax_at, .one = true},
    {.name = "argmin", .build = fsr_argmin_at, .one = true},
    {.name = "nanargmax", .build = fsr_nanargmax_at, .one = true},
    {.name = "nanargmin", .build = fsr_nanargmin_at, .one = true},
};

static fsr_node build_reduction(fsr_site at, const reduction *f, const fsr_args *c) {
    const int *axes = fsr_args_axes_of(c), flags = fsr_args_keepdims(c);
    if (c->given & FSR_ARGS_DTYPE)
        return f->typed(at, c->x[0], c->dtype, axes, c->nlist, flags);
    if (f->build)
        return f->build(at, c->x[0], axes, c->nlist, flags);
    double number = c->given >> f->option & 1 ? c->number[f->option] : f->otherwise;
    return f->numbered(at, c->x[0], axes, c->nlist, flags, number);
}

static bool call_reduction(fsr_reading *r, fsr_args *c, fsr_node *out) {
    for (size_t i = 0; i < sizeof reductions / sizeof *reductions; i++) {
        const reduction *f = &reductions[i];
        if (!fsr_args_name(c, f->name))
            continue;
        unsigned allowed =
            FSR_ARGS_AXES | FSR_ARGS_KEEPDIMS | (f->numbered ? 1u << f->option : 0) | (f->typed ? FSR_ARGS_DTYPE : 0);
        bool good = fsr_args_axes(r, c, 1) && fsr_args_are(r, c, 1) && fsr_args_options(r, c, allowed);
        if (good && (!f->one || fsr_args_one_axis(r, c, false)))
            *out = build_reduction(r->at, f, c);
        return true;
    }
    return false;
}

/* The extreme of several operands. They are given their common dtype first: pair by pair i8, u8 and f16 would be
 * f32. */
static fsr_node extreme_of(fsr_site at, fsr_op op, const fsr_node *x, int n) {
    const fsr_dtype dtype = fsr_common_dtype(x, n);
    fsr_node out = {0};
    for (int i = 0; i < n; i++) {
        fsr_node next = n == 2 || fsr_node_rec(x[i])->weak ? x[i] : fsr_convert(at, x[i], dtype, false);
        out = i ? fsr_map(at, op, (fsr_node[]){out, next}, 2) : next;
    }
    return out;
}

/* max and min of several operands; their aliases are reductions alone, whose second operand is an axis. */
static bool call_extremes(fsr_reading *r, fsr_args *c, fsr_node *out) {
    if (c->n < 2 || c->ours || (!fsr_args_name(c, "max") && !fsr_args_name(c, "min")))
        return false;
    if (!fsr_args_options(r, c, 0))
        return true;
    *out = extreme_of(r->at, fsr_args_name(c, "max") ? FSR_OP_MAXIMUM : FSR_OP_MINIMUM, c->x, c->n);
    return true;
}

typedef struct scan {
    const char *name;
    bool flat; /* without an axis: over the flat array as NumPy's cumsum, else along axis 0 as maximum.accumulate */
    reduction_fn *build;
    typed_fn *typed;
} scan;

static const scan scans[] = {{"cumsum", true, fsr_cumsum_at, fsr_cumsum_as_at},
                             {"cumprod", true, fsr_cumprod_at, fsr_cumprod_as_at},
                             {"cummax", false, fsr_cummax_at, NULL},
                             {"cummin", false, fsr_cummin_at, NULL},
                             {"cumany", false, fsr_cumany_at, NULL},
                             {"cumall", false, fsr_cumall_at, NULL}};

static bool call_scan(fsr_reading *r, fsr_args *c, fsr_node *out) {
    size_t i = 0, n = sizeof scans / sizeof *scans;
    while (i < n && !fsr_args_name(c, scans[i].name))
        i++;
    if (i == n)
        return false;
    if (!fsr_args_axes(r, c, 1) || !fsr_args_are(r, c, 1) ||
        !fsr_args_options(
            r, c, FSR_ARGS_AXES | FSR_ARGS_EXCLUSIVE | FSR_ARGS_REVERSE | (scans[i].typed ? FSR_ARGS_DTYPE : 0)) ||
        !fsr_args_one_axis(r, c, false))
        return true;
    int flags = (c->given & FSR_ARGS_EXCLUSIVE ? FSR_EXCLUSIVE : 0) | (c->given & FSR_ARGS_REVERSE ? FSR_REVERSE : 0);
    const int *axes = scans[i].flat ? fsr_args_axes_of(c) : c->axes;
    *out = c->given & FSR_ARGS_DTYPE ? scans[i].typed(r->at, c->x[0], c->dtype, axes, 1, flags)
                                     : scans[i].build(r->at, c->x[0], axes, 1, flags);
    return true;
}

/* Along the last axis, as in NumPy, where none is named; axis=None: of the flat array. */
static bool call_order(fsr_reading *r, fsr_args *c, fsr_node *out) {
    static const int last = -1;
    const bool places = fsr_args_name(c, "argsort");
    if (!places && !fsr_args_name(c, "sort"))
        return false;
    if (!fsr_args_axes(r, c, 1) || !fsr_args_are(r, c, 1) ||
        !fsr_args_options(r, c, FSR_ARGS_AXES | FSR_ARGS_DESCENDING) || !fsr_args_one_axis(r, c, false))
        return true;
    const int *axes = c->given & FSR_ARGS_AXES ? fsr_args_axes_of(c) : &last;
    const int flags = c->given & FSR_ARGS_DESCENDING ? FSR_DESCENDING : 0;
    *out = (places ? fsr_argsort_at : fsr_sort_at)(r->at, c->x[0], axes, 1, flags);
    return true;
}

static fsr_node expand(fsr_site at, fsr_node x, const fsr_args *c) {
    return fsr_expand_at(at, x, c->axes[0]);
}
static fsr_node squeeze(fsr_site at, fsr_node x, const fsr_args *c) {
    return fsr_squeeze_at(at, x, c->axes[0]);
}
static fsr_node flip(fsr_site at, fsr_node x, const fsr_args *c) {
    return fsr_flip_at(at, x, c->axes[0]);
}
static fsr_node reshape(fsr_site at, fsr_node x, const fsr_args *c) {
    return fsr_reshape_at(at, x, c->nlist, c->list);
}
static fsr_node broadcast_to(fsr_site at, fsr_node x, const fsr_args *c) {
    return fsr_broadcast_to_at(at, x, c->nlist, c->list);
}

typedef struct view {
    const char *name;
    bool shape; /* takes a list of extents, else one axis */
    fsr_node (*build)(fsr_site at, fsr_node x, const fsr_args *c);
} view;

static const view views[] = {{"expand", false, expand},
                             {"squeeze", false, squeeze},
                             {"flip", false, flip},
                             {"reshape", true, reshape},
                             {"broadcast_to", true, broadcast_to}};

static bool call_view(fsr_reading *r, fsr_args *c, fsr_node *out) {
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        if (!fsr_args_name(c, views[i].name))
            continue;
        if (views[i].shape && !r->status && c->n == 2 && !(c->given & FSR_ARGS_AXES))
            fsr_args_list(r, c, 1);
        if (views[i].shape && !r->status && (!fsr_args_axes_of(c) || c->named))
            fsr_reading_fail(r, c->name.at, FSR_ERR_VALUE, "%s takes a list of extents", views[i].name);
        bool fits = views[i].shape || (fsr_args_axes(r, c, 1) && fsr_args_one_axis(r, c, true));
        if (fits && fsr_args_are(r, c, 1) && fsr_args_options(r, c, FSR_ARGS_AXES))
            *out = views[i].build(r->at, c->x[0], c);
        return true;
    }
    if (!fsr_args_name(c, "transpose"))
        return false;
    if (fsr_args_axes(r, c, 1) && fsr_args_are(r, c, 1) && fsr_args_options(r, c, FSR_ARGS_AXES)) {
        int ndim = fsr_node_ndim(c->x[0]);
        if (fsr_args_axes_of(c) && c->nlist != ndim)
            fsr_reading_fail(r, c->option_at[FSR_OPTION_AXES], FSR_ERR_AXIS, "%s has %d axes, not %d",
                             fsr_say(c->x[0]).text, ndim, c->nlist);
        else
            *out = fsr_transpose_at(r->at, c->x[0], fsr_args_axes_of(c));
    }
    return true;
}

/* Without an axis, of the flat array. */
static bool call_take(fsr_reading *r, fsr_args *c, fsr_node *out) {
    const bool along = fsr_args_name(c, "take_along_axis");
    if (!along && !fsr_args_name(c, "take"))
        return false;
    if (!fsr_args_axes(r, c, 2) || !fsr_args_are(r, c, 2) ||
        !fsr_args_options(r, c, FSR_ARGS_AXES | (along ? 0 : FSR_ARGS_MODE)) || !fsr_args_one_axis(r, c, along))
        return true;
    const bool flat = !fsr_args_axes_of(c);
    fsr_node x = flat ? fsr_flatten(r->at, c->x[0]) : c->x[0];
    *out = (along ? fsr_take_along_axis_at : fsr_take_at)(r->at, x, c->x[1], flat ? 0 : c->axes[0],
                                                          (fsr_index_mode)c->mode);
    return true;
}

/* An array, indices along its first axis, values. */
static const struct {
    const char *name;
    fsr_node (*build)(fsr_site at, fsr_node x, const fsr_node *arrays, int n, fsr_node values, fsr_index_mode mode,
                      int flags);
} scatters[] = {{"scatter", fsr_scatter_at},         {"scatter_add", fsr_scatter_add_at},
                {"scatter_mul", fsr_scatter_mul_at}, {"scatter_max", fsr_scatter_max_at},
                {"scatter_min", fsr_scatter_min_at}, {"scatter_and", fsr_scatter_and_at},
                {"scatter_or", fsr_scatter_or_at},   {"scatter_xor", fsr_scatter_xor_at}};

/* put numbers the elements of the flat array. */
static bool call_scatter(fsr_reading *r, fsr_args *c, fsr_node *out) {
    const bool flat = fsr_args_name(c, "put");
    size_t i = 0;
    while (i < sizeof scatters / sizeof *scatters && !fsr_args_name(c, scatters[i].name))
        i++;
    if (!flat && i == sizeof scatters / sizeof *scatters)
        return false;
    if (fsr_args_are(r, c, 3) && fsr_args_options(r, c, 0))
        *out = flat ? fsr_put_at(r->at, c->x[0], c->x[1], c->x[2], FSR_INDEX_RAISE, 0)
                    : scatters[i].build(r->at, c->x[0], &c->x[1], 1, c->x[2], FSR_INDEX_RAISE, 0);
    return true;
}

/* left and right are numbers of digitize and interp; the search's side is a word. */
static bool call_search(fsr_reading *r, fsr_args *c, fsr_node *out) {
    const bool bins = fsr_args_name(c, "digitize"), places = fsr_args_name(c, "searchsorted");
    if (!bins && !places && !fsr_args_name(c, "interp"))
        return false;
    const unsigned ends = FSR_ARGS_LEFT | FSR_ARGS_RIGHT;
    if (!fsr_args_are(r, c, bins || places ? 2 : 3) || !fsr_args_options(r, c,
                                                                         bins     ? FSR_ARGS_RIGHT
                                                                         : places ? FSR_ARGS_SIDE
                                                                                  : ends | FSR_ARGS_PERIOD))
        return true;
    fsr_node end[2] = {{0}};
    for (int i = 0; i < 2; i++)
        if (c->given >> (FSR_OPTION_LEFT + i) & 1)
            end[i] = fsr_float_at(r->at, r->g, c->number[FSR_OPTION_LEFT + i]);
    if (bins)
        *out = fsr_digitize_at(r->at, c->x[0], c->x[1], c->number[FSR_OPTION_RIGHT] != 0);
    else if (places)
        *out = fsr_searchsorted_at(r->at, c->x[0], c->x[1], (fsr_side)c->mode);
    else if (c->given & FSR_ARGS_PERIOD)
        *out = fsr_interp_period_at(r->at, c->x[0], c->x[1], c->x[2], c->number[FSR_OPTION_PERIOD]);
    else
        *out = fsr_interp_at(r->at, c->x[0], c->x[1], c->x[2], end[0], end[1]);
    return true;
}

/* Number i of a stream: of a dtype, f64 if none is given, and u64 of bits. */
typedef struct draw {
    const char *name;
    fsr_node (*typed)(fsr_site at, fsr_node seed, fsr_node stream, fsr_node i, fsr_dtype dtype);
    fsr_node (*plain)(fsr_site at, fsr_node seed, fsr_node stream, fsr_node i);
    fsr_node (*with)(fsr_site at, fsr_node seed, fsr_node stream, fsr_node i, fsr_node more);
    fsr_dtype otherwise;
} draw;

static const draw draws[] = {
    {.name = "random_bits", .typed = fsr_random_bits_at, .otherwise = FSR_U64},
    {.name = "random_uniform", .typed = fsr_random_uniform_at, .otherwise = FSR_F64},
    {.name = "random_positive", .typed = fsr_random_positive_at, .otherwise = FSR_F64},
    {.name = "random_normal", .typed = fsr_random_normal_at, .otherwise = FSR_F64},
    {.name = "random_exponential", .typed = fsr_random_exponential_at, .otherwise = FSR_F64},
    {.name = "random_fold_in", .plain = fsr_random_fold_in_at},
    {.name = "random_bernoulli", .with = fsr_random_bernoulli_at},
    {.name = "random_choice", .with = fsr_random_choice_at},
    {.name = "random_gamma", .with = fsr_random_gamma_at},
    {.name = "random_poisson", .with = fsr_random_poisson_at},
};

static bool call_draw(fsr_reading *r, fsr_args *c, fsr_node *out) {
    for (size_t i = 0; i < sizeof draws / sizeof *draws; i++) {
        const draw *f = &draws[i];
        if (!fsr_args_name(c, f->name))
            continue;
        if (!fsr_args_are(r, c, f->with ? 4 : 3) || !fsr_args_options(r, c, f->typed ? FSR_ARGS_DTYPE : 0))
            return true;
        const fsr_dtype dtype = c->given & FSR_ARGS_DTYPE ? c->dtype : f->otherwise;
        *out = f->typed   ? f->typed(r->at, c->x[0], c->x[1], c->x[2], dtype)
               : f->plain ? f->plain(r->at, c->x[0], c->x[1], c->x[2])
                          : f->with(r->at, c->x[0], c->x[1], c->x[2], c->x[3]);
        return true;
    }
    return false;
}

static bool call_cast(fsr_reading *r, fsr_args *c, fsr_node *out) {
    for (int i = 0; i < FSR_DTYPE_COUNT; i++) {
        if (!fsr_args_name(c, fsr_dtype_name((fsr_dtype)i)))
            continue;
        if (fsr_args_are(r, c, 1) && fsr_args_options(r, c, 0))
            *out = fsr_cast_at(r->at, c->x[0], (fsr_dtype)i);
        return true;
    }
    return false;
}

static bool call_op(fsr_reading *r, fsr_args *c, fsr_node *out) {
    char name[64] = "";
    if (!c->ours && c->name.size < (int)sizeof name)
        memcpy(name, c->name.at, (size_t)c->name.size);
    fsr_op op = fsr_op_find(c->ours ? c->ours : name);
    if (op == FSR_OP_COUNT)
        return false;
    if (op == FSR_OP_CAST)
        fsr_reading_fail(r, c->name.at, FSR_ERR_VALUE, "a cast has the dtype's name: f32(x)");
    else if (fsr_args_are(r, c, fsr_op_get(op)->arity) && fsr_args_options(r, c, 0))
        *out = fsr_map(r->at, op, c->x, c->n);
    return true;
}

/* The call's arguments read, and its node. */
FSR_APART static fsr_node finish(fsr_reading *r, fsr_args *c) {
    static bool (*const kinds[])(fsr_reading *, fsr_args *, fsr_node *) = {
        call_extremes, call_reduction, call_scan, call_order,     call_view, call_take,
        call_scatter,  call_search,    call_draw, fsr_args_shape, call_cast, call_op};
    fsr_node out = {0};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !r->status; i++)
        if (kinds[i](r, c, &out))
            return fsr_reading_built(r, c->name.at, out);
    return fsr_unknown_function(r, &c->name);
}

void fsr_args_offer(fsr_nearest *near) {
    for (size_t i = 0; i < sizeof reductions / sizeof *reductions; i++)
        fsr_nearest_offer(near, reductions[i].name);
    for (size_t i = 0; i < sizeof scans / sizeof *scans; i++)
        fsr_nearest_offer(near, scans[i].name);
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        fsr_nearest_offer(near, views[i].name);
    for (size_t i = 0; i < sizeof draws / sizeof *draws; i++)
        fsr_nearest_offer(near, draws[i].name);
    for (size_t i = 0; i < sizeof scatters / sizeof *scatters; i++)
        fsr_nearest_offer(near, scatters[i].name);
    static const char *const others[] = {"transpose", "take",         "take_along_axis", "put",   "sort",
                                         "argsort",   "searchsorted", "digitize",        "interp"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        fsr_nearest_offer(near, others[i]);
    for (int op = 0; op < FSR_OP_COUNT; op++)
        if (op != FSR_OP_CAST)
            fsr_nearest_offer(near, fsr_op_get((fsr_op)op)->name);
    fsr_args_shape_offer(near);
    for (int i = 0; i < FSR_DTYPE_COUNT; i++)
        fsr_nearest_offer(near, fsr_dtype_name((fsr_dtype)i));
}

/* The name itself is the only one at no distance from it, but for the case of its letters. */
bool fsr_args_known(const fsr_token *word) {
    char name[64] = "";
    if (word->size < (int)sizeof name)
        memcpy(name, word->at, (size_t)word->size);
    fsr_nearest near = fsr_nearest_to(name);
    fsr_args_offer(&near);
    return fsr_alias_find(word) || (near.name && !strcmp(near.name, name));
}

/* A call's arguments lie on the heap: two hundred nested calls would need hundreds of kilobytes of stack. */
fsr_node fsr_read_call(fsr_reading *r, fsr_token name) {
    fsr_args *c = calloc(1, sizeof *c);
    if (!c)
        return fsr_reading_fail(r, name.at, FSR_ERR_MEMORY, "out of memory");
    c->name = name;
    c->ours = fsr_alias_find(&name);
    bool good = fsr_read_deeper(r);
    if (good)
        fsr_args_read(r, c);
    r->depth -= good;
    fsr_node out = finish(r, c);
    free(c);
    return out;
}
