/* SPDX-License-Identifier: MIT */
/* Functions by expression: values, dtypes at each call, fusion, inside an operator, messages. */
#include "tests/support/subject.h"
#include <math.h>
#include <string.h>

#define G subject_g
#define AT fsr_here("prog.c", 12)
#define ARGS(...) ((fsr_node[]){__VA_ARGS__}), COUNT_OF(((fsr_node[]){__VA_ARGS__}))

static const fsr_function line = {"line", "a, x, b", "a*x + b"};
static const fsr_function bend = {"bend", "\tx ", "s = x*x; s / (1 + s)"};

static fsr_node vector(const double *data, int n) {
    return fsr_from_host(G, FSR_F64, 1, SHAPE(n), data);
}

static void values(void **state) {
    (void)state;
    const double x[] = {0, -1.5, 3, NAN};
    fsr_node in = vector(x, 4), two = fsr_int(G, 2), half = fsr_float(G, 0.5);
    fsr_node y = fsr_call(&line, ARGS(two, in, half));
    fsr_node z = fsr_call(&bend, ARGS(y));
    for (int i = 0; i < 3; i++) {
        const double a = 2 * x[i] + 0.5, s = a * a;
        assert_true(subject_value(y, i) == a);
        assert_true(subject_value(z, i) == s / (1 + s));
    }
    assert_true(isnan(subject_value(z, 3)));
}

/* The operands' dtypes and shapes decide anew at each call; the text's literals are weak. */
static void dtypes_and_shapes(void **state) {
    (void)state;
    fsr_node f = fsr_full(G, FSR_F32, 2, SHAPE(3, 4), 1), i = fsr_full(G, FSR_I32, 1, SHAPE(4), 7);
    fsr_node ff = fsr_call(&line, ARGS(f, f, f)), ii = fsr_call(&line, ARGS(i, i, i)),
             fi = fsr_call(&line, ARGS(f, i, fsr_int(G, 1)));
    assert_int_equal(fsr_node_dtype(ff), FSR_F32);
    assert_int_equal(fsr_node_dtype(ii), FSR_I32);
    assert_int_equal(fsr_node_dtype(fi), FSR_F64);
    assert_int_equal(fsr_node_ndim(fi), 2);
    assert_int_equal(fsr_node_dtype(fsr_call(&bend, ARGS(f))), FSR_F32);
    assert_true(subject_value(ii, 3) == 56);
}

/* Calls of calls are one kernel without temporaries, and two equal calls are computed once. */
static void calls_fuse(void **state) {
    (void)state;
    fsr_node x = subject_data(FSR_F32, 1, SHAPE(1000), SUBJECT_SMALL, 0), two = fsr_float(G, 2);
    fsr_node y = fsr_call(&line, ARGS(two, fsr_call(&bend, ARGS(x)), x));
    fsr_node outs[] = {fsr_sum(y, NULL, 0, 0), fsr_add(y, fsr_call(&bend, ARGS(x)))};
    fsr_plan_info info;
    OK(fsr_query(outs, 1, &info));
    assert_int_equal(info.kernels, 1);
    assert_int_equal(info.temporaries, 0);
    subject_verify(outs, 2, NULL, "calls");
}

/* (a, b) then (c, d): x -> c*(a*x + b) + d. */
static void compose(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    out[0] = fsr_mul(left[0], right[0]);
    out[1] = fsr_call(user, ARGS(right[0], left[1], right[1]));
}

static void inside_an_operator(void **state) {
    (void)state;
    fsr_operator op = {compose, (void *)&line, 2, {1, 0}, false, {NULL}};
    fsr_node in[] = {fsr_full(G, FSR_F64, 1, SHAPE(5), 0.5), fsr_arange(G, FSR_F64, 5)}, out[2];
    fsr_scan_with(out, in, &op, AXES(0), 1, 0);
    double at = 0;
    for (int i = 0; i < 5; i++) {
        at = at / 2 + i;
        assert_true(subject_value(out[1], i) == at);
    }
}

