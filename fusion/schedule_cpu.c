/* SPDX-License-Identifier: MIT */
/* The schedule rules for a CPU, whose threads each do rows, or parts of rows, by themselves.
 *
 * By sizes: rows or columns, accumulators, chunks, what is kept between passes. Then, from the kernel alone, its loops:
 * whether a map is one loop, or squares where an access runs along another dimension than the last; the form of each
 * pass's loop and columns of a part (schedule_walks.c); which operators are functions. */
#include "fusion/filter.h"
#include "fusion/launch_shape.h"
#include "fusion/schedule_parts.h"
#include "fusion/square.h"
#include "fusion/walk.h"

enum {
    HEAVY_ELEMENT = 24, /* operations of an element that is work itself */
    NARROW = 8,         /* fewer adjacent rows than are worth a loop of their own: the three channels of a photograph
                           are three rows, each read with a stride */
    UNROLL = 4,         /* columns in one turn of a loop over rows, */
    LIGHT_ELEMENT = 8,  /* of elements of no more operations than this, */
    LONG = 64,          /* where there are so many columns */
    SHORT = 16,         /* columns of a row that are better taken one after the other, each for many rows */
    MANY = 64,          /* columns of such rows, of all together, that are worth a loop */
    BRIEF = 32,         /* fewer turns of the innermost loop are not worth loops one after the other */
    GROUP = 128,        /* rows of the inner loop, by columns */
    STATE = 4,          /* bytes of a row's states with which there are twice as many */
    LONG_GROUP = 1024,  /* where rows lie side by side in memory and are gone over once, */
    FEW_ROWS = 8,       /* of a sequence that each row is in its own piece of memory */
    GATHERED = 512,     /* and where something is gathered: what has been stored last is waited for less often */
    FEWEST_ROWS = 32,   /* of short ones */
    CHUNK_STATES = 4,   /* states of a fold by columns: its result, its chunk, chunks that wait */
    GROUP_BYTES = 32 << 10, /* and what there is of each is no more than this */
    NEAR_BYTES = 8 << 10,   /* what a block of short rows along memory has of them */
    KEPT_BYTES = 256 << 10,
    AGAIN_BYTES = 1 << 20, /* of one f32 array that a block's passes read and one that they write, in a second cache */
    PAGES = 64,            /* of columns and arrays, each of which has one: of more few are known */
    STRIP = 512,
    BLOCK = 16,
    TILE = 32,
    WIDE = 256,     /* elements of a tile's rows beside which others are read: seed 20026, 34 ms with 32, 13 with 256 */
    LINE_SIDE = 16, /* rows of a square that is turned, a line of memory or two of each of what lies across, */
    SQUARE_SIDE = 64,   /* or four, */
    SQUARE = 128,       /* elements of such rows, of 8 bytes of what is turned, */
    NARROW_SQUARE = 64, /* of more, */
    WIDE_SQUARE = 256,  /* of fewer */
    MOST_GUARDED = 32,  /* bytes an element of loads that turn, of which some are guarded, */
    MOST_TURNED = 256,  /* and of any: of a square the verifier's bound */
    LEAST_SIDE = 16,    /* where there are as many in either direction */
    RUN = 1024,         /* columns asked at once for arguments beyond a limit */
    PAST = 256,         /* elements of a run whose results pass the caches by: 1024 take the reads' place there */
    LONG_OPERATOR = 3,  /* operations from which on an operator is worth a call where it is not evaluated for each
                             column */
    LONG_LEVEL = 8,     /* lanes from which on a tree of such has loops of its own for halves */
    TURN_BYTES = 128    /* of the widest number of a loop's program: elements that are run side by side */
};

/* ---- by sizes ------------------------------------------------------------------------------------------ */

/* Some reduction folds a chunk with one accumulator although it might take several: down a column, or beside a scan or
 * loops, which go by strips. */
static bool one_accumulator(const fsr_kernel *k) {
    bool any = false;
    for (int i = 0; i < k->nfolds; ++i)
        any = any || !fsr_fold_is_ordered(&k->fold[i]);
    return any && (k->schedule.kind == FSR_SCHEDULE_COL || fsr_kernel_has_scan(k) || fsr_kernel_has_loops(k));
}

/* Four vectors of 64 bytes hide an addition's latency. Two are enough where an element is work itself, and compile in
 * half the time; short rows end in fewer columns left over. */
