/* SPDX-License-Identifier: MIT */
/* The check that a literal 0 is no address of axes. As a null pointer constant it would mean every axis to fsr_sum, and
 * not axis 0; it is refused when the program is compiled. NULL and nullptr are every axis, (int[]){0} is axis 0.
 *
 * In C++ an overload for an int says so. In C the macros of fusor/build.h look at the type of the argument between two
 * commas, if there are as many commas as the function has: those of a list, (int[]){0, 1}, are no arguments' ends, and
 * then it is no literal. Nothing is evaluated. Counter-example to a macro with named parameters: it would cut that list
 * in two. */
#ifndef FUSOR_AXES_H
#define FUSOR_AXES_H

#include "fusor/build.h"

#define FSR_AXES_WANTED "axes are an address: NULL is every axis, (int[]){0} is axis 0; a literal 0 would be NULL"

#if !defined(__cplusplus) && defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L

/* No value; does not compile for an integer. */
#define FSR_AXES_CHECK(axes)                                                                               \
    ((void)sizeof(struct {                                                                                 \
        int checked;                                                                                       \
        _Static_assert(_Generic((axes), int : 0, unsigned : 0, long : 0, unsigned long : 0, long long : 0, \
                                unsigned long long : 0, _Bool : 0, default : 1),                           \
                       FSR_AXES_WANTED);                                                                   \
    }))

/* 1 if there are as many pieces between commas, of at most 32; else 0. */
#define FSR_PIECE_33(...) FSR_PIECE_33_(__VA_ARGS__)
#define FSR_PIECE_33_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, a1, b1, c1, d1, \
                      e1, f1, which, ...)                                                                           \
    which
#define FSR_0_26 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
#define FSR_ARE_2(...) FSR_PIECE_33(__VA_ARGS__, FSR_0_26, 0, 0, 0, 0, 1, 0, 0)
#define FSR_ARE_3(...) FSR_PIECE_33(__VA_ARGS__, FSR_0_26, 0, 0, 0, 1, 0, 0, 0)
#define FSR_ARE_4(...) FSR_PIECE_33(__VA_ARGS__, FSR_0_26, 0, 0, 1, 0, 0, 0, 0)
#define FSR_ARE_5(...) FSR_PIECE_33(__VA_ARGS__, FSR_0_26, 0, 1, 0, 0, 0, 0, 0)
#define FSR_ARE_6(...) FSR_PIECE_33(__VA_ARGS__, FSR_0_26, 1, 0, 0, 0, 0, 0, 0)

/* The place of the caller, after the check of the piece of that number. */
#define FSR_GLUE(a, b) FSR_GLUE_(a, b)
#define FSR_GLUE_(a, b) a##b
#define FSR_2ND_0(...) FSR_HERE
#define FSR_2ND_1(a, axes, ...) (FSR_AXES_CHECK(axes), FSR_HERE)
#define FSR_3RD_0(...) FSR_HERE
#define FSR_3RD_1(a, b, axes, ...) (FSR_AXES_CHECK(axes), FSR_HERE)
#define FSR_4TH_0(...) FSR_HERE
#define FSR_4TH_1(a, b, c, axes, ...) (FSR_AXES_CHECK(axes), FSR_HERE)
#define FSR_HERE_2OF2(...) FSR_GLUE(FSR_2ND_, FSR_ARE_2(__VA_ARGS__))(__VA_ARGS__, 0)
#define FSR_HERE_2OF3(...) FSR_GLUE(FSR_2ND_, FSR_ARE_3(__VA_ARGS__))(__VA_ARGS__, 0)
#define FSR_HERE_2OF4(...) FSR_GLUE(FSR_2ND_, FSR_ARE_4(__VA_ARGS__))(__VA_ARGS__, 0)
#define FSR_HERE_2OF5(...) FSR_GLUE(FSR_2ND_, FSR_ARE_5(__VA_ARGS__))(__VA_ARGS__, 0)
#define FSR_HERE_3OF3(...) FSR_GLUE(FSR_3RD_, FSR_ARE_3(__VA_ARGS__))(__VA_ARGS__, 0)
#define FSR_HERE_3OF4(...) FSR_GLUE(FSR_3RD_, FSR_ARE_4(__VA_ARGS__))(__VA_ARGS__, 0)
#define FSR_HERE_3OF5(...) FSR_GLUE(FSR_3RD_, FSR_ARE_5(__VA_ARGS__))(__VA_ARGS__, 0)
#define FSR_HERE_4OF6(...) FSR_GLUE(FSR_4TH_, FSR_ARE_6(__VA_ARGS__))(__VA_ARGS__, 0)

#else

#define FSR_HERE_2OF2(...) FSR_HERE
#define FSR_HERE_2OF3(...) FSR_HERE
#define FSR_HERE_2OF4(...) FSR_HERE
#define FSR_HERE_2OF5(...) FSR_HERE
#define FSR_HERE_3OF3(...) FSR_HERE
#define FSR_HERE_3OF4(...) FSR_HERE
#define FSR_HERE_3OF5(...) FSR_HERE
#define FSR_HERE_4OF6(...) FSR_HERE

#endif

#ifdef __cplusplus

/* What a function gives where it is called with an int, if that could be compiled. */
template <class T> struct fsr_int_as_axes {};
template <> struct fsr_int_as_axes<int> {
    typedef fsr_node node;
    typedef void nothing;
};
#define FSR_REFUSE_INT(function, result, parameters)                                    \
    template <class T> inline typename fsr_int_as_axes<T>::result function parameters { \
        static_assert(sizeof(T) == 0, FSR_AXES_WANTED);                                 \
        return typename fsr_int_as_axes<T>::result();                                   \
    }
