/* SPDX-License-Identifier: MIT */
/* The builder: functions that record array operations. Nothing runs here.
 *
 * Nodes. An fsr_node is a value, 24 bytes, copied freely and never freed one by one. Its shape and
 * dtype are known at once. It lives until its graph is freed or the scope it was recorded in ends.
 *
 * Poison. A mistake (shapes that do not fit, an unknown axis, nodes of two graphs, ...) gives a
 * poisoned node. It keeps the status and a message with the operation, the operands' dtypes and
 * shapes and the caller's file and line. What uses it is poisoned with the same message; computing
 * or reading it returns that status; other nodes are untouched. fsr_node_status and fsr_node_error
 * show it. With no graph to record in (every operand is null, or of a freed graph) the result is
 * the null node {0}; where an operand or graph is a freed one's, fsr_error says why.
 *
 * Meaning. NumPy 2's answer for the same call is right; docs/semantics.md lists where it has none.
 * Promotion is NumPy 2's; fsr_float, fsr_int are weak like Python's numbers: they take the dtype of
 * the array they meet, unless their kind is higher (a float with an i32 array gives f64).
 * Elementwise operands broadcast. Axes may be negative. At most FSR_MAX_DIMS dimensions; 0-d and
 * empty arrays are allowed. The bytes of every array, of those recorded on the way to a result too (what an integer sum
 * adds up has 8 bytes an element), are less than 2^63 - 1, else FSR_ERR_SIZE. Fusion never changes a bit of an elementwise result.
 *
 * Every function here is a macro over a function with the suffix _at, which takes the caller's place (fsr_site) first, and
 * then, where it takes a struct that may get more fields (fsr_operator, fsr_loop, fsr_function, fsr_native), that struct's
 * size as the caller's headers have it. FSR_ERR_UNSUPPORTED: a struct of newer headers asks for what this library does
 * not know; FSR_ERR_VALUE: the size is none (docs/abi.md). */
#ifndef FUSOR_BUILD_H
#define FUSOR_BUILD_H

#include "fusor/api.h"
#include "fusor/context.h"
#include "fusor/dtype.h"
#include <stdbool.h>

FSR_API_BEGIN

/* Dimensions of an array. */
#define FSR_MAX_DIMS 8
/* Components of a tuple that a user-defined reduction or scan may carry. */
#define FSR_MAX_TUPLE 4

/* Recorded nodes and their arrays. */
typedef struct fsr_graph fsr_graph;

/* A handle to a recorded value; {0} is the null node. */
typedef struct fsr_node {
    fsr_graph *graph;
    uint64_t stamp; /* tells a recycled slot from the node this handle meant */
    uint32_t id;
    uint32_t output; /* which result, for nodes with several */
} fsr_node;

/* A place in the caller's source. file must stay valid (a string literal). */
typedef struct fsr_site {
    const char *file;
    int line;
} fsr_site;
static inline fsr_site fsr_here(const char *file, int line) {
    fsr_site site;
    site.file = file;
    site.line = line;
    return site;
}
/* The place of its use. */
#define FSR_HERE fsr_here(__FILE__, __LINE__)

/* ---- graphs and scopes ---------------------------------------------------------------------- */

/* A new empty graph. NULL if ctx is NULL or memory is out (fsr_error(ctx) says which). */
fsr_graph *fsr_graph_new(fsr_context *ctx);
/* Frees the graph, its nodes and their arrays. Handles to it become stale. NULL is allowed. */
void fsr_graph_free(fsr_graph *graph);

/* Scopes bound the memory of long lazy programs. fsr_scope_end drops every node recorded since the
 * matching fsr_scope_begin, with its array, but keep[0..n) and what these still need to be computed (a
 * computed node needs nothing). Kept nodes then belong to the enclosing scope. Scopes nest.
 * fsr_scope_keep drops in the same way and leaves the scope open, with what was kept in it. So this loop holds one x
 * at a time:
 *     fsr_scope_begin(g);
 *     for (...) { y = step(x); fsr_force(y); fsr_scope_keep(g, &y, 1); x = y; }
 *     fsr_scope_end(g, &x, 1);
 * FSR_ERR_SCOPE: no scope is open. FSR_ERR_STALE, FSR_ERR_GRAPH: a keep[i] is no node of this graph;
 * then nothing is dropped and the scope stays open. */
fsr_status fsr_scope_begin(fsr_graph *graph);
fsr_status fsr_scope_end(fsr_graph *graph, const fsr_node *keep, int n);
fsr_status fsr_scope_keep(fsr_graph *graph, const fsr_node *keep, int n);

/* ---- asking a node -------------------------------------------------------------------------- */

fsr_status fsr_node_status(fsr_node x);     /* FSR_OK, the poison's status, FSR_ERR_NULL or FSR_ERR_STALE */
const char *fsr_node_error(fsr_node x);     /* the poison's message, else ""; valid as long as the node */
fsr_dtype fsr_node_dtype(fsr_node x);       /* FSR_DTYPE_COUNT if the node is not valid */
int fsr_node_ndim(fsr_node x);              /* -1 if the node is not valid */
int64_t fsr_node_dim(fsr_node x, int axis); /* -1 if the node or axis is not valid; axis may be negative */
int64_t fsr_node_size(fsr_node x);          /* elements; -1 if the node is not valid */
int64_t fsr_node_bytes(fsr_node x);         /* elements times their size; -1 if the node is not valid */
/* True: the extent is a capacity, and how many elements are there only the device knows (fsr_compress). */
bool fsr_node_is_live(fsr_node x);
/* The context of the node's graph. NULL: the null node, or one of a freed graph. */
fsr_context *fsr_node_context(fsr_node x);

/* ---- leaves --------------------------------------------------------------------------------- */

/* An array copied from host memory at the call. data: prod(shape) elements in C order, may be NULL
 * only if that is 0. shape may be NULL if ndim is 0. FSR_ERR_SIZE: a negative or overflowing shape. FSR_ERR_VALUE: data
 * is memory of a GPU. */
fsr_node fsr_from_host_at(fsr_site at, fsr_graph *g, fsr_dtype dtype, int ndim, const int64_t *shape, const void *data);
#define fsr_from_host(...) fsr_from_host_at(FSR_HERE, __VA_ARGS__)

/* A named array that fsr_plan_run supplies. name is copied: letters, digits and _, at most 63. */
fsr_node fsr_input_at(fsr_site at, fsr_graph *g, const char *name, fsr_dtype dtype, int ndim, const int64_t *shape);
#define fsr_input(...) fsr_input_at(FSR_HERE, __VA_ARGS__)

/* A named scalar (0-d) argument with a present value. Changing it (fsr_param_set, or by name in
 * fsr_plan_run) never recompiles; nodes already computed keep their values. */
fsr_node fsr_param_at(fsr_site at, fsr_graph *g, const char *name, fsr_dtype dtype, double value);
#define fsr_param(...) fsr_param_at(FSR_HERE, __VA_ARGS__)
/* The same with a value that need not be a double: one element of dtype at value, as fsr_from_host takes it. FSR_ERR_NULL:
 * value is null. */
fsr_node fsr_param_of_at(fsr_site at, fsr_graph *g, const char *name, fsr_dtype dtype, const void *value);
#define fsr_param_of(...) fsr_param_of_at(FSR_HERE, __VA_ARGS__)
/* value is converted to the parameter's dtype as a cast does. FSR_ERR_NULL, FSR_ERR_STALE; FSR_ERR_VALUE: not a
 * parameter. */
fsr_status fsr_param_set(fsr_node param, double value);
/* The value as an element of the parameter's dtype, copied from and to value. As fsr_param_set; FSR_ERR_NULL: value is null;
 * FSR_ERR_BYTES: bytes is not that dtype's size. */
fsr_status fsr_param_put(fsr_node param, const void *value, size_t bytes);
fsr_status fsr_param_get(fsr_node param, void *value, size_t bytes);

/* Literals, 0-d. They may be folded, and a plan's kernels may have them in their text; one in which a later plan differs
 * that is otherwise the same becomes an argument of it, with the same bits. float, int and complex are weak. */
fsr_node fsr_float_at(fsr_site at, fsr_graph *g, double value);
fsr_node fsr_int_at(fsr_site at, fsr_graph *g, int64_t value);
fsr_node fsr_bool_at(fsr_site at, fsr_graph *g, bool value);
#define fsr_float(...) fsr_float_at(FSR_HERE, __VA_ARGS__)
#define fsr_int(...) fsr_int_at(FSR_HERE, __VA_ARGS__)
/* re + im j; weak: with an f32 array it is a c64, with an integer array a c128. */
fsr_node fsr_complex_at(fsr_site at, fsr_graph *g, double re, double im);
#define fsr_complex(...) fsr_complex_at(FSR_HERE, __VA_ARGS__)
#define fsr_bool(...) fsr_bool_at(FSR_HERE, __VA_ARGS__)
/* A typed literal broadcast to a shape. value is converted to dtype as a cast does. */
fsr_node fsr_full_at(fsr_site at, fsr_graph *g, fsr_dtype dtype, int ndim, const int64_t *shape, double value);
#define fsr_full(...) fsr_full_at(FSR_HERE, __VA_ARGS__)
/* The same with a value that need not be a double: one element of dtype at value, as fsr_from_host takes it. FSR_ERR_NULL:
 * value is null. */
fsr_node fsr_full_of_at(fsr_site at, fsr_graph *g, fsr_dtype dtype, int ndim, const int64_t *shape, const void *value);
#define fsr_full_of(...) fsr_full_of_at(FSR_HERE, __VA_ARGS__)
/* An array of zeros. */
fsr_node fsr_zeros_at(fsr_site at, fsr_graph *g, fsr_dtype dtype, int ndim, const int64_t *shape);
#define fsr_zeros(...) fsr_zeros_at(FSR_HERE, __VA_ARGS__)
/* An array of ones. */
fsr_node fsr_ones_at(fsr_site at, fsr_graph *g, fsr_dtype dtype, int ndim, const int64_t *shape);
#define fsr_ones(...) fsr_ones_at(FSR_HERE, __VA_ARGS__)
/* Of x's dtype and shape; x itself is not read. */
fsr_node fsr_full_like_at(fsr_site at, fsr_node x, double value);
#define fsr_full_like(...) fsr_full_like_at(FSR_HERE, __VA_ARGS__)
#define fsr_zeros_like(x) fsr_full_like_at(FSR_HERE, x, 0)
#define fsr_ones_like(x) fsr_full_like_at(FSR_HERE, x, 1)
/* 1 where column - row is k, else 0. */
fsr_node fsr_eye_at(fsr_site at, fsr_graph *g, fsr_dtype dtype, int64_t rows, int64_t cols, int64_t k);
#define fsr_eye(...) fsr_eye_at(FSR_HERE, __VA_ARGS__)
/* num values from start, evenly spaced, to stop: with endpoint the last one is exactly stop, else stop would be the
 * next. Computed in f64 (integers: then rounded down). */
fsr_node fsr_linspace_at(fsr_site at, fsr_graph *g, fsr_dtype dtype, double start, double stop, int64_t num,
                         bool endpoint);
#define fsr_linspace(...) fsr_linspace_at(FSR_HERE, __VA_ARGS__)
/* 0, 1, ..., n-1 as a vector of a numeric dtype; computed, never stored unless asked for. */
fsr_node fsr_arange_at(fsr_site at, fsr_graph *g, fsr_dtype dtype, int64_t n);
#define fsr_arange(...) fsr_arange_at(FSR_HERE, __VA_ARGS__)

/* start, start + step, ... before stop, NumPy's arange of three numbers: the first two are converted to the dtype, and the
 * others follow at their distance. FSR_ERR_VALUE: the step is 0, or one of them NaN. FSR_ERR_DTYPE: bool. */
fsr_node fsr_arange_step_at(fsr_site at, fsr_graph *g, fsr_dtype dtype, double start, double stop, double step);
#define fsr_arange_step(...) fsr_arange_step_at(FSR_HERE, __VA_ARGS__)
/* base to the power of each of fsr_linspace's numbers, in f64, converted to the dtype. */
fsr_node fsr_logspace_at(fsr_site at, fsr_graph *g, fsr_dtype dtype, double start, double stop, int64_t num,
                         bool endpoint, double base);
#define fsr_logspace(...) fsr_logspace_at(FSR_HERE, __VA_ARGS__)
/* num values from start to stop, each the same multiple of the one before; the ends are exact. Both negative: the negated
 * ones. Computed in f64. FSR_ERR_VALUE: start or stop is 0. */
fsr_node fsr_geomspace_at(fsr_site at, fsr_graph *g, fsr_dtype dtype, double start, double stop, int64_t num,
                          bool endpoint);
#define fsr_geomspace(...) fsr_geomspace_at(FSR_HERE, __VA_ARGS__)
/* 1 where column - row is at most k, else 0. */
fsr_node fsr_tri_at(fsr_site at, fsr_graph *g, fsr_dtype dtype, int64_t rows, int64_t cols, int64_t k);
#define fsr_tri(...) fsr_tri_at(FSR_HERE, __VA_ARGS__)

