/* SPDX-License-Identifier: MIT */
/* Which groups of a partition become nests of another one's kernel (fusion/nest.h).
 *
 * A map whose results only one other kernel reads, along its rows in order, need not be stored: who reads them computes
 * them for one band of its rows after the other. Candidates are looked at from the last group to the first, so that a
 * chain becomes one kernel as far as that pays: each nest more widens what the ones before it have to compute twice,
 * where two bands meet, and leaves smaller bands, as all of a band's results are to stay in a near cache.
 *
 * Counter-example to going by memory alone: of a chain that computes all the time nothing is spared.
 * Counter-example to any reader: who reads rows in no order, or the same row for each element, would need all of
 * them. */
#include "fusion/bands.h"
#include "fusion/address.h"
#include "fusion/nest.h"
#include "fusion/pairs.h"
#include "fusion/partition_parts.h"
#include "fusion/price.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    TASKS = 16,       /* bands that a kernel has at least, for threads */
    MOST_GROUPS = 512 /* of a plan: who reads what is asked of all of them for each */
};

typedef struct chooser {
    fsr_partition *p;
    const fsr_prices *prices;
    fsr_bands *bands;
    const int *order;
    int count;
} chooser;

/* ---- what may be a nest ------------------------------------------------------------------------------------- */

static bool is_plain(const fsr_group *group) {
    return group->kernel && !group->library && !group->in_place && fsr_kernel_may_band(group->kernel);
}

static bool is_output(const fsr_flow *flow, fsr_link link) {
    for (int i = 0; i < flow->nout; ++i)
        if (fsr_link_equal(flow->out[i], link))
            return true;
    return false;
}

static bool reads(const fsr_group *group, fsr_link link) {
    for (int i = 0; i < fsr_group_arrays(group); ++i)
        if (fsr_group_reads(group, i) && !group->operand[i].leaf && !group->operand[i].report &&
            fsr_link_equal(group->operand[i].link, link))
            return true;
    return false;
}

/* Some group writes over an array that this one reads or stores. */
static bool is_written_over(const chooser *c, const fsr_group *group) {
    for (int i = 0; i < c->count; ++i) {
        const fsr_group *other = &c->p->group[c->order[i]];
        for (int a = 0; other->in_place && a < group->kernel->narrays; ++a)
            if (fsr_operand_equal(&other->base, &group->operand[a]))
                return true;
    }
    return false;
}

/* Its results are stored once, in flat order, and are no one's but the kernels'; no hint and no cut asks for them in
 * memory. */
static bool may_be_nest(const chooser *c, const fsr_group *group) {
    const fsr_kernel *k = group->kernel;
    if (!is_plain(group) || group->part || k->nroutines)
        return false;
    for (int i = 0; i < group->nstores; ++i)
        if (is_output(c->p->flow, group->store[i]) || c->p->held[group->store[i].id] == FSR_HELD)
            return false;
    for (int i = 0; i < k->ninsts; ++i)
        if (k->inst[i].kind == FSR_INST_STORE && !k->access[k->inst[i].index].linear)
            return false;
    return !is_written_over(c, group);
}

/* ---- who reads it ------------------------------------------------------------------------------------------- */

/* The group, or whose nest it is. */
static int host_of(const chooser *c, int g) {
    return c->bands->into[g] >= 0 ? c->bands->into[g] : g;
}

static bool reads_some(const fsr_group *group, const fsr_group *of) {
    for (int i = 0; i < of->nstores; ++i)
        if (reads(group, of->store[i]))
            return true;
    return false;
}

/* The one kernel in which all stand that need the group; -1: they do not, or there is none. */
static int common_host(const chooser *c, int g) {
    int host = -1;
    for (int i = 0; i < c->count; ++i) {
        const int q = c->order[i];
        const fsr_group *other = &c->p->group[q];
        if (q == g || (!reads_some(other, &c->p->group[g]) && !fsr_group_depends(other, g)))
            continue;
        if (!is_plain(other) || (host >= 0 && host != host_of(c, q)))
            return -1;
        host = host_of(c, q);
    }
    return host;
}

