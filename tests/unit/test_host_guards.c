/* SPDX-License-Identifier: MIT */
/* Generated CUDA with guards, on the host: programs of every schedule, planned as for a GPU, against the interpreter of
 * the loop IR. Arrays have their exact size, so that under the address sanitizer a load outside its guard is seen. */
#include "backend_cuda/emit_cuda.h"
#include "fusion/plan.h"
#include "runtime/text.h"
#include "tests/host_cuda/host_cuda.h"
#include "tests/support/one_graph.h"
#include "tests/support/targets.h"

enum { LEAVES = 8 };

static fsr_node array(int64_t rows, int64_t cols) {
    return fsr_input(g, "x", FSR_F32, 2, SHAPE(rows, cols));
}

/* The arrays of one launch; the one of a leaf holds numbers, all others a pattern. */
static void arrays(const fsr_program_step *step, const int64_t *leaf, int64_t out, fsr_launch *launch, float **keep) {
    for (int a = 0; a < step->kernel->narrays; a++) {
        bool is_leaf = step->use[a].slot.home == FSR_HOME_LEAF;
        int64_t n = is_leaf ? leaf[step->use[a].slot.ordinal] : out;
        keep[a] = malloc((size_t)n * sizeof(float));
        for (int64_t i = 0; i < n; i++)
            keep[a][i] = is_leaf ? (float)((i * 37 + a * 11) % 101) / 8 : -1;
        launch->array[a] = keep[a];
    }
}

static void run(const fsr_program_step *step, const int64_t *leaf, int64_t out, int vector) {
    const fsr_kernel *k = step->kernel;
    fsr_launch launch = step->launch;
    fsr_fault fault = {FSR_OK, NULL};
    fsr_text text = {0};
    float *want[FSR_MAX_BUFFERS], *got[FSR_MAX_BUFFERS];
    if (vector)
        assert_int_equal(k->schedule.vector, vector);
    assert_true(k->nguards > 0);
    assert_int_equal(fsr_emit_cuda_for_host(k, &text), FSR_OK);
    arrays(step, leaf, out, &launch, want);
    assert_int_equal(fsr_kernel_interpret(k, &launch), FSR_OK);
    for (uint64_t seed = 0; seed < 2; seed++) {
        arrays(step, leaf, out, &launch, got);
        launch.work = malloc((size_t)step->work_bytes + 1);
        launch.zero = calloc(1, (size_t)step->zero_bytes + 1);
        if (host_cuda_run(k, text.data, &launch, seed, &fault))
            fail_msg("%s: %s", k->comment, fault.message);
        for (int a = 0; a < k->narrays; a++) {
            for (int64_t i = 0; k->array[a].written && i < out; i++)
                if (got[a][i] != want[a][i] && !(got[a][i] < want[a][i] * 1.0001 && got[a][i] > want[a][i] * 0.9999))
                    fail_msg("%s: element %lld is %g, not %g\n%s", k->comment, (long long)i, got[a][i], want[a][i],
                             text.data);
            free(got[a]);
        }
        free(launch.work);
        free(launch.zero);
    }
    for (int a = 0; a < k->narrays; a++)
        free(want[a]);
    fsr_text_free(&text);
}

/* The plan of x must be one kernel of that schedule, with so many versions (-1: any number). */
static void check_versions(fsr_node x, fsr_schedule_kind kind, int vector, int versions) {
    fsr_program_options options = {.target = target_small_gpu, .fusion = true, .fuel = -1};
    fsr_program program;
    fsr_binding binding;
    fsr_flow flow;
    char why[256];
    int64_t leaf[LEAVES] = {0};
    fsr_ref ref = {x.id, x.output};
    if (fsr_node_status(x))
        fail_msg("%s", fsr_node_error(x));
    assert_int_equal(fsr_flow_build(&flow, &binding, g, &ref, 1), FSR_OK);
    fsr_binding_clear(&binding);
    for (int i = 0; i < flow.n; i++)
        if (flow.node[i].kind == FSR_NODE_DATA)
            leaf[flow.node[i].ordinal] = fsr_shape_size(&flow.node[i].shape);
    if (fsr_program_make(&program, &flow, &options, why, sizeof why))
        fail_msg("%s", why);
    assert_int_equal(program.info.kernels, 1);
    assert_int_equal(fsr_program_kernel(&program, 0)->kernel->schedule.kind, kind);
    if (versions >= 0)
        assert_int_equal(fsr_program_kernel(&program, 0)->kernel->schedule.nversions, versions);
    run(fsr_program_kernel(&program, 0), leaf, fsr_node_size(x), vector);
    fsr_program_clear(&program);
}

static void check(fsr_node x, fsr_schedule_kind kind, int vector) {
    check_versions(x, kind, vector, -1);
}

static fsr_node side_by_side(int64_t rows, int64_t a, int64_t b, int axis) {
    fsr_node x = axis ? array(rows, a) : array(a, rows), y = axis ? array(rows, b) : array(b, rows);
    return fsr_concat((fsr_node[]){fsr_mul(x, x), y}, 2, axis);
}

static fsr_node stepped(int64_t rows, int64_t cols) {
    fsr_node x = array(rows, cols);
    fsr_node view = fsr_slice(fsr_slice(x, 0, 1, FSR_SLICE_END, 2), 1, FSR_SLICE_END, FSR_SLICE_END, -3);
    fsr_node y = array(fsr_node_dim(view, 0), fsr_node_dim(view, 1));
    return fsr_add(fsr_update(x, view, fsr_neg(y)), x);
}

