/* SPDX-License-Identifier: MIT */
/* Where arrays begin: data, inputs, parameters, literals, and arrays that are computed of nothing. */
#ifndef FUSOR_LEAVES_H
#define FUSOR_LEAVES_H

#include "fusor/node.h"

FSR_API_BEGIN

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
/* The same with a value that need not be a double: one element of dtype at value, as fsr_from_host takes it.
 * FSR_ERR_NULL: value is null. */
fsr_node fsr_param_of_at(fsr_site at, fsr_graph *g, const char *name, fsr_dtype dtype, const void *value);
#define fsr_param_of(...) fsr_param_of_at(FSR_HERE, __VA_ARGS__)
/* value is converted to the parameter's dtype as a cast does. FSR_ERR_NULL, FSR_ERR_STALE; FSR_ERR_VALUE: not a
 * parameter. */
fsr_status fsr_param_set(fsr_node param, double value);
/* The value as an element of the parameter's dtype, copied from and to value. As fsr_param_set; FSR_ERR_NULL: value is
 * null; FSR_ERR_BYTES: bytes is not that dtype's size. */
fsr_status fsr_param_put(fsr_node param, const void *value, size_t bytes);
fsr_status fsr_param_get(fsr_node param, void *value, size_t bytes);

/* Literals, 0-d. They may be folded, and a plan's kernels may have them in their text; one in which a later plan
 * differs that is otherwise the same becomes an argument of it, with the same bits. float, int and complex are weak. */
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
/* The same with a value that need not be a double: one element of dtype at value, as fsr_from_host takes it.
 * FSR_ERR_NULL: value is null. */
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

/* start, start + step, ... before stop, NumPy's arange of three numbers: the first two are converted to the dtype, and
 * the others follow at their distance. FSR_ERR_VALUE: the step is 0, or one of them NaN. FSR_ERR_DTYPE: bool. */
fsr_node fsr_arange_step_at(fsr_site at, fsr_graph *g, fsr_dtype dtype, double start, double stop, double step);
#define fsr_arange_step(...) fsr_arange_step_at(FSR_HERE, __VA_ARGS__)
/* base to the power of each of fsr_linspace's numbers, in f64, converted to the dtype. */
fsr_node fsr_logspace_at(fsr_site at, fsr_graph *g, fsr_dtype dtype, double start, double stop, int64_t num,
                         bool endpoint, double base);
#define fsr_logspace(...) fsr_logspace_at(FSR_HERE, __VA_ARGS__)
/* num values from start to stop, each the same multiple of the one before; the ends are exact. Both negative: the
 * negated ones. Computed in f64. FSR_ERR_VALUE: start or stop is 0. */
fsr_node fsr_geomspace_at(fsr_site at, fsr_graph *g, fsr_dtype dtype, double start, double stop, int64_t num,
                          bool endpoint);
#define fsr_geomspace(...) fsr_geomspace_at(FSR_HERE, __VA_ARGS__)
/* 1 where column - row is at most k, else 0. */
fsr_node fsr_tri_at(fsr_site at, fsr_graph *g, fsr_dtype dtype, int64_t rows, int64_t cols, int64_t k);
#define fsr_tri(...) fsr_tri_at(FSR_HERE, __VA_ARGS__)

FSR_API_END

#endif
