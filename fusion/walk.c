/* SPDX-License-Identifier: MIT */
/* Loops of a CPU's kernel as lists of instructions; see walk.h. */
#include "fusion/walk.h"
#include "fusion/address.h"
#include "fusion/filter.h"
#include <string.h>

void fsr_body_folds(const fsr_kernel *k, fsr_body *body) {
    body->nfolds = 0;
    for (int i = 0; i < body->n; ++i)
        if (k->inst[body->inst[i]].kind == FSR_INST_COMBINE)
            body->folds[body->nfolds++] = k->inst[body->inst[i]].index;
}

void fsr_body_of(const fsr_kernel *k, int pass, fsr_body *out) {
    *out = (fsr_body){.pass = pass};
    out->n = k->npasses ? fsr_kernel_pass_body(k, pass, out->inst) : fsr_kernel_rows(k, 0, out->inst);
    fsr_body_folds(k, out);
}

static bool is_scan(const fsr_kernel *k, int fold) {
    return k->fold[fold].kind == FSR_FOLD_SCAN;
}

void fsr_body_scans(const fsr_kernel *k, const fsr_body *body, fsr_body *out) {
    bool need[FSR_MAX_INSTS] = {false};
    *out = (fsr_body){.pass = body->pass};
    for (int i = body->n - 1; i >= 0; --i) {
        const fsr_inst *inst = &k->inst[body->inst[i]];
        bool *own = &need[body->inst[i]];
        *own |= inst->kind == FSR_INST_COMBINE && is_scan(k, inst->index);
        int argument[FSR_MAX_ARGUMENTS], read = fsr_inst_arguments(k, body->inst[i], argument);
        for (int a = 0; *own && a < read; ++a)
            need[argument[a]] = true;
    }
    for (int i = 0; i < body->n; ++i)
        if (need[body->inst[i]])
            out->inst[out->n++] = body->inst[i];
    fsr_body_folds(k, out);
}

bool fsr_body_has_scan(const fsr_kernel *k, const fsr_body *body) {
    for (int i = 0; i < body->nfolds; ++i)
        if (is_scan(k, body->folds[i]))
            return true;
    return false;
}

bool fsr_inst_is_element(const fsr_kernel *k, int number) {
    return k->stand[number].level == FSR_ELEM || k->npasses == 0;
}

bool fsr_body_is_looped(const fsr_kernel *k, const fsr_body *body) {
    for (int i = 0; i < body->n; ++i)
        if (k->inst[body->inst[i]].kind == FSR_INST_ITERATE && fsr_inst_is_element(k, body->inst[i]))
            return true;
    return false;
}

bool fsr_inst_is_limited(const fsr_inst *inst) {
    const int limits = (fsr_dtype_is_float(inst->compute) ? FSR_OP_LIMITED : 0) |
                       (fsr_dtype_is_complex(inst->compute) ? FSR_OP_COMPLEX_LIMITED : 0);
    return inst->kind == FSR_INST_OP && (fsr_op_get(inst->op)->flags & limits) != 0;
}

bool fsr_body_is_limited(const fsr_kernel *k, const fsr_body *body) {
    for (int i = 0; i < body->n; ++i)
        if (fsr_inst_is_limited(&k->inst[body->inst[i]]))
            return true;
    return false;
}

bool fsr_body_limits_come_first(const fsr_kernel *k, const fsr_body *body) {
    bool need[FSR_MAX_INSTS] = {false};
    for (int i = body->n - 1; i >= 0; --i) {
        const fsr_inst *inst = &k->inst[body->inst[i]];
        bool *own = &need[body->inst[i]];
        if (*own && inst->kind == FSR_INST_PICK)
            return false;
        *own |= fsr_inst_is_limited(inst);
        int argument[FSR_MAX_ARGUMENTS], read = fsr_inst_arguments(k, body->inst[i], argument);
        for (int a = 0; *own && a < read; ++a)
            need[argument[a]] = true;
    }
    return true;
}

