/* SPDX-License-Identifier: MIT */
/* Slice assignment in place: where the array dies the section alone is written, and read; where it does not, or where
 * what is assigned reads it elsewhere, the whole array is copied as it always was. */
#include "tests/structure/plans.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 4096, COLS = 1024, ROW = COLS * 4, N = ROWS * ROW };

static fsr_graph_owner *owner;
static fsr_graph *g;
static fsr_node x, y;

static int setup(void **state) {
    (void)state;
    g = node_graph(&owner);
    x = plan_matrix(g, ROWS, COLS);
    y = plan_matrix(g, ROWS, COLS);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    fsr_graph_owner_free(owner);
    return 0;
}

static fsr_node rows(fsr_node a, int64_t from, int64_t to) {
    return fsr_slice(a, 0, from, to, 1);
}

/* A value that is in memory and that nobody needs but who is given it. */
static fsr_node temporary(void) {
    return fsr_hint_set(fsr_exp(x), FSR_HINT_MATERIALIZE);
}

/* Where the values between kernels end in the arena: flags of look-backs lie behind them. */
static int64_t values_end(const fsr_program *p) {
    int64_t end = 0;
    for (int t = 0; t < p->ntemporaries; t++) {
        const int64_t at = p->temporary[t].offset + (p->temporary[t].bytes + 255) / 256 * 256;
        end = p->temporary[t].link.id >= 0 && at > end ? at : end;
    }
    return end;
}

static int64_t in_place_thunks(const fsr_program *p, int64_t *bytes) {
    int n = 0;
    for (int i = 0; i < p->nthunks; i++)
        if (p->thunk[i].in_place) {
            *bytes += p->thunk[i].bytes_moved;
            n++;
        }
    return n;
}

/* So many kernels that write sections, which move so many bytes; no memory beside the outputs but `arena`. */
static void check_outs(const fsr_node *outs, int n, int thunks, int64_t bytes, int64_t arena) {
    const fsr_target *targets[] = {&target_gpu, &target_cpu};
    for (int i = 0; i < 2; i++) {
        fsr_program p = plan_of(targets[i], outs, n);
        int64_t moved = 0;
        bool good = in_place_thunks(&p, &moved) == thunks && moved == bytes && values_end(&p) == arena;
        good = good && (!thunks || strstr(p.explanation, "in place: only the section"));
        if (!good)
            print_error("%d thunks, %lld bytes, an arena of %lld wanted, not %lld bytes and %lld\n%s\n", thunks,
                        (long long)bytes, (long long)arena, (long long)moved, (long long)values_end(&p), p.explanation);
        fsr_program_clear(&p);
        assert_true(good);
    }
}

static void check(fsr_node out, int thunks, int64_t bytes, int64_t arena) {
    check_outs(&out, 1, thunks, bytes, arena);
}

/* The temporary lies in the output from the start. */
static void of_a_temporary(void **state) {
    (void)state;
    fsr_node t = temporary();
    check(fsr_update(t, rows(t, 7, 8), fsr_float(g, 2)), 1, ROW, 0);
    check(fsr_update(t, rows(t, 7, 8), rows(y, 0, 1)), 1, 2 * ROW, 0);
    check(fsr_update(t, fsr_slice(t, 1, 3, 4, 1), fsr_float(g, 2)), 1, ROWS * 4, 0);
    check(fsr_update(t, fsr_slice(fsr_transpose(t, NULL), 0, 8, 0, -2), fsr_float(g, 2)), 1, 4 * ROWS * 4, 0);
    check(fsr_update(t, rows(t, 0, ROWS - 1), rows(y, 1, ROWS)), 1, 2 * (N - ROW), 0);
}

/* The places of a filter, then some of them overwritten, then a sum. */
static void in_the_middle(void **state) {
    (void)state;
    fsr_node v = plan_vector(g, N / 4), f = fsr_filter(v, fsr_greater(v, fsr_float(g, 0)), fsr_float(g, 0));
    fsr_node u = fsr_hint_set(fsr_update(f, fsr_slice(f, 0, 10, 20, 1), fsr_float(g, 1)), FSR_HINT_MATERIALIZE);
    check(fsr_sum(u, NULL, 0, 0), 1, 40, N);
}

