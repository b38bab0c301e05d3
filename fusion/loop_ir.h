/* SPDX-License-Identifier: MIT */
/* The loop IR: what one kernel does, before any language.
 *
 * Domain. `ndim` dimensions; the first `nparallel` are parallel, the others are folded (reduced or scanned).
 * A point of the parallel dimensions is a row, r in [0, rows) in C order; a point of the folded ones a
 * column, c in [0, cols) in C order. Extents are run-time arguments.
 *
 * Instructions are those of graph/inst.h; how they stand in the loops is a list of its own. Each has a level:
 *   ONCE  evaluated once, before everything else: the same for all points (below, Homes);
 *   ROW   evaluated once for each row;
 *   ELEM  evaluated for each (row, column).
 * Without folded dimensions there are no ELEM instructions: an elementwise kernel is all rows (npasses = 0).
 *
 * Passes. A kernel makes `npasses` passes over the columns of a row. Order of work for one row:
 *   ROW instructions of pass 0; loop over c with ELEM of pass 0; ROW of pass 1; loop of pass 1; ...;
 *   ROW of pass npasses.
 * A reduction (COMBINE of a FSR_FOLD_REDUCE) of pass p takes ELEM values of the loop of pass p; its results, PICKs
 * of the COMBINE, are ROW values of pass p+1. A scan's results are ELEM values of the same pass: within a loop the
 * scan's COMBINE comes before its PICKs, and a tile-wise backend completes it for the whole tile at that point.
 * An ELEM value of pass p that a later pass reads is either `keep` (held per element across passes: registers on a
 * GPU) or evaluated again; fsr_kernel_pass_body gives the instructions of a loop with that already decided.
 *
 * Example, softmax along rows: pass 0: v0 = load x; combine 0 = max(v0). pass 1: v3 = exp(v0 - m); combine 1 = sum(v3).
 * pass 2: store v3 / s. Three passes, x and v3 kept in registers where a row fits, loaded again where not.
 *
 * Guards. A load may have a guard, a box of the domain: outside it the load does not take place and its value is any. A
 * GUARD instruction is the guard's truth, by which a WHERE chooses: concatenation and assignment to a slice are loads
 * under guards. Where a version of the loops runs (schedule.version) some conditions are known. Counter-example to a
 * choice of addresses: of two arrays, the one not chosen may have no such element.
 *
 * Symbols. An INSIDE brings a computed value into a known range; it is the only kind of value that an address or a
 * condition may have a term of: so no address leaves its array, whatever the value, and what is known of a symbol is
 * its range. A load whose address has a symbol is a gather; nothing else knows gathers. One that raises keeps in its
 * array the greatest, as unsigned, of the indices that it met outside; 0 is none, as the extent is at least 1.
 *
 * Homes. A symbol that is the same everywhere, as the start of a slice, is an integer argument of the kernel that is
 * not there yet when it is launched: it and what it is computed of are ONCE, its home (fusion/address.h: when it is
 * known). Neighbours stay neighbours, loops are cut at the edges that it moves, and only its number is not known to a
 * schedule. In what follows it is an argument and no symbol.
 *
 * Stores at computed addresses. The address of a STORE may have symbols as that of a LOAD; each element then goes where
 * the symbols lead. No two points of the domain have one place, unless the
 * store combines, so stores need no order. Where a symbol is an INSIDE that
 * drops, it is -1 for what lies outside, and a store there does not take place; only stores have such symbols. A STORE
 * with symbols is evaluated at every point of the domain.
 *
 * Filters. A STORE may say that it is a filter's, of mask arg[1] and its exclusive running count arg[2]: its address is
 * that of a row, along the columns of which selected elements go one after the other from the front, the others from the
 * end. Who goes along the columns in order keeps count. Where a schedule has threads that each store an element by
 * itself, it makes stores at computed addresses of them (filter_places.c), and nothing is left of the filter.
 *
 * Combining stores. A STORE at computed places may leave `op` of what is there and what it stores, all at once: any
 * points may then have one place. The op is one of those that the table of operations calls ATOMIC, which commute and
 * associate; of integers, of 4 or 8 bytes, the result is the same in any order. Floats are added in the order in which
 * threads come: only who asked for that has such a store. No other instruction reads or writes the array, and the
 * kernel is a map. Everything else that meets at one place (the last one wins, sums of floats with the same bits in
 * each run) is made of such stores and maps before there is a kernel.
 *
 * Narrow. On a GPU a running sum of f32 has an f64 state: the scan takes f32 values and gives its state rounded to f32.
 * What a tile holds of an element stays 4 bytes wide, the sums of neighbours are f64.
 *
 * Loops. An ITERATE runs a loop on its inputs, the state's first values and what does not change, for one point of the
 * domain; its PICKs are the state at its end and the count of turns. They have its level and pass, so that a loop whose
 * results several passes read is not split. Only PICKs may be kept. Its body may take elements of tables, arrays that
 * the kernel does not write.
 *
 * Calls. A CALL is a caller's function of values, and of whole arrays that the kernel does not write. Where it has such, it
 * takes place for points of the domain alone, as a loop does: any other value may lead its text out of them.
 *
 * Later primitives fit without a new kind of kernel: random is a pure op of INDEX; sort and select are skeletons that
 * call the same regions. */
