/* name(...): reductions, scans, views, casts by the dtype's name, and every row of the table of scalar ops; what makes,
 * joins and repeats arrays is in expr_shape.c.
 *
 * Operands are expressions. Beside them a call may have options: a list [0, 1], axis=, keepdims, ddof=, exclusive. An
 * unnamed number after the operand of a reduction, scan or view is its axis.
 * max and min: several operands are the elementwise maximum and minimum, so an unnamed number is an operand there, and
 * their axes are written axis=0 or [0]. */
#include "primitives/expr_call.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char *const option_names[] = {"axis", "keepdims", "exclusive", "reverse", "ddof", "ord", "value", "mode"};
enum { FIRST_WORD = 1, FIRST_NUMBER = 4, FIRST_MODE = 7 }; /* words stand alone or are true or false */
static const char *const modes[] = {"constant", "edge", "reflect", "symmetric", "wrap"};

/* ---- reading ---------------------------------------------------------------------------------------- */

static void give(fsr_reading *r, fsr_args *c, int option, const char *where) {
    if (c->given >> option & 1)
        fsr_reading_fail(r, where, FSR_ERR_VALUE, "%s is given twice", option_names[option]);
    c->given |= 1u << option;
    c->option_at[option] = where;
}

/* A list of whole numbers, or one of them. */
static void read_list(fsr_reading *r, fsr_args *c) {
    bool many = fsr_token_take(r, "[");
    if (many && fsr_token_take(r, "]"))
        return;
    do {
        const char *where = r->token.at;
        int64_t value = 0;
        if (!fsr_read_whole(r, &value))
            return;
        int most = fsr_args_name(c, "pad") ? 2 * FSR_MAX_DIMS : FSR_MAX_DIMS;
        if (c->nlist == most)
            fsr_reading_fail(r, where, FSR_ERR_VALUE, "a list has at most %d numbers", most);
        else
            c->list[c->nlist++] = value;
    } while (many && fsr_token_take(r, ","));
    if (many)
        fsr_token_expect(r, "]");
}

static void read_number(fsr_reading *r, fsr_args *c, int option) {
    const char *where = r->token.at;
    fsr_node x = fsr_read_value(r);
    const fsr_rec *rec = r->status ? NULL : fsr_node_rec(x);
    if (rec && rec->weak)
        c->number[option] = fsr_value_to_double(rec->dtype[0], rec->value);
    else
        fsr_reading_fail(r, where, FSR_ERR_VALUE, "%s must be a number of literals", option_names[option]);
}

static void read_mode(fsr_reading *r, fsr_args *c) {
    for (int i = 0; i < 5; i++)
        if (r->token.kind == FSR_TOKEN_WORD && fsr_token_says(&r->token, modes[i])) {
            c->mode = i;
            fsr_token_next(r);
            return;
        }
    fsr_reading_fail(r, r->token.at, FSR_ERR_VALUE, "mode is constant, edge, reflect, symmetric or wrap");
}

/* What follows "option" or "option=". */
static void read_option(fsr_reading *r, fsr_args *c, int option) {
    give(r, c, option, r->token.at);
    fsr_token_next(r);
    if (!fsr_token_take(r, "="))
        return;
    if (option == 0) {
        read_list(r, c);
    } else if (option >= FIRST_MODE) {
        read_mode(r, c);
    } else if (option >= FIRST_NUMBER) {
        read_number(r, c, option);
    } else {
        bool yes = fsr_token_says(&r->token, "true"), no = fsr_token_says(&r->token, "false");
        if (!yes && !no)
            fsr_reading_fail(r, r->token.at, FSR_ERR_VALUE, "%s is true or false", option_names[option]);
        c->given &= no ? ~(1u << option) : ~0u;
        fsr_token_next(r);
    }
}

/* The option whose word is next: keepdims, exclusive and reverse also stand alone. -1: none, an operand follows. */
static int option_next(const fsr_reading *r) {
    fsr_token after = fsr_token_peek(r);
    if (r->status || r->token.kind != FSR_TOKEN_WORD || after.kind != FSR_TOKEN_MARK)
        return -1;
    bool equals = fsr_token_says(&after, "="), alone = fsr_token_says(&after, ",") || fsr_token_says(&after, ")");
    for (int i = 0; i < FSR_ARGS_OPTIONS; i++)
        if (fsr_token_says(&r->token, option_names[i]))
            return equals || (alone && i >= FIRST_WORD && i < FIRST_NUMBER) ? i : -1;
    return -1;
}

static void read_argument(fsr_reading *r, fsr_args *c) {
    const char *where = r->token.at;
    int option = option_next(r);
    if (option >= 0) {
        read_option(r, c, option);
    } else if (fsr_token_is(r, "[")) {
        give(r, c, 0, where);
        read_list(r, c);
    } else if (c->n == FSR_ARGS_MAX) {
        fsr_reading_fail(r, where, FSR_ERR_VALUE, "more than %d operands", FSR_ARGS_MAX);
    } else {
        c->x[c->n] = fsr_read_value(r);
        c->where[c->n++] = where;
    }
}

