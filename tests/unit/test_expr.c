/* SPDX-License-Identifier: MIT */
/* Expression strings: precedence and values against C, names against the builders they stand for, statements,
 * scopes. */
#include "fusor/expr.h"
#include "graph/scope.h"
#include "primitives/primitives.h"
#include "tests/support/comma.h"
#include "tests/support/nodes.h"
#include "tests/support/subject.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define G subject_g
#define ELEMENTS 7
#define MAX_ROWS 128

static const double data[3][ELEMENTS] = {
    {2, -3, 0, 0.5, 1, -1.25, 7}, {3, 3, 1, 0, 1, -2, 0.125}, {-1, 0.5, 0, 2, 1, 4, -3}};

/* ---- values --------------------------------------------------------------------------------------------- */

/* The same text in C and in an expression: a, b, c are f64. */
#define C_ROWS(X)                              \
    X(1, a + b * c)                            \
    X(2, a *b + c)                             \
    X(3, a - b - c)                            \
    X(4, a - (b - c))                          \
    X(5, a / b / c)                            \
    X(6, a / b * c)                            \
    X(7, a *b / c)                             \
    X(8, -a - -b)                              \
    X(9, -(a - b))                             \
    X(10, - -a)                                \
    X(11, !a)                                  \
    X(12, !!a + b)                             \
    X(13, !a == b)                             \
    X(14, !(a == b))                           \
    X(15, a < b)                               \
    X(16, a < b < c)                           \
    X(17, a < b == b < c)                      \
    X(18, a == b < c)                          \
    X(19, a != b != c)                         \
    X(20, a <= b + c)                          \
    X(21, a + b >= c)                          \
    X(22, a > b - c * a)                       \
    X(23, a &&b || c)                          \
    X(24, a || b && c)                         \
    X(25, (a || b) && c)                       \
    X(26, a == b && b == c || a < c)           \
    X(27, !a && b)                             \
    X(28, a ? b : c)                           \
    X(29, a < b ? b : c)                       \
    X(30, a ? b : c ? a - 1 : a + 1)           \
    X(31, a ? b ? 1 : 2 : 3)                   \
    X(32, a > 0 && b > 0 ? a + b : a - b)      \
    X(33, (a ? b : c) + 1)                     \
    X(34, a + (b ? 1 : 2) * c)                 \
    X(35, 1 - a - 2 * b - 3)                   \
    X(36, ((((a)))))                           \
    X(37, +a + +b)                             \
    X(38, 1e-3 * a + .5 * b - 2. * c + 1.5e+2) \
    X(39, a - -1)                              \
    X(40, a * -b)                              \
    X(41, -a * -b + -c)                        \
    X(42, a / (b ? b : 1))                     \
    X(43, a < 1 || b < 1 ? c : -c)             \
    X(44, fma(a, b, c))                        \
    X(45, floor(a) + ceil(b))                  \
    X(46, sqrt(a *a + b * b))                  \
    X(47, 0.1 + 0.2 + a)                       \
    X(48, 1E3 * a)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wparentheses"
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wbool-compare"
#endif
#pragma GCC diagnostic ignored "-Wlogical-not-parentheses"
#pragma GCC diagnostic ignored "-Wint-in-bool-context"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define C_FUNCTION(n, e)                                \
    static double c_##n(double a, double b, double c) { \
        return (double)(e);                             \
    }
C_ROWS(C_FUNCTION)

/* Where C writes it in another way. */
#define OWN_ROWS(X)                                                       \
    X(101, "a ** 2", a *a)                                                \
    X(102, "-a ** 2", -(a * a))                                           \
    X(103, "(-a) ** 3", -a * -a * -a)                                     \
    X(104, "2 ** 3 ** 2 + a", 512 + a)                                    \
    X(105, "2 ** -1 * a", 0.5 * a)                                        \
    X(106, "a * b ** 2", a *(b * b))                                      \
    X(107, "a ** 2 ** 1", a *a)                                           \
    X(108, "a ** 0", 1)                                                   \
    X(109, "(b * b + 1) ** 0.5", pow(b *b + 1, 0.5))                      \
    X(110, "2 ** a", pow(2, a))                                           \
    X(111, "!a ** 2", !(a * a != 0 ? 1 : 0))                              \
    X(112, "max(a, b)", a > b ? a : b)                                    \
    X(113, "min(a, b, c, 1)", fmin(fmin(a, b), fmin(c, 1)))               \
    X(114, "max(sin(a / 3) - 0.3, 0) * c", fmax(sin(a / 3) - 0.3, 0) * c) \
    X(115, "abs(a) // 1 + 0 * c", floor(fabs(a)) + 0 * c)                 \
    X(116, "where(a < b, a, b)", a < b ? a : b)                           \
    X(117, "t = a + 1; u = t * t; u - t", (a + 1) * (a + 1) - (a + 1))    \
    X(118, "a = a + 1; a = a * 2; a", (a + 1) * 2)                        \
    X(119, "cos(pi) * a", -a)                                             \
    X(120, "a < inf ? 1 : 2", 1)                                          \
    X(121, "isnan(nan * a)", 1)                                           \
    X(122, "true + a", 1 + a)                                             \
    X(123, "i64(a) / i64(2)", trunc(a) / 2)                               \
    X(124, "f64(f32(a + 0.1))", (double)(float)(a + 0.1))                 \
    X(125, "a ** 8", pow(a, 8))                                           \
    X(126, "1 ? a : b", a)                                                \
    X(127, "a\n +\t b\r\n", a + b)                                        \
    X(128, "a % b", b == 0 ? NAN : a - floor(a / b) * b)

