/* SPDX-License-Identifier: MIT */
/* The text form read back: round trips, hostile text with its line and column, and damaged text of every kind. */
#include "graph/print.h"
#include "primitives/parse.h"
#include "tests/support/comma.h"
#include "tests/support/nodes.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define OUTS 4

static fsr_graph_owner *owner;
static fsr_graph *g;
static int live; /* buffers of the test's data */

static int setup(void **state) {
    (void)state;
    g = node_graph(&owner);
    return g ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    fsr_graph_owner_free(owner);
    return live;
}

static char *text_of(const fsr_node *outs, int n) {
    char *text = NULL;
    size_t size;
    fsr_ref refs[OUTS];
    for (int i = 0; i < n; i++)
        refs[i] = (fsr_ref){outs[i].id, outs[i].output};
    FILE *to = open_memstream(&text, &size);
    assert_int_equal(fsr_graph_print(outs[0].graph, refs, n, to), FSR_OK);
    fclose(to);
    return text;
}

/* Prints, reads into another graph, prints again: the same text. */
static void round_trip(const fsr_node *outs, int n) {
    fsr_graph *second = fsr_graph_create(owner);
    fsr_node again[OUTS];
    fsr_parse_error error;
    int count;
    for (int i = 0; i < n; i++)
        if (!fsr_node_rec(outs[i]))
            fail_msg("no node");
    char *text = text_of(outs, n), why[200];
    if (fsr_graph_parse(second, text, again, OUTS, &count, &error))
        fail_msg("%d:%d: %s\n%s", error.line, error.column, error.message, text);
    assert_int_equal(count, n);
    char *other = text_of(again, n);
    assert_string_equal(text, other);
    assert_int_equal(fsr_graph_verify(second, why, sizeof why), FSR_OK);
    assert_int_equal(fsr_scope_end(second, NULL, 0), FSR_ERR_SCOPE);
    free(text);
    free(other);
    fsr_graph_free(second);
}

static void round_trip_one(fsr_node x) {
    round_trip(&x, 1);
}

static void maps_and_literals(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F32, 3, 4), n = INPUT(g, FSR_U8, 4);
    round_trip_one(fsr_add(fsr_mul(x, fsr_float(g, 0.1)), n));
    round_trip_one(fsr_where(fsr_less(x, n), fsr_exp(x), fsr_param(g, "dt", FSR_F32, 1e-30)));
    round_trip_one(fsr_mul(fsr_add(fsr_int(g, 2), fsr_int(g, INT64_MIN)), fsr_float(g, 0.1)));
    round_trip_one(fsr_hint_set(fsr_neg(x), FSR_HINT_INLINE));
    fsr_node e = fsr_exp(x), s = fsr_sin(e), t = fsr_tan(s);
    assert_int_equal(fsr_hint_pair(t, e, FSR_PAIR_APART), FSR_OK);
    assert_int_equal(fsr_hint_pair(s, t, FSR_PAIR_FUSE), FSR_OK);
    round_trip_one(t);
    round_trip((fsr_node[]){fsr_neg(x), x, fsr_hint_set(fsr_abs(x), FSR_HINT_MATERIALIZE), x}, 4);
    static const double values[] = {0, -0.0, INFINITY, -INFINITY, NAN, 1e308, 5e-324, 0.1, -1.0 / 3, 16777217};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        for (int d = 0; d < FSR_DTYPE_COUNT; d++)
            round_trip_one(fsr_full(g, (fsr_dtype)d, 0, NULL, values[i]));
}

static void exact_values(void **state) {
    (void)state;
    static const uint32_t bits[] = {0x7fc00000, 0xffc00000, 0x7f800001, 0x00000001, 0x3dcccccd, 0x80000000, 0x7f7fffff};
    fsr_node out;
    fsr_parse_error error;
    int n;
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        fsr_node x = fsr_full(g, FSR_F32, 0, NULL, 1);
        fsr_node_rec(x)->value.bits = bits[i];
        char *text = node_text(x);
        assert_int_equal(fsr_graph_parse(g, text, &out, 1, &n, &error), FSR_OK);
        assert_int_equal(fsr_node_rec(out)->value.bits, bits[i]);
        free(text);
    }
}

