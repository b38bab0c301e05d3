/* SPDX-License-Identifier: MIT */
/* The memory plan: offsets in one arena for temporaries with lifetimes.
 *
 * In place. In an elementwise kernel each thread reads its elements before it writes them, so an array may be written
 * over one that dies there if both are walked in the same order. The two then are one block. Counter-example: y = x +
 * flip(x): element i of y is ready before another thread has read x[i] as its flipped operand; hence only one access,
 * linear, is allowed. A library call's workspace takes over an argument that the library overwrites. Pastes that write
 * their sections only (fusion/in_place.c) have been given their memory before.
 *
 * Packing. Greedy by size: largest first, each at the lowest offset where it overlaps no placed temporary that is
 * alive at the same time.
 * Optimal packing is NP-hard; this stays near the live maximum in practice (Pisarchyk and Lee 2020 compare such
 * orders).
 * Counter-example to a stack discipline: of a, b, c written in that order, a may die last. */
#include "fusion/loop_plan.h"
#include <stdlib.h>
#include <string.h>

enum { ALIGN = 256 };

/* The only access to an array is the flat one. */
static bool plain(const fsr_kernel *k, int array) {
    int accesses = 0;
    bool linear = true;
    for (int i = 0; i < k->naccesses; ++i)
        if (k->access[i].buffer == array) {
            ++accesses;
            linear = linear && k->access[i].linear;
        }
    return accesses == 1 && linear;
}

/* The block a temporary lives in: the first of a chain of in-place successors. */
static int block_of(const fsr_program *program, int t) {
    while (program->temporary[t].in_place_of >= 0)
        t = program->temporary[t].in_place_of;
    return t;
}

/* Loads and stores are done in the order of instructions: y = 2 * x stored over z before z + x loads z would lose z.
 * There may be several loads: one under a guard, for a paste, and a later one without. */
static bool loaded_before(const fsr_kernel *k, int from, int to) {
    bool loaded = false, stored = false;
    for (int i = 0; i < k->ninsts; ++i) {
        const fsr_inst *at = &k->inst[i];
        stored = stored || (at->kind == FSR_INST_STORE && k->access[at->index].buffer == to);
        if (at->kind != FSR_INST_LOAD || k->access[at->index].buffer != from)
            continue;
        if (stored)
            return false;
        loaded = true;
    }
    return loaded;
}

/* An array that dies at this thunk and may be written over by array `to`. */
static int dying(const fsr_program *program, int at, int to, int64_t bytes) {
    const fsr_thunk *thunk = &program->thunk[at];
    size_t size = fsr_dtype_size(thunk->kernel->array[to].dtype);
    for (int a = 0; a < thunk->kernel->narrays; ++a) {
        if (thunk->use[a].slot.kind != FSR_SLOT_TEMPORARY || thunk->use[a].written || thunk->kernel->array[a].aliased)
            continue;
        const fsr_temporary *t = &program->temporary[thunk->use[a].slot.ordinal];
        bool ends = program->temporary[block_of(program, thunk->use[a].slot.ordinal)].last == at && t->last == at;
        if (ends && t->bytes == bytes && fsr_dtype_size(thunk->kernel->array[a].dtype) == size &&
            plain(thunk->kernel, a) && loaded_before(thunk->kernel, a, to))
            return a;
    }
    return -1;
}

static void in_place_step(fsr_program *program, int at) {
    fsr_thunk *thunk = &program->thunk[at];
    fsr_kernel *k = thunk->kernel;
    for (int a = 0; a < k->narrays && k->npasses == 0 && !k->nests && !k->repeat; ++a) {
        if (thunk->use[a].slot.kind != FSR_SLOT_TEMPORARY || !thunk->use[a].written || !plain(k, a))
            continue;
        fsr_temporary *t = &program->temporary[thunk->use[a].slot.ordinal];
        int from = t->first == at && t->in_place_of < 0 ? dying(program, at, a, t->bytes) : -1;
        if (from < 0)
            continue;
        t->in_place_of = block_of(program, thunk->use[from].slot.ordinal);
        program->temporary[t->in_place_of].last = t->last;
        k->array[a].aliased = k->array[from].aliased = true;
    }
}

/* A library call that overwrites a copy of its first argument has the argument for a copy, if it dies there. */
static void in_place_call(fsr_program *program, int at) {
    const fsr_thunk *thunk = &program->thunk[at];
    const fsr_use *from = &thunk->use[0], *work = &thunk->use[thunk->nuses - 1];
    if (!thunk->call->spoils || from->slot.kind != FSR_SLOT_TEMPORARY || from->bytes != work->bytes)
        return;
    const int block = block_of(program, from->slot.ordinal);
    if (program->temporary[block].last == at && program->temporary[from->slot.ordinal].last == at)
        program->temporary[work->slot.ordinal].in_place_of = block;
}