#ifndef FUSOR_FUSION_LOOP_IR_H
#define FUSOR_FUSION_LOOP_IR_H

#include "graph/graph.h"
#include "graph/inst.h"
#include "graph/ops.h"
#include "graph/program.h"
#include "graph/size.h"
#include <stdio.h>

#define FSR_MAX_BUFFERS 48             /* arrays of one kernel */
#define FSR_MAX_INSTS 512              /* instructions of one kernel */
#define FSR_MAX_ARGUMENTS FSR_MAX_ARGS /* values that one instruction reads */
#define FSR_MAX_ROUTINES 16            /* callers' functions of one kernel */
#define FSR_MAX_COMBINES 16
#define FSR_MAX_PASSES (FSR_MAX_COMBINES + 1)
#define FSR_MAX_LOOPS 8
#define FSR_MAX_ACCESSES 96
#define FSR_MAX_GUARDS 96
#define FSR_MAX_CONDITIONS 48
#define FSR_MAX_FORMS (FSR_MAX_ACCESSES + FSR_MAX_CONDITIONS)
#define FSR_MAX_TERMS FSR_MAX_DIMS /* values of one index form, and of all conditions of a guard together */
#define FSR_MAX_VERSIONS 8         /* of a kernel's loops */
#define FSR_MAX_GUARD 12           /* conditions of one guard */
#define FSR_MAX_SCALARS 32
#define FSR_MAX_INTS 256

typedef enum fsr_level { FSR_ROW, FSR_ELEM, FSR_ONCE } fsr_level;

/* How an instruction stands in the loops of its nest. */
typedef struct fsr_stand {
    uint8_t level; /* fsr_level */
    int8_t pass;
    bool keep;     /* ELEM value held per element for later passes */
    bool gathered; /* LOAD on a CPU: a small loop of its own fetches the elements of a batch of lanes */
    bool staged;   /* LOAD: its elements are copied near by, once for a tile of outputs, and read there */
} fsr_stand;

_Static_assert(FSR_MAX_PASSES < INT8_MAX, "a pass is a byte");

/* At the level of an argument, and in its pass, at least. */
static inline void fsr_stand_behind(fsr_stand *stand, const fsr_stand *argument) {
    stand->level = argument->level == FSR_ELEM ? FSR_ELEM : stand->level;
    stand->pass = argument->pass > stand->pass ? argument->pass : stand->pass;
}

/* An index form: (offset + sum over domain dimensions of stride * index + sum over terms of coefficient * value) /
 * divisor. Equal forms are one entry of the kernel's table. */
typedef enum fsr_stride_kind {
    FSR_STRIDE_ZERO, /* does not depend on this dimension */
    FSR_STRIDE_ONE,
    FSR_STRIDE_TWO, /* every other element: a compiler that knows it takes them out of two vectors */
    FSR_STRIDE_VAR  /* run-time integer argument `slot` */
} fsr_stride_kind;

/* Run-time symbol of a form: a value that lies in a known range (an INSIDE). */
typedef struct fsr_term {
    int value; /* i64 instruction */
    int slot;  /* integer argument: the coefficient; 0: 1 */
} fsr_term;

typedef struct fsr_index_form {
    fsr_stride_kind stride[FSR_MAX_DIMS];
    int slot[FSR_MAX_DIMS]; /* VAR: index into the integer arguments */
    int offset;             /* integer argument with the offset; -1: zero */
    int divisor; /* integer argument by which the sum is divided, exactly wherever it is asked for; 0: none */
    int nterms;
    fsr_term term[FSR_MAX_TERMS];
} fsr_index_form;

