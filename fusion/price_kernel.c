/* SPDX-License-Identifier: MIT */
/* The price of a lowered kernel as it would be scheduled: what its operations, its loads and its bytes cost.
 *
 * Each pass goes over its loop, each version of it for the elements where that runs. Arrays that are larger than a near
 * cache and lie across the loop's direction, where others lie along it, cost lines of memory; of lines of which every
 * n-th element is touched all of it moves. Nests of one kernel are in its loop: what they hand on moves nowhere.
 *
 * Counter-example to two formulas, one for maps and one for folds: a kernel would be compared with its parts, of which
 * some are the one and some the other. */
#include "fusion/address.h"
#include "fusion/launch_shape.h"
#include "fusion/nest.h"
#include "fusion/price.h"
#include "fusion/schedule.h"
#include "fusion/schedule_gpu.h"
#include "fusion/schedule_parts.h"
#include "fusion/version_cells.h"
#include "fusion/walk.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

int fsr_price_direction(const fsr_prices *prices, const fsr_kernel *k, const fsr_form *f, int access, int inner) {
    const double bytes = (double)fsr_form_count(f) * (double)fsr_dtype_size(k->array[k->access[access].buffer].dtype);
    bool other = false;
    if (inner < 0 || bytes <= prices->near || fsr_price_is_gather(f) || f->divisor != 1)
        return 0;
    for (int d = 0; d < f->ndim; ++d)
        other = other || (d != inner && f->extent[d] > 1 && f->stride[d] != 0 && llabs(f->stride[d]) < FSR_CLOSE);
    return llabs(f->stride[inner]) >= FSR_CLOSE ? other : f->stride[inner] != 0 ? -1 : 0;
}

/* Loads and stores of a pass that lie across the order of memory, and those that go along it. */
static void count_ways(const fsr_prices *prices, const fsr_group *group, int pass, double *turned, double *straight) {
    const fsr_kernel *k = group->kernel;
    fsr_body body;
    fsr_body_of(k, pass, &body);
    for (int i = 0; i < body.n; ++i) {
        const fsr_inst *inst = &k->inst[body.inst[i]];
        if (inst->kind != FSR_INST_LOAD && inst->kind != FSR_INST_STORE)
            continue;
        const fsr_form f = fsr_form_of_access(k, group->kernel->integer, inst->index);
        const int way = fsr_price_direction(prices, k, &f, inst->index, fsr_price_inner(k));
        *turned += way > 0;
        *straight += way < 0;
    }
}

/* Elements apart that are the nearest to each other of those that an access takes one soon after the other: a line that
 * stays near until its neighbours are asked for is moved once. */
static double spread_of(const fsr_prices *prices, const fsr_group *group, int access) {
    const fsr_kernel *k = group->kernel;
    double spread = fmax(fsr_price_stride(group, access, k->ndim - 1), 1), bytes = prices->line;
    for (int d = k->ndim - 1; d > 0 && prices->lines > 0; --d) {
        bytes *= (double)group->extent[d];
        const double next = fsr_price_stride(group, access, d - 1);
        if (bytes > prices->lines && !k->schedule.tile)
            break;
        spread = next > 0 && next < spread ? fmax(next, 1) : spread;
    }
    return spread;
}

/* Loads that a load or store of a row costs more whose lines do not stay near until the next row asks for their
 * neighbours: the array is gone over once for each row. A part of that where a row takes a part of a line, or a cache
 * holds some of the array. Counter-example to bytes alone: 137,275 columns of 64 stored as rows took 142 ms, 86
 * unfused; 8 to 12 ns an element of rows of 64, 4 of 16, 0.6 of 3, a third of that in arrays of 2 MB. */
