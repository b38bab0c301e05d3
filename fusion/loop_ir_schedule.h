/* SPDX-License-Identifier: MIT */
/* Schedules: how a kernel of the loop IR (loop_ir.h) is laid on a machine. */
#ifndef FUSOR_FUSION_LOOP_IR_SCHEDULE_H
#define FUSOR_FUSION_LOOP_IR_SCHEDULE_H

#include "fusion/loop_ir_address.h"

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
    FSR_WALK_ROWS,   /* by columns, of what folds nothing: each row of the block from end to end, along memory */
    FSR_WALK_BESIDE  /* the same of columns that lie beside each other (`beside`): all rows of the block, as one run */
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
    bool loads; /* LANES, STRIPS: what is loaded across memory is so in the first stage, before any function */
    bool near; /* RUNS, LANES, STRIPS, and by columns: arguments are looked at first, and the loop has two versions: for
                      arguments below the limits of its functions, and for any */
    int rest;  /* LANES: elements that what is left over of the lanes does side by side; 0: one by one */
    int asked; /* LANES: the last few, fewer than these, go side by side too, each after it is asked whether it is
                  there; 0: one by one */
} fsr_walk;

/* Elements of a block that a scan takes together, at the distances 1 and 2: a part of how it is associated. */
enum { FSR_SCAN_QUAD = 4 };
/* What is mostly so of a CPU's schedule; its text says it where it is not. */
enum { FSR_USUAL_LEVEL = 1, FSR_USUAL_PAIR_LEVEL = 16, FSR_USUAL_LINE = 64 };
/* Of `fetched`: how many elements before it loads one a stage asks for it; and from how many elements on, for each of a
 * strip, the first and the last one's places count as apart. */
enum { FSR_FETCH_AHEAD = 128, FSR_FETCH_APART = 8 };
/* How far ahead a block of rows side by side asks for columns, of arrays of more elements than a near cache holds. */
enum { FSR_COLUMNS_AHEAD = 8, FSR_COLUMNS_LARGE = 1 << 17 };
/* Elements beside each other, at most, to which a row's value is given one by one. */
enum { FSR_WRITTEN_OUT = 4 };
/* Elements of a strip that a stage of gathers loads at once where they are neighbours. */
enum { FSR_GATHER_PIECE = 16 };
/* How far ahead a filter asks for what comes: what a strip of short elements takes is less than memory does. */
enum { FSR_COMING_BYTES = 2048 };

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
    int tile; /* MAP: side of the squares in which dimension `tiled` and the last one are walked; 0: there are none. What
                    lies along `tiled` in memory may be staged; on a GPU a square is a block's */
    int tiled;
    int breadth; /* MAP: elements of such a square's rows along the last dimension; 0: as many as its side */
    int panel;   /* CPU, MAP: columns of which all rows are done before the next ones; 0: a row is done whole */
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
    bool dealt;    /* COL: the threads of a row take its columns in turn; else each a range of them */
    bool pooled; /* LOOKBACK: what filters select of a tile meets in shared memory, of each store by itself, and leaves
                      side by side; else what they select of a warp's step */
    int parked;  /* LOOKBACK: of a thread's elements so many vectors wait in shared memory that the launch gives,
                     while the block waits for the tiles to the left; those behind them, in registers */
    bool branched; /* MAP: what a choice by a guard does not take is not evaluated; a thread has one element */
    bool early;    /* COL, a thread along all columns: what the next step loads is on its way while one is combined */
    bool
        counts; /* ROW, SPLIT, TEAM: the folds of threads all of whose columns are there stand apart, so that a compiler
                      knows what they count */
    bool riding; /* LOOKBACK: reductions are what scans of theirs end with, which the last tile has */
    /* CPU; 0 on a GPU */
    int lanes;      /* independent accumulators of a commutative fold, a power of two */
    int level;      /* elements from which on a level of a tree of lanes has a loop of its own; those below share one */
    int pair_level; /* the same of a tree of pairs */
    int line;       /* bytes of memory that one fetch ahead brings */
    int chunk; /* columns folded serially before the pairwise tree; scans restart there and add the carry. GPU: with `tall`,
                  columns folded serially before they join what came before */
    int work;   /* rough operations for one element: by these a launch is divided among threads */
    int unroll; /* COL: columns that a turn of the loop over rows folds, one after the other; 0: one */
    int beside; /* COL: the columns of the last dimension, as many, that lie beside each other as the rows do: the inner
                   loop of what folds goes along both, each element has states of its own, and those of a row meet where
                   a chunk ends; so does what is around a scan; 0: a loop for each column */
    uint64_t by_row; /* COL, with beside: arrays, a bit each, whose elements do not lie so and are loaded row by row */
    bool single;     /* the columns are one chunk of each row, from whose states no others are folded */
    bool fixed;      /* COL: a block of `abreast` rows has loops of that constant length; one of fewer has others */
    int width; /* elements of the last dimension: the text has the number, and no launch divides it; 0: a launch says */
    int part; /* columns that are a task of their own where rows are few, chunks times a power of two; 0: rows stay whole */
    bool brief;    /* the innermost loop is too short for stages that only spare work */
    bool halved;   /* CPU: vectors of 32 bytes at most */
    bool row_near; /* COL: what is done once a row looks at arguments first, as a walk that is near does */
    bool turned;   /* MAP, with tile: the innermost loop goes along `tiled`, and a square is turned when it is stored */
    bool flat;     /* MAP: one loop over the rows, no loop a dimension */
    bool together; /* MAP: a strip has whole rows of the last dimension, as many as it holds. A stage that asks for
                         indices, or loads or stores elsewhere than in order, has a loop for each row, the others one
                         along all */
    int strip;     /* elements of a strip; 0: nothing goes in strips */
    int block;     /* of a strip: elements that are scanned side by side; 0: there is no scan in strips */
    int run;       /* elements of a run */
    int past;      /* elements of a run whose results pass the caches by */
    uint64_t streams; /* arrays, a bit each, that a large launch writes past the caches; GPU: whose lines leave the
                         second cache first, as they are read once (once.h) */
    uint64_t ahead; /* arrays of which the second pass fetches the next row ahead; COL: of which each column of a block
                         that is a part of large rows, or waits for computed places, asks for the one FSR_COLUMNS_AHEAD later, or with columns beside
                         each other the block for the next one; MAP: of which each row of a tile or panel asks for
                         the next one, where there are more elements than FSR_COLUMNS_LARGE */
    int ahead_cols; /* where rows have so many columns at most */
    uint64_t fetched; /* arrays of which a strip's stage of gathers asks for elements before it loads them; or short
                         rows do, as many rows before as have FSR_FETCH_AHEAD elements */
    uint64_t
        coming;    /* arrays of which a strip asks for elements FSR_COMING_BYTES ahead before its own are worked on; or,
                        in its first stage that waits for computed places, beside these, for what it will load and
                        store a strip later; of rows that are taken together, at the strip's beginning */
    int nversions; /* beside the one that asks for every condition, which is always there */
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

#endif
