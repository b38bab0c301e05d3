/* SPDX-License-Identifier: MIT */
/* What the shape functions become: kernels, temporaries and bytes of each pattern, on both targets. "Once" is every
 * input read once and every element of the result written once. */
#include "tests/structure/plans.h"
#include "tests/support/one_graph.h"

static void check_on(const fsr_target *target, const fsr_node *outs, int n, int64_t bytes, int vector, int kernels) {
    fsr_program p = plan_of(target, outs, n);
    bool good = p.info.kernels == kernels && p.info.temporaries == 0 && p.info.bytes_moved == bytes;
    good = good && (!vector || fsr_program_kernel(&p, 0)->kernel->schedule.vector == vector);
    if (!good)
        print_error("on the %s: %lld bytes wanted\n%s\n", target->gpu ? "GPU" : "CPU", (long long)bytes, p.explanation);
    fsr_program_clear(&p);
    assert_true(good);
}

/* One kernel, no temporary, so many bytes; vector: on the GPU, 0: not looked at. */
static void check(fsr_node x, int64_t bytes, int vector) {
    check_on(&target_gpu, &x, 1, bytes, vector, 1);
    check_on(&target_cpu, &x, 1, bytes, 0, 1);
}

/* The same, but that on a CPU two kernels write parts of the result, each without a choice. */
static void check_divided(fsr_node x, int64_t bytes, int vector) {
    check_on(&target_gpu, &x, 1, bytes, vector, 1);
    check_on(&target_cpu, &x, 1, bytes, 0, 2);
}

enum { ROWS = 1000, COLS = 512, N = ROWS * COLS * 4 };

static void concat(void **state) {
    (void)state;
    fsr_node x = plan_matrix(g, ROWS, COLS), y = plan_matrix(g, ROWS, COLS), z = plan_matrix(g, ROWS, COLS);
    check(fsr_concat((fsr_node[]){x, y, z}, 3, 0), 6 * N, 4);
    check(fsr_concat((fsr_node[]){x, y, z}, 3, 1), 6 * N, 4);
    check(fsr_stack((fsr_node[]){x, y}, 2, 0), 4 * N, 4);
    check_divided(fsr_stack((fsr_node[]){x, y}, 2, -1), 4 * N, 1);
    check(fsr_exp(fsr_concat((fsr_node[]){fsr_mul(x, y), fsr_sub(y, z)}, 2, 1)), 5 * N, 4);
    check(fsr_sum(fsr_concat((fsr_node[]){x, y}, 2, 1), AXES(1), 1, 0), 2 * N + ROWS * 4, 4);
    fsr_node odd = plan_matrix(g, ROWS, 3);
    check(fsr_concat((fsr_node[]){x, odd}, 2, 1), 2 * (N + ROWS * 12), 1);
}

/* Sixteen arrays: each read once. */
static void concat_of_many(void **state) {
    (void)state;
    fsr_node x[16];
    for (int i = 0; i < 16; i++)
        x[i] = plan_vector(g, 4096);
    check_divided(fsr_concat(x, 16, 0), 2 * 16 * 4096 * 4, 4);
}

static void roll(void **state) {
    (void)state;
    fsr_node x = plan_matrix(g, ROWS, COLS);
    check(fsr_roll(x, SHAPE(4), AXES(1), 1), 2 * N, 4);
    check(fsr_roll(x, SHAPE(-3, 7), AXES(0, 1), 2), 2 * N, 1);
    check(fsr_roll(x, SHAPE(1024), NULL, 1), 2 * N, 4);
    check(fsr_add(x, fsr_roll(x, SHAPE(5), NULL, 1)), 2 * N, 1);
}

static void update(void **state) {
    (void)state;
    fsr_node x = plan_matrix(g, ROWS, COLS), y = plan_matrix(g, 500, COLS), c = plan_vector(g, ROWS);
    check(fsr_update(x, fsr_slice(x, 0, 0, 500, 1), y), 2 * N + N / 2, 4);
    check(fsr_update(x, fsr_slice(x, 0, FSR_SLICE_END, FSR_SLICE_END, 2), fsr_exp(y)), 2 * N + N / 2, 0);
    check(fsr_update(x, fsr_slice(x, 1, 3, 4, 1), fsr_expand(c, 1)), 2 * N + ROWS * 4, 1);
    check(fsr_update(x, fsr_slice(x, 1, 3, 4, 1), fsr_float(g, 2)), 2 * N, 1);
    check(fsr_update(x, fsr_transpose(x, NULL), plan_matrix(g, COLS, ROWS)), 2 * N, 0);
}

