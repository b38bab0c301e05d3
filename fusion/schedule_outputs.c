/* SPDX-License-Identifier: MIT */
/* Rules for register tiles, by sizes: which folds get one, along which dimension, and how large.
 *
 * Sums of broadcast products, and every fold like them: each output alone reads its operands from the caches at every
 * step, two loads for one multiplication; a tile of h x w outputs reads h + w elements for h * w steps.
 *
 * A CPU's tile is a line of 64 bytes wide, one vector of AVX-512, two of AVX2, four of NEON, and four to six outputs
 * tall: AVX2's 16 registers hold 12 accumulators, an element of the panel and a product. What the columns of the tile
 * read is copied into a panel, side by side in the order of the loop: once for all rows of the tile's column of
 * outputs. So a transposed operand costs its copy, and there is no other form for the tiles at the edge.
 *
 * Of up to eight rows a panel would serve one tile or two, and take longer to copy than they do: 8 rows of 1000 outputs
 * of 3000 columns, AVX2, in turn 2.8 ms with panels, 1.6 as one low tile of 64 outputs in each row, that reads four
 * columns at once as they lie in memory.
 *
 * A GPU's block has tiles of 128 x 128 outputs, 8 x 8 a thread, or, where there would be fewer than two of them for
 * each multiprocessor of the nominal machine, or a number is wider than 4 bytes, of 64 x 64, 4 x 4 a thread. Fewer than
 * half as many as multiprocessors leave the machine idle, and columns are split among blocks as in other folds. Which
 * tile it is changes no bit: in every one an output's columns fold in chunks, and the chunks in order. The depth that
 * docs/semantics.md allows a sum is so kept up to 65,536 columns.
 *
 * Measured, one thread of a Xeon, 960 x 1024 outputs of 1100 columns, 4, 6, 8 tall: AVX2 16, 20, 17, AVX-512 21, 22, 23
 * products and additions a ns, where outputs by themselves make 3. */
#include "fusion/address.h"
#include "fusion/outputs.h"
#include "fusion/schedule_parts.h"
#include "fusion/walk.h"

enum {
    LINE = 64,           /* bytes */
    TALL = 6,            /* most outputs of a thread along `across` */
    LEAST_TALL = 4,      /* fewest: a panel for two rows costs more than it spares */
    LEAST_WIDE = 8,      /* outputs along the last dimension */
    LEAST_COLS = 8,      /* columns: fewer are not worth a panel */
    MOST_COLS = 1 << 15, /* of a panel, which is then 2 MB for each load */
    LEAST_ROWS = 16,     /* that a panel which is copied with a stride serves */
    HEAVY = 24,          /* operations of an element next to which loads are nothing */
    LOW = 8,             /* most rows of a tile without a panel, all that there are, */
    LOW_LINES = 4,       /* which is so many lines wide */
    LOW_TURN = 4,        /* and takes so many columns at once; */
    LOW_WIDE = 128,      /* fewest outputs along the last dimension, */
    LOW_COLS = 64,       /* fewest columns, */
    LOW_BYTES = 1 << 20, /* of what panels would hold: copies within a near cache cost less than states that are read */
    LOW_ELEMENT = 8,     /* and most operations of an element: states are read and written for each turn */
    /* GPU */
    THREADS = 256,
    ACROSS = 16, /* threads of a block along each dimension of its tile */
    LARGE = 8,   /* outputs of a thread along each */
    SMALL = 4,
    LEAST_SIDE = 48, /* outputs along each dimension of a tile of 64 */
    DEPTH = 16,
    PAD = 4,
    CHUNK = 256,
    MOST_GPU_COLS = 1 << 16
};

/* Bytes of the widest number that a lane of the tile holds; 0: one that vectors do not hold. */
static int lane_bytes(const fsr_kernel *k) {
    int bytes = fsr_kernel_widest(k);
    for (int f = 0; f < k->nfolds; ++f)
        for (int c = 0; c < k->fold[f].combine->arity; ++c) {
            const fsr_dtype dtype = fsr_combine_dtype(k->fold[f].combine, c);
            if (fsr_dtype_is_complex(dtype))
                return 0;
            bytes = (int)fsr_dtype_size(dtype) > bytes ? (int)fsr_dtype_size(dtype) : bytes;
        }
    return bytes > 8 ? 0 : bytes;
}

