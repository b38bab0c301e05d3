/* SPDX-License-Identifier: MIT */
/* The verifier's rules about one instruction: its place, its arguments, its dtypes, what it names.
 *
 * An instruction's own level and pass are checked before anything is compared with them; arguments are earlier ones,
 * which have been checked.
 * Counter-example to trusting an argument's number alone: a ROW instruction may name an earlier ELEM value, of which
 * there are as many as columns. */
#include "fusion/filter.h"
#include "fusion/loop_ir_verify.h"

static const fsr_stand *stand_of(const fsr_check *v) {
    return &v->k->stand[v->number];
}

/* What is evaluated once: it moves along no dimension and takes place in any case. */
static bool check_once(const fsr_check *v, const fsr_inst *inst) {
    const bool may = inst->kind == FSR_INST_CONST || inst->kind == FSR_INST_PARAM || inst->kind == FSR_INST_OP ||
                     inst->kind == FSR_INST_CALL || inst->kind == FSR_INST_INSIDE || inst->kind == FSR_INST_LOAD;
    if (!may || stand_of(v)->pass != 0 || stand_of(v)->gathered ||
        (inst->guard && (inst->kind == FSR_INST_LOAD || inst->report)))
        return fsr_check_bad(v, "ONCE, and not of any point");
    if (inst->kind != FSR_INST_LOAD || !fsr_check_range(inst->index, v->k->naccesses))
        return true;
    for (int d = 0; d < v->k->ndim; d++)
        if (fsr_access_form(v->k, inst->index)->stride[d] != FSR_STRIDE_ZERO)
            return fsr_check_bad(v, "ONCE access %d depends on dimension %d", inst->index, d);
    return true;
}

/* An instruction's own place, before anything looks at its arguments. */
static bool check_place(const fsr_check *v, const fsr_inst *inst) {
    const fsr_kernel *k = v->k;
    if (!fsr_inst_may_stand(inst->kind, FSR_IN_NEST) || (unsigned)stand_of(v)->level > FSR_ONCE)
        return fsr_check_bad(v, "unknown kind or level");
    if (stand_of(v)->level == FSR_ELEM && k->npasses == 0)
        return fsr_check_bad(v, "ELEM without a folded dimension");
    if (!fsr_check_range(stand_of(v)->pass, stand_of(v)->level == FSR_ELEM ? k->npasses : k->npasses + 1))
        return fsr_check_bad(v, "pass %d of %d", stand_of(v)->pass, k->npasses);
    if (inst->kind != FSR_INST_COMBINE && !fsr_check_dtype(inst->dtype))
        return fsr_check_bad(v, "no dtype");
    if (stand_of(v)->keep &&
        (stand_of(v)->level != FSR_ELEM || !fsr_inst_has_value(inst->kind) || inst->kind == FSR_INST_ITERATE))
        return fsr_check_bad(v, "only an ELEM value can be kept");
    return stand_of(v)->level != FSR_ONCE || check_once(v, inst);
}

/* An argument: earlier, with a value, of a level and pass that the user may read. */
static bool check_argument(const fsr_check *v, int value) {
    const fsr_inst *user = &v->k->inst[v->number];
    if (!fsr_check_range(value, v->number))
        return fsr_check_bad(v, "takes v%d, which is not earlier", value);
    const fsr_inst *arg = &v->k->inst[value];
    if (!fsr_inst_has_value(arg->kind) || (arg->kind == FSR_INST_ITERATE && user->kind != FSR_INST_PICK))
        return fsr_check_bad(v, "takes v%d, which has no value", value);
    if (stand_of(v)->level == FSR_ROW && v->k->stand[value].level == FSR_ELEM)
        return fsr_check_bad(v, "ROW takes the ELEM value v%d", value);
    if (stand_of(v)->level == FSR_ONCE && v->k->stand[value].level != FSR_ONCE)
        return fsr_check_bad(v, "ONCE takes v%d, which is not", value);
    if (v->k->stand[value].pass > stand_of(v)->pass)
        return fsr_check_bad(v, "pass %d takes v%d of pass %d", stand_of(v)->pass, value, v->k->stand[value].pass);
    return true;
}

