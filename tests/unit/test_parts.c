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

static void count_cases(int count[UNITS][2]) {
    assert_true(subject_take_part());
    for (int unit = 0; unit < UNITS; unit++)
        for (int is_long = 0; is_long < 2; is_long++)
            count[unit][is_long] += subject_case(unit, is_long != 0);
}

static void count_shards(int count[UNITS][2], int n, const char *tier) {
    for (int i = 1; i <= n; i++) {
        char shard[32];
        snprintf(shard, sizeof shard, "%d/%d", i, n);
        choose(shard, tier);
        count_cases(count);
    }
}

static void assert_once(int count[UNITS][2]) {
    for (int unit = 0; unit < UNITS; unit++)
        for (int is_long = 0; is_long < 2; is_long++)
            assert_int_equal(count[unit][is_long], 1);
}

/* Also where the tiers have different numbers of parts. */
static void each_case_once(void **state) {
    (void)state;
    for (int fast = 1; fast <= MOST; fast++) {
        int both[UNITS][2] = {{0}}, apart[UNITS][2] = {{0}};
        count_shards(both, fast, NULL);
        assert_once(both);
        count_shards(apart, fast, "fast");
        count_shards(apart, MOST + 1 - fast, "long");
        assert_once(apart);
    }
}

static void the_whole(void **state) {
    (void)state;
    int count[UNITS][2] = {{0}};
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
    static const struct CMUnitTest tests[] = {cmocka_unit_test(each_case_once), cmocka_unit_test(the_whole),
                                              cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
