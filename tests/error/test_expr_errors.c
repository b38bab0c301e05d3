/* SPDX-License-Identifier: MIT */
/* Mistakes in expression strings: one exact status and message each, with line, column and caret; and hostile
 * strings. */
#include "fusor/expr.h"
#include "graph/scope.h"
#include "tests/support/nodes.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define AT fsr_here("prog.c", 12)
#define NAMES 6

static fsr_graph_owner *owner;
static fsr_graph *g, *other;
static fsr_name names[NAMES];

static int setup(void **state) {
    (void)state;
    g = node_graph(&owner);
    other = fsr_graph_create(owner);
    fsr_scope_begin(g);
    fsr_node stale = fsr_int(g, 1);
    fsr_scope_end(g, NULL, 0);
    fsr_name all[NAMES] = {{"i", fsr_input(g, "i", FSR_F32, 2, SHAPE(3, 4))},
                           {"v", fsr_input(g, "v", FSR_F32, 1, SHAPE(5))},
                           {"u", fsr_input(g, "u", FSR_U8, 1, SHAPE(5))},
                           {"foreign", fsr_input(other, "f", FSR_F32, 0, NULL)},
                           {"gone", stale},
                           {"null", {0}}};
    memcpy(names, all, sizeof all);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    fsr_graph_owner_free(owner);
    return 0;
}

/* ---- one mistake, one message ---------------------------------------------------------------------
 * "expr: " and " at column C (prog.c:12)" and the line with its caret are put around. */

typedef struct mistake {
    const char *text;
    int column;
    fsr_status status;
    const char *words;
} mistake;

#define F FSR_ERR_FORMAT
#define V FSR_ERR_VALUE
#define T FSR_ERR_DTYPE
#define OPERAND "expected an expression"
#define WHOLE "a whole number of literals is needed here"

