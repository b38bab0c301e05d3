/* SPDX-License-Identifier: MIT */
/* Elements at computed indices; see gather.h.
 *
 * An index that is not known for sure (the greatest of numbers that were rounded, say) may name any element: the value
 * is the one at its plain value, and nothing is known of how far others may be off. */
#include "backend_cpu/reference/gather.h"

fsr_status fsr_ref_outside(const fsr_rec *rec, int64_t index, int axis, int64_t extent, fsr_fault *fault) {
    char text[1024];
    const fsr_status status = fsr_says_words(text, sizeof text, rec->says, index, axis - rec->lead, extent, rec->site);
    return fsr_fault_set(fault, status, "%s", text);
}

/* Where in [0, n) index i is. False: it is to be reported. */
static bool bring_inside(fsr_index_mode mode, int64_t *i, int64_t n) {
    if (mode == FSR_INDEX_WRAP) {
        *i %= n;
        *i += *i < 0 ? n : 0;
        return true;
    }
    if (mode == FSR_INDEX_RAISE && *i < 0 && *i >= -n)
        *i += n;
    const bool inside = *i >= 0 && *i < n;
    if (!inside)
        *i = *i < 0 ? 0 : n - 1;
    return inside || mode == FSR_INDEX_CLIP;
}

typedef struct gather {
    const fsr_rec *rec;
    const fsr_shape *source;
    const fsr_ref_view *in;
    fsr_fault *fault;
} gather;

/* The position of the source's element for the point that the walk is at. *known: by indices that are. */
static fsr_status position(const gather *g, const fsr_ref_walk *walk, int64_t *at, bool *known) {
    const fsr_rec *rec = g->rec;
    int next = 0;
    *at = g->in[0].offset;
    *known = true;
    for (int j = 0; j < g->source->ndim; j++) {
        int64_t index =
            rec->view.start[j] + (rec->view.from[j] < 0 ? 0 : rec->view.step[j] * walk->index[rec->view.from[j]]);
        if (rec->axes >> j & 1) {
            const fsr_ref_element x = fsr_ref_data_get(g->in[1 + next].data, walk->at[next]);
            const int64_t extent = fsr_added_extent(&rec->shape, g->source, &rec->view, j);
            int64_t asked = x.value.i64;
            *known = *known && fsr_ref_is_known(&x.ball);
            if (!bring_inside(rec->mode, &asked, extent))
                return fsr_ref_outside(rec, x.value.i64, j, extent, g->fault);
            index += asked;
            next++;
        }
        *at += index * g->in[0].stride[j];
    }
    return FSR_OK;
}

/* An element goes on; known: it is that one for certain. False: out of memory. */
static bool pass(fsr_ref_data *to, int64_t at, const fsr_ref_data *from, int64_t where, bool known) {
    if (known)
        return fsr_ref_data_copy(to, at, from, where);
    fsr_ref_element x = fsr_ref_data_get(from, where);
    x.ball = fsr_ball_unknown(to->dtype);
    return fsr_ref_data_set(to, at, &x);
}

fsr_status fsr_ref_gather(const fsr_rec *rec, const fsr_shape *source, const fsr_ref_view *in, fsr_ref_data *out,
                          fsr_fault *fault) {
    const gather g = {rec, source, in, fault};
    fsr_ref_walk walk;
    fsr_ref_walk_start(&walk, &rec->shape, 0, in + 1, rec->nargs - 1);
    for (int64_t at = 0; walk.left > 0; fsr_ref_walk_next(&walk), at++) {
        int64_t from;
        bool known;
        fsr_status status = position(&g, &walk, &from, &known);
        if (status)
            return status;
        if (!pass(out, at, in[0].data, from, known))
            return fsr_fault_set(fault, FSR_ERR_MEMORY, "reference: out of memory");
    }
    return FSR_OK;
}

/* Whether the point that the walk is at shows the second argument, and then the element's position. */
static bool inside_part(const fsr_rec *rec, const fsr_shape *part, const fsr_ref_view *in, const fsr_ref_walk *walk,
                        int64_t *at, bool *known) {
    bool inside = true;
    int next = 0;
    *at = in[1].offset;
    *known = true;
    for (int j = 0; j < part->ndim; j++) {
        int64_t corner = 0;
        if (rec->axes >> j & 1) {
            const fsr_ref_element x = fsr_ref_data_get(in[2 + next].data, walk->at[1 + next]);
            corner = x.value.i64;
            *known = *known && fsr_ref_is_known(&x.ball);
            bring_inside(rec->mode, &corner, rec->shape.dim[j] - part->dim[j] + 1);
            next++;
        }
        const int64_t i = walk->index[j] - corner;
        inside = inside && i >= 0 && i < part->dim[j];
        *at += i * in[1].stride[j];
    }
    return inside;
}

fsr_status fsr_ref_inset(const fsr_rec *rec, const fsr_shape *part, const fsr_ref_view *in, fsr_ref_data *out,
                         fsr_fault *fault) {
    fsr_ref_view walked[FSR_MAX_ARGS];
    fsr_ref_walk walk;
    int n = 0;
    for (int i = 0; i < rec->nargs; i++)
        if (i != 1)
            walked[n++] = in[i];
    fsr_ref_walk_start(&walk, &rec->shape, 0, walked, n);
    for (int64_t at = 0; walk.left > 0; fsr_ref_walk_next(&walk), at++) {
        int64_t from;
        bool known, inside = inside_part(rec, part, in, &walk, &from, &known);
        if (!pass(out, at, in[inside].data, inside ? from : walk.at[0], known))
            return fsr_fault_set(fault, FSR_ERR_MEMORY, "reference: out of memory");
    }
    return FSR_OK;
}

fsr_status fsr_ref_prefix(const fsr_rec *rec, const fsr_shape *shape, const fsr_ref_view *in, fsr_ref_data *out,
                          fsr_fault *fault) {
    fsr_ref_walk walk;
    (void)rec;
    fsr_ref_walk_start(&walk, shape, 0, in, 3);
    for (int64_t at = 0; walk.left > 0; fsr_ref_walk_next(&walk), at++) {
        const fsr_ref_element count = fsr_ref_data_get(in[2].data, walk.at[2]);
        const int there = walk.index[shape->ndim - 1] < count.value.i64;
        if (!pass(out, at, in[there].data, walk.at[there], fsr_ref_is_known(&count.ball)))
            return fsr_fault_set(fault, FSR_ERR_MEMORY, "reference: out of memory");
    }
    return FSR_OK;
}
