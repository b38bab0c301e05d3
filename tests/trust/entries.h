/* SPDX-License-Identifier: MIT */
/* The tables of failing calls have a row for each function that is loaded: the X-macros that load them say which. What
 * destroys has none: nobody is left to be told. */
#ifndef FUSOR_TESTS_TRUST_ENTRIES_H
#define FUSOR_TESTS_TRUST_ENTRIES_H

#include "tests/support/subject.h"
#include <string.h>

#define ENTRY_NAME(name, parameters) #name,

/* rows: so many names, the first bytes of structures of this size. */
static inline bool entry_has_row(const char *entry, const void *rows, size_t size, int n) {
    for (int i = 0; i < n; i++)
        if (!strcmp(entry, *(const char *const *)(const void *)((const char *)rows + size * (size_t)i)))
            return true;
    return strstr(entry, "Destroy") || strstr(entry, "destroy");
}

static inline void entries_have_rows(const char *const *entry, int entries, const void *rows, size_t size, int n) {
    for (int i = 0; i < entries; i++)
        if (!entry_has_row(entry[i], rows, size, n))
            fail_msg("no row lets %s fail", entry[i]);
}
#define ENTRIES_HAVE_ROWS(list, rows)                                                    \
    do {                                                                                 \
        static const char *const entry[] = {list(ENTRY_NAME)};                           \
        entries_have_rows(entry, COUNT_OF(entry), rows, sizeof *(rows), COUNT_OF(rows)); \
    } while (0)

#endif
