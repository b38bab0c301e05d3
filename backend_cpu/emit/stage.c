/* SPDX-License-Identifier: MIT */
/* Cutting a loop into stages, which run one after the other over a strip, in generated C.
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
#include "backend_cpu/emit/parts.h"
#include <string.h>

enum {
    FUNCTION = 10,    /* the table's cost of operations that count as functions */
    MOST_HELD = 32,   /* bytes of an element, all arrays of a chain's strip together */
    MOST_TOGETHER = 8 /* functions of a path in one stage */
};

/* ---- values of a strip --------------------------------------------------------------------------- */

/* A count that only compacted stores name. */
static bool is_count(const fsr_c_emit *e, int number) {
    return e->k->inst[number].kind == FSR_INST_RESULT && e->counted[e->k->inst[number].index];
}

static bool moves(const fsr_kernel *k, const fsr_access *a) {
    return a->linear || a->row_linear || (k->ndim > 0 && a->stride[k->ndim - 1] != FSR_STRIDE_ZERO);
}

/* The loop's values that may differ from element to element, and whatever is written once only. */
static void find_moving(const fsr_c_emit *e, const fsr_c_loop *loop, bool *moving) {
    memset(moving, 0, FSR_MAX_INSTS * sizeof *moving);
    for (int i = 0; i < loop->n; i++) {
        const int number = loop->inst[i];
        const fsr_inst *inst = &e->k->inst[number];
        int argument[FSR_MAX_ARGUMENTS], read = fsr_c_arguments(e, number, argument);
        bool *own = &moving[number];
        switch (inst->kind) {
        case FSR_INST_CONST:
        case FSR_INST_PARAM: break;
        case FSR_INST_INDEX: *own = inst->index == e->k->ndim - 1; break;
        case FSR_INST_LOAD:
            *own = inst->keep || fsr_inst_guard(inst) >= 0 || moves(e->k, &e->k->access[inst->index]);
            break;
        case FSR_INST_OP:
        case FSR_INST_CALL:
            *own = inst->keep;
            for (int a = 0; a < read; a++)
                *own |= moving[argument[a]];
            break;
        default: *own = true;
        }
    }
}

/* The values that a stage writes again instead of reading them from an array. */
static void find_again(const fsr_c_emit *e, const fsr_c_loop *loop, bool *again) {
    bool moving[FSR_MAX_INSTS];
    find_moving(e, loop, moving);
    memset(again, 0, FSR_MAX_INSTS * sizeof *again);
    for (int i = 0; i < loop->n; i++)
        again[loop->inst[i]] = !moving[loop->inst[i]] || e->k->inst[loop->inst[i]].kind == FSR_INST_INDEX;
}

static bool lists(const fsr_c_loop *loop, int value) {
    for (int i = 0; i < loop->n; i++)
        if (loop->inst[i] == value)
            return true;
    return false;
}

static bool reads(const fsr_c_emit *e, const fsr_c_loop *loop, int value) {
    for (int i = 0; i < loop->n; i++) {
        int argument[FSR_MAX_ARGUMENTS], read = fsr_c_arguments(e, loop->inst[i], argument);
        for (int a = 0; a < read; a++)
            if (argument[a] == value)
                return true;
    }
    return false;
}

/* True for values that a later stage than their own reads. Kept values of an earlier pass are read anew in each. */
static void find_crossing(const fsr_c_emit *e, const fsr_c_loop *loop, const int *stage, bool *crossing) {
    bool again[FSR_MAX_INSTS];
    find_again(e, loop, again);
    memset(crossing, 0, FSR_MAX_INSTS * sizeof *crossing);
    for (int i = 0; i < loop->n; i++) {
        int argument[FSR_MAX_ARGUMENTS], read = fsr_c_arguments(e, loop->inst[i], argument);
        for (int a = 0; a < read; a++) {
            const int value = argument[a];
            if (stage[value] < stage[loop->inst[i]] && lists(loop, value) && !again[value] &&
                fsr_c_is_element(e, value) && e->k->inst[value].kind != FSR_INST_ITERATE)
                crossing[value] = true;
        }
    }
}

/* ---- stages -------------------------------------------------------------------------------------- */

static bool is_function(const fsr_c_emit *e, int number) {
    const fsr_inst *inst = &e->k->inst[number];
    return inst->kind == FSR_INST_OP && fsr_op_get(inst->op)->cost >= FUNCTION &&
           (fsr_dtype_is_float(inst->compute) || fsr_dtype_is_complex(inst->compute));
}

/* The stages, of at most `together` functions in a row; 0: any number. Returns how many there are; *chained: a chain
 * was cut. length[i]: functions in a row up to instruction i, within its stage. */