static const mistake mistakes[] = {
    {"max(sin(i / perod) - 0.3, 0)", 13, V, "unknown name \"perod\""},
    {"", 1, F, OPERAND},
    {"   ", 1, F, OPERAND},
    {"i +", 4, F, OPERAND},
    {"i + ;", 5, F, "unexpected \";\""},
    {"i + )", 5, F, "unexpected \")\""},
    {"i i", 3, F, "unexpected \"i\""},
    {"i 2", 3, F, "unexpected \"2\""},
    {"(i", 3, F, "expected \")\""},
    {"(i ", 3, F, "expected \")\""},
    {"(i]", 3, F, "unexpected \"]\""},
    {"i)", 2, F, "unexpected \")\""},
    {"sum(i", 6, F, "expected \")\""},
    {"sum(i,", 7, F, OPERAND},
    {"sum(i,)", 7, F, "unexpected \")\""},
    {"* i", 1, F, "unexpected \"*\""},
    {"i ** ** i", 6, F, "unexpected \"**\""},
    {"i = = 3", 5, F, "unexpected \"=\"; equality is \"==\""},
    {"i + i = 3", 7, F, "unexpected \"=\"; equality is \"==\""},
    {"i ? v", 6, F, "expected \":\""},
    {"i ? : v", 5, F, "unexpected \":\""},
    {"i : v", 3, F, "unexpected \":\""},
    {"i & v", 3, T, "bitwise_and: not defined for f32[3,4] and f32[5]; \"&&\" is the logical one"},
    {"i | v", 3, T, "bitwise_or: not defined for f32[3,4] and f32[5]; \"||\" is the logical one"},
    {"i ^ 2", 3, T, "bitwise_xor: not defined for f32[3,4] and i64[]; the power is \"**\""},
    {"u + ~i", 5, T, "bitwise_invert: not defined for f32[3,4]; \"!\" is the logical one"},
    {"i << 2", 3, T, "left_shift: not defined for f32[3,4] and i64[]"},
    {"u & & u", 5, F, "unexpected \"&\""},
    {"u < < u", 5, F, "unexpected \"<\""},
    {"u ~ u", 3, F, "unexpected \"~\""},
    {"i @ v", 3, F, "unexpected \"@\""},
    {"i \x01 v", 3, F, "byte 0x01 is not allowed"},
    {"i + \xc3\xa4", 5, F, "byte 0xc3 is not allowed"},
    {"i\x1b[31m", 2, F, "byte 0x1b is not allowed"},
    {"2x * i", 1, F, "\"2x\" is no number"},
    {"i * 1e", 5, F, "\"1e\" is no number"},
    {"i * 1.2.3", 5, F, "\"1.2.3\" is no number"},
    {"i * 0x", 5, F, "\"0x\" is no number"},
    {"i * 0x1g", 5, F, "\"0x1g\" is no number"},
    {"i * 0b12", 5, F, "\"0b12\" is no number"},
    {"i * 0o8", 5, F, "\"0o8\" is no number"},
    {"i * 0x1.8", 5, F, "\"0x1.8\" is no number"},
    {"i * 0x1ffffffffffffffff", 5, V, "the number does not fit u64"},
    {"i * 1.5f", 5, F, "\"1.5f\" is no number"},
    {"i * 010", 5, F, "a whole number does not begin with 0"},
    {"i * 9223372036854775808", 5, V, "the number does not fit i64"},
    {"i * 1e999", 5, V, "the number does not fit f64"},
    {"i * 11111111112222222222333333333344444444445", 5, F, "the number has more than 40 characters"},
    {"i * 2 ** 63", 7, V, "the power does not fit i64"},
    {"u ** -1", 3, V, "an integer array has no power -1"},
    {"t = i;", 7, F, "the last statement must be an expression"},
    {"t = i", 6, F, "the last statement must be an expression"},
    {"i; v", 1, F, "only the last statement gives values; assign this one to a name"},
    {"i;; v", 1, F, "only the last statement gives values; assign this one to a name"},
    {"i, v", 4, V, "there is room for 1 value only"},
    {"t = i, v; t", 6, F, "unexpected \",\""},
    {"t + 1; t = 2", 1, V, "unknown name \"t\""},
    {"3 = i", 3, F, "unexpected \"=\"; equality is \"==\""},
    {"sin(i) = i", 8, F, "unexpected \"=\"; equality is \"==\""},
    {"sum", 1, V, "unknown name \"sum\"; is \"sum(...)\" meant?"},
    {"sine(i)", 1, V, "unknown function \"sine\"; is \"sin\" meant?"},
    {"i + arctna(i)", 5, V, "unknown function \"arctna\"; is \"arctan\" meant?"},
    {"SUM(i)", 1, V, "unknown function \"SUM\"; is \"sum\" meant?"},
    {"concatinate(i, i)", 1, V, "unknown function \"concatinate\"; is \"concatenate\" meant?"},
    {"nothing_like_it(i)", 1, V, "unknown function \"nothing_like_it\""},
    {"i(v)", 1, V, "unknown function \"i\""},
    {"foreing + 1", 1, V, "unknown name \"foreing\"; is \"foreign\" meant?"},
    {"total = i; totl * 2", 12, V, "unknown name \"totl\"; is \"total\" meant?"},
    {"I + 1", 1, V, "unknown name \"I\"; is \"i\" meant?"},
    {"PI * i", 1, V, "unknown name \"PI\"; is \"pi\" meant?"},
    {"clip", 1, V, "unknown name \"clip\"; is \"clip(...)\" meant?"},
    {"sum(i, axes=0)", 8, V, "unknown option \"axes\"; is \"axis\" meant?"},
    {"sum(i, keepdim=true)", 8, V, "unknown option \"keepdim\"; is \"keepdims\" meant?"},
    {"sum(i, initial=3)", 8, V, "unknown option \"initial\""},
    {"clip(i, 0)", 1, V, "clip takes 3 operands, not 2"},
    {"concat([i, i], i)", 16, V, WHOLE},
    {"concat([i, i], 0, 1)", 1, FSR_ERR_SHAPE, "concat: f32[3,4] and i64[] differ beside the axis joined"},
    {"concat([i)", 10, F, "unexpected \")\""},
    {"concat([])", 9, F, "unexpected \"]\""},
    {"cast(i)", 1, V, "a cast has the dtype's name: f32(x)"},
    {"f8(i)", 1, V, "unknown function \"f8\"; is \"i8\" meant?"},
    {"i + f32(i, v)", 5, V, "f32 takes 1 operand, not 2"},
    {"i + sin()", 5, V, "sin takes 1 operand, not 0"},
    {"i + sin(i, v)", 5, V, "sin takes 1 operand, not 2"},
    {"where(i, v)", 1, V, "where takes 3 operands, not 2"},
    {"max()", 1, V, "max takes 1 operand, not 0"},
    {"sin(i, axis=0)", 8, V, "sin takes no axis"},
    {"sin(i, [0])", 8, V, "sin takes no axis"},
    {"sin(i, keepdims)", 8, V, "sin takes no keepdims"},
    {"max(i, 0, axis=1)", 11, V, "max takes no axis"},
    {"sum(i, exclusive)", 8, V, "sum takes no exclusive"},
    {"sum(i, ddof=1)", 8, V, "sum takes no ddof"},
    {"max(i, dtype=f32)", 8, V, "max takes no dtype"},
    {"cummax(i, dtype=f32)", 11, V, "cummax takes no dtype"},
    {"sum(i, dtype=flot32)", 14, V, "unknown dtype \"flot32\"; is \"float32\" meant?"},
    {"sum(i, dtype='unt8')", 15, V, "unknown dtype \"unt8\"; is \"int8\" meant?"},
    {"sum(i, dtype=number)", 14, V, "unknown dtype \"number\""},
    {"sum(i, dtype=32)", 14, V, "dtype is a dtype's name, as f32"},
    {"convolve(i, i, mode=edge)", 21, V, "mode is full, same or valid"},
    {"pad(i, [1, 1], mode=same)", 21, V, "mode is constant, edge, reflect, symmetric or wrap"},
    {"arange(0, 1, i)", 14, V, "a whole number of literals is needed here"},
    {"nan_to_num(i, i)", 15, V, "a number of literals is needed here"},
    {"cumsum(i, 0, keepdims)", 14, V, "cumsum takes no keepdims"},
    {"sum(i, 0, axis=1)", 8, V, "axis is given twice"},
    {"sum(i, [0], [1])", 13, V, "axis is given twice"},
    {"sum(i, 0, 1)", 1, V, "sum takes 1 operand, not 3"},
    {"sum(i, v)", 8, V, WHOLE},
    {"sum(i, 0.0)", 8, V, WHOLE},
    {"sum(i, true)", 8, V, WHOLE},
    {"sum(i, [0, v])", 12, V, WHOLE},
    {"sum(i, [0 1])", 11, F, "unexpected \"1\""},
    {"sum(i, [0,1,2,3,4,5,6,7,8])", 25, V, "a list has at most 8 numbers"},
    {"sum(i, keepdims=1)", 17, V, "keepdims is true or false"},
    {"var(i, ddof=v)", 13, V, "ddof must be a number of literals"},
    {"sum(i, 3000000000)", 8, FSR_ERR_AXIS, "no array has an axis 3000000000"},
    {"argmax(i, [0, 1])", 11, V, "argmax takes one axis"},
    {"nanargmin(i, [0, 1])", 14, V, "nanargmin takes one axis"},
    {"norm(i, ord=v)", 13, V, "ord must be a number of literals"},
    {"std(i, ord=1)", 8, V, "std takes no ord"},
    {"norm(i, ddof=1)", 9, V, "norm takes no ddof"},
    {"cumsum(i, [])", 11, V, "cumsum takes one axis"},
    {"flip(i)", 1, V, "flip takes one axis"},
    {"reshape(i)", 1, V, "reshape takes a list of extents"},
    {"reshape(i, 12, 1)", 1, V, "reshape takes a list of extents"},
    {"reshape(i, v)", 12, V, WHOLE},
    {"reshape(i, None)", 1, V, "reshape takes a list of extents"},
    {"reshape(i, axis=12)", 1, V, "reshape takes a list of extents"},
    {"transpose(i, [0])", 14, FSR_ERR_AXIS, "f32[3,4] has 2 axes, not 1"},
    {"concat()", 1, V, "concat takes 1 to 16 operands, not 0"},
    {"concat(i, v)", 1, FSR_ERR_SHAPE, "concat: f32[3,4] and f32[5] differ beside the axis joined"},
    {"concat(i, i, axis=[0, 1])", 14, V, "concat takes one axis"},
    {"stack(i, keepdims)", 10, V, "stack takes no keepdims"},
    {"tile(i)", 1, V, "tile takes a list of numbers"},
    {"tile(i, 2, 2)", 1, V, "tile takes 1 operand, not 3"},
    {"tile(i, [2], 2)", 1, V, "tile takes 1 operand, not 2"},
    {"pad(i, [])", 8, V, "pad takes one or two numbers, or two for each axis of f32[3,4]"},
    {"pad(i, [1, 2, 3])", 8, V, "pad takes one or two numbers, or two for each axis of f32[3,4]"},
    {"pad(i, [1, 2], mode=wraps)", 21, V, "mode is constant, edge, reflect, symmetric or wrap"},
    {"pad(i, [1, 2], mode=2)", 21, V, "mode is constant, edge, reflect, symmetric or wrap"},
    {"pad(i, [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17])", 48, V, "a list has at most 16 numbers"},
    {"tile(i, [1, 2], mode=edge)", 17, V, "tile takes no mode"},
    {"roll(i, v)", 9, V, WHOLE},
    {"roll(i, 0.5)", 9, V, WHOLE},
    {"repeat(i)", 1, V, "repeat takes 2 operands, not 1"},
    {"repeat(i, -1)", 1, V, "repeat: -1 repetitions of f32[12]"},
    {"diff(i, 1, 2, 3)", 1, V, "diff takes 1 to 2 operands, not 4"},
    {"diff(i, 3000000000)", 9, V, "no difference has the order 3000000000"},
    {"swapaxes(i, 0, 9000000000)", 1, FSR_ERR_AXIS, "swapaxes: f32[3,4] has no axis 9"},
    {"arange(0, 5, 0)", 14, V, "the step is 0"},
    {"arange(-9223372036854775807, 9223372036854775807)", 8, FSR_ERR_SIZE, "too many elements"},
    {"arange(1, 2, 3, 4)", 1, V, "arange takes 1 to 3 operands, not 4"},
    {"linspace(0, v, 3)", 13, V, "a number of literals is needed here"},
    {"linspace(0, 1, -3)", 1, FSR_ERR_SIZE, "linspace: the shape [-3] has a negative extent"},
    {"zeros(3, 4)", 1, V, "zeros takes 0 operands, not 2"},
    {"zeros(None)", 1, V, "zeros takes a list of numbers"},
    {"full([2], i)", 1, FSR_ERR_SHAPE, "broadcast_to: f32[3,4] does not broadcast to [2]"},
    {"update(i, v, 0)", 1, V,
     "update: the section f32[5] is not f32[3,4] or a slice, transpose, flip, expand or squeeze of it"},
    {"filter(i, v)", 1, FSR_ERR_SHAPE, "filter: the mask f32[5] does not have the shape of f32[3,4]"},
    {"average(i)", 1, V, "average takes 2 operands, not 1"},
    {"sum([0])", 1, V, "sum takes 1 operand, not 0"},
    {"max(1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17)", 44, V, "more than 16 operands"},
    {"sum(i, (0, 1", 13, F, "expected \")\""},
    {"sum(i, (0, 1) + 1)", 10, F, "unexpected \",\""},
    {"sum(i, (0, 1), axis=0)", 16, V, "axis is given twice"},
    {"sum(i, None, axis=0)", 14, V, "axis is given twice"},
    {"sum(i, (,))", 9, F, "unexpected \",\""},
    {"sin(i, None)", 8, V, "sin takes no axis"},
    {"squeeze(i, None)", 1, V, "squeeze takes one axis"},
    {"None + i", 1, V, "unknown name \"None\"; is \"gone\" meant?"},
    {"(i, v)", 3, F, "unexpected \",\""},
    {"'edge' + i", 1, F, "unexpected \"'edge'\""},
    {"i + 'edge", 5, F, "unexpected \"'\""},
    {"take(u, u, mode=clap)", 17, V, "mode is raise, clip or wrap"},
    {"take(u, u, mode='clap')", 17, V, "mode is raise, clip or wrap"},
    {"take_along_axis(u, u, 0, mode=clip)", 26, V, "take_along_axis takes no mode"},
    {"sum(i, mode=3)", 13, V, "mode is a word"},
    {"i...", 2, F, "unexpected \"...\""},
    {"... + i", 1, F, "unexpected \"...\""},
    {"i[..., ...]", 8, V, "an index has one \"...\" at most"},
    {"i[..., 0, 0, 0]", 14, FSR_ERR_AXIS, "slice: f32[] has no axis 0"},
    {"i.t", 2, F, "only \".T\", the transpose, may follow a point"},
    {"i.", 2, F, "only \".T\", the transpose, may follow a point"},
    {"i[]", 3, F, "unexpected \"]\""},
    {"i[0", 4, F, "expected \"]\""},
    {"i[0,]", 5, F, "unexpected \"]\""},
    {"i[v]", 3, FSR_ERR_DTYPE, "take: f32[5] are no indices"},
    {"i[v:]", 3, V, WHOLE},
    {"i[:, i32(v), :, 0]", 14, FSR_ERR_AXIS, "slice: f32[3,4] has no axis 2"},
    {"i[i32(v), :0, 0]", 15, FSR_ERR_AXIS, "slice: f32[3,0] has no axis 2"},
    {"i[1.0:]", 3, V, WHOLE},
    {"i[:, 4]", 6, V, "axis 1 of f32[3,4] has no element 4"},
    {"i[-4]", 3, V, "axis 0 of f32[3,4] has no element -4"},
    {"i[::0]", 3, V, "slice: the step is 0 (of f32[3,4])"},
    {"i[:, :, 0]", 9, FSR_ERR_AXIS, "slice: f32[3,4] has no axis 2"},
    {"i[:, 0, 1:]", 9, FSR_ERR_AXIS, "slice: f32[3] has no axis 1"},
    /* what a builder says, at the operator or the function */
    {"2 * (i + v)", 8, FSR_ERR_SHAPE, "add: shapes f32[3,4] and f32[5] do not broadcast"},
    {"2 * sum(i, 2)", 5, FSR_ERR_AXIS, "sum: f32[3,4] has no axis 2"},
    {"1 + -(u > 1)", 5, FSR_ERR_DTYPE, "neg: not defined for bool[5]"},
    {"u + 300", 3, V, "add: the literal 300 does not fit u8"},
    {"-true", 1, FSR_ERR_DTYPE, "neg: not defined for bool[]"},
    {"v ? i : 0", 3, FSR_ERR_SHAPE, "where: shapes f32[5], f32[3,4] and i64[] do not broadcast"},
    {"max(i, 1, v)", 1, FSR_ERR_SHAPE, "maximum: shapes f32[3,4] and f32[5] do not broadcast"},
    {"reshape(i, [5, -1])", 1, FSR_ERR_SHAPE, "reshape: f32[3,4] has no extent that fits the -1"},
    {"i + gone", 5, FSR_ERR_STALE, "\"gone\" is a stale handle"},
    {"i + null", 5, FSR_ERR_NULL, "\"null\" is a null handle"},
    {"i + foreign", 5, FSR_ERR_GRAPH, "\"foreign\" belongs to another graph"},
    /* the first mistake counts, also where a later one is of the grammar */
    {"(i + v) * ) (", 4, FSR_ERR_SHAPE, "add: shapes f32[3,4] and f32[5] do not broadcast"},
};

