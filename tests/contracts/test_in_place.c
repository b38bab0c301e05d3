/* SPDX-License-Identifier: MIT */
/* Slice assignment in place: right values whatever overlaps, nothing changed that somebody holds, and no more bytes
 * moved than the section's. */
#include "tests/support/subject.h"
#include <stdlib.h>
#include <string.h>

enum { ROWS = 400, COLS = 150, N = ROWS * COLS };
static fsr_node x;
static float data[N];

static int setup(void **state) {
    if (subject_setup(state))
        return 1;
    for (int i = 0; i < N; ++i)
        data[i] = (float)(i % 1009) - 500;
    x = fsr_from_host(subject_g, FSR_F32, 2, SHAPE(ROWS, COLS), data);
    return fsr_node_status(x) != FSR_OK;
}

static fsr_node number(double value) {
    return fsr_float(subject_g, value);
}

/* -x, in memory, where nobody but the user of the handle needs it. */
static fsr_node temporary(void) {
    return fsr_hint_set(fsr_neg(x), FSR_HINT_MATERIALIZE);
}

static fsr_node block(fsr_node a, int64_t row, int64_t rows, int64_t col, int64_t cols) {
    return fsr_slice(fsr_slice(a, 0, row, row + rows, 1), 1, col, col + cols, 1);
}

/* The plan moves no more bytes, or at least takes no more time than so many in so many kernels would. A CPU's launches
 * are free for that. On a GPU one takes as long as moving 8 MB, more than there is of most arrays here: there a pass
 * over the whole is the better plan, where the values that are assigned would need a kernel of their own. */
static void expect_at_most(fsr_node out, int64_t bytes, int kernels) {
    const int64_t launch = SUBJECT_BACKEND == FSR_BACKEND_CUDA ? 8 << 20 : 0;
    fsr_plan_info info;
    OK(fsr_query(&out, 1, &info));
    if (info.bytes_moved + info.kernels * launch > bytes + kernels * launch)
        fail_msg("%lld bytes in %d kernels, more than %lld in %d", (long long)info.bytes_moved, info.kernels,
                 (long long)bytes, kernels);
}

/* Computes the outputs and compares them with the reference; x is as it was. */
static void expect(const fsr_node *outs, int n, const char *what) {
    subject_verify(outs, n, NULL, "%s", what);
    float *now = subject_read(x);
    assert_memory_equal(now, data, sizeof data);
    free(now);
}

/* Every way in which what is assigned can lie to where it goes. */
static void overlaps(void **state) {
    (void)state;
    static const int64_t from[][2] = {{10, 20}, {11, 20}, {9, 20},  {10, 21}, {10, 19}, {11, 21},
                                      {14, 20}, {13, 20}, {10, 27}, {10, 26}, {0, 0},   {390, 140}};
    for (int i = 0; i < COUNT_OF(from); ++i) {
        fsr_node t = temporary(), to = block(t, 10, 4, 20, 7), y = block(t, from[i][0], 4, from[i][1], 7);
        fsr_node outs[] = {fsr_update(t, to, y), fsr_update(t, to, fsr_mul(y, to)), fsr_update(t, to, fsr_flip(y, 1)),
                           fsr_update(t, fsr_flip(to, 0), fsr_add(y, number(1)))};
        for (int j = 0; j < COUNT_OF(outs); ++j) {
            expect_at_most(outs[j], (2 * N + 8 * 28) * 4, 3); /* of t, of what is assigned, of the section */
            expect(&outs[j], 1, "an overlap");
        }
    }
}

/* Large enough that the values are stored first on a GPU, too. */
static void overlaps_in_a_large_array(void **state) {
    (void)state;
    enum { LARGE = 1200 * 1024, PART = 4 * 7 };
    fsr_node lines = fsr_reshape(fsr_arange(subject_g, FSR_F32, LARGE), 2, SHAPE(1200, 1024));
    for (int i = 0; i < 2; i++) {
        fsr_node t = fsr_hint_set(fsr_neg(lines), FSR_HINT_MATERIALIZE), to = block(t, 10, 4, 20, 7);
        fsr_node out = fsr_update(t, to, i ? fsr_flip(to, 0) : fsr_mul(block(t, 11, 4, 19, 7), to));
        fsr_plan_info info;
        OK(fsr_query(&out, 1, &info));
        assert_true(info.bytes_moved <= (LARGE + 8 * PART) * 4);
        expect(&out, 1, "an overlap in a large array");
    }
}

