/* SPDX-License-Identifier: MIT */
/* What compares elements: sorts, ranks, the first k, quantiles, searches, sets. */
#ifndef FUSOR_ORDER_H
#define FUSOR_ORDER_H

#include "fusor/node.h"

FSR_API_BEGIN

/* ---- order ------------------------------------------------------------------------------------- */

enum { FSR_DESCENDING = 8 };

/* The elements along one axis in order (FSR_ERR_AXIS: naxes is not 1), of x's shape and dtype; axes NULL, naxes
 * ignored: of the flattened array, 1-d. As NumPy's sort with kind="stable": what is equal stays in order, -0 equals 0,
 * NaN is last (those of one result have the same bits, it is not said which). FSR_DESCENDING: from the greatest, equal
 * ones still in order, NaN still last. fsr_argsort: i64, the index along the axis that each of them had. What computes
 * x fuses into the kernel that writes what is sorted, what follows reads the result; the sort itself is a thunk of its
 * own. FSR_ERR_DTYPE: x is complex. On a GPU FSR_ERR_UNSUPPORTED, when it is computed: the library was built without
 * nvcc, or there are 2^32 elements or more, but of one row of 32 or 64 bits. */
fsr_node fsr_sort_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags);
fsr_node fsr_argsort_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags);
#define fsr_sort(...) fsr_sort_at(FSR_HERE_2OF4(__VA_ARGS__), __VA_ARGS__)
#define fsr_argsort(...) fsr_argsort_at(FSR_HERE_2OF4(__VA_ARGS__), __VA_ARGS__)
/* The first k of fsr_sort's and of fsr_argsort's results with the same axes and flags, without sorting the others: the
 * k least in ascending order, with FSR_DESCENDING the k greatest in descending order; of equal elements those of lower
 * indices come first, NaN is last in either direction, so it is among the first k only where there are less than k
 * others. The axis has extent k, which is part of the plan's identity; axes NULL: of the flattened array, k in all.
 * FSR_ERR_VALUE: k is negative, or more than there are elements. The elements are read once where k is small, whatever
 * they are; what computes x is stored first. Both, asked for together, are one thunk. FSR_ERR_UNSUPPORTED as
 * fsr_sort. */
fsr_node fsr_topk_at(fsr_site at, fsr_node x, int64_t k, const int *axes, int naxes, int flags);
fsr_node fsr_argtopk_at(fsr_site at, fsr_node x, int64_t k, const int *axes, int naxes, int flags);
#define fsr_topk(...) fsr_topk_at(FSR_HERE_3OF5(__VA_ARGS__), __VA_ARGS__)
#define fsr_argtopk(...) fsr_argtopk_at(FSR_HERE_3OF5(__VA_ARGS__), __VA_ARGS__)

/* The element of rank k, from 0, among the elements along the axes (a list, NULL: all) in ascending order, NaN last, -0
 * before 0; a negative k counts from the end. Without the axes, or with FSR_KEEPDIMS with extent 1 there. Of x's dtype.
 * What NumPy's partition has at place k. FSR_ERR_VALUE: there is no such rank; FSR_ERR_EMPTY: no element;
 * FSR_ERR_DTYPE: x is complex. Of a value with a length (fsr_compress) among what is there; a rank that nothing has
 * there is told as an index outside is (FSR_ERR_INDEX). As those that follow, by selection: the elements are read a few
 * times, and nothing is sorted. */
fsr_node fsr_kth_at(fsr_site at, fsr_node x, int64_t k, const int *axes, int naxes, int flags);
#define fsr_kth(...) fsr_kth_at(FSR_HERE_3OF5(__VA_ARGS__), __VA_ARGS__)
/* The median: the middle element in order, or half the sum of the two middle ones, in the dtype that fsr_mean has. NaN
 * where there is one. fsr_nanmedian skips them, and is NaN where there is nothing else. FSR_ERR_EMPTY: no element
 * (NumPy warns, and gives NaN). Of a value with a length (fsr_compress) the median of what is there; where nothing is
 * there, FSR_ERR_EMPTY is told where an index outside would be (fsr_index_mode). So it is of quantiles and fsr_mode. */
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

/* Quantiles of the elements along the axes (a list, NULL: all), NumPy's in every bit: q from 0 to 1, a number or an
 * array of one dimension, which then comes first in the result's shape. Computed in q's dtype, in f64 if that is no
 * float; a literal q takes x's float. Methods that interpolate give what x and q promote to, the others x's dtype. NaN
 * where there is one; the twins skip them, each row with as many as it has. q may be computed: beside 0 and 1 it is
 * brought between them, where NumPy raises ValueError; another q neither plans nor compiles. fsr_percentile: q from 0
 * to 100. FSR_ERR_SHAPE: q has two dimensions; FSR_ERR_DTYPE: x is complex, or bool and interpolated; else as
 * fsr_kth. */
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

/* The values, each where fsr_sort puts its key, of the keys' shape and any dtype; axes and flags as fsr_sort. Stable.
 * Several values with the same keys, asked for together, sort once. FSR_ERR_SHAPE: the values have another shape. */
fsr_node fsr_sort_by_key_at(fsr_site at, fsr_node values, fsr_node keys, const int *axes, int naxes, int flags);
#define fsr_sort_by_key(...) fsr_sort_by_key_at(FSR_HERE_3OF5(__VA_ARGS__), __VA_ARGS__)
/* The places in the order of several keys of one shape, the last of which comes first, as NumPy's lexsort: i64. Axes as
 * fsr_argsort. The null node: there are no keys. FSR_ERR_SHAPE: one has another shape. */
