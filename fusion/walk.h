/* SPDX-License-Identifier: MIT */
/* What a CPU's loop over the innermost dimension of a pass consists of, and how it falls into stages: asked by the
 * rules that choose its form (fsr_walk) and by the emitter that prints it. */
#ifndef FUSOR_FUSION_WALK_H
#define FUSOR_FUSION_WALK_H

#include "fusion/loop_ir.h"

/* A loop's instructions, in order, and the folds among them. */
typedef struct fsr_body {
    int pass;
    int n;
    int inst[FSR_MAX_INSTS];
    int nfolds;
    int folds[FSR_MAX_COMBINES];
} fsr_body;

/* The loop of a pass; of a kernel without passes, its rows. */
void fsr_body_of(const fsr_kernel *k, int pass, fsr_body *out);
/* What the scans of a loop need, and the scans. */
void fsr_body_scans(const fsr_kernel *k, const fsr_body *body, fsr_body *out);
/* The folds among the instructions of a body. */
void fsr_body_folds(const fsr_kernel *k, fsr_body *body);
bool fsr_body_has_scan(const fsr_kernel *k, const fsr_body *body);
/* A loop for each element runs in it. */
bool fsr_body_is_looped(const fsr_kernel *k, const fsr_body *body);
/* A function in it has a limit. */
bool fsr_body_is_limited(const fsr_kernel *k, const fsr_body *body);
/* The arguments of such functions can be computed before the loop folds anything: none needs what a scan of the loop,
 * or a loop for each element in it, gives. */
bool fsr_body_limits_come_first(const fsr_kernel *k, const fsr_body *body);
/* By columns: a loop over rows may be preceded by one that looks at such arguments. With phases a function with a limit
 * stands in a stage behind that of the scan that it waits for. */
bool fsr_body_may_look_first(const fsr_kernel *k, const fsr_body *body, const fsr_walk *walk);
/* Done a second time it leaves what it would have left the first time, if what rows have folded is put back: nothing
 * else of it is there twice, reported or read after it was written, and folds are of a column of rows, or of what a
 * strip has put aside. */
bool fsr_body_may_repeat(const fsr_kernel *k, const fsr_body *body, const fsr_walk *walk);
/* It stores an array of schedule.streams, in order. */
bool fsr_body_streams(const fsr_kernel *k, const fsr_body *body);
/* The store goes past the caches in a large launch, by way of a buffer. */
bool fsr_inst_streams(const fsr_kernel *k, const fsr_inst *inst);

/* Evaluated for each element: of a column, or in a map. */
bool fsr_inst_is_element(const fsr_kernel *k, int number);
/* An operation whose function has a limit. */
bool fsr_inst_is_limited(const fsr_inst *inst);
/* Arrays of the kernel share memory: no iteration reads what another one writes (fsr_array). */
bool fsr_kernel_in_place(const fsr_kernel *k);
/* fsr_inst_arguments, less the count that a compacted store names but does not read. */
int fsr_walk_arguments(const fsr_kernel *k, int number, int *out);
/* counted[f]: a scan whose results only compacted stores name, which keep count themselves; it is not done. */
void fsr_kernel_counted(const fsr_kernel *k, bool counted[FSR_MAX_COMBINES]);
/* On a CPU: the kernel has scans that parts of rows hand on, and each of them only counts what some filter stores in
 * its strips. What is stored in a row with fewer elements than its columns goes up from the front. */
bool fsr_kernel_packs(const fsr_kernel *k);
/* Rows go whole to, or come whole from, computed places: an index in bounds, in a loop along dimension d, is the same
 * for all of it, and if the loop combines, its elements go one beside the other. */
bool fsr_body_has_rows(const fsr_kernel *k, const fsr_body *body, int d);
/* A value that is the same for all elements along dimension d. */
bool fsr_inst_is_of_row(const fsr_kernel *k, int number, int d);
/* Bytes of the widest number of a loop's program, at least 4. */
int fsr_iteration_widest(const fsr_iteration *l);

/* ---- what a schedule may say of a kernel: asked by whoever chooses and by the verifier ---- */

/* Every fold among the instructions commutes. */
bool fsr_body_commutes(const fsr_kernel *k, const fsr_body *body);
/* It has reductions, all of which commute, and a scan or no loops for each element. */
bool fsr_body_may_be_laned(const fsr_kernel *k, const fsr_body *body);
/* Some value is kept for later passes. */
bool fsr_kernel_keeps(const fsr_kernel *k);
/* Elements of the loop may be computed that are not there, of zeros: what is loaded lies side by side in words that a
 * vector's mask knows, so is what is stored or kept, and nothing but a reduction takes what an element is otherwise. */
