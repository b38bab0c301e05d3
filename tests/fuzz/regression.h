/* SPDX-License-Identifier: MIT */
/* What tests of cut down graphs share: each graph runs through every plan of check.h (several seeds, for the less usual
 * plans) against the reference. Included by one file of a program. */
#ifndef FUSOR_TESTS_FUZZ_REGRESSION_H
#define FUSOR_TESTS_FUZZ_REGRESSION_H

#include "tests/fuzz/check.h"
#include "tests/support/nodes.h"
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { SEEDS = 24 };

static fsr_graph_owner *owner;
static fsr_graph *g;

/* What nobody has written is no zero. */
static int setup(void **state) {
    (void)state;
    mallopt(M_PERTURB, 0xa5);
    g = node_graph(&owner);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    fsr_graph_owner_free(owner);
    return 0;
}

/* rounded: a fold rounds, bits may differ. */
static void check(const fsr_node *outs, int n, bool rounded) {
    fsr_ref refs[RECIPE_OUTS];
    bool may[RECIPE_OUTS];
    finding found;
    assert_true(n <= RECIPE_OUTS);
    for (int i = 0; i < n; i++) {
        assert_int_equal(fsr_node_status(outs[i]), FSR_OK);
        refs[i] = (fsr_ref){outs[i].id, outs[i].output};
        may[i] = rounded;
    }
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        if (check_outs(g, refs, n, may, seed, &found, NULL))
            fail_msg("%s (%s): %s", verdict_text(found.verdict), found.variant, found.what);
}
#define CHECK(rounded, ...) \
    check((const fsr_node[]){__VA_ARGS__}, (int)(sizeof((const fsr_node[]){__VA_ARGS__}) / sizeof(fsr_node)), rounded)

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

#endif