#define OWN_FUNCTION(n, text, e)                        \
    static double c_##n(double a, double b, double c) { \
        return (double)(e);                             \
    }
OWN_ROWS(OWN_FUNCTION)
#pragma GCC diagnostic pop

typedef struct row {
    const char *text;
    double (*expected)(double a, double b, double c);
    bool exact;
} row;

static const row rows[] = {
#define C_ROW(n, e) {#e, c_##n, true},
    C_ROWS(C_ROW)
#define OWN_ROW(n, text, e) {text, c_##n, false},
        OWN_ROWS(OWN_ROW)};

static bool there_is(const char *text) {
    bool floor_divides = fsr_op_find("floor_divide") != FSR_OP_COUNT || fsr_op_find("floordiv") != FSR_OP_COUNT;
    bool mod = fsr_op_find("mod") != FSR_OP_COUNT || fsr_op_find("remainder") != FSR_OP_COUNT;
    return (floor_divides || !strstr(text, "//")) && (mod || !strchr(text, '%'));
}

static bool agrees(const row *r, double got, double want) {
    if (isnan(got) || isnan(want))
        return isnan(got) && isnan(want);
    return got == want || (!r->exact && fabs(got - want) <= 1e-14 * fabs(want));
}

/* Every row in one computation: few kernels. */
static void precedence_and_values(void **state) {
    (void)state;
    fsr_name names[3] = {{"a", {0}}, {"b", {0}}, {"c", {0}}};
    fsr_node outs[MAX_ROWS];
    const row *of[MAX_ROWS];
    int n = 0, wrong = 0;
    for (int i = 0; i < 3; i++)
        names[i].node = fsr_from_host(G, FSR_F64, 1, SHAPE(ELEMENTS), data[i]);
    for (int i = 0; i < COUNT_OF(rows); i++) {
        fsr_node x = fsr_expr(G, rows[i].text, names, 3);
        if (!there_is(rows[i].text)) {
            assert_int_equal(fsr_node_status(x), FSR_ERR_UNSUPPORTED);
            continue;
        }
        if (fsr_node_status(x))
            fail_msg("%s", fsr_node_error(x));
        of[n] = &rows[i];
        outs[n++] = fsr_cast(fsr_add(fsr_cast(x, FSR_F64), fsr_mul(names[0].node, fsr_float(G, 0))), FSR_F64);
    }
    OK(fsr_compute(outs, n));
    for (int k = 0; k < n; k++) {
        double *got = subject_read(outs[k]);
        for (int i = 0; i < ELEMENTS; i++) {
            double want = of[k]->expected(data[0][i], data[1][i], data[2][i]);
            if (agrees(of[k], got[i], want))
                continue;
            print_error("%s at a=%g b=%g c=%g is %.17g, not %.17g\n", of[k]->text, data[0][i], data[1][i], data[2][i],
                        got[i], want);
            wrong++;
        }
        free(got);
    }
    subject_count("expressions computed and compared with C", n);
    assert_int_equal(wrong, 0);
}

/* The same expressions once more within the reference's bounds, and a few over more than one axis. */
static void verified(void **state) {
    (void)state;
    fsr_node x = subject_data(FSR_F32, 2, SHAPE(30, 40), SUBJECT_SMALL, 0);
    fsr_node y = subject_data(FSR_I32, 1, SHAPE(40), SUBJECT_SMALL, 1), outs[4];
    fsr_name names[] = {{"x", x}, {"y", y}};
    const char *text = "m = mean(x, 1, keepdims); d = x - m; s = (sum(d**2, axis=-1, keepdims) / 39)**0.5;"
                       "d / (s + 1e-3), max(x, axis=0) + y, x[::-1, 3:20].T[1:] * 2, cumsum(y ** 3)";
    assert_int_equal(fsr_exprs(G, text, names, 2, outs, 4), 4);
    subject_verify(outs, 4, NULL, "a program");
}

/* ---- names: the same graph as the builder's --------------------------------------------------------------- */

static fsr_node x, y, n, b, cube;
static fsr_name names[5];

static int setup_names(void **state) {
    subject_setup(state);
    x = fsr_input(G, "x", FSR_F32, 2, SHAPE(3, 4));
    y = fsr_input(G, "y", FSR_F32, 1, SHAPE(4));
    n = fsr_input(G, "n", FSR_I32, 1, SHAPE(4));
    b = fsr_input(G, "b", FSR_BOOL, 1, SHAPE(4));
    cube = fsr_input(G, "cube", FSR_F64, 3, SHAPE(2, 3, 5));
    fsr_name all[] = {{"x", x}, {"y", y}, {"n", n}, {"b", b}, {"cube", cube}};
    memcpy(names, all, sizeof all);
    return 0;
}

