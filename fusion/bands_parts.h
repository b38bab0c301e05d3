/* SPDX-License-Identifier: MIT */
/* Shared by the bands*.c files. */
#ifndef FUSOR_FUSION_BANDS_PARTS_H
#define FUSOR_FUSION_BANDS_PARTS_H

#include "fusion/bands.h"
#include "fusion/price.h"

typedef struct fsr_band_chooser {
    fsr_partition *p;
    const fsr_prices *prices;
    fsr_bands *bands;
    const int *order;
    int count;
    int *first, *reader; /* who needs group g: reader[first[g]] .. reader[first[g + 1] - 1], each once */
    bool *over;          /* per flow node: some group writes over it */
    bool *leaf_over;     /* per leaf */
} fsr_band_chooser;

/* The group, or whose nest it is. */
static inline int fsr_band_host(const fsr_bands *bands, int g) {
    return bands->into[g] >= 0 ? bands->into[g] : g;
}

/* The nests of a host, with one more (-1: none), in the order in which they run: the first, the one behind nest g; -1:
 * there is no more. */
static inline int fsr_band_first(const fsr_bands *bands, int host, int more) {
    return more >= 0 ? more : bands->first[host];
}
static inline int fsr_band_next(const fsr_bands *bands, int host, int g, int more) {
    return g == more ? bands->first[host] : bands->next[g];
}

/* bands_readers.c. False: out of memory; to be cleared in any case. */
bool fsr_band_readers_make(fsr_band_chooser *c);
void fsr_band_readers_clear(fsr_band_chooser *c);
/* The group's kernel has the group's result as an array. */
bool fsr_band_reads_some(const fsr_group *group, const fsr_group *of);
/* Some group writes over an array that this one reads or stores. */
bool fsr_band_is_written_over(const fsr_band_chooser *c, const fsr_group *group);
/* Of how many groups' kernels the group's results are arrays. */
int fsr_band_readings(const fsr_band_chooser *c, int g);
/* Instruction `inst` of the group's kernel, or of a copy of it, loads what group g stores. */
bool fsr_band_loads(const fsr_partition *p, const fsr_group *group, const fsr_kernel *k, int inst, int g);
/* The indices [low, high) of dimension d at which a load takes place, as far as conditions that ask for that index
 * alone say it. */
void fsr_band_range(const fsr_group *group, const fsr_inst *load, int d, int64_t *low, int64_t *high);
/* Bytes of an element of a group's results, all together; and of the results. */
int fsr_band_element_bytes(const fsr_group *group);
double fsr_band_stored_bytes(const fsr_group *group);

/* A load of a nest's result: along each axis at + step * i for element i of its own picture, beyond edges as it says.
 * What stands there in the picture is behind step * i by between low and high. inside: it stays inside of lines. */
typedef struct fsr_band_reading {
    int64_t at[FSR_AXES], step[FSR_AXES], low[FSR_AXES], high[FSR_AXES];
    fsr_beyond beyond[FSR_AXES];
    bool inside;
} fsr_band_reading;

/* bands_reading.c: of load `number` of group q, whose tile is `own`, in the picture of group g. False: it reads g in no
 * such way. */
bool fsr_band_reading_of(const fsr_group *q, const fsr_band_tile *own, int number, const fsr_group *g,
                         const fsr_band_tile *tile, fsr_band_reading *out);
/* Extents of the group's picture. False: its last line or plane is not whole. */
bool fsr_band_is_whole(const fsr_group *g, const fsr_band_tile *tile, int64_t extent[FSR_AXES]);
/* The domain is the picture: of lines, or of planes of lines. */
bool fsr_band_is_plane(const fsr_group *group);

/* Group g is worth one more nest of the host; what it needs for that is noted in the bands then. On a CPU
 * (bands_rows.c), on a GPU (bands_tiles.c). */
bool fsr_band_in_rows(const fsr_band_chooser *c, int host, int g);
bool fsr_band_in_tiles(const fsr_band_chooser *c, int host, int g);
/* The host's kernel with all its nests costs less than they do as kernels of their own. */
bool fsr_band_tiles_pay(const fsr_band_chooser *c, int host);
/* Says in the kernels of a host and its nests where they read in tiles, and the extents of these. */
void fsr_band_say_tiles(const fsr_bands *bands, fsr_partition *p, int host);

#endif
