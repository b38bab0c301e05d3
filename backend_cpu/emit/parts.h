/* SPDX-License-Identifier: MIT */
/* What the files of the C emitter share: the source under construction and the names in it.
 *
 * Names in generated text: x<b> array b, v<i> instruction i, p<a>_<d> address of access a after dimension d, p<a>_
 * before any, i<d>
 * index along dimension d, c column along the last folded dimension, d<d> extents, n<i> other integer arguments, w<i>
 * the scratch row of kept instruction i; zeros<i>, inverse<i> of a divisor n<i>, last<c> the last quotient of
 * condition c; of fold f, component i: q<f>_<i> the chunk's state, k<f>_<i> the stack of chunks, g<f>_<i> a scan's
 * carry, s<f>_<i> a scan's element, f<f>_<i> a reduction's result, y<f>_<i> and w<f>_<i> a batch of lanes and four of
 * them in f64; of a scan in a strip: a<f>_<i> elements folded within blocks, h<f>_<i> a second place for them and the
 * results; of any strip: u<i>_ instruction i of an earlier stage; spread<i> a row's
 * value i for each of its elements; of ITERATE i: loop<i> its function, b<i>_<k> first
 * value and result k, e<i>_<k> argument k, h<t> table t, m<t>_<j> and w<t>_<j> its extents and strides; of a compacted
 * store i: c<i>_ and m<i>_ a strip's values and mask, ends<i> both ends of its array; all<i> every result of CALL i;
 * panel<i> what a tile's columns read of staged load i; worst<b> and low<b> the greatest index outside that array b is
 * told of, and that of 32 bits. r is the row, l a lane, in a tile of outputs a row of it, l<n> row n of it or its last
 * one, h how many it has, j a row of those abreast, q and qe the ends of a piece of a strip that gathers, t the task, z
 * the states of a part. */
#ifndef FUSOR_BACKEND_CPU_EMIT_PARTS_H
#define FUSOR_BACKEND_CPU_EMIT_PARTS_H

#include "backend_cpu/emit/complex.h"
#include "backend_cpu/emit/math.h"
#include "fusion/walk.h"
#include "runtime/source.h"
#include "runtime/text.h"

#define FSR_EMIT_NAME 64  /* bytes of a name or an address */
#define FSR_EMIT_LIBM 64  /* distinct libm functions of one kernel */
#define FSR_EMIT_LINE 64  /* bytes that the functions of a compacted store write at once */
#define FSR_EMIT_STACK 40 /* chunks fold as a binary counter: 2^40 chunks */

typedef struct fsr_c_function {
    char name[24];
    int arity;
    fsr_dtype dtype;
} fsr_c_function;

