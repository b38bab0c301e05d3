#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes tests/numpy/folds.txt: what NumPy 2 answers for reductions and scans, for tests/diff/test_numpy_folds.c.

    python3 tests/numpy/folds.py > tests/numpy/folds.txt        # needs NumPy 2

A line "array DTYPE SHAPE: VALUES" gives the operand of what follows; "over AXES KEEPDIMS SHAPE" the axes (* is every
one, - none) and the shape that every result until the next such line has; every other line is one result: the
function, its dtype, its values, or the word "empty" where NumPy raises ValueError. A scan is named with a suffix: _x
exclusive, _r from the end, _rx both. Data are quarters of small integers, so that most results are exact in any order; of
f16, whose products NumPy rounds at every step, powers of two. A complex number is its two parts.
"""
import sys
import warnings

import numpy as np

assert np.__version__ >= "2"
warnings.simplefilter("ignore")

DTYPES = {"bool": np.bool_, "i8": np.int8, "u8": np.uint8, "u16": np.uint16, "i32": np.int32,
          "u64": np.uint64, "f32": np.float32, "f64": np.float64, "i16": np.int16, "u32": np.uint32, "i64": np.int64,
          "f16": np.float16, "c64": np.complex64, "c128": np.complex128}
NAMES = {np.dtype(t): name for name, t in DTYPES.items()}
SHAPES = [(), (0,), (1,), (5,), (33,), (2, 3), (4, 1), (1, 5), (0, 3), (3, 0), (5, 9), (2, 3, 4), (2, 0, 3)]
SPECIAL_SHAPES = [(), (7,), (3, 4), (2, 3, 2)]


def say(x):
    """One number, as short as it can be read back exactly."""
    if x.dtype.kind == "c":
        return say(x.real) + " " + say(x.imag)
    if x.dtype.kind != "f":
        return str(int(x))
    text = str(x)  # NumPy 2: the shortest that reads back
    return text[:-2] if text.endswith(".0") else text


def values(a):
    return " ".join(say(x) for x in a.reshape(-1))


def shape_text(shape):
    return "x".join(map(str, shape)) or "-"


def operand(dtype, shape, kind, rng):
    n = int(np.prod(shape, dtype=int))
    if dtype == "bool":
        return rng.integers(0, 3, n).astype(bool).reshape(shape)
    if dtype[0] == "u":
        return rng.integers(0, np.iinfo(DTYPES[dtype]).max, n, dtype=np.uint64).astype(DTYPES[dtype]).reshape(shape)
    if dtype[0] == "i":
        return rng.integers(-9, 10, n).astype(DTYPES[dtype]).reshape(shape)
    x = rng.integers(-32, 33, n) / 4
    if dtype == "f16":
        x = 2.0 ** rng.integers(-1, 2, n) * rng.choice([-1, 1], n)
    if dtype[0] == "c":
        x = x + 1j * (rng.integers(-32, 33, n) / 4)
    if kind == "nan":
        x[rng.random(n) < 0.4] = np.nan
    if kind == "nothing but nan":
        x[:] = np.nan
    if kind == "special":
        x = np.where(rng.random(n) < 0.5, rng.choice([np.inf, -np.inf, np.nan, 0.0, -0.0], n), x)
    if kind == "infinite":
        x = np.where(rng.random(n) < 0.8, -np.inf, x)
    return x.astype(DTYPES[dtype]).reshape(shape)


def together(x, axes):
    """x with the folded axes as the last one."""
    axes = tuple(range(x.ndim)) if axes is None else axes
    rest = [i for i in range(x.ndim) if i not in axes]
    return x.transpose(rest + list(axes)).reshape([x.shape[i] for i in rest] + [-1]) if x.size else np.zeros(
        [x.shape[i] for i in rest] + [int(np.prod([x.shape[i] for i in axes], dtype=int))], x.dtype)


def kept(result, x, axes, keepdims):
    if not keepdims:
        return result
    axes = tuple(range(x.ndim)) if axes is None else axes
    return result.reshape([1 if i in axes else n for i, n in enumerate(x.shape)])


def logsumexp(x, axis, keepdims):
    y = together(x if x.dtype.kind in "fc" else x.astype(float), axis)
    return kept(np.logaddexp.reduce(y, axis=-1), x, axis, keepdims)


def nanarg(best):
    """NumPy's, but -1 for nothing but NaN, and never the position of a NaN."""

    def at(row):
        there = np.flatnonzero(~np.isnan(row))
        return there[best(row[there])] if len(there) else -1

    def search(x, axis, keepdims):
        y = together(x, axis)
        if y.shape[-1] == 0 and np.prod(y.shape[:-1], dtype=int):
            raise ValueError
        return kept(np.apply_along_axis(at, -1, y) if y.size else np.zeros(y.shape[:-1], int), x, axis, keepdims)

    return search


def norm(ord):
    return lambda x, axis, keepdims: np.linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=ord)


def axis_of(f):
    return lambda x, axis, keepdims: f(x, axis=None if axis is None else axis[0], keepdims=keepdims)


