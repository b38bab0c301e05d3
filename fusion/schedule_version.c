/* SPDX-License-Identifier: MIT */
/* Versions of loops: what is known of the conditions of guards where they run.
 *
 * A version is printed for cells (version_cells.c) that are a fair part of the domain: the inside of a stencil, the
 * pieces of a concatenation. Everything else, corners and edges, runs the version that asks. Counter-example to
 * asking in the loop: nine neighbours with their edges repeated are 81 masked loads an element, of which nine are
 * wanted. Counter-example to a version for each cell: 27 of a stencil in three dimensions, 26 of them for one
 * element in forty.
 *
 * On a CPU short intervals of a dimension have a version as well if next to nothing is left to do there, as where a
 * paste keeps what was there: what asks is no vector code for the few elements at the end of a row. Counter-example
 * to one size for all: a heat equation in lines of 120 elements, whose two ends took as long as the 118 between
 * them.
 *
 * Cells depend on sizes, and are found when a schedule is chosen. How much text there may be is known when it is
 * finished; then what is left stands in an order that does not depend on which cell is larger, so that the kernel of
 * another shape is the same one.
 *
 * A condition with a step (x[::2] = y) holds for some elements of its interval. On a CPU those are done again, after
 * the others, in a loop of their own (cut_steps); not where arrays share memory: what the first loop has written
 * could be read. */
#include "fusion/address.h"
#include "fusion/affine.h"
#include "fusion/schedule_parts.h"
#include "fusion/version_cells.h"
#include "fusion/walk.h"
#include <stdlib.h>

enum {
    FEW = 32,           /* CPU: a cell of fewer than one element in so many has no version, */
    FEWEST = 8192,      /* but an interval of more than one in so many, */
    SLIGHT = 4,         /* whose loop has no more than one instruction in so many */
    SPARED = 5,         /* GPU: instructions of an element that are worth a second program */
    MOST_PRINTED = 320, /* instructions, all versions together; but one version there is in any case */
};

/* The cells that may have versions, the largest first. */
static void cells_of(const fsr_group *group, fsr_cells *all) {
    const bool gpu = group->kernel->schedule.target == FSR_TARGET_GPU;
    fsr_cells_of(group, gpu ? FSR_GPU_QUARTERS / 4.0 : 1.0 / FEW, all);
}

double fsr_version_share(const fsr_group *group, const fsr_loop_version *version) {
    fsr_cells all;
    cells_of(group, &all);
    for (int i = 0; i < all.n; ++i)
        if (fsr_version_same(&all.at[i].known, version))
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
static bool pays(const fsr_kernel *k, const fsr_cell *c) {
    int spared;
    const int all = body_count(k, &(fsr_loop_version){0, 0}, &spared), own = body_count(k, &c->known, &spared);
    return c->alone >= c->share || own < c->alone * all;
}

static void choose(fsr_schedule *s, fsr_loop_version version) {
    bool any = false;
    for (int i = 0; i < s->nversions; ++i)
        any = any || fsr_version_same(&s->version[i], &version);
    if (!any && s->nversions < FSR_MAX_VERSIONS)
        s->version[s->nversions++] = version;
}

/* What never holds in short intervals of lines at which next to nothing is left to do, wherever the other indices
 * are. */
static void choose_ends(fsr_group *group) {
    const fsr_kernel *k = group->kernel;
    fsr_cells own;
    fsr_line line[FSR_MOST_LINES];
    int spared;
    for (int d = 0, n = k->nconditions ? fsr_lines_of(group, line) : 0; d < n; ++d) {
        if (line[d].extent < 1)
            return;
        fsr_intervals_of(group, &line[d], &own);
        for (int i = 0; i < own.n; ++i) {
            const fsr_loop_version never = {0, own.at[i].known.never};
            if (never.never && own.at[i].share < 1.0 / FEW && own.at[i].share >= 1.0 / FEWEST &&
                body_count(k, &never, &spared) * SLIGHT <= body_count(k, &(fsr_loop_version){0, 0}, &spared))
                choose(&group->kernel->schedule, never);
        }
    }
}

void fsr_choose_versions(fsr_group *group) {
    const fsr_kernel *k = group->kernel;
    fsr_cells all;
    group->kernel->schedule.nversions = 0;
    cells_of(group, &all);
    const bool asks = k->nconditions && fsr_rows_ask(k);
    for (int i = 0; i < all.n && k->nconditions; ++i)
        if ((!asks || all.at[i].known.holds || all.at[i].known.never) && pays(k, &all.at[i]))
            choose(&group->kernel->schedule, all.at[i].known);
    if (k->schedule.target == FSR_TARGET_CPU)
        choose_ends(group);
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

/* Rows that are taken together have none: their first stage asks. */
void fsr_finish_versions(fsr_kernel *k) {
    fsr_schedule *s = &k->schedule;
    const bool steps = has_steps(k);
    int spared, printed = body_count(k, &(fsr_loop_version){0, 0}, &spared), kept = 0;
    for (int i = 0; i < s->nversions && !s->together; ++i) {
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
