/* SPDX-License-Identifier: MIT */
/* The rows are what NumPy 2.2 prints; columns stand in the order of the rows. */
#include "tests/support/promoted.h"
#include <string.h>

static const struct {
    const char *name, *with;
} table[] = {
    {"bool", "bool i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64 c64 c128"},
    {"i8", "i8 i8 i16 i16 i32 i32 i64 i64 f64 f16 f32 f64 c64 c128"},
    {"u8", "u8 i16 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64 c64 c128"},
    {"i16", "i16 i16 i16 i16 i32 i32 i64 i64 f64 f32 f32 f64 c64 c128"},
    {"u16", "u16 i32 u16 i32 u16 i32 u32 i64 u64 f32 f32 f64 c64 c128"},
    {"i32", "i32 i32 i32 i32 i32 i32 i64 i64 f64 f64 f64 f64 c128 c128"},
    {"u32", "u32 i64 u32 i64 u32 i64 u32 i64 u64 f64 f64 f64 c128 c128"},
    {"i64", "i64 i64 i64 i64 i64 i64 i64 i64 f64 f64 f64 f64 c128 c128"},
    {"u64", "u64 f64 u64 f64 u64 f64 u64 f64 u64 f64 f64 f64 c128 c128"},
    {"f16", "f16 f16 f16 f32 f32 f64 f64 f64 f64 f16 f32 f64 c64 c128"},
    {"f32", "f32 f32 f32 f32 f32 f64 f64 f64 f64 f32 f32 f64 c64 c128"},
    {"f64", "f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 c128 c128"},
    {"c64", "c64 c64 c64 c64 c64 c128 c128 c128 c128 c64 c64 c128 c64 c128"},
    {"c128", "c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128"},
};

enum { ROWS = sizeof table / sizeof table[0] };

static int row_of(const char *name) {
    for (int i = 0; i < ROWS; i++)
        if (!strcmp(table[i].name, name))
            return i;
    return -1;
}

static fsr_dtype dtype_of(const char *word) {
    size_t size = strcspn(word, " ");
    for (int d = 0; d < FSR_DTYPE_COUNT; d++) {
        const char *name = fsr_dtype_name((fsr_dtype)d);
        if (strlen(name) == size && !memcmp(name, word, size))
            return (fsr_dtype)d;
    }
    return FSR_DTYPE_COUNT;
}

fsr_dtype promoted_by_numpy(fsr_dtype a, fsr_dtype b) {
    int row = row_of(fsr_dtype_name(a)), column = row_of(fsr_dtype_name(b));
    if (row < 0 || column < 0)
        return FSR_DTYPE_COUNT;
    const char *word = table[row].with;
    while (column-- > 0)
        word += strcspn(word, " ") + 1;
    return dtype_of(word);
}
