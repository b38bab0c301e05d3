/* SPDX-License-Identifier: MIT */
/* Cutting a CPU's loop into stages, which run one after the other over a strip.
 *
 * A stage ends where a scan or a loop for each element has to be done with the whole strip before its results can be
 * read, and in a chain before each elementary function that needs another. A value that a later stage reads is held in
 * an array of its own; what is the same for the whole strip, and indices, are written again instead: compilers move
 * the former out of the loop.
 *
 * Phases: a load at a computed address, a remainder, a caller's function are no vector code, and beside them nothing in
 * a loop is. They stand in stages of their own, kinds of stages taking turns: vector code, remainders, gathers, vector
 * code. Counter-example to one loop: x[i % n] * exp(y) evaluated exp element by element, and took twice the time of
 * four kernels.
 *
 * Blocks: an operation whose neighbours share their work (FSR_OP_BLOCKS) takes a strip of its last operand at a time.
 * Counter-example to a formula for each element: four neighbours' random words are one block of Philox, computed four
 * times.
 *
 * Chains: a processor looks some 200 vector instructions ahead, three turns of a loop around one function, which it
 * then works on side by side. Counter-example: log1p(exp(x)) as one loop. A turn is 85 instructions, each waiting for
 * the one before; two turns are in sight and the units idle. Measured, two threads, arrays in the cache: log1p(exp(x))
 * 0.75 to 0.48 ns an element, sqrt(exp(2 sin(x) + 1) x + 3) - x 0.82 to 0.58, the Black-Scholes formula 1.4 times
 * faster. Of loops with reductions those with lanes are cut, and those with scans, which are in strips already, and
 * loops with guards, in each version of them: sin(log(abs(m) + 1)) of the largest m of three neighbours behind a pad,
 * rows of 1000, 2.47 to 1.71 ms, its sums along rows 3.3 to 1.8. And loops by columns, beside scans too: means of
 * exp(log(abs(x) + 1)) down columns of 300 1.85 to 1.35 ms. Of a few turns stages are more beginning and end than
 * work. Where the arrays of a long chain would fill the first cache, a stage gets more functions. */
#include "fusion/schedule_parts.h"
#include "fusion/walk.h"
#include <string.h>

enum {
    BEHIND_APART = 2, /* beside each other: the first stage of what lies so, behind loads that do not */
    VECTOR_WORK = 4   /* cost of an element's operations that is worth loops of its own beside gathers */
};

/* ---- values of a strip --------------------------------------------------------------------------- */

/* A count that only compacted stores name. */
static bool is_count(const fsr_kernel *k, const bool *counted, int number) {
    return fsr_picks_fold(k, &k->inst[number]) && counted[k->inst[number].index];
}

static bool moves(const fsr_kernel *k, int access) {
    const fsr_access *a = &k->access[access];
    const int d = fsr_kernel_inner(k);
    const fsr_stride_kind *stride = fsr_access_form(k, access)->stride;
    return a->linear || a->row_linear || (d >= 0 && stride[d] != FSR_STRIDE_ZERO) ||
           (k->schedule.beside && stride[k->ndim - 1] != FSR_STRIDE_ZERO);
}

/* By columns what is a row's differs from one turn to the next. */
static bool moves_with_rows(const fsr_kernel *k, int number) {
    const fsr_inst *inst = &k->inst[number];
    return k->schedule.kind == FSR_SCHEDULE_COL && k->stand[number].level == FSR_ROW && inst->kind != FSR_INST_CONST &&
           inst->kind != FSR_INST_PARAM;
}

/* A map's index, brought inside, that is the same along its innermost dimension: rows are taken whole. */
static bool is_of_row(const fsr_kernel *k, int number) {
    return k->schedule.kind == FSR_SCHEDULE_MAP && fsr_inst_is_of_row(k, number, k->ndim - 1);
}

static bool is_read(const fsr_kernel *k, const fsr_body *body, int number) {
    for (int i = 0; i < body->n; ++i) {
        int argument[FSR_MAX_ARGUMENTS], read = fsr_inst_arguments(k, body->inst[i], argument);
        for (int a = 0; a < read; ++a)
            if (argument[a] == number)
                return true;
    }
    return false;
}

