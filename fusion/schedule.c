/* The schedule rules. Everything here is a function of sizes, dtypes and the target: the same plan for the same sizes.
 *
 * GPU, elementwise: one 16-byte access a thread for the widest dtype; more bytes in flight only where arrays are few.
 * GPU, along rows: as many threads a row as hold it in registers; long rows of which there are few are split over
 * blocks.
 * GPU, along columns: adjacent threads on adjacent columns, split along the folded dimension until the machine is full.
 * GPU, scans of long rows: tiles of threads * items with look-back.
 * CPU: the same frames for one thread; accumulators in `lanes`, chunks for the pairwise tree. */
#include "fusion/schedule.h"

/* CPU: operations of an element that is work itself; and fewer adjacent rows than are worth a loop of their own: the
 * three channels of a photograph are three rows, each read with a stride. */
enum { HEAVY_ELEMENT = 24, CPU_NARROW = 8 };
enum {
    MAP_THREADS = 256,
    ROW_ITEMS = 16,
    ROW_THREADS = 1024,
    SPLIT_THREADS = 512,
    LOOKBACK_THREADS = 512,
    TEAM_THREADS = 512,
    CHEAP = 16
};

static int64_t min64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* Neighbours along dimension d are neighbours in memory. */
static bool is_adjacent(const fsr_access *a, int d) {
    return a->stride[d] == FSR_STRIDE_ONE && !a->over;
}

/* Elements that an access walks over, 0 if it does not vary along the folded dimensions. */
static double walked(const fsr_group *group, const fsr_access *a) {
    bool varies = false;
    double elements = 1;
    for (int d = 0; d < group->kernel->ndim; ++d) {
        if (a->stride[d] == FSR_STRIDE_ZERO)
            continue;
        varies = varies || d >= group->kernel->nparallel;
        elements *= (double)group->extent[d];
    }
    return varies ? elements : 0;
}

/* The same in either order. */
static bool is_beside(const fsr_group *group, const fsr_access *a, int d) {
    bool backwards = a->stride[d] == FSR_STRIDE_VAR && group->integer[a->slot[d]] == -1 && !a->over;
    return backwards || is_adjacent(a, d);
}

/* Decided by the largest array that varies along the folded dimensions (the sum over accesses): whether it has a
 * folded or a parallel dimension adjacent. An access in the domain's own order settles it. */
fsr_orientation fsr_group_orientation(const fsr_group *group) {
    const fsr_kernel *k = group->kernel;
    if (k->npasses == 0)
        return FSR_ORIENT_NONE;
    double inner = 0, outer = 0;
    for (int i = 0; i < k->naccesses; ++i) {
        double elements = walked(group, &k->access[i]);
        if (elements > 0 && k->access[i].linear)
            return FSR_ORIENT_ROWS;
        for (int d = 0; d < k->ndim; ++d)
            if (is_beside(group, &k->access[i], d) && group->extent[d] > 1)
                *(d < k->nparallel ? &outer : &inner) += elements;
    }
    return outer > inner ? FSR_ORIENT_COLS : FSR_ORIENT_ROWS;
}

static int widest(const fsr_kernel *k) {
    size_t widest = 1;
    for (int i = 0; i < k->narrays; ++i)
        if (fsr_dtype_size(k->array[i].dtype) > widest)
            widest = fsr_dtype_size(k->array[i].dtype);
    return (int)widest;
}

/* The last pass that reads an instruction's value, -1: none. */
static int last_use(const fsr_kernel *k, int value) {
    int last = -1;
    for (int i = value + 1; i < k->ninsts; ++i) {
        if (k->inst[i].pass > last && fsr_inst_reads(k, i, value))
            last = k->inst[i].pass;
    }
    return last;
}

