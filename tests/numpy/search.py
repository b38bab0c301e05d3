# SPDX-License-Identifier: MIT
"""Searches in sorted arrays as NumPy does them, for tests/diff/test_numpy_search.c.

A line: what, how, dtype of the keys, dtype of the needles : bits of the keys : of the needles : of what is interpolated : results.
places: those of searchsorted, of its side="right", and, if `how` is 1, of digitize and of its right=True. interp (how: 0 plain, 1
with left and right, else the period): the bits of f64. Needles are among the keys, beside them, outside, and NaN; keys are equal, few,
many, and have NaN at the end; those of a function with a period are distinct, for NumPy's order of others is any."""
import itertools
import random

import numpy as np

draw = random.Random(31)
NAMES = {"bool": np.bool_, "i8": np.int8, "u8": np.uint8, "i16": np.int16, "u16": np.uint16, "i32": np.int32, "u32": np.uint32,
         "i64": np.int64, "u64": np.uint64, "f16": np.float16, "f32": np.float32, "f64": np.float64}
SIZES = [0, 1, 2, 3, 4, 7, 8, 9, 31, 32, 33, 40]
LEFT, RIGHT = -7.5, 1e300


def text(x):
    x = np.ascontiguousarray(x)
    return " ".join("%x" % v for v in x.view("u%d" % x.dtype.itemsize).ravel().tolist())


def numbers(name, n):
    dtype = NAMES[name]
    if np.issubdtype(dtype, np.floating):
        x = np.array([draw.choice([draw.randrange(-40, 40) / 4, draw.uniform(-9, 9), 0.0, -0.0]) for _ in range(n)])
        for i in range(n):
            if draw.random() < 0.08:
                x[i] = draw.choice([np.inf, -np.inf, np.nan])
        return x.astype(dtype)
    if dtype is np.bool_:
        return np.array([draw.random() < 0.5 for _ in range(n)], dtype)
    low, high = (0 if name[0] == "u" else -12), 12
    wide = [np.iinfo(dtype).min, np.iinfo(dtype).max]
    return np.array([draw.choice(wide) if draw.random() < 0.05 else draw.randrange(low, high) for _ in range(n)], dtype)


def places(keys, needles, binned):
    with np.errstate(all="ignore"):
        out = [np.searchsorted(keys, needles), np.searchsorted(keys, needles, side="right")]
        if binned:
            out += [np.digitize(needles, keys), np.digitize(needles, keys, right=True)]
    return np.concatenate(out)


def line(what, how, names, keys, needles, values, result):
    print(what, how, *names, ":", text(keys), ":", text(needles), ":", text(values), ":", result)


def whole(k, x, n):
    keys, needles = np.sort(numbers(k, n), kind="stable"), numbers(x, 24)
    binned = "bool" not in (k, x) and n > 0 and not (keys.dtype.kind == "f" and np.isnan(keys).any())
    if binned and draw.random() < 0.5:
        sorted_keys = keys
        keys = keys[::-1]
        found = np.concatenate([places(sorted_keys, needles, False), places(keys, needles, True)[48:]])
        line("turned", 1, (k, x), keys, needles, np.zeros(0), " ".join(map(str, found.tolist())))
        return
    line("places", int(binned), (k, x), keys, needles, np.zeros(0), " ".join(map(str, places(keys, needles, binned).tolist())))


for n in SIZES:
    whole("f32", "f32", n)
for k in NAMES:
    whole(k, k, 33)
for _ in range(10):
    whole(draw.choice(list(NAMES)), draw.choice(list(NAMES)), 9)

for n, name, how in itertools.product([1, 3, 17], ["f64", "f32", "i32"], [0, 1, 6.25]):
    xp = numbers(name, n)
    xp = np.where(np.isfinite(xp), xp, 3).astype(xp.dtype) if name[0] == "f" else np.clip(xp, -99, 99)
    xp = np.sort(xp, kind="stable")
    xp = xp[np.concatenate([[True], xp[1:] != xp[:-1]])]
    if how == 6.25:
        xp = xp[np.unique(xp % how, return_index=True)[1]][::-1]
    elif xp.size > 3:
        xp[1] = xp[2]
    fp, x = numbers("f64", xp.size), np.concatenate([numbers("f64", 20), xp[:4].astype("f8")])
    with np.errstate(all="ignore"):
        y = np.interp(x, xp, fp, period=how) if how == 6.25 else np.interp(x, xp, fp, *([LEFT, RIGHT] if how else []))
    line("interp", how, (name, "f64"), xp, x, fp, text(y))
