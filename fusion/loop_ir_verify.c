/* The loop IR's verifier: every rule of loop_ir.h that can be seen without running.
 *
 * Each rule is one small function; the first violation is written into `why` with the instruction's number, and the
 * walk ends. Later rules rely on earlier ones (limits before indices, indices before dtypes), so nothing here reads
 * outside the kernel's arrays however broken it is. */
#include "fusion/loop_ir.h"
#include <stdarg.h>
#include <string.h>

typedef struct fsr_check {
    const fsr_kernel *k;
    int number; /* of the instruction looked at; -1: the kernel */
    char *why;
    size_t size;
} fsr_check;

static bool bad(const fsr_check *v, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool bad(const fsr_check *v, const char *format, ...) {
    if (!v->why || v->size == 0)
        return false;
    int n = v->number < 0 ? 0 : snprintf(v->why, v->size, "v%d: ", v->number);
    if (n < 0 || (size_t)n >= v->size)
        return false;
    va_list args;
    va_start(args, format);
    vsnprintf(v->why + n, v->size - (size_t)n, format, args);
    va_end(args);
    return false;
}

static bool in_range(int i, int n) {
    return i >= 0 && i < n;
}
static bool is_dtype(fsr_dtype dtype) {
    return (unsigned)dtype < FSR_DTYPE_COUNT;
}
static bool has_value(const fsr_inst *inst) {
    return inst->kind != FSR_INST_COMBINE && inst->kind != FSR_INST_STORE;
}

static bool check_name(const fsr_check *v) {
    const char *name = v->k->name;
    size_t n = strnlen(name, sizeof v->k->name);
    if (n == 0 || n == sizeof v->k->name)
        return bad(v, "the kernel's name is empty or has no end");
    for (size_t i = 0; i < n; i++) {
        char c = name[i];
        bool digit = c >= '0' && c <= '9';
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (digit && i > 0)))
            return bad(v, "the kernel's name is no identifier: %s", name);
    }
    if (strnlen(v->k->comment, sizeof v->k->comment) == sizeof v->k->comment)
        return bad(v, "the kernel's comment has no end");
    return true;
}

static bool check_limits(const fsr_check *v) {
    const fsr_kernel *k = v->k;
    if (!in_range(k->ndim, FSR_MAX_DIMS + 1) || !in_range(k->nparallel, k->ndim + 1))
        return bad(v, "%d dimensions, %d of them parallel", k->ndim, k->nparallel);
    if (!k->inst || !in_range(k->ninsts, FSR_MAX_INSTS + 1))
        return bad(v, "%d instructions, the limit is %d", k->ninsts, FSR_MAX_INSTS);
    if (!in_range(k->nfolds, FSR_MAX_COMBINES + 1))
        return bad(v, "%d folds, the limit is %d", k->nfolds, FSR_MAX_COMBINES);
    if (!in_range(k->nloops, FSR_MAX_LOOPS + 1))
        return bad(v, "%d loops, the limit is %d", k->nloops, FSR_MAX_LOOPS);
    if (!in_range(k->naccesses, FSR_MAX_ACCESSES + 1))
        return bad(v, "%d accesses, the limit is %d", k->naccesses, FSR_MAX_ACCESSES);
    if (!in_range(k->nconditions, FSR_MAX_CONDITIONS + 1) || !in_range(k->nguards, FSR_MAX_GUARDS + 1))
        return bad(v, "%d guards of %d conditions, the limits are %d and %d", k->nguards, k->nconditions,
                   FSR_MAX_GUARDS, FSR_MAX_CONDITIONS);
    if (!in_range(k->narrays, FSR_MAX_BUFFERS + 1))
        return bad(v, "%d arrays, the limit is %d", k->narrays, FSR_MAX_BUFFERS);
    if (!in_range(k->nscalars, FSR_MAX_SCALARS + 1))
        return bad(v, "%d scalar arguments, the limit is %d", k->nscalars, FSR_MAX_SCALARS);
    if (k->nints < FSR_INT_EXTENT + k->ndim || k->nints > FSR_MAX_INTS)
        return bad(v, "%d integer arguments, must be %d to %d", k->nints, FSR_INT_EXTENT + k->ndim, FSR_MAX_INTS);
    if (k->ndim == k->nparallel && k->npasses != 0)
        return bad(v, "%d passes without a folded dimension", k->npasses);
    if (k->ndim > k->nparallel && !in_range(k->npasses - 1, FSR_MAX_INSTS))
        return bad(v, "%d passes with a folded dimension", k->npasses);
    return true;
}

