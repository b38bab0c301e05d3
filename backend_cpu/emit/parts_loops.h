/* SPDX-License-Identifier: MIT */
/* What the printers of loops, folds and stores have for each other; parts.h has what they print with, and includes
 * this. */
#ifndef FUSOR_BACKEND_CPU_EMIT_PARTS_LOOPS_H
#define FUSOR_BACKEND_CPU_EMIT_PARTS_LOOPS_H

#include "backend_cpu/emit/parts.h"

/* ---- loop.c: columns ----------------------------------------------------------------------- */

/* Opens a loop over one dimension (the launch's part of it, if it is parallel) and advances the addresses. */
void fsr_c_dimension(fsr_c_emit *e, int d);
/* The loop as `print` prints it; where its functions have limits, first a loop that asks for arguments beyond them,
 * then the loop for near and the loop for any arguments. To be called inside a block. */
void fsr_c_by_range(fsr_c_emit *e, const fsr_body *loop, void (*print)(fsr_c_emit *e, const fsr_body *loop));
/* What the arguments of such functions need, and the functions themselves. */
void fsr_c_limited(const fsr_c_emit *e, const fsr_body *loop, fsr_body *out);
/* Tells the compiler that a loop's iterations are independent: no array overlaps another, or no element is read that
 * another iteration writes (fsr_array). It does not see that itself of arrays shared in place, nor of many arrays.
 * Not for loops that fold. */
void fsr_c_independent(fsr_c_emit *e);
/* The first line of a loop of which no vector code shall be made. */
void fsr_c_scalar_mark(fsr_c_emit *e);
/* Columns [c0, c1): in the versions for them; in order, one accumulator a fold; in whole batches of lanes up to c2,
 * then the rest, each in the lane that `lane` says. */
void fsr_c_columns(fsr_c_emit *e, const fsr_body *loop);
void fsr_c_serial(fsr_c_emit *e, const fsr_body *loop);
void fsr_c_lanes(fsr_c_emit *e, const fsr_body *loop, bool few);

/* ---- chunks.c: passes ------------------------------------------------------------------------ */

/* The loop of pass `pass`, with its folds. */
void fsr_c_pass(fsr_c_emit *e, int pass);

/* ---- fold_operators.c ---------------------------------------------------------------------- */

/* One static inline function for each distinct operator, and e->shared. */
void fsr_c_operators(fsr_c_emit *e);
/* The fold's operator is a function where whole chunks meet. */
bool fsr_c_has_join(const fsr_c_emit *e, int fold);

/* ---- fold.c: reductions and scans of one loop ---------------------------------------------- */

/* ", p0, p3": the scalars that a fold's operator takes besides, in a call of it. */
void fsr_c_fold_same(const fsr_c_emit *e, fsr_text *to, int fold);
void fsr_c_fold_results(fsr_c_emit *e, const int *folds, int n); /* declares f<f>_<i>, before the loop's block */
void fsr_c_fold_states(fsr_c_emit *e, const int *folds, int n);  /* declares states and stacks */
void fsr_c_fold_reset(fsr_c_emit *e, const int *folds, int n);   /* a chunk begins */
void fsr_c_fold_step(fsr_c_emit *e, int fold);                   /* the COMBINE instruction */
/* What rows have folded, in arrays of their own; and from there. */
void fsr_c_fold_keep(fsr_c_emit *e, const int *folds, int n);
void fsr_c_fold_return(fsr_c_emit *e, const int *folds, int n);
void fsr_c_fold_lanes(fsr_c_emit *e, const int *folds, int n);  /* folds a chunk's lanes into the first */
void fsr_c_fold_flush(fsr_c_emit *e, const int *folds, int n);  /* a chunk ends */
void fsr_c_fold_finish(fsr_c_emit *e, const int *folds, int n); /* the row ends */
/* state <left><left_at> = itself (+) <right><right_at>; letters as in the names above */
void fsr_c_fold_pair(fsr_c_emit *e, int fold, char left, const char *left_at, char right, const char *right_at);
void fsr_c_fold_identity(fsr_c_emit *e, int fold, char letter, const char *at);
void fsr_c_fold_declare(fsr_c_emit *e, int fold, char letter, const char *extent);

/* ---- wide.c: scans of f32 sums that carry an f64 (scan.c) ------------------------------------------ */

