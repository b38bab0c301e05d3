/* SPDX-License-Identifier: MIT */
/* Rules for columns that lie beside each other as the rows do: sums over squares of a picture, of 4 by 4 pixels say, or
 * over the few elements of a short last dimension. Of a block of rows by itself each column is a loop over the rows,
 * which reads every fourth element. But all of these loops together read a run of memory: so there is one loop along
 * it, in which each element has a state of its own, `beside` for a row, and these meet when the chunk ends.
 *
 * What the loop takes must lie so: each load goes on along the rows where the columns of the row before end, or is the
 * same for all of them, and nothing else in it knows a row or a column. So must what it stores: squares of rows of 12
 * beside their sums went element by element, 0.88 ms of 10^6 f32, and 0.51 so. States of one row are folded in another
 * order than its columns, so folds commute. What a row has, of an earlier pass or loaded once, is spread over its
 * elements first. A pass that folds nothing goes so where it may, if those that fold do.
 *
 * Elements at computed places are loaded in a stage of their own, as anywhere, beside scans too; what they are computed
 * of lies beside each other. Counter-example to a column of the block after the other: sums of 8 gathered elements in
 * rows of 88 took 4.2 ms of 2500, since the indices lay eight apart and a block's 32 loads were too few to be under
 * way, and 3.0 so.
 *
 * Of scans what they take and what is made of their results lies beside each other, each in stages of its own; between
 * these the scan goes row by row through arrays. A load that it takes as it is, and a store of its results, are its
 * own.
 * Counter-example to a column of the block after the other: each takes every n-th element of every array, and of rows
 * of more than 16 elements a loop for each row begins and ends; running sums of sines of rows of 8 took 1.18 ms of
 * 69,517 rows, and 0.61 so, plain ones of rows of 20 1.19 ms of 30,000, and 0.36 (one thread of a Zen 4, AVX2); of 16
 * gathered elements 0.578 ms of 11,850, and 0.294 so (seed 1503495, one thread of a Xeon, AVX2).
 *
 * Counter-example to every fourth element: differences of bytes, summed over squares of 4 by 4, took 1.10 ms of 1024 by
 * 2048 pixels, which is more than the three kernels take that compute the differences along the rows first. */
#include "fusion/address.h"
#include "fusion/schedule_parts.h"
#include "fusion/walk.h"

enum {
    MOST_FUNCTIONS = 8,     /* of a path in one stage */
    SHORT = 16,             /* columns of a scan that are taken one after the other where nothing else is gained */
    LEAST_APART = 8,        /* of a row that has a loop of its own */
    VECTOR = 32,            /* bytes */
    MOST = 31,              /* columns beside each other: more are worth a loop of their own */
    LEAST = 32,             /* elements of such a loop */
    LEAST_ROWS = 16,        /* of a block */
    MOST_STEP = 8,          /* elements of an array from one to the next, */
    WORD = 4,               /* of so many bytes */
    ROW_STATES = 3,         /* states of a fold that a row has by itself: result, chunk, chunks that wait */
    STATE_BYTES = 32 << 10, /* and all that a block has */
};

/* Along both dimensions, or along neither. */
static bool is_joint(const fsr_kernel *k, const fsr_inst *inst) {
    const fsr_index_form *form = fsr_access_form(k, inst->index);
    if (fsr_inst_guard(inst) >= 0 || form->nterms || form->divisor)
        return false;
    return k->access[inst->index].linear ||
           ((form->stride[k->nparallel - 1] == FSR_STRIDE_ZERO) == (form->stride[k->ndim - 1] == FSR_STRIDE_ZERO));
}

/* It takes a place that is computed for each element: it stands in a stage of gathers (schedule_stage.c), whose loop
 * goes row by row, so that its address may move as it likes. */
static bool is_gathered(const fsr_kernel *k, int number) {
    const fsr_inst *inst = &k->inst[number];
    const fsr_index_form *form = inst->kind == FSR_INST_LOAD ? fsr_access_form(k, inst->index) : NULL;
    bool gathered = false;
    for (int t = 0; form && t < form->nterms; ++t)
        gathered = gathered || k->stand[form->term[t].value].level == FSR_ELEM;
    return gathered && fsr_inst_guard(inst) < 0 && !form->divisor;
}

bool fsr_body_gathers(const fsr_kernel *k, const fsr_body *body) {
    bool any = false;
    for (int i = 0; i < body->n; ++i)
        any = any || is_gathered(k, body->inst[i]);
    return any;
}

bool fsr_inst_lies_apart(const fsr_kernel *k, int number) {
    const fsr_inst *inst = &k->inst[number];
    if (k->stand[number].level != FSR_ELEM)
        return false;
    return inst->kind == FSR_INST_GUARD ||
           (inst->kind == FSR_INST_LOAD &&
            (fsr_inst_guard(inst) >= 0 || k->schedule.by_row >> k->access[inst->index].buffer & 1));
}

