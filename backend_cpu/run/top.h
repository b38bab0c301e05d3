/* SPDX-License-Identifier: MIT */
/* The first k of a row in order, on a CPU. Shared by the top*.c files. */
#ifndef FUSOR_BACKEND_CPU_TOP_H
#define FUSOR_BACKEND_CPU_TOP_H

#include "backend_cpu/run/select.h"
#include "fusion/library.h"

/* Keys that may be among the first k, with their places, in order of these: there is none beside it with a lesser place
 * that was left out and has the same key. */
typedef struct fsr_top_list {
    fsr_record64 *record; /* room for `room` of them */
    uint64_t *word;       /* as many, meanwhile */
    int64_t n, room, k;
    uint64_t last;  /* the k-th of those that were seen; UINT64_MAX: not known */
    uint64_t limit; /* a greater key, if it is yet to come, is none of the first k */
    bool closed;    /* nor is any other */
} fsr_top_list;

/* A row, or the first of some. */
typedef struct fsr_top {
    fsr_select_form form;
    fsr_thread_pool *threads; /* NULL: the calling thread alone */
    size_t size;
    int64_t n, k, room;
    const void *in;
    void *values, *places; /* values NULL: not asked for */
    bool wide;             /* places are u64 */
    fsr_record64 *record;  /* of slot 0, with `room` for each slot */
    uint64_t *word;
    fsr_record64 *other; /* k for each slot, or for a long row k */
    int64_t (*count)[FSR_SELECT_DIGITS];
} fsr_top;

/* An empty list in the memory of a slot. */
fsr_top_list fsr_top_list_at(const fsr_top *t, int slot);
/* Takes the keys of elements [low, high) into the list, whose places are greater than all that are there. */
void fsr_top_add(const fsr_top *t, fsr_top_list *list, int64_t low, int64_t high);
/* Leaves the first k, if there are more. */
void fsr_top_prune(const fsr_top *t, fsr_top_list *list);
/* A long row's first k, in order of their places, at t->record: by all threads. Of few among many; of others. */
void fsr_top_few(const fsr_top *t);
void fsr_top_many(const fsr_top *t);

#endif
