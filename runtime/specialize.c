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

static family *family_new(const fsr_literal *literal, int n) {
    family *f = calloc(1, sizeof *f + (sizeof *f->first + 2 * sizeof *f->varies) * (size_t)n);
    if (!f)
        return NULL;
    f->n = n;
    f->varies = (bool *)(f->first + n);
    f->text = f->varies + n;
    for (int i = 0; i < n; ++i)
        f->first[i] = literal[i].value;
    return f;
}

/* The lock is held. NULL: a family of which nothing is known, which a new one is as well. */
static family *find(fsr_families *families, const fsr_choice *c, bool remember) {
    family *f = fsr_lru_find(families->family, c->structure, c->structure_size);
    if (f || !remember)
        return f;
    f = family_new(c->literal, c->n);
    if (f)
        free(fsr_lru_put(families->family, c->structure, c->structure_size, f));
    return NULL;
}

static void mark(fsr_flow *flow, const fsr_choice *c, family *f, bool remember) {
    for (int i = 0; i < c->n; ++i) {
        bool varies = f->varies[i] || !fsr_value_equal(c->literal[i].value, f->first[i]);
        if (remember)
            f->varies[i] = varies;
        if (flow->use[i] == FSR_LITERAL_TEXT && varies && !fsr_literal_is_nan(&c->literal[i]))
            flow->use[i] = FSR_LITERAL_VARIES;
        if (f->text[i])
            flow->use[i] = FSR_LITERAL_TEXT;
    }
}

/* What was counted as the program was recorded, the structure, of each node its reports, then of each literal its use
 * and, of text, its value. The first word is no kind of node: no key is a flow's signature. Counter-example to the
 * structure alone: after the rewrites where(true, x, y) * 2 is x * 2, and the one has two leaves, the other one. */
static fsr_status make_key(const fsr_flow *flow, fsr_choice *c) {
    const int head[] = {-1, flow->nleaves, flow->nscalars, flow->nreports};
    if (c->n == 0)
        return FSR_OK;
    size_t each = sizeof(fsr_value) + 1, size = sizeof head + c->structure_size;
    bool any = false;
    free(c->key);
    c->key = NULL;
    for (int i = 0; i < c->n; ++i)
        any = any || flow->use[i] != FSR_LITERAL_TEXT;
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
    }
    for (int i = 0; i < c->n; ++i) {
        const bool text = flow->use[i] == FSR_LITERAL_TEXT;
        key[size++] = (unsigned char)flow->use[i];
        if (text)
            memcpy(key + size, &c->literal[i].value, sizeof(fsr_value));
        size += text ? sizeof(fsr_value) : 0;
    }
    c->key = key;
    c->key_size = size;
    return FSR_OK;
}

fsr_status fsr_choose_literals(fsr_families *families, fsr_flow *flow, bool remember, fsr_choice *choice) {
    *choice = (fsr_choice){0};
    fsr_status status = fsr_literals_number(flow, &choice->literal, &choice->n);
    if (status || choice->n == 0)
        return status;
    choice->structure = fsr_flow_structure(flow, true, &choice->structure_size);
    if (!choice->structure)
        return FSR_ERR_MEMORY;
    pthread_mutex_lock(&families->lock);
    family *f = find(families, choice, remember);
    if (f)
        mark(flow, choice, f, remember);
    pthread_mutex_unlock(&families->lock);
    return make_key(flow, choice);
}

fsr_status fsr_choice_settle(fsr_families *families, fsr_flow *flow, const bool *text, fsr_choice *choice) {
    pthread_mutex_lock(&families->lock);
    family *f = choice->n ? fsr_lru_find(families->family, choice->structure, choice->structure_size) : NULL;
    for (int i = 0; i < choice->n; ++i) {
        if (!text[i])
            continue;
        flow->use[i] = FSR_LITERAL_TEXT;
        if (f)
            f->text[i] = true;
    }
    pthread_mutex_unlock(&families->lock);
    return make_key(flow, choice);
}

void fsr_choice_clear(fsr_choice *choice) {
    free(choice->literal);
    free(choice->structure);
    free(choice->key);
    *choice = (fsr_choice){0};
}

uint64_t fsr_families_digest(const fsr_flow *flow) {
    size_t size = 0;
    void *structure = fsr_flow_structure(flow, false, &size);
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
