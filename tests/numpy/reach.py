# SPDX-License-Identifier: MIT
"""What NumPy 2 gives for builders that are compositions, as tests/numpy/reach.txt, for tests/diff/test_numpy_reach.c.

    python3 tests/numpy/reach.py > tests/numpy/reach.txt        # needs NumPy 2.2

A line: the case's name, the result's dtype, its rank and extents, then its elements as hexadecimal floats, of complex
numbers both parts. The cases of the same names are calls in the test; x(dtype, shape) is the same array there."""
import numpy as np

assert np.__version__.startswith("2.2")
np.seterr(all="ignore")
NAMES = {"?": "bool", "b": "i8", "B": "u8", "h": "i16", "H": "u16", "i": "i32", "I": "u32", "l": "i64", "q": "i64",
         "L": "u64", "Q": "u64", "e": "f16", "f": "f32", "d": "f64", "F": "c64", "D": "c128"}


def x(dtype, *shape):
    i = np.arange(int(np.prod(shape)))
    re, im = (i * 7 + 3) % 11, ((i * 5 + 1) % 7 - 3) / 2
    kind = np.dtype(dtype).kind
    value = (re - 4) / 2 + 1j * im if kind == "c" else (re - 4) / 2 if kind == "f" else re if kind in "ub" else re - 4
    return (value % 2 != 0 if kind == "b" else value).astype(dtype).reshape(shape)


def pair(re, im):
    z = np.empty(re.shape, "F")
    z.real, z.imag = re, im
    return z


