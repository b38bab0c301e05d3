/* SPDX-License-Identifier: MIT */
/* Products of matrices, and a scale and a bias behind them, from their definition: each element the sum of k products
 * that may be kept unrounded, in whatever order they are added. Recorded graphs have sums of products instead
 * (primitives/matmul.c), which are bounded alike; the call is what a plan makes of those, and what a text may say. */
#include "graph/matmul.h"
#include "backend_cpu/reference/library.h"
#include "backend_cpu/reference/times.h"
#include "graph/shape.h"
#include <stdlib.h>

/* An argument as its plan sees it: element i in C order. */
typedef struct memory {
    const fsr_shape *shape;
    const fsr_ref_view *view;
} memory;

/* f16 and bf16 as f32, which they are multiplied as. */
static fsr_ref_element element(const memory *x, fsr_dtype dtype, int64_t i) {
    int64_t at = x->view->offset;
    for (int d = x->shape->ndim - 1; d >= 0; d--) {
        at += i % x->shape->dim[d] * x->view->stride[d];
        i /= x->shape->dim[d];
    }
    fsr_ref_element out = fsr_ref_data_get(x->view->data, at);
    out.value = fsr_op_eval(FSR_OP_CAST, x->view->data->dtype, dtype, &out.value);
    return out;
}

static fsr_ref_element product(const fsr_matmul *m, fsr_dtype dtype, const memory *a, const memory *b, int64_t i,
                               int64_t j, const int64_t *at) {
    fsr_ref_total s = {.dtype = dtype};
    for (int64_t p = 0; p < m->k; p++) {
        const fsr_ref_element x = element(a, dtype, at[0] + (m->a_flipped ? i + p * m->a_lead : p + i * m->a_lead));
        const fsr_ref_element y = element(b, dtype, at[1] + (m->b_flipped ? p + j * m->b_lead : j + p * m->b_lead));
        fsr_ref_total_times(&s, &x, &y);
    }
    return fsr_ref_total_get(&s, (double)m->k);
}

static bool fill(const fsr_matmul *m, fsr_dtype dtype, const memory *in, fsr_ref_data *out) {
    const int last = FSR_MATMUL_BATCHES - 1;
    int64_t at[3];
    for (int64_t set = 0; set < fsr_matmul_sets(m); set++) {
        fsr_matmul_set(m, set, at);
        for (int64_t batch = 0; batch < m->batches[last]; batch++) {
            for (int64_t e = 0; e < m->m * m->n; e++) {
                const fsr_ref_element x = product(m, dtype, &in[0], &in[1], e / m->n, e % m->n, at);
                if (!fsr_ref_data_set(out, at[2] + e / m->n * m->c_lead + e % m->n, &x))
                    return false;
            }
            at[0] += m->a_step[last];
            at[1] += m->b_step[last];
            at[2] += m->c_step[last];
        }
    }
    return true;
}

bool fsr_ref_matmul(const fsr_rec *rec, const fsr_shape *shape, const fsr_ref_view *in, fsr_ref_data **out,
                    fsr_fault *fault) {
    const memory both[2] = {{&shape[0], &in[0]}, {&shape[1], &in[1]}};
    (void)fault;
    out[0] = fsr_ref_data_new(rec->dtype[0], fsr_shape_size(&rec->shape), true);
    return out[0] && fill(fsr_matmul_of(rec->called), rec->dtype[0], both, out[0]);
}

/* a b, where a machine may round what comes of it once, with the next operation. */
static fsr_ref_element joined(fsr_op op, const fsr_ref_element *a, const fsr_ref_element *b) {
    return (fsr_ref_element){
        .ball = fsr_ball_op(op, FSR_F32, FSR_F32, (const fsr_ball[]){a->ball, b->ball}, FSR_BALL_CONTRACTED),
        .value = fsr_op_eval(op, FSR_F32, FSR_F32, (const fsr_value[]){a->value, b->value})};
}

bool fsr_ref_matmul_epilogue(const fsr_rec *rec, const fsr_shape *shape, const fsr_ref_view *in, fsr_ref_data **out,
                             fsr_fault *fault) {
    const fsr_epilogue *e = fsr_epilogue_of(rec->called);
    const fsr_ref_element scale = fsr_ref_known(FSR_F32, (fsr_value){.f32 = fsr_epilogue_scale(e)});
    const memory bias = {&shape[2], &in[2]};
    bool well = fsr_ref_matmul(rec, shape, in, out, fault);
    for (int64_t i = 0; i < e->product.m * e->product.n && well; i++) {
        fsr_ref_element x = fsr_ref_data_get(out[0], i);
        if (fsr_epilogue_scale(e) != 1)
            x = joined(FSR_OP_MUL, &x, &scale);
        if (rec->nargs > 2) {
            const fsr_ref_element b = element(&bias, FSR_F32, e->bias_offset + i % e->product.n);
            x = joined(FSR_OP_ADD, &x, &b);
        }
        well = fsr_ref_data_set(out[0], i, &x);
    }
    return well;
}
