/* SPDX-License-Identifier: MIT */
/* Loops over arrays that change a part of a state in each turn, as tables that are filled row by row do: such a state
 * is written in place where nobody reads what the turn has overwritten (fusion/loop_states.c). The bits are those of
 * the same steps one by one, and the state that the loop began with stays as it was. */
#include "tests/support/subject.h"
#include <stdlib.h>
#include <string.h>

enum { ROWS = 24, TURNS = 7, STATES = 2, WIDE = 4096, NARROW = 40 };

static fsr_node number(fsr_node like, int64_t i) {
    return fsr_int(like.graph, i);
}

static fsr_node row_of(fsr_node table, fsr_node row) {
    const fsr_node at[] = {row, number(table, 0)};
    return fsr_dynamic_slice(table, at, SHAPE(1, fsr_node_dim(table, 1)));
}

static fsr_node with_row(fsr_node table, fsr_node row, fsr_node values) {
    const fsr_node at[] = {row, number(table, 0)};
    return fsr_dynamic_update(table, values, at);
}

static fsr_node half(fsr_node x) {
    return fsr_mul(x, fsr_float(x.graph, 0.5));
}

/* ---- turns: out[0], out[1] of state[0], state[1], and the turn's number ----------------------------------------- */

/* A row of what the row before it was, elsewhere in memory. */
static void next_row(fsr_node *out, const fsr_node *s, fsr_node turn) {
    const fsr_node next = fsr_add(turn, number(s[0], 1));
    out[0] = with_row(s[0], next, fsr_add(half(row_of(s[0], turn)), row_of(s[1], next)));
    out[1] = s[1];
}

/* The same, and of the row that is overwritten. */
static void same_row(fsr_node *out, const fsr_node *s, fsr_node turn) {
    out[0] = with_row(s[0], turn, fsr_add(fsr_flip(row_of(s[0], turn), 1), row_of(s[1], turn)));
    out[1] = s[1];
}

/* A section that is known, of its neighbours. */
static void inner(fsr_node *out, const fsr_node *s, fsr_node turn) {
    const int64_t n = fsr_node_dim(s[0], 1);
    const fsr_node rows = fsr_slice(s[0], 0, 2, 9, 1), above = fsr_slice(s[0], 0, 1, 8, 1);
    (void)turn;
    out[0] = fsr_update(s[0], fsr_slice(rows, 1, 3, n - 5, 1), fsr_slice(fsr_add(half(rows), above), 1, 3, n - 5, 1));
    out[1] = s[1];
}

/* Two states, each of which gets what the other one had. */
static void crossed(fsr_node *out, const fsr_node *s, fsr_node turn) {
    out[0] = with_row(s[0], turn, half(row_of(s[1], turn)));
    out[1] = with_row(s[1], turn, half(row_of(s[0], turn)));
}

/* What others take of the state before it is changed. */
static void beside(fsr_node *out, const fsr_node *s, fsr_node turn) {
    out[1] = fsr_add(half(s[1]), fsr_flip(s[0], 0));
    out[0] = with_row(s[0], turn, row_of(out[1], turn));
}

/* Two rows one after the other, the second one of the first. */
static void twice(fsr_node *out, const fsr_node *s, fsr_node turn) {
    const fsr_node next = fsr_add(turn, number(s[0], 1));
    const fsr_node first = with_row(s[0], turn, half(row_of(s[1], turn)));
    out[0] = with_row(first, next, fsr_add(row_of(first, turn), row_of(s[0], next)));
    out[1] = s[1];
}

/* Rows at computed places, added. */
static void scattered(fsr_node *out, const fsr_node *s, fsr_node turn) {
    const fsr_node at = fsr_mod(fsr_add(fsr_arange(s[0].graph, FSR_I64, 5), turn), number(s[0], ROWS));
    out[0] = fsr_scatter_add(s[0], &at, 1, fsr_slice(s[1], 0, 0, 5, 1), FSR_INDEX_RAISE, 0);
    out[1] = s[1];
}

