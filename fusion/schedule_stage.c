/* SPDX-License-Identifier: MIT */
/* Cutting a CPU's loop into stages, which run one after the other over a strip.
 *
 * A stage ends where a scan or a loop for each element has to be done with the whole strip before its results can be
 * read, and in a chain before each elementary function that needs another. A value that a later stage reads is held in
 * an array of its own; what is the same for the whole strip, and indices, are written again instead: compilers move
 * the former out of the loop.
 *
 * Chains: a processor looks some 200 vector instructions ahead, three turns of a loop around one function, which it
 * then works on side by side. Counter-example: log1p(exp(x)) as one loop. A turn is 85 instructions, each waiting for
 * the one before; two turns are in sight and the units idle. Measured, two threads, arrays in the cache: log1p(exp(x))
 * 0.75 to 0.48 ns an element, sqrt(exp(2 sin(x) + 1) x + 3) - x 0.82 to 0.58, the Black-Scholes formula 1.4 times
 * faster. Of loops with reductions those with lanes are cut, and those with scans, which are in strips already. Loops
 * with guards stay whole. Where the arrays of a long chain would fill the first cache, a stage gets more functions. */
#include "fusion/schedule_parts.h"
#include "fusion/walk.h"
#include <string.h>

enum {
    FUNCTION = 10,    /* the table's cost of operations that count as functions */
    MOST_HELD = 32,   /* bytes of an element, all arrays of a chain's strip together */
    MOST_TOGETHER = 8 /* functions of a path in one stage */
};

/* ---- values of a strip --------------------------------------------------------------------------- */

/* A count that only compacted stores name. */
static bool is_count(const fsr_kernel *k, const bool *counted, int number) {
    return k->inst[number].kind == FSR_INST_RESULT && counted[k->inst[number].index];
}

static bool moves(const fsr_kernel *k, int access) {
    const fsr_access *a = &k->access[access];
    return a->linear || a->row_linear ||
           (k->ndim > 0 && fsr_access_form(k, access)->stride[k->ndim - 1] != FSR_STRIDE_ZERO);
}

/* The loop's values that may differ from element to element, and whatever is written once only. */
static void find_moving(const fsr_kernel *k, const fsr_body *body, bool *moving) {
    memset(moving, 0, FSR_MAX_INSTS * sizeof *moving);
    for (int i = 0; i < body->n; ++i) {
        const int number = body->inst[i];
        const fsr_inst *inst = &k->inst[number];
        int argument[FSR_MAX_ARGUMENTS], read = fsr_walk_arguments(k, number, argument);
        bool *own = &moving[number];
        switch (inst->kind) {
        case FSR_INST_CONST:
        case FSR_INST_PARAM: break;
        case FSR_INST_INDEX: *own = inst->index == k->ndim - 1; break;
        case FSR_INST_LOAD:
            *own = inst->keep || fsr_inst_guard(inst) >= 0 || moves(k, inst->index);
            for (int a = 0; a < read; ++a)
                *own |= moving[argument[a]];
            break;
        case FSR_INST_OP:
        case FSR_INST_CALL:
            *own = inst->keep;
            for (int a = 0; a < read; ++a)
                *own |= moving[argument[a]];
            break;
        default: *own = true;
        }
    }
}

/* The values that a stage writes again instead of reading them from an array. */
static void find_again(const fsr_kernel *k, const fsr_body *body, bool *again) {
    bool moving[FSR_MAX_INSTS];
    find_moving(k, body, moving);
    memset(again, 0, FSR_MAX_INSTS * sizeof *again);
    for (int i = 0; i < body->n; ++i)
        again[body->inst[i]] = !moving[body->inst[i]] || k->inst[body->inst[i]].kind == FSR_INST_INDEX;
}

static bool lists(const fsr_body *body, int value) {
    for (int i = 0; i < body->n; ++i)
        if (body->inst[i] == value)
            return true;
    return false;
}

/* Kept values of an earlier pass are read anew in each stage. */
void fsr_body_crossing(const fsr_kernel *k, const fsr_body *body, const int *stage, bool *crossing) {
    bool again[FSR_MAX_INSTS];
    find_again(k, body, again);
    memset(crossing, 0, FSR_MAX_INSTS * sizeof *crossing);
    for (int i = 0; i < body->n; ++i) {
        int argument[FSR_MAX_ARGUMENTS], read = fsr_walk_arguments(k, body->inst[i], argument);
        for (int a = 0; a < read; ++a) {
            const int value = argument[a];
            if (stage[value] < stage[body->inst[i]] && lists(body, value) && !again[value] &&
                fsr_inst_is_element(k, value) && k->inst[value].kind != FSR_INST_ITERATE)
                crossing[value] = true;
        }
    }
}