/* ---- elementwise: fusor/ops.h, generated from the table of scalar ops, has fsr_add, fsr_exp, ... */

/* Conversion; float to int truncates towards zero and saturates, NaN is 0; to bool is x != 0; complex to real takes the
 * real part. */
fsr_node fsr_cast_at(fsr_site at, fsr_node x, fsr_dtype dtype);
#define fsr_cast(...) fsr_cast_at(FSR_HERE, __VA_ARGS__)

/* fsr_sin and fsr_cos of x, in one kernel where both are asked for. Either address may be NULL; a mistake poisons
 * both. */
void fsr_sincos_at(fsr_site at, fsr_node x, fsr_node *sine, fsr_node *cosine);
#define fsr_sincos(...) fsr_sincos_at(FSR_HERE, __VA_ARGS__)
/* m = fsr_frexp_mantissa and e = fsr_frexp_exponent, i32, with x = m * 2**e; as fsr_sincos. */
void fsr_frexp_at(fsr_site at, fsr_node x, fsr_node *mantissa, fsr_node *exponent);
#define fsr_frexp(...) fsr_frexp_at(FSR_HERE, __VA_ARGS__)

/* fsr_floor_divide(a, b) and fsr_mod(a, b); as fsr_sincos. */
void fsr_divmod_at(fsr_site at, fsr_node a, fsr_node b, fsr_node *quotient, fsr_node *remainder);
#define fsr_divmod(...) fsr_divmod_at(FSR_HERE, __VA_ARGS__)
/* What stands behind and before the point, both with x's sign, as floats (bool and integers as fsr_exp takes them); of
 * infinity 0 and infinity. As fsr_sincos. FSR_ERR_DTYPE: complex. */
void fsr_modf_at(fsr_site at, fsr_node x, fsr_node *fraction, fsr_node *whole);
#define fsr_modf(...) fsr_modf_at(FSR_HERE, __VA_ARGS__)
/* x rounded to so many decimals, halfway to the even one: fsr_round of x times a power of ten, divided by it again;
 * decimals below 0: to tens, hundreds, ... Complex numbers part by part. Integers keep their dtype and wrap. FSR_ERR_DTYPE:
 * bool, but for 0 decimals. */
fsr_node fsr_around_at(fsr_site at, fsr_node x, int decimals);
#define fsr_around(...) fsr_around_at(FSR_HERE, __VA_ARGS__)
/* x with NaN, infinity and -infinity replaced; NULL: by the largest, by the lowest number of the dtype. Complex numbers part
 * by part; bool and integers stay as they are. */
fsr_node fsr_nan_to_num_at(fsr_site at, fsr_node x, double nan, const double *posinf, const double *neginf);
#define fsr_nan_to_num(...) fsr_nan_to_num_at(FSR_HERE, __VA_ARGS__)
/* Whether |a - b| <= atol + rtol |b| and b is finite, or a == b, or, with equal_nan, both are NaN. Bool. NumPy's tolerances,
 * if none are given there, are 1e-5 and 1e-8. b counts as a float (integers as f64). */
fsr_node fsr_isclose_at(fsr_site at, fsr_node a, fsr_node b, double rtol, double atol, bool equal_nan);
#define fsr_isclose(...) fsr_isclose_at(FSR_HERE, __VA_ARGS__)
/* Whether all elements are: fsr_all of it, 0-d. */
fsr_node fsr_allclose_at(fsr_site at, fsr_node a, fsr_node b, double rtol, double atol, bool equal_nan);
#define fsr_allclose(...) fsr_allclose_at(FSR_HERE, __VA_ARGS__)
/* sin(pi x) / (pi x), of 0 1. */
fsr_node fsr_sinc_at(fsr_site at, fsr_node x);
#define fsr_sinc(...) fsr_sinc_at(FSR_HERE, __VA_ARGS__)

/* ---- views: index maps, no copy, no kernel --------------------------------------------------- */

/* The same elements in C order; one extent may be -1 (inferred). */
fsr_node fsr_reshape_at(fsr_site at, fsr_node x, int ndim, const int64_t *shape);
#define fsr_reshape(...) fsr_reshape_at(FSR_HERE, __VA_ARGS__)
/* result.shape[i] = x.shape[perm[i]]; perm NULL: reversed. */
fsr_node fsr_transpose_at(fsr_site at, fsr_node x, const int *perm);
#define fsr_transpose(...) fsr_transpose_at(FSR_HERE_2OF2(__VA_ARGS__), __VA_ARGS__)
/* x repeated to a shape: extents are compared from the last; one of 1, or one that x lacks, is repeated.
 * FSR_ERR_SHAPE: another differs. */
fsr_node fsr_broadcast_to_at(fsr_site at, fsr_node x, int ndim, const int64_t *shape);
#define fsr_broadcast_to(...) fsr_broadcast_to_at(FSR_HERE, __VA_ARGS__)
/* A new axis of extent 1 before position axis (0..ndim, negative counts from the result's end). */
fsr_node fsr_expand_at(fsr_site at, fsr_node x, int axis);
#define fsr_expand(...) fsr_expand_at(FSR_HERE, __VA_ARGS__)
/* Drops an axis of extent 1. */
fsr_node fsr_squeeze_at(fsr_site at, fsr_node x, int axis);
#define fsr_squeeze(...) fsr_squeeze_at(FSR_HERE, __VA_ARGS__)
/* The axis in reverse order. */
fsr_node fsr_flip_at(fsr_site at, fsr_node x, int axis);
#define fsr_flip(...) fsr_flip_at(FSR_HERE, __VA_ARGS__)
/* One dimension, in C order. */
fsr_node fsr_ravel_at(fsr_site at, fsr_node x);
#define fsr_ravel(...) fsr_ravel_at(FSR_HERE, __VA_ARGS__)
/* The two axes change places. */
fsr_node fsr_swapaxes_at(fsr_site at, fsr_node x, int a, int b);
#define fsr_swapaxes(...) fsr_swapaxes_at(FSR_HERE, __VA_ARGS__)
/* Axis source[i] becomes axis destination[i]; the others keep their order. FSR_ERR_AXIS: one is named twice. */
fsr_node fsr_moveaxis_at(fsr_site at, fsr_node x, const int *source, const int *destination, int n);
#define fsr_moveaxis(...) fsr_moveaxis_at(FSR_HERE, __VA_ARGS__)
/* x's elements whose index along axis2 is k more than along axis1, as the last axis of the result; the other axes keep their
 * order before it. FSR_ERR_SHAPE: x has less than two axes. FSR_ERR_AXIS: both are the same. */
fsr_node fsr_diagonal_at(fsr_site at, fsr_node x, int64_t k, int axis1, int axis2);
#define fsr_diagonal(...) fsr_diagonal_at(FSR_HERE, __VA_ARGS__)
/* The sum of that, of the dtype of fsr_sum. */
fsr_node fsr_trace_at(fsr_site at, fsr_node x, int64_t k, int axis1, int axis2);
#define fsr_trace(...) fsr_trace_at(FSR_HERE, __VA_ARGS__)
/* Of a matrix its diagonal k; of a vector the square matrix with that diagonal, else 0. FSR_ERR_SHAPE: another rank. */
fsr_node fsr_diag_at(fsr_site at, fsr_node x, int64_t k);
#define fsr_diag(...) fsr_diag_at(FSR_HERE, __VA_ARGS__)
/* A flag of fsr_meshgrid. */
enum { FSR_XY = 16 };
/* out[0..n): the vectors x[0..n) broadcast to one n-dimensional grid. flags 0: x[i] varies along axis i (NumPy's
 * indexing="ij"); FSR_XY: x[0] along axis 1 and x[1] along axis 0 (NumPy's default). At most FSR_MAX_DIMS of at most
 * one dimension each (FSR_ERR_SHAPE). n < 1: nothing is written. */
void fsr_meshgrid_at(fsr_site at, fsr_node *out, const fsr_node *x, int n, int flags);
#define fsr_meshgrid(...) fsr_meshgrid_at(FSR_HERE, __VA_ARGS__)
/* An omitted bound of fsr_slice. */
#define FSR_SLICE_END INT64_MIN
/* x[start:stop:step] along one axis with NumPy's rules; FSR_SLICE_END stands for an omitted bound. */
fsr_node fsr_slice_at(fsr_site at, fsr_node x, int axis, int64_t start, int64_t stop, int64_t step);
#define fsr_slice(...) fsr_slice_at(FSR_HERE, __VA_ARGS__)

/* ---- assignment and joining: as values, fused copies ------------------------------------------- */

/* x with the region that `view` shows replaced by y: what x[...] = y leaves in NumPy, as a new value; x stays as it is.
 * view: x itself, or slices (steps, also negative), transposes, flips, expands and squeezes of x. y is converted to x's
 * dtype and broadcast to view's shape. FSR_ERR_VALUE: view is something else, shows an element twice (broadcast), or is a
 * diagonal.
 * FSR_ERR_SHAPE: y does not broadcast to it. */
fsr_node fsr_update_at(fsr_site at, fsr_node x, fsr_node view, fsr_node y);
#define fsr_update(...) fsr_update_at(FSR_HERE, __VA_ARGS__)
/* x[0..n) along an axis; dtypes promote. n >= 1, at least 1-d; extents may differ along axis only (FSR_ERR_SHAPE). */
fsr_node fsr_concat_at(fsr_site at, const fsr_node *x, int n, int axis);
#define fsr_concat(...) fsr_concat_at(FSR_HERE, __VA_ARGS__)
/* The same along a new axis (0..ndim, negative counts from the result's end); all of one shape. */
fsr_node fsr_stack_at(fsr_site at, const fsr_node *x, int n, int axis);
#define fsr_stack(...) fsr_stack_at(FSR_HERE, __VA_ARGS__)
/* out[0..parts): views of equal extent. FSR_ERR_VALUE: the axis does not divide. */
void fsr_split_at(fsr_site at, fsr_node *out, fsr_node x, int parts, int axis);
#define fsr_split(...) fsr_split_at(FSR_HERE, __VA_ARGS__)
/* out[0..n + 1): x[:i0], x[i0:i1], ..., x[in-1:], each with slice's rules. */
void fsr_split_indices_at(fsr_site at, fsr_node *out, fsr_node x, const int64_t *indices, int n, int axis);
#define fsr_split_indices(...) fsr_split_indices_at(FSR_HERE, __VA_ARGS__)
/* Elements move by shift[i] along axes[i] and come in again at the other end; an axis may be named again. axes NULL:
 * along the flattened array, by the sum of the shifts. */
fsr_node fsr_roll_at(fsr_site at, fsr_node x, const int64_t *shift, const int *axes, int n);
#define fsr_roll(...) fsr_roll_at(FSR_HERE_3OF4(__VA_ARGS__), __VA_ARGS__)

/* What is added around an array: a constant, or x seen again: its edge element; mirrored about the edge element;
 * mirrored about the edge; from the other end. */
typedef enum fsr_pad { FSR_PAD_CONSTANT, FSR_PAD_EDGE, FSR_PAD_REFLECT, FSR_PAD_SYMMETRIC, FSR_PAD_WRAP } fsr_pad;
/* width[j]: elements added before and after axis j. value: of FSR_PAD_CONSTANT, converted to x's dtype as a cast does;
 * ignored by the others. FSR_ERR_VALUE: an axis of extent 0 has nothing to extend it with (all but CONSTANT).
 * FSR_ERR_UNSUPPORTED: widths of more than about 60 times the axis (REFLECT, SYMMETRIC, WRAP). */
fsr_node fsr_pad_at(fsr_site at, fsr_node x, const int64_t (*width)[2], fsr_pad mode, double value);
#define fsr_pad(...) fsr_pad_at(FSR_HERE, __VA_ARGS__)
/* Windows of window[i] elements that slide along axes[i] (NULL: every axis, in order): NumPy's sliding_window_view. The axes lose
 * window[i] - 1 elements, and each window has a dimension behind the others. Nothing is copied. FSR_ERR_VALUE: a window is not 1 to the
 * axis' extent. FSR_ERR_AXIS: there is no such axis, or it is named twice. FSR_ERR_SHAPE: the result would have more than
 * FSR_MAX_DIMS dimensions. */
fsr_node fsr_sliding_window_at(fsr_site at, fsr_node x, const int64_t *window, const int *axes, int naxes);
#define fsr_sliding_window(...) fsr_sliding_window_at(FSR_HERE_3OF4(__VA_ARGS__), __VA_ARGS__)
/* x, reps[j] times along axis j; reps of fewer entries than x has axes belong to its last ones, x of fewer axes gets
 * new ones in front. */
fsr_node fsr_tile_at(fsr_site at, fsr_node x, int n, const int64_t *reps);
#define fsr_tile(...) fsr_tile_at(FSR_HERE, __VA_ARGS__)
/* Every element `count` times along an axis; axis NULL: of the flattened array. */
fsr_node fsr_repeat_at(fsr_site at, fsr_node x, int64_t count, const int *axis);
#define fsr_repeat(...) fsr_repeat_at(FSR_HERE_3OF3(__VA_ARGS__), __VA_ARGS__)
/* The n-th difference of neighbours along an axis (of bools: whether they differ). n 0: x. */
fsr_node fsr_diff_at(fsr_site at, fsr_node x, int n, int axis);
#define fsr_diff(...) fsr_diff_at(FSR_HERE, __VA_ARGS__)
/* The slope along one axis, at points `spacing` apart: inside (x[i + 1] - x[i - 1]) / (2 spacing), at both ends differences of
 * the order edge_order, 1 or 2 (else FSR_ERR_VALUE). Integers give f64. FSR_ERR_SHAPE: less than edge_order + 1
 * elements. FSR_ERR_DTYPE: bool. */
