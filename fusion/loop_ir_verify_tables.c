/* SPDX-License-Identifier: MIT */
/* The verifier's rules about what a kernel lists: limits, arrays, accesses, guards, and the scalar programs of folds
 * and loops.
 *
 * Limits come first: what follows indexes by them. A program is checked step by step before its results are named.
 * Counter-example to checking programs where they are used: a loop that no instruction runs would never be looked at,
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
    if (strnlen(v->k->comment, sizeof v->k->comment) == sizeof v->k->comment)
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
    if (!fsr_check_range(k->nloops, FSR_MAX_LOOPS + 1))
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
    }
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
    if ((a->linear || a->row_linear) && (form->offset != -1 || form->divisor || form->nterms))
        return fsr_check_bad(v, "access %d is linear and has an offset", number);
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

/* A scalar program. what, number: whose; argument: dtypes of its narguments arguments. */
static bool check_steps(const fsr_check *v, const char *what, int number, const fsr_step *steps, int n,
                        const fsr_dtype *argument, int narguments) {
    for (int s = 0; s < n; s++) {
        const fsr_step *step = &steps[s];
        if (!fsr_check_dtype(step->dtype) || (unsigned)step->kind > FSR_STEP_OP)
            return fsr_check_bad(v, "%s %d: step %d has no dtype or kind", what, number, s);
        if (step->kind == FSR_STEP_ARG &&
            (!fsr_check_range(step->index, narguments) || step->dtype != argument[step->index]))
            return fsr_check_bad(v, "%s %d: step %d is no argument of the state", what, number, s);
        if (step->kind != FSR_STEP_OP)
            continue;
        if ((unsigned)step->op >= FSR_OP_COUNT)
            return fsr_check_bad(v, "%s %d: step %d has an unknown op", what, number, s);
        for (int a = 0; a < fsr_op_get(step->op)->arity; a++)
            if (!fsr_check_range(step->arg[a], s))
                return fsr_check_bad(v, "%s %d: step %d takes step %d", what, number, s, step->arg[a]);
    }
    return true;
}

static bool check_combine(const fsr_check *v, int number, const fsr_combine *c) {
    fsr_dtype both[2 * FSR_MAX_TUPLE];
    if (!c || !fsr_check_range(c->arity - 1, FSR_MAX_TUPLE) || !fsr_check_range(c->nsteps, FSR_MAX_STEPS + 1))
        return fsr_check_bad(v, "fold %d has no operator, or one of a wrong size", number);
    for (int i = 0; i < 2 * c->arity; i++)
        both[i] = c->dtype[i % c->arity];
    if (!check_steps(v, "fold", number, c->step, c->nsteps, both, 2 * c->arity))
        return false;
    for (int i = 0; i < c->arity; i++)
        if (!fsr_check_dtype(c->dtype[i]) || !fsr_check_range(c->result[i], c->nsteps) ||
            c->step[c->result[i]].dtype != c->dtype[i])
            return fsr_check_bad(v, "fold %d: component %d of the result has another dtype than the state", number, i);
    return true;
}

static bool check_loop(const fsr_check *v, int number) {
    const fsr_iteration *l = v->k->loop[number].program;
    if (!l || !fsr_check_range(l->nstate - 1, FSR_MAX_STATE) ||
        !fsr_check_range(l->narg, FSR_MAX_ARGS - l->nstate + 1) ||
        !fsr_check_range(l->nsteps, FSR_MAX_LOOP_STEPS + 1) || l->max_n < 0 || l->max_n > INT32_MAX)
        return fsr_check_bad(v, "loop %d has no program, or one of a wrong size", number);
    if (!check_steps(v, "loop", number, l->step, l->nsteps, l->dtype, l->nstate + l->narg))
        return false;
    if (!fsr_check_range(l->condition, l->nsteps) || l->step[l->condition].dtype != FSR_BOOL)
        return fsr_check_bad(v, "loop %d: the condition is not bool", number);
    for (int i = 0; i < l->nstate; i++)
        if (!fsr_check_dtype(l->dtype[i]) || !fsr_check_range(l->result[i], l->nsteps) ||
            l->step[l->result[i]].dtype != l->dtype[i])
            return fsr_check_bad(v, "loop %d: component %d of the result has another dtype than the state", number, i);
    return true;
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
    if (!check_combine(v, number, f->combine))
        return false;
    if (f->narrow && (f->kind != FSR_FOLD_SCAN || f->combine->arity != 1 || f->combine->dtype[0] != FSR_F64))
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
