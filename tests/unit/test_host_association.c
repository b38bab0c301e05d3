/* SPDX-License-Identifier: MIT */
/* How folds associate does not depend on the GPU at hand: made-up ones of 1, 84 and 132 multiprocessors, of other
 * caches and register files too, get the same kernels, parts and accumulators for the same program, and generated CUDA,
 * planned for each and run on the host, the same bits. The values are such that every other tree of additions shows.
 *
 * Counter-example: a sum of one long row cut into as many parts as the machine has room for. */
#include "backend_cuda/emit_cuda.h"
#include "fusion/plan.h"
#include "runtime/text.h"
#include "tests/host_cuda/host_cuda.h"
#include "tests/support/one_graph.h"
#include "tests/support/targets.h"
#include <math.h>
#include <stdio.h>

enum { MACHINES = 3 };

static const fsr_target *const machine[MACHINES] = {&target_gpu, &target_gpu_84, &target_gpu_1};

static fsr_program planned(fsr_node out, const fsr_target *target) {
    fsr_program_options options = {.target = *target, .fusion = true, .fuel = -1, .explain = true};
    fsr_program program;
    fsr_binding binding;
    fsr_flow flow;
    fsr_ref ref = {out.id, out.output};
    char why[256];
    assert_int_equal(fsr_flow_build(&flow, &binding, g, &ref, 1), FSR_OK);
    fsr_binding_clear(&binding);
    if (fsr_program_make(&program, &flow, &options, why, sizeof why))
        fail_msg("%s", why);
    return program;
}

/* ---- plans --------------------------------------------------------------------------------------------- */

/* Everything of two thunks that a fold's tree depends on. What may differ: how many teams there are, of how many
 * blocks, and whether these hold their parts. */
static bool same_thunk(const fsr_thunk *a, const fsr_thunk *b) {
    const fsr_schedule *s = &a->kernel->schedule, *t = &b->kernel->schedule;
    const bool team = s->kind == FSR_SCHEDULE_TEAM;
    return strcmp(a->kernel->comment, b->kernel->comment) == 0 && s->kind == t->kind && s->threads == t->threads &&
           s->vector == t->vector && s->items == t->items && s->accumulators == t->accumulators &&
           s->resident == t->resident && (team || (s->abreast == t->abreast && s->persistent == t->persistent)) &&
           a->kernel->nints == b->kernel->nints &&
           memcmp(a->kernel->integer, b->kernel->integer, sizeof(int64_t) * (size_t)a->kernel->nints) == 0;
}

static void expect_same_plans(fsr_node x, const char *what) {
    fsr_program first = planned(x, machine[0]);
    for (int m = 1; m < MACHINES; m++) {
        fsr_program other = planned(x, machine[m]);
        bool same = first.info.kernels == other.info.kernels && first.work_bytes == other.work_bytes;
        for (int i = 0; same && i < first.info.kernels; i++)
            same = same_thunk(fsr_program_kernel(&first, i), fsr_program_kernel(&other, i));
        if (!same)
            fail_msg("%s: another plan on %d multiprocessors:\n%s\n%s", what, machine[m]->processors, first.explanation,
                     other.explanation);
        fsr_program_clear(&other);
    }
    fsr_program_clear(&first);
}

static fsr_node array(int64_t rows, int64_t cols) {
    return INPUT(g, FSR_F32, rows, cols);
}

static fsr_node centred(fsr_node x, int axis) {
    return fsr_sub(x, fsr_mean(x, AXES(axis), 1, FSR_KEEPDIMS));
}

static fsr_node scaled(fsr_node x, int axis) {
    fsr_node y = centred(x, axis);
    return fsr_div(y, fsr_sqrt(fsr_mean(fsr_mul(y, y), AXES(axis), 1, FSR_KEEPDIMS)));
}

static const int64_t extents[] = {1, 3, 70, 200, 1000, 9000, 17000, 70000, 3000000};
enum { EXTENTS = sizeof extents / sizeof *extents };

/* Programs that have every schedule, over the sizes at which one takes over from another. */
static void plans(void **state) {
    (void)state;
    for (int r = 0; r < EXTENTS; r++)
        for (int c = 0; c < EXTENTS; c++)
            for (int axis = 0; axis < 2; axis++) {
                char what[64];
                snprintf(what, sizeof what, "%lld x %lld, axis %d", (long long)extents[r], (long long)extents[c], axis);
                fsr_node x = array(extents[r], extents[c]);
                expect_same_plans(fsr_sum(fsr_mul(x, x), AXES(axis), 1, 0), what);
                expect_same_plans(scaled(x, axis), what);
                expect_same_plans(fsr_cumsum(x, AXES(axis), 1, 0), what);
                expect_same_plans(centred(fsr_cumsum(x, AXES(axis), 1, 0), axis), what);
            }
}

/* ---- bits ------------------------------------------------------------------------------------------------ */

/* Magnitudes from 2^-20 to 2^10 of both signs. */
static void fill(float *x, int64_t n) {
    uint32_t state = 77;
    for (int64_t i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        const float u = (float)(state >> 8 & 0xffff) * 0x1p-16f * (state >> 31 ? -1.0f : 1.0f);
        x[i] = u * (float)(1u << (state >> 24 & 15)) * 0x1p-5f;
    }
}

