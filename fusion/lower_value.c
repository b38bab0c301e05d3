/* SPDX-License-Identifier: MIT */
/* Lowering of nodes that are values of one point: literals, parameters, aranges, scalar operations, callers' functions.
 *
 * A kernel is generic in sizes and parameters: those are arguments, and only what the flow says is a literal becomes a
 * constant. Literals of equal bits are one node after cse; a number that lowering needs is none of them, even of equal
 * bits, since a literal may become an argument (literals.h). Counter-example to comparing literals as numbers: 0 and -0
 * are equal, and 1 / x of them is not. An arange is the affine form of its index, so that arange[::-2] needs no
 * memory. */
#include "fusion/lower.h"
#include <math.h>
#include <string.h>

int fsr_lower_constant(fsr_lowering *l, fsr_dtype dtype, fsr_value value, int node) {
    return fsr_lower_made(l, fsr_kernel_constant(l->k, dtype, value, node));
}

int fsr_lower_literal(fsr_lowering *l, fsr_link link, const fsr_index *index) {
    const fsr_flow_node *n = &l->flow->node[link.id];
    (void)index;
    return fsr_lower_constant(l, n->dtype[0], n->value, link.id);
}

int fsr_lower_scalar(fsr_lowering *l, int node) {
    const fsr_flow_node *n = &l->flow->node[node];
    fsr_kernel *k = l->k;
    int slot = 0;
    while (slot < k->nscalars && l->group->scalar[slot] != n->ordinal)
        ++slot;
    if (slot == FSR_MAX_SCALARS)
        return fsr_lower_refuse(l, "the kernel would have too many scalar arguments");
    if (slot == k->nscalars) {
        l->group->scalar[slot] = n->ordinal;
        k->scalar[k->nscalars++] = n->dtype[0];
    }
    return slot;
}

int fsr_lower_parameter(fsr_lowering *l, fsr_link link, const fsr_index *index) {
    (void)index;
    fsr_inst inst = fsr_inst_blank(FSR_INST_PARAM, l->flow->node[link.id].dtype[0], link.id);
    inst.index = fsr_lower_scalar(l, link.id);
    return inst.index < 0 ? -1 : fsr_lower_add(l, &inst);
}

int fsr_lower_op(fsr_lowering *l, fsr_op op, int a, int b, int c) {
    return fsr_lower_made(l, fsr_kernel_op(l->k, op, a, b, c));
}

static int binary(fsr_lowering *l, fsr_op op, int a, int b) {
    return fsr_lower_op(l, op, a, b, -1);
}

static int number(fsr_lowering *l, fsr_dtype dtype, int64_t value) {
    return fsr_lower_constant(l, dtype, fsr_value_from_int(dtype, value), -1);
}

int fsr_lower_cast(fsr_lowering *l, int value, fsr_dtype to) {
    return fsr_lower_made(l, fsr_kernel_cast(l->k, value, to));
}

/* A domain's index, as dtype. */
static int index_of(fsr_lowering *l, int node, int d, fsr_dtype dtype) {
    fsr_inst inst = fsr_inst_blank(FSR_INST_INDEX, dtype, node);
    inst.index = d;
    l->indexed[d] = true;
    return fsr_lower_once(l, &inst, d < l->group->domain.nparallel ? FSR_ROW : FSR_ELEM);
}

/* The dimension whose index this is, with nothing added; -1: it is more than that. */
static int plain_index(const fsr_affine *row, const fsr_domain *d) {
    int found = -1;
    for (int i = 0; i < d->ndim; ++i) {
        if (row->coef[i] == 0)
            continue;
        if (row->coef[i] != 1 || found >= 0)
            return -1;
        found = i;
    }
    return row->offset == 0 ? found : -1;
}

/* offset + sum of coef * index, as instructions of the dtype, which is i64 where there are terms. */
static int affine_value(fsr_lowering *l, int node, const fsr_affine *row, fsr_dtype dtype) {
    const fsr_domain *d = &l->group->domain;
    int sum = -1;
    for (int i = 0; i < d->ndim; ++i) {
        if (row->coef[i] == 0)
            continue;
        int term = index_of(l, node, i, dtype);
        if (term >= 0 && row->coef[i] != 1)
            term = binary(l, FSR_OP_MUL, term, number(l, dtype, row->coef[i]));
        if (term < 0)
            return -1;
        sum = sum < 0 ? term : binary(l, FSR_OP_ADD, sum, term);
    }
    for (int i = 0; i < row->nterms; ++i) {
        int term = row->factor[i] == 1 ? row->value[i]
                                       : binary(l, FSR_OP_MUL, row->value[i], number(l, dtype, row->factor[i]));
        sum = sum < 0 || term < 0 ? term : binary(l, FSR_OP_ADD, sum, term);
    }
    if (sum < 0)
        sum = number(l, dtype, row->offset);
    else if (row->offset != 0)
        sum = binary(l, FSR_OP_ADD, sum, number(l, dtype, row->offset));
    return sum;
}

