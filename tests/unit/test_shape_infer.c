/* SPDX-License-Identifier: MIT */
/* What the builders infer: dtypes, shapes and index maps, against NumPy 2's answers written out by hand. */
#include "graph/shape.h"
#include "tests/support/one_graph.h"
#include "tests/support/promoted.h"
#include <math.h>

static fsr_node input(fsr_dtype dtype, const fsr_shape *shape) {
    return fsr_input(g, "x", dtype, shape->ndim, shape->dim);
}

/* "f32[3,4]", or the poison's message. */
static void check_type(fsr_node x, const char *expected) {
    if (fsr_node_status(x))
        fail_msg("%s", fsr_node_error(x));
    assert_string_equal(fsr_say(x).text, expected);
}

static void check_dtype(fsr_node x, fsr_dtype expected, const char *what, int a, int b) {
    if (fsr_node_dtype(x) != expected)
        fail_msg("%s of %s and %s: %s, not %s %s", what, fsr_dtype_name((fsr_dtype)a), fsr_dtype_name((fsr_dtype)b),
                 fsr_dtype_name(fsr_node_dtype(x)), fsr_dtype_name(expected), fsr_node_error(x));
}

static bool is_whole(fsr_dtype dtype) {
    return fsr_dtype_class(dtype) == FSR_CLASS_INT || dtype == FSR_BOOL;
}
static fsr_dtype with_weak_int(fsr_dtype dtype) {
    return dtype == FSR_BOOL ? FSR_I64 : dtype;
}
static fsr_dtype with_weak_float(fsr_dtype dtype) {
    return is_whole(dtype) ? FSR_F64 : dtype;
}

static void promotion_of_pairs(void **state) {
    (void)state;
    for (int a = 0; a < FSR_DTYPE_COUNT; a++)
        for (int b = 0; b < FSR_DTYPE_COUNT; b++) {
            fsr_node x = INPUT(g, (fsr_dtype)a, 3), y = INPUT(g, (fsr_dtype)b, 3);
            const fsr_dtype both = promoted_by_numpy((fsr_dtype)a, (fsr_dtype)b);
            if (both == FSR_DTYPE_COUNT)
                continue;
            check_dtype(fsr_add(x, y), both, "add", a, b);
            check_dtype(fsr_equal(x, y), FSR_BOOL, "equal", a, b);
            if (fsr_dtype_is_complex(both))
                assert_int_equal(fsr_node_status(fsr_less(x, y)), FSR_ERR_DTYPE);
            else
                check_dtype(fsr_less(x, y), FSR_BOOL, "less", a, b);
            check_dtype(fsr_logical_and(x, y), FSR_BOOL, "logical_and", a, b);
            check_dtype(fsr_div(x, y), is_whole(both) ? FSR_F64 : both, "div", a, b);
            check_dtype(fsr_where(INPUT(g, FSR_BOOL, 3), x, y), both, "where", a, b);
        }
}

static void promotion_of_literals(void **state) {
    (void)state;
    for (int a = 0; a < FSR_DTYPE_COUNT; a++) {
        fsr_node x = INPUT(g, (fsr_dtype)a, 3);
        check_dtype(fsr_add(x, fsr_int(g, 1)), with_weak_int((fsr_dtype)a), "add int", a, a);
        check_dtype(fsr_add(fsr_int(g, 1), x), with_weak_int((fsr_dtype)a), "add int", a, a);
        check_dtype(fsr_mul(x, fsr_float(g, 0.5)), with_weak_float((fsr_dtype)a), "mul float", a, a);
        if (!fsr_dtype_is_complex((fsr_dtype)a))
            check_dtype(fsr_maximum(x, fsr_bool(g, true)), (fsr_dtype)a, "maximum bool", a, a);
        check_dtype(fsr_isnan(x), FSR_BOOL, "isnan", a, a);
        check_dtype(fsr_where(x, x, fsr_int(g, 1)), with_weak_int((fsr_dtype)a), "where int", a, a);
    }
    check_type(fsr_fma(INPUT(g, FSR_F32, 3), INPUT(g, FSR_I32, 3), fsr_float(g, 1)), "f64[3]");
    check_type(fsr_add(fsr_full(g, FSR_F32, 0, NULL, 1), fsr_float(g, 1)), "f32[]");
    check_type(fsr_add(fsr_param(g, "p", FSR_I32, 1), fsr_float(g, 1)), "f64[]");
}