/* Planes, lines and elements of a tile of computed values at most. */
enum { FSR_MOST_NEAR = 1 << 14 };

/* The axes of a tile (fusion/nest.h): planes only where tiles are deep. */
enum { FSR_AXIS_PLANE, FSR_AXIS_LINE, FSR_AXIS_ELEMENT, FSR_AXES };

/* What a tile holds beyond the edges of its picture, where somebody reads there; NumPy's pads have these names. */
typedef enum fsr_beyond { FSR_BEYOND_NOTHING, FSR_BEYOND_EDGE, FSR_BEYOND_WRAP, FSR_BEYOND_REFLECT } fsr_beyond;

/* Where a load of such a tile reads: along each axis at + step * i of it, at i of its own. Step 0 along lines: the
 * array is memory; along planes: there are none. */
typedef struct fsr_beside {
    int at[FSR_AXES], step[FSR_AXES];
} fsr_beside;

/* An element of an array: its address, in elements, is a form. */
typedef struct fsr_access {
    int buffer;
    int form;
    fsr_beside near;
    bool
        linear; /* the address is exactly the flat C-order index over all domain dimensions (offset -1): r * cols + c */
    bool row_linear; /* ROW access whose address is exactly r */
    bool whole; /* a loop's table or a call's array: it begins there, and which of its elements are read nobody knows */
    int size;   /* of a call's array: integer argument with the count of its elements, in C order; else 0 */
} fsr_access;

/* Holds where 0 <= a < extent and a is a multiple of step; a is the value of a form without divisor. */
typedef struct fsr_condition {
    int form;
    int extent; /* integer arguments */
    int step;   /* 0: 1 */
} fsr_condition;

/* Holds where all of its conditions do: a box of the domain, perhaps with steps. */
typedef struct fsr_guard {
    int n;
    int condition[FSR_MAX_GUARD];
} fsr_guard;

typedef struct fsr_array {
    fsr_dtype dtype;
    bool written;
    bool aliased; /* shares memory with another array of this kernel (in place): no restrict. No point of the domain
                           reads there what another one writes */
    bool banded;  /* stands between nests: a launch has no memory of it (fusion/nest.h) */
} fsr_array;

typedef enum fsr_fold_kind { FSR_FOLD_REDUCE, FSR_FOLD_SCAN } fsr_fold_kind;

typedef struct fsr_fold {
    fsr_fold_kind kind;
    int pass;
    bool exclusive;             /* SCAN */
    bool narrow;                /* SCAN of one f64: it takes and gives f32, rounded where it leaves the state */
    int input[FSR_MAX_TUPLE];   /* ELEM or ROW values folded, one a component */
    const fsr_combine *combine; /* owned by the kernel */
    int same[FSR_MAX_SCALARS];  /* scalar arguments of the kernel that its body takes besides */
} fsr_fold;

/* An array that a loop's body takes elements of: element i, j .. lies i * stride[0] + j * stride[1] .. behind the
 * beginning, which is an access, `whole`; index j is in [0, end[j]). Integer arguments; of strides 0: 1. */
typedef struct fsr_taken {
    int access;
    int stride[FSR_MAX_DIMS], end[FSR_MAX_DIMS];
} fsr_taken;

/* A loop of a kernel; one ITERATE runs it. */
typedef struct fsr_turns {
    const fsr_iteration *program; /* owned by the kernel */
    int input[FSR_MAX_ARGS];      /* values: the state's first, then the arguments */
    int same[FSR_MAX_SCALARS];    /* as a fold's */
    fsr_taken table[FSR_MAX_TABLES];
} fsr_turns;

/* How a kernel is laid on the machine; chosen by the rules of fusion/schedule.h, printed by explain. */
typedef enum fsr_schedule_kind {
    /* No folded dimension: a thread takes `items` rows, `vector` adjacent ones at a time. */
    FSR_SCHEDULE_MAP,
    /* `abreast` threads share a row; every fold completes inside a block. */
    FSR_SCHEDULE_ROW,
    /* Few long rows: `splits` blocks share a row, partial states, the last block finishes. One pass, no scan. */
    FSR_SCHEDULE_SPLIT,
    /* The folded dimension is the outer one in memory: adjacent threads take adjacent rows. One pass if splits > 1 (the
     * last block finishes), else any; scans only with splits = 1. */
    FSR_SCHEDULE_COL,
    /* Scans along long rows: tiles in order, hierarchical look-back; one pass, reductions finish in the last block. A
     * block has a tile of each of `abreast` adjacent rows: more than one where they are adjacent in memory. */
    FSR_SCHEDULE_LOOKBACK,
    /* Several passes over rows too long for a block, which are cut into `splits` parts: `abreast` teams of as many
     * blocks, or of `members` of them, all resident at once; a team takes row after row and meets after every pass.
     * Commutative reductions only. */
    FSR_SCHEDULE_TEAM
} fsr_schedule_kind;