/* Whole numbers are the digits that %g has, with and without an exponent. */
static void whole_values(void **state) {
    (void)state;
    static const double values[] = {0, -0.0, 7, -7, 9999, -9999, 10000, -10000, 65504, 99999, 100000, 1e9, 0.5, 9999.5};
    static const fsr_dtype dtypes[] = {FSR_F16, FSR_F32, FSR_F64};
    static const int digits[] = {5, 9, 17};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        for (int d = 0; d < 3; d++) {
            char expected[64];
            fsr_node x = fsr_full(g, dtypes[d], 0, NULL, values[i]);
            const double value = fsr_value_to_double(dtypes[d], fsr_node_rec(x)->value);
            snprintf(expected, sizeof expected, "[] %.*g\n", digits[d], value);
            char *text = node_text(x);
            if (isfinite(value) && !strstr(text, expected))
                fail_msg("%s, not %s", text, expected);
            free(text);
        }
}

static void pastes(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F32, 4, 6), y = INPUT(g, FSR_F32, 3, 2);
    fsr_node view = fsr_transpose(fsr_slice(fsr_slice(x, 0, 3, FSR_SLICE_END, -2), 1, 1, FSR_SLICE_END, 2), NULL);
    fsr_node out[] = {fsr_update(x, view, y), fsr_concat((fsr_node[]){x, x}, 2, -1)};
    round_trip(out, 2);
    char *text = text_of(out, 1);
    assert_non_null(strstr(text, "paste f32[4,6] %0, %1 affine [3+-2*d1, 1+2*d0]"));
    free(text);
}

static void calls(void **state) {
    (void)state;
    const fsr_native f = {.name = "f",
                          .result = FSR_F16,
                          .parameters = "f32 x,bool\t_y2",
                          .c = "\"\\ \t\xc3\xa9\n\001// return",
                          .cuda_preamble = "#include <x>\n",
                          .ulp = 0.1};
    fsr_node x = INPUT(g, FSR_F32, 4, 6), y = fsr_call_native(&f, ((fsr_node[]){x, fsr_bool(g, true)}), 2);
    round_trip_one(fsr_exp(y));
    char *text = text_of(&y, 1);
    assert_non_null(strstr(text, "f(f32 x, bool _y2) ulp=0.10000000000000001 c=\"\\\"\\\\ \t"));
    assert_non_null(strstr(text, "\" cuda_preamble=\"#include <x>\\n\"\n"));
    free(text);
    fsr_node several[2];
    fsr_call_natives(several, 2, &f, "f16 low, bool high", (fsr_node[]){x, fsr_bool(g, true)}, 2);
    round_trip(several, 2);
    text = text_of(several, 2);
    assert_non_null(strstr(text, "f(f32 x, bool _y2) gives 1 of (f16 low, bool high)"));
    free(text);
    fsr_native linked = f;
    linked.linked_form = FSR_LINKED_LTOIR;
    linked.linked = "\0\377\n\"";
    linked.linked_bytes = 4;
    y = fsr_call_native(&linked, ((fsr_node[]){x, fsr_bool(g, true)}), 2);
    round_trip_one(fsr_exp(y));
    text = text_of(&y, 1);
    assert_non_null(strstr(text, " cuda=\"return f(x, _y2);\""));
    assert_non_null(strstr(text, "extern \\\"C\\\" __device__ f32 f(f32, bool);\" linked=ltoir \"00ff0a22\"\n"));
    free(text);
}

static void loop_goes_on(fsr_node *out, const fsr_node *s, const fsr_node *a, void *user) {
    (void)user;
    out[0] = fsr_less(s[0], a[0]);
}
static void loop_turn(fsr_node *out, const fsr_node *s, const fsr_node *a, void *user) {
    (void)user;
    out[0] = fsr_add(fsr_mul(s[0], fsr_float(g, 2)), s[1]);
    out[1] = a[0];
}

static void loops(void **state) {
    (void)state;
    static const fsr_loop loop = {loop_turn, loop_goes_on, NULL, 2, 1};
    fsr_node x = INPUT(g, FSR_F32, 3, 4), y = fsr_neg(x), one = fsr_full(g, FSR_F32, 0, NULL, 1), out[3];
    fsr_iterate(out, &loop, (fsr_node[]){x, y}, &one, 12);
    round_trip(out, 3);
    fsr_iterate(out, &loop, (fsr_node[]){y, x}, &x, INT32_MAX);
    round_trip(out + 2, 1);
    char *text = text_of(out, 1);
    assert_non_null(strstr(text,
                           "iterate (f32,f32,i32)[3,4] %1, %0, %0 max=2147483647 {t0 = f32 state0; t1 = f32 arg0; "
                           "t2 = bool less.f32(t0, t1); t3 = f32 state1; t4 = f32 2; t5 = f32 mul(t0, t4); "
                           "t6 = f32 add(t5, t3); while t2 gives t6, t1}"));
    free(text);
}