/* The loop's values that may differ from element to element, and whatever is written once only: an index brought
 * inside too that nobody reads, as there is one element to take, and that reports where it was. Of rows that are taken
 * together also what is a row's. What is written again needs nothing that is not: counter-example, places of rows that
 * were joined of two arrays, each of which is loaded under a guard. */
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
        case FSR_INST_INDEX: *own = inst->index == fsr_kernel_inner(k); break;
        case FSR_INST_LOAD:
            *own = k->stand[number].keep || fsr_inst_guard(inst) >= 0 || moves(k, inst->index);
            for (int a = 0; a < read; ++a)
                *own |= moving[argument[a]] || moves_with_rows(k, argument[a]);
            break;
        case FSR_INST_OP:
        case FSR_INST_CALL:
            *own = k->stand[number].keep;
            for (int a = 0; a < read; ++a)
                *own |= moving[argument[a]] || moves_with_rows(k, argument[a]);
            break;
        case FSR_INST_INSIDE:
            *own = !is_of_row(k, number) || !is_read(k, body, number);
            for (int a = 0; a < read; ++a)
                *own |= moving[argument[a]];
            break;
        default: *own = true;
        }
        *own |= k->schedule.together && inst->kind != FSR_INST_CONST && inst->kind != FSR_INST_PARAM &&
                k->stand[number].level != FSR_ONCE;
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
    return inst->kind == FSR_INST_OP && fsr_op_get(inst->op)->cost >= FSR_FUNCTION &&
           (fsr_dtype_is_float(inst->compute) || fsr_dtype_is_complex(inst->compute));
}

/* A divisor that is a narrow literal is multiplied by, one that is a power of two takes a few bits. */
static bool divides_quickly(const fsr_kernel *k, const fsr_inst *inst) {
    const fsr_inst *by = &k->inst[inst->arg[1]];
    const int64_t value = by->kind == FSR_INST_CONST ? fsr_value_cast(FSR_I64, by->dtype, by->value).i64 : 0;
    return value > 0 && (fsr_dtype_size(inst->compute) <= 4 || (value & (value - 1)) == 0);
}

/* What else it takes is the same for the whole strip, and the last operand lies in an array. */
static bool is_blocks(const fsr_kernel *k, const bool *moving, int number) {
    const fsr_inst *inst = &k->inst[number];
    if (inst->kind != FSR_INST_OP || !(fsr_op_get(inst->op)->flags & FSR_OP_BLOCKS) || k->stand[number].keep ||
        k->schedule.kind == FSR_SCHEDULE_COL)
        return false;
    const int last = fsr_op_get(inst->op)->arity - 1;
    for (int a = 0; a < last; ++a)
        if (moving[inst->arg[a]])
            return false;
    const fsr_inst *of = &k->inst[inst->arg[last]];
    return moving[inst->arg[last]] && of->kind == FSR_INST_OP && !k->stand[inst->arg[last]].keep;
}

/* What computes an instruction for several elements: vector code; nothing, of a remainder, what a caller wrote or a
 * store that combines; or nothing but memory, of a load at a computed address, many of which a loop of their own has
 * under way at once. */
static fsr_stage_kind kind_of(const fsr_kernel *k, const bool *moving, int number) {
    const fsr_inst *inst = &k->inst[number];
    bool serial = inst->kind == FSR_INST_CALL || (inst->kind == FSR_INST_INSIDE && inst->mode == FSR_INDEX_WRAP);
    if (inst->combines && !fsr_inst_adds_rows(k, number))
        return FSR_STAGE_SERIAL;
    if (!moving[number])
        return FSR_STAGE_VECTOR;
    if (is_blocks(k, moving, number))
        return FSR_STAGE_BLOCKS;
    if (inst->kind == FSR_INST_LOAD)
        for (int t = 0; t < fsr_access_form(k, inst->index)->nterms; ++t)
            if (moving[fsr_access_form(k, inst->index)->term[t].value] ||
                moves_with_rows(k, fsr_access_form(k, inst->index)->term[t].value))
                return FSR_STAGE_GATHER;
    if (inst->kind == FSR_INST_OP && fsr_dtype_class(inst->compute) == FSR_CLASS_INT)
        serial = (fsr_op_get(inst->op)->flags & FSR_OP_SERIAL) && !divides_quickly(k, inst);
    return serial ? FSR_STAGE_SERIAL : FSR_STAGE_VECTOR;
}