static int find_stages(const fsr_c_emit *e, const fsr_c_loop *loop, int together, int *stage, bool *chained) {
    int of_fold[FSR_MAX_COMBINES] = {0}, length[FSR_MAX_INSTS] = {0}, stages = 1;
    bool moving[FSR_MAX_INSTS];
    find_moving(e, loop, moving);
    memset(stage, 0, FSR_MAX_INSTS * sizeof *stage);
    *chained = false;
    for (int i = 0; i < loop->n; i++) {
        const int number = loop->inst[i];
        const fsr_inst *inst = &e->k->inst[number];
        int *own = &stage[number], argument[FSR_MAX_ARGUMENTS], read = fsr_c_arguments(e, number, argument);
        for (int a = 0; a < read; a++)
            *own = stage[argument[a]] > *own ? stage[argument[a]] : *own;
        for (int a = 0; a < read; a++)
            if (stage[argument[a]] == *own && length[argument[a]] > length[number])
                length[number] = length[argument[a]];
        const int before = *own;
        if (moving[number] && is_function(e, number) && length[number]++ == together && together) {
            ++*own;
            *chained = true;
        }
        if (inst->kind == FSR_INST_COMBINE)
            of_fold[inst->index] = *own;
        if (inst->kind == FSR_INST_RESULT && !is_count(e, number))
            *own = of_fold[inst->index] + 1;
        if (inst->kind == FSR_INST_FINAL && fsr_c_is_element(e, number))
            ++*own;
        if (*own > before)
            length[number] = is_function(e, number);
        stages = *own >= stages ? *own + 1 : stages;
    }
    return stages;
}

static bool has_scan(const fsr_c_emit *e, const fsr_c_loop *loop) {
    for (int i = 0; i < loop->nfolds; i++)
        if (fsr_c_is_scan(e, loop->folds[i]))
            return true;
    return false;
}

/* Values of 16 bits are held as f32. */
static int held_bytes(const fsr_c_emit *e, const fsr_c_loop *loop, const int *stage) {
    bool crossing[FSR_MAX_INSTS];
    int bytes = 0;
    find_crossing(e, loop, stage, crossing);
    for (int i = 0; i < loop->n; i++) {
        const fsr_dtype dtype = e->k->inst[loop->inst[i]].dtype;
        if (crossing[loop->inst[i]])
            bytes += fsr_dtype_is_half(dtype) ? 4 : (int)fsr_dtype_size(dtype);
    }
    return bytes;
}

/* How many functions in a row a stage gets; 0: the loop is no chain, or cannot be cut. */
static int chain_step(const fsr_c_emit *e, const fsr_c_loop *loop) {
    int stage[FSR_MAX_INSTS];
    bool chained;
    if (loop->nfolds && !e->laned && !has_scan(e, loop))
        return 0;
    for (int i = 0; i < loop->n; i++)
        if (fsr_inst_guard(&e->k->inst[loop->inst[i]]) >= 0)
            return 0;
    for (int together = 1; together <= MOST_TOGETHER; together *= 2) {
        find_stages(e, loop, together, stage, &chained);
        if (!chained)
            return 0;
        if (held_bytes(e, loop, stage) <= MOST_HELD)
            return together;
    }
    return 0;
}

bool fsr_c_is_chain(const fsr_c_emit *e, const fsr_c_loop *loop) {
    return chain_step(e, loop) > 0;
}

bool fsr_c_has_strips(const fsr_c_emit *e, const fsr_c_loop *loop) {
    return has_scan(e, loop) || fsr_c_is_looped(e, loop) || (!loop->nfolds && fsr_c_is_chain(e, loop));
}

int fsr_c_stages(const fsr_c_emit *e, const fsr_c_loop *loop, int *stage) {
    bool chained;
    return find_stages(e, loop, chain_step(e, loop), stage, &chained);
}

void fsr_c_stage_of(const fsr_c_emit *e, const fsr_c_loop *loop, const int *stage, int which, fsr_c_loop *out) {
    bool again[FSR_MAX_INSTS], needed[FSR_MAX_INSTS] = {false};
    find_again(e, loop, again);
    for (int i = loop->n - 1; i >= 0; i--) {
        const int number = loop->inst[i];
        int argument[FSR_MAX_ARGUMENTS], read = fsr_c_arguments(e, number, argument);
        needed[number] |= stage[number] == which && !again[number] && !is_count(e, number);
        for (int a = 0; needed[number] && a < read; a++)
            needed[argument[a]] |= again[argument[a]];
    }
    *out = (fsr_c_loop){.pass = loop->pass};
    for (int i = 0; i < loop->n; i++)
        if (needed[loop->inst[i]])
            out->inst[out->n++] = loop->inst[i];
    out->nfolds = fsr_c_folds_of(e, out->inst, out->n, out->folds);
}

/* ---- text ---------------------------------------------------------------------------------------- */

void fsr_c_hold_arrays(fsr_c_emit *e, const fsr_c_loop *loop) {
    int stage[FSR_MAX_INSTS];
    fsr_c_stages(e, loop, stage);
    find_crossing(e, loop, stage, e->crossing);
    for (int i = 0; i < e->k->ninsts; i++)
        if (e->crossing[i])
            fsr_c_line(e, "%s u%d_[%d];", fsr_c_type(e->k->inst[i].dtype), i, FSR_EMIT_STRIP);
}

void fsr_c_take(fsr_c_emit *e, const fsr_c_loop *part, const char *at) {
    for (int i = 0; i < e->k->ninsts; i++)
        if (e->crossing[i] && !lists(part, i) && reads(e, part, i))
            fsr_c_line(e, "const %s v%d = u%d_[%s];", fsr_c_type(e->k->inst[i].dtype), i, i, at);
}

void fsr_c_hold(fsr_c_emit *e, const fsr_c_loop *part, const char *at) {
    for (int i = 0; i < part->n && !e->checking; i++)
        if (e->crossing[part->inst[i]])
            fsr_c_line(e, "u%d_[%s] = v%d;", part->inst[i], at, part->inst[i]);
}