bool fsr_body_lies_apart(const fsr_kernel *k, const fsr_body *body) {
    bool any = false;
    for (int i = 0; i < body->n; ++i)
        any = any || fsr_inst_lies_apart(k, body->inst[i]);
    return any;
}

/* Its address knows the row and the column alone, and under a guard it is a load of neighbours: counter-example to one
 * element for a row, a loop over short rows that asks for some of them was no vector code, 23 ns an element (seed
 * 1410746). */
static bool may_lie_apart(const fsr_kernel *k, int number) {
    const fsr_index_form *form = fsr_access_form(k, k->inst[number].index);
    return !form->nterms && !form->divisor &&
           (fsr_inst_guard(&k->inst[number]) < 0 || form->stride[k->ndim - 1] == FSR_STRIDE_ONE ||
            k->access[k->inst[number].index].linear);
}

static bool stands_beside(const fsr_kernel *k, int number) {
    const fsr_inst *inst = &k->inst[number];
    switch (inst->kind) {
    case FSR_INST_GUARD:
    case FSR_INST_CONST:
    case FSR_INST_PARAM:
    case FSR_INST_INSIDE:
    case FSR_INST_OP:
    case FSR_INST_COMBINE: return true;
    case FSR_INST_PICK: return fsr_picks_fold(k, inst);
    case FSR_INST_LOAD: return is_joint(k, inst) || is_gathered(k, number) || may_lie_apart(k, number);
    case FSR_INST_STORE:
        return k->access[inst->index].linear && !inst->filter && !inst->combines && fsr_inst_guard(inst) < 0;
    default: return false;
    }
}

bool fsr_body_may_lie_beside(const fsr_kernel *k, const fsr_body *body) {
    bool may = true;
    for (int i = 0; i < body->n; ++i)
        may = may && stands_beside(k, body->inst[i]) && !k->stand[body->inst[i]].keep;
    return may;
}

bool fsr_kernel_may_lie_beside(const fsr_kernel *k) {
    fsr_body body;
    bool may = k->npasses && k->nparallel && k->ndim > k->nparallel && !k->nloops && !k->live && !k->nests && k->nfolds;
    for (int f = 0; f < k->nfolds; ++f)
        may = may && !k->fold[f].combine->sequential &&
              (k->fold[f].kind == FSR_FOLD_SCAN || k->fold[f].combine->commutative);
    for (int pass = 0; may && pass < k->npasses; ++pass) {
        fsr_body_of(k, pass, &body);
        may = !body.nfolds || fsr_body_may_lie_beside(k, &body);
    }
    return may;
}

/* Elements from one that is loaded to the next, at most. Where functions are computed of them, or squares folded,
 * counter-example to one: sums of 8 differences of neighbours, of every second of these, were a loop of eight for each
 * row, each of which loads every fourth element: no vector code, 1.5 ms and 0.4 so (seed 1491927). Counter-example to
 * more of a plain fold, whose loads are all it does: sums of 128 by 8 of every second f32, 0.51 ms and 0.66 so. */
static int64_t most_step(const fsr_kernel *k, const fsr_body *body, const fsr_inst *inst) {
    const bool worth = k->ndim - k->nparallel > 1 || fsr_body_has_function(k, body);
    return worth && inst->kind == FSR_INST_LOAD && fsr_dtype_size(inst->dtype) >= WORD ? MOST_STEP : 1;
}

/* It goes by the same steps in this plan along a row and on to the next one, where it moves; *along: it goes along a
 * row; *across: from row to row, as windows do, which by columns are neighbours. */
static bool inst_lies(const fsr_kernel *k, const fsr_body *body, int number, bool *along, bool *across) {
    const int row = k->nparallel - 1, col = k->ndim - 1;
    const fsr_inst *inst = &k->inst[number];
    const fsr_form f = fsr_form_of_access(k, k->integer, inst->index);
    const bool lies = f.stride[col] >= 0 && f.stride[col] <= most_step(k, body, inst) &&
                      f.stride[row] == f.stride[col] * k->integer[FSR_INT_EXTENT + col];
    *along = f.stride[col] == 1 || (lies && f.stride[col]);
    *across = f.stride[row] == 1 && !lies;
    return lies;
}

/* What a pass stores lies so, and nothing goes from row to row; *any: some of it goes along rows; *apart: arrays of
 * which loads do not lie so, a bit each. A load under a guard goes row by row in any case. Counter-example to its array
 * among them: the pass before reads it along all rows, so a softmax of rows of 16 of which parts are put behind others
 * went column by column, 20 ms of 159,151 rows, and 9.6 so (seed 1534285, one thread of a Zen 3, AVX2). */
