/* SPDX-License-Identifier: MIT */
/* runtime/text, runtime/fault, status names. */
#include "runtime/fault.h"
#include "runtime/text.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void text_grows(void **state) {
    fsr_text t = {0};
    char *s;

    (void)state;
    for (int i = 0; i < 1000; i++)
        fsr_text_add(&t, "%d,", i);
    assert_false(t.failed);
    assert_int_equal(t.size, strlen(t.data));
    s = fsr_text_take(&t);
    assert_int_equal(strlen(s), 10 * 2 + 90 * 3 + 900 * 4);
    assert_memory_equal(s, "0,1,2,", 6);
    assert_string_equal(s + strlen(s) - 8, "998,999,");
    assert_null(t.data);
    assert_int_equal(t.size, 0);
    free(s);
}

/* Sizes around the first capacity: the final 0 must always fit. */
static void text_boundaries(void **state) {
    (void)state;
    for (size_t n = 250; n < 260; n++) {
        fsr_text t = {0};
        char *big = malloc(n + 1), *s;

        assert_non_null(big);
        memset(big, 'x', n);
        big[n] = 0;
        fsr_text_add(&t, "%s", big);
        fsr_text_raw(&t, "yz", 1);
        s = fsr_text_take(&t);
        assert_int_equal(strlen(s), n + 1);
        assert_int_equal(s[n], 'y');
        free(s);
        free(big);
    }
}

static void text_empty(void **state) {
    fsr_text t = {0};
    char *s = fsr_text_take(&t);

    (void)state;
    assert_non_null(s);
    assert_string_equal(s, "");
    free(s);
    fsr_text_free(&t);
}

static void text_failure_sticks(void **state) {
    fsr_text t = {0};

    (void)state;
    fsr_text_add(&t, "begin");
    fsr_text_raw(&t, "never read", SIZE_MAX / 2);
    assert_true(t.failed);
    fsr_text_add(&t, "end");
    assert_int_equal(t.size, 5);
    assert_null(fsr_text_take(&t));
    assert_false(t.failed);
    fsr_text_add(&t, "again");
    assert_string_equal(t.data, "again");
    fsr_text_free(&t);
}

static void fault_quotes_itself(void **state) {
    fsr_fault f = {0};

    (void)state;
    assert_int_equal(fsr_fault_set(&f, FSR_ERR_FILE, "open %s", "a"), FSR_ERR_FILE);
    assert_int_equal(fsr_fault_set(&f, FSR_ERR_FORMAT, "read: %s", f.message), FSR_ERR_FORMAT);
    assert_int_equal(f.status, FSR_ERR_FORMAT);
    assert_string_equal(f.message, "read: open a");
    fsr_fault_clear(&f);
    assert_int_equal(f.status, FSR_OK);
    assert_null(f.message);
}

static void status_names(void **state) {
    (void)state;
    assert_string_equal(fsr_status_name(FSR_OK), "FSR_OK");
    assert_string_equal(fsr_status_name(FSR_ERR_INTERNAL), "FSR_ERR_INTERNAL");
    assert_string_equal(fsr_status_sentence(FSR_ERR_SHAPE), "the shapes do not fit");
    for (int i = 0; i < FSR_STATUS_COUNT; i++) {
        assert_memory_equal(fsr_status_name((fsr_status)i), "FSR_", 4);
        assert_true(strlen(fsr_status_sentence((fsr_status)i)) > 1);
    }
    assert_string_equal(fsr_status_name((fsr_status)12345), "FSR_ERR_?");
    assert_string_equal(fsr_status_sentence((fsr_status)12345), "not a status code");
    assert_string_equal(fsr_status_name(FSR_STATUS_COUNT), "FSR_ERR_?");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_grows),          cmocka_unit_test(text_boundaries),     cmocka_unit_test(text_empty),
        cmocka_unit_test(text_failure_sticks), cmocka_unit_test(fault_quotes_itself), cmocka_unit_test(status_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
