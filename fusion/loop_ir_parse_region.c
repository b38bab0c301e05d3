/* SPDX-License-Identifier: MIT */
/* Folds and loops of the loop IR's text: a head, and the region in lines of its own (primitives/parse_region.c).
 *
 *     fold f0 p0 scan (f64 from 1, f64 from 0)        loop l0 (f32, f32; i32), at most 100 times
 *       t0 = f64 left0                                  t0 = f32 state1
 *       ...                                             ...
 *       gives t4, t6                                    while t6 gives t9, t14
 *
 * A loop's head has the dtypes of its state, then of what it takes besides. Scalar arguments that a body takes stand
 * behind `given`: given s0, s3. Tables stand at the head's end: where each begins, and the stride and extent of each of
 * its indices: from b2 at i9 (i5 of i6, 1 of i7). */
#include "fusion/loop_ir_parse_parts.h"
#include <string.h>

/* (f64 from 1, f64 from 0); returns how many. */
static int read_state(fsr_lex *l, fsr_dtype *dtype, fsr_value *identity) {
    int n = 0;
    fsr_lex_expect(l, "(");
    do {
        if (n == FSR_MAX_TUPLE) {
            fsr_lex_fail(l, FSR_ERR_FORMAT, "more than %d components", FSR_MAX_TUPLE);
            return n;
        }
        fsr_lex_dtype(l, &dtype[n]);
        fsr_lex_expect(l, "from");
        fsr_lex_value(l, dtype[n], &identity[n]);
        n++;
    } while (fsr_lex_try(l, ","));
    fsr_lex_expect(l, ")");
    return n;
}

/* given s0, s3: the scalars and their dtypes. Returns how many. */
static int read_same(fsr_kernel_reader *r, int *same, fsr_dtype *dtype) {
    int n = 0;
    if (!fsr_lex_try(&r->lex, "given"))
        return 0;
    do {
        if (n == FSR_MAX_SCALARS) {
            fsr_lex_fail(&r->lex, FSR_ERR_FORMAT, "more than %d scalars", FSR_MAX_SCALARS);
            return n;
        }
        same[n] = fsr_lex_mark(&r->lex, "s", r->k->nscalars);
        dtype[n] = r->k->scalar[same[n]];
        n++;
    } while (fsr_lex_sees(&r->lex, ',') && r->lex.at[1] == ' ' && r->lex.at[2] == 's' && fsr_lex_try(&r->lex, ","));
    return n;
}

/* What stands behind the head: a name, or a region. */
static fsr_combine *read_operator(fsr_kernel_reader *r, fsr_fold *fold) {
    fsr_lex *l = &r->lex;
    fsr_dtype same[FSR_MAX_SCALARS];
    fsr_dtype dtype[FSR_MAX_TUPLE] = {0};
    fsr_value identity[FSR_MAX_TUPLE];
    memset(identity, 0, sizeof identity);
    const int arity = read_state(l, dtype, identity);
    const bool commutative = fsr_lex_try(l, "commutative"), sequential = fsr_lex_try(l, "sequential");
    const int nsame = read_same(r, fold->same, same);
    const bool region = !l->status && fsr_lex_sees(l, '\n');
    fsr_combine *c = region ? fsr_lex_operator(l, arity, dtype, nsame, same) : fsr_lex_builtin(l, arity, dtype);
    if (!c)
        return NULL;
    if (region) {
        const fsr_region_text text = fsr_combine_text(c, true);
        c->commutative = commutative;
        c->sequential = sequential;
        memcpy(c->identity, identity, sizeof identity);
        fsr_lex_end(l);
        fsr_lex_region(l, &text, &c->body);
    }
    return c;
}

void fsr_read_fold(fsr_kernel_reader *r) {
    fsr_lex *l = &r->lex;
    fsr_kernel *k = r->k;
    if (k->nfolds == FSR_MAX_COMBINES) {
        fsr_lex_fail(l, FSR_ERR_FORMAT, "more than %d folds", FSR_MAX_COMBINES);
        return;
    }
    fsr_fold *fold = &k->fold[k->nfolds];
    *fold = (fsr_fold){0};
    if (fsr_lex_mark(l, "f", k->nfolds + 1) != k->nfolds)
        fsr_lex_fail(l, FSR_ERR_FORMAT, "folds count up from f0");
    fold->pass = fsr_lex_mark(l, "p", k->npasses);
    fold->exclusive = fsr_lex_try(l, "exclusive");
    fold->kind = fsr_lex_try(l, "scan") ? FSR_FOLD_SCAN : FSR_FOLD_REDUCE;
    if (fold->kind == FSR_FOLD_REDUCE)
        fsr_lex_expect(l, "reduce");
    fold->narrow = fsr_lex_try(l, "of");
    if (fold->narrow)
        fsr_lex_expect(l, "f32");
    fold->combine = read_operator(r, fold);
    k->nfolds += fold->combine != NULL;
}