typedef struct fsr_c_emit {
    const fsr_kernel *k;
    const fsr_schedule *s;
    const fsr_walk *walk;   /* of the loop being printed */
    fsr_text body;          /* of the kernel's function */
    fsr_text folds;         /* functions of the folds' operators */
    int depth;              /* indentation of body, in steps */
    fsr_source_calls calls; /* whose results stand in its open blocks */
    bool abreast;           /* COL: the inner loop runs over `abreast` rows, row values are arrays */
    bool laned;             /* the loop being printed has `lanes` accumulators for each fold */
    bool pairing;           /* it fills the arrays of folds that keep their order */
    bool gathering;         /* the loop being printed reads narrow strided loads from lanes filled before it */
    bool asking;            /* the loop being printed has columns that are not there, from the left-th on */
    bool widening;          /* the loop being printed puts what is folded in f64 into an array */
    bool widens_batches;    /* some loop does */
    bool uses_row;          /* an access is linear or row_linear: the row's number is needed */
    int loop_dim;           /* dimension of the innermost loop, -1: none */
    const char *loop_var;
    int tile_row;       /* of a tile: the row whose text is being printed, -1: loops over l go along them */
    bool spread;        /* addresses also advance by j along the last parallel dimension (COL) */
    bool beside;        /* along the columns instead, as one loop goes along those of all rows of a block */
    const char *linear; /* text of a linear access's address in the present loop */
    const char *row;    /* of a row_linear one */
    const char *column; /* of the flat column */
    char base[FSR_MAX_ACCESSES][FSR_EMIT_NAME]; /* address so far; "" is zero */
    bool based;                                 /* it has the symbols that are the same everywhere */
    char index[FSR_MAX_DIMS][FSR_EMIT_NAME];    /* index along each dimension */
    int shared[FSR_MAX_COMBINES];               /* the first fold with an equal operator */
    bool named[FSR_MAX_INTS];                   /* integer arguments used */
    bool masking;                               /* a load that is asked for is being printed */
    bool hidden[FSR_MOST_KNOWN + 1];            /* strides that such loads have */
    bool divisor[FSR_MAX_INTS];                 /* those that exact quotients are taken by */
    bool quotients;                             /* some are, in this nest or one before */
    bool modes[FSR_INDEX_DROP + 1];             /* of indices, that the body names */
    bool narrow_modes[FSR_INDEX_DROP + 1];      /* the same of indices of 32 bits */
    bool widens_choices;                        /* some condition is made as wide as what it chooses */
    bool chooses[FSR_DTYPE_COUNT];              /* some choice is made by bits */
    bool one_by_one;                            /* the loop being printed gathers, and is no vector code */
    bool loads_nothing;                         /* in such a loop something is loaded from where nothing is */
    bool cast[FSR_DTYPE_COUNT][FSR_DTYPE_COUNT];
    bool fitting[2][FSR_DTYPE_COUNT]; /* conversions of f32, of f64, of what fits */
    bool half[FSR_DTYPE_COUNT];       /* its functions are used */
    bool twin[FSR_DTYPE_COUNT];       /* elements of it are taken out of words of two */
    fsr_c_function libm[FSR_EMIT_LIBM];
    int nlibm;
    uint64_t complex_math;         /* functions of complex numbers used */
    bool math[FSR_C_MATH_MAX];     /* elementary functions used, by number */
    bool turns[2];                 /* functions that turn squares used: of 4 bytes, of 8 */
    bool packing;                  /* what is printed is rounded where it is stored */
    bool near;                     /* arguments are known to be below the limits of these functions */
    bool asks;                     /* the loop being printed asks for arguments beyond a limit as it goes */
    const fsr_body *checked;       /* the loop whose arguments the one being printed asks for; NULL: none */
    char streams[FSR_EMIT_NAME];   /* the name of whether they do, in the present loop */
    char stream_at[FSR_EMIT_NAME]; /* where in their buffers the present element goes */
    bool fetching;                 /* the loop being printed asks for what it gathers */
    bool placing;                  /* places of a later row are being printed: that row reports what is outside */
    bool finishing;                /* the loop being printed also folds the states of parts */
    int word[FSR_MAX_COMBINES];    /* of a part's states: the fold's first */
    int carry[FSR_MAX_COMBINES];   /* a scan's carry into the part */
    int words;
    fsr_loop_version known;         /* of conditions, where a loop is printed */
    uint64_t outer;                 /* conditions whose truth stands in the bits of `outer` there */
    bool dead[FSR_MAX_INSTS];       /* what the version being printed does not need */
    const char *low, *high;         /* the innermost loop's range */
    bool cut_rows;                  /* a block's rows are j0 .. j1, not all of them */
    bool cut_strips;                /* loops over a strip's elements go from e->low to e->high, not over all of them */
    const char *start;              /* of strips: the flat index where one begins */
    bool crossing[FSR_MAX_INSTS];   /* a strip's value that is held for a later stage */
    fsr_going going[FSR_MAX_INSTS]; /* of one that is an index: what it does in a piece whose elements lie in order */
    const struct fsr_c_along *along_piece; /* the loop of such a piece is being printed */
    bool still;                            /* of one that is the same element again and again */
    bool comes;                            /* the stage that is being printed asks for the next strip's elements */
    bool short_index;                      /* the loop counts w, its index in 32 bits */
    bool along;                            /* the loop combines a row that is not dropped */
    bool packs;                            /* see fsr_kernel_packs */
    int rides[FSR_MAX_COMBINES];    /* then: the scan that ends with what a reduction gives; -1: none, it is folded */
    bool counted[FSR_MAX_COMBINES]; /* a scan whose results only compacted stores name, which keep count themselves */
} fsr_c_emit;

