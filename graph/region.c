/* SPDX-License-Identifier: MIT */
/* Regions: storage, evaluation, equality, the rules.
 *
 * Equality is of what a region computes, instruction by instruction, not of bytes: fields that a kind does not use do
 * not matter, nor does from where an instruction comes. Constants are compared by their bits. Counter-example to
 * comparing them with ==: +0.0 and -0.0 are equal but 1/x is not, and a NaN would never equal itself, so the plan cache
 * would never hit. */
#include "graph/region.h"
#include <stdlib.h>
#include <string.h>

enum { OPERATOR = FSR_IN_OPERATOR, BODY = FSR_IN_BODY, NEST = FSR_IN_NEST, VALUE = 8 };

static const int kind_of[FSR_INST_KINDS] = {
#define FSR_INST(name, containers, flags) [FSR_INST_##name] = (containers) | (flags),
#include "graph/inst_kinds.def"
};

bool fsr_inst_may_stand(fsr_inst_kind kind, fsr_container where) {
    return (unsigned)kind < FSR_INST_KINDS && (kind_of[kind] & (int)where) != 0;
}

bool fsr_inst_has_value(fsr_inst_kind kind) {
    return (kind_of[kind] & VALUE) != 0;
}

/* ---- storage ----------------------------------------------------------------------------------------------- */

/* Room is for powers of two, from 4. */
int fsr_region_add(fsr_region *r, const fsr_inst *inst) {
    const int n = r->ninsts;
    if (n == 0 || (n >= 4 && (n & (n - 1)) == 0)) {
        fsr_inst *grown = realloc(r->inst, sizeof *grown * (n ? 2 * (size_t)n : 4));
        if (!grown)
            return -1;
        r->inst = grown;
    }
    r->inst[n] = *inst;
    return r->ninsts++;
}

bool fsr_region_copy(fsr_region *to, const fsr_region *from) {
    *to = *from;
    to->inst = NULL;
    to->ninsts = 0;
    for (int i = 0; i < from->ninsts; i++)
        if (fsr_region_add(to, &from->inst[i]) < 0) {
            fsr_region_clear(to);
            return false;
        }
    return true;
}

void fsr_region_clear(fsr_region *r) {
    free(r->inst);
    r->inst = NULL;
    r->ninsts = 0;
}

void fsr_region_bind(fsr_region *r, const fsr_value *value, int n) {
    r->nargs -= n;
    for (int i = 0; i < r->ninsts; i++) {
        fsr_inst *inst = &r->inst[i];
        if (inst->kind != FSR_INST_PARAM || inst->index < r->nargs)
            continue;
        inst->kind = FSR_INST_CONST;
        inst->value = value[inst->index - r->nargs];
    }
}

bool fsr_region_lift(fsr_region *r, int inst) {
    if (r->nargs == FSR_MAX_REGION_ARGS)
        return false;
    r->inst[inst].kind = FSR_INST_PARAM;
    r->inst[inst].index = r->nargs;
    r->arg[r->nargs++] = r->inst[inst].dtype;
    return true;
}

/* ---- meaning ----------------------------------------------------------------------------------------------- */

int64_t fsr_index_inside(fsr_index_mode mode, int64_t i, int64_t n) {
    if (mode == FSR_INDEX_WRAP)
        return i % n + (i % n < 0 ? n : 0);
    if ((mode == FSR_INDEX_RAISE || mode == FSR_INDEX_DROP) && i < 0)
        i += n;
    if (mode == FSR_INDEX_DROP)
        return i >= 0 && i < n ? i : -1;
    return i < 0 ? 0 : i < n ? i : n - 1;
}

int64_t fsr_table_place(const fsr_inst *load, const fsr_table *table, const int64_t *index) {
    int64_t at = 0;
    for (int k = 0; k < load->component; k++)
        at += fsr_index_inside(load->mode, index[k], table->extent[k]) * table->stride[k];
    return at;
}

/* The element of its table that a LOAD of a body takes. */
static fsr_value take(const fsr_inst *inst, const fsr_table *table, const fsr_value *value) {
    int64_t index[FSR_MAX_DIMS];
    for (int k = 0; k < inst->component; k++)
        index[k] = value[inst->arg[k]].i64;
    fsr_value v = fsr_value_load(inst->dtype, table->data, fsr_table_place(inst, table, index));
    if (inst->dtype == FSR_BOOL)
        v.b = v.b != 0;
    return v;
}

void fsr_region_eval(const fsr_region *r, int from, int to, const fsr_value *argument, const fsr_table *table,
                     fsr_value *value) {
    for (int i = from; i < to; i++) {
        const fsr_inst *inst = &r->inst[i];
        if (inst->kind == FSR_INST_PARAM) {
            fsr_values_copy(&value[i], &argument[inst->index], 1);
        } else if (inst->kind == FSR_INST_CONST) {
            value[i] = inst->value;
        } else if (inst->kind == FSR_INST_LOAD) {
            value[i] = take(inst, &table[inst->index], value);
        } else {
            fsr_value args[3];
            for (int k = 0; k < fsr_op_get(inst->op)->arity; k++)
                fsr_values_copy(&args[k], &value[inst->arg[k]], 1);
            value[i] = fsr_op_eval(inst->op, inst->compute, inst->dtype, args);
        }
    }
}