static double again_of(const fsr_prices *prices, const fsr_group *group, const fsr_inst *inst) {
    enum { LINES = 2 };
    const double least = 0.33, written = 1.3;
    const fsr_kernel *k = group->kernel;
    const fsr_form f = fsr_form_of_access(k, k->integer, inst->index);
    const double size = (double)fsr_dtype_size(k->array[k->access[inst->index].buffer].dtype);
    const double bytes = (double)fsr_form_count(&f) * size, spread = spread_of(prices, group, inst->index);
    if (spread <= 1 || bytes <= prices->near || fsr_price_is_gather(&f))
        return 0;
    return prices->again * fmin(spread * size / (LINES * prices->line), 1) *
           fmax(fmin(bytes / prices->cache, 1), least) * (inst->kind == FSR_INST_STORE ? written : 1);
}

/* The same of an element of a pass along rows; accesses of one array are taken for neighbours. */
static double again_in(const fsr_prices *prices, const fsr_group *group, int pass) {
    const fsr_kernel *k = group->kernel;
    double most[FSR_MAX_BUFFERS] = {0}, sum = 0;
    fsr_body body;
    fsr_body_of(k, pass, &body);
    for (int i = 0; i < body.n; ++i) {
        const fsr_inst *inst = &k->inst[body.inst[i]];
        if (inst->kind != FSR_INST_LOAD && inst->kind != FSR_INST_STORE)
            continue;
        double *own = &most[k->access[inst->index].buffer];
        *own = fmax(*own, again_of(prices, group, inst));
    }
    for (int b = 0; b < k->narrays; ++b)
        sum += most[b];
    return sum;
}

/* Loads that an element of a pass costs more, as some arrays lie across the order of memory. Counter-example to looking
 * at each pass alone: what rows keep of the first pass is stored transposed in the second, which loads nothing; 12.5 ms
 * of two cores, 3.3 in a kernel of its own. */
static double turned_of(const fsr_prices *prices, const fsr_group *group, int pass) {
    const fsr_kernel *k = group->kernel;
    double turned = 0, straight = 0, others = 0;
    if (k->schedule.tile || k->schedule.tall)
        return 0;
    count_ways(prices, group, pass, &turned, &straight);
    for (int other = 0; other < pass; ++other)
        count_ways(prices, group, other, &others, &straight);
    const bool rows = prices->again > 0 && k->schedule.kind == FSR_SCHEDULE_ROW;
    if (prices->squares > 0 && k->schedule.kind == FSR_SCHEDULE_MAP)
        straight = fmax(straight, turned - prices->squares);
    return fmax(fmin(turned, straight) * prices->turned, rows ? again_in(prices, group, pass) : 0);
}

static void add(fsr_price_work *to, double share, const fsr_price_work *work) {
    to->operations += share * work->operations;
    to->single += share * work->single;
    to->loads += share * work->loads;
    to->stores += share * work->stores;
}

/* What an element costs in a version, with the loops that do elements under a guard with a step again: one by one, if
 * those of a row are no more than a vector or two. */
static void add_version(const fsr_prices *prices, const fsr_group *group, int pass, const fsr_loop_version *version,
                        double share, fsr_price_work *to) {
    const fsr_kernel *k = group->kernel;
    fsr_price_work work = fsr_price_element(prices, group, pass, version);
    add(to, share, &work);
    for (int c = 0; c < k->nconditions && k->schedule.cut_steps; ++c) {
        const fsr_loop_version there = {version->holds | UINT64_C(1) << c, version->never};
        if (!k->condition[c].step || !fsr_condition_is_inner(k, c) || !fsr_condition_is_decidable(k, c) ||
            ((version->never | version->holds) >> c & 1))
            continue;
        const double step = (double)group->kernel->integer[k->condition[c].step];
        work = fsr_price_element(prices, group, pass, &there);
        work.operations += prices->strided;
        if (fsr_price_inner_extent(group) < 2 * prices->lanes * step)
            work = (fsr_price_work){0, work.single + prices->lanes * work.operations, work.loads, work.stores};
        add(to, share / step, &work);
    }
}