static void read_arguments(fsr_reading *r, fsr_args *c) {
    fsr_token_expect(r, "(");
    if (fsr_token_take(r, ")"))
        return;
    do
        read_argument(r, c);
    while (fsr_token_take(r, ","));
    fsr_token_expect(r, ")");
}

/* ---- checks ------------------------------------------------------------------------------------------ */

bool fsr_args_are(fsr_reading *r, const fsr_args *c, int want) {
    if (!r->status && c->n != want)
        fsr_reading_fail(r, c->name.at, FSR_ERR_VALUE, "%.*s takes %d operand%s, not %d", c->name.size, c->name.at,
                         want, want == 1 ? "" : "s", c->n);
    return !r->status;
}

bool fsr_args_options(fsr_reading *r, const fsr_args *c, unsigned allowed) {
    for (int i = 0; i < FSR_ARGS_OPTIONS && !r->status; i++)
        if (c->given & ~allowed & 1u << i)
            fsr_reading_fail(r, c->option_at[i], FSR_ERR_VALUE, "%.*s takes no %s", c->name.size, c->name.at,
                             option_names[i]);
    return !r->status;
}

bool fsr_args_axes(fsr_reading *r, fsr_args *c, int n) {
    if (!r->status && c->n == n + 1) {
        give(r, c, 0, c->where[n]);
        c->nlist = 1;
        c->n = n;
        fsr_whole_take(r, c->where[n], c->x[n], &c->list[0]);
    }
    for (int i = 0; i < c->nlist && !r->status; i++) {
        if (c->list[i] < INT_MIN || c->list[i] > INT_MAX)
            fsr_reading_fail(r, c->option_at[0], FSR_ERR_AXIS, "no array has an axis %lld", (long long)c->list[i]);
        else
            c->axes[i] = (int)c->list[i];
    }
    return !r->status;
}

/* At most one axis; required: exactly one. */
bool fsr_args_one_axis(fsr_reading *r, const fsr_args *c, bool required) {
    bool given = c->given & FSR_ARGS_AXES;
    if (!r->status && ((given && c->nlist != 1) || (required && !given)))
        fsr_reading_fail(r, given ? c->option_at[0] : c->name.at, FSR_ERR_VALUE, "%.*s takes one axis", c->name.size,
                         c->name.at);
    return !r->status;
}

bool fsr_args_name(const fsr_args *c, const char *name) {
    return fsr_token_says(&c->name, name);
}

/* ---- functions; each returns false if the name is not one of its own ---------------------------------------- */

typedef fsr_node reduction_fn(fsr_site at, fsr_node x, const int *axes, int naxes, int flags);
typedef fsr_node numbered_fn(fsr_site at, fsr_node x, const int *axes, int naxes, int flags, double number);
typedef fsr_node position_fn(fsr_site at, fsr_node x, const int *axis, int flags);

/* A reduction: one of the three signatures. option: what the number is. */
typedef struct reduction {
    const char *name;
    reduction_fn *build;
    numbered_fn *numbered;
    position_fn *position;
    int option;
    double otherwise; /* the number that is not given */
} reduction;

static const reduction reductions[] = {
    {.name = "sum", .build = fsr_sum_at},
    {.name = "prod", .build = fsr_prod_at},
    {.name = "min", .build = fsr_min_at},
    {.name = "max", .build = fsr_max_at},
    {.name = "mean", .build = fsr_mean_at},
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
    {.name = "var", .numbered = fsr_var_at, .option = 4},
    {.name = "std", .numbered = fsr_std_at, .option = 4},
    {.name = "nanvar", .numbered = fsr_nanvar_at, .option = 4},
    {.name = "nanstd", .numbered = fsr_nanstd_at, .option = 4},
    {.name = "norm", .numbered = fsr_norm_at, .option = 5, .otherwise = 2},
    {.name = "argmax", .position = fsr_argmax_at},
    {.name = "argmin", .position = fsr_argmin_at},
    {.name = "nanargmax", .position = fsr_nanargmax_at},
    {.name = "nanargmin", .position = fsr_nanargmin_at},
};

const int *fsr_args_axes_of(const fsr_args *c) {
    return c->given & FSR_ARGS_AXES ? c->axes : NULL;
}

int fsr_args_keepdims(const fsr_args *c) {
    return c->given & FSR_ARGS_KEEPDIMS ? FSR_KEEPDIMS : 0;
}

static fsr_node build_reduction(fsr_site at, const reduction *f, const fsr_args *c) {
    const int *axes = fsr_args_axes_of(c), flags = fsr_args_keepdims(c);
    if (f->build)
        return f->build(at, c->x[0], axes, c->nlist, flags);
    if (f->position)
        return f->position(at, c->x[0], axes, flags);
    double number = c->given >> f->option & 1 ? c->number[f->option] : f->otherwise;
    return f->numbered(at, c->x[0], axes, c->nlist, flags, number);
}

