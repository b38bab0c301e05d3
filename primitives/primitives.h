/* SPDX-License-Identifier: MIT */
/* The primitives among themselves: checks, generic builders. The public builders are in fusor/build.h and
 * fusor/ops.h. */
#ifndef FUSOR_PRIMITIVES_PRIMITIVES_H
#define FUSOR_PRIMITIVES_PRIMITIVES_H

#include "graph/graph.h"
#include "graph/shape.h"

/* ---- checks: false, and *poison is what the builder returns ------------------------------------- */

/* A caller's dtype and extents as a shape. what: the builder's name. The array's bytes must fit in int64. */
bool fsr_shape_take(fsr_graph *g, fsr_site at, const char *what, fsr_dtype dtype, int ndim, const int64_t *dims,
                    fsr_shape *out, fsr_node *poison);
/* An axis made non-negative; extent: how many there are. */
bool fsr_axis_take(fsr_node x, fsr_site at, const char *what, int extent, int *axis, fsr_node *poison);
/* An axis list as a bit mask; axes NULL: every axis. */
bool fsr_axes_take(fsr_node x, fsr_site at, const char *what, const int *axes, int naxes, uint32_t *mask,
                   fsr_node *poison);
/* flags has no bit outside allowed. */
bool fsr_flags_take(fsr_node x, fsr_site at, const char *what, int flags, int allowed, fsr_node *poison);

/* The axis of a scan of n arrays of one shape: *axes, of one; axes NULL: x becomes flat, not weak, and the axis is
 * 0. */
bool fsr_scan_axes_take(fsr_site at, const char *what, fsr_node *x, int n, const int *axes, int naxes, int *axis,
                        fsr_node *poison);
/* dtype is one. x is sound. */
bool fsr_dtype_take(fsr_node x, fsr_site at, const char *what, fsr_dtype dtype, fsr_node *poison);

/* What every reduction asks first: x is sound, flags are known, the axes as a mask. */
bool fsr_reduction_take(fsr_node x, fsr_site at, const char *what, const int *axes, int naxes, int flags,
                        uint32_t *mask, fsr_node *poison);
/* For what compares elements: complex numbers have no order. */
bool fsr_order_take(fsr_node x, fsr_site at, const char *what, fsr_node *poison);
/* For an operator without a result for nothing: no element of the result folds an empty set. */
bool fsr_element_take(fsr_node x, fsr_site at, const char *what, uint32_t mask, fsr_node *poison);

/* The length of a name of 1 to 63 letters, digits and _; 0: it is not one. */
size_t fsr_name_size(const char *name);
/* A copy of a caller's name (1 to 63 letters, digits and _), malloc'ed; NULL: *poison is set. */
char *fsr_name_take(fsr_graph *g, fsr_site at, const char *what, const char *name, fsr_node *poison);

/* ---- builders; operands are valid and of one graph unless said otherwise ------------------------- */

/* A 0-d literal. */
fsr_node fsr_literal(fsr_graph *g, fsr_site at, fsr_dtype dtype, fsr_value value, bool weak);
/* A size as an argument of the plan: an unnamed parameter. */
fsr_node fsr_count(fsr_graph *g, fsr_site at, fsr_dtype dtype, double value);
/* The same of any i64: those from 2^53 on are no doubles. */
fsr_node fsr_count_i64(fsr_graph *g, fsr_site at, int64_t value);
/* The index along an axis of a shape. */
fsr_node fsr_iota(fsr_graph *g, fsr_site at, fsr_dtype dtype, const fsr_shape *shape, int axis);

/* A scalar op on n operands (checked here): promotion, casts and broadcasts as NumPy. op is not CAST. */
fsr_node fsr_map(fsr_site at, fsr_op op, const fsr_node *args, int n);
/* x as dtype: itself, a literal converted now, or a cast. weak: the result is weak too. */
fsr_node fsr_convert(fsr_site at, fsr_node x, fsr_dtype dtype, bool weak);
/* Integers as i64, as computed indices and counts are; those of u64 beyond it are its greatest, which no axis has. */
fsr_node fsr_integers(fsr_site at, fsr_node x);
/* Integers brought between 0 and `most`, as i32 where that has them and they are, or were floats, and else as i64. */
fsr_node fsr_within(fsr_site at, fsr_node x, int64_t most);
/* A number in the graph of `like`: weak, and as an index is. */
fsr_node fsr_whole(fsr_site at, fsr_node like, int64_t value);
fsr_node fsr_i64(fsr_site at, fsr_node like, int64_t value);
/* What those of n nodes that are not weak promote to together; FSR_DTYPE_COUNT if all are weak. */
fsr_dtype fsr_common_dtype(const fsr_node *x, int n);
/* x as a node that is not weak. */
fsr_node fsr_strong(fsr_site at, fsr_node x);

