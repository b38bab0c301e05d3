/* SPDX-License-Identifier: MIT */
/* The C library has one printf and one strtod, which ask the thread's locale for the point. Here the point is put back
 * after printing, whatever it was (it may be several bytes), and is put in before reading. The way with uselocale is
 * not taken: a signal handler or a callback that runs meanwhile would see another locale than its thread's. */
#include "graph/number.h"
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Characters of a number but the point; those of inf and nan too. */
#define PLAIN "0123456789+-abcdefinpxINF"

fsr_number fsr_number_of(char form, int digits, double x) {
    fsr_number n;
    char *out = n.text;
    const char format[] = {'%', '.', '*', form, 0};
    snprintf(n.text, sizeof n.text, format, digits, x);
    for (const char *in = n.text; *in; out++) {
        const size_t point = strcspn(in, PLAIN);
        *out = point ? '.' : *in;
        in += point ? point : 1;
    }
    *out = 0;
    return n;
}

bool fsr_number_read(const char *text, size_t size, double *x) {
    char copy[128], *end;
    const char *point = localeconv()->decimal_point;
    const size_t n = strlen(point);
    size_t used = 0;
    for (size_t i = 0; i < size; i++) {
        const bool is_point = text[i] == '.';
        if (!strchr("0123456789+-.eE", text[i]) || !text[i] || used + n + 1 >= sizeof copy)
            return false;
        memcpy(copy + used, is_point ? point : text + i, is_point ? n : 1);
        used += is_point ? n : 1;
    }
    copy[used] = 0;
    *x = strtod(copy, &end);
    return used > 0 && *end == 0;
}