static void floats_of_integers(void **state) {
    (void)state;
    check_type(fsr_exp(INPUT(g, FSR_I32, 3)), "f64[3]");
    check_type(fsr_sqrt(INPUT(g, FSR_I64, 3)), "f64[3]");
    check_type(fsr_sqrt(INPUT(g, FSR_F32, 3)), "f32[3]");
    check_type(fsr_sin(fsr_int(g, 2)), "f64[]");
    check_type(fsr_pow(INPUT(g, FSR_F32, 3), fsr_int(g, 2)), "f32[3]");
    check_type(fsr_floor(INPUT(g, FSR_U8, 3)), "u8[3]");
}

/* Arithmetic on literals stays weak until it meets an array, selections and comparisons do not. */
static void literals_stay_weak(void **state) {
    (void)state;
    fsr_node two = fsr_int(g, 2), half = fsr_float(g, 0.5), x = INPUT(g, FSR_F32, 3), n = INPUT(g, FSR_U8, 3);
    check_type(fsr_add(two, two), "i64[]");
    check_type(fsr_add(two, half), "f64[]");
    check_type(fsr_mul(x, fsr_add(two, half)), "f32[3]");
    check_type(fsr_mul(x, fsr_exp(fsr_neg(half))), "f32[3]");
    check_type(fsr_add(n, fsr_mul(two, two)), "u8[3]");
    check_type(fsr_add(n, fsr_div(two, two)), "f64[3]");
    check_type(fsr_add(n, fsr_less(two, two)), "u8[3]");
    check_type(fsr_mul(x, fsr_where(fsr_bool(g, true), half, half)), "f64[3]");
    check_type(fsr_mul(x, fsr_cast(half, FSR_F64)), "f64[3]");
    check_type(fsr_mul(x, fsr_reshape(half, 0, NULL)), "f64[3]");
    check_type(fsr_mul(x, fsr_broadcast_to(half, 1, SHAPE(3))), "f64[3]");
    check_type(fsr_mul(x, fsr_sum(half, NULL, 0, 0)), "f64[3]");
}

static void literals_out_of_range(void **state) {
    (void)state;
    fsr_node n = INPUT(g, FSR_U8, 3), i = INPUT(g, FSR_I32, 3);
    check_type(fsr_add(n, fsr_int(g, 255)), "u8[3]");
    check_type(fsr_add(i, fsr_int(g, INT32_MIN)), "i32[3]");
    assert_int_equal(fsr_node_status(fsr_add(n, fsr_int(g, 256))), FSR_ERR_VALUE);
    assert_int_equal(fsr_node_status(fsr_add(n, fsr_int(g, -1))), FSR_ERR_VALUE);
    assert_int_equal(fsr_node_status(fsr_add(i, fsr_int(g, 1LL << 31))), FSR_ERR_VALUE);
    fsr_node sum = fsr_add(fsr_int(g, 200), fsr_int(g, 100));
    assert_int_equal(fsr_node_status(fsr_add(n, sum)), FSR_ERR_VALUE);
    check_type(fsr_add(n, fsr_sub(sum, fsr_int(g, 100))), "u8[3]");
    /* comparisons are exact: the literal is not squeezed into u8 */
    fsr_node below = fsr_less(n, fsr_int(g, 300));
    check_type(below, "bool[3]");
    const fsr_rec *rec = fsr_node_rec(below);
    assert_int_equal(fsr_graph_rec(g, rec->arg[0].id)->dtype[0], FSR_I64);
    check_type(fsr_logical_and(n, fsr_int(g, 300)), "bool[3]");
    check_type(fsr_add(fsr_cast(n, FSR_F32), fsr_int(g, INT64_MAX)), "f32[3]");
}

/* A literal is converted, not cast: f32 * 0.5 has no f64 in it. */
static void literals_are_converted(void **state) {
    (void)state;
    fsr_node y = fsr_mul(fsr_input(g, "x", FSR_F32, 0, NULL), fsr_float(g, 0.1));
    const fsr_rec *literal = fsr_graph_rec(g, fsr_node_rec(y)->arg[1].id);
    assert_int_equal(literal->kind, FSR_NODE_CONST);
    assert_true(literal->value.f32 == 0.1f);
    assert_int_equal(literal->value.bits >> 32, 0);
    y = fsr_add(fsr_input(g, "x", FSR_F64, 0, NULL), fsr_int(g, 3));
    assert_true(fsr_graph_rec(g, fsr_node_rec(y)->arg[1].id)->value.f64 == 3.0);
}

