/* SPDX-License-Identifier: MIT */
/* Graphs and their owner: slots in slabs, stamps, shells.
 *
 * A handle is valid while its graph's body is there and its slot carries its stamp. Stamps of one graph never
 * repeat, so a recycled slot does not answer to an old handle. Counter-example to checking the id alone:
 * after fsr_scope_end the next node takes the dropped one's slot, and an old handle would silently mean it.
 *
 * Shells are cut from blocks that the owner frees last; the owner's lock guards the blocks and the list of live
 * bodies. A body's own fields belong to the thread that uses the graph, but `live`, which the owner sums up.
 *
 * Slot 0 of a body is never taken: it waits for the first failure to take one (fsr_graph_no_memory). Counter-example
 * to the null node in that case: what uses it says "operand 1 is a null handle", and nothing speaks of memory. */
#include "graph/own_process.h"
#include "graph/shape.h"
#include "graph/store.h"
#include <stdlib.h>
#include <string.h>

#define SHELLS 255

typedef struct shells {
    struct shells *next;
    int used;
    fsr_graph shell[SHELLS];
} shells;

struct fsr_graph_owner {
    pthread_mutex_t lock;
    fsr_own_process *process;
    void *context;
    fsr_graph_report report; /* NULL: nobody wants to know */
    shells *blocks;
    fsr_graph_body *live;
};

fsr_graph_owner *fsr_graph_owner_new(void *context, fsr_graph_report report) {
    fsr_graph_owner *owner = calloc(1, sizeof *owner);
    if (!owner)
        return NULL;
    owner->process = fsr_own_process_open();
    if (!owner->process || pthread_mutex_init(&owner->lock, NULL)) {
        fsr_own_process_close(owner->process);
        free(owner);
        return NULL;
    }
    owner->context = context;
    owner->report = report;
    return owner;
}

void fsr_graph_owner_free(fsr_graph_owner *owner) {
    if (!owner)
        return;
    while (owner->live)
        fsr_graph_destroy(owner->live->shell);
    while (owner->blocks) {
        shells *next = owner->blocks->next;
        free(owner->blocks);
        owner->blocks = next;
    }
    pthread_mutex_destroy(&owner->lock);
    fsr_own_process_close(owner->process);
    free(owner);
}

bool fsr_graph_owner_here(const fsr_graph_owner *owner) {
    return fsr_own_process_here(owner->process);
}

int64_t fsr_graph_owner_nodes(const fsr_graph_owner *owner) {
    fsr_graph_owner *o = (fsr_graph_owner *)owner;
    int64_t nodes = 0;
    pthread_mutex_lock(&o->lock);
    for (const fsr_graph_body *b = o->live; b; b = b->next)
        nodes += atomic_load_explicit(&b->live, memory_order_relaxed);
    pthread_mutex_unlock(&o->lock);
    return nodes;
}

/* Gives body a shell and puts it into the owner's list; NULL: out of memory. The lock is held. */
static fsr_graph *shell_take(fsr_graph_owner *owner, fsr_graph_body *body) {
    if (!owner->blocks || owner->blocks->used == SHELLS) {
        shells *block = calloc(1, sizeof *block);
        if (!block)
            return NULL;
        block->next = owner->blocks;
        owner->blocks = block;
    }
    fsr_graph *g = &owner->blocks->shell[owner->blocks->used++];
    g->owner = owner;
    g->body = body;
    body->shell = g;
    body->next = owner->live;
    if (owner->live)
        owner->live->prev = body;
    owner->live = body;
    return g;
}

static bool slab_add(fsr_graph_body *body) {
    if (body->slab_count == body->slab_capacity) {
        uint32_t capacity = body->slab_capacity ? 2 * body->slab_capacity : 8;
        fsr_slot **grown = realloc(body->slab, capacity * sizeof(fsr_slot *));
        if (!grown)
            return false;
        body->slab = grown;
        body->slab_capacity = capacity;
    }
    fsr_slot *slab = calloc(FSR_SLAB_SLOTS, sizeof *slab);
    if (!slab)
        return false;
    body->slab[body->slab_count++] = slab;
    return true;
}