static int64_t floor_div(int64_t a, int64_t b) {
    return a / b - (a % b < 0);
}

/* The indices [low, high) of the outermost dimension at which a load takes place, as far as conditions that ask for
 * that index alone say it. */
static void rows_of_load(const fsr_group *group, const fsr_inst *load, int64_t *low, int64_t *high) {
    const fsr_kernel *k = group->kernel;
    *low = 0;
    *high = group->kernel->integer[FSR_INT_EXTENT];
    for (int i = 0; load->guard && i < k->guard[load->guard - 1].n; ++i) {
        const fsr_condition *condition = &k->condition[k->guard[load->guard - 1].condition[i]];
        const fsr_form f = fsr_form_of(k, group->kernel->integer, condition->form);
        if (f.stride[0] != 1 || f.nterms || fsr_form_varies(&f, 1, f.ndim))
            continue;
        const int64_t end = group->kernel->integer[condition->extent] - f.offset;
        *low = -f.offset > *low ? -f.offset : *low;
        *high = end < *high ? end : *high;
    }
}

/* The load reads what group g stores. */
static bool is_load_of(const chooser *c, const fsr_group *group, int inst, int g) {
    const fsr_inst *load = &group->kernel->inst[inst];
    if (load->kind != FSR_INST_LOAD)
        return false;
    const fsr_operand *operand = &group->operand[group->kernel->access[load->index].buffer];
    return !operand->leaf && !operand->report && fsr_group_stores(&c->p->group[g], operand->link);
}

/* What indices of the reader's own outermost dimension need of g's results. What one load reads in another order, as
 * one that repeats the row at a border, it reads for few indices: `out` then holds at these. */
static bool need_of_reader(const chooser *c, const fsr_group *group, int g, fsr_band_need *out) {
    const fsr_kernel *k = group->kernel;
    *out = (fsr_band_need){0, INT64_MAX, INT64_MIN};
    for (int i = 0; i < k->ninsts; ++i)
        if (is_load_of(c, group, i, g)) {
            const int64_t step = fsr_form_of_access(k, group->kernel->integer, k->inst[i].index).stride[0];
            out->step = step > out->step ? step : out->step;
        }
    for (int i = 0; i < k->ninsts; ++i) {
        int64_t low, high, first, last;
        if (!is_load_of(c, group, i, g))
            continue;
        fsr_form f = fsr_form_of_access(k, group->kernel->integer, k->inst[i].index);
        const int64_t other = f.stride[0] - out->step;
        f.extent[0] = 1;
        if (f.nterms || f.divisor != 1 || f.whole)
            return false;
        rows_of_load(group, &k->inst[i], &low, &high);
        fsr_form_range(&f, &first, &last);
        first += other * (high > low && other ? high - 1 : 0);
        last += other * low;
        out->first = first < out->first ? first : out->first;
        out->last = last > out->last ? last : out->last;
    }
    return out->step > 0;
}

/* The same as what a band of the host needs. Of a reader that is a nest its rows are known, [step * low + first, ...]
 * over its span, where that divides the step; else bounds of them, where its span divides what the reader steps by. */
static bool need_for_band(const chooser *c, int q, fsr_band_need *need) {
    const fsr_band_need *own = &c->bands->need[q];
    const int64_t step = need->step, span = fsr_nest_span(c->p->group[q].kernel->integer);
    if (host_of(c, q) == q)
        return true;
    if (own->step % span == 0) {
        need->first += step * floor_div(own->first, span);
        need->last += step * floor_div(own->last, span);
        need->step = step * (own->step / span);
        return true;
    }
    need->first += step / span * (own->first - (span - 1));
    need->last += step / span * own->last;
    need->step = step / span * own->step;
    return step % span == 0;
}

