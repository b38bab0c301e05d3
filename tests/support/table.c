/* SPDX-License-Identifier: MIT */
/* Words and lines of NumPy's tables. A word is written least byte first, as every machine that Fusor runs on has
 * them. */
#include "tests/support/table.h"
#include "tests/support/subject.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 1 << 14 };

int table_rows(const char *path, void (*row)(char *line, int number, void *user), void *user) {
    char *line = malloc(LINE);
    FILE *file = fopen(path, "r");
    int number = 0;
    assert_non_null(line);
    assert_non_null(file);
    while (fgets(line, LINE, file)) {
        assert_non_null(strchr(line, '\n'));
        row(line, ++number, user);
    }
    fclose(file);
    free(line);
    return number;
}

int64_t table_words(char **at, int base, size_t size, int64_t most, void *out) {
    int64_t n = 0;
    for (*at = strchr(*at, ':') + 1; *at += strspn(*at, " "), **at && **at != ':' && **at != '\n'; n++) {
        assert_true(n < most);
        const uint64_t word = strtoull(*at, at, base);
        memcpy((char *)out + (size_t)n * size, &word, size);
    }
    return n;
}

int64_t table_shape(char **at, int *ndim, int64_t *shape) {
    int64_t n = 1;
    for (*ndim = 0; **at != ' ' && **at != ':'; *at += **at == ',') {
        assert_true(*ndim < FSR_MAX_DIMS);
        shape[*ndim] = strtoll(*at, at, 10);
        n *= shape[(*ndim)++];
    }
    return n;
}

uint64_t table_word(const void *data, int64_t i, size_t size) {
    uint64_t word = 0;
    memcpy(&word, (const char *)data + (size_t)i * size, size);
    return word;
}

bool table_is_nan(fsr_dtype dtype, uint64_t bits) {
    const int digits = dtype == FSR_F16 ? 10 : dtype == FSR_BF16 ? 7 : dtype == FSR_F32 ? 23 : 52;
    const int size = 8 * (int)fsr_dtype_size(dtype);
    const uint64_t top = UINT64_C(1) << (size - 1), infinity = (top - 1) >> digits << digits;
    return dtype >= FSR_F16 && (bits & (top - 1)) > infinity;
}
