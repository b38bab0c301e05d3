/* SPDX-License-Identifier: MIT */
/* The last step of lowering: affine addresses and boxes become strides and integer arguments.
 *
 * First what nobody reads is dropped. Then adjacent dimensions are merged where every address, box and index allows it,
 * so that a kernel over (a, b, c) of contiguous arrays is one over a * b * c elements, whatever the rank: fewer
 * divisions, and fewer kernels that differ in nothing else. Extents, strides and offsets are arguments but for strides
 * 0 and 1, of which emitters make use, and those of channels (lower_channels.c). Then what addresses ask that is the
 * same everywhere moves before the loops, and each other value to the first pass that reads it.
 *
 * While a kernel is lowered, access i has form i and condition i form FSR_MAX_ACCESSES + i, of which the values are
 * known alone. They are replaced in this order, by at most as many, so none is overwritten before its turn.
 *
 * Counter-example to merging by shape: x + x.T of a square x has the same extents in both, and merges in neither. */
#include "fusion/address.h"
#include "fusion/filter.h"
#include "fusion/lower.h"
#include <string.h>

/* An index that is always 0 moves nothing: its coefficient may be what lets the dimension merge with the next one. */
static void adapt(fsr_affine *a, const fsr_domain *d, int at) {
    if (d->extent[at + 1] == 1)
        a->coef[at + 1] = a->coef[at];
    else if (d->extent[at] == 1)
        a->coef[at] = a->coef[at + 1] * d->extent[at + 1];
}

static void adapt_all(fsr_lowering *l, const fsr_domain *d, int at) {
    for (int i = 0; i < l->k->naccesses && at + 1 != d->nparallel; ++i)
        adapt(&l->address[i], d, at);
    for (int i = 0; i < l->k->nconditions && at + 1 != d->nparallel; ++i)
        adapt(&l->box[i].at, d, at);
}

static bool mergeable(const fsr_lowering *l, const fsr_domain *d, int at) {
    bool boundary = at + 1 == d->nparallel;
    const bool one = d->extent[at] == 1 || d->extent[at + 1] == 1;
    if (boundary || (!one && (l->indexed[at] || l->indexed[at + 1])))
        return false;
    for (int i = 0; i < l->k->naccesses; ++i)
        if (l->address[i].coef[at] != l->address[i].coef[at + 1] * d->extent[at + 1])
            return false;
    for (int i = 0; i < l->k->nconditions; ++i)
        if (!fsr_box_mergeable(&l->box[i], at, d->extent[at + 1]))
            return false;
    return true;
}

/* Takes out the coefficient of dimension `at`. */
static void close_gap(fsr_affine *a, int at, int ndim) {
    for (int j = at; j + 1 < ndim; ++j)
        a->coef[j] = a->coef[j + 1];
    a->coef[ndim - 1] = 0;
}

static void merge(fsr_lowering *l, fsr_domain *d, int at) {
    for (int i = 0; i < l->k->nconditions; ++i)
        fsr_box_merge(&l->box[i], at, d->extent[at + 1]);
    d->extent[at] *= d->extent[at + 1];
    l->indexed[at] = l->indexed[at] || l->indexed[at + 1];
    for (int i = at + 1; i + 1 < d->ndim; ++i) {
        d->extent[i] = d->extent[i + 1];
        l->indexed[i] = l->indexed[i + 1];
    }
    for (int i = 0; i < l->k->naccesses; ++i) {
        l->address[i].coef[at] = l->address[i].coef[at + 1];
        close_gap(&l->address[i], at + 1, d->ndim);
    }
    for (int i = 0; i < l->k->nconditions; ++i)
        close_gap(&l->box[i].at, at + 1, d->ndim);
    for (int i = 0; i < l->k->ninsts; ++i)
        if (l->k->inst[i].kind == FSR_INST_INDEX && l->k->inst[i].index > at)
            --l->k->inst[i].index;
    d->nparallel -= at < d->nparallel;
    --d->ndim;
}

static bool linear_over(const fsr_affine *a, const fsr_domain *d, int ndim) {
    int64_t stride = 1;
    for (int i = d->ndim - 1; i >= 0; --i) {
        if (i >= ndim ? a->coef[i] != 0 : a->coef[i] != stride)
            return false;
        stride *= i < ndim ? d->extent[i] : 1;
    }
    return a->offset == 0 && !a->over && !a->nterms;
}

