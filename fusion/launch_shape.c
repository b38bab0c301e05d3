/* SPDX-License-Identifier: MIT */
/* Blocks and workspace of a launch, computed from the schedule and the integer arguments; see launch_shape.h for the
 * layout. Sizes of 2^31 rows of 2^31 columns do not wrap: all arithmetic is graph/size.h's. */
#include "fusion/launch_shape.h"
#include "fusion/nest.h"
#include "fusion/ring.h"
#include "fusion/square.h"
#include "fusion/target.h"
#include "fusion/tile.h"

int64_t fsr_combine_bytes(const fsr_combine *c) {
    int64_t at = 0, align = 1;
    for (int i = 0; i < c->arity; i++) {
        int64_t size = (int64_t)fsr_dtype_size(fsr_combine_dtype(c, i));
        at = fsr_round_up(at, size) + size;
        align = size > align ? size : align;
    }
    return fsr_round_up(at, align);
}

/* Words of 8 bytes in which the CPU keeps an element of the instruction's value; 0: it is not kept. */
static int kept_words(const fsr_kernel *k, int number) {
    return !k->stand[number].keep ? 0 : fsr_dtype_size(k->inst[number].dtype) > 8 ? 2 : 1;
}

int fsr_inst_work_words(const fsr_kernel *k, int number) {
    const fsr_inst *inst = &k->inst[number];
    if (!k->stand[number].staged || k->schedule.kind == FSR_SCHEDULE_MAP)
        return kept_words(k, number);
    return (int)fsr_ceil_div((int64_t)fsr_dtype_size(inst->dtype) * k->schedule.abreast, 8);
}

static int64_t combine_align(const fsr_combine *c) {
    int64_t align = 1;
    for (int i = 0; i < c->arity; i++) {
        int64_t size = (int64_t)fsr_dtype_size(fsr_combine_dtype(c, i));
        align = size > align ? size : align;
    }
    return align;
}

int64_t fsr_fold_element_bytes(const fsr_fold *fold) {
    return fold->narrow ? (int64_t)fsr_dtype_size(FSR_F32) : fsr_combine_bytes(fold->combine);
}

static int64_t list_bytes(const fsr_kernel *k, const fsr_fold_list *list, bool element) {
    int64_t at = 0, align = 1;
    for (int i = 0; i < list->n; i++) {
        const fsr_fold *f = &k->fold[list->fold[i]];
        int64_t size = element ? fsr_fold_element_bytes(f) : fsr_combine_bytes(f->combine);
        int64_t own = element && f->narrow ? size : combine_align(f->combine);
        at = fsr_round_up(at, own) + size;
        align = own > align ? own : align;
    }
    return fsr_round_up(at, align);
}

int64_t fsr_fold_list_bytes(const fsr_kernel *k, const fsr_fold_list *list) {
    return list_bytes(k, list, false);
}

int64_t fsr_fold_list_element_bytes(const fsr_kernel *k, const fsr_fold_list *list) {
    return list_bytes(k, list, true);
}

static int later(int a, int b) {
    return a > b ? a : b;
}

int fsr_kernel_stages(const fsr_kernel *k, int pass, int *stage) {
    int loop[FSR_MAX_INSTS], stages = 1;
    int n = fsr_kernel_pass_body(k, pass, loop);
    for (int i = 0; i < k->ninsts; i++)
        stage[i] = 0;
    for (int i = 0; i < n; i++) {
        const fsr_inst *inst = &k->inst[loop[i]];
        int *own = &stage[loop[i]];
        int argument[FSR_MAX_ARGUMENTS], read = fsr_inst_arguments(k, loop[i], argument);
        for (int a = 0; a < read; a++)
            *own = later(*own, stage[argument[a]]);
        if (fsr_picks_fold(k, inst))
            *own = stage[inst->arg[0]] + 1;
        stages = later(stages, *own + 1);
    }
    return stages;
}

