/* SPDX-License-Identifier: MIT */
/* Tables of what NumPy gave, tests/numpy/<what>.txt: a line a case, its parts set apart by colons, elements as the
 * words of their bits. */
#ifndef FUSOR_TESTS_SUPPORT_TABLE_H
#define FUSOR_TESTS_SUPPORT_TABLE_H

#include "fusor/fusor.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Calls row for each line, numbers from 1, and returns how many there are; fails the running test where there is no
 * such file or a line has no end. */
int table_rows(const char *path, void (*row)(char *line, int number, void *user), void *user);
/* Goes behind the next colon and reads the words up to the one after it or to the end, as numbers of this base, each
 * stored in its first `size` bytes side by side; returns how many, and fails the running test above `most`. */
int64_t table_words(char **at, int base, size_t size, int64_t most, void *out);
/* "2,3" at *at, up to the blank: the extents. Returns their product. */
int64_t table_shape(char **at, int *ndim, int64_t *shape);
/* Element i of an array as a word. */
uint64_t table_word(const void *data, int64_t i, size_t size);
/* Whether these are a NaN's bits in a real dtype. */
bool table_is_nan(fsr_dtype dtype, uint64_t bits);

#endif