static void at_most(void **state) {
    (void)state;
    fsr_node many[FSR_MAX_PARAMETERS + 1];
    for (int i = 0; i <= FSR_MAX_PARAMETERS; i++)
        many[i] = fsr_full(G, FSR_I64, 0, NULL, i);
    const fsr_function most = {"most", "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p", "a+b+c+d+e+f+g+h+i+j+k+l+m+n+o+p"};
    assert_true(subject_value(fsr_call(&most, many, FSR_MAX_PARAMETERS), 0) == 120);
    const fsr_function more = {"more", "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q", "a"};
    assert_int_equal(fsr_node_status(fsr_call(&more, many, FSR_MAX_PARAMETERS + 1)), FSR_ERR_VALUE);
}

/* ---- mistakes ------------------------------------------------------------------------------------------- */

typedef struct mistake {
    fsr_function f;
    int nargs;
    fsr_status status;
    const char *message;
} mistake;

#define LIST "wave: the parameters are not 1 to 16 names separated by commas (prog.c:12)"

static const mistake mistakes[] = {
    {{"wave", "x, y", "x + z"},
     2,
     FSR_ERR_VALUE,
     "wave: unknown name \"z\" at column 5 (prog.c:12)\n    x + z\n        ^"},
    {{"wave", "x, y", "x +"},
     2,
     FSR_ERR_FORMAT,
     "wave: expected an expression at column 4 (prog.c:12)\n    x +\n       ^"},
    {{"wave", "x", "x"}, 2, FSR_ERR_VALUE, "wave: 2 arguments for 1 parameters (prog.c:12)"},
    {{"wave", "x, x", "x"}, 2, FSR_ERR_VALUE, "wave: the name \"x\" is given twice (prog.c:12)"},
    {{"wave", "x, 2y", "x"},
     2,
     FSR_ERR_VALUE,
     "wave: name 2 is not a letter or _, then letters, digits and _, at most 63 (prog.c:12)"},
    {{"wave", "", "x"}, 1, FSR_ERR_VALUE, LIST},
    {{"wave", "x,", "x"}, 1, FSR_ERR_VALUE, LIST},
    {{"wave", "x y", "x"}, 1, FSR_ERR_VALUE, LIST},
    {{"two waves", "x", "x"},
     1,
     FSR_ERR_VALUE,
     "call: the function's name is not 1 to 63 letters, digits and _ (prog.c:12)"},
    {{"wave", NULL, "x"}, 1, FSR_ERR_NULL, "call: the function or one of its strings is null (prog.c:12)"},
    {{NULL, "x", "x"}, 1, FSR_ERR_NULL, "call: the function or one of its strings is null (prog.c:12)"},
    {{"wave", "x", NULL}, 1, FSR_ERR_NULL, "call: the function or one of its strings is null (prog.c:12)"},
};

static void every_mistake(void **state) {
    (void)state;
    fsr_node x = fsr_arange(G, FSR_F32, 3), args[] = {x, x};
    for (int i = 0; i < COUNT_OF(mistakes); i++) {
        fsr_node bad = fsr_call_at(AT, sizeof(fsr_function), &mistakes[i].f, args, mistakes[i].nargs);
        if (fsr_node_status(bad) != mistakes[i].status || strcmp(fsr_node_error(bad), mistakes[i].message))
            fail_msg("mistake %d: %s", i, fsr_node_error(bad));
    }
    assert_int_equal(fsr_node_status(fsr_call_at(AT, sizeof(fsr_function), NULL, args, 1)), FSR_ERR_NULL);
    assert_null(fsr_call_at(AT, sizeof(fsr_function), &line, NULL, 3).graph);
    assert_null(fsr_call_at(AT, sizeof(fsr_function), &line, args, 0).graph);
    args[1] = fsr_add(x, fsr_arange(G, FSR_F32, 4));
    assert_string_equal(fsr_node_error(fsr_call_at(AT, sizeof(fsr_function), &bend, &args[1], 1)),
                        fsr_node_error(args[1]));
    args[1] = (fsr_node){0};
    assert_string_equal(fsr_node_error(fsr_call_at(AT, sizeof(fsr_function), &line, args, 2)),
                        "call: operand 2 is a null handle (prog.c:12)");
}

static const struct CMUnitTest tests[] = {
    SUBJECT_TEST(values),  SUBJECT_TEST(dtypes_and_shapes), SUBJECT_TEST(calls_fuse), SUBJECT_TEST(inside_an_operator),
    SUBJECT_TEST(at_most), SUBJECT_TEST(every_mistake),
};

SUBJECT_MAIN(tests)
