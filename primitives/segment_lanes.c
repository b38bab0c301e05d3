/* SPDX-License-Identifier: MIT */
/* Folds of rows of any lengths by a few loops each, lanes: lane i of n takes elements i, i + n, i + 2n .. of its row,
 * so that threads side by side read side by side, and the lanes are folded as a short row. Operands must commute.
 * Counter-example to a loop for each row: the loops of a GPU's threads read a row's length apart; a product of 2^27
 * values in rows of 16 took 5.05 ms of an H200.
 *
 * A turn takes a few elements, as loads that wait for one another, a column and what is taken there, are slow one by
 * one. What would be behind the row's end is read at the turn's first element again, and not folded. */
#include "primitives/element.h"
#include "primitives/segment.h"
#include <string.h>

enum { END, FROM, SKIPPED };

static void is_before(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    const fsr_lanes *l = user;
    out[0] = fsr_less_at(l->at, state[0], arg[END]);
}

/* Behind what is skipped, from there on. */
static fsr_node passed(const fsr_lanes *l, fsr_node place, const fsr_node *arg) {
    const fsr_node none = fsr_whole(l->at, place, 0);
    const fsr_node before = fsr_less_at(l->at, place, arg[FROM]);
    return fsr_add_at(l->at, place, fsr_where_at(l->at, before, none, arg[SKIPPED]));
}

/* state: the place, as if nothing were skipped, and the fold so far. */
static void take_few(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    const fsr_lanes *l = user;
    const fsr_site at = l->at;
    const int arity = l->op->arity;
    memcpy(out + 1, state + 1, sizeof *out * (size_t)arity);
    for (int k = 0; k < l->turn; k++) {
        const fsr_node ahead = fsr_add_at(at, state[0], fsr_whole(at, state[0], (int64_t)k * l->lanes));
        const fsr_node inside = fsr_less_at(at, ahead, arg[END]);
        const fsr_node place = k ? fsr_where_at(at, inside, ahead, state[0]) : state[0];
        const fsr_node index = l->skips ? passed(l, place, arg) : place;
        fsr_node x[FSR_MAX_TUPLE], more[FSR_MAX_TUPLE] = {{0}};
        for (int i = 0; i < arity; i++)
            x[i] = fsr_element(at, l->in[i], &index, l->fits);
        l->op->body(more, out + 1, x, l->op->user);
        for (int i = 0; i < arity; i++)
            out[1 + i] = k ? fsr_where_at(at, inside, more[i], out[1 + i]) : more[i];
    }
    out[0] = fsr_add_at(at, state[0], fsr_whole(at, state[0], (int64_t)l->turn * l->lanes));
}

void fsr_lanes_fold(const fsr_lanes *l, fsr_node begin, const fsr_node *arg, int64_t most, fsr_node *out) {
    const fsr_site at = l->at;
    const int arity = l->op->arity, narg = l->skips ? SKIPPED + 1 : END + 1, each = l->turn * l->lanes;
    const fsr_node lane = fsr_arange_at(at, begin.graph, fsr_node_dtype(begin), l->lanes);
    fsr_node state[FSR_MAX_STATE] = {fsr_add_at(at, fsr_expand_at(at, begin, 1), lane)}, result[FSR_MAX_STATE + 1];
    fsr_node column[SKIPPED + 1];
    for (int i = 0; i < narg; i++)
        column[i] = fsr_expand_at(at, arg[i], 1);
    memcpy(state + 1, l->identity, sizeof *state * (size_t)arity);
    const fsr_loop loop = {take_few, is_before, (void *)(uintptr_t)l, 1 + arity, narg};
    fsr_iterate_at(at, sizeof loop, result, &loop, state, column, (most + each - 1) / each);
    fsr_reduce_with_at(at, sizeof *l->op, out, result + 1, l->op, (int[]){1}, 1, 0);
}

void fsr_lanes_store(fsr_node offsets) {
    fsr_element_use use = {0};
    if (!fsr_element_fits(offsets, &use))
        fsr_hint_set(offsets, FSR_HINT_MATERIALIZE);
}
