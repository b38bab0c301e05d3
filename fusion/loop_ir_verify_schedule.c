/* SPDX-License-Identifier: MIT */
/* The verifier's rules about a schedule: what its kind demands of the kernel, and the shape of a block.
 *
 * A backend relies on them: threads of a row that are no power of two would fold a row wrongly, not fail. */
#include "fusion/branch.h"
#include "fusion/filter.h"
#include "fusion/interval.h"
#include "fusion/launch_shape.h"
#include "fusion/loop_ir_verify.h"
#include "fusion/nest.h"
#include "fusion/once.h"
#include "fusion/outputs.h"
#include "fusion/ring.h"
#include "fusion/square.h"
#include "fusion/tile.h"
#include "fusion/walk.h"

enum { MOST_TALL = 16 };

/* A block's tile of outputs: staged are the loads that move in it, by whole vectors. */
static bool check_outputs(const fsr_check *v) {
    const fsr_kernel *k = v->k;
    const fsr_schedule *s = &k->schedule;
    if (!s->tall && (s->across || s->depth || (s->pad && !s->tile) || s->chunk))
        return fsr_check_bad(v, "schedule: lengths of a tile of outputs that is not tall");
    for (int i = 0; i < k->ninsts; i++)
        if (k->stand[i].staged !=
            ((s->tall && fsr_load_is_tiled(k, i)) || (s->tile && fsr_load_is_turned(k, i, s->tiled))))
            return fsr_check_bad(v, "schedule: v%d %s staged", i, k->stand[i].staged ? "cannot be" : "must be");
    if (!s->tall)
        return true;
    if (s->kind != FSR_SCHEDULE_COL || !fsr_check_range(s->tall, MOST_TALL + 1) || s->items > MOST_TALL ||
        !fsr_kernel_may_tile(k, s->across))
        return fsr_check_bad(v, "schedule: no tile of %d outputs across dimension %d", s->tall, s->across);
    if (s->depth < 1 || s->chunk < s->depth || s->chunk % s->depth != 0)
        return fsr_check_bad(v, "schedule: chunks of %d columns, %d of them staged", s->chunk, s->depth);
    if (s->pad < 0 || s->pad % s->vector != 0 || fsr_tile_shared_bytes(k) > FSR_SHARED_BYTES)
        return fsr_check_bad(v, "schedule: staged loads do not lie in shared memory");
    return true;
}

/* A block's square: whole rows of it for its threads. */
static bool check_square(const fsr_check *v) {
    const fsr_schedule *s = &v->k->schedule;
    const int breadth = fsr_square_breadth(s);
    if (!s->tile)
        return (!s->tiled && !breadth) || fsr_check_bad(v, "schedule: squares of no side along dimension %d", s->tiled);
    if (s->kind != FSR_SCHEDULE_MAP || s->nversions || !fsr_power_of_two(s->tile) || !fsr_power_of_two(breadth) ||
        s->threads % s->tile != 0 || s->threads % breadth != 0 || breadth % (s->threads / s->tile) != 0 ||
        s->tile % (s->threads / breadth) != 0 || s->vector != 1 || s->items * s->threads != s->tile * breadth ||
        !fsr_kernel_may_square(v->k, s->tiled))
        return fsr_check_bad(v, "schedule: no squares of %d along dimension %d", s->tile, s->tiled);
    return (s->pad >= 0 && fsr_square_shared_bytes(v->k) <= FSR_SHARED_BYTES) ||
           fsr_check_bad(v, "schedule: squares do not lie in shared memory");
}

/* Bins of a block: there is a store that combines into them, and they fit. */
static bool check_bins(const fsr_check *v) {
    const fsr_schedule *s = &v->k->schedule;
    const int store = fsr_kernel_combining(v->k);
    if (!s->bins)
        return !s->ranges || fsr_check_bad(v, "schedule: %d ranges of no bins", s->ranges);
    if (s->kind != FSR_SCHEDULE_MAP || s->tile || store < 0 || !fsr_power_of_two(s->bins) || s->ranges < 0)
        return fsr_check_bad(v, "schedule: no %d bins", s->bins);
    const int most = s->ranges ? FSR_RANGE_BYTES : FSR_SHARED_BYTES;
    return s->bins <= most / (int)fsr_dtype_size(v->k->inst[store].dtype) ||
           fsr_check_bad(v, "schedule: %d bins do not lie in shared memory", s->bins);
}

/* Rows side by side: threads of a row are lanes of a warp for a moment, and leave their states in shared memory. */
static bool check_beside(const fsr_check *v) {
    const fsr_schedule *s = &v->k->schedule;
    if (s->kind != FSR_SCHEDULE_LOOKBACK || s->abreast == 1)
        return true;
    const int threads = s->abreast > 0 ? s->threads / s->abreast : 0;
    if (!fsr_power_of_two(s->abreast) || !fsr_power_of_two(threads) || threads > 32 || s->vector != 1)
        return fsr_check_bad(v, "schedule: no %d rows side by side in %d threads", s->abreast, s->threads);
    return fsr_beside_shared_bytes(v->k) <= FSR_SHARED_BYTES ||
           fsr_check_bad(v, "schedule: states of rows side by side do not lie in shared memory");
}