/* What the host needs for a band of a group's results, all readers together. False: that is no range of rows. */
static bool need_of(const chooser *c, int g, fsr_band_need *out) {
    *out = (fsr_band_need){0, INT64_MAX, INT64_MIN};
    for (int i = 0; i < c->count; ++i) {
        const int q = c->order[i];
        fsr_band_need one;
        if (q == g || !reads_some(&c->p->group[q], &c->p->group[g]))
            continue;
        if (!need_of_reader(c, &c->p->group[q], g, &one) || !need_for_band(c, q, &one) ||
            (out->step && out->step != one.step))
            return false;
        out->step = one.step;
        out->first = one.first < out->first ? one.first : out->first;
        out->last = one.last > out->last ? one.last : out->last;
    }
    return out->step > 0;
}

/* ---- prices ------------------------------------------------------------------------------------------------- */

static int element_bytes(const fsr_group *group) {
    int bytes = 0;
    for (int b = 0; b < group->kernel->narrays; ++b)
        bytes += group->kernel->array[b].written ? (int)fsr_dtype_size(group->kernel->array[b].dtype) : 0;
    return bytes;
}

/* Indices of a band whose results, of all nests of the host and of group `more`, a near cache holds. */
static int64_t band_of(const chooser *c, int host, int more) {
    const int64_t extent = c->p->group[host].kernel->integer[FSR_INT_EXTENT];
    double each = 0, fixed = 0;
    for (int i = 0; i < c->count; ++i) {
        const int g = c->order[i];
        if (c->bands->into[g] != host && g != more)
            continue;
        const fsr_band_need *need = &c->bands->need[g];
        const double size = element_bytes(&c->p->group[g]);
        each += size * (double)need->step;
        fixed += size * ((double)need->last - (double)need->first +
                         2 * (double)fsr_nest_span(c->p->group[g].kernel->integer) - (double)need->step);
    }
    const double most = (c->prices->near - fixed) / each, least = ceil((double)extent / TASKS);
    return most < 1 ? 0 : (int64_t)(most < least ? most : least);
}

/* Bytes of a group's results. */
static double stored_bytes(const fsr_group *group) {
    return (double)group->kernel->integer[FSR_INT_ROWS] * element_bytes(group);
}

/* ns of what the nests of a host and group `more` compute twice in bands of so many. */
static double lost(const chooser *c, int host, int more, int64_t band) {
    double sum = 0;
    for (int i = 0; i < c->count; ++i) {
        const int g = c->order[i];
        if (c->bands->into[g] != host && g != more)
            continue;
        const fsr_band_need *need = &c->bands->need[g];
        double issue;
        fsr_price_group(c->p, &c->p->group[g], &issue);
        sum += issue * fsr_nest_twice((int64_t[]){need->step, need->first, need->last}, band);
    }
    return sum;
}

static int readers_of(const chooser *c, int g) {
    int n = 0;
    for (int i = 0; i < c->count; ++i)
        n += c->order[i] != g && reads_some(&c->p->group[c->order[i]], &c->p->group[g]);
    return n;
}

/* ns that it spares that the results of a host's nests and of group `more` are neither stored nor loaded. */
static double spared(const chooser *c, int host, int more) {
    double sum = 0;
    for (int i = 0; i < c->count; ++i) {
        const int g = c->order[i];
        if (c->bands->into[g] == host || g == more)
            sum += fsr_price_moved(c->prices, stored_bytes(&c->p->group[g]) * (1 + readers_of(c, g)), c->p->footprint);
    }
    return sum * c->prices->shown;
}

/* Whether group g is worth one more nest of the host, in bands of so many. */
static bool is_cheaper(const chooser *c, int host, int g, int64_t band) {
    const int64_t before = c->bands->band[host];
    const double gain = spared(c, host, g) - lost(c, host, g, band);
    return gain > (before ? spared(c, host, -1) - lost(c, host, -1, before) : 0);
}

/* Scalar arguments of a nest, with the constants that may become some. */
static int most_scalars(const fsr_kernel *k) {
    int n = k->nscalars;
    for (int i = 0; i < k->ninsts; ++i)
        n += k->inst[i].kind == FSR_INST_CONST;
    return n;
}