/* One kernel, x in and one array out. */
static float *run(fsr_program *p, const float *x, int64_t n) {
    const fsr_thunk *thunk = fsr_program_kernel(p, 0);
    fsr_launch launch = fsr_program_launch(thunk);
    fsr_text text = {0};
    fsr_fault fault = {FSR_OK, NULL};
    float *y = calloc((size_t)n, sizeof *y);
    assert_int_equal(p->info.kernels, 1);
    assert_int_equal(fsr_emit_cuda_for_host(thunk->kernel, &text), FSR_OK);
    for (int a = 0; a < thunk->kernel->narrays; a++)
        launch.array[a] = thunk->use[a].slot.kind == FSR_SLOT_LEAF ? (void *)(uintptr_t)x : (void *)y;
    launch.work = malloc((size_t)thunk->work_bytes + 1);
    launch.zero = calloc(1, (size_t)thunk->zero_bytes + 1);
    if (host_cuda_run(thunk->kernel, text.data, &launch, 3, &fault))
        fail_msg("%s: %s", thunk->kernel->comment, fault.message);
    free(launch.work);
    free(launch.zero);
    fsr_text_free(&text);
    return y;
}

/* The result, of n elements, on every machine. */
static void expect_same_bits(fsr_node out, fsr_schedule_kind kind) {
    const int64_t n = fsr_node_size(out), most = 1 << 19;
    float *x = malloc(sizeof *x * (size_t)most), *first = NULL;
    fill(x, most);
    for (int m = 0; m < MACHINES; m++) {
        fsr_program p = planned(out, machine[m]);
        assert_int_equal(fsr_program_kernel(&p, 0)->kernel->schedule.kind, kind);
        float *y = run(&p, x, n);
        if (first && memcmp(first, y, sizeof *y * (size_t)n) != 0)
            fail_msg("%s: other bits on %d multiprocessors", fsr_program_kernel(&p, 0)->kernel->comment,
                     machine[m]->processors);
        fsr_program_clear(&p);
        free(m ? y : NULL);
        first = m ? first : y;
    }
    free(first);
    free(x);
}

static void rows(void **state) {
    (void)state;
    expect_same_bits(fsr_sum(array(70, 1000), AXES(1), 1, 0), FSR_SCHEDULE_ROW);
    expect_same_bits(scaled(array(5, 3000), 1), FSR_SCHEDULE_ROW);
}

static void split(void **state) {
    (void)state;
    expect_same_bits(fsr_sum(array(2, 150000), AXES(1), 1, 0), FSR_SCHEDULE_SPLIT);
}

static void columns(void **state) {
    (void)state;
    expect_same_bits(fsr_sum(array(3000, 40), AXES(0), 1, 0), FSR_SCHEDULE_COL);
}

/* A thread that folds a few columns by itself has the bits of eight that meet. */
static void brief_columns(void **state) {
    (void)state;
    for (int cols = 2; cols <= 8; cols++) {
        const fsr_node x = fsr_sub(array(cols, 80000), fsr_float(g, 0.25));
        const fsr_node out[] = {fsr_sum(x, AXES(0), 1, 0), fsr_prod(x, AXES(0), 1, 0), fsr_min(x, AXES(0), 1, 0)};
        float *in = malloc(sizeof *in * 80000 * 8);
        fill(in, 80000 * (int64_t)cols);
        for (int i = 0; i < 80000 * cols; i++)
            in[i] = i % 3 == 0 ? 0.25f : i % 7 == 0 ? -INFINITY : in[i];
        for (int o = 0; o < 3; o++) {
            fsr_program p = planned(out[o], &target_gpu);
            fsr_thunk *thunk = (fsr_thunk *)(uintptr_t)fsr_program_kernel(&p, 0);
            fsr_schedule *s = &thunk->kernel->schedule;
            assert_true(s->kind == FSR_SCHEDULE_COL && s->abreast == s->threads);
            float *alone = run(&p, in, 80000);
            s->abreast = 32;
            thunk->blocks = (80000 + 32 * s->vector - 1) / (32 * s->vector);
            float *met = run(&p, in, 80000);
            assert_memory_equal(alone, met, sizeof *met * 80000);
            free(alone);
            free(met);
            fsr_program_clear(&p);
        }
        free(in);
    }
}

static void lookback(void **state) {
    (void)state;
    fsr_node x = array(2, 70000);
    expect_same_bits(fsr_cumsum(x, AXES(1), 1, 0), FSR_SCHEDULE_LOOKBACK);
}

/* On one multiprocessor two blocks do fifteen parts in turn; elsewhere each part has its block. */
static void team(void **state) {
    (void)state;
    fsr_node x = scaled(array(2, 60000), 1);
    expect_same_bits(x, FSR_SCHEDULE_TEAM);
    fsr_program p = planned(x, &target_gpu_1);
    assert_int_equal(fsr_program_kernel(&p, 0)->kernel->schedule.members, 2);
    assert_int_equal(fsr_program_kernel(&p, 0)->blocks, 2);
    fsr_program_clear(&p);
    p = planned(x, &target_gpu);
    assert_int_equal(fsr_program_kernel(&p, 0)->kernel->schedule.members, 0);
    assert_true(fsr_program_kernel(&p, 0)->kernel->schedule.persistent);
    fsr_program_clear(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(plans, setup, teardown),
        cmocka_unit_test_setup_teardown(rows, setup, teardown),
        cmocka_unit_test_setup_teardown(split, setup, teardown),
        cmocka_unit_test_setup_teardown(columns, setup, teardown),
        cmocka_unit_test_setup_teardown(brief_columns, setup, teardown),
        cmocka_unit_test_setup_teardown(lookback, setup, teardown),
        cmocka_unit_test_setup_teardown(team, setup, teardown),
    };
    if (!host_cuda_available()) {
        fprintf(stderr, "skipped: no C++ compiler\n");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
