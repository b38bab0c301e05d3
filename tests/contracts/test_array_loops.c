/* SPDX-License-Identifier: MIT */
/* Loops over arrays: the same bits as the same turns recorded, and computed, one by one; conditions, slices, loops in
 * loops; and mistakes. Memory that does not grow with the turns: test_long_loops.c. */
#include "tests/support/subject.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define F(x) fsr_float(state[0].graph, x)
#define UNUSED (void)state, (void)in, (void)user

typedef struct loop {
    fsr_turn_fn body, condition;
    int nstate, narrays, nstacked, axis, flags;
    void *user;
} loop;

/* ---- by hand ----------------------------------------------------------------------------------------------- */

/* Slice i of each array along the axis, and the number of the turn. */
static void slices(const loop *l, const fsr_node *arrays, int64_t i, int64_t turn, fsr_node *in) {
    for (int k = 0; k < l->narrays; k++)
        in[k] = fsr_take(arrays[k], fsr_int(subject_g, i), l->axis, FSR_INDEX_RAISE);
    in[l->narrays] = fsr_cast(fsr_int(subject_g, turn), FSR_I64);
}

/* The turns one by one, each computed before the next is recorded. Returns how many there were. */
static int64_t by_hand(const loop *l, const fsr_node *first, const fsr_node *arrays, int64_t turns, fsr_node *out) {
    fsr_node state[8], next[8], in[8], *rows = calloc((size_t)(turns + 1) * 8, sizeof *rows);
    int64_t turn = 0;
    memcpy(state, first, sizeof *state * (size_t)l->nstate);
    for (; turn < turns; turn++) {
        const int64_t i = l->flags & FSR_REVERSE ? turns - 1 - turn : turn;
        slices(l, arrays, i, turn, in);
        if (l->condition) {
            l->condition(next, state, in, l->user);
            if (!subject_value(next[0], 0))
                break;
        }
        l->body(next, state, in, l->user);
        OK(fsr_compute(next, l->nstate + l->nstacked));
        memcpy(state, next, sizeof *state * (size_t)l->nstate);
        for (int k = 0; k < l->nstacked; k++)
            rows[k * turns + i] = next[l->nstate + k];
    }
    memcpy(out, state, sizeof *state * (size_t)l->nstate);
    for (int k = 0; k < l->nstacked; k++)
        out[l->nstate + k] = fsr_stack(rows + k * turns, (int)turns, l->axis);
    free(rows);
    return turn;
}

static void equal_bits(const fsr_node *want, const fsr_node *got, int n, const char *what) {
    OK(fsr_compute(got, n));
    for (int i = 0; i < n; i++) {
        assert_int_equal(fsr_node_dtype(want[i]), fsr_node_dtype(got[i]));
        assert_int_equal(fsr_node_bytes(want[i]), fsr_node_bytes(got[i]));
        void *a = subject_read(want[i]), *b = subject_read(got[i]);
        if (memcmp(a, b, (size_t)fsr_node_bytes(want[i])) != 0)
            fail_msg("%s: result %d differs", what, i);
        free(a);
        free(b);
        subject_count("results with the bits of turns by hand", 1);
    }
}

static void check_turns(const loop *l, const fsr_node *first, int64_t turns, const char *what) {
    fsr_node want[8], got[8];
    by_hand(l, first, NULL, turns, want);
    fsr_fori_loop(got, first, l->nstate, fsr_int(subject_g, turns), l->body, l->user);
    equal_bits(want, got, l->nstate, what);
    fsr_fori_loop(got, first, l->nstate, fsr_int(subject_g, turns), l->body, l->user);
    subject_verify(got, l->nstate, NULL, "%s", what);
}

/* ---- bodies ------------------------------------------------------------------------------------------------ */

/* Explicit Euler for the heat equation on a ring, with a source that the turn's number moves. */
static void heat(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    fsr_node x = state[0], left = fsr_roll(x, SHAPE(1), AXES(0), 1), right = fsr_roll(x, SHAPE(-1), AXES(0), 1);
    fsr_node at = fsr_equal(fsr_arange(x.graph, FSR_I64, fsr_node_dim(x, 0)), fsr_mod(in[0], fsr_int(x.graph, 7)));
    fsr_node source = fsr_where(at, *(fsr_node *)user, F(0));
    out[0] = fsr_add(x, fsr_mul(F(0.1), fsr_add(fsr_sub(fsr_add(left, right), fsr_mul(F(2), x)), source)));
}