/* Operations of the functions of an element. */
static double functions_of(const fsr_prices *prices, const fsr_kernel *k, int pass) {
    double sum = 0;
    fsr_body body;
    fsr_body_of(k, pass, &body);
    for (int i = 0; i < body.n; ++i) {
        const fsr_inst *inst = &k->inst[body.inst[i]];
        sum += inst->kind == FSR_INST_OP && fsr_price_is_function(inst) ? fsr_price_operation(prices, inst) : 0;
    }
    return sum;
}

/* What an element takes for runs between two edges that are shorter than a vector: loops are cut where a guard's
 * condition changes along the innermost dimension, and a function of one element takes as long as of a vector of them,
 * or longer, as what comes next waits for it. Counter-example to what runs of any length take: the first and the last
 * of 64 columns were two, each of all 22 functions of a stencil with edges of another one, 22 ms of 28,983 rows for a
 * price of 4 (seed 1538851, one thread of a Zen 3, AVX2). */
static double of_edges(const fsr_prices *prices, const fsr_group *group, int pass) {
    const double waits = 2.5;
    const fsr_kernel *k = group->kernel;
    const int inner = fsr_price_inner(k);
    if (k->schedule.target != FSR_TARGET_CPU || k->schedule.kind == FSR_SCHEDULE_COL || !k->schedule.nversions ||
        inner < 0 || group->extent[inner] < 1)
        return 0;
    fsr_line line[FSR_MOST_LINES];
    fsr_cells cells = {0};
    double empty = 0;
    fsr_lines_of(group, line);
    fsr_intervals_of(group, &line[inner], &cells);
    for (int i = 0; i < cells.n && cells.n > 1; ++i)
        empty += fmax(prices->lanes / (double)group->extent[inner] - cells.at[i].share, 0);
    return empty > 0 ? waits * empty * functions_of(prices, k, pass) : 0;
}

/* An element of a pass, of the versions that are printed and of what is left. */
static fsr_price_work work_of(const fsr_prices *prices, const fsr_group *group, int pass) {
    const fsr_schedule *s = &group->kernel->schedule;
    fsr_price_work sum = {.loads = turned_of(prices, group, pass) + fsr_price_blocks(prices, group, pass)};
    double rest = 1;
    for (int i = 0; i < s->nversions; ++i) {
        const double share = fsr_version_share(group, &s->version[i]);
        add_version(prices, group, pass, &s->version[i], share, &sum);
        rest -= share;
    }
    if (rest > 0)
        add_version(prices, group, pass, &(fsr_loop_version){0, 0}, rest, &sum);
    sum.operations += rest > 0 ? of_edges(prices, group, pass) : 0;
    return sum;
}

/* Bytes of each array that some instruction names. */
static void whole_bytes(const fsr_partition *p, const fsr_kernel *k, double *bytes) {
    for (int i = 0; i < k->ninsts; ++i) {
        const fsr_inst *inst = &k->inst[i];
        if (inst->node < 0 || (inst->kind != FSR_INST_LOAD && inst->kind != FSR_INST_STORE))
            continue;
        const int array = k->access[inst->index].buffer;
        bytes[array] = (double)fsr_shape_bytes(&p->flow->node[inst->node].shape, k->array[array].dtype);
    }
}

typedef struct span {
    double low, high;
} span;

/* Elements from the first one to the last one that an access may take. Of computed places nothing is known. */
static void add_span(const fsr_form *f, span *to) {
    int64_t low, high;
    fsr_form_range(f, &low, &high);
    to->low = fmin(to->low, f->nterms ? -INFINITY : (double)low / (double)f->divisor);
    to->high = fmax(to->high, f->nterms ? INFINITY : (double)high / (double)f->divisor);
}

static double span_bytes(const fsr_kernel *k, int array, const span *between) {
    return fmax(between->high - between->low + 1, 0) * (double)fsr_dtype_size(k->array[array].dtype);
}

