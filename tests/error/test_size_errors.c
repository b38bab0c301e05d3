/* SPDX-License-Identifier: MIT */
/* Sizes that do not fit 64 bits: every builder, on arrays as large as can be described.
 *
 * An array of 2^61 + 1 bytes is fine until somebody makes it an array of 8 bytes an element: a cast, the dtype that two
 * arrays have together, a sum's 64 bits, positions, counts. What is recorded then is refused, whoever records it. Each
 * builder is called on arrays of one byte an element of many extremes. Whatever comes out, every node of the graph has
 * bytes that fit (fsr_graph_verify looks, after each test), and a result is sound with a size or FSR_ERR_SIZE.
 * Counter-example to a list of the builders that widen: the next one that does is not in it. */
#include "primitives/primitives.h"
#include "tests/support/one_graph.h"
#include <math.h>

#define AT fsr_here("prog.c", 12)
#define WIDE (((int64_t)1 << 61) + 1)
#define AXES(...) ((const int[]){__VA_ARGS__})

static fsr_node huge(fsr_dtype dtype, int64_t n) {
    return fsr_broadcast_to(fsr_input(g, "x", dtype, 1, SHAPE(1)), 1, &n);
}

/* ---- exact messages ---------------------------------------------------------------------------------------- */

static void turn(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    (void)arg;
    (void)user;
    out[0] = state[0];
}

static fsr_node count_of_loop(fsr_node x) {
    fsr_node out[2];
    fsr_iterate_at(AT, sizeof(fsr_loop), out, &(fsr_loop){turn, NULL, NULL, 1, 0}, &x, NULL, 3);
    assert_true(out[0].id == out[1].id);
    return out[1];
}