fsr_node fsr_gradient_at(fsr_site at, fsr_node x, double spacing, int axis, int edge_order);
#define fsr_gradient(...) fsr_gradient_at(FSR_HERE, __VA_ARGS__)
/* out[0..naxes): that along each of axes[0..naxes), NumPy's gradient of several axes.
 * axes NULL: every axis in order, and naxes is x's number of dimensions. spacing[i] belongs to axes[i]; NULL: 1 for all.
 * All are poisoned on a mistake. FSR_ERR_AXIS: an axis is named twice, or axes is NULL and naxes another number.
 * naxes < 1: nothing is written. */
void fsr_gradients_at(fsr_site at, fsr_node *out, fsr_node x, const double *spacing, const int *axes, int naxes,
                      int edge_order);
#define fsr_gradients(...) fsr_gradients_at(FSR_HERE_4OF6(__VA_ARGS__), __VA_ARGS__)
/* to_begin, the differences of neighbours of the flattened x, to_end; these are converted to x's dtype, or none where
 * they are null nodes. FSR_ERR_DTYPE: bool. */
fsr_node fsr_ediff1d_at(fsr_site at, fsr_node x, fsr_node to_begin, fsr_node to_end);
#define fsr_ediff1d(...) fsr_ediff1d_at(FSR_HERE, __VA_ARGS__)
/* How far two sequences of n and m elements, n >= m, are moved over each other: wherever one element of each meets, n + m - 1
 * results; the n of these in the middle; where all of the shorter one is covered, n - m + 1. */
typedef enum fsr_overlap { FSR_FULL, FSR_SAME, FSR_VALID } fsr_overlap;
/* The sum of a[j - k] v[k], and, of v conjugated, of a[j + k] v[k], over k, for each place j: NumPy's convolve and correlate.
 * One pass over the longer sequence where the shorter one has up to about 20 elements, three up to 64, which is the most
 * (FSR_ERR_UNSUPPORTED: longer ones are work for a Fourier transform). dtypes promote; nothing is converted to a wider
 * one. FSR_ERR_SHAPE: more than one dimension (0-d counts as one element). FSR_ERR_EMPTY: no
 * element. FSR_ERR_VALUE: overlap is none. */
fsr_node fsr_convolve_at(fsr_site at, fsr_node a, fsr_node v, fsr_overlap overlap);
fsr_node fsr_correlate_at(fsr_site at, fsr_node a, fsr_node v, fsr_overlap overlap);
#define fsr_convolve(...) fsr_convolve_at(FSR_HERE, __VA_ARGS__)
#define fsr_correlate(...) fsr_correlate_at(FSR_HERE, __VA_ARGS__)
/* The same full, centred or whole overlap by Fourier transforms, of two arrays of one dimension and any length: in time n log n, and
 * within a few units of the sum of magnitudes. f32 of f32 and narrower, f64 of wider and of integers, complex of complex ones.
 * FSR_ERR_SHAPE: an array is not of one dimension, or empty. */
fsr_node fsr_fftconvolve_at(fsr_site at, fsr_node a, fsr_node v, fsr_overlap overlap);
#define fsr_fftconvolve(...) fsr_fftconvolve_at(FSR_HERE, __VA_ARGS__)

/* ---- Fourier transforms ------------------------------------------------------------------------------ */

/* NumPy's transforms of whole rows along an axis (zeros behind them are fsr_pad's), the inverse ones divided by n: c64 of f16, bf16, f32
 * and c64, c128 of all else. Library calls: on a CPU by Fusor's own, in time n log n for every n; on a GPU by cuFFT, loaded when first
 * used. FSR_ERR_UNSUPPORTED, when it is computed: there is none. Work on x and on the result fuses around them.
 * FSR_ERR_AXIS. FSR_ERR_SHAPE: there is no element along the axis. */
fsr_node fsr_fft_at(fsr_site at, fsr_node x, int axis);
fsr_node fsr_ifft_at(fsr_site at, fsr_node x, int axis);
#define fsr_fft(...) fsr_fft_at(FSR_HERE, __VA_ARGS__)
#define fsr_ifft(...) fsr_ifft_at(FSR_HERE, __VA_ARGS__)
/* Of real x, n along the axis, the first n / 2 + 1 elements, of which the others are conjugates. FSR_ERR_DTYPE: x is complex. */
fsr_node fsr_rfft_at(fsr_site at, fsr_node x, int axis);
#define fsr_rfft(...) fsr_rfft_at(FSR_HERE, __VA_ARGS__)
/* The real array of n elements along the axis of which x is the rfft: f32 or f64. Imaginary parts where such an array has none are not
 * looked at. FSR_ERR_VALUE: x has not n / 2 + 1 elements there. */
fsr_node fsr_irfft_at(fsr_site at, fsr_node x, int64_t n, int axis);
#define fsr_irfft(...) fsr_irfft_at(FSR_HERE, __VA_ARGS__)
/* fft and ifft along each of several axes (NULL: all). */
fsr_node fsr_fftn_at(fsr_site at, fsr_node x, const int *axes, int naxes);
fsr_node fsr_ifftn_at(fsr_site at, fsr_node x, const int *axes, int naxes);
#define fsr_fftn(...) fsr_fftn_at(FSR_HERE_2OF3(__VA_ARGS__), __VA_ARGS__)
#define fsr_ifftn(...) fsr_ifftn_at(FSR_HERE_2OF3(__VA_ARGS__), __VA_ARGS__)
/* All products of the elements of the flattened a and b, as a matrix. */
fsr_node fsr_outer_at(fsr_site at, fsr_node a, fsr_node b);
#define fsr_outer(...) fsr_outer_at(FSR_HERE, __VA_ARGS__)
/* Blocks of b, each times an element of a. FSR_ERR_UNSUPPORTED: more than 4 dimensions. */
fsr_node fsr_kron_at(fsr_site at, fsr_node a, fsr_node b);
#define fsr_kron(...) fsr_kron_at(FSR_HERE, __VA_ARGS__)
/* The vector product along an axis, of both and of the result, that has 3 elements (else FSR_ERR_SHAPE). */
fsr_node fsr_cross_at(fsr_site at, fsr_node a, fsr_node b, int axis);
#define fsr_cross(...) fsr_cross_at(FSR_HERE, __VA_ARGS__)
/* The sum of conj(a) b along an axis of both, in the dtype of the product. FSR_ERR_SHAPE: their extents differ. */
fsr_node fsr_vecdot_at(fsr_site at, fsr_node a, fsr_node b, int axis);
#define fsr_vecdot(...) fsr_vecdot_at(FSR_HERE, __VA_ARGS__)
/* The matrix product, NumPy's a @ b: of a's last axis with b's last but one, or only one; axes before these broadcast, an array of
 * one dimension is a row as a and a column as b, which the result does not have. In the dtype that a and b promote to: integers wrap,
 * bools are any of ands, f16 and bf16 are summed in f32.
 * Products of floats and complex numbers that are large enough (sides of 4 and more, 16 summed elements, 8192 products) are a
 * library's where there is one, cuBLAS, OpenBLAS: then transposed views, slices of columns or rows, and batches are not copied. Else they are
 * loops as any other, and fuse. The order of the additions is the library's, the same in every run on one machine.
 * FSR_ERR_SHAPE: the extents do not fit, or an operand has no dimension. FSR_ERR_UNSUPPORTED: more than 8 dimensions together with the
 * summed one (so for the other two). */
fsr_node fsr_matmul_at(fsr_site at, fsr_node a, fsr_node b);
#define fsr_matmul(...) fsr_matmul_at(FSR_HERE, __VA_ARGS__)
/* The sum over n pairs of axes, axes_a[i] of a with axes_b[i] of b; the result has a's other axes, then b's. FSR_ERR_AXIS: an axis is not
 * there, or comes twice, or n is negative or too many. FSR_ERR_SHAPE: extents differ, or the result has more than 8 dimensions.
 * FSR_ERR_NULL: axes are null and n is not 0. */
fsr_node fsr_tensordot_at(fsr_site at, fsr_node a, fsr_node b, const int *axes_a, const int *axes_b, int n);
#define fsr_tensordot(...) fsr_tensordot_at(FSR_HERE, __VA_ARGS__)
/* NumPy's einsum of n arrays, 1 to 16: "ij,jk->ik" and the like. Letters name axes; what the result, behind "->", does not name is summed;
 * without "->" the result has what comes once, in order; "..." stands for the axes before or between that broadcast, and stands in the
 * result as well if there are any; a letter twice in an array is its diagonal. Two by two from the left, each as fsr_matmul where it is
 * one. FSR_ERR_VALUE: the subscripts cannot be read, or are of another number of arrays. FSR_ERR_SHAPE: they do not fit the arrays. FSR_ERR_UNSUPPORTED: a product of two of
 * them has more than 8 dimensions. FSR_ERR_NULL: subscripts is null. With no graph to record in (x is null or n < 1) the null node. */
fsr_node fsr_einsum_at(fsr_site at, const char *subscripts, const fsr_node *x, int n);
#define fsr_einsum(...) fsr_einsum_at(FSR_HERE, __VA_ARGS__)
/* The powers n - 1 to 0 of each element of the vector x, or with increasing 0 to n - 1, as a row each; integers of less than
 * 64 bits give i64. FSR_ERR_SHAPE: x is no vector. FSR_ERR_VALUE: n is negative. */
fsr_node fsr_vander_at(fsr_site at, fsr_node x, int64_t n, bool increasing);
#define fsr_vander(...) fsr_vander_at(FSR_HERE, __VA_ARGS__)
/* x where column - row >= k, else 0: over the last two axes. A vector of n is broadcast to n rows first.
 * FSR_ERR_SHAPE: x is 0-d. */
fsr_node fsr_triu_at(fsr_site at, fsr_node x, int64_t k);
#define fsr_triu(...) fsr_triu_at(FSR_HERE, __VA_ARGS__)
/* x where column - row <= k, else 0; as fsr_triu. */
fsr_node fsr_tril_at(fsr_site at, fsr_node x, int64_t k);
#define fsr_tril(...) fsr_tril_at(FSR_HERE, __VA_ARGS__)

/* ---- elements by computed indices ------------------------------------------------------------------ */

/* What becomes of an index outside of an axis of n elements. RAISE: from -n on it counts from the end; any other is
 * reported: the next fsr_read of the graph, fsr_plan_run of the plan with results on the host, or fsr_sync is FSR_ERR_INDEX
 * with the index, the axis, its extent and the recording line; of several the greatest as an unsigned number. Other
 * graphs' readers are not told (docs/contracts.md). Results then have the element at the nearest end there; no other memory is read. FUSOR_BACKEND=reference tells it when it computes.
 * CLIP: the nearest end, 0 for negative ones. WRAP: the remainder by n. DROP: what goes to such a place is not stored;
 * where elements are read it is FSR_ERR_VALUE. */
typedef enum fsr_bound { FSR_BOUND_RAISE, FSR_BOUND_CLIP, FSR_BOUND_WRAP, FSR_BOUND_DROP } fsr_bound;

/* The elements of x at `indices` along an axis, as NumPy's take: shape x.shape[:axis] + indices.shape +
 * x.shape[axis + 1:]. Indices are of an integer dtype, else FSR_ERR_DTYPE. FSR_ERR_INDEX: the axis has no elements, and
 * some are asked for. Only what is read is computed: an index that no result needs is not looked at. */
fsr_node fsr_take_at(fsr_site at, fsr_node x, fsr_node indices, int axis, fsr_bound bound);
#define fsr_take(...) fsr_take_at(FSR_HERE, __VA_ARGS__)
/* result[i, j, k] = x[i, indices[i, j, k], k] for axis 1, and so on. indices has as many dimensions as x; apart from the
 * axis they broadcast together, else FSR_ERR_SHAPE. */
fsr_node fsr_take_along_axis_at(fsr_site at, fsr_node x, fsr_node indices, int axis, fsr_bound bound);
#define fsr_take_along_axis(...) fsr_take_along_axis_at(FSR_HERE, __VA_ARGS__)
/* x[a0, a1, ...]: n arrays of indices, which broadcast together, along the first n axes; the other axes follow. */
fsr_node fsr_index_at(fsr_site at, fsr_node x, const fsr_node *arrays, int n, fsr_bound bound);
#define fsr_index(...) fsr_index_at(FSR_HERE, __VA_ARGS__)
/* The part of x of sizes[j] elements along axis j that begins at starts[j], 0-d integers: parameters, or computed on the
 * device; another start neither plans nor compiles anew. A start is moved so that the part lies inside of x, to
 * [0, x.shape[j] - sizes[j]], as XLA does; negative ones do not count from the end. FSR_ERR_VALUE: sizes[j] is negative
 * or larger than the axis. starts and sizes have an entry for each axis of x. */
