/* SPDX-License-Identifier: MIT */
/* A program is thunks of kinds: kernels, what is cleared before them, copies of outputs that are one value. */
#include "fusion/loop_plan.h"
#include "fusor/expr.h"
#include "tests/structure/plans.h"
#include "tests/support/one_graph.h"
#include "tests/support/targets.h"
#include <string.h>

static void expect_kinds(const fsr_program *p, const fsr_thunk_kind *kind, int n) {
    assert_int_equal(p->nthunks, n);
    for (int i = 0; i < n; i++)
        assert_int_equal(p->thunk[i].kind, kind[i]);
}

/* What a kernel leaves in its flags is cleared before it, in memory that other thunks have before and afterwards. */
static void flags_are_cleared_before(void **state) {
    (void)state;
    fsr_node x = plan_vector(g, 1 << 22), y = x;
    for (int i = 0; i < 3; i++)
        y = fsr_cumsum(fsr_flip(y, 0), (int[]){0}, 1, 0);
    fsr_program p = plan_of(&target_gpu, &y, 1);
    const fsr_thunk_kind kind[] = {FSR_THUNK_CLEAR,  FSR_THUNK_KERNEL, FSR_THUNK_CLEAR,
                                   FSR_THUNK_KERNEL, FSR_THUNK_CLEAR,  FSR_THUNK_KERNEL};
    expect_kinds(&p, kind, 6);
    assert_int_equal(p.info.kernels, 3);
    assert_int_equal(p.info.temporaries, 2);
    assert_int_equal(p.zero_bytes, 0);
    int64_t apart = 0;
    for (int i = 0; i < 3; i++) {
        const fsr_use *cleared = &p.thunk[2 * i].use[0];
        const fsr_thunk *kernel = &p.thunk[2 * i + 1];
        const fsr_use *flags = &kernel->use[kernel->kernel->narrays];
        const fsr_temporary *t = &p.temporary[cleared->slot.ordinal];
        assert_int_equal(p.thunk[2 * i].nuses, 1);
        assert_int_equal(kernel->nuses, kernel->kernel->narrays + 1);
        assert_true(cleared->written && flags->written && cleared->bytes == kernel->zero_bytes && t->bytes > 0);
        assert_int_equal(flags->slot.kind, FSR_SLOT_TEMPORARY);
        assert_int_equal(flags->slot.ordinal, cleared->slot.ordinal);
        assert_int_equal(t->first, 2 * i);
        assert_int_equal(t->last, 2 * i + 1);
    }
    for (int t = 0; t < p.ntemporaries; t++)
        apart += p.temporary[t].bytes;
    assert_true(p.arena_bytes < apart);
    fsr_program_clear(&p);
    p = plan_of(&target_cpu, &y, 1);
    expect_kinds(&p, (fsr_thunk_kind[]){FSR_THUNK_KERNEL, FSR_THUNK_KERNEL, FSR_THUNK_KERNEL}, 3);
    fsr_program_clear(&p);
}

/* Outputs of one value: one kernel, and a copy that explain tells. */
static void equal_outputs_are_copied(void **state) {
    (void)state;
    fsr_node x = plan_vector(g, 100), out[] = {fsr_exp(x), fsr_sum(x, NULL, 0, 0), fsr_exp(x)};
    fsr_program p = plan_of(&target_cpu, out, 3);
    const fsr_thunk *last = &p.thunk[p.nthunks - 1];
    assert_int_equal(p.nthunks, p.info.kernels + 1);
    assert_int_equal(last->kind, FSR_THUNK_COPY);
    assert_int_equal(last->use[0].slot.kind, FSR_SLOT_OUTPUT);
    assert_int_equal(last->use[0].slot.ordinal, 0);
    assert_int_equal(last->use[1].slot.ordinal, 2);
    assert_true(!last->use[0].written && last->use[1].written && last->use[1].bytes == 400);
    assert_non_null(strstr(p.explanation, "copy: output0 is also output2, 400 bytes\n"));
    assert_null(fsr_program_kernel(&p, p.info.kernels));
    fsr_program_clear(&p);
}

