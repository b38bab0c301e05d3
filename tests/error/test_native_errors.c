/* SPDX-License-Identifier: MIT */
/* One misuse of a native function, one exact status and message. */
#include "graph/graph.h"
#include "tests/support/nodes.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define AT fsr_here("prog.c", 12)
#define LONG_NAME "a123456789b123456789c123456789d123456789e123456789f123456789g123"

static const fsr_native good = {
    .name = "good", .result = FSR_F32, .parameters = "f32 x, i32 n", .c = "return x;", .cuda = "return x;"};

static fsr_graph_owner *owner;
static fsr_graph *g, *other;

static int setup(void **state) {
    (void)state;
    g = node_graph(&owner);
    other = fsr_graph_create(owner);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    fsr_graph_owner_free(owner);
    return 0;
}

static int expect(fsr_node x, fsr_status status, const char *message) {
    const fsr_rec *rec = fsr_node_rec(x);
    if (rec && rec->kind == FSR_NODE_POISON && rec->status == status && !strcmp(rec->message, message))
        return 0;
    print_error("want %d %s\ngot  %d %s\n", status, message, rec ? (int)rec->status : -1,
                rec && rec->message ? rec->message : "no poison");
    return 1;
}

/* ---- the arguments --------------------------------------------------------------------------------------- */

static void arguments(void **state) {
    (void)state;
    fsr_node f = INPUT(g, FSR_F32, 3), d = INPUT(g, FSR_F64, 3), i = INPUT(g, FSR_I32, 3), l = INPUT(g, FSR_I64, 3);
    fsr_node v5 = INPUT(g, FSR_I32, 5), foreign = INPUT(other, FSR_I32, 3);
    const struct {
        fsr_node arg[3];
        int n;
        fsr_status status;
        const char *message;
    } rows[] = {
        {{f}, 1, FSR_ERR_VALUE, "good: it has 2 parameters, not 1 (prog.c:12)"},
        {{f, i, i}, 3, FSR_ERR_VALUE, "good: it has 2 parameters, not 3 (prog.c:12)"},
        {{d, i}, 2, FSR_ERR_DTYPE, "good: argument 1, f64[3], is not safely the parameter f32 x (prog.c:12)"},
        {{f, l}, 2, FSR_ERR_DTYPE, "good: argument 2, i64[3], is not safely the parameter i32 n (prog.c:12)"},
        {{f, f}, 2, FSR_ERR_DTYPE, "good: argument 2, f32[3], is not safely the parameter i32 n (prog.c:12)"},
        {{f, fsr_float(g, 1)},
         2,
         FSR_ERR_DTYPE,
         "good: argument 2, f64[], is not safely the parameter i32 n (prog.c:12)"},
        {{f, fsr_int(g, 1ll << 31)},
         2,
         FSR_ERR_VALUE,
         "good: the literal 2147483648 does not fit the parameter i32 n (prog.c:12)"},
        {{f, v5}, 2, FSR_ERR_SHAPE, "good: argument 2, i32[5], does not broadcast with [3] before it (prog.c:12)"},
        {{f, foreign}, 2, FSR_ERR_GRAPH, "call_native: operand 2, i32[3], belongs to another graph (prog.c:12)"},
        {{f, {0}}, 2, FSR_ERR_NULL, "call_native: operand 2 is a null handle (prog.c:12)"},
        {{fsr_add_at(AT, f, v5), i}, 2, FSR_ERR_SHAPE, "add: shapes f32[3] and i32[5] do not broadcast (prog.c:12)"},
    };
    int wrong = 0;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        wrong += expect(fsr_call_native_at(AT, sizeof(fsr_native), &good, rows[k].arg, rows[k].n), rows[k].status,
                        rows[k].message);
    assert_int_equal(wrong, 0);
    assert_null(fsr_call_native_at(AT, sizeof(fsr_native), &good, NULL, 2).graph);
    assert_null(fsr_call_native_at(AT, sizeof(fsr_native), &good, rows[0].arg, 0).graph);
    assert_null(fsr_call_native_at(AT, sizeof(fsr_native), &good, (fsr_node[2]){{0}}, 2).graph);
}

/* ---- the function ---------------------------------------------------------------------------------------- */