/* What is assigned may read the very elements, or others than those that are written. */
static void reads_of_the_array(void **state) {
    (void)state;
    fsr_node t = temporary(), row = rows(t, 5, 9), column = fsr_slice(t, 1, 3, 4, 1);
    check(fsr_update(t, row, fsr_add(row, fsr_float(g, 1))), 1, 2 * 4 * ROW, 0);
    check(fsr_update(t, row, rows(t, 9, 13)), 1, 2 * 4 * ROW, 0);
    check(fsr_update(t, row, rows(t, 0, 4)), 1, 2 * 4 * ROW, 0);
    check(fsr_update(t, column, fsr_mul(column, fsr_slice(t, 1, 4, 5, 1))), 1, 3 * ROWS * 4, 0);
    fsr_node even = fsr_slice(t, 1, 0, COLS, 2);
    check(fsr_update(t, even, fsr_slice(t, 1, 1, COLS, 2)), 1, N, 0);
}

/* Element i would be read when another thread has written it already: the values are stored first. Where that costs as
 * much as a copy of all, a copy it is. */
static void overlapping_reads(void **state) {
    (void)state;
    fsr_node t = temporary(), row = rows(t, 5, 9), most = rows(t, 0, ROWS - 1);
    int64_t four = 4 * ROW;
    check(fsr_update(t, row, rows(t, 6, 10)), 1, 2 * four, four);
    check(fsr_update(t, row, fsr_flip(row, 0)), 1, 2 * four, four);
    check(fsr_update(t, fsr_slice(t, 1, 0, 8, 1), fsr_slice(t, 1, 1, 9, 1)), 1, 2 * 32 * ROWS, 32 * ROWS);
    check(fsr_update(t, row, fsr_add(row, fsr_flip(row, 1))), 1, 2 * four, four);
    check(fsr_update(t, most, rows(t, 1, ROWS)), 0, 0, N);
}

/* Where what overlaps is stored first, a GPU has one launch more: of a small array it rather writes all. */
static void overlaps_in_a_small_array(void **state) {
    (void)state;
    fsr_node t = fsr_hint_set(fsr_exp(plan_matrix(g, 400, 150)), FSR_HINT_MATERIALIZE), row = rows(t, 5, 9);
    fsr_node u = fsr_update(t, row, fsr_flip(row, 0)), same = fsr_update(t, row, fsr_neg(row));
    fsr_program cpu = plan_of(&target_cpu, &u, 1), gpu = plan_of(&target_gpu, &u, 1),
                one = plan_of(&target_gpu, &same, 1);
    int64_t bytes = 0;
    assert_int_equal(in_place_thunks(&cpu, &bytes), 1);
    assert_int_equal(cpu.info.kernels, 3);
    assert_int_equal(in_place_thunks(&gpu, &bytes), 0);
    assert_int_equal(gpu.info.kernels, 2);
    assert_int_equal(in_place_thunks(&one, &bytes), 1);
    fsr_program_clear(&cpu);
    fsr_program_clear(&gpu);
    fsr_program_clear(&one);
}

/* A sum of the array in another kernel comes first, and so does another assignment to it, which cannot take it over as
 * well; an output stays as it is. */
static void other_readers(void **state) {
    (void)state;
    fsr_node t = temporary(), two = fsr_float(g, 2), u = fsr_update(t, rows(t, 7, 8), two);
    check_outs((fsr_node[]){u, fsr_sum(t, AXES(0), 1, 0)}, 2, 1, ROW, 0);
    check_outs((fsr_node[]){u, t}, 2, 0, 0, 0);
    check_outs((fsr_node[]){u, fsr_update(t, rows(t, 9, 10), two)}, 2, 1, ROW, 0);
    fsr_program p = plan_of(&target_cpu, (fsr_node[]){u, fsr_sum(t, AXES(0), 1, 0)}, 2);
    assert_true(fsr_program_kernel(&p, p.info.kernels - 1)->in_place);
    fsr_program_clear(&p);
    fsr_node late = fsr_hint_set(u, FSR_HINT_MATERIALIZE), sums = fsr_sum(late, AXES(1), 1, FSR_KEEPDIMS);
    check(fsr_add(sums, fsr_sum(fsr_mul(t, sums), AXES(1), 1, FSR_KEEPDIMS)), 0, 0, 2 * N);
}

/* An array that the program holds is never written. */
static void of_a_leaf(void **state) {
    (void)state;
    check(fsr_update(x, rows(x, 7, 8), fsr_float(g, 2)), 0, 0, 0);
}

