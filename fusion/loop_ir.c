/* SPDX-License-Identifier: MIT */
/* The loop IR's container, and the one place that decides what a loop evaluates again.
 *
 * The loop of pass p is the closure of what the pass must do - its STOREs, its reductions' COMBINEs, the values that
 * later passes read as kept - over ELEM arguments. Two things end or widen the walk:
 *   - a `keep` value of an earlier pass ends it: the value is read, neither it nor what it was made from is evaluated;
 *   - a PICK of a scan brings its COMBINE: a scan read in a later pass and not kept is performed again there.
 * A scan is no root of its own: only its PICKs have effects, so one whose results are all read later costs nothing
 * in its own pass.
 *
 * Counter-example to "everything ELEM with pass <= p": softmax's pass 2 would load x and take the exponential again
 * although the exponentials are held in registers. */
#include "fusion/loop_ir.h"
#include "fusion/nest.h"
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
    bool whole = !k->nests || (copy->nests = fsr_nests_copy(k->nests)) != NULL;
    whole = (!k->loop || fsr_kernel_loop_room(copy)) && whole;
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

const char *fsr_schedule_name(fsr_schedule_kind kind) {
    static const char *const name[] = {"map", "row", "split", "col", "lookback", "team"};
    return (size_t)kind < sizeof name / sizeof *name ? name[kind] : NULL;
}

const char *fsr_walk_name(fsr_walk_form form) {
    static const char *const name[] = {"plain", "runs", "lanes", "pairs", "strips"};
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
    return s->target == FSR_TARGET_CPU && s->kind == FSR_SCHEDULE_COL ? k->nparallel - 1 : k->ndim - 1;
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

static bool form_equal(const fsr_index_form *a, const fsr_index_form *b) {
    bool same = a->offset == b->offset && a->divisor == b->divisor && a->nterms == b->nterms;
    for (int d = 0; d < FSR_MAX_DIMS; d++)
        same = same && a->stride[d] == b->stride[d] && (a->stride[d] != FSR_STRIDE_VAR || a->slot[d] == b->slot[d]);
    for (int t = 0; same && t < a->nterms; t++)
        same = a->term[t].value == b->term[t].value && a->term[t].slot == b->term[t].slot;
    return same;
}

int fsr_kernel_form(fsr_kernel *k, const fsr_index_form *form) {
    for (int i = 0; i < k->nforms; i++)
        if (form_equal(&k->form[i], form))
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

int fsr_inst_arguments(const fsr_kernel *k, int number, int *out) {
    const fsr_inst *inst = &k->inst[number];
    const int *from = inst->arg;
    int n =
        inst->kind == FSR_INST_STORE ? (inst->filter ? 3 : 1) : fsr_picks_loop(k, inst) || inst->kind == FSR_INST_BOUND;
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

int fsr_kernel_combining(const fsr_kernel *k) {
    for (int i = 0; i < k->ninsts; i++)
        if (k->inst[i].combines)
            return i;
    return -1;
}

bool fsr_inst_drops(const fsr_kernel *k, const fsr_inst *inst) {
    const fsr_index_form *form = fsr_access_form(k, inst->index);
    for (int t = 0; t < form->nterms; t++)
        if (k->inst[form->term[t].value].bound == FSR_BOUND_DROP)
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
    return inst->kind == FSR_INST_LOAD || inst->kind == FSR_INST_BOUND ? inst->guard - 1 : -1;
}

/* What one pass touches: evaluated in its loop, or read because an earlier pass kept it. */
typedef struct fsr_need {
    bool evaluated[FSR_MAX_INSTS];
    bool read[FSR_MAX_INSTS];
} fsr_need;

static void need_value(const fsr_kernel *k, int pass, int value, fsr_need *need) {
    if (k->stand[value].level != FSR_ELEM)
        return;
    if (k->stand[value].keep && k->stand[value].pass < pass)
        need->read[value] = true;
    else
        need->evaluated[value] = true;
}

static void need_arguments(const fsr_kernel *k, int pass, int number, fsr_need *need) {
    const fsr_inst *inst = &k->inst[number];
    int argument[FSR_MAX_ARGUMENTS], n = fsr_inst_arguments(k, number, argument);
    for (int a = 0; a < n; a++)
        need_value(k, pass, argument[a], need);
    if (fsr_picks_fold(k, inst) && k->fold[inst->index].kind == FSR_FOLD_SCAN)
        need->evaluated[inst->arg[0]] = true;
}

/* An index that may be outside, of an array whose address it does not move: nobody reads it, and it is reported all the
 * same. */
static bool only_reports(const fsr_kernel *k, int number) {
    const fsr_inst *inst = &k->inst[number];
    if (inst->kind != FSR_INST_BOUND || !inst->report)
        return false;
    for (int i = number + 1; i < k->ninsts; i++)
        if (fsr_inst_reads(k, i, number))
            return false;
    return true;
}

static bool is_root(const fsr_kernel *k, int number, int pass) {
    const fsr_inst *inst = &k->inst[number];
    if (k->stand[number].level != FSR_ELEM || k->stand[number].pass != pass)
        return false;
    return inst->kind == FSR_INST_STORE || only_reports(k, number) ||
           (inst->kind == FSR_INST_COMBINE && k->fold[inst->index].kind == FSR_FOLD_REDUCE);
}

/* Arguments have smaller numbers, so one walk from the end closes the set. */
static void close_need(const fsr_kernel *k, int pass, fsr_need *need) {
    for (int i = k->ninsts - 1; i >= 0; i--) {
        if (is_root(k, i, pass))
            need->evaluated[i] = true;
        if (need->evaluated[i])
            need_arguments(k, pass, i, need);
    }
}

/* What pass `pass` needs. Whether it must evaluate a kept value is known once every later pass's set is, so the walk is
 * over passes from the last one back. */
static void find_need(const fsr_kernel *k, int pass, fsr_need *need) {
    bool wanted[FSR_MAX_INSTS] = {false};
    for (int p = k->npasses - 1; p >= pass; p--) {
        *need = (fsr_need){{false}, {false}};
        for (int i = 0; i < k->ninsts; i++)
            need->evaluated[i] = wanted[i] && k->stand[i].pass == p;
        close_need(k, p, need);
        for (int i = 0; i < k->ninsts && p > pass; i++)
            wanted[i] = wanted[i] || need->read[i];
    }
    if (pass >= k->npasses)
        *need = (fsr_need){{false}, {false}};
}

int fsr_kernel_pass_body(const fsr_kernel *k, int pass, int *out) {
    fsr_need need;
    int n = 0;
    find_need(k, pass, &need);
    for (int i = 0; i < k->ninsts; i++)
        if (need.evaluated[i])
            out[n++] = i;
    return n;
}

int fsr_kernel_rows(const fsr_kernel *k, int pass, int *out) {
    int n = 0;
    for (int i = 0; i < k->ninsts; i++)
        if (k->stand[i].level == FSR_ROW && k->stand[i].pass == pass)
            out[n++] = i;
    return n;
}

int fsr_kernel_once(const fsr_kernel *k, int *out) {
    int n = 0;
    for (int i = 0; i < k->ninsts; i++)
        if (k->stand[i].level == FSR_ONCE)
            out[n++] = i;
    return n;
}

bool fsr_kernel_reads_kept(const fsr_kernel *k, int pass, int value) {
    fsr_need need;
    if (!k->stand[value].keep || k->stand[value].level != FSR_ELEM || k->stand[value].pass != pass)
        return false;
    for (int later = pass + 1; later < k->npasses; later++) {
        find_need(k, later, &need);
        if (need.read[value])
            return true;
    }
    return false;
}
