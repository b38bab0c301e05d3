/* Callers' functions in generated C.
 *
 * They are declared before the kernel and defined behind it: what a caller's text defines, macros of the headers that
 * it includes above all, cannot change what is generated. Counter-example to the other order: <complex.h> defines I,
 * and a header of the caller's may define r, rows or at.
 * A #line before each text makes the compiler count the caller's own lines, under the function's name.
 *
 * The functions of <math.h> that a text names are declared, so that most texts include nothing: an include costs more
 * time than a kernel. Where the text includes <math.h> as well, C allows the second declaration. */
#include "backend_cpu/emit_call.h"
#include "backend_cpu/emit_parts.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Functions of <math.h> on one to three doubles; with an f behind the name, on floats. */
static const char *const math[] = {
    "1sqrt",  "1cbrt",  "1exp",   "1exp2", "1expm1", "1log",       "1log2",     "1log10",     "1log1p",
    "1sin",   "1cos",   "1tan",   "1asin", "1acos",  "1atan",      "1sinh",     "1cosh",      "1tanh",
    "1asinh", "1acosh", "1atanh", "1erf",  "1erfc",  "1fabs",      "1lgamma",   "1tgamma",    "1floor",
    "1ceil",  "1trunc", "1round", "1rint", "1logb",  "1nearbyint", "2pow",      "2atan2",     "2hypot",
    "2fmod",  "2fmax",  "2fmin",  "2fdim", "3fma",   "2remainder", "2copysign", "2nextafter",
};

static const char *type_of(fsr_dtype dtype) {
    return dtype == FSR_BOOL ? "_Bool" : fsr_c_type(dtype);
}

static bool is_mentioned(const fsr_routine *f, const char *name) {
    return fsr_text_mentions(f->c, name) || fsr_text_mentions(f->c_preamble, name);
}

static void put_math(fsr_text *to, const fsr_routine *const *f, int n) {
    static const char *const types[] = {"double", "float"};
    char name[24];
    for (size_t i = 0; i < 2 * sizeof math / sizeof *math; i++) {
        const char *type = types[i % 2], *entry = math[i / 2];
        bool used = false;
        snprintf(name, sizeof name, "%s%s", entry + 1, i % 2 ? "f" : "");
        for (int k = 0; k < n; k++)
            used = used || is_mentioned(f[k], name);
        if (!used)
            continue;
        fsr_text_add(to, "%s %s(%s", type, name, type);
        for (int k = '1'; k < entry[0]; k++)
            fsr_text_add(to, ", %s", type);
        fsr_text_add(to, ");\n");
    }
}

static void put_signature(fsr_text *to, const fsr_routine *f) {
    fsr_text_add(to, "static inline %s %s(", type_of(f->result), f->symbol);
    for (int i = 0; i < f->nparams; i++)
        fsr_text_add(to, "%s%s %s", i ? ", " : "", type_of(f->dtype[i]), f->param[i]);
    fsr_text_add(to, ")");
}

static void put_lines(fsr_text *to, const char *name, const char *text) {
    fsr_text_add(to, "#line 1 \"%s\"\n", name);
    fsr_text_raw(to, text, strlen(text));
    fsr_text_add(to, "\n");
}

/* A preamble, unless an earlier function has it too. */
static void put_preamble(fsr_text *to, const fsr_routine *const *f, int number) {
    char name[FSR_ROUTINE_NAME + 16];
    bool there = !f[number]->c_preamble[0];
    for (int i = 0; i < number; i++)
        there = there || !strcmp(f[i]->c_preamble, f[number]->c_preamble);
    snprintf(name, sizeof name, "%s.c_preamble", f[number]->name);
    if (!there)
        put_lines(to, name, f[number]->c_preamble);
}

void fsr_c_declare(fsr_text *to, const fsr_routine *const *f, int n) {
    for (int i = 0; i < n; i++) {
        put_signature(to, f[i]);
        fsr_text_add(to, ";\n");
    }
}

void fsr_c_define(fsr_text *to, const fsr_routine *const *f, int n) {
    put_math(to, f, n);
    for (int i = 0; i < n; i++)
        put_preamble(to, f, i);
    for (int i = 0; i < n; i++) {
        put_signature(to, f[i]);
        fsr_text_add(to, " {\n");
        put_lines(to, f[i]->name, f[i]->c);
        fsr_text_add(to, "}\n");
    }
}

char *fsr_c_routine_source(const fsr_routine *f) {
    fsr_c_emit *plain = calloc(1, sizeof *plain);
    fsr_text t = {0};
    if (!plain)
        return NULL;
    fsr_c_prelude(plain, &t);
    free(plain);
    fsr_c_declare(&t, &f, 1);
    fsr_text_add(&t, "void fsr_host(void *out, const void *const *in) {\n    *(%s *)out = %s(", type_of(f->result),
                 f->symbol);
    for (int i = 0; i < f->nparams; i++)
        fsr_text_add(&t, "%s*(const %s *)in[%d]", i ? ", " : "", type_of(f->dtype[i]), i);
    fsr_text_add(&t, ");\n}\n");
    fsr_c_define(&t, &f, 1);
    return fsr_text_take(&t);
}
