/* SPDX-License-Identifier: MIT */
/* Puts the kernels of nests into that of their host: each is scheduled, and its arguments stand behind the host's. An
 * array that a nest stores is one of the host's, or of a later nest's, which reads it; all others are the nest's own
 * arguments, also where the host reads the same memory. */
#include "fusion/bands.h"
#include "fusion/literals.h"
#include "fusion/nest.h"
#include "fusion/schedule.h"
#include <stdio.h>
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
        k->nests->place[b] = k->nints++;
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

static void add_reach(fsr_group *host, const fsr_band_need *need, fsr_nest *nest) {
    fsr_kernel *k = host->kernel;
    nest->reach = k->nints;
    k->integer[nest->reach + FSR_REACH_STEP] = need->step;
    k->integer[nest->reach + FSR_REACH_FIRST] = need->first;
    k->integer[nest->reach + FSR_REACH_LAST] = need->last;
    k->nints += FSR_REACH_SIZE;
}

/* What the nests do stands before what the host does. */
static void describe(fsr_kernel *k, const fsr_kernel *own) {
    char both[sizeof k->comment];
    const int n = snprintf(both, sizeof both, "%s, %s", own->comment, k->comment);
    if (n > 0 && (size_t)n < sizeof both)
        memcpy(k->comment, both, sizeof both);
}

static void attach(fsr_group *host, fsr_group *group, const fsr_band_need *need, const fsr_partition *p,
                   const fsr_program_options *options, bool *text) {
    fsr_nests *nests = host->kernel->nests;
    fsr_nest *nest = &nests->nest[nests->n];
    nest->kernel = group->kernel;
    nest->kernel->contraction = options->contraction;
    fsr_literals_bind(group, p, text);
    fsr_schedule_choose(group, &options->target);
    snprintf(nest->kernel->name, sizeof nest->kernel->name, "nest%d", nests->n++);
    add_arguments(host, group, nest);
    add_reach(host, need, nest);
    group->kernel = NULL;
}

fsr_status fsr_bands_attach(const fsr_bands *bands, fsr_partition *p, const int *order, int count, int host,
                            const fsr_program_options *options, bool *text) {
    fsr_group *last = &p->group[host];
    if (!bands->band[host])
        return FSR_OK;
    if (!fsr_kernel_make_room(last->kernel) || !(last->kernel->nests = fsr_nests_new()))
        return FSR_ERR_MEMORY;
    fsr_nests *nests = last->kernel->nests;
    for (int i = 0; i < count; ++i)
        if (bands->into[order[i]] == host)
            attach(last, &p->group[order[i]], &bands->need[order[i]], p, options, text);
    for (int i = nests->n - 1; i >= 0; --i)
        describe(last->kernel, nests->nest[i].kernel);
    nests->band = last->kernel->nints++;
    nests->bytes = last->kernel->nints++;
    last->kernel->integer[nests->band] = bands->band[host];
    fsr_nests_place(last->kernel, last->kernel->integer);
    fsr_kernel_trim(last->kernel);
    return FSR_OK;
}
