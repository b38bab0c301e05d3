/* SPDX-License-Identifier: MIT */
/* The words of the text form. Failure is sticky: the first one is kept, everything after it fails too, so a
 * parser reads straight on and looks at `status` where it must decide. */
#ifndef FUSOR_PRIMITIVES_PARSE_LEX_H
#define FUSOR_PRIMITIVES_PARSE_LEX_H

#include "graph/print.h"
#include "primitives/parse.h"

#define FSR_WORD_BYTES 64

typedef struct fsr_lex {
    const char *at, *line_start;
    int line;
    fsr_status status;
    fsr_parse_error *error;
} fsr_lex;

/* Notes a failure at the present place; returns false. */
bool fsr_lex_fail(fsr_lex *l, fsr_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Goes to the next line that says something; false at the end of the text. */
bool fsr_lex_line(fsr_lex *l);
/* True if c is next, blanks skipped; '\n' also means the end of the text. */
bool fsr_lex_sees(fsr_lex *l, char c);
/* Expects the end of the line. */
bool fsr_lex_end(fsr_lex *l);
/* Expects these characters; blanks before them are skipped. */
bool fsr_lex_expect(fsr_lex *l, const char *text);
/* True if these characters are next; then they are taken. A word of several letters is only taken whole. */
bool fsr_lex_try(fsr_lex *l, const char *text);
/* A letter or _, then letters, digits and _. */
bool fsr_lex_word(fsr_lex *l, char word[FSR_WORD_BYTES]);
/* A decimal integer from low to high. */
bool fsr_lex_int(fsr_lex *l, int64_t low, int64_t high, int64_t *value);
bool fsr_lex_dtype(fsr_lex *l, fsr_dtype *dtype);
/* A number, inf, nan ... as VALUE of the grammar. */
bool fsr_lex_value(fsr_lex *l, fsr_dtype dtype, fsr_value *value);
/* A quoted string, malloc'ed. */
bool fsr_lex_string(fsr_lex *l, char **string);
/* "v4": the letter and a number below `limit`; 0 on a failure. */
int fsr_lex_mark(fsr_lex *l, const char *letter, int limit);
/* What fsr_write_scalar has written, behind the dtype, which inst has; operands are below `limit`. */
void fsr_lex_scalar(fsr_lex *l, const char *letter, int limit, fsr_inst *inst);
/* What fsr_write_region has written, into r, which has its arguments and so many results. */
bool fsr_lex_region(fsr_lex *l, const fsr_region_text *text, fsr_region *r);
/* The name of a built-in operator, malloc'ed; NULL: a failure. */
fsr_combine *fsr_lex_builtin(fsr_lex *l, int arity, const fsr_dtype *dtype);
/* An operator and a loop for these dtypes, malloc'ed, without a body; NULL: a failure, or there was one. */
fsr_combine *fsr_lex_operator(fsr_lex *l, int arity, const fsr_dtype *dtype, int nsame, const fsr_dtype *same);
fsr_iteration *fsr_lex_loop(fsr_lex *l, int nstate, int nargs, const fsr_dtype *dtype);
/* COMBINE of the grammar for components of these dtypes, and what is the same besides, malloc'ed. */
bool fsr_lex_combine(fsr_lex *l, int arity, const fsr_dtype *dtype, int nsame, const fsr_dtype *same,
                     fsr_combine **combine);
/* NAME(...) ulp=U c="..." of the grammar, a function with this result. On a failure *out is NULL. */
bool fsr_lex_routine(fsr_lex *l, fsr_dtype result, fsr_routine **out);
/* LOOP of the grammar for nargs arguments of these dtypes and dimensions, the first nstate of them the state,
 * malloc'ed. */
bool fsr_lex_iteration(fsr_lex *l, int nstate, int nargs, const fsr_table_type *type, fsr_iteration **loop);
/* A loop over arrays of the grammar. */
bool fsr_lex_rounds(fsr_lex *l, const fsr_graph *g, fsr_rec *rec);
/* The fields of the record's kind whose text stands before the type, or the others; its arguments, which are nodes of
 * g, and its type are read already. */
void fsr_lex_fields(fsr_lex *l, const fsr_graph *g, fsr_rec *rec, bool head);

#endif
