/* Expression strings: statements, operators, and the two entries.
 *
 * One pass by recursive descent: what is read is recorded at once, by the builder that a caller would have used. The
 * nodes of an expression lie in a scope of their own. At its end those that the results need move to the caller's
 * scope and the rest goes, as all of it does on a mistake. Counter-example to recording without one: the 2 in x**2, or
 * what a failed string had recorded before its mistake, would stay in the graph, and a loop that reads strings would
 * grow.
 *
 * Recursion is bounded by r->depth, which grows with every bracket, prefix operator, exponent and branch of ?:. Binary
 * operators of one level are a loop: a sum of thirty thousand terms needs no stack. */
#include "primitives/expr.h"
#include "graph/floats.h"
#include "graph/scope.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif

enum { LEVELS = 6 };

typedef struct binary {
    const char *mark;
    int level;           /* a higher one binds tighter */
    const char *name[2]; /* in the table of scalar ops; whichever is there */
} binary;

static const binary binaries[] = {
    {"||", 1, {"logical_or"}},
    {"&&", 2, {"logical_and"}},
    {"==", 3, {"equal"}},
    {"!=", 3, {"not_equal"}},
    {"<", 4, {"less"}},
    {"<=", 4, {"less_equal"}},
    {">", 4, {"greater"}},
    {">=", 4, {"greater_equal"}},
    {"+", 5, {"add"}},
    {"-", 5, {"sub"}},
    {"*", 6, {"mul"}},
    {"/", 6, {"div"}},
    {"//", 6, {"floor_divide", "floordiv"}},
    {"%", 6, {"mod", "remainder"}},
};

bool fsr_read_deeper(fsr_reading *r) {
    if (r->status)
        return false;
    if (r->depth == FSR_EXPR_DEPTH) {
        fsr_reading_fail(r, r->token.at, FSR_ERR_FORMAT, "nested deeper than %d", FSR_EXPR_DEPTH);
        return false;
    }
    r->depth++;
    return true;
}

/* ---- names ------------------------------------------------------------------------------------------ */

static fsr_node constant(fsr_reading *r, const fsr_token *word) {
    if (fsr_token_says(word, "true") || fsr_token_says(word, "false"))
        return fsr_bool_at(r->at, r->g, fsr_token_says(word, "true"));
    if (fsr_token_says(word, "inf"))
        return fsr_float_at(r->at, r->g, INFINITY);
    if (fsr_token_says(word, "nan"))
        return fsr_float_at(r->at, r->g, NAN);
    if (fsr_token_says(word, "pi"))
        return fsr_float_at(r->at, r->g, M_PI);
    return fsr_reading_fail(r, word->at, FSR_ERR_VALUE, "unknown name \"%.*s\"%s", word->size < 63 ? word->size : 63,
                            word->at, word->size < 63 ? "" : "...");
}

/* The caller's node, which may be anything; what is poisoned already is the result as it is. */
static fsr_node callers(fsr_reading *r, const fsr_name *name, const char *where) {
    fsr_node x = name->node;
    fsr_status status = fsr_node_check(x);
    if (status)
        return fsr_reading_fail(r, where, status, "\"%s\" is a %s handle", name->name,
                                status == FSR_ERR_NULL ? "null" : "stale");
    if (x.graph != r->g)
        return fsr_reading_fail(r, where, FSR_ERR_GRAPH, "\"%s\" belongs to another graph", name->name);
    if (fsr_node_rec(x)->kind != FSR_NODE_POISON)
        return x;
    r->status = fsr_node_status(x);
    r->poison = x;
    return (fsr_node){0};
}

static fsr_node named(fsr_reading *r) {
    fsr_token word = r->token;
    fsr_token_next(r);
    for (int i = 0; i < r->nlocals; i++)
        if (r->local[i].word.size == word.size && !memcmp(r->local[i].word.at, word.at, (size_t)word.size))
            return r->local[i].node;
    for (int i = 0; i < r->nnames; i++)
        if (fsr_token_says(&word, r->names[i].name))
            return callers(r, &r->names[i], word.at);
    return fsr_reading_built(r, word.at, constant(r, &word));
}

/* ---- operators ---------------------------------------------------------------------------------------- */

static fsr_node primary(fsr_reading *r) {
    if (r->status)
        return (fsr_node){0};
    if (r->token.kind == FSR_TOKEN_NUMBER)
        return fsr_read_number(r);
    if (r->token.kind == FSR_TOKEN_WORD) {
        fsr_token word = r->token, after = fsr_token_peek(r);
        if (after.kind != FSR_TOKEN_MARK || !fsr_token_says(&after, "("))
            return named(r);
        fsr_token_next(r);
        return fsr_read_call(r, word);
    }
    if (!fsr_token_take(r, "("))
        return fsr_reading_unexpected(r);
    fsr_node x = fsr_read_value(r);
    fsr_token_expect(r, ")");
    return x;
}