static void maps(void **state) {
    (void)state;
    check(side_by_side(9, 8, 16, 1), FSR_SCHEDULE_MAP, 4);
    check(side_by_side(9, 6, 17, 1), FSR_SCHEDULE_MAP, 1);
    check(side_by_side(12, 5, 7, 0), FSR_SCHEDULE_MAP, 4);
    check(stepped(7, 23), FSR_SCHEDULE_MAP, 1);
    fsr_node x = array(6, 20);
    check(fsr_add(x, fsr_roll(x, SHAPE(37), NULL, 1)), FSR_SCHEDULE_MAP, 1);
    check(fsr_transpose(fsr_roll(x, SHAPE(2, -8), AXES(0, 1), 2), NULL), FSR_SCHEDULE_MAP, 0);
}

static void rows(void **state) {
    (void)state;
    check(fsr_sum(side_by_side(9, 8, 16, 1), AXES(1), 1, 0), FSR_SCHEDULE_ROW, 4);
    check(fsr_sum(side_by_side(9, 5, 18, 1), AXES(1), 1, 0), FSR_SCHEDULE_ROW, 1);
    fsr_node x = side_by_side(5, 12, 4, 1);
    check(fsr_div(x, fsr_sum(x, AXES(1), 1, FSR_KEEPDIMS)), FSR_SCHEDULE_ROW, 4);
    fsr_node cube = fsr_concat((fsr_node[]){fsr_expand(array(6, 8), 1), fsr_expand(array(6, 8), 1)}, 2, 1);
    check(fsr_sum(cube, AXES(1, 2), 2, 0), FSR_SCHEDULE_ROW, 0);
}

static void columns(void **state) {
    (void)state;
    check(fsr_sum(side_by_side(40, 3, 5, 0), AXES(0), 1, 0), FSR_SCHEDULE_COL, 4);
    check(fsr_sum(side_by_side(8, 12, 20, 1), AXES(0), 1, 0), FSR_SCHEDULE_COL, 4);
    check(fsr_sum(stepped(9, 35), AXES(0), 1, 0), FSR_SCHEDULE_COL, 1);
    check(fsr_cumsum(side_by_side(40, 3, 5, 0), AXES(0), 1, 0), FSR_SCHEDULE_COL, 0);
}

/* Scans from the end: every load and store runs backwards, guards with them. */
static void backwards(void **state) {
    (void)state;
    check(fsr_cumsum(side_by_side(9, 8, 16, 1), AXES(1), 1, FSR_REVERSE), FSR_SCHEDULE_ROW, 0);
    check(fsr_cummin(side_by_side(9, 5, 290, 1), AXES(1), 1, FSR_REVERSE | FSR_EXCLUSIVE), FSR_SCHEDULE_ROW, 0);
    check(fsr_cumsum(side_by_side(40, 3, 5, 0), AXES(0), 1, FSR_REVERSE | FSR_EXCLUSIVE), FSR_SCHEDULE_COL, 0);
    fsr_node x = side_by_side(1, 30000, 12000, 1);
    check(fsr_sub(fsr_cummax(x, AXES(1), 1, FSR_REVERSE), x), FSR_SCHEDULE_LOOKBACK, 0);
}

/* One row of many columns. */
static void long_rows(void **state) {
    (void)state;
    fsr_node x = side_by_side(1, 30000, 12000, 1);
    check(fsr_max(x, AXES(1), 1, 0), FSR_SCHEDULE_SPLIT, 0);
    check(fsr_cummax(x, AXES(1), 1, 0), FSR_SCHEDULE_LOOKBACK, 0);
}

/* Both neighbours along both axes of x with a border of `mode`, beside x itself. */
static fsr_node neighbours(fsr_node x, fsr_pad mode) {
    const int64_t rows = fsr_node_dim(x, 0), cols = fsr_node_dim(x, 1);
    fsr_node p = fsr_pad(x, (const int64_t[][2]){{1, 1}, {1, 1}}, mode, 0.5), sum = fsr_mul(x, x);
    for (int i = 0; i < 4; i++) {
        const int64_t row = i == 0 ? 0 : i == 1 ? 2 : 1, col = i == 2 ? 0 : i == 3 ? 2 : 1;
        fsr_node part = fsr_slice(fsr_slice(p, 0, row, row + rows, 1), 1, col, col + cols, 1);
        sum = i % 2 ? fsr_sub(sum, part) : fsr_add(sum, part);
    }
    return sum;
}

/* The inside is a version of its own where it is most of the array. Where an update leaves most of an array alone, a second
 * program would spare little. */
static void stencils(void **state) {
    (void)state;
    static const fsr_pad mode[] = {FSR_PAD_CONSTANT, FSR_PAD_EDGE, FSR_PAD_REFLECT, FSR_PAD_SYMMETRIC, FSR_PAD_WRAP};
    for (size_t i = 0; i < sizeof mode / sizeof *mode; i++) {
        check_versions(neighbours(array(40, 60), mode[i]), FSR_SCHEDULE_MAP, 1, 1);
        check_versions(neighbours(array(5, 300), mode[i]), FSR_SCHEDULE_MAP, 1, 0);
    }
    check_versions(side_by_side(9, 3, 160, 1), FSR_SCHEDULE_MAP, 1, 1);
    fsr_node x = array(20, 50);
    check_versions(fsr_update(x, fsr_slice(x, 1, 7, 9, 1), array(20, 2)), FSR_SCHEDULE_MAP, 0, 0);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {TEST(maps),      TEST(rows),      TEST(columns),
                                       TEST(backwards), TEST(long_rows), TEST(stencils)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
