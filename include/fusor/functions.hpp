// SPDX-License-Identifier: MIT
// The builder's functions in C++, included by fusor/fusor.hpp: lists in braces where C takes an address and a count, NumPy's
// defaults, several results as a pair or a vector, literals as operands. Each records what the C function of its name does,
// with the place of the call; fusor/build.h says what that is. tests/package/wrappers.sh holds that none is missing.
//
// A list of the wrong length is a mistake as any other, a poisoned node: what is missing is filled with what the C function
// refuses. Functions that return a vector may throw std::bad_alloc.
#ifndef FUSOR_FUNCTIONS_HPP
#define FUSOR_FUNCTIONS_HPP

#include "fusor/fusor.hpp"
#include "fusor/ops.hpp"

namespace fusor {

// What a call ends with: its place.
#define FUSOR_PLACE const char *file = __builtin_FILE(), int line = __builtin_LINE()
#define FUSOR_AT fsr_here(file, line)
#define FUSOR_LIST(list) (list).size() ? (list).begin() : nullptr, static_cast<int>((list).size())

// ---- elementwise: every operation of fusor/ops.h by its name; operands may be literals ------------------------------

#define FUSOR_MAP_1(name)                                 \
    inline node name(const detail::operand &a) noexcept { \
        return fsr_##name##_at(a.at(), a.in(a.graph()));  \
    }
#define FUSOR_MAP_2(name)                                                           \
    inline node name(const detail::operand &a, const detail::operand &b) noexcept { \
        fsr_graph *g = a.graph() ? a.graph() : b.graph();                           \
        return fsr_##name##_at(a.at(), a.in(g), b.in(g));                           \
    }
#define FUSOR_MAP_3(name)                                                                                     \
    inline node name(const detail::operand &a, const detail::operand &b, const detail::operand &c) noexcept { \
        fsr_graph *g = a.graph() ? a.graph() : b.graph() ? b.graph() : c.graph();                             \
        return fsr_##name##_at(a.at(), a.in(g), b.in(g), c.in(g));                                            \
    }
FUSOR_OPS_1(FUSOR_MAP_1)
FUSOR_OPS_2(FUSOR_MAP_2)
FUSOR_OPS_3(FUSOR_MAP_3)
#undef FUSOR_MAP_1
#undef FUSOR_MAP_2
#undef FUSOR_MAP_3

inline node cast(const node &x, fsr_dtype dtype, FUSOR_PLACE) noexcept {
    return fsr_cast_at(FUSOR_AT, x, dtype);
}
inline node around(const node &x, int decimals = 0, FUSOR_PLACE) noexcept {
    return fsr_around_at(FUSOR_AT, x, decimals);
}
inline node nan_to_num(const node &x, double nan = 0, const double *posinf = nullptr, const double *neginf = nullptr,
                       FUSOR_PLACE) noexcept {
    return fsr_nan_to_num_at(FUSOR_AT, x, nan, posinf, neginf);
}
inline node isclose(const node &a, const node &b, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false,
                    FUSOR_PLACE) noexcept {
    return fsr_isclose_at(FUSOR_AT, a, b, rtol, atol, equal_nan);
}
inline node allclose(const node &a, const node &b, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false,
                     FUSOR_PLACE) noexcept {
    return fsr_allclose_at(FUSOR_AT, a, b, rtol, atol, equal_nan);
}
inline node sinc(const node &x, FUSOR_PLACE) noexcept {
    return fsr_sinc_at(FUSOR_AT, x);
}
inline node_pair sincos(const node &x, FUSOR_PLACE) noexcept {
    fsr_node sine, cosine;
    fsr_sincos_at(FUSOR_AT, x, &sine, &cosine);
    return node_pair(sine, cosine);
}
inline node_pair frexp(const node &x, FUSOR_PLACE) noexcept {
    fsr_node mantissa, exponent;
    fsr_frexp_at(FUSOR_AT, x, &mantissa, &exponent);
    return node_pair(mantissa, exponent);
}
inline node_pair divmod(const node &a, const node &b, FUSOR_PLACE) noexcept {
    fsr_node quotient, remainder;
    fsr_divmod_at(FUSOR_AT, a, b, &quotient, &remainder);
    return node_pair(quotient, remainder);
}
inline node_pair modf(const node &x, FUSOR_PLACE) noexcept {
    fsr_node fraction, whole;
    fsr_modf_at(FUSOR_AT, x, &fraction, &whole);
    return node_pair(fraction, whole);
}
// An operation by its name.
inline node apply(const char *name, nodes args, FUSOR_PLACE) noexcept {
    return fsr_apply_at(FUSOR_AT, name, args.begin(), static_cast<int>(args.size()));
}

// ---- arrays and literals of a graph ---------------------------------------------------------------------------------

inline node zeros(fsr_graph *g, fsr_dtype dtype, extents shape, FUSOR_PLACE) noexcept {
    return fsr_zeros_at(FUSOR_AT, g, dtype, static_cast<int>(shape.size()), shape.begin());
}
inline node ones(fsr_graph *g, fsr_dtype dtype, extents shape, FUSOR_PLACE) noexcept {
    return fsr_ones_at(FUSOR_AT, g, dtype, static_cast<int>(shape.size()), shape.begin());
}
inline node full(fsr_graph *g, fsr_dtype dtype, extents shape, double value, FUSOR_PLACE) noexcept {
    return fsr_full_at(FUSOR_AT, g, dtype, static_cast<int>(shape.size()), shape.begin(), value);
}
inline node full_like(const node &x, double value, FUSOR_PLACE) noexcept {
    return fsr_full_like_at(FUSOR_AT, x, value);
}
inline node zeros_like(const node &x, FUSOR_PLACE) noexcept {
    return fsr_full_like_at(FUSOR_AT, x, 0);
}
inline node ones_like(const node &x, FUSOR_PLACE) noexcept {
    return fsr_full_like_at(FUSOR_AT, x, 1);
}
// A parameter whose value a double is; graph::param takes any.
inline node param(fsr_graph *g, const char *name, fsr_dtype dtype, double value, FUSOR_PLACE) noexcept {
    return fsr_param_at(FUSOR_AT, g, name, dtype, value);
}
// Weak literals.
inline node literal(fsr_graph *g, const detail::operand &value) noexcept {
    return value.in(g);
}
template <class T> inline node literal(fsr_graph *g, const std::complex<T> &value, FUSOR_PLACE) noexcept {
    return fsr_complex_at(FUSOR_AT, g, static_cast<double>(value.real()), static_cast<double>(value.imag()));
}
inline node eye(fsr_graph *g, fsr_dtype dtype, std::int64_t rows, std::int64_t cols, std::int64_t k = 0,
                FUSOR_PLACE) noexcept {
    return fsr_eye_at(FUSOR_AT, g, dtype, rows, cols, k);
}
inline node tri(fsr_graph *g, fsr_dtype dtype, std::int64_t rows, std::int64_t cols, std::int64_t k = 0,
                FUSOR_PLACE) noexcept {
    return fsr_tri_at(FUSOR_AT, g, dtype, rows, cols, k);
}
inline node arange(fsr_graph *g, fsr_dtype dtype, std::int64_t n, FUSOR_PLACE) noexcept {
    return fsr_arange_at(FUSOR_AT, g, dtype, n);
}
inline node counter(fsr_graph *g, extents shape, FUSOR_PLACE) noexcept {
    return fsr_counter_at(FUSOR_AT, g, static_cast<int>(shape.size()), shape.begin());
}
inline node arange_step(fsr_graph *g, fsr_dtype dtype, double start, double stop, double step = 1,
                        FUSOR_PLACE) noexcept {
    return fsr_arange_step_at(FUSOR_AT, g, dtype, start, stop, step);
}
inline node linspace(fsr_graph *g, fsr_dtype dtype, double start, double stop, std::int64_t num = 50,
                     bool endpoint = true, FUSOR_PLACE) noexcept {
    return fsr_linspace_at(FUSOR_AT, g, dtype, start, stop, num, endpoint);
}
inline node logspace(fsr_graph *g, fsr_dtype dtype, double start, double stop, std::int64_t num = 50,
                     bool endpoint = true, double base = 10, FUSOR_PLACE) noexcept {
    return fsr_logspace_at(FUSOR_AT, g, dtype, start, stop, num, endpoint, base);
}
inline node geomspace(fsr_graph *g, fsr_dtype dtype, double start, double stop, std::int64_t num = 50,
                      bool endpoint = true, FUSOR_PLACE) noexcept {
    return fsr_geomspace_at(FUSOR_AT, g, dtype, start, stop, num, endpoint);
}
// A leaf of g with x's elements, whose context may be another.
inline node from_node(fsr_graph *g, node x, FUSOR_PLACE) noexcept {
    return fsr_from_node_at(FUSOR_AT, g, x);
}
inline node npy_read(fsr_graph *g, const char *path, FUSOR_PLACE) noexcept {
    return fsr_npy_read_at(FUSOR_AT, g, path);
}

// ---- views ----------------------------------------------------------------------------------------------------------

inline node reshape(const node &x, extents shape, FUSOR_PLACE) noexcept {
    return fsr_reshape_at(FUSOR_AT, x, static_cast<int>(shape.size()), shape.begin());
}
inline node broadcast_to(const node &x, extents shape, FUSOR_PLACE) noexcept {
    return fsr_broadcast_to_at(FUSOR_AT, x, static_cast<int>(shape.size()), shape.begin());
}
// Without axes: reversed.
inline node transpose(const node &x, axes order = {}, FUSOR_PLACE) noexcept {
    const detail::row<int> perm(order, x.ndim(), detail::no_axis);
    return fsr_transpose_at(FUSOR_AT, x, order.size() ? perm.at : nullptr);
}
inline node moveaxis(const node &x, axes source, axes destination, FUSOR_PLACE) noexcept {
    const detail::row<int> to(destination, static_cast<int>(source.size()), detail::no_axis);
    return fsr_moveaxis_at(FUSOR_AT, x, source.begin(), to.at, static_cast<int>(source.size()));
}
inline node expand(const node &x, int axis, FUSOR_PLACE) noexcept {
    return fsr_expand_at(FUSOR_AT, x, axis);
}
inline node squeeze(const node &x, int axis, FUSOR_PLACE) noexcept {
    return fsr_squeeze_at(FUSOR_AT, x, axis);
}
inline node flip(const node &x, int axis, FUSOR_PLACE) noexcept {
    return fsr_flip_at(FUSOR_AT, x, axis);
}
inline node ravel(const node &x, FUSOR_PLACE) noexcept {
    return fsr_ravel_at(FUSOR_AT, x);
}
inline node swapaxes(const node &x, int a, int b, FUSOR_PLACE) noexcept {
    return fsr_swapaxes_at(FUSOR_AT, x, a, b);
}
inline node slice(const node &x, int axis, std::int64_t start, std::int64_t stop = FSR_SLICE_END, std::int64_t step = 1,
                  FUSOR_PLACE) noexcept {
    return fsr_slice_at(FUSOR_AT, x, axis, start, stop, step);
}
inline node diagonal(const node &x, std::int64_t k = 0, int axis1 = 0, int axis2 = 1, FUSOR_PLACE) noexcept {
    return fsr_diagonal_at(FUSOR_AT, x, k, axis1, axis2);
}
inline node trace(const node &x, std::int64_t k = 0, int axis1 = 0, int axis2 = 1, FUSOR_PLACE) noexcept {
    return fsr_trace_at(FUSOR_AT, x, k, axis1, axis2);
}
inline node diag(const node &x, std::int64_t k = 0, FUSOR_PLACE) noexcept {
    return fsr_diag_at(FUSOR_AT, x, k);
}
inline std::vector<node> split(const node &x, int parts, int axis = 0, FUSOR_PLACE) {
    std::vector<fsr_node> out(parts > 0 ? static_cast<std::size_t>(parts) : 0);
    fsr_split_at(FUSOR_AT, out.data(), x, parts, axis);
    return std::vector<node>(out.begin(), out.end());
}
inline std::vector<node> split_indices(const node &x, extents indices, int axis = 0, FUSOR_PLACE) {
    std::vector<fsr_node> out(indices.size() + 1);
    fsr_split_indices_at(FUSOR_AT, out.data(), x, indices.begin(), static_cast<int>(indices.size()), axis);
    return std::vector<node>(out.begin(), out.end());
}
inline std::vector<node> meshgrid(nodes x, int flags = FSR_XY, FUSOR_PLACE) {
    std::vector<fsr_node> out(x.size());
    fsr_meshgrid_at(FUSOR_AT, out.data(), x.begin(), static_cast<int>(x.size()), flags);
    return std::vector<node>(out.begin(), out.end());
}

// ---- assignment, joining, repeating, neighbours -----------------------------------------------------------------------

inline node update(const node &x, const node &view, const detail::operand &y) noexcept {
    return fsr_update_at(y.at(), x, view, y.in(fsr_node(x).graph));
}
inline node concat(nodes x, int axis = 0, FUSOR_PLACE) noexcept {
    return fsr_concat_at(FUSOR_AT, x.begin(), static_cast<int>(x.size()), axis);
}
inline node stack(nodes x, int axis = 0, FUSOR_PLACE) noexcept {
    return fsr_stack_at(FUSOR_AT, x.begin(), static_cast<int>(x.size()), axis);
}
// Without axes: along the flat array.
inline node roll(const node &x, extents shift, axes along = {}, FUSOR_PLACE) noexcept {
    const detail::row<int> to(along, static_cast<int>(shift.size()), detail::no_axis);
    return fsr_roll_at(FUSOR_AT, x, shift.begin(), along.size() ? to.at : nullptr, static_cast<int>(shift.size()));
}
// {before, after} of each axis.
inline node pad(const node &x, std::initializer_list<width> widths, fsr_pad mode = FSR_PAD_CONSTANT, double value = 0,
                FUSOR_PLACE) noexcept {
    const bool fits = static_cast<int>(widths.size()) == x.ndim();
    std::int64_t both[FSR_MAX_DIMS][2];
    for (int i = 0; i < FSR_MAX_DIMS; i++) {
        both[i][0] = fits && i < x.ndim() ? widths.begin()[i].before : -1;
        both[i][1] = fits && i < x.ndim() ? widths.begin()[i].after : -1;
    }
    return fsr_pad_at(FUSOR_AT, x, both, mode, value);
}
inline node sliding_window(const node &x, extents window, axes over = {}, FUSOR_PLACE) noexcept {
    if (static_cast<int>(window.size()) != (over.size() ? static_cast<int>(over.size()) : fsr_node_ndim(x)))
        return fsr_sliding_window_at(FUSOR_AT, x, nullptr, nullptr, -1);
    return fsr_sliding_window_at(FUSOR_AT, x, window.begin(), FUSOR_LIST(over));
}
inline node tile(const node &x, extents reps, FUSOR_PLACE) noexcept {
    return fsr_tile_at(FUSOR_AT, x, static_cast<int>(reps.size()), reps.begin());
}
// Without an axis: of the flat array.
inline node repeat(const node &x, std::int64_t count, axes along = {}, FUSOR_PLACE) noexcept {
    const detail::row<int> to(along, 1, detail::no_axis);
    return fsr_repeat_at(FUSOR_AT, x, count, along.size() ? to.at : nullptr);
}
inline node diff(const node &x, int n = 1, int axis = -1, FUSOR_PLACE) noexcept {
    return fsr_diff_at(FUSOR_AT, x, n, axis);
}
inline node ediff1d(const node &x, const node &to_begin = node(), const node &to_end = node(), FUSOR_PLACE) noexcept {
    return fsr_ediff1d_at(FUSOR_AT, x, to_begin, to_end);
}
inline node gradient(const node &x, double spacing = 1, int axis = 0, int edge_order = 1, FUSOR_PLACE) noexcept {
    return fsr_gradient_at(FUSOR_AT, x, spacing, axis, edge_order);
}
// Along each of the axes, all if none is named; spacing: one for each, 1 if none is given.
inline std::vector<node> gradients(const node &x, std::initializer_list<double> spacing = {}, axes along = {},
                                   int edge_order = 1, FUSOR_PLACE) {
    const int n = along.size() ? static_cast<int>(along.size()) : x.ndim();
    const detail::row<double> by(spacing, n, 0);
    std::vector<fsr_node> out(n > 0 ? static_cast<std::size_t>(n) : 0);
    fsr_gradients_at(FUSOR_AT, out.data(), x, spacing.size() ? by.at : nullptr, along.size() ? along.begin() : nullptr,
                     n, edge_order);
    return std::vector<node>(out.begin(), out.end());
}
inline node convolve(const node &a, const node &v, fsr_overlap overlap = FSR_FULL, FUSOR_PLACE) noexcept {
    return fsr_convolve_at(FUSOR_AT, a, v, overlap);
}
inline node correlate(const node &a, const node &v, fsr_overlap overlap = FSR_VALID, FUSOR_PLACE) noexcept {
    return fsr_correlate_at(FUSOR_AT, a, v, overlap);
}
inline node fftconvolve(const node &a, const node &v, fsr_overlap overlap = FSR_FULL, FUSOR_PLACE) noexcept {
    return fsr_fftconvolve_at(FUSOR_AT, a, v, overlap);
}
inline node fft(const node &x, int axis = -1, FUSOR_PLACE) noexcept {
    return fsr_fft_at(FUSOR_AT, x, axis);
}
inline node ifft(const node &x, int axis = -1, FUSOR_PLACE) noexcept {
    return fsr_ifft_at(FUSOR_AT, x, axis);
}
inline node rfft(const node &x, int axis = -1, FUSOR_PLACE) noexcept {
    return fsr_rfft_at(FUSOR_AT, x, axis);
}
inline node irfft(const node &x, std::int64_t n, int axis = -1, FUSOR_PLACE) noexcept {
    return fsr_irfft_at(FUSOR_AT, x, n, axis);
}
inline node fftn(const node &x, axes over = {}, FUSOR_PLACE) noexcept {
    return fsr_fftn_at(FUSOR_AT, x, FUSOR_LIST(over));
}
inline node ifftn(const node &x, axes over = {}, FUSOR_PLACE) noexcept {
    return fsr_ifftn_at(FUSOR_AT, x, FUSOR_LIST(over));
}
inline node solve(const node &a, const node &b, FUSOR_PLACE) noexcept {
    return fsr_solve_at(FUSOR_AT, a, b);
}
inline node inv(const node &a, FUSOR_PLACE) noexcept {
    return fsr_inv_at(FUSOR_AT, a);
}
inline node det(const node &a, FUSOR_PLACE) noexcept {
    return fsr_det_at(FUSOR_AT, a);
}
inline node_pair slogdet(const node &a, FUSOR_PLACE) noexcept {
    fsr_node sign, logabs;
    fsr_slogdet_at(FUSOR_AT, a, &sign, &logabs);
    return node_pair(sign, logabs);
}
inline node cholesky(const node &a, FUSOR_PLACE) noexcept {
    return fsr_cholesky_at(FUSOR_AT, a);
}
inline node_pair qr(const node &a, bool complete = false, FUSOR_PLACE) noexcept {
    fsr_node q, r;
    fsr_qr_at(FUSOR_AT, a, complete, &q, &r);
    return node_pair(q, r);
}
// u, s and vt.
inline std::tuple<node, node, node> svd(const node &a, FUSOR_PLACE) noexcept {
    fsr_node u, s, vt;
    fsr_svd_at(FUSOR_AT, a, &u, &s, &vt);
    return std::tuple<node, node, node>(u, s, vt);
}
inline node svdvals(const node &a, FUSOR_PLACE) noexcept {
    return fsr_svdvals_at(FUSOR_AT, a);
}
inline node_pair eigh(const node &a, FUSOR_PLACE) noexcept {
    fsr_node w, v;
    fsr_eigh_at(FUSOR_AT, a, &w, &v);
    return node_pair(w, v);
}
inline node eigvalsh(const node &a, FUSOR_PLACE) noexcept {
    return fsr_eigvalsh_at(FUSOR_AT, a);
}
inline node outer(const node &a, const node &b, FUSOR_PLACE) noexcept {
    return fsr_outer_at(FUSOR_AT, a, b);
}
inline node kron(const node &a, const node &b, FUSOR_PLACE) noexcept {
    return fsr_kron_at(FUSOR_AT, a, b);
}
inline node cross(const node &a, const node &b, int axis = -1, FUSOR_PLACE) noexcept {
    return fsr_cross_at(FUSOR_AT, a, b, axis);
}
inline node matmul(const node &a, const node &b, FUSOR_PLACE) noexcept {
    return fsr_matmul_at(FUSOR_AT, a, b);
}
inline node tensordot(const node &a, const node &b, axes of_a, axes of_b, FUSOR_PLACE) noexcept {
    return fsr_tensordot_at(FUSOR_AT, a, b, of_a.begin(), of_b.begin(),
                            of_a.size() == of_b.size() ? static_cast<int>(of_a.size()) : -1);
}
inline node einsum(const char *subscripts, nodes x, FUSOR_PLACE) noexcept {
    return fsr_einsum_at(FUSOR_AT, subscripts, x.begin(), static_cast<int>(x.size()));
}
inline node vecdot(const node &a, const node &b, int axis = -1, FUSOR_PLACE) noexcept {
    return fsr_vecdot_at(FUSOR_AT, a, b, axis);
}
inline node vander(const node &x, std::int64_t n, bool increasing = false, FUSOR_PLACE) noexcept {
    return fsr_vander_at(FUSOR_AT, x, n, increasing);
}
inline node triu(const node &x, std::int64_t k = 0, FUSOR_PLACE) noexcept {
    return fsr_triu_at(FUSOR_AT, x, k);
}
inline node tril(const node &x, std::int64_t k = 0, FUSOR_PLACE) noexcept {
    return fsr_tril_at(FUSOR_AT, x, k);
}
inline node filter(const node &x, const node &mask, const detail::operand &fill = 0) noexcept {
    return fsr_filter_at(fill.at(), x, mask, fill.in(fsr_node(x).graph));
}
inline node compress(const node &mask, const node &x, FUSOR_PLACE) noexcept {
    return fsr_compress_at(FUSOR_AT, mask, x);
}
inline node flatnonzero(const node &x, FUSOR_PLACE) noexcept {
    return fsr_flatnonzero_at(FUSOR_AT, x);
}
inline node_pair partition_by(const node &mask, const node &x, FUSOR_PLACE) noexcept {
    fsr_node out[2];
    fsr_partition_by_at(FUSOR_AT, out, mask, x);
    return node_pair(out[0], out[1]);
}
// The different elements, where each is first, each element's number among them, how many there are of each.
struct unique_result {
    node values, first, inverse, counts;
};
inline unique_result unique(const node &x, bool equal_nan = true, FUSOR_PLACE) noexcept {
    fsr_node out[4];
    fsr_unique_at(FUSOR_AT, out, x, equal_nan);
    const unique_result all = {out[0], out[1], out[2], out[3]};
    return all;
}
inline node isin(const node &x, const node &others, FUSOR_PLACE) noexcept {
    return fsr_isin_at(FUSOR_AT, x, others);
}
inline node_pair run_lengths(const node &x, FUSOR_PLACE) noexcept {
    fsr_node out[2];
    fsr_run_lengths_at(FUSOR_AT, out, x);
    return node_pair(out[0], out[1]);
}
inline node repeat_counts(const node &x, const node &counts, std::int64_t capacity, FUSOR_PLACE) noexcept {
    return fsr_repeat_counts_at(FUSOR_AT, x, counts, capacity);
}
inline node update_mask(const node &x, const node &mask, const detail::operand &y) noexcept {
    return fsr_update_mask_at(y.at(), x, mask, y.in(fsr_node(x).graph));
}
inline node live(const node &x, const node &of, FUSOR_PLACE) noexcept {
    return fsr_live_at(FUSOR_AT, x, of);
}
inline node filled(const node &x, const detail::operand &fill = 0) noexcept {
    return fsr_filled_at(fill.at(), x, fill.in(fsr_node(x).graph));
}
inline node live_count(const node &x, FUSOR_PLACE) noexcept {
    return fsr_live_count_at(FUSOR_AT, x);
}

// ---- elements by computed indices --------------------------------------------------------------------------------------

inline node take(const node &x, const node &indices, int axis = 0, fsr_index_mode mode = FSR_INDEX_RAISE,
                 FUSOR_PLACE) noexcept {
    return fsr_take_at(FUSOR_AT, x, indices, axis, mode);
}
inline node take_along_axis(const node &x, const node &indices, int axis, fsr_index_mode mode = FSR_INDEX_RAISE,
                            FUSOR_PLACE) noexcept {
    return fsr_take_along_axis_at(FUSOR_AT, x, indices, axis, mode);
}
inline node index(const node &x, nodes arrays, fsr_index_mode mode = FSR_INDEX_RAISE, FUSOR_PLACE) noexcept {
    return fsr_index_at(FUSOR_AT, x, arrays.begin(), static_cast<int>(arrays.size()), mode);
}
inline node dynamic_slice(const node &x, nodes starts, extents sizes, FUSOR_PLACE) noexcept {
    const detail::row<fsr_node> from(starts, x.ndim(), fsr_node());
    const detail::row<std::int64_t> part(sizes, x.ndim(), -1);
    return fsr_dynamic_slice_at(FUSOR_AT, x, from.at, part.at);
}
inline node dynamic_update(const node &x, const node &y, nodes starts, FUSOR_PLACE) noexcept {
    const detail::row<fsr_node> from(starts, x.ndim(), fsr_node());
    return fsr_dynamic_update_at(FUSOR_AT, x, y, from.at);
}

// Several indices may be equal: the last value wins. flags: FSR_UNIQUE promises that none are.
inline node scatter(const node &x, nodes arrays, const node &values, fsr_index_mode mode = FSR_INDEX_RAISE, int flags = 0,
                    FUSOR_PLACE) noexcept {
    return fsr_scatter_at(FUSOR_AT, x, arrays.begin(), static_cast<int>(arrays.size()), values, mode, flags);
}
inline node put_along_axis(const node &x, const node &indices, const node &values, int axis,
                           fsr_index_mode mode = FSR_INDEX_RAISE, int flags = 0, FUSOR_PLACE) noexcept {
    return fsr_put_along_axis_at(FUSOR_AT, x, indices, values, axis, mode, flags);
}
inline node put(const node &x, const node &indices, const node &values, fsr_index_mode mode = FSR_INDEX_RAISE,
                int flags = 0, FUSOR_PLACE) noexcept {
    return fsr_put_at(FUSOR_AT, x, indices, values, mode, flags);
}
// Without weights these count.
inline node bincount(const node &x, std::int64_t length, const node &weights = {}, fsr_index_mode mode = FSR_INDEX_RAISE,
                     FUSOR_PLACE) noexcept {
    return fsr_bincount_at(FUSOR_AT, x, weights, length, mode);
}
inline node histogram(const node &x, std::int64_t bins, double low, double high, const node &weights = {},
                      FUSOR_PLACE) noexcept {
    return fsr_histogram_at(FUSOR_AT, x, weights, bins, low, high);
}
inline node histogram_edges(const node &x, const node &edges, const node &weights = {}, FUSOR_PLACE) noexcept {
    return fsr_histogram_edges_at(FUSOR_AT, x, weights, edges);
}
inline node histogram2d(const node &x, const node &y, extents bins, std::initializer_list<double> range,
                        const node &weights = {}, FUSOR_PLACE) noexcept {
    const detail::row<std::int64_t> n(bins, 2, 0);
    const detail::row<double> ends(range, 4, 0);
    return fsr_histogram2d_at(FUSOR_AT, x, y, weights, n.at, ends.at);
}
inline node searchsorted(const node &keys, const node &x, fsr_side side = FSR_LEFT, FUSOR_PLACE) noexcept {
    return fsr_searchsorted_at(FUSOR_AT, keys, x, side);
}
inline node digitize(const node &x, const node &bins, bool right = false, FUSOR_PLACE) noexcept {
    return fsr_digitize_at(FUSOR_AT, x, bins, right);
}
inline node interp(const node &x, const node &xp, const node &fp, const node &left = {}, const node &right = {},
                   FUSOR_PLACE) noexcept {
    return fsr_interp_at(FUSOR_AT, x, xp, fp, left, right);
}
inline node interp_period(const node &x, const node &xp, const node &fp, double period, FUSOR_PLACE) noexcept {
    return fsr_interp_period_at(FUSOR_AT, x, xp, fp, period);
}
// flags: FSR_UNORDERED.
inline node scatter_add(const node &x, nodes arrays, const node &values, fsr_index_mode mode = FSR_INDEX_RAISE,
                        int flags = 0, FUSOR_PLACE) noexcept {
    return fsr_scatter_add_at(FUSOR_AT, x, arrays.begin(), static_cast<int>(arrays.size()), values, mode, flags);
}
inline node scatter_mul(const node &x, nodes arrays, const node &values, fsr_index_mode mode = FSR_INDEX_RAISE,
                        int flags = 0, FUSOR_PLACE) noexcept {
    return fsr_scatter_mul_at(FUSOR_AT, x, arrays.begin(), static_cast<int>(arrays.size()), values, mode, flags);
}
inline node scatter_max(const node &x, nodes arrays, const node &values, fsr_index_mode mode = FSR_INDEX_RAISE,
                        int flags = 0, FUSOR_PLACE) noexcept {
    return fsr_scatter_max_at(FUSOR_AT, x, arrays.begin(), static_cast<int>(arrays.size()), values, mode, flags);
}
inline node scatter_min(const node &x, nodes arrays, const node &values, fsr_index_mode mode = FSR_INDEX_RAISE,
                        int flags = 0, FUSOR_PLACE) noexcept {
    return fsr_scatter_min_at(FUSOR_AT, x, arrays.begin(), static_cast<int>(arrays.size()), values, mode, flags);
}
inline node scatter_and(const node &x, nodes arrays, const node &values, fsr_index_mode mode = FSR_INDEX_RAISE,
                        int flags = 0, FUSOR_PLACE) noexcept {
    return fsr_scatter_and_at(FUSOR_AT, x, arrays.begin(), static_cast<int>(arrays.size()), values, mode, flags);
}
inline node scatter_or(const node &x, nodes arrays, const node &values, fsr_index_mode mode = FSR_INDEX_RAISE,
                       int flags = 0, FUSOR_PLACE) noexcept {
    return fsr_scatter_or_at(FUSOR_AT, x, arrays.begin(), static_cast<int>(arrays.size()), values, mode, flags);
}
inline node scatter_xor(const node &x, nodes arrays, const node &values, fsr_index_mode mode = FSR_INDEX_RAISE,
                        int flags = 0, FUSOR_PLACE) noexcept {
    return fsr_scatter_xor_at(FUSOR_AT, x, arrays.begin(), static_cast<int>(arrays.size()), values, mode, flags);
}

// ---- random numbers: functions of a seed, a stream and an index ------------------------------------------------------------

#define FUSOR_DRAW(name)                                                                                           \
    inline node name(const node &seed, const node &stream, const node &i, fsr_dtype dtype, FUSOR_PLACE) noexcept { \
        return fsr_##name##_at(FUSOR_AT, seed, stream, i, dtype);                                                  \
    }
FUSOR_DRAW(random_bits)
FUSOR_DRAW(random_uniform)
FUSOR_DRAW(random_positive)
FUSOR_DRAW(random_normal)
FUSOR_DRAW(random_exponential)
#undef FUSOR_DRAW
inline node curand_bits(fsr_graph *g, fsr_generator generator, std::uint64_t seed, std::uint64_t offset, extents shape,
                        FUSOR_PLACE) noexcept {
    return fsr_curand_bits_at(FUSOR_AT, g, generator, seed, offset, static_cast<int>(shape.size()), shape.begin());
}
#define FUSOR_DRAW(name)                                                                                               \
    inline node name(fsr_graph *g, fsr_generator generator, std::uint64_t seed, std::uint64_t offset, fsr_dtype dtype, \
                     extents shape, FUSOR_PLACE) noexcept {                                                            \
        return fsr_##name##_at(FUSOR_AT, g, generator, seed, offset, dtype, static_cast<int>(shape.size()),            \
                               shape.begin());                                                                         \
    }