static int wrong;

static void check(fsr_node x, fsr_status status, const char *message) {
    if (fsr_node_status(x) == status && !strcmp(fsr_node_error(x), message))
        return;
    wrong++;
    print_error("%d \"%s\"\n   not %d \"%s\"\n", fsr_node_status(x), fsr_node_error(x), status, message);
}

static void every_mistake(void **state) {
    (void)state;
    char message[600], shown[100];
    wrong = 0;
    for (size_t k = 0; k < sizeof mistakes / sizeof *mistakes; k++) {
        const mistake *m = &mistakes[k];
        for (size_t i = 0; i <= strlen(m->text); i++) {
            unsigned char c = (unsigned char)m->text[i];
            shown[i] = c && (c < 0x20 || c > 0x7e) ? '?' : (char)c;
        }
        snprintf(message, sizeof message, "expr: %s at column %d (prog.c:12)\n    %s\n    %*s", m->words, m->column,
                 shown, m->column, "^");
        int64_t before = fsr_graph_live(g);
        check(fsr_expr_at(AT, g, m->text, names, NAMES), m->status, message);
        assert_int_equal(fsr_graph_live(g), before + 1);
    }
    assert_int_equal(wrong, 0);
    assert_int_equal(fsr_scope_end(g, NULL, 0), FSR_ERR_SCOPE);
}

