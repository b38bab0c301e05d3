/* SPDX-License-Identifier: MIT */
/* The verifier's rules about what a kernel lists: limits, arrays, accesses, guards, and the regions of folds and
 * loops.
 *
 * Limits come first: what follows indexes by them. A region is checked before anything of it is named.
 * Counter-example to checking regions where they are used: a loop that no instruction runs would never be looked at,
 * and a printer prints it. */
#include "fusion/loop_ir_verify.h"
#include <string.h>

static bool check_name(const fsr_check *v) {
    const char *name = v->k->name;
    size_t n = strnlen(name, sizeof v->k->name);
    if (n == 0 || n == sizeof v->k->name)
        return fsr_check_bad(v, "the kernel's name is empty or has no end");
    for (size_t i = 0; i < n; i++) {
        char c = name[i];
        bool digit = c >= '0' && c <= '9';
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (digit && i > 0)))
            return fsr_check_bad(v, "the kernel's name is no identifier: %s", name);
    }
    if (v->k->ncomment < 1 || v->k->comment[v->k->ncomment - 1])
        return fsr_check_bad(v, "the kernel's comment has no end");
    return true;
}

static bool check_limits(const fsr_check *v) {
    const fsr_kernel *k = v->k;
    if (!fsr_check_range(k->ndim, FSR_MAX_DIMS + 1) || !fsr_check_range(k->nparallel, k->ndim + 1))
        return fsr_check_bad(v, "%d dimensions, %d of them parallel", k->ndim, k->nparallel);
    if (!k->inst || !fsr_check_range(k->ninsts, FSR_MAX_INSTS + 1))
        return fsr_check_bad(v, "%d instructions, the limit is %d", k->ninsts, FSR_MAX_INSTS);
    if (!fsr_check_range(k->nfolds, FSR_MAX_COMBINES + 1))
        return fsr_check_bad(v, "%d folds, the limit is %d", k->nfolds, FSR_MAX_COMBINES);
    if (!fsr_check_range(k->nloops, FSR_MAX_LOOPS + 1) || (k->nloops > 0 && !k->loop))
        return fsr_check_bad(v, "%d loops, the limit is %d", k->nloops, FSR_MAX_LOOPS);
    if (!fsr_check_range(k->naccesses, FSR_MAX_ACCESSES + 1))
        return fsr_check_bad(v, "%d accesses, the limit is %d", k->naccesses, FSR_MAX_ACCESSES);
    if (!fsr_check_range(k->nforms, FSR_MAX_FORMS + 1))
        return fsr_check_bad(v, "%d addresses, the limit is %d", k->nforms, FSR_MAX_FORMS);
    if (!fsr_check_range(k->nconditions, FSR_MAX_CONDITIONS + 1) || !fsr_check_range(k->nguards, FSR_MAX_GUARDS + 1))
        return fsr_check_bad(v, "%d guards of %d conditions, the limits are %d and %d", k->nguards, k->nconditions,
                             FSR_MAX_GUARDS, FSR_MAX_CONDITIONS);
    if (!fsr_check_range(k->narrays, FSR_MAX_BUFFERS + 1))
        return fsr_check_bad(v, "%d arrays, the limit is %d", k->narrays, FSR_MAX_BUFFERS);
    if (!fsr_check_range(k->nscalars, FSR_MAX_SCALARS + 1))
        return fsr_check_bad(v, "%d scalar arguments, the limit is %d", k->nscalars, FSR_MAX_SCALARS);
    if (k->nints < FSR_INT_EXTENT + k->ndim || k->nints > FSR_MAX_INTS)
        return fsr_check_bad(v, "%d integer arguments, must be %d to %d", k->nints, FSR_INT_EXTENT + k->ndim,
                             FSR_MAX_INTS);
    if (k->ndim == k->nparallel && k->npasses != 0)
        return fsr_check_bad(v, "%d passes without a folded dimension", k->npasses);
    if (k->ndim > k->nparallel && !fsr_check_range(k->npasses - 1, FSR_MAX_PASSES))
        return fsr_check_bad(v, "%d passes with a folded dimension", k->npasses);
    return true;
}

static bool check_arrays(const fsr_check *v) {
    const fsr_kernel *k = v->k;
    if (!fsr_check_range(k->nroutines, FSR_MAX_ROUTINES + 1))
        return fsr_check_bad(v, "%d routines, the limit is %d", k->nroutines, FSR_MAX_ROUTINES);
    for (int f = 0; f < k->nroutines; f++)
        if (!k->routine[f])
            return fsr_check_bad(v, "routine %d is not there", f);
    for (int f = 1, linked = 0; f < k->nroutines; f++) {
        linked = k->routine[linked]->linked ? linked : f - 1;
        if (k->routine[linked]->linked && k->routine[f]->linked &&
            !fsr_routine_links_same(k->routine[linked], k->routine[f]))
            return fsr_check_bad(v, "routines %d and %d are linked with different code", linked, f);
    }
    for (int b = 0; b < k->narrays; b++)
        if (!fsr_check_dtype(k->array[b].dtype))
            return fsr_check_bad(v, "array %d has no dtype", b);
    for (int s = 0; s < k->nscalars; s++)
        if (!fsr_check_dtype(k->scalar[s]))
            return fsr_check_bad(v, "scalar argument %d has no dtype", s);
    return true;
}