/* x broadcast to a shape it fits. x itself if nothing changes. */
fsr_node fsr_stretch(fsr_site at, fsr_node x, const fsr_shape *shape);
/* x with the section, a map from y's indices to its own, replaced by y: of x's dtype and the section's shape. */
fsr_node fsr_paste(fsr_site at, fsr_node x, const fsr_view *section, fsr_node y);
/* n >= 1 arrays of one rank, equal but along axis, side by side. */
fsr_node fsr_join(fsr_site at, const fsr_node *x, int n, int axis);
/* x without the axes (extent 1) of mask. */
fsr_node fsr_drop_axes(fsr_site at, fsr_node x, uint32_t mask);
/* x in memory that nobody else has. */
fsr_node fsr_own(fsr_site at, fsr_node x);
/* x once more, a record of its own. */
fsr_node fsr_alias(fsr_site at, fsr_node x);
/* x as one dimension in C order. */
fsr_node fsr_flatten(fsr_site at, fsr_node x);

/* The record of a fold over the axes of mask, or of a scan, with its arguments, the operands and behind them what the
 * operator takes besides; out[0..combine->arity) are its results.
 * NULL, and combine is freed: memory is out (also where combine is NULL, then of one result), an operand is not sound,
 * or a result's size overflows; out is that poison. */
fsr_rec *fsr_fold_begin(fsr_site at, fsr_kind kind, fsr_node *out, const fsr_node *in, fsr_combine *combine,
                        uint32_t mask);
/* A fold over the axes of mask (not 0), which stay with extent 1: results out[0..combine->arity). Takes over combine
 * (NULL, out of memory, is allowed). The operands have the combine's dtypes and one shape, or are poisoned. */
void fsr_fold_nodes(fsr_site at, fsr_node *out, const fsr_node *in, fsr_combine *combine, uint32_t mask);
/* A running fold along axis; as fsr_fold_nodes. flags: FSR_EXCLUSIVE, FSR_REVERSE. */
void fsr_running(fsr_site at, fsr_node *out, const fsr_node *in, fsr_combine *combine, int axis, int flags);
/* Records op's body for a state of these dtypes. outside receives the parameters that it uses, its last arguments, at
 * most FSR_MAX_ARGS - op->arity; NULL: it may use none. NULL: *poison says why. */
fsr_combine *fsr_operator_record(fsr_graph *g, fsr_site at, const char *what, const fsr_operator *op,
                                 const fsr_dtype *dtype, fsr_node *outside, fsr_node *poison);
/* The operator that keeps the better of two pairs (value, index), the greatest value or the least, as `extreme` is
 * MAXIMUM or MINIMUM; of equal ones the first. It needs *best as long as it lives. */
typedef struct fsr_best {
    fsr_site at;
    fsr_op extreme;
    bool skips_nan; /* else NaN is the best */
} fsr_best;
fsr_operator fsr_best_operator(fsr_best *best, fsr_dtype dtype);
/* The reduction of x with a built-in op over the axes of mask, which stay; x itself if mask is 0. */
fsr_node fsr_fold_op(fsr_site at, fsr_op op, fsr_node x, uint32_t mask);

/* How many before each element of a bool array it holds for, along the last dimension, i32 where that is enough. */
fsr_node fsr_count_before(fsr_site at, fsr_node mask);
/* How many elements of a bool vector it holds for, i64. */
fsr_node fsr_count_true(fsr_site at, fsr_node mask);

/* ---- signatures of row functions ---------------------------------------------------------------------- */

/* "(n),(n)->()" read: the core dimensions of operands, then results; each the number of a name, or a fixed extent. */
typedef struct fsr_core {
    int ndim;
    int8_t name[FSR_MAX_DIMS]; /* -1: the extent is fixed */
    int64_t extent[FSR_MAX_DIMS];
} fsr_core;
enum { FSR_MAX_NAMES = 2 * FSR_MAX_CORE };
typedef struct fsr_signature {
    int nin, nout;
    fsr_core core[2 * FSR_MAX_CORE]; /* operands, then results */
    int nnames;
    const char *name[FSR_MAX_NAMES]; /* in the text */
    int name_size[FSR_MAX_NAMES];
} fsr_signature;
/* NULL, or what is wrong at column *column (from 1). */
const char *fsr_signature_read(fsr_signature *s, const char *text, int *column);

/* Elements folded into one result. */
int64_t fsr_folded(const fsr_shape *shape, uint32_t mask);
/* The dtype that sum, prod and cumsum of dtype have. */
fsr_dtype fsr_sum_dtype(fsr_dtype dtype);
/* In which sums of it are computed: f32 for f16 and bf16. */
fsr_dtype fsr_state_dtype(fsr_dtype dtype);
/* The dtype that mean, var, norm and logsumexp of dtype have. */
fsr_dtype fsr_mean_dtype(fsr_dtype dtype);
/* The float that elementary functions make of dtype: f16 of 8 bits, f32 of 16, f64 of wider integers; else itself. */
fsr_dtype fsr_float_dtype(fsr_dtype dtype);
/* Result k of a caller's function, which has those, or returns its one (NULL). f NULL: a poisoned node. */
fsr_node fsr_call_one(fsr_site at, const fsr_native *f, const fsr_routine *results, int k, const fsr_node *args,
                      int nargs);
/* In which a matrix and its right sides, two nodes, are solved: each by itself, as NumPy has it, so that integers are
 * f64 beside f32 too. */
fsr_dtype fsr_solve_dtype(const fsr_node *both);
/* False for integers and bool, which have no NaN. */
bool fsr_dtype_has_nan(fsr_dtype dtype);

#endif