static bool check_operand(const fsr_check *v, int value, fsr_dtype dtype) {
    if (!check_argument(v, value))
        return false;
    fsr_dtype has = v->k->inst[value].dtype;
    return has == dtype ||
           fsr_check_bad(v, "operand v%d is %s, not %s", value, fsr_dtype_name(has), fsr_dtype_name(dtype));
}

static bool check_op(const fsr_check *v, const fsr_inst *inst) {
    if ((unsigned)inst->op >= FSR_OP_COUNT)
        return fsr_check_bad(v, "unknown op %d", (int)inst->op);
    const fsr_op_info *info = fsr_op_get(inst->op);
    if (!fsr_check_dtype(inst->compute) || !fsr_op_defined(inst->op, inst->compute))
        return fsr_check_bad(v, "%s is not defined for %s", info->name, fsr_dtype_name(inst->compute));
    for (int a = 0; a < info->arity; a++) {
        bool condition = info->rule == FSR_RULE_SELECT && a == 0;
        if (!check_operand(v, inst->arg[a], condition ? FSR_BOOL : inst->compute))
            return false;
    }
    fsr_dtype gives = info->rule == FSR_RULE_CAST ? inst->dtype : fsr_op_result(inst->op, inst->compute);
    return inst->dtype == gives ||
           fsr_check_bad(v, "%s of %s gives %s, not %s", info->name, fsr_dtype_name(inst->compute),
                         fsr_dtype_name(gives), fsr_dtype_name(inst->dtype));
}

static bool check_call(const fsr_check *v, const fsr_inst *inst) {
    if (!fsr_check_range(inst->index, v->k->nroutines))
        return fsr_check_bad(v, "routine %d of %d", inst->index, v->k->nroutines);
    const fsr_routine *f = v->k->routine[inst->index];
    for (int a = 0; a < f->nparams; a++)
        if (!check_operand(v, inst->arg[a], f->dtype[a]))
            return false;
    for (int i = 0; i < f->narrays; i++)
        if (!fsr_check_whole(v, fsr_call_array(v->k, inst, i), f->dtype[f->nparams + i]) ||
            !v->k->access[fsr_call_array(v->k, inst, i)].size)
            return fsr_check_bad(v, "array %d of %s is no array that is only read, or has no size", i, f->name);
    return inst->dtype == f->result ||
           fsr_check_bad(v, "%s gives %s, not %s", f->name, fsr_dtype_name(f->result), fsr_dtype_name(inst->dtype));
}

/* The symbols of an address or a guard: brought inside, and there. */
static bool check_symbols(const fsr_check *v, const fsr_index_form *form) {
    for (int t = 0; t < form->nterms; t++) {
        if (!check_argument(v, form->term[t].value))
            return false;
        if (v->k->inst[form->term[t].value].kind != FSR_INST_INSIDE)
            return fsr_check_bad(v, "an address by v%d, which nothing brings inside", form->term[t].value);
        if (v->k->inst[form->term[t].value].mode == FSR_INDEX_DROP && v->k->inst[v->number].kind != FSR_INST_STORE)
            return fsr_check_bad(v, "v%d, which may drop, in what is no store", form->term[t].value);
    }
    return true;
}

/* What is evaluated once a row has no guard that depends on the column: neither by an index, nor by a value, which as
 * an argument is not of an element (check_argument). */
static bool check_guarded(const fsr_check *v, int guard) {
    if (!fsr_check_range(guard, v->k->nguards))
        return fsr_check_bad(v, "guard %d of %d", guard, v->k->nguards);
    for (int d = v->k->nparallel; d < v->k->ndim && stand_of(v)->level == FSR_ROW; d++)
        if (fsr_guard_reads_index(v->k, guard, d))
            return fsr_check_bad(v, "a guard of a ROW instruction depends on the folded dimension %d", d);
    int nterms = 0;
    for (int i = 0; i < v->k->guard[guard].n; i++) {
        const fsr_index_form *form = fsr_condition_form(v->k, v->k->guard[guard].condition[i]);
        nterms += form->nterms;
        if (!check_symbols(v, form))
            return false;
    }
    if (nterms > FSR_MAX_TERMS)
        return fsr_check_bad(v, "guard %d has %d values, the limit is %d", guard, nterms, FSR_MAX_TERMS);
    return true;
}

