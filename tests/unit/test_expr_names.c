/* SPDX-License-Identifier: MIT */
/* Expression strings for who comes from NumPy or C: each row of primitives/numpy.def, bit operators with C's
 * precedence, and numbers of other bases. */
#include "fusor/expr.h"
#include "primitives/expr_call.h"
#include "tests/support/nodes.h"
#include "tests/support/subject.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define G subject_g

typedef enum how { SAME, ALIAS, CAST, SAYS, LACKS } how;

static const struct {
    const char *name;
    how how;
    const char *ours, *text;
} rows[] = {
#define FSR_NUMPY(name, how, ours, text) {name, how, ours, text},
#include "primitives/numpy.def"
#undef FSR_NUMPY
};

static fsr_name names[5];

static int setup_names(void **state) {
    subject_setup(state);
    fsr_name all[] = {{"x", fsr_input(G, "x", FSR_F32, 2, SHAPE(3, 4))},
                      {"y", fsr_input(G, "y", FSR_F32, 1, SHAPE(4))},
                      {"n", fsr_input(G, "n", FSR_I32, 1, SHAPE(4))},
                      {"b", fsr_input(G, "b", FSR_BOOL, 1, SHAPE(4))},
                      {"cube", fsr_input(G, "cube", FSR_F64, 3, SHAPE(2, 3, 5))}};
    memcpy(names, all, sizeof all);
    return 0;
}

/* ---- the table ------------------------------------------------------------------------------------------ */

static fsr_token word_of(const char *name) {
    return (fsr_token){FSR_TOKEN_WORD, name, (int)strlen(name)};
}

static bool is_function(const char *name) {
    const fsr_token word = word_of(name);
    return fsr_args_known(&word);
}

