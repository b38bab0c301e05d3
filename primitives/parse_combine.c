/* SPDX-License-Identifier: MIT */
/* The operator of a reduction or scan, and the loop of an iterate, in a graph's text. */
#include "primitives/parse_lex.h"

/* [commutative|sequential] identity=0,0; REGION} */
static void operator(fsr_lex *l, fsr_combine *c) {
    const fsr_region_text text = fsr_combine_text(c, false);
    c->commutative = fsr_lex_try(l, "commutative");
    c->sequential = !c->commutative && fsr_lex_try(l, "sequential");
    fsr_lex_expect(l, "identity=");
    for (int i = 0; i < c->arity; i++) {
        if (i)
            fsr_lex_expect(l, ",");
        fsr_lex_value(l, fsr_combine_dtype(c, i), &c->identity[i]);
    }
    fsr_lex_expect(l, ";");
    fsr_lex_region(l, &text, &c->body);
    fsr_lex_expect(l, "}");
}

bool fsr_lex_combine(fsr_lex *l, int arity, const fsr_dtype *dtype, int nsame, const fsr_dtype *same,
                     fsr_combine **combine) {
    *combine = NULL;
    if (fsr_lex_try(l, "op=")) {
        *combine = fsr_lex_builtin(l, arity, dtype);
    } else if (fsr_lex_expect(l, "{")) {
        *combine = fsr_lex_operator(l, arity, dtype, nsame, same);
        if (*combine)
            operator(l, *combine);
    }
    if (!l->status)
        return true;
    fsr_combine_free(*combine);
    *combine = NULL;
    return false;
}

/* tables=2: the last arguments. */
static void tables(fsr_lex *l, const fsr_table_type *type, int nargs, fsr_iteration *it) {
    int64_t n = 0;
    if (!fsr_lex_try(l, "tables=") || !fsr_lex_int(l, 1, FSR_MAX_TABLES, &n))
        return;
    if (n > it->narg) {
        fsr_lex_fail(l, FSR_ERR_FORMAT, "%d arguments do not make so many tables", nargs);
        return;
    }
    it->body.ntables = (int)n;
    it->body.nargs -= (int)n;
    it->narg -= (int)n;
    for (int i = 0; i < (int)n; i++)
        it->body.table[i] = type[nargs - (int)n + i];
}

/* max=100 {REGION} */
bool fsr_lex_iteration(fsr_lex *l, int nstate, int nargs, const fsr_table_type *type, fsr_iteration **loop) {
    fsr_dtype dtype[FSR_MAX_ARGS];
    for (int i = 0; i < nargs && !l->status; i++)
        dtype[i] = type[i].dtype;
    fsr_iteration *it = fsr_lex_loop(l, nstate, nargs, dtype);
    *loop = NULL;
    if (!it)
        return false;
    fsr_lex_expect(l, "max=");
    fsr_lex_int(l, 0, INT32_MAX, &it->max_n);
    tables(l, type, nargs, it);
    const fsr_region_text text = fsr_iteration_text(it, false);
    fsr_lex_expect(l, "{");
    fsr_lex_region(l, &text, &it->body);
    fsr_lex_expect(l, "}");
    if (l->status) {
        fsr_iteration_free(it);
        return false;
    }
    *loop = it;
    return true;
}