fsr_node fsr_dynamic_slice_at(fsr_site at, fsr_node x, const fsr_node *starts, const int64_t *sizes);
/* x with y, of x's dimensions and no larger, in it from starts[j] on along axis j, as fsr_dynamic_slice has starts: y lies
 * inside of x, at the nearest place. y is converted to x's dtype. As XLA's dynamic update slice; x stays as it is. */
fsr_node fsr_dynamic_update_at(fsr_site at, fsr_node x, fsr_node y, const fsr_node *starts);
#define fsr_dynamic_update(...) fsr_dynamic_update_at(FSR_HERE, __VA_ARGS__)
#define fsr_dynamic_slice(...) fsr_dynamic_slice_at(FSR_HERE, __VA_ARGS__)

enum { FSR_UNIQUE = 8, FSR_UNORDERED = 32 };

/* x with x[a0, a1, ...] = values, as a value: x stays as it is. Arrays of indices and bound as fsr_index has them, or
 * FSR_BOUND_DROP: what goes outside is not stored, and what is reported is not either. values are converted to x's dtype and
 * broadcast to x[a0, a1, ...]'s shape, else FSR_ERR_SHAPE. Where several lead to one element, the last one in C order wins.
 * flags: 0, or FSR_UNIQUE, the promise that no two indices, as the bound brings them inside, lead to one element, which saves
 * a pass (else which of its values it has is not known, and differs from run to run; nothing else changes).
 * FSR_ERR_INDEX: an axis has no elements, and something goes there. */
fsr_node fsr_scatter_at(fsr_site at, fsr_node x, const fsr_node *arrays, int n, fsr_node values, fsr_bound bound,
                        int flags);
#define fsr_scatter(...) fsr_scatter_at(FSR_HERE, __VA_ARGS__)
/* The same where fsr_take_along_axis takes from: result[i, indices[i, j, k], k] = values[i, j, k] for axis 1, and so on. Apart from the
 * axis indices broadcast to x's shape. */
fsr_node fsr_put_along_axis_at(fsr_site at, fsr_node x, fsr_node indices, fsr_node values, int axis, fsr_bound bound,
                               int flags);
#define fsr_put_along_axis(...) fsr_put_along_axis_at(FSR_HERE, __VA_ARGS__)

/* x with what is at x[a0, a1, ...] and every value that goes there combined, as NumPy's add.at(x, (a0, a1, ...), values) and
 * so on: an element with several indices gets all of their values. Arrays of indices, values, bound and errors as
 * fsr_scatter has them. The result has the same bits in every run and whatever the order of the values, but sums of
 * FSR_UNORDERED. Integers wrap; bools: add and max are or, mul and min are and. NaN stays NaN; of zeros the greatest, or
 * least, that several values give is without sign. Sums of floats (f16 and bf16 in f32, rounded once) are computed in integers:
 * of n values in all each is rounded to 2^(log2 n - 62) of the greatest magnitude that goes to its element, of f64 to the square of
 * that, and the sum is rounded at the end. flags: 0, or FSR_UNORDERED: floats are added as threads come, in a third of the
 * time or less, and the last bits may differ from run to run. FSR_ERR_UNSUPPORTED: a product of floats without it.
 * FSR_ERR_DTYPE: and, or, xor of floats; of complex numbers all but sums. */
fsr_node fsr_scatter_add_at(fsr_site at, fsr_node x, const fsr_node *arrays, int n, fsr_node values, fsr_bound bound,
                            int flags);
fsr_node fsr_scatter_mul_at(fsr_site at, fsr_node x, const fsr_node *arrays, int n, fsr_node values, fsr_bound bound,
                            int flags);
fsr_node fsr_scatter_max_at(fsr_site at, fsr_node x, const fsr_node *arrays, int n, fsr_node values, fsr_bound bound,
                            int flags);
fsr_node fsr_scatter_min_at(fsr_site at, fsr_node x, const fsr_node *arrays, int n, fsr_node values, fsr_bound bound,
                            int flags);
fsr_node fsr_scatter_and_at(fsr_site at, fsr_node x, const fsr_node *arrays, int n, fsr_node values, fsr_bound bound,
                            int flags);
fsr_node fsr_scatter_or_at(fsr_site at, fsr_node x, const fsr_node *arrays, int n, fsr_node values, fsr_bound bound,
                           int flags);
fsr_node fsr_scatter_xor_at(fsr_site at, fsr_node x, const fsr_node *arrays, int n, fsr_node values, fsr_bound bound,
                            int flags);
#define fsr_scatter_add(...) fsr_scatter_add_at(FSR_HERE, __VA_ARGS__)
#define fsr_scatter_mul(...) fsr_scatter_mul_at(FSR_HERE, __VA_ARGS__)
#define fsr_scatter_max(...) fsr_scatter_max_at(FSR_HERE, __VA_ARGS__)
#define fsr_scatter_min(...) fsr_scatter_min_at(FSR_HERE, __VA_ARGS__)
#define fsr_scatter_and(...) fsr_scatter_and_at(FSR_HERE, __VA_ARGS__)
#define fsr_scatter_or(...) fsr_scatter_or_at(FSR_HERE, __VA_ARGS__)
#define fsr_scatter_xor(...) fsr_scatter_xor_at(FSR_HERE, __VA_ARGS__)

/* x with the elements that `indices` number, in C order over all of x, replaced by values in order, which begin again where
 * there are fewer (NumPy's put, as a value); of no values x. Bound and flags as fsr_scatter has them. */
fsr_node fsr_put_at(fsr_site at, fsr_node x, fsr_node indices, fsr_node values, fsr_bound bound, int flags);
#define fsr_put(...) fsr_put_at(FSR_HERE, __VA_ARGS__)

/* How often each of 0 to length - 1 is in x, of integers and one dimension: i64[length]; or, with weights of x's shape (a
 * zeroed node: none), the sum of each one's weights, f64, as fsr_scatter_add adds. What else is in x is told, clipped or dropped
 * as bound says; a negative number is outside, and told less `length`. FSR_ERR_VALUE: length is below 1. FSR_ERR_DTYPE,
 * FSR_ERR_SHAPE. */
fsr_node fsr_bincount_at(fsr_site at, fsr_node x, fsr_node weights, int64_t length, fsr_bound bound);
#define fsr_bincount(...) fsr_bincount_at(FSR_HERE, __VA_ARGS__)
/* How many elements of x, of real numbers and any shape, are in each of `bins` even bins of [low, high]: i64[bins]; or, with
 * weights, the sum of their weights, of these' dtype. A bin has its lower edge and not its upper one, but the last bin both;
 * edges are NumPy's: linspace, in x's dtype if that is a float, else in f64. What is outside, and NaN, is not counted. FSR_ERR_VALUE: no bins, or a
 * range that is none; of low = high the range is one wide around it. */
fsr_node fsr_histogram_at(fsr_site at, fsr_node x, fsr_node weights, int64_t bins, double low, double high);
#define fsr_histogram(...) fsr_histogram_at(FSR_HERE, __VA_ARGS__)
/* The same of bins between edges, a one-dimensional array of two or more, which do not fall; that is not
 * looked at. */
fsr_node fsr_histogram_edges_at(fsr_site at, fsr_node x, fsr_node weights, fsr_node edges);
#define fsr_histogram_edges(...) fsr_histogram_edges_at(FSR_HERE, __VA_ARGS__)
/* How many pairs of x and y, of one shape, are in each of bins[0] times bins[1] bins, of x in [range[0], range[1]] and of y in
 * [range[2], range[3]], each as fsr_histogram has them: i64[bins[0], bins[1]], or the sums of weights. FSR_ERR_NULL. */
fsr_node fsr_histogram2d_at(fsr_site at, fsr_node x, fsr_node y, fsr_node weights, const int64_t *bins,
                            const double *range);
#define fsr_histogram2d(...) fsr_histogram2d_at(FSR_HERE, __VA_ARGS__)

/* ---- reductions ------------------------------------------------------------------------------ */

enum { FSR_KEEPDIMS = 1 };

/* axes NULL (naxes ignored): every axis. A literal 0 in its place does not compile (fusor/axes.h). flags: 0 or
 * FSR_KEEPDIMS. Float association is a tree fixed by sizes and
 * schedule.
 *
 *   function                   result's dtype                                of nothing
 *   sum, prod                  i64 for integers and bool, else x's         0, 1
 *   min, max, ptp              x's                                           FSR_ERR_EMPTY
 *   mean, var, std             x's if floating, else f64                     NaN
 *   any, all                   bool                                          false, true
 *   argmax, argmin             i64                                           FSR_ERR_EMPTY
 *   count_nonzero              i64                                           0
 *   norm                       as mean                                       0; FSR_ERR_EMPTY for infinite orders
 *   logsumexp                  as mean                                       -inf
 *   nansum, nanmin, ...        as without nan
 *
 * NaN propagates through min, max, argmax and argmin (the first NaN wins). var divides by count - ddof; up to 8192
 * elements that include the last axis it is two passes over a row that stays on chip, as NumPy computes it, else one
 * pass (pairwise update of count, mean and squared deviations: Chan, Golub and LeVeque 1979). std is its root.
 * argmax and argmin take one axis (FSR_ERR_AXIS: several), or NULL for the flat index. ptp is the maximum less the minimum; FSR_ERR_DTYPE for
 * bool. norm is NumPy's linalg.vector_norm of order ord: 2, 1, INFINITY (the largest |x|), -INFINITY (the smallest),
 * 0 (how many are not 0), or any other power; FSR_ERR_VALUE if ord is NaN. logsumexp is log(sum(exp(x))) without
 * overflow. What compares complex numbers, logsumexp too, is FSR_ERR_DTYPE.
 * average is sum(x * weights) / sum(weights); the weights broadcast to x, else FSR_ERR_SHAPE. Its dtype is that of mean,
 * promoted with the weights'.
 * nan...: as if NaN were not there. Of nothing but NaN: nansum 0, nanprod 1, nanargmin and nanargmax -1, the others
 * NaN. */
fsr_node fsr_sum_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags);
fsr_node fsr_prod_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags);
fsr_node fsr_min_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags);
fsr_node fsr_max_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags);
fsr_node fsr_mean_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags);
fsr_node fsr_var_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags, double ddof);
fsr_node fsr_any_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags);
fsr_node fsr_all_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags);
fsr_node fsr_argmax_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags);
fsr_node fsr_argmin_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags);
fsr_node fsr_std_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags, double ddof);
fsr_node fsr_ptp_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags);
fsr_node fsr_count_nonzero_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags);
fsr_node fsr_norm_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags, double ord);
fsr_node fsr_logsumexp_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags);
fsr_node fsr_average_at(fsr_site at, fsr_node x, fsr_node weights, const int *axes, int naxes, int flags);
fsr_node fsr_nansum_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags);
fsr_node fsr_nanprod_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags);
fsr_node fsr_nanmin_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags);
fsr_node fsr_nanmax_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags);
fsr_node fsr_nanmean_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags);
fsr_node fsr_nanvar_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags, double ddof);
fsr_node fsr_nanstd_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags, double ddof);
fsr_node fsr_nanargmin_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags);
fsr_node fsr_nanargmax_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags);
#define fsr_sum(...) fsr_sum_at(FSR_HERE_2OF4(__VA_ARGS__), __VA_ARGS__)
#define fsr_prod(...) fsr_prod_at(FSR_HERE_2OF4(__VA_ARGS__), __VA_ARGS__)
#define fsr_min(...) fsr_min_at(FSR_HERE_2OF4(__VA_ARGS__), __VA_ARGS__)
#define fsr_max(...) fsr_max_at(FSR_HERE_2OF4(__VA_ARGS__), __VA_ARGS__)
#define fsr_mean(...) fsr_mean_at(FSR_HERE_2OF4(__VA_ARGS__), __VA_ARGS__)
#define fsr_var(...) fsr_var_at(FSR_HERE_2OF5(__VA_ARGS__), __VA_ARGS__)
#define fsr_any(...) fsr_any_at(FSR_HERE_2OF4(__VA_ARGS__), __VA_ARGS__)
#define fsr_all(...) fsr_all_at(FSR_HERE_2OF4(__VA_ARGS__), __VA_ARGS__)
#define fsr_argmax(...) fsr_argmax_at(FSR_HERE_2OF4(__VA_ARGS__), __VA_ARGS__)
#define fsr_argmin(...) fsr_argmin_at(FSR_HERE_2OF4(__VA_ARGS__), __VA_ARGS__)
#define fsr_std(...) fsr_std_at(FSR_HERE_2OF5(__VA_ARGS__), __VA_ARGS__)
#define fsr_ptp(...) fsr_ptp_at(FSR_HERE_2OF4(__VA_ARGS__), __VA_ARGS__)
#define fsr_count_nonzero(...) fsr_count_nonzero_at(FSR_HERE_2OF4(__VA_ARGS__), __VA_ARGS__)
#define fsr_norm(...) fsr_norm_at(FSR_HERE_2OF5(__VA_ARGS__), __VA_ARGS__)
#define fsr_logsumexp(...) fsr_logsumexp_at(FSR_HERE_2OF4(__VA_ARGS__), __VA_ARGS__)
#define fsr_average(...) fsr_average_at(FSR_HERE_3OF5(__VA_ARGS__), __VA_ARGS__)
#define fsr_nansum(...) fsr_nansum_at(FSR_HERE_2OF4(__VA_ARGS__), __VA_ARGS__)
#define fsr_nanprod(...) fsr_nanprod_at(FSR_HERE_2OF4(__VA_ARGS__), __VA_ARGS__)
#define fsr_nanmin(...) fsr_nanmin_at(FSR_HERE_2OF4(__VA_ARGS__), __VA_ARGS__)
#define fsr_nanmax(...) fsr_nanmax_at(FSR_HERE_2OF4(__VA_ARGS__), __VA_ARGS__)
#define fsr_nanmean(...) fsr_nanmean_at(FSR_HERE_2OF4(__VA_ARGS__), __VA_ARGS__)
#define fsr_nanvar(...) fsr_nanvar_at(FSR_HERE_2OF5(__VA_ARGS__), __VA_ARGS__)
#define fsr_nanstd(...) fsr_nanstd_at(FSR_HERE_2OF5(__VA_ARGS__), __VA_ARGS__)
#define fsr_nanargmin(...) fsr_nanargmin_at(FSR_HERE_2OF4(__VA_ARGS__), __VA_ARGS__)
#define fsr_nanargmax(...) fsr_nanargmax_at(FSR_HERE_2OF4(__VA_ARGS__), __VA_ARGS__)

