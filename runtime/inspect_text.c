/* SPDX-License-Identifier: MIT */
/* Explain, print and dot into memory: for programs that show the text in a window, and for other languages, which have
 * no FILE. */
#include "runtime/array.h"
#include <stdlib.h>
#include <string.h>

typedef fsr_status writer(const fsr_node *outs, int n, FILE *to);

fsr_status fsr_hand_over(fsr_context *ctx, const char *op, const char *from, size_t whole, char *text, size_t size) {
    if (!text)
        return FSR_OK;
    const size_t part = whole < size ? whole : size - (size > 0);
    if (size) {
        memcpy(text, from, part);
        text[part] = 0;
    }
    if (whole < size)
        return FSR_OK;
    return fsr_context_fail(ctx, FSR_ERR_BYTES, "%s: the text takes %zu bytes, there is room for %zu", op, whole + 1,
                            size);
}

static fsr_status into(writer *write, const char *op, const fsr_node *outs, int n, char *text, size_t size,
                       size_t *length) {
    char *made = NULL;
    size_t whole = 0;
    fsr_context *ctx = fsr_context_of(outs, n);
    if (text && size)
        text[0] = 0;
    if (length)
        *length = 0;
    if (!text && !length)
        return fsr_context_fail(ctx, FSR_ERR_NULL, "%s: where the answer goes is null", op);
    FILE *to = open_memstream(&made, &whole);
    if (!to)
        return fsr_context_fail(ctx, FSR_ERR_MEMORY, "%s: out of memory", op);
    fsr_status status = write(outs, n, to);
    if (fclose(to) != 0 && !status)
        status = fsr_context_fail(ctx, FSR_ERR_MEMORY, "%s: out of memory", op);
    if (!status && length)
        *length = whole;
    if (!status)
        status = fsr_hand_over(ctx, op, made, whole, text, size);
    free(made);
    return status;
}

fsr_status fsr_explain_text(const fsr_node *outs, int n, char *text, size_t size, size_t *length) {
    return into(fsr_explain, "explain", outs, n, text, size, length);
}

fsr_status fsr_print_text(const fsr_node *outs, int n, char *text, size_t size, size_t *length) {
    return into(fsr_print, "print", outs, n, text, size, length);
}

fsr_status fsr_dot_text(const fsr_node *outs, int n, char *text, size_t size, size_t *length) {
    return into(fsr_dot, "dot", outs, n, text, size, length);
}