/* Says what overflows, where. */
static void widened(void **state) {
    (void)state;
    fsr_node x = huge(FSR_U8, WIDE), f = fsr_full(g, FSR_F64, 1, SHAPE(1), 0), column = fsr_expand(x, 1);
    const struct {
        fsr_node node;
        const char *message;
    } cases[] = {
        {fsr_concat_at(AT, (fsr_node[]){x, f}, 2, 0),
         "view: the size of f64[2305843009213693954] overflows (prog.c:12)"},
        {fsr_stack_at(AT, (fsr_node[]){x, fsr_broadcast_to(x, 1, SHAPE(WIDE))}, 2, 0), NULL},
        {fsr_sum_at(AT, x, NULL, 0, 0), "cast: the size of u64[2305843009213693953] overflows (prog.c:12)"},
        {fsr_sum_at(AT, column, AXES(1), 1, 0), "cast: the size of u64[2305843009213693953,1] overflows (prog.c:12)"},
        {fsr_argmax_at(AT, x, NULL, 0, 0), "index: the size of i64[2305843009213693953] overflows (prog.c:12)"},
        {fsr_argmax_at(AT, column, AXES(1), 1, 0),
         "index: the size of i64[2305843009213693953,1] overflows (prog.c:12)"},
        {fsr_cumsum_at(AT, x, AXES(0), 1, 0), "cast: the size of u64[2305843009213693953] overflows (prog.c:12)"},
        {count_of_loop(x), "iterate: the size of i32[2305843009213693953] overflows (prog.c:12)"},
        {fsr_add_at(AT, x, fsr_float(g, 1)), "add: the size of f64[2305843009213693953] overflows (prog.c:12)"},
        {fsr_max_at(AT, x, NULL, 0, 0), NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(fsr_node_error(cases[i].node), cases[i].message ? cases[i].message : "");
        assert_int_equal(fsr_node_status(cases[i].node), cases[i].message ? FSR_ERR_SIZE : FSR_OK);
    }
}

/* ---- every builder ------------------------------------------------------------------------------------------- */

/* A result is sound with bytes that fit, or refused for its size; what bool does not have is not for this test. */
static void take(const char *name, fsr_node x) {
    fsr_status status = fsr_node_status(x);
    if (status != FSR_ERR_SIZE && status != FSR_ERR_DTYPE && (status || fsr_node_bytes(x) < 0))
        fail_msg("%s: %s, %lld bytes: %s", name, fsr_status_name(status), (long long)fsr_node_bytes(x),
                 fsr_node_error(x));
}

static void reductions(fsr_node x) {
    fsr_node (*const plain[])(fsr_site, fsr_node, const int *, int, int) = {
        fsr_sum_at,    fsr_prod_at,   fsr_min_at,       fsr_max_at,       fsr_mean_at,
        fsr_any_at,    fsr_all_at,    fsr_ptp_at,       fsr_nansum_at,    fsr_nanprod_at,
        fsr_nanmin_at, fsr_nanmax_at, fsr_nanmean_at,   fsr_logsumexp_at, fsr_count_nonzero_at,
        fsr_argmax_at, fsr_argmin_at, fsr_nanargmax_at, fsr_nanargmin_at};
    fsr_node (*const spread[])(fsr_site, fsr_node, const int *, int, int,
                               double) = {fsr_var_at, fsr_std_at, fsr_nanvar_at, fsr_nanstd_at, fsr_norm_at};
    fsr_node (*const scan[])(fsr_site, fsr_node, const int *, int, int) = {
        fsr_cumsum_at, fsr_cumprod_at, fsr_cummax_at, fsr_cummin_at, fsr_cumany_at, fsr_cumall_at};
    for (int flags = 0; flags <= FSR_KEEPDIMS; flags++)
        for (int all = 0; all < 2; all++) {
            const int *axes = all ? NULL : AXES(0);
            for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
                take("a reduction", plain[i](AT, x, axes, 1, flags));
            for (size_t i = 0; i < sizeof spread / sizeof *spread; i++)
                take("a variance", spread[i](AT, x, axes, 1, flags, 1));
            take("norm", fsr_norm_at(AT, x, axes, 1, flags, INFINITY));
            take("average", fsr_average_at(AT, x, fsr_cast(x, FSR_F16), axes, 1, flags));
        }
    for (size_t i = 0; i < sizeof scan / sizeof *scan; i++)
        for (int flags = 0; flags <= (FSR_EXCLUSIVE | FSR_REVERSE); flags += 2)
            for (int all = 0; all < 2; all++)
                take("a scan", scan[i](AT, x, all ? NULL : AXES(0), 1, flags));
}

static void plus(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    const int *n = user;
    for (int i = 0; i < *n; i++)
        out[i] = fsr_maximum(left[i], right[i]);
}

static void operators(fsr_node x) {
    int n = 2;
    fsr_node out[2], in[2] = {x, x};
    fsr_operator op = {plus, &n, 2, {0, 0}, true, {NULL}};
    fsr_reduce_with_at(AT, sizeof(fsr_operator), out, in, &op, AXES(0), 1, 0);
    take("reduce_with", out[1]);
    fsr_scan_with_at(AT, sizeof(fsr_operator), out, in, &op, AXES(0), 1, 0);
    take("scan_with", out[1]);
    take("iterate", count_of_loop(x));
    take("filter", fsr_filter_at(AT, x, fsr_cast(x, FSR_BOOL), fsr_int(g, 0)));
}

static void views(fsr_node x) {
    const int64_t n = fsr_node_size(x), extremes[] = {0, 1, n, WIDE, INT64_MAX, INT64_MAX - 1};
    fsr_node out[2];
    for (size_t i = 0; i < sizeof extremes / sizeof *extremes; i++) {
        int64_t e = extremes[i];
        int ndim = fsr_node_ndim(x);
        int64_t width[2][2] = {{e, n}, {0, 1}}, reps[2] = {e, 2};
        for (int mode = FSR_PAD_CONSTANT; mode <= FSR_PAD_WRAP; mode++) {
            fsr_node y = fsr_pad_at(AT, x, (const int64_t(*)[2])width, (fsr_pad)mode, 1);
            if (fsr_node_status(y) != FSR_ERR_UNSUPPORTED) /* more than 60 rounds */
                take("pad", y);
        }
        take("tile", fsr_tile_at(AT, x, ndim, reps));
        take("repeat", fsr_repeat_at(AT, x, e, NULL));
        take("repeat", fsr_repeat_at(AT, x, e, AXES(0)));
        for (int sign = -1; sign <= 1; sign += 2) {
            take("slice", fsr_slice_at(AT, x, 0, 0, FSR_SLICE_END, e ? sign * e : 1));
            take("slice", fsr_slice_at(AT, fsr_slice_at(AT, x, 0, sign * e, -e, 3), 0, e, sign * e, e ? sign * e : 1));
            take("roll", fsr_roll_at(AT, x, SHAPE(sign * e), AXES(0), 1));
            take("triu", fsr_triu_at(AT, x, sign * e));
            take("tril", fsr_tril_at(AT, x, sign * e));
        }
        take("roll", fsr_roll_at(AT, x, SHAPE(e, e), NULL, 2));
        fsr_split_indices_at(AT, out, x, SHAPE(e), 1, 0);
        take("split_indices", out[1]);
    }
    fsr_split_at(AT, out, x, 1, 0);
    take("split", out[0]);
    take("flip", fsr_flip_at(AT, x, 0));
    take("ravel", fsr_ravel_at(AT, x));
    take("expand", fsr_expand_at(AT, x, -1));
    take("transpose", fsr_transpose_at(AT, x, NULL));
    take("diff", fsr_diff_at(AT, x, 3, 0));
    take("full_like", fsr_full_like_at(AT, x, 1));
    take("broadcast_to", fsr_broadcast_to_at(AT, fsr_expand_at(AT, fsr_ravel_at(AT, x), 0), 2, SHAPE(WIDE, n)));
    fsr_meshgrid_at(AT, out, (fsr_node[]){fsr_ravel_at(AT, x), fsr_arange(g, FSR_U8, 3)}, 2, FSR_XY);
    take("meshgrid", out[0]);
    take("update", fsr_update_at(AT, x, fsr_slice(x, 0, 0, FSR_SLICE_END, 2), fsr_float(g, 1)));
}

static void joins(fsr_node x) {
    static const fsr_dtype dtypes[] = {FSR_BOOL, FSR_U8, FSR_I16, FSR_F32, FSR_C128};
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
        fsr_node other = fsr_full(g, dtypes[i], fsr_node_ndim(x), SHAPE(1, fsr_node_dim(x, -1)), 0);
        fsr_node same = fsr_broadcast_to(fsr_full(g, dtypes[i], 0, NULL, 0), fsr_node_ndim(x),
                                         SHAPE(fsr_node_dim(x, 0), fsr_node_dim(x, -1)));
        if (fsr_node_ndim(x) == 2) {
            take("concat", fsr_concat_at(AT, (fsr_node[]){x, other}, 2, 0));
            take("concat", fsr_concat_at(AT, (fsr_node[]){other, x}, 2, 0));
        }
        take("concat", fsr_concat_at(AT, (fsr_node[]){x, same, x}, 3, -1));
        take("stack", fsr_stack_at(AT, (fsr_node[]){x, same, x}, 3, 0));
        take("stack", fsr_stack_at(AT, (fsr_node[]){same, x}, 2, -1));
        take("where", fsr_where_at(AT, x, same, x));
        take("cast", fsr_cast_at(AT, x, dtypes[i]));
    }
}

