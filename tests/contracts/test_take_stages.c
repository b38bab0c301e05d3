/* SPDX-License-Identifier: MIT */
/* Elements at computed indices in loops that fall into stages on a CPU: what is the same for a row, what a stage takes
 * from another one, and what is asked for before it is loaded. The kernels are compiled: what is wrong here is mostly C
 * that no compiler takes. */
#include "tests/support/subject.h"
#include <stdlib.h>

#define G subject_g

/* An index outside is told of a loop that falls into stages, of which none reads the index. */
static void reports_beside_stages(void **state) {
    (void)state;
    enum { N = 700 };
    const float one = 3;
    for (int32_t at = 0; at < 6; at += 5) {
        fsr_node x = fsr_from_host(G, FSR_F32, 1, SHAPE(1), &one), i = fsr_from_host(G, FSR_I32, 0, NULL, &at);
        fsr_node base = fsr_mod(fsr_arange(G, FSR_I32, N), fsr_int(G, 4)), y = fsr_cast(fsr_pow(base, base), FSR_F32);
        fsr_node same = fsr_sub(fsr_mul(y, y), fsr_mul(y, fsr_sub(y, fsr_int(G, 1))));
        fsr_node out = fsr_add(same, fsr_take_at(fsr_here("one.c", 7), x, i, 0, FSR_INDEX_RAISE));
        static const float want[] = {4, 4, 7, 30};
        static float got[N];
        OK(fsr_force(base));
        if (at)
            subject_error(subject_ctx, fsr_read(out, got, sizeof got), FSR_ERR_INDEX,
                          "index 5 is out of bounds|one.c:7");
        OK(fsr_read(out, got, sizeof got));
        for (int k = 0; k < N; k++)
            assert_true(got[k] == want[k % 4]);
    }
}