static void filters(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F32, 4, 6), out[] = {fsr_filter(x, fsr_cast(x, FSR_BOOL), fsr_float(g, 2)), x}, node;
    round_trip(out, 2);
    char *text = text_of(out, 1);
    assert_non_null(strstr(text, "compact f32[24] %"));
    free(text);
    static const char head[] = "%0 = input f32[3] \"x\"\n%1 = input bool[3] \"m\"\n%2 = input i32[3] \"n\"\n"
                               "%3 = input f32[] \"s\"\n";
    static const char *const wrong[][2] = {
        {"%4 = compact f32[3] %0, %1, %0\nreturn %4\n", "a count that is not i32 or i64"},
        {"%4 = compact f32[3] %0, %2, %2\nreturn %4\n", "a mask that is not bool"},
        {"%4 = compact f32[] %3, %3, %3\nreturn %4\n", "a compaction of an array that is 0-d"},
        {"%4 = compact f32[4] %0, %1, %2\nreturn %4\n", "an argument of another shape"},
        {"%4 = compact i32[3] %0, %1, %2\nreturn %4\n", "an argument of another dtype"},
        {"%4 = compact f32[3] %0, %1\nreturn %4\n", "arity"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char whole[400];
        fsr_parse_error error;
        int n;
        snprintf(whole, sizeof whole, "%s%s", head, wrong[i][0]);
        assert_int_equal(fsr_graph_parse(g, whole, &node, 1, &n, &error), FSR_ERR_FORMAT);
        if (!strstr(error.message, wrong[i][1]))
            fail_msg("%s: %s", wrong[i][1], error.message);
    }
}

static void views(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_I32, 6, 4, 1);
    round_trip_one(fsr_transpose(x, NULL));
    round_trip_one(fsr_flip(fsr_slice(x, 0, 1, 6, 2), 0));
    round_trip_one(fsr_slice(x, 0, 5, 1, -2));
    round_trip_one(fsr_slice(x, 1, 2, 3, 1));
    round_trip_one(fsr_reshape(x, 2, SHAPE(-1, 8)));
    round_trip_one(fsr_squeeze(x, 2));
    round_trip_one(fsr_expand(x, 0));
    round_trip_one(fsr_broadcast_to(x, 3, SHAPE(6, 4, 9)));
    round_trip_one(fsr_slice(x, 0, 3, 3, 1));
    round_trip_one(fsr_arange(g, FSR_F64, 0));
}

static void linear(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    (void)user;
    out[0] = fsr_mul(left[0], right[0]);
    out[1] = fsr_add(fsr_mul(left[1], right[0]), fsr_mul(right[1], fsr_float(g, 0.1)));
}

static void folds(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F32, 3, 4), n = INPUT(g, FSR_U8, 4), out[2];
    round_trip_one(fsr_sum(x, AXES(0), 1, 0));
    round_trip_one(fsr_max(x, NULL, 0, FSR_KEEPDIMS));
    round_trip_one(fsr_all(n, NULL, 0, 0));
    round_trip_one(fsr_var(x, AXES(1), 1, 0, 1));
    round_trip_one(fsr_mean(n, NULL, 0, 0));
    round_trip_one(fsr_argmax(x, NULL, 0, 0));
    round_trip_one(fsr_argmax(n, AXES(0), 1, FSR_KEEPDIMS));
    round_trip_one(fsr_cumsum(n, AXES(0), 1, FSR_EXCLUSIVE));
    round_trip_one(fsr_cumprod(n, AXES(0), 1, FSR_REVERSE));
    round_trip_one(fsr_cummin(n, AXES(0), 1, FSR_REVERSE | FSR_EXCLUSIVE));
    fsr_operator op = {linear, NULL, 2, {1, -INFINITY}, false, {NULL}};
    fsr_scan_with(out, (fsr_node[]){x, x}, &op, AXES(1), 1, 0);
    round_trip(out, 2);
    round_trip((fsr_node[]){out[1], fsr_add(out[0], out[1])}, 2);
}

