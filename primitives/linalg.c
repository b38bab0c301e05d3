/* SPDX-License-Identifier: MIT */
/* Linear algebra: solve, inv, det, slogdet, cholesky, qr, svd and eigh of the matrices in an array's last two
 * dimensions.
 *
 * Each is one library call (graph/linalg.h) of matrices as LAPACK has them; transposes, triangles, products of pivots
 * and NaN for what was not solved are views and maps around it, which fuse with what comes before and after. Right
 * sides for one and the same matrix are one problem, however many dimensions they have; a matrix with more rows than
 * columns has the singular vectors of its transpose.
 * Counter-example to telling a singular matrix by an error: of a million small systems one would lose all others'
 * solutions, and a GPU would be waited for. */
#include "graph/linalg.h"
#include "graph/size.h"
#include "primitives/primitives.h"
#include <math.h>
#include <string.h>

/* A call while it is recorded, and its results. */
typedef struct problem {
    fsr_site at;
    const char *what;
    fsr_graph *g;
    fsr_node poison;
    fsr_linalg l;
    fsr_shape lead; /* dimensions before the matrices' */
    fsr_node call;  /* null: it has nothing to do */
} problem;

static fsr_dtype factor_dtype(fsr_dtype dtype) {
    if (fsr_dtype_is_complex(dtype) || dtype == FSR_F32 || dtype == FSR_F64)
        return dtype;
    return fsr_dtype_is_half(dtype) ? FSR_F32 : FSR_F64;
}

static bool sound(problem *p, fsr_node x) {
    p->poison = x;
    return fsr_node_sound(x) != NULL;
}

/* *a with matrices, square ones if asked, of a dtype that libraries have. */
static bool take(problem *p, fsr_site at, const char *what, fsr_node *a, bool square) {
    *p = (problem){.at = at, .what = what};
    if (fsr_poison_of(at, what, a, 1, &p->g, &p->poison))
        return false;
    *a = fsr_strong(at, *a);
    if (!sound(p, *a))
        return false;
    const int ndim = fsr_node_ndim(*a);
    if (ndim < 2 || (square && fsr_node_dim(*a, ndim - 1) != fsr_node_dim(*a, ndim - 2))) {
        p->poison = fsr_poison(p->g, at, FSR_ERR_SHAPE, what, "%s has no %smatrices as last two dimensions",
                               fsr_say(*a).text, square ? "square " : "");
        return false;
    }
    *a = fsr_convert(at, *a, factor_dtype(fsr_node_dtype(*a)), false);
    return sound(p, *a);
}

/* Records the call on a, and b for solve; nothing where a result has no element. */
static bool record(problem *p, fsr_linalg_kind kind, fsr_node a, const fsr_node *b, int64_t more) {
    const fsr_rec *of = fsr_node_sound(a);
    const fsr_dtype dtype = of ? of->dtype[a.output] : FSR_F32;
    if (!sound(p, a) || (b && !sound(p, *b)))
        return false;
    fsr_linalg_make(&p->l, kind, &of->shape, more);
    p->lead = of->shape;
    p->lead.ndim -= 2;
    if (!fsr_linalg_fits(&p->l))
        return true;
    fsr_type type = {of->shape, p->l.nresults + 1, {dtype}};
    type.shape.dim[type.shape.ndim-- - 2] = p->l.slot;
    for (int i = 0; i < p->l.nresults; i++)
        type.dtype[i] = fsr_linalg_dtype(&p->l, i, dtype);
    type.dtype[p->l.nresults] = FSR_I32;
    const int64_t word[FSR_LINALG_WORDS] = {
        [FSR_LINALG_KIND] = kind, [FSR_LINALG_COLUMNS] = kind == FSR_LINALG_QR ? more : 0};
    fsr_called *called = fsr_called_words(word, FSR_LINALG_WORDS);
    if (!called)
        return sound(p, fsr_graph_no_memory(p->g));
    fsr_rec *rec = fsr_graph_add(p->g, p->at, p->what, FSR_NODE_LIBRARY, &type, &p->call);
    if (!rec) {
        fsr_called_unref(called);
        return sound(p, p->call);
    }
    rec->library = FSR_LIBRARY_LINALG;
    rec->called = called;
    rec->nargs = b ? 2 : 1;
    rec->arg[0] = (fsr_ref){a.id, a.output};
    if (b)
        rec->arg[1] = (fsr_ref){b->id, b->output};
    return true;
}