/* ---- lines ------------------------------------------------------------------------------------------------- */

static void several_lines(void **state) {
    (void)state;
    wrong = 0;
    check(fsr_expr_at(AT, g, "t = i * 2;\n\tt - wrong;\n", names, NAMES), V,
          "expr: unknown name \"wrong\" at line 2, column 6 (prog.c:12)\n     t - wrong;\n         ^");
    check(fsr_expr_at(AT, g, "t = (i\n", names, NAMES), F,
          "expr: expected \")\" at line 1, column 7 (prog.c:12)\n    t = (i\n          ^");
    check(fsr_expr_at(AT, g, "\n\n@\x02\n", names, NAMES), F,
          "expr: unexpected \"@\" at line 3, column 1 (prog.c:12)\n    @?\n    ^");
    assert_int_equal(wrong, 0);
}

/* A long line is shown in part. */
static void long_lines(void **state) {
    (void)state;
    char text[401] = "";
    for (int i = 0; i < 100; i++)
        memcpy(text + 4 * i, "i + ", 4);
    text[200] = 'k';
    char want[600];
    snprintf(want, sizeof want, "expr: unknown name \"k\" at column 201 (prog.c:12)\n    ...%.100s...\n    %*s",
             text + 140, 64, "^");
    wrong = 0;
    check(fsr_expr_at(AT, g, text, names, NAMES), V, want);
    text[200] = 'i';
    snprintf(want, sizeof want, "expr: expected an expression at column 400 (prog.c:12)\n    ...%s\n    %*s",
             text + 339, 64, "^");
    check(fsr_expr_at(AT, g, text, names, NAMES), F, want);
    text[8] = '?';
    snprintf(want, sizeof want, "expr: unexpected \"?\" at column 9 (prog.c:12)\n    %.100s...\n    %*s", text, 9, "^");
    check(fsr_expr_at(AT, g, text, names, NAMES), F, want);
    assert_int_equal(wrong, 0);
}

