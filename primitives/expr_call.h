/* SPDX-License-Identifier: MIT */
/* A call name(...) in an expression. expr_args.c reads its operands and options, expr_call.c has most functions,
 * expr_shape.c those that make, join and repeat arrays. */
#ifndef FUSOR_PRIMITIVES_EXPR_CALL_H
#define FUSOR_PRIMITIVES_EXPR_CALL_H

#include "graph/nearest.h"
#include "primitives/expr.h"

#define FSR_ARGS_MAX 16 /* operands */

/* Options. A list [...] or (..., ...) is the axes without their name, and so is None. */
enum {
    FSR_OPTION_AXES,
    FSR_OPTION_KEEPDIMS,
    FSR_OPTION_EXCLUSIVE,
    FSR_OPTION_REVERSE,
    FSR_OPTION_DDOF,
    FSR_OPTION_ORD,
    FSR_OPTION_VALUE,
    FSR_OPTION_MODE,
    FSR_OPTION_DTYPE,
    FSR_OPTION_DESCENDING,
    FSR_OPTION_SIDE,
    FSR_OPTION_LEFT,
    FSR_OPTION_RIGHT,
    FSR_OPTION_PERIOD,
    FSR_ARGS_OPTIONS
};

/* Bits of `given`. */
enum {
    FSR_ARGS_AXES = 1 << FSR_OPTION_AXES,
    FSR_ARGS_KEEPDIMS = 1 << FSR_OPTION_KEEPDIMS,
    FSR_ARGS_EXCLUSIVE = 1 << FSR_OPTION_EXCLUSIVE,
    FSR_ARGS_REVERSE = 1 << FSR_OPTION_REVERSE,
    FSR_ARGS_VALUE = 1 << FSR_OPTION_VALUE,
    FSR_ARGS_MODE = 1 << FSR_OPTION_MODE,
    FSR_ARGS_DTYPE = 1 << FSR_OPTION_DTYPE,
    FSR_ARGS_DESCENDING = 1 << FSR_OPTION_DESCENDING,
    FSR_ARGS_SIDE = 1 << FSR_OPTION_SIDE,
    FSR_ARGS_LEFT = 1 << FSR_OPTION_LEFT,
    FSR_ARGS_RIGHT = 1 << FSR_OPTION_RIGHT,
    FSR_ARGS_PERIOD = 1 << FSR_OPTION_PERIOD
};

typedef struct fsr_args {
    fsr_token name;   /* as it is written */
    const char *ours; /* what an alias stands for; NULL: the name is no alias */
    int n;
    fsr_node x[FSR_ARGS_MAX];
    const char *where[FSR_ARGS_MAX];
    int listed; /* operands that stand in a list, the first ones */
    unsigned given;
    const char *option_at[FSR_ARGS_OPTIONS];
    int64_t list[2 * FSR_MAX_DIMS]; /* AXES: [..], or one number */
    int axes[FSR_MAX_DIMS];         /* the same as ints, once checked */
    int nlist;
    bool all, named;                 /* AXES: None was written; with axis= */
    double number[FSR_ARGS_OPTIONS]; /* ddof, ord, value, left, right, period; true is 1 */
    int mode;                        /* fsr_overlap, fsr_index_mode, fsr_pad or fsr_side, as the function takes */
    fsr_dtype dtype;
} fsr_args;

/* Reads ( ... ) behind the name, which c has. */
void fsr_args_read(fsr_reading *r, fsr_args *c);
/* The function is this one, by its own name or by an alias. */
bool fsr_args_name(const fsr_args *c, const char *name);

/* Checks; false: r has failed. */

/* As many operands as that. */
bool fsr_args_are(fsr_reading *r, const fsr_args *c, int want);
/* No options but these. */
bool fsr_args_options(fsr_reading *r, const fsr_args *c, unsigned allowed);
/* An unnamed number after n operands becomes the axis; every axis must be an int. */
bool fsr_args_axes(fsr_reading *r, fsr_args *c, int n);
/* At most one axis; required: exactly one. */
bool fsr_args_one_axis(fsr_reading *r, const fsr_args *c, bool required);

/* Operand i, a whole number, becomes the list: the extents or the axis. */
void fsr_args_list(fsr_reading *r, fsr_args *c, int i);
/* NULL: none was given, or None. */
const int *fsr_args_axes_of(const fsr_args *c);
int fsr_args_keepdims(const fsr_args *c);

/* A function has this name, or this alias. */
bool fsr_args_known(const fsr_token *word);
/* Offers the names of all functions, but aliases. */
void fsr_args_offer(fsr_nearest *near);

/* The functions of expr_shape.c; false: the name is not one of them. */
bool fsr_args_shape(fsr_reading *r, fsr_args *c, fsr_node *out);
/* Offers their names. */
void fsr_args_shape_offer(fsr_nearest *near);
/* The function joins arrays: a list is of operands. */
bool fsr_args_joins(const fsr_args *c);

#endif