/* Elements of result i's slots, as so many dimensions behind the leading ones. */
static fsr_node slots(const problem *p, int i, int64_t size, int ndim, const int64_t *dim) {
    fsr_node x = p->call;
    fsr_shape shape = p->lead;
    x.output = (uint32_t)i;
    for (int d = 0; d < ndim; d++)
        shape.dim[shape.ndim++] = dim[d];
    return fsr_reshape_at(p->at, fsr_slice_at(p->at, x, p->lead.ndim, 0, size, 1), shape.ndim, shape.dim);
}

/* Result i, NaN where the matrix was not solved; where there was no call, nothing of this dtype. */
static fsr_node result(const problem *p, fsr_dtype dtype, int i, int ndim, const int64_t *dim) {
    static const int64_t ones[] = {1, 1};
    fsr_shape shape = p->lead;
    for (int d = 0; d < ndim; d++)
        shape.dim[shape.ndim++] = dim[d];
    if (!p->call.graph)
        return fsr_zeros_at(p->at, p->g, dtype, shape.ndim, shape.dim);
    fsr_node x = slots(p, i, p->l.size[i], ndim, dim);
    if (p->l.kind == FSR_LINALG_LU || p->l.kind == FSR_LINALG_QR)
        return x;
    fsr_node solved = fsr_equal_at(p->at, slots(p, p->l.nresults, 1, ndim, ones), fsr_int_at(p->at, p->g, 0));
    return fsr_where_at(p->at, solved, x, fsr_float_at(p->at, p->g, (double)NAN));
}

/* Where there is an address. */
static void put(fsr_node *to, fsr_node x) {
    if (to)
        *to = x;
}

static fsr_node turned(fsr_site at, fsr_node x) {
    return fsr_swapaxes_at(at, x, -1, -2);
}

/* ---- equations --------------------------------------------------------------------------------------------------- */

/* Both with the same leading dimensions. False: they do not broadcast. */
static bool stretch_both(problem *p, fsr_node *a, fsr_node *b) {
    fsr_shape x = fsr_node_rec(*a)->shape, y = fsr_node_rec(*b)->shape, lead;
    const int64_t tail[2][2] = {{x.dim[x.ndim - 2], x.dim[x.ndim - 1]}, {y.dim[y.ndim - 2], y.dim[y.ndim - 1]}};
    x.ndim -= 2;
    y.ndim -= 2;
    if (!fsr_shape_broadcast(&x, &y, &lead)) {
        p->poison = fsr_poison(p->g, p->at, FSR_ERR_SHAPE, p->what, "%s and %s do not broadcast", fsr_say(*a).text,
                               fsr_say(*b).text);
        return false;
    }
    lead.ndim += 2;
    for (int i = 0; i < 2; i++) {
        memcpy(&lead.dim[lead.ndim - 2], tail[i], sizeof tail[i]);
        fsr_node *x_of = i ? b : a;
        *x_of = fsr_stretch(p->at, *x_of, &lead);
    }
    return sound(p, *a) && sound(p, *b);
}

/* b's columns as rows [..., k, n], beside a: where a is one matrix all of them are its. */
static bool sides_take(problem *p, fsr_node *a, fsr_node *b, fsr_shape *whole) {
    const int64_t n = fsr_node_dim(*a, -1);
    *b = turned(p->at, *b);
    if (!sound(p, *b))
        return false;
    *whole = fsr_node_rec(*b)->shape;
    if (fsr_node_ndim(*a) == 2 && fsr_node_size(*b) > 0) {
        *b = fsr_reshape_at(p->at, *b, 2, (const int64_t[]){fsr_node_size(*b) / n, n});
        return sound(p, *b);
    }
    if (!stretch_both(p, a, b))
        return false;
    *whole = fsr_node_rec(*b)->shape;
    return true;
}

