/* SPDX-License-Identifier: MIT */
/* graph/number: numbers as text and back, in the C locale and in one with a decimal comma. */
#include "graph/number.h"
#include "tests/support/comma.h"
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void is_text(char form, int digits, double x, const char *expected) {
    assert_string_equal(fsr_number_of(form, digits, x).text, expected);
}

static void writes(void) {
    is_text('g', 17, 0.1, "0.10000000000000001");
    is_text('g', 6, 1e300, "1e+300");
    is_text('g', 17, -2.5e-8, "-2.4999999999999999e-08");
    is_text('f', 2, 1234567.125, "1234567.12");
    is_text('f', 0, 2.5, "2");
    is_text('e', 1, 12345, "1.2e+04");
    is_text('a', -1, 0.1, "0x1.999999999999ap-4");
    is_text('a', -1, 1, "0x1p+0");
    is_text('g', 17, INFINITY, "inf");
    is_text('g', 17, -INFINITY, "-inf");
    is_text('g', 17, NAN, "nan");
    assert_int_equal(strlen(fsr_number_of('f', 20, -1.7976931348623157e308).text), 331);
}

static void reads(void) {
    static const char *const bad[] = {"", "1,5", "1.5x", "0x1", ".", "1e", "1..5", " 1", "1 ", "inf", "nan", "1.5.5"};
    double x = 0;
    assert_true(fsr_number_read("1.5", 3, &x) && x == 1.5);
    assert_true(fsr_number_read("1.57", 3, &x) && x == 1.5);
    assert_true(fsr_number_read("-2.5e-3,", 7, &x) && x == -2.5e-3);
    assert_true(fsr_number_read("0.10000000000000001", 19, &x) && x == 0.1);
    assert_true(fsr_number_read("7", 1, &x) && x == 7);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (fsr_number_read(bad[i], strlen(bad[i]), &x))
            fail_msg("%s is taken for a number", bad[i]);
    char many[200];
    memset(many, '1', sizeof many);
    assert_false(fsr_number_read(many, sizeof many, &x));
}

static void with_a_point(void **state) {
    (void)state;
    writes();
    reads();
}

static void with_a_comma(void **state) {
    char text[16];
    (void)state;
    if (!comma_begin())
        skip();
    snprintf(text, sizeof text, "%.1f", 1.5);
    assert_string_equal(text, "1,5");
    writes();
    reads();
    comma_end();
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(with_a_point), cmocka_unit_test(with_a_comma)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