/* A call may have no arguments. */
static void library_calls(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F32, 3, 4);
    round_trip_one(fsr_fft(x, 1));
    round_trip_one(fsr_sort(x, AXES(1), 1, 0));
    round_trip_one(fsr_curand_bits(g, FSR_XORWOW, 7, 3, 2, SHAPE(2, 3)));
    round_trip_one(fsr_neg(fsr_curand_normal(g, FSR_SOBOL32, 0, 1, FSR_F64, 1, SHAPE(5))));
}

static void poison(void **state) {
    (void)state;
    round_trip_one(fsr_poison(g, fsr_here("a \"b\".c", 1), FSR_ERR_VALUE, "op", "back\\slash\nline"));
    round_trip_one(fsr_cast(INPUT(g, FSR_F32, 3), (fsr_dtype)99));
}

static void data_becomes_inputs(void **state) {
    (void)state;
    int n;
    fsr_node x = node_data(g, FSR_F32, 1, SHAPE(4), &live), at = fsr_argmax(x, AXES(0), 1, FSR_KEEPDIMS), value = at,
             out[2];
    value.output = 0;
    node_force(at, &live);
    node_force(value, &live);
    char *text = text_of((fsr_node[]){fsr_neg(x), fsr_add(value, at)}, 2);
    assert_non_null(strstr(text, "%2 = data (f32,i64)[1]\n"));
    assert_int_equal(fsr_graph_parse(g, text, out, 2, &n, NULL), FSR_OK);
    free(text);
    text = text_of(out, 2);
    assert_string_equal(text, "%0 = input f32[4] \"_0\"\n%1 = neg f32[4] %0\n%2 = input f32[1] \"_2\"\n"
                              "%3 = cast f64[1] %2\n%4 = input i64[1] \"_2_1\"\n%5 = cast f64[1] %4\n"
                              "%6 = add f64[1] %3, %5\nreturn %1, %6\n");
    free(text);
}

static void free_form(void **state) {
    (void)state;
    static const char text[] = "# a comment\n\n  %0=input f32[ 3 , 4 ]\"x\"\r\n\t%1 = neg f32[3,4] %0 # no\n";
    static const char good[] =
        "# a comment\n\n  %0=input f32[ 3 , 4 ]\"x\"\r\n\t%1 = neg f32[3,4] %0\n\nreturn %1 ,%0\n\n#";
    fsr_node out[2];
    fsr_parse_error error;
    int n;
    assert_int_equal(fsr_graph_parse(g, text, out, 2, &n, &error), FSR_ERR_FORMAT);
    assert_int_equal(error.line, 4);
    assert_int_equal(error.column, 23);
    assert_int_equal(fsr_graph_parse(g, good, out, 2, &n, &error), FSR_OK);
    assert_int_equal(n, 2);
    assert_int_equal(fsr_graph_parse(g, "return", out, 2, &n, &error), FSR_OK);
    assert_int_equal(n, 0);
}

static void unneeded_nodes_are_dropped(void **state) {
    (void)state;
    fsr_node out;
    int n;
    assert_int_equal(fsr_graph_parse(g, "%0 = input f32[] \"x\"\n%1 = const i64[] 3\nreturn %0\n", &out, 1, &n, NULL),
                     FSR_OK);
    assert_int_equal(fsr_graph_live(g), 1);
}

#define X "%0 = input f32[3] \"x\"\n"
#define A "%0, %0, %0, %0, %0, %0, %0, %0, "
#define L "(f32,i32)[3] %0"
#define P "{identity=0; t0 = f32 left0; t1 = f32 right0; "

