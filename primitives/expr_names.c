/* SPDX-License-Identifier: MIT */
/* Names in an expression: NumPy's for our functions, constants, and what may be meant by a name that nobody knows.
 *
 * Aliases are rows of primitives/numpy.def, so what the page for NumPy's users says is what the reader takes. A name
 * that a function has already is never an alias: our meaning stays. */
#include "graph/nearest.h"
#include "primitives/expr_call.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif

/* ---- aliases ------------------------------------------------------------------------------------------ */

typedef enum how { SAME, ALIAS, CAST, SAYS, LACKS } how;

static const struct {
    const char *name;
    how how;
    const char *ours;
} rows[] = {
#define FSR_NUMPY(name, how, ours, text) {name, how, ours},
#include "primitives/numpy.def"
#undef FSR_NUMPY
};

static bool is_alias(size_t i) {
    return (rows[i].how == ALIAS || rows[i].how == CAST) && strcmp(rows[i].name, rows[i].ours);
}

const char *fsr_alias_find(const fsr_token *word) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (is_alias(i) && fsr_token_says(word, rows[i].name))
            return rows[i].ours;
    return NULL;
}

/* ---- constants ---------------------------------------------------------------------------------------- */

typedef struct constant {
    const char *name;
    bool truth; /* a bool, else a weak float */
    double value;
} constant;

static const constant constants[] = {{"true", true, 1},  {"false", true, 0},       {"True", true, 1},
                                     {"False", true, 0}, {"inf", false, INFINITY}, {"nan", false, NAN},
                                     {"pi", false, M_PI}};

fsr_node fsr_reading_constant(const fsr_reading *r, const fsr_token *word) {
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        if (fsr_token_says(word, constants[i].name))
            return constants[i].truth ? fsr_bool_at(r->at, r->g, constants[i].value != 0)
                                      : fsr_float_at(r->at, r->g, constants[i].value);
    return (fsr_node){0};
}

/* ---- what may be meant -------------------------------------------------------------------------------- */

enum { LONGEST = 63 };

/* The word as a string, cut where it is longer than a name may be. */
static void spell(char out[LONGEST + 1], const fsr_token *word) {
    snprintf(out, LONGEST + 1, "%.*s", word->size, word->at);
}

/* what: "name"; near: NULL, or the name that may be meant, with what stands behind it. */
static fsr_node unknown(fsr_reading *r, const char *what, const fsr_token *word, const char *near, const char *behind) {
    return fsr_reading_fail(r, word->at, FSR_ERR_VALUE, "unknown %s \"%.*s\"%s%s%s%s%s", what,
                            word->size < LONGEST ? word->size : LONGEST, word->at, word->size < LONGEST ? "" : "...",
                            near ? "; is \"" : "", near ? near : "", near ? behind : "", near ? "\" meant?" : "");
}

fsr_node fsr_unknown_value(fsr_reading *r, const fsr_token *word) {
    char text[LONGEST + 1], local[LONGEST + 1], best[LONGEST + 1];
    spell(text, word);
    if (fsr_args_known(word))
        return unknown(r, "name", word, text, "(...)");
    fsr_nearest near = fsr_nearest_to(word->size > LONGEST ? "" : text);
    for (int i = 0; i < r->nlocals; i++) {
        spell(local, &r->local[i].word);
        if (r->local[i].word.size <= LONGEST)
            fsr_nearest_offer(&near, local);
        if (near.name == local)
            near.name = strcpy(best, local);
    }
    for (int i = 0; i < r->nnames; i++)
        fsr_nearest_offer(&near, r->names[i].name);
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        fsr_nearest_offer(&near, constants[i].name);
    return unknown(r, "name", word, near.name, "");
}

fsr_node fsr_unknown_function(fsr_reading *r, const fsr_token *word) {
    char text[LONGEST + 1];
    spell(text, word);
    fsr_nearest near = fsr_nearest_to(word->size > LONGEST ? "" : text);
    fsr_args_offer(&near);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (is_alias(i))
            fsr_nearest_offer(&near, rows[i].name);
    return unknown(r, "function", word, near.name, "");
}

fsr_node fsr_unknown_dtype(fsr_reading *r, const fsr_token *word) {
    char text[LONGEST + 1];
    if (word->kind != FSR_TOKEN_WORD)
        return fsr_reading_fail(r, word->at, FSR_ERR_VALUE, "dtype is a dtype's name, as f32");
    spell(text, word);
    fsr_nearest near = fsr_nearest_to(word->size > LONGEST ? "" : text);
    for (int i = 0; i < FSR_DTYPE_COUNT; i++)
        fsr_nearest_offer(&near, fsr_dtype_name((fsr_dtype)i));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].how == CAST)
            fsr_nearest_offer(&near, rows[i].name);
    return unknown(r, "dtype", word, near.name, "");
}
