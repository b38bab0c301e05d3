/* SPDX-License-Identifier: MIT */
/* The price of a lowered map: what its operations and its bytes cost, as it would be scheduled.
 *
 * A loop has versions that know which guards hold; where none runs, every alternative of a choice is computed, its
 * loads under guards that are asked for. What does not vary along the innermost dimension is computed once a run of it,
 * and an innermost loop of a few turns is no vector code. Of lines of memory of which every n-th element is touched all
 * of it moves.
 *
 * Counter-example to counting instructions: of 27 versions of a stencil's edges and its inside nearly all elements run
 * the inside's. */
#include "fusion/address.h"
#include "fusion/price.h"
#include "fusion/schedule.h"
#include "fusion/schedule_parts.h"
#include "fusion/walk.h"

/* Elements apart along the innermost dimension; 0: the same one. Of computed places nothing is known. */
static double stride_of(const fsr_group *group, int access) {
    const fsr_kernel *k = group->kernel;
    const fsr_form f = fsr_form_of_access(k, group->integer, access);
    if (k->ndim == 0)
        return 0;
    const int64_t stride = f.stride[k->ndim - 1];
    return (f.moves >> (k->ndim - 1) & 1) ? 1e9 : (double)(stride < 0 ? -stride : stride) / (double)f.divisor;
}

static double cost_of(const fsr_prices *prices, const fsr_group *group, const fsr_loop_version *version, int number) {
    const fsr_kernel *k = group->kernel;
    const fsr_inst *inst = &k->inst[number];
    const int guard = fsr_inst_guard(inst);
    const double asked =
        guard >= 0 && fsr_guard_known(k, version, guard) == FSR_ASKED ? prices->guarded * k->guard[guard].n : 0;
    switch (inst->kind) {
    case FSR_INST_OP: return fsr_inst_chosen(k, version, number) >= 0 ? 0 : fsr_inst_cost(k, number);
    case FSR_INST_CALL: return prices->call;
    case FSR_INST_LOAD: return prices->load + asked;
    case FSR_INST_STORE: return stride_of(group, inst->index) > 1 ? prices->strided : 1;
    case FSR_INST_GUARD: return asked;
    case FSR_INST_CONST:
    case FSR_INST_PARAM: return 0;
    default: return 1;
    }
}

/* A load with a stride, of which a guard is asked that the innermost loop changes: no compiler makes vector code of
 * it. */
static bool is_scalar(const fsr_group *group, const fsr_loop_version *version, int number) {
    const fsr_kernel *k = group->kernel;
    const fsr_inst *inst = &k->inst[number];
    bool inner = false;
    if (inst->kind != FSR_INST_LOAD || !inst->guard || stride_of(group, inst->index) <= 1 ||
        fsr_guard_known(k, version, inst->guard - 1) != FSR_ASKED)
        return false;
    for (int i = 0; i < k->guard[inst->guard - 1].n; ++i) {
        const int c = k->guard[inst->guard - 1].condition[i];
        inner = inner || (!(version->holds >> c & 1) && fsr_condition_is_inner(k, c));
    }
    return inner;
}

double fsr_price_element(const fsr_prices *prices, const fsr_group *group, const fsr_loop_version *version) {
    const fsr_kernel *k = group->kernel;
    const double inner = k->ndim ? (double)group->extent[k->ndim - 1] : 1;
    uint32_t moves[FSR_MAX_INSTS];
    bool dead[FSR_MAX_INSTS];
    bool scalar = false;
    fsr_body body;
    double sum = 0;
    fsr_body_of(k, 0, &body);
    fsr_body_dead(k, &body, version, dead);
    fsr_values_dimensions(k, k->ninsts, moves);
    for (int i = 0; i < body.n; ++i) {
        const int number = body.inst[i];
        const bool outside = k->ndim && !(moves[number] >> (k->ndim - 1) & 1) && k->inst[number].kind != FSR_INST_STORE;
        if (dead[number])
            continue;
        sum += cost_of(prices, group, version, number) / (outside && inner > 1 ? inner : 1);
        scalar = scalar || is_scalar(group, version, number);
    }
    return scalar && inner >= prices->lanes ? sum * prices->lanes : sum;
}