static void hostile_text(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int line, column;
        const char *message;
    } rows[] = {
        {"", 1, 1, "the return line is missing"},
        {X, 2, 1, "the return line is missing"},
        {"hello", 1, 1, "expected %"},
        {"%1 = input f32[] \"x\"", 1, 2, "the number is out of range"},
        {"%99999999999999999999 = input f32[] \"x\"", 1, 2, "the number is out of range"},
        {"%x", 1, 2, "expected a whole number"},
        {"%0 input", 1, 4, "expected ="},
        {"%0 = ", 1, 6, "expected a word"},
        {"%0 = frobnicate f32[]", 1, 16, "frobnicate is no node and no op"},
        {"%0 = arg f32[] 0", 1, 9, "arg is no node and no op"},
        {"%0 = input f31[] \"x\"", 1, 12, "f31 is no dtype"},
        {"%0 = input f32 \"x\"", 1, 16, "expected ["},
        {"%0 = input f32[3,-1] \"x\"", 1, 18, "the number is out of range"},
        {"%0 = input f32[1,1,1,1,1,1,1,1,1] \"x\"", 1, 31, "more than 8 dimensions"},
        {"%0 = input f32[9223372036854775807,2] \"x\"", 1, 42, "the node is not in normal form: size"},
        {"%0 = input f32[3", 1, 17, "expected ,"},
        {"%0 = input f32[3] x", 1, 19, "expected \""},
        {"%0 = input f32[3] \"x", 1, 20, "the string does not end"},
        {"%0 = input f32[3] \"x\\", 1, 20, "the string does not end"},
        {"%0 = input f32[3] \"a b\"", 1, 18, "not a name of 1 to 63 letters, digits and _"},
        {"%0 = input f32[3] \"\"", 1, 18, "not a name of 1 to 63 letters, digits and _"},
        {"%0 = input (f32,f32)[3] \"x\"", 1, 28, "the node is not in normal form: a leaf with several results"},
        {"%0 = data (f32,f32,f32,f32,f32,f32,f32,f32,f32)[3]", 1, 44, "more than 8 results"},
        {"%0 = const f32[] ", 1, 18, "expected a number"},
        {"%0 = const f32[] 1.2.3", 1, 18, "expected a number"},
        {"%0 = const f32[] 0x10", 1, 19, "the line goes on"},
        {"%0 = const f64[] 1e999", 1, 18, "expected a number"},
        {"%0 = const f64[] infinity", 1, 18, "expected a number"},
        {"%0 = const f32[] nan:3f800000", 1, 22, "these bits are no NaN"},
        {"%0 = const f32[] nan:7ff8000000000001", 1, 22, "these bits are no NaN"},
        {"%0 = const u8[] 256", 1, 16, "the number does not fit u8"},
        {"%0 = const bool[] 2", 1, 18, "the number does not fit bool"},
        {"%0 = const i64[] 9223372036854775808", 1, 18, "the number is out of range"},
        {"%0 = const f32[2] 1", 1, 20, "the node is not in normal form: a scalar leaf with dimensions"},
        {"%0 = const weak f32[] 1", 1, 24, "the node is not in normal form: a weak node of this kind"},
        {"%0 = iota f32[3] axis=1", 1, 24, "the node is not in normal form: axis"},
        {"%0 = iota bool[3] axis=0", 1, 25, "the node is not in normal form: bool and complex dtypes do not count"},
        {"%0 = iota f32[3] axis=9", 1, 23, "the number is out of range"},
        {"%0 = poison FSR_OK \"x\"", 1, 19, "FSR_OK is no error"},
        {X "%1 = neg f32[3] %1", 2, 18, "the number is out of range"},
        {X "%1 = neg f32[3] %0.1", 2, 20, "the number is out of range"},
        {X "%1 = neg f32[3] %0, %0", 2, 23, "the node is not in normal form: arity"},
        {X "%1 = neg f32[3] " A A "%0, %0", 2, 84, "more than 17 arguments"},
        {X "%1 = neg f32[4] %0", 2, 19, "the node is not in normal form: an operand of another shape"},
        {X "%1 = neg f64[3] %0", 2, 19, "the node is not in normal form: dtype of the result"},
        {X "%1 = neg weak f64[] %0", 2, 23, "the node is not in normal form: a weak node with an argument that is not"},
        {X "%1 = logical_not bool[3] %0", 2, 28,
         "the node is not in normal form: an op that is not defined for this dtype"},
        {X "%1 = neg f32[3] %0 hint=slow", 2, 25, "expected materialize"},
        {X "%1 = neg f32[3] %0 fuse=%2", 2, 26, "the number is out of range"},
        {X "%1 = neg f32[3] %0 more", 2, 20, "the line goes on"},
        {X "%1 = view f32[3] %0 linear", 2, 21, "expected affine"},
        {X "%1 = view f32[4] %0 affine [d0]", 2, 32, "the node is not in normal form: a view outside its source"},
        {X "%1 = view f32[3] %0 affine [d1]", 2, 32,
         "the node is not in normal form: a dimension that the view does not have"},
        {X "%1 = view f32[3] %0 affine [9223372036854775807+9223372036854775807*d0]", 2, 72,
         "the node is not in normal form: a view outside its source"},
        {X "%1 = view f32[0] %0 affine [3+d0]", 2, 34, "the node is not in normal form: a view outside its source"},
        {X "%1 = view f32[0] %0 affine [3*d0]", 2, 34, "the node is not in normal form: a view outside its source"},
        {X "%1 = view f32[1] %0 affine [-3*d0]", 2, 35, "the node is not in normal form: a view outside its source"},
        {X "%1 = view f32[0] %0 affine [d0]\n%2 = view f32[3,0] %1 affine [d0]", 3, 34,
         "the node is not in normal form: a view outside its source"},
        {X "%1 = view f32[3] %0 affine [d0, d0]", 2, 31, "expected ]"},
        {X "%1 = view f32[4] %0 reshape", 2, 28, "the node is not in normal form: a reshape of another size"},
        {X "%1 = view f64[3] %0 reshape", 2, 28, "the node is not in normal form: a view of another dtype"},
        {X "%1 = paste f32[3] %0 affine [d0]", 2, 33, "the node is not in normal form: arity"},
        {X "%1 = paste f32[3] %0, %0 reshape", 2, 26, "expected affine"},
        {X "%1 = paste f32[4] %0, %0 affine [d0]", 2, 37,
         "the node is not in normal form: an argument of another shape"},
        {X "%1 = paste f64[3] %0, %0 affine [d0]", 2, 37,
         "the node is not in normal form: an argument of another dtype"},
        {X "%1 = paste f32[3] %0, %0 affine [1+d0]", 2, 39,
         "the node is not in normal form: a section outside its source"},
        {X "%1 = paste f32[3] %0, %0 affine [0*d0]", 2, 39,
         "the node is not in normal form: a section with a step of 0"},
        {X "%1 = paste f32[3] %0, %0 affine [0]", 2, 36,
         "the node is not in normal form: a section that names an element more than once"},
        {X "%1 = view f32[0] %0 affine [d0]\n%2 = paste f32[3] %0, %1 affine [d0]", 3, 37,
         "the node is not in normal form: a section without elements"},
        {X "%1 = view f32[0] %0 affine [d0]\n%2 = paste f32[0] %1, %1 affine [1+d0]", 3, 39,
         "the node is not in normal form: a section outside its source"},
        {X "%1 = reduce f32[1] %0 axes=1 op=add", 2, 36, "the node is not in normal form: axes"},
        {X "%1 = reduce f32[3] %0 axes=0 op=add", 2, 36, "the node is not in normal form: shape of the result"},
        {X "%1 = reduce f32[1] %0 axes=0 op=sub", 2, 33, "sub does not fold these"},
        {X "%1 = reduce f32[1] %0 axes=0 op=logical_or", 2, 33, "logical_or does not fold these"},
        {X "%1 = reduce f32[1] %0 axes=0 op=nothing", 2, 33, "nothing does not fold these"},
        {X "%1 = reduce (f32,f32)[1] %0, %0 axes=0 op=add", 2, 43, "add does not fold these"},
        {X "%1 = reduce f32[1] %0 axes=0 " P "t2 = f32 add(t0, t2); gives t2}", 2, 94, "the number is out of range"},
        {X "%1 = reduce f32[1] %0 axes=0 " P "t3 = f32 add(t0, t1); gives t3}", 2, 77, "the number is out of range"},
        {X "%1 = reduce f32[1] %0 axes=0 " P "t2 = f64 add(t0, t1); t3 = f32 cast.f64(t2); gives t3}", 2, 130,
         "the node is not in normal form: an operand's dtype"},
        {X "%1 = reduce f32[1] %0 axes=0 " P "t2 = f32 hop(t0, t1); gives t2}", 2, 85, "hop is no op"},
        {X "%1 = reduce f32[1] %0 axes=0 " P "t2 = f32 right1; gives t2}", 2, 85, "right1 is no op"},
        {X "%1 = reduce f32[1] %0 axes=0 " P "t2 = bool less.f32(t0, t1); gives t2}", 2, 113,
         "the node is not in normal form: a result of another dtype than the state's"},
        {X "%1 = reduce f32[1] %0 axes=0 {identity=0; gives t0}", 2, 50, "the number is out of range"},
        {X "%1 = reduce f32[1] %0 axes=0 {", 2, 31, "expected identity="},
        {X "%1 = scan f32[3] %0 op=add", 2, 21, "expected axis="},
        {X "%1 = call f32[3] %0 f(f32 x) ulp=4", 2, 35, "expected c="},
        {X "%1 = call f32[3] %0 f(f32 x) ulp=4 c=\"\" cuda=1", 2, 46, "expected \""},
        {X "%1 = call f32[3] %0 f(f32 x) ulp=-4 c=\"\"", 2, 41, "the function: ulp is not a finite number from 0"},
        {X "%1 = call f32[3] %0 f(f32) ulp=4 c=\"\"", 2, 38,
         "the function: the parameters are not 1 to 8 of dtype and name, separated by commas, raw ones behind a value"},
        {X "%1 = call f32[3] %0 f(f32 x", 2, 28, "expected )"},
        {X "%1 = call f32[3] %0 f(f32 x) gives 2 of (f32 a, f32 b) ulp=4 c=\"\"", 2, 55,
         "the results are not of dtype and name, or fewer"},
        {X "%1 = call f32[3] %0 f(f32 x) gives 0 of (f32 a, f32 x) ulp=4 c=\"\"", 2, 66,
         "the result x has the name of a parameter"},
        {X "%1 = call f32[3] %0 f(f32 x) gives 0 of (f64 a) ulp=4 c=\"\"", 2, 59, "result 0 is of another dtype"},
        {X "%1 = call f32[3] %0 f(f32 x, f32 y) ulp=4 c=\"\"", 2, 47, "the node is not in normal form: arity"},
        {X "%1 = call f32[3] %0 f(i32 x) ulp=4 c=\"\"", 2, 40,
         "the node is not in normal form: an argument of another dtype than the parameter"},
        {X "%1 = call f32[4] %0 f(f32 x) ulp=4 c=\"\"", 2, 40,
         "the node is not in normal form: an operand of another shape"},
        {X "%1 = iterate f32[3] %0 max=2 {", 2, 24, "1 arguments do not make a loop of 1 results"},
        {X "%1 = iterate (f32,f32,i32)[3] %0 max=2 {", 2, 34, "1 arguments do not make a loop of 3 results"},
        {X "%1 = iterate " L " max=-1 {", 2, 34, "the number is out of range"},
        {X "%1 = iterate " L " max=1 {while t0 gives t0}", 2, 44, "the number is out of range"},
        {X "%1 = iterate " L " max=1 {t0 = f32 state1; while t0 gives t0}", 2, 46, "state1 is no op"},
        {X "%1 = iterate " L " max=1 {t0 = f32 state0; while t0 gives t0}", 2, 72,
         "the node is not in normal form: a condition that is not bool"},
        {X "%1 = iterate " L " max=1 {t0 = f64 state0; while t0 gives t0}", 2, 72,
         "the node is not in normal form: no argument of the region"},
        {X "%1 = iterate (f32,i64)[3] %0 max=1 {t0 = bool 1; t1 = f32 state0; while t0 gives t1}", 2, 85,
         "the node is not in normal form: dtype of a result"},
        {X "%1 = iterate " L " max=1 {t0 = bool 1; while t0 gives t0}", 2, 68,
         "the node is not in normal form: a result of another dtype than the state's"},
        {X "return %0\n" X, 3, 1, "the text goes on after its return line"},
        {X "return %1", 2, 9, "the number is out of range"},
        {X "return %0,", 2, 11, "expected %"},
        {X "return %0, %0, %0, %0, %0", 2, 23, "there is no room for more than 4 results"},
        {"%0 = poison FSR_ERR_VALUE \"m\"\n%1 = neg f32[] %0", 2, 18,
         "the node is not in normal form: a poisoned argument"},
    };
    int wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fsr_node outs[OUTS];
        fsr_parse_error e = {0};
        int n = 7;
        fsr_status status = fsr_graph_parse(g, rows[i].text, outs, OUTS, &n, &e);
        if (status == FSR_ERR_FORMAT && e.line == rows[i].line && e.column == rows[i].column &&
            !strcmp(e.message, rows[i].message) && n == 0 && fsr_graph_live(g) == 0)
            continue;
        wrong++;
        print_error("%s\n   %d %d:%d %s\n   not %d:%d %s\n", rows[i].text, status, e.line, e.column, e.message,
                    rows[i].line, rows[i].column, rows[i].message);
    }
    assert_int_equal(wrong, 0);
}