static void steps_and_directions(void **state) {
    (void)state;
    fsr_node t = temporary(), even = fsr_slice(t, 1, 0, COLS, 2), odd = fsr_slice(t, 1, 1, COLS, 2);
    fsr_node back = fsr_slice(t, 0, -1, 100, -3), turned = fsr_transpose(block(t, 3, 50, 4, 50), NULL);
    fsr_node outs[] = {fsr_update(t, even, odd),
                       fsr_update(t, even, fsr_neg(even)),
                       fsr_update(t, even, number(3)),
                       fsr_update(t, back, number(2)),
                       fsr_update(t, back, fsr_flip(back, 0)),
                       fsr_update(t, turned, block(t, 3, 50, 4, 50)),
                       fsr_update(t, turned, fsr_exp(turned))};
    for (int i = 0; i < COUNT_OF(outs); ++i)
        expect(&outs[i], 1, "a step or a direction");
}

/* Other outputs read the array before, or are it. */
static void others_read_it(void **state) {
    (void)state;
    fsr_node t = temporary(), u = fsr_update(t, block(t, 5, 1, 0, COLS), number(7));
    fsr_node before[] = {u, fsr_sum(t, AXES(0), 1, 0), fsr_cumsum(t, AXES(1), 1, 0)};
    expect(before, 3, "sums of the array before the assignment");
    fsr_node s = temporary(), v = fsr_update(s, block(s, 5, 1, 0, COLS), number(7));
    fsr_node both[] = {v, s, fsr_update(s, block(s, 6, 1, 0, COLS), number(8)), fsr_flip(s, 0)};
    expect(both, 4, "the array itself, and two assignments to it");
}

/* A leaf has a handle: it is copied, and stays. */
static void leaves_are_never_written(void **state) {
    (void)state;
    fsr_node u = fsr_update(x, block(x, 5, 1, 0, COLS), number(7));
    expect(&u, 1, "an assignment to a leaf");
}

/* Two hundred rows, each of what another one holds then: a copy, and then little more than the rows. */
static void many_rows(void **state) {
    (void)state;
    enum { UPDATES = 200, WIDE = 4 * COLS };
    fsr_node a = fsr_tile(x, 2, SHAPE(1, 4)), y = fsr_arange(subject_g, FSR_F32, WIDE);
    OK(fsr_force(a));
    for (int i = 0; i < UPDATES; ++i) {
        fsr_node row = block(a, 2 * i, 1, 0, WIDE), last = block(a, 2 * i + 1, 1, 0, WIDE);
        a = fsr_update(a, row, fsr_sub(y, last));
    }
    expect_at_most(a, 5 * ROWS * WIDE * 4, UPDATES);
    expect(&a, 1, "two hundred rows");
}

/* Each row from the one before. */
static void a_recurrence(void **state) {
    (void)state;
    fsr_node a = temporary();
    for (int i = 1; i < 40; ++i)
        a = fsr_update(a, block(a, i, 1, 0, COLS), fsr_add(block(a, i - 1, 1, 0, COLS), block(a, i, 1, 0, COLS)));
    expect(&a, 1, "a recurrence of rows");
}

static void every_width(void **state) {
    (void)state;
    static const fsr_dtype dtypes[] = {FSR_BOOL, FSR_U8, FSR_F16, FSR_BF16, FSR_I32, FSR_F64, FSR_C64, FSR_C128};
    fsr_node outs[COUNT_OF(dtypes)];
    for (int i = 0; i < COUNT_OF(dtypes); ++i) {
        fsr_node t = fsr_hint_set(fsr_cast(x, dtypes[i]), FSR_HINT_MATERIALIZE), to = block(t, 3, 100, 1, 99);
        outs[i] = fsr_update(t, to, fsr_flip(to, 1));
    }
    expect(outs, COUNT_OF(outs), "every width");
}

static fsr_node start(int64_t at) {
    return fsr_from_host(subject_g, FSR_I64, 0, NULL, &at);
}

/* At starts that are known when the kernel runs, also such as are moved inside; of what is assigned some lies in the
 * array itself, at the same start, at another one, or further along. Rows of a row function have a start each. */