fsr_node fsr_lexsort_at(fsr_site at, const fsr_node *keys, int n, const int *axes, int naxes);
#define fsr_lexsort(...) fsr_lexsort_at(FSR_HERE_3OF4(__VA_ARGS__), __VA_ARGS__)
/* The rank of each element in fsr_sort's order, from 0, of x's shape (axes NULL: flat), i64: equal ones have different
 * ranks, in the order in which they stand. The inverse of fsr_argsort. */
fsr_node fsr_rank_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags);
#define fsr_rank(...) fsr_rank_at(FSR_HERE_2OF4(__VA_ARGS__), __VA_ARGS__)
/* NumPy's unique: the different elements of x, of any shape, in ascending order. out[0]: these; out[1], i64: where each
 * of them is first in the flattened x; out[2], i64, of x's shape: for each element of x its number among them; out[3],
 * i64: how many of each there are. out[0], out[1] and out[3] have one length that only the device knows (fsr_compress),
 * with x's size as capacity. Zeros of both signs are equal; NaN equals NaN if equal_nan, else each is one of its own.
 * What is not asked for is not computed: out[0] and out[3] alone sort no places. x may have such a length itself. All
 * four are poisoned on a mistake. FSR_ERR_DTYPE: x is complex. */
void fsr_unique_at(fsr_site at, fsr_node *out, fsr_node x, bool equal_nan);
#define fsr_unique(...) fsr_unique_at(FSR_HERE, __VA_ARGS__)
/* NumPy's isin: for each element of x whether one of the others, of any shape, is equal to it; compared in their common
 * dtype, u64 and signed integers exactly. NaN is none. The others are sorted, and x's elements are searched for in the
 * kernel that computes them. FSR_ERR_DTYPE: complex numbers. */
fsr_node fsr_isin_at(fsr_site at, fsr_node x, fsr_node others);
#define fsr_isin(...) fsr_isin_at(FSR_HERE, __VA_ARGS__)
/* The most frequent element along the axes (a list, NULL: all), of several the least, NaN last and equal to NaN:
 * out[0], of x's dtype; and how often it is there: out[1], i64. The elements are sorted. flags: FSR_KEEPDIMS. Both are
 * poisoned on a mistake. Errors as fsr_median. */
void fsr_mode_at(fsr_site at, fsr_node *out, fsr_node x, const int *axes, int naxes, int flags);
#define fsr_mode(...) fsr_mode_at(FSR_HERE_3OF5(__VA_ARGS__), __VA_ARGS__)

/* ---- searches ----------------------------------------------------------------------------------- */

/* Whether a place is in front of what is equal, or behind it. */
typedef enum fsr_side { FSR_LEFT, FSR_RIGHT } fsr_side;

/* NumPy's searchsorted: for each element of x, of any shape, where it belongs among the keys, one-dimensional and in
 * ascending order, NaN last: i64, 0 to the number of keys. FSR_LEFT: in front of keys that are equal to it, FSR_RIGHT:
 * behind them. Both are compared in their common dtype. That the keys are in order is not looked at: the places lie
 * inside in any case. The search is a loop in the kernel that computes x and goes on with the places; keys that are
 * computed are stored first. FSR_ERR_SHAPE: the keys are no vector. FSR_ERR_DTYPE: complex numbers. FSR_ERR_VALUE:
 * there is no such side. */
fsr_node fsr_searchsorted_at(fsr_site at, fsr_node keys, fsr_node x, fsr_side side);
#define fsr_searchsorted(...) fsr_searchsorted_at(FSR_HERE, __VA_ARGS__)
/* NumPy's digitize: for each element of x the bin i, i64, with bins[i - 1] <= x < bins[i], or with `right` bins[i - 1]
 * < x <= bins[i]; 0 and the number of bins where it is outside. Bins may be in descending order: then bins[i - 1] > x
 * >= bins[i], and with `right` bins[i - 1] >= x > bins[i]. Errors as fsr_searchsorted. */
fsr_node fsr_digitize_at(fsr_site at, fsr_node x, fsr_node bins, bool right);
#define fsr_digitize(...) fsr_digitize_at(FSR_HERE, __VA_ARGS__)
/* NumPy's interp: for each element of x the value at it of the line through the points xp[i], fp[i], in f64, or in c128
 * if fp is complex. xp is in ascending order, which is not looked at. left, right: 0-d, what is below xp[0], above xp[n
 * - 1]; of zeroed nodes the first and the last value. FSR_ERR_SHAPE: xp and fp are no vectors of one length, or left or
 * right is not 0-d. FSR_ERR_EMPTY: there are no points. FSR_ERR_DTYPE: x or xp is complex, or left or right is beside
 * real values. */
fsr_node fsr_interp_at(fsr_site at, fsr_node x, fsr_node xp, fsr_node fp, fsr_node left, fsr_node right);
#define fsr_interp(...) fsr_interp_at(FSR_HERE, __VA_ARGS__)
/* The same of a function with a period: x and xp, in any order, are taken by the remainder. FSR_ERR_VALUE: the period
 * is 0 or no finite number. */
fsr_node fsr_interp_period_at(fsr_site at, fsr_node x, fsr_node xp, fsr_node fp, double period);
#define fsr_interp_period(...) fsr_interp_period_at(FSR_HERE, __VA_ARGS__)

FSR_API_END

#endif