fsr_dtype fsr_solve_dtype(const fsr_node *both) {
    fsr_dtype dtype[2];
    int n = 0;
    for (int i = 0; i < 2; i++)
        if (!fsr_node_rec(both[i])->weak)
            dtype[n++] = factor_dtype(fsr_node_dtype(both[i]));
    return n ? fsr_dtype_promote_all(dtype, n) : factor_dtype(fsr_node_dtype(both[0]));
}

fsr_node fsr_solve_at(fsr_site at, fsr_node a, fsr_node b) {
    static const char what[] = "solve";
    fsr_node both[] = {a, b}, poison;
    fsr_shape whole;
    fsr_graph *g;
    problem p;
    if (fsr_poison_of(at, what, both, 2, &g, &poison))
        return poison;
    const fsr_dtype common = fsr_solve_dtype(both);
    if (!take(&p, at, what, &a, true))
        return p.poison;
    const bool vector = fsr_node_ndim(b) == 1;
    b = fsr_strong(at, b);
    const int64_t n = fsr_node_dim(a, -1);
    if (!fsr_node_sound(b))
        return b;
    if (fsr_node_ndim(b) < 1 || fsr_node_dim(b, vector ? 0 : -2) != n)
        return fsr_poison(g, at, FSR_ERR_SHAPE, what, "%s has no right sides of %lld elements for %s", fsr_say(b).text,
                          (long long)n, fsr_say(a).text);
    a = fsr_convert(at, a, common, false);
    b = fsr_convert(at, vector ? fsr_expand_at(at, b, 1) : b, common, false);
    if (!sound(&p, a) || !sound(&p, b) || !sides_take(&p, &a, &b, &whole))
        return p.poison;
    const int64_t sides = fsr_node_dim(b, -2);
    if (!record(&p, FSR_LINALG_SOLVE, a, &b, sides))
        return p.poison;
    fsr_node x = result(&p, common, 0, 2, (const int64_t[]){sides, n});
    x = turned(at, fsr_reshape_at(at, x, whole.ndim, whole.dim));
    return vector && fsr_node_sound(x) ? fsr_drop_axes(at, x, 1u << (fsr_node_ndim(x) - 1)) : x;
}

fsr_node fsr_inv_at(fsr_site at, fsr_node a) {
    static const char what[] = "inv";
    problem p;
    if (!take(&p, at, what, &a, true))
        return p.poison;
    fsr_shape shape = fsr_node_rec(a)->shape;
    const int64_t n = fsr_node_dim(a, -1);
    const fsr_node one = fsr_eye_at(at, p.g, fsr_node_dtype(a), n, n, 0);
    fsr_node sides = fsr_node_sound(one) ? fsr_stretch(at, one, &shape) : one;
    if (!record(&p, FSR_LINALG_SOLVE, a, &sides, n))
        return p.poison;
    return turned(at, result(&p, fsr_node_dtype(a), 0, 2, (const int64_t[]){n, n}));
}

/* What the determinant is a product of, along the last axis: pivots, and -1 for each exchange of two rows. */
static bool pivots(problem *p, fsr_site at, const char *what, fsr_node *a, fsr_node *exchanges) {
    if (!take(p, at, what, a, true) || !record(p, FSR_LINALG_LU, *a, NULL, 0))
        return false;
    const int64_t n = p->l.cols;
    const fsr_dtype dtype = fsr_node_dtype(*a);
    *a = fsr_diagonal_at(at, result(p, dtype, 0, 2, (const int64_t[]){n, n}), 0, -2, -1);
    const fsr_node place = result(p, FSR_I32, 1, 1, &n), one = fsr_int_at(at, p->g, 1);
    const fsr_node own = fsr_add_at(at, fsr_arange_at(at, p->g, FSR_I32, n), one);
    *exchanges = fsr_where_at(at, fsr_equal_at(at, place, own), one, fsr_cast_at(at, fsr_int_at(at, p->g, -1), dtype));
    return sound(p, *a) && sound(p, *exchanges);
}

