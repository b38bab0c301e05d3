/* SPDX-License-Identifier: MIT */
/* A random graph as a list of steps: small enough to be rebuilt, cut down and printed as C.
 *
 * Every step makes one node (the two operators over pairs make two: their second component is a step of its own, PAIR).
 * Arguments are numbers of earlier steps. A step knows no dtype or shape of its result: the builder does, and whether a
 * step is allowed is asked by recording it.
 *
 * Left out are functions that record what steps of other kinds do: zeros, ones and *_like (full), ravel, swapaxes,
 * moveaxis and meshgrid (reshape, transpose, broadcast_to), split (slices), sincos and frexp (their two operations),
 * expressions (tests/unit/test_expr.c compares their nodes with calls); and .npy files, which change where arrays come
 * from, not what is computed. Inputs and plans that donate them: donated.c. */
#ifndef FUSOR_TESTS_FUZZ_RECIPE_H
#define FUSOR_TESTS_FUZZ_RECIPE_H

#include "fusor/fusor.h"
#include "graph/graph.h"
#include <stdio.h>

enum { RECIPE_STEPS = 160, RECIPE_OUTS = 36, RECIPE_DIMS = 6 };

typedef enum step_kind {
    STEP_LEAF,      /* dtype, shape, fill; flags RECIPE_INPUT: an fsr_input, filled by who runs the plan */
    STEP_ARANGE,    /* dtype, shape[0] */
    STEP_FULL,      /* dtype, shape, value */
    STEP_FLOAT,     /* value */
    STEP_INT,       /* value */
    STEP_BOOL,      /* value */
    STEP_COMPLEX,   /* value, its imaginary part in start */
    STEP_EYE,       /* dtype, shape[0], shape[1], start: the diagonal */
    STEP_LINSPACE,  /* dtype, value, start: the last, shape[0], flags: the endpoint */
    STEP_PARAM,     /* dtype, value; the last of the leaves */
    STEP_OP,        /* op */
    STEP_CALL,      /* fuzz_call of arg 0 and arg 1, flags: its form */
    STEP_CAST,      /* dtype */
    STEP_RESHAPE,   /* shape */
    STEP_TRANSPOSE, /* list: the permutation */
    STEP_BROADCAST, /* shape */
    STEP_EXPAND,    /* axis */
    STEP_SQUEEZE,   /* axis */
    STEP_FLIP,      /* axis */
    STEP_SLICE,     /* axis, start, stop, step */
    STEP_SUM,       /* list, ndim of it (-1: every axis), flags; so the next ones */
    STEP_PROD,
    STEP_MIN,
    STEP_MAX,
    STEP_MEAN,
    STEP_VAR, /* value: ddof */
    STEP_ANY,
    STEP_ALL,
    STEP_PTP,
    STEP_COUNT_NONZERO,
    STEP_LOGSUMEXP,
    STEP_NANSUM,
    STEP_NANPROD,
    STEP_NANMIN,
    STEP_NANMAX,
    STEP_NANMEAN,
    STEP_STD, /* value: ddof */
    STEP_NANVAR,
    STEP_NANSTD,
    STEP_NORM,   /* value: the order */
    STEP_ARGMAX, /* axis (RECIPE_FLAT: every axis), flags; so the next ones */
    STEP_ARGMIN,
    STEP_NANARGMAX,
    STEP_NANARGMIN,
    STEP_CUMSUM, /* axis, flags; so the next */
    STEP_CUMPROD,
    STEP_CUMMAX,
    STEP_CUMMIN,
    STEP_CUMANY,
    STEP_CUMALL,
    STEP_REDUCE_LINEAR,  /* (a, b) then (c, d) = (a * c, b * c + d); list, ndim, flags */
    STEP_REDUCE_MAX_SUM, /* (larger, sum) */
    STEP_SCAN_LINEAR,    /* axis, flags */
    STEP_SCAN_MAX_SUM,
    STEP_PAIR,   /* the second component of a step of one of these four, or the count of a loop */
    STEP_UPDATE, /* the section of arg 0 by arg 1; see recipe_section */
    STEP_CONCAT, /* axis: arg 0 and arg 1 */
    STEP_STACK,  /* axis: arg 0 and arg 1 */
    STEP_ROLL,   /* axis (RECIPE_FLAT: flattened), start: the shift */
    STEP_FILTER, /* arg 0 where arg 1 is not 0; value: the fill */
    STEP_LOOP,   /* loop `axis` of fuzz_loop on arg 0 and arg 1, at most `start` times */
    STEP_SORT,   /* axis (RECIPE_FLAT: flattened), flags; so the next */
    STEP_ARGSORT,
    STEP_TOPK, /* start: how many; so the next */
    STEP_ARGTOPK,
    STEP_KTH, /* start: the rank */
    STEP_MEDIAN,
    STEP_LIBRARY, /* fuzz_backwards */
    STEP_PAD,     /* axis: start before and stop after; other axes: list[0], list[1]; flags: the mode; value */
    STEP_TILE,    /* shape: repetitions */
    STEP_REPEAT,  /* axis (RECIPE_FLAT: flattened), start: how often */
    STEP_DIFF,    /* axis, start: the order */
    STEP_TRIU,    /* start: the diagonal; so the next */
    STEP_TRIL,
    STEP_AVERAGE, /* arg 0 weighted by arg 1; list, ndim, flags */
    STEP_ROWS,    /* the row function number `flags` of arg 0 and arg 1 */
    STEP_MATMUL,  /* fuzz_matmul of arg 0 and arg 1: form flags */
    STEP_TAKE,    /* elements of arg 0 at indices made of arg 1: fuzz_take's form start, mode flags, axis */
    STEP_TURNS, /* body `axis` of fuzz_turns on arg 0 and arg 1: flags 0 `start` turns, 1 while it may, 2 by slices of arg 1 */
    STEP_ORDERS,  /* fuzz_order's form start, of arg 0 and arg 1: axis (RECIPE_FLAT: flattened), flags */
    STEP_LENGTHS, /* fuzz_lengths' form start, of the mask arg 1 and arg 0 */
    STEP_SPARSE,  /* fuzz_sparse's form start, of arg 0 and arg 1 */
    STEP_CALLS,   /* fuzz_calls' form start, of arg 0 and arg 1 */
    STEP_PLACES,  /* fuzz_places' form start, of arg 0 and arg 1 */
    STEP_KINDS
} step_kind;