/* Two states of two shapes, a fold, a sort, a gather. */
static void mixed(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    UNUSED;
    fsr_node total = fsr_sum(state[0], AXES(1), 1, 0), order = fsr_argsort(fsr_neg(total), AXES(0), 1, 0);
    out[0] = fsr_mul(fsr_take(state[0], order, 0, FSR_INDEX_RAISE), F(0.75));
    out[1] = fsr_add(fsr_cumsum(state[1], AXES(0), 1, 0), total);
}

static void swap(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    UNUSED;
    out[0] = state[1];
    out[1] = fsr_add(state[0], state[1]);
}

/* Shortest paths through vertex k. */
static void floyd_warshall(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    UNUSED;
    const int64_t n = fsr_node_dim(state[0], 0);
    fsr_node zero = fsr_int(state[0].graph, 0);
    fsr_node column = fsr_dynamic_slice(state[0], (fsr_node[]){zero, in[0]}, SHAPE(n, 1));
    fsr_node row = fsr_dynamic_slice(state[0], (fsr_node[]){in[0], zero}, SHAPE(1, n));
    out[0] = fsr_minimum(state[0], fsr_add(column, row));
}

/* ---- tests: a number of turns ------------------------------------------------------------------------------ */

static void as_turns_by_hand(void **state) {
    (void)state;
    fsr_node source = fsr_param(subject_g, "source", FSR_F32, 0.5);
    fsr_node x = subject_data(FSR_F32, 1, SHAPE(53), SUBJECT_SMALL, 0),
             d = subject_data(FSR_F64, 2, SHAPE(6, 6), SUBJECT_SMALL, 1);
    const loop heats = {.body = heat, .nstate = 1, .user = &source}, mix = {.body = mixed, .nstate = 2},
               swaps = {.body = swap, .nstate = 2}, paths = {.body = floyd_warshall, .nstate = 1};
    for (int64_t turns = 0; turns < 6; turns++) {
        check_turns(&heats, &x, turns, "heat");
        check_turns(&mix, (fsr_node[]){d, fsr_sum(d, AXES(0), 1, 0)}, turns, "mixed");
        check_turns(&swaps, (fsr_node[]){x, fsr_mul(x, fsr_float(subject_g, 2))}, turns, "swap");
    }
    fsr_node far = fsr_abs(d);
    check_turns(&paths, &far, 6, "floyd_warshall");
}

/* The number of turns: a literal, a parameter, a computed number, less than none. */
static void numbers_of_turns(void **state) {
    (void)state;
    fsr_node source = fsr_full(subject_g, FSR_F32, 0, NULL, 0.5),
             x = subject_data(FSR_F32, 1, SHAPE(20), SUBJECT_SMALL, 0), want, got;
    const loop heats = {.body = heat, .nstate = 1, .user = &source};
    fsr_node n = fsr_param(subject_g, "turns", FSR_I32, 3),
             seven = fsr_sum(fsr_arange(subject_g, FSR_I16, 5), NULL, 0, 0);
    by_hand(&heats, &x, NULL, 3, &want);
    fsr_fori_loop(&got, &x, 1, n, heat, &source);
    equal_bits(&want, &got, 1, "a parameter");
    OK(fsr_param_set(n, 5));
    by_hand(&heats, &x, NULL, 5, &want);
    const int64_t others = subject_stats().plans_built;
    fsr_fori_loop(&got, &x, 1, n, heat, &source);
    equal_bits(&want, &got, 1, "another value");
    assert_int_equal(subject_stats().plans_built, others);
    by_hand(&heats, &x, NULL, 10, &want);
    fsr_fori_loop(&got, &x, 1, seven, heat, &source);
    equal_bits(&want, &got, 1, "computed");
    fsr_fori_loop(&got, &x, 1, fsr_int(subject_g, -4), heat, &source);
    equal_bits(&x, &got, 1, "less than none");
}

