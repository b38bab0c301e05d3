/* SPDX-License-Identifier: MIT */
/* The fusion table of the design, line by line (test_table_*.c): each graph is planned for a GPU and for a CPU and
 * must be one kernel with no temporary, in the expected frame, reading each input once where the line says so. */
#ifndef FUSOR_TESTS_STRUCTURE_TABLE_H
#define FUSOR_TESTS_STRUCTURE_TABLE_H

#include "tests/structure/plans.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAP = FSR_SCHEDULE_MAP, ROW = FSR_SCHEDULE_ROW, SPLIT = FSR_SCHEDULE_SPLIT, COL = FSR_SCHEDULE_COL };
enum { LOOKBACK = FSR_SCHEDULE_LOOKBACK, ANY = -1, MAX_OUTS = 8 };

/* What a plan must be. kind and passes: of the only kernel, ANY: not looked at. once: bytes_moved is bytes_min. */
typedef struct expected {
    int kind, passes;
    bool once;
} expected;

typedef struct graph_case {
    const char *name;
    int (*record)(fsr_graph *g, fsr_node *out); /* returns the number of outputs */
    expected gpu, cpu;
} graph_case;

extern fsr_graph *table_graph; /* of the running test */
extern int table_wrong;        /* its plans that are not as expected: all of them are shown */

int table_setup(void **state);
int table_teardown(void **state);
#define TABLE_TEST(name) cmocka_unit_test_setup_teardown(name, table_setup, table_teardown)

/* Counts and shows a plan that does not hold. */
void table_expect(bool holds, const char *name, const fsr_target *target, const fsr_program *p, const char *what);
/* Fails the running test if a case is not as it says, on either machine. */
void table_check(const graph_case *list, size_t n);
#define TABLE_CHECK(list) table_check(list, sizeof(list) / sizeof *(list))

/* f along the rows of a matrix, as a column. */
fsr_node table_rowwise(fsr_node (*f)(fsr_site, fsr_node, const int *, int, int), fsr_node x);
fsr_node table_softmax(fsr_node x);

#endif
