/* SPDX-License-Identifier: MIT */
/* What a schedule may say of a kernel, a CPU's above all. The rules that choose a schedule ask here, and so does the
 * verifier, so that whatever was edited is held to what the finishing pass is: counter-example to two copies, a map
 * that the one calls flat and the other does not look at. Whether a choice is worth it is asked elsewhere. */
#include "fusion/filter.h"
#include "fusion/launch_shape.h"
#include "fusion/nest.h"
#include "fusion/walk.h"
#include <string.h>

bool fsr_body_commutes(const fsr_kernel *k, const fsr_body *body) {
    for (int i = 0; i < body->nfolds; ++i)
        if (!k->fold[body->folds[i]].combine->commutative)
            return false;
    return true;
}

bool fsr_body_may_be_laned(const fsr_kernel *k, const fsr_body *body) {
    int scans = 0, reductions = 0;
    for (int i = 0; i < body->nfolds; ++i) {
        const fsr_fold *fold = &k->fold[body->folds[i]];
        scans += fold->kind == FSR_FOLD_SCAN;
        reductions += fold->kind == FSR_FOLD_REDUCE;
        if (fold->kind == FSR_FOLD_REDUCE && !fold->combine->commutative)
            return false;
    }
    return reductions > 0 && (scans > 0 || !fsr_body_is_looped(k, body));
}

/* Counter-example to a loop over the rows of a block for each column, which folds need: the result of means of 16
 * neighbours is stored 64 bytes apart, so that each line is written in 16 turns (seed 98012: 0.8 of unfused). */
bool fsr_body_may_go_along(const fsr_kernel *k, const fsr_body *body) {
    bool along = false;
    if (k->schedule.kind != FSR_SCHEDULE_COL || k->schedule.tall || k->ndim - k->nparallel != 1 || body->nfolds ||
        fsr_body_has_scan(k, body) || fsr_body_is_looped(k, body) || fsr_body_is_limited(k, body))
        return false;
    for (int i = 0; i < body->n; ++i) {
        const fsr_inst *inst = &k->inst[body->inst[i]];
        if (fsr_inst_guard(inst) >= 0 || inst->combines || inst->filter)
            return false;
        if (inst->kind != FSR_INST_LOAD && inst->kind != FSR_INST_STORE)
            continue;
        const fsr_access *access = &k->access[inst->index];
        const fsr_index_form *form = fsr_access_form(k, inst->index);
        const fsr_stride_kind stride = form->stride[k->ndim - 1];
        const bool flat = access->linear, row = access->row_linear;
        if (!flat && !row && (form->divisor || form->nterms || stride > FSR_STRIDE_ONE))
            return false;
        along = along || flat || (!row && stride == FSR_STRIDE_ONE);
    }
    return along;
}

bool fsr_kernel_may_unroll(const fsr_kernel *k) {
    const fsr_schedule *s = &k->schedule;
    const fsr_walk *walk = &s->walk[0];
    if (s->kind != FSR_SCHEDULE_COL || s->nversions || k->npasses != 1 || k->nloops || !k->nfolds ||
        k->ndim - k->nparallel != 1 || walk->form != FSR_WALK_PLAIN || walk->phased || walk->near)
        return false;
    for (int f = 0; f < k->nfolds; ++f)
        if (k->fold[f].kind != FSR_FOLD_REDUCE || k->fold[f].combine->sequential)
            return false;
    for (int i = 0; i < k->ninsts; ++i)
        if (k->stand[i].level == FSR_ELEM && k->inst[i].kind == FSR_INST_STORE)
            return false;
    return true;
}

/* Along rows lanes have a state each, which are the row's where it has as many columns as there are lanes; whoever
 * chooses looks at that. */
static bool row_may_be_single(const fsr_kernel *k) {
    const fsr_schedule *s = &k->schedule;
    bool may = !s->part && !k->live && k->nfolds && k->ndim - k->nparallel == 1;
    for (int f = 0; f < k->nfolds; ++f)
        may = may && k->fold[f].kind == FSR_FOLD_REDUCE;
    for (int pass = 0; pass < k->npasses && may; ++pass) {
        fsr_body body;
        fsr_body_of(k, pass, &body);
        may = !body.nfolds || s->walk[pass].form == FSR_WALK_LANES || s->walk[pass].laned;
    }
    return may;
}

