/* SPDX-License-Identifier: MIT */
/* The interpreter of the loop IR, for kernels of several nests: one after the other, each over all of its domain, the
 * arrays between them whole. Tiles are a schedule's, and no result depends on them; but where a load is said to read in
 * one must be where its address leads, for every tile, or emitted code would read another element. */
#include "fusion/interpret.h"
#include <stdlib.h>
#include <string.h>

/* The last nest's tile begins at its own element. */
static const int64_t *reach_of(const fsr_near_claim *claim, const fsr_nest *nest, int64_t own[FSR_TILE_SIZE]) {
    if (nest)
        return claim->integer + nest->reach;
    own[FSR_TILE_PITCH] = claim->integer[claim->whole->nests->band];
    own[FSR_TILE_TOP] = own[FSR_TILE_LEFT] = 0;
    own[FSR_TILE_DOWN] = own[FSR_TILE_ALONG] = 1;
    return own;
}

bool fsr_near_holds(const fsr_near_claim *claim, const fsr_access *a, int64_t row, int64_t at) {
    int64_t own[FSR_TILE_SIZE];
    const int array = claim->nest ? claim->nest->array[a->buffer] : a->buffer;
    const int producer = fsr_nests_producer(claim->whole, array);
    if (producer < 0)
        return false;
    const int64_t *q = reach_of(claim, claim->nest, own);
    const int64_t *g = reach_of(claim, &claim->whole->nests->nest[producer], own);
    const fsr_beside *near = &a->near;
    if (q[FSR_TILE_PITCH] < 1 || g[FSR_TILE_DOWN] != near->down * q[FSR_TILE_DOWN] ||
        g[FSR_TILE_ALONG] != near->along * q[FSR_TILE_ALONG])
        return false;
    const int64_t y = row / q[FSR_TILE_PITCH] - q[FSR_TILE_TOP], x = row % q[FSR_TILE_PITCH] - q[FSR_TILE_LEFT];
    const int64_t line = g[FSR_TILE_TOP] + near->row + near->down * y;
    return at == line * g[FSR_TILE_PITCH] + g[FSR_TILE_LEFT] + near->column + near->along * x;
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

fsr_status fsr_kernel_interpret(const fsr_kernel *k, const fsr_launch *launch) {
    if (!k || !launch)
        return FSR_ERR_NULL;
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
