/* SPDX-License-Identifier: MIT */
#include "fusion/nest.h"
#include "fusion/address.h"
#include "fusion/launch_shape.h"
#include <math.h>
#include <stdlib.h>

fsr_nests *fsr_nests_new(void) {
    return calloc(1, sizeof(fsr_nests));
}

void fsr_nests_free(fsr_nests *nests) {
    for (int i = 0; nests && i < nests->n; ++i)
        fsr_kernel_free(nests->nest[i].kernel);
    free(nests);
}

fsr_nests *fsr_nests_copy(const fsr_nests *nests) {
    fsr_nests *copy = fsr_nests_new();
    if (!copy)
        return NULL;
    *copy = *nests;
    for (copy->n = 0; copy->n < nests->n; ++copy->n) {
        fsr_kernel *kernel = fsr_kernel_copy(nests->nest[copy->n].kernel);
        if (!kernel) {
            fsr_nests_free(copy);
            return NULL;
        }
        copy->nest[copy->n].kernel = kernel;
    }
    return copy;
}

int fsr_nest_reach(const fsr_kernel *k) {
    if (k->schedule.target != FSR_TARGET_GPU)
        return FSR_REACH_SIZE;
    return k->schedule.deep ? FSR_TILE_DEEP_SIZE : FSR_TILE_SIZE;
}

int fsr_nests_producer(const fsr_kernel *k, int array) {
    for (int i = 0; k->nests && i < k->nests->n; ++i) {
        const fsr_nest *nest = &k->nests->nest[i];
        for (int b = 0; b < nest->kernel->narrays; ++b)
            if (nest->kernel->array[b].written && nest->array[b] == array)
                return i;
    }
    return -1;
}

bool fsr_kernel_may_band(const fsr_kernel *k) {
    for (int i = 0; i < k->ninsts; ++i)
        if (k->inst[i].report || k->inst[i].combines || k->inst[i].filter)
            return false;
    return k->ndim >= 1 && !k->npasses && !k->nloops && !k->live;
}

bool fsr_kernel_is_nest(const fsr_kernel *k) {
    for (int b = 0; b < k->narrays && !k->nests; ++b)
        if (k->array[b].banded)
            return true;
    return false;
}

/* ---- tiles ---- */

void fsr_nests_picture(const fsr_kernel *k, int number, const int64_t *integer, fsr_picture *out) {
    const fsr_nests *nests = k->nests;
    const bool last = number == nests->n, deep = k->schedule.deep > 0;
    const int64_t *reach = last ? NULL : integer + nests->nest[number].reach;
    const int64_t rows = integer[(last ? 0 : nests->nest[number].integer) + FSR_INT_ROWS];
    const int64_t pitch = last ? integer[nests->band] : reach[FSR_TILE_PITCH];
    const int64_t all = fsr_ceil_div(rows, pitch > 0 ? pitch : 1);
    const int64_t lines = !deep ? all : last ? integer[nests->bytes] : reach[FSR_TILE_LINES];
    *out = (fsr_picture){{fsr_ceil_div(all, lines > 0 ? lines : 1), lines, pitch}, {0}, {1, 1, 1}};
    if (last)
        return;
    out->first[FSR_AXIS_LINE] = reach[FSR_TILE_TOP];
    out->step[FSR_AXIS_LINE] = reach[FSR_TILE_DOWN];
    out->first[FSR_AXIS_ELEMENT] = reach[FSR_TILE_LEFT];
    out->step[FSR_AXIS_ELEMENT] = reach[FSR_TILE_ALONG];
    out->first[FSR_AXIS_PLANE] = deep ? reach[FSR_TILE_FRONT] : 0;
    out->step[FSR_AXIS_PLANE] = deep ? reach[FSR_TILE_INWARD] : 1;
}

int64_t fsr_beyond_index(fsr_beyond beyond, int64_t i, int64_t n) {
    switch (beyond) {
    case FSR_BEYOND_EDGE: return i < 0 ? 0 : i < n ? i : n - 1;
    case FSR_BEYOND_WRAP: return i < 0 ? i + n : i < n ? i : i - n;
    case FSR_BEYOND_REFLECT: return i < 0 ? -i : i < n ? i : 2 * (n - 1) - i;
    case FSR_BEYOND_NOTHING: break;
    }
    return i;
}

bool fsr_tile_goes_beyond(const fsr_schedule *s) {
    return s->beyond[FSR_AXIS_PLANE] || s->beyond[FSR_AXIS_LINE] || s->beyond[FSR_AXIS_ELEMENT];
}

int fsr_tile_extent(const fsr_schedule *s, int axis) {
    return axis == FSR_AXIS_PLANE ? (s->deep ? s->deep : 1) : axis == FSR_AXIS_LINE ? s->high : s->broad;
}

int64_t fsr_tile_elements(const fsr_schedule *s) {
    return fsr_size_mul(fsr_size_mul(fsr_tile_extent(s, FSR_AXIS_PLANE), s->high), s->broad);
}

