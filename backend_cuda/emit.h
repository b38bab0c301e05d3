/* SPDX-License-Identifier: MIT */
/* Shared by the emit_*.c files.
 *
 * Names in the text: v<i> the value of instruction i, x<b> array b, n<s> integer argument s (rows, cols, splits,
 * stretch and the extents n4.. ), p<s> scalar argument s, i<d> the index along dimension d, a<x> the part of access x's
 * address that comes from the row, r the row, c the column, op<f> the operator of fold f, acc<p> pass p's accumulators.
 *
 * A frame is the text around the kernel's instructions that a schedule needs. Inside it a value is named in one of
 * three ways:
 *   PLAIN  v7        a variable of the innermost block, or of the row
 *   ITEM   v7[i]     one of `items` registers, i = j * vector + v: loaded values, kept ones, those read in a later
 * stage
 *   LANE   v7[v]     ROW values when a thread owns `vector` rows (COL) */
#ifndef FUSOR_BACKEND_CUDA_EMIT_H
#define FUSOR_BACKEND_CUDA_EMIT_H

#include "backend_cuda/emit_cuda.h"
#include "fusion/nest.h"
#include "fusion/tile.h"
#include "fusion/walk.h"
#include "runtime/source.h"

typedef enum fsr_naming { FSR_NAME_PLAIN, FSR_NAME_ITEM, FSR_NAME_LANE } fsr_naming;

typedef struct fsr_emit {
    const fsr_kernel *k;
    const fsr_kernel *whole; /* with nests: the kernel; NULL: there are none */
    const fsr_nest *nest;    /* the one that k is; NULL: the last one */
    fsr_schedule s;
    fsr_text *out;
    int depth;
    const fsr_turns *turns; /* the loop whose body is printed */
    fsr_source_calls calls; /* whose results stand in the open blocks */
    fsr_status status;
    uint8_t naming[FSR_MAX_INSTS];
    bool needs[FSR_MAX_DIMS];    /* dimensions whose index somebody reads */
    int op_of[FSR_MAX_COMBINES]; /* the fold whose op<f> struct serves this fold */
    int pass;                    /* the one being printed */
    fsr_tile_pass tile;          /* its loop and stages */
    fsr_loop_version known;      /* of conditions, where a version is printed */
    bool dead[FSR_MAX_INSTS];    /* what it does not need */
    bool all_there;              /* no element of those that are printed for lies behind the last */
    int nversions;               /* of the pass being printed */
    fsr_loop_version version[FSR_MAX_VERSIONS];
} fsr_emit;

#define FSR_REF 96    /* room for the text of one reference */
#define FSR_EXPR 4096 /* room for the text of one address, guard or op */