bool fsr_c_carries_wide(const fsr_c_emit *e, int fold);
/* The state `letter` is wider than the scan's elements: its carry g, the fold n of a part, and everything where parts
 * are only folded. */
bool fsr_c_is_wide(const fsr_c_emit *e, int fold, char letter);
/* What a component of the state `letter` is: f64 for these, else as the operator says. */
fsr_dtype fsr_c_state_dtype(const fsr_c_emit *e, int fold, char letter, int component);

/* Before the loop over a batch of lanes, and behind it; the COMBINE instruction (false: there is nothing particular
 * about it); the function that the others' text calls. */
void fsr_c_widen_begin(fsr_c_emit *e, const fsr_body *loop);
bool fsr_c_widen_input(fsr_c_emit *e, int fold);
void fsr_c_widen_end(fsr_c_emit *e, const fsr_body *loop);
void fsr_c_widen_prelude(const fsr_c_emit *e, fsr_text *to);

/* ---- pair.c: reductions that keep their order --------------------------------------------------- */

/* Their arrays, beside the states; the COMBINE instruction (false: there is nothing particular about it); the loop
 * over [c0, c1), whose body `print` prints. */
void fsr_c_pair_arrays(fsr_c_emit *e, const fsr_body *loop);
bool fsr_c_pair_input(fsr_c_emit *e, int fold);
void fsr_c_pairs(fsr_c_emit *e, const fsr_body *loop, void (*print)(fsr_c_emit *e, const fsr_body *loop));

/* ---- laned.c: reductions that commute, beside a scan -------------------------------------------- */

/* The loop folds in lanes: those beside scans where there are reductions. */
bool fsr_c_has_lanes(const fsr_c_emit *e, const fsr_body *loop);
/* One of the loop being printed. */
bool fsr_c_is_laned(const fsr_c_emit *e, int fold);
/* Their arrays; the COMBINE instruction (false: the fold is none); what a part of a strip's instructions has put
 * there, into the lanes. */
void fsr_c_laned_arrays(fsr_c_emit *e, const fsr_body *loop);
bool fsr_c_laned_input(fsr_c_emit *e, int fold);
void fsr_c_laned_strip(fsr_c_emit *e, const fsr_body *part);

/* ---- outputs.c: tiles of outputs ------------------------------------------------------------------ */

/* Inside of the loop over blocks: the panels, and the loop over the tiles, which advances all addresses to them. */
void fsr_c_tiles_begin(fsr_c_emit *e);
/* One column of a tile. */
/* What print leaves, for each row of a tile in a loop over the outputs of that. */
void fsr_c_tile_rows(fsr_c_emit *e, const fsr_body *loop, void (*print)(fsr_c_emit *e, const fsr_body *loop));
void fsr_c_tile_column(fsr_c_emit *e, const fsr_body *loop);
/* The loops over all states of a tile, in place of fsr_c_rows_begin: they are there for rows that are not, too. */
void fsr_c_states_begin(fsr_c_emit *e);

/* ---- share.c: rows whose columns are cut into parts --------------------------------------------- */

/* The places of states. */
void fsr_c_share_plan(fsr_c_emit *e);
/* The declarations that a row of such a kernel begins with. */
void fsr_c_share_row(fsr_c_emit *e);
/* Reads the states of part c0, in place of folding a chunk. */
void fsr_c_share_part(fsr_c_emit *e, const fsr_body *loop);
/* Component i of the state in memory at that word, `part` on: "*(f32 *)(z + 8)". out: FSR_EMIT_NAME bytes. */
void fsr_c_share_word(const fsr_c_emit *e, int fold, int i, int word, const char *part, char *out);
/* Reads a scan's carry into a part. */
void fsr_c_share_carry(fsr_c_emit *e, int fold);
/* Around the loop of the pass: what a part and a carry do with the states. `whole` prints the loop. */
void fsr_c_share_pass(fsr_c_emit *e, const fsr_body *loop, void (*whole)(fsr_c_emit *e, const fsr_body *loop));

/* ---- stream.c: stores that pass the caches by ------------------------------------------------- */

/* The functions that the others' text calls. */
void fsr_c_stream_prelude(const fsr_c_emit *e, fsr_text *to);
/* Before the loop over strips of so many elements; at the beginning and at the end of one. `start`: the flat index
 * where it begins, `elements`: their number in it. */
