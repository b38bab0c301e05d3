/* SPDX-License-Identifier: MIT */
/* The interpreter of the loop IR, for kernels of several nests: one after the other, each over all of its domain, the
 * arrays between them whole. Tiles are a schedule's, and no result depends on them; but where a load is said to read in
 * one must be where its address leads, for every tile, or emitted code would read another element. */
#include "fusion/interpret.h"
#include "fusion/repeat.h"
#include <stdlib.h>
#include <string.h>

/* Where element `row` of a nest's results is in its picture, counted from where its tile begins for a last one that
 * begins at 0. */
static void place_of(const fsr_picture *picture, int64_t row, int64_t at[FSR_AXES]) {
    const int64_t line = row / picture->extent[FSR_AXIS_ELEMENT];
    at[FSR_AXIS_PLANE] = line / picture->extent[FSR_AXIS_LINE] - picture->first[FSR_AXIS_PLANE];
    at[FSR_AXIS_LINE] = line % picture->extent[FSR_AXIS_LINE] - picture->first[FSR_AXIS_LINE];
    at[FSR_AXIS_ELEMENT] = row % picture->extent[FSR_AXIS_ELEMENT] - picture->first[FSR_AXIS_ELEMENT];
}

static bool has_lines(const fsr_picture *picture) {
    return picture->extent[FSR_AXIS_LINE] > 0 && picture->extent[FSR_AXIS_ELEMENT] > 0;
}

bool fsr_near_holds(const fsr_near_claim *claim, const fsr_access *a, int64_t row, int64_t at) {
    const fsr_kernel *whole = claim->whole;
    const int array = claim->nest ? claim->nest->array[a->buffer] : a->buffer;
    const int producer = fsr_nests_producer(whole, array);
    const int own = claim->nest ? (int)(claim->nest - whole->nests->nest) : whole->nests->n;
    fsr_picture from, to;
    int64_t i[FSR_AXES], element = 0;
    if (producer < 0)
        return false;
    fsr_nests_picture(whole, own, claim->integer, &from);
    fsr_nests_picture(whole, producer, claim->integer, &to);
    const fsr_nest *nest = &whole->nests->nest[producer];
    const fsr_schedule *tile = &nest->kernel->schedule;
    const int64_t all = to.extent[FSR_AXIS_PLANE] * to.extent[FSR_AXIS_LINE] * to.extent[FSR_AXIS_ELEMENT];
    if (!has_lines(&from) || !has_lines(&to) ||
        (fsr_tile_goes_beyond(tile) && all != claim->integer[nest->integer + FSR_INT_ROWS]))
        return false;
    place_of(&from, row, i);
    for (int d = whole->schedule.deep ? FSR_AXIS_PLANE : FSR_AXIS_LINE; d < FSR_AXES; d++) {
        if (to.step[d] != a->near.step[d] * from.step[d])
            return false;
        const int64_t reached = to.first[d] + a->near.at[d] + a->near.step[d] * i[d];
        element = element * to.extent[d] + fsr_beyond_index(tile->beyond[d], reached, to.extent[d]);
    }
    return at == element;
}

/* A nest before the last one. */
static fsr_status interpret_earlier(const fsr_kernel *whole, const fsr_nest *nest, const fsr_launch *launch) {
    const fsr_kernel *k = nest->kernel;
    const fsr_near_claim claim = {whole, nest, launch->integer};
    fsr_launch *own = calloc(1, sizeof *own);
    if (!own)
        return FSR_ERR_MEMORY;
    for (int b = 0; b < k->narrays; b++)
        own->array[b] = launch->array[nest->array[b]];
    memcpy(own->integer, launch->integer + nest->integer, sizeof own->integer[0] * (size_t)k->nints);
    memcpy(own->scalar, launch->scalar + nest->scalar, sizeof own->scalar[0] * (size_t)k->nscalars);
    fsr_status status = fsr_interpret_nest(k, own, &claim);
    free(own);
    return status;
}

/* Banded arrays are whole here. */
static fsr_status interpret_all(const fsr_kernel *k, fsr_launch *launch) {
    const fsr_near_claim claim = {k, NULL, launch->integer};
    fsr_status status = FSR_OK;
    for (int b = 0; b < k->narrays && !status; b++) {
        if (!k->array[b].banded)
            continue;
        const fsr_nest *nest = &k->nests->nest[fsr_nests_producer(k, b)];
        const int64_t elements = launch->integer[nest->integer + FSR_INT_ROWS];
        const int64_t bytes = fsr_size_mul(fsr_size_add(elements, 1), (int64_t)fsr_dtype_size(k->array[b].dtype));
        launch->array[b] = fsr_size_fits(bytes) ? malloc((size_t)bytes) : NULL;
        status = launch->array[b] ? FSR_OK : FSR_ERR_MEMORY;
    }
    for (int i = 0; i < k->nests->n && !status; i++)
        status = interpret_earlier(k, &k->nests->nest[i], launch);
    return status ? status : fsr_interpret_nest(k, launch, &claim);
}

/* One repetition after the other, each with arrays of its own. */
static fsr_status interpret_repeated(const fsr_kernel *k, const fsr_launch *launch) {
    fsr_launch *own = malloc(sizeof *own);
    fsr_status status = own ? FSR_OK : FSR_ERR_MEMORY;
    if (own)
        *own = *launch;
    for (int64_t t = 0; !status && t < launch->integer[k->repeat->times]; t++) {
        for (int b = 0; b < k->narrays; b++) {
            const fsr_beginning at = fsr_repeat_begins(k, launch->integer, b, t);
            own->array[b] = (char *)launch->array[at.array] + at.element * (int64_t)fsr_dtype_size(k->array[b].dtype);
        }
        if (k->repeat->number)
            own->scalar[k->repeat->number - 1] = fsr_value_from_int(FSR_I64, t);
        status = fsr_interpret_nest(k, own, NULL);
    }
    free(own);
    return status;
}

fsr_status fsr_kernel_interpret(const fsr_kernel *k, const fsr_launch *launch) {
    if (!k || !launch)
        return FSR_ERR_NULL;
    if (k->repeat)
        return interpret_repeated(k, launch);
    if (!k->nests)
        return fsr_interpret_nest(k, launch, NULL);
    fsr_launch *own = malloc(sizeof *own);
    if (!own)
        return FSR_ERR_MEMORY;
    *own = *launch;
    for (int b = 0; b < k->narrays; b++)
        own->array[b] = k->array[b].banded ? NULL : launch->array[b];
    const fsr_status status = interpret_all(k, own);
    for (int b = 0; b < k->narrays; b++)
        if (k->array[b].banded)
            free(own->array[b]);
    free(own);
    return status;
}
