/* SPDX-License-Identifier: MIT */
/* Escaped are bytes below blank but line ends and tabs, delete, the control characters behind it (0x80 to 0x9f, which
 * terminals obey as well, written in two bytes of UTF-8), the marks that turn the direction of what follows, and
 * whatever is no UTF-8: a lone byte, one sequence too long, a surrogate. Counter-example to letting bytes from 0x80
 * pass: 0x9b alone begins a terminal's command. */
#include "graph/message.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ESCAPE = 4 }; /* bytes of one */
static const char cut[] = "...";

/* Whether a character shows, and moves or turns nothing else. */
static int is_harmless(unsigned c) {
    if (c < 0xa0)
        return c == '\n' || c == '\t' || (c >= 0x20 && c < 0x7f);
    return !(c >= 0x202a && c <= 0x202e) && !(c >= 0x2066 && c <= 0x2069) && !(c >= 0xd800 && c <= 0xdfff) &&
           c <= 0x10ffff;
}

/* Bytes of the harmless character at s; 0: there is none. */
static size_t character(const unsigned char *s) {
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    const size_t n = *s < 0x80 ? 1 : *s < 0xc0 ? 0 : *s < 0xe0 ? 2 : *s < 0xf0 ? 3 : *s < 0xf8 ? 4 : 0;
    unsigned c = n == 1 ? *s : n ? *s & (0x7fu >> n) : 0;
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (s[i] & 0x3fu);
    }
    return n && c >= least[n] && is_harmless(c) ? n : 0;
}

/* Bytes of the clean text without its end; writes what fits into size bytes, and the end. */
static size_t clean(char *out, size_t size, const char *text) {
    size_t used = 0, fits = 0;
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        const size_t n = character(s), bytes = n ? n : ESCAPE;
        if (fits == used && used + bytes < size) {
            if (n)
                memcpy(out + used, s, n);
            else
                snprintf(out + used, ESCAPE + 1, "\\x%02x", *s);
            fits += bytes;
        }
        used += bytes;
        s += n ? n : 1;
    }
    if (size)
        out[fits] = 0;
    return used;
}

/* Room for the mark is made before the text is cut, so that no escape or character is. */
char *fsr_message_copy(char *out, size_t size, const char *text) {
    if (clean(NULL, 0, text) < size || size <= sizeof cut) {
        clean(out, size, text);
        return out;
    }
    clean(out, size - (sizeof cut - 1), text);
    return strcat(out, cut);
}

void fsr_message_list(char *out, size_t size, const char *format, va_list args) {
    const int n = vsnprintf(out, size, format, args);
    if (n >= 0 && (size_t)n >= size && size > sizeof cut)
        memcpy(out + size - sizeof cut, cut, sizeof cut);
}

void fsr_message_put(char *out, size_t size, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fsr_message_list(out, size, format, args);
    va_end(args);
}

char *fsr_message_clean(char *message) {
    const size_t size = message ? clean(NULL, 0, message) : 0;
    if (!message || size == strlen(message))
        return message;
    char *made = malloc(size + 1);
    if (made)
        clean(made, size + 1, message);
    free(message);
    return made;
}