/* An ELEM value that an instruction of a later pass reads. A bare index or a guard is cheaper to evaluate again. */
static bool crosses(const fsr_kernel *k, int value) {
    const fsr_inst *at = &k->inst[value];
    if (at->level != FSR_ELEM || at->kind == FSR_INST_STORE || at->kind == FSR_INST_COMBINE ||
        at->kind == FSR_INST_INDEX || at->kind == FSR_INST_GUARD || at->kind == FSR_INST_ITERATE)
        return false;
    return last_use(k, value) > at->pass;
}

static void keep_across_passes(fsr_kernel *k) {
    for (int i = 0; i < k->ninsts; ++i)
        k->inst[i].keep = crosses(k, i);
}

static int count_kept(const fsr_kernel *k) {
    int n = 0;
    for (int i = 0; i < k->ninsts; ++i)
        n += crosses(k, i);
    return n;
}

/* The states of folds count as arrays do: storing a result later must not make an accepted kernel too wide. */
static int words_held(const fsr_kernel *k) {
    size_t wide = (size_t)widest(k);
    for (int i = 0; i < k->nfolds; ++i)
        for (int c = 0; c < k->fold[i].combine->arity; ++c)
            if (fsr_dtype_size(k->fold[i].combine->dtype[c]) > wide)
                wide = fsr_dtype_size(k->fold[i].combine->dtype[c]);
    return wide > 8 ? 4 : wide > 4 ? 2 : 1;
}

int64_t fsr_schedule_row_capacity(const fsr_group *group, const fsr_target *target) {
    int wide = words_held(group->kernel);
    int64_t threads = min64(target->max_threads, ROW_THREADS);
    return threads * ROW_ITEMS / wide;
}

/* True if the sum of an access passes the limit in either direction. */
static bool reaches(const fsr_group *group, const fsr_access *a, int64_t limit) {
    int64_t reach = a->offset >= 0 ? group->integer[a->offset] : 0;
    int64_t low = reach < 0 ? -reach : 0;
    for (int d = 0; d < group->kernel->ndim; ++d) {
        int64_t stride = a->stride[d] == FSR_STRIDE_VAR ? group->integer[a->slot[d]] : a->stride[d] == FSR_STRIDE_ONE;
        if (group->extent[d] > 0)
            *(stride < 0 ? &low : &reach) += (stride < 0 ? -stride : stride) * (group->extent[d] - 1);
    }
    return reach > limit || low > limit;
}

static bool needs_wide(const fsr_group *group) {
    const int64_t limit = ((int64_t)1 << 31) - ((int64_t)1 << 22);
    const fsr_kernel *k = group->kernel;
    if (group->integer[FSR_INT_ROWS] * group->integer[FSR_INT_COLS] > limit)
        return true;
    for (int d = 0; d < k->ndim; ++d) /* an empty domain may have a long dimension */
        if (group->extent[d] > limit)
            return true;
    for (int i = 0; i < k->naccesses; ++i)
        if (reaches(group, &k->access[i], limit))
            return true;
    for (int i = 0; i < k->nconditions; ++i)
        if (reaches(group, &k->condition[i].at, limit) || group->integer[k->condition[i].extent] > limit)
            return true;
    return false;
}

/* An elementwise kernel of one dimension guards the elements of its last vector one by one, where they are adjacent
 * from the start or all the same. */
static bool guards_tail(const fsr_kernel *k) {
    if (k->nguards)
        return false;
    for (int i = 0; i < k->naccesses; ++i)
        if (!k->access[i].linear && k->access[i].stride[0] != FSR_STRIDE_ZERO)
            return false;
    return k->ndim == 1 && k->npasses == 0;
}

/* A vector along dimension d lies inside or outside of every guard as a whole. */
static bool guards_fit(const fsr_group *group, int d, int v) {
    const fsr_kernel *k = group->kernel;
    for (int i = 0; i < k->nconditions; ++i) {
        const fsr_condition *c = &k->condition[i];
        if (c->at.stride[d] == FSR_STRIDE_ZERO)
            continue;
        if (c->at.stride[d] == FSR_STRIDE_VAR || c->step || group->integer[c->extent] % v != 0)
            return false;
        if (c->at.offset >= 0 && group->integer[c->at.offset] % v != 0)
            return false;
        for (int j = 0; j < k->ndim; ++j)
            if (j != d && c->at.stride[j] != FSR_STRIDE_ZERO &&
                (c->at.stride[j] == FSR_STRIDE_ONE || group->integer[c->at.slot[j]] % v != 0))
                return false;
    }
    return true;
}

