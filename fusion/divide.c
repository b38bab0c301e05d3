/* SPDX-License-Identifier: MIT */
/* Kernels that compute alternatives which nobody wants are divided into kernels that write slices.
 *
 * A kernel with choices by guards, stacks, concatenations, pastes, computes every alternative for every element, but
 * where a version of its loops knows better; and versions are few and their text is short. So the domain of a map
 * without folds may be cut, at the edge of a guard, or into the elements that have each remainder by a guard's step.
 * Each part is lowered by itself: there guards hold or do not, and what they chose between is gone. All parts write the
 * same arrays. The cut that spares most work is looked for first, then those of its parts; a division stays if the
 * kernels of the parts, launches, and lines of memory that several of them touch, cost less than the one kernel.
 *
 * The last part keeps the group's number and waits for the others, so that who depends on it need not know.
 *
 * Counter-example to a part for each cell of all guards: the 27 of a stencil's edges, for which versions cost nothing.
 * Counter-example to storing each alternative: the maps below and above the choice stay in the part's kernel. */
#include "fusion/address.h"
#include "fusion/partition_parts.h"
#include "fusion/price.h"
#include "fusion/schedule_parts.h"
#include <math.h>
#include <stdlib.h>

enum { MOST_PARTS = 32, MOST_DEPTH = 12, MOST_STEP = 8, MOST_CUTS = 2 * FSR_MAX_CONDITIONS };

/* A way to cut one dimension: at a place, or into remainders. */
typedef struct cut {
    int dim;
    int64_t at, step; /* step 1: [0, at) and the rest; else every step-th element, from each of the first */
    bool brief;       /* of brief rows that are gathered */
} cut;

/* Places start, start + step ... of a dimension. */
typedef struct places {
    int64_t start, step, count;
} places;

/* Dividing recurses, and a caller's thread may have little stack: what is needed only to look for a cut, which is found
 * before its parts are divided, has its room here and not in the frame of each depth. */
typedef struct division {
    fsr_partition *p;
    const fsr_prices *prices;
    fsr_trial unmerged;     /* find_cut's */
    fsr_price_loop loop;    /* of that trial */
    cut list[MOST_CUTS];    /* best_cut's */
    const fsr_group *whole; /* until commit makes room for its parts */
    int g, lacks;           /* its number, and how many values, whichever, a part may need that nobody has stored yet */
    int n;
    fsr_group part[MOST_PARTS];
    double price[MOST_PARTS];
} division;

/* The remainders are as many parts. */
static int parts_of(const cut *c) {
    return c->step > 1 ? (int)c->step : 2;
}

static places part_of(const cut *c, int i, int64_t extent) {
    if (c->step > 1)
        return (places){i, c->step, (extent - i + c->step - 1) / c->step};
    return i == 0 ? (places){0, 1, c->at} : (places){c->at, 1, extent - c->at};
}

/* ---- what is known of conditions in a part ----------------------------------------------------------------- */

/* The condition asks dimension d alone: its form, at i - low. */
static bool asks_only(const fsr_group *group, int condition, int d, int64_t *low) {
    const fsr_form f = fsr_form_of(group->kernel, group->kernel->integer, group->kernel->condition[condition].form);
    bool only = f.nterms == 0 && f.divisor == 1 && f.stride[d] == 1;
    for (int i = 0; i < f.ndim; ++i)
        only = only && (i == d || f.stride[i] == 0 || f.extent[i] <= 1);
    *low = -f.offset;
    return only;
}

static int64_t step_of(const fsr_group *group, int condition) {
    const int slot = group->kernel->condition[condition].step;
    return slot ? group->kernel->integer[slot] : 1;
}

static void know(const fsr_group *group, int d, const places *at, fsr_loop_version *known) {
    const fsr_kernel *k = group->kernel;
    int64_t low;
    for (int c = 0; c < k->nconditions; ++c) {
        if (!asks_only(group, c, d, &low))
            continue;
        const int64_t high = low + group->kernel->integer[k->condition[c].extent], step = step_of(group, c);
        const int64_t first = at->start, last = first + (at->count - 1) * at->step;
        const bool fixed = step == 1 || at->step % step == 0, hits = (first - low) % step == 0;
        const uint64_t bit = UINT64_C(1) << c;
        known->never |= last < low || first >= high || (fixed && !hits) ? bit : 0;
        known->holds |= first >= low && last < high && fixed && hits ? bit : 0;
    }
}

