/* SPDX-License-Identifier: MIT */
/* Contents by their tables: each function goes over the fields that the kind uses, and a field's class does its part.
 *
 * A class without a function has the plain one: bytes are compared, hashed and copied as they are, nothing is owned,
 * and more dimensions change nothing. A text has none for comparing, as no text is a node's identity.
 * Counter-example to comparing whole contents by their bytes: a NaN literal has to equal itself, two operators that
 * compute the same stand at two addresses, and of an affine view only the source's dimensions count. */
#include "graph/code.h"
#include "graph/rounds.h"
#include <stdlib.h>
#include <string.h>

/* ---- the tables -------------------------------------------------------------------------------------------- */

#define HAS(field) 1u << FSR_FIELD_##field
#define FSR_KIND(name, word, nargs, fields, traits, insts, shape, ...) \
    [FSR_NODE_##name] = {word, nargs, fields, traits, insts, shape},
const fsr_kind_info fsr_kinds[FSR_KIND_COUNT] = {
#include "graph/node_kinds.def"
};

fsr_kind fsr_kind_find(const char *word) {
    int i = 0;
    while (i < FSR_KIND_COUNT && (!fsr_kinds[i].word || strcmp(fsr_kinds[i].word, word) != 0))
        i++;
    return (fsr_kind)i;
}

typedef struct class {
    bool (*equal)(const void *a, const void *b, int rank);
    uint64_t (*hash)(const void *a, int rank);
    void (*put)(fsr_bytes *b, const void *a, int rank);
    bool (*copy)(void *to, const void *from); /* false: out of memory */
    void (*clear)(void *a);
    void (*lead)(void *a, int rank, int n);
} class;

/* ---- bytes ------------------------------------------------------------------------------------------------- */

bool fsr_bytes_grow(fsr_bytes *b, size_t size) {
    const size_t capacity = (b->size + size) * 2 + 256;
    unsigned char *grown = b->failed ? NULL : realloc(b->data, capacity);
    if (!grown) {
        b->failed = true;
        return false;
    }
    b->data = grown;
    b->capacity = capacity;
    return true;
}

static void put_int(fsr_bytes *b, int64_t value) {
    fsr_bytes_put(b, &value, sizeof value);
}

uint64_t fsr_mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ (hash >> 29);
}

/* ---- literals ---------------------------------------------------------------------------------------------- */

static bool equal_value(const void *a, const void *b, int rank) {
    (void)rank;
    return fsr_value_equal(*(const fsr_value *)a, *(const fsr_value *)b);
}

static uint64_t hash_value(const void *a, int rank) {
    const fsr_value *value = a;
    (void)rank;
    return fsr_mix(value->bits, value->high);
}

static void put_value(fsr_bytes *b, const void *a, int rank) {
    (void)rank;
    if (!b->no_literals)
        fsr_bytes_put(b, a, sizeof(fsr_value));
}

/* ---- axes and views ---------------------------------------------------------------------------------------- */

static void lead_axes(void *a, int rank, int n) {
    (void)rank;
    *(uint32_t *)a <<= n;
}

static void lead_axis(void *a, int rank, int n) {
    (void)rank;
    *(int *)a += n;
}

/* Where a dimension shows one element its step does not matter. */
static bool equal_view(const void *x, const void *y, int rank) {
    const fsr_view *a = x, *b = y;
    if (a->kind != b->kind)
        return false;
    for (int i = 0; i < rank && a->kind == FSR_VIEW_AFFINE; i++)
        if (a->from[i] != b->from[i] || a->start[i] != b->start[i] || (a->from[i] >= 0 && a->step[i] != b->step[i]))
            return false;
    return true;
}

static uint64_t hash_view(const void *a, int rank) {
    const fsr_view *view = a;
    uint64_t hash = (uint64_t)view->kind;
    for (int i = 0; i < rank && view->kind == FSR_VIEW_AFFINE; i++) {
        hash = fsr_mix(fsr_mix(hash, (uint64_t)view->from[i]), (uint64_t)view->start[i]);
        hash = fsr_mix(hash, view->from[i] >= 0 ? (uint64_t)view->step[i] : 0);
    }
    return hash;
}

