/* SPDX-License-Identifier: MIT */
#include "fusion/once.h"

enum { MOST = 2 * FSR_MAX_BODY_INSTS }; /* of a body with its condition */

/* Instruction i of the region waits for an element of a table. */
static void mark_waiting(const fsr_region *r, bool *waits) {
    for (int i = 0; i < r->ninsts; i++) {
        const fsr_inst *inst = &r->inst[i];
        const int n = inst->kind == FSR_INST_OP     ? fsr_op_get(inst->op)->arity
                      : inst->kind == FSR_INST_LOAD ? inst->component
                      : inst->kind == FSR_INST_CALL ? -1
                                                    : 0;
        waits[i] = n < 0 || inst->kind == FSR_INST_LOAD;
        for (int a = 0; a < n; a++)
            waits[i] = waits[i] || waits[inst->arg[a]];
    }
}

/* Tables of a loop by what their places wait for. */
static void sort_tables(const fsr_kernel *k, const fsr_turns *turns, uint64_t *once, uint64_t *again) {
    const fsr_region *r = &turns->program->body;
    bool waits[MOST] = {false};
    if (r->ninsts > MOST) {
        *again = ~UINT64_C(0);
        return;
    }
    mark_waiting(r, waits);
    for (int i = 0; i < r->ninsts; i++) {
        bool far = false;
        if (r->inst[i].kind != FSR_INST_LOAD)
            continue;
        for (int j = 0; j < r->inst[i].component; j++)
            far = far || waits[r->inst[i].arg[j]];
        *(far ? again : once) |= UINT64_C(1) << k->access[turns->table[r->inst[i].index].access].buffer;
    }
}

uint64_t fsr_kernel_reads_once(const fsr_kernel *k) {
    uint64_t once = 0, again = 0, other = 0;
    for (int l = 0; l < k->nloops; l++)
        sort_tables(k, &k->loop[l], &once, &again);
    for (int i = 0; i < k->ninsts; i++)
        if (k->inst[i].kind == FSR_INST_LOAD || k->inst[i].kind == FSR_INST_STORE)
            other |= UINT64_C(1) << k->access[k->inst[i].index].buffer;
    for (int b = 0; b < k->narrays; b++)
        other |= k->array[b].written ? UINT64_C(1) << b : 0;
    return again ? once & ~again & ~other : 0;
}
