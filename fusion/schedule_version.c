/* SPDX-License-Identifier: MIT */
/* Versions of loops: what is known of the conditions of guards where they run.
 *
 * Where conditions begin and end along each dimension cuts it into intervals, and these the domain into cells, in each
 * of which every condition either holds or does not. A version is printed for cells that are a fair part of the domain:
 * the inside of a stencil, the pieces of a concatenation. Everything else, corners and edges, runs the version that
 * asks. Counter-example to asking in the loop: nine neighbours with their edges repeated are 81 masked loads an
 * element, of which nine are wanted. Counter-example to a version for each cell: 27 of a stencil in three dimensions,
 * 26 of them for one element in forty.
 *
 * Cells depend on sizes, and are found when a schedule is chosen. How much text there may be is known when it is
 * finished; then what is left stands in an order that does not depend on which cell is larger, so that the kernel of
 * another shape is the same one.
 *
 * Where a box lies that moves (a slice that is assigned to at a run-time offset) is not known, only how large it is:
 * its share of the dimension is taken, as if it had nothing to do with others.
 *
 * A condition with a step (x[::2] = y) holds for some elements of its interval. On a CPU those are done again, after
 * the others, in a loop of their own (cut_steps); not where arrays share memory: what the first loop has written could
 * be read. */
#include "fusion/address.h"
#include "fusion/affine.h"
#include "fusion/schedule_parts.h"
#include "fusion/walk.h"
#include <math.h>
#include <stdlib.h>

enum {
    MOST_CELLS = 64,
    MOST_CUTS = 2 * FSR_MAX_CONDITIONS + 2,
    MOST_PHASES = 16, /* of conditions with steps that are told apart */
    FEW = 32,         /* CPU: a cell of fewer than one element in so many has no version */
    MOST = 3,         /* GPU: only a cell of so many quarters of the elements has one */
    SPARED = 5,       /* GPU: instructions of an element that are worth a second program */
    WARP = 32,
    MOST_PRINTED = 320, /* instructions, all versions together; but one version there is in any case */
};

typedef struct cell {
    fsr_loop_version known;
    double share, alone; /* of the elements; of those whose warp runs the version alone */
} cell;

typedef struct cells {
    int n;
    cell at[MOST_CELLS];
} cells;

/* ---- cells ------------------------------------------------------------------------------------------------ */

/* The condition is a run of dimension d alone. A short innermost loop asks: short runs cost more than they spare. */
static bool moves_along(const fsr_group *group, int condition, const fsr_form *f, int d) {
    const fsr_kernel *k = group->kernel;
    if (!fsr_condition_is_decidable(k, condition) || !fsr_form_is_adjacent(f, d) ||
        (k->schedule.brief && fsr_condition_is_inner(k, condition)))
        return false;
    for (int i = 0; i < k->ndim; ++i)
        if (i != d && f->stride[i] != 0 && f->extent[i] > 1)
            return false;
    return true;
}

/* It is [low, high) of it. */
static bool run_of(const fsr_group *group, int condition, int d, int64_t *low, int64_t *high) {
    const fsr_kernel *k = group->kernel;
    const fsr_condition *c = &k->condition[condition];
    const fsr_form f = fsr_form_of(k, group->kernel->integer, c->form);
    if (f.nterms || !moves_along(group, condition, &f, d))
        return false;
    *low = -f.offset;
    *high = *low + group->kernel->integer[c->extent];
    return true;
}

/* The share of the domain where a condition holds whose run lies where a value says; false: it is none such. Of a run
 * as long as the dimension, whose end moves, nothing is known: a CPU takes it for half of the dimension and has a
 * version for either side; of a GPU's tiles most lie on one side, and those outside load nothing. */
static bool floats(const fsr_group *group, int condition, double *share) {
    const fsr_condition *c = &group->kernel->condition[condition];
    const fsr_form f = fsr_form_of(group->kernel, group->kernel->integer, c->form);
    for (int d = 0; d < group->kernel->ndim && f.nterms && !c->step; ++d)
        if (moves_along(group, condition, &f, d)) {
            const double part = (double)group->kernel->integer[c->extent] / (double)group->extent[d];
            *share = part < 1 ? part : group->kernel->schedule.target == FSR_TARGET_GPU ? 1 : 0.5;
            return true;
        }
    return false;
}