/* A kernel that writes nothing is not launched, and has nothing cleared. */
static void nothing_is_cleared_for_nothing(void **state) {
    (void)state;
    fsr_node y = fsr_cumsum(plan_matrix(g, 0, 1 << 20), (int[]){1}, 1, 0);
    fsr_program p = plan_of(&target_gpu, &y, 1);
    for (int i = 0; i < p.nthunks; i++)
        assert_int_equal(p.thunk[i].kind, FSR_THUNK_KERNEL);
    fsr_program_clear(&p);
}

/* What is sorted is written by one kernel, a leaf by none; the call waits for it, its readers for the call; its
 * workspace is its own. Nothing joins kernels across it. */
static void library_calls_are_thunks(void **state) {
    (void)state;
    fsr_node a = plan_vector(g, 5000), b = plan_vector(g, 5000);
    fsr_node apart = fsr_abs(fsr_sub(a, b)), sorted = fsr_sort(apart, (int[]){0}, 1, 0);
    fsr_node out[] = {fsr_take(a, fsr_argsort(apart, (int[]){0}, 1, 0), 0, FSR_INDEX_CLIP), fsr_mul(sorted, sorted)};
    const fsr_target *const target[] = {&target_cpu, &target_gpu};
    for (int t = 0; t < 2; t++) {
        fsr_program p = plan_of(target[t], out, 2);
        expect_kinds(&p, (fsr_thunk_kind[]){FSR_THUNK_KERNEL, FSR_THUNK_LIBRARY, FSR_THUNK_KERNEL, FSR_THUNK_KERNEL},
                     4);
        const fsr_thunk *thunk = &p.thunk[1];
        const fsr_temporary *work = &p.temporary[thunk->use[3].slot.ordinal];
        assert_int_equal(p.info.kernels, 3);
        assert_int_equal(thunk->nuses, 4);
        assert_true(!thunk->use[0].written && thunk->use[1].written && thunk->use[2].written && thunk->use[3].written);
        assert_int_equal(thunk->bytes_moved, 3 * 20000);
        assert_int_equal(work->bytes, thunk->call->work_bytes);
        assert_true(work->first == 1 && work->last == 1);
        assert_non_null(strstr(p.explanation, "library call: sort\n"));
        assert_non_null(strstr(p.explanation, "a library call is a thunk of its own"));
        fsr_program_clear(&p);
    }
    fsr_node leaf = fsr_sort(fsr_cast(a, FSR_I32), (int[]){0}, 1, 0);
    fsr_program p = plan_of(&target_cpu, &leaf, 1);
    expect_kinds(&p, (fsr_thunk_kind[]){FSR_THUNK_KERNEL, FSR_THUNK_LIBRARY}, 2);
    assert_int_equal(p.thunk[1].use[1].slot.kind, FSR_SLOT_OUTPUT);
    fsr_program_clear(&p);
    int64_t shape = 500;
    leaf = fsr_sort(fsr_input(g, "x", FSR_I64, 1, &shape), NULL, 0, 0);
    p = plan_of(&target_gpu, &leaf, 1);
    expect_kinds(&p, (fsr_thunk_kind[]){FSR_THUNK_LIBRARY}, 1);
    assert_int_equal(p.thunk[0].use[0].slot.kind, FSR_SLOT_LEAF);
    fsr_program_clear(&p);
}

/* An array of another shape is the same memory: a leaf, what a fold or another call leaves. Elements in another order,
 * or a part of them, are a copy. */
