/* The dtypes of results against those that NumPy 2 gives: tests/numpy/promotion.txt, whose script tells the form. Every
 * operation of the table that stands there, every dtype and pair of dtypes that both have. */
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
    if (op == FSR_OP_ROUND && fsr_node_dtype(a) == FSR_BOOL)
        expected = FSR_DTYPE_COUNT; /* by decision: NumPy makes a float of it, of no other integer */
    if (fsr_node_dtype(out) != expected)
        fail_msg("%s of %s and %s is %s, NumPy has %s", fsr_op_get(op)->name, first, second,
                 fsr_dtype_name(fsr_node_dtype(out)), want);
    return 1;
}

static void dtypes_of_results(void **state) {
    (void)state;
    FILE *file = fopen("tests/numpy/promotion.txt", "r");
    assert_non_null(file);
    char line[LINE];
    int checked = 0;
    columns with = {0};
    fsr_graph_owner *owner;
    fsr_graph *g = node_graph(&owner);
    while (fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        assert_non_null(colon);
        *colon = 0;
        columns head = split(line), results = split(colon + 1);
        if (head.n == 1)
            with = results;
        fsr_op op = head.n == 2 ? fsr_op_find(head.name[0]) : FSR_OP_COUNT;
        if (op == FSR_OP_COUNT)
            continue;
        for (int i = 0; i < results.n; i++)
            checked += check(g, op, head.name[1], results.n > 1 ? with.name[i] : head.name[1], results.name[i]);
    }
    fclose(file);
    fsr_graph_owner_free(owner);
    printf("%d dtypes of results as NumPy\n", checked);
    assert_true(checked > 14 * 144);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(dtypes_of_results)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
