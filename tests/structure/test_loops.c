/* SPDX-License-Identifier: MIT */
/* Loops for each element: one kernel with what is before and after them, nothing read that need not be; and never two
 * runs of one loop, whoever asks for its results. */
#include "fusor/expr.h"
#include "tests/structure/plans.h"
#include "tests/support/one_graph.h"

static void goes_on(fsr_node *out, const fsr_node *s, const fsr_node *a, void *user) {
    (void)user;
    out[0] = fsr_less(s[0], a[0]);
}
static void turn(fsr_node *out, const fsr_node *s, const fsr_node *a, void *user) {
    (void)user;
    out[0] = fsr_add(fsr_mul(s[0], s[0]), a[0]);
    out[1] = fsr_sub(s[1], s[0]);
}

/* States of x and 0, and the count. */
static void loop_of(fsr_node x, fsr_node *out) {
    static const fsr_loop loop = {turn, goes_on, NULL, 2, 1};
    fsr_node two = fsr_full(g, FSR_F32, 0, NULL, 2), zero = fsr_zeros(g, FSR_F32, 0, NULL);
    fsr_iterate(out, &loop, (fsr_node[]){x, zero}, &two, 50);
}

static int runs(const fsr_program *p) {
    int n = 0;
    for (int s = 0; s < p->info.kernels; s++)
        for (int i = 0; i < fsr_program_kernel(p, s)->kernel->ninsts; i++)
            n += fsr_program_kernel(p, s)->kernel->inst[i].kind == FSR_INST_ITERATE;
    return n;
}

/* So many kernels; each loop in one of them; bytes: read and written, -1: any. */
static void check(const char *what, const fsr_node *outs, int n, int gpu, int cpu, int loops, int64_t bytes) {
    for (int on = 0; on < 2; on++) {
        fsr_program p = plan_of(on ? &target_gpu : &target_cpu, outs, n);
        bool good =
            p.info.kernels == (on ? gpu : cpu) && runs(&p) == loops && (bytes < 0 || p.info.bytes_moved == bytes);
        if (!good)
            print_error("%s on the %s: %d loops run\n%s\n", what, on ? "GPU" : "CPU", runs(&p), p.explanation);
        fsr_program_clear(&p);
        assert_true(good);
    }
}

/* Lines of columns so far apart are pushed out before the next column asks for them, so that the loop is stored along
 * rows: sums down columns take 26 ms of a thread for 168 with AVX2, beside sums along rows 48 for 545. */
enum { ROWS = 4096, COLS = 4096, N = ROWS * COLS, NEAR = 3000 };

static void one_kernel(void **state) {
    (void)state;
    fsr_node x = plan_matrix(g, ROWS, COLS), y = plan_matrix(g, ROWS, COLS), t[3], u[3];
    fsr_node index = fsr_mul(fsr_arange(g, FSR_F32, COLS), fsr_expand(fsr_arange(g, FSR_F32, ROWS), 1));
    loop_of(fsr_mul(x, fsr_float(g, 0.5)), t);
    check("maps", (fsr_node[]){fsr_add(fsr_sqrt(t[0]), y), t[2]}, 2, 1, 1, 1, 4 * 4 * (int64_t)N);
    check("a reduction", (fsr_node[]){fsr_sum(t[2], AXES(1), 1, 0), fsr_max(t[0], AXES(1), 1, 0)}, 2, 1, 1, 1,
          4 * (int64_t)N + 12 * ROWS);
    fsr_node x4 = plan_matrix(g, N / 4, 4);
    loop_of(x4, u);
    check("rows of a few columns", (fsr_node[]){fsr_sum(u[1], AXES(1), 1, 0)}, 1, 1, 2, 1, -1);
    loop_of(fsr_max(x4, AXES(1), 1, 0), u);
    check("of the results of such rows", u, 1, 1, 2, 1, -1);
    check("down columns far apart", (fsr_node[]){fsr_sum(t[1], AXES(0), 1, 0)}, 1, 1, 2, 1, -1);
    loop_of(plan_matrix(g, NEAR, COLS), u);
    check("down the columns", (fsr_node[]){fsr_sum(u[1], AXES(0), 1, 0)}, 1, 1, 1, 1,
          4 * (int64_t)NEAR * COLS + 4 * COLS);
    loop_of(index, t);
    check("nothing read", &t[2], 1, 1, 1, 1, 4 * (int64_t)N);
    check("nothing read, reduced", (fsr_node[]){fsr_mean(t[2], NULL, 0, 0)}, 1, 1, 1, 1, 8);
    fsr_node again[3];
    loop_of(fsr_div(t[0], fsr_add(x, t[1])), again);
    check("a loop after a loop", again + 1, 2, 1, 1, 2, 3 * 4 * (int64_t)N);
    loop_of(fsr_max(x, AXES(1), 1, 0), t);
    check("of a row's result", t, 1, 1, 1, 1, 4 * (int64_t)N + 4 * ROWS);
}