enum { RECIPE_FLAT = 99, RECIPE_INPUT = 1, RECIPE_NAME = 16 };

typedef struct recipe_step {
    step_kind kind;
    fsr_op op;
    fsr_dtype dtype;
    int ndim;
    int64_t shape[RECIPE_DIMS];
    int list[RECIPE_DIMS];
    int arg[3];
    int axis, flags;
    int64_t start, stop, step;
    double value;
    unsigned fill; /* of a leaf's data */
    fsr_hint hint;
    fsr_pair_hint pair; /* with what was recorded so many steps before, if both are computed */
    int back;
    bool force; /* computed as soon as it is recorded */
} recipe_step;

typedef struct recipe {
    int n;
    recipe_step step[RECIPE_STEPS];
    int nouts;
    int out[RECIPE_OUTS];
} recipe;

/* Flags of STEP_UPDATE: a second slice, [start:] with start in shape[0], along axis list[0]; the section transposed;
 * arg 1 sliced as arg 0 is; and that turned around. */
enum { SECTION_CORNER = 1, SECTION_TRANSPOSED = 2, SECTION_OF_BOTH = 4, SECTION_FLIPPED = 8 };

/* Arguments of a step of this kind. */
int step_arity(const recipe_step *s);
bool step_is_pair(step_kind kind);
bool step_has_pair(step_kind kind);   /* a STEP_PAIR may follow */
bool step_has_number(step_kind kind); /* its function takes value */