FUSOR_DRAW(curand_uniform)
FUSOR_DRAW(curand_normal)
#undef FUSOR_DRAW
inline node random_bernoulli(const node &seed, const node &stream, const node &i, const node &p, FUSOR_PLACE) noexcept {
    return fsr_random_bernoulli_at(FUSOR_AT, seed, stream, i, p);
}
inline node random_integers(const node &seed, const node &stream, const node &i, fsr_dtype dtype, std::int64_t low,
                            std::int64_t high, FUSOR_PLACE) noexcept {
    return fsr_random_integers_at(FUSOR_AT, seed, stream, i, dtype, low, high);
}
inline node random_choice(const node &seed, const node &stream, const node &i, const node &x, FUSOR_PLACE) noexcept {
    return fsr_random_choice_at(FUSOR_AT, seed, stream, i, x);
}
inline node random_permutation(const node &seed, const node &stream, std::int64_t n, FUSOR_PLACE) noexcept {
    return fsr_random_permutation_at(FUSOR_AT, seed, stream, n);
}
inline node random_shuffle(const node &seed, const node &stream, const node &x, int axis = 0, FUSOR_PLACE) noexcept {
    return fsr_random_shuffle_at(FUSOR_AT, seed, stream, x, axis);
}
inline node random_gamma(const node &seed, const node &stream, const node &i, const node &shape, FUSOR_PLACE) noexcept {
    return fsr_random_gamma_at(FUSOR_AT, seed, stream, i, shape);
}
inline node random_poisson(const node &seed, const node &stream, const node &i, const node &mean,
                           FUSOR_PLACE) noexcept {
    return fsr_random_poisson_at(FUSOR_AT, seed, stream, i, mean);
}
inline node random_fold_in(const node &seed, const node &stream, const node &data, FUSOR_PLACE) noexcept {
    return fsr_random_fold_in_at(FUSOR_AT, seed, stream, data);
}
inline node random_split(const node &seed, const node &stream, std::int64_t n, FUSOR_PLACE) noexcept {
    return fsr_random_split_at(FUSOR_AT, seed, stream, n);
}