void fsr_c_stream_arrays(fsr_c_emit *e, const fsr_body *loop, int elements);
void fsr_c_stream_begin(fsr_c_emit *e, const fsr_body *loop, const char *start);
void fsr_c_stream_end(fsr_c_emit *e, const fsr_body *loop, const char *start, const char *elements);
/* A loop over [low, high) in runs [c0, c1): of schedule.past if its results pass the caches by, of schedule.run where
 * only arguments are checked. start: the flat index of c0. To be called inside a block. */
void fsr_c_runs(fsr_c_emit *e, const fsr_body *loop, const char *low, const char *high, const char *start,
                void (*print)(fsr_c_emit *e, const fsr_body *loop));

/* ---- squares.c: transposed operands in squares ------------------------------------------------- */

void fsr_c_squares_prelude(const fsr_c_emit *e, fsr_text *to);
/* Inside the loops over squares: arrays of what staged loads take of one. */
void fsr_c_squares(fsr_c_emit *e);
/* Behind a square's rows: turns what its stores have left in arrays into memory. */
void fsr_c_squares_end(fsr_c_emit *e);
/* Where the loop's element of a store waits for that. */
void fsr_c_put_waiting(const fsr_c_emit *e, fsr_text *to, int number);
/* The text of such a load. */
void fsr_c_put_squared(fsr_c_emit *e, fsr_text *to, int number);

/* ---- inside.c: computed indices ------------------------------------------------------------------ */

/* moor.c: pointers of loads whose guards are the same for the whole loop, once `outer` is there; whether a load is
 * one, and its text. */
void fsr_c_moor(fsr_c_emit *e, const fsr_body *loop);
/* At the beginning of a loop that asks guards: addresses of what none of its masks will take stay in their arrays. The
 * caller saves e->base and puts it back behind the loop. */
void fsr_c_stay(fsr_c_emit *e, const fsr_body *loop);
/* The same of row j of a block, in front of its loop along the columns. */
void fsr_c_stay_by_row(fsr_c_emit *e, const fsr_body *part);
bool fsr_c_is_moored(const fsr_c_emit *e, const fsr_inst *inst);
void fsr_c_put_moored(fsr_c_emit *e, fsr_text *to, const fsr_inst *inst);
/* inst.c: the text of a guard's truth. */
void fsr_c_put_guard(fsr_c_emit *e, fsr_text *to, int guard);
/* Instruction `number` is an INSIDE whose index is of 32 bits, and its value too. */
bool fsr_c_is_inside_narrow(const fsr_c_emit *e, int number);
/* The text of an INSIDE's value; and the line behind it, if it raises. */
void fsr_c_put_inside(fsr_c_emit *e, fsr_text *to, const fsr_inst *inst);
void fsr_c_put_report(fsr_c_emit *e, const fsr_inst *inst);
/* At the function's beginning, and at its end: what reports are gathered in. */
void fsr_c_reports(fsr_c_emit *e, bool end);
/* The functions that the others' text calls. */
void fsr_c_inside_functions(const fsr_c_emit *e, fsr_text *to);

/* ---- ahead.c: the next row --------------------------------------------------------------------- */

/* At the function's head: how far ahead. */
void fsr_c_ahead_head(fsr_c_emit *e);
/* By columns: at the beginning of a block, how many rows of it are asked for ahead, and the next block where columns
 * lie beside each other; at a column's beginning, a later one's. */
void fsr_c_columns_ahead_head(fsr_c_emit *e);
void fsr_c_columns_ahead(fsr_c_emit *e, const fsr_body *loop);
/* Of a map in tiles: before its loops, how far apart rows are; and before a row, from index low to high of the last
 * dimension, for the next one. */
void fsr_c_tiles_ahead_head(fsr_c_emit *e);
void fsr_c_tiles_ahead(fsr_c_emit *e, const char *low, const char *high);
/* map.c: the loops of a map. */
void fsr_c_map(fsr_c_emit *e);
/* rows.c: loops over the first dimensions, and their ends. */
void fsr_c_dimensions(fsr_c_emit *e, int end);
void fsr_c_dimensions_end(fsr_c_emit *e, int end);
/* const i64 r = ((i0) * d1 + i1) * d2 + <last>: the row number from the indices of the n parallel dimensions, of which
 * the last is named `last` ("0": at its beginning). */
