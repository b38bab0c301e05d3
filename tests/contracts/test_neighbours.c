/* SPDX-License-Identifier: MIT */
/* Elements at computed places that lie side by side, or are one element again and again, or nearly: by indices that
 * go on, that clip at either end, that jump after 15 to 17 elements, that have one wrong element in the midst. On a
 * CPU a stage of gathers takes such pieces at once, and whoever looks at a piece's ends alone is wrong here. */
#include "tests/support/subject.h"
#include <stdlib.h>

#define G subject_g

enum { TABLE = 3000, PATTERNS = 9 };

/* Index k of n into a table of TABLE elements. */
static int64_t place(int pattern, int64_t k, int64_t n) {
    const int64_t run = 15 + k / 50 % 3, spread = k * 2654435761 >> 5 & 2047;
    const int64_t by_pattern[PATTERNS] = {k % TABLE,                          /* goes on */
                                          k + 40 - n > 0 ? n - 1 - n / 7 : k, /* and stays at the end */
                                          k < n / 3 ? 0 : k - n / 3,          /* stays at the beginning */
                                          k / run * 7 % 2000 + k % run,       /* jumps */
                                          5,                                  /* one element */
                                          n - 1 - k,                          /* goes back */
                                          spread,                             /* anywhere */
                                          k % 16 == 7 ? (k + 3) % TABLE
                                                      : k % TABLE,             /* wrong in the midst of each piece */
                                          k % 16 == 7 || k % 16 == 8 ? 9 : 5}; /* the same, of one element */
    return (by_pattern[pattern] % TABLE + TABLE) % TABLE;
}

static fsr_node places(int pattern, int64_t n, fsr_dtype dtype, int64_t below) {
    int64_t *at = malloc(sizeof *at * (size_t)(n + 1));
    for (int64_t k = 0; k < n; k++)
        at[k] = place(pattern, k, n) % below;
    fsr_node x = fsr_cast(fsr_from_host(G, FSR_I64, 1, &n, at), dtype);
    free(at);
    return x;
}

static const int64_t sizes[] = {1, 15, 16, 17, 33, 511, 513, 2100};

static void of_one_dimension(void **state) {
    (void)state;
    static const fsr_dtype dtype[] = {FSR_F32, FSR_F64, FSR_U8, FSR_C64};
    for (int s = 0; s < COUNT_OF(sizes); s++)
        for (int pattern = 0; pattern < PATTERNS; pattern++) {
            const fsr_node x = subject_data(dtype[(s + pattern) % 4], 1, SHAPE(TABLE), SUBJECT_SMALL, 0);
            const fsr_node y = subject_data(FSR_F32, 1, SHAPE(TABLE), SUBJECT_SMALL, 0);
            const fsr_node i = places(pattern, sizes[s], pattern % 2 ? FSR_I32 : FSR_I64, TABLE);
            const fsr_node on = fsr_add(i, fsr_int(G, 1));
            const fsr_node out[] = {fsr_take(x, i, 0, FSR_INDEX_RAISE),
                                    fsr_add(fsr_take(y, i, 0, FSR_INDEX_CLIP), fsr_take(y, on, 0, FSR_INDEX_CLIP)),
                                    fsr_cumsum(fsr_take(y, i, 0, FSR_INDEX_RAISE), AXES(0), 1, 0)};
            for (int k = 0; k < COUNT_OF(out); k++)
                subject_verify(&out[k], 1, NULL, "pattern %d of %d, %d", pattern, (int)sizes[s], k);
        }
}

/* Rows at places beside columns at places, down a block of columns and along rows. */
static void of_two_dimensions(void **state) {
    (void)state;
    enum { ROWS = 37, COLUMNS = 150 };
    for (int pattern = 0; pattern < PATTERNS; pattern++) {
        const fsr_node x = subject_data(FSR_F32, 2, SHAPE(ROWS, COLUMNS), SUBJECT_SMALL, 0);
        const fsr_node column = places(pattern, COLUMNS, FSR_I32, COLUMNS);
        const fsr_node row = fsr_reshape(places(pattern, ROWS, FSR_I32, ROWS), 2, SHAPE(ROWS, 1));
        const fsr_node both[] = {row, column}, one = fsr_broadcast_to(row, 2, SHAPE(ROWS, COLUMNS));
        const fsr_node at[] = {fsr_minimum(fsr_add(row, column), fsr_int(G, ROWS - 1)),
                               fsr_minimum(fsr_add(row, column), fsr_int(G, COLUMNS - 1))};
        const fsr_node out[] = {
            fsr_max(fsr_index(x, both, 2, FSR_INDEX_RAISE), AXES(0), 1, 0),
            fsr_max(fsr_add(x, fsr_index(x, at, 2, FSR_INDEX_CLIP)), AXES(0), 1, 0),
            fsr_sum(fsr_exp(fsr_index(x, at, 2, FSR_INDEX_RAISE)), AXES(1), 1, 0),
            fsr_take_along_axis(x, fsr_minimum(fsr_add(one, fsr_int(G, 1)), fsr_int(G, ROWS - 1)), 0, FSR_INDEX_CLIP)};
        for (int k = 0; k < COUNT_OF(out); k++)
            subject_verify(&out[k], 1, NULL, "pattern %d, %d", pattern, k);
    }
}

/* The one index outside is told, wherever it stands in its piece. */
static void outside(void **state) {
    (void)state;
    enum { N = 100 };
    const fsr_node x = subject_data(FSR_F32, 1, SHAPE(N), SUBJECT_SMALL, 0);
    for (int wrong = 0; wrong < 40; wrong += 3) {
        int32_t at[N];
        float got[N];
        for (int k = 0; k < N; k++)
            at[k] = k == wrong ? 1000 + k : k;
        fsr_node y = fsr_take(x, fsr_from_host(G, FSR_I32, 1, SHAPE(N), at), 0, FSR_INDEX_RAISE);
        subject_error(subject_ctx, fsr_read(y, got, sizeof got), FSR_ERR_INDEX, "out of bounds");
    }
}

/* The same of short rows, whose places are computed some rows before they are loaded: of the first rows, which nobody
 * asks for, of others, and of the last ones. */
static void outside_of_rows(void **state) {
    (void)state;
    enum { ROWS = 50, COLUMNS = 6, FAR = 220000, MARKED = 7 };
    static const int wrong[] = {0, 4, 130, ROWS * COLUMNS - 1};
    const fsr_node x = subject_data(FSR_F32, 2, SHAPE(FAR, COLUMNS), SUBJECT_SMALL, 0);
    for (int w = 0; w < COUNT_OF(wrong); w++) {
        int32_t at[ROWS * COLUMNS];
        float got[ROWS * COLUMNS];
        for (int k = 0; k < ROWS * COLUMNS; k++)
            at[k] = k == wrong[w] ? FAR + MARKED : k * 719;
        fsr_node i = fsr_from_host(G, FSR_I32, 2, SHAPE(ROWS, COLUMNS), at);
        fsr_node y = fsr_take_along_axis(x, i, 0, FSR_INDEX_RAISE);
        subject_error(subject_ctx, fsr_read(y, got, sizeof got), FSR_ERR_INDEX, "220007");
    }
}

static const struct CMUnitTest tests[] = {SUBJECT_TEST(of_one_dimension), SUBJECT_TEST(of_two_dimensions),
                                          SUBJECT_TEST(outside), SUBJECT_TEST(outside_of_rows)};
SUBJECT_MAIN(tests)
