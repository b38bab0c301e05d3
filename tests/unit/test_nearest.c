/* SPDX-License-Identifier: MIT */
/* graph/nearest: which name is meant by a misspelled one. */
#include "graph/nearest.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* The nearest of the names, or "none". */
static const char *nearest(const char *word, const char *const *names) {
    fsr_nearest search = fsr_nearest_to(word);
    for (int i = 0; names[i]; i++)
        fsr_nearest_offer(&search, names[i]);
    return search.name ? search.name : "none";
}

#define NEAREST(word, ...) nearest(word, (const char *const[]){__VA_ARGS__, NULL})

static void one_slip(void **state) {
    (void)state;
    assert_string_equal(NEAREST("softmx", "sum", "softmax", "cumsum"), "softmax");
    assert_string_equal(NEAREST("softmaxx", "sum", "softmax", "cumsum"), "softmax");
    assert_string_equal(NEAREST("softmaz", "sum", "softmax", "cumsum"), "softmax");
    assert_string_equal(NEAREST("sotfmax", "sum", "softmax", "cumsum"), "softmax");
    assert_string_equal(NEAREST("SOFTMAX", "sum", "softmax", "cumsum"), "softmax");
    assert_string_equal(NEAREST("abd", "abc", "bad"), "abc");
}

/* A swap is one slip, so that a name with a swap is nearer than one with two other letters. */
static void swaps(void **state) {
    (void)state;
    assert_string_equal(NEAREST("tarcer", "tabber", "tracer"), "tracer");
    assert_int_equal(fsr_nearest_to("ab").distance, 2);
    fsr_nearest search = fsr_nearest_to("ab");
    fsr_nearest_offer(&search, "ba");
    assert_int_equal(search.distance, 1);
}

static void the_first_of_equals(void **state) {
    (void)state;
    assert_string_equal(NEAREST("sun", "sum", "sup"), "sum");
    assert_string_equal(NEAREST("sun", "sup", "sum"), "sup");
    assert_string_equal(NEAREST("sum", "sun", "sum"), "sum");
}

static void too_far(void **state) {
    char word[100];

    (void)state;
    assert_string_equal(NEAREST("x", "fuel", "log"), "none");
    assert_string_equal(NEAREST("abc", "abcde"), "none");
    assert_string_equal(NEAREST("abcd", "abcdef"), "abcdef");
    assert_string_equal(NEAREST("", "a"), "none");
    assert_string_equal(NEAREST("k", "i", "ij"), "none");
    assert_string_equal(NEAREST("K", "i", "k"), "k");
    memset(word, 'a', sizeof word - 1);
    word[99] = 0;
    assert_string_equal(NEAREST(word, word), "none");
    word[63] = 0;
    assert_string_equal(NEAREST(word, word), word);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_slip),
        cmocka_unit_test(swaps),
        cmocka_unit_test(the_first_of_equals),
        cmocka_unit_test(too_far),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