/* What two kernels need is stored by one. */
static void run_once(void **state) {
    (void)state;
    fsr_node x = plan_matrix(g, ROWS, COLS), t[3];
    loop_of(x, t);
    fsr_node m = fsr_max(t[0], AXES(1), 1, FSR_KEEPDIMS), e = fsr_exp(fsr_sub(t[0], m));
    check("softmax", (fsr_node[]){fsr_div(e, fsr_sum(e, AXES(1), 1, FSR_KEEPDIMS))}, 1, 2, 2, 1, -1);
    check("transposed", (fsr_node[]){fsr_add(t[0], fsr_transpose(t[0], NULL))}, 1, 2, 2, 1, -1);
    check("both axes", (fsr_node[]){fsr_sum(t[0], AXES(0), 1, 0), fsr_sum(t[1], AXES(1), 1, 0)}, 2, 2, 3, 1, -1);
    check("a slice", (fsr_node[]){fsr_neg(fsr_slice(t[0], 1, 0, COLS, 2)), t[0]}, 2, 2, 2, 1, -1);
    check("a slice alone", (fsr_node[]){fsr_slice(t[0], 0, 5, 6, 1)}, 1, 2, 2, 1, -1);
    check("a running sum", (fsr_node[]){fsr_cumsum(t[0], AXES(1), 1, 0)}, 1, 1, 2, 1, -1);
    check("beside its rows", (fsr_node[]){fsr_sub(t[0], fsr_mean(x, AXES(1), 1, FSR_KEEPDIMS))}, 1, 1, 1, 1, -1);
    fsr_node at = fsr_expand(fsr_argmin(t[0], AXES(1), 1, 0), 1);
    check("scanned after its argmin", (fsr_node[]){fsr_cumsum(fsr_where(at, x, t[0]), AXES(1), 1, 0)}, 1, 2, 2, 1, -1);
    fsr_node rows[3];
    loop_of(plan_matrix(g, ROWS, 1), rows);
    check("broadcast", (fsr_node[]){fsr_add(x, rows[0])}, 1, 2, 2, 1, -1);
    check("joined", (fsr_node[]){fsr_concat((fsr_node[]){t[0], x}, 2, 0)}, 1, 2, 2, 1, -1);
}

/* Equal loops are one; another limit, or another program, is another loop. */
static void equal_loops(void **state) {
    (void)state;
    static const fsr_loop other = {turn, NULL, NULL, 2, 1};
    fsr_node x = plan_vector(g, 1000), a[3], b[3], c[3];
    fsr_node two = fsr_full(g, FSR_F32, 0, NULL, 2), zero = fsr_zeros(g, FSR_F32, 0, NULL);
    loop_of(x, a);
    loop_of(x, b);
    fsr_iterate(c, &other, (fsr_node[]){x, zero}, &two, 50);
    check("equal", (fsr_node[]){fsr_add(a[0], b[1])}, 1, 1, 1, 1, -1);
    check("another", (fsr_node[]){fsr_add(a[0], c[1])}, 1, 1, 1, 2, -1);
}

/* More loops than a kernel has room for, one upon the other and side by side: as many kernels as it takes, each loop in
 * one of them. */
