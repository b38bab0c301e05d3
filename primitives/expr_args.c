/* SPDX-License-Identifier: MIT */
/* The arguments of a call in an expression, read and checked.
 *
 * Operands are expressions. Beside them a call may have options: a list [0, 1] or (0, 1), axis=, keepdims, ddof=,
 * exclusive. They are read before the function is looked up, so all functions' are read in one way; which of them it
 * takes is checked then. Counter-example to a reader for each function: "sum takes no ddof" would have to be said by as
 * many as there are. */
#include "primitives/expr_call.h"
#include <limits.h>
#include <stdio.h>
#include <string.h>

static const char *const option_names[FSR_ARGS_OPTIONS] = {
    [FSR_OPTION_AXES] = "axis",           [FSR_OPTION_KEEPDIMS] = "keepdims",
    [FSR_OPTION_EXCLUSIVE] = "exclusive", [FSR_OPTION_REVERSE] = "reverse",
    [FSR_OPTION_DDOF] = "ddof",           [FSR_OPTION_ORD] = "ord",
    [FSR_OPTION_VALUE] = "value",         [FSR_OPTION_MODE] = "mode",
    [FSR_OPTION_DTYPE] = "dtype",         [FSR_OPTION_DESCENDING] = "descending",
    [FSR_OPTION_SIDE] = "side",           [FSR_OPTION_LEFT] = "left",
    [FSR_OPTION_RIGHT] = "right",         [FSR_OPTION_PERIOD] = "period"};

/* The words of mode= and side=, in the order of the enum that they stand for. */
static const struct {
    const char *function, *words[5], *are;
} modes[] = {
    {"convolve", {"full", "same", "valid"}, "full, same or valid"},
    {"correlate", {"full", "same", "valid"}, "full, same or valid"},
    {"take", {"raise", "clip", "wrap"}, "raise, clip or wrap"},
    {"pad", {"constant", "edge", "reflect", "symmetric", "wrap"}, "constant, edge, reflect, symmetric or wrap"},
    {"searchsorted", {"left", "right"}, "left or right"},
};

/* ---- reading ---------------------------------------------------------------------------------------- */

FSR_APART static void give(fsr_reading *r, fsr_args *c, int option, const char *where) {
    if (c->given >> option & 1)
        fsr_reading_fail(r, where, FSR_ERR_VALUE, "%s is given twice", option_names[option]);
    c->given |= 1u << option;
    c->option_at[option] = where;
}

/* Words stand alone or are true or false. */
static bool is_word(int option) {
    return option == FSR_OPTION_KEEPDIMS || option == FSR_OPTION_EXCLUSIVE || option == FSR_OPTION_REVERSE ||
           option == FSR_OPTION_DESCENDING;
}

/* The mark that ends the list which is next, its beginning taken; NULL: none is. */
static const char *list_begins(fsr_reading *r) {
    if (!fsr_token_is(r, "[") && !fsr_token_tuple(r))
        return NULL;
    const char *end = fsr_token_is(r, "[") ? "]" : ")";
    fsr_token_next(r);
    return end;
}

/* A list of whole numbers, or one of them. */
static void read_list(fsr_reading *r, fsr_args *c) {
    const char *end = list_begins(r);
    if (end && fsr_token_take(r, end))
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
    } while (end && fsr_token_take(r, ",") && !fsr_token_is(r, end));
    if (end)
        fsr_token_expect(r, end);
}

/* Of literals; true is 1. */
static void read_number(fsr_reading *r, fsr_args *c, int option) {
    const char *where = r->token.at;
    fsr_node x = fsr_read_value(r);
    const fsr_rec *rec = r->status ? NULL : fsr_node_rec(x);
    if (rec && (rec->weak || (fsr_is(rec->kind, FSR_IS_LITERAL) && rec->dtype[0] == FSR_BOOL)))
        c->number[option] = fsr_value_to_double(rec->dtype[0], rec->value);
    else
        fsr_reading_fail(r, where, FSR_ERR_VALUE, "%s must be a number of literals", option_names[option]);
}

