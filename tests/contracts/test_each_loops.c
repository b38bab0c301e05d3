/* SPDX-License-Identifier: MIT */
/* Loops over arrays whose turns are elementwise, which are loops for each element or scans: the same bits as the turns
 * recorded one after the other. Loops of other turns: test_array_loops.c. */
#include "tests/support/subject.h"
#include <stdlib.h>
#include <string.h>

enum { TURNS = 23 };

/* Beside a state: an array of its shape, a parameter, a number from outside. */
typedef struct outside {
    fsr_node array, parameter, number;
} outside;

static fsr_node named(fsr_graph *g, const char *text, const fsr_node *x, int n) {
    static const char *const names[] = {"x", "y", "k", "a", "p", "q"};
    fsr_name name[6];
    for (int i = 0; i < n; i++)
        name[i] = (fsr_name){names[i], x[i]};
    return fsr_expr(g, text, name, n);
}

/* Two states, functions with limits (some arguments are beyond them), a division, the number of the turn. */
static void waves(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    const outside *o = user;
    const fsr_node x[] = {state[0], state[1], in[0], o->array, o->parameter, o->number};
    out[0] = named(in[0].graph, "sin(x * y) * p + a / (1 + abs(y)) + f32(k) * q", x, 6);
    out[1] = named(in[0].graph, "y < 1e5 ? y * -2.5 + x : cos(y)", x, 6);
}

/* Collatz's: integers, no number of the turn. */
static void halves(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    (void)in, (void)user;
    out[0] = named(state[0].graph, "x % 2 == 0 ? x // 2 : 3 * x + 1", state, 1);
}
static void is_not_one(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    (void)user;
    const fsr_node x[] = {state[0], state[0], in[0]};
    out[0] = named(state[0].graph, "x != 1 && k < 500", x, 3);
}

/* A check sum of slices. in: the slice, the number of the turn. */
static void sums(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    (void)user;
    const fsr_node x[] = {state[0], in[0], in[1]};
    out[0] = named(in[0].graph, "(x << 3 ^ i32(y)) + (x >> 5) + i32(k)", x, 3);
}
/* The same, stacked. */
static void sums_and_slices(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    sums(out, state, in, user);
    out[1] = out[0];
}

static fsr_node number(int64_t k) {
    return fsr_cast(fsr_int(subject_g, k), FSR_I64);
}

static void equal_bits(fsr_node want, fsr_node got, const char *what) {
    OK(fsr_compute((fsr_node[]){want, got}, 2));
    assert_int_equal(fsr_node_dtype(want), fsr_node_dtype(got));
    assert_int_equal(fsr_node_bytes(want), fsr_node_bytes(got));
    void *a = subject_read(want), *b = subject_read(got);
    if (memcmp(a, b, (size_t)fsr_node_bytes(want)) != 0)
        fail_msg("%s differs from its turns by hand", what);
    free(a);
    free(b);
}

/* ---- tests ------------------------------------------------------------------------------------------------------ */

static void check_waves(int ndim, const int64_t *shape, int64_t turns) {
    fsr_node state[2] = {subject_data(FSR_F32, ndim, shape, SUBJECT_SMALL, 0),
                         subject_data(FSR_F32, ndim, shape, SUBJECT_SMALL, 1)},
             got[2];
    outside o = {subject_data(FSR_F32, ndim, shape, SUBJECT_SMALL, 2), fsr_param(subject_g, "p", FSR_F32, 0.75),
                 fsr_sum(fsr_arange(subject_g, FSR_F32, 4), NULL, 0, 0)};
    fsr_fori_loop(got, state, 2, fsr_int(subject_g, turns), waves, &o);
    for (int64_t k = 0; k < turns; k++) {
        const fsr_node in = number(k);
        fsr_node next[2];
        waves(next, state, &in, &o);
        OK(fsr_compute(next, 2));
        memcpy(state, next, sizeof next);
    }
    for (int i = 0; i < 2; i++)
        equal_bits(state[i], got[i], "waves");
    outside same = o;
    fsr_fori_loop(got, state, 2, fsr_int(subject_g, turns), waves, &same);
    subject_verify(got, 2, NULL, "waves");
}