static bool body_lies(const fsr_kernel *k, const fsr_body *body, bool *any, uint64_t *apart) {
    bool stores = true, along, across;
    for (int i = 0; i < body->n; ++i) {
        const fsr_inst *inst = &k->inst[body->inst[i]];
        if ((inst->kind != FSR_INST_LOAD && inst->kind != FSR_INST_STORE) ||
            k->stand[body->inst[i]].level != FSR_ELEM || is_gathered(k, body->inst[i]))
            continue;
        const bool lies = inst_lies(k, body, body->inst[i], &along, &across);
        stores = stores && !across && (lies || inst->kind == FSR_INST_LOAD);
        if (fsr_inst_guard(inst) < 0 && (!lies || !(inst->kind == FSR_INST_STORE || is_joint(k, inst))))
            *apart |= UINT64_C(1) << k->access[inst->index].buffer;
        *any = *any || along;
    }
    return stores;
}

/* Of scans, and of what goes row by row first: functions are computed along memory, or guards asked along rows; or a
 * row's bytes are whole vectors, so that columns lie by strides that a cache holds badly; or rows are longer than are
 * taken column by column. Counter-example to all of them: of rows of 5
 * running sums of x - mean(x) took 0.32 ms by columns, and 0.39 so (100,000 rows, AVX2). */
static bool stages_are_worth_it(const fsr_kernel *k, const fsr_body *body) {
    const int64_t cols = k->integer[FSR_INT_COLS];
    bool apart = cols > SHORT;
    for (int i = 0; i < body->n; ++i)
        apart = apart || fsr_inst_guard(&k->inst[body->inst[i]]) >= 0;
    for (int i = 0; i < body->nfolds; ++i)
        apart = apart || cols * fsr_fold_element_bytes(&k->fold[body->folds[i]]) % VECTOR == 0;
    return apart || fsr_body_has_function(k, body);
}

/* Phases are those of gathers alone. */
static bool folds_beside(const fsr_kernel *k, const fsr_body *body, uint64_t apart) {
    const bool gathers = fsr_body_gathers(k, body);
    if ((apart || fsr_body_lies_apart(k, body)) && k->integer[FSR_INT_COLS] < LEAST_APART)
        return false;
    if (fsr_body_has_scan(k, body) || apart || fsr_body_lies_apart(k, body) || fsr_body_is_limited(k, body))
        return k->ndim - k->nparallel == 1 && (gathers || stages_are_worth_it(k, body));
    return fsr_body_is_phased(k, body) == gathers;
}

/* Arrays, a bit each, of which a pass loads an element for each of its own. */
static uint64_t loaded_by(const fsr_kernel *k, int pass) {
    fsr_body body;
    uint64_t bits = 0;
    fsr_body_of(k, pass, &body);
    for (int i = 0; i < body.n; ++i)
        if (k->inst[body.inst[i]].kind == FSR_INST_LOAD && k->stand[body.inst[i]].level == FSR_ELEM)
            bits |= UINT64_C(1) << k->access[k->inst[body.inst[i]].index].buffer;
    return bits;
}

/* Passes that fold: arrays of which some of them loads what lies otherwise. *lie: their stores do not; *any: something
 * goes along rows. */
static uint64_t apart_in_folds(const fsr_kernel *k, bool *lie, bool *any) {
    uint64_t apart = 0;
    for (int pass = 0; pass < k->npasses; ++pass) {
        fsr_body body;
        fsr_body_of(k, pass, &body);
        *lie = *lie && (!body.nfolds || body_lies(k, &body, any, &apart));
    }
    return apart;
}

/* All passes that fold do, and there are enough columns. */
static bool lie_beside(const fsr_kernel *k) {
    const int64_t beside = k->integer[FSR_INT_EXTENT + k->ndim - 1];
    bool any = false, lie = beside >= 2 && beside <= MOST &&
                            fsr_size_mul(beside, k->integer[FSR_INT_EXTENT + k->nparallel - 1]) >= LEAST;
    const uint64_t apart = lie ? apart_in_folds(k, &lie, &any) : 0;
    for (int pass = 0; lie && pass < k->npasses; ++pass) {
        fsr_body body;
        fsr_body_of(k, pass, &body);
        lie = !body.nfolds || folds_beside(k, &body, apart & loaded_by(k, pass));
    }
    return lie && any;
}

bool fsr_columns_lie_beside(const fsr_kernel *k) {
    return fsr_kernel_may_lie_beside(k) && lie_beside(k);
}

/* Values of rows that a pass takes, each an array for the elements of a block. */
static int64_t spread_bytes(const fsr_kernel *k, const fsr_body *body) {
    int64_t bytes = 0;
    for (int i = 0; i < k->ninsts; ++i) {
        bool read = false;
        for (int j = 0; j < body->n; ++j)
            read = read || fsr_inst_reads(k, body->inst[j], i);
        bytes += read && k->stand[i].level == FSR_ROW ? (int64_t)fsr_dtype_size(k->inst[i].dtype) : 0;
    }
    return bytes;
}