static int lanes_of(const fsr_group *group) {
    const fsr_kernel *k = group->kernel;
    int cost = 0, lanes = 256 / fsr_kernel_widest(k);
    for (int i = 0; i < k->ninsts; ++i)
        cost += fsr_inst_cost(k, i);
    if (cost > HEAVY_ELEMENT)
        lanes /= 2;
    while (lanes > 8 && group->kernel->integer[FSR_INT_COLS] < 4 * lanes)
        lanes /= 2;
    return lanes;
}

/* Arrays of which each column has elements of its own. */
static int column_arrays(const fsr_kernel *k) {
    uint64_t arrays = 0;
    for (int i = 0; i < k->ninsts; ++i)
        if ((k->inst[i].kind == FSR_INST_LOAD || k->inst[i].kind == FSR_INST_STORE) && k->stand[i].level == FSR_ELEM)
            arrays |= UINT64_C(1) << k->access[k->inst[i].index].buffer;
    return __builtin_popcountll(arrays);
}

/* Passes over columns that ask for nothing but what lies there: one; or several, where a second cache holds what blocks
 * of so many rows have read, or where no cache holds what blocks of any number have. Of few columns a first cache holds
 * small blocks, but for many arrays: 87,196 columns of 21 less their means by their deviations, in five arrays, took
 * 4.6 ms by 128 rows and 3.4 by 256 (seed 1508759, two threads of a Xeon); in two 0.67 and 0.80. */
static bool is_sweeps(const fsr_kernel *k, int rows) {
    const int64_t cols = k->integer[FSR_INT_COLS];
    const bool held = cols * column_arrays(k) >= PAGES && fsr_size_mul(8 * rows, cols) <= AGAIN_BYTES;
    bool plain = (k->npasses == 1 || held || fsr_size_mul(8 * GROUP, cols) > KEPT_BYTES) && !k->nloops;
    for (int f = 0; f < k->nforms; ++f)
        plain = plain && !k->form[f].nterms;
    return plain;
}

/* Rows of a block of short rows along memory, of which each column takes an element of every line: all of them are near
 * until the last column has come. Counter-example to as many as elsewhere: running sums of rows of 16 and a sine of
 * them, four arrays, took 3.7, 2.8, 2.7 and 2.4 ms by 256, 128, 64 and 16 rows (seed 920473). */
static int near_rows(const fsr_kernel *k, int rows) {
    int64_t bytes = 0;
    if (k->integer[FSR_INT_COLS] > SHORT || (k->npasses == 1 && fsr_columns_lie_beside(k)))
        return rows;
    for (int a = 0; a < k->narrays; ++a)
        bytes += k->integer[FSR_INT_COLS] * (int64_t)fsr_dtype_size(k->array[a].dtype);
    while (rows > FEWEST_ROWS && rows * bytes > NEAR_BYTES)
        rows /= 2;
    return rows;
}

/* Something is loaded at a place that is computed for each element: by stages, which loops of few rows have not. */
static bool gathers(const fsr_kernel *k) {
    fsr_body body;
    bool any = false;
    for (int pass = 0; pass < k->npasses && !any; ++pass, any = fsr_body_gathers(k, &body))
        fsr_body_of(k, pass, &body);
    return any;
}

/* A column of a block is a run of memory, in a page that the columns beside it do not touch: of four arrays 512 bytes
 * each took 1.7 times as long as 1024. But states are on the stack, twice as much of it where one block has all rows,
 * and what a second pass reads again shall be in the cache. A sequence goes through memory with as little work:
 * elimination of 4000 systems of 500 rows took 42, 17 and 12 ms by 128, 512 and 1024 rows; so does a fold in one pass
 * of rows that lie side by side (`side`): a transposed matrix of 1900 by 2100 times a vector took 0.97, 0.94 and 0.76
 * ms by 256, 512 and 1024, and 69,369 columns of 64 rows less their means by their deviations 11.5, 6.3 and 6.7 ms by
 * 128, 256 and 512, and 20,000 columns of 200 less their means 6.3, 3.9, 3.2 and 3.4 by 128 to 1024. Of sequences
 * along rows of memory (`apart`) each row is a stream of its own: a near cache holds a few. A filter of 1024 rows of
 * 1024 f32 took 14.8, 9.4 and 4.1 ms by 1024, 16 and 8, of 1000 of 1100 2.1, 0.57 and 0.60. A load at a computed place
 * seems to lie where one of the last stores went, as far as twelve bits of an address say, and waits for it: means of
 * two rows of 1598 that are gathered, and what is computed of them, took 37, 21 and 15 ms by 128, 256 and 512. */
