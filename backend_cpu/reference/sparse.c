/* SPDX-License-Identifier: MIT */
/* Products of sparse matrices and sums of segments, which are sums like any others (sum.c): in whatever order, exact
 * where those are; and equations whose matrix is a triangle by rows, by substitution in long double, with a bound
 * beside each element: what the elements before it may be off, times the row's, and a rounding for each of the row's
 * operations, over the diagonal. So the bound of an element grows as the inverse of the triangle of magnitudes has it,
 * which is what substitution in any order of a row's sums stays within. Where a row's magnitudes, or a solution, may
 * overflow, nobody knows: which part of a sum overflows first, with which sign, hangs on the order. A solution that is
 * zero has either sign: what a quotient's is, is the library's affair. */
#include "graph/sparse.h"
#include "backend_cpu/reference/library.h"
#include "backend_cpu/reference/times.h"
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

/* The sum of elements from one offset to the next, times x at their columns if there are such: what any order of
 * adding them may give; nobody knows more where an offset or a column is not known. */
static fsr_ref_element sum_row(const problem *p, int64_t i, bool product, int64_t most, int64_t cols) {
    fsr_ref_total s = {.dtype = p->dtype};
    const int64_t from = place(p, FSR_SPARSE_OFFSETS, i), to = place(p, FSR_SPARSE_OFFSETS, i + 1);
    bool good = from >= 0 && to >= 0 && from <= most && to <= most;
    for (int64_t e = from; e < to && good; e++) {
        const fsr_ref_element a = element(p, product ? (int)FSR_SPARSE_VALUES : (int)FSR_SEGMENTS_VALUES, e);
        const int64_t column = product ? place(p, FSR_SPARSE_COLUMNS, e) : 0;
        good = column >= 0 && (!product || column < cols);
        if (product && good) {
            const fsr_ref_element x = element(p, FSR_SPARSE_X, column);
            fsr_ref_total_times(&s, &a, &x);
        } else if (good) {
            fsr_ref_total_add(&s, &a.ball, a.value);
        }
    }
    fsr_ref_element out = fsr_ref_total_get(&s, (double)s.part[0].n + 2);
    if (!good)
        out.ball = fsr_ball_unknown(p->dtype);
    return out;
}

static bool sum_rows(const problem *p, bool product, int64_t most, int64_t cols, fsr_ref_data *out) {
    bool good = true;
    for (int64_t i = 0; i < p->n && good; i++) {
        const fsr_ref_element x = sum_row(p, i, product, most, cols);
        good = fsr_ref_data_set(out, i, &x);
    }
    return good;
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

bool fsr_ref_segments(const fsr_rec *rec, const fsr_shape *shape, const fsr_ref_view *in, fsr_ref_data **out,
                      fsr_fault *fault) {
    const problem p = {.in = in, .n = rec->shape.dim[0], .dtype = rec->dtype[0]};
    (void)fault;
    out[0] = fsr_ref_data_new(p.dtype, p.n, true);
    return out[0] && sum_rows(&p, false, shape[FSR_SEGMENTS_VALUES].dim[0], 0, out[0]);
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
    bool good = out[0] && p.x &&
                (!product || sum_rows(&p, true, shape[FSR_SPARSE_VALUES].dim[0], shape[FSR_SPARSE_X].dim[0], out[0]));
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