/* Bytes that a kernel moves: of each array what it touches, whole lines of it; near: arrays that memory does not
 * hold. Counter-example to the sum of what its accesses touch, up to the whole array: a part of a large array and its
 * transpose would be moved twice. */
static double touched(const fsr_prices *prices, const fsr_partition *p, const fsr_group *group, const bool *near) {
    const fsr_kernel *k = group->kernel;
    double part[FSR_MAX_BUFFERS] = {0}, whole[FSR_MAX_BUFFERS] = {0}, sum = 0;
    span between[FSR_MAX_BUFFERS];
    for (int i = 0; i < k->narrays; ++i)
        between[i] = (span){INFINITY, -INFINITY};
    for (int a = 0; a < k->naccesses; ++a) {
        const fsr_form f = fsr_form_of_access(k, group->kernel->integer, a);
        const double size = (double)fsr_dtype_size(k->array[k->access[a].buffer].dtype);
        const double stride = spread_of(prices, group, a);
        const double most = prices->line / size > 1 ? prices->line / size : 1;
        part[k->access[a].buffer] += (double)fsr_form_count(&f) * size * fmin(stride, most);
        add_span(&f, &between[k->access[a].buffer]);
    }
    whole_bytes(p, k, whole);
    for (int i = 0; i < k->narrays; ++i)
        sum += near[i] ? 0 : fmin(fmin(part[i], whole[i]), span_bytes(k, i, &between[i]));
    return sum;
}

/* Of a row of a fold along it, beside its elements. */
static double row_of(const fsr_prices *prices, const fsr_kernel *k) {
    double sum = k->npasses ? 0 : prices->start;
    for (int pass = 0; pass < k->npasses; ++pass) {
        fsr_body body;
        fsr_body_of(k, pass, &body);
        const bool torn = k->schedule.walk[pass].laned && fsr_body_conditions(k, &body);
        sum += fsr_kernel_has_scan(k) ? prices->row : torn ? prices->torn : prices->start;
    }
    return sum;
}

/* Of rows that are taken together: the loops that go along each, one that loads and one that stores what does not lie
 * one behind the other. A gather's price has its own. */
static int loops_of(const fsr_kernel *k) {
    int loops = 1;
    for (int i = 0; i < k->ninsts && loops < 2; ++i)
        loops += k->inst[i].kind == FSR_INST_STORE && !k->access[k->inst[i].index].linear;
    return loops;
}

/* Runs of a column of a block of rows, on an average: one more for each of the sets of conditions that hold somewhere
 * along the rows, in the blocks that have the edge. */
static double runs_of(const fsr_group *group) {
    const fsr_kernel *k = group->kernel;
    const int inner = k->nparallel - 1;
    bool cut = false;
    for (int c = 0; c < k->nconditions; ++c)
        cut = cut || (fsr_condition_is_inner(k, c) && fsr_condition_is_decidable(k, c));
    if (!cut || inner < 0 || group->extent[inner] < 1)
        return 1;
    fsr_line line[FSR_MOST_LINES];
    fsr_cells cells = {0};
    fsr_lines_of(group, line);
    fsr_intervals_of(group, &line[inner], &cells);
    return 1 + fmax(cells.n - 1, 0) * fmin((double)k->schedule.abreast / (double)group->extent[inner], 1);
}

/* Of a column of a block of rows that has versions, the conditions that tell which one a run takes: each is asked once
 * before the run, or where the run ends. Counter-example to one run: 14 conditions along 64 rows, which cut them into
 * six, were 84 questions a column, 0.85 ms of 3,878 for a price of 0.16 (seed 1508347, two threads of a Xeon). */
