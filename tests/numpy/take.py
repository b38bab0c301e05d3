# SPDX-License-Identifier: MIT
"""Elements by arrays of indices as NumPy gives them, for tests/diff/test_numpy_take.c.

A line: what, mode, axis, x's shape, the shapes of the index arrays and their elements, the result's shape and its elements. x has
the elements 0, 1, 2, ... so the elements tell where each came from; `error` where NumPy raises an IndexError."""
import itertools
import random

import numpy as np

draw = random.Random(17)
SHAPES = [(7,), (1,), (3, 4), (4, 1), (2, 3, 5), (1, 6, 2)]
INDICES = [(), (1,), (5,), (2, 3), (0,), (3, 1)]


def text(shape):
    return ",".join(map(str, shape)) if shape else "-"


def numbers(array):
    return " ".join(map(str, np.asarray(array).ravel().tolist())) if np.asarray(array).size else "-"


def indices(shape, n, far):
    low, high = (-3 * n - 2, 3 * n + 2) if far else (-n, n - 1)
    return np.array([draw.randint(low, high) for _ in range(int(np.prod(shape)))], dtype=np.int64).reshape(shape)


def line(what, mode, axis, x, arrays, make):
    try:
        result = make()
        tail = f"{text(result.shape)} | {numbers(result)}"
    except IndexError:
        tail = "error"
    given = " ; ".join(f"{text(a.shape)} | {numbers(a)}" for a in arrays)
    print(f"{what} {mode} {axis} {text(x.shape)} : {given} : {tail}")


for shape, own in itertools.product(SHAPES, INDICES):
    x = np.arange(np.prod(shape)).reshape(shape)
    for axis in range(-1, len(shape)):
        for mode in ("raise", "clip", "wrap"):
            i = indices(own, shape[axis], mode != "raise" or draw.random() < 0.2)
            line("take", mode, axis, x, [i], lambda: np.take(x, i, axis=axis, mode=mode))
for shape in SHAPES:
    x = np.arange(np.prod(shape)).reshape(shape)
    for axis, n in itertools.product(range(len(shape)), (1, 2, 6)):
        own = shape[:axis] + (n,) + shape[axis + 1:]
        for other in {own, tuple(1 if d != axis else n for d in range(len(shape)))}:
            i = indices(other, shape[axis], draw.random() < 0.2)
            line("along", "raise", axis, x, [i], lambda: np.take_along_axis(x, i, axis))
for shape in SHAPES:
    x = np.arange(np.prod(shape)).reshape(shape)
    for n in range(1, len(shape) + 1):
        for own in itertools.product([(), (4,), (2, 1), (1, 4)], repeat=n):
            arrays = [indices(s, shape[d], draw.random() < 0.1) for d, s in enumerate(own)]
            line("index", "raise", 0, x, arrays, lambda: x[tuple(arrays)])