/* The same with the elements converted to dtype first and added up in it, NumPy's dtype=: what is added up in u8 wraps; f16 and
 * bf16 in f32, rounded at the end. mean_as divides; of a dtype that is no float the quotient is truncated.
 * FSR_ERR_DTYPE: it is none. */
fsr_node fsr_sum_as_at(fsr_site at, fsr_node x, fsr_dtype dtype, const int *axes, int naxes, int flags);
fsr_node fsr_prod_as_at(fsr_site at, fsr_node x, fsr_dtype dtype, const int *axes, int naxes, int flags);
fsr_node fsr_mean_as_at(fsr_site at, fsr_node x, fsr_dtype dtype, const int *axes, int naxes, int flags);
#define fsr_sum_as(...) fsr_sum_as_at(FSR_HERE_3OF5(__VA_ARGS__), __VA_ARGS__)
#define fsr_prod_as(...) fsr_prod_as_at(FSR_HERE_3OF5(__VA_ARGS__), __VA_ARGS__)
#define fsr_mean_as(...) fsr_mean_as_at(FSR_HERE_3OF5(__VA_ARGS__), __VA_ARGS__)

/* ---- scans ----------------------------------------------------------------------------------- */

enum { FSR_EXCLUSIVE = 2, FSR_REVERSE = 4 };

/* Running folds along one axis (FSR_ERR_AXIS: naxes is not 1); axes NULL, naxes ignored: along the flattened array, and
 * the result is 1-d. Else its shape is x's. Dtypes as fsr_sum, fsr_prod, fsr_min, fsr_max, fsr_any and
 * fsr_all.
 * FSR_EXCLUSIVE: element i holds the fold of the elements before it; element 0 the identity (for the
 * maximum -inf or the least integer, for the minimum +inf or the greatest).
 * FSR_REVERSE: from the end: element i holds the fold of i and what follows it, with FSR_EXCLUSIVE of what follows it
 * alone. The same as fsr_flip, the scan, fsr_flip. */
fsr_node fsr_cumsum_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags);
fsr_node fsr_cumprod_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags);
fsr_node fsr_cummax_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags);
fsr_node fsr_cummin_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags);
fsr_node fsr_cumany_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags);
fsr_node fsr_cumall_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags);
#define fsr_cumsum(...) fsr_cumsum_at(FSR_HERE_2OF4(__VA_ARGS__), __VA_ARGS__)
#define fsr_cumprod(...) fsr_cumprod_at(FSR_HERE_2OF4(__VA_ARGS__), __VA_ARGS__)
#define fsr_cummax(...) fsr_cummax_at(FSR_HERE_2OF4(__VA_ARGS__), __VA_ARGS__)
#define fsr_cummin(...) fsr_cummin_at(FSR_HERE_2OF4(__VA_ARGS__), __VA_ARGS__)
#define fsr_cumany(...) fsr_cumany_at(FSR_HERE_2OF4(__VA_ARGS__), __VA_ARGS__)
#define fsr_cumall(...) fsr_cumall_at(FSR_HERE_2OF4(__VA_ARGS__), __VA_ARGS__)

/* Running sums and products in a dtype, as fsr_sum_as and fsr_prod_as. */
fsr_node fsr_cumsum_as_at(fsr_site at, fsr_node x, fsr_dtype dtype, const int *axes, int naxes, int flags);
fsr_node fsr_cumprod_as_at(fsr_site at, fsr_node x, fsr_dtype dtype, const int *axes, int naxes, int flags);
#define fsr_cumsum_as(...) fsr_cumsum_as_at(FSR_HERE_3OF5(__VA_ARGS__), __VA_ARGS__)
#define fsr_cumprod_as(...) fsr_cumprod_as_at(FSR_HERE_3OF5(__VA_ARGS__), __VA_ARGS__)

/* ---- order ------------------------------------------------------------------------------------- */

enum { FSR_DESCENDING = 8 };

/* The elements along one axis in order (FSR_ERR_AXIS: naxes is not 1), of x's shape and dtype; axes NULL, naxes ignored: of the
 * flattened array, 1-d. As NumPy's sort with kind="stable": what is equal stays in order, -0 equals 0, NaN is last (each
 * comes out as one same NaN). FSR_DESCENDING: from the greatest, equal ones still in order, NaN still last.
 * fsr_argsort: i64, the index along the axis that each of them had.
 * What computes x fuses into the kernel that writes what is sorted, what follows reads the result; the sort itself is a step
 * of its own. FSR_ERR_DTYPE: x is complex. On a GPU FSR_ERR_UNSUPPORTED, when it is computed: the library was built
 * without nvcc, or there are 2^32 elements or more, but of one row of 32 or 64 bits. */
fsr_node fsr_sort_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags);
fsr_node fsr_argsort_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags);
#define fsr_sort(...) fsr_sort_at(FSR_HERE_2OF4(__VA_ARGS__), __VA_ARGS__)
#define fsr_argsort(...) fsr_argsort_at(FSR_HERE_2OF4(__VA_ARGS__), __VA_ARGS__)
/* The first k of fsr_sort's and of fsr_argsort's results with the same axes and flags, without sorting the others: the k least in
 * ascending order, with FSR_DESCENDING the k greatest in descending order; of equal elements those of lower indices come first, NaN
 * is last in either direction, so it is among the first k only where there are less than k others. The axis has extent k, which is
 * part of the plan's identity; axes NULL: of the flattened array, k in all. FSR_ERR_VALUE: k is negative, or more than there are
 * elements. The elements are read once where k is small, whatever they are; what computes x is stored first. Both, asked for
 * together, are one step. FSR_ERR_UNSUPPORTED as fsr_sort. */
fsr_node fsr_topk_at(fsr_site at, fsr_node x, int64_t k, const int *axes, int naxes, int flags);
fsr_node fsr_argtopk_at(fsr_site at, fsr_node x, int64_t k, const int *axes, int naxes, int flags);
#define fsr_topk(...) fsr_topk_at(FSR_HERE_3OF5(__VA_ARGS__), __VA_ARGS__)
#define fsr_argtopk(...) fsr_argtopk_at(FSR_HERE_3OF5(__VA_ARGS__), __VA_ARGS__)

/* The element of rank k, from 0, among the elements along the axes (a list, NULL: all) in ascending order, NaN last, -0 before 0;
 * a negative k counts from the end. Without the axes, or with FSR_KEEPDIMS with extent 1 there. Of x's dtype. What NumPy's partition
 * has at place k. FSR_ERR_VALUE: there is no such rank; FSR_ERR_EMPTY: no element; FSR_ERR_DTYPE: x is complex. As those that
 * follow, by selection: the elements are read a few times, and nothing is sorted. */
fsr_node fsr_kth_at(fsr_site at, fsr_node x, int64_t k, const int *axes, int naxes, int flags);
#define fsr_kth(...) fsr_kth_at(FSR_HERE_3OF5(__VA_ARGS__), __VA_ARGS__)
/* The median: the middle element in order, or half the sum of the two middle ones, in the dtype that fsr_mean has. NaN where there is
 * one. fsr_nanmedian skips them, and is NaN where there is nothing else. FSR_ERR_EMPTY: no element (NumPy warns, and gives NaN). */
fsr_node fsr_median_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags);
fsr_node fsr_nanmedian_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags);
#define fsr_median(...) fsr_median_at(FSR_HERE_2OF4(__VA_ARGS__), __VA_ARGS__)
#define fsr_nanmedian(...) fsr_nanmedian_at(FSR_HERE_2OF4(__VA_ARGS__), __VA_ARGS__)

/* NumPy's methods: which ranks a quantile lies between, and what is taken of them. */
typedef enum fsr_quantile_method {
    FSR_QUANTILE_LINEAR,
    FSR_QUANTILE_LOWER,
    FSR_QUANTILE_HIGHER,
    FSR_QUANTILE_NEAREST,
    FSR_QUANTILE_MIDPOINT,
    FSR_QUANTILE_INVERTED_CDF,
    FSR_QUANTILE_AVERAGED_INVERTED_CDF,
    FSR_QUANTILE_CLOSEST_OBSERVATION,
    FSR_QUANTILE_INTERPOLATED_INVERTED_CDF,
    FSR_QUANTILE_HAZEN,
    FSR_QUANTILE_WEIBULL,
    FSR_QUANTILE_MEDIAN_UNBIASED,
    FSR_QUANTILE_NORMAL_UNBIASED
} fsr_quantile_method;

/* Quantiles of the elements along the axes (a list, NULL: all), NumPy's in every bit: q from 0 to 1, a number or an array of one
 * dimension, which then comes first in the result's shape. Computed in q's dtype, in f64 if that is no float; a literal q takes x's
 * float. Methods that interpolate give what x and q promote to, the others x's dtype. NaN where there is one; the twins skip
 * them, each row with as many as it has. q may be computed: beside 0 and 1 it is brought between them, where NumPy raises
 * ValueError; another q neither plans nor compiles. fsr_percentile: q from 0 to 100.
 * FSR_ERR_SHAPE: q has two dimensions; FSR_ERR_DTYPE: x is complex, or bool and interpolated; else as fsr_kth. */
fsr_node fsr_quantile_at(fsr_site at, fsr_node x, fsr_node q, fsr_quantile_method method, const int *axes, int naxes,
                         int flags);
fsr_node fsr_percentile_at(fsr_site at, fsr_node x, fsr_node q, fsr_quantile_method method, const int *axes, int naxes,
                           int flags);
fsr_node fsr_nanquantile_at(fsr_site at, fsr_node x, fsr_node q, fsr_quantile_method method, const int *axes, int naxes,
                            int flags);
fsr_node fsr_nanpercentile_at(fsr_site at, fsr_node x, fsr_node q, fsr_quantile_method method, const int *axes,
                              int naxes, int flags);
#define fsr_quantile(...) fsr_quantile_at(FSR_HERE_4OF6(__VA_ARGS__), __VA_ARGS__)
#define fsr_percentile(...) fsr_percentile_at(FSR_HERE_4OF6(__VA_ARGS__), __VA_ARGS__)
#define fsr_nanquantile(...) fsr_nanquantile_at(FSR_HERE_4OF6(__VA_ARGS__), __VA_ARGS__)
#define fsr_nanpercentile(...) fsr_nanpercentile_at(FSR_HERE_4OF6(__VA_ARGS__), __VA_ARGS__)

/* The values, each where fsr_sort puts its key, of the keys' shape and any dtype; axes and flags as fsr_sort. Stable. Several values
 * with the same keys, asked for together, sort once. FSR_ERR_SHAPE: the values have another shape. */
fsr_node fsr_sort_by_key_at(fsr_site at, fsr_node values, fsr_node keys, const int *axes, int naxes, int flags);
#define fsr_sort_by_key(...) fsr_sort_by_key_at(FSR_HERE_3OF5(__VA_ARGS__), __VA_ARGS__)
/* The places in the order of several keys of one shape, the last of which comes first, as NumPy's lexsort: i64. Axes as fsr_argsort.
 * The null node: there are no keys. FSR_ERR_SHAPE: one has another shape. */
fsr_node fsr_lexsort_at(fsr_site at, const fsr_node *keys, int n, const int *axes, int naxes);
#define fsr_lexsort(...) fsr_lexsort_at(FSR_HERE_3OF4(__VA_ARGS__), __VA_ARGS__)
/* The rank of each element in fsr_sort's order, from 0, of x's shape (axes NULL: flat), i64: equal ones have different ranks, in the order
 * in which they stand. The inverse of fsr_argsort. */