bool fsr_kernel_may_be_single(const fsr_kernel *k) {
    const fsr_schedule *s = &k->schedule;
    if (s->kind == FSR_SCHEDULE_ROW)
        return row_may_be_single(k);
    bool may = s->kind == FSR_SCHEDULE_COL && s->abreast > 1 && !s->tall && !s->unroll && !s->beside && !s->part &&
               !k->live && !k->nloops && k->nfolds;
    for (int f = 0; f < k->nfolds; ++f)
        may = may && k->fold[f].kind == FSR_FOLD_REDUCE && !k->fold[f].combine->sequential &&
              k->fold[f].combine->commutative;
    return may;
}

bool fsr_kernel_may_scan_fixed(const fsr_kernel *k) {
    const fsr_schedule *s = &k->schedule;
    return s->kind == FSR_SCHEDULE_COL && s->abreast > 1 && !s->tall && !s->beside && !s->part && !k->live &&
           !k->nloops && !k->nguards && fsr_kernel_has_scan(k);
}

bool fsr_columns_are_scalar(const fsr_kernel *k) {
    enum { LEAST_VECTOR = 4 };
    return k->schedule.kind == FSR_SCHEDULE_COL && k->schedule.fixed && k->schedule.abreast < LEAST_VECTOR;
}

bool fsr_kernel_may_version(const fsr_kernel *k) {
    return k->schedule.kind == FSR_SCHEDULE_MAP || (k->ndim - k->nparallel == 1 && !fsr_kernel_filters(k));
}

bool fsr_kernel_may_be_flat(const fsr_kernel *k) {
    if (k->schedule.kind != FSR_SCHEDULE_MAP || (k->ndim > 1 && (k->nests || fsr_kernel_is_nest(k))))
        return false;
    for (int a = 0; a < k->naccesses; ++a)
        for (int d = 0; d < k->ndim && !k->access[a].linear && !k->access[a].row_linear; ++d)
            if (fsr_access_form(k, a)->stride[d] != FSR_STRIDE_ZERO)
                return false;
    for (int i = 0; i < k->ninsts && k->ndim > 1; ++i)
        if (k->inst[i].kind == FSR_INST_INDEX || fsr_inst_guard(&k->inst[i]) >= 0)
            return false;
    return true;
}

/* The guard asks for indices alone, and for no step. */
static bool is_told_by_indices(const fsr_kernel *k, int guard) {
    bool told = true;
    for (int i = 0; i < k->guard[guard].n; ++i) {
        const int c = k->guard[guard].condition[i];
        told = told && !k->condition[c].step && !fsr_condition_form(k, c)->nterms;
    }
    return told;
}

/* A row's first stage can load it, or one of gathers. */
static bool loads_by_row(const fsr_kernel *k, int load) {
    const fsr_inst *inst = &k->inst[load];
    const fsr_index_form *form = fsr_access_form(k, inst->index);
    const int guard = fsr_inst_guard(inst);
    if (guard >= 0)
        return !form->nterms && is_told_by_indices(k, guard);
    return !form->nterms || (!form->divisor && !k->array[k->access[inst->index].buffer].written);
}

bool fsr_kernel_may_go_together(const fsr_kernel *k) {
    bool may = k->schedule.kind == FSR_SCHEDULE_MAP && k->ndim > 1 && !k->npasses && !k->live;
    for (int i = 0; i < k->ninsts && may; ++i) {
        const fsr_inst *inst = &k->inst[i];
        switch (inst->kind) {
        case FSR_INST_CONST:
        case FSR_INST_PARAM: break;
        case FSR_INST_OP: may = !(fsr_op_get(inst->op)->flags & FSR_OP_BLOCKS); break;
        case FSR_INST_GUARD: may = is_told_by_indices(k, inst->index); break;
        case FSR_INST_INSIDE: may = fsr_inst_guard(inst) < 0; break;
        case FSR_INST_LOAD: may = loads_by_row(k, i); break;
        case FSR_INST_STORE:
            may = !fsr_access_form(k, inst->index)->nterms && !inst->filter && !inst->combines &&
                  fsr_inst_guard(inst) < 0;
            break;
        default: may = false;
        }
    }
    return may;
}