/* Takes "None" if it is all of an argument. */
static bool takes_none(fsr_reading *r) {
    fsr_token after = fsr_token_peek(r);
    if (r->status || r->token.kind != FSR_TOKEN_WORD || !fsr_token_says(&r->token, "None") ||
        after.kind != FSR_TOKEN_MARK || !(fsr_token_says(&after, ",") || fsr_token_says(&after, ")")))
        return false;
    fsr_token_next(r);
    return true;
}

/* That a function takes no mode is said when its options are checked. */
FSR_APART static void read_mode(fsr_reading *r, fsr_args *c, int option) {
    const fsr_token word = fsr_token_word(r);
    size_t k = 0, n = sizeof modes / sizeof *modes;
    while (k < n && !fsr_args_name(c, modes[k].function))
        k++;
    for (int i = 0; k < n && i < 5 && modes[k].words[i]; i++)
        if (word.kind == FSR_TOKEN_WORD && fsr_token_says(&word, modes[k].words[i])) {
            c->mode = i;
            fsr_token_next(r);
            return;
        }
    if (k == n && word.kind == FSR_TOKEN_WORD)
        fsr_token_next(r);
    else
        fsr_reading_fail(r, r->token.at, FSR_ERR_VALUE, "%s is %s", option_names[option],
                         k < n ? modes[k].are : "a word");
}

/* A dtype by its name, ours or NumPy's. */
FSR_APART static void read_dtype(fsr_reading *r, fsr_args *c) {
    const fsr_token word = fsr_token_word(r);
    const char *ours = fsr_alias_find(&word);
    c->dtype = FSR_DTYPE_COUNT;
    for (int i = 0; i < FSR_DTYPE_COUNT && word.kind == FSR_TOKEN_WORD; i++) {
        const char *name = fsr_dtype_name((fsr_dtype)i);
        if (ours ? !strcmp(ours, name) : fsr_token_says(&word, name))
            c->dtype = (fsr_dtype)i;
    }
    if (c->dtype == FSR_DTYPE_COUNT)
        fsr_unknown_dtype(r, &word);
    else
        fsr_token_next(r);
}

/* What follows "option" or "option=". */
static void read_option(fsr_reading *r, fsr_args *c, int option) {
    give(r, c, option, r->token.at);
    fsr_token_next(r);
    if (!fsr_token_take(r, "="))
        return;
    if (option == FSR_OPTION_AXES) {
        c->all = takes_none(r);
        c->named = true;
        if (!c->all)
            read_list(r, c);
    } else if (option == FSR_OPTION_DTYPE && takes_none(r)) {
        c->given &= ~(1u << option);
    } else if (option == FSR_OPTION_MODE || option == FSR_OPTION_SIDE) {
        read_mode(r, c, option);
    } else if (option == FSR_OPTION_DTYPE) {
        read_dtype(r, c);
    } else if (!is_word(option)) {
        read_number(r, c, option);
    } else {
        bool yes = fsr_token_says(&r->token, "true") || fsr_token_says(&r->token, "True");
        bool no = fsr_token_says(&r->token, "false") || fsr_token_says(&r->token, "False");
        if (!yes && !no)
            fsr_reading_fail(r, r->token.at, FSR_ERR_VALUE, "%s is true or false", option_names[option]);
        c->given &= no ? ~(1u << option) : ~0u;
        fsr_token_next(r);
    }
}

/* A word before "=" that is no option. */
static int unknown_option(fsr_reading *r) {
    char word[64] = "";
    fsr_token t = r->token;
    if (t.size < (int)sizeof word)
        memcpy(word, t.at, (size_t)t.size);
    fsr_nearest near = fsr_nearest_to(word);
    for (int i = 0; i < FSR_ARGS_OPTIONS; i++)
        fsr_nearest_offer(&near, option_names[i]);
    fsr_reading_fail(r, t.at, FSR_ERR_VALUE, "unknown option \"%.*s\"%s%s%s", t.size < 63 ? t.size : 63, t.at,
                     near.name ? "; is \"" : "", near.name ? near.name : "", near.name ? "\" meant?" : "");
    return -1;
}

