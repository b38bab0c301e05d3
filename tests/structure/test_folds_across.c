/* SPDX-License-Identifier: MIT */
/* On a CPU a fold down the columns of a matrix goes along with a fold of its rows: one kernel reads the matrix once. */
#include "tests/structure/plans.h"
#include "tests/support/one_graph.h"

enum { ROWS = 1900, COLS = 2100 };

/* Kernels that fold, and whether some of them adds rows as it goes. */
static void check(const char *name, const fsr_node *out, int n, int folding, bool across) {
    fsr_program p = plan_of(&target_cpu, out, n);
    bool adds = false;
    int folds = 0;
    for (int i = 0; i < plan_nests(&p); i++) {
        const fsr_kernel *k = plan_nest(&p, i);
        folds += k->npasses > 0;
        for (int v = 0; v < k->ninsts; v++)
            adds = adds || fsr_inst_adds_rows(k, v);
    }
    if (folds != folding || adds != across)
        fail_msg("%s: %d kernels that fold\n%s", name, folds, p.explanation);
    fsr_program_clear(&p);
}

static fsr_node down(fsr_node x) {
    return fsr_sum(x, AXES(0), 1, 0);
}
static fsr_node along(fsr_node x) {
    return fsr_sum(x, AXES(1), 1, 0);
}
static fsr_node each_row(fsr_node v) {
    return fsr_expand(v, 1);
}

static void one_kernel(void **state) {
    (void)state;
    const fsr_node a = plan_matrix(g, ROWS, COLS), x = plan_vector(g, COLS), y = plan_vector(g, ROWS);
    const fsr_node rows = along(fsr_mul(a, x)), large = plan_matrix(g, 6000, COLS);
    const fsr_node both[] = {rows, down(fsr_mul(a, each_row(y)))};
    const fsr_node chained = down(fsr_mul(large, each_row(along(fsr_mul(large, x)))));
    const fsr_node turned[] = {rows, along(fsr_mul(fsr_transpose(a, (int[]){1, 0}), y))};
    const fsr_node greatest[] = {fsr_max(a, AXES(0), 1, 0), along(fsr_exp(a))};
    check("A x and y A", both, 2, 1, true);
    check("A^T A x", &chained, 1, 1, true);
    check("A x and A^T y", turned, 2, 1, true);
    check("greatest of columns, sums of rows", greatest, 2, 1, true);
}

/* Rows are added beside a fold of rows alone: that of each three rows goes down them. */
static void groups_of_rows(void **state) {
    (void)state;
    const fsr_node a = plan_matrix(g, 1122, 1122), centred = fsr_mul(a, fsr_sub(a, each_row(along(a))));
    const fsr_node out[] = {fsr_sum(fsr_reshape(centred, 3, (int64_t[]){374, 3, 1122}), AXES(1), 1, 0),
                            down(fsr_mul(a, a))};
    check("each three rows", out, 2, 2, true);
}

/* Several folds down one matrix; a map of all of it made of the result; a scan between; a matrix that is near in any
 * case; rows longer than a near cache has room for. */
static void others(void **state) {
    (void)state;
    const fsr_node a = plan_matrix(g, ROWS, COLS), small = plan_matrix(g, 300, 300), wide = plan_matrix(g, 100, 50000);
    const fsr_node several[] = {along(a), down(a), down(fsr_mul(a, a))};
    const fsr_node scaled[] = {along(a), fsr_div(a, down(a))};
    const fsr_node chained = down(fsr_mul(a, each_row(along(a))));
    const fsr_node scanned = down(fsr_mul(a, each_row(fsr_cumsum(along(a), AXES(0), 1, 0))));
    const fsr_node lines = plan_matrix(g, 100, 12000), long_rows[] = {along(lines), down(lines)};
    const fsr_node near[] = {along(small), down(small)}, broad[] = {along(wide), down(wide)};
    check("sums and sums of squares", several, 3, 2, false);
    check("divided by the sums", scaled, 2, 2, false);
    check("A^T A x of what a cache holds", &chained, 1, 2, false);
    check("a scan between", &scanned, 1, 3, false);
    check("a small matrix", near, 2, 2, false);
    check("long rows", broad, 2, 2, false);
    check("long rows of what a cache holds", long_rows, 2, 2, false);
}

int main(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {T(one_kernel), T(groups_of_rows), T(others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
