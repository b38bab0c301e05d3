/* SPDX-License-Identifier: MIT */
/* Formats that texts of kernels and plans are made of, without the C library's machinery for all others: more
 * than a third of planning ten thousand sums went into it. Letters go into the
 * stream's own buffer, which is locked once for each format: pieces are a few letters, and handing over one costs more
 * than they do. */
#include "graph/print.h"
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

enum { DIGITS = 24, MOST_WHOLE = 1 << 30 };

/* Up to its end, or the first per cent sign. Returns where that is. Most are a few letters long. */
static const char *add_plain(FILE *to, const char *text, char until) {
    for (; *text && *text != until; ++text)
        putc_unlocked(*text, to);
    return text;
}

static void add_number(FILE *to, long long value) {
    char digits[DIGITS], *at = digits + DIGITS;
    unsigned long long left = value < 0 ? 0 - (unsigned long long)value : (unsigned long long)value;
    do
        *--at = (char)('0' + left % 10);
    while ((left /= 10) > 0);
    if (value < 0)
        *--at = '-';
    while (at < digits + DIGITS)
        putc_unlocked(*at++, to);
}

/* To the nearest whole number, as %.0f has it. */
static void add_whole(FILE *to, double value) {
    char text[400];
    if (value >= 0 && value < MOST_WHOLE && !signbit(value)) {
        add_number(to, (long long)rint(value));
        return;
    }
    snprintf(text, sizeof text, "%.0f", value);
    add_plain(to, text, 0);
}

/* What stands behind a per cent sign. Returns how much of the format it is; 0: none of those that are known. */
static size_t add_one(FILE *to, const char *format, va_list *args) {
    switch (*format) {
    case 'd': add_number(to, va_arg(*args, int)); return 1;
    case 'u': add_number(to, va_arg(*args, unsigned)); return 1;
    case 's': add_plain(to, va_arg(*args, const char *), 0); return 1;
    case 'c': putc_unlocked(va_arg(*args, int), to); return 1;
    case '%': putc_unlocked('%', to); return 1;
    default: break;
    }
    if (strncmp(format, "lld", 3) == 0) {
        add_number(to, va_arg(*args, long long));
        return 3;
    }
    if (strncmp(format, PRId64, sizeof PRId64 - 1) == 0) {
        add_number(to, va_arg(*args, int64_t));
        return sizeof PRId64 - 1;
    }
    if (strncmp(format, ".0f", 3) == 0) {
        add_whole(to, va_arg(*args, double));
        return 3;
    }
    return 0;
}

void fsr_fput_list(FILE *to, const char *format, va_list given) {
    va_list args;
    va_copy(args, given);
    flockfile(to);
    while (*(format = add_plain(to, format, '%'))) {
        const size_t known = add_one(to, format + 1, &args);
        if (!known) { /* the rest as the library has it */
            vfprintf(to, format, args);
            break;
        }
        format += 1 + known;
    }
    funlockfile(to);
    va_end(args);
}

void fsr_fput(FILE *to, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fsr_fput_list(to, format, args);
    va_end(args);
}