static bool check_arrays(const fsr_check *v) {
    const fsr_kernel *k = v->k;
    if (!in_range(k->nroutines, FSR_MAX_ROUTINES + 1))
        return bad(v, "%d routines, the limit is %d", k->nroutines, FSR_MAX_ROUTINES);
    for (int f = 0; f < k->nroutines; f++)
        if (!k->routine[f])
            return bad(v, "routine %d is not there", f);
    for (int b = 0; b < k->narrays; b++)
        if (!is_dtype(k->array[b].dtype))
            return bad(v, "array %d has no dtype", b);
    for (int s = 0; s < k->nscalars; s++)
        if (!is_dtype(k->scalar[s]))
            return bad(v, "scalar argument %d has no dtype", s);
    return true;
}

static bool check_sum(const fsr_check *v, const char *what, int number, const fsr_access *a) {
    const fsr_kernel *k = v->k;
    for (int d = 0; d < k->ndim; d++) {
        if ((unsigned)a->stride[d] > FSR_STRIDE_VAR)
            return bad(v, "%s %d has an unknown stride along dimension %d", what, number, d);
        if (a->stride[d] == FSR_STRIDE_VAR && !in_range(a->slot[d], k->nints))
            return bad(v, "%s %d takes its stride from integer %d of %d", what, number, a->slot[d], k->nints);
    }
    if (a->offset != -1 && !in_range(a->offset, k->nints))
        return bad(v, "%s %d takes its offset from integer %d of %d", what, number, a->offset, k->nints);
    return true;
}

static bool check_access(const fsr_check *v, int number) {
    const fsr_kernel *k = v->k;
    const fsr_access *a = &k->access[number];
    if (!in_range(a->buffer, k->narrays))
        return bad(v, "access %d names array %d of %d", number, a->buffer, k->narrays);
    if (!check_sum(v, "access", number, a))
        return false;
    if (!in_range(a->over, k->nints))
        return bad(v, "access %d is divided by integer %d of %d", number, a->over, k->nints);
    if ((a->linear || a->row_linear) && (a->offset != -1 || a->over))
        return bad(v, "access %d is linear and has an offset", number);
    return true;
}

static bool check_condition(const fsr_check *v, int number) {
    const fsr_kernel *k = v->k;
    const fsr_condition *c = &k->condition[number];
    if (!check_sum(v, "condition", number, &c->at))
        return false;
    if (!in_range(c->extent, k->nints) || !in_range(c->step, k->nints))
        return bad(v, "condition %d takes its extent from integer %d, its step from %d, of %d", number, c->extent,
                   c->step, k->nints);
    return true;
}

static bool check_guard(const fsr_check *v, int number) {
    const fsr_guard *g = &v->k->guard[number];
    if (!in_range(g->n - 1, FSR_MAX_GUARD))
        return bad(v, "guard %d of %d conditions", number, g->n);
    for (int i = 0; i < g->n; i++)
        if (!in_range(g->condition[i], v->k->nconditions))
            return bad(v, "guard %d names condition %d of %d", number, g->condition[i], v->k->nconditions);
    return true;
}

/* A scalar program. what, number: whose; argument: dtypes of its narguments arguments. */
static bool check_steps(const fsr_check *v, const char *what, int number, const fsr_step *steps, int n,
                        const fsr_dtype *argument, int narguments) {
    for (int s = 0; s < n; s++) {
        const fsr_step *step = &steps[s];
        if (!is_dtype(step->dtype) || (unsigned)step->kind > FSR_STEP_OP)
            return bad(v, "%s %d: step %d has no dtype or kind", what, number, s);
        if (step->kind == FSR_STEP_ARG && (!in_range(step->index, narguments) || step->dtype != argument[step->index]))
            return bad(v, "%s %d: step %d is no argument of the state", what, number, s);
        if (step->kind != FSR_STEP_OP)
            continue;
        if ((unsigned)step->op >= FSR_OP_COUNT)
            return bad(v, "%s %d: step %d has an unknown op", what, number, s);
        for (int a = 0; a < fsr_op_get(step->op)->arity; a++)
            if (!in_range(step->arg[a], s))
                return bad(v, "%s %d: step %d takes step %d", what, number, s, step->arg[a]);
    }
    return true;
}

