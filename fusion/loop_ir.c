/* SPDX-License-Identifier: MIT */
/* The loop IR's container, and what its parts say by themselves. */
#include "fusion/loop_ir.h"
#include "fusion/nest.h"
#include "fusion/repeat.h"
#include <stdlib.h>
#include <string.h>

fsr_kernel *fsr_kernel_new(void) {
    fsr_kernel *k = calloc(1, sizeof *k);
    if (!k)
        return NULL;
    k->comment = (char[]){0};
    k->ncomment = 1;
    if (fsr_kernel_make_room(k))
        return k;
    fsr_kernel_free(k);
    return NULL;
}

bool fsr_kernel_loop_room(fsr_kernel *k) {
    if (!k->loop)
        k->loop = calloc(FSR_MAX_LOOPS, sizeof *k->loop);
    return k->loop != NULL;
}

void fsr_kernel_free(fsr_kernel *k) {
    if (!k)
        return;
    for (int f = 0; k->room && f < (k->roomy ? FSR_MAX_COMBINES : k->nfolds); f++)
        fsr_combine_free((fsr_combine *)k->fold[f].combine);
    for (int f = 0; f < k->nroutines; f++)
        fsr_routine_unref(k->routine[f]);
    for (int l = 0; k->loop && l < FSR_MAX_LOOPS; l++)
        fsr_iteration_free((fsr_iteration *)k->loop[l].program);
    fsr_nests_free(k->nests);
    free(k->repeat);
    free(k->room);
    free(k->loop);
    free(k);
}