static bool check_terms(const fsr_check *v, int number, const fsr_index_form *a) {
    if (!fsr_check_range(a->nterms, FSR_MAX_TERMS + 1))
        return fsr_check_bad(v, "address %d has %d values, the limit is %d", number, a->nterms, FSR_MAX_TERMS);
    for (int t = 0; t < a->nterms; t++) {
        if (!fsr_check_range(a->term[t].value, v->k->ninsts))
            return fsr_check_bad(v, "address %d takes v%d of %d", number, a->term[t].value, v->k->ninsts);
        if (!fsr_check_range(a->term[t].slot, v->k->nints))
            return fsr_check_bad(v, "address %d takes a coefficient from integer %d of %d", number, a->term[t].slot,
                                 v->k->nints);
    }
    return true;
}

static bool check_form(const fsr_check *v, int number) {
    const fsr_kernel *k = v->k;
    const fsr_index_form *a = &k->form[number];
    for (int d = 0; d < k->ndim; d++) {
        if ((unsigned)a->stride[d] > FSR_STRIDE_VAR)
            return fsr_check_bad(v, "address %d has an unknown stride along dimension %d", number, d);
        if (a->stride[d] == FSR_STRIDE_VAR && !fsr_check_range(a->slot[d], k->nints))
            return fsr_check_bad(v, "address %d takes its stride from integer %d of %d", number, a->slot[d], k->nints);
        if (a->stride[d] == FSR_STRIDE_KNOWN && (a->slot[d] < 2 || a->slot[d] > FSR_MOST_KNOWN))
            return fsr_check_bad(v, "address %d has a stride of %d", number, a->slot[d]);
    }
    if (!fsr_check_range(a->behind, FSR_MOST_KNOWN))
        return fsr_check_bad(v, "address %d lies %d elements behind its offset", number, a->behind);
    if (a->offset != -1 && !fsr_check_range(a->offset, k->nints))
        return fsr_check_bad(v, "address %d takes its offset from integer %d of %d", number, a->offset, k->nints);
    if (!fsr_check_range(a->divisor, k->nints))
        return fsr_check_bad(v, "address %d is divided by integer %d of %d", number, a->divisor, k->nints);
    return check_terms(v, number, a);
}

static bool check_access(const fsr_check *v, int number) {
    const fsr_kernel *k = v->k;
    const fsr_access *a = &k->access[number];
    if (!fsr_check_range(a->buffer, k->narrays))
        return fsr_check_bad(v, "access %d names array %d of %d", number, a->buffer, k->narrays);
    if (!fsr_check_range(a->form, k->nforms))
        return fsr_check_bad(v, "access %d has address %d of %d", number, a->form, k->nforms);
    const fsr_index_form *form = &k->form[a->form];
    if ((a->linear || a->row_linear) &&
        (form->offset != -1 || form->behind || form->divisor || form->nterms || a->whole))
        return fsr_check_bad(v, "access %d is linear and has an offset", number);
    if (a->whole && form->behind)
        return fsr_check_bad(v, "access %d begins behind its offset", number);
    return true;
}

static bool check_condition(const fsr_check *v, int number) {
    const fsr_kernel *k = v->k;
    const fsr_condition *c = &k->condition[number];
    if (!fsr_check_range(c->form, k->nforms) || k->form[c->form].divisor)
        return fsr_check_bad(v, "condition %d has address %d of %d, or one that is divided", number, c->form,
                             k->nforms);
    if (!fsr_check_range(c->extent, k->nints) || !fsr_check_range(c->step, k->nints))
        return fsr_check_bad(v, "condition %d takes its extent from integer %d, its step from %d, of %d", number,
                             c->extent, c->step, k->nints);
    return true;
}

static bool check_guard(const fsr_check *v, int number) {
    const fsr_guard *g = &v->k->guard[number];
    if (!fsr_check_range(g->n - 1, FSR_MAX_GUARD))
        return fsr_check_bad(v, "guard %d of %d conditions", number, g->n);
    for (int i = 0; i < g->n; i++)
        if (!fsr_check_range(g->condition[i], v->k->nconditions))
            return fsr_check_bad(v, "guard %d names condition %d of %d", number, g->condition[i], v->k->nconditions);
    return true;
}