static void put_view(fsr_bytes *b, const void *a, int rank) {
    const fsr_view *view = a;
    put_int(b, view->kind);
    for (int i = 0; i < rank && view->kind == FSR_VIEW_AFFINE; i++) {
        put_int(b, view->from[i]);
        put_int(b, view->start[i]);
        put_int(b, view->from[i] >= 0 ? view->step[i] : 0);
    }
}

/* The new dimensions stay as they are. */
static void lead_view(void *a, int rank, int n) {
    fsr_view *view = a;
    for (int j = n + rank - 1; j >= 0 && view->kind == FSR_VIEW_AFFINE; j--) {
        const bool own = j >= n;
        view->start[j] = own ? view->start[j - n] : 0;
        view->step[j] = own ? view->step[j - n] : 1;
        view->from[j] = (int8_t)(!own ? j : view->from[j - n] < 0 ? -1 : view->from[j - n] + n);
    }
}

/* ---- operators, loops, functions: pointers, perhaps null ----------------------------------------------------- */

static void put_region(fsr_bytes *b, const fsr_region *r) {
    int head[] = {r->nargs, r->ninsts, r->nresults, r->ntables};
    fsr_bytes_put(b, head, sizeof head);
    fsr_bytes_put(b, r->arg, sizeof r->arg[0] * (size_t)r->nargs);
    for (int i = 0; i < r->ntables; i++)
        fsr_bytes_put(b, (const int[]){r->table[i].dtype, r->table[i].ndim}, 2 * sizeof(int));
    fsr_bytes_put(b, r->result, sizeof r->result[0] * (size_t)r->nresults);
    for (int i = 0; i < r->ninsts; i++) {
        const fsr_inst *inst = &r->inst[i];
        int fields[] = {inst->kind,   inst->dtype,  inst->compute, inst->op,
                        inst->arg[0], inst->arg[1], inst->arg[2],  inst->index};
        fsr_bytes_put(b, fields, sizeof fields);
        if (inst->kind == FSR_INST_LOAD) {
            const int bound = inst->bound;
            fsr_bytes_put(b, &bound, sizeof bound);
            fsr_bytes_put(b, &inst->component, sizeof inst->component);
            fsr_bytes_put(b, inst->arg, sizeof inst->arg[0] * (size_t)inst->component);
        }
        if (!b->no_literals)
            fsr_bytes_put(b, &inst->value, sizeof inst->value);
    }
}

static void *copy_of(const void *from, size_t size) {
    void *copy = from ? malloc(size) : NULL;
    return copy ? memcpy(copy, from, size) : NULL;
}

static void free_and_null(void *a) {
    void **owned = a;
    free(*owned);
    *owned = NULL;
}

static bool equal_combine(const void *x, const void *y, int rank) {
    const fsr_combine *a = *(fsr_combine *const *)x, *b = *(fsr_combine *const *)y;
    (void)rank;
    return a && b ? fsr_combine_equal(a, b) : a == b;
}

static uint64_t hash_combine(const void *a, int rank) {
    const fsr_combine *c = *(fsr_combine *const *)a;
    (void)rank;
    return c ? fsr_mix((uint64_t)c->arity, fsr_mix((uint64_t)c->body.ninsts, c->builtin ? (uint64_t)c->op : 0)) : 0;
}

static void put_combine(fsr_bytes *b, const void *a, int rank) {
    const fsr_combine *c = *(fsr_combine *const *)a;
    (void)rank;
    int head[] = {c->arity, c->commutative, c->sequential};
    fsr_bytes_put(b, head, sizeof head);
    fsr_bytes_put(b, c->identity, sizeof c->identity[0] * (size_t)c->arity);
    put_region(b, &c->body);
}

static bool copy_combine(void *to, const void *from) {
    const fsr_combine *c = *(fsr_combine *const *)from;
    *(fsr_combine **)to = c ? fsr_combine_copy(c) : NULL;
    return !c || *(fsr_combine **)to;
}

static void clear_combine(void *a) {
    fsr_combine **c = a;
    fsr_combine_free(*c);
    *c = NULL;
}

static bool equal_loop(const void *x, const void *y, int rank) {
    const fsr_iteration *a = *(fsr_iteration *const *)x, *b = *(fsr_iteration *const *)y;
    (void)rank;
    return a && b ? fsr_iteration_equal(a, b) : a == b;
}