/* map, row, split ...; NULL for what is none. */
const char *fsr_schedule_name(fsr_schedule_kind kind);
/* NULL: there is no such one. */
const char *fsr_beyond_name(fsr_beyond beyond);

/* The sort of machine that a schedule is for. */
typedef enum fsr_target_kind { FSR_TARGET_NONE, FSR_TARGET_GPU, FSR_TARGET_CPU } fsr_target_kind;

/* gpu, cpu; NULL for what is none. */
const char *fsr_target_name(fsr_target_kind kind);

/* How a CPU goes along the innermost dimension in one pass; in a map, along its rows. */
typedef enum fsr_walk_form {
    FSR_WALK_PLAIN,  /* one element after the other */
    FSR_WALK_RUNS,   /* the same in runs, of results that pass the caches by or of arguments that are looked at first */
    FSR_WALK_LANES,  /* `lanes` elements side by side, each with an accumulator of every fold */
    FSR_WALK_PAIRS,  /* what folds take that keep their order is put by for a strip; then neighbours are folded */
    FSR_WALK_STRIPS, /* in strips, on each one stage after the other: scans, loops for each element, chains */
    FSR_WALK_ROWS    /* by columns, of what folds nothing: each row of the block from end to end, along memory */
} fsr_walk_form;

/* plain, runs ...; NULL for what is none. */
const char *fsr_walk_name(fsr_walk_form form);

typedef struct fsr_walk {
    fsr_walk_form form;
    int functions; /* LANES, STRIPS: elementary functions in a row that a stage has; 0: no chain of them is cut */
    bool
        phased; /* LANES, STRIPS, and by columns: what no vector code computes, gathers, divisions of integers, callers' functions,
                      stands in stages of its own */
    bool
        laned; /* STRIPS: reductions have `lanes` accumulators each, into which a strip's elements go when they are done */
    bool near; /* RUNS, LANES, STRIPS, and by columns: arguments are looked at first, and the loop has two versions: for
                      arguments below the limits of its functions, and for any */
} fsr_walk;

/* Elements of a block that a scan takes together, at the distances 1 and 2: a part of how it is associated. */
enum { FSR_SCAN_QUAD = 4 };
/* What is mostly so of a CPU's schedule; its text says it where it is not. */
enum { FSR_USUAL_LEVEL = 8, FSR_USUAL_PAIR_LEVEL = 16, FSR_USUAL_LINE = 64 };
/* Of `fetched`: how many elements before it loads one a stage asks for it; and from how many elements on, for each of a
 * strip, the first and the last one's places count as apart. */
enum { FSR_FETCH_AHEAD = 64, FSR_FETCH_APART = 8 };

/* What is known of the kernel's conditions, a bit each, where a version of its loops runs: these hold, those never do;
 * the others are asked. */
typedef struct fsr_loop_version {
    uint64_t holds, never;
} fsr_loop_version;