/* Over the domain the form and each of its parts lie within 32 bits. */
static bool is_near(const fsr_affine *row, const fsr_domain *domain) {
    double most = fabs((double)row->offset);
    for (int d = 0; d < domain->ndim; ++d)
        most += fabs((double)row->coef[d]) * (double)domain->extent[d];
    return row->nterms == 0 && most < INT32_MAX;
}

/* The index as it is, or the affine form's value, cast: of an i32 where that has it, as vectors of i64 are half as
 * long, and AVX2 has no conversion of one to a float. */
int fsr_lower_number(fsr_lowering *l, int node, const fsr_affine *row, fsr_dtype dtype) {
    const int plain = row->nterms ? -1 : plain_index(row, &l->group->domain);
    if (plain >= 0 && (dtype == FSR_I32 || dtype == FSR_I64))
        return index_of(l, node, plain, dtype);
    const bool near = dtype != FSR_I64 && dtype != FSR_U64 && is_near(row, &l->group->domain);
    return fsr_lower_cast(l, affine_value(l, node, row, near ? FSR_I32 : FSR_I64), dtype);
}

int fsr_lower_place(fsr_lowering *l, int node, const fsr_affine *row) {
    const bool near = is_near(row, &l->group->domain);
    const int place = affine_value(l, node, row, near ? FSR_I32 : FSR_I64);
    return near ? fsr_lower_cast(l, place, FSR_I64) : place;
}

int fsr_lower_iota(fsr_lowering *l, fsr_link link, const fsr_index *index) {
    const fsr_flow_node *n = &l->flow->node[link.id];
    if (index->flat)
        return fsr_lower_blame_flat(l, "the index of a reshaped arange has no affine form", link, index);
    const fsr_affine *row = &index->row[n->axis];
    if (row->over)
        return fsr_lower_blame(l, "an arange in a stepped section has no affine index", link);
    return fsr_lower_number(l, link.id, row, n->dtype[0]);
}

int fsr_lower_map(fsr_lowering *l, fsr_link link, const fsr_index *index) {
    const fsr_flow_node *n = &l->flow->node[link.id];
    int arg[FSR_MAX_OPERANDS];
    bool done = false;
    const int choice = fsr_op_get(n->op)->rule == FSR_RULE_SELECT ? fsr_lower_choice(l, link, index, &done) : -1;
    if (done)
        return choice;
    for (int i = 0; i < n->nargs; ++i)
        if ((arg[i] = fsr_lower_eval(l, n->arg[i], index)) < 0)
            return -1;
    fsr_inst inst = fsr_inst_blank(FSR_INST_OP, n->dtype[0], link.id);
    inst.op = n->op;
    memcpy(inst.arg, arg, sizeof arg[0] * (size_t)n->nargs);
    inst.compute = l->k->inst[inst.arg[n->nargs - 1]].dtype;
    return fsr_lower_add(l, &inst);
}

/* The kernel's number of a call's routine; -1: too many, or the kernel is linked with other code, of which a symbol may
 * be defined here too: the linker takes the first and says nothing. The call that came later is stored. */
static int routine_of(fsr_lowering *l, fsr_link link) {
    fsr_kernel *k = l->k;
    const fsr_routine *f = l->flow->node[link.id].routine;
    for (int i = 0; i < k->nroutines; ++i)
        if (fsr_routine_equal(k->routine[i], f))
            return i;
    for (int i = 0; i < k->nroutines; ++i)
        if (f->linked && k->routine[i]->linked && !fsr_routine_links_same(k->routine[i], f))
            return fsr_lower_blame(l, "a kernel is linked with one compiled code, and its functions have two", link);
    if (k->nroutines == FSR_MAX_ROUTINES)
        return fsr_lower_refuse(l, "the kernel would call too many functions");
    k->routine[k->nroutines] = fsr_routine_ref(f);
    return k->nroutines++;
}

/* A function of whole arrays is called with the values of elements that there are: under a guard some are any. Counter-
 * example to calling it everywhere: what it takes for an index leads anywhere. */
static bool may_call(fsr_lowering *l, fsr_link link) {
    const fsr_flow_node *n = &l->flow->node[link.id];
    return fsr_own_arguments(&n->content) == n->nargs || !l->guard ||
           (fsr_lower_blame(l, "a function of whole arrays is called for its own elements alone", link), false);
}

int fsr_lower_call(fsr_lowering *l, fsr_link link, const fsr_index *index) {
    const fsr_flow_node *n = &l->flow->node[link.id];
    const int each = fsr_own_arguments(&n->content);
    if (each < n->nargs && fsr_shape_size(&n->shape) == 0)
        return fsr_lower_constant(l, n->dtype[0], (fsr_value){.bits = 0}, -1);
    if (!may_call(l, link))
        return -1;
    fsr_inst inst = fsr_inst_blank(FSR_INST_CALL, n->dtype[0], link.id);
    inst.index = routine_of(l, link);
    for (int i = 0; i < each && inst.index >= 0; ++i) {
        inst.arg[i] = fsr_lower_eval(l, n->arg[i], index);
        if (inst.arg[i] < 0)
            return -1;
    }
    return inst.index < 0 || !fsr_lower_arrays(l, n, &inst) ? -1 : fsr_lower_add(l, &inst);
}
