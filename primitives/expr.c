/* SPDX-License-Identifier: MIT */
/* Expression strings: statements, and the two entries.
 *
 * One pass by recursive descent: what is read is recorded at once, by the builder that a caller would have used. The
 * nodes of an expression lie in a scope of their own. At its end those that the results need move to the caller's
 * scope and the rest goes, as all of it does on a mistake. Counter-example to recording without one: the 2 in x**2, or
 * what a failed string had recorded before its mistake, would stay in the graph, and a loop that reads strings would
 * grow. */
#include "primitives/expr.h"
#include "graph/floats.h"
#include "graph/scope.h"
#include <stdlib.h>
#include <string.h>

static void assign(fsr_reading *r) {
    fsr_token word = r->token;
    int i = 0;
    fsr_token_next(r);
    fsr_token_next(r);
    fsr_node x = fsr_read_value(r);
    while (i < r->nlocals &&
           (r->local[i].word.size != word.size || memcmp(r->local[i].word.at, word.at, (size_t)word.size)))
        i++;
    if (i == FSR_EXPR_LOCALS)
        fsr_reading_fail(r, word.at, FSR_ERR_FORMAT, "more than %d names are assigned", FSR_EXPR_LOCALS);
    if (r->status)
        return;
    r->local[i] = (fsr_local){word, x};
    r->nlocals += i == r->nlocals;
}

static int list(fsr_reading *r, fsr_node *outs, int capacity) {
    int n = 0;
    do {
        const char *where = r->token.at;
        fsr_node x = fsr_read_value(r);
        if (n == capacity)
            fsr_reading_fail(r, where, FSR_ERR_VALUE, "there is room for %d value%s only", capacity,
                             capacity == 1 ? "" : "s");
        else
            outs[n++] = x;
    } while (fsr_token_take(r, ","));
    return n;
}

/* Every statement but the last is an assignment. */
static int program(fsr_reading *r, fsr_node *outs, int capacity) {
    for (;;) {
        fsr_token after = fsr_token_peek(r);
        const char *start = r->token.at;
        bool assigns = r->token.kind == FSR_TOKEN_WORD && after.kind == FSR_TOKEN_MARK && fsr_token_says(&after, "=");
        int n = 0;
        if (assigns)
            assign(r);
        else
            n = list(r, outs, capacity);
        bool more = fsr_token_take(r, ";"), end = r->token.kind == FSR_TOKEN_END;
        if (r->status || (!more && !end)) {
            fsr_reading_unexpected(r);
            return 0;
        }
        if (end && !assigns)
            return n;
        if (end)
            fsr_reading_fail(r, r->token.at, FSR_ERR_FORMAT, "the last statement must be an expression");
        if (!assigns)
            fsr_reading_fail(r, start, FSR_ERR_FORMAT,
                             "only the last statement gives values; assign this one to a name");
    }
}

static bool good_name(const char *name) {
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    size_t size = name ? strspn(name, allowed) : 0;
    return size > 0 && size <= 63 && !name[size] && (*name < '0' || *name > '9');
}

static void check_names(fsr_reading *r) {
    if (r->nnames < 0)
        fsr_reading_fail(r, NULL, FSR_ERR_VALUE, "%d names", r->nnames);
    if (r->nnames > 0 && !r->names)
        fsr_reading_fail(r, NULL, FSR_ERR_NULL, "the names are null");
    for (int i = 0; !r->status && i < r->nnames; i++) {
        if (!good_name(r->names[i].name))
            fsr_reading_fail(r, NULL, FSR_ERR_VALUE,
                             "name %d is not a letter or _, then letters, digits and _, at most 63", i + 1);
        for (int j = 0; !r->status && j < i; j++)
            if (!strcmp(r->names[i].name, r->names[j].name))
                fsr_reading_fail(r, NULL, FSR_ERR_VALUE, "the name \"%s\" is given twice", r->names[i].name);
    }
}

/* Reads the checked text into a scope of its own. */
static int read_text(fsr_reading *r, fsr_node *outs, int capacity) {
    int depth = fsr_scope_depth(r->g), n = 0;
    if (fsr_scope_begin(r->g)) {
        fsr_reading_fail(r, NULL, FSR_ERR_MEMORY, "out of memory");
        return 0;
    }
    r->token = (fsr_token){FSR_TOKEN_END, r->text, 0};
    fsr_token_next(r);
    n = program(r, outs, capacity);
    if (!r->status)
        r->status = fsr_scope_end(r->g, outs, n);
    if (r->status)
        fsr_scope_discard(r->g, depth);
    return r->status ? 0 : n;
}

int fsr_exprs_of(fsr_site at, const char *what, fsr_graph *g, const char *text, const fsr_name *names, int nnames,
                 fsr_node *outs, int capacity) {
    int n = 0;
    fsr_node poison = {0};
    if (!outs || capacity <= 0)
        return 0;
    fsr_reading *r = fsr_graph_alive(g) ? calloc(1, sizeof *r) : NULL;
    if (r) {
        *r = (fsr_reading){.at = at, .what = what, .g = g, .text = text, .names = names, .nnames = nnames};
        if (!text)
            fsr_reading_fail(r, NULL, FSR_ERR_NULL, "the text is null");
        else if (strnlen(text, FSR_EXPR_BYTES + 1) > FSR_EXPR_BYTES)
            fsr_reading_fail(r, NULL, FSR_ERR_FORMAT, "the text is longer than %d bytes", FSR_EXPR_BYTES);
        check_names(r);
        if (!r->status)
            n = read_text(r, outs, capacity);
        free(r->pending);
        if (r->status)
            poison = fsr_reading_poison(r);
    } else if (fsr_graph_alive(g)) {
        poison = fsr_poison(g, at, FSR_ERR_MEMORY, what, "out of memory");
    } else {
        poison = fsr_poison(g, at, FSR_ERR_STALE, what, "the graph was freed");
    }
    for (int i = n; i < capacity; i++)
        outs[i] = poison;
    free(r);
    return n;
}

int fsr_exprs_at(fsr_site at, fsr_graph *g, const char *text, const fsr_name *names, int nnames, fsr_node *outs,
                 int capacity) {
    return fsr_exprs_of(at, "expr", g, text, names, nnames, outs, capacity);
}

fsr_node fsr_expr_at(fsr_site at, fsr_graph *g, const char *text, const fsr_name *names, int nnames) {
    FSR_DEFAULT_FLOATS;
    fsr_node out = {0};
    fsr_exprs_at(at, g, text, names, nnames, &out, 1);
    return out;
}
