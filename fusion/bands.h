/* SPDX-License-Identifier: MIT */
/* Which groups of a partition become nests of another one's kernel (fusion/nest.h). */
#ifndef FUSOR_FUSION_BANDS_H
#define FUSOR_FUSION_BANDS_H

#include "fusion/partition.h"
#include "fusion/plan.h"

/* Of each group: the elements that a band of its host needs of its results, [step * low + first, step * (high - 1) +
 * last] for indices [low, high) of the host's outermost dimension. */
typedef struct fsr_band_need {
    int64_t step, first, last;
} fsr_band_need;

/* Of each group on a GPU: elements of a line of its picture, lines of a plane where tiles are deep; its tile begins,
 * along each axis, at first + step * i where the host's begins at i, and has so many elements. */
typedef struct fsr_band_tile {
    bool deep;
    int64_t pitch, lines;
    int64_t first[FSR_AXES], step[FSR_AXES], size[FSR_AXES];
    fsr_beyond beyond[FSR_AXES]; /* what somebody reads beyond the edges of its picture */
    bool inside;                 /* no element that somebody needs is beyond the end of its line */
} fsr_band_tile;

typedef struct fsr_bands {
    int *into;     /* per group: its host, the last nest of the kernel that it goes into; -1: it stays by itself */
    int *first;    /* per host: its first nest; -1: it has none */
    int *next;     /* per nest: the one behind it; -1: the host */
    int64_t *band; /* CPU, per host: indices of a band */
    fsr_band_need *need; /* CPU, per nest */
    fsr_band_tile *tile; /* GPU, per host and nest */
} fsr_bands;

/* order: the groups that run. Fusions that are done are counted. False: out of memory; to be cleared in any
 * case. */
bool fsr_bands_choose(fsr_bands *bands, fsr_partition *p, const int *order, int count);
void fsr_bands_clear(fsr_bands *bands);
/* Puts the kernels of a host's nests into the host's, each scheduled, with their arguments behind the host's. text: see
 * fsr_literals_bind. */
fsr_status fsr_bands_attach(const fsr_bands *bands, fsr_partition *p, int host, const fsr_program_options *options,
                            bool *text);

#endif