void fsr_c_row_number(fsr_c_emit *e, int n, const char *last);
/* const i64 NAME = the product of the extents from dimension `from` to before `end`. */
void fsr_c_product(fsr_c_emit *e, const char *name, int from, int end);
/* neighbours.c: how a loop over a strip's elements counts, and what less is their place in the strip's arrays. */
typedef struct fsr_c_along {
    const char *var, *low, *high, *less; /* less: "", " - cs" */
} fsr_c_along;
/* Prints what is done for one element. */
typedef void fsr_c_element_fn(fsr_c_emit *e, const fsr_body *part);
/* The loop of a part that loads at computed places. */
void fsr_c_gather_loop(fsr_c_emit *e, const fsr_body *part, const fsr_c_along *along, fsr_c_element_fn *print);
/* Of short rows, inside the loop over them: asks for what a row gathers. */
void fsr_c_fetch_row(fsr_c_emit *e);
/* The same for what the places are loaded from, where rows of it lie apart; whether some do. */
void fsr_c_fetch_places(fsr_c_emit *e);
bool fsr_c_has_places_apart(const fsr_c_emit *e);
/* fetch.c: a part that gathers, of n elements; where what it loads lies apart it asks for it before. */
void fsr_c_by_distance(fsr_c_emit *e, const fsr_body *part, const char *n,
                       void (*print)(fsr_c_emit *e, const fsr_body *part));
/* In its loop: asks for what element `at` of n, some elements later, will load. */
void fsr_c_fetch(fsr_c_emit *e, const fsr_body *part, const char *at, const char *n);
/* In the second pass, where it has come from column `from` to column `to`; nothing in other passes. */
void fsr_c_ahead(fsr_c_emit *e, int pass, const char *from, const char *to);
/* At the beginning of a strip: asks for what comes, FSR_COMING_BYTES further on. */
void fsr_c_coming(fsr_c_emit *e, const fsr_body *loop);
/* In a stage that waits, beside 16 of its elements from `at` on: asks for as many of the next strip's. */
void fsr_c_comes(fsr_c_emit *e, int pass, const fsr_c_along *along, const char *at);
/* At the beginning of a strip of rows that are taken together, some stage of which waits: asks for the next one's. */
void fsr_c_together_comes(fsr_c_emit *e);
/* Around the loop of a stage that waits, from *low to *high, which become the bounds of 16 of its elements: asks for as
 * many of the next strip's. false: there is nothing to ask for, and no block to end. */
bool fsr_c_comes_begin(fsr_c_emit *e, int pass, const fsr_c_along *along, const char **low, const char **high);

/* ---- pack.c: compacted stores ---------------------------------------------------------------- */

/* The functions that the others' text calls. */
void fsr_c_pack_prelude(const fsr_c_emit *e, fsr_text *to);
/* Of store `number`: its arrays, once a row or part whose carries are known; what the loop does; what follows the
 * loop in each strip; what follows the last strip. */
void fsr_c_pack_arrays(fsr_c_emit *e, int number);
void fsr_c_pack_store(fsr_c_emit *e, int number);
void fsr_c_pack_strip(fsr_c_emit *e, int number);
void fsr_c_pack_end(fsr_c_emit *e, int number);
/* Bytes of the array of an end of a store. */
int fsr_c_pack_room(const fsr_c_emit *e, const fsr_inst *store);

/* ---- pack_narrow.c: elements of one and two bytes --------------------------------------------------- */

/* What the loops of these sizes call, of those that sizes[size] names; and the loops. */
void fsr_c_pack_narrow_prelude(fsr_text *to, const bool *sizes);
void fsr_c_pack_narrow(fsr_text *to, int size, bool front);

/* ---- apart.c: parts whose filters store before the parts on their left are done ------------------- */

/* Bytes of memory for what a part stores; 0: the kernel is no such one. */
int64_t fsr_c_apart_bytes(const fsr_c_emit *e);
/* Where what `number` stores goes up from, and down from. */
void fsr_c_apart_ends(fsr_c_emit *e, int number);
/* Behind the strips: what was stored is what the scans, and reductions that ride on them, give. */
void fsr_c_apart_counts(fsr_c_emit *e, const fsr_body *loop);
/* The loop without these reductions. */
void fsr_c_apart_loop(const fsr_c_emit *e, const fsr_body *loop, fsr_body *out);
/* What PACKED and FINISH do. */
void fsr_c_apart_packed(fsr_c_emit *e);
void fsr_c_apart_finish(fsr_c_emit *e);
/* The function that PACKED calls. */
void fsr_c_apart_prelude(fsr_text *to);

