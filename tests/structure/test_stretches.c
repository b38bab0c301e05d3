/* SPDX-License-Identifier: MIT */
/* Arrays that are stretched by a reshape of a broadcast, and edges that are taken at clipped places: on a GPU kernels
 * read what is stretched or clipped where it lies, no copy of it is stored. */
#include "fusion/interval.h"
#include "fusor/expr.h"
#include "tests/structure/plans.h"
#include "tests/support/one_graph.h"

/* Each kernel computes something, and there are at most so many. */
static void check_no_copy(fsr_node out, int kernels) {
    fsr_program p = plan_of(&target_gpu, &out, 1);
    bool good = p.info.kernels <= kernels && !strstr(p.explanation, "k_copy_");
    if (!good)
        print_error("at most %d kernels\n%s", kernels, p.explanation);
    fsr_program_clear(&p);
    assert_true(good);
}

/* Sums of by x by elements of each of two channels, level after level, then up again by repetition: what is missing in
 * one level comes from the next. */
static fsr_node pyramid(int levels, int by, int64_t rows, int64_t cols) {
    fsr_node level[8];
    level[0] = fsr_expr(g, "x * x[1:]",
                        (fsr_name[]){{"x", fsr_reshape(plan_matrix(g, 2 * rows, cols), 3, SHAPE(2, rows, cols))}}, 1);
    for (int i = 1; i < levels; i++) {
        fsr_node sum = {0};
        for (int k = 0; k < by * by; k++) {
            fsr_node rest = fsr_slice(level[i - 1], 1, k / by, FSR_SLICE_END, by);
            rest = fsr_slice(rest, 2, k % by, FSR_SLICE_END, by);
            sum = k ? fsr_add(sum, rest) : rest;
        }
        level[i] = sum;
    }
    fsr_node up = level[levels - 1];
    for (int i = levels - 2; i >= 0; i--)
        up = fsr_expr(g, "x + (1 - x[1:]) * repeat(repeat(y, n, 1), n, 2)",
                      (fsr_name[]){{"x", level[i]}, {"y", up}, {"n", fsr_int(g, by)}}, 3);
    return up;
}

static void pyramids(void **state) {
    (void)state;
    check_no_copy(pyramid(4, 2, 1536, 2560), 5);
    check_no_copy(pyramid(3, 2, 1024, 512), 5);
    check_no_copy(pyramid(3, 3, 9 * 64, 9 * 128), 5);
    check_no_copy(pyramid(3, 4, 1024, 1024), 5);
}

/* Stretched by places between two neighbours, whose edges are repeated. */
static fsr_node doubled(fsr_node x, int axis) {
    int64_t shape[] = {fsr_node_dim(x, 0), fsr_node_dim(x, 1)};
    shape[axis] *= 2;
    return fsr_reshape(fsr_expr(g,
                                axis ? "e = pad(x, [0, 0, 1, 1], mode=edge); stack(0.25 * e[:, :-2] + 0.75 * x, 0.25 * "
                                       "e[:, 2:] + 0.75 * x, axis=2)"
                                     : "e = pad(x, [1, 1, 0, 0], mode=edge); stack(0.25 * e[:-2] + 0.75 * x, 0.25 * "
                                       "e[2:] + 0.75 * x, axis=1)",
                                (fsr_name[]){{"x", x}}, 1),
                       2, shape);
}

/* Nothing that stands between the two stretches is stored. */
static void between_neighbours(void **state) {
    (void)state;
    fsr_node x = plan_matrix(g, 768, 1280), out = fsr_mul(doubled(doubled(x, 0), 1), plan_matrix(g, 1536, 2560));
    for (int i = 0; i < 2; i++) {
        fsr_program p = plan_of(&target_gpu, &out, 1);
        assert_int_equal(p.info.temporaries, 0);
        fsr_program_clear(&p);
        out = fsr_mul(doubled(doubled(x, 1), 0), plan_matrix(g, 1536, 2560));
    }
}