fsr_fold_list fsr_kernel_chain(const fsr_kernel *k, int pass, const int *stage, int which) {
    fsr_fold_list list = {0};
    int loop[FSR_MAX_INSTS], n = fsr_kernel_pass_body(k, pass, loop);
    for (int i = 0; i < n; i++) {
        const fsr_inst *inst = &k->inst[loop[i]];
        if (inst->kind == FSR_INST_COMBINE && stage[loop[i]] == which && fsr_fold_is_ordered(&k->fold[inst->index]))
            list.fold[list.n++] = inst->index;
    }
    return list;
}

fsr_fold_list fsr_kernel_reductions(const fsr_kernel *k, int pass, bool free_only) {
    fsr_fold_list list = {0};
    for (int f = 0; f < k->nfolds; f++)
        if (k->fold[f].pass == pass && k->fold[f].kind == FSR_FOLD_REDUCE &&
            !(free_only && fsr_fold_is_ordered(&k->fold[f])))
            list.fold[list.n++] = f;
    return list;
}

int64_t fsr_board_entries(int64_t tiles) {
    return fsr_size_add(tiles, (tiles >> 5) + (tiles >> 10) + (tiles >> 15));
}

/* Bytes of one entry in `zero`: 8 or 16 if value and flag travel in one word, else 4 for the flag alone. */
static int flag_bytes(int64_t state_bytes) {
    return state_bytes <= 4 ? 8 : state_bytes <= 12 ? 16 : 4;
}

/* Bytes of one entry in `work`. */
static int64_t value_bytes(int64_t state_bytes) {
    return state_bytes <= 12 ? 0 : state_bytes;
}

int fsr_kernel_parameter_bytes(const fsr_kernel *k) {
    return 8 * (k->narrays + k->nints + 2) + (int)sizeof(fsr_value) * k->nscalars;
}

/* Rows of one block's tile under COL. */
static int64_t col_tile(const fsr_schedule *s) {
    return (int64_t)s->abreast * s->vector;
}

/* Indices of a block along dimension d. */
static int64_t block_extent(const fsr_kernel *k, int d) {
    const fsr_schedule *s = &k->schedule;
    const bool last = d == k->nparallel - 1;
    if (s->tile)
        return last ? fsr_square_breadth(s) : d == s->tiled ? s->tile : 1;
    if (last)
        return (int64_t)s->abreast * s->items;
    return d == s->across ? (int64_t)(s->threads / s->abreast) * s->tall : 1;
}

/* Tiles of outputs, or squares of a map, along each dimension by itself. */
static int64_t tiled_blocks(const fsr_kernel *k, const int64_t *integer) {
    int64_t blocks = 1;
    for (int d = 0; d < k->nparallel; d++) {
        const int64_t extent = integer[FSR_INT_EXTENT + d];
        const int64_t tile = block_extent(k, d);
        blocks = fsr_size_mul(blocks, fsr_ceil_div(extent, tile));
    }
    return blocks;
}

static int64_t map_blocks(const fsr_kernel *k, const int64_t *integer) {
    const fsr_schedule *s = &k->schedule;
    if (k->nests)
        return fsr_tiles_blocks(k, integer);
    if (s->tile)
        return tiled_blocks(k, integer);
    const int64_t each = s->ranges ? s->ranges : 1;
    const int64_t blocks = each * fsr_ceil_div(integer[FSR_INT_ROWS], (int64_t)s->threads * s->items);
    return s->bins && blocks > integer[FSR_INT_SPLITS] ? integer[FSR_INT_SPLITS] : blocks;
}

int64_t fsr_kernel_launched_bytes(const fsr_kernel *k) {
    const fsr_schedule *s = &k->schedule;
    return s->ranges  ? s->bins * (int64_t)fsr_dtype_size(k->inst[fsr_kernel_combining(k)].dtype)
           : s->slots ? s->slots * fsr_ring_slot_bytes(k)
                      : fsr_kernel_parked_bytes(k);
}