static uint64_t hash_loop(const void *a, int rank) {
    const fsr_iteration *l = *(fsr_iteration *const *)a;
    (void)rank;
    return l ? fsr_mix((uint64_t)l->body.ninsts, (uint64_t)l->max_n) : 0;
}

static void put_loop(fsr_bytes *b, const void *a, int rank) {
    const fsr_iteration *l = *(fsr_iteration *const *)a;
    (void)rank;
    int head[] = {l->nstate, l->narg};
    fsr_bytes_put(b, head, sizeof head);
    if (!b->no_counts)
        put_int(b, l->max_n);
    put_region(b, &l->body);
}

static bool copy_loop(void *to, const void *from) {
    const fsr_iteration *l = *(fsr_iteration *const *)from;
    *(fsr_iteration **)to = l ? fsr_iteration_copy(l) : NULL;
    return !l || *(fsr_iteration **)to;
}

static void clear_loop(void *a) {
    fsr_iteration **l = a;
    fsr_iteration_free(*l);
    *l = NULL;
}

static bool equal_rounds(const void *x, const void *y, int rank) {
    const fsr_rounds *a = *(fsr_rounds *const *)x, *b = *(fsr_rounds *const *)y;
    (void)rank;
    return a && b ? fsr_rounds_equal(a, b) : a == b;
}

static uint64_t hash_rounds(const void *a, int rank) {
    const fsr_rounds *t = *(fsr_rounds *const *)a;
    (void)rank;
    return t ? fsr_mix((uint64_t)t->size, (uint64_t)t->count) : 0;
}

static void put_rounds(fsr_bytes *b, const void *a, int rank) {
    const fsr_rounds *t = *(fsr_rounds *const *)a;
    (void)rank;
    fsr_bytes_put(b, t->bytes, t->size);
}

static bool copy_rounds(void *to, const void *from) {
    fsr_rounds *t = *(fsr_rounds *const *)from;
    *(fsr_rounds **)to = t ? fsr_rounds_ref(t) : NULL;
    return true;
}

static void clear_rounds(void *a) {
    fsr_rounds **t = a;
    fsr_rounds_unref(*t);
    *t = NULL;
}

static bool equal_routine(const void *x, const void *y, int rank) {
    const fsr_routine *a = *(fsr_routine *const *)x, *b = *(fsr_routine *const *)y;
    (void)rank;
    return a && b ? fsr_routine_equal(a, b) : a == b;
}

static uint64_t hash_routine(const void *a, int rank) {
    const fsr_routine *f = *(fsr_routine *const *)a;
    uint64_t hash = 0;
    (void)rank;
    for (const char *at = f ? f->symbol : ""; *at; at++)
        hash = fsr_mix(hash, (unsigned char)*at);
    return hash;
}

static void put_routine(fsr_bytes *b, const void *a, int rank) {
    const fsr_routine *f = *(fsr_routine *const *)a;
    char list[FSR_ROUTINE_LIST];
    (void)rank;
    fsr_bytes_put(b, f->name, strlen(f->name) + 1);
    put_int(b, f->result);
    fsr_routine_list(f, list);
    fsr_bytes_put(b, list, strlen(list) + 1);
    for (int i = 0; i < FSR_ROUTINE_TEXTS; i++)
        fsr_bytes_put(b, f->text[i], strlen(f->text[i]) + 1);
    put_int(b, (int)f->linked_form);
    fsr_bytes_put(b, &f->linked_bytes, sizeof f->linked_bytes);
    fsr_bytes_put(b, f->digest, sizeof f->digest);
}

static bool copy_routine(void *to, const void *from) {
    const fsr_routine *f = *(fsr_routine *const *)from;
    *(fsr_routine **)to = f ? fsr_routine_ref(f) : NULL;
    return true;
}

static void clear_routine(void *a) {
    fsr_routine **f = a;
    fsr_routine_unref(*f);
    *f = NULL;
}

static bool equal_called(const void *x, const void *y, int rank) {
    const fsr_called *a = *(fsr_called *const *)x, *b = *(fsr_called *const *)y;
    (void)rank;
    return a && b ? fsr_called_equal(a, b) : a == b;
}

