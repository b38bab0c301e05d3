/* SPDX-License-Identifier: MIT */
/* fusion/partition_sequence.c: the order of sweeps, found at once. */
#include "fusion/partition.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FEW = 40, MANY = 20000, TRIALS = 2000 };

/* Of which each may wait for `most` others. */
static fsr_partition groups(int n, int most) {
    fsr_partition p = {.ngroups = n, .group = calloc((size_t)n, sizeof *p.group)};
    int *deps = calloc((size_t)n * (size_t)most, sizeof *deps);
    assert_true(p.group && deps);
    for (int g = 0; g < n; ++g) {
        p.group[g].library = true;
        p.group[g].deps = deps + g * most;
    }
    return p;
}

static void groups_free(fsr_partition *p) {
    free(p->group[0].deps);
    free(p->group);
}

static void wait_for(fsr_partition *p, int g, int on) {
    p->group[g].deps[p->group[g].ndeps++] = on;
}

/* As it is said: sweep after sweep over all groups. */
static int by_sweeps(const fsr_partition *p, int *order) {
    bool done[FEW] = {false};
    int n = 0;
    for (int before = -1; before != n;) {
        before = n;
        for (int g = 0; g < p->ngroups; ++g) {
            bool ready = p->group[g].library && !done[g];
            for (int i = 0; ready && i < p->group[g].ndeps; ++i)
                ready = done[p->group[g].deps[i]];
            if (ready)
                done[order[n++] = g] = true;
        }
    }
    return n;
}

/* Groups in any order of which each waits for some before it in another one; a few went into others; sometimes two wait
 * for each other. */
static void as_sweeps(void **state) {
    uint32_t seed = 1;
    (void)state;
    for (int trial = 0; trial < TRIALS; ++trial) {
        fsr_partition p = groups(FEW, FEW);
        int place[FEW], order[FEW], wanted[FEW], count = 0, empty = 0;
        for (int g = 0; g < FEW; ++g)
            place[g] = (int)((seed = seed * 1664525u + 1013904223u) >> 8);
        for (int g = 0; g < FEW; ++g)
            for (int on = 0; on < FEW; ++on)
                if (on != g && (place[on] < place[g] || (trial % 16 == 0 && g == 3 && on == 5)) &&
                    (seed = seed * 1664525u + 1013904223u) >> 28 == 0)
                    wait_for(&p, g, on);
        if (trial % 8 == 1)
            p.group[trial % FEW].library = false;
        for (int g = 0; g < FEW; ++g)
            empty += !p.group[g].library;
        const int n = by_sweeps(&p, wanted);
        assert_int_equal(fsr_partition_sequence(&p, order, &count), n + empty == FEW ? FSR_OK : FSR_ERR_INTERNAL);
        assert_int_equal(count, n);
        assert_memory_equal(order, wanted, sizeof *order * (size_t)n);
        groups_free(&p);
    }
}

/* Sweeps would find one of 20,000 at a time. */
static void backwards(void **state) {
    (void)state;
    fsr_partition p = groups(MANY, 1);
    int *order = malloc(sizeof *order * MANY), count = 0;
    assert_non_null(order);
    for (int g = 0; g + 1 < MANY; ++g)
        wait_for(&p, g, g + 1);
    assert_int_equal(fsr_partition_sequence(&p, order, &count), FSR_OK);
    assert_int_equal(count, MANY);
    for (int i = 0; i < MANY; ++i)
        assert_int_equal(order[i], MANY - 1 - i);
    free(order);
    groups_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_sweeps),
        cmocka_unit_test(backwards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
