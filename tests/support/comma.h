/* SPDX-License-Identifier: MIT */
/* A locale whose numbers have a decimal comma, for tests that nothing depends on it. */
#ifndef FUSOR_TESTS_SUPPORT_COMMA_H
#define FUSOR_TESTS_SUPPORT_COMMA_H

#include <stdbool.h>

/* Makes numbers of this program have a comma: by a locale of the system, else by one that localedef makes in a
 * temporary directory. False, with a line on stderr: neither is to be had, and the test is to be skipped. */
bool comma_begin(void);
/* Back to the C locale. */
void comma_end(void);

#endif