/* One line at the current depth; block_open also prints "{" on it and goes deeper. */
void fsr_emit_line(fsr_emit *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
void fsr_emit_open(fsr_emit *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
void fsr_emit_close(fsr_emit *e);
/* Out of a block whose end the next line is, or has. */
void fsr_emit_leave(fsr_emit *e);
/* "#pragma unroll" and "for (int <var> = 0; <var> < <n>; <var>++) {". */
void fsr_emit_unrolled(fsr_emit *e, const char *var, int n);
/* Records that the kernel breaks a rule of emit_cuda.h. */
void fsr_emit_broken(fsr_emit *e);
/* Puts a text at buf[n], and returns where the next one goes. One that does not fit breaks the kernel: a text that was
 * cut may compile, and read another element. The arguments must not lie in buf. */
size_t fsr_emit_add(fsr_emit *e, char buf[FSR_EXPR], size_t n, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* emit_scalar.c */
const char *fsr_emit_type(fsr_dtype dtype);
const char *fsr_emit_literal(char buf[FSR_REF], fsr_dtype dtype, fsr_value value);
/* The text by which instruction v's value is read. */
const char *fsr_emit_ref(const fsr_emit *e, char buf[FSR_REF], int v);
/* The name that instruction v's value is assigned to: without the test that makes a bool of a loaded byte. */
const char *fsr_emit_name(const fsr_emit *e, char buf[FSR_REF], int v);
/* The type of instruction v's value. */
const char *fsr_emit_value_type(const fsr_emit *e, char buf[FSR_REF], int v);
/* The text by which instruction `number` of `of`, a container, is read. */
typedef const char *(*fsr_emit_namer)(const void *of, char buf[FSR_REF], int number);
/* The value of a CONST, OP or CALL of any container. */
void fsr_emit_scalar(fsr_emit *e, char buf[FSR_EXPR], const fsr_inst *inst, fsr_emit_namer name, const void *of);
/* Definitions of a region's instructions [from, to), but its arguments. */
void fsr_emit_region(fsr_emit *e, const fsr_region *r, int from, int to, fsr_emit_namer name, const void *of);
/* One CONST, PARAM, INDEX, OP, ITERATE or PICK, as a definition or, for other namings, an assignment. */
void fsr_emit_value(fsr_emit *e, int v, const char *result);
/* emit_call.c: callers' functions, their prototypes and what they are. */
void fsr_emit_declare_calls(const fsr_kernel *k, fsr_text *out);
void fsr_emit_define_calls(const fsr_kernel *k, fsr_text *out);
/* The text of the call that instruction v is. */
void fsr_emit_call(fsr_emit *e, char buf[FSR_EXPR], const fsr_inst *inst, fsr_emit_namer name, const void *of);

/* emit_access.c */
typedef enum fsr_lanes {
    FSR_LANES_ALIGNED, /* adjacent and aligned */
    FSR_LANES_ONE,     /* adjacent */
    FSR_LANES_SAME,    /* all the same element */
    FSR_LANES_STRIDED  /* a run-time stride */
} fsr_lanes;

/* True if a thread's `vector` neighbours lie along the rows (MAP, COL), false if along the columns. */
bool fsr_emit_along_rows(const fsr_emit *e);
static inline int fsr_emit_folded(const fsr_kernel *k) {
    return k->ndim - k->nparallel;
}
/* Symbols: those that are the same everywhere, those of a point. */
enum { FSR_HOMED = 1, FSR_POINTED = 2 };
/* Appends "stride * index" of one dimension to a sum; "coefficient * value" of each symbol of these sorts. */
size_t fsr_emit_add_term(fsr_emit *e, char buf[FSR_EXPR], size_t n, const fsr_index_form *a, int d, const char *index);
/* Adds an address' offset. */
size_t fsr_emit_add_offset(fsr_emit *e, char buf[FSR_EXPR], size_t n, const fsr_index_form *form);
size_t fsr_emit_add_symbols(fsr_emit *e, char buf[FSR_EXPR], size_t n, const fsr_index_form *form, int sorts);
void fsr_emit_find_needs(fsr_emit *e);
/* Definitions of the parallel dimensions' indices from r, and of the folded ones' from `column`. */
void fsr_emit_row_indices(fsr_emit *e);
void fsr_emit_column_indices(fsr_emit *e, const char *column);
/* "const idx a3 = ..." of an access; for those of all loads, all stores or both. */
void fsr_emit_row_part(fsr_emit *e, int access);
void fsr_emit_row_parts(fsr_emit *e, bool loads, bool stores);
fsr_lanes fsr_emit_lanes(const fsr_emit *e, int access);
/* The text of a load that is done once; of a late one (fsr_inst_is_late), element by element; and of an INSIDE. */
void fsr_emit_once_load(fsr_emit *e, char buf[FSR_EXPR], int v);
void fsr_emit_late_load(fsr_emit *e, char buf[FSR_EXPR], int v);
void fsr_emit_inside(fsr_emit *e, char buf[FSR_EXPR], int v);
/* Loads `vector` elements into v<inst>[at ..]; `column` names the first one's column, NULL at ROW level. */
void fsr_emit_load(fsr_emit *e, int inst, const char *at, const char *column);
/* Opens the block in which a load takes place, if it has a guard: the number of closing braces it needs. A vector is
 * inside or outside as a whole (fusion/schedule.c). */
int fsr_emit_open_guard(fsr_emit *e, int inst, const char *column);
/* emit_guard.c. Where instruction v takes place, in a loop over lanes: its guard, and `live`, whether there is an
 * element at all (NULL: there is). Empty: everywhere. */
void fsr_emit_where(fsr_emit *e, char buf[FSR_EXPR], int v, const char *live);
/* The text of a guard's truth, where values are computed. */
void fsr_emit_guard_value(fsr_emit *e, char buf[FSR_EXPR], int guard);
/* " && 0 <= ... && !(...)": that the conditions are as a version knows them, at the indices of a row. */
void fsr_emit_version_fits(fsr_emit *e, char buf[FSR_EXPR], const fsr_loop_version *version);
/* The same of a thread's columns, from `first` to `last`. */
void fsr_emit_span_fits(fsr_emit *e, char buf[FSR_EXPR], const fsr_loop_version *version, const char *first,
                        const char *last);
/* Stores `vector` elements from o<inst>, or, if vector is 1, the value itself. */
void fsr_emit_store(fsr_emit *e, int inst, const char *column);
/* One element's store at a computed address, if `first` < `end`. */
void fsr_emit_scattered(fsr_emit *e, int inst, const char *first, const char *end);
/* "x<b>[address]" of one element; column NULL: at ROW level. Returns buf. */
const char *fsr_emit_element(fsr_emit *e, char buf[FSR_EXPR], int access, const char *column);

/* emit_compact.c: of compacted stores; nothing for others. */

/* What lanes hand over to one another by; the elements of a tile that is pooled. */
void fsr_emit_compact_room(fsr_emit *e);
/* A step's elements; of one of them what is stored; and the step's stores. */
void fsr_emit_compact_registers(fsr_emit *e, int v);
void fsr_emit_compact_values(fsr_emit *e, int v);
void fsr_emit_compact(fsr_emit *e, int v);
/* Words of a thread's masks, and, in the loop over a stage's elements, their bits. */
void fsr_emit_pool_words(fsr_emit *e);
void fsr_emit_pool_bits(fsr_emit *e, int stage);
/* What such a word gives a fold that counts its bits; false: the fold is none. */
bool fsr_emit_pool_count(fsr_emit *e, char buf[FSR_EXPR], int fold);
/* The stage's chain is nothing but such counts: q<stage>, for each step, and "total<stage>" stand for its states. */
bool fsr_emit_pool_counts(const fsr_emit *e, int stage);
void fsr_emit_pool_sums(fsr_emit *e, int stage);
/* Pooled: of a step, of an element, of a store whose values a scan's results are part of. */
void fsr_emit_pool_ranks(fsr_emit *e, int v);
void fsr_emit_pool_values(fsr_emit *e, int v);
/* The loop that fills the pools of a stage's other stores, before the tile's place is known; and, behind a barrier or
 * the wait for it, what threads store of a stage's pools. */
void fsr_emit_pool_early(fsr_emit *e, int stage);
void fsr_emit_pool_out(fsr_emit *e, int stage, bool early);

/* emit_fold.c */
void fsr_emit_fold_types(fsr_emit *e);
/* The scalar arguments that operators take, where those find them; before everything else of the function. */
void fsr_emit_share_scalars(fsr_emit *e);
/* A struct <name> whose state holds the states of these folds as members f<fold>. */
void fsr_emit_product(fsr_emit *e, const char *name, const fsr_fold_list *list);
/* True if one of them is narrow: then the struct has an item beside its state. */
bool fsr_emit_has_items(const fsr_emit *e, const fsr_fold_list *list);
/* "op2::state{v7, v8}" */
void fsr_emit_input(fsr_emit *e, char buf[FSR_EXPR], int fold);
/* What a column of a tile holds for a fold, and for one beyond the end. */
void fsr_emit_item(fsr_emit *e, char buf[FSR_EXPR], char identity[FSR_EXPR], int fold);
/* The folds of a stage of the pass's tile: whether some are reductions, and the lines that combine an element. */
bool fsr_emit_reduces(const fsr_emit *e, int stage);
void fsr_emit_stage_folds(fsr_emit *e, int stage);

/* emit_iterate.c */
void fsr_emit_loop_types(fsr_emit *e);
/* Where there is an element, or a row, at all, as a condition; NULL: everywhere. */
const char *fsr_emit_live(const fsr_emit *e, char buf[FSR_REF], int v);
/* emit_row.c. Where a row's columns end: "cols", or "stop", whose line this writes, at the count. */
const char *fsr_emit_columns(fsr_emit *e);
/* "loop0::run(r < rows ? 100 : 0, v1, v2)", of ITERATE v. */
void fsr_emit_loop_text(fsr_emit *e, char buf[FSR_EXPR], int v);

/* emit_rows.c: values of ONCE and of ROW level. */

/* What is evaluated once, before everything else that computes. */
void fsr_emit_once(fsr_emit *e);

/* The ROW instructions of a pass in a frame where a thread has one row; its stores are under `guard`. */
void fsr_emit_row_values(fsr_emit *e, int pass, const char *guard);
/* The same of some ROW instructions, n of them. */
void fsr_emit_row_list(fsr_emit *e, const int *rows, int n, const char *guard);
/* The text of the state that `v`, a PICK of a fold, reads, at ROW level. */
void fsr_emit_row_result(fsr_emit *e, char buf[FSR_REF], int v);

/* emit_pass.c, emit_tile.c: one tile of columns in registers, for ROW, SPLIT and LOOKBACK. Expects in scope: r, a<x>,
 * end (the first column beyond), c0 (the thread's first column), acc<pass>, carry<pass>_<stage>. */

/* Threads of a row, neighbours among them whose columns are a vector apart, warps of a row, steps of a tile. */
int fsr_emit_row_threads(const fsr_emit *e);
int fsr_emit_lane_count(const fsr_emit *e);
int fsr_emit_warps(const fsr_emit *e);
int fsr_emit_steps(const fsr_emit *e);
/* Enters a pass: its loop, stages, and how its values are named. */
void fsr_emit_enter_pass(fsr_emit *e, int pass);
/* Structs of all passes, before the function. */
void fsr_emit_pass_types(fsr_emit *e);
/* Registers for kept values, at the function's scope. */
void fsr_emit_kept(fsr_emit *e);
/* acc and carry of the pass, and shared memory of its exchanges. */
void fsr_emit_pass_state(fsr_emit *e);
/* LOOKBACK: rows that a block has side by side; 1 in all other frames of a tile. */
int fsr_emit_beside(const fsr_emit *e);
/* "all<pass>": the fold of the accumulators over the threads of a row. */
void fsr_emit_pass_total(fsr_emit *e);
void fsr_emit_tile(fsr_emit *e);
/* The same in parts: registers, loads, everything else. */
void fsr_emit_tile_begin(fsr_emit *e);
void fsr_emit_tile_loads(fsr_emit *e);
void fsr_emit_tile_stages(fsr_emit *e);
/* emit_ring.c, with slots: a tile's count, as soon as it is known. */
void fsr_emit_ring_counted(fsr_emit *e, int stage);
/* Loops over steps j and lanes v (one loop over i if vector is 1); lanes also define c if the loop needs it. */
void fsr_emit_open_steps(fsr_emit *e, const char *first, int stride);
void fsr_emit_open_lanes(fsr_emit *e);
void fsr_emit_close_lanes(fsr_emit *e);
const char *fsr_emit_step_column(const fsr_emit *e);

/* emit_lookback.c: the ROW instructions of the last pass, of reductions that ride; the last tile's. */
void fsr_emit_riding(fsr_emit *e, const char *guard);

/* emit_version.c: the versions of the pass that was entered; "fits0": that a thread's columns from `first` on, `span`
 * behind it the last one, but before `end`, lie where they know; and what `print` prints of a stage (-1: the loads
 * before all) in each version that changes it, and as it is. */
void fsr_emit_find_versions(fsr_emit *e);
void fsr_emit_fits(fsr_emit *e, const char *first, int span);
void fsr_emit_by_version(fsr_emit *e, int stage, void (*print)(fsr_emit *e, int stage));

/* emit_row.c: the column of a thread's first element relative to its tile; columns of a tile. */
void fsr_emit_thread_column(fsr_emit *e, char buf[FSR_EXPR]);
int fsr_emit_tile_columns(const fsr_emit *e);

/* "part": the block's partial state of all reductions, those of the accumulators, sum0, and those of chains; `chained`
 * is the name of a chain's state without its stage. */
void fsr_emit_partial_state(fsr_emit *e, const fsr_fold_list *all, const char *chained);
/* From the thread's accumulators to the ROW instructions of the last pass, which the last block of a row does: `place`
 * is the block's number within the row, `ticket` where the row's ticket lies. */
void fsr_emit_finish_row(fsr_emit *e, const char *place, const char *ticket, const char *chained);

/* One a schedule: the function's body. */
void fsr_emit_map(fsr_emit *e);
void fsr_emit_row(fsr_emit *e);
void fsr_emit_split(fsr_emit *e);
void fsr_emit_lookback(fsr_emit *e);
void fsr_emit_ring(fsr_emit *e); /* LOOKBACK with `slots` */
void fsr_emit_col(fsr_emit *e);
void fsr_emit_outputs(fsr_emit *e);  /* COL with `tall` */
void fsr_emit_square(fsr_emit *e);   /* MAP with `tile` */
void fsr_emit_branched(fsr_emit *e); /* MAP with `branched` */

void fsr_emit_tiles(fsr_emit *e); /* MAP of several nests */

/* emit_nests.c: the function of nest `number` of e's kernel; whether an access is that of a tile, and its element's
 * text. */
void fsr_emit_nest(fsr_emit *e, int number);
bool fsr_emit_in_tile(const fsr_emit *e, int access);
void fsr_emit_tile_element(fsr_emit *e, char buf[FSR_EXPR], int access);

/* emit_cuda.c: the parameters that a function's body mentions (fsr_cuda_params); one as it is declared; and the name
 * of an integer argument. */
int fsr_emit_params(const fsr_kernel *k, const char *body, fsr_cuda_param *out);
void fsr_emit_param(const fsr_kernel *k, const fsr_cuda_param *p, fsr_text *out);
void fsr_emit_int_name(char buf[FSR_REF], int slot);

/* emit_repeat.c: one repetition of a kernel as a function; and the kernel's body, which calls it. */
void fsr_emit_repetition(const fsr_kernel *k, const char *body, fsr_text *out);
void fsr_emit_repeat_loop(const fsr_kernel *k, const char *body, fsr_text *out);

/* emit_outputs.c: where a block has a tile of `high` indices along parallel dimension `across` by `wide` along the last
 * one: the first of each, up and left, and the indices along other dimensions; and, these being named, r. */
void fsr_emit_block_tile(fsr_emit *e, int across, int high, int wide);
void fsr_emit_row_number(fsr_emit *e);
void fsr_emit_team(fsr_emit *e);

#endif
