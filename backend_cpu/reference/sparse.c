/* SPDX-License-Identifier: MIT */
/* Products of sparse matrices and sums of segments, whose bound is that of a sum of as many terms; and equations whose matrix is a
 * triangle by rows, by substitution in long double, with a bound beside each element: what
 * the elements before it may be off, times the row's, and a rounding for each of the row's operations, over the
 * diagonal. So the bound of an element grows as the inverse of the triangle of magnitudes has it, which is what
 * substitution in any order of a row's sums stays within. Where a row's magnitudes, or a solution, may overflow, nobody
 * knows: which part of a sum overflows first, with which sign, hangs on the order. A zero has either sign: whether a sum begins with a zero, and
 * what a quotient's is, is the library's affair. */
#include "graph/sparse.h"
#include "backend_cpu/reference/library.h"
#include "graph/shape.h"
#include <stdlib.h>

typedef struct problem {
    const fsr_ref_view *in;
    int64_t n;
    bool upper, unit;
    fsr_dtype dtype;
    fsr_ball *x; /* of one right side */
} problem;

static fsr_ref_element element(const problem *p, int arg, int64_t i) {
    return fsr_ref_data_get(p->in[arg].data, p->in[arg].offset + i * p->in[arg].stride[0]);
}

/* An offset or a column; -1: nobody knows. */
static int64_t place(const problem *p, int arg, int64_t i) {
    const fsr_ref_element e = element(p, arg, i);
    return fsr_ref_is_known(&e.ball) ? (int64_t)e.ball.center : -1;
}

static bool known(const fsr_ball *x) {
    return fsr_ball_finite(*x) && isfinite(x->radius);
}

static long double size_of(const fsr_ball *x) {
    return hypotl(x->center, x->imag);
}

/* What is known of a row so far: the right side less the products, how far that may be off, the magnitudes added. */
typedef struct row {
    long double re, im, radius, size;
    fsr_ball diagonal;
    int64_t steps;
    bool good;
} row;

static void subtract(row *r, const fsr_ball *a, const fsr_ball *x) {
    const long double size = size_of(a) * size_of(x);
    r->re -= a->center * x->center - a->imag * x->imag;
    r->im -= a->center * x->imag + a->imag * x->center;
    r->radius += size_of(a) * (long double)fabs(x->radius) + size_of(x) * (long double)fabs(a->radius) +
                 (long double)(fabs(x->radius) * fabs(a->radius));
    r->size += size;
    r->good = r->good && known(a) && known(x);
    r->steps++;
}

/* What a row adds up stays finite in any order, and so does each product's part. */
static bool fits(const problem *p, const row *r) {
    return r->good && r->size + r->radius < fsr_ball_limit(p->dtype) / 4;
}

/* The row's sum over its diagonal. */
static fsr_ball divide(const problem *p, const row *r) {
    const bool complex = fsr_dtype_is_complex(p->dtype);
    const long double unit = (long double)fsr_ball_unit(p->dtype) * (complex ? 4 : 1);
    const fsr_ball d = p->unit ? fsr_ball_real(1, 0) : r->diagonal;
    const long double square = d.center * d.center + d.imag * d.imag, away = size_of(&d) - (long double)fabs(d.radius);
    const long double tiny = fsr_ball_ulp(p->dtype, 0), top = hypotl(r->re, r->im),
                      rounded = (long double)(r->steps + 3) * (unit * (r->size + top) + tiny);
    fsr_ball x = {.center = (r->re * d.center + r->im * d.imag) / square,
                  .imag = complex ? (r->im * d.center - r->re * d.imag) / square : 0};
    const long double radius =
        (r->radius + rounded + size_of(&x) * (long double)fabs(d.radius)) / away + 3 * unit * size_of(&x) + tiny;
    const bool whole = fits(p, r) && known(&d) && away > 0 && size_of(&x) + radius < fsr_ball_limit(p->dtype) / 4;
    x.radius = whole ? (double)radius * (1 + 1e-12) : INFINITY;
    return x;
}