int fsr_lower_integer(fsr_lowering *l, int64_t value) {
    if (l->k->nints == FSR_MAX_INTS)
        return fsr_lower_refuse(l, "the kernel would have too many integer arguments");
    l->k->integer[l->k->nints] = value;
    return l->k->nints++;
}

/* An element of a row of one column lies where the row does, but is no access of the row. */
static bool used_by_element(const fsr_kernel *k, int access) {
    for (int i = 0; i < k->ninsts; ++i)
        if ((k->inst[i].kind == FSR_INST_LOAD || k->inst[i].kind == FSR_INST_STORE) && k->inst[i].index == access &&
            k->stand[i].level == FSR_ELEM)
            return true;
    return false;
}

/* What a kernel knows of a stride. Two is every other element where no other dimension goes from one to the next: rows
 * of two elements lie so as well, but are an extent, which a kernel takes as it comes. */
static fsr_stride_kind kind_of_stride(const fsr_affine *sum, const fsr_domain *d, int64_t coef, int64_t channels) {
    bool dense = false;
    for (int j = 0; j < d->ndim; ++j)
        dense = dense || sum->coef[j] == 1;
    if ((coef == 2 && !dense) || (coef && coef == channels))
        return FSR_STRIDE_KNOWN;
    return coef == 0 ? FSR_STRIDE_ZERO : coef == 1 ? FSR_STRIDE_ONE : FSR_STRIDE_VAR;
}

/* The argument that says a stride along dimension j. Sums that go equally far along it have one, so that what they have
 * in common is computed once: nine neighbours of an image are one address and eight offsets. */
static int stride_argument(fsr_lowering *l, int j, int64_t coef) {
    const fsr_kernel *k = l->k;
    for (int f = 0; f < k->nforms; ++f)
        if (k->form[f].stride[j] == FSR_STRIDE_VAR && k->integer[k->form[f].slot[j]] == coef)
            return k->form[f].slot[j];
    return fsr_lower_integer(l, coef);
}

/* The argument that says where the first of several channels lies: one for all of them. */
static int channel_argument(fsr_lowering *l, int64_t offset) {
    const fsr_kernel *k = l->k;
    for (int f = 0; f < k->nforms; ++f)
        if (k->form[f].offset >= 0 && k->integer[k->form[f].offset] == offset)
            return k->form[f].offset;
    return fsr_lower_integer(l, offset);
}

/* The kernel's form of a sum, which is so far `behind` the first of channels that lie by this stride; 0: it is none.
 * -1: too many arguments. */
static int finish_sum(fsr_lowering *l, const fsr_affine *sum, const fsr_domain *d, int64_t channels, int behind) {
    fsr_index_form a = {.offset = -1, .behind = behind, .nterms = sum->nterms};
    const int64_t offset = sum->offset - behind;
    if (offset != 0 && (a.offset = channels ? channel_argument(l, offset) : fsr_lower_integer(l, offset)) < 0)
        return -1;
    for (int j = 0; j < d->ndim; ++j) {
        const int64_t coef = sum->coef[j];
        a.stride[j] = kind_of_stride(sum, d, coef, channels);
        if (a.stride[j] == FSR_STRIDE_KNOWN)
            a.slot[j] = (int)coef;
        if (a.stride[j] == FSR_STRIDE_VAR && (a.slot[j] = stride_argument(l, j, coef)) < 0)
            return -1;
    }
    for (int t = 0; t < sum->nterms; ++t) {
        a.term[t].value = sum->value[t];
        if (sum->factor[t] != 1 && (a.term[t].slot = fsr_lower_integer(l, sum->factor[t])) < 0)
            return -1;
    }
    if (sum->over && (a.divisor = fsr_lower_integer(l, sum->over)) < 0)
        return -1;
    return fsr_kernel_form(l->k, &a);
}

static bool finish_condition(fsr_lowering *l, int i, const fsr_domain *d) {
    fsr_condition *c = &l->k->condition[i];
    const fsr_box *box = &l->box[i];
    if ((c->form = finish_sum(l, &box->at, d, 0, 0)) < 0 || (c->extent = fsr_lower_integer(l, box->extent)) < 0)
        return false;
    return box->step == 1 || (c->step = fsr_lower_integer(l, box->step)) >= 0;
}