// ---- reductions and scans: over the axes, or over all if none is named ---------------------------------------------------

// flags: 0 or FSR_KEEPDIMS.
#define FUSOR_REDUCTION(name)                                                              \
    inline node name(const node &x, axes over = {}, int flags = 0, FUSOR_PLACE) noexcept { \
        return fsr_##name##_at(FUSOR_AT, x, FUSOR_LIST(over), flags);                      \
    }
FUSOR_REDUCTION(sum)
FUSOR_REDUCTION(prod)
FUSOR_REDUCTION(min)
FUSOR_REDUCTION(max)
FUSOR_REDUCTION(mean)
FUSOR_REDUCTION(any)
FUSOR_REDUCTION(all)
FUSOR_REDUCTION(ptp)
FUSOR_REDUCTION(count_nonzero)
FUSOR_REDUCTION(logsumexp)
FUSOR_REDUCTION(nansum)
FUSOR_REDUCTION(nanprod)
FUSOR_REDUCTION(nanmin)
FUSOR_REDUCTION(nanmax)
FUSOR_REDUCTION(nanmean)
FUSOR_REDUCTION(median)
FUSOR_REDUCTION(nanmedian)
// Along one axis, or flat if none is named. flags of a scan: FSR_EXCLUSIVE, FSR_REVERSE.
FUSOR_REDUCTION(argmax)
FUSOR_REDUCTION(argmin)
FUSOR_REDUCTION(nanargmax)
FUSOR_REDUCTION(nanargmin)
FUSOR_REDUCTION(cumsum)
FUSOR_REDUCTION(cumprod)
FUSOR_REDUCTION(cummax)
FUSOR_REDUCTION(cummin)
FUSOR_REDUCTION(cumany)
FUSOR_REDUCTION(cumall)
// flags: FSR_DESCENDING.
FUSOR_REDUCTION(sort)
FUSOR_REDUCTION(argsort)
FUSOR_REDUCTION(rank)
#undef FUSOR_REDUCTION