typedef struct fsr_schedule {
    fsr_target_kind target; /* NONE: not chosen yet */
    fsr_schedule_kind kind; /* CPU: MAP, ROW or COL */
    bool wide;              /* 64-bit index arithmetic */
    int abreast; /* done side by side: GPU, ROW: threads of a row, a power of two that divides threads; COL, LOOKBACK: a
                  block's rows; TEAM: teams. CPU, COL: rows of the inner loop */
    int tall;    /* COL: outputs along dimension `across` whose states a thread holds at once, in registers; 0: one */
    int across;
    int tile; /* MAP: side of the squares in which dimension `tiled` and the last one are walked; 0: there are none. On
                    a GPU a square is a block's, and what lies along `tiled` in memory is staged */
    int tiled;
    int breadth; /* MAP: elements of such a square's rows along the last dimension; 0: as many as its side */
    /* GPU; 0 on a CPU */
    int deep, high, broad; /* of several nests: planes, lines and elements of a block's tile, halo and all; 0: there is
                              one nest. deep 0: pictures have no planes */
    fsr_beyond beyond[FSR_AXES]; /* of several nests but the last one: what its tile holds beyond edges */
    int threads;                 /* of a block */
    int vector;      /* adjacent elements of a thread, loaded at once where the access allows: 1, 2, 4, 8 or 16 */
    int items;       /* elements of a thread in one step or tile; a multiple of vector */
    bool persistent; /* ROW: abreast * items >= cols, so that a row is held at once. TEAM: threads * items >= stretch */
    int members;     /* TEAM: blocks of a team, each does every members-th part of a row; 0: a block for each part.
                         LOOKBACK: blocks, all resident at once, that do every members-th tile each, by a ring of slots;
                         0: a block for each tile */
    int slots; /* LOOKBACK, with `members`: tiles that a block has on their way at once, in shared memory that the launch
                    gives; see ring.h */
    int writers;      /* with `slots`: threads of a block beside those that count, which write */
    int accumulators; /* of a thread, for each fold: element i goes into number i % accumulators; 0: no folds */
    int resident; /* blocks that a multiprocessor shall hold at once; 0: the compiler chooses a thread's registers */
    int bins; /* MAP: elements, a power of two, of which a block has the combining store's in shared memory, and combines
                     them in the end; 0: each element goes into the array at once. FSR_INT_SPLITS blocks take turns */
    int ranges; /* with `bins`: so many ranges of `bins` elements, one after the other, are the array. A block has one of
                   them, in shared memory that the launch gives, and goes over all that is combined; 0: one range */
    int depth;  /* with `tall`: columns whose staged elements are in shared memory at once */
    int pad;    /* elements of shared memory behind each of these columns, or each row of a square */
    bool outlined; /* loops for each element are functions that are called */
    bool pooled; /* LOOKBACK: what filters select of a tile meets in shared memory, of each store by itself, and leaves
                      side by side; else what they select of a warp's step */
    int parked;  /* LOOKBACK: of a thread's elements so many vectors wait in shared memory that the launch gives,
                     while the block waits for the tiles to the left; those behind them, in registers */
    bool branched; /* MAP: what a choice by a guard does not take is not evaluated; a thread has one element */
    bool early;    /* COL, a thread along all columns: what the next step loads is on its way while one is combined */
    bool riding;   /* LOOKBACK: reductions are what scans of theirs end with, which the last tile has */
    /* CPU; 0 on a GPU */
    int lanes;      /* independent accumulators of a commutative fold, a power of two */
    int level;      /* elements from which on a level of a tree of lanes has a loop of its own; those below share one */
    int pair_level; /* the same of a tree of pairs */
    int line;       /* bytes of memory that one fetch ahead brings */
    int chunk; /* columns folded serially before the pairwise tree; scans restart there and add the carry. GPU: with `tall`,
                  columns folded serially before they join what came before */
    int work;   /* rough operations for one element: by these a launch is divided among threads */
    int unroll; /* COL: columns that a turn of the loop over rows folds, one after the other; 0: one */
    int part; /* columns that are a task of their own where rows are few, chunks times a power of two; 0: rows stay whole */
    bool brief;       /* the innermost loop is too short for stages that only spare work */
    bool row_near;    /* COL: what is done once a row looks at arguments first, as a walk that is near does */
    bool flat;        /* MAP: one loop over the rows, no loop a dimension */
    int strip;        /* elements of a strip; 0: nothing goes in strips */
    int block;        /* of a strip: elements that are scanned side by side; 0: there is no scan in strips */
    int run;          /* elements of a run */
    int past;         /* elements of a run whose results pass the caches by */
    uint64_t streams; /* arrays, a bit each, that a large launch writes past the caches */
    uint64_t ahead;   /* arrays of which the second pass fetches the next row ahead */
    int ahead_cols;   /* where rows have so many columns at most */
    uint64_t fetched; /* arrays of which a strip's stage of gathers asks for elements before it loads them */
    uint64_t coming;  /* arrays of which a strip asks for the next one's elements before its own are worked on */
    int nversions;    /* beside the one that asks for every condition, which is always there */
    fsr_loop_version version[FSR_MAX_VERSIONS];
    bool
        cut_steps; /* MAP, with versions: elements under guards with steps are done in loops of their own, after the others */
    uint32_t joined;          /* folds whose operator is a function where whole chunks meet */
    uint32_t widened;         /* scans that carry a wider state than their elements' */
    int turns[FSR_MAX_LOOPS]; /* elements of a loop that are run side by side; 0: one */
    fsr_walk walk[FSR_MAX_PASSES];
    fsr_walk fold_walk; /* with `part`: of the scans alone, which fold a part before it is scanned */
} fsr_schedule;