static void many_loops(void **state) {
    (void)state;
    static const int counts[] = {FSR_MAX_LOOPS, FSR_MAX_LOOPS + 1, 20, 100};
    for (int c = 0; c < 4; c++) {
        fsr_node x = plan_vector(g, 1000), at = x, sum = x, all[100], t[3];
        for (int i = 0; i < counts[c]; i++) {
            loop_of(at, t);
            at = t[1];
            loop_of(fsr_add(x, fsr_float(g, i)), t);
            sum = fsr_add(sum, fsr_mul(t[0], t[1]));
            all[i] = t[0];
        }
        int kernels = (counts[c] + FSR_MAX_LOOPS - 1) / FSR_MAX_LOOPS;
        fsr_node outs[] = {at, sum, fsr_sum(sum, NULL, 0, 0)};
        for (int on = 0; on < 2; on++)
            for (int i = 0; i < 4; i++) {
                fsr_program p = plan_of(on ? &target_gpu : &target_cpu, i < 3 ? &outs[i] : all, i < 3 ? 1 : counts[c]);
                bool good = runs(&p) == counts[c] && p.info.kernels >= kernels && p.info.kernels <= 2 * kernels + 1;
                if (!good)
                    print_error("%d loops, case %d: %d run in %d kernels\n%s\n", counts[c], i, runs(&p), p.info.kernels,
                                p.explanation);
                fsr_program_clear(&p);
                assert_true(good);
            }
    }
}

static void reasons(void **state) {
    (void)state;
    fsr_node x = plan_matrix(g, ROWS, COLS), t[3];
    loop_of(x, t);
    const fsr_node outs[] = {fsr_transpose(t[0], NULL), fsr_cumsum(t[0], AXES(1), 1, 0)};
    static const char *const words[] = {"its loop runs where its own elements are, once each",
                                        "its loop would run again where the scan's carries are known"};
    for (int i = 0; i < 2; i++) {
        fsr_program p = plan_of(&target_cpu, &outs[i], 1);
        bool good = strstr(p.explanation, words[i]) != NULL;
        if (!good)
            print_error("%s\n", p.explanation);
        fsr_program_clear(&p);
        assert_true(good);
    }
}

static void weighted(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    const fsr_node *weight = user;
    out[0] = out[1] = fsr_add(fsr_mul(state[0], *weight), fsr_mul(in[0], fsr_cast(in[1], FSR_F32)));
}

/* Slices one after the other, with an array from outside, what is computed of one, and the number of the turn. */
static void slices(void **state) {
    (void)state;
    fsr_node x = plan_matrix(g, ROWS, COLS), weight = plan_vector(g, COLS), out[2];
    for (int axis = 0; axis < 2; axis++) {
        const fsr_node first = fsr_full(g, FSR_F32, 1, (int64_t[]){COLS}, 0.5);
        fsr_scan_loop(out, &first, 1, &x, 1, 1, axis, 0, weighted, &weight);
        check("slices with an array", &out[1], 1, 1, 1, 0, 4 * (2 * (int64_t)N + COLS));
        fsr_node number = fsr_param(g, "share", FSR_F32, 0.5), scaled = fsr_mul(weight, fsr_cast(number, FSR_F32));
        fsr_scan_loop(out, &first, 1, &x, 1, 1, axis, FSR_REVERSE, weighted, &scaled);
        check("slices with what is computed", &out[1], 1, 1, 1, 0, -1);
    }
}

/* Two values of a turn that share work, and are stacked as well. */
static void diffuse(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    (void)user;
    fsr_name name[] = {{"p", state[0]}, {"q", state[1]}, {"d", in[0]}};
    fsr_exprs(in[0].graph, "s = 2 + 0.5 * p; t = s * s + 1; -0.5 / t, (d + 0.5 * q) / t + s / t", name, 3, out, 2);
    out[2] = out[0];
    out[3] = out[1];
}

/* However many ways lead to a value of a turn, it is one. */
static void shared_slices(void **state) {
    (void)state;
    fsr_node x = plan_matrix(g, ROWS, COLS), out[4];
    for (int axis = 0; axis < 2; axis++) {
        const fsr_node zero = fsr_zeros(g, FSR_F32, 1, (int64_t[]){axis ? ROWS : COLS});
        fsr_scan_loop(out, (fsr_node[]){zero, zero}, 2, &x, 1, 2, axis, 0, diffuse, NULL);
        check("slices with shared work", out + 2, 2, 1, 1, 0, 4 * 3 * (int64_t)N);
    }
}

/* ---- numbers of turns ---------------------------------------------------------------------------------------- */

static void reversed_turn(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    (void)user;
    const fsr_node i = fsr_arange(state[0].graph, FSR_I64, fsr_node_dim(state[0], 0));
    const fsr_node at = fsr_maximum(fsr_sub(in[0], i), fsr_int(state[0].graph, 0));
    out[0] = fsr_add(state[0], fsr_take(state[0], at, 0, FSR_INDEX_RAISE));
}