/* Where a rounding decides how many turns there are, no number of them is wrong. */
static void turns_that_nobody_knows(void **state) {
    (void)state;
    fsr_node source = fsr_full(subject_g, FSR_F32, 0, NULL, 0.5),
             x = subject_data(FSR_F32, 1, SHAPE(20), SUBJECT_SMALL, 0);
    fsr_node three = fsr_full(subject_g, FSR_F32, 0, NULL, 3), sum = fsr_log(fsr_exp(three)), got;
    fsr_verify_report report;
    OK(fsr_force(three));
    fsr_fori_loop(&got, &x, 1, fsr_cast(fsr_add(sum, fsr_float(subject_g, 1)), FSR_I32), heat, &source);
    OK(fsr_verify(&got, 1, &report));
    assert_int_equal(report.unknown, 20);
    fsr_fori_loop(&got, &x, 1, fsr_cast(fsr_add(sum, fsr_float(subject_g, 1.5)), FSR_I32), heat, &source);
    OK(fsr_verify(&got, 1, &report));
    assert_int_equal(report.unknown, 0);
}

/* ---- tests: a condition ------------------------------------------------------------------------------------ */

/* Jacobi's iteration for a system of equations; the state: x, and what the last turn has changed. */
static void jacobi(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    const fsr_node *system = user; /* A without its diagonal, the diagonal, b */
    (void)in;
    fsr_node sum = fsr_sum(fsr_mul(system[0], fsr_expand(state[0], 0)), AXES(1), 1, 0);
    out[0] = fsr_div(fsr_sub(system[2], sum), system[1]);
    out[1] = fsr_max(fsr_abs(fsr_sub(out[0], state[0])), NULL, 0, 0);
}
static void changes(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    (void)in, (void)user;
    out[0] = fsr_greater(state[1], F(1e-3));
}
static void early(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    (void)state, (void)user;
    out[0] = fsr_less(in[0], fsr_int(in[0].graph, 3));
}

static void until_it_converges(void **state) {
    (void)state;
    enum { N = 24 };
    fsr_node noise = subject_data(FSR_F64, 2, SHAPE(N, N), SUBJECT_SMALL, 0),
             b = subject_data(FSR_F64, 1, SHAPE(N), SUBJECT_SMALL, 1);
    fsr_node i = fsr_arange(subject_g, FSR_I64, N), eye = fsr_equal(fsr_expand(i, 1), fsr_expand(i, 0));
    fsr_node system[] = {fsr_where(eye, fsr_float(subject_g, 0), noise),
                         fsr_full(subject_g, FSR_F64, 1, SHAPE(N), 2.5 * N), b};
    fsr_node first[] = {fsr_full(subject_g, FSR_F64, 1, SHAPE(N), 0), fsr_full(subject_g, FSR_F64, 0, NULL, 1)},
             want[2], got[2];
    const loop l = {.body = jacobi, .condition = changes, .nstate = 2, .user = system};
    const int64_t turns = by_hand(&l, first, NULL, 1000, want);
    assert_true(turns > 2 && turns < 1000);
    fsr_while_loop(got, first, 2, 1000, changes, jacobi, system);
    equal_bits(want, got, 2, "jacobi");
    by_hand(&l, first, NULL, 2, want);
    fsr_while_loop(got, first, 2, 2, changes, jacobi, system);
    equal_bits(want, got, 2, "no more turns");
    fsr_while_loop(got, want, 2, 0, changes, jacobi, system);
    equal_bits(want, got, 2, "no turn at most");
    first[1] = fsr_full(subject_g, FSR_F64, 0, NULL, 0);
    fsr_while_loop(got, first, 2, 1000, changes, jacobi, system);
    equal_bits(first, got, 2, "not one turn");
    const loop counts = {.body = jacobi, .condition = early, .nstate = 2, .user = system};
    assert_int_equal(by_hand(&counts, first, NULL, 1000, want), 3);
    fsr_while_loop(got, first, 2, 1000, early, jacobi, system);
    equal_bits(want, got, 2, "the turn's number");
    fsr_while_loop(got, first, 2, 1000, early, jacobi, system);
    subject_verify(got, 2, NULL, "jacobi");
}

/* ---- tests: slices ----------------------------------------------------------------------------------------- */

/* Thomas' algorithm for tridiagonal systems, many side by side: elimination, and substitution from the end. in: a,
 * b, c, d. */
