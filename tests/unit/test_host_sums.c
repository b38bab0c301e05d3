/* SPDX-License-Identifier: MIT */
/* Generated CUDA of running sums on the host: planned as for a GPU, under every schedule that may hold one. A running
 * sum of non-negative f32 never steps back by more than 2 units in the last place, and is the exact sum but for 4: one
 * rounding for each further column of a vector, and two in the end.
 *
 * Counter-example to a state in f32: a thousand terms of 0.1 are off by hundreds of units. */
#include "backend_cuda/emit_cuda.h"
#include "fusion/plan.h"
#include "fusion/schedule.h"
#include "runtime/text.h"
#include "tests/host_cuda/host_cuda.h"
#include "tests/support/one_graph.h"
#include "tests/support/targets.h"
#include <math.h>
#include <stdio.h>

enum { KINDS = 4 };

/* A program of one kernel, x in and y out, and how they lie: column c of row r at r * row + c * col. */
typedef struct sums {
    int64_t rows, cols, row, col;
    int flags;
    fsr_program program;
} sums;

static fsr_program planned(fsr_node out) {
    fsr_program_options options = {.target = target_small_gpu, .fusion = true, .fuel = -1};
    fsr_program program;
    fsr_binding binding;
    fsr_flow flow;
    fsr_ref ref = {out.id, out.output};
    char why[256];
    assert_int_equal(fsr_flow_build(&flow, &binding, g, &ref, 1), FSR_OK);
    fsr_binding_clear(&binding);
    if (fsr_program_make(&program, &flow, &options, why, sizeof why))
        fail_msg("%s", why);
    assert_int_equal(program.info.kernels, 1);
    return program;
}

static void fill(float *x, int64_t n, int kind) {
    uint32_t state = 5u + (uint32_t)kind;
    for (int64_t i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        const float u = (float)(state >> 8) * 0x1p-24f;
        x[i] = kind == 0 ? 0.1f : kind == 1 ? u : kind == 2 ? (state >> 28 ? 0 : 1e4f * u) : 1 / (1 + (float)i);
    }
}

/* One row of the result against the exact sums. */
static void check_row(const sums *s, const float *x, const float *y, int64_t r) {
    const bool reversed = s->flags & FSR_REVERSE, exclusive = s->flags & FSR_EXCLUSIVE;
    long double exact = 0;
    float before = 0;
    for (int64_t i = 0; i < s->cols; i++) {
        const int64_t c = reversed ? s->cols - 1 - i : i;
        const float here = y[r * s->row + c * s->col], term = x[r * s->row + c * s->col];
        const float unit = nextafterf(here, INFINITY) - here;
        exact += exclusive ? 0 : term;
        if (before - here > 2 * unit)
            fail_msg("%lld x %lld: %g units back at row %lld, column %lld", (long long)s->rows, (long long)s->cols,
                     (double)((before - here) / unit), (long long)r, (long long)c);
        if (fabsl(exact - here) > 4 * unit)
            fail_msg("%lld x %lld: %.9g is not %.12Lg at row %lld, column %lld", (long long)s->rows, (long long)s->cols,
                     (double)here, exact, (long long)r, (long long)c);
        exact += exclusive ? term : 0;
        before = here;
    }
}

static void run(const sums *s, int kind, uint64_t seed) {
    const fsr_thunk *thunk = fsr_program_kernel(&s->program, 0);
    const int64_t n = s->rows * s->cols;
    float *x = malloc((size_t)n * sizeof *x), *y = calloc((size_t)n, sizeof *y);
    fsr_launch launch = fsr_program_launch(thunk);
    fsr_fault fault = {FSR_OK, NULL};
    fsr_text text = {0};
    assert_int_equal(fsr_emit_cuda_for_host(thunk->kernel, &text), FSR_OK);
    fill(x, n, kind);
    for (int a = 0; a < thunk->kernel->narrays; a++)
        launch.array[a] = thunk->use[a].slot.kind == FSR_SLOT_LEAF ? x : y;
    launch.work = malloc((size_t)thunk->work_bytes + 1);
    launch.zero = calloc(1, (size_t)thunk->zero_bytes + 1);
    if (host_cuda_run(thunk->kernel, text.data, &launch, seed, &fault))
        fail_msg("%s\n%s", fault.message, text.data);
    for (int64_t r = 0; r < s->rows; r++)
        check_row(s, x, y, r);
    free(launch.work);
    free(launch.zero);
    fsr_text_free(&text);
    free(x);
    free(y);
}

/* Another schedule than the rules choose, which take blocks of their own for hundreds of such rows only. */
static void take_rows(fsr_thunk *thunk) {
    fsr_kernel *k = thunk->kernel;
    k->schedule.kind = FSR_SCHEDULE_ROW;
    k->schedule.threads = k->schedule.abreast = 512;
    k->schedule.items = 8;
    fsr_schedule_finish(k);
    thunk->kernel->integer[FSR_INT_SPLITS] = 1;
    thunk->kernel->integer[FSR_INT_STRETCH] = thunk->kernel->integer[FSR_INT_COLS];
    thunk->blocks = fsr_kernel_blocks(k, thunk->kernel->integer);
}

/* Sums of `rows` rows of `cols` numbers; `down`: which are the columns of the array. */
static void check(int64_t rows, int64_t cols, bool down, fsr_schedule_kind kind) {
    static const int variants[] = {0, FSR_EXCLUSIVE, FSR_REVERSE};
    for (size_t v = 0; v < sizeof variants / sizeof *variants; v++) {
        fsr_node x = down ? INPUT(g, FSR_F32, cols, rows) : INPUT(g, FSR_F32, rows, cols);
        sums s = {rows, cols, down ? 1 : cols, down ? rows : 1, variants[v], {0}};
        s.program = planned(fsr_cumsum(x, (int[]){!down}, 1, variants[v]));
        if (kind == FSR_SCHEDULE_ROW && cols > 16384)
            take_rows((fsr_thunk *)fsr_program_kernel(&s.program, 0));
        const fsr_kernel *k = fsr_program_kernel(&s.program, 0)->kernel;
        assert_int_equal(k->schedule.kind, kind);
        for (int i = 0; i < KINDS; i++)
            run(&s, i, (uint64_t)i);
        fsr_program_clear(&s.program);
    }
}

static void rows(void **state) {
    (void)state;
    check(5, 33, false, FSR_SCHEDULE_ROW);
    check(3, 1000, false, FSR_SCHEDULE_ROW);
    check(2, 15000, false, FSR_SCHEDULE_ROW);
}

/* Row after row is too long for a block: tiles with a carry. */
static void rows_by_tiles(void **state) {
    (void)state;
    check(5, 20001, false, FSR_SCHEDULE_ROW);
}

static void lines(void **state) {
    (void)state;
    check(1, 16385, false, FSR_SCHEDULE_LOOKBACK);
    check(2, 60003, false, FSR_SCHEDULE_LOOKBACK);
}

static void columns(void **state) {
    (void)state;
    check(40, 3001, true, FSR_SCHEDULE_LOOKBACK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rows, setup, teardown),
        cmocka_unit_test_setup_teardown(rows_by_tiles, setup, teardown),
        cmocka_unit_test_setup_teardown(lines, setup, teardown),
        cmocka_unit_test_setup_teardown(columns, setup, teardown),
    };
    if (!host_cuda_available()) {
        fprintf(stderr, "skipped: no C++ compiler\n");
        return 77;
    }
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    int sources;
    int64_t launches;
    host_cuda_counts(&sources, &launches);
    printf("kernels on the host: %d sources, %lld launches\n", sources, (long long)launches);
    return failed;
}