bool fsr_body_may_look_first(const fsr_kernel *k, const fsr_body *body, const fsr_walk *walk) {
    return k->schedule.kind == FSR_SCHEDULE_COL && !k->schedule.tall &&
           (walk->phased || fsr_body_limits_come_first(k, body) || fsr_body_may_repeat(k, body, walk));
}

bool fsr_body_may_repeat(const fsr_kernel *k, const fsr_body *body, const fsr_walk *walk) {
    const bool put_aside = walk->form == FSR_WALK_STRIPS && walk->laned;
    const bool abreast = k->schedule.kind == FSR_SCHEDULE_COL && !k->schedule.tall;
    bool may = !fsr_kernel_in_place(k) && (!body->nfolds || abreast || put_aside);
    for (int i = 0; i < body->n && may; ++i) {
        const fsr_inst *inst = &k->inst[body->inst[i]];
        may = !inst->filter && !inst->combines && !inst->report && inst->kind != FSR_INST_ITERATE &&
              inst->kind != FSR_INST_CALL;
    }
    return may;
}

bool fsr_inst_streams(const fsr_kernel *k, const fsr_inst *inst) {
    return inst->kind == FSR_INST_STORE && !inst->filter &&
           (k->schedule.streams >> k->access[inst->index].buffer & 1) != 0;
}

bool fsr_body_streams(const fsr_kernel *k, const fsr_body *body) {
    for (int i = 0; i < body->n; ++i)
        if (fsr_inst_streams(k, &k->inst[body->inst[i]]))
            return true;
    return false;
}

bool fsr_kernel_in_place(const fsr_kernel *k) {
    for (int a = 0; a < k->narrays; ++a)
        if (k->array[a].aliased)
            return true;
    return false;
}

int fsr_walk_arguments(const fsr_kernel *k, int number, int *out) {
    int n = fsr_inst_arguments(k, number, out);
    return k->inst[number].filter ? n - 1 : n;
}

void fsr_kernel_counted(const fsr_kernel *k, bool counted[FSR_MAX_COMBINES]) {
    bool read[FSR_MAX_INSTS] = {false};
    for (int i = 0; i < k->ninsts; ++i) {
        int argument[FSR_MAX_ARGUMENTS], n = fsr_walk_arguments(k, i, argument);
        for (int a = 0; a < n; ++a)
            read[argument[a]] = true;
    }
    memset(counted, 0, FSR_MAX_COMBINES * sizeof *counted);
    for (int f = 0; f < k->nfolds; ++f)
        counted[f] = is_scan(k, f);
    for (int i = 0; i < k->ninsts; ++i)
        if (fsr_picks_fold(k, &k->inst[i]) && read[i])
            counted[k->inst[i].index] = false;
}

bool fsr_kernel_packs(const fsr_kernel *k) {
    const fsr_schedule *s = &k->schedule;
    bool counted[FSR_MAX_COMBINES], named[FSR_MAX_COMBINES] = {false}, any = false;
    bool all = s->kind == FSR_SCHEDULE_ROW && s->part && s->walk[0].form == FSR_WALK_STRIPS;
    fsr_kernel_counted(k, counted);
    for (int i = 0; i < k->ninsts; ++i)
        if (k->inst[i].filter) {
            named[fsr_counting_fold(k, &k->inst[i])] = true;
            all = all && (k->inst[i].front || !k->live);
        }
    for (int f = 0; f < k->nfolds; ++f)
        if (is_scan(k, f)) {
            any = true;
            all = all && counted[f] && named[f];
        }
    return any && all;
}

static uint64_t conditions_of(const fsr_kernel *k, int guard) {
    uint64_t bits = 0;
    for (int j = 0; guard >= 0 && j < k->guard[guard].n; ++j)
        bits |= UINT64_C(1) << k->guard[guard].condition[j];
    return bits;
}