_Static_assert(FSR_MAX_BUFFERS <= 64 && FSR_MAX_COMBINES <= 32 && FSR_MAX_CONDITIONS < 64, "a bit each");

/* Integer arguments with a fixed place; strides, offsets follow. */
enum {
    FSR_INT_ROWS, /* rows */
    FSR_INT_COLS, /* columns */
    FSR_INT_SPLITS, /* SPLIT, COL: blocks along the columns; TEAM: parts, LOOKBACK: tiles of a row; MAP with bins: blocks at
                       most; else 1 */
    FSR_INT_STRETCH, /* SPLIT, COL: columns of one block; TEAM: of one part, LOOKBACK: of one tile; else cols */
    FSR_INT_EXTENT /* FSR_INT_EXTENT + d: extent of domain dimension d; strides and offsets come after ndim of these */
};

typedef struct fsr_nests fsr_nests; /* fusion/nest.h */

typedef struct fsr_kernel {
    char name[64]; /* stable: k_ and a digest of the structure, e.g. k_softmax_1a2b3c4d */
    int ncomment;  /* its bytes and a 0 */
    char *comment; /* which nodes it fuses, in words: "max, sub, exp, sum, div" */
    int ndim, nparallel;
    int npasses;
    /* 1 + an INSIDE of level ONCE: a map of one dimension ends where it says. So may every pass of a kernel of one folded
     * dimension: from there on its reductions see what changes none of their bits, and nobody asks for the elements
     * that it stores. 0: at its extent */
    int live;
    /* Of what goes along its dimension from the end: it begins where so many columns are left. */
    bool backward;
    int ninsts;
    fsr_inst *inst;
    fsr_stand *stand; /* of each instruction */
    int nfolds;
    fsr_fold *fold;
    int nloops;
    fsr_turns *loop; /* NULL: there are none */
    int nforms;
    fsr_index_form *form; /* no two equal */
    int naccesses;
    fsr_access *access;
    int nconditions;
    fsr_condition *condition;
    int nguards;
    fsr_guard *guard;
    int narrays;
    fsr_array *array;
    int nints;        /* integer arguments, FSR_INT_EXTENT + ndim + strides and offsets */
    int64_t *integer; /* what they are in the plan that the kernel was made for; of one that was read, any */
    int nscalars;
    fsr_dtype scalar[FSR_MAX_SCALARS]; /* dtypes of the scalar arguments */
    int nroutines;
    fsr_routine *routine[FSR_MAX_ROUTINES]; /* a reference each, no two equal */
    fsr_schedule schedule;
    bool contraction;
    fsr_nests *nests; /* those before this one, owned; NULL: there are none */
    void *room;       /* the block of all lists but `loop` (loop_ir_room.c) */
    bool roomy;       /* they have room for as much as there may be */
} fsr_kernel;

/* With room for as much as each list may have. NULL: out of memory. */
fsr_kernel *fsr_kernel_new(void);
/* Makes room for FSR_MAX_LOOPS loops where there is none yet. False: out of memory. */
bool fsr_kernel_loop_room(fsr_kernel *k);
/* The comment from now on, a text of n bytes, and there is one behind them; the lists may move. False: out of memory, and it has the one of before. */
bool fsr_kernel_say(fsr_kernel *k, const char *text, size_t n);
/* The same, and the room that is left is given back. */
bool fsr_kernel_end(fsr_kernel *k, const char *text, size_t n);
/* Gives back the room that is left: nothing may be added any more, until room is made again. */
void fsr_kernel_trim(fsr_kernel *k);
/* False: out of memory. */
bool fsr_kernel_make_room(fsr_kernel *k);
/* Gives a plain copy of a kernel lists of its own, with room. False: out of memory, and it has the other's. */
bool fsr_kernel_copy_lists(fsr_kernel *copy);
void fsr_kernel_free(fsr_kernel *k);
/* A copy with operators and loops of its own. NULL: out of memory. */
fsr_kernel *fsr_kernel_copy(const fsr_kernel *k);

/* The ELEM instructions of pass `pass`'s loop, in order, ready to print: everything its folds and stores need,
 * less kept values of earlier passes. out must hold ninsts; returns their number. */