typedef struct staging {
    const fsr_kernel *k;
    const fsr_body *body;
    const fsr_walk *walk;
    int *stage;
    bool moving[FSR_MAX_INSTS];
    bool counted[FSR_MAX_COMBINES];
    int of_fold[FSR_MAX_COMBINES];
    int length[FSR_MAX_INSTS];   /* functions in a row up to an instruction, within its stage */
    bool scanned[FSR_MAX_INSTS]; /* it needs what a scan of its own stage gives, or a gather beside each other */
    bool cut;
    bool apart; /* the first stage loads what does not lie as the rest does */
} staging;

/* The first stage of a kind from `stage` on. */
static int stage_from(int stage, fsr_stage_kind kind) {
    return stage + ((int)kind + FSR_STAGE_KINDS - stage % FSR_STAGE_KINDS) % FSR_STAGE_KINDS;
}

static int after(const staging *s, int stage) {
    return s->walk->phased ? stage_from(stage + 1, FSR_STAGE_VECTOR) : stage + 1;
}

/* The first stage in which an instruction may read a value of `stage`. A plain store stands in any but those of blocks,
 * an INSIDE in any but those of gathers and blocks. */
static int admit(const staging *s, int number, int stage) {
    const fsr_inst *inst = &s->k->inst[number];
    const fsr_stage_kind kind = kind_of(s->k, s->moving, number);
    const int now = stage % FSR_STAGE_KINDS;
    const bool any = now != FSR_STAGE_BLOCKS && ((inst->kind == FSR_INST_STORE && !inst->filter) ||
                                                 (inst->kind == FSR_INST_INSIDE && now != FSR_STAGE_GATHER));
    if (s->walk->phased && kind == FSR_STAGE_BLOCKS && now == FSR_STAGE_BLOCKS)
        return stage_from(stage + 1, kind);
    return !s->walk->phased || (any && kind == FSR_STAGE_VECTOR) ? stage : stage_from(stage, kind);
}

/* Stages are those of a block whose elements lie beside each other. */
static bool is_beside(const staging *s) {
    return s->walk->form == FSR_WALK_BESIDE && s->walk->functions;
}

/* There what lies otherwise is loaded in the first stage, and odd stages, which go row by row, are those of scans and
 * of loads at computed places. What computes with their results stands behind them; these are stored where they are.
 * Counter-example to counting stages alone: what hangs on no scan stood beside one, in a loop that is no vector code. A
 * hyperbolic tangent of what a running sum of rows of 8 takes, and what is made of it, took 8.0 ms of 266,536 rows for
 * 4.1 (seed 1503413, two threads of a Xeon, AVX2). */
static void place_beside(staging *s, int number, int read, const int *argument) {
    const fsr_kernel *k = s->k;
    const fsr_inst_kind kind = k->inst[number].kind;
    const bool scans = kind == FSR_INST_COMBINE && k->fold[k->inst[number].index].kind == FSR_FOLD_SCAN;
    const bool gathers = kind_of(k, s->moving, number) == FSR_STAGE_GATHER;
    int *own = &s->stage[number];
    bool waits = false;
    for (int a = 0; a < read; ++a)
        waits = waits || (s->scanned[argument[a]] && s->stage[argument[a]] == *own);
    s->scanned[number] = scans || gathers || fsr_picks_fold(k, &k->inst[number]);
    if (s->apart && !*own && !fsr_inst_lies_apart(k, number))
        *own = BEHIND_APART;
    if (scans || gathers)
        *own = (*own | 1) + (waits ? 2 : 0);
    else if (!s->scanned[number] && !(kind == FSR_INST_STORE && waits))
        *own += *own % 2;
}

