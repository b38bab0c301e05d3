/* SPDX-License-Identifier: MIT */
/* Contents by their tables: each function goes over the fields that the kind uses, and a field's class does its part.
 *
 * What a node has by a pointer is content_owned.c's.
 * Counter-example to comparing whole contents by their bytes: a NaN literal has to equal itself, two operators that
 * compute the same stand at two addresses, and of an affine view only the source's dimensions count. */
#include "graph/content_class.h"
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
    fsr_bytes_put_int(b, view->kind);
    for (int i = 0; i < rank && view->kind == FSR_VIEW_AFFINE; i++) {
        fsr_bytes_put_int(b, view->from[i]);
        fsr_bytes_put_int(b, view->start[i]);
        fsr_bytes_put_int(b, view->from[i] >= 0 ? view->step[i] : 0);
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

/* ---- fields ---------------------------------------------------------------------------------------------------- */

static const fsr_field_class fsr_class_number = {0}, fsr_class_flag = {0}, fsr_class_axes = {.lead = lead_axes},
                             fsr_class_axis = {.lead = lead_axis},
                             fsr_class_value = {.equal = equal_value, .hash = hash_value, .put = put_value},
                             fsr_class_view = {
                                 .equal = equal_view, .hash = hash_view, .put = put_view, .lead = lead_view};

static const struct field {
    size_t offset, size;
    const fsr_field_class *class;
} field_of[FSR_FIELD_COUNT] = {
#define FSR_FIELD(name, class, flags) \
    [FSR_FIELD_##name] = {offsetof(fsr_content, name), sizeof((fsr_content *)NULL)->name, &fsr_class_##class},
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