static void arguments(void **state) {
    (void)state;
    fsr_node out;
    int n;
    fsr_graph *freed = fsr_graph_create(owner);
    fsr_graph_free(freed);
    assert_int_equal(fsr_graph_parse(NULL, "return", &out, 1, &n, NULL), FSR_ERR_NULL);
    assert_int_equal(fsr_graph_parse(g, NULL, &out, 1, &n, NULL), FSR_ERR_NULL);
    assert_int_equal(fsr_graph_parse(g, "return", NULL, 1, &n, NULL), FSR_ERR_NULL);
    assert_int_equal(fsr_graph_parse(g, "return", &out, 1, NULL, NULL), FSR_ERR_NULL);
    assert_int_equal(fsr_graph_parse(freed, "return", &out, 1, &n, NULL), FSR_ERR_STALE);
    assert_int_equal(fsr_graph_parse(g, "what", &out, 1, &n, NULL), FSR_ERR_FORMAT);
}

/* A text with every kind of node. */
static char *rich_text(void) {
    fsr_node x = INPUT(g, FSR_F32, 3, 4), out[2];
    fsr_operator op = {linear, NULL, 2, {1, 0}, true, {NULL}};
    fsr_scan_with(out, (fsr_node[]){fsr_neg(x), x}, &op, AXES(1), 1, FSR_EXCLUSIVE);
    fsr_node y = fsr_add(fsr_argmax(out[1], AXES(0), 1, FSR_KEEPDIMS),
                         fsr_slice(fsr_flip(fsr_arange(g, FSR_I32, 9), 0), 0, 0, 8, 2));
    fsr_node z = fsr_mul(fsr_mean(x, NULL, 0, 0), fsr_mul(fsr_param(g, "dt", FSR_F64, 0.5), fsr_float(g, NAN)));
    fsr_node w = fsr_add(fsr_reshape(x, 1, SHAPE(12)), fsr_hint_set(fsr_where(fsr_bool(g, 1), z, z), FSR_HINT_INLINE));
    return text_of(
        (fsr_node[]){y, w, fsr_add(fsr_int(g, 1), fsr_int(g, 2)), fsr_poison(g, FSR_HERE, FSR_ERR_AXIS, "o", "m")}, 4);
}