/* ---- stages -------------------------------------------------------------------------------------- */

static bool is_function(const fsr_kernel *k, int number) {
    const fsr_inst *inst = &k->inst[number];
    return inst->kind == FSR_INST_OP && fsr_op_get(inst->op)->cost >= FUNCTION &&
           (fsr_dtype_is_float(inst->compute) || fsr_dtype_is_complex(inst->compute));
}

/* length[i]: functions in a row up to instruction i, within its stage. */
int fsr_body_stages(const fsr_kernel *k, const fsr_body *body, int functions, int *stage, bool *chained) {
    int of_fold[FSR_MAX_COMBINES] = {0}, length[FSR_MAX_INSTS] = {0}, stages = 1;
    bool moving[FSR_MAX_INSTS], counted[FSR_MAX_COMBINES], cut = false;
    find_moving(k, body, moving);
    fsr_kernel_counted(k, counted);
    memset(stage, 0, FSR_MAX_INSTS * sizeof *stage);
    for (int i = 0; i < body->n; ++i) {
        const int number = body->inst[i];
        const fsr_inst *inst = &k->inst[number];
        int *own = &stage[number], argument[FSR_MAX_ARGUMENTS], read = fsr_walk_arguments(k, number, argument);
        for (int a = 0; a < read; ++a)
            *own = stage[argument[a]] > *own ? stage[argument[a]] : *own;
        for (int a = 0; a < read; ++a)
            if (stage[argument[a]] == *own && length[argument[a]] > length[number])
                length[number] = length[argument[a]];
        const int before = *own;
        if (moving[number] && is_function(k, number) && length[number]++ == functions && functions) {
            ++*own;
            cut = true;
        }
        if (inst->kind == FSR_INST_COMBINE)
            of_fold[inst->index] = *own;
        if (inst->kind == FSR_INST_RESULT && !is_count(k, counted, number))
            *own = of_fold[inst->index] + 1;
        if (inst->kind == FSR_INST_FINAL && fsr_inst_is_element(k, number))
            ++*own;
        if (*own > before)
            length[number] = is_function(k, number);
        stages = *own >= stages ? *own + 1 : stages;
    }
    if (chained)
        *chained = cut;
    return stages;
}

void fsr_body_stage(const fsr_kernel *k, const fsr_body *body, const int *stage, int which, fsr_body *out) {
    bool again[FSR_MAX_INSTS], needed[FSR_MAX_INSTS] = {false}, counted[FSR_MAX_COMBINES];
    find_again(k, body, again);
    fsr_kernel_counted(k, counted);
    for (int i = body->n - 1; i >= 0; --i) {
        const int number = body->inst[i];
        int argument[FSR_MAX_ARGUMENTS], read = fsr_walk_arguments(k, number, argument);
        needed[number] |= stage[number] == which && !again[number] && !is_count(k, counted, number);
        for (int a = 0; needed[number] && a < read; ++a)
            needed[argument[a]] |= again[argument[a]];
    }
    *out = (fsr_body){.pass = body->pass};
    for (int i = 0; i < body->n; ++i)
        if (needed[body->inst[i]])
            out->inst[out->n++] = body->inst[i];
    fsr_body_folds(k, out);
}

/* ---- chains --------------------------------------------------------------------------------------- */

/* Values of 16 bits are held as f32. */
static int held_bytes(const fsr_kernel *k, const fsr_body *body, const int *stage) {
    bool crossing[FSR_MAX_INSTS];
    int bytes = 0;
    fsr_body_crossing(k, body, stage, crossing);
    for (int i = 0; i < body->n; ++i) {
        const fsr_dtype dtype = k->inst[body->inst[i]].dtype;
        if (crossing[body->inst[i]])
            bytes += fsr_dtype_is_half(dtype) ? 4 : (int)fsr_dtype_size(dtype);
    }
    return bytes;
}

int fsr_chain_functions(const fsr_kernel *k, const fsr_body *body) {
    int stage[FSR_MAX_INSTS];
    bool chained;
    for (int i = 0; i < body->n; ++i)
        if (fsr_inst_guard(&k->inst[body->inst[i]]) >= 0)
            return 0;
    for (int together = 1; together <= MOST_TOGETHER; together *= 2) {
        fsr_body_stages(k, body, together, stage, &chained);
        if (!chained)
            return 0;
        if (held_bytes(k, body, stage) <= MOST_HELD)
            return together;
    }
    return 0;
}