/* A filter's address is that of a row, and threads or a loop go along the columns of it. */
static bool check_filtered_row(const fsr_check *v, const fsr_inst *inst) {
    const fsr_kernel *k = v->k;
    const fsr_access *a = &k->access[inst->index];
    const fsr_index_form *form = fsr_access_form(k, inst->index);
    bool moves = a->linear || form->nterms || form->divisor;
    for (int d = k->nparallel; d < k->ndim; d++)
        moves = moves || form->stride[d] != FSR_STRIDE_ZERO;
    if (moves)
        return fsr_check_bad(v, "a filter's store through access %d, which moves along the columns", inst->index);
    if (k->schedule.target != FSR_TARGET_GPU && (k->ndim != 1 || k->npasses != 1))
        return fsr_check_bad(v, "a filter's store that is not one of each column of one row, in one pass");
    if (k->schedule.kind == FSR_SCHEDULE_COL)
        return fsr_check_bad(v, "a filter's store down the columns");
    return true;
}

/* A filter's store: its mask, and the count of it. */
static bool check_filter(const fsr_check *v, const fsr_inst *inst) {
    if (stand_of(v)->level == FSR_ROW)
        return fsr_check_bad(v, "a filter's store that is not one of each column");
    if (!check_operand(v, inst->arg[1], FSR_BOOL) || !check_argument(v, inst->arg[2]))
        return false;
    if (!fsr_counts_mask(v->k, inst->arg[2], inst->arg[1]))
        return fsr_check_bad(v, "v%d is no running count of v%d", inst->arg[2], inst->arg[1]);
    return check_filtered_row(v, inst);
}

/* A combining store: alone with its array, as what is there changes while the kernel runs. */
static bool check_combining(const fsr_check *v, const fsr_inst *inst) {
    const fsr_kernel *k = v->k;
    const int buffer = k->access[inst->index].buffer;
    if (!fsr_op_is_atomic(inst->op, inst->dtype))
        return fsr_check_bad(v, "a store that combines %s by no atomic op", fsr_dtype_name(inst->dtype));
    if (k->npasses && !fsr_inst_adds_rows(k, v->number))
        return fsr_check_bad(v, "a store that combines in a kernel of rows and columns");
    if (inst->filter)
        return fsr_check_bad(v, "a filter's store that combines");
    if (!fsr_check_range(inst->extent, k->nints))
        return fsr_check_bad(v, "takes the elements of its array from integer %d of %d", inst->extent, k->nints);
    for (int i = 0; i < k->ninsts; i++) {
        const fsr_inst *other = &k->inst[i];
        bool touches = other->kind == FSR_INST_LOAD || other->kind == FSR_INST_STORE;
        if (i != v->number && (other->combines || (touches && fsr_check_range(other->index, k->naccesses) &&
                                                   k->access[other->index].buffer == buffer)))
            return fsr_check_bad(v, "a store that combines beside v%d", i);
    }
    return true;
}

/* Where elements go to computed addresses, or nowhere. */
static bool check_store(const fsr_check *v, const fsr_inst *inst) {
    if (!v->k->array[v->k->access[inst->index].buffer].written)
        return fsr_check_bad(v, "stores into array %d, which is not written", v->k->access[inst->index].buffer);
    if (stand_of(v)->level == FSR_ROW && v->k->npasses > 0 && fsr_inst_scatters(v->k, inst))
        return fsr_check_bad(v, "a store of a row at a computed place");
    return check_operand(v, inst->arg[0], inst->dtype) && (!inst->filter || check_filter(v, inst)) &&
           (!inst->combines || check_combining(v, inst));
}

static bool check_inside(const fsr_check *v, const fsr_inst *inst) {
    const fsr_kernel *k = v->k;
    if (!fsr_index_mode_name(inst->mode))
        return fsr_check_bad(v, "unknown mode %d", (int)inst->mode);
    if (!fsr_check_range(inst->index, k->nints))
        return fsr_check_bad(v, "takes its extent from integer %d of %d", inst->index, k->nints);
    if (inst->dtype != FSR_I64)
        return fsr_check_bad(v, "an index that is %s", fsr_dtype_name(inst->dtype));
    if ((inst->mode == FSR_INDEX_RAISE) != (inst->report != 0))
        return fsr_check_bad(v, "a mode that raises without a report, or another one with it");
    if (inst->report && (!fsr_check_range(inst->report - 1, k->narrays) || !k->array[inst->report - 1].written ||
                         k->array[inst->report - 1].dtype != FSR_U64))
        return fsr_check_bad(v, "reports into array %d, which is no written u64", inst->report - 1);
    return check_operand(v, inst->arg[0], FSR_I64) && (!inst->guard || check_guarded(v, inst->guard - 1));
}

