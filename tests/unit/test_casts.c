/* SPDX-License-Identifier: MIT */
/* Conversions between dtypes: floats that saturate, integers that wrap, halves rounded once; by hand and in 128-bit
 * arithmetic. */
#include "tests/support/op_values.h"

static fsr_value cast(fsr_dtype to, fsr_dtype from, fsr_value v) {
    fsr_value out = fsr_op_eval(FSR_OP_CAST, from, to, &v);
    assert_true(out.bits == fsr_value_cast(to, from, v).bits);
    return out;
}

static void test_casts_from_float(void **state) {
    (void)state;
    static const struct {
        double x;
        int b, u8;
        int64_t i32, i64;
    } row[] = {
        {0.0, 0, 0, 0, 0},
        {-0.0, 0, 0, 0, 0},
        {0.4, 1, 0, 0, 0},
        {-0.9, 1, 0, 0, 0},
        {-1.5, 1, 0, -1, -1},
        {254.99, 1, 254, 254, 254},
        {255.5, 1, 255, 255, 255},
        {300, 1, 255, 300, 300},
        {2147483648.0, 1, 255, INT32_MAX, 2147483648},
        {-2147483904.0, 1, 0, INT32_MIN, -2147483904},
        {9223372036854775808.0, 1, 255, INT32_MAX, INT64_MAX},
        {-9223372036854775808.0, 1, 0, INT32_MIN, INT64_MIN},
        {-1e30, 1, 0, INT32_MIN, INT64_MIN},
        {HUGE_VAL, 1, 255, INT32_MAX, INT64_MAX},
        {-HUGE_VAL, 1, 0, INT32_MIN, INT64_MIN},
        {NAN, 1, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        for (int from = FSR_F32; from <= FSR_F64; from++) {
            fsr_value x = from_float((fsr_dtype)from, row[i].x);
            assert_int_equal(cast(FSR_BOOL, (fsr_dtype)from, x).bits, row[i].b);
            assert_int_equal(cast(FSR_U8, (fsr_dtype)from, x).bits, row[i].u8);
            assert_int_equal(cast(FSR_I32, (fsr_dtype)from, x).i32, row[i].i32);
            assert_int_equal(cast(FSR_I64, (fsr_dtype)from, x).i64, row[i].i64);
        }
    fsr_value tie = {.f64 = 1.0 + 0x1p-24};
    assert_true(cast(FSR_F32, FSR_F64, tie).f32 == 1.0f);
    tie.f64 = 1e300;
    assert_true(isinf(cast(FSR_F32, FSR_F64, tie).f32));
    assert_true(cast(FSR_F64, FSR_F32, from_float(FSR_F32, 0x1p-149)).f64 == 0x1p-149);
}

static void test_casts_from_int(void **state) {
    (void)state;
    for (int from = FSR_BOOL; from <= FSR_U64; from++)
        for (int to = FSR_BOOL; to <= FSR_U64; to++) {
            fsr_value x[MAX_SPECIALS];
            int n = specials((fsr_dtype)from, x);
            for (int i = 0; i < n; i++) {
                fsr_value want = from_wide_int((fsr_dtype)to, to_wide_int((fsr_dtype)from, x[i]));
                assert_int_equal(cast((fsr_dtype)to, (fsr_dtype)from, x[i]).bits, want.bits);
            }
        }
    fsr_value big = {.i64 = (INT64_C(1) << 54) + (INT64_C(1) << 30) +
                            1}; /* through double it would be a tie, rounded down */
    assert_true(cast(FSR_F32, FSR_I64, big).f32 == 0x1.000002p54f);
    big.i64 = INT64_MAX;
    assert_true(cast(FSR_F64, FSR_I64, big).f64 == 0x1p63);
    big.i64 = INT64_MIN;
    assert_true(cast(FSR_F32, FSR_I64, big).f32 == -0x1p63f);
    fsr_value odd = {.b = 7};
    assert_true(cast(FSR_I64, FSR_BOOL, odd).i64 == 1);
    assert_true(cast(FSR_F32, FSR_BOOL, odd).f32 == 1.0f);
    fsr_value dirty = {.bits = UINT64_MAX};
    assert_int_equal(cast(FSR_U8, FSR_U8, dirty).bits, 255);
    assert_int_equal(cast(FSR_I32, FSR_I32, dirty).bits, UINT32_MAX);
}

/* Every number of f16 and bf16 there and back, and every f32 around the places where they round. */
static void test_halves(void **state) {
    (void)state;
    for (int dtype = FSR_F16; dtype <= FSR_BF16; dtype++)
        for (unsigned bits = 0; bits <= UINT16_MAX; bits++) {
            fsr_value x = {.u16 = (uint16_t)bits};
            double number = half_number((fsr_dtype)dtype, x.u16), got = fsr_value_to_double((fsr_dtype)dtype, x);
            if (isnan(number) ? !isnan(got) : got != number || signbit(got) != signbit(number))
                fail_msg("%s %04x is %a, not %a", fsr_dtype_name((fsr_dtype)dtype), bits, got, number);
            if (!isnan(number))
                assert_int_equal(fsr_value_from_double((fsr_dtype)dtype, number).bits, bits);
            fsr_value f = fsr_value_cast(FSR_F32, (fsr_dtype)dtype, x);
            for (int tie = -1; tie <= 1; tie++) {
                fsr_value near = {.u32 = f.u32 + (dtype == FSR_F16 ? 0x1000u : 0x8000u) + (uint32_t)tie};
                if (!isnan(near.f32))
                    assert_int_equal(fsr_value_cast((fsr_dtype)dtype, FSR_F32, near).bits,
                                     half_bits((fsr_dtype)dtype, near.f32));
            }
        }
}

/* What would be a tie after a first rounding is none: f64 and 64-bit integers are rounded once. */
static void test_halves_round_once(void **state) {
    (void)state;
    fsr_value tie = {.f64 = 1 + 0x1p-11 + 0x1p-40}, wide = {.i64 = (INT64_C(1) << 62) + (INT64_C(1) << 54) + 1};
    assert_int_equal(cast(FSR_F16, FSR_F64, tie).bits, 0x3c01);
    tie.f64 = 1 + 0x1p-8 + 0x1p-40;
    assert_int_equal(cast(FSR_BF16, FSR_F64, tie).bits, 0x3f81);
    assert_int_equal(cast(FSR_BF16, FSR_I64, wide).bits, 0x5e81);
    wide.i64 -= 1;
    assert_int_equal(cast(FSR_BF16, FSR_I64, wide).bits, 0x5e80);
    tie.f64 = 65519.99;
    assert_int_equal(cast(FSR_F16, FSR_F64, tie).bits, 0x7bff);
    tie.f64 = 65520;
    assert_int_equal(cast(FSR_F16, FSR_F64, tie).bits, 0x7c00);
    tie.f64 = 0x1p-25;
    assert_int_equal(cast(FSR_F16, FSR_F64, tie).bits, 0);
    tie.f64 = 0x1.0000001p-25;
    assert_int_equal(cast(FSR_F16, FSR_F64, tie).bits, 1);
    wide.i64 = -65504;
    assert_int_equal(cast(FSR_F16, FSR_I64, wide).bits, 0xfbff);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_casts_from_float),
        cmocka_unit_test(test_casts_from_int),
        cmocka_unit_test(test_halves),
        cmocka_unit_test(test_halves_round_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