/* Rows at computed places, in place of those that are there, each of the one before it. */
static void placed(fsr_node *out, const fsr_node *s, fsr_node turn) {
    const fsr_node apart = fsr_mul(fsr_arange(s[0].graph, FSR_I64, 5), number(s[0], 3));
    const fsr_node to = fsr_mod(fsr_add(apart, fsr_add(fsr_add(turn, turn), number(s[0], 4))), number(s[0], ROWS));
    out[0] = s[0];
    out[1] = fsr_scatter(s[1], &to, 1, half(fsr_slice(s[1], 0, 3, 8, 1)), FSR_INDEX_RAISE, FSR_UNIQUE);
}

/* The state goes on as another one. */
static void handed_on(fsr_node *out, const fsr_node *s, fsr_node turn) {
    out[0] = with_row(s[0], turn, half(row_of(s[1], turn)));
    out[1] = s[0];
}

/* ---- sections that a mask chooses: as they come, and at places that the state has not got ------------------------ */

static fsr_node chosen(const fsr_node *s, fsr_node turn, const char *text) {
    fsr_graph *g = turn.graph;
    fsr_name name[] = {{"s", s[0]},
                       {"o", s[1]},
                       {"t", turn},
                       {"i", fsr_arange(g, FSR_I64, ROWS)},
                       {"j", fsr_arange(g, FSR_I32, fsr_node_dim(s[0], 1))},
                       {"b", fsr_arange(g, FSR_I8, fsr_node_dim(s[0], 1))}};
    return fsr_expr(g, text, name, 6);
}

/* A turn: a function, or next states as texts; NULL: that one stays. */
typedef struct step {
    void (*take)(fsr_node *out, const fsr_node *s, fsr_node turn);
    const char *next[STATES];
} step;

/* Of masks first those that choose a section; then an index of 8 bits, which sixteen of 4,096 columns have in common, a
 * place for each column, all but a row. */
static const step steps[] = {{next_row, {0}},
                             {same_row, {0}},
                             {inner, {0}},
                             {crossed, {0}},
                             {beside, {0}},
                             {twice, {0}},
                             {scattered, {0}},
                             {placed, {0}},
                             {handed_on, {0}},
                             {NULL, {"where(i[:, None] == t + 1, s[max(t - 1, 0)] * 0.5 + o, s)"}},
                             {NULL, {"where(9 * t - 5 == i[:, None], s * 0.5 + o, s)"}},
                             {NULL, {"where(i[:, None] == t, max(where(i[:, None] < t, s, o[t]), axis=0) + o[t], s)"}},
                             {NULL, {"where((i[:, None] == t) & (j == 2 * t + 34), s + o, s)"}},
                             {NULL, {"where(j == t + 3 && i[:, None] > t, o[::-1] * 0.5, s)"}},
                             {NULL, {"where(i[:, None] == t, s * 0.5, s)", "where(i[:, None] == t, s + o, o)"}},
                             {NULL, {"where(b == i8(t), o, s)"}},
                             {NULL, {"where(i[:, None] == j + t, o, s)", "where(i[:, None] != t, s + o, o)"}}};

static void take(const step *way, fsr_node *out, const fsr_node *s, fsr_node turn) {
    if (way->take)
        way->take(out, s, turn);
    for (int k = 0; k < STATES && !way->take; k++)
        out[k] = way->next[k] ? chosen(s, turn, way->next[k]) : s[k];
}

/* ---- the loops -------------------------------------------------------------------------------------------------- */

static void body(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    take(user, out, state, in[0]);
}

static void stacking(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    take(user, out, state, fsr_cast(in[0], FSR_I64));
    out[2] = out[0];
}

static void begin(fsr_node *state, int64_t n) {
    for (int i = 0; i < STATES; i++)
        state[i] = subject_data(FSR_F32, 2, SHAPE(ROWS, n), SUBJECT_SMALL, i);
}