static void broadcasting(void **state) {
    (void)state;
    static const struct {
        fsr_shape a, b;
        const char *expected; /* NULL: does not fit */
    } rows[] = {
        {{0}, {0}, "f32[]"},
        {{0}, {1, {5}}, "f32[5]"},
        {{1, {1}}, {1, {5}}, "f32[5]"},
        {{2, {3, 1}}, {1, {4}}, "f32[3,4]"},
        {{2, {3, 1}}, {2, {1, 4}}, "f32[3,4]"},
        {{4, {8, 1, 6, 1}}, {3, {7, 1, 5}}, "f32[8,7,6,5]"},
        {{3, {15, 3, 5}}, {2, {3, 1}}, "f32[15,3,5]"},
        {{1, {0}}, {1, {1}}, "f32[0]"},
        {{2, {3, 0}}, {1, {1}}, "f32[3,0]"},
        {{8, {1, 2, 1, 2, 1, 2, 1, 2}}, {8, {2, 1, 2, 1, 2, 1, 2, 1}}, "f32[2,2,2,2,2,2,2,2]"},
        {{1, {3}}, {1, {4}}, NULL},
        {{1, {0}}, {1, {2}}, NULL},
        {{2, {2, 1}}, {3, {8, 4, 3}}, NULL},
        {{2, {3, 4}}, {1, {3}}, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int swap = 0; swap < 2; swap++) {
            fsr_node a = input(FSR_F32, &rows[i].a), b = input(FSR_F32, &rows[i].b);
            fsr_node y = swap ? fsr_add(b, a) : fsr_add(a, b);
            if (rows[i].expected)
                check_type(y, rows[i].expected);
            else
                assert_int_equal(fsr_node_status(y), FSR_ERR_SHAPE);
        }
}

static void broadcast_is_a_view(void **state) {
    (void)state;
    fsr_node row = INPUT(g, FSR_F32, 4), y = fsr_add(INPUT(g, FSR_F32, 3, 1), row);
    const fsr_rec *rec = fsr_node_rec(y);
    fsr_node left = fsr_graph_handle(g, rec->arg[0].id, 0), right = fsr_graph_handle(g, rec->arg[1].id, 0);
    for (int64_t i = 0; i < 12; i++) {
        assert_int_equal(node_leaf_index(left, i), i / 4);
        assert_int_equal(node_leaf_index(right, i), i % 4);
    }
    fsr_node same = fsr_add(row, row);
    assert_int_equal(fsr_node_rec(same)->arg[0].id, row.id);
}

static void check_indices(fsr_node x, const char *type, const int64_t *expected) {
    check_type(x, type);
    for (int64_t i = 0; i < fsr_node_size(x); i++)
        if (node_leaf_index(x, i) != expected[i])
            fail_msg("%s: element %lld reads %lld, not %lld", type, (long long)i, (long long)node_leaf_index(x, i),
                     (long long)expected[i]);
}

static void views_of_a_matrix(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_I32, 2, 3);
    check_indices(fsr_transpose(x, NULL), "i32[3,2]", SHAPE(0, 3, 1, 4, 2, 5));
    check_indices(fsr_transpose(x, AXES(-1, 0)), "i32[3,2]", SHAPE(0, 3, 1, 4, 2, 5));
    check_indices(fsr_transpose(x, AXES(0, 1)), "i32[2,3]", SHAPE(0, 1, 2, 3, 4, 5));
    check_indices(fsr_flip(x, 0), "i32[2,3]", SHAPE(3, 4, 5, 0, 1, 2));
    check_indices(fsr_flip(x, -1), "i32[2,3]", SHAPE(2, 1, 0, 5, 4, 3));
    check_indices(fsr_expand(x, 1), "i32[2,1,3]", SHAPE(0, 1, 2, 3, 4, 5));
    check_indices(fsr_expand(x, -1), "i32[2,3,1]", SHAPE(0, 1, 2, 3, 4, 5));
    check_indices(fsr_expand(x, -3), "i32[1,2,3]", SHAPE(0, 1, 2, 3, 4, 5));
    check_indices(fsr_broadcast_to(x, 3, SHAPE(2, 2, 3)), "i32[2,2,3]", SHAPE(0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5));
    check_indices(fsr_reshape(x, 2, SHAPE(3, 2)), "i32[3,2]", SHAPE(0, 1, 2, 3, 4, 5));
    check_indices(fsr_reshape(fsr_transpose(x, NULL), 1, SHAPE(-1)), "i32[6]", SHAPE(0, 3, 1, 4, 2, 5));
    check_indices(fsr_squeeze(fsr_slice(x, 0, 1, 2, 1), 0), "i32[3]", SHAPE(3, 4, 5));
    fsr_node t = fsr_transpose(INPUT(g, FSR_I32, 2, 1, 3), AXES(2, 0, 1));
    check_indices(t, "i32[3,2,1]", SHAPE(0, 3, 1, 4, 2, 5));
}