void fsr_rec_clear(fsr_rec *rec) {
    for (int i = 0; i < FSR_MAX_OUTPUTS; i++)
        fsr_buffer_unref(rec->buffer[i]);
    fsr_content_clear(&rec->content);
}

static void body_free(fsr_graph_body *body) {
    for (uint32_t id = 0; id < body->slots; id++)
        fsr_rec_clear(&fsr_slot_of(body, id)->rec);
    for (uint32_t i = 0; i < body->slab_count; i++)
        free(body->slab[i]);
    free(body->slab);
    free(body->scope);
    free(body->pair);
    free(body->pair_slot);
    free(body);
}

/* A body without a shell: its first slab is there, slot 0 with the message it may need one day. */
static fsr_graph_body *body_new(void) {
    fsr_graph_body *body = calloc(1, sizeof *body);
    if (!body)
        return NULL;
    body->free = FSR_NO_ID;
    body->scope_capacity = 4;
    body->scope = malloc((size_t)body->scope_capacity * sizeof *body->scope);
    const char *sentence = fsr_status_sentence(FSR_ERR_MEMORY);
    char *message = body->scope && slab_add(body) ? malloc(strlen(sentence) + 1) : NULL;
    if (!message) {
        body_free(body);
        return NULL;
    }
    body->scope[0] = (fsr_scope){FSR_NO_ID, FSR_NO_ID};
    body->slots = 1;
    fsr_slot_of(body, 0)->rec.message = strcpy(message, sentence);
    return body;
}

fsr_graph *fsr_graph_create(fsr_graph_owner *owner) {
    fsr_graph_body *body = owner && fsr_graph_owner_here(owner) ? body_new() : NULL;
    if (!body)
        return NULL;
    pthread_mutex_lock(&owner->lock);
    fsr_graph *g = shell_take(owner, body);
    pthread_mutex_unlock(&owner->lock);
    if (!g)
        body_free(body);
    return g;
}

void fsr_graph_destroy(fsr_graph *g) {
    if (!g || !g->body || !fsr_graph_owner_here(g->owner))
        return;
    fsr_graph_body *body = g->body;
    pthread_mutex_lock(&g->owner->lock);
    if (body->prev)
        body->prev->next = body->next;
    else
        g->owner->live = body->next;
    if (body->next)
        body->next->prev = body->prev;
    g->body = NULL;
    pthread_mutex_unlock(&g->owner->lock);
    body_free(body);
}

fsr_graph *fsr_graph_create_inner(const fsr_graph *of) {
    fsr_graph *g = calloc(1, sizeof *g);
    fsr_graph_body *body = g ? body_new() : NULL;
    if (!body) {
        free(g);
        return NULL;
    }
    *g = (fsr_graph){of->owner, body};
    body->shell = g;
    return g;
}

void fsr_graph_destroy_inner(fsr_graph *g) {
    if (!g)
        return;
    body_free(g->body);
    free(g);
}

void *fsr_graph_context(const fsr_graph *g) {
    return g->owner->context;
}

void fsr_graph_tell(const fsr_graph *g, fsr_status status, const char *message) {
    if (g && g->owner->report)
        g->owner->report(g->owner->context, status, message);
}

bool fsr_graph_alive(const fsr_graph *g) {
    return g && g->body;
}

uint32_t fsr_graph_slots(const fsr_graph *g) {
    return fsr_graph_alive(g) ? g->body->slots : 0;
}

int64_t fsr_graph_live(const fsr_graph *g) {
    return fsr_graph_alive(g) ? atomic_load_explicit(&g->body->live, memory_order_relaxed) : 0;
}

static void live_add(fsr_graph_body *body, int64_t n) {
    int64_t live = atomic_load_explicit(&body->live, memory_order_relaxed);
    atomic_store_explicit(&body->live, live + n, memory_order_relaxed);
}

/* A zeroed slot; FSR_NO_ID: out of memory or of ids. */
static uint32_t slot_take(fsr_graph_body *body) {
    uint32_t id = body->free;
    if (id != FSR_NO_ID) {
        body->free = fsr_slot_of(body, id)->next;
        return id;
    }
    if (body->slots == FSR_NO_ID - 1)
        return FSR_NO_ID;
    if (body->slots == body->slab_count * FSR_SLAB_SLOTS && !slab_add(body))
        return FSR_NO_ID;
    return body->slots++;
}

