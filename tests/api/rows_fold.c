/* SPDX-License-Identifier: MIT */
/* Rows: elementwise operations, reductions, scans. */
#include "graph/ops.h"
#include "tests/api/api.h"

#define BEGIN(name) api_say(r, "fsr_" #name "_at", 0, true)

#define OP_1(name)                                              \
    static void op_##name(api_run *r) {                         \
        fsr_node a = api_node(r);                               \
        BEGIN(name);                                            \
        api_take(r, fsr_##name##_at(API_SITE(r), a), 0, false); \
    }
#define OP_2(name)                                                 \
    static void op_##name(api_run *r) {                            \
        fsr_node a = api_node(r), b = api_node(r);                 \
        BEGIN(name);                                               \
        api_take(r, fsr_##name##_at(API_SITE(r), a, b), 0, false); \
    }
#define OP_3(name)                                                    \
    static void op_##name(api_run *r) {                               \
        fsr_node a = api_node(r), b = api_node(r), c = api_node(r);   \
        BEGIN(name);                                                  \
        api_take(r, fsr_##name##_at(API_SITE(r), a, b, c), 0, false); \
    }
#define OP_OF(arity, name) OP_##arity(name)

/* cast is a row of the table of operations and has a builder of its own, with one argument more. */
#define fsr_cast_at(at, a) fsr_cast_at(at, a, FSR_F64)
#define FSR_SCALAR_OP(id, name, arity, ...) OP_OF(arity, name)
#include "graph/scalar_ops.def"
#undef FSR_SCALAR_OP

const api_row api_op_rows[] = {
#define FSR_SCALAR_OP(id, name, arity, ...) {"fsr_" #name "_at", op_##name, 1},
#include "graph/scalar_ops.def"
#undef FSR_SCALAR_OP
};
const int api_op_count = API_COUNT(api_op_rows);

/* ---- reductions -------------------------------------------------------------------------------------------- */

#define FOLD(name, draw, ...)                                                \
    static void call_##name(api_run *r) {                                    \
        fsr_node x = api_node(r);                                            \
        draw;                                                                \
        BEGIN(name);                                                         \
        api_take(r, fsr_##name##_at(API_SITE(r), x, __VA_ARGS__), 0, false); \
    }
#define AXES \
    int n;   \
    const int *axes = api_axes(r, &n)
#define FLAGS int flags = api_flags(r)
#define REDUCE(name) FOLD(name, AXES; FLAGS, axes, n, flags)
#define REDUCE_BY(name) FOLD(name, AXES; FLAGS; double by = api_number(r), axes, n, flags, by)

#define EACH_REDUCE(X) \
    X(sum)             \
    X(prod)            \
    X(min)             \
    X(max)             \
    X(mean) X(any) X(all) X(ptp) X(count_nonzero) X(logsumexp) X(nansum) X(nanprod) X(nanmin) X(nanmax) X(nanmean)
#define EACH_REDUCE_BY(X) X(var) X(std) X(nanvar) X(nanstd) X(norm)
#define EACH_ARG(X) X(argmax) X(argmin) X(nanargmax) X(nanargmin)
#define EACH_ORDER(X) X(sort) X(argsort)
#define EACH_SCAN(X) X(cumsum) X(cumprod) X(cummax) X(cummin) X(cumany) X(cumall)

EACH_REDUCE(REDUCE)
EACH_REDUCE_BY(REDUCE_BY)
EACH_ARG(REDUCE)
EACH_SCAN(REDUCE)
EACH_ORDER(REDUCE)
#define AS fsr_dtype dtype = api_dtype(r)
#define REDUCE_AS(name) FOLD(name, AS; AXES; FLAGS, dtype, axes, n, flags)
REDUCE_AS(sum_as)
REDUCE_AS(prod_as)
REDUCE_AS(mean_as)
REDUCE_AS(cumsum_as)
REDUCE_AS(cumprod_as)
#define FIRST int64_t k = api_extent(r)
FOLD(topk, FIRST; AXES; FLAGS, k, axes, n, flags)
FOLD(argtopk, FIRST; AXES; FLAGS, k, axes, n, flags)
FOLD(sort_by_key, fsr_node keys = api_node(r); AXES; FLAGS, keys, axes, n, flags)
FOLD(kth, FIRST; AXES; FLAGS, k, axes, n, flags)
REDUCE(median)
REDUCE(nanmedian)
REDUCE(rank)
#define QUANTILE                                                        \
    fsr_node q = api_node(r);                                           \
    fsr_quantile_method method = (fsr_quantile_method)api_below(r, 15); \
    api_add(r, ", (fsr_quantile_method)%d", (int)method)
FOLD(quantile, QUANTILE; AXES; FLAGS, q, method, axes, n, flags)
FOLD(percentile, QUANTILE; AXES; FLAGS, q, method, axes, n, flags)
FOLD(nanquantile, QUANTILE; AXES; FLAGS, q, method, axes, n, flags)
FOLD(nanpercentile, QUANTILE; AXES; FLAGS, q, method, axes, n, flags)
FOLD(average, fsr_node weights = api_node(r); AXES; FLAGS, weights, axes, n, flags)

#define ROW(name) {"fsr_" #name "_at", call_##name, 1},
const api_row api_fold_rows[] = {
    EACH_REDUCE(ROW) EACH_REDUCE_BY(ROW) EACH_ARG(ROW) EACH_SCAN(ROW) EACH_ORDER(ROW) ROW(topk) ROW(argtopk)
        ROW(sort_by_key) ROW(kth) ROW(median) ROW(nanmedian) ROW(rank) ROW(quantile) ROW(percentile) ROW(nanquantile)
            ROW(nanpercentile) ROW(average) ROW(sum_as) ROW(prod_as) ROW(mean_as) ROW(cumsum_as) ROW(cumprod_as)};
const int api_fold_count = API_COUNT(api_fold_rows);