static double asked_of(const fsr_group *group) {
    enum { ASKED = 32 };
    const fsr_kernel *k = group->kernel;
    double sum = 0;
    if (k->schedule.target != FSR_TARGET_CPU || !k->schedule.nversions)
        return 0;
    for (int pass = 0; pass < k->npasses; ++pass) {
        fsr_body body;
        fsr_body_of(k, pass, &body);
        sum += ASKED * (double)__builtin_popcountll(fsr_body_conditions(k, &body));
    }
    return sum / fmax(k->npasses, 1) * runs_of(group);
}

/* Of a run whose length the text says: of two or three elements there is no loop. Counter-example to one price: the
 * square root of every other element in rows of three was priced at four times what it takes (seed 1495440). */
static double exact_of(const fsr_prices *prices, double inner) {
    return inner < prices->lanes / 2 ? prices->exact / 2 : prices->exact;
}

/* What rows cost beside their elements: a scan's strips and stages begin anew, a fold's states, and each loop. */
static double rows_of(const fsr_prices *prices, const fsr_group *group) {
    const fsr_kernel *k = group->kernel;
    const fsr_schedule *s = &k->schedule;
    const double rows = (double)k->integer[FSR_INT_ROWS], elements = rows * (double)k->integer[FSR_INT_COLS];
    const double passes = fmax(k->npasses, 1), inner = fmax(fsr_price_inner_extent(group), 1);
    if (s->tall)
        return 0;
    if (s->kind == FSR_SCHEDULE_ROW)
        return rows * row_of(prices, k);
    if (s->kind == FSR_SCHEDULE_COL)
        return elements * passes / fmin(inner, fmax(s->abreast, 1) * fmax(s->beside, 1)) *
               ((s->fixed ? prices->exact : prices->turn) + asked_of(group));
    return k->ndim == 0 || s->flat || s->tile ? 0
           : s->together                      ? elements / inner * prices->turn * loops_of(k)
                                              : elements / inner * (s->width ? exact_of(prices, inner) : prices->turn);
}

/* Blocks of a launch. Those of teams follow the machine at hand, but prices decide which kernels there are and so how
 * folds associate: they are counted on the nominal one. */
static double blocks_of(const fsr_group *group) {
    const int64_t splits = group->kernel->integer[FSR_INT_SPLITS];
    const int64_t blocks = group->kernel->schedule.kind == FSR_SCHEDULE_TEAM
                               ? fsr_size_mul(fsr_team_count(group->kernel->integer[FSR_INT_ROWS], splits), splits)
                               : fsr_kernel_blocks(group->kernel, group->kernel->integer);
    return fmax((double)blocks, 1);
}

/* Threads of a launch that have rows; a CPU's are all there is. Counter-example to the machine's rate: a scan down 64
 * columns of a matrix has 64 threads, and a function in it is evaluated by these alone. Counter-example to all threads
 * of a block: a recurrence of one number is one thread's; with what it reads of eight neighbours 56 us of an H200 for
 * 398 elements, 24 behind a kernel that adds them up. */
static double threads_of(const fsr_group *group) {
    const fsr_schedule *s = &group->kernel->schedule;
    const double rows = (double)group->kernel->integer[FSR_INT_ROWS];
    if (s->target == FSR_TARGET_CPU)
        return 1;
    const double idle = s->kind == FSR_SCHEDULE_COL && rows < s->abreast ? fmax(rows, 1) / s->abreast : 1;
    return blocks_of(group) * s->threads * idle;
}

/* Stores that combine at computed places are a stage of their own: nothing else goes on beside them. */
static bool combines_apart(const fsr_kernel *k) {
    bool combines = false;
    for (int i = 0; i < k->ninsts && k->schedule.target == FSR_TARGET_CPU; ++i)
        combines = combines || k->inst[i].combines;
    return combines && k->schedule.walk[0].phased;
}