static bool check_memory(const fsr_check *v, const fsr_inst *inst) {
    const fsr_kernel *k = v->k;
    if (!fsr_check_range(inst->index, k->naccesses))
        return fsr_check_bad(v, "access %d of %d", inst->index, k->naccesses);
    const fsr_access *a = &k->access[inst->index];
    const fsr_array *array = &k->array[a->buffer];
    if (!check_symbols(v, fsr_access_form(k, inst->index)))
        return false;
    if (a->whole)
        return fsr_check_bad(v, "access %d is a loop's table or a call's array", inst->index);
    if (inst->dtype != array->dtype)
        return fsr_check_bad(v, "array %d is %s, not %s", a->buffer, fsr_dtype_name(array->dtype),
                             fsr_dtype_name(inst->dtype));
    for (int d = k->nparallel; d < k->ndim && stand_of(v)->level == FSR_ROW; d++)
        if (fsr_access_form(k, inst->index)->stride[d] != FSR_STRIDE_ZERO)
            return fsr_check_bad(v, "ROW access %d depends on the folded dimension %d", inst->index, d);
    if (stand_of(v)->level == FSR_ROW && a->linear && k->npasses > 0)
        return fsr_check_bad(v, "ROW access %d is linear over the whole domain", inst->index);
    if (stand_of(v)->level == FSR_ELEM && a->row_linear)
        return fsr_check_bad(v, "ELEM access %d is linear over rows", inst->index);
    if (inst->kind == FSR_INST_STORE)
        return check_store(v, inst);
    return !inst->guard || check_guarded(v, inst->guard - 1);
}

static bool check_combine_inst(const fsr_check *v, const fsr_inst *inst) {
    const fsr_kernel *k = v->k;
    if (!fsr_check_range(inst->index, k->nfolds))
        return fsr_check_bad(v, "fold %d of %d", inst->index, k->nfolds);
    const fsr_fold *f = &k->fold[inst->index];
    if (stand_of(v)->level != FSR_ELEM || stand_of(v)->pass != f->pass)
        return fsr_check_bad(v, "performs fold %d of pass %d outside that pass's loop", inst->index, f->pass);
    for (int i = 0; i < v->number; i++)
        if (k->inst[i].kind == FSR_INST_COMBINE && k->inst[i].index == inst->index)
            return fsr_check_bad(v, "performs fold %d a second time", inst->index);
    for (int c = 0; c < f->combine->arity; c++)
        if (!check_operand(v, f->input[c], fsr_fold_dtype(f, c)))
            return false;
    return true;
}

static bool check_result(const fsr_check *v, const fsr_inst *inst) {
    const fsr_kernel *k = v->k;
    const fsr_fold *f = &k->fold[inst->index];
    if (!fsr_check_range(inst->component, f->combine->arity))
        return fsr_check_bad(v, "component %d of fold %d, which has %d", inst->component, inst->index,
                             f->combine->arity);
    if (inst->dtype != fsr_fold_dtype(f, inst->component))
        return fsr_check_bad(v, "component %d of fold %d is %s", inst->component, inst->index,
                             fsr_dtype_name(fsr_fold_dtype(f, inst->component)));
    if (f->kind == FSR_FOLD_REDUCE && (stand_of(v)->level != FSR_ROW || stand_of(v)->pass != f->pass + 1))
        return fsr_check_bad(v, "a reduction's result is ROW of pass %d", f->pass + 1);
    return f->kind != FSR_FOLD_SCAN || (stand_of(v)->level == FSR_ELEM && stand_of(v)->pass == f->pass) ||
           fsr_check_bad(v, "a scan's result is ELEM of pass %d", f->pass);
}

