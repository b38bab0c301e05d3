/* SPDX-License-Identifier: MIT */
/* The loops over arrays that recipes draw: bodies of maps, views, folds, gathers, a sort and a loop, for any two
 * arrays. */
#include "tests/fuzz/recipe.h"

static fsr_node like(fsr_node x, fsr_node state) {
    return fsr_cast(x, fsr_node_dtype(state));
}

static fsr_node plus(fsr_node x, fsr_node y) {
    return like(fsr_add(x, y), x);
}

/* The states turn around, and the number of the turn is added. */
static void flips(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    (void)user;
    for (int i = 0; i < 2; i++)
        out[i] = plus(fsr_node_ndim(state[i]) ? fsr_flip(state[i], 0) : state[i], in[0]);
}

/* Each gets the largest of the other, what comes from outside is the same in every turn. */
static void extremes(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    const fsr_node *outside = user;
    (void)in;
    out[0] = like(fsr_maximum(state[0], like(fsr_any(state[1], NULL, 0, 0), state[0])), state[0]);
    out[1] = like(fsr_where(fsr_any(outside[0], NULL, 0, 0), outside[1], state[1]), state[1]);
}

static void rises(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    const fsr_node *number = user;
    out[0] = plus(state[0], fsr_maximum(in[0], number[0]));
}

/* One is sorted, the other goes through a loop in the loop, which counts this one's turns. */
static void sorts(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    fsr_node number = in[0];
    (void)user;
    const int last = fsr_node_ndim(state[0]) - 1;
    out[0] = last < 0 ? state[0] : fsr_sort(state[0], &last, 1, 0);
    fsr_fori_loop(&out[1], &state[1], 1, fsr_int(number.graph, 2), rises, &number);
}

/* Rows at indices that are computed; the states stay the same arrays where there are none. */
static void gathers(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    (void)user;
    for (int i = 0; i < 2; i++) {
        const int64_t n = fsr_node_ndim(state[i]) ? fsr_node_dim(state[i], 0) : 0;
        if (n == 0) {
            out[i] = state[i];
            continue;
        }
        fsr_node rows = fsr_arange(in[0].graph, FSR_I64, n);
        out[i] = fsr_take(state[i], fsr_add(fsr_mul(rows, fsr_int(rows.graph, 3)), in[0]), 0, FSR_INDEX_WRAP);
    }
}

static const fsr_turn_fn body_of[FUZZ_TURNS] = {flips, extremes, sorts, gathers};

static void goes_on(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    (void)user;
    fsr_node small = fsr_less(fsr_count_nonzero(state[0], NULL, 0, 0), fsr_int(in[0].graph, 9));
    out[0] = fsr_logical_and(fsr_less(in[0], fsr_int(in[0].graph, 3)), small);
}

/* The carry meets a slice as far as shapes fit; what is stacked depends on both. */
static void carries(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    (void)user;
    out[0] = plus(state[0], fsr_any(in[0], NULL, 0, 0));
    out[1] = plus(in[0], fsr_add(fsr_any(state[0], NULL, 0, 0), in[1]));
}

/* Two carries and two arrays of slices: one carry is what the caller has, the other the largest elements of the
 * slices. */
static void carries_both(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    (void)user;
    out[0] = plus(state[0], fsr_any(in[1], NULL, 0, 0));
    out[1] = like(fsr_maximum(state[1], in[0]), state[1]);
    out[2] = plus(in[1], fsr_logical_and(state[1], fsr_any(state[0], NULL, 0, 0)));
}

static void scan_both(fsr_node *out, fsr_node x, fsr_node y, int flags) {
    const fsr_rec *rec = fsr_node_rec(y);
    const fsr_node first[] = {x, fsr_zeros(y.graph, rec->dtype[y.output], rec->shape.ndim - 1, rec->shape.dim + 1)};
    fsr_node result[3] = {{0}};
    fsr_scan_loop(result, first, 2, ((fsr_node[]){y, fsr_flip(y, 0)}), 2, 1, 0, flags, carries_both, NULL);
    out[0] = result[0];
    out[1] = fsr_maximum(result[2], fsr_expand(result[1], 0));
}

/* Element by element, with an array from outside and the number of the turn: one kernel, if the carry begins as a
 * number. */
static void weighs(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    const fsr_node *outside = user;
    const fsr_node product = fsr_mul(in[0], like(in[1], in[0]));
    out[0] = out[1] = like(fsr_add(fsr_mul(state[0], like(*outside, state[0])), product), state[0]);
}

/* Slices of y along axis 0; x is looked at where its elements can be. */
static void weigh_slices(fsr_node *out, fsr_node x, fsr_node y, int flags) {
    const fsr_rec *rec = fsr_node_rec(y);
    fsr_node some = fsr_any(y, (int[]){0}, 1, 0);
    some = fsr_logical_or(some, fsr_any(x, NULL, 0, 0));
    const fsr_node first = fsr_zeros(y.graph, rec->dtype[y.output], rec->shape.ndim - 1, rec->shape.dim + 1);
    fsr_scan_loop(out, &first, 1, &y, 1, 1, 0, flags, weighs, &some);
}

void fuzz_turns(fsr_node *out, fsr_node x, fsr_node y, int body, int64_t turns, int flags) {
    fsr_node both[] = {x, y};
    if (flags == FUZZ_SLICES && body % 2 && fsr_node_ndim(y) > 0)
        weigh_slices(out, x, y, turns % 2 ? FSR_REVERSE : 0);
    else if (flags == FUZZ_SLICES && body == 2 && fsr_node_ndim(y) > 0)
        scan_both(out, x, y, turns % 2 ? FSR_REVERSE : 0);
    else if (flags == FUZZ_SLICES)
        fsr_scan_loop(out, &x, 1, &y, 1, 1, 0, turns % 2 ? FSR_REVERSE : 0, carries, NULL);
    else if (flags == FUZZ_WHILE)
        fsr_while_loop(out, both, 2, turns, goes_on, body_of[body], both);
    else
        fsr_fori_loop(out, both, 2, fsr_int(x.graph, turns), body_of[body], both);
}