fsr_node fsr_rank_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags);
#define fsr_rank(...) fsr_rank_at(FSR_HERE_2OF4(__VA_ARGS__), __VA_ARGS__)
/* NumPy's unique: the different elements of x, of any shape, in ascending order. out[0]: these; out[1], i64: where each of them is first
 * in the flattened x; out[2], i64, of x's shape: for each element of x its number among them; out[3], i64: how many of each there are.
 * out[0], out[1] and out[3] have one length that only the device knows (fsr_compress), with x's size as capacity. Zeros of both signs
 * are equal; NaN equals NaN if equal_nan, else each is one of its own. What is not asked for is not computed: out[0] and out[3]
 * alone sort no places. x may have such a length itself. All four are poisoned on a mistake. FSR_ERR_DTYPE: x is complex. */
void fsr_unique_at(fsr_site at, fsr_node *out, fsr_node x, bool equal_nan);
#define fsr_unique(...) fsr_unique_at(FSR_HERE, __VA_ARGS__)
/* NumPy's isin: for each element of x whether one of the others, of any shape, is equal to it; compared in their common dtype. NaN is
 * none. The others are sorted, and x's elements are searched for in the kernel that computes them. FSR_ERR_DTYPE: complex numbers. */
fsr_node fsr_isin_at(fsr_site at, fsr_node x, fsr_node others);
#define fsr_isin(...) fsr_isin_at(FSR_HERE, __VA_ARGS__)
/* The most frequent element along the axes (a list, NULL: all), of several the least, NaN last and equal to NaN: out[0], of x's dtype; and
 * how often it is there: out[1], i64. The elements are sorted. flags: FSR_KEEPDIMS. Both are poisoned on a mistake. Errors as
 * fsr_median. */
void fsr_mode_at(fsr_site at, fsr_node *out, fsr_node x, const int *axes, int naxes, int flags);
#define fsr_mode(...) fsr_mode_at(FSR_HERE_3OF5(__VA_ARGS__), __VA_ARGS__)

/* ---- searches ----------------------------------------------------------------------------------- */

/* Whether a place is in front of what is equal, or behind it. */
typedef enum fsr_side { FSR_LEFT, FSR_RIGHT } fsr_side;

/* NumPy's searchsorted: for each element of x, of any shape, where it belongs among the keys, one-dimensional and in ascending
 * order, NaN last: i64, 0 to the number of keys. FSR_LEFT: in front of keys that are equal to it, FSR_RIGHT: behind them. Both are
 * compared in their common dtype. That the keys are in order is not looked at: the places lie inside in any case. The search is a loop
 * in the kernel that computes x and goes on with the places; keys that are computed are stored first.
 * FSR_ERR_SHAPE: the keys are no vector. FSR_ERR_DTYPE: complex numbers. FSR_ERR_VALUE: there is no such side. */
fsr_node fsr_searchsorted_at(fsr_site at, fsr_node keys, fsr_node x, fsr_side side);
#define fsr_searchsorted(...) fsr_searchsorted_at(FSR_HERE, __VA_ARGS__)
/* NumPy's digitize: for each element of x the bin i, i64, with bins[i - 1] <= x < bins[i], or with `right` bins[i - 1] < x <= bins[i];
 * 0 and the number of bins where it is outside. Bins may be in descending order: then bins[i - 1] > x >= bins[i], and with
 * `right` bins[i - 1] >= x > bins[i]. Errors as fsr_searchsorted. */
fsr_node fsr_digitize_at(fsr_site at, fsr_node x, fsr_node bins, bool right);
#define fsr_digitize(...) fsr_digitize_at(FSR_HERE, __VA_ARGS__)
/* NumPy's interp: for each element of x the value at it of the line through the points xp[i], fp[i], in f64, or in c128 if fp is
 * complex. xp is in ascending order, which is not looked at. left, right: 0-d, what is below xp[0], above xp[n - 1]; of zeroed nodes the
 * first and the last value. FSR_ERR_SHAPE: xp and fp are no vectors of one length, or left or right is not 0-d. FSR_ERR_EMPTY: there are
 * no points. FSR_ERR_DTYPE: x or xp is complex, or left or right is beside real values. */
fsr_node fsr_interp_at(fsr_site at, fsr_node x, fsr_node xp, fsr_node fp, fsr_node left, fsr_node right);
#define fsr_interp(...) fsr_interp_at(FSR_HERE, __VA_ARGS__)
/* The same of a function with a period: x and xp, in any order, are taken by the remainder. FSR_ERR_VALUE: the period is 0 or no
 * finite number. */
fsr_node fsr_interp_period_at(fsr_site at, fsr_node x, fsr_node xp, fsr_node fp, double period);
#define fsr_interp_period(...) fsr_interp_period_at(FSR_HERE, __VA_ARGS__)

/* ---- filters --------------------------------------------------------------------------------- */

/* NumPy's x[mask], as long as x: the elements where the mask is true, in C order, then the fill value. mask: of x's
 * shape (else FSR_ERR_SHAPE), anything that is not 0 is true; the result is 1-d, of x's dtype and size. fill: 0-d,
 * converted to x's dtype. How many elements were selected is fsr_count_nonzero(mask), computed in the same kernel if
 * it is asked for together. What else is done to x before and to the result after, element by element, and reductions
 * of the result, belong to that kernel too; several arrays filtered by one mask are one kernel. */
fsr_node fsr_filter_at(fsr_site at, fsr_node x, fsr_node mask, fsr_node fill);
#define fsr_filter(...) fsr_filter_at(FSR_HERE, __VA_ARGS__)

/* ---- values with a length that only the device knows ---------------------------------------------- */

/* NumPy's x[mask] has as many elements as the mask holds for: that is known when the program has run. Such a value has
 * one dimension, whose extent (fsr_node_dim) is a capacity: memory for the most elements there can be. Its first elements
 * are there, as many as a count on the device says, which is the value's length; behind them there is anything.
 *
 * What is computed of it sees what is there, without a trip to the host: elementwise functions, casts, reductions, scans,
 * fsr_slice, fsr_flip and fsr_diff, where bounds are clipped to the length and negative ones count from its end; fsr_take
 * and fsr_index of it, whose indices it bounds, and at it; fsr_scatter and its kin of it, to indices of its length; fsr_sort,
 * fsr_argsort, fsr_topk, fsr_argtopk (as many of the first k as there are), fsr_sort_by_key, fsr_lexsort, fsr_rank, fsr_unique and
 * fsr_isin; fsr_concat; fsr_bincount and fsr_histogram; what is asked of segments of it. Other functions are FSR_ERR_UNSUPPORTED: fsr_filled gives them an array. Two such values meet only if their length is the
 * same one: of one mask, of one value, of slices that shorten both alike; else FSR_ERR_SHAPE, with the lines where both
 * were counted. With others only single elements meet; no length broadcasts as 1, whatever the count. A reduction that
 * needs an element is FSR_ERR_EMPTY where an index outside is told (fsr_bound). Computing a value computes its count.
 *
 * x[mask]: the elements for which the mask, of x's shape (else FSR_ERR_SHAPE), is not 0, in C order, with x's size as
 * capacity. NumPy's compress. One kernel with what is done before and after, which writes what is selected and no more. */
fsr_node fsr_compress_at(fsr_site at, fsr_node mask, fsr_node x);
#define fsr_compress(...) fsr_compress_at(FSR_HERE, __VA_ARGS__)
/* The indices, i64, of the elements of the flattened x that are not 0. NumPy's flatnonzero. */
fsr_node fsr_flatnonzero_at(fsr_site at, fsr_node x);
#define fsr_flatnonzero(...) fsr_flatnonzero_at(FSR_HERE, __VA_ARGS__)
/* out[0]: what the mask selects of x, as fsr_compress gives it; out[1]: the others, in order. Both are poisoned on a mistake. */
void fsr_partition_by_at(fsr_site at, fsr_node *out, fsr_node mask, fsr_node x);
#define fsr_partition_by(...) fsr_partition_by_at(FSR_HERE, __VA_ARGS__)
/* The runs of equal neighbours in the vector x: out[0] the element of each, out[1], i64, how many there are of it. One length for
 * both, with x's extent as capacity. NaN equals nothing. Both are poisoned on a mistake. FSR_ERR_SHAPE. */
void fsr_run_lengths_at(fsr_site at, fsr_node *out, fsr_node x);
#define fsr_run_lengths(...) fsr_run_lengths_at(FSR_HERE, __VA_ARGS__)
/* Element i of the vector x counts[i] times, in order: NumPy's repeat. counts are integers of x's extent, which the device
 * may compute; one below 0 counts as 0. The result has a length, their sum, and room for `capacity` elements: more is told as an
 * index outside is, FSR_ERR_SIZE. FSR_ERR_SHAPE, FSR_ERR_DTYPE; FSR_ERR_VALUE: capacity is negative. */
fsr_node fsr_repeat_counts_at(fsr_site at, fsr_node x, fsr_node counts, int64_t capacity);
#define fsr_repeat_counts(...) fsr_repeat_counts_at(FSR_HERE, __VA_ARGS__)
/* x with x[mask] = y, as a value: x stays as it is. mask: of x's shape, else FSR_ERR_SHAPE. y: one element; or a vector of as
 * many elements as the mask selects, which go there in C order: of the length of fsr_compress of that very mask, else
 * FSR_ERR_SHAPE, or an array, which is looked at when it is computed, and told as an index outside is: FSR_ERR_SHAPE. */
fsr_node fsr_update_mask_at(fsr_site at, fsr_node x, fsr_node mask, fsr_node y);
#define fsr_update_mask(...) fsr_update_mask_at(FSR_HERE, __VA_ARGS__)
/* x, a vector, with a length. of: the count, an integer of no dimensions, computed or a parameter, brought into
 * [0, x's extent]; or a value with a length and x's extent, whose length it then is. FSR_ERR_SHAPE, FSR_ERR_DTYPE. */
fsr_node fsr_live_at(fsr_site at, fsr_node x, fsr_node of);
#define fsr_live(...) fsr_live_at(FSR_HERE, __VA_ARGS__)
/* An array of x's capacity: x's elements, then the fill, 0-d, converted to x's dtype. x itself if it has no such length. */
fsr_node fsr_filled_at(fsr_site at, fsr_node x, fsr_node fill);
#define fsr_filled(...) fsr_filled_at(FSR_HERE, __VA_ARGS__)
/* The count, an i64 of no dimensions, as a value; of an array its first extent. FSR_ERR_SHAPE: x is 0-d. */
fsr_node fsr_live_count_at(fsr_site at, fsr_node x);
#define fsr_live_count(...) fsr_live_count_at(FSR_HERE, __VA_ARGS__)

/* ---- a user's operator over tuples ------------------------------------------------------------ */

/* Records the operator's body: left[0..n) and right[0..n) are 0-d arguments of the state's dtypes;
 * out[0..n) receives the results, built with ordinary builder functions from these arguments, literals, and
 * parameters recorded before the call, which are the same for every element and whose changes never recompile.
 * Called once, during the recording call. */
typedef void (*fsr_operator_fn)(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user);

/* A user's operator on states of arity components. */
typedef struct fsr_operator {
    fsr_operator_fn body;
    void *user;                     /* handed to body */
    int arity;                      /* components of the state, 1..FSR_MAX_TUPLE */
    double identity[FSR_MAX_TUPLE]; /* neutral on both sides; converted to the state's dtypes */
    bool commutative;               /* true allows any order of operands; false keeps left to right */
    /* An identity that no double is, a complex or a great integer: one element of component i's dtype. NULL: identity[i]. */
    const void *exact[FSR_MAX_TUPLE];
} fsr_operator;

/* Reduce or scan n = op->arity arrays of one shape at once; axes as fsr_sum's, or as fsr_cumsum's of a scan; component i has in[i]'s dtype. The operator
 * must be associative. out[0..n) receives the result nodes (all poisoned on a mistake).
 * flags: FSR_KEEPDIMS of a reduction, FSR_EXCLUSIVE and FSR_REVERSE of a scan; with FSR_REVERSE the operator's left
 * operand is what lies nearer to the end.
 * FSR_ERR_DTYPE: the body's result i has another dtype than in[i]. FSR_ERR_VALUE: the body uses something
 * else than its arguments, literals, and parameters (fsr_param) recorded before the call. FSR_ERR_UNSUPPORTED: it is longer
 * than 64 operations, or uses more than 17 - arity parameters. */
void fsr_reduce_with_at(fsr_site at, size_t size, fsr_node *out, const fsr_node *in, const fsr_operator *op,
                        const int *axes, int naxes, int flags);
void fsr_scan_with_at(fsr_site at, size_t size, fsr_node *out, const fsr_node *in, const fsr_operator *op,
                      const int *axes, int naxes, int flags);
#define fsr_reduce_with(...) fsr_reduce_with_at(FSR_HERE_4OF6(__VA_ARGS__), sizeof(fsr_operator), __VA_ARGS__)
#define fsr_scan_with(...) fsr_scan_with_at(FSR_HERE_4OF6(__VA_ARGS__), sizeof(fsr_operator), __VA_ARGS__)