/* Bytes of each array that some instruction names. */
static void whole_bytes(const fsr_partition *p, const fsr_kernel *k, double *bytes) {
    for (int i = 0; i < k->ninsts; ++i) {
        const fsr_inst *inst = &k->inst[i];
        if (inst->node < 0 || (inst->kind != FSR_INST_LOAD && inst->kind != FSR_INST_STORE))
            continue;
        const int array = k->access[inst->index].buffer;
        bytes[array] = (double)fsr_shape_bytes(&p->flow->node[inst->node].shape, k->array[array].dtype);
    }
}

double fsr_price_touched(const fsr_prices *prices, const fsr_partition *p, const fsr_group *group) {
    const fsr_kernel *k = group->kernel;
    double touched[FSR_MAX_BUFFERS] = {0}, whole[FSR_MAX_BUFFERS] = {0}, sum = 0;
    for (int a = 0; a < k->naccesses; ++a) {
        const fsr_form f = fsr_form_of_access(k, group->integer, a);
        const double size = (double)fsr_dtype_size(k->array[k->access[a].buffer].dtype), stride = stride_of(group, a);
        const double most = prices->line / size > 1 ? prices->line / size : 1;
        touched[k->access[a].buffer] += (double)fsr_form_count(&f) * size *
                                        (stride < 1      ? 1
                                         : stride < most ? stride
                                                         : most);
    }
    whole_bytes(p, k, whole);
    for (int i = 0; i < k->narrays; ++i)
        sum += touched[i] < whole[i] ? touched[i] : whole[i];
    return sum;
}

/* Operations of an element in a version, with those of the loops that do elements under a guard with a step again. */
static double version_element(const fsr_prices *prices, const fsr_group *group, const fsr_loop_version *version) {
    const fsr_kernel *k = group->kernel;
    double sum = fsr_price_element(prices, group, version);
    for (int c = 0; c < k->nconditions && k->schedule.cut_steps; ++c) {
        const fsr_loop_version there = {version->holds | UINT64_C(1) << c, version->never};
        if (!k->condition[c].step || !fsr_condition_is_inner(k, c) || !fsr_condition_is_decidable(k, c))
            continue;
        if (!((version->never | version->holds) >> c & 1))
            sum += (fsr_price_element(prices, group, &there) + prices->strided) /
                   (double)group->integer[k->condition[c].step];
    }
    return sum;
}

/* Elements times their operations, of the versions that are printed and of what is left. */
static double operations(const fsr_prices *prices, const fsr_group *group) {
    const fsr_schedule *s = &group->kernel->schedule;
    const double elements = (double)fsr_size_mul(group->integer[FSR_INT_ROWS], group->integer[FSR_INT_COLS]);
    double rest = 1, sum = 0;
    for (int i = 0; i < s->nversions; ++i) {
        const double share = fsr_version_share(group, &s->version[i]);
        sum += share * version_element(prices, group, &s->version[i]);
        rest -= share;
    }
    sum += rest > 0 ? rest * version_element(prices, group, &(fsr_loop_version){0, 0}) : 0;
    return elements * sum;
}

/* How many times longer operations take in an innermost loop of a few turns. */
static double lost_vectors(const fsr_prices *prices, const fsr_group *group) {
    const fsr_kernel *k = group->kernel;
    const double inner = k->ndim ? (double)group->extent[k->ndim - 1] : 1;
    return inner < prices->lanes && inner > 0 && group->integer[FSR_INT_ROWS] > 1 ? prices->lanes / inner : 1;
}

double fsr_price_map(const fsr_prices *prices, const fsr_partition *p, const fsr_group *group, double *work) {
    fsr_group scheduled = *group;
    scheduled.kernel = fsr_kernel_copy(group->kernel);
    if (!scheduled.kernel)
        return -1;
    fsr_schedule_choose(&scheduled, p->target);
    fsr_schedule_finish(scheduled.kernel);
    *work = operations(prices, &scheduled) * lost_vectors(prices, &scheduled) / prices->issue;
    const double memory = fsr_price_bytes(prices, fsr_price_touched(prices, p, &scheduled));
    fsr_kernel_free(scheduled.kernel);
    return prices->launch + (memory > *work ? memory : *work);
}