/* By columns the arguments of a function with a limit are looked at before the loop that has it: what a scan gives them
 * comes from a stage before. Counter-example to one loop: the sine of a running sum was called with any argument, one
 * by one: 12.9 ms of 1677 by 1677 with AVX2, 5.2 in two. */
static bool waits_for_scan(staging *s, int number) {
    const fsr_kernel *k = s->k;
    bool *own = &s->scanned[number];
    if (k->schedule.kind != FSR_SCHEDULE_COL || !s->walk->phased)
        return false;
    int argument[FSR_MAX_ARGUMENTS], read = fsr_walk_arguments(k, number, argument);
    *own = fsr_picks_fold(k, &k->inst[number]) && k->fold[k->inst[number].index].kind == FSR_FOLD_SCAN;
    for (int a = 0; a < read; ++a)
        *own |= s->scanned[argument[a]] && s->stage[argument[a]] == s->stage[number];
    return *own && fsr_inst_is_limited(&k->inst[number]);
}

/* Of rows that are taken together each gather has a loop of its own. Counter-example to one for all: elements from
 * anywhere in 11 MB and others of their own rows of 8 took 21.6 ms of 359,697 rows, and 18.9 so (seed 1280806, one
 * thread of a Xeon, AVX2). */
static int own_gathers(const staging *s, int number, int stage) {
    if (!s->k->schedule.together || !s->walk->phased || kind_of(s->k, s->moving, number) != FSR_STAGE_GATHER)
        return stage;
    for (int i = 0; i < s->body->n && s->body->inst[i] != number; ++i)
        if (s->stage[s->body->inst[i]] == stage && kind_of(s->k, s->moving, s->body->inst[i]) == FSR_STAGE_GATHER)
            return own_gathers(s, number, stage + FSR_STAGE_KINDS);
    return stage;
}

static void place(staging *s, int number) {
    const fsr_kernel *k = s->k;
    const fsr_inst *inst = &k->inst[number];
    int *own = &s->stage[number], argument[FSR_MAX_ARGUMENTS], read = fsr_walk_arguments(k, number, argument);
    for (int a = 0; a < read; ++a)
        *own = s->stage[argument[a]] > *own ? s->stage[argument[a]] : *own;
    *own = own_gathers(s, number, admit(s, number, *own));
    for (int a = 0; a < read; ++a)
        if (s->stage[argument[a]] == *own && s->length[argument[a]] > s->length[number])
            s->length[number] = s->length[argument[a]];
    const int before = *own;
    if ((k->schedule.together || s->walk->loads) && !before && is_function(k, number))
        *own = after(s, before);
    else if (s->moving[number] && is_function(k, number) && s->length[number]++ == s->walk->functions &&
             s->walk->functions) {
        *own = after(s, *own);
        s->cut = true;
    }
    if (is_beside(s))
        place_beside(s, number, read, argument);
    if (inst->kind == FSR_INST_COMBINE)
        s->of_fold[inst->index] = *own;
    if (fsr_picks_fold(k, inst) && !is_count(k, s->counted, number))
        *own = k->schedule.kind == FSR_SCHEDULE_COL ? s->of_fold[inst->index] : after(s, s->of_fold[inst->index]);
    if (fsr_picks_loop(k, inst) && fsr_inst_is_element(k, number))
        *own = after(s, *own);
    if (waits_for_scan(s, number)) {
        *own = after(s, *own);
        s->scanned[number] = false;
    }
    if (*own > before)
        s->length[number] = is_function(k, number);
}

/* With phases, beside scans, and where loads across memory stand in front, any other load stands in the first stage
 * that reads it, and need not be held; but not behind a store to memory that it shares. So does one that goes on from
 * row to row where rows are taken together, if it asks no guard: what a guard knows are a row's and a column's index,
 * which only the first stage has. */