/* The sign and the logarithm of what pivots multiply to; where one is 0 no other matters, not even an infinite one. */
static void signed_log(const problem *p, fsr_node a, fsr_node exchanges, fsr_node *sign, fsr_node *logabs) {
    static const int last[] = {-1};
    const fsr_site at = p->at;
    const fsr_node zero = fsr_int_at(at, p->g, 0), least = fsr_float_at(at, p->g, -(double)INFINITY);
    const fsr_node singular = fsr_any_at(at, fsr_equal_at(at, a, zero), last, 1, 0);
    const fsr_node signs = fsr_prod_at(at, fsr_mul_at(at, fsr_sign_at(at, a), exchanges), last, 1, 0);
    const fsr_node logs = fsr_sum_at(at, fsr_log_at(at, fsr_abs_at(at, a)), last, 1, 0);
    *sign = fsr_where_at(at, singular, zero, signs);
    *logabs = fsr_where_at(at, singular, least, logs);
}

/* The product of pivots where no part of it can leave the dtype's range, whatever their order, for the logarithms'
 * magnitudes together do not; elsewhere NumPy's sign * exp(logarithm), which is right to fewer digits. */
fsr_node fsr_det_at(fsr_site at, fsr_node a) {
    static const int last[] = {-1};
    problem p;
    fsr_node exchanges, sign, logabs;
    if (!pivots(&p, at, "det", &a, &exchanges))
        return p.poison;
    signed_log(&p, a, exchanges, &sign, &logabs);
    const fsr_node product = fsr_prod_at(at, fsr_mul_at(at, a, exchanges), last, 1, 0);
    const fsr_node range = fsr_sum_at(at, fsr_abs_at(at, fsr_log_at(at, fsr_abs_at(at, a))), last, 1, 0);
    const fsr_node most = fsr_int_at(at, p.g, fsr_dtype_real(fsr_node_dtype(a)) == FSR_F64 ? 700 : 85);
    return fsr_where_at(at, fsr_less_equal_at(at, range, most), product, fsr_mul_at(at, sign, fsr_exp_at(at, logabs)));
}

void fsr_slogdet_at(fsr_site at, fsr_node a, fsr_node *sign, fsr_node *logabs) {
    problem p;
    fsr_node exchanges, of_sign, of_log;
    const bool good = pivots(&p, at, "slogdet", &a, &exchanges);
    if (good)
        signed_log(&p, a, exchanges, &of_sign, &of_log);
    put(sign, good ? of_sign : p.poison);
    put(logabs, good ? of_log : p.poison);
}

/* ---- factors ----------------------------------------------------------------------------------------------------- */

fsr_node fsr_cholesky_at(fsr_site at, fsr_node a) {
    problem p;
    if (!take(&p, at, "cholesky", &a, true) || !record(&p, FSR_LINALG_CHOLESKY, a, NULL, 0))
        return p.poison;
    const int64_t n = fsr_node_dim(a, -1);
    return fsr_tril_at(at, result(&p, fsr_node_dtype(a), 0, 2, (const int64_t[]){n, n}), 0);
}

/* The factors of matrices without elements. */
static void qr_of_nothing(const problem *p, fsr_node a, int64_t cols, fsr_node *q, fsr_node *r) {
    const fsr_dtype dtype = fsr_node_dtype(a);
    const int64_t m = fsr_node_dim(a, -2), n = fsr_node_dim(a, -1);
    fsr_shape whole = fsr_node_rec(a)->shape;
    const fsr_node one = fsr_eye_at(p->at, p->g, dtype, m, cols, 0);
    whole.dim[whole.ndim - 1] = cols;
    put(q, fsr_node_sound(one) ? fsr_stretch(p->at, one, &whole) : one);
    put(r, result(p, dtype, 1, 2, (const int64_t[]){cols, n}));
}