/* Whether vectors of v elements along domain dimension d never straddle or misalign: every access that is adjacent
 * along d starts its runs at multiples of v. */
static bool vector_fits(const fsr_group *group, int d, int v) {
    const fsr_kernel *k = group->kernel;
    if (!guards_tail(k) && (group->extent[d] % v != 0 || !guards_fit(group, d, v)))
        return false;
    for (int i = 0; i < k->naccesses; ++i) {
        const fsr_access *a = &k->access[i];
        if (a->over && a->stride[d] != FSR_STRIDE_ZERO)
            return false;
        if (!is_adjacent(a, d))
            continue;
        if (a->offset >= 0 && group->integer[a->offset] % v != 0)
            return false;
        for (int j = 0; j < k->ndim; ++j)
            if (j != d && a->stride[j] != FSR_STRIDE_ZERO &&
                (a->stride[j] == FSR_STRIDE_ONE || group->integer[a->slot[j]] % v != 0))
                return false;
    }
    return true;
}

static bool any_adjacent(const fsr_group *group, int d) {
    for (int i = 0; i < group->kernel->naccesses; ++i)
        if (is_adjacent(&group->kernel->access[i], d))
            return true;
    return false;
}

static int choose_vector(const fsr_group *group, int d, int most) {
    int v = most;
    if (d < 0 || !any_adjacent(group, d))
        return 1;
    while (v > 1 && !vector_fits(group, d, v))
        v /= 2;
    return v;
}

/* ---- GPU ----------------------------------------------------------------------------------------- */

static void gpu_map(fsr_group *group) {
    fsr_schedule *s = &group->kernel->schedule;
    s->kind = FSR_SCHEDULE_MAP;
    s->threads = MAP_THREADS;
    s->group = 1;
    s->vector = choose_vector(group, group->kernel->ndim - 1, 16 / widest(group->kernel));
    if (group->kernel->nloops)
        s->vector = 1;
    s->items = s->vector;
    if (s->vector == 1 && !group->kernel->nloops)
        s->items = widest(group->kernel) > 4 ? 2 : 4;
}

/* Some loop runs for each element. */
static bool has_loops(const fsr_kernel *k) {
    for (int i = 0; i < k->ninsts; ++i)
        if (k->inst[i].kind == FSR_INST_ITERATE && (k->inst[i].level == FSR_ELEM || k->npasses == 0))
            return true;
    return false;
}

/* Rough instructions for one element. */
static int element_cost(const fsr_kernel *k) {
    int cost = 0;
    for (int i = 0; i < k->ninsts; ++i)
        if (k->inst[i].level == FSR_ELEM)
            cost += fsr_inst_cost(k, i);
    return has_loops(k) ? 2 * CHEAP + cost : cost;
}

/* Fewer threads with more elements each where an element is cheap, more threads where its latency has to be covered:
 * measured on one H200, rows of 4096 f32, 8 and 16 items: layernorm (cost 14) 0.304, 0.268 ms; softmax (cost 22) 0.269,
 * 0.293. */
