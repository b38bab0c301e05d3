/* SPDX-License-Identifier: MIT */
/* Pieces dealt to workers: each is given once; a worker takes its own in order, and then from the end of what others
 * have left; one that does not come holds nobody up. */
#include "backend_cpu/run/shares.h"
#include "backend_cpu/run/thread_pool.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void own_come_first(void **state) {
    fsr_shares s;
    (void)state;
    fsr_shares_deal(&s, 10, 3); /* 0 to 2, 3 to 5, 6 to 9 */
    assert_int_equal(fsr_shares_take(&s, 2), 6);
    for (int i = 0; i < 3; i++)
        assert_int_equal(fsr_shares_take(&s, 0), i);
    assert_int_equal(fsr_shares_take(&s, 1), 3);
    const int64_t stolen[] = {5, 4, 9, 8, 7};
    for (int i = 0; i < 5; i++)
        assert_int_equal(fsr_shares_take(&s, 0), stolen[i]);
    for (int worker = 0; worker < 3; worker++)
        assert_int_equal(fsr_shares_take(&s, worker), -1);
}

static void fewer_pieces_than_workers(void **state) {
    fsr_shares s;
    int given[3] = {0};
    (void)state;
    fsr_shares_deal(&s, 3, 200);
    for (int worker = 199; worker > 196; worker--)
        given[fsr_shares_take(&s, worker)]++;
    for (int i = 0; i < 3; i++)
        assert_int_equal(given[i], 1);
    assert_int_equal(fsr_shares_take(&s, 0), -1);
    fsr_shares_deal(&s, 0, 2);
    assert_int_equal(fsr_shares_take(&s, 1), -1);
}

enum { PIECES = 5000, WORKERS = 6 };

typedef struct record {
    fsr_shares shares;
    atomic_int times[PIECES];
} record;

static void work(void *arg, int worker) {
    record *r = arg;
    for (int64_t piece; (piece = fsr_shares_take(&r->shares, worker)) >= 0;)
        r->times[piece]++;
}

static void each_is_given_once(void **state) {
    static record r;
    fsr_thread_pool *threads = fsr_thread_pool_new(WORKERS);
    (void)state;
    assert_non_null(threads);
    for (int job = 1; job <= 50; job++) {
        fsr_shares_deal(&r.shares, PIECES, WORKERS);
        fsr_thread_pool_run(threads, work, &r);
        for (int i = 0; i < PIECES; i++)
            assert_int_equal(r.times[i], job);
    }
    fsr_thread_pool_free(threads);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_come_first),
        cmocka_unit_test(fewer_pieces_than_workers),
        cmocka_unit_test(each_is_given_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
