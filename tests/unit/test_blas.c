/* SPDX-License-Identifier: MIT */
/* OpenBLAS, one that is none (tests/fakes), is loaded where a process may map what its threads will ask for, and found
 * from then on. A program of its own: what is loaded stays. */
#include "backend_cpu/run/blas.h"
#include "backend_cpu/run/machine.h"
#include "tests/support/subject.h"
#include <sys/resource.h>

enum { ROOM = 200 << 20 }; /* less than one processor's threads take */

/* True if it is found while the limit leaves little room. */
static bool found_under(int limit) {
    struct rlimit before, tight;
    fsr_blas blas;
    assert_int_equal(getrlimit(limit, &before), 0);
    tight = before;
    tight.rlim_cur = ROOM;
    while (setrlimit(limit, &tight) == 0 && fsr_machine_room() < ROOM / 2)
        tight.rlim_cur += ROOM / 4;
    assert_in_range(fsr_machine_room(), ROOM / 2, ROOM);
    const bool found = fsr_blas_find(&blas);
    assert_int_equal(setrlimit(limit, &before), 0);
    assert_true(fsr_machine_room() > ROOM);
    return found;
}

static void loaded_where_there_is_room(void **state) {
    (void)state;
    fsr_blas blas;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); /* they map more than any limit */
#endif
    assert_false(found_under(RLIMIT_AS));
    assert_false(found_under(RLIMIT_DATA));
    if (fsr_machine_room() < 2 * (fsr_machine_processors() + INT64_C(1)) * ROOM)
        skip(); /* the limits of this process leave no room */
    assert_true(fsr_blas_find(&blas));
    assert_true(found_under(RLIMIT_AS));
    assert_true(found_under(RLIMIT_DATA));
}

/* Where a process may open no file, what it uses is unknown, and so is what its limit leaves. */
static void no_room_known(void **state) {
    (void)state;
    static const int limits[] = {RLIMIT_AS, RLIMIT_DATA};
    struct rlimit files, none, before, far;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); /* they map more than any limit */
#endif
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
    none = files;
    none.rlim_cur = 0;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        assert_int_equal(getrlimit(limits[i], &before), 0);
        far = before;
        far.rlim_cur = before.rlim_cur < (rlim_t)1 << 40 ? before.rlim_cur : (rlim_t)1 << 40;
        assert_int_equal(setrlimit(limits[i], &far), 0);
        const int64_t known = fsr_machine_room();
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
        const int64_t unknown = fsr_machine_room();
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
        assert_int_equal(setrlimit(limits[i], &before), 0);
        assert_true(known > 0);
        assert_int_equal(unknown, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_room_known), cmocka_unit_test(loaded_where_there_is_room)};
    return cmocka_run_group_tests_name("OpenBLAS", tests, NULL, NULL);
}