static uint64_t hash_called(const void *a, int rank) {
    const fsr_called *c = *(fsr_called *const *)a;
    const unsigned char *byte = c ? c->what.attributes : NULL;
    uint64_t hash = c ? fsr_mix((uint64_t)(uintptr_t)c->what.user, (uint64_t)(uintptr_t)c->what.cpu) : 0;
    (void)rank;
    for (size_t i = 0; c && i < c->what.attribute_bytes; i++)
        hash = fsr_mix(hash, byte[i]);
    return hash;
}

/* Addresses too: who has a key has the callee, so they are nobody else's. */
static void put_called(fsr_bytes *b, const void *a, int rank) {
    const fsr_called *c = *(fsr_called *const *)a;
    const char *name = c && c->what.name ? c->what.name : "";
    (void)rank;
    put_int(b, c ? (int64_t)c->what.attribute_bytes : -1);
    if (!c)
        return;
    const fsr_callee *w = &c->what;
    const uintptr_t at[] = {(uintptr_t)w->user, (uintptr_t)w->infer, (uintptr_t)w->work, (uintptr_t)w->cpu,
                            (uintptr_t)w->cuda};
    fsr_bytes_put(b, name, strlen(name) + 1);
    fsr_bytes_put(b, at, sizeof at);
    put_int(b, w->inputs);
    put_int(b, w->outputs);
    fsr_bytes_put(b, w->attributes, w->attribute_bytes);
    for (int i = 0; c->type && i < w->outputs; i++) {
        put_int(b, c->type[i].dtype);
        put_int(b, c->type[i].ndim);
        fsr_bytes_put(b, c->type[i].shape, sizeof c->type[i].shape[0] * (size_t)c->type[i].ndim);
    }
    fsr_code_put(b, &w->kernel);
}

static bool copy_called(void *to, const void *from) {
    *(fsr_called **)to = fsr_called_ref(*(fsr_called *const *)from);
    return true;
}

static void clear_called(void *a) {
    fsr_called **c = a;
    fsr_called_unref(*c);
    *c = NULL;
}

/* ---- texts --------------------------------------------------------------------------------------------------- */

static bool copy_text(void *to, const void *from) {
    const char *text = *(char *const *)from;
    *(char **)to = text ? copy_of(text, strlen(text) + 1) : NULL;
    return !text || *(char **)to;
}

/* ---- fields ---------------------------------------------------------------------------------------------------- */

static const class number = {0}, flag = {0}, axes = {.lead = lead_axes}, axis = {.lead = lead_axis},
                   value = {.equal = equal_value, .hash = hash_value, .put = put_value},
                   view = {.equal = equal_view, .hash = hash_view, .put = put_view, .lead = lead_view},
                   text = {.copy = copy_text, .clear = free_and_null},
                   combine = {equal_combine, hash_combine, put_combine, copy_combine, clear_combine, NULL},
                   loop = {equal_loop, hash_loop, put_loop, copy_loop, clear_loop, NULL},
                   rounds = {equal_rounds, hash_rounds, put_rounds, copy_rounds, clear_rounds, NULL},
                   routine = {equal_routine, hash_routine, put_routine, copy_routine, clear_routine, NULL},
                   called = {equal_called, hash_called, put_called, copy_called, clear_called, NULL};

