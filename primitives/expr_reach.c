/* SPDX-License-Identifier: MIT */
/* name(...): functions that are compositions of others: rounding, closeness, neighbours, diagonals, products, ranges.
 * Names and order of operands are NumPy's; options of NumPy that are words or numbers here stand as operands. */
#include "primitives/expr_shape.h"
#include <math.h>

/* Operand i as a number, or, where it is not given, what it is otherwise. */
static bool number_or(const fsr_shape_call *s, int i, double otherwise, double *value) {
    *value = otherwise;
    return i >= s->n || fsr_shape_number(s, i, value);
}

static const fsr_node none = {0};

/* A count of decimals, an order, as an int. */
static int small(int64_t whole) {
    return whole > 1 << 20 ? 1 << 20 : whole < -(1 << 20) ? -(1 << 20) : (int)whole;
}

/* ---- numbers -------------------------------------------------------------------------------------------------- */

static fsr_node around(const fsr_shape_call *s) {
    return fsr_around_at(s->at, s->x[0], s->n > 1 ? small(s->whole[0]) : 0);
}

static fsr_node sinc(const fsr_shape_call *s) {
    return fsr_sinc_at(s->at, s->x[0]);
}

static fsr_node nan_to_num(const fsr_shape_call *s) {
    double nan, posinf, neginf;
    if (!number_or(s, 1, 0, &nan) || !number_or(s, 2, 0, &posinf) || !number_or(s, 3, 0, &neginf))
        return none;
    return fsr_nan_to_num_at(s->at, s->x[0], nan, s->n > 2 ? &posinf : NULL, s->n > 3 ? &neginf : NULL);
}

static fsr_node isclose(const fsr_shape_call *s) {
    double rtol, atol;
    if (!number_or(s, 2, 1e-5, &rtol) || !number_or(s, 3, 1e-8, &atol))
        return none;
    return fsr_isclose_at(s->at, s->x[0], s->x[1], rtol, atol, false);
}

static fsr_node allclose(const fsr_shape_call *s) {
    double rtol, atol;
    if (!number_or(s, 2, 1e-5, &rtol) || !number_or(s, 3, 1e-8, &atol))
        return none;
    return fsr_allclose_at(s->at, s->x[0], s->x[1], rtol, atol, false);
}

/* ---- neighbours ----------------------------------------------------------------------------------------------- */

/* Along the only axis if none is given. */
static fsr_node gradient(const fsr_shape_call *s) {
    double spacing;
    if (!number_or(s, 1, 1, &spacing))
        return none;
    if (!s->axes && fsr_node_ndim(s->x[0]) != 1)
        return fsr_reading_fail(s->r, s->c->name.at, FSR_ERR_VALUE, "gradient takes one axis");
    return fsr_gradient_at(s->at, s->x[0], spacing, s->axes ? *s->axes : 0, s->n > 2 ? small(s->whole[0]) : 1);
}

static fsr_overlap overlap_or(const fsr_shape_call *s, fsr_overlap otherwise) {
    return s->c->given & FSR_ARGS_MODE ? (fsr_overlap)s->c->mode : otherwise;
}
static fsr_node convolve(const fsr_shape_call *s) {
    return fsr_convolve_at(s->at, s->x[0], s->x[1], overlap_or(s, FSR_FULL));
}
static fsr_node correlate(const fsr_shape_call *s) {
    return fsr_correlate_at(s->at, s->x[0], s->x[1], overlap_or(s, FSR_VALID));
}
static fsr_node ediff1d(const fsr_shape_call *s) {
    return fsr_ediff1d_at(s->at, s->x[0], s->n > 2 ? s->x[2] : none, s->n > 1 ? s->x[1] : none);
}

/* ---- matrices ------------------------------------------------------------------------------------------------- */

