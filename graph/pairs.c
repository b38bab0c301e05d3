/* SPDX-License-Identifier: MIT */
/* Hints about two nodes; see pairs.h. A list in the order in which they were set, and a table by which the one of two
 * nodes is found: 1 + its place, or 0, where their ids lead, or behind that. */
#include "graph/pairs.h"
#include "graph/store.h"
#include <stdlib.h>
#include <string.h>

static bool is_there(const fsr_graph *g, uint32_t id, uint64_t stamp) {
    const fsr_rec *rec = fsr_graph_rec(g, id);
    return rec->stamp == stamp && !fsr_is(rec->kind, FSR_IS_ARRAY) && !rec->buffer[0];
}

static bool stands(const fsr_graph *g, const fsr_pair *pair) {
    return pair->hint != FSR_PAIR_NONE && is_there(g, pair->id[0], pair->stamp[0]) &&
           is_there(g, pair->id[1], pair->stamp[1]);
}

int fsr_pair_count(const fsr_graph *g) {
    return g->body->npairs;
}

const fsr_pair *fsr_pair_at(const fsr_graph *g, int i) {
    const fsr_pair *pair = &g->body->pair[i];
    return stands(g, pair) ? pair : NULL;
}

/* Where the two are in the table, or would be. There is a free place. */
static uint32_t *slot_of(const fsr_graph_body *body, uint32_t x, uint32_t y) {
    const uint32_t low = x < y ? x : y, high = x < y ? y : x, mask = (uint32_t)(4 * body->pair_capacity - 1);
    uint64_t at = ((uint64_t)high << 32 | low) * 0x9e3779b97f4a7c15u >> 32;
    for (;; at++) {
        uint32_t *slot = &body->pair_slot[at & mask];
        const fsr_pair *pair = *slot ? &body->pair[*slot - 1] : NULL;
        if (!pair || (pair->id[0] == low && pair->id[1] == high) || (pair->id[0] == high && pair->id[1] == low))
            return slot;
    }
}

/* The table of the list as it is. */
static void enter_all(fsr_graph_body *body) {
    memset(body->pair_slot, 0, sizeof *body->pair_slot * 4 * (size_t)body->pair_capacity);
    for (int i = 0; i < body->npairs; i++) {
        uint32_t *slot = slot_of(body, body->pair[i].id[0], body->pair[i].id[1]);
        *slot = *slot ? *slot : (uint32_t)i + 1;
    }
}

/* Room for so many pairs, a power of two; the table is empty. */
static bool grow(fsr_graph_body *body, int capacity) {
    fsr_pair *pair = realloc(body->pair, sizeof *pair * (size_t)capacity);
    body->pair = pair ? pair : body->pair;
    uint32_t *slot = pair ? realloc(body->pair_slot, sizeof *slot * 4 * (size_t)capacity) : NULL;
    body->pair_slot = slot ? slot : body->pair_slot;
    body->pair_capacity = slot ? capacity : body->pair_capacity;
    return slot != NULL;
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
    if (2 * kept >= body->pair_capacity)
        grow(body, body->pair_capacity ? 2 * body->pair_capacity : 8);
    if (body->pair_capacity)
        enter_all(body);
    return kept < body->pair_capacity;
}

bool fsr_pair_add(fsr_graph *g, uint32_t x, uint32_t y, fsr_pair_hint hint) {
    fsr_graph_body *body = g->body;
    if (!room(g))
        return false;
    uint32_t *slot = slot_of(body, x, y);
    body->pair[body->npairs++] = (fsr_pair){{x, y}, {fsr_graph_rec(g, x)->stamp, fsr_graph_rec(g, y)->stamp}, hint};
    if (!*slot || !stands(g, &body->pair[*slot - 1]))
        *slot = (uint32_t)body->npairs;
    return true;
}

bool fsr_pair_set(fsr_graph *g, uint32_t x, uint32_t y, fsr_pair_hint hint) {
    fsr_graph_body *body = g->body;
    const uint32_t *slot = body->npairs ? slot_of(body, x, y) : NULL;
    fsr_pair *pair = slot && *slot && stands(g, &body->pair[*slot - 1]) ? &body->pair[*slot - 1] : NULL;
    if (!pair)
        return hint == FSR_PAIR_NONE || fsr_pair_add(g, x, y, hint);
    pair->hint = hint;
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