/* Arguments and nests of the host, with group g. */
static bool has_room(const chooser *c, int host, int g) {
    const fsr_kernel *last = c->p->group[host].kernel;
    int nests = 0, arrays = last->narrays, ints = last->nints + 2, scalars = last->nscalars;
    for (int i = 0; i < c->count; ++i) {
        const int n = c->order[i];
        if (c->bands->into[n] != host && n != g)
            continue;
        const fsr_kernel *k = c->p->group[n].kernel;
        ++nests;
        arrays += k->narrays;
        ints += k->nints + FSR_REACH_SIZE + k->narrays;
        scalars += most_scalars(k);
    }
    return nests <= FSR_MAX_NESTS && arrays <= FSR_MAX_BUFFERS && ints <= FSR_MAX_INTS && scalars <= FSR_MAX_SCALARS;
}

/* ---- the choice --------------------------------------------------------------------------------------------- */

/* A hint keeps group b apart from what is computed in the host's kernel already. */
static bool are_kept_apart(const chooser *c, int host, int b) {
    const fsr_partition *p = c->p;
    bool apart = false;
    for (int i = 0; i < c->count && p->flow->npairs && !apart; ++i) {
        const int g = c->order[i];
        apart = (g == host || c->bands->into[g] == host) &&
                fsr_pairs_apart(p->flow, p->group[g].kernel, p->group[b].kernel);
    }
    return apart;
}

/* Nothing cuts the two groups, and neither is a kernel of its own. */
static bool are_together(const chooser *c, int a, int b) {
    const fsr_cuts *cuts = c->p->cuts;
    const int x = fsr_group_first(&c->p->group[a]), y = fsr_group_first(&c->p->group[b]);
    return !fsr_cuts_apart(cuts, x) && !fsr_cuts_apart(cuts, y) &&
           fsr_cuts_segment(cuts, x) == fsr_cuts_segment(cuts, y) && !are_kept_apart(c, a, b);
}

static void look_at(const chooser *c, int g) {
    fsr_bands *bands = c->bands;
    if (!fsr_partition_may_fuse(c->p) || !c->p->group[g].kernel ||
        stored_bytes(&c->p->group[g]) <= 2 * c->prices->near || !may_be_nest(c, &c->p->group[g]))
        return;
    const int host = common_host(c, g);
    if (host < 0 || bands->into[host] >= 0 || !are_together(c, host, g) || !has_room(c, host, g) ||
        !need_of(c, g, &bands->need[g]))
        return;
    const int64_t band = band_of(c, host, g);
    if (band < 1 || !is_cheaper(c, host, g, band))
        return;
    bands->into[g] = host;
    bands->band[host] = band;
    fsr_partition_fused(c->p, "%s (%%%d) is computed for bands of %s (%%%d)", fsr_group_first(&c->p->group[g]),
                        fsr_group_first(&c->p->group[host]));
}

bool fsr_bands_choose(fsr_bands *bands, fsr_partition *p, const int *order, int count) {
    const size_t n = (size_t)p->ngroups + 1;
    const chooser c = {p, fsr_prices_of(p->target->gpu), bands, order, count};
    bool no_memory = false;
    bands->into = malloc(sizeof *bands->into * n);
    bands->band = calloc(n, sizeof *bands->band);
    bands->need = calloc(n, sizeof *bands->need);
    if (!bands->into || !bands->band || !bands->need)
        return false;
    memset(bands->into, 0xff, sizeof *bands->into * n);
    p->no_memory = &no_memory;
    for (int i = count - 1; i >= 0 && count <= MOST_GROUPS && !p->target->gpu && !no_memory; --i)
        look_at(&c, order[i]);
    p->no_memory = NULL;
    return !no_memory;
}

void fsr_bands_clear(fsr_bands *bands) {
    free(bands->into);
    free(bands->band);
    free(bands->need);
    *bands = (fsr_bands){0};
}
