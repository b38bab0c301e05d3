/* SPDX-License-Identifier: MIT */
/* Expressions: names, operators and what waits for an operand.
 *
 * What is not complete waits on a stack of r: operators, signs, brackets, choices. Calls and indices are a recursion,
 * and r->depth, which grows with every bracket, call, index, sign, exponent and branch of ?:, bounds both.
 * Counter-example to a function for each level of the grammar: two hundred brackets would take a fifth of a
 * megabyte. */
#include "primitives/expr.h"
#include <stdlib.h>
#include <string.h>

typedef struct binary {
    const char *mark;
    int level; /* a higher one binds tighter */
    fsr_op op;
    const char *hint; /* where the operands' dtype is not allowed */
} binary;

static const binary binaries[] = {
    {"||", 1, FSR_OP_LOGICAL_OR, NULL},
    {"&&", 2, FSR_OP_LOGICAL_AND, NULL},
    {"|", 3, FSR_OP_BITWISE_OR, "\"||\" is the logical one"},
    {"^", 4, FSR_OP_BITWISE_XOR, "the power is \"**\""},
    {"&", 5, FSR_OP_BITWISE_AND, "\"&&\" is the logical one"},
    {"==", 6, FSR_OP_EQUAL, NULL},
    {"!=", 6, FSR_OP_NOT_EQUAL, NULL},
    {"<", 7, FSR_OP_LESS, NULL},
    {"<=", 7, FSR_OP_LESS_EQUAL, NULL},
    {">", 7, FSR_OP_GREATER, NULL},
    {">=", 7, FSR_OP_GREATER_EQUAL, NULL},
    {"<<", 8, FSR_OP_LEFT_SHIFT, NULL},
    {">>", 8, FSR_OP_RIGHT_SHIFT, NULL},
    {"+", 9, FSR_OP_ADD, NULL},
    {"-", 9, FSR_OP_SUB, NULL},
    {"*", 10, FSR_OP_MUL, NULL},
    {"/", 10, FSR_OP_DIV, NULL},
    {"//", 10, FSR_OP_FLOOR_DIVIDE, NULL},
    {"%", 10, FSR_OP_MOD, NULL},
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

/* The caller's node, which may be anything; what is poisoned already is the result as it is. */
static fsr_node callers(fsr_reading *r, const fsr_name *name, const char *where) {
    fsr_node x = name->node;
    fsr_status status = fsr_node_check(x);
    if (status)
        return fsr_reading_fail(r, where, status, "\"%s\" is a %s handle", name->name,
                                status == FSR_ERR_NULL ? "null" : "stale");
    if (x.graph != r->g)
        return fsr_reading_fail(r, where, FSR_ERR_GRAPH, "\"%s\" belongs to another graph", name->name);
    if (!fsr_is(fsr_node_rec(x)->kind, FSR_IS_POISON))
        return x;
    r->status = fsr_node_status(x);
    r->poison = x;
    return (fsr_node){0};
}

FSR_APART static fsr_node named(fsr_reading *r) {
    fsr_token word = r->token;
    fsr_token_next(r);
    for (int i = 0; i < r->nlocals; i++)
        if (r->local[i].word.size == word.size && !memcmp(r->local[i].word.at, word.at, (size_t)word.size))
            return r->local[i].node;
    for (int i = 0; i < r->nnames; i++)
        if (fsr_token_says(&word, r->names[i].name))
            return callers(r, &r->names[i], word.at);
    fsr_node x = fsr_reading_constant(r, &word);
    return x.graph ? fsr_reading_built(r, word.at, x) : fsr_unknown_value(r, &word);
}

/* ---- operators ---------------------------------------------------------------------------------------- */

/* What waits for a value. */
typedef enum pending_kind {
    PENDING_BRACKET, /* ( */
    PENDING_SIGN,    /* - + ! ~ */
    PENDING_POWER,   /* x ** */
    PENDING_BINARY,  /* x op */
    PENDING_YES,     /* x ? */
    PENDING_NO       /* x ? y : */
} pending_kind;

struct fsr_pending {
    pending_kind kind;
    const binary *b;
    const char *where;
    fsr_node x, y;
};

/* Every kind but a binary operator is a level deeper. */
FSR_APART static bool push(fsr_reading *r, pending_kind kind, const char *where, fsr_node x) {
    if (r->status || (kind != PENDING_BINARY && !fsr_read_deeper(r)))
        return false;
    if (r->npending == r->pending_capacity) {
        int capacity = r->pending_capacity ? 2 * r->pending_capacity : 32;
        fsr_pending *grown = realloc(r->pending, sizeof *grown * (size_t)capacity);
        if (!grown) {
            fsr_reading_fail(r, where, FSR_ERR_MEMORY, "out of memory");
            return false;
        }
        r->pending = grown;
        r->pending_capacity = capacity;
    }
    r->pending[r->npending++] = (fsr_pending){.kind = kind, .where = where, .x = x};
    return true;
}

static fsr_pending pop(fsr_reading *r) {
    fsr_pending top = r->pending[--r->npending];
    r->depth -= top.kind != PENDING_BINARY;
    return top;
}

/* The newest of those above base is of this kind. */
static bool waits(const fsr_reading *r, int base, pending_kind kind) {
    return !r->status && r->npending > base && r->pending[r->npending - 1].kind == kind;
}

/* A number, a name or a call. */
static fsr_node operand(fsr_reading *r) {
    if (r->status)
        return (fsr_node){0};
    if (r->token.kind == FSR_TOKEN_NUMBER)
        return fsr_read_number(r);
    if (r->token.kind != FSR_TOKEN_WORD)
        return fsr_reading_unexpected(r);
    fsr_token word = r->token, after = fsr_token_peek(r);
    if (after.kind != FSR_TOKEN_MARK || !fsr_token_says(&after, "("))
        return named(r);
    fsr_token_next(r);
    return fsr_read_call(r, word);
}

/* Indices and transposes behind a value. */
static fsr_node postfix(fsr_reading *r, fsr_node x) {
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

/* The negative of a literal is a literal. */
static fsr_node negative_literal(fsr_reading *r, const fsr_rec *rec) {
    if (rec->dtype[0] == FSR_I64)
        return fsr_int_at(r->at, r->g, (int64_t)(0 - (uint64_t)rec->value.i64));
    fsr_c128 z = fsr_value_to_complex(rec->dtype[0], rec->value);
    return rec->dtype[0] == FSR_C128 ? fsr_complex_at(r->at, r->g, -z.re, -z.im) : fsr_float_at(r->at, r->g, -z.re);
}

FSR_APART static fsr_node negative(fsr_reading *r, const char *where, fsr_node x) {
    const fsr_rec *rec = fsr_node_rec(x);
    bool literal = rec && fsr_is(rec->kind, FSR_IS_LITERAL) && rec->weak;
    return fsr_reading_built(r, where, literal ? negative_literal(r, rec) : fsr_neg_at(r->at, x));
}

/* What a builder gave, with a hint where it does not take the operands' dtype. */
FSR_APART static fsr_node built_or_hint(fsr_reading *r, const char *where, fsr_node x, const char *hint) {
    const bool fails = !r->status;
    x = fsr_reading_built(r, where, x);
    if (fails && hint && r->status == FSR_ERR_DTYPE)
        fsr_reading_hint(r, hint);
    return x;
}

FSR_APART static fsr_node inverted(fsr_reading *r, const char *where, fsr_node x) {
    return built_or_hint(r, where, fsr_bitwise_invert_at(r->at, x), "\"!\" is the logical one");
}

/* Applies the signs and powers that wait for x; the exponent has them, too: ** groups from the right. */
FSR_APART static fsr_node close_prefixes(fsr_reading *r, int base, fsr_node x) {
    while (waits(r, base, PENDING_SIGN) || waits(r, base, PENDING_POWER)) {
        fsr_pending p = pop(r);
        if (p.kind == PENDING_POWER)
            x = fsr_power(r, p.where, p.x, x);
        else if (*p.where == '-')
            x = negative(r, p.where, x);
        else if (*p.where == '!')
            x = fsr_reading_built(r, p.where, fsr_logical_not_at(r->at, x));
        else if (*p.where == '~')
            x = inverted(r, p.where, x);
    }
    return x;
}

/* The binary operator that is next; NULL: none. */
static const binary *binary_next(const fsr_reading *r) {
    for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++)
        if (fsr_token_is(r, binaries[i].mark))
            return &binaries[i];
    return NULL;
}

FSR_APART static fsr_node combine(fsr_reading *r, const fsr_pending *p, fsr_node right) {
    return built_or_hint(r, p->where, fsr_map(r->at, p->b->op, (fsr_node[]){p->x, right}, 2), p->b->hint);
}

/* An operator combines what waits with its level or a higher one: so those of one level group from the left. */
FSR_APART static fsr_node close_binaries(fsr_reading *r, int base, const binary *next, fsr_node x) {
    while (waits(r, base, PENDING_BINARY) && (!next || r->pending[r->npending - 1].b->level >= next->level)) {
        fsr_pending p = pop(r);
        x = combine(r, &p, x);
    }
    return x;
}

/* What begins with x and goes on with an operator that is next, if there is one: true, and an operand is wanted. */
FSR_APART static bool goes_on(fsr_reading *r, int base, fsr_node *x) {
    const char *where = r->token.at;
    if (fsr_token_take(r, "**"))
        return push(r, PENDING_POWER, where, *x);
    *x = close_prefixes(r, base, *x);
    const binary *b = binary_next(r);
    *x = close_binaries(r, base, b, *x);
    where = r->token.at;
    if (b && push(r, PENDING_BINARY, where, *x)) {
        r->pending[r->npending - 1].b = b;
        fsr_token_next(r);
        return true;
    }
    if (fsr_token_take(r, "?"))
        return push(r, PENDING_YES, where, *x);
    return false;
}

/* x is all of an expression: it ends choices, or is the one behind "?": true, and an operand is wanted. */
FSR_APART static bool is_choice(fsr_reading *r, int base, fsr_node *x) {
    while (waits(r, base, PENDING_NO)) {
        fsr_pending p = pop(r);
        *x = fsr_reading_built(r, p.where, fsr_where_at(r->at, p.x, p.y, *x));
    }
    if (!waits(r, base, PENDING_YES) || !fsr_token_expect(r, ":"))
        return false;
    r->pending[r->npending - 1].kind = PENDING_NO;
    r->pending[r->npending - 1].y = *x;
    return true;
}

FSR_APART static void read_prefixes(fsr_reading *r) {
    for (bool more = true; more;) {
        const char *where = r->token.at;
        bool sign = fsr_token_is(r, "-") || fsr_token_is(r, "+") || fsr_token_is(r, "!") || fsr_token_is(r, "~");
        more = sign || fsr_token_is(r, "(");
        if (more) {
            fsr_token_next(r);
            more = push(r, sign ? PENDING_SIGN : PENDING_BRACKET, where, (fsr_node){0});
        }
    }
}

/* What waits is a stack on the heap: only calls and indices, which read expressions themselves, are a recursion. After
 * an operand the innermost bracket that is complete is an operand again. */
static fsr_node expression(fsr_reading *r) {
    const int base = r->npending;
    fsr_node x;
    do {
        read_prefixes(r);
        for (x = postfix(r, operand(r)); !r->status; x = postfix(r, x)) {
            if (goes_on(r, base, &x) || is_choice(r, base, &x) || !waits(r, base, PENDING_BRACKET))
                break;
            fsr_token_expect(r, ")");
            pop(r);
        }
    } while (!r->status && r->npending > base);
    r->npending = base;
    return x;
}

fsr_node fsr_read_value(fsr_reading *r) {
    const int depth = r->depth;
    if (!fsr_read_deeper(r))
        return (fsr_node){0};
    fsr_node x = expression(r);
    r->depth = depth;
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
    if (!fsr_read_deeper(r))
        return false;
    fsr_node x = fsr_read_value(r);
    r->depth--;
    return fsr_whole_take(r, where, x, value);
}
