/* SPDX-License-Identifier: MIT */
/* Misuses of the builder, shared by the suites of each subject: operands to misuse, and the check that a misuse gives a
 * poisoned node with one exact status and message and leaves the graph as it was. */
#ifndef FUSOR_TESTS_ERROR_MISUSE_H
#define FUSOR_TESTS_ERROR_MISUSE_H

#include "tests/support/nodes.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define AT fsr_here("prog.c", 12)

static fsr_graph_owner *owner;
static fsr_graph *g, *other;
static fsr_node m34, v5, b3, u3, i3, f0, none, foreign, stale, deep;

static inline int setup(void **state) {
    (void)state;
    g = node_graph(&owner);
    other = fsr_graph_create(owner);
    m34 = INPUT(g, FSR_F32, 3, 4);
    v5 = INPUT(g, FSR_F32, 5);
    b3 = INPUT(g, FSR_BOOL, 3);
    u3 = INPUT(g, FSR_U8, 3);
    i3 = INPUT(g, FSR_I32, 3);
    f0 = fsr_full(g, FSR_F32, 0, NULL, 1);
    none = INPUT(g, FSR_F32, 0, 3);
    deep = INPUT(g, FSR_F32, 1, 1, 1, 1, 1, 1, 1, 2);
    foreign = INPUT(other, FSR_F64, 3);
    fsr_scope_begin(g);
    stale = fsr_int(g, 1);
    fsr_scope_end(g, NULL, 0);
    return 0;
}

static inline int teardown(void **state) {
    (void)state;
    fsr_graph_owner_free(owner);
    return 0;
}

typedef struct misuse {
    fsr_node (*make)(void);
    fsr_status status;
    const char *message;
} misuse;

static inline bool queries_refuse(fsr_node x) {
    return fsr_node_dtype(x) == FSR_DTYPE_COUNT && fsr_node_ndim(x) == -1 && fsr_node_size(x) == -1 &&
           fsr_node_bytes(x) == -1 && fsr_node_dim(x, 0) == -1;
}

static inline void check_misuses(const misuse *misuses, size_t n) {
    int wrong = 0;
    for (size_t i = 0; i < n; i++) {
        fsr_node x = misuses[i].make();
        if (fsr_node_status(x) == misuses[i].status && !strcmp(fsr_node_error(x), misuses[i].message) &&
            queries_refuse(x))
            continue;
        wrong++;
        print_error("%d \"%s\"\n   not %d \"%s\"\n", fsr_node_status(x), fsr_node_error(x), misuses[i].status,
                    misuses[i].message);
    }
    assert_int_equal(wrong, 0);
    char why[200];
    if (fsr_graph_verify(g, why, sizeof why))
        fail_msg("%s", why);
    assert_int_equal(fsr_scope_end(g, NULL, 0), FSR_ERR_SCOPE);
    assert_int_equal(fsr_node_status(fsr_add(m34, m34)), FSR_OK);
}

#define CHECK_MISUSES(misuses) check_misuses(misuses, sizeof(misuses) / sizeof *(misuses))
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
