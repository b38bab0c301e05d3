/* SPDX-License-Identifier: MIT */
/* Facts of addresses; see address.h.
 *
 * Two accesses are apart if their ranges do not meet, or if their offsets differ by what no sum of strides makes: with
 * every stride of both a multiple of g, addresses keep their remainder by g. Counter-example to ranges alone: the even
 * and the odd elements of one array, whose ranges overlap and which share nothing.
 *
 * A symbol is any number from 0 to the most that its extent allows, another one at each point perhaps: it widens ranges
 * and keeps remainders by its coefficient. At one point it is one number: two accesses that have the same symbols, and
 * nothing else apart, are the same there.
 *
 * A dimension of one index moves nothing, whatever its stride; so strides are taken as 0 there. Of a divided sum only
 * its range and its count are known: it is neither adjacent nor the same as another. */
#include "fusion/address.h"
#include "fusion/affine.h"

/* What the form's own strides move along. */
static uint32_t own_dimensions(const fsr_kernel *k, const fsr_index_form *form) {
    uint32_t bits = 0;
    for (int d = 0; d < k->ndim; ++d)
        bits |= form->stride[d] != FSR_STRIDE_ZERO ? 1u << d : 0;
    return bits;
}

/* What a result may differ along, apart from what it is made of. */
static uint32_t result_dimensions(const fsr_kernel *k, int number) {
    uint32_t rows = (1u << k->nparallel) - 1, all = (1u << k->ndim) - 1;
    return k->stand[number].level == FSR_ELEM ? all : rows;
}

static uint32_t inst_dimensions(const fsr_kernel *k, int number, const uint32_t *known) {
    const fsr_inst *inst = &k->inst[number];
    int argument[FSR_MAX_ARGUMENTS], n = fsr_inst_arguments(k, number, argument), guard = fsr_inst_guard(inst);
    uint32_t bits = 0;
    for (int a = 0; a < n; ++a)
        bits |= known[argument[a]];
    for (int i = 0; guard >= 0 && i < k->guard[guard].n; ++i)
        bits |= own_dimensions(k, fsr_condition_form(k, k->guard[guard].condition[i]));
    if (inst->kind == FSR_INST_INDEX)
        bits |= 1u << inst->index;
    if (inst->kind == FSR_INST_LOAD)
        bits |= own_dimensions(k, fsr_access_form(k, inst->index));
    if (fsr_picks_fold(k, inst))
        bits |= result_dimensions(k, number);
    return bits;
}

void fsr_values_dimensions(const fsr_kernel *k, int n, uint32_t *dimensions) {
    for (int i = 0; i < n; ++i)
        dimensions[i] = inst_dimensions(k, i, dimensions);
}

static bool is_integer(fsr_dtype dtype) {
    return dtype == FSR_I32 || dtype == FSR_I64;
}

bool fsr_value_is_moved(const fsr_kernel *k, int value, int *dimension, int64_t *by) {
    const fsr_inst *inst = &k->inst[value];
    *by = 0;
    for (; inst->kind == FSR_INST_OP && is_integer(inst->dtype); inst = &k->inst[inst->arg[0]]) {
        const bool adds = inst->op == FSR_OP_ADD || inst->op == FSR_OP_SUB;
        const fsr_inst *number = adds ? &k->inst[inst->arg[1]] : inst;
        if (adds ? number->kind != FSR_INST_CONST : inst->op != FSR_OP_CAST || !is_integer(inst->compute))
            return false;
        const int64_t more = adds ? fsr_value_cast(FSR_I64, number->dtype, number->value).i64 : 0;
        *by = fsr_size_add(*by, inst->op == FSR_OP_SUB ? -more : more);
    }
    *dimension = inst->kind == FSR_INST_INDEX ? inst->index : -1;
    return *dimension >= 0;
}

uint32_t fsr_value_dimensions(const fsr_kernel *k, int value) {
    uint32_t known[FSR_MAX_INSTS];
    fsr_values_dimensions(k, value + 1, known);
    return known[value];
}