int64_t fsr_tile_bytes(fsr_dtype dtype, int64_t elements) {
    return fsr_round_up(fsr_size_mul(elements, (int64_t)fsr_dtype_size(dtype)), 16);
}

int64_t fsr_tiles_bytes(const fsr_kernel *k) {
    int64_t bytes = 0;
    for (int b = 0; b < k->narrays; ++b) {
        const int producer = k->array[b].banded ? fsr_nests_producer(k, b) : -1;
        if (producer < 0)
            continue;
        const fsr_schedule *s = &k->nests->nest[producer].kernel->schedule;
        bytes = fsr_size_add(bytes, fsr_tile_bytes(k->array[b].dtype, fsr_tile_elements(s)));
    }
    return bytes;
}

int64_t fsr_tiles_blocks(const fsr_kernel *k, const int64_t *integer) {
    fsr_picture picture;
    int64_t blocks = 1;
    fsr_nests_picture(k, k->nests->n, integer, &picture);
    for (int a = 0; a < FSR_AXES; ++a)
        blocks = fsr_size_mul(blocks, fsr_ceil_div(picture.extent[a], fsr_tile_extent(&k->schedule, a)));
    return blocks;
}

int64_t fsr_nest_span(const int64_t *integer) {
    const int64_t extent = integer[FSR_INT_EXTENT];
    return extent > 0 && integer[FSR_INT_ROWS] > extent ? integer[FSR_INT_ROWS] / extent : 1;
}

/* Neighbours of what it loads lie along the outermost dimension, apart along the last one: so many rows at least take a
 * line of memory, which is not near any more when the next band comes. Counter-example to lines of short rows: 700 of
 * them are 45 KB. */
static int rows_of_line(const fsr_kernel *k, const int64_t *integer) {
    enum { LINE = 64, LINE_ELEMENTS = 16, NEAR_BYTES = 256 << 10 };
    const int last = k->ndim - 1;
    bool across = false;
    for (int a = 0; a < k->naccesses && last > 0; ++a) {
        const fsr_form f = fsr_form_of_access(k, integer, a);
        across = across || (f.stride[0] == 1 && f.divisor == 1 && f.stride[last] > FSR_CLOSE &&
                            f.extent[last] * LINE > NEAR_BYTES);
    }
    return across ? LINE_ELEMENTS : 1;
}

double fsr_nest_twice(const fsr_kernel *nest, const int64_t *integer, const int64_t *reach, int64_t band) {
    const double step = (double)reach[FSR_REACH_STEP];
    const double more = (double)reach[FSR_REACH_LAST] - (double)reach[FSR_REACH_FIRST] + 1 - step;
    const double once = step * (double)band, rows = once + fmax(more, 0);
    const int line = rows_of_line(nest, integer);
    const double unit = (double)fsr_size_mul(fsr_nest_span(integer), line);
    return once > 0 ? (line > 1 ? ceil(rows / unit) * unit : rows) / once - 1 : 0;
}

double fsr_nest_times(const fsr_kernel *k, int number, const int64_t *integer) {
    const fsr_nest *nest = &k->nests->nest[number];
    fsr_picture picture;
    if (!k->schedule.high)
        return 1 +
               fsr_nest_twice(nest->kernel, integer + nest->integer, integer + nest->reach, integer[k->nests->band]);
    fsr_nests_picture(k, number, integer, &picture);
    double times = 1;
    for (int a = 0; a < FSR_AXES; ++a)
        times *= (double)fsr_tile_extent(&nest->kernel->schedule, a) /
                 ((double)picture.step[a] * fsr_tile_extent(&k->schedule, a));
    return times;
}

/* Elements of a nest's results that one band needs at most: whole rows. */
static int64_t band_elements(const fsr_kernel *k, int number, const int64_t *integer) {
    const fsr_nest *nest = &k->nests->nest[number];
    const int64_t *own = integer + nest->integer, *reach = integer + nest->reach;
    const int64_t span = fsr_nest_span(own), step = fsr_size_mul(reach[FSR_REACH_STEP], integer[k->nests->band] - 1);
    const int64_t needed = fsr_size_add(step, reach[FSR_REACH_LAST] - reach[FSR_REACH_FIRST] + 1);
    const int64_t rows = fsr_size_add(needed / span, 2), extent = own[FSR_INT_EXTENT];
    return fsr_size_mul(rows < extent ? rows : extent, span);
}

void fsr_nests_place(const fsr_kernel *k, int64_t *integer) {
    int64_t at = 0;
    for (int b = 0; b < k->narrays; ++b) {
        const int producer = k->array[b].banded ? fsr_nests_producer(k, b) : -1;
        if (producer < 0)
            continue;
        const int64_t size = (int64_t)fsr_dtype_size(k->array[b].dtype);
        integer[k->nests->place[b]] = at;
        at = fsr_size_add(at, fsr_round_up(fsr_size_mul(band_elements(k, producer, integer), size), FSR_WORK_ALIGN));
    }
    integer[k->nests->bytes] = at;
}
