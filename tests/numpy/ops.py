#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes tests/numpy/ops.txt: what NumPy 2 (and SciPy, for special functions) gives for each scalar operation.

    python3 -m venv venv; venv/bin/pip install "numpy==2.2.*" "scipy==1.17.*"; venv/bin/python tests/numpy/ops.py

A section begins with "op name dtype result-dtype", then a case a line: the operands' bits and the result's, in hexadecimal.
Left out is what NumPy refuses (integers to negative powers), promotes to a dtype of its own (bools to int8) or leaves open
(1 / 0 of integers, bits of negative numbers, which NumPy counts in the absolute value).
"""
import itertools
import os
import warnings

import numpy as np
import scipy
import scipy.special as sp

warnings.simplefilter("ignore")

FLOATS = {"f16": np.float16, "f32": np.float32, "f64": np.float64}
INTS = {"i8": np.int8, "u8": np.uint8, "i32": np.int32, "i64": np.int64, "u64": np.uint64}
BOOL = {"bool": np.bool_}
NAMES = {np.dtype(t): n for n, t in {**FLOATS, **INTS, **BOOL}.items()}


def float_values(t, few):
    info = np.finfo(t)
    few_values = [0.0, -0.0, 1, -1.5, 2.5, 3, -7, np.inf, -np.inf, np.nan, 0.1]
    more = [-1, 0.5, -0.5, 1.5, 2, -2, 0.3, -0.75, 0.99, 10, -10, 100.25, 1000, 88, 1e-5, -1e-5, 3.5, -4.5, 1e10,
            -1e10, 6.1, float(info.max), -float(info.max), float(info.tiny), float(info.smallest_subnormal),
            -float(info.smallest_subnormal), 1 + float(info.eps), 1 - float(info.epsneg), -1 - float(info.eps)]
    return np.array(few_values + ([] if few else more), dtype=t)


def int_values(t, few):
    info = np.iinfo(t)
    values = [0, 1, 2, 3, 7, -1, -2, -7, info.min, info.max, 64, 33] + ([] if few else [100, -100, 31, 8, 5])
    return np.array([v for v in dict.fromkeys(values) if info.min <= v <= info.max], dtype=t)


def values(name, few):
    if name == "bool":
        return np.array([False, True])
    return float_values(FLOATS[name], few) if name in FLOATS else int_values(INTS[name], few)


def clz(x):
    bits = x.dtype.itemsize * 8
    return np.array([bits - (int(v) % 2**bits).bit_length() for v in x], dtype=np.uint8)


def ones(x):
    return np.array([(int(v) % 2 ** (x.dtype.itemsize * 8)).bit_count() for v in x], dtype=np.uint8)


def ldexp(a, b):
    return np.ldexp(a, np.clip(np.nan_to_num(b), -9999, 9999).astype(np.int32))


def not_negative(a, b):
    return b >= 0


def not_two_zeros(a, b):
    """nextafter(0, -0) is -0 for all but f16, where NumPy says 0."""
    return (a.dtype != np.float16) | (a != 0) | (b != 0) | (np.signbit(a) == np.signbit(b))


def whole(a, b):
    return np.isfinite(b) & (b == np.trunc(b))


F, H, I, B = ["f32", "f64"], ["f16"], list(INTS), list(BOOL)
# name: function, number of operands, dtypes, which cases NumPy answers (None: all)
OPS = {
    "floor_divide": (np.floor_divide, 2, F + I, None),
    "mod": (np.remainder, 2, F + I, None),
    "fmod": (np.fmod, 2, F + I, None),
    "pow": (np.power, 2, I, not_negative),
    "square": (np.square, 1, F + I, None),
    "heaviside": (np.heaviside, 2, F + H, None),
    "reciprocal": (np.reciprocal, 1, F + I, lambda a: (a != 0) | (a.dtype.kind == "f")),
    "sign": (np.sign, 1, F + I, None),
    "fmax": (np.fmax, 2, F + I + B, None),
    "fmin": (np.fmin, 2, F + I + B, None),
    "clamp": (np.clip, 3, F + ["i32", "u8"], None),
    "round": (np.round, 1, F + I, None),
    "rint": (np.rint, 1, F + H, None),
    "gcd": (np.gcd, 2, I, None),
    "lcm": (np.lcm, 2, I, None),
    "trunc": (np.trunc, 1, F + I + B, None),
    "floor": (np.floor, 1, F + I + B, None),
    "ceil": (np.ceil, 1, F + I + B, None),
    "copysign": (np.copysign, 2, F, None),
    "nextafter": (np.nextafter, 2, F + H, not_two_zeros),
    "ldexp": (ldexp, 2, F, whole),
    "frexp_mantissa": (lambda a: np.frexp(a)[0], 1, F, None),
    "frexp_exponent": (lambda a: np.frexp(a)[1], 1, F, np.isfinite),
    "exp2": (np.exp2, 1, F, None),
    "expm1": (np.expm1, 1, F, None),
    "log2": (np.log2, 1, F, None),
    "log10": (np.log10, 1, F, None),
    "log1p": (np.log1p, 1, F, None),
    "rsqrt": (lambda a: 1 / np.sqrt(a), 1, F, None),
    "cbrt": (np.cbrt, 1, F, None),
    "hypot": (np.hypot, 2, F, None),
    "tan": (np.tan, 1, F, None),
    "asin": (np.arcsin, 1, F, None),
    "acos": (np.arccos, 1, F, None),
    "atan": (np.arctan, 1, F, None),
    "atan2": (np.arctan2, 2, F, None),
    "deg2rad": (np.deg2rad, 1, F, None),
    "rad2deg": (np.rad2deg, 1, F, None),
    "angle": (np.angle, 1, F, None),
    "logaddexp": (np.logaddexp, 2, F, None),
    "logaddexp2": (np.logaddexp2, 2, F, None),
    "sinh": (np.sinh, 1, F, None),
    "cosh": (np.cosh, 1, F, None),
    "asinh": (np.arcsinh, 1, F, None),
    "acosh": (np.arccosh, 1, F, None),
    "atanh": (np.arctanh, 1, F, None),
    "sigmoid": (sp.expit, 1, F, None),
    "erf": (sp.erf, 1, F, None),
    "erfc": (sp.erfc, 1, F, None),
    # SciPy drops the sign of erfinv(-0); at -inf and at negative integers it differs from C; near the zeros of lgamma and
    # of subnormal numbers it is inaccurate
    "erfinv": (sp.erfinv, 1, F, lambda a: (a != 0) | ~np.signbit(a)),
    "lgamma": (sp.gammaln, 1, F, lambda a: ~(a == -np.inf) & ((np.abs(a) > 1e-300) | (a == 0)) & ~(np.abs(a - 1) < 0.02)),
    "tgamma": (sp.gamma, 1, F, lambda a: ~((a < 0) & (a == np.floor(a)))),
    "logical_xor": (np.logical_xor, 2, B, None),
    "isnan": (np.isnan, 1, F + I + B, None),
    "isinf": (np.isinf, 1, F + I + B, None),
    "isfinite": (np.isfinite, 1, F + I + B, None),
    "signbit": (np.signbit, 1, F + I, lambda a: ~np.isnan(a)),
    "bitwise_and": (np.bitwise_and, 2, I + B, None),
    "bitwise_or": (np.bitwise_or, 2, I + B, None),
    "bitwise_xor": (np.bitwise_xor, 2, I + B, None),
    "bitwise_invert": (np.invert, 1, I + B, None),
    "left_shift": (np.left_shift, 2, I, None),
    "right_shift": (np.right_shift, 2, I, None),
    "popcount": (ones, 1, I, None),
    "clz": (clz, 1, I, None),
}


def bits(x):
    return f"{int.from_bytes(x.tobytes(), 'little'):x}"


def section(out, name, dtype):
    function, arity, _, answered = OPS[name]
    axis = values(dtype, arity > 1)
    if arity == 3:
        axis = axis[[0, 1, 2, 3, 9]] if dtype in FLOATS else axis[[0, 1, 3, -1]]
    rows = np.array(list(itertools.product(*[range(len(axis))] * arity)))
    args = [axis[rows[:, i]] for i in range(arity)]
    keep = answered(*args) if answered else np.ones(len(rows), bool)
    args = [a[keep] for a in args]
    result = function(*args)
    print("op", name, dtype, NAMES[result.dtype], file=out)
    for row in zip(*args, result):
        print(*[bits(v) for v in row], file=out)


def main():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ops.txt")
    with open(path, "w", encoding="ascii") as out:
        print(f"# NumPy {np.__version__}, SciPy {scipy.__version__}: written by tests/numpy/ops.py", file=out)
        for name, (_, _, dtypes, _) in OPS.items():
            for dtype in dtypes:
                section(out, name, dtype)


main()