/* Every scalar operation, with an operand that makes it wide. */
static void operations(fsr_node x) {
    for (int op = 0; op < FSR_OP_COUNT; op++) {
        fsr_node args[3] = {x, x, x}, wide[3] = {x, fsr_full(g, FSR_F64, 0, NULL, 1), x};
        int n = fsr_op_get((fsr_op)op)->arity;
        if (op == FSR_OP_CAST)
            continue;
        for (int i = 0; i < 2; i++) {
            take(fsr_op_get((fsr_op)op)->name, fsr_map(AT, (fsr_op)op, i ? wide : args, n));
        }
    }
}

/* Scatters, searches and segments, of an array of one dimension. */
static void places(fsr_node x) {
    typedef fsr_node (*scatter_fn)(fsr_site at, fsr_node x, const fsr_node *arrays, int n, fsr_node values,
                                   fsr_index_mode mode, int flags);
    typedef fsr_node (*segment_fn)(fsr_site at, fsr_node x, fsr_node offsets);
    static const scatter_fn scatters[] = {fsr_scatter_at, fsr_scatter_add_at, fsr_scatter_max_at, fsr_scatter_mul_at};
    static const segment_fn segments[] = {fsr_segment_sum_at,    fsr_segment_min_at,   fsr_segment_prod_at,
                                          fsr_segment_argmin_at, fsr_segment_first_at, fsr_segment_last_at};
    const fsr_node flat = fsr_ravel(x), few = fsr_arange(g, FSR_I64, 3), one = fsr_cast(few, fsr_node_dtype(x));
    fsr_node run[2], none = {0};
    for (size_t i = 0; i < sizeof scatters / sizeof *scatters; i++) {
        take("scatter", scatters[i](AT, flat, &few, 1, one, FSR_INDEX_CLIP, 0));
        if (fsr_node_dtype(x) != FSR_BOOL)
            take("scatter", scatters[i](AT, one, &flat, 1, flat, FSR_INDEX_CLIP, 0));
    }
    for (size_t i = 0; i < sizeof segments / sizeof *segments; i++) {
        take("a segment", segments[i](AT, x, few));
        if (fsr_node_dtype(x) != FSR_BOOL)
            take("many segments", segments[i](AT, one, flat));
    }
    take("segment_cumsum", fsr_segment_cumsum_at(AT, x, few, FSR_EXCLUSIVE));
    fsr_runs_at(AT, run, flat);
    take("runs", run[0]);
    take("searchsorted", fsr_searchsorted_at(AT, flat, x, FSR_LEFT));
    take("digitize", fsr_digitize_at(AT, x, few, false));
    take("interp", fsr_interp_at(AT, x, few, few, none, none));
    take("interp", fsr_interp_at(AT, few, flat, flat, none, none));
    take("interp_period", fsr_interp_period_at(AT, few, flat, flat, 7));
}