static void gpu_row(fsr_group *group, int64_t capacity) {
    fsr_kernel *k = group->kernel;
    fsr_schedule *s = &k->schedule;
    int64_t cols = group->integer[FSR_INT_COLS];
    s->kind = FSR_SCHEDULE_ROW;
    s->vector = choose_vector(group, k->ndim - 1, 16 / widest(k));
    s->persistent = cols <= capacity;
    int most = (int)(capacity / ROW_THREADS);
    int items = s->vector;
    int64_t threads = 1;
    if (s->persistent) {
        while (threads < 32 && threads * items < cols)
            threads *= 2;
        while (threads * items < cols && items < (element_cost(k) <= CHEAP ? most : most / 2))
            items *= 2;
        while (threads * items < cols && threads < ROW_THREADS)
            threads *= 2;
        while (threads * items < cols)
            items *= 2;
    } else {
        threads = ROW_THREADS / 2;
        items = most / 2 > s->vector ? most / 2 : s->vector;
    }
    s->items = items;
    s->group = (int)threads;
    s->threads = threads < 256 ? 256 : (int)threads;
    if (s->persistent)
        keep_across_passes(k);
}

/* Measured on one H200, four statistics of 2^27 f32: 256 threads of 8, 16, 32 elements 0.151, 0.136, 0.131 ms; 512 of
 * 16 0.130. */
static void gpu_split(fsr_group *group, const fsr_target *target) {
    fsr_kernel *k = group->kernel;
    fsr_schedule *s = &k->schedule;
    int64_t rows = group->integer[FSR_INT_ROWS], cols = group->integer[FSR_INT_COLS];
    s->kind = FSR_SCHEDULE_SPLIT;
    s->threads = SPLIT_THREADS;
    s->group = SPLIT_THREADS;
    s->vector = choose_vector(group, k->ndim - 1, 16 / widest(k));
    s->items = s->vector > 1 ? s->vector * 4 : 4;
    int64_t step = (int64_t)s->threads * s->items;
    int64_t want =
        fsr_ceil_div((int64_t)target->processors * target->threads_per_processor / s->threads, rows > 0 ? rows : 1);
    int64_t splits = min64(want, fsr_ceil_div(cols, step));
    splits = splits < 1 ? 1 : splits;
    int64_t chunk = fsr_ceil_div(fsr_ceil_div(cols, splits), step) * step;
    chunk = chunk < step ? step : chunk;
    group->integer[FSR_INT_CHUNK] = chunk;
    group->integer[FSR_INT_SPLITS] = cols > 0 ? fsr_ceil_div(cols, chunk) : 1;
}

/* Bytes that an element of a scanned tile holds: 4 or 8 for its value, more for the state of a tuple. */
static int widest_state(const fsr_kernel *k) {
    int bytes = widest(k) > 4 ? 8 : 4;
    for (int i = 0; i < k->nfolds; ++i)
        if (k->fold[i].kind == FSR_FOLD_SCAN && fsr_combine_bytes(k->fold[i].combine) > bytes)
            bytes = (int)fsr_combine_bytes(k->fold[i].combine);
    return bytes;
}

/* Few large tiles: a tile's look-back costs the same whatever its size, and more bytes are in flight while it waits.
 * Measured on one H200, 2^27 f32 (cumsum; two inputs, a map before and after): 256 x 16: 0.447, 0.570 ms; 512 x 24:
 * 0.391, 0.497; 512 x 32: 0.354, 0.464. */
static void gpu_lookback(fsr_group *group) {
    fsr_kernel *k = group->kernel;
    fsr_schedule *s = &k->schedule;
    int64_t cols = group->integer[FSR_INT_COLS];
    s->kind = FSR_SCHEDULE_LOOKBACK;
    s->threads = LOOKBACK_THREADS;
    s->group = LOOKBACK_THREADS;
    s->vector = choose_vector(group, k->ndim - 1, 16 / widest(k));
    s->items = 128 / widest_state(k);
    s->items = s->items < s->vector ? s->vector : s->items - s->items % s->vector;
    int64_t tile = (int64_t)s->threads * s->items;
    group->integer[FSR_INT_CHUNK] = tile;
    group->integer[FSR_INT_SPLITS] = cols > 0 ? fsr_ceil_div(cols, tile) : 1;
}

