# SPDX-License-Identifier: MIT
"""Complex functions of NumPy 2 at special and ordinary values, as tests/numpy/complex.txt.

A line: the op, the dtype (c64 or c128), the operands' parts, the result's parts, as hexadecimal floats.
Run with NumPy 2.2: python3 tests/numpy/complex.py > tests/numpy/complex.txt"""
import itertools
import numpy as np

assert np.__version__.startswith("2.")
np.seterr(all="ignore")

special = [0.0, -0.0, 1.0, -2.5, 3.0, np.inf, -np.inf, np.nan]
plain = [0.75, -1.25, 2.0, 1e-3, -40.0]
# Where one part overflows and the other is next to nothing; 710 and 1454 are within exp's and sinh's last octaves.
extreme = [0.0, 5e-324, -1e-310, 2.0, 709.5, -710.3, 711.0, 1419.0, -1454.0, 1500.0, 1e10, -1e300, np.inf, np.nan]
growing = ["exp", "sin", "cos", "tan", "sinh", "cosh", "tanh"]


def log1p(z):
    """NumPy's adds 1 to small numbers and loses them; there its own functions of more digits."""
    re, im = z.real.astype(np.longdouble), z.imag.astype(np.longdouble)
    near = np.empty_like(z)
    near.real, near.imag = 0.5 * np.log1p(re * (2 + re) + im * im), np.arctan2(im, 1 + re)
    return np.where(np.abs(z) < 0.5, near, np.log1p(z))


def expm1(z):
    """NumPy's formula multiplies an infinite exp by 0; where z is infinite here it is exp less 1."""
    return np.where(np.isfinite(z), np.expm1(z), np.exp(z) - np.ones_like(z))


inverse = {"asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "asinh": np.arcsinh, "acosh": np.arccosh,
           "atanh": np.arctanh, "log1p": log1p, "log2": np.log2, "log10": np.log10,
           "expm1": expm1, "exp2": np.exp2}
# On both sides of the cuts, at the ends of them, and far away.
around = [0.0, -0.0, 1.0, -1.0, 0.5, -0.99999, 1.00001, -7.0, 1e-9, -1e-20, 1e10, -1e30]
unary = {"exp": np.exp, "log": np.log, "sqrt": np.sqrt, "sin": np.sin, "cos": np.cos, "abs": np.abs, "conj": np.conj,
         "neg": np.negative, "real": np.real, "imag": np.imag, "isnan": np.isnan,
         "isinf": np.isinf, "isfinite": np.isfinite, "tanh": np.tanh, "square": np.square, "reciprocal": np.reciprocal,
         "sign": np.sign, "angle": np.angle, "tan": np.tan, "sinh": np.sinh, "cosh": np.cosh, "round": np.round,
         "rint": np.rint, **inverse}
binary = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "pow": np.power,
          "equal": np.equal, "not_equal": np.not_equal}


def text(x):
    x = float(x)
    return "nan" if np.isnan(x) else "inf" if x == np.inf else "-inf" if x == -np.inf else x.hex()


def line(name, dtype, args, result):
    values = [part for z in args + [result] for part in (z.real, z.imag)]
    print(name, dtype, *map(text, values))


def numbers(dtype):
    pairs = list(itertools.product(special, special)) + list(itertools.product(plain, plain))
    return np.array([complex(re, im) for re, im in pairs], dtype)


def fewer(dtype):
    pairs = [(0.0, 0.0), (-0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (-3.0, 0.0), (0.5, -1.5), (0.0, 1.0), (np.inf, 0.0),
             (np.inf, -1.0), (np.nan, 1.0), (1e10, -1e10), (-1.25, 0.75)]
    return np.array([complex(re, im) for re, im in pairs], dtype)


for name, dtype in (("c64", np.complex64), ("c128", np.complex128)):
    for op, function in unary.items():
        x = numbers(dtype)
        if op in growing:
            x = np.append(x, np.array([complex(re, im) for re, im in itertools.product(extreme, extreme)], dtype))
        if op in inverse and op not in ("exp2", "expm1"):
            x = np.append(x, np.array([complex(re, im) for re, im in itertools.product(around, around)], dtype))
        for z, y in zip(x, function(x)):
            line(op, name, [z], np.complex128(y))
    for op, function in binary.items():
        pairs = list(itertools.product(fewer(dtype), fewer(dtype)))
        a, b = (np.array(side, dtype) for side in zip(*pairs))
        for z, w, y in zip(a, b, function(a, b)):
            line(op, name, [z, w], np.complex128(y))
