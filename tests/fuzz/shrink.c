/* SPDX-License-Identifier: MIT */
/* Cutting a recipe down. One change at a time, kept if the test still holds; rounds until none is kept.
 *
 * Changes, the big ones first: one output alone; a step becomes a leaf of its own (what it was made from goes); a use
 * of a step becomes a use of one of its arguments; hints, forcing and specials go; an extent becomes smaller wherever
 * that number stands. */
#include "tests/fuzz/check.h"
#include "tests/support/nodes.h"
#include <string.h>

typedef struct shrinker {
    recipe *r;
    shrink_test test;
    void *user;
    bool progress;
} shrinker;

static bool attempt(shrinker *t, const recipe *candidate) {
    recipe pruned = *candidate;
    recipe_prune(&pruned);
    if (pruned.nouts == 0 || memcmp(&pruned, t->r, sizeof pruned) == 0 || !t->test(&pruned, t->user))
        return false;
    *t->r = pruned;
    return t->progress = true;
}

static void fewer_outs(shrinker *t) {
    for (int i = 0; t->r->nouts > 1 && i < t->r->nouts; i++) {
        recipe one = *t->r;
        one.out[0] = one.out[i];
        one.nouts = 1;
        if (attempt(t, &one))
            return;
    }
    for (int i = t->r->nouts - 1; i >= 0 && t->r->nouts > 1; i--) {
        recipe less = *t->r;
        memmove(&less.out[i], &less.out[i + 1], sizeof less.out[0] * (size_t)(less.nouts - i - 1));
        less.out[--less.nouts] = 0;
        attempt(t, &less);
    }
}

/* What the builder says about each step. */
static bool shapes(const recipe *r, fsr_shape *shape, fsr_dtype *dtype) {
    fsr_graph_owner *owner;
    fsr_graph *g = node_graph(&owner);
    fsr_node node[RECIPE_STEPS], other[RECIPE_STEPS];
    bool ok = true;
    for (int i = 0; i < r->n && ok; i++) {
        recipe_record(r, i, g, node, other);
        ok = fsr_node_status(node[i]) == FSR_OK;
        if (ok) {
            shape[i] = fsr_node_rec(node[i])->shape;
            dtype[i] = fsr_node_dtype(node[i]);
        }
    }
    fsr_graph_owner_free(owner);
    return ok;
}

static void steps_to_leaves(shrinker *t) {
    fsr_shape shape[RECIPE_STEPS];
    fsr_dtype dtype[RECIPE_STEPS];
    for (int i = t->r->n - 1; i >= 0; i--) {
        if (i >= t->r->n || t->r->step[i].kind == STEP_LEAF || !shapes(t->r, shape, dtype) ||
            shape[i].ndim > RECIPE_DIMS)
            continue;
        recipe cut = *t->r;
        recipe_step leaf = {.kind = STEP_LEAF, .dtype = dtype[i], .ndim = shape[i].ndim, .fill = 4};
        memcpy(leaf.shape, shape[i].dim, sizeof leaf.shape[0] * (size_t)shape[i].ndim);
        cut.step[i] = leaf;
        attempt(t, &cut);
    }
}

static void redirect(recipe *r, int from, int to) {
    for (int i = 0; i < r->n; i++)
        for (int a = 0; a < step_arity(&r->step[i]); a++)
            if (r->step[i].arg[a] == from && i > to)
                r->step[i].arg[a] = to;
    for (int i = 0; i < r->nouts; i++)
        if (r->out[i] == from)
            r->out[i] = to;
}

static void skip_steps(shrinker *t) {
    for (int i = t->r->n - 1; i >= 0; i--)
        for (int a = 0; i < t->r->n && a < step_arity(&t->r->step[i]); a++) {
            recipe skip = *t->r;
            redirect(&skip, i, skip.step[i].arg[a]);
            skip.step[i].force = false;
            if (attempt(t, &skip))
                break;
        }
}

static void plain_steps(shrinker *t) {
    for (int i = 0; i < t->r->n; i++) {
        recipe plain = *t->r;
        plain.step[i].hint = FSR_HINT_NONE;
        plain.step[i].pair = FSR_PAIR_NONE;
        attempt(t, &plain);
        if (i >= t->r->n)
            return;
        plain = *t->r;
        plain.step[i].force = false;
        attempt(t, &plain);
        if (i >= t->r->n)
            return;
        plain = *t->r;
        plain.step[i].fill = 4;
        attempt(t, &plain);
        plain = *t->r;
        if (i < plain.n && plain.step[i].kind == STEP_LEAF)
            plain.step[i].dtype = FSR_F32;
        attempt(t, &plain);
    }
}

static bool replace_extent(recipe *r, int64_t from, int64_t to) {
    bool any = false;
    for (int i = 0; i < r->n; i++)
        for (int d = 0; d < RECIPE_DIMS; d++)
            if (r->step[i].shape[d] == from) {
                r->step[i].shape[d] = to;
                any = true;
            }
    return any;
}

static void smaller_extents(shrinker *t) {
    for (int64_t from = 40000; from > 1; from--)
        for (int64_t to = from > 64 ? from / 2 : 1; to<from; to += from> 64 ? from / 4 + 1 : 1) {
            recipe small = *t->r;
            if (!replace_extent(&small, from, to) || attempt(t, &small))
                break;
        }
    for (int i = 0; i < t->r->n; i++)
        for (int d = 0; d < t->r->step[i].ndim && i < t->r->n; d++) {
            recipe one = *t->r;
            one.step[i].shape[d] = 1;
            attempt(t, &one);
        }
}

void shrink_recipe(recipe *r, shrink_test test, void *user) {
    shrinker t = {.r = r, .test = test, .user = user};
    recipe_prune(r);
    for (int round = 0; round < 20; round++) {
        t.progress = false;
        fewer_outs(&t);
        steps_to_leaves(&t);
        skip_steps(&t);
        plain_steps(&t);
        smaller_extents(&t);
        if (!t.progress)
            return;
    }
}