/* ---- stage.c: stages of a loop in strips ---------------------------------------------------------------- */

/* e->crossing, and an array over a strip for each such value. */
void fsr_c_hold_arrays(fsr_c_emit *e, const fsr_body *loop);
/* The version being printed needs something of a stage. Counter-example to the loop of one of which it needs nothing: a
 * compiler leaves it as it is, even if it is empty. */
bool fsr_c_is_needed(const fsr_c_emit *e, const fsr_body *part);
/* Element `at` of a strip: a stage's values from earlier ones; those that it leaves for later ones. */
void fsr_c_take(fsr_c_emit *e, const fsr_body *part, const char *at);
void fsr_c_hold(fsr_c_emit *e, const fsr_body *part, const char *at);
/* The operations of a stage of blocks, each a call for the strip of `n` elements. */
void fsr_c_blocks(fsr_c_emit *e, const fsr_body *part, const char *n);

/* ---- scan.c: loops over a run of columns in strips, scans --------------------------------------------- */

/* Columns (of a map: rows) [c0, c1) of such a loop. `start`: the flat index of the strip's beginning, cs. */
void fsr_c_strips(fsr_c_emit *e, const fsr_body *loop, const char *start);
/* Arrays of the strips: once a row, before the loops over columns. */
void fsr_c_strip_arrays(fsr_c_emit *e, const fsr_body *loop);
/* What follows these loops. */
void fsr_c_strip_end(fsr_c_emit *e, const fsr_body *loop);

/* ---- iterate.c: loops for each element ---------------------------------------------------------------- */

/* One static function for each ITERATE. */
void fsr_c_loops(fsr_c_emit *e);
/* Arrays over a strip for ITERATE `number`. */
void fsr_c_loop_arrays(fsr_c_emit *e, int number);
/* The instruction itself: what the loop begins with put into the arrays, or, once a row, the whole. */
void fsr_c_loop_begin(fsr_c_emit *e, int number);
/* Runs the loop on the arrays of the strip. */
void fsr_c_loop_call(fsr_c_emit *e, int number);

/* ---- unroll.c: several columns of a block of rows at once ------------------------------------------------- */

/* Declares cu and goes over columns c0 .. cu, whole turns of them. */
void fsr_c_unrolled(fsr_c_emit *e, const fsr_body *loop);

/* ---- beside.c: columns that lie beside each other as the rows of a block do --------------------------------- */

/* The loop of a pass goes so; and what it takes of rows, an array for each, before it. */
bool fsr_c_lies_beside(const fsr_c_emit *e, const fsr_body *loop);
void fsr_c_beside_spread(fsr_c_emit *e, const fsr_body *loop);
/* One loop along the rows and the columns that are a run of memory; of a single folded dimension from fresh states
 * on. */
void fsr_c_beside(fsr_c_emit *e, const fsr_body *loop);
/* The loop over the states of all of them. */
void fsr_c_beside_begin(fsr_c_emit *e);
/* A row's states become one, in its place. */
void fsr_c_beside_meet(fsr_c_emit *e, const int *folds, int n);

/* ---- rows.c: the loops over rows ------------------------------------------------------------------------ */

void fsr_c_rows(fsr_c_emit *e);

/* ---- bands.c: several nests in one kernel -------------------------------------------------------------- */

/* Of a task's function of a nest, "NAME(void *const *a, ...". */
#define FSR_C_ARGUMENTS "(void *const *a, const i64 *n, const scalar *s, void *work, const i64 *t)"

/* The exported function, which goes along in bands and calls those of the nests, the last one `last`. */
void fsr_c_bands(const fsr_kernel *k, fsr_text *to);
enum { FSR_NEST_NAME = sizeof((fsr_kernel *)0)->name + 16 };
/* What the function of nest i is called, of the last one where i is how many come before it: by number, behind the
 * kernel's own name, so that no name in a text is that of another function. out: FSR_NEST_NAME bytes. Returns out. */
const char *fsr_c_nest_name(const fsr_kernel *k, int i, char *out);

#endif