static void one_by_one(const step *way, const fsr_node *first, fsr_node *want) {
    memcpy(want, first, STATES * sizeof *want);
    for (int t = 0; t < TURNS; t++) {
        fsr_node next[STATES];
        take(way, next, want, number(first[0], t));
        OK(fsr_compute(next, STATES));
        memcpy(want, next, sizeof next);
    }
}

static void equal_bits(fsr_node want, fsr_node got, int which, const char *what) {
    void *a = subject_read(want), *b = subject_read(got);
    if (memcmp(a, b, (size_t)fsr_node_bytes(want)) != 0)
        fail_msg("steps %d: %s", which, what);
    free(a);
    free(b);
}

/* Both results and each by itself, of arrays that the loop began with and of some that nobody else has. */
static void as_one_by_one(void **unused) {
    (void)unused;
    for (int i = 0; i < 2 * COUNT_OF(steps); i++) {
        const step *const way = &steps[i / 2];
        const int64_t n = i % 2 ? WIDE : NARROW;
        fsr_node first[STATES], again[STATES], want[STATES], got[STATES];
        begin(first, n);
        begin(again, n);
        one_by_one(way, first, want);
        for (int form = 0; form < 4; form++) {
            const fsr_node own[] = {fsr_add(first[0], number(first[0], 0)), fsr_add(first[1], number(first[0], 0))};
            fsr_fori_loop(got, form == 3 ? own : first, STATES, number(first[0], TURNS), body, (void *)way);
            if (form == 0)
                OK(fsr_compute(got, STATES));
            for (int k = 0; k < STATES; k++)
                if (form == 0 || form == 3 || form == k + 1)
                    equal_bits(want[k], got[k], i / 2, "a state");
        }
        for (int k = 0; k < STATES; k++)
            equal_bits(again[k], first[k], i / 2, "what the loop began with is another one");
        fsr_fori_loop(got, first, STATES, number(first[0], 0), body, (void *)way);
        for (int k = 0; k < STATES; k++)
            equal_bits(first[k], got[k], i / 2, "a state after no turn");
    }
}

/* All states are kept as well. */
static void stacked(void **unused) {
    (void)unused;
    for (int i = 0; i < COUNT_OF(steps); i++) {
        fsr_node first[STATES], want[STATES], got[STATES + 1], turn;
        begin(first, WIDE);
        turn = fsr_arange(first[0].graph, FSR_I64, TURNS);
        one_by_one(&steps[i], first, want);
        fsr_scan_loop(got, first, STATES, &turn, 1, 1, 0, 0, stacking, (void *)&steps[i]);
        for (int k = 0; k < STATES; k++)
            equal_bits(want[k], got[k], i, "a state beside all of them");
        equal_bits(fsr_reshape(want[0], 3, SHAPE(1, ROWS, WIDE)), fsr_slice(got[STATES], 0, TURNS - 1, TURNS, 1), i,
                   "the last of all states");
    }
}

/* ---- until a condition fails ------------------------------------------------------------------------------------ */

static void counted(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    (void)in;
    take(user, out, state, state[STATES]);
    out[STATES] = fsr_add(state[STATES], number(state[0], 1));
}

static void goes_on(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    (void)in, (void)user;
    out[0] = fsr_less(state[STATES], number(state[0], TURNS));
}

static void until_a_condition_fails(void **unused) {
    (void)unused;
    for (int i = 0; i < COUNT_OF(steps); i++) {
        fsr_node first[STATES + 1], want[STATES], got[STATES + 1];
        begin(first, WIDE);
        first[STATES] = fsr_full(first[0].graph, FSR_I64, 0, NULL, 0);
        one_by_one(&steps[i], first, want);
        fsr_while_loop(got, first, STATES + 1, 100, goes_on, counted, (void *)&steps[i]);
        for (int k = 0; k < STATES; k++)
            equal_bits(want[k], got[k], i, "a state, while a condition holds");
    }
}

static const struct CMUnitTest tests[] = {SUBJECT_TEST(as_one_by_one), SUBJECT_TEST(stacked),
                                          SUBJECT_TEST(until_a_condition_fails)};

SUBJECT_MAIN(tests)
