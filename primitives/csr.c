/* SPDX-License-Identifier: MIT */
/* Sparse matrices by rows: products, norms, masked products, triangular equations, and to and from other forms.
 *
 * A matrix is three arrays, so everything is a composition: a row's products are a segment (segment.c), what is taken
 * at the columns is taken in its kernels, and a transposed product is a scatter with sums (scatter_sum.c), the same
 * bits in every run. Coordinates are ordered by a stable sort of their rows. The row of each element is how many rows
 * have begun: a count at each offset and a running sum, where a search for each element would be a loop.
 * Equations, each of which waits for others, are a library call (graph/sparse.h), and so are products of large matrices
 * with vectors, where the backend has the library, as a CPU has; what is wrong with a matrix is put right before it: a
 * library looks at no index. */
#include "graph/sparse.h"
#include "primitives/primitives.h"
#include <math.h>

/* Products of smaller matrices are a few short kernels, in which more fuses. */
enum { LEAST_ELEMENTS = 1 << 18, LEAST_ROWS = 64 };

/* ---- checks ---------------------------------------------------------------------------------------------------- */

static bool is_index(fsr_node x) {
    const fsr_dtype dtype = fsr_node_dtype(x);
    return dtype != FSR_BOOL && !fsr_dtype_is_inexact(dtype);
}

static bool is_vector(fsr_node x, int64_t n) {
    return fsr_node_ndim(x) == 1 && (n < 0 || fsr_node_size(x) == n);
}

/* The matrix, not weak, and nx operands of one graph with it. False: *poison. */
static bool matrix_take(fsr_site at, const char *what, const fsr_csr *from, const fsr_node *x, int nx, fsr_csr *out,
                        fsr_node *poison) {
    fsr_node all[5] = {{0}};
    fsr_graph *graph;
    for (int i = 0; i < nx; i++)
        all[i] = x[i];
    if (!from) {
        *poison = fsr_poison(nx ? x[0].graph : NULL, at, FSR_ERR_NULL, what, "the matrix is null");
        return false;
    }
    *out = *from;
    all[nx] = from->offsets;
    all[nx + 1] = from->columns;
    all[nx + 2] = from->values;
    if (fsr_poison_of(at, what, all, nx + 3, &graph, poison))
        return false;
    if (!is_index(out->offsets) || !is_index(out->columns))
        *poison = fsr_poison(graph, at, FSR_ERR_DTYPE, what, "offsets %s and columns %s", fsr_say(out->offsets).text,
                             fsr_say(out->columns).text);
    else if (out->rows < 0 || out->cols < 0 || out->rows == INT64_MAX || !is_vector(out->offsets, out->rows + 1) ||
             !is_vector(out->columns, -1) || !is_vector(out->values, fsr_node_size(out->columns)))
        *poison = fsr_poison(graph, at, FSR_ERR_SHAPE, what,
                             "offsets %s, columns %s and values %s are no matrix of %lld rows and %lld columns",
                             fsr_say(out->offsets).text, fsr_say(out->columns).text, fsr_say(out->values).text,
                             (long long)out->rows, (long long)out->cols);
    else
        *poison = out->values = fsr_strong(at, out->values);
    return fsr_node_sound(*poison) != NULL;
}

/* x has one or two axes, of which the first is so long, and becomes strong. */
static bool operand_take(fsr_site at, const char *what, fsr_node *x, int64_t n, bool two, fsr_node *poison) {
    const int ndim = fsr_node_ndim(*x);
    if (ndim < (two ? 2 : 1) || ndim > 2 || fsr_node_dim(*x, 0) != n)
        *poison = fsr_poison(x->graph, at, FSR_ERR_SHAPE, what, "%s has not %lld rows", fsr_say(*x).text, (long long)n);
    else
        *x = *poison = fsr_strong(at, *x);
    return fsr_node_sound(*poison) != NULL;
}

/* ---- forms ------------------------------------------------------------------------------------------------- */

