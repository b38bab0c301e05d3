/* SPDX-License-Identifier: MIT */
/* Which filters go through a ring, what lies where in a slot, and for which sizes one is chosen.
 *
 * Measured on one H200, 2^27 f32 of which half are selected, generated kernels (threads that count x elements of each +
 * threads that write, slots): 512 x 12 + 256, 8: 0.198 ms; 512 x 16 + 256, 6: 0.204; 512 x 8 + 256, 12: 0.203; 256 x 32
 * + 256, 6: 0.202; 512 x 16 + 128, 6: 0.202; without a ring 0.288. Of kernels by hand those with three or four slots,
 * whatever else, took 0.276 to 0.312. */
#include "fusion/ring.h"
#include "fusion/filter.h"
#include "fusion/launch_shape.h"
#include "fusion/schedule_gpu.h"
#include "fusion/tile.h"

enum {
    RING_THREADS = 512,
    RING_WRITERS = 256,
    RING_SLOT = 24 << 10,
    RING_LEAST = 6, /* slots */
    RING_ITEMS = 32,
    RING_ROUNDS = 8 /* tiles of each block, at least */
};

/* ---- which -------------------------------------------------------------------------------------------------- */

/* Of an element's values none is asked for once its tile is pooled. */
static bool ends_in_pool(const fsr_kernel *k, const fsr_tile_pass *pass, int v) {
    const fsr_inst *inst = &k->inst[v];
    if (inst->kind == FSR_INST_STORE)
        return fsr_tile_pools_early(k, pass, v);
    if (inst->kind == FSR_INST_LOAD &&
        (fsr_inst_is_late(k, v) || fsr_inst_guard(inst) >= 0 || !k->access[inst->index].linear ||
         k->array[k->access[inst->index].buffer].written))
        return false;
    return !fsr_call_arrays(k, inst) && (pass->stage[v] == 0 || fsr_picks_fold(k, inst));
}

bool fsr_kernel_may_ring(const fsr_kernel *k) {
    const fsr_schedule *s = &k->schedule;
    fsr_tile_pass pass;
    bool loads = false,
         all = s->kind == FSR_SCHEDULE_LOOKBACK && s->pooled && !k->nparallel && !s->nversions && !k->nloops;
    if (!all || k->live || (!s->riding && fsr_kernel_reductions(k, 0, false).n))
        return false;
    fsr_tile_pass_make(k, 0, &pass);
    for (int i = 0; i < pass.n; i++) {
        all = all && ends_in_pool(k, &pass, pass.loop[i]);
        loads = loads || k->inst[pass.loop[i]].kind == FSR_INST_LOAD;
    }
    return all && loads && pass.nstages <= 2 && fsr_tile_counts(k, &pass, 0) >= 0;
}

/* ---- a slot -------------------------------------------------------------------------------------------------- */

static int64_t region_bytes(const fsr_kernel *k, fsr_dtype dtype) {
    const int64_t columns = (int64_t)k->schedule.threads * k->schedule.items;
    return fsr_round_up(columns * (int64_t)fsr_dtype_size(dtype), FSR_RING_LINE);
}

static bool array_is_staged(const fsr_kernel *k, int array) {
    for (int i = 0; i < k->ninsts; i++)
        if (k->inst[i].kind == FSR_INST_LOAD && k->stand[i].level == FSR_ELEM &&
            k->access[k->inst[i].index].buffer == array)
            return true;
    return false;
}

/* Bytes of what arrays before `end` have loaded. */
static int64_t staged_bytes(const fsr_kernel *k, int end) {
    int64_t bytes = 0;
    for (int a = 0; a < end; a++)
        bytes += array_is_staged(k, a) ? region_bytes(k, k->array[a].dtype) : 0;
    return bytes;
}

int64_t fsr_ring_array_place(const fsr_kernel *k, int array) {
    return array_is_staged(k, array) ? staged_bytes(k, array) : -1;
}

int64_t fsr_ring_pool_place(const fsr_kernel *k, int v) {
    int64_t bytes = 0;
    for (int i = 0; i < v; i++)
        bytes += k->inst[i].filter ? region_bytes(k, k->inst[i].dtype) : 0;
    return bytes;
}

int64_t fsr_ring_slot_bytes(const fsr_kernel *k) {
    const int64_t staged = staged_bytes(k, k->narrays), pooled = fsr_ring_pool_place(k, k->ninsts);
    return staged > pooled ? staged : pooled;
}

/* ---- the rule ------------------------------------------------------------------------------------------------ */

/* As many elements of each thread as fill a slot of RING_SLOT bytes. */
static int ring_items(fsr_kernel *k) {
    fsr_schedule *s = &k->schedule;
    s->items = s->vector;
    const int64_t least = fsr_ring_slot_bytes(k);
    const int64_t times = fsr_at_most(RING_SLOT / least, RING_ITEMS / s->vector);
    return (int)(times < 1 ? 1 : times) * s->vector;
}

static bool slots_fit(const fsr_kernel *k, const fsr_target *target) {
    const int64_t bytes = fsr_kernel_launched_bytes(k);
    return k->schedule.slots >= RING_LEAST && bytes <= FSR_RING_BYTES &&
           bytes + FSR_RING_REST <= target->launched_bytes && fsr_kernel_threads(k) <= target->max_threads;
}

/* What is pooled and what rides is not settled yet, but it will be so where the kernel stays as it is. */
void fsr_choose_ring(fsr_group *group, const fsr_target *target) {
    fsr_kernel *k = group->kernel;
    fsr_schedule *s = &k->schedule;
    const fsr_schedule was = *s;
    const int64_t cols = k->integer[FSR_INT_COLS];
    if (s->kind != FSR_SCHEDULE_LOOKBACK || s->abreast != 1 || !fsr_kernel_filters(k) || !target->bulk_copies ||
        !target->cooperative)
        return;
    s->threads = RING_THREADS;
    s->items = ring_items(k);
    s->members = target->processors;
    s->writers = RING_WRITERS;
    s->slots = (int)fsr_at_most(FSR_RING_BYTES / fsr_ring_slot_bytes(k), FSR_RING_MOST_SLOTS);
    s->pooled = fsr_kernel_may_pool(k);
    s->riding = fsr_reductions_ride(k);
    const int64_t tile = (int64_t)s->threads * s->items;
    const bool chosen =
        fsr_kernel_may_ring(k) && slots_fit(k, target) && fsr_ceil_div(cols, tile) >= (int64_t)RING_ROUNDS * s->members;
    s->pooled = s->riding = false;
    if (!chosen) {
        *s = was;
        return;
    }
    k->integer[FSR_INT_STRETCH] = tile;
    k->integer[FSR_INT_SPLITS] = fsr_ceil_div(cols, tile);
}

void fsr_finish_ring(fsr_kernel *k) {
    if (k->schedule.slots && !fsr_kernel_may_ring(k))
        k->schedule.members = k->schedule.slots = k->schedule.writers = 0;
}
