/* SPDX-License-Identifier: MIT */
/* Folds: reductions, scans, and those by a caller's operator. */
#ifndef FUSOR_REDUCE_H
#define FUSOR_REDUCE_H

#include "fusor/node.h"

FSR_API_BEGIN

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
 * pass (pairwise update of count, mean and squared deviations: Chan, Golub and LeVeque 1979). std is its root. argmax
 * and argmin take one axis (FSR_ERR_AXIS: several), or NULL for the flat index. ptp is the maximum less the minimum;
 * FSR_ERR_DTYPE for bool. norm is NumPy's linalg.vector_norm of order ord: 2, 1, INFINITY (the largest |x|), -INFINITY
 * (the smallest), 0 (how many are not 0), or any other power; FSR_ERR_VALUE if ord is NaN. logsumexp is
 * log(sum(exp(x))) without overflow. What compares complex numbers, logsumexp too, is FSR_ERR_DTYPE. average is sum(x *
 * weights) / sum(weights); the weights broadcast to x, else FSR_ERR_SHAPE. Its dtype is that of mean, promoted with the
 * weights'. nan...: as if NaN were not there. Of nothing but NaN: nansum 0, nanprod 1, nanargmin and nanargmax -1, the
 * others NaN. */
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

/* The same with the elements converted to dtype first and added up in it, NumPy's dtype=: what is added up in u8 wraps;
 * f16 and bf16 in f32, rounded at the end. mean_as divides; of a dtype that is no float the quotient is truncated.
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
    /* An identity that no double is, a complex or a great integer: one element of component i's dtype. NULL:
     * identity[i]. */
    const void *exact[FSR_MAX_TUPLE];
} fsr_operator;

/* Reduce or scan n = op->arity arrays of one shape at once; axes as fsr_sum's, or as fsr_cumsum's of a scan; component
 * i has in[i]'s dtype. The operator must be associative. out[0..n) receives the result nodes (all poisoned on a
 * mistake). flags: FSR_KEEPDIMS of a reduction, FSR_EXCLUSIVE and FSR_REVERSE of a scan; with FSR_REVERSE the
 * operator's left operand is what lies nearer to the end. FSR_ERR_DTYPE: the body's result i has another dtype than
 * in[i]. FSR_ERR_VALUE: the body uses something else than its arguments, literals, and parameters (fsr_param) recorded
 * before the call. FSR_ERR_UNSUPPORTED: it is longer than 256 operations, or uses more than 17 - arity parameters. */
void fsr_reduce_with_at(fsr_site at, size_t size, fsr_node *out, const fsr_node *in, const fsr_operator *op,
                        const int *axes, int naxes, int flags);
void fsr_scan_with_at(fsr_site at, size_t size, fsr_node *out, const fsr_node *in, const fsr_operator *op,
                      const int *axes, int naxes, int flags);
#define fsr_reduce_with(...) fsr_reduce_with_at(FSR_HERE_4OF6(__VA_ARGS__), sizeof(fsr_operator), __VA_ARGS__)
#define fsr_scan_with(...) fsr_scan_with_at(FSR_HERE_4OF6(__VA_ARGS__), sizeof(fsr_operator), __VA_ARGS__)

FSR_API_END

#endif