/* ---- what is wrong outside of the text -------------------------------------------------------------- */

static void the_call_itself(void **state) {
    (void)state;
    fsr_node i = names[0].node, out[3];
    wrong = 0;
    check(fsr_expr_at(AT, g, NULL, NULL, 0), FSR_ERR_NULL, "expr: the text is null (prog.c:12)");
    check(fsr_expr_at(AT, g, "1", NULL, 1), FSR_ERR_NULL, "expr: the names are null (prog.c:12)");
    check(fsr_expr_at(AT, g, "1", names, -1), V, "expr: -1 names (prog.c:12)");
    check(fsr_expr_at(AT, g, "i", (fsr_name[]){{"i", i}, {"i", i}}, 2), V,
          "expr: the name \"i\" is given twice (prog.c:12)");
    const char *bad[] = {
        NULL, "", "2i", "a b", "\x01", "i+", "a234567890123456789012345678901234567890123456789012345678901234"};
    for (int k = 0; k < 7; k++)
        check(fsr_expr_at(AT, g, "i", (fsr_name[]){{"i", i}, {bad[k], i}}, 2), V,
              "expr: name 2 is not a letter or _, then letters, digits and _, at most 63 (prog.c:12)");
    assert_int_equal(fsr_exprs_at(AT, g, "i, v, u", names, NAMES, out, 2), 0);
    check(out[0], V, "expr: there is room for 2 values only at column 7 (prog.c:12)\n    i, v, u\n          ^");
    assert_int_equal(out[0].id, out[1].id);
    assert_null(fsr_expr(NULL, "1", NULL, 0).graph);
    fsr_graph_free(other);
    assert_null(fsr_expr(other, "1", NULL, 0).graph);
    check(fsr_expr_at(AT, g, "i + foreign", names, NAMES), FSR_ERR_STALE,
          "expr: \"foreign\" is a stale handle at column 5 (prog.c:12)\n    i + foreign\n        ^");
    assert_int_equal(wrong, 0);
}