/* Slots of a ring: two at least, whole warps at each of its steps, more than one of them to count, for whose barrier a
 * tile's elements wait before others take their place. */
static bool check_ring(const fsr_check *v) {
    const fsr_schedule *s = &v->k->schedule;
    if (!s->slots)
        return !s->writers || fsr_check_bad(v, "schedule: %d threads write tiles of no slots", s->writers);
    if (s->members < 1 || !fsr_check_range(s->slots - 2, FSR_RING_MOST_SLOTS - 1) || !fsr_kernel_may_ring(v->k))
        return fsr_check_bad(v, "schedule: %d blocks of %d slots cannot share what is filtered", s->members, s->slots);
    if (s->writers < 32 || s->writers % 32 != 0 || s->threads < 64 || fsr_kernel_threads(v->k) > 1024)
        return fsr_check_bad(v, "schedule: %d threads count and %d write", s->threads, s->writers);
    return fsr_kernel_launched_bytes(v->k) <= FSR_RING_BYTES ||
           fsr_check_bad(v, "schedule: %d slots do not lie in shared memory", s->slots);
}

/* The shape of a block. */
static bool check_gpu(const fsr_check *v) {
    const fsr_schedule *s = &v->k->schedule;
    bool abreast = s->kind == FSR_SCHEDULE_ROW || s->kind == FSR_SCHEDULE_COL || s->kind == FSR_SCHEDULE_LOOKBACK;
    if (!fsr_check_range(s->threads - 1, 1024))
        return fsr_check_bad(v, "schedule: %d threads", s->threads);
    if (abreast && (s->abreast < 1 || s->threads % s->abreast != 0))
        return fsr_check_bad(v, "schedule: %d abreast do not divide %d threads", s->abreast, s->threads);
    if (s->kind == FSR_SCHEDULE_ROW && !fsr_power_of_two(s->abreast))
        return fsr_check_bad(v, "schedule: %d abreast are no power of two", s->abreast);
    if (!fsr_power_of_two(s->vector) || s->vector > 16)
        return fsr_check_bad(v, "schedule: vectors of %d", s->vector);
    if (s->items < 1 || s->items % s->vector != 0)
        return fsr_check_bad(v, "schedule: %d items are no multiple of vectors of %d", s->items, s->vector);
    for (int i = 0; i < v->k->ninsts; i++)
        if (v->k->stand[i].gathered || v->k->stand[i].twinned)
            return fsr_check_bad(v, "schedule: v%d is %s, which is for CPUs", i,
                                 v->k->stand[i].gathered ? "gathered" : "twinned");
    if (s->members < 0 || (s->members && !s->slots && (s->kind != FSR_SCHEDULE_TEAM || s->persistent)))
        return fsr_check_bad(v, "schedule: %d blocks do the parts of a row in turn", s->members);
    if (s->parked < 0 || (s->parked && !fsr_kernel_may_park(v->k, s->parked)))
        return fsr_check_bad(v, "schedule: %d vectors of a thread cannot be parked", s->parked);
    if (s->counts && !fsr_kernel_may_count(v->k))
        return fsr_check_bad(v, "schedule: counts what no fold of rows takes as literals");
    if (s->nversions && !fsr_kernel_may_version(v->k))
        return fsr_check_bad(v, "schedule: versions of what is compacted, or goes along several folded dimensions");
    if (s->branched && (!fsr_kernel_may_branch(v->k) || s->nversions || s->items != 1))
        return fsr_check_bad(v, "schedule: branches of what is no map of single elements, or has versions");
    if (s->early && (s->kind != FSR_SCHEDULE_COL || s->tall || s->abreast != s->threads || s->vector != 1 ||
                     v->k->npasses != 1 || !fsr_kernel_has_scan(v->k) || s->nversions))
        return fsr_check_bad(v, "schedule: loads ahead of what is no scan along columns, or has versions");
    if (s->dealt && (s->kind != FSR_SCHEDULE_COL || s->tall || !fsr_kernel_may_deal(v->k)))
        return fsr_check_bad(v, "schedule: columns in turn of what is no fold along columns, or has to go in order");
    if (s->accumulators < (v->k->nfolds > 0) || s->accumulators > s->items)
        return fsr_check_bad(v, "schedule: %d accumulators of %d items", s->accumulators, s->items);
    if (!fsr_check_range(s->resident, 2048 / s->threads + 1))
        return fsr_check_bad(v, "schedule: %d resident blocks of %d threads", s->resident, s->threads);
    if ((s->pooled && !fsr_kernel_may_pool(v->k)) || (s->riding && !fsr_reductions_ride(v->k)))
        return fsr_check_bad(v, "schedule: pools what has no room, or reductions that no scan ends with");
    if ((s->high || s->broad || s->deep || fsr_tile_goes_beyond(s)) != (v->k->nests || fsr_kernel_is_nest(v->k)))
        return fsr_check_bad(v, "schedule: tiles are for several nests, and each of them has some");
    return check_square(v) && check_outputs(v) && check_bins(v) && check_beside(v) && check_ring(v);
}