/* The option whose word is next: keepdims, exclusive, reverse and descending also stand alone. -1: none, an operand
 * follows, or r has failed. */
FSR_APART static int option_next(fsr_reading *r) {
    fsr_token after = fsr_token_peek(r);
    if (r->status || r->token.kind != FSR_TOKEN_WORD || after.kind != FSR_TOKEN_MARK)
        return -1;
    bool equals = fsr_token_says(&after, "="), alone = fsr_token_says(&after, ",") || fsr_token_says(&after, ")");
    for (int i = 0; i < FSR_ARGS_OPTIONS; i++)
        if (fsr_token_says(&r->token, option_names[i]))
            return equals || (alone && is_word(i)) ? i : -1;
    return equals ? unknown_option(r) : -1;
}

static void read_operand(fsr_reading *r, fsr_args *c) {
    const char *where = r->token.at;
    if (c->n == FSR_ARGS_MAX) {
        fsr_reading_fail(r, where, FSR_ERR_VALUE, "more than %d operands", FSR_ARGS_MAX);
    } else {
        c->x[c->n] = fsr_read_value(r);
        c->where[c->n++] = where;
    }
}

/* A list: of the operands of what joins arrays, else of whole numbers. */
static void read_brackets(fsr_reading *r, fsr_args *c) {
    if (!fsr_args_joins(c)) {
        give(r, c, FSR_OPTION_AXES, r->token.at);
        read_list(r, c);
        return;
    }
    const char *end = list_begins(r);
    do
        read_operand(r, c);
    while (fsr_token_take(r, ",") && !fsr_token_is(r, end));
    fsr_token_expect(r, end);
    c->listed = c->n;
}

static void read_argument(fsr_reading *r, fsr_args *c) {
    const char *where = r->token.at;
    int option = option_next(r);
    if (option >= 0) {
        read_option(r, c, option);
    } else if (fsr_token_is(r, "[") || fsr_token_tuple(r)) {
        read_brackets(r, c);
    } else if (takes_none(r)) {
        give(r, c, FSR_OPTION_AXES, where);
        c->all = true;
    } else {
        read_operand(r, c);
    }
}

void fsr_args_read(fsr_reading *r, fsr_args *c) {
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

void fsr_args_list(fsr_reading *r, fsr_args *c, int i) {
    give(r, c, FSR_OPTION_AXES, c->where[i]);
    c->nlist = 1;
    fsr_whole_take(r, c->where[i], c->x[i], &c->list[0]);
    for (c->n--; i < c->n; i++) {
        c->x[i] = c->x[i + 1];
        c->where[i] = c->where[i + 1];
    }
}

bool fsr_args_axes(fsr_reading *r, fsr_args *c, int n) {
    if (!r->status && c->n == n + 1)
        fsr_args_list(r, c, n);
    for (int i = 0; i < c->nlist && !r->status; i++) {
        if (c->list[i] < INT_MIN || c->list[i] > INT_MAX)
            fsr_reading_fail(r, c->option_at[FSR_OPTION_AXES], FSR_ERR_AXIS, "no array has an axis %lld",
                             (long long)c->list[i]);
        else
            c->axes[i] = (int)c->list[i];
    }
    return !r->status;
}

bool fsr_args_one_axis(fsr_reading *r, const fsr_args *c, bool required) {
    bool given = fsr_args_axes_of(c) != NULL;
    if (!r->status && ((given && c->nlist != 1) || (required && !given)))
        fsr_reading_fail(r, given ? c->option_at[FSR_OPTION_AXES] : c->name.at, FSR_ERR_VALUE, "%.*s takes one axis",
                         c->name.size, c->name.at);
    return !r->status;
}

bool fsr_args_name(const fsr_args *c, const char *name) {
    return c->ours ? !strcmp(c->ours, name) : fsr_token_says(&c->name, name);
}

const int *fsr_args_axes_of(const fsr_args *c) {
    return c->given & FSR_ARGS_AXES && !c->all ? c->axes : NULL;
}

int fsr_args_keepdims(const fsr_args *c) {
    return c->given & FSR_ARGS_KEEPDIMS ? FSR_KEEPDIMS : 0;
}
