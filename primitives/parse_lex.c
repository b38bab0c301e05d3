/* SPDX-License-Identifier: MIT */
/* Words of the text form. Every look-ahead is bounded by the text's final 0: strspn and strncmp stop there. */
#include "primitives/parse_lex.h"
#include "graph/message.h"
#include "graph/number.h"
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"

bool fsr_lex_fail(fsr_lex *l, fsr_status status, const char *format, ...) {
    if (l->status)
        return false;
    l->status = status;
    if (!l->error)
        return false;
    ptrdiff_t column = l->at - l->line_start + 1;
    l->error->line = l->line;
    l->error->column = column < INT_MAX ? (int)column : INT_MAX;
    char raw[sizeof l->error->message];
    va_list args;
    va_start(args, format);
    fsr_message_list(raw, sizeof raw, format, args);
    va_end(args);
    fsr_message_copy(l->error->message, sizeof l->error->message, raw);
    return false;
}

static void skip(fsr_lex *l) {
    while (*l->at == ' ' || *l->at == '\t' || *l->at == '\r')
        l->at++;
}

static void newline(fsr_lex *l) {
    l->at++;
    l->line_start = l->at;
    if (l->line < INT_MAX)
        l->line++;
}

bool fsr_lex_line(fsr_lex *l) {
    for (;;) {
        skip(l);
        if (*l->at == '#')
            l->at += strcspn(l->at, "\n");
        if (*l->at != '\n')
            return *l->at != 0;
        newline(l);
    }
}

bool fsr_lex_sees(fsr_lex *l, char c) {
    skip(l);
    return *l->at == c || (c == '\n' && *l->at == 0);
}

bool fsr_lex_end(fsr_lex *l) {
    if (l->status)
        return false;
    return fsr_lex_sees(l, '\n') || fsr_lex_fail(l, FSR_ERR_FORMAT, "the line goes on");
}

bool fsr_lex_try(fsr_lex *l, const char *text) {
    size_t size = strlen(text);
    if (l->status)
        return false;
    skip(l);
    if (strncmp(l->at, text, size) != 0)
        return false;
    bool word = size > 1 && strchr(LETTERS, text[size - 1]);
    if (word && l->at[size] && strchr(LETTERS DIGITS, l->at[size]))
        return false;
    l->at += size;
    return true;
}

bool fsr_lex_expect(fsr_lex *l, const char *text) {
    return fsr_lex_try(l, text) || fsr_lex_fail(l, FSR_ERR_FORMAT, "expected %s", text);
}

bool fsr_lex_word(fsr_lex *l, char word[FSR_WORD_BYTES]) {
    word[0] = 0;
    if (l->status)
        return false;
    skip(l);
    size_t size = strspn(l->at, LETTERS DIGITS);
    if (size == 0 || strchr(DIGITS, *l->at))
        return fsr_lex_fail(l, FSR_ERR_FORMAT, "expected a word");
    if (size >= FSR_WORD_BYTES)
        return fsr_lex_fail(l, FSR_ERR_FORMAT, "the word is too long");
    memcpy(word, l->at, size);
    word[size] = 0;
    l->at += size;
    return true;
}

bool fsr_lex_int(fsr_lex *l, int64_t low, int64_t high, int64_t *value) {
    *value = low;
    if (l->status)
        return false;
    skip(l);
    size_t sign = *l->at == '-', digits = strspn(l->at + sign, DIGITS);
    if (digits == 0)
        return fsr_lex_fail(l, FSR_ERR_FORMAT, "expected a whole number");
    errno = 0;
    long long number = strtoll(l->at, NULL, 10);
    if (errno || number < low || number > high)
        return fsr_lex_fail(l, FSR_ERR_FORMAT, "the number is out of range");
    *value = number;
    l->at += sign + digits;
    return true;
}

bool fsr_lex_dtype(fsr_lex *l, fsr_dtype *dtype) {
    char word[FSR_WORD_BYTES];
    const char *start = l->at;
    *dtype = FSR_BOOL;
    if (!fsr_lex_word(l, word))
        return false;
    for (int i = 0; i < FSR_DTYPE_COUNT; i++) {
        *dtype = (fsr_dtype)i;
        if (!strcmp(word, fsr_dtype_name(*dtype)))
            return true;
    }
    *dtype = FSR_BOOL;
    l->at = start;
    return fsr_lex_fail(l, FSR_ERR_FORMAT, "%s is no dtype", word);
}

