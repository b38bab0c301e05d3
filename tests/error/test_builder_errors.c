/* SPDX-License-Identifier: MIT */
/* One misuse of the builder, one exact status and message. */
#include "tests/error/misuse.h"

static fsr_node two_shapes(void) {
    return fsr_add_at(AT, m34, v5);
}
static fsr_node three_shapes(void) {
    return fsr_where_at(AT, b3, m34, v5);
}
static fsr_node sub_bools(void) {
    return fsr_sub_at(AT, b3, b3);
}
static fsr_node neg_bool(void) {
    return fsr_neg_at(AT, b3);
}
static fsr_node pow_negative(void) {
    return fsr_pow_at(AT, i3, fsr_full(g, FSR_I32, 1, (int64_t[]){3}, -2));
}
static fsr_node shift_floats(void) {
    return fsr_left_shift_at(AT, f0, i3);
}
static fsr_node ldexp_by_float(void) {
    return fsr_ldexp_at(AT, v5, v5);
}
static fsr_node frexp_complex(void) {
    fsr_node m, e, z = fsr_mul(v5, fsr_complex(g, 0, 1));
    fsr_frexp_at(AT, z, &m, &e);
    assert_string_equal(fsr_node_error(e), "frexp_exponent: not defined for c64[5] (prog.c:12)");
    return m;
}
static fsr_node fma_bools(void) {
    return fsr_fma_at(AT, b3, b3, b3);
}
static fsr_node literal_too_large(void) {
    return fsr_add_at(AT, u3, fsr_int(g, 256));
}
static fsr_node literal_negative(void) {
    return fsr_mul_at(AT, fsr_int(g, -1), u3);
}
static fsr_node literal_arithmetic(void) {
    return fsr_maximum_at(AT, i3, fsr_mul(fsr_int(g, 65536), fsr_int(g, 65536)));
}
static fsr_node literal_in_where(void) {
    return fsr_where_at(AT, b3, u3, fsr_int(g, 1000));
}
static fsr_node two_graphs(void) {
    return fsr_add_at(AT, m34, foreign);
}
static fsr_node two_graphs_turned(void) {
    return fsr_add_at(AT, foreign, m34);
}
static fsr_node null_operand(void) {
    return fsr_add_at(AT, m34, (fsr_node){0});
}
static fsr_node only_null_operands(void) {
    return fsr_add_at(AT, (fsr_node){0}, (fsr_node){0});
}
static fsr_node stale_operand(void) {
    return fsr_mul_at(AT, stale, m34);
}
static fsr_node only_stale_operand(void) {
    return fsr_neg_at(AT, stale);
}
static fsr_node no_such_output(void) {
    fsr_node x = m34;
    x.output = 3;
    return fsr_neg_at(AT, x);
}
static fsr_node result_too_large(void) {
    fsr_node a = fsr_input(g, "a", FSR_F64, 2, SHAPE(1LL << 31, 1)),
             b = fsr_input(g, "b", FSR_F64, 1, SHAPE(1LL << 31));
    return fsr_add_at(AT, a, b);
}
static fsr_node cast_to_nothing(void) {
    return fsr_cast_at(AT, m34, (fsr_dtype)99);
}
static fsr_node cast_too_large(void) {
    return fsr_cast_at(AT, fsr_input(g, "a", FSR_U8, 1, SHAPE(1LL << 61)), FSR_F32);
}
static fsr_node input_dtype(void) {
    return fsr_input_at(AT, g, "x", (fsr_dtype)99, 0, NULL);
}
static fsr_node input_negative(void) {
    return fsr_input_at(AT, g, "x", FSR_F32, 2, SHAPE(3, -2));
}
static fsr_node input_overflow(void) {
    return fsr_input_at(AT, g, "x", FSR_F32, 2, SHAPE(INT64_MAX, 2));
}
static fsr_node input_bytes_overflow(void) {
    return fsr_input_at(AT, g, "x", FSR_F64, 1, SHAPE(1LL << 60));
}
static fsr_node input_empty_overflow(void) {
    return fsr_input_at(AT, g, "x", FSR_F32, 3, SHAPE(1LL << 40, 0, 1LL << 40));
}
static fsr_node input_dimensions(void) {
    return fsr_input_at(AT, g, "x", FSR_F32, 9, SHAPE(1, 1, 1, 1, 1, 1, 1, 1, 1));
}
static fsr_node input_negative_ndim(void) {
    return fsr_input_at(AT, g, "x", FSR_F32, -1, NULL);
}
static fsr_node input_no_shape(void) {
    return fsr_input_at(AT, g, "x", FSR_F32, 1, NULL);
}
static fsr_node input_no_name(void) {
    return fsr_input_at(AT, g, NULL, FSR_F32, 0, NULL);
}
static fsr_node input_empty_name(void) {
    return fsr_input_at(AT, g, "", FSR_F32, 0, NULL);
}
static fsr_node input_bad_name(void) {
    return fsr_input_at(AT, g, "a b", FSR_F32, 0, NULL);
}
static fsr_node param_long_name(void) {
    return fsr_param_at(AT, g, "a23456789_123456789_123456789_123456789_123456789_123456789_1234", FSR_F32, 1);
}
static fsr_node param_dtype(void) {
    return fsr_param_at(AT, g, "p", (fsr_dtype)-1, 1);
}
static fsr_node param_of_dtype(void) {
    return fsr_param_of_at(AT, g, "p", (fsr_dtype)99, &(double){1});
}
static fsr_node param_of_name(void) {
    return fsr_param_of_at(AT, g, NULL, FSR_F64, &(double){1});
}
static fsr_node param_of_null(void) {
    return fsr_param_of_at(AT, g, "p", FSR_F64, NULL);
}
static fsr_node full_of_null(void) {
    return fsr_full_of_at(AT, g, FSR_I64, 1, SHAPE(3), NULL);
}
static fsr_node full_negative(void) {
    return fsr_full_at(AT, g, FSR_F32, 1, SHAPE(-1), 0);
}
static fsr_node less_complex(void) {
    return fsr_less_at(AT, INPUT(g, FSR_C64, 3), INPUT(g, FSR_F32, 3));
}
static fsr_node complex_of_complex(void) {
    return fsr_complex_of_at(AT, INPUT(g, FSR_C64, 3), INPUT(g, FSR_F32, 3));
}
static fsr_node sign_bool(void) {
    return fsr_sign_at(AT, INPUT(g, FSR_BOOL, 3));
}
static fsr_node arange_bool(void) {
    return fsr_arange_at(AT, g, FSR_BOOL, 2);
}
static fsr_node arange_negative(void) {
    return fsr_arange_at(AT, g, FSR_I32, -5);
}
static fsr_node poisoned_operand(void) {
    return fsr_exp(fsr_mul(fsr_int(g, 2), fsr_sum(fsr_add_at(AT, m34, v5), NULL, 0, 0)));
}
static fsr_node first_poison(void) {
    return fsr_add(fsr_cast_at(AT, m34, (fsr_dtype)99), fsr_add(m34, v5));
}

