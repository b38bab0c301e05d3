/* SPDX-License-Identifier: MIT */
/* Sparse matrices of any two arrays, and scatters, segments and runs by operators. Rows have 0 to 4 elements and the
 * last one the rest, so that lengths are skewed; one form breaks the rules of offsets and columns, which must not read
 * outside. */
#include "tests/fuzz/recipe.h"

enum { ROWS = 23, COLS = 11, WIDE = 3 };

/* n of y's elements as numbers from 0 on, below m. */
static fsr_node numbers(fsr_node y, int64_t n, int64_t m) {
    return fsr_mod(fuzz_indices(fuzz_filled(y, 1, &n), FSR_INDEX_CLIP, 0), fsr_int(y.graph, m));
}

/* n + 1 offsets into so many elements; broken: they fall, and leave the elements. */
static fsr_node offsets(fsr_node y, int64_t n, int64_t elements, bool broken) {
    if (broken)
        return fsr_sub(numbers(y, n + 1, elements + 9), fsr_int(y.graph, 4));
    fsr_node ends = fsr_cumsum(numbers(y, n - 1, 5), (int[]){0}, 1, 0);
    return fsr_concat(
        ((fsr_node[]){fsr_full(y.graph, FSR_I64, 1, (int64_t[]){1}, 0), fsr_minimum(ends, fsr_int(y.graph, elements)),
                      fsr_full(y.graph, FSR_I64, 1, (int64_t[]){1}, (double)elements)}),
        3, 0);
}

static fsr_csr matrix(fsr_node x, fsr_node y, bool broken) {
    const int64_t n = fsr_node_size(x), rows = 2 + fsr_node_size(y) % ROWS, cols = 1 + n % COLS;
    return (fsr_csr){.offsets = offsets(y, rows, n, broken),
                     .columns = fsr_sub(numbers(fsr_flip(fsr_reshape(y, 1, (int64_t[]){fsr_node_size(y)}), 0), n,
                                                broken ? 2 * cols : cols),
                                        fsr_int(y.graph, broken ? 2 : 0)),
                     .values = fsr_reshape(x, 1, &n),
                     .rows = rows,
                     .cols = cols};
}

/* Some of y's elements: a vector, or WIDE columns. */
static fsr_node operand(fsr_node y, int64_t n, bool wide) {
    return fuzz_filled(y, wide ? 2 : 1, (int64_t[]){n, WIDE});
}

static fsr_node of_coordinates(fsr_node x, fsr_node y) {
    const int64_t n = fsr_node_size(x), rows = 1 + n % ROWS, cols = 1 + n % COLS;
    fsr_csr a;
    fsr_csr_from_coo(&a, numbers(y, n, rows), fsr_sub(numbers(x, n, 2 * cols), fsr_int(x.graph, cols)),
                     fsr_reshape(x, 1, &n), rows, cols);
    return fsr_csr_dot(&a, operand(y, cols, false));
}

/* An operator on pairs of x's elements, forwards and backwards; what does not associate is not recorded. */
static const fsr_operator *pairs(fsr_node x, bool linear, fsr_node *in) {
    const int64_t n = fsr_node_size(x);
    in[0] = fsr_reshape(x, 1, &n);
    in[1] = fsr_flip(in[0], 0);
    return linear ? &fuzz_linear_operator : fsr_node_dtype(x) == FSR_BOOL ? NULL : &fuzz_max_sum_operator;
}

static fsr_node scattered(fsr_node x, fsr_node y, bool linear) {
    const int64_t n = fsr_node_size(x), m = fsr_node_size(y);
    fsr_node in[2], out[FSR_MAX_TUPLE] = {{0}}, values[2], at = numbers(y, m, 2 * n);
    const fsr_operator *op = pairs(x, linear, in);
    fsr_node from = fuzz_filled(x, 1, &m);
    values[0] = fsr_flip(from, 0);
    values[1] = from;
    if (op)
        fsr_scatter_with(out, in, op, &at, 1, values, FSR_INDEX_DROP);
    return op ? fsr_stack(out, 2, 0) : (fsr_node){0};
}