// The first k of sort's and of argsort's results. flags: FSR_DESCENDING.
#define FUSOR_FIRST(name)                                                                             \
    inline node name(const node &x, int64_t k, axes over = {}, int flags = 0, FUSOR_PLACE) noexcept { \
        return fsr_##name##_at(FUSOR_AT, x, k, FUSOR_LIST(over), flags);                              \
    }
FUSOR_FIRST(topk)
FUSOR_FIRST(argtopk)
// The element of rank k. flags: FSR_KEEPDIMS.
FUSOR_FIRST(kth)
#undef FUSOR_FIRST

inline node sort_by_key(const node &values, const node &keys, axes over = {}, int flags = 0, FUSOR_PLACE) noexcept {
    return fsr_sort_by_key_at(FUSOR_AT, values, keys, FUSOR_LIST(over), flags);
}
inline node_pair mode(const node &x, axes over = {}, int flags = 0, FUSOR_PLACE) noexcept {
    fsr_node out[2];
    fsr_mode_at(FUSOR_AT, out, x, FUSOR_LIST(over), flags);
    return node_pair(out[0], out[1]);
}
inline node lexsort(nodes keys, axes over = {}, FUSOR_PLACE) noexcept {
    return fsr_lexsort_at(FUSOR_AT, keys.begin(), static_cast<int>(keys.size()), FUSOR_LIST(over));
}
// flags: FSR_KEEPDIMS.
#define FUSOR_QUANTILE(name)                                                                                         \
    inline node name(const node &x, const node &q, fsr_quantile_method method = FSR_QUANTILE_LINEAR, axes over = {}, \
                     int flags = 0, FUSOR_PLACE) noexcept {                                                          \
        return fsr_##name##_at(FUSOR_AT, x, q, method, FUSOR_LIST(over), flags);                                     \
    }