/* A poisoned operand is the result, as it is with every builder. */
static void poisoned_operand(void **state) {
    (void)state;
    fsr_node bad = fsr_add_at(fsr_here("first.c", 3), names[0].node, names[1].node);
    fsr_name of[] = {{"a", names[0].node}, {"bad", bad}};
    int64_t before = fsr_graph_live(g);
    fsr_node out[2];
    assert_int_equal(fsr_expr(g, "exp(a) * bad + wrong", of, 2).id, bad.id);
    assert_int_equal(fsr_exprs(g, "a, bad", of, 2, out, 2), 0);
    assert_int_equal(out[0].id, bad.id);
    assert_int_equal(out[1].id, bad.id);
    assert_int_equal(fsr_graph_live(g), before);
    assert_int_equal(fsr_node_status(fsr_expr(g, "a + 1", of, 2)), FSR_OK);
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

static void expect_status(const char *text, fsr_status status, const char *words) {
    fsr_node x = fsr_expr_at(AT, g, text, names, NAMES);
    if (fsr_node_status(x) != status || !strstr(fsr_node_error(x), words))
        fail_msg("%d %s", fsr_node_status(x), fsr_node_error(x));
}

static char *repeat(const char *unit, int times, const char *tail) {
    char *text = calloc(1, strlen(unit) * (size_t)times + strlen(tail) + 1);
    for (int k = 0; k < times; k++)
        memcpy(text + (size_t)k * strlen(unit), unit, strlen(unit));
    strcat(text, tail);
    return text;
}

static void limits(void **state) {
    (void)state;
    static const char *const units[] = {"(",        "-",    "!",  "~",        "concat([", "2 ** ",       "sin(",
                                        "i ? i : ", "i ? ", "i[", "sum(i, [", "max(i, ",  "var(i, ddof="};
    for (size_t k = 0; k < sizeof units / sizeof *units; k++) {
        char *text = repeat(units[k], 5000, "i");
        expect_status(text, F, "nested deeper than 200");
        free(text);
    }
    char *text = repeat("1+", 32767, "1");
    expect_status(text, FSR_OK, "");
    free(text);
    text = repeat("1+", 32768, "1");
    expect_status(text, F, "the text is longer than 65536 bytes");
    free(text);
    char *many = calloc(1, 65536), *end = many;
    for (int k = 0; k < 257; k++)
        end += sprintf(end, "a%d = i;", k);
    strcpy(end, "i");
    expect_status(many, F, "more than 256 names are assigned");
    free(many);
}

static void *deep_thread(void *arg) {
    static const char *const units[] = {
        "max(",     "max(i[",  "-sin(i*2**-", "i ? (i) : ",  "i[",
        "sum(i, [", "pad(i, ", "stack([i, ",  "~(u & u << ", "(i || i && i == i < i + i * "};
    for (size_t k = 0; k < sizeof units / sizeof *units; k++) {
        char *text = repeat(units[k], 2000, "");
        fsr_expr(arg, text, names, 1);
        free(text);
    }
    return NULL;
}

/* As everything is promised to (docs/contracts.md); sanitizers' guards need several times as much. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { SMALL_STACK = 1 << 20 };
#else
enum { SMALL_STACK = 128 << 10 };
#endif

/* The deepest text fits the stack of a small thread. */
static void small_stack(void **state) {
    (void)state;
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, SMALL_STACK);
    assert_int_equal(pthread_create(&thread, &attributes, deep_thread, g), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
}

/* ---- hostile strings -------------------------------------------------------------------------------- */

enum { HOSTILE = 100000, LONGEST = 160 };

static uint32_t next(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static const char *const seeds[] = {
    "max(sin(i / 4) - 0.3, 0) * 2",
    "t = i - mean(i, 1, keepdims); s = sum(t**2, axis=-1); t / s[:, newaxis], argmax(t, 0)",
    "i[1:, ::-2].T[0] ? cumsum(v, 0, exclusive) : -v ** 2 ** -1",
    "reshape(i, [2, -1]) == f32(u[:, newaxis]) && !(v < 1e-3 || isnan(nan)) // 2 % 3",
    "var(transpose(i, [1, 0]), [0, 1], ddof=1, keepdims=true) + where(u, v, inf) ** 8 - pi",
    "concat([i, i], axis=1)[:, ::2] > 0 & ~u[0] | (u << 2 ^ 0x1f) == 0b101 & clip(u, 0o1, 3)",
};
static const char *const pieces[] = {
    "i",        "v",       "u",       "gone",     "0",    "1",   "-1", "2.5",  "1e308", "9223372036854775807",
    "(",        ")",       "[",       "]",        "::",   ":",   ",",  ";",    "=",     "==",
    "**",       "//",      "?",       "&&",       "!",    "-",   ".T", "sum(", "max(",  "axis=",
    "keepdims", "newaxis", "cumsum(", "reshape(", "true", "nan", "t",  " ",    "\n",    "\x7f",
    "f32(",     "&",       "|",       "^",        "~",    "<<",  ">>", "0x1f", "0b",    "0xffffffffffffffff",
    "concat([", "clip(",   "amax(",   "True"};

static void mutate(char *text, uint32_t *seed) {
    for (uint32_t times = next(seed) % 4; times > 0; times--) {
        size_t size = strlen(text), at = next(seed) % (size + 1), cut = next(seed) % 6;
        const char *piece = pieces[next(seed) % (sizeof pieces / sizeof *pieces)];
        cut = cut > size - at ? size - at : cut;
        switch (next(seed) % 4) {
        case 0: memmove(text + at, text + at + cut, size - at - cut + 1); break;
        case 1:
            if (at < size)
                text[at] = (char)(next(seed) % 255 + 1);
            break;
        default:
            if (size + strlen(piece) >= LONGEST)
                break;
            memmove(text + at + strlen(piece), text + at, size - at + 1);
            memcpy(text + at, piece, strlen(piece));
        }
    }
}

static void hostile_text(char *text, uint32_t *seed) {
    size_t size = next(seed) % 40;
    text[0] = 0;
    switch (next(seed) % 4) {
    case 0: /* bytes */
        for (size_t k = 0; k < size; k++)
            text[k] = (char)(next(seed) % 255 + 1);
        text[size] = 0;
        return;
    case 1: /* words */
        for (size_t k = 0; k < size && strlen(text) < LONGEST - 24; k++)
            strcat(text, pieces[next(seed) % (sizeof pieces / sizeof *pieces)]);
        return;
    default: strcpy(text, seeds[next(seed) % (sizeof seeds / sizeof *seeds)]); mutate(text, seed);
    }
}

static bool printable(const char *message) {
    for (; *message; message++)
        if (*message != '\n' && (*message < 0x20 || *message > 0x7e))
            return false;
    return true;
}

/* A value or a poisoned node, a message that is fit for a terminal, and nothing left behind. */
static void hostile(void **state) {
    (void)state;
    char text[2 * LONGEST];
    uint32_t seed = 20240607;
    int good = 0;
    int64_t before = fsr_graph_live(g);
    for (int k = 0; k < HOSTILE; k++) {
        fsr_node out[3];
        hostile_text(text, &seed);
        fsr_scope_begin(g);
        int n = fsr_exprs_at(AT, g, text, names, NAMES, out, 3);
        fsr_status status = fsr_node_status(out[0]);
        const char *message = fsr_node_error(out[0]);
        if ((n > 0) != (status == FSR_OK) || (status && strncmp(message, "expr: ", 6)) || !printable(message))
            fail_msg("text %d: %d values, %d %s", k, n, status, message);
        if (status && fsr_graph_live(g) != before + 1)
            fail_msg("text %d leaves %lld nodes: %s", k, (long long)(fsr_graph_live(g) - before), message);
        good += n > 0;
        fsr_scope_end(g, NULL, 0);
    }
    assert_int_equal(fsr_graph_live(g), before);
    print_message("%d strings, %d of them expressions\n", HOSTILE, good);
    assert_in_range(good, HOSTILE / 100, HOSTILE / 2);
    char why[200];
    if (fsr_graph_verify(g, why, sizeof why))
        fail_msg("%s", why);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(every_mistake),    TEST(several_lines), TEST(long_lines),  TEST(the_call_itself),
        TEST(poisoned_operand), TEST(limits),        TEST(small_stack), TEST(hostile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