/* The guard that a choice is made by; NULL: it is none. */
static const fsr_inst *chosen_by(const fsr_kernel *k, const fsr_inst *inst) {
    const bool chooses = inst->kind == FSR_INST_OP && fsr_op_get(inst->op)->rule == FSR_RULE_SELECT;
    const fsr_inst *by = chooses ? &k->inst[inst->arg[0]] : NULL;
    return by && by->kind == FSR_INST_GUARD ? by : NULL;
}

/* On a CPU also those of choices by what was asked once for a row. Counter-example to leaving them out: two
 * alternatives of a row that is assigned, each with four functions, were both computed in each of 654 rows (seed
 * 1330841). */
uint64_t fsr_body_conditions(const fsr_kernel *k, const fsr_body *body) {
    uint64_t bits = 0;
    for (int i = 0; i < body->n; ++i) {
        const fsr_inst *inst = &k->inst[body->inst[i]], *by = chosen_by(k, inst);
        bits |= conditions_of(k, fsr_inst_guard(inst));
        bits |= by && k->schedule.target == FSR_TARGET_CPU ? conditions_of(k, by->index) : 0;
    }
    return bits;
}

fsr_known fsr_guard_known(const fsr_kernel *k, const fsr_loop_version *version, int guard) {
    const uint64_t all = conditions_of(k, guard);
    return all & version->never ? FSR_NEVER_HOLDS : all & ~version->holds ? FSR_ASKED : FSR_ALWAYS_HOLDS;
}

int fsr_inst_chosen(const fsr_kernel *k, const fsr_loop_version *version, int number) {
    if (!k->nguards)
        return -1;
    const fsr_inst *inst = &k->inst[number], *guard = chosen_by(k, inst);
    const fsr_known known = guard ? fsr_guard_known(k, version, guard->index) : FSR_ASKED;
    return known == FSR_ASKED ? -1 : inst->arg[known == FSR_ALWAYS_HOLDS ? 1 : 2];
}

static bool has_effect(const fsr_kernel *k, const fsr_loop_version *version, int number) {
    const fsr_inst *inst = &k->inst[number];
    const bool reports = inst->kind == FSR_INST_INSIDE && inst->report;
    return inst->kind == FSR_INST_STORE || inst->kind == FSR_INST_COMBINE || k->stand[number].keep ||
           (reports && !(inst->guard && fsr_guard_known(k, version, inst->guard - 1) == FSR_NEVER_HOLDS));
}

void fsr_body_dead(const fsr_kernel *k, const fsr_body *body, const fsr_loop_version *version, bool *dead) {
    bool needed[FSR_MAX_INSTS] = {false};
    for (int i = body->n - 1; i >= 0; --i) {
        const int number = body->inst[i];
        needed[number] = needed[number] || has_effect(k, version, number);
        if (!needed[number])
            continue;
        const int chosen = fsr_inst_chosen(k, version, number), guard = fsr_inst_guard(&k->inst[number]);
        int argument[FSR_MAX_ARGUMENTS], n = fsr_inst_arguments(k, number, argument);
        const bool idle = guard >= 0 && k->inst[number].kind != FSR_INST_INSIDE &&
                          fsr_guard_known(k, version, guard) == FSR_NEVER_HOLDS;
        for (int a = 0; a < n && chosen < 0 && !idle; ++a)
            needed[argument[a]] = true;
        if (chosen >= 0)
            needed[chosen] = true;
    }
    for (int i = 0; i < k->ninsts; ++i)
        dead[i] = !needed[i];
}

int fsr_iteration_widest(const fsr_iteration *l) {
    size_t wide = 4;
    for (int i = 0; i < l->body.ninsts; ++i) {
        fsr_dtype real = fsr_dtype_real(l->body.inst[i].dtype);
        wide = fsr_dtype_size(real) > wide ? fsr_dtype_size(real) : wide;
    }
    return (int)wide;
}

/* ---- rows at computed places -------------------------------------------------------------------------- */