int fsr_kernel_pass_body(const fsr_kernel *k, int pass, int *out);
/* The ROW instructions evaluated before pass `pass`'s loop (pass = npasses: after the last). */
int fsr_kernel_rows(const fsr_kernel *k, int pass, int *out);
/* The ONCE instructions. */
int fsr_kernel_once(const fsr_kernel *k, int *out);
/* True if `value` is one of the loop's kept values that a later pass reads without evaluating it. */
bool fsr_kernel_reads_kept(const fsr_kernel *k, int pass, int value);

/* The two folds' operators are one: equal, and of the same scalars. */
bool fsr_fold_same_operator(const fsr_fold *a, const fsr_fold *b);
/* The dtype of a component's inputs and results: the state's, unless the fold is narrow. */
fsr_dtype fsr_fold_dtype(const fsr_fold *fold, int component);
/* A scan, or a reduction that does not commute: its columns are folded in order. */
bool fsr_fold_is_ordered(const fsr_fold *fold);
bool fsr_kernel_has_scan(const fsr_kernel *k);
/* A scan by a sequential operator. */
bool fsr_kernel_has_sequence(const fsr_kernel *k);
/* True if no fold is ordered. */
bool fsr_kernel_commutes(const fsr_kernel *k);

/* The dimension of the innermost loop; by columns on a CPU it runs over rows. -1: none. */
int fsr_kernel_inner(const fsr_kernel *k);
/* A version may know whether the condition holds: it asks no value computed at a point, and along the innermost
 * dimension it is a run; with a step there, a version may know only where it does not. */
bool fsr_condition_is_decidable(const fsr_kernel *k, int condition);
/* The innermost loop changes the condition. */
bool fsr_condition_is_inner(const fsr_kernel *k, int condition);
/* The conditions in the order in which the guards first name them. Returns how many. */
int fsr_kernel_conditions(const fsr_kernel *k, int order[FSR_MAX_CONDITIONS]);
/* True if the index along domain dimension d stands in a condition of the guard. Its truth may depend on d besides, by
 * computed values: these are instructions (fsr_inst_arguments), each with a level of its own. */
bool fsr_guard_reads_index(const fsr_kernel *k, int guard, int d);
/* The guard of instruction i, of a GUARD its own; -1: none. */
int fsr_inst_guard(const fsr_inst *inst);
/* The kernel's number of a form, which is added if no equal one is there; -1: no room. */
int fsr_kernel_form(fsr_kernel *k, const fsr_index_form *form);
static inline const fsr_index_form *fsr_access_form(const fsr_kernel *k, int access) {
    return &k->form[k->access[access].form];
}
static inline const fsr_index_form *fsr_condition_form(const fsr_kernel *k, int condition) {
    return &k->form[k->condition[condition].form];
}
/* The values that instruction `number` reads: an OP's operands, a CALL's arguments, what a STORE stores and where, what
 * a COMBINE folds, what an ITERATE begins with, the ITERATE of a PICK, the symbols of an address and of a guard. Nobody
 * else may look for them by kind. out must hold FSR_MAX_ARGUMENTS; returns their number. */
int fsr_inst_arguments(const fsr_kernel *k, int number, int *out);
/* The form has a symbol that is computed at a point. */
bool fsr_form_waits(const fsr_kernel *k, const fsr_index_form *form);
/* A LOAD whose address or guard waits for a value computed at a point: it is evaluated in the order of instructions, as
 * an operation is; others come first within a pass. */
bool fsr_inst_is_late(const fsr_kernel *k, int number);
/* Instruction v is such a LOAD of a map, without a guard, whose symbols are the same for neighbours along the last dimension, and what
 * these load are neighbours in memory. */
bool fsr_load_goes_along(const fsr_kernel *k, int v);
/* The whole arrays that a CALL takes: accesses, behind its values. */
int fsr_call_arrays(const fsr_kernel *k, const fsr_inst *inst);
static inline int fsr_call_array(const fsr_kernel *k, const fsr_inst *inst, int i) {
    return inst->arg[k->routine[inst->index]->nparams + i];
}
/* A STORE whose address waits for a value computed at a point, or may lead nowhere, or that combines: each element goes
 * by itself. */
