/* SPDX-License-Identifier: MIT */
/* Tokens of an expression, and its failures with line and caret.
 *
 * The text ends with a 0, which no class of bytes holds: every look-ahead stops there. A token that is wrong in itself
 * (2x, a control byte) is BAD and fails only when a reader meets it, so that the first mistake in the text is the one
 * reported.
 * Everything before that place was taken as tokens and is ASCII: its column in bytes is its column on the screen. */
#include "graph/message.h"
#include "primitives/expr.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
#define BLANKS " \t\r\n"

enum { WINDOW = 100, BEFORE = 60 };

/* ---- tokens ---------------------------------------------------------------------------------------- */

/* Bytes of the number at s, with the j of an imaginary one; those of a malformed one include what clings to it. */
static int number_size(const char *s, bool *good) {
    size_t size = fsr_based_size(s);
    if (size) {
        const size_t more = strspn(s + size, LETTERS DIGITS ".");
        *good = more == 0;
        return (int)(size + more);
    }
    size = strspn(s, DIGITS);
    if (s[size] == '.')
        size += 1 + strspn(s + size + 1, DIGITS);
    if (s[size] == 'e' || s[size] == 'E') {
        size_t sign = s[size + 1] == '+' || s[size + 1] == '-';
        size_t digits = strspn(s + size + 1 + sign, DIGITS);
        size += digits ? 1 + sign + digits : 0;
    }
    size += s[size] == 'j' && !strspn(s + size + 1, LETTERS DIGITS ".");
    size_t clings = strspn(s + size, LETTERS DIGITS ".");
    *good = clings == 0;
    return (int)(size + clings);
}

/* Bytes of a word in quotes, with them; 0: there is none at s. */
static int quoted_size(const char *s) {
    const size_t size = *s == '\'' || *s == '"' ? strspn(s + 1, LETTERS DIGITS) : 0;
    return size && s[size + 1] == *s ? (int)size + 2 : 0;
}

static fsr_token token_at(const char *after) {
    static const char marks[][3] = {"**", "//", "==", "!=", "<=", ">=", "&&", "||", "<<", ">>"};
    const char *s = after + strspn(after, BLANKS);
    bool good;
    if (!*s)
        return (fsr_token){FSR_TOKEN_END, after, 0};
    if (strchr(LETTERS, *s))
        return (fsr_token){FSR_TOKEN_WORD, s, (int)strspn(s, LETTERS DIGITS)};
    if (strchr(DIGITS, *s) || (*s == '.' && s[1] && strchr(DIGITS, s[1]))) {
        int size = number_size(s, &good);
        return (fsr_token){good ? FSR_TOKEN_NUMBER : FSR_TOKEN_BAD, s, size};
    }
    if (!strncmp(s, "...", 3))
        return (fsr_token){FSR_TOKEN_MARK, s, 3};
    const int quoted = quoted_size(s);
    if (quoted)
        return (fsr_token){FSR_TOKEN_QUOTED, s, quoted};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (!strncmp(s, marks[i], 2))
            return (fsr_token){FSR_TOKEN_MARK, s, 2};
    return (fsr_token){strchr("+-*/%<>!~&|^?:;,=()[].", *s) ? FSR_TOKEN_MARK : FSR_TOKEN_BAD, s, 1};
}

void fsr_token_next(fsr_reading *r) {
    r->token = fsr_token_peek(r);
}

fsr_token fsr_token_peek(const fsr_reading *r) {
    return fsr_token_after(r->token);
}

fsr_token fsr_token_after(fsr_token t) {
    return token_at(t.at + t.size);
}

fsr_token fsr_token_word(const fsr_reading *r) {
    fsr_token t = r->token;
    if (t.kind == FSR_TOKEN_QUOTED)
        t = (fsr_token){FSR_TOKEN_WORD, t.at + 1, t.size - 2};
    return t;
}

int fsr_token_turns(const fsr_token *t) {
    if (t->kind != FSR_TOKEN_MARK || t->size != 1)
        return 0;
    return strchr("([", *t->at) ? 1 : strchr(")]", *t->at) ? -1 : 0;
}

bool fsr_token_tuple(const fsr_reading *r) {
    int depth = 0;
    bool many = false;
    fsr_token t = r->token, last = t;
    if (!fsr_token_is(r, "("))
        return false;
    do {
        depth += fsr_token_turns(&t);
        many = many || (depth == 1 && fsr_token_says(&t, ",")) || (depth == 0 && fsr_token_says(&last, "("));
        last = t;
        t = fsr_token_after(t);
    } while (depth > 0 && t.kind != FSR_TOKEN_END);
    return many && (t.kind == FSR_TOKEN_END || (depth == 0 && (fsr_token_says(&t, ",") || fsr_token_says(&t, ")"))));
}

bool fsr_token_says(const fsr_token *t, const char *text) {
    return (size_t)t->size == strlen(text) && !memcmp(t->at, text, (size_t)t->size);
}

bool fsr_token_is(const fsr_reading *r, const char *mark) {
    return !r->status && r->token.kind == FSR_TOKEN_MARK && fsr_token_says(&r->token, mark);
}

bool fsr_token_take(fsr_reading *r, const char *mark) {
    if (!fsr_token_is(r, mark))
        return false;
    fsr_token_next(r);
    return true;
}