fsr_node fsr_graph_no_memory(fsr_graph *g) {
    if (!fsr_graph_alive(g))
        return (fsr_node){0};
    fsr_graph_body *body = g->body;
    fsr_rec *rec = &fsr_slot_of(body, 0)->rec;
    if (rec->kind == FSR_NODE_FREE) {
        rec->stamp = ++body->stamp;
        rec->kind = FSR_NODE_POISON;
        rec->nout = 1;
        rec->status = FSR_ERR_MEMORY;
        rec->site = fsr_here("?", 0);
        fsr_scope_link(body, 0, 0);
        live_add(body, 1);
    }
    return fsr_graph_handle(g, 0, 0);
}

/* The first result whose bytes do not fit; -1: none. */
static int too_large(const fsr_type *type) {
    for (int i = 0; i < type->nout; i++)
        if (fsr_shape_bytes(&type->shape, type->dtype[i]) < 0)
            return i;
    return -1;
}

fsr_rec *fsr_graph_add(fsr_graph *g, fsr_site at, const char *what, fsr_kind kind, const fsr_type *type,
                       fsr_node *handle) {
    int over = too_large(type);
    if (over >= 0) {
        *handle = fsr_poison(g, at, FSR_ERR_SIZE, what, "the size of %s%s overflows", fsr_dtype_name(type->dtype[over]),
                             fsr_say_shape(&type->shape).text);
        return NULL;
    }
    if (g && !g->body)
        fsr_poison(g, at, FSR_ERR_STALE, what, "the graph was freed");
    fsr_rec *rec = fsr_slot_add(g, at, kind, handle);
    if (!rec)
        return NULL;
    rec->nout = type->nout;
    rec->shape = type->shape;
    memcpy(rec->dtype, type->dtype, sizeof rec->dtype);
    return rec;
}

fsr_rec *fsr_slot_add(fsr_graph *g, fsr_site at, fsr_kind kind, fsr_node *handle) {
    *handle = (fsr_node){0};
    if (!fsr_graph_alive(g))
        return NULL;
    fsr_graph_body *body = g->body;
    uint32_t id = slot_take(body);
    if (id == FSR_NO_ID) {
        *handle = fsr_graph_no_memory(g);
        return NULL;
    }
    fsr_rec *rec = &fsr_slot_of(body, id)->rec;
    rec->stamp = ++body->stamp;
    rec->kind = kind;
    rec->nout = 1;
    rec->site = at;
    fsr_scope_link(body, body->depth, id);
    live_add(body, 1);
    *handle = fsr_graph_handle(g, id, 0);
    return rec;
}

void fsr_slot_drop(fsr_graph_body *body, uint32_t id) {
    fsr_slot *slot = fsr_slot_of(body, id);
    fsr_scope_unlink(body, id);
    fsr_rec_clear(&slot->rec);
    memset(slot, 0, sizeof *slot);
    slot->next = body->free;
    body->free = id;
    live_add(body, -1);
}

fsr_rec *fsr_graph_rec(const fsr_graph *g, uint32_t id) {
    return &fsr_slot_of(g->body, id)->rec;
}

fsr_node fsr_graph_handle(const fsr_graph *g, uint32_t id, uint32_t output) {
    return (fsr_node){(fsr_graph *)g, fsr_graph_rec(g, id)->stamp, id, output};
}

fsr_status fsr_node_check(fsr_node x) {
    if (!x.graph)
        return FSR_ERR_NULL;
    if (!x.graph->body || x.id >= x.graph->body->slots)
        return FSR_ERR_STALE;
    const fsr_slot *slot = fsr_slot_of(x.graph->body, x.id);
    if (slot->rec.kind == FSR_NODE_FREE || slot->rec.stamp != x.stamp)
        return FSR_ERR_STALE;
    if (x.output >= (uint32_t)slot->rec.nout || (slot->gone >> x.output & 1))
        return FSR_ERR_STALE;
    return FSR_OK;
}

fsr_rec *fsr_node_rec(fsr_node x) {
    return fsr_node_check(x) == FSR_OK ? fsr_graph_rec(x.graph, x.id) : NULL;
}
