/* SPDX-License-Identifier: MIT */
/* The price of a lowered kernel with folds, as it would be scheduled, and whether two kernels are cheaper apart.
 *
 * Each pass goes over its loop's instructions. Loads at computed indices go one by one, and in a loop too short for
 * stages nothing beside them is vector code; arrays that are larger than a near cache and lie across the loop's
 * direction, where others lie along it, cost lines of memory.
 *
 * Counter-example to joining whatever reads something in common: of a square matrix the sums of rows and those of
 * columns have one domain, and one of the two would read all of it across memory's order. */
#include "fusion/address.h"
#include "fusion/partition_parts.h"
#include "fusion/price.h"
#include "fusion/schedule.h"
#include "fusion/walk.h"
#include <math.h>
#include <stdlib.h>

enum { CLOSE = 16 }; /* elements apart that are taken for neighbours */

/* What one element of a pass costs. */
typedef struct element {
    double work, gathers, loads, turned, straight;
    bool asks; /* a guard, in a loop that has no version for it */
} element;

static bool is_gather(const fsr_form *f) {
    return f->nterms > 0 && f->moves != 0;
}

/* The access takes a whole array: 1, across dimension `inner`, -1, along it, 0: it takes no whole array, or is along
 * none. */
static int direction(const fsr_prices *prices, const fsr_kernel *k, const fsr_form *f, int access, int inner) {
    const double bytes = (double)fsr_form_count(f) * (double)fsr_dtype_size(k->array[k->access[access].buffer].dtype);
    bool other = false;
    if (inner < 0 || bytes <= prices->near || is_gather(f) || f->divisor != 1)
        return 0;
    for (int d = 0; d < f->ndim; ++d)
        other = other || (d != inner && f->extent[d] > 1 && f->stride[d] != 0 && llabs(f->stride[d]) < CLOSE);
    return llabs(f->stride[inner]) >= CLOSE ? other : f->stride[inner] != 0 ? -1 : 0;
}

static void add_access(const fsr_prices *prices, const fsr_group *group, int access, element *out) {
    const fsr_kernel *k = group->kernel;
    const fsr_form f = fsr_form_of_access(k, group->integer, access);
    const int way = direction(prices, k, &f, access, fsr_kernel_inner(k));
    out->turned += way > 0;
    out->straight += way < 0;
    out->gathers += is_gather(&f);
    ++out->loads;
}

static element element_of(const fsr_prices *prices, const fsr_group *group, int pass) {
    const fsr_kernel *k = group->kernel;
    element out = {0};
    fsr_body body;
    fsr_body_of(k, pass, &body);
    for (int i = 0; i < body.n; ++i) {
        const fsr_inst *inst = &k->inst[body.inst[i]];
        if (inst->kind == FSR_INST_LOAD || inst->kind == FSR_INST_STORE)
            add_access(prices, group, inst->index, &out);
        out.asks = out.asks || fsr_inst_guard(inst) >= 0;
        out.work += inst->kind == FSR_INST_CALL ? prices->call : fsr_inst_cost(k, body.inst[i]);
    }
    return out;
}

/* ns of the operations and loads of a scheduled kernel. */
static double issue_of(const fsr_prices *prices, const fsr_group *group) {
    const fsr_kernel *k = group->kernel;
    const fsr_schedule *s = &k->schedule;
    const double elements = (double)fsr_size_mul(group->integer[FSR_INT_ROWS], group->integer[FSR_INT_COLS]);
    const int d = fsr_kernel_inner(k);
    const double inner = d >= 0 ? (double)group->extent[d] : 1;
    const double few = s->brief && inner > 0 && inner < prices->lanes ? prices->lanes / inner : 1;
    double work = 0, loads = 0;
    for (int pass = 0; pass < k->npasses || pass == 0; ++pass) {
        const element e = element_of(prices, group, pass);
        const bool phased = s->walk[pass].phased;
        const bool scalar = s->brief && ((e.gathers > 0 && !phased) || e.asks);
        work +=
            e.work * (scalar ? prices->lanes : 1) + e.gathers * prices->gather * (scalar ? fmin(prices->lanes, 2) : 1);
        loads += e.loads + (s->tile || s->tall ? 0 : fmin(e.turned, e.straight) * prices->turned);
    }
    return elements * fmax(few * work * prices->moves / prices->issue, s->tall ? 0 : loads / prices->loads);
}

double fsr_price_group(const fsr_partition *p, const fsr_group *group) {
    const fsr_prices *prices = fsr_prices_of(p->target->gpu);
    fsr_group scheduled = *group;
    scheduled.kernel = fsr_kernel_copy(group->kernel);
    *p->no_memory = *p->no_memory || !scheduled.kernel;
    if (!scheduled.kernel)
        return INFINITY;
    fsr_schedule_choose(&scheduled, p->target);
    fsr_schedule_finish(scheduled.kernel);
    const double issue = issue_of(prices, &scheduled);
    const double memory = fsr_price_bytes(prices, fsr_price_touched(prices, p, &scheduled));
    fsr_kernel_free(scheduled.kernel);
    return prices->launch + fmax(memory, issue);
}

/* Something may be worse in the joined kernel than it is apart: a gather; beside folds, a guard or an array that lies
 * across another one. */
static bool is_doubtful(const fsr_prices *prices, const fsr_group *group) {
    const fsr_kernel *k = group->kernel;
    bool turned = false, straight = false, gathers = false;
    for (int a = 0; a < k->naccesses; ++a) {
        const fsr_form f = fsr_form_of_access(k, group->integer, a);
        const int way = direction(prices, k, &f, a, k->ndim - 1);
        turned = turned || way > 0;
        straight = straight || way < 0;
        gathers = gathers || is_gather(&f);
    }
    return gathers || (k->npasses > 0 && (k->nguards > 0 || (turned && straight)));
}

bool fsr_price_is_less_apart(const fsr_partition *p, const fsr_group *both, const fsr_group *a, const fsr_group *b) {
    const fsr_prices *prices = fsr_prices_of(p->target->gpu);
    if (both->library || a->library || b->library || !is_doubtful(prices, both))
        return false;
    return fsr_price_group(p, both) * (1 - prices->margin) > fsr_price_group(p, a) + fsr_price_group(p, b);
}
