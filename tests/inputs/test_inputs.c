/* SPDX-License-Identifier: MIT */
/* Replays the corpus of the coverage-guided fuzzers (tests/inputs/corpus), each file as it is and damaged in a few
 * hundred ways that are the same in every run. What a fuzzer found joins the corpus. */
#include "tests/inputs/inputs.h"
#include "tests/support/random.h"
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { FILE_MAX = 1 << 16, DAMAGES = 400 };

static uint64_t next(uint64_t *state) {
    return random_bits(state) >> 11;
}

/* A changed byte, a cut, a piece copied elsewhere: one to three of them. Returns the new size. */
static size_t damage(uint8_t *data, size_t size, uint64_t *state) {
    static const uint8_t interesting[] = {0,    1,   0x7f, 0x80, 0xff, ' ', '\n', '"',
                                          '\'', '(', ')',  '%',  ',',  '-', '0',  '9'};
    for (uint64_t times = 1 + next(state) % 3; times > 0 && size > 1; times--) {
        size_t at = next(state) % size, from = next(state) % size, room = size - (at > from ? at : from);
        switch (next(state) % 4) {
        case 0: data[at] ^= (uint8_t)(1u << next(state) % 8); break;
        case 1: data[at] = interesting[next(state) % sizeof interesting]; break;
        case 2: memmove(data + at, data + from, 1 + next(state) % room); break;
        default: size = next(state) % 4 ? size : at + 1; break;
        }
    }
    return size;
}

static int replay(const char *folder, int (*take)(const uint8_t *, size_t)) {
    static uint8_t whole[FILE_MAX], copy[FILE_MAX];
    char path[400];
    int files = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *e = readdir(dir); e; e = readdir(dir)) {
        if (e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        size_t size = fread(whole, 1, sizeof whole, file);
        fclose(file);
        take(whole, size);
        uint64_t state = 88172645463325252u + size;
        for (int i = 0; i < DAMAGES; i++) {
            memcpy(copy, whole, size);
            take(copy, damage(copy, size, &state));
        }
        files++;
    }
    closedir(dir);
    return files;
}

static void npy_files(void **state) {
    (void)state;
    assert_true(replay("tests/inputs/corpus/npy", fuzz_npy) >= 12);
    fuzz_npy((const uint8_t *)"", 0);
}

static void graph_texts(void **state) {
    (void)state;
    assert_true(replay("tests/inputs/corpus/parse", fuzz_parse) >= 19);
    fuzz_parse((const uint8_t *)"", 0);
}

static void expressions(void **state) {
    (void)state;
    assert_true(replay("tests/inputs/corpus/expr", fuzz_expr) >= 10);
    fuzz_expr((const uint8_t *)"", 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(npy_files),
        cmocka_unit_test(graph_texts),
        cmocka_unit_test(expressions),
    };
    return cmocka_run_group_tests_name("inputs", tests, NULL, NULL);
}