/* The one ITERATE of its loop. */
static bool check_iterate(const fsr_check *v, const fsr_inst *inst) {
    const fsr_kernel *k = v->k;
    if (!fsr_check_range(inst->index, k->nloops))
        return fsr_check_bad(v, "loop %d of %d", inst->index, k->nloops);
    for (int i = 0; i < v->number; i++)
        if (k->inst[i].kind == FSR_INST_ITERATE && k->inst[i].index == inst->index)
            return fsr_check_bad(v, "runs loop %d a second time", inst->index);
    const fsr_turns *loop = &k->loop[inst->index];
    for (int a = 0; a < loop->program->nstate + loop->program->narg; a++)
        if (!check_operand(v, loop->input[a], loop->program->body.arg[a]))
            return false;
    return true;
}

static bool check_final(const fsr_check *v, const fsr_inst *inst) {
    const fsr_kernel *k = v->k;
    if (!check_argument(v, inst->arg[0]))
        return false;
    if (k->stand[inst->arg[0]].level != stand_of(v)->level || k->stand[inst->arg[0]].pass != stand_of(v)->pass)
        return fsr_check_bad(v, "result of loop %d at another level or in another pass than it", inst->index);
    const fsr_iteration *l = k->loop[inst->index].program;
    if (!fsr_check_range(inst->component, l->nstate + 1))
        return fsr_check_bad(v, "result %d of loop %d, which has %d", inst->component, inst->index, l->nstate + 1);
    fsr_dtype dtype = fsr_iteration_dtype(l, inst->component);
    return inst->dtype == dtype ||
           fsr_check_bad(v, "result %d of loop %d is %s", inst->component, inst->index, fsr_dtype_name(dtype));
}

/* A result of what an earlier instruction performs. */
static bool check_pick(const fsr_check *v, const fsr_inst *inst) {
    const fsr_inst *from = &v->k->inst[inst->arg[0]];
    if (!fsr_check_range(inst->arg[0], v->number))
        return fsr_check_bad(v, "picks of v%d, which is not earlier", inst->arg[0]);
    if (from->kind != FSR_INST_COMBINE && from->kind != FSR_INST_ITERATE)
        return fsr_check_bad(v, "picks of v%d, which has no components", inst->arg[0]);
    if (from->index != inst->index)
        return fsr_check_bad(v, "picks of v%d, which performs another fold or loop than %d", inst->arg[0], inst->index);
    return from->kind == FSR_INST_COMBINE ? check_result(v, inst) : check_final(v, inst);
}

bool fsr_check_inst(const fsr_check *v) {
    const fsr_kernel *k = v->k;
    const fsr_inst *inst = &k->inst[v->number];
    if (!check_place(v, inst))
        return false;
    switch (inst->kind) {
    case FSR_INST_CONST: return true;
    case FSR_INST_PARAM:
        if (!fsr_check_range(inst->index, k->nscalars))
            return fsr_check_bad(v, "scalar argument %d of %d", inst->index, k->nscalars);
        return inst->dtype == k->scalar[inst->index] ||
               fsr_check_bad(v, "scalar argument %d is %s", inst->index, fsr_dtype_name(k->scalar[inst->index]));
    case FSR_INST_INDEX:
        if (!fsr_check_range(inst->index, k->ndim))
            return fsr_check_bad(v, "index along dimension %d of %d", inst->index, k->ndim);
        return stand_of(v)->level == FSR_ELEM || inst->index < k->nparallel ||
               fsr_check_bad(v, "ROW index along the folded dimension %d", inst->index);
    case FSR_INST_GUARD:
        return check_guarded(v, inst->index) &&
               (inst->dtype == FSR_BOOL || fsr_check_bad(v, "a guard that is not bool"));
    case FSR_INST_INSIDE: return check_inside(v, inst);
    case FSR_INST_LOAD:
    case FSR_INST_STORE: return check_memory(v, inst);
    case FSR_INST_OP: return check_op(v, inst);
    case FSR_INST_CALL: return check_call(v, inst);
    case FSR_INST_COMBINE: return check_combine_inst(v, inst);
    case FSR_INST_ITERATE: return check_iterate(v, inst);
    default: return check_pick(v, inst);
    }
}