bool fsr_kernel_may_have_width(const fsr_kernel *k) {
    const fsr_schedule *s = &k->schedule;
    if (s->kind == FSR_SCHEDULE_MAP)
        return k->ndim > 1 && !s->flat && !s->tile;
    return k->ndim - k->nparallel == 1 && !s->tall && !s->part;
}

bool fsr_kernel_may_part(const fsr_kernel *k) {
    int stage[FSR_MAX_INSTS];
    const fsr_schedule *s = &k->schedule;
    if (k->npasses != 1 || k->nfolds == 0 || k->ndim - k->nparallel != 1)
        return false;
    if (s->kind == FSR_SCHEDULE_COL)
        return !s->tall && !s->beside && !s->single && !k->live && !fsr_kernel_has_scan(k);
    if (s->kind != FSR_SCHEDULE_ROW || s->single)
        return false;
    fsr_kernel_stages(k, 0, stage);
    for (int i = 0; i < k->ninsts; ++i)
        if (k->inst[i].kind == FSR_INST_COMBINE && k->fold[k->inst[i].index].kind == FSR_FOLD_SCAN && stage[i] > 0)
            return false;
    return true;
}

bool fsr_fold_may_widen(const fsr_fold *fold) {
    const fsr_combine *c = fold->combine;
    return fold->kind == FSR_FOLD_SCAN && c->builtin && c->op == FSR_OP_ADD && c->arity == 1 &&
           fsr_combine_dtype(c, 0) == FSR_F32;
}

bool fsr_kernel_may_deal(const fsr_kernel *k) {
    for (int f = 0; f < k->nfolds; ++f)
        if (k->fold[f].kind != FSR_FOLD_REDUCE || !k->fold[f].combine->commutative)
            return false;
    return k->npasses == 1 && k->nfolds > 0;
}

bool fsr_load_goes_across(const fsr_kernel *k, int number) {
    const fsr_access *access = &k->access[k->inst[number].index];
    return k->ndim > 0 && !access->linear && !access->row_linear &&
           fsr_access_form(k, k->inst[number].index)->stride[k->ndim - 1] > FSR_STRIDE_ONE;
}

bool fsr_load_moves(const fsr_kernel *k, int number) {
    const int access = k->inst[number].index;
    return k->inst[number].kind == FSR_INST_LOAD &&
           (k->access[access].linear || fsr_access_form(k, access)->stride[k->ndim - 1] != FSR_STRIDE_ZERO);
}

bool fsr_load_may_gather(const fsr_kernel *k, int number) {
    const fsr_inst *inst = &k->inst[number];
    if (inst->kind != FSR_INST_LOAD || k->stand[number].level != FSR_ELEM || inst->guard ||
        k->access[inst->index].linear)
        return false;
    const fsr_index_form *form = fsr_access_form(k, inst->index);
    return !form->divisor && !form->nterms && form->stride[k->ndim - 1] > FSR_STRIDE_ONE;
}

bool fsr_load_may_twin(const fsr_kernel *k, int number) {
    enum { HALF_A_WORD = 4 };
    const fsr_inst *inst = &k->inst[number];
    if (inst->kind != FSR_INST_LOAD || k->stand[number].staged || k->stand[number].gathered ||
        k->stand[number].level == FSR_ONCE)
        return false;
    const fsr_array *array = &k->array[k->access[inst->index].buffer];
    return fsr_dtype_size(array->dtype) <= HALF_A_WORD && !array->written && !array->aliased && !array->banded;
}

/* Counter-example to fsr_kernel_inner alone: what folds nothing of a block of rows goes along each. */
bool fsr_load_takes_every_other(const fsr_kernel *k, int number) {
    const fsr_stand *stand = &k->stand[number];
    const bool rows = stand->level == FSR_ROW && k->npasses > 0;
    const bool along = !rows && k->schedule.walk[stand->pass].form == FSR_WALK_ROWS;
    const int d = along ? k->ndim - 1 : fsr_kernel_inner(k);
    const fsr_index_form *form = fsr_access_form(k, k->inst[number].index);
    return d >= 0 && !(rows && k->schedule.kind != FSR_SCHEDULE_COL) && form->stride[d] == FSR_STRIDE_KNOWN &&
           form->slot[d] == 2;
}