static int axis_or(const fsr_shape_call *s, int i, int otherwise) {
    return s->n > i + 1 ? fsr_shape_axis(s->whole[i]) : otherwise;
}
static fsr_node diagonal(const fsr_shape_call *s) {
    return fsr_diagonal_at(s->at, s->x[0], s->n > 1 ? s->whole[0] : 0, axis_or(s, 1, 0), axis_or(s, 2, 1));
}
static fsr_node trace(const fsr_shape_call *s) {
    return fsr_trace_at(s->at, s->x[0], s->n > 1 ? s->whole[0] : 0, axis_or(s, 1, 0), axis_or(s, 2, 1));
}
static fsr_node diag(const fsr_shape_call *s) {
    return fsr_diag_at(s->at, s->x[0], s->n > 1 ? s->whole[0] : 0);
}
static fsr_node tri(const fsr_shape_call *s) {
    const int64_t cols = s->n > 1 ? s->whole[1] : s->whole[0];
    return fsr_tri_at(s->at, s->r->g, FSR_F64, s->whole[0], cols, s->n > 2 ? s->whole[2] : 0);
}
static fsr_node outer(const fsr_shape_call *s) {
    return fsr_outer_at(s->at, s->x[0], s->x[1]);
}
static fsr_node kron(const fsr_shape_call *s) {
    return fsr_kron_at(s->at, s->x[0], s->x[1]);
}
static fsr_node cross(const fsr_shape_call *s) {
    return fsr_cross_at(s->at, s->x[0], s->x[1], s->axes ? *s->axes : -1);
}
static fsr_node vecdot(const fsr_shape_call *s) {
    return fsr_vecdot_at(s->at, s->x[0], s->x[1], s->axes ? *s->axes : -1);
}
#define OF_MATRICES(name)                           \
    static fsr_node name(const fsr_shape_call *s) { \
        return fsr_##name##_at(s->at, s->x[0]);     \
    }
OF_MATRICES(inv)
OF_MATRICES(det)
OF_MATRICES(cholesky)
OF_MATRICES(svdvals)
OF_MATRICES(eigvalsh)
static fsr_node solve(const fsr_shape_call *s) {
    return fsr_solve_at(s->at, s->x[0], s->x[1]);
}
static fsr_node matmul(const fsr_shape_call *s) {
    return fsr_matmul_at(s->at, s->x[0], s->x[1]);
}
static fsr_node vander(const fsr_shape_call *s) {
    return fsr_vander_at(s->at, s->x[0], s->n > 1 ? s->whole[0] : fsr_node_size(s->x[0]), false);
}

/* ---- ranges --------------------------------------------------------------------------------------------------- */

static fsr_node logspace(const fsr_shape_call *s) {
    double start, stop;
    if (!fsr_shape_number(s, 0, &start) || !fsr_shape_number(s, 1, &stop))
        return none;
    return fsr_logspace_at(s->at, s->r->g, FSR_F64, start, stop, s->whole[0], true, 10);
}
static fsr_node geomspace(const fsr_shape_call *s) {
    double start, stop;
    if (!fsr_shape_number(s, 0, &start) || !fsr_shape_number(s, 1, &stop))
        return none;
    return fsr_geomspace_at(s->at, s->r->g, FSR_F64, start, stop, s->whole[0], true);
}

const fsr_shape_row fsr_shape_reach[] = {
    {.name = "round", around, 1, 2, 1},
    {.name = "sinc", sinc, 1, 1, 1},
    {.name = "nan_to_num", nan_to_num, 1, 4, 4},
    {.name = "isclose", isclose, 2, 4, 4},
    {.name = "allclose", allclose, 2, 4, 4},
    {.name = "gradient", gradient, 1, 3, 2, .axis = true},
    {.name = "convolve", convolve, 2, 2, 2, .options = FSR_ARGS_MODE},
    {.name = "correlate", correlate, 2, 2, 2, .options = FSR_ARGS_MODE},
    {.name = "ediff1d", ediff1d, 1, 3, 3},
    {.name = "diagonal", diagonal, 1, 4, 1},
    {.name = "trace", trace, 1, 4, 1},
    {.name = "diag", diag, 1, 2, 1},
    {.name = "tri", tri, 1, 3, 0},
    {.name = "outer", outer, 2, 2, 2},
    {.name = "kron", kron, 2, 2, 2},
    {.name = "cross", cross, 2, 2, 2, .axis = true},
    {.name = "vecdot", vecdot, 2, 2, 2, .axis = true},
    {.name = "matmul", matmul, 2, 2, 2},
    {.name = "solve", solve, 2, 2, 2},
    {.name = "inv", inv, 1, 1, 1},
    {.name = "det", det, 1, 1, 1},
    {.name = "cholesky", cholesky, 1, 1, 1},
    {.name = "svdvals", svdvals, 1, 1, 1},
    {.name = "eigvalsh", eigvalsh, 1, 1, 1},
    {.name = "vander", vander, 1, 2, 1},
    {.name = "logspace", logspace, 3, 3, 2},
    {.name = "geomspace", geomspace, 3, 3, 2},
    {.name = NULL},
};
