/* SPDX-License-Identifier: MIT */
/* All tables of functions in generated C as one: which number a name has, and the texts that a kernel needs, each
 * behind those that it calls. A text calls only what stands before it. */
#include "backend_cpu/emit/math.h"
#include <stdio.h>
#include <string.h>

static const fsr_c_math *const tables[] = {fsr_c_math_elementary, fsr_c_math_parts,   fsr_c_math_exp,
                                           fsr_c_math_angle,      fsr_c_math_special, fsr_c_math_random};
enum { TABLES = sizeof tables / sizeof *tables };

/* The function of that number; NULL: beyond the last. */
static const fsr_c_math *function(int number) {
    for (int t = 0; t < TABLES; t++)
        for (const fsr_c_math *f = tables[t]; f->names; f++)
            if (number-- == 0)
                return f;
    return NULL;
}

int fsr_c_math_find(const char *name) {
    int number = 0;
    for (int t = 0; t < TABLES; t++)
        for (const fsr_c_math *f = tables[t]; f->names; f++, number++)
            if (strcmp(f->names, name) == 0)
                return number < FSR_C_MATH_MAX ? number : -1;
    return -1;
}

const char *fsr_c_math_limit(int number) {
    return function(number)->limit;
}

/* The text has one of the names, which spaces separate. */
static bool mentions(const char *text, const char *names) {
    char word[64];
    for (size_t n; *names; names += n + (names[n] == ' ')) {
        n = strcspn(names, " ");
        snprintf(word, sizeof word, "%.*s", (int)n, names);
        if (fsr_text_mentions(text, word))
            return true;
    }
    return false;
}

void fsr_c_math_mark(const char *text, bool *set) {
    for (int i = 0; i < FSR_C_MATH_MAX && function(i); i++)
        set[i] |= mentions(text, function(i)->names);
}

void fsr_c_math_put(fsr_text *to, const bool *set) {
    const fsr_c_math *f[FSR_C_MATH_MAX];
    bool put[FSR_C_MATH_MAX];
    int n = 0;
    while (n < FSR_C_MATH_MAX && (f[n] = function(n)))
        n++;
    for (int i = n - 1; i >= 0; i--) {
        put[i] = set[i];
        for (int j = i + 1; j < n && !put[i]; j++)
            put[i] = put[j] && mentions(f[j]->text, f[i]->names);
    }
    for (int i = 0; i < n; i++)
        if (put[i])
            fsr_text_add(to, "%s\n", f[i]->text);
}