static int states(const fsr_kernel *k) {
    int n = 0;
    for (int f = 0; f < k->nfolds; ++f)
        n += k->fold[f].combine->arity;
    return n;
}

static int cost(const fsr_kernel *k) {
    int sum = 0;
    for (int i = 0; i < k->ninsts; ++i)
        sum += k->stand[i].level == FSR_ELEM ? fsr_inst_cost(k, i) : 0;
    return sum;
}

/* Some load of the loop is read by all outputs in a column of the tile, and some by all in a row; and a panel that is
 * copied with a stride serves rows enough. */
static bool shares_loads(const fsr_group *group, int across) {
    const fsr_kernel *k = group->kernel;
    const int last = k->nparallel - 1;
    bool panel = false, rows = false;
    for (int i = 0; i < k->ninsts; ++i) {
        if (k->inst[i].kind != FSR_INST_LOAD || k->stand[i].level != FSR_ELEM)
            continue;
        const fsr_form f = fsr_form_of_access(k, group->kernel->integer, k->inst[i].index);
        if (!fsr_form_varies(&f, k->nparallel, k->ndim))
            continue;
        panel = panel || fsr_load_is_panel(k, i);
        rows = rows || fsr_form_varies(&f, across, across + 1);
        if (fsr_load_is_panel(k, i) && !fsr_form_is_adjacent(&f, last) && group->extent[across] < LEAST_ROWS)
            return false;
    }
    return panel && rows;
}

/* The dimension across which a tile pays, the longest; -1: none. */
static int across_of(const fsr_group *group) {
    const fsr_kernel *k = group->kernel;
    int best = -1;
    for (int d = 0; d < k->nparallel - 1; ++d)
        if (group->extent[d] >= LEAST_TALL && (best < 0 || group->extent[d] > group->extent[best]) &&
            fsr_kernel_may_tile(k, d) && shares_loads(group, d))
            best = d;
    return best;
}

/* As tall as leaves fewest rows of the last tile without an output. */
static int tall_of(int64_t rows, int most) {
    int best = rows < most ? (int)rows : most;
    for (int tall = best - 1; rows > most && tall >= LEAST_TALL; --tall)
        if (fsr_round_up(rows, tall) < fsr_round_up(rows, best))
            best = tall;
    return best;
}

/* The dimension across which outputs are tiled; -1: they are not. */
static int chosen(const fsr_group *group, int64_t most_cols) {
    const fsr_kernel *k = group->kernel;
    const int64_t cols = group->kernel->integer[FSR_INT_COLS];
    fsr_body body;
    if (k->npasses != 1 || k->nparallel < 2 || cols < LEAST_COLS || cols > most_cols || cost(k) > HEAVY ||
        group->extent[k->nparallel - 1] < LEAST_WIDE || !lane_bytes(k) || states(k) > 2)
        return -1;
    fsr_body_of(k, 0, &body);
    return fsr_body_is_phased(k, &body) ? -1 : across_of(group);
}

/* Marks the loads that a tile stages; none if `across` is negative. */
static bool stage(fsr_kernel *k, int across, bool (*is_staged)(const fsr_kernel *k, int number)) {
    k->schedule.across = across < 0 ? 0 : across;
    for (int i = 0; i < k->ninsts; ++i)
        k->stand[i].staged = across >= 0 && is_staged(k, i);
    return across >= 0;
}

static bool has_no_panel(const fsr_kernel *k, int number) {
    (void)k, (void)number;
    return false;
}

/* All rows are one low tile, whose columns are read as they lie in memory, beside their neighbours. */
static bool is_low(const fsr_group *group, int across) {
    const fsr_kernel *k = group->kernel;
    const int last = k->nparallel - 1;
    const double bytes = (double)group->extent[last] * (double)k->integer[FSR_INT_COLS] * lane_bytes(k);
    bool adjacent =
        group->extent[across] <= LOW && group->extent[last] >= LOW_WIDE && bytes >= LOW_BYTES && states(k) == 1;
    for (int i = 0; i < k->ninsts; ++i) {
        const fsr_form f =
            fsr_load_is_panel(k, i) ? fsr_form_of_access(k, group->kernel->integer, k->inst[i].index) : (fsr_form){0};
        adjacent = adjacent && (!fsr_load_is_panel(k, i) || fsr_form_is_adjacent(&f, last));
    }
    return adjacent && cost(k) <= LOW_ELEMENT && k->integer[FSR_INT_COLS] >= LOW_COLS && fsr_kernel_may_unroll(k);
}

