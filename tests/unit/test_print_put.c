/* SPDX-License-Identifier: MIT */
/* graph/print_put.c: the same bytes as fprintf. */
#define _GNU_SOURCE 1
#include "graph/print.h"
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LONG = 1500 };

/* What fsr_fput and the library make of one format. */
static void __attribute__((format(printf, 1, 2))) check(const char *format, ...) {
    char *ours = NULL, *theirs = NULL;
    size_t size = 0;
    va_list args;
    FILE *to = open_memstream(&ours, &size);
    va_start(args, format);
    fsr_fput_list(to, format, args);
    va_end(args);
    fclose(to);
    va_start(args, format);
    assert_true(vasprintf(&theirs, format, args) >= 0);
    va_end(args);
    assert_int_equal(size, strlen(theirs));
    assert_string_equal(ours, theirs);
    free(ours);
    free(theirs);
}

static void numbers(void **state) {
    static const double whole[] = {0,    -0.0, 0.5,      1.5, 2.5, 1e9 + 0.5,      1073741823.5, 1073741824.5,
                                   -2.5, 1e22, INFINITY, NAN, 3,   99.99999999999, 1e-300,       DBL_MAX};
    static const long long number[] = {0, 7, -7, 10, INT_MAX, INT_MIN, LLONG_MAX, LLONG_MIN};
    (void)state;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        check("price: %.0f ns", whole[i]);
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        check("%lld%d%%%c %" PRId64 ";%u%" PRIu64, number[i], (int)number[i], 'x', (int64_t)number[i],
              (unsigned)number[i], (uint64_t)number[i]);
}

/* Longer than a piece, and at its very end. */
static void long_ones(void **state) {
    char text[LONG + 1];
    (void)state;
    memset(text, 'a', LONG);
    for (int n = LONG; n > 0; n -= 61) {
        text[n] = 0;
        check("%s %d, %s;", text, n, text);
    }
}

/* From the first format that is not known the library goes on, with what is left of the arguments. */
static void others(void **state) {
    (void)state;
    check("%s", "");
    check("nothing");
    check("%d of %5d: %s %lu %.3f", 1, 2, "three", 4UL, 5.0);
    check("%c%08x %d", 'k', 255u, 3);
    check("%.*s|%d", 2, "abc", 9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),
        cmocka_unit_test(long_ones),
        cmocka_unit_test(others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