FUSOR_QUANTILE(quantile)
FUSOR_QUANTILE(percentile)
FUSOR_QUANTILE(nanquantile)
FUSOR_QUANTILE(nanpercentile)
#undef FUSOR_QUANTILE

// stddev is fsr_std, whose name would be that of namespace std; ddof is subtracted from the count.
#define FUSOR_NUMBERED(name, function, number, otherwise)                                                             \
    inline node name(const node &x, axes over = {}, int flags = 0, double number = otherwise, FUSOR_PLACE) noexcept { \
        return function(FUSOR_AT, x, FUSOR_LIST(over), flags, number);                                                \
    }
FUSOR_NUMBERED(var, fsr_var_at, ddof, 0)
FUSOR_NUMBERED(stddev, fsr_std_at, ddof, 0)
FUSOR_NUMBERED(nanvar, fsr_nanvar_at, ddof, 0)
FUSOR_NUMBERED(nanstddev, fsr_nanstd_at, ddof, 0)
FUSOR_NUMBERED(norm, fsr_norm_at, ord, 2)
#undef FUSOR_NUMBERED

// Folded in another dtype.
#define FUSOR_TYPED(name)                                                                                   \
    inline node name(const node &x, fsr_dtype dtype, axes over = {}, int flags = 0, FUSOR_PLACE) noexcept { \
        return fsr_##name##_at(FUSOR_AT, x, dtype, FUSOR_LIST(over), flags);                                \
    }