/* A picture between repeated edges, by clipped places, in a stencil: one kernel, which reads the picture. */
static void clipped(void **state) {
    (void)state;
    fsr_name name[] = {{"x", fsr_sqrt(plan_matrix(g, 1024, 2048))},
                       {"i", fsr_arange(g, FSR_I64, 1026)},
                       {"j", fsr_arange(g, FSR_I64, 2050)}};
    fsr_node out = fsr_expr(g,
                            "e = x[clip(i - 1, 0, 1023)][:, clip(j - 1, 0, 2047)];"
                            "e[:-2, 1:-1] + e[2:, 1:-1] + e[1:-1, :-2] + e[1:-1, 2:] - 4 * e[1:-1, 1:-1]",
                            name, 3);
    fsr_program p = plan_of(&target_gpu, &out, 1);
    assert_int_equal(p.info.kernels, 1);
    assert_int_equal(p.info.bytes_moved, 2 * 1024 * 2048 * 4);
    fsr_program_clear(&p);
}

/* No kernel asks guards, and so many there are. */
static void check_unguarded(fsr_node out, int kernels, int64_t bytes) {
    fsr_program p = plan_of(&target_gpu, &out, 1);
    bool good = p.info.kernels == kernels && p.info.bytes_moved == bytes;
    for (int i = 0; i < plan_nests(&p); i++)
        good = good && plan_nest(&p, i)->nguards == 0;
    if (!good)
        print_error("%s", p.explanation);
    fsr_program_clear(&p);
    assert_true(good);
}

/* Edges that are repeated, and neighbours that are stacked, are choices of a place. */
static void choices_of_places(void **state) {
    (void)state;
    enum { N = 1024 * 2048 * 4 };
    fsr_name name[] = {{"x", plan_matrix(g, 1024, 2048)}};
    check_unguarded(fsr_expr(g, "e = pad(sqrt(x), 1, mode=edge); e[:-2, :-2] + e[2:, 2:] - 2 * e[1:-1, 1:-1]", name, 1),
                    1, 2 * N);
    check_unguarded(fsr_expr(g, "e = pad(x, [0, 0, 2, 0], mode=edge); e[:, 2:] - e[:, :-2]", name, 1), 1, 2 * N);
    check_unguarded(doubled(doubled(plan_matrix(g, 1024, 2048), 0), 1), 1, 5 * N);
    check_unguarded(
        fsr_expr(g, "stack(exp(x[:, :-3]), exp(x[:, 1:-2]), exp(x[:, 2:-1]), exp(x[:, 3:]), axis=2)", name, 1), 1,
        N + 4 * 1024 * 2045 * 4);
}

/* How many places a kernel clips; -1: one of them is a number of 64 bits. */
static int clipped_places(const fsr_kernel *k) {
    int n = 0;
    bool near = true;
    for (int i = 0; i < k->ninsts; i++) {
        n += k->inst[i].kind == FSR_INST_INSIDE;
        near = near && (k->inst[i].kind != FSR_INST_INSIDE || fsr_value_was_near(k, k->inst[i].arg[0]));
    }
    return near ? n : -1;
}

/* A place that is clipped is one however it was come to: of two arrays with edges, of a pad and of a slice with its
 * last row repeated, the row below is the same number. */
static void places_are_one(void **state) {
    (void)state;
    fsr_name name[] = {{"x", plan_matrix(g, 1024, 2048)}, {"y", plan_matrix(g, 1024, 2048)}};
    static const char *const text[] = {
        "e = pad(x, 1, mode=edge); e[:-2, 1:-1] + e[2:, 1:-1] * concat(y[1:], y[-1:]) + e[1:-1, :-2] + e[1:-1, 2:] * "
        "concat(y[:, 1:], y[:, -1:], axis=1)",
        "e = pad(x, 2, mode=edge); e[1:-3, 2:-2] + e[3:-1, 2:-2] + pad(y, [0, 0, 1, 1], mode=edge)[:, 2:] + e[2:-2, "
        "1:-3]"};
    for (int i = 0; i < 2; i++) {
        fsr_node out = fsr_expr(g, text[i], name, 2);
        fsr_program p = plan_of(&target_gpu, &out, 1);
        assert_int_equal(p.info.kernels, 1);
        assert_int_equal(clipped_places(plan_nest(&p, 0)), 4);
        fsr_program_clear(&p);
    }
}

