/* SPDX-License-Identifier: MIT */
/* Families of plans; see specialize.h. */
#include "runtime/specialize.h"
#include "fusion/literals.h"
#include "runtime/lru.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { FAMILIES = 512 };

typedef struct family {
    int n;
    bool *varies, *text; /* of a literal: it has differed; it cannot be an argument */
    fsr_value first[];   /* then varies, then text */
} family;

struct fsr_families {
    pthread_mutex_t lock;
    fsr_lru *family; /* by structure */
    fsr_lru *count;  /* int *, by digest */
};

fsr_families *fsr_families_open(void) {
    fsr_families *families = calloc(1, sizeof *families);
    if (!families)
        return NULL;
    pthread_mutex_init(&families->lock, NULL);
    families->family = fsr_lru_new(FAMILIES, free);
    families->count = fsr_lru_new(FAMILIES, free);
    if (families->family && families->count)
        return families;
    fsr_families_close(families);
    return NULL;
}

void fsr_families_close(fsr_families *families) {
    if (!families)
        return;
    fsr_lru_free(families->family);
    fsr_lru_free(families->count);
    pthread_mutex_destroy(&families->lock);
    free(families);
}

static family *family_new(const fsr_value *value, int n) {
    family *f = calloc(1, sizeof *f + (sizeof *value + 2 * sizeof *f->varies) * (size_t)n);
    if (!f)
        return NULL;
    f->n = n;
    f->varies = (bool *)(f->first + n);
    f->text = f->varies + n;
    memcpy(f->first, value, sizeof *value * (size_t)n);
    return f;
}

/* The lock is held. NULL: a family of which nothing is known, which a new one is as well. */
static family *find(fsr_families *families, const fsr_choice *c, bool remember) {
    family *f = fsr_lru_find(families->family, c->structure, c->structure_size);
    if (f || !remember)
        return f;
    f = family_new(c->value, c->n);
    if (f)
        free(fsr_lru_put(families->family, c->structure, c->structure_size, f));
    return NULL;
}

static void mark(fsr_flow_node *n, family *f, bool remember) {
    bool varies = f->varies[n->ordinal] || !fsr_value_equal(n->value, f->first[n->ordinal]);
    if (remember)
        f->varies[n->ordinal] = varies;
    if (n->use == FSR_LITERAL_TEXT && varies && !fsr_literal_is_nan(n))
        n->use = FSR_LITERAL_VARIES;
    if (f->text[n->ordinal])
        n->use = FSR_LITERAL_TEXT;
}

/* What was counted as the program was recorded, the structure, then of each node its reports, of each literal its use and,
 * of text, its value. The first word is no kind of node: no key is a flow's signature. Counter-example to the structure
 * alone: after the passes where(true, x, y) * 2 is x * 2, and the one has two leaves, the other one. */
static fsr_status make_key(const fsr_flow *flow, fsr_choice *c) {
    const int head[] = {-1, flow->nleaves, flow->nscalars, flow->nreports};
    if (c->n == 0)
        return FSR_OK;
    size_t each = sizeof(fsr_value) + 1, size = sizeof head + c->structure_size;
    bool any = false;
    free(c->key);
    c->key = NULL;
    for (int i = 0; i < flow->n; ++i)
        any = any || (fsr_is(flow->node[i].kind, FSR_IS_LITERAL) && flow->node[i].use != FSR_LITERAL_TEXT);
    if (!any)
        return FSR_OK;
    unsigned char *key = malloc(size + each * (size_t)c->n + sizeof(int) * (size_t)flow->n);
    if (!key)
        return FSR_ERR_MEMORY;
    memcpy(key, head, sizeof head);
    memcpy(key + sizeof head, c->structure, c->structure_size);
    for (int i = 0; i < flow->n; ++i) {
        const fsr_flow_node *n = &flow->node[i];
        memcpy(key + size, &n->report, sizeof n->report);
        size += sizeof n->report;
        if (!fsr_is(n->kind, FSR_IS_LITERAL))
            continue;
        bool text = n->use == FSR_LITERAL_TEXT;
        key[size++] = (unsigned char)n->use;
        if (text)
            memcpy(key + size, &n->value, sizeof n->value);
        size += text ? sizeof n->value : 0;
    }
    c->key = key;
    c->key_size = size;
    return FSR_OK;
}

fsr_status fsr_choose_literals(fsr_families *families, fsr_flow *flow, bool remember, fsr_choice *choice) {
    *choice = (fsr_choice){0};
    fsr_status status = fsr_literals_number(flow, &choice->value, &choice->n);
    if (status || choice->n == 0)
        return status;
    choice->structure = fsr_flow_structure(flow, false, &choice->structure_size);
    if (!choice->structure)
        return FSR_ERR_MEMORY;
    pthread_mutex_lock(&families->lock);
    family *f = find(families, choice, remember);
    for (int i = 0; f && i < flow->n; ++i)
        if (fsr_is(flow->node[i].kind, FSR_IS_LITERAL))
            mark(&flow->node[i], f, remember);
    pthread_mutex_unlock(&families->lock);
    return make_key(flow, choice);
}

fsr_status fsr_choice_settle(fsr_families *families, fsr_flow *flow, const bool *text, fsr_choice *choice) {
    pthread_mutex_lock(&families->lock);
    family *f = choice->n ? fsr_lru_find(families->family, choice->structure, choice->structure_size) : NULL;
    for (int i = 0; i < flow->n; ++i) {
        fsr_flow_node *n = &flow->node[i];
        if (!fsr_is(n->kind, FSR_IS_LITERAL) || !text[n->ordinal])
            continue;
        n->use = FSR_LITERAL_TEXT;
        if (f)
            f->text[n->ordinal] = true;
    }
    pthread_mutex_unlock(&families->lock);
    return make_key(flow, choice);
}

void fsr_choice_clear(fsr_choice *choice) {
    free(choice->value);
    free(choice->structure);
    free(choice->key);
    *choice = (fsr_choice){0};
}

uint64_t fsr_families_digest(const fsr_flow *flow) {
    size_t size = 0;
    void *structure = fsr_flow_structure(flow, true, &size);
    uint64_t digest = structure ? XXH3_64bits(structure, size) : 0;
    free(structure);
    return digest;
}

int fsr_families_count(fsr_families *families, uint64_t digest) {
    pthread_mutex_lock(&families->lock);
    int *count = fsr_lru_find(families->count, &digest, sizeof digest);
    int n = count ? ++*count : 1;
    if (!count && (count = calloc(1, sizeof *count)) != NULL) {
        *count = 1;
        free(fsr_lru_put(families->count, &digest, sizeof digest, count));
    }
    pthread_mutex_unlock(&families->lock);
    return n;
}
