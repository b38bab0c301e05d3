/* SPDX-License-Identifier: MIT */
/* Generated CUDA with computed addresses, on the host: programs of every schedule, planned as for a GPU, against the
 * interpreter of the loop IR. Arrays have their exact size, so that under the address sanitizer a wild read is seen; and
 * no index of theirs is outside, so that every report is a false one, of an element that is not there. */
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

/* n indices, all inside of [-of, of), of numbers that are not 0: what a thread has where there is no element is 0, and that
 * would be outside. */
static fsr_node indices(int64_t n, int64_t of) {
    fsr_node i = fsr_input(g, "i", FSR_I32, 1, SHAPE(n));
    fsr_node inside = fsr_sub(fsr_mod(i, fsr_int(g, of)), fsr_int(g, of));
    return fsr_where(fsr_equal(i, fsr_int(g, 0)), fsr_int(g, of), inside);
}

/* The arrays of one launch; those of leaves hold numbers, all others a pattern. */
static void arrays(const fsr_program_step *step, const int64_t *leaf, int64_t out, fsr_launch *launch, void **keep) {
    for (int a = 0; a < step->kernel->narrays; a++) {
        const bool is_leaf = step->use[a].slot.home == FSR_HOME_LEAF, word = step->use[a].slot.home == FSR_HOME_REPORT;
        const int64_t n = word ? 2 : is_leaf ? leaf[step->use[a].slot.ordinal] : out;
        float *x = keep[a] = calloc((size_t)n, sizeof(float));
        for (int64_t i = 0; i < n && !word; i++)
            if (step->kernel->array[a].dtype == FSR_I32)
                ((int32_t *)keep[a])[i] = 1 + (int32_t)(i * 37 + 5) % 999;
            else
                x[i] = is_leaf ? (float)((i * 37 + a * 11) % 101) / 8 : -1;
        launch->array[a] = keep[a];
    }
}

static void compare(const fsr_program_step *step, int64_t out, void *const *got, void *const *want, const char *text) {
    for (int a = 0; a < step->kernel->narrays; a++) {
        const float *x = got[a], *y = want[a];
        if (step->use[a].slot.home == FSR_HOME_REPORT && *(uint64_t *)got[a])
            fail_msg("%s: reports %lld\n%s", step->kernel->comment, (long long)*(int64_t *)got[a], text);
        for (int64_t i = 0; step->use[a].slot.home == FSR_HOME_OUTPUT && i < out; i++)
            if (x[i] != y[i] && !(x[i] < y[i] * 1.0001 && x[i] > y[i] * 0.9999))
                fail_msg("%s: element %lld is %g, not %g\n%s", step->kernel->comment, (long long)i, x[i], y[i], text);
    }
}

static void run(const fsr_program_step *step, const int64_t *leaf, int64_t out) {
    const fsr_kernel *k = step->kernel;
    fsr_launch launch = step->launch;
    fsr_fault fault = {FSR_OK, NULL};
    fsr_text text = {0};
    void *want[FSR_MAX_BUFFERS], *got[FSR_MAX_BUFFERS];
    assert_int_equal(fsr_emit_cuda_for_host(k, &text), FSR_OK);
    arrays(step, leaf, out, &launch, want);
    assert_int_equal(fsr_kernel_interpret(k, &launch), FSR_OK);
    for (uint64_t seed = 0; seed < 2; seed++) {
        arrays(step, leaf, out, &launch, got);
        launch.work = malloc((size_t)step->work_bytes + 1);
        launch.zero = calloc(1, (size_t)step->zero_bytes + 1);
        if (host_cuda_run(k, text.data, &launch, seed, &fault))
            fail_msg("%s: %s\n%s", k->comment, fault.message, text.data);
        compare(step, out, got, want, text.data);
        for (int a = 0; a < k->narrays; a++)
            free(got[a]);
        free(launch.work);
        free(launch.zero);
    }
    for (int a = 0; a < k->narrays; a++)
        free(want[a]);
    fsr_text_free(&text);
}

/* The plan of x must be one kernel of that schedule. */
static void check(fsr_node x, fsr_schedule_kind kind, int vector) {
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
    if (fsr_program_kernel(&program, 0)->kernel->schedule.kind != kind ||
        (vector && fsr_program_kernel(&program, 0)->kernel->schedule.vector != vector))
        fail_msg("%s: schedule %s, vector %d", fsr_program_kernel(&program, 0)->kernel->comment,
                 fsr_schedule_name(fsr_program_kernel(&program, 0)->kernel->schedule.kind),
                 fsr_program_kernel(&program, 0)->kernel->schedule.vector);
    run(fsr_program_kernel(&program, 0), leaf, fsr_node_size(x));
    fsr_program_clear(&program);
}

/* Elements of a row; rows; of a computed array; two axes at once. */
static fsr_node picked(int64_t rows, int64_t n, int64_t from) {
    fsr_node x = n > from ? array(rows, from) : fsr_mul(array(rows, from), fsr_float(g, 2));
    return fsr_take(x, indices(n, from), 1, FSR_BOUND_RAISE);
}
static fsr_node chosen(int64_t n, int64_t cols, int64_t from) {
    return fsr_take(array(from, cols), indices(n, from), 0, FSR_BOUND_RAISE);
}
static fsr_node twice(int64_t n) {
    fsr_node i = indices(n, 7), j = indices(n, 11);
    return fsr_index(array(7, 11), ((fsr_node[]){fsr_expand(i, 1), j}), 2, FSR_BOUND_WRAP);
}