/* Rows at places that are elements of an array put together of parts: a place is read before the row's loop. */
static void rows_at_rolled_places(void **state) {
    (void)state;
    const float data[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const float places[] = {2, 0, 1, -1, 1, 0, 2, -3, 0};
    fsr_node x = fsr_from_host(G, FSR_F32, 2, SHAPE(3, 5), data),
             where = fsr_from_host(G, FSR_F32, 3, SHAPE(3, 1, 3), places);
    fsr_node i = fsr_cast(fsr_roll(where, &(int64_t){-2}, NULL, 1), FSR_I32), y = fsr_take(x, i, 0, FSR_INDEX_RAISE);
    float got[9][5];
    OK(fsr_read(y, got, sizeof got));
    for (int p = 0; p < 9; p++)
        for (int j = 0; j < 5; j++) {
            const int row = (int)places[(p + 2) % 9];
            assert_true(got[p][j] == data[(row < 0 ? row + 3 : row) * 5 + j]);
        }
}

/* Rows at places that are joined of two arrays, in a loop that divides integers in a stage of its own: the places are
 * known to it. */
static void rows_at_joined_places(void **state) {
    (void)state;
    enum { ROWS = 7, FIRST = 40, ALL = 100, COLUMNS = 64 };
    static int32_t data[ROWS * COLUMNS], got[ALL * COLUMNS];
    for (int mode = 0; mode <= FSR_INDEX_WRAP; mode++) {
        int64_t place[ALL];
        for (int i = 0; i < ALL; i++)
            place[i] = (i * 5 + mode) % ROWS;
        for (int i = 0; i < ROWS * COLUMNS; i++)
            data[i] = i * 37 + 11;
        fsr_node x = fsr_from_host(G, FSR_I32, 2, SHAPE(ROWS, COLUMNS), data);
        fsr_node i = fsr_concat((fsr_node[]){fsr_from_host(G, FSR_I64, 1, SHAPE(FIRST), place),
                                             fsr_from_host(G, FSR_I64, 1, SHAPE(ALL - FIRST), place + FIRST)},
                                2, 0);
        fsr_node by = fsr_add(fsr_arange(G, FSR_I32, COLUMNS), fsr_int(G, 3));
        fsr_node rest = fsr_mod(fsr_take(x, i, 0, (fsr_index_mode)mode), by), twice = fsr_mul(by, by);
        OK(fsr_read(fsr_add(rest, fsr_mul(twice, fsr_mul(twice, twice))), got, sizeof got));
        for (int r = 0; r < ALL; r++)
            for (int c = 0; c < COLUMNS; c++) {
                const uint32_t square = (uint32_t)((c + 3) * (c + 3));
                const int32_t want = data[place[r] * COLUMNS + c] % (c + 3) + (int32_t)(square * square * square);
                assert_int_equal(got[r * COLUMNS + c], want);
            }
    }
}

/* Gathers of gathers from arrays that no near cache holds, folded in lanes: each stage asks for its own elements. */
static void far_places_of_far_places(void **state) {
    (void)state;
    enum { N = 1 << 22, TAKEN = 5000 };
    int64_t *at = malloc(sizeof *at * TAKEN), want = 0, sum;
    fsr_node i = fsr_arange(G, FSR_I64, N), last = fsr_int(G, N - 1);
    fsr_node hop = fsr_bitwise_and(fsr_add(fsr_mul(i, fsr_int(G, 1664525)), fsr_int(G, 7)), last);
    fsr_node x = fsr_bitwise_xor(i, fsr_int(G, 1234567));
    OK(fsr_compute((fsr_node[]){hop, x}, 2));
    for (int64_t k = 0; k < TAKEN; k++) {
        at[k] = k * 2654435761 & (N - 1);
        const int64_t y = ((at[k] * 1664525 + 7) & (N - 1)) ^ 1234567;
        want += y * y % 1000;
    }
    fsr_node first = fsr_take(hop, fsr_from_host(G, FSR_I64, 1, SHAPE(TAKEN), at), 0, FSR_INDEX_RAISE);
    fsr_node y = fsr_take(x, first, 0, FSR_INDEX_CLIP);
    OK(fsr_read(fsr_sum(fsr_mod(fsr_mul(y, y), fsr_int(G, 1000)), NULL, 0, 0), &sum, sizeof sum));
    assert_int_equal(sum, want);
    free(at);
}

/* What is loaded at computed places, of a table, of the element's own column and of its own row, and summed over the
 * few columns of a row, with what the row has: the indices lie beside each other, whoever the row is. */
static void few_in_a_row(void **state) {
    (void)state;
    enum { ROWS = 3001, MOST = 12, TABLE = 97 };
    static int32_t at[ROWS * MOST], got[ROWS];
    for (int columns = 3; columns <= MOST; columns += 3)
        for (int way = 0; way < 3; way++) {
            const int count = way == 0 ? TABLE : way == 1 ? ROWS : columns;
            for (int i = 0; i < ROWS * columns; i++)
                at[i] = i % 89 * 7919 % count - (i % 5 ? 0 : count);
            fsr_node i = fsr_from_host(G, FSR_I32, 2, SHAPE(ROWS, columns), at), flat = fsr_mul(i, i);
            fsr_node table = fsr_mul(fsr_arange(G, FSR_I32, TABLE), fsr_int(G, 3));
            fsr_node x = fsr_reshape(fsr_arange(G, FSR_I32, ROWS * columns), 2, SHAPE(ROWS, columns));
            fsr_node y =
                way ? fsr_take_along_axis(x, i, way - 1, FSR_INDEX_RAISE) : fsr_take(table, i, 0, FSR_INDEX_RAISE);
            fsr_node row = fsr_reshape(fsr_arange(G, FSR_I32, ROWS), 2, SHAPE(ROWS, 1));
            fsr_node z = fsr_mul(fsr_add(y, row), fsr_add(flat, fsr_mul(flat, flat)));
            OK(fsr_force(x));
            OK(fsr_read(fsr_sum_as(z, FSR_I32, AXES(1), 1, 0), got, sizeof got));
            for (int r = 0; r < ROWS; r++) {
                uint32_t want = 0;
                for (int c = 0; c < columns; c++) {
                    const int own = at[r * columns + c], place = own < 0 ? own + count : own;
                    const int32_t taken = way == 0 ? 3 * place : way == 1 ? place * columns + c : r * columns + place;
                    const uint32_t square = (uint32_t)own * (uint32_t)own;
                    want += (uint32_t)(taken + r) * (square + square * square);
                }
                assert_int_equal((uint32_t)got[r], want);
            }
        }
}

/* One of them lies outside. */
static void few_in_a_row_outside(void **state) {
    (void)state;
    enum { ROWS = 500, COLUMNS = 4 };
    static float at[ROWS * COLUMNS], got[ROWS];
    at[ROWS * COLUMNS - 3] = 7;
    fsr_node i = fsr_cast(fsr_mul(fsr_from_host(G, FSR_F32, 2, SHAPE(ROWS, COLUMNS), at), fsr_int(G, 2)), FSR_I32);
    fsr_node x = fsr_add(fsr_arange(G, FSR_F32, 9), fsr_float(G, 1));
    OK(fsr_force(x));
    fsr_node out = fsr_sum(fsr_take_at(fsr_here("few.c", 3), x, i, 0, FSR_INDEX_RAISE), AXES(1), 1, 0);
    subject_error(subject_ctx, fsr_read(out, got, sizeof got), FSR_ERR_INDEX, "index 14 is out of bounds|few.c:3");
    OK(fsr_read(out, got, sizeof got));
    for (int r = 0; r < ROWS; r++)
        assert_true(got[r] == (r == ROWS - 1 ? 12 : 4));
}

int main(void) {
    const struct CMUnitTest tests[] = {SUBJECT_TEST(reports_beside_stages), SUBJECT_TEST(rows_at_rolled_places),
                                       SUBJECT_TEST(rows_at_joined_places), SUBJECT_TEST(far_places_of_far_places),
                                       SUBJECT_TEST(few_in_a_row),          SUBJECT_TEST(few_in_a_row_outside)};
    return subject_main(SUBJECT_BACKEND, tests, COUNT_OF(tests));
}
