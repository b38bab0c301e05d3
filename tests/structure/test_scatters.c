/* SPDX-License-Identifier: MIT */
/* Scatters with equal indices: how many kernels, and that what computes the array, the indices and the values, and what
 * is done with the result, is in them. And what the bin of an element takes. */
#include "fusion/walk.h"
#include "tests/structure/plans.h"
#include "tests/support/one_graph.h"

enum { N = 5000, M = 300 };

static void check(fsr_node out, int kernels, int64_t bytes) {
    const fsr_target *targets[] = {&target_gpu, &target_cpu};
    assert_int_equal(fsr_node_status(out), FSR_OK);
    for (int t = 0; t < 2; t++) {
        fsr_program p = plan_of(targets[t], &out, 1);
        if (p.info.kernels != kernels || p.info.bytes_moved != bytes)
            fail_msg("%d kernels, %lld bytes, not %d and %lld\n%s", (int)p.info.kernels, (long long)p.info.bytes_moved,
                     kernels, (long long)bytes, p.explanation);
        fsr_program_clear(&p);
    }
}

static void equal_indices(void **state) {
    (void)state;
    const int64_t n = N, m = M;
    fsr_node i = fsr_add(fsr_input(g, "i", FSR_I64, 1, &n), fsr_int(g, 1));
    fsr_node x = fsr_neg(fsr_input(g, "x", FSR_I32, 1, &m)), y = fsr_neg(fsr_input(g, "y", FSR_I32, 1, &n));
    fsr_node f = fsr_neg(fsr_input(g, "f", FSR_F32, 1, &n)), zeros = fsr_full(g, FSR_F32, 1, &m, 0);
    const int64_t own = M * (4 + 4), into = N * (8 + 4) + M * 4, fill = M * 4;
    /* the array; and what is added, with its indices */
    check(fsr_scatter_add(x, &i, 1, y, FSR_INDEX_RAISE, 0), 2, own + into);
    /* and the result read */
    check(fsr_neg(fsr_scatter_max(x, &i, 1, y, FSR_INDEX_RAISE, 0)), 3, own + into + M * (4 + 4));
    /* no positions, then the greatest; then values, computed as they are taken, or x */
    check(fsr_scatter(x, &i, 1, y, FSR_INDEX_RAISE, 0), 3, fill + N * 8 + M * 4 + N * 4 + M * (4 + 4 + 4));
    check(fsr_scatter(x, &i, 1, y, FSR_INDEX_RAISE, FSR_UNIQUE), 2, own + into);
    check(fsr_scatter(x, &i, 1, fsr_int(g, 7), FSR_INDEX_RAISE, 0), 2, own + N * 8 + M * 4);
    /* no exponents, then the greatest; units; zeros, then the sums; the result */
    check(fsr_scatter_add(zeros, &i, 1, f, FSR_INDEX_RAISE, 0), 6,
          fill + into + M * (4 + 8) + M * 8 + N * (8 + 4) + M * (8 + 8) + M * (4 + 8 + 4));
    check(fsr_scatter_add(zeros, &i, 1, f, FSR_INDEX_RAISE, FSR_UNORDERED), 2, fill + into);
    /* the same of f64, with two sums at once */
    fsr_node d = fsr_neg(fsr_input(g, "d", FSR_F64, 1, &n)), wide = fsr_full(g, FSR_F64, 1, &m, 0);
    check(fsr_scatter_add(wide, &i, 1, d, FSR_INDEX_RAISE, 0), 6,
          fill + N * (8 + 8) + M * 4 + M * (4 + 8) + 2 * M * 8 + N * (8 + 8) + M * (8 + 2 * 8) + M * (4 + 2 * 8 + 8));
}

/* Instructions of f64, a conversion to or from it or one of 64 bits, in the kernel that counts. */
static int wide_work(fsr_node out) {
    int n = 0;
    fsr_program p = plan_of(&target_gpu, &out, 1);
    for (int s = 0; s < p.nthunks; s++) {
        const fsr_kernel *k = p.thunk[s].kernel;
        for (int i = 0; k && k->narrays == 2 && fsr_kernel_combining(k) >= 0 && i < k->ninsts; i++)
            n += k->inst[i].kind == FSR_INST_OP && (k->inst[i].dtype == FSR_F64 || k->inst[i].compute == FSR_F64);
    }
    fsr_program_clear(&p);
    return n;
}

static void bins(void **state) {
    (void)state;
    fsr_node x = plan_vector(g, N), none = {0};
    assert_int_equal(wide_work(fsr_histogram(x, none, 256, 0, 1)), 0);
    assert_int_equal(wide_work(fsr_histogram(x, none, 8, -4, 4)), 0);
    assert_int_equal(wide_work(fsr_histogram(x, none, 100, -0.3, 0.7)), 4);
    assert_true(wide_work(fsr_histogram(x, none, 100, 1e6, 1e6 + 1)) > 4);
}