/* Parses damaged text: no crash, and either a graph in normal form or an error that leaves nothing. */
static void check_damaged(fsr_graph *into, const char *text) {
    fsr_node outs[OUTS];
    fsr_parse_error error;
    char why[200];
    int n;
    fsr_status status = fsr_graph_parse(into, text, outs, OUTS, &n, &error);
    if (status == FSR_ERR_FORMAT) {
        assert_int_equal(fsr_graph_live(into), 0);
        assert_true(error.line >= 1 && error.column >= 1 && error.message[0]);
        return;
    }
    assert_int_equal(status, FSR_OK);
    if (fsr_graph_verify(into, why, sizeof why))
        fail_msg("%s\n%s", why, text);
    fsr_graph_free(into);
}

static void damaged_text(void **state) {
    (void)state;
    static const char alphabet[] = "%0129-+*.,;={}[]()\"\\ \nsdfxinua#>e_:";
    char *good = rich_text();
    size_t size = strlen(good);
    uint64_t seed = 1;
    for (size_t i = 0; i < 40000 + size; i++) {
        char *bad = malloc(size + 1);
        memcpy(bad, good, size + 1);
        for (int k = 0; i >= size && k <= (int)(i % 3); k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            bad[(seed >> 33) % size] = alphabet[(seed >> 20) % (sizeof alphabet - 1)];
        }
        if (i < size)
            bad[i] = 0;
        fsr_graph *into = fsr_graph_create(owner);
        check_damaged(into, bad);
        fsr_graph_free(into);
        free(bad);
    }
    free(good);
}

static void other_locales(void **state) {
    (void)state;
    if (!comma_begin())
        skip();
    char *text = node_text(fsr_full(g, FSR_F64, 0, NULL, 0.5));
    fsr_node out;
    int n;
    fsr_status status = fsr_graph_parse(g, "%0 = const f64[] 0.5\nreturn %0", &out, 1, &n, NULL);
    comma_end();
    assert_string_equal(text, "%0 = const f64[] 0.5\nreturn %0\n");
    assert_int_equal(status, FSR_OK);
    assert_true(fsr_node_rec(out)->value.f64 == 0.5);
    free(text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(maps_and_literals),
        TEST(exact_values),
        TEST(whole_values),
        TEST(views),
        TEST(pastes),
        TEST(calls),
        TEST(filters),
        TEST(loops),
        TEST(folds),
        TEST(library_calls),
        TEST(poison),
        TEST(data_becomes_inputs),
        TEST(free_form),
        TEST(unneeded_nodes_are_dropped),
        TEST(hostile_text),
        TEST(arguments),
        TEST(damaged_text),
        TEST(other_locales),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