void fsr_memory_lifetimes(fsr_program *program) {
    for (int t = 0; t < program->ntemporaries; ++t)
        program->temporary[t].first = program->temporary[t].last = -1;
    for (int i = 0; i < program->nthunks; ++i)
        for (int u = 0; u < program->thunk[i].nuses; ++u) {
            const fsr_use *use = &program->thunk[i].use[u];
            if (use->slot.kind != FSR_SLOT_TEMPORARY)
                continue;
            fsr_temporary *t = &program->temporary[use->slot.ordinal];
            t->first = t->first < 0 ? i : t->first;
            t->last = i;
        }
}

/* Who takes over an array's memory keeps it alive, and knows the first of them. Counter-example to knowing the one
 * before alone: of 24,000 updates of one array each would walk to the first. */
static void extend_blocks(fsr_program *program) {
    for (int i = 0; i < program->ntemporaries; ++i) {
        fsr_temporary *t = &program->temporary[i];
        const int first = block_of(program, i);
        t->in_place_of = first == i ? -1 : first;
        if (program->temporary[first].last < t->last)
            program->temporary[first].last = t->last;
    }
}

void fsr_memory_in_place(fsr_program *program) {
    extend_blocks(program);
    for (int i = 0; i < program->nthunks; ++i)
        if (program->thunk[i].kind == FSR_THUNK_KERNEL)
            in_place_step(program, i);
        else if (program->thunk[i].kind == FSR_THUNK_LIBRARY && !program->thunk[i].nothing)
            in_place_call(program, i);
}

/* ---- leaves that are given away --------------------------------------------------------------------------------- */

static bool uses(const fsr_thunk *thunk, fsr_slot_kind kind, int ordinal, bool written) {
    for (int u = 0; u < thunk->nuses; ++u)
        if (thunk->use[u].slot.kind == kind && thunk->use[u].slot.ordinal == ordinal &&
            thunk->use[u].written == written)
            return true;
    return false;
}

static int array_of(const fsr_thunk *thunk, fsr_slot_kind kind, int ordinal) {
    for (int a = 0; a < thunk->kernel->narrays; ++a)
        if (thunk->use[a].slot.kind == kind && thunk->use[a].slot.ordinal == ordinal)
            return a;
    return -1;
}

/* The kernel may write the output over the leaf, which it reads; then the two are marked. */
static bool may_take(fsr_thunk *thunk, int leaf, int output) {
    fsr_kernel *k = thunk->kernel;
    if (!k || k->npasses || k->nests || thunk->part || thunk->places > 1 || thunk->in_place)
        return false;
    const int from = array_of(thunk, FSR_SLOT_LEAF, leaf), to = array_of(thunk, FSR_SLOT_OUTPUT, output);
    if (k->array[from].aliased || k->array[to].aliased || thunk->use[from].bytes != thunk->use[to].bytes ||
        fsr_dtype_size(k->array[from].dtype) != fsr_dtype_size(k->array[to].dtype) || !plain(k, from) ||
        !plain(k, to) || !loaded_before(k, from, to))
        return false;
    k->array[from].aliased = k->array[to].aliased = true;
    return true;
}

/* The loop takes the leaf as the first value of the state that the output is the last one of, and as nothing else. */
static bool is_state(const fsr_thunk *thunk, int leaf, int output) {
    const fsr_loop_plan *loop = thunk->loop;
    int next = 0, state = -1, times = 0, result = -1;
    for (int k = 0; loop && k < loop->noperands; ++k) {
        if (loop->scalar[k])
            continue;
        const fsr_slot slot = thunk->use[next++].slot;
        if (slot.kind != FSR_SLOT_LEAF || slot.ordinal != leaf)
            continue;
        state = k < loop->form.nstate ? k : -1;
        ++times;
    }
    for (int i = 0; loop && i < loop->form.nstate; ++i) {
        if (!(thunk->present >> i & 1))
            continue;
        const fsr_slot slot = thunk->use[next++].slot;
        if (slot.kind == FSR_SLOT_OUTPUT && slot.ordinal == output)
            result = i;
    }
    return times == 1 && state >= 0 && state == result;
}

/* One thunk writes the output, and none behind it reads the leaf, which no other output has taken. */
static bool takes(fsr_program *program, int leaf, int output) {
    int writer = -1;
    for (int o = 0; o < output; ++o)
        if (program->gift[o] == leaf)
            return false;
    for (int i = 0; i < program->nthunks; ++i) {
        fsr_thunk *thunk = &program->thunk[i];
        const bool reads = uses(thunk, FSR_SLOT_LEAF, leaf, false);
        if (writer >= 0 && (reads || uses(thunk, FSR_SLOT_OUTPUT, output, true)))
            return false;
        if (!uses(thunk, FSR_SLOT_OUTPUT, output, true))
            continue;
        writer = i;
        if (reads && !is_state(thunk, leaf, output) && !may_take(thunk, leaf, output))
            return false;
    }
    return writer >= 0;
}

