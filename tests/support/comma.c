/* SPDX-License-Identifier: MIT */
/* See comma.h. */
#include "tests/support/comma.h"
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool has_comma(const char *name) {
    return setlocale(LC_NUMERIC, name) && strcmp(localeconv()->decimal_point, ",") == 0;
}

/* Compiles de_DE into a directory where the C library then looks; the directory is not needed once it has been read. */
static bool make_one(void) {
    char dir[] = "/tmp/fusor-test-XXXXXX", command[200];
    if (!mkdtemp(dir))
        return false;
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/comma >/dev/null 2>&1", dir);
    const int made = system(command); /* 1: with warnings */
    setenv("LOCPATH", dir, 1);
    const bool found = made != -1 && has_comma("comma");
    unsetenv("LOCPATH");
    snprintf(command, sizeof command, "rm -rf %s", dir);
    return system(command) == 0 && found;
}

bool comma_begin(void) {
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (has_comma(names[i]))
            return true;
    if (make_one())
        return true;
    comma_end();
    fprintf(stderr, "skipped: no locale with a decimal comma, and localedef cannot make de_DE\n");
    return false;
}

void comma_end(void) {
    setlocale(LC_NUMERIC, "C");
}