/* What is reported in such a loop's turn over vectors of 1000. */
static int reports(fsr_node turns) {
    const fsr_node x = plan_vector(g, 1000);
    fsr_node out;
    int n = 0;
    fsr_fori_loop(&out, &x, 1, turns, reversed_turn, NULL);
    fsr_program p = plan_of(&target_cpu, &out, 1);
    assert_int_equal(p.info.kernels, 1);
    for (int i = 0; i < fsr_program_kernel(&p, 0)->kernel->ninsts; i++)
        n += fsr_program_kernel(&p, 0)->kernel->inst[i].report > 0;
    fsr_program_clear(&p);
    return n;
}

/* The number of a turn is less than their count, where that is a literal. */
static void counted_turns_are_bounded(void **state) {
    (void)state;
    assert_int_equal(reports(fsr_int(g, 1000)), 0);
    assert_int_equal(reports(fsr_int(g, 1001)), 1);
    assert_int_equal(reports(fsr_param(g, "n", FSR_I64, 1000)), 1);
}

static void cooled(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    const fsr_node *weight = user;
    out[0] = fsr_add(fsr_mul(state[0], *weight), fsr_cast(in[0], FSR_F32));
}
static void summed(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    (void)user;
    out[0] = fsr_add(fsr_mul(state[0], in[0]), in[0]);
}
static void is_small(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    (void)in, (void)user;
    out[0] = fsr_less(state[0], fsr_float(state[0].graph, 100));
}

/* Turns that are elementwise are a loop in the kernel of what is around them: of arrays, of numbers until a condition
 * fails, of numbers and slices. */
static void elementwise_turns(void **state) {
    (void)state;
    fsr_node x = plan_matrix(g, ROWS, COLS), weight = plan_vector(g, COLS), row = plan_vector(g, COLS), out;
    fsr_fori_loop(&out, &row, 1, fsr_int(g, 30), cooled, &weight);
    check("of arrays", (fsr_node[]){fsr_add(x, out)}, 1, 2, 2, 1, -1);
    check("of arrays, alone", (fsr_node[]){fsr_sqrt(out)}, 1, 1, 1, 1, 4 * 3 * COLS);
    fsr_node one = fsr_full(g, FSR_F32, 0, NULL, 1), first = fsr_max(weight, NULL, 0, 0);
    fsr_while_loop(&out, &one, 1, 1000, is_small, cooled, &first);
    check("until a condition fails", &out, 1, 1, 1, 1, -1);
    fsr_scan_loop(&out, &one, 1, &weight, 1, 0, 0, 0, summed, NULL);
    check("of slices", (fsr_node[]){fsr_neg(out)}, 1, 1, 1, 1, -1);
    fsr_scan_loop(&out, &first, 1, &weight, 1, 0, 0, FSR_REVERSE, summed, NULL);
    check("of slices, from what is computed", &out, 1, 1, 1, 1, -1);
}

static void shifted(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    fsr_node i = fsr_arange(in[0].graph, FSR_I64, fsr_node_dim(state[0], 0));
    (void)user;
    out[0] = fsr_take(state[0], fsr_minimum(fsr_add(i, fsr_int(i.graph, 3)), fsr_int(i.graph, COLS - 1)), 0,
                      FSR_INDEX_RAISE);
}

/* What is made of indices alone is no array that every turn reads, and known to be inside. */
static void indices_of_turns(void **state) {
    (void)state;
    fsr_node x = plan_vector(g, COLS), out;
    fsr_fori_loop(&out, &x, 1, fsr_int(g, 30), shifted, NULL);
    for (int on = 0; on < 2; on++) {
        fsr_program p = plan_of(on ? &target_gpu : &target_cpu, &out, 1);
        int reports = 0;
        assert_int_equal(p.info.kernels, 1);
        for (int i = 0; i < fsr_program_kernel(&p, 0)->kernel->ninsts; i++)
            reports += fsr_program_kernel(&p, 0)->kernel->inst[i].report > 0;
        fsr_program_clear(&p);
        assert_int_equal(reports, 0);
    }
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(one_kernel),        TEST(run_once),        TEST(equal_loops),   TEST(many_loops),
        TEST(reasons),           TEST(slices),          TEST(shared_slices), TEST(counted_turns_are_bounded),
        TEST(elementwise_turns), TEST(indices_of_turns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
