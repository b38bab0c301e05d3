/* SPDX-License-Identifier: MIT */
/* Programs run in parts: every case is in exactly one part of one tier, whatever the number of parts. */
#include "tests/support/subject.h"
#include <stdio.h>
#include <stdlib.h>

enum { UNITS = 40, MOST = 9 };

static void choose(const char *shard, const char *tier) {
    unsetenv("FUSOR_TEST_SHARD");
    unsetenv("FUSOR_TEST_TIER");
    if (shard)
        setenv("FUSOR_TEST_SHARD", shard, 1);
    if (tier)
        setenv("FUSOR_TEST_TIER", tier, 1);
}

enum { TIERS = SUBJECT_CAPPED + 1 };

static void count_cases(int count[UNITS][TIERS]) {
    assert_true(subject_take_part());
    for (int unit = 0; unit < UNITS; unit++)
        for (int tier = 0; tier < TIERS; tier++)
            count[unit][tier] += subject_case(unit, (subject_tier)tier);
}

static void count_shards(int count[UNITS][TIERS], int n, const char *tier) {
    for (int i = 1; i <= n; i++) {
        char shard[32];
        snprintf(shard, sizeof shard, "%d/%d", i, n);
        choose(shard, tier);
        count_cases(count);
    }
}

static void assert_once(int count[UNITS][TIERS]) {
    for (int unit = 0; unit < UNITS; unit++)
        for (int tier = 0; tier < TIERS; tier++)
            assert_int_equal(count[unit][tier], 1);
}

/* Also where the tiers have different numbers of parts. */
static void each_case_once(void **state) {
    (void)state;
    for (int fast = 1; fast <= MOST; fast++) {
        int both[UNITS][TIERS] = {{0}}, apart[UNITS][TIERS] = {{0}};
        count_shards(both, fast, NULL);
        assert_once(both);
        count_shards(apart, fast, "fast");
        count_shards(apart, MOST + 1 - fast, "long");
        assert_once(apart);
    }
}

/* With a smaller instruction set: the fast tier's cases, and of the long ones those that are marked. */
static void capped(void **state) {
    (void)state;
    int count[UNITS][TIERS] = {{0}};
    count_shards(count, 3, "capped");
    for (int unit = 0; unit < UNITS; unit++)
        for (int tier = 0; tier < TIERS; tier++)
            assert_int_equal(count[unit][tier], tier != SUBJECT_LONG);
}

static void the_whole(void **state) {
    (void)state;
    int count[UNITS][TIERS] = {{0}};
    choose(NULL, NULL);
    count_cases(count);
    assert_once(count);
}

static void refused(void **state) {
    (void)state;
    static const char *const shards[] = {"", "0/3", "4/3", "2", "2/3x", "-1/3", "a/b"};
    for (int i = 0; i < COUNT_OF(shards); i++) {
        choose(shards[i], NULL);
        assert_false(subject_take_part());
    }
    choose(NULL, "slow");
    assert_false(subject_take_part());
    choose(NULL, NULL);
}

int main(void) {
    static const struct CMUnitTest tests[] = {cmocka_unit_test(each_case_once), cmocka_unit_test(capped),
                                              cmocka_unit_test(the_whole), cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