/* list(range(10))[start:stop:step], by hand. E: omitted. */
static void slices(void **state) {
    (void)state;
    enum { E = -99 };
    static const struct {
        int64_t extent, start, stop, step;
        int count;
        int64_t first, second;
    } rows[] = {
        {10, E, E, 1, 10, 0, 1},
        {10, 2, 8, 3, 2, 2, 5},
        {10, 2, 9, 3, 3, 2, 5},
        {10, -3, E, 1, 3, 7, 8},
        {10, E, -3, 2, 4, 0, 2},
        {10, E, E, -1, 10, 9, 8},
        {10, E, E, -4, 3, 9, 5},
        {10, 8, 2, -2, 3, 8, 6},
        {10, 2, E, -1, 3, 2, 1},
        {10, E, 7, -1, 2, 9, 8},
        {10, 5, 5, 1, 0, 0, 0},
        {10, 8, 2, 1, 0, 0, 0},
        {10, 2, 8, -1, 0, 0, 0},
        {10, -100, 100, 5, 2, 0, 5},
        {10, 100, -100, -5, 2, 9, 4},
        {10, 100, 200, 1, 0, 0, 0},
        {10, 4, E, 100, 1, 4, 0},
        {10, -1, E, INT64_MIN, 1, 9, 0},
        {10, 0, E, INT64_MAX, 1, 0, 0},
        {0, E, E, 1, 0, 0, 0},
        {0, E, E, -1, 0, 0, 0},
        {1, E, E, -1, 1, 0, 0},
        {10, INT64_MIN + 1, INT64_MAX, 9, 2, 0, 9},
        {10, INT64_MAX, INT64_MIN + 1, -9, 2, 9, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fsr_node x = fsr_input(g, "x", FSR_F32, 1, &rows[i].extent);
        fsr_node y = fsr_slice(x, 0, rows[i].start == E ? FSR_SLICE_END : rows[i].start,
                               rows[i].stop == E ? FSR_SLICE_END : rows[i].stop, rows[i].step);
        if (fsr_node_size(y) != rows[i].count)
            fail_msg("row %zu has %lld elements", i, (long long)fsr_node_size(y));
        if (rows[i].count > 0)
            assert_int_equal(node_leaf_index(y, 0), rows[i].first);
        if (rows[i].count > 1)
            assert_int_equal(node_leaf_index(y, 1), rows[i].second);
    }
}

static fsr_view_kind view_kind(fsr_node x) {
    assert_int_equal(fsr_node_rec(x)->kind, FSR_NODE_VIEW);
    return fsr_node_rec(x)->view.kind;
}

static void reshapes(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F32, 2, 1, 3), empty = INPUT(g, FSR_F32, 0, 3);
    check_type(fsr_reshape(x, 2, SHAPE(-1, 2)), "f32[3,2]");
    check_type(fsr_reshape(x, 3, SHAPE(3, -1, 2)), "f32[3,1,2]");
    check_type(fsr_reshape(empty, 2, SHAPE(-1, 5)), "f32[0,5]");
    check_type(fsr_reshape(empty, 1, SHAPE(0)), "f32[0]");
    check_type(fsr_reshape(INPUT(g, FSR_F32, 1), 0, NULL), "f32[]");
    assert_int_equal(view_kind(fsr_reshape(x, 2, SHAPE(2, 3))), FSR_VIEW_AFFINE);
    assert_int_equal(view_kind(fsr_reshape(x, 5, SHAPE(1, 2, 3, 1, 1))), FSR_VIEW_AFFINE);
    assert_int_equal(view_kind(fsr_reshape(x, 2, SHAPE(3, 2))), FSR_VIEW_RESHAPE);
    assert_int_equal(view_kind(fsr_reshape(x, 1, SHAPE(6))), FSR_VIEW_RESHAPE);
    assert_int_equal(fsr_reshape(x, 3, SHAPE(2, 1, 3)).id, x.id);
    check_indices(fsr_reshape(x, 4, SHAPE(2, 1, 1, 3)), "f32[2,1,1,3]", SHAPE(0, 1, 2, 3, 4, 5));
}