bool fsr_token_expect(fsr_reading *r, const char *mark) {
    if (fsr_token_take(r, mark))
        return true;
    if (r->token.kind == FSR_TOKEN_END)
        fsr_reading_fail(r, r->token.at, FSR_ERR_FORMAT, "expected \"%s\"", mark);
    fsr_reading_unexpected(r);
    return false;
}

/* ---- failures -------------------------------------------------------------------------------------- */

fsr_node fsr_reading_fail(fsr_reading *r, const char *where, fsr_status status, const char *format, ...) {
    va_list args;
    if (r->status)
        return (fsr_node){0};
    r->status = status;
    r->where = where;
    va_start(args, format);
    fsr_message_list(r->message, sizeof r->message, format, args);
    va_end(args);
    return (fsr_node){0};
}

void fsr_reading_hint(fsr_reading *r, const char *hint) {
    const size_t size = strlen(r->message);
    fsr_message_put(r->message + size, sizeof r->message - size, "; %s", hint);
}

static fsr_node bad(fsr_reading *r) {
    fsr_token t = r->token;
    unsigned char c = (unsigned char)*t.at;
    if (c < 0x20 || c > 0x7e)
        return fsr_reading_fail(r, t.at, FSR_ERR_FORMAT, "byte 0x%02x is not allowed", c);
    if (strchr(DIGITS ".", c))
        return fsr_reading_fail(r, t.at, FSR_ERR_FORMAT, "\"%.*s\" is no number", t.size < 40 ? t.size : 40, t.at);
    return fsr_reading_fail(r, t.at, FSR_ERR_FORMAT, "unexpected \"%c\"", c);
}

fsr_node fsr_reading_unexpected(fsr_reading *r) {
    fsr_token t = r->token;
    if (r->status)
        return (fsr_node){0};
    if (t.kind == FSR_TOKEN_BAD)
        return bad(r);
    if (t.kind == FSR_TOKEN_END)
        return fsr_reading_fail(r, t.at, FSR_ERR_FORMAT, "expected an expression");
    return fsr_reading_fail(r, t.at, FSR_ERR_FORMAT, "unexpected \"%.*s\"%s", t.size < 40 ? t.size : 40, t.at,
                            fsr_token_says(&t, "=") ? "; equality is \"==\"" : "");
}

/* A builder's message ends with the caller's place, which the expression's message has as well. */
fsr_node fsr_reading_built(fsr_reading *r, const char *where, fsr_node x) {
    char place[512];
    if (r->status)
        return (fsr_node){0};
    fsr_status status = fsr_node_status(x);
    if (!status)
        return x;
    if (status == FSR_ERR_NULL)
        return fsr_reading_fail(r, where, FSR_ERR_MEMORY, "out of memory");
    const char *message = fsr_node_error(x);
    size_t size = strlen(message);
    int end = snprintf(place, sizeof place, " (%s:%d)", r->at.file ? r->at.file : "?", r->at.line);
    if (end > 0 && (size_t)end < sizeof place && size >= (size_t)end && !strcmp(message + size - (size_t)end, place))
        size -= (size_t)end;
    return fsr_reading_fail(r, where, status, "%.*s", (int)size, message);
}

/* "\n    <line>\n    <blanks>^" for the line of where, a window of it if it is long. Raw bytes never get out: what is
 * not printable ASCII is shown as ?, a tab as a blank. */
static void show_line(char *out, const char *line, const char *where) {
    size_t size = strcspn(line, "\n"), column = (size_t)(where - line), from = 0;
    if (size > WINDOW && column > BEFORE)
        from = column - BEFORE;
    size_t shown = size - from < WINDOW ? size - from : WINDOW;
    out += sprintf(out, "\n    %s", from ? "..." : "");
    for (size_t i = 0; i < shown; i++) {
        unsigned char c = (unsigned char)line[from + i];
        *out++ = c == '\t' || c == '\r' ? ' ' : c < 0x20 || c > 0x7e ? '?' : (char)c;
    }
    out += sprintf(out, "%s\n    ", from + shown < size ? "..." : "");
    sprintf(out, "%*s", (int)(column - from + (from ? 3 : 0)) + 1, "^");
}

/* Puts text behind the message of a node that fsr_poison gave. Out of memory leaves it as it is; then the node may be
 * the graph's own for that case, whose message is not the expression's. */
static void append(fsr_node poison, const char *text) {
    fsr_rec *rec = fsr_node_rec(poison);
    bool own = rec && rec->status != FSR_ERR_MEMORY;
    size_t size = own ? strlen(rec->message) : 0;
    char *longer = own ? realloc(rec->message, size + strlen(text) + 1) : NULL;
    if (!longer)
        return;
    strcpy(longer + size, text);
    rec->message = longer;
}

fsr_node fsr_reading_poison(const fsr_reading *r) {
    char shown[2 * WINDOW + 64];
    if (r->poison.graph)
        return r->poison;
    if (!r->where)
        return fsr_poison(r->g, r->at, r->status, r->what, "%s", r->message);
    const char *line = r->text;
    int number = 1;
    for (const char *c = r->text; c < r->where; c++)
        if (*c == '\n') {
            line = c + 1;
            number++;
        }
    int column = (int)(r->where - line) + 1;
    fsr_node poison;
    if (strchr(r->text, '\n'))
        poison = fsr_poison(r->g, r->at, r->status, r->what, "%s at line %d, column %d", r->message, number, column);
    else
        poison = fsr_poison(r->g, r->at, r->status, r->what, "%s at column %d", r->message, column);
    show_line(shown, line, r->where);
    append(poison, shown);
    return poison;
}
