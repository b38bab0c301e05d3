/* SPDX-License-Identifier: MIT */
/* Puts the kernels of nests into that of their host: each is scheduled, and its arguments stand behind the host's. An
 * array that a nest stores is one of the host's, or of a later nest's, which reads it; all others are the nest's own
 * arguments, also where the host reads the same memory. */
#include "fusion/bands_parts.h"
#include "fusion/literals.h"
#include "fusion/nest.h"
#include "fusion/partition_parts.h"
#include "fusion/schedule.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The host's number of a banded array; one that it does not have yet is added. */
static int banded_array(fsr_group *host, const fsr_operand *operand, fsr_dtype dtype) {
    fsr_kernel *k = host->kernel;
    int b = 0;
    while (b < k->narrays && (k->array[b].written || !fsr_operand_equal(&host->operand[b], operand)))
        ++b;
    if (b == k->narrays) {
        k->array[k->narrays++] = (fsr_array){.dtype = dtype};
        host->operand[b] = *operand;
    }
    if (!k->array[b].banded) {
        k->array[b].banded = true;
        k->nests->place[b] = k->schedule.high ? 0 : k->nints++;
    }
    return b;
}

/* Read by a nest: what an earlier one stores, or memory. */
static int read_array(fsr_group *host, const fsr_operand *operand, fsr_dtype dtype) {
    fsr_kernel *k = host->kernel;
    for (int b = 0; b < k->narrays; ++b)
        if (k->array[b].banded && fsr_operand_equal(&host->operand[b], operand))
            return b;
    k->array[k->narrays] = (fsr_array){.dtype = dtype};
    host->operand[k->narrays] = *operand;
    return k->narrays++;
}

static void add_arguments(fsr_group *host, const fsr_group *group, fsr_nest *nest) {
    fsr_kernel *k = host->kernel, *own = nest->kernel;
    for (int b = 0; b < own->narrays; ++b) {
        own->array[b].banded = own->array[b].written;
        nest->array[b] =
            (own->array[b].written ? banded_array : read_array)(host, &group->operand[b], own->array[b].dtype);
    }
    nest->integer = k->nints;
    memcpy(k->integer + k->nints, own->integer, sizeof own->integer[0] * (size_t)own->nints);
    k->nints += own->nints;
    nest->scalar = k->nscalars;
    memcpy(host->scalar + k->nscalars, group->scalar, sizeof group->scalar[0] * (size_t)own->nscalars);
    memcpy(k->scalar + k->nscalars, own->scalar, sizeof own->scalar[0] * (size_t)own->nscalars);
    k->nscalars += own->nscalars;
}

/* How far the nest reaches, in bands or in tiles. */
static void add_reach(fsr_group *host, const fsr_bands *bands, int g, fsr_nest *nest) {
    fsr_kernel *k = host->kernel;
    int64_t *to = k->integer + k->nints;
    nest->reach = k->nints;
    if (k->schedule.high) {
        const fsr_band_tile *tile = &bands->tile[g];
        to[FSR_TILE_PITCH] = tile->pitch;
        to[FSR_TILE_TOP] = tile->first[FSR_AXIS_LINE];
        to[FSR_TILE_DOWN] = tile->step[FSR_AXIS_LINE];
        to[FSR_TILE_LEFT] = tile->first[FSR_AXIS_ELEMENT];
        to[FSR_TILE_ALONG] = tile->step[FSR_AXIS_ELEMENT];
        if (tile->deep) {
            to[FSR_TILE_LINES] = tile->lines;
            to[FSR_TILE_FRONT] = tile->first[FSR_AXIS_PLANE];
            to[FSR_TILE_INWARD] = tile->step[FSR_AXIS_PLANE];
        }
        k->nints += tile->deep ? FSR_TILE_DEEP_SIZE : FSR_TILE_SIZE;
        return;
    }
    to[FSR_REACH_STEP] = bands->need[g].step;
    to[FSR_REACH_FIRST] = bands->need[g].first;
    to[FSR_REACH_LAST] = bands->need[g].last;
    k->nints += FSR_REACH_SIZE;
}

/* What the nests do stands before what the host does. */
static bool describe(fsr_kernel *k, const fsr_kernel *own) {
    const size_t first = strlen(own->comment), size = first + 2 + strlen(k->comment);
    char *both = malloc(size + 1);
    if (both)
        snprintf(both, size + 1, "%s, %s", own->comment, k->comment);
    const bool good = both && fsr_kernel_say(k, both, size);
    free(both);
    return good;
}

static bool attach(fsr_group *host, fsr_partition *p, int g, const fsr_bands *bands, const fsr_program_options *options,
                   bool *text) {
    fsr_group *group = &p->group[g];
    fsr_nests *nests = host->kernel->nests;
    fsr_nest *nest = &nests->nest[nests->n];
    nest->kernel = group->kernel;
    nest->kernel->contraction = options->contraction;
    fsr_literals_bind(group, p, text);
    const bool good = fsr_schedule_choose(group, &options->target);
    snprintf(nest->kernel->name, sizeof nest->kernel->name, "nest%d", nests->n++);
    add_arguments(host, group, nest);
    add_reach(host, bands, g, nest);
    group->kernel = NULL;
    return good;
}

/* Literals, and what nests take, become arguments. */
static bool make_rooms(const fsr_bands *bands, fsr_partition *p, int host) {
    bool good = fsr_group_grow(&p->group[host]);
    for (int g = bands->first[host]; g >= 0 && good; g = bands->next[g])
        good = fsr_group_grow(&p->group[g]);
    return good;
}

fsr_status fsr_bands_attach(const fsr_bands *bands, fsr_partition *p, int host, const fsr_program_options *options,
                            bool *text) {
    fsr_group *last = &p->group[host];
    if (bands->first[host] < 0)
        return FSR_OK;
    if (!make_rooms(bands, p, host) || !fsr_kernel_make_room(last->kernel) || !(last->kernel->nests = fsr_nests_new()))
        return FSR_ERR_MEMORY;
    fsr_nests *nests = last->kernel->nests;
    if (options->target.gpu)
        fsr_band_say_tiles(bands, p, host);
    for (int g = bands->first[host]; g >= 0; g = bands->next[g])
        if (!attach(last, p, g, bands, options, text))
            return FSR_ERR_MEMORY;
    for (int i = nests->n - 1; i >= 0; --i)
        if (!describe(last->kernel, nests->nest[i].kernel))
            return FSR_ERR_MEMORY;
    nests->band = last->kernel->nints++;
    if (options->target.gpu) {
        last->kernel->integer[nests->band] = bands->tile[host].pitch;
        nests->bytes = bands->tile[host].deep ? last->kernel->nints++ : 0;
        last->kernel->integer[nests->bytes] = nests->bytes ? bands->tile[host].lines : last->kernel->integer[0];
    } else {
        nests->bytes = last->kernel->nints++;
        last->kernel->integer[nests->band] = bands->band[host];
        fsr_nests_place(last->kernel, last->kernel->integer);
    }
    fsr_kernel_trim(last->kernel);
    return FSR_OK;
}
