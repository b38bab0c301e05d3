/* SPDX-License-Identifier: MIT */
/* A growing string. Invariants: size < capacity once data is there, data[size] is 0; after a failure the text takes
 * nothing more, so that a string with a hole in the middle is never handed out. */
#include "runtime/text.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for n more characters and the final 0. */
static bool text_reserve(fsr_text *t, size_t n) {
    size_t capacity = t->capacity ? t->capacity : 256;
    char *data;

    if (t->failed || n >= SIZE_MAX / 2 - t->size) {
        t->failed = true;
        return false;
    }
    if (t->data && t->size + n < t->capacity)
        return true;
    while (capacity <= t->size + n)
        capacity *= 2;
    data = realloc(t->data, capacity);
    if (!data) {
        t->failed = true;
        return false;
    }
    t->data = data;
    t->capacity = capacity;
    return true;
}

void fsr_text_add_list(fsr_text *t, const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    const int n = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (n < 0)
        t->failed = true;
    if (n < 0 || !text_reserve(t, (size_t)n))
        return;
    vsnprintf(t->data + t->size, (size_t)n + 1, format, args);
    t->size += (size_t)n;
}

void fsr_text_add(fsr_text *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fsr_text_add_list(t, format, args);
    va_end(args);
}

void fsr_text_raw(fsr_text *t, const char *s, size_t n) {
    if (!text_reserve(t, n))
        return;
    if (n > 0)
        memcpy(t->data + t->size, s, n);
    t->size += n;
    t->data[t->size] = 0;
}

char *fsr_text_take(fsr_text *t) {
    char *data;

    fsr_text_raw(t, "", 0);
    data = t->failed ? NULL : t->data;
    if (data)
        t->data = NULL;
    fsr_text_free(t);
    return data;
}

void fsr_text_free(fsr_text *t) {
    free(t->data);
    *t = (fsr_text){0};
}

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool fsr_text_mentions(const char *text, const char *word) {
    size_t n = strlen(word);
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
        if ((at == text || !is_word(at[-1])) && !is_word(at[n]))
            return true;
    return false;
}
