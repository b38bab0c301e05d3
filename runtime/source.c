/* SPDX-License-Identifier: MIT */
/* See source.h. Callers' functions are declared before the kernel and defined behind it: what a caller's text defines,
 * macros of the headers that it includes above all, cannot change what is generated. Counter-example to the other
 * order: <complex.h> defines I, and a header of the caller's may define r, rows or at. A function of several results is
 * one function, which returns them all in a structure. */
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
    if (f->nresults)
        fsr_text_add(to, "static inline %s_all %s(", f->symbol, f->symbol);
    else
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

/* An earlier one is another result of the same function. */
static bool is_told(const fsr_routine *const *f, int number) {
    bool told = false;
    for (int i = 0; i < number; i++)
        told = told || fsr_routine_is_sibling(f[i], f[number]);
    return told;
}

/* typedef struct user_polar_1_all { f32 c0; f32 c1; } user_polar_1_all; */
static void put_structure(fsr_text *to, const fsr_source_dialect *dialect, const fsr_routine *f) {
    fsr_text_add(to, "typedef struct %s_all {", f->symbol);
    for (int i = 0; i < f->nresults; i++)
        fsr_text_add(to, " %s c%d;", dialect->type(f->results[i]), i);
    fsr_text_add(to, " } %s_all;\n", f->symbol);
}

/* The results as variables before the caller's lines, and what is made of them behind these. */
static void put_several(fsr_text *to, const fsr_source_dialect *dialect, const fsr_routine *f, const char *text) {
    for (int i = 0; i < f->nresults; i++)
        fsr_text_add(to, "%s %s = {0};\n", dialect->type(f->results[i]), f->result_name[i]);
    put_lines(to, f->name, text);
    fsr_text_add(to, ";{ const %s_all fsr_all = {", f->symbol);
    for (int i = 0; i < f->nresults; i++)
        fsr_text_add(to, "%s%s", i ? ", " : "", f->result_name[i]);
    fsr_text_add(to, "}; return fsr_all; }\n");
}

void fsr_source_declare(fsr_text *to, const fsr_source_dialect *dialect, const fsr_routine *const *f, int n) {
    for (int i = 0; i < n; i++) {
        if (is_told(f, i))
            continue;
        if (f[i]->nresults)
            put_structure(to, dialect, f[i]);
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
        const char *text = dialect->cuda ? f[i]->cuda : f[i]->c;
        if (is_told(f, i))
            continue;
        put_signature(to, dialect, f[i]);
        fsr_text_add(to, " {\n");
        if (f[i]->nresults)
            put_several(to, dialect, f[i], text);
        else
            put_lines(to, f[i]->name, text);
        fsr_text_add(to, "}\n");
    }
}

static bool same_call(const fsr_kernel *k, int a, int b) {
    const fsr_inst *x = &k->inst[a], *y = &k->inst[b];
    if (x->kind != FSR_INST_CALL || y->kind != FSR_INST_CALL)
        return x->kind == y->kind && x->compute == y->compute && x->arg[0] == y->arg[0];
    const fsr_routine *f = k->routine[x->index];
    bool same = fsr_routine_is_sibling(f, k->routine[y->index]) &&
                !memcmp(x->arg, y->arg, sizeof x->arg[0] * (size_t)f->nparams);
    for (int i = 0; same && i < f->narrays; i++) {
        const fsr_access *u = &k->access[fsr_call_array(k, x, i)], *v = &k->access[fsr_call_array(k, y, i)];
        same = u->buffer == v->buffer && u->form == v->form && u->size == v->size;
    }
    return same;
}

bool fsr_source_call(fsr_source_calls *c, const fsr_kernel *k, int number, int depth, int *first) {
    for (int i = 0; i < c->n; i++)
        if (same_call(k, c->inst[i], number)) {
            *first = c->inst[i];
            return true;
        }
    *first = number;
    if (c->n < FSR_SOURCE_CALLS) {
        c->inst[c->n] = number;
        c->depth[c->n++] = depth;
    }
    return false;
}

void fsr_source_leave(fsr_source_calls *c, int depth) {
    while (c->n && c->depth[c->n - 1] > depth)
        c->n--;
}
