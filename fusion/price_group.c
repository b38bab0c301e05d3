/* SPDX-License-Identifier: MIT */
/* Whether two kernels are cheaper apart than as one.
 *
 * Counter-example to joining whatever reads something in common: of a square matrix the sums of rows and those of
 * columns have one domain, and one of the two would read all of it across memory's order. */
#include "fusion/address.h"
#include "fusion/partition_parts.h"
#include "fusion/price.h"

/* A fold or scan that goes element after element: what a GPU computes in its loop its few threads compute alone. */
static bool goes_in_order(const fsr_kernel *k) {
    bool any = false;
    for (int f = 0; f < k->nfolds; ++f)
        any = any || k->fold[f].combine->sequential;
    return any;
}

/* Something may be worse in the joined kernel than it is apart: a gather; beside folds, a guard, an array that lies
 * across another one, or on a GPU an order. */
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
    return gathers || (k->npasses > 0 && (k->nguards > 0 || (turned && straight)));
}

bool fsr_price_is_less_apart(const fsr_partition *p, const fsr_group *both, const fsr_group *a, const fsr_group *b,
                             fsr_note *note) {
    const fsr_prices *prices = fsr_prices_of(p->target->gpu);
    double issue;
    if (both->library || a->library || b->library || !is_doubtful(prices, both, p->target->gpu))
        return false;
    const double joined = fsr_price_group(p, both, &issue);
    const double apart = fsr_price_group(p, a, &issue) + fsr_price_group(p, b, &issue);
    if (joined * (1 - prices->margin) <= apart)
        return false;
    note->joined = joined;
    note->apart = apart;
    return true;
}
