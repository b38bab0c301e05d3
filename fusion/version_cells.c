/* SPDX-License-Identifier: MIT */
/* Cells of a domain, for versions of loops (schedule_version.c).
 *
 * Where conditions begin and end along each dimension cuts it into intervals, and these the domain into cells, in
 * each of which every condition either holds or does not. Cells that know the same are one, with the share of all.
 *
 * On a CPU conditions that count the elements of several outer dimensions cut these as if they were one: rows that
 * are folded sixteen at a time, of a picture that was turned by three. Counter-example to dimensions alone: each of
 * 128 columns asked of what its row decides, which is no vector code; 5.7 ms, and 0.48 with versions.
 *
 * Where a box lies that moves (a slice that is assigned to at a run-time offset) is not known, only how large it is:
 * its share of the dimension is taken, as if it had nothing to do with others. A condition with a step holds at
 * times in its interval; outside of the innermost loop each phase is a cell. */
#include "fusion/version_cells.h"
#include "fusion/address.h"
#include "fusion/affine.h"
#include "fusion/schedule_parts.h"
#include "fusion/walk.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_CUTS = 2 * FSR_MAX_CONDITIONS + 2,
    MOST_PHASES = 16, /* of conditions with steps that are told apart */
    WARP = 32
};

/* The elements of several dimensions, outside of the innermost loop, in order; false: it is no such form. */
static bool counts_several(const fsr_kernel *k, int condition, const fsr_form *f, fsr_line *line) {
    int several = 0;
    *line = (fsr_line){.extent = 1, .dim = -1};
    if (k->schedule.target != FSR_TARGET_CPU || f->nterms || f->divisor != 1 || k->condition[condition].step ||
        !fsr_condition_is_decidable(k, condition) || fsr_condition_is_inner(k, condition))
        return false;
    for (int d = k->ndim - 1; d >= 0; --d) {
        if (f->stride[d] == 0 || f->extent[d] == 1)
            continue;
        if (f->stride[d] != line->extent)
            return false;
        line->stride[d] = f->stride[d];
        line->extent = fsr_size_mul(line->extent, f->extent[d]);
        ++several;
    }
    return several > 1;
}

int fsr_lines_of(const fsr_group *group, fsr_line line[FSR_MOST_LINES]) {
    const fsr_kernel *k = group->kernel;
    int n = 0;
    for (; n < k->ndim; ++n) {
        line[n] = (fsr_line){.extent = group->extent[n], .dim = n};
        line[n].stride[n] = 1;
    }
    for (int c = 0; k->schedule.target == FSR_TARGET_CPU && c < k->nconditions && n < FSR_MOST_LINES; ++c) {
        const fsr_form f = fsr_form_of(k, k->integer, k->condition[c].form);
        bool known = !counts_several(k, c, &f, &line[n]);
        for (int i = k->ndim; i < n && !known; ++i)
            known = memcmp(line[i].stride, line[n].stride, sizeof line[i].stride) == 0;
        n += !known;
    }
    return n;
}

bool fsr_rows_ask(const fsr_kernel *k) {
    const fsr_schedule *s = &k->schedule;
    fsr_body body;
    if (s->brief || s->kind != FSR_SCHEDULE_MAP || s->target != FSR_TARGET_CPU || k->ndim < 2 ||
        k->integer[FSR_INT_EXTENT + k->ndim - 1] >= FSR_SHORT_ROW)
        return s->brief;
    fsr_body_of(k, 0, &body);
    return !fsr_body_has_function(k, &body);
}

/* The condition is a run of the line alone. A short innermost loop asks: short runs cost more than they spare. */
static bool moves_along(const fsr_group *group, int condition, const fsr_form *f, const fsr_line *line) {
    const fsr_kernel *k = group->kernel;
    fsr_line own;
    if (line->dim < 0)
        return counts_several(k, condition, f, &own) && memcmp(own.stride, line->stride, sizeof own.stride) == 0;
    if (!fsr_condition_is_decidable(k, condition) || !fsr_form_is_adjacent(f, line->dim) ||
        (fsr_condition_is_inner(k, condition) && fsr_rows_ask(k)))
        return false;
    for (int i = 0; i < k->ndim; ++i)
        if (i != line->dim && f->stride[i] != 0 && f->extent[i] > 1)
            return false;
    return true;
}

/* It is [low, high) of it. */
static bool run_of(const fsr_group *group, int condition, const fsr_line *line, int64_t *low, int64_t *high) {
    const fsr_kernel *k = group->kernel;
    const fsr_condition *c = &k->condition[condition];
    const fsr_form f = fsr_form_of(k, group->kernel->integer, c->form);
    if (f.nterms || !moves_along(group, condition, &f, line))
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
    fsr_line line[FSR_MOST_LINES];
    if (!f.nterms || c->step)
        return false;
    for (int d = fsr_lines_of(group, line) - 1; d >= 0; --d)
        if (moves_along(group, condition, &f, &line[d])) {
            const double part = (double)group->kernel->integer[c->extent] / (double)line[d].extent;
            *share = part < 1 ? part : group->kernel->schedule.target == FSR_TARGET_GPU ? 1 : 0.5;
            return true;
        }
    return false;
}