static void pad(void **state) {
    (void)state;
    fsr_node x = plan_matrix(g, ROWS, COLS);
    const int64_t width[][2] = {{1, 2}, {4, 4}};
    for (int mode = FSR_PAD_CONSTANT; mode <= FSR_PAD_WRAP; mode++)
        check(fsr_pad(x, width, (fsr_pad)mode, 1), N + (ROWS + 3) * (COLS + 8) * 4, 0);
    check(fsr_pad(x, width, FSR_PAD_CONSTANT, 1), N + (ROWS + 3) * (COLS + 8) * 4, 4);
}

/* A broadcast and a reshape, anywhere in an expression: the domain has a dimension for each of the copy's and of x's
 * own. A CPU stores the copies first where its inner loop would have a few rounds only. */
static void tile_and_repeat(void **state) {
    (void)state;
    fsr_node x = plan_matrix(g, ROWS, COLS);
    check(fsr_tile(x, 2, SHAPE(2, 3)), 7 * N, 4);
    check(fsr_tile(fsr_sqrt(x), 3, SHAPE(2, 1, 1)), 3 * N, 4);
    check(fsr_repeat(x, 4, AXES(1)), 5 * N, 4);
    check(fsr_repeat(x, 2, AXES(0)), 3 * N, 4);
    check(fsr_neg(fsr_tile(x, 2, SHAPE(2, 3))), 7 * N, 4);
    check(fsr_add(fsr_tile(x, 2, SHAPE(1, 2)), plan_matrix(g, ROWS, 2 * COLS)), 5 * N, 4);
    check(fsr_neg(fsr_repeat(x, 4, AXES(0))), 5 * N, 4);
    check(fsr_sum(fsr_tile(x, 2, SHAPE(2, 3)), NULL, 0, 0), N + 4, 0);
    check(fsr_sum(fsr_tile(x, 2, SHAPE(1, 3)), AXES(1), 1, 0), N + ROWS * 4, 0);
    fsr_node short_runs = fsr_exp(fsr_repeat(x, 4, AXES(1)));
    check_on(&target_gpu, &short_runs, 1, 5 * N, 0, 1);
    fsr_program p = plan_of(&target_cpu, &short_runs, 1);
    assert_int_equal(plan_nests(&p), 2);
    assert_non_null(strstr(p.explanation, "a reshape of a view has no affine index"));
    fsr_program_clear(&p);
}

/* Reductions of what was pasted read the parts where they are, also through a reshape, and so do the folds and maps
 * that come after. */
static void folds_of_pastes(void **state) {
    (void)state;
    fsr_node x = plan_matrix(g, ROWS, COLS), y = plan_matrix(g, ROWS, COLS), v = plan_vector(g, 5000);
    fsr_node wide = fsr_concat((fsr_node[]){x, y}, 2, 1), tall = fsr_concat((fsr_node[]){x, y}, 2, 0), all[2];
    const int64_t width[][2] = {{1, 2}, {3, 5}};
    for (int axis = 0; axis < 2; axis++) {
        check(fsr_sum(wide, AXES(axis), 1, 0), 2 * N + (axis ? ROWS : 2 * COLS) * 4, 0);
        check(fsr_var(tall, AXES(axis), 1, 0, 0), 2 * N + (axis ? 2 * ROWS : COLS) * 4, 0);
    }
    check(fsr_sum(wide, NULL, 0, 0), 2 * N + 4, 0);
    check(fsr_sum(fsr_ravel(wide), NULL, 0, 0), 2 * N + 4, 0);
    check(fsr_argmax(wide, NULL, 0, 0), 2 * N + 8, 0);
    fsr_node longer = plan_matrix(g, ROWS, 4 * COLS); /* of shorter ones a store costs less than their torn rows */
    check(fsr_max(fsr_pad(longer, width, FSR_PAD_REFLECT, 0), AXES(1), 1, 0), 4 * N + (ROWS + 3) * 4, 0);
    check(fsr_sum(fsr_update(x, fsr_slice(x, 1, 0, FSR_SLICE_END, 2), fsr_float(g, 1)), NULL, 0, 0), N + 4, 0);
    check(fsr_sub(wide, fsr_mean(wide, AXES(1), 1, FSR_KEEPDIMS)), 4 * N, 0);
    check(fsr_cumsum(fsr_concat((fsr_node[]){v, v}, 2, 0), AXES(0), 1, 0), 3 * 20000, 0);
    all[0] = fsr_sum(fsr_ravel(wide), NULL, 0, 0);
    all[1] = fsr_exp(wide);
    check_on(&target_gpu, all, 2, 4 * N + 4, 0, 1);
    check_on(&target_cpu, all, 2, 4 * N + 4, 0, 1);
}

