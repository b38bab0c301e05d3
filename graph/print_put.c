/* SPDX-License-Identifier: MIT */
/* Formats that texts of kernels and plans are made of, without the C library's machinery for all others: more
 * than a third of planning ten thousand sums went into it. A piece is put together here and handed over at once. */
#include "graph/print.h"
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

enum { PIECE = 512, DIGITS = 24, MOST_WHOLE = 1 << 30 };

typedef struct piece {
    FILE *to;
    char *at;
    char text[PIECE];
} piece;

static void flush(piece *p) {
    if (p->at != p->text)
        fwrite(p->text, 1, (size_t)(p->at - p->text), p->to);
    p->at = p->text;
}

static void add_char(piece *p, char c) {
    if (p->at == p->text + PIECE)
        flush(p);
    *p->at++ = c;
}

/* Up to its end, or the first per cent sign. Returns where that is. Most are a few letters long. */
static const char *add_plain(piece *p, const char *text, char until) {
    const char *const end = p->text + PIECE;
    char *at = p->at; /* a letter written may not be the pointer itself, which the compiler cannot know */
    for (; *text && *text != until; ++text) {
        if (at == end) {
            p->at = at;
            flush(p);
            at = p->at;
        }
        *at++ = *text;
    }
    p->at = at;
    return text;
}

static void add_number(piece *p, long long value) {
    char digits[DIGITS], *at = digits + DIGITS;
    unsigned long long left = value < 0 ? 0 - (unsigned long long)value : (unsigned long long)value;
    do
        *--at = (char)('0' + left % 10);
    while ((left /= 10) > 0);
    if (value < 0)
        *--at = '-';
    if (p->text + PIECE - p->at < DIGITS)
        flush(p);
    while (at < digits + DIGITS)
        *p->at++ = *at++;
}

/* To the nearest whole number, as %.0f has it. */
static void add_whole(piece *p, double value) {
    char text[400];
    if (value >= 0 && value < MOST_WHOLE && !signbit(value)) {
        add_number(p, (long long)rint(value));
        return;
    }
    snprintf(text, sizeof text, "%.0f", value);
    add_plain(p, text, 0);
}

/* What stands behind a per cent sign. Returns how much of the format it is; 0: none of those that are known. */
static size_t add_one(piece *p, const char *format, va_list *args) {
    switch (*format) {
    case 'd': add_number(p, va_arg(*args, int)); return 1;
    case 'u': add_number(p, va_arg(*args, unsigned)); return 1;
    case 's': add_plain(p, va_arg(*args, const char *), 0); return 1;
    case 'c': add_char(p, (char)va_arg(*args, int)); return 1;
    case '%': add_char(p, '%'); return 1;
    default: break;
    }
    if (strncmp(format, "lld", 3) == 0) {
        add_number(p, va_arg(*args, long long));
        return 3;
    }
    if (strncmp(format, PRId64, sizeof PRId64 - 1) == 0) {
        add_number(p, va_arg(*args, int64_t));
        return sizeof PRId64 - 1;
    }
    if (strncmp(format, ".0f", 3) == 0) {
        add_whole(p, va_arg(*args, double));
        return 3;
    }
    return 0;
}

void fsr_fput_list(FILE *to, const char *format, va_list given) {
    piece p;
    va_list args;
    p.to = to;
    p.at = p.text;
    va_copy(args, given);
    while (*(format = add_plain(&p, format, '%'))) {
        const size_t known = add_one(&p, format + 1, &args);
        if (!known) { /* the rest as the library has it */
            flush(&p);
            vfprintf(to, format, args);
            break;
        }
        format += 1 + known;
    }
    va_end(args);
    flush(&p);
}

void fsr_fput(FILE *to, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fsr_fput_list(to, format, args);
    va_end(args);
}