static int compare(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static bool same(const fsr_loop_version *a, const fsr_loop_version *b) {
    return a->holds == b->holds && a->never == b->never;
}

/* Adds shares to the cell of this version. */
static void add(cells *to, fsr_loop_version known, double share, double alone) {
    int i = 0;
    while (i < to->n && !same(&to->at[i].known, &known))
        ++i;
    if (i == MOST_CELLS)
        return;
    if (i == to->n)
        to->at[to->n++] = (cell){.known = known};
    to->at[i].share += share;
    to->at[i].alone += alone;
}

/* The conditions that are runs of a dimension, and of each where it holds. */
typedef struct runs {
    int n, condition[FSR_MAX_CONDITIONS];
    int64_t low[FSR_MAX_CONDITIONS], high[FSR_MAX_CONDITIONS];
} runs;

static void runs_of(const fsr_group *group, int d, runs *out) {
    out->n = 0;
    for (int c = 0; c < group->kernel->nconditions; ++c)
        if (run_of(group, c, d, &out->low[out->n], &out->high[out->n]))
            out->condition[out->n++] = c;
}

/* A condition with a step that a version may know: outside of the innermost loop, where its run covers [from, to). */
static bool alternates(const fsr_group *group, const runs *r, int i, int64_t from, int64_t to) {
    const fsr_kernel *k = group->kernel;
    return r->low[i] <= from && r->high[i] >= to && k->condition[r->condition[i]].step &&
           !fsr_condition_is_inner(k, r->condition[i]);
}

static int64_t step_of(const fsr_group *group, const runs *r, int i) {
    return group->kernel->integer[group->kernel->condition[r->condition[i]].step];
}

/* Indices after which such conditions are as they were; more than MOST_PHASES: too many to tell apart. */
static int64_t period_of(const fsr_group *group, const runs *r, int64_t from, int64_t to) {
    int64_t period = 1;
    for (int i = 0; i < r->n; ++i) {
        const int64_t step = alternates(group, r, i, from, to) ? step_of(group, r, i) : 1;
        period = period > MOST_PHASES || step > MOST_PHASES ? MOST_PHASES + 1
                                                            : period / fsr_common_divisor(period, step) * step;
    }
    return period;
}

/* Of the conditions `steps`, those that hold at index `at`. */
static uint64_t steps_at(const fsr_group *group, const runs *r, uint64_t steps, int64_t at) {
    uint64_t holds = 0;
    for (int i = 0; i < r->n; ++i) {
        const uint64_t bit = steps & UINT64_C(1) << r->condition[i];
        holds |= bit && (at - r->low[i]) % step_of(group, r, i) == 0 ? bit : 0;
    }
    return holds;
}

static void add_steps(cells *out, const cell *all, uint64_t steps, uint64_t holds, double share) {
    const double alone = all->share > 0 ? share / all->share * all->alone : 0;
    add(out, (fsr_loop_version){all->known.holds | holds, all->known.never | (steps & ~holds)}, share, alone);
}

/* Adds a cell for each set of the conditions `steps` that hold together; where there are too many phases to look at,
 * for each of them as if it were alone. Counter-example to versions where all of them hold and where none does: of the
 * two colours of a checkerboard one has each row. */
static void add_phases(const fsr_group *group, const runs *r, int64_t from, int64_t to, const cell *all, cells *out) {
    const int64_t period = period_of(group, r, from, to);
    uint64_t steps = 0;
    double rest = all->share;
    for (int i = 0; i < r->n; ++i)
        steps |= alternates(group, r, i, from, to) ? UINT64_C(1) << r->condition[i] : 0;
    for (int64_t phase = 0; phase < period && period <= MOST_PHASES; ++phase)
        add_steps(out, all, steps, steps_at(group, r, steps, from + phase), all->share / (double)period);
    for (int i = 0; i < r->n && period > MOST_PHASES; ++i) {
        const uint64_t bit = steps & UINT64_C(1) << r->condition[i];
        const double share = bit ? fmin(all->share / (double)step_of(group, r, i), rest) : 0;
        rest -= share;
        if (bit)
            add_steps(out, all, steps, bit, share);
    }
    if (period > MOST_PHASES)
        add_steps(out, all, steps, 0, rest);
}

/* The share of the warps of a GPU's map all of whose elements are in [from, to) of dimension d: each thread asks for
 * itself, and a warp whose lanes go both ways takes both. A thread's vectors are a block apart. Of a map without
 * elements every warp is, as it has none. */
static double warps_within(const fsr_group *group, int d, int64_t from, int64_t to) {
    const fsr_schedule *s = &group->kernel->schedule;
    const int64_t warp = (int64_t)WARP * s->vector;
    int64_t row = 1;
    for (int i = d + 1; i < group->kernel->ndim; ++i)
        row = fsr_size_mul(row, group->extent[i]);
    const int64_t first = fsr_size_mul(from, row), end = fsr_size_mul(to, row);
    row = fsr_size_mul(row, group->extent[d]);
    if (row == 0)
        return 1;
    const int64_t next = s->threads * (int64_t)s->vector % row;
    const int64_t within = row % warp ? end - first - warp + 1 : (end / warp - fsr_ceil_div(first, warp)) * warp;
    const int64_t outside = row - (within > 0 ? within : 0);
    const double all = (double)outside + (double)(s->items / s->vector - 1) * (double)(next < outside ? next : outside);
    return fmax(1 - all / (double)row, 0);
}

/* Adds what is known where index d is in [from, to), in which there is no cut. A condition with a step holds there at
 * times; outside of the innermost loop a version may know at which. */
static void add_interval(const fsr_group *group, const runs *r, int d, int64_t from, int64_t to, cells *out) {
    const fsr_kernel *k = group->kernel;
    const bool warps = k->schedule.target == FSR_TARGET_GPU && k->schedule.kind == FSR_SCHEDULE_MAP;
    cell all = {.share = (double)(to - from) / (double)group->extent[d]};
    all.alone = warps && to - from < group->extent[d] ? warps_within(group, d, from, to) : all.share;
    for (int i = 0; i < r->n; ++i) {
        const uint64_t bit = UINT64_C(1) << r->condition[i];
        const bool covers = r->low[i] <= from && r->high[i] >= to;
        all.known.never |= covers ? 0 : bit;
        all.known.holds |= covers && !k->condition[r->condition[i]].step ? bit : 0;
    }
    add_phases(group, r, from, to, &all, out);
}

/* The intervals of dimension d, as cells. */
static void intervals(const fsr_group *group, int d, cells *out) {
    const int64_t extent = group->extent[d];
    int64_t cut[MOST_CUTS];
    int n = 0;
    runs r;
    runs_of(group, d, &r);
    out->n = 0;
    cut[n++] = 0;
    cut[n++] = extent;
    for (int i = 0; i < r.n; ++i) {
        cut[n++] = r.low[i] < 0 ? 0 : r.low[i] < extent ? r.low[i] : extent;
        cut[n++] = r.high[i] < 0 ? 0 : r.high[i] < extent ? r.high[i] : extent;
    }
    qsort(cut, (size_t)n, sizeof *cut, compare);
    for (int i = 0; i + 1 < n; ++i)
        if (cut[i] < cut[i + 1])
            add_interval(group, &r, d, cut[i], cut[i + 1], out);
}

static void multiply(cells *all, const cells *by, double least) {
    const cells before = *all;
    all->n = 0;
    for (int i = 0; i < before.n; ++i)
        for (int j = 0; j < by->n; ++j) {
            const fsr_loop_version *a = &before.at[i].known, *b = &by->at[j].known;
            const double share = before.at[i].share * by->at[j].share;
            if (share >= least)
                add(all, (fsr_loop_version){a->holds | b->holds, a->never | b->never}, share,
                    before.at[i].alone * by->at[j].alone);
        }
}

/* The cells of conditions whose runs lie where values say. */
static void float_over(const fsr_group *group, cells *all, double least) {
    for (int c = 0; c < group->kernel->nconditions; ++c) {
        const uint64_t bit = UINT64_C(1) << c;
        double share;
        if (!floats(group, c, &share))
            continue;
        const cells own = {2, {{{bit, 0}, share, share}, {{0, bit}, 1 - share, 1 - share}}};
        multiply(all, &own, least);
    }
}

double fsr_condition_share(const fsr_group *group, int condition, double *period) {
    const fsr_condition *c = &group->kernel->condition[condition];
    int64_t low, high;
    double share, points = 1;
    for (int d = group->kernel->ndim - 1; d >= 0; --d) {
        const int64_t extent = group->extent[d];
        *period = points * (double)(c->step ? group->kernel->integer[c->step] : extent);
        points *= (double)extent;
        if (extent < 1 || !run_of(group, condition, d, &low, &high))
            continue;
        const int64_t from = low > 0 ? low : 0, to = high < extent ? high : extent;
        share = to > from ? (double)(to - from) / (double)extent : 0;
        return c->step ? share / (double)group->kernel->integer[c->step] : share;
    }
    *period = 1;
    return floats(group, condition, &share) ? share : 0.5;
}

static int larger_first(const void *a, const void *b) {
    const double x = ((const cell *)a)->share, y = ((const cell *)b)->share;
    return x > y ? -1 : x < y;
}

/* The cells that may have versions, the largest first. */
static void cells_of(const fsr_group *group, cells *all) {
    const double least = group->kernel->schedule.target == FSR_TARGET_GPU ? (double)MOST / 4 : 1.0 / FEW;
    cells own;
    *all = (cells){.n = 1, .at = {{.share = 1, .alone = 1}}};
    for (int d = 0; d < group->kernel->ndim && group->kernel->nconditions; ++d) {
        if (group->extent[d] < 1) {
            all->n = 0;
            return;
        }
        intervals(group, d, &own);
        multiply(all, &own, least);
    }
    float_over(group, all, least);
    qsort(all->at, (size_t)all->n, sizeof *all->at, larger_first);
}

double fsr_version_share(const fsr_group *group, const fsr_loop_version *version) {
    cells all;
    cells_of(group, &all);
    for (int i = 0; i < all.n; ++i)
        if (same(&all.at[i].known, version))
            return all.at[i].alone;
    return 0;
}

/* Instructions of an element that a version prints. *spared: those that it needs not, or choices that it knows. */
static int body_count(const fsr_kernel *k, const fsr_loop_version *version, int *spared) {
    bool dead[FSR_MAX_INSTS];
    fsr_body body;
    int n = 0;
    *spared = 0;
    for (int pass = 0; pass < k->npasses || pass == 0; ++pass) {
        fsr_body_of(k, pass, &body);
        fsr_body_dead(k, &body, version, dead);
        for (int i = 0; i < body.n; ++i) {
            n += !dead[body.inst[i]];
            *spared += dead[body.inst[i]] || fsr_inst_chosen(k, version, body.inst[i]) >= 0;
        }
    }
    return n;
}

/* Warps that do not run it alone run what asks, too: it needs a smaller part of the instructions than it has of the
 * warps.
 * Counter-example to a share of the elements: of lines of 120 two elements are edges, but half of the warps of two
 * elements a thread have one. Two lines a thread of a heat equation in space took 19.6 us of an H200 with a version
 * that spared four instructions of 48, one line without one 18.5. */
static bool pays(const fsr_kernel *k, const cell *c) {
    int spared;
    const int all = body_count(k, &(fsr_loop_version){0, 0}, &spared), own = body_count(k, &c->known, &spared);
    return c->alone >= c->share || own < c->alone * all;
}

void fsr_choose_versions(fsr_group *group) {
    fsr_schedule *s = &group->kernel->schedule;
    cells all;
    s->nversions = 0;
    cells_of(group, &all);
    for (int i = 0; i < all.n && s->nversions < FSR_MAX_VERSIONS && group->kernel->nconditions; ++i)
        if ((!s->brief || all.at[i].known.holds || all.at[i].known.never) && pays(group->kernel, &all.at[i]))
            s->version[s->nversions++] = all.at[i].known;
}

/* ---- what is printed ---------------------------------------------------------------------------------------- */

static int in_order(const void *a, const void *b) {
    const fsr_loop_version *x = a, *y = b;
    if (x->holds != y->holds)
        return x->holds < y->holds ? -1 : 1;
    return x->never < y->never ? -1 : x->never > y->never;
}

/* Some condition with a step has loops of its own. */
static bool has_steps(const fsr_kernel *k) {
    bool any = false;
    for (int c = 0; c < k->nconditions; ++c)
        any = any || (k->condition[c].step && fsr_condition_is_decidable(k, c) && fsr_condition_is_inner(k, c));
    return any && k->schedule.kind == FSR_SCHEDULE_MAP && k->schedule.walk[0].form != FSR_WALK_STRIPS &&
           !fsr_kernel_in_place(k);
}

void fsr_finish_versions(fsr_kernel *k) {
    fsr_schedule *s = &k->schedule;
    const bool steps = has_steps(k);
    int spared, printed = body_count(k, &(fsr_loop_version){0, 0}, &spared), kept = 0;
    for (int i = 0; i < s->nversions; ++i) {
        const int own = body_count(k, &s->version[i], &spared);
        const bool knows = s->version[i].holds || s->version[i].never || steps;
        if (!knows || (kept && printed + own > MOST_PRINTED))
            continue;
        printed += own;
        s->version[kept++] = s->version[i];
    }
    s->nversions = kept;
    qsort(s->version, (size_t)kept, sizeof *s->version, in_order);
    s->cut_steps = steps && kept;
}

/* Predicated loads cost a GPU little: one version, of a kernel that is mostly the same and loses much of it there. */
bool fsr_gpu_has_version(const fsr_kernel *k) {
    const fsr_schedule *s = &k->schedule;
    int spared = 0;
    const int all = body_count(k, &(fsr_loop_version){0, 0}, &spared);
    if (s->nversions)
        body_count(k, &s->version[0], &spared);
    const bool knows = s->nversions && (s->version[0].holds || s->version[0].never);
    return knows && spared >= SPARED && fsr_kernel_may_version(k) && 2 * all <= MOST_PRINTED;
}

void fsr_finish_gpu_versions(fsr_kernel *k) {
    k->schedule.nversions = fsr_gpu_has_version(k);
}