static fsr_node postfix(fsr_reading *r) {
    fsr_node x = primary(r);
    for (;;) {
        const char *where = r->token.at;
        if (fsr_token_is(r, "[")) {
            x = fsr_read_index(r, x);
        } else if (fsr_token_take(r, ".")) {
            if (r->status || r->token.kind != FSR_TOKEN_WORD || !fsr_token_says(&r->token, "T"))
                return fsr_reading_fail(r, where, FSR_ERR_FORMAT, "only \".T\", the transpose, may follow a point");
            fsr_token_next(r);
            x = fsr_reading_built(r, where, fsr_transpose_at(r->at, x, NULL));
        } else {
            return r->status ? (fsr_node){0} : x;
        }
    }
}

static fsr_node unary(fsr_reading *r);

/* The exponent may have a sign, and its own exponent: ** groups from the right. */
static fsr_node power(fsr_reading *r) {
    fsr_node x = postfix(r);
    const char *where = r->token.at;
    if (!fsr_token_take(r, "**") || !fsr_read_deeper(r))
        return x;
    fsr_node exponent = unary(r);
    r->depth--;
    return r->status ? (fsr_node){0} : fsr_power(r, where, x, exponent);
}

/* The negative of a literal is a literal. */
static fsr_node negative(fsr_reading *r, const char *where, fsr_node x) {
    const fsr_rec *rec = fsr_node_rec(x);
    if (rec && rec->kind == FSR_NODE_CONST && rec->weak && rec->dtype[0] == FSR_I64)
        x = fsr_int_at(r->at, r->g, (int64_t)(0 - (uint64_t)rec->value.i64));
    else if (rec && rec->kind == FSR_NODE_CONST && rec->weak)
        x = fsr_float_at(r->at, r->g, -rec->value.f64);
    else
        x = fsr_neg_at(r->at, x);
    return fsr_reading_built(r, where, x);
}

static fsr_node unary(fsr_reading *r) {
    fsr_token sign = r->token;
    if (!fsr_token_is(r, "-") && !fsr_token_is(r, "+") && !fsr_token_is(r, "!"))
        return power(r);
    fsr_token_next(r);
    if (!fsr_read_deeper(r))
        return (fsr_node){0};
    fsr_node x = unary(r);
    r->depth--;
    if (r->status || *sign.at == '+')
        return r->status ? (fsr_node){0} : x;
    return *sign.at == '-' ? negative(r, sign.at, x) : fsr_reading_built(r, sign.at, fsr_logical_not_at(r->at, x));
}

/* The binary operator that is next; NULL: none. */
static const binary *binary_next(const fsr_reading *r) {
    for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++)
        if (fsr_token_is(r, binaries[i].mark))
            return &binaries[i];
    return NULL;
}

static fsr_node combine(fsr_reading *r, const binary *b, const char *where, fsr_node left, fsr_node right) {
    fsr_op op = fsr_op_find(b->name[0]);
    if (r->status)
        return (fsr_node){0};
    if (op == FSR_OP_COUNT && b->name[1])
        op = fsr_op_find(b->name[1]);
    if (op == FSR_OP_COUNT)
        return fsr_reading_fail(r, where, FSR_ERR_UNSUPPORTED, "there is no operation for \"%s\"", b->mark);
    return fsr_reading_built(r, where, fsr_map(r->at, op, (fsr_node[]){left, right}, 2));
}

/* Operators that wait for their right operand lie on a stack, each of a higher level than the one below. An operator
 * combines what waits with its level or a higher one: so those of one level group from the left. */
static fsr_node binaries_of(fsr_reading *r) {
    struct {
        const binary *b;
        const char *where;
        fsr_node left;
    } waiting[LEVELS];
    int n = 0;
    for (;;) {
        fsr_node x = unary(r);
        const binary *b = binary_next(r);
        for (; n && (!b || waiting[n - 1].b->level >= b->level); n--)
            x = combine(r, waiting[n - 1].b, waiting[n - 1].where, waiting[n - 1].left, x);
        if (!b || r->status)
            return x;
        waiting[n].b = b;
        waiting[n].where = r->token.at;
        waiting[n++].left = x;
        fsr_token_next(r);
    }
}

fsr_node fsr_read_value(fsr_reading *r) {
    if (!fsr_read_deeper(r))
        return (fsr_node){0};
    fsr_node x = binaries_of(r);
    const char *where = r->token.at;
    if (fsr_token_take(r, "?")) {
        fsr_node yes = fsr_read_value(r);
        fsr_token_expect(r, ":");
        fsr_node no = fsr_read_value(r);
        x = r->status ? (fsr_node){0} : fsr_reading_built(r, where, fsr_where_at(r->at, x, yes, no));
    }
    r->depth--;
    return r->status ? (fsr_node){0} : x;
}

bool fsr_whole_take(fsr_reading *r, const char *where, fsr_node x, int64_t *value) {
    const fsr_rec *rec = r->status ? NULL : fsr_node_rec(x);
    if (rec && rec->weak && rec->dtype[x.output] == FSR_I64) {
        *value = rec->value.i64;
        return true;
    }
    fsr_reading_fail(r, where, FSR_ERR_VALUE, "a whole number of literals is needed here");
    return false;
}

bool fsr_read_whole(fsr_reading *r, int64_t *value) {
    const char *where = r->token.at;
    return fsr_whole_take(r, where, fsr_read_value(r), value);
}

/* ---- statements --------------------------------------------------------------------------------------- */

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