/* Blocks of a large count take more at a time. */
static void turns(void **state) {
    (void)state;
    for (int large = 0; large < 2; large++) {
        const int64_t n = large ? 1 << 27 : 1 << 18;
        fsr_node out = fsr_histogram(plan_vector(g, n), (fsr_node){0}, 256, 0, 1);
        fsr_program p = plan_of(&target_gpu, &out, 1);
        const fsr_schedule *s = &fsr_program_kernel(&p, 1)->kernel->schedule;
        assert_int_equal(s->bins, 256);
        assert_int_equal(s->threads, large ? 512 : 256);
        assert_int_equal(s->items, large ? 8 : 4);
        fsr_program_clear(&p);
    }
}

/* What has no room in a block's shared memory, and is not much more, is divided into ranges; blocks have a range
 * each. */
static void ranges(void **state) {
    (void)state;
    static const struct {
        int64_t n;
        int places, ranges;
    } made[] = {{1 << 27, 1 << 16, 4}, {1 << 27, 1 << 17, 8}, {1 << 27, (1 << 17) + 1, 0},
                {1 << 27, 20000, 2},   {1 << 27, 12000, 0},   {1 << 20, 1 << 16, 0}};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        fsr_node out = fsr_histogram(plan_vector(g, made[i].n), (fsr_node){0}, made[i].places, 0, 1);
        fsr_program p = plan_of(&target_gpu, &out, 1);
        const fsr_kernel *k = fsr_program_kernel(&p, 1)->kernel;
        assert_int_equal(k->schedule.ranges, made[i].ranges);
        if (made[i].ranges) {
            assert_int_equal(k->schedule.bins, 1 << 14);
            assert_int_equal(k->integer[FSR_INT_SPLITS] % made[i].ranges, 0);
        }
        fsr_program_clear(&p);
    }
    fsr_node at = plan_vector(g, 1 << 27), other = plan_vector(g, 1 << 27);
    fsr_node far = fsr_cast(fsr_take(at, fsr_cast(other, FSR_I32), 0, FSR_INDEX_CLIP), FSR_I32);
    fsr_node out =
        fsr_scatter_add(fsr_zeros(g, FSR_I32, 1, (int64_t[]){1 << 16}), &far, 1, fsr_int(g, 1), FSR_INDEX_DROP, 0);
    fsr_program p = plan_of(&target_gpu, &out, 1);
    for (int s = 0; s < p.info.kernels; s++)
        assert_int_equal(fsr_program_kernel(&p, s)->kernel->schedule.ranges, 0);
    fsr_program_clear(&p);
}

/* The loop of the kernel that adds, along its last dimension, has a row's elements side by side. */
static bool adds_rows(fsr_node out) {
    fsr_program p = plan_of(&target_cpu, &out, 1);
    bool rows = false;
    for (int s = 0; s < p.nthunks; s++) {
        const fsr_kernel *k = p.thunk[s].kernel;
        fsr_body body;
        if (!k || fsr_kernel_combining(k) < 0)
            continue;
        fsr_body_of(k, 0, &body);
        rows = fsr_body_has_rows(k, &body, k->ndim - 1);
    }
    fsr_program_clear(&p);
    return rows;
}

static void whole_rows(void **state) {
    (void)state;
    const int64_t n = N, shape[] = {N, 8};
    fsr_node i = fsr_input(g, "i", FSR_I64, 1, &n), each = fsr_input(g, "e", FSR_I64, 2, shape);
    fsr_node x = fsr_input(g, "x", FSR_F32, 2, shape), into = plan_matrix(g, M, 8), by = fsr_arange(g, FSR_I64, 8);
    assert_true(adds_rows(fsr_scatter_add(into, &i, 1, x, FSR_INDEX_DROP, 0)));
    assert_false(adds_rows(fsr_scatter_add(plan_vector(g, M), &i, 1, plan_vector(g, N), FSR_INDEX_DROP, 0)));
    assert_false(adds_rows(fsr_scatter_add(into, (fsr_node[]){each, by}, 2, x, FSR_INDEX_DROP, 0)));
}

/* Rows that are taken whole need no loop of their own that fetches elements. */
static void rows_are_taken(void **state) {
    (void)state;
    const int64_t n = N;
    fsr_node i = fsr_add(fsr_mul(fsr_input(g, "i", FSR_I64, 1, &n), fsr_int(g, 3)), fsr_int(g, 1));
    fsr_node x = plan_matrix(g, M, 64), y = fsr_mul(fsr_exp(plan_matrix(g, N, 64)), fsr_float(g, 2));
    fsr_node rows = fsr_mul(fsr_take(x, i, 0, FSR_INDEX_RAISE), y), columns;
    columns = fsr_mul(fsr_take(fsr_transpose(x, NULL), i, 1, FSR_INDEX_RAISE), fsr_transpose(y, NULL));
    for (int across = 0; across < 2; across++) {
        fsr_program p = plan_of(&target_cpu, across ? &columns : &rows, 1);
        const fsr_kernel *k = fsr_program_kernel(&p, p.info.kernels - 1)->kernel;
        assert_int_equal(k->schedule.walk[0].phased, across);
        fsr_program_clear(&p);
    }
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {TEST(equal_indices), TEST(bins),       TEST(turns),
                                       TEST(ranges),        TEST(whole_rows), TEST(rows_are_taken)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