bool fsr_inst_scatters(const fsr_kernel *k, const fsr_inst *inst);
/* Some symbol of the STORE drops. */
bool fsr_inst_drops(const fsr_kernel *k, const fsr_inst *inst);
/* The combining store of the kernel, which has one at most; -1: none. */
int fsr_kernel_combining(const fsr_kernel *k);
/* Rough work of instruction `number`, as the table's `cost`: 0 but for an OP and a CALL. */
int fsr_inst_cost(const fsr_kernel *k, int number);
/* A PICK of a fold; of a loop. */
static inline bool fsr_picks_fold(const fsr_kernel *k, const fsr_inst *inst) {
    return inst->kind == FSR_INST_PICK && k->inst[inst->arg[0]].kind == FSR_INST_COMBINE;
}
static inline bool fsr_picks_loop(const fsr_kernel *k, const fsr_inst *inst) {
    return inst->kind == FSR_INST_PICK && k->inst[inst->arg[0]].kind == FSR_INST_ITERATE;
}
/* True if instruction `number` reads `value`. */
bool fsr_inst_reads(const fsr_kernel *k, int number, int value);

/* Passes that need loop `loop` for each element, if nothing is kept between them. */
int fsr_kernel_loop_passes(const fsr_kernel *k, int loop);
/* Moves stores of what loops give to the last pass that needs the loop. */
void fsr_kernel_join_stores(fsr_kernel *k);

/* Checks every rule above; FSR_ERR_INTERNAL with the first violation in why. */
fsr_status fsr_kernel_verify(const fsr_kernel *k, char *why, size_t size);
/* One line an instruction; for golden tests and dumps. fsr_kernel_parse (loop_ir_parse.h) reads it back. */
void fsr_kernel_print(const fsr_kernel *k, FILE *to);

static inline bool fsr_power_of_two(int n) {
    return n > 0 && (n & (n - 1)) == 0;
}

/* The schedule in one line, as a kernel's print has it behind the word; and the lines of a CPU's loops that are not
 * plain, each behind `margin`. */
void fsr_schedule_print(const fsr_kernel *k, FILE *to);
void fsr_walks_print(const fsr_kernel *k, const char *margin, FILE *to);

/* What a launch hands over. */
typedef struct fsr_launch {
    void *array[FSR_MAX_BUFFERS];
    int64_t integer[FSR_MAX_INTS];
    _Alignas(16) fsr_value scalar[FSR_MAX_SCALARS];
    int64_t blocks; /* CUDA */
    void *work;     /* partial states: fsr_kernel_work_bytes; uninitialized */
    void *zero;     /* tickets and tile flags: fsr_kernel_zero_bytes, zero before the launch; the kernel leaves them
                             zero again unless fsr_kernel_leaves_flags (the caller then clears them) */
} fsr_launch;

/* Most bytes of a GPU kernel's parameters. */
int fsr_kernel_parameter_bytes(const fsr_kernel *k);
/* Blocks, workspace and zeroed bytes that a launch with these integers needs (from the schedule alone). */
int64_t fsr_kernel_blocks(const fsr_kernel *k, const int64_t *integer);
int64_t fsr_kernel_work_bytes(const fsr_kernel *k, const int64_t *integer);
int64_t fsr_kernel_zero_bytes(const fsr_kernel *k, const int64_t *integer);
/* LOOKBACK and TEAM leave flags in the zeroed memory. */
bool fsr_kernel_leaves_flags(const fsr_kernel *k);
/* TEAM: every block must be running at once, or the launch must fail. */
bool fsr_kernel_is_cooperative(const fsr_kernel *k);

/* Runs a kernel with plain host loops from the IR alone: the interpreter. Arrays are host memory. Scalar arithmetic is
 * fsr_op_eval's, calls' fsr_routine_eval's. Slow; for tests. FSR_ERR_NO_COMPILER: a routine is not compiled. */
fsr_status fsr_kernel_interpret(const fsr_kernel *k, const fsr_launch *launch);

/* State of a fold on a GPU: components in order, each aligned to its size, the whole to the largest: the layout of a C
 * struct. Bytes of one state. */
int64_t fsr_combine_bytes(const fsr_combine *c);
/* Bytes of what a fold takes and gives of one element: of a state, or less where it is narrow. */
int64_t fsr_fold_element_bytes(const fsr_fold *fold);
/* Words of 8 bytes that the CPU's workspace has for each column, and for instruction `number`: its kept values, or its
 * column of a panel of `abreast` rows. */
int fsr_inst_work_words(const fsr_kernel *k, int number);

#endif
