/* SPDX-License-Identifier: MIT */
/* What a function takes beside that which waits for another one of the same loop: by columns a CPU's loop over rows
 * goes in stages where there is not too much to hold between these (schedule_stage.c): neighbours' are computed side
 * by side. In a loop of one vector or two each function waits: there are no neighbours, and the next column is too far
 * away to be looked at.
 *
 * Counter-example to the sum of all: sines and exponentials of each other, beside a scan down columns, took 2.1 times
 * what each of them takes; six beside sums of 8 rows, three of them of another one, 2.5 times (seed 1280219). */
#include "fusion/price.h"
#include "fusion/schedule_parts.h"
#include <string.h>

double fsr_price_chained(const fsr_price_loop *l, const bool *waits, int number) {
    const fsr_kernel *k = l->group->kernel;
    const fsr_inst *inst = &k->inst[number];
    if (inst->kind != FSR_INST_OP || !fsr_price_is_function(inst))
        return 0;
    const bool cut = k->schedule.walk[l->body.pass].functions > 0;
    const int times = (waits[number] && !cut) + (l->inner < 2 * l->prices->lanes);
    return times * (l->prices->chained - 1) * fsr_price_operation(l->prices, inst);
}

void fsr_price_find_waiting(const fsr_price_loop *l, const bool *dead, bool *waits) {
    const fsr_kernel *k = l->group->kernel;
    bool behind[FSR_MAX_INSTS] = {false};
    memset(waits, 0, (size_t)k->ninsts * sizeof *waits);
    for (int i = 0; i < l->body.n; ++i) {
        const int number = l->body.inst[i];
        int argument[FSR_MAX_ARGUMENTS], n = dead[number] ? 0 : fsr_inst_arguments(k, number, argument);
        for (int a = 0; a < n; ++a)
            behind[number] = behind[number] || behind[argument[a]];
        const bool function =
            !dead[number] && k->inst[number].kind == FSR_INST_OP && fsr_price_is_function(&k->inst[number]);
        waits[number] = function && behind[number];
        behind[number] = behind[number] || function;
    }
}