/* Operations of the whole domain if it is cut so, in ns; versions are left out. */
static double work_of(const division *s, const cut *c) {
    const fsr_group *group = s->loop.group;
    const double elements =
        (double)fsr_size_mul(group->kernel->integer[FSR_INT_ROWS], group->kernel->integer[FSR_INT_COLS]);
    const int64_t extent = c ? group->extent[c->dim] : 1;
    double sum = 0;
    for (int i = 0; i < (c ? parts_of(c) : 1); ++i) {
        fsr_loop_version known = {0, 0};
        places at = {0, 1, 1};
        if (c) {
            at = part_of(c, i, extent);
            know(group, c->dim, &at, &known);
        }
        const fsr_price_work work = fsr_price_version(&s->loop, &known);
        sum +=
            fmax((work.operations + work.single) / s->prices->issue, fsr_price_accesses(s->prices, &work, INFINITY)) *
            (double)at.count / (double)extent;
    }
    return elements * sum;
}

/* ---- where to cut ------------------------------------------------------------------------------------------- */

static void add_cut(cut *list, int *n, cut c, int64_t extent) {
    bool there = c.step == 1 ? c.at <= 0 || c.at >= extent : c.step > MOST_STEP || c.step > extent;
    for (int i = 0; i < *n && !there; ++i)
        there = list[i].dim == c.dim && list[i].at == c.at && list[i].step == c.step;
    if (!there && *n < MOST_CUTS)
        list[(*n)++] = c;
}

/* The one that leaves the least work. False: there is none. */
static bool best_cut(division *s, cut *best, double *least) {
    const fsr_group *group = s->loop.group;
    const fsr_kernel *k = group->kernel;
    cut *list = s->list;
    int64_t low;
    int n = 0;
    for (int c = 0; c < k->nconditions; ++c)
        for (int d = 0; d < k->ndim; ++d) {
            if (!asks_only(group, c, d, &low))
                continue;
            const int64_t high = low + group->kernel->integer[k->condition[c].extent], step = step_of(group, c);
            add_cut(list, &n, (cut){.dim = d, .at = low, .step = 1}, group->extent[d]);
            add_cut(list, &n, (cut){.dim = d, .at = high, .step = 1}, group->extent[d]);
            if (step > 1)
                add_cut(list, &n, (cut){.dim = d, .step = step}, group->extent[d]);
        }
    for (int i = 0; i < n; ++i) {
        const double work = work_of(s, &list[i]);
        if (i == 0 || work < *least) {
            *least = work;
            *best = list[i];
        }
    }
    return n > 0;
}

/* ---- dividing ----------------------------------------------------------------------------------------------- */

/* The group over a part of its domain. False: it cannot be lowered so. */
static bool lower(const division *s, const fsr_domain *domain, bool unmerged, fsr_trial *t) {
    const fsr_group *whole = s->whole;
    fsr_group *out = &t->group;
    fsr_link blame;
    fsr_group_begin(out, &t->room);
    out->domain = *domain;
    out->nstores = whole->nstores;
    out->part = true;
    out->unmerged = unmerged;
    out->in_place = whole->in_place;
    out->base = whole->base;
    for (int i = 0; i < whole->nstores; ++i)
        out->store[i] = whole->store[i];
    if (fsr_group_try(s->p, s->g, out, &blame))
        return false;
    bool good = out->nneeds <= s->lacks && out->nloops == 0;
    for (int i = 0; good && whole->in_place && i < whole->ndeps; ++i)
        good = fsr_group_depend(out, whole->deps[i]); /* who reads what is overwritten */
    if (good)
        return true;
    fsr_kernel_free(out->kernel);
    return false;
}