/* ns of its operations and accesses. */
static double issue_of(const fsr_prices *prices, const fsr_group *group) {
    const fsr_kernel *k = group->kernel;
    const double elements =
        (double)fsr_size_mul(group->kernel->integer[FSR_INT_ROWS], group->kernel->integer[FSR_INT_COLS]);
    fsr_price_work sum = {0};
    for (int pass = 0; pass < k->npasses || pass == 0; ++pass) {
        const fsr_price_work work = work_of(prices, group, pass);
        add(&sum, elements, &work);
    }
    fsr_price_work first;
    double share;
    if (fsr_price_scans_parts(prices, group, &share, &first))
        add(&sum, elements * share, &first);
    const fsr_price_work row = fsr_price_row(prices, group);
    add(&sum, (double)k->integer[FSR_INT_ROWS], &row);
    const double operations =
        sum.operations * fsr_price_lost_vectors(prices, group) + sum.single + rows_of(prices, group);
    const double threads = threads_of(group), works = operations / fmin(prices->issue, threads * prices->thread);
    const double accesses = k->schedule.tall ? 0 : fsr_price_accesses(prices, &sum, threads);
    return combines_apart(k) ? works + accesses : fmax(works, accesses);
}

/* A nest before the last one: no launch, nothing moved of what is banded, and what bands compute twice. */
static void add_nest(const fsr_prices *prices, const fsr_partition *p, const fsr_group *whole, int i, double *bytes,
                     double *issue) {
    const fsr_kernel *k = whole->kernel;
    const fsr_nest *nest = &k->nests->nest[i];
    const int64_t *integer = whole->kernel->integer + nest->integer;
    fsr_group own = {.kernel = nest->kernel};
    bool near[FSR_MAX_BUFFERS];
    for (int b = 0; b < own.kernel->narrays; ++b)
        near[b] = k->array[nest->array[b]].banded;
    memcpy(own.extent, integer + FSR_INT_EXTENT, sizeof own.extent[0] * (size_t)own.kernel->ndim);
    *bytes += touched(prices, p, &own, near);
    *issue += issue_of(prices, &own) * fsr_nest_times(k, i, k->integer);
}

/* Bytes that threads of a team, or of a look-back along rows, write and read again since their registers do not hold
 * them: what they keep of their elements, and in one of the passes what guards are asked for, or in a team is at a
 * computed place, which no compiler moves to where it is needed.
 * Counter-examples to none: a stencil with edges behind the mean of its picture, 32 elements a thread, had 722
 * instructions for what was spilled and took four times its price; a running sum of two halves, one of which is a
 * stencil that wraps, 0.24 ms of an H200 for a price of 0.07. */
static double spilled(const fsr_prices *prices, const fsr_group *group) {
    const fsr_kernel *k = group->kernel;
    const fsr_schedule *s = &k->schedule;
    enum { WORD = 4, WAYS = 2, LOOKBACK_WORDS = 112 };
    const bool team = s->kind == FSR_SCHEDULE_TEAM, scan = s->kind == FSR_SCHEDULE_LOOKBACK && s->abreast == 1;
    double most = 0, elements = (double)fsr_size_mul(k->integer[FSR_INT_ROWS], k->integer[FSR_INT_COLS]);
    for (int pass = 0; pass < k->npasses && (team || scan); ++pass) {
        fsr_body body;
        double words = 0;
        fsr_body_of(k, pass, &body);
        for (int i = 0; i < body.n; ++i)
            words += k->inst[body.inst[i]].kind == FSR_INST_LOAD &&
                     (team ? k->inst[body.inst[i]].guard || fsr_inst_is_late(k, body.inst[i])
                           : k->inst[body.inst[i]].guard && !s->nversions);
        most = fmax(most, words);
    }
    const double held = team ? (most + 1) * s->items - prices->registers : most * s->items - LOOKBACK_WORDS;
    return most > 0 ? fmax(held, 0) / fmax(s->items, 1) * elements * WORD * WAYS : 0;
}