static void sink_loads(staging *s) {
    const fsr_kernel *k = s->k;
    const int start = s->apart ? BEHIND_APART : 0;
    const bool sinks = s->walk->phased || k->schedule.together || s->walk->loads || is_beside(s);
    if (!sinks || fsr_kernel_in_place(k))
        return;
    for (int i = 0; i < s->body->n; ++i) {
        const int load = s->body->inst[i];
        int first = -1;
        if (k->inst[load].kind != FSR_INST_LOAD || (s->walk->loads && fsr_load_goes_across(k, load)) ||
            s->stage[load] > start || (s->apart && !s->stage[load]) ||
            (k->schedule.together && (!k->access[k->inst[load].index].linear || fsr_inst_guard(&k->inst[load]) >= 0)))
            continue;
        for (int j = i + 1; j < s->body->n; ++j)
            if (fsr_inst_reads(k, s->body->inst[j], load) && (first < 0 || s->stage[s->body->inst[j]] < first))
                first = s->stage[s->body->inst[j]];
        s->stage[load] = first > start ? first : start;
    }
}

/* The store stands beside loads at computed places; without phases, which of two stages a place is in says no more than
 * that something goes row by row, so that the value must be such a load. */
static bool is_beside_gathers(const staging *s, const fsr_inst *store) {
    return s->walk->phased ? s->stage[store - s->k->inst] % FSR_STAGE_KINDS == FSR_STAGE_GATHER
                           : kind_of(s->k, s->moving, store->arg[0]) == FSR_STAGE_GATHER;
}

/* What is gathered, stored and computed with is stored where that is done, of what the strip holds: a processor has so
 * many lines under way, and those that are stored to are some of them. Counter-example to storing beside the loads:
 * 1693 rows of 960 from anywhere in them, and means of what is made of these, 7.0 ms for 6.3 (seed 1519346). */
static void sink_stores(staging *s) {
    const fsr_kernel *k = s->k;
    const int kinds = s->walk->phased ? FSR_STAGE_KINDS : 2;
    if ((!s->walk->phased && !is_beside(s)) || fsr_kernel_in_place(k))
        return;
    for (int i = 0; i < s->body->n; ++i) {
        const int store = s->body->inst[i];
        const fsr_inst *inst = &k->inst[store];
        int first = -1;
        if (inst->kind != FSR_INST_STORE || inst->filter || inst->combines || fsr_inst_guard(inst) >= 0 ||
            !(k->access[inst->index].linear || fsr_column_goes_along(k, store)) || !is_beside_gathers(s, inst))
            continue;
        for (int j = 0; j < s->body->n; ++j) {
            const int stage = s->stage[s->body->inst[j]];
            if (stage > s->stage[store] && stage % kinds == FSR_STAGE_VECTOR && (first < 0 || stage < first) &&
                fsr_inst_reads(k, s->body->inst[j], inst->arg[0]))
                first = stage;
        }
        s->stage[store] = first > 0 ? first : s->stage[store];
    }
}

/* Of rows that are taken together, what is stored anywhere else than one behind the other goes row by row, in a stage
 * behind all others. Returns the number of stages. */
static int store_rows(staging *s, int stages) {
    const fsr_kernel *k = s->k;
    const int last = s->walk->phased ? stage_from(stages, FSR_STAGE_VECTOR) : stages;
    bool any = false;
    for (int i = 0; i < s->body->n && k->schedule.together; ++i) {
        const fsr_inst *inst = &k->inst[s->body->inst[i]];
        if (inst->kind != FSR_INST_STORE || k->access[inst->index].linear || !s->stage[s->body->inst[i]])
            continue;
        s->stage[s->body->inst[i]] = last;
        any = true;
    }
    return any ? last + 1 : stages;
}

/* Beside each other, what is folded behind functions with limits is so in a stage of its own: they may be evaluated a
 * second time. And beside scans, which go row by row. Returns the number of stages. */