/* Something is gathered in rows of so few elements that loops along them have no stages: those of a place each have. */
static bool is_brief(const division *s) {
    const fsr_group *group = &s->unmerged.group;
    const fsr_kernel *k = group->kernel;
    bool gathers = false;
    for (int a = 0; a < k->naccesses && !gathers; ++a) {
        const fsr_form f = fsr_form_of_access(k, k->integer, a);
        gathers = fsr_price_is_gather(&f);
    }
    return gathers && s->prices->brief > 0 && (double)group->extent[k->ndim - 1] <= s->prices->lanes / 2;
}

/* Whether a cut of the kernel, whose work as scheduled is known, leaves so much less of it that it is worth looking at.
 * What is not scheduled yet has no loops that leave no vector code: its work says which part of it a cut leaves, and
 * not how much that is. */
static bool find_cut(division *s, const fsr_domain *domain, double work, cut *c) {
    double left = 0;
    if (s->prices->launch >= s->prices->gain * work || !lower(s, domain, true, &s->unmerged))
        return false;
    fsr_price_loop_of(&s->loop, s->prices, &s->unmerged.group, 0);
    bool found = best_cut(s, c, &left);
    const double whole = found ? work_of(s, NULL) : 0;
    c->brief = found && is_brief(s);
    found = found && (c->brief || left * work / whole + s->prices->launch < (1 - s->prices->gain) * work);
    fsr_kernel_free(s->unmerged.group.kernel);
    return found;
}

static void drop(division *s, int from) {
    while (s->n > from)
        fsr_group_clear(&s->part[--s->n]);
}

static bool divide(division *s, const fsr_domain *domain, int depth);

/* The parts of a cut, each divided again. */
static bool divide_parts(division *s, const fsr_domain *domain, const cut *c, int depth) {
    bool good = true;
    for (int i = 0; good && i < parts_of(c); ++i) {
        const places at = part_of(c, i, domain->extent[c->dim]);
        fsr_domain part = *domain;
        fsr_domain_cut(&part, c->dim, at.start, at.step, at.count);
        good = divide(s, &part, depth + 1);
    }
    return good;
}

/* The part of the price that parts must spare. Those of a CPU's rows of fewer elements than two vectors have each write
 * some of every line, which takes them longer than prices say, and the rows less. Counter-example to the same part: a
 * pad of 300,000 rows to 4 f32 took 0.17 ms of two threads, and 0.30 as its first column, the middle and the last
 * one. */
static double gain_of(const division *s, const fsr_group *whole, const cut *c) {
    const double of_short_rows = 0.6;
    const bool short_rows = c->dim == whole->domain.ndim - 1 && s->prices->brief > 0 && !c->brief &&
                            (double)whole->domain.extent[c->dim] < 2 * s->prices->lanes;
    return short_rows ? of_short_rows : s->prices->gain;
}

/* Adds parts that cost less than the group, which is not lowered again to know that, and whose price is told. False:
 * there are none. */
static bool has_parts(division *s, const fsr_group *whole, int depth, double *price) {
    double work, parts = 0;
    cut c = {.step = 1};
    const int from = s->n;
    *price = fsr_price_group(s->p, whole, &work);
    bool cut_it = !*s->p->no_memory && depth < MOST_DEPTH && whole->kernel->nconditions > 0 &&
                  work > (*price - s->prices->launch) / 2 && find_cut(s, &whole->domain, work, &c) &&
                  divide_parts(s, &whole->domain, &c, depth);
    for (int i = from; i < s->n; ++i)
        parts += s->price[i];
    if (cut_it && parts < (1 - gain_of(s, whole, &c)) * *price)
        return true;
    drop(s, from);
    return false;
}

/* Adds the parts of a domain, itself if it stays whole. False: it cannot be lowered, or there is no room. */
static bool divide(division *s, const fsr_domain *domain, int depth) {
    fsr_trial trial;
    fsr_group *whole = &trial.group;
    double price;
    if (!lower(s, domain, false, &trial))
        return false;
    if (has_parts(s, whole, depth, &price)) {
        fsr_kernel_free(whole->kernel);
        return true;
    }
    const bool kept = s->n < MOST_PARTS && fsr_group_keep(whole);
    if (!kept) {
        *s->p->no_memory = *s->p->no_memory || s->n < MOST_PARTS;
        fsr_kernel_free(whole->kernel);
        return false;
    }
    s->price[s->n] = price;
    s->part[s->n++] = *whole;
    return true;
}