static int differences;

/* The expression records what the builders record; want is kept, so the text form must be the same. */
static void same(const char *text, fsr_node want) {
    fsr_node got = fsr_expr(G, text, names, 5);
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

static void every_op_of_the_table(void **state) {
    (void)state;
    static const char *const operands[] = {"b", "n", "y"};
    int count = 0;
    differences = 0;
    for (int op = 0; op < FSR_OP_COUNT; op++) {
        const fsr_op_info *info = fsr_op_get((fsr_op)op);
        if (op == FSR_OP_CAST)
            continue;
        char text[200];
        int size = snprintf(text, sizeof text, "%s(", info->name);
        fsr_node args[FSR_MAX_ARGS];
        bool floats = !fsr_op_defined((fsr_op)op, FSR_I32);
        for (int i = 0; i < info->arity; i++) {
            bool whole = (info->rule == FSR_RULE_SCALE && i == 1) || info->rule == FSR_RULE_WORDS;
            int k = i == 0 && info->rule == FSR_RULE_SELECT  ? 0
                    : whole                                  ? 1
                    : floats && info->rule != FSR_RULE_LOGIC ? 2
                                                             : 1;
            args[i] = names[k == 0 ? 3 : k == 1 ? 2 : 1].node;
            size += snprintf(text + size, sizeof text - (size_t)size, "%s%s", i ? ", " : "", operands[k]);
        }
        snprintf(text + size, sizeof text - (size_t)size, ")");
        same(text, fsr_map(FSR_HERE, (fsr_op)op, args, info->arity));
        count++;
    }
    assert_int_equal(count, FSR_OP_COUNT - 1);
    assert_int_equal(differences, 0);
}

#define L(v) _Generic((v), int : fsr_int_at, default : fsr_float_at)(FSR_HERE, G, v)

static void operators(void **state) {
    (void)state;
    differences = 0;
    same("x", x);
    same("(x)", x);
    same("+x", x);
    same("x + y", fsr_add(x, y));
    same("x - y", fsr_sub(x, y));
    same("x * 2", fsr_mul(x, L(2)));
    same("x / 2.5", fsr_div(x, L(2.5)));
    same("n / 2", fsr_div(n, L(2)));
    same("x < y", fsr_less(x, y));
    same("x <= y", fsr_less_equal(x, y));
    same("x > y", fsr_greater(x, y));
    same("x >= y", fsr_greater_equal(x, y));
    same("x == y", fsr_equal(x, y));
    same("x != y", fsr_not_equal(x, y));
    same("b && n", fsr_logical_and(b, n));
    same("b || n", fsr_logical_or(b, n));
    same("!n", fsr_logical_not(n));
    same("-n", fsr_neg(n));
    same("x * -2", fsr_mul(x, L(-2)));
    same("x * -0.5", fsr_mul(x, L(-0.5)));
    same("b ? x : 0", fsr_where(b, x, L(0)));
    same("x ** 2", fsr_mul(x, x));
    same("n ** 3", fsr_mul(n, fsr_mul(n, n)));
    same("n ** 1", n);
    same("n ** 0", fsr_full(G, FSR_I32, 1, SHAPE(4), 1));
    same("x ** 2.0", fsr_pow(x, L(2.0)));
    same("x ** 9", fsr_pow(x, L(9)));
    same("x ** -1", fsr_pow(x, L(-1)));
    same("x ** y", fsr_pow(x, y));
    same("n * 2 ** 10", fsr_mul(n, L(1024)));
    same("n + true", fsr_add(n, fsr_bool(G, true)));
    same("y * inf", fsr_mul(y, L((double)INFINITY)));
    same("y * pi", fsr_mul(y, L(3.141592653589793)));
    same("y * 9007199254740993", fsr_mul(y, fsr_int(G, 9007199254740993)));
    same("f32(n)", fsr_cast(n, FSR_F32));
    same("bool(x)", fsr_cast(x, FSR_BOOL));
    same("u8(3)", fsr_cast(L(3), FSR_U8));
    same("max(x, y)", fsr_maximum(x, y));
    same("min(x, y, 0)", fsr_minimum(fsr_minimum(x, y), L(0)));
    same("max(x, 0)", fsr_maximum(x, L(0)));
    assert_int_equal(differences, 0);
}

static void reductions_and_scans(void **state) {
    (void)state;
    differences = 0;
    same("sum(x)", fsr_sum(x, NULL, 0, 0));
    same("sum(x, 0)", fsr_sum(x, AXES(0), 1, 0));
    same("sum(x, -1)", fsr_sum(x, AXES(-1), 1, 0));
    same("sum(x, 2 - 1)", fsr_sum(x, AXES(1), 1, 0));
    same("sum(x, axis=1)", fsr_sum(x, AXES(1), 1, 0));
    same("sum(x, [0, 1])", fsr_sum(x, AXES(0, 1), 2, 0));
    same("sum(cube, [0,-1], keepdims)", fsr_sum(cube, AXES(0, -1), 2, FSR_KEEPDIMS));
    same("sum(cube, keepdims=true, axis=[1])", fsr_sum(cube, AXES(1), 1, FSR_KEEPDIMS));
    same("sum(x, keepdims=false)", fsr_sum(x, NULL, 0, 0));
    same("sum(x, [])", fsr_sum(x, AXES(0), 0, 0));
    same("prod(n, 0)", fsr_prod(n, AXES(0), 1, 0));
    same("min(x)", fsr_min(x, NULL, 0, 0));
    same("max(x)", fsr_max(x, NULL, 0, 0));
    same("max(x, axis=0)", fsr_max(x, AXES(0), 1, 0));
    same("max(x, [0])", fsr_max(x, AXES(0), 1, 0));
    same("min(x, axis=-1, keepdims)", fsr_min(x, AXES(-1), 1, FSR_KEEPDIMS));
    same("max(x, keepdims)", fsr_max(x, NULL, 0, FSR_KEEPDIMS));
    same("mean(n)", fsr_mean(n, NULL, 0, 0));
    same("var(x, 1)", fsr_var(x, AXES(1), 1, 0, 0));
    same("var(x, 0, ddof=1, keepdims)", fsr_var(x, AXES(0), 1, FSR_KEEPDIMS, 1));
    same("any(x, 0)", fsr_any(x, AXES(0), 1, 0));
    same("all(b)", fsr_all(b, NULL, 0, 0));
    same("argmax(x)", fsr_argmax(x, NULL, 0, 0));
    same("argmax(x, 1)", fsr_argmax(x, AXES(1), 1, 0));
    same("argmax(x, -1, keepdims)", fsr_argmax(x, AXES(-1), 1, FSR_KEEPDIMS));
    same("argmin(x)", fsr_argmin(x, NULL, 0, 0));
    same("nanargmax(x, 1)", fsr_nanargmax(x, AXES(1), 1, 0));
    same("nanargmin(x, 1)", fsr_nanargmin(x, AXES(1), 1, 0));
    same("std(x, 1)", fsr_std(x, AXES(1), 1, 0, 0));
    same("nanvar(x, ddof=1)", fsr_nanvar(x, NULL, 0, 0, 1));
    same("nanstd(x, 0, ddof=-1+2)", fsr_nanstd(x, AXES(0), 1, 0, 1));
    same("norm(x)", fsr_norm(x, NULL, 0, 0, 2));
    same("norm(x, 1, ord=1)", fsr_norm(x, AXES(1), 1, 0, 1));
    same("norm(x, keepdims, ord=-inf)", fsr_norm(x, NULL, 0, FSR_KEEPDIMS, -INFINITY));
    same("ptp(x, 0)", fsr_ptp(x, AXES(0), 1, 0));
    same("count_nonzero(x, 0)", fsr_count_nonzero(x, AXES(0), 1, 0));
    same("logsumexp(x, -1)", fsr_logsumexp(x, AXES(-1), 1, 0));
    same("nansum(x)", fsr_nansum(x, NULL, 0, 0));
    same("nanprod(x)", fsr_nanprod(x, NULL, 0, 0));
    same("nanmin(x)", fsr_nanmin(x, NULL, 0, 0));
    same("nanmax(x)", fsr_nanmax(x, NULL, 0, 0));
    same("nanmean(x)", fsr_nanmean(x, NULL, 0, 0));
    same("median(x, 0, keepdims)", fsr_median(x, AXES(0), 1, FSR_KEEPDIMS));
    same("nanmedian(x)", fsr_nanmedian(x, NULL, 0, 0));
    same("cumsum(y)", fsr_cumsum(y, AXES(0), 1, 0));
    same("cumsum(x)", fsr_cumsum(fsr_reshape(x, 1, SHAPE(12)), AXES(0), 1, 0));
    same("cumsum(x, 1)", fsr_cumsum(x, AXES(1), 1, 0));
    same("cumsum(x, axis=-1, exclusive)", fsr_cumsum(x, AXES(-1), 1, FSR_EXCLUSIVE));
    same("cummax(x)", fsr_cummax(x, AXES(0), 1, 0));
    same("cummax(x, 1, exclusive=true)", fsr_cummax(x, AXES(1), 1, FSR_EXCLUSIVE));
    same("cumprod(x)", fsr_cumprod(fsr_reshape(x, 1, SHAPE(12)), AXES(0), 1, 0));
    same("cummin(x, reverse)", fsr_cummin(x, AXES(0), 1, FSR_REVERSE));
    same("cumany(x, 1)", fsr_cumany(x, AXES(1), 1, 0));
    same("cumall(x, 1, reverse=true, exclusive)", fsr_cumall(x, AXES(1), 1, FSR_EXCLUSIVE | FSR_REVERSE));
    same("cumsum(x, 0, reverse=false)", fsr_cumsum(x, AXES(0), 1, 0));
    assert_int_equal(differences, 0);
}

static fsr_node squeezed(fsr_node v, int axis, int64_t i) {
    return fsr_squeeze(fsr_slice(v, axis, i, i + 1, 1), axis);
}

static void views(void **state) {
    (void)state;
    const int64_t end = FSR_SLICE_END;
    differences = 0;
    same("y[1:]", fsr_slice(y, 0, 1, end, 1));
    same("y[:2]", fsr_slice(y, 0, end, 2, 1));
    same("y[:-1]", fsr_slice(y, 0, end, -1, 1));
    same("y[::2]", fsr_slice(y, 0, end, end, 2));
    same("y[3:0:-2]", fsr_slice(y, 0, 3, 0, -2));
    same("y[::-1]", fsr_flip(y, 0));
    same("y[:]", y);
    same("x[:, 1:3]", fsr_slice(x, 1, 1, 3, 1));
    same("x[1:, ::2]", fsr_slice(fsr_slice(x, 0, 1, end, 1), 1, end, end, 2));
    same("x[0]", squeezed(x, 0, 0));
    same("x[-1]", squeezed(x, 0, 2));
    same("x[:, 0]", squeezed(x, 1, 0));
    same("cube[1, :, 4]", squeezed(squeezed(cube, 0, 1), 1, 4));
    same("cube[1, 2, 4]", squeezed(squeezed(squeezed(cube, 0, 1), 0, 2), 0, 4));
    same("x[1][2]", squeezed(squeezed(x, 0, 1), 0, 2));
    same("y[:, newaxis]", fsr_expand(y, 1));
    same("y[newaxis, :]", fsr_expand(y, 0));
    same("y[-9223372036854775807 - 1:]", y);
    fsr_node i = fsr_cast(y, FSR_I32), all = fsr_reshape(x, 1, SHAPE(fsr_node_size(x)));
    same("y[i32(y)]", fsr_take(y, i, 0, FSR_INDEX_RAISE));
    same("x[:, i32(y)]", fsr_take(x, i, 1, FSR_INDEX_RAISE));
    same("x[i32(y), 1:]", fsr_take(fsr_slice(x, 1, 1, end, 1), i, 0, FSR_INDEX_RAISE));
    same("x[i32(y), 1]", fsr_take(squeezed(x, 1, 1), i, 0, FSR_INDEX_RAISE));
    same("cube[i32(y), i32(y)]", fsr_index(cube, ((fsr_node[]){i, fsr_cast(y, FSR_I32)}), 2, FSR_INDEX_RAISE));
    same("x[..., 1]", squeezed(x, 1, 1));
    same("x[None, ..., None]", fsr_expand(fsr_expand(x, 0), 3));
    same("cube[:, i32(y), 1]", fsr_take(squeezed(cube, 2, 1), i, 1, FSR_INDEX_RAISE));
    same("reshape(x, 12)", all);
    same("sum(cube, (0, 1))", fsr_sum(cube, AXES(0, 1), 2, 0));
    same("sum(cube, None)", fsr_sum(cube, NULL, 0, 0));
    same("take(x, i32(y), axis=0, mode='wrap')", fsr_take(x, i, 0, FSR_INDEX_WRAP));
    same("take(x, i32(y), 1, mode=clip)", fsr_take(x, i, 1, FSR_INDEX_CLIP));
    same("take(x, i32(y))", fsr_take(all, i, 0, FSR_INDEX_RAISE));
    same("take(x, i32(y), 1)", fsr_take(x, i, 1, FSR_INDEX_RAISE));
    same("take(x, i32(y), axis=0)", fsr_take(x, i, 0, FSR_INDEX_RAISE));
    same("take_along_axis(x, i32(x), 1)", fsr_take_along_axis(x, fsr_cast(x, FSR_I32), 1, FSR_INDEX_RAISE));
    same("scatter_add(x, i32(y), 1)", fsr_scatter_add(x, &i, 1, L(1), FSR_INDEX_RAISE, 0));
    same("scatter(x, i32(y), x[0])", fsr_scatter(x, &i, 1, squeezed(x, 0, 0), FSR_INDEX_RAISE, 0));
    same("put(x, i32(y), y)", fsr_put(x, i, y, FSR_INDEX_RAISE, 0));
    same("(x + 1)[1:]", fsr_slice(fsr_add(x, L(1)), 0, 1, end, 1));
    same("x.T", fsr_transpose(x, NULL));
    same("x.T[1:].T", fsr_transpose(fsr_slice(fsr_transpose(x, NULL), 0, 1, end, 1), NULL));
    same("sum(x, 1)[::-1]", fsr_flip(fsr_sum(x, AXES(1), 1, 0), 0));
    same("transpose(cube)", fsr_transpose(cube, NULL));
    same("transpose(cube, [2, 0, 1])", fsr_transpose(cube, AXES(2, 0, 1)));
    same("reshape(x, [2, -1])", fsr_reshape(x, 2, SHAPE(2, -1)));
    same("reshape(x[:1, :1], [])", fsr_reshape(fsr_slice(fsr_slice(x, 0, 0, 1, 1), 1, 0, 1, 1), 0, SHAPE(0)));
    same("broadcast_to(y, [3, 4])", fsr_broadcast_to(y, 2, SHAPE(3, 4)));
    same("flip(x, 1)", fsr_flip(x, 1));
    same("expand(y, -1)", fsr_expand(y, -1));
    same("squeeze(x[:1], 0)", fsr_squeeze(fsr_slice(x, 0, 0, 1, 1), 0));
    assert_int_equal(differences, 0);
}

static void made_and_joined(void **state) {
    (void)state;
    const int64_t end = FSR_SLICE_END;
    differences = 0;
    same("arange(5)", fsr_arange(G, FSR_I64, 5));
    same("arange(1, 8, 3)", fsr_add(fsr_mul(fsr_arange(G, FSR_I64, 3), L(3)), L(1)));
    same("arange(4, 0, -3)", fsr_add(fsr_mul(fsr_arange(G, FSR_I64, 2), L(-3)), L(4)));
    same("arange(3, 3)", fsr_add(fsr_arange(G, FSR_I64, 0), L(3)));
    same("linspace(0, 0.5, 6)", fsr_linspace(G, FSR_F64, 0, 0.5, 6, true));
    same("eye(3)", fsr_eye(G, FSR_F64, 3, 3, 0));
    same("eye(3, 4, -1)", fsr_eye(G, FSR_F64, 3, 4, -1));
    same("zeros([2, 3])", fsr_zeros(G, FSR_F64, 2, SHAPE(2, 3)));
    same("ones([])", fsr_ones(G, FSR_F64, 0, NULL));
    same("zeros_like(n)", fsr_zeros_like(n));
    same("ones_like(x)", fsr_ones_like(x));
    same("full([2, 4], y[0])", fsr_broadcast_to(squeezed(y, 0, 0), 2, SHAPE(2, 4)));
    same("f32(full([2, 3], 7))", fsr_cast(fsr_broadcast_to(L(7), 2, SHAPE(2, 3)), FSR_F32));
    same("concat(x, x)", fsr_concat((fsr_node[]){x, x}, 2, 0));
    same("concat(x, y[:3, newaxis], axis=-1)",
         fsr_concat((fsr_node[]){x, fsr_expand(fsr_slice(y, 0, end, 3, 1), 1)}, 2, -1));
    same("stack(y, n, y, axis=1)", fsr_stack((fsr_node[]){y, n, y}, 3, 1));
    same("roll(x, 5)", fsr_roll(x, SHAPE(5), NULL, 1));
    same("roll(x, -1, 1)", fsr_roll(x, SHAPE(-1), AXES(1), 1));
    same("roll(x, 1, axis=0)", fsr_roll(x, SHAPE(1), AXES(0), 1));
    same("tile(y, [2, 3])", fsr_tile(y, 2, SHAPE(2, 3)));
    same("repeat(x, 2)", fsr_repeat(x, 2, NULL));
    same("repeat(x, 3, 0)", fsr_repeat(x, 3, AXES(0)));
    same("pad(x, [1, 2])", fsr_pad(x, ((const int64_t[][2]){{1, 2}, {1, 2}}), FSR_PAD_CONSTANT, 0));
    same("pad(x, [1, 2, 0, 3], mode=reflect)", fsr_pad(x, ((const int64_t[][2]){{1, 2}, {0, 3}}), FSR_PAD_REFLECT, 0));
    same("pad(y, [1, 1], value=-inf)", fsr_pad(y, ((const int64_t[][2]){{1, 1}}), FSR_PAD_CONSTANT, -INFINITY));
    same("diff(x)", fsr_diff(x, 1, -1));
    same("diff(x, 2, 0)", fsr_diff(x, 2, 0));
    same("diff(x, axis=0)", fsr_diff(x, 1, 0));
    same("triu(x)", fsr_triu(x, 0));
    same("tril(x, -1)", fsr_tril(x, -1));
    same("ravel(x)", fsr_ravel(x));
    same("swapaxes(cube, 0, -1)", fsr_swapaxes(cube, 0, -1));
    same("update(x, x[1:, ::2], 0)", fsr_update(x, fsr_slice(fsr_slice(x, 0, 1, end, 1), 1, end, end, 2), L(0)));
    same("filter(y, y > 0)", fsr_filter(y, fsr_greater(y, L(0)), L(0)));
    same("filter(y, b, nan)", fsr_filter(y, b, fsr_float(G, NAN)));
    same("average(x, y, 1, keepdims)", fsr_average(x, y, AXES(1), 1, FSR_KEEPDIMS));
    same("average(x, y)", fsr_average(x, y, NULL, 0, 0));
    assert_int_equal(differences, 0);
}

/* y has four elements, n names three segments; a matrix of three rows by three columns. */
static void segments(void **state) {
    (void)state;
    const fsr_csr a = {n, n, y, 3, 3};
    differences = 0;
    same("segment_sum(y, n)", fsr_segment_sum(y, n));
    same("segment_prod(y, n)", fsr_segment_prod(y, n));
    same("segment_min(y, n)", fsr_segment_min(y, n));
    same("segment_max(y, n)", fsr_segment_max(y, n));
    same("segment_argmin(x.T, n)", fsr_segment_argmin(fsr_transpose(x, NULL), n));
    same("segment_argmax(y, n)", fsr_segment_argmax(y, n));
    same("segment_first(y, n)", fsr_segment_first(y, n));
    same("segment_last(y, n)", fsr_segment_last(y, n));
    same("segment_median(y, n)", fsr_segment_median(y, n));
    same("segment_cumsum(y, n)", fsr_segment_cumsum(y, n, 0));
    same("segment_sort(y, n)", fsr_segment_sort(y, n, 0));
    same("segment_argsort(y, n)", fsr_segment_argsort(y, n, 0));
    same("csr_dot(n, n, y, y[:3])", fsr_csr_dot(&a, fsr_slice(y, 0, FSR_SLICE_END, 3, 1)));
    assert_int_equal(fsr_node_status(fsr_expr(G, "csr_dot(x, n, y, y)", names, 5)), FSR_ERR_DTYPE);
    assert_int_equal(fsr_node_status(fsr_expr(G, "segment_sum(y, y)", names, 5)), FSR_ERR_DTYPE);
    assert_int_equal(differences, 0);
}

static void statements_and_names(void **state) {
    (void)state;
    fsr_node d = fsr_sub(x, fsr_mean(x, NULL, 0, 0)), next = fsr_add(x, L(1));
    differences = 0;
    same("t = x - mean(x); t * t", fsr_mul(d, d));
    same("t = x - mean(x);\n t * t;\n", fsr_mul(d, d));
    same("x = x + 1; x = x + x; x", fsr_add(next, next));
    same("two = 2; x * two", fsr_mul(x, L(2)));
    same("sum = y; sum(sum)", fsr_sum(y, NULL, 0, 0));
    same("pi = y; pi", y);
    same("_1 = y; _1 == y", fsr_equal(y, y));
    same("k = -1; sum(x, k)", fsr_sum(x, AXES(-1), 1, 0));
    same("axis = x; axis + 1", fsr_add(x, L(1)));
    assert_int_equal(differences, 0);
    fsr_node shadowed = fsr_expr(G, "pi * max", (fsr_name[]){{"pi", x}, {"max", y}}, 2);
    char *got = node_text(shadowed), *want = node_text(fsr_mul(x, y));
    assert_string_equal(got, want);
    free(got);
    free(want);
    assert_int_equal(fsr_node_status(fsr_expr(G, "2 + 2", NULL, 0)), FSR_OK);
}

static void several_values(void **state) {
    (void)state;
    fsr_node out[4] = {{0}};
    assert_int_equal(fsr_exprs(G, "t = x * 2; t, sum(t), y, t", names, 5, out, 4), 4);
    assert_int_equal(fsr_node_ndim(out[1]), 0);
    assert_int_equal(out[2].id, y.id);
    assert_int_equal(out[0].id, out[3].id);
    memset(out, 1, sizeof out);
    assert_int_equal(fsr_exprs(G, "x", names, 5, out, 4), 1);
    assert_int_equal(out[0].id, x.id);
    for (int i = 1; i < 4; i++)
        assert_null(out[i].graph);
    assert_int_equal(fsr_exprs(G, "x, y", names, 5, out, 0), 0);
    assert_int_equal(fsr_exprs(G, "x, y", names, 5, NULL, 3), 0);
}

/* Only what the value needs stays; a mistake leaves its poison. */
static void nothing_else_is_recorded(void **state) {
    (void)state;
    int64_t before = fsr_graph_live(G);
    int depth = fsr_scope_depth(G);
    fsr_expr(G, "x ** 2", names, 5);
    assert_int_equal(fsr_graph_live(G), before + 1);
    fsr_expr(G, "t = exp(x) + y; x", names, 5);
    assert_int_equal(fsr_graph_live(G), before + 1);
    fsr_expr(G, "exp(x) + sin(y) * z", names, 5);
    assert_int_equal(fsr_graph_live(G), before + 2);
    fsr_expr(G, "exp(x) + sin(y) * (", names, 5);
    assert_int_equal(fsr_graph_live(G), before + 3);
    assert_int_equal(fsr_scope_depth(G), depth);
}

static void compose(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    fsr_name of[] = {{"a", left[0]}, {"b", left[1]}, {"c", right[0]}, {"d", right[1]}};
    *(int *)user = fsr_exprs(left[0].graph, "a * c, b * c + d", of, 4, out, 2);
}

/* A linear recurrence whose operator is a string: y[i] = y[i-1] / 2 + i. */
static void body_of_an_operator(void **state) {
    (void)state;
    int values;
    fsr_operator op = {compose, &values, 2, {1, 0}, false, {NULL}};
    fsr_node in[] = {fsr_full(G, FSR_F64, 1, SHAPE(5), 0.5), fsr_arange(G, FSR_F64, 5)}, out[2];
    fsr_scan_with(out, in, &op, AXES(0), 1, 0);
    assert_int_equal(values, 2);
    double at = 0;
    for (int i = 0; i < 5; i++) {
        at = at / 2 + i;
        assert_true(subject_value(out[1], i) == at);
    }
}

/* A weak literal keeps the array's dtype; a cast one does not. */
static void literals_are_weak(void **state) {
    (void)state;
    assert_int_equal(fsr_node_dtype(fsr_expr(G, "x * 2.5 + 1", names, 5)), FSR_F32);
    assert_int_equal(fsr_node_dtype(fsr_expr(G, "n + 1", names, 5)), FSR_I32);
    assert_int_equal(fsr_node_dtype(fsr_expr(G, "n + 2 ** 3 ** 2", names, 5)), FSR_I32);
    assert_int_equal(fsr_node_dtype(fsr_expr(G, "n ** 2", names, 5)), FSR_I32);
    assert_int_equal(fsr_node_dtype(fsr_expr(G, "n * 1.5", names, 5)), FSR_F64);
    assert_int_equal(fsr_node_dtype(fsr_expr(G, "x * f64(1)", names, 5)), FSR_F64);
    assert_int_equal(fsr_node_dtype(fsr_expr(G, "t = 2; x * t", names, 5)), FSR_F32);
}

/* Thirty thousand terms, two hundred levels. */
static void long_and_deep(void **state) {
    (void)state;
    char *text = calloc(1, 65600);
    for (int i = 0; i < 32767; i++)
        memcpy(text + 2 * i, "y+", 2);
    text[2 * 32767] = 'y';
    assert_int_equal(fsr_node_status(fsr_expr(G, text, names, 5)), FSR_OK);
    memset(text, 0, 65600);
    memset(text, '(', 199);
    strcat(text, "y");
    memset(text + strlen(text), ')', 199);
    assert_int_equal(fsr_node_status(fsr_expr(G, text, names, 5)), FSR_OK);
    free(text);
}

/* A program whose locale writes 1,5. */
static void decimal_point(void **state) {
    (void)state;
    if (!comma_begin())
        skip();
    differences = 0;
    same("y * 1.5", fsr_mul(y, L(1.5)));
    comma_end();
    assert_int_equal(differences, 0);
}

/* ---- docs/expressions.md: its examples have the dtype and shape they say, its mistakes the message ---- */

static void example(char *line) {
    char *type = line + strlen(line);
    while (type > line && type[-1] != ' ')
        type--;
    type[-1] = 0;
    fsr_node got = fsr_expr(G, line, names, 5);
    if (fsr_node_status(got))
        fail_msg("%s", fsr_node_error(got));
    if (strcmp(fsr_say(got).text, type))
        fail_msg("%s is %s, not %s", line, fsr_say(got).text, type);
}

static void mistake(char *block) {
    char *message = strchr(block, '\n');
    *message++ = 0;
    fsr_node got = fsr_expr_at(fsr_here("prog.c", 12), G, block, names, 5);
    assert_string_equal(fsr_node_error(got), message);
}

static void examples_of_the_page(void **state) {
    (void)state;
    char line[400], block[2000] = "", kind = 0;
    int examples = 0, mistakes = 0;
    FILE *page = fopen("docs/expressions.md", "r");
    assert_non_null(page);
    while (fgets(line, sizeof line, page)) {
        if (kind && !strcmp(line, "```\n")) {
            if (kind == 'm' && ++mistakes) {
                block[strlen(block) - 1] = 0;
                mistake(block);
            }
            kind = 0;
        } else if (kind == 'e' && ++examples) {
            line[strcspn(line, "\n")] = 0;
            example(line);
        } else if (kind == 'm') {
            strncat(block, line, sizeof block - strlen(block) - 1);
        } else if (!strncmp(line, "```e", 4)) {
            kind = line[4] == 'x' ? 'e' : 'm';
            block[0] = 0;
        }
    }
    fclose(page);
    assert_true(examples > 30 && mistakes >= 3);
    subject_count("examples of the page", examples + mistakes);
}

#define NAMES_TEST(function) cmocka_unit_test_setup_teardown(function, setup_names, subject_teardown)

static const struct CMUnitTest tests[] = {
    SUBJECT_TEST(precedence_and_values),
    SUBJECT_TEST(verified),
    NAMES_TEST(every_op_of_the_table),
    NAMES_TEST(operators),
    NAMES_TEST(reductions_and_scans),
    NAMES_TEST(views),
    NAMES_TEST(made_and_joined),
    NAMES_TEST(segments),
    NAMES_TEST(statements_and_names),
    NAMES_TEST(several_values),
    NAMES_TEST(nothing_else_is_recorded),
    SUBJECT_TEST(body_of_an_operator),
    NAMES_TEST(literals_are_weak),
    NAMES_TEST(long_and_deep),
    NAMES_TEST(decimal_point),
    NAMES_TEST(examples_of_the_page),
};

SUBJECT_MAIN(tests)
