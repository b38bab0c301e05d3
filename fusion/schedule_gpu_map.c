/* SPDX-License-Identifier: MIT */
/* The schedule rules of maps for a GPU: one 16-byte access a thread for the widest dtype, less where an element has
 * many loads. What combines into few elements has bins in each block.
 *
 * Counter-example to a vector of any map: an element of a demosaicing has 94 loads, which of four elements are more
 * than a thread has registers. */
#include "fusion/address.h"
#include "fusion/nest.h"
#include "fusion/outputs.h"
#include "fusion/price.h"
#include "fusion/schedule_gpu.h"
#include <stdlib.h>

enum {
    MAP_THREADS = 256,
    BIN_SHARE = 4, /* elements of a block for each bin, at least */
    BIN_THREADS = 512,
    BIN_VECTORS = 2, /* of a thread, where there is enough for all processors */
    RANGES = 8,      /* of an array at most */
    RANGE_WORDS = 8, /* that they load together for an element, at most */
    RANGE_THREADS = 1024,
    RANGE_BLOCKS = 2 /* of a multiprocessor */
};

/* Bytes of the widest element that a thread has of a point: arrays of which it reads the same one at all are none. */
static int widest_of_a_point(const fsr_kernel *k) {
    bool once[FSR_MAX_BUFFERS] = {false};
    size_t widest = 1;
    for (int i = 0; i < k->ninsts; ++i)
        if (k->inst[i].kind == FSR_INST_LOAD && k->stand[i].level == FSR_ONCE)
            once[k->access[k->inst[i].index].buffer] = true;
    for (int i = 0; i < k->ninsts; ++i)
        if ((k->inst[i].kind == FSR_INST_LOAD || k->inst[i].kind == FSR_INST_STORE) && k->stand[i].level != FSR_ONCE)
            once[k->access[k->inst[i].index].buffer] = false;
    for (int a = 0; a < k->narrays; ++a)
        if (!once[a] && fsr_dtype_size(k->array[a].dtype) > widest)
            widest = fsr_dtype_size(k->array[a].dtype);
    return (int)widest;
}

/* Registers that the loads of an element take: of a loop's element, or of a map's. They all come before its work, so
 * that none waits for another. */
int fsr_words_loaded(const fsr_kernel *k) {
    const fsr_level level = k->npasses ? FSR_ELEM : FSR_ROW;
    int words = 0;
    for (int i = 0; i < k->ninsts; ++i)
        if (k->inst[i].kind == FSR_INST_LOAD && k->stand[i].level == level && !fsr_inst_is_late(k, i))
            words += (int)(fsr_dtype_size(k->inst[i].dtype) + 3) / 4;
    return words;
}

/* Of `items` elements, a power of two, as many as a thread holds the loads of in `most` registers; neighbours, which
 * are one access, may take twice as many. Measured on one H200, registers for loads unbounded, 64, 32, 16: a
 * demosaicing (94 loads an element) 31.6, 8.0, 8.0, 8.0 ms; a heat equation in space 2.53, 1.47, 1.10, 1.11; a 7-point
 * stencil 3.48, 2.60, 1.76, 1.76; horizontal diffusion 0.213, 0.214, 0.218, 0.276. */
int fsr_fitting_items(const fsr_kernel *k, int items, int most) {
    while (items > 1 && fsr_words_loaded(k) * items > most)
        items /= 2;
    return items;
}

/* Turns of the blocks that have bins: larger blocks of threads with more on its way, where all processors have some.
 * Measured on one H200, 2^27 f32 in 256 bins, threads x items 256 x 4, 256 x 8, 512 x 8, 1024 x 8, 1024 x 16: 0.150,
 * 0.137, 0.132, 0.129, 0.142 ms; two copies of the bins in a block 0.146, where one is 0.132; of equal elements
 * 0.131. */
static void widen_turns(const fsr_kernel *k, fsr_schedule *s, int64_t rows) {
    const int items = fsr_fitting_items(k, BIN_VECTORS * s->vector, FSR_LOADED_WORDS);
    if (s->threads >= BIN_THREADS || items <= s->items ||
        rows / ((int64_t)BIN_THREADS * items) < fsr_nominal_threads() / BIN_THREADS)
        return;
    s->threads = BIN_THREADS;
    s->items = items;
}

/* An element of some array is loaded from where another one says. */
static bool loads_late(const fsr_kernel *k) {
    bool late = false;
    for (int i = 0; i < k->ninsts; ++i)
        late = late || (k->inst[i].kind == FSR_INST_LOAD && fsr_inst_is_late(k, i));
    return late;
}

/* What has no room in a block's shared memory is divided into ranges, where reading all for each of them costs less
 * than combining it in memory. Measured on one H200, 2^27 f32 in 2^16 bins: in memory 1.462 ms; four ranges of 64 KiB,
 * threads x items x blocks of a multiprocessor 512 x 4 x 3, 512 x 8 x 3, 512 x 16 x 3, 1024 x 8 x 2: 0.580, 0.532,
 * 0.556, 0.476; eight of 32 KiB, 512 x 8 x 4: 0.998. */