/* A cubin whose sections would lie behind its end. */
static const unsigned char torn[80] = {0x7f, 'E', 'L', 'F', 2, 1, [40] = 79, [58] = 64, [60] = 1};
/* One whose second section would. */
static const unsigned char damaged[192] = {
    0x7f, 'E', 'L', 'F', 2, 1, [40] = 64, [58] = 64, [60] = 2, [128 + 4] = 1, [128 + 24] = 191, [128 + 32] = 2};

static void functions(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F32, 3);
    char *text = calloc(1, 65538);
    memset(text, ' ', 65537);
    const struct {
        fsr_native f;
        fsr_status status;
        const char *message;
    } rows[] = {
#define NAMED(name) {name, FSR_F32, "f32 x", "return x;", NULL, NULL, NULL, 0, FSR_LINKED_NONE, NULL, 0}
#define TAKES(list) \
    { "f", FSR_F32, list, "return x;", NULL, NULL, NULL, 0, FSR_LINKED_NONE, NULL, 0 }
#define LINKED(form, code, bytes) \
    { "f", FSR_F32, "f32 x", "return x;", NULL, NULL, NULL, 0, form, code, bytes }
#define BAD_NAME \
    FSR_ERR_VALUE, "call_native: its name is not a letter or _, then letters, digits and _, at most 63 (prog.c:12)"
#define BAD_LIST                                                                               \
    FSR_ERR_VALUE, "f: the parameters are not 1 to 8 of dtype and name, separated by commas, " \
                   "raw ones behind a value (prog.c:12)"
        {NAMED(NULL), FSR_ERR_NULL, "call_native: its name, its parameters or its C text is null (prog.c:12)"},
        {NAMED(""), BAD_NAME},
        {NAMED("1f"), FSR_ERR_VALUE,
         "1f: its name is not a letter or _, then letters, digits and _, at most 63 (prog.c:12)"},
        {NAMED("f g"), BAD_NAME},
        {NAMED("f\";"), BAD_NAME},
        {NAMED("\xc3\xa9"), BAD_NAME},
        {NAMED(LONG_NAME), BAD_NAME},
        {TAKES(NULL), FSR_ERR_NULL, "f: its name, its parameters or its C text is null (prog.c:12)"},
        {LINKED(FSR_LINKED_PTX, NULL, 1), FSR_ERR_NULL, "f: its linked code is null (prog.c:12)"},
        {LINKED(FSR_LINKED_LTOIR, "", 0), FSR_ERR_VALUE, "f: its linked code is not 1 byte to 16 MiB long (prog.c:12)"},
        {LINKED(FSR_LINKED_LTOIR, "", (16 << 20) + 1), FSR_ERR_VALUE,
         "f: its linked code is not 1 byte to 16 MiB long (prog.c:12)"},
        {LINKED((fsr_linked_form)7, "x", 1), FSR_ERR_VALUE, "f: its linked code is of no form (prog.c:12)"},
        {LINKED((fsr_linked_form)-1, "x", 1), FSR_ERR_VALUE, "f: its linked code is of no form (prog.c:12)"},
        {LINKED(FSR_LINKED_OBJECT, "x", 1), FSR_ERR_VALUE, "f: its linked code is no whole cubin (prog.c:12)"},
        {LINKED(FSR_LINKED_OBJECT, damaged, sizeof damaged), FSR_ERR_VALUE,
         "f: its linked code is no whole cubin (prog.c:12)"},
        {LINKED(FSR_LINKED_OBJECT, torn, sizeof torn), FSR_ERR_VALUE,
         "f: its linked code is no whole cubin (prog.c:12)"},
        {TAKES(""), BAD_LIST},
        {TAKES("f32"), BAD_LIST},
        {TAKES("float x"), BAD_LIST},
        {TAKES("f32x"), BAD_LIST},
        {TAKES("f32 *x"), BAD_LIST},
        {TAKES("f32 x,"), BAD_LIST},
        {TAKES("f32 x; f32 y"), BAD_LIST},
        {TAKES("f32 a, f32 b, f32 c, f32 d, f32 e, f32 f, f32 g, f32 h, f32 i"), BAD_LIST},
        {TAKES("f32 x, i32 x"), FSR_ERR_VALUE, "f: the parameter x is given twice (prog.c:12)"},
        {{"f", FSR_F32, "f32 x", NULL, "return x;", NULL, NULL, 0, FSR_LINKED_NONE, NULL, 0},
         FSR_ERR_NULL,
         "f: its name, its parameters or its C text is null (prog.c:12)"},
        {{"f", FSR_DTYPE_COUNT, "f32 x", "return x;", NULL, NULL, NULL, 0, FSR_LINKED_NONE, NULL, 0},
         FSR_ERR_DTYPE,
         "f: the result is of dtype 15, which is none (prog.c:12)"},
        {{"f", FSR_F32, "f32 x", "return x;", NULL, NULL, NULL, -1, FSR_LINKED_NONE, NULL, 0},
         FSR_ERR_VALUE,
         "f: ulp is not a finite number from 0 (prog.c:12)"},
        {{"f", FSR_F32, "f32 x", "return x;", NULL, NULL, NULL, NAN, FSR_LINKED_NONE, NULL, 0},
         FSR_ERR_VALUE,
         "f: ulp is not a finite number from 0 (prog.c:12)"},
        {{"f", FSR_F32, "f32 x", text, NULL, NULL, NULL, 0, FSR_LINKED_NONE, NULL, 0},
         FSR_ERR_VALUE,
         "f: a text is longer than 65536 bytes (prog.c:12)"},
        {{"f", FSR_F32, "f32 x", "return x;", NULL, NULL, text, 0, FSR_LINKED_NONE, NULL, 0},
         FSR_ERR_VALUE,
         "f: a text is longer than 65536 bytes (prog.c:12)"},
    };
    int wrong = expect(fsr_call_native_at(AT, sizeof(fsr_native), NULL, &x, 1), FSR_ERR_NULL,
                       "call_native: the function is null (prog.c:12)");
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        wrong += expect(fsr_call_native_at(AT, sizeof(fsr_native), &rows[k].f, &x, 1), rows[k].status, rows[k].message);
    assert_int_equal(wrong, 0);
    free(text);
}

