/* SPDX-License-Identifier: MIT */
/* Rows: computed indices, scatters, counts, segments, sparse matrices. */
#include "graph/graph.h"
#include "tests/api/build.h"

/* Seldom one that there is not. */
static fsr_index_mode mode_of(api_run *r) {
    const int kind = api_below(r, 32), mode = kind < 30 ? kind % 3 : kind == 30 ? 3 : -1;
    api_add(r, ", (fsr_index_mode)%d", mode);
    return (fsr_index_mode)mode;
}

BUILD(take, NODE(x); NODE(i); AXIS(axis); fsr_index_mode b = mode_of(r), x, i, axis, b)
BUILD(take_along_axis, NODE(x); NODE(i); AXIS(axis); fsr_index_mode b = mode_of(r), x, i, axis, b)

static void call_index(api_run *r) {
    NODE(a);
    NODES;
    fsr_index_mode b = mode_of(r);
    api_say(r, "fsr_index_at", 0, true);
    api_take(r, fsr_index_at(API_SITE(r), a, x, n, b), 0, false);
}

/* Starts for as many dimensions as there may be. */
static fsr_node *starts_of(api_run *r) {
    api_add(r, ", (fsr_node[]){");
    fsr_node *start = api_memory(r, sizeof *start * FSR_MAX_DIMS);
    for (int i = 0; i < FSR_MAX_DIMS; i++) {
        api_add(r, i ? ", " : "");
        start[i] = api_pick(r);
    }
    api_add(r, "}");
    return start;
}

static void call_dynamic_slice(api_run *r) {
    NODE(x);
    fsr_node *start = starts_of(r);
    const int64_t *size = api_wides(r, FSR_MAX_DIMS);
    r->live = fsr_graph_alive(x.graph); /* how many starts are looked at is x's to say */
    api_say(r, "fsr_dynamic_slice_at", 0, true);
    api_take(r, fsr_dynamic_slice_at(API_SITE(r), x, start, size), 0, false);
}

/* Seldom flags that there are not. */
static int flags_of(api_run *r, int known) {
    const int flags = api_below(r, 16) < 14 ? (api_below(r, 2) ? known : 0) : api_below(r, 64);
    api_add(r, ", %d", flags);
    return flags;
}

BUILD(put_along_axis, NODE(x); NODE(i); NODE(values); AXIS(axis); fsr_index_mode b = mode_of(r);
      const int flags = flags_of(r, FSR_UNIQUE), x, i, values, axis, b, flags)

typedef fsr_node (*scatter_fn)(fsr_site at, fsr_node x, const fsr_node *arrays, int n, fsr_node values,
                               fsr_index_mode mode, int flags);

static void some_scatter(api_run *r, const char *name, scatter_fn scatter, int known) {
    NODE(a);
    NODES;
    NODE(values);
    fsr_index_mode b = mode_of(r);
    const int flags = flags_of(r, known);
    api_say(r, name, 0, true);
    api_take(r, scatter(API_SITE(r), a, x, n, values, b, flags), 0, false);
}
#define SCATTER(what, known)                                         \
    static void call_##what(api_run *r) {                            \
        some_scatter(r, "fsr_" #what "_at", fsr_##what##_at, known); \
    }
SCATTER(scatter, FSR_UNIQUE)
SCATTER(scatter_add, FSR_UNORDERED)
SCATTER(scatter_mul, FSR_UNORDERED)
SCATTER(scatter_max, FSR_UNORDERED)
SCATTER(scatter_min, FSR_UNORDERED)
SCATTER(scatter_and, FSR_UNORDERED)
SCATTER(scatter_or, FSR_UNORDERED)
SCATTER(scatter_xor, FSR_UNORDERED)

BUILD(put, NODE(x); NODE(i); NODE(values); fsr_index_mode b = mode_of(r);
      const int flags = flags_of(r, FSR_UNIQUE), x, i, values, b, flags)
BUILD(bincount, NODE(x); NODE(w); EXTENT(n); fsr_index_mode b = mode_of(r), x, w, n, b)
BUILD(histogram, NODE(x); NODE(w); EXTENT(n); NUMBER(low); NUMBER(high), x, w, n, low, high)
BUILD(histogram_edges, NODE(x); NODE(w); NODE(edges), x, w, edges)
BUILD(searchsorted, NODE(keys); NODE(x); SMALL(side), keys, x, (fsr_side)side)
BUILD(digitize, NODE(x); NODE(bins); bool right = api_bool(r), x, bins, right)
BUILD(interp, NODE(x); NODE(xp); NODE(fp); NODE(left); NODE(right), x, xp, fp, left, right)
BUILD(interp_period, NODE(x); NODE(xp); NODE(fp); NUMBER(period), x, xp, fp, period)
#define SEGMENTS(name) BUILD(segment_##name, NODE(x); NODE(offsets), x, offsets)
SEGMENTS(sum)
SEGMENTS(prod)
SEGMENTS(min)
SEGMENTS(max)
SEGMENTS(argmin)
SEGMENTS(argmax)
SEGMENTS(first)
SEGMENTS(last)
SEGMENTS(median)
BUILD(segment_sort, NODE(x); NODE(offsets); const int flags = api_flags(r), x, offsets, flags)
BUILD(segment_argsort, NODE(x); NODE(offsets); const int flags = api_flags(r), x, offsets, flags)
BUILD(segment_cumsum, NODE(x); NODE(offsets); const int flags = api_flags(r), x, offsets, flags)

