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

/* All of POSIX's but the numbers: localedef takes milliseconds for it, and two seconds for a country's. */
static bool write_source(const char *path) {
    static const char *const copied[] = {"CTYPE", "COLLATE", "MONETARY", "TIME", "MESSAGES"};
    FILE *f = fopen(path, "w");
    if (!f)
        return false;
    for (size_t i = 0; i < sizeof copied / sizeof *copied; i++)
        fprintf(f, "LC_%s\ncopy \"POSIX\"\nEND LC_%s\n", copied[i], copied[i]);
    fprintf(f, "LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\ngrouping 3;3\nEND LC_NUMERIC\n");
    return fclose(f) == 0;
}

/* Compiles a locale into a directory where the C library then looks; the directory is not needed once it has been
 * read. */
static bool make_one(void) {
    char dir[] = "/tmp/fusor-test-XXXXXX", path[64], command[200];
    if (!mkdtemp(dir))
        return false;
    snprintf(path, sizeof path, "%s/source", dir);
    snprintf(command, sizeof command, "localedef -c -i %s -f ANSI_X3.4-1968 %s/comma >/dev/null 2>&1", path, dir);
    const int made = write_source(path) ? system(command) : -1; /* 1: with warnings */
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
    fprintf(stderr, "skipped: no locale with a decimal comma, and localedef cannot make one\n");
    return false;
}

void comma_end(void) {
    setlocale(LC_NUMERIC, "C");
}