static bool check_combine(const fsr_check *v, int number, const fsr_combine *c) {
    fsr_dtype both[2 * FSR_MAX_TUPLE];
    if (!c || !in_range(c->arity - 1, FSR_MAX_TUPLE) || !in_range(c->nsteps, FSR_MAX_STEPS + 1))
        return bad(v, "fold %d has no operator, or one of a wrong size", number);
    for (int i = 0; i < 2 * c->arity; i++)
        both[i] = c->dtype[i % c->arity];
    if (!check_steps(v, "fold", number, c->step, c->nsteps, both, 2 * c->arity))
        return false;
    for (int i = 0; i < c->arity; i++)
        if (!is_dtype(c->dtype[i]) || !in_range(c->result[i], c->nsteps) || c->step[c->result[i]].dtype != c->dtype[i])
            return bad(v, "fold %d: component %d of the result has another dtype than the state", number, i);
    return true;
}

static bool check_loop(const fsr_check *v, int number) {
    const fsr_iteration *l = v->k->loop[number].program;
    if (!l || !in_range(l->nstate - 1, FSR_MAX_STATE) || !in_range(l->narg, FSR_MAX_ARGS - l->nstate + 1) ||
        !in_range(l->nsteps, FSR_MAX_LOOP_STEPS + 1) || l->max_n < 0 || l->max_n > INT32_MAX)
        return bad(v, "loop %d has no program, or one of a wrong size", number);
    if (!check_steps(v, "loop", number, l->step, l->nsteps, l->dtype, l->nstate + l->narg))
        return false;
    if (!in_range(l->condition, l->nsteps) || l->step[l->condition].dtype != FSR_BOOL)
        return bad(v, "loop %d: the condition is not bool", number);
    for (int i = 0; i < l->nstate; i++)
        if (!is_dtype(l->dtype[i]) || !in_range(l->result[i], l->nsteps) || l->step[l->result[i]].dtype != l->dtype[i])
            return bad(v, "loop %d: component %d of the result has another dtype than the state", number, i);
    return true;
}

static bool check_fold(const fsr_check *v, int number) {
    const fsr_kernel *k = v->k;
    const fsr_fold *f = &k->fold[number];
    if ((unsigned)f->kind > FSR_FOLD_SCAN)
        return bad(v, "fold %d is neither a reduction nor a scan", number);
    if (!in_range(f->pass, k->npasses))
        return bad(v, "fold %d is of pass %d of %d", number, f->pass, k->npasses);
    if (f->exclusive && f->kind != FSR_FOLD_SCAN)
        return bad(v, "fold %d is an exclusive reduction", number);
    return check_combine(v, number, f->combine);
}

/* An instruction's own place, before anything looks at its arguments. */
static bool check_place(const fsr_check *v, const fsr_inst *inst) {
    const fsr_kernel *k = v->k;
    if ((unsigned)inst->kind > FSR_INST_STORE || (unsigned)inst->level > FSR_ELEM)
        return bad(v, "unknown kind or level");
    if (inst->level == FSR_ELEM && k->npasses == 0)
        return bad(v, "ELEM without a folded dimension");
    if (!in_range(inst->pass, inst->level == FSR_ELEM ? k->npasses : k->npasses + 1))
        return bad(v, "pass %d of %d", inst->pass, k->npasses);
    if (inst->kind != FSR_INST_COMBINE && !is_dtype(inst->dtype))
        return bad(v, "no dtype");
    if (inst->keep && (inst->level != FSR_ELEM || !has_value(inst) || inst->kind == FSR_INST_ITERATE))
        return bad(v, "only an ELEM value can be kept");
    return true;
}