static const misuse misuses[] = {
    {two_shapes, FSR_ERR_SHAPE, "add: shapes f32[3,4] and f32[5] do not broadcast (prog.c:12)"},
    {three_shapes, FSR_ERR_SHAPE, "where: shapes bool[3], f32[3,4] and f32[5] do not broadcast (prog.c:12)"},
    {sub_bools, FSR_ERR_DTYPE, "sub: not defined for bool[3] and bool[3] (prog.c:12)"},
    {neg_bool, FSR_ERR_DTYPE, "neg: not defined for bool[3] (prog.c:12)"},
    {pow_negative, FSR_ERR_VALUE, "pow: an integer array has no power -2 (prog.c:12)"},
    {shift_floats, FSR_ERR_DTYPE, "left_shift: not defined for f32[] and i32[3] (prog.c:12)"},
    {ldexp_by_float, FSR_ERR_DTYPE, "ldexp: not defined for f32[5] and f32[5] (prog.c:12)"},
    {frexp_complex, FSR_ERR_DTYPE, "frexp_mantissa: not defined for c64[5] (prog.c:12)"},
    {fma_bools, FSR_ERR_DTYPE, "fma: not defined for bool[3], bool[3] and bool[3] (prog.c:12)"},
    {literal_too_large, FSR_ERR_VALUE, "add: the literal 256 does not fit u8 (prog.c:12)"},
    {literal_negative, FSR_ERR_VALUE, "mul: the literal -1 does not fit u8 (prog.c:12)"},
    {literal_arithmetic, FSR_ERR_VALUE, "maximum: the literal 4294967296 does not fit i32 (prog.c:12)"},
    {literal_in_where, FSR_ERR_VALUE, "where: the literal 1000 does not fit u8 (prog.c:12)"},
    {two_graphs, FSR_ERR_GRAPH, "add: operand 2, f64[3], belongs to another graph (prog.c:12)"},
    {two_graphs_turned, FSR_ERR_GRAPH, "add: operand 2, f32[3,4], belongs to another graph (prog.c:12)"},
    {null_operand, FSR_ERR_NULL, "add: operand 2 is a null handle (prog.c:12)"},
    {only_null_operands, FSR_ERR_NULL, ""},
    {stale_operand, FSR_ERR_STALE, "mul: operand 1 is a stale handle (prog.c:12)"},
    {only_stale_operand, FSR_ERR_STALE, "neg: operand 1 is a stale handle (prog.c:12)"},
    {no_such_output, FSR_ERR_STALE, "neg: operand 1 is a stale handle (prog.c:12)"},
    {result_too_large, FSR_ERR_SIZE, "add: the size of f64[2147483648,2147483648] overflows (prog.c:12)"},
    {cast_to_nothing, FSR_ERR_DTYPE, "cast: 99 is no dtype (prog.c:12)"},
    {cast_too_large, FSR_ERR_SIZE, "cast: the size of f32[2305843009213693952] overflows (prog.c:12)"},
    {input_dtype, FSR_ERR_DTYPE, "input: 99 is no dtype (prog.c:12)"},
    {input_negative, FSR_ERR_SIZE, "input: the shape [3,-2] has a negative extent (prog.c:12)"},
    {input_overflow, FSR_ERR_SIZE, "input: the size of f32[9223372036854775807,2] overflows (prog.c:12)"},
    {input_bytes_overflow, FSR_ERR_SIZE, "input: the size of f64[1152921504606846976] overflows (prog.c:12)"},
    {input_empty_overflow, FSR_ERR_SIZE, "input: the size of f32[1099511627776,0,1099511627776] overflows (prog.c:12)"},
    {input_dimensions, FSR_ERR_SHAPE, "input: 9 dimensions; at most 8 are possible (prog.c:12)"},
    {input_negative_ndim, FSR_ERR_SHAPE, "input: -1 dimensions; at most 8 are possible (prog.c:12)"},
    {input_no_shape, FSR_ERR_NULL, "input: the shape is null (prog.c:12)"},
    {input_no_name, FSR_ERR_NULL, "input: the name is null (prog.c:12)"},
    {input_empty_name, FSR_ERR_VALUE, "input: the name \"\" is not 1 to 63 letters, digits and _ (prog.c:12)"},
    {input_bad_name, FSR_ERR_VALUE, "input: the name \"a b\" is not 1 to 63 letters, digits and _ (prog.c:12)"},
    {param_long_name, FSR_ERR_VALUE,
     "param: the name \"a23456789_123456789_123456789_123456789_123456789_123456789_1234\" is not 1 to 63 letters, "
     "digits and _ (prog.c:12)"},
    {param_dtype, FSR_ERR_DTYPE, "param: -1 is no dtype (prog.c:12)"},
    {full_negative, FSR_ERR_SIZE, "full: the shape [-1] has a negative extent (prog.c:12)"},
    {less_complex, FSR_ERR_DTYPE, "less: not defined for c64[3] and f32[3] (prog.c:12)"},
    {complex_of_complex, FSR_ERR_DTYPE, "complex_of: not defined for c64[3] and f32[3] (prog.c:12)"},
    {sign_bool, FSR_ERR_DTYPE, "sign: not defined for bool[3] (prog.c:12)"},
    {arange_bool, FSR_ERR_DTYPE, "arange: bool does not count (prog.c:12)"},
    {arange_negative, FSR_ERR_SIZE, "arange: the shape [-5] has a negative extent (prog.c:12)"},
    {param_of_dtype, FSR_ERR_DTYPE, "param_of: 99 is no dtype (prog.c:12)"},
    {param_of_name, FSR_ERR_NULL, "param_of: the name is null (prog.c:12)"},
    {param_of_null, FSR_ERR_NULL, "param_of: the value is null (prog.c:12)"},
    {full_of_null, FSR_ERR_NULL, "full_of: the value is null (prog.c:12)"},
    {poisoned_operand, FSR_ERR_SHAPE, "add: shapes f32[3,4] and f32[5] do not broadcast (prog.c:12)"},
    {first_poison, FSR_ERR_DTYPE, "cast: 99 is no dtype (prog.c:12)"},
};