int fsr_kernel_threads(const fsr_kernel *k) {
    const fsr_schedule *s = &k->schedule;
    return s->threads + (s->slots ? s->writers + FSR_RING_WARPS * 32 : 0);
}

int64_t fsr_kernel_blocks(const fsr_kernel *k, const int64_t *integer) {
    const fsr_schedule *s = &k->schedule;
    int64_t rows = integer[FSR_INT_ROWS], splits = integer[FSR_INT_SPLITS];
    if (s->target == FSR_TARGET_CPU || rows <= 0)
        return 0;
    switch (s->kind) {
    case FSR_SCHEDULE_MAP: return map_blocks(k, integer);
    case FSR_SCHEDULE_ROW: return fsr_ceil_div(rows, s->threads / s->abreast);
    case FSR_SCHEDULE_COL:
        return s->tall ? tiled_blocks(k, integer) : fsr_size_mul(fsr_ceil_div(rows, col_tile(s)), splits);
    case FSR_SCHEDULE_SPLIT: return fsr_size_mul(rows, splits);
    case FSR_SCHEDULE_LOOKBACK:
        splits = s->members && s->members < splits ? s->members : splits;
        return fsr_size_mul(fsr_ceil_div(rows, s->abreast), splits);
    case FSR_SCHEDULE_TEAM: return fsr_size_mul(s->abreast, s->members ? s->members : splits);
    }
    return 0;
}

int64_t fsr_beside_shared_bytes(const fsr_kernel *k) {
    const fsr_schedule *s = &k->schedule;
    int stage[FSR_MAX_INSTS], stages = fsr_kernel_stages(k, 0, stage);
    const fsr_fold_list all = fsr_kernel_reductions(k, 0, false);
    int64_t bytes = 2 * s->threads * fsr_fold_list_bytes(k, &all) + 16 + (int64_t)sizeof(fsr_value) * k->nscalars;
    for (int i = 0; i < stages; i++) {
        const fsr_fold_list chain = fsr_kernel_chain(k, 0, stage, i);
        bytes += chain.n ? fsr_fold_list_bytes(k, &chain) * (s->threads + 4 * s->abreast) : 0;
    }
    return bytes;
}

/* Sums `of` over the boards of a LOOKBACK kernel. */
static int64_t boards(const fsr_kernel *k, const int64_t *integer, bool flags) {
    int stage[FSR_MAX_INSTS];
    int stages = fsr_kernel_stages(k, 0, stage);
    int64_t entries = fsr_size_mul(integer[FSR_INT_ROWS], fsr_board_entries(integer[FSR_INT_SPLITS])), sum = 0;
    for (int s = 0; s < stages; s++) {
        fsr_fold_list chain = fsr_kernel_chain(k, 0, stage, s);
        if (chain.n == 0)
            continue;
        int64_t state = fsr_fold_list_bytes(k, &chain);
        int64_t entry = flags ? flag_bytes(state) : value_bytes(state);
        sum = fsr_size_add(sum, fsr_round_up(fsr_size_mul(entries, entry), FSR_WORK_ALIGN));
    }
    return sum;
}

static int64_t cpu_work_bytes(const fsr_kernel *k, const int64_t *integer) {
    int64_t words = 0;
    if (k->nests)
        return integer[k->nests->bytes];
    for (int i = 0; i < k->ninsts; i++)
        words += fsr_inst_work_words(k, i);
    return fsr_size_mul(words, fsr_round_up(fsr_size_mul(integer[FSR_INT_COLS], 8), 64));
}

bool fsr_kernel_leaves_flags(const fsr_kernel *k) {
    return k->schedule.kind == FSR_SCHEDULE_LOOKBACK || k->schedule.kind == FSR_SCHEDULE_TEAM;
}

bool fsr_kernel_is_cooperative(const fsr_kernel *k) {
    return k->schedule.kind == FSR_SCHEDULE_TEAM || k->schedule.slots;
}