static fsr_ball solve_row(const problem *p, int64_t i, const fsr_ref_element *side) {
    row r = {.re = side->ball.center, .im = side->ball.imag, .radius = fabs(side->ball.radius)};
    const int64_t from = place(p, 0, i), to = place(p, 0, i + 1);
    r.size = size_of(&side->ball);
    r.good = known(&side->ball) && from >= 0 && to >= from;
    for (int64_t e = from; e < to && r.good; e++) {
        const int64_t column = place(p, 1, e);
        const fsr_ball a = element(p, 2, e).ball;
        if (column < 0 || column >= p->n)
            r.good = false;
        else if (column == i)
            r.diagonal = a;
        else if (column < i ? !p->upper : p->upper)
            subtract(&r, &a, &p->x[column]);
    }
    return divide(p, &r);
}

/* What has been subtracted from nothing, added. */
static fsr_ball summed(const problem *p, const row *r) {
    const long double unit = (long double)fsr_ball_unit(p->dtype) * (fsr_dtype_is_complex(p->dtype) ? 4 : 1);
    const long double radius =
        r->radius + (long double)(r->steps + 2) * (unit * r->size + (long double)fsr_ball_ulp(p->dtype, 0));
    return (fsr_ball){.center = -r->re, .imag = -r->im, .radius = fits(p, r) ? (double)radius * (1 + 1e-12) : INFINITY};
}

/* A row times x. */
static fsr_ball multiply_row(const problem *p, int64_t i, int64_t cols) {
    row r = {.good = true};
    const int64_t from = place(p, 0, i), to = place(p, 0, i + 1);
    r.good = from >= 0 && to >= from;
    for (int64_t e = from; e < to && r.good; e++) {
        const int64_t column = place(p, 1, e);
        const fsr_ball a = element(p, 2, e).ball;
        if (column < 0 || column >= cols) {
            r.good = false;
        } else {
            const fsr_ball x = element(p, 3, column).ball;
            subtract(&r, &a, &x);
        }
    }
    return summed(p, &r);
}

static bool store(const problem *p, fsr_ref_data *out, int64_t at, const fsr_ball *x) {
    const bool complex = fsr_dtype_is_complex(p->dtype);
    fsr_ref_element e = {.ball = fsr_ball_unknown(p->dtype)};
    if (known(x))
        e.ball = fsr_ball_unsign(complex ? fsr_ball_settle_complex(p->dtype, x->center, x->imag, x->radius)
                                         : fsr_ball_settle(p->dtype, x->center, x->radius));
    e.value = fsr_ball_center_value(p->dtype, x);
    return fsr_ref_data_set(out, at, &e);
}

static bool multiply(const problem *p, int64_t cols, fsr_ref_data *out) {
    bool good = true;
    for (int64_t i = 0; i < p->n && good; i++) {
        const fsr_ball x = multiply_row(p, i, cols);
        good = store(p, out, i, &x);
    }
    return good;
}

bool fsr_ref_segments(const fsr_rec *rec, const fsr_shape *shape, const fsr_ref_view *in, fsr_ref_data **out,
                      fsr_fault *fault) {
    const int64_t n = rec->shape.dim[0], end = shape[FSR_SEGMENTS_VALUES].dim[0];
    const problem p = {.in = in, .n = n, .dtype = rec->dtype[0]};
    const fsr_ball one = fsr_ball_real(1, 0);
    (void)fault;
    out[0] = fsr_ref_data_new(p.dtype, n, true);
    bool good = out[0] != NULL;
    for (int64_t i = 0; i < n && good; i++) {
        row r = {.good = true};
        const int64_t from = place(&p, FSR_SEGMENTS_OFFSETS, i), to = place(&p, FSR_SEGMENTS_OFFSETS, i + 1);
        r.good = from >= 0 && to >= 0 && from <= end && to <= end;
        for (int64_t e = from; e < to && r.good; e++) {
            const fsr_ball a = element(&p, FSR_SEGMENTS_VALUES, e).ball;
            subtract(&r, &a, &one);
        }
        const fsr_ball x = summed(&p, &r);
        good = store(&p, out[0], i, &x);
    }
    return good;
}

