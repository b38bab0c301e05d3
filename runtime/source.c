/* SPDX-License-Identifier: MIT */
/* See source.h. Callers' functions are declared before the kernel and defined behind it: what a caller's text defines,
 * macros of the headers that it includes above all, cannot change what is generated. Counter-example to the other
 * order: <complex.h> defines I, and a header of the caller's may define r, rows or at. */
#include "runtime/source.h"
#include "graph/ops.h"
#include <stdio.h>
#include <string.h>

static const char *unsigned_type(size_t bytes) {
    return bytes == 8 ? "u64" : bytes == 4 ? "u32" : bytes == 2 ? "u16" : "u8";
}

static const char *digits(fsr_dtype dtype) {
    switch (fsr_dtype_digits(dtype)) {
    case 8: return "8";
    case 11: return "11";
    case 24: return "24";
    default: return "53";
    }
}

const char *fsr_source_word(char letter, fsr_dtype compute, fsr_dtype result) {
    const size_t size = fsr_dtype_size(compute);
    switch (letter) {
    case 'U': return unsigned_type(size);
    case 'W': return unsigned_type(size < 4 ? 4 : size);
    case 'S': return fsr_dtype_name(compute);
    case 'D': return fsr_dtype_name(result);
    case 'N': return digits(compute);
    default: return NULL;
    }
}

static void put_signature(fsr_text *to, const fsr_source_dialect *dialect, const fsr_routine *f) {
    fsr_text_add(to, "static inline %s %s(", dialect->type(f->result), f->symbol);
    for (int i = 0; i < f->nparams; i++)
        fsr_text_add(to, "%s%s %s", i ? ", " : "", dialect->type(f->dtype[i]), f->param[i]);
    for (int i = f->nparams; i < f->nparams + f->narrays; i++)
        fsr_text_add(to, ", const %s *__restrict__ %s, i64 %s_size", fsr_raw_type(f->dtype[i]), f->param[i],
                     f->param[i]);
    fsr_text_add(to, ")");
}

static void put_lines(fsr_text *to, const char *name, const char *text) {
    fsr_text_add(to, "#line 1 \"%s\"\n", name);
    fsr_text_raw(to, text, strlen(text));
    fsr_text_add(to, "\n");
}

static const char *preamble(const fsr_source_dialect *dialect, const fsr_routine *f) {
    return dialect->cuda ? f->cuda_preamble : f->c_preamble;
}

/* Unless an earlier function has it too. */
static void put_preamble(fsr_text *to, const fsr_source_dialect *dialect, const fsr_routine *const *f, int number) {
    const char *text = preamble(dialect, f[number]);
    char name[FSR_ROUTINE_NAME + 16];
    bool there = !text[0];
    for (int i = 0; i < number; i++)
        there = there || !strcmp(preamble(dialect, f[i]), text);
    snprintf(name, sizeof name, "%s.%s_preamble", f[number]->name, dialect->cuda ? "cuda" : "c");
    if (!there)
        put_lines(to, name, text);
}

void fsr_source_declare(fsr_text *to, const fsr_source_dialect *dialect, const fsr_routine *const *f, int n) {
    for (int i = 0; i < n; i++) {
        if (dialect->cuda && f[i]->linked)
            fsr_text_add(to, "/* linked: %s of %zu bytes, %s */\n", fsr_linked_name(f[i]->linked_form),
                         f[i]->linked_bytes, f[i]->digest);
        put_signature(to, dialect, f[i]);
        fsr_text_add(to, ";\n");
    }
}

void fsr_source_define(fsr_text *to, const fsr_source_dialect *dialect, const fsr_routine *const *f, int n) {
    for (int i = 0; i < n; i++)
        put_preamble(to, dialect, f, i);
    for (int i = 0; i < n; i++) {
        put_signature(to, dialect, f[i]);
        fsr_text_add(to, " {\n");
        put_lines(to, f[i]->name, dialect->cuda ? f[i]->cuda : f[i]->c);
        fsr_text_add(to, "}\n");
    }
}
