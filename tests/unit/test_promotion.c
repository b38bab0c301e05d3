/* SPDX-License-Identifier: MIT */
/* The dtypes of results against those that NumPy 2 gives: tests/numpy/promotion.txt and together.txt, whose scripts
 * tell the form. Every operation of the table that stands there, every dtype and pair of dtypes that both have; and
 * whatever takes more than two operands, of three dtypes in every order. */
#include "fusor/expr.h"
#include "graph/graph.h"
#include "graph/ops.h"
#include "primitives/primitives.h"
#include "tests/support/nodes.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { COLUMNS = 32, LINE = 1024 };

/* No order of complex numbers, by decision, and not every function of them. */
static bool has_no_complex(fsr_op op) {
    return !fsr_op_defined(op, FSR_C64) && fsr_op_get(op)->rule != FSR_RULE_LOGIC;
}

/* FSR_DTYPE_COUNT: "-", or a dtype that Fusor does not have. */
static fsr_dtype dtype_named(const char *name) {
    for (int d = 0; d < FSR_DTYPE_COUNT; d++)
        if (!strcmp(fsr_dtype_name((fsr_dtype)d), name))
            return (fsr_dtype)d;
    return FSR_DTYPE_COUNT;
}

typedef struct columns {
    int n;
    char name[COLUMNS][16];
} columns;

static columns split(char *text) {
    columns out = {0};
    for (char *word = strtok(text, " \n"); word && out.n < COLUMNS; word = strtok(NULL, " \n"))
        snprintf(out.name[out.n++], sizeof out.name[0], "%s", word);
    return out;
}

/* An array of that dtype, or a literal. */
static fsr_node operand(fsr_graph *g, const char *name) {
    if (!strcmp(name, "int"))
        return fsr_int(g, 1);
    if (!strcmp(name, "float"))
        return fsr_float(g, 1);
    if (!strcmp(name, "complex"))
        return fsr_complex(g, 0, 1);
    return INPUT(g, dtype_named(name), 2);
}

static int check(fsr_graph *g, fsr_op op, const char *first, const char *second, const char *want) {
    fsr_dtype expected = dtype_named(want);
    if (expected == FSR_DTYPE_COUNT && strcmp(want, "-") != 0)
        return 0;
    fsr_node a = operand(g, first), b = operand(g, second);
    fsr_node in[] = {a, b, b};
    if (fsr_op_get(op)->rule == FSR_RULE_SELECT) {
        in[0] = INPUT(g, FSR_BOOL, 2);
        in[1] = a;
    }
    fsr_node out = fsr_map(FSR_HERE, op, in, fsr_op_get(op)->arity);
    if (has_no_complex(op) && (fsr_dtype_is_complex(fsr_node_dtype(a)) || fsr_dtype_is_complex(fsr_node_dtype(b))))
        expected = FSR_DTYPE_COUNT;
    if (fsr_node_dtype(out) != expected)
        fail_msg("%s of %s and %s is %s, NumPy has %s", fsr_op_get(op)->name, first, second,
                 fsr_dtype_name(fsr_node_dtype(out)), want);
    return 1;
}

/* One line: of operations with a pair of operands. */
static int check_pair(fsr_graph *g, const columns *head, const columns *results, const columns *with) {
    fsr_op op = head->n == 2 ? fsr_op_find(head->name[0]) : FSR_OP_COUNT;
    int checked = 0;
    for (int i = 0; op != FSR_OP_COUNT && i < results->n; i++)
        checked += check(g, op, head->name[1], results->n > 1 ? with->name[i] : head->name[1], results->name[i]);
    return checked;
}

/* A file's lines, "head: results"; one whose head is a single word names the columns of those behind it. Returns how
 * many results line() looked at. */
static int check_file(const char *path,
                      int (*line)(fsr_graph *g, const columns *head, const columns *results, const columns *with)) {
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char text[LINE];
    int checked = 0;
    columns with = {0};
    fsr_graph_owner *owner;
    fsr_graph *g = node_graph(&owner);
    while (fgets(text, sizeof text, file)) {
        char *colon = strchr(text, ':');
        assert_non_null(colon);
        *colon = 0;
        columns head = split(text), results = split(colon + 1);
        if (head.n == 1)
            with = results;
        else
            checked += line(g, &head, &results, &with);
    }
    fclose(file);
    fsr_graph_owner_free(owner);
    return checked;
}

