/* SPDX-License-Identifier: MIT */
/* runtime/shared_library: the first file that has every function is taken, and what is wrong with the others is
 * told. */
#include "runtime/shared_library.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define ABSENT "libfsr-there-is-none.so.1"

static double (*cosine)(double);
static void *(*copy)(void *, const void *, size_t);

static void the_first_that_has_every_function(void **state) {
    (void)state;
    static const char *const file[] = {ABSENT, "libc.so.6", "libm.so.6", NULL};
    const fsr_shared_function of_m[] = {{"cos", &cosine}, {NULL, NULL}};
    const fsr_shared_function of_c[] = {{"memcpy", &copy}, {NULL, NULL}};
    fsr_text tried = {0};
    bool fresh = false;
    assert_non_null(fsr_shared_library_load(file, of_m, &fresh, &tried));
    assert_true(cosine(0) == 1);
    assert_string_equal(tried.data, ABSENT ", libc.so.6 (has no cos)");
    fsr_text_free(&tried);
    assert_non_null(fsr_shared_library_load(file, of_m, &fresh, NULL));
    assert_false(fresh);
    assert_non_null(fsr_shared_library_load(file, of_c, NULL, NULL));
    int a = 7, b = 0;
    copy(&b, &a, sizeof a);
    assert_int_equal(b, 7);
}

static void none(void **state) {
    (void)state;
    static const char *const file[] = {ABSENT, "libc.so.6", NULL};
    const fsr_shared_function function[] = {{"fsr_no_such_function", &cosine}, {NULL, NULL}};
    fsr_text tried = {0};
    bool fresh = false;
    assert_null(fsr_shared_library_load(file, function, &fresh, &tried));
    assert_string_equal(tried.data, ABSENT ", libc.so.6 (has no fsr_no_such_function)");
    fsr_text_free(&tried);
    assert_null(fsr_shared_library_load(&file[2], function, NULL, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_first_that_has_every_function), cmocka_unit_test(none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
