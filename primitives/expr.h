/* SPDX-License-Identifier: MIT */
/* Inside of the expression strings: tokens, the state of a reading, and who reads what.
 *
 * Failure is sticky: the first one is kept, every later look at the text sees its end, so that all loops stop and the
 * readers read straight on. Readers return the null node once something failed. */
#ifndef FUSOR_PRIMITIVES_EXPR_H
#define FUSOR_PRIMITIVES_EXPR_H

#include "fusor/expr.h"
#include "primitives/primitives.h"

#define FSR_EXPR_BYTES 65536
#define FSR_EXPR_DEPTH 200
#define FSR_EXPR_LOCALS 256

typedef enum fsr_token_kind {
    FSR_TOKEN_END,
    FSR_TOKEN_WORD,
    FSR_TOKEN_NUMBER,
    FSR_TOKEN_QUOTED, /* a word in quotes, as Python's strings */
    FSR_TOKEN_MARK,   /* an operator or bracket */
    FSR_TOKEN_BAD     /* no reader takes it: what is wrong is said when it is met */
} fsr_token_kind;

typedef struct fsr_token {
    fsr_token_kind kind;
    const char *at; /* in the text; END: after the last token */
    int size;
} fsr_token;

/* A name that a statement assigned. */
typedef struct fsr_local {
    fsr_token word;
    fsr_node node;
} fsr_local;

/* Not made part of a reader that recurses: its variables would be on the stack once a level. */
#define FSR_APART __attribute__((noinline))

/* An operator or bracket that waits for a value; expr_value.c. */
typedef struct fsr_pending fsr_pending;

typedef struct fsr_reading {
    fsr_site at;
    const char *what; /* whose text it is, for messages: expr, or the name of a function */
    fsr_graph *g;
    const char *text;
    fsr_token token; /* the next one that is not taken */
    int depth;
    fsr_pending *pending;
    int npending, pending_capacity;
    const fsr_name *names;
    int nnames, nlocals;
    fsr_status status;  /* of the first failure */
    fsr_node poison;    /* the poisoned operand that was met, else null and the message counts */
    const char *where;  /* of the failure in the text; NULL: nowhere in it */
    char message[1400]; /* room for three operands in words */
    fsr_local local[FSR_EXPR_LOCALS];
} fsr_reading;

/* ---- words and failures: primitives/expr_lex.c ------------------------------------------------------- */

/* Notes the first failure; returns the null node. */
fsr_node fsr_reading_fail(fsr_reading *r, const char *where, fsr_status status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Fails at the next token, saying what it is. */
fsr_node fsr_reading_unexpected(fsr_reading *r);
/* What a builder gave: the node, or its poison noted as the failure at where. */
fsr_node fsr_reading_built(fsr_reading *r, const char *where, fsr_node x);
/* Puts "; hint" behind the message of the failure that r has. */
void fsr_reading_hint(fsr_reading *r, const char *hint);
/* The poisoned node that a failed reading gives; its nodes are dropped already. */
fsr_node fsr_reading_poison(const fsr_reading *r);

void fsr_token_next(fsr_reading *r);
/* The token after the next one, and the one after t. */
fsr_token fsr_token_peek(const fsr_reading *r);
fsr_token fsr_token_after(fsr_token t);
/* The next token, a word in quotes as the word: where a word is no name, as in mode="clip". */
fsr_token fsr_token_word(const fsr_reading *r);
/* 1 if t opens a round or square bracket, -1 if it closes one, else 0. */
int fsr_token_turns(const fsr_token *t);
/* The next tokens are a tuple, and the end of an argument follows: (0, 1), (0,) or (), while (1) is a number in
 * brackets. */
bool fsr_token_tuple(const fsr_reading *r);
bool fsr_token_is(const fsr_reading *r, const char *mark);
/* Takes the mark if it is next. */
bool fsr_token_take(fsr_reading *r, const char *mark);
bool fsr_token_expect(fsr_reading *r, const char *mark);
bool fsr_token_says(const fsr_token *t, const char *text);

/* fsr_exprs of a text that messages call `what`; expr.c. */
int fsr_exprs_of(fsr_site at, const char *what, fsr_graph *g, const char *text, const fsr_name *names, int nnames,
                 fsr_node *outs, int capacity);

/* ---- names: primitives/expr_names.c ----------------------------------------------------------------- */

/* Our name of the function that NumPy calls so; NULL: it has no other. */
const char *fsr_alias_find(const fsr_token *word);
/* What stands for this number in every expression (pi, true, ...); the null node: the word is no constant. */
fsr_node fsr_reading_constant(const fsr_reading *r, const fsr_token *word);
/* Fails: the word names no value, no function, or no dtype; with the name that may be meant. */
fsr_node fsr_unknown_value(fsr_reading *r, const fsr_token *word);
fsr_node fsr_unknown_function(fsr_reading *r, const fsr_token *word);
fsr_node fsr_unknown_dtype(fsr_reading *r, const fsr_token *word);

/* ---- readers ------------------------------------------------------------------------------------- */

/* An expression; expr_value.c. */
fsr_node fsr_read_value(fsr_reading *r);
/* An expression that must be a whole number known now; false: failed. expr_value.c */
bool fsr_read_whole(fsr_reading *r, int64_t *value);
/* x as a whole number known now. what: for the message. */
bool fsr_whole_take(fsr_reading *r, const char *where, fsr_node x, int64_t *value);
/* One level deeper; false: too deep. The caller takes r->depth back. */
bool fsr_read_deeper(fsr_reading *r);
/* A number; expr_number.c. */
fsr_node fsr_read_number(fsr_reading *r);
/* Bytes of the number at s if it is hexadecimal, binary or octal; else 0. */
size_t fsr_based_size(const char *s);
/* name(...), the next token being "("; expr_call.c. */
fsr_node fsr_read_call(fsr_reading *r, fsr_token name);
/* x[...], the next token being "["; expr_index.c. */
fsr_node fsr_read_index(fsr_reading *r, fsr_node x);
/* base ** exponent; expr_power.c. */
fsr_node fsr_power(fsr_reading *r, const char *where, fsr_node base, fsr_node exponent);

#endif