/* (f32, f32; i32): the state's dtypes, then the others'. Returns how many of both. */
static int read_arguments(fsr_lex *l, fsr_dtype *dtype, int *nstate) {
    int n = 0;
    *nstate = 0;
    fsr_lex_expect(l, "(");
    do {
        if (n == FSR_MAX_ARGS) {
            fsr_lex_fail(l, FSR_ERR_FORMAT, "more than %d arguments", FSR_MAX_ARGS);
            return n;
        }
        fsr_lex_dtype(l, &dtype[n++]);
        if (*nstate == 0 && fsr_lex_try(l, ";"))
            *nstate = n;
        else if (!fsr_lex_try(l, ","))
            break;
    } while (!l->status);
    fsr_lex_expect(l, ")");
    *nstate = *nstate ? *nstate : n;
    return n;
}

/* b2 at i9 (i5 of i6, 1 of i7), behind `from`. */
static void read_table(fsr_kernel_reader *r, fsr_iteration *it, fsr_turns *turns) {
    fsr_lex *l = &r->lex;
    const int buffer = fsr_lex_mark(l, "b", r->k->narrays), number = it->body.ntables;
    if (number == FSR_MAX_TABLES)
        fsr_lex_fail(l, FSR_ERR_FORMAT, "more than %d tables", FSR_MAX_TABLES);
    if (l->status)
        return;
    fsr_taken *to = &turns->table[number];
    fsr_table_type *type = &it->body.table[it->body.ntables++];
    *type = (fsr_table_type){r->k->array[buffer].dtype, 0};
    to->access = fsr_read_begin(r, buffer, fsr_lex_try(l, "at") ? fsr_lex_mark(l, "i", r->k->nints) : -1, 0);
    fsr_lex_expect(l, "(");
    do {
        int64_t one = 1;
        if (type->ndim == FSR_MAX_DIMS) {
            fsr_lex_fail(l, FSR_ERR_FORMAT, "more than %d dimensions", FSR_MAX_DIMS);
            return;
        }
        if (fsr_lex_sees(l, '1'))
            fsr_lex_int(l, 1, 1, &one);
        else
            to->stride[type->ndim] = fsr_lex_mark(l, "i", r->k->nints);
        fsr_lex_expect(l, "of");
        to->end[type->ndim++] = fsr_lex_mark(l, "i", r->k->nints);
    } while (fsr_lex_try(l, ","));
    fsr_lex_expect(l, ")");
}

void fsr_read_loop(fsr_kernel_reader *r) {
    fsr_lex *l = &r->lex;
    fsr_kernel *k = r->k;
    fsr_dtype dtype[FSR_MAX_ARGS] = {0}, same[FSR_MAX_SCALARS];
    int nstate;
    if (k->nloops == FSR_MAX_LOOPS) {
        fsr_lex_fail(l, FSR_ERR_FORMAT, "more than %d loops", FSR_MAX_LOOPS);
        return;
    }
    if (fsr_lex_mark(l, "l", k->nloops + 1) != k->nloops)
        fsr_lex_fail(l, FSR_ERR_FORMAT, "loops count up from l0");
    const int n = read_arguments(l, dtype, &nstate);
    if (nstate > FSR_MAX_STATE)
        fsr_lex_fail(l, FSR_ERR_FORMAT, "a state of more than %d values", FSR_MAX_STATE);
    if (!fsr_kernel_loop_room(k)) {
        fsr_lex_fail(l, FSR_ERR_MEMORY, "out of memory");
        return;
    }
    fsr_iteration *it = fsr_lex_loop(l, nstate, n, dtype);
    if (!it)
        return;
    k->loop[k->nloops++].program = it;
    const int nsame = read_same(r, k->loop[k->nloops - 1].same, same);
    for (int i = 0; i < nsame; i++)
        it->body.arg[it->body.nargs++] = same[i];
    fsr_lex_expect(l, ",");
    fsr_lex_expect(l, "at");
    fsr_lex_expect(l, "most");
    fsr_lex_int(l, 0, INT32_MAX, &it->max_n);
    fsr_lex_expect(l, "times");
    while (fsr_lex_try(l, "from"))
        read_table(r, it, &k->loop[k->nloops - 1]);
    fsr_lex_end(l);
    const fsr_region_text text = fsr_iteration_text(it, true);
    fsr_lex_region(l, &text, &it->body);
}
