/* SPDX-License-Identifier: MIT */
/* Whether two kernels are cheaper apart than as one.
 *
 * Counter-example to joining whatever reads something in common: of a square matrix the sums of rows and those of
 * columns have one domain, and one of the two would read all of it across memory's order. */
#include "fusion/address.h"
#include "fusion/partition_parts.h"
#include "fusion/price.h"
#include <math.h>

/* A fold or scan that goes element after element: what a GPU computes in its loop its few threads compute alone. */
static bool goes_in_order(const fsr_kernel *k) {
    bool any = false;
    for (int f = 0; f < k->nfolds; ++f)
        any = any || k->fold[f].combine->sequential;
    return any;
}

/* Something may be worse in the joined kernel than it is apart: a gather; beside folds, a guard, an array that lies
 * across another one, threads that wait, or on a GPU an order. */
static bool is_doubtful(const fsr_prices *prices, const fsr_group *group, bool gpu) {
    const fsr_kernel *k = group->kernel;
    bool turned = false, straight = false, gathers = gpu && goes_in_order(k);
    for (int a = 0; a < k->naccesses; ++a) {
        const fsr_form f = fsr_form_of_access(k, group->kernel->integer, a);
        const int way = fsr_price_direction(prices, k, &f, a, k->ndim - 1);
        turned = turned || way > 0;
        straight = straight || way < 0;
        gathers = gathers || fsr_price_scatters_from(prices, k, &f) || (k->npasses > 0 && fsr_price_is_gather(&f));
    }
    return gathers || fsr_price_may_wait(prices, k) || fsr_price_may_be_narrow(prices, group) ||
           fsr_price_may_tear_lines(prices, k) || (k->npasses > 0 && (k->nguards > 0 || (turned && straight)));
}

/* The price of a kernel by itself; where it is no more than `most` nobody looks for less. A map that a loop of folds
 * would take in may be divided, which that loop is not. Counter-examples to the map as it is: on a GPU a running sum of
 * two halves, one of which is a stencil with edges, that asks 26 guards an element; tanh of a shifted x / max(x, 0) of
 * 150,000 by 5 f32 was one kernel of two passes, 1.1 ms of two threads of a Xeon, and 0.65 apart. On a GPU this is
 * asked of groups alone whose values are all stored. */
static double price_alone(fsr_partition *p, const fsr_group *group, const fsr_group *both, double most) {
    double issue;
    const double price = fsr_price_group(p, group, &issue);
    const uintptr_t at = (uintptr_t)group - (uintptr_t)p->group; /* a trial lies elsewhere */
    const bool own = at < (uintptr_t)p->ngroups * sizeof *p->group;
    const bool late = p->target->gpu && (!own || !fsr_group_has_needs(p, group));
    if (late || group->kernel->npasses || !both->kernel->npasses || price <= most)
        return price;
    return fmin(price, fsr_price_divided(p, group, own ? (int)(at / sizeof *p->group) : p->ngroups));
}

bool fsr_price_is_less_apart(fsr_partition *p, const fsr_group *both, const fsr_group *a, const fsr_group *b,
                             fsr_note *note) {
    const fsr_prices *prices = fsr_prices_of(p->target->gpu);
    double issue;
    if (both->library || a->library || b->library || !is_doubtful(prices, both, p->target->gpu))
        return false;
    const double joined = fsr_price_group(p, both, &issue);
    const double most = joined * (1 - prices->margin), second = price_alone(p, b, both, 0);
    const double apart = price_alone(p, a, both, most - second) + second;
    if (most <= apart)
        return false;
    note->joined = joined;
    note->apart = apart;
    return true;
}