static bool call_reduction(fsr_reading *r, fsr_args *c, fsr_node *out) {
    for (size_t i = 0; i < sizeof reductions / sizeof *reductions; i++) {
        const reduction *f = &reductions[i];
        if (!fsr_args_name(c, f->name))
            continue;
        unsigned allowed = FSR_ARGS_AXES | FSR_ARGS_KEEPDIMS | (f->numbered ? 1u << f->option : 0);
        bool good = fsr_args_axes(r, c, 1) && fsr_args_are(r, c, 1) && fsr_args_options(r, c, allowed);
        if (good && (!f->position || fsr_args_one_axis(r, c, false)))
            *out = build_reduction(r->at, f, c);
        return true;
    }
    return false;
}

/* max and min of several operands. */
static bool call_extremes(fsr_reading *r, fsr_args *c, fsr_node *out) {
    if (c->n < 2 || (!fsr_args_name(c, "max") && !fsr_args_name(c, "min")))
        return false;
    if (!fsr_args_options(r, c, 0))
        return true;
    *out = c->x[0];
    for (int i = 1; i < c->n; i++)
        *out = fsr_args_name(c, "max") ? fsr_maximum_at(r->at, *out, c->x[i]) : fsr_minimum_at(r->at, *out, c->x[i]);
    return true;
}

typedef struct scan {
    const char *name;
    bool flat; /* without an axis: over the flat array as NumPy's cumsum, else along axis 0 as maximum.accumulate */
    fsr_node (*build)(fsr_site at, fsr_node x, int axis, int flags);
} scan;

static const scan scans[] = {{"cumsum", true, fsr_cumsum_at},  {"cumprod", true, fsr_cumprod_at},
                             {"cummax", false, fsr_cummax_at}, {"cummin", false, fsr_cummin_at},
                             {"cumany", false, fsr_cumany_at}, {"cumall", false, fsr_cumall_at}};

static bool call_scan(fsr_reading *r, fsr_args *c, fsr_node *out) {
    size_t i = 0, n = sizeof scans / sizeof *scans;
    while (i < n && !fsr_args_name(c, scans[i].name))
        i++;
    if (i == n)
        return false;
    if (!fsr_args_axes(r, c, 1) || !fsr_args_are(r, c, 1) ||
        !fsr_args_options(r, c, FSR_ARGS_AXES | FSR_ARGS_EXCLUSIVE | FSR_ARGS_REVERSE) ||
        !fsr_args_one_axis(r, c, false))
        return true;
    fsr_node x = c->x[0];
    if (scans[i].flat && !(c->given & FSR_ARGS_AXES))
        x = fsr_reshape_at(r->at, x, 1, (int64_t[]){fsr_node_size(x)});
    int flags = (c->given & FSR_ARGS_EXCLUSIVE ? FSR_EXCLUSIVE : 0) | (c->given & FSR_ARGS_REVERSE ? FSR_REVERSE : 0);
    *out = scans[i].build(r->at, x, c->axes[0], flags);
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
        if (views[i].shape && !r->status && (!(c->given & FSR_ARGS_AXES) || *c->option_at[0] != '['))
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
        if (c->given & FSR_ARGS_AXES && c->nlist != ndim)
            fsr_reading_fail(r, c->option_at[0], FSR_ERR_AXIS, "%s has %d axes, not %d", fsr_say(c->x[0]).text, ndim,
                             c->nlist);
        else
            *out = fsr_transpose_at(r->at, c->x[0], fsr_args_axes_of(c));
    }
    return true;
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
    char name[64];
    if (c->name.size >= (int)sizeof name)
        return false;
    memcpy(name, c->name.at, (size_t)c->name.size);
    name[c->name.size] = 0;
    fsr_op op = fsr_op_find(name);
    if (op == FSR_OP_COUNT)
        return false;
    if (op == FSR_OP_CAST)
        fsr_reading_fail(r, c->name.at, FSR_ERR_VALUE, "a cast has the dtype's name: f32(x)");
    else if (fsr_args_are(r, c, fsr_op_get(op)->arity) && fsr_args_options(r, c, 0))
        *out = fsr_map(r->at, op, c->x, c->n);
    return true;
}

/* The call's arguments read, and its node. */
static fsr_node finish(fsr_reading *r, fsr_args *c) {
    static bool (*const kinds[])(fsr_reading *, fsr_args *, fsr_node *) = {
        call_extremes, call_reduction, call_scan, call_view, fsr_args_shape, call_cast, call_op};
    fsr_node out = {0};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !r->status; i++)
        if (kinds[i](r, c, &out))
            return fsr_reading_built(r, c->name.at, out);
    return fsr_reading_fail(r, c->name.at, FSR_ERR_VALUE, "unknown function \"%.*s\"%s",
                            c->name.size < 63 ? c->name.size : 63, c->name.at, c->name.size < 63 ? "" : "...");
}

/* A call's arguments lie on the heap: two hundred nested calls would need hundreds of kilobytes of stack. */
fsr_node fsr_read_call(fsr_reading *r, fsr_token name) {
    fsr_args *c = calloc(1, sizeof *c);
    if (!c)
        return fsr_reading_fail(r, name.at, FSR_ERR_MEMORY, "out of memory");
    c->name = name;
    read_arguments(r, c);
    fsr_node out = finish(r, c);
    free(c);
    return out;
}