void fsr_qr_at(fsr_site at, fsr_node a, bool complete, fsr_node *q, fsr_node *r) {
    problem p;
    const bool good = take(&p, at, "qr", &a, false);
    const int64_t m = fsr_node_dim(a, -2), n = fsr_node_dim(a, -1), cols = complete || m < n ? m : n;
    if (!good || !record(&p, FSR_LINALG_QR, turned(at, a), NULL, cols)) {
        put(q, p.poison);
        put(r, p.poison);
    } else if (!p.call.graph) {
        qr_of_nothing(&p, a, cols, q, r);
    } else {
        const fsr_dtype dtype = fsr_node_dtype(a);
        const fsr_node all = turned(at, result(&p, dtype, 1, 2, (const int64_t[]){n, m}));
        put(q, turned(at, result(&p, dtype, 0, 2, (const int64_t[]){cols, m})));
        put(r, fsr_triu_at(at, fsr_slice_at(at, all, -2, 0, cols, 1), 0));
    }
}

/* a, or its transpose where it has more rows than columns. */
static bool take_wide(problem *p, fsr_site at, const char *what, fsr_node *a, bool *tall) {
    if (!take(p, at, what, a, false))
        return false;
    *tall = fsr_node_dim(*a, -2) > fsr_node_dim(*a, -1);
    *a = *tall ? turned(at, *a) : *a;
    return sound(p, *a);
}

void fsr_svd_at(fsr_site at, fsr_node a, fsr_node *u, fsr_node *s, fsr_node *vt) {
    problem p;
    bool tall;
    if (!take_wide(&p, at, "svd", &a, &tall) || !record(&p, FSR_LINALG_SVD, a, NULL, 0)) {
        put(u, p.poison);
        put(s, p.poison);
        put(vt, p.poison);
        return;
    }
    const int64_t m = p.l.rows, n = p.l.cols;
    const fsr_dtype dtype = fsr_node_dtype(a);
    const fsr_node left = result(&p, dtype, 0, 2, (const int64_t[]){m, m});
    const fsr_node right = result(&p, dtype, 2, 2, (const int64_t[]){m, n});
    put(s, result(&p, fsr_dtype_real(dtype), 1, 1, &m));
    put(u, tall ? turned(at, right) : left);
    put(vt, tall ? turned(at, left) : right);
}

fsr_node fsr_svdvals_at(fsr_site at, fsr_node a) {
    problem p;
    bool tall;
    if (!take_wide(&p, at, "svdvals", &a, &tall) || !record(&p, FSR_LINALG_SVDVALS, a, NULL, 0))
        return p.poison;
    return result(&p, fsr_dtype_real(fsr_node_dtype(a)), 0, 1, &p.l.rows);
}

void fsr_eigh_at(fsr_site at, fsr_node a, fsr_node *w, fsr_node *v) {
    problem p;
    if (!take(&p, at, "eigh", &a, true) || !record(&p, FSR_LINALG_EIGH, a, NULL, 0)) {
        put(w, p.poison);
        put(v, p.poison);
        return;
    }
    const int64_t n = p.l.cols;
    const fsr_dtype dtype = fsr_node_dtype(a);
    const fsr_node rows = turned(at, result(&p, dtype, 1, 2, (const int64_t[]){n, n}));
    put(w, result(&p, fsr_dtype_real(dtype), 0, 1, &n));
    put(v, fsr_dtype_is_complex(dtype) ? fsr_conj_at(at, rows) : rows);
}

fsr_node fsr_eigvalsh_at(fsr_site at, fsr_node a) {
    problem p;
    if (!take(&p, at, "eigvalsh", &a, true) || !record(&p, FSR_LINALG_EIGVALSH, a, NULL, 0))
        return p.poison;
    return result(&p, fsr_dtype_real(fsr_node_dtype(a)), 0, 1, &p.l.cols);
}