bool fsr_choose_outputs(fsr_group *group) {
    fsr_kernel *k = group->kernel;
    const int across = chosen(group, MOST_COLS);
    if (!stage(k, across, fsr_load_is_panel))
        return false;
    k->schedule.kind = FSR_SCHEDULE_COL;
    k->schedule.abreast = LINE / lane_bytes(k);
    k->schedule.tall = tall_of(group->extent[across], TALL / states(k));
    if (is_low(group, across)) {
        stage(k, across, has_no_panel);
        k->schedule.abreast *= LOW_LINES;
        k->schedule.tall = (int)group->extent[across];
        k->schedule.unroll = LOW_TURN;
    }
    return true;
}

/* ---- a GPU ---------------------------------------------------------------------------------------------- */

/* A value of the rows that the columns read moves along both dimensions of the tile: a register for each output. */
static bool holds_planes(const fsr_kernel *k, int across) {
    for (int i = 0; i < k->ninsts; ++i) {
        int argument[FSR_MAX_ARGUMENTS], n = fsr_inst_arguments(k, i, argument);
        for (int a = 0; k->stand[i].level == FSR_ELEM && a < n; ++a)
            if (k->stand[argument[a]].level == FSR_ROW && fsr_tile_value_moves(k, argument[a], across) &&
                fsr_tile_value_moves(k, argument[a], k->nparallel - 1))
                return true;
    }
    return false;
}

/* Blocks of tiles with so many outputs a thread along each side. */
static int64_t tiles(const fsr_group *group, int across, int outputs) {
    const int last = group->kernel->nparallel - 1;
    int64_t blocks = 1;
    for (int d = 0; d <= last; ++d)
        blocks = fsr_size_mul(blocks, fsr_ceil_div(group->extent[d], d == last || d == across ? ACROSS * outputs : 1));
    return blocks;
}

static bool fills_tiles(const fsr_group *group, int across) {
    return group->extent[across] >= LEAST_SIDE && group->extent[group->kernel->nparallel - 1] >= LEAST_SIDE &&
           tiles(group, across, SMALL) >= fsr_nominal_gpu.processors / 2;
}

bool fsr_outputs_tile(const fsr_group *group, bool gpu) {
    const int across = chosen(group, gpu ? MOST_GPU_COLS : MOST_COLS);
    return across >= 0 && (!gpu || fills_tiles(group, across));
}

/* Tiles of so many outputs a thread along each side. False: what they stage does not lie in shared memory. */
static bool set_tile(fsr_kernel *k, int outputs) {
    fsr_schedule *s = &k->schedule;
    s->kind = FSR_SCHEDULE_COL;
    s->threads = THREADS;
    s->abreast = ACROSS;
    s->items = s->tall = outputs;
    s->vector = 16 / lane_bytes(k) < SMALL ? 16 / lane_bytes(k) : SMALL;
    s->depth = DEPTH;
    s->pad = PAD;
    s->chunk = CHUNK;
    return fsr_tile_shared_bytes(k) <= FSR_SHARED_BYTES;
}

bool fsr_choose_gpu_outputs(fsr_group *group) {
    fsr_kernel *k = group->kernel;
    const fsr_schedule before = k->schedule;
    int across = chosen(group, MOST_GPU_COLS);
    if (across >= 0 && !fills_tiles(group, across))
        across = -1;
    if (!stage(k, across, fsr_load_is_tiled))
        return false;
    const bool large = lane_bytes(k) <= 4 && states(k) == 1 && !holds_planes(k, across) &&
                       tiles(group, across, LARGE) >= 2 * fsr_nominal_gpu.processors;
    if ((large && set_tile(k, LARGE)) || set_tile(k, SMALL))
        return true;
    k->schedule = before;
    return stage(k, -1, fsr_load_is_tiled);
}