static void every_misuse(void **state) {
    (void)state;
    CHECK_MISUSES(misuses);
}

/* A mistake records one node, what is built on it none. */
static void poison_is_one_node(void **state) {
    (void)state;
    fsr_node bad = fsr_add(m34, v5);
    int64_t before = fsr_graph_live(g);
    for (int i = 0; i < 1000; i++)
        bad = fsr_var(fsr_reshape(fsr_cumsum(fsr_exp(bad), AXES(0), 1, 0), 0, NULL), NULL, 0, 0, 0);
    assert_int_equal(fsr_graph_live(g), before);
}

static void null_places(void **state) {
    (void)state;
    const fsr_node out = {0};
    assert_null(fsr_float(NULL, 1).graph);
    assert_null(fsr_full(NULL, FSR_F32, 1, SHAPE(3), 1).graph);
    assert_null(fsr_arange(NULL, FSR_F32, 3).graph);
    assert_null(fsr_param(NULL, "p", FSR_F32, 3).graph);
    assert_null(fsr_sum(out, NULL, 0, 0).graph);
    assert_null(fsr_argmax(out, NULL, 0, 0).graph);
    assert_null(fsr_var(out, NULL, 0, 0, 0).graph);
    assert_null(fsr_reshape(out, 0, NULL).graph);
    assert_null(fsr_cast(out, FSR_F32).graph);
    assert_null(fsr_hint_set(out, FSR_HINT_INLINE).graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(every_misuse), TEST(poison_is_one_node), TEST(null_places)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
