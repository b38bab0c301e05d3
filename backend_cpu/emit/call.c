/* SPDX-License-Identifier: MIT */
/* Callers' functions in generated C (runtime/source.c).
 *
 * The functions of <math.h> that a text names are declared, so that most texts include nothing: an include costs more
 * time than a kernel. Where the text includes <math.h> as well, C allows the second declaration. */
#include "backend_cpu/emit/call.h"
#include "backend_cpu/emit/parts.h"
#include "runtime/source.h"
#include <stdio.h>
#include <stdlib.h>

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

static const fsr_source_dialect dialect = {.type = type_of};

void fsr_c_declare(fsr_text *to, const fsr_routine *const *f, int n) {
    fsr_source_declare(to, &dialect, f, n);
}

/* bool is the one type that texts see and generated C has not: as <stdbool.h>, which a text may include as well, has
 * it. */
void fsr_c_define(fsr_text *to, const fsr_routine *const *f, int n) {
    if (n)
        fsr_text_add(to, "#ifndef bool\n#define bool _Bool\n#endif\n");
    put_math(to, f, n);
    fsr_source_define(to, &dialect, f, n);
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
    for (int i = f->nparams; i < f->nparams + f->narrays; i++)
        fsr_text_add(&t, ", *(const void *const *)in[%d], ((const i64 *)in[%d])[1]", i, i);
    if (f->nresults)
        fsr_text_add(&t, ").c%d;\n}\n", f->component);
    else
        fsr_text_add(&t, ");\n}\n");
    fsr_c_define(&t, &f, 1);
    return fsr_text_take(&t);
}