static int group_of(const fsr_kernel *k, bool side, bool apart) {
    const bool sequence = fsr_kernel_has_sequence(k);
    if (sequence && apart && k->integer[FSR_INT_COLS] >= LONG)
        return FEW_ROWS;
    int64_t bytes = 0, held = 0, beside = k->integer[FSR_INT_EXTENT + k->nparallel - 1];
    for (int i = 0; i < k->nfolds; ++i)
        bytes += fsr_fold_element_bytes(&k->fold[i]);
    for (int i = 0; i < k->ninsts; ++i)
        held += k->stand[i].level == FSR_ROW ? (int64_t)fsr_dtype_size(k->inst[i].dtype) : 0;
    held = sequence ? bytes : CHUNK_STATES * bytes + held;
    for (int rows = LONG_GROUP; rows > GROUP && (sequence || side); rows /= 2)
        if ((sequence || is_sweeps(k, rows)) &&
            rows * held <= (rows / 2 < beside && beside <= rows ? 2 : 1) * GROUP_BYTES)
            return rows;
    if (gathers(k) && GATHERED * held <= GROUP_BYTES)
        return GATHERED;
    return k->npasses == 1 && bytes <= STATE && !k->nguards ? 2 * GROUP : GROUP;
}

static int count_kept(const fsr_kernel *k) {
    int n = 0;
    for (int i = 0; i < k->ninsts; ++i)
        n += fsr_inst_crosses(k, i);
    return n;
}

/* So few columns that a loop over them is mostly its own beginning and end, and enough adjacent rows for an inner
 * loop: more than of columns, where these are of several dimensions. Counter-example to asking for many rows always:
 * the greatest exponential of each 2 by 2 of a picture of 4 channels took 32 ms by rows and takes 4.8 along the
 * channels. Scans too: running sums of 2^22 f32 in rows of 3 took 89 ms in strips, and take 8; in rows of 16 23 and 8,
 * of 32 9.7 and 14. And windows that slide go side by side. Nor are few adjacent rows, of few columns, where all of
 * these lie beside each other: running sums of 20,000 by 8 of rows of 8 took 7.2 ms in strips and take 0.7. */
static bool rows_are_short(const fsr_group *group) {
    const fsr_kernel *k = group->kernel;
    if (k->nparallel == 0 || fsr_kernel_has_loops(k))
        return false;
    const int64_t adjacent = group->extent[k->nparallel - 1], run = group->extent[k->ndim - 1];
    const bool brief = k->integer[FSR_INT_COLS] <= SHORT;
    const bool many = brief && fsr_size_mul(adjacent, k->integer[FSR_INT_COLS]) >= MANY;
    const bool beside = (many || k->ndim - k->nparallel > 1 || fsr_kernel_has_scan(k)) &&
                        (adjacent >= BRIEF || !gathers(k)) && fsr_columns_lie_beside(k);
    if (!brief)
        return fsr_group_slides(group) || beside;
    return adjacent >= BRIEF || (k->ndim - k->nparallel > 1 && run < NARROW && adjacent > run) || beside;
}

/* Later passes read a row again where they read it first, which is as near as a copy of it would be, and no store: of
 * A^T (A x) of 1900 by 2100 a row, its copy, x and the sums do not fit into 32 KB, 0.70 ms for 0.56. */
static void keep(fsr_kernel *k) {
    fsr_schedule_keep(k);
    for (int i = 0; i < k->ninsts; ++i) {
        const fsr_inst *inst = &k->inst[i];
        const bool again = inst->kind == FSR_INST_LOAD && !inst->guard && fsr_dtype_size(inst->dtype) >= 4 &&
                           k->access[inst->index].linear;
        k->stand[i].keep = k->stand[i].keep && !again;
    }
}

/* A filter stays one where a loop goes along the columns of one row, in one pass. */
static bool compacts(const fsr_kernel *k) {
    return k->schedule.kind == FSR_SCHEDULE_ROW && k->ndim == 1 && k->npasses == 1;
}