static void call_in_body(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    (void)user;
    *out = fsr_call_native_at(AT, sizeof(fsr_native), &good, (fsr_node[]){left[0], fsr_int(left[0].graph, 1)}, 2);
    *out = fsr_add_at(AT, *out, right[0]);
}

static void operators(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F32, 3), out;
    const fsr_operator sum = {.arity = 1, .body = call_in_body};
    fsr_reduce_with_at(AT, sizeof(fsr_operator), &out, &x, &sum, NULL, 0, 0);
    assert_int_equal(
        expect(out, FSR_ERR_UNSUPPORTED, "reduce_with: the operator's body calls a native function (prog.c:12)"), 0);
}

/* What is right is recorded, and arguments are converted where that is safe. */
static void accepted(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F16, 3, 1), n = INPUT(g, FSR_U8, 4);
    fsr_node y = fsr_call_native(&good, ((fsr_node[]){x, n}), 2);
    fsr_node z = fsr_call_native(&good, ((fsr_node[]){fsr_int(g, 3), fsr_int(g, -1)}), 2);
    char *text = node_text(fsr_add(y, z));
    assert_string_equal(text, "%0 = input f16[3,1] \"x\"\n"
                              "%1 = cast f32[3,1] %0\n"
                              "%2 = view f32[3,4] %1 affine [d0, 0]\n"
                              "%3 = input u8[4] \"x\"\n"
                              "%4 = cast i32[4] %3\n"
                              "%5 = view i32[3,4] %4 affine [d1]\n"
                              "%6 = call f32[3,4] %2, %5 good(f32 x, i32 n) ulp=4 c=\"return x;\" cuda=\"return x;\"\n"
                              "%7 = const f32[] 3\n"
                              "%8 = const i32[] -1\n"
                              "%9 = call f32[] %7, %8 good(f32 x, i32 n) ulp=4 c=\"return x;\" cuda=\"return x;\"\n"
                              "%10 = view f32[3,4] %9 affine []\n"
                              "%11 = add f32[3,4] %6, %10\n"
                              "return %11\n");
    free(text);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {TEST(arguments), TEST(functions), TEST(operators), TEST(accepted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