static void another_shape_is_no_copy(void **state) {
    (void)state;
    const fsr_node x = plan_vector(g, 600), m = plan_matrix(g, 600, 30), s = fsr_sum(m, (int[]){1}, 1, 0);
    const fsr_node sorted = fsr_sort(x, NULL, 0, 0);
    const struct {
        fsr_node of;
        int kernels, calls;
    } rows[] = {{fsr_reshape(x, 2, (int64_t[]){20, 30}), 0, 1},
                {fsr_reshape(fsr_expand(x, 0), 3, (int64_t[]){2, 10, 30}), 0, 1},
                {fsr_squeeze(fsr_reshape(m, 3, (int64_t[]){1, 600, 30}), 0), 0, 1},
                {fsr_reshape(s, 2, (int64_t[]){20, 30}), 1, 1},
                {fsr_reshape(sorted, 2, (int64_t[]){20, 30}), 0, 2},
                {fsr_reshape(fsr_abs(x), 2, (int64_t[]){20, 30}), 1, 1},
                {fsr_reshape(fsr_flip(x, 0), 2, (int64_t[]){20, 30}), 1, 1},
                {fsr_reshape(fsr_slice(x, 0, 30, 600, 1), 2, (int64_t[]){19, 30}), 1, 1},
                {fsr_transpose(m, (int[]){1, 0}), 1, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int gpu = 0; gpu < 2; gpu++) {
            fsr_node out = fsr_topk(rows[i].of, 5, (int[]){-1}, 1, 0);
            fsr_program p = plan_of(gpu ? &target_gpu : &target_cpu, &out, 1);
            assert_int_equal(p.info.kernels, rows[i].kernels);
            assert_int_equal(p.nthunks, rows[i].kernels + rows[i].calls);
            fsr_program_clear(&p);
        }
}

static void add_turn(fsr_node *out, const fsr_node *s, const fsr_node *in, void *user) {
    (void)in, (void)user;
    out[0] = fsr_add(s[0], s[1]);
    out[1] = s[1];
}

/* What a loop over arrays takes is stored before it: a matrix and sums of another one that is made of the same. */
static void one_pass_before_a_loop(void **state) {
    (void)state;
    for (int axis = 0; axis < 2; axis++) {
        fsr_node x = plan_matrix(g, 2000, 2000), one = fsr_float(g, 1), out[2];
        fsr_node first[] = {fsr_add(x, one), fsr_sum(fsr_mul(x, fsr_sub(x, one)), &axis, 1, 0)};
        fsr_fori_loop(out, first, 2, fsr_int(g, 3), add_turn, NULL);
        fsr_program p = plan_of(&target_cpu, out, 1);
        assert_int_equal(p.thunk[0].kind, FSR_THUNK_KERNEL);
        assert_int_equal(p.thunk[1].kind, FSR_THUNK_LOOP);
        fsr_program_clear(&p);
    }
}

/* user: the row is sorted first, by a library. */
static void scan_turn(fsr_node *out, const fsr_node *s, const fsr_node *in, void *user) {
    fsr_node row = *(const bool *)user ? fsr_sort(in[0], (int[]){0}, 1, 0) : in[0];
    fsr_node sum = fsr_cumsum(fsr_add(s[0], row), (int[]){0}, 1, 0);
    out[0] = out[1] = fsr_mul(sum, in[1]);
    out[2] = fsr_exp(out[0]);
}

static void sort_turn(fsr_node *out, const fsr_node *s, const fsr_node *in, void *user) {
    (void)user;
    out[0] = out[1] = fsr_mul(fsr_sort(s[0], (int[]){0}, 1, 0), in[1]);
    out[2] = in[0];
}

/* A turn reads slices where they are, and its state lies in what is stacked, but where vectors are loaded, or a library
 * reads, at addresses that are no multiple of theirs. in: a row and a number of each turn. */
static void slices_lie_where_they_are(void **state) {
    (void)state;
    static const struct {
        int64_t n;
        fsr_turn_fn turn;
        bool sorts, gpu;
        bool lies, row, result; /* the row is copied before a turn; what is stacked beside the state behind it */
    } rows[] = {{64, scan_turn, false, true, true, false, false}, {53, scan_turn, false, true, true, false, false},
                {64, scan_turn, true, true, true, false, false},  {53, scan_turn, true, true, true, true, false},
                {53, scan_turn, true, false, true, false, false}, {64, sort_turn, false, true, true, false, false},
                {53, sort_turn, false, true, false, true, true},  {53, sort_turn, false, false, true, false, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool sorts = rows[i].sorts;
        fsr_node in[] = {plan_matrix(g, 40, rows[i].n), plan_vector(g, 40)}, first = plan_vector(g, rows[i].n), out[3];
        fsr_scan_loop(out, &first, 1, in, 2, 2, 0, 0, rows[i].turn, &sorts);
        fsr_program p = plan_of(rows[i].gpu ? &target_gpu : &target_cpu, out, 3);
        const fsr_loop_plan *loop = p.thunk[0].loop;
        if (!loop) { /* all turns are one kernel: nothing is copied but the last state */
            assert_true(p.thunk[0].kernel->repeat && rows[i].lies && !rows[i].row && !rows[i].result);
            assert_int_equal(p.nthunks, 2);
            fsr_program_clear(&p);
            continue;
        }
        for (int k = 1; k < p.nthunks; k++)
            assert_int_not_equal(p.thunk[k].kind, FSR_THUNK_COPY);
        assert_int_equal(loop->state_of[1], 0);
        assert_int_equal(loop->state_of[2], -1);
        if (loop->lies[1] != rows[i].lies || loop->staged[1] != rows[i].row || loop->staged_out[2] != rows[i].result)
            fail_msg("%d: lies %d, row %d, result %d\n%s", (int)i, loop->lies[1], loop->staged[1], loop->staged_out[2],
                     p.explanation);
        assert_false(loop->staged[2]);
        assert_int_equal(fsr_loop_copies(loop, 7), rows[i].row + rows[i].result + !rows[i].lies);
        fsr_program_clear(&p);
    }
}

/* The state alone is of n numbers; the row of it that a turn adds lies beside others. */
static void blurred(fsr_node *out, const fsr_node *s, const fsr_node *in, void *user) {
    (void)user;
    fsr_node far = fsr_roll(s[0], (int64_t[]){1}, (int[]){0}, 1);
    out[0] = out[1] = fsr_add(fsr_mul(far, fsr_float(g, 0.5)), in[0]);
}

/* One launch on a GPU where a turn is one block, and a copy where the last state is asked for beside all of them; on a
 * CPU turns are what they were. */
static void small_turns_are_one_kernel(void **state) {
    (void)state;
    static const struct {
        int64_t n, turns;
        int first, count; /* results */
        bool repeated;
    } rows[] = {{100, 9, 1, 1, true},       {100, 9, 0, 1, true},       {101, 9, 1, 1, true},
                {100, 9, 0, 2, true},       {1 << 20, 9, 1, 1, false},  {100, 1, 1, 1, false},
                {100, 1 << 20, 1, 1, true}, {100, 2000000, 1, 1, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int gpu = 0; gpu < 2; gpu++) {
            fsr_node in = plan_matrix(g, rows[i].turns, rows[i].n), first = plan_vector(g, rows[i].n), out[2];
            fsr_scan_loop(out, &first, 1, &in, 1, 1, 0, 0, blurred, NULL);
            fsr_program p = plan_of(gpu ? &target_gpu : &target_cpu, out + rows[i].first, rows[i].count);
            const bool repeated = p.thunk[0].kind == FSR_THUNK_KERNEL && p.thunk[0].kernel->repeat;
            if (repeated != (gpu && rows[i].repeated))
                fail_msg("%d: %s", (int)i, p.explanation);
            assert_int_equal(strstr(p.explanation, "all turns are one launch") != NULL, repeated);
            assert_int_equal(p.nthunks, repeated ? rows[i].count : 2);
            assert_int_equal(p.info.kernels, 1);
            fsr_program_clear(&p);
        }
}

static fsr_node row_at(fsr_node table, fsr_node row) {
    return fsr_dynamic_slice(table, (fsr_node[]){row, fsr_int(g, 0)}, (int64_t[]){1, fsr_node_dim(table, 1)});
}

static fsr_node put_row(fsr_node table, fsr_node row, fsr_node values) {
    return fsr_dynamic_update(table, values, (fsr_node[]){row, fsr_int(g, 0)});
}

static void row_turn(fsr_node *out, const fsr_node *s, const fsr_node *in, void *user) {
    (void)user;
    out[0] = put_row(s[0], fsr_add(in[0], fsr_int(g, 1)), fsr_exp(row_at(s[0], in[0])));
    out[1] = fsr_exp(s[1]);
}

static void crossed_turn(fsr_node *out, const fsr_node *s, const fsr_node *in, void *user) {
    (void)user;
    out[0] = put_row(s[0], in[0], fsr_exp(row_at(s[1], in[0])));
    out[1] = put_row(s[1], in[0], fsr_exp(row_at(s[0], in[0])));
}

static void scatter_turn(fsr_node *out, const fsr_node *s, const fsr_node *in, void *user) {
    (void)user;
    const fsr_node at = fsr_add(fsr_arange(g, FSR_I64, 4), in[0]);
    out[0] = s[0];
    out[1] = fsr_scatter(s[1], &at, 1, fsr_slice(s[0], 0, 0, 4, 1), FSR_INDEX_CLIP, FSR_UNIQUE);
}

static void handing_turn(fsr_node *out, const fsr_node *s, const fsr_node *in, void *user) {
    (void)user;
    out[0] = put_row(s[0], in[0], row_at(s[1], in[0]));
    out[1] = s[0];
}

/* A row chosen by a mask, of which another one is made by a fold. */
static void chosen_turn(fsr_node *out, const fsr_node *s, const fsr_node *in, void *user) {
    (void)user;
    fsr_name name[] = {{"s", s[0]}, {"t", in[0]}, {"i", fsr_arange(g, FSR_I64, fsr_node_dim(s[0], 0))}};
    out[0] = fsr_expr(g, "r = i[:, None]; where(r == t + 1, sum(where(r < 4, s, 0), axis=0), s)", name, 3);
    out[1] = s[1];
}

/* A turn that puts a row into a state of two moves that row: the copy of the state is left out. Not of a small one, and
 * not where the state goes on elsewhere as it was. */
static void states_are_changed_in_place(void **state) {
    (void)state;
    static const struct {
        int64_t n;
        fsr_turn_fn turn;
        uint32_t updated;
        int64_t bytes; /* at most, of all turns */
    } rows[] = {{8192, row_turn, 1, 9 * (8192 * 4 * 600 + 8192 * 4 * 8)},
                {2, row_turn, 0, INT64_MAX},
                {8192, scatter_turn, 3, 9 * (8192 * 4 * 16)},
                {8192, handing_turn, 0, INT64_MAX},
                {8192, crossed_turn, 3, 9 * (8192 * 4 * 16)},
                {8192, chosen_turn, 3, 9 * (8192 * 4 * 310)}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int gpu = 0; gpu < 2; gpu++) {
            fsr_node first[] = {plan_matrix(g, 300, rows[i].n), plan_matrix(g, 300, rows[i].n)}, out[2];
            fsr_fori_loop(out, first, 2, fsr_int(g, 9), rows[i].turn, NULL);
            fsr_program p = plan_of(gpu ? &target_gpu : &target_cpu, out, 2);
            const fsr_loop_plan *loop = p.thunk[0].loop;
            assert_non_null(loop);
            if (loop->updated != rows[i].updated || p.info.bytes_moved > rows[i].bytes)
                fail_msg("%d: %u, %lld bytes\n%s", (int)i, loop->updated, (long long)p.info.bytes_moved, p.explanation);
            fsr_program_clear(&p);
        }
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(one_pass_before_a_loop),         TEST(flags_are_cleared_before),   TEST(equal_outputs_are_copied),
        TEST(nothing_is_cleared_for_nothing), TEST(library_calls_are_thunks),   TEST(another_shape_is_no_copy),
        TEST(slices_lie_where_they_are),      TEST(small_turns_are_one_kernel), TEST(states_are_changed_in_place)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