/* Rows side by side that are so few that each is better read with a stride, in lanes or strips, which are vector code.
 * Counter-example to all that are few: running sums of these in strips take each element up six times, and the next row
 * comes through memory again. Down 100,000 by 3 f32 they took 0.48 ms of one thread and 0.34 of two, 0.12 all three
 * in one loop. A loop over so few is no vector code: what has functions or guards stays in strips. */
static bool is_narrow(const fsr_group *group) {
    const fsr_kernel *k = group->kernel;
    fsr_body body;
    if (group->extent[k->nparallel - 1] >= NARROW)
        return false;
    fsr_body_of(k, 0, &body);
    return !fsr_kernel_has_scan(k) || k->npasses > 1 || k->nguards || fsr_body_has_function(k, &body) ||
           fsr_body_gathers(k, &body);
}

bool fsr_schedule_cpu(fsr_group *group) {
    fsr_kernel *k = group->kernel;
    fsr_schedule *s = &k->schedule;
    fsr_orientation orientation = fsr_group_orientation(group);
    if (orientation == FSR_ORIENT_COLS && (is_narrow(group) || fsr_kernel_has_loops(k)))
        orientation = FSR_ORIENT_ROWS;
    const bool side = orientation == FSR_ORIENT_COLS;
    const bool apart = fsr_group_orientation(group) == FSR_ORIENT_ROWS;
    if (orientation == FSR_ORIENT_ROWS && rows_are_short(group))
        orientation = FSR_ORIENT_COLS;
    if (fsr_kernel_has_sequence(k))
        orientation = FSR_ORIENT_COLS;
    s->kind = orientation == FSR_ORIENT_NONE   ? FSR_SCHEDULE_MAP
              : orientation == FSR_ORIENT_ROWS ? FSR_SCHEDULE_ROW
                                               : FSR_SCHEDULE_COL;
    const bool placed = compacts(k) || fsr_kernel_place_filters(k);
    if (!fsr_choose_outputs(group))
        s->abreast = s->kind == FSR_SCHEDULE_COL ? group_of(k, side, apart) : 1;
    if (s->kind == FSR_SCHEDULE_COL && !s->tall && apart)
        s->abreast = near_rows(k, s->abreast);
    s->brief = k->ndim == 0 || group->extent[s->kind == FSR_SCHEDULE_COL ? k->nparallel - 1 : k->ndim - 1] < BRIEF;
    s->lanes = lanes_of(group);
    s->chunk = one_accumulator(k) ? 512 : 4096; /* the depth of a sum, docs/semantics.md */
    fsr_choose_versions(group);
    int64_t kept = fsr_size_mul(8 * (int64_t)count_kept(k), group->kernel->integer[FSR_INT_COLS]);
    if (s->kind == FSR_SCHEDULE_ROW && k->npasses > 1 && kept <= KEPT_BYTES)
        keep(k);
    return placed;
}

/* In a near cache: from a second one what a pass reads again comes slower, and counts as moved. Counter-example to the
 * limit of is_sweeps: 200 columns less their means took 3.2 ms in blocks of 512, and 1.9 in two kernels. */
bool fsr_block_is_cached(const fsr_kernel *k, const int64_t *integer) {
    const fsr_schedule *s = &k->schedule;
    const int64_t abreast = s->kind == FSR_SCHEDULE_COL ? s->abreast : 1;
    return s->target == FSR_TARGET_CPU && s->kind != FSR_SCHEDULE_MAP &&
           fsr_size_mul(8 * abreast, integer[FSR_INT_COLS]) <= KEPT_BYTES;
}

/* ---- loops of a map ------------------------------------------------------------------------------------- */

/* The dimension along which an access that strides along the last one is contiguous, or each second element is read: -1
 * if there is none. */
static int tiled_dimension(const fsr_kernel *k) {
    int last = k->ndim - 1;
    for (int a = 0; a < k->naccesses; ++a)
        for (int d = 0; d < last && !k->access[a].linear && !k->access[a].row_linear; ++d) {
            const fsr_stride_kind down = fsr_access_form(k, a)->stride[d];
            if (fsr_access_form(k, a)->stride[last] == FSR_STRIDE_VAR &&
                (down == FSR_STRIDE_ONE || down == FSR_STRIDE_KNOWN))
                return d;
        }
    return -1;
}

