/* SPDX-License-Identifier: MIT */
/* What operations lose of a CPU's vectors: in rows of a few elements, of bytes in short rows, and beside stores whose
 * elements no compiler puts in order.
 *
 * A point that does several places of a short dimension (coarsen.c) stores them side by side, and its neighbours what
 * follows: vectors of each place's results are shuffled into vectors along memory where the places are a power of two,
 * or three. Counter-example to any number: of 54,810 points of 6 places each had three exponentials, one by one: 0.86
 * ms, 0.15 in a loop along the places (seed 1471379, one thread of a Xeon, AVX2). */
#include "fusion/price.h"
#include "fusion/schedule_parts.h"
#include "fusion/walk.h"
#include <math.h>

enum {
    BYTES = 4,      /* of a word: a vector of them has as many times more elements */
    FEW_ALONE = 6,  /* times longer than in vectors: two or three elements whose loop a compiler writes down */
    FEW_FIXED = 3,  /* at most, the same of rows side by side whose number the text says */
    LEFT_ALONE = 5, /* times longer: what lanes leave over of a row that is folded */
    FEW_PLACES = 2  /* of places of a point that are copied or little more: a processor has several under way */
};

/* A CPU's map, row by row, takes elements of one byte: a vector of it is as many elements as a vector of bytes has, and
 * rows of fewer are done one by one. */
static bool loads_bytes(const fsr_kernel *k) {
    bool any = false;
    if (k->schedule.target != FSR_TARGET_CPU || k->schedule.kind != FSR_SCHEDULE_MAP || k->schedule.flat)
        return false;
    for (int a = 0; a < k->narrays; ++a)
        any = any || (!k->array[a].written && fsr_dtype_size(k->array[a].dtype) == 1);
    return any;
}

static bool is_shuffled(int places) {
    return places == 3 || fsr_power_of_two(places);
}

/* A point of a map stores several places side by side whose number is neither a power of two nor three. */
static bool stores_one_by_one(const fsr_kernel *k) {
    uint64_t stored = 0, again = 0;
    for (int i = 0; i < k->ninsts && k->schedule.target == FSR_TARGET_CPU && k->schedule.kind == FSR_SCHEDULE_MAP;
         ++i) {
        const int d = fsr_kernel_inner(k);
        const fsr_index_form *form =
            k->inst[i].kind == FSR_INST_STORE && d >= 0 ? fsr_access_form(k, k->inst[i].index) : NULL;
        if (!form || form->stride[d] != FSR_STRIDE_KNOWN || is_shuffled(form->slot[d]))
            continue;
        const uint64_t array = UINT64_C(1) << k->access[k->inst[i].index].buffer;
        again |= stored & array;
        stored |= array;
    }
    return again != 0;
}

static bool has_function(const fsr_kernel *k) {
    fsr_body body;
    fsr_body_of(k, 0, &body);
    return fsr_body_has_function(k, &body);
}

/* Elements that the first pass with lanes takes side by side along a row, whose last ones are done one by one; 1: there
 * are no lanes, or none is left over. */
static int lanes_of(const fsr_kernel *k) {
    int lanes = 1;
    for (int pass = 0; pass < k->npasses && k->schedule.kind == FSR_SCHEDULE_ROW; ++pass) {
        const fsr_walk *walk = &k->schedule.walk[pass];
        if (walk->form == FSR_WALK_LANES && !walk->laned && !walk->asked && lanes == 1)
            lanes = walk->rest ? walk->rest : k->schedule.lanes;
    }
    return k->schedule.target == FSR_TARGET_CPU ? lanes : 1;
}

/* How many times longer operations take in an innermost loop of a few turns: whole vectors, then one of half the lanes,
 * and what is left one by one. What is no vector code in any case does not take that again: a paste in rows of 5 was
 * priced at nine times what it takes. Counter-examples to whole vectors alone: rows of 24 that choose by bytes took ten
 * times their price with AVX-512 (seed 1360094), nine neighbours in rows of 3 8.7 times (170008), maxima in rows of 15
 * 7.9 times (171246), sums of three exponentials along rows 2.2 times (1482448). */
double fsr_price_lost_vectors(const fsr_prices *prices, const fsr_group *group) {
    const double inner = fsr_price_inner_extent(group), half = prices->lanes / 2;
    const fsr_schedule *s = &group->kernel->schedule;
    const bool rows = s->kind == FSR_SCHEDULE_ROW;
    if (stores_one_by_one(group->kernel))
        return has_function(group->kernel) ? prices->lanes : FEW_PLACES;
    if (inner < BYTES * prices->lanes && loads_bytes(group->kernel))
        return half;
    if (s->together)
        return 1;
    if (rows && lanes_of(group->kernel) > 1 && inner > 0)
        return 1 + fmod(inner, lanes_of(group->kernel)) / inner * (LEFT_ALONE - 1);
    if (inner >= (rows ? prices->lanes : prices->brief) || inner <= 0 || group->kernel->integer[FSR_INT_ROWS] <= 1)
        return 1;
    if (s->width && inner < half && !rows)
        return FEW_ALONE;
    const double left = fmod(inner, prices->lanes);
    const double turns = rows ? 1 : floor(inner / prices->lanes) + (left >= half) + fmod(left, half);
    return fmin(turns * prices->lanes / inner, s->fixed ? FEW_FIXED : INFINITY);
}