static void turns_by_hand(void **state) {
    (void)state;
    static const int64_t sizes[] = {1, 2, 3, 15, 16, 17, 257, 1 << 14};
    for (int i = 0; i < COUNT_OF(sizes); i++)
        check_waves(1, &sizes[i], TURNS);
    check_waves(0, NULL, TURNS);
    check_waves(2, SHAPE(5, 7), TURNS);
    check_waves(2, SHAPE(0, 7), 3);
    check_waves(1, SHAPE(9), 0);
}

static void conditions(void **state) {
    (void)state;
    for (int64_t first = 1; first < 40; first += 3) {
        fsr_node x = fsr_cast(fsr_int(subject_g, first), FSR_I64), by_hand = x, got;
        int64_t turns = 0;
        for (int64_t value = first; value != 1; turns++)
            value = value % 2 ? 3 * value + 1 : value / 2;
        fsr_while_loop(&got, &x, 1, 1000, is_not_one, halves, NULL);
        for (int64_t k = 0; k < turns; k++)
            halves(&by_hand, &by_hand, NULL, NULL);
        equal_bits(by_hand, got, "a condition");
        fsr_while_loop(&got, &x, 1, 2, is_not_one, halves, NULL);
        by_hand = x;
        for (int64_t k = 0; k < (turns < 2 ? turns : 2); k++)
            halves(&by_hand, &by_hand, NULL, NULL);
        equal_bits(by_hand, got, "no more turns");
    }
}

/* Slices along the axis from the first, or from the last: numbers, and arrays with a first state that is computed. */
static void check_slices(int ndim, const int64_t *shape, int flags) {
    fsr_node data = fsr_cast(subject_data(FSR_F32, ndim, shape, SUBJECT_SMALL, 0), FSR_U8), got, both[2];
    fsr_node first = fsr_add(fsr_full(subject_g, FSR_I32, ndim - 1, shape + 1, 7),
                             fsr_cast(fsr_param(subject_g, "from", FSR_I32, 5), FSR_I32));
    const int64_t n = shape[0];
    fsr_node state = first, rows[64];
    for (int64_t k = 0; k < n; k++) {
        const int64_t i = flags ? n - 1 - k : k;
        const fsr_node in[] = {fsr_take(data, fsr_int(subject_g, i), 0, FSR_INDEX_RAISE), number(k)};
        sums(&rows[i], &state, in, NULL);
        state = rows[i];
    }
    fsr_scan_loop(&got, &first, 1, &data, 1, 0, 0, flags, sums, NULL);
    equal_bits(state, got, "the last state");
    fsr_scan_loop(both, &first, 1, &data, 1, 1, 0, flags, sums_and_slices, NULL);
    equal_bits(state, both[0], "the last state of those that are stacked");
    equal_bits(fsr_stack(rows, (int)n, 0), both[1], "what is stacked");
    fsr_scan_loop(both, &first, 1, &data, 1, 1, 0, flags, sums_and_slices, NULL);
    subject_verify(both, 2, NULL, "slices");
}

static void slices(void **state) {
    (void)state;
    for (int flags = 0; flags <= FSR_REVERSE; flags += FSR_REVERSE) {
        check_slices(1, SHAPE(1), flags);
        check_slices(1, SHAPE(61), flags);
        check_slices(2, SHAPE(9, 1), flags);
        check_slices(2, SHAPE(9, 33), flags);
        check_slices(3, SHAPE(4, 3, 5), flags);
    }
}

static const struct CMUnitTest tests[] = {SUBJECT_TEST(turns_by_hand), SUBJECT_TEST(conditions), SUBJECT_TEST(slices)};
SUBJECT_MAIN(tests)
