/* SPDX-License-Identifier: MIT */
/* Gathers whose indices are between bounds that lie in the array, as those of clip(i, 0, n - 1), have nothing to report
 * and count none from the end: they clip, which changes no index. Counter-example to leaving them as they are: a kernel
 * has so many arrays, each report is one, and fluxes through four faces of a mesh were seven kernels. */
#include "fusion/ranges.h"
#include "fusion/rewrites.h"
#include <stdlib.h>

/* A gather that reports, and no index of which can be outside. */
static bool is_inside(const fsr_flow *flow, const fsr_range *node, const fsr_flow_node *n) {
    if (!fsr_has(n->kind, FSR_FIELD_mode) || n->mode != FSR_INDEX_RAISE || fsr_is(n->kind, FSR_OVERWRITES))
        return false;
    const fsr_shape *source = &flow->node[n->arg[0].id].shape;
    bool inside = true;
    for (int j = 0, k = 1; j < source->ndim && inside; ++j) {
        if (!(n->axes >> j & 1))
            continue;
        const fsr_range index = fsr_link_range(flow, node, n->arg[k++]);
        inside = fsr_range_known(index) && index.low >= 0 &&
                 index.high < (double)fsr_added_extent(&n->shape, source, &n->view, j);
    }
    return inside;
}

bool fsr_rewrite_bounds(fsr_flow *flow, fsr_status *status) {
    bool any = false, progress = false;
    for (int i = 0; i < flow->n; ++i)
        any = any || (fsr_has(flow->node[i].kind, FSR_FIELD_mode) && flow->node[i].mode == FSR_INDEX_RAISE);
    fsr_range *node = any ? fsr_flow_ranges(flow, status) : NULL;
    for (int i = 0; node && i < flow->n; ++i) {
        if (!is_inside(flow, node, &flow->node[i]))
            continue;
        flow->node[i].mode = FSR_INDEX_CLIP;
        flow->node[i].report = 0;
        progress = true;
    }
    free(node);
    return progress;
}