odd = np.array([np.nan, np.inf, -np.inf, 0, -0.0, 1.5, -2.5, 1e30], "f")
whole = np.array([15, 25, -15, 127, -128, 4], "b")
CASES = {
    "around_f64": lambda: np.round(x("d", 12) * 1.2345, 2), "around_f32_tens": lambda: np.round(x("f", 12) * 12.5, -1),
    "around_f16": lambda: np.round(x("e", 12) * 1.25, 1), "around_i8_tens": lambda: np.round(whole, -1),
    "around_u64_tens": lambda: np.round(x("Q", 12) * 7, -1), "around_i32": lambda: np.round(x("i", 12), 3),
    "around_c64": lambda: np.round(x("F", 12) * 1.25, 1), "around_bool": lambda: np.round(x("?", 5)),
    "around_odd": lambda: np.round(odd, 2),
    "sum_as_i8": lambda: np.sum(x("i", 40), dtype="b"), "sum_as_f32": lambda: np.sum(x("i", 4, 5), 1, dtype="f"),
    "sum_as_bool": lambda: np.sum(x("i", 2, 3), 0, dtype="?"), "sum_as_c64": lambda: np.sum(x("e", 7), dtype="F"),
    "prod_as_i32": lambda: np.prod(x("B", 3, 9), 1, dtype="i"), "mean_as_f32": lambda: np.mean(x("i", 7), dtype="f"),
    "mean_as_i64": lambda: np.mean(x("d", 7) * 3, dtype="q", keepdims=True),
    "mean_as_bool": lambda: np.mean(x("i", 7), dtype="?"),
    "cumsum_as_u8": lambda: np.cumsum(x("B", 80), dtype="B"), "cumsum_as_f64": lambda: np.cumsum(x("f", 3, 5), 0, dtype="d"),
    "cumprod_as_i16": lambda: np.cumprod(x("i", 4, 3) + 5, 0, dtype="h"),
    "divmod_quotient": lambda: np.divmod(x("d", 11), 0.75)[0], "divmod_rest": lambda: np.divmod(x("d", 11), 0.75)[1],
    "modf_fraction": lambda: np.modf(odd)[0], "modf_whole": lambda: np.modf(odd)[1],
    "modf_i16": lambda: np.modf(x("h", 4))[0], "modf_bool": lambda: np.modf(x("?", 4))[1],
    "nan_to_num": lambda: np.nan_to_num(odd), "nan_to_num_given": lambda: np.nan_to_num(odd, nan=-1, posinf=7, neginf=-7),
    "nan_to_num_c64": lambda: np.nan_to_num(pair(odd, odd[::-1])), "nan_to_num_i32": lambda: np.nan_to_num(x("i", 3)),
    "nan_to_num_f16": lambda: np.nan_to_num(odd.astype("e"), neginf=-1e9),
    "isclose": lambda: np.isclose(odd, odd * np.float32(1.000001)), "isclose_nan": lambda: np.isclose(odd, odd, equal_nan=True),
    "isclose_i32": lambda: np.isclose(x("i", 6), x("i", 6) + 1, rtol=0.3, atol=0.1),
    "isclose_u8": lambda: np.isclose(x("B", 6), x("B", 6) + np.uint8(1), rtol=0, atol=1),
    "isclose_c128": lambda: np.isclose(x("D", 6), x("D", 6) * (1 + 1e-6j)),
    "isclose_literal": lambda: np.isclose(x("f", 6), 1), "allclose": lambda: np.array(np.allclose(x("f", 6), x("f", 6) + 1e-9)),
    "allclose_not": lambda: np.array(np.allclose(x("f", 6), 0)),
    "sinc": lambda: np.sinc(x("d", 11)), "sinc_i32": lambda: np.sinc(x("i", 11)), "sinc_f32": lambda: np.sinc(x("f", 11) / 3),
    "sinc_c128": lambda: np.sinc(x("D", 8)), "rint_i8": lambda: np.rint(x("b", 5)), "gcd": lambda: np.gcd(x("i", 11) * 6, 15),
    "lcm": lambda: np.lcm(x("b", 11), x("b", 11)[::-1]),
    "gradient": lambda: np.gradient(x("d", 9)), "gradient_spaced": lambda: np.gradient(x("f", 4, 5), 0.5, axis=0),
    "gradient_second": lambda: np.gradient(x("d", 3, 6), 2.0, axis=1, edge_order=2),
    "gradient_u8": lambda: np.gradient(x("B", 6)), "gradient_two": lambda: np.gradient(x("f", 2)),
    "gradient_c64": lambda: np.gradient(x("F", 5), edge_order=2), "gradient_f16": lambda: np.gradient(x("e", 7)),
    "gradients_first": lambda: np.gradient(x("f", 4, 5), 0.5, 2.0)[0], "gradients_second": lambda: np.gradient(x("f", 4, 5), 0.5, 2.0)[1],
    "gradients_axes": lambda: np.gradient(x("d", 3, 4, 5), axis=(2, 0))[0],
    "gradients_edges": lambda: np.gradient(x("d", 3, 4, 5), 2.0, 3.0, 0.5, edge_order=2)[2],
    "convolve_full": lambda: np.convolve(x("d", 9), x("d", 4)), "convolve_same": lambda: np.convolve(x("i", 9), x("i", 4), "same"),
    "convolve_valid": lambda: np.convolve(x("f", 9), x("f", 3), "valid"),
    "convolve_swapped": lambda: np.convolve(x("i", 3), x("i", 8), "same"),
    "convolve_bool": lambda: np.convolve(x("?", 6), x("?", 2)), "convolve_mixed": lambda: np.convolve(x("b", 6), x("f", 2)),
    "convolve_infinite": lambda: np.convolve(x("d", 5), [1.0, np.inf]), "convolve_one": lambda: np.convolve(3, x("i", 4)),
    "correlate_full": lambda: np.correlate(x("d", 9), x("d", 4), "full"),
    "correlate_same": lambda: np.correlate(x("i", 9), x("i", 5), "same"),
    "correlate_swapped": lambda: np.correlate(x("i", 4), x("i", 9), "same"),
    "correlate_c128": lambda: np.correlate(x("D", 7), x("D", 3), "valid"),
    "correlate_c128_swapped": lambda: np.correlate(x("D", 3), x("D", 7), "full"),
    "ediff1d": lambda: np.ediff1d(x("i", 2, 3)), "ediff1d_ends": lambda: np.ediff1d(x("d", 5), to_begin=[9.0], to_end=[8, 7]),
    "diagonal": lambda: np.diagonal(x("i", 3, 5)), "diagonal_up": lambda: np.diagonal(x("i", 3, 5), 2),
    "diagonal_down": lambda: np.diagonal(x("i", 3, 5), -1), "diagonal_none": lambda: np.diagonal(x("i", 3, 5), 7),
    "diagonal_axes": lambda: np.diagonal(x("i", 2, 3, 4), 1, 2, 0), "diag_of": lambda: np.diag(x("d", 4, 3), -1),
    "diag_matrix": lambda: np.diag(x("d", 4)), "diag_matrix_up": lambda: np.diag(x("i", 3), 2),
    "diag_matrix_down": lambda: np.diag(x("?", 3), -1), "trace": lambda: np.trace(x("b", 4, 5), 1),
    "trace_axes": lambda: np.trace(x("d", 3, 2, 3), 0, 0, 2), "tri": lambda: np.tri(3, 5, 1, dtype="i"),
    "tri_none": lambda: np.tri(3, 2, -9, dtype="f"),
    "outer": lambda: np.outer(x("i", 2, 2), x("f", 3)), "kron": lambda: np.kron(x("i", 2, 3), x("i", 3, 2)),
    "kron_ranks": lambda: np.kron(x("d", 2), x("d", 3, 2)), "cross": lambda: np.cross(x("d", 4, 3), x("d", 3)),
    "cross_axis": lambda: np.cross(x("i", 3, 4), x("i", 3, 4)[:, ::-1], axis=0),
    "vecdot": lambda: np.vecdot(x("D", 3, 4), x("D", 4)), "vecdot_i8": lambda: np.vecdot(x("b", 50) * 3, x("b", 50)),
    "vander": lambda: np.vander(x("d", 4), 4), "vander_increasing": lambda: np.vander(x("b", 3), 3, increasing=True),
    "vander_one": lambda: np.vander(x("f", 3), 1),
    "arange_f64": lambda: np.arange(-1, 2, 0.3), "arange_f32": lambda: np.arange(0, 1, 0.1, dtype="f"),
    "arange_down": lambda: np.arange(5, -7, -2, dtype="i"), "arange_none": lambda: np.arange(1, 0, 1, dtype="q"),
    "arange_same": lambda: np.arange(0, 3, 0.5, dtype="h"), "arange_f16": lambda: np.arange(0.1, 3, 0.25, dtype="e"),
    "arange_far": lambda: np.arange(-9.870370370370371e-07, 1.5, 0.31415),
    "logspace": lambda: np.logspace(-1, 2, 7), "logspace_two": lambda: np.logspace(0, 4, 4, endpoint=False, base=2.0, dtype="i"),
    "geomspace": lambda: np.geomspace(1, 1000, 4), "geomspace_down": lambda: np.geomspace(-64, -1, 6, endpoint=False),
    "geomspace_one": lambda: np.geomspace(3, 5, 1),
}


def text(v):
    v = float(v)
    return "nan" if np.isnan(v) else "inf" if v == np.inf else "-inf" if v == -np.inf else v.hex()


for name, call in CASES.items():
    y = np.asarray(call())
    parts = [p for v in y.ravel() for p in ((v.real, v.imag) if y.dtype.kind == "c" else (v,))]
    print(name, NAMES[y.dtype.char], y.ndim, *y.shape, *map(text, parts))