static void eliminate(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    (void)user;
    fsr_node pivot = fsr_sub(in[1], fsr_mul(in[0], state[0]));
    out[0] = out[2] = fsr_div(in[2], pivot);
    out[1] = out[3] = fsr_div(fsr_sub(in[3], fsr_mul(in[0], state[1])), pivot);
}
static void substitute(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    (void)user;
    out[0] = out[1] = fsr_sub(in[1], fsr_mul(in[0], state[0]));
}

static void tridiagonal_systems(void **state) {
    (void)state;
    static const int64_t columns[] = {1, 3, 16};
    for (int i = 0; i < COUNT_OF(columns); i++)
        for (int axis = 0; axis < 2; axis++) {
            const int64_t n = 9, c = columns[i], shape[] = {axis ? c : n, axis ? n : c};
            static const float none[16] = {0};
            fsr_node in[4], zero = fsr_full(subject_g, FSR_F32, 1, &c, 0), want[4], got[4], x[2], y[2];
            if (i == 1) /* a loop: its first state is an array */
                zero = fsr_from_host(subject_g, FSR_F32, 1, &c, none);
            for (int k = 0; k < 4; k++)
                in[k] =
                    fsr_add(subject_data(FSR_F32, 2, shape, SUBJECT_SMALL, k), fsr_float(subject_g, k == 1 ? 9 : 0));
            const loop down = {.body = eliminate, .nstate = 2, .narrays = 4, .nstacked = 2, .axis = axis};
            const loop up = {
                .body = substitute, .nstate = 1, .narrays = 2, .nstacked = 1, .axis = axis, .flags = FSR_REVERSE};
            by_hand(&down, (fsr_node[]){zero, zero}, in, n, want);
            fsr_scan_loop(got, (fsr_node[]){zero, zero}, 2, in, 4, 2, axis, 0, eliminate, NULL);
            equal_bits(want, got, 4, "elimination");
            by_hand(&up, &zero, want + 2, n, x);
            fsr_scan_loop(got, (fsr_node[]){zero, zero}, 2, in, 4, 2, axis, 0, eliminate, NULL);
            fsr_scan_loop(y, &zero, 1, got + 2, 2, 1, axis, FSR_REVERSE, substitute, NULL);
            equal_bits(x, y, 2, "substitution");
            subject_verify(y, 2, NULL, "tridiagonal");
        }
}

/* Turns that are elementwise, one kernel where the first state is a number: operators that no other order than the
 * turns' gives, numbers of several dtypes, results that are stacked and no state, either axis, either direction. */
static void logistic(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    (void)user;
    fsr_node x = state[0], one = F(1);
    out[0] = out[2] = fsr_mul(fsr_mul(in[0], x), fsr_sub(one, x));
    out[1] = out[3] = fsr_where(fsr_less(in[0], one), fsr_sub(state[1], x), fsr_add(fsr_mul(state[1], F(0.5)), in[0]));
}
static void counters(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    (void)user;
    out[0] = out[1] = fsr_bitwise_xor(fsr_mul(state[0], fsr_int(state[0].graph, 5)), in[0]);
    out[2] = fsr_add(in[0], fsr_int(in[0].graph, 3));
}
static void running_mean(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    const fsr_node *share = user;
    out[0] = out[1] = fsr_add(share ? fsr_mul(state[0], *share) : state[0], in[0]);
}

/* Arrays from outside, what is computed of them, and the number of the turn: three besides. */
static void weighted(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    const fsr_node *outside = user;
    const fsr_node number = fsr_cast(in[1], fsr_node_dtype(state[0]));
    out[0] = out[1] = fsr_add(fsr_mul(state[0], outside[0]), fsr_mul(in[0], number));
    if (outside[1].graph)
        out[0] = out[1] = fsr_sub(out[0], fsr_abs(outside[1]));
}