/* Loops whose arguments are looked at go in runs of their own length: longer ones, as each is looked at twice. */
static bool loop_may_stream(const fsr_kernel *k, const fsr_body *body) {
    for (int i = 0; i < body->n; ++i)
        if (k->inst[body->inst[i]].kind == FSR_INST_ITERATE || fsr_inst_is_limited(&k->inst[body->inst[i]]))
            return false;
    return !body->nfolds || k->schedule.walk[body->pass].form == FSR_WALK_STRIPS;
}

/* In the order of the loop that it stands in, or packed. */
static bool store_may_stream(const fsr_kernel *k, const fsr_inst *inst) {
    const fsr_access *a = &k->access[inst->index];
    return inst->filter || a->linear || (k->npasses == 0 && a->row_linear);
}

/* An array has one buffer, so one store. */
uint64_t fsr_kernel_may_stream(const fsr_kernel *k) {
    const fsr_schedule *s = &k->schedule;
    uint64_t stored = 0, other = 0;
    bool in_loop[FSR_MAX_INSTS] = {false};
    if (fsr_kernel_in_place(k) || s->kind == FSR_SCHEDULE_COL || k->ndim > k->nparallel + 1)
        return 0;
    if (s->kind == FSR_SCHEDULE_MAP && (k->ndim == 0 || (s->tile && !s->flat)))
        return 0;
    for (int pass = 0; pass < k->npasses || pass == 0; ++pass) {
        fsr_body body;
        fsr_body_of(k, pass, &body);
        for (int i = 0; i < body.n && loop_may_stream(k, &body); ++i)
            in_loop[body.inst[i]] = true;
    }
    for (int i = 0; i < k->ninsts; ++i) {
        const fsr_inst *inst = &k->inst[i];
        const uint64_t array = inst->kind == FSR_INST_STORE ? UINT64_C(1) << k->access[inst->index].buffer : 0;
        other |= array && in_loop[i] && store_may_stream(k, inst) ? stored & array : array;
        stored |= array;
    }
    return fsr_kernel_is_nest(k) ? 0 : stored & ~other;
}

bool fsr_access_may_fetch(const fsr_kernel *k, const bool *crossing, int number) {
    const fsr_inst *inst = &k->inst[number];
    const int d = fsr_kernel_inner(k);
    bool held = false;
    if (inst->kind != FSR_INST_LOAD && !inst->combines)
        return false;
    const fsr_access *access = &k->access[inst->index];
    const fsr_index_form *form = fsr_access_form(k, inst->index);
    if (inst->kind == FSR_INST_LOAD && k->array[access->buffer].written)
        return false;
    if (fsr_inst_guard(inst) >= 0 || access->linear || access->row_linear || form->divisor || d < 0 ||
        form->stride[d] != FSR_STRIDE_ZERO)
        return false;
    for (int t = 0; t < form->nterms; ++t) {
        const int value = form->term[t].value;
        if (!crossing[value] && k->stand[value].level != FSR_ONCE)
            return false;
        held = held || crossing[value];
    }
    return held;
}

/* The symbols of a load at computed places: where its own stride does not go on, the one that is multiplied by
 * nothing does, and all others stay. */
static bool neighbours_of(const fsr_kernel *k, const fsr_index_form *form, const bool *crossing, int d,
                          fsr_going *going) {
    bool on = form->stride[d] == FSR_STRIDE_ONE;
    if (form->divisor || form->stride[d] > FSR_STRIDE_ONE)
        return false;
    for (int t = 0; t < form->nterms; ++t) {
        const int value = form->term[t].value;
        if (k->stand[value].level == FSR_ONCE)
            continue;
        const fsr_going wanted = on || form->term[t].slot ? FSR_STAYS : FSR_GOES_ON;
        if (!crossing[value] || (going[value] != FSR_GOES_ANYWHERE && going[value] != wanted))
            return false;
        going[value] = wanted;
        on = on || wanted == FSR_GOES_ON;
    }
    return on;
}

bool fsr_body_neighbours(const fsr_kernel *k, const fsr_body *part, const bool *crossing, int d, fsr_going *going) {
    bool any = false;
    memset(going, 0, FSR_MAX_INSTS * sizeof *going);
    for (int i = 0; i < part->n && d >= 0; ++i) {
        const fsr_inst *inst = &k->inst[part->inst[i]];
        const fsr_index_form *form = inst->kind == FSR_INST_LOAD ? fsr_access_form(k, inst->index) : NULL;
        if (!form || !fsr_form_waits(k, form))
            continue;
        if (!neighbours_of(k, form, crossing, d, going))
            return false;
        any = true;
    }
    return any && !part->nfolds;
}