/* An argument: earlier, with a value, of a level and pass that the user may read. */
static bool check_argument(const fsr_check *v, int value) {
    const fsr_inst *user = &v->k->inst[v->number];
    if (!in_range(value, v->number))
        return bad(v, "takes v%d, which is not earlier", value);
    const fsr_inst *arg = &v->k->inst[value];
    if (!has_value(arg) || (arg->kind == FSR_INST_ITERATE && user->kind != FSR_INST_FINAL))
        return bad(v, "takes v%d, which has no value", value);
    if (user->level == FSR_ROW && arg->level == FSR_ELEM)
        return bad(v, "ROW takes the ELEM value v%d", value);
    if (arg->pass > user->pass)
        return bad(v, "pass %d takes v%d of pass %d", user->pass, value, arg->pass);
    return true;
}

static bool check_operand(const fsr_check *v, int value, fsr_dtype dtype) {
    if (!check_argument(v, value))
        return false;
    fsr_dtype has = v->k->inst[value].dtype;
    return has == dtype || bad(v, "operand v%d is %s, not %s", value, fsr_dtype_name(has), fsr_dtype_name(dtype));
}

static bool check_op(const fsr_check *v, const fsr_inst *inst) {
    if ((unsigned)inst->op >= FSR_OP_COUNT)
        return bad(v, "unknown op %d", (int)inst->op);
    const fsr_op_info *info = fsr_op_get(inst->op);
    if (!is_dtype(inst->compute) || !fsr_op_defined(inst->op, inst->compute))
        return bad(v, "%s is not defined for %s", info->name, fsr_dtype_name(inst->compute));
    for (int a = 0; a < info->arity; a++) {
        bool condition = info->rule == FSR_RULE_SELECT && a == 0;
        if (!check_operand(v, inst->arg[a], condition ? FSR_BOOL : inst->compute))
            return false;
    }
    fsr_dtype gives = info->rule == FSR_RULE_CAST ? inst->dtype : fsr_op_result(inst->op, inst->compute);
    return inst->dtype == gives || bad(v, "%s of %s gives %s, not %s", info->name, fsr_dtype_name(inst->compute),
                                       fsr_dtype_name(gives), fsr_dtype_name(inst->dtype));
}

static bool check_call(const fsr_check *v, const fsr_inst *inst) {
    if (!in_range(inst->index, v->k->nroutines))
        return bad(v, "routine %d of %d", inst->index, v->k->nroutines);
    const fsr_routine *f = v->k->routine[inst->index];
    for (int a = 0; a < f->nparams; a++)
        if (!check_operand(v, inst->arg[a], f->dtype[a]))
            return false;
    return inst->dtype == f->result ||
           bad(v, "%s gives %s, not %s", f->name, fsr_dtype_name(f->result), fsr_dtype_name(inst->dtype));
}

/* What is evaluated once a row has no guard that depends on the column. */
static bool check_guarded(const fsr_check *v, const fsr_inst *inst, int guard) {
    if (!in_range(guard, v->k->nguards))
        return bad(v, "guard %d of %d", guard, v->k->nguards);
    for (int d = v->k->nparallel; d < v->k->ndim && inst->level == FSR_ROW; d++)
        if (fsr_guard_depends(v->k, guard, d))
            return bad(v, "a guard of a ROW instruction depends on the folded dimension %d", d);
    return true;
}

/* A placed store: its place, and an access that moves along no dimension. */
static bool check_placed(const fsr_check *v, const fsr_inst *inst) {
    const fsr_access *a = &v->k->access[inst->index];
    if (v->k->ndim > 1)
        return bad(v, "a placed store in a domain of %d dimensions", v->k->ndim);
    if (inst->level == FSR_ROW && v->k->npasses > 0)
        return bad(v, "a placed store of a row");
    if (a->linear || a->offset != -1 || a->over || (v->k->ndim && a->stride[0] != FSR_STRIDE_ZERO))
        return bad(v, "a placed store through access %d, which has an address of its own", inst->index);
    if (!check_argument(v, inst->arg[1]))
        return false;
    fsr_dtype dtype = v->k->inst[inst->arg[1]].dtype;
    return dtype == FSR_I32 || dtype == FSR_I64 || bad(v, "places that are %s", fsr_dtype_name(dtype));
}