/* A leaf with data drawn from fill, on a graph with or without a context. fill % 4 == 3: NaN, infinities, signed
 * zeros, limits; 2:
 * numbers of every magnitude; else small ones. */
fsr_node fuzz_leaf(fsr_graph *g, fsr_dtype dtype, int ndim, const int64_t *shape, unsigned fill);
/* n elements of such data. */
void fuzz_fill(void *data, fsr_dtype dtype, int64_t n, unsigned fill);
/* The name of the input that step i is, and the step that a name says. */
void recipe_input_name(char name[RECIPE_NAME], int i);
int recipe_input_step(const char *name);
/* The operators: body of fsr_operator. */
void fuzz_linear(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user);
void fuzz_max_sum(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user);
extern const fsr_operator fuzz_linear_operator, fuzz_max_sum_operator;

/* Row functions of two operands. */
void fuzz_dot(fsr_node *out, const fsr_node *in, void *user);
void fuzz_centred(fsr_node *out, const fsr_node *in, void *user);
void fuzz_shifted(fsr_node *out, const fsr_node *in, void *user);
void fuzz_matvec(fsr_node *out, const fsr_node *in, void *user);
void fuzz_outer(fsr_node *out, const fsr_node *in, void *user);
void fuzz_place(fsr_node *out, const fsr_node *in, void *user);
void fuzz_filter(fsr_node *out, const fsr_node *in, void *user);
typedef struct fuzz_row_function {
    const char *name, *signature;
    fsr_row_fn body;
} fuzz_row_function;
enum { FUZZ_ROW_FUNCTIONS = 7 };
extern const fuzz_row_function fuzz_rows[FUZZ_ROW_FUNCTIONS];

/* A step from PAD on, of its arguments. recipe_shapes.c */
fsr_node recipe_record_shape(const recipe_step *s, const fsr_node *in);
/* The same as C. */
void recipe_print_shape(const recipe_step *s, FILE *to);
/* "AXES(0, 1)" or "NULL", a number, a shape with its count. recipe_print.c */
void recipe_print_list(const recipe_step *s, FILE *to);
void recipe_print_value(double v, FILE *to);
void recipe_print_extents(const recipe_step *s, FILE *to);
const char *recipe_flags(int flags);

/* Loops: a number of turns that depends on the element, an infinite one, two states that change places, functions whose
 * last bits differ between backends, and (user: the array) elements of an array at what the state is. */
enum { FUZZ_LOOPS = 6 };
extern const fsr_loop fuzz_loop[FUZZ_LOOPS];
/* out[0] the first state at the end, out[1] the count. in: two operands, states as far as the loop has them. */
void fuzz_iterate(fsr_node *out, const fsr_node *in, int loop, int64_t max_n);

/* Elements of x at indices made of y. form: 0 take, 1 take_along_axis, 2 by two arrays, 3 a slice at y's first
 * elements, 4 one put back there, 5 a scatter,
 * 6 one with equal indices, by an operator or none, 7 a search, 8 segments.
 * Indices that would be reported are brought inside before. recipe_take.c */
enum { FUZZ_TAKES = 9 };
fsr_node fuzz_take(fsr_node x, fsr_node y, int form, fsr_index_mode mode, int axis);
/* y as indices for an axis of n elements: any numbers, or, where those outside are reported, in [-n, n). */
fsr_node fuzz_indices(fsr_node y, fsr_index_mode mode, int64_t n);
/* Places by several keys, values by a key, ranks, modes, and quantiles by all methods with q made of y: form %
 * FUZZ_ORDERS chooses. axis: RECIPE_FLAT or one of x's (form 0: y's). flags: FSR_DESCENDING, FSR_KEEPDIMS.
 * recipe_order.c */
enum { FUZZ_ORDERS = 12 };
fsr_node fuzz_order(fsr_node x, fsr_node y, int form, int axis, int flags);
/* An array made of x's elements where the mask holds, through values whose length only the device knows.
 * recipe_lengths.c */
