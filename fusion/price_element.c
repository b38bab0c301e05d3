/* SPDX-License-Identifier: MIT */
/* What an element of a scheduled kernel's loop costs, in operations, in a version of the loop that knows some
 * conditions of guards.
 *
 * A loop has versions that know which guards hold; where none runs, every alternative of a choice is computed, its
 * loads under guards that are asked for. What does not vary along the innermost dimension is computed once a run of it.
 * Some loops are no vector code: those of a load with a stride under a guard that the innermost dimension changes, and
 * those of a few turns beside a gather or a guard that is asked for, which have no stages and no versions.
 *
 * Counter-example to counting instructions: of 27 versions of a stencil's edges and its inside nearly all elements run
 * the inside's. */
#include "fusion/address.h"
#include "fusion/price.h"
#include "fusion/walk.h"
#include <math.h>

enum { FEW_LANES = 2 }; /* a gather is done element by element in any case */

bool fsr_price_is_gather(const fsr_form *f) {
    return f->nterms > 0 && f->moves != 0;
}

int fsr_price_inner(const fsr_kernel *k) {
    const fsr_schedule *s = &k->schedule;
    const bool rows = s->kind == FSR_SCHEDULE_COL || (s->kind == FSR_SCHEDULE_LOOKBACK && s->abreast > 1);
    return rows ? k->nparallel - 1 : k->ndim - 1;
}

static double stride_of(const fsr_form *f, int d) {
    if (d < 0)
        return 0;
    return (f->moves >> d & 1) ? 1e9 : fabs((double)f->stride[d]) / (double)f->divisor;
}

double fsr_price_stride(const fsr_group *group, int access, int d) {
    const fsr_form f = fsr_form_of_access(group->kernel, group->kernel->integer, access);
    return stride_of(&f, d);
}

/* Of a load at a computed index: of its neighbours in memory, or from anywhere; 0: it is none. */
static double gather_of(const fsr_prices *prices, const fsr_kernel *k, int access, const fsr_form *f) {
    const double size = (double)fsr_dtype_size(k->array[k->access[access].buffer].dtype);
    double span = 0;
    if (!fsr_price_is_gather(f))
        return 0;
    for (int t = 0; t < f->nterms; ++t)
        span += fabs((double)f->coefficient[t]) * (double)f->most[t];
    return span * size > 2 * prices->near ? prices->far : prices->gather;
}

/* The element is one of a tile in shared memory. */
static bool is_in_tile(const fsr_kernel *k, const fsr_access *access) {
    return access->near.down || (k->schedule.high && k->array[access->buffer].banded);
}

/* In tiles a thread has no vectors: elements narrower than a word are loaded and stored as words are. Counter-example to
 * counting them as in a map: a blur of u16 in two passes, 0.026 ms of an H200 in tiles, 0.021 in two kernels. */
static double narrow_of(const fsr_kernel *k, int access) {
    enum { WORD = 4 };
    const double size = (double)fsr_dtype_size(k->array[k->access[access].buffer].dtype);
    return k->schedule.high && size < WORD ? WORD / size : 1;
}

/* Loads and stores of every n-th element are done one by one, and such a store takes part of a line of memory. */
static double loads_of(const fsr_prices *prices, const fsr_kernel *k, const fsr_inst *inst, double stride) {
    if (is_in_tile(k, &k->access[inst->index]))
        return prices->shared;
    return fmin(fmax(stride, 1), inst->kind == FSR_INST_STORE ? prices->across : prices->strided) *
           narrow_of(k, inst->index);
}

/* A loop is taken for a few turns of its program. */
static double turns_of(const fsr_kernel *k, const fsr_inst *inst) {
    enum { LIKELY_TURNS = 16 };
    const fsr_region *r = &k->loop[inst->index].program->body;
    double sum = 1;
    for (int i = 0; i < r->ninsts; ++i)
        sum += r->inst[i].kind == FSR_INST_OP ? 1 + fsr_op_get(r->inst[i].op)->cost : 1;
    return LIKELY_TURNS * sum;
}

static double cost_of(const fsr_price_loop *l, const fsr_loop_version *version, int number) {
    const fsr_kernel *k = l->group->kernel;
    const fsr_prices *prices = l->prices;
    const fsr_inst *inst = &k->inst[number];
    const int guard = fsr_inst_guard(inst);
    const double asked =
        guard >= 0 && fsr_guard_known(k, version, guard) == FSR_ASKED ? prices->guarded * k->guard[guard].n : 0;
    switch (inst->kind) {
    case FSR_INST_OP:
        return fsr_inst_chosen(k, version, number) >= 0
                   ? 0
                   : fsr_inst_cost(k, number) + fsr_price_divides(prices, inst->op);
    case FSR_INST_CALL: return prices->call;
    case FSR_INST_ITERATE: return turns_of(k, inst);
    case FSR_INST_LOAD: return prices->load + asked;
    case FSR_INST_STORE: return l->stride[number] > 1 ? prices->strided : 1;
    case FSR_INST_GUARD: return asked;
    case FSR_INST_CONST:
    case FSR_INST_PARAM: return 0;
    default: return 1;
    }
}

/* A load with a stride, of which a guard is asked that the innermost loop changes: no compiler makes vector code of
 * it. */