static fsr_node segmented(fsr_node x, fsr_node y, bool linear, int scan) {
    fsr_node in[2], out[FSR_MAX_TUPLE] = {{0}};
    const fsr_operator *op = pairs(x, linear, in);
    fsr_node bounds = offsets(y, 2 + fsr_node_size(y) % ROWS, fsr_node_size(x), false);
    if (op && scan >= 0)
        fsr_segment_scan_with(out, in, op, bounds, scan);
    else if (op)
        fsr_segment_reduce_with(out, in, op, bounds);
    return op ? fsr_stack(out, 2, 0) : (fsr_node){0};
}

/* Runs of x's elements, most of which are made equal to their neighbours. */
static fsr_node runs(fsr_node x) {
    const int64_t n = fsr_node_size(x);
    fsr_node flat = fsr_reshape(x, 1, &n), keys = fsr_repeat(fsr_slice(flat, 0, 0, (n + 1) / 2, 1), 2, NULL), out[2];
    fsr_runs(out, keys);
    return fsr_segment_first(keys, out[0]);
}

static fsr_node of_segments(fsr_node x, fsr_node y, int form) {
    const int64_t n = fsr_node_size(x);
    fsr_node flat = fsr_reshape(x, 1, &n), bounds = offsets(y, 2 + fsr_node_size(y) % ROWS, n, form == 15);
    switch (form) {
    case 12: return fsr_segment_cumsum(flat, bounds, n % 3 == 0 ? FSR_EXCLUSIVE : n % 3 == 1 ? FSR_REVERSE : 0);
    case 13: return fsr_segment_argsort(flat, bounds, n % 2 ? FSR_DESCENDING : 0);
    case 14: return fsr_segment_median(flat, bounds);
    default: return fsr_segment_argmin(flat, bounds);
    }
}

/* Equations of a triangle, whose coordinates all stand once: row r's elements in the order r, r + 1 ... and then those
 * before. */
static fsr_node of_triangle(fsr_node x, fsr_node y, int flags) {
    enum { N = 4 };
    fsr_node n = fsr_int(x.graph, N), i = fsr_arange(x.graph, FSR_I32, N * N);
    const fsr_csr whole = {.offsets = fsr_mul(fsr_arange(x.graph, FSR_I32, N + 1), n),
                           .columns = fsr_mod(fsr_add(i, fsr_floor_divide(i, n)), n),
                           .values = fuzz_filled(x, 1, (int64_t[]){N * N}),
                           .rows = N,
                           .cols = N};
    return fsr_csr_solve_triangular(&whole, operand(y, N, flags & FSR_UPPER), flags);
}

fsr_node fuzz_sparse(fsr_node x, fsr_node y, int form) {
    if (fsr_node_size(x) < 1 || fsr_node_size(y) < 1)
        return (fsr_node){0};
    const fsr_csr a = matrix(x, y, form == 8);
    switch (form) {
    case 0:
    case 1: return fsr_csr_dot(&a, operand(y, a.cols, form == 1));
    case 2:
    case 3: return fsr_csr_dot_transposed(&a, operand(y, a.rows, form == 3));
    case 4: return fsr_csr_sampled(&a, operand(y, a.rows, true), operand(x, a.cols, true));
    case 5: return fsr_csr_norms(&a);
    case 6: return fsr_csr_to_dense(&a);
    case 7: return fsr_csr_rows(&a);
    case 8: return fsr_csr_dot(&a, operand(y, a.cols, false));
    case 9: return of_coordinates(x, y);
    case 10:
    case 11: return scattered(x, y, form == 10);
    case 16: return runs(x);
    case 17: return segmented(x, y, fsr_node_size(y) % 2, -1);
    case 18: return segmented(x, y, fsr_node_size(y) % 2, fsr_node_size(x) % 2 ? FSR_EXCLUSIVE : 0);
    case 19: return of_triangle(x, y, FSR_UPPER);
    case 20: return of_triangle(x, y, FSR_UNIT_DIAGONAL);
    default: return of_segments(x, y, form);
    }
}