static void call_csr_from_coo(api_run *r) {
    fsr_csr out;
    api_add(r, ", &matrix");
    NODE(row);
    NODE(column);
    NODE(values);
    EXTENT(rows);
    EXTENT(cols);
    api_say(r, "fsr_csr_from_coo_at", 0, true);
    fsr_csr_from_coo_at(API_SITE(r), &out, row, column, values, rows, cols);
    api_take_all(r, (fsr_node[]){out.offsets, out.columns, out.values}, 3);
}
#define CSR(name, draw, ...)                                                                                           \
    static void call_csr_##name(api_run *r) {                                                                          \
        draw;                                                                                                          \
        NODE(offsets);                                                                                                 \
        NODE(columns);                                                                                                 \
        NODE(values);                                                                                                  \
        const fsr_csr a = {offsets, columns, values, fsr_node_size(offsets) - api_below(r, 8) / 7 - 1, api_extent(r)}; \
        api_say(r, "fsr_csr_" #name "_at", 0, true);                                                                   \
        api_take(r, fsr_csr_##name##_at(API_SITE(r), &a __VA_ARGS__), 0, false);                                       \
    }
#define COMMA ,
CSR(rows, (void)0)
CSR(to_dense, (void)0)
CSR(norms, (void)0)
CSR(dot, NODE(x), COMMA x)
CSR(dot_transposed, NODE(x), COMMA x)
CSR(sampled, NODE(x); NODE(y), COMMA x COMMA y)
CSR(solve_triangular, NODE(b); const int flags = api_flags(r), COMMA b COMMA flags)

static void call_runs(api_run *r) {
    fsr_node out[2];
    api_add(r, ", out");
    NODE(keys);
    api_say(r, "fsr_runs_at", 0, true);
    fsr_runs_at(API_SITE(r), out, keys);
    api_take_all(r, out, 2);
}

static void call_histogram2d(api_run *r) {
    NODE(x);
    NODE(y);
    NODE(w);
    const int64_t *bins = api_wides(r, 2);
    NUMBER(low);
    NUMBER(high);
    const double range[] = {low, high, low, high};
    r->live = fsr_graph_alive(x.graph) || fsr_graph_alive(y.graph);
    api_add(r, " twice as the range");
    api_say(r, "fsr_histogram2d_at", 0, true);
    api_take(r, fsr_histogram2d_at(API_SITE(r), x, y, w, bins, range), 0, false);
}

static void call_dynamic_update(api_run *r) {
    NODE(x);
    NODE(y);
    const bool live = fsr_graph_alive(x.graph) || fsr_graph_alive(y.graph);
    fsr_node *start = starts_of(r);
    r->live = live;
    api_say(r, "fsr_dynamic_update_at", 0, true);
    api_take(r, fsr_dynamic_update_at(API_SITE(r), x, y, start), 0, false);
}

const api_row api_index_rows[] = {
    ROW(take, 4),
    ROW(take_along_axis, 3),
    ROW(index, 3),
    ROW(dynamic_slice, 2),
    ROW(dynamic_update, 2),
    ROW(put_along_axis, 3),
    ROW(scatter, 3),
    ROW(scatter_add, 3),
    ROW(scatter_mul, 2),
    ROW(scatter_max, 2),
    ROW(scatter_min, 1),
    ROW(scatter_and, 1),
    ROW(scatter_or, 1),
    ROW(scatter_xor, 1),
    ROW(put, 2),
    ROW(bincount, 2),
    ROW(searchsorted, 2),
    ROW(digitize, 2),
    ROW(interp, 5),
    ROW(interp_period, 3),
    ROW(segment_sum, 2),
    ROW(segment_prod, 1),
    ROW(segment_min, 2),
    ROW(segment_max, 1),
    ROW(segment_argmin, 2),
    ROW(segment_argmax, 1),
    ROW(segment_first, 2),
    ROW(segment_last, 2),
    ROW(segment_median, 1),
    ROW(segment_sort, 1),
    ROW(segment_argsort, 1),
    ROW(segment_cumsum, 2),
    ROW(runs, 2),
    ROW(csr_from_coo, 2),
    ROW(csr_rows, 1),
    ROW(csr_to_dense, 1),
    ROW(csr_norms, 1),
    ROW(csr_dot, 2),
    ROW(csr_dot_transposed, 1),
    ROW(csr_sampled, 1),
    ROW(csr_solve_triangular, 2),
    ROW(histogram, 2),
    ROW(histogram_edges, 2),
    ROW(histogram2d, 2),
};
const int api_index_count = API_COUNT(api_index_rows);