/* Views and what is computed from an index: nothing is read but the array. */
static void made_arrays(void **state) {
    (void)state;
    fsr_node x = plan_matrix(g, ROWS, COLS), grid[2], half[2];
    fsr_meshgrid(grid, (fsr_node[]){plan_vector(g, COLS), plan_vector(g, ROWS)}, 2, FSR_XY);
    check(fsr_triu(x, 1), 2 * N, 0);
    check(fsr_mul(x, fsr_eye(g, FSR_F32, ROWS, COLS, -2)), 2 * N, 0);
    check(fsr_diff(x, 2, 1), N + ROWS * (COLS - 2) * 4, 0);
    check(fsr_add(grid[0], grid[1]), N + (ROWS + COLS) * 4, 0);
    check(fsr_linspace(g, FSR_F64, 0, 1, 1000, true), 8000, 0);
    fsr_split(half, x, 2, 1);
    check(fsr_add(half[0], half[1]), N + N / 2, 0);
}

/* Another extent is another argument, not another kernel. */
static void generic_in_sizes(void **state) {
    (void)state;
    char *name[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        fsr_node x = plan_matrix(g, 100 + 40 * i, 200), y = plan_matrix(g, 100 + 40 * i, 60 + 20 * i);
        fsr_node all = fsr_concat((fsr_node[]){x, y, fsr_neg(x)}, 3, 1);
        fsr_program p = plan_of(&target_gpu, &all, 1);
        name[i] = strdup(fsr_program_kernel(&p, 0)->kernel->name);
        fsr_program_clear(&p);
    }
    assert_string_equal(name[0], name[1]);
    free(name[0]);
    free(name[1]);
}

/* However many nodes a kernel fuses, explain names each of them. */
static void named_to_the_last(void **state) {
    (void)state;
    enum { OPS = 150 };
    fsr_node x = plan_matrix(g, 8, 8);
    for (int i = 0; i < OPS; i++)
        x = i % 2 ? fsr_sin(x) : fsr_cos(x);
    x = fsr_tanh(x);
    fsr_program p = plan_of(&target_cpu, &x, 1);
    const char *comment = fsr_program_kernel(&p, 0)->kernel->comment;
    int names = 1;
    for (const char *at = comment; (at = strchr(at, ',')); at++)
        names++;
    assert_int_equal(p.info.kernels, 1);
    assert_int_equal(names, OPS + 1);
    assert_string_equal(comment + strlen(comment) - 9, "sin, tanh");
    fsr_program_clear(&p);
}

/* What does not fuse, and why. */
static void refusals(void **state) {
    (void)state;
    fsr_node x = plan_matrix(g, 64, 64), sum = fsr_cumsum(x, AXES(1), 1, 0);
    fsr_node moved = fsr_roll(sum, SHAPE(3), AXES(1), 1);
    fsr_program p = plan_of(&target_cpu, &moved, 1);
    assert_int_equal(p.info.kernels, 2);
    assert_non_null(
        strstr(p.explanation, "not fused: cumsum (%3) into paste (%7): the fold's result is needed in another order"));
    fsr_program_clear(&p);
    fsr_node flat = fsr_slice(fsr_ravel(fsr_slice(x, 1, 1, 62, 1)), 0, 1, FSR_SLICE_END, 1);
    fsr_node out = fsr_add(flat, plan_vector(g, 64 * 61 - 1)); /* row and column of element i: a division of i + 1 */
    p = plan_of(&target_cpu, &out, 1);
    assert_int_equal(plan_nests(&p), 2);
    assert_non_null(strstr(p.explanation, "a reshape of a view has no affine index"));
    fsr_program_clear(&p);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {TEST(concat),
                                       TEST(concat_of_many),
                                       TEST(roll),
                                       TEST(update),
                                       TEST(pad),
                                       TEST(tile_and_repeat),
                                       TEST(folds_of_pastes),
                                       TEST(made_arrays),
                                       TEST(generic_in_sizes),
                                       TEST(named_to_the_last),
                                       TEST(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
