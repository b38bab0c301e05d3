#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes tests/numpy/promotion.txt: the dtype that NumPy 2 gives each operation, for tests/unit/test_promotion.c.

    python3 tests/numpy/promotion.py > tests/numpy/promotion.txt        # needs NumPy 2

A line "OP DTYPE: RESULT" or "OP DTYPE: RESULT ..." of two operands, one result for each second operand in the order of
the line "dtypes:", in which int, float and complex are Python's own numbers. An operation that NumPy refuses has "-". Operations beyond those Fusor has may stand here: the test
takes those that the table of scalar operations names.
"""
import warnings

import numpy as np

assert np.__version__ >= "2"
warnings.simplefilter("ignore")

DTYPES = {"bool": "?", "i8": "b", "u8": "B", "i16": "h", "u16": "H", "i32": "i", "u32": "I", "i64": "q", "u64": "Q",
          "f16": "e", "f32": "f", "f64": "d", "c64": "F", "c128": "D"}
WEAK = {"int": 1, "float": 1.0, "complex": 1j}
NAMES = {np.dtype(code): name for name, code in DTYPES.items()}
OTHERWISE = {"sub": "subtract", "mul": "multiply", "div": "true_divide", "mod": "remainder",
             "neg": "negative", "abs": "absolute", "pow": "power", "asin": "arcsin", "acos": "arccos", "atan": "arctan",
             "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh", "atan2": "arctan2",
             "round": "round", "popcount": "bitwise_count", "bitwise_invert": "invert", "conj": "conjugate",
             "where": lambda a, b: np.where([True, False], a, b), "clamp": lambda a, b: np.clip(a, b, b),
             "frexp_mantissa": lambda a: np.frexp(a)[0], "frexp_exponent": lambda a: np.frexp(a)[1]}
SAME = """add maximum minimum fmax fmin sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan tanh cosh hypot copysign
nextafter ldexp floor ceil trunc sign isnan isinf isfinite signbit less less_equal greater greater_equal equal not_equal
logical_and logical_or logical_xor logical_not bitwise_and bitwise_or bitwise_xor left_shift right_shift logaddexp
logaddexp2 rint gcd lcm floor_divide fmod reciprocal square heaviside angle deg2rad rad2deg real imag sinh
""".split()


def operand(name):
    return WEAK[name] if name in WEAK else np.ones(2, DTYPES[name])


def result(function, *names):
    """The name of the result's dtype, the word of one that has no name here, or "-"."""
    try:
        dtype = function(*map(operand, names)).dtype
    except TypeError:
        return "-"
    return NAMES.get(dtype, str(dtype))


if __name__ == "__main__":
    print("dtypes:", *DTYPES, *WEAK)
    for op, name in sorted({**{op: op for op in SAME}, **OTHERWISE}.items()):
        function = getattr(np, name) if isinstance(name, str) else name
        two = op in ("where", "clamp") or getattr(function, "nin", 1) == 2
        for first in DTYPES:
            others = [(first, other) for other in [*DTYPES, *WEAK]] if two else [(first,)]
            print(f"{op} {first}:", *(result(function, *names) for names in others))
