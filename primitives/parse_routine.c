/* SPDX-License-Identifier: MIT */
/* A caller's function in the text form: NAME(DTYPE name, ...) ulp=U c="..." and its other texts. */
#include "primitives/parse_lex.h"
#include <stdlib.h>
#include <string.h>

/* "name(f32 x, i32 n)" into its two parts. */
static void head(fsr_lex *l, char name[FSR_WORD_BYTES], char list[FSR_ROUTINE_LIST]) {
    if (!fsr_lex_word(l, name) || !fsr_lex_expect(l, "("))
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

bool fsr_lex_routine(fsr_lex *l, fsr_dtype result, fsr_routine **out) {
    static const char *const key[FSR_ROUTINE_TEXTS] = {"c=", "cuda=", "c_preamble=", "cuda_preamble="};
    char name[FSR_WORD_BYTES], list[FSR_ROUTINE_LIST] = "", *text[FSR_ROUTINE_TEXTS] = {NULL}, why[FSR_ROUTINE_LIST];
    fsr_value ulp;
    *out = NULL;
    head(l, name, list);
    fsr_lex_expect(l, "ulp=");
    fsr_lex_value(l, FSR_F64, &ulp);
    for (int i = 0; i < FSR_ROUTINE_TEXTS; i++)
        if (i == 0 ? fsr_lex_expect(l, key[i]) : fsr_lex_try(l, key[i]))
            fsr_lex_string(l, &text[i]);
    if (!l->status) {
        fsr_native said = {name, result, list, text[0], text[1], text[2], text[3], ulp.f64};
        fsr_status status = fsr_routine_make(&said, out, why, sizeof why);
        if (status)
            fsr_lex_fail(l, status == FSR_ERR_MEMORY ? status : FSR_ERR_FORMAT, "the function: %s", why);
    }
    for (int i = 0; i < FSR_ROUTINE_TEXTS; i++)
        free(text[i]);
    return l->status == FSR_OK;
}