static void check_sequence(const loop *l, fsr_dtype dtype, double first, int64_t n, int64_t others) {
    const int64_t shape[] = {l->axis ? others : n, l->axis ? n : others};
    fsr_node in[1] = {subject_data(dtype, 2, shape, SUBJECT_SMALL, 3)}, begin[2], want[4], got[4];
    for (int i = 0; i < l->nstate; i++)
        begin[i] = fsr_full(subject_g, dtype, 1, &others, first);
    by_hand(l, begin, in, n, want);
    fsr_scan_loop(got, begin, l->nstate, in, 1, l->nstacked, l->axis, l->flags, l->body, l->user);
    equal_bits(want, got, l->nstate + l->nstacked, "a sequence");
    fsr_scan_loop(got, begin, l->nstate, in, 1, l->nstacked, l->axis, l->flags, l->body, l->user);
    subject_verify(got, l->nstate + l->nstacked, NULL, "a sequence");
}

static void sequences(void **state) {
    (void)state;
    for (int way = 0; way < 4; way++) {
        const int axis = way & 1, flags = way & 2 ? FSR_REVERSE : 0;
        const loop maps = {.body = logistic, .nstate = 2, .narrays = 1, .nstacked = 2, .axis = axis, .flags = flags};
        const loop counts = {.body = counters, .nstate = 1, .narrays = 1, .nstacked = 2, .axis = axis, .flags = flags};
        const loop sums = {
            .body = running_mean, .nstate = 1, .narrays = 1, .nstacked = 1, .axis = axis, .flags = flags};
        fsr_node share = fsr_cast(fsr_param(subject_g, "share", FSR_F32, 0.875), FSR_F32);
        const loop means = {
            .body = running_mean, .nstate = 1, .narrays = 1, .nstacked = 1, .axis = axis, .user = &share};
        check_sequence(&means, FSR_F32, 1, 20, 50);
        check_sequence(&maps, FSR_F32, 0.25, 37, 300);
        check_sequence(&sums, FSR_F32, 0.125, 1, 5);
        check_sequence(&sums, FSR_F16, 1, 33, 3);
        check_sequence(&counts, FSR_I32, 7, 40, 2);
        if (way == 3)
            check_sequence(&maps, FSR_F64, 0.5, 9, 1500);
    }
}

static void sequences_with_outside(void **state) {
    (void)state;
    static const int64_t others = 60;
    fsr_node outside[2] = {subject_data(FSR_F32, 1, &others, SUBJECT_SMALL, 8)};
    for (int way = 0; way < 8; way++) {
        const loop l = {.body = weighted,
                        .nstate = 1,
                        .narrays = 1,
                        .nstacked = 1,
                        .axis = way & 1,
                        .flags = way & 2 ? FSR_REVERSE : 0,
                        .user = outside};
        outside[1] = way & 4 ? subject_data(FSR_F32, 1, &others, SUBJECT_SMALL, 9) : (fsr_node){0};
        check_sequence(&l, FSR_F32, 0.5, 21, others);
    }
}

/* Nobody wants the last state, or only some of what is stacked. */
static void some_results(void **state) {
    (void)state;
    fsr_node in[4], zero = fsr_full(subject_g, FSR_F64, 1, SHAPE(5), 0), want[4], got[4];
    for (int k = 0; k < 4; k++)
        in[k] = fsr_add(subject_data(FSR_F64, 2, SHAPE(7, 5), SUBJECT_SMALL, k), fsr_float(subject_g, k == 1 ? 9 : 0));
    const loop down = {.body = eliminate, .nstate = 2, .narrays = 4, .nstacked = 2};
    by_hand(&down, (fsr_node[]){zero, zero}, in, 7, want);
    for (int k = 0; k < 4; k++) {
        fsr_scan_loop(got, (fsr_node[]){zero, zero}, 2, in, 4, 2, 0, 0, eliminate, NULL);
        equal_bits(&want[k], &got[k], 1, "one result");
    }
    for (int k = 0; k < 4; k++)
        in[k] = fsr_slice(in[k], 0, 0, 0, 1);
    fsr_scan_loop(got, (fsr_node[]){zero, zero}, 2, in, 4, 2, 0, 0, eliminate, NULL);
    equal_bits(&zero, &got[1], 1, "no slices");
    assert_int_equal(fsr_node_bytes(got[2]), 0);
}

/* Each state is kept: it lies where it is stacked, of any length; a library, and several results that are one state. */
static void kept(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    const int *libraries = user;
    fsr_node x = fsr_cumsum(fsr_add(fsr_mul(state[0], in[1]), in[0]), AXES(0), 1, 0);
    out[0] = out[2] = out[4] = *libraries ? fsr_sort(fsr_neg(x), AXES(0), 1, 0) : x;
    out[1] = out[3] = fsr_sub(fsr_flip(state[1], 0), out[0]);
}