void fsr_csr_from_coo_at(fsr_site at, fsr_csr *out, fsr_node row, fsr_node column, fsr_node values, int64_t rows,
                         int64_t cols) {
    static const char what[] = "csr_from_coo";
    const fsr_node all[] = {row, column, values};
    fsr_node poison = {0};
    fsr_graph *graph;
    if (!out)
        return;
    if (!fsr_poison_of(at, what, all, 3, &graph, &poison)) {
        if (!is_index(row) || !is_index(column))
            poison = fsr_poison(graph, at, FSR_ERR_DTYPE, what, "rows %s and columns %s", fsr_say(row).text,
                                fsr_say(column).text);
        else if (!is_vector(row, -1) || !is_vector(column, fsr_node_size(row)) ||
                 !is_vector(values, fsr_node_size(row)))
            poison = fsr_poison(graph, at, FSR_ERR_SHAPE, what, "rows %s, columns %s and values %s", fsr_say(row).text,
                                fsr_say(column).text, fsr_say(values).text);
        else if (rows < 1 || cols < 1)
            poison = fsr_poison(graph, at, FSR_ERR_VALUE, what, "%lld rows and %lld columns", (long long)rows,
                                (long long)cols);
    }
    *out = (fsr_csr){poison, poison, poison, rows, cols};
    if (poison.graph)
        return;
    const fsr_node none = {0}, zero = fsr_full_at(at, graph, FSR_I64, 1, (int64_t[]){1}, 0);
    const fsr_node ends = fsr_cumsum_at(at, fsr_bincount_at(at, row, none, rows, FSR_INDEX_RAISE), (int[]){0}, 1, 0);
    const fsr_node order = fsr_argsort_at(at, row, (int[]){0}, 1, 0);
    /* Columns outside are told here, once, and negative ones count from the end. */
    const fsr_node inside = fsr_take_at(at, fsr_arange_at(at, graph, FSR_I64, cols), column, 0, FSR_INDEX_RAISE);
    out->offsets = fsr_concat_at(at, (fsr_node[]){zero, ends}, 2, 0);
    out->columns = fsr_take_at(at, inside, order, 0, FSR_INDEX_CLIP);
    out->values = fsr_take_at(at, values, order, 0, FSR_INDEX_CLIP);
}

/* One less than how many offsets are at or before each element: -1 in front of the first row, a->rows behind the
 * last. */
static fsr_node rows_of(fsr_site at, const fsr_csr *a) {
    const int64_t n = fsr_node_size(a->columns);
    const fsr_dtype dtype = n <= INT32_MAX && a->rows < INT32_MAX ? FSR_I32 : FSR_I64;
    const fsr_node none = fsr_full_at(at, a->columns.graph, dtype, 1, &n, 0), one = fsr_int_at(at, none.graph, 1);
    if (n == 0)
        return none;
    /* One in front of the first element does not count from the end. */
    const fsr_node from = fsr_maximum_at(at, a->offsets, fsr_int_at(at, none.graph, 0));
    const fsr_node begun = fsr_scatter_add_at(at, none, &from, 1, one, FSR_INDEX_DROP, 0);
    return fsr_sub_at(at, fsr_cumsum_at(at, begun, (int[]){0}, 1, 0), one);
}

/* What belongs to each element, 0 to those that are in no row: [values], or a row for each. */
static fsr_node in_rows(fsr_site at, const fsr_csr *a, fsr_node row, fsr_node x) {
    const fsr_node first = fsr_int_at(at, row.graph, 0), end = fsr_count_i64(row.graph, at, a->rows);
    fsr_node in = fsr_logical_and_at(at, fsr_greater_equal_at(at, row, first), fsr_less_at(at, row, end));
    if (!fsr_node_sound(x))
        return x;
    in = fsr_node_ndim(x) == 2 ? fsr_expand_at(at, in, 1) : in;
    return fsr_where_at(at, in, x, fsr_full_at(at, x.graph, fsr_node_dtype(x), 0, NULL, 0));
}

fsr_node fsr_csr_rows_at(fsr_site at, const fsr_csr *matrix) {
    fsr_node poison;
    fsr_csr a;
    return matrix_take(at, "csr_rows", matrix, NULL, 0, &a, &poison) ? rows_of(at, &a) : poison;
}

fsr_node fsr_csr_to_dense_at(fsr_site at, const fsr_csr *matrix) {
    fsr_node poison;
    fsr_csr a;
    if (!matrix_take(at, "csr_to_dense", matrix, NULL, 0, &a, &poison))
        return poison;
    fsr_node zeros = fsr_full_at(at, a.values.graph, fsr_node_dtype(a.values), 2, (int64_t[]){a.rows, a.cols}, 0);
    if (fsr_node_size(a.columns) == 0)
        return zeros;
    const fsr_node row = rows_of(at, &a);
    return fsr_scatter_add_at(at, zeros, (fsr_node[]){row, a.columns}, 2, in_rows(at, &a, row, a.values),
                              FSR_INDEX_CLIP, 0);
}

/* ---- the library call -------------------------------------------------------------------------------------- */

