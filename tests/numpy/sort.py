# SPDX-License-Identifier: MIT
"""Stable sorts as NumPy gives them, for tests/diff/test_numpy_sort.c.

A line: dtype, axis (99: flattened), shape : the bits of the elements : those of the sorted ones : argsort. Input that is hard on
sorters: equal, sorted, reversed, an organ pipe, few values, and of floats NaN of both signs, subnormals, infinities and zeros."""
import itertools
import random

import numpy as np

draw = random.Random(23)
DTYPES = ["bool", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "f32", "f64"]
NAMES = {"bool": np.bool_, "i8": np.int8, "u8": np.uint8, "i16": np.int16, "u16": np.uint16, "i32": np.int32, "u32": np.uint32,
         "i64": np.int64, "u64": np.uint64, "f16": np.float16, "f32": np.float32, "f64": np.float64}
SHAPES = [((1,), (0, 99)), ((2,), (0,)), ((37,), (0, 99)), ((3, 40), (-1, 0, 99)), ((5, 2, 9), (0, 1, 2)), ((20, 6), (1,))]


def words(x):
    return x.view("u%d" % x.dtype.itemsize)


def special(dtype, n):
    size = np.dtype(dtype).itemsize * 8
    if np.issubdtype(dtype, np.floating):
        digits = {16: 10, 32: 23, 64: 52}[size]
        infinity, top = (1 << size - 1) - (1 << digits), 1 << size - 1
        bits = [0, top, 1, top + 1, infinity, top + infinity, infinity + 1, top + infinity + 1, top + infinity + (1 << digits - 1),
                infinity + (1 << digits - 1), (1 << digits) - 1, infinity - 1, top + infinity - 1, 0x3c << size - 8, 0xbc << size - 8]
    else:
        bits = [0, 1, (1 << size) - 1, 1 << size - 1, (1 << size - 1) - 1, 7]
    return np.array([draw.choice(bits) for _ in range(n)], dtype="u%d" % (size // 8)).view(dtype)


def pattern(kind, dtype, n):
    k = np.arange(n)
    if kind == "special" and dtype is not np.bool_:
        return special(dtype, n)
    values = {"equal": k * 0 + 3, "sorted": k, "reversed": n - k, "pipe": np.minimum(k, n - k), "few": k * 7 % 3, "special": k % 2,
              "random": np.array([draw.randrange(120) for _ in range(n)])}[kind]
    return (values % 2 if dtype is np.bool_ else values).astype(dtype)


def text(x):
    return " ".join("%x" % v for v in words(np.ascontiguousarray(x)).ravel().tolist())


for (shape, axes), name, kind in itertools.product(SHAPES, DTYPES, ("equal", "sorted", "reversed", "pipe", "few", "special", "random")):
    if draw.random() < 0.55:
        continue
    dtype = NAMES[name]
    x = pattern(kind, dtype, int(np.prod(shape))).reshape(shape)
    axis = draw.choice(axes)
    at = None if axis == 99 else axis
    places = np.argsort(x, axis=at, kind="stable")
    print(name, axis, ",".join(map(str, shape)), ":", text(x), ":", text(np.sort(x, axis=at, kind="stable")), ":",
          " ".join(map(str, places.ravel().tolist())))
