/* SPDX-License-Identifier: MIT */
/* A caller's function of whole arrays: its compiled C text, once for each element.
 *
 * What the text reads of an array nobody knows, and an index made of anything else than an element's own value may
 * lead out of it. So it sees the plain values alone, as a kernel's does, and no corners of intervals; where a value or
 * any element of an array is not known, nothing is known of the result. */
#include "backend_cpu/reference/call_raw.h"
#include "backend_cpu/reference/call.h"
#include <stdlib.h>
#include <string.h>

typedef struct taken {
    fsr_routine_array array[FSR_MAX_NATIVE];
    bool known;
} taken;

/* The array's plain elements, in C order. False: out of memory. */
static bool copy_array(taken *t, int i, const fsr_ref_view *from, const fsr_shape *shape, fsr_dtype dtype) {
    const size_t size = fsr_dtype_size(dtype), n = (size_t)fsr_shape_size(shape);
    char *data = malloc(n ? size * n : 1);
    fsr_ref_walk walk;
    t->array[i] = (fsr_routine_array){data, (int64_t)n};
    fsr_ref_walk_start(&walk, shape, 0, from, 1);
    for (size_t at = 0; data && walk.left > 0; fsr_ref_walk_next(&walk), at++) {
        const fsr_ref_element x = fsr_ref_data_get(from->data, walk.at[0]);
        t->known = t->known && fsr_ref_is_known(&x.ball);
        memcpy(data + at * size, &x.value, size);
    }
    return data != NULL;
}

static fsr_ref_element element_of(const fsr_routine *f, const taken *t, const fsr_ball *ball, const fsr_value *value) {
    bool known = t->known;
    for (int i = 0; i < f->nparams; i++)
        known = known && fsr_ref_is_known(&ball[i]);
    fsr_ref_element out = {.value = fsr_routine_eval(f, value, t->array)};
    out.ball = known ? fsr_ball_call_known(f, value, t->array) : fsr_ball_unknown(f->result);
    return out;
}

static bool compute(const fsr_rec *rec, const fsr_ref_view *in, const taken *t, fsr_ref_data *data) {
    const fsr_routine *f = rec->routine;
    fsr_ball ball[FSR_MAX_NATIVE];
    fsr_value value[FSR_MAX_NATIVE];
    fsr_ref_walk walk;
    bool good = data != NULL;
    fsr_ref_walk_start(&walk, &rec->shape, 0, in, f->nparams);
    for (int64_t at = 0; good && walk.left > 0; fsr_ref_walk_next(&walk), at++) {
        for (int i = 0; i < f->nparams; i++)
            fsr_ref_data_read(in[i].data, walk.at[i], &ball[i], &value[i]);
        const fsr_ref_element x = element_of(f, t, ball, value);
        good = fsr_ref_data_set(data, at, &x);
    }
    return good;
}

fsr_ref_data *fsr_ref_call_raw(const fsr_rec *rec, const fsr_ref_view *in, const fsr_shape *shape) {
    const fsr_routine *f = rec->routine;
    taken t = {.known = true};
    bool good = true;
    for (int i = 0; good && i < f->narrays; i++)
        good = copy_array(&t, i, &in[f->nparams + i], &shape[f->nparams + i], f->dtype[f->nparams + i]);
    fsr_ref_data *data = good ? fsr_ref_data_new(rec->dtype[0], fsr_shape_size(&rec->shape), true) : NULL;
    good = good && compute(rec, in, &t, data);
    for (int i = 0; i < f->narrays; i++)
        free((void *)t.array[i].data);
    if (!good)
        fsr_ref_data_unref(data);
    return good ? data : NULL;
}
