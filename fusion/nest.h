/* SPDX-License-Identifier: MIT */
/* Several nests in one kernel: what one nest stores is computed once for a band of the next one's rows and read near
 * by.
 *
 * A kernel that has nests is the last one: its own arrays, integers and scalars come first. Those before it are kernels
 * of the same type, maps, each before the ones that read what it stores. Their integers and scalars stand behind the
 * last one's, and each of their arrays is one of the whole's.
 *
 * Banded arrays. What a nest stores, element by element in flat order, is an array that is whole in meaning and that no
 * memory of a launch holds. The interpreter runs nest after nest, each over all of its domain. A CPU goes along the
 * outermost dimension of the last nest in bands: for one band it computes, of each nest, the rows in which lie the
 * elements that the later ones need for it, in the workspace of its thread. A value rounds to the dtype of its array,
 * and it is computed by the same operations wherever a band needs it, so where bands begin changes no bit.
 *
 * Reach. For indices [low, high) of the last nest's outermost dimension the later ones need of a nest's results no
 * element before step * low + first, and none behind step * (high - 1) + last: three integers of the nest.
 *
 * Tiles. On a GPU a nest's rows, which are flat indices, are seen as a picture: `pitch` elements a line, whatever the
 * dimensions of its domain are. A block has a tile of the last nest's picture, schedule.high lines by schedule.broad
 * elements; for it it computes a tile of each earlier nest, with its halo, in shared memory, meets, and reads it there.
 * Of an earlier nest the tile begins at line top + down * y, element left + along * x for a last one that begins at y,
 * x: with the pitch five integers of the nest. Element [i, j] of a tile is the array's element (line + i) * pitch +
 * left + j, so where a load reads in the tile (fsr_beside) is fixed by the text, and the verifier sees that it is
 * inside. A domain of two dimensions has lines as long as its last one, and what sticks out of it is not computed.
 *
 * Deep tiles have planes of `lines` lines in front: schedule.deep of them, which begin at plane front + inward * z.
 * That is three integers more of a nest, and one more of the last one. Domains are of three dimensions then, or of one.
 *
 * Beyond edges. Where loads read beyond the edges of a picture, as a pad of the array would have it, the tile holds
 * what schedule.beyond says of each axis: element -1 of a line is element 0 of it (edge), the last one (wrap), or
 * element 1 (reflect), and lines and planes are gone beyond in the same way. So the element is computed where it stands
 * in the picture, once more, and a load needs no bounds. With edge and reflect what such an element needs of earlier
 * tiles is where its picture has it, which the tile must contain; with wrap it is beside it, for which the earlier tile
 * wraps as well.
 * Counter-example to a copy of the picture's elements once they are computed: another meeting of the block.
 *
 * Counter-example to a band for each thread: a temporary of a large image then leaves every cache before it is read.
 * Counter-example to a nest that folds: where a band begins would have to be where a chunk does. */
#ifndef FUSOR_FUSION_NEST_H
#define FUSOR_FUSION_NEST_H

#include "fusion/loop_ir.h"

#define FSR_MAX_NESTS 8

/* The integers of a nest's reach, from its first one on: on a CPU; on a GPU. */
enum { FSR_REACH_STEP, FSR_REACH_FIRST, FSR_REACH_LAST, FSR_REACH_SIZE };
enum {
    FSR_TILE_PITCH,
    FSR_TILE_TOP,
    FSR_TILE_DOWN,
    FSR_TILE_LEFT,
    FSR_TILE_ALONG,
    FSR_TILE_SIZE,
    FSR_TILE_LINES = FSR_TILE_SIZE, /* of a plane; these three where tiles are deep */
    FSR_TILE_FRONT,
    FSR_TILE_INWARD,
    FSR_TILE_DEEP_SIZE
};

typedef struct fsr_nest {
    fsr_kernel *kernel;         /* owned */
    int array[FSR_MAX_BUFFERS]; /* of the whole, for each of its own */
    int integer, scalar;        /* of the whole: its first ones */
    int reach;                  /* and the first integer of its reach */
} fsr_nest;

struct fsr_nests {
    int n;
    fsr_nest nest[FSR_MAX_NESTS];
    int band;                   /* integer: indices of a band; on a GPU the pitch of the last nest */
    int bytes;                  /* integer: workspace of a thread; on a GPU the lines of a plane of the last nest */
    int place[FSR_MAX_BUFFERS]; /* CPU, integer of each banded array: the byte of the workspace where its band lies */
};

/* Without nests. NULL: out of memory. */
fsr_nests *fsr_nests_new(void);
void fsr_nests_free(fsr_nests *nests);
/* NULL: out of memory. */
fsr_nests *fsr_nests_copy(const fsr_nests *nests);
/* Integers of a nest's reach for the kernel's target. */
int fsr_nest_reach(const fsr_kernel *k);
/* The nest that stores a banded array of the whole; -1: none does. */
int fsr_nests_producer(const fsr_kernel *k, int array);
/* The kernel's domain may be gone along in bands: it is a map without loops for each element, its rows are all there,
 * and its stores, of which none combines or packs, are all that takes effect. */
bool fsr_kernel_may_band(const fsr_kernel *k);
/* The kernel is a nest: its results are banded. */
bool fsr_kernel_is_nest(const fsr_kernel *k);

/* A nest's results as a picture: planes, lines of each, elements of each line; without planes all lines are of one. And
 * where its tile is for a last one that begins at index 0 of each axis, and how it goes on. */
typedef struct fsr_picture {
    int64_t extent[FSR_AXES], first[FSR_AXES], step[FSR_AXES];
} fsr_picture;

/* Of nest `number`; behind the earlier ones: the last one. */
void fsr_nests_picture(const fsr_kernel *k, int number, const int64_t *integer, fsr_picture *out);
/* Something is held beyond some edge. */
bool fsr_tile_goes_beyond(const fsr_schedule *s);
/* The element of an axis of n that element i is; for FSR_BEYOND_NOTHING i. */
int64_t fsr_beyond_index(fsr_beyond beyond, int64_t i, int64_t n);
/* Extent of a tile along an axis. */
int fsr_tile_extent(const fsr_schedule *s, int axis);
/* Elements of a tile. */
int64_t fsr_tile_elements(const fsr_schedule *s);
/* Bytes of shared memory that an array's tile of so many elements takes; and that all tiles of a kernel do. */
int64_t fsr_tile_bytes(fsr_dtype dtype, int64_t elements);
int64_t fsr_tiles_bytes(const fsr_kernel *k);
/* Blocks of a kernel in tiles. */
int64_t fsr_tiles_blocks(const fsr_kernel *k, const int64_t *integer);

/* Elements for each index of a nest's outermost dimension, from its integers. */
int64_t fsr_nest_span(const int64_t *integer);
/* Elements that a nest computes twice where bands of so many indices meet, for each that it computes once; where it
 * loads across memory a band's rows take whole lines of it. integer: the nest's; reach: its three. Counter-example to
 * the rows alone: sums of neighbours of a transposed matrix, in bands of 4 rows, took 3.5 ms for 1.6 (seed 1514103). */
double fsr_nest_twice(const fsr_kernel *nest, const int64_t *integer, const int64_t *reach, int64_t band);
/* Evaluations of a nest for each element that would be stored: 1, and what is computed twice. */
double fsr_nest_times(const fsr_kernel *k, int number, const int64_t *integer);
/* Fills in the places of banded arrays and the bytes of a thread's workspace for bands of integer[nests->band]. */
void fsr_nests_place(const fsr_kernel *k, int64_t *integer);

#endif