/* Most kept values alive at once between two passes, as a power of two; at least 1. */
static int live_kept(const fsr_kernel *k) {
    int most = 1;
    for (int pass = 1; pass < k->npasses; ++pass) {
        int live = 0;
        for (int i = 0; i < k->ninsts; ++i)
            live += crosses(k, i) && k->inst[i].pass < pass && last_use(k, i) >= pass;
        while (most < live)
            most *= 2;
    }
    return most;
}

bool fsr_schedule_team_fits(const fsr_kernel *k, const fsr_target *target) {
    return k->nfolds > 0 && fsr_kernel_commutes(k) && target->cooperative;
}

/* Two blocks of TEAM_THREADS a multiprocessor are resident whatever the kernel (their registers are bounded). A row
 * that fits into their registers is held, by as few blocks as hold it, several rows at a time; a longer one is walked
 * again in each pass by all blocks. Measured on one H200, softmax of 128 rows of 2^20 f32: 16, 24, 32 items a thread
 * 0.635, 0.565, 0.473 ms. */
static void gpu_team(fsr_group *group, const fsr_target *target) {
    fsr_kernel *k = group->kernel;
    fsr_schedule *s = &k->schedule;
    int64_t rows = group->integer[FSR_INT_ROWS], cols = group->integer[FSR_INT_COLS],
            resident = 2 * (int64_t)target->processors;
    s->kind = FSR_SCHEDULE_TEAM;
    s->threads = TEAM_THREADS;
    s->vector = choose_vector(group, k->ndim - 1, 16 / widest(k));
    s->items = (widest(k) > 4 ? 16 : 32) / live_kept(k);
    s->items = s->items < s->vector ? s->vector : s->items;
    int64_t step = (int64_t)s->threads * s->items;
    s->persistent = cols <= resident * step;
    int64_t splits = s->persistent ? fsr_ceil_div(cols, step) : resident;
    int64_t chunk = fsr_ceil_div(fsr_ceil_div(cols, splits), step) * step;
    group->integer[FSR_INT_CHUNK] = chunk;
    group->integer[FSR_INT_SPLITS] = fsr_ceil_div(cols, chunk);
    s->group = (int)min64(resident / group->integer[FSR_INT_SPLITS], rows > 0 ? rows : 1);
    if (s->persistent)
        keep_across_passes(k);
}

/* Rows that blocks of their own read again in every pass: pays while the rows in work stay in the cache. */
static bool rows_stay_cached(const fsr_group *group, const fsr_target *target) {
    int64_t rows = group->integer[FSR_INT_ROWS], bytes = group->integer[FSR_INT_COLS] * widest(group->kernel);
    return rows * 2 >= target->processors && bytes * 2 * target->processors <= target->cache_bytes / 2;
}

static void gpu_col(fsr_group *group, const fsr_target *target) {
    fsr_kernel *k = group->kernel;
    fsr_schedule *s = &k->schedule;
    int64_t rows = group->integer[FSR_INT_ROWS], cols = group->integer[FSR_INT_COLS];
    bool serial = k->npasses > 1 || fsr_kernel_has_scan(k);
    s->kind = FSR_SCHEDULE_COL;
    s->threads = 256;
    s->vector = serial ? 1 : choose_vector(group, k->nparallel - 1, 16 / widest(k));
    s->group = serial ? 256 : 32;
    s->items = s->vector;
    if (serial)
        return;
    while (s->group > 1 && (s->group / 2) * s->vector >= rows)
        s->group /= 2;
    int64_t tiles = fsr_ceil_div(rows, (int64_t)s->group * s->vector);
    int64_t lanes = s->threads / s->group;
    int64_t want =
        fsr_ceil_div((int64_t)target->processors * target->threads_per_processor / s->threads, tiles > 0 ? tiles : 1);
    int64_t splits = min64(want, fsr_ceil_div(cols, lanes * 8));
    splits = splits < 1 ? 1 : splits;
    int64_t chunk = fsr_ceil_div(fsr_ceil_div(cols, splits), lanes) * lanes;
    group->integer[FSR_INT_CHUNK] = chunk < 1 ? 1 : chunk;
    group->integer[FSR_INT_SPLITS] = cols > 0 ? fsr_ceil_div(cols, chunk) : 1;
}