/* The neighbours of every other element that lie in its array: the one behind an even place, the one before an odd one
 * rather, so that what takes the first of each pair and what takes the second take the same words. */
static fsr_twin twin_of(const fsr_lowering *l, int access, const fsr_form *f) {
    const int64_t elements = l->elements[l->k->access[access].buffer];
    bool every_other = false;
    int64_t low, high;
    for (int d = 0; d < f->ndim; ++d)
        every_other = every_other || f->stride[d] == 2;
    fsr_form_range(f, &low, &high);
    if (!every_other || l->k->array[l->k->access[access].buffer].written || f->nterms || f->divisor != 1 || low < 0 ||
        high >= elements)
        return FSR_TWIN_NONE;
    const bool behind = high + 1 < elements, before = low > 0;
    return behind && (f->offset % 2 == 0 || !before) ? FSR_TWIN_BEHIND : before ? FSR_TWIN_BEFORE : FSR_TWIN_NONE;
}

static bool finish_access(fsr_lowering *l, int i, const fsr_domain *d) {
    fsr_access *a = &l->k->access[i];
    const fsr_affine *address = &l->address[i];
    int behind = 0;
    const int64_t channels = fsr_lower_channels(l, d, i, &behind);
    if ((a->form = finish_sum(l, address, d, channels, behind)) < 0)
        return false;
    const fsr_form form = fsr_form_of_access(l->k, l->k->integer, i);
    a->twin = l->p->target->gpu ? FSR_TWIN_NONE : twin_of(l, i, &form);
    a->linear = !a->whole && linear_over(address, d, d->ndim);
    a->row_linear = !a->whole && linear_over(address, d, d->nparallel) && !used_by_element(l->k, i);
    return true;
}

/* The extents of computed indices, and of what stores combine into, become arguments. */
static bool finish_bounds(fsr_lowering *l) {
    int slot[FSR_MAX_INSIDE];
    for (int i = 0; i < l->ninside; ++i)
        if ((slot[i] = fsr_lower_integer(l, l->inside[i])) < 0)
            return false;
    for (int i = 0; i < l->k->ninsts; ++i)
        if (l->k->inst[i].kind == FSR_INST_INSIDE)
            l->k->inst[i].index = slot[l->k->inst[i].index];
        else if (l->k->inst[i].combines)
            l->k->inst[i].extent = slot[l->k->inst[i].extent];
    return true;
}

static bool has_symbols(const fsr_kernel *k) {
    bool has = k->live != 0;
    for (int f = 0; f < k->nforms; ++f)
        has = has || k->form[f].nterms;
    return has;
}

/* Symbols that are the same everywhere, and what they are computed of, are evaluated once. */
static void settle_homes(fsr_kernel *k) {
    fsr_when when[FSR_MAX_INSTS];
    bool once[FSR_MAX_INSTS] = {false};
    if (!has_symbols(k))
        return;
    fsr_values_known(k, when);
    for (int f = 0; f < k->nforms; ++f)
        for (int t = 0; t < k->form[f].nterms; ++t)
            once[k->form[f].term[t].value] |= when[k->form[f].term[t].value] <= FSR_WHEN_BEGUN;
    if (k->live && when[k->live - 1] <= FSR_WHEN_BEGUN)
        once[k->live - 1] = true;
    else
        k->live = 0;
    for (int i = k->ninsts - 1; i >= 0; --i) {
        int argument[FSR_MAX_ARGUMENTS], n = once[i] ? fsr_inst_arguments(k, i, argument) : 0;
        for (int a = 0; a < n; ++a)
            once[argument[a]] = true;
        if (once[i])
            k->stand[i].level = FSR_ONCE;
    }
}

/* ---- guards ---------------------------------------------------------------------------------------------- */