FUSOR_TYPED(sum_as)
FUSOR_TYPED(prod_as)
FUSOR_TYPED(mean_as)
FUSOR_TYPED(cumsum_as)
FUSOR_TYPED(cumprod_as)
#undef FUSOR_TYPED

inline node average(const node &x, const node &weights, axes over = {}, int flags = 0, FUSOR_PLACE) noexcept {
    return fsr_average_at(FUSOR_AT, x, weights, FUSOR_LIST(over), flags);
}

// ---- segments: neighbours along the first axis, between offsets ---------------------------------------------------------

#define FUSOR_SEGMENTS(name)                                                               \
    inline node segment_##name(const node &x, const node &offsets, FUSOR_PLACE) noexcept { \
        return fsr_segment_##name##_at(FUSOR_AT, x, offsets);                              \
    }
FUSOR_SEGMENTS(sum)
FUSOR_SEGMENTS(prod)
FUSOR_SEGMENTS(min)
FUSOR_SEGMENTS(max)
FUSOR_SEGMENTS(argmin)
FUSOR_SEGMENTS(argmax)
FUSOR_SEGMENTS(first)
FUSOR_SEGMENTS(last)
FUSOR_SEGMENTS(median)
#undef FUSOR_SEGMENTS
// flags: FSR_DESCENDING.
inline node segment_sort(const node &x, const node &offsets, int flags = 0, FUSOR_PLACE) noexcept {
    return fsr_segment_sort_at(FUSOR_AT, x, offsets, flags);
}
inline node segment_argsort(const node &x, const node &offsets, int flags = 0, FUSOR_PLACE) noexcept {
    return fsr_segment_argsort_at(FUSOR_AT, x, offsets, flags);
}
// flags: FSR_EXCLUSIVE, FSR_REVERSE.
inline node segment_cumsum(const node &x, const node &offsets, int flags = 0, FUSOR_PLACE) noexcept {
    return fsr_segment_cumsum_at(FUSOR_AT, x, offsets, flags);
}
inline std::vector<node> scatter_with(nodes x, fsr_operator op, nodes arrays, nodes values,
                                      fsr_index_mode mode = FSR_INDEX_RAISE, FUSOR_PLACE) {
    std::vector<fsr_node> out(x.size());
    op.arity = x.size() == values.size() ? static_cast<int>(x.size()) : 0; // 0 is an error
    fsr_scatter_with_at(FUSOR_AT, sizeof op, out.data(), x.begin(), &op, arrays.begin(),
                        static_cast<int>(arrays.size()), values.begin(), mode);
    return std::vector<node>(out.begin(), out.end());
}
inline std::vector<node> segment_reduce_with(nodes x, fsr_operator op, const node &offsets, FUSOR_PLACE) {
    std::vector<fsr_node> out(x.size());
    op.arity = static_cast<int>(x.size());
    fsr_segment_reduce_with_at(FUSOR_AT, sizeof op, out.data(), x.begin(), &op, offsets);
    return std::vector<node>(out.begin(), out.end());
}
inline std::vector<node> segment_scan_with(nodes x, fsr_operator op, const node &offsets, int flags = 0, FUSOR_PLACE) {
    std::vector<fsr_node> out(x.size());
    op.arity = static_cast<int>(x.size());
    fsr_segment_scan_with_at(FUSOR_AT, sizeof op, out.data(), x.begin(), &op, offsets, flags);
    return std::vector<node>(out.begin(), out.end());
}
// The runs' offsets, and how many there are.
inline std::vector<node> runs(const node &keys, FUSOR_PLACE) {
    fsr_node out[2];
    fsr_runs_at(FUSOR_AT, out, keys);
    return std::vector<node>(out, out + 2);
}

