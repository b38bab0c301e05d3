/* SPDX-License-Identifier: MIT */
/* The rule for squares of a GPU's maps.
 *
 * Neighbours of a warp that lie a stride apart cost a sector of 32 bytes each: of a transposed operand in f32 eight
 * times its bytes, if it does not stay in the cache. A block takes a square of the dimension along which the operand is
 * contiguous and of the last one: neighbours load neighbours of the operand, put them into shared memory, and read them
 * there the other way round. The square's side is a warp, or, for elements of one or two bytes, so many that its rows
 * are two sectors and more; behind each row lies one element more, so that a column of the square is no single bank. A
 * dimension shorter than half a warp is whole in a block, with as many of the last one as make up for it: of
 * [985680, 8] transposed each of the eight rows loaded all sectors again, 0.151 ms where 0.105 were two kernels'. */
#include "fusion/address.h"
#include "fusion/schedule_parts.h"
#include "fusion/square.h"

enum {
    SIDE = 32,
    NARROW_SIDE = 64,
    SQUARE_PAD = 1,
    LEAST_EXTENT = 16,
    SHORT_EXTENT = 3, /* least of a short dimension, of which a block takes all beside many of the last one */
    SHORT_LAST = 256, /* least of the last one then */
    SHORT_LOADS = 4   /* most loads then: of more the caches have what their neighbours loaded */
};

/* Dimension d and the last one are long enough. */
static bool is_worth(const fsr_group *group, int d, int loads) {
    if (group->extent[d] >= LEAST_EXTENT)
        return true;
    return group->extent[d] >= SHORT_EXTENT && group->extent[group->kernel->ndim - 1] >= SHORT_LAST &&
           loads <= SHORT_LOADS;
}

/* The dimension along which most elements of turned loads are neighbours; -1: there is none worth a square. */
static int turned_dimension(const fsr_group *group) {
    const fsr_kernel *k = group->kernel;
    int best = -1;
    double most = 0;
    for (int d = 0; d < k->ndim - 1; ++d) {
        double elements = 0;
        int loads = 0;
        for (int i = 0; i < k->ninsts; ++i) {
            if (!fsr_load_is_turned(k, i, d))
                continue;
            ++loads;
            const fsr_form f = fsr_form_of_access(k, group->kernel->integer, k->inst[i].index);
            const int64_t stride = f.stride[k->ndim - 1];
            elements += stride > 1 || stride < -1 ? (double)fsr_form_count(&f) : 0;
        }
        if (elements > most && is_worth(group, d, loads) && fsr_kernel_may_square(k, d)) {
            most = elements;
            best = d;
        }
    }
    return k->ndim && group->extent[k->ndim - 1] >= LEAST_EXTENT ? best : -1;
}

static size_t widest_staged(const fsr_kernel *k) {
    size_t widest = 1;
    for (int i = 0; i < k->ninsts; ++i)
        if (k->stand[i].staged && fsr_dtype_size(k->inst[i].dtype) > widest)
            widest = fsr_dtype_size(k->inst[i].dtype);
    return widest;
}

bool fsr_choose_square(fsr_group *group) {
    fsr_kernel *k = group->kernel;
    fsr_schedule *s = &k->schedule;
    const int d = turned_dimension(group);
    for (int i = 0; i < k->ninsts; ++i)
        k->stand[i].staged = d >= 0 && fsr_load_is_turned(k, i, d);
    if (d < 0)
        return false;
    s->tiled = d;
    s->tile = widest_staged(k) > 2 ? SIDE : NARROW_SIDE;
    s->pad = SQUARE_PAD;
    if (group->extent[d] < LEAST_EXTENT) {
        s->tile = group->extent[d] > 8 ? 16 : group->extent[d] > 4 ? 8 : 4;
        s->breadth = SIDE * SIDE / s->tile;
    }
    if (fsr_square_shared_bytes(k) > fsr_nominal_gpu.shared_bytes) {
        for (int i = 0; i < k->ninsts; ++i)
            k->stand[i].staged = false;
        s->tile = s->tiled = s->pad = s->breadth = 0;
        return false;
    }
    s->vector = 1;
    s->items = s->tile * fsr_square_breadth(s) / s->threads;
    return true;
}