fsr_kernel *fsr_kernel_copy(const fsr_kernel *k) {
    fsr_kernel *copy = malloc(sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *k;
    if (!fsr_kernel_copy_lists(copy)) {
        free(copy);
        return NULL;
    }
    for (int f = 0; f < k->nfolds; f++)
        copy->fold[f].combine = NULL;
    for (int f = 0; f < k->nroutines; f++)
        fsr_routine_ref(k->routine[f]);
    copy->loop = NULL;
    copy->repeat = k->repeat ? malloc(sizeof *copy->repeat) : NULL;
    if (copy->repeat)
        *copy->repeat = *k->repeat;
    bool whole = !k->nests || (copy->nests = fsr_nests_copy(k->nests)) != NULL;
    whole = (!k->loop || fsr_kernel_loop_room(copy)) && whole;
    whole = whole && !copy->repeat == !k->repeat;
    for (int f = 0; f < k->nfolds; f++)
        whole = (copy->fold[f].combine = fsr_combine_copy(k->fold[f].combine)) != NULL && whole;
    for (int l = 0; copy->loop && l < k->nloops; l++) {
        copy->loop[l] = k->loop[l];
        whole = (copy->loop[l].program = fsr_iteration_copy(k->loop[l].program)) != NULL && whole;
    }
    if (whole)
        return copy;
    fsr_kernel_free(copy);
    return NULL;
}

const char *fsr_beyond_name(fsr_beyond beyond) {
    static const char *const names[] = {"nothing", "edge", "wrap", "reflect"};
    return (size_t)beyond < sizeof names / sizeof *names ? names[beyond] : NULL;
}

const char *fsr_schedule_name(fsr_schedule_kind kind) {
    static const char *const name[] = {"map", "row", "split", "col", "lookback", "team"};
    return (size_t)kind < sizeof name / sizeof *name ? name[kind] : NULL;
}

const char *fsr_walk_name(fsr_walk_form form) {
    static const char *const name[] = {"plain", "runs", "lanes", "pairs", "strips", "rows", "beside"};
    return (size_t)form < sizeof name / sizeof *name ? name[form] : NULL;
}

const char *fsr_target_name(fsr_target_kind kind) {
    return kind == FSR_TARGET_GPU ? "gpu" : kind == FSR_TARGET_CPU ? "cpu" : NULL;
}

fsr_dtype fsr_fold_dtype(const fsr_fold *fold, int component) {
    return fold->narrow ? FSR_F32 : fsr_combine_dtype(fold->combine, component);
}

bool fsr_fold_same_operator(const fsr_fold *a, const fsr_fold *b) {
    bool same = fsr_combine_equal(a->combine, b->combine);
    for (int i = 0; same && i < fsr_combine_same(a->combine); i++)
        same = a->same[i] == b->same[i];
    return same;
}

bool fsr_fold_is_ordered(const fsr_fold *fold) {
    return fold->kind == FSR_FOLD_SCAN || !fold->combine->commutative;
}

bool fsr_kernel_has_scan(const fsr_kernel *k) {
    for (int f = 0; f < k->nfolds; f++)
        if (k->fold[f].kind == FSR_FOLD_SCAN)
            return true;
    return false;
}

bool fsr_kernel_has_sequence(const fsr_kernel *k) {
    for (int f = 0; f < k->nfolds; f++)
        if (k->fold[f].combine->sequential)
            return true;
    return false;
}

bool fsr_kernel_commutes(const fsr_kernel *k) {
    for (int f = 0; f < k->nfolds; f++)
        if (fsr_fold_is_ordered(&k->fold[f]))
            return false;
    return true;
}

bool fsr_guard_reads_index(const fsr_kernel *k, int guard, int d) {
    for (int i = 0; i < k->guard[guard].n; i++)
        if (fsr_condition_form(k, k->guard[guard].condition[i])->stride[d] != FSR_STRIDE_ZERO)
            return true;
    return false;
}

int fsr_kernel_inner(const fsr_kernel *k) {
    const fsr_schedule *s = &k->schedule;
    return s->target == FSR_TARGET_CPU && s->kind == FSR_SCHEDULE_COL ? k->nparallel - 1
           : s->turned                                                ? s->tiled
                                                                      : k->ndim - 1;
}

bool fsr_condition_is_decidable(const fsr_kernel *k, int condition) {
    const fsr_index_form *form = fsr_condition_form(k, condition);
    const int d = fsr_kernel_inner(k);
    return !fsr_form_waits(k, form) && (d < 0 || form->stride[d] <= FSR_STRIDE_ONE);
}

bool fsr_condition_is_inner(const fsr_kernel *k, int condition) {
    const int d = fsr_kernel_inner(k);
    return d >= 0 && fsr_condition_form(k, condition)->stride[d] != FSR_STRIDE_ZERO;
}

int fsr_kernel_conditions(const fsr_kernel *k, int order[FSR_MAX_CONDITIONS]) {
    int n = 0;
    for (int g = 0; g < k->nguards; g++)
        for (int i = 0; i < k->guard[g].n; i++) {
            int at = 0;
            while (at < n && order[at] != k->guard[g].condition[i])
                at++;
            if (at == n)
                order[n++] = k->guard[g].condition[i];
        }
    return n;
}

bool fsr_index_form_equal(const fsr_index_form *a, const fsr_index_form *b) {
    bool same = a->offset == b->offset && a->behind == b->behind && a->divisor == b->divisor && a->nterms == b->nterms;
    for (int d = 0; same && d < FSR_MAX_DIMS; d++)
        same = a->stride[d] == b->stride[d] && (a->stride[d] <= FSR_STRIDE_ONE || a->slot[d] == b->slot[d]);
    for (int t = 0; same && t < a->nterms; t++)
        same = a->term[t].value == b->term[t].value && a->term[t].slot == b->term[t].slot;
    return same;
}

int fsr_kernel_form(fsr_kernel *k, const fsr_index_form *form) {
    for (int i = 0; i < k->nforms; i++)
        if (fsr_index_form_equal(&k->form[i], form))
            return i;
    if (k->nforms == FSR_MAX_FORMS)
        return -1;
    k->form[k->nforms] = *form;
    return k->nforms++;
}

_Static_assert(FSR_MAX_ARGUMENTS >= FSR_MAX_TUPLE && FSR_MAX_ARGUMENTS >= 3 + FSR_MAX_TERMS &&
                   FSR_MAX_ARGUMENTS >= 2 * FSR_MAX_TERMS,
               "what an instruction may read");

/* Adds the symbols of a form to out[0..n), each once. Returns how many there are then. */
static int add_terms(const fsr_index_form *form, int *out, int first, int n) {
    for (int t = 0; t < form->nterms; t++) {
        int at = first;
        while (at < n && out[at] != form->term[t].value)
            at++;
        if (at == n && n < FSR_MAX_ARGUMENTS)
            out[n++] = form->term[t].value;
    }
    return n;
}

/* The symbols of what the instruction addresses and of its guard, behind out[0..n). */
static int add_symbols(const fsr_kernel *k, const fsr_inst *inst, int *out, int n) {
    const int first = n, guard = fsr_inst_guard(inst);
    if (inst->kind == FSR_INST_LOAD || inst->kind == FSR_INST_STORE)
        n = add_terms(fsr_access_form(k, inst->index), out, first, n);
    for (int i = 0; guard >= 0 && i < k->guard[guard].n; i++)
        n = add_terms(fsr_condition_form(k, k->guard[guard].condition[i]), out, first, n);
    return n;
}

int fsr_call_arrays(const fsr_kernel *k, const fsr_inst *inst) {
    return inst->kind == FSR_INST_CALL ? k->routine[inst->index]->narrays : 0;
}

bool fsr_inst_widens(const fsr_inst *inst) {
    static const bool narrow[FSR_DTYPE_COUNT] = {
        [FSR_BOOL] = true, [FSR_I8] = true, [FSR_U8] = true, [FSR_I16] = true, [FSR_U16] = true, [FSR_I32] = true};
    return inst->kind == FSR_INST_OP && fsr_op_get(inst->op)->rule == FSR_RULE_CAST && inst->dtype == FSR_I64 &&
           narrow[inst->compute];
}

int fsr_inst_arguments(const fsr_kernel *k, int number, int *out) {
    const fsr_inst *inst = &k->inst[number];
    const int *from = inst->arg;
    int n = inst->kind == FSR_INST_STORE ? (inst->filter ? 3 : 1)
                                         : fsr_picks_loop(k, inst) || inst->kind == FSR_INST_INSIDE;
    if (inst->kind == FSR_INST_OP)
        n = fsr_op_get(inst->op)->arity;
    if (inst->kind == FSR_INST_CALL)
        n = k->routine[inst->index]->nparams;
    if (inst->kind == FSR_INST_COMBINE) {
        from = k->fold[inst->index].input;
        n = k->fold[inst->index].combine->arity;
    }
    if (inst->kind == FSR_INST_ITERATE) {
        const fsr_turns *loop = &k->loop[inst->index];
        from = loop->input;
        n = loop->program->nstate + loop->program->narg;
    }
    for (int a = 0; a < n; a++)
        out[a] = from[a];
    return add_symbols(k, inst, out, n);
}

/* What a caller's function costs nobody knows; whoever writes one has more to say than a few operations. */
enum { CALL_COST = 40 };

int fsr_inst_cost(const fsr_kernel *k, int number) {
    const fsr_inst *inst = &k->inst[number];
    return inst->kind == FSR_INST_OP ? fsr_op_get(inst->op)->cost : inst->kind == FSR_INST_CALL ? CALL_COST : 0;
}

bool fsr_form_waits(const fsr_kernel *k, const fsr_index_form *form) {
    for (int t = 0; t < form->nterms; t++)
        if (k->stand[form->term[t].value].level != FSR_ONCE)
            return true;
    return false;
}

bool fsr_inst_is_late(const fsr_kernel *k, int number) {
    int symbol[FSR_MAX_ARGUMENTS], n = fsr_inst_arguments(k, number, symbol);
    bool waits = false;
    for (int s = 0; s < n; s++)
        waits = waits || k->stand[symbol[s]].level != FSR_ONCE;
    return waits && k->inst[number].kind == FSR_INST_LOAD;
}

bool fsr_inst_scatters(const fsr_kernel *k, const fsr_inst *inst) {
    return inst->kind == FSR_INST_STORE &&
           (inst->combines || fsr_form_waits(k, fsr_access_form(k, inst->index)) || fsr_inst_drops(k, inst));
}

bool fsr_inst_adds_rows(const fsr_kernel *k, int number) {
    const fsr_inst *inst = &k->inst[number];
    const fsr_index_form *form = inst->combines ? fsr_access_form(k, inst->index) : NULL;
    return form && k->npasses > 0 && k->stand[number].level == FSR_ELEM && k->schedule.target != FSR_TARGET_GPU &&
           k->schedule.kind != FSR_SCHEDULE_COL && !form->nterms && !form->divisor &&
           form->stride[k->ndim - 1] == FSR_STRIDE_ONE;
}

int fsr_kernel_combining(const fsr_kernel *k) {
    for (int i = 0; i < k->ninsts; i++)
        if (k->inst[i].combines)
            return i;
    return -1;
}

bool fsr_inst_drops(const fsr_kernel *k, const fsr_inst *inst) {
    const fsr_index_form *form = fsr_access_form(k, inst->index);
    for (int t = 0; t < form->nterms; t++)
        if (k->inst[form->term[t].value].mode == FSR_INDEX_DROP)
            return true;
    return false;
}

bool fsr_inst_reads(const fsr_kernel *k, int number, int value) {
    int argument[FSR_MAX_ARGUMENTS], n = fsr_inst_arguments(k, number, argument);
    for (int a = 0; a < n; a++)
        if (argument[a] == value)
            return true;
    return false;
}

int fsr_inst_guard(const fsr_inst *inst) {
    if (inst->kind == FSR_INST_GUARD)
        return inst->index;
    return inst->kind == FSR_INST_LOAD || inst->kind == FSR_INST_INSIDE ? inst->guard - 1 : -1;
}