/* Offsets and columns as libraries take them, which look at nothing: inside, not falling, and of one dtype. */
static void make_safe(fsr_site at, fsr_csr *a) {
    const int64_t n = fsr_node_size(a->columns);
    const fsr_dtype dtype = n <= INT32_MAX && a->cols <= INT32_MAX ? FSR_I32 : FSR_I64;
    a->columns = fsr_convert(at, fsr_within(at, a->columns, a->cols - 1), dtype, false);
    const fsr_node inside = fsr_convert(at, fsr_within(at, a->offsets, n), dtype, false);
    a->offsets = fsr_cummax_at(at, inside, (int[]){0}, 1, 0);
}

/* The library call on a safe matrix and x, or right sides, with a result of this shape; plain: the same with other
 * nodes, or null. */
static fsr_node call(fsr_site at, const char *what, const fsr_csr *a, fsr_node x, const fsr_shape *shape,
                     const int64_t *word, fsr_node plain) {
    const fsr_node arg[] = {a->offsets, a->columns, a->values, x, plain};
    const int n = plain.graph ? 5 : 4;
    fsr_node handle;
    for (int i = 0; i < n; i++)
        if (!fsr_node_sound(arg[i]))
            return arg[i];
    const fsr_type type = {*shape, 1, {fsr_node_dtype(x)}};
    fsr_called *called = fsr_called_words(word, FSR_SPARSE_WORDS);
    if (!called)
        return fsr_graph_no_memory(x.graph);
    fsr_rec *rec = fsr_graph_add(x.graph, at, what, FSR_NODE_LIBRARY, &type, &handle);
    if (!rec) {
        fsr_called_unref(called);
        return handle;
    }
    rec->library = FSR_LIBRARY_SPARSE;
    rec->called = called;
    rec->nargs = n;
    for (int i = 0; i < n; i++)
        rec->arg[i] = (fsr_ref){arg[i].id, arg[i].output};
    return handle;
}

/* ---- products ---------------------------------------------------------------------------------------------- */

/* The values, times what belongs to each: a number, or a row of numbers. */
static fsr_node products(fsr_site at, const fsr_csr *a, fsr_node x, fsr_node index) {
    const fsr_node taken = fsr_take_at(at, x, index, 0, FSR_INDEX_CLIP);
    const bool rows = fsr_node_ndim(x) == 2;
    return fsr_mul_at(at, rows ? fsr_expand_at(at, a->values, 1) : a->values, taken);
}

fsr_node fsr_csr_dot_at(fsr_site at, const fsr_csr *matrix, fsr_node x) {
    static const char what[] = "csr_dot";
    fsr_node poison;
    fsr_csr a;
    if (!matrix_take(at, what, matrix, &x, 1, &a, &poison) || !operand_take(at, what, &x, a.cols, false, &poison))
        return poison;
    const fsr_node plain = fsr_segment_sum_at(at, products(at, &a, x, a.columns), a.offsets);
    const fsr_dtype dtype = fsr_node_dtype(plain);
    if (!fsr_node_sound(plain) || fsr_node_ndim(x) == 2 || fsr_node_size(a.columns) < LEAST_ELEMENTS ||
        a.rows < LEAST_ROWS || !fsr_dtype_is_inexact(dtype) || fsr_dtype_is_half(dtype))
        return plain;
    static const int64_t word[FSR_SPARSE_WORDS] = {[FSR_SPARSE_PRODUCT] = 1};
    make_safe(at, &a);
    a.values = fsr_convert(at, a.values, dtype, false);
    return call(at, what, &a, fsr_convert(at, x, dtype, false), &fsr_node_rec(plain)->shape, word, plain);
}

fsr_node fsr_csr_dot_transposed_at(fsr_site at, const fsr_csr *matrix, fsr_node x) {
    static const char what[] = "csr_dot_transposed";
    fsr_node poison;
    fsr_csr a;
    if (!matrix_take(at, what, matrix, &x, 1, &a, &poison) || !operand_take(at, what, &x, a.rows, false, &poison))
        return poison;
    const fsr_node row = rows_of(at, &a), parts = in_rows(at, &a, row, products(at, &a, x, row));
    if (!fsr_node_sound(parts))
        return parts;
    const fsr_dtype dtype = fsr_sum_dtype(fsr_node_dtype(parts));
    const int64_t shape[] = {a.cols, fsr_node_ndim(x) == 2 ? fsr_node_dim(x, 1) : 1};
    const fsr_node zeros = fsr_full_at(at, x.graph, dtype, fsr_node_ndim(x), shape, 0);
    return fsr_scatter_add_at(at, zeros, &a.columns, 1, fsr_convert(at, parts, dtype, false), FSR_INDEX_CLIP, 0);
}