static void starts(void **state) {
    (void)state;
    static const int64_t at[][2] = {{0, 0}, {10, 20}, {-5, 60}, {396, 143}, {INT64_MAX, INT64_MIN}, {200, 149}};
    const int64_t shape[] = {4, 7};
    for (int i = 0; i < COUNT_OF(at); ++i) {
        fsr_node t = temporary(), from[] = {start(at[i][0]), start(at[i][1])}, other[] = {start(11), start(at[i][1])};
        fsr_node here = fsr_dynamic_slice(t, from, shape), there = fsr_dynamic_slice(t, other, shape);
        fsr_node outs[] = {fsr_dynamic_update(t, block(x, 1, 4, 2, 7), from),
                           fsr_dynamic_update(t, fsr_mul(here, number(3)), from), fsr_dynamic_update(t, there, from),
                           fsr_dynamic_update(t, fsr_flip(here, 1), from),
                           fsr_dynamic_update(t, fsr_add(here, there), from)};
        for (int j = 0; j < COUNT_OF(outs); ++j) {
            expect_at_most(outs[j], (2 * N + 8 * 28) * 4 + 32, 3);
            expect(&outs[j], 1, "a start");
        }
        fsr_node a = fsr_dynamic_update(outs[1], block(x, 7, 4, 8, 7), other);
        expect((fsr_node[]){fsr_dynamic_update(a, fsr_neg(fsr_dynamic_slice(a, from, shape)), from)}, 1,
               "three starts");
    }
}

static void update_row(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    out[0] = fsr_dynamic_update(in[0], fsr_neg(fsr_dynamic_slice(in[0], &in[1], (int64_t[]){9})), &in[1]);
}

static void starts_of_rows(void **state) {
    (void)state;
    int64_t each[ROWS];
    fsr_node out;
    for (int i = 0; i < ROWS; i++)
        each[i] = i * 7 % 160 - 5;
    fsr_node in[] = {temporary(), fsr_from_host(subject_g, FSR_I64, 1, SHAPE(ROWS), each)};
    fsr_vectorize(&out, 1, in, 2, "(n),()->(n)", update_row, NULL);
    expect(&out, 1, "a start for each row");
}

/* More arrays than a kernel reads: each is read once, each element written once, in a kernel for each 32. */
static void many_joined(void **state) {
    (void)state;
    enum { PIECES = 80, LENGTH = 12000 };
    fsr_node piece[PIECES], out[4];
    fsr_plan_info info;
    for (int i = 0; i < PIECES; ++i)
        piece[i] = fsr_from_host(subject_g, FSR_F32, 2, SHAPE(4 + i % 2, LENGTH / (4 + i % 2)), data + i * 31);
    for (int i = 1; i < PIECES; i += 2)
        piece[i] = fsr_reshape(piece[i], 2, SHAPE(4, LENGTH / 4));
    out[0] = fsr_concat(piece, PIECES, 0);
    out[1] = fsr_concat(piece, PIECES, 1);
    out[2] = fsr_stack(piece, PIECES, 1);
    out[3] = fsr_exp(fsr_concat(piece, PIECES, 0));
    for (int i = 0; i < COUNT_OF(out); ++i) {
        OK(fsr_query(&out[i], 1, &info));
        if (i < 3)
            assert_int_equal(info.bytes_moved, 2 * PIECES * LENGTH * 4);
        assert_in_range(info.kernels, 3, 14);
        expect(&out[i], 1, "many arrays joined");
    }
}

/* Nearly filled: what no array is assigned to stays; and what was there before the last one is asked for too. */
static void many_assigned(void **state) {
    (void)state;
    enum { PIECES = 80, LENGTH = 100 };
    fsr_node piece[PIECES], before = x;
    for (int i = 0; i < PIECES; ++i)
        piece[i] = fsr_from_host(subject_g, FSR_F32, 1, SHAPE(LENGTH), data + i * 31);
    for (int hole = -1; hole < 3; ++hole) {
        fsr_node whole = fsr_full(subject_g, FSR_F32, 1, SHAPE(PIECES * LENGTH), 7);
        for (int i = 0; i < PIECES; ++i) {
            fsr_node to = fsr_slice(whole, 0, i * LENGTH + (hole == i), (i + 1) * LENGTH, 1);
            before = i == PIECES / 2 ? whole : before;
            whole = fsr_update(whole, to, fsr_slice(piece[i], 0, hole == i, LENGTH, 1));
        }
        expect(&whole, 1, "many assigned");
        expect((fsr_node[]){whole, before}, 2, "many assigned, and one before");
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, subject_teardown)
static const struct CMUnitTest tests[] = {
    TEST(overlaps),
    TEST(overlaps_in_a_large_array),
    TEST(steps_and_directions),
    TEST(others_read_it),
    TEST(leaves_are_never_written),
    TEST(many_rows),
    TEST(a_recurrence),
    TEST(every_width),
    TEST(starts),
    TEST(starts_of_rows),
    TEST(many_joined),
    TEST(many_assigned),
};
SUBJECT_MAIN(tests)