static int fold_last(staging *s, int stages) {
    bool any = false;
    const bool last = is_beside(s) && (fsr_body_is_limited(s->k, s->body) || fsr_body_has_scan(s->k, s->body));
    for (int i = 0; i < s->body->n && last; ++i) {
        const fsr_inst *inst = &s->k->inst[s->body->inst[i]];
        if (inst->kind != FSR_INST_COMBINE || s->k->fold[inst->index].kind == FSR_FOLD_SCAN)
            continue;
        s->stage[s->body->inst[i]] = stages;
        any = true;
    }
    return stages + any;
}

int fsr_body_stages(const fsr_kernel *k, const fsr_body *body, const fsr_walk *walk, int *stage, bool *chained) {
    staging s = {.k = k, .body = body, .walk = walk, .stage = stage};
    int stages = 1;
    find_moving(k, body, s.moving);
    fsr_kernel_counted(k, s.counted);
    s.apart = is_beside(&s) && fsr_body_lies_apart(k, body);
    memset(stage, 0, FSR_MAX_INSTS * sizeof *stage);
    for (int i = 0; i < body->n; ++i) {
        place(&s, body->inst[i]);
        stages = stage[body->inst[i]] >= stages ? stage[body->inst[i]] + 1 : stages;
    }
    stages = fold_last(&s, store_rows(&s, stages));
    sink_stores(&s);
    sink_loads(&s);
    if (chained)
        *chained = s.cut;
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

/* ---- phases --------------------------------------------------------------------------------------- */

/* An index that is told where it is outside is compared with both ends, and with what was told before. Counter-example
 * to leaving that beside the load: x[i] of 2^22 f32 from 16 KB took 4.9 ms, and 2.6 (AVX2) and 1.9 (AVX-512) in stages,
 * and beside a store that combines: 2^24 counts of 2^8, 2^16 and 2^20 i32 32.8, 34.5 and 53 ms, and 12.6, 15.0 and 24.5
 * so. Counter-example to stages beside a store of whole rows: sums of rows at places lost the loop along a row, and
 * took twice as long. */
static int looks(const fsr_inst *inst) {
    return inst->kind == FSR_INST_INSIDE && inst->mode == FSR_INDEX_RAISE ? VECTOR_WORK : 0;
}

/* The instruction combines at places that move with the loop. */
static bool combines_moving(const fsr_kernel *k, const bool *moving, int number) {
    const fsr_inst *inst = &k->inst[number];
    bool any = false;
    for (int t = 0; inst->combines && t < fsr_access_form(k, inst->index)->nterms; ++t)
        any = any || moving[fsr_access_form(k, inst->index)->term[t].value];
    return any && fsr_combines_each(k, inst);
}

/* What combines in a far array has stages in any case: they ask for elements ahead. Counter-example to one loop: 2^24
 * counts of 2^22 i32 took 273 ms, and 37 so. */
bool fsr_body_is_phased(const fsr_kernel *k, const fsr_body *body) {
    bool moving[FSR_MAX_INSTS], serial = false, blocks = false, waits = false, far = false;
    int work = 0, looked = 0;
    if (k->schedule.brief)
        return false;
    find_moving(k, body, moving);
    for (int i = 0; i < body->n; ++i) {
        const int number = body->inst[i];
        const fsr_stage_kind kind = kind_of(k, moving, number);
        const bool own = kind != FSR_STAGE_VECTOR;
        serial = serial || own;
        far = far || (combines_moving(k, moving, number) && fsr_combines_far(k, &k->inst[number]));
        waits = waits || kind == FSR_STAGE_GATHER || combines_moving(k, moving, number);
        blocks = blocks || is_blocks(k, moving, number);
        work += !own && moving[number] ? fsr_inst_cost(k, number) : 0;
        looked += !own && moving[number] ? looks(&k->inst[number]) : 0;
        work += k->inst[number].kind == FSR_INST_COMBINE ? VECTOR_WORK - 1 : 0;
    }
    return blocks || far || (serial && work + (waits ? looked : 0) >= VECTOR_WORK) ||
           (k->schedule.kind == FSR_SCHEDULE_COL && !fsr_body_limits_come_first(k, body));
}