/* A NaN of given bits; those that the dtype does not have, or that are no NaN, are refused. */
static bool nan_bits(fsr_lex *l, fsr_dtype dtype, fsr_value *value) {
    size_t digits = strspn(l->at, DIGITS "abcdef");
    value->bits = digits && digits <= 16 ? strtoull(l->at, NULL, 16) : 0;
    size_t bits = 8 * fsr_dtype_size(dtype);
    bool fits = bits == 64 || value->bits >> bits == 0;
    if (!fits || !isnan(fsr_value_to_double(dtype, *value)))
        return fsr_lex_fail(l, FSR_ERR_FORMAT, "these bits are no NaN");
    l->at += digits;
    return true;
}

/* A decimal with a point, whatever the locale of the program. */
static bool decimal(fsr_lex *l, double *number) {
    const size_t size = strspn(l->at, DIGITS "+-.e");
    if (size == 0 || size > 40 || !fsr_number_read(l->at, size, number) || isinf(*number))
        return fsr_lex_fail(l, FSR_ERR_FORMAT, "expected a number");
    l->at += size;
    return true;
}

/* (1,-2) */
static bool complex_value(fsr_lex *l, fsr_dtype dtype, fsr_value *value) {
    const fsr_dtype real = fsr_dtype_real(dtype);
    fsr_value re, im;
    if (!fsr_lex_expect(l, "(") || !fsr_lex_value(l, real, &re) || !fsr_lex_expect(l, ",") ||
        !fsr_lex_value(l, real, &im) || !fsr_lex_expect(l, ")"))
        return false;
    *value = fsr_value_of_parts(dtype, re, im);
    return true;
}

/* Beyond INT64_MAX only a u64 goes. */
static bool large(fsr_lex *l, fsr_value *value) {
    skip(l);
    size_t digits = strspn(l->at, DIGITS);
    errno = 0;
    unsigned long long number = digits ? strtoull(l->at, NULL, 10) : 0;
    if (errno || number <= INT64_MAX)
        return false;
    *value = fsr_value_from_unsigned(FSR_U64, number);
    l->at += digits;
    return true;
}

static bool integer(fsr_lex *l, fsr_dtype dtype, fsr_value *value) {
    const char *start = l->at;
    int64_t whole;
    if (dtype == FSR_U64 && large(l, value))
        return true;
    if (!fsr_lex_int(l, INT64_MIN, INT64_MAX, &whole))
        return false;
    *value = fsr_value_from_int(dtype, whole);
    if (fsr_value_cast(FSR_I64, dtype, *value).i64 == whole && (whole >= 0 || !fsr_dtype_is_unsigned(dtype)))
        return true;
    l->at = start;
    return fsr_lex_fail(l, FSR_ERR_FORMAT, "the number does not fit %s", fsr_dtype_name(dtype));
}

bool fsr_lex_value(fsr_lex *l, fsr_dtype dtype, fsr_value *value) {
    double number = 0;
    *value = (fsr_value){.bits = 0};
    if (l->status)
        return false;
    if (fsr_dtype_is_complex(dtype))
        return complex_value(l, dtype, value);
    if (!fsr_dtype_is_float(dtype))
        return integer(l, dtype, value);
    skip(l);
    if (!strncmp(l->at, "nan:", 4)) {
        l->at += 4;
        return nan_bits(l, dtype, value);
    }
    if (fsr_lex_try(l, "inf"))
        number = INFINITY;
    else if (fsr_lex_try(l, "-inf"))
        number = -INFINITY;
    else if (fsr_lex_try(l, "nan"))
        number = NAN;
    else if (!decimal(l, &number))
        return false;
    *value = fsr_value_from_double(dtype, number);
    return true;
}

bool fsr_lex_string(fsr_lex *l, char **string) {
    *string = NULL;
    if (!fsr_lex_expect(l, "\""))
        return false;
    size_t size = 0, used = 0;
    while (l->at[size] && l->at[size] != '"' && l->at[size] != '\n')
        size += l->at[size] == '\\' && l->at[size + 1] ? 2 : 1;
    if (l->at[size] != '"')
        return fsr_lex_fail(l, FSR_ERR_FORMAT, "the string does not end");
    char *copy = malloc(size + 1);
    if (!copy)
        return fsr_lex_fail(l, FSR_ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < size; i++) {
        if (l->at[i] != '\\')
            copy[used++] = l->at[i];
        else
            copy[used++] = l->at[++i] == 'n' ? '\n' : l->at[i];
    }
    copy[used] = 0;
    l->at += size + 1;
    *string = copy;
    return true;
}
