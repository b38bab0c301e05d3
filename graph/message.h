/* SPDX-License-Identifier: MIT */
/* What of others' bytes gets into a message: a file's name and header, a compiler's words, a caller's text. */
#ifndef FUSOR_GRAPH_MESSAGE_H
#define FUSOR_GRAPH_MESSAGE_H

#include <stdarg.h>
#include <stddef.h>

/* Every message of the library and of fusor-bench goes through one of these: what would act on a terminal, or is no
 * UTF-8, is written as \x1b, byte by byte. Line ends and tabs stay. What is clean stays as it is, so that messages may
 * be put into messages. */

/* Takes over a malloc'ed message and returns a clean one, malloc'ed; NULL if there was none, or memory is out. */
char *fsr_message_clean(char *message);
/* The clean text in a buffer of size bytes, cut where it does not fit, but in no escape or character, and then ends in
 * "...". Returns out. */
char *fsr_message_copy(char *out, size_t size, const char *text);
/* As vsnprintf and snprintf; a text that does not fit ends in "...", so that nobody takes it for all there is. */
void fsr_message_list(char *out, size_t size, const char *format, va_list args);
void fsr_message_put(char *out, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
