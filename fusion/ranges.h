/* SPDX-License-Identifier: MIT */
/* Between which numbers the values of a flow lie, as far as literals, dtypes and what is done with them say. */
#ifndef FUSOR_FUSION_RANGES_H
#define FUSOR_FUSION_RANGES_H

#include "fusion/flow.h"

/* low > high: nothing is known. All integers in them are exact. */
typedef struct fsr_range {
    double low, high;
} fsr_range;

static inline bool fsr_range_known(fsr_range r) {
    return r.low <= r.high;
}
/* Of each node, malloc'ed; NULL: out of memory (then *status is set). */
fsr_range *fsr_flow_ranges(const fsr_flow *flow, fsr_status *status);
fsr_range fsr_link_range(const fsr_flow *flow, const fsr_range *node, fsr_link link);

#endif