REDUCTIONS = {
    "sum": np.sum, "prod": np.prod, "min": np.min, "max": np.max, "mean": np.mean, "any": np.any, "all": np.all,
    "var": np.var, "std": np.std, "ptp": np.ptp, "count_nonzero": np.count_nonzero,
    "var1": lambda x, **o: np.var(x, ddof=1, **o), "std1": lambda x, **o: np.std(x, ddof=1, **o),
    "norm0": norm(0), "norm1": norm(1), "norm2": norm(2), "norm3": norm(3), "norminf": norm(np.inf),
    "norm-inf": norm(-np.inf), "logsumexp": logsumexp,
    "argmax": axis_of(np.argmax), "argmin": axis_of(np.argmin),
}
SKIPPING = {
    "nansum": np.nansum, "nanprod": np.nanprod, "nanmin": np.nanmin, "nanmax": np.nanmax, "nanmean": np.nanmean,
    "nanvar": np.nanvar, "nanstd": np.nanstd, "nanvar1": lambda x, **o: np.nanvar(x, ddof=1, **o),
    "nanargmax": nanarg(np.argmax), "nanargmin": nanarg(np.argmin),
}
SCANS = {"cumsum": np.add, "cumprod": np.multiply, "cummax": np.maximum, "cummin": np.minimum,
         "cumany": np.logical_or, "cumall": np.logical_and}


NOT_COMPLEX = {"min", "max", "ptp", "argmax", "argmin", "logsumexp", "nanmin", "nanmax", "nanargmax", "nanargmin",
               "cummax", "cummin"}


def identity(name, dtype):
    low, high = (np.iinfo(dtype).min, np.iinfo(dtype).max) if dtype.kind in "iu" else (
        (False, True) if dtype.kind == "b" else (-np.inf, np.inf))
    return {"cumsum": 0, "cumprod": 1, "cummax": low, "cummin": high, "cumany": False, "cumall": True}[name]


def scan(name, x, axis, exclusive, reverse):
    y = np.flip(x, axis) if reverse else x
    if name == "cumsum":
        y = np.cumsum(y, axis)
    elif name == "cumprod":
        y = np.cumprod(y, axis)
    else:
        y = SCANS[name].accumulate(y, axis)
    if exclusive:
        first = np.full_like(np.take(y, [0] if y.shape[axis] else [], axis), identity(name, y.dtype))
        y = np.concatenate([first, np.take(y, range(y.shape[axis] - 1), axis)], axis) if y.shape[axis] else y
    return np.flip(y, axis) if reverse else y


def axes_of(ndim):
    lists = {0: [], 1: [(0,)], 2: [(0,), (1,), ()], 3: [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)]}[ndim]
    return [None] + lists


def result_line(name, f, x):
    try:
        y = np.asarray(f())
    except ValueError:
        return f"{name} empty", None
    except TypeError:  # ptp of bool
        return None, None
    return f"{name} {NAMES[y.dtype]} {values(y)}".rstrip(), y.shape


def write(x, folds, axes, keepdims):
    lines, shapes = [], set()
    for name, f in folds.items():
        if name.removeprefix("nan")[:3] == "arg" and axes is not None and len(axes) != 1:
            continue
        if name == "count_nonzero" and axes == ():
            continue  # NumPy counts the whole array there
        text, shape = result_line(name, lambda: f(x, axis=axes, keepdims=keepdims), x)
        lines += [text] if text else []
        shapes |= {shape} if shape is not None else set()
    assert len(shapes) == 1, (x.shape, axes, shapes)
    text = "*" if axes is None else ",".join(map(str, axes)) or "-"
    print(f"over {text} {int(keepdims)} {shape_text(shapes.pop())}")
    print("\n".join(lines))
    return len(lines)


def write_scans(x, axis):
    print(f"over {axis} 0 {shape_text(x.shape)}")
    names = [name for name in SCANS if x.dtype.kind != "c" or name not in NOT_COMPLEX]
    for name in names:
        for suffix in ("", "_x", "_r", "_rx"):
            y = scan(name, x, axis, "x" in suffix, "r" in suffix)
            print(f"{name}{suffix} {NAMES[y.dtype]} {values(y)}".rstrip())
    return 4 * len(names)


def main():
    rng = np.random.default_rng(20)
    cases = 0
    for dtype in DTYPES:
        floating = dtype[0] in "fc"
        every = dtype in ("f32", "f64")
        kinds = [("plain", s) for s in (SHAPES if every else [(5,), (2, 3), (0, 3), (3, 0), (2, 3, 4)])]
        kinds += [(kind, s) for kind in ("nan", "special") for s in SPECIAL_SHAPES if every]
        kinds += [(kind, s) for kind in ("nothing but nan", "infinite") for s in SPECIAL_SHAPES[1:] if every]
        kinds += [("nan", s) for s in SPECIAL_SHAPES if dtype == "f16"]
        for kind, shape in kinds:
            x = operand(dtype, shape, kind, rng)
            print(f"array {dtype} {shape_text(shape)}: {values(x)}".rstrip())
            folds = {k: f for k, f in REDUCTIONS.items() if floating or k not in ("var1", "std1", "norm3")}
            folds |= SKIPPING if kind != "plain" or shape == (2, 3, 4) else {}
            folds = {k: f for k, f in folds.items() if dtype[0] != "c" or k not in NOT_COMPLEX}
            for i, axes in enumerate(axes_of(len(shape))):
                cases += write(x, folds, axes, bool((i + len(shape)) % 2))
            if kind != "infinite":
                for axis in range(len(shape)):
                    cases += write_scans(x, axis)
    print(f"{cases} results", file=sys.stderr)


main()