/* What the stages of a pass hand to each other, of an element. */
static int64_t held_bytes(const fsr_kernel *k, const fsr_body *body, const fsr_walk *walk) {
    bool crossing[FSR_MAX_INSTS] = {false};
    int stage[FSR_MAX_INSTS];
    int64_t bytes = 0;
    if (!fsr_walk_is_staged(walk))
        return 0;
    fsr_body_stages(k, body, walk, stage, NULL);
    fsr_body_crossing(k, body, stage, crossing);
    for (int i = 0; i < k->ninsts; ++i)
        bytes += crossing[i] ? (int64_t)fsr_dtype_size(k->inst[i].dtype) : 0;
    return bytes;
}

/* What lies otherwise is loaded row by row first, what a scan takes is computed along all elements of the block, and
 * what takes its results, each in stages of its own; the scan itself goes row by row through what these hand to it. */
static fsr_walk staged_walk(const fsr_kernel *k, const fsr_body *body) {
    const int functions = fsr_chain_functions(k, body, false);
    return (fsr_walk){.form = FSR_WALK_BESIDE,
                      .functions = functions ? functions : MOST_FUNCTIONS,
                      .near = fsr_body_is_limited(k, body)};
}

/* What folds nothing goes so too, where it may and does not go along rows as it is. Counter-example to what has stages
 * of its own without that: a logarithm of an exponential in rows of 16, which two folds of them lead to, took 2.6 ms of
 * 19,224 rows column by column, for 0.6 unfused.
 * What lies otherwise in it must be nothing that another pass loads: that would go row by row there, too. */
static fsr_walk walk_beside(fsr_kernel *k, int pass, const fsr_walk *walk) {
    fsr_body body;
    uint64_t apart = 0, others = 0;
    bool any = false;
    fsr_body_of(k, pass, &body);
    if (body.nfolds) {
        const bool stages = fsr_body_lies_apart(k, &body) || fsr_body_is_limited(k, &body);
        return stages || fsr_body_has_scan(k, &body) ? staged_walk(k, &body) : *walk;
    }
    const bool lies = body.n && fsr_body_may_lie_beside(k, &body) && body_lies(k, &body, &any, &apart);
    for (int other = 0; other < k->npasses; ++other)
        others |= other == pass ? 0 : loaded_by(k, other);
    const bool rows = apart || fsr_body_lies_apart(k, &body);
    const bool stages = rows || fsr_body_is_limited(k, &body) || fsr_walk_is_staged(walk);
    if (!lies || fsr_body_gathers(k, &body) || walk->phased || (apart & ~k->schedule.by_row & others) ||
        (rows && k->integer[FSR_INT_COLS] < LEAST_APART) || (stages && walk->form == FSR_WALK_ROWS))
        return *walk;
    k->schedule.by_row |= apart;
    return stages ? staged_walk(k, &body) : (fsr_walk){.form = FSR_WALK_BESIDE};
}

/* Returns the bytes of an element of the pass of which there are most. */
static int64_t finish_passes(fsr_kernel *k) {
    int64_t most = 0;
    for (int pass = 0; pass < k->npasses; ++pass) {
        fsr_walk *walk = &k->schedule.walk[pass];
        *walk = walk_beside(k, pass, walk);
    }
    for (int pass = 0; pass < k->npasses; ++pass) {
        const fsr_walk *walk = &k->schedule.walk[pass];
        fsr_body body;
        fsr_body_of(k, pass, &body);
        const bool lies = body.nfolds || walk->form == FSR_WALK_BESIDE;
        const int64_t bytes = lies ? spread_bytes(k, &body) + held_bytes(k, &body, walk) : 0;
        most = bytes > most ? bytes : most;
    }
    return most;
}

void fsr_finish_beside(fsr_kernel *k) {
    fsr_schedule *s = &k->schedule;
    s->beside = 0;
    s->by_row = 0;
    if (s->kind != FSR_SCHEDULE_COL || s->tall || s->abreast < 2 || !fsr_columns_lie_beside(k))
        return;
    bool lie = true, any = false;
    s->by_row = apart_in_folds(k, &lie, &any);
    s->beside = (int)k->integer[FSR_INT_EXTENT + k->ndim - 1];
    s->unroll = 0;
    int64_t bytes = 0;
    for (int f = 0; f < k->nfolds; ++f)
        bytes += fsr_fold_element_bytes(&k->fold[f]);
    bytes = (s->beside + ROW_STATES) * bytes + s->beside * finish_passes(k);
    while (s->abreast > LEAST_ROWS && bytes * s->abreast > STATE_BYTES)
        s->abreast /= 2;
}