static void kept_states(void **state) {
    (void)state;
    static const int64_t lengths[] = {3, 53, 64};
    for (int way = 0; way < 24; way++) {
        int libraries = way / 4 % 2;
        const int64_t n = lengths[way / 8], turns = 6;
        const loop l = {.body = kept,
                        .nstate = 2,
                        .narrays = 2,
                        .nstacked = 3,
                        .axis = 0,
                        .flags = way & 1 ? FSR_REVERSE : 0,
                        .user = &libraries};
        fsr_node first[2],
            in[] = {subject_data(FSR_F32, 2, SHAPE(turns, n), SUBJECT_SMALL, 2),
                    subject_data(FSR_F32, 1, SHAPE(turns), SUBJECT_SMALL, 3)},
            want[5], got[5];
        for (int i = 0; i < 2; i++)
            first[i] = subject_data(FSR_F32, 1, &n, SUBJECT_SMALL, i);
        by_hand(&l, first, in, turns, want);
        fsr_scan_loop(got, first, 2, in, 2, 3, 0, l.flags, kept, &libraries);
        if (way & 2)
            equal_bits(want, got, 5, "all results");
        for (int i = 0; i < 5; i++) {
            fsr_scan_loop(got, first, 2, in, 2, 3, 0, l.flags, kept, &libraries);
            equal_bits(&want[i], &got[i], 1, "one result of several that are kept");
        }
    }
}

/* ---- tests: loops in loops, plans -------------------------------------------------------------------------- */

static void inner(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    const fsr_node *outer = user; /* its state and its number */
    out[0] = fsr_add(fsr_mul(state[0], F(0.5)),
                     fsr_mul(outer[0], fsr_add(fsr_cast(outer[1], FSR_F32), fsr_cast(in[0], FSR_F32))));
}
static void outer_turn(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    (void)user;
    fsr_node both[] = {state[0], in[0]};
    fsr_fori_loop(out, state, 1, fsr_int(in[0].graph, 3), inner, both);
}

static void in_a_loop(void **state) {
    (void)state;
    fsr_node x = subject_data(FSR_F32, 2, SHAPE(4, 6), SUBJECT_SMALL, 0);
    const loop l = {.body = outer_turn, .nstate = 1};
    check_turns(&l, &x, 4, "a loop in a loop");
}

/* One plan, run with several inputs, counts and parameters; its text is read back as the same plan. */
static void one_plan(void **state) {
    (void)state;
    fsr_node source = fsr_param(subject_g, "source", FSR_F32, 0.5), n = fsr_param(subject_g, "turns", FSR_I64, 3);
    fsr_node x = fsr_input(subject_g, "x", FSR_F32, 1, SHAPE(12)), y, want;
    fsr_plan *plan;
    float data[12], result[12];
    fsr_fori_loop(&y, &x, 1, n, heat, &source);
    OK(fsr_compile(&y, 1, &plan));
    for (int64_t turns = 0; turns < 5; turns++) {
        const int64_t compiled = subject_stats().compilations;
        float strength = (float)turns;
        for (int i = 0; i < 12; i++)
            data[i] = (float)(i * turns);
        fsr_arg in[] = {{"x", data, sizeof data, FSR_HOST},
                        {"turns", &turns, sizeof turns, FSR_HOST},
                        {"source", &strength, sizeof strength, FSR_HOST}};
        OK(fsr_plan_run(plan, in, 3, &(fsr_arg){.data = result, .bytes = sizeof result, .place = FSR_HOST}, 1, NULL));
        assert_int_equal(subject_stats().compilations, compiled);
        fsr_node s = fsr_full(subject_g, FSR_F32, 0, NULL, strength),
                 first = fsr_from_host(subject_g, FSR_F32, 1, SHAPE(12), data);
        const loop l = {.body = heat, .nstate = 1, .user = &s};
        by_hand(&l, &first, NULL, turns, &want);
        float *bits = subject_read(want);
        assert_memory_equal(bits, result, sizeof result);
        free(bits);
    }
    fsr_plan_free(plan);
}