static void gpu_ranges(fsr_group *group, int store) {
    fsr_kernel *k = group->kernel;
    fsr_schedule *s = &k->schedule;
    const int64_t rows = k->integer[FSR_INT_ROWS], elements = k->integer[k->inst[store].extent];
    const int64_t each = FSR_RANGE_BYTES / (int64_t)fsr_dtype_size(k->inst[store].dtype);
    const int64_t ranges = fsr_ceil_div(elements, each);
    const int64_t blocks = RANGE_BLOCKS * fsr_nominal_gpu.processors / (ranges ? ranges : 1) * ranges;
    if (k->nloops || ranges < 2 || ranges > RANGES || ranges * fsr_words_loaded(k) > RANGE_WORDS || loads_late(k) ||
        rows / (BIN_SHARE * each) < blocks)
        return;
    s->threads = RANGE_THREADS;
    s->items = fsr_fitting_items(k, BIN_VECTORS * s->vector, FSR_LOADED_WORDS);
    s->bins = (int)each;
    s->ranges = (int)ranges;
    s->resident = RANGE_BLOCKS;
    k->integer[FSR_INT_SPLITS] = blocks;
}

/* A block has bins of its own where a store combines into few elements and each block has several elements for a bin:
 * fewer blocks then, which take turns, rather than many that have little to combine. */
static void gpu_bins(fsr_group *group) {
    fsr_kernel *k = group->kernel;
    fsr_schedule *s = &k->schedule;
    const int store = fsr_kernel_combining(k);
    if (store < 0)
        return;
    const int64_t rows = group->kernel->integer[FSR_INT_ROWS], elements = group->kernel->integer[k->inst[store].extent];
    const int64_t room = fsr_nominal_gpu.shared_bytes / (int64_t)fsr_dtype_size(k->inst[store].dtype);
    if (elements > room)
        gpu_ranges(group, store);
    if (s->ranges)
        return;
    if (elements <= room && !k->nloops)
        widen_turns(k, s, rows);
    const int64_t turns = fsr_ceil_div(rows, (int64_t)s->threads * s->items);
    const int64_t blocks =
        fsr_at_most(fsr_nominal_threads() / s->threads, elements ? rows / (BIN_SHARE * elements) : 0);
    int bins = 32;
    while (bins < elements && bins <= room)
        bins *= 2;
    if (bins > room || (blocks < turns && blocks < fsr_nominal_gpu.processors))
        return;
    s->bins = bins;
    group->kernel->integer[FSR_INT_SPLITS] = turns > blocks ? blocks : turns > 0 ? turns : 1;
}

/* One of several nests: a thread does element after element of the tile, whose extents are chosen with the nests
 * (fusion/bands_tiles.c). */
static void in_tile(fsr_schedule *s) {
    s->vector = 1;
    s->items = (int)fsr_ceil_div(fsr_tile_elements(s), s->threads);
}

/* Most loads of a thread's neighbours are no one access: they have a stride, or are at computed places that go on
 * beside each other. Such neighbours are better in other threads, whose loads then share lines. Measured on one H200,
 * 16 neighbours with a stride of two, 3932160 elements: four neighbours a thread 0.084 ms, one 0.033, elements a block
 * apart 0.032; 983040 elements 0.0281, 0.0135, 0.0123. So of a row's columns: what is loaded of boxes of four corners
 * each was sixteen lines of memory a load, and is four. */
bool fsr_gpu_loads_apart(const fsr_kernel *k) {
    const fsr_level level = k->npasses ? FSR_ELEM : FSR_ROW;
    int strided = 0, others = 0;
    for (int i = 0; i < k->ninsts && k->ndim > 0; ++i) {
        double stride = 0;
        if (k->inst[i].kind != FSR_INST_LOAD || k->stand[i].level != level)
            continue;
        const fsr_form f = fsr_form_of_access(k, k->integer, k->inst[i].index);
        const bool follows = f.nterms > 0 && fsr_price_form_follows(k, &f, k->ndim - 1, &stride);
        const bool apart = follows ? stride > 0 : !f.nterms && llabs(f.stride[k->ndim - 1]) > 1;
        strided += apart;
        others += !apart;
    }
    return strided > others;
}

/* What draws random numbers and loads nothing has four vectors a thread: of 160 instructions for four normal numbers 12
 * find out which they are, and blocks begin less often. Measured on one H200, 2^27 normal f32, 4, 8 and 16 items:
 * 0.216, 0.213, 0.208 ms. */
void fsr_schedule_gpu_map(fsr_group *group) {
    fsr_kernel *k = group->kernel;
    const int widest = widest_of_a_point(k);
    fsr_schedule *s = &k->schedule;
    s->kind = FSR_SCHEDULE_MAP;
    s->threads = MAP_THREADS;
    s->abreast = 1;
    if (s->high) {
        in_tile(s);
        return;
    }
    if (fsr_choose_square(group))
        return;
    s->vector = fsr_fitting_items(k, fsr_schedule_vector(group, k->ndim - 1, 16 / widest), 2 * FSR_LOADED_WORDS);
    if (k->nloops || fsr_gpu_loads_apart(k))
        s->vector = 1;
    s->items = s->vector;
    if (s->vector > 1 && fsr_words_loaded(k) == 0 && fsr_any_block(k, k->ndim - 1))
        s->items *= 4;
    if (s->vector == 1 && !k->nloops)
        s->items = fsr_fitting_items(k, widest > 4 ? 2 : 4, FSR_LOADED_WORDS);
    gpu_bins(group);
}