uint64_t fsr_kernel_may_gather_ahead(const fsr_kernel *k) {
    const fsr_schedule *s = &k->schedule;
    uint64_t arrays = 0;
    for (int pass = 0; s->kind != FSR_SCHEDULE_COL && (pass < k->npasses || pass == 0); ++pass) {
        const fsr_walk *walk = &s->walk[pass];
        int stage[FSR_MAX_INSTS];
        bool crossing[FSR_MAX_INSTS];
        fsr_body body;
        if (!walk->phased || s->together || (walk->form != FSR_WALK_STRIPS && walk->form != FSR_WALK_LANES))
            continue;
        fsr_body_of(k, pass, &body);
        fsr_body_stages(k, &body, walk, stage, NULL);
        fsr_body_crossing(k, &body, stage, crossing);
        for (int i = 0; i < body.n; ++i)
            if ((k->inst[body.inst[i]].kind == FSR_INST_LOAD || walk->form == FSR_WALK_STRIPS) &&
                fsr_access_may_fetch(k, crossing, body.inst[i]))
                arrays |= UINT64_C(1) << k->access[k->inst[body.inst[i]].index].buffer;
    }
    return arrays;
}

bool fsr_part_waits(const fsr_kernel *k, const fsr_body *part, const fsr_walk *walk, int stage) {
    bool waits = fsr_stage_is(walk, stage, FSR_STAGE_GATHER) && part->n;
    for (int i = 0; i < part->n; ++i)
        waits = waits || k->inst[part->inst[i]].combines;
    return waits;
}

/* Some stage of the phases does. */
static bool phases_wait(const fsr_kernel *k, const fsr_body *body, const fsr_walk *walk) {
    int stage[FSR_MAX_INSTS], stages = walk->phased ? fsr_body_stages(k, body, walk, stage, NULL) : 0;
    bool waits = false;
    fsr_body part;
    for (int s = 0; s < stages && !waits; ++s) {
        fsr_body_stage(k, body, stage, s, &part);
        waits = fsr_part_waits(k, &part, walk, s);
    }
    return waits;
}

bool fsr_body_waits(const fsr_kernel *k, const fsr_body *body, const fsr_walk *walk) {
    return k->schedule.kind != FSR_SCHEDULE_COL && (walk->form == FSR_WALK_STRIPS || walk->form == FSR_WALK_LANES) &&
           phases_wait(k, body, walk);
}

bool fsr_columns_wait(const fsr_kernel *k) {
    bool waits = false;
    for (int pass = 0; pass < k->npasses && k->schedule.kind == FSR_SCHEDULE_COL && !waits; ++pass) {
        fsr_body body;
        fsr_body_of(k, pass, &body);
        waits = phases_wait(k, &body, &k->schedule.walk[pass]) ||
                (k->schedule.walk[pass].form == FSR_WALK_BESIDE && fsr_body_gathers(k, &body));
    }
    return waits;
}

/* Element after element of memory, whatever guards and indices say. */
static bool goes_in_order(const fsr_kernel *k, int number) {
    const fsr_inst *inst = &k->inst[number];
    const fsr_access *access = &k->access[inst->index];
    const fsr_index_form *form = fsr_access_form(k, inst->index);
    const int d = fsr_kernel_inner(k);
    return !inst->guard && (access->linear || (k->npasses == 0 && access->row_linear) ||
                            (d >= 0 && !access->row_linear && !form->divisor && !fsr_form_waits(k, form) &&
                             form->stride[d] == FSR_STRIDE_ONE));
}

bool fsr_access_may_come(const fsr_kernel *k, const fsr_walk *walk, bool waits, int number) {
    const fsr_inst *inst = &k->inst[number];
    if (inst->kind == FSR_INST_STORE)
        return waits && k->access[inst->index].linear && !inst->guard && !inst->combines && !inst->filter;
    if (inst->kind != FSR_INST_LOAD || k->array[k->access[inst->index].buffer].written)
        return false;
    return waits
               ? goes_in_order(k, number) && (!k->schedule.together || k->access[inst->index].linear)
               : k->schedule.kind == FSR_SCHEDULE_ROW && walk->form == FSR_WALK_STRIPS && k->access[inst->index].linear;
}