/* Where an instruction stands before its arguments are looked at. */
static fsr_when own_when(const fsr_kernel *k, const fsr_inst *inst) {
    const bool asks = inst->guard && (inst->kind == FSR_INST_LOAD || inst->report);
    switch (inst->kind) {
    case FSR_INST_CONST:
    case FSR_INST_OP:
    case FSR_INST_CALL: return FSR_WHEN_PLANNED;
    case FSR_INST_PARAM: return FSR_WHEN_LAUNCHED;
    case FSR_INST_INSIDE: return asks ? FSR_WHEN_REACHED : FSR_WHEN_PLANNED;
    case FSR_INST_LOAD:
        return asks || own_dimensions(k, fsr_access_form(k, inst->index)) ? FSR_WHEN_REACHED : FSR_WHEN_BEGUN;
    default: return FSR_WHEN_REACHED;
    }
}

void fsr_values_known(const fsr_kernel *k, fsr_when *when) {
    for (int i = 0; i < k->ninsts; ++i) {
        int argument[FSR_MAX_ARGUMENTS], n = fsr_inst_arguments(k, i, argument);
        when[i] = own_when(k, &k->inst[i]);
        for (int a = 0; a < n; ++a)
            when[i] = when[argument[a]] > when[i] ? when[argument[a]] : when[i];
    }
}

static uint32_t term_dimensions(const fsr_kernel *k, const fsr_index_form *form) {
    uint32_t bits = 0;
    for (int t = 0; t < form->nterms; ++t)
        bits |= fsr_value_dimensions(k, form->term[t].value);
    return bits;
}

uint32_t fsr_form_dimensions(const fsr_kernel *k, int form) {
    return own_dimensions(k, &k->form[form]) | term_dimensions(k, &k->form[form]);
}

fsr_form fsr_form_of_access(const fsr_kernel *k, const int64_t *integer, int access) {
    fsr_form f = fsr_form_of(k, integer, k->access[access].form);
    f.whole = k->access[access].whole;
    return f;
}

bool fsr_load_goes_along(const fsr_kernel *k, int v) {
    const fsr_inst *inst = &k->inst[v];
    const int d = k->nparallel - 1;
    if (d < 0 || inst->kind != FSR_INST_LOAD || !fsr_inst_is_late(k, v) || fsr_inst_guard(inst) >= 0 ||
        k->stand[v].level == FSR_ONCE)
        return false;
    const fsr_index_form *form = fsr_access_form(k, inst->index);
    return form->stride[d] == FSR_STRIDE_ONE && !form->divisor && !(term_dimensions(k, form) >> d & 1);
}

/* A symbol is an INSIDE. */
static int64_t most_of(const fsr_kernel *k, const int64_t *integer, int value) {
    return integer[k->inst[value].index] - 1;
}

int64_t fsr_form_stride(const fsr_index_form *form, const int64_t *integer, int d) {
    switch (form->stride[d]) {
    case FSR_STRIDE_ONE: return 1;
    case FSR_STRIDE_KNOWN: return form->slot[d];
    case FSR_STRIDE_VAR: return integer[form->slot[d]];
    default: return 0;
    }
}

fsr_form fsr_form_of(const fsr_kernel *k, const int64_t *integer, int form) {
    const fsr_index_form *a = &k->form[form];
    fsr_form f = {.ndim = k->ndim, .divisor = a->divisor ? integer[a->divisor] : 1, .nterms = a->nterms};
    f.offset = (a->offset >= 0 ? integer[a->offset] : 0) + a->behind;
    f.moves = term_dimensions(k, a);
    for (int t = 0; t < a->nterms; ++t) {
        f.coefficient[t] = a->term[t].slot ? integer[a->term[t].slot] : 1;
        f.most[t] = most_of(k, integer, a->term[t].value);
        f.value[t] = a->term[t].value;
    }
    for (int d = 0; d < k->ndim; ++d) {
        f.extent[d] = integer[FSR_INT_EXTENT + d];
        f.stride[d] = fsr_form_stride(a, integer, d);
    }
    return f;
}