// ---- sparse matrices -------------------------------------------------------------------------------------------------

inline fsr_csr csr_from_coo(const node &row, const node &column, const node &values, std::int64_t rows,
                            std::int64_t cols, FUSOR_PLACE) noexcept {
    fsr_csr out;
    fsr_csr_from_coo_at(FUSOR_AT, &out, row, column, values, rows, cols);
    return out;
}
inline node csr_rows(const fsr_csr &a, FUSOR_PLACE) noexcept {
    return fsr_csr_rows_at(FUSOR_AT, &a);
}
inline node csr_to_dense(const fsr_csr &a, FUSOR_PLACE) noexcept {
    return fsr_csr_to_dense_at(FUSOR_AT, &a);
}
inline node csr_dot(const fsr_csr &a, const node &x, FUSOR_PLACE) noexcept {
    return fsr_csr_dot_at(FUSOR_AT, &a, x);
}
inline node csr_dot_transposed(const fsr_csr &a, const node &x, FUSOR_PLACE) noexcept {
    return fsr_csr_dot_transposed_at(FUSOR_AT, &a, x);
}
inline node csr_sampled(const fsr_csr &a, const node &x, const node &y, FUSOR_PLACE) noexcept {
    return fsr_csr_sampled_at(FUSOR_AT, &a, x, y);
}
inline node csr_norms(const fsr_csr &a, FUSOR_PLACE) noexcept {
    return fsr_csr_norms_at(FUSOR_AT, &a);
}
inline node csr_solve_triangular(const fsr_csr &a, const node &b, int flags = 0, FUSOR_PLACE) noexcept {
    return fsr_csr_solve_triangular_at(FUSOR_AT, &a, b, flags);
}