enum { FUZZ_LENGTHS = 27 };
fsr_node fuzz_lengths(fsr_node mask, fsr_node x, int form);

/* Loops over arrays of the states x and y. flags: FUZZ_WHILE, at most `turns`, or FUZZ_SLICES, a turn for each slice of
 * y along axis 0, from the last if turns is odd: carried are x, with body 2 x and the zeros of a slice, or with an odd
 * body these alone. out[0] the first state at the end, out[1] the other, or what was stacked. recipe_turns.c */
enum { FUZZ_TURNS = 4, FUZZ_WHILE = 1, FUZZ_SLICES = 2 };
void fuzz_turns(fsr_node *out, fsr_node x, fsr_node y, int body, int64_t turns, int flags);

/* A native function of both, which converts them to f32 and f16; or, FUZZ_RAW, of an index made of x and the whole of
 * y; or the product of the results of one that has two. On a graph without a context it is ready to be evaluated;
 * elsewhere its text is compiled. */
enum { FUZZ_RAW = 1, FUZZ_SEVERAL = 2 };
fsr_node fuzz_call(fsr_node x, fsr_node y, int form);

/* A product of matrices large enough for a library, of x's and y's elements over and over. form: 0 plain, 1 and 2 an
 * operand turned, 3 batches, 4 parts of matrices, 5 no such product but a convolution by Fourier transforms, from 6
 * on linear algebra. recipe_library.c */
enum { FUZZ_PRODUCTS = 16 };
fsr_node fuzz_matmul(fsr_node x, fsr_node y, int form);
/* x's elements over and over, as far as the shape goes; x has some. */
fsr_node fuzz_filled(fsr_node x, int ndim, const int64_t *shape);

/* A sparse matrix of x's elements, whose rows' lengths and whose columns are made of y's, and what is done with it;
 * scatters and segments by operators. recipe_sparse.c */
enum { FUZZ_SPARSE = 21 };
fsr_node fuzz_sparse(fsr_node x, fsr_node y, int form);

/* Calls of libraries, by each builder that records one and is in no other step; the second half of the forms have an
 * extent of 0; FUZZ_LARGE_CALL and the last one have many elements, that a library is worth it. recipe_calls.c */
enum { FUZZ_CALLS = 60, FUZZ_LARGE_CALL = 29 };
fsr_node fuzz_calls(fsr_node x, fsr_node y, int form);

/* Windows, membership, interpolation, bins, puts, unique's results, random numbers; of the first forms results are
 * rounded by folds. recipe_places.c */
enum { FUZZ_PLACES = 32, FUZZ_PLACES_FOLDED = 4 };
fsr_node fuzz_places(fsr_node x, fsr_node y, int form);

/* x backwards, by a library call of the tests' own. recipe_library.c */
fsr_node fuzz_backwards(fsr_node x);

/* Records step i; node[0..i) are the nodes of the earlier steps. A pair's second component goes to other[i]. */
void recipe_record(const recipe *r, int i, fsr_graph *g, fsr_node *node, fsr_node *other);
/* True if the step's result, or what it is made from, was rounded by a fold: it may differ in bits between plans. So
 * may the sign of the zero that min or max finds among zeros of both signs, if a scan from the end turns the row
 * around. */
bool recipe_rounded(const recipe *r, int i, const fsr_node *node);

/* As the body of a C function that has g, ctx; ends with the array outs. */
void recipe_print(const recipe *r, FILE *to);
/* Drops what no output and no forced step needs. */
void recipe_prune(recipe *r);

/* xorshift; the same numbers on every machine. */
uint64_t fuzz_random(uint64_t *state);
/* 0 .. n-1 */
int fuzz_below(uint64_t *state, int n);

/* The random recipe of a seed. */
void recipe_generate(recipe *r, uint64_t seed);

#endif