fsr_node fsr_csr_sampled_at(fsr_site at, const fsr_csr *matrix, fsr_node x, fsr_node y) {
    static const char what[] = "csr_sampled";
    fsr_node poison, both[] = {x, y};
    fsr_csr a;
    if (!matrix_take(at, what, matrix, both, 2, &a, &poison) || !operand_take(at, what, &x, a.rows, true, &poison) ||
        !operand_take(at, what, &y, a.cols, true, &poison))
        return poison;
    if (fsr_node_dim(x, 1) != fsr_node_dim(y, 1))
        return fsr_poison(x.graph, at, FSR_ERR_SHAPE, what, "%s and %s have not the same columns", fsr_say(x).text,
                          fsr_say(y).text);
    const fsr_node row = rows_of(at, &a), left = fsr_take_at(at, x, row, 0, FSR_INDEX_CLIP);
    const fsr_node right = fsr_take_at(at, y, a.columns, 0, FSR_INDEX_CLIP);
    const fsr_node sum = fsr_sum_at(at, fsr_mul_at(at, left, right), (int[]){1}, 1, 0);
    return in_rows(at, &a, row, fsr_mul_at(at, a.values, sum));
}

fsr_node fsr_csr_norms_at(fsr_site at, const fsr_csr *matrix) {
    fsr_node poison;
    fsr_csr a;
    if (!matrix_take(at, "csr_norms", matrix, NULL, 0, &a, &poison))
        return poison;
    const fsr_node size = fsr_abs_at(at, fsr_convert(at, a.values, fsr_mean_dtype(fsr_node_dtype(a.values)), false));
    return fsr_sqrt_at(at, fsr_segment_sum_at(at, fsr_mul_at(at, size, size), a.offsets));
}

/* ---- triangles --------------------------------------------------------------------------------------------- */

/* Elements of the diagonal that are not 0 are as many as rows. */
static fsr_node is_regular(fsr_site at, const fsr_csr *a) {
    const fsr_node on = fsr_equal_at(at, rows_of(at, a), a->columns);
    const fsr_node good = fsr_not_equal_at(at, a->values, fsr_whole(at, a->values, 0));
    const fsr_node count = fsr_count_nonzero_at(at, fsr_logical_and_at(at, on, good), NULL, 0, 0);
    return fsr_equal_at(at, count, fsr_count_i64(count.graph, at, a->rows));
}

fsr_node fsr_csr_solve_triangular_at(fsr_site at, const fsr_csr *matrix, fsr_node b, int flags) {
    static const char what[] = "csr_solve_triangular";
    fsr_node poison;
    fsr_csr a;
    if (!matrix_take(at, what, matrix, &b, 1, &a, &poison) || !operand_take(at, what, &b, a.rows, false, &poison))
        return poison;
    if (a.rows != a.cols)
        return fsr_poison(b.graph, at, FSR_ERR_SHAPE, what, "a matrix of %lld rows and %lld columns is not square",
                          (long long)a.rows, (long long)a.cols);
    if (flags & ~(FSR_UPPER | FSR_UNIT_DIAGONAL))
        return fsr_poison(b.graph, at, FSR_ERR_VALUE, what, "flags %d", flags);
    const fsr_dtype dtype = fsr_solve_dtype((const fsr_node[]){matrix->values, b});
    const bool unit = flags & FSR_UNIT_DIAGONAL;
    b = fsr_convert(at, b, dtype, false);
    a.values = fsr_convert(at, a.values, dtype, false);
    if (!fsr_node_sound(b) || !fsr_node_sound(a.values) || fsr_node_size(b) == 0)
        return fsr_node_sound(b) ? fsr_node_sound(a.values) ? b : a.values : b;
    const fsr_node nan = fsr_float_at(at, b.graph, (double)NAN);
    if (fsr_node_size(a.columns) == 0)
        return unit ? b : fsr_where_at(at, fsr_equal_at(at, b, b), nan, nan);
    const bool vector = fsr_node_ndim(b) == 1;
    make_safe(at, &a);
    const fsr_node sides =
        vector ? fsr_reshape_at(at, b, 2, (const int64_t[]){1, a.rows}) : fsr_swapaxes_at(at, b, 0, 1);
    if (!fsr_node_sound(sides))
        return sides;
    const int64_t word[FSR_SPARSE_WORDS] = {[FSR_SPARSE_UPPER] = (flags & FSR_UPPER) != 0, [FSR_SPARSE_UNIT] = unit};
    fsr_node x = call(at, what, &a, sides, &fsr_node_rec(sides)->shape, word, (fsr_node){0});
    x = vector ? fsr_reshape_at(at, x, 1, &a.rows) : fsr_swapaxes_at(at, x, 0, 1);
    return unit ? x : fsr_where_at(at, is_regular(at, &a), x, nan);
}
