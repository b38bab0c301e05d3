/* SPDX-License-Identifier: MIT */
/* What blocks of rows side by side cost a CPU beside what lies in them: of each column a block takes a run of memory,
 * and the next column's run begins where other blocks' runs have been.
 *
 * Whoever goes through memory in order has the next line before it is asked for. A block that is as wide as its rows
 * goes so; of a narrower one what is fetched ahead is another block's, and what is stored waits for lines that nobody
 * has asked for. It is no matter where an array is small, or where the pass before has left all of a block near.
 * Threads divide rows into blocks where columns are not in parts: as many as nominal threads are there in any case.
 *
 * Counter-example to bytes alone: a softmax down 28,130 columns of 320 rows took 23 ms of one thread as one kernel,
 * 13 of them for its last pass, 5 as wide as its rows; its exponentials, stored by a kernel of their own, 6. A map of
 * 9,000,000 f32 in blocks of 64 to 512 of 320, 1000, 1024 and 4000 took two to four times what it takes in order,
 * maxima 1.0 to 1.5 times. */
#include "fusion/price.h"
#include "fusion/schedule.h"
#include "fusion/walk.h"
#include <math.h>

static const double READ = 0.1; /* of what a store costs there a load does */

/* Rows of a block, and of those beside each other all that there are. */
static bool is_narrow(const fsr_prices *prices, const fsr_group *group) {
    const fsr_kernel *k = group->kernel;
    const double beside = (double)group->extent[k->nparallel - 1];
    const double share = k->schedule.part ? beside : ceil(beside / fmax(prices->sharers, 1));
    return fmin(share, k->schedule.abreast) < beside;
}

/* What goes down columns in order stores as it goes in any case. */
static bool is_ordered(const fsr_kernel *k) {
    return fsr_kernel_has_scan(k) || fsr_kernel_has_sequence(k);
}

/* It goes on along the rows, and is too large to stay anywhere. */
static double far_of(const fsr_prices *prices, const fsr_group *group, int access) {
    const fsr_kernel *k = group->kernel;
    const fsr_form f = fsr_form_of_access(k, k->integer, access);
    const double bytes = (double)fsr_form_count(&f) * (double)fsr_dtype_size(k->array[k->access[access].buffer].dtype);
    const bool along = f.stride[k->nparallel - 1] == 1 && f.divisor == 1 && !f.nterms && f.stride[k->ndim - 1] != 0;
    return along && bytes > prices->near ? fmin(bytes / (2 * prices->near), 1) : 0;
}

double fsr_price_blocks(const fsr_prices *prices, const fsr_group *group, int pass) {
    const fsr_kernel *k = group->kernel;
    double sum = 0;
    fsr_body body;
    if (prices->narrow <= 0 || k->schedule.kind != FSR_SCHEDULE_COL || k->npasses < 2 || !k->nparallel ||
        is_ordered(k) || !is_narrow(prices, group) || fsr_block_is_cached(k, k->integer))
        return 0;
    fsr_body_of(k, pass, &body);
    for (int i = 0; i < body.n; ++i) {
        const fsr_inst *inst = &k->inst[body.inst[i]];
        if (inst->kind == FSR_INST_STORE)
            sum += prices->narrow * far_of(prices, group, inst->index);
        else if (inst->kind == FSR_INST_LOAD)
            sum += prices->narrow * READ * far_of(prices, group, inst->index);
    }
    return sum;
}

bool fsr_price_may_be_narrow(const fsr_prices *prices, const fsr_group *group) {
    const fsr_kernel *k = group->kernel;
    bool any = false;
    for (int a = 0; a < k->naccesses && k->npasses > 1 && k->nparallel && prices->narrow > 0; ++a)
        any = any || far_of(prices, group, a) > 0;
    return any;
}
