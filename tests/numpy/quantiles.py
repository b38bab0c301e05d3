# SPDX-License-Identifier: MIT
"""Medians and quantiles as NumPy gives them, for tests/diff/test_numpy_quantiles.c.

A line: function, method, dtype, axis (99: none), dtype of q (- : a Python float), shape : the bits of the elements : those of q : the
dtype and the bits of the result. Input that is hard on selection, and of floats NaN, infinities and zeros of both signs."""
import random
import warnings

import numpy as np

warnings.simplefilter("ignore")
np.seterr(all="ignore")
draw = random.Random(29)
NAMES = {"i8": np.int8, "u16": np.uint16, "i32": np.int32, "i64": np.int64, "f16": np.float16, "f32": np.float32, "f64": np.float64}
SHORT = {np.dtype(t): n for n, t in NAMES.items()}
METHODS = ["linear", "lower", "higher", "nearest", "midpoint", "inverted_cdf", "averaged_inverted_cdf", "closest_observation",
           "interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased", "normal_unbiased"]
SHAPES = [((1,), (0, 99)), ((2,), (0,)), ((31,), (0, 99)), ((4, 10), (-1, 0, 99)), ((3, 2, 5), (0, 1, 2)), ((2, 21), (1,))]
FUNCTIONS = ["median", "nanmedian", "quantile", "percentile", "nanquantile", "nanpercentile"]


def words(x):
    return x.view("u%d" % x.dtype.itemsize)


def pattern(kind, dtype, n):
    k = np.arange(n)
    values = {"equal": k * 0 + 3, "sorted": k, "reversed": n - k, "pipe": np.minimum(k, n - k), "few": k * 7 % 3,
              "random": np.array([draw.randrange(100) for _ in range(n)])}[kind.split("+")[0]]
    x = values.astype(dtype)
    if np.issubdtype(dtype, np.floating):
        x = (x * dtype(1.37)).astype(dtype)
        if "+" in kind:
            for i in range(n):
                if draw.random() < 0.2:
                    x[i] = draw.choice([np.nan, -np.nan, np.inf, -0.0, 0.0, -1e-7])
    return x


def text(x):
    return " ".join("%x" % v for v in words(np.ascontiguousarray(x)).ravel().tolist())


for case in range(420):
    shape, axes = draw.choice(SHAPES)
    name, function, method = draw.choice(list(NAMES)), draw.choice(FUNCTIONS), draw.choice(METHODS)
    kind, axis = draw.choice(["equal", "sorted", "reversed", "pipe", "few", "random", "random+nan", "few+nan"]), draw.choice(axes)
    dtype, at = NAMES[name], None if axis == 99 else axis
    x = pattern(kind, dtype, int(np.prod(shape))).reshape(shape)
    q, kind_of_q = np.zeros(0), "-"
    if "median" in function:
        method, result = "-", getattr(np, function)(x, axis=at)
    else:
        scale = 100 if "percentile" in function else 1
        values = [draw.choice([0, 0.25, 0.5, 0.75, 1, draw.random()]) * scale for _ in range(draw.choice([1, 3, 5]))]
        kind_of_q = draw.choice(["-", "f64", "f32"])
        q = np.array(values[:1] if kind_of_q == "-" else values, dtype=np.float32 if kind_of_q == "f32" else np.float64)
        result = getattr(np, function)(x, float(q[0]) if kind_of_q == "-" else q, axis=at, method=method)
    result = np.asarray(result)
    print(function, method, name, axis, kind_of_q, ",".join(map(str, shape)), ":", text(x), ":", text(q), ":", SHORT[result.dtype],
          text(result))