/* ---- segments ----------------------------------------------------------------------------------- */

/* Neighbours along x's first axis, folded segment by segment: segment s of n is elements offsets[s] to offsets[s + 1] - 1. offsets: n + 1
 * integers, one-dimensional, that do not fall; what is outside of x is cut off, and a segment that would end before it begins is
 * empty. Results have shape [n, ...], the rest x's other axes. Lengths of any skew are much alike in time. What computes x belongs to
 * the kernels that read it.
 *
 *   function           result's dtype       of nothing                     as
 *   sum, prod          as fsr_sum           0, 1                           NumPy's add.reduceat of segments that are not empty
 *   min, max           x's                  the greatest, the least value
 *   argmin, argmax     i64, places in x     -1
 *   first, last        x's                  0
 *
 * The association of floats follows from the offsets and from sizes: blocks of 32 to 256 elements of the axis, by the segments' average length,
 * each a sum; then running sums of these, of f32 in f64; then what is left at both ends of the segment. The same bits in every run. FSR_ERR_SHAPE: x has no axis,
 * or offsets no element. FSR_ERR_DTYPE: offsets are no integers; or the operation is not defined for x. Not inside of fsr_vectorize
 * where each row has its own x (FSR_ERR_UNSUPPORTED). */
fsr_node fsr_segment_sum_at(fsr_site at, fsr_node x, fsr_node offsets);
fsr_node fsr_segment_prod_at(fsr_site at, fsr_node x, fsr_node offsets);
fsr_node fsr_segment_min_at(fsr_site at, fsr_node x, fsr_node offsets);
fsr_node fsr_segment_max_at(fsr_site at, fsr_node x, fsr_node offsets);
fsr_node fsr_segment_argmin_at(fsr_site at, fsr_node x, fsr_node offsets);
fsr_node fsr_segment_argmax_at(fsr_site at, fsr_node x, fsr_node offsets);
fsr_node fsr_segment_first_at(fsr_site at, fsr_node x, fsr_node offsets);
fsr_node fsr_segment_last_at(fsr_site at, fsr_node x, fsr_node offsets);
#define fsr_segment_sum(...) fsr_segment_sum_at(FSR_HERE, __VA_ARGS__)
#define fsr_segment_prod(...) fsr_segment_prod_at(FSR_HERE, __VA_ARGS__)
#define fsr_segment_min(...) fsr_segment_min_at(FSR_HERE, __VA_ARGS__)
#define fsr_segment_max(...) fsr_segment_max_at(FSR_HERE, __VA_ARGS__)
#define fsr_segment_argmin(...) fsr_segment_argmin_at(FSR_HERE, __VA_ARGS__)
#define fsr_segment_argmax(...) fsr_segment_argmax_at(FSR_HERE, __VA_ARGS__)
#define fsr_segment_first(...) fsr_segment_first_at(FSR_HERE, __VA_ARGS__)
#define fsr_segment_last(...) fsr_segment_last_at(FSR_HERE, __VA_ARGS__)
/* Each segment sorted by itself, along the first axis: x's shape; what lies in no segment stays where it is. fsr_segment_argsort: where
 * in x each element was, i64. Order, NaN and zeros as fsr_sort; stable. flags: FSR_DESCENDING. Two sorts of all elements, whatever the lengths are.
 * fsr_segment_median: the median of each segment, as fsr_median has it; NaN of an empty one. Errors as fsr_segment_sum; FSR_ERR_DTYPE:
 * x is complex. */
fsr_node fsr_segment_sort_at(fsr_site at, fsr_node x, fsr_node offsets, int flags);
fsr_node fsr_segment_argsort_at(fsr_site at, fsr_node x, fsr_node offsets, int flags);
fsr_node fsr_segment_median_at(fsr_site at, fsr_node x, fsr_node offsets);
#define fsr_segment_sort(...) fsr_segment_sort_at(FSR_HERE, __VA_ARGS__)
#define fsr_segment_argsort(...) fsr_segment_argsort_at(FSR_HERE, __VA_ARGS__)
#define fsr_segment_median(...) fsr_segment_median_at(FSR_HERE, __VA_ARGS__)
/* Running sums that begin again at each segment, as fsr_cumsum along x's first axis; flags as there. Elements before the first segment
 * and behind the last one are summed as segments are. */
fsr_node fsr_segment_cumsum_at(fsr_site at, fsr_node x, fsr_node offsets, int flags);
#define fsr_segment_cumsum(...) fsr_segment_cumsum_at(FSR_HERE, __VA_ARGS__)
/* The same with a caller's operator on states of op->arity components, at most 3 (FSR_ERR_UNSUPPORTED: more); in and out as
 * fsr_reduce_with and fsr_scan_with have them. The body is called several times during the call, and has to record the same each
 * time. */
void fsr_segment_reduce_with_at(fsr_site at, size_t size, fsr_node *out, const fsr_node *in, const fsr_operator *op,
                                fsr_node offsets);
void fsr_segment_scan_with_at(fsr_site at, size_t size, fsr_node *out, const fsr_node *in, const fsr_operator *op,
                              fsr_node offsets, int flags);
#define fsr_segment_reduce_with(...) fsr_segment_reduce_with_at(FSR_HERE, sizeof(fsr_operator), __VA_ARGS__)
#define fsr_segment_scan_with(...) fsr_segment_scan_with_at(FSR_HERE, sizeof(fsr_operator), __VA_ARGS__)
/* Runs of equal neighbours among n keys, one-dimensional, as segments: out[0], i64[n + 1], where each run begins, and n from there
 * on, so that segments behind the last run are empty; out[1], how many runs there are, a 0-d i64. Sorted keys are groups: the sum of
 * each key's values is fsr_segment_sum(values, out[0]), the key fsr_segment_first(keys, out[0]). NaN is a run of its own. */
void fsr_runs_at(fsr_site at, fsr_node *out, fsr_node keys);
#define fsr_runs(...) fsr_runs_at(FSR_HERE, __VA_ARGS__)

/* ---- sparse matrices ---------------------------------------------------------------------------- */

/* A matrix by rows (CSR): of row r elements offsets[r] to offsets[r + 1] - 1 of columns and values, all one-dimensional, offsets and
 * columns integers. Three nodes and a shape, which a program may fill itself; copied by assignment, nothing is owned. Frozen (docs/abi.md).
 * Offsets do not fall, from 0 to the number of values; columns are inside, in any order, and the values of equal ones are added.
 * What breaks that reads no memory outside: what is outside is the nearest that is not. */
typedef struct fsr_csr {
    fsr_node offsets, columns, values;
    int64_t rows, cols;
} fsr_csr;

/* The matrix of elements at coordinates, in any order: row, column, integers, and values, vectors of one length; each row keeps their
 * order, equal coordinates stay two. Rows and columns outside are told (FSR_ERR_INDEX, as FSR_BOUND_RAISE has it); negative columns count from
 * the end. *out receives poisons on a mistake: FSR_ERR_DTYPE, FSR_ERR_SHAPE; FSR_ERR_VALUE: rows or cols is below 1. */
void fsr_csr_from_coo_at(fsr_site at, fsr_csr *out, fsr_node row, fsr_node column, fsr_node values, int64_t rows,
                         int64_t cols);
/* The row of each element, i64. Of all that follow FSR_ERR_NULL: the matrix is null; FSR_ERR_SHAPE, FSR_ERR_DTYPE: it is none, or
 * an operand does not fit it. */
fsr_node fsr_csr_rows_at(fsr_site at, const fsr_csr *a);
/* [rows, cols], of the values' dtype. */
fsr_node fsr_csr_to_dense_at(fsr_site at, const fsr_csr *a);
/* The product with x, [cols] or [cols, k]: [rows] or [rows, k], summed as fsr_segment_sum does. Values and x are of any dtypes, which
 * promote; what computes them, and what is done to the result, element by element, is in the product's kernels. */
fsr_node fsr_csr_dot_at(fsr_site at, const fsr_csr *a, fsr_node x);
/* The transposed matrix' product with x, [rows] or [rows, k]: [cols] or [cols, k], summed as fsr_scatter_add does: the same bits in every
 * run. */
fsr_node fsr_csr_dot_transposed_at(fsr_site at, const fsr_csr *a, fsr_node x);
/* Of x, [rows, k], times y transposed, [cols, k], the elements where the matrix has values, times these: [values]. The product's other
 * elements are not computed. */
fsr_node fsr_csr_sampled_at(fsr_site at, const fsr_csr *a, fsr_node x, fsr_node y);
/* The root of the sum of each row's squared magnitudes, in the dtype of fsr_norm. */
fsr_node fsr_csr_norms_at(fsr_site at, const fsr_csr *a);
#define fsr_csr_from_coo(...) fsr_csr_from_coo_at(FSR_HERE, __VA_ARGS__)
#define fsr_csr_rows(...) fsr_csr_rows_at(FSR_HERE, __VA_ARGS__)
#define fsr_csr_to_dense(...) fsr_csr_to_dense_at(FSR_HERE, __VA_ARGS__)
#define fsr_csr_dot(...) fsr_csr_dot_at(FSR_HERE, __VA_ARGS__)
#define fsr_csr_dot_transposed(...) fsr_csr_dot_transposed_at(FSR_HERE, __VA_ARGS__)
#define fsr_csr_sampled(...) fsr_csr_sampled_at(FSR_HERE, __VA_ARGS__)
#define fsr_csr_norms(...) fsr_csr_norms_at(FSR_HERE, __VA_ARGS__)

/* ---- a loop for each element -------------------------------------------------------------------- */

enum { FSR_MAX_STATE = 7, FSR_MAX_LOOP_OPERANDS = 17 }; /* components of a loop's state; these and its arguments */

/* Records one turn of a loop: out[0..nstate) receives the next state, built with ordinary builder functions from
 * state[0..nstate), arg[0..narg), 0-d arguments of the operands' dtypes, literals, and 0-d nodes recorded before the call:
 * parameters above all. Such a node is one argument more, the same for every element; a parameter's changes never
 * recompile. Called once, during the recording call. A loop's condition is recorded in the same way, once, before the
 * body: out[0] receives what has to be true for another turn, a 0-d bool. */
typedef void (*fsr_loop_fn)(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user);

/* A loop whose state is nstate values and which has narg arguments that do not change. */
typedef struct fsr_loop {
    fsr_loop_fn body;
    fsr_loop_fn condition; /* NULL: always true */
    void *user;            /* handed to both */
    int nstate, narg;
} fsr_loop;

/* For each element by itself: while the condition holds and at most max_n times (0 to 2147483647, part of the plan's
 * identity), the state becomes what the body makes of it: a Mandelbrot set, Newton's method, the time steps of a path.
 * state[0..nstate), the first values, and arg[0..narg) (NULL is allowed if narg is 0) broadcast against each other.
 * out[0..nstate) receives the state at the end, in the dtypes of state[], and out[nstate] how many turns there were,
 * an i32 (all poisoned on a mistake). The loop runs inside the kernel that it is fused into, its state in registers,
 * and never twice; what is computed from its operands and its results element by element, and reductions of these,
 * belong to that kernel too.
 * The callbacks may take elements of arrays from outside, recorded before the call: fsr_take of one of one dimension, or
 * fsr_index with as many indices as it has dimensions, clipped or wrapped: a binary search, a linked list. Such an array is
 * read where it lies, through views; one that is computed is stored first.
 * FSR_ERR_DTYPE: the body's result i has another dtype than state[i], or the condition is not bool. FSR_ERR_VALUE:
 * max_n is out of range, or the callbacks use something else than their arguments, literals, 0-d nodes and elements of
 * arrays. FSR_ERR_SHAPE: the operands do not broadcast. FSR_ERR_UNSUPPORTED: the program is longer than 256 operations;
 * state, arguments, 0-d nodes and arrays from outside are more than FSR_MAX_LOOP_OPERANDS, the arrays more than 8; an
 * index is neither clipped nor wrapped; inside fsr_vectorize, an array that each row has its own of. */
void fsr_iterate_at(fsr_site at, size_t size, fsr_node *out, const fsr_loop *loop, const fsr_node *state,
                    const fsr_node *arg, int64_t max_n);
#define fsr_iterate(...) fsr_iterate_at(FSR_HERE, sizeof(fsr_loop), __VA_ARGS__)

/* ---- loops over arrays ---------------------------------------------------------------------------------- */

enum { FSR_MAX_TURN_RESULTS = 8, FSR_MAX_TURN_ARRAYS = 8 }; /* state and stacked results; arrays with slices */

/* Records one turn of a loop over arrays: out[0..nstate) receives the next state, of the state's dtypes and shapes, built with
 * ordinary builder functions of any kind from state[0..nstate), in[], literals and other nodes of the graph, which are the
 * same in every turn: what is computed of them alone is computed once, before the loop. in[0..narrays) are this turn's slices
 * (of fsr_scan_loop, else there are none), in[narrays] is the number of the turn, from 0, a 0-d i64 that may be a start of
 * fsr_dynamic_slice. Called once, during the recording call; nothing that needs the state can be computed in it. A condition
 * is recorded in the same way, before the body: out[0] receives what has to be true for another turn, a 0-d bool. */