static inline bool fsr_c_has_strips(const fsr_c_emit *e) {
    return e->walk->form == FSR_WALK_STRIPS;
}
static inline bool fsr_c_has_pairs(const fsr_c_emit *e) {
    return e->walk->form == FSR_WALK_PAIRS;
}
static inline bool fsr_c_is_scan(const fsr_c_emit *e, int fold) {
    return e->k->fold[fold].kind == FSR_FOLD_SCAN;
}

/* ---- text.c: lines and scalar text --------------------------------------------------------- */

/* One line of the body, indented; `begin` ends it with an opening brace, `else` closes that and opens another, `end`
 * closes. */
void fsr_c_line(fsr_c_emit *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
void fsr_c_begin(fsr_c_emit *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A line of any length. */
void fsr_c_text(fsr_c_emit *e, const char *before, const char *text, const char *behind);
void fsr_c_else(fsr_c_emit *e);
void fsr_c_else_if(fsr_c_emit *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
void fsr_c_end(fsr_c_emit *e);
/* "for (i64 j = 0; j < m; ++j) {" in a abreast kernel, from j0 to j1 where rows are cut at conditions, in tiles inside
 * of a loop over their rows, else nothing; and its end. */
void fsr_c_rows_begin(fsr_c_emit *e);
void fsr_c_rows_end(fsr_c_emit *e);
const char *fsr_c_type(fsr_dtype dtype);
/* True where the functions of floats end in f: f32, f16 and bf16. */
bool fsr_c_single(fsr_dtype dtype);
/* The name of an integer argument; marks it used. out: FSR_EMIT_NAME bytes. Returns out. */
const char *fsr_c_integer(fsr_c_emit *e, int slot, char *out);
/* A literal that reads back as exactly this value. */
void fsr_c_literal(fsr_text *to, fsr_dtype dtype, fsr_value value);
/* The op's C text with its operands' names put in; remembers the libm functions and conversions it needs. */
void fsr_c_op(fsr_c_emit *e, fsr_text *to, fsr_op op, fsr_dtype compute, fsr_dtype result, const char *const *arg);
/* What instruction `number` of `of`, a container, is called. out: FSR_EMIT_NAME bytes. Returns out. */
typedef const char *(*fsr_c_namer)(const void *of, int number, char *out);
/* scalar.c: the value of a CONST, OP or CALL of any container. */
void fsr_c_scalar(fsr_c_emit *e, fsr_text *to, const fsr_inst *inst, fsr_c_namer name, const void *of);
/* Definitions of a region's instructions [from, to) but its arguments, among the functions before the kernel's. */
void fsr_c_region(fsr_c_emit *e, const fsr_region *r, int from, int to, const char *margin, fsr_c_namer name,
                  const void *of);
/* Makes true the elements of math (FSR_C_MATH_MAX) of the elementary functions that the kernel's text calls, by way of
 * complex functions too. */
void fsr_c_math_used(const fsr_c_emit *e, bool *math);
/* The largest |argument| for which the op's function is good, as a C constant, or the name of a function of the
 * arguments that says that it is not; NULL: good for all, or no function. */
const char *fsr_c_op_limit(fsr_op op, fsr_dtype compute);
/* Types, libm declarations and conversions that the kernel uses. */
void fsr_c_prelude(const fsr_c_emit *e, fsr_text *to);

/* ---- combine.c: stores that combine ------------------------------------------------------------ */

/* The line of one, if `where` (empty: everywhere), at that address. */
void fsr_c_combined(fsr_c_emit *e, int number, const char *where, const char *address);
/* "v13 >= 0": where a store takes place whose symbols may drop. */
void fsr_c_drops(fsr_c_emit *e, fsr_text *to, const fsr_inst *inst);
/* What the kernel does in the tasks IDENTITY and MERGE, if it has such a store. */
void fsr_c_combine_tasks(fsr_c_emit *e);

/* ---- inst.c: values, addresses, instructions ----------------------------------------------- */

/* An index of this dtype is counted in 32 bits. */
bool fsr_c_counts_short(fsr_dtype dtype);
/* Fills lanes with the narrow strided loads of a batch, for the loop over l that follows. */
void fsr_c_gather(fsr_c_emit *e, const int *list, int n);
/* "[j]": the subscript of what there is once for each row abreast; "[l][j]" in a tile; "" where rows are not
 * abreast. */
const char *fsr_c_row_at(const fsr_c_emit *e);
/* The extent of such an array. out: FSR_EMIT_NAME bytes. Returns out. */
const char *fsr_c_row_extent(const fsr_c_emit *e, char *out);
/* The name by which instruction `value` is read. out: FSR_EMIT_NAME bytes. Returns out. */
const char *fsr_c_value_name(const fsr_c_emit *e, int value, char *out);
/* A constant, a parameter, what is evaluated once: defined at the function's head. */
bool fsr_c_invariant(const fsr_kernel *k, int number);
/* What is evaluated once, and the addresses that begin with it; constants and parameters stand before. */
void fsr_c_once(fsr_c_emit *e);
/* address.c: an access's address in the present loop; a load's element, zero where its guard does not hold. */
void fsr_c_address(fsr_c_emit *e, fsr_text *to, int access);
/* Strides of loads under questions, of which a compiler knows no value. */
/* Where a load that a computed place forbids takes nothing from, if the body does so (address.c). */
void fsr_c_nothing_put(const fsr_c_emit *e, fsr_text *to);
void fsr_c_hidden_strides(const fsr_c_emit *e, fsr_text *to);
void fsr_c_put_load(fsr_c_emit *e, fsr_text *to, int number);
/* The addresses that begin with what is evaluated once. */
void fsr_c_bases(fsr_c_emit *e);
/* Moves every address on by `var` steps along dimension d, and names the index there. */
void fsr_c_advance(fsr_c_emit *e, int d, const char *var);
/* The text of a condition's truth. */
void fsr_c_condition(fsr_c_emit *e, fsr_text *to, int condition);
/* The sum that a condition compares, without its term of dimension `without` (-1: whole); nothing at all is zero. */
void fsr_c_condition_sum(fsr_c_emit *e, fsr_text *to, const fsr_condition *c, int without);
/* The ROW instructions before pass `pass`. */
void fsr_c_row_insts(fsr_c_emit *e, int pass);
/* Instructions one after the other, n of them, less what the version does not need. */
void fsr_c_insts(fsr_c_emit *e, const int *list, int n);
/* far |= whether an argument of the listed instructions is beyond its function's limit. */
void fsr_c_check_limits(fsr_c_emit *e, const int *list, int n);
/* Whether arguments a and b of the operation are beyond its function's limit. */
void fsr_c_put_far(fsr_text *to, const fsr_inst *inst, const char *limit, const char *a, const char *b);
/* Everything one column of a pass's loop (its instructions, n of them) does. */
void fsr_c_column(fsr_c_emit *e, int pass, const int *loop, int n);

/* ---- fits.c: shorter texts ------------------------------------------------------------------------ */

/* The text of a conversion of what fits; false: instruction `number` is none. */
bool fsr_c_put_fitting(fsr_c_emit *e, fsr_text *to, int number);
/* The instruction, a minimum or maximum with its literal in front. */
fsr_inst fsr_c_literal_first(const fsr_kernel *k, const fsr_inst *inst);
/* The conversions, if the kernel has any. */
void fsr_c_fitting_put(const fsr_c_emit *e, fsr_text *to);

/* ---- choose.c: choices that would be branches -------------------------------------------------------- */

/* A choice of 8 bytes by a condition that was made of one or two: with AVX-512 it is widened first. */
bool fsr_c_is_widened_choice(const fsr_kernel *k, const fsr_inst *inst);
/* The text of a choice by bits, in loops of so few rows that they are no vector code; false: it is none. */
bool fsr_c_put_choice(fsr_c_emit *e, fsr_text *to, const fsr_inst *inst);
/* What widens and chooses, if the kernel has any. */
void fsr_c_choice_put(const fsr_c_emit *e, fsr_text *to);
/* The type in which a row value of a block of rows, or what a stage leaves for later ones, stands. */
const char *fsr_c_row_type(const fsr_c_emit *e, int number);

/* ---- half.c: f16 and bf16 ---------------------------------------------------------------------- */

/* The type in which arrays hold the dtype: that of its values, but u16 for f16 and bf16, whose values are f32. */
const char *fsr_c_storage(fsr_dtype dtype);
/* What stands before a value of that dtype where it is read from storage, put there, or computed: the name of a
 * function and a parenthesis, or nothing; `close` gives what stands behind. */
const char *fsr_c_load(fsr_c_emit *e, fsr_dtype dtype);
/* twin.c: the function that takes a load's element out of a word of two, and those that are used. */
const char *fsr_c_twin(fsr_c_emit *e, int number, char *out);
void fsr_c_twin_put(const fsr_c_emit *e, fsr_text *to);
const char *fsr_c_store(fsr_c_emit *e, fsr_dtype dtype);
const char *fsr_c_round(fsr_c_emit *e, fsr_dtype dtype);
const char *fsr_c_pack(fsr_c_emit *e, fsr_dtype dtype); /* rounds and stores */
const char *fsr_c_close(fsr_dtype dtype);
/* The functions that are used. */
void fsr_c_half_put(const fsr_c_emit *e, fsr_text *to);
/* The text of a conversion of `a` to f16 or bf16. */
void fsr_c_half_cast(fsr_text *to, fsr_dtype from, fsr_dtype dest);

/* ---- whole.c: 64-bit whole numbers to floats ------------------------------------------------- */

/* Whether a conversion is one of these, and the lines of a function's body that returns that of `a`. */
bool fsr_c_whole_is(fsr_dtype from, fsr_dtype dest);
void fsr_c_whole_cast(fsr_text *to, fsr_dtype from, fsr_dtype dest);

/* ---- cut.c: steps of guards ------------------------------------------------------------------ */

/* sum / step, where step, an integer argument, divides the sum; else a number above every quotient. */
void fsr_c_quotient(fsr_c_emit *e, fsr_text *to, const char *sum, int step);
/* What quotients need: functions, and lines at the function's head. */
void fsr_c_quotient_functions(const fsr_c_emit *e, fsr_text *to);
void fsr_c_quotient_head(const fsr_c_emit *e, fsr_text *to);
/* Some guard asks the condition where the version runs, and may hold with it. */
bool fsr_c_has_step(const fsr_c_emit *e, const fsr_loop_version *version, int condition);
/* The elements of the run from s0 to s1 where condition number `at`, which has a step, holds: the loop again, for
 * them. */
void fsr_c_put_steps(fsr_c_emit *e, const fsr_body *loop, int at);

/* ---- version.c: versions of loops ------------------------------------------------------------- */

/* Before the innermost loop: the truth of the conditions that it does not change. */
void fsr_c_outer(fsr_c_emit *e, const fsr_body *loop);
/* The loop over [low, high), which `print` prints, in runs of a multiple of `unit` elements, each in the version for
 * it. Anything left over asks. */
void fsr_c_by_version(fsr_c_emit *e, const fsr_body *loop, const char *low, const char *high, int unit,
                      void (*print)(fsr_c_emit *e, const fsr_body *loop));
bool fsr_c_has_versions(const fsr_c_emit *e, const fsr_body *loop);
/* The loop of one stage of `loop` over the elements l of a strip, cs + l of m columns, in runs of its versions: from
 * e->low to e->high. */
void fsr_c_stage_by_version(fsr_c_emit *e, const fsr_body *loop, const fsr_body *stage,
                            void (*print)(fsr_c_emit *e, const fsr_body *stage));
/* The body of a loop over the rows of a block, in the version for them all. */
void fsr_c_block_by_version(fsr_c_emit *e, const fsr_body *loop, void (*print)(fsr_c_emit *e, const fsr_body *loop));

#include "backend_cpu/emit/parts_loops.h"

#endif