/* A hundred rows one after the other: what one kernel holds of them goes with the copy, each other one is written by
 * itself. */
static void many_rows(void **state) {
    (void)state;
    enum { UPDATES = 100 };
    fsr_node a = x;
    for (int i = 0; i < UPDATES; i++)
        a = fsr_update(a, rows(a, 3 * i, 3 * i + 1), plan_vector(g, COLS));
    fsr_program p = plan_of(&target_cpu, &a, 1);
    int64_t bytes = 0;
    assert_true(in_place_thunks(&p, &bytes) >= UPDATES / 2);
    assert_true(p.info.bytes_moved <= 2 * N + 2 * UPDATES * ROW);
    assert_int_equal(values_end(&p), 0);
    fsr_program_clear(&p);
    fsr_node small = plan_vector(g, 200);
    for (int i = 0; i < UPDATES; i++)
        small = fsr_update(small, fsr_slice(small, 0, i, i + 1, 1), plan_vector(g, 1));
    p = plan_of(&target_gpu, &small, 1);
    assert_int_equal(in_place_thunks(&p, &bytes), 0);
    fsr_program_clear(&p);
}

/* Each row from the one before: right only if every thunk sees the last one's. */
static void a_recurrence(void **state) {
    (void)state;
    fsr_node a = temporary();
    for (int i = 1; i < 4; i++)
        a = fsr_update(a, rows(a, i, i + 1), fsr_mul(rows(a, i - 1, i), rows(a, i, i + 1)));
    check(a, 3, 3 * 3 * ROW, 0);
}

/* A later thunk needs what an earlier one has overwritten. */
static void an_older_value(void **state) {
    (void)state;
    fsr_node t = temporary(), a = fsr_update(t, rows(t, 1, 2), rows(y, 0, 1));
    check(fsr_update(a, rows(a, 2, 3), rows(t, 1, 2)), 0, 0, N);
}

/* Unfused too, and one thunk in place of the next. */
static void unfused(void **state) {
    (void)state;
    fsr_node a = fsr_exp(x);
    for (int i = 0; i < 5; i++)
        a = fsr_update(a, rows(a, i, i + 1), fsr_float(g, i));
    fsr_program p = plan_make(&target_gpu, &a, 1, (plan_knobs){.unfused = true});
    int64_t bytes = 0;
    assert_int_equal(in_place_thunks(&p, &bytes), 5);
    assert_int_equal(bytes, 5 * ROW);
    assert_int_equal(values_end(&p), 0);
    fsr_program_clear(&p);
}

/* Another size, place or step is the same kernel. */
static void generic_in_sizes(void **state) {
    (void)state;
    char name[2][64];
    for (int i = 0; i < 2; i++) {
        fsr_node t = temporary(), u = fsr_update(t, rows(t, 5 + i, 9 + 2 * i), rows(y, 1, 5 + i));
        fsr_program p = plan_of(&target_gpu, &u, 1);
        memcpy(name[i], fsr_program_kernel(&p, 1)->kernel->name, sizeof name[i]);
        fsr_program_clear(&p);
    }
    assert_string_equal(name[0], name[1]);
}

static fsr_node number(const char *name) {
    return fsr_input(g, name, FSR_I64, 0, NULL);
}

static fsr_node zero(void) {
    return fsr_int(g, 0);
}

/* At a start that is known when the kernel runs: the section, and the eight bytes of each start that is loaded. */
static void at_a_start(void **state) {
    (void)state;
    fsr_node t = temporary(), s = number("s"), two = fsr_broadcast_to(fsr_float(g, 2), 2, SHAPE(1, COLS));
    check(fsr_dynamic_update(t, two, ((fsr_node[]){s, zero()})), 1, ROW + 8, 0);
    check(fsr_dynamic_update(t, rows(y, 0, 4), ((fsr_node[]){s, zero()})), 1, 2 * 4 * ROW + 8, 0);
    check(fsr_dynamic_update(t, fsr_slice(rows(y, 0, 4), 1, 0, 8, 1), ((fsr_node[]){s, number("r")})), 1,
          2 * 4 * 32 + 16, 0);
    check(fsr_dynamic_update(x, two, ((fsr_node[]){s, zero()})), 0, 0, 0);
}

