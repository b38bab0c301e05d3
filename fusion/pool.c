/* SPDX-License-Identifier: MIT */
/* What a tile of a look-back spares where it filters; data of the schedule.
 *
 * Pooled: what filters select of a tile goes to shared memory as soon as the tile's own counts are known, each element
 * to its rank among the tile's, and from there to the array when the tile's place is. So a thread holds no element
 * while it waits, and whole lines of memory are written at once.
 * Counter-example to handing over among the lanes of a warp: 28 elements, their mask and their counts are registers
 * until the last neighbour has posted: 111 a thread, so one block of 512 on a multiprocessor, with which everything
 * waits.
 *
 * Parked: of a scan's elements that a thread has, some vectors go to shared memory, each to a place of the thread's
 * own, as soon as its fold is known, and come back when the tile's place is: a third block of 512 threads fits on a
 * multiprocessor. Nobody else reads them, so no barrier is needed, and the bits are the same.
 *
 * Riding: a reduction of what a scan adds up is what the scan ends with: the count of a filter's mask. The last tile
 * has it, and nobody leaves partial states, nor waits to be the last one. Only where no operation rounds: there the
 * same bits come of any order. */
#include "fusion/filter.h"
#include "fusion/launch_shape.h"
#include "fusion/outputs.h"
#include "fusion/tile.h"

/* Bytes of shared memory that are left for tickets and the like. */
enum { REST = 1024 };

int fsr_kernel_filtered_bytes(const fsr_kernel *k) {
    int bytes = 0;
    for (int i = 0; i < k->ninsts; i++)
        bytes += k->inst[i].filter ? (int)fsr_dtype_size(k->inst[i].dtype) : 0;
    return bytes;
}

int fsr_counting_fold(const fsr_kernel *k, const fsr_inst *store) {
    return k->inst[store->arg[2]].index;
}

/* There is room for a whole tile, as every element may be selected, beside the states that warps leave for one
 * another; and a thread's elements have a bit each in one word. */
bool fsr_kernel_may_pool(const fsr_kernel *k) {
    const fsr_schedule *s = &k->schedule;
    int64_t states = 0;
    if (s->kind != FSR_SCHEDULE_LOOKBACK || s->abreast != 1 || s->items > 32 || !fsr_kernel_filters(k))
        return false;
    for (int f = 0; f < k->nfolds; f++)
        states += fsr_combine_bytes(k->fold[f].combine);
    return (int64_t)fsr_kernel_filtered_bytes(k) * s->threads * s->items + 4 * states * (s->threads / 32) <=
           FSR_SHARED_BYTES - REST;
}

bool fsr_combine_is_whole(const fsr_combine *c) {
    return c->builtin && c->arity == 1 && fsr_dtype_class(fsr_combine_dtype(c, 0)) == FSR_CLASS_INT;
}

int fsr_fold_rides(const fsr_kernel *k, int f) {
    const fsr_fold *own = &k->fold[f];
    int scan = k->nfolds - 1;
    if (own->kind != FSR_FOLD_REDUCE || !fsr_combine_is_whole(own->combine))
        return -1;
    while (scan >= 0 && (k->fold[scan].kind != FSR_FOLD_SCAN || k->fold[scan].pass != own->pass ||
                         k->fold[scan].input[0] != own->input[0] || !fsr_fold_same_operator(&k->fold[scan], own)))
        scan--;
    return scan;
}

bool fsr_reductions_ride(const fsr_kernel *k) {
    bool any = false, all = k->schedule.kind == FSR_SCHEDULE_LOOKBACK && k->schedule.abreast == 1;
    for (int f = 0; f < k->nfolds; f++)
        if (k->fold[f].kind == FSR_FOLD_REDUCE) {
            any = true;
            all = all && fsr_fold_rides(k, f) >= 0;
        }
    return any && all;
}

int64_t fsr_kernel_vector_bytes(const fsr_kernel *k) {
    fsr_tile_pass pass;
    fsr_tile_pass_make(k, 0, &pass);
    const fsr_fold_list chain = fsr_kernel_chain(k, 0, pass.stage, 0);
    return k->schedule.vector * fsr_fold_list_element_bytes(k, &chain);
}

int64_t fsr_kernel_parked_bytes(const fsr_kernel *k) {
    const fsr_schedule *s = &k->schedule;
    return s->parked ? s->parked * s->threads * fsr_kernel_vector_bytes(k) : 0;
}

bool fsr_kernel_may_park(const fsr_kernel *k, int vectors) {
    const fsr_schedule *s = &k->schedule;
    fsr_tile_pass pass;
    if (s->kind != FSR_SCHEDULE_LOOKBACK || s->abreast != 1 || s->members || s->nversions || fsr_kernel_filters(k))
        return false;
    fsr_tile_pass_make(k, 0, &pass);
    return pass.nstages == 2 && fsr_kernel_chain(k, 0, pass.stage, 0).n && fsr_kernel_has_scan(k) &&
           vectors <= s->items / s->vector && vectors * s->threads * fsr_kernel_vector_bytes(k) <= FSR_PARKED_BYTES;
}