static int compare(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* Adds shares to the cell of this version. */
static void add(fsr_cells *to, fsr_loop_version known, double share, double alone) {
    int i = 0;
    while (i < to->n && !fsr_version_same(&to->at[i].known, &known))
        ++i;
    if (i == FSR_MOST_CELLS)
        return;
    if (i == to->n)
        to->at[to->n++] = (fsr_cell){.known = known};
    to->at[i].share += share;
    to->at[i].alone += alone;
}

/* The conditions that are runs of a line, and of each where it holds. */
typedef struct runs {
    int n, condition[FSR_MAX_CONDITIONS];
    int64_t low[FSR_MAX_CONDITIONS], high[FSR_MAX_CONDITIONS];
} runs;

static void runs_of(const fsr_group *group, const fsr_line *line, runs *out) {
    out->n = 0;
    for (int c = 0; c < group->kernel->nconditions; ++c)
        if (run_of(group, c, line, &out->low[out->n], &out->high[out->n]))
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

static void add_steps(fsr_cells *out, const fsr_cell *all, uint64_t steps, uint64_t holds, double share) {
    const double alone = all->share > 0 ? share / all->share * all->alone : 0;
    add(out, (fsr_loop_version){all->known.holds | holds, all->known.never | (steps & ~holds)}, share, alone);
}

/* Adds a cell for each set of the conditions `steps` that hold together; where there are too many phases to look at,
 * for each of them as if it were alone. Counter-example to versions where all of them hold and where none does: of
 * the two colours of a checkerboard one has each row. */
static void add_phases(const fsr_group *group, const runs *r, int64_t from, int64_t to, const fsr_cell *all,
                       fsr_cells *out) {
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

/* Adds what is known where a line's index is in [from, to), in which there is no cut. A condition with a step holds
 * there at times; outside of the innermost loop a version may know at which. */
static void add_interval(const fsr_group *group, const runs *r, const fsr_line *line, int64_t from, int64_t to,
                         fsr_cells *out) {
    const fsr_kernel *k = group->kernel;
    const bool warps = k->schedule.target == FSR_TARGET_GPU && k->schedule.kind == FSR_SCHEDULE_MAP;
    fsr_cell all = {.share = (double)(to - from) / (double)line->extent};
    all.alone = warps && to - from < line->extent ? warps_within(group, line->dim, from, to) : all.share;
    for (int i = 0; i < r->n; ++i) {
        const uint64_t bit = UINT64_C(1) << r->condition[i];
        const bool covers = r->low[i] <= from && r->high[i] >= to;
        all.known.never |= covers ? 0 : bit;
        all.known.holds |= covers && !k->condition[r->condition[i]].step ? bit : 0;
    }
    add_phases(group, r, from, to, &all, out);
}

void fsr_intervals_of(const fsr_group *group, const fsr_line *line, fsr_cells *out) {
    const int64_t extent = line->extent;
    int64_t cut[MOST_CUTS];
    int n = 0;
    runs r;
    runs_of(group, line, &r);
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
            add_interval(group, &r, line, cut[i], cut[i + 1], out);
}

static void multiply(fsr_cells *all, const fsr_cells *by, double least) {
    const fsr_cells before = *all;
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
static void float_over(const fsr_group *group, fsr_cells *all, double least) {
    for (int c = 0; c < group->kernel->nconditions; ++c) {
        const uint64_t bit = UINT64_C(1) << c;
        double share;
        if (!floats(group, c, &share))
            continue;
        const fsr_cells own = {2, {{{bit, 0}, share, share}, {{0, bit}, 1 - share, 1 - share}}};
        multiply(all, &own, least);
    }
}

double fsr_condition_share(const fsr_group *group, int condition, double *period) {
    const fsr_condition *c = &group->kernel->condition[condition];
    int64_t low, high;
    double share, points = 1;
    fsr_line line[FSR_MOST_LINES];
    fsr_lines_of(group, line);
    for (int d = group->kernel->ndim - 1; d >= 0; --d) {
        const int64_t extent = group->extent[d];
        *period = points * (double)(c->step ? group->kernel->integer[c->step] : extent);
        points *= (double)extent;
        if (extent < 1 || !run_of(group, condition, &line[d], &low, &high))
            continue;
        const int64_t from = low > 0 ? low : 0, to = high < extent ? high : extent;
        share = to > from ? (double)(to - from) / (double)extent : 0;
        return c->step ? share / (double)group->kernel->integer[c->step] : share;
    }
    *period = 1;
    return floats(group, condition, &share) ? share : 0.5;
}

static int larger_first(const void *a, const void *b) {
    const double x = ((const fsr_cell *)a)->share, y = ((const fsr_cell *)b)->share;
    return x > y ? -1 : x < y;
}

void fsr_cells_of(const fsr_group *group, double least, fsr_cells *out) {
    fsr_cells own;
    fsr_line line[FSR_MOST_LINES];
    const int n = group->kernel->nconditions ? fsr_lines_of(group, line) : 0;
    *out = (fsr_cells){.n = 1, .at = {{.share = 1, .alone = 1}}};
    for (int i = 0; i < n; ++i) {
        if (line[i].extent < 1) {
            out->n = 0;
            return;
        }
        fsr_intervals_of(group, &line[i], &own);
        multiply(out, &own, least);
    }
    float_over(group, out, least);
    qsort(out->at, (size_t)out->n, sizeof *out->at, larger_first);
}