static const struct field {
    size_t offset, size;
    const class *class;
} field_of[FSR_FIELD_COUNT] = {
#define FSR_FIELD(name, class, flags) \
    [FSR_FIELD_##name] = {offsetof(fsr_content, name), sizeof((fsr_content *)NULL)->name, &class},
#include "graph/node_fields.def"
};

enum {
    HEAD = 0,
    IDENTITY = 1,
    IDENTITIES = 0
#define FSR_FIELD(name, class, flags) | (flags) << FSR_FIELD_##name
#include "graph/node_fields.def"
};

/* The fields that tell two nodes of a kind apart. What a run gives does not. */
static uint32_t identity(fsr_kind kind) {
    const uint32_t given = fsr_is(kind, FSR_IS_ARGUMENT) ? HAS(value) : 0;
    return fsr_kinds[kind].fields & IDENTITIES & ~given;
}

static const void *in(const fsr_content *n, const struct field *f) {
    return (const char *)n + f->offset;
}

static void *place_in(fsr_content *n, const struct field *f) {
    return (char *)n + f->offset;
}

bool fsr_content_equal(const fsr_content *a, const fsr_content *b, int rank) {
    if (a->kind != b->kind || a->nout != b->nout || a->nargs != b->nargs || a->hint != b->hint ||
        a->shape.ndim != b->shape.ndim || memcmp(a->dtype, b->dtype, sizeof a->dtype[0] * (size_t)a->nout) != 0 ||
        memcmp(a->shape.dim, b->shape.dim, sizeof a->shape.dim[0] * (size_t)a->shape.ndim) != 0)
        return false;
    for (uint32_t left = identity(a->kind); left; left &= left - 1) {
        const struct field *f = &field_of[__builtin_ctz(left)];
        if (f->class->equal ? !f->class->equal(in(a, f), in(b, f), rank) : memcmp(in(a, f), in(b, f), f->size) != 0)
            return false;
    }
    return true;
}

uint64_t fsr_content_hash(const fsr_content *n, int rank) {
    uint64_t hash = fsr_mix((uint64_t)n->kind, (uint64_t)n->dtype[0]);
    for (int i = 0; i < n->shape.ndim; i++)
        hash = fsr_mix(hash, (uint64_t)n->shape.dim[i]);
    for (uint32_t left = identity(n->kind); left; left &= left - 1) {
        const struct field *f = &field_of[__builtin_ctz(left)];
        uint64_t plain = 0;
        if (!f->class->hash)
            memcpy(&plain, in(n, f), f->size);
        hash = fsr_mix(hash, f->class->hash ? f->class->hash(in(n, f), rank) : plain);
    }
    return hash;
}

void fsr_content_put(fsr_bytes *b, const fsr_content *n, int rank) {
    int head[] = {n->kind, n->nout, n->nargs, (int)n->hint, n->shape.ndim};
    fsr_bytes_put(b, head, sizeof head);
    fsr_bytes_put(b, n->dtype, sizeof n->dtype[0] * (size_t)n->nout);
    fsr_bytes_put(b, n->shape.dim, sizeof n->shape.dim[0] * (size_t)n->shape.ndim);
    for (uint32_t left = identity(n->kind); left; left &= left - 1) {
        const struct field *f = &field_of[__builtin_ctz(left)];
        if (f->class->put)
            f->class->put(b, in(n, f), rank);
        else
            fsr_bytes_put(b, in(n, f), f->size);
    }
}

static void take_type(fsr_content *to, const fsr_content *n) {
    to->kind = n->kind;
    to->nout = n->nout;
    to->shape = n->shape;
    to->nargs = n->nargs;
    to->hint = n->hint;
    memcpy(to->dtype, n->dtype, sizeof to->dtype);
}

fsr_content fsr_content_array(const fsr_content *n) {
    fsr_content array = {.nargs = 0};
    take_type(&array, n);
    array.kind = FSR_NODE_DATA;
    array.nargs = 0;
    return array;
}

void fsr_content_borrow(fsr_content *to, const fsr_content *n) {
    take_type(to, n);
    for (uint32_t left = identity(n->kind); left; left &= left - 1) {
        const struct field *f = &field_of[__builtin_ctz(left)];
        memcpy(place_in(to, f), in(n, f), f->size);
    }
}

bool fsr_content_copy(fsr_content *to, const fsr_content *n) {
    bool good = true;
    take_type(to, n);
    for (uint32_t left = fsr_kinds[n->kind].fields; left && good; left &= left - 1) {
        const struct field *f = &field_of[__builtin_ctz(left)];
        if (f->class->copy)
            good = f->class->copy(place_in(to, f), in(n, f));
        else
            memcpy(place_in(to, f), in(n, f), f->size);
    }
    if (!good)
        fsr_content_clear(to);
    return good;
}

void fsr_content_clear(fsr_content *n) {
    for (int i = 0; i < FSR_FIELD_COUNT; i++)
        if (field_of[i].class->clear)
            field_of[i].class->clear(place_in(n, &field_of[i]));
}

void fsr_content_lead(fsr_content *to, int rank, int n) {
    for (uint32_t left = fsr_kinds[to->kind].fields; left; left &= left - 1) {
        const struct field *f = &field_of[__builtin_ctz(left)];
        if (f->class->lead)
            f->class->lead(place_in(to, f), rank, n);
    }
}
