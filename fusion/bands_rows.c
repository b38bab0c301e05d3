/* SPDX-License-Identifier: MIT */
/* Nests on a CPU: bands of rows (fusion/nest.h), what a band needs of a nest, how large it is and when it pays.
 *
 * Each nest more widens what the ones before it have to compute twice, where two bands meet, and leaves smaller bands,
 * as all of a band's results are to stay in a near cache.
 *
 * Counter-example to going by memory alone: of a chain that computes all the time nothing is spared. */
#include "fusion/address.h"
#include "fusion/bands_parts.h"
#include "fusion/nest.h"
#include <math.h>

enum { TASKS = 16 /* bands that a kernel has at least, for threads */ };

static int64_t floor_div(int64_t a, int64_t b) {
    return a / b - (a % b < 0);
}

/* What indices of the reader's own outermost dimension need of g's results. What one load reads in another order, as
 * one that repeats the row at a border, it reads for few indices: `out` then holds at these. */
static bool need_of_reader(const fsr_band_chooser *c, const fsr_group *group, int g, fsr_band_need *out) {
    const fsr_kernel *k = group->kernel;
    *out = (fsr_band_need){0, INT64_MAX, INT64_MIN};
    for (int i = 0; i < k->ninsts; ++i)
        if (fsr_band_loads(c->p, group, k, i, g)) {
            const int64_t step = fsr_form_of_access(k, group->kernel->integer, k->inst[i].index).stride[0];
            out->step = step > out->step ? step : out->step;
        }
    for (int i = 0; i < k->ninsts; ++i) {
        int64_t low, high, first, last;
        if (!fsr_band_loads(c->p, group, k, i, g))
            continue;
        fsr_form f = fsr_form_of_access(k, group->kernel->integer, k->inst[i].index);
        const int64_t other = f.stride[0] - out->step;
        f.extent[0] = 1;
        if (f.nterms || f.divisor != 1 || f.whole)
            return false;
        fsr_band_range(group, &k->inst[i], 0, &low, &high);
        fsr_form_range(&f, &first, &last);
        first += other * (high > low && other ? high - 1 : 0);
        last += other * low;
        out->first = first < out->first ? first : out->first;
        out->last = last > out->last ? last : out->last;
    }
    return out->step > 0;
}

/* The same as what a band of the host needs. Of a reader that is a nest its rows are known, [step * low + first, ...]
 * over its span, where that divides the step; else limits of them, where its span divides what the reader steps by. */
static bool need_for_band(const fsr_band_chooser *c, int q, fsr_band_need *need) {
    const fsr_band_need *own = &c->bands->need[q];
    const int64_t step = need->step, span = fsr_nest_span(c->p->group[q].kernel->integer);
    if (fsr_band_host(c->bands, q) == q)
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
static bool need_of(const fsr_band_chooser *c, int g, fsr_band_need *out) {
    *out = (fsr_band_need){0, INT64_MAX, INT64_MIN};
    for (int i = c->first[g]; i < c->first[g + 1]; ++i) {
        const int q = c->reader[i];
        fsr_band_need one;
        if (!fsr_band_reads_some(&c->p->group[q], &c->p->group[g]))
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

/* Indices of a band whose results, of all nests of the host and of group `more`, a near cache holds. */
static int64_t band_of(const fsr_band_chooser *c, int host, int more) {
    const int64_t extent = c->p->group[host].kernel->integer[FSR_INT_EXTENT];
    double each = 0, fixed = 0;
    for (int g = fsr_band_first(c->bands, host, more); g >= 0; g = fsr_band_next(c->bands, host, g, more)) {
        const fsr_band_need *need = &c->bands->need[g];
        const double size = fsr_band_element_bytes(&c->p->group[g]);
        each += size * (double)need->step;
        fixed += size * ((double)need->last - (double)need->first +
                         2 * (double)fsr_nest_span(c->p->group[g].kernel->integer) - (double)need->step);
    }
    const double most = (c->prices->near - fixed) / each, least = ceil((double)extent / TASKS);
    return most < 1 ? 0 : (int64_t)(most < least ? most : least);
}

/* ns of what the nests of a host and group `more` compute twice in bands of so many. */
static double lost(const fsr_band_chooser *c, int host, int more, int64_t band) {
    double sum = 0;
    for (int g = fsr_band_first(c->bands, host, more); g >= 0; g = fsr_band_next(c->bands, host, g, more)) {
        const fsr_band_need *need = &c->bands->need[g];
        double issue;
        fsr_price_group(c->p, &c->p->group[g], &issue);
        const fsr_kernel *k = c->p->group[g].kernel;
        sum += issue * fsr_nest_twice(k, k->integer, (int64_t[]){need->step, need->first, need->last}, band);
    }
    return sum;
}

/* ns that it spares that the results of a host's nests and of group `more` are neither stored nor loaded. */
static double spared(const fsr_band_chooser *c, int host, int more) {
    double sum = 0;
    for (int g = fsr_band_first(c->bands, host, more); g >= 0; g = fsr_band_next(c->bands, host, g, more))
        sum += fsr_price_moved(c->prices, fsr_band_stored_bytes(&c->p->group[g]) * (1 + fsr_band_readings(c, g)),
                               c->p->footprint);
    return sum * c->prices->shown;
}

/* Whether group g is worth one more nest of the host, in bands of so many. */
static bool is_cheaper(const fsr_band_chooser *c, int host, int g, int64_t band) {
    const int64_t before = c->bands->band[host];
    const double gain = spared(c, host, g) - lost(c, host, g, band);
    return gain > (before ? spared(c, host, -1) - lost(c, host, -1, before) : 0);
}

bool fsr_band_in_rows(const fsr_band_chooser *c, int host, int g) {
    if (fsr_band_stored_bytes(&c->p->group[g]) <= 2 * c->prices->near || !need_of(c, g, &c->bands->need[g]))
        return false;
    const int64_t band = band_of(c, host, g);
    if (band < 1 || !is_cheaper(c, host, g, band))
        return false;
    c->bands->band[host] = band;
    return true;
}
