/* SPDX-License-Identifier: MIT */
/* A reader of JSON by recursive descent, its depth bounded, whatever the bytes are.
 *
 * A string's escapes become UTF-8 and what is no UTF-8, or would act on a terminal, its \x form: what is read may be
 * put into messages and pages. Counter-example to keeping the bytes: a control character is not allowed in XML, in no
 * spelling at all. */
#include "bench/json.h"
#include "graph/message.h"
#include "graph/number.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 64, ESCAPED = 4 /* bytes that one may become */ };

typedef struct reader {
    const char *begin, *at, *end;
    const char *error; /* NULL: none so far; set once, with `at` where it is */
    int depth;
} reader;

static bench_json *fail(reader *r, const char *error) {
    if (!r->error)
        r->error = error;
    return NULL;
}

static void skip_blanks(reader *r) {
    while (r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at)
        r->at++;
}

/* Takes the character if it is next, blanks before it aside. */
static bool take(reader *r, char c) {
    skip_blanks(r);
    if (r->at == r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

static bench_json *value_new(reader *r, bench_json_kind kind) {
    bench_json *value = calloc(1, sizeof *value);
    if (!value)
        return fail(r, "out of memory");
    value->kind = kind;
    return value;
}

void bench_json_free(bench_json *value) {
    while (value) {
        bench_json *next = value->next;
        bench_json_free(value->child);
        free(value->key);
        free(value->text);
        free(value);
        value = next;
    }
}

/* ---- strings ----------------------------------------------------------------------------------------- */

static int hex_digit(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Four digits; -1: they are none. */
static long read_hex(reader *r) {
    long value = 0;
    for (int i = 0; i < 4; i++) {
        const int digit = r->at < r->end ? hex_digit(*r->at) : -1;
        if (digit < 0)
            return -1;
        value = value * 16 + digit;
        r->at++;
    }
    return value;
}

/* Behind \u: one character or a pair of surrogates; a lone surrogate, and a zero, is U+FFFD. -1: no digits. */
static long read_unicode(reader *r) {
    const long first = read_hex(r);
    if (first < 0xd800 || first > 0xdfff)
        return first == 0 ? 0xfffd : first;
    if (first > 0xdbff || r->end - r->at < 6 || r->at[0] != '\\' || r->at[1] != 'u')
        return 0xfffd;
    const char *before = r->at;
    r->at += 2;
    const long second = read_hex(r);
    if (second >= 0xdc00 && second <= 0xdfff)
        return 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
    r->at = before;
    return 0xfffd;
}

static char *put_utf8(char *out, unsigned long c) {
    if (c < 0x80) {
        *out++ = (char)c;
        return out;
    }
    const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned char head[] = {0, 0xc0, 0xe0, 0xf0};
    *out++ = (char)(head[more] | c >> (6 * more));
    for (int i = more - 1; i >= 0; i--)
        *out++ = (char)(0x80 | (c >> (6 * i) & 0x3f));
    return out;
}

/* Behind a backslash. NULL: no escape. */
static char *read_escape(reader *r, char *out) {
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char c = r->at < r->end ? *r->at : 0;
    const char *plain = c ? strchr(from, c) : NULL;
    if (plain) {
        r->at++;
        *out++ = to[plain - from];
        return out;
    }
    if (c != 'u')
        return NULL;
    r->at++;
    const long character = read_unicode(r);
    return character < 0 ? NULL : put_utf8(out, (unsigned long)character);
}

/* The characters up to the quote that ends them, in out, which has room for them all. */
static bool read_characters(reader *r, char *out) {
    for (;;) {
        if (r->at == r->end || (unsigned char)*r->at < 0x20)
            return fail(r, "a string does not end") != NULL;
        const char c = *r->at++;
        if (c == '"')
            break;
        if (c != '\\')
            *out++ = c;
        else if (!(out = read_escape(r, out)))
            return fail(r, "this is no escape") != NULL;
    }
    *out = 0;
    return true;
}

/* Behind the quote. */
static char *read_string(reader *r) {
    const char *end = r->at;
    while (end < r->end && *end != '"')
        end += *end == '\\' && end + 1 < r->end ? 2 : 1;
    const size_t room = (size_t)(end - r->at) + 1;
    char *raw = malloc(room), *clean = malloc(room * ESCAPED);
    if (!raw || !clean)
        fail(r, "out of memory");
    const bool ok = raw && clean && read_characters(r, raw);
    if (ok)
        fsr_message_copy(clean, room * ESCAPED, raw);
    free(raw);
    if (ok)
        return clean;
    free(clean);
    return NULL;
}

/* ---- values ------------------------------------------------------------------------------------------ */

static bench_json *read_value(reader *r);

static size_t digits(const char *at, const char *end) {
    size_t n = 0;
    while (at + n < end && at[n] >= '0' && at[n] <= '9')
        n++;
    return n;
}

/* The length of the number at `at` by JSON's grammar; 0: there is none. */
static size_t number_length(const char *at, const char *end) {
    const char *p = at + (at < end && *at == '-');
    size_t n = digits(p, end);
    if (n == 0 || (n > 1 && *p == '0'))
        return 0;
    p += n;
    if (p < end && *p == '.') {
        n = digits(p + 1, end);
        if (n == 0)
            return 0;
        p += 1 + n;
    }
    if (p < end && (*p == 'e' || *p == 'E')) {
        p += 1 + (p + 1 < end && (p[1] == '+' || p[1] == '-'));
        n = digits(p, end);
        if (n == 0)
            return 0;
        p += n;
    }
    return (size_t)(p - at);
}

static bench_json *read_number(reader *r) {
    const size_t n = number_length(r->at, r->end);
    double x;
    if (n == 0 || !fsr_number_read(r->at, n, &x))
        return fail(r, "this is no value");
    bench_json *value = value_new(r, BENCH_JSON_NUMBER);
    if (value)
        value->number = x;
    r->at += n;
    return value;
}

static bench_json *read_word(reader *r) {
    static const struct {
        const char *word;
        bench_json_kind kind;
        double number;
    } words[] = {{"null", BENCH_JSON_NULL, 0}, {"true", BENCH_JSON_BOOL, 1}, {"false", BENCH_JSON_BOOL, 0}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t n = strlen(words[i].word);
        if ((size_t)(r->end - r->at) < n || memcmp(r->at, words[i].word, n) != 0)
            continue;
        bench_json *value = value_new(r, words[i].kind);
        if (value)
            value->number = words[i].number;
        r->at += n;
        return value;
    }
    return read_number(r);
}

/* A value, of an object with its key before it. */
static bench_json *read_member(reader *r, bool keyed) {
    char *key = NULL;
    if (keyed && !take(r, '"'))
        return fail(r, "a key is missing");
    if (keyed && !(key = read_string(r)))
        return NULL;
    if (keyed && !take(r, ':')) {
        free(key);
        return fail(r, "a : is missing");
    }
    bench_json *value = read_value(r);
    if (value)
        value->key = key;
    else
        free(key);
    return value;
}

/* Behind the bracket that opens it. */
static bench_json *read_inside(reader *r, bool keyed) {
    bench_json *value = value_new(r, keyed ? BENCH_JSON_OBJECT : BENCH_JSON_ARRAY);
    bench_json **last = value ? &value->child : NULL;
    const char close = keyed ? '}' : ']';
    if (!value || take(r, close))
        return value;
    do {
        *last = read_member(r, keyed);
        if (!*last)
            break;
        last = &(*last)->next;
    } while (take(r, ','));
    if (!r->error && !take(r, close))
        fail(r, keyed ? "a , or } is missing" : "a , or ] is missing");
    if (!r->error)
        return value;
    bench_json_free(value);
    return NULL;
}

static bench_json *read_value(reader *r) {
    bench_json *value;
    skip_blanks(r);
    if (r->depth == MOST_DEPTH)
        return fail(r, "it is nested too deep");
    r->depth++;
    if (take(r, '{')) {
        value = read_inside(r, true);
    } else if (take(r, '[')) {
        value = read_inside(r, false);
    } else if (take(r, '"')) {
        char *text = read_string(r);
        value = text ? value_new(r, BENCH_JSON_STRING) : NULL;
        if (value)
            value->text = text;
        else
            free(text);
    } else {
        value = read_word(r);
    }
    r->depth--;
    return value;
}

static void tell(const reader *r, char *why, size_t room) {
    int line = 1, column = 1;
    for (const char *p = r->begin; p < r->at; p++) {
        column = *p == '\n' ? 1 : column + 1;
        line += *p == '\n';
    }
    snprintf(why, room, "line %d, column %d: %s", line, column, r->error);
}

bench_json *bench_json_read(const char *text, size_t size, char *why, size_t room) {
    reader r = {.begin = text, .at = text, .end = text + size};
    bench_json *value = read_value(&r);
    if (value) {
        skip_blanks(&r);
        if (r.at < r.end) {
            bench_json_free(value);
            value = fail(&r, "something follows the value");
        }
    }
    if (!value)
        tell(&r, why, room);
    return value;
}

/* ---- asking ------------------------------------------------------------------------------------------ */

const bench_json *bench_json_member(const bench_json *object, const char *key) {
    const bench_json *at = object && object->kind == BENCH_JSON_OBJECT ? object->child : NULL;
    while (at && strcmp(at->key, key) != 0)
        at = at->next;
    return at;
}

double bench_json_number(const bench_json *object, const char *key) {
    const bench_json *value = bench_json_member(object, key);
    return value && (value->kind == BENCH_JSON_NUMBER || value->kind == BENCH_JSON_BOOL) ? value->number : NAN;
}

const char *bench_json_text(const bench_json *object, const char *key) {
    const bench_json *value = bench_json_member(object, key);
    return value && value->kind == BENCH_JSON_STRING ? value->text : "";
}
