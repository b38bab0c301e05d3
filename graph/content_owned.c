/* SPDX-License-Identifier: MIT */
/* What nodes have by a pointer, perhaps null: operators, loops, functions and texts. Each is its node's own, or
 * counted; see content_class.h. */
#include "graph/code.h"
#include "graph/content_class.h"
#include "graph/rounds.h"
#include <stdlib.h>
#include <string.h>

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
            const int mode = inst->mode;
            fsr_bytes_put(b, &mode, sizeof mode);
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
        fsr_bytes_put_int(b, l->max_n);
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
    return t ? fsr_mix((uint64_t)t->size, (uint64_t)t->form.count) : 0;
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
    return fsr_mix(hash, f ? (unsigned)f->component : 0);
}

static void put_routine(fsr_bytes *b, const void *a, int rank) {
    const fsr_routine *f = *(fsr_routine *const *)a;
    char list[FSR_ROUTINE_LIST];
    (void)rank;
    fsr_bytes_put(b, f->name, strlen(f->name) + 1);
    fsr_bytes_put_int(b, f->result);
    fsr_routine_list(f, list);
    fsr_bytes_put(b, list, strlen(list) + 1);
    fsr_routine_results(f, list);
    fsr_bytes_put(b, list, strlen(list) + 1);
    fsr_bytes_put_int(b, f->component);
    for (int i = 0; i < FSR_ROUTINE_TEXTS; i++)
        fsr_bytes_put(b, f->text[i], strlen(f->text[i]) + 1);
    fsr_bytes_put_int(b, (int)f->linked_form);
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
    fsr_bytes_put_int(b, c ? (int64_t)c->what.attribute_bytes : -1);
    if (!c)
        return;
    const fsr_callee *w = &c->what;
    const uintptr_t at[] = {(uintptr_t)w->user, (uintptr_t)w->infer, (uintptr_t)w->work, (uintptr_t)w->cpu,
                            (uintptr_t)w->cuda};
    fsr_bytes_put(b, name, strlen(name) + 1);
    fsr_bytes_put(b, at, sizeof at);
    fsr_bytes_put_int(b, w->inputs);
    fsr_bytes_put_int(b, w->outputs);
    fsr_bytes_put(b, w->attributes, w->attribute_bytes);
    for (int i = 0; c->type && i < w->outputs; i++) {
        fsr_bytes_put_int(b, c->type[i].dtype);
        fsr_bytes_put_int(b, c->type[i].ndim);
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

static bool copy_text(void *to, const void *from) {
    const char *text = *(char *const *)from;
    *(char **)to = text ? copy_of(text, strlen(text) + 1) : NULL;
    return !text || *(char **)to;
}

const fsr_field_class fsr_class_text = {.copy = copy_text, .clear = free_and_null},
                      fsr_class_combine = {equal_combine, hash_combine, put_combine, copy_combine, clear_combine, NULL},
                      fsr_class_loop = {equal_loop, hash_loop, put_loop, copy_loop, clear_loop, NULL},
                      fsr_class_rounds = {equal_rounds, hash_rounds, put_rounds, copy_rounds, clear_rounds, NULL},
                      fsr_class_routine = {equal_routine, hash_routine, put_routine, copy_routine, clear_routine, NULL},
                      fsr_class_called = {equal_called, hash_called, put_called, copy_called, clear_called, NULL};