static bool check_memory(const fsr_check *v, const fsr_inst *inst) {
    const fsr_kernel *k = v->k;
    if (!in_range(inst->index, k->naccesses))
        return bad(v, "access %d of %d", inst->index, k->naccesses);
    const fsr_access *a = &k->access[inst->index];
    const fsr_array *array = &k->array[a->buffer];
    if (inst->dtype != array->dtype)
        return bad(v, "array %d is %s, not %s", a->buffer, fsr_dtype_name(array->dtype), fsr_dtype_name(inst->dtype));
    for (int d = k->nparallel; d < k->ndim && inst->level == FSR_ROW; d++)
        if (a->stride[d] != FSR_STRIDE_ZERO)
            return bad(v, "ROW access %d depends on the folded dimension %d", inst->index, d);
    if (inst->level == FSR_ROW && a->linear && k->npasses > 0)
        return bad(v, "ROW access %d is linear over the whole domain", inst->index);
    if (inst->level == FSR_ELEM && a->row_linear)
        return bad(v, "ELEM access %d is linear over rows", inst->index);
    if (inst->kind == FSR_INST_LOAD)
        return !inst->guard || check_guarded(v, inst, inst->guard - 1);
    if (!array->written)
        return bad(v, "stores into array %d, which is not written", a->buffer);
    return check_operand(v, inst->arg[0], inst->dtype) && (!inst->placed || check_placed(v, inst));
}

static bool check_combine_inst(const fsr_check *v, const fsr_inst *inst) {
    const fsr_kernel *k = v->k;
    if (!in_range(inst->index, k->nfolds))
        return bad(v, "fold %d of %d", inst->index, k->nfolds);
    const fsr_fold *f = &k->fold[inst->index];
    if (inst->level != FSR_ELEM || inst->pass != f->pass)
        return bad(v, "performs fold %d of pass %d outside that pass's loop", inst->index, f->pass);
    for (int i = 0; i < v->number; i++)
        if (k->inst[i].kind == FSR_INST_COMBINE && k->inst[i].index == inst->index)
            return bad(v, "performs fold %d a second time", inst->index);
    for (int c = 0; c < f->combine->arity; c++)
        if (!check_operand(v, f->input[c], f->combine->dtype[c]))
            return false;
    return true;
}

static bool check_result(const fsr_check *v, const fsr_inst *inst) {
    const fsr_kernel *k = v->k;
    if (!in_range(inst->index, k->nfolds))
        return bad(v, "fold %d of %d", inst->index, k->nfolds);
    const fsr_fold *f = &k->fold[inst->index];
    if (!in_range(inst->component, f->combine->arity))
        return bad(v, "component %d of fold %d, which has %d", inst->component, inst->index, f->combine->arity);
    if (inst->dtype != f->combine->dtype[inst->component])
        return bad(v, "component %d of fold %d is %s", inst->component, inst->index,
                   fsr_dtype_name(f->combine->dtype[inst->component]));
    if (f->kind == FSR_FOLD_REDUCE && (inst->level != FSR_ROW || inst->pass != f->pass + 1))
        return bad(v, "a reduction's result is ROW of pass %d", f->pass + 1);
    if (f->kind == FSR_FOLD_SCAN && (inst->level != FSR_ELEM || inst->pass != f->pass))
        return bad(v, "a scan's result is ELEM of pass %d", f->pass);
    for (int i = 0; i < v->number; i++)
        if (k->inst[i].kind == FSR_INST_COMBINE && k->inst[i].index == inst->index)
            return true;
    return bad(v, "result of fold %d before its COMBINE", inst->index);
}

/* The one ITERATE of its loop. */
static bool check_iterate(const fsr_check *v, const fsr_inst *inst) {
    const fsr_kernel *k = v->k;
    if (!in_range(inst->index, k->nloops))
        return bad(v, "loop %d of %d", inst->index, k->nloops);
    for (int i = 0; i < v->number; i++)
        if (k->inst[i].kind == FSR_INST_ITERATE && k->inst[i].index == inst->index)
            return bad(v, "runs loop %d a second time", inst->index);
    const fsr_turns *loop = &k->loop[inst->index];
    for (int a = 0; a < loop->program->nstate + loop->program->narg; a++)
        if (!check_operand(v, loop->input[a], loop->program->dtype[a]))
            return false;
    return true;
}

