/* SPDX-License-Identifier: MIT */
/* Hints about two nodes; see pairs.h. */
#include "graph/pairs.h"
#include "graph/store.h"
#include <stdlib.h>

static bool is_there(const fsr_graph *g, uint32_t id, uint64_t stamp) {
    const fsr_rec *rec = fsr_graph_rec(g, id);
    return rec->stamp == stamp && !fsr_is(rec->kind, FSR_IS_ARRAY) && !rec->buffer[0];
}

static bool stands(const fsr_graph *g, const fsr_pair *pair) {
    return is_there(g, pair->id[0], pair->stamp[0]) && is_there(g, pair->id[1], pair->stamp[1]);
}

int fsr_pair_count(const fsr_graph *g) {
    return g->body->npairs;
}

const fsr_pair *fsr_pair_at(const fsr_graph *g, int i) {
    const fsr_pair *pair = &g->body->pair[i];
    return stands(g, pair) ? pair : NULL;
}

/* Room for one more: pairs that stand for nothing go first, and if more than half stand there is twice the room, so
 * that a loop which records, computes and drops is flat in memory and time. */
static bool room(const fsr_graph *g) {
    fsr_graph_body *body = g->body;
    int kept = 0;
    if (body->npairs < body->pair_capacity)
        return true;
    for (int i = 0; i < body->npairs; i++)
        if (stands(g, &body->pair[i]))
            body->pair[kept++] = body->pair[i];
    body->npairs = kept;
    if (2 * kept < body->pair_capacity)
        return true;
    const int capacity = body->pair_capacity ? 2 * body->pair_capacity : 8;
    fsr_pair *grown = realloc(body->pair, sizeof *grown * (size_t)capacity);
    if (!grown)
        return kept < body->pair_capacity;
    body->pair = grown;
    body->pair_capacity = capacity;
    return true;
}

/* Its place, or the number of pairs. */
static int find(const fsr_graph *g, uint32_t x, uint32_t y) {
    int i = 0;
    for (; i < g->body->npairs; i++) {
        const fsr_pair *pair = fsr_pair_at(g, i);
        if (pair && ((pair->id[0] == x && pair->id[1] == y) || (pair->id[0] == y && pair->id[1] == x)))
            break;
    }
    return i;
}

bool fsr_pair_add(fsr_graph *g, uint32_t x, uint32_t y, fsr_pair_hint hint) {
    if (!room(g))
        return false;
    g->body->pair[g->body->npairs++] =
        (fsr_pair){{x, y}, {fsr_graph_rec(g, x)->stamp, fsr_graph_rec(g, y)->stamp}, hint};
    return true;
}

bool fsr_pair_set(fsr_graph *g, uint32_t x, uint32_t y, fsr_pair_hint hint) {
    fsr_graph_body *body = g->body;
    int i = find(g, x, y);
    if (hint == FSR_PAIR_NONE) {
        body->npairs -= i < body->npairs;
        for (; i < body->npairs; i++)
            body->pair[i] = body->pair[i + 1];
        return true;
    }
    if (i == body->npairs)
        return fsr_pair_add(g, x, y, hint);
    body->pair[i].hint = hint;
    return true;
}

/* `to` may be the same graph, whose list changes as pairs are added: its own are copied first. */
bool fsr_pairs_copy(const fsr_graph *from, fsr_graph *to, fsr_pair_image *image, const void *data) {
    const int n = fsr_pair_count(from);
    fsr_pair *own = malloc(sizeof *own * (size_t)(n + 1));
    bool good = own != NULL;
    int stood = 0;
    for (int i = 0; good && i < n; i++)
        if (fsr_pair_at(from, i))
            own[stood++] = *fsr_pair_at(from, i);
    for (int i = 0; good && i < stood; i++) {
        uint32_t x, y;
        if (image(data, own[i].id[0], &x) && image(data, own[i].id[1], &y))
            good = fsr_pair_set(to, x, y, own[i].hint);
    }
    free(own);
    return good;
}
