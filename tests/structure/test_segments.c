/* SPDX-License-Identifier: MIT */
/* Segments and searches: how many kernels, and that nothing as long as the elements is stored between them. */
#include "tests/structure/plans.h"
#include "tests/support/one_graph.h"

enum { N = 1 << 20, ROWS = N / 16 };

static bool has_sums(void *backend, int library) {
    (void)backend;
    return library == FSR_LIBRARY_SPARSE || library == FSR_LIBRARY_SEGMENTS;
}

/* So many kernels on a GPU, and on a CPU beside its calls, where loops over parts of blocks and the fold of these are
 * two; and on a GPU
 * temporaries of fewer bytes than that: calls take what is stored. */
static void check(const char *what, fsr_node out, int gpu, int cpu, int64_t bytes) {
    fsr_target with_calls = target_cpu;
    const fsr_target *targets[] = {&target_gpu, &with_calls};
    with_calls.has = has_sums;
    assert_int_equal(fsr_node_status(out), FSR_OK);
    for (int t = 0; t < 2; t++) {
        fsr_program p = plan_of(targets[t], &out, 1);
        const bool good = p.info.kernels == (t ? cpu : gpu) && (t || p.arena_bytes < bytes);
        if (!good)
            print_error("%s: %lld bytes\n%s", what, (long long)p.arena_bytes, p.explanation);
        fsr_program_clear(&p);
        assert_true(good);
    }
}

static void segments(void **state) {
    (void)state;
    const int64_t n = N, m = ROWS + 1;
    fsr_node offsets = fsr_input(g, "o", FSR_I64, 1, &m), x = plan_vector(g, n);
    fsr_node column = fsr_input(g, "c", FSR_I32, 1, &n);
    check("a sum", fsr_sqrt(fsr_segment_sum(x, offsets)), 5, 2, N);
    const int64_t few = 100;
    check("of few elements", fsr_segment_sum(plan_vector(g, few), fsr_input(g, "f", FSR_I64, 1, (int64_t[]){7})), 5, 1,
          N);
    check("of squares", fsr_segment_sum(fsr_square(x), offsets), 5, 2, N);
    const fsr_csr a = {offsets, column, x, ROWS, ROWS};
    check("products", fsr_csr_dot(&a, plan_vector(g, ROWS)), 5, 2, N);
    const fsr_csr squares = {offsets, column, fsr_square(x), ROWS, ROWS};
    fsr_node v = fsr_add(plan_vector(g, ROWS), fsr_float(g, 1));
    check("work before and after products", fsr_sqrt(fsr_add(fsr_csr_dot(&squares, fsr_neg(v)), v)), 5, 5, N);
    check("places", fsr_segment_argmin(x, offsets), 5, 6, 2 * N);
    check("functions that take long are stored", fsr_segment_sum(fsr_exp(fsr_sin(fsr_exp(x))), offsets), 6, 2,
          6 * (int64_t)N);
}

/* Operations of a row in a pass: behind the last one's loop what nobody needed before. */
static int row_operations(const fsr_kernel *k, int pass) {
    int n = 0;
    for (int i = 0; i < k->ninsts; i++)
        n += k->inst[i].kind == FSR_INST_OP && k->stand[i].level == FSR_ROW && k->stand[i].pass == pass;
    return n;
}

/* Lanes of a product's rows, as many as the average one has elements for; what is read once leaves the caches first;
 * indices of 32 bits are taken as such; there are registers for all loads of a turn; and what the blocks have is waited
 * for behind the loop. */
static void lanes(void **state) {
    (void)state;
    static const struct { int64_t rows, lanes; } expected[] = {{N / 16, 8}, {N / 100, 8}, {N / 6, 4}, {N / 3, 2}};
    for (int i = 0; i < (int)(sizeof expected / sizeof *expected); i++) {
        const int64_t rows = expected[i].rows, n = N;
        const fsr_node offsets = fsr_input(g, "o", FSR_I32, 1, (int64_t[]){rows + 1});
        const fsr_csr a = {offsets, fsr_input(g, "c", FSR_I32, 1, &n), plan_vector(g, n), rows, rows};
        const fsr_node out = fsr_csr_dot(&a, plan_vector(g, rows));
        fsr_program p = plan_of(&target_gpu, &out, 1);
        assert_int_equal(p.nthunks, 5);
        const fsr_kernel *k = p.thunk[4].kernel;
        assert_int_equal(k->integer[FSR_INT_ROWS], rows);
        assert_int_equal(k->schedule.resident * k->schedule.threads, 1536);
        assert_int_equal(row_operations(k, 1), 2);
        assert_int_equal(k->integer[FSR_INT_COLS], expected[i].lanes);
        assert_int_equal(k->nloops, 1);
        assert_int_equal(__builtin_popcountll(k->schedule.streams), 2);
        const fsr_region *body = &k->loop[0].program->body;
        for (int j = 0; j < body->ninsts; j++)
            assert_true(body->inst[j].dtype != FSR_I64 || fsr_inst_widens(&body->inst[j]));
        fsr_program_clear(&p);
    }
}

