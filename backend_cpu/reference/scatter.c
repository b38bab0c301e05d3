/* SPDX-License-Identifier: MIT */
/* Elements that are left at computed addresses; see scatter.h.
 *
 * A filter counts for itself what its mask selects, row by row, whatever the graph's count says.
 * A mask that is not known for sure (of numbers that were rounded, say) may put any element anywhere in its array:
 * values are those of the plain mask, and nothing is known of how far others may be off. */
#include "backend_cpu/reference/scatter.h"
#include "backend_cpu/reference/gather.h"
#include "graph/shape.h"

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

/* Where in [0, n) index i is; -1: nowhere. */
static int64_t bring(fsr_index_mode mode, int64_t i, int64_t n) {
    const int64_t from_end = i < 0 ? i + n : i;
    if (mode == FSR_INDEX_CLIP)
        return i < 0 ? 0 : i < n ? i : n - 1;
    if (mode == FSR_INDEX_WRAP)
        return i % n < 0 ? i % n + n : i % n;
    return from_end >= 0 && from_end < n ? from_end : -1;
}

/* The position of the whole array's element for the point that the walk is at; -1: none. */
static fsr_status target(const fsr_rec *rec, const fsr_shape *part, const fsr_ref_view *in, const fsr_ref_walk *walk,
                         int64_t *to, bool *known, fsr_fault *fault) {
    int64_t at = 0;
    int next = 0;
    for (int j = 0; j < rec->shape.ndim; j++) {
        const int from = rec->view.from[j];
        int64_t index = rec->view.start[j] + (from < 0 ? 0 : rec->view.step[j] * walk->index[from]);
        if (rec->axes >> j & 1) {
            const fsr_ref_element x = fsr_ref_data_get(in[2 + next].data, walk->at[1 + next]);
            const int64_t extent = fsr_added_extent(part, &rec->shape, &rec->view, j);
            const int64_t asked = bring(rec->mode, x.value.i64, extent);
            next++;
            *known = *known && fsr_ref_is_known(&x.ball);
            if (asked < 0 && rec->mode == FSR_INDEX_RAISE)
                return fsr_ref_outside(rec, x.value.i64, j, extent, fault);
            index = asked < 0 ? -1 : index + asked;
        }
        at = index < 0 || at < 0 ? -1 : at * rec->shape.dim[j] + index;
    }
    *to = at;
    return FSR_OK;
}

/* What is there and the new element, by the node's operator; without one the new element. */
static fsr_ref_element combined(const fsr_rec *rec, const fsr_ref_element *there, const fsr_ref_element *x) {
    const fsr_dtype dtype = rec->dtype[0];
    const fsr_ball ball[] = {there->ball, x->ball};
    const fsr_value value[3] = {there->value, x->value};
    if (!rec->combine)
        return *x;
    return (fsr_ref_element){fsr_ball_op(rec->combine->op, dtype, dtype, ball,
                                         fsr_dtype_is_inexact(dtype) ? FSR_BALL_FOLD : FSR_BALL_STRICT),
                             fsr_op_eval(rec->combine->op, dtype, dtype, value)};
}

static void forget(const fsr_rec *rec, fsr_ref_data *out, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        fsr_ref_element x = fsr_ref_data_get(out, i);
        x.ball = fsr_ball_unknown(rec->dtype[0]);
        fsr_ref_data_set(out, i, &x);
    }
}

fsr_status fsr_ref_scatter(const fsr_rec *rec, const fsr_shape *part, const fsr_ref_view *in, fsr_ref_data *out,
                           fsr_fault *fault) {
    bool known = true;
    fsr_ref_walk walk;
    fsr_ref_walk_start(&walk, part, 0, in + 1, rec->nargs - 1);
    for (; walk.left > 0; fsr_ref_walk_next(&walk)) {
        int64_t to = -1;
        fsr_status status = target(rec, part, in, &walk, &to, &known, fault);
        if (status)
            return status;
        if (to < 0)
            continue;
        const fsr_ref_element new = fsr_ref_data_get(in[1].data, walk.at[0]), there = fsr_ref_data_get(out, to);
        const fsr_ref_element x = combined(rec, &there, &new);
        if (!fsr_ref_data_set(out, to, &x))
            return fsr_fault_set(fault, FSR_ERR_MEMORY, "reference: out of memory");
    }
    if (!known)
        forget(rec, out, fsr_shape_size(&rec->shape));
    return FSR_OK;
}
