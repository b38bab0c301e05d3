/* SPDX-License-Identifier: MIT */
/* For a test program to include: a graph g without a context, made before each test with setup, verified and freed
 * after it with teardown. */
#ifndef FUSOR_TESTS_SUPPORT_ONE_GRAPH_H
#define FUSOR_TESTS_SUPPORT_ONE_GRAPH_H

#include "tests/support/nodes.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static fsr_graph_owner *owner;
static fsr_graph *g;

static int setup(void **state) {
    (void)state;
    g = node_graph(&owner);
    return g ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    char why[200];
    fsr_status status = fsr_graph_verify(g, why, sizeof why);
    if (status)
        print_error("%s\n", why);
    fsr_graph_owner_free(owner);
    return (int)status;
}

#endif