static void dtypes_of_results(void **state) {
    (void)state;
    int checked = check_file("tests/numpy/promotion.txt", check_pair);
    printf("%d dtypes of results as NumPy\n", checked);
    assert_true(checked > 14 * 144);
}

/* ---- three operands -------------------------------------------------------------------------------------------- */

static const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

static void same_dtype(const char *what, fsr_node out, const fsr_node *in, fsr_dtype want) {
    if (fsr_node_dtype(out) != want)
        fail_msg("%s of %s, %s and %s is %s, not %s", what, fsr_say(in[0]).text, fsr_say(in[1]).text,
                 fsr_say(in[2]).text, fsr_dtype_name(fsr_node_dtype(out)), fsr_dtype_name(want));
}

/* The dtype of everything that takes three, in this order. arrays: none is a literal. */
static void check_order(fsr_graph *g, const fsr_node *in, bool arrays, fsr_dtype want) {
    if (!fsr_dtype_is_complex(want)) {
        same_dtype("clamp", fsr_clamp(in[0], in[1], in[2]), in, want);
        same_dtype("max", fsr_expr(g, "max(a, b, c)", (fsr_name[]){{"a", in[0]}, {"b", in[1]}, {"c", in[2]}}, 3), in,
                   want);
    }
    if (fsr_op_defined(FSR_OP_FMA, want))
        same_dtype("fma", fsr_fma(in[0], in[1], in[2]), in, want);
    if (!arrays)
        return;
    same_dtype("concat", fsr_concat(in, 3, 0), in, want);
    same_dtype("stack", fsr_stack(in, 3, 0), in, want);
}

static void check_all_orders(fsr_graph *g, const fsr_node *x, bool arrays, fsr_dtype want) {
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        const int *o = orders[i];
        check_order(g, (fsr_node[]){x[o[0]], x[o[1]], x[o[2]]}, arrays, want);
    }
}

/* One line: of a pair of dtypes and every third, or averages of one with every dtype of weights. */
static int check_line(fsr_graph *g, const columns *head, const columns *results, const columns *with) {
    for (int i = 0; i < results->n; i++) {
        fsr_dtype want = dtype_named(results->name[i]);
        assert_true(want != FSR_DTYPE_COUNT);
        fsr_scope_begin(g);
        fsr_node x[3] = {operand(g, head->name[1]), operand(g, with->name[i]), operand(g, head->name[head->n - 1])};
        if (!strcmp(head->name[0], "average"))
            same_dtype("average", fsr_average(x[0], x[1], NULL, 0, 0), x, want);
        else
            check_all_orders(g, x, dtype_named(with->name[i]) != FSR_DTYPE_COUNT, want);
        fsr_scope_end(g, NULL, 0);
    }
    return results->n;
}

static void operands_together(void **state) {
    (void)state;
    int checked = check_file("tests/numpy/together.txt", check_line);
    printf("%d dtypes of three operands, and averages, as NumPy\n", checked);
    assert_true(checked == 105 * 17 + 14 * 14);
}

/* bf16 too, which NumPy does not have: any order gives one dtype, and two operands what their promotion says. */
static void any_order(void **state) {
    (void)state;
    for (int a = 0; a < FSR_DTYPE_COUNT; a++)
        for (int b = 0; b < FSR_DTYPE_COUNT; b++)
            for (int c = 0; c < FSR_DTYPE_COUNT; c++) {
                const fsr_dtype x[] = {(fsr_dtype)a, (fsr_dtype)b, (fsr_dtype)c}, y[] = {x[2], x[0], x[1]};
                fsr_dtype all = fsr_dtype_promote_all(x, 3);
                assert_int_equal(all, fsr_dtype_promote_all(y, 3));
                assert_int_equal(fsr_dtype_promote_all(x, 2), fsr_dtype_promote(x[0], x[1]));
                for (int i = 0; i < 3; i++)
                    assert_int_equal(fsr_dtype_promote(x[i], all), all);
            }
    assert_int_equal(fsr_dtype_promote_all((fsr_dtype[]){FSR_I8, FSR_U8, FSR_BF16}, 3), FSR_BF16);
    assert_int_equal(fsr_dtype_promote_all(NULL, 0), FSR_DTYPE_COUNT);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(dtypes_of_results), cmocka_unit_test(operands_together),
                                       cmocka_unit_test(any_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
