/* Cutting a loop into stages, which run one after the other over a strip, in generated C.
 *
 * A stage ends where a scan or a loop for each element has to be done with the whole strip before its results can be
 * read, and in a chain of elementary functions before each but the first. A value that a later stage reads is held in
 * an array of its own.
 *
 * Chains: a processor looks some 200 vector instructions ahead, three turns of a loop around one function, which it
 * then works on side by side. Counter-example: log1p(exp(x)) as one loop. A turn is 85 instructions, each waiting for
 * the one before; two turns are in sight and the units idle. Measured, two threads, arrays in the cache: log1p(exp(x))
 * 0.75 to 0.48 ns an element, sqrt(exp(2 sin(x) + 1) x + 3) - x 0.82 to 0.58, the Black-Scholes formula 1.4 times
 * faster. Of loops with reductions those with lanes are cut. Whole stay loops with guards, which are cut at their
 * bounds (emit_cut.c), and those that would have to hold more than the first cache has room for. */
#include "backend_cpu/emit_parts.h"
#include <string.h>

enum {
    FUNCTION = 12 /* operations' cost from which a chain is cut before them */,
    MOST_HELD = 64 /* bytes of an element, all arrays of a chain's strip together */
};

/* ---- stages -------------------------------------------------------------------------------------- */

/* A count that only compacted stores name. */
static bool is_count(const fsr_c_emit *e, int number) {
    return e->k->inst[number].kind == FSR_INST_RESULT && e->counted[e->k->inst[number].index];
}

/* The stages, in a chain too if `chains`. after[i]: within its stage instruction i needs a function, or is one. */
static int cut(const fsr_c_emit *e, const fsr_c_loop *loop, bool chains, int *stage) {
    int of_fold[FSR_MAX_COMBINES] = {0}, stages = 1;
    bool after[FSR_MAX_INSTS] = {false};
    memset(stage, 0, FSR_MAX_INSTS * sizeof *stage);
    for (int i = 0; i < loop->n; i++) {
        const int number = loop->inst[i];
        const fsr_inst *inst = &e->k->inst[number];
        int *own = &stage[number], argument[FSR_MAX_ARGUMENTS], read = fsr_c_arguments(e, number, argument);
        for (int a = 0; a < read; a++)
            *own = stage[argument[a]] > *own ? stage[argument[a]] : *own;
        for (int a = 0; a < read; a++)
            after[number] |= after[argument[a]] && stage[argument[a]] == *own;
        if (chains && fsr_inst_cost(e->k, number) >= FUNCTION) {
            *own += after[number];
            after[number] = true;
        }
        if (inst->kind == FSR_INST_COMBINE)
            of_fold[inst->index] = *own;
        if (inst->kind == FSR_INST_RESULT && !is_count(e, number))
            *own = of_fold[inst->index] + 1;
        if (inst->kind == FSR_INST_FINAL && fsr_c_is_element(e, number))
            ++*own;
        stages = *own >= stages ? *own + 1 : stages;
    }
    return stages;
}

/* ---- values between stages ----------------------------------------------------------------------- */

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

static bool is_held(const fsr_c_emit *e, int value) {
    const fsr_inst *inst = &e->k->inst[value];
    return fsr_c_is_element(e, value) && !fsr_c_invariant(inst) && inst->kind != FSR_INST_INDEX &&
           inst->kind != FSR_INST_ITERATE;
}

/* Kept values of an earlier pass are read anew in each stage. */
static void find_crossing(const fsr_c_emit *e, const fsr_c_loop *loop, const int *stage, int *crossing) {
    memset(crossing, 0, FSR_MAX_INSTS * sizeof *crossing);
    for (int i = 0; i < loop->n; i++) {
        int number = loop->inst[i];
        int argument[FSR_MAX_ARGUMENTS], read = fsr_inst_arguments(e->k, number, argument);
        for (int a = 0; a < read; a++)
            if (stage[argument[a]] < stage[number] && lists(loop, argument[a]) && is_held(e, argument[a]))
                crossing[argument[a]] = 1;
    }
}

/* ---- chains -------------------------------------------------------------------------------------- */

bool fsr_c_is_chain(const fsr_c_emit *e, const fsr_c_loop *loop) {
    int stage[FSR_MAX_INSTS], crossing[FSR_MAX_INSTS], held = 0;
    if ((loop->nfolds && !e->laned) || cut(e, loop, true, stage) == cut(e, loop, false, stage))
        return false;
    cut(e, loop, true, stage);
    find_crossing(e, loop, stage, crossing);
    for (int i = 0; i < loop->n; i++) {
        const fsr_inst *inst = &e->k->inst[loop->inst[i]];
        held += crossing[loop->inst[i]] ? (int)fsr_dtype_size(inst->dtype) : 0;
        if (fsr_inst_guard(inst) >= 0)
            return false;
    }
    return held <= MOST_HELD;
}

bool fsr_c_has_strips(const fsr_c_emit *e, const fsr_c_loop *loop) {
    for (int i = 0; i < loop->nfolds; i++)
        if (fsr_c_is_scan(e, loop->folds[i]))
            return true;
    return fsr_c_is_looped(e, loop) || (!loop->nfolds && fsr_c_is_chain(e, loop));
}

int fsr_c_stages(const fsr_c_emit *e, const fsr_c_loop *loop, int *stage) {
    return cut(e, loop, fsr_c_is_chain(e, loop), stage);
}

void fsr_c_stage_of(const fsr_c_emit *e, const fsr_c_loop *loop, const int *stage, int which, fsr_c_loop *out) {
    fsr_c_loop own = {.pass = loop->pass};
    for (int i = 0; i < loop->n; i++)
        if (stage[loop->inst[i]] == which && e->k->inst[loop->inst[i]].kind != FSR_INST_INDEX &&
            !is_count(e, loop->inst[i]))
            own.inst[own.n++] = loop->inst[i];
    *out = (fsr_c_loop){.pass = loop->pass};
    for (int i = 0; i < loop->n; i++)
        if (lists(&own, loop->inst[i]) ||
            (e->k->inst[loop->inst[i]].kind == FSR_INST_INDEX && reads(e, &own, loop->inst[i])))
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