/* Loads along the last dimension, which short rows of squares would tear into pieces of two lines, no streams. */
static bool reads_along(const fsr_kernel *k) {
    bool any = false;
    for (int i = 0; i < k->ninsts; ++i)
        any = any || (k->inst[i].kind == FSR_INST_LOAD &&
                      (k->access[k->inst[i].index].linear ||
                       fsr_access_form(k, k->inst[i].index)->stride[k->ndim - 1] == FSR_STRIDE_ONE));
    return any;
}

/* Where no fewer loads would be turned than there are stores, the stores turn. Counter-example to loads that turn,
 * however many there are: those of a square begin in as many pages each; (x + y).T of 1000 by 1024 took 0.9 ms, 0.75 in
 * two kernels, and 0.6 so, 2 * x.T of 3000 by 300 0.45 and 0.3 (one thread of a Zen 3, AVX2). */
static bool stores_turn(const fsr_kernel *k, size_t *bytes) {
    int stores = 0, loads = 0;
    for (int i = 0; i < k->ninsts; ++i) {
        const bool store = k->inst[i].kind == FSR_INST_STORE;
        stores += store;
        loads += fsr_load_is_turned(k, i, k->schedule.tiled);
        *bytes += store ? fsr_accessed_bytes(k, &k->inst[i]) : 0;
    }
    return loads >= stores && *bytes <= MOST_TURNED && fsr_kernel_may_turn_stores(k);
}

/* Loads that are turned before a square's rows are done, and bytes of them an element: those without a guard, then
 * others while a second cache holds what is turned. */
static size_t stage_loads(fsr_kernel *k) {
    size_t bytes = 0;
    for (int guarded = 0; guarded < 2; ++guarded)
        for (int i = 0; i < k->ninsts; ++i) {
            const bool may = fsr_load_may_be_squared(k, i) && (fsr_inst_guard(&k->inst[i]) >= 0) == guarded;
            const size_t own = may ? fsr_accessed_bytes(k, &k->inst[i]) : 0;
            if (!may || bytes + own > (guarded ? MOST_GUARDED : MOST_TURNED))
                continue;
            k->stand[i].staged = true;
            bytes += own;
        }
    return bytes;
}

/* Of loads that turn, each row that is read is four lines of memory, one behind the other. Counter-example to one line:
 * each asks for a page by itself; y * y.T of 3000 by 3000 took 19 ms in rows of 16, and 9.5 (one thread of a Zen 3). Of
 * many loads a second cache holds no more than a line of each. */
static void size_squares(fsr_schedule *s, size_t bytes) {
    s->tile = bytes > MOST_GUARDED ? LINE_SIDE : SQUARE_SIDE;
    s->breadth = bytes < 8 ? WIDE_SQUARE : bytes == 8 || bytes > MOST_GUARDED ? SQUARE : NARROW_SQUARE;
}

/* What is stored turned of a square stays in the first cache, of one result of four bytes or of a few. Counter-example
 * to short sides: three rows of 500,000 f64, transposed, took 6 ms for 0.9. */
static void finish_squares(fsr_kernel *k) {
    const int64_t *extent = k->integer + FSR_INT_EXTENT;
    fsr_schedule *s = &k->schedule;
    const bool large = s->tile && extent[s->tiled] >= LEAST_SIDE && extent[k->ndim - 1] >= LEAST_SIDE;
    size_t stored = 0;
    for (int i = 0; i < k->ninsts && s->kind == FSR_SCHEDULE_MAP; ++i)
        k->stand[i].staged = false;
    s->turned = large && stores_turn(k, &stored);
    if (!large)
        return;
    const size_t bytes = s->turned ? 0 : stage_loads(k);
    if (bytes)
        size_squares(s, bytes);
    if (s->turned) {
        s->tile = stored >= 8 ? SQUARE : WIDE_SQUARE;
        s->breadth = LINE_SIDE;
    }
}

static void finish_map(fsr_kernel *k) {
    fsr_schedule *s = &k->schedule;
    int tiled = s->kind == FSR_SCHEDULE_MAP ? tiled_dimension(k) : -1;
    s->flat = fsr_kernel_may_be_flat(k);
    s->tile = !s->flat && tiled >= 0 ? TILE : 0;
    s->tiled = s->tile ? tiled : 0;
    s->breadth = s->tile && reads_along(k) ? WIDE : 0;
    finish_squares(k);
    s->panel = s->kind == FSR_SCHEDULE_MAP && k->ndim > 1 && !s->flat && !s->tile ? fsr_panel_of(k) : 0;
}

