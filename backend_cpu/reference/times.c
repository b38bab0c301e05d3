/* SPDX-License-Identifier: MIT */
/* Products of the elements of two arrays, as sums of products have them: never an array of their own. Two matrices of
 * 1000 rows and columns have 2 million elements, and 10^9 products, of which each is asked for once. */
#include "backend_cpu/reference/times.h"
#include "graph/shape.h"
#include <stdlib.h>

void fsr_ref_times(fsr_dtype dtype, const fsr_ref_element *x, const fsr_ref_element *y, fsr_ball *ball,
                   fsr_value *value) {
    *ball = fsr_ball_op(FSR_OP_MUL, dtype, dtype, (const fsr_ball[]){x->ball, y->ball}, FSR_BALL_CONTRACTED);
    *value = fsr_op_eval(FSR_OP_MUL, dtype, dtype, (const fsr_value[]){x->value, y->value});
}

void fsr_ref_total_add(fsr_ref_total *s, const fsr_ball *ball, fsr_value value) {
    const fsr_ball plain = fsr_ball_from_value(s->dtype, value);
    fsr_ref_sum_add(&s->part[0], ball->center, ball->radius);
    fsr_ref_sum_add(&s->part[1], ball->imag, ball->radius);
    s->value[0] += plain.center;
    s->value[1] += plain.imag;
}

void fsr_ref_total_times(fsr_ref_total *s, const fsr_ref_element *x, const fsr_ref_element *y) {
    fsr_ball ball;
    fsr_value value;
    fsr_ref_times(s->dtype, x, y, &ball, &value);
    fsr_ref_total_add(s, &ball, value);
}

fsr_ref_element fsr_ref_total_get(const fsr_ref_total *s, double depth) {
    const fsr_dtype real = fsr_dtype_real(s->dtype);
    const fsr_ball plain = {.center = s->value[0], .imag = s->value[1]};
    fsr_ref_element out = {.ball = fsr_ref_sum_get(&s->part[0], real, depth),
                           .value = fsr_ball_center_value(s->dtype, &plain)};
    if (fsr_dtype_is_complex(s->dtype))
        out.ball = fsr_ref_sum_complex(out.ball, fsr_ref_sum_get(&s->part[1], real, depth));
    return out;
}

fsr_ref_data *fsr_ref_products(fsr_dtype dtype, const fsr_shape *shape, const fsr_ref_view *in) {
    fsr_ref_data *d = fsr_ref_data_new(dtype, 0, true);
    fsr_ref_factors *f = malloc(sizeof *f);
    if (!d || !f) {
        fsr_ref_data_unref(d);
        free(f);
        return NULL;
    }
    *f = (fsr_ref_factors){.shape = *shape, .view = {in[0], in[1]}};
    for (int i = 0; i < 2; i++)
        fsr_ref_data_ref(f->view[i].data);
    d->size = fsr_shape_size(shape);
    d->factors = f;
    return d;
}

void fsr_ref_factors_free(fsr_ref_factors *f) {
    for (int i = 0; f && i < 2; i++)
        fsr_ref_data_unref(f->view[i].data);
    free(f);
}

void fsr_ref_factors_read(const fsr_ref_factors *f, fsr_dtype dtype, int64_t at, fsr_ball *ball, fsr_value *value) {
    int64_t where[2] = {f->view[0].offset, f->view[1].offset};
    for (int d = f->shape.ndim - 1; d >= 0; d--) {
        const int64_t index = at % f->shape.dim[d];
        at /= f->shape.dim[d];
        for (int i = 0; i < 2; i++)
            where[i] += index * f->view[i].stride[d];
    }
    const fsr_ref_element x = fsr_ref_data_get(f->view[0].data, where[0]);
    const fsr_ref_element y = fsr_ref_data_get(f->view[1].data, where[1]);
    fsr_ref_times(dtype, &x, &y, ball, value);
}
