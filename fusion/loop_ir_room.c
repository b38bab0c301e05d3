/* SPDX-License-Identifier: MIT */
/* The room of a kernel's lists: one block for all of them, as large as they may become while something is added, and as
 * large as they are from then on.
 *
 * Counter-example to arrays of the most that there may be: a plan of ten thousand sums is ten thousand kernels of four
 * instructions, two arrays and seven integers, and took twenty kilobytes for each. */
#include "fusion/loop_ir.h"
#include <stdlib.h>
#include <string.h>

/* List, entries that it has, the most that it may have. Who adds an entry sets all of it. */
#define LISTS(L)                                  \
    L(inst, ninsts, FSR_MAX_INSTS)                \
    L(stand, ninsts, FSR_MAX_INSTS)               \
    L(fold, nfolds, FSR_MAX_COMBINES)             \
    L(form, nforms, FSR_MAX_FORMS)                \
    L(access, naccesses, FSR_MAX_ACCESSES)        \
    L(condition, nconditions, FSR_MAX_CONDITIONS) \
    L(guard, nguards, FSR_MAX_GUARDS)             \
    L(array, narrays, FSR_MAX_BUFFERS)            \
    L(integer, nints, FSR_MAX_INTS)               \
    L(comment, ncomment, k->ncomment)

static size_t aligned(size_t bytes) {
    return (bytes + 15) & ~(size_t)15;
}

static size_t list_bytes(int n, size_t size) {
    return aligned((size_t)n * size);
}

static size_t room_bytes(const fsr_kernel *k, bool most) {
    size_t bytes = 0;
#define ADD(list, n, limit) bytes += list_bytes(most ? limit : k->n, sizeof *k->list);
    LISTS(ADD)
#undef ADD
    return bytes;
}

/* A list's entries, moved to another place. */
static void *moved(void *to, const void *from, int n, size_t size) {
    if (n > 0)
        memcpy(to, from, size * (size_t)n);
    return to;
}

/* Moves the lists into a block of their own. Folds that are not there own no operator. False: out of memory, and they
 * stay where they are. */
static bool move(fsr_kernel *k, bool most) {
    char *block = malloc(room_bytes(k, most) + 1), *at = block;
    if (!block)
        return false;
#define MOVE(list, n, limit)                             \
    k->list = moved(at, k->list, k->n, sizeof *k->list); \
    at += list_bytes(most ? limit : k->n, sizeof *k->list);
    LISTS(MOVE)
#undef MOVE
    for (int f = k->nfolds; most && f < FSR_MAX_COMBINES; ++f)
        k->fold[f].combine = NULL;
    free(k->room);
    k->room = block;
    k->roomy = most;
    return true;
}

static bool say(fsr_kernel *k, const char *text, size_t n, bool most) {
    char *const before = k->comment;
    const int nbefore = k->ncomment;
    k->comment = (char *)(uintptr_t)text;
    k->ncomment = (int)n + 1;
    if (!move(k, most)) {
        k->comment = before;
        k->ncomment = nbefore;
        return false;
    }
    k->comment[n] = 0;
    return true;
}

bool fsr_kernel_say(fsr_kernel *k, const char *text, size_t n) {
    return say(k, text, n, k->roomy);
}

bool fsr_kernel_end(fsr_kernel *k, const char *text, size_t n) {
    return say(k, text, n, false);
}

bool fsr_kernel_make_room(fsr_kernel *k) {
    return k->roomy || move(k, true);
}

void fsr_kernel_trim(fsr_kernel *k) {
    if (k->roomy)
        (void)move(k, false); /* what cannot be given back is kept */
}

bool fsr_kernel_copy_lists(fsr_kernel *copy) {
    copy->room = NULL;
    copy->roomy = false;
    return move(copy, true);
}