/* What the elements of all tiles take beside their work, of so many places each. */
static double placed(const fsr_prices *prices, const fsr_kernel *k, double spread) {
    double times = spread;
    for (int i = 0; i < k->nests->n; ++i)
        times += fsr_nest_times(k, i, k->integer) * spread;
    return fsr_price_placed(prices, times * (double)k->integer[FSR_INT_ROWS], k->schedule.deep > 0);
}

double fsr_price_scheduled(const fsr_prices *prices, const fsr_partition *p, const fsr_group *group, double *issue) {
    const fsr_kernel *k = group->kernel;
    bool near[FSR_MAX_BUFFERS];
    for (int b = 0; b < k->narrays; ++b)
        near[b] = k->array[b].banded;
    double bytes = touched(prices, p, group, near);
    *issue = issue_of(prices, group);
    for (int i = 0; k->nests && i < k->nests->n; ++i)
        add_nest(prices, p, group, i, &bytes, issue);
    const bool tiles = k->nests && k->schedule.high;
    const int64_t blocks = tiles ? fsr_tiles_blocks(k, k->integer) : 0, rows = k->integer[FSR_INT_ROWS];
    const double spread = tiles ? fsr_price_spread(blocks, fsr_tile_elements(&k->schedule), rows) : 1;
    const double takes = *issue * spread + (tiles ? placed(prices, k, spread) : 0);
    const double begins = tiles ? fsr_price_waits(prices, k->nests->n, blocks) : 0;
    const double works = fsr_price_together(prices, fsr_price_moved(prices, bytes, p->footprint), takes);
    return prices->launch + begins + works + fsr_price_bytes(prices, spilled(prices, group)) +
           fsr_price_waited(prices, k, works) + fsr_price_torn_lines(prices, k);
}

/* The kernel is one of several nests in tiles, in which these arrays stand: of what shape is all the same. */
static void put_in_tiles(fsr_kernel *k, const bool *near) {
    k->schedule.high = k->schedule.broad = 1;
    for (int b = 0; b < k->narrays; ++b)
        k->array[b].banded = near[b] && k->array[b].written;
    for (int a = 0; a < k->naccesses; ++a)
        if (near[k->access[a].buffer] && !k->array[k->access[a].buffer].written)
            k->access[a].near = (fsr_beside){{0}, {0, 1, 1}};
}

/* A copy of a lowered group whose kernel is scheduled, for the caller to free; near: arrays that stand between nests,
 * NULL: it is the only one. False: out of memory, which is told. */
static bool scheduled_copy(const fsr_partition *p, const fsr_group *group, const bool *near, fsr_group *copy) {
    *copy = *group;
    copy->kernel = fsr_kernel_copy(group->kernel);
    *p->no_memory = *p->no_memory || !copy->kernel;
    if (!copy->kernel)
        return false;
    if (near && p->target->gpu)
        put_in_tiles(copy->kernel, near);
    if (!fsr_schedule_choose(copy, p->target)) {
        *p->no_memory = true;
        fsr_kernel_free(copy->kernel);
        return false;
    }
    fsr_schedule_finish(copy->kernel);
    return true;
}

double fsr_price_group(const fsr_partition *p, const fsr_group *group, double *issue) {
    fsr_group scheduled;
    *issue = INFINITY;
    if (!scheduled_copy(p, group, NULL, &scheduled))
        return INFINITY;
    const double price = fsr_price_scheduled(fsr_prices_of(p->target->gpu), p, &scheduled, issue);
    fsr_kernel_free(scheduled.kernel);
    return price;
}

double fsr_price_touched(const fsr_partition *p, const fsr_group *group, const bool *near, double *issue) {
    const fsr_prices *prices = fsr_prices_of(p->target->gpu);
    fsr_group scheduled;
    *issue = INFINITY;
    if (!scheduled_copy(p, group, near, &scheduled))
        return INFINITY;
    const double bytes = touched(prices, p, &scheduled, near);
    *issue = issue_of(prices, &scheduled);
    fsr_kernel_free(scheduled.kernel);
    return bytes;
}