static bool is_scalar(const fsr_price_loop *l, const fsr_loop_version *version, int number) {
    const fsr_kernel *k = l->group->kernel;
    const fsr_inst *inst = &k->inst[number];
    bool inner = false;
    if (inst->kind != FSR_INST_LOAD || !inst->guard || l->stride[number] <= 1 ||
        fsr_guard_known(k, version, inst->guard - 1) != FSR_ASKED)
        return false;
    for (int i = 0; i < k->guard[inst->guard - 1].n; ++i) {
        const int c = k->guard[inst->guard - 1].condition[i];
        inner = inner || (!(version->holds >> c & 1) && fsr_condition_is_inner(k, c));
    }
    return inner;
}

static bool is_asked(const fsr_kernel *k, const fsr_loop_version *version, int number) {
    const int guard = fsr_inst_guard(&k->inst[number]);
    return guard >= 0 && fsr_guard_known(k, version, guard) == FSR_ASKED;
}

/* Elements along the inner dimension that share what does not vary along it: a CPU's innermost loop, those of a GPU's
 * thread. */
static double run_of(const fsr_group *group, int d) {
    const fsr_schedule *s = &group->kernel->schedule;
    const double extent = d >= 0 ? (double)group->extent[d] : 1;
    const int own = s->kind == FSR_SCHEDULE_COL ? s->vector : s->items;
    return s->target == FSR_TARGET_CPU ? extent : fmin(extent, fmax(own, 1));
}

/* The part of what an instruction does that one element is charged for. */
static double share_of(const fsr_inst *inst, int d, double inner, uint32_t moves) {
    const bool effect =
        inst->kind == FSR_INST_STORE || inst->kind == FSR_INST_COMBINE || inst->kind == FSR_INST_ITERATE;
    return d >= 0 && !(moves >> d & 1) && !effect && inner > 1 ? 1 / inner : 1;
}

/* The part of a gather that an element is charged for: a CPU takes a row whole whose place is computed once. */
static double row_of(const fsr_price_loop *l, const fsr_form *f, int d) {
    const bool rows = l->group->kernel->schedule.target == FSR_TARGET_CPU &&
                      l->group->kernel->schedule.kind == FSR_SCHEDULE_MAP && d >= 0 && !(f->moves >> d & 1);
    return rows ? 1 / fmax(l->inner, 1) : 1;
}

void fsr_price_loop_of(fsr_price_loop *out, const fsr_prices *prices, const fsr_group *group, int pass) {
    const fsr_kernel *k = group->kernel;
    const int d = fsr_price_inner(k);
    uint32_t moves[FSR_MAX_INSTS];
    out->prices = prices;
    out->group = group;
    out->inner = run_of(group, d);
    fsr_body_of(k, pass, &out->body);
    fsr_values_dimensions(k, k->ninsts, moves);
    for (int i = 0; i < out->body.n; ++i) {
        const int number = out->body.inst[i];
        const fsr_inst *inst = &k->inst[number];
        out->share[number] = share_of(inst, d, out->inner, moves[number]);
        if (inst->kind != FSR_INST_LOAD && inst->kind != FSR_INST_STORE)
            continue;
        const fsr_form f = fsr_form_of_access(k, k->integer, inst->index);
        out->stride[number] = stride_of(&f, d);
        out->gather[number] =
            inst->kind == FSR_INST_LOAD ? gather_of(prices, k, inst->index, &f) * row_of(out, &f, d) : 0;
        out->access[number] = loads_of(prices, k, inst, out->stride[number]);
    }
}

fsr_price_work fsr_price_version(const fsr_price_loop *l, const fsr_loop_version *version) {
    const fsr_prices *prices = l->prices;
    const fsr_kernel *k = l->group->kernel;
    bool dead[FSR_MAX_INSTS], scalar = false, asks = false;
    double sum = 0, gathers = 0, loads = 0, stores = 0;
    fsr_body_dead(k, &l->body, version, dead);
    for (int i = 0; i < l->body.n; ++i) {
        const int number = l->body.inst[i];
        const fsr_inst *inst = &k->inst[number];
        const double share = l->share[number];
        if (dead[number])
            continue;
        sum += cost_of(l, version, number) * share;
        gathers += inst->kind == FSR_INST_LOAD ? l->gather[number] * share : 0;
        loads += inst->kind == FSR_INST_LOAD ? l->access[number] * share : 0;
        stores += inst->kind == FSR_INST_STORE ? l->access[number] * share : 0;
        scalar = scalar || is_scalar(l, version, number);
        asks = asks || is_asked(k, version, number);
    }
    const bool mixed = gathers > 0 && !k->schedule.walk[l->body.pass].phased;
    const bool serial = (scalar && l->inner >= prices->lanes) || (k->schedule.brief && (mixed || asks));
    return (fsr_price_work){sum * (serial ? prices->lanes : 1) +
                                gathers * (serial && mixed ? fmin(prices->lanes, FEW_LANES) : 1),
                            loads, stores};
}

fsr_price_work fsr_price_element(const fsr_prices *prices, const fsr_group *group, int pass,
                                 const fsr_loop_version *version) {
    fsr_price_loop loop;
    fsr_price_loop_of(&loop, prices, group, pass);
    return fsr_price_version(&loop, version);
}

/* ns of loads and stores. A thread waits for what it loads, and not for what it stores. Counter-example to one rate: 33
 * columns that are filtered have a thread each, whose stores across memory would take as long as so many loads of far
 * away, one after the other. */
double fsr_price_accesses(const fsr_prices *prices, const fsr_price_work *work, double threads) {
    return work->loads / fmin(prices->loads, threads * prices->fetches) +
           work->stores / fmin(prices->loads, threads * prices->posts);
}
