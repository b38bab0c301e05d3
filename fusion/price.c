/* SPDX-License-Identifier: MIT */
/* Prices; see price.h. What fits into the last cache moves at its rate. */
#include "fusion/price.h"

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

double fsr_price_footprint(const fsr_flow *flow) {
    double sum = 0;
    for (int i = 0; i < flow->n; ++i)
        if (fsr_is(flow->node[i].kind, FSR_IS_ARRAY))
            sum += (double)fsr_shape_bytes(&flow->node[i].shape, flow->node[i].dtype[0]);
    for (int i = 0; i < flow->nout; ++i) {
        const fsr_flow_node *n = &flow->node[flow->out[i].id];
        sum += (double)fsr_shape_bytes(&n->shape, n->dtype[flow->out[i].output]);
    }
    return sum;
}

double fsr_price_moved(const fsr_prices *prices, double bytes, double footprint) {
    return bytes / (footprint <= prices->cache ? prices->cached : prices->memory);
}

double fsr_price_kernel(const fsr_prices *prices, double bytes, double operations) {
    double memory = fsr_price_bytes(prices, bytes), issue = operations / prices->issue;
    return prices->launch + (memory > issue ? memory : issue);
}