/* The row function turns rows of u8 into rows of f64. */
static void widen(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    out[0] = fsr_add(in[0], fsr_float(in[0].graph, 0.5));
}

static void rows(fsr_node x) {
    fsr_node out, column = fsr_expand(fsr_ravel(x), 1);
    fsr_vectorize_at(AT, &out, 1, &column, 1, "(n)->(n)", widen, NULL);
    take("vectorize", out);
    fsr_native f = {.name = "half", .result = FSR_F64, .parameters = "u8 x", .c = "return x * 0.5;"};
    take("call_native", fsr_call_native_at(AT, sizeof(fsr_native), &f, (fsr_node[]){fsr_cast(x, FSR_U8)}, 1));
}

static void leaves(int64_t n) {
    for (int d = 0; d < FSR_DTYPE_COUNT; d++) {
        fsr_dtype dtype = (fsr_dtype)d;
        fsr_node x[] = {fsr_full_at(AT, g, dtype, 2, SHAPE(n, 1), 1),
                        fsr_zeros_at(AT, g, dtype, 1, &n),
                        fsr_ones_at(AT, g, dtype, 2, SHAPE(0, n)),
                        fsr_eye_at(AT, g, dtype, n, 2, -n),
                        fsr_eye_at(AT, g, dtype, 1, n, n),
                        fsr_linspace_at(AT, g, dtype, 0, 1, n, true),
                        fsr_input_at(AT, g, "y", dtype, 2, SHAPE(n, n))};
        for (size_t i = 0; i < sizeof x / sizeof *x; i++)
            take("a leaf", x[i]);
        if (dtype != FSR_BOOL)
            take("arange", fsr_arange_at(AT, g, dtype, n));
    }
}