/* All parts but the last are new groups; the last one waits for them. */
static void commit(division *s) {
    fsr_partition *p = s->p;
    fsr_group last = s->part[s->n - 1];
    fsr_group_room room;
    fsr_group_use(&last, &room);
    for (int i = 0; i + 1 < s->n; ++i)
        if (!fsr_group_depend(&last, p->ngroups + i))
            return;
    while (s->n > 1) {
        if (!fsr_partition_room(p)) {
            *p->no_memory = true;
            return;
        }
        p->group[p->ngroups++] = s->part[0];
        for (int i = 0; i < s->part[0].ndeps; ++i)
            fsr_partition_wait(p, p->ngroups - 1, s->part[0].deps[i]);
        fsr_partition_settle(p, p->ngroups - 1);
        --s->n;
        for (int i = 0; i < s->n; ++i)
            s->part[i] = s->part[i + 1];
    }
    s->part[0].kernel = NULL;
    if (fsr_group_put(p, s->g, &last))
        fsr_partition_settle(p, s->g);
}

/* A map with guards, whose results nobody has to keep apart; in place, of a section that is where it is said to be,
 * over what it does not read. */
static bool may_be_divided(const fsr_partition *p, const fsr_group *group) {
    bool may = group->kernel && group->kernel->nconditions > 0 && !group->nfolds && !group->nloops &&
               group->nstores > 0 && fsr_group_places(group) == 1;
    if (may && group->in_place)
        may = fsr_has(p->flow->node[group->store[0].id].kind, FSR_FIELD_view) && !fsr_kernel_in_place(group->kernel);
    for (int i = 0; may && i < group->nstores; ++i)
        may = !fsr_is(p->flow->node[group->store[i].id].kind, FSR_IS_STORED);
    return may && group->kernel->integer[FSR_INT_ROWS] > 0 && group->kernel->npasses == 0;
}

static void begin(division *s, fsr_partition *p, const fsr_group *whole, int g) {
    s->p = p;
    s->prices = fsr_prices_of(p->target->gpu);
    s->whole = whole;
    s->g = g;
    s->lacks = s->n = 0;
}

double fsr_price_divided(fsr_partition *p, const fsr_group *group, int g) {
    double price = INFINITY, parts = 0;
    division *s = may_be_divided(p, group) && !group->kernel->live ? malloc(sizeof *s) : NULL;
    if (!s)
        return INFINITY;
    begin(s, p, group, g);
    s->lacks = group->nneeds;
    const bool divided = has_parts(s, group, 0, &price);
    for (int i = 0; i < s->n; ++i)
        parts += s->price[i];
    drop(s, 0);
    free(s);
    return divided ? parts : price;
}

/* A group as it is tells whether dividing it may be worth its while; whether it is, the group lowered anew says, which
 * reads what other groups have come to store, as its parts do. Counter-example to asking the first alone: parts that
 * cost less only since they read what the whole could read as well. */
void fsr_partition_divide(fsr_partition *p) {
    division *s = NULL;
    const int n = p->ngroups;
    double price;
    for (int g = 0; g < n && p->fuse && !*p->no_memory; ++g) {
        if (!may_be_divided(p, &p->group[g]) || !fsr_group_has_needs(p, &p->group[g]))
            continue;
        if (!s && !(s = malloc(sizeof *s))) {
            *p->no_memory = true;
            return;
        }
        begin(s, p, &p->group[g], g);
        const bool worth = p->group[g].kernel->live /* parts have no end */ || has_parts(s, &p->group[g], 0, &price);
        drop(s, 0);
        const bool divided = worth && divide(s, &p->group[g].domain, 0);
        if (divided && s->n > 1)
            commit(s);
        drop(s, 0);
    }
    free(s);
}