/* An index of 8 bits is no index of more elements than these count: what is taken from 127 on is x[0]. */
static void short_indices_wrap(void **state) {
    (void)state;
    fsr_node i = fsr_cast(fsr_arange(g, FSR_I64, 2048), FSR_I8);
    fsr_node out = fsr_sqrt(fsr_take(plan_matrix(g, 1024, 2048), i, 1, FSR_INDEX_CLIP));
    fsr_program p = plan_of(&target_gpu, &out, 1);
    assert_int_equal(clipped_places(plan_nest(&p, 0)), 1);
    fsr_program_clear(&p);
}

/* What neighbours read and sums over everything go over is stored by the kernel of these sums, which computes it in any
 * case. */
static void stored_by_a_fold(void **state) {
    (void)state;
    fsr_name name[] = {{"x", plan_matrix(g, 2048, 2048)}};
    fsr_node out = fsr_expr(g,
                            "j = exp(x); e = pad(j, 1, mode=edge); s = e[:-2, 1:-1] + e[2:, 1:-1] + e[1:-1, :-2] + "
                            "e[1:-1, 2:] - 4 * j; s / (mean(j) * j)",
                            name, 1);
    fsr_program p = plan_of(&target_gpu, &out, 1);
    const fsr_kernel *k = plan_nest(&p, 0);
    bool beside = false;
    for (int i = 0; i < k->ninsts; i++)
        beside = beside || (k->inst[i].kind == FSR_INST_STORE && k->stand[i].level == FSR_ELEM);
    assert_int_equal(p.info.kernels, 2);
    assert_int_equal(k->npasses, 1);
    assert_true(beside);
    fsr_program_clear(&p);
}

/* Neighbours of a thread that are no neighbours in memory are in other threads. */
static void strides_have_no_vectors(void **state) {
    (void)state;
    fsr_name name[] = {{"x", plan_matrix(g, 1024, 2048)}};
    static const char *const text[] = {"x[:, ::2] + x[:, 1::2]", "x[:, :-4] + x[:, 4:]",
                                       "e = pad(x, 1, mode=edge); e[1:-1:2, ::2]"};
    for (int i = 0; i < 3; i++) {
        fsr_node out = fsr_expr(g, text[i], name, 1);
        fsr_program p = plan_of(&target_gpu, &out, 1);
        assert_int_equal(fsr_program_kernel(&p, 0)->kernel->schedule.vector, i == 1 ? 4 : 1);
        fsr_program_clear(&p);
    }
}

/* Steps of neighbours behind a repeated edge: two of four are a kernel. What is at a neighbour's neighbour is there
 * again for each way that leads to it, so that three are no cheap kernel, which had been lowered in parts then. */
static void steps_behind_an_edge(void **state) {
    (void)state;
    fsr_node x = plan_matrix(g, 513, 511), power = plan_matrix(g, 513, 511);
    for (int i = 0; i < 4; i++)
        x = fsr_expr(g, "x + (y + q[2:, 1:-1] + q[:-2, 1:-1] + q[1:-1, 2:] + q[1:-1, :-2] - 4 * x) * 0.1",
                     (fsr_name[]){{"x", x},
                                  {"y", power},
                                  {"q", fsr_pad(x, (const int64_t[][2]){{1, 1}, {1, 1}}, FSR_PAD_EDGE, 0)}},
                     3);
    fsr_program p = plan_of(&target_gpu, &x, 1);
    const bool good = p.info.kernels == 2;
    if (!good)
        print_error("%s", p.explanation);
    fsr_program_clear(&p);
    assert_true(good);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(pyramids),          TEST(between_neighbours),      TEST(clipped),
        TEST(choices_of_places), TEST(places_are_one),          TEST(short_indices_wrap),
        TEST(stored_by_a_fold),  TEST(strides_have_no_vectors), TEST(steps_behind_an_edge)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