/* A function that is there is no row of what lacks, a name that is promised is one, and each text can be read. */
static void every_row(void **state) {
    (void)state;
    fsr_node out[8];
    int count[LACKS + 1] = {0}, wrong = 0;
    for (int i = 0; i < COUNT_OF(rows); i++) {
        const bool known = is_function(rows[i].name), ours = is_function(rows[i].ours);
        const bool promised = rows[i].how == SAME || rows[i].how == ALIAS || rows[i].how == CAST;
        const bool plain = !strchr(rows[i].name, '.');
        count[rows[i].how]++;
        if (promised ? !ours || (plain && !known) : known) {
            print_error("%s: %s\n", rows[i].name, promised ? "no function of expressions" : "is one by now");
            wrong++;
        }
        if (rows[i].how == SAYS && *rows[i].text && !fsr_exprs(G, rows[i].text, names, 5, out, 8)) {
            print_error("%s: %s\n", rows[i].name, fsr_node_error(out[0]));
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
    assert_true(count[SAME] > 100 && count[ALIAS] > 25 && count[CAST] > 30 && count[SAYS] > 80 && count[LACKS] > 100);
    subject_count("names of NumPy", COUNT_OF(rows));
}

static int differences;

/* The two record the same. */
static void same(const char *text, const char *other) {
    fsr_node got = fsr_expr(G, text, names, 5), want = fsr_expr(G, other, names, 5);
    if (fsr_node_status(got) || fsr_node_status(want)) {
        print_error("%s: %s | %s\n", text, fsr_node_error(got), fsr_node_error(want));
        differences++;
        return;
    }
    char *a = node_text(got), *w = node_text(want);
    if (strcmp(a, w)) {
        print_error("%s:\n%s not\n%s", text, a, w);
        differences++;
    }
    free(a);
    free(w);
}

/* Each alias with operands that its function takes records what the function records. */
static void every_alias(void **state) {
    (void)state;
    static const char *const operands[] = {"(y)", "(x, y)", "(n)", "(n, n)", "(y, 0, 1)", "(x, 0)", "(5)"};
    int count = 0;
    differences = 0;
    for (int i = 0; i < COUNT_OF(rows); i++) {
        if ((rows[i].how != ALIAS && rows[i].how != CAST) || strchr(rows[i].name, '.'))
            continue;
        int fits = 0;
        for (int k = 0; k < COUNT_OF(operands); k++) {
            char text[100], ours[100];
            snprintf(text, sizeof text, "%s%s", rows[i].name, operands[k]);
            snprintf(ours, sizeof ours, "%s%s", rows[i].ours, operands[k]);
            bool extreme = !strcmp(rows[i].ours, "max") || !strcmp(rows[i].ours, "min");
            if (fsr_node_status(fsr_expr(G, ours, names, 5)) || (extreme && strchr(operands[k], ',')))
                continue;
            same(text, ours);
            fits++;
        }
        assert_true(fits > 0);
        count++;
    }
    assert_int_equal(differences, 0);
    assert_true(count > 55);
}

/* What is more than another name. */
static void as_in_numpy(void **state) {
    (void)state;
    differences = 0;
    same("amax(x, 0)", "max(x, axis=0)");
    same("amin(x, axis=1, keepdims=True)", "min(x, axis=1, keepdims)");
    same("clip(x, 0, 1)", "clamp(x, 0, 1)");
    same("concatenate([x, x], axis=1)", "concat(x, x, axis=1)");
    same("concat([x, y[newaxis, :]])", "concat(x, y[newaxis, :])");
    same("stack([y, n], 1)", "stack(y, n, axis=1)");
    same("concatenate([x, x])", "concat(x, x)");
    same("where(b, True, False)", "where(b, true, false)");
    same("sum(x, keepdims=False)", "sum(x)");
    same("float32(n) + uint8(b)", "f32(n) + u8(b)");
    same("power(y, 2)", "pow(y, 2)");
    same("subtract(multiply(y, 2), y)", "y * 2 - y");
    same("pow = y; power(pow, y)", "pow(y, y)");
    assert_int_equal(differences, 0);
}

/* ---- bits ------------------------------------------------------------------------------------------------- */

/* The same text in C and in an expression: a, b, c are i64 and not negative. */
#define BIT_ROWS(X)                    \
    X(1, a &b)                         \
    X(2, a | b)                        \
    X(3, a ^ b)                        \
    X(4, ~a)                           \
    X(5, a << 3)                       \
    X(6, a >> 1)                       \
    X(7, a | b & c)                    \
    X(8, a | b ^ c)                    \
    X(9, a ^ b & c)                    \
    X(10, (a | b) & c)                 \
    X(11, a &b == c)                   \
    X(12, a &b < c)                    \
    X(13, a ^ b != c)                  \
    X(14, a | b && c)                  \
    X(15, a &&b | c)                   \
    X(16, a << 1 + 1)                  \
    X(17, a + b << 2)                  \
    X(18, a << 2 < b)                  \
    X(19, a >> 1 << 2)                 \
    X(20, ~a &b)                       \
    X(21, -~a)                         \
    X(22, ~-a)                         \
    X(23, !~a)                         \
    X(24, a & 0x0f | b << 4 & 0xF0)    \
    X(25, a * 0X1f ^ 0x7fffffff)       \
    X(26, a &b ? c : a | c)            \
    X(27, (a > 1) & (b > 1) | (c > 4)) \
    X(28, a << b)                      \
    X(29, a - 0x10 >> 2)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#ifdef __clang__
#pragma GCC diagnostic ignored "-Wint-in-bool-context"
#endif
#define BIT_FUNCTION(n, e)                                  \
    static int64_t c_##n(int64_t a, int64_t b, int64_t c) { \
        return (int64_t)(e);                                \
    }
BIT_ROWS(BIT_FUNCTION)
#pragma GCC diagnostic pop

static const struct {
    const char *text;
    int64_t (*expected)(int64_t a, int64_t b, int64_t c);
} bits[] = {
#define BIT_ROW(n, e) {#e, c_##n},
    BIT_ROWS(BIT_ROW)};

static void bit_operators(void **state) {
    (void)state;
    static const int64_t data[3][5] = {{0, 1, 6, 255, 1234567}, {1, 3, 2, 40, 7}, {0, 5, 2, 1 << 20, 3}};
    fsr_name abc[3] = {{"a", {0}}, {"b", {0}}, {"c", {0}}};
    fsr_node outs[COUNT_OF(bits)];
    for (int i = 0; i < 3; i++)
        abc[i].node = fsr_from_host(G, FSR_I64, 1, SHAPE(5), data[i]);
    for (int k = 0; k < COUNT_OF(bits); k++) {
        outs[k] = fsr_cast(fsr_expr(G, bits[k].text, abc, 3), FSR_F64);
        if (fsr_node_status(outs[k]))
            fail_msg("%s", fsr_node_error(outs[k]));
    }
    OK(fsr_compute(outs, COUNT_OF(bits)));
    for (int k = 0; k < COUNT_OF(bits); k++) {
        double *got = subject_read(outs[k]);
        for (int i = 0; i < 5; i++)
            if (got[i] != (double)bits[k].expected(data[0][i], data[1][i], data[2][i]))
                fail_msg("%s of column %d is %g", bits[k].text, i, got[i]);
        free(got);
    }
}

static void bits_and_dtypes(void **state) {
    (void)state;
    differences = 0;
    same("b & ~b | b ^ true", "bitwise_or(bitwise_and(b, bitwise_invert(b)), bitwise_xor(b, true))");
    same("n << 2 >> n", "right_shift(left_shift(n, 2), n)");
    same("n & 0xff", "bitwise_and(n, 255)");
    assert_int_equal(fsr_node_dtype(fsr_expr(G, "n & 0xff", names, 5)), FSR_I32);
    assert_int_equal(fsr_node_dtype(fsr_expr(G, "u8(n) | 0x80", names, 5)), FSR_U8);
    assert_int_equal(fsr_node_dtype(fsr_expr(G, "b & b", names, 5)), FSR_BOOL);
    assert_int_equal(differences, 0);
}

/* ---- numbers ----------------------------------------------------------------------------------------------- */

static void other_bases(void **state) {
    (void)state;
    differences = 0;
    same("n + 0x1F", "n + 31");
    same("n + 0b101", "n + 5");
    same("n + 0o17", "n + 15");
    same("y * 0XfF", "y * 255");
    same("x[0x0:0b10]", "x[0:2]");
    same("sum(x, 0x1)", "sum(x, 1)");
    same("y * 0x7fffffffffffffff", "y * 9223372036854775807");
    assert_int_equal(differences, 0);
    fsr_node wide = fsr_expr(G, "0xffffffffffffffff", NULL, 0);
    uint64_t value = 0;
    assert_int_equal(fsr_node_dtype(wide), FSR_U64);
    OK(fsr_read(wide, &value, sizeof value));
    assert_true(value == UINT64_MAX);
    fsr_node least = fsr_expr(G, "0b1000000000000000000000000000000000000000000000000000000000000000", NULL, 0);
    OK(fsr_read(least, &value, sizeof value));
    assert_true(value == UINT64_C(1) << 63);
}

#define NAMES_TEST(function) cmocka_unit_test_setup_teardown(function, setup_names, subject_teardown)

static const struct CMUnitTest tests[] = {
    NAMES_TEST(every_row),       NAMES_TEST(every_alias),     NAMES_TEST(as_in_numpy),
    SUBJECT_TEST(bit_operators), NAMES_TEST(bits_and_dtypes), NAMES_TEST(other_bases),
};

SUBJECT_MAIN(tests)