int64_t fsr_kernel_widest_state(const fsr_kernel *k) {
    int64_t widest = 0;
    for (int p = 0; p < k->npasses; p++) {
        fsr_fold_list all = fsr_kernel_reductions(k, p, false);
        int64_t bytes = fsr_fold_list_bytes(k, &all);
        widest = bytes > widest ? bytes : widest;
    }
    return widest;
}

int64_t fsr_team_count(int64_t rows, int64_t splits) {
    int64_t teams = FSR_TEAM_RESIDENTS * (int64_t)fsr_nominal_gpu.processors / (splits > 0 ? splits : 1);
    teams = teams < rows ? teams : rows;
    return teams > 0 ? teams : 1;
}

/* Two sets of partial states, used in turn: between two uses of a set lies a meeting that nobody passes before all
 * have read it. For as many teams as there may be on any machine: a plan's peak must not depend on it. */
static int64_t team_work_bytes(const fsr_kernel *k, const int64_t *integer) {
    int64_t set = fsr_round_up(fsr_size_mul(integer[FSR_INT_SPLITS], fsr_kernel_widest_state(k)), FSR_WORK_ALIGN);
    int64_t teams = fsr_team_count(integer[FSR_INT_ROWS], integer[FSR_INT_SPLITS]);
    return fsr_size_mul(2 * (teams > k->schedule.abreast ? teams : (int64_t)k->schedule.abreast), set);
}

int64_t fsr_kernel_work_bytes(const fsr_kernel *k, const int64_t *integer) {
    const fsr_schedule *s = &k->schedule;
    if (s->target == FSR_TARGET_CPU)
        return cpu_work_bytes(k, integer);
    if (s->kind == FSR_SCHEDULE_MAP || s->kind == FSR_SCHEDULE_ROW || s->slots || integer[FSR_INT_ROWS] <= 0)
        return 0;
    if (s->kind == FSR_SCHEDULE_TEAM)
        return team_work_bytes(k, integer);
    fsr_fold_list all = fsr_kernel_reductions(k, 0, false);
    int64_t states = fsr_size_mul(integer[FSR_INT_ROWS], integer[FSR_INT_SPLITS]);
    int64_t partial = all.n ? fsr_round_up(fsr_size_mul(states, fsr_fold_list_bytes(k, &all)), FSR_WORK_ALIGN) : 0;
    if (s->kind == FSR_SCHEDULE_COL && integer[FSR_INT_SPLITS] <= 1)
        return 0;
    return fsr_size_add(partial, s->kind == FSR_SCHEDULE_LOOKBACK ? boards(k, integer, false) : 0);
}

static int64_t tickets_bytes(int64_t n) {
    return fsr_round_up(fsr_size_mul(4, n), FSR_WORK_ALIGN);
}

int64_t fsr_kernel_zero_bytes(const fsr_kernel *k, const int64_t *integer) {
    const fsr_schedule *s = &k->schedule;
    int64_t rows = integer[FSR_INT_ROWS];
    if (s->target == FSR_TARGET_CPU || rows <= 0)
        return 0;
    switch (s->kind) {
    case FSR_SCHEDULE_SPLIT: return tickets_bytes(rows);
    case FSR_SCHEDULE_COL: return integer[FSR_INT_SPLITS] > 1 ? tickets_bytes(fsr_ceil_div(rows, col_tile(s))) : 0;
    case FSR_SCHEDULE_LOOKBACK:
        if (s->slots)
            return fsr_round_up(fsr_size_mul(8, integer[FSR_INT_SPLITS]), FSR_WORK_ALIGN);
        return fsr_size_add(tickets_bytes(fsr_size_add(1, fsr_kernel_reductions(k, 0, false).n ? rows : 0)),
                            boards(k, integer, true));
    case FSR_SCHEDULE_TEAM: return tickets_bytes(s->abreast);
    case FSR_SCHEDULE_MAP:
    case FSR_SCHEDULE_ROW: break;
    }
    return 0;
}
