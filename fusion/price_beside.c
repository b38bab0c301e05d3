/* SPDX-License-Identifier: MIT */
/* What columns that lie beside each other (schedule_beside.c) take beside their operations, on a CPU: states of a row's
 * elements, that lie apart, are brought together where they meet; a scan goes element by element; what lies otherwise
 * is loaded by a loop for each row, and what a row has is spread over its elements, by another one. And what an element
 * of a row takes that is scanned.
 *
 * Counter-example to operations alone: a running sum of what eight values of a row were taken from, three of them
 * behind a paste, in rows of 8, took 3.8 ms of 1,600,000 elements for a price of 0.6 (seed 1400098); sums of rows of 2
 * to 16 take 0.3 to 0.45 ns an element, and were priced at 0.06; running sums along rows 0.76, and were priced at 0.14;
 * one down three columns with what was made of it, row by row, took 3.5 ms for a price of 1.6, and 2.0 apart (seed
 * 1482345; one thread of a Xeon, AVX2). */
#include "fusion/price.h"
#include "fusion/walk.h"

enum {
    MET = 14,     /* operations of an element whose state meets those of its row */
    SCANNED = 20, /* of one that is scanned, */
    ALONG = 12,   /* or is by itself in a row that is: in strips, which are gone over several times */
    APART = 45,   /* of one that such a row loads or stores and that is not beside its neighbour */
    LOADED = 30,  /* of a row, for each load that goes row by row */
    SPREAD = 40   /* of a row, for each of its values that its elements take */
};

static bool is_spread(const fsr_kernel *k, int value) {
    const fsr_inst_kind kind = k->inst[value].kind;
    return k->stand[value].level == FSR_ROW && kind != FSR_INST_CONST && kind != FSR_INST_PARAM;
}

double fsr_price_along(const fsr_price_loop *l, int number) {
    const fsr_kernel *k = l->group->kernel;
    const fsr_inst *inst = &k->inst[number];
    if (k->schedule.target != FSR_TARGET_CPU)
        return 0;
    if (inst->kind == FSR_INST_LOAD || inst->kind == FSR_INST_STORE)
        return l->stride[number] > 1 ? APART : 0;
    return inst->kind == FSR_INST_COMBINE && k->fold[inst->index].kind == FSR_FOLD_SCAN ? ALONG : 0;
}

double fsr_price_beside(const fsr_price_loop *l, int number) {
    const fsr_kernel *k = l->group->kernel;
    const fsr_inst *inst = &k->inst[number];
    if (k->schedule.beside && inst->kind == FSR_INST_COMBINE && k->fold[inst->index].kind == FSR_FOLD_REDUCE)
        return MET;
    if (!k->schedule.beside || k->schedule.walk[l->body.pass].form != FSR_WALK_BESIDE)
        return 0;
    if (inst->kind == FSR_INST_COMBINE && k->fold[inst->index].kind == FSR_FOLD_SCAN)
        return SCANNED;
    int argument[FSR_MAX_ARGUMENTS], n = fsr_inst_arguments(k, number, argument);
    double each = fsr_inst_lies_apart(k, number) ? LOADED : 0;
    for (int a = 0; a < n; ++a)
        each += is_spread(k, argument[a]) ? SPREAD : 0;
    return each / k->schedule.beside;
}