bool fsr_body_may_ask(const fsr_kernel *k, const fsr_body *body);
/* A load of another element for each column. */
bool fsr_load_moves(const fsr_kernel *k, int number);
/* The load has a stride along the last dimension. */
bool fsr_load_goes_across(const fsr_kernel *k, int number);
/* By columns, of rows that lie along memory: nothing is folded or asked, and each element is loaded or stored at the
 * place that it has in its row, or is the same for all of it. */
bool fsr_body_may_go_along(const fsr_kernel *k, const fsr_body *body);
/* By columns: several columns may stand in one turn of the loop over rows. Nothing but a reduction takes what an
 * element is, and no loop but that one is over them. */
bool fsr_kernel_may_unroll(const fsr_kernel *k);
/* Each row's reductions may be one chunk, as none stops at a count or keeps neighbours neighbours. */
bool fsr_kernel_may_be_single(const fsr_kernel *k);
/* By columns: blocks of rows that are scanned may have a constant length. */
bool fsr_kernel_may_scan_fixed(const fsr_kernel *k);
/* By columns: loops over a block's rows have so few turns that compilers make no vector code of them. */
bool fsr_columns_are_scalar(const fsr_kernel *k);
/* By columns: those of the last dimension may be gone along together with the rows in a pass. Each load moves along
 * both or along neither, or is at a place that is computed for each element, and nothing else of the loop knows a row
 * or a column. And of a kernel: in all that fold, all of whose folds commute. */
bool fsr_body_may_lie_beside(const fsr_kernel *k, const fsr_body *body);
/* Something is loaded at such a place: there must be phases, or stages that go row by row. */
bool fsr_body_gathers(const fsr_kernel *k, const fsr_body *body);
/* With beside: what is loaded row by row, as it lies otherwise, or under a guard; and what a guard says. */
bool fsr_inst_lies_apart(const fsr_kernel *k, int number);
bool fsr_body_lies_apart(const fsr_kernel *k, const fsr_body *body);
bool fsr_kernel_may_lie_beside(const fsr_kernel *k);
/* On a GPU: a thread sees at the first and the last of its columns what holds for them all, and may go another way than
 * its neighbours. */
bool fsr_kernel_may_version(const fsr_kernel *k);
/* On a GPU: threads may take the columns that are folded in turn. All folds are reductions that commute, of one
 * pass. */
bool fsr_kernel_may_deal(const fsr_kernel *k);
/* A map that one loop can walk: no access, guard or index needs the dimensions one by one. */
bool fsr_kernel_may_be_flat(const fsr_kernel *k);
/* A map whose rows may be taken together: nothing but loads, stores and conditions of indices asks where an element is,
 * and what asks for a condition is at no computed place. */
bool fsr_kernel_may_go_together(const fsr_kernel *k);
/* Rows of fewer elements are short: a text says how long they are; and the table's cost of operations that count as
 * functions. */
enum { FSR_SHORT_ROW = 64, FSR_FUNCTION = 10 };
/* Rows may be as long as the text says: of a map with a loop for each dimension, the last one over whole rows; or all
 * that is folded is one dimension, which no launch divides. */
bool fsr_kernel_may_have_width(const fsr_kernel *k);
/* Rows of one folded dimension that may be divided into parts: one pass, and no scan's input needs another one's
 * result. */
bool fsr_kernel_may_part(const fsr_kernel *k);
/* A running sum of f32, which may carry an f64. */
bool fsr_fold_may_widen(const fsr_fold *fold);
/* A load whose elements a loop of its own may fetch, before anybody asks for them: it always takes place, with a
 * stride. */
bool fsr_load_may_gather(const fsr_kernel *k, int number);
/* A load that may take its element out of a word of two: of at most half a word, from an array that nothing of the
 * kernel writes. */
bool fsr_load_may_twin(const fsr_kernel *k, int number);
/* The load stands in an innermost loop that takes every other element. */
bool fsr_load_takes_every_other(const fsr_kernel *k, int number);
/* Arrays, a bit each, that may be written past the caches: each in the order of the loops that store it, which have
 * strips or no folds, and nothing is in place. */
uint64_t fsr_kernel_may_stream(const fsr_kernel *k);
/* Arrays, a bit each, that the first of several passes over rows reads in order and nobody writes; by columns, that
 * some pass reads or stores along the rows of a block, columns after another; of columns beside each other, that are
 * loaded or stored so; of a map's tiles and panels, that are loaded or stored along their rows; the dimension these
 * rows are counted in; whether instruction `number` is such a load or store of a tile or a panel, or of a block's
 * column. */
