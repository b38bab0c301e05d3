/* SPDX-License-Identifier: MIT */
/* Bodies recorded as regions: from a result back to the arguments and literals (a stack: no recursion) into SSA
 * instructions; equal ones become one.
 *
 * A value without dimensions that was recorded before the body ran is the same for every element: a loop takes it as
 * one argument more, an operator if it is a parameter. Counter-example to making instructions of what it was
 * computed from: a sum over an array is none. An array from outside of which a loop's body takes an element is one of
 * its tables, whatever its shape; what is taken of it is a load. */
#include "primitives/capture.h"
#include <string.h>

static bool capture_fail(fsr_capture *t, fsr_status status, const char *problem) {
    t->status = status;
    t->problem = problem;
    return false;
}

static int find(const fsr_capture *t, fsr_ref ref) {
    for (int i = 0; i < t->count; i++)
        if (t->ref[i].id == ref.id && t->ref[i].output == ref.output)
            return i;
    return -1;
}

/* Recorded before the body ran, and no literal nor made of literals alone: those are weak. */
static bool is_outside(const fsr_capture *t, const fsr_rec *rec) {
    if (rec->stamp >= t->first || (t->where == FSR_IN_OPERATOR && !fsr_is(rec->kind, FSR_IS_ARGUMENT)))
        return false;
    return !fsr_is(rec->kind, FSR_IS_LITERAL) && !rec->weak;
}

/* An element of an array from outside, at as many computed indices as it has dimensions. */
static bool is_taken(const fsr_capture *t, const fsr_rec *rec) {
    if (t->where != FSR_IN_BODY || !fsr_is(rec->kind, FSR_TAKES) || rec->stamp < t->first)
        return false;
    const fsr_rec *from = fsr_graph_rec(t->g, rec->arg[0].id);
    return from->stamp < t->first && from->shape.ndim && rec->axes == (1u << from->shape.ndim) - 1;
}

static bool is_allowed(const fsr_capture *t, const fsr_rec *rec) {
    if (rec->shape.ndim)
        return false;
    if (is_taken(t, rec))
        return true;
    if (fsr_is(rec->kind, FSR_IS_UNBOUND))
        return rec->stamp >= t->first || is_outside(t, rec);
    return fsr_is(rec->kind, FSR_IS_INSTRUCTION) || is_outside(t, rec);
}

/* The number of the argument that a value from outside is; -1: there are too many. */
static int outside_of(fsr_capture *t, fsr_ref ref) {
    for (int i = 0; i < t->noutside; i++)
        if (t->outside[i].id == ref.id && t->outside[i].output == ref.output)
            return t->narguments + i;
    if (t->noutside == t->most_outside)
        return -1;
    t->outside[t->noutside] = ref;
    return t->narguments + t->noutside++;
}

/* The number of the table that an array is; -1: there are too many. */
static int table_of(fsr_capture *t, fsr_ref ref) {
    fsr_region *r = t->region;
    const fsr_rec *rec = fsr_graph_rec(t->g, ref.id);
    for (int i = 0; i < r->ntables; i++)
        if (t->table[i].id == ref.id && t->table[i].output == ref.output)
            return i;
    if (r->ntables == FSR_MAX_TABLES)
        return -1;
    t->table[r->ntables] = ref;
    r->table[r->ntables] = (fsr_table_type){rec->dtype[ref.output], rec->shape.ndim};
    return r->ntables++;
}

/* Notes a node to be made into an instruction. */
static bool enter(fsr_capture *t, fsr_ref ref) {
    const fsr_rec *rec = fsr_graph_rec(t->g, ref.id);
    if (fsr_has(rec->kind, FSR_FIELD_routine) && !is_outside(t, rec))
        return capture_fail(t, FSR_ERR_UNSUPPORTED, "calls a native function");
    if (!is_allowed(t, rec))
        return capture_fail(t, FSR_ERR_VALUE, "uses something else than its arguments and literals");
    if (is_taken(t, rec) && rec->mode != FSR_INDEX_CLIP && rec->mode != FSR_INDEX_WRAP)
        return capture_fail(t, FSR_ERR_UNSUPPORTED, "takes an element at an index that is neither clipped nor wrapped");
    if (is_taken(t, rec) && table_of(t, rec->arg[0]) < 0)
        return capture_fail(t, FSR_ERR_UNSUPPORTED, "takes elements of too many arrays");
    if (is_outside(t, rec) && outside_of(t, ref) < 0)
        return capture_fail(t, FSR_ERR_UNSUPPORTED, "uses too many values from outside");
    if (t->count == FSR_MAX_BODY)
        return capture_fail(t, FSR_ERR_UNSUPPORTED, "is too long");
    t->ref[t->count] = ref;
    t->inst_of[t->count++] = -1;
    return true;
}

