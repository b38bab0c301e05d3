/* SPDX-License-Identifier: MIT */
/* A million turns of one loop over arrays: memory does not grow with them, nothing is compiled or planned again, and
 * the bits are those of the same steps one by one. The fast tier takes a tenth of the turns.
 *
 * Nobody records a million steps one by one. A loop of few turns is compared with steps that are computed before the
 * next one is recorded; the long loop with as many short loops, each going on where the one before has ended. The body
 * is chaotic, so that a lost turn, or one bit of one turn, is seen at the end. */
#include "tests/support/subject.h"
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { N = 24, SHORT = 500, STATES = 3 };

static const char *const name_of[STATES] = {"the lattice", "the largest seen", "the number of turns"};

static fsr_node constant(fsr_node like, double x) {
    return fsr_float(like.graph, x);
}

/* A ring of coupled logistic maps in (0, 1), the largest element that there was, and how many turns. */
static void turn(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    (void)in, (void)user;
    const fsr_node x = state[0], one = fsr_int(x.graph, 1);
    const fsr_node next = fsr_mul(constant(x, 3.9), fsr_mul(x, fsr_sub(constant(x, 1), x)));
    const fsr_node sides = fsr_add(fsr_roll(next, SHAPE(1), AXES(0), 1), fsr_roll(next, SHAPE(-1), AXES(0), 1));
    out[0] = fsr_add(fsr_mul(constant(x, 0.9), next), fsr_mul(constant(x, 0.05), sides));
    out[1] = fsr_maximum(state[1], fsr_max(x, NULL, 0, 0));
    out[2] = fsr_add(state[2], one);
}

static void goes_on(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    (void)in;
    out[0] = fsr_less(state[2], *(const fsr_node *)user);
}

static void begin(fsr_node *state) {
    const fsr_node i = fsr_arange(subject_g, FSR_F32, N);
    state[0] = fsr_add(fsr_mul(i, fsr_float(subject_g, 0.03125)), fsr_float(subject_g, 0.125));
    state[1] = fsr_full(subject_g, FSR_F32, 0, NULL, 0);
    state[2] = fsr_full(subject_g, FSR_I64, 0, NULL, 0);
}

static void equal_bits(const fsr_node *want, const fsr_node *got, const char *what) {
    for (int i = 0; i < STATES; i++) {
        void *a = subject_read(want[i]), *b = subject_read(got[i]);
        if (memcmp(a, b, (size_t)fsr_node_bytes(want[i])) != 0)
            fail_msg("%s: %s differs", what, name_of[i]);
        free(a);
        free(b);
    }
}

static int64_t most(void) {
    return subject_case(0, SUBJECT_LONG) ? 1000000 : 100000;
}

static int64_t peak(void) {
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return (int64_t)usage.ru_maxrss * 1024;
}

/* `turns` turns as loops of SHORT; the last of them leaves its states in the graph. */
static void in_short_loops(fsr_node *state, int64_t turns) {
    OK(fsr_compute(state, STATES));
    OK(fsr_scope_begin(subject_g));
    for (int64_t done = 0; done < turns; done += SHORT) {
        fsr_node next[STATES];
        fsr_fori_loop(next, state, STATES, fsr_int(subject_g, SHORT), turn, NULL);
        OK(fsr_compute(next, STATES));
        OK(fsr_scope_keep(subject_g, next, STATES));
        memcpy(state, next, sizeof next);
    }
    OK(fsr_scope_end(subject_g, state, STATES));
}

static void as_steps_one_by_one(void **unused) {
    (void)unused;
    fsr_node state[STATES], got[STATES];
    begin(state);
    fsr_fori_loop(got, state, STATES, fsr_int(subject_g, SHORT), turn, NULL);
    OK(fsr_compute(got, STATES));
    for (int i = 0; i < SHORT; i++) {
        fsr_node next[STATES];
        turn(next, state, NULL, NULL);
        OK(fsr_compute(next, STATES));
        memcpy(state, next, sizeof next);
    }
    equal_bits(state, got, "a short loop");
}

/* One loop with `n` turns, a parameter; with a condition or with their number. */
static void one_loop(fsr_node *out, bool conditional, fsr_node n) {
    fsr_node state[STATES];
    begin(state);
    if (conditional)
        fsr_while_loop(out, state, STATES, 2000000, goes_on, turn, &n);
    else
        fsr_fori_loop(out, state, STATES, n, turn, NULL);
    OK(fsr_compute(out, STATES));
    OK(fsr_sync(subject_ctx));
}

static void flat(bool conditional) {
    const int64_t turns = most();
    fsr_node got[STATES], want[STATES], few[STATES], n = fsr_param(subject_g, "turns", FSR_I64, 20);
    one_loop(few, conditional, n);
    const fsr_stats before = subject_stats();
    const int64_t resident = subject_resident(), highest = peak();
    OK(fsr_param_set(n, (double)turns));
    one_loop(got, conditional, n);
    const fsr_stats after = subject_stats();
    assert_int_equal(after.compilations, before.compilations);
    assert_int_equal(after.plans_built, before.plans_built);
    assert_true(after.pool_bytes - before.pool_bytes <= 8192); /* the second results */
    assert_true(after.launches - before.launches >= turns);
    if (!subject_sanitized() && subject_resident() - resident >= 8 << 20)
        fail_msg("%lld bytes more after %lld turns", (long long)(subject_resident() - resident), (long long)turns);
    if (!subject_sanitized() && peak() - highest >= 8 << 20)
        fail_msg("%lld bytes more within %lld turns", (long long)(peak() - highest), (long long)turns);
    begin(want);
    in_short_loops(want, turns);
    equal_bits(want, got, conditional ? "while" : "for");
    subject_count("turns of one loop with the bits of short loops", turns);
}

static void a_million_turns(void **state) {
    (void)state;
    flat(false);
}

static void a_million_turns_with_a_condition(void **state) {
    (void)state;
    flat(true);
}

static const struct CMUnitTest tests[] = {
    SUBJECT_TEST(as_steps_one_by_one),
    SUBJECT_CASES(a_million_turns),
    SUBJECT_CASES(a_million_turns_with_a_condition),
};
SUBJECT_MAIN(tests)