bool fsr_inst_computes_like(const fsr_inst *a, const fsr_inst *b) {
    if (a->kind != b->kind || a->dtype != b->dtype)
        return false;
    if (a->kind == FSR_INST_PARAM)
        return a->index == b->index;
    if (a->kind == FSR_INST_CONST)
        return fsr_value_equal(a->value, b->value);
    const bool load = a->kind == FSR_INST_LOAD;
    if (load && (a->index != b->index || a->mode != b->mode || a->component != b->component))
        return false;
    if (!load && (a->kind != FSR_INST_OP || a->op != b->op || a->compute != b->compute))
        return false;
    for (int k = 0; k < (load ? a->component : fsr_op_get(a->op)->arity); k++)
        if (a->arg[k] != b->arg[k])
            return false;
    return true;
}

bool fsr_region_equal(const fsr_region *a, const fsr_region *b) {
    if (a->nargs != b->nargs || a->ninsts != b->ninsts || a->nresults != b->nresults || a->ntables != b->ntables)
        return false;
    for (int i = 0; i < a->ntables; i++)
        if (a->table[i].dtype != b->table[i].dtype || a->table[i].ndim != b->table[i].ndim)
            return false;
    for (int i = 0; i < a->nargs; i++)
        if (a->arg[i] != b->arg[i])
            return false;
    for (int i = 0; i < a->nresults; i++)
        if (a->result[i] != b->result[i])
            return false;
    for (int i = 0; i < a->ninsts; i++)
        if (!fsr_inst_computes_like(&a->inst[i], &b->inst[i]))
            return false;
    return true;
}

bool fsr_region_rounds(const fsr_region *r) {
    for (int i = 0; i < r->ninsts; i++)
        if (r->inst[i].kind == FSR_INST_OP && !fsr_op_exact(r->inst[i].op, r->inst[i].compute))
            return true;
    return false;
}

int fsr_region_ops(const fsr_region *r) {
    int n = 0;
    for (int i = 0; i < r->ninsts; i++)
        n += r->inst[i].kind == FSR_INST_OP;
    return n;
}

/* ---- rules -------------------------------------------------------------------------------------------------- */

static const char *check_op(const fsr_region *r, int i) {
    const fsr_inst *inst = &r->inst[i];
    if ((unsigned)inst->op >= FSR_OP_COUNT || (unsigned)inst->compute >= FSR_DTYPE_COUNT ||
        !fsr_op_defined(inst->op, inst->compute))
        return "an op that there is not";
    const fsr_op_info *info = fsr_op_get(inst->op);
    fsr_dtype expected = fsr_op_result(inst->op, inst->compute);
    for (int k = 0; k < info->arity; k++) {
        if (inst->arg[k] < 0 || inst->arg[k] >= i)
            return "an operand that is not earlier";
        bool condition = info->rule == FSR_RULE_SELECT && k == 0;
        if (r->inst[inst->arg[k]].dtype != (condition ? FSR_BOOL : inst->compute))
            return "an operand's dtype";
    }
    return expected != FSR_DTYPE_COUNT && expected != inst->dtype ? "the result's dtype" : NULL;
}

static const char *check_load(const fsr_region *r, int i) {
    const fsr_inst *inst = &r->inst[i];
    if (inst->index < 0 || inst->index >= r->ntables || inst->dtype != r->table[inst->index].dtype)
        return "no table of the region";
    if (inst->component != r->table[inst->index].ndim)
        return "another number of indices than its table's";
    if (inst->mode != FSR_INDEX_CLIP && inst->mode != FSR_INDEX_WRAP)
        return "indices that are neither clipped nor wrapped";
    for (int k = 0; k < inst->component; k++)
        if (inst->arg[k] < 0 || inst->arg[k] >= i || r->inst[inst->arg[k]].dtype != FSR_I64)
            return "an index that is no earlier i64";
    return NULL;
}

static const char *check_inst(const fsr_region *r, fsr_container where, int i) {
    const fsr_inst *inst = &r->inst[i];
    if (!fsr_inst_may_stand(inst->kind, where))
        return "a kind that may not stand there";
    if ((unsigned)inst->dtype >= FSR_DTYPE_COUNT)
        return "no dtype";
    if (inst->kind == FSR_INST_OP)
        return check_op(r, i);
    if (inst->kind == FSR_INST_LOAD)
        return check_load(r, i);
    if (inst->kind == FSR_INST_PARAM &&
        (inst->index < 0 || inst->index >= r->nargs || inst->dtype != r->arg[inst->index]))
        return "no argument of the region";
    return NULL;
}

const char *fsr_region_check(const fsr_region *r, fsr_container where, int *at) {
    *at = -1;
    if (r->nargs < 0 || r->nargs > FSR_MAX_REGION_ARGS || r->nresults < 1 || r->nresults > FSR_MAX_OUTPUTS ||
        r->ninsts < 1 || r->ninsts > FSR_MAX_BODY_INSTS || !r->inst || r->ntables < 0 ||
        r->ntables > (where == FSR_IN_BODY ? FSR_MAX_TABLES : 0))
        return "a wrong size";
    for (int i = 0; i < r->ntables; i++)
        if ((unsigned)r->table[i].dtype >= FSR_DTYPE_COUNT || r->table[i].ndim < 1 || r->table[i].ndim > FSR_MAX_DIMS)
            return "a table without a dtype or dimensions";
    for (int i = 0; i < r->nargs; i++)
        if ((unsigned)r->arg[i] >= FSR_DTYPE_COUNT)
            return "an argument without a dtype";
    for (*at = 0; *at < r->ninsts; ++*at) {
        const char *wrong = check_inst(r, where, *at);
        if (wrong)
            return wrong;
    }
    *at = -1;
    for (int i = 0; i < r->nresults; i++)
        if (r->result[i] < 0 || r->result[i] >= r->ninsts)
            return "a result that there is not";
    return NULL;
}