static void reductions(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F32, 2, 3, 4), n = INPUT(g, FSR_U8, 2, 3), none = INPUT(g, FSR_F32, 0, 3);
    check_type(fsr_sum(x, NULL, 0, 0), "f32[]");
    check_type(fsr_sum(x, NULL, 7, FSR_KEEPDIMS), "f32[1,1,1]");
    check_type(fsr_sum(x, AXES(1), 1, 0), "f32[2,4]");
    check_type(fsr_max(x, AXES(-1, 0), 2, 0), "f32[3]");
    check_type(fsr_max(x, AXES(-1, 0), 2, FSR_KEEPDIMS), "f32[1,3,1]");
    check_type(fsr_sum(n, NULL, 0, 0), "u64[]");
    check_type(fsr_prod(INPUT(g, FSR_BOOL, 3), NULL, 0, 0), "i64[]");
    check_type(fsr_sum(INPUT(g, FSR_I32, 3), NULL, 0, 0), "i64[]");
    check_type(fsr_min(n, NULL, 0, 0), "u8[]");
    check_type(fsr_any(x, AXES(0), 1, 0), "bool[3,4]");
    check_type(fsr_all(n, NULL, 0, 0), "bool[]");
    check_type(fsr_mean(n, AXES(0), 1, 0), "f64[3]");
    check_type(fsr_mean(x, AXES(0), 1, 0), "f32[3,4]");
    check_type(fsr_var(x, AXES(2), 1, FSR_KEEPDIMS, 0), "f32[2,3,1]");
    check_type(fsr_var(n, NULL, 0, 0, 1), "f64[]");
    check_type(fsr_argmax(x, NULL, 0, 0), "i64[]");
    check_type(fsr_argmax(x, NULL, 0, FSR_KEEPDIMS), "i64[1,1,1]");
    check_type(fsr_argmax(x, AXES(-2), 1, 0), "i64[2,4]");
    check_type(fsr_argmax(n, AXES(0), 1, FSR_KEEPDIMS), "i64[1,3]");
    check_type(fsr_sum(none, AXES(0), 1, 0), "f32[3]");
    check_type(fsr_max(none, AXES(1), 1, 0), "f32[0]");
    check_type(fsr_mean(none, NULL, 0, 0), "f32[]");
    check_type(fsr_argmax(none, AXES(1), 1, 0), "i64[0]");
    check_type(fsr_max(INPUT(g, FSR_F32, 0, 0), AXES(0), 1, 0), "f32[0]");
}

static void nothing_to_reduce(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F32, 2), n = INPUT(g, FSR_U8, 2), s = fsr_param(g, "s", FSR_F32, 1);
    assert_int_equal(fsr_sum(x, AXES(0), 0, 0).id, x.id);
    assert_int_equal(fsr_max(s, NULL, 0, 0).id, s.id);
    check_type(fsr_sum(n, AXES(0), 0, 0), "u64[2]");
    check_type(fsr_mean(n, AXES(0), 0, 0), "f64[2]");
    check_type(fsr_any(s, NULL, 0, 0), "bool[]");
    check_type(fsr_var(x, AXES(0), 0, 0, 0), "f32[2]");
    check_type(fsr_var(s, NULL, 0, 0, 0), "f32[]");
    check_type(fsr_argmax(s, NULL, 0, 0), "i64[]");
}