static bool check_final(const fsr_check *v, const fsr_inst *inst) {
    const fsr_kernel *k = v->k;
    if (!check_argument(v, inst->arg[0]))
        return false;
    const fsr_inst *from = &k->inst[inst->arg[0]];
    if (from->kind != FSR_INST_ITERATE || from->index != inst->index)
        return bad(v, "result of loop %d of v%d, which does not run it", inst->index, inst->arg[0]);
    if (from->level != inst->level || from->pass != inst->pass)
        return bad(v, "result of loop %d at another level or in another pass than it", inst->index);
    const fsr_iteration *l = k->loop[inst->index].program;
    if (!in_range(inst->component, l->nstate + 1))
        return bad(v, "result %d of loop %d, which has %d", inst->component, inst->index, l->nstate + 1);
    fsr_dtype dtype = inst->component < l->nstate ? l->dtype[inst->component] : FSR_I32;
    return inst->dtype == dtype ||
           bad(v, "result %d of loop %d is %s", inst->component, inst->index, fsr_dtype_name(dtype));
}

static bool check_inst(const fsr_check *v) {
    const fsr_kernel *k = v->k;
    const fsr_inst *inst = &k->inst[v->number];
    if (!check_place(v, inst))
        return false;
    switch (inst->kind) {
    case FSR_INST_CONST: return true;
    case FSR_INST_PARAM:
        if (!in_range(inst->index, k->nscalars))
            return bad(v, "scalar argument %d of %d", inst->index, k->nscalars);
        return inst->dtype == k->scalar[inst->index] ||
               bad(v, "scalar argument %d is %s", inst->index, fsr_dtype_name(k->scalar[inst->index]));
    case FSR_INST_INDEX:
        if (!in_range(inst->index, k->ndim))
            return bad(v, "index along dimension %d of %d", inst->index, k->ndim);
        return inst->level == FSR_ELEM || inst->index < k->nparallel ||
               bad(v, "ROW index along the folded dimension %d", inst->index);
    case FSR_INST_GUARD:
        return check_guarded(v, inst, inst->index) && (inst->dtype == FSR_BOOL || bad(v, "a guard that is not bool"));
    case FSR_INST_LOAD:
    case FSR_INST_STORE: return check_memory(v, inst);
    case FSR_INST_OP: return check_op(v, inst);
    case FSR_INST_CALL: return check_call(v, inst);
    case FSR_INST_COMBINE: return check_combine_inst(v, inst);
    case FSR_INST_ITERATE: return check_iterate(v, inst);
    case FSR_INST_FINAL: return check_final(v, inst);
    default: return check_result(v, inst);
    }
}

/* Every pass does something, every fold is performed, every written array is stored. */
static bool check_whole(const fsr_check *v) {
    const fsr_kernel *k = v->k;
    for (int p = 0; p < k->npasses; p++) {
        bool works = false;
        for (int i = 0; i < k->ninsts; i++)
            works = works || (k->inst[i].level == FSR_ELEM && k->inst[i].pass == p && !has_value(&k->inst[i]));
        if (!works)
            return bad(v, "pass %d has no COMBINE and no STORE", p);
    }
    for (int f = 0; f < k->nfolds; f++) {
        bool done = false;
        for (int i = 0; i < k->ninsts; i++)
            done = done || (k->inst[i].kind == FSR_INST_COMBINE && k->inst[i].index == f);
        if (!done)
            return bad(v, "fold %d is never performed", f);
    }
    for (int b = 0; b < k->narrays; b++) {
        bool stored = !k->array[b].written;
        for (int i = 0; i < k->ninsts; i++)
            stored = stored || (k->inst[i].kind == FSR_INST_STORE && k->access[k->inst[i].index].buffer == b);
        if (!stored)
            return bad(v, "array %d is written but never stored", b);
    }
    return true;
}

static bool has_scan(const fsr_kernel *k) {
    for (int f = 0; f < k->nfolds; f++)
        if (k->fold[f].kind == FSR_FOLD_SCAN)
            return true;
    return false;
}