typedef void (*fsr_turn_fn)(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user);

/* The state after a number of turns of the body (JAX's fori_loop): time steps, sweeps, the columns of a factorization. Where the
 * loop is a plan it is compiled once, runs without a trip to the host, and takes the memory of two states and of what one
 * turn needs, however many turns there are. A turn has the bits that the same nodes have when they are computed at
 * once, by fsr_compute of all its results. Loops may stand in loops. turns: a 0-d integer, none if it is negative: a literal, part of the plan; a parameter, whose changes neither plan nor
 * compile; or computed, and then read by the host once, before the first turn. out[0..nstate) receives the state (all
 * poisoned on a mistake).
 * FSR_ERR_DTYPE, FSR_ERR_SHAPE: result i of the body, whose line is told, is not as state i; turns is no 0-d integer.
 * FSR_ERR_VALUE: nstate is not 1 to FSR_MAX_TURN_RESULTS. FSR_ERR_UNSUPPORTED: state and what the body takes from outside are
 * more than 17 arrays and parameters; inside of fsr_vectorize. */
void fsr_fori_loop_at(fsr_site at, fsr_node *out, const fsr_node *state, int nstate, fsr_node turns, fsr_turn_fn body,
                      void *user);
#define fsr_fori_loop(...) fsr_fori_loop_at(FSR_HERE, __VA_ARGS__)
/* The state after the first turn that leaves it such that the condition does not hold, itself if it does not hold at first, and
 * after most_turns turns in any case (JAX's while_loop): Jacobi's iteration until it converges. Errors as above, and FSR_ERR_VALUE:
 * most_turns is negative. On a CPU the condition is looked at after every turn. On a GPU turns are started in batches
 * of up to 16, and what is started after the end leaves the state as it is; of a body with indices that may be outside
 * (FSR_BOUND_RAISE) one by one. */
void fsr_while_loop_at(fsr_site at, fsr_node *out, const fsr_node *state, int nstate, int64_t most_turns,
                       fsr_turn_fn condition, fsr_turn_fn body, void *user);
#define fsr_while_loop(...) fsr_while_loop_at(FSR_HERE, __VA_ARGS__)
/* A sequential scan whose step sees whole slices and a tuple of carries (JAX's scan): Kalman filters, tridiagonal systems, dynamic
 * programming by rows. One turn for each slice of arrays[0..narrays), which have as many along `axis`, from the first to the last,
 * with FSR_REVERSE in flags from the last to the first. The body gives the next state and nstacked arrays of any shape, this turn's
 * slices of results: out[0..nstate) receives the last state, out[nstate..nstate + nstacked) those slices along the axis, each where the
 * slice that it was made of was. Slices are neither copied nor pasted where the axis is 0. FSR_ERR_VALUE: narrays is not 1 to
 * FSR_MAX_TURN_ARRAYS, nstate + nstacked not 1 to FSR_MAX_TURN_RESULTS, unknown flags. FSR_ERR_AXIS. Other errors as above. */
void fsr_scan_loop_at(fsr_site at, fsr_node *out, const fsr_node *state, int nstate, const fsr_node *arrays,
                      int narrays, int nstacked, int axis, int flags, fsr_turn_fn body, void *user);
#define fsr_scan_loop(...) fsr_scan_loop_at(FSR_HERE, __VA_ARGS__)

/* ---- random numbers ------------------------------------------------------------------------------------ */

/* A random number is a function of a seed, a stream and an index: integers, or arrays of them, that broadcast against each
 * other. Of equal ones it is the same number, whoever computes it, in whatever order, fused or not, on whatever device: nothing has
 * a state. A seed, or a stream, is a literal, a parameter (fsr_param: another value neither plans nor compiles), or computed;
 * negative ones wrap. Under one seed the 2^64 streams are independent, and so are the numbers of a stream.
 *
 *     fsr_node seed = fsr_param(g, "seed", FSR_U64, 42), i = fsr_counter(g, 2, shape);
 *     fsr_node x = fsr_random_normal(seed, fsr_int(g, 0), i, FSR_F32);
 *     fsr_node y = fsr_random_uniform(seed, fsr_int(g, 1), i, FSR_F32);
 *
 * The index may be anything: steps of a path, inside of a loop's body too. Numbers of one stream at one index are made of the same
 * bits, whatever their distribution: give each array a stream of its own.
 *
 * Bits come from Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011). Number i of 32 bits and less is made of word i of what
 * cuRAND's curand_init(seed, stream, 0, &state) gives a curandStatePhilox4_32_10_t; one of 64 bits of words 2i and 2i + 1.
 * The seed's, the stream's and the index' shapes may differ. FSR_ERR_DTYPE: one of them is no integer, or the result's dtype is not
 * named here. */

/* 0, 1, 2 ... in C order, an i64 array: the index of an array of random numbers of that shape. Computed, never stored unless
 * asked for. */
fsr_node fsr_counter_at(fsr_site at, fsr_graph *g, int ndim, const int64_t *shape);
#define fsr_counter(...) fsr_counter_at(FSR_HERE, __VA_ARGS__)
/* All bits random: u32 or u64. */
fsr_node fsr_random_bits_at(fsr_site at, fsr_node seed, fsr_node stream, fsr_node i, fsr_dtype dtype);
#define fsr_random_bits(...) fsr_random_bits_at(FSR_HERE, __VA_ARGS__)
/* Uniform in [0, 1), multiples of 2^-24 (f32), 2^-53 (f64), 2^-11 (f16), 2^-8 (bf16): the same bits on every backend. */
fsr_node fsr_random_uniform_at(fsr_site at, fsr_node seed, fsr_node stream, fsr_node i, fsr_dtype dtype);
#define fsr_random_uniform(...) fsr_random_uniform_at(FSR_HERE, __VA_ARGS__)
/* Uniform in (0, 1]: fsr_random_uniform's number and one multiple more. */
fsr_node fsr_random_positive_at(fsr_site at, fsr_node seed, fsr_node stream, fsr_node i, fsr_dtype dtype);
#define fsr_random_positive(...) fsr_random_positive_at(FSR_HERE, __VA_ARGS__)
/* True with probability p, a float or an array of such: fsr_random_uniform of p's dtype (f32 of a literal, f16 and bf16) is
 * less than p. FSR_ERR_DTYPE: p is no float. */
fsr_node fsr_random_bernoulli_at(fsr_site at, fsr_node seed, fsr_node stream, fsr_node i, fsr_node p);
#define fsr_random_bernoulli(...) fsr_random_bernoulli_at(FSR_HERE, __VA_ARGS__)
/* Normal, mean 0 and deviation 1, by Box and Muller's transform: numbers 2k and 2k + 1 together. |x| is at most 6.8 (f32), 8.7
 * (f64). Computed in f32 for f16 and bf16. Equal bits on one backend; on two they differ by at most 15 units in the last place. */
fsr_node fsr_random_normal_at(fsr_site at, fsr_node seed, fsr_node stream, fsr_node i, fsr_dtype dtype);
#define fsr_random_normal(...) fsr_random_normal_at(FSR_HERE, __VA_ARGS__)
/* Exponential, mean 1: -log of a uniform number in (0, 1]. At most 22.9 (f32), 37.5 (f64). */
fsr_node fsr_random_exponential_at(fsr_site at, fsr_node seed, fsr_node stream, fsr_node i, fsr_dtype dtype);
#define fsr_random_exponential(...) fsr_random_exponential_at(FSR_HERE, __VA_ARGS__)
/* Whole numbers from low and below high, all alike likely, without any bias: NumPy's integers. dtype: an integer. FSR_ERR_VALUE:
 * low is not below high, or one of them is not the dtype's. Not inside of a loop's body. */
fsr_node fsr_random_integers_at(fsr_site at, fsr_node seed, fsr_node stream, fsr_node i, fsr_dtype dtype, int64_t low,
                                int64_t high);
#define fsr_random_integers(...) fsr_random_integers_at(FSR_HERE, __VA_ARGS__)
/* Elements of x along its first axis, each drawn by itself, all alike likely: index i's shape, then x's other dimensions.
 * FSR_ERR_SHAPE: there are none. */
fsr_node fsr_random_choice_at(fsr_site at, fsr_node seed, fsr_node stream, fsr_node i, fsr_node x);
#define fsr_random_choice(...) fsr_random_choice_at(FSR_HERE, __VA_ARGS__)
/* The gamma distribution's of a shape (above 0, a float, f64 if it is a literal) and scale 1, in the shape's dtype, f32 or f64. Not
 * inside of a loop's body, as what follows. */
fsr_node fsr_random_gamma_at(fsr_site at, fsr_node seed, fsr_node stream, fsr_node i, fsr_node shape);
#define fsr_random_gamma(...) fsr_random_gamma_at(FSR_HERE, __VA_ARGS__)
/* Poisson's of a mean (0 and more, real), i64. */
fsr_node fsr_random_poisson_at(fsr_site at, fsr_node seed, fsr_node stream, fsr_node i, fsr_node mean);
#define fsr_random_poisson(...) fsr_random_poisson_at(FSR_HERE, __VA_ARGS__)
/* 0 to n - 1 in random order, i64: the places that sort numbers 0 to n - 1 of 64 random bits of one seed and stream, of which two are
 * equal with a probability of at most n^2 / 2^65 (then they stay in order); every order is otherwise as likely as any other.
 * fsr_random_shuffle: x with the indices of an axis in such an order. FSR_ERR_SHAPE: the seed or the stream is an array. */
fsr_node fsr_random_permutation_at(fsr_site at, fsr_node seed, fsr_node stream, int64_t n);
fsr_node fsr_random_shuffle_at(fsr_site at, fsr_node seed, fsr_node stream, fsr_node x, int axis);
#define fsr_random_permutation(...) fsr_random_permutation_at(FSR_HERE, __VA_ARGS__)
#define fsr_random_shuffle(...) fsr_random_shuffle_at(FSR_HERE, __VA_ARGS__)
/* Another stream, u64, for a stream and a number: independent of both and of those of other numbers (JAX's fold_in). */
fsr_node fsr_random_fold_in_at(fsr_site at, fsr_node seed, fsr_node stream, fsr_node data);
#define fsr_random_fold_in(...) fsr_random_fold_in_at(FSR_HERE, __VA_ARGS__)
/* n streams, u64[n]: number i is what folding in i gives (JAX's split). FSR_ERR_SIZE: n is negative. */
fsr_node fsr_random_split_at(fsr_site at, fsr_node seed, fsr_node stream, int64_t n);
#define fsr_random_split(...) fsr_random_split_at(FSR_HERE, __VA_ARGS__)

/* ---- a function of rows over arrays of higher rank ---------------------------------------------- */

enum { FSR_MAX_CORE = 16 }; /* operands, and results, of a row function */

/* Records the body of a row function: in[] are arguments with the core dimensions alone, out[] receives the results,
 * built with ordinary builder functions (reductions, scans, views, operators) from the arguments, literals, and other
 * nodes of the graph, which are the same for every row. Called once, during the recording call; nothing that needs an
 * argument can be computed in it. */
typedef void (*fsr_row_fn)(fsr_node *out, const fsr_node *in, void *user);

/* A row function over arrays of any rank, as NumPy's generalized ufuncs and vectorize. The signature names the core
 * dimensions: "(n),(n)->()" a dot product, "(n)->(n)" a softmax, "(m,n),(n)->(m)", "(n),()->(n)". A number is a fixed
 * extent. Core dimensions are the operands' last ones; those before them broadcast against each other and lead the
 * results' shape. A name stands for one extent (an extent of 1 does not stretch); one that only results have gets it
 * from the body. The body's nodes are recorded again for the whole arrays, so the result is what batch code would
 * give, and fuses as it. out[0..nout) receives the results (all poisoned on a mistake).
 * FSR_ERR_VALUE: the signature is none, or not one of nin operands and nout results. FSR_ERR_SHAPE: an operand has too
 * few dimensions, extents of one name differ, leading dimensions do not broadcast, a result's shape is not the
 * signature's, or some array would have more than FSR_MAX_DIMS dimensions. */
void fsr_vectorize_at(fsr_site at, fsr_node *out, int nout, const fsr_node *in, int nin, const char *signature,
                      fsr_row_fn body, void *user);
#define fsr_vectorize(...) fsr_vectorize_at(FSR_HERE, __VA_ARGS__)

/* ---- hints ------------------------------------------------------------------------------------ */

/* What a plan should do with a value. */
typedef enum fsr_hint {
    FSR_HINT_NONE = 0,
    FSR_HINT_MATERIALIZE, /* store this value, also where fusing it would be possible */
    FSR_HINT_INLINE       /* do not store this value for its own sake, also where fusion is off */
} fsr_hint;
/* Sets a node's hint and returns the node, one that is null or stale as it is. A hint changes the plan, never the
 * value. */
fsr_node fsr_hint_set(fsr_node x, fsr_hint hint);

FSR_API_END

#include "fusor/axes.h" /* no literal 0 for an address of axes */
#include "fusor/ops.h"  /* generated from graph/scalar_ops.def */
#endif