// ---- operators, loops and functions of the program's own; op.arity and loop.nstate, loop.narg are the lists' lengths -------

inline std::vector<node> reduce_with(nodes x, fsr_operator op, axes over = {}, int flags = 0, FUSOR_PLACE) {
    std::vector<fsr_node> out(x.size());
    op.arity = static_cast<int>(x.size());
    fsr_reduce_with_at(FUSOR_AT, sizeof op, out.data(), x.begin(), &op, FUSOR_LIST(over), flags);
    return std::vector<node>(out.begin(), out.end());
}
inline std::vector<node> scan_with(nodes x, fsr_operator op, axes over = {}, int flags = 0, FUSOR_PLACE) {
    std::vector<fsr_node> out(x.size());
    op.arity = static_cast<int>(x.size());
    fsr_scan_with_at(FUSOR_AT, sizeof op, out.data(), x.begin(), &op, FUSOR_LIST(over), flags);
    return std::vector<node>(out.begin(), out.end());
}
// The state at the end, then how many turns there were.
inline std::vector<node> iterate(fsr_loop loop, nodes state, nodes args, std::int64_t max_n, FUSOR_PLACE) {
    std::vector<fsr_node> out(state.size() + 1);
    loop.nstate = static_cast<int>(state.size());
    loop.narg = static_cast<int>(args.size());
    fsr_iterate_at(FUSOR_AT, sizeof loop, out.data(), &loop, state.begin(), args.begin(), max_n);
    return std::vector<node>(out.begin(), out.end());
}
// The state at the end.
inline std::vector<node> fori_loop(nodes state, node turns, fsr_turn_fn body, void *user = nullptr, FUSOR_PLACE) {
    std::vector<fsr_node> out(state.size() ? state.size() : 1);
    fsr_fori_loop_at(FUSOR_AT, out.data(), state.begin(), static_cast<int>(state.size()), turns, body, user);
    return std::vector<node>(out.begin(), out.end());
}
inline std::vector<node> while_loop(nodes state, std::int64_t most_turns, fsr_turn_fn condition, fsr_turn_fn body,
                                    void *user = nullptr, FUSOR_PLACE) {
    std::vector<fsr_node> out(state.size() ? state.size() : 1);
    fsr_while_loop_at(FUSOR_AT, out.data(), state.begin(), static_cast<int>(state.size()), most_turns, condition, body,
                      user);
    return std::vector<node>(out.begin(), out.end());
}
// The state at the end, then what was stacked.
inline std::vector<node> scan_loop(nodes state, nodes arrays, int nstacked, int axis, int flags, fsr_turn_fn body,
                                   void *user = nullptr, FUSOR_PLACE) {
    const std::size_t n = state.size() + (nstacked > 0 ? static_cast<std::size_t>(nstacked) : 0);
    std::vector<fsr_node> out(n ? n : 1);
    fsr_scan_loop_at(FUSOR_AT, out.data(), state.begin(), static_cast<int>(state.size()), arrays.begin(),
                     static_cast<int>(arrays.size()), nstacked, axis, flags, body, user);
    return std::vector<node>(out.begin(), out.end());
}
inline std::vector<node> vectorize(const char *signature, int nout, nodes in, fsr_row_fn body, void *user = nullptr,
                                   FUSOR_PLACE) {
    std::vector<fsr_node> out(nout > 0 ? static_cast<std::size_t>(nout) : 0);
    fsr_vectorize_at(FUSOR_AT, out.data(), nout, in.begin(), static_cast<int>(in.size()), signature, body, user);
    return std::vector<node>(out.begin(), out.end());
}
inline node call(const fsr_function &f, nodes args, FUSOR_PLACE) noexcept {
    return fsr_call_at(FUSOR_AT, sizeof f, &f, args.begin(), static_cast<int>(args.size()));
}
inline std::vector<node> call_library(fsr_graph *g, const fsr_callee &callee, nodes args, FUSOR_PLACE) {
    std::vector<fsr_node> out(callee.outputs > 0 ? static_cast<std::size_t>(callee.outputs) : 1);
    fsr_call_library_at(FUSOR_AT, sizeof callee, g, out.data(), &callee, args.begin(), static_cast<int>(args.size()));
    return std::vector<node>(out.begin(), out.end());
}
// As many results as `results` lists: call_natives(f, 2, "f32 s, f32 c", {x}).
inline std::vector<node> call_natives(const fsr_native &f, int n, const char *results, nodes args, FUSOR_PLACE) {
    std::vector<fsr_node> out(n > 0 ? static_cast<std::size_t>(n) : 1);
    fsr_call_natives_at(FUSOR_AT, sizeof f, out.data(), n, &f, results, args.begin(), static_cast<int>(args.size()));
    return std::vector<node>(out.begin(), out.end());
}
inline node call_native(const fsr_native &f, nodes args, FUSOR_PLACE) noexcept {
    return fsr_call_native_at(FUSOR_AT, sizeof f, &f, args.begin(), static_cast<int>(args.size()));
}

// ---- expressions: fusor::expr(g, "x - mean(x, -1, keepdims)", {{"x", x}}) -------------------------------------------------

typedef std::initializer_list<fsr_name> names;

inline node expr(fsr_graph *g, const char *text, names in, FUSOR_PLACE) noexcept {
    return fsr_expr_at(FUSOR_AT, g, text, in.begin(), static_cast<int>(in.size()));
}
// Of several values; one poisoned node on a mistake.
inline std::vector<node> exprs(fsr_graph *g, const char *text, names in, FUSOR_PLACE) {
    std::size_t most = 1;
    for (const char *c = text; c && *c; c++)
        most += *c == ',';
    std::vector<fsr_node> out(most);
    const int n =
        fsr_exprs_at(FUSOR_AT, g, text, in.begin(), static_cast<int>(in.size()), out.data(), static_cast<int>(most));
    return std::vector<node>(out.begin(), out.begin() + (n > 0 ? n : 1));
}

#undef FUSOR_LIST
#undef FUSOR_PLACE
#undef FUSOR_AT

} // namespace fusor

#endif