/* The shape of a block; a schedule for the CPU (lanes > 0) has none. */
static bool check_block(const fsr_check *v) {
    const fsr_schedule *s = &v->k->schedule;
    if (s->lanes > 0)
        return true;
    bool grouped = s->kind == FSR_SCHEDULE_ROW || s->kind == FSR_SCHEDULE_COL;
    if (!in_range(s->threads - 1, 1024))
        return bad(v, "schedule: %d threads", s->threads);
    if (grouped && (s->group < 1 || s->threads % s->group != 0))
        return bad(v, "schedule: a group of %d does not divide %d threads", s->group, s->threads);
    if (s->kind == FSR_SCHEDULE_ROW && !fsr_power_of_two(s->group))
        return bad(v, "schedule: a group of %d is no power of two", s->group);
    if (!fsr_power_of_two(s->vector) || s->vector > 16)
        return bad(v, "schedule: vectors of %d", s->vector);
    if (s->items < 1 || s->items % s->vector != 0)
        return bad(v, "schedule: %d items are no multiple of vectors of %d", s->items, s->vector);
    return true;
}

/* On a GPU kept values are registers of a row held at once; a CPU holds any row in its workspace. */
static bool check_keep(const fsr_check *v) {
    const fsr_kernel *k = v->k;
    for (int i = 0; i < k->ninsts; i++)
        if (k->inst[i].keep && !k->schedule.persistent && k->schedule.lanes == 0)
            return bad(v, "schedule: v%d is kept, but rows are not persistent", i);
    return true;
}

static bool only_commutative_reductions(const fsr_kernel *k) {
    for (int f = 0; f < k->nfolds; f++)
        if (k->fold[f].kind == FSR_FOLD_SCAN || !k->fold[f].combine->commutative)
            return false;
    return true;
}

static bool check_schedule(const fsr_check *v) {
    const fsr_kernel *k = v->k;
    const fsr_schedule *s = &k->schedule;
    if ((unsigned)s->kind > FSR_SCHEDULE_TEAM)
        return bad(v, "schedule: unknown kind");
    if ((s->kind == FSR_SCHEDULE_MAP) != (k->ndim == k->nparallel))
        return bad(v, "schedule: map is for kernels without folded dimensions, and only for them");
    if (s->persistent && s->kind != FSR_SCHEDULE_ROW && s->kind != FSR_SCHEDULE_TEAM)
        return bad(v, "schedule: only rows can be persistent");
    if (s->kind == FSR_SCHEDULE_TEAM && !only_commutative_reductions(k))
        return bad(v, "schedule: a team folds commutative reductions only");
    if (s->kind == FSR_SCHEDULE_SPLIT && has_scan(k))
        return bad(v, "schedule: split with a scan");
    if ((s->kind == FSR_SCHEDULE_SPLIT || s->kind == FSR_SCHEDULE_LOOKBACK) && k->npasses != 1)
        return bad(v, "schedule: %d passes, split and lookback have one", k->npasses);
    if (s->lanes < 0 || s->chunk < 0)
        return bad(v, "schedule: negative lanes or chunk");
    return check_keep(v) && check_block(v);
}

static bool check_kernel(fsr_check *v) {
    const fsr_kernel *k = v->k;
    if (!check_name(v) || !check_limits(v) || !check_arrays(v))
        return false;
    for (int a = 0; a < k->naccesses; a++)
        if (!check_access(v, a))
            return false;
    for (int c = 0; c < k->nconditions; c++)
        if (!check_condition(v, c))
            return false;
    for (int g = 0; g < k->nguards; g++)
        if (!check_guard(v, g))
            return false;
    for (int f = 0; f < k->nfolds; f++)
        if (!check_fold(v, f))
            return false;
    for (int l = 0; l < k->nloops; l++)
        if (!check_loop(v, l))
            return false;
    for (v->number = 0; v->number < k->ninsts; v->number++)
        if (!check_inst(v))
            return false;
    v->number = -1;
    return check_whole(v) && check_schedule(v);
}

fsr_status fsr_kernel_verify(const fsr_kernel *k, char *why, size_t size) {
    fsr_check v = {k, -1, why, size};
    if (why && size)
        why[0] = 0;
    if (!k) {
        bad(&v, "no kernel");
        return FSR_ERR_INTERNAL;
    }
    return check_kernel(&v) ? FSR_OK : FSR_ERR_INTERNAL;
}
