/* SPDX-License-Identifier: MIT */
/* What tests say of a kernel as a whole: that it verifies, or is refused in these words; what its print is. */
#ifndef FUSOR_TESTS_SUPPORT_KERNEL_CHECKS_H
#define FUSOR_TESTS_SUPPORT_KERNEL_CHECKS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/support/kernels.h"

static inline void assert_valid(const fsr_kernel *k) {
    char why[256];
    if (fsr_kernel_verify(k, why, sizeof why) != FSR_OK)
        fail_msg("%s: %s", k->name, why);
}

static inline void assert_print(const fsr_kernel *k, const char *expected) {
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    assert_non_null(to);
    fsr_kernel_print(k, to);
    fclose(to);
    assert_string_equal(text, expected);
    free(text);
}

/* Frees the kernel. */
static inline void assert_refused(fsr_kernel *k, const char *expected) {
    char why[256];
    assert_int_equal(fsr_kernel_verify(k, why, sizeof why), FSR_ERR_INTERNAL);
    assert_string_equal(why, expected);
    fsr_kernel_free(k);
}

#endif