/* The instruction of a node whose arguments have theirs. */
static fsr_inst inst_of(fsr_capture *t, fsr_ref ref) {
    const fsr_rec *rec = fsr_graph_rec(t->g, ref.id);
    fsr_inst inst = {.node = -1};
    inst.dtype = inst.compute = rec->dtype[ref.output];
    if (is_outside(t, rec)) {
        inst.kind = FSR_INST_PARAM;
        inst.index = outside_of(t, ref);
    } else if (fsr_is(rec->kind, FSR_IS_UNBOUND)) {
        inst.kind = FSR_INST_PARAM;
        inst.index = rec->index;
    } else if (fsr_is(rec->kind, FSR_IS_LITERAL)) {
        inst.kind = FSR_INST_CONST;
        inst.value = rec->value;
    } else if (is_taken(t, rec)) {
        inst.kind = FSR_INST_LOAD;
        inst.index = table_of(t, rec->arg[0]);
        inst.mode = rec->mode;
        inst.component = rec->nargs - 1;
        for (int i = 0; i < inst.component; i++)
            inst.arg[i] = t->inst_of[find(t, rec->arg[1 + i])];
    } else {
        inst.kind = FSR_INST_OP;
        inst.op = rec->op;
        for (int i = 0; i < rec->nargs; i++)
            inst.arg[i] = t->inst_of[find(t, rec->arg[i])];
        const bool select = rec->nargs == 3 && fsr_op_get(rec->op)->rule == FSR_RULE_SELECT;
        inst.compute = t->region->inst[inst.arg[select]].dtype;
    }
    return inst;
}

/* The number of an equal instruction, added if there is none; false: too many, or out of memory. */
static bool add_inst(fsr_capture *t, const fsr_inst *inst, int *number) {
    fsr_region *r = t->region;
    for (int i = 0; i < r->ninsts; i++)
        if (fsr_inst_computes_like(&r->inst[i], inst)) {
            *number = i;
            return true;
        }
    if (r->ninsts == FSR_MAX_BODY_INSTS)
        return capture_fail(t, FSR_ERR_UNSUPPORTED, "is too long");
    const int added = fsr_region_add(r, inst);
    if (added < 0)
        return capture_fail(t, FSR_ERR_MEMORY, "is out of memory");
    *number = added;
    return true;
}

/* Enters an argument that has no instruction yet; *ready tells that there was none. */
static bool enter_args(fsr_capture *t, const fsr_rec *rec, bool *ready) {
    *ready = true;
    for (int i = is_taken(t, rec); i < rec->nargs && !is_outside(t, rec); i++) {
        int at = find(t, rec->arg[i]);
        if (at >= 0 && t->inst_of[at] >= 0)
            continue;
        *ready = false;
        if (at < 0 && !enter(t, rec->arg[i]))
            return false;
    }
    return true;
}

/* The instruction of a node and those of all it needs. Arguments are recorded before what uses them, so the pending
 * node with the smallest stamp never waits for another one. */
static bool make_insts(fsr_capture *t, fsr_ref ref) {
    while (t->inst_of[find(t, ref)] < 0) {
        int next = -1;
        for (int i = 0; i < t->count; i++)
            if (t->inst_of[i] < 0 &&
                (next < 0 || fsr_graph_rec(t->g, t->ref[i].id)->stamp < fsr_graph_rec(t->g, t->ref[next].id)->stamp))
                next = i;
        const fsr_rec *rec = fsr_graph_rec(t->g, t->ref[next].id);
        bool ready;
        if (!enter_args(t, rec, &ready))
            return false;
        if (!ready)
            continue;
        fsr_inst inst = inst_of(t, t->ref[next]);
        if (!add_inst(t, &inst, &t->inst_of[next]))
            return false;
    }
    return true;
}

int fsr_capture_node(fsr_capture *t, fsr_ref ref) {
    if ((find(t, ref) < 0 && !enter(t, ref)) || !make_insts(t, ref))
        return -1;
    return t->inst_of[find(t, ref)];
}