uint64_t fsr_kernel_may_come(const fsr_kernel *k) {
    uint64_t arrays = 0;
    for (int pass = 0; pass < k->npasses || pass == 0; ++pass) {
        const fsr_walk *walk = &k->schedule.walk[pass];
        fsr_body body;
        fsr_body_of(k, pass, &body);
        const bool waits = fsr_body_waits(k, &body, walk);
        for (int i = 0; i < body.n; ++i)
            if (fsr_access_may_come(k, walk, waits, body.inst[i]))
                arrays |= UINT64_C(1) << k->access[k->inst[body.inst[i]].index].buffer;
    }
    return arrays;
}

bool fsr_column_goes_along(const fsr_kernel *k, int number) {
    const fsr_inst *inst = &k->inst[number];
    if (k->schedule.kind != FSR_SCHEDULE_COL || (inst->kind != FSR_INST_LOAD && inst->kind != FSR_INST_STORE) ||
        inst->combines || inst->filter)
        return false;
    const fsr_index_form *form = fsr_access_form(k, inst->index);
    return k->stand[number].level == FSR_ELEM && !k->access[inst->index].linear && !form->nterms && !form->divisor &&
           form->stride[k->nparallel - 1] == FSR_STRIDE_ONE && form->stride[k->ndim - 1] == FSR_STRIDE_VAR;
}

/* Rows: it goes in order. By columns: along the rows of a block, and on from column to column. */
static bool row_may_fetch(const fsr_kernel *k, int number) {
    const fsr_inst *inst = &k->inst[number];
    if (k->schedule.kind == FSR_SCHEDULE_COL)
        return fsr_column_goes_along(k, number) &&
               (inst->kind == FSR_INST_STORE || !k->array[k->access[inst->index].buffer].written);
    return inst->kind == FSR_INST_LOAD && !k->array[k->access[inst->index].buffer].written &&
           k->access[inst->index].linear;
}

int fsr_tile_rows(const fsr_kernel *k) {
    return k->schedule.tile ? k->schedule.tiled : k->ndim - 2;
}

bool fsr_tile_goes_along(const fsr_kernel *k, int number) {
    const fsr_inst *inst = &k->inst[number];
    if ((inst->kind != FSR_INST_LOAD && inst->kind != FSR_INST_STORE) || inst->combines || inst->filter ||
        k->schedule.turned)
        return false;
    const fsr_access *access = &k->access[inst->index];
    return goes_in_order(k, number) && (access->linear || access->row_linear ||
                                        fsr_access_form(k, inst->index)->stride[fsr_tile_rows(k)] == FSR_STRIDE_VAR);
}

/* A block's elements of it are a run of memory, and the next block's follow. */
static bool lies_beside(const fsr_kernel *k, int number) {
    const fsr_inst *inst = &k->inst[number];
    return (inst->kind == FSR_INST_LOAD || inst->kind == FSR_INST_STORE) && k->access[inst->index].linear &&
           !inst->combines && !inst->filter && k->stand[number].level == FSR_ELEM && k->ndim - k->nparallel == 1;
}

static bool may_fetch(const fsr_kernel *k, int number) {
    return k->schedule.tile || k->schedule.panel ? fsr_tile_goes_along(k, number)
           : k->schedule.beside                  ? lies_beside(k, number)
                                                 : row_may_fetch(k, number);
}

uint64_t fsr_kernel_may_fetch(const fsr_kernel *k) {
    const fsr_schedule *s = &k->schedule;
    const bool columns = s->kind == FSR_SCHEDULE_COL && !s->tall && !k->nloops;
    const bool rows = s->kind == FSR_SCHEDULE_ROW && k->npasses > 1 && k->ndim == k->nparallel + 1;
    const bool tiles = s->kind == FSR_SCHEDULE_MAP && (s->tile || s->panel) && !s->flat && !fsr_kernel_is_nest(k);
    uint64_t arrays = 0;
    for (int pass = 0; k->nparallel && (columns || rows || tiles) && pass < (columns ? k->npasses : 1); ++pass) {
        fsr_body body;
        fsr_body_of(k, pass, &body);
        for (int i = 0; i < body.n; ++i)
            if (may_fetch(k, body.inst[i]))
                arrays |= UINT64_C(1) << k->access[k->inst[body.inst[i]].index].buffer;
    }
    return arrays;
}