/* ---- tests: mistakes --------------------------------------------------------------------------------------- */

static void too_wide(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    (void)in, (void)user;
    out[0] = fsr_expand(state[0], 0);
}
static void other_dtype(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    (void)in, (void)user;
    out[0] = fsr_cast(state[0], FSR_F64);
}
static void nothing(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    (void)out;
    UNUSED;
}
static void greedy(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    const fsr_node *many = user;
    (void)in;
    out[0] = state[0];
    for (int i = 0; i < 17; i++)
        out[0] = fsr_add(out[0], many[i]);
}
static void of_the_state(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    (void)in, (void)user;
    out[0] = fsr_greater(state[0], F(0));
}

static void refused(fsr_node x, fsr_status status, const char *words) {
    subject_error(subject_ctx, fsr_force(x), status, words);
}

static void mistakes(void **state) {
    (void)state;
    fsr_node x = subject_data(FSR_F32, 1, SHAPE(4), SUBJECT_SMALL, 0), two = fsr_int(subject_g, 2), y, many[17];
    fsr_fori_loop(&y, &x, 1, two, too_wide, NULL);
    refused(y, FSR_ERR_SHAPE, "fori_loop|result 0 of the loop's body|test_array_loops.c|f32[1,4]|f32[4]");
    fsr_fori_loop(&y, &x, 1, two, other_dtype, NULL);
    refused(y, FSR_ERR_DTYPE, "result 0 of the loop's body is f64, not f32");
    fsr_fori_loop(&y, &x, 1, two, nothing, NULL);
    refused(y, FSR_ERR_NULL, "result 0 of the loop's body is a null handle");
    fsr_fori_loop(&y, &x, 1, two, NULL, NULL);
    refused(y, FSR_ERR_NULL, "the loop's body is null");
    fsr_fori_loop(&y, &x, 1, x, heat, NULL);
    refused(y, FSR_ERR_SHAPE, "the number of turns is f32[4], not a 0-d integer");
    fsr_fori_loop(&y, &x, 0, two, heat, NULL);
    refused(y, FSR_ERR_VALUE, "a state of 0 arrays");
    fsr_while_loop(&y, &x, 1, 5, of_the_state, other_dtype, NULL);
    refused(y, FSR_ERR_SHAPE, "the loop's condition is bool[4], not 0-d");
    fsr_while_loop(&y, &x, 1, -5, of_the_state, other_dtype, NULL);
    refused(y, FSR_ERR_VALUE, "-5 turns at most");
    fsr_scan_loop(&y, &x, 1, NULL, 0, 0, 0, 0, nothing, NULL);
    refused(y, FSR_ERR_VALUE, "0 arrays with slices");
    fsr_scan_loop(&y, &x, 1, (fsr_node[]){x, fsr_reshape(x, 2, SHAPE(2, 2))}, 2, 0, 0, 0, nothing, NULL);
    refused(y, FSR_ERR_SHAPE, "array 1, f32[2,2], has 2 slices along axis 0, not 4");
    fsr_scan_loop(&y, &x, 1, &x, 1, 0, 3, 0, nothing, NULL);
    refused(y, FSR_ERR_AXIS, "scan_loop");
    for (int i = 0; i < 17; i++)
        many[i] = subject_data(FSR_F32, 1, SHAPE(4), SUBJECT_SMALL, i);
    fsr_fori_loop(&y, &x, 1, two, greedy, many);
    refused(y, FSR_ERR_UNSUPPORTED, "uses too many values from outside: with its state");
}

static const struct CMUnitTest tests[] = {
    SUBJECT_TEST(as_turns_by_hand),
    SUBJECT_TEST(numbers_of_turns),
    SUBJECT_TEST(turns_that_nobody_knows),
    SUBJECT_TEST(until_it_converges),
    SUBJECT_TEST(tridiagonal_systems),
    SUBJECT_TEST(sequences),
    SUBJECT_TEST(sequences_with_outside),
    SUBJECT_TEST(some_results),
    SUBJECT_TEST(kept_states),
    SUBJECT_TEST(in_a_loop),
    SUBJECT_TEST(one_plan),
    SUBJECT_TEST(mistakes),
};
SUBJECT_MAIN(tests)