bool fsr_memory_gifts(fsr_program *program, const int *gift) {
    program->gift = malloc(sizeof *program->gift * (size_t)(program->nouts + 1));
    for (int i = 0; program->gift && i < program->nouts; ++i) {
        program->gift[i] = -1;
        if (gift[i] >= 0 && takes(program, gift[i], i))
            program->gift[i] = gift[i];
    }
    return program->gift != NULL;
}

/* ---- offsets ----------------------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b) {
    const fsr_temporary *const *x = a, *const *y = b;
    if ((*x)->bytes != (*y)->bytes)
        return (*x)->bytes < (*y)->bytes ? 1 : -1;
    return *x < *y ? -1 : *x > *y;
}

/* Temporaries at one place, each dead before the next one is written. Counter-example to a list of all temporaries: of
 * 16,000 that take turns in one place each would look at all others. */
typedef struct turns {
    int64_t offset, bytes;
    const fsr_temporary **item; /* in order of time */
    int n, capacity;
} turns;

typedef struct packing {
    turns *place; /* in order of offset */
    int n, capacity;
} packing;

/* The first of those that are not dead before a thunk; n: there is none. */
static int after(const turns *place, int thunk) {
    int low = 0, high = place->n;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (place->item[middle]->last < thunk)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_free(const turns *place, const fsr_temporary *t) {
    const int next = after(place, t->first);
    return next == place->n || place->item[next]->first > t->last;
}

static int64_t lowest(const fsr_temporary *t, const packing *p) {
    int64_t at = 0;
    for (int i = 0; i < p->n; ++i) {
        const turns *place = &p->place[i];
        if (is_free(place, t))
            continue;
        if (fsr_size_add(at, fsr_round_up(t->bytes, ALIGN)) <= place->offset)
            break;
        int64_t end = fsr_size_add(place->offset, fsr_round_up(place->bytes, ALIGN));
        at = end > at ? end : at;
    }
    return at;
}

/* The place of that offset and size, a new one behind those of lower offsets if there is none. NULL: out of memory. */
static turns *place_of(packing *p, int64_t offset, int64_t bytes) {
    int at = 0;
    while (at < p->n &&
           (p->place[at].offset < offset || (p->place[at].offset == offset && p->place[at].bytes != bytes)))
        ++at;
    if (at < p->n && p->place[at].offset == offset)
        return &p->place[at];
    if (p->n == p->capacity) {
        const int capacity = p->capacity ? 2 * p->capacity : 8;
        turns *grown = realloc(p->place, sizeof *grown * (size_t)capacity);
        if (!grown)
            return NULL;
        p->place = grown;
        p->capacity = capacity;
    }
    memmove(&p->place[at + 1], &p->place[at], sizeof *p->place * (size_t)(p->n++ - at));
    p->place[at] = (turns){.offset = offset, .bytes = bytes};
    return &p->place[at];
}

/* A temporary gets its place; one without bytes is in nobody's way. False: out of memory. */
static bool put(packing *p, fsr_temporary *t) {
    t->offset = lowest(t, p);
    turns *place = t->bytes ? place_of(p, t->offset, t->bytes) : NULL;
    if (!place)
        return t->bytes == 0;
    if (place->n == place->capacity) {
        const int capacity = place->capacity ? 2 * place->capacity : 4;
        const fsr_temporary **grown = realloc(place->item, sizeof *grown * (size_t)capacity);
        if (!grown)
            return false;
        place->item = grown;
        place->capacity = capacity;
    }
    const int at = after(place, t->first);
    memmove(&place->item[at + 1], &place->item[at], sizeof *place->item * (size_t)(place->n++ - at));
    place->item[at] = t;
    return true;
}

static void packing_clear(packing *p) {
    for (int i = 0; i < p->n; ++i)
        free(p->place[i].item);
    free(p->place);
}

bool fsr_memory_pack(fsr_temporary *temporary, int n, int64_t *bytes) {
    fsr_temporary **order = malloc(sizeof *order * (size_t)(n + 1));
    packing p = {NULL, 0, 0};
    int64_t size = 0;
    int blocks = 0;
    bool good = order != NULL;
    for (int i = 0; i < n && order; ++i)
        if (temporary[i].in_place_of < 0)
            order[blocks++] = &temporary[i];
    if (good) {
        qsort(order, (size_t)blocks, sizeof *order, by_size);
        for (int i = 0; i < blocks && good; ++i) {
            good = put(&p, order[i]);
            int64_t end = fsr_size_add(order[i]->offset, fsr_round_up(order[i]->bytes, ALIGN));
            size = end > size ? end : size;
        }
        for (int i = 0; i < n; ++i)
            if (temporary[i].in_place_of >= 0)
                temporary[i].offset = temporary[temporary[i].in_place_of].offset;
    }
    free(order);
    packing_clear(&p);
    *bytes = size;
    return good;
}