static void maps(void **state) {
    (void)state;
    check(fsr_add(chosen(40, 12, 9), array(40, 12)), FSR_SCHEDULE_MAP, 2);
    check(fsr_add(chosen(40, 13, 9), array(40, 13)), FSR_SCHEDULE_MAP, 0);
    check(fsr_neg(picked(6, 64, 33)), FSR_SCHEDULE_MAP, 0);
    check(fsr_neg(picked(6, 61, 33)), FSR_SCHEDULE_MAP, 0);
    check(fsr_neg(fsr_reshape(picked(1, 1001, 33), 1, SHAPE(1001))), FSR_SCHEDULE_MAP, 0);
    check(fsr_neg(twice(10)), FSR_SCHEDULE_MAP, 0);
    check(fsr_concat((fsr_node[]){picked(5, 6, 8), array(5, 10)}, 2, 1), FSR_SCHEDULE_MAP, 0);
}

static void rows(void **state) {
    (void)state;
    check(fsr_sum(picked(9, 64, 33), AXES(1), 1, 0), FSR_SCHEDULE_ROW, 0);
    check(fsr_sum(picked(9, 61, 70), AXES(1), 1, 0), FSR_SCHEDULE_ROW, 0);
    check(fsr_sum(chosen(9, 64, 33), AXES(1), 1, 0), FSR_SCHEDULE_ROW, 0);
    fsr_node x = chosen(9, 40, 5);
    check(fsr_div(x, fsr_sum(x, AXES(1), 1, FSR_KEEPDIMS)), FSR_SCHEDULE_ROW, 0);
    x = picked(9, 40, 5);
    check(fsr_div(x, fsr_sum(x, AXES(1), 1, FSR_KEEPDIMS)), FSR_SCHEDULE_ROW, 0);
    check(fsr_cumsum(picked(9, 40, 5), AXES(1), 1, 0), FSR_SCHEDULE_ROW, 0);
    fsr_node cube = fsr_take(fsr_input(g, "c", FSR_F32, 3, SHAPE(6, 5, 9)), indices(8, 5), 1, FSR_BOUND_RAISE);
    check(fsr_sum(cube, AXES(1, 2), 2, 0), FSR_SCHEDULE_ROW, 0);
    /* What the scan gives is an index: a load in a later stage. */
    x = fsr_cumsum(fsr_input(g, "i", FSR_I32, 2, SHAPE(4, 30)), AXES(1), 1, 0);
    check(fsr_take(fsr_input(g, "t", FSR_F32, 1, SHAPE(17)), x, 0, FSR_BOUND_WRAP), FSR_SCHEDULE_ROW, 0);
}

static void columns(void **state) {
    (void)state;
    check(fsr_sum(chosen(40, 8, 5), AXES(0), 1, 0), FSR_SCHEDULE_COL, 2);
    check(fsr_sum(picked(40, 20, 5), AXES(0), 1, 0), FSR_SCHEDULE_ROW, 0);
    check(fsr_cumsum(chosen(40, 8, 5), AXES(0), 1, 0), FSR_SCHEDULE_COL, 0);
}

static void long_rows(void **state) {
    (void)state;
    check(fsr_max(picked(1, 42000, 300), AXES(1), 1, 0), FSR_SCHEDULE_SPLIT, 0);
    check(fsr_cummax(picked(1, 42000, 300), AXES(1), 1, 0), FSR_SCHEDULE_LOOKBACK, 0);
}

/* A run of neighbours that begins where a value says. */
static void slices(void **state) {
    (void)state;
    fsr_node from[] = {fsr_reshape(fsr_input(g, "r", FSR_I32, 1, SHAPE(1)), 0, NULL)};
    check(fsr_neg(fsr_dynamic_slice(array(30, 40), ((fsr_node[]){from[0], from[0]}), SHAPE(7, 16))), FSR_SCHEDULE_MAP,
          0);
    check(fsr_sum(fsr_dynamic_slice(array(30, 40), ((fsr_node[]){from[0], from[0]}), SHAPE(7, 16)), AXES(1), 1, 0),
          FSR_SCHEDULE_ROW, 0);
}

static void updates(void **state) {
    (void)state;
    fsr_node from = fsr_reshape(fsr_input(g, "r", FSR_I32, 1, SHAPE(1)), 0, NULL);
    fsr_node moved = fsr_dynamic_update(array(30, 40), fsr_neg(array(7, 16)), ((fsr_node[]){from, from}));
    check(fsr_neg(moved), FSR_SCHEDULE_MAP, 0);
    check(fsr_sum(moved, AXES(1), 1, 0), FSR_SCHEDULE_ROW, 0);
    check(fsr_sum(moved, AXES(0), 1, 0), FSR_SCHEDULE_COL, 0);
    check(fsr_cumsum(moved, AXES(1), 1, 0), FSR_SCHEDULE_ROW, 0);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {TEST(maps),      TEST(rows),   TEST(columns),
                                       TEST(long_rows), TEST(slices), TEST(updates)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