/* Counts are arguments of a plan, not literals of it. */
static void counts_are_parameters(void **state) {
    (void)state;
    fsr_node mean = fsr_mean(INPUT(g, FSR_F32, 5, 4), AXES(0), 1, 0);
    const fsr_rec *div = fsr_node_rec(mean), *view = fsr_graph_rec(g, div->arg[1].id);
    const fsr_rec *count = fsr_graph_rec(g, view->arg[0].id);
    assert_int_equal(count->kind, FSR_NODE_PARAM);
    assert_null(count->name);
    assert_true(count->value.f32 == 5.0f);
    static const double expected[][2] = {{0, 5}, {1, 4}, {5, 0}, {9, 0}};
    for (int i = 0; i < 4; i++) {
        fsr_node var = fsr_var(INPUT(g, FSR_F64, 5), NULL, 0, 0, expected[i][0]);
        count = fsr_graph_rec(g, fsr_node_rec(var)->arg[1].id);
        assert_int_equal(count->kind, FSR_NODE_PARAM);
        assert_true(count->value.f64 == expected[i][1]);
    }
}

static void scans(void **state) {
    (void)state;
    fsr_node n = INPUT(g, FSR_U8, 2, 3);
    check_type(fsr_cumsum(n, AXES(1), 1, 0), "u64[2,3]");
    check_type(fsr_cumsum(INPUT(g, FSR_F32, 3), AXES(-1), 1, FSR_EXCLUSIVE), "f32[3]");
    check_type(fsr_cummax(n, AXES(-2), 1, FSR_EXCLUSIVE), "u8[2,3]");
    const fsr_rec *rec = fsr_node_rec(fsr_cummax(n, AXES(-2), 1, FSR_EXCLUSIVE));
    assert_true(rec->exclusive && rec->axis == 0 && rec->combine->builtin && rec->combine->op == FSR_OP_MAXIMUM);
}

static void literals_and_counting(void **state) {
    (void)state;
    check_type(fsr_full(g, FSR_U8, 2, SHAPE(2, 3), 300), "u8[2,3]");
    check_type(fsr_full(g, FSR_F32, 0, NULL, 1), "f32[]");
    check_type(fsr_arange(g, FSR_I32, 5), "i32[5]");
    check_type(fsr_arange(g, FSR_F64, 0), "f64[0]");
    check_type(fsr_bool(g, true), "bool[]");
    fsr_node full = fsr_full(g, FSR_U8, 2, SHAPE(2, 3), 300);
    assert_int_equal(fsr_graph_rec(g, fsr_node_rec(full)->arg[0].id)->value.u8, 255);
    check_type(fsr_input(g, "a_9", FSR_F32, 8, SHAPE(1, 2, 3, 1, 1, 1, 1, 1)), "f32[1,2,3,1,1,1,1,1]");
}

static void parameters(void **state) {
    (void)state;
    fsr_node p = fsr_param(g, "dt", FSR_I32, 2.7);
    assert_int_equal(fsr_node_rec(p)->value.i32, 2);
    assert_int_equal(fsr_param_set(p, -3), FSR_OK);
    assert_int_equal(fsr_node_rec(p)->value.i32, -3);
    int live = 0;
    node_force(p, &live);
    assert_int_equal(fsr_param_set(p, 4), FSR_OK);
    assert_int_equal(live, 0);
    assert_int_equal(fsr_param_set(fsr_int(g, 1), 1), FSR_ERR_VALUE);
    assert_int_equal(fsr_param_set((fsr_node){0}, 1), FSR_ERR_NULL);
}

static void casts(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F32, 3), y = fsr_cast(x, FSR_F64), z = fsr_cast(y, FSR_F32);
    assert_int_equal(fsr_cast(x, FSR_F32).id, x.id);
    check_type(z, "f32[3]");
    assert_int_equal(fsr_node_rec(z)->op, FSR_OP_CAST);
    assert_int_equal(fsr_node_rec(z)->arg[0].id, y.id);
    assert_int_equal(fsr_node_rec(fsr_cast(fsr_int(g, 300), FSR_U8))->value.u8, 44);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(promotion_of_pairs),
        TEST(promotion_of_literals),
        TEST(floats_of_integers),
        TEST(literals_stay_weak),
        TEST(literals_out_of_range),
        TEST(literals_are_converted),
        TEST(broadcasting),
        TEST(broadcast_is_a_view),
        TEST(views_of_a_matrix),
        TEST(slices),
        TEST(reshapes),
        TEST(reductions),
        TEST(nothing_to_reduce),
        TEST(counts_are_parameters),
        TEST(scans),
        TEST(literals_and_counting),
        TEST(parameters),
        TEST(casts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