static bool goes_along(const fsr_kernel *k, const fsr_inst *inst, int d) {
    const fsr_index_form *form = fsr_access_form(k, inst->index);
    if (form->stride[d] != FSR_STRIDE_ONE || form->divisor)
        return false;
    for (int t = 0; t < form->nterms; ++t)
        if (fsr_value_dimensions(k, form->term[t].value) >> d & 1)
            return false;
    return true;
}

bool fsr_inst_is_of_row(const fsr_kernel *k, int number, int d) {
    const fsr_inst_kind kind = k->inst[number].kind;
    const bool does = kind == FSR_INST_STORE || kind == FSR_INST_COMBINE || kind == FSR_INST_ITERATE;
    return d >= 0 && !does && !(fsr_value_dimensions(k, number) >> d & 1);
}

bool fsr_body_has_rows(const fsr_kernel *k, const fsr_body *body, int d) {
    int stores = 0;
    bool any = false, combines = false;
    for (int i = 0; i < body->n; ++i) {
        const fsr_inst *inst = &k->inst[body->inst[i]];
        any = any || (inst->kind == FSR_INST_INSIDE && fsr_inst_is_of_row(k, body->inst[i], d));
        combines = combines || (inst->kind == FSR_INST_STORE && inst->combines);
        stores += inst->kind == FSR_INST_STORE;
        if (inst->kind == FSR_INST_STORE && inst->combines && any && !goes_along(k, inst, d))
            return false;
    }
    return any && (!combines || stores == 1);
}

/* A load or store of 4 or 8 bytes, a number, one beside the other; a load also the same for the whole row. */
static bool access_may_be_asked(const fsr_kernel *k, int number) {
    const fsr_inst *inst = &k->inst[number];
    const fsr_index_form *form = fsr_access_form(k, inst->index);
    const fsr_dtype dtype = k->array[k->access[inst->index].buffer].dtype;
    const size_t size = fsr_dtype_size(dtype);
    const bool load = inst->kind == FSR_INST_LOAD;
    const bool near = k->access[inst->index].linear || form->stride[k->ndim - 1] == FSR_STRIDE_ONE ||
                      (load && form->stride[k->ndim - 1] == FSR_STRIDE_ZERO);
    return fsr_inst_guard(inst) < 0 && (load || (!inst->filter && !inst->combines)) && !form->divisor &&
           !form->nterms && near && (size == 4 || size == 8) && !fsr_dtype_is_complex(dtype);
}

/* A number of 4 or 8 bytes: as many of them are a vector as of what is loaded beside it. What is kept of columns that
 * are not there lies behind the row. Counter-example to rows of several dimensions: they end anywhere, and room ends
 * with eights of columns. */
static bool may_be_kept(const fsr_kernel *k, const fsr_inst *inst) {
    const size_t size = fsr_dtype_size(inst->dtype);
    return (size == 4 || size == 8) && !fsr_dtype_is_complex(inst->dtype) && k->ndim - k->nparallel == 1;
}

bool fsr_kernel_keeps(const fsr_kernel *k) {
    bool keeps = false;
    for (int i = 0; i < k->ninsts; ++i)
        keeps = keeps || k->stand[i].keep;
    return keeps;
}

bool fsr_body_may_ask(const fsr_kernel *k, const fsr_body *body) {
    for (int i = 0; i < k->ninsts; ++i)
        if (k->stand[i].keep && !may_be_kept(k, &k->inst[i]))
            return false;
    for (int i = 0; i < body->n; ++i) {
        const fsr_inst_kind kind = k->inst[body->inst[i]].kind;
        if (kind != FSR_INST_CONST && kind != FSR_INST_PARAM && kind != FSR_INST_INDEX && kind != FSR_INST_OP &&
            kind != FSR_INST_COMBINE &&
            ((kind != FSR_INST_LOAD && kind != FSR_INST_STORE) || !access_may_be_asked(k, body->inst[i])))
            return false;
    }
    return fsr_body_commutes(k, body) && !fsr_body_has_scan(k, body) && !fsr_body_conditions(k, body);
}
