/* SPDX-License-Identifier: MIT */
/* A caller's function in the text form: NAME(DTYPE name, ...) ulp=U c="..." and its other texts, and
 * linked=FORM "two digits a byte"; behind the parameters of one with several results, "gives 1 of (DTYPE name,
 * ...)". */
#include "primitives/parse_lex.h"
#include <stdlib.h>
#include <string.h>

/* "(f32 x, i32 n)" */
static void read_list(fsr_lex *l, char list[FSR_ROUTINE_LIST]) {
    if (!fsr_lex_expect(l, "("))
        return;
    size_t size = strcspn(l->at, ")\n");
    if (size >= FSR_ROUTINE_LIST) {
        fsr_lex_fail(l, FSR_ERR_FORMAT, "the list of parameters is too long");
        return;
    }
    memcpy(list, l->at, size);
    list[size] = 0;
    l->at += size;
    fsr_lex_expect(l, ")");
}

/* "name(f32 x, i32 n)" into its two parts. */
static void head(fsr_lex *l, char name[FSR_WORD_BYTES], char list[FSR_ROUTINE_LIST]) {
    if (fsr_lex_word(l, name))
        read_list(l, list);
}

/* "gives 1 of (f32 s, f32 c)"; *results stays NULL where there are none, and is the caller's to give back. */
static void several(fsr_lex *l, fsr_routine **results, int *component) {
    char list[FSR_ROUTINE_LIST] = "", why[160];
    int64_t which = 0;
    if (!fsr_lex_try(l, "gives"))
        return;
    fsr_lex_int(l, 0, FSR_MAX_NATIVE - 1, &which);
    fsr_lex_expect(l, "of");
    read_list(l, list);
    if (l->status)
        return;
    const fsr_native as = {.name = "results", .parameters = list, .c = ""};
    const fsr_status status = fsr_routine_make(&as, results, why, sizeof why);
    if (status == FSR_ERR_MEMORY)
        fsr_lex_fail(l, status, "%s", why);
    else if (status || (*results)->narrays || which >= (*results)->nparams)
        fsr_lex_fail(l, FSR_ERR_FORMAT, "the results are not of dtype and name, or fewer");
    *component = (int)which;
}

static int digit_of(char c) {
    const int lower = c | 32;
    return c >= '0' && c <= '9' ? c - '0' : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* Makes bytes of the digits, in place. False: they are none. */
static bool bytes_of(char *text, size_t *size) {
    const size_t digits = strlen(text);
    *size = digits / 2;
    for (size_t i = 0; i < *size; i++) {
        const int high = digit_of(text[2 * i]), low = digit_of(text[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        text[i] = (char)(high << 4 | low);
    }
    return digits % 2 == 0;
}

/* FORM "digits"; *code, malloc'ed, is NULL where there are none. */
static void linked(fsr_lex *l, fsr_native *said, char **code) {
    char form[FSR_WORD_BYTES];
    *code = NULL;
    if (!fsr_lex_try(l, "linked=") || !fsr_lex_word(l, form) || !fsr_lex_string(l, code))
        return;
    said->linked_form = fsr_linked_form_of(form);
    said->linked = *code;
    if (!said->linked_form || !bytes_of(*code, &said->linked_bytes))
        fsr_lex_fail(l, FSR_ERR_FORMAT, "linked code is not of a form and two digits a byte");
}

/* Of several results, this one. */
static void give_one(fsr_lex *l, fsr_routine *f, const fsr_routine *results, int component, fsr_dtype result) {
    for (int i = 0; i < results->nparams; i++)
        if (fsr_routine_has_name(f, results->param[i]))
            fsr_lex_fail(l, FSR_ERR_FORMAT, "the result %s has the name of a parameter", results->param[i]);
    if (results->dtype[component] != result)
        fsr_lex_fail(l, FSR_ERR_FORMAT, "result %d is of another dtype", component);
    fsr_routine_several(f, results, component);
}

bool fsr_lex_routine(fsr_lex *l, fsr_dtype result, fsr_routine **out) {
    static const char *const key[FSR_ROUTINE_TEXTS] = {"c=", "cuda=", "c_preamble=", "cuda_preamble="};
    char name[FSR_WORD_BYTES], list[FSR_ROUTINE_LIST] = "", *text[FSR_ROUTINE_TEXTS] = {NULL}, why[FSR_ROUTINE_LIST];
    char *code = NULL;
    fsr_native said = {.name = name, .result = result, .parameters = list};
    fsr_routine *results = NULL;
    fsr_value ulp;
    int component = 0;
    *out = NULL;
    head(l, name, list);
    several(l, &results, &component);
    fsr_lex_expect(l, "ulp=");
    fsr_lex_value(l, FSR_F64, &ulp);
    for (int i = 0; i < FSR_ROUTINE_TEXTS; i++)
        if (i == 0 ? fsr_lex_expect(l, key[i]) : fsr_lex_try(l, key[i]))
            fsr_lex_string(l, &text[i]);
    linked(l, &said, &code);
    if (!l->status) {
        said.c = text[0];
        said.cuda = text[1];
        said.c_preamble = text[2];
        said.cuda_preamble = text[3];
        said.ulp = ulp.f64;
        fsr_status status = fsr_routine_make(&said, out, why, sizeof why);
        if (status)
            fsr_lex_fail(l, status == FSR_ERR_MEMORY ? status : FSR_ERR_FORMAT, "the function: %s", why);
        else if (results)
            give_one(l, *out, results, component, result);
    }
    fsr_routine_unref(results);
    for (int i = 0; i < FSR_ROUTINE_TEXTS; i++)
        free(text[i]);
    free(code);
    if (l->status) {
        fsr_routine_unref(*out);
        *out = NULL;
    }
    return l->status == FSR_OK;
}