#define FSR_REFUSE_SUM(function) FSR_REFUSE_INT(function, node, (fsr_site, fsr_node, T, int, int))
#define FSR_REFUSE_VAR(function) FSR_REFUSE_INT(function, node, (fsr_site, fsr_node, T, int, int, double))
FSR_REFUSE_SUM(fsr_sum_at)
FSR_REFUSE_SUM(fsr_prod_at)
FSR_REFUSE_SUM(fsr_min_at)
FSR_REFUSE_SUM(fsr_max_at)
FSR_REFUSE_SUM(fsr_mean_at)
FSR_REFUSE_SUM(fsr_any_at)
FSR_REFUSE_SUM(fsr_all_at)
FSR_REFUSE_SUM(fsr_ptp_at)
FSR_REFUSE_SUM(fsr_count_nonzero_at)
FSR_REFUSE_SUM(fsr_logsumexp_at)
FSR_REFUSE_SUM(fsr_nansum_at)
FSR_REFUSE_SUM(fsr_nanprod_at)
FSR_REFUSE_SUM(fsr_nanmin_at)
FSR_REFUSE_SUM(fsr_nanmax_at)
FSR_REFUSE_SUM(fsr_nanmean_at)
FSR_REFUSE_SUM(fsr_argmax_at)
FSR_REFUSE_SUM(fsr_argmin_at)
FSR_REFUSE_SUM(fsr_nanargmax_at)
FSR_REFUSE_SUM(fsr_nanargmin_at)
FSR_REFUSE_SUM(fsr_cumsum_at)
FSR_REFUSE_SUM(fsr_cumprod_at)
FSR_REFUSE_SUM(fsr_cummax_at)
FSR_REFUSE_SUM(fsr_cummin_at)
FSR_REFUSE_SUM(fsr_cumany_at)
FSR_REFUSE_SUM(fsr_cumall_at)
FSR_REFUSE_SUM(fsr_sort_at)
FSR_REFUSE_SUM(fsr_argsort_at)
FSR_REFUSE_INT(fsr_topk_at, node, (fsr_site, fsr_node, int64_t, T, int, int))
FSR_REFUSE_INT(fsr_argtopk_at, node, (fsr_site, fsr_node, int64_t, T, int, int))
FSR_REFUSE_INT(fsr_kth_at, node, (fsr_site, fsr_node, int64_t, T, int, int))
FSR_REFUSE_SUM(fsr_median_at)
FSR_REFUSE_SUM(fsr_nanmedian_at)
FSR_REFUSE_SUM(fsr_rank_at)
FSR_REFUSE_INT(fsr_lexsort_at, node, (fsr_site, const fsr_node *, int, T, int))
FSR_REFUSE_INT(fsr_mode_at, nothing, (fsr_site, fsr_node *, fsr_node, T, int, int))
FSR_REFUSE_INT(fsr_sliding_window_at, node, (fsr_site, fsr_node, const int64_t *, T, int))
FSR_REFUSE_INT(fsr_sort_by_key_at, node, (fsr_site, fsr_node, fsr_node, T, int, int))
FSR_REFUSE_INT(fsr_quantile_at, node, (fsr_site, fsr_node, fsr_node, fsr_quantile_method, T, int, int))
FSR_REFUSE_INT(fsr_percentile_at, node, (fsr_site, fsr_node, fsr_node, fsr_quantile_method, T, int, int))
FSR_REFUSE_INT(fsr_nanquantile_at, node, (fsr_site, fsr_node, fsr_node, fsr_quantile_method, T, int, int))
FSR_REFUSE_INT(fsr_nanpercentile_at, node, (fsr_site, fsr_node, fsr_node, fsr_quantile_method, T, int, int))
FSR_REFUSE_VAR(fsr_var_at)
FSR_REFUSE_VAR(fsr_std_at)
FSR_REFUSE_VAR(fsr_nanvar_at)
FSR_REFUSE_VAR(fsr_nanstd_at)
FSR_REFUSE_VAR(fsr_norm_at)
FSR_REFUSE_INT(fsr_average_at, node, (fsr_site, fsr_node, fsr_node, T, int, int))
#define FSR_REFUSE_AS(function) FSR_REFUSE_INT(function, node, (fsr_site, fsr_node, fsr_dtype, T, int, int))
FSR_REFUSE_AS(fsr_sum_as_at)
FSR_REFUSE_AS(fsr_prod_as_at)
FSR_REFUSE_AS(fsr_mean_as_at)
FSR_REFUSE_AS(fsr_cumsum_as_at)
FSR_REFUSE_AS(fsr_cumprod_as_at)
FSR_REFUSE_INT(fsr_transpose_at, node, (fsr_site, fsr_node, T))
FSR_REFUSE_INT(fsr_fftn_at, node, (fsr_site, fsr_node, T, int))
FSR_REFUSE_INT(fsr_ifftn_at, node, (fsr_site, fsr_node, T, int))
FSR_REFUSE_INT(fsr_repeat_at, node, (fsr_site, fsr_node, int64_t, T))
FSR_REFUSE_INT(fsr_roll_at, node, (fsr_site, fsr_node, const int64_t *, T, int))
FSR_REFUSE_INT(fsr_gradients_at, nothing, (fsr_site, fsr_node *, fsr_node, const double *, T, int, int))
FSR_REFUSE_INT(fsr_reduce_with_at, nothing,
               (fsr_site, size_t, fsr_node *, const fsr_node *, const fsr_operator *, T, int, int))
FSR_REFUSE_INT(fsr_scan_with_at, nothing,
               (fsr_site, size_t, fsr_node *, const fsr_node *, const fsr_operator *, T, int, int))
#undef FSR_REFUSE_SUM
#undef FSR_REFUSE_VAR
#undef FSR_REFUSE_AS
#undef FSR_REFUSE_INT
#endif

#endif