uint64_t fsr_kernel_may_fetch(const fsr_kernel *k);
int fsr_tile_rows(const fsr_kernel *k);
bool fsr_tile_goes_along(const fsr_kernel *k, int number);
bool fsr_column_goes_along(const fsr_kernel *k, int number);
/* Arrays from which short rows of a map gather at places that can be computed for a later row (place_rows.c); whether
 * instruction `number` is such a load, of whose place all is marked that is not the same everywhere. */
uint64_t fsr_kernel_may_fetch_rows(const fsr_kernel *k);
bool fsr_row_place(const fsr_kernel *k, int number, bool *marked);
/* A load that asks for no guard, and whose place is known from the start or made without functions. */
bool fsr_load_is_placed_first(const fsr_kernel *k, int load);
/* On a CPU: arrays of which stages of gathers may ask for elements before they load them or combine with them; and
 * whether a load, or a store that combines, may: its address goes along with nothing but values that an earlier stage
 * holds for the whole strip. */
uint64_t fsr_kernel_may_gather_ahead(const fsr_kernel *k);
bool fsr_access_may_fetch(const fsr_kernel *k, const bool *crossing, int number);
/* What an index that an earlier stage holds does from one element to the next where all that a stage gathers are
 * neighbours in memory. */
typedef enum fsr_going { FSR_GOES_ANYWHERE, FSR_STAYS, FSR_GOES_ON } fsr_going;
/* going[i]: of value i, which the loads of the part go by; false: no loop along dimension d can have such
 * neighbours, or the part loads nothing at computed places. */
bool fsr_body_neighbours(const fsr_kernel *k, const fsr_body *part, const bool *crossing, int d, fsr_going *going);
/* On a CPU: arrays, a bit each, that loops in strips read in order and nobody writes, or that those which wait store in
 * order; and whether a load or a store is of one, in a body that waits or not. */
uint64_t fsr_kernel_may_come(const fsr_kernel *k);
bool fsr_access_may_come(const fsr_kernel *k, const fsr_walk *walk, bool waits, int number);

/* The conditions that the loads, bounds and guards of the body ask, a bit each. */
uint64_t fsr_body_conditions(const fsr_kernel *k, const fsr_body *body);
/* What is known of a guard. */
typedef enum fsr_known { FSR_ASKED, FSR_ALWAYS_HOLDS, FSR_NEVER_HOLDS } fsr_known;
fsr_known fsr_guard_known(const fsr_kernel *k, const fsr_loop_version *version, int guard);
/* Of a choice by a guard of which all is known, the operand that it is; -1: of others. */
int fsr_inst_chosen(const fsr_kernel *k, const fsr_loop_version *version, int number);
/* dead[i]: instruction i of the body computes what the version does not need. */
void fsr_body_dead(const fsr_kernel *k, const fsr_body *body, const fsr_loop_version *version, bool *dead);

/* The loop runs in stages, one after the other on a strip. */
static inline bool fsr_walk_is_staged(const fsr_walk *walk) {
    return walk->form == FSR_WALK_STRIPS || walk->functions > 0 || walk->phased;
}
/* With phases, what a stage is made of: its number modulo FSR_STAGE_KINDS. */
typedef enum fsr_stage_kind {
    FSR_STAGE_VECTOR,
    FSR_STAGE_SERIAL,
    FSR_STAGE_GATHER,
    FSR_STAGE_BLOCKS, /* operations that compute a strip at once, of an array of their last operand */
    FSR_STAGE_KINDS
} fsr_stage_kind;
static inline bool fsr_stage_is(const fsr_walk *walk, int stage, fsr_stage_kind kind) {
    return walk->phased && stage % FSR_STAGE_KINDS == (int)kind;
}
/* The stage waits for memory at places that its elements say, by loads or by a store that combines; some stage of the
 * body's strips does; some stage of a column's does, of which the kernel goes by columns. */
bool fsr_part_waits(const fsr_kernel *k, const fsr_body *part, const fsr_walk *walk, int stage);
bool fsr_body_waits(const fsr_kernel *k, const fsr_body *body, const fsr_walk *walk);
bool fsr_columns_wait(const fsr_kernel *k);
/* The stage of every instruction: a stage has at most walk->functions functions in a row (0: any number), and with
 * walk->phased instructions of one kind. Returns the number of stages, of which some may be empty; *chained, which may
 * be NULL: a chain was cut. */
int fsr_body_stages(const fsr_kernel *k, const fsr_body *body, const fsr_walk *walk, int *stage, bool *chained);
/* The instructions of stage `which`, and the indices that they read: these are cheaper to write again than to hold. */
void fsr_body_stage(const fsr_kernel *k, const fsr_body *body, const int *stage, int which, fsr_body *out);
/* The values that a stage leaves in an array for later ones. */
void fsr_body_crossing(const fsr_kernel *k, const fsr_body *body, const int *stage, bool *crossing);

#endif
