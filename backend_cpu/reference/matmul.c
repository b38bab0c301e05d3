/* SPDX-License-Identifier: MIT */
/* Products of matrices, from their definition: each element the sum of k products, whose error is at most k + 1
 * roundings of the sum of the products' magnitudes, in whatever order they are added. Recorded graphs have sums of
 * products instead (primitives/matmul.c); the call is what a plan makes of those, and what a text may say. */
#include "graph/matmul.h"
#include "backend_cpu/reference/library.h"
#include "graph/shape.h"
#include <stdlib.h>

/* An argument as its plan sees it: element i in C order. */
typedef struct memory {
    const fsr_shape *shape;
    const fsr_ref_view *view;
} memory;

static fsr_ref_element element(const memory *x, int64_t i) {
    int64_t at = x->view->offset;
    for (int d = x->shape->ndim - 1; d >= 0; d--) {
        at += i % x->shape->dim[d] * x->view->stride[d];
        i /= x->shape->dim[d];
    }
    return fsr_ref_data_get(x->view->data, at);
}

static fsr_ref_element product(const fsr_matmul *m, fsr_dtype dtype, const memory *a, const memory *b, int64_t i,
                               int64_t j, const int64_t *at) {
    long double re = 0, im = 0, size = 0, radius = 0;
    for (int64_t p = 0; p < m->k; p++) {
        const fsr_ref_element x = element(a, at[0] + (m->a_flipped ? i + p * m->a_lead : p + i * m->a_lead));
        const fsr_ref_element y = element(b, at[1] + (m->b_flipped ? p + j * m->b_lead : j + p * m->b_lead));
        const long double ax = hypotl(x.ball.center, x.ball.imag), ay = hypotl(y.ball.center, y.ball.imag);
        re += x.ball.center * y.ball.center - x.ball.imag * y.ball.imag;
        im += x.ball.center * y.ball.imag + x.ball.imag * y.ball.center;
        size += ax * ay;
        radius += ax * (long double)fabs(y.ball.radius) + ay * (long double)fabs(x.ball.radius) +
                  (long double)(fabs(x.ball.radius) * fabs(y.ball.radius));
    }
    const bool complex = fsr_dtype_is_complex(dtype);
    radius += (long double)(m->k + 2) * (complex ? 4 : 1) * (long double)fsr_ball_unit(dtype) * size;
    fsr_ref_element out;
    if (!isfinite(re) || !isfinite(im) || !isfinite(radius))
        out.ball = fsr_ball_unknown(dtype);
    else
        out.ball = complex ? fsr_ball_settle_complex(dtype, re, im, (double)radius)
                           : fsr_ball_settle(dtype, re, (double)radius);
    const fsr_ball plain = {.center = re, .imag = im};
    out.value = fsr_ball_center_value(dtype, &plain);
    return out;
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
