/* SPDX-License-Identifier: MIT */
/* Which groups of a partition become nests of another one's kernel (fusion/nest.h).
 *
 * A map whose results only one other kernel reads, along its rows in order, need not be stored: who reads them computes
 * them for one band of its rows after the other (bands_rows.c), or for one tile (bands_tiles.c). Candidates are looked
 * at from the last group to the first, so that a chain becomes one kernel as far as that pays; where fuel is counted,
 * each fusion that it pays for stands.
 *
 * Counter-example to any reader: who reads rows in no order, or the same row for each element, would need all of
 * them. */
#include "fusion/bands_parts.h"
#include "fusion/nest.h"
#include "fusion/pairs.h"
#include "fusion/partition_parts.h"
#include <stdlib.h>
#include <string.h>

/* ---- what may be a nest ------------------------------------------------------------------------------------- */

static bool is_plain(const fsr_group *group) {
    return group->kernel && !group->library && !group->in_place && fsr_kernel_may_band(group->kernel);
}

/* Its results are stored once, in flat order, and are no one's but the kernels'; no hint and no cut asks for them in
 * memory. */
static bool may_be_nest(const fsr_band_chooser *c, const fsr_group *group) {
    const fsr_kernel *k = group->kernel;
    if (!is_plain(group) || group->part || k->nroutines)
        return false;
    for (int i = 0; i < group->nstores; ++i)
        if (fsr_partition_is_output(c->p, group->store[i]) || c->p->held[group->store[i].id] == FSR_HELD)
            return false;
    for (int i = 0; i < k->ninsts; ++i)
        if (k->inst[i].kind == FSR_INST_STORE && !k->access[k->inst[i].index].linear)
            return false;
    return !fsr_band_is_written_over(c, group);
}

/* ---- who reads it ------------------------------------------------------------------------------------------- */

/* The one kernel in which all stand that need the group; -1: they do not, or there is none. */
static int common_host(const fsr_band_chooser *c, int g) {
    int host = -1;
    for (int i = c->first[g]; i < c->first[g + 1]; ++i) {
        const int q = c->reader[i];
        if (!is_plain(&c->p->group[q]) || (host >= 0 && host != fsr_band_host(c->bands, q)))
            return -1;
        host = fsr_band_host(c->bands, q);
    }
    return host;
}

/* Scalar arguments of a nest, with the constants that may become some. */
static int most_scalars(const fsr_kernel *k) {
    int n = k->nscalars;
    for (int i = 0; i < k->ninsts; ++i)
        n += k->inst[i].kind == FSR_INST_CONST;
    return n;
}

/* Arguments and nests of the host, with group g. */
static bool has_room(const fsr_band_chooser *c, int host, int g) {
    const fsr_kernel *last = c->p->group[host].kernel;
    int nests = 0, arrays = last->narrays, ints = last->nints + 2, scalars = last->nscalars;
    for (int n = fsr_band_first(c->bands, host, g); n >= 0; n = fsr_band_next(c->bands, host, n, g)) {
        const fsr_kernel *k = c->p->group[n].kernel;
        ++nests;
        arrays += k->narrays;
        ints += k->nints + FSR_TILE_DEEP_SIZE + k->narrays;
        scalars += most_scalars(k);
    }
    return nests <= FSR_MAX_NESTS && arrays <= FSR_MAX_BUFFERS && ints <= FSR_MAX_INTS && scalars <= FSR_MAX_SCALARS;
}

/* ---- the choice --------------------------------------------------------------------------------------------- */

/* A hint keeps group b apart from what is computed in the host's kernel already. */
static bool are_kept_apart(const fsr_band_chooser *c, int host, int b) {
    const fsr_partition *p = c->p;
    bool apart = fsr_pairs_apart(p->flow, p->group[host].kernel, p->group[b].kernel);
    for (int g = c->bands->first[host]; g >= 0 && !apart; g = c->bands->next[g])
        apart = fsr_pairs_apart(p->flow, p->group[g].kernel, p->group[b].kernel);
    return apart;
}

/* Nothing cuts the two groups, and neither is a kernel of its own. */
static bool are_together(const fsr_band_chooser *c, int a, int b) {
    const fsr_cuts *cuts = c->p->cuts;
    const int x = fsr_group_first(&c->p->group[a]), y = fsr_group_first(&c->p->group[b]);
    return !fsr_cuts_apart(cuts, x) && !fsr_cuts_apart(cuts, y) &&
           fsr_cuts_segment(cuts, x) == fsr_cuts_segment(cuts, y) && !are_kept_apart(c, a, b);
}

static void look_at(const fsr_band_chooser *c, int g) {
    fsr_bands *bands = c->bands;
    if (!fsr_partition_may_fuse(c->p) || !c->p->group[g].kernel || !may_be_nest(c, &c->p->group[g]))
        return;
    const int host = common_host(c, g);
    if (host < 0 || bands->into[host] >= 0 || !are_together(c, host, g) || !has_room(c, host, g) ||
        !(c->p->target->gpu ? fsr_band_in_tiles : fsr_band_in_rows)(c, host, g))
        return;
    bands->into[g] = host;
    bands->next[g] = bands->first[host];
    bands->first[host] = g;
    fsr_partition_fused(c->p,
                        c->p->target->gpu ? "%s (%%%d) is computed for tiles of %s (%%%d)"
                                          : "%s (%%%d) is computed for bands of %s (%%%d)",
                        fsr_group_first(&c->p->group[g]), fsr_group_first(&c->p->group[host]));
}

/* What was taken into the kernel of a host is a kernel again. */
static void leave(const fsr_band_chooser *c, int host) {
    fsr_bands *bands = c->bands;
    for (int g = bands->first[host]; g >= 0; g = bands->next[g]) {
        bands->into[g] = -1;
        --c->p->fusions;
    }
    bands->first[host] = -1;
}

bool fsr_bands_choose(fsr_bands *bands, fsr_partition *p, const int *order, int count) {
    const size_t n = (size_t)p->ngroups + 1;
    fsr_band_chooser c = {
        .p = p, .prices = fsr_prices_of(p->target->gpu), .bands = bands, .order = order, .count = count};
    bool no_memory = false;
    bands->into = malloc(sizeof *bands->into * n);
    bands->first = malloc(sizeof *bands->first * n);
    bands->next = malloc(sizeof *bands->next * n);
    bands->band = calloc(n, sizeof *bands->band);
    bands->need = calloc(n, sizeof *bands->need);
    bands->tile = calloc(n, sizeof *bands->tile);
    if (!bands->into || !bands->first || !bands->next || !bands->band || !bands->need || !bands->tile)
        return false;
    memset(bands->into, 0xff, sizeof *bands->into * n);
    memset(bands->first, 0xff, sizeof *bands->first * n);
    memset(bands->next, 0xff, sizeof *bands->next * n);
    p->no_memory = &no_memory;
    no_memory = !fsr_band_readers_make(&c);
    for (int i = count - 1; i >= 0 && !no_memory && (!p->target->gpu || p->target->tiles); --i)
        look_at(&c, order[i]);
    for (int g = 0; g < p->ngroups && p->target->gpu && p->fuel < 0 && !no_memory; ++g)
        if (bands->first[g] >= 0 && !fsr_band_tiles_pay(&c, g))
            leave(&c, g);
    fsr_band_readers_clear(&c);
    p->no_memory = NULL;
    return !no_memory;
}

void fsr_bands_clear(fsr_bands *bands) {
    free(bands->into);
    free(bands->first);
    free(bands->next);
    free(bands->band);
    free(bands->need);
    free(bands->tile);
    *bands = (fsr_bands){0};
}