/* What is read at the very start is what is written there; at another one it may be any of it. */
static void reads_at_a_start(void **state) {
    (void)state;
    fsr_node t = temporary(), s = number("s"), r = number("r");
    fsr_node here = fsr_dynamic_slice(t, ((fsr_node[]){s, zero()}), SHAPE(4, COLS));
    fsr_node there = fsr_dynamic_slice(t, ((fsr_node[]){r, zero()}), SHAPE(4, COLS));
    check(fsr_dynamic_update(t, fsr_add(here, fsr_float(g, 1)), ((fsr_node[]){s, zero()})), 1, 2 * 4 * ROW + 8, 0);
    check(fsr_dynamic_update(t, there, ((fsr_node[]){s, zero()})), 1, 2 * 4 * ROW + 8, 4 * ROW);
    fsr_node first = fsr_cast(fsr_reshape(fsr_slice(rows(t, 0, 1), 1, 0, 1, 1), 0, NULL), FSR_I64);
    check(fsr_dynamic_update(t, rows(y, 0, 4), ((fsr_node[]){first, zero()})), 0, 0, N);
}

/* Steps of a simulation, each at a start of its own, one in place of the other. */
static void one_start_after_the_other(void **state) {
    (void)state;
    fsr_node a = temporary();
    for (int i = 0; i < 3; i++) {
        char name[8];
        snprintf(name, sizeof name, "s%d", i);
        fsr_node s = number(name), row = fsr_dynamic_slice(a, ((fsr_node[]){s, zero()}), SHAPE(1, COLS));
        a = fsr_dynamic_update(a, fsr_mul(row, fsr_float(g, 3)), ((fsr_node[]){s, zero()}));
    }
    check(a, 3, 3 * (2 * ROW + 8), 0);
}

/* A scatter writes over an array of its own: what computes that is its kernel, what is scattered and the indices are
 * computed in the other one, and the result lies where the array did. */
static void scatters(void **state) {
    (void)state;
    const fsr_target *targets[] = {&target_gpu, &target_cpu};
    fsr_node i = fsr_input(g, "i", FSR_I64, 1, SHAPE(100)), at = fsr_add(i, fsr_int(g, 1)),
             part = fsr_neg(rows(y, 0, 100));
    for (int t = 0; t < 2; t++) {
        fsr_node out = fsr_scatter(fsr_exp(x), &at, 1, part, FSR_INDEX_RAISE, FSR_UNIQUE);
        fsr_program p = plan_of(targets[t], &out, 1);
        int64_t bytes = 0;
        bool good = p.info.kernels == 2 && p.info.temporaries == 0 && in_place_thunks(&p, &bytes) == 1 &&
                    bytes == 2 * 100 * ROW + 800 && p.info.bytes_moved == 2 * N + bytes && values_end(&p) == 0;
        if (!good)
            print_error("%s\n", p.explanation);
        fsr_program_clear(&p);
        assert_true(good);
        fsr_node both[] = {out, fsr_scatter(fsr_exp(x), &at, 1, part, FSR_INDEX_RAISE, FSR_UNIQUE)};
        p = plan_of(targets[t], both, 2); /* two arrays of one value are two */
        assert_int_equal(in_place_thunks(&p, &bytes), 2);
        fsr_program_clear(&p);
        fsr_node twice = fsr_scatter(out, &i, 1, fsr_float(g, 0), FSR_INDEX_CLIP, FSR_UNIQUE);
        p = plan_of(targets[t], &twice, 1); /* one in place of the other, where nobody reads that */
        assert_int_equal(p.info.kernels, 3);
        assert_int_equal(p.info.temporaries, 0);
        fsr_program_clear(&p);
        p = plan_of(targets[t], (fsr_node[]){twice, out}, 2);
        assert_int_equal(p.info.kernels, 4);
        fsr_program_clear(&p);
    }
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {TEST(of_a_temporary),    TEST(in_the_middle),    TEST(reads_of_the_array),
                                       TEST(overlapping_reads), TEST(other_readers),    TEST(of_a_leaf),
                                       TEST(many_rows),         TEST(a_recurrence),     TEST(an_older_value),
                                       TEST(unfused),           TEST(generic_in_sizes), TEST(overlaps_in_a_small_array),
                                       TEST(at_a_start),        TEST(reads_at_a_start), TEST(one_start_after_the_other),
                                       TEST(scatters)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