/* Of segments that are short on average: the four parts of a block are folded where their loops are, so that what is
 * stored between is a float a block and its marks, twice; and the scan of blocks has vectors of all that it reads. */
static void parts_of_blocks(void **state) {
    (void)state;
    const int64_t m = N / 6 + 1;
    fsr_node out = fsr_segment_sum(plan_vector(g, N), fsr_input(g, "o", FSR_I64, 1, &m));
    fsr_program p = plan_of(&target_gpu, &out, 1);
    assert_int_equal(p.info.kernels, 5);
    int rows = 0, scans = 0;
    for (int i = 0; i < p.nthunks; i++) {
        const fsr_schedule *s = p.thunk[i].kernel ? &p.thunk[i].kernel->schedule : NULL;
        rows += s && s->kind == FSR_SCHEDULE_ROW && s->abreast == 4;
        scans += s && s->kind == FSR_SCHEDULE_LOOKBACK && s->vector == 4;
    }
    assert_int_equal(rows, 1);
    assert_int_equal(scans, 1);
    assert_true(p.arena_bytes < N / 2);
    fsr_program_clear(&p);
}

static void searches(void **state) {
    (void)state;
    fsr_node x = plan_vector(g, N), keys = plan_vector(g, 1000), none = {0};
    check("a search", fsr_searchsorted(keys, fsr_sqrt(x), FSR_LEFT), 1, 1, 1);
    check("interpolation", fsr_sum(fsr_interp(fsr_sqrt(x), keys, keys, none, none), NULL, 0, 0), 1, 1, 1);
    check("bins", fsr_histogram_edges(x, none, keys), 3, 3, N);
}

/* Columns and offsets of 32 bits are brought inside as such: compared as 64 they take vectors without AVX-512 twice as
 * long. */
static void compared_as_short(fsr_node offsets) {
    fsr_target target = target_cpu;
    target.has = has_sums;
    const fsr_node column = fsr_cast(fsr_mul(plan_vector(g, N), fsr_float(g, ROWS)), FSR_I32);
    const fsr_csr a = {offsets, column, plan_vector(g, N), ROWS, ROWS};
    const fsr_node out = fsr_csr_dot(&a, plan_vector(g, ROWS));
    fsr_program p = plan_of(&target, &out, 1);
    assert_int_equal(p.info.calls, 1);
    assert_int_equal(p.info.kernels, 2);
    int compared = 0;
    for (int i = 0; i < p.nthunks; i++)
        for (int k = 0; p.thunk[i].kernel && k < p.thunk[i].kernel->ninsts; k++) {
            const fsr_inst *inst = &p.thunk[i].kernel->inst[k];
            if (inst->kind != FSR_INST_OP || (inst->op != FSR_OP_MAXIMUM && inst->op != FSR_OP_MINIMUM))
                continue;
            assert_int_equal(inst->dtype, FSR_I32);
            ++compared;
        }
    assert_true(compared >= 4);
    fsr_program_clear(&p);
}

static void whole_numbers_of_32_bits(void **state) {
    (void)state;
    compared_as_short(fsr_input(g, "o", FSR_I32, 1, (int64_t[]){ROWS + 1}));
    const fsr_node share = fsr_input(g, "s", FSR_F64, 1, (int64_t[]){ROWS + 1});
    compared_as_short(fsr_cast(fsr_floor(fsr_mul(share, fsr_float(g, N))), FSR_I64));
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {TEST(segments), TEST(lanes), TEST(parts_of_blocks), TEST(searches),
                                       TEST(whole_numbers_of_32_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