static void every_builder(void **state) {
    (void)state;
    static const fsr_dtype dtypes[] = {FSR_BOOL, FSR_I8, FSR_U8};
    const int64_t extents[] = {WIDE - 1, WIDE, 2 * WIDE, INT64_MAX / 2, INT64_MAX - 1, ((int64_t)1 << 60) - 1};
    for (size_t i = 0; i < sizeof extents / sizeof *extents; i++) {
        for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
            for (int ndim = 1; ndim <= 2; ndim++) {
                int64_t shape[2] = {ndim == 1 ? extents[i] : 3, extents[i] / 3};
                fsr_node x = fsr_broadcast_to(fsr_input(g, "x", dtypes[d], 0, NULL), ndim, shape);
                assert_int_equal(fsr_node_status(x), FSR_OK);
                fsr_scope_begin(g);
                reductions(x);
                operators(x);
                views(x);
                joins(x);
                operations(x);
                rows(x);
                places(x);
                char why[200];
                if (fsr_graph_verify(g, why, sizeof why))
                    fail_msg("%s", why);
                fsr_scope_end(g, NULL, 0);
            }
        leaves(extents[i]);
    }
}

/* ---- copies of nothing ------------------------------------------------------------------------------------- */

static void empty(fsr_node x, int ndim, const int64_t *shape) {
    assert_int_equal(fsr_node_status(x), FSR_OK);
    assert_int_equal(fsr_node_ndim(x), ndim);
    for (int i = 0; i < ndim; i++)
        assert_true(fsr_node_dim(x, i) == shape[i]);
}

/* As NumPy: no element, however often it is repeated. What no shape can say stays an error. */
static void copies_of_nothing(void **state) {
    (void)state;
    const int64_t huge = (int64_t)1 << 62;
    const int first = 0, second = 1;
    fsr_node none = INPUT(g, FSR_F64, 0), wide = INPUT(g, FSR_F64, 0, 3), tall = INPUT(g, FSR_F64, 3, 0);
    empty(fsr_tile(none, 1, &huge), 1, SHAPE(0));
    empty(fsr_repeat(none, huge, &first), 1, SHAPE(0));
    empty(fsr_repeat(none, huge, NULL), 1, SHAPE(0));
    empty(fsr_tile(wide, 2, SHAPE(huge, 2)), 2, SHAPE(0, 6));
    empty(fsr_repeat(tall, huge, &second), 2, SHAPE(3, 0));
    empty(fsr_tile(INPUT(g, FSR_F64, 5), 1, SHAPE(0)), 1, SHAPE(0));
    assert_int_equal(fsr_node_status(fsr_tile(wide, 2, SHAPE(1, huge))), FSR_ERR_SIZE);
    assert_int_equal(fsr_node_status(fsr_repeat(tall, huge, &first)), FSR_ERR_SIZE);
}

/* ---- the arithmetic -------------------------------------------------------------------------------------------- */

static void sums_and_products(void **state) {
    (void)state;
    const int64_t most = INT64_MAX, half = (int64_t)1 << 62;
    assert_true(fsr_size_add(most - 1, 1) == FSR_SIZE_OVER && fsr_size_add(most - 2, 1) == most - 1);
    assert_true(fsr_size_add(FSR_SIZE_OVER, 0) == FSR_SIZE_OVER && fsr_size_add(half, half) == FSR_SIZE_OVER);
    assert_true(fsr_size_mul(half, 2) == FSR_SIZE_OVER && fsr_size_mul(half - 1, 2) == most - 1);
    assert_true(fsr_size_mul(FSR_SIZE_OVER, 1) == FSR_SIZE_OVER && fsr_size_mul(FSR_SIZE_OVER, 0) == 0);
    assert_true(fsr_ceil_div(most, 256) == ((int64_t)1 << 55) && fsr_ceil_div(0, 7) == 0 && fsr_ceil_div(8, 7) == 2);
    assert_true(fsr_round_up(most - 1, 256) == FSR_SIZE_OVER && fsr_round_up(FSR_SIZE_OVER, 1) == FSR_SIZE_OVER);
    assert_true(fsr_round_up(257, 256) == 512 && fsr_round_up(512, 256) == 512 && fsr_round_up(0, 256) == 0);
    assert_false(fsr_size_fits(-1) || fsr_size_fits(FSR_SIZE_OVER) || !fsr_size_fits(most - 1));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(widened, setup, teardown),
                                       cmocka_unit_test_setup_teardown(every_builder, setup, teardown),
                                       cmocka_unit_test_setup_teardown(copies_of_nothing, setup, teardown),
                                       cmocka_unit_test(sums_and_products)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