static void gpu(fsr_group *group, const fsr_target *target) {
    fsr_kernel *k = group->kernel;
    if (k->npasses == 0) {
        gpu_map(group);
        return;
    }
    if (fsr_group_orientation(group) == FSR_ORIENT_COLS) {
        gpu_col(group, target);
        return;
    }
    int64_t rows = group->integer[FSR_INT_ROWS], cols = group->integer[FSR_INT_COLS];
    int64_t capacity = fsr_schedule_row_capacity(group, target);
    bool fills = rows >= target->processors * 2;
    bool again = k->npasses > 1 && (!fsr_schedule_team_fits(k, target) || rows_stay_cached(group, target));
    if (cols <= capacity || again || (k->npasses == 1 && fills && cols <= 16 * capacity))
        gpu_row(group, capacity);
    else if (k->npasses > 1)
        gpu_team(group, target);
    else if (fsr_kernel_has_scan(k))
        gpu_lookback(group);
    else
        gpu_split(group, target);
}

/* ---- CPU ------------------------------------------------------------------------------------------- */

/* Some reduction folds a chunk with one accumulator although it might take several: down a column, or beside a scan or
 * loops, which go by strips. */
static bool one_accumulator(const fsr_kernel *k) {
    bool any = false;
    for (int i = 0; i < k->nfolds; ++i)
        any = any || (!fsr_fold_is_ordered(&k->fold[i]));
    return any && (k->schedule.kind == FSR_SCHEDULE_COL || fsr_kernel_has_scan(k) || has_loops(k));
}

/* Four vectors of 64 bytes hide an addition's latency. Two are enough where an element is work itself, and compile in
 * half the time; short rows end in fewer columns left over. */
static int cpu_lanes(const fsr_group *group) {
    const fsr_kernel *k = group->kernel;
    int cost = 0, lanes = 256 / widest(k);
    for (int i = 0; i < k->ninsts; ++i)
        cost += fsr_inst_cost(k, i);
    if (cost > HEAVY_ELEMENT)
        lanes /= 2;
    while (lanes > 8 && group->integer[FSR_INT_COLS] < 4 * lanes)
        lanes /= 2;
    return lanes;
}

static void cpu(fsr_group *group) {
    fsr_kernel *k = group->kernel;
    fsr_schedule *s = &k->schedule;
    fsr_orientation orientation = fsr_group_orientation(group);
    if (orientation == FSR_ORIENT_COLS && (group->extent[k->nparallel - 1] < CPU_NARROW || has_loops(k)))
        orientation = FSR_ORIENT_ROWS;
    s->kind = orientation == FSR_ORIENT_NONE   ? FSR_SCHEDULE_MAP
              : orientation == FSR_ORIENT_ROWS ? FSR_SCHEDULE_ROW
                                               : FSR_SCHEDULE_COL;
    s->threads = s->vector = s->items = 1;
    s->group = s->kind == FSR_SCHEDULE_COL ? 128 : 1;
    s->lanes = cpu_lanes(group);
    s->chunk = one_accumulator(k) ? 512 : 4096; /* the depth of a sum, docs/semantics.md */
    if (s->kind == FSR_SCHEDULE_ROW)
        fsr_kernel_compact(k);
    if (s->kind == FSR_SCHEDULE_ROW && k->npasses > 1 && 8 * count_kept(k) * group->integer[FSR_INT_COLS] <= 256 * 1024)
        keep_across_passes(k);
}

void fsr_schedule_choose(fsr_group *group, const fsr_target *target) {
    group->kernel->schedule = (fsr_schedule){.wide = needs_wide(group)};
    if (target->gpu)
        gpu(group, target);
    else
        cpu(group);
}
