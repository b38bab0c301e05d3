/* SPDX-License-Identifier: MIT */
/* Prices; see price.h. What fits into the last cache moves at its rate. */
#include "fusion/price.h"
#include <math.h>
#include <stdlib.h>

const fsr_prices *fsr_prices_of(bool gpu) {
    static const fsr_prices prices[2] = {{
#define FSR_PRICE(name, gpu, cpu) .name = cpu,
#include "fusion/price.def"
                                         },
                                         {
#define FSR_PRICE(name, gpu, cpu) .name = gpu,
#include "fusion/price.def"
                                         }};
    return &prices[gpu];
}

double fsr_price_bytes(const fsr_prices *prices, double bytes) {
    return bytes / (bytes <= prices->cache ? prices->cached : prices->memory);
}

static double bytes_of(const fsr_flow_node *n, fsr_dtype dtype) {
    return (double)fsr_shape_bytes(&n->shape, dtype);
}

/* Adds to read[i] what node i reads of each array: views take a part of it, or all; who else takes it may want all. */
static void add_read(const fsr_flow *flow, double *read) {
    for (int i = 0; i < flow->n; ++i)
        for (int k = 0; k < flow->node[i].nargs; ++k) {
            const int id = flow->node[i].arg[k].id;
            const fsr_flow_node *from = &flow->node[id];
            if (fsr_is(from->kind, FSR_IS_ARRAY))
                read[id] += bytes_of(fsr_is(flow->node[i].kind, FSR_IS_VIEW) ? &flow->node[i] : from, from->dtype[0]);
        }
}

/* Counter-example to whole arrays: a program of 256 by 256 elements of an array of 5847 by 256 has all its values near,
 * and was priced as if memory held them. Without memory for what is read, they are taken for whole. */
double fsr_price_footprint(const fsr_flow *flow) {
    double sum = 0, *read = calloc((size_t)flow->n + 1, sizeof *read);
    if (read)
        add_read(flow, read);
    for (int i = 0; i < flow->n; ++i)
        if (fsr_is(flow->node[i].kind, FSR_IS_ARRAY)) {
            const double whole = bytes_of(&flow->node[i], flow->node[i].dtype[0]);
            sum += read ? fmin(read[i], whole) : whole;
        }
    for (int i = 0; i < flow->nout; ++i) {
        const fsr_flow_node *n = &flow->node[flow->out[i].id];
        sum += bytes_of(n, n->dtype[flow->out[i].output]);
    }
    free(read);
    return sum;
}

double fsr_price_moved(const fsr_prices *prices, double bytes, double footprint) {
    return bytes / (footprint <= prices->cache ? prices->cached : prices->memory);
}

/* Counter-example to the longer of the two alone, on a CPU: kernels of three operations and more of 200 random programs
 * took 1.40 times their price in the median, those of one 0.89 times. */
double fsr_price_together(const fsr_prices *prices, double memory, double issue) {
    return fmax(memory, issue) + (1 - prices->hidden) * fmin(memory, issue);
}

double fsr_price_kernel(const fsr_prices *prices, double bytes, double operations) {
    return prices->launch + fsr_price_together(prices, fsr_price_bytes(prices, bytes), operations / prices->issue);
}