/* Guards that no instruction names any more, since loads were widened, go; then conditions that no guard names. */
static void drop_guards(fsr_kernel *k) {
    int to[FSR_MAX_GUARDS], n = 0;
    bool used[FSR_MAX_GUARDS] = {false};
    for (int i = 0; i < k->ninsts; ++i)
        if (fsr_inst_guard(&k->inst[i]) >= 0)
            used[fsr_inst_guard(&k->inst[i])] = true;
    for (int g = 0; g < k->nguards; ++g) {
        to[g] = n;
        if (used[g])
            k->guard[n++] = k->guard[g];
    }
    k->nguards = n;
    for (int i = 0; i < k->ninsts; ++i) {
        fsr_inst *inst = &k->inst[i];
        if (inst->kind == FSR_INST_GUARD)
            inst->index = to[inst->index];
        else if (fsr_inst_guard(inst) >= 0)
            inst->guard = 1 + to[inst->guard - 1];
    }
}

static void drop_conditions(fsr_lowering *l) {
    fsr_kernel *k = l->k;
    int order[FSR_MAX_CONDITIONS], to[FSR_MAX_CONDITIONS], n = 0, named = fsr_kernel_conditions(k, order);
    bool used[FSR_MAX_CONDITIONS] = {false};
    for (int i = 0; i < named; ++i)
        used[order[i]] = true;
    for (int c = 0; c < k->nconditions; ++c) {
        to[c] = n;
        if (!used[c])
            continue;
        l->box[n] = l->box[c];
        k->form[FSR_MAX_ACCESSES + n] = k->form[FSR_MAX_ACCESSES + c];
        k->condition[n] = k->condition[c];
        k->condition[n].form = FSR_MAX_ACCESSES + n;
        ++n;
    }
    k->nconditions = n;
    for (int g = 0; g < k->nguards; ++g)
        for (int i = 0; i < k->guard[g].n; ++i)
            k->guard[g].condition[i] = to[k->guard[g].condition[i]];
}

/* ---- values that nobody reads ---------------------------------------------------------------------------- */

/* What is gone was named by addresses and boxes that went with it. */
static void renumber(fsr_affine *a, const int *at) {
    for (int t = 0; t < a->nterms; ++t) {
        a->value[t] = at[a->value[t]];
        if (a->value[t] < 0)
            a->nterms = 0;
    }
}

/* A symbol along a dimension of one element is in no address, and what it was computed of may serve nothing else. */
static void drop_unused(fsr_lowering *l) {
    int at[FSR_MAX_INSTS];
    fsr_kernel_drop_unused(l->k, at);
    for (int i = 0; i < l->k->naccesses; ++i)
        renumber(&l->address[i], at);
    for (int i = 0; i < l->k->nconditions; ++i)
        renumber(&l->box[i].at, at);
}

bool fsr_lower_finish(fsr_lowering *l) {
    fsr_kernel *k = l->k;
    drop_unused(l);
    drop_guards(k);
    drop_conditions(l);
    fsr_domain d = l->group->domain;
    for (int i = 0; i + 1 < d.ndim && !l->group->unmerged;) {
        adapt_all(l, &d, i);
        if (mergeable(l, &d, i))
            merge(l, &d, i);
        else
            ++i;
    }
    k->ndim = d.ndim;
    k->nparallel = d.nparallel;
    memcpy(l->group->extent, d.extent, sizeof d.extent);
    l->k->integer[FSR_INT_ROWS] = fsr_domain_rows(&d);
    l->k->integer[FSR_INT_COLS] = fsr_domain_cols(&d);
    l->k->integer[FSR_INT_SPLITS] = 1;
    l->k->integer[FSR_INT_STRETCH] = fsr_domain_cols(&d);
    k->nints = FSR_INT_EXTENT;
    k->nforms = 0;
    for (int i = 0; i < d.ndim; ++i)
        fsr_lower_integer(l, d.extent[i]);
    for (int i = 0; i < k->naccesses; ++i)
        if (!finish_access(l, i, &d))
            return false;
    for (int i = 0; i < k->nconditions; ++i)
        if (!finish_condition(l, i, &d))
            return false;
    if (!finish_bounds(l) || !fsr_lower_finish_tables(l))
        return false;
    settle_homes(k);
    for (int i = 0; i < k->ninsts; ++i)
        if (k->stand[i].level == FSR_ELEM && k->stand[i].pass >= k->npasses)
            k->npasses = k->stand[i].pass + 1;
    fsr_kernel_join_stores(k);
    fsr_kernel_sink(k);
    return fsr_kernel_has_places(k) || (fsr_lower_refuse(l, "the kernel would have too many instructions"), false);
}