/* Reading states and writing them is much of what is done for each column where an element is little work. */
static int unroll_of(const fsr_kernel *k) {
    int cost = 0;
    for (int i = 0; i < k->ninsts; ++i)
        cost += k->stand[i].level == FSR_ELEM ? fsr_inst_cost(k, i) : 0;
    return cost <= LIGHT_ELEMENT && k->integer[FSR_INT_COLS] >= LONG && fsr_kernel_may_unroll(k) ? UNROLL : 0;
}

/* A function that is evaluated for each row of a block has a limit. */
static bool rows_are_limited(const fsr_kernel *k) {
    int order[FSR_MAX_INSTS];
    for (int pass = 0; pass <= k->npasses && k->schedule.kind == FSR_SCHEDULE_COL && !k->schedule.tall; ++pass)
        for (int i = fsr_kernel_rows(k, pass, order) - 1; i >= 0; --i)
            if (fsr_inst_is_limited(&k->inst[order[i]]))
                return true;
    return false;
}

/* Lengths of what there is. */
static void finish_lengths(fsr_kernel *k) {
    fsr_schedule *s = &k->schedule;
    bool strips = false, runs = s->cut_steps;
    for (int pass = 0; pass < k->npasses || pass == 0; ++pass) {
        const fsr_walk *walk = &s->walk[pass];
        strips = strips || walk->form == FSR_WALK_PAIRS || fsr_walk_is_staged(walk);
        runs = runs || walk->form == FSR_WALK_RUNS;
    }
    strips = strips || s->fold_walk.form == FSR_WALK_PAIRS || fsr_walk_is_staged(&s->fold_walk);
    s->strip = strips ? STRIP : 0;
    s->block = fsr_kernel_has_scan(k) && s->kind == FSR_SCHEDULE_ROW ? BLOCK : 0;
    s->run = runs ? RUN : 0;
    s->past = runs && s->streams ? PAST : 0;
}

/* ---- operators and programs -------------------------------------------------------------------------------- */

static bool is_long(const fsr_combine *c) {
    return fsr_region_ops(&c->body) >= LONG_OPERATOR;
}

/* Elements of a loop that run side by side: vectors of a few, and no more than there are. Counter-example to lanes for
 * nobody: a check sum of bytes, one element, took six times as long with sixteen. */
static int turns_of(const fsr_kernel *k, const fsr_iteration *program) {
    const int64_t elements = fsr_size_mul(k->integer[FSR_INT_ROWS], k->integer[FSR_INT_COLS]);
    int lanes = TURN_BYTES / fsr_iteration_widest(program);
    while (lanes > 1 && lanes / 2 >= elements)
        lanes /= 2;
    return lanes;
}

/* What is left over of lanes goes into them one by one. */
static bool leaves_elements(const fsr_kernel *k) {
    bool any = false;
    for (int pass = 0; pass < k->npasses; ++pass)
        any = any || (k->schedule.walk[pass].form == FSR_WALK_LANES && !k->schedule.walk[pass].asked);
    return any && k->integer[FSR_INT_EXTENT + k->ndim - 1] % k->schedule.lanes;
}

/* A sum of f32 in a scan is carried as an f64: what comes before a block or a part has another association than the
 * elements themselves. By columns there is no need: nothing is folded twice there.
 *
 * Of a short operator each half of a tree of lanes is vector code. Counter-example to one loop for the last eight,
 * which kept a compiler's work small: beside the rest of a row it was a quarter of sums of products of 256 f32, 0.092
 * ms of 4096 rows for 0.072. A long one is a call there. */
static void finish_operators(fsr_kernel *k) {
    fsr_schedule *s = &k->schedule;
    s->joined = s->widened = 0;
    for (int f = 0; f < k->nfolds && s->kind != FSR_SCHEDULE_COL; ++f) {
        s->joined |= is_long(k->fold[f].combine) ? 1u << f : 0;
        s->widened |= fsr_fold_may_widen(&k->fold[f]) ? 1u << f : 0;
    }
    s->level = s->joined || (s->lanes <= LONG_LEVEL && leaves_elements(k)) ? LONG_LEVEL : FSR_USUAL_LEVEL;
    for (int l = 0; l < FSR_MAX_LOOPS; ++l)
        s->turns[l] = 0;
    for (int i = 0; i < k->ninsts; ++i)
        if (k->inst[i].kind == FSR_INST_ITERATE && fsr_inst_is_element(k, i))
            s->turns[k->inst[i].index] = turns_of(k, k->loop[k->inst[i].index].program);
}