static int64_t step(const fsr_form *f, int d) {
    return f->extent[d] > 1 ? f->stride[d] : 0;
}

bool fsr_form_is_adjacent(const fsr_form *f, int d) {
    return f->stride[d] == 1 && f->divisor == 1 && !(f->moves >> d & 1);
}

bool fsr_form_is_beside(const fsr_form *f, int d) {
    return (f->stride[d] == 1 || f->stride[d] == -1) && f->divisor == 1 && !(f->moves >> d & 1);
}

static bool moves_along(const fsr_form *f, int d) {
    return f->stride[d] != 0 || (f->moves >> d & 1);
}

bool fsr_form_varies(const fsr_form *f, int first, int last) {
    for (int d = first; d < last; ++d)
        if (moves_along(f, d))
            return true;
    return false;
}

bool fsr_form_is_aligned(const fsr_form *f, int d, int v) {
    for (int j = 0; j < f->ndim; ++j)
        if (j != d && f->stride[j] % v != 0)
            return false;
    for (int t = 0; t < f->nterms; ++t)
        if (f->coefficient[t] % v != 0)
            return false;
    return f->offset % v == 0;
}

int64_t fsr_form_count(const fsr_form *f) {
    int64_t n = 1;
    for (int d = 0; d < f->ndim; ++d)
        n = fsr_size_mul(n, moves_along(f, d) ? f->extent[d] : 1);
    return n;
}

/* Adds by * [0, most] to a range that goes `down` and `up` from the offset. */
static void widen(int64_t *down, int64_t *up, int64_t by, int64_t most) {
    int64_t *way = by < 0 ? down : up;
    *way = by == 0 ? *way : fsr_size_add(*way, fsr_size_mul(by < 0 ? -by : by, most));
}

void fsr_form_range(const fsr_form *f, int64_t *low, int64_t *high) {
    int64_t down = 0, up = 0;
    for (int d = 0; d < f->ndim; ++d)
        widen(&down, &up, step(f, d), f->extent[d] - 1);
    for (int t = 0; t < f->nterms; ++t)
        widen(&down, &up, f->coefficient[t], f->most[t]);
    *high = fsr_size_add(f->offset, up);
    *low = f->offset < 0 ? -fsr_size_add(-f->offset, down) : f->offset - down;
}

bool fsr_form_same(const fsr_form *a, const fsr_form *b) {
    bool same = !a->whole && !b->whole && a->offset == b->offset && a->divisor == 1 && b->divisor == 1 &&
                a->nterms == b->nterms;
    for (int d = 0; d < a->ndim; ++d)
        same = same && step(a, d) == step(b, d);
    for (int t = 0; same && t < a->nterms; ++t)
        same = a->value[t] == b->value[t] && a->coefficient[t] == b->coefficient[t];
    return same;
}

bool fsr_form_apart(const fsr_form *a, const fsr_form *b) {
    int64_t low[2], high[2], divisor = 0;
    if (a->divisor != 1 || b->divisor != 1 || a->whole || b->whole)
        return false;
    fsr_form_range(a, &low[0], &high[0]);
    fsr_form_range(b, &low[1], &high[1]);
    if (high[0] < low[1] || high[1] < low[0])
        return true;
    for (int d = 0; d < a->ndim; ++d)
        divisor = fsr_common_divisor(fsr_common_divisor(divisor, step(a, d)), step(b, d));
    for (int t = 0; t < a->nterms; ++t)
        divisor = fsr_common_divisor(divisor, a->coefficient[t]);
    for (int t = 0; t < b->nterms; ++t)
        divisor = fsr_common_divisor(divisor, b->coefficient[t]);
    return divisor && (a->offset - b->offset) % divisor != 0;
}