/* What the region of a fold or loop has, in words. */
static bool bad_region(const fsr_check *v, const char *what, int number, const char *wrong, int at) {
    if (at < 0)
        return fsr_check_bad(v, "%s %d has %s", what, number, wrong);
    return fsr_check_bad(v, "%s %d: t%d has %s", what, number, at, wrong);
}

/* The scalars that a body's last n arguments are. */
static bool check_same(const fsr_check *v, const char *what, int number, const fsr_region *r, const int *same, int n) {
    for (int i = 0; i < n; i++)
        if (i == FSR_MAX_SCALARS || !fsr_check_range(same[i], v->k->nscalars) ||
            v->k->scalar[same[i]] != r->arg[r->nargs - n + i])
            return fsr_check_bad(v, "%s %d: same%d is no scalar argument of its dtype", what, number, i);
    return true;
}

static bool check_combine(const fsr_check *v, int number, const fsr_combine *c) {
    int at = -1;
    const char *wrong = c ? fsr_combine_check(c, &at) : "no operator";
    return !wrong || bad_region(v, "fold", number, wrong, at);
}

bool fsr_check_whole(const fsr_check *v, int access, fsr_dtype dtype) {
    const fsr_kernel *k = v->k;
    if (!fsr_check_range(access, k->naccesses) || !k->access[access].whole)
        return false;
    const fsr_access *a = &k->access[access];
    const fsr_index_form *form = &k->form[a->form];
    bool good = k->array[a->buffer].dtype == dtype && !k->array[a->buffer].written && !k->array[a->buffer].aliased &&
                !form->nterms && !form->divisor && fsr_check_range(a->size, k->nints);
    for (int d = 0; d < k->ndim; d++)
        good = good && form->stride[d] == FSR_STRIDE_ZERO;
    return good;
}

/* The table begins at an access of its own, in an array of its dtype that nobody writes. */
static bool check_taken(const fsr_check *v, const fsr_table_type *type, const fsr_taken *t) {
    const fsr_kernel *k = v->k;
    bool good = fsr_check_whole(v, t->access, type->dtype);
    for (int j = 0; j < type->ndim; j++)
        good = good && fsr_check_range(t->stride[j], k->nints) && fsr_check_range(t->end[j], k->nints);
    return good;
}

static bool check_loop(const fsr_check *v, int number) {
    const fsr_iteration *l = v->k->loop[number].program;
    int at = -1;
    const char *wrong = l ? fsr_iteration_check(l, &at) : "no program";
    if (wrong)
        return bad_region(v, "loop", number, wrong, at);
    for (int t = 0; t < l->body.ntables; t++)
        if (!check_taken(v, &l->body.table[t], &v->k->loop[number].table[t]))
            return fsr_check_bad(v, "loop %d: table%d is no array that is only read, or has no extents", number, t);
    return check_same(v, "loop", number, &l->body, v->k->loop[number].same, fsr_iteration_same(l));
}

static bool check_fold(const fsr_check *v, int number) {
    const fsr_kernel *k = v->k;
    const fsr_fold *f = &k->fold[number];
    if ((unsigned)f->kind > FSR_FOLD_SCAN)
        return fsr_check_bad(v, "fold %d is neither a reduction nor a scan", number);
    if (!fsr_check_range(f->pass, k->npasses))
        return fsr_check_bad(v, "fold %d is of pass %d of %d", number, f->pass, k->npasses);
    if (f->exclusive && f->kind != FSR_FOLD_SCAN)
        return fsr_check_bad(v, "fold %d is an exclusive reduction", number);
    if (!check_combine(v, number, f->combine) ||
        !check_same(v, "fold", number, &f->combine->body, f->same, fsr_combine_same(f->combine)))
        return false;
    if (f->combine->sequential && (f->kind != FSR_FOLD_SCAN || f->exclusive || f->narrow))
        return fsr_check_bad(v, "fold %d is a sequence, and no inclusive scan", number);
    if (f->narrow &&
        (f->kind != FSR_FOLD_SCAN || f->combine->arity != 1 || fsr_combine_dtype(f->combine, 0) != FSR_F64))
        return fsr_check_bad(v, "fold %d of f32 is no scan of one f64", number);
    return true;
}

/* check for each number below n. */
static bool check_each(const fsr_check *v, int n, bool (*check)(const fsr_check *v, int number)) {
    for (int i = 0; i < n; i++)
        if (!check(v, i))
            return false;
    return true;
}

bool fsr_check_tables(const fsr_check *v) {
    const fsr_kernel *k = v->k;
    return check_name(v) && check_limits(v) && check_arrays(v) && check_each(v, k->nforms, check_form) &&
           check_each(v, k->naccesses, check_access) && check_each(v, k->nconditions, check_condition) &&
           check_each(v, k->nguards, check_guard) && check_each(v, k->nfolds, check_fold) &&
           check_each(v, k->nloops, check_loop);
}