static bool check_versions(const fsr_check *v) {
    const fsr_kernel *k = v->k;
    const fsr_schedule *s = &k->schedule;
    if (!fsr_check_range(s->nversions, FSR_MAX_VERSIONS + 1))
        return fsr_check_bad(v, "schedule: %d versions, the limit is %d", s->nversions, FSR_MAX_VERSIONS);
    for (int i = 0; i < s->nversions; i++) {
        const uint64_t holds = s->version[i].holds, all = holds | s->version[i].never;
        if ((holds & s->version[i].never) || all >> k->nconditions || (!all && !s->cut_steps))
            return fsr_check_bad(v, "schedule: version %d knows what cannot be, or nothing", i);
        for (int c = 0; c < k->nconditions; c++)
            if ((all >> c & 1 && !fsr_condition_is_decidable(k, c)) ||
                (holds >> c & 1 && k->condition[c].step && fsr_condition_is_inner(k, c)))
                return fsr_check_bad(v, "schedule: version %d cannot know condition %d", i, c);
    }
    return true;
}

/* On a GPU kept values are registers of a row held at once; a CPU holds any row in its workspace. */
static bool check_keep(const fsr_check *v) {
    const fsr_kernel *k = v->k;
    for (int i = 0; i < k->ninsts; i++)
        if (k->stand[i].keep && !k->schedule.persistent && k->schedule.target == FSR_TARGET_GPU)
            return fsr_check_bad(v, "schedule: v%d is kept, but rows are not persistent", i);
    return true;
}

static bool check_tame(const fsr_check *v) {
    const fsr_kernel *k = v->k;
    for (int i = 0; i < k->ninsts; i++)
        if (k->inst[i].tame && (k->schedule.target != FSR_TARGET_GPU || !fsr_value_is_tame(k, i)))
            return fsr_check_bad(v, "schedule: v%d is tame, but nobody knows that of its operand", i);
        else if (k->inst[i].odd && (k->schedule.target != FSR_TARGET_GPU || !fsr_value_is_by_odd(k, i)))
            return fsr_check_bad(v, "schedule: v%d is odd, but is no quotient by an odd number", i);
    return true;
}

static bool check_once(const fsr_check *v) {
    const uint64_t streams = v->k->schedule.streams & ~fsr_kernel_reads_once(v->k);
    if (v->k->schedule.target == FSR_TARGET_GPU && streams)
        return fsr_check_bad(v, "schedule: b%d is not read once", __builtin_ctzll(streams));
    return true;
}

bool fsr_check_schedule(const fsr_check *v) {
    const fsr_kernel *k = v->k;
    const fsr_schedule *s = &k->schedule;
    if (!fsr_target_name(s->target))
        return fsr_check_bad(v, "schedule: for no target");
    if ((unsigned)s->kind > FSR_SCHEDULE_TEAM)
        return fsr_check_bad(v, "schedule: unknown kind");
    if ((s->kind == FSR_SCHEDULE_MAP) != (k->ndim == k->nparallel))
        return fsr_check_bad(v, "schedule: map is for kernels without folded dimensions, and only for them");
    if (s->persistent && s->kind != FSR_SCHEDULE_ROW && s->kind != FSR_SCHEDULE_TEAM)
        return fsr_check_bad(v, "schedule: only rows can be persistent");
    if (s->kind == FSR_SCHEDULE_TEAM && !fsr_kernel_commutes(k))
        return fsr_check_bad(v, "schedule: a team folds commutative reductions only");
    if (s->kind == FSR_SCHEDULE_SPLIT && fsr_kernel_has_scan(k))
        return fsr_check_bad(v, "schedule: split with a scan");
    if (fsr_kernel_has_sequence(k) && (s->kind != FSR_SCHEDULE_COL || k->nparallel == 0))
        return fsr_check_bad(v, "schedule: a sequence goes down columns");
    if ((s->kind == FSR_SCHEDULE_SPLIT || s->kind == FSR_SCHEDULE_LOOKBACK) && k->npasses != 1)
        return fsr_check_bad(v, "schedule: %d passes, split and lookback have one", k->npasses);
    return check_versions(v) && check_keep(v) && check_tame(v) && check_once(v) &&
           (s->target == FSR_TARGET_GPU ? check_gpu(v) : fsr_check_cpu(v));
}
