/* SPDX-License-Identifier: MIT */
/* Elements that are left at computed places; see scatter.h.
 *
 * A filter counts for itself what its mask selects, row by row, whatever the graph's count says.
 * A mask that is not known for sure (of numbers that were rounded, say) may put any element anywhere in its array: values
 * are those of the plain mask, and nothing is known of how far others may be off. */
#include "backend_cpu/reference/scatter.h"

static bool all_known(const fsr_shape *shape, const fsr_ref_view *mask) {
    fsr_ref_walk walk;
    bool known = true;
    fsr_ref_walk_start(&walk, shape, 0, mask, 1);
    for (; known && walk.left > 0; fsr_ref_walk_next(&walk)) {
        const fsr_ref_element x = fsr_ref_data_get(mask->data, walk.at[0]);
        known = fsr_ref_is_known(&x.ball);
    }
    return known;
}

fsr_status fsr_ref_compact(const fsr_rec *rec, const fsr_shape *shape, const fsr_ref_view *in, fsr_ref_data *out,
                           fsr_fault *fault) {
    const int64_t n = shape->dim[shape->ndim - 1];
    const bool known = all_known(shape, &in[1]);
    int64_t row = 0, before = 0;
    fsr_ref_walk walk;
    fsr_ref_walk_start(&walk, shape, 0, in, 2);
    for (; walk.left > 0; fsr_ref_walk_next(&walk)) {
        const int64_t i = walk.index[shape->ndim - 1];
        const bool selected = fsr_ref_data_get(in[1].data, walk.at[1]).value.b;
        fsr_ref_element x = fsr_ref_data_get(in[0].data, walk.at[0]);
        before = i == 0 ? 0 : before;
        if (!known)
            x.ball = fsr_ball_unknown(rec->dtype[0]);
        if (!fsr_ref_data_set(out, row + (selected ? before : n - 1 - (i - before)), &x))
            return fsr_fault_set(fault, FSR_ERR_MEMORY, "reference: out of memory");
        before += selected;
        row += i == n - 1 ? n : 0;
    }
    return FSR_OK;
}
