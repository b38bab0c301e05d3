/* SPDX-License-Identifier: MIT */
/* A growing string with sticky failure: append freely, check once at the end. */
#ifndef FUSOR_RUNTIME_TEXT_H
#define FUSOR_RUNTIME_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct fsr_text {
    char *data; /* 0-terminated once something was appended */
    size_t size, capacity;
    bool failed; /* out of memory at some point */
} fsr_text;

void fsr_text_add(fsr_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void fsr_text_add_list(fsr_text *t, const char *format, va_list args) __attribute__((format(printf, 2, 0)));
void fsr_text_raw(fsr_text *t, const char *s, size_t n);
/* The string (caller frees), or NULL if an append failed; t is empty afterwards. */
char *fsr_text_take(fsr_text *t);
void fsr_text_free(fsr_text *t);
/* True if `word` occurs in text as a whole identifier. */
bool fsr_text_mentions(const char *text, const char *word);

#endif
