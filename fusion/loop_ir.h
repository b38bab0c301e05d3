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
 * that of a row, along the columns of which selected elements go one after the other from the front, the others from
 * the end. Who goes along the columns in order keeps count. Where a schedule has threads that each store an element by
 * itself, it makes stores at computed addresses of them (filter_places.c), and nothing is left of the filter.
 *
 * Combining stores. A STORE at computed places may leave `op` of what is there and what it stores, all at once: any
 * points may then have one place. The op is one of those that the table of operations calls ATOMIC, which commute and
 * associate; of integers, of 4 or 8 bytes, the result is the same in any order. Floats are added in the order in which
 * threads come: only who asked for that has such a store. No other instruction reads or writes the array, and the
 * kernel is a map; or, on a CPU, one that goes along rows and adds each to one row, at a place for each column, pieces
 * of whose rows are told by sizes alone. Everything else that meets at one place (the last one wins, sums of floats
 * with the same bits in each run) is made of such stores and maps before there is a kernel.
 *
 * Narrow. On a GPU a running sum of f32 has an f64 state: the scan takes f32 values and gives its state rounded to f32.
 * What a tile holds of an element stays 4 bytes wide, the sums of neighbours are f64.
 *
 * Loops. An ITERATE runs a loop on its inputs, the state's first values and what does not change, for one point of the
 * domain; its PICKs are the state at its end and the count of turns. They have its level and pass, so that a loop whose
 * results several passes read is not split. Only PICKs may be kept. Its body may take elements of tables, arrays that
 * the kernel does not write.
 *
 * Calls. A CALL is a caller's function of values, and of whole arrays that the kernel does not write. Where it has
 * such, it takes place for points of the domain alone, as a loop does: any other value may lead its text out of them.
 *
 * Later primitives fit without a new kind of kernel: random is a pure op of INDEX; sort and select are skeletons that
 * call the same regions. */
#ifndef FUSOR_FUSION_LOOP_IR_H
#define FUSOR_FUSION_LOOP_IR_H

#include "fusion/loop_ir_schedule.h"
#include "graph/graph.h"
#include "graph/inst.h"
#include "graph/ops.h"
#include "graph/program.h"
#include "graph/size.h"
#include <stdio.h>

typedef enum fsr_level { FSR_ROW, FSR_ELEM, FSR_ONCE } fsr_level;

/* How an instruction stands in the loops of its nest. */
typedef struct fsr_stand {
    uint8_t level; /* fsr_level */
    int8_t pass;
    bool keep;       /* ELEM value held per element for later passes */
    bool gathered;   /* LOAD on a CPU: a small loop of its own fetches the elements of a batch of lanes */
    bool staged;     /* LOAD: its elements are copied near by, once for a tile of outputs, and read there */
    uint8_t twinned; /* fsr_twin of a LOAD on a CPU: the element beside its own that is loaded with it, as one word */
} fsr_stand;

_Static_assert(FSR_MAX_PASSES < INT8_MAX, "a pass is a byte");

/* At the level of an argument, and in its pass, at least. */
static inline void fsr_stand_behind(fsr_stand *stand, const fsr_stand *argument) {
    stand->level = argument->level == FSR_ELEM ? FSR_ELEM : stand->level;
    stand->pass = argument->pass > stand->pass ? argument->pass : stand->pass;
}

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

/* Integer arguments with a fixed place; strides, offsets follow. */
enum {
    FSR_INT_ROWS, /* rows */
    FSR_INT_COLS, /* columns */
    FSR_INT_SPLITS, /* SPLIT, COL: blocks along the columns; TEAM: parts, LOOKBACK: tiles of a row; MAP with bins: blocks at
                       most; else 1 */
    FSR_INT_STRETCH, /* SPLIT, COL: columns of one block; TEAM: of one part, LOOKBACK: of one tile; else cols */
    FSR_INT_EXTENT /* FSR_INT_EXTENT + d: extent of domain dimension d; strides and offsets come after ndim of these */
};

typedef struct fsr_nests fsr_nests;   /* fusion/nest.h */
typedef struct fsr_repeat fsr_repeat; /* fusion/repeat.h */

typedef struct fsr_kernel {
    char name[64]; /* stable: k_ and a digest of the structure, e.g. k_softmax_1a2b3c4d */
    int ncomment;  /* its bytes and a 0 */
    char *comment; /* which nodes it fuses, in words: "max, sub, exp, sum, div" */
    int ndim, nparallel;
    int npasses;
    /* 1 + an INSIDE of level ONCE: a map of one dimension ends where it says. So may every pass of a kernel of one
     * folded dimension: from there on its reductions see what changes none of their bits, and nobody asks for the
     * elements that it stores. 0: at its extent */
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
    fsr_nests *nests;   /* those before this one, owned; NULL: there are none */
    fsr_repeat *repeat; /* GPU: how a launch runs it several times, owned; NULL: once */
    void *room;         /* the block of all lists but `loop` (loop_ir_room.c) */
    bool roomy;         /* they have room for as much as there may be */
} fsr_kernel;

/* With room for as much as each list may have. NULL: out of memory. */
fsr_kernel *fsr_kernel_new(void);
/* Makes room for FSR_MAX_LOOPS loops where there is none yet. False: out of memory. */
bool fsr_kernel_loop_room(fsr_kernel *k);
/* The comment from now on, a text of n bytes, and there is one behind them; the lists may move. False: out of memory,
 * and it has the one of before. */
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
/* A whole number of at most 32 bits and a sign, made one of 64: an index is no less known as what it was. */
bool fsr_inst_widens(const fsr_inst *inst);
bool fsr_index_form_equal(const fsr_index_form *a, const fsr_index_form *b);
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
/* Instruction v is such a LOAD of a map, without a guard, whose symbols are the same for neighbours along the last
 * dimension, and what these load are neighbours in memory. */
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
/* A combining store of a CPU's kernel that goes along rows, at a place for each column: rows meet in one row, columns
 * never. */
bool fsr_inst_adds_rows(const fsr_kernel *k, int number);
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