/* What either of two may be. */
static fsr_ball joined(fsr_dtype dtype, const fsr_ball *a, const fsr_ball *b) {
    const bool same = a->center == b->center || (isnan(a->center) && isnan(b->center));
    if (isinf(a->radius) || isinf(b->radius) || (!same && !(fsr_ball_finite(*a) && fsr_ball_finite(*b))))
        return fsr_ball_unknown(dtype);
    const long double off = fabsl(a->center - b->center) + (long double)fmax(fabs(a->radius), fabs(b->radius));
    fsr_ball out = *b;
    if (isfinite(a->center) && off > 0)
        out.radius = (double)off * (1 + 1e-12);
    else if (fsr_ball_unsigned(*a) || signbit(a->center) != signbit(b->center))
        out = isnan(out.center) ? out : fsr_ball_unsign(out);
    return out;
}

bool fsr_ref_scatter_sum(const fsr_rec *rec, const fsr_shape *shape, const fsr_ref_view *in, fsr_ref_data **out,
                         fsr_fault *fault) {
    fsr_ref_walk walk;
    (void)fault, (void)shape;
    out[0] = fsr_ref_data_new(rec->dtype[0], fsr_shape_size(&rec->shape), true);
    bool good = out[0] != NULL;
    fsr_ref_walk_start(&walk, &rec->shape, 0, in, rec->nargs);
    for (int64_t i = 0; walk.left > 0 && good; fsr_ref_walk_next(&walk)) {
        const fsr_ref_element a = fsr_ref_data_get(in[FSR_SCATTER_SUM_ADDED].data, walk.at[FSR_SCATTER_SUM_ADDED]);
        fsr_ref_element b = fsr_ref_data_get(in[FSR_SCATTER_SUM_PLAIN].data, walk.at[FSR_SCATTER_SUM_PLAIN]);
        b.ball = joined(rec->dtype[0], &a.ball, &b.ball);
        good = fsr_ref_data_set(out[0], i++, &b);
    }
    return good;
}

bool fsr_ref_sparse(const fsr_rec *rec, const fsr_shape *shape, const fsr_ref_view *in, fsr_ref_data **out,
                    fsr_fault *fault) {
    const bool product = fsr_called_word(rec->called, FSR_SPARSE_PRODUCT);
    const int64_t n = rec->shape.dim[1 - product];
    problem p = {.in = in,
                 .n = n,
                 .upper = fsr_called_word(rec->called, FSR_SPARSE_UPPER),
                 .unit = fsr_called_word(rec->called, FSR_SPARSE_UNIT),
                 .dtype = rec->dtype[0],
                 .x = calloc((size_t)n, sizeof *p.x)};
    (void)fault;
    out[0] = fsr_ref_data_new(p.dtype, fsr_shape_size(&rec->shape), true);
    bool good = out[0] && p.x && (!product || multiply(&p, shape[FSR_SPARSE_X].dim[0], out[0]));
    for (int64_t side = 0; !product && side < rec->shape.dim[0] && good; side++)
        for (int64_t k = 0; k < n && good; k++) {
            const int64_t i = p.upper ? n - 1 - k : k;
            const fsr_ref_element b =
                fsr_ref_data_get(in[3].data, in[3].offset + side * in[3].stride[0] + i * in[3].stride[1]);
            p.x[i] = solve_row(&p, i, &b);
            good = store(&p, out[0], side * n + i, &p.x[i]);
        }
    free(p.x);
    return good;
}