/* Elements of one or two bytes with a stride: gathered into vectors one by one, they make the compiler's work and the
 * code several times as large as the loop's. */
static void finish_gathers(fsr_kernel *k) {
    bool lanes = k->schedule.fold_walk.form == FSR_WALK_LANES;
    for (int pass = 0; pass < k->npasses; ++pass)
        lanes = lanes || k->schedule.walk[pass].form == FSR_WALK_LANES;
    for (int i = 0; i < k->ninsts; ++i)
        k->stand[i].gathered = lanes && fsr_load_may_gather(k, i) && fsr_dtype_size(k->inst[i].dtype) <= 2;
}

/* Kept values stand in room for one row. */
static void finish_group(fsr_kernel *k) {
    for (int i = 0; i < k->ninsts; ++i)
        if (k->stand[i].keep)
            k->schedule.abreast = 1;
}

/* A loop is taken for a few turns of its program: enough for another thread to pay early. */
enum { LIKELY_TURNS = 16 };

/* Elements of an array that lie apart are lines of memory for what others take of one. Counter-example to one operation
 * each: a column of 133,333 rows of 3, copied in 0.11 ms, was work for one thread, and all three columns for two. */
enum { APART = 4 };

static bool lies_apart(const fsr_kernel *k, int number) {
    const fsr_inst *inst = &k->inst[number];
    const int d = fsr_kernel_inner(k);
    if ((inst->kind != FSR_INST_LOAD && inst->kind != FSR_INST_STORE) || d < 0 || k->access[inst->index].linear)
        return false;
    return fsr_access_form(k, inst->index)->stride[d] > FSR_STRIDE_ONE;
}

static int work_of(const fsr_kernel *k) {
    uint64_t apart = 0;
    int cost = 0;
    for (int i = 0; i < k->ninsts; ++i) {
        cost += 1 + fsr_inst_cost(k, i) / 2;
        apart |= lies_apart(k, i) ? UINT64_C(1) << k->access[k->inst[i].index].buffer : 0;
    }
    cost += APART * __builtin_popcountll(apart);
    for (int l = 0; l < k->nloops; ++l) {
        const fsr_region *r = &k->loop[l].program->body;
        for (int i = 0; i < r->ninsts; ++i)
            if (r->inst[i].kind == FSR_INST_OP)
                cost += LIKELY_TURNS * (1 + fsr_op_get(r->inst[i].op)->cost / 2);
    }
    return cost;
}

/* Loops of so few turns that vectors of 64 bytes leave half a vector of 32 over, one by one: there is one vector of
 * half that length behind the longest ones, and none behind it. Counter-example to vectors as long as there are: of
 * rows of 14 f32 six elements of each were computed by themselves, a logarithm and an exponential 27.7 ns a row for
 * 16.3 (seed 961081). Nothing changes where no vector is longer than 32 bytes. */
static bool leaves_more_over(const fsr_kernel *k) {
    enum { FEW = 32, HALF = 8 };
    const fsr_schedule *s = &k->schedule;
    const int d = fsr_kernel_inner(k);
    if (d < 0 || s->kind == FSR_SCHEDULE_ROW || s->flat || s->together || s->tall || s->beside || s->tile)
        return false;
    const int64_t turns = k->integer[FSR_INT_EXTENT + d];
    return turns < FEW && turns % HALF >= HALF / 2;
}

void fsr_finish_cpu(fsr_kernel *k) {
    k->schedule.work = work_of(k);
    k->schedule.pair_level = FSR_USUAL_PAIR_LEVEL;
    k->schedule.line = FSR_USUAL_LINE;
    finish_group(k);
    finish_map(k);
    fsr_finish_walks(k);
    k->schedule.row_near = rows_are_limited(k);
    fsr_finish_versions(k);
    if (!k->schedule.tall)
        k->schedule.unroll = unroll_of(k);
    fsr_finish_beside(k);
    fsr_finish_few(k);
    fsr_finish_ahead(k);
    fsr_finish_fetched(k);
    fsr_finish_coming(k);
    finish_lengths(k);
    finish_operators(k);
    finish_gathers(k);
    fsr_finish_twins(k);
    k->schedule.halved = leaves_more_over(k);
}
